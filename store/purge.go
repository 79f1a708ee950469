package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"brain/page"
)

// Purging a page takes its text out of the undo store and .txn as well, in all
// its versions. Names alone do not tell them: the page was moved, undone, merged
// into others. So its trail is followed backwards through the jobs:
//
//	a file's name and time     versions under the path that it had then
//	a job that moved it        goes on under the path before
//	a hash of its versions     it was gone for a while, and undo brought it back; or it was moved
//	                           by hand: what a job left under another name stands there no more
//	sentences of its versions  found in versions of pages that it was merged with,
//	                           of one of its name that said the same before it, and of those
//	                           that are gone by hand, nobody knows where to
//
// What no record tells of is taken to hold it. All is found before anything is
// removed, and the records go last, so that a purge cut short can be repeated.

// minTelling is the length in bytes from which a sentence that is found in a
// version of another page is taken for one of the purged page.
const minTelling = 20

// trail is what the undo store holds of one page.
type trail struct {
	st    *Store
	root  *os.Root // of the undo store
	tree  *os.Root // of the pages
	jobs  []*Job   // oldest first
	stray []string // jobs of which only images are there, or a damaged record
	dirty []string // ids that the ledger has not committed yet

	then map[step]Hash // what stood under the path of a change when the next job came to it

	names  map[string]bool // that the page had at some time
	others map[string]bool // those that it may have had, and where another page stands now
	hashes map[Hash]bool   // of its versions
	ours   map[step]bool   // changes of it
	linked map[string]bool // names of pages with which it may share text
	tell   []string        // sentences of its versions
	words  map[string]bool // hashes of the words of each, which may be one short sentence
	copies map[step]bool   // changes of others whose image holds some
	aside  []string        // files in .txn that hold some
}

// step is a change of a job by its path.
type step struct{ job, path string }

// purge forgets a page that was at name: all that the undo store and .txn hold
// of it, but for the record of the job that purged it, which the ledger needs.
// raw is its last content, nil when it is not known. It returns the jobs that
// stay and can no longer be undone.
func (st *Store) purge(name, by string, raw []byte) (jobs []string, err error) {
	err = st.trail(name, by, raw, func(t *trail) error {
		t.link()
		t.listen(name, raw)
		if err := t.search(); err != nil {
			return err
		}
		jobs, err = t.remove()
		return err
	})
	return jobs, err
}

// Former are the versions of a page that the undo store holds, oldest first: what
// the page said before may stand in others, into which it was merged. raw is the
// page as it is.
func (st *Store) Former(p page.Path, raw []byte) (all []*page.Page, err error) {
	err = st.trail(string(p), "", raw, func(t *trail) error {
		t.versions(func(name string, raw []byte) { all = append(all, page.Parse(page.Path(name), raw)) })
		return nil
	})
	if err != nil {
		err = fmt.Errorf("look for versions of %s: %w", p, err)
	}
	return all, err
}

