package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Whether what stands at a name is a secret. Wrong to mask are references (to a
// variable, a file, another name), what stands in for a secret (YOUR_TOKEN_HERE,
// xxxx), what is said of one (required, string, expired), and prose that goes on.
// Wrong to leave is anything else; so where a value is surely a value, as behind
// password= in a file of settings, a plain word is enough.

// value is what stands at a name.
type value struct {
	text       string
	start, end int
	sep        sep
	quoted     bool
	apart      bool // a blank stands before it
	last       bool // nothing follows it in its line, or its sentence
}

// value reads what stands at a place; its end is 0 when nothing does.
func (m *masker) value(i int, by sep, strict bool) value {
	v := value{sep: by}
	if to := m.blank(i); to > i {
		i, v.apart = to, true
	}
	if strings.HasPrefix(m.s[i:], "**") {
		i = m.blank(i + len("**")) // **Password:** x
	}
	if rest := m.s[i:]; len(rest) > 1 && strings.IndexByte("rbuRBU@", rest[0]) >= 0 && (rest[1] == '"' || rest[1] == '\'') {
		i++ // r"…"
	}
	open := quoteLen(m.s[i:])
	switch {
	case by == markup:
		v.start = i
		v.end = i + strings.IndexByte(m.s[i:min(len(m.s), i+maxLook)], '<')
		v.quoted = true
	case open > 0:
		v.start, v.quoted = i+open, true
		v.end = m.closing(i, open)
	case by == call:
		return value{}
	case strict:
		v.start, v.end = i, tokenChars.some(m.s, i)
		if v.end < len(m.s) && strings.IndexByte("([{", m.s[v.end]) >= 0 {
			return value{} // a call, an element, a type
		}
		v.end = v.start + len(strings.TrimRight(m.s[v.start:v.end], ".,:*"))
	default:
		v.start, v.end = i, m.wordEnd(i)
	}
	if v.end <= v.start {
		return value{}
	}
	v.text = m.s[v.start:v.end]
	v.last = m.isLast(v.end)
	return v
}

// tokenChars are what machines make keys and tokens of.
var tokenChars = chars("A-Za-z0-9_.~+/=:%@!$^*#?|-")

// quoteLen gives the length of the quote that s begins with, backslashes before
// it included, 0 for none.
func quoteLen(s string) int {
	n := 0
	for n < len(s) && n < 8 && s[n] == '\\' {
		n++
	}
	if n < len(s) && strings.IndexByte("\"'`", s[n]) >= 0 {
		if q := s[n : n+1]; n == 0 && strings.HasPrefix(s, q+q+q) {
			return 3
		}
		return n + 1
	}
	if n == 0 {
		for _, q := range []string{"“", "‘", "「", "『", "《", "”", "＂", "（", "【"} {
			if strings.HasPrefix(s, q) {
				return len(q)
			}
		}
	}
	return 0
}

var closingQuotes = map[string]string{"“": "”", "‘": "’", "「": "」", "『": "』", "《": "》", "（": "）", "【": "】"}

// closing gives where the text in quotes ends that open at a place, 0 when they
// do not close in their line.
func (m *masker) closing(i, open int) int {
	quote := m.s[i : i+open]
	if c := closingQuotes[quote]; c != "" {
		quote = c
	}
	const longest = 1 << 12
	from := i + open
	limit := min(len(m.s), from+longest)
	if n := m.next("\n", from, limit); n >= 0 {
		limit = n
	}
	for at := from; ; at++ {
		if at = m.next(quote, at, limit); at < 0 {
			return 0
		}
		if before := m.s[from:at]; open > 1 || (len(before)-len(strings.TrimRight(before, "\\")))%2 == 0 {
			return at
		}
	}
}

// next is strings.Index in s[from:limit], as a place in s. What it looked through it
// does not look through again: a text may open the same quote at every other word.
func (m *masker) next(quote string, from, limit int) int {
	a, seen := m.ahead[quote]
	if !seen || from < a.from || from > a.to {
		a = ahead{from: from, to: from}
	}
	if end := limit - len(quote) + 1; !a.found && a.to < end {
		if n := strings.Index(m.s[a.to:limit], quote); n >= 0 {
			a.to, a.found = a.to+n, true
		} else {
			a.to = end
		}
	}
	if m.ahead == nil {
		m.ahead = map[string]ahead{}
	}
	m.ahead[quote] = a
	if a.found && a.to+len(quote) <= limit {
		return a.to
	}
	return -1
}

// ahead says that no quote begins in s[from:to], and whether one does at to.
type ahead struct {
	from, to int
	found    bool
}

// wordEnd gives the end of the value that begins at a place without quotes.
func (m *masker) wordEnd(i int) int {
	end := i
	for end < min(len(m.s), i+maxLook) && !m.endsValue(end) {
		end++
	}
	for end > i && strings.IndexByte(".,;:*", m.s[end-1]) >= 0 {
		end--
	}
	return end
}

// valueEnd follows a long value to its end.
func (m *masker) valueEnd(i int, strict bool) int {
	if strict {
		return tokenChars.end(m.s, i)
	}
	for i < len(m.s) && !m.endsValue(i) {
		i++
	}
	return i
}

// endsValue reports whether a value ends before the byte at i.
func (m *masker) endsValue(i int) bool {
	c, rest := m.s[i], m.s[i:]
	switch {
	case c >= utf8.RuneSelf:
		return utf8.RuneStart(c) && endsWord(rest)
	case c <= ' ', c == 0x7f, c == '"', c == '\'', c == '`', c == '<':
		return true
	case c == '\\':
		return len(rest) > 1 && strings.IndexByte("nrt\"'\\", rest[1]) >= 0
	case c == '&':
		return len(rest) == 1 || rest[1] <= ' ' || rest[1] == '&' || isEntity(rest) || isPair(rest[1:])
	case c == ',' || c == ';':
		return len(rest) == 1 || rest[1] <= ' ' || strings.IndexByte("\"'`", rest[1]) >= 0 || rest[1] >= utf8.RuneSelf && endsWord(rest[1:]) || isPair(rest[1:])
	case c == ')' || c == ']' || c == '}' || c == '>':
		return len(rest) == 1 || strings.IndexByte(" \t\r\n,;.)]}>\"'`\\", rest[1]) >= 0 || rest[1] >= utf8.RuneSelf && endsWord(rest[1:])
	case c == '[':
		return strings.HasPrefix(rest, MarkOpen)
	}
	return false
}

// isEntity reports whether s begins with an entity of HTML: &quot; &#39;
func isEntity(s string) bool {
	end := strings.IndexByte(s[:min(len(s), 8)], ';')
	return end > 1 && (s[1] == '#' || alnum.end(s, 1) == end)
}

// isPair reports whether s begins with name= or name:.
func isPair(s string) bool {
	end := nameChars.end(s[:min(len(s), 40)], 0)
	return end > 0 && end < len(s) && (s[end] == '=' || s[end] == ':')
}

// endsWord reports whether s begins with a character that ends a word of ASCII:
// a space, one of a script without spaces, or of its punctuation.
func endsWord(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return r == utf8.RuneError && size <= 1 || IsCJK(r) || unicode.IsSpace(r) || r >= 0x2018 && r <= 0x2026 || r >= 0x3000 && r <= 0x303F || r >= 0xFE30 && r <= 0xFF65
}

// isLast reports whether only what closes a sentence or a line stands behind a place.
func (m *masker) isLast(i int) bool {
	rest := strings.TrimLeft(m.s[i:min(len(m.s), i+8)], "*_`.!?) \t")
	return rest == "" || strings.IndexByte("\r\n\"'<|", rest[0]) >= 0 || strings.HasPrefix(rest, "\\n") || rest[0] >= utf8.RuneSelf && endsWord(rest)
}

// judge tells whether a name's value is a secret.
func (m *masker) judge(n name, v value) (kind string, sp Span) {
	if kind, sp = m.tokenAt(v.start); sp.End >= v.end {
		return kind, sp
	}
	look := v
	look.text = v.text[:min(len(v.text), maxLook)]
	if m.isNoValue(n, look) || n.strict && !n.opaqueValue(look) || !n.strict && !m.chosenValue(look) {
		return "", Span{}
	}
	if !v.quoted && len(v.text) > maxLook/2 {
		v.end = m.valueEnd(v.end, n.strict)
	}
	kind = n.kind
	lower := strings.ToLower(m.s[n.start:n.end])
	switch {
	case n.aws && len(v.text) == 40 && awsChars.end(v.text, 0) == 40:
		kind = "aws secret key"
	case strings.HasSuffix(lower, "accountkey") || strings.HasSuffix(lower, "sharedaccesskey"):
		kind = "azure key"
	}
	return kind, Span{v.start, v.end}
}

// isNoValue reports whether what stands at a name is no value of it, or one that
// other shapes judge.
func (m *masker) isNoValue(n name, v value) bool {
	s := v.text
	switch {
	case len(s) < 4 || strings.Contains(s, MarkOpen) || strings.Contains(s, "-----BEGIN") || strings.Contains(s, "://"):
		return true
	case v.quoted && (isInterpolated(s) || isPath(s) || !utf8.ValidString(s)):
		return true
	case !v.quoted && isReference(s, v.sep, m.closes(v.end)):
		return true
	case !v.quoted && n.quoted && digits.end(s, 0) == len(s):
		return true // a number in JSON
	case foldsTo(s, strings.ToLower(m.s[n.start:n.end])):
		return true // const password = "password"
	}
	return standsIn(s) || strings.ContainsFunc(s, IsCJK)
}

// closes reports whether a bracket closes at a place.
func (m *masker) closes(i int) bool { return i < len(m.s) && strings.IndexByte(")]}", m.s[i]) >= 0 }

// opaqueValue judges the value of a name for keys and tokens, which machines
// made: it must look random, or stand where settings do.
func (n name) opaqueValue(v value) bool {
	s := v.text
	least := 8
	if v.sep == says || v.sep == zh || v.sep == joined || v.sep == call {
		least = 12
	}
	switch {
	case len(s) < least, tokenChars.end(s, 0) < len(s), isAlgorithm(s), isNumber(s):
		return false
	case allLetters(s) && !n.caps:
		return v.quoted && len(s) >= 20 && switches(s) >= len(s)/3
	case n.caps && v.sep == equals:
		return !remark(s)
	}
	if !v.quoted && (endsAsName(s) || v.sep == spaced && !strings.ContainsAny(s, "0123456789")) {
		return false // code
	}
	return opaque(s) && !isWordy(s, 4)
}

// endsAsName reports whether s is the name of another secret: testRSA2048PrivateKey.
func endsAsName(s string) bool {
	s = strings.ToLower(strings.TrimLeft(s, "*&"))
	for _, word := range []string{"key", "token", "secret", "password", "passwd", "pwd", "credential", "credentials"} {
		if strings.HasSuffix(s, word) {
			return nameChars.end(s, 0) == len(s)
		}
	}
	return false
}

// isNumber reports whether s is a number, 0x2a too; a key in hexadecimal is longer.
func isNumber(s string) bool {
	s = strings.TrimLeft(s, "+-")
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		return len(hex) < 32 && strings.Trim(hex, "0123456789abcdefABCDEF_") == ""
	}
	return strings.Trim(s, "0123456789._eE+-") == ""
}

