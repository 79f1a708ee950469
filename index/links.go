package index

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sync"

	"brain/page"
	"brain/text"
)

// Link is one link of a page, with what it means now.
type Link struct {
	From      uint32
	To        uint32 // row of the target; valid only when Resolved
	Resolved  bool
	Ambiguous []page.Path // the candidates when a name fits several pages
	Target    string      // as written
	Type      string
	Kind      page.LinkKind
	Line      int
	Reverse   bool // the sentence is passive: the edge runs from To to From
}

const maxRedirects = 2

// hubDegree is beyond what tells one hub from another.
const hubDegree = 256

// Linked is a view's names and links as one agent sees them, or as they are.
// Another agent's page bears no name, makes none ambiguous, is no end of a link
// and counts in no degree: whether it exists cannot be told from an answer.
type Linked struct {
	*View
	agent  string
	all    bool
	shared sync.Map // name hash → []uint32, of names that many pages bear
}

// For gives the names and links that an agent sees: those of the shared pages
// and its own.
func (v *View) For(agent string) *Linked {
	if known, ok := v.linked.Load(agent); ok {
		return known.(*Linked)
	}
	known, _ := v.linked.LoadOrStore(agent, &Linked{View: v, agent: agent})
	return known.(*Linked)
}

// Everything gives all names and links, whoever they belong to.
func (v *View) Everything() *Linked {
	v.wholeOnce.Do(func() { v.whole = &Linked{View: v, all: true} })
	return v.whole
}

// Sees reports whether a live page is the agent's to see.
func (v *Linked) Sees(row uint32) bool {
	if !v.alive(row) {
		return false
	}
	if v.all {
		return true
	}
	owner := v.Agent(row)
	return owner == "" || owner == v.agent
}

// named gives the rows that bear a name at the best kind that anybody bears
// it: a path before a file name or slug, those before a title, a title before
// an alias.
func (v *Linked) named(h uint64) []uint32 {
	var out []uint32
	best := page.NameKind(255)
	collect := func(base uint32, t *table) {
		t.named(h, func(n uint32, kind page.NameKind) {
			row := base + n
			if !v.Sees(row) || rank(kind) > rank(best) {
				return
			}
			if rank(kind) < rank(best) {
				best, out = kind, out[:0]
			}
			if len(out) == 0 || out[len(out)-1] != row {
				out = append(out, row)
			}
		})
	}
	collect(0, v.base)
	collect(v.nbase, v.tail)
	if len(out) > 1 { // in order of path, wherever the rows lie
		slices.SortFunc(out, func(a, b uint32) int { return bytes.Compare(v.path(a), v.path(b)) })
		out = slices.Compact(out)
	}
	return out
}

// rank orders kinds of names; a slug is as good as a file name.
func rank(k page.NameKind) int {
	switch k {
	case page.NamePath:
		return 0
	case page.NameFile, page.NameSlug:
		return 1
	case page.NameTitle:
		return 2
	case page.NameAlias:
		return 3
	}
	return 4
}

// follow walks redirects, two at most; a loop or a dead end stays where it is.
func (v *Linked) follow(row uint32) uint32 {
	for range maxRedirects {
		t, n := v.at(row)
		if t.flags(n)&flagRedirect == 0 {
			break
		}
		next := v.named(t.redirect(n))
		if len(next) != 1 || next[0] == row {
			break
		}
		row = next[0]
	}
	return row
}

// manyNames is from how many pages on a shared name is resolved once a view: a
// title such as "Daily note" stands on thousands of pages, and in their links.
const manyNames = 16

// resolve gives the rows a name stands for, redirects followed; the caller only
// reads them.
func (v *Linked) resolve(h uint64) []uint32 {
	if known, ok := v.shared.Load(h); ok {
		return known.([]uint32)
	}
	rows := v.named(h)
	many := len(rows) >= manyNames
	out := rows[:0]
	var seen map[uint32]bool
	if many {
		seen = make(map[uint32]bool, len(rows))
	}
	for _, r := range rows {
		r = v.follow(r)
		if !many && !slices.Contains(out, r) || many && !seen[r] {
			if many {
				seen[r] = true
			}
			out = append(out, r)
		}
	}
	if many {
		v.shared.Store(h, out)
	}
	return out
}

