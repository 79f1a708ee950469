package memory

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"brain/text"
)

// Many facts of one category say much the same in pieces. A model that is shown such a
// category may propose one fact in place of several. It is asked for only where
// consolidation is on, since what is merged is lost as it was said; and whatever it
// proposes, the fact that comes about is worth no more than those it is made of:
//
//	sources     2 to 8, each a fact of one unprotected category that has at least 8,
//	            and of no other merge
//	confidence  the model's, at most that of its best source, at least 0.7
//	created     as its newest source
//	review      when the first of its sources would be looked at, from that day on
//	mistakes    all that its sources correct
//	content     the words of each source, or most of them, and nothing that none says

const (
	groupFacts   = 8 // that make a category a group; and of a group, those that are shown
	maxGroups    = 3
	minSources   = 2
	maxSources   = 8
	maxMerges    = 3 // of one consolidation
	minConfident = 0.7
)

// Group is a category of which facts may be merged.
type Group struct {
	Category string
	Facts    []Fact // the oldest of them, at most 8
	Size     int    // how many there are
}

// Consolidation proposes one fact in place of several.
type Consolidation struct {
	Sources    []string // ids
	Content    string
	Category   string // "", or a protected one: that of the sources
	Confidence float64
}

// ConsolidationReport is what came of proposals.
type ConsolidationReport struct {
	Merged  []Consolidated
	Refused []Refusal
}

// Consolidated is a fact that took the place of others.
type Consolidated struct {
	ID   string   `json:"id"`
	From []string `json:"from"`
}

// ConsolidationGroups are the largest categories of which facts may be merged, at most
// three. They are the same whether consolidation is on or off.
func ConsolidationGroups(facts []Fact, r Rules) []Group {
	at := map[string]int{}
	var all []Group
	for _, f := range facts {
		if r.protects(f.Category) {
			continue
		}
		i, ok := at[f.Category]
		if !ok {
			i = len(all)
			at[f.Category], all = i, append(all, Group{Category: f.Category})
		}
		all[i].Facts, all[i].Size = append(all[i].Facts, f), all[i].Size+1
	}
	all = slices.DeleteFunc(all, func(g Group) bool { return g.Size < groupFacts })
	slices.SortStableFunc(all, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Size, a.Size), strings.Compare(a.Category, b.Category))
	})
	all = all[:min(len(all), maxGroups)]
	for i := range all {
		slices.SortStableFunc(all[i].Facts, func(a, b Fact) int { return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID)) })
		all[i].Facts = all[i].Facts[:groupFacts]
	}
	return all
}

// Mergeable are the groups of which a model is asked whether they can be less: none where
// consolidation is off.
func (m *Facts) Mergeable(facts []Fact) []Group {
	if r := m.rules(); r.Consolidation {
		return ConsolidationGroups(facts, r)
	}
	return nil
}

// Consolidate carries out what is allowed of proposals, in their order. What was said in
// a place that is theirs alone is not lost: undo has the sources.
func (b *Batch) Consolidate(all []Consolidation) (ConsolidationReport, error) {
	if len(all) == 0 {
		return ConsolidationReport{}, nil
	}
	facts, err := b.All()
	if err != nil {
		return ConsolidationReport{}, err
	}
	w := newMerging(b.m.rules(), facts, b.now)
	var rep ConsolidationReport
	for _, c := range all {
		f, ok := w.merged(c)
		if !ok {
			continue
		}
		for _, id := range f.Merged {
			if err := b.Remove(id); err != nil {
				return rep, err
			}
			b.because(id, forMerging)
		}
		id, _, err := b.Add(f, AddOptions{Exempt: true})
		if err != nil {
			return rep, fmt.Errorf("merge facts %s: %w", strings.Join(f.Merged, ", "), err)
		}
		rep.Merged = append(rep.Merged, Consolidated{id, f.Merged})
	}
	rep.Refused = w.refused
	return rep, nil
}

