package page

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Where things stand in a front matter block. The readers say which keys
// there are and on which lines; from there the extent of a value is told by
// its first character: a quote or bracket runs to its partner, a block and
// the items of a list as far as they are indented. What is not what it seems,
// such as a key that comes from an anchor, is refused.

// sheet is a page as bytes: the block with its fields, and the body.
type sheet struct {
	path  Path
	src   string
	page  *Page // the front matter as read
	eol   string
	found bool // there is a block
	loose bool // it is no YAML and was read line by line

	block  span // the lines between the fences
	body   int  // where the body begins
	fields []field
	counts []bool // whether the field of this number is read: not where its key stood before
	lines  []int  // where line n of the file begins, for those of the block: lines[n-2]
}

func readSheet(path Path, src string, words *relationWords) *sheet {
	s := &sheet{path: path, src: src, eol: lineEnding(src), page: &Page{Path: path, BodyLine: 1, Status: "active", words: words}}
	bom := len(src) - len(strings.TrimPrefix(src, "\uFEFF"))
	s.body = bom
	text, found := s.page.cutBody(s.page.decode([]byte(src)))
	if !found {
		return s
	}
	f, _, _ := splitFrontMatter(src[bom:])
	s.found, s.block, s.body = true, span{bom + f.start, bom + f.end}, bom+f.body
	s.fields = s.page.readBlock(text)
	s.page.apply(s.fields)
	s.page.checkConflict(text)
	seen := map[string]bool{}
	for _, f := range s.fields {
		s.counts = append(s.counts, !seen[spelling(f.key)])
		seen[spelling(f.key)] = true
	}
	s.loose = s.has(CodeYAML) || s.has(CodeTooLarge)
	for at := s.block.from; at < s.block.to; at = s.next(at) {
		s.lines = append(s.lines, at)
	}
	return s
}

// lineEnding is that of the first line.
func lineEnding(src string) string {
	if i := strings.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

func (s *sheet) has(code string) bool {
	for _, pr := range s.page.Problems {
		if pr.Code == code {
			return true
		}
	}
	return false
}

func (s *sheet) refuse(line int, format string, args ...any) error {
	return fmt.Errorf("%w: %s: line %d: %s", ErrSplice, s.path, line, fmt.Sprintf(format, args...))
}

// lineOf is the number of the line in which the byte at stands.
func (s *sheet) lineOf(at int) int { return 1 + strings.Count(s.src[:at], "\n") }

// editable refuses blocks in which no key can be found for certain.
func (s *sheet) editable() error {
	if err := s.sound(); err != nil {
		return err
	}
	for i, at := range s.lines {
		if t := strings.TrimSpace(s.line(at)); t != "" && t[0] != '#' {
			if t[0] == '{' {
				return s.refuse(i+2, "the front matter is one {…}; write a key a line")
			}
			break
		}
	}
	return nil
}

// sound refuses blocks whose lines and bytes are not what the reader saw.
func (s *sheet) sound() error {
	if s.has(CodeUnclosed) {
		return s.refuse(1, "the front matter is never closed; add a line --- after the last key")
	}
	if !s.found {
		return s.doubtful()
	}
	block := s.block.in(s.src)
	if !utf8.ValidString(block) {
		return s.refuse(s.lineOf(s.block.from+len(block[:validPrefix(block)])), "the front matter is not UTF-8")
	}
	if !s.loose {
		if at := strangeBreak(block); at >= 0 {
			return s.refuse(s.lineOf(s.block.from+at), "a line break that is neither LF nor CRLF")
		}
	}
	for i, at := range s.lines {
		line := s.line(at)
		if conflictMark(line) != 0 {
			return s.refuse(i+2, "an unresolved merge conflict")
		}
	}
	return nil
}

// doubtful refuses a page that has no front matter to the reader, but has to
// a person: a block put before it would be the second.
func (s *sheet) doubtful() error {
	rest := s.src[s.body:]
	f, _, closed := splitFrontMatter(rest)
	if !closed {
		return nil
	}
	keys, blank := false, false
	for line := range strings.Lines(rest[f.start:f.end]) {
		line = strings.TrimRight(line, " \t\r\n")
		if blank = blank || line == ""; line != "" {
			_, _, isKey := splitKey(line)
			keys = keys || isKey
		}
	}
	if keys && !blank {
		return s.refuse(2, "what stands between the first two --- may be meant as front matter; if not, put a blank line below the first")
	}
	return nil
}

func validPrefix(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i
			}
		}
	}
	return len(s)
}

