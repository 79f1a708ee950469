// Package store is a brain on disk: finding it, walking it, reading pages
// safely, and writing them one writer at a time.
//
// The files are the truth, and other programs edit them while we look: editors,
// git, sync clients. So nothing here caches what a folder holds; a look is one
// walk (List), a read is one open (Read), and a write happens inside a function
// that holds the brain's lock (Update).
//
// A path never leaves its brain. Folders are opened one below the other without
// following links, files through os.Root; a link inside a brain is skipped when
// listing and refused when reading. The one link that is followed is the
// brain's own folder: brains/notes may point at a vault elsewhere.
//
// A folder that holds a brain.yml of its own is another brain: it is neither
// listed nor read from the outer one.
package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// What callers tell apart. Each is wrapped with what was tried and on what.
var (
	ErrNoRoot     = errors.New("no memory root")
	ErrNoBrain    = errors.New("no such brain")
	ErrBrainName  = errors.New("not a brain's name")
	ErrUnreadable = errors.New("cannot be read")
	ErrNotFound   = errors.New("no such page")
	ErrAmbiguous  = errors.New("several pages match")
	ErrNotPage    = errors.New("not a page of this brain")
	ErrTooLarge   = errors.New("larger than a page may be")
	ErrExists     = errors.New("exists already")
	ErrTwin       = errors.New("a page of nearly the same name exists")
	ErrBusy       = errors.New("the brain is being written")
	ErrReadOnly   = errors.New("the brain is read-only")
	ErrConflict   = errors.New("changed meanwhile")
	ErrDamaged    = errors.New("damaged")
	ErrTxDone     = errors.New("the transaction is over")
	ErrChanging   = errors.New("it keeps changing while it is read")

	ErrExportDamaged = errors.New("the export is damaged")
	ErrExportRefused = errors.New("the export is refused")
	ErrExportNewer   = errors.New("a newer brain made the export")
)

const (
	// MaxFile is the size in bytes above which a file is no page: 4 MiB is
	// a book; what is larger is an export or a mistake.
	MaxFile = 4 << 20

	// MaxSession is that of a session's turns, which only grow: a year of
	// talking every day in one session.
	MaxSession = 64 << 20

	rootFile   = "memory.yml"
	brainFile  = "brain.yml"
	ignoreFile = ".brainignore"
	brainsDir  = "brains"
	stateDir   = ".brain"
	txnDir     = ".txn"
)

// Store is one open brain. It is safe for concurrent use.
type Store struct {
	// OnWait, when set before the first Update, is called while Update waits
	// for another writer: once after a fifth of a second, and again whenever
	// the holder changes.
	OnWait func(Holder)
	// MaxWait, when set before the first Update, bounds each wait for another
	// writer, and not the work after it. 0 waits as long as the context.
	MaxWait time.Duration
	// OnNote, when set before the first Update, is told in a line what a
	// writer should know and what stops nothing: what was cleared up after
	// another writer that died, that an update cannot be undone.
	OnNote func(line string)

	// Renew, when set before the first Update, is asked at the end of each update
	// that changes something, also of an undo, a move and a purge, what has to
	// change with it. It may write own files. Its error is the update's.
	Renew func(*Tx) error

	// Ledger, when set before the first Update, says how git keeps versions.
	Ledger LedgerOptions

	name  string
	dir   string
	here  bool
	undo  undo
	steps steps

	mu   sync.Mutex
	root *os.Root // of dir as last seen; nil while it could not be opened
	meta Meta

	lastJob time.Time // of the last job, as its id has it
}

// Open opens a brain of a root by its name. A brain whose folder is there but
// cannot be read opens too, so that what is known of it can still be told: its
// List reports the failure. The error for an unknown name is a *NoBrainError.
func Open(r Root, brain string) (*Store, error) {
	dir, err := r.BrainDir(brain)
	if err != nil {
		return nil, err
	}
	st := &Store{name: brain, dir: dir, here: dir == r.Dir,
		undo: undo{root: r, dir: filepath.Join(r.StateDir(), undoDir, brain)}}
	root, err := st.current()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	st.meta = readMeta(root, err, st.here)
	return st, nil
}

func (st *Store) Name() string { return st.name }

// Dir is the brain's folder, absolute, links resolved.
func (st *Store) Dir() string { return st.dir }

// MakeState makes the root's folder of what can be lost.
func (st *Store) MakeState() error { return st.undo.root.MakeState() }

// Meta is what brain.yml says, as of Open or of the last Update.
func (st *Store) Meta() Meta {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.meta
}

// ReadOnly reports why the brain may not be written, or "".
func (st *Store) ReadOnly() string { return st.Meta().readOnly() }

func (st *Store) Close() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.root == nil {
		return nil
	}
	err := st.root.Close()
	st.root = nil
	return err
}

// current returns the brain's folder as it is now. A folder that was replaced
// or remounted since the last look is opened again: the old handle would show
// an empty tree, which a caller could take for "everything was deleted".
func (st *Store) current() (*os.Root, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	now, err := os.Stat(st.dir)
	if err != nil {
		return nil, st.unreadable(err)
	}
	if st.root != nil {
		was, err := st.root.Stat(".")
		if err == nil && os.SameFile(was, now) {
			return st.root, nil
		}
		st.root = nil // others may be reading through it; its finalizer closes it
	}
	root, err := os.OpenRoot(st.dir)
	if err != nil {
		return nil, st.unreadable(err)
	}
	st.root = root
	return root, nil
}

func (st *Store) unreadable(err error) error {
	return fmt.Errorf("brain %s: its folder %w: %w", st.name, ErrUnreadable, err)
}

// reload reads brain.yml again: a long-lived process must notice `write: no`.
func (st *Store) reload(root *os.Root) Meta {
	m := readMeta(root, nil, st.here)
	st.mu.Lock()
	defer st.mu.Unlock()
	st.meta = m
	return m
}

func (st *Store) say(format string, args ...any) {
	if st.OnNote != nil {
		st.OnNote(fmt.Sprintf(format, args...))
	}
}

func (st *Store) full(rel string) string {
	return filepath.Join(st.dir, filepath.FromSlash(rel))
}

// errContext names the context's error, so that callers can tell a user's
// interrupt from a deadline.
func errContext(ctx context.Context, what string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
