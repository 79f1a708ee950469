package index

import "brain/page"

// What checks of the links ask for. Links gives every candidate of an ambiguous
// link as a path: for three thousand pages of one title that link to it, nine
// million strings. Here the candidates are rows that the view keeps anyway.

// Written visits the links that a page writes, in order, as Links does, with
// the rows that an ambiguous one may mean instead of their paths. The rows are
// only read, and not after visit returns.
func (v *Linked) Written(row uint32, visit func(l Link, candidates []uint32)) {
	t, n := v.at(row)
	for b := t.edges(n); len(b) >= edgeSize; b = b[edgeSize:] {
		e := b[:edgeSize]
		l := Link{From: row, Target: t.edgeTarget(e), Type: t.edgeType(e), Kind: edgeKind(e), Line: edgeLine(e), Reverse: edgeReverse(e)}
		var candidates []uint32
		l.To, l.Resolved, candidates = v.target(t, e)
		visit(l, candidates)
	}
}

// PathOf is the path of a row.
func (v *View) PathOf(row uint32) page.Path { return page.Path(v.path(row)) }

// Stub is a page that redirects, and the rows that bear the name it gives,
// stubs among them: one, or none where it leads nowhere, or several.
type Stub struct {
	Row    uint32
	Target string
	To     []uint32
}

// Stubs gives the pages that redirect, by path, each with its own step alone.
func (v *View) Stubs() []Stub {
	var out []Stub
	v.walk(func(row uint32, t *table, n uint32) bool {
		if t.flags(n)&flagRedirect != 0 {
			out = append(out, Stub{row, decodeMeta(t.meta(n)).redirect, v.Everything().named(t.redirect(n))})
		}
		return true
	})
	return out
}
