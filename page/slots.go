package page

import "slices"

// What makes a statement one that another may contradict, and what it is found by. It is
// asked of every sentence of a brain, before any two of them are compared.

// Slotted reports whether a statement gives something a value that another may give
// otherwise: a number, a date, a status, an attribute of which there is one, a negation, a
// change. A story has none of these, and contradicts nothing that a screen could see.
func (a *Statement) Slotted() bool {
	return a.denied || len(a.held) > 0 || a.changes || slices.ContainsFunc(a.core, func(t token) bool {
		return t.antonym.group != 0 || t.role == value && t.dim != anOrdinal && t.dim != aCode && !t.hash
	})
}

// Words visits what a statement speaks of, word by word, in the form in which words are
// compared: no values, negators or qualifiers. A Chinese text gives its characters in pairs,
// since one alone tells nothing.
func (a *Statement) Words(visit func(stem string)) {
	for i, t := range a.core {
		switch {
		case t.role == value || t.role == symbol || prepositions[t.text]:
		case !t.han:
			visit(t.stem)
		case i+1 < len(a.core) && a.core[i+1].han && a.core[i+1].start == t.end:
			visit(t.stem + a.core[i+1].stem)
		}
	}
}

// Within reports whether o says all that a says, values included, and perhaps more.
func (a *Statement) Within(o *Statement) bool {
	return len(a.words) > 0 && a.denied == o.denied && a.words.common(o.words) == len(a.words)
}

// Slot is what a statement speaks of, without its values: two of one slot give it two values.
func (a *Statement) Slot() string { return a.slot() }

// StandsAlone reports whether a fact says itself what it speaks of: it points to nothing ("it",
// "this"), is no line of a form ("Default: 100"), and has more than one word with a meaning.
// A fact is written to be read by itself; a sentence needs more than that.
func StandsAlone(fact string) bool {
	const enough = 2
	return !pointsAway(fact) && !isEntry(fact) && contentWords(fact) >= enough
}
