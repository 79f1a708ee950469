package page

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func codes(p *Page) []string {
	var out []string
	for _, pr := range p.Problems {
		out = append(out, pr.Code)
	}
	return out
}

func TestReadsWhatPeopleWrite(t *testing.T) {
	for _, c := range []struct {
		name, raw         string
		title, body       string
		line              int // of the body
		problems          []string
		tags, aliases     []string
		typ, status, slug string
	}{
		{name: "a colon in an unquoted title keeps title, tags and body", raw: "---\ntitle: Payments: the team\ntags: [a, b]\n---\nText\n",
			title: "Payments: the team", body: "Text\n", line: 5, problems: []string{CodeYAML, CodeTitleColon}, tags: []string{"a", "b"}},
		{name: "CRLF and a fence at the end of the file", raw: "---\r\ntitle: X\r\ntags:\r\n  - a\r\n---", title: "X", line: 6, tags: []string{"a"}},
		{name: "a byte order mark before the fence", raw: "\uFEFF---\ntitle: X\n---\nText", title: "X", body: "Text", line: 4},
		{name: "heading and a rule later is no front matter", raw: "# Head\n\n---\nText\n\n---\n", title: "Head", body: "# Head\n\n---\nText\n\n---\n", line: 1},
		{name: "rule, prose, rule is no front matter", raw: "---\n\nSome prose here.\n\n---\nMore\n", title: "f", body: "---\n\nSome prose here.\n\n---\nMore\n", line: 1},
		{name: "a fence that never closes loses no body", raw: "---\ntitle: X\n\nText\n", title: "f", body: "---\ntitle: X\n\nText\n", line: 1, problems: []string{CodeUnclosed}},
		{name: "a comment inside the fence is no heading", raw: "---\n# a comment\ntitle: X\n---\nText\n", title: "X", body: "Text\n", line: 5},
		{name: "dots close the block", raw: "---\ntitle: X\n...\nText\n", title: "X", body: "Text\n", line: 4},
		{name: "an empty block", raw: "---\n---\nText\n", title: "f", body: "Text\n", line: 3},
		{name: "a key that stands twice", raw: "---\ntitle: First\ntitle: Second\n---\nText\n", title: "First", body: "Text\n", line: 5, problems: []string{CodeDuplicateKey}},
		{name: "tabs for indentation", raw: "---\ntitle: X\ntags:\n\t- a\n---\nText\n", title: "X", body: "Text\n", line: 6, problems: []string{CodeYAML, CodeTab}, tags: []string{"a"}},
		{name: "odd types keep their spelling", raw: "---\ntitle: 0123\ntags: [no, on, 1e3, 2024-05-01]\nslug: 1e3\n---\nText\n",
			title: "0123", body: "Text\n", line: 6, tags: []string{"no", "on", "1e3", "2024-05-01"}, slug: "1e3"},
		{name: "keys that are no strings", raw: "---\n1: a\ntrue: b\n? [x]\n: c\ntitle: X\n---\nText\n", title: "X", body: "Text\n", line: 8},
		{name: "lists as scalars", raw: "---\ntags: a, b\naliases: One\n---\nText #c\n", title: "f", body: "Text #c\n", line: 5, tags: []string{"a", "b", "c"}, aliases: []string{"One"}},
		{name: "type is read where schema_type is absent", raw: "---\ntype: Person\n---\nText\n", title: "f", body: "Text\n", line: 4, typ: "person"},
		{name: "schema_type wins", raw: "---\nschema_type: decision\ntype: person\n---\nText\n", title: "f", body: "Text\n", line: 5, typ: "decision"},
		{name: "a title that is a list", raw: "---\ntitle: [a, b]\n---\nText\n", title: "a, b", body: "Text\n", line: 4, problems: []string{CodeBadType}},
		{name: "a path that disagrees", raw: "---\npath: other/f.md\n---\nText\n", title: "f", body: "Text\n", line: 4, problems: []string{CodePath}},
		{name: "a date that is none", raw: "---\ncreated_at: soon\n---\nText\n", title: "f", body: "Text\n", line: 4, problems: []string{CodeBadDate}},
		{name: "Latin-1 is named and read", raw: "# caf\xe9\n", title: "caf\uFFFD", body: "# caf\uFFFD\n", line: 1, problems: []string{CodeNotUTF8}},
		{name: "an empty file", raw: "", title: "f", line: 1, problems: []string{CodeEmpty}},
		{name: "a merge conflict", raw: "# T\n<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> other\n", title: "T",
			body: "# T\n<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> other\n", line: 1, problems: []string{CodeConflict}},
		{name: "a setext heading is the title", raw: "A title\n===\n\nText\n", title: "A title", body: "A title\n===\n\nText\n", line: 1},
		{name: "a title of two paragraphs' length", raw: "---\ntitle: " + strings.Repeat("长", 600) + "\n---\nText\n", title: strings.Repeat("长", 500), body: "Text\n", line: 4, problems: []string{CodeTooLong}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Parse("f.md", []byte(c.raw))
			if p.Title != c.title || p.Body != c.body || p.BodyLine != c.line {
				t.Errorf("title %q, body %q from line %d; want %q, %q, %d", p.Title, p.Body, p.BodyLine, c.title, c.body, c.line)
			}
			if !slices.Equal(codes(p), c.problems) {
				t.Errorf("problems %+v, want %v", p.Problems, c.problems)
			}
			if !slices.Equal(p.Tags, c.tags) || !slices.Equal(p.Aliases, c.aliases) || p.Slug != c.slug {
				t.Errorf("tags %q, aliases %q, slug %q", p.Tags, p.Aliases, p.Slug)
			}
			if c.typ == "" {
				c.typ = "note"
			}
			if p.Type != c.typ || p.Status != "active" || string(p.Raw) != c.raw {
				t.Errorf("type %q, status %q", p.Type, p.Status)
			}
			for _, pr := range p.Problems {
				if pr.Line < 1 || pr.Message == "" || pr.Fix == "" || Codes[pr.Code] == "" {
					t.Errorf("a problem that helps nobody: %+v", pr)
				}
			}
		})
	}
}

