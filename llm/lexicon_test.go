package llm_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"brain/llm"
	"brain/llm/llmtest"
)

func lexicon(t *testing.T) *llm.Lexicon {
	t.Helper()
	l, err := llm.Words()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestNumbersOfWords(t *testing.T) {
	l := lexicon(t)
	n := l.Numbers("The river, the RIVER and the 数据库: rivers of a river!")
	if len(n) != 3 || !slices.IsSorted(n) || len(slices.Compact(slices.Clone(n))) != 3 {
		t.Errorf("numbers %v, want three different ones ascending", n)
	}
	for _, s := range []string{"river", "数据库", "rivers"} {
		if one := l.Numbers(s); len(one) != 1 || !slices.Contains(n, one[0]) {
			t.Errorf("%q is %v, not in %v", s, one, n)
		}
	}
	for _, s := range []string{"", " \n", "the of and a is", "?! —", "\xff\x00", strings.Repeat("the ", 1000)} {
		if n := l.Numbers(s); len(n) != 0 {
			t.Errorf("%q has words %v", s, n)
		}
	}
	for _, n := range l.Numbers(strings.Repeat("river mountain 数据库 迁移 ", 500)) {
		if int(n) >= l.Len() {
			t.Errorf("word %d of %d", n, l.Len())
		}
	}
}

// Near words are near, in one language and from one to the other; and a common
// word weighs less than a rare one.
func TestVectorsOfWords(t *testing.T) {
	l := lexicon(t)
	vec := func(s string) ([]float64, float64) {
		v := make([]float32, l.Dims())
		w := l.Vector(l.Numbers(s)[0], v)
		out := make([]float64, len(v))
		sum := 0.0
		for i, x := range v {
			out[i] = float64(x)
			sum += out[i] * out[i]
		}
		if math.Abs(sum-1) > 1e-5 || w <= 0 {
			t.Errorf("%q: squared length %v, weight %v", s, sum, w)
		}
		return out, float64(w)
	}
	cos := func(a, b string) float64 {
		x, _ := vec(a)
		y, _ := vec(b)
		sum := 0.0
		for i := range x {
			sum += x[i] * y[i]
		}
		return sum
	}
	for _, c := range [][3]string{{"car", "vehicle", "theology"}, {"compress", "压缩", "神学"}, {"database", "数据库", "river"}} {
		if near, far := cos(c[0], c[1]), cos(c[0], c[2]); near < .4 || far > .3 {
			t.Errorf("%q: %v to %q, %v to %q", c[0], near, c[1], far, c[2])
		}
	}
	_, common := vec("river")
	_, rare := vec("walrus")
	if common >= rare {
		t.Errorf("river weighs %v, walrus %v", common, rare)
	}
}

func TestWordsForWhomHasAnEmbedder(t *testing.T) {
	if llm.WordsFor(nil) != nil {
		t.Error("words without an embedder")
	}
	if l := llm.WordsFor(llmtest.Hash(8)); l == nil || l.Len() != lexicon(t).Len() {
		t.Error("no words with one")
	}
}
