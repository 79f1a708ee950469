package page

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRelink(t *testing.T) {
	for _, c := range []struct{ name, raw, target, want string }{
		{"wikilinks", "[[Old]] [[old|Old]] [[Old#H|l]] [[Old#^b]] ![[Old]] [[ Old ]] [[other]]", "notes/新",
			"[[notes/新]] [[notes/新|Old]] [[notes/新#H|l]] [[notes/新#^b]] ![[notes/新]] [[ notes/新 ]] [[other]]"},
		{"in a table", "| a |\n|---|\n| [[old\\|b]] |\n", "n", "| a |\n|---|\n| [[n\\|b]] |\n"},
		{"Markdown links", "[a](old.md) [b](../old) [c](/old.md#h) [d](<old.md>) [e]( old.md \"old\") [f](./old.md?raw=1)", "../x/新.md",
			"[a](../x/新.md) [b](../x/新.md) [c](../x/新.md#h) [d](<../x/新.md>) [e]( ../x/新.md \"old\") [f](../x/新.md?raw=1)"},
		{"what must be encoded", "[a](old.md) [b](<old.md>)", "b c#1 (x.md", "[a](b%20c%231%20%28x.md) [b](<b c%231 (x.md>)"},
		{"brackets in pairs", "[a](old.md)", "b(c).md", "[a](b(c).md)"},
		{"Chinese, encoded where it was", "[a](old.md) [b](%6Fld.md) [c](%E6%97%A7.md)", "新.md", "[a](新.md) [b](新.md) [c](%E6%96%B0.md)"},
		{"definitions serve all their links", "[a][r] [r]\n\n[r]: old.md 'old'\n[s]: old.md\n", "new.md", "[a][r] [r]\n\n[r]: new.md 'old'\n[s]: old.md\n"},
		{"a label with a link", "[![[old]]](old.md)", "new", "[![[new]]](new)"},
		{"mentions", "- owner: @old\n\nask @old.", "ann", "- owner: @ann\n\nask @ann."},
		{"a mention of what is no slug", "- owner: @old\n\n问 @old。", "文/李安", "- owner: [[文/李安]]\n\n问 [[文/李安]]。"},
		{"a mention of what no link holds", "ask @old", "a|b", ""},
		{"a name that no wikilink holds", "[[old]]", "a|b", ""},
		{"a name that no Markdown link holds", "[a](old.md)", "", ""},
		{"a host", "[a](old.md)", "//x", ""},
		{"no code, no comment", "`[[old]]` <!-- [[old]] -->\n\n```\n[[old]]\n```\n[[old]]", "new", "`[[old]]` <!-- [[old]] -->\n\n```\n[[old]]\n```\n[[new]]"},
		{"relations", "- depends on [[old]], [[x]]\nowner:: [[old]]\n", "新", "- depends on [[新]], [[x]]\nowner:: [[新]]\n"},
		{"front matter", "---\nlinks:\n  - to: old # old\n    type: old\n    note: old\n  - \"[[old#H|old]]\"\n  - 'old'\nup: [[old]] # up\nrelated: [\"[[old]]\", x]\nold: old\n---\nold", "n/新",
			"---\nlinks:\n  - to: n/新 # old\n    type: old\n    note: old\n  - \"[[n/新#H|old]]\"\n  - 'n/新'\nup: [[n/新]] # up\nrelated: [\"[[n/新]]\", x]\nold: old\n---\nold"},
		{"a key of type before to", "---\nlinks: [{type: old, to: old}]\n---\n", "new", "---\nlinks: [{type: old, to: new}]\n---\n"},
		{"what needs quotes", "---\nlinks:\n  - old\n  - {to: old}\n  - 'old'\nup: [[old#x]]\n---\n", "it's: new", "---\nlinks:\n  - \"it's: new\"\n  - {to: \"it's: new\"}\n  - 'it''s: new'\nup: \"[[it's: new#x]]\"\n---\n"},
		{"a name in a path list", "---\nrelated:\n  - a/old\n---\n", "new", "---\nrelated:\n  - \"[[new]]\"\n---\n"},
		{"a block that is no YAML", "---\ntitle: a: b\nlinks:\n  - old\n---\n[[old]]", "new", "---\ntitle: a: b\nlinks:\n  - new\n---\n[[new]]"},
		{"one mapping", "---\n{links: [old], x: y}\n---\n", "new", "---\n{links: [new], x: y}\n---\n"},
		{"an alias", "---\nup: &u \"[[old]]\"\nrelated: *u\n---\n", "new", ""},
		{"to the web", "---\nlinks: [old]\n---\n", "https://x.y", ""},
		{"CRLF and a byte order mark", "\uFEFF---\r\nlinks: [old]\r\n---\r\n[[old]]\r\n", "new", "\uFEFF---\r\nlinks: [new]\r\n---\r\n[[new]]\r\n"},
		{"a body that is not UTF-8", "caf\xe9 [[old]] \xff", "新", "caf\xe9 [[新]] \xff"},
		{"a name that would be another file", "[a](old) [[old]]", "x.py", "[a](x.py.md) [[x.py.md]]"},
		{"a name that would be a web address", "[a](old.md)", "ab:c.md", "[a](./ab:c.md)"},
		{"the same again", "[[old]] [x](old.md)", "old", "[[old]] [x](old)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Relink("a/page.md", []byte(c.raw), func(l Link) (string, bool) {
				name := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(trimMD(l.Target), "../"), "./"), "/")
				return c.target, strings.EqualFold(name, "old") || name == "旧" || name == "a/old"
			})
			switch {
			case c.want == "" && !errors.Is(err, ErrSplice):
				t.Errorf("error %v, want ErrSplice\n%s", err, got)
			case c.want != "" && err != nil:
				t.Error(err)
			case string(got) != c.want && err == nil:
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// drawLinks is a page of links in all forms.
func drawLinks(t *rapid.T) string {
	target := rapid.SampledFrom([]string{"a", "b/c", "页面", "d e", "x-1", "it's"})
	body := []string{"[[%s]]", "[[%s|标签]]", "![[%s#H]]", "[l](<%s.md>)", "[l](/%s.md#h)", "- owner: [[%s]]\n", "`[[%s]]`", "@%s", "[[%s#^b1|x]]", "\n\n```\n[[%s]]\n```\n", "| [[%s\\|y]] |", "[%s][r]", "text %s "}
	front := []string{"links:\n  - %s\n  - to: \"%s\"\n    type: decided\n", "up: \"[[%s]]\"\n", "related: [\"[[%s|l]]\", '[[b/c#H]]']\n", "links: [{to: \"%s\", type: a}]\n", "up: [[%s]] # why\n", "links: \"[[%s]]\"\n", "title: %s\n"}
	var b strings.Builder
	if rapid.Bool().Draw(t, "front") {
		b.WriteString("---\n")
		for i, form := range rapid.SliceOfNDistinct(rapid.SampledFrom(front), 0, 4, func(s string) string { return s[:2] }).Draw(t, "keys") {
			v := target.Draw(t, "target")
			fmt.Fprintf(&b, strings.ReplaceAll(form, "%s", "%[1]s"), v)
			if i == 1 {
				b.WriteString("# [[a]]\n")
			}
		}
		b.WriteString("x: y\n---\n")
	}
	for _, form := range rapid.SliceOfN(rapid.SampledFrom(body), 0, 8).Draw(t, "body") {
		fmt.Fprintf(&b, form+rapid.SampledFrom([]string{" ", "\n", "\n\n", "，"}).Draw(t, "gap"), target.Draw(t, "target"))
	}
	if rapid.Bool().Draw(t, "definition") {
		b.WriteString("\n\n[r]: b/c.md 'title'\n")
	}
	if s := b.String(); rapid.Bool().Draw(t, "crlf") {
		return strings.ReplaceAll(s, "\n", "\r\n")
	}
	return b.String()
}

func TestRelinkWithoutChangeIsIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := drawLinks(t)
		var asked []Link
		got, err := Relink("n/p.md", []byte(raw), func(l Link) (string, bool) { asked = append(asked, l); return "x", false })
		if err != nil || string(got) != raw {
			t.Fatalf("%v\n%s\nwas\n%s", err, got, raw)
		}
		if links := Parse("n/p.md", []byte(raw)).Links; !slices.Equal(links, asked) {
			t.Fatalf("asked about %+v, the page has %+v", asked, links)
		}
	})
}

