package inbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// A session is added to by one process at a time. Its lock is the system's, on
// a file that is there only while somebody holds it or waits for it; the system
// gives it back the moment its holder dies. It lies outside the session's
// folder, since two that begin the same session in different months must meet.

const (
	lockPrefix = txnDir + "/session-"
	lockSuffix = ".lock"
	newSuffix  = ".new"

	maxWait = 25 * time.Millisecond // between two tries
)

func lockFile(id string) string  { return lockPrefix + id + lockSuffix }
func newFolder(id string) string { return lockPrefix + id + newSuffix }

// lock takes a session's lock, waiting until ctx ends; unlock gives it back.
func (ib *Box) lock(ctx context.Context, id string) (unlock func() error, err error) {
	if err := ib.makeTxn(); err != nil {
		return nil, err
	}
	for delay := time.Millisecond; ; delay = min(2*delay, maxWait) {
		if err := ctx.Err(); errors.Is(err, context.DeadlineExceeded) {
			return nil, fmt.Errorf("%w: %w", ErrBusy, err)
		} else if err != nil {
			return nil, err
		}
		unlock, err := ib.tryLock(id)
		if unlock != nil || err != nil {
			return unlock, err
		}
		timer := time.NewTimer(delay/2 + rand.N(delay))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
}

// tryLock takes a lock if it is free. Its file is removed with it, so one that
// waited may hold a lock on a file that is gone, which locks nobody out: the
// file must still be the one at its path.
func (ib *Box) tryLock(id string) (unlock func() error, err error) {
	name := lockFile(id)
	if fi, err := ib.root.Lstat(name); err == nil && !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is a %s, want a file", name, describe(fi.Mode()))
	}
	fl := flock.New(filepath.Join(ib.dir, filepath.FromSlash(name)), flock.SetPermissions(0o600))
	if ok, err := fl.TryLock(); !ok || err != nil {
		return nil, err
	}
	held, err := fl.Stat()
	if err == nil {
		var now fs.FileInfo
		if now, err = os.Lstat(fl.Path()); err == nil && os.SameFile(held, now) {
			return func() error {
				_ = ib.root.Remove(name) // where an open file cannot be removed it stays, empty
				return fl.Unlock()
			}, nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return nil, errors.Join(err, fl.Unlock())
}

// makeTxn makes the folder of writes in flight.
func (ib *Box) makeTxn() error {
	switch err := ib.root.Mkdir(txnDir, 0o755); {
	case err == nil:
		// Whatever repository the brain lies in, its writes in flight are not for it.
		return ib.root.WriteFile(path.Join(txnDir, ".gitignore"), []byte("*\n"), 0o644)
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	fi, err := ib.root.Lstat(txnDir)
	if err == nil && !fi.IsDir() {
		err = fmt.Errorf("%s is a %s, want a folder", txnDir, describe(fi.Mode()))
	}
	return err
}

// sweep removes what those left in .txn who died while they added to another
// session: what was said must not stay there when its session is deleted.
func (ib *Box) sweep() error {
	f, err := ib.root.Open(txnDir)
	if err != nil {
		return err
	}
	names, err := f.Readdirnames(-1)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	for _, name := range names {
		id, ours := strings.CutPrefix(strings.TrimSuffix(txnDir+"/"+name, newSuffix), lockPrefix)
		if id = strings.TrimSuffix(id, lockSuffix); !ours || !validID.MatchString(id) {
			continue
		}
		unlock, err := ib.tryLock(id)
		if unlock == nil || err != nil {
			continue // it is alive, or not for us to judge
		}
		if err := errors.Join(ib.root.RemoveAll(newFolder(id)), unlock()); err != nil {
			return fmt.Errorf("clear up after another process: %w", err)
		}
	}
	return nil
}
