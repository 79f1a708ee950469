package evals

import (
	"fmt"
	"math"
	"testing"
)

func TestScoreByHand(t *testing.T) {
	graded := map[string]int{"a": 3, "b": 2, "c": 1}
	pair := map[string]int{"a": 1, "b": 1}
	log3, log5 := math.Log2(3), math.Log2(5)
	for _, test := range []struct {
		name     string
		ranked   []string
		relevant map[string]int
		want     Metrics
	}{
		{"nothing found", []string{"x", "y"}, pair, Metrics{}},
		{"empty ranking", nil, pair, Metrics{}},
		{"best order", []string{"a", "b", "c"}, graded,
			Metrics{R1: 1.0 / 3, R5: 1, R10: 1, Any1: 1, Any5: 1, All5: 1, All10: 1, MRR10: 1, NDCG10: 1}},
		// The gain is the grade: 3/log2(3) + 1/log2(5) over 3 + 2/log2(3) + 1/2.
		{"graded, one missed", []string{"x", "a", "y", "c"}, graded,
			Metrics{R5: 2.0 / 3, R10: 2.0 / 3, Any5: 1, MRR10: 0.5, NDCG10: (3/log3 + 1/log5) / (3 + 2/log3 + 0.5)}},
		// Second document at rank 6: outside the first five, inside ten.
		{"split at five", []string{"a", "1", "2", "3", "4", "b"}, pair,
			Metrics{R1: 0.5, R5: 0.5, R10: 1, Any1: 1, Any5: 1, All10: 1, MRR10: 1, NDCG10: (1 + 1/math.Log2(7)) / (1 + 1/log3)}},
		{"rank eleven counts nowhere", []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a"}, pair, Metrics{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Score(test.ranked, test.relevant)
			for i, name := range MetricNames {
				if w, g := *test.want.fields()[i], *got.fields()[i]; math.Abs(w-g) > 1e-12 {
					t.Errorf("%s = %v, want %v", name, g, w)
				}
			}
		})
	}
}

// With more than ten relevant documents the ideal has ten of them, but R@10
// and all@10 still count all.
func TestScoreMoreRelevantThanPlaces(t *testing.T) {
	relevant, ranked := map[string]int{}, []string{}
	for i := range 12 {
		id := fmt.Sprint(i)
		relevant[id] = 1
		ranked = append(ranked, id)
	}
	m := Score(ranked[:10], relevant)
	if m.NDCG10 != 1 || m.R10 != 10.0/12 || m.All10 != 0 {
		t.Errorf("ndcg %v, r@10 %v, all@10 %v; want 1, 10/12, 0", m.NDCG10, m.R10, m.All10)
	}
}

func TestMeanWeighsQuestionsAlike(t *testing.T) {
	got := meanOf([]Result{{Metrics: Metrics{R1: 1, NDCG10: 0.5}}, {Metrics: Metrics{}}, {Metrics: Metrics{R1: 0.5, NDCG10: 1}}})
	if got.R1 != 0.5 || got.NDCG10 != 0.5 || got.All5 != 0 {
		t.Errorf("mean = %+v", got)
	}
	if empty := meanOf(nil); empty != (Metrics{}) {
		t.Errorf("mean of nothing = %+v", empty)
	}
}

func TestPercentilesAreNearestRank(t *testing.T) {
	var ms []float64
	for i := 100; i >= 1; i-- {
		ms = append(ms, float64(i))
	}
	if got, want := percentiles(ms), (Percentiles{50, 95, 99}); got != want {
		t.Errorf("of 1..100: %v, want %v", got, want)
	}
	if got, want := percentiles([]float64{7}), (Percentiles{7, 7, 7}); got != want {
		t.Errorf("of one: %v, want %v", got, want)
	}
	if got, want := percentiles([]float64{1, 2}), (Percentiles{1, 2, 2}); got != want {
		t.Errorf("of two: %v, want %v", got, want)
	}
	if got := percentiles(nil); got != (Percentiles{}) {
		t.Errorf("of none: %v", got)
	}
}

func TestMetricGet(t *testing.T) {
	m := Metrics{R1: 1, R5: 2, R10: 3, Any1: 4, Any5: 5, All5: 6, All10: 7, MRR10: 8, NDCG10: 9}
	for i, name := range MetricNames {
		if v, ok := m.Get(name); !ok || v != float64(i+1) {
			t.Errorf("Get(%q) = %v, %v", name, v, ok)
		}
	}
	if _, ok := m.Get("p@5"); ok {
		t.Error("an unknown metric was found")
	}
}
