package retrieve

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// harbour is a brain in which every name has a loud rival: a page that says all
// names many times.
func harbour(t *testing.T) *brain {
	t.Helper()
	return newBrain(t, filler(map[string]string{
		"entities/robert.md": "---\ntitle: Robert Falk\nslug: rfalk\naliases: [Bobby, 罗伯特, \"Quay 9\"]\nschema_type: entity\n---\n" +
			"The harbour master. He works_at [[Tidewater]].\n\n- works_at [[Tidewater]]\n",
		"entities/tide.md":      "---\ntitle: Tidewater\naliases: [TW, 潮水公司]\nschema_type: entity\n---\nA firm.\n",
		"entities/old.md":       "---\ntitle: R. Falk\nredirect: entities/robert\n---\n",
		"entities/older.md":     "---\ntitle: Falk Rob\nredirect: entities/old\n---\n",
		"entities/east/john.md": "---\ntitle: John Reed\n---\nHe rows.\n",
		"entities/west/john.md": "---\ntitle: John Reed\n---\nHe sails.\n",
		"entities/loop1.md":     "---\ntitle: Ring One\nredirect: entities/loop2\n---\n",
		"entities/loop2.md":     "---\ntitle: Ring Two\nredirect: entities/loop1\n---\n",
		"loud.md":               strings.Repeat("Robert Falk, rfalk, Bobby, 罗伯特, Quay 9, R. Falk, Falk Rob, Tidewater, TW, 潮水公司, John Reed, Ring One, entities robert. ", 20),
	}, 5, func(i int) string { return strings.Repeat("Bobby and Robert at Tidewater, 罗伯特. ", i+1) }))
}

func TestEveryNameOfAPagePutsItFirst(t *testing.T) {
	b := harbour(t)
	for name, how := range map[string]string{
		"entities/robert": "exact name", "entities/robert.md": "exact name", "Entities/Robert.md": "exact name",
		"robert": "exact name", "robert.md": "exact name", "rfalk": "exact name",
		"Robert Falk": "exact name", "robert falk": "exact name", "ROBERT FALK": "exact name", "  Robert   Falk ": "exact name",
		"Ｒｏｂｅｒｔ　Ｆａｌｋ": "exact name", "Röbert Falk": "exact name",
		"Bobby": "exact name", "bobby": "exact name", "罗伯特": "exact name", "quay 9": "exact name", "ＱＵＡＹ ９": "exact name",
		"R. Falk": "redirect", "entities/old": "redirect", "entities/old.md": "redirect", "old": "redirect",
		"Falk Rob": "redirect", "entities/older": "redirect", "entities/older.md": "redirect", // a chain of two
	} {
		for _, arms := range [][]string{nil, {Lexical}, {Graph}} {
			a := b.search(Query{Text: name, Arms: arms})
			if len(a.Hits) == 0 || a.Hits[0].Path != "entities/robert.md" || !slices.Contains(a.Hits[0].Evidence, how) || a.Weak || a.Corrected != nil {
				t.Errorf("%q, arms %v: %q, corrected %v; want entities/robert.md first by %s", name, arms, paths(a), a.Corrected, how)
			}
		}
	}
}

func TestNameOfTwoPagesPinsNeither(t *testing.T) {
	b := harbour(t)
	for _, name := range []string{"John Reed", "john", "john reed"} {
		a := b.ask(name)
		for _, h := range a.Hits {
			if slices.Contains(h.Evidence, "exact name") {
				t.Errorf("%q: %s was taken for the one that is meant", name, h.Path)
			}
		}
		if hit(a, "entities/east/john.md") == nil || hit(a, "entities/west/john.md") == nil {
			t.Errorf("%q: %q", name, paths(a))
		}
	}
	wantFirst(t, b.ask("west/john"), "entities/west/john.md")
	wantFirst(t, b.ask("entities/east/john.md"), "entities/east/john.md")
}

func TestRedirectsInACircleNameNothingAndAreReported(t *testing.T) {
	b := harbour(t)
	for _, name := range []string{"Ring One", "entities/loop1", "loop2.md"} {
		for _, h := range b.ask(name).Hits {
			if strings.Contains(h.Path, "loop") || slices.Contains(h.Evidence, "exact name") || slices.Contains(h.Evidence, "redirect") {
				t.Errorf("%q: %s %q", name, h.Path, h.Evidence)
			}
		}
	}
	v := b.view()
	var got []string
	for _, cycle := range v.RedirectCycles() {
		for _, row := range cycle {
			got = append(got, string(v.Page(row).Path))
		}
	}
	if want := []string{"entities/loop1.md", "entities/loop2.md"}; !slices.Equal(got, want) {
		t.Errorf("cycles of %q, want %q", got, want)
	}
}

// An alias is as good as the title wherever a name counts.
func TestAliasesCountOnEveryWay(t *testing.T) {
	b := harbour(t)
	for _, question := range []string{"Where does Bobby work?", "罗伯特在哪里工作", "Where does Falk Rob work?", "Who works at TW?", "谁在潮水公司工作"} {
		want := "entities/tide.md"
		if strings.Contains(question, "TW") || strings.Contains(question, "潮水") {
			want = "entities/robert.md"
		}
		a := b.ask(question)
		if h := hit(a, want); h == nil || h.Rank != 1 || !slices.ContainsFunc(h.Evidence, func(e string) bool { return strings.HasPrefix(e, "link: works_at") }) {
			t.Errorf("%q (%s): %q", question, a.Relation, paths(a))
		}
	}
	for _, question := range []string{"what did Bobby say of the storm", "罗伯特 昨天的 storm"} {
		h := hit(b.ask(question), "entities/robert.md")
		if h == nil || !slices.Contains(h.Evidence, "named") || signal(h, "named") == nil {
			t.Errorf("%q: the alias names nothing: %+v", question, h)
		}
	}
	joined := newBrain(t, filler(map[string]string{
		"game.md":   "---\ntitle: Act of War\n---\nA game. Its author is Ricky Vance.\n",
		"author.md": "---\ntitle: Richard Vance\naliases: [Ricky Vance]\n---\nHis genre is the thriller.\n",
	}, 5, func(i int) string { return fmt.Sprintf("Genre number %d.", i) }))
	h := hit(joined.ask("what genre is the author of Act of War associated with"), "author.md")
	if h == nil || signal(h, "joined") == nil {
		t.Errorf("the alias in another page's text joins nothing: %+v", h)
	}
}
