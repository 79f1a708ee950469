package main

import (
	"context"

	"github.com/spf13/pflag"

	"brain/index"
)

func checkCommand() *command {
	var deep bool
	return &command{
		name: "check", group: groupKeep, max: 0, schema: "check",
		short:    "compare the index with the files and look for damage",
		long:     "Reads every page and compares its content, words and place with what the index holds. --deep also verifies the checksum of every file of the index. Changes that no sync has taken in yet are findings too. Nothing is written.",
		examples: []string{"brain check", "brain check --deep --json"},
		exits: []exitNote{
			{exitNegative, "index and files differ: run `brain sync`"},
			{exitNotFound, "no memory root or brain"},
			{exitEnvironment, "the index is damaged: run `brain sync --rebuild`"},
		},
		flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&deep, "deep", false, "also verify the checksum of every file of the index")
		},
		run: func(ctx context.Context, a *app, _ []string) error { return a.check(ctx, deep) },
	}
}

type checkJSON struct {
	Brain    string          `json:"brain"`
	Deep     bool            `json:"deep"`
	Findings []index.Finding `json:"findings"`
}

func (a *app) check(ctx context.Context, deep bool) error {
	o, err := a.open()
	if err != nil {
		return err
	}
	e, err := a.engine(o)
	if err != nil {
		return err
	}
	findings, err := e.ix.Check(ctx, e.st, deep)
	e.bar.wipe()
	if err != nil {
		return err
	}
	if a.global.json {
		err = a.json(checkJSON{o.st.Name(), deep, list(findings)})
	} else {
		err = a.printFindings(o.st.Name(), findings)
	}
	if err != nil || len(findings) == 0 {
		return err
	}
	for _, f := range findings {
		if f.Code == "damaged" {
			return errDamaged
		}
	}
	return errNegative
}

func (a *app) printFindings(brain string, findings []index.Finding) error {
	for _, f := range findings {
		if err := a.print("%s: %s: %s\n", show(plain(f.Path)), f.Code, plain(f.Message)); err != nil {
			return err
		}
	}
	if len(findings) == 0 {
		return a.print("brain %s: index and files agree\n", plain(brain))
	}
	return a.print("brain %s: %s; `brain sync` takes changes in, `brain sync --rebuild` repairs damage\n", plain(brain), count(len(findings), "finding"))
}
