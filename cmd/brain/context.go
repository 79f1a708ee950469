package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"brain/index"
	"brain/memory"
	"brain/retrieve"
)

type contextFlags struct {
	budget int
	mode   string
}

func contextCommand() *command {
	var f contextFlags
	return &command{
		name: "context", group: groupFind, args: "[QUESTION…]", max: -1, schema: "context",
		short: "print the block of memory that goes before an agent",
		long: `Prints what is known of the user: summaries, then facts, corrections first; with a QUESTION, the facts that answer it before the others, and the best pages. All of it fits into a budget of tokens; corrections have an allowance of their own beside it. Give the user's own words as the question, and none for a turn without any.

The block stands in a frame, <brain-memory>, that no stored text can close or open: what was remembered is data, not instructions. Where there is nothing to tell it prints nothing.

It works only in roots that you trust. It writes nothing, and that a fact stood in a block does not count as its use.`,
		examples: []string{
			"brain context",
			`brain context "which database does staging use?" --budget 1000`,
			"brain context 部署在哪里 --agent coder --json",
			"brain context --mode tool",
		},
		exits: []exitNote{
			{exitOK, "also when there is nothing to tell, or the agent or the setting wants no memory"},
			{exitUsage, "the root is not trusted"},
			{exitNotFound, "no memory root, or no such brain"},
			{exitEnvironment, "the facts cannot be read"},
		},
		flags: f.flags,
		run: func(ctx context.Context, a *app, args []string) error {
			return a.context(ctx, f, strings.Join(args, " "))
		},
	}
}

func (f *contextFlags) flags(fs *pflag.FlagSet) {
	fs.IntVar(&f.budget, "budget", 0, "`TOKENS` that the block may have, 100 to 8000 (default: setting memory.context_tokens, 2000)")
	fs.StringVar(&f.mode, "mode", "", "what is told: `MODE` middleware, or tool for summaries alone, when the agent searches by itself (default: setting memory.mode)")
}

// check refuses values before anything is opened.
func (f *contextFlags) check(a *app) error {
	rules := memory.DefaultRules()
	if rules.Budget = f.budget; a.changed("budget") && rules.Check() != nil {
		return usage(fmt.Sprintf("--budget: %d: from 100 to 8000 tokens", f.budget), "")
	}
	if !a.changed("mode") {
		return nil
	}
	return oneOf("mode", f.mode, memory.Middleware, memory.Tool)
}

func (a *app) context(ctx context.Context, f contextFlags, question string) error {
	if err := f.check(a); err != nil {
		return err
	}
	r, err := a.root()
	if err != nil {
		return err
	}
	trusted, err := a.trusted(r)
	if err != nil {
		return err
	}
	if !trusted {
		return usage("context: "+r.Dir+": the root is not trusted", "`brain trust` shows what it asks for and allows it")
	}
	o, err := a.open()
	if err != nil {
		return err
	}
	m := a.facts(ctx, o)
	off := o.settings.remembers(a.self())
	if off != nil {
		m.Rules.Injection = false
	}
	b, err := m.Context(ctx, memory.Request{Agent: a.self(), Question: question, Mode: f.mode, Budget: f.budget,
		Ask: func(ctx context.Context, q retrieve.Query) (*retrieve.Answer, error) {
			q.Timeout = o.settings.SearchTimeout
			answer, _, err := a.ask(ctx, o, q, index.Auto, "")
			return answer, err
		}})
	if err != nil {
		return err
	}
	if off != nil {
		b.Note = off.Error()
	}
	return a.printBlock(b)
}

// printBlock prints the bytes of the block and no other.
func (a *app) printBlock(b *memory.Block) error {
	if len(b.Degraded) > 0 {
		var all []string
		for _, d := range b.Degraded {
			all = append(all, d.Part+": "+d.Reason)
		}
		a.warn("the context is not complete: %s", plain(strings.Join(all, "; ")))
	}
	if a.global.json {
		return a.json(b)
	}
	return a.print("%s", b.Text)
}
