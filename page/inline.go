package page

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Inline marks. What a reader sees is copied: labels of links, alternative
// texts of images, code spans; what only steers the layout is skipped:
// emphasis, tags, destinations. A mark that has no partner is text.

// stops marks the bytes at which plain copying ends.
var stops = func() (t [256]bool) {
	for _, c := range "\n\r`*_~=\\&<[!@#$%{|" {
		t[c] = true
	}
	return t
}()

// maxLabels bounds labels within labels.
const maxLabels = 16

// inline copies the text of src[i:end] to the buffer.
func (s *scanner) inline(i, end int) {
	for i < end {
		j := i
		for j < end && !stops[s.src[j]] {
			j++
		}
		s.out = append(s.out, s.src[i:j]...)
		if j == end {
			return
		}
		i = s.inlineMark(j, end)
	}
}

// inlineMark handles the special byte at i and gives where to go on; the text
// stays in step with the body unless bytes were skipped.
func (s *scanner) inlineMark(i, end int) int {
	j := i
	switch s.src[i] {
	case '\n', '\r':
		j = s.lineBreak(i, end)
	case '`':
		j = s.codeSpan(i, end)
	case '*', '_':
		j = s.emphasis(i, end)
	case '~', '=':
		j = s.doubled(i, end)
	case '\\':
		j = s.escape(i, end)
	case '&':
		j = s.entity(i, end)
	case '<':
		j = s.angle(i, end)
	case '[':
		j = s.bracket(i, end)
	case '!':
		if i+1 < end && s.src[i+1] == '[' {
			j = s.image(i, end)
		}
	case '@':
		s.mention(i, end)
	case '#':
		s.hashTag(i, end)
	case '$':
		j = s.math(i, end)
	case '%':
		j = s.comment(i, end, "%%", "%%", nil)
	case '{':
		j = s.comment(i, end, "{/*", "*/}", &s.unshut[0])
	case '|':
		if s.inRow {
			s.blank()
			j, _ = s.indent(i+1, end, 0)
		}
	}
	if j == i { // not a mark after all
		s.out = append(s.out, s.src[i])
		return i + 1
	}
	if n := len(s.out); n == int(s.cur.t0) || s.out[n-1] == ' ' {
		j, _ = s.indent(j, end, 0) // no block begins with a blank, no two follow one another
	}
	s.mark(j)
	return j
}

// blank separates words, once.
func (s *scanner) blank() {
	if n := len(s.out); n > int(s.cur.t0) && s.out[n-1] != ' ' {
		s.out = append(s.out, ' ')
	}
}

// lineBreak passes over the break and the marks of the quote on the next
// line; between characters that are written without blanks nothing remains.
func (s *scanner) lineBreak(i, end int) int {
	if s.src[i] == '\r' && (i+1 == end || s.src[i+1] != '\n') {
		return i
	}
	s.trimRight(int(s.cur.t0))
	for i < end {
		c := s.src[i]
		if c != '\n' && c != '\r' && c != ' ' && c != '\t' && (c != '>' || s.quote == 0) {
			break
		}
		i++
	}
	if i < end && !s.joins(i) {
		s.blank()
	}
	return i
}

func (s *scanner) codeSpan(i, end int) int {
	j := i
	for j < end && s.src[j] == '`' {
		j++
	}
	n := j - i
	if n < 64 && s.ticks&(1<<n) != 0 {
		s.out = append(s.out, s.src[i:j]...)
		return j
	}
	for k := j; k < end; {
		p := strings.IndexByte(s.src[k:end], '`')
		if p < 0 {
			break
		}
		k += p
		e := k
		for e < end && s.src[e] == '`' {
			e++
		}
		if e-k == n {
			s.copySpan(j, k)
			return e
		}
		k = e
	}
	if n < 64 && s.depth == 0 {
		s.ticks |= 1 << n
	}
	s.out = append(s.out, s.src[i:j]...)
	return j
}

// copySpan copies the content of a code span as it is, but for the blank that
// pads it and for line breaks.
func (s *scanner) copySpan(i, end int) {
	if end-i > 2 && s.src[i] == ' ' && s.src[end-1] == ' ' {
		i, end = i+1, end-1
	}
	t0 := len(s.out)
	s.mark(i)
	for ; i < end; i++ {
		switch c := s.src[i]; {
		case c == '\n':
			k := s.lineBreak(i, end)
			s.mark(k)
			i = k - 1
		case c == '\\' && s.inRow && i+1 < end && s.src[i+1] == '|':
			s.mark(i + 1)
		default:
			s.out = append(s.out, c)
		}
	}
	if len(s.out) > t0 {
		s.inlines = append(s.inlines, [2]int32{int32(t0), int32(len(s.out))})
	}
}

