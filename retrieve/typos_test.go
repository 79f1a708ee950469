package retrieve

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// ship is a brain of few names and much prose.
func ship(t testing.TB, more map[string]string) *brain {
	t.Helper()
	pages := map[string]string{
		"entities/halyard.md": "---\ntitle: Halyard\nschema_type: entity\n---\nThe service that sends alarms.\n",
		"entities/brine.md":   "---\ntitle: Brinewell Inc\naliases: [Brinewell]\nschema_type: entity\n---\nA firm.\n",
		"entities/mina.md":    "---\ntitle: Mina Castellan\nschema_type: entity\n---\nA pilot.\n\n- works_at [[Brinewell]]\n",
		"entities/mira.md":    "---\ntitle: Mira Castellan\nschema_type: entity\n---\nA cook.\n",
		"notes/alarms.md":     "The alarms of the halyard came late.\n",
	}
	for path, content := range more {
		pages[path] = content
	}
	return newBrain(t, filler(pages, 8, func(i int) string { return fmt.Sprintf("Weather of day %d: alarms and rain.", i) }))
}

func wantCorrected(t *testing.T, a *Answer, want map[string]string) {
	t.Helper()
	if fmt.Sprint(a.Corrected) != fmt.Sprint(want) {
		t.Errorf("%q: corrected %v, want %v", a.Query, a.Corrected, want)
	}
}

func TestNameWithOneErrorIsFound(t *testing.T) {
	b := ship(t, nil)
	for _, typed := range []string{"Halyrad", "halyad", "haalyard", "halyerd", "Halyarde", "ahlyard", "HALYRAD", "Ｈａｌｙｒａｄ"} {
		for _, arms := range [][]string{nil, {Lexical}, {Graph}} {
			a := b.search(Query{Text: typed, Arms: arms})
			wantFirst(t, a, "entities/halyard.md")
			wantCorrected(t, a, map[string]string{strings.ToLower(strings.NewReplacer("Ｈａｌｙｒａｄ", "halyrad").Replace(typed)): "halyard"})
			if len(a.Hits) > 0 && !slices.Contains(a.Hits[0].Evidence, `name like "Halyard"`) {
				t.Errorf("%q, arms %v: evidence %q", typed, arms, a.Hits[0].Evidence)
			}
		}
	}
	a := b.ask("what does Halyrad是 send")
	if wantFirst(t, a, "entities/halyard.md"); slices.Contains(a.Hits[0].Evidence, "named") || slices.Contains(a.Hits[0].Evidence, "exact name") {
		t.Errorf("evidence %q", a.Hits[0].Evidence)
	}
	h := hit(a, "notes/alarms.md")
	if h == nil || !slices.Contains(h.Evidence, `word like "halyard"`) {
		t.Errorf("a page with the right spelling in its text: %+v", h)
	}
	for _, name := range []string{"rrf.graph", "bm25"} {
		if s := signal(&a.Hits[0], name); s == nil || !strings.Contains(s.Note, "halyard for halyrad") {
			t.Errorf("signal %s says nothing of it: %+v", name, s)
		}
	}
}

// Of one word's weight, half stays with it and half goes to the correction. The
// brain has 13 pages; two hold halyard, none halyrad.
func TestCorrectedWordHasItsShareOfTheWeight(t *testing.T) {
	b := ship(t, nil)
	p := newPlan(b.view(), Query{Text: "halyrad"}, nil)
	if len(p.terms) != 2 || p.terms[0].Text != "halyrad" || p.terms[0].Weight != 1-typoWeight ||
		p.terms[1].Text != "halyard" || p.terms[1].Weight != typoWeight || p.terms[1].Word != p.terms[0].Word {
		t.Errorf("terms %+v", p.terms)
	}
	typed, right := b.words("halyrad"), b.words("halyard")
	idf := func(df float64) float64 { return math.Log(1 + (13-df+.5)/(df+.5)) }
	raw := signal(&right.Hits[1], "bm25").Raw // the note: not pinned, no name
	if got, want := signal(hit(typed, right.Hits[1].Path), "bm25"), typoWeight*raw; !near(got.Raw, want) {
		t.Errorf("BM25 %v, want half of %v", got.Raw, raw)
	}
	ideal := 2.2 * (typoWeight*idf(2) + (1-typoWeight)*idf(0))
	if got, want := signal(&typed.Hits[1], "bm25").Value, typoWeight*raw/ideal; !near(got, want) {
		t.Errorf("share %v, want %v", got, want)
	}
}

func TestOneWrongWordOfANameIsFound(t *testing.T) {
	b := ship(t, nil)
	for question, want := range map[string]string{
		"Mina Castelan": "entities/mina.md", "Mira Castelan": "entities/mira.md", "who is mira castellam?": "entities/mira.md",
		"Mina Castellna": "entities/mina.md", "tell me about Mira Castelllan": "entities/mira.md",
	} {
		wantFirst(t, b.ask(question), want)
	}
	for question, want := range map[string]string{"Mina Castellan": "entities/mina.md", "Mira Castellan": "entities/mira.md", "what does Mina Castellan do": "entities/mina.md", "what does Mira Castellan do": "entities/mira.md"} {
		a := b.ask(question)
		wantFirst(t, a, want)
		wantCorrected(t, a, nil)
	}
}

