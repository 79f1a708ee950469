package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/pflag"

	"brain/store"
)

func hookInstallCommand() *command {
	var f hookInstallFlags
	return &command{
		name: "install", args: "claude-code|codex", min: 1, max: 1, schema: "hook-install",
		short: "have an agent hand over its sessions",
		long: `Adds brain's hooks to the settings file of an agent: the change is shown and made after a yes. All else in the file stays as it is, also its layout. Hooks of brain that are there already, of another root or program, are replaced.

The file is .claude/settings.local.json or .codex/hooks.json in the current folder; with --user it is the one for all your projects, settings.json in ~/.claude (or CLAUDE_CONFIG_DIR), hooks.json in ~/.codex (or CODEX_HOME). It holds paths of this machine and is not meant to be shared. Codex asks you once, in /hooks, whether these hooks may run.

The sessions go to the root that is found as by any command, in a linked worktree of git to that of the main checkout, and the hooks name it; so do --brain and --agent, if given. With --nearest they name none, and each session goes to the root nearest to where the agent works. Hooks work in trusted roots only (brain trust): a root that asks for nothing outside of itself is trusted with the same yes.`,
		examples: []string{"brain hook install claude-code", "brain hook install codex --user --root ~/memory --yes", "brain hook install claude-code --user --nearest"},
		exits: []exitNote{
			{exitNotFound, "no memory root"},
			{exitConflict, "the file changed meanwhile"},
			{exitEnvironment, "the file cannot be read or written"},
		},
		flags:    f.installFlags,
		complete: []string{"claude-code", "codex"},
		run:      func(_ context.Context, a *app, args []string) error { return a.hookInstall(args[0], &f) },
	}
}

func hookUninstallCommand() *command {
	var f hookInstallFlags
	return &command{
		name: "uninstall", args: "claude-code|codex", min: 1, max: 1, schema: "hook-install",
		short:    "take the hooks out of an agent's settings",
		long:     `Removes from the settings file of an agent what brain hook install wrote there, and nothing else: it is recognised by its command. A file that nobody changed in between is as it was before to the byte; one that install made goes. Sessions that were captured stay.`,
		examples: []string{"brain hook uninstall claude-code", "brain hook uninstall codex --user --yes"},
		exits: []exitNote{
			{exitConflict, "the file changed meanwhile"},
			{exitEnvironment, "the file cannot be read or written"},
		},
		flags:    f.fileFlags,
		complete: []string{"claude-code", "codex"},
		run:      func(_ context.Context, a *app, args []string) error { return a.hookUninstall(args[0], &f) },
	}
}

type hookInstallFlags struct {
	user, project, yes, print, nearest bool
}

func (f *hookInstallFlags) fileFlags(fs *pflag.FlagSet) {
	fs.BoolVar(&f.project, "project", false, "the settings of the project in the current folder (this is the default)")
	fs.BoolVar(&f.user, "user", false, "your own settings, for all projects")
	fs.BoolVar(&f.yes, "yes", false, "do not ask")
}

func (f *hookInstallFlags) installFlags(fs *pflag.FlagSet) {
	f.fileFlags(fs)
	fs.BoolVar(&f.nearest, "nearest", false, "name no root: each session goes to the nearest one")
	fs.BoolVar(&f.print, "print", false, "only print the hooks, as JSON, to be put there by hand")
}

// hookAgents says where each agent keeps its hooks: a folder in the project or at home,
// the variable that moves the latter, and the names of the files there.
var hookAgents = map[string]struct{ folder, variable, project, user string }{
	"claude-code": {".claude", "CLAUDE_CONFIG_DIR", "settings.local.json", "settings.json"},
	"codex":       {".codex", "CODEX_HOME", "hooks.json", "hooks.json"},
}

// settingsFileOf is the settings file of an agent, behind all links.
func (f *hookInstallFlags) settingsFileOf(a *app, agent string) (string, error) {
	where, ok := hookAgents[agent]
	if !ok {
		return "", unknownName("agent", agent, []string{"claude-code", "codex"})
	}
	if f.user && f.project {
		return "", usage("--user and --project", "one at a time")
	}
	name := filepath.Join(a.dir, where.folder, where.project)
	if f.user {
		dir, _ := a.env(where.variable)
		if dir == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return "", &failure{code: exitEnvironment, text: "find your home folder", cause: err, hint: "set " + where.variable}
			}
			dir = filepath.Join(home, where.folder)
		}
		name = filepath.Join(a.path(dir), where.user)
	}
	return behindLinks(name)
}

