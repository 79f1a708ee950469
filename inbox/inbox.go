// Package inbox keeps sessions: what was said, word for word, before anything
// is made of it.
//
// A session is a folder of its brain:
//
//	sessions/2026-03/4f1c/messages.jsonl  what was said; appended to, never rewritten
//	                      meta.json       where the session stands: the queue of what is compiled
//	                      extracted.json  what was found in it so far
//	         .gitignore                   says * unless sessions are tracked
//	.txn/session-4f1c.lock                held by who adds to the session
//	.txn/session-4f1c.new/                a new session's folder until it is whole
//	.txn/compile-4f1c.lock                held by who compiles it
//
// The evidence is the truth (its form is told in page/session.go); meta.json is
// made anew from it when lost. Whoever captures a conversation sends what it
// knows of it, often all of it every time, and again after a crash: Add keeps
// what is not there yet. It returns when what it added would survive a power
// cut; what it did not return for may be there in part, at worst up to the
// middle of a line, and the next Add completes it.
//
// A path never leaves its brain: files are opened through os.Root, links are
// refused. Whether a brain may be written is for the caller to ask (store).
package inbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"brain/page"
)

// What callers tell apart. Each is wrapped with what was tried and on what.
var (
	ErrInvalid  = errors.New("not a session")
	ErrConflict = errors.New("the session is somebody else's")
	ErrNotFound = errors.New("no such session")
	ErrBusy     = errors.New("another process has the session")
	ErrNewer    = errors.New("written by a newer brain")

	ErrFull       = errors.New("too many sessions wait to be compiled")
	ErrForgotten  = errors.New("the session was purged")
	ErrCancelled  = errors.New("what is made of the session is not wanted any more")
	ErrNotPending = errors.New("the session does not wait to be compiled")
)

// Session is a conversation.
type Session struct {
	ID    string // [a-z0-9][a-z0-9_-]{0,63}; empty: made of the date and a hash
	Agent string // folded to lower case; empty is page.DefaultAgent
	User  string
	Title string    // counts when the session is new
	At    time.Time // when it began; zero: as its first turn, else now
	Turns []page.Turn

	// Source is whose pages are made of it: they go to sources/<Source>/. Empty is
	// the default one. It counts when the session is new.
	Source string
	// Snapshot says that Turns are handed over because the conversation is about
	// to be compacted: what is not compiled yet becomes an item of the queue of its own.
	Snapshot bool
}

// Box is the sessions of one brain. It is safe for concurrent use, also by
// several processes.
type Box struct {
	// Set these before the first use.
	Now       func() time.Time                             // the clock of meta.json and the queue; nil is time.Now
	Depth     int                                          // pending sessions above which Add refuses another one without signals; 0: none
	Forgotten func(ctx context.Context) (Forgotten, error) // what was purged up to now; nil: nothing
	Tracked   bool                                         // sessions are for the repository that the brain lies in

	dir   string
	root  *os.Root
	steps func(op, name string) error // asked before each step on disk; its error takes the step's place. Only tests set it
	full  atomic.Pointer[fullness]    // nil: not known to be full
}

// Open opens the sessions of the brain in a folder.
func Open(dir string) (*Box, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open inbox of %s: %w", dir, err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("open inbox of %s: %w", dir, err)
	}
	return &Box{dir: abs, root: root}, nil
}

func (ib *Box) Close() error { return ib.root.Close() }

func (ib *Box) step(op, name string) error {
	if ib.steps == nil {
		return nil
	}
	return ib.steps(op, name)
}

func (ib *Box) now() time.Time {
	if ib.Now != nil {
		return ib.Now()
	}
	return time.Now()
}

// Read returns a session as it stands on disk, and what of its file could not
// be read: a line that a crash cut in half is told and passed over.
func (ib *Box) Read(ctx context.Context, id string) (Session, []page.Problem, error) {
	if err := ctx.Err(); err != nil {
		return Session{}, nil, fmt.Errorf("read session %q: %w", id, err)
	}
	p, err := ib.find(id)
	if err != nil {
		return Session{}, nil, fmt.Errorf("read session %q: %w", id, err)
	}
	said, err := ib.evidence(p)
	if err != nil {
		return Session{}, nil, fmt.Errorf("read session %q: %w", id, err)
	}
	return Session{
		ID: id, Agent: said.Agent, User: said.head.User, Title: said.head.Title, Source: said.head.Source,
		At: said.At, Turns: said.Turns,
	}, said.Problems, nil
}
