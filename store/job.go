package store

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"brain/page"
)

// The undo store, .brain/undo/<brain>/, remembers for 90 days what each update
// did, so that it can be taken back and so that the ledger knows what to commit:
//
//	<id>.json   the job: when, why, and for each file its hash before and after
//	<id>/0 …    the bytes that were replaced or removed, a file each
//	DIRTY       ids that the ledger has not committed yet, a line each
//
// It can be lost: then what was written stays, and cannot be undone.

const (
	undoDir  = "undo"
	keepJobs = 90 * 24 * time.Hour
	jobTime  = "20060102-150405.000" // begins a job's id, so that ids sort by time
	jobIDLen = len(jobTime) + len("-abcdef")
)

// ErrNoJob is the error for a job that is unknown or was forgotten.
var ErrNoJob = errors.New("no such job")

// Job is one update as undo and the ledger know it.
type Job struct {
	ID     string    `json:"id"`
	At     time.Time `json:"at"`
	Reason string    `json:"reason"`
	// Alone asks the ledger for a commit of its own at once: merges, changes
	// of the schema, purges.
	Alone bool `json:"alone,omitempty"`
	// Undoes is the job that this one took back.
	Undoes string `json:"undoes,omitempty"`
	// Purged says that files of it were purged since: it cannot be undone.
	Purged  bool     `json:"purged,omitempty"`
	Changes []Change `json:"changes"`
}

// Change is what a job did to one file. A file that was made has no Before, one
// that was removed no After.
type Change struct {
	Path   string `json:"path"` // within the brain, with /
	Before Hash   `json:"before,omitempty"`
	After  Hash   `json:"after,omitempty"`
	// Image is the name, in the job's folder, of the file with the bytes
	// before; "" when there were none, or when they could not be kept.
	Image string `json:"image,omitempty"`
	// Why is what one file was removed for, where the job's reason is another
	// (Tx.Because).
	Why string `json:"why,omitempty"`
	// Renewed says that the file changed because others did (Tx.RenewOwn): undo
	// passes over it.
	Renewed bool `json:"renewed,omitempty"`
	// Written is what the file held before it was renewed on top of what the job
	// wrote; "" where it was not.
	Written Hash `json:"written,omitempty"`
}

func newJobID(at time.Time) string {
	return at.UTC().Format(jobTime) + "-" + strings.ToLower(rand.Text()[:6])
}

// isJobID guards the paths that are made of ids.
func isJobID(id string) bool {
	if len(id) != jobIDLen {
		return false
	}
	_, err := time.Parse(jobTime, id[:len(jobTime)])
	return err == nil && id[len(jobTime)] == '-' && strings.IndexFunc(id[len(jobTime)+1:], func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) < 0
}

// undo is the undo store of one brain.
type undo struct {
	root Root
	dir  string
}

func (u undo) record(id string) string      { return filepath.Join(u.dir, id+".json") }
func (u undo) images(id string) string      { return filepath.Join(u.dir, id) }
func (u undo) image(id, name string) string { return filepath.Join(u.dir, id, name) }
func (u undo) dirty() string                { return filepath.Join(u.dir, "DIRTY") }

// make makes the folders, and on the first job of a day forgets old jobs.
func (u undo) make(now time.Time) error {
	err := u.root.MakeState()
	if err == nil {
		err = os.MkdirAll(u.dir, 0o700)
	}
	if err != nil {
		return err
	}
	mark := filepath.Join(u.dir, "PRUNED")
	today := now.UTC().Format(time.DateOnly)
	if raw, err := os.ReadFile(mark); err == nil && string(raw) == today {
		return nil
	}
	return errors.Join(u.prune(now), os.WriteFile(mark, []byte(today), 0o600))
}

// prune forgets the jobs that are too old to be undone.
func (u undo) prune(now time.Time) error {
	oldest := newJobID(now.Add(-keepJobs))[:len(jobTime)]
	ids, err := u.all()
	for _, id := range ids {
		if id < oldest {
			err = errors.Join(err, u.forget(id))
		}
	}
	return err
}

func (u undo) forget(id string) error {
	return errors.Join(ignoreMissing(os.Remove(u.record(id))), os.RemoveAll(u.images(id)))
}

// ids lists the jobs, oldest first.
func (u undo) ids() ([]string, error) {
	return u.list(func(name string) (string, bool) { return strings.CutSuffix(name, ".json") })
}

