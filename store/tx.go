package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"brain/page"
)

// A transaction has three steps, and the tree shows nothing before the last:
//
//	stage   each file whole and synced into .txn/tmp-…   while fn runs
//	place   move each to its name, never over a file      after fn returned
//	sync    the folders that gained a name
//
// A step that fails takes back what the ones before it did. A writer that dies
// leaves temporary files in .txn, which the next one sweeps, and never half a
// page; of several files it may have placed only the first ones.

const tempPrefix = "tmp-"

func isTemp(name string) bool { return strings.HasPrefix(name, tempPrefix) }

// maxSuffix is the last number that AddNew tries: more pages of one name are a
// loop in the caller rather than a coincidence.
const maxSuffix = 32

// TwinError says which page stands in the way of another spelling of its name.
// Existing is where the page is, or would be once the folder is spelled as the
// one on disk.
type TwinError struct {
	Path, Existing page.Path
}

func (e *TwinError) Error() string {
	return fmt.Sprintf("%v: %s, in place of %s", ErrTwin, e.Existing, e.Path)
}

func (e *TwinError) Unwrap() error { return ErrTwin }

// Update runs fn while this process alone may write the brain, and then makes
// everything fn wrote appear; when fn fails or panics, nothing of it does.
//
// reason is shown to others that wait ("add", "compile"). Waiting ends with ctx:
// at its deadline with a *BusyError, else with its error. A brain that may not
// be written gives ErrReadOnly; `write: ask` is for the caller to ask. The lock
// is not re-entrant: fn must not call Update, nor a model or a network.
func (st *Store) Update(ctx context.Context, reason string, fn func(*Tx) error) (err error) {
	what := "write brain " + st.name
	if err := errContext(ctx, what); err != nil {
		return err
	}
	root, err := st.writable()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	unlock, err := st.lock(ctx, root, reason)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := st.settle(root); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	tx := newTx(root)
	defer func() { err = errors.Join(err, tx.close()) }()
	if err := fn(tx); err != nil {
		return err
	}
	if err := errContext(ctx, what); err != nil {
		return err
	}
	return tx.commit()
}

// writable returns the brain's folder if brain.yml, read anew, lets us write.
func (st *Store) writable() (*os.Root, error) {
	root, err := st.current()
	if err != nil {
		return nil, err
	}
	if why := st.reload(root).readOnly(); why != "" {
		return nil, fmt.Errorf("%w: %s", ErrReadOnly, why)
	}
	return root, nil
}

// settle checks, once the lock is held, what may have changed while we waited
// for it, and clears up after writers that died.
func (st *Store) settle(root *os.Root) error {
	now, err := st.writable()
	if err != nil {
		return err
	}
	if now != root {
		return fmt.Errorf("%w: it was replaced while we waited for the lock", ErrUnreadable)
	}
	swept, err := sweep(root)
	if err != nil {
		return fmt.Errorf("clear up after another writer: %w", err)
	}
	if len(swept) > 0 && st.OnSweep != nil {
		st.OnSweep(swept)
	}
	return nil
}

// Tx is one update of a brain, valid until the function it was given to returns.
// It is for one goroutine.
type Tx struct {
	root   *os.Root
	staged []staged
	at     map[page.Path]int // index into staged
	made   []string          // folders made by commit, parents first
	done   bool              // closed: nothing more may be written
	kept   bool              // committed: nothing is to be taken back

	// folders remembers the names in each folder that was looked at, on disk
	// or staged: folded → as written.
	folders map[string]map[string][]string
}

// staged is a file that waits in .txn for its place.
type staged struct {
	path   page.Path
	temp   string      // within the brain
	info   fs.FileInfo // of temp once written
	placed bool
}

func newTx(root *os.Root) *Tx {
	return &Tx{root: root, at: map[page.Path]int{}, folders: map[string]map[string][]string{}}
}

// Written returns the paths of this update so far, in the order of their writing.
func (tx *Tx) Written() []page.Path {
	out := make([]page.Path, len(tx.staged))
	for i, s := range tx.staged {
		out[i] = s.path
	}
	return out
}