// strangeBreak finds what YAML, but nobody else, takes for the end of a line:
// after it the readers count lines that an editor does not.
func strangeBreak(s string) int {
	for i, r := range s {
		if r == '\r' && !strings.HasPrefix(s[i:], "\r\n") || r == 0x85 || r == 0x2028 || r == 0x2029 {
			return i
		}
	}
	return -1
}

// line gives the line that begins at, without its end.
func (s *sheet) line(at int) string {
	line, _, _ := strings.Cut(s.src[at:s.block.to], "\n")
	return strings.TrimSuffix(line, "\r")
}

// next is where the line after the one of byte at begins.
func (s *sheet) next(at int) int {
	if i := strings.IndexByte(s.src[at:s.block.to], '\n'); i >= 0 {
		return at + i + 1
	}
	return s.block.to
}

// start is where the line of a field begins.
func (s *sheet) start(line int) (int, error) {
	if line < 2 || line-2 >= len(s.lines) {
		return 0, s.refuse(line, "the value stands elsewhere")
	}
	return s.lines[line-2], nil
}

// place is where one key stands.
type place struct {
	field
	at    int  // the key begins
	col   int  // and in this column
	colon int  // ends
	value span // what stands on the key's line and belongs to the value, to its very end unless lines follow below
	end   int  // the line after the last begins
}

// place finds a key of the block.
func (s *sheet) place(f field) (place, error) {
	at, err := s.start(f.line)
	if err != nil {
		return place{}, err
	}
	return s.placeAt(f, at, 0)
}

// placeAt finds the key f in the line that begins at, from column col on.
func (s *sheet) placeAt(f field, at, col int) (place, error) {
	pl := place{field: f, at: at + col, col: col}
	line := s.line(at)
	if col > len(line) {
		return pl, s.refuse(f.line, "the key %s is not where it seems to be", f.key)
	}
	key, n, ok := cutKey(strings.TrimRight(line[col:], " \t"))
	if !ok || key != f.key {
		return pl, s.refuse(f.line, "the key %s is not written as a key at the begin of its line", f.key)
	}
	pl.colon = pl.at + n
	rest := line[col+n:]
	pl.value.from = pl.colon + len(rest) - len(strings.TrimLeft(rest, " \t"))
	return pl, s.extent(&pl, at+len(line))
}

// cutKey reads the key that a line begins with and gives the length up to and
// with its colon.
func cutKey(line string) (key string, n int, ok bool) {
	if line == "" {
		return "", 0, false
	}
	if line[0] == '"' || line[0] == '\'' {
		key, rest, ok := quoted(line)
		if !ok || rest == "" || rest[0] != ':' {
			return "", 0, false
		}
		return key, len(line) - len(rest) + 1, true
	}
	key, _, ok = splitKey(line)
	return strings.TrimSpace(key), len(key) + 1, ok
}

// extent finds where the value ends; stop is the end of the key's line.
func (s *sheet) extent(pl *place, stop int) error {
	from := pl.value.from
	switch {
	case from == stop || s.src[from] == '#' && from > pl.colon:
		pl.value = span{pl.colon, pl.colon}
		pl.end = s.below(s.next(stop), pl.col, pl.val.kind == list, false)
		return nil
	case s.loose:
		if s.src[from] == '[' || s.src[from] == '{' { // of several lines; the last one need not be indented
			if to, _, ok := s.valueEnd(from, pl.col); ok && to > stop && isComment(s.line(to)) {
				pl.value.to, pl.end = to, s.next(to)
				return nil
			}
		}
		pl.value.to = from + len(strings.TrimRight(s.src[from:stop], " \t"))
		pl.end = s.below(s.next(stop), pl.col, false, strings.IndexByte("|>", s.src[from]) >= 0)
		return nil
	}
	to, below, ok := s.valueEnd(from, pl.col)
	if !ok {
		return s.refuse(pl.line, "the value of %s does not end where it seems to", pl.key)
	}
	pl.value.to = to
	if rest := s.line(to); strings.TrimSpace(rest) != "" && !isComment(rest) {
		return s.refuse(pl.line, "something follows the value of %s", pl.key)
	}
	if pl.end = s.next(to); below {
		pl.end = s.below(pl.end, pl.col, pl.val.kind == list, strings.IndexByte("|>", s.src[from]) >= 0)
	}
	return nil
}

