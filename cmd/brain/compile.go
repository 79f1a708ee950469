package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"brain/compile"
	"brain/inbox"
	"brain/llm"
	"brain/memory"
	"brain/text"
)

type compileFlags struct {
	dryRun, due, watch, stream, detach, yes bool
	mode, language                          string
	within                                  time.Duration
}

func compileCommand() *command {
	var f compileFlags
	return &command{
		name: "compile", group: groupWrite, args: "[SESSION…]", max: -1, schema: "compile",
		short: "make pages and facts of what was said",
		long: `Looks at the sessions that are pending and keeps what a later conversation should know: decisions, lessons, notes, and short facts about the user. Every page names the session and the turns it came from; "nothing worth keeping" is a good outcome. What the brain says already gains the session as a source instead of being written twice; what contradicts a page is written and named.

Without a model (llm.provider: off) rules find what was said in so many words: remember this, we decided, I prefer, no it is, the cause was, done. With one, every finding must cite turns that hold its words, or it is dropped; it also keeps the user's summaries up to date and says what becomes of facts that grew old (memory.staleness) or pile up (memory.consolidation). compile.mode decides; doc/compile.md tells the whole story.

A session is compiled once; turns that come later make it pending again. A run that was cut short is gone on with, and asks a model nothing twice. With --json one value is printed at the end; with --stream as well, a line for each session. --detach goes on in the background and prints the id of the job, of which brain job tells more; with --json the job itself, as brain job status does.`,
		examples: []string{"brain compile", "brain compile --dry-run", "brain compile 20260302-4f1c8a2b9d3e --json", "brain compile --watch", "brain compile --detach"},
		exits: []exitNote{
			{exitNotFound, "no such session"},
			{exitBusy, "another process compiles the session that was named, or --within is over"},
			{exitEnvironment, "the model could not be asked; the sessions wait"},
		},
		flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&f.dryRun, "dry-run", false, "show the pages as a diff and write nothing; a model is asked all the same")
			fs.BoolVar(&f.due, "due", false, "only sessions that are quiet for capture.debounce, or wait longer than capture.max_wait")
			fs.BoolVar(&f.watch, "watch", false, "stay, and compile what becomes due")
			fs.BoolVar(&f.stream, "stream", false, "with --json: a line for each session as it is done")
			fs.BoolVar(&f.detach, "detach", false, "go on in the background: doc/jobs.md")
			fs.DurationVar(&f.within, "within", 0, "end after this `DURATION`, such as 30s; what is left waits for the next run, and the exit code is 5")
			fs.StringVar(&f.mode, "mode", "", "auto, rules or model, for this run: see compile.mode")
			fs.StringVar(&f.language, "language", "", "`LANGUAGE` in which a model writes, for this run")
			yesFlag(fs, &f.yes)
		},
		run: func(ctx context.Context, a *app, args []string) error {
			if f.detach {
				return a.compileApart(ctx, &f, args)
			}
			return a.compile(ctx, &f, args)
		},
	}
}

// compiling is one run of the command.
type compiling struct {
	a      *app
	o      *opened
	f      *compileFlags
	box    *inbox.Box
	model  llm.Completer // nil: rules
	runner *compile.Runner
	mode   string

	out     compileJSON
	stop    error  // why no further session is begun
	failed  error  // of the last session that failed
	passed  error  // why a session was passed over: another process has it, or it does not wait
	skipped int    // sessions that were passed over
	wrote   int    // sessions that wrote something
	told    string // the job of the only one; "" when several did
	against int    // contradictions
}

type compileJSON struct {
	Brain    string         `json:"brain"`
	Mode     string         `json:"mode"`
	DryRun   bool           `json:"dry_run"`
	Sessions []compiledJSON `json:"sessions"`
	Pages    int            `json:"pages"`
	Facts    int            `json:"facts"`
	Known    int            `json:"known"` // said before: Path gained a source, or has it
	userCounts
	Dropped map[string]int `json:"dropped"`
	Left    int            `json:"left"` // sessions that wait still
	Failed  int            `json:"failed"`
	Error   string         `json:"error"` // why the run ended before all was done, or the last session failed
	Calls   int            `json:"calls"`
	In      int            `json:"tokens_in"`
	Out     int            `json:"tokens_out"`
	Seconds float64        `json:"seconds"`
}

// userCounts is how much of what was known of the user changed.
type userCounts struct {
	Summaries    int `json:"summaries"`
	Merged       int `json:"merged"` // of known: facts that stand for one that says nearly the same
	Removed      int `json:"removed"`
	Evicted      int `json:"evicted"`
	StaleRemoved int `json:"stale_removed"`
	Extended     int `json:"stale_extended"`
	Consolidated int `json:"consolidated"` // facts that took the place of others
}

type compiledJSON struct {
	Session string        `json:"session"`
	Agent   string        `json:"agent"`
	From    int           `json:"from"`
	To      int           `json:"to"`
	Fed     int           `json:"fed"`
	Mode    string        `json:"mode"`
	Pages   []madeJSON    `json:"pages"`
	Removed []string      `json:"removed"`
	Dropped []droppedJSON `json:"dropped"`

	Summaries    []summarizedJSON      `json:"summaries"`
	Merged       []string              `json:"merged"`
	Evicted      []memory.Evicted      `json:"evicted"`
	StaleRemoved []memory.StaleRemoval `json:"stale_removed"`
	Extended     []memory.Extended     `json:"stale_extended"`
	Consolidated []memory.Consolidated `json:"consolidated"`

	Nothing bool     `json:"nothing"`
	Job     string   `json:"job"`
	Calls   int      `json:"calls"`
	In      int      `json:"tokens_in"`
	Out     int      `json:"tokens_out"`
	Notes   []string `json:"notes"`
	Error   string   `json:"error"`
}

type madeJSON struct {
	Path        string            `json:"path"`
	Title       string            `json:"title"`
	Type        string            `json:"schema_type"`
	Turns       []int             `json:"turns"`
	Duplicate   bool              `json:"duplicate"`
	Gained      bool              `json:"gained"`
	Merged      bool              `json:"merged"`
	Why         string            `json:"why"`
	Contradicts []contradictsJSON `json:"contradicts"`
	Diff        string            `json:"diff"` // of a dry run
}

type summarizedJSON struct {
	Name  string `json:"name"`
	Turns []int  `json:"turns"`
	Text  string `json:"text"`
}

type droppedJSON struct {
	Text   string `json:"text"`
	Turns  []int  `json:"turns"`
	Reason string `json:"reason"`
	Detail string `json:"detail"`
}

func (a *app) compile(ctx context.Context, f *compileFlags, ids []string) error {
	if f.watch && (len(ids) > 0 || f.dryRun || f.within != 0) {
		return usage("--watch compiles what becomes due: it takes no sessions, no --dry-run and no --within", "")
	}
	if f.within < 0 {
		return usage("--within: a time is not negative", "write --within 30s")
	}
	if f.stream && !a.global.json {
		return usage("--stream prints a line of JSON for each session: it needs --json", "")
	}
	f.stream = f.stream || f.watch && a.global.json
	o, err := a.openToCompile(f)
	if err != nil {
		return err
	}
	if a.agent() != "" {
		if err := o.settings.remembers(a.agent()); err != nil {
			return err
		}
	}
	c, err := a.compiling(ctx, o, f)
	if err != nil {
		return err
	}
	if !f.dryRun {
		if err := reclaimJobs(o.root); err != nil {
			a.warn("jobs that died are not noted: %s", plain(err.Error()))
		}
	}
	began := time.Now()
	if f.watch {
		return c.watch(ctx)
	}
	if err := c.flush(ctx, ids); err != nil {
		return err
	}
	c.commit(ctx)
	c.out.Seconds = time.Since(began).Seconds()
	return c.finish(ctx, ids)
}

