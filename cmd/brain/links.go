package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"brain/graph"
	"brain/index"
	"brain/page"
)

type linksFlags struct {
	depth   int
	in, out bool
	types   []string
	missing bool
}

func linksCommand() *command {
	var f linksFlags
	return &command{
		name: "links", group: groupFind, args: "[PATH|NAME]", max: 1, schema: "links",
		short: "links of a page, in and out, and what lies behind them",
		long: `Lists the links that a page writes and those that lead to it: type, the page at the other end, and the line that made the link. --depth 2 or 3 also lists the pages behind, each with the chain that leads there.

--missing lists the targets that no page bears, each once with the lines that name it: of one page, or of all pages of the brain, sessions aside. They resolve by themselves when the page appears.`,
		examples: []string{"brain links entities/postgres.md", "brain links PostgreSQL --depth 2 --type decided", "brain links --missing"},
		exits:    []exitNote{{exitNotFound, "no such page or brain"}, {exitConflict, "the name is ambiguous"}, {exitEnvironment, "no index could be opened or built"}},
		flags: func(fs *pflag.FlagSet) {
			fs.IntVar(&f.depth, "depth", 1, "how far, in `HOPS` from 1 to 3")
			fs.BoolVar(&f.in, "in", false, "only links that lead to the page")
			fs.BoolVar(&f.out, "out", false, "only links that the page has to others")
			fs.StringSliceVar(&f.types, "type", nil, "only links of these `TYPES`: mentions, decided, works_on, …")
			fs.BoolVar(&f.missing, "missing", false, "only targets that no page bears")
		},
		run: func(ctx context.Context, a *app, args []string) error { return a.links(ctx, &f, args) },
	}
}

// linkJSON is one link. Line is a line of the page From.
type linkJSON struct {
	From       string   `json:"from"`
	To         string   `json:"to"` // "" while nothing or several pages bear the target's name
	Target     string   `json:"target"`
	Type       string   `json:"type"`
	Kind       string   `json:"kind"`
	Line       int      `json:"line"`
	Direction  string   `json:"direction"` // of the edge, seen from the page asked for
	Candidates []string `json:"candidates"`
}

// reachedJSON is a page that the walk came to, with one chain of links to it.
type reachedJSON struct {
	Path  string     `json:"path"`
	Title string     `json:"title"`
	Hop   int        `json:"hop"`
	Via   []stepJSON `json:"via"`
}

// stepJSON is an edge of a chain in the direction in which it was written.
type stepJSON struct {
	From string `json:"from"`
	To   string `json:"to"`
	Type string `json:"type"`
	Line int    `json:"line"`
}

type linksJSON struct {
	Brain   string        `json:"brain"`
	Path    string        `json:"path"`
	Title   string        `json:"title"`
	Depth   int           `json:"depth"`
	Links   []linkJSON    `json:"links"`
	Reached []reachedJSON `json:"reached"`
}

func (a *app) links(ctx context.Context, f *linksFlags, args []string) error {
	switch {
	case f.depth < 1 || f.depth > 3:
		return usage(fmt.Sprintf("--depth: %d: from 1 to 3", f.depth), "")
	case len(args) == 0 && !f.missing:
		return usage("brain links: needs PATH|NAME", "or --missing, for the missing targets of the whole brain")
	}
	e, v, err := a.openView(ctx)
	if err != nil {
		return err
	}
	defer v.Release()
	if len(args) == 0 {
		return a.printMissing(e, missing(v, pages(v)))
	}
	row, err := a.lookupRow(ctx, e, v, args[0])
	if err != nil {
		return err
	}
	if f.missing {
		return a.printMissing(e, missing(v, func(yield func(uint32) bool) { yield(row) }))
	}
	p := v.Page(row)
	j := linksJSON{Brain: e.st.Name(), Path: string(p.Path), Title: p.Title, Depth: f.depth, Links: f.direct(v, row), Reached: f.walk(v, row)}
	if a.global.json {
		return a.json(j)
	}
	return a.print("%s", j.text(a))
}

