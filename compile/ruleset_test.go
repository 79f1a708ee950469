package compile_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"brain/text"
)

// The set that judges extraction by rules: single turns, labelled by hand with
// what is worth keeping of them. testdata/README.md says what that means. One
// half, found by a hash of the id, is for tuning; the bar holds on the other.

// ruleCase is one turn of the set.
type ruleCase struct {
	ID   string `json:"id"`   // en-001, zh-001
	Lang string `json:"lang"` // en, zh
	Role string `json:"role"` // user, assistant
	Text string `json:"text"`
	Keep string `json:"keep"`           // a kind of keepKinds; "" for nothing to keep
	Note string `json:"note,omitempty"` // why the label is what it is, where one may wonder
}

var keepKinds = []string{"remember", "decision", "preference", "correction", "lesson", "task"}

// heldOut reports whether the case belongs to the half that is not tuned on.
func (c ruleCase) heldOut() bool { return sha256.Sum256([]byte(c.ID))[0]%2 == 1 }

// ruleCases reads the set; a line that is not exactly a case fails the test.
func ruleCases(t testing.TB) []ruleCase {
	t.Helper()
	return readLines[ruleCase](t, "testdata/rules.jsonl")
}

// readLines reads one JSON object a line, without fields that T does not have.
func readLines[T any](t testing.TB, name string) []T {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var all []T
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for n := 1; lines.Scan(); n++ {
		var v T
		dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&v); err != nil {
			t.Fatalf("%s:%d: %v", name, n, err)
		}
		all = append(all, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestRuleSetIsWellFormed(t *testing.T) {
	id := regexp.MustCompile(`^(en|zh)-\d{3}$`)
	ids, texts := map[string]bool{}, map[string]string{}
	for _, c := range ruleCases(t) {
		if !id.MatchString(c.ID) || !strings.HasPrefix(c.ID, c.Lang+"-") || ids[c.ID] {
			t.Errorf("%s: no id of its own and of its language %q", c.ID, c.Lang)
		}
		ids[c.ID] = true
		if c.Role != "user" && c.Role != "assistant" {
			t.Errorf("%s: unknown role %q", c.ID, c.Role)
		}
		if c.Keep != "" && !slices.Contains(keepKinds, c.Keep) {
			t.Errorf("%s: unknown kind %q", c.ID, c.Keep)
		}
		key := text.Fold(strings.TrimSpace(c.Text))
		if key == "" || c.Text != strings.TrimSpace(c.Text) {
			t.Errorf("%s: empty, or spaces around the text", c.ID)
		}
		if other, ok := texts[key]; ok {
			t.Errorf("%s: same text as %s", c.ID, other)
		}
		texts[key] = c.ID
	}
}

// A language has enough cases, and neither half of it is short of any kind: a
// figure of the half that is held out means little over three sentences.
func TestRuleSetIsBalanced(t *testing.T) {
	type cell struct{ lang, keep string }
	all, held := map[cell]int{}, map[cell]int{}
	for _, c := range ruleCases(t) {
		all[cell{c.Lang, c.Keep}]++
		if c.heldOut() {
			held[cell{c.Lang, c.Keep}]++
		}
	}
	for _, lang := range []string{"en", "zh"} {
		kept := 0
		for _, keep := range keepKinds {
			n := cell{lang, keep}
			kept += all[n]
			if all[n] < 12 {
				t.Errorf("%s: only %d cases of %s", lang, all[n], keep)
			}
		}
		nothing := all[cell{lang, ""}]
		if kept+nothing < 200 || kept < 100 || nothing < 90 {
			t.Errorf("%s: %d cases to keep and %d with nothing to keep are too few", lang, kept, nothing)
		}
	}
	for n, total := range all {
		if share := float64(held[n]) / float64(total); share < 0.35 || share > 0.65 {
			t.Errorf("%s %q: %d of %d are held out", n.lang, n.keep, held[n], total)
		}
	}
}

// Nothing that was tuned on comes back with a word changed in the other half.
func TestHalvesOfRuleSetAreApart(t *testing.T) {
	cases := ruleCases(t)
	words := make([]map[string]bool, len(cases))
	for i, c := range cases {
		words[i] = map[string]bool{}
		text.Terms(c.Text, func(term text.Term) { words[i][string(term.Text)] = true })
	}
	for i, a := range cases {
		for j, b := range cases[:i] {
			if a.heldOut() != b.heldOut() && jaccard(words[i], words[j]) >= 0.8 {
				t.Errorf("%s and %s are nearly the same, one in each half: %q, %q", a.ID, b.ID, a.Text, b.Text)
			}
		}
	}
}

func jaccard(a, b map[string]bool) float64 {
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}
