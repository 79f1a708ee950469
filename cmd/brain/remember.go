package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"brain/page"
)

func rememberCommand() *command {
	f := addFlags{kind: "note"}
	return &command{
		name: "remember", group: groupWrite, args: "TEXT…", min: 1, max: -1, schema: "add",
		short:    "keep one sentence",
		long:     "Writes a note that says TEXT, under sources/SOURCE/notes/ and the date, and prints its path. The next query finds it. What the brain says already is not written twice: the page that says it gains a source and is named.",
		examples: []string{`brain remember "The staging database is rebuilt every Monday at 4."`, `brain remember 用户喜欢简短的回答 --tag preference`},
		exits: []exitNote{
			{exitNotFound, "no memory root or brain"},
			{exitBusy, "another process was writing for more than 30 s"},
			{exitEnvironment, "the disk is full or may not be written"},
		},
		flags: func(fs *pflag.FlagSet) {
			fs.StringSliceVar(&f.tags, "tag", nil, "`TAGS` of the note")
			fs.StringVar(&f.source, "source", "", "`SOURCE` the note belongs to (default: default)")
			fs.BoolVar(&f.force, "force", false, "write also what the brain says already")
			yesFlag(fs, &f.yes)
		},
		run: func(ctx context.Context, a *app, args []string) error {
			return a.remember(ctx, &f, strings.TrimSpace(strings.Join(args, " ")))
		},
	}
}

func (a *app) remember(ctx context.Context, f *addFlags, text string) error {
	if text == "" {
		return usage("brain remember: no text", "say what is to be remembered")
	}
	if err := folderName("source", f.source); err != nil {
		return err
	}
	w := &writing{reason: "remember", spot: page.Spot{Type: f.kind, Source: f.source, Day: time.Now()}}
	if err := f.draft(w, text, a.agent(), w.spot.Day); err != nil {
		return err
	}
	return a.write(ctx, w, f.yes, f.force)
}
