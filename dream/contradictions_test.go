package dream

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func (w *world) open() []Pair { w.t.Helper(); return Open([]byte(w.read(string(ReviewFile)))) }

func twoPairs(w *world) {
	w.write("a.md", noteWith(fact("The queue limit is 100.", ""), fact("The pool holds 40 connections.", "")))
	w.write("b.md", noteWith(fact("The queue limit is 1000.", "")))
	w.write("c.md", noteWith(fact("The pool holds 50 connections.", "")))
}

// K12: the second night looks at nothing and writes nothing; what was found is told again.
func TestContradictionsOfAnUnchangedTreeAreNotLookedForAgain(t *testing.T) {
	w := newWorld(t)
	twoPairs(w)
	c := w.cycle(nil)
	w.dream(c, Contradictions)
	before := w.tree()
	s := stage(t, w.dream(c, Contradictions), Contradictions)
	if s.Skipped == "" || s.Looked != 0 || s.Counts["pairs_open"] != 2 || s.Counts["pairs_new"] != 0 || len(s.Left) != 2 {
		t.Errorf("skipped %q, looked at %d, counts %v, left %v", s.Skipped, s.Looked, s.Counts, s.Left)
	}
	if w.tree() != before {
		t.Error("the second night wrote something")
	}
	if err := os.RemoveAll(c.State.path); err != nil {
		t.Fatal(err)
	}
	if s := stage(t, w.dream(c, Contradictions), Contradictions); s.Skipped != "" || w.tree() != before {
		t.Errorf("without what it remembers: skipped %q, wrote %v", s.Skipped, w.tree() != before)
	}
}

// K09: nothing but the list is written.
func TestFindingPairsWritesTheListAlone(t *testing.T) {
	w := newWorld(t)
	twoPairs(w)
	texts := map[string]string{}
	for _, name := range []string{"a.md", "b.md", "c.md"} {
		texts[name] = w.read(name)
	}
	s := stage(t, w.dream(w.cycle(nil), Contradictions), Contradictions)
	if len(s.Changed) != 1 || s.Changed[0].Path != string(ReviewFile) || len(w.open()) != 2 {
		t.Errorf("changed %v, open %d", s.Changed, len(w.open()))
	}
	for name, text := range texts {
		if w.read(name) != text {
			t.Errorf("%s was changed", name)
		}
	}
}

func TestADryRunFindsPairsAndWritesNothing(t *testing.T) {
	w := newWorld(t)
	twoPairs(w)
	before := w.tree()
	c := w.cycle(nil)
	c.DryRun = true
	s := stage(t, w.dream(c, Contradictions), Contradictions)
	if w.tree() != before || s.Counts["pairs_new"] != 2 {
		t.Errorf("wrote %v, counts %v", w.tree() != before, s.Counts)
	}
}

// A pair whose claim is gone leaves the list, that of another bucket stays; also when a night
// comes to a part of the buckets alone.
func TestPairsOfOtherBucketsStay(t *testing.T) {
	w := newWorld(t)
	for i := range 6 {
		name := fmt.Sprintf("Relay%c", 'a'+i)
		w.write(fmt.Sprintf("entities/r%d.md", i), entityPage(name, "A relay."))
		w.write(fmt.Sprintf("a%d.md", i), noteWith(fact(name+" waits 3 seconds.", "")))
		w.write(fmt.Sprintf("b%d.md", i), noteWith(fact(name+" waits 4 seconds.", "")))
	}
	c := w.cycle(nil)
	w.dream(c, Contradictions)
	if n := len(w.open()); n != 6 {
		t.Fatalf("%d open pairs, want 6", n)
	}
	c.MaxCompared = 1
	w.write("b2.md", noteWith(fact("Relayc is quick.", "")))
	for range 12 {
		w.dream(c, Contradictions)
		if n := len(w.open()); n < 5 {
			t.Fatalf("%d open pairs: those that were not looked at are gone", n)
		}
	}
	if n := len(w.open()); n != 5 {
		t.Errorf("%d open pairs, want 5: the claim of one is gone", n)
	}
}

