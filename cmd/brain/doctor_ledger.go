package main

import (
	"context"
	"fmt"
	"path/filepath"

	"brain/store"
)

// ledger are the settings of git as the store takes them.
func (l *loaded) ledger(r store.Root) store.LedgerOptions {
	o := store.LedgerOptions{Settings: l.schemaFiles(r), Mode: l.GitMode, Branch: l.GitBranch, Sessions: l.GitSessions == "yes", Age: l.GitBatchInterval}
	if o.Mode == "off" {
		o.Mode = ""
	}
	if o.Branch == "own" {
		o.Branch = ""
	}
	return o
}

// schemaFiles are the files of the root that say what pages mean: memory.yml, and the
// schema pack's if it is in the root.
func (l *loaded) schemaFiles(r store.Root) []string {
	files := []string{filepath.Base(r.Settings())}
	if l.SchemaPack == builtinPack || !within(r.Dir, l.SchemaPack) {
		return files
	}
	name := filepath.FromSlash(l.SchemaPack)
	if filepath.IsAbs(name) {
		rel, err := filepath.Rel(r.Dir, name)
		if err != nil {
			return files
		}
		name = rel
	}
	return append(files, filepath.ToSlash(filepath.Clean(name)))
}

// examineLedger looks where the versions of what is written go.
func examineLedger(ctx context.Context, x *examination, o *opened) {
	o.st.Ledger = o.settings.ledger(o.root)
	s, err := o.st.LedgerState(ctx)
	waiting := ""
	if s.Dirty > 0 {
		waiting = fmt.Sprintf("; %s since %s not committed yet", count(s.Dirty, "write"), stamp(s.Oldest))
	}
	switch {
	case err != nil:
		x.fail("ledger", err)
	case s.Mode == "off":
		x.ok("ledger", "off: git keeps no versions")
	case s.Blocked != "" && s.Dirty > 0 && s.Repository != "":
		x.warn("ledger", s.Blocked+waiting, "brain sync --commit, when that is over; or git.mode: off")
	case s.Blocked != "":
		x.ok("ledger", "no versions are kept now: "+s.Blocked)
	default:
		if s.Limits != "" {
			waiting += "; " + s.Limits
		}
		x.ok("ledger", fmt.Sprintf("%s: %s in %s%s", s.Mode, s.Ref, s.Repository, waiting))
	}
}
