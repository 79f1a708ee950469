package memory

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var evictionDay = time.Date(2026, 8, 14, 12, 0, 0, 0, time.UTC)

func daysAgo(n float64) time.Time {
	return evictionDay.Add(-time.Duration(n * 24 * float64(time.Hour)))
}

func hybrid(max int) Rules {
	r := DefaultRules()
	r.Max, r.Policy = max, Hybrid
	return r
}

func byConfidence(max int) Rules {
	r := DefaultRules()
	r.Max = max
	return r
}

func noHeat() map[string]Heat { return nil }

// of makes a fact of a day ago.
func of(id, category string, confidence float64) Fact {
	return Fact{ID: id, Category: category, Confidence: confidence, Created: daysAgo(1)}
}

func evicted(e *Eviction) []string {
	if e == nil {
		return nil
	}
	return e.ids()
}

// near compares with a figure given to five places.
func near(a, b float64) bool { return math.Abs(a-b) < 5e-6 }

// MP03
func TestHybridScoresAreThoseOfTheirParts(t *testing.T) {
	for _, c := range []struct {
		name string
		fact Fact
		heat Heat
		want score
	}{
		{"half a year old, never confirmed", Fact{Confidence: .9, Created: daysAgo(180)}, Heat{},
			score{.61625, .9, .125, 0}}, // .585 + .25 × .5 × 2^-2
		{"confirmed a week ago", Fact{Confidence: .7, Created: daysAgo(180), Confirmed: daysAgo(7)}, Heat{},
			score{.69188, .7, .94752, 0}}, // 2^(-7/90)
		{"made now, searched for eight times", Fact{Confidence: .7, Created: evictionDay}, Heat{8, 8, evictionDay},
			score{.68, .7, .5, 1}},
		{"searched for once", Fact{Created: evictionDay}, Heat{1, 1, evictionDay}, score{.15655, 0, .5, .31546}},
		{"twice, and of no time", Fact{Confidence: .1}, Heat{2, 2, evictionDay}, score{.115, .1, 0, .5}},
		{"four times, a month ago twice that", Fact{Confidence: 1}, Heat{8, 8, daysAgo(30)}, score{.72325, 1, 0, .73249}},
		{"made tomorrow", Fact{Created: daysAgo(-1)}, Heat{1, 1, daysAgo(-1)}, score{.15655, 0, .5, .31546}},
		{"no number", Fact{Confidence: math.NaN()}, Heat{}, score{.325, .5, 0, 0}},
		{"too much", Fact{Confidence: 7}, Heat{}, score{.65, 1, 0, 0}},
	} {
		c.fact.ID = "x"
		got := scoreOf(&c.fact, hybrid(10), Hybrid, map[string]Heat{"x": c.heat}, evictionDay)
		if !near(got.total, c.want.total) || !near(got.confidence, c.want.confidence) || !near(got.freshness, c.want.freshness) || !near(got.heat, c.want.heat) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// deermem 40
func TestHugeHeatIsNoMoreThanWhole(t *testing.T) {
	for _, heat := range []float64{100_000, math.MaxFloat64} {
		f := Fact{ID: "x", Created: evictionDay}
		if got := scoreOf(&f, hybrid(10), Hybrid, map[string]Heat{"x": {heat, 1, daysAgo(1)}}, evictionDay); got.heat != 1 {
			t.Errorf("heat %g counts as %v, want 1", heat, got.heat)
		}
		if got := (Heat{heat, math.MaxInt, daysAgo(0)}).hit(evictionDay); math.IsInf(got.Heat, 0) || got.Count != math.MaxInt {
			t.Errorf("one more hit: %+v", got)
		}
	}
}

// MP02, deermem 39
func TestLeastConfidentGoesByDefault(t *testing.T) {
	var facts []Fact
	for i := range 10 {
		facts = append(facts, of(fmt.Sprint("f", i), "context", .5+float64(i)/100))
	}
	facts = append(facts, of("wrong", "correction", .1)) // no reserve under this policy
	asked := false
	e := fit(facts, byConfidence(10), func() map[string]Heat { asked = true; return nil }, evictionDay)
	if got := evicted(e); !slices.Equal(got, []string{"wrong"}) || asked {
		t.Errorf("evicted %v, asked for the heat: %v", got, asked)
	}
	want := &Eviction{At: evictionDay, Reason: "capacity", Policy: "confidence", Max: 10,
		Evicted: []Evicted{{"wrong", "correction", .1, map[string]float64{"confidence": .1}}}}
	if !reflect.DeepEqual(e, want) {
		t.Errorf("%+v, want %+v", e, want)
	}
}

// deermem 39
func TestRecentlyConfirmedStaysRatherThanOldAndSure(t *testing.T) {
	old := Fact{ID: "old", Confidence: .9, Created: daysAgo(180)}
	fresh := Fact{ID: "fresh", Confidence: .7, Created: daysAgo(180), Confirmed: daysAgo(7)}
	facts := []Fact{fresh, old}
	if got := evicted(fit(facts, byConfidence(1), noHeat, evictionDay)); !slices.Equal(got, []string{"fresh"}) {
		t.Errorf("by confidence %v", got)
	}
	if got := evicted(fit(facts, hybrid(1), noHeat, evictionDay)); !slices.Equal(got, []string{"old"}) {
		t.Errorf("hybrid %v", got)
	}
}

func TestEarlierOfEqualFactsStays(t *testing.T) {
	facts := []Fact{of("a", "context", .5), of("b", "context", .5), of("c", "context", .4), of("d", "context", .5), of("e", "context", .5)}
	for _, r := range []Rules{byConfidence(2), hybrid(2)} {
		if got := evicted(fit(facts, r, noHeat, evictionDay)); !slices.Equal(got, []string{"c", "e", "d"}) {
			t.Errorf("%s: %v", r.Policy, got)
		}
	}
	if e := fit(facts, byConfidence(5), noHeat, evictionDay); e != nil {
		t.Errorf("there is room, and %v go", evicted(e))
	}
}

// MP10, deermem 40
func TestReserveKeepsTheBestCorrection(t *testing.T) {
	facts := []Fact{of("worse", "correction", .1), of("better", "correction", .2)}
	for i := range 10 {
		facts = append(facts, of(fmt.Sprint("f", i), "context", .9-float64(i)/100))
	}
	e := fit(facts, hybrid(10), noHeat, evictionDay)
	if got := evicted(e); !slices.Equal(got, []string{"worse", "f9"}) || e.Reserved != 1 {
		t.Errorf("evicted %v with %d places reserved, want worse and f9 with 1", got, e.Reserved)
	}
	e = fit(facts[1:], hybrid(10), noHeat, evictionDay) // one correction alone
	if got := evicted(e); !slices.Equal(got, []string{"f9"}) || e.Reserved != 1 {
		t.Errorf("evicted %v with %d places reserved, want f9 with 1", got, e.Reserved)
	}
	e = fit(append(facts[2:], of("f10", "context", .3)), hybrid(10), noHeat, evictionDay)
	if got := evicted(e); !slices.Equal(got, []string{"f10"}) || e.Reserved != 0 {
		t.Errorf("evicted %v with %d places reserved, want f10 with none", got, e.Reserved)
	}
}

func TestReserveIsATenthAndAtMostTen(t *testing.T) {
	for max, want := range map[int]int{10: 1, 11: 2, 50: 5, 100: 10, 101: 10, 500: 10} {
		var facts []Fact
		for i := range max + 1 {
			facts = append(facts, of(fmt.Sprint("s", i), "correction", .1), of(fmt.Sprint("f", i), "context", .9))
		}
		e := fit(facts, hybrid(max), noHeat, evictionDay)
		kept := max + 1
		for _, x := range e.Evicted {
			if x.Category == "correction" {
				kept--
			}
		}
		if e.Reserved != want || kept != want {
			t.Errorf("of %d places %d are reserved and %d corrections stay, want %d", max, e.Reserved, kept, want)
		}
	}
}

// MP04
func TestShadowSaysWhetherItDisagreesAndChangesNothing(t *testing.T) {
	r := byConfidence(1)
	r.Shadow = true
	facts := []Fact{{ID: "fresh", Confidence: .7, Confirmed: daysAgo(7)}, {ID: "old", Confidence: .9, Created: daysAgo(180)}}
	e := fit(facts, r, noHeat, evictionDay)
	if got := evicted(e); !slices.Equal(got, []string{"fresh"}) || !reflect.DeepEqual(e.Shadow, &Shadow{"hybrid-v1", []string{"old"}, true}) {
		t.Errorf("evicted %v, shadow %+v", got, e.Shadow)
	}
	facts[1].Confidence = .5
	if e := fit(facts, r, noHeat, evictionDay); !reflect.DeepEqual(e.Shadow, &Shadow{"hybrid-v1", []string{"old"}, false}) {
		t.Errorf("shadow %+v, want agreement", e.Shadow)
	}
	r.Policy = Hybrid
	if e := fit(facts, r, noHeat, evictionDay); e.Shadow != nil {
		t.Errorf("hybrid-v1 has itself as shadow: %+v", e.Shadow)
	}
}

func TestWhateverIsKeptOrEvictedWasThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts, heat := drawFacts(t)
		r := byConfidence(rapid.IntRange(1, 30).Draw(t, "max"))
		r.Policy = rapid.SampledFrom([]string{ByConfidence, Hybrid}).Draw(t, "policy")
		r.Shadow = rapid.Bool().Draw(t, "shadow")
		before := slices.Clone(facts)
		e := fit(facts, r, func() map[string]Heat { return heat }, evictionDay)
		if !reflect.DeepEqual(facts, before) {
			t.Fatal("the facts changed")
		}
		if want := max(0, len(facts)-r.Max); len(evicted(e)) != want {
			t.Fatalf("%d go, want %d", len(evicted(e)), want)
		}
		if e == nil {
			return
		}
		gone := map[string]bool{}
		for _, x := range e.Evicted {
			i := slices.IndexFunc(facts, func(f Fact) bool { return f.ID == x.ID })
			if i < 0 || gone[x.ID] {
				t.Fatalf("%s is gone and was not there, or twice", x.ID)
			}
			if gone[x.ID] = true; x.Category != facts[i].Category {
				t.Fatalf("%s is a %s", x.ID, x.Category)
			}
		}
		if want := slow(facts, r, r.Policy, heat); !slices.Equal(evicted(e), want) {
			t.Fatalf("%v go, want %v", evicted(e), want)
		}
		if e.Shadow != nil {
			want := slices.Sorted(slices.Values(slow(facts, r, Hybrid, heat)))
			if !slices.Equal(e.Shadow.WouldEvict, want) {
				t.Fatalf("the shadow has %v, want %v", e.Shadow.WouldEvict, want)
			}
		}
	})
}

