package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"brain/inbox"
	"brain/memory"
	"brain/page"
	"brain/store"
)

// app is one run of the program: its streams, its environment, and what the command
// opened on the way.
type app struct {
	in       io.Reader
	out, err io.Writer
	env      func(string) (string, bool)
	environ  func() []string
	dir      string // working folder

	inHook bool      // brain is among those who started this process
	exit   func(int) // ends the process at once; nil in tests, which it would end
	hook   *hook     // of brain hook

	global  globals
	changed func(flag string) bool // whether a flag of the command was given
	helpErr error
	stream  bool        // --json prints a line for each value
	job     *runningJob // that this process is, nil for a command that somebody waits for
	warned  string      // root of whose settings the warnings were printed
	failed  string      // what fail printed
	closers []func() error
}

// main runs one command line and gives the exit code.
func (a *app) main(ctx context.Context, args []string) (code int) {
	if event, ok := hookCall(args); ok {
		return a.runHook(ctx, event, args)
	}
	defer func() {
		if r := recover(); r != nil {
			code = a.fail(&failure{code: exitEnvironment, text: fmt.Sprintf("internal error: %v", r), hint: "`brain doctor` may tell more; BRAIN_DEBUG=1 shows where it happened"})
			a.debug(debug.Stack())
		}
	}()
	err := a.execute(ctx, args)
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil:
		return a.fail(context.Canceled)
	}
	return a.fail(err)
}

// execute runs one command line.
func (a *app) execute(ctx context.Context, args []string) error {
	top := cobraTree(a, table())
	a.global.json = asksJSON(args)
	top.SetArgs(args)
	top.SetIn(a.in)
	top.SetOut(a.out)
	top.SetErr(a.err)
	err := top.ExecuteContext(ctx)
	if err == nil {
		err = a.helpErr
	}
	return errors.Join(err, a.close())
}

// close closes what was opened, the last first.
func (a *app) close() (err error) {
	for _, one := range slices.Backward(a.closers) {
		err = errors.Join(err, one())
	}
	a.closers = nil
	return err
}

// debug prints what only a developer wants to see, when BRAIN_DEBUG asks for it.
func (a *app) debug(text []byte) {
	if v, _ := a.env("BRAIN_DEBUG"); v != "" {
		a.note("%s", text)
	}
}

// asksJSON looks for --json before the flags are parsed, so that a usage error is
// printed in the form that was asked for.
func asksJSON(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "--":
			return false
		case "--json", "--json=true":
			return true
		}
	}
	return false
}

// path makes a path given on the command line absolute.
func (a *app) path(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(a.dir, name)
}

// root finds the memory root: flag, BRAIN_ROOT, walking up.
func (a *app) root() (store.Root, error) {
	if a.global.root != "" {
		return a.rootAt(a.global.root)
	}
	if dir, _ := a.env("BRAIN_ROOT"); dir != "" {
		r, err := a.rootAt(dir)
		if err != nil {
			return r, &failure{text: "BRAIN_ROOT", cause: err, code: judge(err).code, hint: judge(err).hint}
		}
		return r, nil
	}
	return store.Find(a.dir)
}

func (a *app) rootAt(dir string) (store.Root, error) {
	return store.At(a.path(dir))
}

// settings loads the settings of a root, or without one ("" Dir) those of the
// environment. What deserves a warning is printed.
func (a *app) settings(r store.Root) (*loaded, error) {
	var file []entry
	var ignored []string
	if r.Dir != "" {
		var err error
		if file, ignored, err = fileEntries(r.Dir); err != nil {
			return nil, err
		}
	}
	env, warnings := envEntries(a.env, a.environ())
	l, err := loadSettings(r.Dir, file, env, a.flagEntries())
	if err != nil {
		return nil, err
	}
	if err := a.checkTrust(r, l.asks); err != nil {
		return nil, err
	}
	if r.Dir != "" && a.warned == r.Dir {
		return l, nil
	}
	if a.warned = r.Dir; len(ignored) > 0 {
		a.warn("%s was written for df-memory; without meaning here: %s", r.Settings(), plain(strings.Join(ignored, ", ")))
	}
	for _, w := range warnings {
		a.warn("%s", plain(w))
	}
	return l, nil
}

// flagEntries are the settings that flags decide.
func (a *app) flagEntries() []entry {
	if a.global.brain == "" {
		return nil
	}
	return []entry{{key: "brain", text: a.global.brain, origin: "flag --brain"}}
}

// defaultAgent owns what is kept when no agent is named.
const defaultAgent = "__default__"

// agent is on whose behalf the command runs, "" when nobody said.
func (a *app) agent() string { return a.global.agent }

// self is whose pages a command sees beside the shared ones.
func (a *app) self() string { return cmp.Or(a.agent(), defaultAgent) }

// nameAgent finds out who that is, before any command runs, and refuses a name that no
// agent can have.
func (a *app) nameAgent() (err error) {
	given := a.global.agent
	if given == "" {
		given, _ = a.env("BRAIN_AGENT")
	}
	if a.global.agent = strings.TrimSpace(given); a.global.agent != "" {
		a.global.agent, err = page.AgentName(given)
	}
	return err
}

// brainName picks the brain: the setting, else the only one, else default.
func brainName(r store.Root, l *loaded) (string, error) {
	if l.Brain != "" {
		return l.Brain, nil
	}
	known, err := r.Brains()
	if err != nil {
		return "", err
	}
	if len(known) == 1 {
		return known[0], nil
	}
	return "default", nil
}

// opened is a brain ready for use.
type opened struct {
	root     store.Root
	settings *loaded
	st       *store.Store
	schema   *page.Pack // as pack() read it
	running  *engine    // as engine() opened it
	aside    string     // where the index is for this command alone; "": in its place
}

// open finds root, settings and brain.
func (a *app) open() (*opened, error) {
	r, err := a.root()
	if err != nil {
		return nil, err
	}
	l, err := a.settings(r)
	if err != nil {
		return nil, err
	}
	name, err := brainName(r, l)
	if err != nil {
		return nil, err
	}
	st, err := store.Open(r, name)
	if err != nil {
		return nil, err
	}
	a.closers = append(a.closers, st.Close)
	st.OnWait, st.MaxWait = a.waiting(name), writeTimeout
	st.OnNote = func(line string) { a.warn("%s", plain(line)) }
	st.Ledger = l.ledger(r)
	st.Renew = memory.Renew(time.Now)
	if st.Ledger.Mode != "" {
		trusted, err := a.trusted(r)
		st.Ledger.OwnFilters = trusted && err == nil // a list that cannot be read trusts nobody
	}
	if err := st.Recover(); err != nil {
		a.warn("a write that was cut short could not be cleared up: %s", plain(err.Error()))
	}
	o := &opened{root: r, settings: l, st: st}
	return o, o.checkIndexDir()
}

// waiting tells who holds a brain's lock.
func (a *app) waiting(name string) func(store.Holder) {
	return func(h store.Holder) {
		if !a.global.quiet {
			a.note("brain: waiting for the writer of %s: %s", plain(name), plain(fmt.Sprint(h)))
		}
	}
}

// box opens the sessions of a brain.
func (a *app) box(o *opened) (*inbox.Box, error) {
	box, err := inbox.Open(o.st.Dir())
	if err != nil {
		return nil, err
	}
	a.closers = append(a.closers, box.Close)
	box.Depth, box.Tracked = o.settings.CaptureDepth, o.settings.GitSessions == "yes"
	box.Forgotten = func(ctx context.Context) (inbox.Forgotten, error) { return o.st.Forgotten(ctx) }
	return box, nil
}
