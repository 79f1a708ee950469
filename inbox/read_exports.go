package inbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"brain/page"
	"brain/text"
)

// conversations.json of the exports of ChatGPT and of Claude: an array with a
// conversation a member. Each is read by itself, so that an export may be larger than
// the memory.
//
// ChatGPT keeps a tree, since an answer can be asked for again; what counts is the path
// to the node at which the user left it.

type exportedConversation struct {
	// ChatGPT
	ConversationID string              `json:"conversation_id"`
	ID             string              `json:"id"`
	Title          string              `json:"title"`
	CreateTime     instant             `json:"create_time"`
	Mapping        map[string]chatNode `json:"mapping"`
	CurrentNode    string              `json:"current_node"`
	// Claude
	UUID      string        `json:"uuid"`
	Name      string        `json:"name"`
	CreatedAt instant       `json:"created_at"`
	Messages  []chatMessage `json:"chat_messages"`
}

func readExport(in *input, g *gather) error {
	g.skipped.Unit = "conversation"
	return in.members(g, func(raw []byte) error {
		var c exportedConversation
		if err := decode(raw, &c); err != nil {
			return err
		}
		var said []*message
		switch {
		case c.isNone():
			return errors.New("no conversation: what should be messages is something else")
		case c.Mapping != nil:
			said = c.path()
		case c.Messages != nil:
			for i := range c.Messages {
				said = append(said, c.Messages[i].message())
			}
		default:
			return errors.New("no conversation: neither mapping nor chat_messages")
		}
		return g.whole(&c, said)
	})
}

// isNone reports that there are nodes or messages, and not one that could be read.
func (c *exportedConversation) isNone() bool {
	none := len(c.Mapping)+len(c.Messages) > 0
	for _, n := range c.Mapping {
		none = none && n.ID == "" && n.Parent == "" && n.Children == nil && n.Message == nil
	}
	for i := range c.Messages {
		m := &c.Messages[i]
		none = none && m.UUID == "" && m.Sender == "" && m.Text == "" && m.Content == nil
	}
	return none
}

// whole hands a conversation over, or keeps it when it is to be the only one.
func (g *gather) whole(c *exportedConversation, said []*message) error {
	t, err := g.talk(cmp.Or(c.ConversationID, c.ID, c.UUID))
	if err != nil {
		return fatal{err}
	}
	t.Title, t.At = cmp.Or(c.Title, c.Name), c.CreateTime.Time
	if t.At.IsZero() {
		t.At = c.CreatedAt.Time
	}
	for _, m := range said {
		for _, turn := range m.split() {
			g.add(t, turn)
		}
	}
	if g.o.ID != "" {
		return nil
	}
	if err := g.close(t); err != nil {
		return fatal{err}
	}
	return nil
}

type chatNode struct {
	ID       string    `json:"id"`
	Parent   string    `json:"parent"`
	Children []string  `json:"children"`
	Message  *chatSaid `json:"message"`
}

// chatSaid is a message of ChatGPT.
type chatSaid struct {
	ID     string `json:"id"`
	Author struct {
		Role string `json:"role"`
		Name string `json:"name"`
	} `json:"author"`
	CreateTime instant `json:"create_time"`
	Recipient  string  `json:"recipient"` // "all", or the tool that it is for
	Content    struct {
		Type   string            `json:"content_type"`
		Parts  []json.RawMessage `json:"parts"`
		Text   string            `json:"text"`
		Result string            `json:"result"`
	} `json:"content"`
	Metadata struct {
		Hidden       bool `json:"is_visually_hidden_from_conversation"`
		Instructions bool `json:"is_user_system_message"`
		Attachments  []struct {
			Name string `json:"name"`
		} `json:"attachments"`
	} `json:"metadata"`
}

// path gives what was said on the way to the current node.
func (c *exportedConversation) path() []*message {
	var said []*message
	seen := map[string]bool{}
	for at := c.leaf(); at != "" && !seen[at]; at = c.Mapping[at].Parent {
		seen[at] = true
		if m := c.Mapping[at].Message; m != nil {
			said = append(said, m.message())
		}
	}
	slices.Reverse(said)
	return said
}

