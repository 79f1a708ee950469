package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"brain/evals"
	"brain/llm"
)

func evalCommand() *command {
	var f evalFlags
	return &command{
		name: "eval", group: groupTool, args: "DIR", min: 1, max: 1, schema: "eval",
		short: "measure recall on a data set",
		long: `Writes the documents of a data set as files into a temporary brain, indexes it as any other, asks every question with the default settings, and prints how many of the relevant documents came first, how long it took, and what the index cost. DIR holds docs.jsonl, queries.jsonl and qrels.tsv (.gz is read as it is); the file flags replace one each.

Prints R@k (share of a question's relevant documents in the first k), any@k and all@k (at least one, all of them), MRR@10 and nDCG@10, each arm alone and then together.`,
		examples: []string{
			"brain eval data/scifact",
			"brain eval data/multihop --where 'id=hotpotqa/*' --out before.json",
			"brain eval data/xquad-en-zh --where lang=en --docs-where lang=zh --json",
			"brain eval compare before.json after.json",
		},
		exits: []exitNote{{exitNotFound, "a file of the set does not exist"}, {exitEnvironment, "disk or model server"}},
		flags: f.flags,
		run:   func(ctx context.Context, a *app, args []string) error { return a.eval(ctx, &f, args[0]) },
		sub:   []*command{evalCompareCommand(), evalPairsCommand(), evalMiniCommand(), evalIsolationCommand()},
	}
}

type evalFlags struct {
	load evals.LoadOptions
	unit string
	arms []string
	k    int
	out  string
}

func (f *evalFlags) flags(fs *pflag.FlagSet) {
	fs.StringVar(&f.load.Docs, "docs", "", "documents from `FILE` instead of docs.jsonl")
	fs.StringVar(&f.load.Queries, "queries", "", "questions from `FILE` instead of queries.jsonl")
	fs.StringVar(&f.load.Qrels, "qrels", "", "judgements from `FILE` instead of qrels.tsv")
	fs.StringVar(&f.load.Kind, "kind", "", "only documents of this `KIND`")
	fs.StringVar(&f.unit, "unit", "page", "what a hit is: `UNIT` page or passage")
	fs.StringArrayVar(&f.load.Where, "where", nil, "only questions with these fields, `KEY=VALUE,…`; a value may end in *; may be repeated")
	fs.StringArrayVar(&f.load.DocsWhere, "docs-where", nil, "only documents with these fields, `KEY=VALUE,…`; may be repeated")
	fs.BoolVar(&f.load.Pooled, "pooled", false, "all documents in one brain, also where they have scopes")
	fs.StringSliceVar(&f.arms, "arms", nil, "only these `ARMS`: lexical, vector, graph")
	fs.IntVar(&f.k, "k", 10, "ask for `K` hits")
	fs.StringVar(&f.out, "out", "", "write the run, question by question, to `FILE` for eval compare")
}

func (a *app) eval(ctx context.Context, f *evalFlags, dir string) error {
	if err := oneOf("unit", f.unit, "page", "passage"); err != nil {
		return err
	}
	for _, arm := range f.arms {
		if err := oneOf("arms", arm, evals.Arms...); err != nil {
			return err
		}
	}
	for _, name := range []*string{&f.load.Docs, &f.load.Queries, &f.load.Qrels} {
		if _, err := os.Stat(a.path(*name)); *name != "" && err == nil {
			*name = a.path(*name) // else it is a file of the set
		}
	}
	if f.out != "" {
		f.out = a.path(f.out)
	}
	embedder, vectors, err := a.evalEmbedder()
	if err != nil {
		return err
	}
	set, err := evals.Load(a.path(dir), f.load)
	if err != nil {
		return err
	}
	bar := a.progress("")
	run, err := evals.Measure(ctx, set, evals.Options{
		Arms: f.arms, K: f.k, Passages: f.unit == "passage", Embedder: embedder, Vectors: vectors,
		Progress: func(p evals.Progress) { bar.draw(p.Stage, p.Done, p.Total) },
	})
	bar.wipe()
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := run.Save(f.out); err != nil {
			return err
		}
	}
	if a.global.json {
		return a.json(list(run.Rows))
	}
	return run.WriteTable(a.out)
}

// evalEmbedder is the embedder of the settings, as for any question.
func (a *app) evalEmbedder() (llm.Embedder, string, error) {
	_, l, err := a.anywhere()
	if err != nil {
		return nil, "", err
	}
	embedder, err := a.embedder(&l.settings)
	return embedder, l.IndexVectors, err
}

