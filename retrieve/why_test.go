package retrieve

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestWhyOfAHitIsTheHit(t *testing.T) {
	b := theDemo(t)
	for _, text := range goldenQueries[:12] {
		a := b.search(Query{Text: text})
		for _, h := range a.Hits {
			w := b.whyOf(Query{Text: text}, h.Path)
			if !w.In || w.Step != StepShown || w.Rank != h.Rank || w.Score != h.Score || replay(t, w.Signals) != h.Score {
				t.Errorf("%q: %s is rank %d with %v; why: %+v", text, h.Path, h.Rank, h.Score, w)
			}
			if !strings.Contains(w.Note, fmt.Sprintf("rank %d of ", h.Rank)) || !strings.HasPrefix(w.Why, h.Path+" "+w.Note) {
				t.Errorf("%q: %s", text, w.Why)
			}
		}
	}
}

// Every page of the demo is told one step, and those that are shown are the
// answer.
func TestWhyTellsOfEveryPage(t *testing.T) {
	b := theDemo(t)
	v := b.view()
	steps := map[string]int{}
	for _, q := range []Query{
		{Text: goldenQueries[0], N: 5}, {Text: "Wendy Ye", N: 3, Arms: []string{Lexical}}, {Text: "who works on Tern", Kinds: []string{"entity"}},
	} {
		a := b.search(q)
		in := 0
		for row := range v.All {
			w := b.whyOf(q, string(v.Page(row).Path))
			steps[w.Step]++
			if w.In {
				in++
			}
			if h := hit(a, w.Path); w.In != (h != nil) || w.In && h.Rank != w.Rank || w.Step == "" || w.Note == "" {
				t.Errorf("%v: %+v", q, w)
			}
		}
		if in != len(a.Hits) {
			t.Errorf("%v: %d pages are said to be shown, %d are", q, in, len(a.Hits))
		}
	}
	for _, step := range []string{StepShown, StepNumber, StepArms, StepFilter, StepRanked, StepAgent} {
		if steps[step] == 0 {
			t.Errorf("step %s never occurred: %v", step, steps)
		}
	}
}

