// Package retrieve answers a question from one brain: intent, three arms in
// parallel, fusion, boosts, snippets, and an explanation of every score.
package retrieve

import (
	"context"
	"slices"
	"strings"
	"time"

	"brain/graph"
	"brain/index"
	"brain/llm"
)

// Query is a question and its filters; the zero value of a filter lets
// everything pass. It prints itself for logs and cache keys.
type Query struct {
	Text     string
	N        int      // hits wanted; 0 means 10
	Kinds    []string // schema types
	Without  []string // schema types that are left out
	Sources  []string
	Tags     []string
	Paths    []string      // path prefixes or globs
	Since    time.Time     // page date, inclusive
	Until    time.Time     // exclusive
	Agent    string        // whose facts and sessions count; "" none but the shared pages'
	Arms     []string      // lexical, vector, graph; empty means all
	Unit     Unit          // page or passage
	Budget   int           // tokens of text to pack into the hits; 0 means snippets only
	Overview bool          // snippets are L0, what the page is about, instead of the best passage
	Now      time.Time     // the clock; zero means time.Now
	Timeout  time.Duration // of each arm; 0 means 2 s

	depth int    // of the arms, at least
	trace *trace // of --why
}

type Unit uint8

const (
	Pages Unit = iota
	Passages
)

// Signal is one named step that changed a score. Add-type signals add Value,
// Mul-type signals multiply by it; applied in order to 0 they give the hit's
// score exactly (float64 bits).
type Signal struct {
	Name  string  `json:"name"`
	Op    string  `json:"op"` // "add" or "mul"
	Value float64 `json:"value"`
	Rank  int     `json:"rank,omitempty"` // the arm's rank, for rrf.*
	Raw   float64 `json:"raw,omitempty"`  // the arm's own score: BM25, cosine, graph evidence
	Note  string  `json:"note,omitempty"`
}

// Hit is one page (or passage) of an answer.
type Hit struct {
	Rank      int      `json:"rank"`
	Path      string   `json:"path"`
	Title     string   `json:"title"`
	Type      string   `json:"schema_type"`
	Score     float64  `json:"score"`
	Snippet   string   `json:"snippet"`
	Line      int      `json:"line"`
	Turn      int      `json:"turn,omitempty"` // of a session: the number of the turn, from 1
	Heading   string   `json:"heading,omitempty"`
	Text      string   `json:"text,omitempty"`      // with Budget
	Layer     string   `json:"layer,omitempty"`     // L0, L1, L2 of Text
	Truncated bool     `json:"truncated,omitempty"` // with Budget: Text is less than the page, turn or passage
	Evidence  []string `json:"evidence"`            // exact, alias, redirect, words, meaning, link: type via PATH …
	Updated   string   `json:"updated"`             // RFC 3339 or ""
	Sources   []string `json:"sources"`             // other paths with the same text, grouped into this hit
	Disputed  []string `json:"disputed"`
	Signals   []Signal `json:"signals"`
}

// Degraded names an arm (or "index") that could not answer and why.
type Degraded struct {
	Arm    string `json:"arm"`
	Reason string `json:"reason"`
}

// Stale says that the answer comes from an older state of the tree.
type Stale struct {
	Changed int    `json:"changed"`
	Why     string `json:"why"`
}

// Answer is what `brain query --json` prints.
type Answer struct {
	Query      string             `json:"query"`
	Brain      string             `json:"brain"`
	Intent     string             `json:"intent"`
	Relation   string             `json:"relation"` // printed graph.Relation or ""
	Generation uint64             `json:"generation"`
	Stale      *Stale             `json:"stale"`
	Weak       bool               `json:"weak"`
	Degraded   []Degraded         `json:"degraded"`
	TookMS     float64            `json:"took_ms"`
	Hits       []Hit              `json:"hits"`
	Note       string             `json:"note,omitempty"`      // why an answer is empty
	Corrected  map[string]string  `json:"corrected,omitempty"` // word of the question that is nowhere → what was searched for instead
	ArmsMS     map[string]float64 `json:"arms_ms,omitempty"`
	EmbedMS    float64            `json:"embed_ms,omitempty"`
	Budget     *Budget            `json:"budget,omitempty"` // with Query.Budget
	Cached     bool               `json:"cached,omitempty"` // given before, from the same state
}

