package page

import (
	"crypto/sha256"
	"sort"
	"strings"
	"unicode/utf8"

	"brain/text"
)

// Chunks pack blocks greedily. A block is a unit; a block longer than a chunk
// is first cut into sentences (a fence into lines), which become units. A
// chunk is then a run of units, and begins with the end of the chunk before
// it when a size, not a heading, made the cut:
//
//	## Heading A                      ┐
//	paragraph, 500                    │ chunk 0, "A"
//	paragraph, 250                    ┘┐  overlap: its last sentences
//	paragraph, 400                     ┘ chunk 1, "A"
//	## Heading B                      ┐ chunk 2, "B"
//
// Sections shorter than minChunk share a chunk; a short tail of a section
// goes back into the chunk before it. Lengths are characters of the cleaned
// text.
const (
	targetChunk  = 800
	overlapChunk = 100
	minChunk     = 200
	maxSummary   = 800 // of the abstract, in the first chunk
)

// Chunk is a piece of a page: the unit that is embedded and the passage that
// an answer shows.
type Chunk struct {
	N          int    // 0-based
	Heading    string // heading path, "A > B"
	Start, End int    // byte range of Body; empty for a chunk of facts or of the summary alone
	Line       int    // 1-based line of the file on which it begins
	Embed      string // text to embed: title, heading path, cleaned text
	Turn       int    // of a session: the number of the turn, from 1; else 0
}

// Key is the SHA-256 of Embed: the name of its vector, wherever the page is
// moved or copied to.
func (c Chunk) Key() [32]byte { return sha256.Sum256([]byte(c.Embed)) }

// unit is a block or a part of one: text[t0:t1], n characters.
type unit struct{ block, t0, t1, n int32 }

// run is a chunk in the making: units u0..u1, preceded by the overlap units
// from over on, the first of them from overlap's text offset.
type run struct {
	u0, u1   int
	over     int   // first unit of the overlap, u0 for none
	overText int32 // where in that unit the overlap begins
	size     int32
	head     int32
}

// Chunks cuts the page: about 800 characters, 100 overlap.
func (p *Page) Chunks() []Chunk {
	if p.Turns != nil {
		return p.turnChunks()
	}
	s := p.scanned()
	k := cutter{p: p, s: s, line: max(p.BodyLine, 1)}
	k.units = make([]unit, 0, len(s.blocks)+8)
	for i := range s.blocks {
		k.addUnits(int32(i))
	}
	k.pack()
	out := make([]Chunk, 0, len(k.runs)+1)
	for i := range k.runs {
		out = append(out, k.chunk(&k.runs[i], i))
	}
	out = append(out, p.factChunks(len(out))...)
	if len(out) == 0 && (p.summary() != "" || len(p.Aliases) > 0) {
		out = append(out, Chunk{Line: 1, Embed: strings.TrimRight(k.intro(0, ""), "\n")})
	}
	return out
}

type cutter struct {
	p     *Page
	s     *scan
	units []unit
	runs  []run

	pos, line int // line numbers are counted forward
}

// addUnits cuts a block if it is too long.
func (k *cutter) addUnits(i int32) {
	b := &k.s.blocks[i]
	t := k.s.text[b.t0:b.t1]
	n := utf8.RuneCountInString(t)
	if n <= targetChunk {
		k.units = append(k.units, unit{i, b.t0, b.t1, int32(n)})
		return
	}
	if b.kind == code {
		for at := 0; at < len(t); {
			end := len(t)
			if e := strings.IndexByte(t[at:], '\n'); e >= 0 {
				end = at + e + 1
			}
			k.addPieces(i, b.t0, t, at, end)
			at = end
		}
		return
	}
	for _, span := range text.Sentences(t) {
		k.addPieces(i, b.t0, t, span.Start, span.End)
	}
}

// addPieces adds t[from:to] as one unit, or as several when it is itself too
// long: cut at a blank or comma near the limit, else between graphemes.
func (k *cutter) addPieces(block, base int32, t string, from, to int) {
	for from < to {
		piece := t[from:to]
		if limit := byteOffset(piece, targetChunk); limit < len(piece) {
			piece = piece[:cutPiece(piece, limit)]
		}
		n := utf8.RuneCountInString(piece)
		k.units = append(k.units, unit{block, base + int32(from), base + int32(from+len(piece)), int32(n)})
		from += len(piece)
	}
}

