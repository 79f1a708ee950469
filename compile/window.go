package compile

import (
	"unicode/utf8"

	"brain/inbox"
	"brain/text"
)

// A model is shown a session in windows that overlap, so that what is said
// around a cut is seen whole once. A finding of the overlap is found twice and
// kept once (write.go).
const (
	windowTurns   = 20
	windowChars   = 16_000
	windowOverlap = 4     // turns, and
	overlapChars  = 4_000 // characters at most: long turns are not shown over and over

	// maxTurn bounds a turn in the prompt: of a longer one its two ends are shown,
	// as people begin with what they want and end with what they decided.
	maxTurn = 4_000
)

// windows cuts turns. Each window has at least one turn that no other before it
// had.
func windows(fed []inbox.Fed) (out [][]inbox.Fed) {
	for from := 0; from < len(fed); {
		to, chars := from, 0
		for to < len(fed) && to-from < windowTurns {
			n := utf8.RuneCountInString(shownText(fed[to].Text))
			if to > from && chars+n > windowChars {
				break
			}
			chars += n
			to++
		}
		out = append(out, fed[from:to])
		if to == len(fed) {
			break
		}
		from = max(from+1, overlapFrom(fed, to))
	}
	return out
}

// overlapFrom is where the window behind one that ends at to begins.
func overlapFrom(fed []inbox.Fed, to int) int {
	from, chars := to, 0
	for from > 0 && to-from < windowOverlap {
		if chars += utf8.RuneCountInString(shownText(fed[from-1].Text)); chars > overlapChars {
			break
		}
		from--
	}
	return from
}

// shownText is a turn's text as a prompt holds it.
func shownText(s string) string {
	if utf8.RuneCountInString(s) <= maxTurn {
		return s
	}
	head := text.CutGrapheme(s, byteOf(s, maxTurn/2))
	tail := byteOf(s, utf8.RuneCountInString(s)-maxTurn/2)
	return s[:head] + "\n[… cut …]\n" + s[tail:]
}

// byteOf is where the n-th character begins.
func byteOf(s string, n int) int {
	for at := range s {
		if n == 0 {
			return at
		}
		n--
	}
	return len(s)
}
