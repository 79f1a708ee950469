package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"brain/llm"
	"brain/page"

	"golang.org/x/sync/errgroup"
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
// their pages, and are no error.
func (ix *Index) Sync(ctx context.Context, src Source, o SyncOptions) (Report, error) {
	return ix.sync(ctx, src, o, false)
}

func (ix *Index) sync(ctx context.Context, src Source, o SyncOptions, quick bool) (rep Report, err error) {
	start := time.Now()
	defer func() { rep.Took = time.Since(start) }()
	s := &pass{ix: ix, src: src, rep: &rep, quick: quick, opt: o}
	work, err := s.look(ctx)
	if err == nil && work {
		var unlock func() error
		if unlock, err = ix.lock(ctx, o, "sync"); err == nil {
			err = errors.Join(s.locked(ctx), s.release(), unlock())
		}
	}
	err = errors.Join(err, s.release())
	if err == nil && !quick && ix.o.Embedder != nil && (rep.Pending > 0 || o.Pending && rep.Failed > 0) {
		err = ix.embedPending(ctx, src, o, &rep)
	}
	return rep, err
}

func (ix *Index) remote() bool { return ix.o.Embedder != nil && ix.o.Embedder.Info().Remote }

// pass is one sync.
type pass struct {
	ix    *Index
	src   Source
	opt   SyncOptions
	rep   *Report
	quick bool // a question waits: leave what can be left
	view  *View
	why   string // reason to build everything anew, "" to go on from view
	diff  *diff
	draft *draft
	moved map[[32]byte]int // content hashes of pages that vanished
	mu    sync.Mutex
	done  atomic.Int64
	bytes atomic.Int64
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
		if s.why = unusable(err); s.why == "" {
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
	base := s.view
	if s.why != "" {
		base = nil
	}
	if s.diff, err = look(ctx, s.src, base); err != nil {
		return false, err
	}
	s.rep.Skipped, s.rep.Unreadable = skipped(s.diff.listing.Skipped, 0), s.diff.listing.Unreadable
	if s.view != nil {
		s.rep.Generation, s.rep.Pending, s.rep.Failed = s.view.m.Generation, s.view.m.Pending, s.view.m.Failed
		s.rep.Skipped = skipped(s.diff.listing.Skipped, s.view.m.Binary)
		if s.why == "" {
			s.rep.Unchanged = s.view.Len() - len(s.diff.changed) - len(s.diff.gone) - len(s.diff.racy)
		}
	}
	if s.opt.build {
		return s.why != "", nil
	}
	return s.why != "" || !s.diff.empty() || s.opt.Compact, nil
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
	from := s.view
	if s.why != "" {
		from = nil
		s.rep.Rebuilt = s.why
	}
	if s.draft, err = s.ix.begin(from, n+1); err != nil {
		return errors.Join(fmt.Errorf("index folder: %w", err), s.abandon())
	}
	if from == nil {
		s.draft.bequeath(n)
	}
	changed, err := s.fill(ctx)
	if err == nil && !changed && from != nil && !s.opt.Compact {
		return s.abandon() // files that cannot be read, again: nothing to publish
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

// job is a file to take in, with the row it had.
type job struct {
	file page.File
	old  *record
}

// fill takes the changed files into the draft, in as many goroutines as pay.
func (s *pass) fill(ctx context.Context) (changed bool, err error) {
	jobs := s.jobs()
	s.noteGone()
	workers := buildWorkers()
	if len(jobs) < 16 {
		workers = 1
	}
	var next atomic.Int64
	g, gctx := errgroup.WithContext(ctx)
	last := make([]*batch, workers)
	for w := range workers {
		b := newBatch(s)
		last[w] = b
		g.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(jobs) {
					return nil
				}
				if err := gctx.Err(); err != nil {
					return err
				}
				if err := b.take(gctx, jobs[i]); err != nil {
					return err
				}
				s.progress("index", int(s.done.Add(1)), len(jobs))
			}
		})
	}
	if err := g.Wait(); err != nil {
		return false, err
	}
	s.rep.Bytes = s.bytes.Load()
	final := last[0]
	for _, b := range last[1:] {
		if err := b.flush(ctx); err != nil {
			return false, err
		}
	}
	final.gen = s.draft.gen
	for p := range s.draft.gone {
		final.gone = append(final.gone, string(p))
	}
	if err := final.flush(ctx); err != nil {
		return false, err
	}
	return len(s.draft.put)+len(s.draft.gone) > 0, nil
}

func (s *pass) progress(stage string, done, total int) {
	if f := s.ix.o.Progress; f != nil {
		f(Progress{Stage: stage, Done: done, Total: total, Bytes: s.bytes.Load()})
	}
}

func (s *pass) jobs() []job {
	d := s.diff
	jobs := make([]job, 0, len(d.added)+len(d.changed)+len(d.racy))
	for _, i := range d.added {
		jobs = append(jobs, job{file: d.files[i]})
	}
	for _, list := range [][]int{d.changed, d.racy} {
		for _, i := range list {
			j := job{file: d.files[i]}
			if row, ok := s.view.Lookup(j.file.Path); ok {
				t, n := s.view.at(row)
				j.old = t.record(n)
			}
			jobs = append(jobs, j)
		}
	}
	return jobs
}

