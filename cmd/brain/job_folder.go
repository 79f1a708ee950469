// Jobs are commands that go on in the background. A job is a folder of the root:
//
//	.brain/jobs/job-20261130-061642.123-3f9a2c/
//	    job.json   what was asked for, and how far it is; replaced whole
//	    LOCK       locked by the job's process as long as it lives
//	    cancel     there once somebody asked it to stop
//	    out.jsonl  what the command printed
//	    err.log    its warnings and errors
//
// The system gives the lock back the moment the process ends, however it ends. So a
// job.json that says "running" beside a free lock is that of a process which died; no
// pid and no age is needed to know it, and none is believed. Where a process is to be
// signalled the pid alone is not enough either: it may be another's by now.
//
// All of it can be thrown away: what a job works on keeps its own state.

package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"brain/store"
)

const (
	jobFormat   = 1
	jobIDTime   = "20060102-150405.000" // ids sort by time
	keepJobs    = 100
	keepJobsFor = 30 * 24 * time.Hour
	jobStarts   = time.Minute // after which a job that has not taken its lock never will
	maxJobFile  = 64 << 10
)

// States of a job.
const (
	jobStarting  = "starting" // its process has not taken the lock yet
	jobRunning   = "running"
	jobDone      = "done"
	jobFailed    = "failed"
	jobCancelled = "cancelled"
	jobDied      = "died" // its process ended without a word
)

var validJobID = regexp.MustCompile(`^job-\d{8}-\d{6}\.\d{3}-[a-z0-9]{6}$`)

// jobRecord is job.json.
type jobRecord struct {
	Format   int         `json:"format"`
	ID       string      `json:"id"`
	Kind     string      `json:"kind"`
	Brain    string      `json:"brain"`
	Agent    string      `json:"agent"`
	Args     []string    `json:"args"`
	State    string      `json:"state"`
	PID      int         `json:"pid"`
	Host     string      `json:"host"`
	Process  string      `json:"process"` // when the process began, as its system says it; "" where it does not
	Started  time.Time   `json:"started"`
	Ended    time.Time   `json:"ended,omitzero"`
	ExitCode *int        `json:"exit_code"`
	Error    string      `json:"error"`
	Progress jobProgress `json:"progress"`
}

// jobProgress is how far a job is, in steps of its kind, and what it counted.
type jobProgress struct {
	Done   int            `json:"done"`
	Total  int            `json:"total"`
	Counts map[string]int `json:"counts,omitempty"`
}

func (r *jobRecord) active() bool { return r.State == jobRunning || r.State == jobStarting }

// jobFolder is the folder of one job.
type jobFolder struct{ dir string }

func (j jobFolder) id() string              { return filepath.Base(j.dir) }
func (j jobFolder) file(name string) string { return filepath.Join(j.dir, name) }

// jobsDir is the folder of a root's jobs; a link in its place could lead anywhere.
func jobsDir(r store.Root) (string, error) {
	dir := filepath.Join(r.StateDir(), "jobs")
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		return "", &failure{code: exitEnvironment, text: "jobs: " + dir + " is no folder", hint: "remove it: `brain job` makes it anew"}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return dir, err
}

// newJob makes the folder of a job that is to start.
func newJob(r store.Root, rec jobRecord) (jobFolder, error) {
	dir, err := jobsDir(r)
	if err == nil {
		err = r.MakeState()
	}
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return jobFolder{}, err
	}
	rec.Started = time.Now().UTC()
	rec.ID = "job-" + rec.Started.Format(jobIDTime) + "-" + strings.ToLower(rand.Text()[:6])
	rec.Format, rec.State = jobFormat, jobStarting
	j := jobFolder{filepath.Join(dir, rec.ID)}
	if err := os.Mkdir(j.dir, 0o700); err != nil {
		return j, err
	}
	err = os.WriteFile(j.file("LOCK"), nil, 0o600)
	if err == nil {
		err = j.write(&rec)
	}
	if err != nil {
		err = errors.Join(err, os.RemoveAll(j.dir))
	}
	return j, err
}

// findJob is the folder of a job by its id.
func findJob(r store.Root, id string) (jobFolder, error) {
	dir, err := jobsDir(r)
	if err != nil {
		return jobFolder{}, err
	}
	j := jobFolder{filepath.Join(dir, id)}
	info, err := os.Lstat(j.dir)
	switch {
	case !validJobID.MatchString(id), errors.Is(err, fs.ErrNotExist), err == nil && !info.IsDir():
		return j, &failure{code: exitNotFound, text: fmt.Sprintf("no such job: %q", id), hint: "`brain job list` shows the jobs in the background; those of `brain undo` are others"}
	}
	return j, err
}

// jobFolders lists the folders of jobs, the newest first.
func jobFolders(r store.Root) ([]jobFolder, error) {
	dir, err := jobsDir(r)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []jobFolder
	for _, e := range slices.Backward(entries) {
		if e.IsDir() && validJobID.MatchString(e.Name()) {
			all = append(all, jobFolder{filepath.Join(dir, e.Name())})
		}
	}
	return all, err
}