// cutPiece gives where to cut a text whose first targetChunk characters end
// at limit.
func cutPiece(s string, limit int) int {
	floor := byteOffset(s, targetChunk-overlapChunk)
	if i := strings.LastIndexAny(s[floor:limit], " \t，、；：,;"); i >= 0 {
		_, n := utf8.DecodeRuneInString(s[floor+i:])
		return floor + i + n
	}
	if c := text.CutGrapheme(s[:min(len(s), limit+512)], limit); c > 0 {
		return c
	}
	return limit // one grapheme longer than a chunk
}

// pack makes runs of the units.
func (k *cutter) pack() {
	cur := run{head: -1}
	for i, u := range k.units {
		b := &k.s.blocks[u.block]
		switch {
		case b.kind == heading && cur.size > 0:
			if cur.size >= minChunk || k.mergeBack(&cur) {
				k.close(&cur, i, false)
			}
		case cur.size > 0 && cur.size+u.n > targetChunk && (cur.size >= minChunk || cur.size+u.n > targetChunk+minChunk):
			k.close(&cur, i, true)
		}
		if cur.u1 == cur.u0 {
			cur.head = b.head
		}
		cur.size += u.n
		cur.u1 = i + 1
	}
	if cur.u1 > cur.u0 && !k.mergeBack(&cur) {
		k.runs = append(k.runs, cur)
	}
}

// mergeBack appends a short run to the run before it, if that is of the same
// section and has room; it reports whether it did, leaving cur empty.
func (k *cutter) mergeBack(cur *run) bool {
	n := len(k.runs)
	if n == 0 || cur.size >= minChunk || k.runs[n-1].head != cur.head {
		return false
	}
	last := &k.runs[n-1]
	if last.size+cur.size > targetChunk+minChunk {
		return false
	}
	last.u1, last.size = cur.u1, last.size+cur.size
	cur.u0 = cur.u1
	return true
}

// close ends cur before unit i and begins the next, which takes headings that
// would end cur along, and the overlap.
func (k *cutter) close(cur *run, i int, overlap bool) {
	end := i
	for overlap && end > cur.u0+1 && k.s.blocks[k.units[end-1].block].kind == heading {
		end--
	}
	next := run{u0: end, u1: i, over: end, head: -1}
	for _, u := range k.units[end:i] {
		next.size += u.n
		next.head = k.s.blocks[k.units[end].block].head
	}
	if cur.u1 > cur.u0 {
		cur.u1 = end
		k.runs = append(k.runs, *cur)
		if overlap && end == i {
			k.overlap(&next, cur.u0)
		}
	}
	*cur = next
}

// overlap lets next begin with the last whole units, or the last sentences of
// the last unit, of the run that begins at unit first.
func (k *cutter) overlap(next *run, first int) {
	left := int32(overlapChunk)
	for j := next.u0 - 1; j > first && left > 0; j-- {
		u := k.units[j]
		if kind := k.s.blocks[u.block].kind; kind == heading || kind == code {
			break
		}
		if u.n > left {
			if j == next.u0-1 {
				next.over, next.overText = j, k.lastSentences(u)
				next.size += overlapChunk
			}
			break
		}
		next.over, next.overText = j, u.t0
		next.size += u.n
		left -= u.n
	}
	if next.over == next.u0 && next.u0-1 == first {
		if u := k.units[first]; u.n > overlapChunk && k.s.blocks[u.block].kind != code && k.s.blocks[u.block].kind != heading {
			next.over, next.overText = first, k.lastSentences(u)
			next.size += overlapChunk
		}
	}
}

// lastSentences gives where the last sentences of u that fit into the overlap
// begin; where the last one is too long, the last words.
func (k *cutter) lastSentences(u unit) int32 {
	t := k.s.text[u.t0:u.t1]
	at := byteOffset(t, int(u.n)-overlapChunk)
	for _, span := range text.Sentences(t) {
		if span.Start >= at {
			return u.t0 + int32(span.Start)
		}
	}
	if i := strings.IndexAny(t[at:], " ，、；,;"); i >= 0 && i < len(t)-at-1 {
		_, n := utf8.DecodeRuneInString(t[at+i:])
		return u.t0 + int32(at+i+n)
	}
	if c := text.CutGrapheme(t, at); c > 0 {
		return u.t0 + int32(c)
	}
	return u.t1
}

