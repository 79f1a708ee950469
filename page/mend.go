package page

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Mending. Of the faults that reading forgives, a few have one right answer: a
// value that YAML takes for a key wants quotes, a tab wants to be two blanks, a
// key that says the same twice is needed once, a path key that lies is needed
// not at all. Everything else is for a person.
//
// A mend changes or deletes lines between the fences and nothing else: the
// bytes of all other lines, their endings and the body stay. It is tried, read
// back, and dropped unless the fault is gone, no other came, and the page says
// what it said before.

// Edit is one line that Mend or Retarget changed. Lines are without their
// endings.
type Edit struct {
	Line     int    // 1-based, of the file as it was
	Code     string // of the problem that it mends
	Old, New string
	Gone     bool // the line is deleted; New is ""
}

// Mend repairs what has one right answer. A page without such faults comes
// back as it is, with no edits. Mending what was mended changes nothing.
func Mend(path Path, raw []byte) (out []byte, edits []Edit) {
	m, ok := newMender(path, raw)
	if !ok {
		return raw, nil
	}
	m.try(m.spell, CodeYAML, CodeTab, CodeTitleColon)
	if m.has(CodeYAML) || m.has(CodeTooLarge) {
		return raw, nil
	}
	m.try(m.dropPath, CodePath)
	m.try(m.dropTwins, CodeDuplicateKey)
	return m.result()
}

// MendRedirect makes a redirect stub lead to another page. Where the key spans
// lines or bears a comment, the page comes back as it is.
func MendRedirect(path Path, raw []byte, to string) (out []byte, edits []Edit) {
	m, ok := newMender(path, raw)
	if !ok || m.has(CodeYAML) || m.page.Redirect == "" || m.page.Redirect == to {
		return raw, nil
	}
	m.retarget(to)
	if now := Parse(path, m.bytes()); now.Redirect != to || len(now.Problems) > len(m.page.Problems) {
		return raw, nil
	}
	return m.result()
}

// mender is a page whose front matter is being mended.
type mender struct {
	path       Path
	page       *Page // as last read
	raw        []byte
	head, tail []byte // before and after the lines of the block
	lines      []mendLine
}

// mendLine is a line of the block: text without its ending.
type mendLine struct {
	old, now, end string
	code          string // why it was changed or deleted
	gone          bool
}

func newMender(path Path, raw []byte) (*mender, bool) {
	if path.IsSession() || !utf8.Valid(raw) {
		return nil, false
	}
	m := &mender{path: path, raw: raw, page: Parse(path, raw)}
	s := strings.TrimPrefix(string(raw), "\uFEFF")
	block, ok := (&Page{}).cutBody(s)
	if !ok || strings.Contains(block, "<<<<<<<") {
		return nil, false
	}
	f, _, _ := splitFrontMatter(s)
	bom := len(raw) - len(s)
	m.head, m.tail = raw[:bom+f.start], raw[bom+f.end:]
	for l := range strings.Lines(block) {
		text := strings.TrimRight(l, "\r\n")
		m.lines = append(m.lines, mendLine{old: text, now: text, end: l[len(text):]})
	}
	return m, true
}

func (m *mender) has(code string) bool { return countCode(m.page, code) > 0 }

func countCode(p *Page, code string) (n int) {
	for _, pr := range p.Problems {
		if pr.Code == code {
			n++
		}
	}
	return n
}

func (m *mender) bytes() []byte {
	out := slices.Clone(m.head)
	for _, l := range m.lines {
		if !l.gone {
			out = append(append(out, l.now...), l.end...)
		}
	}
	return append(out, m.tail...)
}

func (m *mender) result() (out []byte, edits []Edit) {
	for i, l := range m.lines {
		if l.gone {
			edits = append(edits, Edit{Line: i + 2, Code: l.code, Old: l.old, Gone: true})
		} else if l.now != l.old {
			edits = append(edits, Edit{Line: i + 2, Code: l.code, Old: l.old, New: l.now})
		}
	}
	if len(edits) == 0 {
		return m.raw, nil
	}
	return m.bytes(), edits
}

// try makes one kind of repair, and takes it back unless it is one.
func (m *mender) try(repair func(), mends ...string) {
	if !slices.ContainsFunc(mends, m.has) {
		return
	}
	before := slices.Clone(m.lines)
	repair()
	now := Parse(m.path, m.bytes())
	if !m.better(now, mends) {
		m.lines = before
		return
	}
	m.page = now
}

