package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"brain/index"
	"brain/page"
)

// Lint is strict where reading is tolerant. It looks four times, each time at
// more: at a page alone (lint_page.go), at the tree that pages lie in
// (lint_tree.go), at the names they bear (lint_names.go), at the links between
// them (lint_links.go). A finding names path, line, rule, what is wrong and what
// to do; the rules are a table (lint_rules.go). What has one right answer can be
// mended by --fix (lint_fix.go).

type lintFlags struct {
	format           string
	fix, dryRun, yes bool
}

func lintCommand() *command {
	var f lintFlags
	return &command{
		name: "lint", group: groupKeep, args: "[PATH…]", max: -1, schema: "lint",
		short: "find mistakes in pages, each with line and fix",
		long: `Reads the pages, all of them or those named, and lists what reading had to forgive (front matter that is not valid, merge conflicts, text that is not UTF-8), what links and names have come to (targets that are missing or ambiguous, names that several pages bear, redirects that lead nowhere or in a circle), and what the tree hides (files that are too large to be pages, names that are one file on another disk). doc/lint.md explains every finding. Every page is searchable all the same.

PATH is a page or a folder of the brain.

A finding is an error (text is lost or not found), a warning, or a note. Notes alone are no reason for exit code 1.

--fix mends what has one right answer: it quotes a value with a colon in it, replaces tabs in the front matter, deletes a key that stands twice with one value and a path key that lies, and leads a chain of redirects straight to its end. Nothing else of a page changes, byte for byte. --dry-run shows it and writes nothing.`,
		examples: []string{"brain lint", "brain lint notes/today.md", "brain lint sources/billing --json", "brain lint --fix --dry-run", "brain lint --format sarif > lint.sarif"},
		exits: []exitNote{
			{exitNegative, "there are errors or warnings (left)"},
			{exitNotFound, "no such page, folder or brain"},
			{exitBusy, "--fix: another process was writing for more than 30 s"},
			{exitEnvironment, "the brain cannot be read"},
		},
		flags: func(fs *pflag.FlagSet) {
			fs.StringVar(&f.format, "format", "", "`FORM` of the result: text, json (as --json) or sarif (SARIF 2.1.0)")
			fs.BoolVar(&f.fix, "fix", false, "mend what has one right answer")
			fs.BoolVar(&f.dryRun, "dry-run", false, "with --fix: show what would change, as a diff, and write nothing")
			fs.BoolVarP(&f.yes, "yes", "y", false, "with --fix: write without asking where brain.yml says write: ask")
		},
		run: func(ctx context.Context, a *app, args []string) error { return a.lint(ctx, &f, args) },
	}
}

// check settles the form of the result.
func (f *lintFlags) check(a *app) error {
	switch f.format {
	case "":
		f.format = either(a.global.json, "json", "text")
	case "json", "sarif":
		a.global.json = true // for errors, too
	case "text":
		if a.global.json {
			return usage("brain lint: --format text and --json", "choose one of them")
		}
	default:
		return usage("--format: "+f.format+": text, json or sarif", "")
	}
	if !f.fix && (f.dryRun || f.yes) {
		return usage("brain lint: --dry-run and --yes belong to --fix", "add --fix")
	}
	return nil
}

type lintFinding struct {
	Path     string   `json:"path"`
	Line     int      `json:"line"` // 0: the whole file
	Code     string   `json:"code"`
	Severity severity `json:"severity"`
	Message  string   `json:"message"`
	Fix      string   `json:"fix"`
	Fixable  bool     `json:"fixable"` // by --fix
}

type lintJSON struct {
	Brain    string        `json:"brain"`
	Pages    int           `json:"pages"`
	Findings []lintFinding `json:"findings"`
	DryRun   bool          `json:"dry_run"`
	Fixed    []lintFix     `json:"fixed"` // with dry_run: what would be
}

// linter is one look at a brain.
type linter struct {
	a      *app
	o      *opened
	e      *engine
	all    []page.File // the brain's pages
	files  []page.File // those to be checked
	whole  bool        // they are all of them
	chosen map[page.Path]bool
	view   *index.View // nil when there is no index
	lines  map[page.Path]nameLines
	stubs  map[page.Path][]byte // the redirects among them
	facts  []supersession
	mends  []mend
	found  []lintFinding
}

