package compile_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

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

// sessionLine is a line of a session's file: the first names it, the others
// are its turns.
type sessionLine struct {
	Session, Agent, Title string // of the first line only

	Role, Kind, Text, ID string
	At                   time.Time
}

// sessionWant says what an ideal reader keeps of a session, and what not.
type sessionWant struct {
	Keep []struct {
		Kind     string   `json:"kind"`
		Turns    []int    `json:"turns"` // from 1
		Words    []string `json:"words"` // what is kept contains them
		Date     string   `json:"date"`  // the day that a relative one stands for
		Replaces []int    `json:"replaces"`
	} `json:"keep"`
	Drop []struct {
		Turns    []int    `json:"turns"`
		Words    []string `json:"words"` // none: nothing of the turns at all
		Why      string   `json:"why"`
		Reversed bool     `json:"reversed"` // only a later turn makes it wrong
		Secret   bool     `json:"secret"`   // never on disk
	} `json:"drop"`
}

// session is one of testdata/sessions, with what is wanted of it.
type session struct {
	name  string
	turns []sessionLine
	want  sessionWant
}

func sessions(t testing.TB) []session {
	t.Helper()
	var all []session
	for _, name := range []string{"harbor-importer", "order-export"} {
		file := filepath.Join("testdata", "sessions", name)
		lines := readLines[sessionLine](t, file+".jsonl")
		if len(lines) == 0 || lines[0].Session != name {
			t.Fatalf("%s: the first line does not name the session", name)
		}
		s := session{name: name, turns: lines[1:]}
		raw, err := os.ReadFile(file + ".want.json")
		if err != nil {
			t.Fatal(err)
		}
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&s.want); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, s)
	}
	return all
}

// smallTalk reads the conversation of which nothing is kept.
func smallTalk(t testing.TB) []sessionLine {
	t.Helper()
	return readLines[sessionLine](t, "testdata/smalltalk.jsonl")
}

// says reports words that none of these turns, counted from 1, contains.
func (s session) says(t testing.TB, turns []int, words []string) {
	t.Helper()
	var said strings.Builder
	for _, n := range turns {
		if n < 1 || n > len(s.turns) {
			t.Fatalf("%s: there is no turn %d", s.name, n)
		}
		said.WriteString(text.Fold(s.turns[n-1].Text) + "\n")
	}
	if len(turns) == 0 {
		t.Errorf("%s: no turns where %q is said", s.name, words)
	}
	for _, w := range words {
		if !strings.Contains(said.String(), text.Fold(w)) {
			t.Errorf("%s: turns %v do not say %q", s.name, turns, w)
		}
	}
}

func TestSessionsAreWellFormed(t *testing.T) {
	all := append(sessions(t), session{name: "smalltalk", turns: smallTalk(t)})
	for _, s := range all {
		if len(s.turns) < 30 {
			t.Errorf("%s: only %d turns", s.name, len(s.turns))
		}
		var last time.Time
		for i, turn := range s.turns {
			if turn.Text == "" || !slices.Contains([]string{"user", "assistant", "tool"}, turn.Role) {
				t.Errorf("%s: turn %d: no text, or unknown role %q", s.name, i+1, turn.Role)
			}
			if !turn.At.After(last) && i > 0 {
				t.Errorf("%s: turn %d is not said after the one before it", s.name, i+1)
			}
			last = turn.At
		}
	}
}

// What is wanted of a session can be found in the turns that are named.
func TestWantedOfSessionsStandsInTheirTurns(t *testing.T) {
	for _, s := range sessions(t) {
		kinds := map[string]bool{}
		for _, k := range s.want.Keep {
			kinds[k.Kind] = true
			if !slices.Contains(keepKinds, k.Kind) || len(k.Words) == 0 {
				t.Errorf("%s: to keep: unknown kind or no words: %+v", s.name, k)
			}
			s.says(t, k.Turns, k.Words)
			if len(k.Replaces) > 0 && slices.Max(k.Replaces) >= slices.Min(k.Turns) {
				t.Errorf("%s: turns %v cannot overturn %v", s.name, k.Turns, k.Replaces)
			}
			if _, err := time.Parse(time.DateOnly, k.Date); k.Date != "" && err != nil {
				t.Errorf("%s: %v", s.name, err)
			}
		}
		for _, kind := range []string{"decision", "preference", "correction", "lesson", "task"} {
			if !kinds[kind] {
				t.Errorf("%s: no %s to keep", s.name, kind)
			}
		}
		for _, d := range s.want.Drop {
			s.says(t, d.Turns, d.Words)
			if d.Why == "" {
				t.Errorf("%s: no reason to drop %v", s.name, d.Turns)
			}
		}
	}
}
