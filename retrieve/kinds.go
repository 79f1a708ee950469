package retrieve

import (
	"strings"

	"brain/graph"
	"brain/index"
	"brain/text"
)

// "The company whose CEO insists on …", "any advisors for enterprise clients",
// who, 谁: such a question says what kind of page answers it, and pages of that
// kind are preferred. The kind is read from the first words, before the
// question goes on to describe it.
const kindReach = 4 // words, those aside that say nothing

// askedKind gives the kind of page that a question asks for, "" when it does
// not say.
func (p *plan) askedKind() string {
	q := text.Fold(p.q.Text)
	if kind := p.askedChinese(q); kind != "" {
		return kind
	}
	left := kindReach
	words := strings.FieldsFunc(q, notInName)
	for i, w := range words {
		if w == "who" || w == "whom" {
			return graph.PersonKind
		}
		if i+1 < len(words) {
			if kind := p.lex.KindOf(w + " " + words[i+1]); kind != "" {
				return kind
			}
		}
		if kind := p.lex.KindOf(w); kind != "" {
			return kind
		}
		if !fillers[w] {
			left--
		}
		if left == 0 {
			break
		}
	}
	return ""
}

// askedChinese reads the kind behind the word that asks: 谁, 哪些公司, 哪个团队.
func (p *plan) askedChinese(q string) string {
	if strings.Contains(q, "谁") || strings.Contains(q, "哪位") {
		return graph.PersonKind
	}
	for _, ask := range []string{"哪些", "哪个", "哪家", "哪几个", "所有的", "所有", "什么"} {
		_, after, ok := strings.Cut(q, ask)
		if !ok {
			continue
		}
		for n := 2; n <= 8; n++ {
			if name := []rune(after); len(name) >= n {
				if kind := p.lex.KindOf(string(name[:n])); kind != "" {
					return kind
				}
			}
		}
	}
	return ""
}

var fillers = wordSet("the a an any all some every each list show find give name tell me us our my we which what is are there do does")

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// preferKind adds to the pages of the kind that the question asks for.
func preferKind(v *index.View, p *plan, f *found, cands []*candidate) {
	kind := p.askedKind()
	if kind == "" || f.answers(p) { // links know better who answers
		return
	}
	s := scoped(v, p.q.Agent, p.lex)
	for _, c := range cands[:min(kindDepth, len(cands))] {
		if s.Is(c.row, kind) {
			c.add(Signal{Name: "kind", Value: kindShare, Note: kind})
		}
	}
}
