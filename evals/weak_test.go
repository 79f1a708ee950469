package evals

import (
	"testing"

	"brain/page"
)

// testdata/weak holds what the mark `weak` is measured with. Good questions are
// plainly answered by the page they want: half of them in its words, half in
// other words or in the other language. Nonsense is answered by no page:
// everyday matters, random words, syllables, other people's software (near) and
// things of ours that nobody wrote down (named). The types are for looking at
// results; a rule for `weak` sees the text alone.
const weakData = "testdata/weak/"

func TestWeakQuestions(t *testing.T) {
	pages := map[string]map[string][]byte{"demo": demoPages(t), "world": World(WorldSeed).Pages}
	ids, texts := map[string]bool{}, map[string]bool{}
	for _, file := range []string{"good.jsonl", "nonsense.jsonl"} {
		n := map[string]int{}
		for _, q := range readQuestions(t, weakData+file) {
			n["all"]++
			n[q.Lang]++
			n[q.Tree]++
			n[q.Type]++
			if Untuned(q.ID) {
				n["untuned"]++
			}
			if ids[q.ID] || texts[q.Text] {
				t.Errorf("%s: %s %q: twice", file, q.ID, q.Text)
			}
			ids[q.ID], texts[q.Text] = true, true
			raw, found := pages[q.Tree][q.Want]
			want := page.Parse(page.Path(q.Want), raw)
			if isGood := file == "good.jsonl"; isGood != found || isGood && (!want.Ranked() || want.Status == "archived") {
				t.Errorf("%s: %s %q wants %q of %s", file, q.ID, q.Text, q.Want, q.Tree)
			}
		}
		for what, least := range map[string]int{"all": 150, "en": 60, "zh": 60, "demo": 60, "world": 60} {
			if n[what] < least {
				t.Errorf("%s: %s: %d questions, at least %d wanted", file, what, n[what], least)
			}
		}
		if n["untuned"]*10 < n["all"]*4 || n["untuned"]*10 > n["all"]*6 {
			t.Errorf("%s: untuned: %d of %d", file, n["untuned"], n["all"])
		}
		if file == "good.jsonl" && (n["lexical"]*10 < n["all"]*4 || n["paraphrase"]*10 < n["all"]*3) {
			t.Errorf("%s: %v", file, n)
		}
		t.Logf("%s: %v", file, n)
	}
}
