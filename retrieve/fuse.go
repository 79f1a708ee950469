package retrieve

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"brain/graph"
	"brain/index"
	"brain/llm"
	"brain/text"
)

// Fusion is reciprocal rank fusion, followed by the arms' own scores:
//
//	rrf(p)   = Σ_arm w_arm · (k+1) / (k + rank_arm(p))                k = 60
//	score(p) = α·rrf(p) + β·bm25(p)/ideal(q) + γ·calibrated(cosine(p))
//
// An arm's first page gets that arm's weight. A page that an arm did not
// return has no rank there but is scored all the same: its BM25 is zero only
// if it has none of the words, its cosine is looked up. Dividing BM25 by what
// a perfect page would get, not by the best that was found, lets the words
// fade by themselves when a question's words are not in the brain.
//
// Every step goes through add or mul, which write it down: nothing else
// touches a score, so the signals of a hit give its score exactly.

// candidate is a page on its way to a hit.
type candidate struct {
	row     uint32
	path    string
	page    index.Page
	score   float64
	signals []Signal
	words   float64 // BM25 as the lexical arm gave it, 0 when it did not
	near    float64 // cosine as the vector arm gave it, with its chunk
	bm25    float64 // share of the ideal
	cosine  float64 // calibrated
	named   float64 // what its name in the question adds
	kin     float64 // of the words that it lacks, said in others
	chunk   int     // best chunk by meaning, -1 unknown
	reached *graph.Reached
	pinned  bool
	like    string // how a corrected word of the question names it
	typo    bool   // nothing else of the question does
	pass    *passage
	turn    *scoredTurn // of a session: the one that answers best, or that this is
	said    bool        // this is a turn, not its session
	twins   []string
}

func (c *candidate) add(s Signal) {
	s.Op = "add"
	c.score += s.Value
	c.signals = append(c.signals, s)
}

func (c *candidate) mul(s Signal) {
	s.Op = "mul"
	c.score *= s.Value
	c.signals = append(c.signals, s)
}

// fuse unites the arms' lists and scores every page in them.
func (sr *Searcher) fuse(v *index.View, p *plan, f *found) ([]*candidate, error) {
	byRow := map[uint32]*candidate{}
	get := func(row uint32, path string) *candidate {
		c := byRow[row]
		if c == nil {
			c = &candidate{row: row, path: path, chunk: -1}
			byRow[row] = c
		}
		return c
	}
	w := f.weights(p)
	rank := ranks(f.lexical)
	for i, m := range f.lexical {
		c := get(m.Row, m.Path)
		c.words = m.Score
		c.rrf(Lexical, w.lexical, rank(i), m.Score, "")
	}
	rank = ranks(f.vector)
	for i, m := range f.vector {
		c := get(m.Row, m.Path)
		c.chunk, c.near = m.Chunk, m.Score
		c.rrf(Vector, w.vector, rank(i), m.Score, "")
	}
	for i := range f.graph {
		r := &f.graph[i]
		c := get(r.Node, string(v.Page(r.Node).Path))
		c.reached = r
		weight := w.graph
		if r.Loose {
			weight *= looseAnswer
		}
		note := chain(v, r)
		if f.like[r.Node] {
			weight, note = weight*typoWeight, p.instead()
		}
		c.rrf(Graph, weight, i+1, r.Weight, note)
	}
	for row := range p.exact {
		get(row, string(v.Page(row).Path)).pinned = true
	}
	out := make([]*candidate, 0, len(byRow))
	for _, c := range byRow {
		out = append(out, c)
	}
	errs := make([]error, len(out))
	each(out, func(i int, c *candidate) {
		c.page = v.Page(c.row)
		c.liken(v, p, f)
		errs[i] = sr.rescore(v, p, f, c)
	})
	slices.SortFunc(out, byScore)
	return out, errors.Join(errs...)
}

// ranks numbers an arm's list from 1. Equal scores share a rank: an arm orders
// them by path, and what a file is called must not decide between two pages.
func ranks(list []index.Match) func(i int) int {
	first := 0
	return func(i int) int {
		if list[i].Score != list[first].Score {
			first = i
		}
		return first + 1
	}
}

func (c *candidate) rrf(arm string, weight float64, rank int, raw float64, note string) {
	c.add(Signal{Name: "rrf." + arm, Value: weight * (rrfK + 1) / float64(rrfK+rank), Rank: rank, Raw: raw, Note: note})
}

