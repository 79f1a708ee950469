package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"brain/index"
	"brain/migrate"
)

// migrateCommand takes in what other memories kept. Each of them is a command of its
// own, since what may be said of them differs.
func migrateCommand() *command {
	c := &command{
		name: "migrate", group: groupKeep,
		short: "take in what another memory kept",
		long: `Takes what another program remembered into this brain. The source is only read. --dry-run tells first what would be written, what is there already, and what has no place here and why.

Nothing that exists is overwritten, and the same source once more writes nothing. What was purged from this brain does not come back. doc/migrate.md tells what becomes of each format.`,
		examples: []string{
			"brain migrate deermem --from ~/.deermem --all-users --dry-run",
			"brain migrate gbrain --from ~/brain --dry-run",
			"brain migrate mem0 --from export.json --agent assistant",
		},
	}
	c.sub = append(c.sub, migrateDeerMemCommand())
	for _, f := range migrate.Formats() {
		c.sub = append(c.sub, migrateFrom(f))
	}
	return c
}

type migrateFlags struct {
	from, agents, user string
	dry, yes           bool
}

// migrateHelp is what is particular about a format.
var migrateHelp = map[string]struct{ long, example string }{
	"df-memory": {`Copies the pages of a df-memory brain byte for byte to the paths that they have there. --from is the memory root, if it holds one brain, or the folder of a brain. Conversations that wait there are named; brain inbox add takes them in. A df-memory root can also be used where it is: brain opens it as it stands.`,
		"brain migrate df-memory --from ~/memory/brains/work"},
	"gbrain": {`Copies the pages of a gbrain folder. The rows of their fences of facts and takes become facts of the page, with their dates, and those that were struck count no more; a bare name in a key such as company or investors becomes a link. All else stays byte for byte, the timeline with its dated lines as well.`,
		"brain migrate gbrain --from ~/brain --dry-run"},
	"basic-memory": {`Copies the notes of a Basic Memory project. Observations and relations are read as they stand; a permalink becomes an alias, so that links that name it still lead somewhere, and a relation in quotes a link of the front matter. All else stays byte for byte.`,
		"brain migrate basic-memory --from ~/basic-memory --dry-run"},
	"server-memory": {`Makes a page of each entity that MCP's server-memory keeps: its type is a tag, its observations are a list, its relations lead to the other pages. --from is the file of JSON lines, what read_graph printed, or a folder of them. A line that is broken costs itself alone.`,
		"brain migrate server-memory --from memory.jsonl"},
	"mem0": {`Makes a fact of each memory of an export of mem0 or OpenMemory, and pages of its graph. The facts are those of --agent; --agents keep gives them to the agents that they name. An export of several users needs --user: a brain is one's. Where an agent would have more facts than memory.max_facts, that is said before anything is written.`,
		"brain migrate mem0 --from memories.json --user ann --agents keep"},
}

func migrateFrom(f migrate.Format) *command {
	var flags migrateFlags
	help := migrateHelp[f.Name]
	return &command{
		name: f.Name, schema: "migrate",
		short: "take in " + f.About,
		long: help.long + `

Nothing that exists is overwritten: where this brain has another text of a page or a fact, that stays, is named, and the exit code is 4. Texts are kept as they are; what looks like a secret is counted.`,
		examples: []string{help.example},
		exits: []exitNote{
			{exitUsage, "the source is none of this format; facts of several users, or more than fit, and nobody said so"},
			{exitNotFound, "no such source, memory root or brain"},
			{exitConflict, "all else is written, but the brain has another text of some"},
			{exitBusy, "another process was writing for more than 30 s"},
			{exitEnvironment, "the disk is full or may not be written"},
		},
		flags: func(fs *pflag.FlagSet) { flags.flags(fs, f.Name) },
		run:   func(ctx context.Context, a *app, _ []string) error { return a.migrate(ctx, f, &flags) },
	}
}

func (f *migrateFlags) flags(fs *pflag.FlagSet, format string) {
	fs.StringVar(&f.from, "from", "", "read `PATH`, a file or a folder")
	fs.BoolVar(&f.dry, "dry-run", false, "tell what would be done, and write nothing")
	fs.StringVar(&f.agents, "agents", "mine", "whose the things of an agent there become: `WHOSE` is mine (facts are those of --agent, pages are left out) or keep (they stay with that agent)")
	if format == "mem0" || format == "df-memory" {
		fs.StringVar(&f.user, "user", "", "take the facts of the user `ID` of the source alone")
	}
	fs.BoolVarP(&f.yes, "yes", "y", false, "write without asking where brain.yml says write: ask, and where not all facts have room")
}

