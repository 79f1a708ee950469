package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"brain/index"
	"brain/page"
	"brain/store"
	"brain/text"
)

func entityCommand() *command {
	return &command{
		name: "entity", group: groupFind,
		short:    "people, systems, projects: names, merging, links",
		long:     "Entities are pages of type entity, most of them below entities/. There is no registry beside them: what these commands know they read from the pages. A name is looked for exactly (path, file name, slug, title), then among the aliases; a page that was merged into another leads there, over two steps at most.",
		examples: []string{"brain entity resolve pg", "brain entity merge entities/postgresql.md entities/pg.md --confirm"},
		sub:      []*command{entityListCommand(), entityShowCommand(), entityResolveCommand(), entityMergeCommand(), entityLinkCommand()},
	}
}

// entityJSON is one entity as its page tells it.
type entityJSON struct {
	Path     string   `json:"path"`
	Title    string   `json:"title"`
	Slug     string   `json:"slug"`
	Status   string   `json:"status"`
	Aliases  []string `json:"aliases"`
	Redirect string   `json:"redirect"` // path of the page it was merged into
}

func entityListCommand() *command {
	var merged bool
	return &command{
		name: "list", max: 0, schema: "entity-list",
		short:    "list the entities",
		long:     "Lists the entities with their aliases, in order of their paths. Merged ones are left out unless --merged asks for them.",
		examples: []string{"brain entity list", "brain entity list --merged --json"},
		exits:    []exitNote{{exitNegative, "there is none"}, {exitNotFound, "no memory root or brain"}},
		flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&merged, "merged", false, "also those that were merged into others")
		},
		run: func(ctx context.Context, a *app, _ []string) error { return a.entityList(ctx, merged) },
	}
}

type entityListJSON struct {
	Brain    string       `json:"brain"`
	Entities []entityJSON `json:"entities"`
}

