package evals

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSignTest(t *testing.T) {
	for _, test := range []struct {
		gained, lost int
		want         float64
	}{
		{0, 0, 1},
		{3, 0, 0.25},         // 2 · 1/8
		{0, 5, 0.0625},       // 2 · 1/32
		{1, 9, 0.021484375},  // 2 · (1+10)/1024
		{9, 1, 0.021484375},  // two-sided
		{2, 10, 0.038574219}, // 2 · (1+12+66)/4096
		{5, 5, 1},
		{1000, 1100, 0.030720708},
	} {
		if got := SignTest(test.gained, test.lost); math.Abs(got-test.want) > 1e-6*math.Max(1, test.want) {
			t.Errorf("SignTest(%d, %d) = %.9f, want %.9f", test.gained, test.lost, got, test.want)
		}
	}
}

// runOf makes a run with one fusion row of nDCG values by question.
func runOf(values map[string]float64) *Run {
	row := Row{Set: "toy", Unit: "page", Scope: "all", Arms: []string{"lexical", "vector"}, K: 10, Digest: "d1"}
	for id, v := range values {
		row.Results = append(row.Results, Result{ID: id, Ranked: []string{"x"}, Metrics: Metrics{NDCG10: v, R1: 1}})
	}
	row.N = len(row.Results)
	alone := row
	alone.Arms = []string{"lexical"}
	alone.Results = nil
	return &Run{Format: RunFormat, Set: "toy", Rows: []Row{alone, row}}
}

func TestCompareListsWhatMoved(t *testing.T) {
	a := runOf(map[string]float64{"same": 0.5, "up": 0.2, "upmore": 0, "down": 1, "gone": 1})
	b := runOf(map[string]float64{"same": 0.5 + 1e-12, "up": 0.4, "upmore": 1, "down": 0.3, "new": 1})
	b.Fusion().Digest = "d2"
	c, err := Compare(a, b, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(c.Gained), "[{upmore 0 1} {up 0.2 0.4}]"; got != want {
		t.Errorf("gained %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(c.Lost), "[{down 1 0.3}]"; got != want {
		t.Errorf("lost %s, want %s", got, want)
	}
	if c.N != 4 || c.OnlyA != 1 || c.OnlyB != 1 || math.Abs(c.A-0.425) > 1e-9 || math.Abs(c.B-0.55) > 1e-9 {
		t.Errorf("n %d, only %d and %d, means %v and %v", c.N, c.OnlyA, c.OnlyB, c.A, c.B)
	}
	if c.P != 1 || c.Worse || c.Better {
		t.Errorf("p %v worse %v better %v for 2 against 1", c.P, c.Worse, c.Better)
	}
	if got := strings.Join(c.Notes, "; "); got != "settings differs: d1, then d2" {
		t.Errorf("notes %q", got)
	}
	var out strings.Builder
	if err := c.WriteText(&out, 1); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"ndcg@10 of lexical+vector over 4 questions: 0.4250 -> 0.5500 (+0.1250)",
		"gained 2, lost 1, same 1; sign test p = 1: within noise", "lost\t1.0000 -> 0.3000\tdown", "gained\t... and 1 more"} {
		if !strings.Contains(out.String(), line+"\n") {
			t.Errorf("no line %q in\n%s", line, out.String())
		}
	}
}

func TestCompareTellsLossFromNoise(t *testing.T) {
	for _, test := range []struct {
		gained, lost  int
		worse, better bool
	}{
		{0, 5, false, false}, // p = 0.0625
		{0, 6, true, false},  // p = 0.03125
		{6, 0, false, true},
		{2, 10, true, false},
		{10, 10, false, false},
	} {
		va, vb := map[string]float64{}, map[string]float64{}
		for i := range test.gained {
			va[fmt.Sprint("g", i)], vb[fmt.Sprint("g", i)] = 0, 1
		}
		for i := range test.lost {
			va[fmt.Sprint("l", i)], vb[fmt.Sprint("l", i)] = 1, 0
		}
		c, err := Compare(runOf(va), runOf(vb), CompareOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if c.Worse != test.worse || c.Better != test.better {
			t.Errorf("+%d -%d: worse %v, better %v (p %v)", test.gained, test.lost, c.Worse, c.Better, c.P)
		}
	}
}

func TestCompareRefuses(t *testing.T) {
	a := runOf(map[string]float64{"q": 1})
	for name, call := range map[string]func() error{
		"unknown metric": func() error { _, err := Compare(a, a, CompareOptions{Metric: "p@5"}); return err },
		"no such row":    func() error { _, err := Compare(a, a, CompareOptions{Arms: []string{"graph"}}); return err },
		"nothing common": func() error {
			_, err := Compare(a, runOf(map[string]float64{"other": 1}), CompareOptions{})
			return err
		},
		"row without any": func() error { _, err := Compare(a, a, CompareOptions{Arms: []string{"lexical"}}); return err },
	} {
		if err := call(); !errors.Is(err, ErrUsage) {
			t.Errorf("%s: %v, want ErrUsage", name, err)
		}
	}
}

func TestRunFileRoundTrip(t *testing.T) {
	name := filepath.Join(t.TempDir(), "run.json")
	a := runOf(map[string]float64{"q1": 0.25, "q2": 1})
	a.Settings = Settings{Embedder: "static/1", Unit: "page", K: 10}
	if err := a.Save(name); err != nil {
		t.Fatal(err)
	}
	b, err := ReadRun(name)
	if err != nil {
		t.Fatal(err)
	}
	if b.Set != "toy" || b.Settings != a.Settings || len(b.Rows) != 2 || fmt.Sprint(b.Rows) != fmt.Sprint(a.Rows) {
		t.Errorf("read back %+v, want %+v", b, a)
	}
	c, err := Compare(a, b, CompareOptions{Metric: "r@1"})
	if err != nil || c.N != 2 || len(c.Gained)+len(c.Lost) != 0 {
		t.Errorf("a run differs from its own file: %+v, %v", c, err)
	}
}

func TestReadRunRefusesOtherFiles(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"rows.json": `[{"set":"x"}]`, "other.json": `{"format":7}`, "cut.json": `{"format":1,"rows":[`} {
		f := filepath.Join(dir, name)
		if err := os.WriteFile(f, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadRun(f); !errors.Is(err, ErrData) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want ErrData with the file's name", name, err)
		}
	}
}
