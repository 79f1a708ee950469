package inbox

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"syscall"
	"time"

	"brain/page"
)

// The folders of sessions are the queue of what is to be compiled; so a crash
// loses nothing of it. A session is compiled when its conversation has been quiet
// for a while, or when its first turn has waited for long, whatever others do. A
// snapshot, which a compaction hands over, is an item of its own and due at once:
//
//	turns     1 … 40      41 … 90     91 … 97
//	items     snapshot    snapshot    the rest
//	due       at once     at once     min(last turn + debounce, first turn + max wait)
const (
	debounce = 30 * time.Second
	waitMost = 300 * time.Second
)

// Item is a piece of a session that waits to be compiled: its turns From to To,
// counted from 1.
type Item struct {
	Session     string
	Path        page.Path
	Agent, User string
	From, To    int
	Emergency   bool // a snapshot
	Due         time.Time
}

// QueueOptions say which items Queue gives.
type QueueOptions struct {
	Debounce time.Duration // how long a conversation must have been quiet; 0: 30 s
	MaxWait  time.Duration // how long its first turn waits at most; 0: 300 s
	All      bool          // also what is not due yet
	Agent    string        // only of this agent
	Session  string        // only of this session
}

// Queue gives what is due now, first what is due first and of one session its
// items in their order, and when the next item is due; zero when none waits.
// What somebody compiles is not in it.
func (ib *Box) Queue(ctx context.Context, o QueueOptions) (due []Item, next time.Time, err error) {
	agent := ""
	if o.Agent != "" {
		if agent, err = page.AgentName(o.Agent); err != nil {
			return nil, next, fmt.Errorf("list what waits: %w: %w", ErrInvalid, err)
		}
	}
	var all []Meta
	if o.Session != "" {
		m, err := ib.Meta(ctx, o.Session)
		if err != nil {
			return nil, next, err
		}
		all = []Meta{m}
	} else if all, err = ib.List(ctx); err != nil {
		return nil, next, err
	}
	now := ib.now()
	for _, m := range all {
		if agent != "" && m.Agent != agent {
			continue
		}
		for _, it := range m.items(o) {
			switch {
			case o.All || !it.Due.After(now):
				due = append(due, it)
			case next.IsZero() || it.Due.Before(next):
				next = it.Due
			}
		}
	}
	slices.SortStableFunc(due, func(a, b Item) int {
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Path, b.Path), cmp.Compare(a.From, b.From))
	})
	return due, next, nil
}

// items are what of a session waits, in order; none is due before the one before.
func (m *Meta) items(o QueueOptions) (out []Item) {
	if m.State != Pending {
		return nil
	}
	at := later(m.Since, m.RetryAt)
	from := m.Compiled + 1
	add := func(to int, emergency bool) {
		if to >= from {
			out = append(out, Item{m.Session, m.Path, m.Agent, m.User, from, to, emergency, at})
			from = to + 1
		}
	}
	for _, to := range m.Snapshots {
		add(to, true)
	}
	quiet := m.Updated.Add(cmp.Or(o.Debounce, debounce))
	if most := m.Since.Add(cmp.Or(o.MaxWait, waitMost)); most.Before(quiet) {
		quiet = most
	}
	at = later(at, quiet)
	add(m.Turns, false)
	return out
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// room refuses a session that is not pending and would become so, when as many as
// may wait do. What carries a signal, or a snapshot, is let in.
func (ib *Box) room(s Session, signals []string) error {
	if ib.Depth <= 0 || s.Snapshot || len(signals) > 0 {
		return nil
	}
	if f := ib.full.Load(); f != nil && f.holds(ib.Depth, ib.now()) {
		return f.refusal()
	}
	months, err := ib.folders(sessionsDir)
	if err != nil {
		return fmt.Errorf("count what waits: %w", err)
	}
	there, ids := 0, map[string][]string{}
	for _, month := range months {
		if ids[month], err = ib.folders(path.Join(sessionsDir, month)); err != nil {
			return fmt.Errorf("count what waits: %w", err)
		}
		there += len(ids[month])
	}
	waiting := 0
	for n := len(months) - 1; n >= 0 && there >= ib.Depth && waiting < ib.Depth; n-- { // those that wait are mostly late ones
		if waiting, err = ib.waiting(months[n], ids[months[n]], waiting); err != nil {
			return fmt.Errorf("count what waits: %w", err)
		}
	}
	if waiting >= ib.Depth {
		f := &fullness{ib.Depth, ib.now()}
		ib.full.Store(f)
		return f.refusal()
	}
	return nil
}

// fullness is what was found when there was no room. It is believed for a moment, so that
// to refuse thousands of sessions they are not counted for each anew; what this Box
// does about one that waits ends it at once.
type fullness struct {
	depth int
	at    time.Time
}

func (f *fullness) holds(depth int, now time.Time) bool {
	const moment = time.Second
	age := now.Sub(f.at)
	return f.depth == depth && age >= 0 && age < moment
}

func (f *fullness) refusal() error {
	return fmt.Errorf("%w: %d or more do, and this has no signal that would let it in", ErrFull, f.depth)
}

// waiting counts the sessions of a month that wait, on top of those before. It is
// asked for each session that begins in a box of thousands: so it looks at the state
// in meta.json alone, through the folder of the month. One that cannot be read waits.
func (ib *Box) waiting(month string, ids []string, before int) (int, error) {
	root, err := ib.root.OpenRoot(path.Join(sessionsDir, month))
	if err != nil {
		return before, err
	}
	n := before
	for i := len(ids) - 1; i >= 0 && n < ib.Depth; i-- {
		var m struct{ State string }
		f, err := root.OpenFile(path.Join(ids[i], metaFile), os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			err = json.NewDecoder(f).Decode(&m)
			err = errors.Join(err, f.Close())
		}
		if err != nil || m.State != Done && m.State != Failed && m.State != Cancelled {
			n++
		}
	}
	return n, root.Close()
}
