package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"brain/store"
)

func jobCommand() *command {
	return &command{
		name: "job", group: groupKeep, short: "commands that go on in the background",
		long:     `A command that was started with --detach is a job: it goes on when the terminal or the agent is gone. A job is a folder under .brain/jobs/ with its state, its output and its log; the newest 100 of the last 30 days are kept. Nothing is lost with them, nor with a job that dies: what it worked on keeps its own state. See doc/jobs.md.`,
		examples: []string{"brain job list", "brain job status job-20261130-061642.123-k3x9ab"},
		sub:      []*command{jobListCommand(), jobStatusCommand(), jobCancelCommand()},
	}
}

func jobListCommand() *command {
	var n int
	return &command{
		name: "list", max: 0, schema: "job-list",
		short:    "what runs and what ran",
		long:     `Lists the jobs of the root, of all its brains unless --brain names one; the newest first: id, what it does, its state, how far it is. A job whose process ended without a word has died; that is noticed here, and written down.`,
		examples: []string{"brain job list", "brain job list -n 0 --json"},
		exits:    []exitNote{{exitNegative, "there is none"}, {exitNotFound, "no memory root"}},
		flags:    func(fs *pflag.FlagSet) { fs.IntVarP(&n, "number", "n", 20, "list the last `N` jobs; 0 is all") },
		run:      func(_ context.Context, a *app, _ []string) error { return a.jobList(n) },
	}
}

func jobStatusCommand() *command {
	var wait time.Duration
	return &command{
		name: "status", args: "ID", min: 1, max: 1, schema: "job-status",
		short:    "how far a job is, or how it ended",
		long:     `Tells the state of a job: starting, running, done, failed, cancelled, or died, which is a process that ended without a word. Also how far it is, its error, and where its output and its log are.`,
		examples: []string{"brain job status job-20261130-061642.123-k3x9ab", "brain job status job-20261130-061642.123-k3x9ab --wait 10m --json"},
		exits: []exitNote{
			{exitNegative, "it failed, was cancelled, or died"},
			{exitNotFound, "no such job or root"},
			{exitBusy, "with --wait: it still runs"},
		},
		flags: func(fs *pflag.FlagSet) {
			fs.DurationVar(&wait, "wait", 0, "wait up to `TIME` until it has ended, as in 30s or 10m")
		},
		run: func(ctx context.Context, a *app, args []string) error { return a.jobStatus(ctx, args[0], wait) },
	}
}

func jobCancelCommand() *command {
	f := cancelFlags{wait: 10 * time.Second}
	return &command{
		name: "cancel", args: "ID", min: 1, max: 1, schema: "job-status",
		short: "ask a job to stop",
		long: `Asks a job to stop and waits until it has. A job looks for that a few times a second and stops at the next safe point: what it has done is kept, what it has not is left for the next time.

--force also sends its process the signal to end (SIGTERM), if it is beyond doubt its own: the job's lock is held, and the process of that number began when the job's did. No other process is ever signalled.`,
		examples: []string{"brain job cancel job-20261130-061642.123-k3x9ab"},
		exits: []exitNote{
			{exitNegative, "it had ended already"},
			{exitNotFound, "no such job or root"},
			{exitConflict, "with --force: the process is not the job's"},
			{exitBusy, "it still runs; it stops when it can"},
			{exitEnvironment, "the job's folder may not be written, or the system cannot tell whose process it is"},
		},
		flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&f.force, "force", false, "also send its process the signal to end")
			fs.DurationVar(&f.wait, "wait", f.wait, "wait up to `TIME` until it has ended; 0 does not wait")
		},
		run: func(ctx context.Context, a *app, args []string) error { return a.jobCancel(ctx, args[0], f) },
	}
}

type cancelFlags struct {
	force bool
	wait  time.Duration
}

// backgroundJSON is job.json with the places of its files.
type backgroundJSON struct {
	jobRecord
	Dir string `json:"dir"`
	Out string `json:"out"`
	Log string `json:"log"`
}

func (j jobFolder) json(rec *jobRecord) backgroundJSON {
	rec.Args = list(rec.Args)
	return backgroundJSON{*rec, j.dir, j.file("out.jsonl"), j.file("err.log")}
}

type jobListJSON struct {
	Root string           `json:"root"`
	Jobs []backgroundJSON `json:"jobs"`
}

func (a *app) jobList(n int) error {
	if n < 0 {
		return usage(fmt.Sprintf("-n: %d: from 0", n), "")
	}
	r, err := a.root()
	if err != nil {
		return err
	}
	folders, err := jobFolders(r)
	if err != nil {
		return err
	}
	j := jobListJSON{Root: r.Dir, Jobs: []backgroundJSON{}}
	for _, folder := range folders {
		rec, ok := folder.tell()
		if !ok || a.global.brain != "" && rec.Brain != a.global.brain {
			continue
		}
		if j.Jobs = append(j.Jobs, folder.json(rec)); len(j.Jobs) == n {
			break
		}
	}
	switch {
	case a.global.json:
		err = a.json(j)
	case len(j.Jobs) == 0:
		err = a.print("no jobs\n")
	default:
		for i := range j.Jobs {
			rec := &j.Jobs[i].jobRecord
			err = errors.Join(err, a.print("%s  %-8s %-9s %-9s %s\n", rec.ID, plain(rec.Kind), plain(rec.State), rec.Progress, plain(rec.Brain)))
		}
	}
	if err == nil && len(j.Jobs) == 0 {
		return errNegative
	}
	return err
}

