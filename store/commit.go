package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
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
	// Purge says that the bytes before are to be kept nowhere. Those of a file that
	// was renewed are not kept either, unless a rollback has to.
	Purge bool `json:"purge,omitempty"`
	// theirs says that another program's file was met in place of the new bytes:
	// it stays, even if it has the same ones.
	theirs bool
}

// changes reports whether the file is not in the end as it was.
func (c *edit) changes() bool { return c.Before != c.After }

// stage writes a file whole into .txn; commit syncs it.
func (tx *Tx) stage(content []byte, mode fs.FileMode) (temp string, err error) {
	temp = tempOf(tx.job.ID, rand.Text())
	if err := tx.root.stage(temp, content, mode); err != nil {
		return "", errors.Join(err, ignoreMissing(tx.root.Remove(temp)))
	}
	return temp, nil
}

// tempOf is a name in .txn that says whose it is.
func tempOf(job, name string) string { return path.Join(txnDir, tempPrefix+job+"-"+name) }

// commit writes the journal, places what was staged, syncs the folders and says
// so in the journal; close takes back what a failure left half done.
func (tx *Tx) commit() (*Job, error) {
	tx.done = true
	if err := tx.arrange(); err != nil || len(tx.changes) == 0 {
		return nil, err
	}
	if err := tx.syncStaged(); err != nil {
		return nil, err
	}
	tx.log = newJournal(tx)
	before := readFlight(tx.root.Root).epoch
	if tx.log.needed() {
		if err := tx.log.prepare(tx.root); err != nil {
			return nil, fmt.Errorf("write the journal: %w", err)
		}
	}
	// Undo and the ledger hear of the job before a page is there that they know
	// nothing of, and after the journal or a temporary file tells who clears up
	// that it may not have been done.
	undoable := tx.st.remember(&tx.job)
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
	if tx.log.needed() {
		// Whoever finds the journal now finishes the update, so that it stands
		// even if the disk fails to confirm it.
		if err := tx.root.sync(txnDir); err != nil {
			tx.st.say("this update (%s) is done, but the disk has not confirmed it: %v", tx.job.ID, err)
		}
	}
	undoable = tx.st.finish(tx.root, tx.log) && undoable
	for _, line := range tx.notes {
		tx.st.say("%s", line)
	}
	*tx.receipt = Receipt{Paths: tx.pages(), Before: before, After: readFlight(tx.root.Root).epoch}
	if undoable {
		tx.receipt.Job = tx.job.ID
	}
	return &tx.job, nil
}

// syncStaged makes what was staged last before anything points at it.
func (tx *Tx) syncStaged() error {
	var names []string
	for _, c := range tx.changes {
		if c.Temp != "" {
			names = append(names, c.Temp)
		}
	}
	if err := tx.root.syncStaged(names); err != nil {
		return fmt.Errorf("stage: %w", err)
	}
	return nil
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
		if c.changes() {
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
			c.Old = tempOf(tx.job.ID, c.Image)
		}
		said := c.Change
		if c.Renewed {
			said.Image = ""
		}
		tx.job.Changes = append(tx.job.Changes, said)
	}
	return errors.Join(errs...)
}

// place puts one change into the tree and then looks at what it replaced: only
// so can no edit be lost that another program makes between a look and a rename.
func (tx *Tx) place(c *edit) error {
	if c.Before == "" {
		return tx.placeNew(c)
	}
	if err := tx.takeAway(c); err != nil {
		return underHands(c, err)
	}
	have, err := contentAt(tx.root.Root, c.Old)
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
	if err := tx.root.makeFolders(c.Path); err != nil {
		return err
	}
	err := tx.root.moveNew(c.Temp, c.Path)
	if errors.Is(err, fs.ErrExist) {
		c.theirs = true
		return errors.Join(errUnderHands, fmt.Errorf("%w: another program made it meanwhile", ErrExists))
	}
	return err
}

// takeAway puts what stands at Path at Old, and Temp, if there is one, in its
// place. Where the system can swap two names a page is never missing; elsewhere
// it is for a moment, since a rename over it could replace an edit unseen.
func (tx *Tx) takeAway(c *edit) error {
	if c.After != "" {
		err := tx.root.swap(c.Temp, c.Path)
		if err == nil {
			return tx.root.Rename(c.Temp, c.Old)
		}
		if !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	err := tx.root.Rename(c.Path, c.Old)
	if err == nil && c.After != "" {
		err = tx.root.moveNew(c.Temp, c.Path)
	}
	if errors.Is(err, fs.ErrExist) {
		c.theirs = true
		have, _ := contentAt(tx.root.Root, c.Path) // for the message
		err = errors.Join(errUnderHands, &ConflictError{Path: c.Path, Want: c.Before, Have: have})
	}
	return err
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
		if err := tx.root.sync(f); err != nil {
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
