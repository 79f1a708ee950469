package retrieve

import (
	"strings"

	"brain/page"
	"brain/text"
)

// An excerpt is a run of whole units of a body that grows around the place
// that answers: first over all sentences of that place, then over its
// paragraph, then over the paragraphs behind and before, in turn. Where a unit
// does not fit, that side is closed.
//
// Of a page the units are sentences; of a session they are the sentences of the
// turn that answers, and each other turn as one: half a turn tells little.
type excerpt struct {
	body  string
	gone  page.Gone // of the body, not shown
	units []unit
	place stretch // units that hold what answers
	whole stretch // units of the page, or of the turn
	taken stretch // empty until grow or takeAll
	most  int     // tokens of taken with the white space around it, or a few more
}

// unit is a byte range of the body; block is the number of its paragraph or
// turn.
type unit struct{ start, end, block int }

// stretch is a range of units, to excluded.
type stretch struct{ from, to int }

func (s stretch) holds(o stretch) bool { return s.from <= o.from && o.to <= s.to }

// pageExcerpt grows around the passage of a page.
func pageExcerpt(ps *passage) excerpt {
	e := excerpt{body: ps.body, gone: ps.gone}
	block := 0
	for _, s := range text.Sentences(e.body) {
		e.units = append(e.units, unit{s.Start, s.End, block})
		if endsParagraph(e.body[s.Start:s.End]) {
			block++
		}
	}
	e.whole = stretch{0, len(e.units)}
	e.put(ps.start, ps.end)
	return e
}

// endsParagraph reports whether a blank line follows what a sentence says; the
// white space behind it belongs to it.
func endsParagraph(s string) bool {
	said := strings.TrimRight(s, " \t\r\n")
	return said != "" && strings.Count(s[len(said):], "\n") > 1
}

// turnExcerpt grows around the best place of a turn, among the turns of its
// session as a person reads them: "Wei (2026-03-02 09:00): The login loops."
func turnExcerpt(c *candidate) excerpt {
	p := page.Parse(page.Path(c.path), c.pass.raw)
	e := excerpt{body: p.Body}
	start, end, shift := 0, 0, 0
	for i, t := range p.Turns {
		if t.Kind == page.Hidden {
			continue // it is not in the body
		}
		start, end = end, min(t.End+len("\n\n"), len(p.Body))
		if t.Offset != c.turn.Offset {
			e.units = append(e.units, unit{start, end, i})
			continue
		}
		e.whole.from, shift = len(e.units), t.Start
		for _, s := range text.Sentences(p.Body[start:end]) {
			e.units = append(e.units, unit{start + s.Start, start + s.End, i})
		}
		e.whole.to = len(e.units)
	}
	e.put(shift+c.pass.start, shift+c.pass.end)
	return e
}

// put finds the units of a byte range; of an empty one, the unit it stands in.
func (e *excerpt) put(start, end int) {
	from := e.whole.from
	for from+1 < e.whole.to && e.units[from].end <= start {
		from++
	}
	to := min(from+1, e.whole.to)
	for to < e.whole.to && e.units[to].start < end {
		to++
	}
	e.place = stretch{from, to}
}

func (e *excerpt) text(s stretch) string { return strings.TrimSpace(e.bytes(s)) }

func (e *excerpt) bytes(s stretch) string {
	if s.from >= s.to {
		return ""
	}
	return e.gone.Cut(e.body, e.units[s.from].start, e.units[s.to-1].end)
}

// first is the sentence in which what answers begins.
func (e *excerpt) first() string {
	return e.text(stretch{e.place.from, min(e.place.from+1, e.place.to)})
}

// grow takes as much as room tokens allow; false when that is nothing.
func (e *excerpt) grow(room int) bool {
	if len(e.units) == 0 || !e.begin(room) {
		return false
	}
	for e.taken.to < e.place.to {
		if !e.extend(1, room) {
			return true // what stands around it is no use without it
		}
	}
	behind, before := e.block(1, e.place.to-1, room), e.block(-1, e.place.from, room)
	for behind || before {
		if behind = behind && e.taken.to < len(e.units); behind {
			behind = e.block(1, e.taken.to, room)
		}
		if before = before && e.taken.from > 0; before {
			before = e.block(-1, e.taken.from-1, room)
		}
	}
	return true
}

// begin takes the first unit, if nothing is taken yet.
func (e *excerpt) begin(room int) bool {
	if e.taken.from < e.taken.to {
		return true
	}
	s := stretch{e.place.from, e.place.from + 1}
	if text.Tokens(e.text(s)) > room {
		return false
	}
	e.taken, e.most = s, text.Tokens(e.bytes(s))
	return true
}

// block takes what is left, behind (1) or before (-1), of the block to which a
// unit belongs, and reports whether all of it fits.
func (e *excerpt) block(dir, of, room int) bool {
	n := e.units[of].block
	for {
		next := e.taken.to
		if dir < 0 {
			next = e.taken.from - 1
		}
		if next < 0 || next == len(e.units) || e.units[next].block != n {
			return true
		}
		if !e.extend(dir, room) {
			return false
		}
	}
}

// extend takes the next unit behind or before. Adding up tokens is quick and
// counts a little too much, so that only when the sum does not fit the text is
// counted as a whole.
func (e *excerpt) extend(dir, room int) bool {
	s, added := e.taken, e.taken.to
	if s.to++; dir < 0 {
		s, added = stretch{e.taken.from - 1, e.taken.to}, e.taken.from-1
	}
	most := e.most + text.Tokens(e.bytes(stretch{added, added + 1}))
	if most > room {
		if text.Tokens(e.text(s)) > room {
			return false
		}
		most = text.Tokens(e.bytes(s))
	}
	e.taken, e.most = s, most
	return true
}

// takeAll takes the whole page or turn.
func (e *excerpt) takeAll() {
	s := stretch{min(e.taken.from, e.whole.from), max(e.taken.to, e.whole.to)}
	if e.taken.from == e.taken.to {
		s = e.whole
	}
	e.taken, e.most = s, text.Tokens(e.bytes(s))
}
