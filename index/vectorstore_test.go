//go:build unix

package index

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"brain/llm"
)

// table of vectors by text, for tests that need exact cosines.
type fixed struct {
	dims int
	of   func(text string) []float32
}

func (f fixed) Info() llm.Info {
	return llm.Info{Fingerprint: fmt.Sprintf("fixed/%d", f.dims), Dims: f.dims, Zero: 0, One: 1}
}

func (f fixed) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, s := range texts {
		out[i] = f.of(s)
	}
	return out, nil
}

// angle is a vector whose cosine with (1, 0, 0, …) is cos.
func angle(dims int, cos float64) []float32 {
	v := make([]float32, dims)
	v[0], v[1] = float32(cos), float32(math.Sqrt(1-cos*cos))
	return v
}

var stores = []string{"flat", "scan", "chromem"}

// storeView builds an index of pages and opens it with one store.
func storeView(t *testing.T, kind string, e llm.Embedder, pages map[string]string) *View {
	t.Helper()
	ix, err := Open(Options{Dir: filepath.Join(t.TempDir(), "index"), Embedder: e, Vectors: kind})
	must(t, err)
	t.Cleanup(func() { must(t, ix.Close()) })
	return fresh(t, ix, newTree(t, pages).settled())
}

func nearestTo(t *testing.T, v *View, q []float32, k int, accept func(uint32) bool) []Match {
	t.Helper()
	m, err := v.Nearest(t.Context(), q, k, accept)
	must(t, err)
	return m
}

// randomly gives every text a direction of its own.
func randomly(dims int) fixed {
	return fixed{dims, func(s string) []float32 {
		var seed uint64
		for _, c := range []byte(s) {
			seed = seed*131 + uint64(c)
		}
		return direction(rand.New(rand.NewPCG(seed, 1)), dims)
	}}
}

func direction(rng *rand.Rand, dims int) []float32 {
	v, sum := make([]float32, dims), 0.0
	for i := range v {
		x := rng.NormFloat64()
		v[i], sum = float32(x), sum+x*x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// bruteForce ranks by definition: each page by its best chunk, ties by path.
func bruteForce(v *View, q []float32, k int, accept func(uint32) bool) (out []Match) {
	v.All(func(row uint32) bool {
		cos, chunk, ok := v.Cosine(row, q)
		if ok && v.Ranked(row) && (accept == nil || accept(row)) {
			out = append(out, Match{Row: row, Path: string(v.path(row)), Score: cos, Chunk: chunk})
		}
		return true
	})
	slices.SortStableFunc(out, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Path, b.Path))
	})
	return out[:min(k, len(out))]
}

// Every vector store ranks exactly as brute force does.
func TestVectorStores(t *testing.T) {
	pages := map[string]string{"empty.md": "", "archived.md": "---\nstatus: archived\n---\nold\n"}
	for i := range 60 {
		var b strings.Builder
		for j := range 1 + i%5 {
			fmt.Fprintf(&b, "%s\n\n", strings.Repeat(fmt.Sprintf("word%d of page%d. ", j, i/2), 45))
		}
		pages[fmt.Sprintf("p%02d.md", i)] = b.String()
	}
	for _, kind := range stores {
		t.Run(kind, func(t *testing.T) {
			v := storeView(t, kind, randomly(48), pages)
			odd := func(row uint32) bool { return row%2 == 1 }
			nobody := func(uint32) bool { return false }
			rng := rand.New(rand.NewPCG(3, 4))
			for range 30 {
				q := direction(rng, 48)
				for _, k := range []int{1, 7, 61, 1000, math.MaxInt} {
					for name, accept := range map[string]func(uint32) bool{"all": nil, "odd": odd, "nobody": nobody} {
						got, want := nearestTo(t, v, q, k, accept), bruteForce(v, q, k, accept)
						if !slices.Equal(got, want) {
							t.Fatalf("k %d, %s:\n%v, want\n%v", k, name, got, want)
						}
					}
				}
				for _, k := range []int{0, -1} {
					if got := nearestTo(t, v, q, k, nil); len(got) != 0 {
						t.Fatalf("k %d: %v", k, got)
					}
				}
			}
		})
	}
}

// Three hundred chunks of one page, all nearer than any other page's, take one
// place in the answer.
func TestManyAlikeChunksTakeOnePlace(t *testing.T) {
	var long strings.Builder
	for i := range 300 {
		fmt.Fprintf(&long, "%s near%d.\n\n", strings.Repeat("near words go on and on and on. ", 24), i)
	}
	e := fixed{8, func(s string) []float32 {
		if strings.Contains(s, "near") {
			return angle(8, 0.9+0.0001*float64(len(s)%100))
		}
		return angle(8, 0.1+0.01*float64(s[len(s)-1]-'0'))
	}}
	pages := map[string]string{"long.md": long.String()}
	for i := range 9 {
		pages[fmt.Sprintf("p%d.md", i)] = fmt.Sprintf("---\ntitle: far\n---\nother %d\n", i)
	}
	for _, kind := range stores {
		v := storeView(t, kind, e, pages)
		if n := v.Page(first(t, v, "long.md")).Chunks; n < 250 {
			t.Fatalf("%d chunks", n)
		}
		got := nearestTo(t, v, angle(8, 1), 6, nil)
		if paths(got) != "long.md p8.md p7.md p6.md p5.md p4.md" {
			t.Errorf("%s: %v", kind, got)
		}
	}
}