// behindLinks is the file that a name leads to, itself where there is none yet.
func behindLinks(name string) (string, error) {
	real, err := filepath.EvalSymlinks(name)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(name); err == nil {
			return "", &failure{code: exitEnvironment, text: name + " is a link that leads nowhere"}
		}
		return name, nil
	}
	if err != nil {
		return "", &failure{text: "find " + name, cause: bare(err)}
	}
	return real, nil
}

// hookChange is what becomes of a settings file.
type hookChange struct {
	fileChange
	trust *store.Root // that is to be trusted with the same yes
}

func (c *hookChange) nothing() bool { return c.trust == nil && c.same() }

// fileChange is what becomes of a file of another program; a nil text is no file.
type fileChange struct {
	file     string
	old, now *string
}

func (c *fileChange) same() bool {
	return c.old == nil && c.now == nil || c.old != nil && c.now != nil && *c.old == *c.now
}

func (c *fileChange) diff() string {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	return unified(c.file, text(c.old), text(c.now))
}

type hookInstallJSON struct {
	Agent    string   `json:"agent"`
	File     string   `json:"file"`
	Changed  bool     `json:"changed"`
	Diff     string   `json:"diff"`
	Commands []string `json:"commands"` // of the hooks that are there now
	Root     string   `json:"root"`     // that they name
	Trusted  bool     `json:"trusted"`  // whether that is trusted now
}

func (a *app) hookInstall(agent string, f *hookInstallFlags) error {
	if f.print && a.global.json {
		return usage("--print and --json", "one at a time: what --print prints is JSON, for the agent")
	}
	file, err := f.settingsFileOf(a, agent)
	if err != nil {
		return err
	}
	c := &hookChange{fileChange: fileChange{file: file}}
	line, root, err := a.hookLine(f.nearest)
	if err != nil {
		return err
	}
	if f.print {
		text, err := withHooks(nil, line)
		if err != nil {
			return err
		}
		return a.print("%s", text)
	}
	if !ourHook(line.of(hookEvents[0])) { // there would be one more with each installation
		return usage("brain hook install: hooks of a program called "+line.program+" would not be known again", "call it brain, or put there by hand what --print prints")
	}
	if c.old, err = readAgentSettings(c.file); err != nil {
		return err
	}
	text, err := withHooks(c.old, line)
	if err != nil {
		return badAgentSettings(c.file, err)
	}
	c.now = &text
	j := hookInstallJSON{Agent: agent, File: c.file, Changed: !c.same(), Diff: c.diff()}
	for _, event := range hookEvents {
		j.Commands = append(j.Commands, line.of(event))
	}
	if root != nil {
		j.Root = root.Dir
		if c.trust, j.Trusted, err = a.trustToGive(*root); err != nil {
			return err
		}
	}
	if err := a.hookApply(c, f.yes, "installed"); err != nil {
		return err
	}
	j.Trusted = j.Trusted || c.trust != nil
	if a.global.json {
		return a.json(j)
	}
	return a.hookAdvice(agent, root, j.Trusted)
}

func (a *app) hookUninstall(agent string, f *hookInstallFlags) (err error) {
	c := &hookChange{}
	if c.file, err = f.settingsFileOf(a, agent); err != nil {
		return err
	}
	if c.old, err = readAgentSettings(c.file); err != nil {
		return err
	}
	if c.old != nil {
		if c.now, err = withoutHooks(*c.old); err != nil {
			return badAgentSettings(c.file, err)
		}
	}
	if err := a.hookApply(c, f.yes, "uninstalled"); err != nil {
		return err
	}
	if a.global.json {
		return a.json(hookInstallJSON{Agent: agent, File: c.file, Changed: !c.same(), Diff: c.diff(), Commands: []string{}})
	}
	return nil
}

// hookLine is the command that hooks run, and the root that it names, nil for none.
func (a *app) hookLine(nearest bool) (c hookCommandLine, root *store.Root, err error) {
	if c.program, err = programPath(); err != nil {
		return c, nil, err
	}
	if nearest && a.global.root != "" {
		return c, nil, usage("--nearest and --root", "one at a time")
	}
	if !nearest {
		r, err := a.hookRoot(hookInput{Dir: a.dir})
		if errors.Is(err, store.ErrNoRoot) {
			err = &failure{text: "hooks need to know where sessions go", cause: err, code: exitNotFound,
				hint: "`brain init` makes a memory root here; --root names one; --nearest leaves it to where the agent works"}
		}
		if err != nil {
			return c, nil, err
		}
		root = &r
		c.flags = append(c.flags, "--root", r.Dir)
	}
	if a.changed("brain") {
		c.flags = append(c.flags, "--brain", a.global.brain)
	}
	if a.changed("agent") {
		c.flags = append(c.flags, "--agent", a.global.agent)
	}
	return c, root, nil
}

