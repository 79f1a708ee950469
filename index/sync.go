package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"brain/page"
)

// autoLimit is how many changed files a question takes in before it answers;
// with more it answers from the generation at hand and says so.
const autoLimit = 64

// Sync brings the index up to date with the tree: look, lock, look again,
// prepare the next generation, publish it. An unchanged tree costs the look
// and nothing else. Files that a model server must embed are found by their
// words first; their vectors follow without a lock held (vectors of the
// built-in embedder are made on the way).
//
// The error tells why nothing was published; the report then says how far it
// came. Parts of the tree that could not be read are in the report, keep
// their pages, and are no error; nor are files of a write that is under way
// (recheck.go).
func (ix *Index) Sync(ctx context.Context, src Source, o SyncOptions) (Report, error) {
	return ix.sync(ctx, src, o, false)
}

func (ix *Index) sync(ctx context.Context, src Source, o SyncOptions, quick bool) (rep Report, err error) {
	s := &pass{ix: ix, src: src, rep: &rep, quick: quick, opt: o}
	if err := s.run(ctx); err != nil {
		return rep, err
	}
	if !quick && ix.o.Embedder != nil && (rep.Pending > 0 || o.Pending && rep.Failed > 0) {
		start := time.Now()
		err = ix.embedPending(ctx, src, o, &rep)
		rep.Took += time.Since(start)
	}
	return rep, err
}

func (ix *Index) remote() bool { return ix.o.Embedder != nil && ix.o.Embedder.Info().Remote }

// pass is one sync.
type pass struct {
	ix     *Index
	src    Source
	opt    SyncOptions
	rep    *Report
	quick  bool     // a question waits: leave what can be left
	only   *Written // of a Touch: these pages alone
	seen   *diff    // of a look at seenOf that was just made, used once
	seenOf *View
	view   *View
	why    string // reason to build everything anew, "" to go on from view
	diff   *diff  // the newest look
	draft  *draft
	done   atomic.Int64
	bytes  atomic.Int64
	total  int // files to read

	batches []*batch
	begun   sync.Once // the draft's folder
	begunOK error

	mu      sync.Mutex
	pending map[page.Path]*item // read and not yet in the draft
	gone    map[page.Path]bool  // to leave the index
	unread  map[page.Path]bool  // listed, and could not be read
	later   map[page.Path]bool  // being saved just now
}

func (s *pass) run(ctx context.Context) (err error) {
	start := time.Now()
	defer func() { s.rep.Took = time.Since(start) }()
	work, err := s.look(ctx)
	if err == nil && work {
		var unlock func() error
		if unlock, err = s.ix.lock(ctx, s.opt, "sync"); err == nil {
			err = errors.Join(s.locked(ctx), s.release(), unlock())
		}
	}
	return errors.Join(err, s.release())
}

func (s *pass) release() error {
	if s.view == nil {
		return nil
	}
	v := s.view
	s.view = nil
	return v.Release()
}

// look opens the current generation and compares it with the tree; work is
// false when there is nothing to do.
func (s *pass) look(ctx context.Context) (work bool, err error) {
	s.why = ""
	v, err := s.ix.View()
	if err != nil {
		if s.why = unusable(err); s.why == "" || s.only != nil {
			return false, err
		}
	}
	s.view = v
	switch {
	case s.view == nil:
	case s.opt.Rebuild:
		s.why = "it was asked for"
	case s.switched():
		s.why = "the embedder is now " + s.ix.o.Embedder.Info().Fingerprint
	}
	if err := s.compare(ctx); err != nil {
		return false, err
	}
	s.rep.Skipped = skipped(s.diff.listing.Skipped, 0)
	if s.view != nil {
		s.rep.Generation, s.rep.Pending, s.rep.Failed = s.view.m.Generation, s.view.m.Pending, s.view.m.Failed
		s.rep.Skipped = skipped(s.diff.listing.Skipped, s.view.m.Binary)
	}
	s.count()
	if s.opt.build {
		return s.why != "", nil
	}
	return s.why != "" || !s.diff.empty() || s.opt.Compact, nil
}

// base is the generation to go on from, nil when everything is made anew.
func (s *pass) base() *View {
	if s.why != "" {
		return nil
	}
	return s.view
}

// switched reports whether the vectors are another embedder's and this sync
// is one that repairs it. A question's is not: it may not wait so long.
func (s *pass) switched() bool {
	if s.quick || s.view == nil || s.ix.o.Embedder == nil {
		return false
	}
	return !s.view.SameSpace(s.ix.o.Embedder.Info().Fingerprint)
}

