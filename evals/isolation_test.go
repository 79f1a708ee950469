package evals

import (
	"context"
	"strings"
	"testing"

	"brain/retrieve"
)

func TestNothingLeaksBetweenBrains(t *testing.T) {
	rep, err := Isolation(context.Background(), IsolationOptions{Embedder: staticEmbedder(t), Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range rep.Leaks {
		t.Errorf("%s %q: %q in %s", l.Way, l.Asked, l.Found, l.In)
	}
	if rep.Probes < 500 {
		t.Errorf("only %d probes", rep.Probes)
	}
}

// A leak in any part of an answer is seen; a question's own words in the echo
// of it, and the bait page's own text, are none.
func TestAnswersAreLookedThrough(t *testing.T) {
	asked := "what is the quexomard shipment"
	for _, test := range []struct {
		name string
		ans  retrieve.Answer
		want int
	}{
		{"clean", retrieve.Answer{Query: asked, Note: "nothing of quexomard", Hits: []retrieve.Hit{{Path: "harbour.md"}}}, 0},
		{"snippet", retrieve.Answer{Hits: []retrieve.Hit{{Path: "harbour.md", Snippet: "The Quexomard shipment"}}}, 1},
		{"path", retrieve.Answer{Hits: []retrieve.Hit{{Path: secretPath}}}, 2},
		{"signal", retrieve.Answer{Hits: []retrieve.Hit{{Path: "a.md", Signals: []retrieve.Signal{{Note: "via yintraphol"}}}}}, 1},
		{"note", retrieve.Answer{Note: "did you mean Zorvintal?"}, 1},
		{"bait", retrieve.Answer{Hits: []retrieve.Hit{{Path: baitPath, Snippet: "See [[The Zorvintal Ledger]]"}}}, 0},
		{"more than bait", retrieve.Answer{Hits: []retrieve.Hit{{Path: baitPath, Snippet: "drofnaquil"}}}, 1},
	} {
		run := isolationTest{rep: &IsolationReport{}}
		if err := run.answer("search", asked, &test.ans); err != nil {
			t.Fatal(err)
		}
		if len(run.rep.Leaks) != test.want {
			t.Errorf("%s: %d leaks, want %d: %v", test.name, len(run.rep.Leaks), test.want, run.rep.Leaks)
		}
	}
}

// The words must be told apart by the search for them.
func TestSecretsAreDistinct(t *testing.T) {
	for a, x := range secrets {
		for b, y := range secrets {
			if a != b && strings.Contains(x, y) {
				t.Errorf("the word of %s holds that of %s", a, b)
			}
		}
		stands := secretPage + secretPath
		if a == "agent" {
			stands = openPages[agentPath]
		}
		if !strings.Contains(strings.ToLower(stands), x) {
			t.Errorf("the word of %s stands nowhere", a)
		}
	}
	for path, content := range openPages {
		for _, found := range secretsIn(path+content, append([]string{secrets["agent"]}, baitWords...)) {
			t.Errorf("%s holds %q", path, found)
		}
	}
}
