package retrieve

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"brain/graph"
	"brain/index"
	"brain/llm"
	"brain/text"
)

// A word of the question that stands nowhere in the brain finds nothing, and
// one typing error is enough for it. So such a word, and no other, is compared
// with the words of names (index.NamesLike). What is one error away joins the
// question: as a term that takes typoWeight of the word's own weight, so that
// a page with the right spelling gets at most as much; as another spelling of the
// question, of which entities and relations are read.
//
// A name is told by the company it has: of several candidates those win
// with which the question names a page. A word that English has is rarely
// one typed wrong ("founded" is not "founder"), and counts as one only where
// the rest of a name stands beside it ("Marine Castellan").
//
// Nothing of this is silent: the answer says what was searched for instead,
// hits and signals say by which name they are found.

// typo is a word of the question that nobody wrote, with what it may mean.
type typo struct {
	word string   // folded
	to   []string // words of names, likeliest first
}

// correct looks for typing errors and adds the corrected words to the terms.
func (p *plan) correct(v *index.View) error {
	if !p.arms[Lexical] && !p.arms[Graph] || len(p.exact) > 0 {
		return nil
	}
	s := speller{v: v, g: graph.New(scoped(v, p.q.Agent, p.lex)), agent: p.q.Agent}
	for _, w := range typed(p.q.Text) {
		if len(p.typos) == typoWords {
			break
		}
		to, err := s.like(p.q.Text, w)
		if err != nil {
			return err
		}
		if len(to) > 0 {
			p.typos = append(p.typos, typo{w, to})
		}
	}
	for i := range typoChoices {
		if spelt := p.spell(i); len(p.typos) > 0 && !slices.Contains(p.spelt, spelt) {
			p.spelt = append(p.spelt, spelt)
		}
	}
	for _, t := range p.typos {
		p.addTerms(t)
	}
	return nil
}

// spell gives the folded question with the i-th choice, or the last there is,
// for each typo.
func (p *plan) spell(i int) string {
	q := text.Fold(p.q.Text)
	for _, t := range p.typos {
		q = replaceWord(q, t.word, t.to[min(i, len(t.to)-1)])
	}
	return q
}

// addTerms lets the corrected words take their part of a word's weight.
func (p *plan) addTerms(t typo) {
	have := func(s string) int {
		return slices.IndexFunc(p.terms, func(q text.QueryTerm) bool { return q.Text == s })
	}
	word, weight := -1, 0.0
	for _, own := range text.Query(t.word) {
		if i := have(own.Text); i >= 0 {
			word, weight = p.terms[i].Word, weight+p.terms[i].Weight
			p.terms[i].Weight *= 1 - typoWeight
		}
	}
	for _, to := range t.to {
		for _, term := range text.Query(to) {
			if have(term.Text) < 0 && word >= 0 {
				term.Word, term.Weight = word, term.Weight*weight*typoWeight/float64(len(t.to))
				p.terms = append(p.terms, term)
			}
		}
	}
}

// relate reads the relation that the question asks for: as it is meant, then
// as it stands.
func (p *plan) relate() {
	for _, q := range append(slices.Clone(p.spelt), p.q.Text) {
		if r, ok := p.lex.Parse(q); ok {
			p.others = append(p.others, r)
		}
	}
	if p.related = len(p.others) > 0; p.related {
		p.relation, p.others = p.others[0], p.others[1:]
	}
}

// seeds gives the pages that the question names, and which of them only a
// corrected word does.
func (p *plan) seeds(g *graph.Graph) (nodes []uint32, like map[uint32]bool) {
	as := g.Seeds(p.q.Text)
	if len(p.spelt) == 0 {
		for _, s := range as {
			if !s.Ambiguous() {
				nodes = append(nodes, s.Nodes...)
			}
		}
		return nodes, nil
	}
	like = map[uint32]bool{}
	for _, corrected := range []bool{false, true} {
		for _, q := range p.spelt {
			for _, s := range g.Seeds(q) {
				stands := slices.ContainsFunc(as, func(a graph.Seed) bool { return a.Name == s.Name })
				if s.Ambiguous() || slices.Contains(nodes, s.Nodes[0]) || corrected != (!stands && p.hasCorrected(s.Name)) {
					continue
				}
				nodes = append(nodes, s.Nodes[0])
				if corrected {
					like[s.Nodes[0]] = true
				}
			}
		}
	}
	return nodes, like
}

