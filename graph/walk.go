package graph

import (
	"math"
	"math/bits"
	"slices"
	"sync"
)

// The walk is a breadth-first search from all seeds at once, level by level,
// over the adjacency lists of Links. What it costs is the edges it looks at,
// so nothing on the way allocates: a dense array from node to its record
// stands in for a map, and is wiped afterwards by the records themselves.
//
// Every node gets the evidence of all shortest chains that end in it, not
// only of the first:
//
//	Typed   distinct edge types on the last hop that state a relation
//	Paths   number of shortest chains, parallel edges counted apart
//	Weight  how much of the seeds' attention arrives here
//
// Weight is the hub damping. A seed has 1, and a node at hop h
//
//	Weight(v) = Σ over edges (u,v) with hop(u) = h-1 of Weight(u) / (1 + ln degree(v))
//
// so a page that everything links to is no news, and neither is what lies
// behind it; being reached twice counts twice. (The divisor is that of
// df-memory's and gbrain's hub rules in smooth form; the sum is one step of
// a random walk with the seeds as its start, cut at the depth.)
//
// The order is total: hop, then Typed (more first), Weight (more first), node.

const (
	defaultDepth = 2
	maxDepth     = 3

	// hubEdges is the degree from which a node counts as a hub. A hub is
	// reached like any other node, but behind it the walk sees only its first
	// hubEdges edges, and its degree counts as hubEdges. Seeds are exempt: who
	// asks for a hub wants its neighbours.
	hubEdges = 256

	// maxReached ends the walk; levels nearer to the seeds are complete
	// before farther ones begin. It bounds a question on a dense graph to
	// well under a millisecond.
	maxReached = 4096

	defaultLimit = 200
)

// WalkOptions says where a walk goes. Zero is the default of each field.
type WalkOptions struct {
	Seeds []uint32
	Depth int       // hops; 0 means 2, at most 3
	Dir   Direction // from the seeds' side; Both
	First []string  // edge types of the first hop; none means as Types
	Types []string  // edge types of every hop; none means all
	Limit int       // nodes returned, seeds included; 0 means 200, at most 4096
}

// Step is one edge of a chain. From is nearer to the seed. Reverse says that
// the edge itself points the other way, from To to From.
type Step struct {
	From, To uint32
	Type     string
	Line     int // line that made the edge
	Reverse  bool
}

// Reached is a node the walk found. Seeds are found too, at hop 0.
type Reached struct {
	Node    uint32
	Hop     int
	Via     []Step // chain from a seed, Hop steps; a typed last step where there is one
	Paths   int    // shortest chains from the seeds
	Types   int    // distinct edge types on their last hop
	Typed   int    // those that state a relation: not mentions, not references
	Weight  float64
	Against bool // found only against the direction asked for (Answer)
	Loose   bool // found only by a link that states no relation (Answer)
}

// Walk goes out from the seeds and returns what it reached, best first. Seeds
// that do not exist are ignored.
func (g *Graph) Walk(o WalkOptions) []Reached {
	w := walkers.Get().(*walker)
	w.begin(g.Links, o)
	depth := o.Depth
	if depth <= 0 {
		depth = defaultDepth
	}
	for h := 1; h <= min(depth, maxDepth) && w.level(h); h++ {
	}
	out := w.ranked(o.Limit)
	w.end()
	walkers.Put(w)
	return out
}

// record is what the walk knows of a node; 64 bytes.
type record struct {
	node   uint32
	parent uint32 // index of the record before it in its chain
	hop    uint8
	typ    uint8 // of the last step, in walker.types
	rev    bool
	paths  uint32
	line   int
	types  uint64 // set of types on the last hop
	weight float64
}

// walker is the state of one walk, reused through the pool.
type walker struct {
	links Links
	known degrees // links, if it knows them
	dir   Direction
	first []string
	all   []string

	at    []uint32 // node → index in found, plus 1; all zero between walks
	found []record
	types []string // edge types seen in this walk; set bits index it
	typed uint64   // those that are not plain
	keys  []uint64

	// The node being expanded, and what visit needs to know.
	from   uint32
	hop    uint8
	in     bool
	want   []string
	budget int

	count  int
	visit  func(to uint32, typ string, line int) bool
	degree func(to uint32, typ string, line int) bool
}

var walkers = sync.Pool{New: func() any {
	w := new(walker)
	w.visit, w.degree = w.arrive, w.tally // bound once: a closure a call would allocate
	return w
}}

func (w *walker) begin(l Links, o WalkOptions) {
	w.links, w.dir, w.all, w.first = l, o.Dir, o.Types, o.First
	if len(w.first) == 0 {
		w.first = o.Types
	}
	w.known, _ = l.(degrees)
	n := l.Nodes()
	if len(w.at) < n {
		w.at = make([]uint32, n+n/8)
	}
	for _, s := range o.Seeds {
		if int(s) < n && w.at[s] == 0 && len(w.found) < maxReached {
			w.found = append(w.found, record{node: s, paths: 1, weight: 1})
			w.at[s] = uint32(len(w.found))
		}
	}
}

// end wipes what the walk touched and forgets what it borrowed.
func (w *walker) end() {
	for i := range w.found {
		w.at[w.found[i].node] = 0
	}
	clear(w.types)
	w.found, w.types, w.typed = w.found[:0], w.types[:0], 0
	w.links, w.known, w.first, w.all, w.want = nil, nil, nil, nil, nil
}

