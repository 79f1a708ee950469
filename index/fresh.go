package index

import (
	"context"
	"errors"
	"fmt"
)

// Change is what a look found.
type Change struct {
	Changed    int      // files that differ for certain
	Unproven   int      // files whose row must be read again to be sure
	Unreadable []string // parts of the tree that could not be read; their pages stay
	Kept       int      // pages that stay for that reason
	InFlight   int      // files that differ, in a write that is under way

	look *diff // the look itself, for a sync that follows at once
	of   *View
}

// Look compares the tree with a view. It reads directories only, takes no
// lock and writes nothing.
func (ix *Index) Look(ctx context.Context, src Source, v *View) (Change, error) {
	d, err := look(ctx, src, v)
	if err != nil {
		return Change{}, err
	}
	return Change{d.count(), len(d.racy), d.listing.Unreadable, d.kept, d.waiting, d, v}, nil
}

// First gives a view for a process that has none yet, building the index when
// there is none or when the one that is there cannot be used; built says why.
// Several processes that come at once build one index: the others wait.
func (ix *Index) First(ctx context.Context, src Source, o SyncOptions) (v *View, built string, err error) {
	if v, err = ix.View(); err == nil {
		return v, "", nil
	}
	if built = unusable(err); built == "" {
		return nil, "", err
	}
	if _, err := ix.sync(ctx, src, SyncOptions{OnWait: o.OnWait, build: true}, true); err != nil {
		return nil, built, err
	}
	v, err = ix.View()
	return v, built, err
}

// Refresh takes in what a look found and gives the view to answer from: a new
// one, or the old one with the reason why it is not up to date. It consumes v.
func (ix *Index) Refresh(ctx context.Context, src Source, v *View, c Change, f Freshness) (*View, *Staleness, error) {
	var partly *Staleness
	if len(c.Unreadable) > 0 {
		partly = &Staleness{c.Kept, fmt.Sprintf("could not read %q", c.Unreadable[0]), c.Unreadable}
	}
	stale := func(why string) (*View, *Staleness, error) {
		if c.Changed+c.InFlight == 0 {
			return v, partly, nil // nothing differs for certain
		}
		return v, &Staleness{Changed: c.Changed + c.InFlight, Why: why}, nil
	}
	switch {
	case c.Changed+c.Unproven+c.InFlight == 0:
		return v, partly, nil
	case f == Never:
		return stale("asked not to sync")
	case f == Auto && c.Changed > autoLimit:
		return stale(fmt.Sprintf("more than %d files changed; `brain sync` takes them in", autoLimit))
	}
	var rep Report
	s := &pass{ix: ix, src: src, rep: &rep, quick: true, opt: SyncOptions{NoWait: f == Auto}, seen: c.look, seenOf: c.of}
	err := s.run(ctx)
	if n := len(rep.Unreadable); n > 0 { // also files that were listed and could not be read
		partly = &Staleness{max(n, c.Kept), fmt.Sprintf("could not read %q", rep.Unreadable[0]), rep.Unreadable}
	}
	if rep.InFlight > 0 {
		partly = &Staleness{Changed: rep.InFlight, Why: "a write of several files is in flight"}
	}
	switch {
	case errors.Is(err, ErrBusy):
		return stale("another process is indexing")
	case err != nil && ctx.Err() != nil:
		return stale("no time to sync")
	case err != nil:
		return stale(err.Error())
	}
	now, err := ix.View()
	if err != nil {
		return stale(err.Error())
	}
	return now, partly, v.Release()
}
