package evals

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

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

// tree is one brain's folder with the documents planted in it.
type tree struct {
	scope  string
	dir    string
	root   store.Root
	brain  string
	ids    map[page.Path]string // document at a path
	paths  map[string]page.Path // path of a document
	newest time.Time            // of the documents' dates; zero when none has one

	made map[string]bool // folders
}

func newTree(scope, dir string) *tree {
	return &tree{scope: scope, dir: dir, ids: map[page.Path]string{}, paths: map[string]page.Path{}, made: map[string]bool{}}
}

// plant streams the set's documents into trees, by brainOf their scope.
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
		if t := trees[s.brainOf(d.Scope)]; t != nil { // else no question asks there
			return t.add(d, r)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if next != len(s.Docs) {
		return fmt.Errorf("%w: %s changed while it was read: %d of %d documents came again", ErrData, s.docsFile, next, len(s.Docs))
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
	if d.Date.After(t.newest) {
		t.newest = d.Date
	}
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
