package compile

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"brain/retrieve"
	"brain/text"
)

// "Yesterday" means nothing to who reads it a year later. So a finding says
// both, what was said and which day that was as seen from its turn: "yesterday
// (2026-03-01)", 昨天（2026-03-01）. What may mean two days (next Friday, said
// on a Monday), what names no day (recently, on Friday) and what is not the
// speaker's own (quoted text, code) stay as they are.

// dated follows a word of time that was written with its date already.
var dated = text.Pattern(`^\s*[(（,，]?\s*(about |约)?\d{4}([-/.年)）]|$)`)

// names begin with a word of time and are none.
var namesOfTime = []string{"今日头条", "今日说法", "明日方舟", "昨日重现", "明天会更好"}

// absolute writes the dates behind the words of time of a text, as seen from
// the time of its turn. Done twice it changes nothing more.
func absolute(raw string, at time.Time) string {
	if at.IsZero() {
		return raw
	}
	hidden := hideQuotes(hideLines(raw))
	var b strings.Builder
	done := 0
	said := retrieve.RelativeDates(hidden, at)
	for i, d := range said {
		end := d.End
		for _, s := range [...]string{"'s", "’s"} {
			if strings.HasPrefix(raw[end:], s) {
				end += len(s)
			}
		}
		words := raw[d.Start:d.End]
		if end < done || dated().MatchString(raw[end:]) || isTitle(raw, d.Start) || isOpen(words, d, at) ||
			isCounted(raw[:d.Start]) || i > 0 && joined(raw[said[i-1].End:d.Start]) || i+1 < len(said) && joined(raw[d.End:said[i+1].Start]) {
			continue
		}
		b.WriteString(raw[done:end])
		b.WriteString(written(d, words))
		done = end
	}
	b.WriteString(raw[done:])
	return b.String()
}

// isTitle reports a word of time that is part of a name: USA Today.
func isTitle(s string, at int) bool {
	for _, n := range namesOfTime {
		if strings.HasPrefix(s[at:], n) {
			return true
		}
	}
	r, _ := utf8.DecodeRuneInString(s[at:])
	before := strings.TrimRightFunc(s[:at], unicode.IsSpace)
	last, _ := utf8.DecodeLastRuneInString(before)
	return unicode.IsUpper(r) && (unicode.IsLetter(last) || unicode.IsDigit(last))
}

// beforeDay is before the 15th to some, 15 days ago to others.
var beforeDay = text.Pattern(`^[\p{Nd}一二两三四五六七八九十 ]+日(之|以)?前$`)

// isOpen reports words that may mean two dates: "next Friday" and "this coming
// Friday" are the nearest one to some and the one after it to others.
func isOpen(words string, d retrieve.Said, at time.Time) bool {
	if beforeDay().MatchString(words) {
		return true
	}
	first, _, more := strings.Cut(strings.ToLower(words), " ")
	return more && (first == "next" || first == "coming") && d.To.Sub(d.From) <= 48*time.Hour && d.From.Sub(at) > 7*24*time.Hour
}

// counted stands before what days are counted from: a week from tomorrow.
var counted = text.Pattern(`(?i)\b(days?|weeks?|months?|years?)\s+(from|after|before)\s+$`)

func isCounted(before string) bool { return counted().MatchString(before) }

// joined reports two words of time that make one, of a day that is neither of
// theirs: today a year ago, 去年的今天.
func joined(between string) bool {
	between = strings.TrimSpace(between)
	return between == "" || between == "的"
}

// written is a date as it stands behind the words of time.
func written(d retrieve.Said, words string) string {
	last, _ := utf8.DecodeLastRuneInString(words)
	if unicode.Is(unicode.Han, last) {
		return "（" + period(d, "约", " 至 ") + "）"
	}
	return " (" + period(d, "about ", " to ") + ")"
}

// period writes a stretch of days: a day, a month, a year, or both its ends.
func period(d retrieve.Said, about, to string) string {
	days := int(d.To.Sub(d.From) / (24 * time.Hour))
	day, month, year := "2006-01-02", "2006-01", "2006"
	middle := d.From.AddDate(0, 0, days/2)
	switch {
	case days == 1:
		return d.From.Format(day)
	case d.Soft && days <= 7:
		return about + middle.Format(day)
	case d.Soft && days >= 28 && days <= 31:
		return about + middle.Format(month)
	case d.Soft && days >= 360:
		return about + middle.Format(year)
	case d.From.Day() == 1 && d.To.Equal(d.From.AddDate(0, 1, 0)):
		return d.From.Format(month)
	case d.From.YearDay() == 1 && d.To.Equal(d.From.AddDate(1, 0, 0)):
		return d.From.Format(year)
	}
	return d.From.Format(day) + to + d.To.AddDate(0, 0, -1).Format(day)
}
