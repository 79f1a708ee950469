package text

// English stems by Porter2, the Snowball project's "english" algorithm
// (https://snowballstem.org/algorithms/english/stemmer.html), which takes
// endings off in five steps. An ending counts only in a region of the word:
// R1 begins after the first consonant that follows a vowel, R2 is the R1 of
// R1. Written on bytes and in place, since it runs for every English word.

// minStem is the length below which a word is its own stem.
const minStem = 3

// stem gives the stem of a word of a-z. It works in the word's own bytes, so
// the word is lost.
func stem(word []byte) []byte {
	if len(word) < minStem {
		return word
	}
	if s := stemException(word); s != "" {
		return append(word[:0], s...)
	}
	w := stemmer{b: word}
	w.markY()
	w.regions()
	w.step1a()
	w.step1b()
	w.step1c()
	w.step2()
	w.step3()
	w.step4()
	w.step5()
	for i, c := range w.b {
		if c == 'Y' {
			w.b[i] = 'y'
		}
	}
	return w.b
}

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
	r1, r2 int // where the regions begin; beyond the end when they are empty
}

// isVowel: a consonant y is written Y while the steps run.
func isVowel(c byte) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u', 'y':
		return true
	}
	return false
}

func (w *stemmer) markY() {
	for i, c := range w.b {
		if c == 'y' && (i == 0 || isVowel(w.b[i-1])) {
			w.b[i] = 'Y'
		}
	}
}

func (w *stemmer) regions() {
	switch {
	case hasPrefix(w.b, "gener"), hasPrefix(w.b, "arsen"):
		w.r1 = 5
	case hasPrefix(w.b, "commun"):
		w.r1 = 6
	default:
		w.r1 = w.regionAfter(0)
	}
	w.r2 = w.regionAfter(w.r1)
}

// regionAfter gives the place after the first consonant that follows a vowel.
func (w *stemmer) regionAfter(i int) int {
	for i++; i < len(w.b); i++ {
		if !isVowel(w.b[i]) && isVowel(w.b[i-1]) {
			return i + 1
		}
	}
	return len(w.b)
}

func hasPrefix(b []byte, s string) bool { return len(b) >= len(s) && string(b[:len(s)]) == s }

func (w *stemmer) ends(s string) bool {
	return len(w.b) >= len(s) && string(w.b[len(w.b)-len(s):]) == s
}

func (w *stemmer) trim(n int) { w.b = w.b[:len(w.b)-n] }

// inR1 and inR2 report whether the last n letters lie in the region.
func (w *stemmer) inR1(n int) bool { return len(w.b)-n >= w.r1 }
func (w *stemmer) inR2(n int) bool { return len(w.b)-n >= w.r2 }

func hasVowel(b []byte) bool {
	for _, c := range b {
		if isVowel(c) {
			return true
		}
	}
	return false
}

// shortSyllable reports whether the letters before end are one: a vowel
// between consonants (the last not w, x, Y), or a vowel that begins the word.
func (w *stemmer) shortSyllable(end int) bool {
	b := w.b[:end]
	switch {
	case end == 2:
		return isVowel(b[0]) && !isVowel(b[1])
	case end < 2:
		return false
	}
	last := b[end-1]
	return !isVowel(last) && last != 'w' && last != 'x' && last != 'Y' &&
		isVowel(b[end-2]) && !isVowel(b[end-3])
}

// step1a: plurals.
func (w *stemmer) step1a() {
	n := len(w.b)
	switch {
	case w.ends("sses"):
		w.trim(2)
	case w.ends("ies"), w.ends("ied"):
		if n > 4 {
			w.trim(2)
		} else {
			w.trim(1)
		}
	case w.ends("us"), w.ends("ss"):
	case w.b[n-1] == 's' && hasVowel(w.b[:n-2]):
		w.trim(1)
	}
}

// step1b: past forms and participles.
func (w *stemmer) step1b() {
	n := 0
	switch {
	case w.ends("eedly"):
		if w.inR1(5) {
			w.trim(3)
		}
	case w.ends("eed"):
		if w.inR1(3) {
			w.trim(1)
		}
	case w.ends("ingly"):
		n = 5
	case w.ends("edly"):
		n = 4
	case w.ends("ing"):
		n = 3
	case w.ends("ed"):
		n = 2
	}
	if n > 0 && hasVowel(w.b[:len(w.b)-n]) {
		w.trim(n)
		w.mend()
	}
}

// mend gives a word back the e that its ending had swallowed (hop-ed → hope)
// or takes the letter that was doubled for it (hopp-ed → hop).
func (w *stemmer) mend() {
	switch {
	case w.ends("at"), w.ends("bl"), w.ends("iz"):
		w.b = append(w.b, 'e')
	case w.endsDouble():
		w.trim(1)
	case w.r1 >= len(w.b) && w.shortSyllable(len(w.b)):
		w.b = append(w.b, 'e')
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
	if n > 2 && (w.b[n-1] == 'y' || w.b[n-1] == 'Y') && !isVowel(w.b[n-2]) {
		w.b[n-1] = 'i'
	}
}

type ending struct{ from, to string }

// Longest first where one ends with another; tried only when the last but one
// letter fits, which the switches below see to.
var (
	endingsA = []ending{{"ational", "ate"}, {"tional", "tion"}}
	endingsL = []ending{{"biliti", "ble"}, {"aliti", "al"}, {"iviti", "ive"}}
	endingsI = []ending{{"lessli", "less"}, {"entli", "ent"}, {"fulli", "ful"}, {"ousli", "ous"},
		{"abli", "able"}, {"alli", "al"}, {"bli", "ble"}}
	endingsS = []ending{{"fulness", "ful"}, {"iveness", "ive"}, {"ousness", "ous"}}
	endingsO = []ending{{"ization", "ize"}, {"ation", "ate"}}
	endingsC = []ending{{"anci", "ance"}, {"enci", "ence"}}

	endings3 = []ending{{"ational", "ate"}, {"tional", "tion"}, {"alize", "al"}, {"icate", "ic"},
		{"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""}}
)

// step2: double endings become single ones (-ization, -ize).
func (w *stemmer) step2() {
	n := len(w.b)
	if n < 3 {
		return
	}
	switch string(w.b[n-2:]) {
	case "al":
		w.replace(endingsA)
	case "ti":
		w.replace(endingsL)
	case "ss":
		w.replace(endingsS)
	case "on":
		w.replace(endingsO)
	case "ci":
		w.replace(endingsC)
	case "sm":
		w.replace([]ending{{"alism", "al"}})
	case "or":
		w.replace([]ending{{"ator", "ate"}})
	case "er":
		w.replace([]ending{{"izer", "ize"}})
	case "gi":
		if w.ends("logi") && w.inR1(3) {
			w.trim(1)
		}
	case "li":
		if !w.replace(endingsI) && w.inR1(2) && isLiEnding(w.b[n-3]) {
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
			w.b = append(w.b, e.to...)
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
		w.replace(endings3)
	case 'l', 'i', 's':
		w.replace(endings3)
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
