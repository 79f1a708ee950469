package page

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"brain/text"
)

// The scan reads a body once. It walks over the lines and cuts them into
// blocks (paragraph, list item, table row, heading, code); each block's
// inline marks are then removed while its text is copied into one buffer
// (inline.go). Everything is kept as offsets:
//
//	body   ## Über *uns*\n\n- see [[Team|the team]]\n
//	text   Über uns\nsee the team\n
//	blocks heading 0..8, item 9..21
//	segs   where copying skipped bytes, so that a place in the text
//	       leads back to the place in the body
//
// It is not a CommonMark parser: it has no tree and does not care how things
// nest, only which bytes are words, which are code, and which are links. It
// forgives where a renderer would lose text: an unclosed comment is text.

type blockKind uint8

const (
	paragraph blockKind = iota
	item                // list item
	row                 // table row
	heading
	code // fence, indented code, <pre>, a block of mathematics
)

// block is one unit of the body. Byte ranges: body and text.
type block struct {
	kind       blockKind
	start, end int32
	t0, t1     int32
	seg        int32 // its first seg
	line       int32 // of start, 1-based in the file
	head       int32 // the heading it stands under (itself for a heading), -1 for none
	task       bool  // an item with a box: - [ ]
}

// seg says that from text on, text and body run in step.
type seg struct{ text, body int32 }

type head struct {
	block  int32
	level  uint8
	parent int32
}

// scan is the result; immutable.
type scan struct {
	text     string
	blocks   []block
	segs     []seg
	heads    []head
	inlines  [][2]int32 // code spans in text
	hidden   [][2]int32 // comments in body
	links    []Link
	tags     []string
	problems []Problem
}

func (s *scan) headText(i int) string {
	b := &s.blocks[s.heads[i].block]
	return s.text[b.t0:b.t1]
}

// linkAt is where a link's label stands in the text, for the words around it,
// and where in the body the target is written: the inside of [[…]], the
// destination of a Markdown link or of the definition it refers to, a slug.
type linkAt struct {
	t0, t1, block int32
	dest          span
}

// span is a range of bytes.
type span struct{ from, to int }

func (r span) in(s string) string { return s[r.from:r.to] }

// trim leaves the white space at both ends out.
func (r span) trim(s string) span {
	text := r.in(s)
	r.from += len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	r.to = r.from + len(strings.TrimSpace(text))
	return r
}

type scanner struct {
	scan
	src  string
	out  []byte
	line int32 // of the line at hand
	at   []linkAt
	// files are the destinations of Markdown links and images that name other
	// files than pages.
	files []span

	words *relationWords
	defs  map[string]span // link reference definitions: label → destination

	// The open paragraph or item.
	open  bool
	cur   block
	lines int // how many lines it has
	from  int // where its content begins (after the markers)

	quote int   // depth of > of the last line
	lists []int // content columns of the open list items
	outer []int // the same outside of the quote
	table bool  // a delimiter row was seen: lines are rows
	inRow bool  // inline text is a row: | separates
	head  int32 // current heading
	mine  bool  // inside <<<<<<< … >>>>>>>; it may have begun in the front matter

	// What is known to have no end, so that it is searched for once only:
	// hostile pages are read in linear time.
	hasHTML bool   // a <!-- may still be closed
	noMDX   bool   // no {/* is
	noRaw   uint8  // bit n: nor is the n-th of rawTags
	ticks   uint64 // bit n: n backticks have no partner in this block
	unshut  [2]int // the end of the block in which <!-- or {/* is not closed

	counted struct{ pos, line int32 } // line numbers are counted forward
	depth   int                       // of labels in labels
}

// result is what stays of a scan.
func (s *scanner) result() *scan {
	res := s.scan
	return &res
}

