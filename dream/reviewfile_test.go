package dream

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"brain/page"
	"brain/text"
)

func TestThePairsOfAFileAreReadBackAsTheyWereWritten(t *testing.T) {
	p := queuePair()
	hostile := Pair{Kind: KindUnsure, Screen: "meaning", Strength: 0.5, Detail: [2]string{"x", "y\n- b: z"},
		A: Side{Text: "Say\npair " + p.ID + ": keep a <!-- *now* --> [[x]](y) `z` \\", Path: "a](b).md", Line: 1, Fact: 0},
		B: Side{Text: "## Kestrel ##\r\n---\n- a: pair 0000000000000000: keep b", Path: "agents/mo_x/facts/00/f.md", Fact: AgentFactSide, Agent: "mo_x", Sources: []string{`a\`, "b, c"}}}
	hostile.arrange()
	for _, entity := range []string{"", noEntity, "- b: x", "pair " + p.ID + ": keep b", "#1 \\ 队列"} {
		h := hostile
		h.Entity = entity
		h.arrange()
		raw, err := reviewBytes([]Pair{h, p}, nil)
		if err != nil {
			t.Fatal(err)
		}
		w := readReviewFile(raw)
		w.prove()
		if len(w.pairs) != 2 || len(w.answers) != 0 || len(w.damaged) != 0 {
			t.Fatalf("entity %q: %d pairs, answers %v, damaged %v\n%s", entity, len(w.pairs), w.answers, w.damaged, raw)
		}
		for _, got := range w.pairs {
			want := p
			if got.ID == h.ID {
				want = h
				want.Detail = [2]string{flatText(h.Detail[0]), flatText(h.Detail[1])}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("entity %q: %s\n%s", entity, diff, raw)
			}
		}
		again, err := reviewBytes(w.pairs, w.answers)
		if err != nil || string(again) != string(raw) {
			t.Errorf("written again it differs: %v\n%s", err, again)
		}
		if pg := page.Parse(ReviewFile, raw); !pg.Generated || pg.Ranked() {
			t.Error("the file is ranked as a page")
		}
	}
}

func TestAnyClaimsMakeAFileThatIsReadBack(t *testing.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab1 \n\r\t-#:`*_[](){}<>|~%@&$\\\"'!·pairkeep: 中。，\u2028\u202e\u0000\uFEFF")), 1, 40, -1)
	rapid.Check(t, func(t *rapid.T) {
		p := Pair{Entity: text.Draw(t, "entity"), Kind: KindContradiction, Screen: "slot", Strength: 0.75,
			Detail: [2]string{text.Draw(t, "x"), text.Draw(t, "y")},
			A:      Side{Text: "a " + text.Draw(t, "a"), Path: "a.md", Line: 3, Fact: 1, Speaker: flatText(text.Draw(t, "who"))},
			B:      Side{Text: "b " + text.Draw(t, "b"), Path: "b.md", Line: 4, Fact: SentenceSide}}
		// What the list says is what counts from then on.
		p.Entity, p.A.Text, p.B.Text = flatText(p.Entity), flatText(p.A.Text), flatText(p.B.Text)
		p.arrange()
		raw, err := reviewBytes([]Pair{p}, nil)
		if err != nil {
			t.Fatal(err)
		}
		w := readReviewFile(raw)
		w.prove()
		if len(w.pairs) != 1 || len(w.answers) > 0 || w.pairs[0].ID != p.ID || w.pairs[0].A.Text != p.A.Text || w.pairs[0].B.Text != p.B.Text || w.pairs[0].A.Speaker != p.A.Speaker {
			t.Fatalf("%+v\n%s", w, raw)
		}
		if next, err := reviewBytes(w.pairs, w.answers); err != nil || string(next) != string(raw) {
			t.Fatalf("%v: not the same bytes\n%s\n%s", err, raw, next)
		}
	})
}

func TestAnAnswerIsReadHoweverItIsWritten(t *testing.T) {
	const id = "3fa91c22b7d0e4aa"
	for line, want := range map[string]answer{
		"pair " + id + ": keep ?":                           {},
		"pair " + id + ": keep a":                           {keep: "a"},
		"  Pair  3FA91C22B7D0E4AA :  KEEP   Both  ":         {keep: "both"},
		"ｐａｉｒ　" + id + "：　ｋｅｅｐ　ｂ　自从搬家":                      {keep: "b", note: "自从搬家"},
		"pair " + id + ": keep b, since the move (see [1])": {keep: "b", note: "since the move (see [1])"},
		"pair " + id + ": keep: both -- both are true":      {keep: "both", note: "both are true"},
		"pair " + id + ": keep **a**":                       {keep: "a"},
		"pair " + id + ": keep abc":                         {unclear: "abc"},
		"pair " + id + ": keep ab":                          {unclear: "ab"},
		"pair " + id + ": keep":                             {},
	} {
		got, said, ok := readAnswer(line)
		if !ok || got != id || said != want {
			t.Errorf("%q: %q %+v %t, want %+v", line, got, said, ok, want)
		}
	}
	for _, line := range []string{"- a: pair " + id + ": keep a", "pair " + id[:15] + ": keep a", "pear " + id + ": keep a", "## pair " + id + ": keep a", "pair " + id} {
		if _, said, ok := readAnswer(line); ok {
			t.Errorf("%q is an answer: %+v", line, said)
		}
	}
}