// merging is the work on proposals.
type merging struct {
	Rules
	now        time.Time
	facts      map[string]*Fact    // those that are there
	candidates map[string]bool     // those that were, at first, of a category to merge of
	used       map[string]bool     // consumed by a merge
	said       map[string][]string // ids by what they say
	merges     int
	refused    []Refusal
}

func newMerging(r Rules, facts []Fact, now time.Time) *merging {
	w := &merging{Rules: r, now: now, facts: byID(facts), candidates: map[string]bool{}, used: map[string]bool{}, said: map[string][]string{}}
	size := map[string]int{}
	for i := range facts {
		size[facts[i].Category]++
		key := ContentKey(facts[i].Content)
		w.said[key] = append(w.said[key], facts[i].ID)
	}
	for i := range facts {
		w.candidates[facts[i].ID] = size[facts[i].Category] >= groupFacts
	}
	return w
}

// merged makes the fact of a proposal, if it is allowed, and counts its sources as gone.
func (w *merging) merged(c Consolidation) (Fact, bool) {
	sources, err := w.sources(c)
	if err == nil {
		err = w.allowed(c, sources)
	}
	if err != nil {
		w.refused = append(w.refused, Refusal{slices.Clone(c.Sources), err.Error()})
		return Fact{}, false
	}
	f := w.fact(c, sources)
	for _, s := range sources {
		w.used[s.ID] = true
		key := ContentKey(s.Content)
		w.said[key] = slices.DeleteFunc(w.said[key], func(id string) bool { return id == s.ID })
	}
	key := ContentKey(f.Content)
	w.said[key] = append(w.said[key], "another merge")
	w.merges++
	return f, true
}

// sources are the facts that a proposal names, each once.
func (w *merging) sources(c Consolidation) (out []*Fact, err error) {
	seen := map[string]bool{}
	for _, id := range c.Sources {
		if seen[id] {
			continue
		}
		seen[id] = true
		f := w.facts[id]
		switch {
		case f == nil:
			return nil, fmt.Errorf("there is no fact %.40q", id)
		case w.used[id]:
			return nil, fmt.Errorf("%s is merged already", id)
		case w.protects(f.Category):
			return nil, fmt.Errorf("%s: the category %s is protected", id, f.Category)
		case !w.candidates[id]:
			return nil, fmt.Errorf("%s: fewer than %d facts are of category %s", id, groupFacts, f.Category)
		case len(out) > 0 && out[0].Category != f.Category:
			return nil, fmt.Errorf("%s is of category %s, %s of %s", out[0].ID, out[0].Category, id, f.Category)
		}
		out = append(out, f)
	}
	if len(out) < minSources || len(out) > maxSources {
		return nil, fmt.Errorf("%d sources, want %d to %d", len(out), minSources, maxSources)
	}
	return out, nil
}

// allowed says what speaks against a merge of these sources.
func (w *merging) allowed(c Consolidation, sources []*Fact) error {
	switch {
	case !w.Consolidation:
		return errors.New("consolidation is off (memory.consolidation)")
	case w.merges == maxMerges:
		return fmt.Errorf("at most %d at a time", maxMerges)
	case statement(c.Content) == "":
		return errors.New("it says nothing")
	case !(worth(c.Confidence, sources) >= minConfident):
		return fmt.Errorf("its confidence is %g, want at least %g", worth(c.Confidence, sources), minConfident)
	}
	gone := map[string]bool{}
	for _, s := range sources {
		gone[s.ID] = true
		if lost := loses(s.Content, c.Content); lost != "" {
			return fmt.Errorf("of %s it loses %s", s.ID, lost)
		}
	}
	if more := invents(c.Content, sources); more != "" {
		return fmt.Errorf("no source says %s", more)
	}
	for _, id := range w.said[ContentKey(c.Content)] {
		if !gone[id] {
			return fmt.Errorf("%s says that already", id)
		}
	}
	return nil
}

// worth is the confidence of a merged fact.
func worth(model float64, sources []*Fact) float64 {
	best := 0.0
	for _, s := range sources {
		best = max(best, s.Confidence)
	}
	return min(model, best)
}

