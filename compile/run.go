package compile

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"

	"brain/inbox"
	"brain/llm"
)

// Runner compiles what waits, session by session:
//
//	the session was compiled                       the next one
//	another process has it, or it is gone          the next one; it is passed over
//	the model cannot take it, or makes no sense    the next one; it failed
//	the model cannot be asked                      none begins any more
//	the disk, the lock of the brain                the run ends with the error
//
// Its fields are set before the first Run and not changed after. One Run at a time.
type Runner struct {
	Pass     *Pass
	Parallel int // sessions at a time; 0: 1

	// Fallback goes on by rules where the server of the model does not answer. Once a
	// model was asked it does not: half of a run by rules is not what was asked for.
	Fallback bool
	FellBack func(why error) // is told of it; may be nil

	// Told is given each report, with the error of one that was not compiled. Its own error ends
	// the run. Progress is told of sessions that are through. Never two calls at once;
	// both may be nil.
	Told     func(*Report, error) error
	Progress func(done, all int)

	mu    sync.Mutex
	rules *Pass // in place of Pass, once no model answered
	asked bool  // a model was
	ran   Ran
	done  int
}

// Ran is what became of a run.
type Ran struct {
	Done, Failed, Passed int   // items compiled, failed by what they say, left to others
	Failure              error // of the last that failed
	PassedOver           error // why the last was left to others
	Stopped              error // why none begins any more
}

// BySession puts the items of one session together, in their order.
func BySession(items []inbox.Item) (sessions [][]inbox.Item) {
	at := map[string]int{}
	for _, it := range items {
		i, ok := at[it.Session]
		if !ok {
			i = len(sessions)
			at[it.Session], sessions = i, append(sessions, nil)
		}
		sessions[i] = append(sessions[i], it)
	}
	return sessions
}

// Run compiles sessions, each the items of one in their order. The error is one that
// ended it: of the context, the disk, the lock of the brain, of Told. Failures of a
// model are no such error; Ran tells of them.
func (r *Runner) Run(ctx context.Context, sessions [][]inbox.Item) (Ran, error) {
	r.ran, r.done = Ran{}, 0
	var g errgroup.Group
	g.SetLimit(max(1, r.Parallel))
	for _, items := range sessions {
		g.Go(func() error {
			for _, it := range items {
				if r.stopped() || ctx.Err() != nil {
					return nil // it was not done
				}
				if err := r.one(ctx, it); err != nil {
					return err
				}
			}
			r.through(len(sessions))
			return nil
		})
	}
	err := g.Wait()
	return r.ran, cmp.Or(err, ctx.Err())
}

func (r *Runner) stopped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ran.Stopped != nil
}

func (r *Runner) through(all int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done++; r.Progress != nil {
		r.Progress(r.done, all)
	}
}

// one compiles an item. Its error ends the run.
func (r *Runner) one(ctx context.Context, it inbox.Item) error {
	rep, err := r.pass().Session(ctx, it)
	if err != nil && errors.Is(err, llm.Down) && r.fallBack(err) {
		rep, err = r.pass().Session(ctx, it)
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil:
		r.ran.Done++
	case isAny(err, inbox.ErrBusy, inbox.ErrNotPending, inbox.ErrCancelled, inbox.ErrNotFound):
		r.ran.Passed, r.ran.PassedOver = r.ran.Passed+1, err
		return nil
	case ofModel(err) || isAny(err, ErrRejected, ErrUnwritable):
		r.fail(err)
	default:
		return err
	}
	r.asked = r.asked || rep.Calls > 0
	if r.Told == nil {
		return nil
	}
	return r.Told(rep, err)
}

// fail notes an item that the model could not be asked about, or that cannot be written.
func (r *Runner) fail(err error) {
	own := isAny(err, llm.TooLong, llm.Refused, llm.Protocol, llm.Truncated, llm.Misshapen, ErrRejected, ErrUnwritable)
	if !own {
		r.ran.Stopped = err
		return
	}
	r.ran.Failed, r.ran.Failure = r.ran.Failed+1, err
}

// pass is the one that compiles the next item.
func (r *Runner) pass() *Pass {
	r.mu.Lock()
	defer r.mu.Unlock()
	return cmp.Or(r.rules, r.Pass)
}

// fallBack goes on by rules, if it may.
func (r *Runner) fallBack(why error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.Fallback || r.asked {
		return false
	}
	if r.rules == nil {
		r.rules = r.Pass.byRules()
		if r.FellBack != nil {
			r.FellBack(why)
		}
	}
	return true
}

// byRules is a pass over the same brain that asks no model.
func (c *Pass) byRules() *Pass {
	return &Pass{Store: c.Store, Box: c.Box, Pack: c.Pack, Index: c.Index, Searcher: c.Searcher, Facts: c.facts(),
		Prompts: c.Prompts, Language: c.Language, DryRun: c.DryRun, Now: c.Now}
}

func ofModel(err error) bool {
	_, ok := errors.AsType[*llm.Error](err)
	return ok
}

func isAny(err error, targets ...error) bool {
	for _, t := range targets {
		if errors.Is(err, t) {
			return true
		}
	}
	return false
}