// Resolve gives the pages that a name may mean: by path, else file name or
// slug, else title, else alias; several when it is ambiguous.
func (v *Linked) Resolve(name string) []uint32 {
	rows := v.resolve(nameHash(text.Fold(name)))
	if row, ok := v.spelled(rows, name); ok {
		return []uint32{row}
	}
	return slices.Clone(rows)
}

// Redirected reports whether a name is that of redirects only, so that Resolve
// gives pages of other names.
func (v *Linked) Redirected(name string) bool {
	rows := v.named(nameHash(text.Fold(name)))
	for _, r := range rows {
		if v.follow(r) == r {
			return false
		}
	}
	return len(rows) > 0
}

// spelled picks, of pages whose names are alike but for case or composition,
// the one whose path is written exactly so (names are without .md).
func (v *Linked) spelled(rows []uint32, names ...string) (row uint32, ok bool) {
	if len(rows) < 2 || len(rows) >= manyNames { // so many share a title, not a path
		return 0, false
	}
	for _, name := range names {
		for _, r := range rows {
			if p := v.path(r); len(p) == len(name)+len(".md") && string(p[:len(name)]) == name {
				return r, true
			}
		}
	}
	return 0, false
}

// target resolves an edge of t: the first candidate that names exactly one page.
func (v *Linked) target(t *table, e []byte) (row uint32, ok bool, ambiguous []uint32) {
	for i := range 3 {
		h := edgeCand(e, i)
		if h == 0 {
			break
		}
		switch rows := v.resolve(h); len(rows) {
		case 0:
		case 1:
			return rows[0], true, nil
		default:
			if n := edgeFrom(e); int(n) < t.len() && len(rows) < manyNames { // else the row is damaged, or not meant by its path
				l := page.Link{Target: t.edgeTarget(e), Kind: edgeKind(e)}
				if row, ok := v.spelled(rows, l.Candidates(page.Path(t.path(n)))...); ok {
					return row, true, nil
				}
			}
			ambiguous = rows
		}
	}
	return 0, false, ambiguous
}

// Links gives the links a page writes, in order.
func (v *Linked) Links(row uint32) []Link {
	t, n := v.at(row)
	var out []Link
	for b := t.edges(n); len(b) >= edgeSize; b = b[edgeSize:] {
		e := b[:edgeSize]
		l := Link{From: row, Target: t.edgeTarget(e), Type: t.edgeType(e), Kind: edgeKind(e), Line: edgeLine(e), Reverse: edgeReverse(e)}
		var amb []uint32
		l.To, l.Resolved, amb = v.target(t, e)
		for _, a := range amb {
			l.Ambiguous = append(l.Ambiguous, page.Path(v.path(a)))
		}
		out = append(out, l)
	}
	return out
}

// Targets visits the pages that a page's own links resolve to, as often as it
// links to them.
func (v *Linked) Targets(row uint32, visit func(to uint32)) {
	t, n := v.at(row)
	for b := t.edges(n); len(b) >= edgeSize; b = b[edgeSize:] {
		if to, ok, _ := v.target(t, b[:edgeSize]); ok {
			visit(to)
		}
	}
}

// Edges visits the edges out of a page, or into it, until visit returns
// false. A link in the passive ("founded by [[Y]]") counts in its true
// direction. Parallel edges are kept; edges of a page to itself are not.
func (v *Linked) Edges(row uint32, in bool, visit func(to uint32, typ string, line int) bool) {
	if !v.Sees(row) {
		return
	}
	t, n := v.at(row)
	for b := t.edges(n); len(b) >= edgeSize; b = b[edgeSize:] {
		e := b[:edgeSize]
		if edgeReverse(e) != in {
			continue
		}
		if to, ok, _ := v.target(t, e); ok && to != row && !visit(to, t.edgeType(e), edgeLine(e)) {
			return
		}
	}
	v.pointing(row, func(from uint32, t *table, e []byte) bool {
		if edgeReverse(e) == in {
			return true
		}
		return visit(from, t.edgeType(e), edgeLine(e))
	})
}