// String is "3/12", or nothing for a job that did not say.
func (p jobProgress) String() string {
	if p.Done == 0 && p.Total == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", p.Done, p.Total)
}

func (a *app) jobStatus(ctx context.Context, id string, wait time.Duration) error {
	r, err := a.root()
	if err != nil {
		return err
	}
	j, err := findJob(r, id)
	if err != nil {
		return err
	}
	rec, err := j.wait(ctx, wait)
	if err != nil {
		return err
	}
	switch err := a.printJob(j, rec); {
	case err != nil:
		return err
	case rec.active() && wait > 0:
		return errRunning
	case rec.active() || rec.State == jobDone:
		return nil
	}
	return errNegative
}

// wait looks at a job until it has ended or the time is over.
func (j jobFolder) wait(ctx context.Context, limit time.Duration) (*jobRecord, error) {
	end := time.NewTimer(limit)
	defer end.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for over := limit <= 0; ; {
		rec, err := j.reclaim()
		if err != nil || over || !rec.active() {
			return rec, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-end.C:
			over = true
		case <-tick.C:
		}
	}
}

func (a *app) printJob(j jobFolder, rec *jobRecord) error {
	if a.global.json {
		return a.json(j.json(rec))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s of brain %s: %s\n", rec.ID, rec.Kind, rec.Brain, rec.State)
	if rec.Error != "" {
		fmt.Fprintf(&b, "error: %s\n", rec.Error)
	}
	fmt.Fprintf(&b, "started: %s", rec.Started.Format(time.RFC3339))
	if rec.PID != 0 {
		fmt.Fprintf(&b, ", process %d on %s", rec.PID, rec.Host)
	}
	if !rec.Ended.IsZero() {
		fmt.Fprintf(&b, "\nended: %s", rec.Ended.Format(time.RFC3339))
	}
	if p := rec.Progress; p.String() != "" {
		fmt.Fprintf(&b, "\nprogress: %d of %d", p.Done, p.Total)
		for _, name := range slices.Sorted(maps.Keys(p.Counts)) {
			fmt.Fprintf(&b, ", %d %s", p.Counts[name], name)
		}
	}
	fmt.Fprintf(&b, "\noutput: %s\nlog: %s\n", j.file("out.jsonl"), j.file("err.log"))
	return a.print("%s", harmless(b.String()))
}

func (a *app) jobCancel(ctx context.Context, id string, f cancelFlags) error {
	r, err := a.root()
	if err != nil {
		return err
	}
	j, err := findJob(r, id)
	if err != nil {
		return err
	}
	rec, err := j.reclaim()
	if err != nil {
		return err
	}
	if !rec.active() {
		return errors.Join(a.printJob(j, rec), errNegative)
	}
	if err := j.askToStop(); err != nil {
		return err
	}
	if f.force {
		if err := j.signal(rec); err != nil {
			return err
		}
	}
	if rec, err = j.wait(ctx, f.wait); err != nil {
		return err
	}
	if err := a.printJob(j, rec); err != nil || !rec.active() {
		return err
	}
	return errRunning
}

// askToStop leaves word for the job.
func (j jobFolder) askToStop() error {
	f, err := os.OpenFile(j.file("cancel"), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("cancel %s: %w", j.id(), err)
	}
	return f.Close()
}

// signal tells the job's process to end. The handle is taken before it is looked at, so
// that where the system has handles of processes no later one with its number can be
// meant.
func (j jobFolder) signal(rec *jobRecord) error {
	refuse := func(cause error) error {
		return &failure{code: exitEnvironment, text: fmt.Sprintf("signal process %d of %s", rec.PID, rec.ID), cause: cause,
			hint: "it was asked to stop and will when it can"}
	}
	p, err := os.FindProcess(rec.PID)
	if err != nil {
		return refuse(err)
	}
	defer p.Release()
	began, err := processStart(rec.PID)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return refuse(err)
	}
	if alive, err := j.alive(); err != nil || !alive {
		return err // it ended just now
	}
	if rec.PID <= 1 || rec.Process == "" || began != rec.Process {
		return &failure{code: exitConflict, text: fmt.Sprintf("signal process %d of %s: it is not the job's", rec.PID, rec.ID),
			hint: "nothing was signalled; the job was asked to stop and will when it can"}
	}
	if err := askToEnd(p); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return refuse(err)
	}
	return nil
}

// examineJobs finds jobs that have died and that nobody has noticed.
func examineJobs(x *examination, r store.Root) {
	folders, err := jobFolders(r)
	if err != nil {
		x.fail("jobs", err)
		return
	}
	var running int
	var died []string
	for _, j := range folders {
		switch rec, err := j.look(); {
		case err != nil:
		case rec.active():
			running++
		case rec.State == jobDied && rec.Ended.IsZero():
			died = append(died, rec.ID)
		}
	}
	if len(died) > 0 {
		x.warn("jobs", "died: "+strings.Join(died, ", "), "what they left undone is done by the next one; `brain job list` notes it")
		return
	}
	x.ok("jobs", fmt.Sprintf("%d running", running))
}