// leaf is the current node, or where the last answers lead when it is unknown.
func (c *exportedConversation) leaf() string {
	if _, ok := c.Mapping[c.CurrentNode]; ok {
		return c.CurrentNode
	}
	var roots []string
	for id, n := range c.Mapping {
		if _, ok := c.Mapping[n.Parent]; !ok {
			roots = append(roots, id)
		}
	}
	if len(roots) == 0 {
		return ""
	}
	at := slices.Min(roots)
	for seen := map[string]bool{}; !seen[at]; {
		seen[at] = true
		for _, child := range c.Mapping[at].Children {
			if _, ok := c.Mapping[child]; ok {
				at = child
			}
		}
	}
	return at
}

// citation is the mark of a source in ChatGPT's answers, in characters of private use.
var citation = text.Pattern("\uE200[^\uE201]*\uE201")

func (s *chatSaid) message() *message {
	m := &message{id: s.ID, role: roleOf(s.Author.Role), at: s.CreateTime.Time}
	switch s.Content.Type {
	case "thoughts", "reasoning_recap":
		return m
	case "user_editable_context", "model_editable_context", "system_error":
		m.kind = page.Hidden
	}
	if m.role == "tool" {
		m.speaker = s.Author.Name
	}
	if s.Metadata.Hidden || s.Metadata.Instructions || m.role == "system" {
		m.kind = page.Hidden
	}
	if m.role == "assistant" && s.Recipient != "" && s.Recipient != "all" {
		m.content = content{{Type: "tool_use", Name: s.Recipient, Input: quoted(s.text())}}
		return m
	}
	m.content = s.parts()
	for _, a := range s.Metadata.Attachments {
		m.content = append(m.content, block{Type: "file", FileName: a.Name})
	}
	return m
}

func quoted(text string) json.RawMessage {
	raw, err := json.Marshal(text)
	if err != nil {
		return nil // no string has one
	}
	return raw
}

// parts are the texts of a message, and marks for what is none.
func (s *chatSaid) parts() (c content) {
	for _, text := range []string{s.Content.Text, s.Content.Result} {
		if text != "" {
			c = append(c, block{Type: "text", Text: text})
		}
	}
	for _, raw := range s.Content.Parts {
		var part struct {
			Type string `json:"content_type"`
			Text string `json:"text"`
		}
		var text string
		switch {
		case json.Unmarshal(raw, &text) == nil:
			text = citation().ReplaceAllString(text, "")
		case decode(raw, &part) != nil:
			continue
		case part.Text != "": // an audio's transcript
			text = part.Text
		default:
			c = append(c, block{Type: part.Type})
			continue
		}
		c = append(c, block{Type: "text", Text: text})
	}
	return c
}

func (s *chatSaid) text() string {
	var texts []string
	for _, b := range s.parts() {
		if b.Text != "" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// chatMessage is a message of Claude.
type chatMessage struct {
	UUID        string  `json:"uuid"`
	Sender      string  `json:"sender"`
	Text        string  `json:"text"`
	Content     content `json:"content"`
	CreatedAt   instant `json:"created_at"`
	Attachments []block `json:"attachments"`
	Files       []block `json:"files"`
}

// unsupported stands in a message's text for each request of a tool.
var unsupported = text.Pattern("```\nThis block is not supported on your current device yet.\n```\n*")

func (c *chatMessage) message() *message {
	m := &message{id: c.UUID, role: roleOf(c.Sender), at: c.CreatedAt.Time, content: c.Content}
	if len(m.split()) == 0 { // before there were blocks; with them, the text has thoughts too
		m.content = content{{Type: "text", Text: unsupported().ReplaceAllString(c.Text, "")}}
	}
	for _, files := range [][]block{c.Attachments, c.Files} {
		for _, f := range files {
			m.content = append(m.content, block{Type: "file", FileName: f.FileName})
		}
	}
	return m
}
