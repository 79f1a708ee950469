package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"brain/llm"
	"brain/store"
)

func doctorCommand() *command {
	return &command{
		name: "doctor", group: groupKeep, max: 0, schema: "doctor",
		short:    "check what brain needs around it",
		long:     "Checks root, settings, brain, whether the brain may be written, the index and its lock, the disk under it, the embedder, and git. Each line says ok, warn or fail, and what to do. Nothing is written but an empty index folder; a model server is asked for one vector.",
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
}

func (x *examination) ok(name, message string) {
	x.checks = append(x.checks, checkup{name, "ok", message, ""})
}

func (x *examination) warn(name, message, hint string) {
	x.checks = append(x.checks, checkup{name, "warn", message, hint})
}

func (x *examination) fail(name string, err error) {
	x.checks = append(x.checks, checkup{name, "fail", err.Error(), judge(err).hint})
}

func (a *app) doctor(ctx context.Context) error {
	x := &examination{}
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

// examine goes from the outside in and stops where nothing further can be told.
func (a *app) examine(ctx context.Context, x *examination) {
	r, err := a.root()
	if err != nil {
		x.fail("root", err)
		return
	}
	x.ok("root", r.Dir)
	l, err := a.settings(r)
	if err != nil {
		x.fail("settings", err)
		return
	}
	x.ok("settings", r.Settings())
	a.examineEmbedder(ctx, x, &l.settings)
	examineGit(ctx, x)
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
	a.examineIndex(ctx, x, o)
}

// examineBrain looks at the files.
func examineBrain(ctx context.Context, x *examination, o *opened) {
	listing, err := o.st.List(ctx)
	switch {
	case err != nil:
		x.fail("brain", err)
	case len(listing.Unreadable) > 0:
		x.warn("brain", fmt.Sprintf("%s: %s; cannot be read: %s", o.st.Name(), count(len(listing.Files), "page"), strings.Join(listing.Unreadable, ", ")), "check their permissions")
	default:
		x.ok("brain", fmt.Sprintf("%s: %s in %s", o.st.Name(), count(len(listing.Files), "page"), o.st.Dir()))
	}
	switch why := o.st.ReadOnly(); {
	case why != "" && o.st.Meta().Write == store.WriteNo && o.st.Meta().Problem == "":
		x.ok("write", why)
	case why != "":
		x.warn("write", "read-only: "+why, "correct brain.yml, or install the newer brain")
	default:
		x.ok("write", o.st.Meta().Write)
	}
	examineDisk(x, "disk", o.st.Dir())
}

// lowDisk is the free space below which a sync may fail halfway.
const lowDisk = 256 << 20

func examineDisk(x *examination, name, dir string) {
	d, err := diskOf(dir)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
	case err != nil:
		x.fail(name, fmt.Errorf("%s: %w", dir, err))
	case d.network != "" && name == "index disk":
		x.warn(name, fmt.Sprintf("%s is on a network disk (%s): locks and speed may suffer", dir, d.network), "put it on a local disk: BRAIN_INDEX_PATH=DIR")
	case d.free < lowDisk:
		x.warn(name, fmt.Sprintf("%s: %s free", dir, size(d.free)), "make room")
	default:
		x.ok(name, fmt.Sprintf("%s free%s", size(d.free), before("; network disk: ", d.network)))
	}
}

// disk is what the system tells of the file system under a folder.
type disk struct {
	free    int64
	network string // its kind, "" for a local one
}

func (a *app) examineIndex(ctx context.Context, x *examination, o *opened) {
	dir := o.indexDir()
	if err := writableDir(dir); err != nil {
		x.checks = append(x.checks, checkup{"index", "fail", fmt.Sprintf("%s cannot be written: %v; queries search the files", dir, bare(err)), "check its permissions, or move it: BRAIN_INDEX_PATH=DIR"})
		return
	}
	examineDisk(x, "index disk", dir)
	e, err := a.engine(o)
	if err != nil {
		if e != nil {
			x.fail("index", err)
		}
		return // an embedder that cannot be made was named already
	}
	if !e.built() {
		x.ok("index", "not built yet; the first query builds it")
		return
	}
	st, err := e.ix.Status(ctx, o.st)
	switch {
	case err != nil:
		x.fail("index", err)
		return
	case st.Damaged != "":
		x.warn("index", "damaged: "+st.Damaged, "brain sync --rebuild")
	default:
		x.ok("index", fmt.Sprintf("generation %d, %s, %s", st.Generation, count(st.Pages, "page"), size(st.Bytes)))
	}
	if st.Pending+st.Failed > 0 {
		x.warn("vectors", fmt.Sprintf("%d pending, %d failed", st.Pending, st.Failed), "brain sync --pending-embeddings")
	}
	if st.Lock != nil {
		x.ok("lock", fmt.Sprintf("held by process %d on %s: %s; queries go on meanwhile", st.Lock.PID, st.Lock.Host, st.Lock.What))
	} else {
		x.ok("lock", "free")
	}
}

// writableDir makes the folder where it is missing and tries to write a file in it.
func writableDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
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
		hint := judge(err).hint
		if m, ok := errors.AsType[*llm.Error](err); ok && m.Class == llm.Timeout {
			hint = "it may still load the model; try again in a minute"
		}
		x.checks = append(x.checks, checkup{"embedder", "fail", err.Error(), hint})
		return
	}
	i := e.Info()
	x.ok("embedder", fmt.Sprintf("%s, %d dimensions", i.Fingerprint, i.Dims))
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
		x.warn("git", fmt.Sprintf("%s does not run: %v", path, err), "repair git")
		return
	}
	x.ok("git", strings.TrimSpace(string(out)))
}
