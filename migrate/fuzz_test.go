package migrate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"brain/page"
)

// FuzzReaders: whatever a file holds, a reader ends without a panic, either with
// ErrFormat or with all of it accounted for.
func FuzzReaders(f *testing.F) {
	for _, name := range []string{"gbrain_fences", "basic-memory_notes", "server-memory_graph", "mem0_list", "mem0_openmemory"} {
		a, err := txtar.ParseFile("testdata/" + name + ".txtar")
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			f.Add(file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, format := range Formats() {
			name := "notes/a.md"
			if format.Name == "server-memory" || format.Name == "mem0" {
				name = "a.json"
			}
			src := &Source{FS: fstest.MapFS{name: {Data: raw, Mode: 0o644}, "brain.yml": {Mode: 0o644}}, Name: "in"}
			var all []Item
			err := format.Read(context.Background(), src, Options{Now: now}, func(it Item) error {
				all = append(all, it)
				return nil
			})
			if err != nil && !errors.Is(err, ErrFormat) {
				t.Fatalf("%s: %v", format.Name, err)
			}
			accounted(t, format.Name, raw, all, err)
		}
	})
}

func accounted(t *testing.T, format string, raw []byte, all []Item, err error) {
	t.Helper()
	pages := 0
	for _, it := range all {
		switch {
		case it.Page != nil && it.Page.Origin == "":
			pages++
			keepsText(t, format, raw, it.Page)
		case it.Page != nil:
			pages++
			if p := page.Parse(it.Page.Path, it.Page.Raw); p.Title == "" || p.Type != "entity" || len(p.Problems) > 0 {
				t.Errorf("%s: %+v", format, p)
			}
		case it.Dropped != nil && (it.Dropped.Where == "" || it.Dropped.Reason.Phrase() == string(it.Dropped.Reason)):
			t.Errorf("%s: %+v", format, it.Dropped)
		case it.Fact != nil && (it.Fact.ID == "" || strings.TrimSpace(it.Fact.Content) == ""):
			t.Errorf("%s: %+v", format, it.Fact)
		}
	}
	if err == nil && len(all) < 2 { // the settings of df-memory, or brain.yml, are one
		t.Errorf("%s: %d items of %q", format, len(all), raw)
	}
}

// keepsText: a page that was Markdown says what it said. Only a fence may leave it.
func keepsText(t *testing.T, format string, raw []byte, p *Page) {
	t.Helper()
	if format == "df-memory" && !bytes.Equal(raw, p.Raw) {
		t.Errorf("%q became %q", raw, p.Raw)
	}
	if bytes.Contains(raw, []byte("gbrain:")) {
		return
	}
	was, is := page.Parse(p.Path, raw), page.Parse(p.Path, p.Raw)
	if was.Body != is.Body || was.Title != is.Title || len(was.Facts) != len(is.Facts) {
		t.Errorf("%s: %q became %q", format, raw, p.Raw)
	}
}

// FuzzLines: of JSON lines, each is a record or dropped.
func FuzzLines(f *testing.F) {
	f.Add([]byte("{\"a\":1}\n{\"b\n\n[1,{}]\n\"x\"\n"))
	f.Add([]byte("\ufeff{\"results\":[{},{\"results\":[]}]}\r\n{}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		src := &Source{FS: fstest.MapFS{"a.jsonl": {Data: raw, Mode: 0o644}}, Name: "in"}
		if lined, err := src.isLines("a.jsonl"); err != nil || !lined {
			return
		}
		at := map[int]bool{}
		err := src.records(context.Background(), "a.jsonl", []string{"results"},
			func(it Item) error { at[lineIn(t, it.Dropped.Where)] = true; return nil },
			func(r *record) error { at[r.line] = true; return nil })
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range bytes.Split(bytes.TrimPrefix(raw, []byte("\ufeff")), []byte("\n")) {
			if text := bytes.TrimSpace(line); len(text) > 0 && !at[i+1] && !holdsNone(text) {
				t.Errorf("line %d of %q is neither a record nor dropped", i+1, raw)
			}
		}
	})
}

