package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"brain/page"
)

// phrases opens the first pages and adds what word order tells: a page with
// the question's words side by side is better than one with them scattered.
// A page that cannot be read just now gets nothing and stays.
func (sr *Searcher) phrases(ctx context.Context, p *plan, w *wanted, cands []*candidate) {
	if !p.arms[Lexical] {
		return
	}
	var top []*candidate
	left := int64(phraseBytes)
	for _, c := range cands[:min(phraseDepth, len(cands))] {
		if left -= min(c.page.File.Size, passageBytes); left < 0 {
			break
		}
		if c.bm25 > 0 && c.turn == nil {
			top = append(top, c)
		}
	}
	sr.open(ctx, w, top)
	for _, c := range top {
		if c.pass != nil && c.pass.found {
			c.add(Signal{Name: "passage", Value: passageShare * c.pass.covered, Raw: c.pass.covered})
		}
		if c.pass != nil && c.pass.phrase > 0 {
			c.add(Signal{Name: "phrase", Value: phraseShare * c.pass.phrase, Raw: c.pass.phrase})
		}
	}
}

// open finds the passages of pages that have none yet.
func (sr *Searcher) open(ctx context.Context, w *wanted, cands []*candidate) {
	each(cands, func(_ int, c *candidate) {
		find := sr.findPassage
		if c.turn != nil {
			find = sr.findTurn
		}
		if c.pass == nil && find(ctx, c, w) != nil {
			c.pass = nil // the hit shows what the index knows of the page
		}
	})
}

// each works on candidates two at a time.
func each[T any](cands []T, work func(int, T)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(2, len(cands)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(cands); i = int(next.Add(1)) - 1 {
				work(i, cands[i])
			}
		})
	}
	wg.Wait()
}

// hits makes the answer's entries.
func (sr *Searcher) hits(ctx context.Context, p *plan, w *wanted, cands []*candidate) []Hit {
	sr.open(ctx, w, cands)
	hits := make([]Hit, len(cands))
	each(cands, func(i int, c *candidate) {
		h := Hit{
			Rank: i + 1, Path: c.path, Title: c.page.Title, Type: c.page.Type, Score: c.score,
			Snippet: c.page.Title, Line: 1, Evidence: c.tell(p), Sources: nonNil(c.twins), Disputed: []string{}, Signals: c.signals,
		}
		if d := cmp.Or(unixOf(c.page.Updated), unixOf(c.page.At), unixOf(c.page.Created)); d != 0 {
			h.Updated = time.Unix(d, 0).UTC().Format(time.RFC3339)
		}
		if c.pass != nil {
			h.show(c, p.q)
		}
		hits[i] = h
	})
	switch {
	case p.q.Budget > 0 && p.q.Unit == Passages:
		keepWithin(hits, p.q.Budget)
	case p.q.Budget > 0:
		pack(hits, cands, p.q.Budget)
	}
	return hits
}

func unixOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// nonNil makes JSON lists of nothing [] and not null.
func nonNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// show fills in what only the file can tell.
func (h *Hit) show(c *candidate, q Query) {
	if c.turn != nil {
		h.Turn, h.Heading, h.Line = c.turn.N, c.pass.who, c.pass.bodyLine
		h.Snippet = c.pass.snippet(c.pass.page)
		if q.Unit == Passages {
			h.Text = c.pass.body
		}
		return
	}
	pg := c.pass.shown(c.path)
	if q.Unit == Passages || q.Overview {
		pg = c.pass.parsed(c.path)
	}
	chunks := pg.Chunks()
	heading, chunk := c.pass.heading(chunks)
	h.Heading = heading
	h.Line = c.pass.line()
	h.Snippet = c.pass.snippet(pg)
	if q.Overview {
		h.Snippet = lead(pg)
	}
	if q.Unit == Passages && chunk.End > chunk.Start {
		h.Line = chunk.Line
		h.Text = strings.TrimSpace(pg.Gone().Cut(pg.Body, chunk.Start, chunk.End))
	}
}

// tell names in words why a page is here.
func (c *candidate) tell(p *plan) []string {
	var out []string
	if how, ok := p.exact[c.row]; ok {
		out = append(out, how)
	}
	if c.bm25 > 0 {
		out = append(out, "words")
	}
	if c.cosine > 0 {
		out = append(out, "meaning")
	}
	if c.reached != nil {
		if n := len(c.reached.Via); n > 0 {
			out = append(out, fmt.Sprintf("link: %s, %d hop", c.reached.Via[n-1].Type, n))
		} else if !c.typo {
			out = append(out, "named")
		}
	}
	out = append(out, c.corrected(p)...)
	return nonNil(out)
}

// lead tells in one sentence what a page is about: its abstract, else its
// prose.
func lead(p *page.Page) string {
	return cmp.Or(firstSentence(p.Abstract), firstSentence(p.Prose()), p.Title)
}

func sortDegraded(d []Degraded) {
	slices.SortFunc(d, func(a, b Degraded) int { return cmp.Compare(a.Arm, b.Arm) })
}
