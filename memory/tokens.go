package memory

import (
	"unicode"
	"unicode/utf8"

	"brain/text"
)

// The words by which relevance and likeness are measured. They are DeerMem's, so that its numbers
// come out: words of letters, digits and _, and of Chinese and its like the pairs of
// neighbouring characters. BM25 goes by the words of the index (text.Terms), with stems and
// parts of compounds, which would weigh a fact that has them more than once.

// What lies behind these is not read: a fact is a sentence.
const (
	maxText   = 4096 // characters of a fact or a question
	maxTokens = 128  // words of it
)

// head is the beginning of a text, of at most n characters.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// tokens gives the words of a folded text, at most 128, and what is left of it behind them.
// A run of a script without blanks gives each pair of neighbours; a lone character is
// a word.
func tokens(s string) (out []string, rest string) {
	from, last, single := -1, 0, false // of the word or run in progress: its begin, its last character
	cjk := false
	end := func(i int) {
		if from >= 0 && (!cjk || single) {
			out = append(out, s[from:i])
		}
		from = -1
	}
	for i, r := range s {
		if len(out) == maxTokens {
			return out, s[last:]
		}
		switch {
		case r >= utf8.RuneSelf && text.IsCJK(r):
			if from < 0 || !cjk {
				end(i)
				from, cjk, single = i, true, true
			} else {
				out, single = append(out, s[last:i+utf8.RuneLen(r)]), false
			}
			last = i
		case isWordRune(r):
			if from < 0 || cjk {
				end(i)
				from, cjk = i, false
			}
			last = from
		default:
			end(i)
			last = i
		}
	}
	if end(len(s)); len(out) > maxTokens {
		return out[:maxTokens], s[last:]
	}
	return out, ""
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// joined is a folded text without the blanks between characters of scripts that
// are written without.
func joined(s string) string {
	var b []byte
	from := 0
	for i := 0; i < len(s); i++ {
		if s[i] != ' ' {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+1:])
		if text.IsCJK(before) && text.IsCJK(after) {
			b = append(b, s[from:i]...)
			from = i + 1
		}
	}
	if from == 0 {
		return s
	}
	return string(append(b, s[from:]...))
}
