package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/pflag"

	"brain/memory"
)

// factFlags are what a fact says beside its text.
type factFlags struct {
	id          string
	content     string
	category    string
	confidence  float64
	validDays   int
	sourceError string
	given       precondition
	yes         bool
}

// flags are those of a fact that has category and confidence where nothing is said.
func (f *factFlags) flags(fs *pflag.FlagSet, category string, confidence float64) {
	fs.StringVar(&f.category, "category", category, "`CATEGORY` of the fact: "+strings.Join(memory.Categories, ", ")+", or a word of your own")
	fs.Float64Var(&f.confidence, "confidence", confidence, "how sure it is, `X` from 0 to 1")
	fs.IntVar(&f.validDays, "valid-days", 0, "look at it again after `N` days (0: as memory.stale_days says)")
	fs.StringVar(&f.sourceError, "source-error", "", "the `MISTAKE` that a correction replaces")
}

// check refuses numbers that no fact has.
func (f *factFlags) check(a *app) error {
	switch {
	case !(f.confidence >= 0 && f.confidence <= 1):
		return usage(fmt.Sprintf("--confidence: %v: from 0 to 1", f.confidence), "")
	case f.validDays < 0 || f.validDays > math.MaxInt32:
		return usage(fmt.Sprintf("--valid-days: %d: from 0 to %d days", f.validDays, math.MaxInt32), "")
	case a.changed("category") && strings.TrimSpace(f.category) == "":
		return usage("--category: it is empty", "name one, or leave it out")
	}
	return f.given.check(a, 1)
}

func factAddCommand() *command {
	var f factFlags
	return &command{
		name: "add", args: "TEXT…", min: 1, max: -1, schema: "fact-delta",
		short: "keep a fact",
		long: `Keeps TEXT (- is standard input) as a fact of the agent and prints its id. Nobody judges it: what is said in so many words is kept as it is.

When another fact says the same, in whatever case, nothing is written and the exit code is 4, with that fact's id. With memory.near_duplicates a fact that says nearly the same takes the new one in, keeps its id, and is named. When the agent has memory.max_facts already, the fact that counts for least goes; is that the new one, nothing is written, and the exit code is 4.`,
		examples: []string{
			`brain fact add "Likes tabs over spaces" --category preference --confidence 0.9`,
			`brain fact add "Uses Go 1.26" --category correction --source-error "Uses Go 1.21"`,
			`brain fact add 用户在北京工作 --category identity --agent coder`,
		},
		exits: factExits(exitNote{exitConflict, "another fact says the same, or there is no room for it"}),
		flags: func(fs *pflag.FlagSet) {
			f.flags(fs, "context", memory.DefaultConfidence)
			fs.StringVar(&f.id, "id", "", "call it `ID`: letters, digits, _ and - (default: made of what it says)")
			yesFlag(fs, &f.yes)
		},
		run: func(ctx context.Context, a *app, args []string) error { return a.factAdd(ctx, &f, args) },
	}
}

func (a *app) factAdd(ctx context.Context, f *factFlags, args []string) error {
	if err := f.check(a); err != nil {
		return err
	}
	text, err := a.statement(ctx, args)
	if err != nil {
		return err
	}
	o, m, err := a.openFactsToKeep(ctx, f.yes)
	if err != nil {
		return err
	}
	d, err := m.Add(ctx, a.self(), memory.Fact{ID: f.id, Content: text, Category: f.category, Confidence: f.confidence, ValidDays: f.validDays, SourceError: f.sourceError})
	if err != nil {
		return err
	}
	id := d.Merged
	if id == "" && len(d.Upserted) > 0 {
		id = d.Upserted[0].ID
	}
	if d.Merged != "" && !a.global.json && !a.global.quiet {
		a.note("brain: %s says nearly the same and takes it in", plain(id))
	}
	return a.printDelta(o, id, d)
}

