package memory

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Facts grow old. One that nobody confirmed for as long as it was expected to hold is
// a candidate: a model that reads a conversation anyway says of each whether it is
// kept, taken away, or good for some days more. What it says is held against the
// candidates as they are, whatever it was shown:
//
//	removal    a candidate, and a reason; ten at a time, the least certain first
//	extension  a candidate that nobody proposed to take away: from today on, by the
//	           days that are given, ten years after its creation at most
//
// Age counts from the last confirmation, else from creation: to be mentioned again is
// no confirmation. A fact whose dates or days cannot be read has no age.

const (
	// MaxValidDays bounds how long a fact says that it holds when it is made.
	MaxValidDays = defaultStaleDays * 20

	defaultStaleDays = 90
	maxExtendedDays  = 3650
	maxRemovals      = 10 // of one review
)

// Review is what somebody says of facts that grew old. Those of which it says nothing
// are kept.
type Review struct {
	Remove []StaleRemoval
	Extend []StaleExtension
}

// StaleRemoval asks to take a fact away.
type StaleRemoval struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// StaleExtension asks to keep a fact for some days more.
type StaleExtension struct {
	ID     string          `json:"id"`
	Days   json.RawMessage `json:"extend_by_days"` // a number from 1; see Days
	Reason string          `json:"reason"`
}

// ReviewReport is what came of a review.
type ReviewReport struct {
	Removed  []StaleRemoval
	Extended []Extended
	Refused  []Refusal
}

// Extended is a fact that holds longer.
type Extended struct {
	ID   string `json:"id"`
	Days int    `json:"days"` // since its creation, after which it is looked at again
}

// Refusal is a proposal that was not carried out.
type Refusal struct {
	IDs    []string // of the facts that it names
	Reason string
}

// StaleCandidates are the facts that a review is about, those first whose time was over
// first. They are the same whether reviews are on or off.
func StaleCandidates(facts []Fact, r Rules, now time.Time) (out []Fact) {
	for i := range facts {
		if r.stale(&facts[i], now) == "" {
			out = append(out, facts[i])
		}
	}
	slices.SortStableFunc(out, func(a, b Fact) int {
		at, _ := r.deadline(&a)
		bt, _ := r.deadline(&b)
		return cmp.Or(at.Compare(bt), strings.Compare(a.ID, b.ID))
	})
	return out
}

// fewAged is how many candidates are worth a question.
const fewAged = 3

// Aged are the facts that a model is to be asked about: the candidates, unless reviews
// are off or they are few.
func (m *Facts) Aged(facts []Fact) []Fact {
	r := m.rules()
	if !r.Staleness {
		return nil
	}
	all := StaleCandidates(facts, r, m.now())
	if len(all) < fewAged {
		return nil
	}
	return all
}

// stale says why a fact is no candidate, "" for one that is.
func (r Rules) stale(f *Fact, now time.Time) string {
	if r.protects(f.Category) {
		return "the category " + f.Category + " is protected"
	}
	at, ok := r.deadline(f)
	switch {
	case !ok:
		return "its age is not known"
	case !now.After(at):
		return "it holds until " + at.UTC().Format(time.DateOnly)
	}
	return ""
}

func (r Rules) protects(category string) bool {
	return slices.ContainsFunc(r.Protected, func(p string) bool { return strings.EqualFold(p, category) })
}

// deadline is the day from which on a fact is to be looked at again; false where its
// dates or days do not tell.
func (r Rules) deadline(f *Fact) (time.Time, bool) {
	from := f.Confirmed
	if from.IsZero() {
		from = f.Created
	}
	if from.IsZero() || f.ageless {
		return time.Time{}, false
	}
	days := f.ValidDays
	if days < 1 {
		days = cmp.Or(r.StaleDays, defaultStaleDays)
	}
	return from.UTC().AddDate(0, 0, days), true
}

// Days reads a number of days as a model writes one: from 1 to most, without what stands
// behind its point. All else is 0, such as true, "30", 0.5, -3 and what no machine can hold.
func Days(raw json.RawMessage, most int) int {
	var v float64
	if len(raw) == 0 || raw[0] == 'n' || json.Unmarshal(raw, &v) != nil || !(v >= 1) || math.IsInf(v, 0) {
		return 0
	}
	return int(min(v, float64(most)))
}

