package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"brain/dream"
	"brain/store"
)

// lastDreamJSON is the last Dream in a few figures.
type lastDreamJSON struct {
	Started     time.Time `json:"started"`
	OK          bool      `json:"ok"`
	Interrupted bool      `json:"interrupted"`
	Failed      []string  `json:"failed"` // stages
	Changed     int       `json:"changed"`
	Left        int       `json:"left"`
}

func (d *lastDreamJSON) text() string {
	text := fmt.Sprintf("%s: %s, %d left to look at", clock(d.Started), count(d.Changed, "change"), d.Left)
	if len(d.Failed) > 0 {
		text += "; failed: " + strings.Join(d.Failed, ", ")
	}
	return text + either(d.Interrupted, "; interrupted", "")
}

// dreamt is the last Dream, nil for none, and how many contradictions are open. A report that
// cannot be read is as none: it can be lost.
func (o *opened) dreamt(ctx context.Context) (d *lastDreamJSON, open int, err error) {
	state, outside := o.dreamState()
	if r, err := dream.LastReport(state); outside == nil && err == nil && r != nil {
		d = &lastDreamJSON{Started: r.Started, OK: r.OK, Interrupted: r.Interrupted, Failed: []string{}, Changed: len(changes(r))}
		for i := range r.Stages {
			if d.Left += len(r.Stages[i].Left); !r.Stages[i].OK {
				d.Failed = append(d.Failed, r.Stages[i].Stage)
			}
		}
	}
	raw, err := o.st.Read(ctx, dream.ReviewFile)
	if errors.Is(err, store.ErrNotFound) {
		return d, 0, nil
	}
	return d, len(dream.Open(raw)), err
}

// lateDream is how long after its time a run of a schedule is missed.
const lateDream = 24 * time.Hour

// examineDream tells how the last Dream ended, and whether one is overdue.
func examineDream(ctx context.Context, x *examination, o *opened) {
	state, err := o.dreamState()
	if err != nil {
		x.fail("dream", err)
		return
	}
	d, open, err := o.dreamt(ctx)
	if err != nil {
		x.fail("dream", err)
		return
	}
	told := "none yet"
	if d != nil {
		told = "last at " + d.text()
	}
	if open > 0 {
		told += "; " + count(open, "open contradiction")
	}
	s, due := dream.Scheduled(state, x.now)
	switch {
	case d != nil && !d.OK && !d.Interrupted:
		x.warn("dream", told, "`brain dream report` says why")
	case s != nil && x.now.Sub(due) > lateDream:
		x.warn("dream", fmt.Sprintf("%s; %q is due since %s, and nothing runs it", told, s, clock(due)), "see whether its timer is there and on: `brain dream install` writes one; or remove schedule.json in "+quoted(state.String()))
	default:
		x.ok("dream", told)
	}
}