// openView opens brain and index for a command that needs the index.
func (a *app) openView(ctx context.Context) (*engine, *index.View, error) {
	o, err := a.open()
	if err != nil {
		return nil, nil, err
	}
	e, err := a.engine(o)
	if err != nil {
		return nil, nil, err
	}
	v, stale, err := a.view(ctx, e, index.Auto)
	if err == nil && stale != nil {
		a.warn("the index is stale: %s since: %s", count(stale.Changed, "changed file"), plain(stale.Why))
	}
	return e, v, err
}

// lookupRow finds a page that is in the index.
func (a *app) lookupRow(ctx context.Context, e *engine, v *index.View, name string) (uint32, error) {
	p, err := a.lookup(ctx, e, v, name)
	if err != nil {
		return 0, err
	}
	row, ok := v.Lookup(p)
	if !ok {
		return 0, &failure{code: exitNotFound, text: fmt.Sprintf("%s is not in the index yet", p), hint: "run `brain sync`"}
	}
	return row, nil
}

func (f *linksFlags) wants(direction, typ string) bool {
	if f.in != f.out && (direction == "in") != f.in {
		return false
	}
	return len(f.types) == 0 || slices.Contains(f.types, typ)
}

// direct gives the links that the page writes, in order, and then those that other
// pages write to it.
func (f *linksFlags) direct(v *index.View, row uint32) []linkJSON {
	all := []linkJSON{}
	add := func(l index.Link, direction string) {
		if f.wants(direction, l.Type) {
			all = append(all, link(v, l, direction))
		}
	}
	for _, l := range v.Everything().Links(row) {
		add(l, either(l.Reverse, "in", "out"))
	}
	for _, from := range neighbours(v.Everything(), row) {
		for _, l := range v.Everything().Links(from) {
			if l.Resolved && l.To == row {
				add(l, either(l.Reverse, "out", "in"))
			}
		}
	}
	return all
}

// neighbours are the pages at the other end of an edge, each once, by path.
func neighbours(v *index.Linked, row uint32) []uint32 {
	var rows []uint32
	for _, in := range []bool{true, false} {
		v.Edges(row, in, func(other uint32, _ string, _ int) bool {
			if other != row && !slices.Contains(rows, other) {
				rows = append(rows, other)
			}
			return true
		})
	}
	slices.SortFunc(rows, func(a, b uint32) int { return strings.Compare(string(v.Page(a).Path), string(v.Page(b).Path)) })
	return rows
}

func either(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}

func link(v *index.View, l index.Link, direction string) linkJSON {
	j := linkJSON{From: string(v.Page(l.From).Path), Target: l.Target, Type: l.Type, Kind: kindName(l.Kind), Line: l.Line, Direction: direction, Candidates: []string{}}
	if l.Resolved {
		j.To = string(v.Page(l.To).Path)
	}
	for _, c := range l.Ambiguous {
		j.Candidates = append(j.Candidates, string(c))
	}
	return j
}

func kindName(k page.LinkKind) string {
	switch k {
	case page.Wiki:
		return "wikilink"
	case page.Embed:
		return "embed"
	case page.Markdown:
		return "markdown"
	case page.Mention:
		return "mention"
	case page.FrontMatter:
		return "frontmatter"
	case page.List:
		return "list"
	}
	return "other"
}

// walk gives the pages within the depth, nearest first.
func (f *linksFlags) walk(v *index.View, row uint32) []reachedJSON {
	dir := graph.Both
	if f.in != f.out {
		dir = graph.Out
		if f.in {
			dir = graph.In
		}
	}
	all := []reachedJSON{}
	for _, r := range graph.New(v.Everything()).Walk(graph.WalkOptions{Seeds: []uint32{row}, Depth: f.depth, Dir: dir, Types: f.types, Limit: 4096}) {
		if r.Hop > 0 {
			p := v.Page(r.Node)
			all = append(all, reachedJSON{string(p.Path), p.Title, r.Hop, steps(v, r.Via)})
		}
	}
	return all
}

