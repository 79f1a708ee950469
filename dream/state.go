package dream

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"brain/store"
)

// What a Dream remembers, all of which can be lost:
//
//	LOCK          locked by who dreams
//	holder.json   who that is, for people
//	state.json    what each part of a stage has looked at, and found
//	replies.jsonl what models answered (memo.go)
//	report.json   the last run
//	schedule.json which nights of a schedule had their run (slots.go)

const (
	stateFormat = 1
	stateFile   = "state.json"
	leaseFile   = "LOCK"
	holderFile  = "holder.json"
)

// ErrOutside is the error for a folder of the state that a link leads out of the root.
var ErrOutside = errors.New("what Dream remembers leads out of the root")

// Folder is where the state of a brain stands. Whoever holds one need not ask where it leads:
// the root may have come from a stranger, and no link in it is followed out of it.
type Folder struct{ path string }

// FolderOf is that of a brain; it need not be there yet. One that leads elsewhere is ErrOutside.
func FolderOf(r store.Root, brain string) (Folder, error) {
	path := filepath.Join(r.StateDir(), "dream", brain)
	if to, ok := r.Inside(path); !ok {
		return Folder{}, fmt.Errorf("%w: %s is %s", ErrOutside, path, to)
	}
	return Folder{path}, nil
}

func (f Folder) String() string { return f.path }

// state is state.json.
type state struct {
	Format int                `json:"format"`
	Parts  map[string]settled `json:"parts"`
	// Turn says where what cannot be done in one night goes on, by name.
	Turn map[string]string `json:"turn"`
	// Reviewed are the facts at which a model has looked: agent/id → hash of the file.
	Reviewed map[string]string `json:"reviewed,omitempty"`
	// Layered are pages with layers of brain's own: path → digest of the body of which they are.
	Layered map[string]string `json:"layered,omitempty"`
	// Bare are pages of which a model has nothing to say in short: path → digest of the body.
	Bare map[string]string `json:"bare,omitempty"`
	// Alone are pages of which a model said nothing where it was asked of several: path → digest
	// of the body. They get a question each.
	Alone map[string]string `json:"alone,omitempty"`

	dir   Folder
	saved string // as it stands on disk
}

// settled is a part of a stage that was looked at completely.
type settled struct {
	Digest string         `json:"digest"`
	At     time.Time      `json:"at"`
	Left   []Left         `json:"left"`
	Counts map[string]int `json:"counts"`
}

// readState reads what was remembered; what cannot be read, or is of another version, is
// forgotten.
func readState(dir Folder) *state {
	s := &state{}
	raw, err := readFile(dir, stateFile)
	if err != nil || json.Unmarshal(raw, s) != nil || s.Format != stateFormat {
		s = &state{}
	}
	s.Format, s.dir, s.saved = stateFormat, dir, string(raw)
	if s.Parts == nil {
		s.Parts = map[string]settled{}
	}
	if s.Turn == nil {
		s.Turn = map[string]string{}
	}
	if s.Reviewed == nil {
		s.Reviewed = map[string]string{}
	}
	if s.Layered == nil {
		s.Layered = map[string]string{}
	}
	if s.Bare == nil {
		s.Bare = map[string]string{}
	}
	if s.Alone == nil {
		s.Alone = map[string]string{}
	}
	return s
}

func (s *state) save() error {
	raw, err := json.Marshal(s)
	if err != nil || string(raw) == s.saved {
		return err
	}
	s.saved = string(raw)
	return writeFile(s.dir, stateFile, raw)
}

func writeJSON(dir Folder, name string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(dir, name, append(raw, '\n'))
}

// readFile reads one of its files. A link, which may lead anywhere, or a pipe, which may never
// end, is none of them.
func readFile(dir Folder, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir.path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	fi, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: it is no file", filepath.Join(dir.path, name))
	}
	return root.ReadFile(name)
}

