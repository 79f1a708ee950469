package retrieve

import (
	"testing"

	"brain/index"
	"brain/text"
)

// BenchmarkSearch is a question to the demo, 75 pages: the cost of everything
// but the size of the brain.
func BenchmarkSearch(b *testing.B) {
	for _, c := range []struct {
		name string
		q    Query
	}{
		{"lexical", Query{Arms: []string{Lexical}}},
		{"hybrid", Query{}},
		{"passages", Query{Unit: Passages}},
		{"budget", Query{Budget: 2000}},
	} {
		b.Run(c.name, func(b *testing.B) {
			br := demo(b, index.Options{Embedder: static()})
			v := br.view()
			c.q.Now = clock
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c.q.Text = goldenQueries[i%len(goldenQueries)]
				if _, err := br.sr.Search(b.Context(), v, c.q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPassage finds the best place in one page of the demo, from its file.
func BenchmarkPassage(b *testing.B) {
	br := demo(b, index.Options{})
	w := newWanted(text.Query("Sluice ingest limit per tenant messages per second"), nil)
	c := &candidate{path: "sources/ingest/issues/101-tenant-rate-limit/decisions/1-token-bucket.md", chunk: -1}
	b.ReportAllocs()
	for b.Loop() {
		c.pass = nil
		if err := br.sr.findPassage(b.Context(), c, w); err != nil {
			b.Fatal(err)
		}
	}
	if !c.pass.found {
		b.Fatal("nothing found")
	}
}