// Searcher answers questions from one open brain.
type Searcher struct {
	Brain    string
	Index    *index.Index
	Source   index.Source   // reads page bytes for snippets
	Embedder llm.Embedder   // nil: vector arm off
	Cache    *Cache         // nil: every question is answered anew
	Lexicon  *graph.Lexicon // words of a schema pack; nil: the built-in ones
	Readings *Readings      // pages that Near has compared; nil: read anew for each
}

// Search answers a question from one view: cache, plan, three arms in parallel,
// fusion and scores, floor, order, duplicates, sessions capped, hits. The view
// stays the caller's.
func (sr *Searcher) Search(ctx context.Context, v *index.View, q Query) (*Answer, error) {
	start := time.Now()
	if q.Now.IsZero() {
		q.Now = start
	}
	if q.N <= 0 {
		q.N = defaultN
	}
	key := sr.key(v, q)
	if a := sr.Cache.get(key, start); a != nil {
		return a, nil
	}
	g := graph.New(scoped(v, q.Agent, sr.Lexicon))
	p := newPlan(v, q, sr.Lexicon)
	a := sr.answer(v, p)
	f := sr.arms(ctx, v, g, p)
	defer f.close()
	if p.related {
		a.Relation = p.relation.String() // the reading that was answered
	}
	q.trace.arms(v, p, f)
	a.Degraded = append(a.Degraded, f.degraded...)
	a.ArmsMS, a.EmbedMS = f.ms, f.embedMS
	w := newWanted(p.terms, f.words)
	w.whole = q.Budget > 0
	cands, err := sr.score(ctx, v, p, f, w)
	if err != nil {
		return nil, err
	}
	q.trace.see(scored, cands)
	cands = floor(cands)
	slices.SortFunc(cands, byRank)
	q.trace.see(floored, cands)
	cands = group(cands)
	if q.depth = f.beyondTwins(cands, q.N); q.depth > 0 {
		deeper, err := sr.Search(ctx, v, q)
		if err == nil {
			deeper.TookMS = ms(time.Since(start))
		}
		return deeper, err
	}
	q.trace.see(grouped, cands)
	cands = capSessions(&q, cands)
	q.trace.see(capped, cands)
	a.Weak = weak(p, f, cands)
	cands = cands[:min(q.N, len(cands))]
	a.Hits = sr.hits(ctx, p, w, cands)
	a.Budget = spent(q, a.Hits)
	a.Note = note(p, a)
	a.TookMS = ms(time.Since(start))
	sr.Cache.keep(key, a, cands)
	return a, nil
}

// score fuses what the arms brought and goes through the steps that change a
// score, the cheap ones first: those that read pages read the first alone.
func (sr *Searcher) score(ctx context.Context, v *index.View, p *plan, f *found, w *wanted) ([]*candidate, error) {
	cands, err := sr.fuse(v, p, f)
	if err != nil {
		return nil, err
	}
	sr.kin(v, p, f, cands)
	if p.q.Unit == Passages {
		cands = sr.expandSessions(v, p, f, cands)
	} else {
		sr.supportSessions(v, p, f, cands)
	}
	slices.SortFunc(cands, byScore)
	sr.phrases(ctx, p, w, cands)
	sr.joined(v, p, cands)
	datePreference(p, cands)
	preferKind(v, p, f, cands)
	slices.SortFunc(cands, byScore)
	boost(v, p, cands)
	p.aboveTypos(cands)
	slices.SortFunc(cands, byScore)
	return cands, nil
}

const defaultN = 10

func (sr *Searcher) answer(v *index.View, p *plan) *Answer {
	a := &Answer{Query: p.q.Text, Brain: sr.Brain, Intent: p.intent, Generation: v.Generation(), Degraded: []Degraded{}, Hits: []Hit{}}
	if p.related {
		a.Relation = p.relation.String()
	}
	a.Corrected = p.corrected()
	if p.failed != nil {
		a.Degraded = append(a.Degraded, Degraded{Lexical, "typing errors were not looked for: " + p.failed.Error()})
	}
	return a
}

// note explains an empty answer.
func note(p *plan, a *Answer) string {
	switch {
	case len(a.Hits) > 0:
		return ""
	case strings.TrimSpace(p.q.Text) == "":
		return "the question is empty"
	case len(p.terms) == 0:
		return "the question has no words to search for: only stop words, punctuation or symbols"
	case p.filtered:
		return "no page that passes the filters has anything of the question"
	}
	return "no page has anything of the question"
}