// locked does the work of a sync that holds the lock: what another process
// has done since the first look is not done again.
func (s *pass) locked(ctx context.Context) error {
	n, err := s.ix.disk.current()
	if errors.Is(err, ErrNoIndex) || errors.Is(err, errDamaged) {
		n, err = s.ix.disk.highest() // a generation's number is never used twice
	}
	if err != nil {
		return err
	}
	if s.view == nil || s.view.m.Generation != n || !s.view.stands(s.ix.disk) {
		*s.rep = Report{}
		if err := s.release(); err != nil {
			return err
		}
		if work, err := s.look(ctx); err != nil || !work {
			return err
		}
	}
	if err := s.ix.disk.sweep(n); err != nil {
		return fmt.Errorf("index folder: %w", err)
	}
	from := s.base()
	s.rep.Rebuilt = s.why
	if s.draft, err = s.ix.draft(from, n+1); err != nil {
		return fmt.Errorf("index folder: %w", err)
	}
	if from == nil {
		s.draft.bequeath(n)
	}
	changed, err := s.fill(ctx)
	s.count()
	if err == nil && !changed {
		return s.abandon() // files that cannot be read, or came out as they were: nothing to publish
	}
	if err == nil {
		err = s.draft.commit(ctx, s.opt.Compact)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("sync: %w", err), s.abandon())
	}
	s.rep.Generation, s.rep.Written = s.draft.gen, s.draft.written
	s.rep.Pending, s.rep.Failed = s.draft.m.Pending, s.draft.m.Failed
	s.rep.Skipped = skipped(s.diff.listing.Skipped, s.draft.m.Binary)
	return s.ix.disk.collect(s.draft.gen)
}

// fill reads what differs, makes sure that it belongs together, and writes it
// into the draft, which it opens when there is anything to write.
func (s *pass) fill(ctx context.Context) (changed bool, err error) {
	s.pending, s.gone = map[page.Path]*item{}, map[page.Path]bool{}
	s.unread, s.later = map[page.Path]bool{}, map[page.Path]bool{}
	s.adopt(s.diff)
	if err := s.read(ctx, s.jobs(s.diff)); err != nil {
		return false, err
	}
	if err := s.recheck(ctx); err != nil {
		return false, err
	}
	s.rep.Bytes = s.bytes.Load()
	if s.idle() {
		return false, nil
	}
	s.draft.m.Epoch = s.epoch()
	return true, s.write(ctx)
}

// proofs is how many rows may wait to be marked as proven until something else is
// published, when a question waits: reading so many pages again costs less than a
// generation.
const proofs = 16

// idle reports whether there is nothing worth a generation.
func (s *pass) idle() bool {
	if s.base() == nil || s.opt.Compact || len(s.gone)+len(s.draft.put) > 0 {
		return false
	}
	if !s.quick || len(s.pending) > proofs {
		return len(s.pending) == 0
	}
	for _, it := range s.pending {
		if !it.proof {
			return false
		}
	}
	return true
}

// count tells in the report how the draft differs from the generation before.
func (s *pass) count() {
	r, v := s.rep, s.base()
	r.Added, r.Changed, r.Refreshed, r.Moved, r.Deleted, r.Unchanged = 0, 0, 0, 0, 0, 0
	r.InFlight = s.waiting()
	r.Unreadable = slices.Concat(s.diff.listing.Unreadable, slices.Sorted(stringsOf(s.unread)))
	if v != nil {
		r.Unchanged = v.Len() - r.InFlight
		for p := range s.unread {
			if _, known := v.Lookup(p); known {
				r.Unchanged--
			}
		}
	}
	if s.draft == nil {
		r.Unchanged -= len(s.diff.changed) + len(s.diff.gone) + len(s.diff.racy)
		r.Unchanged = max(r.Unchanged, 0)
		return
	}
	s.countDraft()
}

func (s *pass) countDraft() {
	r, v := s.rep, s.base()
	vanished := map[[32]byte]int{}
	for p := range s.draft.gone {
		if row, ok := v.Lookup(p); ok {
			t, n := v.at(row)
			vanished[t.hash(n)]++
			r.Deleted++
			r.Unchanged--
		}
	}
	for p, rec := range s.draft.put {
		row, known := uint32(0), false
		if v != nil {
			row, known = v.Lookup(p)
		}
		if known {
			r.Unchanged--
		}
		switch {
		case rec.flags&flagBinary != 0:
		case known && s.as(row, rec):
			r.Refreshed++
		case known:
			r.Changed++
		case vanished[rec.hash] > 0:
			vanished[rec.hash]--
			r.Moved++
			r.Deleted--
		default:
			r.Added++
		}
	}
	r.Unchanged = max(r.Unchanged, 0)
}

// as reports whether a record has the content of a row.
func (s *pass) as(row uint32, r *record) bool {
	t, n := s.view.at(row)
	return sameContent(t.record(n), r)
}

func stringsOf(paths map[page.Path]bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for p := range paths {
			if !yield(string(p)) {
				return
			}
		}
	}
}

// skipped adds the files that only reading them told to be no text to those
// that the walk left out.
func skipped(walk map[string]int, binary int) map[string]int {
	if binary == 0 {
		return walk
	}
	out := map[string]int{"binary": binary}
	maps.Copy(out, walk)
	return out
}

func (s *pass) abandon() error {
	if s.draft == nil {
		return nil
	}
	return s.draft.abandon()
}
