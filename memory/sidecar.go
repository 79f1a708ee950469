package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"brain/store"
)

// Beside the facts of an agent two files are kept, below the folder of what can be lost:
//
//	<Usage>/<agent>/fact-usage.json      how warm searches keep each fact (usage.go)
//	<Usage>/<agent>/eviction-audit.json  what the cap took away, and why (audit.go)
//	<Usage>/<agent>/LOCK                 held while one of them is rewritten
//
// They know ids, scores and times, and no text. Losing them costs what they know;
// whatever is wrong with them is told and stops neither a search nor a write. A reader
// needs no lock: a file is replaced as a whole. One that cannot be understood counts as
// empty and is written anew; one that cannot be read stays as it is.

const (
	usageFile = "fact-usage.json"
	auditFile = "eviction-audit.json"
	lockFile  = "LOCK"

	maxSidecar = 64 << 20 // bytes: of a hundred thousand facts several times over
	lockWait   = time.Second
	lockPoll   = time.Millisecond
)

// errSidecar is the error for a file that is no sidecar; it can be replaced.
var errSidecar = errors.New("it is not what was written")

// sidecars are those of one agent.
type sidecars struct {
	base  string // Facts.Usage; "" keeps none
	agent string // has been through page.AgentName
	st    *store.Store
	turn  turn
}

// turn lets those of one process wait in line, of whom one at a time waits for the lock:
// many who ask for it again and again would let some wait for very long.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

// say tells what went wrong with what can be lost.
func (s *sidecars) say(what string, err error) {
	if err != nil && s.st.OnNote != nil {
		s.st.OnNote(fmt.Sprintf("facts of agent %s: %s: %v", s.agent, what, err))
	}
}

// locked runs fn in the agent's folder, which is made, while nobody else does. The wait
// is bounded.
func (s *sidecars) locked(ctx context.Context, fn func(*os.Root) error) (err error) {
	dir, err := s.folder()
	if err != nil {
		return err
	}
	defer dir.Close()
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return fmt.Errorf("wait for %s: %w", lockFile, ctx.Err())
	}
	fl := flock.New(filepath.Join(s.base, s.agent, lockFile), flock.SetPermissions(0o600))
	if _, err := fl.TryLockContext(ctx, lockPoll); err != nil {
		return fmt.Errorf("wait for %s: %w", lockFile, err)
	}
	defer func() { err = errors.Join(err, fl.Unlock()) }()
	return fn(dir)
}

// folder makes and opens the agent's folder.
func (s *sidecars) folder() (*os.Root, error) {
	err := s.st.MakeState()
	if err == nil {
		err = os.MkdirAll(s.base, 0o700)
	}
	if err != nil {
		return nil, err
	}
	base, err := os.OpenRoot(s.base)
	if err != nil {
		return nil, err
	}
	defer base.Close()
	if err := base.Mkdir(s.agent, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	dir, err := base.OpenRoot(s.agent)
	if err != nil {
		return nil, err
	}
	if fi, err := dir.Lstat(lockFile); err == nil && !fi.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%s: %w", lockFile, errSidecar), dir.Close())
	}
	return dir, nil
}

// CheckSidecars tells what is wrong with what is kept beside an agent's facts; nil is
// nothing. It reads alone.
func (m *Facts) CheckSidecars(agent string) error {
	sc, err := m.scope(agent)
	if err != nil || !sc.side.any() {
		return err
	}
	dir, err := os.OpenRoot(filepath.Join(sc.side.base, sc.agent))
	if err != nil {
		return err
	}
	defer dir.Close()
	var heat map[string]json.RawMessage
	var audit []json.RawMessage
	return errors.Join(readSidecar(dir, usageFile, &heat), readSidecar(dir, auditFile, &audit))
}

// any reports whether one of the files is there: what never was need not be cleared.
func (s *sidecars) any() bool {
	if s.base == "" {
		return false
	}
	for _, name := range []string{usageFile, auditFile} {
		if _, err := os.Lstat(filepath.Join(s.base, s.agent, name)); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}

// clear removes what is known of an agent's facts.
func (s *sidecars) clear(ctx context.Context) {
	if !s.any() {
		return
	}
	s.say("remove heat and audit", s.locked(ctx, func(dir *os.Root) error {
		return errors.Join(removeFile(dir, usageFile), removeFile(dir, auditFile))
	}))
}

// clearSidecars removes what is known of all agents' facts, also of one that has none left.
func (m *Facts) clearSidecars(ctx context.Context) {
	entries, err := os.ReadDir(m.Usage)
	if err != nil {
		return // there is no such folder; one that cannot be read was told when it was written
	}
	for _, e := range entries {
		if sc, err := m.scope(e.Name()); err == nil {
			sc.side.clear(ctx)
		}
	}
}

// readSidecar reads a file into v. None is no error, and errSidecar is one that is not JSON
// of v's shape, or no file at all.
func readSidecar(dir *os.Root, name string, v any) error {
	fi, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !fi.Mode().IsRegular() || fi.Size() > maxSidecar {
		return fmt.Errorf("%s: %w", name, errSidecar)
	}
	f, err := dir.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxSidecar))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("%s: %w: %w", name, errSidecar, err)
	}
	return nil
}

// writeSidecar replaces a file as a whole; a power cut may lose it.
func writeSidecar(dir *os.Root, name string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	temp := name + ".new"
	if err := removeFile(dir, temp); err != nil { // of a writer that died
		return err
	}
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(raw, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = dir.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, removeFile(dir, temp))
	}
	return nil
}

func removeFile(dir *os.Root, name string) error {
	if err := dir.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
