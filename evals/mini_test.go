package evals

import (
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden file of the mini evaluation anew; review its diff")

// Rankings of the demo brain are as recorded. A change that moves them on
// purpose runs `go test ./evals -run Mini -update` and explains the diff.
func TestMiniIsAsRecorded(t *testing.T) {
	rep, err := Mini(context.Background(), MiniOptions{Root: "..", Embedder: staticEmbedder(t), Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		b, err := rep.Got.encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(miniGolden, b, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, c := range rep.Changed {
		t.Error(c)
	}
}

func TestMiniNeedsTheDemoBrain(t *testing.T) {
	_, err := Mini(context.Background(), MiniOptions{Root: t.TempDir()})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "brains/demo") {
		t.Errorf("error %v", err)
	}
}

func TestGoldenDifferences(t *testing.T) {
	old := Golden{
		Rows:      []GoldenRow{{Arms: []string{"lexical"}, N: 2, Metrics: Metrics{R1: 0.5}}},
		Questions: []GoldenQuestion{{"q1", false, []string{"a.md", "b.md"}}, {"q2", true, []string{"c.md"}}},
		Weak:      WeakShares{NonsenseOf: 1, Confident: []string{}},
	}
	if got := old.differences(old); len(got) > 0 {
		t.Errorf("the same differs: %v", got)
	}
	now := Golden{
		Rows:      []GoldenRow{{Arms: []string{"lexical"}, N: 2, Metrics: Metrics{R1: 1}}},
		Questions: []GoldenQuestion{{"q1", false, []string{"b.md", "a.md"}}, {"q3", false, nil}},
		Weak:      WeakShares{NonsenseOf: 1, Confident: []string{"n1"}},
	}
	want := `lexical r@1: 1.0000, recorded 0.5000
nonsense answered without a mark: [n1], recorded []
q1: [b.md a.md], recorded [a.md b.md]
q2: recorded and not asked
q3: [], recorded []`
	if got := strings.Join(old.differences(now), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
