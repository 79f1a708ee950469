package index

import (
	"encoding/binary"
	"slices"
	"strings"
	"sync"

	"brain/llm"
	"brain/page"
)

// What a page lacks of a question's words it may say with others: 压缩 for
// "compress", "vehicle" for "car". The vectors of whole chunks see this only
// blurred, as one mean of many words. So each row keeps, behind its strings,
// which words of the lexicon its page has, and a question's missing words are
// compared with them one by one:
//
//	near(t)  = max over the page's words u of cos(t, u), from kinZero up
//	kin(p)   = Σ weight(t) · (near(t) - kinZero) / (1 - kinZero), over t missing in p
//	           divided by Σ weight(t) over all words of the question
//
// Words that the page has count nothing here: BM25 has counted them. (The form
// is that of late interaction, Khattab and Zaharia 2020, on static vectors and
// for missing words only; with all words it lost to BM25 on long pages, which
// have something near to everything.)
const (
	kinZero  = 0.3  // a cosine that two unrelated words may have
	kinWords = 12   // of a question: the weightiest
	maxKin   = 4096 // words kept of a page; of one with more, every so many
)

// appendWords encodes the numbers of a page's words.
func appendWords(b []byte, l *llm.Lexicon, p *page.Page) []byte {
	cl := p.Clean()
	var all strings.Builder
	for _, s := range [][]string{{cl.Title}, cl.Aliases, cl.Headings, {cl.Body}, cl.Facts} {
		for _, s := range s {
			all.WriteString(s)
			all.WriteString(" . ")
		}
	}
	last := uint32(0)
	words := l.Numbers(all.String())
	keep := min(len(words), maxKin)
	for i := range keep {
		n := words[i*len(words)/keep] // numbers go by language: the first would be of one
		b = binary.AppendUvarint(b, uint64(n-last))
		last = n
	}
	return b
}

// Kin compares the words of one question with those of pages. It is for one
// goroutine.
type Kin struct {
	view  *View
	lex   *llm.Lexicon
	words []uint32
	vecs  [][]float32
	worth []float64
	total float64
	cache *kinCache
	best  []float32
}

// kinCache keeps the cosines of a question's words with other words: slot
// gives, by word, where they begin in cos.
type kinCache struct {
	slot []int32 // 0: not known
	used []uint32
	cos  []float32
	row  []float32
}

var kinCaches = sync.Pool{New: func() any { return new(kinCache) }}

// Kin prepares the comparison for a question; nil when the lexicon knows none
// of its words. Close gives its memory back.
func (v *View) Kin(l *llm.Lexicon, question string) *Kin {
	k := &Kin{view: v, lex: l}
	type word struct {
		n      uint32
		vec    []float32
		weight float64
	}
	var words []word
	for _, n := range l.Numbers(question) {
		vec := make([]float32, l.Dims())
		if w := l.Vector(n, vec); w > 0 {
			words = append(words, word{n, vec, float64(w)})
		}
	}
	if len(words) == 0 {
		return nil
	}
	slices.SortStableFunc(words, func(a, b word) int {
		switch {
		case a.weight > b.weight:
			return -1
		case a.weight < b.weight:
			return 1
		}
		return 0
	})
	for i, w := range words {
		k.total += w.weight
		if i < kinWords {
			k.words, k.vecs, k.worth = append(k.words, w.n), append(k.vecs, w.vec), append(k.worth, w.weight)
		}
	}
	k.best = make([]float32, len(k.words))
	k.cache = kinCaches.Get().(*kinCache)
	if len(k.cache.slot) != l.Len() {
		k.cache.slot = make([]int32, l.Len())
	}
	k.cache.cos = append(k.cache.cos[:0], make([]float32, len(k.words))...) // slot 0
	k.cache.row = append(k.cache.row[:0], make([]float32, l.Dims())...)
	return k
}

// Close gives the cache back.
func (k *Kin) Close() {
	for _, n := range k.cache.used {
		k.cache.slot[n] = 0
	}
	k.cache.used = k.cache.used[:0]
	kinCaches.Put(k.cache)
	k.cache = nil
}

// Score gives kin(p) of a page, from 0 to 1.
func (k *Kin) Score(row uint32) float64 {
	t, n := k.view.at(row)
	if t.flags(n)&flagSession != 0 {
		return 0
	}
	clear(k.best)
	last := uint64(0)
	for b := metaRest(t.meta(n)); len(b) > 0; {
		d, w := binary.Uvarint(b)
		if w <= 0 {
			break
		}
		b = b[w:]
		if last += d; last >= uint64(len(k.cache.slot)) {
			break
		}
		for i, c := range k.cosines(uint32(last)) {
			k.best[i] = max(k.best[i], c)
		}
	}
	sum := 0.0
	for i, c := range k.best {
		if c < 1 && c > kinZero {
			sum += k.worth[i] * (float64(c) - kinZero) / (1 - kinZero)
		}
	}
	return sum / k.total
}

// cosines gives a word's cosines with those of the question; 1 for the same
// word, which the page then does not lack.
func (k *Kin) cosines(n uint32) []float32 {
	c := k.cache
	w := len(k.words)
	if at := int(c.slot[n]); at > 0 {
		return c.cos[at : at+w]
	}
	at := len(c.cos)
	c.slot[n] = int32(at)
	c.used = append(c.used, n)
	length, _ := k.lex.Row(n, c.row)
	scale := 1 / max(length, 1) // values are whole numbers: a direction is at least 1 long
	for i, vec := range k.vecs {
		if k.words[i] == n {
			c.cos = append(c.cos, 1)
		} else {
			c.cos = append(c.cos, min(dot(vec, c.row)*scale, 0.9999))
		}
	}
	return c.cos[at : at+w]
}
