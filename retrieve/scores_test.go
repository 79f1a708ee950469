package retrieve

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"brain/index"
	"brain/llm/llmtest"
)

func TestBetterLexicalMatchHasTheHigherScore(t *testing.T) {
	b := wordsOnly(t, filler(map[string]string{
		"good.md": "# Rotating the signing key\n\nThe signing key is rotated each quarter; the old signing key stays valid for a day.",
		"poor.md": "The garage door has a key. Signing up for a locker is done at the desk, on the second floor, next to the lift.",
	}, 10, func(i int) string { return fmt.Sprintf("Page %d about bread.", i) }))
	a := b.words("signing key")
	wantPaths(t, a, "good.md", "poor.md")
	if a.Hits[0].Score <= a.Hits[1].Score {
		t.Errorf("scores %v and %v", a.Hits[0].Score, a.Hits[1].Score)
	}
}

func TestNonsenseIsMarkedWeak(t *testing.T) {
	b := theDemo(t)
	for _, text := range []string{"zxqv blorptang fimmer 8841", "wugga wugga plonk snerd", "鑫淼焱垚犇骉掱毳", "How do I prune a lemon tree in a pot?"} {
		wantNothingSure(t, b.ask(text))
	}
	for _, text := range []string{"SLC-429 tenant budget exhausted", "红隼", "who founded Brinewell"} {
		if b.ask(text).Weak {
			t.Errorf("%q: weak though the answer is there", text)
		}
	}
}

// A raw BM25 may be any number. Divided by its ideal it cannot drown a page
// that is near in meaning and shares words too.
func TestRawKeywordScaleDoesNotDecide(t *testing.T) {
	b := newBrain(t, filler(map[string]string{
		"semantic.md": "# Car repair\n\nThe automobile engine is fixed by the mechanic in the garage.",
		"keyword.md":  strings.Repeat("vehicle ", 400),
	}, 30, func(i int) string { return fmt.Sprintf("Page %d about bread and cheese.", i) }))
	a := b.ask("vehicle engine mechanic garage repair")
	wantFirst(t, a, "semantic.md")
	if h := hit(a, "keyword.md"); h != nil {
		if s := signal(h, "bm25"); s.Value > bm25Share {
			t.Errorf("bm25 adds %v, more than a perfect page could get", s.Value)
		}
	}
}

func TestRareIdentifierOfOneArmBeatsSixtyMediocrePages(t *testing.T) {
	b := newBrain(t, filler(map[string]string{
		"rare.md": "Seen once: `QX-7719-ZETA` on the north gate.",
	}, 60, func(i int) string {
		return fmt.Sprintf("# Error report %d\n\nAn error code was seen on the gate; the error is known, number %d.", i, i)
	}))
	for _, text := range []string{"error code QX-7719-ZETA", "QX-7719-ZETA"} {
		wantFirst(t, b.ask(text), "rare.md")
	}
}

// Front matter is no text: 800 pages with the same block must not look alike.
func TestFrontMatterDoesNotFillTheVectorResults(t *testing.T) {
	block := "---\nschema_type: note\ncreated_by: importer\nsource: archive\nstatus: active\ncreated_at: \"2025-01-01T00:00:00Z\"\n---\n"
	pages := map[string]string{"target.md": "The importer writes a note with the status of the archive."}
	for i := range 800 {
		pages[fmt.Sprintf("n/%03d.md", i)] = block + fmt.Sprintf("Apple pear %d plum.\n", i)
	}
	b := newBrainWith(t, pages, index.Options{Embedder: llmtest.Hash(64)})
	a := b.search(Query{Text: "note status importer archive", Arms: []string{Vector}})
	wantFirst(t, a, "target.md")
}

func TestListsTablesAndTasksAreSearchedAndShown(t *testing.T) {
	b := newBrain(t, map[string]string{
		"list.md": "- groceries\n  - oranges\n    - mandarins from Valencia\n- [ ] call the plumber\n- [x] renew the passport\n\n| item | price |\n|------|-------|\n| kettle | 40 |\n\n---\n\n- - -\n",
		"else.md": "Something else entirely.",
	})
	for _, text := range []string{"mandarins", "plumber", "passport", "kettle", "valencia"} {
		a := b.words(text)
		wantPaths(t, a, "list.md")
		if s := a.Hits[0].Snippet; strings.Trim(s, "-| ") == "" || !strings.Contains(strings.ToLower(s), text) {
			t.Errorf("%q: snippet %q", text, s)
		}
	}
	wantNone(t, b.words("---"))
}

