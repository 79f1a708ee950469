package page

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const opsPack = `name: ops
types:
  runbook: {merge: patch, file: "runbooks/{slug}.md", words: [playbook, 操作手册]}
  incident:
    merge: append
    file: ["sources/{source}/issues/{issue}/incident-{n}.md", "incidents/{date}-{slug}.md"]
    required: [severity]
  decision: {merge: immutable, words: [裁决]}
  note: {file: "inbox/{title}.md"}
  standup:
relations:
  maintains:
    verbs: [maintains, looks after, 维护]
    nouns: [maintainer, 维护者]
    inverse: [is kept alive by, 托付给]
  produced_by:
    nouns: [scribe]
`

func mustPack(t *testing.T, raw string) *Pack {
	t.Helper()
	k, err := ParsePack("ops.yml", []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestPackExtendsTheBuiltInOne(t *testing.T) {
	k := mustPack(t, opsPack)
	if want := append(ProblemTree().TypeNames(), "runbook", "incident", "standup"); !slices.Equal(k.TypeNames(), want) || k.Name != "ops" {
		t.Errorf("%s has types %v, want %v", k.Name, k.TypeNames(), want)
	}
	for name, want := range map[string]Type{
		"Runbook":  {Name: "runbook", Merge: Patch, Files: []Template{"runbooks/{slug}.md"}, Words: []string{"playbook", "操作手册"}},
		"decision": {Name: "decision", Merge: Immutable, Files: ProblemTree().Types[1].Files, Words: []string{"裁决"}},
		"standup":  {Name: "standup", Merge: Patch},
		"lesson":   {Name: "lesson", Merge: Append, Files: []Template{"sources/{source}/issues/{issue}/lessons.md"}},
	} {
		if got, ok := k.Type(name); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("type %s: %+v, want %+v", name, got, want)
		}
	}
	if _, ok := k.Type("runbok"); ok {
		t.Error("runbok is known")
	}
	if k.Merge("decision") != Immutable || k.Merge("anything") != Patch || k.Merge("LESSON") != Append {
		t.Error("merge rules")
	}
	incident, _ := k.Type("incident")
	if got := incident.Missing(Parse("a.md", []byte("---\ntitle: x\n---\n"))); !slices.Equal(got, []string{"severity"}) {
		t.Errorf("missing %v", got)
	}
	if got := incident.Missing(Parse("a.md", []byte("---\nSeverity: 2\n---\n"))); len(got) > 0 {
		t.Errorf("missing %v", got)
	}
	if k, err := ParsePack("dir/My Ops.yaml", nil); err != nil || k.Name != "my-ops" || len(k.Types) != len(ProblemTree().Types) {
		t.Errorf("an empty file: %+v, %v", k, err)
	}
}

// The document shows a pack that can be read, and the built-in types as they are.
func TestPackDocument(t *testing.T) {
	raw, err := os.ReadFile("../doc/schema.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(raw), "# ops.yml\n")
	block, _, _ = strings.Cut(block, "```")
	if k := mustPack(t, block); len(k.Relations) != 1 || len(k.Types) != len(ProblemTree().Types)+2 {
		t.Errorf("%+v", k)
	}
	for _, typ := range ProblemTree().Types {
		place := "has a form of its own"
		if len(typ.Files) > 0 {
			place = "`" + string(typ.Files[0]) + "`"
		}
		if row := fmt.Sprintf("| %s | %s | %s |\n", typ.Name, typ.Merge, place); !strings.Contains(string(raw), row) {
			t.Errorf("no row %s", row)
		}
	}
	for _, p := range placeholders {
		if !strings.Contains(string(raw), "| `{"+p+"}` |") {
			t.Errorf("no row of {%s}", p)
		}
	}
}

func TestPackMistakes(t *testing.T) {
	for raw, want := range map[string]string{
		"tipes: {}":                                      `ops.yml:1: unknown key "tipes" (types)`,
		"types:\n  a: {fil: x.md}":                       `ops.yml:2: type a: unknown key "fil" (file)`,
		"types:\n  a:\n    merge: pach":                  `ops.yml:3: unknown merge rule "pach" (patch)`,
		"types:\n  a: {file: \"x/{slag}.md\"}":           `ops.yml:2: file: unknown placeholder "slag" (slug)`,
		"types:\n  a: {file: \"../{slug}.md\"}":          `ops.yml:2: file: not a page path`,
		"types:\n  a: {file: \"/tmp/{slug}.md\"}":        `ops.yml:2: file: not a page path`,
		"types:\n  a: {file: \"x/{slug}\"}":              `ops.yml:2: file: not a page path`,
		"types:\n  a: {file: \".x/{slug}.md\"}":          `ops.yml:2: file: a name that begins with a dot is hidden`,
		"types:\n  a: {file: \"agents/{slug}.md\"}":      `ops.yml:2: file: pages below agents/ have forms of their own`,
		"types:\n  a: {file: \"{n}/{n}-x.md\"}":          `ops.yml:2: file: {n} stands once`,
		"types:\n  a: {file: \"x/{slug.md\"}":            `ops.yml:2: file: unknown placeholder`,
		"types:\n  fact: {file: \"x/{slug}.md\"}":        `ops.yml:2: a fact has a place of its own`,
		"types:\n  A: {}":                                `ops.yml:2: type "A": lower-case letters`,
		"types:\n  \"a b\": {}":                          `ops.yml:2: type "a b": lower-case letters`,
		"types:\n  a: {}\n  a: {}":                       `ops.yml:3: types: a stands twice`,
		"types: [a, b]":                                  `ops.yml:1: types: a list of keys expected`,
		"types:\n  a: {words: [x]}\n  b: {words: [X]}":   `ops.yml:3: "x" is a word of a already`,
		"types:\n  a: {words: [\"\"]}":                   `ops.yml:2: words: a word or a list of words expected`,
		"types:\n  a: {words: {b: c}}":                   `ops.yml:2: words: a word or a list of words expected`,
		"types:\n  a: {words: [\"a|b\"]}":                `ops.yml:2: "a|b": words hold no`,
		"types:\n  a: {words: [\"" + long(41) + "\"]}":   `ops.yml:2: "` + long(40),
		"relations:\n  looks after: {verbs: [x]}":        `ops.yml:2: relation "looks after": one to three words`,
		"relations:\n  r: {}":                            `ops.yml:2: relation r has no words`,
		"relations:\n  r: {verb: [x]}":                   `ops.yml:2: relation r: unknown key "verb" (verbs)`,
		"relations:\n  a: {verbs: [x]}\n  b: {nouns: x}": `ops.yml:3: "x" is a word of a already`,
		"name: problem-tree":                             `ops.yml: a pack needs a name of its own`,
		"name: [a]":                                      `ops.yml:1: name: letters`,
		"a: [":                                           `ops.yml:1: invalid YAML`,
		"- a":                                            `ops.yml:1: invalid YAML`,
		"name: \xff":                                     `ops.yml: not text`,
		"name: a\n" + strings.Repeat("# long\n", 1<<16):  `ops.yml: not text, or larger than 256 KiB`,
	} {
		_, err := ParsePack("ops.yml", []byte(raw))
		e, ok := errors.AsType[*PackError](err)
		if !ok || !errors.Is(err, ErrPack) {
			t.Errorf("%.60q: %v", raw, err)
			continue
		}
		known := slices.ContainsFunc(e.Known, func(k string) bool { return strings.Contains(want, "("+k+")") })
		if plain, _, hints := strings.Cut(want, " ("); !strings.HasPrefix(err.Error(), plain) || hints && !known {
			t.Errorf("%.60q: %v %v, want %s", raw, err, e.Known, want)
		}
	}
}

func long(n int) string { return strings.Repeat("x", n) }

// Aliases that multiply are refused, not expanded.
func TestPackBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 8), i-1)
	}
	if _, err := ParsePack("b.yml", []byte(b.String())); !errors.Is(err, ErrPack) {
		t.Error(err)
	}
}

