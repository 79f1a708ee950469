package inbox

import (
	"cmp"

	"brain/page"
)

// Transcripts of Claude Code: ~/.claude/projects/<folder>/<session>.jsonl, a line for
// each event. Of interest are those of type user and assistant; the others tell titles,
// or what concerns the program alone.
//
// One answer of the model is several lines with the same message.id, a block each. Each
// line is a turn, known by its uuid: joined, a turn would grow between two captures, and
// the second could not be told from a turn that is new. What an answer says before it
// asks for tools counts as part of the request, though.
//
// A transcript of a subagent (agentId) is a session of its own, all hidden. A resumed
// session may begin with lines of the one before, which go there.

type transcriptLine struct {
	Type      string  `json:"type"`
	Subtype   string  `json:"subtype"`
	UUID      string  `json:"uuid"`
	SessionID string  `json:"sessionId"`
	StreamID  string  `json:"session_id"` // in what --output-format stream-json prints
	AgentID   string  `json:"agentId"`
	Timestamp instant `json:"timestamp"`

	Message struct {
		ID      string  `json:"id"`
		Role    string  `json:"role"`
		Model   string  `json:"model"`
		Content content `json:"content"`
	} `json:"message"`
	Content    content `json:"content"` // of a system line
	Attachment struct {
		Type        string  `json:"type"`
		CommandMode string  `json:"commandMode"`
		Prompt      content `json:"prompt"`
	} `json:"attachment"`

	IsMeta         bool `json:"isMeta"`
	IsSidechain    bool `json:"isSidechain"`
	IsSummary      bool `json:"isCompactSummary"`
	ForEyesOnly    bool `json:"isVisibleInTranscriptOnly"`
	IsErrorMessage bool `json:"isApiErrorMessage"`

	Summary     string `json:"summary"`
	LeafUUID    string `json:"leafUuid"`
	AITitle     string `json:"aiTitle"`
	CustomTitle string `json:"customTitle"`
}

// transcript is one that is being read.
type transcript struct {
	g         *gather
	read      map[string]bool   // lines, by uuid; a resumed session repeats some
	summaries map[string]string // of conversations that end with a line, by its uuid
	answers   map[*talk]*answerLines
	titled    map[*talk]int // how good the title is
}

// answerLines are the turns of a talk's latest answer that ask for nothing themselves.
type answerLines struct {
	id    string
	turns []int
}

func readClaudeCode(in *input, g *gather) error {
	tr := &transcript{g: g, read: map[string]bool{}, summaries: map[string]string{}, answers: map[*talk]*answerLines{}, titled: map[*talk]int{}}
	return in.records(g, tr.line)
}

func (tr *transcript) line(raw []byte) error {
	var l transcriptLine
	if err := decode(raw, &l); err != nil {
		return err
	}
	if l.UUID != "" && tr.read[l.UUID] {
		return nil
	}
	said := l.message()
	if said == nil && l.Summary == "" && l.AITitle == "" && l.CustomTitle == "" {
		return nil
	}
	if l.Type == "summary" {
		tr.summaries[l.LeafUUID] = l.Summary // of this conversation only if the line follows
		return nil
	}
	t, err := tr.g.talk(l.key(tr.g.o.ID != ""))
	if err != nil {
		return fatal{err}
	}
	if l.UUID != "" {
		tr.read[l.UUID] = true
		tr.title(t, tr.summaries[l.UUID], 1)
	}
	tr.title(t, l.AITitle, 2)
	tr.title(t, l.CustomTitle, 3)
	if said != nil {
		tr.say(t, l.Message.ID, said)
	}
	return nil
}

// key tells the talk that a line belongs to; forced: all belong to one.
func (l *transcriptLine) key(forced bool) string {
	switch {
	case forced:
		return ""
	case l.AgentID != "":
		return cmp.Or(l.SessionID, l.StreamID) + "-" + l.AgentID
	}
	return cmp.Or(l.SessionID, l.StreamID)
}

func (tr *transcript) title(t *talk, title string, rank int) {
	if title != "" && rank >= tr.titled[t] {
		t.Title, tr.titled[t] = title, rank
	}
}

// message is what a line says, nil for nothing.
func (l *transcriptLine) message() *message {
	m := &message{id: l.UUID, role: l.Type, at: l.Timestamp.Time, content: l.Message.Content}
	switch {
	case l.IsErrorMessage:
		return nil
	case l.Type == "system":
		m.content, m.kind = l.Content, page.Hidden
	case l.Type == "attachment" && l.Attachment.Type == "queued_command":
		m.role, m.content = "user", l.Attachment.Prompt // typed while the agent worked
		if l.Attachment.CommandMode != "prompt" && l.Attachment.CommandMode != "" {
			m.kind = page.Hidden
		}
	case l.Type != "user" && l.Type != "assistant":
		return nil
	}
	if l.IsMeta || l.IsSidechain || l.IsSummary || l.ForEyesOnly || l.AgentID != "" || l.Message.Model == "<synthetic>" {
		m.kind = page.Hidden
	}
	return m
}

// say adds what a line says. A request marks what the same answer said before it.
func (tr *transcript) say(t *talk, answer string, said *message) {
	a := tr.answers[t]
	if a == nil || a.id != answer || answer == "" {
		a = &answerLines{id: answer}
		tr.answers[t] = a
	}
	for _, turn := range said.split() {
		n := len(t.Turns)
		tr.g.add(t, turn)
		switch {
		case said.role != "assistant":
		case turn.Kind == "":
			a.turns = append(a.turns, n)
		case turn.Kind == page.AsksTools:
			for _, i := range a.turns {
				t.Turns[i].Kind = page.AsksTools
			}
			a.turns = nil
		}
	}
}