type migrateJSON struct {
	Brain  string `json:"brain"`
	Format string `json:"format"`
	From   string `json:"from"`
	Wrote  bool   `json:"wrote"` // false with --dry-run
	*migrate.Report
}

func (a *app) migrate(ctx context.Context, format migrate.Format, f *migrateFlags) error {
	switch {
	case f.from == "":
		return usage("brain migrate "+format.Name+": --from is missing", "--from names "+format.About)
	case f.agents != "mine" && f.agents != "keep":
		return usage(fmt.Sprintf("--agents: %q is neither mine nor keep", f.agents), "")
	}
	src, closeSource, err := migrate.OpenSource(a.path(f.from))
	if err != nil {
		return &failure{text: "--from " + f.from, cause: bare(err)}
	}
	a.closers = append(a.closers, closeSource.Close)
	src.Name = f.from
	o, err := a.open()
	if err == nil {
		err = a.apart(o, f.from)
	}
	if err != nil {
		return err
	}
	im, err := a.importOf(ctx, o, src, format, f)
	if err != nil {
		return err
	}
	rep, err := im.Look(ctx)
	if err != nil {
		return a.cannotMigrate(rep, err)
	}
	j := migrateJSON{Brain: o.st.Name(), Format: format.Name, From: a.path(f.from), Report: rep}
	if f.dry {
		a.warnRoom(rep)
		return a.printMigrate(&j)
	}
	if err := a.mayMigrate(o, rep, f.yes); err != nil {
		return err
	}
	j.Wrote = true
	looked := *rep
	if j.Report, err = a.runMigrate(ctx, o, im, &looked); err != nil {
		a.warn("%s and %s were written before that", count(j.Pages.Written, "page"), count(j.Facts.Written, "fact"))
		return err
	}
	j.Agents, j.Secrets = looked.Agents, looked.Secrets
	return a.printMigrate(&j)
}

// apart refuses a source that holds the brain: what is written would be read again.
func (a *app) apart(o *opened, from string) error {
	rel, err := filepath.Rel(resolved(o.root.Dir, a.path(from)), o.st.Dir())
	if err == nil && rel != "." && filepath.IsLocal(rel) {
		return usage("--from "+from+": the brain "+o.st.Name()+" lies in it", "name what is to be taken in; or the pages are here already")
	}
	return nil
}

// importOf prepares the import.
func (a *app) importOf(ctx context.Context, o *opened, src *migrate.Source, format migrate.Format, f *migrateFlags) (*migrate.Import, error) {
	pack, err := o.pack()
	if err != nil {
		return nil, err
	}
	facts := a.facts(ctx, o)
	facts.Told = nil // the index is told of all at once
	return &migrate.Import{
		Store: o.st, Facts: facts, Source: src, Read: format.Read, Agent: a.agent(),
		Options: migrate.Options{KeepAgents: f.agents == "keep", User: f.user, Pack: pack},
	}, nil
}

// cannotMigrate says what to do about an error of the look.
func (a *app) cannotMigrate(rep *migrate.Report, err error) error {
	switch {
	case errors.Is(err, migrate.ErrUsers):
		return &failure{code: exitUsage, text: "migrate", cause: err, hint: "--user names the one that is meant; give the others brains of their own (brain init --brain NAME)"}
	case errors.Is(err, migrate.ErrFormat):
		return &failure{code: exitUsage, text: "migrate", cause: err, hint: "nothing was written; doc/migrate.md has the formats"}
	}
	return err
}

// mayMigrate asks where there is something to be asked, before anything is written.
func (a *app) mayMigrate(o *opened, rep *migrate.Report, yes bool) error {
	if err := a.mayWrite(o.st, yes); err != nil {
		return err
	}
	for _, room := range rep.Agents {
		if err := o.settings.remembers(room.Agent); err != nil && room.Come > 0 {
			return err
		}
		if room.Over() == 0 || yes {
			continue
		}
		what := roomText(room)
		err := a.confirm(what+". Go on?", usage("migrate: "+what, "--yes goes on, and keeps what memory.eviction values most; memory.max_facts makes room"), usage("not written", ""))
		if err != nil {
			return err
		}
	}
	return nil
}

func roomText(r migrate.Room) string {
	return fmt.Sprintf("agent %s has %s, %d more come, and %d is the most (memory.max_facts): %d will have no room",
		plain(r.Agent), count(r.Have, "fact"), r.Come, r.Max, r.Over())
}

