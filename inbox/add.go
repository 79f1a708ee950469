package inbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"time"

	"brain/page"
)

// Added tells what Add did.
type Added struct {
	Path    page.Path // of the session, as a page
	New     bool      // the session was not there before
	Turns   int       // turns that were added; the others stood there already
	Skipped int       // turns without text, or of which the door left none, which are not kept
	Half    int       // lines of the file that hold no turn, as after a crash; they stay

	// What the door kept back of all that was given, of turns that stood there
	// already as well.
	Private  int            // private spans that were removed
	Injected int            // frames of injected memory that were removed
	Masked   map[string]int // secrets that were masked, by their kind; nil for none
	Cut      int            // turns with the output of a tool that were cut

	Forgotten int // turns that are not kept because they were purged

	Signals   []string // kinds of signals in the turns that were added
	Snapshots int      // snapshots of this session that wait to be compiled now
}

// Add keeps a session: a new one gets its folder, one that is there gets the
// turns that it does not have yet, at its end. Adding the same once more adds
// nothing. What stands is never changed: the title of a session is that with
// which it began.
//
// Text is kept as given, but for what the door keeps back (door.go). Waiting for
// others that add to the same session ends with ctx: at its deadline with ErrBusy. Other errors: ErrInvalid for an
// id or a time that cannot be, or a new session without a turn; ErrConflict
// when the id is that of another agent's or user's session; ErrForgotten when the
// session was purged; ErrFull when too many wait (see Box.Depth); ErrNewer.
func (ib *Box) Add(ctx context.Context, s Session) (Added, error) {
	fail := func(err error) (Added, error) { return Added{}, fmt.Errorf("add session %q: %w", s.ID, err) }
	s, door, err := ib.prepare(s)
	if err != nil {
		return fail(err)
	}
	unlock, err := ib.lock(ctx, lockFile(s.ID))
	if err != nil {
		return fail(err)
	}
	a, err := ib.add(ctx, s, door)
	if err = errors.Join(err, unlock()); err != nil {
		return fail(err)
	}
	a.Skipped, a.Private, a.Injected, a.Masked, a.Cut = door.skipped, door.all.private, door.all.injected, door.all.masked, door.all.cut
	return a, nil
}

// add is Add with the session's lock. What was purged is asked for only now: a purge
// may have come while others had it.
func (ib *Box) add(ctx context.Context, s Session, door passage) (a Added, err error) {
	s, forgotten, err := ib.remembered(ctx, s)
	if err != nil {
		return a, err
	}
	p, err := ib.find(s.ID)
	switch {
	case errors.Is(err, ErrNotFound):
		a, err = ib.create(s, door)
	case err == nil:
		a, err = ib.extend(p, s, door)
	}
	a.Forgotten = forgotten
	return a, err
}

// create makes a session's folder whole in .txn and then moves it to its place.
func (ib *Box) create(s Session, door passage) (Added, error) {
	if len(s.Turns) == 0 {
		return Added{}, fmt.Errorf("%w: it has no turn with text", ErrInvalid)
	}
	p, err := page.SessionPath(s.ID, s.At)
	if err != nil {
		return Added{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	lines, err := linesOf(s, true, s.Turns)
	if err != nil {
		return Added{}, err
	}
	m := ib.newMeta(s)
	m.Bytes = int64(len(lines))
	m.withhold(door.of(s.Turns))
	if err := ib.room(s, m.Signals); err != nil {
		return Added{}, err
	}
	if err := ib.place(p, lines, m); err != nil {
		return Added{}, err
	}
	return Added{Path: p, New: true, Turns: len(s.Turns), Signals: m.Signals, Snapshots: len(m.Snapshots)}, nil
}

func (ib *Box) place(p page.Path, lines []byte, m Meta) error {
	if err := ib.sweep(); err != nil {
		return err
	}
	temp := newFolder(p.Stem())
	if err := ib.root.RemoveAll(temp); err != nil { // of one who died before the move
		return err
	}
	err := ib.root.Mkdir(temp, 0o700)
	if err == nil {
		err = ib.writeNew(path.Join(temp, page.SessionFile), lines)
	}
	if err == nil {
		err = ib.writeMeta(temp, m)
	}
	if err == nil {
		err = ib.makeFolders(path.Dir(p.Dir()))
	}
	if err == nil {
		err = ib.ignore()
	}
	if err == nil {
		err = ib.rename(temp, p.Dir())
	}
	if err != nil {
		return errors.Join(err, ib.root.RemoveAll(temp))
	}
	return ib.sync(path.Dir(p.Dir()))
}

// extend adds to a session the turns that it does not have.
func (ib *Box) extend(p page.Path, s Session, door passage) (Added, error) {
	f, err := ib.open(string(p), os.O_RDWR|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return Added{}, err
	}
	a, err := ib.extendFile(f, p, s, door)
	return a, errors.Join(err, f.Close())
}

func (ib *Box) extendFile(f *os.File, p page.Path, s Session, door passage) (Added, error) {
	said, err := readEvidence(f, p)
	if err != nil {
		return Added{}, err
	}
	if err := said.owner(s); err != nil {
		return Added{}, err
	}
	m, lost := ib.meta(p, said)
	if errors.Is(lost, ErrNewer) {
		return Added{}, lost
	}
	fresh := picked(s.Turns, unseen(said.Turns, s.Turns))
	a := Added{Path: p, Turns: len(fresh), Half: said.half(), Signals: Signals(fresh)}
	if len(fresh) > 0 {
		if m.State != Pending && m.State != Compiling {
			if err := ib.room(s, a.Signals); err != nil {
				return Added{}, err
			}
		}
		n, err := ib.appendTurns(f, said, s, fresh)
		if err != nil {
			return Added{}, err
		}
		m.grow(said.Turns, fresh, ib.now().UTC())
		m.withhold(door.of(fresh))
		m.Bytes = int64(len(said.Raw) + n)
	}
	marked := s.Snapshot && m.mark()
	a.Snapshots = len(m.Snapshots)
	if len(fresh) > 0 || lost != nil || marked {
		return a, ib.writeMeta(p.Dir(), m)
	}
	return a, nil
}

// appendTurns adds turns to a session's file and returns how many bytes that took.
func (ib *Box) appendTurns(f *os.File, said evidence, s Session, fresh []page.Turn) (int, error) {
	lines, err := linesOf(s, said.blank(), fresh)
	if err != nil {
		return 0, err
	}
	if n := len(said.Raw); n > 0 && said.Raw[n-1] != '\n' {
		lines = append([]byte{'\n'}, lines...) // so that a half line ends where it was cut
	}
	if err := ib.step("append", string(said.Path)); err != nil {
		return 0, err
	}
	return len(lines), appendTo(f, int64(len(said.Raw)), lines)
}

// grow tells in m that turns came behind those that stood there. What was
// cancelled stays so when the conversation goes on: it counts as compiled.
func (m *Meta) grow(stood, fresh []page.Turn, now time.Time) {
	if m.State == Cancelled {
		m.reach(len(stood), stood)
	}
	if m.State == Failed {
		m.Attempts, m.RetryAt = 0, time.Time{} // there is something else to try it on
	}
	if m.State == Compiling {
		if m.Writer.More.IsZero() {
			m.Writer.More = now
		}
	} else {
		m.State = Pending
	}
	if m.Since.IsZero() {
		m.Since = now
	}
	m.Updated, m.Turns = now, len(stood)+len(fresh)
	m.Signals = union(m.Signals, Signals(fresh))
}

// withhold counts what the door kept back of turns that were added.
func (m *Meta) withhold(w withheld) {
	w.add(withheld{private: m.Private, injected: m.Injected, masked: m.Masked})
	m.Private, m.Injected, m.Masked = w.private, w.injected, w.masked
}

// mark makes what is not compiled yet an item of its own; false when it is one.
func (m *Meta) mark() bool {
	if m.State != Pending && m.State != Compiling || m.Compiled == m.Turns || slices.Contains(m.Snapshots, m.Turns) {
		return false
	}
	m.Snapshots = append(m.Snapshots, m.Turns)
	return true
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

func picked(turns []page.Turn, positions []int) (out []page.Turn) {
	for _, i := range positions {
		out = append(out, turns[i])
	}
	return out
}

// appendTo writes at the end of a file of that size, in one call, and waits
// until it would survive a power cut. What a full disk let through is taken
// back.
func appendTo(f *os.File, size int64, lines []byte) error {
	if _, err := f.Write(lines); err != nil {
		return errors.Join(err, f.Truncate(size))
	}
	return f.Sync()
}

// linesOf gives turns as they are kept, after the head when that is to begin
// the file.
func linesOf(s Session, head bool, turns []page.Turn) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // people read it
	if head {
		if err := enc.Encode(page.Head{Session: s.ID, Agent: s.Agent, User: s.User, Title: s.Title, Source: s.Source, At: s.At}); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
		}
	}
	for i := range turns {
		if err := enc.Encode(turns[i]); err != nil {
			return nil, fmt.Errorf("%w: turn %d: %w", ErrInvalid, i+1, err)
		}
	}
	return b.Bytes(), nil
}

// evidence is the file of a session, read.
type evidence struct {
	*page.Page
	head page.Head // as far as the file has one
	mod  time.Time
}

// blank reports that the file says neither whose it is nor anything else.
func (e evidence) blank() bool { return e.head.Session == "" && len(e.Turns) == 0 }

func (e evidence) half() (n int) {
	for _, p := range e.Problems {
		if p.Code == page.CodeBadTurn {
			n++
		}
	}
	return n
}

// owner checks that a session's file is by the one who now adds to it.
func (e evidence) owner(s Session) error {
	switch {
	case e.blank():
		return nil
	case e.Agent != s.Agent:
		return fmt.Errorf("%w: %s is of agent %q, not of %q", ErrConflict, e.Path, e.Agent, s.Agent)
	case e.head.User != s.User:
		return fmt.Errorf("%w: %s is of user %q, not of %q", ErrConflict, e.Path, e.head.User, s.User)
	}
	return nil
}

// headOf reads what a file says before its first turn: page.Parse keeps less
// of it.
func headOf(raw []byte) (h page.Head) {
	for line := range bytes.Lines(bytes.TrimPrefix(raw, []byte("\uFEFF"))) {
		var l struct {
			Session, Agent, User, Title string
			Source                      any
			Text                        *string
		}
		if json.Unmarshal(line, &l) != nil {
			continue
		}
		if l.Text != nil {
			break
		}
		if l.Session != "" {
			h = page.Head{Session: l.Session, Agent: l.Agent, User: l.User, Title: l.Title}
			h.Source, _ = l.Source.(string)
		}
	}
	return h
}
