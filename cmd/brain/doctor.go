package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"brain/llm"
	"brain/store"
)

// The doctor goes from the outside in and stops where nothing further can be told:
// root and settings, models and git, then the brain: what lies in it
// (doctor_brain.go), its facts (doctor_facts.go), the disk under it (doctor_disk.go),
// its index (doctor_index.go). It looks and changes nothing, but for the line that the
// question to a model adds to costs.jsonl; each finding says which command mends it.
// doc/doctor.md explains them.

func doctorCommand() *command {
	return &command{
		name: "doctor", group: groupKeep, max: 0, schema: "doctor",
		short: "check what brain needs around it",
		long: `Checks root, settings, models, git and the jobs in the background; whether the brain may be read and written, by whom it is written just now, whether a writer died, whether sessions are private; the facts of each agent; the last Dream; the clock; room on the disk, and whether it is a network disk or a folder that a sync program copies; the index, page by page, and its lock. Each line says ok, warn or fail, and what mends it. doc/doctor.md explains every check.

Nothing is written but an empty index folder; a model server is asked for one vector, or one word.`,
		examples: []string{"brain doctor", "brain doctor --json"},
		exits:    []exitNote{{exitNegative, "something fails, or deserves a warning"}},
		run:      func(ctx context.Context, a *app, _ []string) error { return a.doctor(ctx) },
	}
}

