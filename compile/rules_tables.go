package compile

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// tables are the cues by the words without which they do not hold, since of
// some hundreds a sentence has the words of a few.
type tables struct {
	first map[string][]*cue // by how they begin
	needs map[string][]*cue // of the others by a word that they need
	any   []*cue            // the rest
}

func newTables(lists ...string) *tables {
	t := &tables{first: map[string][]*cue{}, needs: map[string][]*cue{}}
	n := 0
	for _, list := range lists {
		for _, c := range readCues(list) {
			c.n, n = n, n+1
			switch {
			case c.first != nil:
				file(t.first, c.first, &c)
			case c.needs != nil:
				file(t.needs, c.needs, &c)
			default:
				t.any = append(t.any, &c)
			}
		}
	}
	return t
}

func file(m map[string][]*cue, words map[string]bool, c *cue) {
	for w := range words {
		m[w] = append(m[w], c)
	}
}

// unbound gives the cues that may hold anywhere in a plain form, in the order
// of the tables.
func (t *tables) unbound(s string) []*cue {
	all := slices.Clone(t.any)
	seen := map[string]bool{}
	for i := 0; i < len(s); {
		w := firstOf(s[i:])
		if !seen[w] {
			seen[w] = true
			all = append(all, t.needs[w]...)
		}
		i += len(w)
		if r, _ := utf8.DecodeRuneInString(w); !unicode.Is(unicode.Han, r) {
			i++ // the space
		} else {
			i = skipSpace(s, i)
		}
	}
	slices.SortFunc(all, func(a, b *cue) int { return a.n - b.n })
	return slices.Compact(all)
}

// at gives the cues that may hold at a place, of those unbound ones.
func (t *tables) at(s string, i int, unbound []*cue) []*cue {
	if i = skipSpace(s, i); i >= len(s) {
		return nil
	}
	return slices.Concat(unbound, t.first[firstOf(s[i:])])
}