// entities visits the rows of entities that the agent sees, by path.
func (a *app) entities(v *index.View, visit func(index.Page)) {
	links := v.For(a.self())
	var all []index.Page
	for row := range v.All {
		if p := v.Page(row); p.Type == "entity" && links.Sees(row) {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(x, y index.Page) int { return strings.Compare(string(x.Path), string(y.Path)) })
	for _, p := range all {
		visit(p)
	}
}

func entityOf(v *index.Linked, p index.Page) entityJSON {
	e := entityJSON{string(p.Path), p.Title, p.Slug, p.Status, list(p.Aliases), ""}
	if p.Redirect != "" {
		e.Redirect = p.Redirect
		if rows := v.Resolve(strings.TrimSuffix(p.Redirect, ".md")); len(rows) == 1 {
			e.Redirect = string(v.Page(rows[0]).Path)
		}
	}
	return e
}

func (a *app) entityList(ctx context.Context, merged bool) error {
	e, v, err := a.openView(ctx)
	if err != nil {
		return err
	}
	defer v.Release()
	j := entityListJSON{e.st.Name(), []entityJSON{}}
	a.entities(v, func(p index.Page) {
		if merged || p.Redirect == "" {
			j.Entities = append(j.Entities, entityOf(v.For(a.self()), p))
		}
	})
	var b strings.Builder
	for _, e := range j.Entities {
		b.WriteString(e.line())
	}
	switch {
	case a.global.json:
		err = a.json(j)
	case len(j.Entities) == 0:
		err = a.print("no entities\n")
	default:
		err = a.print("%s", b.String())
	}
	if err == nil && len(j.Entities) == 0 {
		return errNegative
	}
	return err
}

func (e entityJSON) line() string {
	s := fmt.Sprintf("%s  %s", plain(e.Path), plain(e.Title))
	if len(e.Aliases) > 0 {
		s += " (" + plain(strings.Join(e.Aliases, ", ")) + ")"
	}
	if e.Redirect != "" {
		s += " → " + plain(e.Redirect)
	}
	return s + "\n"
}

func entityResolveCommand() *command {
	return &command{
		name: "resolve", args: "NAME", min: 1, max: 1, schema: "entity-resolve",
		short:    "tell which entity a name means",
		long:     "Tells which entity a name means and by what: exact (path, file name, slug or title), alias, or redirect. A name that several bear is a conflict with the candidates; a chain of redirects that is longer than two steps or runs in a circle is reported.",
		examples: []string{"brain entity resolve pg", "brain entity resolve 支付系统 --json"},
		exits:    []exitNote{{exitNotFound, "nobody bears the name"}, {exitConflict, "several bear it, or its redirects lead nowhere"}},
		run:      func(ctx context.Context, a *app, args []string) error { return a.entityResolve(ctx, args[0]) },
	}
}

type entityResolveJSON struct {
	Brain string `json:"brain"`
	Name  string `json:"name"`
	Path  string `json:"path"`
	Title string `json:"title"`
	By    string `json:"by"` // exact, alias, redirect
}

func (a *app) entityResolve(ctx context.Context, name string) error {
	e, v, err := a.openView(ctx)
	if err != nil {
		return err
	}
	defer v.Release()
	p, by, err := a.resolveEntity(v, name)
	if err != nil {
		return err
	}
	j := entityResolveJSON{e.st.Name(), name, string(p.Path), p.Title, by}
	if a.global.json {
		return a.json(j)
	}
	return a.print("%s  %s (%s)\n", plain(j.Path), plain(j.Title), j.By)
}

// resolveEntity finds the one entity that a name means to the agent.
func (a *app) resolveEntity(v *index.View, name string) (p index.Page, by string, err error) {
	links := v.For(a.self())
	rows := slices.DeleteFunc(links.Resolve(strings.TrimSuffix(strings.TrimSpace(name), ".md")), func(row uint32) bool {
		return v.Page(row).Type != "entity"
	})
	switch {
	case len(rows) == 0:
		return p, "", &failure{code: exitNotFound, text: fmt.Sprintf("no entity is called %q", name), hint: "`brain entity list` shows them; `brain add --type entity` makes one"}
	case len(rows) > 1:
		many := &store.AmbiguousError{Name: name}
		for _, row := range rows {
			many.Candidates = append(many.Candidates, v.Page(row).Path)
		}
		return p, "", many
	}
	p = v.Page(rows[0])
	switch {
	case p.Redirect != "":
		return p, "", &failure{code: exitConflict, text: fmt.Sprintf("%q: %s redirects to %s, which leads to no page within two steps", name, p.Path, p.Redirect), hint: "`brain lint` shows redirects that are broken or run in a circle"}
	case links.Redirected(name):
		return p, "redirect", nil
	case bears(p, name):
		return p, "exact", nil
	}
	return p, "alias", nil
}

// bears reports whether a name is a page's own, not only an alias.
func bears(p index.Page, name string) bool {
	name = strings.TrimSuffix(strings.TrimSpace(name), ".md")
	for _, own := range []string{p.Title, p.Slug, p.Path.Stem(), strings.TrimSuffix(string(p.Path), ".md")} {
		if own != "" && text.Fold(own) == text.Fold(name) {
			return true
		}
	}
	return false
}

func entityShowCommand() *command {
	return &command{
		name: "show", args: "NAME", min: 1, max: 1, schema: "entity-show",
		short:    "show what is known of an entity",
		long:     "Shows an entity's names, external ids, facts, and how many links lead to it and from it.",
		examples: []string{"brain entity show PostgreSQL"},
		exits:    []exitNote{{exitNotFound, "nobody bears the name"}, {exitConflict, "several bear it"}},
		run:      func(ctx context.Context, a *app, args []string) error { return a.entityShow(ctx, args[0]) },
	}
}

type entityFactJSON struct {
	Text       string `json:"text"`
	Status     string `json:"status"`
	ValidFrom  string `json:"valid_from"`
	ValidUntil string `json:"valid_until"`
	Line       int    `json:"line"`
}

type entityShowJSON struct {
	Brain string `json:"brain"`
	entityJSON
	ExternalIDs []string         `json:"external_ids"`
	Merged      []string         `json:"merged"` // pages that redirect here
	Facts       []entityFactJSON `json:"facts"`
	LinksOut    int              `json:"links_out"`
	LinksIn     int              `json:"links_in"`
}

func (a *app) entityShow(ctx context.Context, name string) error {
	e, v, err := a.openView(ctx)
	if err != nil {
		return err
	}
	defer v.Release()
	p, _, err := a.resolveEntity(v, name)
	if err != nil {
		return err
	}
	raw, err := e.st.Read(ctx, p.Path)
	if err != nil {
		return err
	}
	full := page.Parse(p.Path, raw)
	j := entityShowJSON{Brain: e.st.Name(), entityJSON: entityOf(v.For(a.self()), p), ExternalIDs: list(full.ExternalIDs), Merged: []string{}, Facts: []entityFactJSON{}}
	for _, f := range full.Facts {
		j.Facts = append(j.Facts, entityFactJSON{f.Text, f.Status, f.ValidFrom, f.ValidUntil, f.Line})
	}
	links := v.For(a.self())
	j.LinksOut = len(links.Links(p.Row))
	for _, from := range neighbours(links, p.Row) {
		for _, l := range links.Links(from) {
			if l.Resolved && l.To == p.Row {
				j.LinksIn++
			}
		}
	}
	a.entities(v, func(o index.Page) {
		if o.Redirect != "" && entityOf(links, o).Redirect == string(p.Path) {
			j.Merged = append(j.Merged, string(o.Path))
		}
	})
	if a.global.json {
		return a.json(j)
	}
	return a.print("%s", j.text())
}

func (j *entityShowJSON) text() string {
	var b strings.Builder
	b.WriteString(j.line())
	for _, id := range j.ExternalIDs {
		fmt.Fprintf(&b, "  id: %s\n", plain(id))
	}
	for _, m := range j.Merged {
		fmt.Fprintf(&b, "  merged: %s\n", plain(m))
	}
	for _, f := range j.Facts {
		fmt.Fprintf(&b, "  fact: %s", plain(f.Text))
		if f.Status != "" {
			fmt.Fprintf(&b, " (%s)", plain(f.Status))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "  %s in, %d out\n", count(j.LinksIn, "link"), j.LinksOut)
	return b.String()
}

func entityMergeCommand() *command {
	var confirm, yes bool
	return &command{
		name: "merge", args: "WINNER LOSER…", min: 2, max: -1, schema: "entity-merge",
		short: "make several entities one",
		long: `Unites entities in one step: WINNER gains the names of each LOSER as aliases, its tags, facts, links, sources and external ids, and its text below its own. The loser's page becomes a redirect stub, so that every link and every question for its names leads to WINNER. The ledger commits it alone; undo gives all pages back as they were.

Without --confirm it says what it would do and exits 1.`,
		examples: []string{"brain entity merge entities/postgresql.md entities/pg.md --confirm"},
		exits: changing(
			exitNote{exitNegative, "without --confirm: nothing was merged"},
			exitNote{exitUsage, "a page is no entity, or was merged already"}),
		flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&confirm, "confirm", false, "do it")
			yesFlag(fs, &yes)
		},
		run: func(ctx context.Context, a *app, args []string) error {
			return a.entityMerge(ctx, args[0], args[1:], confirm, yes)
		},
	}
}

