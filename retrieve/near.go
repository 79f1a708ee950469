package retrieve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"brain/index"
	"brain/llm"
	"brain/page"
	"brain/text"
)

// Near finds what the brain already says of a page that is not written yet:
// its duplicates, and what it contradicts. The whole brain is asked, but only
// the nearest pages are read and compared:
//
//	words     the page's most telling words, as a question        5 pages
//	vectors   its chunks, spread over the page, as questions      5 pages
//
// A twin has all of its words, so that it comes first by them; vectors add
// the pages that say it in other words. Whether a page is near decides
// nothing: page.Compare does. The embedder is asked for the cosine of the few
// texts whose words are nearly the same.

const (
	nearDepth  = 5        // pages of each way
	nearTerms  = 48       // words that are searched for
	nearChunks = 4        // chunks that are searched for
	nearRead   = 16 << 10 // bytes of the page from which the words are taken
	nearText   = 4 << 10  // bytes of text that are embedded for a cosine
)

// Nearby is what the brain says of a page.
type Nearby struct {
	Neighbours []Neighbour // duplicates, then contradictions, the best first
	Compared   int         // pages that were read and compared
	Degraded   []Degraded  // an arm that could not be asked, pages that could not be read
}

// Neighbour is a page that says the same, or what contradicts it. In the
// verdict the first of Detail and Places is the new page's.
type Neighbour struct {
	Path    page.Path
	Title   string
	Verdict page.Verdict
}

// Duplicates are the neighbours that say the same.
func (n *Nearby) Duplicates() []Neighbour { return n.of(page.Duplicate) }

// Contradictions are the neighbours that contradict the page: candidates.
func (n *Nearby) Contradictions() []Neighbour { return n.of(page.Contradiction) }

func (n *Nearby) of(k page.Kind) (out []Neighbour) {
	for _, nb := range n.Neighbours {
		if nb.Verdict.Kind == k {
			out = append(out, nb)
		}
	}
	return out
}

// Near compares p with the nearest pages of the view that the agent may see:
// the shared ones and its own. Sessions, redirects, archived and generated
// pages, and p's own path, are left out. The pages are read from the source;
// one that is gone meanwhile is no neighbour. Without an embedder only equal
// words make a duplicate.
func (sr *Searcher) Near(ctx context.Context, v *index.View, p *page.Page, agent string) (*Nearby, error) {
	n := &Nearby{}
	seen := v.For(agent)
	accept := func(row uint32) bool { return v.Ranked(row) && seen.Sees(row) && !ownOrSession(v, row, p.Path) }
	rows, err := nearWords(ctx, v, p, agent, accept)
	if err != nil {
		return nil, fmt.Errorf("near pages of %s: %w", p.Path, err)
	}
	more, err := sr.nearVectors(ctx, v, p, accept)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("near pages of %s: %w", p.Path, ctx.Err())
	}
	if err != nil {
		n.Degraded = append(n.Degraded, Degraded{Vector, reason(err, armTimeout)})
	}
	for _, row := range more {
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	if err := sr.compareNear(ctx, v, n, page.Read(p), rows); err != nil {
		return nil, fmt.Errorf("near pages of %s: %w", p.Path, err)
	}
	slices.SortFunc(n.Neighbours, nearer)
	return n, nil
}

func ownOrSession(v *index.View, row uint32, own page.Path) bool {
	path := v.Page(row).Path
	return path == own || path.IsSession()
}

// nearer sorts duplicates before contradictions, equal words before equal
// meaning, then by overlap and cosine.
func nearer(a, b Neighbour) int {
	x, y := a.Verdict, b.Verdict
	return cmp.Or(cmp.Compare(x.Kind, y.Kind), -cmp.Compare(rankOf(x), rankOf(y)), cmp.Compare(y.Overlap, x.Overlap),
		cmp.Compare(y.Cosine, x.Cosine), cmp.Compare(a.Path, b.Path))
}

func rankOf(v page.Verdict) int {
	if v.Screen == page.ByWords {
		return 1
	}
	return 0
}

// nearWords gives the rows that have most of the page's words.
func nearWords(ctx context.Context, v *index.View, p *page.Page, agent string, accept func(uint32) bool) (rows []uint32, err error) {
	terms := tellingTerms(p)
	if len(terms) == 0 {
		return nil, nil
	}
	r, err := v.Lexical(ctx, terms, agent)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	top, err := r.Top(nearDepth, accept)
	for _, m := range top {
		rows = append(rows, m.Row)
	}
	return rows, err
}

// tellingTerms chooses the words of a page to search for: spread over its
// beginning, so that no part of it is left out, the longer ones first, which
// are the rarer. Title and facts come first.
func tellingTerms(p *page.Page) []text.QueryTerm {
	c := p.Clean()
	s := c.Title + "\n"
	for _, part := range append(slices.Clone(c.Facts), c.Body, c.Code) {
		s += part[:text.CutGrapheme(part, nearRead)] + "\n"
	}
	all := text.Query(s[:text.CutGrapheme(s, nearRead)])
	if len(all) <= nearTerms {
		return all
	}
	stretch := (len(all) + nearTerms - 1) / nearTerms
	out := make([]text.QueryTerm, 0, nearTerms)
	for part := range slices.Chunk(all, stretch) {
		out = append(out, slices.MaxFunc(part, func(a, b text.QueryTerm) int { return cmp.Compare(telling(a), telling(b)) }))
	}
	return out
}

