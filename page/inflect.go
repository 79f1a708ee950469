package page

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// The forms of English verbs. A pack lists a verb once, as the dictionary has it or as
// it stands beside "it" (maintain, maintains); pages use all its forms. What is formed by
// rule is formed here; "wrote" has to be listed. Where a rule has two outcomes both are
// made (planned, planed): a form that nobody writes harms nobody.

// inflected is a form of a verb, with what follows the verb in its phrase.
type inflected struct {
	text       string
	participle bool // with "by" behind it, who does it follows
}

// inflect gives a phrase in the forms of its first word. Chinese has one.
func inflect(phrase string) []inflected {
	word, rest, _ := strings.Cut(phrase, " ")
	if rest != "" {
		rest = " " + rest
	}
	base := baseForm(word)
	if base == "" {
		return []inflected{{phrase, strings.HasSuffix(word, "ed")}}
	}
	var forms []inflected
	add := func(w string, participle bool) {
		if f := (inflected{w + rest, participle}); !slices.Contains(forms, f) {
			forms = append(forms, f)
		}
	}
	stem, last := base[:len(base)-1], base[len(base)-1]
	add(base, false)
	switch {
	case last == 'e':
		add(base+"s", false)
		add(base+"d", true)
		add(stem+"ing", false)
		return forms
	case last == 'y' && !vowel(base[len(base)-2]):
		add(stem+"ies", false)
		add(stem+"ied", true)
		add(base+"ing", false)
		return forms
	case last == 's' || last == 'x' || last == 'z' || last == 'o' || strings.HasSuffix(base, "ch") || strings.HasSuffix(base, "sh"):
		add(base+"es", false)
	default:
		add(base+"s", false)
	}
	add(base+"ed", true)
	add(base+"ing", false)
	if doubles(base) {
		add(base+string(last)+"ed", true)
		add(base+string(last)+"ing", false)
	}
	return forms
}

// Lemma gives a phrase with its first word as the dictionary has it: looks after, look
// after. What is not formed by rule stays as it is.
func Lemma(phrase string) string {
	word, rest, more := strings.Cut(phrase, " ")
	if base := baseForm(word); base != "" {
		word = base
	}
	if more {
		word += " " + rest
	}
	return word
}

// baseForm takes the s of the third person off; "" for what is no verb that can be
// formed by rule.
func baseForm(word string) string {
	if len(word) < 3 || strings.IndexFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
		return ""
	}
	switch {
	case unformed[word], strings.HasSuffix(word, "ing"), strings.HasSuffix(word, "ed") && !strings.HasSuffix(word, "eed"):
		return ""
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		return word[:len(word)-3] + "y"
	case slices.ContainsFunc([]string{"sses", "shes", "ches", "xes", "zzes", "oes"}, func(s string) bool { return strings.HasSuffix(word, s) }):
		return word[:len(word)-2]
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is"):
		return word[:len(word)-1]
	}
	return word
}

// unformed words begin phrases that have one form.
var unformed = set(`is are was were be been has have had the and for with from into onto under over near behind responsible part member`)

// doubles reports a consonant, a vowel and a consonant at the end: plan, stop.
func doubles(s string) bool {
	if len(s) < 3 {
		return false
	}
	a, b, c := s[len(s)-3], s[len(s)-2], s[len(s)-1]
	return !vowel(a) && vowel(b) && !vowel(c) && c != 'w' && c != 'y' && c != 'x'
}

func vowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }
