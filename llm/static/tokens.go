package static

// The tokenizer must do exactly what build/build_static.py does, since the rows were
// trained with it. Text is brought to NFKC and falls into runs of Han characters and
// the rest.
//
// A run of Han characters is cut into the words of the table by the cheapest path
// (Viterbi), each word at its cost, an unknown character at a higher one. The rest is
// lower-cased and searched for [a-z0-9]+('[a-z]+)?; a word that the table lacks falls
// apart into its runs of letters and digits. All other scripts have no rows.

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// window bounds the memory for one text: longer ones are taken in parts, cut
	// before a space where there is one, which changes no token.
	window = 64 << 10
	// hanWindow does the same for a run of Han characters without any sign between
	// them; a word across such a border is missed.
	hanWindow = 4095
)

// scratch is what a text needs while it is embedded; kept in a pool.
type scratch struct {
	text   []byte
	tokens []int32
	path   []step
	sum    sum
}

// step is the best way to a position in a run of Han characters.
type step struct {
	cost int32
	from int32 // position before the last word
	row  int32 // of the last word; -1: a character without row
}

// Tokens returns the rows of the words in text, in order.
func (t *Table) Tokens(text string) []int32 {
	s := t.scratch.Get().(*scratch)
	defer t.scratch.Put(s)
	var all []int32
	for part := range parts(text) {
		t.tokenize(s, part)
		all = append(all, s.tokens...)
	}
	return all
}

// parts cuts text into pieces of window bytes at most.
func parts(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for len(text) > window {
			// An ASCII space never combines with what precedes it, so NFKC of the
			// parts is the parts of NFKC.
			end := strings.LastIndexByte(text[:window], ' ')
			if end <= 0 {
				end = norm.NFKC.LastBoundary([]byte(text[:window]))
			}
			if end <= 0 {
				end = window
			}
			if !yield(text[:end]) {
				return
			}
			text = text[end:]
		}
		yield(text)
	}
}

// tokenize fills s.tokens from a part of a text.
func (t *Table) tokenize(s *scratch, part string) {
	s.tokens = s.tokens[:0]
	s.fold(part)
	text := s.text
	for i := 0; i < len(text); {
		switch classes[text[i]] {
		case letter, digit:
			end := wordEnd(text, i)
			s.tokens = t.lookUp(text[i:end], s.tokens)
			i = end
		case hanLead:
			end := hanEnd(text, i)
			if end == i {
				i++
				continue
			}
			for ; i < end; i = min(i+3*hanWindow, end) {
				t.segment(s, text[i:min(i+3*hanWindow, end)])
			}
			i = end
		default:
			i++
		}
	}
}

type class byte

const (
	other class = iota
	letter
	digit
	hanLead // a byte that may begin a Han character
)

var classes = func() (table [256]class) {
	for c := 'a'; c <= 'z'; c++ {
		table[c] = letter
	}
	for c := '0'; c <= '9'; c++ {
		table[c] = digit
	}
	for c := 0xe4; c <= 0xe9; c++ {
		table[c] = hanLead
	}
	return table
}()

// fold brings part to NFKC and its ASCII letters to lower case, in s.text.
func (s *scratch) fold(part string) {
	ascii := true
	s.text = append(s.text[:0], part...)
	for i, c := range s.text {
		if c-'A' < 26 {
			s.text[i] = c | 0x20
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	if ascii {
		return
	}
	// Once more from the start, since normalisation sees upper case otherwise than
	// lower case (I with a dot above) and makes ASCII from what is none (full width).
	s.text = norm.NFKC.AppendString(s.text[:0], part)
	to := 0
	for from := 0; from < len(s.text); from++ {
		c := s.text[from]
		switch {
		case c-'A' < 26:
			c |= 0x20
		case c == 0xe2 && bytes.HasPrefix(s.text[from:], []byte("\u2019")):
			c = '\''
			from += len("\u2019") - 1
		case c == 0xc4 && bytes.HasPrefix(s.text[from:], []byte("İ")):
			// The only letter outside ASCII whose lower case is inside.
			c = 'i'
			from += len("İ") - 1
		}
		s.text[to] = c
		to++
	}
	s.text = s.text[:to]
}

// wordEnd returns the end of the match of [a-z0-9]+('[a-z]+)? at i.
func wordEnd(text []byte, i int) int {
	for i < len(text) && (classes[text[i]] == letter || classes[text[i]] == digit) {
		i++
	}
	if i+1 < len(text) && text[i] == '\'' && classes[text[i+1]] == letter {
		i = runEnd(text, i+1, letter)
	}
	return i
}

func runEnd(text []byte, i int, c class) int {
	for i < len(text) && classes[text[i]] == c {
		i++
	}
	return i
}

// lookUp appends the row of a word, or those of its parts.
func (t *Table) lookUp(word []byte, tokens []int32) []int32 {
	if row := t.ascii(word); row >= 0 {
		return append(tokens, row)
	}
	for i := 0; i < len(word); {
		c, end := classes[word[i]], i
		if c == other { // the apostrophe stays with the letters after it: 's
			c, end = letter, i+1
		}
		end = runEnd(word, end, c)
		if row := t.ascii(word[i:end]); row >= 0 {
			tokens = append(tokens, row)
		}
		i = end
	}
	return tokens
}

func (t *Table) ascii(word []byte) int32 {
	h := emptyHash
	for _, c := range word {
		h = h.with(rune(c))
	}
	return t.find(h, word)
}

// hanEnd returns the end of the run of Han characters that begins at i.
func hanEnd(text []byte, i int) int {
	for i+2 < len(text) && classes[text[i]] == hanLead {
		if r, size := utf8.DecodeRune(text[i:]); size != 3 || r < firstHan || r > lastHan {
			break
		}
		i += 3
	}
	return i
}

// segment appends the rows of the words of a run of Han characters, 3 bytes each.
func (t *Table) segment(s *scratch, run []byte) {
	n := len(run) / 3
	path := append(s.path[:0], step{})
	for range n {
		path = append(path, step{cost: 1 << 30})
	}
	s.path = path
	unknown := int32(t.header.UnknownCost)
	for i := range n {
		here := path[i].cost
		if here+unknown < path[i+1].cost {
			path[i+1] = step{here + unknown, int32(i), -1}
		}
		h := emptyHash
		lengths := t.beginnings[han(run, i)-firstHan]
		for end := i + 1; lengths != 0 && end <= n; end++ {
			h = h.with(han(run, end-1))
			if lengths&1 != 0 {
				if row := t.find(h, run[3*i:3*end]); row >= 0 {
					cost := here + int32(t.costs[int(row)-t.header.English])
					if cost < path[end].cost {
						path[end] = step{cost, int32(i), row}
					}
				}
			}
			lengths >>= 1
		}
	}
	first := len(s.tokens)
	for end := int32(n); end > 0; end = path[end].from {
		if row := path[end].row; row >= 0 {
			s.tokens = append(s.tokens, row)
		}
	}
	slices.Reverse(s.tokens[first:])
}

// han returns the i-th character of a run, which is valid UTF-8 of 3 bytes each.
func han(run []byte, i int) rune {
	b := run[3*i : 3*i+3]
	return rune(b[0]&0x0f)<<12 | rune(b[1]&0x3f)<<6 | rune(b[2]&0x3f)
}
