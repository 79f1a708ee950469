package dream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"brain/page"
)

func TestAnAnswerInTheFileIsTakenOver(t *testing.T) {
	w, p := reviewWorld(t)
	list := w.read("contradictions.md")
	w.write("contradictions.md", strings.Replace(list, "keep ?", "KEEP  Ｂ since the move", 1)+"\nMy own words.\n")
	d := w.docket()
	if d.Answers[p.ID] != (Chose{"b", "since the move"}) {
		t.Errorf("answers %+v", d.Answers)
	}
	s := w.propose([]Pair{p}, everything)
	if got := w.says("entities/kestrel.md"); strings.Contains(got, "600") {
		t.Errorf("read: %q", got)
	}
	v, ok := w.docket().Verdicts.Of(p)
	if !ok || v.Keep != KeepB || v.Note != "since the move" || v.By != "file" || s.Counts["answers"] != 1 || s.Counts["pairs_open"] != 0 {
		t.Errorf("%+v, %v", v, s.Counts)
	}
	if got := w.read("contradictions.md"); strings.Contains(got, "My own words") || strings.Contains(got, p.ID) {
		t.Errorf("the list: %s", got)
	}
	tree := w.tree()
	w.propose(nil, everything)
	if w.tree() != tree {
		t.Error("another night wrote something")
	}
}

// Whoever writes two answers, or asks, has not answered.
func TestAnAnswerThatNamesBothIsNone(t *testing.T) {
	for _, said := range []string{"a and b", "a or b?", "a/b", "a & b", "b, a", "a?", "b ？", "Ａ 或 Ｂ", "a和b", "a|b", "a b", "both or a",
		"a, or b", "a or maybe b", "a and/or b", "a (or b)", "a or keep b", "a, keep b", "a; b", "a；b", "a - b", "a vs b", "a 或者 b", "a，或者 b", "a 与 b", "a (?)",
		"b, or both", "a或者b方案", "a (see x?)", "b, a customer said so", "a, B.", "a - b is from the old contract"} {
		w, p := reviewWorld(t)
		w.write("contradictions.md", strings.Replace(w.read("contradictions.md"), "keep ?", "keep "+said, 1))
		tree := w.read("entities/kestrel.md") + w.read("notes/queue (new).md")
		s := w.propose([]Pair{p}, everything)
		if tree != w.read("entities/kestrel.md")+w.read("notes/queue (new).md") || len(w.docket().Pairs) != 1 || !strings.Contains(fmt.Sprint(s.Left), "keep "+said+" of the pair "+p.ID+" is no answer") {
			t.Errorf("%q: %v", said, s.Left)
		}
		// It stays as it was written, however often the list is written anew.
		list := w.read("contradictions.md")
		w.propose([]Pair{p}, everything)
		if got := readReviewFile([]byte(list)).answers[p.ID]; got != (answer{unclear: said}) || w.read("contradictions.md") != list {
			t.Errorf("%q is read as %+v", said, got)
		}
	}
	for _, said := range []string{"b the customer said so", "b and that for good", "a, as before", "both: in summer and winter", "b orders came later", "b，b 是新的", "a (from bob, 2b, v1.a)", "a - the other is from the old contract"} {
		if _, got, _ := readAnswer("pair 3fa91c22b7d0e4aa: keep " + said); got.keep == "" || got.unclear != "" {
			t.Errorf("%q is read as %+v", said, got)
		}
	}
}

