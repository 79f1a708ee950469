package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	"brain/page"

	"golang.org/x/sync/errgroup"
)

// job is a file to take in, with the row it had.
type job struct {
	file page.File
	old  *record
}

func (s *pass) jobs(d *diff) []job {
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

// read takes files in, in as many goroutines as pay.
func (s *pass) read(ctx context.Context, jobs []job) error {
	workers := buildWorkers()
	if len(jobs) < 16 {
		workers = 1
	}
	for len(s.batches) < workers {
		s.batches = append(s.batches, newBatch(s))
	}
	s.total += len(jobs)
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for _, b := range s.batches[:workers] {
		g.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(jobs) {
					return nil
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := b.take(ctx, jobs[i]); err != nil {
					return err
				}
				s.progress("index", int(s.done.Add(1)), s.total)
			}
		})
	}
	return g.Wait()
}

func (s *pass) progress(stage string, done, total int) {
	if f := s.ix.o.Progress; f != nil {
		f(Progress{Stage: stage, Done: done, Total: total, Bytes: s.bytes.Load()})
	}
}

// write puts into the draft what was read, and takes out what is gone.
func (s *pass) write(ctx context.Context) error {
	gone, err := s.vanish()
	if err != nil {
		return err
	}
	full := slices.DeleteFunc(s.batches, func(b *batch) bool { return b.items == nil })
	if len(full) == 0 {
		full = []*batch{newBatch(s)}
	}
	for _, b := range full[1:] {
		if err := b.flush(ctx, nil, 0); err != nil {
			return err
		}
	}
	return full[0].flush(ctx, gone, s.draft.gen)
}

// vanish takes out of the draft what is gone, and gives the pages whose words
// have to go. It fails when a page would have to be as it was in the generation
// before and its words have been replaced already.
func (s *pass) vanish() (words []string, err error) {
	for p := range s.gone {
		s.draft.gone[p] = true
		words = append(words, string(p))
	}
	for p := range s.draft.undone {
		if s.draft.put[p] != nil || s.pending[p] != nil || s.gone[p] {
			continue
		}
		if v := s.base(); v != nil {
			if _, had := v.Lookup(p); had {
				return nil, fmt.Errorf("%w: %s is written faster than it can be read", ErrBusy, p)
			}
		}
		words = append(words, string(p))
	}
	return words, nil
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
	s     *pass
	count *counter
	texts int64
	docs  int
	items []*item
}

// item is a file on its way into the draft.
type item struct {
	rec   *record
	doc   *lexDoc  // its words; nil when it has none or they are those of before
	mute  bool     // it had words and has none now
	keys  []vecKey // of its chunks, when they are to be embedded
	texts []string
	proof bool // nothing differs from the row but that it is proven now
	void  bool // read again, or left to a later sync
}

func newBatch(s *pass) *batch { return &batch{s: s, count: newCounter()} }

