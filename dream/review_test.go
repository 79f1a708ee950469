package dream

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brain/store"
)

// queue is a pair as the stage finds it: two sentences of two pages.
func queuePair() Pair {
	p := Pair{Entity: "Kestrel", Kind: KindSupersession, Screen: "slot", Strength: 0.93, Detail: [2]string{"600 jobs", "900 jobs"},
		A: Side{Text: "The queue of Kestrel holds 600 jobs.", Path: "entities/kestrel.md", Line: 6, Date: "2026-01-04", Speaker: "Marit", Sources: []string{"notes/1, 2.md", "s-0042#3"}, Fact: SentenceSide},
		B: Side{Text: "The queue of Kestrel holds 900 jobs.", Path: "notes/queue (new).md", Line: 3, Date: "2026-03-01", Fact: SentenceSide}}
	p.arrange()
	return p
}

const kestrel = "---\ntitle: Kestrel\ntype: entity\n---\n\nThe queue of Kestrel holds 600 jobs. It is drained at night.\n"
const queueNote = "# Queue\n\nThe queue of Kestrel holds 900 jobs.\n"

// reviewWorld has the pair in its pages and proposes it.
func reviewWorld(t *testing.T) (*world, Pair) {
	t.Helper()
	w := newWorld(t)
	w.write("entities/kestrel.md", kestrel)
	w.write("notes/queue (new).md", queueNote)
	p := queuePair()
	w.propose([]Pair{p}, everything)
	return w, p
}

func everything(Pair) bool { return true }
func nothing(Pair) bool    { return false }

// propose is what the stage does with what it found.
func (w *world) propose(found []Pair, looked func(Pair) bool) *StageReport {
	w.t.Helper()
	n, err := w.cycle(nil).begin()
	if err != nil {
		w.t.Fatal(err)
	}
	n.stage = &StageReport{Counts: map[string]int{}}
	if err := errors.Join(n.propose(context.Background(), found, looked), n.end()); err != nil {
		w.t.Fatal(err)
	}
	return n.stage
}

