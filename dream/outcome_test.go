package dream

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"brain/page"
	"brain/store"
)

const handPath = "experiences/by-hand.md"

func handmade(more ...string) string {
	return lines(append(append([]string{"---", "title: 先观察再拒绝", "schema_type: experience"}, more...), "---", "", "适用：新的限制。", "", "做法：先观察一周。")...)
}

// S12
func TestWhatHelpedTwiceIsProposedAsASkillOnce(t *testing.T) {
	w := newWorld(t)
	w.write(handPath, handmade())
	if told := w.report(handPath, Outcome{Success: true}); told.Experience.Eta != 0.6 || told.Experience.Support != 1 || told.Skill != "" {
		t.Errorf("%+v", told)
	}
	told := w.report(handPath, Outcome{Success: true})
	const skill = "skills/先观察再拒绝/SKILL.md"
	if told.Experience.Eta != 0.7 || told.Experience.Support != 2 || told.Skill != skill || !slices.Contains(told.Paths, page.Path(skill)) {
		t.Fatalf("%+v", told)
	}
	p := w.page(skill)
	s := ReadExperience(p)
	if p.Status != page.Candidate || p.Description != "新的限制。" || s.Trigger != "新的限制。" || s.Procedure != "先观察一周。" || s.Verification != "已成功 2 次（eta 0.7）。" || p.Title != "先观察再拒绝（技能）" {
		t.Errorf("%s", p.Raw)
	}
	for _, gone := range []func(){
		func() { w.report(handPath, Outcome{Success: true}) },
		func() {
			if err := os.Remove(w.dir + "/" + skill); err != nil {
				t.Fatal(err)
			}
			w.report(handPath, Outcome{Success: true})
			w.dream(w.cycle(nil), Distill)
			if _, err := os.Stat(w.dir + "/" + skill); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("it came back: %v", err)
			}
		},
	} {
		if gone(); ReadExperience(w.page(handPath)).Skill == "" {
			t.Errorf("%s", w.read(handPath))
		}
	}
}

func TestEtaKeepsWithinItsBounds(t *testing.T) {
	w := newWorld(t)
	w.write(handPath, handmade("eta: 0.95", "support: 9  # by hand"))
	for _, c := range []struct {
		success bool
		eta     float64
		support int
		failed  int
	}{{true, 1, 10, 0}, {false, 0.8, 10, 1}, {false, 0.6, 10, 2}, {false, 0.4, 10, 3}, {false, 0.2, 10, 4}, {false, 0, 10, 5}, {false, 0, 10, 6}, {true, 0.1, 11, 6}} {
		w.clock = w.clock.Add(1e9)
		x := w.report(handPath, Outcome{Success: c.success, Note: "it  broke:\nbadly", By: "marlin"}).Experience
		if x.Eta != c.eta || x.Support != c.support || x.Failed != c.failed {
			t.Errorf("%+v: eta %v, support %d, %d failed", c, x.Eta, x.Support, x.Failed)
		}
	}
	raw := w.read(handPath)
	if !strings.Contains(raw, "eta: 0.1\n") || !strings.Contains(raw, "support: 11  # by hand\n") || !strings.Contains(raw, `  - "2026-03-02T03:00:02Z marlin: it broke: badly"`+"\n") {
		t.Errorf("%s", raw)
	}
}

func TestACounterExampleStopsAnExperienceFromMaturing(t *testing.T) {
	w := newWorld(t)
	w.write(handPath, handmade("eta: 0.9", "support: 5", "counter_examples: [{text: it broke, at: 2026-01-01}]"))
	if told := w.report(handPath, Outcome{Success: true}); told.Skill != "" || told.Experience.Failed != 1 {
		t.Errorf("%+v", told)
	}
	w.write(handPath, handmade("eta: 0.9", "support: 5"))
	if r := w.dream(w.cycle(nil), Distill); len(stage(t, r, Distill).Changed) != 1 {
		t.Errorf("%+v", r.Stages)
	}
	tree := w.tree()
	if w.dream(w.cycle(nil), Distill); w.tree() != tree {
		t.Error("the second night changed something")
	}
}