// all is ids with those jobs of which only the images are there.
func (u undo) all() ([]string, error) {
	ids, err := u.list(func(name string) (string, bool) { return strings.TrimSuffix(name, ".json"), true })
	slices.Sort(ids)
	return slices.Compact(ids), err
}

func (u undo) list(idOf func(name string) (string, bool)) (ids []string, err error) {
	entries, err := os.ReadDir(u.dir)
	for _, e := range entries {
		if id, ok := idOf(e.Name()); ok && isJobID(id) {
			ids = append(ids, id)
		}
	}
	return ids, ignoreMissing(err)
}

func (u undo) write(j *Job) error {
	raw, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return wholeOrNot(u.record(j.ID), append(raw, '\n'), 0o600)
}

// rewrite replaces a record as a whole.
func (u undo) rewrite(j *Job) error {
	raw, err := json.Marshal(j)
	if err != nil {
		return err
	}
	temp := u.record(j.ID) + ".new"
	if err := wholeOrNot(temp, append(raw, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(temp, u.record(j.ID))
}

// wholeOrNot writes a file and leaves none where it fails.
func wholeOrNot(name string, content []byte, mode fs.FileMode) error {
	err := os.WriteFile(name, content, mode)
	if err != nil {
		err = errors.Join(err, ignoreMissing(os.Remove(name)))
	}
	return err
}

func (u undo) read(id string) (*Job, error) {
	if !isJobID(id) {
		return nil, fmt.Errorf("%w: %q", ErrNoJob, id)
	}
	raw, err := os.ReadFile(u.record(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNoJob, id)
	}
	if err != nil {
		return nil, err
	}
	j := new(Job)
	if err := json.Unmarshal(raw, j); err != nil || j.ID != id || slices.ContainsFunc(j.Changes, Change.isOdd) {
		return nil, fmt.Errorf("%w: %s: its record is damaged", ErrNoJob, id)
	}
	return j, nil
}

// isOdd reports what no update writes into a record: one may have come with a
// clone or an archive, and must not name a file elsewhere.
func (c Change) isOdd() bool {
	_, err := page.ParsePath(c.Path)
	isPage := err == nil || isOwn(c.Path)
	isHash := func(h Hash) bool { return h == "" || h.valid() }
	isImage := c.Image == "" || c.Before != "" && strings.Trim(c.Image, "0123456789") == ""
	return !isPage || !isHash(c.Before) || !isHash(c.After) || !isHash(c.Written) || c.Before == c.After || !isImage || c.isOddlyRenewed()
}

func (c Change) isOddlyRenewed() bool { return c.Renewed && (!isOwn(c.Path) || c.After == "") }

// bytes are those that a change replaced or removed.
func (u undo) bytes(id string, c Change) ([]byte, error) {
	if c.Image == "" {
		return nil, fmt.Errorf("%s: the bytes before job %s were not kept", c.Path, id)
	}
	raw, err := os.ReadFile(u.image(id, c.Image))
	if err != nil {
		return nil, fmt.Errorf("%s: the bytes before job %s: %w", c.Path, id, err)
	}
	if HashOf(raw) != c.Before {
		return nil, fmt.Errorf("%s: the bytes before job %s are damaged", c.Path, id)
	}
	return raw, nil
}

// rights are those of the file that a change replaced or removed; 0 when they
// are not known.
func (u undo) rights(id string, c Change) fs.FileMode {
	fi, err := os.Stat(u.image(id, c.Image))
	if err != nil {
		return 0
	}
	return fi.Mode().Perm()
}

// markDirty tells the ledger of a job.
func (u undo) markDirty(id string) error {
	f, err := os.OpenFile(u.dirty(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(id + "\n")
	return errors.Join(err, f.Close())
}

// isDirty reports whether a job waits for the ledger.
func (u undo) isDirty(id string) (bool, error) {
	ids, err := u.dirtyIDs()
	return slices.Contains(ids, id), err
}

// remember writes the record of a job that is about to be done. That it cannot
// be kept does not stop a write, but is said; then the job cannot be undone.
func (st *Store) remember(j *Job) (undoable bool) {
	err := st.steps.before("record", j.ID)
	if err == nil {
		err = st.undo.make(j.At)
	}
	if err == nil {
		err = st.undo.write(j)
	}
	undoable = err == nil
	if err == nil && st.Ledger.Mode != "" {
		err = st.undo.markDirty(j.ID)
	}
	if err != nil {
		st.say("this update (%s) cannot be undone: %v", j.Reason, err)
	}
	return undoable
}

// forget drops the record of a job that was not done after all, unless it holds
// bytes that have no other place.
func (st *Store) forget(id string) {
	err := st.steps.before("forget", id)
	if err == nil {
		if err := os.Remove(st.undo.images(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return // it holds some
		}
		err = ignoreMissing(os.Remove(st.undo.record(id)))
	}
	if err != nil {
		st.say("job %s was not done, but its record stays: %v", id, err)
	}
}

// forgetUndone drops the record of a job whose writer died before anything of it
// came into the tree.
func (st *Store) forgetUndone(root disk, id string) {
	j, err := st.undo.read(id)
	if err != nil {
		return
	}
	for _, c := range j.Changes {
		if now, err := contentAt(root.Root, c.Path); err != nil || now == c.After {
			return
		}
	}
	st.forget(id)
}

// keep moves the bytes that a change replaced into the undo store. Where that
// fails they are given up if they were replaced, as was asked for. Text that left
// the tree has no other place: it stays in .txn, which costs no room on a full disk.
func (st *Store) keep(root disk, j *journal, c *edit) error {
	if isMissing(root, c.Old) {
		return nil // kept already
	}
	if c.Purge || c.Renewed {
		return root.Remove(c.Old)
	}
	err := st.moveOut(root, j.ID, c)
	switch {
	case err == nil:
		return nil
	case j.leavesTree(c):
		aside := asideOf(c.Old)
		if renamed := root.Rename(c.Old, aside); renamed != nil {
			return errors.Join(err, renamed)
		}
		st.say("%s: the undo store takes nothing, so its text is in %s", c.Path, st.full(aside))
		return err
	}
	return errors.Join(err, root.Remove(c.Old))
}

// leavesTree reports whether a change takes the last copy of some bytes out of the tree,
// which a rewrite and a move do not.
func (j *journal) leavesTree(c *edit) bool {
	return c.After == "" && !slices.ContainsFunc(j.Files, func(o *edit) bool { return o.After == c.Before })
}

// moveOut moves the bytes before a change into the undo store, which may lie on
// another disk. An error leaves them where they are.
func (st *Store) moveOut(root disk, id string, c *edit) error {
	err := st.steps.before("keep", c.Old)
	if err == nil {
		err = os.MkdirAll(st.undo.images(id), 0o700)
	}
	if err != nil {
		return err
	}
	to := st.undo.image(id, c.Image)
	if os.Rename(st.full(c.Old), to) == nil {
		return nil
	}
	fi, err := root.Lstat(c.Old)
	if err != nil {
		return err
	}
	raw, err := readRegular(root.Root, c.Old)
	if err == nil {
		err = wholeOrNot(to, raw, fi.Mode().Perm()|0o600)
	}
	if err != nil {
		return err
	}
	return root.Remove(c.Old)
}

// Jobs are the updates that can be undone, newest first, at most n of them
// (0: all).
func (st *Store) Jobs(n int) ([]Job, error) {
	ids, err := st.undo.ids()
	if err != nil {
		return nil, fmt.Errorf("list jobs of brain %s: %w", st.name, err)
	}
	var jobs []Job
	for _, id := range slices.Backward(ids) {
		if n > 0 && len(jobs) == n {
			break
		}
		j, err := st.undo.read(id)
		switch {
		case errors.Is(err, ErrNoJob):
			continue // pruned meanwhile, or damaged: it cannot be undone
		case err != nil:
			return jobs, fmt.Errorf("list jobs of brain %s: %w", st.name, err)
		}
		jobs = append(jobs, *j)
	}
	return jobs, nil
}

// Before gives the bytes that a change, which is one of a job's, replaced or removed.
// Errors: ErrNotFound when there were none, ErrCannotUndo when they were not kept or were
// purged since.
func (st *Store) Before(job string, c Change) ([]byte, error) {
	what := fmt.Sprintf("read %s as it was before job %s", c.Path, job)
	switch {
	case !isJobID(job) || c.isOdd():
		return nil, fmt.Errorf("%s: %w", what, ErrNoJob)
	case c.Before == "":
		return nil, fmt.Errorf("%s: %w", what, ErrNotFound)
	}
	raw, err := st.undo.bytes(job, c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", what, ErrCannotUndo, err)
	}
	return raw, nil
}