// chosenValue judges the value of a name for passwords, which people choose.
func (m *masker) chosenValue(v value) bool {
	s := v.text
	if strings.ContainsFunc(s, unicode.IsSpace) {
		return v.quoted && v.sep != markup && isPassphrase(s)
	}
	bare := strings.TrimRight(s, "!?")
	if remark(bare) || v.sep != equals && !v.quoted && isAlgorithm(bare) || isNumber(bare) && (v.sep == spaced || strings.Contains(bare, ".") || strings.HasPrefix(bare, "0x")) {
		return false
	}
	switch {
	case endsAsName(bare) && (isWordy(bare, 0) || !v.quoted && v.sep == spaced):
		return false
	case allLetters(bare):
		return m.plainWord(v, bare)
	}
	switch v.sep {
	case says:
		if digits.end(bare, 0) == len(bare) {
			return v.last
		}
		return v.quoted && !isWordy(bare, 2) || len(bare) >= 6 && strings.ContainsAny(bare, oddSigns) && !countsThings(bare)
	case joined:
		return len(bare) >= 6 && strings.ContainsAny(bare, "0123456789")
	case spaced:
		return v.quoted || !isWordy(bare, 2) && strings.ContainsAny(bare, oddSigns)
	case call:
		return strings.ContainsAny(bare, oddSigns)
	case equals:
		inside := m.closes(v.end) || v.end < len(m.s) && m.s[v.end] == ','
		return v.quoted || !inside || strings.ContainsAny(bare, oddSigns) // f(password=old_value)
	case flag, colon:
		return v.quoted || !isWordy(bare, 2) || strings.ContainsAny(bare, oddSigns)
	}
	return true
}

