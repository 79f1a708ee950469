package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"brain/dream"
	"brain/page"
	"brain/store"
)

func skillCommand() *command {
	return &command{
		name: "skill", group: groupKeep,
		short:    "skills: what proved itself, and what came of it",
		long:     "A skill is a page that tells an agent how to do something: skills/NAME/SKILL.md. Dream proposes one when an experience proved itself; it is in no answer until it is activated here. Skills that were written by hand are active from the first. doc/experiences.md tells how lessons become experiences and those become skills.",
		examples: []string{"brain skill list", "brain skill activate raise-a-limit", `brain skill outcome raise-a-limit failure --note "the tenant had no end date"`},
		sub:      []*command{skillListCommand(), skillActivateCommand(), skillOutcomeCommand(), skillArchiveCommand()},
	}
}

func skillListCommand() *command {
	var all bool
	return &command{
		name: "list", max: 0, schema: "skill-list",
		short:    "list the skills",
		long:     "Lists the skills that are active and those that wait to be, candidates first, with how far the experience behind each is trusted: eta from 0 to 1, how often it helped (support) and how often it failed. --all lists archived ones, too.",
		examples: []string{"brain skill list", "brain skill list --all --json"},
		exits:    []exitNote{{exitNegative, "there is none"}, {exitNotFound, "no memory root or brain"}},
		flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&all, "all", false, "also those that were archived")
		},
		run: func(ctx context.Context, a *app, _ []string) error { return a.skillList(ctx, all) },
	}
}

// skillJSON is one skill.
type skillJSON struct {
	Name        string  `json:"name"`
	Path        string  `json:"path"`
	Title       string  `json:"title"`
	Description string  `json:"description"`
	Status      string  `json:"status"`
	Experience  string  `json:"experience"` // path of the one that it was made of, "" for none
	Eta         float64 `json:"eta"`        // of that, else its own, as the others
	Support     int     `json:"support"`
	Failed      int     `json:"failed"`
}

type skillListJSON struct {
	Brain  string      `json:"brain"`
	Skills []skillJSON `json:"skills"`
}

func (a *app) skillList(ctx context.Context, all bool) error {
	e, v, err := a.openView(ctx)
	if err != nil {
		return err
	}
	defer v.Release()
	j := skillListJSON{e.st.Name(), []skillJSON{}}
	links := v.For(a.self())
	for row := range v.All {
		p := v.Page(row)
		if p.Type != "skill" || p.Redirect != "" || !links.Sees(row) || !all && p.Status != page.Candidate && page.Retired(p.Status) {
			continue
		}
		s, err := readSkill(ctx, e.st, p.Path)
		if is(store.ErrNotFound)(err) {
			continue
		}
		if err != nil {
			return err
		}
		j.Skills = append(j.Skills, s)
	}
	slices.SortFunc(j.Skills, func(x, y skillJSON) int {
		return cmp.Or(cmp.Compare(skillOrder(x.Status), skillOrder(y.Status)), cmp.Compare(x.Path, y.Path))
	})
	if a.global.json {
		err = a.json(j)
	} else {
		err = a.print("%s", j.text())
	}
	if err == nil && len(j.Skills) == 0 {
		return errNegative
	}
	return err
}

// skillOrder puts what waits for a person first and what is over last.
func skillOrder(status string) int {
	switch {
	case status == page.Candidate:
		return 0
	case page.Retired(status):
		return 2
	}
	return 1
}

func readSkill(ctx context.Context, st *store.Store, at page.Path) (s skillJSON, err error) {
	read := func(p page.Path) ([]byte, error) { return st.Read(ctx, p) }
	raw, err := read(at)
	if err != nil {
		return s, err
	}
	p := page.Parse(at, raw)
	skill := dream.ReadExperience(p)
	from, err := skill.Origin(read)
	if err != nil {
		return s, err
	}
	s = skillJSON{dream.SkillName(at), string(at), p.Title, p.Description, p.Status, "", from.Eta, from.Support, from.Failed}
	if from != skill {
		s.Experience = string(from.Path)
	}
	return s, nil
}

func (j *skillListJSON) text() string {
	if len(j.Skills) == 0 {
		return "no skills\n"
	}
	var b strings.Builder
	for _, s := range j.Skills {
		fmt.Fprintf(&b, "%-10s %s  %s (eta %.2f, helped %s, failed %s)\n", s.Status, plain(s.Name), plain(s.Title), s.Eta, times(s.Support), times(s.Failed))
		if s.Description != "" {
			fmt.Fprintf(&b, "           %s\n", plain(s.Description))
		}
	}
	return b.String()
}

func times(n int) string { return count(n, "time") }

func skillActivateCommand() *command {
	return skillStatusCommand("activate", "active", "put a skill to use",
		"Makes a candidate active: from now on it is found, before all other kinds of pages where they are equally good. An archived skill can be activated, too.")
}