func TestViewsIsNotInterviews(t *testing.T) {
	b := wordsOnly(t, map[string]string{
		"entities/interviews.md": "---\ntitle: Interviews\nschema_type: entity\n---\nHow we talk to candidates.\n",
		"ui/views/list.md":       "The list view, see [[Interviews]].",
		"hiring.md":              "See [[Interviews]].",
	})
	if a := b.search(Query{Text: "which views are there", Arms: []string{Graph}}); len(a.Hits) > 0 {
		t.Errorf("the graph arm took views for interviews: %q", paths(a))
	}
	if a := b.search(Query{Text: "how do the interviews go", Arms: []string{Graph}}); len(a.Hits) != 3 {
		t.Errorf("a whole token names the entity: got %q", paths(a))
	}
}

func TestAnotherSettingIsAnotherScore(t *testing.T) {
	b := newBrain(t, map[string]string{"a.md": "The boiler pressure gauge.", "b.md": "Steam and water heating."})
	all := b.ask("boiler pressure")
	words := b.words("boiler pressure")
	b.sr.Embedder = nil
	without := b.ask("boiler pressure")
	if signal(&all.Hits[0], "cosine") == nil || signal(&words.Hits[0], "cosine") != nil || signal(&without.Hits[0], "cosine") != nil {
		t.Error("scores of one setting were shown for another")
	}
	if all.Hits[0].Score == without.Hits[0].Score {
		t.Error("the arm that went took nothing with it")
	}
}

func TestPageAddedAfterAnEmptyAnswerIsFound(t *testing.T) {
	b := wordsOnly(t, map[string]string{"a.md": "Bread."})
	wantNone(t, b.ask("hollandaise"))
	b.write("sauce.md", "Hollandaise wants warm butter.")
	b.sync()
	wantPaths(t, b.ask("hollandaise"), "sauce.md")
}

func TestWordsInOrderBeatWordsScattered(t *testing.T) {
	body := func(s string) string { return "A note.\n\n" + s + "\n" }
	b := wordsOnly(t, filler(map[string]string{
		"order.md":   body("We met at the circuit breaker panel near gate four and left soon after lunch that day."),
		"scatter.md": body("The breaker was met near gate four, and after lunch at the panel we left the circuit soon that day."),
	}, 10, func(i int) string { return fmt.Sprintf("Page %d about bread.", i) }))
	a := b.words("circuit breaker panel")
	wantPaths(t, a, "order.md", "scatter.md")
	near, far := signal(&a.Hits[0], "phrase"), signal(&a.Hits[1], "phrase")
	if near == nil || near.Value != phraseShare {
		t.Errorf("all words side by side give %v, want %v", near, phraseShare)
	}
	if far != nil && far.Value >= near.Value {
		t.Errorf("scattered words give %v", far)
	}
}

// Two neighbours of the question are neighbours of the page when at most
// pairGap apart, in the order of the question.
func TestNearerWordsBeatFartherOnes(t *testing.T) {
	w := newWanted(queryTerms("alpha beta gamma"), nil)
	for text, want := range map[string]float64{
		"alpha beta gamma":         1,
		"alpha, beta and gamma":    1,
		"alpha x y z beta gamma":   .5,
		"gamma beta alpha":         0,
		"beta gamma only":          .5,
		"alpha":                    0,
		"gamma alpha 1 beta 2 3 4": .5,
	} {
		if got := phraseOf(w, text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestDuplicatesAreOneHitThatNamesItsSources(t *testing.T) {
	text := "The quarterly inventory is counted in the cold store.\n"
	b := newBrain(t, map[string]string{"a/x.md": "---\ntitle: Count\n---\n" + text, "b/y.md": "---\ntitle: Count\n---\n" + text, "c/z.md": "---\ntitle: Count\n---\n" + text, "other.md": "An inventory of jokes."})
	a := b.ask("quarterly inventory cold store")
	wantPaths(t, a, "a/x.md", "other.md")
	if !slices.Equal(a.Hits[0].Sources, []string{"b/y.md", "c/z.md"}) {
		t.Errorf("sources %q", a.Hits[0].Sources)
	}
	if a.Hits[1].Sources == nil || len(a.Hits[1].Sources) > 0 {
		t.Errorf("a page without twins has sources %v", a.Hits[1].Sources)
	}
}
