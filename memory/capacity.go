package memory

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// How many facts an agent may have, and which one goes when there is one more. There is
// one rule, whatever wrote the facts. Policy "confidence": the least confident. Policy
// "hybrid-v1", each part between 0 and 1:
//
//	score = 0.65 C + 0.25 F + 0.10 H
//	C  confidence
//	F  2^(-d/90), d days since it was confirmed; never confirmed, half of that since it was made
//	H  min(1, ln(1 + h)/ln 9), h the heat of searches, halved each 30 days (usage.go)
//
// and it keeps a tenth of the places, at most 10, for the best corrections, which are
// seldom confident and dear to lose; what they do not need goes to all. The earlier of
// two that score the same stays. Formula and numbers are DeerMem's, whose policy by
// confidence keeps no places either.

const (
	correction = "correction"

	reservedShare = 10 // one place of so many is for corrections
	maxReserved   = 10

	freshHalfLife = 90 // days
	unconfirmed   = 0.5
	heatHalfLife  = 30 // days
	fullHeat      = 8  // searches that make H whole
)

// Eviction is what the rule decided, as it stands in the audit: ids and scores, no text.
type Eviction struct {
	At       time.Time `json:"occurredAt"`
	Reason   string    `json:"reason"` // capacity
	Policy   string    `json:"policyVersion"`
	Max      int       `json:"maxFacts"`
	Reserved int       `json:"reservedCorrectionSlots"`
	Evicted  []Evicted `json:"evicted"` // the least first
	Shadow   *Shadow   `json:"shadow,omitempty"`
}

// Evicted is a fact for which there was no room.
type Evicted struct {
	ID         string             `json:"factId"`
	Category   string             `json:"category"`
	Score      float64            `json:"score"`
	Components map[string]float64 `json:"components"` // before weighing
}

// Shadow is what hybrid-v1 would have done where the policy is confidence.
type Shadow struct {
	Policy     string   `json:"policyVersion"`
	WouldEvict []string `json:"wouldEvict"` // sorted
	Disagrees  bool     `json:"disagrees"`
}

// fit decides which facts go so that no more than r.Max are left; nil when there is room.
// It changes nothing. heat is asked for only by hybrid-v1, be it the shadow.
func fit(facts []Fact, r Rules, heat func() map[string]Heat, now time.Time) *Eviction {
	if len(facts) <= r.Max {
		return nil
	}
	var hot map[string]Heat
	if r.usesHeat() {
		hot = heat()
	}
	c := newContest(facts, r, r.Policy, hot, now)
	e := &Eviction{At: now, Reason: "capacity", Policy: r.Policy, Max: r.Max, Reserved: c.reserved}
	for _, i := range c.losers {
		e.Evicted = append(e.Evicted, Evicted{facts[i].ID, facts[i].Category, c.scores[i].total, c.scores[i].components(r.Policy)})
	}
	if r.Shadow && r.Policy != Hybrid {
		e.Shadow = &Shadow{Policy: Hybrid}
		for _, i := range newContest(facts, r, Hybrid, hot, now).losers {
			e.Shadow.WouldEvict = append(e.Shadow.WouldEvict, facts[i].ID)
		}
		e.compare()
	}
	return e
}

// usesHeat reports whether searches are counted at all.
func (r *Rules) usesHeat() bool { return r.Policy == Hybrid || r.Shadow }

// compare says whether the shadow disagrees.
func (e *Eviction) compare() {
	ids := e.ids()
	slices.Sort(ids)
	slices.Sort(e.Shadow.WouldEvict)
	e.Shadow.Disagrees = !slices.Equal(ids, e.Shadow.WouldEvict)
}

func (e *Eviction) ids() []string {
	ids := make([]string, len(e.Evicted))
	for i := range e.Evicted {
		ids[i] = e.Evicted[i].ID
	}
	return ids
}

// contest is one policy applied to facts, which it knows by their indices.
type contest struct {
	scores   []score
	reserved int   // places of corrections
	losers   []int // the least first
}

func newContest(facts []Fact, r Rules, policy string, heat map[string]Heat, now time.Time) *contest {
	c := &contest{scores: make([]score, len(facts))}
	var open, corrections []int
	for i := range facts {
		c.scores[i] = scoreOf(&facts[i], r, policy, heat, now)
		if policy == Hybrid && facts[i].Category == correction {
			corrections = append(corrections, i)
		} else {
			open = append(open, i)
		}
	}
	c.reserved = min(maxReserved, (r.Max+reservedShare-1)/reservedShare, len(corrections))
	safe := least(corrections, c.reserved, func(i, j int) int { return c.ascending(j, i) })
	for _, i := range corrections {
		if !slices.Contains(safe, i) {
			open = append(open, i)
		}
	}
	c.losers = least(open, len(facts)-r.Max, c.ascending)
	return c
}

// ascending is the order in which facts go: by score, and of two that score the same the
// later one.
func (c *contest) ascending(i, j int) int {
	return cmp.Or(cmp.Compare(c.scores[i].total, c.scores[j].total), j-i)
}

// score is what a fact is worth, and why.
type score struct{ total, confidence, freshness, heat float64 }

func scoreOf(f *Fact, r Rules, policy string, heat map[string]Heat, now time.Time) score {
	s := score{confidence: bounded(f.Confidence)}
	if policy != Hybrid {
		s.total = s.confidence
		return s
	}
	s.freshness = freshness(f, now)
	s.heat = min(1, math.Log1p(heat[f.ID].at(now))/math.Log1p(fullHeat))
	w := r.Weights // each product is rounded by itself, so that all machines agree
	s.total = float64(w[0]*s.confidence) + float64(w[1]*s.freshness) + float64(w[2]*s.heat)
	return s
}

func (s score) components(policy string) map[string]float64 {
	parts := map[string]float64{"confidence": s.confidence}
	if policy == Hybrid {
		parts["confirmationFreshness"], parts["accessHeat"] = s.freshness, s.heat
	}
	return parts
}

// bounded is a confidence between 0 and 1, the default for what is no number.
func bounded(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return DefaultConfidence
	}
	return min(max(x, 0), 1)
}

// freshness is 0 where no time is known.
func freshness(f *Fact, now time.Time) float64 {
	switch {
	case !f.Confirmed.IsZero():
		return halved(f.Confirmed, now, freshHalfLife)
	case !f.Created.IsZero():
		return unconfirmed * halved(f.Created, now, freshHalfLife)
	}
	return 0
}

// halved is what is left of 1 since a time, at a half-life in days. What lies ahead, by
// a clock that was wrong, is whole.
func halved(since, now time.Time, halfLife float64) float64 {
	days := max(0, now.Sub(since).Hours()/24)
	return math.Exp2(-days / halfLife)
}

// least are the k of ids that come first in a total order, in that order. One of 10,000
// costs a look at each: what comes behind the k first so far is passed over, and they are
// sorted only when as many as them were met again.
func least(ids []int, k int, order func(i, j int) int) []int {
	k = min(k, len(ids))
	if k <= 0 {
		return nil
	}
	room := max(2*k, 64)
	first := make([]int, 0, min(room, len(ids)))
	full := false // first[k-1] is the last that counts
	for _, id := range ids {
		if full && order(id, first[k-1]) > 0 {
			continue
		}
		if first = append(first, id); len(first) == room {
			slices.SortFunc(first, order)
			first, full = first[:k], true
		}
	}
	slices.SortFunc(first, order)
	return first[:k]
}

// Excess is by how many facts an agent that has n has too many.
func (m *Facts) Excess(n int) int { return max(0, n-m.rules().Max) }
