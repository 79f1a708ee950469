package retrieve

import (
	"slices"
	"time"
)

// Which days does a question speak of? Its words become a row of tokens, each
// with a kind, one letter, and a number: "since 8 May, 2023" is s n v G 9.
// Rules, regular expressions over those letters, make one token of several
// until each date is one token X: n v G 9 is an X, and so is s X. Rules see
// kinds and not words, so one set of them reads English and Chinese, a rule is
// a dozen letters, and so is what it is matched with. A question without a
// token that a date needs meets no rule and costs a look-up a word.
//
// Questions are put to a memory of what was, so what is left open is taken as
// past: "May" is the last May that has begun, "on Friday" the last Friday or
// today. Weeks start on Monday. What is mostly no date (may, march, spring, a
// number of four digits) is one only beside a word that makes it one.

// span is a stretch of days that a question speaks of.
type span struct {
	from, to time.Time // midnight UTC, to exclusive; within 1900..2200
	words    string    // as found in the question
	soft     bool      // about then: recently, late May, two weeks ago
	open     bool      // only one end is said: since, before, after
	yearless bool      // the year is inferred: on 8 May
}

// when finds the dates that a question names, relative to now (UTC), in the
// order of the question.
func when(question string, now time.Time) (spans []span) {
	r, q := datedRow(question, now)
	if r == nil {
		return nil
	}
	for _, rule := range dateRules() {
		r.apply(rule)
	}
	if len(q) == len(question) {
		q = question
	}
	for _, w := range r.t {
		if w.kind == 'X' && !w.span.from.Before(firstDay) && !w.span.to.After(lastDay) {
			w.span.words = q[w.start:w.end]
			spans = append(spans, *w.span)
		}
	}
	return spans
}

// datedRow reads the tokens of a text, and gives its plain form; nil when there
// is no date among them.
func datedRow(s string, now time.Time) (*dateRow, string) {
	q, today := plainDates(s), enclosing(now.UTC(), unitDay).from
	var buf [40]dateToken
	t, dated := readDates(buf[:0], q, today.Year())
	if !dated || today.Before(firstDay) || !today.Before(lastDay) {
		return nil, q
	}
	edge := []dateToken{{kind: '?'}}
	r := &dateRow{now: today, t: slices.Concat(edge, t, edge)}
	for _, w := range r.t {
		r.kinds = append(r.kinds, w.kind)
	}
	will := slices.Index(r.kinds, '>')
	r.ahead = will >= 0 && r.kinds[will+1] != '\'' && !slices.Contains(r.kinds, '<') // not Will's
	return r, q
}
