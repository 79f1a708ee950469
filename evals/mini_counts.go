package evals

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// The golden file keeps whole numbers, which a person can derive from the
// rankings, and of each half only the sums. Shares are for reading.

// RelationCounts count what the questions of testdata/relations found. Answers
// are pages of grade 2; pages are all that are judged, with those that state
// what leads to an answer.
type RelationCounts struct {
	Half      string `json:"half"`
	Lang      string `json:"lang"`
	N         int    `json:"n"`
	Related   int    `json:"related"` // questions that were read as a relation
	Pages     int    `json:"pages"`   // among the first 5 …
	PagesOf   int    `json:"pages_of"`
	Answers   int    `json:"answers"` // … of grade 2
	AnswersOf int    `json:"answers_of"`
}

func (c RelationCounts) String() string {
	return fmt.Sprintf("%d of %d answers and %d of %d pages among the first %d, %d of %d questions read as a relation",
		c.Answers, c.AnswersOf, c.Pages, c.PagesOf, relationTop, c.Related, c.N)
}

// RelationShares are the shares of pages and of answers among the first 5, each
// averaged over the questions, to four decimals.
type RelationShares struct {
	Half    string  `json:"half"`
	Lang    string  `json:"lang"` // "all": of either language
	N       int     `json:"n"`
	R5      float64 `json:"r@5"`
	Answers float64 `json:"answers@5"`
}

// RefuseCounts count the questions of testdata/relations/refuse.jsonl that were
// read as a relation: they deny, count or date one, and none may be.
type RefuseCounts struct {
	N       int `json:"n"`
	Related int `json:"related"`
}

const (
	relationTop = 5     // places that count for a relation
	anyLanguage = "all" // in the language's place
)

// relationCounts counts by half and language.
func (w *writtenSet) relationCounts() ([]RelationCounts, []RelationShares) {
	var counts []RelationCounts
	var shares []RelationShares
	for _, half := range halves {
		both := RelationShares{Half: half, Lang: anyLanguage}
		for _, lang := range languages {
			c := RelationCounts{Half: half, Lang: lang}
			s := RelationShares{Half: half, Lang: lang}
			for _, q := range w.relations {
				if halfOf(q.ID) == half && q.Lang == lang {
					c.count(w.replies[q.ID], w.judged[q.ID], &s)
				}
			}
			both.N, both.R5, both.Answers = both.N+s.N, both.R5+s.R5, both.Answers+s.Answers
			counts, shares = append(counts, c), append(shares, s.mean())
		}
		shares = append(shares, both.mean())
	}
	return counts, shares
}

// count adds a question to the counts, and its shares to the sums.
func (c *RelationCounts) count(r reply, judged map[string]int, sum *RelationShares) {
	var pages, answers, answersOf int
	for _, grade := range judged {
		if grade > 1 {
			answersOf++
		}
	}
	for _, p := range r.ranked[:min(relationTop, len(r.ranked))] {
		if judged[p] > 0 {
			pages++
		}
		if judged[p] > 1 {
			answers++
		}
	}
	c.N++
	c.Related += one(r.as != "")
	c.Pages, c.PagesOf = c.Pages+pages, c.PagesOf+len(judged)
	c.Answers, c.AnswersOf = c.Answers+answers, c.AnswersOf+answersOf
	sum.N++
	sum.R5 += share(pages, len(judged))
	sum.Answers += share(answers, answersOf)
}

func (s RelationShares) mean() RelationShares {
	n := float64(max(1, s.N))
	s.R5, s.Answers = rounded(s.R5/n), rounded(s.Answers/n)
	return s
}

func share(n, of int) float64 { return float64(n) / float64(max(1, of)) }

// refuseCounts counts, and names those of the tuned half.
func (w *writtenSet) refuseCounts() (c RefuseCounts, tuned []string) {
	for _, q := range w.refuse {
		c.N++
		if w.replies[q.ID].as == "" {
			continue
		}
		c.Related++
		if !Untuned(q.ID) {
			tuned = append(tuned, q.ID)
		}
	}
	return c, tuned
}

// wrongly says in words what was read as a relation and must not be.
func (c RefuseCounts) wrongly(tuned []string) string {
	s := fmt.Sprintf("refuse: %d of %d questions were read as a relation, none may be", c.Related, c.N)
	if len(tuned) > 0 {
		s += ": " + strings.Join(tuned, " ")
	}
	if n := c.Related - len(tuned); n > 0 {
		s += fmt.Sprintf("; %d of the untuned half", n)
	}
	return s
}

// weakPlaces is how far down an agent looks: a question whose page comes later
// was not answered, and the mark is right.
const weakPlaces = 3

