package inbox

import (
	"crypto/sha256"
	"encoding/json"
	"strings"

	"brain/page"
	"brain/text"
)

// Rollouts of Codex: ~/.codex/sessions/2026/03/02/rollout-….jsonl, a line {timestamp,
// type, payload} for each event. What was said stands there twice, as the item that the
// model was shown (response_item) and as the event that the user was (event_msg); which
// of the two there is depends on the version. The first of a pair counts.
//
// Older rollouts are a head and then items without a wrapper. A file is one session.

type rolloutLine struct {
	Timestamp instant         `json:"timestamp"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
}

type rolloutItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	CallID    string          `json:"call_id"`
	Role      string          `json:"role"`
	Phase     string          `json:"phase"`
	Content   content         `json:"content"`
	Message   string          `json:"message"` // of an event
	Images    []any           `json:"images"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Input     json.RawMessage `json:"input"`
	Output    json.RawMessage `json:"output"`
	Action    json.RawMessage `json:"action"`
}

// rolloutHead is session_meta.
type rolloutHead struct {
	ID           string          `json:"id"`
	Timestamp    instant         `json:"timestamp"`
	Source       json.RawMessage `json:"source"`
	ThreadSource string          `json:"thread_source"`
}

// rollout is one that is being read.
type rollout struct {
	g      *gather
	id     string
	headed bool
	kind   string         // page.Hidden: of a subagent
	alone  map[pairID]int // what was said as item (> 0) or event (< 0) and not yet as the other
}

type pairID [sha256.Size]byte

func readCodex(in *input, g *gather) error {
	ro := &rollout{g: g, id: rolloutName().FindString(stem(g.o.Name)), alone: map[pairID]int{}}
	return in.records(g, ro.line)
}

// rolloutName is the id in a rollout's name.
var rolloutName = text.Pattern(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

func (ro *rollout) line(raw []byte) error {
	var l rolloutLine
	if err := decode(raw, &l); err != nil {
		return err
	}
	var said *message
	var err error
	switch {
	case l.Type == "session_meta":
		return ro.head(l.Payload)
	case l.Type == "response_item":
		said, err = ro.item(l.Payload)
	case l.Type == "event_msg":
		said, err = ro.event(l.Payload)
	case l.Type == "compacted":
		said, err = ro.summary(l.Payload)
	case l.Payload != nil:
		return nil // turn_context, and what later versions add
	case l.Type == "" && !ro.headed:
		return ro.head(raw)
	default:
		said, err = ro.item(raw)
	}
	if err != nil || said == nil {
		return err
	}
	return ro.say(said, l.Timestamp)
}

// head reads what a rollout says of itself, the first time: a fork repeats that of the
// one it came from.
func (ro *rollout) head(raw json.RawMessage) error {
	var h rolloutHead
	if err := decode(raw, &h); err != nil {
		return err
	}
	if ro.headed || h.ID == "" {
		return nil
	}
	ro.headed, ro.id = true, h.ID
	if h.ThreadSource == "subagent" || strings.Contains(string(h.Source), "subagent") {
		ro.kind = page.Hidden
	}
	return nil
}

func (ro *rollout) say(said *message, at instant) error {
	t, err := ro.g.talk("")
	if err != nil {
		return fatal{err}
	}
	t.ID = SessionID(ro.id)
	if said.at = at.Time; ro.kind != "" {
		said.kind = ro.kind
	}
	for _, turn := range said.split() {
		ro.g.add(t, turn)
	}
	return nil
}

// item is what was said between user, model and tools.
func (ro *rollout) item(raw json.RawMessage) (*message, error) {
	var it rolloutItem
	if err := decode(raw, &it); err != nil {
		return nil, err
	}
	switch {
	case it.Type == "message" || it.Type == "" && it.Role != "":
		m := &message{id: it.ID, role: roleOf(it.Role), content: it.Content}
		m.content = ownWords(m.content)
		switch {
		case m.role == "system":
			m.kind = page.Hidden
		case it.Phase == "commentary":
			m.kind = page.AsksTools // said while tools are at work
		}
		if ro.double(m, 1) {
			return nil, nil
		}
		return m, nil
	case it.Type == "agent_message": // of one agent to another
		return &message{id: it.ID, role: "assistant", kind: page.Hidden, content: it.Content}, nil
	case strings.HasSuffix(it.Type, "_output"):
		return &message{id: outputID(it.CallID), role: "tool", content: content{{Type: "tool_result", Content: it.Output}}}, nil
	case strings.HasSuffix(it.Type, "_call"):
		return &message{id: it.CallID, role: "assistant", content: content{it.call()}}, nil
	}
	return nil, nil // thoughts, snapshots
}

func outputID(call string) string {
	if call == "" {
		return ""
	}
	return call + "/output"
}

// call is the tool that an item asks for.
func (it *rolloutItem) call() block {
	b := block{Type: "tool_use", Name: it.Name, Input: firstRaw(it.Arguments, it.Input, it.Action)}
	if b.Name == "" {
		b.Name = strings.TrimSuffix(it.Type, "_call")
	}
	return b
}

// event is what the user was shown.
func (ro *rollout) event(raw json.RawMessage) (*message, error) {
	var it rolloutItem
	if err := decode(raw, &it); err != nil {
		return nil, err
	}
	m := &message{content: ownWords(content{{Type: "text", Text: it.Message}})}
	switch it.Type {
	case "user_message":
		m.role = "user"
	case "agent_message":
		m.role = "assistant"
		if it.Phase == "commentary" {
			m.kind = page.AsksTools
		}
	default:
		return nil, nil
	}
	if ro.double(m, -1) {
		return nil, nil
	}
	for range it.Images {
		m.content = append(m.content, block{Type: "image"})
	}
	return m, nil
}

// summary is what a compaction left of what was said before it.
func (ro *rollout) summary(raw json.RawMessage) (*message, error) {
	var it rolloutItem
	if err := decode(raw, &it); err != nil {
		return nil, err
	}
	return &message{role: "assistant", kind: page.Hidden, content: content{{Type: "text", Text: it.Message}}}, nil
}

// double reports whether a message was said already in the other form: side is 1 for
// an item and -1 for an event.
func (ro *rollout) double(m *message, side int) bool {
	h := sha256.New()
	h.Write([]byte(m.role))
	for _, b := range m.content {
		if text := strings.TrimSpace(b.Text); text != "" {
			h.Write([]byte("\n" + text))
		}
	}
	key := pairID(h.Sum(nil))
	was := ro.alone[key]
	if ro.alone[key] += side; ro.alone[key] == 0 {
		delete(ro.alone, key)
	}
	return was*side < 0
}

const (
	ideContext = "# Context from my IDE setup"
	ideRequest = "## My request for Codex:"
)

// ownWords leaves out of a message what an editor put before the user's words, and the
// tags around an image.
func ownWords(c content) content {
	var out content
	for _, b := range c {
		text := strings.TrimSpace(b.Text)
		if strings.HasPrefix(text, ideContext) {
			if _, request, ok := strings.Cut(text, ideRequest); ok {
				b.Text = strings.TrimSpace(request)
			}
		}
		if text == "</image>" || strings.HasPrefix(text, "<image") && strings.HasSuffix(text, ">") && len(text) < 200 {
			continue
		}
		out = append(out, b)
	}
	return out
}
