package evals

import (
	"math"
	"slices"
)

// Metrics of one question, or their means over many.
//
// With r the relevant documents (grade ≥ 1) and the first k of the ranking:
//
//	r@k     share of r among the first k
//	any@k   1 when at least one of r is among the first k
//	all@k   1 when every one of r is among the first k
//	mrr@10  1 / rank of the first relevant document, 0 beyond rank 10
//	ndcg@10 Σ grade/log2(rank+1) over the first 10, divided by the same sum of
//	        the best possible order of all judged documents; the gain is the
//	        grade itself, as in TREC's own tool, not 2^grade − 1
type Metrics struct {
	R1     float64 `json:"r@1"`
	R5     float64 `json:"r@5"`
	R10    float64 `json:"r@10"`
	Any1   float64 `json:"any@1"`
	Any5   float64 `json:"any@5"`
	All5   float64 `json:"all@5"`
	All10  float64 `json:"all@10"`
	MRR10  float64 `json:"mrr@10"`
	NDCG10 float64 `json:"ndcg@10"`
}

// MetricNames are the names of the metrics in the order they are printed.
var MetricNames = []string{"r@1", "r@5", "r@10", "any@1", "any@5", "all@5", "all@10", "mrr@10", "ndcg@10"}

// fields gives the metrics in the order of MetricNames.
func (m *Metrics) fields() []*float64 {
	return []*float64{&m.R1, &m.R5, &m.R10, &m.Any1, &m.Any5, &m.All5, &m.All10, &m.MRR10, &m.NDCG10}
}

// Get returns a metric by its name.
func (m Metrics) Get(name string) (float64, bool) {
	i := slices.Index(MetricNames, name)
	if i < 0 {
		return 0, false
	}
	return *m.fields()[i], true
}

// Score measures one ranking of document ids, best first and each at most
// once, against the grades of the relevant documents.
func Score(ranked []string, relevant map[string]int) Metrics {
	const depth = 10
	var found [depth + 1]int // relevant documents among the first k
	first, dcg := 0, 0.0
	for k := 1; k <= depth; k++ {
		found[k] = found[k-1]
		if k > len(ranked) {
			continue
		}
		grade := relevant[ranked[k-1]]
		if grade < 1 {
			continue
		}
		found[k]++
		if first == 0 {
			first = k
		}
		dcg += discounted(grade, k)
	}
	share := func(k int) float64 { return float64(found[k]) / float64(max(1, len(relevant))) }
	m := Metrics{
		R1: share(1), R5: share(5), R10: share(10),
		Any1: yes(found[1] > 0), Any5: yes(found[5] > 0),
		All5: yes(found[5] > 0 && found[5] == len(relevant)), All10: yes(found[10] > 0 && found[10] == len(relevant)),
	}
	if first > 0 {
		m.MRR10 = 1 / float64(first)
		m.NDCG10 = dcg / idealDCG(relevant, depth)
	}
	return m
}

func discounted(grade, rank int) float64 { return float64(grade) / math.Log2(float64(rank)+1) }

func idealDCG(relevant map[string]int, depth int) float64 {
	grades := make([]int, 0, len(relevant))
	for _, g := range relevant {
		grades = append(grades, g)
	}
	slices.Sort(grades)
	slices.Reverse(grades)
	sum := 0.0
	for i, g := range grades[:min(depth, len(grades))] {
		sum += discounted(g, i+1)
	}
	return sum
}

func yes(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// meanOf averages over questions: every question weighs the same, whatever
// its scope and however many documents are relevant to it.
func meanOf(questions []Result) Metrics {
	var sum Metrics
	for _, q := range questions {
		each := q.Metrics
		for i, f := range each.fields() {
			*sum.fields()[i] += *f
		}
	}
	for _, f := range sum.fields() {
		*f /= float64(max(1, len(questions)))
	}
	return sum
}

// Percentiles of a list of milliseconds.
type Percentiles struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
}

// percentiles takes the nearest rank: the smallest value that at least that
// share of the list does not exceed. It never invents a value between two.
func percentiles(ms []float64) Percentiles {
	if len(ms) == 0 {
		return Percentiles{}
	}
	sorted := slices.Sorted(slices.Values(ms))
	at := func(p float64) float64 {
		return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]
	}
	return Percentiles{P50: at(0.50), P95: at(0.95), P99: at(0.99)}
}