func factUpdateCommand() *command {
	var f factFlags
	return &command{
		name: "update", args: "ID", min: 1, max: 1, schema: "fact-delta",
		short: "change a fact",
		long: `Changes what the flags name and leaves the rest, its creation included. What is changed to what it was already changes nothing. The revision of the fact grows by one.

With --if-revision the fact must be at that revision, with --if-hash its file what it was: somebody who edits it by hand leaves the revision as it is. Otherwise the exit code is 4 and nothing is written.`,
		examples: []string{`brain fact update fact_8b45d3735ba46cbe --content "Likes spaces"`, "brain fact update fact_8b45d3735ba46cbe --confidence 0.95 --if-revision 2"},
		exits:    factExits(exitNote{exitNotFound, "the agent has no such fact"}, exitNote{exitConflict, "it is at another revision, was edited, or another fact says the same"}),
		flags: func(fs *pflag.FlagSet) {
			fs.StringVar(&f.content, "content", "", "say `TEXT` from now on (- is standard input)")
			f.flags(fs, "", 0)
			f.given.flags(fs)
			yesFlag(fs, &f.yes)
		},
		run: func(ctx context.Context, a *app, args []string) error { return a.factUpdate(ctx, &f, args[0]) },
	}
}

func (a *app) factUpdate(ctx context.Context, f *factFlags, id string) error {
	if err := f.check(a); err != nil {
		return err
	}
	p, err := a.patch(ctx, f)
	if err != nil {
		return err
	}
	o, m, err := a.openFactsToKeep(ctx, f.yes)
	if err != nil {
		return err
	}
	d, err := m.Update(ctx, a.self(), id, p, f.given.given())
	if err != nil {
		return err
	}
	return a.printDelta(o, id, d)
}

// patch holds what the flags name.
func (a *app) patch(ctx context.Context, f *factFlags) (p memory.Patch, err error) {
	if a.changed("content") {
		if f.content, err = a.orPiped(ctx, f.content); err != nil {
			return p, err
		}
		p.Content = &f.content
	}
	if a.changed("category") {
		p.Category = &f.category
	}
	if a.changed("confidence") {
		p.Confidence = &f.confidence
	}
	if a.changed("valid-days") {
		p.ValidDays = &f.validDays
	}
	if a.changed("source-error") {
		p.SourceError = &f.sourceError
	}
	if p == (memory.Patch{}) {
		err = usage("brain fact update: nothing to change", "name a change: --content, --category, --confidence, --valid-days or --source-error")
	}
	return p, err
}

func factConfirmCommand() *command {
	var f factFlags
	return &command{
		name: "confirm", args: "ID", min: 1, max: 1, schema: "fact-delta",
		short:    "say that a fact still holds",
		long:     `Notes that the fact was confirmed now: it is fresh again. Nothing else confirms a fact, however often it is said or found.`,
		examples: []string{"brain fact confirm fact_8b45d3735ba46cbe"},
		exits:    factExits(exitNote{exitNotFound, "the agent has no such fact"}, exitNote{exitConflict, "it is at another revision, or was edited"}),
		flags: func(fs *pflag.FlagSet) {
			f.given.flags(fs)
			yesFlag(fs, &f.yes)
		},
		run: func(ctx context.Context, a *app, args []string) error {
			return a.factPoint(ctx, &f, args[0], a.openFactsToKeep, (*memory.Facts).Confirm)
		},
	}
}

func factDeleteCommand() *command {
	var f factFlags
	return &command{
		name: "delete", args: "ID", min: 1, max: 1, schema: "fact-delta",
		short:    "take a fact away",
		long:     `Deletes the file of the fact. ` + "`brain undo`" + ` brings it back; ` + "`brain forget --purge`" + ` of its path removes it for good.`,
		examples: []string{"brain fact delete fact_8b45d3735ba46cbe", "brain fact delete fact_8b45d3735ba46cbe --if-revision 3"},
		exits:    factExits(exitNote{exitNotFound, "the agent has no such fact"}, exitNote{exitConflict, "it is at another revision, or was edited"}),
		flags: func(fs *pflag.FlagSet) {
			f.given.flags(fs)
			yesFlag(fs, &f.yes)
		},
		run: func(ctx context.Context, a *app, args []string) error {
			return a.factPoint(ctx, &f, args[0], a.openFactsToWrite, (*memory.Facts).Delete)
		},
	}
}

// factPoint does one thing to one fact.
func (a *app) factPoint(ctx context.Context, f *factFlags, id string, open func(context.Context, bool) (*opened, *memory.Facts, error),
	do func(*memory.Facts, context.Context, string, string, memory.If) (*memory.Delta, error)) error {
	if err := f.given.check(a, 1); err != nil {
		return err
	}
	o, m, err := open(ctx, f.yes)
	if err != nil {
		return err
	}
	d, err := do(m, ctx, a.self(), id, f.given.given())
	if err != nil {
		return err
	}
	return a.printDelta(o, id, d)
}