// scanFrom reads a body whose first line is that of the file; torn is one that
// begins inside a merge conflict.
func scanFrom(src string, firstLine int, torn bool, words *relationWords) *scanner {
	s := &scanner{src: src, words: words, line: int32(firstLine), head: -1, mine: torn}
	s.out = make([]byte, 0, len(src)+len(src)/16+16)
	s.blocks = make([]block, 0, 4+len(src)/80)
	s.segs = make([]seg, 0, 8+len(src)/40)
	s.hasHTML = strings.Contains(src, "<!--")
	if strings.Contains(src, "]:") {
		s.defs = definitions(src)
	}
	for pos := 0; pos < len(src); {
		pos = s.step(pos)
	}
	s.flush()
	s.text = string(s.out)
	s.finishLinks()
	return s
}

// lineEnd gives the end of the line's content and the begin of the next line.
func (s *scanner) lineEnd(pos int) (end, next int) {
	end, next = len(s.src), len(s.src)
	if i := strings.IndexByte(s.src[pos:], '\n'); i >= 0 {
		end, next = pos+i, pos+i+1
	}
	if end > pos && s.src[end-1] == '\r' {
		end--
	}
	return end, next
}

// indent skips blanks and tabs from i, col being the column of i.
func (s *scanner) indent(i, end, col int) (int, int) {
	for i < end {
		switch s.src[i] {
		case ' ':
			col++
		case '\t':
			col += 4 - col%4
		default:
			return i, col
		}
		i++
	}
	return i, col
}

// step takes one line, or one block that spans several, and gives where the
// next begins.
func (s *scanner) step(pos int) int {
	end, next := s.lineEnd(pos)
	i, col := s.indent(pos, end, 0)
	if s.conflict(pos, end) {
		s.line++
		return next
	}
	quote := 0
	for i < end && s.src[i] == '>' {
		quote++
		i++
		if i < end && s.src[i] == ' ' {
			i++
		}
		i, col = s.indent(i, end, 0)
	}
	s.setQuote(quote)
	if i == end {
		s.flush()
		s.table = false
		s.line++
		return next
	}
	return s.content(pos, i, end, next, col)
}

func (s *scanner) setQuote(depth int) {
	if depth == s.quote {
		return
	}
	s.flush()
	if s.quote == 0 {
		s.outer, s.lists = s.lists, nil
	} else if depth == 0 {
		s.lists = s.outer
	} else {
		s.lists = nil
	}
	s.quote, s.table = depth, false
}

// content classifies a line that holds something: the block starts first, in
// a loop since a list marker may be followed by any other of them.
func (s *scanner) content(pos, i, end, next, col int) int {
	for marker := false; ; marker = true {
		base := 0
		if n := len(s.lists); n > 0 {
			base = s.lists[n-1]
		}
		if !s.open && col-base >= 4 && !marker {
			for n := len(s.lists); n > 0 && col < s.lists[n-1]; n-- {
				s.lists = s.lists[:n-1]
			}
			return s.indentedCode(pos, i, end, next)
		}
		if after, ok := s.special(pos, i, end, next, col); ok {
			return after
		}
		j, c, ok := s.listMarker(i, end, col)
		if !ok {
			break
		}
		s.flush()
		s.popLists(col)
		s.lists = append(s.lists, c)
		s.begin(item, pos, j)
		if j == end {
			s.line++
			return next
		}
		i, col = j, c
		if s.src[i] == '>' {
			i, col = s.indent(i+1, end, 0)
		}
	}
	if !s.open {
		s.popLists(col)
		s.begin(paragraph, pos, i)
	}
	next = s.extend(end, next)
	if last := strings.TrimRight(s.src[i:s.cur.end], " "); strings.HasPrefix(last, "<!--") && strings.HasSuffix(last, "-->") {
		s.flush() // a comment is no paragraph that goes on
	}
	return next
}

func (s *scanner) popLists(col int) {
	n := len(s.lists)
	for n > 0 && col < s.lists[n-1] {
		n--
	}
	s.lists = s.lists[:n]
}