func evalCompareCommand() *command {
	var o evals.CompareOptions
	var most int
	return &command{
		name: "compare", args: "A.json B.json", min: 2, max: 2, schema: "eval-compare",
		short:    "what a second run gained and lost",
		long:     "Compares two files that eval --out wrote, question by question, with a sign test: a change that gains ten questions and loses nine is no change.",
		examples: []string{"brain eval compare before.json after.json --metric r@5"},
		exits:    []exitNote{{exitNegative, "the second run is worse beyond noise"}, {exitNotFound, "a file does not exist"}},
		flags: func(fs *pflag.FlagSet) {
			fs.StringVar(&o.Metric, "metric", "ndcg@10", "compare by `METRIC`")
			fs.StringSliceVar(&o.Arms, "arms", nil, "compare the row of these `ARMS` (default all together)")
			fs.IntVar(&most, "list", 20, "print at most `N` gained and N lost questions; -1 for all")
		},
		run: func(_ context.Context, a *app, args []string) error { return a.evalCompare(args, o, most) },
	}
}

func (a *app) evalCompare(args []string, o evals.CompareOptions, most int) error {
	before, err := evals.ReadRun(a.path(args[0]))
	if err != nil {
		return err
	}
	after, err := evals.ReadRun(a.path(args[1]))
	if err != nil {
		return err
	}
	c, err := evals.Compare(before, after, o)
	if err != nil {
		return err
	}
	if a.global.json {
		err = a.json(c)
	} else {
		err = c.WriteText(a.out, most)
	}
	if err == nil && c.Worse {
		return errNegative
	}
	return err
}

func evalMiniCommand() *command {
	return &command{
		name: "mini", max: 0, schema: "eval-mini",
		short:    "ask the demo brain its questions and compare with the recorded rankings",
		long:     "Runs the evaluation that comes with the program on brains/demo of the root (of brain's own repository) and prints each arm's figures and every ranking that differs from the recorded one.",
		examples: []string{"brain eval mini"},
		exits:    []exitNote{{exitNegative, "a ranking differs"}, {exitNotFound, "the root has no brains/demo"}},
		run:      func(ctx context.Context, a *app, _ []string) error { return a.evalMini(ctx) },
	}
}

func (a *app) evalMini(ctx context.Context) error {
	r, err := a.root()
	if err != nil {
		return err
	}
	embedder, _, err := a.evalEmbedder()
	if err != nil {
		return err
	}
	rep, err := evals.Mini(ctx, evals.MiniOptions{Root: r.Dir, Embedder: embedder})
	if err != nil {
		return err
	}
	if a.global.json {
		err = a.json(rep)
	} else if err = rep.WriteText(a.out); err == nil {
		err = a.printChanged(rep)
	}
	if err == nil && len(rep.Changed) > 0 {
		return errNegative
	}
	return err
}

func (a *app) printChanged(rep *evals.MiniReport) error {
	for _, c := range rep.Changed {
		if err := a.print("changed: %s\n", plain(c)); err != nil {
			return err
		}
	}
	if len(rep.Changed) == 0 {
		return a.print("everything is as recorded\n")
	}
	return nil
}

func evalIsolationCommand() *command {
	return &command{
		name: "isolation", max: 0, schema: "eval-isolation",
		short:    "plant secrets in a second brain and look for them from the first",
		long:     "Makes a temporary root with two brains, plants words in the second that exist nowhere else, and asks the first for each in every way there is. Not one may come through.",
		examples: []string{"brain eval isolation"},
		exits:    []exitNote{{exitNegative, "something came through"}},
		run:      func(ctx context.Context, a *app, _ []string) error { return a.evalIsolation(ctx) },
	}
}

func (a *app) evalIsolation(ctx context.Context) error {
	embedder, _, err := a.evalEmbedder()
	if err != nil {
		return err
	}
	rep, err := evals.Isolation(ctx, evals.IsolationOptions{Embedder: embedder})
	if err != nil {
		return err
	}
	if a.global.json {
		err = a.json(rep)
	} else {
		err = a.printLeaks(rep)
	}
	if err == nil && len(rep.Leaks) > 0 {
		return errNegative
	}
	return err
}

func (a *app) printLeaks(rep *evals.IsolationReport) error {
	for _, l := range rep.Leaks {
		if err := a.print("leak: %s of %q shows %q: %s\n", l.Way, l.Asked, l.Found, plain(l.In)); err != nil {
			return err
		}
	}
	return a.print("%s, %s\n", count(rep.Probes, "probe"), fmt.Sprintf("%d leaks", len(rep.Leaks)))
}