func isComment(rest string) bool {
	t := strings.TrimLeft(rest, " \t")
	return t == "" || t[0] == '#' && len(t) < len(rest)
}

// valueEnd finds the end of the value that begins at; below says that more of
// it may stand on the lines that follow.
func (s *sheet) valueEnd(at, col int) (end int, below, ok bool) {
	switch s.src[at] {
	case '"', '\'':
		end = quotedEnd(s.src[:s.block.to], at)
		return end, false, end > 0
	case '[', '{':
		_, shut, ok := flowSpans(s.src[:s.block.to], at)
		return shut + 1, false, ok
	case '|', '>', '&', '!': // an indicator, or a property before the value
		word, _, _ := strings.Cut(s.line(at), " ")
		word = strings.TrimRight(word, "\t")
		after := s.line(at + len(word))
		if strings.TrimSpace(after) == "" || isComment(after) {
			return at + len(word), true, true
		}
		if s.src[at] == '|' || s.src[at] == '>' {
			return 0, false, false
		}
		return s.valueEnd(at+len(word)+len(after)-len(strings.TrimLeft(after, " \t")), col)
	}
	return s.plainEnd(at, col), false, true
}

// plainEnd is the end of a scalar without quotes, which goes on over deeper
// lines until a comment.
func (s *sheet) plainEnd(at, col int) int {
	for {
		line := s.line(at)
		text, _, commented := strings.Cut(line, " #")
		if k := strings.Index(text, "\t#"); k >= 0 {
			text, commented = text[:k], true
		}
		end := at + len(strings.TrimRight(text, " \t"))
		if commented {
			return end
		}
		at = s.next(at)
		for at < s.block.to && strings.TrimSpace(s.line(at)) == "" {
			at = s.next(at)
		}
		if at >= s.block.to {
			return end
		}
		line = s.line(at)
		if in := indentation(line); in <= col || line[in] == '#' {
			return end
		}
	}
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// below is where the lines end that, from at on, belong to a key in column
// col: what is indented more, and items in the same column. Blank lines and
// comments after the last of them are nobody's; in a block scalar nothing
// that is indented is a comment.
func (s *sheet) below(at, col int, items, literal bool) int {
	end := at
	for at < s.block.to {
		line := s.line(at)
		in := indentation(line)
		at = s.next(at)
		switch rest := line[in:]; {
		case rest == "":
		case rest[0] == '#' && !(literal && in > col):
		case in > col, in == col && items && isItem(rest):
			end = at
		default:
			return end
		}
	}
	return end
}

// quotedEnd is the byte after the quote that closes the one at i, 0 if none
// does.
func quotedEnd(src string, i int) int {
	q := src[i]
	for i++; i < len(src); i++ {
		switch {
		case src[i] == '\\' && q == '"':
			i++
		case src[i] == q && q == '\'' && i+1 < len(src) && src[i+1] == '\'':
			i++
		case src[i] == q:
			return i + 1
		}
	}
	return 0
}

// flowSpans finds the entries of the [list] or {map} that begins at i, and
// the bracket that closes it.
func flowSpans(src string, i int) (entries []span, shut int, ok bool) {
	depth, from, to, last := 0, -1, 0, byte(0) // to: behind last, the last byte that is neither blank nor comment
	cut := func() {
		if from >= 0 {
			entries = append(entries, span{from, to})
		}
		from = -1
	}
	for ; i < len(src); i++ {
		c := src[i]
		if depth == 1 && from < 0 && c != ',' && c != ']' && c != '}' && strings.IndexByte(" \t\r\n#", c) < 0 {
			from = i
		}
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '"', '\'':
			if strings.IndexByte("[{,:", last) >= 0 {
				if i = quotedEnd(src, i) - 1; i < 0 {
					return nil, 0, false
				}
			}
		case '#':
			if prev := src[i-1]; prev == ' ' || prev == '\t' || prev == '\n' {
				if k := strings.IndexByte(src[i:], '\n'); k >= 0 {
					i += k
					continue
				}
				return nil, 0, false
			}
		case '[', '{':
			depth++
		case ',':
			if depth == 1 {
				cut()
			}
		case ']', '}':
			if depth == 1 {
				cut()
				return entries, i, true
			}
			depth--
		}
		last, to = c, i+1
	}
	return nil, 0, false
}
