package evals

import (
	"cmp"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/page"
	"brain/retrieve"
)

var weakMargins = flag.Bool("weakmargins", false, "print the questions of testdata/weak on the wrong side of the mark, with the best hit's signals")

// `go test ./evals -run TestWeakMargins -v -weakmargins` is for whoever moves
// the mark: which nonsense looks strong, which good answers look weak, and by
// how much. The untuned half is not shown.
func TestWeakMargins(t *testing.T) {
	if !*weakMargins {
		t.Skip("prints for people: -weakmargins -v")
	}
	emb := staticEmbedder(t)
	root, remove, err := tempRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := remove(); err != nil {
			t.Error(err)
		}
	}()
	demo, err := copyBrain(filepath.Join("..", "brains", "demo"), root)
	if err != nil {
		t.Fatal(err)
	}
	world, err := plantWorld(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range []*tree{demo, world} {
		err := withEngine(t.Context(), tr, Options{Embedder: emb}, func(e *engine) error {
			printMargins(t, e)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// margin is a question on the wrong side, and how far.
type margin struct {
	share float64 // of the ideal BM25
	line  string
}

func printMargins(t *testing.T, e *engine) {
	t.Helper()
	for _, file := range []string{"nonsense.jsonl", "good.jsonl"} {
		isGood := file == "good.jsonl"
		var wrong []margin
		n := 0
		for _, q := range readQuestions(t, weakData+file) {
			if q.Tree != e.t.brain || Untuned(q.ID) {
				continue
			}
			_, ans, err := e.ask(t.Context(), retrieve.Query{Text: q.Text, N: 10, Agent: page.DefaultAgent, Now: e.clock(time.Time{})})
			if err != nil {
				t.Fatal(err)
			}
			wanted := slices.IndexFunc(ans.Hits, func(h retrieve.Hit) bool { return h.Path == q.Want || slices.Contains(h.Sources, q.Want) })
			if isGood && (wanted < 0 || wanted >= weakPlaces) {
				continue // the first hit is no answer: the mark is right
			}
			if n++; ans.Weak == isGood && len(ans.Hits) > 0 {
				wrong = append(wrong, marginOf(q, ans, wanted+1))
			}
		}
		slices.SortFunc(wrong, func(a, b margin) int { return cmp.Compare(b.share, a.share) })
		what := "nonsense that looks strong"
		if isGood {
			what = fmt.Sprintf("good, found among the first %d, that looks weak", weakPlaces)
		}
		t.Logf("%s: %s: %d of %d", e.t.brain, what, len(wrong), n)
		for _, m := range wrong {
			t.Log(m.line)
		}
	}
}

// marginOf prints what the best hit has. BM25 is given as its share of the
// ideal; of each other signal the value that counts, then the arm's own figure.
func marginOf(q relational, ans *retrieve.Answer, wanted int) margin {
	best := ans.Hits[0]
	var m margin
	var has strings.Builder
	for _, s := range best.Signals {
		var ideal float64
		switch _, err := fmt.Sscanf(s.Note, "of ideal %g", &ideal); {
		case s.Name == "bm25" && err == nil && ideal > 0:
			m.share = s.Raw / ideal
		case !strings.HasPrefix(s.Name, "rrf."):
			fmt.Fprintf(&has, " %s %.3f", s.Name, s.Value)
			if s.Raw != 0 {
				fmt.Fprintf(&has, "(%.3f)", s.Raw)
			}
		}
	}
	found := ""
	if wanted > 0 {
		found = fmt.Sprintf(" wanted at %d", wanted)
	}
	m.line = fmt.Sprintf("%s %-14s %q\n  bm25 %.3f%s score %.3f%s %s %s%s", q.ID, q.Type, q.Text, m.share, has.String(), best.Score, found, strings.Join(best.Evidence, "+"), best.Path, relationOf(ans))
	return m
}

func relationOf(ans *retrieve.Answer) string {
	if ans.Relation == "" {
		return ""
	}
	return " as " + ans.Relation
}