func (s *pass) noteGone() {
	s.moved = map[[32]byte]int{}
	for _, row := range s.diff.gone {
		t, n := s.view.at(row)
		s.draft.remove(page.Path(t.path(n)))
		s.moved[t.hash(n)]++
		s.rep.Deleted++
	}
}

// Batches bound the memory of a first build: a worker hands its pages to
// bleve when it has read this much. (Variables, so that tests can show that no
// ranking depends on them.)
var (
	batchBytes = int64(12 << 20)
	batchDocs  = 4000
)

// batch is what one worker has taken in and not yet written.
type batch struct {
	s      *pass
	count  *counter
	docs   []*lexDoc
	gone   []string
	gen    uint64
	texts  int64
	recs   []*record
	embed  []string // texts of the chunks below, in order
	keys   []vecKey
	places []place
}

// place is where a vector's number goes.
type place struct {
	rec   *record
	chunk int
}

func newBatch(s *pass) *batch { return &batch{s: s, count: newCounter()} }

// take reads one file and adds what has to change.
func (b *batch) take(ctx context.Context, j job) error {
	read := time.Now()
	raw, err := b.s.src.Read(ctx, j.file.Path)
	if err != nil {
		return b.unread(ctx, j, err)
	}
	b.s.bytes.Add(int64(len(raw)))
	if noText(j.file.Path, raw) {
		b.binary(j)
		return nil
	}
	p := b.s.ix.o.Pack.Parse(j.file.Path, raw)
	r := newRecord(j.file, p, b.s.draft.said)
	if !proven(&j.file, read) {
		r.flags |= flagUnproven
	}
	if j.old != nil && sameContent(j.old, r) {
		b.refresh(j, r)
		return nil
	}
	b.tell(j, r)
	if r.flags&flagRanked == 0 {
		if j.old != nil && j.old.flags&flagRanked != 0 {
			b.gone = append(b.gone, string(j.file.Path))
		}
		b.recs = append(b.recs, r)
		return nil
	}
	freqs, words := b.count.page(p)
	r.words = uint32(words)
	b.docs = append(b.docs, &lexDoc{id: string(p.Path), field: lexField{
		name: fieldName(scopeOf(p)), length: words, options: indexOnly, freqs: freqs}})
	b.chunks(p, r)
	b.recs = append(b.recs, r)
	if b.texts += int64(len(raw)); b.texts >= batchBytes || len(b.docs) >= batchDocs {
		return b.flush(ctx)
	}
	return nil
}

// noText reports whether a file is no text. A NUL in a session's file, which a
// power cut may leave, spoils its line and no other.
func noText(p page.Path, raw []byte) bool {
	return !p.IsSession() && bytes.IndexByte(raw, 0) >= 0
}

// sameContent reports whether the words and chunks of a file are those of the
// row it had. Whose session it is, and where a turn ends, the hash of what a
// reader sees does not tell; what the row keeps of the turns does.
func sameContent(old, r *record) bool {
	return old.hash == r.hash && old.flags&flagBinary == 0 &&
		(r.flags&flagSession == 0 || bytes.Equal(old.meta, r.meta))
}

// unread deals with a file that the walk saw and that cannot be read now.
func (b *batch) unread(ctx context.Context, j job, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // gone since the walk; the next look confirms it
	}
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	b.s.rep.Unreadable = append(b.s.rep.Unreadable, string(j.file.Path))
	return nil
}

// binary keeps a row for a file that is no text, so that it is not read at
// every look.
func (b *batch) binary(j job) {
	b.recs = append(b.recs, &record{file: j.file, flags: flagBinary, meta: appendMeta(nil, pageMeta{})})
	if j.old != nil && j.old.flags&flagRanked != 0 {
		b.gone = append(b.gone, string(j.file.Path))
	}
}

// refresh takes a file whose content counts as before: words and vectors
// stay, links and lines are read again. A row that comes out as it was (its
// file is still too fresh to be proven) is no change.
func (b *batch) refresh(j job, r *record) {
	r.words, r.chunks = j.old.words, j.old.chunks
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	if reflect.DeepEqual(r, j.old) {
		b.s.rep.Unchanged++
		return
	}
	b.recs = append(b.recs, r)
	b.s.rep.Refreshed++
}

// tell counts a page in the report.
func (b *batch) tell(j job, r *record) {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	switch {
	case j.old != nil:
		b.s.rep.Changed++
	case b.s.moved[r.hash] > 0:
		b.s.moved[r.hash]--
		b.s.rep.Moved++
		b.s.rep.Deleted--
	default:
		b.s.rep.Added++
	}
}

