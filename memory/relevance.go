package memory

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"brain/text"
)

// Which facts have to do with a question: the other ranking, for search and for the
// injected block, that memory.relevance turns on. It is DeerMem's, number by number.
//
//	idf(t)    = ln((N+1) / (df+1)) + 1 over the facts asked; 1 for a word that none has
//	relevance = √(Σ idf² of the words that the fact has) / √(Σ idf² of all words of the question)
//	combined  = w × relevance + (1 − w) × confidence
//
// It measures how much of the question a fact covers: a word counts once, however often
// it is there or asked, so that none stands in for another. Every fact competes, also one
// that has no word of the question: with an agent's hundred facts the question orders, and
// confidence decides where it says nothing. A word has another in it that is its beginning, in
// whole and of four characters at least: "postgres" is asked of "postgresql", and
// "postman" is something else.
//
// Of facts that say nearly the same the first stands for all, where a diversity λ is set: the
// next is always the one with the greatest combined − λ × the greatest likeness (Jaccard of the
// words) to those before it. Ties keep the order in which facts are listed.

// shortestStart is the characters of a word that is the beginning of another.
const shortestStart = 4

// cover is the words of facts, for such questions. The zero value has no facts.
type cover struct{ postings }

// add enters a fact; what comes back takes it out again. The fact must not change meanwhile.
func (c *cover) add(f *Fact) *doc {
	ts, _ := tokens(text.Fold(head(f.words(), maxText)))
	return c.insertAll(&doc{fact: f}, ts)
}

// asked is a question put to facts. Facts that come and go make it void.
type asked struct {
	cover     *cover
	relevance []float64 // by slot
	all       []ranked  // all that compete, in no order
}

// ask scores the facts of a category, "" for any: N and df are of these alone. An empty
// question and a weight of zero leave the order to confidence. Ties are in the order in which
// facts are listed, by date and id, however they came in.
func (c *cover) ask(question, category string, weight float64) *asked {
	a := &asked{cover: c, relevance: c.relevance(question, category), all: make([]ranked, 0, len(c.docs))}
	for slot, d := range c.docs {
		if d.fact.in(category) {
			combined := float64(weight*a.relevance[slot]) + float64((1-weight)*d.fact.Confidence)
			a.all = append(a.all, ranked{score: combined, slot: slot})
		}
	}
	return a
}

// relevance gives that of each document, by slot.
func (c *cover) relevance(question, category string) []float64 {
	covered := make([]float64, len(c.docs)) // Σ idf² of the words it has
	n := c.count(category)
	total := 0.0
	seen := make([]int32, len(c.docs)) // the last word that was counted
	for i, w := range c.resolve(question) {
		square := 1.0 // of the idf
		if df := c.frequency(w.id, category); df > 0 {
			x := math.Log(float64(n+1)/float64(df+1)) + 1
			square = x * x
		}
		total += square
		for _, id := range w.matches {
			for _, h := range c.lists[id].hits {
				if seen[h.slot] != int32(i+1) {
					seen[h.slot] = int32(i + 1)
					covered[h.slot] += square
				}
			}
		}
	}
	for slot := range covered {
		if covered[slot] > 0 {
			covered[slot] = math.Sqrt(covered[slot]) / math.Sqrt(total)
		}
	}
	return covered
}

// count is how many facts are of a category.
func (c *cover) count(category string) (n int) {
	for _, d := range c.docs {
		if d.fact.in(category) {
			n++
		}
	}
	return n
}

// frequency is how many of them have a word; an id of -1 is a word of none.
func (c *cover) frequency(id int32, category string) (n int) {
	if id < 0 {
		return 0
	}
	for _, h := range c.lists[id].hits {
		if c.docs[h.slot].fact.in(category) {
			n++
		}
	}
	return n
}

// asking is a word of a question.
type asking struct {
	text    string
	id      int32   // -1 where no fact has it
	matches []int32 // words of facts in which it is found: itself, or one that begins another
}