func skillArchiveCommand() *command {
	return skillStatusCommand("archive", "archived", "reject a candidate, or take a skill out of use",
		"Archives a skill: it stays where it is and is in no answer. Its experience proposes no other.")
}

// skillStatusCommand gives a skill another status.
func skillStatusCommand(name, status, short, long string) *command {
	var yes bool
	return &command{
		name: name, args: "NAME", min: 1, max: 1, schema: "edit", short: short,
		long:     long + " NAME is the skill's name, title or path; one that has the status already is no change.",
		examples: []string{"brain skill " + name + " raise-a-limit"},
		exits:    changing(exitNote{exitUsage, "the page is no skill"}),
		flags:    func(fs *pflag.FlagSet) { yesFlag(fs, &yes) },
		run: func(ctx context.Context, a *app, args []string) error {
			return a.skillStatus(ctx, args[0], status, yes)
		},
	}
}

func (a *app) skillStatus(ctx context.Context, name, status string, yes bool) error {
	o, err := a.openToWrite(yes)
	if err != nil {
		return err
	}
	p, err := a.found(ctx, o, name)
	if err != nil {
		return err
	}
	e, err := o.st.EditPage(ctx, store.Edit{Reason: "skill", Path: p, Now: time.Now(), Changes: func(old *page.Page) ([]page.Change, error) {
		if old.Type != "skill" {
			return nil, usage(fmt.Sprintf("%s is of type %s: no skill", plain(string(p)), plain(old.Type)), "`brain skill list --all` names them")
		}
		if old.Status == status {
			return nil, nil
		}
		return []page.Change{page.SetText("status", status)}, nil
	}})
	if err != nil {
		return err
	}
	a.touch(ctx, o, e.Receipt)
	return a.printChange(o, p, e)
}

func skillOutcomeCommand() *command {
	var note string
	var yes bool
	return &command{
		name: "outcome", args: "NAME success|failure", min: 2, max: 2, schema: "skill-outcome",
		short: "tell what came of following a skill or an experience",
		long: `Counts a success or a failure for the experience NAME, or for the one that the skill NAME was made of: a success adds 0.1 to its eta (at most 1) and 1 to its support, a failure takes 0.2 (at least 0) and adds a counter-example, with --note as what happened. A skill that was made of no experience keeps the figures itself.

An experience with eta of at least 0.7, support of at least 2 and no counter-example is mature: a skill is made of it at once, as a candidate.`,
		examples: []string{"brain skill outcome raise-a-limit success", `brain skill outcome experiences/exp-sluice.md failure --note "the tenant had no end date"`},
		exits:    changing(exitNote{exitUsage, "neither success nor failure, or the page is neither a skill nor an experience"}),
		flags: func(fs *pflag.FlagSet) {
			fs.StringVar(&note, "note", "", "what happened, a line of `TEXT`")
			yesFlag(fs, &yes)
		},
		run: func(ctx context.Context, a *app, args []string) error {
			return a.skillOutcome(ctx, args[0], args[1], note, yes)
		},
	}
}

type skillOutcomeJSON struct {
	Brain   string  `json:"brain"`
	Path    string  `json:"path"` // of the page that has the figures
	Outcome string  `json:"outcome"`
	Eta     float64 `json:"eta"`
	Support int     `json:"support"`
	Failed  int     `json:"failed"`
	Mature  bool    `json:"mature"`
	Skill   string  `json:"skill"` // that was proposed now, "" for none
	Job     string  `json:"job"`
}

func (a *app) skillOutcome(ctx context.Context, name, outcome, note string, yes bool) error {
	success := outcome == "success"
	if !success && outcome != "failure" {
		return usage(fmt.Sprintf("outcome %q", outcome), "write success or failure")
	}
	o, err := a.openToWrite(yes)
	if err != nil {
		return err
	}
	p, err := a.found(ctx, o, name)
	if err != nil {
		return err
	}
	pack, err := o.pack()
	if err != nil {
		return err
	}
	told, err := dream.ReportOutcome(ctx, o.st, pack, p, dream.Outcome{Success: success, Note: note, By: cmp.Or(a.agent(), "user"), At: time.Now()})
	if err != nil {
		return err
	}
	a.touch(ctx, o, told.Receipt)
	x := told.Experience
	j := skillOutcomeJSON{o.st.Name(), string(x.Path), outcome, x.Eta, x.Support, x.Failed, x.Mature(), string(told.Skill), told.Job}
	if a.global.json {
		return a.json(j)
	}
	return a.print("%s", j.text())
}

func (j *skillOutcomeJSON) text() string {
	s := fmt.Sprintf("%s: eta %.2f, helped %s, failed %s\n", plain(j.Path), j.Eta, times(j.Support), times(j.Failed))
	if j.Skill != "" {
		s += fmt.Sprintf("a skill is proposed: %s\nbrain skill activate %s\n", plain(j.Skill), plain(dream.SkillName(page.Path(j.Skill))))
	}
	return s + undoLine(j.Job)
}