func (a *app) warnRoom(rep *migrate.Report) {
	for _, room := range rep.Agents {
		if room.Over() > 0 {
			a.warn("%s", roomText(room))
		}
	}
}

// runMigrate writes, and then lets index and ledger know.
func (a *app) runMigrate(ctx context.Context, o *opened, im *migrate.Import, looked *migrate.Report) (*migrate.Report, error) {
	o.oneEntry()
	bar := a.progress(o.st.Name())
	all := looked.Pages.Found + looked.Facts.Found
	im.Progress = func(done int) { bar.draw("migrate", done, all) }
	rep, err := im.Run(ctx)
	bar.wipe()
	if rep.Pages.Written+rep.Facts.Written > 0 {
		a.endEntry(ctx, o, true)
		a.syncWritten(ctx, o)
	}
	return rep, err
}

// syncWritten takes what was written into the index. Where there is none yet the first
// question builds it.
func (a *app) syncWritten(ctx context.Context, o *opened) {
	e, err := a.engine(o)
	if err == nil && e.built() {
		_, err = e.ix.Sync(ctx, e.st, index.SyncOptions{OnWait: a.indexWaiting(o.st.Name())})
		e.bar.wipe()
	}
	if err != nil && ctx.Err() == nil {
		a.warn("written, but the index is not up to date: %s", plain(err.Error()))
	}
}

// printMigrate prints what was done, or would be.
func (a *app) printMigrate(j *migrateJSON) error {
	var err error
	if a.global.json {
		err = a.json(j)
	} else {
		err = a.print("%s", migrateText(j))
	}
	if different := j.Pages.Different + j.Facts.Different; err == nil && different > 0 && j.Wrote {
		a.note("brain: %d not written: this brain has another text, which stays", different)
		return ended{exitConflict}
	}
	return err
}

// maxExamples is how many examples of a reason are shown.
const maxExamples = 3

func migrateText(j *migrateJSON) string {
	var b strings.Builder
	did := "imported from"
	if !j.Wrote {
		did = "would import from"
	}
	fmt.Fprintf(&b, "%s %s (%s) into brain %s: %s, %s\n", did, plain(j.From), j.Format, plain(j.Brain), count(j.Pages.Written, "page"), count(j.Facts.Written, "fact"))
	if n := j.Pages.There + j.Facts.There; n > 0 {
		fmt.Fprintf(&b, "there already: %s, %s\n", count(j.Pages.There, "page"), count(j.Facts.There, "fact"))
	}
	for i, r := range j.Renamed {
		if i == maxExamples {
			fmt.Fprintf(&b, "renamed: and %d more; --json names them\n", len(j.Renamed)-i)
			break
		}
		fmt.Fprintf(&b, "renamed: %s, since another page is called %s\n", plain(string(r.Path)), plain(string(r.Wanted)))
	}
	if len(j.Users) > 0 {
		fmt.Fprintf(&b, "user there: %s\n", plain(strings.Join(j.Users, ", ")))
	}
	if len(j.Evicted) > 0 {
		fmt.Fprintf(&b, "made room: %s of before (memory.max_facts)\n", count(len(j.Evicted), "fact"))
	}
	writeDropped(&b, j.Report)
	writeCounts(&b, "looks like a secret, and is kept as it is", j.Secrets)
	switch n := len(j.Jobs); {
	case n > maxExamples:
		fmt.Fprintf(&b, "undo: brain undo, for each of %d jobs, the last one first; --json names them\n", n)
	case n > 0:
		fmt.Fprintf(&b, "undo: brain undo %s\n", strings.Join(j.Jobs, "; brain undo "))
	}
	return b.String()
}

func writeDropped(b *strings.Builder, rep *migrate.Report) {
	total := 0
	for _, n := range rep.Reasons {
		total += n
	}
	if total > 0 {
		fmt.Fprintf(b, "dropped: %d (--json names each)\n", total)
	}
	for _, why := range rep.ByReason() {
		fmt.Fprintf(b, "  %d  %s\n", rep.Reasons[why], why.Phrase())
		shown := 0
		for _, d := range rep.Dropped {
			if d.Reason != why {
				continue
			}
			if shown++; shown > maxExamples {
				break
			}
			fmt.Fprintf(b, "     %s\n", plain(example(&d)))
		}
	}
}

// example is a drop on one line: where, what, and what else is to be said.
func example(d *migrate.Dropped) string {
	s := d.Where
	if d.What != "" && !strings.HasSuffix(d.Where, d.What) {
		s += ": " + d.What
	}
	if d.Detail != "" {
		s += " (" + d.Detail + ")"
	}
	return s
}
