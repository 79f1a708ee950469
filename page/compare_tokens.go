package page

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brain/text"
)

// The words of a claim, in order, in the form in which two claims are
// compared. They come from the one tokenizer (text.Terms): whole words with
// stop words, and single characters of Chinese; then
//
//	neighbours become one token where they mean one thing: a value ("3 pm",
//	二十, "2026年3月1日": compare_values.go) or a word that a screen knows
//	(停用, 非常: compare_words.go);
//	signs that carry meaning (<, →, ✅, +) become tokens, which the tokenizer
//	of an index has no use for. Other punctuation is gone.

// token is one word, value or sign of a claim.
type token struct {
	text       string // folded; a value in its normal form
	stem       string // what core words are compared by
	role       role
	dim        dimension // of a value
	antonym    antonym
	start, end int  // bytes of the claim's text
	han        bool // one Han character
	colon      bool // a colon, an equals sign or "is" follows
	sign       bool // a minus stands before it
	hash       bool // a # stands before it: the number of an issue
	ranged     bool // one end of a range: "5 to 10"
	weight     weight
	stage      stage // that the word tells of
}

// weight is how much it means that one statement has a word and another has not.
type weight uint8

const (
	full   weight = iota
	soft          // counts where both have it: length, number of, scheduled
	little        // says nothing by itself: has, there, 一共
)

// role is what a token does in a comparison.
type role uint8

const (
	plain     role = iota // counts for overlap, and must agree in a duplicate
	value                 // number, date, time, version
	negator               // turns the claim into its opposite
	permit                // allowed, 可以: says nothing that its absence does not
	qualifier             // only, must, 可能: a duplicate has the same ones
	light                 // articles, is, 的: may be absent
	symbol                // < → ✅
)

// tokens cuts s. It is nil for a text without words and signs.
func tokens(s string) []token {
	ts := rawTokens(s)
	ts = mergeHan(ts)
	ts = mergeValues(s, ts)
	ts = mergePhrases(ts)
	markRanges(ts)
	for i := range ts {
		if ts[i].text == "曾" && i > 0 && copulas[ts[i-1].text] {
			ts[i].role = plain // a name
		}
		if ts[i].role == plain {
			classify(ts, i)
		}
	}
	return ts
}

// rawTokens gives the words that the tokenizer delivers, without the parts
// of a compound that is there as a whole, and the signs between them.
func rawTokens(s string) []token {
	ts := make([]token, 0, len(s)/4+1)
	covered := 0
	text.Terms(s, func(t text.Term) {
		switch {
		case t.Kind == text.Bigram:
			return
		case t.Kind == text.Stem:
			if n := len(ts); n > 0 && ts[n-1].end == t.End {
				ts[n-1].stem = string(t.Text)
			}
			return
		case t.Start < covered:
			return
		}
		ts = appendSigns(ts, s, covered, t.Start)
		w := string(t.Text)
		ts = append(ts, token{text: w, stem: w, start: t.Start, end: t.End, han: t.Kind == text.Unigram, sign: minusBefore(s, t.Start), hash: strings.HasSuffix(s[:t.Start], "#")})
		covered = t.End
	})
	return appendSigns(ts, s, covered, len(s))
}

// appendSigns adds what between two words has a meaning.
func appendSigns(ts []token, s string, from, to int) []token {
	gap := s[from:to]
	if rest, isEnding := cutEnding(gap); isEnding && from > 0 {
		from, gap = to-len(rest), rest
	}
	for i, r := range gap {
		if len(ts) > 0 && (r == ':' || r == '：' || r == '=') {
			ts[len(ts)-1].colon = true
		}
		lost := unicode.IsLetter(r) || unicode.IsNumber(r) // behind the longest term
		if !lost && !meaningful(gap, i, r) {
			continue
		}
		at, n := from+i, utf8.RuneLen(r)
		if n < 0 || r == utf8.RuneError {
			continue
		}
		w := text.Fold(string(r))
		ts = append(ts, token{text: w, stem: w, role: symbol, start: at, end: at + n})
	}
	return ts
}

// cutEnding cuts an English ending that the tokenizer drops ('s, 'll) off a gap.
func cutEnding(gap string) (rest string, ok bool) {
	for _, mark := range [...]string{"'", "’", "ʼ"} {
		if after, found := strings.CutPrefix(gap, mark); found {
			return strings.TrimLeftFunc(after, unicode.IsLetter), true
		}
	}
	return gap, false
}

// meaningful reports whether a sign between words says something: currency,
// comparison, arrows, ticks and crosses; ! before = is no exclamation.
func meaningful(gap string, i int, r rune) bool {
	switch r {
	case '<', '>', '%', '≠', '@':
		return true
	case '=', '|', '~', '^', '`', '+':
		return r == '+' && i == 0
	case '!':
		return strings.HasPrefix(gap[i:], "!=")
	}
	return unicode.Is(unicode.Sm, r) || unicode.Is(unicode.Sc, r) || unicode.Is(unicode.So, r)
}

