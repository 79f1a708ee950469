package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
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

	purged purged // what finish found
}

// purged is what became of the versions of pages that a transaction purged.
type purged struct {
	jobs []string // that can no longer be undone
	err  error    // why some versions may still be there
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
func (j *journal) prepare(root disk) error {
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
	return root.sync(txnDir)
}

func rewriteSynced(root disk, name string, content []byte) error {
	if err := ignoreMissing(root.Remove(name)); err != nil {
		return err
	}
	return root.write(name, content, 0)
}

func (j *journal) commit(root disk) error {
	err := root.Rename(journalNext, journalName)
	if err == nil {
		j.State = stateCommitted
	}
	return err
}

// end tells readers that the transaction is over.
func (j *journal) end(root disk) error {
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
	if err != nil && !errors.Is(err, ErrNotPage) && !errors.Is(err, ErrTooLarge) {
		return nil, fmt.Errorf("read %s: %w", journalName, err)
	}
	j := new(journal)
	if err == nil {
		err = json.Unmarshal(raw, j)
	}
	if err == nil {
		err = j.check(root)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is %w: %w; compare the files beside it with the pages, then remove it", journalName, ErrDamaged, err)
	}
	return j, nil
}

// check holds every name against the form that this program writes. A journal
// may have come with a clone or an archive: it must not make us touch a file
// that no update could.
func (j *journal) check(root *os.Root) error {
	switch {
	case !isJobID(j.ID):
		return errors.New("it names no job")
	case j.State != statePrepared && j.State != stateCommitted:
		return fmt.Errorf("its state is %q", j.State)
	case len(j.Files) == 0:
		return errors.New("it names no file")
	}
	seen := map[string]bool{}
	for _, c := range j.Files {
		if c == nil {
			return errors.New("it names a file that is none")
		}
		if err := c.check(root, j.ID); err != nil {
			return err
		}
		for _, name := range []string{c.Path, c.Temp, c.Old} {
			if name != "" && seen[name] {
				return fmt.Errorf("it names %s twice", name)
			}
			seen[name] = true
		}
	}
	for _, made := range j.Made {
		if !slices.ContainsFunc(j.Files, func(c *edit) bool { return strings.HasPrefix(c.Path, made+"/") }) {
			return fmt.Errorf("it made %q for no file", made)
		}
	}
	return nil
}

func (c *edit) check(root *os.Root, job string) error {
	if err := mayRestore(root, c.Path); err != nil {
		return err
	}
	own := func(name string, h Hash) bool {
		end, ok := strings.CutPrefix(name, tempOf(job, ""))
		return h == "" && name == "" || ok && h.valid() && end != "" && !strings.ContainsAny(end, `/\`)
	}
	switch {
	case c.Before == c.After, !own(c.Temp, c.After), !own(c.Old, c.Before), c.isOddlyRenewed():
		return fmt.Errorf("what it says of %s is not what a write says", c.Path)
	case c.Image != "" && (c.Old == "" || tempOf(job, c.Image) != c.Old):
		return fmt.Errorf("the image of %s is %q", c.Path, c.Image)
	}
	return nil
}

// Recover finishes or takes back what a writer that died left behind. A writer
// that lives is left alone, and so is a brain that may not be written
// (ErrReadOnly).
func (st *Store) Recover() error {
	root, err := st.current()
	if err != nil {
		return err
	}
	names, err := folderNames(root, txnDir)
	if err != nil || !slices.ContainsFunc(names, func(n string) bool { return isLeft(n) || n == path.Base(holderName) }) {
		return ignoreMissing(err)
	}
	if _, err := st.writable(); err != nil {
		return fmt.Errorf("recover brain %s: %w", st.name, err)
	}
	unlock, ok, err := st.tryLock(root, "recover")
	if err != nil || !ok {
		return err
	}
	return errors.Join(st.mend(st.disk(root)), unlock())
}

// mend clears up after writers that died. The lock is held, so no living writer
// owns any of what is there.
func (st *Store) mend(root disk) error {
	j, err := readJournal(root.Root)
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
	left, err := leftIn(root)
	if err != nil || len(left) == 0 {
		return err
	}
	for _, id := range jobsOf(left) {
		st.forgetUndone(root, id)
	}
	if err := sweep(root, left); err != nil {
		return err
	}
	st.say("%d temporary files of a writer that ended early were removed", len(left))
	return nil
}

// finish ends a transaction that is committed: nothing in it touches a page, and
// doing it twice does no harm. What fails costs the undo of this update, and is
// said.
func (st *Store) finish(root disk, j *journal) (undoable bool) {
	var errs []error
	for _, c := range j.Files {
		if c.Purge {
			// While the journal stands: cut short here, the next writer does it.
			st.purgeVersions(root, j, c)
		}
		if c.Old != "" {
			errs = append(errs, st.keep(root, j, c))
		}
	}
	err := errors.Join(errs...)
	if err != nil {
		st.say("this update (%s) cannot be undone: %v", j.ID, err)
	}
	if j.needed() {
		if err := j.end(root); err != nil {
			st.say("this update (%s) is done, and the next write will clear up after it: %v", j.ID, err)
		}
	}
	return err == nil
}
