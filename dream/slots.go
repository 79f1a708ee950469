package dream

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Which slots of a schedule had their run stands beside what else a Dream remembers, in
// schedule.json. It is read and written under the lease, so that of two schedulers that
// come at the same minute one runs, and the other finds that it is done.

const (
	slotsFile = "schedule.json"
	// maxTries is how often a run that does not come to its end is begun anew: a machine
	// that is switched off every night ends one, and so does a fault of the program.
	maxTries = 3
)

// ErrNotDue is the error of a run that a schedule does not ask for now.
var ErrNotDue = errors.New("it had its run")

// slots is schedule.json. What cannot be read is as if nobody had run.
type slots struct {
	Cron  string `json:"cron"`  // the schedule that was followed last
	Done  Slot   `json:"done"`  // the last one that had its run
	Begun Slot   `json:"begun"` // the last one of which a run was begun
	Tries int    `json:"tries"` // how often
}

func readSlots(dir Folder) (v slots) {
	raw, err := readFile(dir, slotsFile)
	if err != nil || json.Unmarshal(raw, &v) != nil || v.Done != "" && v.Done.wall().IsZero() {
		return slots{}
	}
	return v
}

// last is the slot after which the next run is due. One that was tried often enough is done
// with; one that the clock cannot have reached was noted by a clock that was wrong.
func (v slots) last(s *Schedule, now time.Time) Slot {
	last := v.Done
	if v.Tries >= maxTries {
		last = max(last, v.Begun)
	}
	if s.misdated(now, last) {
		return ""
	}
	return last
}

// NextRun is when the next run of a schedule is due, by what stands in the folder for the
// state: now, if one is. One that was begun and not ended is.
func (s *Schedule) NextRun(state Folder, now time.Time) time.Time {
	return s.Next(now, readSlots(state).last(s, now))
}

// Scheduled is the schedule that was followed last in a folder for the state, and when a run
// of it was or is due; nil for none.
func Scheduled(state Folder, now time.Time) (s *Schedule, due time.Time) {
	v := readSlots(state)
	s, err := ParseSchedule(v.Cron)
	if err != nil {
		return nil, time.Time{}
	}
	last := v.last(s, now)
	if last == "" {
		return s, now
	}
	return s, moment(s.spec.Next(last.wall()), now.Location())
}

// Begin notes that a schedule begins here, where none ran before: what was due before now
// is not missed.
func (s *Schedule) Begin(state Folder, now time.Time) error {
	raw, err := json.Marshal(slots{Cron: s.String(), Done: s.Latest(now)})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(state.path, 0o700); err != nil {
		return stateError("note the beginning of a schedule", err)
	}
	root, err := os.OpenRoot(state.path)
	if err != nil {
		return stateError("note the beginning of a schedule", err)
	}
	defer root.Close()
	f, err := root.OpenFile(slotsFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		_, err = f.Write(raw)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return stateError("note the beginning of a schedule", err)
	}
	return nil
}

// claim makes the run that of the slot that is due, with the lease in hand; ErrNotDue if
// none is.
func (n *night) claim() error {
	if n.Schedule == nil {
		return nil
	}
	v := readSlots(n.State)
	slot, due := n.Schedule.Due(n.at, v.last(n.Schedule, n.at))
	if !due {
		return fmt.Errorf("%s of %q: %w", slot, n.Schedule, ErrNotDue)
	}
	if v.Begun != slot {
		v.Begun, v.Tries = slot, 0
	}
	v.Cron, v.Tries = n.Schedule.String(), v.Tries+1
	n.slots = v
	return writeJSON(n.State, slotsFile, v)
}

// settle notes that the slot had its run, which came to its end, well or not.
func (n *night) settle() error {
	if n.Schedule == nil || n.report.Interrupted {
		return nil
	}
	return writeJSON(n.State, slotsFile, slots{Cron: n.slots.Cron, Done: n.slots.Begun})
}