// exactFirst puts what only a corrected word names behind the other seeds.
func (f *found) exactFirst(reached []graph.Reached) []graph.Reached {
	if len(f.like) > 0 {
		slices.SortStableFunc(reached, func(a, b graph.Reached) int {
			if a.Hop > 0 || b.Hop > 0 {
				return cmp.Compare(a.Hop, b.Hop)
			}
			return btoi(f.like[a.Node]) - btoi(f.like[b.Node])
		})
	}
	return reached
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// aboveTypos lifts the best of the pages that the question names as it stands
// above those that only a corrected word names.
func (p *plan) aboveTypos(cands []*candidate) {
	var exact *candidate
	most := 0.0
	for _, c := range cands {
		switch {
		case c.reached == nil || c.reached.Hop > 0 || p.related:
		case c.typo:
			most = max(most, c.score)
		case slices.ContainsFunc(c.signals, func(s Signal) bool { return s.Name == "named" }) && (exact == nil || c.score > exact.score):
			exact = c
		}
	}
	if most += 2 * scoreGrid; exact != nil && most > 2*scoreGrid && exact.score < most {
		exact.add(Signal{Name: "named.exact", Value: most - exact.score, Note: "another name has a typing error"})
	}
}

// corrected is what an answer says of it.
func (p *plan) corrected() map[string]string {
	var out map[string]string
	for _, t := range p.typos {
		if out == nil {
			out = map[string]string{}
		}
		out[t.word] = strings.Join(t.to, " or ")
	}
	return out
}

// instead says in a signal what was searched for.
func (p *plan) instead() string {
	var all []string
	for _, t := range p.typos {
		all = append(all, strings.Join(t.to, " or ")+" for "+t.word)
	}
	return strings.Join(all, ", ")
}

// hasCorrected reports whether a name has a corrected word.
func (p *plan) hasCorrected(name string) bool {
	has := false
	text.NameWords(name, func(w string) {
		has = has || slices.ContainsFunc(p.typos, func(t typo) bool { return slices.Contains(t.to, w) })
	})
	return has
}

// nameLike is the name of a page that has a corrected word, "" without.
func (p *plan) nameLike(pg index.Page) string {
	names := append([]string{pg.Title}, pg.Aliases...)
	for _, name := range append(names, pg.Path.Stem()) {
		if p.hasCorrected(name) {
			return name
		}
	}
	return ""
}

// liken notes by which corrected name a page is found, or the page from which
// links lead to it.
func (c *candidate) liken(v *index.View, p *plan, f *found) {
	if len(p.typos) == 0 {
		return
	}
	c.typo = f.like[c.row]
	if name := p.nameLike(c.page); name != "" {
		c.like = "name like " + strconv.Quote(name)
	} else if c.reached != nil && len(c.reached.Via) > 0 {
		if name := p.nameLike(v.Page(c.reached.Via[0].From)); name != "" {
			c.like = "from a name like " + strconv.Quote(name)
		}
	}
}

// corrected tells in words what a hit owes to corrected words.
func (c *candidate) corrected(p *plan) []string {
	if c.like != "" {
		return []string{c.like}
	}
	if len(p.typos) == 0 || c.pass == nil {
		return nil
	}
	var out []string
	body := text.Fold(c.pass.body[:text.CutGrapheme(c.pass.body, passageBytes)])
	for _, t := range p.typos {
		for _, to := range t.to {
			if named(body, to) {
				out = append(out, "word like "+strconv.Quote(to))
			}
		}
	}
	return out
}

// speller finds what words of a question may mean.
type speller struct {
	v     *index.View
	g     *graph.Graph
	agent string
}

const typoTried = 8 // candidates of a word that are looked at in the question

// like gives the words of names that a word of the question may mean, none
// when it stands in some page or name as it is.
func (s *speller) like(question, word string) ([]string, error) {
	terms := forms(word)
	if len(terms) == 0 {
		return nil, nil // a stop word
	}
	if known, err := s.v.Knows(terms, s.agent); known || err != nil {
		return nil, err
	}
	near, err := s.v.NamesLike(word, s.agent)
	if len(near) == 0 || err != nil {
		return nil, err
	}
	if s.longest(question, word) > 0 {
		return nil, nil // of a page that no search finds, as a redirect
	}
	slices.SortStableFunc(near, func(a, b index.NameWord) int {
		return cmp.Or(btoi(b.Word[0] == word[0])-btoi(a.Word[0] == word[0]), cmp.Compare(b.Pages, a.Pages))
	})
	near = near[:min(typoTried, len(near))]
	names := make(map[string]int, len(near))
	most := 0
	for _, n := range near {
		names[n.Word] = s.longest(replaceWord(text.Fold(question), word, n.Word), n.Word)
		most = max(most, names[n.Word])
	}
	if most < 2 && common(word) {
		return nil, nil
	}
	var to []string
	for _, n := range near {
		if names[n.Word] == most && len(to) < typoChoices {
			to = append(to, n.Word)
		}
	}
	return to, nil
}

// forms are the terms by which a word is known: as it stands, and its stem,
// but not a stem that it has only because of a letter too much (acmee).
func forms(word string) []text.QueryTerm {
	return slices.DeleteFunc(text.Query(word), func(t text.QueryTerm) bool {
		last := word[len(word)-1]
		return t.Text == word[:len(word)-1] && last != 's' && last != 'd'
	})
}

// longest is how many words the longest name in a question has of which a word
// is one; 0 when there is no such name.
func (s *speller) longest(question, word string) int {
	most := 0
	for _, seed := range s.g.Seeds(question) {
		if words := letters(seed.Name); slices.Contains(words, word) {
			most = max(most, len(words))
		}
	}
	return most
}

// common reports whether English has a word, and uses it often.
func common(word string) bool {
	l, err := llm.Words()
	if err != nil {
		return false // no table: any word may be a typing error
	}
	rank, ok := l.Rank(word)
	return ok && rank < typoCommon
}

func letters(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// typed gives the distinct words of a question that may be typed wrong, folded:
// Latin letters alone, no part of an identifier with digits. Each costs a look
// into the index, so that of a very long question only the first are tried.
func typed(question string) []string {
	var out []string
	eachWord(text.Fold(question), func(w string, _ int) {
		if len(w) >= typoLetters && len(out) < typoTries && !slices.Contains(out, w) {
			out = append(out, w)
		}
	})
	return out
}

// typoTries bounds what a question may cost before its arms begin.
const typoTries = 32

// replaceWord puts another word where one stands in a folded text.
func replaceWord(q, word, by string) string {
	var b strings.Builder
	from := 0
	eachWord(q, func(w string, at int) {
		if w == word {
			b.WriteString(q[from:at])
			b.WriteString(by)
			from = at + len(w)
		}
	})
	b.WriteString(q[from:])
	return b.String()
}

// eachWord visits the words of a folded text that are Latin letters alone. What
// touches digits, an underscore or letters of another alphabet is no word;
// Chinese has no blanks and does not count. Neither is the front of "doesn't".
func eachWord(q string, visit func(w string, at int)) {
	latin := func(r rune) bool { return 'a' <= r && r <= 'z' }
	glue := func(r rune) bool {
		return r != utf8.RuneError && (r == '_' || unicode.IsDigit(r) || unicode.IsLetter(r) && !text.IsCJK(r))
	}
	for i := 0; i < len(q); {
		end := i
		for end < len(q) && latin(rune(q[end])) {
			end++
		}
		if end == i {
			_, n := utf8.DecodeRuneInString(q[i:])
			i += n
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(q[:i])
		after, _ := utf8.DecodeRuneInString(q[end:])
		if rest := q[end:]; !glue(before) && !glue(after) && !strings.HasPrefix(rest, "'t") && !strings.HasPrefix(rest, "’t") {
			visit(q[i:end], i)
		}
		i = end
	}
}
