package inbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"brain/page"
	"brain/text"
)

// What programs call the content of a message is a text, or a list of blocks: texts,
// thoughts, requests for tools, what tools answered, images. A message becomes turns so
// that each is of one kind:
//
//	assistant [text, tool_use, tool_result, text]
//	  → assistant "text\n[tool …]" (AsksTools) · tool "…" · assistant "text"
//
// Thoughts are nobody's words and are not kept; an image is a mark.

// content is a list of blocks; a plain text is one.
type content []block

// block is a part of a message.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Name      string          `json:"name"`      // of a tool
	Input     json.RawMessage `json:"input"`     // what it is asked for
	Arguments json.RawMessage `json:"arguments"` // the same, elsewhere
	Content   json.RawMessage `json:"content"`   // what it answered; one level of blocks is read
	FileName  string          `json:"file_name"` // of a document
	Title     string          `json:"title"`     // of a document

	odd bool // nothing of this that is known could be read
}

func (c *content) UnmarshalJSON(raw []byte) error {
	switch raw[0] {
	case 'n':
		return nil
	case '[':
		return json.Unmarshal(raw, (*[]block)(c))
	}
	var one block
	if err := one.UnmarshalJSON(raw); err != nil {
		return err
	}
	*c = content{one}
	return nil
}

// blank reports whether no part has anything to say.
func (c content) blank() bool {
	return !slices.ContainsFunc(c, func(b block) bool { return !b.odd && (b.Type != "text" || b.Text != "") })
}

// whole is the error for the first part that is nothing known.
func (c content) whole() error {
	if i := slices.IndexFunc(c, func(b block) bool { return b.odd }); i >= 0 {
		return fmt.Errorf("part %d of %d is left out: neither text nor a known block", i+1, len(c))
	}
	return nil
}

func (b *block) UnmarshalJSON(raw []byte) error {
	type plain block
	switch c := raw[0]; {
	case c == '"':
		b.Type = "text"
		return json.Unmarshal(raw, &b.Text)
	case c == '-', '0' <= c && c <= '9':
		b.Type, b.Text = "text", string(raw)
	case c == '{':
		err := decode(raw, (*plain)(b))
		b.odd = err == nil && b.unknown(raw)
		return err
	default:
		b.odd = c != 'n'
	}
	return nil
}

// unknown reports whether an object is of no kind that is read, or its text is none.
func (b *block) unknown(raw []byte) bool {
	switch b.kind() {
	case aText:
		if b.Text != "" {
			return false
		}
		var with struct {
			Text json.RawMessage `json:"text"`
		}
		return decode(raw, &with) != nil || string(with.Text) != `""` && string(with.Text) != "null"
	case "":
		return true
	}
	return false
}

// The kinds of blocks that are told apart.
const (
	aText    = "text"
	aThought = "thought"
	aRequest = "request" // for a tool
	anAnswer = "answer"  // of a tool
	aFile    = "file"    // or an image, a recording
)

// kind is what a block is, by what programs call it; "" for nothing known.
func (b *block) kind() string {
	switch name := b.Type; {
	case strings.Contains(name, "thinking"), name == "reasoning":
		return aThought
	case name == "text", name == "input_text", name == "output_text", name == "":
		return aText
	case strings.HasSuffix(name, "tool_use"), name == "function_call":
		return aRequest
	case strings.HasSuffix(name, "tool_result"):
		return anAnswer
	case strings.Contains(name, "image"), strings.Contains(name, "document"), strings.Contains(name, "file"), strings.Contains(name, "audio"):
		return aFile
	}
	return ""
}

// message is what was said at once.
type message struct {
	id, role, speaker, kind string
	at                      time.Time
	content                 content
}

// split makes turns of a message. The first has its id, the others one made of it.
func (m *message) split() []page.Turn {
	s := splitter{message: m}
	for i := range m.content {
		s.take(&m.content[i])
	}
	s.flush()
	return s.turns
}

type splitter struct {
	*message
	turns []page.Turn
	texts []string // of the turn that has begun
	asks  bool     // it asks for tools
}

func (s *splitter) take(b *block) {
	switch b.kind() {
	case aText:
		s.takeText(b.Text)
	case aRequest:
		s.texts = append(s.texts, toolMark(b.Name, firstRaw(b.Input, b.Arguments)))
		s.asks = true
	case anAnswer:
		s.flush()
		s.emit("tool", s.kind, answer(b.Content))
	case aFile:
		s.texts = append(s.texts, mark(b.Type, b.FileName, b.Title))
	}
}

func (s *splitter) takeText(said string) {
	if s.role == "user" && beginsWith(said, injected) {
		s.flush()
		role := s.role
		if beginsWith(said, outputs) {
			role = "tool" // which the door cuts
		}
		s.emit(role, page.Hidden, said)
		return
	}
	if strings.TrimSpace(said) == "" {
		return
	}
	if s.asks { // what is said behind a request is said for itself
		s.flush()
	}
	s.texts = append(s.texts, said)
}

