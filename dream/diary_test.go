package dream

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mended is a page that the lint stage changes.
const mended = "---\ntitle: Heron: a bird\n---\nA heron.\n"

func (w *world) diarist() *Cycle {
	c := w.cycle(nil)
	c.Options.Diary, c.Options.FixLint = true, true
	return c
}

func TestTheDiaryTellsOfANightInWhichSomethingWasChanged(t *testing.T) {
	w := newWorld(t)
	w.write("notes/heron.md", mended)
	r := w.dream(w.diarist(), Lint) // on 3 March
	if len(r.Stages[0].Changed) != 1 {
		t.Fatalf("lint changed %v, want the page", r.Stages[0].Changed)
	}
	want := "---\ntitle: Night of 2026-03-03\ngenerated: brain\n---\n\n## Changed\n\n- `notes/heron.md`: mended\n"
	if got := w.read("diary/2026-03-03.md"); !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant at the beginning\n%s", got, want)
	}
	tree := w.tree()
	w.clock = w.clock.AddDate(0, 0, -1)
	w.dream(w.diarist(), Lint)
	if w.tree() != tree {
		t.Error("a second run in the night, which changed nothing, wrote something")
	}
	w.dream(w.diarist()) // the next night, with all stages
	if w.tree() != tree {
		t.Error("a night without a change has a diary, or the diary was an input")
	}
}

// One page a night: a second run that changes something adds to its list.
func TestASecondRunOfANightAddsToItsDiary(t *testing.T) {
	w := newWorld(t)
	w.write("notes/heron.md", mended)
	w.dream(w.diarist(), Lint)
	w.write("notes/egret.md", strings.ReplaceAll(mended, "eron", "gret"))
	w.clock = w.clock.AddDate(0, 0, -1)
	w.dream(w.diarist(), Lint)
	got := w.read("diary/2026-03-03.md")
	for _, line := range []string{"\n- `notes/heron.md`: mended\n", "\n- `notes/egret.md`: mended\n"} {
		if strings.Count(got, line) != 1 {
			t.Errorf("%q is not there once:\n%s", line, got)
		}
	}
}

func TestTheDiaryOfAPersonIsLeftAlone(t *testing.T) {
	w := newWorld(t)
	w.write("notes/heron.md", mended)
	mine := "# Monday\n\nI saw a heron.\n"
	w.write("diary/2026-03-03.md", mine)
	w.dream(w.diarist(), Lint)
	if got := w.read("diary/2026-03-03.md"); got != mine {
		t.Errorf("the person's page is now\n%s", got)
	}
	if !w.page("diary/2026-03-03-dream.md").Generated {
		t.Error("brain's own has no page beside it")
	}
	w.write("notes/egret.md", strings.ReplaceAll(mended, "eron", "gret"))
	w.write("diary/2026-03-04.md", mine)
	w.write("diary/2026-03-04-dream.md", mine)
	w.write("diary/2026-03-04-dream-2.md", mine)
	if r := w.dream(w.diarist(), Lint); !r.OK || !w.page("diary/2026-03-04-dream-3.md").Generated {
		t.Errorf("%+v; want brain's own beside three pages of a person", r)
	}
	for _, name := range []string{"", "-dream", "-dream-2"} {
		if got := w.read("diary/2026-03-04" + name + ".md"); got != mine {
			t.Errorf("the person's page %q is now\n%s", name, got)
		}
	}
}

// What the stages did is told all the same.
func TestADiaryThatCannotBeWrittenIsLeftOut(t *testing.T) {
	w := newWorld(t)
	w.write("notes/heron.md", mended)
	w.write("diary", "A file.\n")
	c := w.diarist()
	r := w.dream(c)
	if r.OK || len(r.Failures) != 1 || !strings.Contains(r.Failures[0], "diary") || len(r.Stages) != 5 || len(r.Stages[0].Changed) != 1 || !r.Stages[0].OK {
		t.Errorf("%+v; want all of the report, and that the diary failed", r)
	}
	if kept, err := LastReport(c.State); err != nil || len(kept.Failures) != 1 {
		t.Errorf("kept is %+v, %v", kept, err)
	}
}