// begin opens a block whose marks begin at pos and whose text begins at from.
func (s *scanner) begin(kind blockKind, pos, from int) {
	s.flush()
	s.open, s.lines, s.from = true, 0, from
	s.cur = block{kind: kind, start: int32(pos), end: int32(from), line: s.line, head: s.head}
}

// extend adds a line to the open block, and more lines when a comment that
// begins in it spans them.
func (s *scanner) extend(end, next int) int {
	if s.hasHTML || s.lines == 0 && end-s.from >= 2 {
		if far := s.commentEnd(int(s.cur.end), end); far > end {
			s.line += int32(strings.Count(s.src[end:far], "\n"))
			end, next = s.lineEnd(far)
		}
	}
	s.cur.end = int32(end)
	s.lines++
	s.line++
	return next
}

// commentEnd gives where a comment that begins in the line and does not end
// in it ends, else 0.
func (s *scanner) commentEnd(start, end int) int {
	line := s.src[start:end]
	if s.hasHTML {
		if i := strings.LastIndex(line, "<!--"); i >= 0 && !strings.Contains(line[i:], "-->") && strings.Count(line[:i], "`")%2 == 0 {
			if j := strings.Index(s.src[end:], "-->"); j >= 0 {
				return end + j + 3
			}
			s.hasHTML = false // no comment is closed from here on
		}
	}
	first := s.src[s.from:end]
	switch {
	case s.lines > 0 || len(first) < 2:
	case strings.HasPrefix(first, "%%") && !strings.Contains(first[2:], "%%"):
		if j := strings.Index(s.src[end:], "%%"); j >= 0 {
			return end + j + 2
		}
	case !s.noMDX && strings.HasPrefix(first, "{/*") && !strings.Contains(first, "*/"):
		if j := strings.Index(s.src[end:], "*/"); j >= 0 {
			return end + j + 2
		}
		s.noMDX = true
	}
	return 0
}

// flush ends the open block and reads its inline text.
func (s *scanner) flush() {
	if !s.open {
		return
	}
	s.open = false
	b := s.cur
	i := s.from
	if s.quote > 0 {
		i = s.skipCallout(i, int(b.end))
	}
	if b.kind == item {
		j := s.skipTask(i, int(b.end))
		b.task, i = j > i, j
	}
	s.emit(b, i, int(b.end))
}

// emit reads src[i:end] as the inline text of b and keeps b if text is left.
func (s *scanner) emit(b block, i, end int) bool {
	b.t0, b.seg = int32(len(s.out)), int32(len(s.segs))
	if b.kind == heading {
		b.head = int32(len(s.heads))
	}
	s.mark(i)
	s.ticks = 0
	s.cur = b
	s.counted.pos, s.counted.line = b.start, b.line
	links := len(s.links)
	s.inline(i, end)
	s.trimRight(int(b.t0))
	b.t1 = int32(len(s.out))
	if len(s.links) == links && onlyMarks(s.out[b.t0:]) {
		s.drop(b)
		return false
	}
	s.out = append(s.out, '\n')
	s.blocks = append(s.blocks, b)
	return true
}

// onlyMarks reports a text without a word or a picture: rows of dashes, dots,
// lines drawn with box characters.
func onlyMarks(s []byte) bool {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRune(s[i:])
		if r < utf8.RuneSelf && isWord(byte(r)) && r != '_' {
			return false
		}
		if r >= utf8.RuneSelf && !unicode.IsPunct(r) && !unicode.IsSpace(r) && (r < 0x2500 || r > 0x257F) {
			return false
		}
		i += n
	}
	return true
}

// mark notes that the text goes on with the body's byte i.
func (s *scanner) mark(i int) {
	s.segs = append(s.segs, seg{int32(len(s.out)), int32(i)})
}

// drop takes a block's text back, with what was noted of it.
func (s *scanner) drop(b block) {
	s.out, s.segs = s.out[:b.t0], s.segs[:b.seg]
	for n := len(s.inlines); n > 0 && s.inlines[n-1][1] > b.t0; n-- {
		s.inlines = s.inlines[:n-1]
	}
}