// chunk renders a run.
func (k *cutter) chunk(r *run, n int) Chunk {
	s := k.s
	first, from := k.units[r.u0], k.units[r.u0].t0
	if r.over < r.u0 {
		first, from = k.units[r.over], r.overText
	}
	last := k.units[r.u1-1]
	b := &s.blocks[first.block]
	c := Chunk{N: n, Heading: s.headingPath(r.head), Start: s.bodyStart(first.block, from), End: s.bodyEnd(last.block, last.t1)}
	if int(b.start) > k.pos {
		k.pos, k.line = int(b.start), int(b.line)
	}
	if c.Start > k.pos {
		k.line += strings.Count(k.p.Body[k.pos:c.Start], "\n")
		k.pos = c.Start
	}
	c.Line = k.line
	var e strings.Builder
	e.Grow(int(last.t1-from) + 200)
	e.WriteString(k.intro(n, c.Heading))
	start := max(r.over, 0)
	if k.s.blocks[k.units[start].block].kind == heading && start == r.u0 && r.u1 > r.u0+1 {
		start++ // it is the end of the heading path
	}
	prev := int32(-1)
	for j := start; j < r.u1; j++ {
		u := k.units[j]
		if j == r.over && r.over < r.u0 {
			u.t0 = r.overText
		}
		if prev >= 0 && prev != u.block {
			e.WriteByte('\n')
		}
		e.WriteString(s.text[u.t0:u.t1])
		prev = u.block
	}
	c.Embed = strings.TrimSpace(e.String())
	return c
}

// intro is what stands before a chunk's own text: the title, the heading path
// below it, and in the first chunk what the front matter says of the page.
func (k *cutter) intro(n int, headings string) string {
	p := k.p
	out := p.Title + "\n"
	if below, same := cutFold(headings, p.Title); same {
		headings = strings.TrimPrefix(below, " > ")
	}
	if headings != "" {
		out += headings + "\n"
	}
	if n > 0 {
		return out
	}
	if len(p.Aliases) > 0 {
		out += cut(strings.Join(p.Aliases, ", "), maxSummary) + "\n"
	}
	if sum := p.summary(); sum != "" {
		out += cut(sum, maxSummary) + "\n"
	}
	return out
}

// cutFold cuts the first part of a heading path if it is the title.
func cutFold(path, title string) (rest string, ok bool) {
	if len(path) < len(title) || !strings.EqualFold(path[:len(title)], title) {
		return path, false
	}
	rest = path[len(title):]
	return rest, rest == "" || strings.HasPrefix(rest, " > ")
}

func (p *Page) summary() string {
	for _, t := range [...]string{p.Abstract, p.Description, p.Overview} {
		if t != "" {
			return t
		}
	}
	return ""
}

// factChunks packs the live facts, which have no place in the body.
func (p *Page) factChunks(n int) (out []Chunk) {
	var b strings.Builder
	first := 0
	flush := func() {
		if b.Len() > 0 {
			k := cutter{p: p}
			out = append(out, Chunk{N: n, Line: max(first, 1), Embed: k.intro(n, "") + strings.TrimSpace(b.String())})
			n++
			b.Reset()
		}
	}
	size := 0
	for _, f := range p.Facts {
		if !f.Live() {
			continue
		}
		t := f.line()
		if m := utf8.RuneCountInString(t); size+m > targetChunk {
			flush()
			size = 0
		}
		if b.Len() == 0 {
			first = f.Line
		}
		size += utf8.RuneCountInString(t)
		line(&b, cut(t, 4*targetChunk))
	}
	flush()
	return out
}

// headingPath joins the headings from the top down to h.
func (s *scan) headingPath(h int32) string {
	if h < 0 {
		return ""
	}
	name := s.headText(int(h))
	if parent := s.heads[h].parent; parent >= 0 {
		return s.headingPath(parent) + " > " + name
	}
	return name
}

// bodyStart and bodyEnd lead from a place in a block's text to the body; the
// whole block has its marks with it.
func (s *scan) bodyStart(block, t int32) int {
	b := &s.blocks[block]
	if t <= b.t0 {
		return int(b.start)
	}
	return s.bodyAt(block, t)
}

func (s *scan) bodyEnd(block, t int32) int {
	b := &s.blocks[block]
	if t >= b.t1 {
		return int(b.end)
	}
	return s.bodyAt(block, t)
}

func (s *scan) bodyAt(block, t int32) int {
	b := &s.blocks[block]
	segs := s.segsOf(block)
	i := sort.Search(len(segs), func(i int) bool { return segs[i].text > t })
	if i == 0 {
		return int(b.start)
	}
	at := segs[i-1].body + t - segs[i-1].text
	return int(min(max(at, b.start), b.end))
}

func (s *scan) segsOf(block int32) []seg {
	if int(block)+1 < len(s.blocks) {
		return s.segs[s.blocks[block].seg:s.blocks[block+1].seg]
	}
	return s.segs[s.blocks[block].seg:]
}
