package page

import (
	"slices"
	"strings"
)

// A statement of several clauses may deny one thing and say another: "the team
// no longer uses Jira, it uses Linear" does not deny "the team uses Linear",
// though it has a negator and all the words.

// deniesElsewhere reports whether what other says is said by another clause than the one
// that a denies: the denied one speaks of something else besides, and a word of other is in
// no denied one; or all of it is.
func (a *Statement) deniesElsewhere(other *Statement) bool {
	if !a.denied {
		return false
	}
	clauses := a.clauses()
	if len(clauses) < 2 {
		return false
	}
	var denied, said []token
	for _, c := range clauses {
		if slices.ContainsFunc(c, func(t token) bool { return t.role == negator }) {
			denied = append(denied, c...)
		} else {
			said = append(said, c...)
		}
	}
	matters := func(t token) bool { return t.role != negator && t.role != light && t.weight == full }
	of := func(t token) bool { return matters(t) && !hasStem(other.core, t.stem) }
	new := func(t token) bool { return matters(t) && hasStem(said, t.stem) && !hasStem(denied, t.stem) }
	all := func(t token) bool { return !matters(t) || hasStem(said, t.stem) }
	return slices.ContainsFunc(denied, of) && slices.ContainsFunc(other.core, new) || !slices.ContainsFunc(other.core, func(t token) bool { return !all(t) })
}

// clauses parts the words at stops, commas and words that turn to something else.
func (a *Statement) clauses() (out [][]token) {
	from := 0
	for i := 1; i < len(a.all); i++ {
		t := a.all[i]
		gap := a.Claim.Text[a.all[i-1].end:max(t.start, a.all[i-1].end)]
		if strings.ContainsAny(gap, ",;.，；。：") || turns[t.text] {
			out = append(out, a.all[from:i])
			from = i
		}
	}
	return append(out, a.all[from:])
}

var turns = wordSet(`but instead now 但 而 却 现在 如今`)
