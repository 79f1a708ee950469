package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"brain/dream"
	"brain/inbox"
	"brain/index"
	"brain/page"
	"brain/store"
)

type forgetFlags struct{ purge, confirm, yes bool }

func forgetCommand() *command {
	var f forgetFlags
	return &command{
		name: "forget", group: groupWrite, args: "PATH|NAME", min: 1, max: 1, schema: "forget",
		short: "archive a page, or remove it for good",
		long: `Archives a page: it stays where it is and is found no more, until undo brings it back.

With --purge the page is removed for good: from the tree, from the sessions of the same agent whose turns it was made of, from the index, its sidecar and the undo store. Only hashes stay, in forgotten.jsonl, by which what compiles and imports knows not to write it again; who adds it by hand may. What still mentions it is listed, and so are the git commits that still hold it: history is never rewritten. --purge alone says what it would do and exits 1; --purge --confirm does it. A session can be purged too, by its path or id. Purging a path that is gone finishes a purge that was cut short.`,
		examples: []string{"brain forget notes/today.md", "brain forget entities/heron.md --purge --confirm", "brain forget sessions/2026-03/4f1c --purge --confirm"},
		exits:    changing(exitNote{exitNegative, "--purge without --confirm: nothing was removed"}),
		flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&f.purge, "purge", false, "remove for good; cannot be undone")
			fs.BoolVar(&f.confirm, "confirm", false, "with --purge: do it")
			yesFlag(fs, &f.yes)
		},
		run: func(ctx context.Context, a *app, args []string) error { return a.forget(ctx, &f, args[0]) },
	}
}

// mentionJSON is a line that still speaks of what was forgotten.
type mentionJSON struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// turnsJSON are turns of a session that a page was made of.
type turnsJSON struct {
	Session string `json:"session"`
	Turns   []int  `json:"turns"`
}

type forgetJSON struct {
	Brain    string        `json:"brain"`
	Path     string        `json:"path"`
	Action   string        `json:"action"` // archived, purged, would-purge
	Job      string        `json:"job"`
	Sessions []turnsJSON   `json:"sessions"`
	Others   []turnsJSON   `json:"others"` // of other agents: they stay
	Mentions []mentionJSON `json:"mentions"`
	Commits  []string      `json:"commits"`
	Lost     []string      `json:"lost"` // jobs that can no longer be undone
}

func (a *app) forget(ctx context.Context, f *forgetFlags, name string) error {
	if f.confirm && !f.purge {
		return usage("brain forget: --confirm belongs to --purge", "without --purge nothing is removed and undo brings it back")
	}
	o, err := a.openToWrite(f.yes)
	if err != nil {
		return err
	}
	if f.purge {
		return a.purge(ctx, o, name, f.confirm)
	}
	p, err := a.found(ctx, o, name)
	if err != nil {
		return err
	}
	e, err := o.st.EditPage(ctx, store.Edit{Reason: "forget", Path: p, Now: time.Now(), Changes: func(old *page.Page) ([]page.Change, error) {
		if old.Status == "archived" {
			return nil, nil
		}
		return []page.Change{page.SetText("status", "archived")}, nil
	}})
	if err != nil {
		return err
	}
	a.touch(ctx, o, e.Receipt)
	j := forgetJSON{o.st.Name(), string(p), "archived", e.Job, []turnsJSON{}, []turnsJSON{}, []mentionJSON{}, []string{}, []string{}}
	switch {
	case a.global.json:
		return a.json(j)
	case !e.Changed:
		return a.print("%s is archived already\n", plain(j.Path))
	}
	return a.print("archived %s\n%s", plain(j.Path), undoLine(j.Job))
}

