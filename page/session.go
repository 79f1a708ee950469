package page

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"brain/text"
)

// A session is a page too: a conversation that was kept as evidence. Its file
// is sessions/<yyyy-mm>/<id>/messages.jsonl, one JSON object a line, appended
// to and never rewritten:
//
//	{"session":"4f1c","agent":"coder","title":"Login loop","at":"2026-03-02T09:00:00Z"}
//	{"role":"user","speaker":"Wei","at":"2026-03-02T09:00:00Z","text":"The login loops."}
//	{"role":"assistant","at":"2026-03-02T09:00:20Z","text":"Which browser?"}
//
// A first line without "text" says whose conversation it is; it may be absent.
// Every other line with a text is a turn, numbered from 1. A line that is no
// JSON object, such as one that a crash cut in half, is a problem of that line
// and of no other.
//
// Read as a page, a session has its turns, and a body in which a person can
// read them: the speaker, the time, what was said.

// SessionFile is the name of the file that holds a session's turns.
const SessionFile = "messages.jsonl"

// DefaultAgent is whose a session is that names no agent.
const DefaultAgent = "__default__"

// Head is what a session's first line says of the whole.
type Head struct {
	Session string    `json:"session"`
	Agent   string    `json:"agent,omitempty"` // folded to lower case; DefaultAgent when absent
	User    string    `json:"user,omitempty"`
	Title   string    `json:"title,omitempty"`
	Source  string    `json:"source,omitempty"` // whose pages are made of it go to sources/<source>/
	At      time.Time `json:"at,omitzero"`
}

// What kind of message a turn is, when it was not simply said aloud.
const (
	AsksTools = "tools"  // an assistant's, which asks for tools
	Hidden    = "hidden" // never shown to the user
)

// Turn is one message of a session.
type Turn struct {
	ID      string    `json:"id,omitempty"`      // where it came from; two with one id are one turn
	Role    string    `json:"role,omitempty"`    // user, assistant, tool, system
	Speaker string    `json:"speaker,omitempty"` // a name, where more than roles are known
	Kind    string    `json:"kind,omitempty"`    // AsksTools, Hidden; "" said aloud
	At      time.Time `json:"at,omitzero"`
	Text    string    `json:"text"`

	Line       int `json:"-"` // 1-based line of the file
	Offset     int `json:"-"` // byte of the file at which that line begins
	Start, End int `json:"-"` // of Text in the page's Body
}

// Who is the turn's speaker as shown: the name, else the role.
func (t *Turn) Who() string { return cmp.Or(t.Speaker, t.Role, "unknown") }

// IsSession reports whether the page is a session.
func (p Path) IsSession() bool {
	return strings.HasPrefix(string(p), "sessions/") && strings.HasSuffix(string(p), "/"+SessionFile) && strings.Count(string(p), "/") == 3
}

// SessionPath is where a session of that id lies that began at a time.
func SessionPath(id string, began time.Time) (Path, error) {
	return ParsePath("sessions/" + began.UTC().Format("2006-01") + "/" + id + "/" + SessionFile)
}

// parseSession reads the file of a session.
func (p *Page) parseSession(raw []byte) {
	p.found = &scan{}
	p.Type = "session"
	if !utf8.Valid(raw) { // a string's bad bytes become U+FFFD as its line is read
		p.problem(badLine(string(raw)), CodeNotUTF8, "the file is not UTF-8", "save the file as UTF-8")
	}
	lines := bytes.TrimPrefix(raw, []byte("\uFEFF"))
	head, body := Head{}, strings.Builder{}
	line, offset := 0, len(raw)-len(lines)
	for l := range bytes.Lines(lines) {
		line++
		at := offset
		offset += len(l)
		if l = bytes.TrimSpace(l); len(l) == 0 {
			continue
		}
		turn, h, ok := parseTurn(l)
		switch {
		case !ok:
			p.problem(line, CodeBadTurn, "the line is no turn of a session", "remove the line, or complete it")
		case h != nil && len(p.Turns) == 0:
			head = *h
		case turn.Text != "":
			turn.Line, turn.Offset = line, at
			p.addTurn(&body, turn)
		}
	}
	p.Body, p.BodyLine = body.String(), 1
	p.aboutSession(head)
}

