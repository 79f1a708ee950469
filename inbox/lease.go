package inbox

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"brain/page"
	"brain/text"
)

// Lease is the right to compile a session, which one process has at a time. It is
// a lock of the system: it ends with its process and is never taken from a live
// one. While it is held turns can be added. It is safe for concurrent use.
type Lease struct {
	Meta  Meta        // as it was taken
	Turns []page.Turn // all of the session

	ib     *Box
	fence  int64
	mu     sync.Mutex
	unlock func() error // nil: it was given back
}

// Take takes a pending session to compile it. ErrBusy: somebody does; ErrNotPending:
// it is done, failed or cancelled.
func (ib *Box) Take(ctx context.Context, id string) (l *Lease, err error) {
	err = ib.locked(ctx, id, func(p page.Path) error {
		l, err = ib.take(p)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("take session %q: %w", id, err)
	}
	return l, nil
}

func (ib *Box) take(p page.Path) (*Lease, error) {
	said, err := ib.evidence(p)
	if err != nil {
		return nil, err
	}
	m, lost := ib.meta(p, said)
	switch {
	case errors.Is(lost, ErrNewer):
		return nil, lost
	case m.State == Compiling && m.Writer != nil:
		return nil, fmt.Errorf("%w: process %d on %s compiles it since %s", ErrBusy, m.Writer.PID, m.Writer.Host, m.Writer.Since.Format(time.RFC3339))
	case m.State != Pending:
		return nil, fmt.Errorf("%w: it is %s", ErrNotPending, m.State)
	}
	unlock, err := ib.tryLease(p.Stem())
	if err != nil {
		return nil, err
	}
	l := &Lease{Turns: said.Turns, ib: ib, unlock: unlock}
	f, err := ib.fences()
	if err == nil {
		l.fence = f.of(m.Agent)
		host, _ := os.Hostname() // for people
		m.State, m.Problem = Compiling, ""
		m.Writer = &Writer{Lease: rand.Text(), PID: os.Getpid(), Host: host, Since: ib.now().UTC(), Turns: m.Turns}
		l.Meta = m
		err = ib.writeMeta(p.Dir(), m)
	}
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	return l, nil
}

// tryLease takes the lock of who compiles. Those who look whether somebody holds
// it do for an instant.
func (ib *Box) tryLease(id string) (unlock func() error, err error) {
	for delay := time.Millisecond; delay < 100*time.Millisecond; delay *= 2 {
		if unlock, err = ib.tryLock(leaseFile(id)); unlock != nil || err != nil {
			return unlock, err
		}
		time.Sleep(delay)
	}
	return nil, fmt.Errorf("%w: another process compiles it", ErrBusy)
}

// Extracted returns the checkpoint, extracted.json, as it is; nil when there is none.
func (l *Lease) Extracted() ([]byte, error) {
	raw, err := l.ib.extracted(l.Meta.Path)
	if err != nil {
		return nil, fmt.Errorf("read what was extracted from session %q: %w", l.Meta.Session, err)
	}
	return raw, nil
}

func (ib *Box) extracted(p page.Path) ([]byte, error) {
	f, err := ib.open(path.Join(p.Dir(), extractedFile), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, _, err := readAll(f)
	return raw, err
}

// checkpoint is how far the turns were compiled as extracted.json says; 0 when it
// says nothing. others: it tells of other turns than these.
func (ib *Box) checkpoint(p page.Path, turns []page.Turn) (through int, others bool) {
	var c struct {
		Format, Through int
		TurnsHash       string `json:"turns_hash"`
	}
	raw, err := ib.extracted(p)
	switch {
	case err != nil || json.Unmarshal(raw, &c) != nil || c.Format != 1:
		return 0, false
	case !SameTurns(turns, c.Through, c.TurnsHash):
		return 0, true
	}
	return c.Through, false
}

// Save replaces the checkpoint. It returns when it would survive a power cut. Of a
// lease that is not alive nothing is kept.
func (l *Lease) Save(ctx context.Context, extracted []byte) error {
	err := l.ib.locked(ctx, l.Meta.Session, func(p page.Path) error {
		if _, err := l.alive(); err != nil {
			return err
		}
		return l.ib.replace(path.Join(p.Dir(), extractedTemp), path.Join(p.Dir(), extractedFile), extracted)
	})
	if err != nil {
		return fmt.Errorf("keep what was extracted from session %q: %w", l.Meta.Session, err)
	}
	return nil
}

// Alive tells whether what is made of the session may be written: nil while it
// may. ErrCancelled: it was cancelled, a fence was raised, or turns of it were
// purged; ErrNotFound: all of it was. It takes no lock, so that it can be asked
// within an update, just before its end.
func (l *Lease) Alive() error {
	if _, err := l.alive(); err != nil {
		return fmt.Errorf("compile session %q: %w", l.Meta.Session, err)
	}
	return nil
}

// alive is Alive; ours is what meta.json says of this lease, nil when it tells of
// another or of none.
func (l *Lease) alive() (ours *Writer, err error) {
	l.mu.Lock()
	gone := l.unlock == nil
	l.mu.Unlock()
	if gone {
		return nil, fmt.Errorf("%w: its lease was given back", ErrCancelled)
	}
	m, err := l.ib.parseMeta(l.Meta.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: it was purged", ErrNotFound)
	case err != nil:
		return nil, err
	case m.State == Cancelled:
		return nil, fmt.Errorf("%w: it was cancelled", ErrCancelled)
	case m.Writer == nil || m.Writer.Lease != l.Meta.Writer.Lease:
		return nil, fmt.Errorf("%w: turns of it were purged, or it was cancelled", ErrCancelled)
	}
	f, err := l.ib.fences()
	if err == nil && f.of(l.Meta.Agent) != l.fence {
		err = fmt.Errorf("%w: a fence was raised", ErrCancelled)
	}
	return m.Writer, err
}

// Outcome is what came of compiling a session.
type Outcome struct {
	Through int         // the last turn that was compiled
	Pages   []page.Path // made of it, or that gained it as a source
	Nothing bool        // nothing was worth keeping

	Err     error     // why it was not compiled; Through, Pages and Nothing do not count
	Failed  bool      // it is not to be tried again
	RetryAt time.Time // it is not to be tried again before
}

// Settle tells what came of it and gives the lease back. When all went well the
// session is done, or pending if turns came meanwhile. A lease that is not alive
// changes nothing: the error is that of Alive. It is done even when ctx has ended:
// what was written must not be made once more.
func (l *Lease) Settle(_ context.Context, o Outcome) error {
	if o.Err == nil && (o.Through < l.Meta.Compiled || o.Through > len(l.Turns)) {
		err := fmt.Errorf("settle session %q: turn %d is none of %d to %d", l.Meta.Session, o.Through, l.Meta.Compiled, len(l.Turns))
		return errors.Join(err, l.Release())
	}
	if err := l.end(func(m *Meta, turns []page.Turn) { m.settle(o, turns) }); err != nil {
		return fmt.Errorf("settle session %q: %w", l.Meta.Session, err)
	}
	return nil
}

// Release gives the lease back without a word: the session is pending again. After
// Settle it does nothing.
func (l *Lease) Release() error {
	l.mu.Lock()
	gone := l.unlock == nil
	l.mu.Unlock()
	if gone {
		return nil
	}
	err := l.end(func(m *Meta, _ []page.Turn) { m.free(m.Compiled) })
	if errors.Is(err, ErrCancelled) || errors.Is(err, ErrNotFound) || errors.Is(err, ErrBusy) {
		return nil // it is given back all the same
	}
	if err != nil {
		return fmt.Errorf("release session %q: %w", l.Meta.Session, err)
	}
	return nil
}

// endWait bounds the wait for who adds to the session just then. Should it not
// suffice, meta.json still says compiling, which counts only while the lock is held.
const endWait = 10 * time.Second

// end writes what came of the session and gives the lease back, in any case.
func (l *Lease) end(change func(*Meta, []page.Turn)) error {
	ctx, stop := context.WithTimeout(context.Background(), endWait)
	defer stop()
	l.mu.Lock()
	unlock := l.unlock
	l.mu.Unlock()
	if unlock == nil {
		return fmt.Errorf("%w: its lease was given back", ErrNotPending)
	}
	given := false
	giveBack := func() error {
		given = true
		l.mu.Lock()
		l.unlock = nil
		l.mu.Unlock()
		return unlock()
	}
	err := l.ib.locked(ctx, l.Meta.Session, func(p page.Path) error {
		return errors.Join(l.write(p, change), giveBack())
	})
	if !given {
		err = errors.Join(err, giveBack())
	}
	return err
}

func (l *Lease) write(p page.Path, change func(*Meta, []page.Turn)) error {
	ours, dead := l.alive()
	if ours == nil {
		return dead // what stands is not for this lease to change
	}
	said, err := l.ib.evidence(p)
	if err != nil {
		return errors.Join(dead, err)
	}
	m, lost := l.ib.meta(p, said)
	if errors.Is(lost, ErrNewer) {
		return lost
	}
	m.Writer = ours
	if dead == nil {
		change(&m, said.Turns)
	} else {
		m.free(m.Compiled)
	}
	return errors.Join(dead, l.ib.writeMeta(p.Dir(), m))
}

// settle tells in m what came of compiling it.
func (m *Meta) settle(o Outcome, turns []page.Turn) {
	if o.Err != nil {
		m.free(m.Compiled)
		m.Attempts++
		m.Error, m.RetryAt = oneLine(o.Err.Error()), o.RetryAt.UTC()
		if o.Failed {
			m.State, m.RetryAt = Failed, time.Time{}
		}
		return
	}
	m.free(o.Through)
	m.reach(o.Through, turns)
	m.Attempts, m.Error, m.RetryAt, m.Nothing = 0, "", time.Time{}, o.Nothing
	for _, p := range o.Pages {
		if !slices.Contains(m.Pages, p) {
			m.Pages = append(m.Pages, p)
		}
	}
	if m.Compiled == m.Turns {
		m.State = Done
	}
}

// free ends the work on a session, whose turns have been compiled up to a number.
// Only when all that was taken has been does the wait of what came later begin anew.
func (m *Meta) free(through int) {
	if m.Writer != nil && through >= m.Writer.Turns && !m.Writer.More.IsZero() {
		m.Since = m.Writer.More
	}
	m.State, m.Writer = Pending, nil
}

// oneLine is an error as it is kept: it may quote what a server answered, and that
// the key that it was sent.
func oneLine(s string) string {
	s, _ = text.Mask(strings.Join(strings.Fields(clean(s)), " "))
	return text.Clip(s, 500)
}

// MyTurn waits until no other process compares and writes what came of a session:
// of two sessions that say the same, the second is to meet the pages of the first.
// Nobody asks a model while it has its turn. over gives the turn to the next; told
// says that the index knows of all that was written in it. behind is that it may
// not: whoever had the turn before died in it, or could not tell the index.
func (ib *Box) MyTurn(ctx context.Context) (behind bool, over func(told bool) error, err error) {
	unlock, err := ib.lock(ctx, turnLock)
	if err != nil {
		return false, nil, fmt.Errorf("wait for others that compile: %w", err)
	}
	switch _, err = ib.root.Lstat(turnMark); {
	case err == nil:
		behind = true
	case errors.Is(err, fs.ErrNotExist):
		err = ib.root.WriteFile(turnMark, nil, 0o600) // without sync: who lives through a power cut?
	}
	if err != nil {
		return false, nil, errors.Join(fmt.Errorf("begin to write what was compiled: %w", err), unlock())
	}
	return behind, func(told bool) error {
		if told {
			err = ib.root.Remove(turnMark)
		}
		return errors.Join(err, unlock())
	}, nil
}
