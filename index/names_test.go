//go:build unix

package index

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brain/page"
	"brain/text"
)

// distance is the number of errors from a to b by the book: optimal string
// alignment, every cell of the table.
func distance(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = d[i-1][j-1] + 1
			}
			d[i][j] = min(d[i][j], d[i-1][j]+1, d[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

func TestOneError(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"halyard", "halyrad", true},   // swapped
		{"halyard", "halyad", true},    // one too few
		{"halyard", "halyaard", true},  // one too many
		{"halyard", "halyerd", true},   // another
		{"halyard", "ahlyard", true},   // at the start
		{"halyard", "halyards", true},  // at the end
		{"halyard", "halyard", false},  // none
		{"halyard", "halydra", false},  // two
		{"halyard", "dalyarh", false},  // swapped, but no neighbours
		{"views", "interviews", false}, // a part
		{"", "a", true}, {"", "", false}, {"ab", "ba", true}, {"abc", "ca", false},
	} {
		if OneError(c.a, c.b) != c.want || OneError(c.b, c.a) != c.want {
			t.Errorf("%q and %q: want %v both ways", c.a, c.b, c.want)
		}
	}
}

func TestOneErrorIsDistanceOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[abc]{0,7}`)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		if want := distance(a, b) == 1; OneError(a, b) != want || OneError(b, a) != want {
			t.Fatalf("%q and %q: distance %d, OneError %v and %v", a, b, distance(a, b), OneError(a, b), OneError(b, a))
		}
	})
}

// What the automaton finds in the dictionary is what a comparison with every
// name finds.
func TestNamesLikeAreAllThatAreOneErrorAway(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.StringMatching(`[ab]{4,6}`)
		pages, all := map[string]string{}, map[string]int{}
		for i, name := range rapid.SliceOfN(word, 1, 12).Draw(rt, "names") {
			pages[fmt.Sprintf("%d.md", i)] = "---\ntitle: " + strings.ToUpper(name) + "\n---\nText.\n"
			all[name]++
		}
		v := fresh(t, open(t, nil), newTree(t, pages))
		for range 10 {
			asked := word.Draw(rt, "asked")
			var want []NameWord
			for name, n := range all {
				if distance(asked, name) == 1 {
					want = append(want, NameWord{name, n})
				}
			}
			slices.SortFunc(want, func(a, b NameWord) int { return strings.Compare(a.Word, b.Word) })
			if got, err := v.NamesLike(asked, ""); err != nil || !slices.Equal(got, want) {
				rt.Fatalf("%q: got %v, want %v, %v", asked, got, want, err)
			}
		}
	})
}

func TestNamesAreThoseOfFileTitleAndAliases(t *testing.T) {
	v := fresh(t, open(t, nil), newTree(t, map[string]string{
		"sources/spindle.md":  "---\ntitle: The Halyard, v2\naliases: [Ｂｒｉｎｅ-Well, 风车]\n---\n# Catamaran\nA mainsail.\n",
		"retired.md":          "---\ntitle: Bowsprit\nstatus: archived\n---\nOld.\n",
		"agents/kim/note.md":  "---\ntitle: Jigger\n---\nMine.\n",
		"agents/kim/note2.md": "---\ntitle: Halyard\n---\nMine.\n",
	}))
	for word, want := range map[string]map[string]string{
		"spindl":   {"": "[{spindle 1}]"},
		"halyrad":  {"": "[{halyard 1}]", "kim": "[{halyard 2}]", "other": "[{halyard 1}]"},
		"brime":    {"": "[{brine 1}]"},
		"jiggre":   {"": "[]", "kim": "[{jigger 1}]", "other": "[]", "../kim": "[]"},
		"bowspirt": {"": "[]"}, // never ranked
		"catamran": {"": "[]"}, // a heading
		"mainsial": {"": "[]"}, // prose
		"sourecs":  {"": "[]"}, // a folder
	} {
		for agent, list := range want {
			if got, err := v.NamesLike(word, agent); err != nil || fmt.Sprint(got) != list {
				t.Errorf("%q for %q: got %v, want %s, %v", word, agent, got, list, err)
			}
		}
	}
	for _, k := range []struct {
		word, agent string
		want        bool
	}{{"mainsail", "", true}, {"jigger", "", false}, {"jigger", "kim", true}, {"jigger", "other", false}, {"bowsprit", "", false}, {"halyar", "", false}} {
		if got, err := v.Knows(text.Query(k.word), k.agent); err != nil || got != k.want {
			t.Errorf("knows %q for %q: %v, %v", k.word, k.agent, got, err)
		}
	}
}

func TestNamesOfDeletedPagesAreGone(t *testing.T) {
	tr := newTree(t, map[string]string{"a.md": "---\ntitle: Halyard\n---\nText.\n", "b.md": "Other."})
	ix := open(t, nil)
	if got, _ := fresh(t, ix, tr).NamesLike("halyrad", ""); fmt.Sprint(got) != "[{halyard 1}]" {
		t.Fatalf("got %v", got)
	}
	tr.write(t, "a.md", "---\ntitle: Spindle\n---\nText.\n")
	v := fresh(t, ix, tr)
	if got, err := v.NamesLike("halyrad", ""); err != nil || len(got) > 0 {
		t.Errorf("got %v, %v", got, err)
	}
	if known, err := v.Knows(text.Query("halyard"), ""); err != nil || known {
		t.Errorf("still known: %v, %v", known, err)
	}
}

// BenchmarkNamesLike is one word compared with the names of 10,000 pages.
func BenchmarkNamesLike(b *testing.B) {
	pages := map[string]string{}
	syllables := strings.Fields("bri ne well hal yard mo ren ka si tu lan dor fi ge ros pel vin ash ter cu")
	n := len(syllables)
	for i := range 10000 {
		s := func(d int) string { return syllables[i/d%n] }
		pages[fmt.Sprintf("p/%d.md", i)] = fmt.Sprintf("---\ntitle: %s%s%s %s%s\n---\nPage %d of %s.\n", s(1), s(n), s(n*n), s(n), s(1), i, s(1)+s(n*n))
	}
	v := fresh(b, open(b, nil), newTree(b, pages))
	for _, word := range []string{"brinewlel", "halyrad", "xylophnoe"} {
		b.Run(word, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := v.NamesLike(word, ""); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("known", func(b *testing.B) {
		b.ReportAllocs()
		terms := text.Query("renbri")
		for b.Loop() {
			if _, err := v.Knows(terms, ""); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func TestBearersOfANameAreAllWhoBearIt(t *testing.T) {
	v := fresh(t, open(t, nil), newTree(t, map[string]string{"one.md": "1", "x/one.md": "1", "b.md": "---\ntitle: One\naliases: [one]\n---\n", "s.md": "---\nslug: one\nredirect: b\n---\n",
		"agents/bob/facts/ab/f.md": "---\ntitle: one\n---\n", "c.md": "one"}))
	for agent, want := range map[string]string{"alice": "b.md one.md s.md x/one.md", "bob": "agents/bob/facts/ab/f.md b.md one.md s.md x/one.md"} {
		got := map[string]bool{}
		v.For(agent).Bearers("ONE", func(row uint32, _ page.NameKind) { got[string(v.PathOf(row))] = true })
		if s := strings.Join(slices.Sorted(maps.Keys(got)), " "); s != want {
			t.Errorf("%s: %s, want %s", agent, s, want)
		}
	}
}
