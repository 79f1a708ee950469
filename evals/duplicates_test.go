package evals

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"brain/llm"
	"brain/page"
)

// What the comparison of claims makes of pairs whose label is known: our own,
// with exact counts, and the public sets where BRAIN_DATA names them.
//
//	BRAIN_DATA=…/data go test ./evals -run Pairs -v

// labelled is one line of a set of pairs.
type labelled struct {
	ID, A, B, Label, Part string
}

func readLabelled(t testing.TB, name string) (out []labelled) {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		var p labelled
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, p)
	}
	return out
}

// judge compares a pair, by words alone or with the built-in embedder.
func judge(t testing.TB, e llm.Embedder, p labelled) page.Verdict {
	t.Helper()
	o := page.CompareOptions{}
	if e != nil {
		vectors, err := e.Embed(t.Context(), []string{p.A, p.B})
		if err != nil {
			t.Fatal(err)
		}
		o.Threshold = e.Info().Same
		for i, x := range vectors[0] {
			if vectors[1] != nil {
				o.Cosine += float64(x) * float64(vectors[1][i])
			}
		}
		o.Cosine = math.Min(o.Cosine, 1)
	}
	return page.Compare(page.Claim{Text: p.A}, page.Claim{Text: p.B}, o)
}

// outcome is a row for each label: how many pairs were taken for a duplicate,
// a contradiction, neither.
type outcome map[string][3]int

func outcomes(t testing.TB, e llm.Embedder, pairs []labelled, part string) outcome {
	out := outcome{}
	for _, p := range pairs {
		if p.Part != part {
			continue
		}
		v, row := judge(t, e, p), out[p.Label]
		row[map[page.Kind]int{page.Duplicate: 0, page.Contradiction: 1, page.Different: 2}[v.Kind]]++
		out[p.Label] = row
		if os.Getenv("BRAIN_PAIRS") == p.Label && v.Kind.String() != p.Label && part != "judge" { // who tunes does not look
			t.Logf("%s: %q, %q: %v, overlap %.2f, cosine %.3f", p.ID, p.A, p.B, v, v.Overlap, v.Cosine)
		}
	}
	return out
}

func TestPairsOfPublicSets(t *testing.T) {
	data := os.Getenv("BRAIN_DATA")
	if data == "" {
		t.Skip("BRAIN_DATA does not name the folder of the evaluation data")
	}
	static, err := llm.Static()
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []string{"pairs-sick", "pairs-ocnli"} {
		pairs := readLabelled(t, filepath.Join(data, set, "pairs.jsonl"))
		for name, e := range map[string]llm.Embedder{"words": nil, "static": static} {
			got := outcomes(t, e, pairs, "")
			t.Logf("%s, %s: duplicate, contradiction, different: %v", set, name, got)
			if n := got["contradiction"][0] + got["neutral"][0]; n > 0 {
				t.Errorf("%s, %s: %d pairs that do not say the same are duplicates", set, name, n)
			}
		}
	}
}

// Our own pairs: half of each kind was looked at while the rules were made,
// the other half was not, and tells how they do elsewhere. In no pair may what
// is not a duplicate be taken for one. What is missed are paraphrases.
func TestPairsOfOurOwn(t *testing.T) {
	static, err := llm.Static()
	if err != nil {
		t.Fatal(err)
	}
	pairs := readLabelled(t, filepath.Join("testdata", "pairs", "pairs.jsonl"))
	for _, c := range []struct {
		part string
		e    llm.Embedder
		want outcome // duplicate, contradiction, different
	}{
		{"tune", nil, outcome{"duplicate": {15, 0, 8}, "contradiction": {0, 42, 0}, "different": {0, 1, 19}}},
		{"tune", static, outcome{"duplicate": {17, 0, 6}, "contradiction": {0, 42, 0}, "different": {0, 1, 19}}},
		{"judge", nil, outcome{"duplicate": {14, 0, 7}, "contradiction": {0, 39, 2}, "different": {0, 1, 13}}},
		{"judge", static, outcome{"duplicate": {17, 0, 4}, "contradiction": {0, 39, 2}, "different": {0, 1, 13}}},
	} {
		if got := outcomes(t, c.e, pairs, c.part); !maps.Equal(got, c.want) {
			t.Errorf("%s, embedder %v: got %v, want %v", c.part, c.e != nil, got, c.want)
		}
	}
}

// The bars of the screens: on the half of the memory-like pairs that nobody looked at while they
// were made, and of the public sets where BRAIN_DATA names them. K11
func TestContradictionsAreFoundAndNothingElse(t *testing.T) {
	for _, c := range []struct {
		set, half         string
		precision, recall float64
	}{
		{"memorypairs", "judge", 0.97, 0.85}, {"memorypairs", "tune", 0.97, 0.95},
		{"memorypairs-more", "judge", 0.97, 0.50}, {"memorypairs-more", "tune", 0.97, 0.70},
	} {
		r, err := Pairs(filepath.Join("testdata", c.set), PairOptions{Where: []string{"half=" + c.half}})
		if err != nil {
			t.Fatal(err)
		}
		if *r.Precision < c.precision || *r.Recall < c.recall {
			t.Errorf("%s, %s: precision %.3f, recall %.3f; at least %.2f and %.2f", c.set, c.half, *r.Precision, *r.Recall, c.precision, c.recall)
		}
	}
	data := os.Getenv("BRAIN_DATA")
	if data == "" {
		t.Skip("BRAIN_DATA does not name the folder of the evaluation data")
	}
	for set, ap := range map[string]float64{"pairs-sick": 0.60, "pairs-ocnli": 0.40} {
		r, err := Pairs(filepath.Join(data, set), PairOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if *r.AveragePrecision < ap || *r.AlarmsPer100 > 3 {
			t.Errorf("%s: average precision %.3f, false alarms per 100 %.2f; at least %.2f, at most 3", set, *r.AveragePrecision, *r.AlarmsPer100, ap)
		}
	}
}
