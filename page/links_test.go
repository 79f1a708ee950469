package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// show prints a link as kind target#fragment type, with ← for a reverse edge.
func show(l Link) string {
	kind := [...]string{"wiki", "embed", "md", "mention", "front", "list"}[l.Kind]
	s := kind + " " + l.Target
	if l.Fragment != "" {
		s += "#" + l.Fragment
	}
	s += " " + l.Type
	if l.Reverse {
		s += " ←"
	}
	return s
}

func TestLinks(t *testing.T) {
	long := strings.Repeat("x", 70_000) // more than a field of the index counts
	for _, c := range []struct {
		name, raw string
		want      []string
	}{
		{"wikilinks", "[[A]] x [[B|label]] y [[C#Head]] z [[D#^b1]]", []string{"wiki A mentions", "wiki B mentions", "wiki C#Head mentions", "wiki D#^b1 mentions"}},
		{"embeds", "![[A]] ![[pic.png]]", []string{"embed A references"}},
		{"an escaped bar in a table", "| x | y |\n|---|---|\n| [[A\\|b]] | [[C]] |", []string{"wiki A mentions", "wiki C mentions"}},
		{"a link to the page itself", "[[#Head]] [x](#head)", nil},
		{"markdown links", "[a](b.md) [c](../d/e) [f](/g.md#h) [i](<j k.md>) [l](m%20n.md \"t\") [o](p(q).md)",
			[]string{"md b.md references", "md ../d/e references", "md /g.md#h references", "md j k.md references", "md m n.md references", "md p(q).md references"}},
		{"blanks in a bare destination", "[a](b c.md)", []string{"md b c.md references"}},
		{"links to the web and to other files", "[a](https://x.y) [b](mailto:a@b.c) [c](x.png) [d](y.pdf) ![e](z.png) [f](//h/i) <https://x.y> [g](obsidian://o)", nil},
		{"an image in a label", "[![alt](p.png)](b.md)", []string{"md b.md references"}},
		{"reference links", "[a][r] [r] [R][] [x][none]\n\n[r]: b.md \"t\"", []string{"md b.md references", "md b.md references", "md b.md references"}},
		{"mentions", "@ann and (@bob-x), 由@carl负责; a@mail.com @x @99 @Scope @types/node @site.com `@code`", []string{"mention ann mentions", "mention bob-x mentions", "mention carl works_on ←"}},
		{"nothing in code, comments and formulas", "`[[a]]` ``[[b]] ` ``\n\n```\n[[c]] #t\n```\n\n    [[d]]\n\n<!-- [[e]]\n\n[[f]] --> %% [[g]] %% $[[h]]$\n\n%%\n[[i]]\n\n[[j]]\n%%\n\n<pre>\n[[k]]\n</pre>\n~~~\n[[l]]", nil},
		{"an unclosed comment hides nothing", "<!-- [[a]] %% [[b]]", []string{"wiki a mentions", "wiki b mentions"}},
		{"prose bullet with a link in mid-sentence", "- We talked to [[Ann]] about the plan", []string{"wiki Ann mentions"}},
		{"relations in a list", "- depends on [[A]]\n- owner: [[B]], [[C]] — since May\n* 负责人：[[张三]]\n- produced_by [[S]]\n- [ ] ask [[D]]\n- the [[E]]",
			[]string{"list A depends_on", "list B works_on ←", "list C works_on ←", "list 张三 works_on ←", "list S produced_by", "wiki D mentions", "wiki E mentions"}},
		{"inline fields", "owner:: [[Ann]]", []string{"list Ann works_on ←"}},
		{"call-outs are no facts or relations", "> [!note]- Title\n> see [[A]]", []string{"wiki A references"}},
		{"front matter links", "---\nlinks:\n  - to: a/b\n    type: decided\n    source: verb\n  - \"[[C|d]]\"\n  - e\nrelated: \"[[F]]\"\nup: [[G]]\nattendees:\n  - \"[[H]]\"\nmy-key: \"[[I]]\"\nplain: J\n---\n",
			[]string{"front a/b decided", "front C references", "front e references", "front F related_to", "front G belongs_to", "front H attended ←", "front I my_key"}},
		{"links as one value", "---\nlinks: \"[[A]]\"\n---\n", []string{"front A references"}},
		{"links as an unquoted wikilink", "---\nlinks: [[A]]\n---\n", []string{"front A references"}},
		{"a word in double brackets with a destination", "[[x]](a.md)", []string{"md a.md references"}},
		{"links over two lines", "[long\nlabel](a.md) [b](\nc.md)", []string{"md a.md references", "md c.md references"}},
		{"what is too long for a name", "[[" + long + "]] @" + long + " [a](" + long + ".md) [[b]]", []string{"wiki b mentions"}},
		{"what is too long for a name, in front matter", "---\nlinks: [" + long + ", a]\nup: \"[[" + long + "]]\"\nb: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "\n---\n", []string{"front a references"}},
		{"a label that is a line break", "x [\n](a.md) [\n][r]\n\n[r]: b.md", []string{"md a.md references", "md b.md references"}},
		{"escaped brackets", `\[[a]] \[b](c.md)`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, l := range Parse("f.md", []byte(c.raw)).Links {
				got = append(got, show(l))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
		})
	}
}

func TestVerbs(t *testing.T) {
	for text, want := range map[string]string{
		"Ann works at [[X]].":                "works_at",
		"She joined [[X]] in May.":           "works_at",
		"Ann is the founder of [[X]].":       "founded",
		"The company was founded by [[X]].":  "founded ←",
		"[[X]] co-founded the company.":      "founded ←",
		"It belongs to [[X]].":               "belongs_to",
		"We decided to use [[X]].":           "decided",
		"This was decided by [[X]].":         "decided ←",
		"Report produced by [[X]].":          "produced_by",
		"The team produced [[X]].":           "produced_by ←",
		"Backed by [[X]] and others":         "invested_in ←",
		"She invested in [[X]].":             "invested_in",
		"He advises [[X]].":                  "advises",
		"Bob attended [[X]].":                "attended",
		"See [[X]].":                         "references",
		"He is responsible for [[X]].":       "works_on",
		"Maintained by [[X]].":               "works_on ←",
		"张三负责[[X]]":                          "works_on",
		"由 [[X]] 负责。":                        "works_on ←",
		"本项目属于[[X]]。":                        "belongs_to",
		"他就职于 [[X]]":                         "works_at",
		"公司由[[X]]创立":                         "founded ←",
		"创始人是[[X]]":                          "founded ←",
		"红杉投资了[[X]]":                         "invested_in",
		"我们决定采用[[X]]":                        "decided",
		"该报告由[[X]]产出":                        "produced_by",
		"他参加了[[X]]":                          "attended",
		"参见[[X]]":                            "references",
		"They decided. Then came [[X]].":     "mentions",
		"Our lives were shaped by [[X]].":    "mentions",
		"[[X]]'s founder left.":              "mentions",
		"The undecided reader meets [[X]].":  "mentions",
		"Ann is employed by [[X]].":          "works_at",
		"She is head of design at [[X]].":    "works_at",
		"We met at [[X]].":                   "mentions",
		"We hired [[X]] in spring.":          "works_at ←",
		"[[X]] works here as a cook.":        "works_at ←",
		"[[X]] is responsible for it.":       "works_on ←",
		"She put her savings into [[X]].":    "invested_in",
		"Ann never worked at [[X]].":         "mentions",
		"She does not advise [[X]].":         "mentions",
		"He worked at [[X]] until 2019.":     "mentions",
		"It was not [[X]] who decided this.": "mentions",
		"Apologies: [[X]].":                  "mentions",
		"Present: [[X]].":                    "attended ←",
		"Not only Ann advises [[X]].":        "advises",
		"他在[[X]]工作":                          "works_at",
		"她是[[X]]的顾问":                         "advises",
		"她是[[X]]的工程师":                        "works_at",
		"他为[[X]]提供咨询":                        "advises",
		"本组是[[X]]的一部分":                       "belongs_to",
		"系统归[[X]]管":                          "belongs_to",
		"他从未在[[X]]任职":                        "mentions",
		"她不再负责[[X]]":                         "mentions",
		"[[X]]未出席":                           "mentions",
		"参会：[[X]]":                           "attended ←",
		"这份报告会在未来投资[[X]]":                    "invested_in",
		"本书出自[[X]]之手":                        "produced_by",
		strings.Repeat("word ", 3) + "decided " + strings.Repeat("far ", 12) + "[[X]]": "mentions",
	} {
		p := Parse("f.md", []byte("Intro.\n\n"+text+"\n"))
		if len(p.Links) != 1 {
			t.Fatalf("%q: %d links", text, len(p.Links))
		}
		got := p.Links[0].Type
		if p.Links[0].Reverse {
			got += " ←"
		}
		if got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
		if p.Links[0].Line != 3 {
			t.Errorf("%q on line %d", text, p.Links[0].Line)
		}
	}
}

func TestVerbBelongsToItsObject(t *testing.T) {
	p := Parse("f.md", []byte("[[Ann]] works at [[Acme]]. 项目由 [[张三]] 负责，属于[[平台]]。Backed by [[A]], [[B]] and [[C]]. [[D]] and [[E]] attended. Founded in May 2023 by [[F]]. 她担任[[G]]和[[H]]的顾问。小组由[[I]]和[[J]]组成。"))
	var got []string
	for _, l := range p.Links {
		got = append(got, show(l))
	}
	want := []string{"wiki Ann mentions", "wiki Acme works_at", "wiki 张三 works_on ←", "wiki 平台 belongs_to", "wiki A invested_in ←", "wiki B invested_in ←", "wiki C invested_in ←", "wiki D attended ←", "wiki E attended ←", "wiki F founded ←",
		"wiki G advises", "wiki H advises", "wiki I belongs_to ←", "wiki J belongs_to ←"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestCandidates(t *testing.T) {
	for _, c := range []struct {
		kind   LinkKind
		target string
		want   string
	}{
		{Wiki, "Page", "[Page]"}, {Wiki, "Page.md", "[Page]"}, {Wiki, "d/Page", "[d/Page a/b/d/Page]"}, {Wiki, "../x", "[a/x]"}, {Wiki, "/d/Page", "[d/Page]"},
		{Markdown, "x.md", "[a/b/x x]"}, {Markdown, "../x.md", "[a/x]"}, {Markdown, "../../x", "[x]"}, {Markdown, "../../../x", "[]"},
		{Markdown, "/x/y.md", "[x/y]"}, {Markdown, "./x.md", "[a/b/x x]"}, {Markdown, "c/../x.md", "[a/b/x x]"}, {Markdown, "c/", "[a/b/c c a/b/c/index a/b/c/README c/index c/README]"},
		{Mention, "ann", "[ann]"}, {FrontMatter, "d/x", "[d/x a/b/d/x]"}, {Markdown, "/../x", "[]"}, {Markdown, "..", "[a]"}, {Markdown, "", "[]"},
	} {
		l := Link{Kind: c.kind, Target: c.target}
		if got := fmt.Sprint(l.Candidates("a/b/from.md")); got != c.want {
			t.Errorf("%d %q: %s, want %s", c.kind, c.target, got, c.want)
		}
	}
}

func TestLinksKnowTheirLine(t *testing.T) {
	raw := "---\ntitle: x\n---\n# H [[4]]\n\n| [[6]] |\n|---|\n| [[8]] |\ntext\n<!-- a\nb\n-->\n[[13]] and\n[[14]]\n\n```\nx\n```\n> [[19]]\n> [[20]]\n\n[[22]]\n===\n    - [[24]]\n- %% a\n\n b %% [[27]]\n"
	for _, l := range Parse("f.md", []byte(raw)).Links {
		if fmt.Sprint(l.Line) != l.Target {
			t.Errorf("%s is said to stand on line %d", l.Target, l.Line)
		}
	}
}

func TestTags(t *testing.T) {
	p := Parse("f.md", []byte("#a text #b/c, (#d) #1 C# x#y `#z` #中文 中文#不 #a\n\n# Head #e\n\n[x](#f) https://x/#g\n"))
	if want := []string{"a", "b/c", "d", "中文", "e"}; !slices.Equal(p.Tags, want) {
		t.Errorf("tags %q, want %q", p.Tags, want)
	}
}

func TestALinkWhoseLabelIsBlank(t *testing.T) {
	for _, raw := range []string{"x [  ](b.md)", "[  ][r]\n\n[r]: b.md\n", "鹭 [　](b.md) \n", "- [[a]], [ ](b.md)"} {
		links := Parse("a.md", []byte(raw)).Links
		if l := links[len(links)-1]; l.Target != "b.md" || l.Label != "" {
			t.Errorf("%q: %+v", raw, links)
		}
	}
}