// What is added to the page of a night, anywhere in it, is not lost by a second run.
func TestADiaryThatAPersonWroteIntoIsTheirs(t *testing.T) {
	for _, add := range [...]struct{ old, now string }{
		{"mended\n", "mended\n\nI saw it, too.\n"},
		{"\n- distill", "\n- buy binoculars\n- distill"},
		{"---\n\n## Changed", "tags: [birds]\n---\n\n## Changed"},
		{"\n- distill: 1\n", "\n- distill: 1\n\n## Mine\n\n- a walk\n"},
	} {
		run := func(page string) *Report {
			return &Report{Stages: []StageReport{{Stage: Lint, OK: true, Changed: []Change{{page, "mended"}}},
				{Stage: Distill, OK: true, Left: []Left{{What: "it"}}}}}
		}
		w := newWorld(t)
		const at, beside = "diary/2026-03-02.md", "diary/2026-03-02-dream.md"
		tell := func(r *Report) {
			n := newNight(t, w.diarist())
			n.report.Stages = r.Stages
			if err := n.diary(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := n.end(); err != nil {
				t.Fatal(err)
			}
		}
		tell(run("a.md"))
		mine := strings.Replace(w.read(at), add.old, add.now, 1)
		if mine == w.read(at) {
			t.Fatalf("nothing was added to\n%s", mine)
		}
		w.write(at, mine)
		tell(run("b.md"))
		tell(run("c.md"))
		if got := w.read(at); got != mine {
			t.Errorf("%q: it is now\n%s", add.now, got)
		}
		if got := w.read(beside); !strings.Contains(got, "`b.md`") || !strings.Contains(got, "`c.md`") {
			t.Errorf("%q: beside it stands\n%s", add.now, got)
		}
	}
}

// The list is cut where it grows long, and stays brain's own.
func TestALongDiaryIsStillBrainsOwn(t *testing.T) {
	r := &Report{Stages: []StageReport{{Stage: Lint}}}
	for i := range maxDiary + 5 {
		r.Stages[0].Changed = append(r.Stages[0].Changed, Change{fmt.Sprintf("n%d.md", i), "mended"})
	}
	raw, err := diaryBytes(r, "2026-03-03", nil)
	if err != nil || !diaryOurs("2026-03-03", raw) {
		t.Errorf("%v; not taken for brain's own:\n%s", err, raw)
	}
	r.Stages[0].Changed = []Change{{"more.md", "mended"}}
	again, err := diaryBytes(r, "2026-03-03", raw)
	if err != nil || string(again) != string(raw) {
		t.Errorf("%v; got\n%s", err, again)
	}
}

func TestADryRunAndNoDiaryWriteNone(t *testing.T) {
	w := newWorld(t)
	w.write("notes/heron.md", mended)
	dry := w.diarist()
	dry.DryRun = true
	w.dream(dry, Lint)
	off := w.diarist()
	off.Options.Diary = false
	w.dream(off, Lint)
	if _, err := os.Stat(filepath.Join(w.dir, "diary")); !os.IsNotExist(err) {
		t.Errorf("there is a diary: %v", err)
	}
}

// All agents may read the diary, so it says nothing of one that the others do not know.
func TestTheDiaryKeepsWhatAgentsKnowToThem(t *testing.T) {
	r := &Report{Stages: []StageReport{{Stage: Distill, OK: true, Left: []Left{{What: "secret"}}, Changed: []Change{
		{"agents/coder/facts/aa/x.md", "aged fact removed: secret"}, {"sessions/2026-03/s/messages.jsonl", "session compiled"},
		{"entities/a`b.md", "superseded: secret"},
	}}, {Stage: Orphans}}}
	raw, err := diaryBytes(r, "2026-03-03", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "## Changed\n\n- `entities/a'b.md`: superseded\n- what agents know of the user: 2 changes\n\n## Left to look at\n\n- distill: 1\n- orphans failed\n"
	if !strings.HasSuffix(string(raw), want) {
		t.Errorf("got\n%s\nwant at the end\n%s", raw, want)
	}
	again, err := diaryBytes(r, "2026-03-03", raw)
	if err != nil || string(again) != string(raw) {
		t.Errorf("%v; the same again gives\n%s", err, again)
	}
}