func steps(v *index.View, via []graph.Step) []stepJSON {
	all := []stepJSON{}
	for _, s := range via {
		from, to := s.From, s.To
		if s.Reverse {
			from, to = to, from
		}
		all = append(all, stepJSON{string(v.Page(from).Path), string(v.Page(to).Path), s.Type, s.Line})
	}
	return all
}

func (j *linksJSON) text(a *app) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", a.bold(squeeze(j.Title)), plain(j.Path))
	for _, l := range j.Links {
		arrow, other := "→", l.To
		if l.Direction == "in" {
			arrow = "←"
		}
		if l.From != j.Path {
			other = l.From
		}
		switch {
		case len(l.Candidates) > 0:
			other = l.Target + " (ambiguous: " + strings.Join(l.Candidates, ", ") + ")"
		case other == "":
			other = l.Target + " (missing)"
		}
		fmt.Fprintf(&b, "  %s %-12s %s  %s\n", arrow, plain(l.Type), plain(other), a.faint(fmt.Sprintf("%s:%d %s", plain(l.From), l.Line, l.Kind)))
	}
	if j.Depth > 1 {
		for _, r := range j.Reached {
			fmt.Fprintf(&b, "  hop %d  %s  %s\n", r.Hop, plain(r.Path), a.faint(chain(r.Via)))
		}
	}
	if len(j.Links) == 0 {
		b.WriteString("  no links\n")
	}
	return b.String()
}

// chain prints steps on one line.
func chain(via []stepJSON) string {
	var parts []string
	for _, s := range via {
		parts = append(parts, fmt.Sprintf("%s -%s-> %s (%s:%d)", plain(s.From), plain(s.Type), plain(s.To), plain(s.From), s.Line))
	}
	return strings.Join(parts, ", ")
}

// missingJSON is a name that links use and no page bears, or several do.
type missingJSON struct {
	Target     string    `json:"target"`
	Candidates []string  `json:"candidates"` // pages that bear it, when it is ambiguous
	Links      []placeAt `json:"links"`
}

type placeAt struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Type string `json:"type"`
}

// missing collects what does not resolve, by target.
func missing(v *index.View, rows func(func(uint32) bool)) []missingJSON {
	at := map[string]int{}
	all := []missingJSON{}
	rows(func(row uint32) bool {
		for _, l := range v.Everything().Links(row) {
			if l.Resolved {
				continue
			}
			i, ok := at[l.Target]
			if !ok {
				i = len(all)
				at[l.Target] = i
				all = append(all, missingJSON{Target: l.Target, Candidates: link(v, l, "").Candidates})
			}
			all[i].Links = append(all[i].Links, placeAt{string(v.Page(l.From).Path), l.Line, l.Type})
		}
		return true
	})
	slices.SortFunc(all, func(a, b missingJSON) int { return strings.Compare(a.Target, b.Target) })
	return all
}

// pages gives the rows of all pages but sessions, whose links are as they were said.
func pages(v *index.View) func(func(uint32) bool) {
	return func(yield func(uint32) bool) {
		v.All(func(row uint32) bool { return v.PathOf(row).IsSession() || yield(row) })
	}
}

func (a *app) printMissing(e *engine, all []missingJSON) error {
	if a.global.json {
		return a.json(struct {
			Brain   string        `json:"brain"`
			Missing []missingJSON `json:"missing"`
		}{e.st.Name(), all})
	}
	var b strings.Builder
	for _, m := range all {
		fmt.Fprintf(&b, "%s%s\n", plain(m.Target), before("  ambiguous: ", plain(strings.Join(m.Candidates, ", "))))
		for _, l := range m.Links {
			fmt.Fprintf(&b, "    %s:%d %s\n", plain(l.Path), l.Line, plain(l.Type))
		}
	}
	if len(all) == 0 {
		b.WriteString("every link leads to a page\n")
	}
	return a.print("%s", b.String())
}
