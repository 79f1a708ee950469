package store

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"brain/page"
)

// A write that touches several files cannot appear in one instant: it moves one
// file after the other. So it says what it is doing, for readers that want all
// of it or nothing:
//
//	.txn/JOURNAL  from before the first move until after the last: its id and files
//	.txn/LAST     the id of the last such write that ended, whichever way
//
// Both appear by rename. A reader that reads JOURNAL and then LAST, looks at the
// tree, and reads both again, has seen no half of a write if they are as they
// were; but for the files of a journal that was there both times, whose writer is
// slow or dead.
//
// A journal that cannot be understood puts every path in flight, since nobody
// knows what it was about: what is known of the tree stays until a writer or
// `brain doctor` has dealt with it.

// flight is what JOURNAL and LAST say.
type flight struct {
	epoch string
	paths []page.Path // sorted; "" is every path
}

// Epoch names the state of the writes of several files: as long as it stays the
// same none of them has begun or ended. inFlight are the paths, sorted, of the
// one under way; "" is every path.
func (st *Store) Epoch(ctx context.Context) (epoch string, inFlight []page.Path, err error) {
	if err := errContext(ctx, "read the state of brain "+st.name); err != nil {
		return "", nil, err
	}
	root, err := st.current()
	if err != nil {
		return "", nil, err
	}
	f := readFlight(root)
	return f.epoch, f.paths, nil
}

// readFlight reads JOURNAL first: a write that ends between the two readings has
// changed LAST by then, so that it cannot go unseen.
func readFlight(root *os.Root) flight {
	journal, jerr := readRegular(root, journalName)
	last, lerr := readRegular(root, lastName)
	f := flight{epoch: string(last)}
	switch {
	case errors.Is(jerr, fs.ErrNotExist) && ignoreMissing(lerr) == nil:
		return f
	case errors.Is(jerr, fs.ErrNotExist):
		f.epoch = "? " + lerr.Error()
		f.paths = everything()
		return f
	}
	id, paths, err := parseFlight(journal)
	if err = errors.Join(jerr, err); err != nil {
		id, paths = fmt.Sprintf("? %x %v", sha256.Sum256(journal), err), everything()
	}
	f.epoch += "\n" + id
	f.paths = paths
	return f
}

func everything() []page.Path { return []page.Path{""} }

// parseFlight takes id and pages from a journal. Files that are no pages are left
// out: nobody has an older state of them.
func parseFlight(raw []byte) (id string, paths []page.Path, err error) {
	var j struct {
		ID    string
		Files []struct{ Path string }
	}
	if err := json.Unmarshal(raw, &j); err != nil {
		return "", nil, err
	}
	if j.ID == "" || len(j.Files) == 0 {
		return "", nil, errors.New("it names no files")
	}
	for _, f := range j.Files {
		if p, err := page.ParsePath(f.Path); err == nil {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return j.ID, slices.Compact(paths), nil
}

// between notes in a listing the writes of several files that were under way
// while look ran. The epoch is that of before: what began or ended during the look
// is a difference to whoever asks again.
func (st *Store) between(l *page.Listing, look func() error) error {
	root, err := st.current()
	if err != nil {
		return err
	}
	before := readFlight(root)
	err = look()
	after := readFlight(root)
	l.Epoch = before.epoch
	l.InFlight = append(before.paths, after.paths...)
	slices.Sort(l.InFlight)
	l.InFlight = slices.Compact(l.InFlight)
	return err
}

// ListOf is List for a few paths: those of them that are pages now, by the same
// rules, found without a walk. What is not there, or no page, is left out.
func (st *Store) ListOf(ctx context.Context, paths []page.Path) (page.Listing, error) {
	w := walk{ctx: ctx, out: page.Listing{Skipped: map[string]int{}}}
	err := st.between(&w.out, func() error { return w.these(st, paths) })
	if ctx.Err() != nil {
		return w.out, errContext(ctx, "list pages of brain "+st.name)
	}
	if err != nil {
		w.out.Files, w.out.Unreadable = nil, []string{""}
	}
	return w.out, err
}

func (w *walk) these(st *Store, paths []page.Path) error {
	root, err := st.current()
	if err != nil {
		return err
	}
	top, err := openTop(root)
	if err != nil {
		return st.unreadable(err)
	}
	defer top.close()
	paths = slices.Clone(paths)
	slices.Sort(paths)
	for _, p := range slices.Compact(paths) {
		if w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		w.this(root, top, p)
	}
	return w.mounted(st, root)
}

// this looks at one path as the walk would that came to it.
func (w *walk) this(root *os.Root, top folder, p page.Path) {
	err := checkParents(root, p)
	switch {
	case errors.Is(err, ErrNotFound) || errors.Is(err, ErrNotPage) || errors.Is(err, page.ErrPath):
		return
	case err != nil:
		w.unreadable(string(p))
		return
	}
	reason, err := hidden(root, p)
	switch e := (entry{path: string(p), kind: file}); {
	case err != nil:
		w.unreadable(string(p))
	case reason != "":
		w.skip(e, reason)
	default:
		w.file(top, "", e)
	}
}