func TestProblemNamesLineAndFix(t *testing.T) {
	p := Parse("f.md", []byte("---\ntags: [a]\ntitle: Payments: the team\n---\n"))
	for _, pr := range p.Problems {
		if pr.Code == CodeTitleColon && (pr.Line != 3 || pr.Fix != `title: "Payments: the team"`) {
			t.Errorf("got %+v", pr)
		}
	}
}

func TestDates(t *testing.T) {
	for in, want := range map[string]string{
		"2026-01-31": "2026-01-31T00:00:00Z", `"2026-01-31"`: "2026-01-31T00:00:00Z", "2026/01/31": "2026-01-31T00:00:00Z",
		"2026-01-31 10:00": "2026-01-31T10:00:00Z", "2026-01-31T10:00:00+02:00": "2026-01-31T08:00:00Z",
		"1595952505024": "2020-07-28T16:08:25.024Z", "1595952505": "2020-07-28T16:08:25Z", "'2026-11-29T17:56:24.877586Z'": "2026-11-29T17:56:24.877586Z",
		"2026年1月31日": "2026-01-31T00:00:00Z", "2026": "", "yesterday": "",
	} {
		for _, key := range []string{"created", "createdAt", "created_at"} {
			p := Parse("f.md", []byte("---\n"+key+": "+in+"\n---\nText\n"))
			if got := stamp(p.Created); got != want {
				t.Errorf("%s: %s read as %q, want %q", key, in, got, want)
			}
		}
	}
	p := Parse("f.md", []byte("---\ndate: 2026-01-31\nmodified: 2026-02-01\n---\n"))
	if stamp(p.At) != "2026-01-31T00:00:00Z" || stamp(p.Updated) != "2026-02-01T00:00:00Z" {
		t.Errorf("at %v, updated %v", p.At, p.Updated)
	}
}

