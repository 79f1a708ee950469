package index

import (
	"context"
	"errors"
	"fmt"

	"brain/page"
)

// sliceSize is how many chunks are embedded between two generations: what is
// done is kept when the next slice fails.
const sliceSize = 256

// embedPending asks a model server for the vectors that are missing, slice by
// slice. No lock is held while the server works; each slice is published on
// its own, and a page that changed meanwhile is left to the next sync. Chunks
// that failed before are tried again when o.Pending is set.
func (ix *Index) embedPending(ctx context.Context, src Source, o SyncOptions, rep *Report) error {
	tried := map[vecKey]bool{}
	var left error // of a server that gave a slice some of its vectors and then failed
	for {
		v, err := ix.View()
		if err != nil {
			return err
		}
		sl, err := ix.pendingSlice(ctx, src, v, o.Pending, tried)
		if err = errors.Join(err, v.Release()); err != nil {
			return err
		}
		if len(sl.keys) == 0 {
			return left
		}
		vecs, cause := ix.o.Embedder.Embed(ctx, sl.texts)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(vecs) != len(sl.texts) {
			return fmt.Errorf("embedder: %d vectors for %d texts: %w", len(vecs), len(sl.texts), cause)
		}
		none := cause != nil && !anyVector(vecs)
		if !none || !serverFault(cause) {
			if err := ix.publishSlice(ctx, sl, vecs, cause, o, rep); err != nil {
				return err
			}
		}
		if none {
			return fmt.Errorf("embedding: %w", cause)
		}
		if serverFault(cause) {
			left = fmt.Errorf("embedding: %w", cause)
		}
		if f := ix.o.Progress; f != nil {
			f(Progress{Stage: "vectors", Done: rep.Embedded, Total: rep.Embedded + rep.Pending})
		}
	}
}

func anyVector(vecs [][]float32) bool {
	for _, v := range vecs {
		if v != nil {
			return true
		}
	}
	return false
}

// slice is a set of chunks to embed and where their vectors belong.
type slice struct {
	keys   []vecKey
	texts  []string
	places map[page.Path]map[int]vecKey
	hashes map[page.Path][32]byte
}

func (ix *Index) pendingSlice(ctx context.Context, src Source, v *View, failed bool, tried map[vecKey]bool) (slice, error) {
	sl := slice{places: map[page.Path]map[int]vecKey{}, hashes: map[page.Path][32]byte{}}
	seen := map[vecKey]bool{}
	var err error
	v.walk(func(row uint32, t *table, n uint32) bool {
		if !wants(t, n, failed) || t.flags(n)&flagRanked == 0 {
			return true
		}
		path := page.Path(t.path(n))
		raw, rerr := src.Read(ctx, path)
		if rerr != nil {
			return true
		}
		p := ix.o.Pack.Parse(path, raw)
		if p.Hash() != t.hash(n) {
			return true
		}
		states := t.record(n).chunks
		for i, c := range p.Chunks() {
			sum := c.Key()
			k := vecKey(sum[:keySize])
			if i >= len(states) || !(states[i] == vecPending || failed && states[i] == vecFailed) || tried[k] {
				continue
			}
			if sl.places[path] == nil {
				sl.places[path], sl.hashes[path] = map[int]vecKey{}, p.Hash()
			}
			sl.places[path][i] = k
			if !seen[k] {
				seen[k] = true
				sl.keys, sl.texts = append(sl.keys, k), append(sl.texts, c.Embed)
			}
		}
		err = ctx.Err()
		return err == nil && len(sl.keys) < sliceSize
	})
	for k := range seen {
		tried[k] = true
	}
	return sl, err
}

// wants reports whether a row has chunks that wait for a vector.
func wants(t *table, n uint32, failed bool) bool {
	for _, id := range t.record(n).chunks {
		if id == vecPending || failed && id == vecFailed {
			return true
		}
	}
	return false
}

// publishSlice writes a slice's vectors as a generation of its own.
func (ix *Index) publishSlice(ctx context.Context, sl slice, vecs [][]float32, cause error, o SyncOptions, rep *Report) error {
	unlock, err := ix.lock(ctx, SyncOptions{OnWait: o.OnWait}, "vectors")
	if err != nil {
		return err
	}
	return errors.Join(ix.publishLocked(ctx, sl, vecs, cause, rep), unlock())
}

func (ix *Index) publishLocked(ctx context.Context, sl slice, vecs [][]float32, cause error, rep *Report) (err error) {
	v, err := ix.View()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Release()) }()
	if err := ix.disk.sweep(v.m.Generation); err != nil {
		return err
	}
	b, err := ix.draft(v, v.m.Generation+1)
	if err != nil || b.foreign { // another process has switched the embedder
		return err
	}
	if err := b.open(); err != nil {
		return errors.Join(err, b.abandon())
	}
	ids, err := b.store(sl.keys, vecs, cause)
	if err == nil {
		err = b.lex.apply(nil, nil, b.gen)
	}
	if err != nil {
		return errors.Join(err, b.abandon())
	}
	for path, chunks := range sl.places {
		row, ok := v.Lookup(path)
		if !ok {
			continue
		}
		t, n := v.at(row)
		r := t.record(n)
		if r.hash != sl.hashes[path] {
			continue
		}
		for i, k := range chunks {
			if i < len(r.chunks) && r.chunks[i] >= vecStates { // else another process was first
				r.chunks[i] = ids[k]
			}
		}
		b.add(r)
	}
	for _, id := range ids {
		if id < vecStates {
			b.spent = append(b.spent, id) // an orphan, unless a page has taken it
		}
	}
	if err := b.commit(ctx, false); err != nil {
		return errors.Join(err, b.abandon())
	}
	rep.Generation, rep.Pending, rep.Failed = b.gen, b.m.Pending, b.m.Failed
	rep.Written += b.written
	rep.Embedded += vectorsAmong(sl.keys, ids)
	return ix.disk.collect(b.gen)
}
