package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"brain/page"
	"brain/store"
)

func historyCommand() *command {
	return &command{
		name: "history", group: groupFind, args: "PATH", min: 1, max: 1, schema: "history",
		short: "versions of a page, newest first: when, why, by whom",
		long: `Lists what is known of a page's past: the commits that git has, what brain wrote since and has not committed yet, and what was written by hand. Moves are followed. A page that was removed has a history, too.

Of a page that was made of a session, or has one as a source, the turns follow, as they were said.

Without git, only what brain wrote in the last 90 days is known.`,
		examples: []string{"brain history entities/postgres.md", "brain history entities/postgres.md --json"},
		exits: []exitNote{
			{exitNotFound, "nothing is known of such a page"},
			{exitConflict, "the name is ambiguous"},
			{exitEnvironment, "git failed, or the page cannot be read"},
		},
		run: func(ctx context.Context, a *app, args []string) error { return a.history(ctx, args[0]) },
	}
}

// pastJSON is one state of a page.
type pastJSON struct {
	Commit  string   `json:"commit"` // "" while git does not have it
	At      string   `json:"at"`
	Reason  string   `json:"reason"`
	By      string   `json:"by"`     // brain or hand
	Author  string   `json:"author"` // of the commit
	Path    string   `json:"path"`   // at that time
	Removed bool     `json:"removed"`
	Jobs    []string `json:"jobs"`
	Agent   string   `json:"agent"`
	Session string   `json:"session"`
}

type historyJSON struct {
	Brain    string     `json:"brain"`
	Path     string     `json:"path"`
	NoGit    string     `json:"no_git"` // why git was not asked, or ""
	Versions []pastJSON `json:"versions"`
	Said     []saidJSON `json:"said"` // the turns that the page as it is came from
}

func (a *app) history(ctx context.Context, name string) error {
	o, err := a.open()
	if err != nil {
		return err
	}
	h, err := a.pastOf(ctx, o, name)
	if err != nil {
		return err
	}
	j := historyJSON{Brain: o.st.Name(), Path: string(h.Path), NoGit: h.Without, Versions: []pastJSON{}}
	for i := range h.Versions {
		j.Versions = append(j.Versions, versionOf(&h.Versions[i]))
	}
	if j.Said, err = a.saidOf(ctx, o, h.Path); err != nil {
		return err
	}
	if a.global.json {
		return a.json(j)
	}
	a.sayWithout(h.Without)
	var b strings.Builder
	for _, v := range j.Versions {
		fmt.Fprintf(&b, "%s%s\n", v.line(), before("  was ", plain(either(v.Path != j.Path, v.Path, ""))))
	}
	b.WriteString(tellSaid(j.Said))
	return a.print("%s", b.String())
}

// saidOf reads the turns that a page came from; a page that is gone names none.
func (a *app) saidOf(ctx context.Context, o *opened, p page.Path) ([]saidJSON, error) {
	raw, err := o.st.Read(ctx, p)
	if errors.Is(err, store.ErrNotFound) || p.IsSession() {
		return []saidJSON{}, nil
	}
	if err != nil {
		return nil, err
	}
	return a.said(ctx, o, page.Parse(p, raw))
}

// pastOf finds a page, also one that is gone, and its history.
func (a *app) pastOf(ctx context.Context, o *opened, name string) (store.History, error) {
	p, err := a.lookupOpening(ctx, o, name)
	gone := errors.Is(err, store.ErrNotFound)
	if err != nil && !gone {
		return store.History{}, err
	}
	if gone {
		var bad error
		if p, bad = page.ParsePath(withMD(name)); bad != nil {
			return store.History{}, err
		}
	}
	h, bad := o.st.History(ctx, p)
	if gone && errors.Is(bad, store.ErrNotFound) {
		return h, err
	}
	return h, bad
}

func (a *app) sayWithout(why string) {
	if why != "" {
		a.warn("git was not asked (%s): only what brain wrote itself is known", plain(why))
	}
}

func versionOf(v *store.Version) pastJSON {
	return pastJSON{
		Commit: v.Commit, At: stamp(v.At), Reason: v.Reason, By: either(v.Hand, "hand", "brain"), Author: v.Author,
		Path: string(v.Path), Removed: v.Removed, Jobs: list(v.Jobs), Agent: v.Agent, Session: v.Session,
	}
}

// line tells a version in one line.
func (v *pastJSON) line() string {
	commit := "not committed"
	if v.Commit != "" {
		commit = v.Commit[:min(12, len(v.Commit))]
	}
	var of []string
	if v.Author != "" && v.By == "hand" {
		of = append(of, v.Author)
	}
	for _, part := range []string{before("agent ", v.Agent), before("session ", v.Session), either(v.Removed, "removed", "")} {
		if part != "" {
			of = append(of, part)
		}
	}
	line := fmt.Sprintf("%s  %-13s  %-5s  %s", v.At, commit, v.By, plain(v.Reason))
	if len(of) > 0 {
		line += "  (" + plain(strings.Join(of, ", ")) + ")"
	}
	return line
}
