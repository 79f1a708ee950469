package retrieve

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Said is a date that a text names as seen from the day on which it was
// written: yesterday, last Friday, two weeks ago, 上个月, 三天前.
type Said struct {
	Start, End int       // bytes of the text
	From, To   time.Time // midnight UTC, To exclusive
	Soft       bool      // about then
}

// RelativeDates finds the dates that a text names relative to a day, in the
// order of the text. What names a date by itself (8 May 2023) or leaves open
// which one it means (May, on Friday) is none of them, nor is "recently".
func RelativeDates(s string, now time.Time) (said []Said) {
	r, q := datedRow(s, now)
	if r == nil {
		return nil
	}
	words := slices.Clone(r.t)
	rules := dateRules()
	for _, rule := range rules[:len(rules)-rangeRules] {
		r.apply(rule)
	}
	for _, w := range r.t {
		if w.kind != 'X' || w.span.from.Before(firstDay) || w.span.to.After(lastDay) || !isRelative(words, w.start, w.end) {
			continue
		}
		said = append(said, Said{unmapped(s, q, w.start), unmapped(s, q, w.end), w.span.from, w.span.to, w.span.soft})
	}
	return said
}

// isRelative reports whether words between two bytes place a date as seen from
// today, and none places it by itself.
func isRelative(words []dateToken, from, to int) (relative bool) {
	for _, w := range words {
		if w.start < from || w.end > to {
			continue
		}
		if strings.IndexByte("X98", w.kind) >= 0 {
			return false
		}
		relative = relative || strings.IndexByte("drpayq", w.kind) >= 0
	}
	return relative
}

// unmapped is the byte of s at which byte i of its plain form stands.
func unmapped(s, plain string, i int) int {
	if len(s) == len(plain) {
		return i
	}
	at := 0
	for k := 0; k < i; {
		_, n := utf8.DecodeRuneInString(plain[k:])
		_, m := utf8.DecodeRuneInString(s[at:])
		k, at = k+n, at+m
	}
	return at
}
