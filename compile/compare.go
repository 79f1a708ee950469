package compile

import (
	"context"
	"errors"
	"time"

	"brain/index"
	"brain/store"
)

// compare finds what the brain says already of each, and gives the generation of the
// index that says so. One that is known already is not asked again.
func (c *Pass) compare(ctx context.Context, w *work, all []*arrival, known uint64) (generation uint64, err error) {
	if c.Searcher == nil {
		if known == 0 {
			w.report.Notes = append(w.report.Notes, "not compared with what the brain says already: it has no index")
		}
		return 1, nil
	}
	v, stale, err := c.view(ctx)
	if err != nil {
		return 0, c.note(ctx, w, "not compared with what the brain says already", err)
	}
	defer func() { err = errors.Join(err, v.Release()) }()
	generation = v.Generation()
	if generation == known {
		return generation, nil
	}
	if stale != "" {
		w.report.Notes = append(w.report.Notes, "not compared with what was written lately: "+stale)
	}
	for _, in := range all {
		near, err := c.Searcher.Near(ctx, v, in.page, w.meta.Agent)
		if err != nil {
			if err := c.note(ctx, w, "not compared with what the brain says already", err); err != nil {
				return 0, err
			}
			continue
		}
		in.twin, in.against = nil, near.Contradictions()
		for _, n := range near.Duplicates() {
			if row, ok := v.Lookup(n.Path); ok && v.Page(row).Type == in.page.Type {
				in.twin = &n
				break
			}
		}
	}
	return generation, nil
}

// view is the index with all that stands in the tree, as far as it can be brought
// there; stale is why it could not. What this process and others that compile write
// they tell the index, so that not every view has to look.
func (c *Pass) view(ctx context.Context) (v *index.View, stale string, err error) {
	c.look.Lock()
	defer c.look.Unlock()
	if !c.looked.IsZero() && time.Since(c.looked) < lookAgain {
		if v, err = c.Index.View(); err == nil {
			return v, "", nil
		}
	}
	began := time.Now()
	v, _, err = c.Index.First(ctx, c.Store, index.SyncOptions{})
	if err != nil {
		return nil, "", err
	}
	change, err := c.Index.Look(ctx, c.Store, v)
	if err == nil && change.InFlight > 0 && !c.DryRun {
		// A writer of several files is at it, or died: an update that writes nothing
		// waits for the one and clears up after the other.
		if err = c.Store.Update(ctx, "compile", func(*store.Tx) error { return nil }); err == nil {
			change, err = c.Index.Look(ctx, c.Store, v)
		}
	}
	if err != nil {
		return nil, "", errors.Join(err, v.Release())
	}
	v, s, err := c.Index.Refresh(ctx, c.Store, v, change, index.Wait)
	switch c.looked = (time.Time{}); {
	case err != nil:
	case s != nil:
		stale = s.Why
	default:
		c.looked = began
	}
	return v, stale, err
}

// lookAgain is how long a look counts: people and other programs write as well.
const lookAgain = 5 * time.Second

// lookAnew has the next view look: something was written that the index lacks.
func (c *Pass) lookAnew() {
	c.look.Lock()
	defer c.look.Unlock()
	c.looked = time.Time{}
}

// told reports whether the index knows of all that this process wrote.
func (c *Pass) told() bool {
	c.look.Lock()
	defer c.look.Unlock()
	return !c.looked.IsZero()
}

// touch tells the index what was written. Where it is busy, the next view looks.
func (c *Pass) touch(ctx context.Context, w *work, r store.Receipt) error {
	if c.Index == nil || len(r.Paths) == 0 {
		return nil
	}
	_, err := c.Index.Touch(ctx, c.Store, index.Written{Paths: r.Paths, Before: r.Before, After: r.After})
	if err != nil {
		c.lookAnew()
		if !errors.Is(err, index.ErrBusy) && !errors.Is(err, index.ErrNoIndex) {
			return c.note(context.WithoutCancel(ctx), w, "written, but the index is not up to date", err)
		}
	}
	return nil
}