// A figure under df-memory's name keeps that name.
func TestFiguresOfDfMemoryAreReadAndKept(t *testing.T) {
	w := newWorld(t)
	w.write(handPath, lines("---", "title: A", "schema_type: experience", "eta_score: 0.6", "support: 1", "trigger: when a, b", "procedure: do c", "boundary: not d",
		"source_paths:", "  - sources/a/issues/1/lessons.md", "counter_examples: []", "---", "", "Text."))
	x := ReadExperience(w.page(handPath))
	if x.Eta != 0.6 || x.Support != 1 || x.Trigger != "when a, b" || x.Procedure != "do c" || x.Boundary != "not d" || x.Failed != 0 || !slices.Equal(x.Sources, []string{"sources/a/issues/1/lessons.md"}) {
		t.Errorf("%+v", x)
	}
	told := w.report(handPath, Outcome{Success: true})
	if told.Experience.Eta != 0.7 || !strings.Contains(w.read(handPath), "eta_score: 0.7\n") || strings.Contains(w.read(handPath), "\neta:") || told.Skill == "" {
		t.Errorf("%+v\n%s", told, w.read(handPath))
	}
}

func TestAnOutcomeOfASkillCountsForItsExperience(t *testing.T) {
	w := newWorld(t)
	w.write(handPath, handmade("eta: 0.7", "support: 1"))
	skill := w.report(handPath, Outcome{Success: true}).Skill
	before := w.read(string(skill))
	if x := w.report(string(skill), Outcome{Note: "x"}).Experience; x.Path != handPath || x.Failed != 1 || x.Eta != 0.6 || w.read(string(skill)) != before {
		t.Errorf("%+v", x)
	}
	w.write("notes/a.md", "# A\n")
	if _, err := ReportOutcome(context.Background(), w.st, nil, "notes/a.md", Outcome{At: w.clock}); !errors.Is(err, ErrNoExperience) {
		t.Errorf("of a note: %v", err)
	}
	if _, err := ReportOutcome(context.Background(), w.st, nil, "notes/b.md", Outcome{At: w.clock}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("of no page: %v", err)
	}
}

func TestASkillThatWasPurgedDoesNotComeBack(t *testing.T) {
	w := newWorld(t)
	w.write(handPath, handmade("eta: 0.7", "support: 1"))
	skill := w.report(handPath, Outcome{Success: true}).Skill
	if _, err := w.st.PurgePage(context.Background(), skill, store.HashOf([]byte(w.read(string(skill)))), w.clock); err != nil {
		t.Fatal(err)
	}
	w.write(handPath, handmade("eta: 0.7", "support: 2")) // and forgets that it had one
	tree := w.tree()
	if w.dream(w.cycle(nil), Distill); w.tree() != tree {
		t.Errorf("%s", w.read(handPath))
	}
	c := w.cycle(nil)
	c.DryRun = true
	if s := stage(t, w.dream(c, Distill), Distill); len(s.Changed) != 0 {
		t.Errorf("a dry run would do %v", s.Changed)
	}
}

// Two experiences of one title make two skills.
func TestASkillTakesAFreeName(t *testing.T) {
	w := newWorld(t)
	w.write(handPath, handmade("eta: 0.7", "support: 1"))
	w.write("experiences/other.md", handmade("eta: 0.7", "support: 1"))
	one, two := w.report(handPath, Outcome{Success: true}).Skill, w.report("experiences/other.md", Outcome{Success: true}).Skill
	if one != "skills/先观察再拒绝/SKILL.md" || two != "skills/先观察再拒绝-2/SKILL.md" || !strings.Contains(w.read(string(two)), "\nname: 先观察再拒绝-2\n") {
		t.Errorf("%s, %s", one, two)
	}
}
