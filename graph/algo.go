package graph

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"

	library "github.com/dominikbraun/graph"
	"github.com/dominikbraun/graph/draw"
)

// What is a textbook algorithm on a small graph comes from dominikbraun/graph:
// shortest path, strongly connected components, DOT. It copies the graph for
// each (seconds for a whole brain), so it only ever sees a neighbourhood, or
// the few edges of the types that may not form a cycle.
//
// Three of its traits are met here. It has no parallel edges: types between
// two nodes are joined. It iterates over maps: results are sorted, and equal
// paths are told apart by their weights. And its component search loses a
// component whose root is the zero value of the key type: keys are node+1.

// key is a node in the library's graphs, never 0.
type key int

func keyOf(n uint32) key     { return key(n) + 1 }
func (k key) node() uint32   { return uint32(k - 1) }
func (k key) String() string { return strconv.Itoa(int(k - 1)) }

func identity(k key) key { return k }

// Path gives a shortest chain of links between two nodes, either way along
// each link, if there is one of at most maxDepth links (0 means 4, at most
// 6). Among chains of equal length typed links win; what is still equal is
// decided the same way every time.
//
// A shortest path of length L has its middle within ⌈L/2⌉ of one end and
// ⌊L/2⌋ of the other, so the two walks' trees contain one; only their edges
// are handed to the library.
func (g *Graph) Path(from, to uint32, maxDepth int) ([]Step, bool) {
	if maxDepth <= 0 {
		maxDepth = 4
	}
	maxDepth = min(maxDepth, 6)
	if int(from) >= g.Nodes() || int(to) >= g.Nodes() {
		return nil, false
	}
	if from == to {
		return nil, true
	}
	steps := map[[2]uint32]Step{}
	lib := library.New(identity, library.Weighted())
	plant := func(seed uint32, depth int) {
		for _, r := range g.Walk(WalkOptions{Seeds: []uint32{seed}, Depth: depth, Limit: maxReached}) {
			addVertex(lib, r.Node)
			if r.Hop == 0 {
				continue
			}
			s := r.Via[r.Hop-1]
			back := Step{From: s.To, To: s.From, Type: s.Type, Line: s.Line, Reverse: !s.Reverse}
			if _, known := steps[[2]uint32{s.From, s.To}]; !known {
				steps[[2]uint32{s.From, s.To}], steps[[2]uint32{s.To, s.From}] = s, back
			}
		}
	}
	plant(from, (maxDepth+1)/2)
	if maxDepth > 1 {
		plant(to, maxDepth/2)
	} else {
		addVertex(lib, to)
	}
	for ends, s := range steps {
		if ends[0] < ends[1] {
			addEdge(lib, ends[0], ends[1], library.EdgeWeight(cost(s)))
		}
	}
	keys, err := library.ShortestPath(lib, keyOf(from), keyOf(to))
	if err != nil || len(keys)-1 > maxDepth {
		return nil, false
	}
	path := make([]Step, 0, len(keys)-1)
	for i := range keys[1:] {
		path = append(path, steps[[2]uint32{keys[i].node(), keys[i+1].node()}])
	}
	return path, true
}

// cost orders paths: by links, then by plain links among them, then by a hash
// of each link. Distinct sums make the minimum one path (the isolation lemma
// of Mulmuley, Vazirani and Vazirani 1987, with fixed weights), whatever the
// order of the library's maps. Sums of six fit an int, of 32 bits too, and stay
// exact in a float64.
func cost(s Step) int {
	const hashBits = strconv.IntSize / 2
	c := 1 << (hashBits + 12)
	if plain(s.Type) {
		c += 1 << (hashBits + 6)
	}
	h := fnv.New32a()
	fmt.Fprintf(h, "%d %d", min(s.From, s.To), max(s.From, s.To))
	return c + int(h.Sum32()>>(32-hashBits))
}

// Cycles gives the groups of nodes that reach each other along edges of the
// given types (supersedes and redirect when none is given), each group sorted,
// groups by their first node. A cycle of these means that nothing is current.
func (g *Graph) Cycles(types ...string) [][]uint32 {
	if len(types) == 0 {
		types = []string{Supersedes, Redirect}
	}
	return Circles(func(yield func(from, to uint32) bool) {
		for n := range uint32(g.Nodes()) {
			more := true
			g.Edges(n, false, func(to uint32, typ string, _ int) bool {
				more = !slices.Contains(types, typ) || yield(n, to)
				return more
			})
			if !more {
				return
			}
		}
	})
}