// chunks notes what has to be embedded; the numbers come with flush.
func (b *batch) chunks(p *page.Page, r *record) {
	chunks := p.Chunks()
	r.chunks = make([]uint32, len(chunks))
	for i, c := range chunks {
		r.chunks[i] = vecPending
		if b.s.ix.o.Embedder == nil || b.s.draft.foreign {
			continue
		}
		sum := c.Key()
		b.keys = append(b.keys, vecKey(sum[:keySize]))
		b.embed = append(b.embed, c.Embed)
		b.places = append(b.places, place{r, i})
	}
}

// flush writes the batch: vectors, rows, words.
func (b *batch) flush(ctx context.Context) error {
	if err := b.vectors(ctx); err != nil {
		return err
	}
	for _, r := range b.recs {
		b.s.draft.add(r)
	}
	if len(b.docs)+len(b.gone) > 0 || b.gen != 0 {
		if err := b.s.draft.lex.apply(b.docs, b.gone, b.gen); err != nil {
			return fmt.Errorf("words: %w", err)
		}
	}
	b.docs, b.gone, b.recs, b.texts = nil, nil, nil, 0
	b.embed, b.keys, b.places = nil, nil, nil
	return nil
}

// vectors gives each chunk of the batch its vector's number: a known one, or
// one made now when the embedder is at hand. A model server's vectors come
// later.
func (b *batch) vectors(ctx context.Context) error {
	if len(b.keys) == 0 {
		return nil
	}
	ids := make(map[vecKey]uint32, len(b.keys))
	for _, k := range b.keys {
		ids[k] = vecPending
	}
	b.s.draft.known(ids)
	if err := b.s.draft.bequeathed(ids); err != nil {
		return err
	}
	var keys []vecKey
	var texts []string
	reused := 0
	for i, k := range b.keys {
		switch ids[k] {
		case vecPending:
			ids[k] = vecNone // asked for once
			keys, texts = append(keys, k), append(texts, b.embed[i])
		case vecNone:
		default:
			reused++
		}
	}
	if b.s.ix.remote() {
		for _, k := range keys {
			ids[k] = vecPending
		}
	} else if len(keys) > 0 {
		if err := b.s.draft.embed(ctx, b.s.ix.o.Embedder, keys, texts, ids); err != nil {
			return err
		}
	}
	b.s.mu.Lock()
	b.s.rep.Reused += reused
	if !b.s.ix.remote() {
		b.s.rep.Embedded += vectorsAmong(keys, ids)
	}
	b.s.mu.Unlock()
	for i, p := range b.places {
		p.rec.chunks[p.chunk] = ids[b.keys[i]]
	}
	return nil
}

// vectorsAmong counts the keys that have a vector.
func vectorsAmong(keys []vecKey, ids map[vecKey]uint32) (n int) {
	for _, k := range keys {
		if ids[k] < vecStates {
			n++
		}
	}
	return n
}

// embed asks the embedder for texts and stores what it gives. A text that
// fails is failed, not an error: its page is found by words.
func (b *draft) embed(ctx context.Context, e llm.Embedder, keys []vecKey, texts []string, ids map[vecKey]uint32) error {
	vecs, err := e.Embed(ctx, texts)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if len(vecs) != len(texts) {
		return fmt.Errorf("embedder: %d vectors for %d texts: %w", len(vecs), len(texts), err)
	}
	got, err := b.store(keys, vecs, err)
	maps.Copy(ids, got)
	return err
}

// store keeps the vectors that came and gives each key's number or state:
// without an error, no vector means that there was nothing to embed.
func (b *draft) store(keys []vecKey, vecs [][]float32, cause error) (map[vecKey]uint32, error) {
	ids := make(map[vecKey]uint32, len(keys))
	var okKeys []vecKey
	var okVecs [][]float32
	for i, v := range vecs {
		switch {
		case usable(v) && (b.m.Dims == 0 || len(v) == b.m.Dims):
			if b.m.Dims == 0 {
				b.m.Dims = len(v)
			}
			okKeys, okVecs = append(okKeys, keys[i]), append(okVecs, v)
		case v == nil && serverFault(cause):
			ids[keys[i]] = vecPending
		case v != nil || cause != nil:
			ids[keys[i]] = vecFailed
		default:
			ids[keys[i]] = vecNone
		}
	}
	nums, err := b.addVectors(okKeys, okVecs)
	if err != nil {
		return nil, err
	}
	for i, k := range okKeys {
		ids[k] = nums[i]
	}
	return ids, nil
}

// usable reports whether v has a direction: one number that is none, and
// every cosine with it would be none either.
func usable(v []float32) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return sum > 0 && !math.IsInf(sum, 1) // NaN is not above 0
}

// serverFault reports whether texts got no vector through no fault of theirs:
// they wait for the server, and are not given up.
func serverFault(cause error) bool {
	for _, c := range []llm.Class{llm.Down, llm.NotAServer, llm.TLS, llm.Unauthorized, llm.ModelMissing,
		llm.Overloaded, llm.Timeout, llm.Canceled, llm.BadOption} {
		if errors.Is(cause, c) {
			return true
		}
	}
	return false
}
