package text

import "unicode/utf8"

// A compound is a word with joiners or borders inside: a path, a version, an
// identifier. It is emitted whole and cut at four levels, outermost first;
// each range that some level divides is emitted as a part before its own
// parts, so that every name somebody might ask for by itself is there:
//
//	src/HTTPServer2.go
//	  src, HTTPServer2.go → HTTPServer2 → HTTPServer → HTTP, Server; 2; go
//
// Each smallest part is a word position; larger ones stand at their first.

// level is where a compound is cut.
type level uint8

const (
	whole      level = iota // not cut
	atSlash                 // path/to
	atJoiner                // snake_case, v1.2
	atDigit                 // utf8, PostgreSQL15
	atCase                  // getUserName, HTTPServer
	levelCount              // all borders used: the smallest part
)

const (
	// maxPieces bounds a compound: longer ones (a line of base64, a data
	// URL) have no whole that anybody asks for, but all their parts count.
	maxPieces = 16
	// maxDigitRuns: a piece with more runs of digits is a hash or a key.
	// Its letters and digits mean nothing apart.
	maxDigitRuns = 2
)

// readCompound takes a word from the folder and emits its terms.
func (l *lexer) readCompound() {
	l.compound++
	l.word = l.word[:0]
	pieces, runes, long := 1, 0, false
	for {
		runes = l.takeASCII(runes)
		g := l.peek(0)
		switch {
		case g.class.isWord():
			if runes++; runes <= maxRunes {
				l.word = append(l.word, g)
			}
			l.drop(1)
		case g.class == mark:
			if last := l.word[len(l.word)-1]; last.r >= utf8.RuneSelf && runes < maxRunes {
				runes++
				g.class = letter
				l.word = append(l.word, g)
			}
			l.drop(1)
		case g.class == joiner && l.peek(1).class.isWord():
			if pieces == maxPieces {
				l.emitCompound(true, suffix{})
				l.word, pieces, long = l.word[:0], 0, true
			} else {
				l.word = append(l.word, g)
			}
			pieces++
			runes = 0
			l.drop(1)
		case g.class == apostrophe && l.insideWord():
			l.drop(1 + l.ending())
		case g.class == comma && l.thousands():
			l.drop(1)
		default:
			l.emitCompound(long, l.readSuffix())
			return
		}
	}
}

// takeASCII adds the ASCII letters and digits at l.i to a piece that has so
// many runes, past the queue where that is empty.
func (l *lexer) takeASCII(runes int) int {
	if len(l.queue) > 0 {
		return runes
	}
	for ; l.i < len(l.s); l.i++ {
		c := l.s[l.i]
		if !asciiClass[c].isWord() {
			break
		}
		if runes++; runes <= maxRunes {
			l.word = append(l.word, glyph{rune(asciiLower[c]), asciiClass[c], c-'A' < 26, l.i, l.i + 1})
		}
	}
	return runes
}

// insideWord reports whether the apostrophe ahead stands between letters, or
// between a number and its ending (the 1990's).
func (l *lexer) insideWord() bool {
	return l.peek(1).class == letter && l.word[len(l.word)-1].class != joiner
}

// ending gives the length of the English ending after the apostrophe ahead,
// 0 when the word goes on.
func (l *lexer) ending() int {
	for _, e := range [...]string{"s", "ll", "re", "ve", "d", "m"} {
		if l.aheadIs(1, e) && !l.peek(1+len(e)).class.isWord() {
			return len(e)
		}
	}
	return 0
}

func (l *lexer) aheadIs(k int, s string) bool {
	for i := range len(s) {
		if l.peek(k+i).r != rune(s[i]) {
			return false
		}
	}
	return true
}

// thousands reports whether the comma ahead parts a number into groups: at
// most three digits before it (and other groups), exactly three after it.
func (l *lexer) thousands() bool {
	digits := 0
	for k := len(l.word) - 1; k >= 0 && l.word[k].class != joiner; k-- {
		if l.word[k].class != digit {
			return false
		}
		digits++
		if k > 0 && l.word[k].start != l.word[k-1].end {
			break // a comma was dropped here: a group ends
		}
	}
	if digits == 0 || digits > 3 {
		return false
	}
	for k := 1; k <= 3; k++ {
		if l.peek(k).class != digit {
			return false
		}
	}
	return !l.peek(4).class.isWord()
}

// suffix is the ++ or # of a language's name.
type suffix struct {
	text string
	end  int
}

// readSuffix takes a ++ or # that belongs to the word before it. What goes on
// after it is an expression (a++b) or an anchor (page#part), but C++17 is not.
func (l *lexer) readSuffix() suffix {
	if l.word[len(l.word)-1].class != letter {
		return suffix{}
	}
	switch first := l.peek(0); first.class {
	case plus:
		second, after := l.peek(1), l.peek(2).class
		if second.class == plus && after != letter && after != plus {
			l.drop(2)
			return suffix{"++", second.end}
		}
	case hash:
		if after := l.peek(1).class; !after.isWord() && after != hash {
			l.drop(1)
			return suffix{"#", first.end}
		}
	}
	return suffix{}
}

