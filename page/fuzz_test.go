package page

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// Without the signs that open links, tags, entities, attributes, footnotes
// and containers, cleaning drops no letter, but for the language of a fence.
var (
	openers   = strings.NewReplacer("[", " ", "<", " ", "&", " ", "{", " ", "!", " ", "?", " ")
	fenceLine = regexp.MustCompile("(?m)^.*(```|~~~).*$")
)

// checkLetters states that no letter of a body is lost.
func checkLetters(t *testing.T, raw string) {
	p := Parse("notes/f.md", []byte(openers.Replace(raw)))
	c := p.Clean()
	shown := count(p.Title + strings.Join(c.Headings, " ") + c.Body + c.Code)
	for i, n := range count(fenceLine.ReplaceAllString(p.Body, "")) {
		if n > shown[i] {
			t.Fatalf("%d of the letter %c in the body, %d in the text\nbody %q\ntext %q\ncode %q", n, 'a'+i, shown[i], p.Body, c.Body, c.Code)
		}
	}
}

func count(s string) (n [26]int) {
	for i := 0; i < len(s); i++ {
		if c := s[i] | 0x20; c >= 'a' && c <= 'z' && s[i] < 0x80 {
			n[c-'a']++
		}
	}
	return n
}

// checkPage states what must hold for any file.
func checkPage(t *testing.T, raw []byte) {
	p := Parse("notes/f.md", raw)
	if string(p.Raw) != string(raw) {
		t.Fatal("Raw changed")
	}
	if s := strings.TrimPrefix(string(raw), "\uFEFF"); utf8.ValidString(s) {
		if !strings.HasSuffix(s, p.Body) {
			t.Fatal("Body is not the end of the file")
		}
		if want := 1 + strings.Count(s[:len(s)-len(p.Body)], "\n"); p.Body != "" && p.BodyLine != want {
			t.Fatalf("the body begins on line %d, not %d", want, p.BodyLine)
		}
	}
	checkLetters(t, string(raw))
	lines := 1 + strings.Count(string(raw), "\n")
	for _, l := range p.Links {
		if l.Target == "" || l.Type == "" || l.Line < 1 || l.Line > lines {
			t.Fatalf("link %+v", l)
		}
		for _, name := range l.Candidates(p.Path) {
			if strings.HasPrefix(name, "../") || strings.HasPrefix(name, "/") && !strings.HasPrefix(l.Target, "/") {
				t.Fatalf("%q leads out: %q", l.Target, name)
			}
		}
	}
	for _, k := range p.Chunks() {
		if k.Start < 0 || k.Start > k.End || k.End > len(p.Body) || k.Line < 1 || k.Line > lines || !utf8.ValidString(k.Embed) {
			t.Fatalf("chunk %d: %d..%d of %d, line %d", k.N, k.Start, k.End, len(p.Body), k.Line)
		}
	}
	if p.Hash() != Parse("other/g.md", raw).Hash() {
		t.Fatal("the hash depends on the place")
	}
	if f, _, closed := splitFrontMatter(strings.TrimPrefix(string(raw), "\uFEFF")); closed {
		compareReaders(t, string(raw)[min(f.start, len(raw)):min(f.end, len(raw))])
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "---\ntitle: x\ntags: [a]\n---\n# H\n\n[[A|b]] [c](d.md) @e #f\n", "---\n: \n---\n", "<!-- [[a]]\n\n-->\n```\nx\n", "a\n===\n- b\n  > c\n    d\n",
		"| a | b |\n|---|---|\n| `c|d` | [[e\\|f]] |\n", "[a][b]\n\n[b]: <c d.md> 't'\n", "$$\nx\n$$ %% y %% {/* z */}", "> [!note]- t\n> ```go x\n> y\n", "\uFEFF---\r\na: b\r\n---\r\n", "*a **b* c** __d__ ~~e~~ ==f==", "![[x]]![y](z.md)", "&amp;&#x41;&#0;\\*", "<<<<<<< a\nb\n=======\nc\n>>>>>>> d"} {
		f.Add([]byte(s))
	}
	if doc, err := os.ReadFile("../doc/format.md"); err == nil {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, raw []byte) { checkPage(t, raw) })
}

func FuzzFormat(f *testing.F) {
	f.Add("Title: x", "tag", "abstract\nof two lines", "fact", "- body\n", int64(1))
	f.Fuzz(func(t *testing.T, title, tag, abstract, fact, body string, at int64) {
		d := Draft{Title: title, Abstract: abstract, Body: body, Created: time.Unix(at%4e9, 0).UTC(), Facts: []Fact{{Text: fact}}}
		if tag != "" {
			d.Tags = []string{tag}
		}
		raw, err := Format(d)
		if err != nil {
			if !errors.Is(err, ErrDraft) {
				t.Fatal(err)
			}
			return
		}
		p := Parse("f.md", raw)
		if p.declared.title != strings.TrimSpace(title) || len(p.Facts) != 1 || p.Facts[0].Text != strings.TrimSpace(fact) || !p.Created.Equal(d.Created) && d.Created.Year() > 0 {
			t.Fatalf("title %q, facts %+v, created %v\n%s", p.Title, p.Facts, p.Created, raw)
		}
		if got, want := p.Abstract, strings.TrimSpace(abstract); got != want {
			t.Fatalf("abstract %q, want %q\n%s", got, want, raw)
		}
		want := strings.TrimRight(strings.ReplaceAll(body, "\r\n", "\n"), "\n")
		if got := strings.TrimRight(p.Body, "\n"); strings.TrimLeft(got, "\n") != strings.TrimLeft(want, "\n") {
			t.Fatalf("body %q, want %q", got, want)
		}
		for _, pr := range p.Problems {
			if pr.Code == CodeYAML || pr.Code == CodeUnclosed {
				t.Fatalf("%+v\n%s", pr, raw)
			}
		}
	})
}