// take reads one file and adds what has to change.
func (b *batch) take(ctx context.Context, j job) error {
	read := time.Now()
	raw, err := b.s.src.Read(ctx, j.file.Path)
	if err != nil {
		return b.unread(ctx, j, err)
	}
	if len(raw) == 0 && j.file.Size > 0 && b.s.opt.Confirm > 0 { // emptied since, to be saved
		b.s.mu.Lock()
		defer b.s.mu.Unlock()
		b.s.later[j.file.Path] = true
		return nil
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
	it := &item{rec: r}
	if r.flags&flagRanked == 0 {
		it.mute = j.old != nil && j.old.flags&flagRanked != 0
		b.add(it)
		return nil
	}
	freqs, words := b.count.page(p)
	r.words = uint32(words)
	it.doc = &lexDoc{id: string(p.Path), field: lexField{
		name: fieldName(scopeOf(p)), length: words, options: indexOnly, freqs: freqs}}
	b.chunks(p, it)
	b.add(it)
	b.docs++
	if b.texts += int64(len(raw)); b.texts >= batchBytes || b.docs >= batchDocs {
		return b.flush(ctx, nil, 0)
	}
	return nil
}

func (b *batch) add(it *item) {
	b.items = append(b.items, it)
	b.s.mu.Lock()
	b.s.pending[it.rec.file.Path] = it
	b.s.mu.Unlock()
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
	b.s.unread[j.file.Path] = true
	return nil
}

// binary keeps a row for a file that is no text, so that it is not read at
// every look.
func (b *batch) binary(j job) {
	b.add(&item{
		rec:  &record{file: j.file, flags: flagBinary, meta: appendMeta(nil, pageMeta{})},
		mute: j.old != nil && j.old.flags&flagRanked != 0,
	})
}

// refresh takes a file whose content counts as before: words and vectors
// stay, links and lines are read again. A row that comes out as it was (its
// file is still too fresh to be proven) is no change.
func (b *batch) refresh(j job, r *record) {
	r.words, r.chunks = j.old.words, j.old.chunks
	if reflect.DeepEqual(r, j.old) {
		return
	}
	was := *j.old
	was.flags &^= flagUnproven
	b.add(&item{rec: r, proof: reflect.DeepEqual(r, &was)})
}

// chunks notes what has to be embedded; the numbers come with flush.
func (b *batch) chunks(p *page.Page, it *item) {
	chunks := p.Chunks()
	it.rec.chunks = make([]uint32, len(chunks))
	embed := b.s.ix.o.Embedder != nil && !b.s.draft.foreign
	for i, c := range chunks {
		it.rec.chunks[i] = vecPending
		if embed {
			sum := c.Key()
			it.keys = append(it.keys, vecKey(sum[:keySize]))
			it.texts = append(it.texts, c.Embed)
		}
	}
}

// flush writes the batch: vectors, rows, words.
func (b *batch) flush(ctx context.Context, gone []string, gen uint64) error {
	items := b.s.settle(b.items)
	b.items, b.texts, b.docs = nil, 0, 0
	b.s.begun.Do(func() { b.s.begunOK = b.s.draft.open() })
	if b.s.begunOK != nil {
		return fmt.Errorf("index folder: %w", b.s.begunOK)
	}
	if err := b.vectors(ctx, items); err != nil {
		return err
	}
	var docs []*lexDoc
	for _, it := range items {
		b.s.draft.add(it.rec)
		if it.doc != nil {
			docs = append(docs, it.doc)
		}
		if it.mute {
			gone = append(gone, string(it.rec.file.Path))
		}
	}
	if len(docs)+len(gone) == 0 && gen == 0 {
		return nil
	}
	if err := b.s.draft.lex.apply(docs, gone, gen); err != nil {
		return fmt.Errorf("words: %w", err)
	}
	return nil
}

// settle gives the items that still count, which are no longer pending.
func (s *pass) settle(items []*item) (out []*item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, it := range items {
		if !it.void {
			delete(s.pending, it.rec.file.Path)
			out = append(out, it)
		}
	}
	return out
}

// vectors gives each chunk its vector's number: a known one, or one made now
// when the embedder is at hand. A model server's vectors come later.
func (b *batch) vectors(ctx context.Context, items []*item) error {
	ids := map[vecKey]uint32{}
	for _, it := range items {
		for _, k := range it.keys {
			ids[k] = vecPending
		}
	}
	if len(ids) == 0 {
		return nil
	}
	b.s.draft.known(ids)
	if err := b.s.draft.bequeathed(ids); err != nil {
		return err
	}
	var keys []vecKey
	var texts []string
	reused := 0
	for _, it := range items {
		for i, k := range it.keys {
			switch ids[k] {
			case vecPending:
				ids[k] = vecNone // asked for once
				keys, texts = append(keys, k), append(texts, it.texts[i])
			case vecNone:
			default:
				reused++
			}
		}
	}
	if err := b.embed(ctx, keys, texts, ids, reused); err != nil {
		return err
	}
	for _, it := range items {
		for i, k := range it.keys {
			it.rec.chunks[i] = ids[k]
		}
	}
	return nil
}

func (b *batch) embed(ctx context.Context, keys []vecKey, texts []string, ids map[vecKey]uint32, reused int) error {
	s := b.s
	made := 0
	if s.ix.remote() {
		for _, k := range keys {
			ids[k] = vecPending
		}
	} else if len(keys) > 0 {
		if err := s.draft.embed(ctx, s.ix.o.Embedder, keys, texts, ids); err != nil {
			return err
		}
		made = vectorsAmong(keys, ids)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rep.Reused += reused
	s.rep.Embedded += made
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