func (a *app) lint(ctx context.Context, f *lintFlags, args []string) error {
	if err := f.check(a); err != nil {
		return err
	}
	o, err := a.open()
	if err != nil {
		return err
	}
	l, err := a.lintAll(ctx, o, nil, args)
	if err != nil {
		return err
	}
	j := lintJSON{Brain: o.st.Name(), DryRun: f.dryRun}
	if f.fix {
		if j.Fixed, err = l.fix(ctx, f); err != nil {
			return err
		}
		if len(j.Fixed) > 0 && !f.dryRun {
			if l, err = a.lintAll(ctx, o, l.e, args); err != nil {
				return err
			}
		}
	}
	j.Pages, j.Findings, j.Fixed = len(l.files), list(l.found), list(j.Fixed)
	if err := a.printLint(f, o, &j); err != nil {
		return err
	}
	if slices.ContainsFunc(j.Findings, func(f lintFinding) bool { return f.Severity != severityNote }) {
		return errNegative
	}
	return nil
}

// lintAll looks at the pages that are named, or at all; e is an engine that an
// earlier look opened, or nil.
func (a *app) lintAll(ctx context.Context, o *opened, e *engine, args []string) (*linter, error) {
	listing, err := o.st.List(ctx)
	if err != nil {
		return nil, err
	}
	l := &linter{a: a, o: o, e: e, all: listing.Files, whole: len(args) == 0, chosen: map[page.Path]bool{}, lines: map[page.Path]nameLines{}, stubs: map[page.Path][]byte{}}
	if l.files, err = a.lintFiles(ctx, o, listing.Files, args); err != nil {
		return nil, err
	}
	for _, f := range l.files {
		l.chosen[f.Path] = true
	}
	for _, f := range l.files {
		if err := l.page(ctx, f.Path); err != nil {
			return nil, err
		}
	}
	if err := l.tree(ctx, listing); err != nil {
		return nil, err
	}
	if err := l.relations(ctx); err != nil {
		return nil, err
	}
	slices.SortFunc(l.mends, func(x, y mend) int { return strings.Compare(string(x.path), string(y.path)) })
	slices.SortStableFunc(l.found, func(x, y lintFinding) int {
		return cmp.Or(strings.Compare(x.Path, y.Path), cmp.Compare(x.Line, y.Line), strings.Compare(x.Code, y.Code))
	})
	return l, nil
}

// relations checks names and links, which only the index knows.
func (l *linter) relations(ctx context.Context) error {
	var err error
	if l.e == nil {
		l.e, err = l.a.engine(l.o)
	}
	if err == nil {
		l.view, _, err = l.a.view(ctx, l.e, index.Wait)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		l.a.warn("links and names are not checked: %s", plain(err.Error()))
		return nil
	}
	l.names()
	l.links()
	l.redirects()
	l.circles()
	return l.view.Release()
}

// add notes a finding of a rule.
func (l *linter) add(path string, line int, code, message, fix string) {
	l.found = append(l.found, lintFinding{Path: path, Line: line, Code: code, Severity: severityOf(code), Message: message, Fix: fix})
}

// lintFiles narrows the listing to the pages and folders that were named.
func (a *app) lintFiles(ctx context.Context, o *opened, files []page.File, args []string) ([]page.File, error) {
	if len(args) == 0 {
		return files, nil
	}
	var chosen []page.File
	for _, name := range args {
		prefix := strings.TrimSuffix(name, "/") + "/"
		below := slices.DeleteFunc(slices.Clone(files), func(f page.File) bool { return !strings.HasPrefix(string(f.Path), prefix) && name != "." })
		if len(below) == 0 {
			p, err := a.lookupOpening(ctx, o, name)
			if err != nil {
				return nil, err
			}
			below = []page.File{{Path: p}}
		}
		chosen = append(chosen, below...)
	}
	slices.SortFunc(chosen, func(x, y page.File) int { return strings.Compare(string(x.Path), string(y.Path)) })
	return slices.CompactFunc(chosen, func(x, y page.File) bool { return x.Path == y.Path }), nil
}
