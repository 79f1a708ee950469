package page

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"brain/text"
)

// What is superseded stays in the file and leaves the index. A fact of the front
// matter says so itself; a sentence of the body has no status, so its page holds an
// entry in facts: with its text and the status superseded, and wherever the body
// says just that, it counts no more:
//
//	facts:
//	  - text: "The queue holds 600 jobs"
//	    status: "superseded"
//	---
//	The queue holds 600 jobs. It is drained at night.
//	                          └ all that is read of it
//
// It is cut out of what the scan of the body found, so that words, chunks, claims and
// links know nothing of it, and places in the file stay what they are.
// So it is where the statement stands between two marks of a longer sentence, if it has four words
// or more. Two texts are the same here when they differ in case, width, white space and the
// stop at the end alone. Where a page says it in several sections and one is meant, the
// text has the headings before it: "Limits > Retries > Default: 100". What a live fact
// says too stays; so do headings and code.

// Gone is what of a body is superseded: ranges of bytes, in order.
type Gone []span

// Standing is the body less what is superseded, which is blank. Offsets and lines
// are those of Body.
func (p *Page) Standing() string {
	if len(p.gone) == 0 {
		return p.Body
	}
	return p.standing
}

// Gone says what Standing lacks.
func (p *Page) Gone() Gone { return p.gone }

// Standing finds the body of a file as Split does, less what is superseded.
func Standing(path Path, raw []byte) (body string, line int, gone Gone) {
	p := &Page{BodyLine: 1}
	front, found := p.cutBody(p.decode(raw))
	if !found || !strings.Contains(strings.ToLower(front), "superseded") {
		return p.Body, p.BodyLine, nil
	}
	p = Parse(path, raw)
	return p.Standing(), p.BodyLine, p.gone
}

// Cut gives a range of the body that Standing gave, without the room that was left blank.
func (g Gone) Cut(body string, from, to int) string {
	if len(g) == 0 {
		return body[from:to]
	}
	var b strings.Builder
	for _, r := range g {
		if r.to <= from || r.from >= to {
			continue
		}
		b.WriteString(body[from:max(from, r.from)])
		from = min(r.to, to)
	}
	b.WriteString(body[from:to])
	return b.String()
}

// leaveOut takes what is superseded out of what was read of the page, if there is any.
func (p *Page) leaveOut(s *scanner) {
	texts := p.supersededTexts()
	if texts == nil {
		return
	}
	for _, summary := range [...]*string{&p.Abstract, &p.Overview, &p.Description} {
		*summary = texts.without(*summary)
	}
	blank, cuts := []byte(p.Body), []textRange(nil)
	for i := range s.blocks {
		texts.find(&s.scan, i, func(from, to int32) {
			cuts = append(cuts, textRange{from, to})
			r := s.bytesOf(i, from, to)
			p.gone = append(p.gone, s.shownRange(p.Body, i, r, from, to))
			for j := r.from; j < r.to; j++ {
				if blank[j] != '\n' && blank[j] != '\r' {
					blank[j] = ' '
				}
			}
		})
	}
	if len(cuts) > 0 {
		p.standing = string(blank)
		s.cut(cuts)
	}
}

// textRange is a range of a scan's text.
type textRange struct{ from, to int32 }

// cut takes ranges of the text out, in order, each within a block: blocks that are
// empty then, links and code spans in it go, too.
func (s *scanner) cut(cuts []textRange) {
	k := cutting{old: &s.scan, cuts: cuts}
	k.heads, k.hidden, k.tags, k.problems = slices.Clone(s.heads), s.hidden, s.tags, s.problems
	for i, l := range s.links {
		if !k.gone(int32(s.at[i].t0)) {
			k.links = append(k.links, l)
		}
	}
	for i := range s.blocks {
		k.block(i)
	}
	k.scan.text = string(k.out)
	s.scan = k.scan
}

// cutting is a scan in the making that lacks some of the text of another.
type cutting struct {
	scan
	old  *scan
	cuts []textRange
	out  []byte
}

func (k *cutting) gone(t int32) bool {
	return slices.ContainsFunc(k.cuts, func(r textRange) bool { return r.from <= t && t < r.to })
}

func (k *cutting) block(i int) {
	b := k.old.blocks[i]
	t0, t1 := b.t0, b.t1
	b.t0, b.seg = int32(len(k.out)), int32(len(k.segs))
	at := t0
	for _, r := range k.cuts {
		if r.from >= at && r.from < t1 {
			k.keep(i, at, r.from)
			at = r.to
		}
	}
	k.keep(i, at, t1)
	if at > t0 {
		k.out = append(k.out[:b.t0], bytes.TrimRight(k.out[b.t0:], " ")...)
	}
	if b.t1 = int32(len(k.out)); at > t0 && b.t1 == b.t0 {
		k.segs = k.segs[:b.seg]
		return
	}
	if b.kind == heading {
		k.heads[b.head].block = int32(len(k.blocks))
	}
	k.out = append(k.out, '\n')
	k.blocks = append(k.blocks, b)
}