// programPath is by which path the program is called: the one by which a shell finds it,
// if it does, since that outlives an upgrade.
func programPath() (string, error) {
	name, err := os.Executable()
	if err != nil {
		return "", &failure{code: exitEnvironment, text: "find the program itself", cause: err}
	}
	if found, err := exec.LookPath("brain"); err == nil && filepath.IsAbs(found) {
		a, errA := os.Stat(found)
		b, errB := os.Stat(name)
		if errA == nil && errB == nil && os.SameFile(a, b) {
			name = found
		}
	}
	if runtime.GOOS == "windows" {
		name = filepath.ToSlash(name) // which all its shells read
	}
	return name, nil
}

// trustToGive is the root, if it is not trusted yet and asks for nothing by which that
// would be a decision of its own.
func (a *app) trustToGive(r store.Root) (give *store.Root, trusted bool, err error) {
	if trusted, err = a.trusted(r); trusted || err != nil {
		return nil, trusted, err
	}
	asks, err := a.asks(r)
	if err != nil || len(asks) > 0 {
		return nil, false, err
	}
	return &r, false, nil
}

func readAgentSettings(name string) (*string, error) {
	raw, err := readSettings(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &failure{code: exitEnvironment, text: "read " + name, cause: err}
	}
	text := string(raw)
	return &text, nil
}

func badAgentSettings(name string, err error) error {
	return &failure{code: exitUsage, text: "change " + name, cause: err,
		hint: "nothing was written; mend the file, or put there by hand what `brain hook install --print` prints"}
}

// hookApply shows a change, asks, and makes it.
func (a *app) hookApply(c *hookChange, yes bool, done string) error {
	if c.nothing() {
		if a.global.json {
			return nil
		}
		return a.print("nothing to do: %s\n", plain(c.file))
	}
	if !a.global.json {
		if err := a.print("%s", c.diff()); err != nil {
			return err
		}
		if c.trust != nil {
			if err := a.print("and trusts the root %s (see brain help trust)\n", plain(c.trust.Dir)); err != nil {
				return err
			}
		}
	}
	if !yes {
		err := a.confirm("Do it?", usage("change "+c.file+": there is nobody to ask", "--yes"), usage("nothing was changed", ""))
		if err != nil {
			return err
		}
	}
	if c.trust != nil {
		if err := a.allow(*c.trust, nil); err != nil {
			return err
		}
	}
	if err := c.write(); err != nil {
		return err
	}
	if a.global.json {
		return nil
	}
	return a.print("%s: %s\n", done, plain(c.file))
}

// write makes the change, unless somebody changed the file since it was read.
func (c *fileChange) write() error {
	now, err := readAgentSettings(c.file)
	if err != nil {
		return err
	}
	if seen := (&fileChange{old: c.old, now: now}); !seen.same() {
		return &failure{code: exitConflict, text: "change " + c.file + ": it changed meanwhile", hint: "do it again; nothing was written there"}
	}
	switch {
	case c.same():
		return nil
	case c.now == nil:
		if err := os.Remove(c.file); err != nil {
			return err
		}
		return nil
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(c.file); err == nil {
		mode = info.Mode().Perm()
	} else if err := os.MkdirAll(filepath.Dir(c.file), 0o755); err != nil {
		return err
	}
	return replaceFile(c.file, []byte(*c.now), mode)
}

// hookAdvice says what stands between the hooks and their work.
func (a *app) hookAdvice(agent string, root *store.Root, trusted bool) error {
	if agent == "codex" {
		a.note("hint: Codex runs them once you have said yes to them in /hooks")
	}
	if root == nil {
		a.note("hint: `brain trust` in each root whose sessions are to be kept")
		return nil
	}
	if !trusted {
		a.note("hint: %s asks for more than its own files: nothing is captured until `brain trust --root %s`", plain(root.Dir), plain(quoted(root.Dir)))
		return nil
	}
	l, err := a.settings(*root)
	if err != nil {
		return err
	}
	name, err := brainName(*root, l)
	if err != nil {
		return err
	}
	st, err := store.Open(*root, name)
	if err != nil {
		return err
	}
	a.closers = append(a.closers, st.Close)
	if why := mayCapture(st); why != nil {
		a.note("brain: nothing will be captured: %s", plain(why.Error()))
	}
	return nil
}

// mayCapture says why a brain takes no sessions unasked, nil when it does.
func mayCapture(st *store.Store) error {
	if why := st.ReadOnly(); why != "" {
		return fmt.Errorf("brain %s: %w: %s", st.Name(), store.ErrReadOnly, why)
	}
	if st.Meta().Write == store.WriteAsk {
		return fmt.Errorf("brain %s: brain.yml says write: ask, and a hook cannot ask; say write: yes there", st.Name())
	}
	return nil
}
