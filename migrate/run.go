package migrate

import (
	"context"
	"errors"
	"slices"

	"brain/memory"
	"brain/page"
	"brain/store"
)

// Run writes what is not there yet. What was written before an error stays, and the
// report says what that is; the same import once more writes the rest.
func (im *Import) Run(ctx context.Context) (*Report, error) {
	r := &run{pass: pass{im: im, rep: newReport()}, facts: map[string][]*Fact{}}
	err := im.Read(ctx, im.Source, im.Options, func(it Item) error { return r.take(ctx, it) })
	if err == nil {
		err = r.flush(ctx)
	}
	slices.Reverse(r.rep.Jobs)
	slices.Sort(r.rep.Users)
	return r.rep, err
}

// run is a pass that writes.
type run struct {
	pass
	pages []*Page
	bytes int
	facts map[string][]*Fact // by agent
	done  int
}

func (r *run) take(ctx context.Context, it Item) error {
	switch {
	case it.Page != nil:
		r.rep.Pages.Found++
		r.pages = append(r.pages, it.Page)
		if r.bytes += len(it.Page.Raw); len(r.pages) >= slicePages || r.bytes >= sliceBytes {
			return r.writePages(ctx)
		}
	case it.Fact != nil:
		r.rep.Facts.Found++
		r.rep.user(it.Fact.User)
		agent, err := r.im.agent(it.Fact)
		if err != nil {
			return r.factIs(it.Fact, isNew, "", err)
		}
		if r.facts[agent] = append(r.facts[agent], it.Fact); len(r.facts[agent]) >= sliceFacts {
			return r.writeFacts(ctx, agent)
		}
	default:
		r.rep.drop(*it.Dropped)
	}
	return nil
}

// flush writes what is left.
func (r *run) flush(ctx context.Context) error {
	if err := r.writePages(ctx); err != nil {
		return err
	}
	var agents []string
	for agent := range r.facts {
		agents = append(agents, agent)
	}
	slices.Sort(agents)
	for _, agent := range agents {
		if err := r.writeFacts(ctx, agent); err != nil {
			return err
		}
	}
	return nil
}

// update is one update of the brain. fn may run more than once: what it finds out counts
// when it is over, by the function that it gives.
func (r *run) update(ctx context.Context, n int, fn func(tx *store.Tx) (count func() error, err error)) error {
	var receipt *store.Receipt
	var count func() error
	err := r.im.Store.Update(ctx, "migrate", func(tx *store.Tx) (err error) {
		receipt = tx.Receipt()
		if r.gone, err = r.im.Store.Forgotten(ctx); err != nil {
			return err
		}
		count, err = fn(tx)
		return err
	})
	if err != nil {
		return err
	}
	if err := count(); err != nil {
		return err
	}
	if receipt.Job != "" {
		r.rep.Jobs = append(r.rep.Jobs, receipt.Job)
	}
	if r.im.Told != nil && len(receipt.Paths) > 0 {
		r.im.Told(*receipt)
	}
	if r.done += n; r.im.Progress != nil {
		r.im.Progress(r.done)
	}
	return nil
}

// placed is what became of a page.
type placed struct {
	verdict
	at  page.Path
	err error
}

func (r *run) writePages(ctx context.Context) error {
	pages := r.pages
	r.pages, r.bytes = nil, 0
	if len(pages) == 0 {
		return nil
	}
	return r.update(ctx, len(pages), func(tx *store.Tx) (func() error, error) {
		all := make([]placed, len(pages))
		for i, p := range pages {
			if all[i] = r.put(tx, p); all[i].err != nil && !isOfItem(all[i].err) {
				return nil, all[i].err
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		return func() error {
			for i, p := range pages {
				if err := r.pageIs(p, all[i].verdict, all[i].at, all[i].err); err != nil {
					return err
				}
			}
			return nil
		}, nil
	})
}

// put writes one page, if it is to be.
func (r *run) put(tx *store.Tx, p *Page) placed {
	v, at, err := judge(p, tx.Read)
	if err == nil && v == isNew && !r.forgotten(at, p.Raw) {
		err = tx.Add(at, p.Raw)
	}
	return placed{v, at, err}
}

// kept is what became of a fact.
type kept struct {
	verdict
	twin string
	err  error
	id   string // of a fact that was added
}

func (r *run) writeFacts(ctx context.Context, agent string) error {
	facts := r.facts[agent]
	delete(r.facts, agent)
	if len(facts) == 0 {
		return nil
	}
	var delta *memory.Delta
	err := r.update(ctx, len(facts), func(tx *store.Tx) (func() error, error) {
		b, err := r.im.Facts.Batch(ctx, tx, agent)
		if err != nil {
			return nil, err
		}
		all := make([]kept, len(facts))
		for i, f := range facts {
			if all[i] = r.keep(b, f); all[i].err != nil && !isOfItem(all[i].err) {
				return nil, all[i].err
			}
		}
		out, err := b.Fit()
		if err != nil {
			return nil, err
		}
		if delta, err = b.Write(); err != nil {
			return nil, err
		}
		return func() error { return r.countFacts(facts, all, out) }, nil
	})
	if err != nil {
		return err
	}
	r.im.Facts.Settle(delta)
	return nil
}

// keep adds one fact, if it is to be.
func (r *run) keep(b *memory.Batch, f *Fact) kept {
	switch have, err := b.Fact(f.ID); {
	case err == nil:
		return kept{verdict: sameOr(memory.ContentKey(have.Content) == memory.ContentKey(f.Content))}
	case errors.Is(err, memory.ErrFact): // its file is there, archived or edited
		return kept{verdict: isDifferent}
	case !errors.Is(err, memory.ErrUnknown):
		return kept{verdict: isDifferent, err: err}
	case r.gone.Text(f.Content):
		return kept{}
	}
	fresh := f.Fact
	fresh.User = "" // whose it is here, the brain says
	id, merged, err := b.Add(fresh, memory.AddOptions{})
	if twin, ok := errors.AsType[*memory.DuplicateError](err); ok {
		return kept{twin: twin.ID}
	}
	switch {
	case merged:
		return kept{twin: id}
	case errors.Is(err, memory.ErrFactConflict):
		return kept{verdict: isDifferent}
	}
	return kept{err: err, id: id}
}

// countFacts counts the facts of one update; out are those that made room, new ones
// among them.
func (r *run) countFacts(facts []*Fact, all []kept, out []memory.Evicted) error {
	gone := map[string]bool{}
	for _, e := range out {
		gone[e.ID] = true
	}
	for i, f := range facts {
		k := all[i]
		if k.id != "" && gone[k.id] {
			delete(gone, k.id)
			r.rep.drop(*drop(Evicted, f.Content, f.Where, "").Dropped)
			continue
		}
		if err := r.factIs(f, k.verdict, k.twin, k.err); err != nil {
			return err
		}
	}
	for _, e := range out {
		if gone[e.ID] {
			r.rep.Evicted = append(r.rep.Evicted, e.ID)
		}
	}
	return nil
}
