package dream

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// scheduled is a Dream that runs when it is due.
func (w *world) scheduled(expr string) *Cycle {
	w.t.Helper()
	s, err := ParseSchedule(expr)
	if err != nil {
		w.t.Fatal(err)
	}
	c := w.cycle(nil)
	c.Schedule, c.Options.Stages = s, []string{Lint}
	return c
}

// night runs what is due now and reports whether something was.
func (w *world) night(c *Cycle) bool {
	w.t.Helper()
	r, err := c.Run(context.Background())
	if errors.Is(err, ErrNotDue) && r == nil {
		return false
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return true
}

// L11: through both changes of the clock, looking every ten minutes, each night has one run.
func TestAScheduledDreamRunsOnceANightThroughClockChanges(t *testing.T) {
	for _, day := range []string{"2026-03-28", "2026-10-24"} {
		w := newWorld(t)
		berlin := zone(t, "Europe/Berlin")
		w.clock = at(t, berlin, day+" 12:00")
		if err := schedule(t, "30 2 * * *").Begin(w.cycle(nil).State, w.clock); err != nil {
			t.Fatal(err)
		}
		nights := map[string]int{}
		for end := w.clock.AddDate(0, 0, 3); w.clock.Before(end); w.clock = w.clock.Add(10 * time.Minute) {
			if w.night(w.scheduled("30 2 * * *")) {
				nights[w.clock.Format(time.DateOnly)]++
			}
		}
		if len(nights) != 3 || nights[at(t, berlin, day+" 12:00").AddDate(0, 0, 1).Format(time.DateOnly)] != 1 {
			t.Errorf("from %s: %v, want one run in each of three nights", day, nights)
		}
	}
}

// L11: a clock that is set back, by an hour or by a year, has no night run twice.
func TestAScheduledDreamHasNoSecondRunWhenTheClockIsSetBack(t *testing.T) {
	w := newWorld(t) // it is 03:00
	if !w.night(w.scheduled("0 3 * * *")) {
		t.Fatal("nothing ran at the time of the schedule")
	}
	for w.clock = w.clock.Add(-time.Hour); !w.clock.After(march); w.clock = w.clock.Add(20 * time.Minute) {
		if w.night(w.scheduled("0 3 * * *")) {
			t.Errorf("ran again at %v", w.clock)
		}
	}
	w.clock = march.AddDate(0, 0, 1)
	if !w.night(w.scheduled("0 3 * * *")) {
		t.Error("the next night had no run")
	}
}

// L11: of two that come at the same minute one runs, and the other finds that it is done.
func TestTwoSchedulersAtTheSameMinuteGiveOneRun(t *testing.T) {
	w := newWorld(t)
	var ran, busy int
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 8 {
		c := w.scheduled("0 3 * * *")
		all.Go(func() {
			for {
				_, err := c.Run(context.Background())
				_, taken := errors.AsType[*BusyError](err)
				mu.Lock()
				switch {
				case taken:
					busy++
				case err == nil:
					ran++
				case !errors.Is(err, ErrNotDue):
					t.Error(err)
				}
				mu.Unlock()
				if !taken {
					return
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
	all.Wait()
	if ran != 1 {
		t.Errorf("%d runs (%d times somebody found another at it), want 1", ran, busy)
	}
}

// L11: a machine that was off for nights makes up for them once.
func TestAScheduledDreamCatchesUpOnce(t *testing.T) {
	w := newWorld(t)
	w.night(w.scheduled("0 3 * * *"))
	w.clock = w.clock.AddDate(0, 0, 10).Add(6 * time.Hour)
	if c := w.scheduled("0 3 * * *"); !w.night(c) {
		t.Error("nothing was made up for")
	} else if next, want := c.Schedule.NextRun(c.State, w.clock), march.AddDate(0, 0, 11); !next.Equal(want) {
		t.Errorf("the next run is at %v, want %v", next, want)
	}
	if w.clock = w.clock.Add(time.Minute); w.night(w.scheduled("0 3 * * *")) {
		t.Error("the missed nights were made up for twice")
	}
}

// A schedule that begins in the afternoon waits for the night; one that began is not begun again.
func TestAScheduleBeginsWithItsNextTime(t *testing.T) {
	w := newWorld(t)
	w.clock = march.Add(11 * time.Hour)
	c := w.scheduled("0 3 * * *")
	if next := c.Schedule.NextRun(c.State, w.clock); !next.Equal(w.clock) {
		t.Errorf("before it began, the next run is at %v, want now", next)
	}
	if err := c.Schedule.Begin(c.State, w.clock); err != nil {
		t.Fatal(err)
	}
	if next, want := c.Schedule.NextRun(c.State, w.clock), march.AddDate(0, 0, 1); !next.Equal(want) || w.night(c) {
		t.Errorf("the first run is at %v, want %v", next, want)
	}
	w.clock = w.clock.AddDate(0, 0, 1)
	if err := c.Schedule.Begin(c.State, w.clock); err != nil {
		t.Fatal(err)
	}
	if !w.night(w.scheduled("0 3 * * *")) {
		t.Error("beginning anew forgot the night that was missed")
	}
}

// A run that does not come to its end is made again, but not for ever.
func TestARunThatDiedIsMadeAgainAFewTimes(t *testing.T) {
	w := newWorld(t)
	for range maxTries {
		c := w.scheduled("0 3 * * *")
		n, err := c.begin()
		if err != nil {
			t.Fatal(err)
		}
		if err := n.lease(); err != nil { // as it goes when the process is killed
			t.Fatal(err)
		}
		w.clock = w.clock.Add(time.Minute)
	}
	if w.night(w.scheduled("0 3 * * *")) {
		t.Errorf("begun once more after %d deaths", maxTries)
	}
	if w.clock = march.AddDate(0, 0, 1); !w.night(w.scheduled("0 3 * * *")) {
		t.Error("the next night had no run")
	}
}

func TestAnInterruptedRunIsStillDue(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	c := w.scheduled("0 3 * * *")
	c.Told = func(StageReport) { cancel() }
	if r, err := c.Run(ctx); !errors.Is(err, context.Canceled) || !r.Interrupted {
		t.Fatalf("got %v, %v", r, err)
	}
	w.clock = w.clock.Add(time.Minute)
	if !w.night(w.scheduled("0 3 * * *")) {
		t.Error("what was interrupted is not gone on with")
	}
}

// What was noted by a clock that was years ahead, or cannot be read, stops nothing.
func TestABadRecordOfRunsStopsNothing(t *testing.T) {
	for _, text := range []string{`{"done":"2036-03-02T03:00"}`, `{"done":"soon"}`, `{"done":`, `[]`, `{"begun":"2036-03-02T03:00","tries":9}`} {
		w := newWorld(t)
		c := w.scheduled("0 3 * * *")
		if err := os.MkdirAll(c.State.path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(c.State.path, slotsFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if !w.night(c) {
			t.Errorf("after %s nothing runs", text)
		}
		if w.clock = w.clock.Add(time.Hour); w.night(w.scheduled("0 3 * * *")) {
			t.Errorf("after %s it ran twice", text)
		}
	}
}

// A run by hand is none of the schedule's: it is made in any case, and leaves the next one due.
func TestARunByHandIsNoneOfTheSchedule(t *testing.T) {
	w := newWorld(t)
	w.clock = march.Add(-time.Hour)
	hand := w.cycle(nil)
	hand.Options.Stages = []string{Lint}
	if _, err := hand.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if w.clock = march; !w.night(w.scheduled("0 3 * * *")) {
		t.Error("the schedule's run was not made")
	}
}

// Who looks after it can be told that nothing runs the schedule any more.
func TestAScheduleThatNobodyFollowsIsOverdue(t *testing.T) {
	w := newWorld(t)
	c := w.scheduled("0 3 * * *")
	if s, _ := Scheduled(c.State, w.clock); s != nil {
		t.Errorf("before it began: %v", s)
	}
	w.night(c)
	w.clock = w.clock.AddDate(0, 0, 7)
	if s, due := Scheduled(c.State, w.clock); s.String() != "0 3 * * *" || !due.Equal(march.AddDate(0, 0, 1)) {
		t.Errorf("a week later: %v is due since %v, want %v", s, due, march.AddDate(0, 0, 1))
	}
}
