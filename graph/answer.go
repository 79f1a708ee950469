package graph

import (
	"cmp"
	"slices"
)

// A Relation is evaluated in steps: the seed's name becomes nodes (named.go),
// one hop of the asked type and direction gives the answers, and stubs that a
// merge left behind are seen through on both ends.
//
// Not every page says what it means, so answers come in three degrees:
//
//	asked    the edge has the type and the direction asked for
//	against  the type, but the other direction: a company's page that lists
//	         people under "Team" makes edges whose direction nobody stated
//	loose    a link without a type, to or from a page of the kind asked for:
//	         the minutes that name four people name those who were there
//
// Loose answers are given where fewer than two were asked for, and for those
// who attended: minutes link whom they are about, a company's page links all
// sorts of people.
//
// Of the readings of a question the first counts that has answers of the first
// degree, else of the second, else of the third; those of lesser degree follow
// its better ones.

// aliasing are the edge types that lead from a stub to the page it stands for.
var aliasing = []string{Redirect, Alias}

// fewAnswers is how many edges as asked make loose ones needless.
const fewAnswers = 2

// plainTypes are those of links that state no relation.
var plainTypes = []string{Mentions, References, ""}

// kindred is what a Links may also do: tell whether a page is of a kind (KindOf),
// by its type, folder or tags.
type kindred interface {
	Is(n uint32, kind string) bool
}

// Answer gives the nodes that answer r, best first; none when the seed is no
// known name or has no such edges.
func (g *Graph) Answer(r Relation) []Reached {
	var all []degree
	for rd := &r; rd != nil; rd = rd.Else {
		d := g.read(*rd)
		if len(d.asked) > 0 && g.hasKind(d.asked, rd.Kind) || d.fits && len(d.loose) > 0 {
			return g.ordered(d, rd)
		}
		all = append(all, d)
	}
	for _, better := range []func(d degree) bool{
		func(d degree) bool { return len(d.asked) > 0 },
		func(d degree) bool { return len(d.against) > 0 },
		func(d degree) bool { return len(d.loose) > 0 },
	} {
		rd := &r
		for _, d := range all {
			if better(d) {
				return g.ordered(d, rd)
			}
			rd = rd.Else
		}
	}
	return nil
}

// degree are the answers to one reading.
type degree struct {
	asked, against, loose []Reached
	fits                  bool // there were answers, if only the excepted one
}

