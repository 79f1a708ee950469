package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"brain/store"
	"brain/text"
)

func exportCommand() *command {
	var f exportFlags
	return &command{
		name: "export", group: groupKeep, args: "[FILE]", max: 1, schema: "export",
		short: "write the whole brain to one file or folder",
		long: `Writes everything of a brain that is content (pages, sessions, agents, attachments, verdicts) with a manifest that names each file and its SHA-256. --to FILE.tar.gz makes an archive, any other name a folder, - writes the archive to standard output; without --to the file is NAME-DATE.tar.gz in the current folder. The result appears whole or not at all, shows one moment, and can be read by you alone, since sessions are in it.

Left out are .git, .txn, .brain, memory.yml and the index; links, fifos and brains inside the brain are left out and named. A file that cannot be read ends the export.

With --format deermem it is the facts of the agent and the user's summaries as one JSON value, in the form that DeerMem exports and imports; without FILE, or with -, it goes to standard output (brain help schema export-deermem).`,
		examples: []string{"brain export", "brain export --to ~/backup/work.tar.gz --force", "brain export --to - | ssh host 'cat > work.tar.gz'", "brain export --format deermem --agent coder facts.json"},
		exits: []exitNote{
			{exitNotFound, "no memory root or brain"},
			{exitConflict, "the file or folder exists"},
			{exitBusy, "the brain kept changing while it was read"},
			{exitEnvironment, "a file cannot be read, or the export cannot be written"},
		},
		flags: f.flags,
		run: func(ctx context.Context, a *app, args []string) error {
			if err := f.check(args); err != nil {
				return err
			}
			if f.format == formatDeerMem {
				return a.exportDocument(ctx, f)
			}
			return a.export(ctx, f)
		},
	}
}

type exportFlags struct {
	to, format string
	force      bool
}

// formatDeerMem is the document of one agent's memory.
const formatDeerMem = "deermem"

func (f *exportFlags) check(args []string) error {
	if len(args) > 0 && f.to != "" {
		return usage("export: two names of where to: "+args[0]+" and --to "+f.to, "one or the other")
	}
	if len(args) > 0 {
		f.to = args[0]
	}
	return oneOf("format", f.format, "brain", formatDeerMem)
}

func (f *exportFlags) flags(fs *pflag.FlagSet) {
	fs.StringVar(&f.to, "to", "", "where to: a `FILE`.tar.gz, a folder, or - (default NAME-DATE.tar.gz here)")
	fs.StringVar(&f.format, "format", "brain", "`WHAT` is written: brain, all of it, or deermem, the agent's facts as one JSON value")
	fs.BoolVar(&f.force, "force", false, "replace the file, or an export in a folder, that is there")
}

type exportJSON struct {
	Brain   string          `json:"brain"`
	ID      string          `json:"id"`
	To      string          `json:"to"`
	Files   int             `json:"files"`
	Bytes   int64           `json:"bytes"`
	Skipped []store.Skipped `json:"skipped"`
}

func (a *app) export(ctx context.Context, f exportFlags) error {
	o, err := a.open()
	if err != nil {
		return err
	}
	if f.to == "-" {
		return a.exportToOutput(ctx, o)
	}
	to := a.path(f.to)
	if f.to == "" {
		to = a.path(o.st.Name() + "-" + time.Now().Format(time.DateOnly) + ".tar.gz")
	}
	if err := o.checkExport(to); err != nil {
		return err
	}
	ex, err := o.st.Export(ctx, to, store.ExportOptions{Force: f.force, Leave: filepath.Dir(o.indexDir())})
	if errors.Is(err, store.ErrExists) {
		return &failure{code: exitConflict, text: err.Error(), hint: "choose another name; --force replaces a file, or a folder that holds an export"}
	}
	if err != nil {
		return err
	}
	if a.global.json {
		return a.json(exportJSON{ex.Brain, ex.ID, to, ex.Count, ex.Bytes, list(ex.Skipped)})
	}
	return a.print("%s", exportText(&ex, to))
}

func exportText(ex *store.Export, to string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "exported brain %s to %s: %s, %s\n", plain(ex.Brain), plain(to), count(ex.Count, "file"), text.Size(ex.Bytes))
	for _, s := range ex.Skipped {
		fmt.Fprintf(&b, "left out %s: %s\n", plain(s.Path), s.Reason)
	}
	return b.String()
}

// checkExport refuses to write an export among the pages that it copies.
func (o *opened) checkExport(to string) error {
	to = resolved(o.root.Dir, to)
	for _, pages := range []string{filepath.Join(o.root.Dir, "brains"), o.st.Dir()} {
		if rel, err := filepath.Rel(resolved(o.root.Dir, pages), to); err == nil && filepath.IsLocal(rel) {
			return usage("export: "+to+" lies among the pages of a brain", "name a place outside of them with --to")
		}
	}
	return nil
}

// exportToOutput makes the archive in a temporary folder first: half an archive is
// worth nothing to whoever reads it.
func (a *app) exportToOutput(ctx context.Context, o *opened) error {
	if a.global.json || terminal(a.out) {
		return usage("export: --to - writes an archive to standard output", "send it to a file or a program, without --json")
	}
	dir, err := os.MkdirTemp("", "brain-export-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "brain.tar.gz")
	ex, err := o.st.Export(ctx, name, store.ExportOptions{Leave: filepath.Dir(o.indexDir())})
	if err != nil {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.Copy(a.out, f); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	if !a.global.quiet {
		a.note("brain: %s", strings.TrimSuffix(exportText(&ex, "standard output"), "\n"))
	}
	return nil
}