type entityMergeJSON struct {
	Brain  string   `json:"brain"`
	Winner string   `json:"winner"`
	Losers []string `json:"losers"`
	Merged bool     `json:"merged"`
	Shared []shared `json:"shared"` // names that the winner gains and other entities bear
	Job    string   `json:"job"`
}

// shared is a name and the pages of further entities that bear it.
type shared struct {
	Name  string   `json:"name"`
	Pages []string `json:"pages"`
}

func (a *app) entityMerge(ctx context.Context, winner string, losers []string, confirm, yes bool) error {
	o, err := a.openToWrite(yes)
	if err != nil {
		return err
	}
	m := store.Merge{By: a.agent(), Now: time.Now()}
	if m.Winner, err = a.found(ctx, o, winner); err != nil {
		return err
	}
	for _, name := range losers {
		p, err := a.found(ctx, o, name)
		if err != nil {
			return err
		}
		m.Losers = append(m.Losers, p)
	}
	j := entityMergeJSON{o.st.Name(), string(m.Winner), pathStrings(m.Losers), confirm, nil, ""}
	if j.Shared, err = a.surroundings(ctx, o, &m); err != nil {
		return err
	}
	done, err := o.st.MergeEntities(ctx, m, confirm)
	if err != nil {
		return err
	}
	j.Job = done.Job
	a.touch(ctx, o, done)
	for _, s := range j.Shared {
		a.warn("%s is a name of %s, too, and will lead to neither", plain(s.Name), plain(strings.Join(s.Pages, ", ")))
	}
	switch {
	case a.global.json:
		err = a.json(j)
	case confirm:
		err = a.print("%s: now also %s\n%s", plain(j.Winner), plain(strings.Join(j.Losers, ", ")), undoLine(j.Job))
	default:
		err = a.print("%s would take in %s\n", plain(j.Winner), plain(strings.Join(j.Losers, ", ")))
		a.note("brain: nothing was merged")
		a.note("hint: --confirm does it; undo takes it back")
	}
	if err == nil && !confirm {
		return errNegative
	}
	return err
}

