package dream

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"
)

func schedule(t *testing.T, expr string) *Schedule {
	t.Helper()
	s, err := ParseSchedule(expr)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	in, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// at reads "2026-03-29 03:00".
func at(t *testing.T, in *time.Location, text string) time.Time {
	t.Helper()
	v, err := time.ParseInLocation("2006-01-02 15:04", text, in)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// watched looks again and again from a moment to another, as a scheduler does, every
// minute where the clock is about to change or has just changed and every hour else, and
// gives the moments at which it ran.
func watched(s *Schedule, from, to time.Time, last Slot) (runs []time.Time) {
	for now := from; now.Before(to); {
		if slot, due := s.Due(now, last); due {
			last, runs = slot, append(runs, now)
		}
		_, before := now.Add(-3 * time.Hour).Zone()
		if _, after := now.Add(3 * time.Hour).Zone(); before != after {
			now = now.Add(time.Minute)
		} else {
			now = now.Add(time.Hour)
		}
	}
	return runs
}

// L11: the clock changes twice a year, and every night has its run.
func TestEveryNightOfAYearHasOneRun(t *testing.T) {
	for _, in := range []string{"Europe/Berlin", "America/New_York", "Asia/Shanghai", "Australia/Lord_Howe", "UTC"} {
		for _, expr := range []string{"0 3 * * *", "30 2 * * *", "30 1 * * *", "15 2 * * *", "45 1 * * *", "0 0 * * *"} {
			t.Run(in+" "+expr, func(t *testing.T) {
				s, where := schedule(t, expr), zone(t, in)
				from := at(t, where, "2026-01-01 12:00")
				nights := map[string]int{}
				for _, run := range watched(s, from, from.AddDate(1, 0, 0), s.Latest(from)) {
					nights[run.Format(time.DateOnly)]++
				}
				if len(nights) != 365 {
					t.Errorf("%d nights had a run", len(nights))
				}
				for night, n := range nights {
					if n != 1 {
						t.Errorf("%s had %d runs", night, n)
					}
				}
			})
		}
	}
}

// L11: where the clock jumps, the run is at the moment that a person would expect.
func TestARunAtAClockChangeIsAtTheFirstMomentOfItsTime(t *testing.T) {
	for _, c := range []struct{ zone, expr, from, want string }{
		{"Europe/Berlin", "30 2 * * *", "2026-03-28 12:00", "2026-03-29T03:00:00+02:00"},           // 02:00 to 03:00 is skipped
		{"Europe/Berlin", "0,30 2 * * *", "2026-03-28 12:00", "2026-03-29T03:00:00+02:00"},         // both of them are, and give one run
		{"Europe/Berlin", "30 2 * * *", "2026-10-24 12:00", "2026-10-25T02:30:00+02:00"},           // 02:00 to 03:00 comes twice
		{"America/New_York", "30 2 * * *", "2026-03-07 12:00", "2026-03-08T03:00:00-04:00"},        // skipped
		{"America/New_York", "30 1 * * *", "2026-10-31 12:00", "2026-11-01T01:30:00-04:00"},        // twice
		{"Australia/Lord_Howe", "15 2 * * *", "2026-10-03 12:00", "2026-10-04T02:30:00+11:00"},     // half an hour is skipped
		{"Australia/Lord_Howe", "45 1 * * *", "2026-04-04 12:00", "2026-04-05T01:45:00+11:00"},     // half an hour comes twice
		{"Asia/Shanghai", "30 2 * * *", "2026-03-28 12:00", "2026-03-29T02:30:00+08:00"},           // no change
		{"America/Sao_Paulo", "0 0 * * *", "2018-11-03 12:00", "2018-11-04T01:00:00-02:00"},        // midnight is skipped
		{"Pacific/Apia", "0 3 * * *", "2011-12-29 12:00", "2011-12-31T00:00:00+14:00"},             // a day is skipped
		{"America/New_York", "30 2 29 2 *", "2026-03-07 12:00", "2028-02-29T02:30:00-05:00"},       // years away
		{"Europe/Berlin", "*/15 * * * *", "2026-10-25 02:50", "2026-10-25T03:00:00+01:00"},         // the first of two
		{"Antarctica/Troll", "30 2 * * *", "2026-10-24 12:00", "2026-10-25T02:30:00+02:00"},        // two hours come twice
		{"Antarctica/Troll", "30 1 * * *", "2026-03-28 12:00", "2026-03-29T03:00:00+02:00"},        // two hours are skipped
		{"Africa/Casablanca", "30 2 * * *", "2026-02-14 12:00", "2026-02-15T02:30:00+01:00"},       // for Ramadan
		{"Europe/Berlin", "30 2 * * sun", "2026-03-28 12:00", "2026-03-29T03:00:00+02:00"},         // on a day of the week
		{"Europe/Berlin", "0 3 29 3 *", "2026-03-28 12:00", "2026-03-29T03:00:00+02:00"},           // just behind the gap
		{"Europe/Berlin", "59 1 * * *", "2026-03-28 12:00", "2026-03-29T01:59:00+01:00"},           // just before it
		{"Europe/Berlin", "0 2 * * *", "2026-10-24 12:00", "2026-10-25T02:00:00+02:00"},            // the first minute that comes twice
		{"Europe/Berlin", "59 2 * * *", "2026-10-24 12:00", "2026-10-25T02:59:00+02:00"},           // and the last one
		{"Australia/Lord_Howe", "30 1 * * *", "2026-04-04 12:00", "2026-04-05T01:30:00+11:00"},     // the first minute that comes twice
		{"Australia/Lord_Howe", "0 2 4 10 *", "2026-10-03 12:00", "2026-10-04T02:30:00+11:00"},     // the first that is skipped
		{"Australia/Lord_Howe", "29 2 4 10 *", "2026-10-03 12:00", "2026-10-04T02:30:00+11:00"},    // and the last
		{"Australia/Lord_Howe", "0 3 * * *", "2026-04-04 12:00", "2026-04-05T03:00:00+10:30"},      // behind the change
		{"America/New_York", "*/30 1-3 * * *", "2026-03-08 01:45", "2026-03-08T03:00:00-04:00"},    // three of them at once
		{"America/New_York", "0 3 * * mon-fri", "2026-03-06 12:00", "2026-03-09T03:00:00-04:00"},   // the change was on a Sunday
		{"America/New_York", "@daily", "2026-03-08 12:00", "2026-03-09T00:00:00-04:00"},            // a name
		{"America/New_York", "0 3 13 * fri", "2026-02-10 12:00", "2026-02-13T03:00:00-05:00"},      // either day
		{"America/New_York", "0 3 13 * fri", "2026-02-13 12:00", "2026-02-20T03:00:00-05:00"},      // either day
		{"America/New_York", "0 3 13 * 0-6", "2026-02-13 12:00", "2026-02-14T03:00:00-05:00"},      // all days of one of them are all
		{"America/New_York", "0 3 * * 7", "2026-02-13 12:00", "2026-02-15T03:00:00-05:00"},         // 7 is Sunday
		{"America/New_York", "0 22-2 * * *", "2026-02-13 23:30", "2026-02-14T00:00:00-05:00"},      // across midnight
		{"America/New_York", "0 3 1 jan-mar/2 *", "2026-01-02 00:00", "2026-03-01T03:00:00-05:00"}, // names and steps
	} {
		s, where := schedule(t, c.expr), zone(t, c.zone)
		from := at(t, where, c.from)
		next := s.Next(from, s.Latest(from))
		if got := next.Format(time.RFC3339); got != c.want {
			t.Errorf("%s in %s from %s: next run %s, want %s", c.expr, c.zone, c.from, got, c.want)
		}
		if _, due := s.Due(next.Add(-time.Second), s.Latest(from)); due {
			t.Errorf("%s in %s from %s: due before %v", c.expr, c.zone, c.from, next)
		}
		if _, due := s.Due(next, s.Latest(from)); !due {
			t.Errorf("%s in %s from %s: not due at %v", c.expr, c.zone, c.from, next)
		}
	}
}

// L11: nights that had their run do not have another one when the clock is set back.
func TestAClockThatIsSetBackMakesNoSecondRun(t *testing.T) {
	s := schedule(t, "0 3 * * *")
	ran := Slot("2026-06-10T03:00")
	for _, c := range []struct{ shows, next string }{
		{"2026-06-10 02:10", "2026-06-11 03:00"}, // by an hour
		{"2026-06-09 12:00", "2026-06-11 03:00"}, // by a day
	} {
		now := at(t, time.UTC, c.shows)
		if slot, due := s.Due(now, ran); due {
			t.Errorf("at %s %s is due", c.shows, slot)
		}
		if next := s.Next(now, ran); !next.Equal(at(t, time.UTC, c.next)) {
			t.Errorf("at %s the next run is at %v, want %s", c.shows, next, c.next)
		}
		if s.misdated(now, ran) {
			t.Errorf("at %s the last run is taken for a mistake", c.shows)
		}
	}
}

// A clock that was years ahead for a night must not end the runs for years.
func TestARunFarAheadOfTheClockIsAMistake(t *testing.T) {
	s := schedule(t, "0 3 * * *")
	now := at(t, time.UTC, "2026-06-10 02:10")
	for slot, want := range map[Slot]bool{"2026-06-10T03:00": false, "2026-06-11T03:00": false, "2026-06-12T03:00": true, "2036-01-01T03:00": true, "": false, "2020-01-01T03:00": false} {
		if got := s.misdated(now, slot); got != want {
			t.Errorf("%q seen at %v is a mistake: %v, want %v", slot, now, got, want)
		}
	}
	weekly := schedule(t, "0 3 * * sun") // 14 June is the next Sunday
	if weekly.misdated(now, "2026-06-14T03:00") {
		t.Error("the next slot of all is taken for a mistake")
	}
}

// L11: what was missed is made up for by one run.
func TestMissedNightsAreMadeUpForByOneRun(t *testing.T) {
	s := schedule(t, "0 3 * * *")
	back := at(t, time.UTC, "2026-06-20 09:00")
	runs := watched(s, back, at(t, time.UTC, "2026-06-21 12:00"), "2026-06-10T03:00")
	if len(runs) != 2 || !runs[0].Equal(back) || !runs[1].Equal(at(t, time.UTC, "2026-06-21 03:00")) {
		t.Errorf("runs at %v, want one at once and one in the next night", runs)
	}
}

func TestWhatIsNoScheduleIsRefused(t *testing.T) {
	for expr, why := range map[string]string{
		"":                                      "empty",
		"0 3 * *":                               "5 fields",
		"0 0 3 * * *":                           "5 fields",
		"60 3 * * *":                            "60",
		"0 24 * * *":                            "24",
		"0 3 30 2 *":                            "no such day",
		"0 3 31 4,6,9,11 *":                     "no such day",
		"@every 1h":                             "a length of time",
		"@reboot":                               "@reboot",
		"TZ=Asia/Tokyo 0 3 * * *":               "no time zone",
		"CRON_TZ=UTC 0 3 * * *":                 "no time zone",
		"three at night":                        "5 fields",
		"a b c d e":                             "a",
		"0 3 L * *":                             "",
		"0 3 * * fri#2":                         "",
		"H 3 * * *":                             "",
		"*/0 3 * * *":                           "",
		"-1 3 * * *":                            "",
		strings.Repeat("1,", 600) + "1 3 * * *": "too long",
	} {
		s, err := ParseSchedule(expr)
		if !errors.Is(err, ErrSchedule) {
			t.Errorf("%q: %v, %v", expr, s, err)
		} else if !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v does not say %q", expr, err, why)
		}
	}
}

func TestTimesOfAScheduleFieldByField(t *testing.T) {
	for expr, want := range map[string][]Times{
		"0 3 * * *":          {{Minutes: []int{0}, Hours: []int{3}}},
		"*/20 * * * *":       {{Minutes: []int{0, 20, 40}}},
		"0 3 * * 7":          {{Minutes: []int{0}, Hours: []int{3}, Weekdays: []int{0}}},
		"0 3 1-3 jan *":      {{Minutes: []int{0}, Hours: []int{3}, Days: []int{1, 2, 3}, Months: []int{1}}},
		"5 3 13 * fri":       {{Minutes: []int{5}, Hours: []int{3}, Days: []int{13}}, {Minutes: []int{5}, Hours: []int{3}, Weekdays: []int{5}}},
		"5 3 13 * 0-6":       {{Minutes: []int{5}, Hours: []int{3}}}, // every day of the week suffices
		"5 3 1-31 * fri":     {{Minutes: []int{5}, Hours: []int{3}}},
		"0-59 0-23 * 1-12 *": {{}},
		"@weekly":            {{Minutes: []int{0}, Hours: []int{0}, Weekdays: []int{0}}},
	} {
		if got := schedule(t, expr).Times(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", expr, got, want)
		}
	}
}

// Times means what the schedule means, whatever the expression.
func TestTimesAndScheduleAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		field := func(name string, lo, hi int) string {
			a, b := rapid.IntRange(lo, hi).Draw(t, name), rapid.IntRange(lo, hi).Draw(t, name+" end")
			return rapid.SampledFrom([]string{"*", fmt.Sprint(a), fmt.Sprintf("%d-%d", min(a, b), max(a, b)), fmt.Sprintf("%d,%d", a, b), fmt.Sprintf("*/%d", max(1, min(a, hi/2)))}).Draw(t, name+" form")
		}
		expr := strings.Join([]string{"0", "3", field("day", 1, 28), field("month", 1, 12), field("weekday", 0, 6)}, " ")
		s, err := ParseSchedule(expr)
		if err != nil {
			t.Fatal(err)
		}
		day := time.Date(2026, 1, 1, 3, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 1500).Draw(t, "offset"))
		means := false
		for _, ts := range s.Times() {
			means = means || allows(ts.Days, day.Day()) && allows(ts.Months, int(day.Month())) && allows(ts.Weekdays, int(day.Weekday()))
		}
		if due := s.Latest(day) == slotOf(day); due != means {
			t.Fatalf("%s on %s: due %v, by its times %v", expr, day.Format("Mon 2006-01-02"), due, means)
		}
	})
}

func allows(values []int, v int) bool {
	for _, one := range values {
		if one == v {
			return true
		}
	}
	return values == nil
}

// The latest slot is the one before the next, found the other way round.
func TestTheLatestSlotIsTheOneAfterWhichTheNextComes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		expr := rapid.SampledFrom([]string{"0 3 * * *", "*/7 * * * *", "13 4,5 1-7 * *", "0 3 13 * fri", "5 0 31 * *", "0 3 29 2 *", "59 23 * * sat"}).Draw(t, "expr")
		s, err := ParseSchedule(expr)
		if err != nil {
			t.Fatal(err)
		}
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rapid.Int64Range(0, 5*365*24*3600).Draw(t, "seconds")) * time.Second)
		latest := s.Latest(now)
		after := s.spec.Next(latest.wall())
		if latest.wall().After(now) || !after.After(now) {
			t.Fatalf("%s at %v: latest %s, and after that %v", expr, now, latest, after)
		}
		if !s.spec.Next(latest.wall().Add(-time.Second)).Equal(latest.wall()) {
			t.Fatalf("%s: %s is no slot", expr, latest)
		}
	})
}
