package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"brain/dream"
	"brain/llm"
)

type dreamFlags struct {
	stages              []string
	budget, since       string
	mode, language      string
	schedule, due       string
	dryRun, detach, yes bool
}

func dreamCommand() *command {
	var f dreamFlags
	return &command{
		name: "dream", group: groupKeep, max: 0, schema: "dream",
		short: "the nightly upkeep, in five stages",
		long: `Runs five stages, always in this order: lint looks for what is wrong with pages and links, sync brings the index up to date, distill makes pages of what was said and experiences of what was learned often, contradictions puts what cannot both hold before a person, orphans names what nothing leads to. Each says what it looked at, changed and left; one that fails hinders no other.

No page and no session is deleted, and no text of a person is replaced. A fact of an agent goes only by the rules that the agent's memory has anyway (room, age, merging), and brain undo and brain fact restore have it for 90 days. What did not change since the last run is not looked at again, by a model least of all: a second run writes nothing. Without a model (llm.provider: off, or --mode rules) rules decide, and nothing is invented. At most dream.budget_calls questions and dream.budget_tokens are spent; what is left waits for the next run. --dry-run changes nothing below the brain, asks no model, and says what a run would do; like a question it brings the index up to date, and where .brain cannot be written it makes one for itself and removes it.

One Dream of a brain runs at a time. --schedule stays and runs each time that a cron expression names, once however the clock is set, and once for all that were missed; --due runs only if such a time has not had its run yet, and is meant for timers: brain dream install writes them. The times follow the clock of this machine. With --json the report of the run; with --schedule a line for each. doc/dream.md tells the whole story.`,
		examples: []string{
			"brain dream --dry-run", "brain dream", "brain dream --stages lint,sync", "brain dream --budget calls=20,tokens=50000 --since 7d",
			`brain dream --schedule "0 3 * * *"`, "brain dream --detach", "brain dream report",
		},
		exits: []exitNote{
			{exitNotFound, "no memory root or brain"},
			{exitBusy, "another process dreams of this brain; the message says which, and since when"},
			{exitEnvironment, "a stage failed, or the diary, or what is remembered cannot be kept; the report says why, and the others ran"},
		},
		flags: func(fs *pflag.FlagSet) {
			fs.StringSliceVar(&f.stages, "stages", nil, "only these `STAGES`, with commas between; they run in their own order")
			fs.BoolVar(&f.dryRun, "dry-run", false, "change nothing below the brain, ask no model, and say what a run would do")
			fs.StringVar(&f.budget, "budget", "", "most requests and tokens of the run, as in `calls=20,tokens=50000`; else dream.budget_calls and dream.budget_tokens")
			fs.StringVar(&f.since, "since", "", "distill and contradictions look only at what changed since `DATE`: 2026-11-01, or 7d ago")
			fs.StringVar(&f.schedule, "schedule", "", "stay, and run at the times of the cron expression `CRON`")
			fs.StringVar(&f.due, "due", "", "run only if the last time of the cron expression `CRON` has not had its run")
			fs.BoolVar(&f.detach, "detach", false, "go on in the background: doc/jobs.md")
			fs.StringVar(&f.mode, "mode", "", "auto, rules or model, for this run: see compile.mode")
			fs.StringVar(&f.language, "language", "", "`LANGUAGE` in which a model writes, for this run")
			yesFlag(fs, &f.yes)
		},
		run: func(ctx context.Context, a *app, _ []string) error { return a.dream(ctx, &f) },
		sub: []*command{dreamReportCommand(), dreamInstallCommand()},
	}
}

// check refuses what cannot be meant, before anything is opened.
func (f *dreamFlags) check(a *app) error {
	switch {
	case a.changed("stages") && len(f.stages) == 0:
		return usage("--stages: none is named", "the stages are "+strings.Join(dream.Stages, ", "))
	case a.changed("schedule") && a.changed("due"):
		return usage("--schedule and --due", "one at a time: --schedule stays, --due is for a timer")
	case f.dryRun && (a.changed("schedule") || a.changed("due")):
		return usage("--dry-run shows what a run would do now: it takes no --schedule and no --due", "")
	case f.dryRun && f.detach:
		return usage("--detach goes on in the background: it has nobody to show a --dry-run to", "")
	}
	for i, name := range f.stages {
		f.stages[i] = strings.TrimSpace(name)
	}
	if _, err := parseDate("since", f.since, time.Now()); err != nil {
		return err
	}
	if _, _, err := parseBudget(f.budget); err != nil {
		return err
	}
	return dream.CheckStages(f.stages)
}

// cron is the schedule of the flags, nil where none is given. An empty one, such as a timer has
// whose variable is not set, is refused like any other that is no schedule.
func (f *dreamFlags) cron(a *app) (*dream.Schedule, error) {
	for flag, expr := range map[string]string{"schedule": f.schedule, "due": f.due} {
		if !a.changed(flag) {
			continue
		}
		s, err := dream.ParseSchedule(expr)
		if err != nil {
			err = fmt.Errorf("--%s: %w", flag, err)
		}
		return s, err
	}
	return nil, nil
}

// parseBudget reads "calls=20,tokens=50000"; what is not named is 0.
func parseBudget(given string) (calls, tokens int, err error) {
	if given == "" {
		return 0, 0, nil
	}
	for part := range strings.SplitSeq(given, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		n, bad := strconv.Atoi(strings.TrimSpace(value))
		into := map[string]*int{"calls": &calls, "tokens": &tokens}[strings.TrimSpace(name)]
		if into == nil || bad != nil || n < 1 || *into != 0 {
			return 0, 0, usage(fmt.Sprintf("--budget: %q is none", given), "write --budget calls=20,tokens=50000, or one of the two, from 1; --mode rules asks no model")
		}
		*into = n
	}
	return calls, tokens, nil
}

