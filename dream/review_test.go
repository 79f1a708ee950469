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
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"brain/page"
	"brain/store"
	"brain/text"
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

func (w *world) remove(path string) {
	w.t.Helper()
	if err := os.Remove(filepath.Join(w.dir, filepath.FromSlash(path))); err != nil {
		w.t.Fatal(err)
	}
}

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