// emitCompound emits l.word: the whole unless it is too long, then its parts.
func (l *lexer) emitCompound(long bool, suf suffix) {
	l.spell()
	l.markBorders()
	n := len(l.word)
	l.level = whole
	switch {
	case suf.text == "" && l.topLevel(0, n) == levelCount:
		l.emitRange(0, n, Exact)
		l.pos++
		return
	case long || n+len(suf.text) > maxRunes:
	case suf.text == "":
		l.emitRange(0, n, Exact)
	default:
		l.emitSuffixed(0, suf, Exact)
	}
	l.emitParts(0, n, suf)
}

// spell writes the word's text and the offset of each glyph in it.
func (l *lexer) spell() {
	l.text, l.offsets = l.text[:0], l.offsets[:0]
	for i := range l.word {
		l.offsets = append(l.offsets, len(l.text))
		l.text = utf8.AppendRune(l.text, l.word[i].r)
	}
	l.offsets = append(l.offsets, len(l.text))
}

// markBorders notes at each glyph which level divides the word there: at a
// joiner, or before a letter or digit; levelCount for none.
func (l *lexer) markBorders() {
	l.borders = l.borders[:0]
	piece, digitRuns := 0, 0
	for k := range l.word {
		lv := l.borderAt(k)
		l.borders = append(l.borders, lv)
		switch {
		case lv <= atJoiner:
			piece, digitRuns = k+1, 0
		case l.word[k].class == digit && (k == piece || lv == atDigit):
			digitRuns++
		}
		if digitRuns > maxDigitRuns {
			for i := piece; i <= k; i++ {
				l.borders[i] = levelCount
			}
		}
	}
}

// borderAt judges glyph k: a joiner; a digit after a letter or the reverse; a
// capital after a small letter; the last of several capitals before a small
// letter (HTTP|Server).
func (l *lexer) borderAt(k int) level {
	g := &l.word[k]
	switch {
	case g.r == '/':
		return atSlash
	case g.class == joiner:
		return atJoiner
	case k == 0 || l.word[k-1].class == joiner:
		return levelCount
	case g.class != l.word[k-1].class:
		return atDigit
	case !g.upper:
		return levelCount
	case !l.word[k-1].upper:
		return atCase
	case k+1 < len(l.word) && l.word[k+1].class == letter && !l.word[k+1].upper:
		return atCase
	}
	return levelCount
}

// topLevel gives the outermost level that divides l.word[a:b], levelCount if
// none does.
func (l *lexer) topLevel(a, b int) level {
	top := levelCount
	for k := a + 1; k < b; k++ {
		top = min(top, l.borders[k])
	}
	return top
}

// emitParts emits the parts of l.word[a:b], and theirs. The ++ or # belongs to
// the last of them.
func (l *lexer) emitParts(a, b int, suf suffix) {
	lv := l.topLevel(a, b)
	if lv == levelCount {
		l.emitRange(a, b, Part)
		l.pos++
		return
	}
	for k := a; k <= b; k++ {
		if k == a || k < b && l.borders[k] != lv {
			continue
		}
		l.level = lv
		l.emitPart(a, k, suf)
		if a = k; k < b && lv <= atJoiner {
			a++
		}
	}
}

func (l *lexer) emitPart(a, b int, suf suffix) {
	divided := l.topLevel(a, b) < levelCount
	if divided {
		l.emitRange(a, b, Part)
	} else if b == len(l.word) && suf.text != "" {
		l.emitSuffixed(a, suf, Part)
	}
	l.emitParts(a, b, suf)
}

// emitRange emits l.word[a:b], cut at the length of a term.
func (l *lexer) emitRange(a, b int, kind Kind) {
	b = min(b, a+maxRunes)
	w := l.text[l.offsets[a]:l.offsets[b]]
	l.emitStemmed(w, kind, isLetters(w), l.word[a].start, l.word[b-1].end)
}

// emitSuffixed emits the word from glyph a on with its ++ or #.
func (l *lexer) emitSuffixed(a int, suf suffix, kind Kind) {
	l.text = append(l.text, suf.text...)
	l.emitStemmed(l.text[l.offsets[a]:], kind, false, l.word[a].start, suf.end)
	l.text = l.text[:l.offsets[len(l.word)]]
}

// isLetters reports a word of English letters only: those have stems.
func isLetters(w []byte) bool {
	for _, c := range w {
		if c-'a' >= 26 {
			return false
		}
	}
	return true
}
