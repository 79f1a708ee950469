package text

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Folding makes one character out of the many ways to write it: NFKC (full
// width, half-width kana, ligatures, circled digits), lower case, Latin
// letters without diacritics. Only Latin loses its marks: in other scripts
// they make other letters (й is not и).
//
// NFKC over a whole text would lose the way back to the bytes of the input.
// So the input is folded one normalisation segment at a time, a base with
// its marks, and every character that comes out keeps the range of the
// segment that it came from. Characters that no rule touches, nearly all of
// English, Chinese, Japanese and Korean, take no part in it.

// glyph is a folded character and where it came from.
type glyph struct {
	r          rune
	class      class
	upper      bool // was a capital: a border in camelCase
	start, end int
}

// folder reads glyphs off a string, with as much look-ahead as is asked for.
type folder struct {
	s     string
	i     int     // first byte not yet in the queue
	queue []glyph // read but not yet taken: queue[head:]
	head  int
	iter  norm.Iter
}

// peek gives the k-th glyph ahead; its class is gap at the end of the input.
func (f *folder) peek(k int) glyph {
	if f.head+k < len(f.queue) {
		return f.queue[f.head+k]
	}
	return f.peekFar(k)
}

func (f *folder) peekFar(k int) glyph {
	for f.head+k >= len(f.queue) {
		if !f.fill() {
			return glyph{start: len(f.s), end: len(f.s)}
		}
	}
	return f.queue[f.head+k]
}

// drop takes n glyphs that were peeked at.
func (f *folder) drop(n int) {
	f.head += n
	if f.head >= len(f.queue) {
		f.queue, f.head = f.queue[:0], 0
	}
}

// rewind forgets the look-ahead, unless its first glyph is one of several of
// a segment, so that what follows may be read by other means.
func (f *folder) rewind() {
	if f.head == 0 || f.queue[f.head-1].start == f.queue[f.head].start {
		return
	}
	f.i = f.queue[f.head].start
	f.queue, f.head = f.queue[:0], 0
}

// fill reads one more segment into the queue. A segment may yield nothing
// (a soft hyphen) or several glyphs (㈱ is three), so callers loop.
func (f *folder) fill() bool {
	if f.i >= len(f.s) {
		return false
	}
	i := f.i
	if c := f.s[i]; c < utf8.RuneSelf {
		f.i++
		f.pushASCII(c, i, i+1)
		return true
	}
	r, size := utf8.DecodeRuneInString(f.s[i:])
	switch {
	case r == utf8.RuneError && size == 1:
		f.i++
		f.queue = append(f.queue, glyph{start: i, end: i + 1})
	case r < latinEnd && unicode.IsLetter(r), isTrademark(r),
		plainCJK(r) != gap && !composes(f.s[i+size:]):
		f.i += size
		f.push(r, i, i+size)
	default:
		f.normalise(i)
	}
	return true
}

func (f *folder) normalise(i int) {
	n := norm.NFKC.NextBoundaryInString(f.s[i:], true)
	if n <= 0 {
		_, n = utf8.DecodeRuneInString(f.s[i:])
	}
	f.i = i + n
	// An iterator of our own allocates nothing, unlike AppendString.
	for f.iter.InitString(norm.NFKC, f.s[i:i+n]); !f.iter.Done(); {
		for b := f.iter.Next(); len(b) > 0; {
			r, size := utf8.DecodeRune(b)
			b = b[size:]
			f.push(r, i, i+n)
		}
	}
}

// push queues a character that has been through NFKC.
func (f *folder) push(r rune, start, end int) {
	if r < utf8.RuneSelf {
		f.pushASCII(byte(r), start, end)
		return
	}
	c := classOf(r)
	if c == skip {
		return
	}
	g := glyph{r: r, class: c, start: start, end: end}
	if c == letter {
		g.upper = unicode.IsUpper(r)
		if base := latinBase(r); base != "" {
			for _, g.r = range base {
				f.queue = append(f.queue, g)
				g.upper = false // Æ is one capital
			}
			return
		}
		g.r = lower(r)
	}
	f.queue = append(f.queue, g)
}

func (f *folder) pushASCII(c byte, start, end int) {
	f.queue = append(f.queue, glyph{
		r: rune(asciiLower[c]), class: asciiClass[c], upper: 'A' <= c && c <= 'Z',
		start: start, end: end,
	})
}

// lower is lower case, and one sigma: the capital of a final ς does not tell
// that it was final.
func lower(r rune) rune {
	if r = unicode.ToLower(r); r == 'ς' {
		return 'σ'
	}
	return r
}

// isTrademark reports signs that NFKC would spell out as letters of the word
// before them: Foo™ is Foo, not footm.
func isTrademark(r rune) bool { return r == 0x2122 || r == 0x2120 }

const (
	latinEnd      = 0x250 // the Latin blocks with the letters of European languages
	vietnameseEnd = 0x1F00
	vietnamese    = 0x1E00
)

// latinSpecial are letters that Unicode does not take apart but people do.
var latinSpecial = map[rune]string{
	'ß': "ss", 'ẞ': "ss", 'æ': "ae", 'Æ': "ae", 'œ': "oe", 'Œ': "oe", 'ø': "o", 'Ø': "o",
	'đ': "d", 'Đ': "d", 'ð': "d", 'Ð': "d", 'þ': "th", 'Þ': "th", 'ł': "l", 'Ł': "l",
	'ħ': "h", 'Ħ': "h", 'ı': "i", 'ŧ': "t", 'Ŧ': "t", 'ŋ': "n", 'Ŋ': "n",
	'ŉ': "n", 'µ': "μ",
}

// latinTable holds the folded forms of both Latin blocks, made on first use
// since most processes never see the second.
var latinTable = sync.OnceValue(func() *[latinEnd + 0x100]string {
	var t [latinEnd + 0x100]string
	for i := range t {
		r := rune(i)
		if i >= latinEnd {
			r = vietnamese + rune(i) - latinEnd
		}
		t[i] = foldLatin(r)
	}
	return &t
})

// latinBase gives the folded form of a Latin letter beyond ASCII, "" for
// every other character.
func latinBase(r rune) string {
	switch {
	case r < latinEnd:
		return latinTable()[r]
	case vietnamese <= r && r < vietnameseEnd:
		return latinTable()[latinEnd+r-vietnamese]
	case r < vietnamese:
		return ""
	}
	return foldLatin(r)
}

func foldLatin(r rune) string {
	if s := latinSpecial[r]; s != "" {
		return s
	}
	if !unicode.Is(unicode.Latin, r) {
		return ""
	}
	var b strings.Builder
	for _, d := range norm.NFKD.String(string(r)) {
		if base := latinSpecial[d]; base != "" { // Ǿ is ø with an accent
			b.WriteString(base)
		} else if !unicode.IsMark(d) {
			b.WriteRune(unicode.ToLower(d))
		}
	}
	return b.String()
}

// Fold is NFKC, lower case, diacritics of Latin letters removed, white space
// collapsed to one blank and trimmed: the form in which names are compared.
// Invisible characters are removed and invalid bytes become U+FFFD.
func Fold(s string) string {
	if isFolded(s) {
		return s
	}
	b := make([]byte, 0, len(s))
	if isASCII(s) {
		return string(foldASCII(b, s))
	}
	latin, blank := false, false
	for _, r := range norm.NFKC.String(visible(s)) {
		switch {
		case unicode.IsSpace(r):
			blank, latin = len(b) > 0, false
			continue
		case isIgnorable(r), latin && unicode.IsMark(r):
			continue
		}
		if blank {
			b, blank = append(b, ' '), false
		}
		if base := latinBase(r); base != "" {
			b, latin = append(b, base...), true
			continue
		}
		latin = r < utf8.RuneSelf
		b = utf8.AppendRune(b, lower(r))
	}
	return norm.NFC.String(string(b))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// foldASCII is Fold of what needs no normalising, ten times as fast.
func foldASCII(b []byte, s string) []byte {
	blank := false
	for i := range len(s) {
		c := s[i]
		switch {
		case c == ' ' || '\t' <= c && c <= '\r':
			blank = len(b) > 0
			continue
		case isIgnorable(rune(c)):
			continue
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		}
		if blank {
			b, blank = append(b, ' '), false
		}
		b = append(b, c)
	}
	return b
}

// visible removes what is ignored, before normalising: an invisible
// character would keep a letter and its mark apart.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if isIgnorable(r) {
			return -1
		}
		return r
	}, s)
}

// isFolded reports ASCII that folding would not change.
func isFolded(s string) bool {
	blank := true
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' || c != ' ' && unicode.IsSpace(rune(c)) {
			return false
		}
		if c == ' ' && blank {
			return false
		}
		blank = c == ' '
	}
	return !blank || s == ""
}

// NameWords calls emit for each word of a folded name in which a typing error
// can be told: Latin letters alone, at least four. Digits and signs part words.
func NameWords(name string, emit func(string)) {
	for _, w := range strings.FieldsFunc(Fold(name), func(r rune) bool { return r < 'a' || 'z' < r }) {
		if minNameWord <= len(w) && len(w) <= maxNameWord {
			emit(w)
		}
	}
}

const (
	minNameWord = 4
	maxNameWord = 40
)
