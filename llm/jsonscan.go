package llm

// Where a JSON object ends, in one pass and with a bound on depth. encoding/json could
// tell too, but it allows ten thousand levels, and whoever tries it at every brace of a
// hostile reply scans the same text as often as it is deep.

// deepest is how many objects and arrays may lie in each other. Answers have three or
// four. No stretch of text is scanned more often than about twice this number.
const deepest = 64

// scanObject returns the index behind the object that begins at s[at], a brace; false,
// and where that showed, if what stands there is no whole object.
func scanObject(s string, at int) (end int, ok bool) {
	c := cursor{s: s, at: at}
	ok = c.value(0)
	return c.at, ok
}

// cursor reads JSON, RFC 8259. Each method consumes what it is named for, or stands
// where it went wrong and returns false.
type cursor struct {
	s  string
	at int
}

func (c *cursor) peek() byte {
	if c.at < len(c.s) {
		return c.s[c.at]
	}
	return 0
}

func (c *cursor) take(b byte) bool {
	c.space()
	if c.peek() != b {
		return false
	}
	c.at++
	return true
}

func (c *cursor) space() {
	for c.at < len(c.s) {
		switch c.s[c.at] {
		case ' ', '\t', '\n', '\r':
			c.at++
		default:
			return
		}
	}
}

func (c *cursor) value(depth int) bool {
	if depth > deepest {
		return false
	}
	c.space()
	switch b := c.peek(); {
	case b == '{':
		return c.list('{', '}', func() bool { return c.text() && c.take(':') && c.value(depth+1) })
	case b == '[':
		return c.list('[', ']', func() bool { return c.value(depth + 1) })
	case b == '"':
		return c.text()
	case b == '-' || b >= '0' && b <= '9':
		return c.number()
	}
	return c.word("true") || c.word("false") || c.word("null")
}

// list reads elements between two brackets, with commas between them.
func (c *cursor) list(open, closing byte, element func() bool) bool {
	if !c.take(open) {
		return false
	}
	if c.take(closing) {
		return true
	}
	for {
		if !element() {
			return false
		}
		if c.take(closing) {
			return true
		}
		if !c.take(',') {
			return false
		}
	}
}

func (c *cursor) text() bool {
	if !c.take('"') {
		return false
	}
	for c.at < len(c.s) {
		b := c.s[c.at]
		c.at++
		switch {
		case b == '"':
			return true
		case b < ' ':
			return false
		case b == '\\' && !c.escape():
			return false
		}
	}
	return false
}

func (c *cursor) escape() bool {
	b := c.peek()
	c.at++
	switch b {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		for range 4 {
			b := c.peek()
			if !(b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F') {
				return false
			}
			c.at++
		}
		return true
	}
	return false
}

func (c *cursor) number() bool {
	if c.peek() == '-' {
		c.at++
	}
	if c.peek() == '0' {
		c.at++
	} else if !c.digits() {
		return false
	}
	if c.peek() == '.' {
		c.at++
		if !c.digits() {
			return false
		}
	}
	if b := c.peek(); b == 'e' || b == 'E' {
		c.at++
		if b := c.peek(); b == '+' || b == '-' {
			c.at++
		}
		return c.digits()
	}
	return true
}

func (c *cursor) digits() bool {
	from := c.at
	for c.peek() >= '0' && c.peek() <= '9' {
		c.at++
	}
	return c.at > from
}

func (c *cursor) word(w string) bool {
	if len(c.s)-c.at < len(w) || c.s[c.at:c.at+len(w)] != w {
		return false
	}
	c.at += len(w)
	return true
}