func FuzzParsePack(f *testing.F) {
	f.Add(opsPack, "the [[Gate]] is maintained by [[Ann]]\n- looks after [[X]]")
	f.Fuzz(func(t *testing.T, raw, body string) {
		k, err := ParsePack("p.yml", []byte(raw))
		if err != nil {
			if !errors.Is(err, ErrPack) {
				t.Fatal(err)
			}
			return
		}
		for _, typ := range k.TypeNames() {
			for _, s := range []Spot{{Type: typ}, {Type: typ, Source: "s", Issue: "1", Title: body}} {
				if p, err := k.Place(s, nil); err != nil {
					t.Fatalf("%+v: %q, %v", s, p, err)
				}
			}
		}
		if p := k.Parse("a.md", []byte(body)); p.Hash() != Parse("a.md", []byte(body)).Hash() {
			t.Fatal("the pack is part of the hash")
		}
	})
}

// Words of the pack type the links around them, in every form, before the built-in
// ones and beside them.
func TestPackTypesLinks(t *testing.T) {
	k := mustPack(t, opsPack)
	for body, want := range map[string]string{
		"She maintains [[Gate]].":                   "maintains",
		"She looked after [[Gate]] for years.":      "maintains",
		"She is maintaining [[Gate]].":              "maintains",
		"It is maintained by [[Ann]].":              "maintains<",
		"It was looked after by [[Ann]].":           "maintains<",
		"[[Ann]] maintains it.":                     "maintains<",
		"Maintainer: [[Ann]]":                       "maintains<",
		"It is kept alive by [[Ann]].":              "maintains<",
		"他维护了[[网关]]。":                               "maintains",
		"网关由[[张三]]维护。":                              "maintains<",
		"维护者：[[张三]]":                                "maintains<",
		"托付给[[张三]]。":                                "maintains<",
		"She never maintained [[Gate]].":            "mentions",
		"- maintains [[Gate]]":                      "maintains",
		"- maintainer: [[Ann]]":                     "maintains<",
		"- looks_after [[Gate]]":                    "maintains",
		"- Maintained by [[Ann]], [[Bo]]":           "maintains< maintains<",
		"The scribe is [[Ann]].":                    "produced_by",
		"She works on [[Gate]].":                    "works_on",
		"Founded by [[Ann]].":                       "founded<",
		"---\nmaintainer: \"[[Ann]]\"\n---\n":       "maintains<",
		"---\nlooks-after: \"[[Gate]]\"\n---\n":     "maintains",
		"---\nlinks: [{to: a, type: 维护}]\n---\n":    "maintains",
		"---\nlinks: [{to: a, type: owner}]\n---":   "works_on<",
		"---\nlinks: [{to: a, type: decided}]\n---": "decided",
	} {
		var got []string
		for _, l := range k.Parse("p.md", []byte(body)).Links {
			typ := l.Type
			if l.Reverse {
				typ += "<"
			}
			got = append(got, typ)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %s", body, got, want)
		}
	}
	if l := Parse("p.md", []byte("She maintains [[Gate]].")).Links[0]; l.Type != "works_on" {
		t.Errorf("without the pack: %s", l.Type)
	}
	line := `{"role":"user","text":"Ann maintains [[Gate]]."}`
	if l := k.Parse("sessions/2026-01/s/messages.jsonl", []byte(line)).Links[0]; l.Type != "maintains" {
		t.Errorf("in a session: %s", l.Type)
	}
}