// slow is the rule as the reference tells it: rank all, let corrections have their places,
// fill up by rank.
func slow(facts []Fact, r Rules, policy string, heat map[string]Heat) []string {
	rank := make([]int, len(facts))
	scores := make([]float64, len(facts))
	corrections := 0
	for i, f := range facts {
		rank[i], scores[i] = i, scoreOf(&f, r, policy, heat, evictionDay).total
		if f.Category == "correction" {
			corrections++
		}
	}
	slices.SortStableFunc(rank, func(i, j int) int { return -compare(scores[i], scores[j]) })
	kept := map[int]bool{}
	if policy == Hybrid {
		places := min(10, int(math.Ceil(float64(r.Max)*.1)), corrections)
		for _, i := range rank {
			if facts[i].Category == "correction" && len(kept) < places {
				kept[i] = true
			}
		}
	}
	for _, i := range rank {
		if len(kept) < r.Max {
			kept[i] = true
		}
	}
	var out []string
	for _, i := range slices.Backward(rank) {
		if !kept[i] {
			out = append(out, facts[i].ID)
		}
	}
	return out
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func drawFacts(t *rapid.T) ([]Fact, map[string]Heat) {
	heat := map[string]Heat{}
	facts := make([]Fact, rapid.IntRange(0, 150).Draw(t, "n"))
	for i := range facts {
		f := of(fmt.Sprint("f", i), rapid.SampledFrom([]string{"context", "correction"}).Draw(t, "category"), rapid.SampledFrom([]float64{0, .25, .5, .75, 1}).Draw(t, "confidence"))
		f.Created = daysAgo(float64(rapid.IntRange(0, 3).Draw(t, "age") * 60))
		if rapid.Bool().Draw(t, "confirmed") {
			f.Confirmed = evictionDay
		}
		if rapid.Bool().Draw(t, "searched") {
			heat[f.ID] = Heat{float64(rapid.IntRange(0, 4).Draw(t, "heat")), 1, evictionDay}
		}
		facts[i] = f
	}
	return facts, heat
}

// What makes a fact better never makes it go.
func TestBetterFactIsNotTheOneThatGoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts, heat := drawFacts(t)
		r := hybrid(rapid.IntRange(1, 30).Draw(t, "max"))
		e := fit(facts, r, func() map[string]Heat { return heat }, evictionDay)
		if len(facts) <= r.Max {
			return
		}
		i := rapid.IntRange(0, len(facts)-1).Draw(t, "which")
		if slices.Contains(evicted(e), facts[i].ID) {
			return
		}
		switch rapid.IntRange(0, 2).Draw(t, "how") {
		case 0:
			facts[i].Confidence = 1
		case 1:
			facts[i].Confirmed = evictionDay
		case 2:
			heat[facts[i].ID] = heat[facts[i].ID].hit(evictionDay)
		}
		if e := fit(facts, r, func() map[string]Heat { return heat }, evictionDay); slices.Contains(evicted(e), facts[i].ID) {
			t.Fatalf("%s is better and goes", facts[i].ID)
		}
	})
}