// tell is the job for who lists many; ok is false for a folder that is being made or
// removed just now. A job whose record is damaged cannot be running.
func (j jobFolder) tell() (rec *jobRecord, ok bool) {
	rec, err := j.reclaim()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	if err != nil {
		rec = &jobRecord{Format: jobFormat, ID: j.id(), State: jobDied, Error: bare(err).Error()}
	}
	return rec, true
}

func (j jobFolder) read() (*jobRecord, error) {
	info, err := os.Lstat(j.file("job.json"))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file", j.file("job.json"))
	}
	f, err := os.Open(j.file("job.json"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxJobFile))
	if err != nil {
		return nil, err
	}
	rec := new(jobRecord)
	if err := json.Unmarshal(raw, rec); err != nil || rec.ID != j.id() {
		return nil, fmt.Errorf("%s is damaged", j.file("job.json"))
	}
	if rec.Format > jobFormat {
		return nil, fmt.Errorf("%s was written by a newer brain", j.file("job.json"))
	}
	return rec, nil
}

func (j jobFolder) write(rec *jobRecord) error {
	raw, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	return replaceFile(j.file("job.json"), append(raw, '\n'), 0o600)
}

// lock takes the job's lock if it is free; unlock gives it back.
func (j jobFolder) lock() (unlock func() error, ok bool, err error) {
	info, err := os.Lstat(j.file("LOCK"))
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", j.file("LOCK"))
	}
	if err != nil {
		return nil, false, err
	}
	fl := flock.New(j.file("LOCK"), flock.SetPermissions(0o600))
	ok, err = fl.TryLock()
	return fl.Unlock, ok, err
}

// alive reports whether a process holds the job's lock. It looks with a shared lock, so
// that two who look do not take each other for the job.
func (j jobFolder) alive() (bool, error) {
	info, err := os.Lstat(j.file("LOCK"))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	fl := flock.New(j.file("LOCK"), flock.SetPermissions(0o600))
	free, err := fl.TryRLock()
	if err != nil || !free {
		return err == nil, err
	}
	return false, fl.Unlock()
}

// look is the job as it is: one that says it is active beside a free lock has died.
func (j jobFolder) look() (*jobRecord, error) {
	rec, err := j.read()
	if err != nil || !rec.active() {
		return rec, err
	}
	if rec.State == jobStarting && time.Since(rec.Started).Abs() < jobStarts { // the clock may have been set back
		return rec, nil
	}
	alive, err := j.alive()
	if alive || err != nil {
		return rec, err
	}
	if rec, err = j.read(); err == nil && rec.active() { // it may have ended in between
		rec.State, rec.Error = jobDied, "its process ended without a word"
	}
	return rec, err
}

// reclaim is look, and writes down a death that it finds. Where it cannot, the next
// one will.
func (j jobFolder) reclaim() (*jobRecord, error) {
	rec, err := j.look()
	if err != nil || rec.State != jobDied || !rec.Ended.IsZero() {
		return rec, err
	}
	unlock, ok, err := j.lock()
	if err != nil || !ok {
		return rec, nil
	}
	if now, err := j.read(); err == nil && now.active() {
		rec.Ended = time.Now().UTC()
		if j.write(rec) != nil {
			rec.Ended = time.Time{}
		}
	}
	return rec, unlock()
}

// reclaimJobs writes down which jobs have died, and removes those that nobody will ask
// for: beyond the newest hundred, or older than thirty days.
func reclaimJobs(r store.Root) error {
	folders, err := jobFolders(r)
	if err != nil {
		return err
	}
	for i, j := range folders {
		rec, err := j.reclaim()
		var began time.Time
		if err == nil {
			began = rec.Started
		} else if info, err := os.Lstat(j.dir); err == nil {
			began = info.ModTime() // damaged, or never begun
		}
		old := time.Since(began)
		switch {
		case err == nil && rec.active(), err != nil && old < jobStarts:
		case i >= keepJobs, old > keepJobsFor:
			if err := os.RemoveAll(j.dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// purgeJobs removes what jobs tell: it may be of what has been purged. One that still
// runs keeps its record and loses what it printed.
func purgeJobs(r store.Root) error {
	folders, err := jobFolders(r)
	for _, j := range folders {
		rec, e := j.reclaim()
		if errors.Is(e, fs.ErrNotExist) {
			continue // it has not begun
		}
		if e != nil || !rec.active() {
			err = errors.Join(err, os.RemoveAll(j.dir))
			continue
		}
		for _, name := range []string{"out.jsonl", "err.log"} {
			if info, e := os.Lstat(j.file(name)); e == nil && info.Mode().IsRegular() {
				err = errors.Join(err, os.Truncate(j.file(name), 0))
			}
		}
	}
	return err
}
