package evals

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"brain/inbox"
	"brain/page"
	"brain/store"
)

// The documents of a scope become the files of one brain. A document is named
// by the path the set gives it, else by a running number in the order of the
// file: an id like "answer_17" or "conv-26/D1:3" would hand the engine what it
// is asked to find. The map from path back to id never touches the disk.
//
// A file's front matter holds what a person would have written there: title,
// date, language. What else a set has (answers, bibliographies, roles) is left
// out. A text that brings front matter of its own is written as it is.
//
// Where passages are asked for, turns of conversations become what they were:
// the turns of sessions, kept through the inbox as any session is. A session is
// named by a running number too.

// tree is one brain's folder with the documents planted in it.
type tree struct {
	scope  string
	dir    string
	root   store.Root
	brain  string
	ids    map[page.Path]string // document at a path
	paths  map[string]page.Path // path of a document
	newest time.Time            // of the documents' dates; zero when none has one

	sessions bool                   // turns become sessions, not pages
	turns    map[page.Path][]string // the documents that are a session's turns, in order
	talks    []*talk                // sessions to be written, in order of their first turns
	talkOf   map[string]*talk

	made map[string]bool // folders
}

// talk is a session in the making.
type talk struct {
	said []page.Turn
	ids  []string
}

func newTree(scope, dir string) *tree {
	return &tree{
		scope: scope, dir: dir, ids: map[page.Path]string{}, paths: map[string]page.Path{},
		turns: map[page.Path][]string{}, talkOf: map[string]*talk{}, made: map[string]bool{},
	}
}