type checkup struct {
	Name    string `json:"name"`
	State   string `json:"state"` // ok, warn, fail
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

type doctorJSON struct {
	OK     bool      `json:"ok"`
	Checks []checkup `json:"checks"`
}

// examination collects what the doctor finds.
type examination struct {
	checks []checkup
	now    time.Time
}

func (x *examination) ok(name, message string) {
	x.checks = append(x.checks, checkup{name, "ok", message, ""})
}

func (x *examination) warn(name, message, hint string) {
	x.checks = append(x.checks, checkup{name, "warn", message, hint})
}

// fail notes a failure with the hint that its error has anyway.
func (x *examination) fail(name string, err error) { x.broken(name, err.Error(), judge(err).hint) }

func (x *examination) broken(name, message, hint string) {
	x.checks = append(x.checks, checkup{name, "fail", message, hint})
}

func (a *app) doctor(ctx context.Context) error {
	x := &examination{now: time.Now()}
	a.examine(ctx, x)
	if err := ctx.Err(); err != nil {
		return err
	}
	j := doctorJSON{OK: true, Checks: x.checks}
	for _, c := range x.checks {
		j.OK = j.OK && c.State == "ok"
	}
	var err error
	if a.global.json {
		err = a.json(j)
	} else {
		err = a.printCheckups(x.checks)
	}
	if err == nil && !j.OK {
		return errNegative
	}
	return err
}

func (a *app) printCheckups(checks []checkup) error {
	for _, c := range checks {
		if err := a.print("%-4s  %-10s %s\n", c.State, c.Name, plain(c.Message)); err != nil {
			return err
		}
		if c.Hint != "" {
			if err := a.print("                 hint: %s\n", plain(c.Hint)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *app) examine(ctx context.Context, x *examination) {
	r, err := a.root()
	if err != nil {
		x.fail("root", err)
		return
	}
	x.ok("root", r.Dir)
	l, ok := a.examineSettings(x, r)
	if !ok {
		return
	}
	a.examineEmbedder(ctx, x, &l.settings)
	a.examineCompleter(ctx, x, r, &l.settings)
	examineGit(ctx, x)
	examineJobs(x, r)
	name, err := brainName(r, l)
	if err != nil {
		x.fail("brain", err)
		return
	}
	st, err := store.Open(r, name)
	if err != nil {
		x.fail("brain", err)
		return
	}
	a.closers = append(a.closers, st.Close)
	o := &opened{root: r, settings: l, st: st}
	examineBrain(ctx, x, o)
	a.examineFacts(ctx, x, o)
	examineDream(ctx, x, o)
	examineLedger(ctx, x, o)
	a.examineIndex(ctx, x, o)
}

// examineSettings tells which settings are not the default, and who says so; what
// other commands print as a warning is a finding here.
func (a *app) examineSettings(x *examination, r store.Root) (l *loaded, ok bool) {
	quiet := a.global.quiet
	a.global.quiet = true
	l, err := a.settings(r)
	a.global.quiet = quiet
	if err != nil {
		x.fail("settings", err)
		return nil, false
	}
	var set []string
	for _, v := range l.values {
		if v.Value != v.Default {
			set = append(set, fmt.Sprintf("%s=%s (%s)", v.Key, show(v.Value), v.Origin))
		}
	}
	x.ok("settings", r.Settings()+before("; not the default: ", strings.Join(set, ", ")))
	if _, ignored, err := fileEntries(r.Dir); err == nil && len(ignored) > 0 {
		x.warn("settings", "written for df-memory; without meaning here: "+strings.Join(ignored, ", "), "delete these lines; `brain config list` shows what counts")
	}
	_, misspelt := envEntries(a.env, a.environ())
	for _, w := range misspelt {
		x.warn("settings", w, "unset it, or correct its name: `brain help settings`")
	}
	return l, true
}

// examineEmbedder asks for one vector.
func (a *app) examineEmbedder(ctx context.Context, x *examination, s *settings) {
	e, err := a.embedder(s)
	switch {
	case err != nil:
		x.fail("embedder", err)
		return
	case e == nil:
		x.ok("embedder", "off: words and links only")
		return
	}
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	if _, err := e.Embed(ctx, []string{"memory"}); err != nil {
		x.model("embedder", err)
		return
	}
	i := e.Info()
	x.ok("embedder", fmt.Sprintf("%s, %d dimensions", i.Fingerprint, i.Dims))
}

// model notes what a model server failed by.
func (x *examination) model(name string, err error) {
	hint := judge(err).hint
	if errors.Is(err, llm.Timeout) {
		hint = "it may still load the model; try again in a minute"
	}
	x.broken(name, err.Error(), hint)
}

// examineCompleter asks one short question, as a compile asks long ones. What the answer
// says does not matter; that it has the form does.
func (a *app) examineCompleter(ctx context.Context, x *examination, r store.Root, s *settings) {
	once := *s
	once.LLM.Retries, once.LLM.BudgetCalls, once.LLM.BudgetTokens = 0, 0, 0
	c, err := a.completer(&once)
	switch {
	case err != nil:
		x.fail("completer", err)
		return
	case c == nil:
		x.ok("completer", "off: rules find what is worth keeping")
		return
	}
	ctx, stop := context.WithTimeout(ctx, 20*time.Second)
	defer stop()
	_, err = a.accounted(r, c).Complete(ctx, llm.Request{
		User:      `Is the sky blue? Answer with a JSON object {"yes": true} or {"yes": false}.`,
		Schema:    []byte(`{"type":"object","additionalProperties":false,"required":["yes"],"properties":{"yes":{"type":"boolean"}}}`),
		MaxTokens: 500,
	})
	switch {
	case is(llm.Misshapen, llm.Truncated)(err):
		x.warn("completer", err.Error(), judge(err).hint)
	case err != nil:
		x.model("completer", err)
	default:
		i := c.Info()
		window := ""
		if i.Window > 0 {
			window = fmt.Sprintf(", takes %d tokens", i.Window)
		}
		x.ok("completer", i.Provider+"/"+i.Model+window)
	}
}

// examineGit looks for git, which is optional.
func examineGit(ctx context.Context, x *examination) {
	path, err := exec.LookPath("git")
	if err != nil || !filepath.IsAbs(path) {
		x.ok("git", "not found; it is optional")
		return
	}
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		x.warn("git", fmt.Sprintf("%s does not run: %v", path, err), "repair git: `git --version` must answer")
		return
	}
	x.ok("git", strings.TrimSpace(string(out)))
}