// Every link that leads to one target leads to another afterwards, with the
// heading it had; all others are as before.
func TestRelinkThenParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := drawLinks(t)
		old := rapid.SampledFrom([]string{"a", "b/c", "页面", "x-1"}).Draw(t, "old")
		target := rapid.SampledFrom([]string{"q/new", "新页", "n-2", "x y/z", "v1.2"}).Draw(t, "new")
		leads := func(l Link) bool {
			return strings.Trim(trimMD(l.Target), "/") == old && (l.Kind == FrontMatter || l.Kind == Wiki || l.Kind == Embed || l.Kind == Markdown)
		}
		got, err := Relink("n/p.md", []byte(raw), func(l Link) (string, bool) { return target, leads(l) })
		if err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
		before, after := Parse("n/p.md", []byte(raw)), Parse("n/p.md", got)
		if len(before.Links) != len(after.Links) || strings.Count(raw, "\n") != strings.Count(string(got), "\n") {
			t.Fatalf("%d links, then %d\n%s\nwas\n%s", len(before.Links), len(after.Links), got, raw)
		}
		for i, l := range before.Links {
			want := l.Target
			if leads(l) {
				want = target
			}
			if g := after.Links[i]; g.Target != want || g.Fragment != l.Fragment || g.Line != l.Line || g.Kind != l.Kind {
				t.Fatalf("%+v became %+v, want %s\n%s\nwas\n%s", l, g, want, got, raw)
			}
		}
	})
}