func lineIn(t *testing.T, where string) (n int) {
	t.Helper()
	_, digits, _ := strings.Cut(where, ":")
	if err := json.Unmarshal([]byte(digits), &n); err != nil {
		t.Fatalf("%q: %v", where, err)
	}
	return n
}

// holdsNone reports a line that is a list without records.
func holdsNone(line []byte) bool {
	var list []json.RawMessage
	var object map[string]json.RawMessage
	if json.Unmarshal(line, &list) == nil {
		return len(list) == 0
	}
	return json.Unmarshal(line, &object) == nil && object["results"] != nil
}

// TestAGraphComesBack: of any graph each note is in its page, and each relation is a
// link to the page of that name.
func TestAGraphComesBack(t *testing.T) {
	name := rapid.OneOf(rapid.SampledFrom([]string{"Ann", "ann", "水厂", "main.py", "C#", "a|b", "[[x]]", "A/B", "x^y", "2026-01-02", "no", "-", "a  b", "https://x.y", "README.md", "ß", "_x_", "`x`"}), rapid.StringN(1, 20, -1))
	text := rapid.OneOf(rapid.SampledFrom([]string{"a note", "```\nopen", "# head", "- x", "[[y]]", "---", "> q", "1. x", "a\n\nb", "<!-- x", "%% x"}), rapid.String())
	rapid.Check(t, func(rt *rapid.T) {
		g := newGraph("server-memory")
		for range rapid.IntRange(1, 6).Draw(rt, "nodes") {
			n := g.node(name.Draw(rt, "name"), "m:1")
			for range rapid.IntRange(0, 3).Draw(rt, "notes") {
				n.say(text.Draw(rt, "note"))
			}
			for range rapid.IntRange(0, 3).Draw(rt, "relations") {
				n.relate(rapid.SampledFrom([]string{"knows", "works_at", "is part of", "由…负责", "x [[y]]"}).Draw(rt, "relation"), name.Draw(rt, "to"), "m:1")
			}
		}
		at := map[page.Path]bool{}
		made := map[string]bool{}
		err := g.pages(Options{}, func(it Item) error {
			switch {
			case it.Page != nil:
				if at[it.Page.Path] {
					rt.Fatalf("two pages at %s", it.Page.Path)
				}
				at[it.Page.Path] = true
				made[it.Page.Origin] = true
				checkNode(rt, g, it.Page)
			case it.Dropped.Reason != AsText && it.Dropped.Reason != NotWritable:
				rt.Fatalf("%+v", it.Dropped)
			case it.Dropped.Reason == NotWritable:
				made[g.from+": "+it.Dropped.What] = true
			}
			return nil
		})
		if err != nil {
			rt.Fatal(err)
		}
	})
}

func checkNode(rt *rapid.T, g *graph, made *Page) {
	p := page.Parse(made.Path, made.Raw)
	var n *node
	for _, other := range g.order {
		if g.origin(other) == made.Origin {
			n = other
		}
	}
	if n == nil || madeOf(made.Path, made.Raw) != made.Origin {
		rt.Fatalf("no node for %q\n%s", made.Origin, made.Raw)
	}
	for _, note := range n.notes {
		first, _, _ := strings.Cut(note, "\n")
		if !strings.Contains(p.Body, "- "+first) || !utf8.ValidString(p.Body) {
			rt.Fatalf("no %q in\n%s", note, p.Body)
		}
	}
	for _, e := range n.edges {
		to := g.nodes[e.to]
		if to == nil {
			continue
		}
		path := strings.TrimSuffix(string(to.path), ".md")
		ok := false
		for _, l := range p.Links {
			ok = ok || l.Fragment == "" && (l.Target == path || l.Target == e.to && !to.common)
		}
		if !ok {
			rt.Fatalf("no link to %q (%s) in\n%s\n%+v", e.to, path, made.Raw, p.Links)
		}
	}
}
