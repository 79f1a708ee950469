package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Sentences cuts s after 。！？.!? and line breaks (not inside numbers,
// abbreviations, URLs), covering every byte of s. White space after a
// sentence belongs to it, quotes and brackets that close it too; a text that
// begins with blank lines has them in its first sentence.
func Sentences(s string) []Span {
	var out []Span
	start, i := 0, blanks(s, 0)
	for i < len(s) {
		next, cut := sentenceEnd(s, start, i)
		if cut {
			next = blanks(s, next)
			out = append(out, Span{start, next})
			start = next
		}
		i = next
	}
	if start < len(s) {
		out = append(out, Span{start, len(s)})
	}
	return out
}

// blanks skips white space from i on.
func blanks(s string, i int) int {
	return len(s) - len(strings.TrimLeftFunc(s[i:], unicode.IsSpace))
}

// sentenceEnd judges the byte at i of a sentence that began at start: whether
// it ends there, and where to go on. It never looks twice at a row of marks,
// however long.
func sentenceEnd(s string, start, i int) (next int, cut bool) {
	switch c := s[i]; {
	case c == '\n' || c == '\r':
		return i + 1, true
	case c == '.' || c == '!' || c == '?':
		end := closers(s, i+1)
		return end, endsHere(s, start, i, end)
	case c == 0xE2 || c == 0xE3 || c == 0xEF:
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == 0x2028 || r == 0x2029 || isFullStop(r) {
			return closers(s, i+size), true
		}
	}
	return i + 1, false
}

func isFullStop(r rune) bool {
	switch r {
	case '。', '！', '？', '｡', '‼', '⁇', '⁈', '⁉':
		return true
	}
	return false
}

// endsHere judges . ! and ? at i, with what closes the sentence up to end:
// they end it before white space, before the end of the text, and before a
// character of a script without spaces.
func endsHere(s string, start, i, end int) bool {
	if end < len(s) {
		r, _ := utf8.DecodeRuneInString(s[end:])
		if !unicode.IsSpace(r) && !(IsCJK(r) && end == i+1 && !endsInDigit(s[:i])) {
			return false
		}
	}
	return s[i] != '.' || end > i+1 || !isAbbreviation(s[start:i], s[end:])
}

// closers skips further marks and what closes quotes and brackets.
func closers(s string, i int) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !isFullStop(r) && !strings.ContainsRune(`.!?"')]}*_”’」』）】》〉`, r) {
			break
		}
		i += size
	}
	return i
}

func endsInDigit(s string) bool {
	return s != "" && s[len(s)-1]-'0' < 10
}

// Abbreviations, by what follows them within a sentence; one letter is always
// taken for one. Of the others a capital behind them begins the next sentence:
// "milk, etc. Then go."
var (
	titles      = wordSet("mr mrs ms dr prof st jr sr no fig rev gen capt sgt")                                        // a name, when they have a capital
	comparisons = wordSet("vs cf approx esp viz")                                                                      // anything
	counters    = wordSet("no nr fig figs sec eq pp vol ch dept est jan feb mar apr jun jul aug sep sept oct nov dec") // a number
	firms       = wordSet("etc inc ltd corp co jr ave dept")                                                           // a small letter
)

// isAbbreviation reports whether the full stop between before and after does
// not end a sentence: before is a list number, or its last word short for
// another that after goes on from.
func isAbbreviation(before, after string) bool {
	const longest = 6
	n := len(before)
	for n > 0 && len(before)-n <= longest && asciiClass[before[n-1]] == letter {
		n--
	}
	word := before[n:]
	if word == "" {
		return isListNumber(before)
	}
	if n > 0 && before[n-1] >= utf8.RuneSelf {
		return false
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, " \t"))
	short := strings.ToLower(word)
	switch {
	case len(word) == 1, titles[short] && word[0] < 'a', comparisons[short]:
		return true
	case counters[short]:
		return unicode.IsDigit(next)
	}
	return firms[short] && unicode.IsLower(next)
}