// oddSigns are rare in words of prose and names of code.
const oddSigns = "0123456789!#$%^&*+=~@|"

// plainWord judges a value of letters alone. It may be a variable or go on as
// prose, so it counts in quotes, or where only values stand.
func (m *masker) plainWord(v value, s string) bool {
	camel := switches(s) > 1 || switches(s) == 1 && s[0] >= 'a'
	if v.quoted {
		return v.sep != call && !(camel && endsAsName(s))
	}
	switch v.sep {
	case equals:
		return !camel && !m.closes(v.end)
	case zh:
		return !camel
	case colon:
		return !camel && v.last && v.apart
	}
	return false
}

// isPassphrase reports whether s is words that say nothing, at least three or
// one of them odd: no label, no message.
func isPassphrase(s string) bool {
	words := strings.Fields(s)
	remarks, odd := 0, false
	for _, w := range words {
		if standsIn(w) && len(w) > 3 {
			return false
		}
		if remark(w) {
			remarks++
		}
		odd = odd || strings.ContainsFunc(w, unicode.IsLetter) && strings.ContainsAny(w, oddSigns)
	}
	return remarks <= 1 && (odd || len(words) >= 3) && len(words) <= 12 && strings.TrimSpace(s) == s
}

// isReference reports whether s names where a value is, or computes it: $TOKEN,
// %TOKEN%, {{ token }}, <token>, os.Getenv("TOKEN"), cfg.Token, /run/secrets/x,
// env:TOKEN. What is closed may have been cut before its last bracket.
func isReference(s string, by sep, closed bool) bool {
	if isInterpolated(s) || isPath(s) || strings.HasPrefix(s, "&#") || strings.HasPrefix(s, "&lt;") {
		return true
	}
	switch s[0] {
	case '<', '{', '(', '[':
		return true
	case '$', '@', '!', '&', '*', ':':
		s = s[1:]
		if isIdentifier(strings.TrimRight(s, ")]}>,;")) {
			return true
		}
	}
	if before, after, ok := strings.Cut(s, ":"); ok && isSource(before) && after != "" {
		return true
	}
	if head, _, ok := strings.Cut(s, ";"); ok && strings.Contains(head, ".") && isIdentifier(head) {
		return true
	}
	end := code.end(s, 0)
	switch {
	case end == 0 || digits[s[0]]:
		return false
	case end == len(s):
		return strings.ContainsAny(s, ".>:") && isIdentifier(s)
	case strings.IndexByte("([{", s[end]) < 0:
		return false
	}
	return closed || by == spaced || by == colon || strings.Contains(s[:end], ".") || strings.ContainsAny(s[end:], "\"'")
}

