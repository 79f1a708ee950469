package evals

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// What testdata/memorypairs and memorypairs-more promise of themselves (README.md there): how many
// pairs of what, which half a pair is in, that none occurs twice and none is a
// pair that the screens were made with.

// memorySets are the sets, and how many pairs of a language each has that conflict; as many do not.
var memorySets = map[string]map[string]int{
	"memorypairs":      {"zh": 70, "en": 70, "mixed": 10},
	"memorypairs-more": {"zh": 90, "en": 90, "mixed": 20},
}

// memoryPair is one line of their pairs.jsonl.
type memoryPair struct {
	ID, A, B, Label, Lang, Kind, Trap, Half string
}

func readMemoryPairs(t testing.TB, set string) (out []memoryPair) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", set, "pairs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		var p memoryPair
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out = append(out, p)
	}
	return out
}

// unordered is a pair's text, the same for (a, b) and (b, a) and for what
// differs in case, spaces and punctuation alone.
func unordered(a, b string) string {
	mark := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	a = strings.Join(strings.FieldsFunc(strings.ToLower(a), mark), " ")
	b = strings.Join(strings.FieldsFunc(strings.ToLower(b), mark), " ")
	return min(a, b) + " / " + max(a, b)
}

func TestMemoryPairsAreSplitByTheirID(t *testing.T) {
	half := map[bool]string{true: "tune", false: "judge"}
	for set := range memorySets {
		for _, p := range readMemoryPairs(t, set) {
			if want := half[sha256.Sum256([]byte(p.ID))[0]%2 == 1]; p.Half != want {
				t.Errorf("%s is in the half %q, want %q", p.ID, p.Half, want)
			}
		}
	}
}

func TestMemoryPairsAreHalfContradictionsHalfLookAlikes(t *testing.T) {
	for set, want := range memorySets {
		conflict, none := map[string]int{}, map[string]int{}
		for _, p := range readMemoryPairs(t, set) {
			switch p.Label {
			case "contradiction":
				if p.Trap != "" {
					t.Errorf("%s is a contradiction and has the trap %q", p.ID, p.Trap)
				}
				conflict[p.Lang]++
			case "neutral", "entailment", "duplicate":
				if p.Trap == "" {
					t.Errorf("%s does not say why there is no conflict", p.ID)
				}
				none[p.Lang]++
			default:
				t.Errorf("%s has the unknown label %q", p.ID, p.Label)
			}
		}
		if !maps.Equal(conflict, want) || !maps.Equal(none, want) {
			t.Errorf("%s has %v that conflict and %v that do not, want %v of each", set, conflict, none, want)
		}
	}
}

func TestNoMemoryPairOccursTwice(t *testing.T) {
	seen := map[string]string{}
	for _, p := range readLabelled(t, filepath.Join("testdata", "pairs", "pairs.jsonl")) {
		seen[unordered(p.A, p.B)] = "testdata/pairs " + p.ID
	}
	ids := map[string]bool{}
	for set := range memorySets {
		for _, p := range readMemoryPairs(t, set) {
			key := unordered(p.A, p.B)
			if other, twice := seen[key]; twice {
				t.Errorf("%s is the same pair as %s", p.ID, other)
			}
			if ids[p.ID] {
				t.Errorf("the id %s occurs twice", p.ID)
			}
			seen[key], ids[p.ID] = p.ID, true
		}
	}
}
