package memory

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"brain/store"
)

// factsOnDisk is an agent with n facts, written past the store for speed.
func factsOnDisk(b *testing.B, n int) *world {
	b.Helper()
	w := newWorld(b)
	w.Rules.Max = 2 * n
	random := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		f := Fact{
			ID: fmt.Sprintf("fact_%08x", i), Content: sentence(random, i), User: "default", Category: benchCategories[i%len(benchCategories)],
			Confidence: 0.5 + float64(i%50)/100, Created: w.now().Add(-time.Duration(i) * time.Hour), Revision: 1,
		}
		raw, err := FormatFact(f)
		if err != nil {
			b.Fatal(err)
		}
		w.plant(w.file("", f.ID), raw)
	}
	time.Sleep(store.Racy + 100*time.Millisecond) // what was written a moment ago is read again
	if l := w.list(""); len(l.Facts) != n || len(l.Damaged) > 0 {
		b.Fatal(len(l.Facts), l.Damaged)
	}
	w.list("") // and only what was at rest is known by its stat
	return w
}

var benchCategories = []string{"preference", "context", "goal", "behavior", "identity"}

var benchWords = []string{
	"postgres", "kitchen", "Basel", "Rust", "coffee", "deploys", "staging", "mornings", "violin", "tests", "accounting", "Berlin", "sailing", "invoices",
	"用户", "喜欢", "北京", "数据库", "简短", "回答", "编辑器", "周一", "咖啡", "部署",
}

func sentence(random *rand.Rand, n int) string {
	s := fmt.Sprintf("The user's note %d says", n)
	for range 6 + random.IntN(8) {
		s += " " + benchWords[random.IntN(len(benchWords))]
	}
	return s
}

// percentiles reports those of the time of each round; a mean hides what a user waits for.
func percentiles(b *testing.B, rounds []time.Duration) {
	slices.Sort(rounds)
	for _, p := range []int{50, 95, 99} {
		b.ReportMetric(float64(rounds[(len(rounds)-1)*p/100].Microseconds())/1000, fmt.Sprintf("p%d-ms", p))
	}
}

func timed(b *testing.B, fn func(i int)) {
	b.Helper()
	var rounds []time.Duration
	for i := 0; b.Loop(); i++ {
		began := time.Now()
		fn(i)
		rounds = append(rounds, time.Since(began))
	}
	percentiles(b, rounds)
}

func BenchmarkAddTo10K(b *testing.B) {
	w := factsOnDisk(b, 10_000)
	timed(b, func(i int) {
		if _, err := w.Add(ctx, "", Fact{Content: fmt.Sprintf("Likes number %d in the morning", i), Confidence: 0.9}); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkAddToFull10K makes room at each add.
func BenchmarkAddToFull10K(b *testing.B) {
	w := factsOnDisk(b, 10_000)
	w.Rules.Max = 10_000
	timed(b, func(i int) {
		if _, err := w.Add(ctx, "", Fact{Content: fmt.Sprintf("Likes number %d in the morning", i), Confidence: 0.95}); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkSearch10K(b *testing.B) {
	w := factsOnDisk(b, 10_000)
	for name, question := range map[string]string{"en": "which database does staging use in Basel", "zh": "用户喜欢什么数据库"} {
		b.Run(name, func(b *testing.B) {
			timed(b, func(int) {
				if found, err := w.Search(ctx, "", Search{Query: question}); err != nil || len(found) != 10 {
					b.Fatal(len(found), err)
				}
			})
		})
	}
}

func BenchmarkUpdateOf10K(b *testing.B) {
	w := factsOnDisk(b, 10_000)
	timed(b, func(i int) {
		if _, err := w.Update(ctx, "", fmt.Sprintf("fact_%08x", i%10_000), Patch{Content: ptr(fmt.Sprintf("changed %d", i))}, If{}); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkHeapOverOperations reports the live heap in MB after the first tenth of the
// operations and after all of them: adds, searches, updates, deletes, one agent that is full.
func BenchmarkHeapOverOperations(b *testing.B) {
	w := newWorld(b)
	w.Store.Ledger.Mode = ""
	w.Rules.Max = 100
	random := rand.New(rand.NewPCG(3, 4))
	var ids []string
	op := func(i int) {
		switch i % 4 {
		case 0, 1:
			d, err := w.Add(ctx, "", Fact{Content: sentence(random, i), Confidence: 0.5 + random.Float64()/2})
			if err == nil && len(d.Upserted) > 0 {
				ids = append(ids, d.Upserted[0].ID)
			}
		case 2:
			if _, err := w.Search(ctx, "", Search{Query: benchWords[i%len(benchWords)]}); err != nil {
				b.Fatal(err)
			}
		case 3:
			id := ids[random.IntN(len(ids))]
			w.Update(ctx, "", id, Patch{Content: ptr(sentence(random, i))}, If{}) // it may be gone
			if len(ids) > 300 {
				ids = slices.Delete(ids, 0, 200)
			}
		}
	}
	const operations = 100_000
	for b.Loop() {
		for i := range operations {
			if op(i); i == operations/10 || i == operations-1 {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				b.ReportMetric(float64(m.HeapAlloc)/1e6, fmt.Sprintf("MB-at-%d", i+1))
			}
		}
	}
	if l := w.list(""); len(l.Facts) != 100 {
		b.Fatal(len(l.Facts))
	}
}