// appendTo opens one of its files to write at its end. What is no file there goes, as when
// writeFile replaces it.
func appendTo(dir Folder, name string) (*os.File, error) {
	root, err := os.OpenRoot(dir.path)
	if err != nil {
		return nil, stateError("write "+filepath.Join(dir.path, name), err)
	}
	defer root.Close()
	if fi, err := root.Lstat(name); err == nil && !fi.Mode().IsRegular() {
		if err := root.Remove(name); err != nil {
			return nil, stateError("replace "+filepath.Join(dir.path, name), err)
		}
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	return f, stateError("write "+filepath.Join(dir.path, name), err)
}

// writeFile replaces a file as a whole. It can be lost, so nothing waits for the disk; a link in
// its place leads nowhere else.
func writeFile(dir Folder, name string, raw []byte) error {
	root, err := os.OpenRoot(dir.path)
	if err != nil {
		return stateError("write "+filepath.Join(dir.path, name), err)
	}
	defer root.Close()
	err = root.WriteFile(name+".new", raw, 0o600)
	if err == nil {
		err = root.Rename(name+".new", name)
	}
	return stateError("write "+filepath.Join(dir.path, name), err)
}

// ErrState is the error of the folder for what is remembered, or of a file there: it cannot be
// written, or something else stands in its place.
var ErrState = errors.New("what dream remembers cannot be kept")

// stateError is that of what was tried there; nil for none.
func stateError(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %s: %w", ErrState, what, err)
}

// Holder is who dreams.
type Holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

// ErrBusy is the error for a brain that is dreamt of already.
var ErrBusy = errors.New("another process dreams")

// BusyError is that, with who it is.
type BusyError struct{ Holder Holder }

func (e *BusyError) Unwrap() error { return ErrBusy }

func (e *BusyError) Error() string {
	if e.Holder.PID == 0 {
		return ErrBusy.Error()
	}
	return fmt.Sprintf("process %d on %s dreams since %s", e.Holder.PID, e.Holder.Host, e.Holder.Since.Local().Format("2006-01-02 15:04:05"))
}

// takeLease takes the right to dream. It is the system's lock and ends with the process,
// however that ends; so nobody has to prove that he lives, and nobody takes it from who does.
func takeLease(dir Folder, now time.Time) (release func() error, err error) {
	if err := os.MkdirAll(dir.path, 0o700); err != nil {
		return nil, stateError("make its folder", err)
	}
	name := filepath.Join(dir.path, leaseFile)
	if fi, err := os.Lstat(name); err == nil && !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: lock %s: it is no file", ErrState, name)
	}
	fl := flock.New(name, flock.SetPermissions(0o600))
	ok, err := fl.TryLock()
	if err != nil {
		return nil, stateError("lock "+name, err)
	}
	if !ok {
		busy := &BusyError{}
		if raw, err := readFile(dir, holderFile); err == nil {
			_ = json.Unmarshal(raw, &busy.Holder) // for people alone
		}
		return nil, busy
	}
	host, _ := os.Hostname() // for people
	if err := writeJSON(dir, holderFile, Holder{os.Getpid(), host, now}); err != nil {
		return nil, errors.Join(err, fl.Unlock())
	}
	return func() error {
		err := os.Remove(filepath.Join(dir.path, holderFile))
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return errors.Join(err, fl.Unlock())
	}, nil
}

// Forget removes what may quote a text that is gone for good: the replies of models, what was
// found, the last report. It costs calls and time, and no content. While somebody dreams it is a
// *BusyError.
func Forget(dir Folder) error {
	if _, err := os.Stat(dir.path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	release, err := takeLease(dir, time.Now())
	if err != nil {
		return err
	}
	for _, name := range []string{memoFile, stateFile, reportFile, notesFile} {
		if e := os.Remove(filepath.Join(dir.path, name)); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, stateError("remove "+filepath.Join(dir.path, name), e))
		}
	}
	return errors.Join(err, release())
}