func TestFactsAndProvenance(t *testing.T) {
	raw := `---
facts:
  - text: Limit is 100
    metric: limit
    value: 0100
    at: 2026-01-31
  - {text: "Old", status: superseded}
  - plain statement
provenance:
  session_id: s1
  turns: [3, 4]
  history_ref: h
---
`
	p := Parse("agents/A/facts/aa/f.md", []byte(raw))
	if len(p.Facts) != 3 || p.Facts[0].Value != "0100" || p.Facts[0].At != "2026-01-31" || p.Facts[0].Line != 3 || p.Facts[2].Text != "plain statement" {
		t.Errorf("facts %+v", p.Facts)
	}
	if got := p.Clean().Facts; !slices.Equal(got, []string{"Limit is 100 limit 0100", "plain statement"}) {
		t.Errorf("live facts %q", got)
	}
	if p.Provenance.Session != "s1" || !slices.Equal(p.Provenance.Turns, []int{3, 4}) || p.Provenance.Ref != "h" {
		t.Errorf("provenance %+v", p.Provenance)
	}
	if p.Type != "fact" || p.Path.Agent() != "a" || p.Tier() != 3 {
		t.Errorf("type %s, agent %s, tier %d", p.Type, p.Path.Agent(), p.Tier())
	}
	if c := p.Chunks(); len(c) != 1 || !strings.Contains(c[0].Embed, "plain statement") || strings.Contains(c[0].Embed, "Old") {
		t.Errorf("chunks %+v", c)
	}
}

// A fact file of DeerMem: its source is a record, its dates are in camel case.
func TestDeerMemFact(t *testing.T) {
	p := Parse("agents/__default__/facts/cc/fact_a.md", []byte("---\nid: fact_a\nsource:\n  type: conversation\ntopics: []\ncreatedAt: '2026-11-29T17:56:24Z'\n---\n\n# Likes tabs\n\nLikes tabs over spaces\n"))
	if p.Title != "Likes tabs" || p.Source != "" || len(p.Problems) > 0 || p.Created.IsZero() || p.Type != "fact" {
		t.Errorf("%+v", p)
	}
}

func TestParsePath(t *testing.T) {
	for _, ok := range []string{"a.md", "dir/b c.md", " a .md", "名字.md", "🧠.md", "a#b&c[d](e)%+'.md", "A.MD", "x..y.md", "deep/er/p.md", "...md"} {
		if p, err := ParsePath(ok); err != nil || string(p) != ok {
			t.Errorf("%q refused: %v", ok, err)
		}
	}
	for _, bad := range []string{"", "/a.md", "../a.md", "a/../b.md", "./a.md", "a//b.md", "a.txt", "a", ".md", "d/.md", `a\b.md`, "C:/a.md", "a\x00.md", "a\n.md", "a/", "a.md/", "\xff.md", ".."} {
		if _, err := ParsePath(bad); !errors.Is(err, ErrPath) {
			t.Errorf("%q: error %v, want ErrPath", bad, err)
		}
	}
}

func TestTypeByPlace(t *testing.T) {
	for path, want := range map[Path]string{
		"skills/deploy/SKILL.md": "skill", "skills/deploy/notes.md": "note", "experiences/e1.md": "experience", "entities/ann.md": "entity",
		"sources/s/issues/7/requirement.md": "requirement", "sources/s/issues/7/decisions/1-x.md": "decision", "sources/s/issues/7/lessons.md": "lesson",
		"sources/s/notes/2026-01-31-x.md": "note", "agents/a/facts/0f/x.md": "fact", "sessions/2026-01/s.md": "session", "other/x.md": "note", "x.md": "note",
	} {
		if p := Parse(path, []byte("x")); p.Type != want {
			t.Errorf("%s is %s, want %s", path, p.Type, want)
		}
	}
	if p := Parse("sources/billing/notes/x.md", []byte("x")); p.Source != "billing" {
		t.Errorf("source %q", p.Source)
	}
}

func TestRanked(t *testing.T) {
	for raw, want := range map[string]bool{
		"": false, "  \n": false, "---\nstatus: x\n---\n": false, "---\ntitle: X\n---\n": true, "text": true, "---\nabstract: x\n---\n": true,
		"---\ngenerated: brain\n---\ntext": false, "---\nredirect: x\n---\n": false, "---\nstatus: merged\n---\ntext": false, "---\ngenerated: me\n---\ntext": true,
	} {
		if got := Parse("f.md", []byte(raw)).Ranked(); got != want {
			t.Errorf("%q ranked: %v", raw, got)
		}
	}
}

func TestNames(t *testing.T) {
	p := Parse("people/john.md", []byte("---\nslug: jd\naliases: [Johnny]\n---\n# John Doe\n"))
	want := []Name{{"people/john", NamePath}, {"john", NameFile}, {"jd", NameSlug}, {"John Doe", NameTitle}, {"Johnny", NameAlias}}
	if got := p.Names(); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	skill := Parse("skills/deploy/SKILL.md", []byte("x")).Names()
	if !slices.Contains(skill, Name{"deploy", NameFile}) {
		t.Errorf("%v", skill)
	}
}

