package page

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v3"
)

// Reading YAML. Nearly all front matter is a flat list of keys with scalars
// and short lists, and yaml.v3 takes 40 µs for it: as long as the whole body.
// So a strict line reader takes the common form and gives up on anything it
// is not sure of; yaml.v3 takes the rest; and where even that fails, a loose
// reader keeps what can be guessed. All three give the same tree, in which a
// scalar keeps its spelling: `no`, `0123` and `1e3` stay what they were.

type nodeKind uint8

const (
	scalar nodeKind = iota
	list
	mapping
)

type node struct {
	kind   nodeKind
	text   string // a scalar's spelling; "" for null
	plain  bool   // a scalar without quotes
	line   int
	items  []node
	fields []field
}

type field struct {
	key  string
	line int
	val  node
}

// Bounds of one block, so that a bomb costs no more than a long page.
const (
	maxBlock = 256 << 10
	maxNodes = 20_000
	maxDepth = 32
)

var (
	errNotMapping = errors.New("not a list of keys")
	errTooMuch    = errors.New("too many nodes or too deep")
)

// parseYAML reads a block with yaml.v3.
func parseYAML(src string, firstLine int) (fields []field, err error) {
	defer func() {
		// yaml.v3 turns its own panics into errors; what slips through must
		// not take the page with it.
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: %v", r)
		}
	}()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(src), &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	if doc.Content[0].Kind != yaml.MappingNode {
		return nil, errNotMapping
	}
	c := converter{offset: firstLine - 1, left: maxNodes}
	root, err := c.convert(doc.Content[0], 0)
	return root.fields, err
}

type converter struct{ offset, left int }

func (c *converter) convert(n *yaml.Node, depth int) (node, error) {
	if c.left--; c.left < 0 || depth > maxDepth {
		return node{}, errTooMuch
	}
	line := n.Line + c.offset
	switch n.Kind {
	case yaml.AliasNode:
		return c.convert(n.Alias, depth+1)
	case yaml.SequenceNode:
		out := node{kind: list, line: line}
		for _, child := range n.Content {
			item, err := c.convert(child, depth+1)
			if err != nil {
				return node{}, err
			}
			out.items = append(out.items, item)
		}
		return out, nil
	case yaml.MappingNode:
		return c.convertMap(n, depth)
	}
	out := node{text: n.Value, line: line, plain: n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0}
	if out.plain && n.ShortTag() == "!!null" {
		out.text = ""
	}
	return out, nil
}

func (c *converter) convertMap(n *yaml.Node, depth int) (node, error) {
	out := node{kind: mapping, line: n.Line + c.offset}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		val, err := c.convert(n.Content[i+1], depth+1)
		if err != nil {
			return node{}, err
		}
		switch {
		case key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge":
			out.fields = append(out.fields, val.fields...)
		case key.Kind == yaml.ScalarNode:
			out.fields = append(out.fields, field{key.Value, key.Line + c.offset, val})
		}
	}
	return out, nil
}

// lineReader reads a block line by line; strict refuses, loose guesses.
type lineReader struct {
	rest   string
	line   int
	strict bool
	ok     bool
	fields []field
}

// readStrict reads the common form and reports false for anything else.
func readStrict(src string, firstLine int) ([]field, bool) {
	if !strictBytes(src) {
		return nil, false
	}
	r := lineReader{rest: src, line: firstLine, strict: true, ok: true}
	r.run()
	return r.fields, r.ok
}

// readLoose keeps what a broken block still tells.
func readLoose(src string, firstLine int) []field {
	r := lineReader{rest: strings.ReplaceAll(src, "\t", "  "), line: firstLine, ok: true}
	r.run()
	return r.fields
}

// strictBytes refuses what YAML treats as more than a character: tabs, lone
// carriage returns, control characters, the line breaks of Unicode.
func strictBytes(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= ' ' && c < 0x7f || c == '\n':
		case c == '\r':
			if i+1 < len(s) && s[i+1] != '\n' {
				return false
			}
		case c < ' ' || c == 0x7f:
			return false
		case c == 0xC2 && i+1 < len(s) && s[i+1] < 0xA0:
			return false
		case c == 0xE2 && i+2 < len(s) && s[i+1] == 0x80 && (s[i+2] == 0xA8 || s[i+2] == 0xA9):
			return false
		case c == 0xEF && i+2 < len(s) && (s[i+1] == 0xBB || s[i+1] == 0xBF && s[i+2] >= 0xBE):
			return false
		}
	}
	return true
}

// peek gives the next line that is neither blank nor a comment, without
// consuming it.
func (r *lineReader) peek() (line string, ok bool) {
	for r.rest != "" {
		line, _, _ = strings.Cut(r.rest, "\n")
		line = strings.TrimRight(line, " \r")
		if t := strings.TrimLeft(line, " "); t != "" && t[0] != '#' {
			return line, true
		}
		r.next()
	}
	return "", false
}

