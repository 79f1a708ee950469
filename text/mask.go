package text

import "strings"

// Secrets are masked by their shape, before anything is kept:
//
//	export TOKEN=ghp_Zk3…        export TOKEN=[secret: github token]
//	postgres://app:pw9x@db/main  postgres://app:[secret: password]@db/main
//	我的密码是abc12345，记住      我的密码是[secret: password]，记住
//
// There are two kinds of shapes. Some secrets say what they are, by a prefix
// that somebody chose so that they can be found (mask_tokens.go), or by a frame
// (mask_frames.go: keys in PEM, JWT, URLs, headers). Others are known by the
// name beside them (mask_names.go), and then it is the value that must look like
// one (mask_values.go): in "password: required" none is told.
//
// A megabyte must take milliseconds, so no shape is looked for where it cannot
// be: each begins at an anchor, three bytes or more, and one walk over the text
// finds the places where the first three bytes of any anchor stand. A shape then
// looks around that place. How far is bounded everywhere but for what becomes
// part of the mask, so the whole is linear.
//
// Masking twice is masking once. What decides about a place is the text since
// the last secret, never what lies before it; and since a mark may still lay bare
// what its neighbour hid, a text in which secrets were found is looked at again,
// until nothing more is found.

// A mark stands in place of a secret and says of which kind it was:
// [secret: github token].
const (
	MarkOpen  = "[secret: "
	MarkClose = "]"
)

// Mask puts marks in place of the secrets in s and counts them by kind; found is
// nil when there are none, and s as it was. doc/privacy.md lists the kinds.
func Mask(s string) (masked string, found map[string]int) {
	const patience = 8 // rounds: more than two takes a text made for it
	for range patience {
		m := masker{s: s, found: found}
		m.scan(0, len(s))
		if m.kept == 0 {
			break
		}
		m.out.WriteString(s[m.kept:])
		s, found = m.out.String(), m.found
	}
	return s, found
}

// masker looks for secrets in s, from its beginning to its end.
type masker struct {
	s     string
	done  int // where the last secret ended: nothing before it counts
	kept  int // s[:kept] is in out
	out   strings.Builder
	found map[string]int
	ahead map[string]ahead // see next
}

// scan masks the secrets that lie between two places.
func (m *masker) scan(from, to int) {
	for at := secrets.next(m.s, from); at < to; {
		kind, sp := m.secretAt(at)
		if sp.End == 0 || sp.End > to {
			at = secrets.next(m.s, at+1)
			continue
		}
		m.scan(at+1, sp.Start) // the user in a URL may be a token
		if kind != "" {
			m.mask(kind, sp)
		}
		m.done = sp.End
		at = secrets.next(m.s, sp.End)
	}
}

func (m *masker) mask(kind string, sp Span) {
	if m.found == nil {
		m.found = map[string]int{}
	}
	m.found[kind]++
	m.out.WriteString(m.s[m.kept:sp.Start] + MarkOpen + kind + MarkClose)
	m.kept = sp.End
}

// A shape is a way to know a secret.
type shape struct {
	anchor string // in lower case: any case will do, unless exact
	exact  bool
	// find judges the anchor at a place: the kind of a secret, and where it
	// stands; an empty span when there is none.
	find func(m *masker, at int) (kind string, sp Span)
}

// secretAt tries the shapes whose anchors may begin at a place. A mark that is
// there already is a span without a kind.
func (m *masker) secretAt(at int) (kind string, sp Span) {
	if n := markLen(m.s[at:]); n > 0 {
		return "", Span{at, at + n}
	}
	for _, sh := range secrets.shapes[trigram(m.s[at:])] {
		if !hasAnchor(m.s[at:], sh.anchor, sh.exact) {
			continue
		}
		if kind, sp = sh.find(m, at); sp.End > 0 && sp.Start >= m.done {
			return kind, sp
		}
	}
	return "", Span{}
}