// plant streams the set's documents into trees, by brainOf their scope. Turns
// of one session need not follow each other in the file, so those are held in
// memory until its end.
func (s *Set) plant(ctx context.Context, trees map[string]*tree) error {
	next := 0
	err := eachRecord(s.docsFile, func(line int, r record) error {
		if next == len(s.Docs) || s.Docs[next].line != line {
			return nil
		}
		d := &s.Docs[next]
		next++
		if err := ctx.Err(); err != nil {
			return err
		}
		switch t := trees[s.brainOf(d.Scope)]; {
		case t == nil:
			return nil // no question asks there
		case t.sessions && d.Turn:
			t.say(d, r)
			return nil
		default:
			return t.add(d, r)
		}
	})
	if err != nil {
		return err
	}
	if next != len(s.Docs) {
		return fmt.Errorf("%w: %s changed while it was read: %d of %d documents came again", ErrData, s.docsFile, next, len(s.Docs))
	}
	for _, t := range trees {
		if err := t.keepTalks(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) add(d *Doc, r record) error {
	name, err := t.name(d)
	if err != nil {
		return err
	}
	content := fileOf(r, d.Date)
	if err := t.write(name, content); err != nil {
		return fmt.Errorf("plant document %q: %w", d.ID, err)
	}
	t.ids[name], t.paths[d.ID] = d.ID, name
	t.dated(d)
	return nil
}

func (t *tree) dated(d *Doc) {
	if d.Date.After(t.newest) {
		t.newest = d.Date
	}
}

// say adds a turn to its session. Who speaks is told by the field of that name
// and no longer by the text. A turn without text was not said, and has no path.
func (t *tree) say(d *Doc, r record) {
	turn := page.Turn{Role: r.text("role"), Speaker: r.text("speaker"), At: d.Date, Text: r.text("text")}
	if turn.Speaker != "" {
		turn.Text = strings.TrimPrefix(turn.Text, turn.Speaker+": ")
	}
	turn.Text = strings.TrimSpace(strings.ReplaceAll(turn.Text, "\x00", ""))
	if turn.Text == "" {
		return
	}
	key := sessionOf(d, r)
	k := t.talkOf[key]
	if k == nil {
		k = &talk{}
		t.talkOf[key] = k
		t.talks = append(t.talks, k)
	}
	k.said = append(k.said, turn)
	k.ids = append(k.ids, d.ID)
	t.dated(d)
}

// sessionOf tells the sessions of a tree apart: by the field of that name, else
// what was said in a scope on one day belongs together.
func sessionOf(d *Doc, r record) string {
	if s := r.text("session"); s != "" {
		return d.Scope + "\x00session " + s
	}
	day := r.text("date")
	if !d.Date.IsZero() {
		day = d.Date.Format(time.DateOnly)
	}
	return d.Scope + "\x00day " + day
}

// keepTalks writes the sessions.
func (t *tree) keepTalks(ctx context.Context) (err error) {
	if len(t.talks) == 0 {
		return nil
	}
	ib, err := inbox.Open(t.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ib.Close()) }()
	ib.Now = func() time.Time { return epoch }
	for i, k := range t.talks {
		a, err := ib.Add(ctx, inbox.Session{ID: fmt.Sprintf("s%04d", i+1), Turns: k.said})
		if err != nil {
			return fmt.Errorf("plant document %q: %w", k.ids[0], err)
		}
		if !a.New || a.Turns != len(k.ids) {
			return fmt.Errorf("%w: plant document %q: %d of %d turns were kept at %s, which was there before: %v", ErrData, k.ids[0], a.Turns, len(k.ids), a.Path, !a.New)
		}
		t.turns[a.Path] = k.ids
		for _, id := range k.ids {
			t.paths[id] = a.Path
		}
	}
	t.talks, t.talkOf = nil, nil
	return nil
}

// name gives a document its path: the set's own, else the next free number.
func (t *tree) name(d *Doc) (page.Path, error) {
	if d.Path == "" {
		for n := len(t.ids) + 1; ; n++ {
			p := page.Path(fmt.Sprintf("%06d.md", n))
			if _, taken := t.ids[p]; !taken {
				return p, nil
			}
		}
	}
	p, err := page.ParsePath(d.Path)
	if err != nil {
		return "", fmt.Errorf("%w: document %q: %w", ErrData, d.ID, err)
	}
	if other, taken := t.ids[p]; taken {
		return "", fmt.Errorf("%w: documents %q and %q have the same path %q", ErrData, other, d.ID, d.Path)
	}
	return p, nil
}

func (t *tree) write(p page.Path, content []byte) error {
	full := filepath.Join(t.dir, filepath.FromSlash(string(p)))
	if folder := path.Dir(string(p)); !t.made[folder] {
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			return err
		}
		t.made[folder] = true
	}
	f, err := os.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if _, err := f.Write(content); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// fileOf is the Markdown file of a document.
func fileOf(r record, date time.Time) []byte {
	text := r.text("text")
	if hasFrontMatter(text) {
		return []byte(text)
	}
	var b bytes.Buffer
	field := func(key, value string) {
		if value = strings.TrimSpace(value); value != "" {
			fmt.Fprintf(&b, "%s: %s\n", key, yamlString(value))
		}
	}
	field("title", r.text("title"))
	if !date.IsZero() {
		field("date", date.Format(time.RFC3339))
	}
	field("lang", r.text("lang"))
	if b.Len() == 0 {
		return []byte(text)
	}
	return []byte("---\n" + b.String() + "---\n\n" + text)
}

// hasFrontMatter reports whether a text opens with a fenced block: a first
// line "---", a line of the form "key:" next (a rule between paragraphs has
// none) and a closing fence.
func hasFrontMatter(text string) bool {
	text = strings.TrimPrefix(text, "\ufeff")
	first, rest, ok := strings.Cut(text, "\n")
	if !ok || strings.TrimRight(first, " \t\r") != "---" {
		return false
	}
	keys := false
	for line := range strings.SplitSeq(rest, "\n") {
		line = strings.TrimRight(line, " \t\r")
		if line == "---" || line == "..." {
			return keys
		}
		if key, _, ok := strings.Cut(line, ":"); ok && key != "" && !strings.ContainsAny(key, " \t#[{") {
			keys = true
		}
		if !keys && line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return false
}

// yamlString quotes a value so that YAML reads it back as this very text:
// what it does not count as printable is escaped.
func yamlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range strings.ToValidUTF8(s, string(utf8.RuneError)) {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c < 0x20 || c >= 0x7f && c < 0xa0 || c == 0x2028 || c == 0x2029 || c == 0xfeff || c == 0xfffe || c == 0xffff:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
