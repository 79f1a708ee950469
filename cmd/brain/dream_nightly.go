package main

import (
	"context"
	"errors"
	"time"

	"brain/dream"
)

// `brain dream --schedule` stays in the foreground. It looks at the clock at least once a
// minute rather than sleep through to the next run: the clock may be set, and a machine
// that was suspended does not count the time. Each night opens the brain anew, with the
// settings as they are then, and a night that fails ends nothing.

// maxNap is the longest time between two looks at the clock.
const maxNap = time.Minute

// dreamNightly dreams whenever the schedule says so, until it is interrupted.
func (a *app) dreamNightly(ctx context.Context, f *dreamFlags, s *dream.Schedule) error {
	state, err := a.beginSchedule(f, s)
	if err != nil {
		return err
	}
	a.stream = true
	var told, retry time.Time
	for failed := 0; ; {
		now := time.Now()
		next := s.NextRun(state, now)
		switch due := !next.After(now); {
		case due && !now.Before(retry):
			if failed++; a.oneNight(ctx, f, s) {
				failed = 0
			}
			retry = now.Add(retryAfter(failed))
		case !due && !next.Equal(told):
			if told = next; !a.global.quiet {
				a.note("brain: the next run is due at %s", clock(next))
			}
		}
		if next.Before(retry) {
			next = retry
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(time.Until(next), maxNap)):
		}
	}
}

// beginSchedule finds out what can be known before the first night, where somebody can be
// asked, and gives the folder for the state.
func (a *app) beginSchedule(f *dreamFlags, s *dream.Schedule) (state dream.Folder, err error) {
	b := a.another()
	defer func() { err = errors.Join(err, b.close()) }()
	o, err := b.openToDream(f)
	if err == nil {
		state, err = o.dreamState()
	}
	if err != nil {
		return state, err
	}
	f.yes = true // nobody is asked at night
	if err := o.root.MakeState(); err != nil {
		return state, err
	}
	return state, s.Begin(state, time.Now())
}

// oneNight makes a run that is due and tells of it; false when it could not be made.
func (a *app) oneNight(ctx context.Context, f *dreamFlags, s *dream.Schedule) bool {
	b := a.another()
	d := &dreaming{a: b, f: f, nightly: true}
	r, err := d.run(ctx, s)
	err = errors.Join(err, b.close())
	switch {
	case ctx.Err() != nil:
		return false
	case r != nil && !r.Interrupted: // also one in which a stage failed, of which its line tells
		if d.mute != nil {
			a.warn("%s", plain(d.mute.Error()))
		}
		return true
	case err == nil: // another process made it
		return true
	}
	a.warn("tonight's run: %s", plain(err.Error()))
	return false
}

// retryAfter is the pause before a run that could not be made is tried again: a minute,
// then twice as long each time, up to an hour; none after one that was made.
func retryAfter(failed int) time.Duration {
	if failed == 0 {
		return 0
	}
	return min(time.Hour, time.Minute<<min(failed-1, 6))
}

// another is the program as it is when a command begins, to open things of its own.
func (a *app) another() *app {
	b := *a
	b.closers = nil
	return &b
}
