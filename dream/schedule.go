package dream

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/netresearch/go-cron"
)

// A schedule is read against the clock on the wall, not against the time that has
// passed. A slot is a reading of that clock, such as 2026-03-29T02:30, and slots only
// go forward: what is due is the latest slot that the clock has reached, if it is later
// than that of the last run. All else follows from it.
//
//   - A slot that the clock skips in spring is reached at the first moment after the gap.
//   - A slot that it shows twice in autumn is the same one, and had its run.
//   - A clock that is set back shows slots that had their run.
//   - However many slots were missed, the latest one is due, and one run is made.
//
// Reckoned in time that has passed, each of these would be a rule of its own. The
// library that reads cron expressions never sees a time zone: a slot is handed to it as
// a time in UTC, where all readings exist, each once.

// ErrSchedule is an expression that is no schedule.
var ErrSchedule = errors.New("not a schedule")

// Schedule is a cron expression: minute, hour, day of the month, month, day of the
// week. Where both days are given, one of them suffices, as in cron.
type Schedule struct {
	expr string
	spec *cron.SpecSchedule
}

// Slot is a reading of the clock on the wall, to the minute: 2006-01-02T15:04. Slots
// sort as text; "" is before all.
type Slot string

const slotForm = "2006-01-02T15:04"

// maxSearch is how many years the next slot may be away: from one 29 February to the
// next one across 2100 it is eight.
const maxSearch = 9

// ParseSchedule reads an expression of five fields, or a name such as @daily.
func ParseSchedule(expr string) (*Schedule, error) {
	expr = strings.Join(strings.Fields(expr), " ")
	refuse := func(why string) (*Schedule, error) { return nil, fmt.Errorf("%q: %w: %s", expr, ErrSchedule, why) }
	if strings.Contains(expr, "=") {
		return refuse("it follows the clock of this machine and names no time zone")
	}
	parsed, err := cron.MustNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor | cron.DowOrDom).
		WithMaxSearchYears(maxSearch).Parse(expr)
	if err != nil {
		return refuse(err.Error())
	}
	spec, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return refuse("it names a length of time, not times of the day")
	}
	spec.Location = time.UTC
	s := &Schedule{expr, spec}
	if spec.Next(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return refuse("there is no such day")
	}
	return s, nil
}

func (s *Schedule) String() string { return s.expr }

// Latest is the last slot that the clock has reached at a moment.
func (s *Schedule) Latest(now time.Time) Slot {
	return slotOf(s.spec.Prev(wall(now).Add(time.Second)))
}

// Due is the slot that waits for its run, when that of the last run is known; false for
// none.
func (s *Schedule) Due(now time.Time, last Slot) (Slot, bool) {
	slot := s.Latest(now)
	return slot, slot > last
}

// Next is the first moment at which something will be due again.
func (s *Schedule) Next(now time.Time, last Slot) time.Time {
	if _, due := s.Due(now, last); due {
		return now
	}
	return moment(s.spec.Next(later(wall(now), last.wall())), now.Location())
}

// misdated reports whether a slot lies so far ahead of the clock that this one must have
// been wrong when it was noted: further than the next slot, and than any change of the
// clock that people make.
func (s *Schedule) misdated(now time.Time, last Slot) bool {
	shown := wall(now)
	return last > slotOf(s.spec.Next(shown)) && last.wall().Sub(shown) > maxSetBack
}

// maxSetBack is by how much a clock that was right may be set back: from one side of the
// date line to the other.
const maxSetBack = 26 * time.Hour

func slotOf(wall time.Time) Slot {
	if wall.IsZero() {
		return ""
	}
	return Slot(wall.Format(slotForm))
}

// wall is what a clock shows at a moment, as a time in UTC.
func wall(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

// wall is the slot as a time in UTC, zero when it is none.
func (s Slot) wall() time.Time {
	t, err := time.Parse(slotForm, string(s))
	if err != nil {
		return time.Time{}
	}
	return t
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// moment is when a clock in a place first shows a reading or a later one.
func moment(reading time.Time, in *time.Location) time.Time {
	t := time.Date(reading.Year(), reading.Month(), reading.Day(), reading.Hour(), reading.Minute(), 0, 0, in)
	begins, ends := t.ZoneBounds()
	switch shown := wall(t); { // time.Date does not say on which side of a gap it ends
	case shown.After(reading):
		return begins
	case shown.Before(reading):
		return ends
	case begins.IsZero():
		return t
	}
	_, offset := t.Zone()
	_, before := begins.Add(-time.Second).Zone()
	if first := t.Add(time.Duration(offset-before) * time.Second); first.Before(begins) && wall(first).Equal(reading) {
		return first
	}
	return t
}

// Times is when a schedule is due, field by field, for programs that have a form of
// their own for it: the values that count, nil for any.
type Times struct {
	Minutes, Hours, Days, Months, Weekdays []int // weekdays from Sunday, which is 0
}

// Times gives the schedule's times. They are two where a day of the month or one of the
// week suffices: it is due at those of either.
func (s *Schedule) Times() []Times {
	star := func(bits uint64) bool { return bits>>63 != 0 } // which the library sets for a *
	t := Times{values(s.spec.Minute, 0, 59), values(s.spec.Hour, 0, 23), values(s.spec.Dom, 1, 31), values(s.spec.Month, 1, 12), values(s.spec.Dow, 0, 6)}
	if star(s.spec.Dom) || star(s.spec.Dow) {
		return []Times{t}
	}
	if t.Days == nil || t.Weekdays == nil { // all days of one of them
		t.Days, t.Weekdays = nil, nil
		return []Times{t}
	}
	other := t
	t.Weekdays, other.Days = nil, nil
	return []Times{t, other}
}

// values are the bits from lo to hi that are set, nil for all.
func values(bits uint64, lo, hi int) (v []int) {
	for i := lo; i <= hi; i++ {
		if bits&(1<<i) != 0 {
			v = append(v, i)
		}
	}
	if len(v) == hi-lo+1 {
		return nil
	}
	return v
}
