package memory

import (
	"slices"

	"brain/page"
	"brain/text"
)

// Does an agent know a new fact already, in other words? What a model extracts, it extracts
// again next week with a word more, and after a year a hundred facts are forty. With
// memory.near_duplicates on, a new fact is compared with those of its category by the
// words that they share (DeerMem's measure and threshold):
//
//	Jaccard = words in common / words of both, from 0.7 on
//
// Of a Chinese text the words are pairs of neighbouring characters, also across a blank,
// so that order counts and 用户 北京 is not 北京 用户.
//
// A merge keeps the old text and drops the new one, so it must lose nothing, and words in
// common tell nothing of that: "limit 100" and "limit 1000", "do" and "do not", "A founded B"
// and "B founded A" have nearly all of them in common. So page.StandsFor is asked, of the best
// match first, then of the next. DeerMem asks nothing, and keeps one city for both.
//
// Of a text above 4,096 characters or 128 words the rest is not compared but must be equal.

// neighbours is the words of facts, for such comparisons. The zero value has no facts.
type neighbours struct{ postings }

// mostApart bounds how many matches are looked at closely: where so many alike are known to
// be different, the next one is, too.
const mostApart = 16

// add enters a fact; what comes back takes it out again. The fact must not change meanwhile.
func (n *neighbours) add(f *Fact) *doc {
	words, rest := nearWords(f.Content)
	return n.insertAll(&doc{fact: f, key: rest}, words)
}

// nearest finds the fact that says nearly the same as f: the one of f's category that
// has the most words in common with it, from the threshold on; of equals the first by id.
// It is nil for none. skip leaves facts out; f itself is not to be among them.
func (n *neighbours) nearest(f *Fact, threshold float64, skip func(*Fact) bool) (like *Fact, likeness float64) {
	words, rest := nearWords(f.Content)
	shared := make([]int32, len(n.docs))
	matches := best{ordering: ordering{n.docs, byFactID}, n: mostApart}
	for _, slot := range n.overlaps(n.known(words), shared, nil) {
		d := n.docs[slot]
		x := jaccard(int(shared[slot]), len(words), len(d.words))
		if x >= threshold && d.fact.Category == f.Category && d.key == rest && (skip == nil || !skip(d.fact)) {
			matches.take(ranked{score: x, slot: int(slot)})
		}
	}
	matches.cut()
	for _, m := range matches.all {
		if old := n.docs[m.slot].fact; page.StandsFor(page.Claim{Text: old.Content}, page.Claim{Text: f.Content}) {
			return old, m.score
		}
	}
	return nil, 0
}

// nearWords are the distinct words by which texts are compared, and what is not read of it.
func nearWords(s string) (words []string, rest string) {
	begin := head(s, maxText)
	words, rest = tokens(joined(text.Fold(begin)))
	slices.Sort(words)
	return slices.Compact(words), rest + s[len(begin):]
}
