package text

import (
	"slices"
	"strings"
)

// Nearest gives the known name closest to the given one by edit distance, or "" when
// none is close: more than a third of the letters wrong is another word. Case is
// compared only among equals.
func Nearest(name string, known []string) string {
	best, least := "", max(2, len(name)/3)+1
	for _, k := range slices.Sorted(slices.Values(known)) {
		d := Distance([]rune(strings.ToLower(name)), []rune(strings.ToLower(k)))
		if d < least || d == least && best != "" && Distance([]rune(name), []rune(k)) < Distance([]rune(name), []rune(best)) {
			best, least = k, d
		}
	}
	return best
}

// Distance counts the insertions, deletions, replacements and swaps of neighbours that
// turn a into b (optimal string alignment).
func Distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
