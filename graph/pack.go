package graph

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"brain/page"
	"brain/text"
)

// Lexicon is what the words of questions mean: relations (lexicon.go, with its
// senses) and kinds of pages. Those of a schema pack stand before the built-in ones:
// a word that both have has the pack's meaning first. The nil Lexicon has the
// built-in words alone. It is safe for concurrent use.
type Lexicon struct {
	digest string
	kinds  map[string]string            // word → kind, of the pack
	terms  [2]func() map[string][]*term // English, Chinese; nil without senses of the pack
}

// NewLexicon takes over the words of a pack's types and relations.
func NewLexicon(pack *page.Pack) *Lexicon {
	l := &Lexicon{digest: fmt.Sprintf("%q %q", pack.Types, pack.Relations), kinds: map[string]string{}}
	for _, t := range pack.Types {
		if _, ours := page.ProblemTree().Type(t.Name); ours && len(t.Words) == 0 {
			continue
		}
		kind := cmp.Or(kinds()[t.Name], t.Name) // adr is a decision
		for _, w := range append([]string{t.Name}, t.Words...) {
			for _, w := range plural(text.Fold(w)) {
				l.kinds[w] = kind
			}
		}
	}
	var own []sense
	for _, r := range pack.Relations {
		own = append(own, sensesOf(r)...)
	}
	if len(own) > 0 {
		own = append(own, senses...)
		for i := range l.terms {
			l.terms[i] = sync.OnceValue(func() map[string][]*term { return gather(i == 1, own) })
		}
	}
	return l
}

// plural gives a word as it is, and of an English one its regular plural.
func plural(w string) []string {
	last := w[len(w)-1]
	switch {
	case last < 'a' || last > 'z' || last == 's':
		return []string{w}
	case last == 'y' && len(w) > 1 && !strings.ContainsRune("aeiou", rune(w[len(w)-2])):
		return []string{w, w[:len(w)-1] + "ies"}
	case last == 'x' || last == 'z' || strings.HasSuffix(w, "ch") || strings.HasSuffix(w, "sh"):
		return []string{w, w + "es"}
	}
	return []string{w, w + "s"}
}

// sensesOf are the rows of the table that a relation of a pack is worth.
func sensesOf(r page.Relation) []sense {
	turned := r.Name == ProducedBy
	var active, inverse words2
	for _, v := range r.Verbs {
		active.verb(v)
	}
	for _, v := range r.Inverse {
		inverse.verb(v)
	}
	for _, n := range r.Nouns {
		active.noun(n)
	}
	rows := []sense{{types: []string{r.Name}, turned: turned, things: anything, en: active[0], zh: active[1]}}
	if len(r.Inverse) > 0 {
		rows = append(rows, sense{types: []string{r.Name}, turned: !turned, things: anything, en: inverse[0], zh: inverse[1]})
	}
	return rows
}

// words2 are English and Chinese words of one sense.
type words2 [2]words

func (w *words2) verb(v string) {
	v = text.Fold(v)
	if strings.IndexFunc(v, text.IsCJK) >= 0 {
		w[1].verbs += "|" + v
		return
	}
	w[0].verbs += "|" + page.Lemma(v)
}

func (w *words2) noun(n string) {
	n = text.Fold(n)
	if strings.IndexFunc(n, text.IsCJK) >= 0 {
		w[1].doers += "|" + n
		return
	}
	w[0].doers += "|" + n
}

// Digest tells lexicons apart; "" for the nil one.
func (l *Lexicon) Digest() string {
	if l == nil {
		return ""
	}
	return l.digest
}

// KindOf gives the kind of thing that a word names, "" for none: people, 人物
// and person are all of kind person.
func (l *Lexicon) KindOf(word string) string {
	if l != nil {
		if kind, ok := l.kinds[word]; ok {
			return kind
		}
	}
	return kinds()[word]
}

func (l *Lexicon) english() map[string][]*term {
	if l == nil || l.terms[0] == nil {
		return englishTerms()
	}
	return l.terms[0]()
}

func (l *Lexicon) chinese() map[string][]*term {
	if l == nil || l.terms[1] == nil {
		return chineseTerms()
	}
	return l.terms[1]()
}