func (s *scanner) trimRight(to int) {
	n := len(s.out)
	for n > to && (s.out[n-1] == ' ' || s.out[n-1] == '\t') {
		n--
	}
	s.out = s.out[:n]
	if last := len(s.inlines) - 1; last >= 0 {
		s.inlines[last][1] = min(s.inlines[last][1], int32(n))
	}
}

// skipCallout passes over `[!note]-` at the begin of a quote.
func (s *scanner) skipCallout(i, end int) int {
	if !strings.HasPrefix(s.src[i:end], "[!") {
		return i
	}
	j := strings.IndexByte(s.src[i:end], ']')
	if j < 3 || j > 40 || strings.IndexByte(s.src[i:i+j], '\n') >= 0 {
		return i
	}
	j += i + 1
	if j < end && (s.src[j] == '-' || s.src[j] == '+') {
		j++
	}
	j, _ = s.indent(j, end, 0)
	return j
}

// skipTask passes over `[ ] ` and `[x] `.
func (s *scanner) skipTask(i, end int) int {
	if end-i > 3 && s.src[i] == '[' && s.src[i+2] == ']' && (s.src[i+3] == ' ' || s.src[i+3] == '\t') && s.src[i+1] < utf8.RuneSelf {
		i, _ = s.indent(i+3, end, 0)
	}
	return i
}

// listMarker reads `- `, `* `, `+ `, `1. `, `1) ` and gives where the item's
// text begins and in which column.
func (s *scanner) listMarker(i, end, col int) (int, int, bool) {
	j := i
	switch c := s.src[i]; {
	case c == '-' || c == '*' || c == '+':
		j++
	case c >= '0' && c <= '9':
		for j < end && j-i < 9 && s.src[j] >= '0' && s.src[j] <= '9' {
			j++
		}
		// A number that continues a sentence is no list unless it is the first.
		if j == end || s.src[j] != '.' && s.src[j] != ')' || s.open && s.cur.kind == paragraph && s.src[i:j] != "1" {
			return 0, 0, false
		}
		j++
	default:
		return 0, 0, false
	}
	if j < end && s.src[j] != ' ' && s.src[j] != '\t' {
		return 0, 0, false
	}
	if j == end && s.open && s.cur.kind == paragraph {
		return 0, 0, false // a lone mark does not interrupt a sentence
	}
	k, c := s.indent(j, end, col+j-i)
	if k == end {
		c = col + j - i + 1
	}
	return k, c, true
}

// conflict drops the marks of an unresolved merge; both sides are kept.
func (s *scanner) conflict(pos, end int) bool {
	switch c := conflictMark(s.src[pos:end]); {
	case c == '<' && openConflict(s.src[end:]):
		s.mine = true
		s.problems = append(s.problems, Problem{int(s.line), CodeConflict, "unresolved merge conflict", "keep one side and delete the markers"})
	case c == 0 || c == '<' || !s.mine:
		return false
	case c == '>':
		s.mine = false
	}
	s.flush()
	return true
}

// joins reports whether a line break between the text so far and what comes
// at i stands between two characters of a script without blanks.
func (s *scanner) joins(i int) bool {
	if i >= len(s.src) || s.src[i] < utf8.RuneSelf || len(s.out) == 0 || s.out[len(s.out)-1] < utf8.RuneSelf {
		return false
	}
	last, _ := utf8.DecodeLastRune(s.out)
	first, _ := utf8.DecodeRuneInString(s.src[i:])
	return wide(last) && wide(first)
}

// wide reports whether r stands without blanks beside its neighbours: Han,
// kana, Thai and full-width punctuation. Korean puts blanks between words.
func wide(r rune) bool {
	return r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFFEF ||
		text.IsCJK(r) && (r < 0xAC00 || r > 0xD7AF)
}
