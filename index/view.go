package index

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"brain/llm"
	"brain/page"
	"brain/text"

	"github.com/gofrs/flock"
)

// View is one generation, open for reading: every arm speaks of the same
// state. It holds a lease on the generation until Release. It is safe for
// concurrent use.
//
// Rows 0..len(base)-1 are the base table's, those after it the tail's. A base
// row that the tail replaces is dead: it has no names, links or score.
type View struct {
	m          *manifest
	base, tail *table
	nbase      uint32
	dead       []bool // by base row
	live       int
	lex        *lexReader
	vecs       *vecFiles // nil without
	store      vectorStore
	agents     map[string]string // that have sessions, each under itself

	ownOnce sync.Once
	own     owners
	linked  sync.Map // agent → *Linked

	wholeOnce sync.Once
	whole     *Linked

	lease  *flock.Flock
	refs   atomic.Int32
	closer func() error
}

// openView opens the current generation.
func openView(d *disk, kind string) (*View, error) {
	n, m, lease, err := d.lease()
	if err != nil {
		return nil, err
	}
	v, err := openGeneration(filepath.Join(d.dir, genName(n)), m, lease, kind)
	if err != nil {
		return nil, errors.Join(err, lease.Unlock())
	}
	v.lease = lease
	return v, nil
}

// stands reports whether the generation is still what its name leads to: an
// index that was removed and built again counts its generations from one.
func (v *View) stands(d *disk) bool {
	mine, err := v.lease.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(filepath.Join(d.dir, genName(v.m.Generation), "manifest"))
	return err == nil && os.SameFile(mine, now)
}

func openGeneration(dir string, m *manifest, lease *flock.Flock, kind string) (v *View, err error) {
	why, err := m.fits()
	if err != nil {
		return nil, err
	}
	if why != "" {
		return nil, &rebuildError{why}
	}
	if err := m.checkSizes(dir); err != nil {
		return nil, err
	}
	var closers []func() error
	shut := func() error {
		var err error
		for i := len(closers) - 1; i >= 0; i-- {
			err = errors.Join(err, closers[i]())
		}
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, shut())
		}
	}()
	v = &View{m: m}
	raw, unmap, err := mapFile(filepath.Join(dir, "base"))
	if err != nil {
		return nil, err
	}
	closers = append(closers, unmap)
	if v.base, err = openTable(raw); err != nil {
		return nil, err
	}
	if raw, err = os.ReadFile(filepath.Join(dir, "tail")); err != nil {
		return nil, err
	}
	if v.tail, err = openTable(raw); err != nil {
		return nil, err
	}
	v.overlay()
	v.agents = map[string]string{}
	for scope := range m.Scopes {
		if agent, ok := strings.CutPrefix(scope, sessionPrefix); ok {
			v.agents[agent] = agent
		}
	}
	if v.lex, err = openLexReader(filepath.Join(dir, "lex"), m.Generation); err != nil {
		return nil, err
	}
	closers = append(closers, v.lex.close)
	if len(m.Vectors) > 0 {
		if v.vecs, err = openVecFiles(dir, m); err != nil {
			return nil, err
		}
		closers = append(closers, v.vecs.close)
		v.store = newVectorStore(v, kind)
	}
	v.refs.Store(1)
	v.closer = func() error { return errors.Join(shut(), lease.Unlock()) }
	return v, nil
}

// rebuildError says why a generation cannot be used though nothing is broken.
type rebuildError struct{ why string }

func (e *rebuildError) Error() string { return e.why }

func (v *View) overlay() {
	v.nbase = uint32(v.base.len())
	v.dead = make([]bool, v.nbase)
	v.live = int(v.nbase) + v.tail.len()
	for b := v.tail.sec[secDead]; len(b) >= 4; b = b[4:] {
		if r := binary.LittleEndian.Uint32(b); r < v.nbase && !v.dead[r] {
			v.dead[r] = true
			v.live--
		}
	}
}

func (v *View) retain() *View { v.refs.Add(1); return v }