// An answer in the list is carried out though no page changed, and does not come back.
func TestAnAnswerInTheListIsTakenOverTheNextNight(t *testing.T) {
	w := newWorld(t)
	twoPairs(w)
	c := w.cycle(nil)
	w.dream(c, Contradictions)
	p := w.open()[0]
	line := "pair " + p.ID + ": keep "
	w.write(string(ReviewFile), strings.Replace(w.read(string(ReviewFile)), line+"?", line+"b", 1))
	s := stage(t, w.dream(c, Contradictions), Contradictions)
	if s.Counts["answers"] != 1 || len(w.open()) != 1 {
		t.Fatalf("counts %v, open %d, line %q", s.Counts, len(w.open()), line)
	}
	live := 0
	for _, f := range w.page(string(p.A.Path)).Facts {
		if f.Live() && f.Text == p.A.Text {
			live++
		}
	}
	if live != 0 {
		t.Errorf("%q is not superseded", p.A.Text)
	}
	for range 2 {
		w.dream(c, Contradictions)
	}
	if n := len(w.open()); n != 1 {
		t.Errorf("%d open pairs, want 1: what was decided came back", n)
	}
}

// Beyond the list's room the weaker pairs wait, and the report says so.
func TestPairsWithoutRoomWaitAndAreCounted(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.write(fmt.Sprintf("a%d.md", i), noteWith(fact(fmt.Sprintf("The %s queue holds 10 jobs.", word(i)), "")))
		w.write(fmt.Sprintf("b%d.md", i), noteWith(fact(fmt.Sprintf("The %s queue holds 20 jobs.", word(i)), "")))
	}
	c := w.cycle(nil)
	c.MaxPairs = 3
	s := stage(t, w.dream(c, Contradictions), Contradictions)
	told := false
	for _, l := range s.Left {
		told = told || strings.HasPrefix(l.What, "2 more pairs")
	}
	if len(w.open()) != 3 || !told {
		t.Errorf("%d open, left %v", len(w.open()), s.Left)
	}
}

// The stage over a brain of 10,000 pages, of which 1,000 are decisions and entities.
func BenchmarkContradictions(b *testing.B) {
	w := newWorld(b)
	for i := range 10_000 {
		path, head := fmt.Sprintf("notes/%02d/%05d.md", i%100, i), "title: Note "+word(i)
		switch i % 20 {
		case 0:
			path, head = fmt.Sprintf("entities/e%05d.md", i), "title: "+capital(word(i))+"\nschema_type: entity"
		case 10:
			path, head = fmt.Sprintf("sources/s%d/issues/%d/decisions/1-d.md", i%7, i), "title: About "+word(i)+"\nschema_type: decision"
		}
		var body strings.Builder
		for k := range 12 {
			fmt.Fprintf(&body, "The %s of %s takes %d seconds when the %s is %s.\n\n", word(i*31+k), word(i%500*20), k+i%9, word(k), word(i+k))
		}
		facts := ""
		if i%4 == 1 {
			facts = "facts:\n" + fact(fmt.Sprintf("%s has a limit of %d requests.", capital(word(i%500*20)), i%37), "    metric: "+word(i%500*20)+"_limit\n    value: "+fmt.Sprint(i%37)+"\n")
		}
		w.write(path, "---\n"+head+"\n"+facts+"---\n\n"+body.String())
	}
	c := w.cycle(nil)
	w.dream(c, Sync)
	for b.Loop() {
		if err := os.RemoveAll(c.State.path); err != nil {
			b.Fatal(err)
		}
		s := stage(b, w.dream(c, Contradictions), Contradictions)
		b.ReportMetric(float64(s.Counts["claims"]), "claims")
		b.ReportMetric(float64(s.Counts["compared"]), "compared")
		b.ReportMetric(float64(s.Counts["pairs_open"]), "open")
		if len(s.Failures) > 0 {
			b.Fatal(s.Failures)
		}
	}
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
