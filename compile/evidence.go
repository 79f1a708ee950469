package compile

import (
	"slices"

	"brain/inbox"
	"brain/text"
)

// A finding must be made of what was said. Its content words, folded and
// stemmed as the index does it, are looked for in the turns that it cites:
//
//	of its words     at least half stand there (a summary may say it in others)
//	of its numbers   all stand there, but for dates, which are worked out
//
// So a model that invents a port or a version is caught even when the sentence
// around it was really said.
const MinSupport = 0.5

// workedOut are dates, in the form that was asked for and in others: a model works
// them out of "yesterday" and the time of a turn, rules put (2022) behind "last year".
var workedOut = text.Pattern(`(?i)\b\d{4}-\d{2}(-\d{2})?\b|[(（](about |约)?\d{4}[)）]` +
	`|\d{4} ?年( ?\d{1,2} ?月( ?\d{1,2} ?[日号])?)?|\d{1,2} ?月 ?\d{1,2} ?[日号]` +
	`|\b(\d{1,2}(st|nd|rd|th)? )?(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sep(t(ember)?)?|oct(ober)?|nov(ember)?|dec(ember)?)\.?( \d{1,2}(st|nd|rd|th)?\b)?(,? \d{4}\b)?`)

// evidence knows the words of turns.
type evidence struct {
	fed   map[int]*inbox.Fed
	terms map[int]map[string]bool // of a turn, once asked for
}

func newEvidence(fed []inbox.Fed) *evidence {
	e := &evidence{fed: make(map[int]*inbox.Fed, len(fed)), terms: map[int]map[string]bool{}}
	for i := range fed {
		e.fed[fed[i].N] = &fed[i]
	}
	return e
}

// has reports whether all turns were fed, and which was not.
func (e *evidence) has(turns []int) (missing int, ok bool) {
	for _, n := range turns {
		if e.fed[n] == nil {
			return n, false
		}
	}
	return 0, len(turns) > 0
}

func (e *evidence) turn(n int) map[string]bool {
	if e.terms[n] == nil {
		set := map[string]bool{}
		t := e.fed[n]
		t.Terms(func(term text.Term) { set[string(term.Text)] = true })
		e.terms[n] = set
	}
	return e.terms[n]
}

// supports reports whether turns hold what a finding says; missing is a number
// that they lack, else "".
func (e *evidence) supports(said string, turns []int) (share float64, missing string) {
	return e.beyond(nil, said, turns)
}

// beyond is supports of what a text says beside words that were there before: those are
// free. One that says nothing else is supported.
func (e *evidence) beyond(before map[string]bool, said string, turns []int) (share float64, missing string) {
	return support(before, said, func(word string) bool {
		return slices.ContainsFunc(turns, func(n int) bool { return e.turn(n)[word] })
	})
}

// Support tells how much of what a text says stands in another: the share of its words, and
// a number that does not stand there, else "".
func Support(said, source string) (share float64, missing string) {
	there := Terms(source)
	return support(nil, said, func(word string) bool { return there[word] })
}

// SupportIn is Support where what stands there is known word by word.
func SupportIn(said string, stands func(word string) bool) (share float64, missing string) {
	return support(nil, said, stands)
}

func support(before map[string]bool, said string, stands func(word string) bool) (share float64, missing string) {
	words, free := map[int]bool{}, map[int]bool{} // of the text: whether found, whether there before
	for _, q := range text.Query(workedOut().ReplaceAllString(said, " ")) {
		free[q.Word] = free[q.Word] || before[q.Text]
		found := before[q.Text] || stands(q.Text)
		words[q.Word] = words[q.Word] || found
		if !found && text.IsNumber(q.Text) {
			missing = q.Text
		}
	}
	found, all := 0, 0
	for word, stands := range words {
		if free[word] {
			continue
		}
		if all++; stands {
			found++
		}
	}
	switch {
	case all > 0:
		return float64(found) / float64(all), missing
	case len(words) > 0:
		return 1, missing
	}
	return 0, ""
}

// Terms are the words of a text in all their forms.
func Terms(s string) map[string]bool {
	set := map[string]bool{}
	text.Terms(s, func(t text.Term) { set[string(t.Text)] = true })
	return set
}
