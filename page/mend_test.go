package page

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMendsWhatHasOneRightAnswer(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"a colon in a title", "---\ntitle: Re: the plan\ntags: [a]\n---\nx\n", "---\ntitle: \"Re: the plan\"\ntags: [a]\n---\nx\n"},
		{"a full-width colon is none", "---\ntitle: 回复：计划\n---\nx\n", "---\ntitle: 回复：计划\n---\nx\n"},
		{"a Chinese title with a colon", "---\ntitle: 支付: 团队\n---\n正文\n", "---\ntitle: \"支付: 团队\"\n---\n正文\n"},
		{"a value that ends in a colon", "---\ntitle: Note:\n---\nx\n", "---\ntitle: \"Note:\"\n---\nx\n"},
		{"quotes and backslashes inside", "---\ntitle: C:\\x: the \"drive\"\n---\n", "---\ntitle: \"C:\\\\x: the \\\"drive\\\"\"\n---\n"},
		{"CRLF, byte order mark and blanks stay", "\uFEFF---\r\ntitle: a: b \r\nk: v  # why\r\n---\r\nx", "\uFEFF---\r\ntitle: \"a: b\" \r\nk: v  # why\r\n---\r\nx"},
		{"tabs", "---\ntags:\n\t- a\n\t- b\n---\nx\n", "---\ntags:\n  - a\n  - b\n---\nx\n"},
		{"a tab and a colon", "---\ntitle: a: b\ntags:\n\t- c\n---\n", "---\ntitle: \"a: b\"\ntags:\n  - c\n---\n"},
		{"a key said twice", "---\ntitle: A\nk: 1\ntitle: A\n---\nx\n", "---\ntitle: A\nk: 1\n---\nx\n"},
		{"a list said twice, the second in another form", "---\ntags: [a, b]\n# mine\ntags:\n  - a\n  - b\n\nk: v\n---\n", "---\ntags: [a, b]\n# mine\n\nk: v\n---\n"},
		{"a key said twice with quotes", "---\ntitle: \"A\"\ntitle: A\n---\n", "---\ntitle: \"A\"\n---\n"},
		{"two values are for a person", "---\ntitle: A\ntitle: B\n---\n", "---\ntitle: A\ntitle: B\n---\n"},
		{"the third as the first, the second not", "---\nk: A\nk: B\nk: A\n---\n", "---\nk: A\nk: B\n---\n"},
		{"a path that lies", "---\npath: other/f.md\ntitle: A\n---\nx\n", "---\ntitle: A\n---\nx\n"},
		{"a path that is right", "---\npath: /notes/f\n---\nx\n", "---\npath: /notes/f\n---\nx\n"},
		{"the only key is a path that lies", "---\npath: g.md\n---\nx\n", "---\n---\nx\n"},
		{"a colon before what may be a comment is for a person", "---\ntitle: a: b # c\n---\n", "---\ntitle: a: b # c\n---\n"},
		{"a block that stays broken is left alone", "---\ntitle: a: b\nx: [1\n---\n", "---\ntitle: a: b\nx: [1\n---\n"},
		{"a tab inside a block of text is text", "---\nabstract: |\n  a\n  \tb\nk: x\nk: x\n---\n", "---\nabstract: |\n  a\n  \tb\nk: x\n---\n"},
		{"the second bears an anchor that is used", "---\na: &x 1\nk: 1\na: &y 1\nm: *y\n---\n", "---\na: &x 1\nk: 1\na: &y 1\nm: *y\n---\n"},
		{"a merge conflict is for a person", "---\n<<<<<<< a\ntitle: a: b\n=======\ntitle: c: d\n>>>>>>> e\n---\n", "---\n<<<<<<< a\ntitle: a: b\n=======\ntitle: c: d\n>>>>>>> e\n---\n"},
		{"no front matter", "title: a: b\n", "title: a: b\n"},
		{"Latin-1 is left alone", "---\ntitle: caf\xe9: x\n---\n", "---\ntitle: caf\xe9: x\n---\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, edits := Mend("notes/f.md", []byte(c.raw))
			if string(got) != c.want || (len(edits) == 0) != (c.raw == c.want) {
				t.Errorf("%q\nwant %q\nedits %+v", got, c.want, edits)
			}
		})
	}
}

func TestMendNamesTheLinesItChanged(t *testing.T) {
	_, edits := Mend("f.md", []byte("---\npath: g.md\ntitle: a: b\nk: 1\nk: 1\n---\n"))
	want := []Edit{
		{2, CodePath, "path: g.md", "", true},
		{3, CodeTitleColon, "title: a: b", `title: "a: b"`, false},
		{5, CodeDuplicateKey, "k: 1", "", true},
	}
	if !slices.Equal(edits, want) {
		t.Errorf("%+v\nwant %+v", edits, want)
	}
}

