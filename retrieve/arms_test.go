package retrieve

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/index"
	"brain/llm/llmtest"
)

// Filters come before the best are cut out: what passes may be the last of
// 300 pages that are all better.
func TestFilterThatOnlyTheLastPagePassesFindsIt(t *testing.T) {
	pages := map[string]string{
		"entities/harbour.md": "---\ntitle: Harbour\nschema_type: entity\n---\nThe place.\n",
		"z/last.md": "---\nschema_type: lesson\nsource: diary\ntags: [tide]\ndate: \"2020-02-02\"\n---\n" + strings.Repeat("Unrelated words fill this page well. ", 12) +
			"Crane of the [[harbour]].\n",
	}
	for i := range 300 {
		pages[fmt.Sprintf("a/%03d.md", i)] = fmt.Sprintf("---\nschema_type: note\nsource: log\ndate: \"2025-03-04\"\n---\nHarbour crane %d, the harbour crane of the [[harbour]].\n", i)
	}
	b := newBrainWith(t, pages, index.Options{Embedder: llmtest.Hash(64)})
	filters := map[string]Query{
		"kind":   {Kinds: []string{"Lesson"}},
		"source": {Sources: []string{"diary"}},
		"tag":    {Tags: []string{"#Tide"}},
		"path":   {Paths: []string{"z"}},
		"glob":   {Paths: []string{"z/*.md"}},
		"until":  {Until: time.Date(2020, 2, 3, 0, 0, 0, 0, time.UTC)},
		"since":  {Since: time.Date(2020, 2, 2, 0, 0, 0, 0, time.UTC), Until: time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)},
	}
	for name, q := range filters {
		for _, arm := range AllArms {
			q.Text, q.Arms = "crane at the harbour", []string{arm}
			if a := b.search(q); !slices.Equal(paths(a), []string{"z/last.md"}) {
				t.Errorf("%s filter, %s arm: got %q", name, arm, paths(a))
			}
		}
	}
	for name, q := range map[string]Query{
		"kind": {Kinds: []string{"recipe"}}, "source": {Sources: []string{"dia"}}, "tag": {Tags: []string{"tid"}},
		"path": {Paths: []string{"z/la"}}, "since": {Since: clock}, "until": {Until: time.Date(2020, 2, 2, 0, 0, 0, 0, time.UTC)},
	} {
		q.Text = "crane at the harbour"
		a := b.search(q)
		if wantNone(t, a); !strings.Contains(a.Note, "filters") {
			t.Errorf("%s: note %q", name, a.Note)
		}
	}
}

func TestKindsCanBeLeftOut(t *testing.T) {
	pages := map[string]string{"a.md": "The grain silo is green."}
	const fact = "agents/spy/facts/ab/f.md"
	pages[fact] = "---\nid: f\n---\n\n# Silo\n\nThe grain silo is grey.\n"
	b := newBrain(t, pages)
	for _, arm := range AllArms[:2] {
		q := Query{Text: "grain silo", Agent: "spy", Arms: []string{arm}}
		if got := paths(b.search(q)); len(got) != 2 {
			t.Errorf("%s: with facts %q", arm, got)
		}
		q.Without = []string{"Fact"}
		wantPaths(t, b.search(q), "a.md")
	}
	a, err := b.sr.Scan(t.Context(), Query{Text: "grain silo", Agent: "spy", Without: []string{"fact"}})
	if err != nil || !slices.Equal(paths(a), []string{"a.md"}) {
		t.Errorf("without an index: %q, %v", paths(a), err)
	}
	if why := b.why(Query{Text: "grain silo", Agent: "spy", Without: []string{"fact"}}, fact); !strings.Contains(why, "without fact") {
		t.Errorf("why: %s", why)
	}
}

func TestPathFilterCrossesFoldersWithTwoStars(t *testing.T) {
	b := wordsOnly(t, map[string]string{"a.md": "silo one", "x/a.md": "silo two", "x/y/a.md": "silo three", "x/y/b.md": "silo four", "xy/c.md": "silo five"})
	all := []string{"a.md", "x/a.md", "x/y/a.md", "x/y/b.md", "xy/c.md"}
	for pattern, want := range map[string][]string{
		"": all, "/": all, "**": all, "**/*": all, "**/**/*.md": all, "**/*.md": all,
		"**/a.md": {"a.md", "x/a.md", "x/y/a.md"}, "x/**": {"x/a.md", "x/y/a.md", "x/y/b.md"}, "x/**/b.md": {"x/y/b.md"},
		"**/y/**": {"x/y/a.md", "x/y/b.md"}, "*.md": {"a.md"}, "x*/c": {}, "x*/c.md": {"xy/c.md"}, "**/z/**": {}, "y": {},
		strings.Repeat("**/", 500) + "z": {}, "[": {},
	} {
		got := paths(b.search(Query{Text: "silo", Paths: []string{pattern}}))
		if slices.Sort(got); !slices.Equal(got, want) && len(got)+len(want) > 0 {
			t.Errorf("%.20q: got %q, want %q", pattern, got, want)
		}
	}
}