// purge removes a page or a session for good.
func (a *app) purge(ctx context.Context, o *opened, name string, confirm bool) error {
	if _, err := o.dreamState(); err != nil { // what is to be emptied lies elsewhere
		return err
	}
	p, err := a.lookupOpening(ctx, o, name)
	if is(store.ErrNotFound)(err) {
		return a.purgeTraces(ctx, o, name, confirm, err)
	}
	if err != nil {
		return err
	}
	raw, err := o.st.Read(ctx, p)
	if err != nil {
		return err
	}
	old := page.Parse(p, raw)
	if err := a.isOurs(p, cmp.Or(p.Agent(), old.Agent)); err != nil {
		return err
	}
	former, err := o.st.Former(old.Path, raw)
	if err != nil {
		return err
	}
	j := &forgetJSON{Brain: o.st.Name(), Path: string(p), Action: "would-purge", Mentions: []mentionJSON{}, Lost: []string{}}
	if j.Sessions, j.Others, err = a.turnsOf(ctx, o, old); err != nil {
		return err
	}
	in := a.pointing(ctx, o, p)
	if confirm {
		if err := a.purgeNow(ctx, o, old, former, store.HashOf(raw), j); err != nil {
			return err
		}
	}
	if j.Mentions, err = mentions(ctx, o.st, saidEver(old, former), in); err != nil {
		return err
	}
	if j.Commits, err = o.st.HoldingCommits(ctx, p, namesEver(old, former)...); err != nil {
		a.warn("which commits hold it is not known: %s", plain(err.Error()))
	}
	j.Commits = list(j.Commits)
	return a.printPurge(j)
}

// saidEver is a page with the text of its former versions below its own: the stub of an
// entity that was merged says nothing, and its text stands in another page.
func saidEver(now *page.Page, former []*page.Page) *page.Page {
	all := *now
	for _, p := range former {
		all.Body += "\n\n" + p.Body
		all.Facts = append(slices.Clone(all.Facts), p.Facts...)
	}
	return &all
}

// namesEver are the paths that a page had before.
func namesEver(now *page.Page, former []*page.Page) (names []page.Path) {
	for _, p := range former {
		if p.Path != now.Path && !slices.Contains(names, p.Path) {
			names = append(names, p.Path)
		}
	}
	return names
}

// purgeTraces finishes a purge that was cut short: the page is gone from the files,
// and may still be in the undo store and the index. none is the error if nothing
// tells that there was one.
func (a *app) purgeTraces(ctx context.Context, o *opened, name string, confirm bool, none error) error {
	p, err := gonePath(name)
	if err != nil {
		return none
	}
	if err := a.mayTouch(p); err != nil {
		return err
	}
	done, err := o.st.PurgeTraces(ctx, p, false)
	if err != nil {
		return err
	}
	var lost []string
	if confirm {
		former, err := o.st.Former(p, nil)
		if err == nil {
			lost, err = dream.Purge(ctx, o.st, p, former...)
		}
		if err == nil {
			done, err = o.st.PurgeTraces(ctx, p, true)
		}
		if err != nil {
			return err
		}
	}
	j := &forgetJSON{Brain: o.st.Name(), Path: string(p), Action: "would-purge", Sessions: []turnsJSON{}, Others: []turnsJSON{}, Mentions: []mentionJSON{}, Lost: lostJobs(lost, done.Jobs)}
	if confirm {
		j.Action = "purged"
		a.facts(ctx, o).Purged(ctx, p)
		err = errors.Join(a.purgeRest(ctx, o, p), purgeJobs(o.root), forgetDreams(o), a.rebuild(ctx, o))
	}
	if err != nil {
		return err
	}
	if j.Commits, err = o.st.HoldingCommits(ctx, p); err != nil {
		a.warn("which commits hold it is not known: %s", plain(err.Error()))
	}
	j.Commits = list(j.Commits)
	a.note("brain: %s is gone from the files; what is left of it is in the undo store and the index", plain(j.Path))
	return a.printPurge(j)
}

// purgeRest removes what is left of a session that is gone.
func (a *app) purgeRest(ctx context.Context, o *opened, p page.Path) error {
	if !p.IsSession() {
		return nil
	}
	limited, stop := context.WithTimeout(ctx, writeTimeout)
	defer stop()
	box, err := a.box(o)
	if err != nil {
		return err
	}
	return box.RemoveRest(limited, p.Stem())
}

// gonePath is the path that a name spells of which nothing is there to look at.
func gonePath(name string) (p page.Path, err error) {
	for _, spelled := range []string{name, strings.TrimSuffix(name, "/") + "/" + page.SessionFile, name + ".md"} {
		if p, err = page.ParsePath(spelled); err == nil {
			break
		}
	}
	return p, err
}

