package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/pflag"

	"brain/dream"
	"brain/store"
)

type dreamInstallFlags struct {
	at                       string
	print, write, force, yes bool
}

var unitKinds = []string{"systemd", "cron", "launchd"}

func dreamInstallCommand() *command {
	var f dreamInstallFlags
	return &command{
		name: "install", args: "systemd|cron|launchd", min: 1, max: 1, schema: "dream-install",
		short: "have the system run it every night",
		long: `Prints what a timer of your system needs to run brain dream for this brain: a service and a timer for systemd, a line for cron, a property list for launchd. With --write it is written where the system looks for it, in your own home: ~/.config/systemd/user, your crontab by the program crontab, ~/Library/LaunchAgents. What has to be done after that is said.

The timer runs brain dream --due, which makes one run for each time of the schedule: once when the clock is set, and once for nights that were missed, which systemd and launchd make up for as soon as the machine is on again, and cron does not. It names this program, the root and the brain by their absolute paths.

What an earlier brain dream install wrote is replaced, and the difference shown. A file of the same name that somebody else wrote is refused, unless --force is given.`,
		examples: []string{"brain dream install systemd", "brain dream install systemd --write", `brain dream install cron --at "30 4 * * mon-fri" --write`, "brain dream install launchd --root ~/memory"},
		exits: []exitNote{
			{exitNotFound, "no memory root or brain"},
			{exitConflict, "a file of that name is there, which brain did not write; or it changed meanwhile"},
			{exitEnvironment, "a file cannot be written, or crontab does not answer"},
		},
		flags: func(fs *pflag.FlagSet) {
			fs.StringVar(&f.at, "at", "0 3 * * *", "when it runs: the cron expression `CRON`")
			fs.BoolVar(&f.print, "print", false, "only print it (this is the default)")
			fs.BoolVar(&f.write, "write", false, "write it where the system looks for it")
			fs.BoolVar(&f.force, "force", false, "with --write: replace also what brain did not write")
			fs.BoolVarP(&f.yes, "yes", "y", false, "have it write also where brain.yml says write: ask, since nobody is asked at night")
		},
		complete: unitKinds,
		run:      func(ctx context.Context, a *app, args []string) error { return a.dreamInstall(ctx, args[0], &f) },
	}
}

type dreamInstallJSON struct {
	Kind    string         `json:"kind"`
	Name    string         `json:"name"`
	At      string         `json:"at"`
	Root    string         `json:"root"`
	Brain   string         `json:"brain"`
	Written bool           `json:"written"`
	Files   []unitFileJSON `json:"files"`
	Next    []string       `json:"next"` // commands that are to be run after it is written
}

type unitFileJSON struct {
	Path     string `json:"path"` // "crontab" for that of the user
	Text     string `json:"text"` // of the file; of a crontab the lines for this brain
	Changed  bool   `json:"changed"`
	Replaced bool   `json:"replaced"` // it was there, with another text
}

func (a *app) dreamInstall(ctx context.Context, kind string, f *dreamInstallFlags) error {
	if f.print && f.write {
		return usage("--print and --write", "one at a time")
	}
	if f.force && !f.write {
		return usage("--force goes with --write", "")
	}
	s, err := dream.ParseSchedule(f.at)
	if err != nil {
		return fmt.Errorf("--at: %w", err)
	}
	o, err := a.open()
	if err != nil {
		return err
	}
	u, err := a.nightUnit(o, s, f)
	if err != nil {
		return err
	}
	plans := map[string]func(*nightUnit) (*unitPlan, error){"systemd": a.systemdPlan, "cron": a.cronPlan, "launchd": a.launchdPlan}
	plan := plans[kind]
	if plan == nil {
		return unknownName("timer", kind, unitKinds)
	}
	p, err := plan(u)
	if err != nil {
		return err
	}
	a.warnOfNight(o)
	j := dreamInstallJSON{Kind: kind, Name: u.id(), At: s.String(), Root: u.root, Brain: u.brain, Next: list(p.next)}
	if f.write {
		j.Written = true
		state, outside := o.dreamState()
		if err = outside; err == nil {
			j.Files, err = p.write(ctx, a, f.force)
		}
		if err == nil {
			err = errors.Join(o.root.MakeState(), s.Begin(state, time.Now()))
		}
	} else {
		j.Files, err = p.print(a)
	}
	switch {
	case err != nil:
		return err
	case a.global.json:
		return a.json(j)
	}
	for _, next := range p.next {
		a.note("hint: %s%s", either(f.write, "now run ", "after writing it, run "), plain(next))
	}
	return nil
}