func (r *lineReader) next() {
	if i := strings.IndexByte(r.rest, '\n'); i >= 0 {
		r.rest = r.rest[i+1:]
	} else {
		r.rest = ""
	}
	r.line++
}

func (r *lineReader) run() {
	for r.ok && len(r.fields) < maxNodes {
		line, more := r.peek()
		if !more {
			return
		}
		key, val, ok := splitKey(line)
		if !ok || r.strict && !strictKey(key) {
			r.refuse(line)
			continue
		}
		at := r.line
		r.next()
		f := field{key: unquoteKey(key), line: at}
		if val == "" {
			f.val = r.block(at)
		} else {
			f.val = r.value(val, at)
		}
		r.fields = append(r.fields, f)
	}
}

// refuse ends a strict reading; a loose one takes an indented line as the
// continuation of the value above it and passes over the rest.
func (r *lineReader) refuse(line string) {
	if r.strict {
		r.ok = false
		return
	}
	if n := len(r.fields); n > 0 && (line[0] == ' ' || line[0] == '\t') {
		v := &r.fields[n-1].val
		if v.kind == scalar && len(v.text) < maxBlock {
			v.text = strings.TrimSpace(v.text + " " + strings.TrimSpace(line))
		}
	}
	r.next()
}

// splitKey cuts `key: value` at the first colon that ends a key.
func splitKey(line string) (key, val string, ok bool) {
	if line[0] == ' ' || line[0] == '\t' || line[0] == '-' && (len(line) == 1 || line[1] == ' ') {
		return "", "", false
	}
	for i := 1; i < len(line) && i <= 128; i++ {
		if line[i] != ':' {
			continue
		}
		if i+1 == len(line) {
			return line[:i], "", true
		}
		if line[i+1] == ' ' || line[i+1] == '\t' {
			return line[:i], strings.Trim(line[i+1:], " \t"), true
		}
	}
	return "", "", false
}

func strictKey(k string) bool {
	for i := 0; i < len(k); i++ {
		c := k[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
		inner := c >= '0' && c <= '9' || c == '-' || c == '.' || c == ' '
		if !letter && (i == 0 || !inner) {
			return false
		}
	}
	return k[len(k)-1] != ' ' && !isNull(k)
}

func unquoteKey(k string) string {
	if n := len(k); n > 2 && (k[0] == '"' || k[0] == '\'') && k[n-1] == k[0] {
		return k[1 : n-1]
	}
	return strings.TrimSpace(k)
}

func isNull(s string) bool {
	return s == "~" || s == "null" || s == "Null" || s == "NULL"
}

// value reads what stands on the key's own line.
func (r *lineReader) value(s string, line int) node {
	if r.strict {
		n, ok := strictValue(s, line)
		r.ok = r.ok && ok
		return n
	}
	if s[0] == '|' || s[0] == '>' {
		return node{text: r.indented(), line: line}
	}
	return looseValue(s, line)
}

// block reads what stands below a key: items, or nothing.
func (r *lineReader) block(line int) node {
	first, more := r.peek()
	if !more {
		return node{plain: true, line: line}
	}
	indent := indentOf(first)
	if !isItem(first[indent:]) {
		if indent > 0 && r.strict {
			r.ok = false
		}
		return node{plain: true, line: line}
	}
	out := node{kind: list, line: r.line}
	for r.ok && len(out.items) < maxNodes {
		l, more := r.peek()
		n := indentOf(l)
		if !more || !isItem(l[n:]) || n != indent && (r.strict || n < indent) {
			if more && n > 0 && r.strict {
				r.ok = false
			}
			return out
		}
		out.items = append(out.items, r.item(l, n))
	}
	return out
}

func indentOf(line string) int {
	return len(line) - len(strings.TrimLeft(line, " "))
}

func isItem(s string) bool { return s != "" && s[0] == '-' && (len(s) == 1 || s[1] == ' ') }

// item reads one `- value` or a flat map that begins on the item's line.
func (r *lineReader) item(line string, indent int) node {
	at := r.line
	content := strings.TrimLeft(line[indent+1:], " ")
	col := len(line) - len(content)
	r.next()
	if content == "" {
		r.ok = !r.strict
		return node{plain: true, line: at}
	}
	key, val, isMap := splitKey(content)
	if !isMap || content[0] == '"' || content[0] == '\'' {
		return r.value(content, at)
	}
	out := node{kind: mapping, line: at}
	for {
		if r.strict && (!strictKey(key) || val == "") {
			r.ok = false
			return out
		}
		f := field{key: unquoteKey(key), line: at}
		if val == "" {
			f.val = node{plain: true, line: at}
		} else {
			f.val = r.value(val, at)
		}
		out.fields = append(out.fields, f)
		next, more := r.peek()
		if !more || indentOf(next) != col {
			// A deeper line would continue the value; the caller sees a
			// shallower one.
			if more && indentOf(next) > col && r.strict {
				r.ok = false
			}
			return out
		}
		if key, val, isMap = splitKey(next[col:]); !isMap {
			r.ok = r.ok && !r.strict
			return out
		}
		at = r.line
		r.next()
	}
}

// indented takes the lines of a block scalar, their indentation removed.
func (r *lineReader) indented() string {
	var b strings.Builder
	for r.rest != "" {
		line, _, _ := strings.Cut(r.rest, "\n")
		line = strings.TrimRight(line, "\r")
		if t := strings.TrimSpace(line); t != "" && line[0] != ' ' && line[0] != '\t' {
			break
		} else if t != "" {
			b.WriteString(t)
			b.WriteByte('\n')
		}
		r.next()
	}
	return strings.TrimRight(b.String(), "\n")
}

// strictValue reads a scalar or a one-line list of scalars of which YAML
// would think the same.
func strictValue(s string, line int) (node, bool) {
	switch s[0] {
	case '"', '\'':
		text, rest, ok := quoted(s)
		return node{text: text, line: line}, ok && rest == ""
	case '[':
		return strictFlow(s, line)
	}
	if !plainStart(s) || strings.Contains(s, ": ") || strings.Contains(s, " #") || s[len(s)-1] == ':' {
		return node{}, false
	}
	return plainNode(s, line), true
}

func plainNode(s string, line int) node {
	if isNull(s) {
		s = ""
	}
	return node{text: s, plain: true, line: line}
}

func plainStart(s string) bool {
	switch s[0] {
	case '-':
		return len(s) > 1 && s[1] != ' ' && !strings.HasPrefix(s, "---")
	case '[', ']', '{', '}', '>', '|', '*', '&', '!', '%', '@', '`', '"', '\'', '#', ',', '?', ':', '=', '<':
		return false
	}
	return true
}

// quoted reads a quoted scalar at the beginning of s; a backslash inside
// double quotes is left to yaml.v3.
func quoted(s string) (text, rest string, ok bool) {
	q := s[0]
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && q == '"':
			return "", "", false
		case s[i] == q && q == '\'' && i+1 < len(s) && s[i+1] == '\'':
			i++
		case s[i] == q:
			text = s[1:i]
			if q == '\'' {
				text = strings.ReplaceAll(text, "''", "'")
			}
			return text, strings.TrimLeft(s[i+1:], " "), true
		}
	}
	return "", "", false
}

