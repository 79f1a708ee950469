package inbox

import (
	"encoding/json"
	"errors"
	"strings"

	"brain/page"
)

// Messages as JSON lines, which every program can write:
//
//	{"role":"user","text":"The login loops.","at":"2026-03-02T09:00:00Z"}
//
// Also understood is what others call these: content, timestamp or created_at, name,
// session or session_id. What was said is a text or a list of texts and blocks; a part
// that is neither is told of. A file may hold several sessions. The form in
// which brain keeps sessions itself (page/session.go) is one of these, with its head.

type jsonMessage struct {
	ID      scalar  `json:"id"`
	Role    string  `json:"role"`
	Text    content `json:"text"`
	Content content `json:"content"`

	At        instant `json:"at"`
	Timestamp instant `json:"timestamp"`
	CreatedAt instant `json:"created_at"`

	Speaker string `json:"speaker"`
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Hidden  bool   `json:"hidden"`

	ToolCalls []struct {
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`

	Session   scalar `json:"session"`
	SessionID scalar `json:"session_id"`

	// What the head of a session says.
	Agent  string `json:"agent"`
	User   string `json:"user"`
	Title  string `json:"title"`
	Source string `json:"source"`
}

// scalar is a string, or a number as it is written.
type scalar string

func (s *scalar) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*s = scalar(text)
	} else if raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9' {
		*s = scalar(raw)
	}
	return nil
}

func readJSONL(in *input, g *gather) error {
	current := "" // the session that a head began
	return in.records(g, func(raw []byte) error {
		var m jsonMessage
		if err := decode(raw, &m); err != nil {
			return err
		}
		named := string(m.Session)
		if named == "" {
			named = string(m.SessionID)
		}
		said := m.message()
		isHead := len(said.content) == 0 && m.Session != "" && m.Role == ""
		if !isHead && len(said.content) == 0 {
			return errors.New("no message: neither text nor content")
		}
		if isHead {
			current = named
		} else if named == "" {
			named = current
		}
		t, err := g.talk(named)
		if err != nil {
			return fatal{err}
		}
		if isHead {
			t.Agent, t.User, t.Title, t.Source, t.At = m.Agent, m.User, m.Title, m.Source, m.At.Time
			return nil
		}
		for _, turn := range said.split() {
			g.add(t, turn)
		}
		return said.content.whole()
	})
}

func (m *jsonMessage) message() *message {
	said := &message{id: string(m.ID), role: roleOf(m.Role), speaker: m.Speaker, at: m.At.Time, content: m.Content}
	if said.speaker == "" {
		said.speaker = m.Name
	}
	for _, other := range []instant{m.Timestamp, m.CreatedAt} {
		if said.at.IsZero() {
			said.at = other.Time
		}
	}
	if !m.Text.blank() || len(m.Content) == 0 {
		said.content = m.Text
	}
	for _, call := range m.ToolCalls {
		said.content = append(said.content, block{Type: "tool_use", Name: call.Function.Name, Input: call.Function.Arguments})
	}
	switch {
	case m.Hidden || m.Kind == page.Hidden || said.role == "system":
		said.kind = page.Hidden
	case m.Kind == page.AsksTools:
		said.kind = page.AsksTools
	}
	return said
}

// roleOf is the role that a word means.
func roleOf(word string) string {
	switch word = strings.ToLower(strings.TrimSpace(word)); word {
	case "human", "me", "you", "用户", "我", "人类", "使用者":
		return "user"
	case "ai", "bot", "model", "gpt", "chatgpt", "claude", "助手", "助理", "机器人", "模型":
		return "assistant"
	case "function", "工具":
		return "tool"
	case "developer", "系统":
		return "system"
	}
	return word
}