// keep copies a range of a block's text, with what leads from it to the body.
func (k *cutting) keep(block int, from, to int32) {
	if from == to {
		return
	}
	moved := int32(len(k.out)) - from
	if b := &k.old.blocks[block]; from > b.t0 {
		k.segs = append(k.segs, seg{from + moved, int32(k.old.bodyAt(int32(block), from))})
	}
	for _, sg := range k.old.segsOf(int32(block)) {
		if sg.text > from && sg.text <= to || sg.text == from && from == k.old.blocks[block].t0 {
			k.segs = append(k.segs, seg{sg.text + moved, sg.body})
		}
	}
	for _, r := range k.old.inlines {
		if r[0] >= from && r[1] <= to {
			k.inlines = append(k.inlines, [2]int32{r[0] + moved, r[1] + moved})
		}
	}
	k.out = append(k.out, k.old.text[from:to]...)
}

// texts is a set of statements in the form in which they are compared.
type texts struct {
	is       map[string]bool // whether it says enough to be found within a sentence
	several  []string        // those that may be several sentences in a row
	sections bool            // some have the headings before them
	clauses  bool            // some say enough
	longest  int
}

// maxSeveral bounds the statements of several sentences that a page is searched for: each
// is compared with every sentence.
const maxSeveral = 256

// supersededTexts is nil for a page without any.
func (p *Page) supersededTexts() *texts {
	if !slices.ContainsFunc(p.Facts, Fact.superseded) {
		return nil
	}
	t := &texts{is: map[string]bool{}}
	for _, f := range p.Facts {
		if f.superseded() {
			t.add(f.Statement())
		}
	}
	for _, f := range p.Facts {
		if f.Live() {
			t.remove(f.Statement())
		}
	}
	return t
}

// add takes a statement in; what is too long to be a claim is none.
func (t *texts) add(statement string) {
	k := sameText(statement)
	if k == "" || utf8.RuneCountInString(k) > maxClaim {
		return
	}
	if _, known := t.is[k]; !known && len(t.several) < maxSeveral && strings.ContainsAny(k, ".。!?;") {
		t.several = append(t.several, k)
	}
	t.is[k] = contentWords(k) >= enoughWords
	t.sections = t.sections || strings.Contains(k, " > ")
	t.clauses = t.clauses || t.is[k]
	t.longest = max(t.longest, len(k))
}

func (t *texts) remove(statement string) {
	k := sameText(statement)
	delete(t.is, k)
	t.several = slices.DeleteFunc(t.several, func(s string) bool { return s == k })
}

func (f Fact) superseded() bool { return strings.EqualFold(f.Status, "superseded") }

// Statement is what the fact says: its text, else its measure.
func (f Fact) Statement() string {
	if f.Text != "" {
		return f.Text
	}
	return f.line()
}

// sameText is a statement in the form in which two are the same.
func sameText(s string) string { return withoutStop(flat(s)) }

func flat(s string) string { return strings.Join(strings.Fields(text.Fold(s)), " ") }

func withoutStop(s string) string { return strings.TrimRight(s, ".。!?;, ") }

// find gives the places in the text of a block where one of the statements stands: the
// block whole, a sentence of it, or several in a row.
func (t *texts) find(s *scan, i int, found func(from, to int32)) {
	b := &s.blocks[i]
	if b.kind == heading || b.kind == code {
		return
	}
	said, section := s.text[b.t0:b.t1], ""
	if t.sections {
		section = s.headingPath(b.head)
	}
	t.findIn(said, section, func(from, to int) { found(b.t0+int32(from), b.t0+int32(to)) })
}

func (t *texts) findIn(said, section string, found func(from, to int)) {
	spans := text.Sentences(said)
	parts := make([]string, len(spans)) // as they are compared, with the blank before them
	for i, s := range spans {
		parts[i] = flat(said[s.Start:s.End])
		if s.Start > 0 && strings.TrimSpace(said[s.Start-1:s.Start+1]) != said[s.Start-1:s.Start+1] {
			parts[i] = " " + parts[i]
		}
	}
	if section != "" {
		section = sameText(section) + " > "
	}
	for i := 0; i < len(spans); {
		n := t.sentences(parts[i:], section)
		switch {
		case n > 0:
			found(spans[i].Start, spans[i+n-1].End)
		case t.clauses:
			t.findClause(said, spans[i], found)
		}
		i += max(n, 1)
	}
}