// flush ends the turn that has begun.
func (s *splitter) flush() {
	kind := s.kind
	if s.asks && kind == "" {
		kind = page.AsksTools
	}
	s.emit(s.role, kind, strings.Join(s.texts, "\n"))
	s.texts, s.asks = nil, false
}

func (s *splitter) emit(role, kind, said string) {
	if strings.TrimSpace(said) == "" {
		return
	}
	id := s.id
	if n := len(s.turns); n > 0 && id != "" {
		id = fmt.Sprintf("%s/%d", id, n+1)
	}
	s.turns = append(s.turns, page.Turn{ID: id, Role: role, Speaker: s.speaker, Kind: kind, At: s.at, Text: said})
}

func firstRaw(all ...json.RawMessage) json.RawMessage {
	for _, raw := range all {
		if len(raw) > 0 {
			return raw
		}
	}
	return nil
}

// mark stands for what is no text.
func mark(kind string, names ...string) string {
	for _, word := range []string{"image", "audio", "video"} {
		if strings.Contains(kind, word) {
			return "[" + word + "]"
		}
	}
	for _, name := range names {
		if name = brief(name, 80); name != "" {
			return "[file " + name + "]"
		}
	}
	return "[file]"
}

// toldBy are the members that say best what a tool is asked for.
var toldBy = []string{"command", "cmd", "file_path", "path", "query", "pattern", "url", "description", "prompt"}

// toolMark tells in a line which tool is asked for what.
func toolMark(name string, input json.RawMessage) string {
	const longest = 160
	asked := string(input)
	var s string
	if json.Unmarshal(input, &s) == nil {
		asked = s // an object within a string, or a plain text
	}
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(asked), &members) == nil {
		for _, key := range toldBy {
			if told := words(members[key]); told != "" {
				asked = told
				break
			}
		}
	}
	asked, _ = text.Mask(asked) // before it is cut: half a secret looks like none
	if asked = brief(asked, longest); asked == "" || asked == "{}" || asked == "null" {
		return "[tool " + brief(name, 80) + "]"
	}
	return "[tool " + brief(name, 80) + ": " + asked + "]"
}

// words is a string, or a list of strings as a command line has them.
func words(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return strings.Join(list, " ")
	}
	return ""
}

// answer is what a tool answered: a text, blocks, or an object that holds them.
func answer(raw json.RawMessage) string {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 {
		return ""
	}
	var within struct {
		Output, Content json.RawMessage
	}
	var s string
	switch {
	case json.Unmarshal(raw, &s) == nil:
		if strings.HasPrefix(s, "{") && json.Unmarshal([]byte(s), &within) == nil && json.Unmarshal(within.Output, &s) == nil {
			return s // older rollouts of Codex
		}
		return s
	case raw[0] == '{' && json.Unmarshal(raw, &within) == nil && len(firstRaw(within.Output, within.Content)) > 0:
		raw = firstRaw(within.Output, within.Content)
	}
	var c content
	if c.UnmarshalJSON(raw) != nil {
		return ""
	}
	var texts []string
	for _, b := range c {
		switch {
		case b.Text != "":
			texts = append(texts, b.Text)
		case strings.Contains(b.Type, "image"):
			texts = append(texts, mark(b.Type))
		case b.Title != "":
			texts = append(texts, b.Title)
		}
	}
	return strings.Join(texts, "\n")
}

// Programs put words of their own into the user's mouth: what command ran, which folder
// it is, standing instructions. Those messages begin so. (Frames within a message are for the
// door to remove.)
var injected = []string{
	// Claude Code
	"<command-name>", "<command-message>", "<command-args>", "<command-contents>",
	"<local-command-", "<bash-input>", "<bash-stdout>", "<bash-stderr>",
	"<task-notification>", "<user-prompt-submit-hook>", "<ide_opened_file>", "<ide_selection>", "<ide_diagnostics>",
	"caveat: the messages below were generated by the user while running local commands",
	"[request interrupted by user",
	"this session is being continued from a previous conversation",
	// Codex
	"<environment_context>", "<environments>", "<user_instructions>", "<instructions>", "# agents.md instructions",
	"<skill>", "<skills_instructions>", "<apps_instructions>", "<plugins_instructions>", "<recommended_plugins>",
	"<collaboration_mode>", "<permissions instructions>", "<personality_spec>", "<model_switch>", "<goal_context>",
	"<turn_aborted>", "<user_shell_command>", "<subagent_notification>", "<realtime_conversation>", "<hook_prompt",
	"<app-context>", "<attachments>",
}

// outputs are those that hold what a command printed.
var outputs = []string{"<bash-stdout>", "<bash-stderr>", "<local-command-stdout>", "<local-command-stderr>", "<user_shell_command>"}

// beginsWith reports whether a message begins with one of some words, in any case.
func beginsWith(said string, begins []string) bool {
	said = strings.TrimSpace(said)
	return slices.ContainsFunc(begins, func(b string) bool { return len(said) >= len(b) && strings.EqualFold(said[:len(b)], b) })
}