func strictFlow(s string, line int) (node, bool) {
	out := node{kind: list, line: line}
	if s[len(s)-1] != ']' {
		return out, false
	}
	rest := strings.Trim(s[1:len(s)-1], " ")
	for rest != "" {
		var item node
		if rest[0] == '"' || rest[0] == '\'' {
			text, after, ok := quoted(rest)
			if !ok || after != "" && after[0] != ',' {
				return out, false
			}
			item, rest = node{text: text, line: line}, after
		} else {
			end := strings.IndexByte(rest, ',')
			if end < 0 {
				end = len(rest)
			}
			word := strings.TrimRight(rest[:end], " ")
			if word == "" || !plainStart(word) || strings.ContainsAny(word, ":#[]{}") {
				return out, false
			}
			item, rest = plainNode(word, line), rest[end:]
		}
		out.items = append(out.items, item)
		if rest != "" {
			rest = strings.TrimLeft(rest[1:], " ")
			if rest == "" {
				return out, false // a comma at the end
			}
		}
	}
	return out, true
}

// looseValue guesses: quotes off, brackets as a list, all else as written.
func looseValue(s string, line int) node {
	if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		if text, rest, ok := quoted(s); ok && rest == "" {
			return node{text: text, line: line}
		}
		if text, err := strconv.Unquote(s); err == nil && s[0] == '"' && utf8.ValidString(text) {
			return node{text: text, line: line}
		}
		return node{text: s[1 : n-1], line: line}
	}
	if n := len(s); n >= 2 && s[0] == '[' && s[n-1] == ']' && !strings.HasPrefix(s, "[[") {
		out := node{kind: list, line: line}
		for part := range strings.SplitSeq(s[1:n-1], ",") {
			if part = strings.TrimSpace(part); part != "" && len(out.items) < maxNodes {
				out.items = append(out.items, looseValue(strings.Trim(part, "[]"), line))
			}
		}
		return out
	}
	return plainNode(s, line)
}

var yamlLine = regexp.MustCompile(`line (\d+): (.*)`)

// explain turns an error of yaml.v3 into a line of the file and a cause.
func explain(err error, firstLine int) (line int, cause string) {
	m := yamlLine.FindStringSubmatch(err.Error())
	if m == nil {
		return firstLine, strings.TrimPrefix(err.Error(), "yaml: ")
	}
	n, _ := strconv.Atoi(m[1])
	return firstLine - 1 + max(n, 1), m[2]
}
