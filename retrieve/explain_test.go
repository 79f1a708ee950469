package retrieve

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// replay applies signals in order to zero.
func replay(t *testing.T, signals []Signal) float64 {
	t.Helper()
	score := 0.0
	for _, s := range signals {
		switch s.Op {
		case "add":
			score += s.Value
		case "mul":
			score *= s.Value
		default:
			t.Errorf("signal %s: op %q", s.Name, s.Op)
		}
	}
	return score
}

func TestSignalsGiveTheScoreToTheLastBit(t *testing.T) {
	b := theDemo(t)
	variants := []struct {
		name string
		q    Query
	}{
		{"plain", Query{}},
		{"lexical", Query{Arms: []string{Lexical}}},
		{"vector", Query{Arms: []string{Vector}}},
		{"graph", Query{Arms: []string{Graph}}},
		{"two arms", Query{Arms: []string{Lexical, Graph}}},
		{"kind", Query{Kinds: []string{"decision", "entity"}}},
		{"source and date", Query{Sources: []string{"ingest"}, Since: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)}},
		{"passages", Query{Unit: Passages, N: 30}},
		{"budget", Query{Budget: 500}},
		{"agent", Query{Agent: "marlin", N: 50}},
		{"overview", Query{Overview: true}},
	}
	for _, variant := range variants {
		hits, names := 0, map[string]bool{}
		for _, text := range goldenQueries {
			q := variant.q
			q.Text = text
			for _, h := range b.search(q).Hits {
				hits++
				for _, s := range h.Signals {
					names[s.Name] = true
				}
				if got := replay(t, h.Signals); math.Float64bits(got) != math.Float64bits(h.Score) {
					t.Errorf("%s: %q: %s: signals give %v, score is %v: %s", variant.name, text, h.Path, got, h.Score, told(h.Signals))
				}
			}
		}
		if hits == 0 {
			t.Errorf("%s: no hit at all: nothing was proved", variant.name)
		}
		if variant.name == "plain" {
			for _, name := range []string{"rrf.lexical", "rrf.vector", "rrf.graph", "rrf.share", "bm25", "cosine", "phrase", "hotness", "links.hub", "links.sources"} {
				if !names[name] {
					t.Errorf("signal %s never occurs in the golden questions", name)
				}
			}
		}
	}
}

// An arm's first page gets that arm's weight, whatever k is.
func TestFirstOfAnArmGetsTheArmsWeight(t *testing.T) {
	b := theDemo(t)
	seen := map[string]bool{}
	for _, text := range goldenQueries {
		for _, arm := range AllArms {
			a := b.search(Query{Text: text, Arms: []string{arm}})
			w := weightsByIntent[a.Intent]
			if arm == Graph && a.Relation != "" && !strings.HasPrefix(a.Relation, "out references") && !strings.Contains(a.Relation, " any ") {
				w = weightsAnswered
			}
			weight := map[string]float64{Lexical: w.lexical, Vector: w.vector, Graph: w.graph}[arm]
			for _, h := range a.Hits {
				s := signal(&h, "rrf."+arm)
				if s == nil {
					continue // found by its name alone
				}
				if want := weight * (rrfK + 1) / float64(rrfK+s.Rank); s.Value != want {
					t.Errorf("%q: %s: rrf.%s of rank %d is %v, want %v", text, h.Path, arm, s.Rank, s.Value, want)
				}
				if s.Rank == 1 {
					seen[arm+" "+a.Intent] = true
					if s.Value != weight {
						t.Errorf("%q: %s: rank 1 of %s gives %v, want the weight %v", text, h.Path, arm, s.Value, weight)
					}
				}
				if got := len(a.ArmsMS); got != 1 {
					t.Errorf("%q: %d arms ran, want %s alone", text, got, arm)
				}
			}
		}
	}
	for _, arm := range AllArms {
		for intent := range weightsByIntent {
			if !seen[arm+" "+intent] {
				t.Errorf("no golden question of intent %s has a first page of arm %s", intent, arm)
			}
		}
	}
}

func TestArmsRestrictedBringNothingOfTheOthers(t *testing.T) {
	b := theDemo(t)
	for _, text := range goldenQueries {
		for _, arm := range AllArms {
			for _, h := range b.search(Query{Text: text, Arms: []string{arm}}).Hits {
				for _, s := range h.Signals {
					if other, ok := strings.CutPrefix(s.Name, "rrf."); ok && other != "share" && other != arm {
						t.Errorf("%q: --arms %s: %s has %s", text, arm, h.Path, s.Name)
					}
				}
				if arm != Lexical && (signal(&h, "bm25") != nil || signal(&h, "phrase") != nil) {
					t.Errorf("%q: --arms %s: %s is scored by its words", text, arm, h.Path)
				}
				if arm != Vector && signal(&h, "cosine") != nil {
					t.Errorf("%q: --arms %s: %s is scored by its meaning", text, arm, h.Path)
				}
			}
		}
	}
}

func TestToldPrintsEveryStep(t *testing.T) {
	got := told([]Signal{{Name: "rrf.lexical", Op: "add", Value: .45}, {Name: "rrf.share", Op: "mul", Value: rrfShare}})
	if want := fmt.Sprintf("rrf.lexical +0.4500, rrf.share ×%.4f", rrfShare); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Boosts go to every page near the top as it stands before them, and to no
// other; each dated page among those has its hotness.
func TestBoostsGoToThePagesNearTheTop(t *testing.T) {
	for _, text := range goldenQueries {
		checkBoosts(t, theDemo(t).search(Query{Text: text, N: 100}))
	}
	// Pages of the same few words, some side by side: phrases reorder them.
	r := rand.New(rand.NewPCG(7, 7))
	words := []string{"copper", "anvil", "lantern", "saddle", "thimble", "kettle"}
	pages := map[string]string{}
	for i := range 120 {
		body := make([]string, 24)
		for j := range body {
			if body[j] = fmt.Sprintf("w%d", r.IntN(900)); r.IntN(4) == 0 {
				body[j] = words[r.IntN(len(words))]
			}
		}
		pages[fmt.Sprintf("%03d.md", i)] = dated("2026-03-01T00:00:00Z", strings.Join(body, " "))
	}
	b := wordsOnly(t, pages)
	for range 150 {
		r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		checkBoosts(t, b.search(Query{Text: strings.Join(words[:4], " "), N: 100}))
	}
}

func checkBoosts(t *testing.T, a *Answer) {
	t.Helper()
	before := make([]float64, len(a.Hits))
	best := 0.0
	for i, h := range a.Hits {
		boosts := slices.IndexFunc(h.Signals, func(s Signal) bool { return s.Op == "mul" && s.Name != "rrf.share" })
		if boosts < 0 {
			boosts = len(h.Signals)
		}
		before[i] = replay(t, h.Signals[:boosts])
		best = max(best, before[i])
	}
	for i, h := range a.Hits {
		near := before[i] >= boostFloor*best
		if hot := signal(&h, "hotness") != nil; hot != (near && h.Updated != "") {
			t.Errorf("%q: %s: %.4f before boosts, best %.4f, dated %q, has hotness: %v", a.Query, h.Path, before[i], best, h.Updated, hot)
		}
		if !near && h.Score != before[i] {
			t.Errorf("%q: %s: boosted from %v to %v far below the top", a.Query, h.Path, before[i], h.Score)
		}
	}
}
