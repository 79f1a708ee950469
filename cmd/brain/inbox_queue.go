package main

import (
	"context"

	"github.com/spf13/pflag"

	"brain/inbox"
)

// What changes where sessions stand: retry and cancel.

type inboxQueueFlags struct{ all, running, yes bool }

func inboxRetryCommand() *command {
	var f inboxQueueFlags
	return &command{
		name: "retry", args: "[SESSION…]", max: -1, schema: "inbox-retry",
		short:    "let sessions that failed be compiled again",
		long:     "Makes sessions pending again: those named, when they failed, were cancelled or are put off, or are done and to be looked at anew, such as after `brain undo`; or with --all every session of the agent that failed. `brain compile` then takes them. Prints how many they are.",
		examples: []string{"brain inbox retry 4f1c", "brain inbox retry --all"},
		exits:    queueExits("none of the sessions named failed, was cancelled, is put off or done"),
		flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&f.all, "all", false, "every session of the agent that failed")
			yesFlag(fs, &f.yes)
		},
		run: func(ctx context.Context, a *app, args []string) error { return a.inboxRetry(ctx, &f, args) },
	}
}

func inboxCancelCommand() *command {
	var f inboxQueueFlags
	return &command{
		name: "cancel", args: "[SESSION…]", max: -1, schema: "inbox-cancel",
		short:    "let sessions that wait not be compiled",
		long:     "Cancels sessions that are pending: those named, or with --all every one of the agent, without --agent of all agents. What was said stays, and can be found; turns that are added later wait again. With --running also what is being compiled just now, of which nothing will be written. Prints how many they are.",
		examples: []string{"brain inbox cancel 4f1c", "brain inbox cancel --all --running --agent coder"},
		exits:    queueExits("none of the sessions named waits; what is being compiled, only --running cancels"),
		flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&f.all, "all", false, "every session that waits: of the agent that --agent names, else of all")
			fs.BoolVar(&f.running, "running", false, "also what is being compiled")
			yesFlag(fs, &f.yes)
		},
		run: func(ctx context.Context, a *app, args []string) error { return a.inboxCancel(ctx, &f, args) },
	}
}

func queueExits(none string) []exitNote {
	return []exitNote{
		{exitNegative, none},
		{exitNotFound, "the agent has no such session"},
		{exitBusy, "another process adds to the session"},
		{exitEnvironment, "the disk is full or may not be written"},
	}
}

// queuedJSON is what retry and cancel did.
type queuedJSON struct {
	Brain    string `json:"brain"`
	Agent    string `json:"agent"`
	Sessions int    `json:"sessions"` // that changed
}

func (a *app) inboxRetry(ctx context.Context, f *inboxQueueFlags, args []string) error {
	return a.queued(ctx, f, args, "retry", "pending again", func(ctx context.Context, box *inbox.Box, ids []string) (int, error) {
		if len(ids) > 0 {
			return box.Retry(ctx, ids)
		}
		ours, err := a.ourSessions(ctx, box)
		for _, m := range ours {
			if m.State == inbox.Failed {
				ids = append(ids, m.Session)
			}
		}
		if err != nil || len(ids) == 0 {
			return 0, err
		}
		return box.Retry(ctx, ids)
	})
}

func (a *app) inboxCancel(ctx context.Context, f *inboxQueueFlags, args []string) error {
	return a.queued(ctx, f, args, "cancel", "cancelled", func(ctx context.Context, box *inbox.Box, ids []string) (int, error) {
		n, err := box.Cancel(ctx, inbox.CancelOptions{Agent: a.agent(), IDs: ids, Running: f.running})
		if err == nil && !f.running {
			err = a.tellRunning(ctx, box, ids)
		}
		return n, err
	})
}

// tellRunning names the sessions that are being compiled, which only --running cancels.
func (a *app) tellRunning(ctx context.Context, box *inbox.Box, ids []string) error {
	for _, id := range ids {
		m, err := box.Meta(ctx, id)
		if err != nil && !is(inbox.ErrNotFound)(err) {
			return err
		}
		if m.State == inbox.Compiling {
			a.note("brain: session %s is being compiled, and goes on: --running cancels it as well", plain(id))
		}
	}
	return nil
}

// queued changes the sessions that are named, of the agent all when none is, and prints
// how many did change.
func (a *app) queued(ctx context.Context, f *inboxQueueFlags, args []string, verb, became string, change func(context.Context, *inbox.Box, []string) (int, error)) error {
	switch {
	case len(args) == 0 && !f.all:
		return usage("brain inbox "+verb+": no session is named", "name some, or --all")
	case len(args) > 0 && f.all:
		return usage("brain inbox "+verb+": --all and names of sessions", "one or the other")
	}
	o, err := a.openToWrite(f.yes)
	if err != nil {
		return err
	}
	box, err := a.box(o)
	if err != nil {
		return err
	}
	var ids []string
	for _, name := range args {
		m, err := a.ourSession(ctx, box, name)
		if err != nil {
			return err
		}
		ids = append(ids, m.Session)
	}
	limited, stop := context.WithTimeout(ctx, writeTimeout) // for who adds to a session
	defer stop()
	n, err := change(limited, box, ids)
	if err != nil {
		return err
	}
	if a.global.json {
		agent := a.self()
		if verb == "cancel" && len(args) == 0 {
			agent = a.agent() // none: those of all
		}
		err = a.json(queuedJSON{o.st.Name(), agent, n})
	} else {
		err = a.print("%s %s\n", count(n, "session"), became)
	}
	if err == nil && n == 0 && len(ids) > 0 {
		return errNegative
	}
	return err
}
