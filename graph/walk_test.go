package graph

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/graph/graphtest"

	"pgregory.net/rapid"
)

// show prints a walk: "node@hop" in order, "!" against, "~" loose; chains as a -type-> b or a <-type- b.
func show(l *graphtest.Links, found []Reached) string {
	var parts []string
	for _, r := range found {
		s := fmt.Sprintf("%s@%d", short(l, r.Node), r.Hop)
		if r.Against {
			s += "!"
		}
		if r.Loose {
			s += "~"
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " ")
}

func short(l *graphtest.Links, n uint32) string { return strings.TrimSuffix(l.Name(n), ".md") }

func chain(l *graphtest.Links, via []Step) string {
	if len(via) == 0 {
		return ""
	}
	s := short(l, via[0].From)
	for _, v := range via {
		arrow := " -%s-> "
		if v.Reverse {
			arrow = " <-%s- "
		}
		s += fmt.Sprintf(arrow, v.Type) + short(l, v.To)
	}
	return s
}

func TestWalkFixtures(t *testing.T) {
	star := []string{"hub mentions a", "hub mentions b", "c mentions hub"}
	line := []string{"a references b", "b references c", "c references d", "d references e"}
	tests := []struct {
		name  string
		links []string
		o     WalkOptions
		want  string
	}{
		{"star from the centre", star, WalkOptions{}, "hub@0 a@1 b@1 c@1"},
		{"star from a point", star[:], WalkOptions{Seeds: []uint32{1}}, "a@0 hub@1 b@2 c@2"},
		{"star, out only", star, WalkOptions{Dir: Out}, "hub@0 a@1 b@1"},
		{"star, in only", star, WalkOptions{Dir: In}, "hub@0 c@1"},
		{"chain stops after two hops", line, WalkOptions{}, "a@0 b@1 c@2"},
		{"chain, three hops", line, WalkOptions{Depth: 3}, "a@0 b@1 c@2 d@3"},
		{"chain, never more than three", line, WalkOptions{Depth: 9}, "a@0 b@1 c@2 d@3"},
		{"cycle", []string{"a mentions b", "b mentions c", "c mentions a"}, WalkOptions{Dir: Out}, "a@0 b@1 c@2"},
		{"diamond before the single chain", []string{"a mentions b", "a mentions c", "b mentions e", "b mentions d", "c mentions d"},
			WalkOptions{}, "a@0 c@1 b@1 d@2 e@2"},
		{"typed before plain", []string{"a mentions b", "a founded c"}, WalkOptions{}, "a@0 c@1 b@1"},
		{"two types before one", []string{"a founded b", "a founded c", "a advises c"}, WalkOptions{}, "a@0 c@1 b@1"},
		{"less linked before more", []string{"a mentions b", "a mentions c", "x mentions b"}, WalkOptions{Depth: 1}, "a@0 c@1 b@1"},
		{"reached from both seeds first", []string{"a mentions c", "b mentions d", "a mentions d", "x mentions c"},
			WalkOptions{Seeds: []uint32{0, 2}, Depth: 1}, "a@0 b@0 d@1 c@1"},
		{"dangling target", []string{"a mentions ?ghost", "a mentions b"}, WalkOptions{}, "a@0 b@1"},
		{"self loop", []string{"a mentions a", "a mentions b"}, WalkOptions{}, "a@0 b@1"},
		{"lone page", []string{"a"}, WalkOptions{}, "a@0"},
		{"type on every hop", []string{"a founded b", "a mentions c", "b founded d", "b mentions e"},
			WalkOptions{Types: []string{Founded}}, "a@0 b@1 d@2"},
		{"type on the first hop", []string{"a founded b", "a mentions c", "b founded d", "b mentions e"},
			WalkOptions{First: []string{Founded}}, "a@0 b@1 d@2 e@2"},
		{"limit", line, WalkOptions{Depth: 3, Limit: 2}, "a@0 b@1"},
		{"unknown and repeated seeds", star, WalkOptions{Seeds: []uint32{99, 3, 3}, Depth: 1}, "c@0 hub@1"},
		{"no seeds", star, WalkOptions{Seeds: []uint32{}}, ""},
	}
	for _, test := range tests {
		l := graphtest.Of(test.links...)
		if test.o.Seeds == nil {
			test.o.Seeds = []uint32{0}
		}
		if got := show(l, New(l).Walk(test.o)); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

func TestWalkChainsAndEvidence(t *testing.T) {
	l := graphtest.Of("alice mentions acme", "alice founded acme", "acme belongs_to group", "bob works_at acme")
	found := New(l).Walk(WalkOptions{Seeds: []uint32{l.Node("alice")}})
	if got, want := show(l, found), "alice@0 acme@1 group@2 bob@2"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	acme, bob := found[1], found[3]
	if got := chain(l, acme.Via); got != "alice -founded-> acme" || acme.Via[0].Line != 2 {
		t.Errorf("the typed edge of two should be the chain: %s, line %d", got, acme.Via[0].Line)
	}
	if acme.Paths != 2 || acme.Types != 2 || acme.Typed != 1 {
		t.Errorf("acme: paths %d, types %d, typed %d; want 2, 2, 1", acme.Paths, acme.Types, acme.Typed)
	}
	if got, want := chain(l, bob.Via), "alice -founded-> acme <-works_at- bob"; got != want {
		t.Errorf("chain %q, want %q", got, want)
	}
	// alice has weight 1; two edges reach acme, whose degree is 4; bob's is 1.
	if want := 2 / (1 + math.Log(4)); math.Abs(acme.Weight-want) > 1e-12 || bob.Weight != acme.Weight {
		t.Errorf("weights %v %v, want %v for both", acme.Weight, bob.Weight, want)
	}
}

func TestWalkHub(t *testing.T) {
	l := graphtest.New()
	hub := l.Page("hub.md", "")
	for i := range 10_000 {
		n := l.Page(fmt.Sprintf("p%d.md", i), "")
		l.Edge(hub, Mentions, n, i)
	}
	seed := l.Page("seed.md", "")
	l.Edge(seed, Mentions, hub, 1)
	g := New(l)

	found := g.Walk(WalkOptions{Seeds: []uint32{seed}, Limit: maxReached})
	if len(found) != 2+hubEdges {
		t.Errorf("behind a hub: %d nodes, want the seed, the hub and %d", len(found), hubEdges)
	}
	if want := 1 / (1 + math.Log(hubEdges)); found[1].Weight != want {
		t.Errorf("hub weight %v, want %v", found[1].Weight, want)
	}
	if got := len(g.Walk(WalkOptions{Seeds: []uint32{hub}, Limit: 1 << 20})); got != maxReached {
		t.Errorf("a hub as seed reaches %d nodes, want %d", got, maxReached)
	}
	if got := len(g.Walk(WalkOptions{Seeds: []uint32{hub}})); got != defaultLimit {
		t.Errorf("default limit gave %d nodes", got)
	}
}

func TestWalkManyTypes(t *testing.T) {
	l := graphtest.New()
	l.Page("a.md", "")
	for i := range 100 {
		l.Page(fmt.Sprintf("b%d.md", i), "")
		l.Edge(0, fmt.Sprintf("type%d", i), uint32(i+1), 1)
	}
	if got := len(New(l).Walk(WalkOptions{Seeds: []uint32{0}})); got != 101 {
		t.Errorf("reached %d nodes over 100 edge types, want 101", got)
	}
}

// naive is the definition of the walk, with maps and no thought of speed.
func naive(l Links, o WalkOptions) map[uint32]Reached {
	degree := func(n uint32) (d int) {
		for _, in := range []bool{false, true} {
			l.Edges(n, in, func(uint32, string, int) bool { d++; return true })
		}
		return d
	}
	found := map[uint32]Reached{}
	var frontier []uint32
	for _, s := range o.Seeds {
		if _, ok := found[s]; !ok {
			found[s] = Reached{Node: s, Paths: 1, Weight: 1}
			frontier = append(frontier, s)
		}
	}
	for hop := 1; hop <= o.Depth; hop++ {
		want := o.Types
		if hop == 1 && len(o.First) > 0 {
			want = o.First
		}
		next := map[uint32]Reached{}
		types := map[uint32]map[string]bool{}
		for _, n := range frontier {
			for _, in := range []bool{false, true} {
				if in && o.Dir == Out || !in && o.Dir == In {
					continue
				}
				l.Edges(n, in, func(to uint32, typ string, line int) bool {
					if _, seen := found[to]; seen || len(want) > 0 && !slices.Contains(want, typ) {
						return true
					}
					r := next[to]
					r.Node, r.Hop = to, hop
					r.Paths += found[n].Paths
					r.Weight += found[n].Weight
					next[to] = r
					if types[to] == nil {
						types[to] = map[string]bool{}
					}
					types[to][typ] = true
					return true
				})
			}
		}
		frontier = nil
		for n, r := range next {
			r.Types = len(types[n])
			for typ := range types[n] {
				if !plain(typ) {
					r.Typed++
				}
			}
			r.Weight /= 1 + math.Log(float64(degree(n)))
			found[n] = r
			frontier = append(frontier, n)
		}
	}
	return found
}

func TestWalkEqualsNaive(t *testing.T) {
	types := []string{Mentions, References, Founded, WorksAt, Advises}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "nodes")
		l := graphtest.New()
		for i := range n {
			l.Page(fmt.Sprintf("p%d.md", i), "")
		}
		for range rapid.IntRange(0, 80).Draw(t, "edges") {
			from, to := rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")
			l.Edge(uint32(from), rapid.SampledFrom(types).Draw(t, "type"), uint32(to), 1)
		}
		o := WalkOptions{
			Seeds: rapid.SliceOfN(rapid.Uint32Range(0, uint32(n-1)), 0, 4).Draw(t, "seeds"),
			Depth: rapid.IntRange(1, 3).Draw(t, "depth"),
			Dir:   Direction(rapid.IntRange(0, 2).Draw(t, "dir")),
			Types: rapid.SliceOfN(rapid.SampledFrom(types), 0, 3).Draw(t, "types"),
			First: rapid.SliceOfN(rapid.SampledFrom(types), 0, 2).Draw(t, "first"),
			Limit: maxReached,
		}
		got, want := New(l).Walk(o), naive(l, o)
		if len(got) != len(want) {
			t.Fatalf("reached %d nodes, want %d", len(got), len(want))
		}
		for i, r := range got {
			w := want[r.Node]
			if r.Hop != w.Hop || r.Paths != w.Paths || r.Types != w.Types || r.Typed != w.Typed || math.Abs(r.Weight-w.Weight) > 1e-9 {
				t.Fatalf("node %d: got %+v, want %+v", r.Node, r, w)
			}
			checkChain(t, l, o, r)
			if i > 0 && !inOrder(got[i-1], r) {
				t.Fatalf("%+v before %+v", got[i-1], r)
			}
		}
	})
}