// ordered joins the degrees, those of the kind asked for first in each.
func (g *Graph) ordered(d degree, r *Relation) []Reached {
	if r.Kind != "" {
		for _, list := range [][]Reached{d.asked, d.against} {
			slices.SortStableFunc(list, func(a, b Reached) int {
				return btoi(g.is(b.Node, r.Kind)) - btoi(g.is(a.Node, r.Kind))
			})
		}
	}
	return slices.Concat(d.asked, d.against, d.loose)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// hasKind reports whether one of the answers is of a kind; any are of none.
func (g *Graph) hasKind(found []Reached, kind string) bool {
	_, known := g.Links.(kindred)
	return kind == "" || !known || slices.ContainsFunc(found, func(a Reached) bool { return g.is(a.Node, kind) })
}

// is tells the kind of a page; who works somewhere or advises is a person.
func (g *Graph) is(n uint32, kind string) bool {
	if k, ok := g.Links.(kindred); ok && k.Is(n, kind) {
		return true
	}
	works := false
	if kind == PersonKind {
		g.Edges(n, false, func(_ uint32, typ string, _ int) bool {
			works = typ == WorksAt || typ == Advises
			return !works
		})
	}
	return works
}

// read evaluates one reading.
func (g *Graph) read(r Relation) degree {
	var others []uint32
	if r.Seed2 != "" {
		if others = g.Named(r.Seed2); len(others) == 0 {
			return degree{}
		}
	}
	for _, seeds := range g.meant(r.Seed) {
		if d := g.degrees(r, seeds, others); len(d.asked)+len(d.against)+len(d.loose) > 0 {
			return d
		}
	}
	return degree{}
}

func (g *Graph) degrees(r Relation, seeds, others []uint32) (d degree) {
	switch {
	case r.Type == "" && r.Seed2 != "":
		d.asked = g.between(seeds, others)
	case r.Type == "":
		d.asked = g.related(seeds, r.Types, r.Dir, false)
	case r.Fellow:
		d.asked = g.fellows(seeds, r)
	default:
		d.asked = g.related(seeds, r.Types, r.Dir, false)
		if r.Dir != Both {
			d.against = without(g.related(seeds, r.Types, r.Dir.opposite(), true), d.asked)
			d.against = slices.DeleteFunc(d.against, func(a Reached) bool { return !g.hasKind([]Reached{a}, r.Kind) })
		}
		if r.Kind != "" && r.How != And && (len(d.asked) < fewAnswers || r.Type == Attended && r.Dir == In) {
			d.loose = without(g.loose(seeds, r.Kind), d.asked, d.against)
		}
	}
	if r.Seed2 == "" || r.Type == "" {
		return d
	}
	switch r.How {
	case Near:
		d.asked, d.loose = g.linkedFirst(d.asked, others), nil
	case And:
		also := slices.Concat(g.related(others, r.Types, r.Dir, false), g.related(others, r.Types, r.Dir.opposite(), true))
		d.asked, d.against = within(d.asked, also), within(d.against, also)
	case Except:
		d.fits = len(d.asked) > 0
		is := func(a Reached) bool { return slices.Contains(others, a.Node) }
		d.asked, d.against, d.loose = slices.DeleteFunc(d.asked, is), slices.DeleteFunc(d.against, is), slices.DeleteFunc(d.loose, is)
	}
	return d
}

func without(found []Reached, known ...[]Reached) []Reached {
	return slices.DeleteFunc(found, func(a Reached) bool {
		return slices.ContainsFunc(known, func(list []Reached) bool { return contains(list, a.Node) })
	})
}

func within(found, set []Reached) []Reached {
	return slices.DeleteFunc(found, func(a Reached) bool { return !contains(set, a.Node) })
}

func contains(list []Reached, n uint32) bool {
	return slices.ContainsFunc(list, func(a Reached) bool { return a.Node == n })
}

// loose gives the pages of a kind that a link without a type joins to the seeds.
func (g *Graph) loose(seeds []uint32, kind string) []Reached {
	var found []Reached
	for _, dir := range []Direction{Out, In} {
		for _, a := range g.Walk(WalkOptions{Seeds: seeds, Depth: 1, Dir: dir, Types: plainTypes}) {
			if a.Hop == 1 && g.is(a.Node, kind) && !contains(found, a.Node) {
				a.Loose = true
				found = append(found, a)
			}
		}
	}
	return found
}

// fellows are those who stand to the same things as the seeds.
func (g *Graph) fellows(seeds []uint32, r Relation) []Reached {
	var found []Reached
	for _, shared := range g.related(seeds, r.Types, r.Dir.opposite(), false) {
		for _, a := range g.related([]uint32{shared.Node}, r.Types, r.Dir, false) {
			if !slices.Contains(seeds, a.Node) && !contains(found, a.Node) {
				a.Via = slices.Concat(shared.Via, a.Via)
				a.Hop = len(a.Via)
				found = append(found, a)
			}
		}
	}
	return found
}

// related follows one hop of a relation.
func (g *Graph) related(nodes []uint32, types []string, dir Direction, against bool) []Reached {
	seeds, stubs := g.withStubs(nodes)
	return g.hop(seeds, stubs, types, dir, against)
}

// hop walks one step and puts the stubs it passed into the chains.
func (g *Graph) hop(seeds []uint32, stubs map[uint32]Step, types []string, dir Direction, against bool) []Reached {
	var found []Reached
	for _, a := range g.Walk(WalkOptions{Seeds: seeds, Depth: 1, Dir: dir, Types: types}) {
		if a.Hop == 0 || aliased(a.Via[0].Type) && len(types) == 0 {
			continue
		}
		if s, ok := stubs[a.Via[0].From]; ok {
			a.Via = []Step{s, a.Via[0]}
		}
		g.unstub(&a)
		a.Hop, a.Against = len(a.Via), against
		known := func(f Reached) bool { return f.Node == a.Node }
		if !slices.Contains(seeds, a.Node) && !slices.ContainsFunc(found, known) {
			found = append(found, a)
		}
	}
	slices.SortStableFunc(found, func(a, b Reached) int { return a.Hop - b.Hop })
	return found
}

// withStubs adds the stubs of the seeds, each with the step that leads to it.
func (g *Graph) withStubs(nodes []uint32) ([]uint32, map[uint32]Step) {
	all := slices.Clone(nodes)
	stubs := map[uint32]Step{}
	for _, n := range nodes {
		g.Edges(n, true, func(stub uint32, typ string, line int) bool {
			if aliased(typ) && !slices.Contains(all, stub) {
				all = append(all, stub)
				stubs[stub] = Step{From: n, To: stub, Type: typ, Line: line, Reverse: true}
			}
			return len(all) < maxReached
		})
	}
	return all, stubs
}

// unstub moves an answer that is a stub on to the page it stands for.
func (g *Graph) unstub(a *Reached) {
	g.Edges(a.Node, false, func(to uint32, typ string, line int) bool {
		if !aliased(typ) {
			return true
		}
		a.Via = append(slices.Clip(a.Via), Step{From: a.Node, To: to, Type: typ, Line: line})
		a.Node = to
		return false
	})
}

func aliased(typ string) bool { return slices.Contains(aliasing, typ) }

// linkedFirst moves answers with an edge to one of others to the front: "who
// at Acme works on Payments". Where none has one, the order stays.
func (g *Graph) linkedFirst(found []Reached, others []uint32) []Reached {
	near := map[uint32]bool{}
	for _, a := range g.Walk(WalkOptions{Seeds: others, Depth: 1, Limit: maxReached}) {
		near[a.Node] = a.Hop == 1
	}
	slices.SortStableFunc(found, func(a, b Reached) int {
		switch {
		case near[a.Node] == near[b.Node]:
			return 0
		case near[a.Node]:
			return -1
		}
		return 1
	})
	return found
}

// between gives what connects two entities: the nodes on chains of at most
// four links from one to the other, shortest chains first and none more than
// one link longer than those. (A node beside a shortest chain of L links is at
// least L+2 from both ends together, so no chain goes back on itself.) Hop is the length of the whole chain, and Via
// the chain, from the first entity through the node to the second. A direct
// link is a chain too; its node is the second entity.
func (g *Graph) between(as, bs []uint32) []Reached {
	fromA := g.Walk(WalkOptions{Seeds: as, Limit: maxReached})
	fromB := map[uint32]Reached{}
	for _, b := range g.Walk(WalkOptions{Seeds: bs, Limit: maxReached}) {
		fromB[b.Node] = b
	}
	var found []Reached
	shortest := 2 * maxDepth
	for _, a := range fromA {
		b, ok := fromB[a.Node]
		if !ok || a.Hop == 0 || b.Hop == 0 && a.Hop > 1 {
			continue
		}
		a.Via = append(slices.Clip(a.Via), backwards(b.Via)...)
		a.Hop = len(a.Via)
		a.Paths *= b.Paths
		a.Typed += b.Typed
		a.Types += b.Types
		a.Weight *= b.Weight
		shortest = min(shortest, a.Hop)
		found = append(found, a)
	}
	found = slices.DeleteFunc(found, func(a Reached) bool { return a.Hop > shortest+1 })
	slices.SortFunc(found, func(a, b Reached) int {
		return cmp.Or(a.Hop-b.Hop, b.Typed-a.Typed, cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Node, b.Node))
	})
	return found[:min(len(found), defaultLimit)]
}

// backwards is a chain walked from its end.
func backwards(via []Step) []Step {
	var back []Step
	for _, s := range slices.Backward(via) {
		back = append(back, Step{From: s.To, To: s.From, Type: s.Type, Line: s.Line, Reverse: !s.Reverse})
	}
	return back
}
