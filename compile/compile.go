// Package compile makes memory of what was said: of a session's turns, pages and
// facts that name the turns they came from.
//
//	turns ──feed──▶ windows ──model or rules──▶ findings ──gate──▶ kept ──▶ one update
//
// A model proposes and decides nothing. It never says where something is
// written; each thing it finds must cite turns in which its words stand, or it
// is dropped (evidence.go). Facts pass a gate of labels (gate.go), and are written
// by the rules of memory, as is what a model says of facts and summaries that are
// known (user.go, summary.go). What the brain says already becomes one more source
// of the page that says it, what contradicts it is kept and named (write.go).
// Without a model the rules of rules.go find less, but what they find was said so.
//
// A session is compiled once. While its turns are looked at a lease keeps other
// compilers away. What was found stands in the session's extracted.json before
// anything is written, so that a retry asks no model again; and where it will be
// written stands there before the update is committed, so that one who died
// between commit and settling is recognised by its pages (checkpoint.go).
package compile

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"brain/inbox"
	"brain/index"
	"brain/llm"
	"brain/memory"
	"brain/page"
	"brain/retrieve"
	"brain/store"
)

// Pass compiles sessions of one brain. Its fields are set before the first
// Session and not changed after; it is safe for concurrent use.
type Pass struct {
	Store *store.Store
	Box   *inbox.Box
	Pack  *page.Pack // nil: the built-in one

	// Index and Searcher find duplicates, contradictions and neighbours. Without
	// them every finding is written, and the report says that it was not compared.
	Index    *index.Index
	Searcher *retrieve.Searcher

	// Facts is what agents hold of their user; nil holds to memory.DefaultRules.
	Facts *memory.Facts

	// Completer is the model that is asked; nil means rules.
	Completer llm.Completer
	Prompts   *Prompts // nil: the built-in ones
	Language  string   // in which a model writes; "": that of the turns

	// DryRun finds and compares, and writes nothing: no page, no checkpoint, no state.
	DryRun bool

	// Now is the clock; nil is time.Now. It dates no page: the turns do.
	Now func() time.Time

	own    sync.Once     // of what follows
	known  *memory.Facts // Facts, or what stands for it
	mu     sync.Mutex    // one compares and writes at a time, so that twins meet
	look   sync.Mutex    // of looked
	looked time.Time     // when the index took in what others changed; zero: it must again
}

// ErrUnwritable is what was found in a session and cannot be written, such as a page
// in a folder whose name a file has.
var ErrUnwritable = errors.New("what was found cannot be written")

// ErrRejected is a model's reply that was of no use, also when asked again.
var ErrRejected = errors.New("the model's reply cannot be used")

// Session compiles the turns that an item of the queue names, and settles them.
// The report is never nil; with an error it tells how far it came. Errors of the
// completer are *llm.Error: the session is pending again, or failed when asking
// again would not help. Others: inbox.ErrBusy, inbox.ErrNotPending,
// inbox.ErrCancelled, those of store.Update.
func (c *Pass) Session(ctx context.Context, it inbox.Item) (*Report, error) {
	began := c.now()
	r := &Report{Session: it.Session, Path: it.Path, Agent: it.Agent, From: it.From, To: it.To, Mode: c.Mode(), Dropped: []Dropped{}, Changes: Changes{Pages: []Made{}}}
	err := c.session(ctx, it, r)
	r.Took = c.now().Sub(began)
	if err != nil {
		return r, fmt.Errorf("compile session %s: %w", it.Session, err)
	}
	return r, nil
}

func (c *Pass) session(ctx context.Context, it inbox.Item, r *Report) (err error) {
	w, err := c.begin(ctx, it, r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.release()) }()
	if w.over() {
		return w.settle(ctx, inbox.Outcome{})
	}
	found, err := c.extract(ctx, w)
	if err != nil && ctx.Err() != nil {
		return err
	}
	if err != nil {
		return w.fail(ctx, err, after(err, w))
	}
	if len(found.Removals) > 0 { // also of windows that were resumed
		if err := c.learn(ctx, w); err != nil {
			return err
		}
	}
	err = c.write(ctx, w, c.gate(w, found))
	if err != nil && ofSession(err) && ctx.Err() == nil {
		err = fmt.Errorf("%w: %w", ErrUnwritable, err)
		return w.fail(ctx, err, inbox.Outcome{Err: err, Failed: true})
	}
	if err != nil {
		return err
	}
	return w.settle(ctx, inbox.Outcome{})
}

// fail settles a session that was not compiled. That it was taken away meanwhile is no
// second error.
func (w *work) fail(ctx context.Context, err error, o inbox.Outcome) error {
	bad := w.settle(ctx, o)
	if errors.Is(bad, inbox.ErrCancelled) || errors.Is(bad, inbox.ErrNotFound) {
		bad = nil
	}
	return errors.Join(err, bad)
}

// ofSession reports an error of writing that is of what this session says: others may
// be written all the same. Locks, disks and those who take a session away are not.
func ofSession(err error) bool {
	return isAny(err, store.ErrNotPage, store.ErrTooLarge, store.ErrExists, store.ErrTwin, page.ErrPath, page.ErrDraft, memory.ErrFact)
}

// after says where a failure leaves a session: it fails for good when it was
// the session's text that the model could not take or answer to, and waits
// otherwise, the longer the more often it failed.
func after(err error, w *work) inbox.Outcome {
	o := inbox.Outcome{Err: err}
	for _, class := range []llm.Class{llm.TooLong, llm.Refused, llm.Truncated, llm.Misshapen} {
		o.Failed = o.Failed || errors.Is(err, class)
	}
	o.Failed = o.Failed || errors.Is(err, ErrRejected)
	if errors.Is(err, llm.Overloaded) || errors.Is(err, llm.Timeout) || errors.Is(err, llm.ServerFault) || errors.Is(err, llm.Protocol) {
		o.RetryAt = w.now.Add(retryAfter << min(w.meta.Attempts, maxBackoff))
	}
	return o
}

// A session whose model was busy waits a minute, then two, up to an hour.
const (
	retryAfter = time.Minute
	maxBackoff = 6
)

// Mode is ModeRules, or the provider and name of the model that is asked.
func (c *Pass) Mode() string {
	if c.Completer == nil {
		return ModeRules
	}
	i := c.Completer.Info()
	return i.Provider + "/" + i.Model
}

// ModeRules is the mode of a report that no model had a part in.
const ModeRules = "rules"

func (c *Pass) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

func (c *Pass) facts() *memory.Facts {
	c.own.Do(func() {
		if c.known = c.Facts; c.known == nil {
			c.known = &memory.Facts{Store: c.Store, Now: c.Now}
		}
	})
	return c.known
}

func (c *Pass) pack() *page.Pack {
	if c.Pack != nil {
		return c.Pack
	}
	return page.ProblemTree()
}
