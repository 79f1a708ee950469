package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"brain/index"
	"brain/page"
	"brain/store"
)

// What the commands that change pages have in common: they ask where brain.yml says
// so, wait a bounded time for another writer, and bring the index up to date for
// whoever asks next.

// yesFlag is --yes.
func yesFlag(fs *pflag.FlagSet, yes *bool) {
	fs.BoolVarP(yes, "yes", "y", false, "write without asking where brain.yml says write: ask")
}

// changing are the exits of a command that changes a page.
func changing(more ...exitNote) []exitNote {
	return append([]exitNote{
		{exitNotFound, "no such page or brain"},
		{exitConflict, "the name is ambiguous, or the page changed meanwhile"},
		{exitBusy, "another process was writing for more than 30 s"},
		{exitEnvironment, "the disk is full or may not be written"},
	}, more...)
}

// openToWrite opens a brain that the command may change.
func (a *app) openToWrite(yes bool) (*opened, error) {
	o, err := a.open()
	if err != nil {
		return nil, err
	}
	return o, a.mayWrite(o.st, yes)
}

// found is the page that a person names, for a command that changes it.
func (a *app) found(ctx context.Context, o *opened, name string) (page.Path, error) {
	p, err := a.lookupOpening(ctx, o, name)
	switch {
	case err != nil:
		return "", err
	case p.IsSession():
		return "", usage(string(p)+" is a session: what was said is evidence and is not edited", "`brain forget --purge` removes it for good")
	}
	if err := a.mayTouch(p); err != nil {
		return "", err
	}
	raw, err := o.st.Read(ctx, p)
	if err != nil {
		return "", err
	}
	if page.Parse(p, raw).Generated {
		return "", usage(string(p)+" is brain's own output (generated: brain), which it writes anew", "change the pages that it tells of")
	}
	return p, nil
}

// mayTouch refuses the pages of another agent.
func (a *app) mayTouch(p page.Path) error { return a.isOurs(p, p.Agent()) }

func (a *app) isOurs(p page.Path, owner string) error {
	if owner != "" && owner != a.self() {
		return usage(fmt.Sprintf("%s belongs to the agent %s", p, owner), "--agent "+owner+" speaks for that agent")
	}
	return nil
}

// mayPlace refuses a path at which no page is put: one of another agent, or among the
// facts, whose names and places are made of what they are.
func (a *app) mayPlace(p page.Path) error {
	if err := a.mayTouch(p); err != nil {
		return err
	}
	if p.Type() == "fact" {
		return usage(string(p)+" lies among an agent's facts, which are no pages to be put or moved by hand", "choose another folder")
	}
	return nil
}

// changeJSON is what a change came to, for --json and for people.
type changeJSON struct {
	Brain   string     `json:"brain"`
	Path    string     `json:"path"`
	Hash    store.Hash `json:"hash"`
	Changed bool       `json:"changed"`
	Job     string     `json:"job"`
}

func (a *app) printChange(o *opened, p page.Path, e store.Edited) error {
	if a.global.json {
		return a.json(changeJSON{o.st.Name(), string(p), e.Hash, e.Changed, e.Job})
	}
	if !e.Changed {
		return a.print("%s: nothing to change\n", plain(string(p)))
	}
	return a.print("%s\n%s", plain(string(p)), undoLine(e.Job))
}

// undoLine says how a change is taken back, of a job that can be.
func undoLine(job string) string {
	if job == "" {
		return ""
	}
	return "undo: brain undo " + job + "\n"
}

// touch takes what was just written into the index, so that who asks next need not;
// done is whether the index has it now. That it fails does not undo the write: the next
// question looks for itself.
func (a *app) touch(ctx context.Context, o *opened, r store.Receipt) (done bool) {
	if len(r.Paths) == 0 {
		return true
	}
	e, err := a.engine(o)
	if err == nil {
		_, err = e.ix.Touch(ctx, e.st, index.Written{Paths: r.Paths, Before: r.Before, After: r.After})
		e.bar.wipe()
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, index.ErrBusy) && !errors.Is(err, index.ErrNoIndex) {
		a.warn("written, but the index is not up to date: %s", plain(err.Error()))
	}
	return err == nil
}

// allows refuses a change that the schema forbids.
func (o *opened) allows(old, new *page.Page) error {
	pack, err := o.pack()
	if err != nil {
		return err
	}
	if err := pack.Merge(old.Type).Allows(old, new); err != nil || new.Type == old.Type {
		return err
	}
	if ordinary(new.Type) != nil {
		return usage(fmt.Sprintf("%s cannot become a %s: that has a form and a place of its own", new.Path, new.Type), "")
	}
	return obey(pack, new.Type, new)
}
