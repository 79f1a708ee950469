package store

import "strings"

// A pattern is parsed once into parts between slashes, each a list of tokens.
// Matching is greedy with one point of return, for the stars within a part and
// for the `**` between parts alike: the time is at most pattern times subject,
// whatever the pattern.

type pattern []part

// part is what stands between two slashes; nil is `**`: any number of parts.
type part []token

type token struct {
	star  bool
	class *[256]bool // nil: the one byte in char
	char  byte
}

func (t *token) matches(c byte) bool {
	if t.class != nil {
		return t.class[c]
	}
	return t.char == c
}

// match reports whether the parts of a path match the whole pattern.
func (p pattern) match(parts []string) bool {
	back, from := -1, 0 // where to go on when a part fails: behind the last **
	i, at := 0, 0
	for at < len(parts) {
		switch {
		case i < len(p) && p[i] == nil:
			if i++; i == len(p) {
				return true // a/** is what is below a, not a itself
			}
			back, from = i, at
		case i < len(p) && p[i].match(parts[at]):
			i++
			at++
		case back >= 0:
			from++
			i, at = back, from
		default:
			return false
		}
	}
	return i == len(p)
}

func (p part) match(s string) bool {
	back, from := -1, 0
	i, at := 0, 0
	for at < len(s) {
		switch {
		case i < len(p) && p[i].star:
			i++
			back, from = i, at
		case i < len(p) && p[i].matches(s[at]):
			i++
			at++
		case back >= 0:
			from++
			i, at = back, from
		default:
			return false
		}
	}
	for i < len(p) && p[i].star {
		i++
	}
	return i == len(p)
}

// parsePattern reports false for what can match nothing: an open class, a
// backslash at the end.
func parsePattern(s string) (pattern, bool) {
	var p pattern
	cur := part{}
	start := 0 // of the current part
	for i := 0; i < len(s); {
		c := s[i]
		if c == '\\' {
			if i++; i == len(s) {
				return nil, false
			}
			c = s[i]
			if c != '/' {
				cur = append(cur, token{char: c})
				i++
				continue
			}
		}
		i++
		switch c {
		case '/':
			p, cur = append(p, cur), part{}
			start = i
		case '?':
			cur = append(cur, token{class: &anyByte})
		case '*':
			n := i
			for n < len(s) && s[n] == '*' {
				n++
			}
			if n > i && i-1 == start && atSlash(s[n:]) {
				cur = nil // appended as it is at the next slash
			} else {
				cur = append(cur, token{star: true})
			}
			i = n
		case '[':
			class, n, ok := parseClass(s[i:])
			if !ok {
				return nil, false
			}
			cur = append(cur, token{class: class})
			i += n
		default:
			cur = append(cur, token{char: c})
		}
	}
	return append(p, cur), true
}

func atSlash(s string) bool {
	return s == "" || s[0] == '/' || strings.HasPrefix(s, `\/`)
}

var anyByte = func() (set [256]bool) {
	for i := range set {
		set[i] = i != '/'
	}
	return set
}()

// parseClass parses what follows "[" and returns the set and the bytes used.
func parseClass(s string) (set *[256]bool, n int, ok bool) {
	p := classParser{s: s, set: new([256]bool), prev: -1}
	negate := s != "" && (s[0] == '!' || s[0] == '^')
	if negate {
		p.i++
	}
	for first := true; first || p.i < len(s) && s[p.i] != ']'; first = false {
		if p.i >= len(s) || !p.element() {
			return nil, 0, false
		}
	}
	if p.i >= len(s) {
		return nil, 0, false // never closed
	}
	if negate {
		for c := range p.set {
			p.set[c] = !p.set[c]
		}
	}
	p.set['/'] = false
	return p.set, p.i + 1, true
}

type classParser struct {
	s    string
	i    int
	set  *[256]bool
	prev int // the character that a "-" would begin from, or -1
}

// element adds one character, range or named class; false ends the pattern.
func (p *classParser) element() bool {
	rest := p.s[p.i:]
	if strings.HasPrefix(rest, "[:") {
		if used, known := namedClass(p.set, rest[2:]); used > 0 || !known {
			p.i += 2 + used
			p.prev = -1
			return known
		}
	}
	if rest[0] == '-' && p.prev >= 0 && len(rest) > 1 && rest[1] != ']' {
		p.i++
		c, ok := p.char()
		for j := p.prev; ok && j <= int(c); j++ {
			p.set[j] = true
		}
		p.prev = -1
		return ok
	}
	c, ok := p.char()
	p.set[c] = p.set[c] || ok
	p.prev = int(c)
	return ok
}

// char takes one character, escaped or not.
func (p *classParser) char() (c byte, ok bool) {
	if p.s[p.i] == '\\' {
		p.i++
	}
	if p.i >= len(p.s) {
		return 0, false
	}
	p.i++
	return p.s[p.i-1], true
}

// namedClass adds a class such as "alpha:]" to set; 0 when s is not of that form.
func namedClass(set *[256]bool, s string) (used int, known bool) {
	end := strings.IndexByte(s, ']')
	if end <= 0 || s[end-1] != ':' {
		return 0, true
	}
	in, ok := classes[s[:end-1]]
	if !ok {
		return 0, false
	}
	for c := range 128 {
		if in(byte(c)) {
			set[c] = true
		}
	}
	return end + 1, true
}

var classes = map[string]func(byte) bool{
	"alpha":  isAlpha,
	"digit":  isDigit,
	"alnum":  func(c byte) bool { return isAlpha(c) || isDigit(c) },
	"upper":  func(c byte) bool { return 'A' <= c && c <= 'Z' },
	"lower":  func(c byte) bool { return 'a' <= c && c <= 'z' },
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"space":  func(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' },
	"cntrl":  func(c byte) bool { return c < ' ' || c == 0x7f },
	"graph":  func(c byte) bool { return ' ' < c && c < 0x7f },
	"print":  func(c byte) bool { return ' ' <= c && c < 0x7f },
	"punct":  func(c byte) bool { return ' ' < c && c < 0x7f && !isAlpha(c) && !isDigit(c) },
	"xdigit": func(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' },
}

func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
