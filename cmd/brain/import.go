package main

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"brain/store"
	"brain/text"
)

func importCommand() *command {
	var f importFlags
	return &command{
		name: "import", group: groupKeep, args: "FILE", min: 1, max: 1, schema: "import",
		short: "make a brain of an export, verified",
		long: `Makes a brain of what brain export wrote, an archive or a folder. Every file is compared with the SHA-256 in the manifest before anything becomes visible: the brain appears whole or not at all. It gets the name that it had unless --brain says another; a brain that exists must hold nothing but its brain.yml. The index is built by the first question.

An archive from anywhere is safe to give: paths that lead out, links, devices, .git, names that stand twice, and files that the manifest does not name are refused, and so is one that would fill the disk.

--verify only reads the export, and needs no memory root. --dry-run also looks whether the brain could be made.

A JSON file, or - for standard input, is what brain export --format deermem or DeerMem wrote: the facts of an agent, and the user's summaries. The agent's facts become those of the file: what it names is restored over whatever it says now, what it does not name goes, and its summaries count unless --agent names an agent. All of that happens at once or, when anything in the file is wrong, not at all; brain undo takes it back. A file without a list of facts clears nothing, one with an empty list does. What was purged is not kept again. --json then prints what brain help schema import-facts describes.`,
		examples: []string{"brain import work-2026-03-02.tar.gz", "brain import work.tar.gz --brain old-work", "brain import --verify work.tar.gz", "brain import facts.json --agent coder --dry-run"},
		exits: []exitNote{
			{exitNotFound, "no such file, memory root or, for facts, brain"},
			{exitConflict, "the brain exists and holds something; facts were changed meanwhile, or since --if-revision"},
			{exitBusy, "another import runs in this root"},
			{exitEnvironment, "the export is damaged, or the brain cannot be written"},
		},
		flags: f.flags,
		run: func(ctx context.Context, a *app, args []string) error {
			raw, is, err := a.documentAt(ctx, args[0])
			switch {
			case err != nil:
				return err
			case is && f.verify:
				return a.verifyDocument(args[0], raw)
			case is:
				return a.importDocument(ctx, args[0], raw, &f)
			case a.changed("if-revision"):
				return usage("import: --if-revision is for the facts of a JSON file", "")
			case f.verify:
				return a.verifyExport(ctx, args[0])
			}
			return a.importBrain(ctx, args[0], f.dry)
		},
	}
}

type importFlags struct {
	verify, dry, yes bool
	given            precondition
}

func (f *importFlags) flags(fs *pflag.FlagSet) {
	fs.BoolVar(&f.verify, "verify", false, "only read the export and compare every file")
	fs.BoolVar(&f.dry, "dry-run", false, "do all but write")
	f.given.revisionFlag(fs, "memory.json, for a file of facts,")
	yesFlag(fs, &f.yes)
}

type importJSON struct {
	Brain  string `json:"brain"`
	ID     string `json:"id"`
	From   string `json:"from"`
	Folder string `json:"folder"` // "" with --verify
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
	Made   string `json:"made"`
	Wrote  bool   `json:"wrote"`
}

func (a *app) verifyExport(ctx context.Context, from string) error {
	m, err := store.Verify(ctx, a.path(from))
	if err != nil {
		return err
	}
	j := importJSON{Brain: m.Brain, ID: m.ID, From: a.path(from), Files: m.Count, Bytes: m.Bytes, Made: stamp(m.Made)}
	if a.global.json {
		return a.json(j)
	}
	return a.print("%s is whole: brain %s of %s, %s, %s\n", plain(j.From), plain(j.Brain), j.Made, count(j.Files, "file"), text.Size(j.Bytes))
}

func (a *app) importBrain(ctx context.Context, from string, dry bool) error {
	r, err := a.root()
	if err != nil {
		return err
	}
	in, err := r.Import(ctx, a.path(from), store.ImportOptions{Brain: a.global.brain, DryRun: dry})
	if errors.Is(err, store.ErrExists) {
		return &failure{code: exitConflict, text: err.Error(), hint: "name another brain with --brain; what exists is never overwritten"}
	}
	if err != nil {
		return err
	}
	if !dry {
		a.keepImported(ctx, in.Name)
	}
	j := importJSON{in.Name, in.ID, a.path(from), in.Dir, in.Count, in.Bytes, stamp(in.Made), !dry}
	if a.global.json {
		return a.json(j)
	}
	did := "imported"
	if dry {
		did = "would import"
	}
	return a.print("%s brain %s to %s: %s, %s, as of %s\n", did, plain(j.Brain), plain(j.Folder), count(j.Files, "file"), text.Size(j.Bytes), j.Made)
}

// keepImported gives the versions of a new brain to the ledger, where there is one. The
// brain is there whatever becomes of that.
func (a *app) keepImported(ctx context.Context, name string) {
	a.global.brain = name
	o, err := a.open()
	if err == nil {
		_, err = o.st.CommitAll(ctx)
	}
	if err != nil {
		a.warn("the ledger is skipped: %s", plain(err.Error()))
	}
}