func TestSessionsAreNotRelinked(t *testing.T) {
	raw := `{"role":"user","text":"see [[old]]"}` + "\n"
	got, err := Relink("sessions/2026-01/s/messages.jsonl", []byte(raw), func(Link) (string, bool) { return "new", true })
	if err != nil || string(got) != raw {
		t.Errorf("%v: %s", err, got)
	}
}

// One definition cannot lead two links to two pages.
func TestRelinkOfHalfADefinition(t *testing.T) {
	got, err := Relink("x.md", []byte("[a][r]\n[b][r]\n\n[r]: old.md\n"), func(l Link) (string, bool) { return "new.md", l.Label == "a" })
	if !errors.Is(err, ErrSplice) || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("%v\n%s", err, got)
	}
}

// A relation of the schema pack makes links of keys that are none without it.
func TestRelinkByPack(t *testing.T) {
	raw := []byte("---\nguards: a/old\n---\n[[a/old]]\n")
	to := func(l Link) (string, bool) { return "b/新", l.Target == "a/old" }
	k := mustPack(t, "relations: {guards: {verbs: [guards]}}")
	if got, err := k.Relink("x.md", raw, to); err != nil || string(got) != "---\nguards: b/新\n---\n[[b/新]]\n" {
		t.Errorf("%v\n%s", err, got)
	}
	if got, err := (*Pack)(nil).Relink("x.md", raw, to); err != nil || string(got) != "---\nguards: a/old\n---\n[[b/新]]\n" {
		t.Errorf("without a pack: %v\n%s", err, got)
	}
}

func FuzzRelink(f *testing.F) {
	for _, s := range []string{"[[a]] [b](a.md) @aa [c][r]\n\n[r]: a.md\n", "---\nlinks: [a, {to: a}]\nup: [[a]]\n---\n![[a#b|c]]", "- owner: [x](<a>)\n| [[a\\|b]] |\n", "[a](%61.md#x) [b](a\\#c) [[a|b|c]]"} {
		f.Add([]byte(s), "new")
	}
	f.Fuzz(func(t *testing.T, raw []byte, target string) {
		same, err := Relink("x/p.md", raw, func(Link) (string, bool) { return target, false })
		if err != nil || string(same) != string(raw) {
			t.Fatalf("%v\n%q\nwas\n%q", err, same, raw)
		}
		got, err := Relink("x/p.md", raw, func(l Link) (string, bool) { return target, l.Line%2 == 1 })
		if err != nil {
			if !errors.Is(err, ErrSplice) {
				t.Fatal(err)
			}
			return
		}
		if a, b := Parse("x/p.md", raw), Parse("x/p.md", got); len(a.Links) != len(b.Links) || len(a.Keys) != len(b.Keys) {
			t.Fatalf("%d links, %d keys, then %d, %d\n%q\nwas\n%q", len(a.Links), len(a.Keys), len(b.Links), len(b.Keys), got, raw)
		}
	})
}