// Review carries out what is allowed of a review.
func (b *Batch) Review(v Review) (ReviewReport, error) {
	if len(v.Remove)+len(v.Extend) == 0 {
		return ReviewReport{}, nil
	}
	facts, err := b.All()
	if err != nil {
		return ReviewReport{}, err
	}
	remove, extend, refused := b.m.rules().review(v, facts, b.now)
	rep := ReviewReport{Removed: remove, Refused: refused}
	for _, rm := range remove {
		if err := b.Remove(rm.ID); err != nil {
			return rep, err
		}
		b.because(rm.ID, forAge)
	}
	for _, f := range extend {
		if err := b.Put(f); err != nil {
			return rep, err
		}
		rep.Extended = append(rep.Extended, Extended{f.ID, f.ValidDays})
	}
	return rep, nil
}

// reviewing is the work on a review.
type reviewing struct {
	Rules
	now     time.Time
	facts   map[string]*Fact
	refused []Refusal
}

// review decides what of a review is carried out. facts stays as it is.
func (r Rules) review(v Review, facts []Fact, now time.Time) (remove []StaleRemoval, extend []Fact, refused []Refusal) {
	w := reviewing{Rules: r, now: now, facts: byID(facts)}
	proposed := map[string]bool{}
	for _, rm := range v.Remove {
		if proposed[rm.ID] {
			continue // said twice is said once
		}
		proposed[rm.ID] = true
		why := w.candidate(rm.ID)
		if why == "" && strings.TrimSpace(rm.Reason) == "" {
			why = "no reason is given"
		}
		if w.passes(rm.ID, why) {
			remove = append(remove, rm)
		}
	}
	remove = w.leastCertain(remove)
	longer := map[string]bool{}
	for _, ex := range v.Extend {
		if longer[ex.ID] {
			continue
		}
		longer[ex.ID] = true
		why := w.candidate(ex.ID)
		if proposed[ex.ID] {
			why = "it was proposed for removal"
		}
		if f, ok := w.extended(ex, why); ok {
			extend = append(extend, f)
		}
	}
	return remove, extend, w.refused
}

func byID(facts []Fact) map[string]*Fact {
	all := make(map[string]*Fact, len(facts))
	for i := range facts {
		all[facts[i].ID] = &facts[i]
	}
	return all
}

// passes notes a refusal, if there is a reason for one.
func (w *reviewing) passes(id, why string) bool {
	if why != "" {
		w.refused = append(w.refused, Refusal{[]string{id}, why})
	}
	return why == ""
}

// candidate says why a fact may not be reviewed. That reviews are off is told of those
// alone that are candidates.
func (w *reviewing) candidate(id string) string {
	f := w.facts[id]
	if f == nil {
		return "there is no such fact"
	}
	if why := w.stale(f, w.now); why != "" {
		return why
	}
	if !w.Staleness {
		return "reviews are off (memory.staleness)"
	}
	return ""
}

// leastCertain keeps as many as one review may take away.
func (w *reviewing) leastCertain(all []StaleRemoval) []StaleRemoval {
	slices.SortStableFunc(all, func(a, b StaleRemoval) int {
		x, y := w.facts[a.ID], w.facts[b.ID]
		return cmp.Or(cmp.Compare(x.Confidence, y.Confidence), x.Created.Compare(y.Created), strings.Compare(a.ID, b.ID))
	})
	for i := maxRemovals; i < len(all); i++ {
		w.passes(all[i].ID, fmt.Sprintf("at most %d at a time", maxRemovals))
	}
	return all[:min(len(all), maxRemovals)]
}

// extended is a fact that holds from today on for the days that are given. Its days
// count from its creation.
func (w *reviewing) extended(ex StaleExtension, why string) (Fact, bool) {
	days := Days(ex.Days, maxExtendedDays)
	if why == "" && days == 0 {
		why = "extend_by_days is no number from 1"
	}
	if !w.passes(ex.ID, why) {
		return Fact{}, false
	}
	f := *w.facts[ex.ID]
	past := max(0, int(w.now.Sub(f.Created)/(24*time.Hour)))
	days = min(past+days, maxExtendedDays)
	if days <= f.ValidDays {
		return f, w.passes(ex.ID, fmt.Sprintf("it holds %d days already", f.ValidDays))
	}
	f.ValidDays = days
	return f, true
}

// Judge tells how many of proposals would be carried out if the facts were these, and why
// the others would not. It changes nothing.
func (m *Facts) Judge(facts []Fact, v Review, merges []Consolidation) (good int, refused []Refusal) {
	now := m.now()
	remove, extend, refused := m.rules().review(v, facts, now)
	good = len(remove) + len(extend)
	w := newMerging(m.rules(), facts, now)
	for _, c := range merges {
		if _, ok := w.merged(c); ok {
			good++
		}
	}
	return good, append(refused, w.refused...)
}