func TestHash(t *testing.T) {
	base := "---\ntitle: X\ntags: [a]\n---\nText\n"
	hash := func(path Path, raw string) [32]byte { return Parse(path, []byte(raw)).Hash() }
	same := []string{
		"---\ntitle: X\ntags: [a]\nprovenance: {session_id: s}\n---\nText\n",
		"---\ntitle: \"X\" # a remark\ntags:\n- a\ncreated_by: me\nfoo: bar\n---\nText\n",
	}
	for _, raw := range same {
		if hash("a.md", raw) != hash("a.md", base) {
			t.Errorf("hash differs: %q", raw)
		}
	}
	if hash("a.md", base) != hash("entities/b.md", base) {
		t.Error("a moved page must keep its hash")
	}
	seen := map[[32]byte]string{hash("a.md", base): base}
	for _, key := range []string{"title: Y", "schema_type: lesson", "status: stale", "source: s", "tags: [b]", "aliases: [z]", "links: [z]", "facts: [z]",
		"abstract: z", "overview: z", "slug: z", "redirect: z", "created_at: 2026-01-01", "updated_at: 2026-01-01", "date: 2026-01-01", "summary: z", "generated: brain", "related: '[[Z]]'"} {
		raw := "---\n" + key + "\n---\nText\n"
		if other, dup := seen[hash("a.md", raw)]; dup {
			t.Errorf("%q and %q hash alike", raw, other)
		}
		seen[hash("a.md", raw)] = raw
	}
}

func TestSources(t *testing.T) {
	for raw, want := range map[string]string{
		"sources:\n  - agent-3\n  - 张三, 财务\n  - Agent-3\n": `["agent-3" "张三, 财务"]`,
		"sources: [a, \"b, c\"]\n":                         `["a" "b, c"]`,
		"sources: a, b\n":                                  `["a" "b"]`,
		"Sources: a\n":                                     `["a"]`,
		"sources:\n":                                       `[]`,
		"sources:\n  - {id: x}\n  - b\n":                   `["b"]`,
	} {
		p := Parse("f.md", []byte("---\n"+raw+"---\n"))
		if got := fmt.Sprintf("%q", p.Sources); got != want || len(p.Problems) > 1 {
			t.Errorf("%q: %s, want %s; %v", raw, got, want, p.Problems)
		}
	}
	one, two := []byte("---\ntitle: x\nsources: [a]\n---\n"), []byte("---\ntitle: x\n---\n")
	if Parse("f.md", one).Hash() != Parse("f.md", two).Hash() {
		t.Error("who else said it changes the hash")
	}
	p := Parse("f.md", []byte("---\nsources:\n  - \"[[Minutes]]\"\n  - notes/会议\n---\n"))
	if len(p.Links) != 2 || p.Links[0].Type != "source" || p.Links[1].Target != "notes/会议" || len(p.Sources) != 2 {
		t.Errorf("links %+v, sources %q", p.Links, p.Sources)
	}
}

func TestFirstOfAKeyCounts(t *testing.T) {
	p := Parse("f.md", []byte("---\nTitle: a\ntitle: b\nTags: [x]\ntags: [y]\nOwner: \"[[A]]\"\nowner: \"[[B]]\"\n---\n"))
	if p.Title != "a" || len(p.Tags) != 1 || len(p.Links) != 2 || strings.Join(codes(p), " ") != "duplicate-key duplicate-key" {
		t.Errorf("title %q, tags %q, links %v, problems %v", p.Title, p.Tags, p.Links, p.Problems)
	}
}

// A block that is no YAML does not show the marks of quoting.
func TestBrokenBlockKeepsQuotedValues(t *testing.T) {
	p := Parse("f.md", []byte("---\ntitle: a: b\nabstract: \"say \\\"支付\\\"\"\nslug: 'it''s'\ncreated_by: \"a\" b\"\n---\n"))
	if p.Abstract != `say "支付"` || p.Slug != "it's" || p.CreatedBy != `a" b` {
		t.Errorf("abstract %q, slug %q, created_by %q", p.Abstract, p.Slug, p.CreatedBy)
	}
}
