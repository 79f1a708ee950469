package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Wherever the strict reader accepts a block, yaml.v3 reads the same tree.
func TestStrictReaderAgreesWithYAML(t *testing.T) {
	scalars := []string{"x", "a b", "no", "0123", "1e3", "2024-05-01", "~", "null", `"q: x"`, "'it''s'", `"a"`, "a:b", "http://x.y/z", "-x", "--x", "a #b", "a: b", "x:", "[a, b]", "[]", `["a, b", 'c']`,
		"[a b, c]", "[[A]]", "{a: b}", "| ", ">-", "&a", "*a", "!t x", "%x", "@x", "`x`", "日本", "'", `"`, "[a", "[a,]", "[,a]", "- a", "? a", "=", "<<", "a,b", `a"b`, "a'b", "é", "...", "x\u2028y", "true", "[~]", "[a #b]", "[a:b]", "[-]", "[- a]", "''", `""`, `"" x`, "#c", "a\\b", `"a\\b"`, "---"}
	keys := []string{"title", "tags", "a.b", "external help", "x-y", "_k", "1a", "no", "null", "日", "<<", "a ", "-a", "?a", `"q"`}
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		value := rapid.SampledFrom(scalars)
		for range rapid.IntRange(0, 6).Draw(t, "lines") {
			key := rapid.SampledFrom(keys).Draw(t, "key")
			indent := strings.Repeat(" ", rapid.IntRange(0, 3).Draw(t, "indent"))
			switch rapid.IntRange(0, 6).Draw(t, "form") {
			case 0, 1:
				fmt.Fprintf(&b, "%s: %s\n", key, value.Draw(t, "v"))
			case 2:
				fmt.Fprintf(&b, "%s:\n%s- %s\n%s- %s\n", key, indent, value.Draw(t, "v"), indent, value.Draw(t, "w"))
			case 3:
				fmt.Fprintf(&b, "%s:\n%s- k: %s\n%s  l: %s\n", key, indent, value.Draw(t, "v"), indent, value.Draw(t, "w"))
			case 4:
				fmt.Fprintf(&b, "%s# %s\n", indent, value.Draw(t, "v"))
			case 5:
				fmt.Fprintf(&b, "%s:\n\n", key)
			case 6:
				fmt.Fprintf(&b, "%s%s\n", indent, value.Draw(t, "v"))
			}
		}
		src := b.String()
		if rapid.Bool().Draw(t, "crlf") {
			src = strings.ReplaceAll(src, "\n", "\r\n")
		}
		compareReaders(t, src)
	})
}

func compareReaders(t interface{ Errorf(string, ...any) }, src string) {
	fast, ok := readStrict(src, 2)
	if !ok {
		return
	}
	slow, err := parseYAML(src, 2)
	if err != nil {
		t.Errorf("the strict reader takes what yaml.v3 refuses: %v\n%q", err, src)
		return
	}
	if diff := cmp.Diff(spelled(slow), spelled(fast)); diff != "" {
		t.Errorf("readers differ (-yaml +strict):\n%s\n%q", diff, src)
	}
}

// spelled prints a tree with keys, values and lines.
func spelled(fields []field) string {
	var b strings.Builder
	var show func(n node)
	show = func(n node) {
		switch n.kind {
		case scalar:
			fmt.Fprintf(&b, "%q/%v", n.text, n.plain)
		case list:
			b.WriteString("[")
			for _, i := range n.items {
				show(i)
				b.WriteString(" ")
			}
			b.WriteString("]")
		case mapping:
			b.WriteString("{")
			for _, f := range n.fields {
				fmt.Fprintf(&b, "%s@%d=", f.key, f.line)
				show(f.val)
				b.WriteString(" ")
			}
			b.WriteString("}")
		}
	}
	show(node{kind: mapping, fields: fields})
	return b.String()
}

func TestBombsAreBounded(t *testing.T) {
	aliases := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'j'; c++ {
		aliases += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.Repeat(fmt.Sprintf("*%c, ", c-1), 8)+fmt.Sprintf("*%c", c-1))
	}
	for name, block := range map[string]string{
		"alias bomb":          aliases,
		"alias of itself":     "a: &a [*a]\n",
		"scalar of 1 MB":      "abstract: " + strings.Repeat("word ", 200_000) + "\n",
		"title of 1 MB":       "title: X\nslug: " + strings.Repeat("x", 1<<20) + "\n",
		"deep flow":           "a: " + strings.Repeat("[", 100_000) + "\n",
		"deep maps":           "a: " + strings.Repeat("{a: ", 5000) + strings.Repeat("}", 5000) + "\n",
		"deep blocks":         "a:\n" + strings.Repeat("- ", 60_000) + "x\n",
		"100,000 keys":        strings.Repeat("k: v\n", 100_000),
		"100,000 tags":        "tags: [" + strings.Repeat("a, ", 100_000) + "b]\n",
		"100,000 broken tags": "tags: [" + strings.Repeat("a: b, ", 40_000) + "b]\n",
	} {
		t.Run(name, func(t *testing.T) {
			p := Parse("f.md", []byte("---\ntitle: The title\n"+block+"---\nThe body.\n"))
			if p.Title != "The title" || p.Body != "The body.\n" {
				t.Errorf("title %q, body %q", cut(p.Title, 50), p.Body)
			}
			if len(p.Tags) > maxNames || len(p.Problems) > 100 {
				t.Errorf("%d tags, %d problems", len(p.Tags), len(p.Problems))
			}
			for _, c := range p.Chunks() {
				if len(c.Embed) > 20_000 {
					t.Errorf("a chunk of %d bytes", len(c.Embed))
				}
			}
		})
	}
}
