package text

import (
	"sync"
	"unicode/utf8"
)

// The tokenizer. Its main loop has three ways through a text:
//
//   - a plain ASCII word, as nearly every word of English prose is, is
//     scanned as bytes and emitted at once;
//   - a plain Han, kana or hangul character is emitted with its neighbour;
//   - anything else (compounds, capitals inside, other scripts, characters
//     that fold) goes through the folder, glyph by glyph.
//
// All three give what the third alone would give; they differ in speed.
//
// Rules of a word:
//
//   - Letters and digits make words. An apostrophe inside a word is dropped
//     (don't is dont, O'Brien is obrien with the parts o and brien), and so
//     are the English endings 's 'll 're 've 'd 'm with it: Alice's is alice,
//     we're is we.
//   - One of - _ . / between word characters joins a compound: compound.go.
//   - A comma before a group of three digits is dropped: 1,000 is 1000.
//     Other punctuation of numbers follows the compounds (1.5, 2024-05-01)
//     or separates (15:00).
//   - Letters followed by ++ or # are also a word with them: C++, F#.
//   - Emoji, symbols and invalid bytes separate.
//   - A run of Han, Hiragana, Katakana, Hangul or Thai gives each character
//     and each pair of neighbours. Marks belong to the character before them.

// Terms calls emit for every term of s, positions ascending, and returns the
// number of words (positions): the length that BM25 counts. Terms are cut at
// 64 runes. Invalid UTF-8 separates words.
func Terms(s string, emit func(Term)) (words int) {
	l := lexers.Get().(*lexer)
	words = l.terms(s, emit)
	l.release()
	return words
}

// lexer is one walk over one text. It keeps its buffers between texts, so
// that a term costs no allocation.
type lexer struct {
	folder
	emit func(Term)
	pos  int // words so far

	// The CJK run in progress: its script (gap when none) and its last
	// character, kept to make the pair with the next one.
	run       class
	pair      []byte
	lastStart int

	// The compound in progress.
	word    []glyph
	text    []byte
	offsets []int   // of each glyph in text, and of its end
	borders []level // before each glyph
	scratch [maxRunes + 8]byte

	// What Query needs to know of the term being emitted.
	compound int   // number of its compound
	level    level // at which its part was cut off, whole for none
	isStem   bool
}

var lexers = sync.Pool{New: func() any { return new(lexer) }}

func (l *lexer) terms(s string, emit func(Term)) int {
	l.s, l.i, l.emit, l.pos, l.compound = s, 0, emit, 0, 0
	l.run, l.queue, l.head = gap, l.queue[:0], 0
	for l.next() {
	}
	return l.pos
}

// release lets go of the text and gives the buffers back.
func (l *lexer) release() {
	l.s, l.emit = "", nil
	lexers.Put(l)
}

// next takes one word, one character of a run, or one gap.
func (l *lexer) next() bool {
	if l.head < len(l.queue) {
		l.rewind()
	}
	if len(l.queue) == 0 && l.plain() {
		return true
	}
	g := l.peek(0)
	switch {
	case g.start == len(l.s):
		return false
	case g.class.isWord():
		l.run = gap
		l.readCompound()
	case g.class.isCJK():
		l.readCharacter(g)
	case g.class == mark: // on nothing, or on a Han character: no meaning
		l.drop(1)
	default:
		l.run = gap
		l.drop(1)
	}
	return true
}