// surroundings fills in what a merge must know of the pages around, and tells which
// names the winner gains that further entities bear.
func (a *app) surroundings(ctx context.Context, o *opened, m *store.Merge) ([]shared, error) {
	v, err := a.settled(ctx, o)
	if err != nil {
		return nil, err
	}
	defer v.Release()
	l := &leading{v: v, agent: a.self(), all: store.Leads{}}
	var names []string
	for _, p := range m.Losers {
		row, err := indexed(v, p)
		if err != nil {
			return nil, err
		}
		l.own(row)
		l.redirects(row)
		e := v.Page(row)
		names = append(append(names, e.Title, e.Slug), e.Aliases...)
	}
	m.Leads = l.all
	all := []shared{}
	for _, name := range names {
		s := shared{Name: name}
		v.For(a.self()).Bearers(name, func(row uint32, _ page.NameKind) {
			p := v.Page(row)
			if p.Type == "entity" && p.Redirect == "" && p.Path != m.Winner && !slices.Contains(m.Losers, p.Path) && !slices.Contains(s.Pages, string(p.Path)) {
				s.Pages = append(s.Pages, string(p.Path))
			}
		})
		if len(s.Pages) > 0 && !slices.ContainsFunc(all, func(o shared) bool { return text.Fold(o.Name) == text.Fold(name) }) {
			slices.Sort(s.Pages)
			all = append(all, s)
		}
	}
	return all, nil
}

func entityLinkCommand() *command {
	var yes bool
	return &command{
		name: "link", args: "NAME TYPE TARGET", min: 3, max: 3, schema: "edit",
		short:    "add a typed link to an entity",
		long:     "Adds a link of TYPE (works_on, belongs_to, decided, …) from an entity to the page TARGET, named by path, title or alias, to the entity's front matter. A link that is there already is no change.",
		examples: []string{"brain entity link Lin works_on PostgreSQL"},
		exits:    changing(),
		flags:    func(fs *pflag.FlagSet) { yesFlag(fs, &yes) },
		run: func(ctx context.Context, a *app, args []string) error {
			return a.entityLink(ctx, args[0], args[1], args[2], yes)
		},
	}
}

func (a *app) entityLink(ctx context.Context, name, typ, target string, yes bool) error {
	o, err := a.openToWrite(yes)
	if err != nil {
		return err
	}
	from, err := a.found(ctx, o, name)
	if err != nil {
		return err
	}
	to, err := a.lookupOpening(ctx, o, target)
	if err != nil {
		return err
	}
	l, err := parseLink(typ + ":" + string(to))
	if err != nil {
		return err
	}
	e, err := o.st.EditPage(ctx, store.Edit{Reason: "link", Path: from, Now: time.Now(), Changes: func(old *page.Page) ([]page.Change, error) {
		if old.Type != "entity" {
			return nil, usage(fmt.Sprintf("%s is a %s, not an entity", from, old.Type), "`brain edit` changes other pages")
		}
		if slices.ContainsFunc(old.Links, func(k page.Link) bool {
			return k.Kind == page.FrontMatter && k.Type == l.Type && strings.TrimSuffix(k.Target, ".md") == strings.TrimSuffix(l.Target, ".md")
		}) {
			return nil, nil
		}
		return []page.Change{page.AddLink(l)}, nil
	}})
	if err != nil {
		return err
	}
	a.touch(ctx, o, e.Receipt)
	return a.printChange(o, from, e)
}

// twinEntity finds an entity that bears one of the names already, in whatever spelling.
func (a *app) twinEntity(v *index.View, names []entityName) (twin index.Page, name string, ok bool) {
	want := map[string]string{}
	for _, n := range names {
		want[n.form] = n.text
	}
	a.entities(v, func(p index.Page) {
		for _, own := range append([]string{p.Title, p.Slug, p.Path.Stem()}, p.Aliases...) {
			if n, hit := want[page.NameForm(own)]; hit && !ok {
				twin, name, ok = p, n, true
			}
		}
	})
	return twin, name, ok
}
