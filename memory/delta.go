package memory

import (
	"context"
	"slices"
	"time"
)

// Delta is what a change came to. It is never the whole memory, and says so: whoever
// keeps a copy must not take it for one.
type Delta struct {
	Complete bool // always false
	Version  string
	Revision int       // of memory.json, after it
	Updated  time.Time // and its date
	Upserted []Fact
	Deleted  []string
	Evicted  []Evicted // those of Deleted that had to make room
	Adopted  int       // facts of before v2 that got a file with it, as they were
	Merged   string    // id of the fact that says nearly the same as the one that came
	Job      string    // by which it can be undone; "" when nothing was written

	agent     string
	evictions []*Eviction
	cleared   bool // nothing of the agent is left
}

// Settle tells what may be lost of a change that was committed: which facts had to make
// room, and that nothing is to be known of those that were taken away. What goes wrong
// is told (store.Store.OnNote) and undoes nothing.
func (m *Facts) Settle(d *Delta) {
	sc, err := m.scope(d.agent)
	if err != nil {
		return // no batch of that name can have been written
	}
	ctx := context.Background() // what is committed is told, whoever has stopped waiting
	if d.cleared {
		sc.side.clear(ctx)
		return
	}
	var gone []string
	for _, id := range d.Deleted {
		if !slices.ContainsFunc(d.Evicted, func(e Evicted) bool { return e.ID == id }) {
			gone = append(gone, id)
		}
	}
	sc.side.record(ctx, d.evictions, m.rules().Audit)
	sc.side.scrub(ctx, gone) // last: a shadow may name what went after room was made
}
