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
	first, second := l.peek(0), l.peek(1)
	switch {
	case first.class == plus && second.class == plus:
		if after := l.peek(2).class; after != letter && after != plus {
			l.drop(2)
			return suffix{"++", second.end}
		}
	case first.class == hash && !second.class.isWord() && second.class != hash:
		l.drop(1)
		return suffix{"#", first.end}
	}
	return suffix{}
}

// emitCompound emits l.word: the whole unless it is too long, then its parts.
func (l *lexer) emitCompound(long bool, suf suffix) {
	l.spell()
	n := len(l.word)
	long = long || n+len(suf.text) > maxRunes
	simple := suf.text == "" && !l.divides(0, n)
	l.level = whole
	switch {
	case simple:
		l.emitRange(0, n, Exact)
		l.pos++
		return
	case long:
	case suf.text == "":
		l.emitRange(0, n, Exact)
	default:
		l.emitSuffixed(0, suf, Exact)
	}
	l.emitParts(0, n, atSlash, true, suf)
}

// spell writes the word's text and the offset of each glyph in it.
func (l *lexer) spell() {
	l.text, l.offsets = l.text[:0], l.offsets[:0]
	for _, g := range l.word {
		l.offsets = append(l.offsets, len(l.text))
		l.text = utf8.AppendRune(l.text, g.r)
	}
	l.offsets = append(l.offsets, len(l.text))
}

// divides reports whether any level cuts the range.
func (l *lexer) divides(a, b int) bool {
	for lv := atSlash; lv < levelCount; lv++ {
		if l.cut(a, b, lv) < b {
			return true
		}
	}
	return false
}

// emitParts emits the parts of l.word[a:b], cut at lv and below. The whole
// word is not its own part, except as the C of C++.
func (l *lexer) emitParts(a, b int, lv level, isWhole bool, suf suffix) {
	if b == len(l.word) && !isWhole && suf.text != "" && !l.divides(a, b) {
		l.emitSuffixed(a, suf, Part)
	}
	for lv < levelCount && l.cut(a, b, lv) == b {
		lv++
	}
	if lv == levelCount {
		l.emitRange(a, b, Part)
		l.pos++
		return
	}
	if !isWhole {
		l.emitRange(a, b, Part)
	}
	for a < b {
		end := l.cut(a, b, lv)
		l.level = lv
		l.emitParts(a, end, lv, false, suf)
		a = end
		if a < b && l.word[a].class == joiner {
			a++
		}
	}
}

// cut gives the end of the first part of l.word[a:b] at a level, b if it has
// only one.
func (l *lexer) cut(a, b int, lv level) int {
	if lv >= atDigit && l.isHash(a, b) {
		return b
	}
	for k := a; k < b; k++ {
		g := &l.word[k]
		switch lv {
		case atSlash:
			if g.r == '/' {
				return k
			}
		case atJoiner:
			if g.class == joiner && g.r != '/' {
				return k
			}
		case atDigit:
			if k > a && g.class != l.word[k-1].class && g.class.isWord() && l.word[k-1].class.isWord() {
				return k
			}
		case atCase:
			if k > a && l.caseBorder(k, b) {
				return k
			}
		}
	}
	return b
}

// caseBorder reports whether a part begins at k: a capital after a small
// letter, or the last of several capitals before a small one (HTTP|Server).
func (l *lexer) caseBorder(k, b int) bool {
	g, prev := &l.word[k], &l.word[k-1]
	if !g.upper || prev.class != letter {
		return false
	}
	return !prev.upper || k+1 < b && l.word[k+1].class == letter && !l.word[k+1].upper
}

// isHash reports whether digits and letters change too often to mean words.
func (l *lexer) isHash(a, b int) bool {
	runs := 0
	for k := a; k < b; k++ {
		if l.word[k].class == digit && (k == a || l.word[k-1].class != digit) {
			runs++
		}
		if l.word[k].class == joiner {
			runs = 0
		}
		if runs > maxDigitRuns {
			return true
		}
	}
	return false
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
