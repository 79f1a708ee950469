// Package graphtest is an in-memory graph.Links for tests: what the index
// promises, in the plainest form.
package graphtest

import (
	"path"
	"slices"
	"strings"

	"brain/text"
)

// Links holds pages and links. A link whose target is unknown dangles: it is
// no edge until a page of that name is added. Links of a page to itself are
// dropped.
type Links struct {
	paths   []string
	kinds   [4]map[string][]uint32 // folded names: path, file or slug, title, alias
	goes    map[uint32]uint32      // redirect stub → target
	pending []pending
	out, in [][]edge
}

type edge struct {
	to   uint32
	typ  string
	line int
}

type pending struct {
	from    uint32
	typ, to string
	line    int
}

func New() *Links {
	l := &Links{goes: map[uint32]uint32{}}
	for i := range l.kinds {
		l.kinds[i] = map[string][]uint32{}
	}
	return l
}

// Of builds a graph from lines "from type to"; pages named <from>.md and
// <to>.md are made as they appear. A line with one word is a lone page, and
// a target with a leading ? is not made and dangles.
func Of(lines ...string) *Links {
	l := New()
	for i, line := range lines {
		f := strings.Fields(line)
		from := l.ensure(f[0])
		if len(f) < 3 {
			continue
		}
		if to, dangling := strings.CutPrefix(f[2], "?"); dangling {
			l.Link(from, f[1], to, i+1)
		} else {
			l.ensure(to)
			l.Link(from, f[1], to, i+1)
		}
	}
	return l
}

func (l *Links) ensure(name string) uint32 {
	if at := l.kinds[0][text.Fold(name+".md")]; len(at) > 0 {
		return at[0]
	}
	return l.Page(name+".md", "")
}

// Page adds a page and returns its node. Its file name without extension is
// its slug; title may be empty.
func (l *Links) Page(p, title string, aliases ...string) uint32 {
	n := uint32(len(l.paths))
	l.paths = append(l.paths, p)
	l.out, l.in = append(l.out, nil), append(l.in, nil)
	l.name(0, p, n)
	l.name(0, strings.TrimSuffix(p, ".md"), n)
	l.name(1, strings.TrimSuffix(path.Base(p), ".md"), n)
	l.name(2, title, n)
	for _, a := range aliases {
		l.name(3, a, n)
	}
	waiting := l.pending
	l.pending = nil
	for _, w := range waiting {
		l.Link(w.from, w.typ, w.to, w.line)
	}
	return n
}

func (l *Links) name(kind int, s string, n uint32) {
	if s = text.Fold(s); s != "" {
		l.kinds[kind][s] = append(l.kinds[kind][s], n)
	}
}

// Link adds an edge to every page called to.
func (l *Links) Link(from uint32, typ, to string, line int) {
	targets := l.lookup(text.Fold(to))
	if len(targets) == 0 {
		l.pending = append(l.pending, pending{from, typ, to, line})
	}
	for _, t := range targets {
		l.Edge(from, typ, t, line)
	}
}

// Edge adds an edge between nodes.
func (l *Links) Edge(from uint32, typ string, to uint32, line int) {
	if from == to {
		return
	}
	l.out[from] = append(l.out[from], edge{to, typ, line})
	l.in[to] = append(l.in[to], edge{from, typ, line})
}

// Redirect makes a page a stub: its names stand for the target's node, and a
// redirect edge leads there.
func (l *Links) Redirect(stub, target uint32) {
	l.goes[stub] = target
	l.Edge(stub, "redirect", target, 1)
}

// Name is the path of a node, or "".
func (l *Links) Name(n uint32) string {
	if int(n) >= len(l.paths) {
		return ""
	}
	return l.paths[n]
}

// Node is the node of a path, with or without .md. It panics when there is none.
func (l *Links) Node(p string) uint32 {
	return l.kinds[0][text.Fold(p)][0]
}

func (l *Links) Nodes() int { return len(l.paths) }

func (l *Links) Edges(n uint32, in bool, visit func(to uint32, typ string, line int) bool) {
	edges := l.out[n]
	if in {
		edges = l.in[n]
	}
	for _, e := range edges {
		if !visit(e.to, e.typ, e.line) {
			return
		}
	}
}

func (l *Links) Resolve(name string) []uint32 {
	var to []uint32
	for _, n := range l.lookup(name) {
		if t, ok := l.goes[n]; ok {
			n = t
		}
		if !slices.Contains(to, n) {
			to = append(to, n)
		}
	}
	return to
}

func (l *Links) lookup(name string) []uint32 {
	for _, kind := range l.kinds {
		if at := kind[name]; len(at) > 0 {
			return at
		}
	}
	return nil
}
