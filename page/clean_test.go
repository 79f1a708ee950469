package page

import (
	"slices"
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, raw, body, code string }{
		{"emphasis", "a **b** *c* __d__ _e_ ~~f~~ ==g== **h**i", "a b c d e f g hi", ""},
		{"names keep their signs", "snake_case __init__ 2*3 a == b x_y_z", "snake_case init 2*3 a == b x_y_z", ""},
		{"escapes and entities", `\*a\* &amp; &lt;b&gt; &#39;c&#39; &nope AT&T`, `*a* & <b> 'c' &nope AT&T`, ""},
		{"links keep their labels", "[a b](c.md) ![d](e.png) [[f/g]] [[h|i]] [[j#k]] <https://l.m> [^1]", "a b d g i j k https://l.m", ""},
		{"nested lists, tables, task items", "- a\n  - b\n    1. c\n- [x] d\n\n| e | f |\n|---|:-:|\n| g | h |\n\n---\n***\n", "a\nb\nc\nd\ne f\ng h", ""},
		{"a table without outer bars", "a | b\n--- | ---\nc | d\n", "a | b\nc d", ""},
		{"call-outs", "> [!warning]+ Mind the gap\n> text\n> > deeper", "Mind the gap text\ndeeper", ""},
		{"code spans are in both", "run `go test` now", "run go test now", "go test"},
		{"fences", "x\n```go main.go\nfmt.Println()\n```\ny", "x\ny", "main.go\nfmt.Println()"},
		{"a fence in a quote", "> ```\n> code\n> ```\n> text", "text", "code"},
		{"a fence in an item", "- a\n  ```\n  code\n  ```\n  b", "a\nb", "  code"},
		{"an unclosed fence", "```\ncode\nmore", "", "code\nmore"},
		{"indented code", "text\n\n    code\n\ntext", "text\ntext", "code"},
		{"no indented code in a list", "- a\n\n    b", "a\nb", ""},
		{"comments are found with little weight", "a <!-- b --> c %% d %% e", "a c e", "b\nd"},
		{"tags of HTML", "a<br>b H<sub>2</sub>O <img alt=\"pic\" src=\"x\"> <div class=\"k\">c</div> vector<int> <file>", "a b H2O pic c vector<int> <file>", ""},
		{"setext and rules", "a\n\n---\n\nb\n***\n", "a\nb", ""},
		{"front matter texts are searched", "---\nabstract: A\noverview: O\ndescription: D\ntags: [t]\n---\nb", "A\nO\nD\nt\nb", ""},
		{"soft breaks", "one\ntwo\n中文\n继续\n한국어\n단어\n", "one two 中文继续 한국어 단어", ""},
		{"hard breaks", "one  \ntwo\\\nthree", "one two three", ""},
		{"mathematics", "price $5 and $6, $a_1*b_2$\n\n$$\nx_1\n$$\n", "price $5 and $6, a_1*b_2", "$$\nx_1\n$$"},
		{"conflict markers", "<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> b\n", "mine\ntheirs", ""},
		{"footnotes", "a[^1]\n\n[^1]: note", "a\nnote", ""},
		{"definitions", "[a][b]\n\n[b]: c.md", "a", ""},
		{"undefined references stay", "x[0][1] [y]", "x[0][1] [y]", ""},
		{"MkDocs containers", "??? note \"Title\"\n    text [[x]]\n", "\"Title\"\ntext x", ""},
		{"MDX", "import X from 'y'\n\n<Sandpack>\n\ntext {/* hidden */}\n\n</Sandpack>", "import X from 'y'\ntext", "hidden"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Parse("f.md", []byte(c.raw)).Clean()
			if b := strings.TrimRight(got.Body, "\n"); b != c.body {
				t.Errorf("body\n%q\nwant\n%q", b, c.body)
			}
			if b := strings.TrimRight(got.Code, "\n"); b != c.code {
				t.Errorf("code\n%q\nwant\n%q", b, c.code)
			}
		})
	}
}

func TestHeadings(t *testing.T) {
	p := Parse("f.md", []byte("# *Title*\n\n## A `b` ##\n\nC\n---\n\n### D {#id}\n\n#tag\n\n####### no\n\n```\n# no\n```\n"))
	c := p.Clean()
	if c.Title != "Title" || !slices.Equal(c.Headings, []string{"A b", "C", "D"}) {
		t.Errorf("title %q, headings %q", c.Title, c.Headings)
	}
}

// Pages made to be slow are read in linear time; a test that hangs tells.
func TestHostilePages(t *testing.T) {
	for _, s := range []string{"[", "[[", "![", "[a](", "[a](b ", "`", "``a", "<!-- ", "<!-- \n", "{/* ", "{/*\n", "%%a\n", "$a", "$$\n", "<a ", "<pre\n", "* ", "_a", "> ", "- ", "#a ", "@a ", "[a]: b\n", "[[a]]", "[[a]]\n",
		"&a", "\\", "|", "| |\n", "====\n", "a\n---\n", "```\n", "~~~a\n", "a", "中", "e\u0301", "[^", "<", "](", "x\n\n    y\n", "1. ", "\t", "# a\n", "a. "} {
		raw := []byte(strings.Repeat(s, 1_000_000/len(s)))
		p := Parse("f.md", raw)
		c := p.Clean()
		if n := len(p.Chunks()); len(c.Body)+len(c.Code) > 4*len(raw) || n > len(raw) {
			t.Errorf("%q: %d bytes, %d chunks", s, len(c.Body), n)
		}
	}
}

func TestNoChunkOfBareDashes(t *testing.T) {
	p := Parse("f.md", []byte("| - | -- |\n|---|---|\n| — | - |\n\n- -\n- ...\n\n───\n\n- [ ] \n- [x] done\n"))
	chunks := p.Chunks()
	if len(chunks) != 1 || chunks[0].Embed != "f\ndone" {
		t.Errorf("%+v", chunks)
	}
}