// Release gives the generation back. The View must not be used after.
func (v *View) Release() error {
	if v.refs.Add(-1) == 0 {
		return v.closer()
	}
	return nil
}

// Generation is the number of this state, growing with every change.
func (v *View) Generation() uint64 { return v.m.Generation }

// Fingerprint names the embedder that made the vectors, "" without vectors.
func (v *View) Fingerprint() string { return v.m.Embedder }

// Len is the number of pages, ranked or not.
func (v *View) Len() int { return v.live }

// Nodes is the number of rows, dead ones included.
func (v *View) Nodes() int { return int(v.nbase) + v.tail.len() }

// at gives the table that holds a row, and the row's number there.
func (v *View) at(row uint32) (*table, uint32) {
	if row < v.nbase {
		return v.base, row
	}
	return v.tail, row - v.nbase
}

func (v *View) alive(row uint32) bool {
	if row < v.nbase {
		return !v.dead[row]
	}
	return int(row) < v.Nodes()
}

func (v *View) path(row uint32) []byte {
	t, n := v.at(row)
	return t.path(n)
}

func (v *View) lookup(path string) (uint32, bool) {
	if r, ok := v.tail.find(page.Path(path)); ok {
		return v.nbase + r, true
	}
	if r, ok := v.base.find(page.Path(path)); ok && !v.dead[r] {
		return r, true
	}
	return 0, false
}

// Lookup gives the row of a path.
func (v *View) Lookup(p page.Path) (uint32, bool) { return v.lookup(string(p)) }

// All yields the rows of all pages in order of path.
func (v *View) All(yield func(uint32) bool) {
	v.walk(func(row uint32, t *table, n uint32) bool { return t.flags(n)&flagBinary != 0 || yield(row) })
}

// walk merges base and tail by path.
func (v *View) walk(visit func(row uint32, t *table, n uint32) bool) {
	b, t := uint32(0), uint32(0)
	for {
		for b < v.nbase && v.dead[b] {
			b++
		}
		inBase, inTail := b < v.nbase, int(t) < v.tail.len()
		switch {
		case !inBase && !inTail:
			return
		case inBase && (!inTail || bytes.Compare(v.base.path(b), v.tail.path(t)) < 0):
			if !visit(b, v.base, b) {
				return
			}
			b++
		default:
			if !visit(v.nbase+t, v.tail, t) {
				return
			}
			t++
		}
	}
}

// Page tells what the index knows of a page.
func (v *View) Page(row uint32) Page {
	t, n := v.at(row)
	m := decodeMeta(t.meta(n))
	return Page{
		Row: row, Path: page.Path(t.path(n)), Title: m.title, Type: m.typ, Status: m.status, Source: m.source,
		Agent: m.agent, Slug: m.slug, Redirect: m.redirect, Tags: m.tags, Aliases: m.aliases, Tier: t.tier(n),
		Words: int(t.words(n)), Chunks: len(t.chunks(n)) / 4, Turns: t.turns(n), Ranked: t.flags(n)&flagRanked != 0, Generated: t.flags(n)&flagGenerated != 0,
		Created: t.date(n, 112), Updated: t.date(n, 120), At: t.date(n, 128), Hash: t.hash(n), File: t.file(n),
	}
}

// Agent gives whose page it is, "" for a shared one. It is asked for every row
// of a filter.
func (v *View) Agent(row uint32) string {
	t, n := v.at(row)
	if t.flags(n)&flagSession != 0 {
		agent := metaField(t.meta(n), metaAgent)
		if a, ok := v.agents[string(agent)]; ok {
			return a
		}
		return string(agent)
	}
	path := t.path(n)
	if len(path) < 7 || path[0]|0x20 != 'a' { // most are nobody's
		return ""
	}
	return page.Path(path).Agent()
}

// Ranked reports whether a page may appear in answers.
func (v *View) Ranked(row uint32) bool {
	t, n := v.at(row)
	return v.alive(row) && t.flags(n)&flagRanked != 0
}