// nightUnit is the timer of a brain. Names that a form cannot hold are refused.
func (a *app) nightUnit(o *opened, s *dream.Schedule, f *dreamInstallFlags) (*nightUnit, error) {
	program, err := programPath()
	if err != nil {
		return nil, err
	}
	u := &nightUnit{program: program, root: o.root.Dir, brain: o.st.Name(), schedule: s, yes: f.yes}
	for _, name := range []string{program, u.root, u.brain} {
		if strings.IndexFunc(name, unicode.IsControl) >= 0 {
			return nil, usage(fmt.Sprintf("%q: no timer takes a name with control characters", name), "rename it, or reach it by a link")
		}
	}
	switch {
	case o.st.ReadOnly() != "":
		return nil, fmt.Errorf("brain %s: %w: %s", o.st.Name(), store.ErrReadOnly, o.st.ReadOnly())
	case o.st.Meta().Write == store.WriteAsk && !f.yes:
		return nil, usage("brain "+o.st.Name()+": brain.yml says write: ask, and at night there is nobody to ask", "--yes, or `write: yes` in brain.yml")
	}
	return u, nil
}

// warnOfNight says what counts here and now and will not at night: a timer has an
// environment of its own.
func (a *app) warnOfNight(o *opened) {
	for _, v := range o.settings.values {
		if name, ok := strings.CutPrefix(v.Origin, "env "); ok {
			a.warn("%s is not set when a timer runs: write %s into %s", name, v.Key, plain(o.root.Settings()))
		}
	}
	for _, key := range []string{o.settings.LLM.Key, o.settings.Key} {
		if name, ok := strings.CutPrefix(key, "env:"); ok {
			a.warn("the key in %s must be in the environment of the timer: doc/dream.md says how", plain(name))
		}
	}
}

// unitPlan is what a timer consists of.
type unitPlan struct {
	files []unitFile
	cron  *nightUnit // the one of a crontab, in place of files
	next  []string
}

type unitFile struct{ path, text string }

