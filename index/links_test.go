//go:build unix

package index

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"brain/page"
)

// names gives what a name resolves to.
func names(v *View, name string) string {
	var out []string
	for _, r := range v.Everything().Resolve(name) {
		out = append(out, string(v.path(r)))
	}
	return strings.Join(out, " ")
}

// linked gives the links of a page as "target → page", "target ?" when
// missing, "target {candidates}" when ambiguous.
func linked(t *testing.T, v *View, path string) string {
	t.Helper()
	var out []string
	for _, l := range v.Everything().Links(first(t, v, path)) {
		switch {
		case l.Resolved:
			out = append(out, l.Target+" → "+string(v.path(l.To)))
		case len(l.Ambiguous) > 0:
			out = append(out, fmt.Sprintf("%s %v", l.Target, l.Ambiguous))
		default:
			out = append(out, l.Target+" ?")
		}
	}
	return strings.Join(out, "; ")
}

func TestWhatLinksMean(t *testing.T) {
	for _, c := range []struct {
		name  string
		pages map[string]string
		from  string // page whose links are told
		want  string
	}{
		{"unique file name", map[string]string{"x/one.md": "1", "a.md": "[[one]]"}, "a.md", "one → x/one.md"},
		{"ambiguous file name", map[string]string{"x/one.md": "1", "y/one.md": "1", "a.md": "[[one]]"}, "a.md", "one [x/one.md y/one.md]"},
		{"path before file name", map[string]string{"one.md": "1", "y/one.md": "1", "a.md": "[[one]]"}, "a.md", "one → one.md"},
		{"file name before title", map[string]string{"x/one.md": "1", "b.md": "---\ntitle: one\n---\n", "a.md": "[[one]]"}, "a.md", "one → x/one.md"},
		{"title before alias", map[string]string{"b.md": "---\ntitle: Uno\n---\n1", "c.md": "---\naliases: [Uno]\n---\n1", "a.md": "[[Uno]]"}, "a.md", "Uno → b.md"},
		{"alias", map[string]string{"b.md": "---\naliases: [Uno]\n---\n1", "a.md": "[[uno]]"}, "a.md", "uno → b.md"},
		{"slug is as good as a file name", map[string]string{"b.md": "---\nslug: one\n---\n1", "x/one.md": "1", "a.md": "@one"}, "a.md", "one [b.md x/one.md]"},
		{"wikilink path from the root", map[string]string{"x/one.md": "1", "a/x/one.md": "1", "a/b.md": "[[x/one]]"}, "a/b.md", "x/one → x/one.md"},
		{"wikilink path from the page", map[string]string{"a/x/one.md": "1", "a/b.md": "[[x/one]]"}, "a/b.md", "x/one → a/x/one.md"},
		{"relative", map[string]string{"x/one.md": "1", "a/b.md": "[1](../x/one.md) [2](./c.md)", "a/c.md": "2"}, "a/b.md", "../x/one.md → x/one.md; ./c.md → a/c.md"},
		{"root-relative", map[string]string{"x/one.md": "1", "a/b.md": "[1](/x/one.md) [2](x/one)"}, "a/b.md", "/x/one.md → x/one.md; x/one → x/one.md"},
		{"never outside", map[string]string{"one.md": "1", "a.md": "[1](../one.md)"}, "a.md", "../one.md ?"},
		{"case and composition", map[string]string{"Café.md": "1", "a.md": "[[CAFE\u0301]] [[cafe\u0301]]"}, "a.md", "CAFE\u0301 → Café.md; cafe\u0301 → Café.md"},
		{"Chinese", map[string]string{"实体/数据库.md": "1", "a.md": "[[数据库]] [[实体/数据库]]"}, "a.md", "数据库 → 实体/数据库.md; 实体/数据库 → 实体/数据库.md"},
		{"siblings by name", map[string]string{"a b.md": "1", "a_b.md": "1", "a-b.md": "1", "z.md": "[[a b]] [[a_b]] [[a-b]]"}, "z.md", "a b → a b.md; a_b → a_b.md; a-b → a-b.md"},
		{"missing", map[string]string{"a.md": "[[nowhere]] [[nowhere]]"}, "a.md", "nowhere ?; nowhere ?"},
		{"redirect", map[string]string{"old.md": "---\nredirect: new\n---\n", "new.md": "1", "a.md": "[[old]]"}, "a.md", "old → new.md"},
		{"redirect of a redirect", map[string]string{"older.md": "---\nredirect: old\n---\n", "old.md": "---\nredirect: new\n---\n", "new.md": "1", "a.md": "[[older]]"}, "a.md", "older → new.md"},
		{"redirect to nothing", map[string]string{"old.md": "---\nredirect: gone\n---\n", "a.md": "[[old]]"}, "a.md", "old → old.md"},
		{"redirect to two", map[string]string{"old.md": "---\nredirect: one\n---\n", "x/one.md": "1", "y/one.md": "1", "a.md": "[[old]]"}, "a.md", "old → old.md"},
		{"redirect to itself", map[string]string{"old.md": "---\nredirect: old\n---\n", "a.md": "[[old]]"}, "a.md", "old → old.md"},
		{"redirects in a ring", map[string]string{"x.md": "---\nredirect: y\n---\n", "y.md": "---\nredirect: x\n---\n", "a.md": "[[x]]"}, "a.md", "x → x.md"},
		{"a name and its stub are one page", map[string]string{"x/ada.md": "---\nredirect: y/ada\n---\n", "y/ada.md": "1", "a.md": "[[ada]]"}, "a.md", "ada → y/ada.md"},
	} {
		v := fresh(t, open(t, nil), newTree(t, c.pages))
		if got := linked(t, v, c.from); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Where the disk tells case and Unicode form apart, pages that differ in
// nothing else are told apart by how a link spells them.
func TestLinksToTwinsGoByTheirSpelling(t *testing.T) {
	tr := newTree(t, map[string]string{
		"README.md": "1", "readme.md": "2", "\u00e9.md": "3", "e\u0301.md": "4", "x/One.md": "5", "x/one.md": "6",
		"a.md":   "[[README]] [1](readme.md) [[Readme]] [[\u00e9]] [[e\u0301]]",
		"x/a.md": "[1](./one.md) [2](One.md) [[x/one]] [[One]]",
	})
	if names, err := os.ReadDir(tr.dir); err != nil || len(names) != 6 {
		t.Skip("this disk ignores case or Unicode form: ", err)
	}
	v := fresh(t, open(t, nil), tr)
	for from, want := range map[string]string{
		"a.md":   "README → README.md; readme.md → readme.md; Readme [README.md readme.md]; \u00e9 → \u00e9.md; e\u0301 → e\u0301.md",
		"x/a.md": "./one.md → x/one.md; One.md → x/One.md; x/one → x/one.md; One [x/One.md x/one.md]",
	} {
		if got := linked(t, v, from); got != want {
			t.Errorf("%s: %s, want %s", from, got, want)
		}
	}
	if got := names(v, "README") + " " + names(v, "readme"); got != "README.md readme.md" {
		t.Errorf("names: %s", got)
	}
}

// What a link means is decided when it is walked: pages that appear, move,
// lose or gain a name change the links of pages that did not change.
func TestLinksFollowTheTree(t *testing.T) {
	for _, rows := range []int{0, 256} { // folded at every sync, and never
		setTail(t, rows)
		tr := newTree(t, map[string]string{"a.md": "[[ada]] and [[Countess]]\n"}).settled()
		ix := open(t, nil)
		step := func(want string) {
			t.Helper()
			if got := linked(t, fresh(t, ix, tr), "a.md"); got != want {
				t.Errorf("%s, want %s", got, want)
			}
			st, err := ix.Status(t.Context(), tr)
			must(t, err)
			if n := 2 - strings.Count(want, "→"); st.Unresolved != n || st.Links < 2 {
				t.Errorf("%d of %d links unresolved, want %d", st.Unresolved, st.Links, n)
			}
		}
		step("ada ?; Countess ?")
		tr.write(t, "entities/ada.md", "# Ada\n\nmathematician\n")
		step("ada → entities/ada.md; Countess ?")
		tr.write(t, "entities/ada.md", "---\naliases: [Countess]\n---\n# Ada\n\nmathematician\n")
		step("ada → entities/ada.md; Countess → entities/ada.md")
		tr.remove(t, "entities/ada.md")
		tr.write(t, "people/ada.md", "---\naliases: [Countess]\n---\n# Ada\n\nmathematician\n")
		step("ada → people/ada.md; Countess → people/ada.md")
		tr.write(t, "other/ada.md", "another\n")
		step("ada [other/ada.md people/ada.md]; Countess → people/ada.md")
		tr.write(t, "people/ada.md", "---\nredirect: other/ada\n---\n")
		step("ada → other/ada.md; Countess ?")
		tr.remove(t, "other/ada.md")
		step("ada → people/ada.md; Countess ?")
		sound(t, ix, tr)
	}
}

func TestEdges(t *testing.T) {
	v := fresh(t, open(t, nil), newTree(t, map[string]string{
		"ada.md":     "# Ada\n\n[[ada]] knows [[babbage]].\n\nAnd [[babbage]] again.\n\n- decided [[babbage]]\n",
		"babbage.md": "---\ntitle: Babbage\naliases: [Charles]\n---\nThe engine.\n",
		"engine.md":  "The engine was founded by [[Charles]].\n\nSee [[old]].\n",
		"old.md":     "---\nredirect: babbage\n---\n",
	}))
	for _, c := range []struct {
		page string
		in   bool
		want string
	}{
		{"ada.md", false, "babbage.md mentions 3; babbage.md mentions 5; babbage.md decided 7"},
		{"ada.md", true, ""},
		{"babbage.md", false, "engine.md founded 1"},
		{"babbage.md", true, "engine.md references 3; ada.md mentions 3; ada.md mentions 5; ada.md decided 7"},
		{"engine.md", false, "babbage.md references 3"},
		{"engine.md", true, "babbage.md founded 1"},
	} {
		if got := strings.Join(edges(v, first(t, v, c.page), c.in), "; "); got != c.want {
			t.Errorf("%s in=%v: %s, want %s", c.page, c.in, got, c.want)
		}
	}
	// The link through an old name is not counted: that would mean to resolve.
	if got := v.Everything().Degree(first(t, v, "babbage.md")); got != 4 {
		t.Errorf("degree %d", got)
	}
	visits := 0
	v.Everything().Edges(first(t, v, "babbage.md"), true, func(uint32, string, int) bool { visits++; return visits < 2 })
	if visits != 2 {
		t.Errorf("%d visits after being told to stop at 2", visits)
	}
	if got := names(v, "CHARLES"); got != "babbage.md" {
		t.Errorf("Charles is %s", got)
	}
}

// A list that brain writes of pages links none of them.
func TestOwnOutputLinksNothing(t *testing.T) {
	for _, path := range []page.Path{"contradictions.md", "diary.md"} {
		p := page.Parse(path, []byte("---\ngenerated: brain\n---\n[a](a.md) and [[b]]\n"))
		if r := newRecord(page.File{Path: path}, p, nil); len(r.edges) != 0 {
			t.Errorf("%s leads to %d pages", path, len(r.edges))
		}
	}
}
