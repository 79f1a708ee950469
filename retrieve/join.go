package retrieve

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brain/index"
	"brain/text"
)

// A question of two steps names one page, and the other page that it needs is
// named by that one's text alone: "what genre is the author of Act of War
// associated with" finds the game, whose page names its author. So a page that
// a found page names joins:
//
//	joined(b) = joinShare · score(a) / (√n · (1 + joinHub · ln(1 + links of b)))
//
// a being the best of the n first pages that name b, by a link or by a name in
// the text; b never comes above a. A page that many of the first pages name,
// or that much links to, is part of the subject and no step from one of them.
// Names are titles and aliases, as they stand in the page,
// whole words; only pages that an arm has brought are looked for, since a page
// that answers half of the question has some of its words or its meaning.

// joined adds what the first pages give to those that they name.
func (sr *Searcher) joined(v *index.View, p *plan, cands []*candidate) {
	if !p.arms[Graph] {
		return
	}
	slices.SortFunc(cands, byScore)
	var from []*naming
	for _, c := range cands[:min(joinFrom, len(cands))] {
		if c.pass != nil && c.turn == nil {
			from = append(from, &naming{c: c, links: map[uint32]bool{}})
		}
	}
	each(from, func(_ int, n *naming) {
		n.text = text.Fold(n.c.pass.body[:text.CutGrapheme(n.c.pass.body, joinBytes)])
		v.For(p.q.Agent).Targets(n.c.row, func(to uint32) { n.links[to] = true })
	})
	question := text.Fold(p.q.Text)
	to := cands[:min(joinTo, len(cands))]
	joins := make([]join, len(to))
	each(to, func(i int, b *candidate) { joins[i] = joinOf(scoped(v, p.q.Agent, p.lex), from, b, question) })
	for i, j := range joins {
		if j.value > 0 {
			to[i].add(Signal{Name: "joined", Value: j.value, Note: j.from + " names it"})
		}
	}
}

// naming is one of the first pages, read for the names in it.
type naming struct {
	c     *candidate
	text  string // folded
	links map[uint32]bool
}

// join is what a page gains, and from which; nothing is 0.
type join struct {
	value float64
	from  string
}

// joinOf gives what a page gains from the best page that names it.
func joinOf(s scope, from []*naming, b *candidate, question string) join {
	if b.turn != nil {
		return join{}
	}
	names := namesOf(b.page, question)
	var best *candidate
	n := 0
	for _, a := range from {
		if a.c.score <= b.score || !a.links[b.row] && !slices.ContainsFunc(names, func(name string) bool { return named(a.text, name) }) {
			continue
		}
		if n++; best == nil {
			best = a.c
		}
	}
	if best == nil {
		return join{}
	}
	damp := math.Sqrt(float64(n)) * (1 + joinHub*math.Log1p(float64(s.Degree(b.row))))
	value := min(joinShare*best.score/damp, joinCap*best.score-b.score)
	return join{value, best.path}
}

// namesOf gives the names of a page by which another can name it, folded,
// without those that the question names already.
func namesOf(pg index.Page, question string) []string {
	var out []string
	add := func(name string) {
		if everyday(name) {
			return
		}
		name = text.Fold(name)
		if i := strings.IndexByte(name, '('); i > 0 && strings.HasSuffix(name, ")") {
			name = strings.TrimSpace(name[:i]) // "Mercury (planet)" is called Mercury
		}
		if nameLong(name) && !named(question, name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	add(pg.Title)
	for _, a := range pg.Aliases {
		add(a)
	}
	return out
}

// everyday reports whether a name is a single Latin word in small letters, as
// of a command or a tag: in a sentence it is more likely just that word.
func everyday(name string) bool {
	return strings.IndexFunc(name, func(r rune) bool { return !unicode.IsLower(r) || text.IsCJK(r) }) < 0
}

// nameLong refuses names that stand in any text.
func nameLong(name string) bool {
	if strings.IndexFunc(name, text.IsCJK) >= 0 {
		return utf8.RuneCountInString(name) >= 2
	}
	return len(name) >= 4
}

// named reports whether a folded text holds a name as whole words.
func named(body, name string) bool {
	for from := 0; ; {
		i := strings.Index(body[from:], name)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(body[:i])
		after, _ := utf8.DecodeRuneInString(body[i+len(name):])
		first, _ := utf8.DecodeRuneInString(name)
		last, _ := utf8.DecodeLastRuneInString(name)
		if !glued(before, first) && !glued(last, after) {
			return true
		}
		from = i + len(name)
	}
}

// glued reports whether two runes side by side belong to one word; Chinese has
// no blanks between words.
func glued(a, b rune) bool {
	word := func(r rune) bool {
		return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) && !text.IsCJK(r)
	}
	return word(a) && word(b)
}
