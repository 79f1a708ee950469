//go:build unix

package index

import (
	"fmt"
	"os"
	"testing"

	"brain/llm"
	"brain/text"
)

// benchIndex is a brain of 2,000 pages, indexed.
func benchIndex(b *testing.B) (*Index, *tree) {
	b.Helper()
	tr := newTree(b, corpus(2000)).settled()
	ix := open(b, static(b))
	syncIn(b, ix, tr)
	return ix, tr
}

func static(b testing.TB) llm.Embedder {
	e, err := llm.Static()
	must(b, err)
	return e
}

func BenchmarkSyncOnePage(b *testing.B) {
	ix, tr := benchIndex(b)
	var written int64
	n := 0
	for b.Loop() {
		tr.write(b, fmt.Sprintf("g0/p%d.md", n%50), fmt.Sprintf("# Edited\n\nquartz and topaz %d\n", n))
		written += syncIn(b, ix, tr).Written
		n++
	}
	b.ReportMetric(float64(written)/float64(n), "written/op")
}

func BenchmarkOpen(b *testing.B) {
	ix, _ := benchIndex(b)
	for b.Loop() {
		v, err := openView(ix.disk, "flat")
		must(b, err)
		must(b, v.Release())
	}
}

// BenchmarkLookUnchanged is the walk and the comparison; the walk is this
// test's own, which lists names and stats each file.
func BenchmarkLookUnchanged(b *testing.B) {
	ix, tr := benchIndex(b)
	v := view(b, ix)
	l, err := tr.List(b.Context())
	must(b, err)
	for name, src := range map[string]Source{"walk": tr, "compare": listed{tr, l}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c, err := ix.Look(b.Context(), src, v)
				must(b, err)
				if c.Changed != 0 {
					b.Fatalf("%+v", c)
				}
			}
		})
	}
}

func BenchmarkLexical(b *testing.B) {
	ix, _ := benchIndex(b)
	v := view(b, ix)
	q := text.Query("granite slate of the quartz page 17")
	for b.Loop() {
		r, err := v.Lexical(b.Context(), q, "")
		must(b, err)
		if _, err := r.Top(50, nil); err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
}

func BenchmarkNearest(b *testing.B) {
	ix, _ := benchIndex(b)
	v := view(b, ix)
	vecs, err := static(b).Embed(b.Context(), []string{"granite slate"})
	must(b, err)
	for b.Loop() {
		if _, err := v.Nearest(b.Context(), vecs[0], 50, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFirstBuild tells the bytes of an index beside those of its text.
func BenchmarkFirstBuild(b *testing.B) {
	tr := newTree(b, corpus(2000)).settled()
	var rep Report
	var use int64
	for b.Loop() {
		dir, err := os.MkdirTemp(b.TempDir(), "index")
		must(b, err)
		ix := openIn(b, dir, static(b))
		rep = syncIn(b, ix, tr)
		use = diskUse(b, dir)
	}
	b.ReportMetric(float64(use)/float64(rep.Bytes), "index/text")
}
