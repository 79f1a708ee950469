// Command brain is long-term memory for AI agents over a tree of Markdown files.
//
// This package is the program's surface and nothing more: the only code that prints,
// reads the environment, or exits. A file is a command with its flags, its help text
// and its run function; commands.go turns such a value into a cobra command, a help
// page and a section of doc/cli.md, so the three never disagree. What a library could
// hold is in a library.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// table lists the commands in the order in which help shows them.
func table() []*command {
	return []*command{
		initCommand(), addCommand(), rememberCommand(), editCommand(), moveCommand(), forgetCommand(), undoCommand(), entityCommand(), factCommand(), summaryCommand(),
		queryCommand(), contextCommand(), readCommand(), historyCommand(), blameCommand(), linksCommand(), graphCommand(),
		syncCommand(), checkCommand(), statusCommand(), lintCommand(), doctorCommand(),
		inboxCommand(), compileCommand(), dreamCommand(), contradictionCommand(), skillCommand(), jobCommand(),
		exportCommand(), importCommand(), migrateCommand(),
		hookCommand(),
		evalCommand(), configCommand(), trustCommand(), completionCommand(), versionCommand(), helpCommand(),
	}
}

func main() {
	os.Exit(Main())
}

// memoryLimit is where the collector begins to work harder. Only a first index of
// tens of thousands of pages comes near it; without a limit the heap would grow to
// twice what that needs before anything is given back.
const memoryLimit = 512 << 20

// Main runs the program on the process's own streams and gives its exit code.
func Main() int {
	if os.Getenv("BRAIN_DEBUG") == "" {
		log.SetOutput(io.Discard) // libraries log there what is no user's business
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // a removed folder: every path that matters fails with its own message
	}
	inHook := os.Getenv(hookMarker) != ""
	if err := os.Setenv(hookMarker, "1"); err != nil { // for whatever brain starts, and what that starts
		inHook = true // else it could go on without end
	}
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.LookupEnv, environ: os.Environ, dir: dir, inHook: inHook, exit: os.Exit}
	if folder := os.Getenv(jobMarker); folder != "" {
		os.Unsetenv(jobMarker) // what the job starts is not the job
		return a.runJob(ctx, folder, os.Args[1:])
	}
	return a.main(ctx, os.Args[1:])
}
