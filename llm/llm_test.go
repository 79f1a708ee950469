package llm_test

import (
	"testing"

	"brain/llm"
	"brain/llm/llmtest"
)

func openStatic(t testing.TB) llm.Embedder {
	t.Helper()
	e, err := llm.Static()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestStaticKeepsTheContract(t *testing.T) {
	llmtest.TestEmbedder(t, func() llm.Embedder { return openStatic(t) })
}

// What the table is for: meaning without shared words, across languages too.
func TestStaticFindsMeaning(t *testing.T) {
	e := openStatic(t)
	vectors, err := e.Embed(t.Context(), []string{
		"How do I reset my password?", "login credentials recovery", "数据库迁移方案", "database migration plan", "the cat sat on the mat",
	})
	if err != nil {
		t.Fatal(err)
	}
	score := func(i, j int) float64 {
		var dot float64
		for k, x := range vectors[i] {
			dot += float64(x) * float64(vectors[j][k])
		}
		return e.Info().Calibrate(dot)
	}
	for _, c := range []struct{ a, near, far int }{{0, 1, 4}, {2, 3, 4}, {3, 2, 0}} {
		if near, far := score(c.a, c.near), score(c.a, c.far); near < far+0.05 {
			t.Errorf("text %d: %.2f to %d, %.2f to %d", c.a, near, c.near, far, c.far)
		}
	}
}

func TestStaticHasNothingForOtherScripts(t *testing.T) {
	v, err := openStatic(t).Embed(t.Context(), []string{"한국어 텍스트", "🙂", "known"})
	if err != nil || v[0] != nil || v[1] != nil || v[2] == nil {
		t.Errorf("vectors of %d, %d, %d components, error %v", len(v[0]), len(v[1]), len(v[2]), err)
	}
}

func TestSameSpace(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"static/enzh-256/0a", "static/enzh-256/0a", true},
		{"static/enzh-256/0a", "static/enzh-256/0b", false},
		{"ollama/m", "ollama/m@0a", true},
		{"ollama/m@0a", "ollama/m", true},
		{"ollama/m@0a", "ollama/m@0b", false},
		{"ollama/m@0a", "ollama/n", false},
		{"ollama/m", "ollama/n", false},
		{"", "", false},
	} {
		if got := llm.SameSpace(c.a, c.b); got != c.want {
			t.Errorf("SameSpace(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func BenchmarkOpenAndAsk(b *testing.B) {
	for b.Loop() {
		e, err := llm.Static()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := e.Embed(b.Context(), []string{"How do I reset my password?"}); err != nil {
			b.Fatal(err)
		}
	}
}