// Lexical scores the pages by the words of a question, among the shared pages
// and those of one agent, and that agent's sessions.
func (v *View) Lexical(ctx context.Context, terms []text.QueryTerm, agent string) (*LexicalResult, error) {
	fields, sum := pageFields(agent), v.m.Scopes[""]
	if len(fields) > 1 {
		own := v.m.Scopes[agent]
		sum.Docs, sum.Words = sum.Docs+own.Docs, sum.Words+own.Words
	}
	r, err := v.lex.search(ctx, terms, fields, sum)
	if err != nil {
		return nil, err
	}
	r.view = v
	scope := sessionScope(agent)
	if err := v.lex.searchSessions(ctx, r, scope, v.m.Scopes[scope]); err != nil {
		return nil, err
	}
	return r, nil
}

// HasVectors reports whether the vector arm has anything to search.
func (v *View) HasVectors() bool { return v.vecs != nil }

// Nearest gives the k pages whose best chunk is nearest to q, a unit vector
// of the view's embedder.
func (v *View) Nearest(ctx context.Context, q []float32, k int, accept func(uint32) bool) ([]Match, error) {
	if v.vecs == nil {
		return nil, nil
	}
	if len(q) != v.vecs.dims {
		return nil, &DimensionError{Got: len(q), Want: v.vecs.dims}
	}
	if k = min(k, v.Nodes()); k <= 0 {
		return nil, nil
	}
	return v.store.top(ctx, q, k, accept)
}

// DimensionError says that a vector is of another space than the index.
type DimensionError struct{ Got, Want int }

func (e *DimensionError) Error() string { return "vector of another size than the index holds" }

// Cosine gives the best cosine of a page's chunks with q and that chunk's
// number; ok is false for a page without vectors.
func (v *View) Cosine(row uint32, q []float32) (cos float64, chunk int, ok bool) {
	if v.vecs == nil || len(q) != v.vecs.dims {
		return 0, 0, false
	}
	t, n := v.at(row)
	best := float32(unseen)
	for i, b := 0, t.chunks(n); len(b) > 0; i, b = i+1, b[4:] {
		vec := v.vecs.vector(binary.LittleEndian.Uint32(b))
		if vec == nil {
			continue
		}
		if c := dot(q, vec); c > best {
			best, chunk = c, i
		}
	}
	return float64(best), chunk, best > unseen
}

// Vector gives the direction of a page: the sum of the vectors of its chunks, as a unit
// vector. nil for a page without vectors.
func (v *View) Vector(row uint32) []float32 {
	if v.vecs == nil {
		return nil
	}
	sum := make([]float32, v.vecs.dims)
	t, n := v.at(row)
	for b := t.chunks(n); len(b) > 0; b = b[4:] {
		for i, x := range v.vecs.vector(binary.LittleEndian.Uint32(b)) {
			sum[i] += x
		}
	}
	length := float32(math.Sqrt(float64(dot(sum, sum))))
	if length == 0 {
		return nil
	}
	for i := range sum {
		sum[i] /= length
	}
	return sum
}

// owned gives the owners of the vectors, worked out once for a view.
func (v *View) owned() *owners {
	v.ownOnce.Do(func() {
		v.own = owners{row: make([]uint32, v.vecs.n), chunk: make([]uint32, v.vecs.n)}
		nobody := uint32(v.Nodes())
		for i := range v.own.row {
			v.own.row[i] = nobody
		}
		v.walk(func(row uint32, t *table, n uint32) bool {
			if t.flags(n)&flagRanked == 0 {
				return true
			}
			for i, b := uint32(0), t.chunks(n); len(b) > 0; i, b = i+1, b[4:] {
				id := binary.LittleEndian.Uint32(b)
				switch {
				case id >= v.vecs.n:
				case v.own.row[id] == nobody:
					v.own.row[id], v.own.chunk[id] = row, i
				default:
					v.own.extra = append(v.own.extra, owner{id, row, i})
				}
			}
			return true
		})
	})
	return &v.own
}

// SameSpace reports whether an embedder of that fingerprint made the vectors.
func (v *View) SameSpace(fingerprint string) bool { return llm.SameSpace(v.m.Embedder, fingerprint) }