// plain handles the input at l.i on the two short ways, as far as they lead,
// and reports whether it made any progress.
func (l *lexer) plain() bool {
	s, i := l.s, l.i
	for i < len(s) {
		if s[i] < utf8.RuneSelf {
			switch asciiClass[s[i]] {
			case letter, digit:
				j := l.plainWord(i)
				if j == i {
					goto done
				}
				i = j
			default:
				i++
			}
			l.run = gap
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if c := plainCJK(r); c != gap && (c == han || !composes(s[i+size:])) {
			l.character(c, s[i:i+size], i, i+size)
		} else if plainGap(r) || r == 0xFF0C { // no number is in progress here
			l.run = gap
		} else {
			goto done
		}
		i += size
	}
done:
	made := i > l.i
	l.i = i
	return made
}

// plainWord emits the ASCII word at i when it is nothing but letters (first
// or all of them capitals) or digits, and gives its end; i when it is not.
func (l *lexer) plainWord(i int) int {
	s := l.s
	j := i + 1
	kind := asciiClass[s[i]]
	if kind == digit {
		for j < len(s) && s[j]-'0' < 10 {
			j++
		}
	} else {
		for j < len(s) && s[j]-'a' < 26 {
			j++
		}
		if j == i+1 && s[i]-'A' < 26 {
			for j < len(s) && s[j]-'A' < 26 {
				j++
			}
		}
	}
	if j-i > maxRunes || !l.endsPlain(j, kind) {
		return i
	}
	buf := append(l.text[:0], s[i:j]...)
	if kind == letter {
		for k, c := range buf {
			buf[k] = asciiLower[c]
		}
	}
	l.text = buf
	l.compound++
	l.level = whole
	l.emitStemmed(buf, Exact, kind == letter, i, j)
	l.pos++
	return j
}

// endsPlain reports whether a word of the given kind surely ends at j.
func (l *lexer) endsPlain(j int, kind class) bool {
	s := l.s
	if j == len(s) {
		return true
	}
	c := s[j]
	if c >= utf8.RuneSelf {
		r, _ := utf8.DecodeRuneInString(s[j:])
		return plainCJK(r) != gap || plainGap(r)
	}
	switch asciiClass[c] {
	case gap:
		return true
	case comma:
		return kind != digit || j+1 == len(s) || s[j+1] < utf8.RuneSelf && asciiClass[s[j+1]] != digit
	case joiner, apostrophe:
		return j+1 == len(s) || s[j+1] < utf8.RuneSelf && !asciiClass[s[j+1]].isWord()
	}
	return false
}

// composes reports whether s begins with a character that could merge with a
// kana or hangul syllable before it: voicing marks and trailing jamo.
func composes(s string) bool {
	if s == "" || s[0] < 0xE1 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s)
	return r == 0x3099 || r == 0x309A || r == 0xFF9E || r == 0xFF9F || 0x1160 <= r && r <= 0x11FF
}

// readCharacter takes one character of a run, with its marks where these
// spell (Thai vowels and tones).
func (l *lexer) readCharacter(g glyph) {
	const maxMarks = 8 // more are a joke, and a term has an end
	buf := utf8.AppendRune(l.text[:0], g.r)
	l.drop(1)
	end := g.end
	for n := 0; ; n++ {
		m := l.peek(0)
		if m.class != mark {
			break
		}
		if g.class == thai && n < maxMarks {
			buf, end = utf8.AppendRune(buf, m.r), m.end
		}
		l.drop(1)
	}
	l.text = buf
	l.character(g.class, string(buf), g.start, end)
}

// character emits a character of a run and its pair with the one before.
func (l *lexer) character(c class, ch string, start, end int) {
	if c == prolong {
		if c = l.run; c != hiragana && c != han {
			c = katakana
		}
	}
	if c == l.run {
		n := len(l.pair)
		l.pair = append(l.pair, ch...)
		l.emit(Term{l.pair, Bigram, l.pos - 1, l.lastStart, end})
		l.pair = append(l.pair[:0], l.pair[n:]...)
	} else {
		l.run = c
		l.pair = append(l.pair[:0], ch...)
	}
	l.emit(Term{l.pair, Unigram, l.pos, start, end})
	l.lastStart = start
	l.pos++
}

// emitStemmed emits a word or part, and its stem where that differs.
func (l *lexer) emitStemmed(word []byte, kind Kind, letters bool, start, end int) {
	l.isStem = false
	l.emit(Term{word, kind, l.pos, start, end})
	if !letters || len(word) < minStem {
		return
	}
	st := stem(append(l.scratch[:0], word...))
	if string(st) == string(word) {
		return
	}
	if kind == Exact {
		kind = Stem
	}
	l.isStem = true
	l.emit(Term{st, kind, l.pos, start, end})
}