func isListNumber(s string) bool {
	const longest = 9 + 16 // digits and indentation
	if len(s) > longest {
		return false
	}
	s = strings.TrimSpace(s)
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// Clip is a text of at most max bytes and, where more was there, a …: cut between
// words if its second half has a blank, and never within a grapheme.
func Clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	s = s[:CutGrapheme(s, max)]
	if i := strings.LastIndexByte(s, ' '); i > max/2 {
		s = s[:i]
	}
	return strings.TrimRight(s, " ,;:，；：") + "…"
}

// Width is how many columns a terminal gives a text: Han, kana and hangul take two.
func Width(s string) int { return uniseg.StringWidth(s) }

// graphemeWindow is how far CutGrapheme looks back: many times any cluster
// that means something (a family of four with skin tones takes 41 bytes).
const graphemeWindow = 256

// CutGrapheme gives the largest index ≤ max at which s may be cut without
// splitting a grapheme cluster (0 ≤ result ≤ len(s)). It looks back a bounded
// number of bytes, so a cluster of more than 256 bytes (hundreds of accents
// on one letter) is cut between two characters.
func CutGrapheme(s string, max int) int {
	if max <= 0 {
		return 0
	}
	if max >= len(s) {
		return len(s)
	}
	if isSafeCut(s, max) {
		return max
	}
	start, sure := windowStart(s, max)
	for at := start; ; {
		cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(s[at:], -1)
		switch next := at + len(cluster); {
		case next == max:
			return max
		case next < max:
			at = next
		case at == start && !sure:
			return runeStart(s, max)
		default:
			return at
		}
	}
}

// isSafeCut reports places where a cut is surely right: between two
// characters of which neither joins with anything on that side.
func isSafeCut(s string, i int) bool {
	if s[i-1] < utf8.RuneSelf && s[i] < utf8.RuneSelf {
		return s[i-1] != '\r' || s[i] != '\n'
	}
	if !utf8.RuneStart(s[i]) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	return isAlone(r) && isAlone(before)
}

func isAlone(r rune) bool {
	return r < utf8.RuneSelf && r != '\r' && r != '\n' || plainGap(r) || plainCJK(r) != gap && r < 0xAC00
}

// windowStart gives a place before i from which clusters can be counted: the
// nearest safe cut, else the beginning of the window, which is not sure to be
// a boundary. Flags are pairs of letters that nothing but their count divides,
// so a window that begins among them looks back to the first.
func windowStart(s string, i int) (start int, sure bool) {
	low := i - graphemeWindow
	for at := i - 1; at > max(low, 0); at-- {
		if isSafeCut(s, at) {
			return at, true
		}
	}
	if low <= 0 {
		return 0, true
	}
	low = runeStart(s, low)
	if pairs(s, low)%2 == 1 {
		low -= 4
	}
	return low, false
}

// pairs counts the letters of flags before i.
func pairs(s string, i int) (n int) {
	for {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		if r < 0x1F1E6 || r > 0x1F1FF {
			return n
		}
		n++
		i -= size
	}
}

// runeStart gives the beginning of the character that i lies in.
func runeStart(s string, i int) int {
	for k := i; k > i-utf8.UTFMax && k >= 0; k-- {
		if !utf8.RuneStart(s[k]) {
			continue
		}
		if _, size := utf8.DecodeRuneInString(s[k:]); k+size > i {
			return k
		}
		break
	}
	return i
}

// Tokens estimates the number of tokens a language model counts: one for
// each Han, kana or hangul character, one for four other characters.
func Tokens(s string) int {
	cjk, others := Characters(s)
	return cjk + (others+3)/4
}

// Characters counts the Han, kana and hangul characters of s, and all others.
func Characters(s string) (cjk, others int) {
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			others++
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if plainCJK(r) != gap || IsCJK(r) && !unicode.Is(unicode.Thai, r) {
			cjk++
		} else {
			others++
		}
	}
	return cjk, others
}
