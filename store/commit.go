package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"

	"brain/page"
)

// edit is one change with the names under which .txn holds its bytes. Its file
// in the tree, Temp and Image tell together how far it came, so that a rollback
// needs to know nothing else (takeBack).
type edit struct {
	Change
	// Temp holds the new bytes until they are placed; "" for a removal.
	Temp string `json:"temp,omitempty"`
	// Old holds the bytes before once they are replaced; "" for an addition.
	Old string `json:"old,omitempty"`
	// Purge says that the bytes before are to be kept nowhere.
	Purge bool `json:"purge,omitempty"`
}

// stage writes a file whole and synced into .txn.
func stage(root *os.Root, content []byte, mode fs.FileMode) (temp string, err error) {
	temp = path.Join(txnDir, tempPrefix+rand.Text())
	if err = writeSynced(root, temp, content); err == nil && mode != 0o644 {
		err = root.Chmod(temp, mode)
	}
	if err != nil {
		return "", errors.Join(err, ignoreMissing(root.Remove(temp)))
	}
	return temp, nil
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

// commit writes the journal, places what was staged, syncs the folders and says
// so in the journal; close takes back what a failure left half done.
func (tx *Tx) commit() (*Job, error) {
	tx.done = true
	if err := tx.arrange(); err != nil || len(tx.changes) == 0 {
		return nil, err
	}
	tx.log = newJournal(tx)
	before := readFlight(tx.root).epoch
	// Undo and the ledger hear of the job first: a page that is there and that
	// they know nothing of could never be found again.
	tx.st.remember(&tx.job)
	if tx.log.needed() {
		if err := tx.log.prepare(tx.root); err != nil {
			return nil, fmt.Errorf("write the journal: %w", err)
		}
	}
	for _, c := range tx.changes {
		if err := tx.place(c); err != nil {
			return nil, fmt.Errorf("write %s: %w", c.Path, err)
		}
	}
	if err := tx.syncFolders(); err != nil {
		return nil, err
	}
	if tx.log.needed() {
		if err := tx.log.commit(tx.root); err != nil {
			return nil, fmt.Errorf("write the journal: %w", err)
		}
	}
	tx.kept = true
	tx.st.finish(tx.root, tx.log)
	*tx.receipt = Receipt{Job: tx.job.ID, Paths: tx.pages(), Before: before, After: readFlight(tx.root).epoch}
	return &tx.job, nil
}

// pages are the pages among the changes.
func (tx *Tx) pages() []page.Path {
	var out []page.Path
	for _, c := range tx.changes {
		if p, err := page.ParsePath(c.Path); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// arrange drops what changes nothing and puts the rest in the order in which it
// is placed: what is new first, so that a page that moves is there twice rather
// than not at all for a moment; but a removal that makes room for another
// spelling of its name before all, since some disks take the two for one.
func (tx *Tx) arrange() error {
	var errs []error
	tx.changes = slices.DeleteFunc(tx.changes, func(c *edit) bool {
		if c.Before != c.After {
			return false
		}
		if c.Temp != "" {
			errs = append(errs, ignoreMissing(tx.root.Remove(c.Temp)))
		}
		return true
	})
	added := map[string]bool{}
	for _, c := range tx.changes {
		if c.Before == "" {
			added[fold(c.Path)] = true
		}
	}
	rank := func(c *edit) int {
		switch {
		case c.After != "":
			return 1
		case added[fold(c.Path)]:
			return 0
		}
		return 2
	}
	slices.SortStableFunc(tx.changes, func(a, b *edit) int { return rank(a) - rank(b) })
	for i, c := range tx.changes {
		if c.Before != "" {
			c.Image = strconv.Itoa(i)
			c.Old = path.Join(txnDir, tempPrefix+tx.job.ID+"-"+c.Image)
		}
		tx.job.Changes = append(tx.job.Changes, c.Change)
	}
	return errors.Join(errs...)
}

// place puts one change into the tree and then looks at what it replaced: only
// so can no edit be lost that another program makes between a look and a rename.
func (tx *Tx) place(c *edit) error {
	switch {
	case c.Before == "":
		return tx.placeNew(c)
	case c.After == "":
		if err := moveNew(tx.root, c.Path, c.Old); err != nil {
			return underHands(c, err)
		}
	default:
		if err := replace(tx.root, c); err != nil {
			return underHands(c, err)
		}
	}
	have, err := hashAt(tx.root, c.Old)
	if err == nil && have != c.Before {
		err = errors.Join(errUnderHands, &ConflictError{Path: c.Path, Want: c.Before, Have: have})
	}
	return err
}

// underHands tells a file that vanished from other failures.
func underHands(c *edit, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.Join(errUnderHands, &ConflictError{Path: c.Path, Want: c.Before})
	}
	return err
}

func (tx *Tx) placeNew(c *edit) error {
	if err := tx.makeFolders(path.Dir(c.Path)); err != nil {
		return err
	}
	err := moveNew(tx.root, c.Temp, c.Path)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: another program made it meanwhile", ErrExists)
	}
	return err
}

// replace puts Temp at Path and what was there at Old. Where the system can swap
// two names there is no moment at which the bytes before have only a name that
// another program may write over.
func replace(root *os.Root, c *edit) error {
	err := swap(root, c.Temp, c.Path)
	if err == nil {
		return root.Rename(c.Temp, c.Old)
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if err := root.Link(c.Path, c.Old); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return err
		}
		raw, err := readRegular(root, c.Path) // a disk without links
		if err == nil {
			err = writeSynced(root, c.Old, raw)
		}
		if err != nil {
			return err
		}
	}
	return root.Rename(c.Temp, c.Path)
}

func (tx *Tx) makeFolders(folder string) error {
	if folder == "." {
		return nil
	}
	for _, at := range parents(folder) {
		err := tx.root.Mkdir(at, 0o755)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// parents are a folder and those above it, the highest first.
func parents(folder string) []string {
	var all []string
	for at := folder; at != "." && at != ""; at = path.Dir(at) {
		all = append(all, at)
	}
	slices.Reverse(all)
	return all
}

// moveNewByLink gives a file its name where the system cannot rename without
// replacing: a link never replaces. Disks without links get a look and a rename,
// between which only a program that ignores the lock could slip in.
func moveNewByLink(root *os.Root, from, to string) error {
	err := root.Link(from, to)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
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

// syncFolders makes the new names last: in the folders of the files, and in
// those that gained a folder.
func (tx *Tx) syncFolders() error {
	var folders []string
	for _, c := range tx.changes {
		folders = append(folders, path.Dir(c.Path))
	}
	for _, f := range tx.log.Made {
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
	if tx.log != nil {
		return tx.st.rollBack(tx.root, tx.log)
	}
	var errs []error
	for _, c := range tx.changes {
		if c.Temp != "" {
			errs = append(errs, ignoreMissing(tx.root.Remove(c.Temp)))
		}
	}
	return errors.Join(errs...)
}
