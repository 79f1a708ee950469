package text

import "unicode"

// class is what the tokenizer needs to know of a folded character.
type class uint8

const (
	gap    class = iota // separates words
	skip                // invisible: as if it were not there
	mark                // combining mark: belongs to the letter before it
	letter              // of a script written with spaces
	digit
	joiner     // - _ . / : one of them between word characters joins a compound
	apostrophe // dropped inside a word
	comma      // dropped between groups of three digits
	plus       // C++
	hash       // C#
	prolong    // ー : of the kana run it stands in
	han
	hiragana
	katakana
	hangul
	thai
)

// isWord reports whether a character makes a word with its neighbours.
func (c class) isWord() bool { return c == letter || c == digit }

// isCJK reports whether a character is a word by itself.
func (c class) isCJK() bool { return c >= prolong }

// asciiClass and asciiLower spare the common characters every other look-up.
var asciiClass, asciiLower = asciiTables()

func asciiTables() (cl [256]class, lower [256]byte) {
	for c := range 128 {
		lower[c] = byte(c)
		switch {
		case 'a' <= c && c <= 'z':
			cl[c] = letter
		case 'A' <= c && c <= 'Z':
			cl[c], lower[c] = letter, byte(c)+'a'-'A'
		case '0' <= c && c <= '9':
			cl[c] = digit
		}
	}
	for _, c := range "-_./" {
		cl[c] = joiner
	}
	cl['\''], cl[','], cl['+'], cl['#'] = apostrophe, comma, plus, hash
	return cl, lower
}

// classOf classifies a character after NFKC.
func classOf(r rune) class {
	if r < 0x80 {
		return asciiClass[r]
	}
	if c := plainCJK(r); c != gap {
		return c
	}
	switch {
	case r == 0x2019 || r == 0x02BC: // ’ and the modifier letter that looks like it
		return apostrophe
	case r == 0x2010: // the hyphen that is nothing but a hyphen
		return joiner
	case r == 0x30FC:
		return prolong
	case isIgnorable(r):
		return skip
	case unicode.IsMark(r):
		return markClass(r)
	case unicode.IsLetter(r) || r == 0x3007:
		return letterClass(r)
	case unicode.IsNumber(r):
		return digit
	}
	return gap
}

// markClass drops enclosing marks (the square of a keycap, a circle): they
// decorate and do not spell.
func markClass(r rune) class {
	if unicode.Is(unicode.Me, r) {
		return skip
	}
	return mark
}

func letterClass(r rune) class {
	switch {
	case r < 0x0E00:
		return letter
	case unicode.Is(unicode.Thai, r):
		return thai
	case unicode.Is(unicode.Han, r) || r == 0x3006: // 〆 is written among Han
		return han
	case unicode.Is(unicode.Hiragana, r):
		return hiragana
	case unicode.Is(unicode.Katakana, r):
		return katakana
	case unicode.Is(unicode.Hangul, r):
		return hangul
	}
	return letter
}

// plainCJK names the script of characters that NFKC leaves alone whatever
// stands before them; gap for all others. It is the tokenizer's short cut.
func plainCJK(r rune) class {
	switch {
	case r < 0x3041:
		return gap
	case 0x4E00 <= r && r <= 0x9FFF, 0x3400 <= r && r <= 0x4DBF, 0x20000 <= r && r <= 0x2EBE0:
		return han
	case r <= 0x3096:
		return hiragana
	case 0x30A1 <= r && r <= 0x30FA:
		return katakana
	case 0xAC00 <= r && r <= 0xD7A3:
		return hangul
	}
	return gap
}

// plainGap reports punctuation of Chinese and Japanese text, and of quotes,
// that separates words and needs no folding to tell so.
func plainGap(r rune) bool {
	switch {
	case 0x3000 <= r && r <= 0x3002, 0x3008 <= r && r <= 0x3011, 0x3014 <= r && r <= 0x301B:
		return true
	case r == 0xFF01, r == 0xFF08, r == 0xFF09, r == 0xFF1A, r == 0xFF1B, r == 0xFF1F:
		return true
	case r == 0x2014, r == 0x2018, r == 0x201C, r == 0x201D, r == 0x2022:
		return true
	}
	return false
}

// isIgnorable reports characters without a shape of their own: soft hyphen,
// joiners, direction marks, variation selectors, fillers, byte order mark.
// The zero-width space is none of them: it says that a word ends.
func isIgnorable(r rune) bool {
	switch {
	case r < 0xAD || r == 0x200B:
		return false
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0:
		return true
	case 0x180B <= r && r <= 0x180F, 0xFE00 <= r && r <= 0xFE0F, 0xE0000 <= r && r <= 0xE0FFF:
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

// IsCJK reports whether r belongs to a script written without spaces that
// Terms cuts into characters: Han, Hiragana, Katakana, Hangul, Thai.
func IsCJK(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	if plainCJK(r) != gap || r == 0x30FC || r == 0xFF70 {
		return true
	}
	if unicode.IsMark(r) {
		return unicode.Is(unicode.Thai, r)
	}
	return (unicode.IsLetter(r) || r == 0x3007) && letterClass(r) != letter && !isIgnorable(r)
}