// emphasis drops a run of * or _ that leans on a word. A lone * or any _ with
// word characters on both sides is part of a name: snake_case, 2*3.
func (s *scanner) emphasis(i, end int) int {
	c := s.src[i]
	j := i + 1
	for j < end && s.src[j] == c {
		j++
	}
	left, right := i > 0 && isWordAt(s.src, i-1), j < end && isWordAt(s.src, j)
	openBlank := i == 0 || s.src[i-1] == ' ' || s.src[i-1] == '\n'
	closeBlank := j == end || s.src[j] == ' ' || s.src[j] == '\n'
	switch {
	case openBlank && closeBlank, j-i > 3:
		return s.keep(i, j)
	case left && right && (c == '_' || j-i == 1):
		return s.keep(i, j)
	}
	return j
}

// keep copies a run of marks and says that nothing was skipped.
func (s *scanner) keep(i, j int) int {
	s.out = append(s.out, s.src[i:j]...)
	return j
}

// isWordAt reports an ASCII word character: emphasis between characters of
// other scripts is emphasis.
func isWordAt(src string, i int) bool { return isWord(src[i]) }

// doubled drops ~~ and == that lean on a word on one side.
func (s *scanner) doubled(i, end int) int {
	c := s.src[i]
	j := i + 1
	for j < end && s.src[j] == c {
		j++
	}
	if j-i != 2 {
		return s.keep(i, j)
	}
	solid := func(k int) bool { return k >= 0 && k < end && s.src[k] > ' ' }
	if !solid(i-1) && !solid(j) || c == '=' && solid(i-1) && solid(j) && isWord(s.src[i-1]) && isWord(s.src[j]) {
		return s.keep(i, j)
	}
	return j
}

func (s *scanner) escape(i, end int) int {
	if i+1 >= end {
		return i
	}
	switch c := s.src[i+1]; {
	case c == '\n' || c == '\r':
		return i + 1 // a hard line break
	case c > ' ' && c < 0x7f && !isWord(c) || c == '_':
		s.mark(i + 1)
		s.out = append(s.out, c)
		return i + 2
	}
	return i
}

func (s *scanner) entity(i, end int) int {
	k := strings.IndexByte(s.src[i:min(end, i+34)], ';')
	if k < 2 {
		return i
	}
	raw := s.src[i : i+k+1]
	for _, c := range []byte(raw[1:k]) {
		if !isWord(c) && c != '#' {
			return i
		}
	}
	decoded := html.UnescapeString(raw)
	if decoded == raw || decoded == "\x00" {
		return i
	}
	if decoded == "\u00a0" {
		decoded = " "
	}
	s.out = append(s.out, decoded...)
	return i + k + 1
}

// comment passes over open…shut and keeps the place: what people hide is
// still worth finding, with the low weight of code. unshut remembers where
// there was no end.
func (s *scanner) comment(i, end int, open, shut string, unshut *int) int {
	if !strings.HasPrefix(s.src[i:end], open) || unshut != nil && *unshut == end {
		return i
	}
	from := i + len(open)
	k := strings.Index(s.src[from:end], shut)
	if k < 0 {
		if unshut != nil {
			*unshut = end
		}
		return i
	}
	if k > 0 {
		s.hidden = append(s.hidden, [2]int32{int32(from), int32(from + k)})
	}
	return from + k + len(shut)
}

// math copies $…$ as it is: its underscores and brackets are not marks. A
// price is no formula, so the dollars must lean on what they enclose.
func (s *scanner) math(i, end int) int {
	n := 1
	if i+1 < end && s.src[i+1] == '$' {
		n = 2
	}
	from := i + n
	if from >= end || n == 1 && (s.src[from] == ' ' || s.src[from] == '\n') {
		return s.keep(i, min(from, end))
	}
	k := strings.Index(s.src[from:end], "$$"[:n])
	if k <= 0 {
		return s.keep(i, from)
	}
	to := from + k
	if n == 1 && (s.src[to-1] == ' ' || to+1 < end && isWord(s.src[to+1]) || strings.IndexByte(s.src[from:to], '\n') >= 0 || strings.IndexByte(s.src[from:to], '`') >= 0) {
		return s.keep(i, from)
	}
	s.mark(from)
	for at := from; at < to; at++ {
		if s.src[at] == '\n' {
			k := s.lineBreak(at, to)
			s.mark(k)
			at = k - 1
			continue
		}
		s.out = append(s.out, s.src[at])
	}
	return to + n
}

// angle handles autolinks, comments and tags.
func (s *scanner) angle(i, end int) int {
	if strings.HasPrefix(s.src[i:end], "<!--") {
		return s.comment(i, end, "<!--", "-->", &s.unshut[1])
	}
	if i+2 >= end || i > 0 && isWord(s.src[i-1]) && !tagLike(s.src[i:end]) {
		return i
	}
	c := s.src[i+1]
	if c != '/' && c != '!' && c != '?' && !(isWord(c) && c > '9' && c != '_') {
		return i
	}
	k := tagEnd(s.src, i, end)
	if k < 0 {
		return i
	}
	inner := s.src[i+1 : k]
	if !strings.ContainsAny(inner, " \n\t<") && (strings.Contains(inner, ":") && hasScheme(inner) || strings.Contains(inner, "@")) {
		s.mark(i + 1)
		s.out = append(s.out, inner...)
		return k + 1
	}
	name := tagName(inner)
	if name == "" {
		return i
	}
	lower := strings.ToLower(name)
	if !htmlTags[lower] && lower == name && !strings.ContainsAny(name, "-:") {
		return i // <file>: a placeholder, not a tag
	}
	if !inlineTags[lower] {
		s.blank()
	}
	s.attributes(inner)
	return k + 1
}

