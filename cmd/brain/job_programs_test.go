package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Programs that the tests of jobs start.

// detached is a program of its own: it runs its arguments as a command of brain in the
// background and prints the id of the job.
func detached() {
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.LookupEnv, environ: os.Environ, dir: "."}
	if dir, err := os.Getwd(); err == nil {
		a.dir = dir
	}
	os.Args[0] = "brain"
	id, err := a.detach(context.Background(), os.Args[1], os.Args[1:])
	if err != nil {
		os.Exit(a.fail(err))
	}
	fmt.Println(id)
}

// deafJob is the process of a job that does not look whether it should stop, but
// listens to signals.
func deafJob() {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGTERM)
	j := &runningJob{jobFolder: jobFolder{os.Args[1]}}
	unlock, err := j.takeOver(context.Background())
	if err == nil {
		<-heard
		err = errors.Join(j.finish(exitInterrupted, "heard"), unlock())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
