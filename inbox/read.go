package inbox

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"brain/page"
	"brain/text"
)

// Conversations that other programs kept are read here, each format in a file of
// its own (read_jsonl.go, read_claudecode.go, …), and become Sessions:
//
//	bytes → records: lines, or members of a JSON array   (records.go)
//	record → turns of a talk                             (a reader; blocks.go)
//	talks → Session, once each                           (gather)
//
// What is read may be half written, of another program's next version, or hostile.
// So one record never spoils another: what cannot be used is set aside with its
// number, and no record is held beyond maxRecord bytes. The same bytes give the
// same sessions, and whoever reads a file that has grown gets the turns that it
// got before, and those behind them, so that Add knows a replay. (Of a plain text the
// last turn may have grown, too, or those since a private span began are one.)

// ErrFormat is the error for an input that is no conversation in a known format.
var ErrFormat = errors.New("not a conversation in a known format")

// Format is the form in which a conversation was kept.
type Format string

const (
	Auto       Format = "auto"        // told from the first lines
	JSONL      Format = "jsonl"       // messages: role, text, at
	ClaudeCode Format = "claude-code" // a transcript of Claude Code
	Codex      Format = "codex"       // a rollout of Codex
	ChatGPT    Format = "chatgpt"     // conversations.json of a ChatGPT export
	Claude     Format = "claude"      // conversations.json of a Claude export
	Text       Format = "text"        // lines that say who speaks, or none
)

// Formats lists what --format may be.
var Formats = []Format{Auto, JSONL, ClaudeCode, Codex, ChatGPT, Claude, Text}

// ReadOptions says what the bytes themselves do not.
type ReadOptions struct {
	Format Format // "" is Auto
	Name   string // of the file, "" for none: part of an id where the input has none, and of messages

	// What each session is given. Empty: what the input says.
	Agent, User, Source string
	// ID of the one session that the input holds. Empty: the input's, in the form
	// of SessionID.
	ID string
}

// Skipped is what of an input was set aside.
type Skipped struct {
	Unit  string // what N counts: "line", "conversation" or "message"
	N     int    // how many were
	First []Skip // the first thousand of them
}

// Skip is one thing that was set aside.
type Skip struct {
	N   int // its number, from 1; 0 when it is no single one, such as the rest of a file that was cut
	Why string
}

const (
	maxRecord  = 64 << 20  // bytes of a line, or of a conversation of an export
	maxHeld    = 128 << 20 // bytes of text of the sessions that are not given away yet
	maxOpen    = 64        // sessions in one file whose lines may be mixed
	maxSkipped = 1000
)

// ReadSessions reads the conversations of r and hands over each. One whose lines are
// mixed with those of over 64 others, or that is larger than 128 MiB, comes in
// pieces with the same id. It ends with the error of each, of r, or ErrFormat.
func ReadSessions(r io.Reader, o ReadOptions, each func(Session) error) (Skipped, error) {
	in := newInput(r)
	g := &gather{o: o, each: each, skipped: Skipped{Unit: "line"}}
	format, err := in.detect(o.Format)
	if err == nil {
		err = readers[format](in, g)
	}
	if err == nil {
		err = g.flush()
	}
	if err != nil && o.Name != "" {
		err = fmt.Errorf("%s: %w", o.Name, err)
	}
	return g.skipped, err
}

var readers = map[Format]func(*input, *gather) error{
	JSONL: readJSONL, ClaudeCode: readClaudeCode, Codex: readCodex, ChatGPT: readExport, Claude: readExport, Text: readText,
}

// talk is a session on its way.
type talk struct {
	Session
	key  string // what the input calls it
	size int
	used int             // when it last got something
	said map[string]bool // ids of its turns
}

// gather holds the talks of an input until they are whole.
type gather struct {
	o       ReadOptions
	each    func(Session) error
	open    []*talk // in the order in which they appeared
	size    int
	clock   int
	skipped Skipped

	nameless string             // the id of what the input gives none
	heads    map[string]Session // what was said of talks that were handed over, by their key
}

