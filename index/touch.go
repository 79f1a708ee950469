package index

import (
	"context"
	"slices"

	"brain/page"
)

// Written is what a caller knows of the pages that it has just written.
type Written struct {
	Paths []page.Path // all that the write touched: new, changed and gone
	// The source's epoch just before the write, and just after it, both while
	// nobody else could write; the same when the write moved a single file.
	Before, After string
}

// unsettled is no source's epoch: a generation of it lacks a part of a write.
const unsettled = "\n"

// Touch takes in what the caller has just written and looks at nothing else of
// the tree, so that it costs the same in a large one. When another write of
// several files has come since the generation at hand, the pages may be of it,
// and the whole tree is looked at; everything else is as with Sync.
//
// It builds nothing and waits for nobody: without an index that can be used, and
// with ErrBusy while another process is indexing, the pages are left to the next
// look, which finds them in any case.
func (ix *Index) Touch(ctx context.Context, src Partial, w Written) (rep Report, err error) {
	w.Paths = slices.Clone(w.Paths)
	slices.Sort(w.Paths)
	w.Paths = slices.Compact(w.Paths)
	s := &pass{ix: ix, src: src, rep: &rep, quick: true, only: &w, opt: SyncOptions{NoWait: true}}
	err = s.run(ctx)
	return rep, err
}

// follows reports whether the write of a Touch is the only one that the
// generation at hand may lack.
func (s *pass) follows(l page.Listing) bool {
	return s.view.m.Epoch == s.only.Before && l.Epoch == s.only.After && len(l.InFlight) == 0
}
