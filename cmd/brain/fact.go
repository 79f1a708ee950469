package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"brain/memory"
	"brain/store"
)

// Facts are read from their files and need no index: these commands work where that is
// missing, locked or cannot be written.

func factCommand() *command {
	return &command{
		name: "fact", group: groupWrite,
		short: "what an agent holds to be true of its user",
		long: `A fact is one short statement, a file of its own below agents/AGENT/facts/. It belongs to an agent (--agent, else BRAIN_AGENT, else nobody in particular), and is there for that agent alone. ` + "`brain compile`" + ` makes facts of what was said; these commands look at them and change them. doc/facts.md tells the rules.

The very same statement is never kept twice. An agent has memory.max_facts facts: one more, and the one that counts for least goes. Whatever a command takes away, ` + "`brain undo`" + ` brings back.`,
		examples: []string{`brain fact add "Likes tabs over spaces" --category preference --confidence 0.9`, "brain fact search tabs", "brain fact list", "brain fact update fact_8b45d3735ba46cbe --content \"Likes spaces\""},
		sub: []*command{
			factAddCommand(), factGetCommand(), factSearchCommand(), factListCommand(),
			factUpdateCommand(), factConfirmCommand(), factDeleteCommand(), factRemovedCommand(), factRestoreCommand(), factClearCommand(),
		},
	}
}

// factExits are the exits of a command that changes facts.
func factExits(more ...exitNote) []exitNote {
	return append([]exitNote{
		{exitNotFound, "no memory root or brain"},
		{exitBusy, "another process was writing for more than 30 s"},
		{exitEnvironment, "the disk is full or may not be written"},
	}, more...)
}

// openFacts opens a brain and its facts.
func (a *app) openFacts(ctx context.Context) (*opened, *memory.Facts, error) {
	o, err := a.open()
	if err != nil {
		return nil, nil, err
	}
	return o, a.facts(ctx, o), nil
}

// openFactsToWrite opens facts that the command may change.
func (a *app) openFactsToWrite(ctx context.Context, yes bool) (*opened, *memory.Facts, error) {
	if a.agent() == defaultAgent {
		return nil, nil, usage("--agent "+defaultAgent+": that is the place of facts of no agent in particular, and nobody's name", "leave --agent and BRAIN_AGENT out")
	}
	o, m, err := a.openFacts(ctx)
	if err != nil {
		return nil, nil, err
	}
	return o, m, a.mayWrite(o.st, yes)
}

// openFactsToKeep is openFactsToWrite for an agent that is to have a memory. One that is
// not may still take facts away.
func (a *app) openFactsToKeep(ctx context.Context, yes bool) (*opened, *memory.Facts, error) {
	o, m, err := a.openFactsToWrite(ctx, yes)
	if err == nil {
		err = o.settings.remembers(a.self())
	}
	return o, m, err
}

// statement is the text that the arguments give, - being standard input.
func (a *app) statement(ctx context.Context, args []string) (string, error) {
	return a.orPiped(ctx, strings.Join(args, " "))
}

// precondition is what a change takes for granted.
type precondition struct {
	revision int
	hash     string
}

func (c *precondition) flags(fs *pflag.FlagSet) {
	c.revisionFlag(fs, "the fact")
	fs.StringVar(&c.hash, "if-hash", "", "only if the fact's file has this `SHA256`")
}

func (c *precondition) revisionFlag(fs *pflag.FlagSet, what string) {
	fs.IntVar(&c.revision, "if-revision", 0, "only if "+what+" is at revision `N`")
}

func (c *precondition) check(a *app, least int) error {
	switch {
	case a.changed("if-revision") && c.revision < least:
		return usage(fmt.Sprintf("--if-revision: %d: from %d", c.revision, least), "`brain fact get --json` and `brain summary get --json` tell it as revision")
	case a.changed("if-hash") && !isHash(c.hash):
		return usage(fmt.Sprintf("--if-hash: %q is not a SHA-256 in hex", c.hash), "`brain fact get --json` tells it as hash")
	}
	return nil
}

func (c *precondition) given() memory.If {
	return memory.If{Revision: c.revision, Hash: store.Hash(strings.ToLower(c.hash))}
}