// A pack that adds no relation, and none at all, read as the built-in one.
func TestPackDigest(t *testing.T) {
	types := mustPack(t, "types: {a: {}}")
	var none *Pack
	for _, k := range []*Pack{none, ProblemTree(), types} {
		if k.Digest() != "" {
			t.Errorf("digest %q", k.Digest())
		}
		if got := k.Parse("p.md", []byte("It is maintained by [[Ann]].")).Links[0].Type; got != "works_on" {
			t.Errorf("type %s", got)
		}
	}
	a, b := mustPack(t, "relations: {r: {verbs: [x]}}"), mustPack(t, "types: {a: {}}\nrelations: {r: {verbs: [x]}}")
	c := mustPack(t, "relations: {r: {nouns: [x]}}")
	if a.Digest() != b.Digest() || a.Digest() == c.Digest() || !strings.HasPrefix(a.Digest(), "ops-") {
		t.Errorf("digests %s %s %s", a.Digest(), b.Digest(), c.Digest())
	}
}

// What a page says is hashed, not how a pack reads it.
func TestPackIsNoPartOfTheHash(t *testing.T) {
	k := mustPack(t, opsPack)
	for _, raw := range []string{
		"---\nlinks: [{to: a, type: maintainer}]\nmaintainer: \"[[Ann]]\"\n---\nx", "---\nup: a/b\n---\n维护[[X]]",
	} {
		if k.Parse("p.md", []byte(raw)).Hash() != Parse("p.md", []byte(raw)).Hash() {
			t.Errorf("%q", raw)
		}
	}
}

func TestInflect(t *testing.T) {
	for phrase, want := range map[string]string{ // + is a participle
		"deploys":       "deploy/deployed+/deploying/deploys",
		"look after":    "look after/looked after+/looking after/looks after",
		"carries":       "carried+/carries/carry/carrying",
		"manage":        "manage/managed+/manages/managing",
		"watches":       "watch/watched+/watches/watching",
		"focus":         "focus/focused+/focuses/focusing/focussed+/focussing",
		"plan":          "plan/planed+/planing/planned+/planning/plans",
		"needs":         "need/needed+/needing/needs",
		"is blocked by": "is blocked by",
		"blocked":       "blocked+",
		"维护":            "维护",
		"be":            "be",
	} {
		var got []string
		for _, f := range inflect(phrase) {
			got = append(got, f.text+map[bool]string{true: "+"}[f.participle])
		}
		slices.Sort(got)
		if strings.Join(got, "/") != want {
			t.Errorf("%s: %q, want %s", phrase, got, want)
		}
	}
}

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{
		"Use PostgreSQL 15!":           "use-postgresql-15",
		"  A/B \\ testing: how-to  ":   "a-b-testing-how-to",
		"支付系统":                         "支付系统",
		"支付系统（v2）上线":                   "支付系统-v2-上线",
		"ＡＢＣ１２３":                       "abc123",
		"Café Ünter":                   "cafe-unter",
		"한국어 제목":                       "한국어-제목",
		"🎉🎉":                           "",
		"../../etc/passwd":             "etc-passwd",
		"...":                          "",
		"snake_case and kebab-case":    "snake-case-and-kebab-case",
		"हिन्दी":                       "हिन्दी",
		strings.Repeat("word ", 1000):  "",
		strings.Repeat("很长的标题", 1000):  "",
		"con\x00trol\nand \x1b[31mred": "con-trol-and-31mred",
	} {
		got := Slug(title)
		if want != "" && got != want {
			t.Errorf("Slug(%.40q) = %q, want %q", title, got, want)
		}
		if len(got) > maxSlug+8 || strings.HasSuffix(got, "-") || strings.ToValidUTF8(got, "?") != got {
			t.Errorf("Slug(%.40q) = %q", title, got)
		}
	}
}