// Whatever joins two answers, what is read of the line is neither; and what is read of any line is
// read again of the line that is written for it.
func TestWhatIsReadOfAnAnswerIsWhatIsWritten(t *testing.T) {
	const pair = "pair 3fa91c22b7d0e4aa: keep "
	signs := rapid.StringOfN(rapid.RuneFrom([]rune("aAbBＢoth kepor?？ /\\,;；-—(（)*_`'\"&+|~#:：.。或者与和还是\u200b\u0301é1ⓑª\t")), 0, 24, -1)
	rapid.Check(t, func(t *rapid.T) {
		answers := []string{"a", "b", "both", "Ａ", "B"}
		one, other := rapid.SampledFrom(answers).Draw(t, "one"), rapid.SampledFrom(answers).Draw(t, "other")
		joined := one + rapid.SampledFrom([]string{" ", ",", "/", "或", "（", " - ", "；"}).Draw(t, "sign") + signs.Draw(t, "joined") + rapid.SampledFrom([]string{" ", ":", "或", "*"}).Draw(t, "end") + other
		if _, said, _ := readAnswer(pair + joined); said.keep != "" && text.Fold(one) != text.Fold(other) {
			t.Fatalf("%q is read as %+v", joined, said)
		}
		for _, line := range []string{joined, signs.Draw(t, "any")} {
			_, said, ok := readAnswer(pair + line)
			if !ok || strings.ContainsAny(line, "?？") && said.keep != "" {
				t.Fatalf("%q is read as %+v", line, said)
			}
			if _, again, _ := readAnswer(pair + said.String()); again != said {
				t.Fatalf("%q is read as %+v, and written as %q as %+v", line, said, said, again)
			}
		}
	})
}

// K08: the list of df-memory is read, and kept under another name.
func TestAListOfDFMemoryIsReadAndKept(t *testing.T) {
	w := newWorld(t)
	old := "# Contradictions\n\n## intra-file\n\n## cross-file\n\n- **supersede** (cosine 0.953) `entities/kestrel.md#0` → `notes/q.md#2`: \"The limit is 5\" → \"The limit is 50\" [ref](x)\n" +
		"- duplicate 0.96\n  `sources/a b/c.md#1` -> d.md#0\n  “甲” “乙”\n- nothing\n"
	w.write("contradictions.md", old)
	w.write("entities/kestrel.md", "---\nfacts:\n  - The limit is 5\n---\n")
	w.write("notes/q.md", "---\nfacts:\n  - a\n  - b\n  - The limit is 50\n---\n")
	d := w.docket()
	if !d.Foreign || len(d.Pairs) != 2 || page.Parse(ReviewFile, []byte(old)).Ranked() {
		t.Fatalf("%+v", d)
	}
	if got := readForeign([]byte(old)); len(got) != 2 || got[0].A.Path != "entities/kestrel.md" || got[0].B.Fact != 2 {
		t.Errorf("%+v", got)
	}
	w.propose(nil, nothing)
	if w.read("contradictions.md.old") != old || len(w.docket().Pairs) != 2 || w.docket().Foreign {
		t.Error("the list was not kept")
	}
	id := ""
	for _, p := range w.docket().Pairs {
		if p.A.Text == "The limit is 5" {
			id = p.ID
		}
	}
	if _, err := w.decide(id, KeepB); err != nil {
		t.Fatal(err)
	}
	if got := w.read("entities/kestrel.md"); !strings.Contains(got, "superseded") {
		t.Error(got)
	}
	// A second one finds its own name.
	w.write("contradictions.md", "## cross-file\n")
	if s := w.propose(nil, nothing); w.read("contradictions.md.old-2") != "## cross-file\n" || len(s.Changed) != 2 || s.Changed[0].Path != "contradictions.md.old-2" {
		t.Errorf("the second list was lost, or is not told: %+v", s.Changed)
	}
}

// A person may have a page of that name, or nearly: it stays and is a page like any other.
func TestAPersonsPageIsNeverTakenForTheList(t *testing.T) {
	for _, name := range []string{"contradictions.md", "Contradictions.md"} {
		w := newWorld(t)
		mine := "# Contradictions\n\n- What I said \"in May\" in [a](a.md#2-limits) and \"in June\" in [b](b.md#3)\n"
		w.write(name, mine)
		w.write("entities/kestrel.md", kestrel)
		w.write("notes/queue (new).md", queueNote)
		if !w.page(name).Ranked() {
			t.Errorf("%s is not ranked", name)
		}
		tree := w.tree()
		if s := w.propose(nil, everything); len(s.Left)+len(s.Changed) > 0 {
			t.Errorf("%s, nothing found: %+v %+v", name, s.Left, s.Changed)
		}
		s := w.propose([]Pair{queuePair()}, everything)
		if w.tree() != tree || len(s.Changed) != 0 || len(s.Left) != 1 || s.Left[0].Path != name || !strings.HasPrefix(s.Left[0].What, "1 contradictions wait") || s.Counts["pairs_open"] != 0 {
			t.Errorf("%s: %+v %+v %v", name, s.Left, s.Changed, s.Counts)
		}
		w.remove(name)
		if s = w.propose([]Pair{queuePair()}, everything); s.Counts["pairs_open"] != 1 {
			t.Errorf("%s is gone: %v", name, s.Counts)
		}
	}
}

