package retrieve

import (
	"time"
)

// A stretch of days is measured in units.
const (
	unitDay = iota
	unitWeek
	unitWeekend
	unitMonth
	unitQuarter
	unitYear
	unitDecade
)

var (
	unitDays   = [...]int{1, 7, 7, 30, 91, 365, 3652}
	unitMonths = [...]int{unitMonth: 1, unitQuarter: 3, unitYear: 12, unitDecade: 120}
)

func date(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }

func yearSpan(y int) span { return span{from: date(y, 1, 1), to: date(y+1, 1, 1)} }

func (s span) days() int { return int(s.to.Sub(s.from) / (24 * time.Hour)) }

// addUnits stays in the month that n months reach: the 31st becomes the 30th.
func addUnits(t time.Time, n, unit int) time.Time {
	if unit < unitMonth {
		return t.AddDate(0, 0, n*unitDays[unit])
	}
	y, m, d := t.Date()
	first := date(y, int(m)+n*unitMonths[unit], 1)
	return first.AddDate(0, 0, min(d, first.AddDate(0, 1, -1).Day())-1)
}

// enclosing is the unit of the calendar that t lies in; of a week, its weekend.
func enclosing(t time.Time, unit int) span {
	y, m, d := t.Date()
	from := date(y, int(m), d)
	switch unit {
	case unitDay:
		return span{from: from, to: from.AddDate(0, 0, 1)}
	case unitWeek, unitWeekend:
		to := onOrAfter(from, 7).AddDate(0, 0, 1)
		if unit == unitWeekend {
			return span{from: to.AddDate(0, 0, -2), to: to}
		}
		return span{from: to.AddDate(0, 0, -7), to: to}
	}
	months := y*12 + int(m) - 1
	months -= months % unitMonths[unit]
	return span{from: date(0, months+1, 1), to: date(0, months+1+unitMonths[unit], 1)}
}

// period is the n-th unit of the calendar from today's on.
func (r *dateRow) period(n, unit int) span {
	s := enclosing(r.now, unit)
	return span{from: addUnits(s.from, n, unit), to: addUnits(s.to, n, unit)}
}

// centred is a day, or about a unit with that day in its middle.
func centred(day time.Time, unit int) span {
	half := unitDays[unit] / 2
	return span{from: day.AddDate(0, 0, -half), to: day.AddDate(0, 0, half+1), soft: half > 0}
}

// onOrAfter is the first such weekday from t on, 1 for Monday.
func onOrAfter(t time.Time, weekday int) time.Time {
	return t.AddDate(0, 0, (weekday-int(t.Weekday())+7)%7)
}

// step is the n-th unit, weekend or weekday from t on; the one that ends
// before t is -1.
func step(t time.Time, n int, what dateToken) span {
	weekday, days := what.n, 1
	switch {
	case what.kind == 'u' && what.n == unitWeekend:
		weekday, days = 6, 2
	case what.kind != 'w' && what.kind != 'x':
		return span{from: addUnits(t, n, what.n), to: addUnits(t, n+1, what.n)}
	}
	if n < 0 {
		t = t.AddDate(0, 0, 1-days)
	}
	from := onOrAfter(t, weekday).AddDate(0, 0, 7*n)
	return span{from: from, to: from.AddDate(0, 0, days)}
}

// narrow is the part of s that a month, season, quarter, half, day or weekday
// names, of weekdays the one nearest its middle; zero when s is no such thing.
func narrow(s span, t dateToken) span {
	n, first, months := s.days(), t.n, 3
	switch t.kind {
	case 'c':
		return third(s, t.n)
	case 'J':
		first := s.from.AddDate(0, 0, t.n-1)
		if s.to, s.from = first.AddDate(0, 0, 1), first; n < 28 || n > 31 || n < t.n {
			return span{}
		}
		return s
	case 'w', 'x':
		if n > 62 {
			return span{}
		} else if n > 2 {
			s.from = onOrAfter(s.from.AddDate(0, 0, n/2-3), t.n)
			s.to = s.from.AddDate(0, 0, 1)
		}
		return s
	case 'm', 'M', 'v', '5':
		months = 1
	case 'Q':
		first = 3*t.n - 2
	case 'H':
		first, months = 6*t.n-5, 6
	}
	if n != 365 && n != 366 {
		return span{}
	}
	from := date(s.from.Year(), first, 1)
	if from.Before(s.from) {
		from = from.AddDate(1, 0, 0)
	}
	s.from, s.to = from, from.AddDate(0, months, 0)
	return s
}

// third is the beginning (0), early (1), middle (2), late part (3) or end (4)
// of s. Beginning and end of a year are two months, else as early and late.
func third(s span, part int) span {
	n, unit := s.days(), unitDay
	length := n / 3
	switch {
	case n < 3:
		return s
	case n > 31:
		length, unit = (n+15)/30/3, unitMonth
	case n >= 28:
		length = 10
	}
	early, late := addUnits(s.from, length, unit), addUnits(s.from, 2*length, unit)
	if short := max(1, length/2); unit == unitMonth && (part == 0 || part == 4) {
		early, late = addUnits(s.from, short, unit), addUnits(s.to, -short, unit)
	}
	switch part {
	case 0, 1:
		s.to = early
	case 2:
		s.from, s.to = early, late
	default:
		s.from = late
	}
	s.soft = true
	return s
}
