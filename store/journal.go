package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
)

// The journal of a write in flight, .txn/JOURNAL, names every file of it with
// the hashes before and after. Both its states are on disk, synced, before the
// first file moves, so that committing is a rename and needs no room:
//
//	JOURNAL       prepared: all of it is to be taken back
//	JOURNAL.next  committed: all of it stands; renamed over JOURNAL
//	LAST.next     the transaction's id; renamed to LAST when it is over
//
// LAST lets a reader see that several files changed together while it read.

const (
	journalName = txnDir + "/JOURNAL"
	journalTemp = txnDir + "/JOURNAL.new"
	journalNext = txnDir + "/JOURNAL.next"
	lastName    = txnDir + "/LAST"
	lastNext    = txnDir + "/LAST.next"

	statePrepared  = "prepared"
	stateCommitted = "committed"
)

type journal struct {
	Job
	State string   `json:"state"`
	Made  []string `json:"made,omitempty"` // folders that were not there, parents first
	Files []*edit  `json:"files"`
}

func newJournal(tx *Tx) *journal {
	j := &journal{Job: tx.job, State: statePrepared, Files: tx.changes}
	j.Job.Changes = nil // Files say it
	for _, c := range tx.changes {
		if c.Before != "" {
			continue
		}
		for _, f := range parents(path.Dir(c.Path)) {
			if _, err := tx.root.Lstat(f); errors.Is(err, fs.ErrNotExist) && !slices.Contains(j.Made, f) {
				j.Made = append(j.Made, f)
			}
		}
	}
	return j
}

// needed reports whether the transaction is more than one rename.
func (j *journal) needed() bool { return len(j.Files) > 1 || j.Files[0].Before != "" }

// prepare writes all that the journal will ever need.
func (j *journal) prepare(root *os.Root) error {
	for _, f := range []struct{ name, state string }{{journalTemp, statePrepared}, {journalNext, stateCommitted}} {
		j.State = f.state
		raw, err := json.Marshal(j)
		if err == nil {
			err = rewriteSynced(root, f.name, raw)
		}
		if err != nil {
			return err
		}
	}
	j.State = statePrepared
	if err := rewriteSynced(root, lastNext, []byte(j.ID+"\n")); err != nil {
		return err
	}
	if err := root.Rename(journalTemp, journalName); err != nil {
		return err
	}
	return syncFolder(root, txnDir)
}

func rewriteSynced(root *os.Root, name string, content []byte) error {
	if err := ignoreMissing(root.Remove(name)); err != nil {
		return err
	}
	return writeSynced(root, name, content)
}

func (j *journal) commit(root *os.Root) error {
	if err := root.Rename(journalNext, journalName); err != nil {
		return err
	}
	j.State = stateCommitted
	return syncFolder(root, txnDir)
}

// end tells readers that the transaction is over.
func (j *journal) end(root *os.Root) error {
	return errors.Join(
		ignoreMissing(root.Rename(lastNext, lastName)),
		ignoreMissing(root.Remove(journalTemp)),
		ignoreMissing(root.Remove(journalNext)),
		ignoreMissing(root.Remove(journalName)))
}

