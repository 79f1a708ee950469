package text

import "math/bits"

// English stems by Porter2, the Snowball project's "english" algorithm
// (https://snowballstem.org/algorithms/english/stemmer.html), which takes
// endings off in five steps. An ending counts only in a region of the word:
// R1 begins after the first consonant that follows a vowel, R2 is the R1 of
// R1. Written on bytes and in place, since it runs for every English word.

// minStem is the length below which a word is its own stem.
const minStem = 3

// stem gives the stem of a word of a-z, of at most 64 letters. It works in
// the word's own bytes, so the word is lost.
func stem(word []byte) []byte {
	if len(word) < minStem {
		return word
	}
	if exceptionStarts[word[0]-'a']>>(word[1]-'a')&1 != 0 {
		if s := stemException(word); s != "" {
			return append(word[:0], s...)
		}
	}
	w := stemmer{b: word}
	w.findVowels()
	w.regions()
	w.step1a()
	w.step1b()
	w.step1c()
	if w.r1 >= len(w.b) { // the other steps take nothing but what lies in R1
		return w.b
	}
	w.step2()
	w.step3()
	w.step4()
	w.step5()
	return w.b
}

// exceptionStarts has a bit for the first two letters of each exception, to
// spare most words the search.
var exceptionStarts = func() (starts [26]uint32) {
	for _, two := range [...]string{"sk", "dy", "ly", "ty", "id", "ge", "ug", "ea", "on", "si", "ne",
		"ho", "at", "co", "bi", "an", "in", "ou", "ca", "he", "pr", "ex", "su"} {
		starts[two[0]-'a'] |= 1 << (two[1] - 'a')
	}
	return starts
}()

// stemException lists the words that the steps would treat badly: either
// they would fall together with another word or miss their own forms.
func stemException(word []byte) string {
	switch string(word) {
	case "skis":
		return "ski"
	case "skies", "sky":
		return "sky"
	case "dying":
		return "die"
	case "lying":
		return "lie"
	case "tying":
		return "tie"
	case "idly":
		return "idl"
	case "gently":
		return "gentl"
	case "ugly":
		return "ugli"
	case "early":
		return "earli"
	case "only":
		return "onli"
	case "singly":
		return "singl"
	case "news", "howe", "atlas", "cosmos", "bias", "andes":
		return string(word)
	case "inning", "innings":
		return "inning"
	case "outing", "outings":
		return "outing"
	case "canning", "cannings":
		return "canning"
	case "herring", "herrings":
		return "herring"
	case "earring", "earrings":
		return "earring"
	case "proceed", "proceeds", "proceeded", "proceeding":
		return "proceed"
	case "exceed", "exceeds", "exceeded", "exceeding":
		return "exceed"
	case "succeed", "succeeds", "succeeded", "succeeding":
		return "succeed"
	}
	return ""
}

type stemmer struct {
	b      []byte
	vowels uint64 // a bit a letter: y is a vowel unless it begins the word or follows one
	r1, r2 int    // where the regions begin; beyond the end when they are empty
}

const vowelLetters = 1 | /* a */ 1<<('e'-'a') | 1<<('i'-'a') | 1<<('o'-'a') | 1<<('u'-'a')

func (w *stemmer) findVowels() {
	vowels, before := uint64(0), true // as if after a vowel: a first y is none
	for i, c := range w.b {
		before = vowelLetters>>(c-'a')&1 != 0 || c == 'y' && !before
		if before {
			vowels |= 1 << i
		}
	}
	w.vowels = vowels
}

func (w *stemmer) isVowel(i int) bool { return w.vowels>>i&1 != 0 }

// hasVowel reports whether one of the first n letters is a vowel.
func (w *stemmer) hasVowel(n int) bool { return w.vowels&(1<<max(n, 0)-1) != 0 }

// regions: both begin after a consonant that follows a vowel.
func (w *stemmer) regions() {
	after := ^w.vowels & (w.vowels << 1)
	switch {
	case hasPrefix(w.b, "gener"), hasPrefix(w.b, "arsen"):
		w.r1 = 5
	case hasPrefix(w.b, "commun"):
		w.r1 = 6
	default:
		w.r1 = min(bits.TrailingZeros64(after)+1, len(w.b))
	}
	w.r2 = len(w.b)
	if w.r1 < len(w.b) {
		w.r2 = min(bits.TrailingZeros64(after&^(2<<w.r1-1))+1, len(w.b))
	}
}