func TestPlace(t *testing.T) {
	day := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	pages := []File{
		{Path: "sources/a/issues/7/decisions/2-x.md"}, {Path: "sources/a/issues/7/decisions/10-y.md"},
		{Path: "sources/a/issues/7/decisions/notes.md"}, {Path: "sources/a/issues/71/decisions/90-z.md"},
		{Path: "sources/a/issues/7/incident-4.md"}, {Path: "sources/a/issues/7/incident-9x.md"}, {Path: "sources/a/issues/7/incident-.md"},
	}
	for _, c := range []struct {
		spot Spot
		want Path
	}{
		{Spot{"decision", "a", "7", "Use it", day}, "sources/a/issues/7/decisions/11-use-it.md"},
		{Spot{"decision", "a", "8", "Use it", day}, "sources/a/issues/8/decisions/1-use-it.md"},
		{Spot{"decision", "a", "", "Use it", day}, "sources/a/notes/2026-11-29-use-it.md"},
		{Spot{"requirement", "", "7", "Fast", day}, "sources/default/issues/7/requirement.md"},
		{Spot{"lesson", "a", "7", "Slow", day}, "sources/a/issues/7/lessons.md"},
		{Spot{"lesson", "a", "", "Slow", day}, "sources/a/notes/2026-11-29-slow.md"},
		{Spot{"note", "a", "7", "Hm", day}, "sources/a/notes/2026-11-29-hm.md"},
		{Spot{"entity", "a", "", "支付 系统", day}, "entities/支付-系统.md"},
		{Spot{"experience", "", "", "Test it", day}, "experiences/test-it.md"},
		{Spot{"skill", "", "", "Restore", day}, "skills/restore/SKILL.md"},
		{Spot{"diary", "", "", "🎉", day}, "sources/default/notes/2026-11-29-page.md"},
	} {
		got, err := ProblemTree().Place(c.spot, pages)
		if err != nil || got != c.want {
			t.Errorf("%+v: %q, %v, want %q", c.spot, got, err, c.want)
		}
	}
	for _, c := range []struct {
		spot     Spot
		want     Path
		numbered bool
	}{
		{Spot{"runbook", "", "", "Restore the DB", day}, "runbooks/restore-the-db.md", false},
		{Spot{"incident", "a", "7", "Down", day}, "sources/a/issues/7/incident-5.md", true},
		{Spot{"incident", "a", "", "宕机", day}, "incidents/2026-11-29-宕机.md", false},
		{Spot{"standup", "a", "", "A/B: what? ", day}, "inbox/A B what.md", false},
		{Spot{"lesson", "", "", "... 🎉", day}, "inbox/🎉.md", false},
		{Spot{"note", "", "", "/{n}/", day}, "inbox/n.md", false},
		{Spot{"note", "", "", "", day}, "inbox/page.md", false},
	} {
		k := mustPack(t, opsPack)
		got, err := k.Place(c.spot, pages)
		if err != nil || got != c.want || k.Numbered(c.spot) != c.numbered {
			t.Errorf("%+v: %q, %v, want %q", c.spot, got, err, c.want)
		}
	}
}

// Whatever a title is, its page has a place inside the brain.
func TestPlaceOfAnyTitle(t *testing.T) {
	k := mustPack(t, opsPack)
	rapid.Check(t, func(t *rapid.T) {
		s := Spot{Type: rapid.SampledFrom(k.TypeNames()).Draw(t, "type"), Title: rapid.String().Draw(t, "title"), Day: time.Unix(0, 0)}
		p, err := k.Place(s, nil)
		if err != nil || len(p) > 200 || strings.HasPrefix(string(p), ".") || strings.Contains(string(p), "/.") {
			t.Fatalf("%+v: %q, %v", s, p, err)
		}
	})
}