func (w *merging) fact(c Consolidation, sources []*Fact) Fact {
	f := Fact{
		Content: statement(c.Content), Category: strings.TrimSpace(c.Category), Confidence: worth(c.Confidence, sources),
		Source: Source{Type: "consolidation"}, User: sources[0].User, Agent: sources[0].Agent,
		Updated: w.now, MergedAt: w.now, Revision: 1,
	}
	if f.Category == "" || w.protects(f.Category) {
		f.Category = sources[0].Category
	}
	var due time.Time // the earliest of their deadlines
	var mistakes []string
	for _, s := range sources {
		if s.Created.After(f.Created) {
			f.Created = s.Created
		}
		if at, ok := w.deadline(s); ok && (due.IsZero() || at.Before(due)) {
			due = at
		}
		f.Merged = append(f.Merged, s.ID)
		mistakes = append(mistakes, strings.Split(s.SourceError, "\n")...)
		f.Topics = union(f.Topics, s.Topics)
	}
	f.SourceError = strings.Join(union(nil, mistakes), "\n")
	if !due.IsZero() {
		f.ValidDays = min(max(1, int(due.Sub(f.Created)/(24*time.Hour))), MaxValidDays)
	}
	return f
}

// union adds what is not there yet, in order, without blanks around it.
func union(all, more []string) []string {
	for _, s := range more {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// keptShare is how much of a source a merged text must hold at least.
const keptShare = 0.5

// framing are words that facts about a user have in common, in the form to which they
// are stemmed: they tell nothing of what one is about.
var framing = map[string]bool{"user": true, "prefer": true, "like": true, "love": true, "use": true, "want": true, "need": true,
	"用户": true, "喜欢": true, "偏好": true, "使用": true}

// loses says what of a source a merged text leaves out: more than half of its words, or
// more than half of its numbers, words being what a question of the same text would ask
// for. A merge says several things in fewer words, so some go; but a thing of which
// hardly a word is left was dropped and not merged.
func loses(source, merged string) string {
	switch h := carried(source, wordsIn(merged)); {
	case h.words.short():
		return fmt.Sprintf("%d of %d words", h.words.all-h.words.kept, h.words.all)
	case h.numbers.short():
		return fmt.Sprintf("%d of %d numbers", h.numbers.all-h.numbers.kept, h.numbers.all)
	}
	return ""
}

// invents says what a merged text adds to its sources: a number that none of them has, or
// more than half of its words.
func invents(merged string, sources []*Fact) string {
	there := map[string]bool{}
	for _, s := range sources {
		maps.Copy(there, wordsIn(s.Content))
	}
	switch h := carried(merged, there); {
	case h.numbers.kept < h.numbers.all:
		return h.lacks
	case h.words.short():
		return fmt.Sprintf("%d of its %d words", h.words.all-h.words.kept, h.words.all)
	}
	return ""
}

func wordsIn(s string) map[string]bool {
	all := map[string]bool{}
	text.Terms(s, func(t text.Term) { all[string(t.Text)] = true })
	return all
}

// carriage is how much of a text stands somewhere.
type carriage struct {
	words, numbers share
	lacks          string // a number that does not
}

func carried(s string, there map[string]bool) (h carriage) {
	all := text.Query(s)
	for i := 0; i < len(all); {
		word := all[i]
		kept, frame := false, false
		for ; i < len(all) && all[i].Word == word.Word; i++ {
			kept, frame = kept || there[all[i].Text], frame || framing[all[i].Text]
		}
		if frame {
			continue
		}
		h.words.count(kept)
		if text.IsNumber(word.Text) {
			if h.numbers.count(kept); !kept {
				h.lacks = word.Text
			}
		}
	}
	return h
}

type share struct{ kept, all int }

func (s *share) count(kept bool) {
	s.all++
	if kept {
		s.kept++
	}
}

func (s *share) short() bool { return float64(s.kept) < keptShare*float64(s.all) }