// tagLike tells `text<br>` from `vector<int>`.
func tagLike(t string) bool {
	name := tagName(t[1:])
	return name != "" && htmlTags[strings.ToLower(name)]
}

// maxTag bounds the length of a tag.
const maxTag = 4096

// tagEnd finds the > of the tag at i, passing over quoted values.
func tagEnd(src string, i, end int) int {
	end = min(end, i+maxTag)
	var quote byte
	for k := i + 1; k < end; k++ {
		switch c := src[k]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && src[k-1] == '=':
			quote = c
		case c == '>':
			return k
		case c == '<':
			return -1
		}
	}
	return -1
}

// tagName is the name in `name attr=…` or `/name`, "" when it is none.
func tagName(inner string) string {
	inner = strings.TrimPrefix(inner, "/")
	k := 0
	for k < len(inner) && (isWord(inner[k]) || k > 0 && (inner[k] == '-' || inner[k] == '.' || inner[k] == ':')) {
		k++
	}
	if k == 0 || k > 64 || k < len(inner) && strings.IndexByte(" \t\r\n/>", inner[k]) < 0 {
		return ""
	}
	return inner[:k]
}

// attributes keeps the values that are shown or read aloud.
func (s *scanner) attributes(inner string) {
	for _, name := range [...]string{"alt=", "title=", "alt-text="} {
		k := strings.Index(inner, name)
		if k < 1 || isWord(inner[k-1]) || inner[k-1] == '-' {
			continue
		}
		v := inner[k+len(name):]
		if len(v) < 2 || v[0] != '"' && v[0] != '\'' {
			continue
		}
		if e := strings.IndexByte(v[1:], v[0]); e > 0 {
			s.blank()
			s.out = append(append(s.out, v[1:e+1]...), ' ')
		}
	}
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// inlineTags do not separate words: H<sub>2</sub>O.
var inlineTags = set("a abbr b bdi bdo big cite code del dfn em font i ins kbd mark q rp rt ruby s samp small span strike strong sub sup tt u var wbr")

var htmlTags = set(`a abbr address area article aside audio b base bdi bdo big blockquote body br button canvas caption center cite code
	col colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form frame frameset h1 h2 h3
	h4 h5 h6 head header hr html i iframe img input ins kbd label legend li link main map mark meta meter nav noscript object ol optgroup option
	output p param picture pre progress q rp rt ruby s samp script section select small source span strike strong style sub summary sup svg
	table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr path g rect circle line`)

// mention notes @slug; the text stays.
func (s *scanner) mention(i, end int) {
	if i > 0 {
		before, _ := utf8.DecodeLastRuneInString(s.src[:i])
		if before < utf8.RuneSelf && strings.IndexByte(" \n\r\t([{\"'*_>|~,;:!?", byte(before)) < 0 ||
			before >= utf8.RuneSelf && (unicode.IsLetter(before) || unicode.IsDigit(before)) && !wide(before) {
			return
		}
	}
	j, letter := i+1, false
	for j < end {
		c := s.src[j]
		if c >= 'a' && c <= 'z' {
			letter = true
		} else if !(c >= '0' && c <= '9' || c == '_' || c == '-') {
			break
		}
		j++
	}
	if j < end && (isWord(s.src[j]) || s.src[j] == '@' || s.src[j] == '/' ||
		s.src[j] == '.' && j+1 < end && isWord(s.src[j+1])) {
		return
	}
	slug := strings.TrimRight(s.src[i+1:j], "-_")
	if letter && len(slug) >= 2 && len(slug) <= 128 {
		t := int32(len(s.out))
		s.addLink(Link{Target: slug, Kind: Mention}, i, span{i + 1, i + 1 + len(slug)}, t, t+int32(len(slug))+1)
	}
}

// hashTag notes #tag; the text stays.
func (s *scanner) hashTag(i, end int) {
	if i > 0 && strings.IndexByte(" \n\r\t([>", s.src[i-1]) < 0 {
		before, _ := utf8.DecodeLastRuneInString(s.src[:i])
		if before < utf8.RuneSelf || !wide(before) || unicode.IsLetter(before) {
			return
		}
	}
	j, letter := i+1, false
	for j < end {
		r, n := utf8.DecodeRuneInString(s.src[j:end])
		switch {
		case unicode.IsLetter(r):
			letter = true
		case unicode.IsDigit(r) || unicode.IsMark(r) || r == '_' || r == '-' || r == '/':
		default:
			n = 0
		}
		if n == 0 {
			break
		}
		j += n
	}
	if tag := strings.TrimRight(s.src[i+1:j], "/-"); letter && len(tag) <= 200 && len(s.tags) < maxNames {
		s.tags = append(s.tags, tag)
	}
}
