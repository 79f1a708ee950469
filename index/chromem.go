package index

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"sync"

	"github.com/philippgille/chromem-go"
)

// chromemStore is the vector arm on chromem-go, for those who want it: in
// memory, filled from the flat files of the generation. Its persistent form
// is never used, since it names files by four bytes of a hash and loses
// documents. chromem ranks chunks; more and more of them are taken until k
// pages are nearer than any chunk left out can be, or none is left.
type chromemStore struct {
	v    *View
	once sync.Once
	col  *chromem.Collection
	err  error
}

// rounding is more than two orders of summing a cosine can differ by.
const rounding = 1e-4

func newChromemStore(v *View) *chromemStore { return &chromemStore{v: v} }

// load copies the owned vectors into a collection.
func (c *chromemStore) load(ctx context.Context) {
	own := c.v.owned()
	nobody := uint32(c.v.Nodes())
	never := func(context.Context, string) ([]float32, error) {
		return nil, fmt.Errorf("chromem: asked to embed")
	}
	if c.col, c.err = chromem.NewDB().CreateCollection("chunks", nil, never); c.err != nil {
		return
	}
	var docs []chromem.Document
	for id, row := range own.row {
		if row != nobody {
			docs = append(docs, chromem.Document{ID: strconv.Itoa(id), Embedding: c.v.vecs.vector(uint32(id))})
		}
	}
	if len(docs) > 0 {
		c.err = c.col.AddDocuments(ctx, docs, runtime.GOMAXPROCS(0))
	}
}

func (c *chromemStore) top(ctx context.Context, q []float32, k int, accept func(uint32) bool) ([]Match, error) {
	c.once.Do(func() { c.load(context.WithoutCancel(ctx)) })
	if c.err != nil {
		return nil, fmt.Errorf("chromem: %w", c.err)
	}
	own := c.v.owned()
	extra := map[uint32][]owner{}
	for _, o := range own.extra {
		extra[o.vector] = append(extra[o.vector], o)
	}
	total := c.col.Count()
	for n := min(total, 4*k); ; n = min(total, 2*n) {
		if n == 0 {
			return nil, nil
		}
		res, err := c.col.QueryEmbedding(ctx, q, n, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("chromem: %w", err)
		}
		p := newPool(c.v.Nodes())
		see := func(row, chunk uint32, s float32) {
			if accept == nil || accept(row) {
				p.see(row, chunk, s)
			}
		}
		for _, r := range res {
			id, err := strconv.Atoi(r.ID)
			if err != nil {
				return nil, fmt.Errorf("chromem: document %q: %w", r.ID, err)
			}
			// chromem sums in another order than the scan; the cosine shown
			// is one and the same for both stores.
			s := dot(q, c.v.vecs.vector(uint32(id)))
			see(own.row[id], own.chunk[id], s)
			for _, o := range extra[uint32(id)] {
				see(o.row, o.chunk, s)
			}
		}
		// What was not given is no nearer than the last that was, up to rounding.
		last := res[len(res)-1].Similarity + rounding
		out := c.v.pick(p.best, p.chunk, k, nil)
		if n == total || len(out) == k && out[k-1].Score > float64(last) {
			return out, nil
		}
	}
}
