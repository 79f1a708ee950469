package graph

import (
	"strings"
	"unicode/utf8"
)

// Which page does a name mean? People write names without the word for what it
// is ("Acme" for "Acme Inc"), with one that is not in it ("the Atlas project"),
// or describe a page instead ("the board meeting of Acme" for "Board meeting of
// Acme, May 2025").

// few reports whether a name names something: what more pages bear names none.
func few(nodes []uint32) bool { return len(nodes) > 0 && len(nodes) <= maxCandidates }

// meant gives the pages that a name may mean, likeliest first; several in one
// group are equally likely.
func (g *Graph) meant(name string) [][]uint32 {
	if nodes := g.named(name); len(nodes) > 0 {
		return [][]uint32{nodes}
	}
	var groups [][]uint32
	part, share := g.longestName(name)
	d, ok := g.Links.(describer)
	if !ok || share >= 1 {
		if len(part) > 0 {
			groups = append(groups, part)
		}
		return groups
	}
	for _, m := range d.Described(name) {
		if share > m.Share && len(part) > 0 {
			groups, part = append(groups, part), nil
		}
		groups = append(groups, []uint32{m.Node})
	}
	if len(part) > 0 && share >= mostOf {
		groups = append(groups, part)
	}
	return groups
}

// mostOf is the share of a description's letters that a name within it must
// have to stand for it.
const mostOf = 0.4

// Described is a page that a description may mean, with the share of the
// description's words that the page's names have.
type Described struct {
	Node  uint32
	Share float64
}

// describer is what a Links may also do: find pages whose names have the words
// of a description, best first, few.
type describer interface {
	Described(description string) []Described
}

// Named resolves a name as people write it, else the longest name within it.
func (g *Graph) Named(name string) []uint32 {
	if groups := g.meant(name); len(groups) > 0 {
		return groups[0]
	}
	return nil
}

// named resolves a name as it stands, or without or with the word for what it
// is ("Acme" for "Acme Inc", 支付 for 支付系统).
func (g *Graph) named(name string) []uint32 {
	for _, form := range forms(name, 0, len(name), true) {
		if nodes := g.Resolve(form); few(nodes) {
			return nodes
		}
	}
	for _, before := range kindWordsBefore {
		if short, ok := strings.CutPrefix(name, before); ok {
			if nodes := g.Resolve(short); few(nodes) {
				return nodes
			}
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
	return nil
}

// longestName is the longest name within a text, and its share of the letters.
func (g *Graph) longestName(s string) ([]uint32, float64) {
	var best Seed
	for _, seed := range g.Seeds(s) {
		if len(seed.Name) > len(best.Name) && few(seed.Nodes) {
			best = seed
		}
	}
	letters := 0
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !wordRune(r) }) {
		if !stop()[w] {
			letters += utf8.RuneCountInString(w)
		}
	}
	return best.Nodes, float64(utf8.RuneCountInString(best.Name)) / float64(max(letters, 1))
}

// kindWordsBefore precede a name and say what it is.
var kindWordsBefore = []string{"project ", "team ", "company ", "system ", "dr ", "dr. ", "mr ", "ms ", "mrs ", "项目", "系统"}

// kindWords follow a name and say what it is.
var kindWords = []string{" inc", " inc.", " corp", " corp.", " ltd", " ltd.", " llc", " gmbh", " co", " company", " project",
	" team", " system", " service", " meeting", "公司", "集团", "项目", "系统", "平台", "团队", "部门", "服务", "组", "会议", "的决定", "决定", "计划", "小组"}
