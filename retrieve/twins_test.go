package retrieve

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"brain/index"
)

// copies makes n pages with one text, and others that have less of the words.
func copies(n, others int) map[string]string {
	pages := map[string]string{}
	for i := range n {
		pages[fmt.Sprintf("copy/%03d.md", i)] = "---\ntitle: Samovar\n---\nThe samovar is polished. 茶炊很亮。\n"
	}
	for i := range others {
		pages[fmt.Sprintf("other/%02d.md", i)] = fmt.Sprintf("A samovar of kind %d stands on shelf %d among many other things. 茶炊。\n", i, i)
	}
	return pages
}

// 20 copies are few for an arm, 150 and 450 are more than it brings: the others
// come all the same.
func TestDuplicatesAreOneHitAndTakeOnePlace(t *testing.T) {
	for _, n := range []int{20, 150, 450} {
		b := newBrain(t, copies(n, 12))
		for _, q := range []Query{{}, {Unit: Passages}, {Arms: []string{Lexical}}} {
			for _, q.Text = range []string{"samovar", "茶炊"} {
				q.N = 10
				a := b.search(q)
				if len(a.Hits) != 10 || a.Hits[0].Path != "copy/000.md" || len(a.Hits[0].Sources) != n-1 {
					t.Errorf("%d copies: %v: %d hits, first %s with %d sources", n, q, len(a.Hits), a.Hits[0].Path, len(a.Hits[0].Sources))
				}
				if slices.ContainsFunc(a.Hits[1:], func(h Hit) bool { return !strings.HasPrefix(h.Path, "other/") }) {
					t.Errorf("%d copies: %v: %q", n, q, paths(a))
				}
			}
		}
	}
}

func TestWhatIsThereIsNotAskedForTwice(t *testing.T) {
	list := func(n, twins int) []*candidate {
		out := make([]*candidate, n)
		for i := range out {
			out[i] = &candidate{}
		}
		if n > 0 {
			out[0].twins = make([]string, twins)
		}
		return out
	}
	full := &found{depth: 100, lexical: matches(100)}
	for _, c := range []struct {
		f        *found
		n, twins int
		want     int
	}{
		{full, 4, 96, 400},
		{full, 4, 50, 400},
		{full, 4, 49, 0},  // the floor dropped the others
		{full, 10, 90, 0}, // enough hits
		{&found{depth: 100, lexical: matches(99)}, 4, 95, 0}, // it brought all it had
		{&found{depth: 400, vector: matches(400)}, 4, 396, 1600},
		{full, 0, 0, 0},
	} {
		if got := c.f.beyondTwins(list(c.n, c.twins), 10); got != c.want {
			t.Errorf("%d hits, %d twins: depth %d, want %d", c.n, c.twins, got, c.want)
		}
	}
}

func matches(n int) []index.Match { return make([]index.Match, n) }