func TestPageWithoutADatePassesNoDateFilter(t *testing.T) {
	b := wordsOnly(t, map[string]string{"a.md": "The grain silo.", "b.md": dated("2026-03-01T00:00:00Z", "The grain silo of March.")})
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	wantPaths(t, b.search(Query{Text: "grain silo", Since: day}), "b.md")
	wantNone(t, b.search(Query{Text: "grain silo", Until: day}))
	wantPaths(t, b.search(Query{Text: "grain silo", Until: clock}), "b.md")
}

func TestHugePageOfSimilarChunksPushesNobodyOut(t *testing.T) {
	pages := map[string]string{}
	var huge strings.Builder
	for i := range 300 {
		fmt.Fprintf(&huge, "## Part %d\n\n%s\n\n", i, strings.Repeat(fmt.Sprintf("The turbine blade number %d was inspected for cracks. ", i), 14))
	}
	pages["huge.md"] = huge.String()
	for i := range 9 {
		pages[fmt.Sprintf("small/%d.md", i)] = fmt.Sprintf("Turbine blade report of team %d: cracks were found.", i)
	}
	for i := range 40 {
		pages[fmt.Sprintf("other/%02d.md", i)] = fmt.Sprintf("Canteen menu of week %d: soup and bread.", i)
	}
	for _, kind := range []string{"flat", "chromem"} {
		b := newBrainWith(t, pages, index.Options{Embedder: llmtest.Hash(64), Vectors: kind})
		v := b.view()
		if row, ok := v.Lookup("huge.md"); !ok || v.Page(row).Chunks < 250 {
			t.Fatal("the huge page has too few chunks for this test")
		}
		for _, arms := range [][]string{nil, {Vector}} {
			got := paths(b.search(Query{Text: "cracks in a turbine blade", Arms: arms}))
			if len(got) != 10 || slices.ContainsFunc(got, func(p string) bool { return strings.HasPrefix(p, "other/") }) {
				t.Errorf("%s, arms %v: first ten are %q", kind, arms, got)
			}
		}
	}
}

func TestWalkEndsAfterTwoHopsAndShowsItsChain(t *testing.T) {
	b := wordsOnly(t, map[string]string{
		"start.md": "---\ntitle: Zeppelin\n---\nIt points at [[one]].",
		"one.md":   "---\nlinks:\n  - to: two\n    type: works_on\n---\nFirst.",
		"two.md":   "Second, see [[three]].",
		"three.md": "Third.",
	})
	a := b.search(Query{Text: "tell me about Zeppelin", Arms: []string{Graph}})
	if got := slices.Sorted(slices.Values(paths(a))); !slices.Equal(got, []string{"one.md", "start.md", "two.md"}) {
		t.Errorf("got %q", got)
	}
	h := hit(a, "two.md")
	if h == nil {
		t.Fatal("no page at hop 2")
	}
	if got, want := signal(h, "rrf.graph").Note, "start.md -mentions-> one.md -works_on-> two.md"; got != want {
		t.Errorf("chain %q, want %q", got, want)
	}
	if !slices.Equal(h.Evidence, []string{"link: works_on, 2 hop"}) {
		t.Errorf("evidence %q", h.Evidence)
	}
	if got := hit(a, "start.md").Evidence; !slices.Equal(got, []string{"named"}) {
		t.Errorf("evidence of the page named: %q", got)
	}
}

func TestRelationOnlyFollowsItsType(t *testing.T) {
	b := wordsOnly(t, map[string]string{
		"entities/rope.md":  "---\ntitle: Rope Works\nschema_type: entity\n---\nA company.\n",
		"entities/nina.md":  "---\ntitle: Nina\nschema_type: entity\nlinks:\n  - to: rope\n    type: founded\n---\nShe started it.\n",
		"entities/oskar.md": "---\ntitle: Oskar\nschema_type: entity\nlinks:\n  - to: rope\n    type: advises\n---\nHe helps.\n",
		"note.md":           "A note on [[rope]].",
	})
	a := b.search(Query{Text: "who founded Rope Works", Arms: []string{Graph}})
	wantPaths(t, a, "entities/nina.md")
	if a.Intent != "relation" || !strings.Contains(a.Relation, "founded") {
		t.Errorf("intent %s, relation %q", a.Intent, a.Relation)
	}
	if a.Weak {
		t.Error("weak though a link says it")
	}
	wantPaths(t, b.search(Query{Text: "谁是 Rope Works 的顾问", Arms: []string{Graph}}), "entities/oskar.md")
}

func TestAHugeNumberOfHitsWantedIsAnswered(t *testing.T) {
	b := newBrain(t, fewPages)
	for _, n := range []int{1, 3, 1 << 20, 1 << 30, int(^uint(0) >> 1)} {
		if a := b.search(Query{Text: "boiler pressure", N: n}); len(a.Hits) == 0 || len(a.Hits) > n {
			t.Errorf("-n %d: %d hits", n, len(a.Hits))
		}
	}
}