// exactly is a moment as the files of the memory have it.
func exactly(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// damagedJSON is a file among the facts that is none.
type damagedJSON struct {
	Path  string `json:"path"`
	Error string `json:"error"`
}

func damagedOf(all []memory.Damaged) []damagedJSON {
	out := []damagedJSON{}
	for _, d := range all {
		out = append(out, damagedJSON{string(d.Path), d.Err.Error()})
	}
	return out
}

// warnDamaged names the files that were left out.
func (a *app) warnDamaged(all []damagedJSON) {
	const most = 5
	for i, d := range all {
		if i == most {
			a.warn("and %d more; `brain lint` names them", len(all)-most)
			return
		}
		a.warn("left out: %s", plain(d.Error))
	}
}

// deltaJSON is what a change of facts came to: what it is about, and never the whole.
type deltaJSON struct {
	Brain    string           `json:"brain"`
	Agent    string           `json:"agent"`
	ID       string           `json:"fact_id"`  // of the fact that the command was about
	Hash     store.Hash       `json:"hash"`     // of its file, "" when it was not written
	Complete bool             `json:"complete"` // false: who keeps a copy must not take it for one
	Version  string           `json:"version"`
	Revision int              `json:"revision"` // of memory.json
	Updated  string           `json:"lastUpdated"`
	Upserted []memory.Fact    `json:"upsertedFacts"`
	Deleted  []string         `json:"deletedFactIds"`
	Evicted  []memory.Evicted `json:"evicted"` // of those deleted, what had to make room
	Adopted  int              `json:"adopted"` // facts of before version 2 that got a file with it
	Merged   string           `json:"merged"`  // the fact that took the new one in
	Job      string           `json:"job"`
}

func (a *app) delta(o *opened, id string, d *memory.Delta) *deltaJSON {
	var hash store.Hash
	if i := slices.IndexFunc(d.Upserted, func(f memory.Fact) bool { return f.ID == id }); i >= 0 {
		hash = d.Upserted[i].Hash()
	}
	return &deltaJSON{o.st.Name(), a.self(), id, hash, d.Complete, d.Version, d.Revision, exactly(d.Updated), list(d.Upserted), list(d.Deleted), list(d.Evicted), d.Adopted, d.Merged, d.Job}
}

// printDelta tells what became of the fact id.
func (a *app) printDelta(o *opened, id string, d *memory.Delta) error {
	if a.global.json {
		return a.json(a.delta(o, id, d))
	}
	if !a.global.quiet {
		a.tellMore(d)
	}
	if len(d.Upserted)+len(d.Deleted) == 0 && d.Merged == "" {
		return a.print("%s: nothing to change\n", plain(id))
	}
	return a.print("%s\n%s", plain(id), undoLine(d.Job))
}

// tellMore names what else the change did.
func (a *app) tellMore(d *memory.Delta) {
	if d.Adopted > 0 {
		a.note("brain: %s of before version 2 got a file each", count(d.Adopted, "fact"))
	}
	for _, e := range d.Evicted {
		a.note("brain: to make room, %s [%s] was taken away; `brain fact restore %[1]s` brings it back", plain(e.ID), plain(e.Category))
	}
}

// printFacts prints a list of facts, and how many more there are; none is a negative
// answer.
func (a *app) printFacts(j any, table string, shown, more int) (err error) {
	switch {
	case a.global.json:
		err = a.json(j)
	case shown == 0:
		err = a.print("no facts\n")
	default:
		err = a.print("%s", table)
	}
	if err != nil {
		return err
	}
	if more > 0 && !a.global.json && !a.global.quiet {
		a.note("brain: %s more; -n 0 lists all", count(more, "fact"))
	}
	if shown == 0 {
		return errNegative
	}
	return nil
}

// joined is one JSON object that has the keys of several.
type joined []any

func (j joined) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, v := range j {
		var one bytes.Buffer
		e := json.NewEncoder(&one)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			return nil, err
		}
		keys, ok := bytes.CutPrefix(bytes.TrimSpace(one.Bytes()), []byte("{"))
		if !ok {
			return nil, errors.New("joined: no JSON object")
		}
		if keys = bytes.TrimSuffix(keys, []byte("}")); len(keys) == 0 {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(keys)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
