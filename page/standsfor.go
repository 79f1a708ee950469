package page

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brain/text"
)

// Two claims that share most of their words, of which only one is to be kept. Compare
// says whether they contradict each other or are the same; between the two lies much, and there the
// question is what would be lost:
//
//	kept                                    new
//	prefers concise answers in chat         … in chat, short form          stands for it
//	lives in Berlin with his family         lives in Munich with …         does not: another name
//	lives with his family                   lives in Berlin with …         does not: it is not told
//	lives in Berlin with his family         lives with his family          stands for it
//	用户在北京做后端开发                    用户在上海做后端开发           does not
//	prefers tabs over spaces                prefers spaces over tabs       does not: another order
//
// A plain word may be missing, be there besides, or stand for another.

// StandsFor reports whether a claim may be kept for both where most of the words are the same:
// new neither contradicts it nor has a value, a name, a negation, a qualifier or a state
// that it has not, nor the same words in another order.
func StandsFor(kept, new Claim) bool {
	a, b := State(kept), State(new)
	switch v := a.Compare(b, CompareOptions{}); {
	case v.Kind == Duplicate:
		return true
	case v.Kind == Contradiction, independent(&kept, &new):
		return false
	}
	d := align(a.strict, b.strict)
	if _, opposed := contrastOf(a, b).takeOpposed(); opposed || d.moved() {
		return false
	}
	return !slices.ContainsFunc(d.chunks, func(c chunk) bool {
		return tells(a.Claim.Text, d.a[c.a0:c.a1], b.Claim.Text, d.b[c.b0:c.b1])
	})
}

// moved reports whether a word stands elsewhere.
func (d *diff) moved() bool {
	gone := map[string]bool{}
	for _, c := range d.chunks {
		for _, t := range d.a[c.a0:c.a1] {
			gone[t.stem] = true
		}
	}
	for _, c := range d.chunks {
		if slices.ContainsFunc(d.b[c.b0:c.b1], func(t token) bool { return gone[t.stem] }) {
			return true
		}
	}
	return false
}

// tells reports whether words of a new claim, in the place of words of the one that is
// kept, say something that is lost with them.
func tells(kept string, was []token, new string, is []token) bool {
	for _, t := range slices.Concat(was, is) {
		if t.role != plain && t.role != value {
			return true
		}
	}
	if slices.ContainsFunc(is, func(t token) bool { return t.particular(new) }) {
		return true
	}
	switch {
	case len(is) == 0:
		return false
	case len(was) == 0:
		return slices.ContainsFunc(is, func(t token) bool { return t.antonym.group != 0 && !naming()[t.antonym.group] })
	case slices.ContainsFunc(was, func(t token) bool { return t.particular(kept) || t.cjk() }), slices.ContainsFunc(is, token.cjk):
		return true // Chinese does not tell names from words
	}
	return was[0].begins(kept) && is[0].begins(new) && !openingVerbs(was[0], is[0])
}

// particular reports a value or a name: what no other word stands for.
func (t token) particular(s string) bool {
	return t.role == value || numberedName(t) || t.capital(s) && !t.begins(s) && t.text != "i"
}

func (t token) capital(s string) bool {
	r, _ := utf8.DecodeRuneInString(s[t.start:])
	return unicode.IsUpper(r)
}

// begins reports a word with a capital that begins a sentence, of which the capital
// does not tell whether it is a name.
func (t token) begins(s string) bool {
	before := strings.TrimRightFunc(s[:t.start], func(r rune) bool {
		return unicode.IsSpace(r) || unicode.In(r, unicode.Ps, unicode.Pi, unicode.Po) && !isStop(r)
	})
	r, _ := utf8.DecodeLastRuneInString(before)
	return t.capital(s) && (before == "" || isStop(r))
}

func isStop(r rune) bool { return strings.ContainsRune(".!?。！？", r) }

func (t token) cjk() bool {
	r, _ := utf8.DecodeRuneInString(t.text)
	return text.IsCJK(r)
}

// openingVerbs reports two words that begin a sentence without a subject, "Likes …" and "Prefers
// …", and not two names.
func openingVerbs(a, b token) bool {
	return strings.HasSuffix(a.text, "s") && strings.HasSuffix(b.text, "s")
}