// Exists reports whether anything stands at a path, on disk or in this update.
func (tx *Tx) Exists(p page.Path) (bool, error) {
	if _, ok := tx.at[p]; ok {
		return true, nil
	}
	err := checkParents(tx.root, p)
	if err == nil {
		_, err = tx.root.Lstat(string(p))
	}
	switch err = notFound(err); {
	case err == nil:
		return true, nil
	case errors.Is(err, ErrNotFound):
		return false, nil
	}
	return false, fmt.Errorf("look for %s: %w", p, err)
}

// Read returns a page as it will be after this update.
func (tx *Tx) Read(p page.Path) (raw []byte, err error) {
	if i, ok := tx.at[p]; ok && !tx.done {
		raw, err = tx.root.ReadFile(tx.staged[i].temp)
	} else {
		raw, err = readPage(tx.root, p)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", p, err)
	}
	return raw, nil
}

// Add writes a new page; the folders above it are made. It refuses a path that
// exists (ErrExists), one that differs from an existing one only in case or
// Unicode form (*TwinError), one that List would never show (ErrNotPage), and
// content above MaxFile (ErrTooLarge).
func (tx *Tx) Add(p page.Path, content []byte) error {
	if err := tx.add(p, content); err != nil {
		return fmt.Errorf("add %s: %w", p, err)
	}
	return nil
}

func (tx *Tx) add(p page.Path, content []byte) error {
	if p.IsSession() {
		return fmt.Errorf("%w: %s: a session is only added to, turn by turn", ErrNotPage, p)
	}
	if tx.done {
		return ErrTxDone
	}
	if len(content) > MaxFile {
		return fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLarge, len(content), MaxFile)
	}
	if err := ignoreNotFound(checkParents(tx.root, p)); err != nil {
		return err
	}
	reason, err := hidden(tx.root, p)
	if err != nil {
		return err
	}
	if reason != "" {
		return fmt.Errorf("%w: it would be skipped: %s", ErrNotPage, reason)
	}
	if err := tx.free(p); err != nil {
		return err
	}
	temp, info, err := stage(tx.root, content)
	if err != nil {
		return err
	}
	tx.at[p] = len(tx.staged)
	tx.staged = append(tx.staged, staged{path: p, temp: temp, info: info})
	return tx.note(p)
}

// AddNew is Add under the first free name of p, p-2, p-3 …, and returns it.
func (tx *Tx) AddNew(p page.Path, content []byte) (page.Path, error) {
	ext := path.Ext(string(p))
	stem := strings.TrimSuffix(string(p), ext)
	for n := 1; n <= maxSuffix; n++ {
		try := p
		if n > 1 {
			try = page.Path(stem + "-" + strconv.Itoa(n) + ext)
		}
		err := tx.Add(try, content)
		if !errors.Is(err, ErrExists) && !errors.Is(err, ErrTwin) {
			return try, err
		}
	}
	return "", fmt.Errorf("add %s: %w, and so do its names up to -%d", p, ErrExists, maxSuffix)
}

// free checks that neither a path nor a twin of it, or of a folder above it, is
// taken. Two spellings of one name would be one file on disks that ignore case,
// and two pages of one thing on the others.
func (tx *Tx) free(p page.Path) error {
	parts := strings.Split(string(p), "/")
	folder := "."
	for i, part := range parts {
		names, err := tx.names(folder)
		if err != nil {
			return err
		}
		taken := names[fold(part)]
		if len(taken) == 0 {
			return nil // new from here on
		}
		if !slices.Contains(taken, part) {
			parts[i] = taken[0]
			return &TwinError{Path: p, Existing: page.Path(strings.Join(parts, "/"))}
		}
		folder = path.Join(folder, part)
	}
	return ErrExists
}

func (tx *Tx) names(folder string) (map[string][]string, error) {
	if names := tx.folders[folder]; names != nil {
		return names, nil
	}
	list, err := folderNames(tx.root, folder)
	if err := ignoreMissing(err); err != nil {
		return nil, err
	}
	names := make(map[string][]string, len(list))
	for _, name := range list {
		key := fold(name)
		names[key] = append(names[key], name)
	}
	tx.folders[folder] = names
	return names, nil
}

// note remembers a staged path, and the folders above it, as taken.
func (tx *Tx) note(p page.Path) error {
	folder := "."
	for part := range strings.SplitSeq(string(p), "/") {
		names, err := tx.names(folder)
		if err != nil {
			return err
		}
		if key := fold(part); !slices.Contains(names[key], part) {
			names[key] = append(names[key], part)
		}
		folder = path.Join(folder, part)
	}
	return nil
}
