package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// The writer's lock is the system's lock on .txn/LOCK. The system gives it back
// the moment its holder dies, and never before, so no age makes it stale and
// nothing is ever stolen. Who holds it stands beside it in .txn/HOLDER, for
// messages only; a lock file that says it itself could not be read on systems
// where locks are mandatory.

const (
	lockName   = txnDir + "/LOCK"
	holderName = txnDir + "/HOLDER"

	waitNotice = 200 * time.Millisecond // shorter waits are not worth a line
)

// Holder is who writes a brain.
type Holder struct {
	PID    int       `json:"pid"`
	Host   string    `json:"host"`
	Reason string    `json:"reason"`
	Since  time.Time `json:"since"`
}

func (h Holder) String() string {
	if h.PID == 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d on %s (%s, for %s)", h.PID, h.Host, h.Reason,
		time.Since(h.Since).Round(time.Second))
}

// BusyError says who held the lock until the caller's deadline.
type BusyError struct {
	Brain  string
	Holder Holder
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("write brain %s: %v by %v", e.Brain, ErrBusy, e.Holder)
}

func (e *BusyError) Unwrap() error { return ErrBusy }

// lock takes the writer's lock, waiting until ctx ends or MaxWait is over; unlock
// gives it back.
// The system lets those that wait have it in turn; asking again and again would
// give it to who asks at the right moment, and some would wait for very long.
func (st *Store) lock(ctx context.Context, root *os.Root, reason string) (unlock func() error, err error) {
	unlock, ok, err := st.tryLock(root, reason)
	if st.MaxWait > 0 {
		limited, stop := context.WithTimeout(ctx, st.MaxWait)
		defer stop()
		ctx = limited
	}
	wait := waiter{st: st, root: root}
	for !ok && err == nil {
		fl := flock.New(st.full(lockName), flock.SetPermissions(0o644))
		if err := wait.turn(ctx, fl); err != nil {
			return nil, err
		}
		unlock, ok, err = st.hold(root, fl, reason)
	}
	return unlock, err
}

// tryLock takes the writer's lock if it is free.
func (st *Store) tryLock(root *os.Root, reason string) (unlock func() error, ok bool, err error) {
	if err := checkLockFile(root); err != nil {
		return nil, false, err
	}
	fl := flock.New(st.full(lockName), flock.SetPermissions(0o644))
	if ok, err := fl.TryLock(); !ok || err != nil {
		return nil, false, err
	}
	return st.hold(root, fl, reason)
}

// hold says who has a lock that was taken.
func (st *Store) hold(root *os.Root, fl *flock.Flock, reason string) (unlock func() error, ok bool, err error) {
	if ok, err := isThere(fl); !ok {
		return nil, false, err
	}
	unlock = func() error { return errors.Join(ignoreMissing(root.Remove(holderName)), fl.Unlock()) }
	if err := writeHolder(root, reason); err != nil {
		return nil, false, errors.Join(err, unlock())
	}
	return unlock, true, nil
}

// tryFlock takes a lock if it is free.
func tryFlock(fl *flock.Flock) (bool, error) {
	if ok, err := fl.TryLock(); !ok || err != nil {
		return false, err
	}
	return isThere(fl)
}

// isThere checks a lock that was taken, and gives it back if it is on a file that
// somebody removed meanwhile: such a lock locks nobody out.
func isThere(fl *flock.Flock) (bool, error) {
	held, err := fl.Stat()
	if err == nil {
		var now fs.FileInfo
		if now, err = os.Lstat(fl.Path()); err == nil && os.SameFile(held, now) {
			return true, nil
		}
	}
	return false, errors.Join(ignoreMissing(err), fl.Unlock())
}

// checkLockFile makes .txn and refuses links that lead the lock elsewhere.
func checkLockFile(root *os.Root) error {
	if err := root.Mkdir(txnDir, 0o755); err == nil {
		// Whatever repository the brain lies in, its writes in flight are not for it.
		if err := root.WriteFile(txnDir+"/.gitignore", []byte("*\n"), 0o644); err != nil {
			return errors.Join(err, root.RemoveAll(txnDir))
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return err
	}
	fi, err := root.Lstat(txnDir)
	if err != nil {
		return err
	}
	if !fi.IsDir() {
		return fmt.Errorf("%s is a %s, want a folder", txnDir, describe(fi.Mode()))
	}
	fi, err = root.Lstat(lockName)
	if err == nil && !fi.Mode().IsRegular() {
		return fmt.Errorf("%s is a %s, want a file", lockName, describe(fi.Mode()))
	}
	return ignoreMissing(err)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func writeHolder(root *os.Root, reason string) error {
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	raw, err := json.Marshal(Holder{PID: os.Getpid(), Host: host, Reason: reason, Since: time.Now().UTC()})
	if err != nil {
		return err
	}
	if err := ignoreMissing(root.Remove(holderName)); err != nil {
		return err
	}
	f, err := root.OpenFile(holderName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(raw, '\n'))
	return errors.Join(err, f.Close())
}

// readHolder is the zero Holder when the file is absent or half written.
func readHolder(root *os.Root) Holder {
	f, err := root.OpenFile(holderName, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return Holder{}
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, 4<<10))
	var h Holder
	if err != nil || json.Unmarshal(raw, &h) != nil {
		return Holder{}
	}
	return h
}

// waiter is one wait, and tells OnWait of it.
type waiter struct {
	st   *Store
	root *os.Root
	told Holder
}

// turn waits until the lock is taken or ctx ends. The system cannot be told to
// stop waiting: then the lock is given back the moment it is there.
func (w *waiter) turn(ctx context.Context, fl *flock.Flock) error {
	taken := make(chan error, 1)
	go func() { taken <- fl.Lock() }()
	notice := time.NewTicker(waitNotice)
	defer notice.Stop()
	for {
		select {
		case err := <-taken:
			return err
		case <-notice.C:
			w.notice()
		case <-ctx.Done():
			go func() {
				if <-taken == nil {
					fl.Unlock()
				}
			}()
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return &BusyError{Brain: w.st.name, Holder: readHolder(w.root)}
			}
			return errContext(ctx, "wait to write brain "+w.st.name)
		}
	}
}

func (w *waiter) notice() {
	holder := readHolder(w.root)
	if w.st.OnWait != nil && holder != w.told {
		w.told = holder
		w.st.OnWait(holder)
	}
}

// leftIn lists what dead writers left in .txn besides the journal. The lock is
// held, so no living writer owns any of it.
func leftIn(root disk) (left []string, err error) {
	names, err := folderNames(root.Root, txnDir)
	for _, name := range names {
		if isLeft(name) && name != path.Base(journalName) {
			left = append(left, name)
		}
	}
	return left, err
}

func sweep(root disk, left []string) error {
	for _, name := range left {
		if err := ignoreMissing(root.Remove(path.Join(txnDir, name))); err != nil {
			return err
		}
	}
	return nil
}

// isLeft reports whether a name in .txn is one that no writer leaves behind.
func isLeft(name string) bool {
	return isTemp(name) || slices.Contains([]string{
		path.Base(journalName), path.Base(journalTemp), path.Base(journalNext), path.Base(lastNext)}, name)
}

// jobsOf are the jobs that the names of temporary files speak of.
func jobsOf(names []string) []string {
	var ids []string
	for _, name := range names {
		if end, ok := strings.CutPrefix(name, tempPrefix); ok && len(end) > jobIDLen && isJobID(end[:jobIDLen]) {
			ids = append(ids, end[:jobIDLen])
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
