package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/pflag"

	"brain/index"
	"brain/lint"
	"brain/page"
)

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

type lintJSON struct {
	Brain    string         `json:"brain"`
	Pages    int            `json:"pages"`
	Findings []lint.Finding `json:"findings"`
	DryRun   bool           `json:"dry_run"`
	Fixed    []lint.Mended  `json:"fixed"` // with dry_run: what would be
}

func (a *app) lint(ctx context.Context, f *lintFlags, args []string) error {
	if err := f.check(a); err != nil {
		return err
	}
	o, err := a.open()
	if err != nil {
		return err
	}
	r, err := a.lintLook(ctx, o, args)
	if err != nil {
		return err
	}
	j := lintJSON{Brain: o.st.Name(), DryRun: f.dryRun}
	if f.fix {
		if r, err = a.lintFix(ctx, f, o, r, args, &j); err != nil {
			return err
		}
	}
	j.Pages, j.Findings, j.Fixed = r.Pages, list(r.Findings), list(j.Fixed)
	if err := a.printLint(f, o, &j); err != nil {
		return err
	}
	if slices.ContainsFunc(j.Findings, func(f lint.Finding) bool { return f.Severity != lint.Note }) {
		return errNegative
	}
	return nil
}

// lintFix mends, or with --dry-run tells what it would; it gives what is found then.
func (a *app) lintFix(ctx context.Context, f *lintFlags, o *opened, r *lint.Result, args []string, j *lintJSON) (*lint.Result, error) {
	j.Fixed = r.Mends()
	if f.dryRun || len(j.Fixed) == 0 {
		return r, nil
	}
	if err := a.mayWrite(o.st, f.yes); err != nil {
		return nil, err
	}
	var err error
	if j.Fixed, err = r.Mend(ctx, o.st.Update); err != nil || len(j.Fixed) == 0 {
		return r, err
	}
	return a.lintLook(ctx, o, args)
}

// lintLook looks at the pages that are named, or at all.
func (a *app) lintLook(ctx context.Context, o *opened, args []string) (r *lint.Result, err error) {
	pack, err := o.pack()
	if err != nil {
		return nil, err
	}
	var v *index.View
	defer func() {
		if v != nil {
			err = errors.Join(err, v.Release())
		}
	}()
	r, err = lint.Look(ctx, lint.Options{
		Store: o.st, Pack: pack, Only: args,
		View: func(ctx context.Context) (*index.View, error) {
			e, err := a.engine(o)
			if err == nil {
				v, _, err = a.view(ctx, e, index.Wait)
			}
			return v, err
		},
		Find: func(ctx context.Context, name string) (page.Path, error) { return a.lookupOpening(ctx, o, name) },
	})
	if err == nil && r.Unchecked != nil {
		a.warn("links and names are not checked: %s", plain(r.Unchecked.Error()))
	}
	return r, err
}
