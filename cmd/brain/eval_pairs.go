package main

import (
	"context"
	"os"

	"github.com/spf13/pflag"

	"brain/evals"
)

func evalPairsCommand() *command {
	var o evals.PairOptions
	return &command{
		name: "pairs", args: "DIR", min: 1, max: 1, schema: "eval-pairs",
		short: "measure how contradictions are found, on pairs of statements",
		long: `Compares the pairs of a set (DIR/pairs.jsonl: id, a, b, label) as two claims of one subject, with the rules that need no model. A pair's score is the strength of the rule that fired, 0 when none did.

Prints the average precision of the label "contradiction", and how many of 100 other pairs are called one at the default setting, with precision and recall there. Pairs of equal score are one step.`,
		examples: []string{
			"brain eval pairs data/pairs-sick",
			"brain eval pairs evals/testdata/memorypairs --where half=judge --by kind",
		},
		exits: []exitNote{{exitNotFound, "a file of the set does not exist"}},
		flags: func(fs *pflag.FlagSet) {
			fs.StringVar(&o.Pairs, "pairs", "", "pairs from `FILE` instead of pairs.jsonl")
			fs.StringArrayVar(&o.Where, "where", nil, "only pairs with these fields, `KEY=VALUE,…`; a value may end in *; may be repeated")
			fs.StringVar(&o.By, "by", "", "also the figures of each value of `FIELD`: lang, kind, …")
		},
		run: func(_ context.Context, a *app, args []string) error { return a.evalPairs(args[0], o) },
	}
}

func (a *app) evalPairs(dir string, o evals.PairOptions) error {
	if _, err := os.Stat(a.path(o.Pairs)); o.Pairs != "" && err == nil {
		o.Pairs = a.path(o.Pairs) // else it is a file of the set
	}
	rep, err := evals.Pairs(a.path(dir), o)
	if err != nil {
		return err
	}
	if a.global.json {
		return a.json(rep)
	}
	return rep.WriteText(a.out)
}
