package retrieve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"brain/index"
	"brain/page"
	"brain/text"
)

// Ask is a question from a process that may be the first to come: it builds
// the index when there is none, looks whether the tree changed, and searches
// at once while it looks. Only when the look finds a difference does it sync
// and search again, so that an unchanged tree costs the longer of the two.
// When no index can be opened or built, the files themselves are searched.
func (sr *Searcher) Ask(ctx context.Context, q Query, f index.Freshness, o index.SyncOptions) (*Answer, error) {
	start := time.Now()
	v, built, err := sr.Index.First(ctx, sr.Source, o)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return sr.scanned(ctx, q, err, start)
	}
	if built != "" {
		f = index.Never // made just now
	}
	a, v, err := sr.AskView(ctx, v, q, f)
	if err != nil {
		return nil, err
	}
	a.TookMS = ms(time.Since(start))
	return a, v.Release()
}

// AskView is Ask from a view that is at hand. It consumes the view and gives
// the one that the answer came from, which the caller releases.
func (sr *Searcher) AskView(ctx context.Context, v *index.View, q Query, f index.Freshness) (*Answer, *index.View, error) {
	if q.Now.IsZero() {
		q.Now = time.Now()
	}
	key := sr.key(v, q)
	type looked struct {
		c   index.Change
		err error
	}
	look := make(chan looked, 1)
	go func() {
		c, err := sr.Index.Look(ctx, sr.Source, v)
		look <- looked{c, err}
	}()
	a, err := sr.Search(ctx, v, q)
	l := <-look
	if err != nil {
		return nil, nil, errors.Join(err, v.Release())
	}
	if l.err != nil {
		sr.Cache.drop(key)
		a.Stale = &Stale{Why: "the tree could not be looked at: " + l.err.Error()}
		return a, v, nil
	}
	gen := v.Generation()
	v, stale, err := sr.Index.Refresh(ctx, sr.Source, v, l.c, f)
	if err != nil {
		return nil, nil, err
	}
	if v.Generation() != gen {
		sr.Cache.drop(key)
		if a, err = sr.Search(ctx, v, q); err != nil {
			return nil, nil, errors.Join(err, v.Release())
		}
	}
	if stale != nil {
		sr.Cache.drop(sr.key(v, q))
		a.Stale = &Stale{stale.Changed, stale.Why}
	}
	return a, v, nil
}

func (sr *Searcher) scanned(ctx context.Context, q Query, cause error, start time.Time) (*Answer, error) {
	a, err := sr.Scan(ctx, q)
	if err != nil {
		return nil, errors.Join(cause, err)
	}
	a.Degraded = append(a.Degraded, Degraded{"index", cause.Error()})
	a.TookMS = ms(time.Since(start))
	return a, nil
}

const scanTimeout = 2 * time.Second

// Scan is the last resort when there is no index: it looks for the words of
// the question in every file, within its time, and ranks pages by how many of
// the words they have. Filters that need an index are applied to what the
// pages say themselves.
func (sr *Searcher) Scan(ctx context.Context, q Query) (*Answer, error) {
	if q.N <= 0 {
		q.N = defaultN
	}
	a := &Answer{Query: q.Text, Brain: sr.Brain, Intent: "general", Degraded: []Degraded{}, Hits: []Hit{}}
	terms := text.Query(q.Text)
	w := newWanted(terms, nil)
	l, err := sr.Source.List(ctx)
	if err != nil {
		return nil, err
	}
	limit := q.Timeout
	if limit == 0 {
		limit = scanTimeout
	}
	deadline := time.Now().Add(limit)
	var cands []*candidate
	for i, file := range l.Files {
		if time.Now().After(deadline) || ctx.Err() != nil {
			a.Degraded = append(a.Degraded, Degraded{"scan", fmt.Sprintf("out of time after %d of %d files", i, len(l.Files))})
			break
		}
		c := &candidate{path: string(file.Path), chunk: -1}
		if agent := file.Path.Agent(); agent != "" && agent != q.Agent {
			continue
		}
		raw, err := sr.Source.Read(ctx, file.Path)
		if err != nil || !file.Path.IsSession() && bytes.IndexByte(raw, 0) >= 0 {
			continue // gone, unreadable or no text
		}
		if c.pass = w.everywhere(file.Path, raw); !c.pass.found {
			continue
		}
		pg := c.pass.parsed(c.path)
		if !pg.Ranked() || page.Retired(pg.Status) || pg.Agent != "" && pg.Agent != q.Agent {
			continue
		}
		c.page = index.Page{Path: file.Path, Title: pg.Title, Type: pg.Type, Source: pg.Source, Tags: pg.Tags,
			Tier: pg.Tier(), Created: pg.Created, Updated: pg.Updated, At: pg.At}
		if !q.match(c.page) {
			continue
		}
		c.bm25 = c.pass.covered
		c.add(Signal{Name: "scan.covered", Value: c.pass.covered})
		cands = append(cands, c)
	}
	slices.SortFunc(cands, byRank)
	p := &plan{q: q, terms: terms, intent: a.Intent}
	a.Weak = true
	a.Hits = sr.hits(ctx, p, w, cands[:min(q.N, len(cands))])
	a.Budget = spent(q, a.Hits)
	a.Note = note(p, a)
	return a, nil
}

func told(signals []Signal) string {
	var b strings.Builder
	for i, s := range signals {
		if i > 0 {
			b.WriteString(", ")
		}
		op := "+"
		if s.Op == "mul" {
			op = "×"
		}
		fmt.Fprintf(&b, "%s %s%.4f", s.Name, op, s.Value)
	}
	return b.String()
}
