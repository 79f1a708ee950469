package migrate

import (
	"strconv"
	"strings"
	"time"

	"brain/page"
	"brain/text"
)

// A graph of names that something was noted of becomes pages, one for each name:
//
//	---
//	title: Ann
//	schema_type: entity
//	tags:
//	  - person
//	imported_from: "server-memory: Ann"
//	---
//
//	- Builds pumps.
//
//	## Relations
//
//	- works_at [[Acme]]
//
// A name that only relations have gets a page when one begins at it; one that they
// lead to stays a link that waits.

type graph struct {
	from  string // the format, for imported_from
	nodes map[string]*node
	order []*node
}

type node struct {
	name             string
	tags, notes      []string
	edges            []edge
	created, updated time.Time
	where            string
	path             page.Path
	common           bool // another name differs by case alone, or makes the same file name
	seen             map[string]bool
}

type edge struct{ relation, to, where string }

func newGraph(from string) *graph { return &graph{from: from, nodes: map[string]*node{}} }

// node is the one of a name, which is made when it is met first.
func (g *graph) node(name, where string) *node {
	name = strings.Join(strings.Fields(name), " ")
	n := g.nodes[name]
	if n == nil {
		n = &node{name: name, where: where, seen: map[string]bool{}}
		g.nodes[name] = n
		g.order = append(g.order, n)
	}
	return n
}

// say adds a note, once.
func (n *node) say(s string) {
	if s = strings.TrimSpace(lineFeeds(s)); s != "" && !n.seen["- "+s] {
		n.seen["- "+s] = true
		n.notes = append(n.notes, s)
	}
}

// relate adds a relation, once.
func (n *node) relate(relation, to, where string) {
	relation, to = strings.Join(strings.Fields(relation), " "), strings.Join(strings.Fields(to), " ")
	if relation == "" {
		relation = "related_to"
	}
	if key := relation + " [[" + to; !n.seen[key] {
		n.seen[key] = true
		n.edges = append(n.edges, edge{relation, to, where})
	}
}

func lineFeeds(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// pages hands over a page for each node, in the order in which they were met.
func (g *graph) pages(o Options, take func(Item) error) error {
	if err := g.place(o); err != nil {
		return err
	}
	for _, n := range g.order {
		raw, err := g.format(n, take)
		it := found(&Page{Path: n.path, Raw: raw, Origin: g.origin(n), Where: n.where})
		if err != nil {
			it = drop(NotWritable, n.name, n.where, err.Error())
		}
		if err := take(it); err != nil {
			return err
		}
	}
	return nil
}

func (g *graph) origin(n *node) string { return g.from + ": " + n.name }

// place gives each node the path of its page; of those that would be one file all but
// the first are numbered.
func (g *graph) place(o Options) error {
	taken, folded := map[page.Path]int{}, map[string]*node{}
	for _, n := range g.order {
		if twin := folded[text.Fold(n.name)]; twin != nil {
			n.common, twin.common = true, true
		}
		folded[text.Fold(n.name)] = n
		p, err := o.pack().Place(page.Spot{Type: "entity", Title: n.name, Day: n.created}, nil)
		if err != nil {
			return err
		}
		first := p
		for taken[p] > 0 {
			taken[first]++
			p = page.Path(strings.TrimSuffix(string(first), ".md") + "-" + strconv.Itoa(taken[first]) + ".md")
		}
		taken[p]++
		n.path = p
	}
	return nil
}

// maxTitle bounds the title of a page, in bytes: the limit is 200 characters.
const maxTitle = page.MaxTitle

func (g *graph) format(n *node, take func(Item) error) ([]byte, error) {
	var b strings.Builder
	if len(n.name) > maxTitle {
		b.WriteString(n.name + "\n\n")
	}
	for _, note := range n.notes {
		b.WriteString(listItem(note))
	}
	if len(n.edges) > 0 {
		b.WriteString("\n## Relations\n\n")
	}
	for _, e := range n.edges {
		line := g.relation(e)
		if !isRelation(line) {
			if err := take(drop(AsText, line, e.where, "more words than the name of a relation has")); err != nil {
				return nil, err
			}
		}
		b.WriteString(line + "\n")
	}
	raw, err := page.Format(page.Draft{Title: text.Clip(n.name, maxTitle), Type: "entity", Tags: n.tags,
		Created: n.created, Updated: n.updated, Body: b.String()})
	if err != nil {
		return nil, err
	}
	return page.Splice(n.path, raw, page.SetText(originKey, g.origin(n)))
}

// originKey is the key of a page that says what it was made of.
const originKey = "imported_from"

// listItem is a note as an item of a list. What follows its first line belongs to it,
// and a block of code that it leaves open ends with it.
func listItem(note string) string {
	lines, code := strings.Split(note, "\n"), ""
	for _, l := range lines {
		code = codeFence(code, l)
	}
	if code != "" {
		lines = append(lines, code)
	}
	for i, l := range lines {
		switch {
		case i == 0:
			lines[i] = "- " + l
		case l != "":
			lines[i] = "  " + l
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// relation is the line of a relation. The name of the page that it leads to stands
// there, unless it would be read otherwise; then its path does.
func (g *graph) relation(e edge) string {
	label := plainLabel(e.relation)
	line := "- " + label + " [[" + e.to + "]]"
	to := g.nodes[e.to]
	links := page.Parse("x.md", []byte(line)).Links
	if len(links) == 1 && links[0].Target == e.to && links[0].Fragment == "" && (to == nil || !to.common) {
		return line
	}
	if to == nil {
		return "- " + label + " [[" + plainLabel(e.to) + "]]"
	}
	return "- " + label + " [[" + strings.TrimSuffix(string(to.path), ".md") + "|" + plainLabel(e.to) + "]]"
}

// plainLabel is a name without the signs that mean something in a link.
func plainLabel(s string) string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune("[]|", r) {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// isRelation reports whether a line is read as a relation.
func isRelation(line string) bool {
	links := page.Parse("x.md", []byte(line)).Links
	return len(links) == 1 && links[0].Kind == page.List
}
