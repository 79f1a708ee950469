package dream

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/llm"
	"brain/store"
)

// C17, D01
func TestStagesRunInTheirOwnOrder(t *testing.T) {
	w := newWorld(t)
	var told []string
	c := w.cycle(nil)
	c.Told = func(s StageReport) { told = append(told, s.Stage) }
	r := w.dream(c)
	want := []string{"lint", "sync", "distill", "contradictions", "orphans"}
	if !slices.Equal(told, want) || !r.OK {
		t.Errorf("told of %v, ok %t; want %v", told, r.OK, want)
	}
	told = nil
	w.dream(c, Orphans, Lint)
	if want := []string{"lint", "orphans"}; !slices.Equal(told, want) {
		t.Errorf("of orphans, lint ran %v; want %v", told, want)
	}
}

// D02
func TestAnUnknownStageIsRefused(t *testing.T) {
	c := newWorld(t).cycle(nil)
	c.Options.Stages = []string{Lint, "prune"}
	if r, err := c.Run(context.Background()); !errors.Is(err, ErrStage) || r != nil || !strings.Contains(err.Error(), `"prune"`) {
		t.Errorf("got %v, %v; want ErrStage that names it", r, err)
	}
}

func TestOneDreamsAtATime(t *testing.T) {
	w := newWorld(t)
	first, err := w.cycle(nil).begin()
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.cycle(nil).Run(context.Background())
	busy, ok := errors.AsType[*BusyError](err)
	if !ok || busy.Holder.PID != os.Getpid() || !busy.Holder.Since.Equal(march) {
		t.Fatalf("got %v; want a BusyError that names process %d since %s", err, os.Getpid(), march)
	}
	dry := w.cycle(nil)
	dry.DryRun = true
	if _, err := dry.Run(context.Background()); err != nil {
		t.Errorf("a dry run, meanwhile: %v", err)
	}
	if err := first.end(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.cycle(nil).Run(context.Background()); err != nil {
		t.Errorf("after the first: %v", err)
	}
}

// A lock file that nobody holds is that of one who died.
func TestWhoDiedHoldsNoLease(t *testing.T) {
	w := newWorld(t)
	c := w.cycle(nil)
	if err := os.MkdirAll(c.State.path, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{leaseFile: "", holderFile: `{"pid":1,"host":"x"}`, stateFile: `{"format":1,"parts":`, memoFile: `{"key":"half`} {
		if err := os.WriteFile(filepath.Join(c.State.path, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.dream(c)
}

// A folder stands in the place of what is remembered: the night is told all the same, and that
// the next one will not know of it.
func TestANightThatCannotBeRememberedIsToldAll(t *testing.T) {
	for _, name := range []string{stateFile, reportFile} {
		w := newWorld(t)
		w.write("note.md", "# A note\n\nText.\n")
		c := w.cycle(nil)
		if err := os.MkdirAll(filepath.Join(c.State.path, name, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
		r := w.dream(c)
		if r.OK || len(r.Stages) != 5 || len(r.Failures) != 1 || !strings.Contains(r.Failures[0], filepath.Join(c.State.path, name)) {
			t.Errorf("%s is a folder: %+v", name, r)
		}
		for _, s := range r.Stages {
			if !s.OK {
				t.Errorf("%s is a folder: the stage %s failed: %q", name, s.Stage, s.Failures)
			}
		}
	}
	for _, name := range []string{leaseFile, holderFile} {
		c := newWorld(t).cycle(nil)
		if err := os.MkdirAll(filepath.Join(c.State.path, name, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Run(t.Context()); !errors.Is(err, ErrState) {
			t.Errorf("%s is a folder: %v; want ErrState", name, err)
		}
	}
}

func TestTheLastReportIsKept(t *testing.T) {
	w := newWorld(t)
	c := w.cycle(nil)
	if r, err := LastReport(c.State); r != nil || err != nil {
		t.Errorf("before the first run: %v, %v; want none", r, err)
	}
	ran := w.dream(c)
	dry := w.cycle(nil)
	dry.DryRun = true
	w.dream(dry)
	if r, err := LastReport(c.State); err != nil || r.ID != ran.ID || len(r.Stages) != 5 {
		t.Errorf("got %+v, %v; want the report of %s, not of the dry run", r, err, ran.ID)
	}
}

func TestAnEndedRunSaysSo(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	c := w.cycle(nil)
	c.Told = func(StageReport) { cancel() }
	r, err := c.Run(ctx)
	if !errors.Is(err, context.Canceled) || !r.Interrupted || r.OK || len(r.Stages) != 1 {
		t.Errorf("got %+v, %v; want one stage, interrupted", r, err)
	}
	w.dream(w.cycle(nil)) // the lease is free again
}

// Who is killed in a later stage leaves what the earlier ones have done.
func TestAStageThatIsDoneIsDoneForTheNextRun(t *testing.T) {
	w := newWorld(t)
	w.write("note.md", "# A note\n\nText.\n")
	c := w.cycle(nil)
	c.Told = func(s StageReport) {
		if st := readState(c.State); s.Stage == Lint && st.Parts[Lint].Digest == "" {
			t.Errorf("after the stage lint it is not noted: %v", st.Parts)
		}
	}
	w.dream(c)
}

// newNight is a night within a stage, for what stages are made of.
func newNight(t *testing.T, c *Cycle) *night {
	t.Helper()
	n, err := c.begin()
	if err != nil {
		t.Fatal(err)
	}
	n.stage = &StageReport{Stage: "test", Counts: map[string]int{}}
	return n
}

// endNight ends it as run does.
func endNight(t *testing.T, n *night) {
	t.Helper()
	n.endPart()
	if err := n.end(); err != nil {
		t.Fatal(err)
	}
}

func TestAPartIsLookedAtAgainOnlyWhenItsInputsChange(t *testing.T) {
	w := newWorld(t)
	look := func(input string, find func(*night)) (skipped bool, s *StageReport) {
		t.Helper()
		n := newNight(t, w.cycle(nil))
		n.count("pages", 1) // of another part
		if skipped = n.unchanged("part", []byte(input)); !skipped {
			find(n)
		}
		endNight(t, n)
		return skipped, n.stage
	}
	found := func(n *night) {
		n.left(Left{Path: "a.md", What: "lonely"})
		n.count("pages", 1)
		n.count("lonely", 1)
		n.did("mended", 3)
	}
	if skipped, s := look("one", found); skipped || s.Counts["mended"] != 3 {
		t.Errorf("the first look: skipped %t, counts %v; want a look that tells what was done", skipped, s.Counts)
	}
	skipped, s := look("one", found)
	if !skipped || len(s.Left) != 1 || s.Left[0].What != "lonely" || s.Counts["pages"] != 2 || s.Counts["lonely"] != 1 || s.Counts["mended"] != 0 {
		t.Errorf("the second look: skipped %t, left %v, counts %v; want what was found before, without what was done", skipped, s.Left, s.Counts)
	}
	if skipped, _ = look("two", func(n *night) { n.failed("disk") }); skipped {
		t.Error("another input was skipped")
	}
	if skipped, _ = look("two", func(n *night) { n.later() }); skipped {
		t.Error("a part that had failed was skipped")
	}
	if skipped, _ = look("two", found); skipped {
		t.Error("a part that had left something was skipped")
	}
	if skipped, _ = look("two", found); !skipped {
		t.Error("an unchanged part was looked at again")
	}
	c := w.cycle(nil)
	c.MaxPairs = 7
	if n := newNight(t, c); n.unchanged("part", []byte("two")) {
		t.Error("with other options it was skipped")
	}
}

// taken is what a check that is content says.
func taken(json.RawMessage) error { return nil }

func TestAQuestionIsPaidForOnce(t *testing.T) {
	w := newWorld(t)
	m := always(`{"found":[]}`)
	for night := range 3 {
		n := newNight(t, w.cycle(m))
		got, known, err := n.ask(t.Context(), "kind", 1, llm.Request{User: "what is there?"}, taken)
		if err != nil || string(got) != `{"found":[]}` || known != (night > 0) {
			t.Errorf("night %d: %s, known %t, %v", night, got, known, err)
		}
		if want := map[bool]int{true: 0, false: 1}[known]; n.stage.Calls != want {
			t.Errorf("night %d: %d calls, want %d", night, n.stage.Calls, want)
		}
		endNight(t, n)
	}
	n := newNight(t, w.cycle(m))
	for _, r := range []llm.Request{{User: "what else?"}, {User: "what is there?", System: "be brief"}, {User: "what is there?", Schema: json.RawMessage(`{}`)}} {
		if _, known, err := n.ask(t.Context(), "kind", 1, r, taken); known || err != nil {
			t.Errorf("%+v: known %t, %v; want a question of its own", r, known, err)
		}
	}
	if _, known, _ := n.ask(t.Context(), "kind", 2, llm.Request{User: "what is there?"}, taken); known {
		t.Error("an answer to an older prompt counts")
	}
	endNight(t, n)
}

func TestAnAnswerOutlivesTheProcessThatPaid(t *testing.T) {
	w := newWorld(t)
	m := always(`{}`)
	killed := newNight(t, w.cycle(m))
	if _, _, err := killed.ask(t.Context(), "kind", 1, llm.Request{User: "q"}, taken); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(killed.lease(), killed.memo.file.Close()); err != nil { // as the system does for one who is killed
		t.Fatal(err)
	}
	n := newNight(t, w.cycle(m))
	if _, known, err := n.ask(t.Context(), "kind", 1, llm.Request{User: "q"}, taken); !known || err != nil {
		t.Errorf("known %t, %v; want the answer that was paid for", known, err)
	}
	endNight(t, n)
}

func TestARefusedReplyIsAskedForAgainEverMoreSeldom(t *testing.T) {
	w := newWorld(t)
	m := always(`{"bad":true}`)
	var asked []int
	for night := range 40 {
		w.clock = march.AddDate(0, 0, night)
		n := newNight(t, w.cycle(m))
		_, _, err := n.ask(t.Context(), "kind", 1, llm.Request{User: "q"}, func(json.RawMessage) error { return errors.New("no source") })
		switch {
		case errors.Is(err, ErrRejected) && n.stage.Calls == 1 && len(n.stage.Failures) == 1:
			asked = append(asked, night)
		case errors.Is(err, ErrNotYet) && n.stage.Calls == 0 && len(n.stage.Failures) == 0:
		default:
			t.Errorf("night %d: %v, %d calls, failures %q", night, err, n.stage.Calls, n.stage.Failures)
		}
		endNight(t, n)
	}
	// Pauses of 20, 40, 80, 160, 320, 640 hours, each up to the next night.
	if want := []int{0, 1, 3, 7, 14, 28}; !slices.Equal(asked, want) {
		t.Errorf("asked in the nights %v, want %v", asked, want)
	}
}

func TestAServerThatFailsIsAskedOnce(t *testing.T) {
	w := newWorld(t)
	for _, class := range []llm.Class{llm.Down, llm.Unauthorized, llm.Timeout, llm.ServerFault} {
		m := fails(class)
		n := newNight(t, w.cycle(m))
		n.unchanged("part")
		for _, q := range []string{"one", "two", "three"} {
			if _, _, err := n.ask(t.Context(), "kind", 1, llm.Request{User: q}, taken); !errors.Is(err, class) {
				t.Errorf("%s: %v", class, err)
			}
		}
		if m.calls != 1 || len(n.stage.Failures) != 1 || n.stage.Counts["waiting_for_model"] != 3 {
			t.Errorf("%s: %d calls, failures %q, %d wait; want 1, one, 3", class, m.calls, n.stage.Failures, n.stage.Counts["waiting_for_model"])
		}
		endNight(t, n)
		if len(n.state.Parts) != 0 {
			t.Errorf("%s: the part counts as done", class)
		}
	}
}

func TestAUsedUpBudgetIsNoFailure(t *testing.T) {
	w := newWorld(t)
	m := always(`{}`)
	c := w.cycle(llm.Limited(m, &llm.Budget{Calls: 1}))
	n := newNight(t, c)
	n.unchanged("part")
	for i, q := range []string{"one", "two", "three"} {
		_, _, err := n.ask(t.Context(), "kind", 1, llm.Request{User: q}, taken)
		if wait := errors.Is(err, llm.OverBudget); wait != (i > 0) {
			t.Errorf("%s: %v", q, err)
		}
	}
	endNight(t, n)
	if len(n.stage.Failures) != 0 || n.stage.Calls != 1 || n.stage.Counts["waiting_for_model"] != 2 || len(n.state.Parts) != 0 {
		t.Errorf("failures %q, %d wait, parts %v; want none, 2, none", n.stage.Failures, n.stage.Counts["waiting_for_model"], n.state.Parts)
	}
}

func TestADryRunAsksNobody(t *testing.T) {
	w := newWorld(t)
	m := always(`{}`)
	c := w.cycle(m)
	c.DryRun = true
	n := newNight(t, c)
	if _, _, err := n.ask(t.Context(), "kind", 1, llm.Request{User: "q"}, taken); !errors.Is(err, ErrDry) {
		t.Errorf("got %v, want ErrDry", err)
	}
	endNight(t, n)
	if m.calls != 0 || n.stage.Counts["would_ask"] != 1 {
		t.Errorf("%d calls, %d would be asked; want 0, 1", m.calls, n.stage.Counts["would_ask"])
	}
	if _, err := os.Stat(c.State.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder for the state is there: %v", err)
	}
}

// A reply that nobody wants any more goes, though not while others of its kind are not wanted
// either.
func TestRepliesThatNobodyWantsGo(t *testing.T) {
	w := newWorld(t)
	m := always(`{}`)
	ask := func(kind string, questions ...string) (n *night) {
		n = newNight(t, w.cycle(m))
		for _, q := range questions {
			if _, _, err := n.ask(t.Context(), kind, 1, llm.Request{User: q}, taken); err != nil {
				t.Fatal(err)
			}
		}
		endNight(t, n)
		return n
	}
	ask("kind", "old", "new")
	for range keepUnused + 9 {
		ask("other", "x") // no run of this kind
	}
	for range keepUnused {
		ask("kind", "new")
	}
	if n := ask("kind", "old"); n.stage.Calls != 0 {
		t.Errorf("after %d runs without it the reply was gone", keepUnused)
	}
	for range keepUnused + 1 {
		ask("kind", "new")
	}
	if n := ask("kind", "old"); n.stage.Calls != 1 {
		t.Errorf("after %d runs without it the reply was still there", keepUnused+1)
	}
	raw, err := os.ReadFile(filepath.Join(w.cycle(m).State.path, memoFile))
	if n := strings.Count(string(raw), "\n"); err != nil || n != 3 {
		t.Errorf("%d lines are kept, %v; want old, new and x", n, err)
	}
}

// A link in the place of a file of the state leads nowhere: what is behind it is neither read nor
// written.
func TestTheStateFollowsNoLinks(t *testing.T) {
	w := newWorld(t)
	c := w.cycle(always(`{"found":[]}`))
	if err := os.MkdirAll(c.State.path, 0o700); err != nil {
		t.Fatal(err)
	}
	outside := map[string]string{
		memoFile:   `{"key":"abc","kind":"kind","reply":{}}` + "\n",
		stateFile:  `{"format":1,"turn":{"contradictions":"behind"}}`,
		reportFile: `{"id":"behind"}`,
		slotsFile:  `{"cron":"0 3 * * *","done":"2026-03-01T03:00"}`,
	}
	dir := t.TempDir()
	for name, text := range outside {
		if err := errors.Join(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600), os.Symlink(filepath.Join(dir, name), filepath.Join(c.State.path, name))); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := LastReport(c.State); r != nil || err == nil {
		t.Errorf("the report behind a link: %+v, %v", r, err)
	}
	if v := readSlots(c.State); v != (slots{}) {
		t.Errorf("the schedule behind a link: %+v", v)
	}
	n := newNight(t, c)
	if len(n.state.Turn) > 0 || len(n.memo.replies) > 0 {
		t.Errorf("read through links: turn %v, %d replies", n.state.Turn, len(n.memo.replies))
	}
	if _, _, err := n.ask(t.Context(), "kind", 1, llm.Request{User: "q"}, taken); err != nil {
		t.Error(err)
	}
	endNight(t, n)
	for name, text := range outside {
		if raw, err := os.ReadFile(filepath.Join(dir, name)); string(raw) != text {
			t.Errorf("%s, to which a link led, is now %q, %v", name, raw, err)
		}
	}
	if readMemo(c.State).replies[n.question("kind", 1, llm.Request{User: "q"})] == nil {
		t.Error("the reply is not kept")
	}
}

// A folder that a link leads out of the root is none, whichever part of its path is the link.
func TestTheStateLiesInTheRoot(t *testing.T) {
	for _, link := range []string{".brain", ".brain/dream", ".brain/dream/test"} {
		root, outside := store.Root{Dir: t.TempDir()}, t.TempDir()
		name := filepath.Join(root.Dir, link)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.Symlink(outside, name)); err != nil {
			t.Fatal(err)
		}
		if f, err := FolderOf(root, "test"); !errors.Is(err, ErrOutside) {
			t.Errorf("%s is a link that leads out: %v, %v", link, f, err)
		}
		inside := filepath.Join(root.Dir, "kept")
		if err := errors.Join(os.Remove(name), os.Mkdir(inside, 0o700), os.Symlink(inside, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := FolderOf(root, "test"); err != nil {
			t.Errorf("%s is a link within the root: %v", link, err)
		}
	}
}

// L11
func TestAClockThatIsSetBackGivesNoNegativeTimes(t *testing.T) {
	w := newWorld(t)
	c := w.cycle(nil)
	c.Told = func(StageReport) { w.clock = w.clock.Add(-time.Hour) }
	r := w.dream(c)
	if r.Took < 0 || slices.ContainsFunc(r.Stages, func(s StageReport) bool { return s.Took < 0 }) {
		t.Errorf("took %s, stages %v", r.Took, r.Stages)
	}
}