// markLen gives the length of the mark that s begins with, 0 for none.
func markLen(s string) int {
	rest, ok := strings.CutPrefix(s, MarkOpen)
	if !ok {
		return 0
	}
	end := strings.Index(rest[:min(len(rest), longestKind+1)], MarkClose)
	if end <= 0 || strings.Trim(rest[:end], "abcdefghijklmnopqrstuvwxyz ") != "" {
		return 0
	}
	return len(MarkOpen) + end + len(MarkClose)
}

// longestKind bounds the name of a kind: lower-case letters and blanks.
const longestKind = 24

func hasAnchor(s, anchor string, exact bool) bool {
	if len(s) < len(anchor) {
		return false
	}
	return exact && s[:len(anchor)] == anchor || !exact && foldsTo(s[:len(anchor)], anchor)
}

// foldsTo reports whether s is word, which is in lower case, in any case of its
// ASCII letters.
func foldsTo(s, word string) bool {
	if len(s) != len(word) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c != word[i] && (c < 'A' || c > 'Z' || c|0x20 != word[i]) {
			return false
		}
	}
	return true
}

// hasWord reports whether word, in lower case, stands anywhere in s.
func hasWord(s, word string) bool {
	for i := 0; i+len(word) <= len(s); i++ {
		if s[i]|0x20 == word[0]|0x20 && foldsTo(s[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

// begins reports whether a word begins at i. ASCII letters and digits before it
// make it part of theirs, unless they end what was escaped: \n, %3D, \u0026, or
// a colour of a terminal.
func (m *masker) begins(i int) bool {
	s := m.s[m.done:i]
	n := len(s)
	if n == 0 || !alnum[s[n-1]] {
		return true
	}
	switch {
	case n >= 2 && s[n-2] == '\\':
		return strings.IndexByte("nrtbfv", s[n-1]) >= 0
	case n >= 3 && s[n-3] == '%':
		return hexDigits[s[n-2]] && hexDigits[s[n-1]]
	case n >= 6 && s[n-6] == '\\' && s[n-5] == 'u':
		return true
	case s[n-1] == 'm':
		s = strings.TrimRight(s[max(0, n-12):n-1], "0123456789;")
		return strings.HasSuffix(s, "\x1b[")
	}
	return false
}

// anchors finds the places where shapes may begin.
type anchors struct {
	bits   [1 << 9]uint64 // of hashes of trigrams
	shapes map[uint32][]shape
}

// trigram is three bytes, letters in lower case; a few other bytes fall together.
func trigram(s string) uint32 {
	return uint32(s[0]|0x20)<<16 | uint32(s[1]|0x20)<<8 | uint32(s[2]|0x20)
}

func trigramHash(t uint32) uint32 { return t * 0x9E3779B1 >> 17 }

func newAnchors(shapes []shape) *anchors {
	a := &anchors{shapes: map[uint32][]shape{}}
	for _, sh := range shapes {
		t := trigram(sh.anchor)
		a.shapes[t] = append(a.shapes[t], sh)
		h := trigramHash(t)
		a.bits[h>>6] |= 1 << (h & 63)
	}
	return a
}

// next gives the first place from i on where an anchor may begin, len(s) for
// none. It is all that happens to most of a text.
func (a *anchors) next(s string, i int) int {
	if len(s)-i < 3 {
		return len(s)
	}
	t := uint32(s[i]|0x20)<<8 | uint32(s[i+1]|0x20)
	for i += 2; i < len(s); i++ {
		t = (t<<8 | uint32(s[i]|0x20)) & 0xFFFFFF
		if h := trigramHash(t); a.bits[h>>6]&(1<<(h&63)) != 0 {
			return i - 2
		}
	}
	return len(s)
}

var secrets = newAnchors(allShapes())

// allShapes lists the shapes; of those with the same anchor the first counts.
func allShapes() []shape {
	out := []shape{{anchor: MarkOpen, exact: true, find: func(*masker, int) (string, Span) { return "", Span{} }}}
	out = append(out, tokenShapes()...)
	out = append(out, frameShapes()...)
	return append(out, nameShapes()...)
}
