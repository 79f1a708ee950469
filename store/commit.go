package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// stage writes a file whole and synced into .txn.
func stage(root *os.Root, content []byte) (temp string, info fs.FileInfo, err error) {
	temp = path.Join(txnDir, tempPrefix+rand.Text())
	if err = writeSynced(root, temp, content); err == nil {
		info, err = root.Lstat(temp)
	}
	if err != nil {
		return "", nil, errors.Join(err, ignoreMissing(root.Remove(temp)))
	}
	return temp, info, nil
}

func writeSynced(root *os.Root, name string, content []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// commit places what was staged and syncs the folders; close takes back what a
// failure left half done.
func (tx *Tx) commit() error {
	for i := range tx.staged {
		s := &tx.staged[i]
		if err := tx.place(s); err != nil {
			return fmt.Errorf("add %s: %w", s.path, err)
		}
	}
	if err := tx.syncFolders(); err != nil {
		return err
	}
	tx.kept = true
	return nil
}

func (tx *Tx) place(s *staged) error {
	if err := tx.makeFolders(path.Dir(string(s.path))); err != nil {
		return err
	}
	err := moveNew(tx.root, s.temp, string(s.path))
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: another program made it meanwhile", ErrExists)
	}
	s.placed = err == nil
	return err
}

func (tx *Tx) makeFolders(folder string) error {
	if folder == "." {
		return nil
	}
	at := ""
	for part := range strings.SplitSeq(folder, "/") {
		at = path.Join(at, part)
		err := tx.root.Mkdir(at, 0o755)
		switch {
		case err == nil:
			tx.made = append(tx.made, at)
		case !errors.Is(err, fs.ErrExist):
			return err
		}
	}
	return nil
}

// moveNewByLink gives a file its name where the system cannot rename without
// replacing: a link never replaces. Disks without links get a look and a rename,
// between which only a program that ignores the lock could slip in.
func moveNewByLink(root *os.Root, from, to string) error {
	err := root.Link(from, to)
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	if err == nil {
		// The page is in place whatever becomes of its first name; a name that
		// cannot be removed now is met again by the next writer's sweep.
		root.Remove(from)
		return nil
	}
	if _, err := root.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return root.Rename(from, to)
}

// syncFolders makes the new names last: in the folders of the pages, and in
// those that gained a folder.
func (tx *Tx) syncFolders() error {
	var folders []string
	for _, s := range tx.staged {
		folders = append(folders, path.Dir(string(s.path)))
	}
	for _, f := range tx.made {
		folders = append(folders, path.Dir(f))
	}
	slices.Sort(folders)
	for _, f := range slices.Compact(folders) {
		if err := syncFolder(tx.root, f); err != nil {
			return fmt.Errorf("sync folder %s: %w", f, err)
		}
	}
	return nil
}

// close ends the transaction; unless it was committed, nothing of it stays.
func (tx *Tx) close() error {
	tx.done = true
	if tx.kept {
		return nil
	}
	var errs []error
	for _, s := range slices.Backward(tx.staged) {
		errs = append(errs, takeBack(tx.root, s))
	}
	for _, f := range slices.Backward(tx.made) {
		err := tx.root.Remove(f)
		if names, _ := folderNames(tx.root, f); len(names) > 0 {
			continue // somebody else put a file there
		}
		errs = append(errs, ignoreMissing(err))
	}
	return errors.Join(errs...)
}

// takeBack removes a staged file from where it is, unless another program has
// changed it since it was placed.
func takeBack(root *os.Root, s staged) error {
	if !s.placed {
		return ignoreMissing(root.Remove(s.temp))
	}
	fi, err := root.Lstat(string(s.path))
	if err != nil {
		return ignoreMissing(err)
	}
	if !os.SameFile(fi, s.info) || fi.Size() != s.info.Size() || !fi.ModTime().Equal(s.info.ModTime()) {
		return nil
	}
	return root.Remove(string(s.path))
}
