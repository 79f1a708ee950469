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
func turnedRound(a, b *Statement) (detail [2]string, ok bool) {
	x, y := active(a), active(b)
	if len(x) != len(y) || newBag(x).common(newBag(y)) < len(x) {
		return detail, false
	}
	left, right, ok := swapped(x, y)
	if !ok {
		left, right, ok = roleTurned(a, b)
	}
	if !ok {
		return detail, false
	}
	return [2]string{spell(left), spell(right)}, true
}

// active gives the words in the order of the active voice.
func active(st *Statement) []token {
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
func (st *Statement) passive(verb token) bool {
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

// roleTurned finds "X is Y's mentor", X 是 Y 的师傅, against the same with X and Y
// exchanged: no word but "is" stands between the two.
func roleTurned(a, b *Statement) (left, right []token, ok bool) {
	k := slices.IndexFunc(a.core, func(t token) bool { return t.colon })
	l := slices.IndexFunc(b.core, func(t token) bool { return t.colon })
	if k < 0 || l < 0 {
		return nil, nil, false
	}
	x, y := a.core[:k+1], b.core[:l+1]
	i, j := len(x)+len(y), len(y)+len(x)
	if i >= len(a.core) || j >= len(b.core) || sameStems(x, y) || !sameStems(a.core[k+1:i], y) || !sameStems(b.core[l+1:j], x) || !sameStems(a.core[i:], b.core[j:]) {
		return nil, nil, false
	}
	return a.core, b.core, !slices.ContainsFunc(a.core[i:], func(t token) bool { return symmetric([]token{t}) }) && !symmetric(a.core[i:])
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
// other says it is: "moved X from A to B", 从 A 迁移到 B.
func changed(a, b *Statement) (detail [2]string, ok bool) {
	if a.tellsEndOf(b) || b.tellsEndOf(a) {
		return [2]string{a.Claim.Text, b.Claim.Text}, true
	}
	return detail, false
}

// tellsEndOf reports whether st tells of a change from what other says: other
// has the old state and something more of st, and nothing of the new one.
func (st *Statement) tellsEndOf(other *Statement) bool {
	if !st.changes {
		return false
	}
	was, is, rest := st.change()
	if len(was) == 0 || len(is) == 0 || !contains(other.core, was) || hasStem(other.core, is[0].stem) {
		return false
	}
	shared := 0
	for _, t := range other.core {
		if hasStem(rest, t.stem) && !prepositions[t.text] {
			shared++
			if t.han {
				shared--
			}
		}
	}
	return shared > 0
}

// change parts a claim of the form "… from A to B …" that has a word of
// change in it; "replaced A with B" is one, too. All are nil for another claim.
func (st *Statement) change() (was, is, rest []token) {
	const longest = 4 // words of a state
	ts := st.core
	from, to := -1, -1
	for k, t := range ts {
		switch {
		case t.text == "from", t.text == "从", t.text == "從", t.stem == stemReplace:
			from = k
		case from >= 0 && to < 0 && (t.text == "to" || t.text == "with" || !isASCIIWord(t) && lexicon().changes[t.text]):
			to = k
		}
	}
	if from < 0 || to <= from+1 || to-from-1 > longest || to+1 >= len(ts) || !slices.ContainsFunc(ts, isChange) {
		return nil, nil, nil
	}
	end := min(to+1+longest, len(ts))
	return ts[from+1 : to], ts[to+1 : end], slices.Concat(ts[:from], ts[end:])
}

var stemReplace = stemOf("replace")

func isChange(t token) bool { return lexicon().changes[t.stem] }

func isASCIIWord(t token) bool { return t.text[0] < 0x80 }

// contains reports whether ts has the words of part side by side.
func contains(ts, part []token) bool {
	for i := 0; i+len(part) <= len(ts); i++ {
		if sameStems(ts[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

func hasStem(ts []token, stem string) bool {
	return slices.ContainsFunc(ts, func(t token) bool { return t.stem == stem })
}