// resolve gives the distinct words of a question, with what they are found in.
func (c *cover) resolve(question string) (out []*asking) {
	ts, _ := tokens(text.Fold(head(question, maxText)))
	starts := map[string][]*asking{} // by their first four characters
	for _, t := range ts {
		if slices.ContainsFunc(out, func(w *asking) bool { return w.text == t }) {
			continue
		}
		w := &asking{text: t, id: -1}
		if id, ok := c.ids[t]; ok {
			w.id, w.matches = id, []int32{id}
		}
		out = append(out, w)
		if start, ok := startOf(t); ok {
			starts[start] = append(starts[start], w)
		}
	}
	if len(starts) == 0 {
		return out
	}
	for id := range c.lists {
		other := c.lists[id].text
		start, ok := startOf(other)
		if !ok {
			continue
		}
		for _, w := range starts[start] {
			if other != w.text && (strings.HasPrefix(other, w.text) || strings.HasPrefix(w.text, other)) {
				w.matches = append(w.matches, int32(id))
			}
		}
	}
	return out
}

// startOf is the beginning that a word must share with another one to be found in it.
func startOf(word string) (string, bool) {
	start := head(word, shortestStart)
	return start, utf8.RuneCountInString(start) == shortestStart
}

// pick gives facts in order, as long as take wants the next one; group leaves others out, and
// nil is all. With a diversity above zero each is judged by its likeness to those
// that were picked before it.
func (a *asked) pick(group func(*Fact) bool, diversity float64, take func(*Fact) bool) (out []scored) {
	left := a.of(group)
	if diversity > 0 {
		return a.diverse(slices.Clone(left), diversity, take)
	}
	for from, n := 0, 64; from < len(left); from, n = n, 8*n { // most want a few
		first := best{ordering: ordering{a.cover.docs, byCreation}, n: n}
		for _, r := range left {
			first.take(r)
		}
		first.cut()
		for _, r := range first.all[from:] {
			if !take(a.fact(r)) {
				return out
			}
			out = append(out, a.explain(r, 0))
		}
	}
	return out
}

func (a *asked) of(group func(*Fact) bool) []ranked {
	if group == nil {
		return a.all
	}
	var out []ranked
	for _, r := range a.all {
		if group(a.fact(r)) {
			out = append(out, r)
		}
	}
	return out
}

func (a *asked) diverse(left []ranked, diversity float64, take func(*Fact) bool) (out []scored) {
	alike := newLikeness(&a.cover.postings)
	for len(left) > 0 {
		i := alike.next(left, diversity)
		r := left[i]
		if !take(a.fact(r)) {
			break
		}
		out = append(out, a.explain(r, alike.most[r.slot]))
		left[i] = left[len(left)-1]
		left = left[:len(left)-1]
		alike.picked(r.slot)
	}
	return out
}

func (a *asked) fact(r ranked) *Fact { return a.cover.docs[r.slot].fact }

func (a *asked) explain(r ranked, likeness float64) scored {
	return scored{a.fact(r), r.score, Parts{Match: ByRelevance, Relevance: a.relevance[r.slot], Likeness: likeness}}
}

// atMost takes n facts, all for an n below zero.
func atMost(n int) func(*Fact) bool {
	return func(*Fact) bool {
		n--
		return n != -1
	}
}

// likeness is how much each document is like the most alike of those that were picked.
type likeness struct {
	ordering
	words  *postings
	most   []float64 // by slot
	shared []int32   // words in common with one document
	slots  []int32   // of those that have any
}

func newLikeness(p *postings) *likeness {
	n := len(p.docs)
	return &likeness{ordering: ordering{p.docs, byCreation}, words: p, most: make([]float64, n), shared: make([]int32, n)}
}

// next is the index of the best one left; of two equals, the one that was ahead without
// their likeness.
func (l *likeness) next(left []ranked, diversity float64) (first int) {
	most := math.Inf(-1)
	for i, r := range left {
		x := r.score - float64(diversity*l.most[r.slot])
		if x > most || x == most && l.compare(r, left[first]) < 0 {
			first, most = i, x
		}
	}
	return first
}

func (l *likeness) picked(slot int) {
	words := l.docs[slot].words
	l.slots = l.words.overlaps(words, l.shared, l.slots[:0])
	for _, other := range l.slots {
		l.most[other] = max(l.most[other], jaccard(int(l.shared[other]), len(words), len(l.docs[other].words)))
		l.shared[other] = 0
	}
}

// jaccard is the share of words in common, of all the words of two sets.
func jaccard(shared, a, b int) float64 {
	if shared == 0 {
		return 0
	}
	return float64(shared) / float64(a+b-shared)
}