// What an agent knows is not told to another: neither by a report nor by what a decision says.
func TestNoReportTellsTheFactsOfAnAgent(t *testing.T) {
	w, own := reviewWorld(t)
	const path = "agents/alice/facts/6e/fact_1.md"
	w.write(path, "---\nid: fact_1\nrevision: 2\nstatus: active\n---\n\nHer pay is 100\n")
	w.write("pay.md", "Her pay is 200\n")
	hers := Pair{Kind: KindContradiction, Screen: "slot", Strength: 0.9, A: Side{Text: "Her pay is 100", Path: path, Fact: AgentFactSide, Agent: "alice"},
		B: Side{Text: "Her pay is 200", Path: "pay.md", Line: 1, Fact: SentenceSide}}
	hers.arrange()
	s := w.propose([]Pair{own, hers}, everything)
	if got := fmt.Sprint(s.Left); strings.Contains(got, "pay is 100") || !strings.Contains(got, "a fact of the agent alice") || !strings.Contains(got, "600 jobs") {
		t.Errorf("left: %s", got)
	}
	lose := KeepA // the side of alice loses
	if hers.A.Agent == "alice" {
		lose = KeepB
	}
	list := strings.Replace(w.read("contradictions.md"), hers.ID+": keep ?", hers.ID+": keep "+lose, 1)
	fact := w.read(path)
	bob := Decision{ID: own.ID, Keep: KeepB, By: "bob", At: march, May: func(p Pair) bool { return p.Visible("bob") }}

	w.write("contradictions.md", list)
	w.write(path, strings.Replace(fact, "100", "300", 1)) // it cannot be carried out
	out, err := Decide(context.Background(), w.st, bob)
	if err != nil || len(out.Left)+len(out.Taken) != 0 {
		t.Fatalf("%v: bob is told %+v %+v", err, out.Left, out.Taken)
	}
	if s = w.propose([]Pair{hers}, everything); strings.Contains(fmt.Sprint(s.Left, s.Changed), "pay is 100") || !strings.Contains(fmt.Sprint(s.Left), "cannot be carried out") {
		t.Errorf("left: %v", s.Left)
	}
	w.write(path, fact)
	if out, err = Undo(context.Background(), w.st, bob); err != nil || len(out.Left)+len(out.Taken) != 0 || w.page(path).Status == "active" {
		t.Fatalf("%v: bob is told %+v %+v of what was carried out", err, out.Left, out.Taken)
	}
	v, _ := w.docket().Verdicts.Of(hers)
	n := night{stage: &StageReport{Counts: map[string]int{}}}
	if n.tellTaken([]Verdict{v}); strings.Contains(fmt.Sprint(n.stage.Changed), "pay") || len(n.stage.Changed) != 1 {
		t.Errorf("changed: %v", n.stage.Changed)
	}
}

// Nor does one quote what a person wrote on a pair of theirs: whether that is no answer, goes with its
// pair, or stands on a text that was edited.
func TestNoReportTellsTheNotesOnAnAgentsPair(t *testing.T) {
	hers := Pair{Kind: KindContradiction, Screen: "slot", Strength: 0.9, A: Side{Text: "Her pay is 100", Path: "agents/alice/facts/6e/fact_1.md", Fact: AgentFactSide, Agent: "alice"},
		B: Side{Text: "Her pay is 200", Path: "pay.md", Line: 1, Fact: SentenceSide}}
	hers.arrange()
	for name, test := range map[string]struct {
		said, edit, told string
		found            []Pair
	}{
		"no answer":              {"a? it is 150", "", "keep … of the pair " + hers.ID + " is no answer", []Pair{hers}},
		"gone with its pair":     {"a? it is 150", "", "keep … of the pair " + hers.ID + " was not carried out", nil},
		"on an edited text":      {"both it is 150", "Her pay is 100", "keep both of the pair " + hers.ID + " was not carried out: its text was edited", []Pair{hers}},
		"on one that lacks half": {"both it is 150", "- a: Her", "keep both of the pair " + hers.ID + " was not carried out: its text was edited", []Pair{hers}},
	} {
		w := newWorld(t)
		w.propose([]Pair{hers}, everything)
		list := strings.Replace(w.read("contradictions.md"), "keep ?", "keep "+test.said, 1)
		if test.edit != "" {
			list = strings.Replace(list, test.edit, "- c: Their", 1)
		}
		w.write("contradictions.md", list)
		if got := fmt.Sprint(w.propose(test.found, everything).Left); strings.Contains(got, "150") || !strings.Contains(got, test.told) {
			t.Errorf("%s: left %s", name, got)
		}
	}
}

// Who edits a pair's text and answers it has answered another question: that is said, also where
// another answer is carried out first, and nothing is superseded.
func TestAnAnswerOnAnEditedTextIsNamed(t *testing.T) {
	for _, with := range []bool{false, true} {
		w, p := reviewWorld(t)
		other := Pair{Entity: "Harbour", Kind: KindContradiction, Screen: "negation", Strength: 0.8,
			A: Side{Text: "Harbour is open", Path: "h.md", Line: 1, Fact: SentenceSide}, B: Side{Text: "Harbour is not open", Path: "i.md", Line: 1, Fact: SentenceSide}}
		other.arrange()
		w.write("h.md", "Harbour is open\n")
		w.write("i.md", "Harbour is not open\n")
		w.propose([]Pair{p, other}, everything)
		list := strings.Replace(w.read("contradictions.md"), p.ID+": keep ?", p.ID+": keep b", 1)
		if with {
			list = strings.Replace(list, other.ID+": keep ?", other.ID+": keep both", 1)
		}
		w.write("contradictions.md", strings.Replace(list, "holds 600 jobs", "holds 650 jobs", 1))
		n, err := w.cycle(nil).begin()
		if err != nil {
			t.Fatal(err)
		}
		n.stage = &StageReport{Counts: map[string]int{}}
		ctx := context.Background()
		if err := errors.Join(n.carryOutAnswers(ctx), n.propose(ctx, []Pair{p, other}, everything), n.end()); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(n.stage.Left); strings.Count(got, "keep b of the pair "+p.ID+" was not carried out") != 1 || !strings.Contains(w.says("entities/kestrel.md"), "600") {
			t.Errorf("another answer %t: %s", with, got)
		}
		// It is asked anew, and answered by nothing that was said of the other text.
		if !strings.Contains(w.read("contradictions.md"), p.ID+": keep ?") {
			t.Errorf("another answer %t: %s", with, w.read("contradictions.md"))
		}
	}
}

