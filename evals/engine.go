package evals

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"brain/index"
	"brain/page"
	"brain/retrieve"
	"brain/store"
)

// engine is one brain of a temporary root, indexed, and asked as
// `brain query` asks.
type engine struct {
	t    *tree
	st   *store.Store
	ix   *index.Index
	v    *index.View
	sr   retrieve.Searcher
	dir  string // of the index
	cost IndexCost
	bare int            // passages that wait for a vector
	left map[string]int // files that are not indexed, by why
}

// tempRoot makes an empty memory root. memory.yml is there before Init, so
// that a temporary folder inside somebody's memory root is not taken for a
// part of it.
func tempRoot(parent string) (dir string, remove func() error, err error) {
	if dir, err = os.MkdirTemp(parent, "brain-eval-"); err != nil {
		return "", nil, fmt.Errorf("make a temporary root: %w", err)
	}
	remove = func() error { return os.RemoveAll(dir) }
	if err := os.WriteFile(filepath.Join(dir, "memory.yml"), nil, 0o666); err != nil {
		return "", nil, errors.Join(fmt.Errorf("make a temporary root: %w", err), remove())
	}
	return dir, remove, nil
}

// newBrain makes an empty brain of a temporary root and the tree to plant.
func newBrain(root, name, scope string) (*tree, error) {
	rep, err := store.Init(root, store.InitOptions{Brain: name, Now: epoch})
	if err != nil {
		return nil, err
	}
	t := newTree(scope, rep.Dir)
	t.root, t.brain = rep.Root, rep.Brain
	return t, nil
}

// epoch is the clock of a set that knows no dates at all. Any fixed day will
// do: without dates nothing is newer than anything else.
var epoch = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// openEngine indexes a planted tree and opens it for questions.
func openEngine(ctx context.Context, t *tree, o Options) (e *engine, err error) {
	e = &engine{t: t, dir: filepath.Join(t.root.StateDir(), "index", t.brain)}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("index scope %q: %w", t.scope, err), e.close())
		}
	}()
	if e.st, err = store.Open(t.root, t.brain); err != nil {
		return e, err
	}
	e.ix, err = index.Open(index.Options{Dir: e.dir, Embedder: o.Embedder, Vectors: o.Vectors})
	if err != nil {
		return e, err
	}
	e.sr = retrieve.Searcher{Brain: t.brain, Index: e.ix, Source: e.st, Embedder: o.Embedder}
	if err = e.sync(ctx); err != nil {
		return e, err
	}
	e.v, err = e.ix.View()
	return e, err
}

// sync indexes everything and counts what it cost. Files that could not be
// read would make the figures those of another set; so would vectors, when an
// embedder was to make them and made none.
func (e *engine) sync(ctx context.Context) error {
	start := time.Now()
	rep, err := e.ix.Sync(ctx, e.st, index.SyncOptions{Pending: true})
	if err != nil {
		return err
	}
	e.cost = IndexCost{Files: rep.Added, Seconds: time.Since(start).Seconds(), TextBytes: rep.Bytes}
	if e.left = rep.Skipped; len(rep.Unreadable) > 0 {
		return fmt.Errorf("%w: %d files could not be read, first %s", ErrData, len(rep.Unreadable), rep.Unreadable[0])
	}
	if e.sr.Embedder != nil {
		e.bare = rep.Failed + rep.Pending
	}
	if e.bare > 0 && rep.Embedded+rep.Reused == 0 {
		return fmt.Errorf("none of %d passages got a vector: the embedder does not answer", e.bare)
	}
	e.cost.Bytes, err = diskUse(e.dir)
	return err
}

func diskUse(dir string) (sum int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		fi, err := d.Info()
		if err == nil {
			sum += fi.Size()
		}
		return err
	})
	return sum, err
}

// missing lists the documents among ids that no answer can name: the index
// does not hold their pages or sessions, or does not rank them.
func (e *engine) missing(ids []string) []string {
	var out []string
	for _, id := range ids {
		row, ok := e.v.Lookup(e.t.paths[id])
		if !ok || !e.v.Page(row).Ranked {
			out = append(out, id)
		}
	}
	return out
}

// clock is the day on which a question is asked: its own, else that of the
// newest document, else of the newest page by its own front matter.
func (e *engine) clock(asked time.Time) time.Time {
	if !asked.IsZero() {
		return asked
	}
	if e.t.newest.IsZero() {
		e.t.newest = epoch
		newest := time.Time{}
		for row := range e.v.All {
			p := e.v.Page(row)
			for _, d := range []time.Time{p.Created, p.Updated, p.At} {
				if d.After(newest) {
					newest = d
				}
			}
		}
		if !newest.IsZero() {
			e.t.newest = newest
		}
	}
	return e.t.newest
}

// ask puts one question and returns the documents found, best first.
func (e *engine) ask(ctx context.Context, q retrieve.Query) ([]string, *retrieve.Answer, error) {
	ans, err := e.sr.Search(ctx, e.v, q)
	if err != nil {
		return nil, nil, err
	}
	ranked, err := e.t.ranking(ans.Hits, q.N)
	return ranked, ans, err
}

// ranking maps hits back to documents. A document found twice (by two passages)
// counts once, at its first place.
func (t *tree) ranking(hits []retrieve.Hit, k int) ([]string, error) {
	ranked := make([]string, 0, k)
	seen := make(map[string]bool, k)
	for _, h := range hits {
		ids, err := t.named(h)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if !seen[id] && len(ranked) < k {
				seen[id] = true
				ranked = append(ranked, id)
			}
		}
	}
	return ranked, nil
}

// named gives the documents that a hit names. Pages of the same text come as
// one hit that names the others: each of them takes a rank of its own, since a
// reader would have to look at it. So does a session of which no turn is named;
// it is no document, and stands there by its path.
func (t *tree) named(h retrieve.Hit) ([]string, error) {
	if said := t.turns[page.Path(h.Path)]; said != nil {
		switch {
		case h.Turn == 0:
			return []string{h.Path}, nil
		case h.Turn < 0 || h.Turn > len(said):
			return nil, fmt.Errorf("an answer names turn %d of %q, which has %d", h.Turn, h.Path, len(said))
		}
		return said[h.Turn-1 : h.Turn], nil
	}
	var ids []string
	for _, p := range append([]string{h.Path}, h.Sources...) {
		id, planted := t.ids[page.Path(p)]
		if !planted {
			return nil, fmt.Errorf("an answer names %q, which was never written", p)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func (e *engine) close() error {
	var errs []error
	if e.v != nil {
		errs = append(errs, e.v.Release())
	}
	if e.ix != nil {
		errs = append(errs, e.ix.Close())
	}
	if e.st != nil {
		errs = append(errs, e.st.Close())
	}
	return errors.Join(errs...)
}