func checkChain(t *rapid.T, l Links, o WalkOptions, r Reached) {
	if len(r.Via) != r.Hop {
		t.Fatalf("chain of %d steps at hop %d", len(r.Via), r.Hop)
	}
	at := r.Node
	for _, s := range slices.Backward(r.Via) {
		from, to := s.From, s.To
		if s.Reverse {
			from, to = to, from
		}
		edge := false
		l.Edges(from, false, func(n uint32, typ string, _ int) bool {
			edge = edge || n == to && typ == s.Type
			return true
		})
		if !edge || s.To != at {
			t.Fatalf("step %+v is no edge that leads to %d", s, at)
		}
		at = s.From
	}
	if !slices.Contains(o.Seeds, at) {
		t.Fatalf("chain begins at %d, which is no seed", at)
	}
}

func inOrder(a, b Reached) bool {
	switch {
	case a.Hop != b.Hop:
		return a.Hop < b.Hop
	case a.Typed != b.Typed:
		return a.Typed > b.Typed
	case math.Abs(a.Weight-b.Weight) > 1e-4*a.Weight:
		return a.Weight > b.Weight
	}
	return true
}

// rows is a compact adjacency, as the index keeps one.
type rows struct {
	offset [2][]uint32
	to     [2][]uint32
	typ    [2][]uint8
}