// telling is how rare a word may be, judged by itself.
func telling(t text.QueryTerm) float64 {
	const longest = 12
	return t.Weight * float64(min(len(t.Text), longest))
}

// nearVectors gives the rows nearest to the page's chunks.
func (sr *Searcher) nearVectors(ctx context.Context, v *index.View, p *page.Page, accept func(uint32) bool) ([]uint32, error) {
	if sr.Embedder == nil || !v.HasVectors() {
		return nil, nil
	}
	if fp := sr.Embedder.Info().Fingerprint; !v.SameSpace(fp) {
		return nil, errSpace(v, fp)
	}
	chunks := spread(p.Chunks(), nearChunks)
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = c.Embed
	}
	vectors, err := sr.embedSoon(ctx, texts)
	best := map[uint32]float64{}
	for _, q := range vectors {
		if q == nil {
			continue
		}
		top, err := v.Nearest(ctx, q, nearDepth, accept)
		if err != nil {
			return nil, err
		}
		for _, m := range top {
			best[m.Row] = max(best[m.Row], m.Score)
		}
	}
	rows := make([]uint32, 0, len(best))
	for row := range best {
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(best[b], best[a]), cmp.Compare(v.Page(a).Path, v.Page(b).Path))
	})
	return rows[:min(nearDepth, len(rows))], err
}

// spread takes n of the chunks, evenly.
func spread(chunks []page.Chunk, n int) []page.Chunk {
	if len(chunks) <= n {
		return chunks
	}
	out := make([]page.Chunk, n)
	for i := range out {
		out[i] = chunks[i*(len(chunks)-1)/(n-1)]
	}
	return out
}

// embedSoon asks the embedder; a server has the time that a question's
// embedding has.
func (sr *Searcher) embedSoon(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	if sr.Embedder.Info().Remote {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, embedTimeout)
		defer cancel()
	}
	return sr.Embedder.Embed(ctx, texts)
}

// compareNear reads the pages and keeps those that are not different. Where
// the words say that two pages would mean the same if the cosine says so, too,
// the embedder is asked: of all such pages at once, and seldom.
func (sr *Searcher) compareNear(ctx context.Context, v *index.View, n *Nearby, mine *page.Reading, rows []uint32) error {
	ifAlike := page.CompareOptions{}
	if sr.Embedder != nil {
		ifAlike = page.CompareOptions{Cosine: 1, Threshold: 1}
	}
	var alike []Neighbour
	var texts []string
	for _, row := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		pg := v.Page(row)
		other, err := sr.reading(ctx, &pg)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			n.Degraded = append(n.Degraded, Degraded{"files", err.Error()})
			continue
		}
		n.Compared++
		nb := Neighbour{pg.Path, pg.Title, mine.Compare(other, ifAlike)}
		switch nb.Verdict.Screen {
		case "":
		case page.ByMeaning:
			alike, texts = append(alike, nb), append(texts, other.Text(nearText))
		default:
			nb.Verdict.Cosine = 0 // nobody asked for it
			n.Neighbours = append(n.Neighbours, nb)
		}
	}
	return sr.keepAlike(ctx, n, mine, alike, texts)
}

// reading prepares a page of the brain for comparison. Who compares many pages,
// one after the other, meets the same few again and again.
func (sr *Searcher) reading(ctx context.Context, pg *index.Page) (*page.Reading, error) {
	if known := sr.Readings.get(pg); known != nil {
		return known, nil
	}
	raw, err := sr.Source.Read(ctx, pg.Path)
	if err != nil {
		return nil, err
	}
	r := page.Read(page.Parse(pg.Path, raw))
	sr.Readings.put(pg, r)
	return r, nil
}

// maxReadings bounds what is kept: a page of 16 KiB takes about 200 KB.
const maxReadings = 128

// Readings are pages as they were read for comparison, while their row in the
// index stays the same. It is safe for concurrent use.
type Readings struct {
	mu sync.Mutex
	of map[page.Path]reading
}

type reading struct {
	hash [32]byte
	*page.Reading
}

func (k *Readings) get(pg *index.Page) *page.Reading {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if r, ok := k.of[pg.Path]; ok && r.hash == pg.Hash {
		return r.Reading
	}
	return nil
}

func (k *Readings) put(pg *index.Page, r *page.Reading) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil || len(k.of) >= maxReadings {
		k.of = make(map[page.Path]reading, maxReadings)
	}
	k.of[pg.Path] = reading{pg.Hash, r}
}

// keepAlike keeps those of the alike whose cosine says that they mean the same.
func (sr *Searcher) keepAlike(ctx context.Context, n *Nearby, mine *page.Reading, alike []Neighbour, texts []string) error {
	if len(alike) == 0 {
		return nil
	}
	vectors, err := sr.embedSoon(ctx, append(texts, mine.Text(nearText)))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		n.Degraded = append(n.Degraded, Degraded{Vector, reason(err, embedTimeout)})
	}
	for i, nb := range alike {
		nb.Verdict.Cosine = llm.Cosine(vectors[len(alike)], vectors[i])
		if nb.Verdict.Cosine >= sr.Embedder.Info().Same {
			n.Neighbours = append(n.Neighbours, nb)
		}
	}
	return nil
}
