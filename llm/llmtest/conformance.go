package llmtest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"brain/llm"
)

// Tolerance is how far a component of a text's vector may move when the text is
// embedded in other company: servers compute batches in another order.
const Tolerance = 1e-3

var (
	ordinary = []string{
		"How do I reset my password?",
		"We agreed to migrate the billing database to PostgreSQL next sprint.",
		"昨天我们讨论了认证令牌过期的问题",
		"deploy failed: connection refused (port 5432)",
		"the cat sat on the mat",
	}
	blank   = []string{"", " ", "\n\t \u3000"}
	hostile = []string{
		"\xff\xfe broken \xc3\x28 utf-8", "nul \x00 inside", "İstanbul ﬁle ＡＢＣ", "👩‍👩‍👧‍👦🇨🇳",
		"e" + strings.Repeat("\u0301", 500), "'’''’", strings.Repeat("数据库迁移", 2000), strings.Repeat("word ", 20000),
	}
)

// TestEmbedder checks that what open returns keeps the contract of llm.Embedder.
// Each call of open must give an embedder of the same kind and settings.
func TestEmbedder(t *testing.T, open func() llm.Embedder) {
	t.Run("one unit vector per text in order", func(t *testing.T) { testOrder(t, open()) })
	t.Run("no text", func(t *testing.T) {
		for _, texts := range [][]string{nil, {}} {
			if v, err := open().Embed(t.Context(), texts); len(v) != 0 || err != nil {
				t.Errorf("Embed(%#v) = %v, %v; want nothing", texts, v, err)
			}
		}
	})
	t.Run("blank text has no vector and is no error", func(t *testing.T) { testBlank(t, open()) })
	t.Run("hostile text", func(t *testing.T) {
		e := open()
		for i, v := range embed(t, e, hostile) {
			if v != nil {
				checkUnit(t, e, fmt.Sprintf("hostile text %d", i), v)
			}
		}
	})
	t.Run("many texts", func(t *testing.T) { testMany(t, open()) })
	t.Run("concurrent use", func(t *testing.T) { testConcurrent(t, open()) })
	t.Run("context ended", func(t *testing.T) { testEnded(t, open()) })
	t.Run("results belong to the caller", func(t *testing.T) { testOwnership(t, open()) })
	t.Run("info", func(t *testing.T) { testInfo(t, open(), open()) })
}

func embed(t *testing.T, e llm.Embedder, texts []string) [][]float32 {
	t.Helper()
	vectors, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatalf("Embed of %d texts: %v", len(texts), err)
	}
	if len(vectors) != len(texts) {
		t.Fatalf("Embed of %d texts gave %d vectors", len(texts), len(vectors))
	}
	return vectors
}

func checkUnit(t *testing.T, e llm.Embedder, what string, v []float32) {
	t.Helper()
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	if math.Abs(square-1) > 1e-4 || math.IsNaN(square) {
		t.Errorf("%s: squared length %v, want 1", what, square)
	}
	if dims := e.Info().Dims; len(v) != dims {
		t.Errorf("%s: %d components, Info says %d", what, len(v), dims)
	}
}

func near(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Abs(float64(x-y)) <= Tolerance })
}

func testOrder(t *testing.T, e llm.Embedder) {
	together := embed(t, e, ordinary)
	for i, text := range ordinary {
		checkUnit(t, e, text, together[i])
		if alone := embed(t, e, []string{text})[0]; !near(alone, together[i]) {
			t.Errorf("%q: alone %v…, among others %v…", text, alone[:2], together[i][:2])
		}
		for j := range i {
			if near(together[i], together[j]) {
				t.Errorf("%q and %q have the same vector", text, ordinary[j])
			}
		}
	}
}

func testBlank(t *testing.T, e llm.Embedder) {
	texts := slices.Concat(blank, ordinary[:1], blank)
	for i, v := range embed(t, e, texts) {
		if isText := i == len(blank); (v != nil) != isText {
			t.Errorf("text %d %q: vector of length %d", i, texts[i], len(v))
		}
	}
}

func testMany(t *testing.T, e llm.Embedder) {
	var texts []string
	for i := range 300 {
		texts = append(texts, ordinary[i%len(ordinary)])
	}
	vectors := embed(t, e, texts)
	for i, v := range vectors {
		if !near(v, vectors[i%len(ordinary)]) {
			t.Fatalf("text %d of %d is out of order", i, len(texts))
		}
	}
}

func testConcurrent(t *testing.T, e llm.Embedder) {
	want := embed(t, e, ordinary)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i, text := range ordinary {
				v, err := e.Embed(t.Context(), []string{text})
				if err != nil || !near(v[0], want[i]) {
					t.Errorf("%q beside other calls: %v", text, err)
				}
				e.Info()
			}
		})
	}
	group.Wait()
}

func testEnded(t *testing.T, e llm.Embedder) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	v, err := e.Embed(ctx, ordinary)
	if err == nil || len(v) != len(ordinary) {
		t.Errorf("after cancel: %d places and error %v; want %d and an error", len(v), err, len(ordinary))
	}
}

func testOwnership(t *testing.T, e llm.Embedder) {
	first := embed(t, e, ordinary[:2])
	want := slices.Clone(first[1])
	clear(first[0])
	if again := embed(t, e, ordinary[:2]); !near(again[1], want) || !near(first[1], want) {
		t.Error("writing into one result changed another")
	} else {
		checkUnit(t, e, "after the caller wrote into a result", again[0])
	}
}

func testInfo(t *testing.T, e, other llm.Embedder) {
	embed(t, e, ordinary[:1])
	embed(t, other, ordinary[:1])
	info := e.Info()
	switch {
	case info.Fingerprint == "" || strings.ContainsAny(info.Fingerprint, " \t\r\n"):
		t.Errorf("fingerprint %q", info.Fingerprint)
	case info != other.Info():
		t.Errorf("two of a kind differ: %+v and %+v", info, other.Info())
	case info.Dims < 1:
		t.Errorf("%d dimensions after a first answer", info.Dims)
	case !(info.Zero < info.One && info.Zero >= -1 && info.One <= 1):
		t.Errorf("calibration from %v to %v", info.Zero, info.One)
	}
	middle := (info.Zero + info.One) / 2
	for _, c := range []struct{ cosine, want float64 }{
		{-1, 0}, {info.Zero, 0}, {middle, 0.5}, {info.One, 1}, {2, 1}, {math.NaN(), 0},
	} {
		if got := info.Calibrate(c.cosine); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("Calibrate(%v) = %v, want %v", c.cosine, got, c.want)
		}
	}
}