// trail runs fn on what the undo store holds of a page.
func (st *Store) trail(name, by string, raw []byte, fn func(*trail) error) error {
	root, err := os.OpenRoot(st.undo.dir)
	if errors.Is(err, fs.ErrNotExist) || isNotDir(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	tree, err := st.current()
	if err != nil {
		return err
	}
	t := &trail{st: st, root: root, tree: tree, then: map[step]Hash{}, names: map[string]bool{name: true}, others: map[string]bool{}, hashes: map[Hash]bool{},
		ours: map[step]bool{}, linked: map[string]bool{}, copies: map[step]bool{}, words: map[string]bool{}}
	if raw != nil {
		t.hashes[HashOf(raw)] = true // jobs of one millisecond are in no order
	}
	if err := t.load(by); err != nil {
		return err
	}
	t.follow(name)
	return fn(t)
}

// load reads the records.
func (t *trail) load(by string) error {
	ids, err := t.st.undo.all()
	if err != nil {
		return err
	}
	if t.dirty, err = t.st.undo.dirtyIDs(); err != nil {
		return err
	}
	for _, id := range ids {
		j, err := t.st.undo.read(id)
		switch {
		case id == by:
			continue
		case errors.Is(err, ErrNoJob):
			t.stray, err = append(t.stray, id), nil
		case err == nil:
			t.take(j, slices.Contains(t.dirty, id))
		}
		if err != nil {
			return err
		}
	}
	next := map[string]Hash{}
	for _, j := range slices.Backward(t.jobs) {
		for _, c := range j.Changes {
			if h, ok := next[c.Path]; ok {
				t.then[step{j.ID, c.Path}] = h
			}
			next[c.Path] = c.Before
		}
	}
	return nil
}

// gone reports a change whose file was taken away by hand.
func (t *trail) gone(j *Job, c Change) bool {
	next, ok := t.then[step{j.ID, c.Path}]
	if !ok {
		_, err := t.tree.Lstat(c.Path)
		return c.After != "" && errors.Is(err, fs.ErrNotExist)
	}
	return c.After != "" && next == ""
}

// left reports a change that left a version of the page where by hand it was taken away, or
// another text was written. A file without text tells of no page.
func (t *trail) left(j *Job, c Change) bool {
	if c.After == HashOf(nil) || !t.hashes[c.After] {
		return false
	}
	next, ok := t.then[step{j.ID, c.Path}]
	if !ok {
		var err error
		if next, err = hashAt(t.tree, c.Path); err != nil {
			return false
		}
	}
	return next != c.After
}

// take takes a job in. One that purged the page tells a hash of it and stays until
// the ledger has it.
func (t *trail) take(j *Job, waits bool) {
	if j.Reason != "purge" || !waits {
		t.jobs = append(t.jobs, j)
		return
	}
	for _, c := range j.Changes {
		if t.names[c.Path] {
			t.hashes[c.Before] = true
		}
	}
}

// follow finds the changes of the page, until a pass finds no more. Where a version of it was left
// under another name by hand, it was moved from there, or a page of the same text was edited: what
// led to that version is the page's, and what came after it only if the file is gone.
func (t *trail) follow(name string) {
	for found := -1; found < len(t.ours); {
		found = len(t.ours)
		at := map[string]bool{name: true}
		for _, j := range slices.Backward(t.jobs) {
			for _, c := range j.Changes {
				known := at[c.Path] || t.names[c.Path] && (t.hashes[c.Before] || t.hashes[c.After])
				if !known && t.left(j, c) {
					t.others[c.Path], known = !t.gone(j, c), true
				}
				if known {
					t.meet(j, c, at)
				}
			}
		}
	}
}

// meet takes in a change of the page. at are the paths of the page after the job,
// and become those before it.
func (t *trail) meet(j *Job, c Change, at map[string]bool) {
	t.ours[step{j.ID, c.Path}] = true
	for _, h := range []Hash{c.Before, c.After} {
		if h != "" {
			t.hashes[h] = true
		}
	}
	at[c.Path] = c.Before != ""
	if !t.others[c.Path] {
		t.names[c.Path] = true
	}
	from := string(movedFrom(*j, c))
	if c.Before != "" || from == c.Path || at[from] {
		return
	}
	for _, gone := range j.Changes {
		if gone.Path == from {
			t.meet(j, gone, at)
		}
	}
}

// link finds the pages with which the page may share text: merges copy it, what
// undid them had it to remove, and moves take it along; one that is gone by hand may have
// been it. Where a record is lost, all pages are.
func (t *trail) link() {
	for name := range t.names {
		t.linked[name] = true
	}
	for _, j := range t.jobs {
		for _, c := range j.Changes {
			if t.gone(j, c) {
				t.linked[c.Path] = true
			}
		}
	}
	for found := -1; found < len(t.linked); {
		found = len(t.linked)
		for _, j := range t.jobs {
			t.join(j)
		}
	}
}

// join links the pages between which a job may have carried text, if it did for
// one that is linked.
func (t *trail) join(j *Job) {
	carries := func(c Change) bool {
		all := len(t.stray) > 0 || j.Reason == "merge" || j.Undoes != ""
		return all || j.Reason == "move" && (c.Before == "" || c.After == "")
	}
	reached := func(c Change) bool { return carries(c) && (len(t.stray) > 0 || t.linked[c.Path]) }
	if !slices.ContainsFunc(j.Changes, reached) {
		return
	}
	for _, c := range j.Changes {
		if carries(c) {
			t.linked[c.Path] = true
		}
	}
}

// listen collects what the versions of the page say.
func (t *trail) listen(name string, raw []byte) {
	t.hear(name, raw)
	t.versions(t.hear)
	slices.Sort(t.tell)
	t.tell = slices.Compact(t.tell)
}

// versions reads those of the page; one that cannot be read tells nothing.
func (t *trail) versions(fn func(name string, raw []byte)) {
	for _, j := range t.jobs {
		for _, c := range j.Changes {
			if !t.ours[step{j.ID, c.Path}] || c.Image == "" {
				continue
			}
			if raw, err := readRegular(t.root, path.Join(j.ID, c.Image)); err == nil {
				fn(c.Path, raw)
			}
		}
	}
}

func (t *trail) hear(name string, raw []byte) {
	said := page.Parse(page.Path(name), raw)
	t.words[page.WordHash(said.Body)] = true
	for _, s := range said.Sentences() {
		if len(s) >= minTelling {
			t.tell = append(t.tell, s)
		}
	}
}

// search looks for the page in versions of others and among what rollbacks kept.
func (t *trail) search() error {
	for _, j := range t.jobs {
		for _, c := range j.Changes {
			at := step{j.ID, c.Path}
			if c.Image == "" || t.ours[at] {
				continue
			}
			image := path.Join(j.ID, c.Image)
			if t.linked[c.Path] && t.holds(t.root, image) {
				t.copies[at] = true
			}
		}
	}
	names, err := folderNames(t.tree, txnDir)
	for _, name := range names {
		if name = path.Join(txnDir, name); isAside(name) && t.holds(t.tree, name) {
			t.aside = append(t.aside, name)
		}
	}
	return ignoreMissing(err)
}

// holds reports whether a file has a version of the page or a sentence of one.
func (t *trail) holds(root *os.Root, name string) bool {
	raw, err := readRegular(root, name)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) // what cannot be read may
	}
	text := string(raw)
	return t.hashes[HashOf(raw)] || slices.ContainsFunc(t.tell, func(s string) bool { return strings.Contains(text, s) }) || t.saysTheSame(raw)
}

