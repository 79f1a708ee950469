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

// A session is added to by one process at a time, and compiled by one at a time.
// The locks are the system's, each on a file that is there only while somebody
// holds it or waits for it; the system gives one back the moment its holder dies.
// They lie outside the session's folder, since two that begin the same session in
// different months must meet.

const (
	lockPrefix  = txnDir + "/session-"
	leasePrefix = txnDir + "/compile-"
	fenceLock   = txnDir + "/fences.lock"
	turnLock    = txnDir + "/compile.lock"
	turnMark    = txnDir + "/compile.turn" // there while somebody has the turn, and after one who died in it
	lockSuffix  = ".lock"
	newSuffix   = ".new"

	maxWait = 25 * time.Millisecond // between two tries
)

func lockFile(id string) string  { return lockPrefix + id + lockSuffix }
func leaseFile(id string) string { return leasePrefix + id + lockSuffix }
func newFolder(id string) string { return lockPrefix + id + newSuffix }

// lock takes a lock by the name of its file, waiting until ctx ends; unlock gives
// it back.
func (ib *Box) lock(ctx context.Context, name string) (unlock func() error, err error) {
	if err := ib.makeTxn(); err != nil {
		return nil, err
	}
	for delay := time.Millisecond; ; delay = min(2*delay, maxWait) {
		if err := ctx.Err(); errors.Is(err, context.DeadlineExceeded) {
			return nil, fmt.Errorf("%w: %w", ErrBusy, err)
		} else if err != nil {
			return nil, err
		}
		unlock, err := ib.tryLock(name)
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
func (ib *Box) tryLock(name string) (unlock func() error, err error) {
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

// held reports whether somebody holds a lock. It looks with a shared one, so that
// those who look do not take each other for a holder.
func (ib *Box) held(name string) (bool, error) {
	fi, err := ib.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && !fi.Mode().IsRegular() {
		err = fmt.Errorf("%s is a %s, want a file", name, describe(fi.Mode()))
	}
	if err != nil {
		return false, err
	}
	fl := flock.New(filepath.Join(ib.dir, filepath.FromSlash(name)), flock.SetFlag(os.O_RDONLY))
	free, err := fl.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if free {
		err = fl.Unlock()
	}
	return !free && err == nil, err
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
		id, lock := ownerOf(txnDir + "/" + name)
		if lock == "" {
			continue
		}
		unlock, err := ib.tryLock(lock)
		if unlock == nil || err != nil {
			continue // it is alive, or not for us to judge
		}
		if lock == lockFile(id) {
			err = ib.root.RemoveAll(newFolder(id))
		}
		if err = errors.Join(err, unlock()); err != nil {
			return fmt.Errorf("clear up after another process: %w", err)
		}
	}
	return nil
}

// ownerOf gives the session to which a file or folder in .txn belongs, and the
// lock under which it may be removed; "" when it is none of ours.
func ownerOf(name string) (id, lock string) {
	for prefix, file := range map[string]func(string) string{lockPrefix: lockFile, leasePrefix: leaseFile} {
		id, ours := strings.CutPrefix(strings.TrimSuffix(name, newSuffix), prefix)
		if id = strings.TrimSuffix(id, lockSuffix); ours && validID().MatchString(id) {
			return id, file(id)
		}
	}
	return "", ""
}
