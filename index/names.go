package index

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"brain/text"
)

// Who types "Halyrad" means Halyard, and no posting says so. The words of
// names (file name, title, aliases) are in the dictionary of words a second
// time, marked, so that they lie side by side: an automaton that accepts what
// is one error away from a word (Schulz and Mihov 2002) runs over that stretch
// alone and sees only branches that can still match. Three letters of a name
// as terms, each a posting, would be ten times the terms, find by likeness and
// not by errors, and still want the check. Like all words they lie in the
// fields of their scopes: no name of another agent is ever seen.

// nameMark begins a term that is a word of a page's name, which no word of a
// text can begin with.
const nameMark = "\x01"

// nameTerms calls emit for each term that finds a name with a typing error.
func nameTerms(name string, emit func(term string)) {
	text.NameWords(name, func(w string) { emit(nameMark + w) })
}

// NameWord is a word of names.
type NameWord struct {
	Word  string // folded
	Pages int    // that have it in a name
}

// Knows reports whether a page or session that the agent may see holds one of
// the terms.
func (v *View) Knows(terms []text.QueryTerm, agent string) (bool, error) {
	for _, t := range terms {
		n, err := v.lex.pages(t.Text, append(pageFields(agent), fieldName(sessionScope(agent))))
		if err != nil || n > 0 {
			return n > 0, err
		}
	}
	return false, nil
}

// NamesLike gives the words of names of ranked pages that the agent may see
// which are one error away from a folded word (OneError), in order of letters.
func (v *View) NamesLike(word, agent string) ([]NameWord, error) {
	fields := pageFields(agent)
	near, err := v.lex.near(nameMark+word, fields)
	if err != nil {
		return nil, err
	}
	var out []NameWord
	for _, term := range near {
		w := strings.TrimPrefix(term, nameMark)
		if !OneError(word, w) {
			continue
		}
		n, err := v.lex.pages(term, fields)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			out = append(out, NameWord{w, n})
		}
	}
	return out, nil
}

// pageFields are the fields of the pages that an agent may see; one whose name
// is none of a folder's sees the shared ones.
func pageFields(agent string) []string {
	if agent == "" || strings.Contains(agent, "/") {
		return []string{fieldName("")}
	}
	return []string{fieldName(""), fieldName(agent)}
}

// pages counts the live pages that hold a term.
func (l *lexReader) pages(term string, fields []string) (n int, err error) {
	defer guard(&err)
	_, n, err = l.postings(term, fields)
	return n, err
}

// near gives the marked terms of the dictionaries that are one error away,
// those of deleted pages too, in order of letters.
func (l *lexReader) near(term string, fields []string) (out []string, err error) {
	defer guard(&err)
	for _, f := range fields {
		dict, err := l.snap.FieldDictFuzzy(f, term, 1, nameMark)
		if err != nil {
			return nil, fmt.Errorf("words: like %q: %w", term, err)
		}
		for {
			e, err := dict.Next()
			if err != nil {
				return nil, errors.Join(fmt.Errorf("words: like %q: %w", term, err), dict.Close())
			}
			if e == nil {
				break
			}
			out = append(out, strings.Clone(e.Term))
		}
		if err := dict.Close(); err != nil {
			return nil, err
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// OneError reports whether one typing error makes b of a: a letter too much,
// one too few, another one, or two neighbours swapped (Damerau 1964). Words
// are of ASCII letters; equal ones are no error apart.
func OneError(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch {
	case len(b) == len(a)+1:
		return a[i:] == b[i+1:]
	case len(b) > len(a) || i == len(a):
		return false
	case a[i+1:] == b[i+1:]:
		return true
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
