package inbox

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"brain/page"
)

// CancelOptions say what Cancel cancels: with neither agent nor ids, all.
type CancelOptions struct {
	Agent   string   // only sessions of this agent
	IDs     []string // only these sessions
	Running bool     // also what is being compiled: it will not be written
}

// Cancel cancels what waits to be compiled, and returns how many sessions that
// were. What is being compiled goes on, unless Running is set. Turns that are added
// later wait again, those that were cancelled do not.
func (ib *Box) Cancel(ctx context.Context, o CancelOptions) (n int, err error) {
	if o.Agent != "" {
		if o.Agent, err = page.AgentName(o.Agent); err != nil {
			return 0, fmt.Errorf("cancel: %w: %w", ErrInvalid, err)
		}
	}
	if o.Running && len(o.IDs) == 0 {
		if err := ib.RaiseFence(ctx, o.Agent); err != nil { // first: what is taken from now on is seen below
			return 0, err
		}
	}
	return ib.each(ctx, "cancel", o.IDs, func(m *Meta) bool {
		if o.Agent != "" && m.Agent != o.Agent || m.State != Pending && !(m.State == Compiling && o.Running) {
			return false
		}
		m.State, m.Writer, m.RetryAt = Cancelled, nil, time.Time{}
		return true
	})
}

// Retry lets what failed be compiled again, now; of sessions that are named also
// what was cancelled or put off, and one that is done as if it never was: what was
// made of it may have been undone. It returns how many sessions that were.
func (ib *Box) Retry(ctx context.Context, ids []string) (n int, err error) {
	return ib.each(ctx, "retry", ids, func(m *Meta) bool {
		again := m.State == Failed
		if len(ids) > 0 {
			again = again || m.State == Cancelled || m.State == Done || m.State == Pending && !m.RetryAt.IsZero()
		}
		if m.State == Done && again {
			m.Compiled, m.Nothing, m.Since = 0, false, ib.now().UTC()
		}
		if again {
			m.State, m.Attempts, m.RetryAt = Pending, 0, time.Time{}
		}
		return again
	})
}

// each changes what stands of sessions, of all when none is named, and counts
// those that change did change.
func (ib *Box) each(ctx context.Context, what string, ids []string, change func(*Meta) bool) (n int, err error) {
	fail := func(err error) error { return fmt.Errorf("%s sessions of %s: %w", what, ib.dir, err) }
	named := len(ids) > 0
	if !named {
		paths, err := ib.all()
		if err != nil {
			return 0, fail(err)
		}
		for _, p := range paths {
			if m, err := ib.look(p); err != nil || change(&m) { // the others need no lock
				ids = append(ids, p.Stem())
			}
		}
	}
	var failed []error
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if err := ctx.Err(); err != nil {
			return n, fail(err)
		}
		changed := false
		err := ib.locked(ctx, id, func(p page.Path) (err error) {
			changed, err = ib.change(p, change)
			return err
		})
		if changed && err == nil {
			n++
		}
		if err != nil && (named || !errors.Is(err, ErrNotFound)) {
			failed = append(failed, fmt.Errorf("session %q: %w", id, err))
		}
	}
	if len(failed) > 0 {
		return n, fail(errors.Join(failed...))
	}
	return n, nil
}

func (ib *Box) change(p page.Path, change func(*Meta) bool) (bool, error) {
	said, err := ib.evidence(p)
	if err != nil {
		return false, err
	}
	m, lost := ib.meta(p, said)
	if errors.Is(lost, ErrNewer) {
		return false, lost
	}
	was := m.Compiled
	if !change(&m) {
		return false, nil
	}
	if m.Compiled < was { // what the checkpoint tells of is to be found anew
		if err := ib.remove(path.Join(p.Dir(), extractedFile)); err != nil {
			return false, err
		}
	}
	return true, ib.writeMeta(p.Dir(), m)
}