// compileApart compiles in the background. Whether it may is found out here, where
// somebody can be asked.
func (a *app) compileApart(ctx context.Context, f *compileFlags, ids []string) error {
	if f.dryRun {
		return usage("--detach goes on in the background: it has nobody to show a --dry-run to", "")
	}
	o, err := a.openToWrite(f.yes)
	if err != nil {
		return err
	}
	c, err := a.compiling(ctx, o, f)
	if err == nil {
		_, err = c.queue(ctx, ids)
	}
	if err != nil {
		return err
	}
	args := []string{"compile", "--yes", "--stream", "--within", f.within.String(), fmt.Sprintf("--due=%t", f.due), fmt.Sprintf("--watch=%t", f.watch)}
	if f.mode != "" {
		args = append(args, "--mode", f.mode)
	}
	if f.language != "" {
		args = append(args, "--language", f.language)
	}
	id, err := a.detach(ctx, "compile", append(append(args, "--"), ids...))
	if err != nil {
		return err
	}
	return a.tellDetached(o.root, id)
}

// openToCompile opens the brain; a dry run may look at one that may not be written.
func (a *app) openToCompile(f *compileFlags) (*opened, error) {
	if f.dryRun {
		return a.open()
	}
	o, err := a.openToWrite(f.yes)
	if err == nil {
		o.oneEntry()
	}
	return o, err
}

// compiling makes ready what a run needs.
func (a *app) compiling(ctx context.Context, o *opened, f *compileFlags) (*compiling, error) {
	c := &compiling{a: a, o: o, f: f, mode: cmp.Or(f.mode, o.settings.CompileMode)}
	pack, err := o.pack()
	if err != nil {
		return nil, err
	}
	model, prompts, err := a.chooseModel(o, c.mode)
	if err != nil {
		return nil, err
	}
	c.model = model
	e, missing := a.engine(o)
	if missing != nil {
		a.warn("duplicates are not looked for: %s", plain(missing.Error()))
	}
	if c.box, err = a.box(o); err != nil {
		return nil, err
	}
	pass := &compile.Pass{Store: o.st, Box: c.box, Pack: pack, Facts: a.facts(ctx, o), Completer: c.model, Prompts: prompts,
		Language: cmp.Or(f.language, o.settings.CompileLanguage), DryRun: f.dryRun}
	if missing == nil {
		pass.Index, pass.Searcher = e.ix, e.searcher()
	}
	c.runner = &compile.Runner{Pass: pass, Parallel: o.settings.CompileParallel, Fallback: c.mode == "auto", FellBack: c.fellBack, Told: c.tell}
	c.out = compileJSON{Brain: o.st.Name(), Mode: pass.Mode(), DryRun: f.dryRun, Sessions: []compiledJSON{}, Dropped: map[string]int{}}
	return c, nil
}

// chooseModel decides between a model and the rules, which is nil, and reads the prompts
// that are set for a model; nil is the built-in ones.
func (a *app) chooseModel(o *opened, mode string) (model llm.Completer, prompts *compile.Prompts, err error) {
	switch mode {
	case "rules":
	case "auto", "model":
		if model, err = a.completer(&o.settings.settings); err != nil {
			return nil, nil, err
		}
		if model == nil && mode == "model" {
			return nil, nil, usage("compile.mode is model, and llm.provider is off", "set llm.provider and llm.model, or use --mode rules")
		}
		if model != nil {
			model = a.accounted(o.root, model)
		}
	default:
		hint := "allowed: auto, rules, model"
		if near := text.Nearest(mode, []string{"auto", "rules", "model"}); near != "" {
			hint = "did you mean " + near + "? " + hint
		}
		return nil, nil, usage(fmt.Sprintf("--mode: %q is no value for it", mode), hint)
	}
	if model == nil || o.settings.CompilePrompts == "" {
		return model, nil, nil
	}
	dir := resolved(o.root.Dir, o.settings.CompilePrompts)
	if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
		return nil, nil, usage("compile.prompts: "+o.settings.CompilePrompts+" is no folder that can be read", "make it, with system.txt or user.txt in it; or unset compile.prompts")
	}
	prompts, err = compile.ReadPrompts(os.DirFS(dir))
	return model, prompts, err
}

