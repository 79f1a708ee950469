package main

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"brain/store"
)

//go:embed memory.yml
var newSettings []byte

func initCommand() *command {
	var here bool
	var write, git string
	return &command{
		name: "init", group: groupWrite, args: "[DIR]", max: 1, schema: "init",
		short: "make a memory root, or add a brain to one",
		long: `Makes a memory root at DIR (default: --root, BRAIN_ROOT, else the current folder) with one brain, brains/default unless --brain names it. Inside an existing root, --brain NAME adds a brain to that root. What exists is left as it is, so that a second call changes nothing.

--here adopts a folder of notes, such as an Obsidian vault, as it is: memory.yml and brain.yml are put beside the notes and nothing else is touched.

A new root becomes a git repository, in which brain keeps the versions of what it writes, unless it lies in one already; --git no makes none. See doc/ledger.md.

--write says in brain.yml whether brain may write there: yes, no, or ask, which allows only what a person confirms.`,
		examples: []string{"brain init", "brain init ~/memory --brain work", "brain init ~/vault --here --write no"},
		exits: []exitNote{
			{exitConflict, "DIR cannot become what was asked for"},
			{exitEnvironment, "the folder cannot be written"},
		},
		flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&here, "here", false, "make DIR itself the brain: an existing folder of notes")
			fs.StringVar(&write, "write", "", "whether brain may write in the brain: `MODE` yes, no or ask (default yes; ask with --here)")
			fs.StringVar(&git, "git", "auto", "`HOW` to go about git: auto makes a repository where there is none, no does not")
		},
		run: func(ctx context.Context, a *app, args []string) error { return a.init(ctx, args, here, write, git) },
	}
}

type initJSON struct {
	Root    string   `json:"root"`
	Brain   string   `json:"brain"`
	Folder  string   `json:"folder"`
	Created []string `json:"created"`
	Changed []string `json:"changed"`
}

func (a *app) init(ctx context.Context, args []string, here bool, write, git string) error {
	if err := oneOf("git", git, "auto", "no"); err != nil {
		return err
	}
	if a.changed("write") {
		if err := oneOf("write", write, store.WriteAsk, store.WriteYes, store.WriteNo); err != nil {
			return err
		}
	}
	dir := a.initDir(args)
	r, err := store.Init(dir, store.InitOptions{Brain: a.global.brain, Here: here, Write: write, Settings: newSettings})
	if err != nil {
		return err
	}
	if git != "no" && !here {
		a.initGit(ctx, &r)
	}
	if a.global.json {
		return a.json(initJSON{r.Root.Dir, r.Brain, r.Dir, list(r.Created), list(r.Changed)})
	}
	var b strings.Builder
	for _, name := range r.Created {
		fmt.Fprintf(&b, "created %s\n", plain(filepath.Join(r.Root.Dir, name)))
	}
	for _, name := range r.Changed {
		fmt.Fprintf(&b, "changed %s\n", plain(filepath.Join(r.Root.Dir, name)))
	}
	if b.Len() == 0 {
		fmt.Fprintf(&b, "nothing to do: %s is a memory root\n", plain(r.Root.Dir))
	}
	return a.print("%s", b.String())
}

// initGit makes a repository of a new root, and commits a brain that was added to
// such a root. That it fails costs versions only.
func (a *app) initGit(ctx context.Context, r *store.InitReport) {
	if l, err := a.settings(r.Root); err == nil && l.GitMode == "off" {
		return
	}
	var made bool
	var err error
	switch {
	case slices.Contains(r.Created, settingsFile):
		made, err = store.MakeRepository(ctx, r.Root)
	case len(r.Created) > 0 && r.Brain != "":
		err = store.CommitBrain(ctx, r.Root, r.Brain)
	}
	if made {
		r.Created = append(r.Created, ".git")
	}
	if err != nil {
		a.warn("%s", plain(err.Error()))
	}
}

// initDir is where a root is wanted.
func (a *app) initDir(args []string) string {
	env, _ := a.env("BRAIN_ROOT")
	for _, dir := range append(args, a.global.root, env) {
		if dir != "" {
			return a.path(dir)
		}
	}
	return a.dir
}