// rescore adds the arms' own scores to the fused ranks.
func (sr *Searcher) rescore(v *index.View, p *plan, f *found, c *candidate) error {
	share, ofWords := rrfShare, bm25Share
	if f.answers(p) {
		share = rrfRelation
	}
	if f.decides(p) {
		ofWords = bm25Share * answeredWords
	}
	c.mul(Signal{Name: "rrf.share", Value: share})
	if f.words != nil && f.words.Ideal > 0 {
		raw := c.words
		if raw == 0 && len(f.lexical) == f.depth { // the arm was cut off: it may have some of the words
			var err error
			if raw, err = f.words.Score(c.row); err != nil {
				return err
			}
		}
		if c.bm25 = raw / f.words.Ideal; raw > 0 {
			c.add(Signal{Name: "bm25", Value: ofWords * c.bm25, Raw: raw, Note: strings.TrimRight(fmt.Sprintf("of ideal %.3f, %s", f.words.Ideal, p.instead()), ", ")})
		}
	}
	if !f.answers(p) {
		if value := nameShare * f.namedShare(c); value > 0 {
			c.named = value
			c.add(Signal{Name: "named", Value: value, Note: c.like})
		}
	}
	if f.query != nil {
		cos := c.near
		if c.chunk < 0 {
			if near, chunk, ok := v.Cosine(c.row, f.query); ok {
				cos, c.chunk = near, chunk
			}
		}
		if c.cosine = f.space.Calibrate(cos); c.cosine > 0 && !f.decides(p) {
			c.add(Signal{Name: "cosine", Value: cosineShare * c.cosine, Raw: cos})
		}
	}
	return nil
}

// answers reports whether links answer a relation that the question asks for.
func (f *found) answers(p *plan) bool { return p.related && len(f.graph) > 0 }

// decides reports whether those links decide. What a page mentions or refers
// to, or is linked to in any way, is much, and most of it is no answer: there
// the words have their say.
func (f *found) decides(p *plan) bool {
	types := p.relation.Types
	return f.answers(p) && (len(types) > 0 && p.relation.Dir == graph.In || slices.ContainsFunc(types, func(t string) bool {
		return t != graph.Mentions && t != graph.References
	}))
}

func (f *found) weights(p *plan) armWeights {
	if f.decides(p) {
		return weightsAnswered
	}
	return weightsByIntent[p.intent]
}

// namedShare is how much of the question's worth the name has by which the
// question names a page.
func (f *found) namedShare(c *candidate) float64 {
	if f.words == nil || c.reached == nil || len(c.reached.Via) > 0 {
		return 0
	}
	best := 0.0
	for _, name := range append([]string{c.page.Title}, c.page.Aliases...) {
		if !everyday(name) {
			best = max(best, f.share(name))
		}
	}
	return best
}

// share is how much of the question's worth is in a name.
func (f *found) share(name string) float64 {
	has := map[string]bool{}
	text.Terms(name, func(t text.Term) { has[string(t.Text)] = true })
	sum, all := 0.0, 0.0
	for _, t := range f.words.Terms {
		w := t.Weight * t.IDF
		all += w
		if has[t.Text] {
			sum += w
		}
	}
	if all == 0 {
		return 0
	}
	return sum / all
}

// doubt is how little the words of the question are worth in this brain, from
// 0, where some page has many of them, to 1, where none has any: the question
// is in another language, or in other words.
func (f *found) doubt() float64 {
	if f.words == nil || f.words.Ideal == 0 {
		return 0
	}
	best := 0.0
	if len(f.lexical) > 0 {
		best = f.lexical[0].Score / f.words.Ideal
	}
	return max(0, 1-best/kinEnd)
}

// kin adds what pages say in other words of the question's words that they
// lack.
func (sr *Searcher) kin(v *index.View, p *plan, f *found, cands []*candidate) {
	words := llm.WordsFor(sr.Embedder)
	share := kinShare * f.doubt()
	if words == nil || !p.arms[Vector] || !p.arms[Lexical] || share == 0 {
		return
	}
	k := v.Kin(words, p.q.Text)
	if k == nil {
		return
	}
	defer k.Close()
	for _, c := range cands[:min(kinDepth, len(cands))] {
		if c.kin = k.Score(c.row); c.kin > 0 {
			c.add(Signal{Name: "kin", Value: share * c.kin, Raw: c.kin})
		}
	}
}

// chain prints how the graph arm came to a page.
func chain(v *index.View, r *graph.Reached) string {
	if len(r.Via) == 0 {
		return "named in the question"
	}
	var b strings.Builder
	b.WriteString(string(v.Page(r.Via[0].From).Path))
	for _, s := range r.Via {
		arrow := " -%s-> "
		if s.Reverse {
			arrow = " <-%s- "
		}
		fmt.Fprintf(&b, arrow+"%s", s.Type, v.Page(s.To).Path)
	}
	return b.String()
}

// byScore orders candidates by score alone, before the ties are broken.
func byScore(a, b *candidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.path, b.path), byPlace(a, b))
}

// byPlace orders the turns of one session.
func byPlace(a, b *candidate) int {
	if a.turn == nil || b.turn == nil {
		return 0
	}
	return a.turn.N - b.turn.N
}

// byRank is the order of the answer, a total one: what the question names,
// then score on a grid, then trust, then score, then path. (Comparing by
// "nearer than" would not be transitive; a grid is.)
func byRank(a, b *candidate) int {
	if a.pinned != b.pinned {
		if a.pinned {
			return -1
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(grid(b.score), grid(a.score)),
		cmp.Compare(a.page.Tier, b.page.Tier),
		cmp.Compare(b.score, a.score),
		cmp.Compare(a.path, b.path),
		byPlace(a, b))
}

func grid(s float64) float64 { return math.Floor(s/scoreGrid + 1e-9) }