// minusBefore reports whether a minus sign belongs to the word at i: it
// stands right before it and after a blank or an opening bracket.
func minusBefore(s string, i int) bool {
	for _, m := range [...]string{"-", "−", "－"} {
		if before, ok := strings.CutSuffix(s[:i], m); ok {
			r, _ := utf8.DecodeLastRuneInString(before)
			return before == "" && s != "" || r == '(' || r == '=' || r == ':' || unicode.IsSpace(r) || unicode.Is(unicode.Han, r)
		}
	}
	return false
}

// mergeHan joins the characters of words that a screen knows, longest first.
func mergeHan(ts []token) []token {
	out := ts[:0]
	for i := 0; i < len(ts); {
		n, e := 1, lexeme{}
		if ts[i].han {
			n, e = longestLexeme(ts[i:])
		}
		t := ts[i]
		if n > 1 || e.known {
			for _, more := range ts[i+1 : i+n] {
				t.text += more.text
			}
			t.end, t.colon = ts[i+n-1].end, ts[i+n-1].colon
			t.stem, t.role, t.antonym, t.weight, t.stage, t.han = cmp.Or(sameHan[t.text], t.text), e.role, e.antonym, e.weight, e.stage, false
		}
		out = append(out, t)
		i += n
	}
	return out
}

// longestLexeme looks for the longest word of the Chinese lists at ts[0].
func longestLexeme(ts []token) (n int, found lexeme) {
	n = 1
	w := ""
	for k := 0; k < len(ts) && k < maxLexeme && ts[k].han && (k == 0 || ts[k].start == ts[k-1].end); k++ {
		w += ts[k].text
		if e, ok := lexicon().han[w]; ok && (e.role != plain || !reaches(ts, k)) {
			n, found = k+1, e
		}
	}
	return n, found
}

// reaches reports whether the last character of a kept word belongs to the word behind it, so that
// the first one negates it.
func reaches(ts []token, last int) bool {
	if last == 0 || last+1 == len(ts) || !ts[last+1].han || !strings.Contains("不没沒无無未非别別", ts[0].text) {
		return false
	}
	return lexicon().reached[ts[last].text+ts[last+1].text]
}

// classify gives an English word or a lone token its role.
func classify(ts []token, i int) {
	t := &ts[i]
	lx := lexicon()
	e, ok := lx.exact[t.text]
	if !ok {
		e, ok = lx.stems[t.stem]
	} else if e.antonym.group != 0 {
		t.stem = t.text // weekly is not week
	}
	t.stage = max(t.stage, e.stage)
	if base, irregular := irregulars()[t.text]; irregular && (!ok || e.antonym.group == 0) {
		t.stem = base
	}
	if t.text == "out" && i > 0 && ts[i-1].stem == "time" {
		t.stem, ts[i-1].weight = "timeout", little
		return
	}
	if t.text == "over" && slices.ContainsFunc(ts[:i], func(t token) bool { return t.stem == "prefer" }) {
		return // what is preferred to what
	}
	if t.text == "call" && i > 0 && ts[i-1].text == "on" {
		t.stem = "on-call"
		return
	}
	if t.text == "valid" && i+1 < len(ts) && (ts[i+1].text == "until" || ts[i+1].text == "till" || ts[i+1].text == "through") {
		t.stem = stemOf("expire") // what is valid until a day expires on it
		return
	}
	if !ok || t.antonym.group != 0 {
		return
	}
	if e.role == negator && notNegatingAt(ts, i) {
		t.role = qualifier // "not only", "no matter"
		return
	}
	t.role, t.antonym, t.weight = e.role, e.antonym, e.weight
	if t.weight == little && i+1 < len(ts) && periods()[ts[i+1].stem] && (t.text == "this" || t.text == "that") {
		t.weight = full // this week is not last week
	}
}

// notNegatingAt reports whether the negator at i is part of a phrase that denies nothing.
func notNegatingAt(ts []token, i int) bool {
	phrase := ts[i].text
	for k := i + 1; k < min(i+3, len(ts)); k++ {
		if phrase += " " + ts[k].text; notNegating[phrase] {
			return true
		}
	}
	return false
}

// markRanges marks the ends of ranges: 5 to 10 minutes, 8:00 到 18:00, between 3 and 5.
func markRanges(ts []token) {
	for i := 1; i+1 < len(ts); i++ {
		if ts[i-1].role != value || ts[i+1].role != value {
			continue
		}
		switch ts[i].text {
		case "and":
			if i < 2 || ts[i-2].text != "between" {
				continue
			}
		case "to", "through", "till", "until", "到", "至":
		default:
			continue
		}
		ts[i-1].ranged, ts[i+1].ranged = true, true
	}
}
