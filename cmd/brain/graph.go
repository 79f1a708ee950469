package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"brain/graph"
)

func graphCommand() *command {
	return &command{
		name: "graph", group: groupFind, short: "paths, cycles and drawings of the links",
		long:     "Questions about the links as a whole. `brain links` shows those of one page.",
		examples: []string{"brain graph path people/lin.md entities/ledger.md", "brain graph dot entities/ledger.md --depth 2 | dot -Tsvg > ledger.svg"},
		sub:      []*command{graphPathCommand(), graphDotCommand(), graphCyclesCommand()},
	}
}

var graphExits = []exitNote{{exitNotFound, "no such page or brain"}, {exitConflict, "a name is ambiguous"}, {exitEnvironment, "no index could be opened or built"}}

func graphPathCommand() *command {
	var depth int
	return &command{
		name: "path", args: "FROM TO", min: 2, max: 2, schema: "graph-path",
		short:    "a shortest chain of links between two pages",
		long:     "Prints a shortest chain of links between two pages, followed in either direction. Among chains of equal length one of links with a type wins.",
		examples: []string{"brain graph path people/lin.md entities/ledger.md"},
		exits:    append([]exitNote{{exitNegative, "no chain of that length"}}, graphExits...),
		flags:    func(fs *pflag.FlagSet) { fs.IntVar(&depth, "depth", 6, "longest chain, in `HOPS` from 1 to 6") },
		run: func(ctx context.Context, a *app, args []string) error {
			return a.graphPath(ctx, args[0], args[1], depth)
		},
	}
}

func (a *app) graphPath(ctx context.Context, from, to string, depth int) error {
	if depth < 1 || depth > 6 {
		return usage(fmt.Sprintf("--depth: %d: from 1 to 6", depth), "")
	}
	e, v, err := a.openView(ctx)
	if err != nil {
		return err
	}
	defer v.Release()
	first, err := a.lookupRow(ctx, e, v, from)
	if err != nil {
		return err
	}
	last, err := a.lookupRow(ctx, e, v, to)
	if err != nil {
		return err
	}
	via, ok := graph.New(v.Everything()).Path(first, last, depth)
	all := steps(v, via)
	if a.global.json {
		err = a.json(struct {
			Brain string     `json:"brain"`
			From  string     `json:"from"`
			To    string     `json:"to"`
			Found bool       `json:"found"`
			Steps []stepJSON `json:"steps"`
		}{e.st.Name(), string(v.Page(first).Path), string(v.Page(last).Path), ok, all})
	} else {
		err = a.printPath(all, ok, depth)
	}
	if err == nil && !ok {
		return errNegative
	}
	return err
}

func (a *app) printPath(steps []stepJSON, ok bool, depth int) error {
	if !ok {
		return a.print("no chain of %s or less\n", count(depth, "link"))
	}
	for _, s := range steps {
		if err := a.print("%s -%s-> %s  %s\n", plain(s.From), plain(s.Type), plain(s.To), a.faint(fmt.Sprintf("%s:%d", plain(s.From), s.Line))); err != nil {
			return err
		}
	}
	if len(steps) == 0 {
		return a.print("it is the same page\n")
	}
	return nil
}

func graphDotCommand() *command {
	var depth int
	return &command{
		name: "dot", args: "[PATH|NAME]", max: 1, schema: "graph-dot",
		short:    "draw the links as a Graphviz digraph",
		long:     "Prints the neighbourhood of a page, or without one all pages, in Graphviz' DOT language.",
		examples: []string{"brain graph dot entities/ledger.md --depth 2 | dot -Tsvg > ledger.svg"},
		exits:    graphExits,
		flags:    func(fs *pflag.FlagSet) { fs.IntVar(&depth, "depth", 2, "how far from the page, in `HOPS` from 1 to 3") },
		run:      func(ctx context.Context, a *app, args []string) error { return a.graphDot(ctx, args, depth) },
	}
}

func (a *app) graphDot(ctx context.Context, args []string, depth int) error {
	if depth < 1 || depth > 3 {
		return usage(fmt.Sprintf("--depth: %d: from 1 to 3", depth), "")
	}
	e, v, err := a.openView(ctx)
	if err != nil {
		return err
	}
	defer v.Release()
	var seeds []uint32
	if len(args) == 1 {
		row, err := a.lookupRow(ctx, e, v, args[0])
		if err != nil {
			return err
		}
		seeds = append(seeds, row)
	} else {
		v.All(func(row uint32) bool { seeds = append(seeds, row); return true })
	}
	var b strings.Builder
	label := func(n uint32) string { return plain(v.Page(n).Title) }
	if err := graph.New(v.Everything()).DOT(&b, seeds, depth, label); err != nil {
		return err
	}
	if a.global.json {
		return a.json(struct {
			Brain string `json:"brain"`
			DOT   string `json:"dot"`
		}{e.st.Name(), b.String()})
	}
	_, err = io.WriteString(a.out, b.String())
	return err
}

func graphCyclesCommand() *command {
	var types []string
	return &command{
		name: "cycles", max: 0, schema: "graph-cycles",
		short:    "pages that supersede or redirect to each other in a circle",
		long:     "Lists groups of pages that reach each other along links of the given types: a circle of supersedes or redirect means that nothing in it is current.",
		examples: []string{"brain graph cycles", "brain graph cycles --type depends_on"},
		exits:    append([]exitNote{{exitNegative, "there are cycles"}}, graphExits...),
		flags: func(fs *pflag.FlagSet) {
			fs.StringSliceVar(&types, "type", nil, "link `TYPES` to follow (default supersedes, redirect)")
		},
		run: func(ctx context.Context, a *app, _ []string) error { return a.graphCycles(ctx, types) },
	}
}

func (a *app) graphCycles(ctx context.Context, types []string) error {
	e, v, err := a.openView(ctx)
	if err != nil {
		return err
	}
	defer v.Release()
	cycles := [][]string{}
	groups := graph.New(v.Everything()).Cycles(types...)
	if len(types) == 0 || slices.Contains(types, graph.Redirect) {
		groups = append(groups, v.RedirectCycles()...)
	}
	for _, group := range groups {
		var paths []string
		for _, row := range group {
			paths = append(paths, string(v.Page(row).Path))
		}
		cycles = append(cycles, paths)
	}
	if a.global.json {
		err = a.json(struct {
			Brain  string     `json:"brain"`
			Cycles [][]string `json:"cycles"`
		}{e.st.Name(), cycles})
	} else {
		err = a.printCycles(cycles)
	}
	if err == nil && len(cycles) > 0 {
		return errNegative
	}
	return err
}

func (a *app) printCycles(cycles [][]string) error {
	for _, c := range cycles {
		if err := a.print("%s\n", plain(strings.Join(c, " ⇄ "))); err != nil {
			return err
		}
	}
	if len(cycles) == 0 {
		return a.print("no cycles\n")
	}
	return nil
}
