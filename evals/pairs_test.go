package evals

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Scores and labels, and the average precision as one gets it by hand.
func TestAveragePrecisionTakesEqualScoresAtOnce(t *testing.T) {
	type p = scoredPair
	yes, no := true, false
	for _, c := range []struct {
		name  string
		pairs []p
		want  float64
	}{
		{"all in front", []p{{score: .9, contradiction: yes}, {score: .8, contradiction: yes}, {score: .1, contradiction: no}}, 1},
		{"the last of three", []p{{score: .9, contradiction: no}, {score: .8, contradiction: no}, {score: .1, contradiction: yes}}, 1.0 / 3},
		{"first and third", []p{{score: .9, contradiction: yes}, {score: .8, contradiction: no}, {score: .7, contradiction: yes}}, (1 + 2.0/3) / 2},
		{"nothing told apart", []p{{contradiction: yes}, {contradiction: no}, {contradiction: no}, {contradiction: no}}, 1.0 / 4},
		{"one found, the rest not told apart", []p{{contradiction: no}, {score: 1, contradiction: yes}, {contradiction: yes}, {contradiction: no}}, (1 + 2.0/4) / 2},
	} {
		n := 0
		for _, p := range c.pairs {
			if p.contradiction {
				n++
			}
		}
		if got := averagePrecision(c.pairs, n); got == nil || math.Abs(*got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, figure(got), c.want)
		}
	}
	if got := averagePrecision([]p{{contradiction: no}}, 0); got != nil {
		t.Errorf("without a contradiction: %v, want none", *got)
	}
}

func TestFiguresOfPairs(t *testing.T) {
	dir := t.TempDir()
	pairs := `{"id":"1","a":"The limit is 100.","b":"The limit is 1000.","label":"contradiction","lang":"en"}
{"id":"2","a":"The sync is on.","b":"Herons fish.","label":"contradiction","lang":"en"}
{"id":"3","a":"缓存已启用","b":"缓存已停用","label":"contradiction","lang":"zh"}
{"id":"4","a":"The sync is enabled.","b":"The sync is not enabled.","label":"neutral","lang":"en"}
{"id":"5","a":"Herons fish.","b":"Wrens sing.","label":"entailment","lang":"en"}
`
	if err := os.WriteFile(filepath.Join(dir, "pairs.jsonl"), []byte(pairs), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Pairs(dir, PairOptions{By: "lang"})
	if err != nil {
		t.Fatal(err)
	}
	if r.N != 5 || r.Contradictions != 3 || r.Found != 2 || r.FalseAlarms != 1 || *r.AlarmsPer100 != 50 || *r.Precision != 2.0/3 || *r.Recall != 2.0/3 {
		t.Errorf("all: %+v", r.PairFigures)
	}
	if len(r.Groups) != 2 || r.Groups[0].Value != "en" || r.Groups[0].N != 4 || r.Groups[1].Value != "zh" || *r.Groups[1].Recall != 1 || r.Groups[1].AlarmsPer100 != nil {
		t.Errorf("groups: %+v", r.Groups)
	}
	if r, err = Pairs(dir, PairOptions{Where: []string{"lang=zh"}}); err != nil || r.N != 1 || r.Found != 1 {
		t.Errorf("one language: %+v, %v", r, err)
	}
	for _, o := range []PairOptions{{Where: []string{"tongue=zh"}}, {By: "tongue"}, {Pairs: "none.jsonl"}} {
		if _, err := Pairs(dir, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "half.jsonl"), []byte(`{"id":"1","a":"The limit is 100."}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Pairs(dir, PairOptions{Pairs: "half.jsonl"}); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a pair of one: %v", err)
	}
}