func (a *app) purgeNow(ctx context.Context, o *opened, old *page.Page, former []*page.Page, was store.Hash, j *forgetJSON) error {
	limited, stop := context.WithTimeout(ctx, writeTimeout) // for who adds to the session
	defer stop()
	box, err := a.box(o)
	if err != nil {
		return err
	}
	if old.Path.IsSession() {
		err = o.st.BurySession(ctx, old, time.Now())
		if err == nil {
			err = box.Remove(limited, old.Path.Stem())
		}
	} else {
		// The evidence goes first: should this end here, the page is still there to
		// be purged once more.
		for _, s := range j.Sessions {
			if _, err := box.Redact(limited, s.Session, s.Turns, old.Path); err != nil && !is(inbox.ErrNotFound)(err) {
				return err
			}
		}
		lost, quoted := dream.Purge(ctx, o.st, old.Path, append(slices.Clone(former), old)...)
		if quoted != nil {
			return quoted
		}
		var done store.Purged
		done, err = o.st.PurgePage(ctx, old.Path, was, time.Now())
		j.Lost = lostJobs(lost, done.Jobs)
	}
	if err != nil {
		return err
	}
	j.Action = "purged"
	a.facts(ctx, o).Purged(ctx, old.Path)
	return errors.Join(purgeJobs(o.root), forgetDreams(o), a.rebuild(ctx, o))
}

// forgetDreams removes what Dream remembers of texts.
func forgetDreams(o *opened) error {
	state, err := o.dreamState()
	if err == nil {
		err = dream.Forget(state)
	}
	if err != nil {
		return &failure{text: "the page is gone from the files, but what Dream remembers may still quote it", cause: err, hint: "purge it once more when no Dream runs", code: exitBusy}
	}
	return nil
}

// lostJobs are jobs that can no longer be undone, each once.
func lostJobs(quoting, holding []string) []string {
	all := slices.Concat(quoting, holding)
	slices.Sort(all)
	return list(slices.Compact(all))
}

// rebuild makes the index anew: tombstones in one that is kept still hold words.
func (a *app) rebuild(ctx context.Context, o *opened) error {
	e, err := a.engine(o)
	if err != nil {
		return err
	}
	_, err = e.ix.Purge(ctx, e.st, index.SyncOptions{OnWait: a.indexWaiting(o.st.Name())})
	e.bar.wipe()
	if err != nil && !isModel(err) {
		return &failure{text: "the page is gone from the files, but the index still holds it", cause: err, hint: "brain sync --rebuild", code: exitEnvironment}
	}
	return nil
}

func (a *app) printPurge(j *forgetJSON) error {
	err := error(nil)
	if a.global.json {
		err = a.json(j)
	} else {
		err = a.print("%s", j.text())
	}
	if err == nil && j.Action != "purged" {
		a.note("brain: nothing was removed")
		a.note("hint: --confirm removes it for good; without --purge it is archived and undo brings it back")
		return errNegative
	}
	return err
}

func (j *forgetJSON) text() string {
	var b strings.Builder
	verb := "would be purged"
	if j.Action == "purged" {
		verb = "purged"
	}
	fmt.Fprintf(&b, "%s: %s\n", plain(j.Path), verb)
	for _, s := range j.Sessions {
		fmt.Fprintf(&b, "with the text of %s of session %s\n", count(len(s.Turns), "turn"), plain(s.Session))
	}
	for _, s := range j.Others {
		fmt.Fprintf(&b, "still said in session %s, which belongs to another agent\n", plain(s.Session))
	}
	for _, m := range j.Mentions {
		fmt.Fprintf(&b, "still mentioned: %s:%d: %s\n", plain(m.Path), m.Line, plain(m.Text))
	}
	for _, c := range j.Commits {
		fmt.Fprintf(&b, "still in commit %s\n", plain(c))
	}
	for _, id := range j.Lost {
		fmt.Fprintf(&b, "can no longer be undone: %s\n", id)
	}
	return b.String()
}
