package retrieve

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"brain/graph"
	"brain/index"
	"brain/llm"
)

// found is what the arms brought back. Each arm fails alone: the others go
// on and the answer says which one is missing.
type found struct {
	lexical  []index.Match
	words    *index.LexicalResult // nil when the arm did not run
	vector   []index.Match
	query    []float32 // the question's vector, nil without
	graph    []graph.Reached
	degraded []Degraded
	ms       map[string]float64
	embedMS  float64
	depth    int             // an arm that brought fewer pages brought all it had
	space    llm.Info        // of query
	like     map[uint32]bool // pages that only a corrected word names
}

func (f *found) close() {
	if f.words != nil {
		f.words.Close()
	}
}

const (
	armDepth     = 100                    // candidates of one arm
	armTimeout   = 2 * time.Second        // of an arm, unless the question says otherwise
	embedTimeout = 250 * time.Millisecond // a model server's answer for one question
)

// arms runs the arms that the plan asks for, in parallel.
func (sr *Searcher) arms(ctx context.Context, v *index.View, g *graph.Graph, p *plan) *found {
	f := &found{ms: map[string]float64{}}
	limit := p.q.Timeout
	if limit == 0 {
		limit = armTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var mu sync.Mutex
	var wg sync.WaitGroup
	run := func(name string, arm func(context.Context) error) {
		if !p.arms[name] {
			return
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			start := time.Now()
			err := arm(ctx)
			took := ms(time.Since(start))
			mu.Lock()
			defer mu.Unlock()
			f.ms[name] = took
			if err != nil {
				f.degraded = append(f.degraded, Degraded{name, reason(err, limit)})
			}
		}()
	}
	f.depth = max(armDepth, 3*min(p.q.N, v.Len()), p.q.depth)
	run(Lexical, func(ctx context.Context) error { return f.findWords(ctx, v, p) })
	run(Vector, func(ctx context.Context) error { return sr.findMeaning(ctx, f, v, p) })
	run(Graph, func(context.Context) error { f.findLinks(v, g, p); return nil })
	wg.Wait()
	sortDegraded(f.degraded)
	return f
}

func (f *found) findWords(ctx context.Context, v *index.View, p *plan) error {
	if len(p.terms) == 0 {
		return nil
	}
	r, err := v.Lexical(ctx, p.terms, p.q.Agent)
	if err != nil {
		return err
	}
	f.words = r
	f.lexical, err = r.Top(f.depth, p.accept)
	return err
}

func errSpace(v *index.View, embedder string) error {
	return fmt.Errorf("the index holds vectors of %s, the embedder is %s: `brain sync` makes them anew", v.Fingerprint(), embedder)
}

var errNoVectors = errors.New("no vectors yet: `brain sync` makes them")

func (sr *Searcher) findMeaning(ctx context.Context, f *found, v *index.View, p *plan) error {
	if sr.Embedder == nil || v.Len() == 0 || len(p.terms) == 0 {
		return nil // a question without words means nothing
	}
	info := sr.Embedder.Info()
	if !v.HasVectors() && !info.Remote && v.Fingerprint() == info.Fingerprint {
		return nil // made, and no page has a word that the embedder knows
	}
	if !v.HasVectors() {
		return errNoVectors
	}
	if !v.SameSpace(info.Fingerprint) {
		return errSpace(v, info.Fingerprint)
	}
	ectx := ctx
	if info.Remote {
		var cancel context.CancelFunc
		ectx, cancel = context.WithTimeout(ctx, embedTimeout)
		defer cancel()
	}
	start := time.Now()
	vecs, err := sr.Embedder.Embed(ectx, []string{p.q.Text})
	f.embedMS = ms(time.Since(start))
	if err != nil && ctx.Err() == nil && ectx.Err() != nil {
		return fmt.Errorf("the question had no vector within %v: %v", embedTimeout, err)
	}
	if err != nil {
		return err
	}
	// A server may have learned only now which model stands behind its name.
	if fp := sr.Embedder.Info().Fingerprint; !v.SameSpace(fp) {
		return errSpace(v, fp)
	}
	if len(vecs) != 1 || vecs[0] == nil {
		return nil // no word that the embedder knows: nothing is near
	}
	f.query, f.space = vecs[0], sr.Embedder.Info()
	f.vector, err = v.Nearest(ctx, f.query, f.depth, p.accept)
	return err
}

// findLinks walks from the entities that the question names, or along the
// relation that it asks for.
func (f *found) findLinks(v *index.View, g *graph.Graph, p *plan) {
	var reached []graph.Reached
	if p.related {
		reached = g.Answer(p.relation)
		for i := 0; len(reached) == 0 && i < len(p.others); i++ {
			p.relation = p.others[i]
			reached = g.Answer(p.relation)
		}
	}
	if len(reached) == 0 {
		p.related = false // asked for, but no link knows it
		var nodes []uint32
		nodes, f.like = p.seeds(g)
		if len(nodes) > 0 {
			o := graph.WalkOptions{Seeds: nodes}
			if p.filtered {
				o.Limit = v.Nodes() // what passes the filter may be the last that is reached
			}
			reached = f.exactFirst(g.Walk(o))
		}
	}
	for _, r := range reached {
		if p.accept(r.Node) {
			f.graph = append(f.graph, r)
		}
	}
	f.graph = f.graph[:min(len(f.graph), armDepth)]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func reason(err error, limit time.Duration) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no answer within %v: %v", limit, err)
	}
	return err.Error()
}