func (a *app) systemdPlan(u *nightUnit) (*unitPlan, error) {
	if strings.ContainsAny(u.program, `"'\`) {
		return nil, usage(u.program+": systemd takes no program with quotes or a backslash in its path", "call it by a link elsewhere")
	}
	dir, _ := a.env("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		home, err := homeFolder()
		if err != nil {
			return nil, err
		}
		dir = filepath.Join(home, ".config")
	}
	dir = filepath.Join(dir, "systemd", "user")
	name := "brain-dream-" + u.id()
	return &unitPlan{
		files: []unitFile{{filepath.Join(dir, name+".service"), u.service()}, {filepath.Join(dir, name+".timer"), u.timer()}},
		next:  []string{"systemctl --user daemon-reload && systemctl --user enable --now " + name + ".timer", "loginctl enable-linger, if it is to run while you are not logged in"},
	}, nil
}

func (a *app) launchdPlan(u *nightUnit) (*unitPlan, error) {
	home, err := homeFolder()
	if err != nil {
		return nil, err
	}
	text, err := u.plist(filepath.Join(home, "Library", "Logs", u.label()+".log"))
	if err != nil {
		return nil, err
	}
	path := filepath.Join(home, "Library", "LaunchAgents", u.label()+".plist")
	return &unitPlan{
		files: []unitFile{{path, text}},
		next:  []string{"launchctl bootout gui/$(id -u)/" + u.label() + " 2>/dev/null; launchctl bootstrap gui/$(id -u) " + quoted(path)},
	}, nil
}

// cronPlan is for a crontab. Crons do not agree on what a backslash is.
func (a *app) cronPlan(u *nightUnit) (*unitPlan, error) {
	for _, name := range []string{u.program, u.root, u.brain} {
		if strings.Contains(name, `\`) {
			return nil, usage(name+": cron takes no name with a backslash", "rename it, or reach it by a link")
		}
	}
	return &unitPlan{cron: u}, nil
}

func homeFolder() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", &failure{code: exitEnvironment, text: "find your home folder", cause: err, hint: "set HOME"}
	}
	return home, nil
}

// print shows what would be written.
func (p *unitPlan) print(a *app) (files []unitFileJSON, err error) {
	if p.cron != nil {
		comment, entry := p.cron.cronLines()
		files = append(files, unitFileJSON{Path: "crontab", Text: comment + "\n" + entry + "\n"})
	}
	for _, f := range p.files {
		files = append(files, unitFileJSON{Path: f.path, Text: f.text})
	}
	if a.global.json {
		return files, nil
	}
	for i, f := range files {
		title := ""
		if len(files) > 1 {
			title = either(i > 0, "\n", "") + "# " + plain(f.Path) + "\n"
		} else if !a.global.quiet {
			a.note("brain: for %s", plain(f.Path))
		}
		err = cmp.Or(err, a.print("%s%s", title, f.Text))
	}
	return files, err
}

// write puts it where the system looks for it: all of it, or nothing where something of
// somebody else is in the way.
func (p *unitPlan) write(ctx context.Context, a *app, force bool) (files []unitFileJSON, err error) {
	if p.cron != nil {
		return p.writeCrontab(ctx, a)
	}
	var changes []*fileChange
	for _, f := range p.files {
		c := &fileChange{now: &f.text}
		if c.file, err = behindLinks(f.path); err != nil {
			return nil, err
		}
		if c.old, err = readAgentSettings(c.file); err != nil {
			return nil, err
		}
		if c.old != nil && !c.same() && !strings.Contains(*c.old, unitMark) && !force {
			return nil, &failure{code: exitConflict, text: "write " + c.file + ": it is there, and brain did not write it", hint: "nothing was written; move it away, or replace it by --force"}
		}
		changes = append(changes, c)
		files = append(files, unitFileJSON{f.path, f.text, !c.same(), c.old != nil && !c.same()})
	}
	for _, c := range changes {
		if err := c.write(); err != nil {
			return nil, err
		}
		if err := a.tellUnit(c, c.old != nil); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// tellUnit prints which file was written, and how it differs from the one before.
func (a *app) tellUnit(c *fileChange, replaced bool) error {
	switch {
	case a.global.json:
		return nil
	case c.same():
		return a.print("as it was: %s\n", plain(c.file))
	case c.old == nil:
		return a.print("written: %s\n", plain(c.file))
	}
	return a.print("%s%s: %s\n", harmless(c.diff()), either(replaced, "replaced", "written"), plain(c.file))
}

func (p *unitPlan) writeCrontab(ctx context.Context, a *app) ([]unitFileJSON, error) {
	old, err := crontab(ctx, "", "-l")
	if err != nil {
		return nil, err
	}
	now := p.cron.inCrontab(old)
	c := &fileChange{file: "crontab", old: &old, now: &now}
	if !c.same() {
		if _, err := crontab(ctx, now, "-"); err != nil {
			return nil, err
		}
	}
	comment, entry := p.cron.cronLines()
	replaced := strings.Contains(old, p.cron.cronMark()) && !c.same()
	return []unitFileJSON{{"crontab", comment + "\n" + entry + "\n", !c.same(), replaced}}, a.tellUnit(c, replaced)
}

// crontab runs the program of that name; that the user has none yet is no failure.
func crontab(ctx context.Context, in string, arg string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	path, err := exec.LookPath("crontab")
	if err == nil && !filepath.IsAbs(path) {
		err = errors.New("it is found in the current folder only")
	}
	if err != nil {
		return "", &failure{code: exitEnvironment, text: "run crontab", cause: err, hint: "install cron, or add by hand what `brain dream install cron` prints"}
	}
	cmd := exec.CommandContext(ctx, path, arg)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.Stdin = strings.NewReader(in)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if _, ended := errors.AsType[*exec.ExitError](err); ended && arg == "-l" && strings.Contains(said.String(), "no crontab for") {
		return "", nil
	}
	if err != nil {
		if text := strings.TrimSpace(said.String()); text != "" {
			err = fmt.Errorf("%w: %s", err, text)
		}
		return "", &failure{code: exitEnvironment, text: "crontab " + arg, cause: err, hint: "nothing was changed; add by hand what `brain dream install cron` prints"}
	}
	return string(out), nil
}
