package dream

import (
	"context"
	"errors"
	"strings"
	"testing"

	"brain/page"
)

// What was purged stands neither in the list nor in the log; what was rejected stays rejected.
func TestAPurgedPageLeavesTheListAndTheLog(t *testing.T) {
	w, p := reviewWorld(t)
	q := p
	q.B.Text, q.B.Path = "The queue of Kestrel holds 300 jobs.", "c.md"
	q.arrange()
	w.propose([]Pair{p, q}, everything)
	if _, err := w.decide(q.ID, KeepBoth); err != nil {
		t.Fatal(err)
	}
	if _, err := Purge(context.Background(), w.st, "entities/kestrel.md"); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"contradictions.md", "contradictions-reviews.jsonl"} {
		if got := w.read(file); strings.Contains(got, "600") || strings.Contains(got, "kestrel.md") {
			t.Errorf("%s: %s", file, got)
		}
	}
	w.propose([]Pair{q}, everything)
	if d := w.docket(); len(d.Pairs) != 0 || len(d.Verdicts.Damaged) != 0 {
		t.Errorf("%+v", d)
	}
}

// A page is purged under the name that it has then: its pairs name it as it was called before, and
// what was moved before anything was remembered of it is known by its words.
func TestAPurgedPageIsKnownByItsFormerNamesAndWords(t *testing.T) {
	w, p := reviewWorld(t)
	q := p
	q.A.Path, q.B.Text, q.B.Path = "entities/merlin.md", "The queue of Kestrel holds 300 jobs.", "c.md"
	r := p
	r.A.Text, r.B.Text, r.B.Path = "The lamp of Kestrel is red.", "The lamp of Kestrel is blue.", "c.md"
	for _, o := range []*Pair{&q, &r} {
		o.arrange()
	}
	w.propose([]Pair{p, q, r}, everything)
	if _, err := w.decide(q.ID, KeepBoth); err != nil {
		t.Fatal(err)
	}
	w.remove("entities/kestrel.md")
	w.write("entities/falcon.md", kestrel)
	was, is := page.Parse("entities/kestrel.md", []byte(kestrel)), page.Parse("entities/falcon.md", []byte(kestrel))
	if _, err := Purge(context.Background(), w.st, is.Path, was, is); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"contradictions.md", "contradictions-reviews.jsonl"} {
		if got := w.read(file); strings.Contains(got, "600") || strings.Contains(got, "lamp") {
			t.Errorf("%s: %s", file, got)
		}
	}
	// Another page that took the name keeps what is its own.
	w.write("entities/kestrel.md", "The lamp of Kestrel is red.\n")
	w.propose([]Pair{r}, everything)
	if _, err := Purge(context.Background(), w.st, is.Path, was, is); err != nil {
		t.Fatal(err)
	}
	if d := w.docket(); len(d.Pairs) != 1 || d.Pairs[0].ID != r.ID {
		t.Errorf("open: %+v", d.Pairs)
	}
}

// What lost against a page that was purged since can come back, and only to who may see it; where
// nothing is left to bring back, undo says so.
func TestWhatLostAgainstAPurgedPageComesBack(t *testing.T) {
	w, p := reviewWorld(t)
	if _, err := w.decide(p.ID, KeepB); err != nil {
		t.Fatal(err)
	}
	if _, err := Purge(context.Background(), w.st, p.B.Path, page.Parse(p.B.Path, []byte(queueNote))); err != nil {
		t.Fatal(err)
	}
	if log := w.read("contradictions-reviews.jsonl"); strings.Contains(log, "900") || strings.Contains(log, "queue (new)") {
		t.Error(log)
	}
	others := Decision{ID: p.ID, By: "test", At: march, May: func(o Pair) bool { return o.A.Path != "entities/kestrel.md" }}
	if _, err := Undo(context.Background(), w.st, others); !errors.Is(err, ErrNoPair) {
		t.Errorf("who does not see the page: %v", err)
	}
	out, err := w.undo(p.ID)
	if err != nil || len(out.Verdict.Did) != 1 || w.read("entities/kestrel.md") != kestrel {
		t.Errorf("%v: %+v\n%s", err, out, w.read("entities/kestrel.md"))
	}
	if d := w.docket(); len(d.Pairs) != 0 {
		t.Errorf("open: %+v", d.Pairs)
	}
	if _, err := Purge(context.Background(), w.st, p.A.Path, page.Parse(p.A.Path, []byte(kestrel))); err != nil || strings.Contains(w.read("contradictions-reviews.jsonl"), "600") {
		t.Errorf("purged as well: %v\n%s", err, w.read("contradictions-reviews.jsonl"))
	}

	w, p = reviewWorld(t)
	if _, err := w.decide(p.ID, KeepB); err != nil {
		t.Fatal(err)
	}
	if _, err := Purge(context.Background(), w.st, p.A.Path, page.Parse(p.A.Path, []byte(kestrel))); err != nil {
		t.Fatal(err)
	}
	tree := w.tree()
	if _, err := w.undo(p.ID); !errors.Is(err, ErrClaimGone) || w.tree() != tree {
		t.Errorf("nothing is left to bring back: %v", err)
	}
}