func TestWhyNamesTheFilterItsValueAndThePages(t *testing.T) {
	b := wordsOnly(t, map[string]string{
		"notes/a.md": "---\nschema_type: note\nsource: ingest\ntags: [zoo, city]\nupdated_at: \"2026-01-05T00:00:00Z\"\n---\nThe otter.",
		"b.md":       "The otter.",
	})
	day := func(s string) time.Time {
		d, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for want, q := range map[string]Query{
		"kind lesson, decision, and the page has note":                              {Kinds: []string{"lesson", "decision"}},
		"source ops, and the page has ingest":                                       {Sources: []string{"ops"}},
		"tag farm, and the page has zoo, city":                                      {Tags: []string{"farm"}},
		"path entities, and the page has notes/a.md":                                {Paths: []string{"entities"}},
		"since 2026-02-01T00:00:00Z, and the page has 2026-01-05T00:00:00Z":         {Since: day("2026-02-01")},
		"until 2026-01-01T00:00:00Z, and the page has 2026-01-05T00:00:00Z":         {Until: day("2026-01-01")},
		"source ops, and the page has ingest; tag farm, and the page has zoo, city": {Sources: []string{"ops"}, Tags: []string{"farm"}, Kinds: []string{"note"}},
	} {
		q.Text = "otter"
		if w := b.whyOf(q, "notes/a.md"); w.Step != StepFilter || w.In || w.Note != "does not pass the filters: "+want {
			t.Errorf("%+v, want %q", w, want)
		}
	}
	if w := b.whyOf(Query{Text: "otter", Since: day("2026-01-01")}, "b.md"); !strings.HasSuffix(w.Note, "and the page has none") {
		t.Errorf("%+v", w)
	}
}

// 130 pages have the word, shorter ones more of it; the arm brings 100.
func TestWhyTellsHowFarEachArmWas(t *testing.T) {
	pages := map[string]string{"none.md": "Bread and butter.", "hub.md": "---\ntitle: Kettle\n---\nNothing. [[far]]"}
	for i := range 130 {
		pages[fmt.Sprintf("n/%03d.md", i)] = "The otter. " + strings.Repeat("Words stand here. ", i)
	}
	b := newBrain(t, pages)
	w := b.whyOf(Query{Text: "otter", Arms: []string{Lexical}}, "n/120.md")
	if w.Step != StepArms || w.Note != "was brought by no arm: lexical: rank 121, and the first 100 are brought; vector: not asked; graph: not asked" {
		t.Errorf("%+v", w)
	}
	w = b.whyOf(Query{Text: "otter", Arms: []string{Lexical, Graph}}, "none.md")
	if w.Step != StepArms || w.Note != "was brought by no arm: lexical: it has no word of the question; vector: not asked; graph: the question names nothing that links" {
		t.Errorf("%+v", w)
	}
	w = b.whyOf(Query{Text: "Kettle", Arms: []string{Graph}}, "none.md")
	if w.Step != StepArms || !strings.HasSuffix(w.Note, "graph: no link within 2 hops of what the question names") {
		t.Errorf("%+v", w)
	}
	v := b.view()
	q := Query{Text: "otter", Arms: []string{Vector}, Now: clock}
	vecs, err := static().Embed(t.Context(), []string{q.Text})
	if err != nil {
		t.Fatal(err)
	}
	all, err := v.Nearest(t.Context(), vecs[0], v.Len(), nil)
	if err != nil || len(all) < 120 {
		t.Fatal(len(all), err)
	}
	last := all[len(all)-1]
	w = b.whyOf(q, last.Path)
	if want := fmt.Sprintf("vector: cosine %.4f, and the last of 100 that are brought has %.4f", last.Score, all[99].Score); w.Step != StepArms || !strings.Contains(w.Note, want) {
		t.Errorf("%+v, want %q", w, want)
	}
	b.sr.Embedder = failing{static()}
	if w = b.whyOf(Query{Text: "otter"}, "none.md"); !strings.Contains(w.Note, "vector: down") {
		t.Errorf("%+v", w)
	}
}

func TestWhyTellsTheFloor(t *testing.T) {
	pages := map[string]string{"quadrant.md": "# Quadrant\n\nThe quadrant measures heights.\n"}
	for i := range 80 {
		pages[fmt.Sprintf("n/%02d.md", i)] = fmt.Sprintf("Soup of day %d, see [[quadrant|there]].", i)
	}
	b := wordsOnly(t, pages)
	best := b.ask("Quadrant").Hits[0].Score
	w := b.whyOf(Query{Text: "Quadrant"}, "n/79.md")
	if w.Step != StepFloor || !near(w.Needed, fusedFloor*best) || w.Score <= 0 || w.Score >= w.Needed || w.Rank != 0 {
		t.Errorf("best %v: %+v", best, w)
	}
	if want := fmt.Sprintf("it has %.4f and needs %.4f", w.Score, w.Needed); !strings.HasSuffix(w.Note, want) || replay(t, w.Signals) != w.Score {
		t.Errorf("%q, want …%s", w.Note, want)
	}
}

func TestWhyTellsOfDuplicates(t *testing.T) {
	pages := map[string]string{"best.md": "---\ntitle: Astrolabe\n---\nThe astrolabe and the astrolabe maker.",
		"same/a.md": "---\ntitle: Twin\n---\nAn astrolabe in brass.", "same/b.md": "---\ntitle: Twin\n---\nAn astrolabe in brass."}
	b := wordsOnly(t, pages)
	w := b.whyOf(Query{Text: "astrolabe"}, "same/b.md")
	if w.Step != StepDuplicate || w.In || w.Rank != 2 || w.Note != "has the same content as same/a.md, rank 2, and is grouped with it" {
		t.Errorf("%+v", w)
	}
	if w = b.whyOf(Query{Text: "astrolabe", N: 1}, "same/b.md"); w.Note != "has the same content as same/a.md, rank 2, and is grouped with it; 1 are shown" {
		t.Errorf("%+v", w)
	}
	if w = b.whyOf(Query{Text: "astrolabe", Unit: Passages}, "same/b.md"); w.Step != StepDuplicate {
		t.Errorf("%+v", w)
	}
}

func TestWhyTellsWhatAPageLacksForAPlace(t *testing.T) {
	pages := map[string]string{}
	for i := range 6 {
		pages[fmt.Sprintf("n/%d.md", i)] = "The otter. " + strings.Repeat("Words stand here. ", 3*i)
	}
	b := wordsOnly(t, pages)
	q := Query{Text: "otter", N: 2}
	last := b.search(q).Hits[1]
	w := b.whyOf(q, "n/5.md")
	if w.Step != StepNumber || w.In || w.Rank != 6 || w.Needed != last.Score || w.Score >= w.Needed || replay(t, w.Signals) != w.Score {
		t.Errorf("%+v, want %v needed", w, last.Score)
	}
	mine := signalOf(w.Signals, "bm25")
	want := fmt.Sprintf("is rank 6 of 6 with score %.4f (2 shown): it needs %.4f, which n/1.md has as the last that is shown. It differs most in bm25 %+.4f against %+.4f",
		w.Score, last.Score, mine, signal(&last, "bm25").Value)
	if !strings.HasPrefix(w.Note, want) {
		t.Errorf("got  %s\nwant %s…", w.Note, want)
	}
}

func signalOf(signals []Signal, name string) float64 {
	return signal(&Hit{Signals: signals}, name).Value
}

// Scores in one step of the grid are ties, which the trust tier decides.
func TestWhyTellsOfTies(t *testing.T) {
	b := wordsOnly(t, map[string]string{"b.md": "---\nschema_type: gadget\n---\nThe otter.", "a.md": "---\nschema_type: lesson\n---\nAn otter.", "c.md": "---\nschema_type: lesson\n---\nOne otter."})
	q := Query{Text: "otter", N: 1}
	shown := b.search(q).Hits[0]
	w := b.whyOf(q, "b.md")
	if shown.Path != "a.md" || w.Step != StepNumber || w.Score != shown.Score || w.Needed <= w.Score || w.Needed > w.Score+scoreGrid+1e-9 ||
		!strings.Contains(w.Note, "a.md has the better trust tier (2, it 3)") {
		t.Errorf("%s %v: %+v", shown.Path, shown.Score, w)
	}
	w = b.whyOf(q, "c.md")
	if w.Step != StepNumber || w.Rank != 2 || w.Needed != w.Score || !strings.HasSuffix(w.Note, "which a.md has too, and equal scores are ordered by path") {
		t.Errorf("%+v", w)
	}
}

func TestWhyTellsThatAnotherPageIsNamed(t *testing.T) {
	b := wordsOnly(t, map[string]string{"otter.md": "Nothing.", "b.md": "The otter otter otter."})
	w := b.whyOf(Query{Text: "otter", N: 1}, "b.md")
	if w.Step != StepNumber || w.Needed != 0 || !strings.Contains(w.Note, "otter.md, is what the question names") {
		t.Errorf("%+v", w)
	}
}

// Contributions add up to the score: the share of the ranks is in the ranks, a
// boost is what it added.
func TestPartsOfAScoreAddUp(t *testing.T) {
	got := parts([]Signal{{Name: "rrf.lexical", Op: "add", Value: .4}, {Name: "rrf.vector", Op: "add", Value: .2}, {Name: "rrf.share", Op: "mul", Value: .5},
		{Name: "bm25", Op: "add", Value: .7}, {Name: "hotness", Op: "mul", Value: 1.1}})
	for name, want := range map[string]float64{"rrf.lexical": .2, "rrf.vector": .1, "bm25": .7, "hotness": .1, "rrf.share": 0} {
		if !near(got[name], want) {
			t.Errorf("%s %v, want %v", name, got[name], want)
		}
	}
	for _, h := range theDemo(t).ask(goldenQueries[0]).Hits {
		sum := 0.0
		for _, v := range parts(h.Signals) {
			sum += v
		}
		if !near(sum, h.Score) {
			t.Errorf("%s: parts add up to %v, score %v", h.Path, sum, h.Score)
		}
	}
}

func sessionsAndNotes() map[string]string {
	pages := map[string]string{}
	for i := range 5 {
		pages[fmt.Sprintf("sessions/2026-03/s%d/messages.jsonl", i)] = talk(fmt.Sprint("Talk ", i), "Hello there.", "The otter was seen again. "+strings.Repeat("Indeed it was. ", i), "Nothing of this kind.")
	}
	for i := range 4 {
		pages[fmt.Sprintf("n%d.md", i)] = fmt.Sprintf("One otter in a note about %s.", strings.Repeat("quite other things and ", 30+i))
	}
	return pages
}

func TestWhyTellsThatEnoughSessionsStandBefore(t *testing.T) {
	b := wordsOnly(t, sessionsAndNotes())
	q := Query{Text: "otter seen again", N: 6, Agent: "coder"}
	a := b.search(q)
	sessions := 0
	for _, h := range a.Hits {
		if h.Type == "session" {
			sessions++
		}
	}
	if sessions != sessionCap {
		t.Fatalf("%d sessions: %q", sessions, paths(a))
	}
	w := b.whyOf(q, "sessions/2026-03/s4/messages.jsonl")
	if w.Step != StepSessions || w.In || !strings.Contains(w.Note, "would be rank 5 with score") || !strings.Contains(w.Note, "at most 3 are among the first 10") {
		t.Errorf("%+v", w)
	}
	if w = b.whyOf(Query{Text: q.Text, N: 6, Agent: "coder", Kinds: []string{"session"}}, w.Path); !w.In {
		t.Errorf("asked for sessions: %+v", w)
	}
	if w = b.whyOf(Query{Text: q.Text}, w.Path); w.Step != StepAgent {
		t.Errorf("of nobody: %+v", w)
	}
}

func TestWhyOfTurns(t *testing.T) {
	b := wordsOnly(t, sessionsAndNotes())
	q := Query{Text: "otter seen again", N: 20, Agent: "coder", Unit: Passages}
	const path = "sessions/2026-03/s0/messages.jsonl"
	w := b.whyOf(q, path)
	var want []string
	for _, h := range b.search(q).Hits {
		if h.Path == path {
			want = append(want, fmt.Sprintf("turn %d rank %d", h.Turn, h.Rank))
		}
	}
	if len(want) < 2 || !w.In || !strings.HasSuffix(w.Note, ": "+strings.Join(want, ", ")) {
		t.Errorf("%+v, want %q", w, want)
	}
	if w = b.whyOf(q, "n0.md"); !w.In || w.Step != StepShown {
		t.Errorf("%+v", w)
	}
}

// Following a page changes nothing: neither the answer nor what is cached.
func TestWhyAsksAsItWasAsked(t *testing.T) {
	b := newBrain(t, fewPages)
	b.sr.Cache = new(Cache)
	want := b.ask("boiler pressure")
	for path := range fewPages {
		b.whyOf(Query{Text: "boiler pressure"}, path)
	}
	if got := b.ask("boiler pressure"); !got.Cached || toldAll(got) != toldAll(want) || b.sr.Cache.used.Len() != 1 {
		t.Errorf("%d cached; %s\nwant %s", b.sr.Cache.used.Len(), toldAll(got), toldAll(want))
	}
}
