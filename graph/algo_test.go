package graph

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"brain/graph/graphtest"

	"pgregory.net/rapid"
)

func TestPath(t *testing.T) {
	l := graphtest.Of("a mentions b", "b mentions c", "c mentions d", "d mentions e", "e mentions f", "f mentions g", "g mentions h",
		"a mentions x", "x founded c", "lone", "p redirect p2")
	g := New(l)
	for _, test := range []struct {
		from, to string
		depth    int
		want     string
	}{
		{"a", "b", 0, "a -mentions-> b"},
		{"b", "a", 1, "b <-mentions- a"},
		{"a", "c", 0, "a -mentions-> x -founded-> c"}, // as short as over b, but typed
		{"a", "c", 1, "none"},
		{"a", "e", 0, "a -mentions-> x -founded-> c -mentions-> d -mentions-> e"},
		{"a", "f", 0, "none"},
		{"a", "f", 5, "a -mentions-> x -founded-> c -mentions-> d -mentions-> e -mentions-> f"},
		{"a", "h", 99, "none"},
		{"a", "lone", 0, "none"},
		{"a", "a", 0, ""},
	} {
		path, ok := g.Path(l.Node(test.from), l.Node(test.to), test.depth)
		got := chain(l, path)
		if !ok {
			got = "none"
		}
		if got != test.want {
			t.Errorf("%s to %s within %d:\n got %s\nwant %s", test.from, test.to, test.depth, got, test.want)
		}
	}
	if _, ok := g.Path(0, 10_000, 0); ok {
		t.Error("a path to a node that does not exist")
	}
}

func TestPathIsShortestAndStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 20).Draw(t, "nodes")
		l := graphtest.New()
		for i := range n {
			l.Page(fmt.Sprintf("p%d.md", i), "")
		}
		for range rapid.IntRange(0, 30).Draw(t, "edges") {
			l.Edge(rapid.Uint32Range(0, uint32(n-1)).Draw(t, "from"), Mentions, rapid.Uint32Range(0, uint32(n-1)).Draw(t, "to"), 1)
		}
		from, depth := rapid.Uint32Range(0, uint32(n-1)).Draw(t, "seed"), rapid.IntRange(1, 6).Draw(t, "depth")
		all := naive(l, WalkOptions{Seeds: []uint32{from}, Depth: depth})
		for to := range uint32(n) {
			want, reachable := all[to]
			path, ok := New(l).Path(from, to, depth)
			if ok != reachable || len(path) != want.Hop {
				t.Fatalf("%d to %d: %d steps, %v; want %d, %v", from, to, len(path), ok, want.Hop, reachable)
			}
			again, _ := New(l).Path(from, to, depth)
			if chain(l, path) != chain(l, again) {
				t.Fatalf("%s, then %s", chain(l, path), chain(l, again))
			}
		}
	})
}

func TestCycles(t *testing.T) {
	l := graphtest.Of("a supersedes b", "b supersedes c", "c supersedes a", "a mentions z", "z mentions a",
		"d redirect e", "e redirect d", "f supersedes a", "g supersedes f")
	g := New(l)
	show := func(cycles [][]uint32) (s string) {
		for _, c := range cycles {
			for _, n := range c {
				s += short(l, n) + " "
			}
			s += "| "
		}
		return s
	}
	if got, want := show(g.Cycles()), "a b c | d e | "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := show(g.Cycles(Redirect)), "d e | "; got != want {
		t.Errorf("redirect: got %s, want %s", got, want)
	}
	if got, want := show(g.Cycles(Mentions)), "a z | "; got != want {
		t.Errorf("mentions: got %s, want %s", got, want)
	}
	if got := g.Cycles(Founded); got != nil {
		t.Errorf("founded: %v", got)
	}
}

func TestDOT(t *testing.T) {
	l := graphtest.Of("a founded b", "a mentions b", "b mentions c", "c mentions d", "x mentions y")
	label := func(n uint32) string {
		if n == 1 {
			return "B \"quoted\" \\ \n{{.}}"
		}
		return l.Name(n)
	}
	const want = `strict digraph {
	"0" -> "1" [ label="founded, mentions",  weight=0 ];
	"0" [ label="a.md", shape="box",  weight=0 ];
	"1" -> "2" [ label="mentions",  weight=0 ];
	"1" [ label="B \"quoted\" \\  {{.}}",  weight=0 ];
	"2" [ label="c.md",  weight=0 ];
}
`
	for range 5 {
		var b bytes.Buffer
		if err := New(l).DOT(&b, []uint32{0}, 2, label); err != nil || b.String() != want {
			t.Fatalf("%v\n%s\nwant\n%s", err, b.String(), want)
		}
	}
	if err := New(l).DOT(failing{}, []uint32{0}, 1, nil); !errors.Is(err, errFull) {
		t.Errorf("a failed write gives %v", err)
	}
}

var errFull = errors.New("disk full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }
