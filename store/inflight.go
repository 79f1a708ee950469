package store

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/gofrs/flock"
)

// InFlight is what the folder of writes in flight shows to who only looks.
type InFlight struct {
	Writer  *Holder // who writes now, nil when nobody does
	Left    *Holder // who died writing: the note of a holder without its lock
	Journal bool    // a write has begun and is not over
	// Damaged is why the journal cannot be believed (ErrDamaged) or read: then no
	// write clears it up, and none is made.
	Damaged error
	Temps   []string // names of files that wait for their place
	Lock    string   // the lock's file, absolute
}

// Cut reports whether a writer died and left something to clear up; the next
// one does.
func (f InFlight) Cut() bool { return f.Writer == nil && (f.Journal || len(f.Temps) > 0) }

// InFlight looks at .txn and changes nothing: what a dead writer left stays for
// the next one. A brain that was never written shows nothing.
func (st *Store) InFlight() (f InFlight, err error) {
	root, err := st.current()
	if err != nil {
		return f, err
	}
	f.Lock = st.full(lockName)
	names, err := folderNames(root, txnDir)
	if err != nil {
		return f, ignoreMissing(err)
	}
	slices.Sort(names)
	for _, name := range names {
		if isTemp(name) {
			f.Temps = append(f.Temps, name)
		}
	}
	if _, err = root.Lstat(journalName); err == nil {
		f.Journal = true
		_, f.Damaged = readJournal(root)
	}
	held, err := isHeld(root, f.Lock)
	if err != nil {
		return f, err
	}
	_, err = root.Lstat(holderName)
	switch h := readHolder(root); {
	case held:
		f.Writer = &h
	case err == nil:
		f.Left = &h
	}
	return f, nil
}

// isHeld asks for the lock as a reader would, which a writer's excludes, and
// gives it back at once. A lock that was never taken is not made.
func isHeld(root *os.Root, name string) (bool, error) {
	fi, err := root.Lstat(lockName)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || !fi.Mode().IsRegular() {
		return false, err
	}
	fl := flock.New(name, flock.SetFlag(os.O_RDONLY))
	free, err := fl.TryRLock()
	if err != nil || !free {
		return !free, err
	}
	return false, fl.Unlock()
}
