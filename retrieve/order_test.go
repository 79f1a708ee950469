package retrieve

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"brain/text"
)

func queryTerms(s string) []text.QueryTerm { return text.Query(s) }

// phraseOf is the share of the question's neighbours that are neighbours in s.
func phraseOf(w *wanted, s string) float64 {
	var marks []mark
	text.Terms(s, func(t text.Term) {
		if n, ok := w.num[string(t.Text)]; ok {
			marks = append(marks, mark{n, t.Pos, t.Start, t.End})
		}
	})
	return w.pairs(marks)
}

// randomCandidates have many ties of every kind.
func randomCandidates(r *rand.Rand, n int) []*candidate {
	out := make([]*candidate, n)
	for i := range out {
		c := &candidate{path: fmt.Sprintf("%03d.md", i), pinned: r.IntN(10) == 0}
		c.score = float64(r.IntN(12)) * scoreGrid / 3 * (1 + float64(r.IntN(3))*1e-10)
		c.page.Tier = r.IntN(5)
		out[i] = c
	}
	return out
}

func TestOrderIsTotal(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 30 {
		cs := randomCandidates(r, 14)
		for _, a := range cs {
			for _, b := range cs {
				if byRank(a, b) != -byRank(b, a) || (byRank(a, b) == 0) != (a == b) {
					t.Fatalf("not antisymmetric: %+v, %+v", *a, *b)
				}
				for _, c := range cs {
					if byRank(a, b) < 0 && byRank(b, c) < 0 && byRank(a, c) >= 0 {
						t.Fatalf("not transitive: %+v, %+v, %+v", *a, *b, *c)
					}
				}
			}
		}
		want := slices.Clone(cs)
		slices.SortFunc(want, byRank)
		for range 5 {
			r.Shuffle(len(cs), func(i, j int) { cs[i], cs[j] = cs[j], cs[i] })
			got := slices.Clone(cs)
			slices.SortFunc(got, byRank)
			if !slices.Equal(got, want) {
				t.Fatal("the order depends on where it started")
			}
		}
	}
}

func TestRankOrderIsPinnedThenGridThenTierThenScoreThenPath(t *testing.T) {
	make := func(path string, score float64, tier int, pinned bool) *candidate {
		c := &candidate{path: path, score: score, pinned: pinned}
		c.page.Tier = tier
		return c
	}
	want := []*candidate{
		make("z.md", .1, 4, true),
		make("a.md", 5*scoreGrid, 4, false),
		make("y.md", 4.1*scoreGrid, 0, false),
		make("b.md", 4.9*scoreGrid, 3, false),
		make("c.md", 4.1*scoreGrid, 3, false),
		make("d.md", 4.1*scoreGrid, 3, false),
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, byRank)
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("place %d: %s, want %s", i+1, got[i].path, want[i].path)
		}
	}
}

func TestFloorKeepsAFewAndWhatTheQuestionNames(t *testing.T) {
	list := func(scores ...float64) []*candidate {
		var out []*candidate
		for i, s := range scores {
			out = append(out, &candidate{path: fmt.Sprint(i), score: s})
		}
		return out
	}
	low := fusedFloor / 2
	if got := len(floor(list(1, .9, .8, .7, low, low))); got != 4 {
		t.Errorf("kept %d of 6, want those above the floor", got)
	}
	if got := len(floor(list(1, low, low, low))); got != floorKeep {
		t.Errorf("kept %d, want the %d that are always shown", got, floorKeep)
	}
	if got := len(floor(nil)); got != 0 {
		t.Errorf("kept %d of none", got)
	}
	named := list(1, .9, .8, .7, low, low, 0)
	last := named[6]
	last.pinned = true
	if got := floor(named); len(got) != 5 || got[4] != last {
		t.Errorf("kept %d; the page that the question names must be among them", len(got))
	}
}

// The window is the stretch of windowWords words that is worth most.
func TestPassageIsTheBestWindow(t *testing.T) {
	w := newWanted(queryTerms("alpha beta gamma"), nil)
	body := "alpha " + strings.Repeat("x ", 60) + "gamma and alpha then beta " + strings.Repeat("x ", 60) + "beta gamma"
	var marks []mark
	text.Terms(body, func(tm text.Term) {
		if n, ok := w.num[string(tm.Text)]; ok {
			marks = append(marks, mark{n, tm.Pos, tm.Start, tm.End})
		}
	})
	start, end, covered := w.window(marks)
	if got := body[start:end]; got != "gamma and alpha then beta" || covered != 1 {
		t.Errorf("window %q covers %v", got, covered)
	}
}