var code = chars("A-Za-z0-9_.$?>:-")

// isInterpolated reports whether a part of s is filled in later.
func isInterpolated(s string) bool {
	for _, open := range []string{"${", "$(", "{{", "#{", "<%", "%("} {
		if strings.Contains(s, open) {
			return true
		}
	}
	return s[0] == '<' && s[len(s)-1] == '>' || s[0] == '{' && s[len(s)-1] == '}' || s[0] == '[' && s[len(s)-1] == ']' ||
		s[0] == '%' && (s[len(s)-1] == '%' || len(s) == 2) || s[0] == '$' && isIdentifier(s[1:])
}

// isIdentifier reports whether s is a name, perhaps of several parts: letters,
// at their end a digit or two.
func isIdentifier(s string) bool {
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("._?>:-[]", r) }) {
		if !isWord(part, 2) {
			return false
		}
	}
	return s != ""
}

// isWord reports whether s is letters, and at its end at most so many digits.
func isWord(s string, most int) bool {
	letters := strings.TrimRight(s, "0123456789")
	return letters != "" && len(s)-len(letters) <= most && allLetters(letters)
}

// allLetters reports whether s is letters, of any script.
func allLetters(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// isPath reports whether s is where a file is, not base64 that begins like it.
func isPath(s string) bool {
	switch rest, ok := strings.CutPrefix(strings.TrimLeft(s, ".~"), "/"); {
	case !ok:
		return false
	case len(s)-len(rest) > 1:
		return true
	default:
		return (strings.Contains(rest, "/") || isIdentifier(rest)) && !(len(s) >= 32 && mixed(s) && base64Std.end(s, 0) == len(s))
	}
}

// isSource reports whether s: says where a secret is kept.
func isSource(s string) bool {
	switch strings.ToLower(s) {
	case "env", "vault", "arn", "ssm", "op", "file", "secret", "secrets", "secretsmanager", "keyring", "keychain", "pass", "bao", "gcp", "awssm", "sm":
		return true
	}
	return false
}

// isWordy reports whether s is words, as names of things are: db-credentials-1,
// my_secret.v2, gpt-4; so many digits may end a word.
func isWordy(s string, most int) bool {
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("-_./:", r) }) {
		if !isWord(part, most) && !isAlgorithm(part) && (len(part) > 4 || digits.end(part, 0) < len(part)) || switches(part) > len(part)/3 {
			return false
		}
	}
	return true
}

// switches counts the places in s where upper case follows lower or the reverse.
func switches(s string) (n int) {
	for i := 1; i < len(s); i++ {
		a, b := s[i-1], s[i]
		if (a|0x20 >= 'a' && a|0x20 <= 'z') && (b|0x20 >= 'a' && b|0x20 <= 'z') && (a^b)&0x20 != 0 && !(i == 1) {
			n++
		}
	}
	return n
}
