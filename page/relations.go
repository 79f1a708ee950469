package page

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Relations that are named: `- depends on [[A]]`, `owner:: [[Ann]]`, a type in the
// front matter. Which words name which edge type is what verbs.go says, and before it
// a schema pack.

// relationWords are the words that give links their types.
type relationWords struct {
	verbs *verbTable
	names map[string]property // of a schema pack: its relations and their words, _ for blanks
}

var builtinWords = &relationWords{verbs: verbs}

// underscored makes a key of words.
var underscored = strings.NewReplacer(" ", "_", "-", "_")

// property is the edge that a key of the front matter stands for.
func (r *relationWords) property(key string) (p property, ok bool) {
	if p, ok = r.names[key]; !ok {
		p, ok = properties[key]
	}
	return p, ok
}

// known maps the words of a relation to an edge type that the verbs or the
// properties know.
func (r *relationWords) known(words string) (typ string, reverse, ok bool) {
	low := strings.ToLower(strings.TrimSpace(words))
	if low == "" || len(low) > 40 {
		return "", false, false
	}
	if p, ok := r.names[underscored.Replace(low)]; ok {
		return p.typ, p.reverse, true
	}
	spaced := strings.ReplaceAll(low, "_", " ")
	if v := r.verbs.match([]byte(spaced), 0); v != nil && v.text == spaced {
		return v.typ, v.agent != (v.typ == "produced_by"), true
	}
	if p, found := properties[underscored.Replace(low)]; found {
		return p.typ, p.reverse, true
	}
	return "", false, false
}

// relation maps any relation to its edge type; "" when it is no name.
func (r *relationWords) relation(words string) (typ string, reverse bool) {
	// The types themselves stay what they are: produced_by is no passive.
	if low := strings.ToLower(strings.TrimSpace(words)); edgeTypes[low] {
		return low, false
	}
	if typ, reverse, ok := r.known(words); ok {
		return typ, reverse
	}
	return edgeName(words), false
}

var edgeTypes = set("mentions references decided produced_by works_on belongs_to works_at founded invested_in advises attended related_to source")

// edgeName makes an edge type of one to three words, or of up to eight
// characters of Han and the like; "" for anything longer.
func edgeName(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	words, runes, letters, cjk := 1, 0, false, false
	for _, r := range s {
		switch {
		case r == ' ' || r == '-':
			words++
		case unicode.IsLetter(r):
			letters = true
			cjk = cjk || wide(r)
		case unicode.IsDigit(r) || r == '_':
		default:
			return ""
		}
		runes++
	}
	if !letters || words > 3 || runes > 40 || cjk && runes > 8 {
		return ""
	}
	return underscored.Replace(s)
}

// relationsOf puts the relations' words before the built-in ones; nil without any.
func relationsOf(relations []Relation) *relationWords {
	if len(relations) == 0 {
		return nil
	}
	w := &relationWords{verbs: &verbTable{}, names: map[string]property{}}
	for i, at := range verbs {
		w.verbs[i] = slices.Clone(at)
	}
	for _, rel := range relations {
		w.take(rel)
	}
	return w
}

// take adds the words of a relation.
func (r *relationWords) take(rel Relation) {
	turned := rel.Name == "produced_by" // the edge runs from what is done to the doer
	add := func(words string, form int, reverse bool) {
		r.verbs.add(words, rel.Name, form)
		r.names[underscored.Replace(words)] = property{rel.Name, reverse}
	}
	for _, v := range rel.Verbs {
		for _, form := range inflect(v) {
			add(form.text, asActive, turned)
			if form.participle {
				add(form.text+" by", asPassive, !turned)
			}
		}
	}
	for _, v := range rel.Inverse {
		for _, form := range inflect(v) {
			add(form.text, asPassive, !turned)
		}
	}
	for _, n := range rel.Nouns {
		add(n, asRole, !turned)
	}
	r.names[rel.Name] = property{rel.Name, false}
}

// listForm recognises `- relation [[A]], [[B]] — a remark` and `key:: [[A]]`
// and types the links that belong to the relation; it gives their number.
func (s *scanner) listForm(b *block, i, j int) int {
	first := s.at[i].t0
	if first < b.t0 || b.kind != item && b.kind != paragraph || b.task {
		return 0
	}
	rel := strings.TrimSpace(s.text[b.t0:first])
	key, field := strings.CutSuffix(rel, "::")
	colon := field
	if !field {
		for _, c := range [...]string{":", "："} {
			if k, ok := strings.CutSuffix(rel, c); ok {
				key, colon = k, true
			}
		}
	}
	if b.kind != item && !field {
		return 0
	}
	key = strings.TrimSpace(key)
	typ, reverse, known := s.words.known(key)
	if !known {
		if typ = edgeName(key); typ == "" || !colon && (s.links[i].Kind == Markdown || weak[firstWord(key)]) {
			return 0
		}
	}
	n := i + 1
	for n < j && isSeparator(s.text[min(s.at[n-1].t1, s.at[n].t0):s.at[n].t0]) {
		n++
	}
	rest := strings.TrimSpace(s.text[min(s.at[n-1].t1, b.t1):b.t1])
	if r, _ := utf8.DecodeRuneInString(rest); rest != "" && !strings.ContainsRune("-—–:：,，;；(（.。|#^", r) {
		return 0
	}
	for k := i; k < n; k++ {
		l := &s.links[k]
		l.Type, l.Reverse = typ, reverse
		if l.Kind == Wiki || l.Kind == Mention {
			l.Kind = List
		}
	}
	return n - i
}

func firstWord(s string) string {
	w, _, _ := strings.Cut(strings.ToLower(s), " ")
	return w
}

// weak words begin a phrase, not a relation.
var weak = set("the a an in on at with for and or to from by of as this that my our your his her its about if when then but not via like is are was were it we i you he she they")
