package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"brain/store"
)

func undoCommand() *command {
	var n int
	var yes bool
	return &command{
		name: "undo", group: groupWrite, args: "[JOB]", max: 1, schema: "undo",
		short:    "take a change back",
		long:     `Gives the files of a job back as they were before it, byte for byte: what it added goes, what it changed, moved or removed returns. JOB is the name that a command printed; without it the last jobs are listed. When one of the files was changed since, nothing happens and the exit code is 4: what came later is never overwritten. An undo is a job itself and can be undone. Jobs are kept for 90 days under .brain/undo/; a purge cannot be undone.`,
		examples: []string{"brain undo", "brain undo 20261130-061642.123-k3x9ab"},
		exits: []exitNote{
			{exitNegative, "without JOB: there is none"},
			{exitNotFound, "no such job, root or brain"},
			{exitConflict, "a file of the job was changed since, or its bytes are gone"},
			{exitBusy, "another process was writing for more than 30 s"},
			{exitEnvironment, "the disk is full or may not be written"},
		},
		flags: func(fs *pflag.FlagSet) {
			fs.IntVarP(&n, "number", "n", 20, "list the last `N` jobs; 0 is all")
			yesFlag(fs, &yes)
		},
		run: func(ctx context.Context, a *app, args []string) error {
			if len(args) == 0 {
				return a.jobs(n)
			}
			return a.undo(ctx, args[0], yes)
		},
	}
}

type jobJSON struct {
	ID     string    `json:"id"`
	At     time.Time `json:"at"`
	Reason string    `json:"reason"`
	Undoes string    `json:"undoes"`
	Paths  []string  `json:"paths"`
}

// undoJSON is the job that took another back, or a list of jobs.
type undoJSON struct {
	Brain string    `json:"brain"`
	Job   *jobJSON  `json:"job"`
	Jobs  []jobJSON `json:"jobs"`
}

func jobOf(j *store.Job) jobJSON {
	out := jobJSON{j.ID, j.At, j.Reason, j.Undoes, []string{}}
	for _, c := range j.Changes {
		if !c.Renewed {
			out.Paths = append(out.Paths, c.Path)
		}
	}
	return out
}

func (a *app) jobs(n int) error {
	if n < 0 {
		return usage(fmt.Sprintf("-n: %d: from 0", n), "")
	}
	o, err := a.open()
	if err != nil {
		return err
	}
	jobs, err := o.st.Jobs(n)
	if err != nil {
		return err
	}
	j := undoJSON{Brain: o.st.Name(), Jobs: []jobJSON{}}
	var b strings.Builder
	for i := range jobs {
		job := jobOf(&jobs[i])
		j.Jobs = append(j.Jobs, job)
		fmt.Fprintf(&b, "%s  %-8s %s\n", job.ID, plain(job.Reason), plain(summary(job.Paths)))
	}
	switch {
	case a.global.json:
		err = a.json(j)
	case len(jobs) == 0:
		err = a.print("no jobs\n")
	default:
		err = a.print("%s", b.String())
	}
	if err == nil && len(jobs) == 0 {
		return errNegative
	}
	return err
}

// summary names the first of several paths.
func summary(paths []string) string {
	switch len(paths) {
	case 0:
		return ""
	case 1:
		return paths[0]
	}
	return fmt.Sprintf("%s and %d more", paths[0], len(paths)-1)
}

func (a *app) undo(ctx context.Context, id string, yes bool) error {
	o, err := a.openToWrite(yes)
	if err != nil {
		return err
	}
	done, receipt, err := o.st.Undo(ctx, id)
	if err != nil {
		return err
	}
	job := jobOf(done)
	a.touch(ctx, o, receipt)
	if a.global.json {
		return a.json(undoJSON{Brain: o.st.Name(), Job: &job, Jobs: []jobJSON{}})
	}
	var b strings.Builder
	for _, p := range job.Paths {
		fmt.Fprintf(&b, "%s\n", plain(p))
	}
	return a.print("%s%s", b.String(), undoLine(receipt.Job))
}