func (w *world) docket() *Docket {
	w.t.Helper()
	d, err := ReadDocket(context.Background(), w.st)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

func (w *world) decide(id, keep string) (*Decided, error) {
	return Decide(context.Background(), w.st, Decision{ID: id, Keep: keep, By: "test", At: march})
}

func (w *world) undo(id string) (*Decided, error) {
	return Undo(context.Background(), w.st, Decision{ID: id, By: "test", At: march})
}

// says is all that the index takes of a page.
func (w *world) says(path string) string {
	c := w.page(path).Clean()
	return c.Body + strings.Join(c.Facts, "\n")
}

// A page that is gone from its path is another one only for certain: what carries the mark of the
// verdict and has its title or words, once, is no other agent's, and lost by no other verdict.
func TestAPageThatWasMovedByHandIsKnownForCertain(t *testing.T) {
	retitled := func(s string) string { return strings.Replace(s, "title: Kestrel", "title: Falcon", 1) }
	edited := func(s string) string { return s + "Cleaned on Sundays.\n" }
	for _, c := range []struct {
		name  string
		moved map[string]func(string) string
		came  string
	}{
		{"another name", map[string]func(string) string{"a.md": func(s string) string { return s }}, "a.md"},
		{"another title", map[string]func(string) string{"a.md": retitled}, "a.md"},
		{"edited", map[string]func(string) string{"a.md": edited}, "a.md"},
		{"edited, under another title", map[string]func(string) string{"a.md": func(s string) string { return retitled(edited(s)) }}, ""},
		{"two of them", map[string]func(string) string{"a.md": edited, "b.md": retitled}, ""},
		{"an agent's", map[string]func(string) string{"agents/mo/a.md": edited}, ""},
		{"none", nil, ""},
	} {
		w, p := reviewWorld(t)
		if _, err := w.decide(p.ID, KeepB); err != nil {
			t.Fatal(err)
		}
		marked := w.read("entities/kestrel.md")
		w.remove("entities/kestrel.md")
		for name, as := range c.moved {
			w.write(name, as(marked))
		}
		tree := w.tree()
		out, err := w.undo(p.ID)
		switch {
		case c.came == "":
			if !errors.Is(err, ErrClaimGone) || errors.Is(err, store.ErrNotFound) || w.tree() != tree {
				t.Errorf("%s: %v, %+v; want none to be changed", c.name, err, out)
			}
		case err != nil || len(out.Verdict.Did) != 1 || string(out.Verdict.Did[0].Path) != c.came || strings.Contains(w.read(c.came), superseded):
			t.Errorf("%s: %v, %+v\n%s", c.name, err, out, w.tree())
		case string(w.docket().Pairs[0].A.Path) != c.came:
			t.Errorf("%s: open with %+v", c.name, w.docket().Pairs[0].A)
		}
	}
}

func TestAPageOnWhichAnotherVerdictWasGivenIsNoOther(t *testing.T) {
	w, p := reviewWorld(t)
	w.write("entities/merlin.md", kestrel)
	q := p
	q.A.Path, q.B.Text, q.B.Path = "entities/merlin.md", "The queue of Kestrel holds 300 jobs.", "c.md"
	q.arrange()
	for _, o := range []Pair{p, q} {
		w.propose([]Pair{o}, nothing)
		if _, err := w.decide(o.ID, KeepB); err != nil {
			t.Fatal(err)
		}
	}
	w.remove("entities/kestrel.md")
	tree := w.tree()
	if _, err := w.undo(p.ID); !errors.Is(err, ErrClaimGone) || w.tree() != tree {
		t.Errorf("%v\n%s", err, w.tree())
	}
}

// K10: the claim that was not kept leaves the index, in one update with the verdict and the list.
func TestAClaimThatIsNotKeptLeavesTheIndexAndReturns(t *testing.T) {
	w, p := reviewWorld(t)
	before := w.tree()
	out, err := w.decide(p.ID[:6], KeepB)
	if err != nil {
		t.Fatal(err)
	}
	if got := w.says("entities/kestrel.md"); strings.Contains(got, "600") || !strings.Contains(got, "It is drained at night.") {
		t.Errorf("read: %q", got)
	}
	if !strings.Contains(w.read("entities/kestrel.md"), "The queue of Kestrel holds 600 jobs. It is drained at night.\n") {
		t.Error("the file's text is gone")
	}
	if len(w.docket().Pairs) != 0 || !strings.Contains(w.read("contradictions.md"), "No pair is open.") {
		t.Error("it is still open")
	}
	jobs, err := w.st.Jobs(0)
	if err != nil || jobs[0].ID != out.Job || len(jobs[0].Changes) != 3 {
		t.Errorf("%v: the newest job is %+v", err, jobs[0])
	}
	// Found again by its texts alone it is the same verdict.
	if _, ok := w.docket().Verdicts.Of(Pair{ID: "0", Texts: p.Texts}); !ok {
		t.Error("the verdict is not found by the texts")
	}
	w.write("entities/kestrel.md", strings.Replace(w.read("entities/kestrel.md"), "drained", "emptied", 1))
	if _, err := w.undo(p.ID[:6]); err != nil {
		t.Fatal(err)
	}
	if got := w.read("entities/kestrel.md"); got != strings.Replace(kestrel, "drained", "emptied", 1) {
		t.Errorf("undone it reads %q", got)
	}
	if d := w.docket(); len(d.Pairs) != 1 || d.Pairs[0].ID != p.ID {
		t.Errorf("open: %+v", d.Pairs)
	}
	if _, err := w.undo(p.ID); !errors.Is(err, ErrUndecided) {
		t.Errorf("undone twice: %v", err)
	}
	w.write("entities/kestrel.md", kestrel)
	if log := w.read("contradictions-reviews.jsonl"); strings.Count(log, "\n") != 2 || before == w.tree() {
		t.Errorf("the log: %s", log)
	}
}

// What somebody changed since does not return, and is not told of as if it had.
func TestUndoTellsOfWhatReturnedAlone(t *testing.T) {
	w, p := reviewWorld(t)
	out, err := w.decide(p.ID, KeepA)
	if err != nil || len(out.Verdict.Did) != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	deed := out.Verdict.Did[0]
	w.write(string(deed.Path), strings.ReplaceAll(w.read(string(deed.Path)), deed.Text, "Something else"))
	if out, err = w.undo(p.ID); err != nil || len(out.Verdict.Did) != 0 {
		t.Errorf("came back: %+v, %v; want nothing", out.Verdict.Did, err)
	}
}

// `brain undo` of the job gives back the same bytes.
func TestTheJobOfAVerdictCanBeUndone(t *testing.T) {
	w, p := reviewWorld(t)
	before := w.tree()
	out, err := w.decide(p.ID, KeepA)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.st.Undo(context.Background(), out.Job); err != nil {
		t.Fatal(err)
	}
	if w.tree() != before {
		t.Error("the tree is another one")
	}
}

// K12, K09: a pair that was rejected does not come back, whatever is deleted and whatever
// what it speaks of is called.
func TestARejectedPairNeverComesBack(t *testing.T) {
	w, p := reviewWorld(t)
	if _, err := w.decide(p.ID, KeepBoth); err != nil {
		t.Fatal(err)
	}
	w.remove("contradictions.md")
	w.propose([]Pair{p}, everything)
	other := p
	other.Entity = "Kestrel (system)"
	other.arrange()
	w.propose([]Pair{other}, everything)
	if d := w.docket(); len(d.Pairs) != 0 {
		t.Errorf("open: %+v", d.Pairs)
	}
	if got := w.says("entities/kestrel.md"); !strings.Contains(got, "600") {
		t.Error("a claim of a rejected pair left the index")
	}
	// What people add to the log by hand may be damaged; it stays, and the rest counts.
	log := w.read("contradictions-reviews.jsonl")
	w.write("contradictions-reviews.jsonl", "{\"pair\":\n"+log+"{\"pair_id\":\"00\",\"keep\":\"a\"}\nnonsense")
	w.propose([]Pair{p}, everything)
	d := w.docket()
	if diff := cmp.Diff([]int{1, 4}, d.Verdicts.Damaged); diff != "" || d.Verdicts.Foreign != 1 || len(d.Pairs) != 0 {
		t.Errorf("%s; %d of df-memory; open %v", diff, d.Verdicts.Foreign, d.Pairs)
	}
}

// A claim that was edited away is a conflict, and nothing is half done.
func TestAVerdictOnAClaimThatIsGoneIsAConflict(t *testing.T) {
	w, p := reviewWorld(t)
	w.write("entities/kestrel.md", strings.Replace(kestrel, "600", "700", 1))
	tree := w.tree()
	if _, err := w.decide(p.ID, KeepB); !errors.Is(err, ErrClaimGone) {
		t.Errorf("%v", err)
	}
	if _, err := w.decide("ffff", KeepB); !errors.Is(err, ErrNoPair) {
		t.Errorf("%v", err)
	}
	if _, err := w.decide(p.ID, "c"); !errors.Is(err, ErrKeep) {
		t.Errorf("%v", err)
	}
	if tree != w.tree() {
		t.Error("something was written")
	}
	// In the file the answer stays where it is, until the pair is not found any more.
	w.write("contradictions.md", strings.Replace(w.read("contradictions.md"), "keep ?", "keep b", 1))
	s := w.propose(nil, nothing)
	if len(s.Left) != 2 || !strings.Contains(s.Left[0].What, "cannot be carried out") || w.docket().Answers[p.ID].Keep != "b" {
		t.Errorf("%+v", s.Left)
	}
	w.propose(nil, everything)
	if d := w.docket(); len(d.Pairs)+len(d.Answers) != 0 {
		t.Errorf("%+v", d)
	}
}

func TestFindingsOfOtherBucketsStay(t *testing.T) {
	w, p := reviewWorld(t)
	q := Pair{Entity: "Harbour", Kind: KindContradiction, Screen: "negation", Strength: 0.8,
		A: Side{Text: "Harbour is open", Path: "h.md", Line: 1, Fact: 0}, B: Side{Text: "Harbour is not open", Path: "i.md", Line: 1, Fact: SentenceSide}}
	q.arrange()
	w.propose([]Pair{q}, func(o Pair) bool { return o.Entity == "Harbour" })
	if d := w.docket(); len(d.Pairs) != 2 {
		t.Errorf("open: %+v", d.Pairs)
	}
	moved := p
	moved.A.Path, moved.A.Line = "entities/kestrel2.md", 90
	w.propose([]Pair{moved}, func(o Pair) bool { return o.Entity == "Harbour" })
	d := w.docket()
	if len(d.Pairs) != 1 || d.Pairs[0].A.Line != 90 {
		t.Errorf("open: %+v", d.Pairs)
	}
}

// Somebody may have the list open while a night learns of a date: what is a stays a.
func TestTheOrderInWhichAPairIsShownStays(t *testing.T) {
	w, p := reviewWorld(t)
	again := p
	again.A.Date, again.B.Date = "2026-05-01", "2026-03-01"
	again.arrange()
	if again.A.Text == p.A.Text {
		t.Fatal("the dates do not turn it")
	}
	w.propose([]Pair{again}, everything)
	d := w.docket()
	if d.Pairs[0].A.Text != p.A.Text || d.Pairs[0].Suggested() != KeepA || d.Pairs[0].Detail != p.Detail {
		t.Errorf("%+v", d.Pairs[0])
	}
}

// Facts of the front matter and of agents, and texts that stand several times.
func TestEachKindOfClaimIsSuperseded(t *testing.T) {
	w := newWorld(t)
	w.write("a.md", "---\nfacts:\n  - text: Limit is 5\n    metric: limit\n---\nLimit is 5. More.\n")
	w.write("b.md", "## Retries\n\nDefault: 100\n\n## Sockets\n\nDefault: 100\n")
	fact := "---\nid: fact_1\nrevision: 2\nstatus: active\n---\n\nLikes tabs\n"
	w.write("agents/mo/facts/6e/fact_1.md", fact)
	pair := func(a, b Side) Pair {
		p := Pair{Kind: KindContradiction, Screen: "slot", Strength: 0.7, A: a, B: b}
		p.arrange()
		return p
	}
	other := Side{Text: "x y", Path: "x.md", Fact: SentenceSide}
	sides := []Side{
		{Text: "Limit is 5", Path: "a.md", Line: 3, Fact: 4},
		{Text: "Default: 100", Path: "b.md", Line: 7, Fact: SentenceSide},
		{Text: "Likes tabs", Path: "agents/mo/facts/6e/fact_1.md", Line: 7, Fact: AgentFactSide, Agent: "mo"},
	}
	before := w.tree()
	for i, want := range []string{
		"---\nfacts:\n  - text: Limit is 5\n    metric: limit\n    status: superseded\n---\nLimit is 5. More.\n",
		"---\nfacts:\n  - text: \"Sockets > Default: 100\"\n    status: superseded\n---\n## Retries\n\nDefault: 100\n\n## Sockets\n\nDefault: 100\n",
		"---\nid: fact_1\nrevision: 3\nstatus: superseded\n---\n\nLikes tabs\n",
	} {
		p := pair(sides[i], other)
		w.propose([]Pair{p}, nothing)
		keep := KeepA
		if p.A.Path == sides[i].Path {
			keep = KeepB
		}
		out, err := w.decide(p.ID, keep)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.read(string(sides[i].Path)); got != want {
			t.Errorf("%s is\n%s", sides[i].Path, got)
		}
		if i == 1 && (len(out.Also) != 1 || out.Also[0] != Place{"b.md", 8}) {
			t.Errorf("besides: %v", out.Also)
		}
		if _, err := w.undo(p.ID); err != nil {
			t.Fatal(err)
		}
	}
	w.remove("contradictions.md")
	w.remove("contradictions-reviews.jsonl")
	w.remove("memory.json")
	w.write("agents/mo/facts/6e/fact_1.md", strings.Replace(w.read("agents/mo/facts/6e/fact_1.md"), "revision: 4", "revision: 2", 1))
	if w.tree() != before {
		t.Errorf("undone the tree is another one:\n%s\n%s\n%s", w.read("a.md"), w.read("b.md"), w.read("agents/mo/facts/6e/fact_1.md"))
	}
}

func TestOneVerdictSettlesAllPairsOfTheClaimThatFell(t *testing.T) {
	w, p := reviewWorld(t)
	q := p
	q.B.Text, q.B.Path = "The queue of Kestrel holds 300 jobs.", "c.md"
	q.arrange()
	w.propose([]Pair{p, q}, everything)
	out, err := w.decide(p.ID, KeepB)
	if err != nil || out.Fell != 1 || len(w.docket().Pairs) != 0 {
		t.Errorf("%v: %+v", err, out)
	}
}

func TestMorePairsThanThereIsRoomForWait(t *testing.T) {
	d := &docket{verdicts: readVerdicts(nil)}
	var found []Pair
	for _, text := range []string{"one", "two", "three"} {
		p := Pair{A: Side{Text: "x " + text, Path: "a.md"}, B: Side{Text: "y", Path: "b.md"}}
		p.arrange()
		found = append(found, p)
	}
	m := d.merge(found, nothing, 2)
	if len(d.open) != 2 || m.waiting != 1 || m.fresh != 2 {
		t.Errorf("%+v", m)
	}
}

func (w *world) remove(path string) {
	w.t.Helper()
	if err := os.Remove(filepath.Join(w.dir, filepath.FromSlash(path))); err != nil {
		w.t.Fatal(err)
	}
}

// Where a fact of another agent says the same, who decides is not told of that place.
func TestAPlaceOfAnotherAgentIsNotNamed(t *testing.T) {
	w, own := reviewWorld(t)
	hers := Pair{Kind: KindContradiction, Screen: "slot", Strength: 0.5, A: Side{Text: own.A.Text, Path: "agents/alice/facts/6e/fact_1.md", Fact: AgentFactSide, Agent: "alice"},
		B: Side{Text: "The queue of Kestrel holds 700 jobs.", Path: "x.md", Line: 1, Fact: SentenceSide}}
	hers.arrange()
	w.propose([]Pair{own, hers}, everything)
	for agent, want := range map[string]int{"bob": 0, "alice": 1} {
		out, err := Decide(context.Background(), w.st, Decision{ID: own.ID, Keep: KeepB, At: march, May: func(p Pair) bool { return p.Visible(agent) }})
		if err != nil || len(out.Also) != want {
			t.Errorf("%s: %v, also %v", agent, err, out.Also)
		}
		if _, err := w.undo(own.ID); err != nil {
			t.Fatal(err)
		}
	}
}

// A verdict adds lines to its page: what is said of the page afterwards names the lines as they are.
func TestLinesAreThoseOfThePageAfterAVerdict(t *testing.T) {
	w, p := reviewWorld(t)
	other := Pair{Entity: "Kestrel", Kind: KindContradiction, Screen: "negation", Strength: 0.8,
		A: Side{Text: "It is drained at night.", Path: "entities/kestrel.md", Line: 6, Fact: SentenceSide}, B: Side{Text: "It is not drained at night.", Path: "x.md", Line: 1, Fact: SentenceSide}}
	other.arrange()
	w.propose([]Pair{p, other}, everything)
	if _, err := w.decide(p.ID, KeepB); err != nil {
		t.Fatal(err)
	}
	left := w.docket().Pairs[0]
	for _, s := range []Side{left.A, left.B} {
		if lines := strings.Split(w.read("entities/kestrel.md"), "\n"); s.Path == "entities/kestrel.md" && !strings.Contains(lines[s.Line-1], s.Text) {
			t.Errorf("line %d is %q", s.Line, lines[s.Line-1])
		}
	}
	for _, test := range [][2]string{{"a\nb\n", "---\nx\n---\na\nb\n"}, {"f\n- a\n- b\ne\n", "f\n- a\n  s\n- b\ne\n"}, {"f: a\ne\n", "f: c\ne\n"}} {
		at := lineAfter([]byte(test[0]), []byte(test[1]))
		was, is := strings.Split(test[0], "\n"), strings.Split(test[1], "\n")
		for i, line := range was {
			if now := is[at(i+1)-1]; line != now && line != "f: a" {
				t.Errorf("%q: line %d is %q", test, at(i+1), now)
			}
		}
	}
}
