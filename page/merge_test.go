package page

import (
	"errors"
	"strings"
	"testing"
)

func TestMergeRules(t *testing.T) {
	const old = `---
title: Pay within a second
schema_type: requirement
severity: 2
tags: [pay]
links:
  - to: entities/ledger
facts:
  - text: It takes 3 s
    status: ""
---

# Pay

Within a second.
`
	for name, c := range map[string]struct {
		from, to  string // what is replaced in old
		append    string // what the rule append says of it, "" allows
		immutable string
	}{
		"nothing":             {},
		"status":              {"title", "status: stale\ntitle", "", ""},
		"tags":                {"[pay]", "[pay, fast]", "", ""},
		"tags away":           {"tags: [pay]\n", "", "", ""},
		"an abstract":         {"title", "abstract: Quick.\ntitle", "", ""},
		"quotes":              {"severity: 2", "severity: \"2\"", "", ""},
		"order":               {"title: Pay within a second\nschema_type: requirement", "schema_type: requirement\ntitle: Pay within a second", "", ""},
		"end of file":         {"second.\n", "second.\n\n\n", "", ""},
		"a link":              {"ledger\n", "ledger\n  - to: b\n", "", ""},
		"another link":        {"ledger", "heron", "p.md:7: a requirement is only added to: a link is gone", "p.md:7: a requirement is immutable: a link is gone"},
		"a fact superseded":   {`""`, "superseded", "", ""},
		"a fact's end":        {`""`, "\"\"\n    valid_until: \"2026-01-01\"", "", ""},
		"a fact's text":       {"3 s", "2 s", "p.md:9: a requirement is only added to: a fact is changed; supersede it", "p.md:9: a requirement is immutable: a fact is changed; supersede it"},
		"a fact more":         {`""`, "\"\"\n  - text: It takes 2 s", "", "p.md:11: a requirement is immutable: a fact is added"},
		"facts away":          {"facts:\n  - text: It takes 3 s\n    status: \"\"\n", "", "p.md:8: a requirement is only added to: the key facts is gone", "p.md:8: a requirement is immutable: the key facts is gone"},
		"the title":           {"Pay within", "Pay in", "p.md:2: a requirement is only added to: the key title is changed", "p.md:2: a requirement is immutable: the key title is changed"},
		"a key":               {"severity: 2", "severity: 2\nteam: a", "", "p.md:5: a requirement is immutable: the key team is added"},
		"a key away":          {"severity: 2\n", "", "p.md:4: a requirement is only added to: the key severity is gone", "p.md:4: a requirement is immutable: the key severity is gone"},
		"the type":            {"schema_type: requirement", "schema_type: note", "p.md:1: a requirement is only added to: its type cannot become note", "p.md:1: a requirement is immutable: its type cannot become note"},
		"text at the end":     {"second.\n", "second.\n\nOr two.\n", "", "p.md:15: a requirement is immutable: text is added"},
		"text behind":         {"second.\n", "second. Or two.\n", "p.md:15: a requirement is only added to: its text is changed", "p.md:15: a requirement is immutable: its text is changed"},
		"text between":        {"# Pay\n", "# Pay\n\nSoon.\n", "p.md:15: a requirement is only added to: its text is changed", "p.md:15: a requirement is immutable: its text is changed"},
		"text away":           {"Within a second.\n", "", "p.md:13: a requirement is only added to: its text is changed", "p.md:13: a requirement is immutable: its text is changed"},
		"中文 in the middle":    {"Within", "在", "p.md:15: a requirement is only added to: its text is changed", "p.md:15: a requirement is immutable: its text is changed"},
		"中文 at the end":       {"second.\n", "second.\n最多两秒。\n", "", "p.md:15: a requirement is immutable: text is added"},
		"no front matter now": {old[:strings.Index(old, "# Pay")], "", "p.md:1: a requirement is only added to: its type cannot become note", "p.md:1: a requirement is immutable: its type cannot become note"},
	} {
		before := Parse("p.md", []byte(old))
		after := Parse("p.md", []byte(strings.Replace(old, c.from, c.to, 1)))
		for rule, want := range map[MergeRule]string{Append: c.append, Immutable: c.immutable, Patch: ""} {
			err := rule.Allows(before, after)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != want || err != nil && !errors.Is(err, ErrMerge) {
				t.Errorf("%s, %s: %q, want %q", name, rule, got, want)
			}
		}
	}
}

// What may be done twice may be done at once, and a page may always stay as it is.
func FuzzMergeRules(f *testing.F) {
	f.Add("---\ntitle: a\nk: [1]\n---\nx", "---\ntitle: a\nk: [1]\nl: 2\n---\nx\ny", "z\n")
	f.Fuzz(func(t *testing.T, a, b, more string) {
		old, new := Parse("p.md", []byte(a)), Parse("p.md", []byte(b))
		for _, r := range MergeRules {
			if err := r.Allows(old, old); err != nil {
				t.Fatal(err)
			}
			if Immutable.Allows(old, new) == nil && r.Allows(old, new) != nil {
				t.Fatalf("immutable allows what %s does not", r)
			}
		}
		appended := Parse("p.md", []byte(a+"\n"+more))
		if appended.BodyLine != old.BodyLine || len(appended.Keys) != len(old.Keys) || appended.Type != old.Type {
			return // what was added closes a front matter, or becomes a part of it
		}
		if err := Append.Allows(old, appended); err != nil {
			t.Fatal(err)
		}
	})
}