func TestArmsOutOfTimeAreNamedWithTheLimit(t *testing.T) {
	b := newBrain(t, fewPages)
	a := b.search(Query{Text: "boiler pressure", Timeout: time.Nanosecond})
	if len(a.Degraded) == 0 {
		t.Fatal("an arm answered within a nanosecond")
	}
	for _, d := range a.Degraded {
		if !slices.Contains(AllArms, d.Arm) || !strings.Contains(d.Reason, "no answer within 1ns") {
			t.Errorf("degraded %+v", d)
		}
	}
	wantJSON(t, a)
}

func TestEmptyBrainAnswersNothing(t *testing.T) {
	b := newBrain(t, nil)
	for _, text := range []string{"anything", "", "who founded Acme"} {
		wantNone(t, b.ask(text))
	}
}

func dated(day, text string) string { return "---\ncreated_at: \"" + day + "\"\n---\n" + text + "\n" }

func TestScoreIsTheSameAllDay(t *testing.T) {
	b := wordsOnly(t, map[string]string{"a.md": dated("2026-03-31T23:00:00Z", "Soup."), "b.md": dated("2026-04-01T09:30:00Z", "Soup too.")})
	at := func(hour int) []float64 {
		var out []float64
		for _, h := range b.search(Query{Text: "soup", Now: time.Date(2026, 4, 1, hour, 59, 59, 1, time.UTC)}).Hits {
			out = append(out, h.Score)
		}
		return out
	}
	first := at(0)
	if len(first) != 2 || !slices.Equal(first, at(12)) || !slices.Equal(first, at(23)) || slices.Equal(first, at(24)) {
		t.Errorf("scores %v at 0, %v at 12, %v at 23, %v at 24 hours", first, at(12), at(23), at(24))
	}
}

func TestFresherOfTwoEqualPagesIsFirst(t *testing.T) {
	today, old := clock.Format(time.RFC3339), clock.AddDate(0, 0, -90).Format(time.RFC3339)
	b := wordsOnly(t, map[string]string{
		"a/old.md": dated(old, "The grain silo is cleaned twice."),
		"z/new.md": dated(today, "The grain silo is cleaned twice!"),
		"c.md":     "Something else.",
	})
	a := b.ask("grain silo cleaned")
	wantPaths(t, a, "z/new.md", "a/old.md")
	fresh, stale := signal(&a.Hits[0], "hotness"), signal(&a.Hits[1], "hotness")
	if fresh == nil || fresh.Value != 1+hotAlpha {
		t.Errorf("hotness of today: %+v", fresh)
	}
	if want := 1 + hotAlpha/8; stale == nil || stale.Value != want {
		t.Errorf("hotness after three half-lives: %+v, want %v", stale, want)
	}
}

func TestPageWithoutADateIsNeitherFreshNorStale(t *testing.T) {
	b := wordsOnly(t, map[string]string{"a.md": "The grain silo.", "future.md": dated("2030-01-01T00:00:00Z", "The grain silo of then.")})
	a := b.ask("grain silo")
	if s := signal(hit(a, "a.md"), "hotness"); s != nil {
		t.Errorf("a file's own time gave %+v", s)
	}
	if s := signal(hit(a, "future.md"), "hotness"); s == nil || s.Value != 1+hotAlpha {
		t.Errorf("a date in the future: %+v", s)
	}
}

func TestTrustBreaksTiesWhateverFilesAreCalled(t *testing.T) {
	const text = "The ferry leaves at noon from the western pier"
	for _, names := range [][2]string{{"a", "z"}, {"z", "a"}} {
		decision, note := "d/"+names[0]+".md", "d/"+names[1]+".md"
		b := wordsOnly(t, map[string]string{
			decision: "---\nschema_type: decision\n---\n" + text + ".\n",
			note:     "---\nschema_type: scrap\n---\n" + text + "!\n",
			"x.md":   "Else.",
		})
		a := b.ask("ferry western pier noon")
		wantPaths(t, a, decision, note)
		if a.Hits[0].Score != a.Hits[1].Score {
			t.Errorf("equal texts have the scores %v and %v", a.Hits[0].Score, a.Hits[1].Score)
		}
	}
}

func TestHubOfTheFirstPagesIsLiftedAndSaysSo(t *testing.T) {
	pages := map[string]string{"hub.md": "Granite quarry blasting rules."}
	for i, source := range []string{"north", "south", "south"} {
		pages[fmt.Sprintf("sources/%s/notes/%d.md", source, i)] = fmt.Sprintf("Granite quarry blasting report %d, see [[hub]].", i)
	}
	b := wordsOnly(t, pages)
	h := hit(b.ask("granite quarry blasting"), "hub.md")
	if hub := signal(h, "links.hub"); hub == nil || hub.Value != hubBoost {
		t.Errorf("links.hub: %+v", hub)
	}
	if s := signal(h, "links.sources"); s == nil || s.Value != sourcesBoost {
		t.Errorf("links.sources: %+v", s)
	}
	if s := signal(h, "boost.clamp"); s == nil {
		t.Errorf("%v × %v is above %v and was not clamped", hubBoost, sourcesBoost, boostMax)
	}
}