// Circles is Cycles for who has the edges at hand. An edge from a node to itself
// is no circle here.
func Circles(edges iter.Seq2[uint32, uint32]) [][]uint32 {
	lib := library.New(identity, library.Directed())
	for from, to := range edges {
		addVertex(lib, from)
		addVertex(lib, to)
		addEdge(lib, from, to)
	}
	groups, err := library.StronglyConnectedComponents(lib)
	if err != nil {
		panic(fmt.Sprintf("graph: components: %v", err)) // a directed graph in memory: cannot happen
	}
	var cycles [][]uint32
	for _, group := range groups {
		if len(group) < 2 {
			continue
		}
		var cycle []uint32
		for _, k := range group {
			cycle = append(cycle, k.node())
		}
		slices.Sort(cycle)
		cycles = append(cycles, cycle)
	}
	slices.SortFunc(cycles, func(a, b []uint32) int { return cmp.Compare(a[0], b[0]) })
	return cycles
}

// DOT writes the neighbourhood of the seeds as a Graphviz digraph: what Walk
// reaches within depth, and all edges among it, the types between two nodes
// in one label. label names a node; nil prints its number. The same links
// give the same bytes.
func (g *Graph) DOT(w io.Writer, seeds []uint32, depth int, label func(n uint32) string) error {
	if label == nil {
		label = func(n uint32) string { return keyOf(n).String() }
	}
	lib := library.New(identity, library.Directed())
	reached := g.Walk(WalkOptions{Seeds: seeds, Depth: depth, Limit: maxReached})
	inside := map[uint32]bool{}
	for _, r := range reached {
		inside[r.Node] = true
		attributes := map[string]string{"label": escapeDOT(label(r.Node))}
		if r.Hop == 0 {
			attributes["shape"] = "box"
		}
		addVertex(lib, r.Node, library.VertexAttributes(attributes))
	}
	for _, r := range reached {
		for to, types := range g.typesTo(r.Node, inside) {
			addEdge(lib, r.Node, to, library.EdgeAttribute("label", escapeDOT(strings.Join(types, ", "))))
		}
	}
	var b bytes.Buffer
	if err := draw.DOT(lib, &b); err != nil {
		return fmt.Errorf("graph: draw: %w", err)
	}
	_, err := w.Write(sortStatements(b.Bytes()))
	return err
}

// typesTo groups the edges out of n by target.
func (g *Graph) typesTo(n uint32, inside map[uint32]bool) map[uint32][]string {
	types := map[uint32][]string{}
	g.Edges(n, false, func(to uint32, typ string, _ int) bool {
		if inside[to] && !slices.Contains(types[to], typ) {
			types[to] = append(types[to], typ)
		}
		return true
	})
	return types
}

// sortStatements puts the lines of a drawing, which the library emits in the
// order of a map, into one order and drops empty ones. Escaping has seen to
// it that a statement is one line.
func sortStatements(dot []byte) []byte {
	lines := slices.DeleteFunc(strings.Split(string(dot), "\n"), func(l string) bool {
		return strings.TrimSpace(l) == ""
	})
	slices.Sort(lines[1 : len(lines)-1])
	return []byte(strings.Join(lines, "\n") + "\n")
}

// escapeDOT makes s safe inside the double quotes that the library sets.
func escapeDOT(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s)
}

// addVertex and addEdge add what may be there already; no other error is
// possible with vertices added before their edges.
func addVertex(lib library.Graph[key, key], n uint32, options ...func(*library.VertexProperties)) {
	if err := lib.AddVertex(keyOf(n), options...); err != nil && err != library.ErrVertexAlreadyExists {
		panic(fmt.Sprintf("graph: add vertex %d: %v", n, err))
	}
}

func addEdge(lib library.Graph[key, key], from, to uint32, options ...func(*library.EdgeProperties)) {
	if err := lib.AddEdge(keyOf(from), keyOf(to), options...); err != nil && err != library.ErrEdgeAlreadyExists {
		panic(fmt.Sprintf("graph: add edge %d → %d: %v", from, to, err))
	}
}