// quotesPages reports a file that quotes pages: what contradicts what.
func quotesPages(name string) bool {
	return page.Path(name) == page.ReviewPath || OwnFile(name) == Verdicts || strings.HasPrefix(name, reviewPrefix)
}

// PurgeQuotes is Update for what takes a page out of the files that quote pages, before it is
// purged itself. It cannot be undone. Versions of such files that the undo store holds go, too, if quotes says
// that they quote it, as those do that fn replaces. It returns the jobs that stay and can no
// longer be undone.
func (st *Store) PurgeQuotes(ctx context.Context, reason string, fn func(*Tx) error, quotes func(file string, raw []byte) bool) (jobs []string, err error) {
	var job string
	err = st.Update(ctx, reason, func(tx *Tx) error {
		tx.Alone() // so that the ledger needs its record no more
		job, tx.job.Purged = tx.job.ID, true
		return fn(tx)
	})
	if err != nil {
		return nil, err
	}
	err = st.Update(ctx, reason, func(*Tx) error {
		return st.trail("", "", nil, func(t *trail) error {
			t.stray = nil // they go with the page
			for _, j := range t.jobs {
				for _, c := range j.Changes {
					if c.Image == "" || !quotesPages(c.Path) {
						continue
					}
					raw, err := readRegular(t.root, path.Join(j.ID, c.Image))
					if err == nil && quotes(c.Path, raw) || err != nil && !errors.Is(err, fs.ErrNotExist) { // what cannot be read may
						t.copies[step{j.ID, c.Path}] = true
					}
				}
			}
			jobs, err = t.remove()
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("from the undo store: %w", err)
	}
	st.forgetPurge(job)
	return slices.DeleteFunc(jobs, func(id string) bool { return id == job }), nil
}

// saysTheSame reports whether a file says in all what a version of the page does. A fact
// that was said again, or brought back, has the name that it had before.
func (t *trail) saysTheSame(raw []byte) bool {
	h := page.WordHash(page.Parse("", raw).Body)
	return h != "" && t.words[h]
}

// remove removes what was found: copies first, the records by which they are
// found last, those by which the way leads to others last of all.
func (t *trail) remove() (jobs []string, err error) {
	for _, name := range t.aside {
		err = errors.Join(err, ignoreMissing(t.tree.Remove(name)))
	}
	err = errors.Join(err, t.images(t.copies))
	for _, id := range t.stray {
		err = errors.Join(err, t.st.undo.forget(id))
	}
	err = errors.Join(err, t.images(t.ours))
	if err != nil {
		return nil, err
	}
	for _, j := range t.jobs {
		kept, err := t.redact(j)
		if err != nil {
			return jobs, err
		}
		if kept {
			jobs = append(jobs, j.ID)
		}
	}
	return jobs, nil
}

func (t *trail) images(of map[step]bool) error {
	var errs []error
	for _, j := range t.jobs {
		for _, c := range j.Changes {
			if c.Image != "" && of[step{j.ID, c.Path}] {
				errs = append(errs, t.drop(path.Join(j.ID, c.Image)))
			}
		}
	}
	return errors.Join(errs...)
}

// drop removes a file of the undo store.
func (t *trail) drop(name string) error {
	err := t.st.steps.before("drop", name)
	if err == nil {
		err = ignoreMissing(t.root.Remove(name))
	}
	return err
}

// redact takes the page out of a job's record, and says of the others which bytes
// are gone. kept reports that the job is still there and lost some; where renewals
// alone are left, only the ledger still asks for it.
func (t *trail) redact(j *Job) (kept bool, err error) {
	changes := slices.DeleteFunc(slices.Clone(j.Changes), func(c Change) bool { return t.ours[step{j.ID, c.Path}] })
	lost := len(changes) < len(j.Changes)
	for i, c := range changes {
		if t.copies[step{j.ID, c.Path}] {
			changes[i].Image, lost = "", true
		}
	}
	if !lost {
		return false, nil
	}
	if err := t.st.steps.before("redact", j.ID); err != nil {
		return false, err
	}
	left := slices.ContainsFunc(changes, func(c Change) bool { return !c.Renewed })
	if !left && (len(changes) == 0 || !slices.Contains(t.dirty, j.ID)) {
		return false, t.st.undo.forget(j.ID)
	}
	j.Changes, j.Purged = changes, true
	return left, t.st.undo.rewrite(j)
}

// purgeVersions forgets all versions of a file that a transaction purges. Its last
// bytes are still in .txn.
func (st *Store) purgeVersions(root disk, j *journal, c *edit) {
	if isOwn(c.Path) && !isSidecar(path.Base(c.Path)) {
		return // it is only added to: what was in it still is
	}
	raw, err := readRegular(root.Root, c.Old)
	if err = ignoreMissing(err); err == nil {
		err = st.steps.before("purge", c.Path)
	}
	var jobs []string
	if err == nil {
		jobs, err = st.purge(c.Path, j.ID, raw)
	}
	j.purged.jobs = append(j.purged.jobs, jobs...)
	if err != nil {
		j.purged.err = errors.Join(j.purged.err, err)
		st.say("%s is purged, but not from the undo store: %v", c.Path, err)
	}
}
