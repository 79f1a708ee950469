package evals

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Two runs are compared question by question. Means hide that one change
// gains ten questions and loses nine; and the spread of a mean over questions
// of very different difficulty says little about a change that touches few of
// them. Under the hypothesis that the change does nothing, each question that
// moved was as likely to gain as to lose, so the number of losses follows a
// binomial distribution with p = ½: the sign test, exact, two-sided, without
// those that did not move.

// SignificantP is the probability below which a difference is not noise.
const SignificantP = 0.05

// CompareOptions choose what is compared.
type CompareOptions struct {
	Metric string   // of MetricNames; "" means ndcg@10
	Arms   []string // the row with exactly these arms; empty means the last, the fusion
}

// Comparison is what changed from run A to run B.
type Comparison struct {
	Metric string   `json:"metric"`
	Arms   []string `json:"arms"`
	N      int      `json:"n"` // questions in both runs
	OnlyA  int      `json:"only_a"`
	OnlyB  int      `json:"only_b"`
	A      float64  `json:"a"` // means over the questions in both
	B      float64  `json:"b"`
	Gained []Change `json:"gained"` // largest change first
	Lost   []Change `json:"lost"`
	P      float64  `json:"p"`     // of the sign test
	Worse  bool     `json:"worse"` // more lost than gained, and not by chance
	Better bool     `json:"better"`
	Notes  []string `json:"notes,omitempty"` // what differs between the runs beside the engine
}

// Change is one question that moved.
type Change struct {
	ID string  `json:"id"`
	A  float64 `json:"a"`
	B  float64 `json:"b"`
}

// Compare lists the questions that b gained and lost against a.
func Compare(a, b *Run, o CompareOptions) (*Comparison, error) {
	c := &Comparison{Metric: cmp.Or(o.Metric, "ndcg@10"), Gained: []Change{}, Lost: []Change{}}
	if !slices.Contains(MetricNames, c.Metric) {
		return nil, fmt.Errorf("%w: compare by %q: the metrics are %s", ErrUsage, c.Metric, strings.Join(MetricNames, ", "))
	}
	rowA, err := a.row(o.Arms)
	if err != nil {
		return nil, fmt.Errorf("compare: first run: %w", err)
	}
	rowB, err := b.row(o.Arms)
	if err != nil {
		return nil, fmt.Errorf("compare: second run: %w", err)
	}
	c.Arms = rowB.Arms
	c.Notes = differences(rowA, rowB)
	c.pair(rowA.Results, rowB.Results)
	if c.N == 0 {
		return nil, fmt.Errorf("%w: compare: the runs have no question in common (%d of %s, %d of %s)", ErrUsage, c.OnlyA, rowA.Set, c.OnlyB, rowB.Set)
	}
	c.P = SignTest(len(c.Gained), len(c.Lost))
	c.Worse = c.P < SignificantP && len(c.Lost) > len(c.Gained)
	c.Better = c.P < SignificantP && len(c.Gained) > len(c.Lost)
	return c, nil
}

// row returns the row of the given arms, the last one for none.
func (r *Run) row(arms []string) (*Row, error) {
	if len(r.Rows) == 0 {
		return nil, fmt.Errorf("%w: the run has no rows", ErrData)
	}
	if len(arms) == 0 {
		return r.Fusion(), nil
	}
	var have []string
	for i := range r.Rows {
		if slices.Equal(r.Rows[i].Arms, arms) {
			return &r.Rows[i], nil
		}
		have = append(have, strings.Join(r.Rows[i].Arms, ","))
	}
	return nil, fmt.Errorf("%w: no row for arms %s; it has %s", ErrUsage, strings.Join(arms, ","), strings.Join(have, " and "))
}

func differences(a, b *Row) []string {
	var notes []string
	for _, d := range [][3]string{
		{"set", a.Set, b.Set}, {"unit", a.Unit, b.Unit}, {"scope", a.Scope, b.Scope},
		{"arms", strings.Join(a.Arms, ","), strings.Join(b.Arms, ",")},
		{"k", fmt.Sprint(a.K), fmt.Sprint(b.K)}, {"settings", a.Digest, b.Digest},
	} {
		if d[1] != d[2] {
			notes = append(notes, fmt.Sprintf("%s differs: %s, then %s", d[0], d[1], d[2]))
		}
	}
	return notes
}

// pair fills counts, means and changes from the questions of both rows.
func (c *Comparison) pair(a, b []Result) {
	const same = 1e-9 // of a metric: rounding, not a change
	before := make(map[string]Metrics, len(a))
	for _, q := range a {
		before[q.ID] = q.Metrics
	}
	for _, q := range b {
		old, both := before[q.ID]
		if !both {
			c.OnlyB++
			continue
		}
		x, _ := old.Get(c.Metric)
		y, _ := q.Metrics.Get(c.Metric)
		c.N, c.A, c.B = c.N+1, c.A+x, c.B+y
		switch {
		case y > x+same:
			c.Gained = append(c.Gained, Change{q.ID, x, y})
		case y < x-same:
			c.Lost = append(c.Lost, Change{q.ID, x, y})
		}
	}
	c.OnlyA = len(a) - c.N
	c.A /= float64(max(1, c.N))
	c.B /= float64(max(1, c.N))
	for _, list := range [][]Change{c.Gained, c.Lost} {
		slices.SortStableFunc(list, func(x, y Change) int {
			return cmp.Or(cmp.Compare(math.Abs(y.B-y.A), math.Abs(x.B-x.A)), cmp.Compare(x.ID, y.ID))
		})
	}
}

// SignTest is the probability that a fair coin, thrown gained+lost times,
// splits at least as unevenly as gained against lost.
func SignTest(gained, lost int) float64 {
	n := gained + lost
	if n == 0 {
		return 1
	}
	lnFact := func(k int) float64 { v, _ := math.Lgamma(float64(k) + 1); return v }
	tail := 0.0
	for k := 0; k <= min(gained, lost); k++ {
		tail += math.Exp(lnFact(n) - lnFact(k) - lnFact(n-k) - float64(n)*math.Ln2)
	}
	return min(1, 2*tail)
}

// WriteText prints the comparison for people; at most list questions of each
// kind, all of them for a negative number.
func (c *Comparison) WriteText(w io.Writer, list int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s over %d questions: %.4f -> %.4f (%+.4f)\n", c.Metric, strings.Join(c.Arms, "+"), c.N, c.A, c.B, c.B-c.A)
	fmt.Fprintf(&b, "gained %d, lost %d, same %d; sign test p = %.4g: %s\n",
		len(c.Gained), len(c.Lost), c.N-len(c.Gained)-len(c.Lost), c.P, c.verdict())
	if c.OnlyA+c.OnlyB > 0 {
		fmt.Fprintf(&b, "left out: %d questions only in the first run, %d only in the second\n", c.OnlyA, c.OnlyB)
	}
	for _, n := range c.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	writeChanges(&b, "lost", c.Lost, list)
	writeChanges(&b, "gained", c.Gained, list)
	_, err := io.WriteString(w, b.String())
	return err
}

func (c *Comparison) verdict() string {
	switch {
	case c.Worse:
		return "worse beyond noise"
	case c.Better:
		return "better beyond noise"
	}
	return "within noise"
}

func writeChanges(b *strings.Builder, word string, list []Change, most int) {
	for i, ch := range list {
		if i == most {
			fmt.Fprintf(b, "%s\t... and %d more\n", word, len(list)-most)
			return
		}
		fmt.Fprintf(b, "%s\t%.4f -> %.4f\t%s\n", word, ch.A, ch.B, ch.ID)
	}
}
