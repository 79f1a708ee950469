package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"brain/memory"
)

// An agent's facts and the user's summaries as one JSON value, for `brain export --format
// deermem` and `brain import FILE.json`.

// maxDocument bounds a document that is read. One fact has a few hundred bytes.
const maxDocument = 64 << 20

type documentJSON struct {
	Brain    string `json:"brain"`
	Agent    string `json:"agent"`
	To       string `json:"to"`
	Facts    int    `json:"facts"`
	Revision int    `json:"revision"` // of memory.json
}

// exportDocument writes the document, to standard output or to a file that appears
// whole or not at all.
func (a *app) exportDocument(ctx context.Context, f exportFlags) error {
	o, m, err := a.openFacts(ctx)
	if err != nil {
		return err
	}
	d, err := m.Export(ctx, a.agent())
	if err != nil {
		return err
	}
	if f.to == "" || f.to == "-" {
		return a.json(d)
	}
	to := a.path(f.to)
	if err := o.checkExport(to); err != nil {
		return err
	}
	if _, err := os.Lstat(to); !f.force && !errors.Is(err, fs.ErrNotExist) {
		return &failure{code: exitConflict, text: "export: " + to + " exists already", hint: "choose another name; --force replaces a file"}
	}
	raw, err := document(d)
	if err == nil {
		err = replaceFile(to, raw, 0o600)
	}
	if err != nil {
		return fmt.Errorf("export facts to %s: %w", to, err)
	}
	j := documentJSON{o.st.Name(), a.self(), to, len(d.Facts), d.Summaries.Revision}
	if a.global.json {
		return a.json(j)
	}
	return a.print("exported %s of %s to %s\n", count(j.Facts, "fact"), plain(j.Agent), plain(to))
}

// document is the text of a document for people and programs.
func document(d *memory.Document) ([]byte, error) {
	raw, err := d.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.Indent(&b, raw, "", "  ")
	return append(b.Bytes(), '\n'), err
}

// documentAt reads a document, if that is what a file is: what begins with a brace, or
// is called .json, or comes by standard input.
func (a *app) documentAt(ctx context.Context, name string) (raw []byte, is bool, err error) {
	in := a.in
	if name != "-" {
		fi, err := os.Stat(a.path(name))
		if err != nil || !fi.Mode().IsRegular() {
			return nil, false, nil // for the import of a brain to tell
		}
		f, err := os.Open(a.path(name))
		if err != nil {
			return nil, false, err
		}
		defer f.Close()
		in = f
	}
	raw, err = await(ctx, func() ([]byte, error) {
		head := make([]byte, 512)
		n, err := io.ReadFull(in, head)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return nil, err
		}
		head = head[:n]
		if is = name == "-" || strings.EqualFold(filepath.Ext(name), ".json") || memory.IsDocument(head); !is {
			return nil, nil
		}
		rest, err := io.ReadAll(io.LimitReader(in, maxDocument))
		return append(head, rest...), err
	})
	switch {
	case err != nil:
		err = fmt.Errorf("import %s: %w", name, err)
	case len(raw) > maxDocument:
		err = usage(fmt.Sprintf("import %s: more than %d MiB", name, maxDocument>>20), "")
	}
	return raw, is, err
}

type verifiedJSON struct {
	From  string `json:"from"`
	Facts int    `json:"facts"`
}

// verifyDocument only says whether a document is sound.
func (a *app) verifyDocument(from string, raw []byte) error {
	n, err := memory.CheckDocument(raw)
	if err != nil {
		return fmt.Errorf("verify %s: %w", from, err)
	}
	if a.global.json {
		return a.json(verifiedJSON{from, n})
	}
	return a.print("%s is sound: %s\n", plain(from), count(n, "fact"))
}

type importedJSON struct {
	Brain     string           `json:"brain"`
	Agent     string           `json:"agent"`
	From      string           `json:"from"`
	Written   []string         `json:"writtenFactIds"`
	Deleted   []string         `json:"deletedFactIds"`
	Evicted   []memory.Evicted `json:"evicted"` // of those deleted, what had to make room
	Unchanged int              `json:"unchanged"`
	Skipped   []memory.Skipped `json:"skipped"`
	Summaries bool             `json:"summaries"` // whether those of the document were taken
	Revision  int              `json:"revision"`  // of memory.json
	Wrote     bool             `json:"wrote"`     // false with --dry-run
	Job       string           `json:"job"`
}

// importDocument makes the agent's facts those of a document; its summaries count when no
// agent is named.
func (a *app) importDocument(ctx context.Context, from string, raw []byte, f *importFlags) error {
	if err := f.given.check(a, 0); err != nil {
		return err
	}
	o, m, err := a.openFactsToKeep(ctx, f.yes)
	if err != nil {
		return err
	}
	options := memory.ImportOptions{Summaries: a.agent() == "", DryRun: f.dry}
	if a.changed("if-revision") {
		options.IfRevision = &f.given.revision
	}
	in, err := m.Import(ctx, a.agent(), raw, options)
	if err != nil {
		return err
	}
	j := importedJSON{Brain: o.st.Name(), Agent: a.self(), From: from, Written: []string{}, Deleted: list(in.Deleted), Evicted: list(in.Evicted),
		Unchanged: in.Unchanged, Skipped: list(in.Skipped), Summaries: options.Summaries, Revision: in.Revision, Wrote: !f.dry, Job: in.Job}
	for _, f := range in.Upserted {
		j.Written = append(j.Written, f.ID)
	}
	if a.global.json {
		return a.json(j)
	}
	return a.print("%s", importedText(&j))
}

func importedText(j *importedJSON) string {
	var b strings.Builder
	did := "imported"
	if !j.Wrote {
		did = "would import"
	}
	fmt.Fprintf(&b, "%s facts of %s: %d written, %d removed, %d as they were\n", did, plain(j.Agent), len(j.Written), len(j.Deleted), j.Unchanged)
	for _, e := range j.Evicted {
		fmt.Fprintf(&b, "removed %s: there is no room for it\n", plain(e.ID))
	}
	for _, s := range j.Skipped {
		why := "it was purged and is not kept again"
		if s.Reason == memory.SkippedDuplicate {
			why = plain(s.Of) + " says the same"
		}
		fmt.Fprintf(&b, "left out %s: %s\n", plain(s.ID), why)
	}
	return b.String() + undoLine(j.Job)
}