func hasPrefix(b []byte, s string) bool { return len(b) >= len(s) && string(b[:len(s)]) == s }

func (w *stemmer) ends(s string) bool {
	return len(w.b) >= len(s) && string(w.b[len(w.b)-len(s):]) == s
}

func (w *stemmer) trim(n int) { w.b = w.b[:len(w.b)-n] }

// inR1 and inR2 report whether the last n letters lie in the region.
func (w *stemmer) inR1(n int) bool { return len(w.b)-n >= w.r1 }
func (w *stemmer) inR2(n int) bool { return len(w.b)-n >= w.r2 }

// put appends letters, of which y is none.
func (w *stemmer) put(s string) {
	for i := range len(s) {
		w.vowels &^= 1 << len(w.b)
		w.vowels |= vowelLetters >> (s[i] - 'a') & 1 << len(w.b)
		w.b = append(w.b, s[i])
	}
}

// shortSyllable reports whether the letters before end are one: a vowel
// between consonants (the last not w, x, y), or a vowel that begins the word.
func (w *stemmer) shortSyllable(end int) bool {
	switch {
	case end < 2 || w.isVowel(end-1) || !w.isVowel(end-2):
		return false
	case end == 2:
		return true
	}
	last := w.b[end-1]
	return last != 'w' && last != 'x' && last != 'y' && !w.isVowel(end-3)
}

// step1a: plurals.
func (w *stemmer) step1a() {
	n := len(w.b)
	switch w.b[n-1] {
	case 's':
		switch {
		case w.ends("sses"):
			w.trim(2)
		case w.ends("ies"):
			w.trimIE()
		case w.b[n-2] != 'u' && w.b[n-2] != 's' && w.hasVowel(n-2):
			w.trim(1)
		}
	case 'd':
		if w.ends("ied") {
			w.trimIE()
		}
	}
}

// trimIE makes cri of cries, but tie of ties.
func (w *stemmer) trimIE() {
	if len(w.b) > 4 {
		w.trim(2)
	} else {
		w.trim(1)
	}
}

// step1b: past forms and participles.
func (w *stemmer) step1b() {
	switch w.b[len(w.b)-1] {
	case 'd':
		switch {
		case w.ends("eed"):
			if w.inR1(3) {
				w.trim(1)
			}
		case w.ends("ed"):
			w.trimForm(2)
		}
	case 'g':
		if w.ends("ing") {
			w.trimForm(3)
		}
	case 'y':
		switch {
		case w.ends("eedly"):
			if w.inR1(5) {
				w.trim(3)
			}
		case w.ends("edly"):
			w.trimForm(4)
		case w.ends("ingly"):
			w.trimForm(5)
		}
	}
}

// trimForm takes n letters off if a vowel is left, and gives the word back
// the e that its ending had swallowed (hop-ed → hope) or takes the letter
// that was doubled for it (hopp-ed → hop).
func (w *stemmer) trimForm(n int) {
	if !w.hasVowel(len(w.b) - n) {
		return
	}
	w.trim(n)
	switch {
	case w.ends("at"), w.ends("bl"), w.ends("iz"):
		w.put("e")
	case w.endsDouble():
		w.trim(1)
	case w.r1 >= len(w.b) && w.shortSyllable(len(w.b)):
		w.put("e")
	}
}

func (w *stemmer) endsDouble() bool {
	n := len(w.b)
	if n < 2 || w.b[n-1] != w.b[n-2] {
		return false
	}
	switch w.b[n-1] {
	case 'b', 'd', 'f', 'g', 'm', 'n', 'p', 'r', 't':
		return true
	}
	return false
}

// step1c: a y after a consonant is an i (cry, cries).
func (w *stemmer) step1c() {
	n := len(w.b)
	if n > 2 && w.b[n-1] == 'y' && !w.isVowel(n-2) {
		w.b[n-1] = 'i'
		w.vowels |= 1 << (n - 1)
	}
}

type ending struct{ from, to string }

