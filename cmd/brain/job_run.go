package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"brain/store"
)

// Starting a job: the program runs itself once more, in a session of its own, so that it
// outlives the terminal and the agent that asked. The new process finds its folder in
// the environment, takes the folder's lock, and runs the command as ever, with the
// folder's files as its streams. Who started it waits until that has happened.

// jobMarker is the environment variable that names a job's folder to its process.
const jobMarker = "BRAIN_JOB"

const (
	jobStartWait  = 15 * time.Second
	jobPoll       = 100 * time.Millisecond // how often a job looks whether it should stop
	jobTell       = time.Second            // how often it writes down how far it is
	maxJobOut     = 16 << 20
	maxJobLog     = 1 << 20
	jobLogShown   = 2000 // bytes of the log of a job that did not start
	jobLockedWait = 5 * time.Second
)

// detach runs a command line of this program in the background and gives the id of the
// job once it runs. The command gets --json and the flags of every command.
func (a *app) detach(ctx context.Context, kind string, args []string) (id string, err error) {
	r, err := a.root()
	if err != nil {
		return "", err
	}
	l, err := a.settings(r)
	if err != nil {
		return "", err
	}
	name, err := brainName(r, l)
	if err != nil {
		return "", err
	}
	if _, err := r.BrainDir(name); err != nil {
		return "", err
	}
	rec := jobRecord{Kind: kind, Brain: name, Agent: a.agent(), Args: args}
	err = reclaimJobs(r)
	var j jobFolder
	if err == nil {
		j, err = newJob(r, rec)
	}
	if err == nil {
		err = a.start(ctx, j, r.Dir, &rec)
	}
	if err != nil {
		return "", &failure{code: exitEnvironment, text: "start " + kind + " in the background", cause: err,
			hint: "without --detach it runs here"}
	}
	return j.id(), nil
}

// tellDetached prints the job that was begun.
func (a *app) tellDetached(r store.Root, id string) error {
	if !a.global.json {
		if !a.global.quiet {
			a.note("brain: it goes on in the background: `brain job status %s`", id)
		}
		return a.print("%s\n", id)
	}
	j, err := findJob(r, id)
	if err != nil {
		return err
	}
	rec, err := j.look()
	if err != nil {
		return err
	}
	return a.json(j.json(rec))
}

// start begins the job's process and waits until it has taken over.
func (a *app) start(ctx context.Context, j jobFolder, root string, rec *jobRecord) error {
	self, err := os.Executable()
	if err != nil {
		return errors.Join(err, os.RemoveAll(j.dir))
	}
	args := []string{os.Args[0], "--json", "--root", root, "--brain", rec.Brain}
	if rec.Agent != "" {
		args = append(args, "--agent", rec.Agent)
	}
	log, err := os.OpenFile(j.file("err.log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return errors.Join(err, os.RemoveAll(j.dir))
	}
	defer log.Close()
	cmd := &exec.Cmd{
		Path: self, Args: append(args, rec.Args...), Dir: root, Stderr: log, SysProcAttr: apart(),
		Env: append(a.environ(), hookMarker+"=1", jobMarker+"="+j.dir),
	}
	if dir, _ := a.env("BRAIN_CONFIG_DIR"); dir != "" {
		cmd.Env = append(cmd.Env, "BRAIN_CONFIG_DIR="+a.path(dir)) // the job works in another folder
	}
	if err := cmd.Start(); err != nil {
		return errors.Join(err, os.RemoveAll(j.dir))
	}
	return a.takenOver(ctx, j, cmd)
}

// takenOver waits until the job's process has written that it runs. One that does not
// is ended.
func (a *app) takenOver(ctx context.Context, j jobFolder, cmd *exec.Cmd) error {
	ctx, stop := context.WithTimeout(ctx, jobStartWait)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	begun := func() bool {
		rec, err := j.read()
		return err == nil && rec.State != jobStarting
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if begun() {
				return nil
			}
		case err := <-ended:
			if begun() {
				return nil
			}
			return errors.Join(j.notStarted(err), os.RemoveAll(j.dir))
		case <-ctx.Done():
			err := cmd.Process.Kill() // a child that nobody has waited for: the pid is its own
			if begun() {
				return nil
			}
			return errors.Join(ctx.Err(), err, os.RemoveAll(j.dir))
		}
	}
}