// talk gives the talk that the input calls so. Others, or what this one got so far,
// may be handed over first: it is asked for once for each record.
func (g *gather) talk(key string) (*talk, error) {
	for g.size > maxHeld {
		if err := g.close(g.stalest()); err != nil {
			return nil, err
		}
	}
	g.clock++
	if i := slices.IndexFunc(g.open, func(t *talk) bool { return t.key == key }); i >= 0 {
		g.open[i].used = g.clock
		return g.open[i], nil
	}
	if g.o.ID != "" && len(g.open) > 0 {
		return nil, fmt.Errorf("%w: one id is given, and the input holds several conversations", ErrInvalid)
	}
	t := &talk{Session: g.heads[key], key: key, used: g.clock, said: map[string]bool{}}
	t.ID = SessionID(key)
	g.open = append(g.open, t)
	if len(g.open) > maxOpen {
		return t, g.close(g.stalest())
	}
	return t, nil
}

// stalest is the open talk that got nothing for the longest time.
func (g *gather) stalest() *talk {
	return slices.MinFunc(g.open, func(a, b *talk) int { return a.used - b.used })
}

// add appends a turn to a talk.
func (g *gather) add(t *talk, turn page.Turn) {
	if strings.TrimSpace(turn.Text) == "" {
		return
	}
	if t.said[turn.ID] {
		turn.ID = "" // what one id is given to twice is told apart by what it says
	}
	if turn.ID != "" {
		t.said[turn.ID] = true
	}
	if !validTime(turn.At) {
		turn.At = time.Time{}
	}
	t.Turns = append(t.Turns, turn)
	size := len(turn.Text) + len(turn.ID) + 128
	t.size += size
	g.size += size
}

// close hands a talk over.
func (g *gather) close(t *talk) error {
	g.open = slices.DeleteFunc(g.open, func(o *talk) bool { return o == t })
	g.size -= t.size
	if len(t.Turns) == 0 {
		return nil
	}
	s := t.Session
	g.remember(t)
	s.Agent, s.User, s.Source = cmp.Or(g.o.Agent, s.Agent), cmp.Or(g.o.User, s.User), cmp.Or(g.o.Source, s.Source)
	if !validTime(s.At) {
		s.At = time.Time{}
	}
	if s.ID == "" && g.o.ID == "" {
		g.nameless = cmp.Or(g.nameless, g.made(&s)) // of the first piece of several
	}
	s.ID = cmp.Or(g.o.ID, s.ID, g.nameless)
	return g.each(s)
}

// remember keeps whose a talk is for a further piece of it.
func (g *gather) remember(t *talk) {
	if t.Agent+t.User+t.Title+t.Source == "" && t.At.IsZero() {
		return
	}
	if g.heads == nil {
		g.heads = map[string]Session{}
	}
	g.heads[t.key] = Session{Agent: t.Agent, User: t.User, Title: t.Title, Source: t.Source, At: t.At}
}

// flush hands over what is left.
func (g *gather) flush() error {
	for len(g.open) > 0 {
		if err := g.close(g.open[0]); err != nil {
			return err
		}
	}
	return nil
}

// skip sets something aside.
func (g *gather) skip(n int, why string) {
	if g.skipped.N++; len(g.skipped.First) < maxSkipped {
		g.skipped.First = append(g.skipped.First, Skip{n, why})
	}
}

// made is the id of a session that has none: by its day, or else its file, and by what
// is said first and when, so that it is the same when more of it is read, and another
// for another conversation of that day that begins with the same words.
func (g *gather) made(s *Session) string {
	first := &s.Turns[0]
	name, when := stem(g.o.Name), ""
	for _, at := range []time.Time{first.At, s.At} {
		if !at.IsZero() {
			name, when = at.UTC().Format("20060102"), at.UTC().Format(time.RFC3339Nano)
		}
	}
	return idOf(name, strings.Join([]string{s.Agent, s.User, when, first.Role, first.Speaker, first.Text}, "\n"))
}

// stem is a file's name without folders and ending.
func stem(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		name = name[:dot]
	}
	return name
}

// SessionID is the form that a session's id from elsewhere has here: itself where it
// can be one, else as near as can be with a hash behind, so that no two ids become one.
func SessionID(given string) string {
	if given == "" || validID().MatchString(given) {
		return given
	}
	return idOf(given, given)
}

// idOf makes an id that a person recognises of a name, and one apart of what is hashed.
func idOf(name, hashed string) string {
	const longest = 48
	sum := sha256.Sum256([]byte(hashed))
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case b.Len() == longest:
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '_' && b.Len() > 0:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.TrimPrefix(strings.TrimRight(b.String(), "-")+"-", "-") + hex.EncodeToString(sum[:6])
}

// brief is a text on one line, at most so many bytes long.
func brief(s string, most int) string { return text.Clip(strings.Join(strings.Fields(s), " "), most) }
