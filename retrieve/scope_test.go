package retrieve

import (
	"testing"

	"brain/page"
)

func scopeOf(t *testing.T, b *brain, agent string) scope {
	t.Helper()
	v, err := b.ix.View()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Release(); err != nil {
			t.Error(err)
		}
	})
	return scoped(v, agent, nil)
}

func TestAPageIsOfAKindByTypeFolderOrTag(t *testing.T) {
	b := wordsOnly(t, map[string]string{
		"a.md":             "---\ntype: person\n---\nAnn",
		"people/b.md":      "Bob",
		"人员/c.md":          "Cid",
		"d.md":             "---\ntags: [人物]\n---\nDot",
		"people-work/e.md": "no person",
		"companies/f.md":   "Acme",
	})
	s := scopeOf(t, b, "")
	for path, want := range map[string]string{"a.md": "person", "people/b.md": "person", "人员/c.md": "person", "d.md": "person", "people-work/e.md": "", "companies/f.md": "company"} {
		row, ok := s.Lookup(page.Path(path))
		if !ok {
			t.Fatalf("no %s", path)
		}
		for _, kind := range []string{"person", "company"} {
			if s.Is(row, kind) != (kind == want) {
				t.Errorf("%s is %s: %v", path, kind, s.Is(row, kind))
			}
		}
	}
}

func TestADescriptionFindsThePageWhoseNamesHaveItsWords(t *testing.T) {
	b := wordsOnly(t, map[string]string{
		"m/1.md":                         "---\ntitle: Board meeting of Acme, May 2025\n---\nWe met.",
		"m/2.md":                         "---\ntitle: Board meeting of Globex, May 2025\n---\nWe met.",
		"companies/acme.md":              "---\ntitle: Acme\n---\nAcme has a board meeting in May and another board meeting in autumn.",
		"agents/marlin/facts/aa/aa11.md": "---\nschema_type: fact\ntitle: Board meeting of Acme, secret\n---\nA board meeting of Acme.",
	})
	s := scopeOf(t, b, "")
	found := s.Described("board meeting of acme")
	if len(found) == 0 || string(s.Page(found[0].Node).Path) != "m/1.md" || found[0].Share != 1 {
		t.Errorf("found %v", found)
	}
	for _, d := range found {
		if !s.Sees(d.Node) {
			t.Error("another agent's page was found")
		}
	}
	if found := s.Described("of the"); len(found) > 0 {
		t.Errorf("stop words found %v", found)
	}
}