// sentences tells how many of the sentences, from the first on, are one of the statements: the
// longest; 0 for none.
func (t *texts) sentences(parts []string, section string) (n int) {
	first := withoutStop(strings.TrimPrefix(parts[0], " "))
	if _, ok := t.is[first]; ok && first != "" {
		n = 1
	}
	if _, ok := t.is[section+first]; ok && t.sections && first != "" {
		n = 1
	}
	for _, k := range t.several {
		n = max(n, spelt(k, parts))
		if below, ok := strings.CutPrefix(k, section); ok && section != "" {
			n = max(n, spelt(below, parts))
		}
	}
	return n
}

// spelt tells how many sentences spell a statement, 0 when they do not.
func spelt(statement string, parts []string) int {
	for i, part := range parts {
		if i == 0 {
			part = strings.TrimPrefix(part, " ")
		}
		rest, ok := strings.CutPrefix(statement, part)
		switch {
		case statement == withoutStop(part):
			return i + 1
		case !ok || part == "":
			return 0
		}
		statement = rest
	}
	return 0
}

// findClause looks for a statement as a part of a longer sentence, between two marks: "Our answer:
// the limit is 900, so …".
func (t *texts) findClause(said string, span text.Span, found func(from, to int)) {
	marks := clauseMarks(said[span.Start:span.End])
	for i, m := range marks {
		from := span.Start + m[1]
		for _, end := range marks[i+1 : min(len(marks), i+1+mostClauses)] {
			if to := span.Start + end[0]; to > from && to-from <= 4*t.longest+16 && t.is[sameText(said[from:to])] {
				found(from, to)
				return
			}
		}
	}
}

// mostClauses of a sentence may be one statement.
const mostClauses = 6

// clauseMarks are where clauses of a sentence end and the next begin: its ends, and marks within
// it, of which those of Latin script are followed by a blank; 1,000 and 3:30 have none.
func clauseMarks(s string) [][2]int {
	marks := [][2]int{{0, 0}}
	for i, r := range s {
		n := utf8.RuneLen(r)
		switch {
		case strings.ContainsRune("，；：、（）“”—", r), strings.ContainsRune("()\"", r),
			strings.ContainsRune(",;:", r) && (i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n'):
			marks = append(marks, [2]int{i, i + n})
		}
	}
	return append(marks, [2]int{len(s), len(s)})
}

// without leaves the statements out of a summary.
func (t *texts) without(summary string) string {
	var b strings.Builder
	at := 0
	t.findIn(summary, "", func(from, to int) {
		b.WriteString(summary[at:from])
		at = to
	})
	if at == 0 {
		return summary
	}
	b.WriteString(summary[at:])
	return strings.TrimSpace(b.String())
}

// bytesOf leads from a place in the text of a block to its bytes in the body, with the
// marks around it, without those of the block.
func (s *scan) bytesOf(block int, from, to int32) span {
	b := &s.blocks[block]
	r := span{s.bodyBefore(block, from), int(b.end)}
	if to < b.t1 {
		r.to = s.bodyBefore(block, to)
	}
	return r
}

// bodyBefore is where in the body a place in the text of a block is, before any marks
// that the text lacks.
func (s *scan) bodyBefore(block int, t int32) int {
	segs := s.segsOf(int32(block))
	i, _ := slices.BinarySearchFunc(segs, t, func(sg seg, t int32) int { return int(sg.text) - int(t) })
	if i == 0 {
		return int(segs[0].body)
	}
	return int(segs[i-1].body + t - segs[i-1].text)
}

// shownRange is what is not shown of a body when r is superseded: of a whole block, its
// lines.
func (s *scan) shownRange(body string, block int, r span, from, to int32) span {
	b := &s.blocks[block]
	if from > b.t0 || to < b.t1 {
		return r
	}
	r.from = strings.LastIndexByte(body[:b.start], '\n') + 1
	if i := strings.IndexByte(body[r.to:], '\n'); i >= 0 {
		r.to += i + 1
	}
	return r
}

// Saying is where a body says something, superseded or not.
type Saying struct {
	Section    string // heading path, "A > B"
	Line       int    // 1-based in the file
	Superseded bool
}

// Says finds the places where the body says a statement, as one that is superseded
// is found: those that would leave the index with it.
func (p *Page) Says(statement string) (all []Saying) {
	whole := parseWhole(p.Path, p.Raw, p.words)
	t := &texts{is: map[string]bool{}}
	t.add(statement)
	for i := range whole.found.blocks {
		b := &whole.found.blocks[i]
		t.find(whole.found, i, func(from, to int32) {
			at := max(whole.found.bodyBefore(i, from), int(b.start))
			_, gone := slices.BinarySearchFunc(p.gone, at, func(r span, at int) int {
				switch {
				case r.to <= at:
					return -1
				case r.from > at:
					return 1
				}
				return 0
			})
			all = append(all, Saying{whole.found.headingPath(b.head), int(b.line) + strings.Count(whole.Body[b.start:at], "\n"), gone})
		})
	}
	return all
}