func first(t *testing.T, v *View, path string) uint32 {
	t.Helper()
	row, ok := v.lookup(path)
	if !ok {
		t.Fatalf("no page %s", path)
	}
	return row
}

// Equal cosines are ranked by path, wherever k cuts; pages with equal text
// share one vector and are both found.
func TestEqualVectorsRankByPath(t *testing.T) {
	for name, e := range map[string]fixed{
		"one vector for all":     {8, func(string) []float32 { return angle(8, 0.5) }},
		"two vectors, one angle": {8, func(s string) []float32 { v := angle(8, 0.5); v[1+len(s)%2], v[1] = v[1], v[1+len(s)%2]; return v }},
	} {
		pages := map[string]string{}
		for i := range 40 {
			pages[fmt.Sprintf("p%02d.md", (i*17)%40)] = fmt.Sprintf("---\ntitle: same\n---\ntext %d\n", i/2)
		}
		for _, kind := range stores {
			v := storeView(t, kind, e, pages)
			for k := 1; k <= 41; k++ {
				got := nearestTo(t, v, angle(8, 1), k, nil)
				if len(got) != min(k, 40) {
					t.Fatalf("%s, %s: k %d gives %d", kind, name, k, len(got))
				}
				for i, m := range got {
					if m.Path != fmt.Sprintf("p%02d.md", i) {
						t.Fatalf("%s, %s, k %d: place %d is %s", kind, name, k, i, m.Path)
					}
				}
			}
		}
	}
}

// A store over nothing answers nothing.
func TestVectorStoresOfNothing(t *testing.T) {
	for _, kind := range stores {
		for name, pages := range map[string]map[string]string{
			"no pages": {}, "no ranked page": {"a.md": "---\nstatus: archived\n---\nold\n"}, "no words": {"a.md": ""},
		} {
			v := storeView(t, kind, randomly(8), pages)
			if got := nearestTo(t, v, angle(8, 1), 5, nil); len(got) != 0 {
				t.Errorf("%s, %s: %v", kind, name, got)
			}
			r, err := v.Lexical(t.Context(), nil, "")
			must(t, err)
			if m, err := r.Top(5, nil); err != nil || len(m) != 0 {
				t.Errorf("%s, %s: words %v %v", kind, name, m, err)
			}
			r.Close()
		}
	}
}

// Pages that all went leave vectors behind, and nobody they belong to.
func TestOrphanVectorsAreNotFound(t *testing.T) {
	for _, kind := range stores {
		ix, err := Open(Options{Dir: filepath.Join(t.TempDir(), "index"), Embedder: randomly(8), Vectors: kind})
		must(t, err)
		tr := newTree(t, map[string]string{"a.md": "amber\n", "b.md": "basalt\n"}).settled()
		syncIn(t, ix, tr)
		tr.remove(t, "a.md")
		v := fresh(t, ix, tr)
		if got := nearestTo(t, v, angle(8, 1), 5, nil); paths(got) != "b.md" {
			t.Errorf("%s: %v", kind, got)
		}
		tr.remove(t, "b.md")
		v = fresh(t, ix, tr)
		if got := nearestTo(t, v, angle(8, 1), 5, nil); len(got) != 0 {
			t.Errorf("%s: %v", kind, got)
		}
		t.Cleanup(func() { must(t, ix.Close()) })
	}
}

func TestTopOfWordsWithoutPlaces(t *testing.T) {
	v := fresh(t, open(t, nil), newTree(t, map[string]string{"a.md": "amber\n", "b.md": "amber\n"}))
	for _, k := range []int{-1, 0} {
		r, err := v.lex.search(t.Context(), nil, nil, totals{})
		must(t, err)
		r.view = v
		for i := range r.acc {
			r.acc[i] = 1
		}
		if m, err := r.Top(k, nil); err != nil || len(m) != 0 {
			t.Errorf("k %d: %v %v", k, m, err)
		}
		r.Close()
	}
	if m := words(t, v, "amber"); !slices.IsSortedFunc(m, func(a, b Match) int { return bytes.Compare([]byte(a.Path), []byte(b.Path)) }) {
		t.Errorf("equal scores: %v", m)
	}
}

// Of a page of two passages at right angles, the direction lies between them.
func TestAPageHasTheDirectionOfItsPassages(t *testing.T) {
	first, second := "first "+strings.Repeat("a", 700), "second "+strings.Repeat("b", 700)
	e := fixed{2, func(s string) []float32 {
		if strings.Contains(s, "first") {
			return []float32{1, 0}
		}
		return []float32{0, 1}
	}}
	v := storeView(t, "flat", e, map[string]string{"a.md": first + "\n\n" + second + "\n", "none.md": ""})
	row, _ := v.Lookup("a.md")
	if got := v.Vector(row); len(got) != 2 || math.Abs(float64(got[0])-math.Sqrt2/2) > 1e-6 || math.Abs(float64(got[1])-math.Sqrt2/2) > 1e-6 {
		t.Errorf("%v", got)
	}
	if row, _ := v.Lookup("none.md"); v.Vector(row) != nil {
		t.Errorf("an empty page has %v", v.Vector(row))
	}
}