func TestMisspeltNameOfARelationIsFollowed(t *testing.T) {
	b := ship(t, map[string]string{
		"entities/acme.md": "---\ntitle: Acme\nschema_type: entity\n---\nA firm.\n",
		"entities/ann.md":  "---\ntitle: Ann Lee\nschema_type: entity\n---\nA welder.\n\n- works_at [[Acme]]\n",
	})
	for question, want := range map[string][2]string{
		"Who works at Acmee?":           {"entities/ann.md", "from a name like \"Acme\""},
		"Who works at Brinewlel?":       {"entities/mina.md", "from a name like \"Brinewell Inc\""},
		"Where does Mina Castelan work": {"entities/brine.md", "from a name like \"Mina Castellan\""},
		"谁在 Brinewlel 工作":               {"entities/mina.md", "from a name like \"Brinewell Inc\""},
	} {
		a := b.ask(question)
		if wantFirst(t, a, want[0]); len(a.Hits) == 0 || !slices.Contains(a.Hits[0].Evidence, want[1]) || a.Relation == "" {
			t.Errorf("%q (%s): %+v", question, a.Relation, a.Hits)
		}
	}
}

func TestExactNameStandsAboveANameLikeIt(t *testing.T) {
	terns := newBrain(t, map[string]string{"tern.md": "---\ntitle: Tern\n---\nA bird.\n", "terns.md": "---\ntitle: Terns\n---\nA team.\n"})
	for name, want := range map[string]string{"Tern": "tern.md", "Terns": "terns.md"} {
		a := terns.ask(name)
		wantFirst(t, a, want)
		wantCorrected(t, a, nil)
	}
	// Castle is in every page, so its words are worth little; the other name is
	// nowhere as it was typed.
	pages := map[string]string{
		"castle.md": "---\ntitle: Castle\n---\nA server.\n", "halyard.md": "---\ntitle: Halyard\n---\nHalyard of the castle. Halyard, halyard.\n",
	}
	b := newBrain(t, filler(pages, 30, func(i int) string { return fmt.Sprintf("Day %d of the castle.", i) }))
	a := b.ask("Castle and Halyrad")
	wantCorrected(t, a, map[string]string{"halyrad": "halyard"})
	wantPaths(t, b.search(Query{Text: "Castle and Halyrad", N: 2}), "castle.md", "halyard.md")
}

func TestKnownWordsAreNeverCorrected(t *testing.T) {
	b := ship(t, map[string]string{
		"prose.md": "A halyar is a bird. The interviews were long.", "interviews.md": "---\ntitle: Interviews\n---\nQuestions.\n",
		"founder.md": "---\ntitle: Founder\n---\nNobody.\n", "code-a1b2c.md": "---\ntitle: Alpha17\n---\nCode.\n",
		"stub.md": "---\ntitle: Halyart\nredirect: entities/mina\n---\n", "xmas.md": "---\ntitle: 平台会议\n---\n年会。\n",
	})
	for _, question := range []string{
		"halyar",              // in prose
		"halyard", "halyards", // the name, and a form of it
		"views", "the views of the crew", // a part of a name
		"who founded Brinewell",       // English has the word
		"Alhpa17", "alpha18", "a1b2d", // digits
		"hal", "halx", "mirx", // too few letters
		"平台会仪", "doesn't halyard work",
		"where is Halyart", // a redirect, which no search finds
	} {
		wantCorrected(t, b.ask(question), nil)
	}
	wantCorrected(t, b.ask("halyrad"), map[string]string{"halyrad": "halyard"})
}

func TestFourLettersAreTooFewAndFiveEnough(t *testing.T) {
	b := ship(t, nil)
	wantCorrected(t, b.ask("mima"), nil)
	wantCorrected(t, b.ask("minna"), map[string]string{"minna": "mina"})
}

func TestCorrectionsAreFew(t *testing.T) {
	b := newBrain(t, map[string]string{
		"1.md": "---\ntitle: Bramblo\n---\nOne.\n", "2.md": "---\ntitle: Brambla\n---\nTwo.\n", "3.md": "---\ntitle: Brambli\n---\nThree.\n",
		"4.md": "---\ntitle: Halyard Spindle Catamaran Bowsprit\n---\nFour.\n",
	})
	a := b.ask("bramblu")
	wantCorrected(t, a, map[string]string{"bramblu": "brambla or brambli"})
	a = b.ask("halyrad spindel catamarna bowspirt")
	wantCorrected(t, a, map[string]string{"halyrad": "halyard", "spindel": "spindle", "catamarna": "catamaran"})
	wantFirst(t, a, "4.md")
}

