package memory

import "slices"

// Which facts have a word. Both searching and looking for near duplicates need
// that, and facts come and go all the time in a process that lives for months. So
// every entry knows its place, and taking a fact away costs what it is long:
//
//	lists[7] "editor"   ── hits ──▶  {doc 0, nth 2}  {doc 4, nth 0}
//	                                                      │   ▲
//	docs[4].words[0]    = {term 7, count 1, at 1}  ◀──────┘   │ at
//
// A list closes the gap with its last hit, docs with the last document. A word that no
// fact has any more gives its number to the next one, so that nothing grows but with
// the facts that are there.
//
// One that writes and none that reads, or any number that read.

// doc is a fact as its words.
type doc struct {
	fact   *Fact
	words  []entry // distinct
	key    string  // see corpus and neighbours
	length int32   // words of the text
	slot   int32   // place in postings.docs
}

// entry is a word of a document; at is its place in the list of the word.
type entry struct{ term, count, at int32 }

// hit is a document that has a word; nth is which of its words.
type hit struct{ slot, nth, count int32 }

// holders are the documents that have a word.
type holders struct {
	text string
	hits []hit // their number is the document frequency
}

type postings struct {
	ids   map[string]int32 // number of a word, for all that some fact has
	lists []holders        // by number
	free  []int32          // numbers that no word has
	docs  []*doc
	terms []int32 // scratch: the words of the fact that is being added, with repetitions
}

// note takes a word of the fact that is being added. The bytes may change afterwards.
func (p *postings) note(text []byte) {
	id, ok := p.ids[string(text)]
	if !ok {
		id = p.number(string(text))
	}
	p.terms = append(p.terms, id)
}

func (p *postings) number(text string) int32 {
	if p.ids == nil {
		p.ids = map[string]int32{}
	}
	var id int32
	if n := len(p.free); n > 0 {
		id, p.free = p.free[n-1], p.free[:n-1]
		p.lists[id].text = text
	} else {
		id = int32(len(p.lists))
		p.lists = append(p.lists, holders{text: text})
	}
	p.ids[text] = id
	return id
}

// insert enters a document with the words that were noted.
func (p *postings) insert(d *doc) {
	slices.Sort(p.terms)
	d.words = make([]entry, 0, distinct(p.terms))
	d.slot = int32(len(p.docs))
	p.docs = append(p.docs, d)
	for i := 0; i < len(p.terms); {
		id, from := p.terms[i], i
		for i < len(p.terms) && p.terms[i] == id {
			i++
		}
		l := &p.lists[id]
		d.words = append(d.words, entry{id, int32(i - from), int32(len(l.hits))})
		l.hits = append(l.hits, hit{d.slot, int32(len(d.words) - 1), int32(i - from)})
	}
	p.terms = p.terms[:0]
}

// insertAll enters a document with words that are at hand.
func (p *postings) insertAll(d *doc, words []string) *doc {
	for _, w := range words {
		p.note([]byte(w))
	}
	p.insert(d)
	return d
}

func distinct(sorted []int32) (n int) {
	for i := range sorted {
		if i == 0 || sorted[i] != sorted[i-1] {
			n++
		}
	}
	return n
}

// known are the words that some fact has.
func (p *postings) known(words []string) (out []entry) {
	for _, w := range words {
		if id, ok := p.ids[w]; ok {
			out = append(out, entry{term: id})
		}
	}
	return out
}

// overlaps counts into shared how many of some words each document has, and appends the
// slots of those that have any.
func (p *postings) overlaps(words []entry, shared, slots []int32) []int32 {
	for _, w := range words {
		for _, h := range p.lists[w.term].hits {
			if shared[h.slot]++; shared[h.slot] == 1 {
				slots = append(slots, h.slot)
			}
		}
	}
	return slots
}

// remove takes a document out again.
func (p *postings) remove(d *doc) {
	for _, w := range d.words {
		p.withdraw(w)
	}
	last := p.docs[len(p.docs)-1]
	p.docs[d.slot] = last
	last.slot = d.slot
	for _, w := range last.words {
		if last != d {
			p.lists[w.term].hits[w.at].slot = last.slot
		}
	}
	p.docs[len(p.docs)-1] = nil
	p.docs = shrunk(p.docs[:len(p.docs)-1])
	d.words = nil
}

// withdraw takes one hit out of the list of its word.
func (p *postings) withdraw(w entry) {
	l := &p.lists[w.term]
	n := len(l.hits) - 1
	if moved := l.hits[n]; int32(n) != w.at {
		l.hits[w.at] = moved
		p.docs[moved.slot].words[moved.nth].at = w.at
	}
	if n > 0 {
		l.hits = shrunk(l.hits[:n])
		return
	}
	delete(p.ids, l.text)
	*l = holders{}
	p.free = append(p.free, w.term)
}

// shrunk gives back the room of a list that was much longer once.
func shrunk[T any](s []T) []T {
	const small = 64
	if cap(s) <= small || len(s) > cap(s)/4 {
		return s
	}
	return append(make([]T, 0, 2*len(s)), s...)
}
