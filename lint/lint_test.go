package lint

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"brain/page"
	"brain/store"
)

// brain is an empty one.
func brain(t *testing.T) *store.Store {
	t.Helper()
	rep, err := store.Init(t.TempDir(), store.InitOptions{Settings: []byte("# settings\n")})
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(rep.Root, "default")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

func write(t *testing.T, st *store.Store, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(st.Dir(), name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Each code that a page's reader knows is a rule, and doc/lint.md has a section for
// each rule, in the order of the table, with its severity, an example and a fix.
func TestRulesAreDocumented(t *testing.T) {
	var codes []string
	for _, r := range Rules() {
		if r.What == "" || !strings.HasSuffix(r.Help, ".") || slices.Contains(codes, r.Code) {
			t.Errorf("rule %+v", r)
		}
		codes = append(codes, r.Code)
	}
	for code := range page.Codes {
		if !slices.Contains(codes, code) {
			t.Errorf("page's %s is no rule", code)
		}
	}
	raw, err := os.ReadFile("../doc/lint.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := regexp.MustCompile("(?m)^### `([a-z0-9-]+)`, (error|warning|note)$").FindAllStringSubmatchIndex(string(raw), -1)
	var told []string
	for i, at := range sections {
		code, level := string(raw[at[2]:at[3]]), string(raw[at[4]:at[5]])
		end := len(raw)
		if i+1 < len(sections) {
			end = sections[i+1][0]
		}
		told = append(told, code)
		if text := string(raw[at[1]:end]); !strings.Contains(text, "**Fix.**") || !strings.Contains(text, "    ") && !strings.Contains(text, "`") {
			t.Errorf("doc/lint.md: %s has no example, or no fix", code)
		}
		if severityOf(code) != Severity(level) {
			t.Errorf("doc/lint.md: %s is a %s there", code, level)
		}
	}
	if !slices.Equal(told, codes) {
		t.Errorf("doc/lint.md tells %q\nthe table has %q", told, codes)
	}
}

func TestOneFile(t *testing.T) {
	for _, c := range []struct {
		a, b string
		one  bool
	}{
		{"README.md", "readme.md", true},
		{"caf\u00e9.md", "cafe\u0301.md", true},
		{"STRASSE.md", "straße.md", true},
		{"café.md", "cafe.md", false},
		{"ＦＯＯ.md", "foo.md", false},
		{"计划.md", "計劃.md", false},
	} {
		if (oneFile(c.a) == oneFile(c.b)) != c.one {
			t.Errorf("%q and %q: want one file: %v", c.a, c.b, c.one)
		}
	}
}

// A lint of an agent's page names nothing of another agent's.
func TestAnotherCountsWhatIsSeen(t *testing.T) {
	group := []bearer{{row: 1}, {row: 2}, {row: 3}}
	for _, c := range []struct {
		row, other uint32
		more       int
	}{{1, 2, 1}, {2, 1, 1}, {3, 1, 1}} {
		if other, more := another([][]bearer{group}, c.row); other == nil || other.row != c.other || more != c.more {
			t.Errorf("of %d: %v and %d more", c.row, other, more)
		}
	}
	if other, _ := another([][]bearer{nil, {{row: 1}}}, 1); other != nil {
		t.Errorf("alone: %v", other)
	}
}

// Between the look and the write a page may change, or go: it is mended as it is
// then.
func TestMendMendsWhatIsThereThen(t *testing.T) {
	st := brain(t)
	write(t, st, "a.md", "---\ntitle: A: 1\n---\nold\n")
	write(t, st, "b.md", "---\ntitle: B: 1\n---\n")
	write(t, st, "c.md", "---\ntitle: C: 1\n---\n")
	ctx := context.Background()
	r, err := Look(ctx, Options{Store: st, Pack: page.ProblemTree()})
	if err != nil || len(r.Mends()) != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	write(t, st, "a.md", "---\ntitle: A: 2\ntags: [甲]\n---\nnew\n")
	write(t, st, "b.md", "---\ntitle: \"B: 2\"\n---\n")
	if err := os.Remove(filepath.Join(st.Dir(), "c.md")); err != nil {
		t.Fatal(err)
	}
	done, err := r.Mend(ctx, st.Update)
	if err != nil {
		t.Fatal(err)
	}
	want := []Mended{{"a.md", 2, page.CodeTitleColon, "title: A: 2", `title: "A: 2"`, false}}
	if !slices.Equal(done, want) {
		t.Errorf("%+v, want %+v", done, want)
	}
	for name, want := range map[string]string{"a.md": "---\ntitle: \"A: 2\"\ntags: [甲]\n---\nnew\n", "b.md": "---\ntitle: \"B: 2\"\n---\n"} {
		if got, err := os.ReadFile(filepath.Join(st.Dir(), name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
	if info, err := os.Stat(filepath.Join(st.Dir(), "a.md")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions: %v, %v", info.Mode(), err)
	}
}

// Where nearly every page is called as its file, that is said once; where one is, at the
// page.
func TestPagesWithoutATitle(t *testing.T) { // D03
	st := brain(t)
	write(t, st, "a.md", "Text alone.\n")
	write(t, st, "heading.md", "Text.\n\n# Heading\n")
	write(t, st, "titled.md", "---\ntitle: A title\n---\nText.\n")
	write(t, st, "stub.md", "---\nredirect: titled\n---\nMoved.\n")
	found := func() (all []string) {
		t.Helper()
		r, err := Look(context.Background(), Options{Store: st, Pack: page.ProblemTree()})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Findings {
			all = append(all, f.Path+" "+f.Code)
		}
		return all
	}
	if got := found(); !slices.Equal(got, []string{"a.md no-title"}) {
		t.Errorf("one of four: %q", got)
	}
	for i := range habitual {
		write(t, st, fmt.Sprintf("daily-%d.md", i), "Text alone.\n")
	}
	if got := found(); !slices.Equal(got, []string{" no-title"}) {
		t.Errorf("most: %q", got)
	}
}