var rowTypes = []string{Mentions, References, Founded, WorksAt, WorksOn, Decided}

func (r *rows) Nodes() int              { return len(r.offset[0]) - 1 }
func (r *rows) Resolve(string) []uint32 { return nil }
func (r *rows) Edges(n uint32, in bool, visit func(to uint32, typ string, line int) bool) {
	d := 0
	if in {
		d = 1
	}
	for i := r.offset[d][n]; i < r.offset[d][n+1]; i++ {
		if !visit(r.to[d][i], rowTypes[r.typ[d][i]], int(i)) {
			return
		}
	}
}

// synthetic has targets drawn from a Zipf-like law, so that there are hubs.
func synthetic(nodes, edges int) *rows {
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 50, uint64(nodes-1))
	out := make([][][2]uint32, nodes)
	in := make([][][2]uint32, nodes)
	for range edges {
		from, to, typ := uint32(random.IntN(nodes)), uint32(zipf.Uint64()), uint32(random.IntN(len(rowTypes)))
		out[from] = append(out[from], [2]uint32{to, typ})
		in[to] = append(in[to], [2]uint32{from, typ})
	}
	r := new(rows)
	for d, lists := range [][][][2]uint32{out, in} {
		r.offset[d] = append(r.offset[d], 0)
		for _, list := range lists {
			for _, e := range list {
				r.to[d] = append(r.to[d], e[0])
				r.typ[d] = append(r.typ[d], uint8(e[1]))
			}
			r.offset[d] = append(r.offset[d], uint32(len(r.to[d])))
		}
	}
	return r
}

