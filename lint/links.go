package lint

import (
	"fmt"
	"slices"
	"strings"

	"brain/graph"
	"brain/index"
	"brain/page"
)

// rows visits the pages to be checked that the index knows.
func (l *look) rows(visit func(row uint32, path page.Path)) {
	for _, f := range l.files {
		if row, ok := l.view.Lookup(f.Path); ok {
			visit(row, f.Path)
		}
	}
}

// links finds links of pages that lead nowhere or may mean several pages. What was
// said is not to be corrected, and two brackets in it are more often bash than a link.
func (l *look) links() {
	l.rows(func(row uint32, path page.Path) {
		if path.IsSession() {
			return
		}
		l.view.Everything().Written(row, func(link index.Link, candidates []uint32) {
			switch {
			case link.Resolved:
			case len(candidates) > 0:
				l.add(string(path), link.Line, ruleAmbiguous, fmt.Sprintf("%q may mean %s", link.Target, l.oneOf(candidates)), "write the path of the one that is meant")
			default:
				l.add(string(path), link.Line, ruleMissing, fmt.Sprintf("no page is called %q", link.Target), "make the page, or correct the name")
			}
		})
	})
}

// maxNamed is how many candidates a message names.
const maxNamed = 4

func (l *look) oneOf(rows []uint32) string {
	var names []string
	for _, r := range rows[:min(len(rows), maxNamed)] {
		names = append(names, string(l.view.PathOf(r)))
	}
	if more := len(rows) - len(names); more > 0 {
		names = append(names, others(more))
	}
	return strings.Join(names, " or ")
}

// redirects follows every stub to its end. Names are followed two steps, so a
// stub that is more steps away from its page does not lead there.
func (l *look) redirects() {
	stubs := map[uint32]index.Stub{}
	for _, s := range l.view.Stubs() {
		stubs[s.Row] = s
	}
	l.rows(func(row uint32, path page.Path) {
		s, ok := stubs[row]
		switch {
		case !ok:
		case len(s.To) == 0:
			l.add(string(path), l.lines[path].redirect, ruleDangling, fmt.Sprintf("it redirects to %q, and no page is called so", s.Target), "name the page that replaced it, or delete the stub")
		case len(s.To) > 1:
			l.add(string(path), l.lines[path].redirect, ruleDangling, fmt.Sprintf("it redirects to %q, which may mean %s", s.Target, l.oneOf(s.To)), "write the path of the one that is meant")
		default:
			l.chain(path, chainFrom(stubs, row))
		}
	})
}

// chainFrom gives the rows from a stub to where it leads; the last is a stub
// itself where it goes no further, or one of the chain where it is a circle.
func chainFrom(stubs map[uint32]index.Stub, row uint32) []uint32 {
	way := []uint32{row}
	for at := stubs[row]; len(at.To) == 1; at = stubs[at.To[0]] {
		circle := slices.Contains(way, at.To[0])
		way = append(way, at.To[0])
		if circle {
			break
		}
	}
	return way
}

func (l *look) chain(path page.Path, way []uint32) {
	end := way[len(way)-1]
	switch steps := len(way) - 1; {
	case slices.Contains(way[:steps], end):
		l.add(string(path), l.lines[path].redirect, ruleRedirectLoop, "redirects lead in a circle: "+l.way(way), "make one of them a page again")
	case steps > 2:
		l.add(string(path), l.lines[path].redirect, page.CodeRedirect, fmt.Sprintf("%d steps, and names are followed two: %s", steps, l.way(way)), "redirect to "+string(l.view.PathOf(end)))
		l.straighten(path, l.view.PathOf(end))
	}
}

// maxWay is how many steps of a chain a message names.
const maxWay = 6

func (l *look) way(rows []uint32) string {
	var names []string
	for i, r := range rows {
		if len(rows) > maxWay && i == maxWay/2 {
			names = append(names, "…")
		}
		if len(rows) <= maxWay || i < maxWay/2 || i >= len(rows)-maxWay/2 {
			names = append(names, string(l.view.PathOf(r)))
		}
	}
	return strings.Join(names, " → ")
}

// circles finds pages that supersede each other, by their links or by the one
// fact that each holds.
func (l *look) circles() {
	lines := map[[2]uint32]int{}
	l.view.All(func(row uint32) bool {
		l.view.Everything().Written(row, func(link index.Link, _ []uint32) {
			if link.Type != graph.Supersedes || !link.Resolved {
				return
			}
			from, to := link.From, link.To
			if link.Reverse {
				from, to = to, from
			}
			lines[[2]uint32{from, to}] = link.Line
		})
		return true
	})
	for _, s := range l.facts {
		row, ok := l.view.Lookup(s.path)
		if to := l.view.Everything().Resolve(s.target); ok && len(to) == 1 {
			lines[[2]uint32{row, to[0]}] = s.line
		}
	}
	groups := graph.Circles(func(yield func(from, to uint32) bool) {
		for ends := range lines {
			if !yield(ends[0], ends[1]) {
				return
			}
		}
	})
	for ends := range lines {
		if ends[0] == ends[1] && !slices.ContainsFunc(groups, func(g []uint32) bool { return slices.Contains(g, ends[0]) }) {
			groups = append(groups, ends[:1])
		}
	}
	for _, g := range groups {
		l.circle(g, lines)
	}
}

// circle tells the pages of a group that supersede each other.
func (l *look) circle(group []uint32, lines map[[2]uint32]int) {
	for _, row := range group {
		path := l.view.PathOf(row)
		if !l.chosen[path] {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(group), func(r uint32) bool { return r == row })
		line := 0
		for _, to := range group {
			if n := lines[[2]uint32{row, to}]; n > 0 && (line == 0 || n < line) {
				line = n
			}
		}
		message := "it supersedes itself"
		if len(others) > 0 {
			message = "it supersedes, and is superseded by, " + l.oneOf(others)
		}
		l.add(string(path), line, ruleSupersedeLoop, message, "remove the link from the page that is current")
	}
}
