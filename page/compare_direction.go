package page

import (
	"slices"
	"strings"
)

// Direction: "A reports to B" and "B reports to A" have the same words. Both
// are brought into the active voice, then the two ends are looked for that
// have changed places around a word that is not symmetric.
//
//	B is managed by A   →  A manage B
//	B 被 A 收购         →  A 收购 B

// turnedRound reports whether the ends of a relation are exchanged.
func turnedRound(a, b *statement) (detail [2]string, ok bool) {
	x, y := active(a), active(b)
	if len(x) != len(y) || overlap(x, y) < 1 {
		return detail, false
	}
	left, right, ok := swapped(x, y)
	if !ok {
		return detail, false
	}
	return [2]string{spell(left), spell(right)}, true
}

// active gives the words in the order of the active voice.
func active(st *statement) []token {
	ts := st.core
	for k := 1; k+1 < len(ts); k++ {
		switch ts[k].stem {
		case "被", "由":
			return slices.Concat(ts[k+1:], ts[:k])
		case "by":
			if k >= 2 && st.passive(ts[k-1]) {
				return slices.Concat(ts[k+1:], ts[k-1:k], ts[:k-1])
			}
		}
	}
	return ts
}

// passive reports whether a verb before "by" is in the passive voice: a form
// of be stands before it, and it is no present participle.
func (st *statement) passive(verb token) bool {
	if strings.HasSuffix(verb.text, "ing") {
		return false
	}
	for _, t := range st.all {
		if t.start >= verb.start {
			break
		}
		switch t.text {
		case "is", "are", "am", "be", "was", "were", "been", "being":
			return true
		}
	}
	return false
}

// swapped finds x V y against y V x, besides what is equal before and after,
// where V is not symmetric; it gives V with its ends, as either has it.
func swapped(a, b []token) (left, right []token, ok bool) {
	d := align(a, b)
	if d.shared == len(a) || len(d.chunks) == 0 {
		return nil, nil, false
	}
	from, to := d.chunks[0].a0, d.chunks[len(d.chunks)-1].a1
	if fromB := d.chunks[0].b0; from != fromB || to != d.chunks[len(d.chunks)-1].b1 {
		return nil, nil, false
	}
	a, b = a[from:to], b[from:to]
	n := len(a)
	const longest = 40
	if n > longest {
		return nil, nil, false
	}
	for i := 1; i < n-1; i++ {
		if !sameStems(a[:i], b[n-i:]) {
			continue
		}
		for j := 1; i+j < n; j++ {
			if sameStems(a[n-j:], b[:j]) && sameStems(a[i:n-j], b[j:n-i]) {
				return a, b, !symmetric(a[i : n-j])
			}
		}
	}
	return nil, nil, false
}

func sameStems(a, b []token) bool {
	return slices.EqualFunc(a, b, func(x, y token) bool { return x.stem == y.stem })
}

// symmetric reports whether a relation holds both ways: such a word, and
// nothing besides but prepositions.
func symmetric(v []token) bool {
	found := false
	for _, t := range v {
		switch is := lexicon().symmetric; {
		case is[t.stem], is[t.text]:
			found = true
		case !prepositions[t.text]:
			return false
		}
	}
	return found
}

var prepositions = wordSet(`to of as in at on from for each other`)

// changed reports whether one claim tells that a thing is no longer what the
// other says it is: it names the old state, "from X", and the new one, or
// says 不再 and "no longer" of it.
func changed(a, b *statement) (detail [2]string, ok bool) {
	if a.tellsEndOf(b) || b.tellsEndOf(a) {
		return [2]string{a.claim.Text, b.claim.Text}, true
	}
	return detail, false
}

// tellsEndOf reports whether st speaks of a change to something that other
// does not have, in what other says. "moved from X to Y", "X 迁移到 Y".
func (st *statement) tellsEndOf(other *statement) bool {
	const longest = 200
	at := st.changesAt()
	if at < 0 || other.changesAt() >= 0 || len(st.core) > longest || len(other.core) > longest {
		return false
	}
	old, target := splitChange(st.core, at)
	if len(target) == 0 || len(other.core) == 0 {
		return false
	}
	const ends, named = 0.5, 2
	for _, t := range target {
		if t.role == plain && len(t.stem) > named && hasStem(other.core, t.stem) {
			return false // what it became is what the other says, or speaks of
		}
	}
	shared := 0
	for _, t := range other.core {
		if hasStem(old, t.stem) {
			shared++
		}
	}
	return shared >= named && float64(shared) >= ends*float64(len(other.core))
}

// changesAt gives the place of the word that tells of a change, -1 for none.
func (st *statement) changesAt() int {
	return slices.IndexFunc(st.core, func(t token) bool { return lexicon().changes[t.stem] })
}

// splitChange parts a claim into what was, and what is: behind to, with, 到.
func splitChange(ts []token, at int) (old, target []token) {
	to := at
	for k := at + 1; k < len(ts); k++ {
		if w := ts[k].stem; w == "to" || w == "with" || w == "到" || w == "为" || w == "成" {
			to = k
			break
		}
	}
	if to == at && ts[at].text[0] < 0x80 {
		return nil, nil
	}
	old = slices.Concat(ts[:at], ts[at+1:max(to, at+1)])
	end := min(to+1+longestNewState, len(ts))
	return old, ts[to+1 : end]
}

const longestNewState = 3 // words that name the new state

func hasStem(ts []token, stem string) bool {
	return slices.ContainsFunc(ts, func(t token) bool { return t.stem == stem })
}