func TestNamesOfAnotherAgentCorrectNothing(t *testing.T) {
	b := ship(t, map[string]string{
		"agents/kim/spindle.md": "---\ntitle: Spindle\n---\nMine.\n",
		"agents/lee/halyrad.md": "---\ntitle: Halyrad\n---\nA word of lee's.\n",
	})
	ask := func(agent, text string) *Answer { return b.search(Query{Text: text, Agent: agent}) }
	wantCorrected(t, ask("kim", "spindel"), map[string]string{"spindel": "spindle"})
	for _, agent := range []string{"", "lee", "other"} {
		a := ask(agent, "spindel")
		if wantCorrected(t, a, nil); strings.Contains(fmt.Sprintf("%+v", a.Hits), "pindle") {
			t.Errorf("%q sees it: %+v", agent, a.Hits)
		}
	}
	// What lee knows does not keep others from being corrected, nor tells them of it.
	wantCorrected(t, ask("lee", "tell of halyrad"), nil)
	wantCorrected(t, ask("kim", "tell of halyrad"), map[string]string{"halyrad": "halyard"})
	without := ship(t, map[string]string{"agents/kim/spindle.md": "---\ntitle: Spindle\n---\nMine.\n"})
	with, alone := ask("kim", "tell of halyrad"), without.search(Query{Text: "tell of halyrad", Agent: "kim"})
	if len(with.Hits) == 0 || len(alone.Hits) == 0 || with.Hits[0].Score != alone.Hits[0].Score {
		t.Errorf("scores differ by what another agent has: %v, %v", with.Hits, alone.Hits)
	}
}

func TestVectorsAloneAndNoQuestionCorrectNothing(t *testing.T) {
	b := ship(t, nil)
	wantCorrected(t, b.search(Query{Text: "halyrad", Arms: []string{Vector}}), nil)
	for _, text := range []string{"", "?", "the", "。"} {
		wantCorrected(t, b.ask(text), nil)
	}
}

func TestReplaceWord(t *testing.T) {
	for _, c := range [][3]string{
		{"who runs halyrad?", "halyrad", "who runs X?"},
		{"halyrad's halyrad-x halyrads", "halyrad", "X's X-x halyrads"},
		{"谁负责halyrad系统", "halyrad", "谁负责X系统"},
		{"halyrad2 my_halyrad halyradж", "halyrad", "halyrad2 my_halyrad halyradж"},
		{"", "halyrad", ""},
	} {
		if got := replaceWord(c[0], c[1], "X"); got != c[2] {
			t.Errorf("%q: got %q, want %q", c[0], got, c[2])
		}
	}
	if got := fmt.Sprint(typed("Doesn't the Größenwahn of main.go's v2 halyard2 Halyard halyard 系统 O’Leary fit?")); got != "[grossenwahn halyard leary]" {
		t.Errorf("words %s", got)
	}
}

// A correction costs next to nothing where every word is known, and less than
// 2 ms at 10,000 pages otherwise: the limits here are for slow machines.
func TestCorrectionIsCheap(t *testing.T) {
	if testing.Short() {
		t.Skip("10,000 pages")
	}
	v := bigBrain(t).view()
	for question, most := range map[string]time.Duration{
		"what does the page of renbriten say about alarms": 2 * time.Millisecond,
		"what does brinewlel kasitul or morensti say":      20 * time.Millisecond,
	} {
		best := time.Hour
		for range 5 {
			start := time.Now()
			if p := newPlan(v, Query{Text: question, N: 10}, nil); p.failed != nil {
				t.Fatal(p.failed)
			}
			best = min(best, time.Since(start))
		}
		if t.Logf("%q: %v", question, best); best > most {
			t.Errorf("%q took %v", question, best)
		}
	}
}

// bigBrain has 10,000 pages with names of two made-up words.
func bigBrain(t testing.TB) *brain {
	pages := map[string]string{}
	syllables := strings.Fields("bri ne well hal yard mo ren ka si tu lan dor fi ge ros pel vin ash ter cu")
	n := len(syllables)
	for i := range 10000 {
		s := func(d int) string { return syllables[i/d%n] }
		pages[fmt.Sprintf("p/%d.md", i)] = fmt.Sprintf("---\ntitle: %s%s%s %s%s\n---\nPage %d of alarms that %s say.\n",
			s(1), s(n), s(n*n), s(n), s(1), i, s(1)+s(n*n)+"ten")
	}
	return wordsOnly(t, pages)
}

func BenchmarkCorrection(b *testing.B) {
	v := bigBrain(b).view()
	for name, question := range map[string]string{
		"known": "what does the page of alarms say about pages that say alarms",
		"one":   "what does brinewlel say",
		"three": "what does brinewlel kasitul or morensti say",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				newPlan(v, Query{Text: question, N: 10}, nil)
			}
		})
	}
}
