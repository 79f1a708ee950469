package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"brain/inbox"
	"brain/memory"
)

func factClearCommand() *command {
	var all, confirm bool
	return &command{
		name: "clear", schema: "fact-clear",
		short: "take all facts of an agent away",
		long: `Takes away every fact of the agent, or with --all those of all agents and the summaries of the user. Conversations of theirs that wait or are being compiled are cancelled first, so that nothing of what was said before comes back; what is said later counts again.

Only facts go: an agent's other files, such as its settings, stay, and so do the conversations and pages. ` + "`brain undo`" + ` brings the facts back, of memory.json too; the copies that it keeps are gone after 90 days. Where facts were left of before DeerMem's version 2, a copy of the old file stays beside it (.v1.bak), which nothing reads.`,
		examples: []string{"brain fact clear --agent coder --confirm", "brain fact clear --all --confirm"},
		exits:    factExits(exitNote{exitConflict, "a file was edited meanwhile, or summaries of before version 2 say two things"}),
		flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&all, "all", false, "of every agent, and the summaries")
			fs.BoolVar(&confirm, "confirm", false, "yes, take them away; also where brain.yml says write: ask")
		},
		run: func(ctx context.Context, a *app, _ []string) error { return a.factClear(ctx, all, confirm) },
	}
}

type factClearJSON struct {
	Brain    string        `json:"brain"`
	Agent    string        `json:"agent"` // "" for all
	Deleted  []string      `json:"deletedFactIds"`
	Sessions int           `json:"sessions"` // that were cancelled
	Revision int           `json:"revision"` // of memory.json
	Left     []damagedJSON `json:"left"`     // files among the facts that are none
	Job      string        `json:"job"`
}

func (a *app) factClear(ctx context.Context, all, confirm bool) error {
	agent, whose := a.self(), "of "+a.self()
	if all {
		agent, whose = "", "of all agents"
	}
	switch {
	case all && a.agent() != "":
		return usage("brain fact clear: --all and an agent", "one or the other; BRAIN_AGENT names an agent, too")
	case !confirm:
		return usage("brain fact clear takes away all facts "+whose, "--confirm does it")
	}
	o, m, err := a.openFactsToWrite(ctx, confirm)
	if err != nil {
		return err
	}
	j := factClearJSON{Brain: o.st.Name(), Agent: agent}
	if j.Sessions, err = a.fence(ctx, o, agent); err != nil {
		return err
	}
	d, err := m.Clear(ctx, agent, all)
	if err != nil {
		return err
	}
	j.Deleted, j.Revision, j.Job = list(d.Deleted), d.Revision, d.Job
	if j.Left, err = leftAmongFacts(ctx, m, agent); err != nil {
		return err
	}
	if a.global.json {
		return a.json(j)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "cleared %s %s\n", count(len(j.Deleted), "fact"), plain(whose))
	if j.Sessions > 0 {
		fmt.Fprintf(&b, "cancelled %s\n", count(j.Sessions, "session"))
	}
	for _, d := range j.Left {
		fmt.Fprintf(&b, "left %s\n", plain(d.Error))
	}
	return a.print("%s%s", b.String(), undoLine(j.Job))
}

// fence sees to it that nothing is made of what was said before, not even by who is at it:
// it must be raised before anything is cleared.
func (a *app) fence(ctx context.Context, o *opened, agent string) (cancelled int, err error) {
	box, err := a.box(o)
	if err != nil {
		return 0, err
	}
	limited, stop := context.WithTimeout(ctx, writeTimeout) // for who adds to a session
	defer stop()
	return box.Cancel(limited, inbox.CancelOptions{Agent: agent, Running: true})
}

// leftAmongFacts are the files among an agent's facts, or among all, that are none.
func leftAmongFacts(ctx context.Context, m *memory.Facts, agent string) ([]damagedJSON, error) {
	agents, left := []string{agent}, []damagedJSON{}
	if agent == "" {
		var err error
		if agents, err = m.Agents(ctx); err != nil {
			return nil, err
		}
	}
	for _, agent := range agents {
		l, err := m.List(ctx, agent)
		if err != nil {
			return nil, err
		}
		left = append(left, damagedOf(l.Damaged)...)
	}
	return left, nil
}