// pointing visits the links on other pages whose target is row.
func (v *Linked) pointing(row uint32, visit func(from uint32, t *table, e []byte) bool) {
	var seen []uint64
	stopped := false
	try := func(h uint64) {
		for _, s := range seen {
			if s == h {
				return
			}
		}
		seen = append(seen, h)
		v.candidates(h, func(from uint32, t *table, e []byte) {
			if stopped || from == row || !v.Sees(from) {
				return
			}
			if to, ok, _ := v.target(t, e); ok && to == row && v.firstHit(e, seen) == h {
				stopped = !visit(from, t, e)
			}
		})
	}
	for _, r := range append(v.stubsOf(row), row) {
		t, n := v.at(r)
		for b := t.names(n); len(b) >= nameSize && !stopped; b = b[nameSize:] {
			try(binary.LittleEndian.Uint64(b))
		}
	}
}

// candidates visits the edges that may mean a name, by the path of the page
// they are on, whichever table holds it: a walk that takes the first hundred
// edges of a hub must not depend on which pages changed last.
func (v *Linked) candidates(h uint64, visit func(from uint32, t *table, e []byte)) {
	var late [][]byte
	v.tail.pointing(h, func(e []byte) bool { late = append(late, e); return true })
	v.base.pointing(h, func(e []byte) bool {
		for len(late) > 0 && bytes.Compare(v.tail.path(edgeFrom(late[0])), v.base.path(edgeFrom(e))) < 0 {
			visit(v.nbase+edgeFrom(late[0]), v.tail, late[0])
			late = late[1:]
		}
		visit(edgeFrom(e), v.base, e)
		return true
	})
	for _, e := range late {
		visit(v.nbase+edgeFrom(e), v.tail, e)
	}
}

// firstHit gives the first of an edge's candidates that was tried, so that an
// edge reachable by two names of a page is visited once.
func (v *Linked) firstHit(e []byte, tried []uint64) uint64 {
	for _, s := range tried {
		for i := range 3 {
			if edgeCand(e, i) == s {
				return s
			}
		}
	}
	return 0
}

// stubsOf gives the redirect stubs that lead to row.
func (v *Linked) stubsOf(row uint32) []uint32 {
	var out []uint32
	each := func(base uint32, t *table) {
		for b := t.sec[secRedirects]; len(b) >= 4; b = b[4:] {
			r := base + binary.LittleEndian.Uint32(b)
			if v.Sees(r) && r != row && v.follow(r) == row {
				out = append(out, r)
			}
		}
	}
	each(0, v.base)
	each(v.nbase, v.tail)
	slices.SortFunc(out, func(a, b uint32) int { return bytes.Compare(v.path(a), v.path(b)) })
	return out
}

// Degree counts the links that a page writes and those on other pages that
// call it by a name, as far as a walk wants to know. It resolves nothing: a walk
// asks it of every page it reaches, to tell hubs.
func (v *Linked) Degree(row uint32) int {
	const limit = hubDegree
	if !v.Sees(row) {
		return 0
	}
	t, n := v.at(row)
	degree := len(t.edges(n)) / edgeSize
	var seen []uint64
	for b := t.names(n); len(b) >= nameSize && degree < limit; b = b[nameSize:] {
		h := binary.LittleEndian.Uint64(b)
		if slices.Contains(seen, h) {
			continue
		}
		seen = append(seen, h)
		count := func(base uint32) func([]byte) bool {
			return func(e []byte) bool {
				from := base + edgeFrom(e)
				if from != row && v.Sees(from) {
					degree++
				}
				return degree < limit
			}
		}
		v.base.pointing(h, count(0))
		v.tail.pointing(h, count(v.nbase))
	}
	return min(degree, limit)
}
