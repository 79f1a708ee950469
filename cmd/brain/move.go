package main

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/spf13/pflag"

	"brain/page"
	"brain/store"
)

func moveCommand() *command {
	var yes bool
	return &command{
		name: "move", group: groupWrite, args: "PATH|NAME TO", min: 2, max: 2, schema: "move",
		short:    "give a page another path",
		long:     `Moves a page to the path TO within the brain (a TO that ends in / is a folder; .md may be left out) and rewrites the links that would break: those of other pages that name it by path or file name, and its own relative ones. Labels and headings stay, titles and aliases lead to it as before. All of it happens in one step or not at all, and can be undone. The page's vectors and history go with it.`,
		examples: []string{"brain move notes/today.md notes/2026/", "brain move PostgreSQL entities/postgresql.md"},
		exits:    changing(exitNote{exitConflict, "TO exists, or differs from an existing page only in case"}),
		flags:    func(fs *pflag.FlagSet) { yesFlag(fs, &yes) },
		run:      func(ctx context.Context, a *app, args []string) error { return a.move(ctx, args[0], args[1], yes) },
	}
}

type moveJSON struct {
	Brain    string   `json:"brain"`
	From     string   `json:"from"`
	To       string   `json:"to"`
	Relinked []string `json:"relinked"`
	Job      string   `json:"job"`
}

func (a *app) move(ctx context.Context, name, to string, yes bool) error {
	o, err := a.openToWrite(yes)
	if err != nil {
		return err
	}
	from, err := a.found(ctx, o, name)
	if err != nil {
		return err
	}
	m := page.Move{From: from}
	if m.To, err = destination(from, to); err != nil {
		return err
	}
	if err := cmp.Or(a.mayPlace(m.From), a.mayPlace(m.To)); err != nil {
		return err
	}
	leads, unique, err := a.leads(ctx, o, m)
	if err != nil {
		return err
	}
	m.Unique = unique
	done, err := o.st.MovePage(ctx, m, leads)
	if is(page.ErrSplice)(err) && strings.ContainsAny(string(m.To), "[]|#") {
		err = &failure{code: exitUsage, text: "brain move", cause: err, hint: "choose a name without [ ] | and #, which end a link; nothing was written"}
	}
	if err != nil {
		return err
	}
	a.touch(ctx, o, done.Receipt)
	j := moveJSON{o.st.Name(), string(m.From), string(m.To), pathStrings(done.Relinked), done.Job}
	if a.global.json {
		return a.json(j)
	}
	if len(j.Relinked) > 0 {
		err = a.print("links rewritten in %s\n", plain(strings.Join(j.Relinked, ", ")))
	}
	return cmp.Or(err, a.print("%s\n%s", plain(j.To), undoLine(j.Job)))
}

// destination reads TO: a page's path, or a folder for the page to lie in.
func destination(from page.Path, to string) (page.Path, error) {
	if to == "." || to == "/" {
		to = "./"
	}
	if strings.HasSuffix(to, "/") {
		to = strings.TrimPrefix(path.Join(to, path.Base(string(from))), "./")
	}
	p, err := page.ParsePath(withMD(to))
	switch {
	case err != nil:
		return "", err
	case p == from:
		return "", usage(fmt.Sprintf("brain move: %s is there already", p), "")
	case p.IsSession():
		return "", usage("brain move: a session's folder holds turns, not pages", "choose another folder")
	}
	return p, nil
}

// leads tells where the links lead that a move concerns, by the index as it is once
// all changes are in; unique reports that the file name to come leads to the page alone.
func (a *app) leads(ctx context.Context, o *opened, m page.Move) (all store.Leads, unique bool, err error) {
	v, err := a.settled(ctx, o)
	if err != nil {
		return nil, false, err
	}
	defer v.Release()
	row, err := indexed(v, m.From)
	if err != nil {
		return nil, false, err
	}
	l := &leading{v: v, agent: a.self(), all: store.Leads{}}
	l.own(row)
	l.inbound(row)
	l.redirects(row)
	return l.all, leadsAlone(v, row, m.To), nil
}

func pathStrings(paths []page.Path) []string {
	out := []string{}
	for _, p := range paths {
		out = append(out, string(p))
	}
	return out
}