// parseTurn reads one line: a turn, or what the first line says.
func parseTurn(line []byte) (t Turn, h *Head, ok bool) {
	var raw struct {
		Session, Agent, User, Title string
		Role, Speaker               string
		Source, ID, Kind, At        any // of a line that others wrote, they may be anything
		Text                        *string
	}
	if err := json.Unmarshal(line, &raw); err != nil {
		return Turn{}, nil, false
	}
	at := time.Time{}
	if s, ok := raw.At.(string); ok {
		at, _ = ParseDate(s)
	}
	word := func(v any) string { s, _ := v.(string); return s }
	if raw.Text == nil {
		h = &Head{Session: raw.Session, Agent: raw.Agent, User: raw.User, Title: raw.Title, Source: word(raw.Source), At: at}
		return Turn{}, h, raw.Session != ""
	}
	t = Turn{ID: word(raw.ID), Role: raw.Role, Speaker: raw.Speaker, Kind: word(raw.Kind), At: at, Text: strings.TrimSpace(*raw.Text)}
	return t, nil, true
}

// addTurn writes a turn into the body and takes its links. A hidden one, which
// nobody saw, is no part of what a person reads or searches.
func (p *Page) addTurn(b *strings.Builder, t Turn) {
	if t.Kind == Hidden {
		t.Start, t.End = b.Len(), b.Len()
		p.Turns = append(p.Turns, t)
		return
	}
	if b.Len() > 0 {
		b.WriteString("\n\n")
	}
	b.WriteString(t.Who())
	if !t.At.IsZero() {
		b.WriteString(t.At.Format(" (2006-01-02 15:04)"))
	}
	b.WriteString(": ")
	t.Start = b.Len()
	b.WriteString(t.Text)
	t.End = b.Len()
	p.Turns = append(p.Turns, t)
	if !strings.Contains(t.Text, "[[") {
		return
	}
	for _, l := range scanFrom(t.Text, 1, false, p.words).links {
		if l.Kind == Wiki || l.Kind == Embed {
			l.Line = t.Line
			p.Links = append(p.Links, l)
		}
	}
}

// aboutSession fills in what the turns leave open.
func (p *Page) aboutSession(h Head) {
	p.Agent = strings.ToLower(cmp.Or(h.Agent, DefaultAgent))
	p.At = h.At
	for _, t := range p.Turns {
		if p.At.IsZero() {
			p.At = t.At
		}
		if !t.At.IsZero() {
			p.Updated = t.At
		}
	}
	p.Created = p.At
	p.declared.title = h.Title
	if p.Title = p.clip(strings.TrimSpace(h.Title), 1); p.Title == "" {
		p.Title = p.speakers()
	}
	if len(p.Turns) == 0 {
		p.problem(1, CodeEmpty, "the session has no turns", "delete its folder")
	}
}

// speakers names a session without a title: who spoke, and when.
func (p *Page) speakers() string {
	var names []string
	seen := map[string]bool{}
	for i := range p.Turns {
		if who := p.Turns[i].Who(); p.Turns[i].Kind != Hidden && !seen[who] && len(names) < 4 {
			seen[who] = true
			names = append(names, who)
		}
	}
	title := strings.Join(names, ", ")
	if !p.At.IsZero() {
		title = strings.TrimPrefix(title+", ", ", ") + p.At.Format("2 January 2006")
	}
	return cmp.Or(title, p.Path.Stem())
}

// turnChunks cuts the turns into the pieces that are embedded: each with its
// speaker, none longer than the chunks of other pages.
func (p *Page) turnChunks() []Chunk {
	var out []Chunk
	for n := range p.Turns {
		t := &p.Turns[n]
		if t.Kind == Hidden {
			continue
		}
		who := t.Who() + ": "
		for at := 0; at < len(t.Text); {
			rest := t.Text[at:]
			piece := rest
			if limit := byteOffset(rest, targetChunk); limit < len(rest) {
				piece = rest[:cutPiece(rest, limit)]
			}
			out = append(out, Chunk{N: len(out), Start: t.Start + at, End: t.Start + at + len(piece), Line: t.Line, Embed: who + piece, Turn: n + 1})
			at += len(piece)
		}
	}
	return out
}

// ReadTurn reads the turn that begins at a byte of a session's file; ok is
// false when there is none (any more).
func ReadTurn(raw []byte, offset int) (t Turn, ok bool) {
	if offset < 0 || offset >= len(raw) {
		return Turn{}, false
	}
	line, _, _ := bytes.Cut(raw[offset:], []byte("\n"))
	t, h, ok := parseTurn(line)
	return t, ok && h == nil && t.Text != ""
}

// Terms gives what a turn is searched by, its speaker and its words, and how
// many words it has; a hidden one is not searched.
func (t *Turn) Terms(emit func(text.Term)) int {
	if t.Kind == Hidden {
		return 0
	}
	return text.Terms(t.Who()+": "+t.Text, emit)
}
