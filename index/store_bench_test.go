package index

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"brain/page"
)

// BenchmarkVectorStore compares the two vector stores over the same files: how
// long until the first question can be answered, the median of a question, and
// the Go heap that the store holds on to. Vectors are random, four to a page,
// 256 numbers each; neither store is faster on text that means something. The
// figures are in doc/index.md:
//
//	go test ./index -run '^$' -bench VectorStore -benchtime 100x
func BenchmarkVectorStore(b *testing.B) {
	for _, chunks := range []int{10_000, 100_000} {
		dir := b.TempDir()
		m, table := benchVectors(b, dir, chunks)
		for _, kind := range []string{"flat", "scan", "chromem"} {
			b.Run(fmt.Sprintf("%dk/%s/open", chunks/1000, kind), func(b *testing.B) {
				took := make([]time.Duration, 0, 10)
				for range min(b.N, cap(took)) {
					v, t := benchOpen(b, dir, m, table, kind)
					took = append(took, t)
					benchClose(b, v)
				}
				slices.Sort(took)
				b.ReportMetric(benchMS(took[len(took)/2]), "p50-ms")
				b.ReportMetric(0, "ns/op") // of the loop, which stops at ten
			})
			b.Run(fmt.Sprintf("%dk/%s/query", chunks/1000, kind), func(b *testing.B) {
				before := benchHeap()
				v, _ := benchOpen(b, dir, m, table, kind)
				held := benchHeap() - before
				rng := rand.New(rand.NewPCG(7, 7))
				took := make([]time.Duration, 0, b.N)
				b.ResetTimer()
				for range b.N {
					q := benchUnit(rng)
					start := time.Now()
					if _, err := v.Nearest(context.Background(), q, 50, nil); err != nil {
						b.Fatal(err)
					}
					took = append(took, time.Since(start))
				}
				b.StopTimer()
				slices.Sort(took)
				b.ReportMetric(benchMS(took[len(took)/2]), "p50-ms")
				b.ReportMetric(benchMS(took[len(took)*95/100]), "p95-ms")
				b.ReportMetric(held/1e6, "heap-MB")
				benchClose(b, v)
			})
		}
	}
}

const benchDims, benchPerPage = 256, 4

func benchMS(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func benchHeap() float64 {
	runtime.GC()
	runtime.GC() // what finalizers let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

func benchUnit(rng *rand.Rand) []float32 {
	v := make([]float32, benchDims)
	var sum float64
	for i := range v {
		x := rng.NormFloat64()
		v[i], sum = float32(x), sum+x*x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// benchVectors writes a vector file and the page table that owns it.
func benchVectors(b *testing.B, dir string, chunks int) (*manifest, []byte) {
	b.Helper()
	m := &manifest{Embedder: "bench", Dims: benchDims}
	if err := os.Mkdir(filepath.Join(dir, "vec"), 0o700); err != nil {
		b.Fatal(err)
	}
	w, err := newVecWriter(filepath.Join(dir, "vec", "1.vec"), benchDims, m.Embedder, today())
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, uint64(chunks)))
	var recs []*record
	for id := range chunks {
		if id%benchPerPage == 0 {
			recs = append(recs, &record{flags: flagRanked, file: page.File{Path: page.Path(fmt.Sprintf("notes/%06d.md", id/benchPerPage))}})
		}
		r := recs[len(recs)-1]
		r.chunks = append(r.chunks, uint32(id))
		if err := w.add(vecKey{byte(id), byte(id >> 8), byte(id >> 16)}, benchUnit(rng)); err != nil {
			b.Fatal(err)
		}
	}
	f, err := w.finish(&disk{dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	m.Vectors = []vecFile{f}
	return m, encodeTable(recs, nil)
}

// benchOpen makes a view of vectors alone, ready for its first question, and
// tells how long that took. The page cache holds the file already.
func benchOpen(b *testing.B, dir string, m *manifest, raw []byte, kind string) (*View, time.Duration) {
	b.Helper()
	start := time.Now()
	v := &View{m: m}
	var err error
	if v.base, err = openTable(raw); err != nil {
		b.Fatal(err)
	}
	if v.tail, err = openTable(encodeTable(nil, nil)); err != nil {
		b.Fatal(err)
	}
	v.overlay()
	if v.vecs, err = openVecFiles(dir, m); err != nil {
		b.Fatal(err)
	}
	v.owned()
	v.store = newVectorStore(v, kind)
	if c, ok := v.store.(*chromemStore); ok {
		c.once.Do(func() { c.load(context.Background()) })
		if c.err != nil {
			b.Fatal(c.err)
		}
	}
	return v, time.Since(start)
}

func benchClose(b *testing.B, v *View) {
	b.Helper()
	if err := v.vecs.close(); err != nil {
		b.Fatal(err)
	}
}
