package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"brain/index"
	"brain/page"
	"brain/store"
	"brain/text"
)

func lintCommand() *command {
	return &command{
		name: "lint", group: groupKeep, args: "[PATH…]", max: -1, schema: "lint",
		short: "find mistakes in pages, each with line and fix",
		long: `Reads the pages, all of them or those named, and lists what reading had to forgive: front matter that is not valid, duplicate keys, dates that cannot be read, merge conflicts, text that is not UTF-8. Links whose target is missing or ambiguous, and names that several pages bear, are listed as well. Every page is searchable all the same. Nothing is changed.

PATH is a page or a folder of the brain.`,
		examples: []string{"brain lint", "brain lint notes/today.md", "brain lint sources/billing --json"},
		exits: []exitNote{
			{exitNegative, "there are findings"},
			{exitNotFound, "no such page, folder or brain"},
			{exitEnvironment, "the brain cannot be read"},
		},
		run: func(ctx context.Context, a *app, args []string) error { return a.lint(ctx, args) },
	}
}

type lintFinding struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Fix     string `json:"fix"`
}

type lintJSON struct {
	Brain    string        `json:"brain"`
	Pages    int           `json:"pages"`
	Findings []lintFinding `json:"findings"`
}

func (a *app) lint(ctx context.Context, args []string) error {
	o, err := a.open()
	if err != nil {
		return err
	}
	listing, err := o.st.List(ctx)
	if err != nil {
		return err
	}
	files, err := a.lintFiles(ctx, o, listing.Files, args)
	if err != nil {
		return err
	}
	j := lintJSON{Brain: o.st.Name(), Pages: len(files)}
	for _, path := range listing.Unreadable {
		if len(args) == 0 {
			j.Findings = append(j.Findings, lintFinding{path, 0, "unreadable", "cannot be read", "check its permissions"})
		}
	}
	for _, f := range files {
		found, err := lintPage(ctx, o.st, f.Path)
		if err != nil {
			return err
		}
		j.Findings = append(j.Findings, found...)
	}
	links, err := a.lintLinks(ctx, o, files)
	if err != nil {
		return err
	}
	j.Findings = append(list(j.Findings), links...)
	slices.SortStableFunc(j.Findings, func(x, y lintFinding) int {
		return cmp.Or(strings.Compare(x.Path, y.Path), cmp.Compare(x.Line, y.Line), strings.Compare(x.Code, y.Code))
	})
	return a.printLint(&j)
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
	return chosen, nil
}

// lintPage reads one page; that it cannot be read is a finding.
func lintPage(ctx context.Context, st *store.Store, path page.Path) ([]lintFinding, error) {
	raw, err := st.Read(ctx, path)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, store.ErrNotFound):
		return nil, nil // deleted since the walk
	case err != nil:
		return []lintFinding{{string(path), 0, "unreadable", bare(err).Error(), "check its permissions"}}, nil
	case !path.IsSession() && store.IsBinary(raw):
		return []lintFinding{{string(path), 0, "binary", "the file is not text", "save it as UTF-8, or rename it"}}, nil
	}
	var all []lintFinding
	for _, p := range page.Parse(path, raw).Problems {
		all = append(all, lintFinding{string(path), p.Line, p.Code, p.Message, p.Fix})
	}
	return all, nil
}

// lintLinks finds links that lead nowhere or to several pages, and names borne twice.
func (a *app) lintLinks(ctx context.Context, o *opened, files []page.File) ([]lintFinding, error) {
	e, err := a.engine(o)
	var v *index.View
	if err == nil {
		v, _, err = a.view(ctx, e, index.Wait)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		a.warn("links and names are not checked: %s", plain(err.Error()))
		return nil, nil
	}
	defer v.Release()
	var all []lintFinding
	for _, f := range files {
		row, ok := v.Lookup(f.Path)
		if !ok {
			continue
		}
		for _, l := range v.Everything().Links(row) {
			if !l.Resolved {
				all = append(all, lintLink(v, l))
			}
		}
		if t := twin(v, row); t != "" {
			all = append(all, lintFinding{string(f.Path), 0, "duplicate-name", fmt.Sprintf("%q is the name of %s too", v.Page(row).Title, t), "give one of them another title, or an alias of its own"})
		}
	}
	return all, nil
}

func lintLink(v *index.View, l index.Link) lintFinding {
	path := string(v.Page(l.From).Path)
	if len(l.Ambiguous) > 0 {
		return lintFinding{path, l.Line, "ambiguous-link", fmt.Sprintf("%q may mean %s", l.Target, strings.Join(link(v, l, "").Candidates, " or ")), "write the path of the one that is meant"}
	}
	return lintFinding{path, l.Line, "missing-link", fmt.Sprintf("no page is called %q", l.Target), "make the page, or correct the name"}
}

// twin is another page under the same title, where the title is what it is asked for by.
func twin(v *index.View, row uint32) string {
	p := v.Page(row)
	if !p.Ranked {
		return ""
	}
	for _, other := range v.Everything().Resolve(p.Title) {
		if o := v.Page(other); other != row && o.Ranked && text.Fold(o.Title) == text.Fold(p.Title) {
			return string(o.Path)
		}
	}
	return ""
}

func (a *app) printLint(j *lintJSON) error {
	var err error
	if a.global.json {
		err = a.json(j)
	} else {
		var b strings.Builder
		for _, f := range j.Findings {
			fmt.Fprintf(&b, "%s:%d: %s: %s\n", plain(show(f.Path)), f.Line, f.Code, plain(f.Message))
			if f.Fix != "" {
				fmt.Fprintf(&b, "    fix: %s\n", plain(f.Fix))
			}
		}
		fmt.Fprintf(&b, "%s, %s\n", count(j.Pages, "page"), count(len(j.Findings), "finding"))
		err = a.print("%s", b.String())
	}
	if err == nil && len(j.Findings) > 0 {
		return errNegative
	}
	return err
}
