package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Taking back what was not committed. Where the files of a change are tells how
// far it came:
//
//	Temp holds the new bytes      not placed
//	Temp holds others             just swapped: they belong at Old
//	Old is there                  what stood at Path has left it
//
// Another program may write at Path at any of these moments, and before every
// step of ours. So what was replaced is swapped back and then looked at, as it was
// placed. Where that cannot be, files leave the tree by a rename to a name in .txn,
// are looked at there, and return by a move that replaces nothing; what came
// between stands.

// rollBack takes a transaction back that was not committed. It may be cut short
// and begun again.
func (st *Store) rollBack(root disk, j *journal) error {
	var errs []error
	for _, c := range slices.Backward(j.Files) {
		kept, err := takeBack(root, c)
		if kept && err == nil {
			err = st.keepAside(root, j.ID, c)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("take %s back: %w", c.Path, err))
		}
	}
	if len(errs) > 0 {
		return fmt.Errorf("%w: %w", errStuck, errors.Join(errs...))
	}
	for _, f := range slices.Backward(j.Made) {
		root.Remove(f) // a folder that somebody else put a file into stays
	}
	st.forget(j.ID)
	if !j.needed() {
		return nil
	}
	// The end of a journal that was not committed has to last: found again after
	// a power cut, it would take back what a later write did.
	return errors.Join(j.end(root), root.sync(txnDir))
}

// takeBack undoes one change. kept reports bytes at Old that may not go back,
// because another program has written at their place since.
func takeBack(root disk, c *edit) (kept bool, err error) {
	if err := clearTemp(root, c); err != nil {
		return false, err
	}
	if done, err := swapBack(root, c); done || err != nil {
		return false, err
	}
	if err := takeOut(root, c); err != nil {
		return false, err
	}
	return putBack(root, c)
}

// clearTemp removes new bytes that were not placed, and moves others on to where
// they were going.
func clearTemp(root disk, c *edit) error {
	if c.Temp == "" {
		return nil
	}
	temp, err := root.Lstat(c.Temp)
	if err != nil {
		return ignoreMissing(err)
	}
	h, err := contentAt(root.Root, c.Temp)
	switch {
	case err != nil:
		return err
	case h == c.After || isAt(root, c.Path, temp): // or a second name of what was placed
		return root.Remove(c.Temp)
	case c.Before != "" && isMissing(root, c.Old):
		return root.Rename(c.Temp, c.Old)
	}
	return giveBack(root, c)
}

// swapBack exchanges the new bytes for those before, so that the page is never
// missing. An edit that came between our look and the swap is swapped in again, and
// the rest is left to the steps that follow, as if it had come before.
func swapBack(root disk, c *edit) (done bool, err error) {
	if c.Before == "" || c.After == "" || c.theirs || isMissing(root, c.Old) {
		return false, nil
	}
	old, err := contentAt(root.Root, c.Old)
	if err != nil {
		return false, err
	}
	if old == c.After { // swapped already, by one who died then
		return true, root.Remove(c.Old)
	}
	now, err := contentAt(root.Root, c.Path)
	if err != nil || now != c.After {
		return false, err
	}
	err = root.swap(c.Old, c.Path)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if now, err = contentAt(root.Root, c.Old); err == nil && now == c.After {
		return true, root.Remove(c.Old)
	}
	return false, errors.Join(err, root.swap(c.Old, c.Path))
}

// takeOut takes the new bytes out of the tree, unless they were edited.
func takeOut(root disk, c *edit) error {
	if c.After == "" || c.theirs || c.Before != "" && isMissing(root, c.Old) {
		return nil // nothing of ours is in the tree
	}
	now, err := contentAt(root.Root, c.Path)
	if err != nil || now != c.After {
		return err
	}
	if err := root.Rename(c.Path, c.Temp); err != nil {
		return ignoreMissing(err) // removed meanwhile
	}
	if now, err = contentAt(root.Root, c.Temp); err != nil {
		return err
	}
	if now != c.After {
		return giveBack(root, c)
	}
	return root.Remove(c.Temp)
}

// giveBack returns an edit that was taken out of the tree. If yet another stands
// there by now, it stays in .txn under a name that no sweep takes.
func giveBack(root disk, c *edit) error {
	err := root.moveNew(c.Temp, c.Path)
	if errors.Is(err, fs.ErrExist) {
		return root.Rename(c.Temp, asideOf(c.Temp))
	}
	return err
}

// putBack returns what stood at Path.
func putBack(root disk, c *edit) (kept bool, err error) {
	if c.Before == "" {
		return false, nil
	}
	old, err := root.Lstat(c.Old)
	if err != nil {
		return false, ignoreMissing(err) // it never left
	}
	err = root.moveNew(c.Old, c.Path)
	if errors.Is(err, fs.ErrNotExist) { // its folder is gone
		if err = root.makeFolders(c.Path); err == nil {
			err = root.moveNew(c.Old, c.Path)
		}
	}
	if !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	same, err := isSame(root, c, old)
	if same {
		err = root.Remove(c.Old)
	}
	return !same, err
}

// isSame reports whether what stands at Path is the file at Old by another name,
// or has its bytes.
func isSame(root disk, c *edit, old os.FileInfo) (bool, error) {
	if isAt(root, c.Path, old) {
		return true, nil
	}
	was, err := contentAt(root.Root, c.Old)
	if err != nil || was == notOurs {
		return false, err
	}
	now, err := contentAt(root.Root, c.Path)
	return now == was, err
}

// keepAside keeps the bytes before a change that failed and whose file was edited
// meanwhile. Nobody asked to replace them by that edit, so they are never given
// up: where the undo store fails they stay in .txn.
func (st *Store) keepAside(root disk, id string, c *edit) error {
	at := st.undo.image(id, c.Image)
	if err := st.moveOut(root, id, c); err != nil {
		aside := asideOf(c.Old)
		if err := root.Rename(c.Old, aside); err != nil {
			return err
		}
		at = st.full(aside)
	}
	st.say("%s was edited during a write that failed: the edit stands, and the bytes before it are in %s", c.Path, at)
	return nil
}

// asideOf is a name in .txn that no sweep takes.
func asideOf(temp string) string { return path.Join(txnDir, asidePrefix+path.Base(temp)) }

const asidePrefix = "kept-"

func isAside(name string) bool { return strings.HasPrefix(path.Base(name), asidePrefix) }

func isMissing(root disk, name string) bool {
	_, err := root.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// isAt reports whether a name is another one of the same file.
func isAt(root disk, name string, fi os.FileInfo) bool {
	now, err := root.Lstat(name)
	return err == nil && os.SameFile(now, fi)
}
