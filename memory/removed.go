package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"brain/page"
	"brain/store"
)

// Nothing is kept of a fact that goes but what undo keeps of every file: its bytes, for
// 90 days, and why it went. So what is gone can be looked through and brought back one by
// one, also where `undo` would bring back all that went with it.

// Removed is a fact that is gone, as it was.
type Removed struct {
	Fact
	At  time.Time // when it went
	Job string    // undoing it brings back all that it took away
	Why string    // one of those below, or what the job was for: delete, clear, compile …
}

// Why a fact went in a job that was for something else.
const (
	forCapacity = "capacity"
	forAge      = "stale"
	forMerging  = "consolidation"
)

// Removed lists the facts of an agent that are gone and that the undo store still holds,
// the last to go first. What was purged is not among them.
func (m *Facts) Removed(ctx context.Context, agent string) ([]Removed, error) {
	out, err := m.removed(ctx, agent)
	if err != nil {
		return nil, fmt.Errorf("list facts that are gone: %w", err)
	}
	return out, nil
}

func (m *Facts) removed(ctx context.Context, agent string) (out []Removed, err error) {
	sc, err := m.scope(agent)
	if err != nil {
		return nil, err
	}
	g, err := m.newGone(ctx, sc.agent)
	if err != nil {
		return nil, err
	}
	l, err := m.Store.ListIn(ctx, "agents/"+sc.agent+"/facts")
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for _, f := range l.Files {
		there[f.Path.Stem()] = true
	}
	for _, r := range g.removals("") {
		if there[r.path.Stem()] {
			continue
		}
		if _, err := m.Store.Read(ctx, r.path); !errors.Is(err, store.ErrNotFound) {
			if ctx.Err() != nil {
				return nil, err
			}
			continue // it is there, hidden, or may be
		}
		if gone, err := g.read(r); err == nil {
			out = append(out, gone)
		}
	}
	return out, nil
}

// gone is what the undo store knows of an agent's facts.
type gone struct {
	m      *Facts
	agent  string
	jobs   []store.Job // newest first
	purges *store.Purges
}

// removal is the change that took a fact away.
type removal struct {
	job    *store.Job
	path   page.Path
	change store.Change
}

func (m *Facts) newGone(ctx context.Context, agent string) (*gone, error) {
	jobs, err := m.Store.Jobs(0)
	if err != nil {
		return nil, err
	}
	purges, err := m.Store.Forgotten(ctx)
	return &gone{m, agent, jobs, purges}, err
}

// removals are the last of each fact, or that of the one with an id, newest first.
func (g *gone) removals(id string) (out []removal) {
	seen := map[string]bool{}
	within := "agents/" + g.agent + "/facts/"
	for i := range g.jobs {
		j := &g.jobs[i]
		begin := len(out)
		for _, c := range j.Changes {
			p := page.Path(c.Path)
			if c.After != "" || !strings.HasPrefix(c.Path, within) || seen[p.Stem()] || id != "" && p.Stem() != id {
				continue
			}
			seen[p.Stem()] = true
			out = append(out, removal{j, p, c})
		}
		slices.SortFunc(out[begin:], func(a, b removal) int { return strings.Compare(a.path.Stem(), b.path.Stem()) })
	}
	return out
}

// read gives the fact as it was. Errors: store.ErrCannotUndo, ErrFact.
func (g *gone) read(r removal) (Removed, error) {
	raw, err := g.m.Store.Before(r.job.ID, r.change)
	if err != nil {
		return Removed{}, err
	}
	f, _, err := ParseFact(r.path, raw)
	if err == nil && g.isPurged(r.path, raw) {
		err = fmt.Errorf("%w: it was purged", store.ErrCannotUndo)
	}
	why := orElse(r.change.Why, strings.TrimPrefix(r.job.Reason, "fact "))
	return Removed{Fact: f, At: r.job.At, Job: r.job.ID, Why: why}, err
}

// isPurged reports whether a fact, or another that said the same, was to be forgotten.
func (g *gone) isPurged(p page.Path, raw []byte) bool {
	said := page.Parse(p, raw)
	return g.purges.Path(p) || g.purges.Text(said.Title) || g.purges.Text(said.Body)
}

// Restore brings back one fact that is gone, as it was, with a revision above the one that
// it had, whatever else its job did. It is a change like any other: somebody may have
// said the same since, or there may be no room. Errors: store.ErrExists when a fact of
// that id is there; ErrUnknown when the undo store holds none, or store.ErrCannotUndo when
// it was purged; *DuplicateError; ErrEvicted.
func (m *Facts) Restore(ctx context.Context, agent, id string) (*Delta, error) {
	d, err := m.change(ctx, "fact restore", agent, func(b *Batch) error {
		if _, err := b.Fact(id); !errors.Is(err, ErrUnknown) {
			if err == nil {
				err = store.ErrExists
			}
			return err
		}
		g, err := m.newGone(ctx, b.agent)
		if err != nil {
			return err
		}
		last := g.removals(id)
		if len(last) == 0 || id == "" {
			return fmt.Errorf("%w, and the undo store holds none", ErrUnknown)
		}
		r, err := g.read(last[0])
		if err != nil {
			return err
		}
		return b.restore(r.Fact)
	})
	if err != nil {
		return nil, fmt.Errorf("restore fact %q: %w", id, err)
	}
	return d, nil
}

// restore stages a fact that was there before. It comes back as itself: it is not merged
// into another, and none has to go for it unawares if it is the one that would.
func (b *Batch) restore(f Fact) error {
	f.Revision++
	if _, _, err := b.Add(f, AddOptions{Exempt: true}); err != nil {
		return err
	}
	out, err := b.Fit()
	if err == nil && slices.ContainsFunc(out, func(e Evicted) bool { return e.ID == f.ID }) {
		err = fmt.Errorf("%w (%d at most)", ErrEvicted, b.m.rules().Max)
	}
	return err
}

// Purged takes a fact out of all that is known beside its file, which was purged.
func (m *Facts) Purged(ctx context.Context, p page.Path) {
	sc, err := m.scope(p.Agent())
	if err == nil && strings.HasPrefix(string(p), "agents/"+sc.agent+"/facts/") {
		sc.side.scrub(ctx, []string{p.Stem()})
	}
}
