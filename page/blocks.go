package page

import "strings"

// The block starts that are not paragraphs or list markers: headings, fences,
// rules, tables, definitions, raw HTML, mathematics.

// special takes the line, or several, if it is one of them.
func (s *scanner) special(pos, i, end, next, col int) (int, bool) {
	switch s.src[i] {
	case '#':
		return s.atx(pos, i, end, next)
	case '`', '~':
		return s.fence(pos, i, end, next)
	case '!', '?':
		return s.admonition(pos, i, end, next, col)
	case '=', '-', '*', '_':
		if strings.HasPrefix(s.src[i:end], `=== "`) {
			return s.admonition(pos, i, end, next, col)
		}
		if s.underline(i, end, col) {
			s.line++
			return next, true
		}
		if s.src[i] == '-' && s.delimiterRow(i, end) || isRule(s.src[i:end]) {
			return s.rule(i, end, next), true
		}
	case ':':
		if s.delimiterRow(i, end) {
			return s.rule(i, end, next), true
		}
	case '|':
		if s.delimiterRow(i, end) {
			return s.rule(i, end, next), true
		}
		s.tableRow(pos, i, end)
		return next, true
	case '[':
		return s.definition(pos, i, end, next)
	case '<':
		return s.rawHTML(pos, i, end, next)
	case '$':
		return s.mathBlock(pos, i, end, next)
	}
	if s.table && strings.IndexByte(s.src[i:end], '|') >= 0 {
		s.tableRow(pos, i, end)
		return next, true
	}
	return 0, false
}

// atx reads `## Title ##`.
func (s *scanner) atx(pos, i, end, next int) (int, bool) {
	j := i
	for j < end && s.src[j] == '#' {
		j++
	}
	level := j - i
	if level > 6 || j < end && s.src[j] != ' ' && s.src[j] != '\t' {
		return 0, false
	}
	s.flush()
	s.table = false
	if i == pos {
		s.lists = s.lists[:0]
	}
	j, _ = s.indent(j, end, 0)
	stop := end
	for stop > j && (s.src[stop-1] == ' ' || s.src[stop-1] == '\t') {
		stop--
	}
	k := stop
	for k > j && s.src[k-1] == '#' {
		k--
	}
	if k == j || k > j && (s.src[k-1] == ' ' || s.src[k-1] == '\t') {
		stop = k
	}
	s.addHeading(level, block{start: int32(pos), end: int32(end), line: s.line}, j, s.beforeAttributes(j, stop))
	s.line++
	return next, true
}

// beforeAttributes cuts `{#id .class}` off a heading.
func (s *scanner) beforeAttributes(i, end int) int {
	t := strings.TrimRight(s.src[i:end], " ")
	if !strings.HasSuffix(t, "}") {
		return end
	}
	k := strings.LastIndexByte(t, '{')
	if k > 0 && k+1 < len(t) && (t[k+1] == '#' || t[k+1] == '.' || t[k+1] == ':') {
		return i + k
	}
	return end
}

func (s *scanner) addHeading(level int, b block, i, end int) bool {
	b.kind = heading
	if !s.emit(b, i, end) {
		return false
	}
	parent := int32(len(s.heads)) - 1
	for parent >= 0 && s.heads[parent].level >= uint8(level) {
		parent = s.heads[parent].parent
	}
	s.heads = append(s.heads, head{int32(len(s.blocks)) - 1, uint8(level), parent})
	s.head = int32(len(s.heads)) - 1
	return true
}

// underline makes the open paragraph a heading when the line is `===` or
// `---`. More than three lines above it are taken for a text with a rule.
func (s *scanner) underline(i, end, col int) bool {
	c := s.src[i]
	if !s.open || s.lines == 0 || s.lines > 3 || c != '=' && c != '-' || s.table {
		return false
	}
	if s.cur.kind == item && (len(s.lists) == 0 || col < s.lists[len(s.lists)-1]) {
		return false
	}
	t := strings.TrimRight(s.src[i:end], " \t")
	if strings.Trim(t, string(rune(c))) != "" {
		return false
	}
	level := 1
	if c == '-' {
		level = 2
	}
	b := s.cur
	from, to := s.from, int(b.end)
	b.end = int32(end)
	s.open = false
	s.addHeading(level, b, from, to)
	return true
}