// MarkCounts count the mark `weak` on the questions of testdata/weak: nonsense
// without it, and with it good questions whose page is among the first 3.
type MarkCounts struct {
	Tree       string `json:"tree"`
	Half       string `json:"half"`
	Strong     int    `json:"nonsense_strong"` // the fewer the better
	NonsenseOf int    `json:"nonsense_of"`
	Weak       int    `json:"good_weak"` // of those found: the fewer the better
	Found      int    `json:"good_found"`
	GoodOf     int    `json:"good_of"`
}

func (c MarkCounts) String() string {
	return fmt.Sprintf("%d of %d nonsense questions look strong, %d of %d good ones weak (%d asked)", c.Strong, c.NonsenseOf, c.Weak, c.Found, c.GoodOf)
}

// markCounts counts by tree and half.
func (w *writtenSet) markCounts(trees ...*tree) []MarkCounts {
	var out []MarkCounts
	for _, t := range trees {
		for _, half := range halves {
			c := MarkCounts{Tree: t.brain, Half: half}
			here := func(q written) bool { return q.Tree == t.brain && halfOf(q.ID) == half }
			for _, q := range w.nonsense {
				if here(q) {
					c.NonsenseOf++
					c.Strong += one(!w.replies[q.ID].weak)
				}
			}
			for _, q := range w.good {
				if here(q) {
					r := w.replies[q.ID]
					found := slices.Contains(r.ranked[:min(weakPlaces, len(r.ranked))], q.Want)
					c.GoodOf++
					c.Found += one(found)
					c.Weak += one(found && r.weak)
				}
			}
			out = append(out, c)
		}
	}
	return out
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// countDifferences lists in words which counts are others than recorded.
func (g Golden) countDifferences(got Golden) []string {
	var out []string
	old := g.counts()
	for what, now := range got.counts() {
		if was, known := old[what]; !known || was != now {
			out = append(out, fmt.Sprintf("%s: %s, recorded %s", what, now, orNone(was)))
		}
	}
	return out
}

// counts are the counts in words, by what is counted.
func (g Golden) counts() map[string]string {
	out := map[string]string{}
	for _, c := range g.Relations {
		out["relations "+c.Half+" "+c.Lang] = c.String()
	}
	for _, c := range g.Marks {
		out["weak "+c.Half+" "+c.Tree] = c.String()
	}
	if g.Refuse.N > 0 {
		out["refuse"] = fmt.Sprintf("%d of %d read as a relation", g.Refuse.Related, g.Refuse.N)
	}
	return out
}

// relation sums the counts of a half, in one language or in both.
func (g Golden) relation(half, lang string) RelationCounts {
	sum := RelationCounts{Half: half, Lang: lang}
	for _, c := range g.Relations {
		if c.Half == half && (c.Lang == lang || lang == anyLanguage) {
			sum.N, sum.Related = sum.N+c.N, sum.Related+c.Related
			sum.Pages, sum.PagesOf = sum.Pages+c.Pages, sum.PagesOf+c.PagesOf
			sum.Answers, sum.AnswersOf = sum.Answers+c.Answers, sum.AnswersOf+c.AnswersOf
		}
	}
	return sum
}

func (r *MiniReport) relationTable(b *strings.Builder) {
	tw := tabwriter.NewWriter(b, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tw, "relations\tlang\tn\tR@5\tanswers@5\tpages\tof\tanswers\tof\tread as relation\t\n")
	for _, s := range r.Relations {
		c := r.Got.relation(s.Half, s.Lang)
		fmt.Fprintf(tw, "%s\t%s\t%d\t%.3f\t%.3f\t%d\t%d\t%d\t%d\t%d\t\n",
			s.Half, s.Lang, s.N, s.R5, s.Answers, c.Pages, c.PagesOf, c.Answers, c.AnswersOf, c.Related)
	}
	tw.Flush() // to memory: it cannot fail
	fmt.Fprintf(b, "to refuse: %d of %d read as a relation\n\n", r.Got.Refuse.Related, r.Got.Refuse.N)
}

func (r *MiniReport) markTable(b *strings.Builder) {
	tw := tabwriter.NewWriter(b, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tw, "weak\ttree\tnonsense\tlooks strong\tgood\tin first 3\tof these weak\t\n")
	for _, c := range r.Got.Marks {
		fmt.Fprintf(tw, "%s\t%s\t%d\t%d = %.0f%%\t%d\t%d\t%d = %.0f%%\t\n", c.Half, c.Tree,
			c.NonsenseOf, c.Strong, 100*share(c.Strong, c.NonsenseOf), c.GoodOf, c.Found, c.Weak, 100*share(c.Weak, c.Found))
	}
	tw.Flush() // to memory: it cannot fail
}