// readJournal gives the journal of a write in flight, or nil.
func readJournal(root *os.Root) (*journal, error) {
	raw, err := readRegular(root, journalName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	j := new(journal)
	if err := json.Unmarshal(raw, j); err != nil || !isJobID(j.ID) {
		return nil, fmt.Errorf("%s is damaged: compare the files beside it with the pages, then remove it", journalName)
	}
	return j, nil
}

// Recover finishes or takes back what a writer that died left behind. A writer
// that lives is left alone.
func (st *Store) Recover() error {
	root, err := st.current()
	if err != nil {
		return err
	}
	if _, err := root.Lstat(journalName); err != nil {
		return ignoreMissing(err)
	}
	unlock, ok, err := st.tryLock(root, "recover")
	if err != nil || !ok {
		return err
	}
	return errors.Join(st.mend(root), unlock())
}

// mend clears up after writers that died. The lock is held, so no living writer
// owns any of what is there.
func (st *Store) mend(root *os.Root) error {
	j, err := readJournal(root)
	switch {
	case err != nil:
		return err
	case j == nil:
	case j.State == stateCommitted:
		st.finish(root, j)
		st.say("a write that was cut short (%s) had been committed and was finished", j.Reason)
	default:
		if err := st.rollBack(root, j); err != nil {
			return err
		}
		st.say("a write that was cut short (%s, %d files) was taken back", j.Reason, len(j.Files))
	}
	swept, err := sweep(root)
	if len(swept) > 0 {
		st.say("%d temporary files of a writer that ended early were removed", len(swept))
	}
	return err
}

// finish ends a transaction that is committed: nothing in it touches a page, and
// doing it twice does no harm. What fails costs the undo of this update, and is
// said.
func (st *Store) finish(root *os.Root, j *journal) {
	var errs []error
	for _, c := range j.Files {
		if c.Old != "" {
			errs = append(errs, st.keep(root, j.ID, c))
		}
	}
	if j.needed() {
		errs = append(errs, j.end(root))
	}
	if err := errors.Join(errs...); err != nil {
		st.say("this update (%s) cannot be undone: %v", j.ID, err)
	}
}

// rollBack takes a transaction back that was not committed.
func (st *Store) rollBack(root *os.Root, j *journal) error {
	var errs []error
	anyKept := false
	for _, c := range slices.Backward(j.Files) {
		kept, err := takeBack(root, c)
		if kept {
			anyKept = true
			err = errors.Join(err, st.keep(root, j.ID, c))
			st.say("%s was edited during a write that failed: the edit stands, and the bytes before it are %s of job %s", c.Path, c.Image, j.ID)
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
	if !anyKept {
		st.forget(j.ID)
	}
	if !j.needed() {
		return nil
	}
	// The end of a journal that was not committed has to last: found again after
	// a power cut, it would take back what a later write did.
	return errors.Join(j.end(root), syncFolder(root, txnDir))
}

// takeBack undoes one change as far as it came. kept reports bytes that may not
// go back, because another program has written at their place since.
func takeBack(root *os.Root, c *edit) (kept bool, err error) {
	now, err := hashAt(root, c.Path)
	if err != nil {
		return false, err
	}
	_, noTemp := root.Lstat(c.Temp)
	if c.Before == "" {
		if c.Temp != "" && noTemp == nil {
			return false, root.Remove(c.Temp) // never placed
		}
		if now == c.After {
			return false, root.Remove(c.Path)
		}
		return false, nil
	}
	old, err := oldBytes(root, c)
	if err != nil {
		return false, err
	}
	switch {
	case old == "": // not touched yet
	case now == "" || now == c.After:
		err = root.Rename(old, c.Path)
	case sameAt(root, old, now):
		err = root.Remove(old) // saved already, not yet replaced
	default:
		kept = true
		if old != c.Old {
			err = root.Rename(old, c.Old)
		}
	}
	if c.Temp != "" {
		err = errors.Join(err, ignoreMissing(root.Remove(c.Temp)))
	}
	return kept, err
}

// oldBytes finds where the bytes before a change are: at Old, or still at Temp
// if the writer died right after swapping.
func oldBytes(root *os.Root, c *edit) (string, error) {
	if _, err := root.Lstat(c.Old); err == nil {
		return c.Old, nil
	}
	if c.Temp == "" {
		return "", nil
	}
	h, err := hashAt(root, c.Temp)
	if err != nil || h == "" || h == c.After {
		return "", err
	}
	return c.Temp, nil
}

func sameAt(root *os.Root, name string, h Hash) bool {
	have, err := hashAt(root, name)
	return err == nil && have == h
}