func manyFacts(n int) ([]Fact, map[string]Heat) {
	rnd := rand.New(rand.NewPCG(1, 2))
	facts, heat := make([]Fact, n), map[string]Heat{}
	for i := range facts {
		category := "context"
		if i%20 == 0 {
			category = "correction"
		}
		facts[i] = of(fmt.Sprintf("fact_%08x", i), category, math.Round(rnd.Float64()*100)/100)
		facts[i].Created = daysAgo(rnd.Float64() * 400)
		heat[facts[i].ID] = Heat{rnd.Float64() * 10, 3, daysAgo(rnd.Float64() * 60)}
	}
	return facts, heat
}

func BenchmarkFit(b *testing.B) {
	facts, heat := manyFacts(10_000)
	for _, r := range []Rules{byConfidence(9_999), hybrid(9_999), hybrid(100)} {
		b.Run(fmt.Sprintf("%s/%d of 10000", r.Policy, r.Max), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fit(facts, r, func() map[string]Heat { return heat }, evictionDay)
			}
		})
	}
	b.Run("sorted", func(b *testing.B) { // what selection is measured against
		for b.Loop() {
			c := &contest{scores: make([]score, len(facts))}
			ids := make([]int, len(facts))
			for i := range facts {
				ids[i], c.scores[i] = i, scoreOf(&facts[i], byConfidence(1), ByConfidence, nil, evictionDay)
			}
			slices.SortFunc(ids, c.ascending)
		}
	})
}