// level expands all nodes at hop-1 and settles the weights of those it found.
// It reports whether there were any.
func (w *walker) level(hop int) bool {
	w.hop, w.want = uint8(hop), w.all
	if hop == 1 {
		w.want = w.first
	}
	end := len(w.found)
	begin := end
	for begin > 0 && int(w.found[begin-1].hop) == hop-1 {
		begin--
	}
	for i := begin; i < end; i++ {
		w.expand(uint32(i))
	}
	for i := end; i < len(w.found); i++ {
		w.found[i].weight *= damping(w.degreeOf(w.found[i].node))
	}
	return len(w.found) > end
}

func (w *walker) expand(i uint32) {
	w.from, w.budget = i, hubEdges
	if w.hop == 1 {
		w.budget = math.MaxInt
	}
	n := w.found[i].node
	if w.dir != In {
		w.in = false
		w.links.Edges(n, false, w.visit)
	}
	if w.dir != Out && w.budget > 0 {
		w.in = true
		w.links.Edges(n, true, w.visit)
	}
}

// arrive takes in one edge from the node being expanded.
func (w *walker) arrive(to uint32, typ string, line int) bool {
	w.budget--
	if len(w.want) > 0 && !slices.Contains(w.want, typ) {
		return w.budget > 0
	}
	at := w.at[to]
	if at == 0 {
		if len(w.found) == maxReached {
			return w.budget > 0
		}
		w.found = append(w.found, record{node: to, hop: w.hop})
		at = uint32(len(w.found))
		w.at[to] = at
	}
	r := &w.found[at-1]
	if r.hop != w.hop { // a seed, or nearer by another way
		return w.budget > 0
	}
	t := w.intern(typ)
	if r.types == 0 || r.types&w.typed == 0 && w.typed&(1<<t) != 0 {
		r.parent, r.typ, r.line, r.rev = w.from, t, line, w.in
	}
	from := &w.found[w.from]
	r.types |= 1 << t
	r.paths += min(from.paths, math.MaxUint32-r.paths)
	r.weight += from.weight
	return w.budget > 0
}

// intern numbers the edge types of a walk. There are a dozen; from the 64th
// on they share a number, and with it their evidence.
func (w *walker) intern(typ string) uint8 {
	for i, t := range w.types {
		if t == typ {
			return uint8(i)
		}
	}
	if len(w.types) == 64 {
		return 63
	}
	w.types = append(w.types, typ)
	t := uint8(len(w.types) - 1)
	if !plain(typ) {
		w.typed |= 1 << t
	}
	return t
}

// degrees is what a Links may also do: give a node's number of edges, both
// ways and of any type, without visiting them. Counting them is most of the
// time of a walk. Dead edges may be counted; it only damps.
type degrees interface {
	Degree(n uint32) int
}

// degreeOf counts edges both ways, of any type, up to hubEdges.
func (w *walker) degreeOf(n uint32) int {
	if w.known != nil {
		return w.known.Degree(n)
	}
	w.count = 0
	w.links.Edges(n, false, w.degree)
	if w.count < hubEdges {
		w.links.Edges(n, true, w.degree)
	}
	return w.count
}

func (w *walker) tally(uint32, string, int) bool {
	w.count++
	return w.count < hubEdges
}

// damping is 1/(1+ln degree): 1 for a leaf, 0.15 for a hub.
func damping(degree int) float64 { return dampings()[min(degree, hubEdges)] }

var dampings = sync.OnceValue(func() *[hubEdges + 1]float64 {
	t := &[hubEdges + 1]float64{1}
	for d := 1; d <= hubEdges; d++ {
		t[d] = 1 / (1 + math.Log(float64(d)))
	}
	return t
})

// ranked copies out the best nodes. The whole order fits one word, so that
// sorting moves words only: hop 2 bits, 63-Typed 6, Weight 24 (the upper bits
// of a positive float32, whose order is that of the number), node 32.
func (w *walker) ranked(limit int) []Reached {
	w.keys = w.keys[:0]
	for i := range w.found {
		r := &w.found[i]
		typed := uint64(min(bits.OnesCount64(r.types&w.typed), 63))
		weight := uint64(math.Float32bits(float32(r.weight))) >> 7
		w.keys = append(w.keys, uint64(r.hop)<<62|(63-typed)<<56|(1<<24-1-weight)<<32|uint64(r.node))
	}
	slices.Sort(w.keys)
	if limit <= 0 {
		limit = defaultLimit
	}
	w.keys = w.keys[:min(limit, len(w.keys))]
	if len(w.keys) == 0 {
		return nil
	}
	out := make([]Reached, len(w.keys))
	steps := make([]Step, 0, len(out)*maxDepth)
	for i, key := range w.keys {
		r := &w.found[w.at[uint32(key)]-1]
		n := len(steps)
		steps = steps[:n+int(r.hop)]
		via := steps[n:len(steps):len(steps)]
		w.chain(r, via)
		out[i] = Reached{
			Node: r.node, Hop: int(r.hop), Via: via, Paths: int(r.paths),
			Types:  bits.OnesCount64(r.types),
			Typed:  bits.OnesCount64(r.types & w.typed),
			Weight: r.weight,
		}
	}
	return out
}

// chain fills via, which has r.hop places, from its end.
func (w *walker) chain(r *record, via []Step) {
	for i := len(via) - 1; i >= 0; i-- {
		p := &w.found[r.parent]
		via[i] = Step{From: p.node, To: r.node, Type: w.types[r.typ], Line: r.line, Reverse: r.rev}
		r = p
	}
}
