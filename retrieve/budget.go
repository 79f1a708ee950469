package retrieve

import (
	"cmp"
	"iter"
	"strings"

	"brain/page"
	"brain/text"
)

// A budget is a number of tokens (text.Tokens) that the texts of an answer may
// have together. What a hit can be given, from short to long:
//
//	L0  abstract, else the first sentence; of a session the sentence that answers
//	L1  overview, else each heading with its first sentence; a session has none
//	L2  the passage that answers with what stands around it, the whole page at
//	    most; of a session the turn with those before and after it
//
// The tokens are given out in rounds, each best hit first:
//
//	1. L0 to every hit, so that none is without text while another has much
//	2. a passage of at most passageRoom tokens, else L1
//	3. the whole page
//	4. a wider passage
//
// A round passes over a hit for which too little is left. Texts are made of
// whole sentences. One that is too long is left out and never cut, and a hit
// whose text is less than its page or turn says so.

// passageRoom keeps a long page from taking all before the next hit has a
// passage: about 1,200 Latin or 300 Chinese characters, a paragraph or two.
const passageRoom = 300

// Budget says what became of the tokens that the texts of an answer may have.
type Budget struct {
	Tokens  int `json:"tokens"`   // asked for
	Used    int `json:"used"`     // by all texts together
	LeftOut int `json:"left_out"` // hits without text
}

// spent is nil for a question without a budget.
func spent(q Query, hits []Hit) *Budget {
	if q.Budget <= 0 {
		return nil
	}
	b := &Budget{Tokens: q.Budget}
	for i := range hits {
		b.Used += text.Tokens(hits[i].Text)
		if hits[i].Text == "" {
			b.LeftOut++
		}
	}
	return b
}

// keepWithin keeps the passages that fit into the budget, best hits first.
func keepWithin(hits []Hit, budget int) {
	for i := range hits {
		if n := text.Tokens(hits[i].Text); n <= budget {
			budget -= n
		} else {
			hits[i].Text = ""
		}
		hits[i].Truncated = hits[i].Text == ""
	}
}

// pack gives the texts of pages and sessions.
func pack(hits []Hit, cands []*candidate, budget int) {
	all := make([]*helping, len(hits))
	each(cands, func(i int, c *candidate) { all[i] = newHelping(c) })
	left := budget
	round := func(serve func(h *helping, room int)) {
		for _, h := range all {
			have := text.Tokens(h.text)
			serve(h, left+have)
			left -= text.Tokens(h.text) - have
		}
	}
	round((*helping).shortest)
	round((*helping).passage)
	round((*helping).wholePage)
	round((*helping).wider)
	for i, h := range all {
		hits[i].Text, hits[i].Layer, hits[i].Truncated = h.text, h.layer, !h.complete
	}
}

// helping is what one hit is given. The zero one, of a page that cannot be
// read, is given nothing.
type helping struct {
	c           *candidate
	page        *page.Page // nil of a session
	l0          string
	excerpt     excerpt
	text, layer string
	complete    bool // no less than the page or turn
}

func newHelping(c *candidate) *helping {
	h := &helping{c: c}
	switch {
	case c.pass == nil:
	case c.turn != nil:
		h.excerpt = turnExcerpt(c)
		h.l0 = h.excerpt.first()
	default:
		h.page = c.pass.parsed(c.path)
		h.excerpt = pageExcerpt(c.pass)
		h.l0 = cmp.Or(strings.TrimSpace(h.page.Abstract), opening(h.page))
	}
	return h
}

// give sets the text. A page without a body is complete with whatever is said
// of it.
func (h *helping) give(s, layer string) {
	if s == "" {
		return
	}
	whole := h.excerpt.text(h.excerpt.whole)
	h.text, h.layer, h.complete = s, layer, whole == "" || s == whole
	if s == whole {
		h.layer = "L2"
	}
}

func (h *helping) giveExcerpt(e excerpt) {
	h.excerpt = e
	h.give(e.text(e.taken), "L2")
	h.complete = h.complete || e.taken.holds(e.whole)
}

// shortest gives L0, else the first sentence of it, else the one that answers.
func (h *helping) shortest(room int) {
	for i, s := range []string{h.l0, wholeSentence(h.l0), h.excerpt.first()} {
		if s != "" && text.Tokens(s) <= room {
			h.give(s, [...]string{"L0", "L0", "L2"}[i])
			return
		}
	}
}

// passage gives the passage when all that answers fits, else L1.
func (h *helping) passage(room int) {
	if h.complete || h.c.pass == nil {
		return
	}
	e := h.excerpt
	if e.grow(min(room, passageRoom)) && (e.taken.holds(e.place) || !h.c.pass.found) {
		h.giveExcerpt(e)
	} else if l1 := h.overview(); l1 != "" && text.Tokens(l1) <= room {
		h.give(l1, "L1")
	}
}

func (h *helping) overview() string {
	if h.page == nil {
		return ""
	}
	return cmp.Or(strings.TrimSpace(h.page.Overview), headings(h.page))
}

func (h *helping) wholePage(room int) {
	if h.complete || len(h.excerpt.units) == 0 {
		return
	}
	e := h.excerpt
	if e.takeAll(); text.Tokens(e.text(e.taken)) <= room {
		h.giveExcerpt(e)
	}
}

func (h *helping) wider(room int) {
	if h.layer == "L2" {
		e := h.excerpt
		if e.grow(room) {
			h.giveExcerpt(e)
		}
	}
}

// opening is the first sentence of a page's prose, else its title.
func opening(p *page.Page) string {
	return cmp.Or(wholeSentence(p.Prose()), p.Title)
}

// headings gives each heading path with the first sentence below it.
func headings(p *page.Page) string {
	var b strings.Builder
	last := ""
	for _, c := range p.Chunks() {
		if c.Heading == last {
			continue
		}
		last = c.Heading
		line, above := c.Heading, strings.Split(c.Heading, " > ")
		for s := range sentences(p.Standing()[c.Start:c.End]) {
			if s != above[len(above)-1] {
				line += ": " + s
				break
			}
		}
		b.WriteString(line + "\n")
	}
	return strings.TrimSpace(b.String())
}

// wholeSentence is the first sentence that says something.
func wholeSentence(s string) string {
	for s := range sentences(s) {
		return s
	}
	return ""
}

// sentences yields those that say something, each on one line.
func sentences(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, sp := range text.Sentences(s) {
			if t := tidy(s[sp.Start:sp.End]); t != "" && !yield(t) {
				return
			}
		}
	}
}