func (a *app) dream(ctx context.Context, f *dreamFlags) error {
	if err := f.check(a); err != nil {
		return err
	}
	s, err := f.cron(a)
	switch {
	case err != nil:
		return err
	case f.detach:
		return a.dreamApart(ctx, f)
	case f.schedule != "":
		return a.dreamNightly(ctx, f, s)
	}
	out := &dreaming{a: a, f: f}
	_, err = out.run(ctx, s)
	return err
}

// dreamApart dreams in the background. Whether it may is found out here, where somebody
// can be asked.
func (a *app) dreamApart(ctx context.Context, f *dreamFlags) error {
	o, err := a.openToWrite(f.yes)
	if err == nil {
		_, _, err = a.chooseModel(o, cmp.Or(f.mode, o.settings.CompileMode))
	}
	if err != nil {
		return err
	}
	args := []string{"dream", "--yes"}
	for flag, value := range map[string]string{"--stages": strings.Join(f.stages, ","), "--budget": f.budget, "--since": f.since, "--schedule": f.schedule, "--due": f.due, "--mode": f.mode, "--language": f.language} {
		if value != "" {
			args = append(args, flag, value)
		}
	}
	id, err := a.detach(ctx, "dream", args)
	if err != nil {
		return err
	}
	return a.tellDetached(o.root, id)
}

// dreamState is the folder for what Dream remembers of a brain.
func (o *opened) dreamState() (dream.Folder, error) {
	f, err := dream.FolderOf(o.root, o.st.Name())
	if err != nil {
		err = &failure{code: exitUsage, text: "brain " + o.st.Name(), cause: err, hint: "remove the link; what Dream remembers comes back by itself"}
	}
	return f, err
}

// openToDream opens the brain; a dry run may look at one that may not be written.
func (a *app) openToDream(f *dreamFlags) (*opened, error) {
	if f.dryRun {
		o, err := a.open()
		if err == nil {
			err = a.indexAside(o)
		}
		return o, err
	}
	o, err := a.openToWrite(f.yes)
	if err == nil {
		o.oneEntry()
	}
	return o, err
}

// cycle makes ready what a run needs.
func (a *app) cycle(ctx context.Context, o *opened, f *dreamFlags) (*dream.Cycle, error) {
	state, err := o.dreamState()
	if err != nil {
		return nil, err
	}
	e, err := a.engine(o)
	if err != nil {
		return nil, err
	}
	pack, err := o.pack()
	if err != nil {
		return nil, err
	}
	box, err := a.box(o)
	if err != nil {
		return nil, err
	}
	mode := cmp.Or(f.mode, o.settings.CompileMode)
	model, prompts, err := a.chooseModel(o, mode)
	if err != nil {
		return nil, err
	}
	calls, tokens, err := parseBudget(f.budget)
	if err != nil {
		return nil, err
	}
	since, err := parseDate("since", f.since, time.Now())
	if err != nil {
		return nil, err
	}
	s := &o.settings.Dream
	calls = cmp.Or(calls, s.BudgetCalls)
	if model != nil {
		model = llm.Limited(model, &llm.Budget{Calls: calls, Tokens: cmp.Or(tokens, s.BudgetTokens)})
	}
	return &dream.Cycle{
		Store: o.st, Box: box, Pack: pack, Index: e.ix, Searcher: e.searcher(), Embedder: e.embedder, Facts: a.facts(ctx, o),
		Completer: model, Prompts: prompts, Language: cmp.Or(f.language, o.settings.CompileLanguage), State: state,
		Options: dream.Options{
			Stages: f.stages, DryRun: f.dryRun, Since: since, MinSources: s.MinSources, MaxPairs: s.MaxPairs, Layers: s.Layers, MostLayers: (calls + 1) / 2, Diary: s.Diary, FixLint: s.FixLint,
			Debounce: o.settings.CaptureDebounce, MaxWait: o.settings.CaptureMaxWait, Parallel: o.settings.CompileParallel, Fallback: mode == "auto", AgentsOff: o.settings.AgentsOff,
		},
	}, nil
}

// dreaming is one run of the command.
type dreaming struct {
	a       *app
	f       *dreamFlags
	nightly bool  // a line tells of the run
	mute    error // why nothing more can be told
}

// run opens the brain, dreams, and tells of it. A stage that failed is an error.
func (d *dreaming) run(ctx context.Context, s *dream.Schedule) (*dream.Report, error) {
	a := d.a
	o, err := a.openToDream(d.f)
	if err != nil {
		return nil, err
	}
	c, err := a.cycle(ctx, o, d.f)
	if err != nil {
		return nil, err
	}
	c.Schedule = s
	if !d.f.dryRun {
		if err := reclaimJobs(o.root); err != nil {
			a.warn("jobs that died are not noted: %s", plain(err.Error()))
		}
	}
	bar := a.progress(o.st.Name())
	done, all := 0, cmp.Or(len(d.f.stages), len(dream.Stages))
	c.Progress = func(stage string, done, total int) { bar.draw(stage, done, total) }
	c.Told = func(r dream.StageReport) {
		bar.wipe()
		done++
		a.tellJob(jobProgress{Done: done, Total: all})
		d.tellStage(&r)
	}
	r, err := c.Run(ctx)
	bar.wipe()
	if r != nil && !d.f.dryRun {
		a.endEntry(ctx, o, len(changes(r)) > 0)
	}
	switch {
	case errors.Is(err, dream.ErrNotDue):
		return r, d.notDue(o, c)
	case err != nil:
		return r, err
	}
	return r, d.tell(r)
}
