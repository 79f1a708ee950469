package main

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"brain/store"
)

func importCommand() *command {
	var verify, dry bool
	return &command{
		name: "import", group: groupKeep, args: "FILE", min: 1, max: 1, schema: "import",
		short: "make a brain of an export, verified",
		long: `Makes a brain of what brain export wrote, an archive or a folder. Every file is compared with the SHA-256 in the manifest before anything becomes visible: the brain appears whole or not at all. It gets the name that it had unless --brain says another; a brain that exists must hold nothing but its brain.yml. The index is built by the first question.

An archive from anywhere is safe to give: paths that lead out, links, devices, .git, names that stand twice, and files that the manifest does not name are refused, and so is one that would fill the disk.

--verify only reads the export, and needs no memory root. --dry-run also looks whether the brain could be made.`,
		examples: []string{"brain import work-2026-03-02.tar.gz", "brain import work.tar.gz --brain old-work", "brain import --verify work.tar.gz"},
		exits: []exitNote{
			{exitNotFound, "no such file, or no memory root"},
			{exitConflict, "the brain exists and holds something"},
			{exitBusy, "another import runs in this root"},
			{exitEnvironment, "the export is damaged, or the brain cannot be written"},
		},
		flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&verify, "verify", false, "only read the export and compare every file")
			fs.BoolVar(&dry, "dry-run", false, "do all but write")
		},
		run: func(ctx context.Context, a *app, args []string) error {
			if verify {
				return a.verifyExport(ctx, args[0])
			}
			return a.importBrain(ctx, args[0], dry)
		},
	}
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
	return a.print("%s is whole: brain %s of %s, %s, %s\n", plain(j.From), plain(j.Brain), j.Made, count(j.Files, "file"), size(j.Bytes))
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
	return a.print("%s brain %s to %s: %s, %s, as of %s\n", did, plain(j.Brain), plain(j.Folder), count(j.Files, "file"), size(j.Bytes), j.Made)
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