// A page that cannot be read concerns its own pair, not the whole stage.
func TestAPageThatCannotBeReadKeepsItsAnswerAlone(t *testing.T) {
	w, p := reviewWorld(t)
	w.write("contradictions.md", strings.Replace(w.read("contradictions.md"), "keep ?", "keep b", 1))
	w.remove("entities/kestrel.md")
	if err := os.Mkdir(filepath.Join(w.dir, "entities/kestrel.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := w.propose([]Pair{p}, everything)
	if !strings.Contains(fmt.Sprint(s.Left), "keep b of the pair "+p.ID+" cannot be carried out") || w.docket().Answers[p.ID].Keep != KeepB {
		t.Errorf("%+v", s.Left)
	}
}

// Two lines for one pair that differ are no answer; both stay, and are named. Of which one says
// nothing, the other counts.
func TestTwoLinesForOnePair(t *testing.T) {
	for lines, want := range map[[2]string]answer{
		{"b", "a"}:               {unclear: "b / keep a"},
		{"a x", "b y"}:           {unclear: "a x / keep b y"},
		{"a?", "b"}:              {unclear: "a? / keep b"},
		{"b", "?"}:               {keep: "b"},
		{"?", "b since"}:         {keep: "b", note: "since"},
		{"b since", "B for now"}: {keep: "b", note: "since / for now"},
	} {
		w, p := reviewWorld(t)
		line := "pair " + p.ID + ": keep "
		w.write("contradictions.md", strings.Replace(w.read("contradictions.md"), line+"?", line+lines[0]+"\n"+line+lines[1], 1))
		if got := readReviewFile([]byte(w.read("contradictions.md"))).answers[p.ID]; got != want {
			t.Errorf("%q is read as %+v", lines, got)
		}
		s := w.propose([]Pair{p}, everything)
		if want.keep != "" {
			if v, ok := w.docket().Verdicts.Of(p); !ok || v.Keep != want.keep || v.Note != want.note {
				t.Errorf("%q: %+v", lines, v)
			}
			continue
		}
		if !strings.Contains(fmt.Sprint(s.Left), "keep "+want.unclear+" of the pair "+p.ID+" is no answer") || !strings.Contains(w.read("contradictions.md"), line+want.unclear+"\n") {
			t.Errorf("%q: %v\n%s", lines, s.Left, w.read("contradictions.md"))
		}
	}
}

// limits are three pages that say three things of one limit, and the three pairs that they make, by
// what the pages say.
func (w *world) limits() map[string]Pair {
	w.t.Helper()
	pairs := map[string]Pair{}
	side := func(n string) Side {
		w.write(n+".md", "The limit is "+n+".\n")
		return Side{Text: "The limit is " + n + ".", Path: page.Path(n + ".md"), Line: 1, Fact: SentenceSide}
	}
	for i, two := range [][2]string{{"600", "900"}, {"900", "950"}, {"600", "950"}} {
		p := Pair{Kind: KindContradiction, Screen: "slot", Strength: 0.5 + float64(i)/10, A: side(two[0]), B: side(two[1])}
		p.arrange()
		pairs[two[0]+"/"+two[1]] = p
	}
	w.propose(slices.Collect(maps.Values(pairs)), everything)
	return pairs
}

// answerAll writes answers into the list: of a pair, which page's claim is kept.
func (w *world) answerAll(pairs map[string]Pair, keeps map[string]string) {
	list := w.read("contradictions.md")
	for name, kept := range keeps {
		p, keep := pairs[name], KeepBoth
		switch {
		case strings.Contains(p.A.Text, kept):
			keep = KeepA
		case strings.Contains(p.B.Text, kept):
			keep = KeepB
		}
		list = strings.Replace(list, p.ID+": keep ?", p.ID+": keep "+keep, 1)
	}
	w.write("contradictions.md", list)
}

// standing are the pages of limits whose claim counts.
func (w *world) standing() (out []string) {
	for _, n := range []string{"600", "900", "950"} {
		if strings.Contains(w.says(n+".md"), n) {
			out = append(out, n)
		}
	}
	return out
}

// Of several answers about the same claims all that can are carried out, whatever their order; the
// others stay where they are. None is dropped without a word.
func TestAnswersAboutTheSameClaims(t *testing.T) {
	for _, test := range []struct {
		name, report string
		keeps        map[string]string
		stand        []string
		answers      int // carried out
		stay         int
	}{
		{"a chain", "", map[string]string{"600/900": "900", "900/950": "950"}, []string{"950"}, 2, 0},
		{"the same claim twice", "", map[string]string{"600/900": "900", "600/950": "950"}, []string{"900", "950"}, 2, 0},
		{"all three", "", map[string]string{"600/900": "600", "900/950": "950", "600/950": "600"}, []string{"600"}, 3, 0},
		{"both, and then one", "", map[string]string{"600/900": "both", "900/950": "950"}, []string{"600", "950"}, 2, 0},
		{"a circle", "each of several answers drops a claim that another one keeps", map[string]string{"600/900": "600", "900/950": "900", "600/950": "950"}, []string{"600", "900", "950"}, 0, 3},
	} {
		w := newWorld(t)
		pairs := w.limits()
		w.answerAll(pairs, test.keeps)
		s := w.propose(slices.Collect(maps.Values(pairs)), everything)
		d := w.docket()
		if got := w.standing(); !slices.Equal(got, test.stand) || s.Counts["answers"] != test.answers || len(d.Answers) != test.stay || strings.Count(fmt.Sprint(s.Left), "cannot be carried out: "+test.report) != test.stay {
			t.Errorf("%s: %q stand, %d answers carried out, %d stay; left %v", test.name, got, s.Counts["answers"], len(d.Answers), s.Left)
		}
		for name := range test.keeps {
			if _, ok := d.Verdicts.Of(pairs[name]); ok != (test.stay == 0) {
				t.Errorf("%s: a verdict on %s: %t", test.name, name, ok)
			}
		}
	}
}

// What a command decides comes among the answers of the list where it has its place, and where it
// contradicts them it counts, and they are named.
func TestACommandAmongAnswersInTheList(t *testing.T) {
	w := newWorld(t)
	pairs := w.limits()
	keep := func(name, kept string) string {
		if p := pairs[name]; strings.Contains(p.A.Text, kept) {
			return KeepA
		}
		return KeepB
	}
	w.answerAll(pairs, map[string]string{"600/900": "900"})
	out, err := w.decide(pairs["900/950"].ID, keep("900/950", "950"))
	if got := w.standing(); err != nil || !slices.Equal(got, []string{"950"}) || len(out.Taken) != 1 || len(out.Left) != 0 {
		t.Errorf("%v: %q stand, taken %+v, left %v", err, got, out.Taken, out.Left)
	}
	w = newWorld(t)
	pairs = w.limits()
	w.answerAll(pairs, map[string]string{"600/900": "600", "900/950": "900"})
	out, err = w.decide(pairs["600/950"].ID, keep("600/950", "950"))
	if got := w.standing(); err != nil || !slices.Equal(got, []string{"900"}) || len(out.Taken) != 1 || len(out.Left) != 1 {
		t.Errorf("%v: %q stand, taken %+v, left %v", err, got, out.Taken, out.Left)
	}
}

// An answer on a pair that was decided meanwhile, or on whose claim nothing can be said any more, is
// named when it goes.
func TestAnAnswerThatGoesWithItsPairIsNamed(t *testing.T) {
	w, p := reviewWorld(t)
	list := w.read("contradictions.md")
	if _, err := w.decide(p.ID, KeepBoth); err != nil {
		t.Fatal(err)
	}
	w.write("contradictions.md", strings.Replace(list, "keep ?", "keep b", 1))
	if s := w.propose([]Pair{p}, everything); !strings.Contains(fmt.Sprint(s.Left), "keep b of the pair "+p.ID+" was not carried out: it was decided already: keep both") {
		t.Errorf("left %v", s.Left)
	}
	w, p = reviewWorld(t)
	w.write("contradictions.md", strings.Replace(list, "keep ?", "keep b?", 1))
	if s := w.propose(nil, everything); !strings.Contains(fmt.Sprint(s.Left), "keep b? of the pair "+p.ID+" was not carried out: it is no answer, and one of its claims is gone") {
		t.Errorf("left %v", s.Left)
	}
	w.limits()
	pairs := w.limits()
	w.answerAll(pairs, map[string]string{"600/900": "600"})
	w.write("contradictions.md", strings.Replace(w.read("contradictions.md"), pairs["900/950"].ID+": keep ?", pairs["900/950"].ID+": keep a or b", 1))
	s := w.propose(slices.Collect(maps.Values(pairs)), everything)
	if !strings.Contains(fmt.Sprint(s.Left), "keep a or b of the pair "+pairs["900/950"].ID+" was not carried out: a claim of it was superseded, by the verdict on "+pairs["600/900"].ID) {
		t.Errorf("left %v", s.Left)
	}
}
