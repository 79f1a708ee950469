package memory

import (
	"context"
	"fmt"
	"strings"
	"time"

	"brain/page"
)

// Search is a question to an agent's facts.
type Search struct {
	Query    string
	Category string // "" is any
	N        int    // at most so many; 0 is 10, below 0 all
}

// Found is a fact with the score that it was found by, and what made that.
type Found struct {
	Fact
	Score float64
	Parts
}

const defaultFound = 10

// Search finds the facts that answer a question, the best first: by BM25, age and
// confidence, or by relevance, as Rules.Relevance says. Fewer asked for are the first of
// more. What is found is noted as heat where Rules.Policy, or its shadow, goes by it; a
// fact's file is never touched.
func (m *Facts) Search(ctx context.Context, agent string, s Search) ([]Found, error) {
	found, sc, err := m.rank(ctx, agent, s)
	if err != nil {
		return nil, fmt.Errorf("search facts for %q: %w", s.Query, err)
	}
	if r := m.rules(); !r.usesHeat() || len(found) == 0 {
		return found, nil
	}
	ids := make([]string, len(found))
	for i := range found {
		ids[i] = found[i].ID
	}
	sc.side.hit(ctx, ids, sc.place, m.now())
	return found, nil
}

// rank is Search that leaves no trace.
func (m *Facts) rank(ctx context.Context, agent string, s Search) (found []Found, sc *scope, err error) {
	sc, err = m.scope(agent)
	if err != nil {
		return nil, nil, err
	}
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if err := sc.load(ctx, m.Store.Read); err != nil {
		return nil, nil, err
	}
	if s.N == 0 {
		s.N = defaultFound
	}
	for _, r := range sc.find(s, m.rules(), m.now()) {
		found = append(found, Found{Fact: r.fact.clone(), Score: r.score, Parts: r.Parts})
	}
	return found, sc, nil
}

// Damaged are the files among an agent's facts that are none, as the last call that read
// the facts found them. It looks at nothing itself.
func (m *Facts) Damaged(agent string) []Damaged {
	sc, err := m.scope(agent)
	if err != nil {
		return nil
	}
	sc.mu.Lock()
	defer sc.mu.Unlock()
	return sc.damaged()
}

// find ranks what the scope holds. Who asks nothing is told nothing.
func (sc *scope) find(s Search, r Rules, now time.Time) []scored {
	if strings.TrimSpace(s.Query) == "" {
		return nil
	}
	if !r.Relevance {
		return tallied[corpus](sc, toFind).search(s.Query, s.Category, s.N, now)
	}
	return tallied[cover](sc, toRelevance).ask(s.Query, s.Category, r.RelevanceWeight).pick(nil, r.Diversity, atMost(s.N))
}

// place is where the file of a fact lies, as of the last look.
func (sc *scope) place(id string) (page.Path, bool) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if h := sc.byID[id]; h != nil {
		return h.path, true
	}
	return "", false
}