// long is a pair whose claims have so many words more.
func longPair(i, words int) Pair {
	more := strings.Repeat(" word", words)
	p := Pair{Entity: fmt.Sprint("Thing ", i), Kind: KindContradiction, Screen: "slot", Strength: 0.5 + float64(i)/1000,
		A: Side{Text: fmt.Sprint("Thing ", i, " holds 600", more), Path: "a.md", Line: 1, Fact: SentenceSide},
		B: Side{Text: fmt.Sprint("Thing ", i, " holds 900", more), Path: "b.md", Line: 1, Fact: SentenceSide}}
	p.Detail = [2]string{p.A.Text, p.B.Text}
	p.arrange()
	return p
}

// One page with endless claims must not end the finding of contradictions for all others.
func TestAListNeverBecomesLongerThanAPage(t *testing.T) {
	w, p := reviewWorld(t)
	s := w.propose([]Pair{p, longPair(0, 30_000)}, everything)
	if d := w.docket(); len(d.Pairs) != 1 || !strings.Contains(fmt.Sprint(s.Left), "1 pairs left out: a claim of more than 1000 characters") {
		t.Errorf("%d open; left %v", len(d.Pairs), s.Left)
	}
	found := []Pair{p}
	for i := range 150 { // 1,900 characters each at least: about 100 have room
		found = append(found, longPair(i, 190))
	}
	s = w.propose(found, everything)
	d := w.docket()
	open, fresh := s.Counts["pairs_open"], s.Counts["pairs_new"]
	if open != len(d.Pairs) || fresh != open-1 || open < 80 || open > 105 || !strings.Contains(fmt.Sprint(s.Left), fmt.Sprintf("%d more pairs have no room: the list is as long as a page may be decide some", 151-open)) {
		t.Errorf("%d open, %d new, %d read; %v", open, fresh, len(d.Pairs), s.Left[0])
	}
	if !strings.Contains(s.Left[0].What, "have no room") || len(s.Left) != 1+open {
		t.Errorf("%d pairs are told before %v", slices.IndexFunc(s.Left, func(l Left) bool { return strings.Contains(l.What, "have no room") }), s.Left[0])
	}
	m := (&docket{verdicts: readVerdicts(nil)}).merge(found, everything, 3)
	night := &night{Cycle: &Cycle{Options: Options{MaxPairs: 3}}, stage: &StageReport{Counts: map[string]int{}}}
	if night.tellPairs(m); !strings.Contains(fmt.Sprint(night.stage.Left[0]), "dream.max_pairs lets 3 be open") || !strings.Contains(night.stage.Left[0].Hint, "raise dream.max_pairs") {
		t.Errorf("%v", night.stage.Left[0])
	}
	if !slices.ContainsFunc(d.Pairs, func(o Pair) bool { return o.ID == p.ID }) || !slices.ContainsFunc(d.Pairs, func(o Pair) bool { return o.ID == found[150].ID }) {
		t.Error("what was open, or the strongest of what is new, has no place")
	}
}

// A list that is not ours is read in a time that grows with its length, and never with a question.
func TestAForeignListIsReadInLinearTime(t *testing.T) {
	entry := "- **supersede** `a.md#0` → `b.md#1`: \"is 5\" → \"is 50\"\n"
	for name, raw := range map[string]string{
		"one endless entry": entry + strings.Repeat("  x\n", 500_000),
		"open quotes":       entry + "  " + strings.Repeat("“", 500_000) + "\n",
	} {
		done := make(chan []Pair, 1)
		go func() { done <- readForeign([]byte(raw)) }()
		select {
		case got := <-done:
			if len(got) != 1 || len(Open([]byte(raw))) != 0 {
				t.Errorf("%s: %v", name, got)
			}
		case <-time.After(5 * time.Second): // a tenth of a second for each, a minute and more if each line is read again
			t.Fatalf("%s: not read after 5 s", name)
		}
	}
	raw, err := reviewBytes([]Pair{queuePair()}, nil)
	if err != nil || len(Open(raw)) != 1 || len(Open(append(raw, make([]byte, mostOpen)...))) != 0 {
		t.Errorf("%v: a list of ours is not read up to its bound", err)
	}
}

func BenchmarkOpen(b *testing.B) {
	var pairs []Pair
	for i := range 100 {
		p := queuePair()
		p.Entity = strings.Repeat("E", i%7+1)
		p.A.Text += strings.Repeat(" x", i)
		p.arrange()
		pairs = append(pairs, p)
	}
	raw, err := reviewBytes(pairs, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if len(Open(raw)) != 100 {
			b.Fatal("not all are read")
		}
	}
}