// The endings of step 2, in lists by their last two letters, and of step 3.
// Longest first where one ends with another.
var (
	endingsAL = []ending{{"ational", "ate"}, {"tional", "tion"}}
	endingsTI = []ending{{"biliti", "ble"}, {"aliti", "al"}, {"iviti", "ive"}}
	endingsLI = []ending{{"lessli", "less"}, {"entli", "ent"}, {"fulli", "ful"}, {"ousli", "ous"},
		{"abli", "able"}, {"alli", "al"}, {"bli", "ble"}}
	endingsSS = []ending{{"fulness", "ful"}, {"iveness", "ive"}, {"ousness", "ous"}}
	endingsON = []ending{{"ization", "ize"}, {"ation", "ate"}}
	endingsCI = []ending{{"anci", "ance"}, {"enci", "ence"}}
	endingsSM = []ending{{"alism", "al"}}
	endingsOR = []ending{{"ator", "ate"}}
	endingsER = []ending{{"izer", "ize"}}

	endings3E = []ending{{"alize", "al"}, {"icate", "ic"}}
	endings3I = []ending{{"iciti", "ic"}}
	endings3L = []ending{{"ational", "ate"}, {"tional", "tion"}, {"ical", "ic"}, {"ful", ""}}
	endings3S = []ending{{"ness", ""}}
)

// step2: double endings become single ones (-ization, -ize).
func (w *stemmer) step2() {
	n := len(w.b)
	if n < 3 {
		return
	}
	switch string(w.b[n-2:]) {
	case "al":
		w.replace(endingsAL)
	case "ti":
		w.replace(endingsTI)
	case "ss":
		w.replace(endingsSS)
	case "on":
		w.replace(endingsON)
	case "ci":
		w.replace(endingsCI)
	case "sm":
		w.replace(endingsSM)
	case "or":
		w.replace(endingsOR)
	case "er":
		w.replace(endingsER)
	case "gi":
		if w.ends("logi") && w.inR1(3) {
			w.trim(1)
		}
	case "li":
		if !w.replace(endingsLI) && w.inR1(2) && isLiEnding(w.b[n-3]) {
			w.trim(2)
		}
	}
}

// isLiEnding: letters after which -li is an ending (not so in folli-).
func isLiEnding(c byte) bool {
	switch c {
	case 'c', 'd', 'e', 'g', 'h', 'k', 'm', 'n', 'r', 't':
		return true
	}
	return false
}

// replace tries the endings in turn and reports whether one was there. The
// first that fits decides: outside R1 it stays, and no shorter one is tried.
func (w *stemmer) replace(list []ending) bool {
	for i := range list {
		e := &list[i]
		if !w.ends(e.from) {
			continue
		}
		if w.inR1(len(e.from)) {
			w.trim(len(e.from))
			w.put(e.to)
		}
		return true
	}
	return false
}

// step3: what step 2 left of double endings.
func (w *stemmer) step3() {
	n := len(w.b)
	if n < 3 {
		return
	}
	switch w.b[n-1] {
	case 'e':
		if w.ends("ative") {
			if w.inR1(5) && w.inR2(5) {
				w.trim(5)
			}
			return
		}
		w.replace(endings3E)
	case 'i':
		w.replace(endings3I)
	case 'l':
		w.replace(endings3L)
	case 's':
		w.replace(endings3S)
	}
}

// step4: single endings, if enough of the word is left.
func (w *stemmer) step4() {
	n := len(w.b)
	if n < 3 {
		return
	}
	k := 0
	switch w.b[n-1] {
	case 'c', 'l', 'r':
		if w.ends("ic") || w.ends("al") || w.ends("er") {
			k = 2
		}
	case 'e':
		switch {
		case w.ends("ance"), w.ends("ence"), w.ends("able"), w.ends("ible"):
			k = 4
		case w.ends("ate"), w.ends("ive"), w.ends("ize"):
			k = 3
		}
	case 't':
		switch {
		case w.ends("ement"):
			k = 5
		case w.ends("ment"):
			k = 4
		case w.ends("ent"), w.ends("ant"):
			k = 3
		}
	case 'm', 'i', 's':
		if w.ends("ism") || w.ends("iti") || w.ends("ous") {
			k = 3
		}
	case 'n':
		if w.ends("sion") || w.ends("tion") {
			k = 3
		}
	}
	if k > 0 && w.inR2(k) {
		w.trim(k)
	}
}

// step5: a last e, and the second of two l.
func (w *stemmer) step5() {
	n := len(w.b)
	switch w.b[n-1] {
	case 'e':
		if w.inR2(1) || w.inR1(1) && !w.shortSyllable(n-1) {
			w.trim(1)
		}
	case 'l':
		if n > 1 && w.b[n-2] == 'l' && w.inR2(1) {
			w.trim(1)
		}
	}
}