// better reports whether the page has fewer of the faults, none that it had not
// before, and says the same.
func (m *mender) better(now *Page, mends []string) bool {
	was, is := 0, 0
	for _, code := range mends {
		was, is = was+countCode(m.page, code), is+countCode(now, code)
	}
	for _, pr := range now.Problems {
		if countCode(now, pr.Code) > countCode(m.page, pr.Code) {
			return false
		}
	}
	if countCode(now, CodeYAML) > 0 || is >= was || now.Body != m.page.Body {
		return false
	}
	if !slices.Contains(mends, CodeYAML) {
		return now.Hash() == m.page.Hash()
	}
	// What was guessed of a broken block is little; its names must stay.
	a, b := m.page, now
	return a.declared.title == b.declared.title && a.Type == b.Type && a.Status == b.Status && a.Source == b.Source &&
		a.Slug == b.Slug && a.Redirect == b.Redirect && slices.Equal(a.Tags, b.Tags) && slices.Equal(a.Aliases, b.Aliases) &&
		slices.Equal(a.Keys, b.Keys)
}

// spell quotes values that hold a colon and replaces tabs at the beginning of
// lines. A value with a number sign is left alone: what follows may be meant as
// a comment.
func (m *mender) spell() {
	for i := range m.lines {
		l := &m.lines[i]
		if rest := strings.TrimLeft(l.now, " \t"); rest != "" && strings.Contains(l.now[:len(l.now)-len(rest)], "\t") {
			l.now, l.code = strings.ReplaceAll(l.now[:len(l.now)-len(rest)], "\t", "  ")+rest, CodeTab
		}
		text := strings.TrimRight(l.now, " \t")
		if text == "" || text[0] == '#' || strings.Contains(text, " #") {
			continue
		}
		if _, val, ok := splitKey(text); ok && colonValue(val) {
			l.now, l.code = text[:len(text)-len(val)]+quote(val)+l.now[len(text):], CodeTitleColon
		}
	}
}

// owned is a key of the block at the beginning of a line, with the lines that
// are its own: [from, to) of mender.lines.
type owned struct {
	field
	from, to int
}

// keys finds the keys with their lines. One that does not begin its line (in braces, by an
// anchor) is none.
func (m *mender) keys() []owned {
	var live []int // numbers of the lines that are left
	var b strings.Builder
	for i, l := range m.lines {
		if !l.gone {
			live = append(live, i)
			b.WriteString(l.now + l.end)
		}
	}
	fields, ok := readStrict(b.String(), 0)
	if !ok {
		var err error
		if fields, err = parseYAML(b.String(), 0); err != nil {
			return nil
		}
	}
	var out []owned
	for i, f := range fields {
		if f.line < 0 || f.line >= len(live) {
			continue
		}
		from := live[f.line]
		if key, _, ok := splitKey(m.lines[from].now + " "); !ok || unquoteKey(key) != f.key {
			continue
		}
		next := len(live)
		if i+1 < len(fields) && fields[i+1].line > f.line {
			next = fields[i+1].line
		}
		for next > f.line+1 && idle(m.lines[live[next-1]].now) {
			next-- // a comment belongs to what follows it
		}
		out = append(out, owned{f, from, live[next-1] + 1})
	}
	return out
}

// idle reports a line that holds nothing, or a comment.
func idle(line string) bool {
	t := strings.TrimSpace(line)
	return t == "" || t[0] == '#'
}

func (m *mender) drop(s owned, code string) {
	for i := s.from; i < s.to; i++ {
		m.lines[i].gone, m.lines[i].now, m.lines[i].code = true, "", code
	}
}

// dropTwins deletes a key that says again what its first says.
func (m *mender) dropTwins() {
	first := map[string]node{}
	for _, s := range m.keys() {
		known, again := first[s.key]
		switch {
		case !again:
			first[s.key] = s.val
		case sameNode(known, s.val):
			m.drop(s, CodeDuplicateKey)
		}
	}
}

func sameNode(a, b node) bool {
	return a.kind == b.kind && a.text == b.text && slices.EqualFunc(a.items, b.items, sameNode) &&
		slices.EqualFunc(a.fields, b.fields, func(x, y field) bool { return x.key == y.key && sameNode(x.val, y.val) })
}

// dropPath deletes path keys that name another file. A path on several lines
// is no path.
func (m *mender) dropPath() {
	for _, s := range m.keys() {
		if strings.EqualFold(s.key, "path") && s.to == s.from+1 && s.val.kind == scalar && !m.path.is(s.val.text) {
			m.drop(s, CodePath)
		}
	}
}

// retarget writes another name into the redirect key, in the form it had.
func (m *mender) retarget(to string) {
	for _, s := range m.keys() {
		l := &m.lines[s.from]
		if !strings.EqualFold(s.key, "redirect") || s.to != s.from+1 || strings.Contains(l.now, " #") {
			continue
		}
		_, val, _ := splitKey(strings.TrimRight(l.now, " \t"))
		if strings.HasPrefix(s.val.text, "[[") {
			to = "[[" + to + "]]"
		}
		key := l.now[:len(strings.TrimRight(l.now, " \t"))-len(val)]
		l.now, l.code = key+quote(to), CodeRedirect
		return
	}
}
