package graph

import (
	"cmp"
	"slices"
	"strings"
)

// A Relation is evaluated in three steps: the seed's name becomes nodes, one
// hop of the asked type and direction gives the answers, and stubs that a
// merge left behind are seen through on both ends.
//
// Edges of the asked type that stand the other way round answer too, after
// all others: a company's page that lists people under "Team" makes edges of
// the right type whose direction nobody stated.

// aliasing are the edge types that lead from a stub to the page it stands for.
var aliasing = []string{Redirect, Alias}

// Answer gives the nodes that answer r, best first; none when the seed is no
// known name or has no such edges.
func (g *Graph) Answer(r Relation) []Reached {
	seeds := g.Named(r.Seed)
	if len(seeds) == 0 {
		return nil
	}
	if r.Seed2 == "" {
		return g.related(seeds, r)
	}
	others := g.Named(r.Seed2)
	if r.Type == "" {
		return g.between(seeds, others)
	}
	return g.linkedFirst(g.related(seeds, r), others)
}

// few reports whether a name names something: what more pages bear names none.
func few(nodes []uint32) bool { return len(nodes) > 0 && len(nodes) <= maxCandidates }

// Named resolves a name as people write it: as it stands, without or with the
// word for what it is ("Acme" for "Acme Inc", 支付 for 支付系统), else the
// longest name within it.
func (g *Graph) Named(name string) []uint32 {
	for _, form := range forms(name, 0, len(name), true) {
		if nodes := g.Resolve(form); few(nodes) {
			return nodes
		}
	}
	for _, suffix := range kindWords {
		if short, ok := strings.CutSuffix(name, suffix); ok && short != "" {
			if nodes := g.Resolve(strings.TrimRight(short, " ,")); few(nodes) {
				return nodes
			}
		}
	}
	for _, suffix := range kindWords {
		if nodes := g.Resolve(name + suffix); few(nodes) {
			return nodes
		}
	}
	var best Seed
	for _, s := range g.Seeds(name) {
		if len(s.Name) > len(best.Name) && few(s.Nodes) {
			best = s
		}
	}
	return best.Nodes
}

// kindWords follow a name and say what it is.
var kindWords = []string{" inc", " inc.", " corp", " corp.", " ltd", " ltd.", " llc", " gmbh", " co", " company", " project",
	" team", " system", " service", " meeting", "公司", "集团", "项目", "系统", "平台", "团队", "部门", "服务", "组", "会议"}

// related follows one hop of the relation, asked direction first.
func (g *Graph) related(nodes []uint32, r Relation) []Reached {
	seeds, stubs := g.withStubs(nodes)
	found := g.hop(seeds, stubs, r.Types, r.Dir, false)
	if r.Type != "" && r.Dir != Both {
		for _, a := range g.hop(seeds, stubs, r.Types, r.Dir.opposite(), true) {
			if !slices.ContainsFunc(found, func(f Reached) bool { return f.Node == a.Node }) {
				found = append(found, a)
			}
		}
	}
	return found
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
