package retrieve

import (
	"time"
)

// A question that names a time ("in May 2023", 上周) prefers what is dated so:
// the page's date, the turn's. It prefers and does not filter, since people
// date loosely, and a page that tells it may be dated otherwise. What happened
// is told afterwards, so the preference fades over the days behind the time
// named, not before it:
//
//	fit = 1 from the first to the last day named, then falling to 0 in dateAfter
//
// A time with one end only ("since March") names half of all days, and a vague
// one ("recently") may be meant otherwise: each counts half.
func datePreference(p *plan, cands []*candidate) {
	spans := when(p.q.Text, p.q.Now)
	if len(spans) == 0 {
		return
	}
	for _, c := range cands {
		day, share := pageDate(c.page), dateShare
		if c.said {
			share *= dateTurns
			if !c.turn.At.IsZero() {
				day = c.turn.At
			}
		}
		if day.IsZero() {
			continue
		}
		best, words := 0.0, ""
		for _, s := range spans {
			if fit := s.fit(day); fit > best {
				best, words = fit, s.words
			}
		}
		if best > 0 {
			c.add(Signal{Name: "date", Value: share * best, Raw: best, Note: words + ": " + day.Format(time.DateOnly)})
		}
	}
}

// fit tells how well a date fits a time named, from 0 to 1.
func (s *span) fit(day time.Time) float64 {
	fit := 1.0
	switch {
	case day.Before(s.from):
		return 0
	case !day.Before(s.to):
		if fit = 1 - float64(day.Sub(s.to))/float64(dateAfter); fit <= 0 {
			return 0
		}
	}
	if s.open || s.soft {
		fit /= 2
	}
	return fit
}