// notStarted is the end of the log of a job that did not begin.
func (j jobFolder) notStarted(end error) error {
	raw, err := os.ReadFile(j.file("err.log"))
	said := strings.TrimSpace(harmless(string(raw[max(0, len(raw)-jobLogShown):])))
	if err != nil || said == "" {
		return fmt.Errorf("its process ended at once: %v", end)
	}
	return errors.New(strings.TrimPrefix(said, "brain: "))
}

// runningJob is the job that this process is.
type runningJob struct {
	jobFolder
	mu   sync.Mutex
	rec  *jobRecord
	told time.Time
}

// runJob is main for the process of a job.
func (a *app) runJob(ctx context.Context, dir string, args []string) int {
	j := &runningJob{jobFolder: jobFolder{dir}}
	unlock, err := j.takeOver(ctx)
	if err != nil {
		return a.fail(&failure{code: exitEnvironment, text: "run " + j.id(), cause: err})
	}
	out, err := os.OpenFile(j.file("out.jsonl"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err == nil {
		a.job, a.out, a.err = j, &bounded{to: out, left: maxJobOut}, &bounded{to: a.err, left: maxJobLog}
		ctx, stop := context.WithCancel(ctx)
		go j.watch(ctx, stop)
		code := a.main(ctx, args)
		stop()
		err = errors.Join(j.finish(code, a.failed), out.Close())
		if err == nil {
			err = unlock()
		}
		if err == nil {
			return code
		}
	}
	return a.fail(&failure{code: exitEnvironment, text: "run " + j.id(), cause: err})
}

// takeOver takes the job's lock and says that the job runs.
func (j *runningJob) takeOver(ctx context.Context) (unlock func() error, err error) {
	if !validJobID.MatchString(j.id()) || !filepath.IsAbs(j.dir) {
		return nil, fmt.Errorf("%s is no folder of a job", j.dir)
	}
	ctx, stop := context.WithTimeout(ctx, jobLockedWait)
	defer stop()
	for { // who looks at the job may hold the lock for a moment
		unlock, ok, err := j.lock()
		if err != nil {
			return nil, err
		}
		if ok {
			return unlock, j.begin()
		}
		select {
		case <-ctx.Done():
			return nil, errors.New("another process runs it")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (j *runningJob) begin() (err error) {
	if j.rec, err = j.read(); err != nil {
		return err
	}
	if j.rec.State != jobStarting {
		return fmt.Errorf("it is %s", j.rec.State)
	}
	j.rec.State, j.rec.PID = jobRunning, os.Getpid()
	if host, err := os.Hostname(); err == nil {
		j.rec.Host = host
	}
	if began, err := processStart(os.Getpid()); err == nil {
		j.rec.Process = began
	}
	return j.write(j.rec)
}

// watch stops the job when somebody asked for it.
func (j *runningJob) watch(ctx context.Context, stop context.CancelFunc) {
	tick := time.NewTicker(jobPoll)
	defer tick.Stop()
	for !j.cancelled() {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
	stop()
}

func (j jobFolder) cancelled() bool {
	_, err := os.Lstat(j.file("cancel"))
	return err == nil
}

// finish writes how the job ended.
func (j *runningJob) finish(code int, message string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.rec.Ended, j.rec.ExitCode, j.rec.Error = time.Now().UTC(), &code, message
	switch {
	case code == exitOK || code == exitNegative:
		j.rec.State = jobDone
	case code == exitInterrupted && j.cancelled():
		j.rec.State = jobCancelled
	default:
		j.rec.State = jobFailed
	}
	return j.write(j.rec)
}

// tellJob notes how far the job is that this process is, if it is one; it may be called
// as often as one likes.
func (a *app) tellJob(p jobProgress) {
	j := a.job
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.rec.Progress = p
	if now := time.Now(); now.Sub(j.told) >= jobTell {
		j.told = now
		if err := j.write(j.rec); err != nil {
			a.warn("how far %s is could not be written: %s", j.id(), plain(err.Error()))
		}
	}
}

// bounded passes on what fits and drops the rest, in whole writes.
type bounded struct {
	mu   sync.Mutex
	to   io.Writer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(p) > b.left {
		b.left = 0
		return len(p), nil
	}
	b.left -= len(p)
	return b.to.Write(p)
}