// flush is sessions within the time that was given for it. A session that it ends in
// waits for the next run, which asks a model nothing twice.
func (c *compiling) flush(ctx context.Context, ids []string) error {
	if c.f.within == 0 {
		return c.sessions(ctx, ids)
	}
	limited, stop := context.WithTimeout(ctx, c.f.within)
	defer stop()
	err := c.sessions(limited, ids)
	if err == nil || ctx.Err() != nil || limited.Err() == nil {
		return err
	}
	c.stop = &failure{code: exitBusy, text: fmt.Sprintf("the time is over (--within %s)", c.f.within), hint: "`brain compile` goes on with what is left"}
	return nil
}

// sessions compiles what waits, several sessions at a time if the settings say so.
func (c *compiling) sessions(ctx context.Context, ids []string) error {
	items, err := c.queue(ctx, ids)
	if err != nil {
		return err
	}
	return c.run(ctx, items)
}

// queue gives the items to compile, those of one session together and in order.
func (c *compiling) queue(ctx context.Context, ids []string) ([][]inbox.Item, error) {
	q := c.queueOptions()
	if len(ids) == 0 {
		due, _, err := c.box.Queue(ctx, q)
		return compile.BySession(c.remembered(due)), err
	}
	var all [][]inbox.Item
	for _, id := range ids {
		m, err := c.a.ourSession(ctx, c.box, id)
		if err == nil {
			err = c.o.settings.remembers(m.Agent)
		}
		if err != nil {
			return nil, err
		}
		one := q
		one.All, one.Session = true, m.Session
		due, _, err := c.box.Queue(ctx, one)
		if err != nil {
			return nil, err
		}
		switch {
		case len(due) > 0 || m.State == inbox.Done:
		case m.State == inbox.Compiling:
			c.passed = fmt.Errorf("session %s: %w: another process compiles it", id, inbox.ErrBusy)
		default:
			c.passed = fmt.Errorf("session %s is %s: %w", id, m.State, inbox.ErrNotPending)
		}
		all = append(all, compile.BySession(due)...)
	}
	return all, nil
}

// remembered leaves out what is of agents that are to have no memory; it waits.
func (c *compiling) remembered(items []inbox.Item) []inbox.Item {
	n := len(items)
	items = slices.DeleteFunc(items, func(it inbox.Item) bool { return c.o.settings.remembers(it.Agent) != nil })
	if off := n - len(items); off > 0 {
		c.a.warn("%s of agents without a memory wait (memory.agents_off)", count(off, "item"))
	}
	return items
}

func (c *compiling) queueOptions() inbox.QueueOptions {
	s := c.o.settings
	return inbox.QueueOptions{Debounce: s.CaptureDebounce, MaxWait: s.CaptureMaxWait, All: !c.f.due && !c.f.watch, Agent: c.a.agent()}
}

func (c *compiling) run(ctx context.Context, sessions [][]inbox.Item) error {
	bar := c.a.progress(c.o.st.Name())
	defer bar.wipe()
	c.runner.Progress = func(done, all int) {
		bar.mu.Lock()
		defer bar.mu.Unlock()
		bar.draw("compile", done, all)
		c.a.tellJob(jobProgress{done, all, c.counts()})
	}
	ran, err := c.runner.Run(ctx, sessions)
	c.stop, c.skipped = ran.Stopped, c.skipped+ran.Passed
	c.passed = cmp.Or(ran.PassedOver, c.passed)
	return err
}

func (c *compiling) counts() map[string]int {
	return map[string]int{"pages": c.out.Pages, "facts": c.out.Facts, "known": c.out.Known}
}

func (c *compiling) fellBack(why error) {
	c.a.warn("no model answers, so rules decide: %s", plain(why.Error()))
}

// fail notes a session that the model could not be asked for, or that cannot be
// written.
func (c *compiling) fail(err error) {
	if c.out.Failed++; c.out.Failed == 2 {
		c.a.warn("%s", plain(c.failed.Error())) // one alone is told as the end of the run
	}
	if c.out.Failed > 1 {
		c.a.warn("%s", plain(err.Error()))
	}
	c.failed = err
}