// withDegrees is rows that know their degrees.
type withDegrees struct{ *rows }

func (r withDegrees) Degree(n uint32) int {
	return int(r.offset[0][n+1] - r.offset[0][n] + r.offset[1][n+1] - r.offset[1][n])
}

func TestWalkWithDegrees(t *testing.T) {
	counted := synthetic(200, 2000)
	for n := range uint32(200) {
		o := WalkOptions{Seeds: []uint32{n}}
		a, b := New(counted).Walk(o), New(withDegrees{counted}).Walk(o)
		if !slices.EqualFunc(a, b, func(a, b Reached) bool { return a.Node == b.Node && a.Weight == b.Weight }) {
			t.Fatalf("seed %d: counted and known degrees differ", n)
		}
	}
}

// BenchmarkWalk walks two hops from random pages of 100,000 with a million
// links, a few percent of them to hubs.
func BenchmarkWalk(b *testing.B) {
	r := synthetic(100_000, 1_000_000)
	b.Run("degrees known", func(b *testing.B) { benchmarkWalk(b, withDegrees{r}) })
	b.Run("degrees counted", func(b *testing.B) { benchmarkWalk(b, r) })
}

func benchmarkWalk(b *testing.B, l Links) {
	g := New(l)
	random := rand.New(rand.NewPCG(3, 4))
	var times []time.Duration
	reached := 0
	b.ReportAllocs()
	for b.Loop() {
		o := WalkOptions{Seeds: []uint32{uint32(random.IntN(100_000))}}
		begin := time.Now()
		found := g.Walk(o)
		times = append(times, time.Since(begin))
		reached += len(found)
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, "µs-p50")
	b.ReportMetric(float64(times[len(times)*95/100].Nanoseconds())/1e3, "µs-p95")
	b.ReportMetric(float64(reached)/float64(len(times)), "returned")
}