// Whatever the front matter: the body stays byte for byte, mending twice is
// mending once, no fault comes, and the page says what it said.
func TestMendChangesNothingElse(t *testing.T) {
	lines := []string{"title: A", "title: A: B", "title: \"A\"", "标题: 甲: 乙", "path: notes/f.md", "path: x.md", "tags: [a, b]", "tags:", "  - a", "\t- a", "\t- b: c",
		"k: v", "k: v # c", "k: a: b # c", "# c", "", "abstract: |", "  text: x", "\ttext", "facts:", "  - text: t", "    at: 2026-01-01", "k: &a x", "l: *a", "redirect: X", "{a: 1}", "k: 'x", "- x", "=======", "status: stale", "k: a:"}
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "ending")
		bom := rapid.SampledFrom([]string{"", "\uFEFF"}).Draw(t, "bom")
		body := rapid.SampledFrom([]string{"", "x\n", "title: A: B\n\tk\n---\n", "\n# H\r\n正文"}).Draw(t, "body")
		block := rapid.SliceOfN(rapid.SampledFrom(lines), 0, 8).Draw(t, "block")
		raw := []byte(bom + "---" + end + strings.Join(append(block, ""), end) + "---" + end + body)
		checkMend(t, raw)
	})
}

func checkMend(t interface{ Fatalf(string, ...any) }, raw []byte) {
	const path = Path("notes/f.md")
	was := Parse(path, raw)
	out, edits := Mend(path, raw)
	now := Parse(path, out)
	if len(edits) == 0 != bytes.Equal(raw, out) {
		t.Fatalf("%d edits\n%q\n%q", len(edits), raw, out)
	}
	if now.Body != was.Body || was.declared.title != now.declared.title || !slices.Equal(was.Tags, now.Tags) || was.Redirect != now.Redirect {
		t.Fatalf("the page says something else\n%q\n%q", raw, out)
	}
	for _, pr := range now.Problems {
		if countCode(now, pr.Code) > countCode(was, pr.Code) {
			t.Fatalf("%+v came\n%q\n%q", pr, raw, out)
		}
	}
	for _, e := range edits {
		if countCode(now, e.Code) >= countCode(was, e.Code) && countCode(now, CodeYAML) >= countCode(was, CodeYAML) {
			t.Fatalf("%s stays\n%q\n%q", e.Code, raw, out)
		}
	}
	if again, edits := Mend(path, out); len(edits) > 0 {
		t.Fatalf("mended twice\n%q\n%q\n%q", raw, out, again)
	}
	if !bytes.Equal(patched(raw, edits), out) {
		t.Fatalf("the edits do not tell what changed\n%q\n%q\n%+v", raw, out, edits)
	}
}

// patched applies the edits to the file, as who reads them would.
func patched(raw []byte, edits []Edit) []byte {
	var out []byte
	n := 0
	for l := range bytes.Lines(raw) {
		n++
		text := bytes.TrimRight(l, "\r\n")
		if len(edits) > 0 && edits[0].Line == n {
			if !edits[0].Gone {
				out = append(append(out, edits[0].New...), l[len(text):]...)
			}
			edits = edits[1:]
			continue
		}
		out = append(out, l...)
	}
	return out
}

func TestRetarget(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"plain", "---\nredirect: b\ntitle: A\n---\n", "---\nredirect: people/c\ntitle: A\n---\n"},
		{"quoted", "---\r\nredirect: \"b\"\r\n---\r\n", "---\r\nredirect: people/c\r\n---\r\n"},
		{"a wikilink", "---\nredirect: \"[[b]]\"\n---\nx", "---\nredirect: \"[[people/c]]\"\n---\nx"},
		{"with a comment", "---\nredirect: b # merged\n---\n", "---\nredirect: b # merged\n---\n"},
		{"none", "---\ntitle: A\n---\n", "---\ntitle: A\n---\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, edits := MendRedirect("a.md", []byte(c.raw), "people/c"); string(got) != c.want || (len(edits) == 0) != (c.raw == c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func FuzzMend(f *testing.F) {
	for _, s := range []string{"", "---\ntitle: a: b\n---\nx", "---\r\nk: 1\r\nk: 1\r\npath: x\r\n---\r\n", "---\ntags:\n\t- a\n...\n", "\uFEFF---\n{a: 1, a: 1}\n---\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { checkMend(t, raw) })
}
