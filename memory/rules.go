package memory

import (
	"fmt"
	"math"
)

// Policies of eviction, and how an agent comes by its facts.
const (
	ByConfidence = "confidence"
	Hybrid       = "hybrid-v1"

	Middleware = "middleware"
	Tool       = "tool"
)

// Rules are what a brain may decide about its facts. DefaultRules are DeerMem's.
type Rules struct {
	Max     int        // facts that an agent may have, from 10
	Policy  string     // ByConfidence or Hybrid: which fact goes when there are more
	Shadow  bool       // under ByConfidence, note what Hybrid would have done
	Weights [3]float64 // of Hybrid: confidence, freshness, heat; 1 in total
	Audit   int        // evictions remembered for each agent, 0 to 10,000

	NearDuplicates bool    // merge a new fact into one that says nearly the same
	NearThreshold  float64 // Jaccard of their words, 0.5 to 1

	Relevance       bool    // rank by cover of the question instead of BM25 and age
	RelevanceWeight float64 // of the question, 0 to 1; the rest is confidence
	Diversity       float64 // what likeness to a fact before costs, 0 to 1

	Staleness     bool     // have aged facts reviewed
	StaleDays     int      // 30 to 365
	Protected     []string // categories that neither age nor are consolidated
	Consolidation bool     // let several facts become one

	Injection        bool     // whether there is a block at all
	Mode             string   // Middleware or Tool
	Budget           int      // of the block, 100 to 8,000 tokens
	Guaranteed       []string // categories that stand in it first
	GuaranteedBudget int      // and their own allowance, 50 to 2,000 tokens
}

// DefaultRules are those of DeerMem.
func DefaultRules() Rules {
	return Rules{
		Max: 100, Policy: ByConfidence, Weights: [3]float64{.65, .25, .10}, Audit: 200,
		NearThreshold:   .7,
		RelevanceWeight: .5,
		Staleness:       true, StaleDays: 90, Protected: []string{"correction"},
		Injection: true, Mode: Middleware, Budget: 2000, Guaranteed: []string{"correction"}, GuaranteedBudget: 500,
	}
}

// Check refuses values out of range, naming the field.
func (r *Rules) Check() error {
	for _, n := range []struct {
		name           string
		x, least, most float64
	}{
		{"Max", float64(r.Max), 10, math.Inf(1)},
		{"Audit", float64(r.Audit), 0, 10000},
		{"NearThreshold", r.NearThreshold, .5, 1},
		{"RelevanceWeight", r.RelevanceWeight, 0, 1},
		{"Diversity", r.Diversity, 0, 1},
		{"StaleDays", float64(r.StaleDays), 30, 365},
		{"Budget", float64(r.Budget), 100, 8000},
		{"GuaranteedBudget", float64(r.GuaranteedBudget), 50, 2000},
	} {
		if !(n.x >= n.least && n.x <= n.most) {
			return fmt.Errorf("rules of facts: %s is %v: want %v to %v", n.name, n.x, n.least, n.most)
		}
	}
	switch {
	case r.Policy != ByConfidence && r.Policy != Hybrid:
		return fmt.Errorf("rules of facts: Policy is %q: want %s or %s", r.Policy, ByConfidence, Hybrid)
	case r.Mode != Middleware && r.Mode != Tool:
		return fmt.Errorf("rules of facts: Mode is %q: want %s or %s", r.Mode, Middleware, Tool)
	}
	return checkWeights(r.Weights)
}

func checkWeights(weights [3]float64) error {
	total := 0.
	for _, w := range weights {
		if !(w >= 0) {
			return fmt.Errorf("rules of facts: Weights hold %v: want numbers from 0", w)
		}
		total += w
	}
	if !(math.Abs(total-1) <= 1e-9) {
		return fmt.Errorf("rules of facts: Weights are %v in total, not 1", total)
	}
	return nil
}