// isRule reports a thematic break: three or more of one of - * _, blanks
// between them allowed.
func isRule(line string) bool {
	n := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case line[0]:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

// delimiterRow reports `|---|:-:|`: dashes, colons, bars.
func (s *scanner) delimiterRow(i, end int) bool {
	bar, dash := false, false
	for ; i < end; i++ {
		switch s.src[i] {
		case '|':
			bar = true
		case '-':
			dash = true
		case ':', ' ', '\t', '+':
		default:
			return false
		}
	}
	return bar && dash
}

// rule drops the line; one that divides the head of a table from its rows
// makes rows of what follows.
func (s *scanner) rule(i, end, next int) int {
	table := s.delimiterRow(i, end)
	s.flush()
	s.table = table
	s.line++
	return next
}

// admonition reads the containers of MkDocs (`!!! note "Title"`, `??? tip`,
// `=== "Tab"`): what is indented below them is text, not code.
func (s *scanner) admonition(pos, i, end, next, col int) (int, bool) {
	if end-i < 5 || s.src[i+1] != s.src[i] || s.src[i+2] != s.src[i] || s.src[i+3] != ' ' && s.src[i+3] != '+' {
		return 0, false
	}
	s.flush()
	s.popLists(col)
	s.lists = append(s.lists, col+4)
	title := i + 3
	if k := strings.IndexByte(s.src[i:end], '"'); k > 0 {
		title = i + k
	}
	s.begin(paragraph, pos, title)
	next = s.extend(end, next)
	s.flush()
	return next, true
}

func (s *scanner) tableRow(pos, i, end int) {
	s.flush()
	s.inRow = true
	s.emit(block{kind: row, start: int32(pos), end: int32(end), line: s.line, head: s.head}, i, end)
	s.inRow = false
	s.line++
}

// fence reads a fenced block to its closing fence, or to the end of the page
// or quote.
func (s *scanner) fence(pos, i, end, next int) (int, bool) {
	c := s.src[i]
	j := i
	for j < end && s.src[j] == c {
		j++
	}
	n := j - i
	info := strings.TrimSpace(s.src[j:end])
	if n < 3 || c == '`' && strings.IndexByte(info, '`') >= 0 {
		return 0, false
	}
	b := s.beginCode(pos)
	// The language is a name for the highlighter; what follows it is a title
	// or a file name, which people search for.
	if _, rest, ok := strings.Cut(info, " "); ok {
		s.out = append(append(s.out, strings.Trim(rest, "{} ")...), '\n')
	}
	opened := s.line
	s.line++
	at := next
	for at < len(s.src) {
		end, next := s.lineEnd(at)
		k, inQuote := s.unquote(at, end)
		if !inQuote {
			return s.endCode(b, at), true
		}
		s.line++
		if s.closes(k, end, c, n) {
			return s.endCode(b, next), true
		}
		s.copyLine(k, end)
		at = next
	}
	if s.quote == 0 {
		s.problems = append(s.problems, Problem{int(opened), CodeFence, "the code fence is never closed", "add a line " + strings.Repeat(string(rune(c)), n)})
	}
	return s.endCode(b, at), true
}

// unquote passes over the > of the quote the block stands in; false when the
// line has too few of them.
func (s *scanner) unquote(i, end int) (int, bool) {
	for q := 0; q < s.quote; q++ {
		j, _ := s.indent(i, end, 0)
		if j == end || s.src[j] != '>' {
			return i, false
		}
		i = j + 1
		if i < end && s.src[i] == ' ' {
			i++
		}
	}
	return i, true
}

func (s *scanner) closes(i, end int, c byte, n int) bool {
	i, _ = s.indent(i, end, 0)
	j := i
	for j < end && s.src[j] == c {
		j++
	}
	return j-i >= n && strings.TrimRight(s.src[j:end], " \t") == ""
}

func (s *scanner) beginCode(pos int) block {
	s.flush()
	s.table = false
	return block{kind: code, start: int32(pos), line: s.line, head: s.head,
		t0: int32(len(s.out)), seg: int32(len(s.segs))}
}

func (s *scanner) copyLine(i, end int) {
	if n := len(s.segs); n == 0 || int(s.segs[n-1].body)-int(s.segs[n-1].text) != i-len(s.out) {
		s.mark(i)
	}
	s.out = append(append(s.out, s.src[i:end]...), '\n')
}

// endCode keeps the block unless it is blank, and gives where to go on.
func (s *scanner) endCode(b block, at int) int {
	b.end, b.t1 = int32(at), int32(len(s.out))
	for b.end > b.start && (s.src[b.end-1] == '\n' || s.src[b.end-1] == '\r') {
		b.end--
	}
	if strings.TrimSpace(string(s.out[b.t0:])) == "" {
		s.drop(b)
		return at
	}
	if int(b.seg) == len(s.segs) || s.segs[b.seg].text != b.t0 {
		s.segs = append(s.segs, seg{})
		copy(s.segs[b.seg+1:], s.segs[b.seg:])
		s.segs[b.seg] = seg{b.t0, b.start}
	}
	b.t1-- // the last line break belongs to the buffer, not to the block
	s.blocks = append(s.blocks, b)
	return at
}

// indentedCode reads lines indented by four columns more than the text
// around them, blank lines between them included.
func (s *scanner) indentedCode(pos, i, end, next int) int {
	b := s.beginCode(pos)
	base := 0
	if n := len(s.lists); n > 0 {
		base = s.lists[n-1]
	}
	at := next
	s.copyLine(i, end)
	s.line++
	for at < len(s.src) {
		end, next := s.lineEnd(at)
		k, ok := s.unquote(at, end)
		k, col := s.indent(k, end, 0)
		if !ok || k == end || col-base < 4 {
			break
		}
		s.copyLine(k, end)
		s.line++
		at = next
	}
	return s.endCode(b, at)
}

var rawTags = [...]string{"pre", "script", "style", "textarea"}

// rawHTML reads <pre>, <script>, <style> and <textarea> as code.
func (s *scanner) rawHTML(pos, i, end, next int) (int, bool) {
	for n, name := range rawTags {
		stop := i + 1 + len(name)
		if stop > end || !strings.EqualFold(s.src[i+1:stop], name) || stop < end && isWord(s.src[stop]) || s.noRaw&(1<<n) != 0 {
			continue
		}
		k := indexFold(s.src[stop:], "</"+name)
		if k < 0 {
			s.noRaw |= 1 << n
			return 0, false
		}
		close, after := s.lineEnd(stop + k)
		b := s.beginCode(pos)
		for at := i; at < after; {
			e, n := s.lineEnd(at)
			s.copyLine(at, e)
			s.line++
			at = n
		}
		return s.endCode(b, max(after, close)), true
	}
	return 0, false
}

// indexFold is strings.Index for an ASCII needle in lower case that begins
// with a sign.
func indexFold(s, needle string) int {
	for at := 0; ; {
		k := strings.IndexByte(s[at:], needle[0])
		if k < 0 || at+k+len(needle) > len(s) {
			return -1
		}
		if strings.EqualFold(s[at+k:at+k+len(needle)], needle) {
			return at + k
		}
		at += k + 1
	}
}

// mathBlock reads `$$` … `$$` over several lines as code.
func (s *scanner) mathBlock(pos, i, end, next int) (int, bool) {
	if end-i < 2 || s.src[i+1] != '$' || strings.Contains(s.src[i+2:end], "$$") {
		return 0, false
	}
	k := strings.Index(s.src[end:], "$$")
	if k < 0 || strings.Contains(s.src[end:end+k], "\n\n") {
		return 0, false
	}
	b := s.beginCode(pos)
	_, after := s.lineEnd(end + k)
	for at := i; at < after; {
		e, n := s.lineEnd(at)
		s.copyLine(at, e)
		s.line++
		at = n
	}
	return s.endCode(b, after), true
}

// definition drops `[label]: destination` and the mark of a footnote.
func (s *scanner) definition(pos, i, end, next int) (int, bool) {
	label, _, ok := cutDefinition(s.src[i:end])
	if !ok {
		return 0, false
	}
	if label[0] == '^' {
		s.flush()
		from, _ := s.indent(i+len(label)+3, end, 0)
		s.begin(paragraph, pos, from)
		return s.extend(end, next), true
	}
	// CommonMark wants a blank line before it; people forget it.
	if _, known := s.defs[foldLabel(label)]; !known {
		return 0, false
	}
	s.flush()
	s.line++
	return next, true
}

// cutDefinition reads `[label]: destination "title"`.
func cutDefinition(line string) (label, dest string, ok bool) {
	k := strings.Index(line, "]:")
	if k < 2 || line[0] != '[' || k > 1000 || strings.IndexByte(line[1:k], '[') >= 0 {
		return "", "", false
	}
	label = line[1:k]
	dest = strings.TrimSpace(line[k+2:])
	if label[0] == '^' {
		return label, "", true
	}
	if strings.HasPrefix(dest, "<") {
		if e := strings.IndexByte(dest, '>'); e > 0 {
			return label, dest[1:e], true
		}
	}
	d, title, more := strings.Cut(dest, " ")
	if d == "" || more && !strings.ContainsRune(`"'(`, rune(strings.TrimSpace(title)[0])) {
		return "", "", false
	}
	return label, d, true
}

// definitions collects the link reference definitions outside of fences; they
// may stand below their use, so they are looked for first.
func definitions(src string) map[string]span {
	var defs map[string]span
	fence := ""
	at := 0 // where the next line begins
	for line := range strings.Lines(src) {
		at += len(line)
		t := strings.Trim(line, " \t\r\n>")
		if len(t) >= 3 && (t[0] == '`' || t[0] == '~') && t[1] == t[0] && t[2] == t[0] {
			if fence == "" {
				fence = t[:3]
			} else if strings.HasPrefix(t, fence) {
				fence = ""
			}
			continue
		}
		if fence != "" || len(t) < 5 || t[0] != '[' {
			continue
		}
		label, dest, ok := cutDefinition(t)
		if !ok || label[0] == '^' {
			continue
		}
		if defs == nil {
			defs = map[string]span{}
		}
		if l := foldLabel(label); defs[l].to == 0 {
			from := at - len(line) + strings.Index(line, "]:") + 2
			from += strings.Index(src[from:], dest) // nothing but blanks and < before it
			defs[l] = span{from, from + len(dest)}
		}
	}
	return defs
}

// foldLabel is the form in which labels of references are compared.
func foldLabel(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(s), " "))
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}
