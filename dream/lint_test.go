package dream

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// told gives what was left, as a person reads it.
func told(s *StageReport) (all []string) {
	for _, l := range s.Left {
		all = append(all, fmt.Sprintf("%s:%d: %s; %s", l.Path, l.Line, l.What, l.Hint))
	}
	return all
}

// D03
func TestLintFindsAPageWithoutATitle(t *testing.T) {
	w := newWorld(t)
	w.write("notes/scratch.md", "Text without a name.\n")
	s := stage(t, w.dream(w.cycle(nil), Lint), Lint)
	want := []string{`notes/scratch.md:0: no-title: it says no title: answers show the name of the file, "scratch"; add title: to the front matter, or a heading`}
	if got := told(s); !slices.Equal(got, want) || s.Counts["no-title"] != 1 || s.Counts["notes"] != 1 || s.Looked != 1 || s.Unit != "pages" || !s.OK {
		t.Errorf("%+v\nwant %q", s, want)
	}
}

func TestLintCountsAllAndNamesTheWorst(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", "# A\n"+strings.Repeat("[[Nobody]]\n\n", 30))
	w.write("z.md", "---\nredirect: nowhere\n---\n")
	w.write("m.md", "# M\n<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n")
	s := stage(t, w.dream(w.cycle(nil), Lint), Lint)
	if s.Counts["missing-link"] != 30 || s.Counts["errors"] != 1 || s.Counts["warnings"] != 31 {
		t.Errorf("counts %v", s.Counts)
	}
	got := told(s)
	if len(got) != maxFindings+1 || !strings.HasPrefix(got[0], "m.md:2: conflict-markers: ") || got[maxFindings] != ":0: 12 more findings; `brain lint` lists all of them" {
		t.Errorf("%q", got)
	}
	if !slices.ContainsFunc(got, func(l string) bool { return strings.HasPrefix(l, "z.md:2: dangling-redirect: ") }) {
		t.Errorf("the one redirect is hidden behind the missing links: %q", got)
	}
}

func TestLintLooksAtNothingTwice(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", "# A\n[[Nobody]]\n")
	first := stage(t, w.dream(w.cycle(nil), Lint), Lint)
	second := stage(t, w.dream(w.cycle(nil), Lint), Lint)
	if second.Skipped == "" || second.Looked != 0 || !slices.Equal(second.Left, first.Left) || second.Counts["missing-link"] != 1 {
		t.Errorf("%+v\nafter %+v", second, first)
	}
	w.write("memory.json", "{")
	if s := stage(t, w.dream(w.cycle(nil), Lint), Lint); s.Counts["memory-file"] != 1 {
		t.Errorf("memory.json was damaged meanwhile: %+v", s)
	}
	w.write("b.md", "# Nobody\n")
	if s := stage(t, w.dream(w.cycle(nil), Lint), Lint); s.Skipped != "" || s.Counts["missing-link"] != 0 {
		t.Errorf("the page was made meanwhile: %+v", s)
	}
}

func TestLintMendsOnlyWhenAsked(t *testing.T) {
	w := newWorld(t)
	const broken = "---\ntitle: Wei: the team\ntags: [甲]\n---\nText.\n"
	w.write("a.md", broken)
	c := w.cycle(nil)
	s := stage(t, w.dream(c, Lint), Lint)
	if w.read("a.md") != broken || len(s.Changed) != 0 || s.Counts["title-colon"] != 1 {
		t.Fatalf("not asked to: %+v", s)
	}

	c.FixLint, c.DryRun = true, true
	change := Change{"a.md", "mended: title-colon"}
	if s = stage(t, w.dream(c, Lint), Lint); w.read("a.md") != broken || !slices.Equal(s.Changed, []Change{change}) {
		t.Fatalf("a dry run: %+v", s)
	}

	c.DryRun = false
	s = stage(t, w.dream(c, Lint), Lint)
	if got := w.read("a.md"); got != "---\ntitle: \"Wei: the team\"\ntags: [甲]\n---\nText.\n" {
		t.Errorf("mended: %q", got)
	}
	if !slices.Equal(s.Changed, []Change{change}) || s.Counts["mended"] != 1 || s.Counts["title-colon"] != 0 || len(s.Left) != 0 {
		t.Errorf("%+v", s)
	}
	if s = stage(t, w.dream(c, Lint), Lint); s.Skipped == "" || len(s.Changed) != 0 || s.Counts["mended"] != 0 {
		t.Errorf("the night after: %+v", s)
	}
}
