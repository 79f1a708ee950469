package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// anyText mixes what texts are made of with what breaks tokenizers.
func anyText() *rapid.Generator[string] {
	pieces := rapid.SampledFrom([]string{
		"a", "B", "running", "HTTPServer", "don't", "’", "-", "_", ".", "/", "++", "#", ",", "000", "15", " ", "\n",
		"北京", "的", "か", "\u3099", "ー", "ｶﾞ", "한국", "\u11a8", "ที่", "é", "\u0301", "й", "İ", "ﬁ", "①", "㈱", "，", "。",
		"\u00ad", "\u200b", "\u200d", "\ufeff", "👨\u200d👩", "🇩🇪", "\xff", "\xe5\x8c", "שׁ", "™", "½",
	})
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.IntRange(0, 4).Draw(t, "any") == 0 {
			return rapid.String().Draw(t, "s")
		}
		return strings.Join(rapid.SliceOfN(pieces, 0, 12).Draw(t, "pieces"), "")
	})
}

// checkTerms holds what is promised of every term of every input.
func checkTerms(t interface{ Fatalf(string, ...any) }, s string) {
	pos := 0
	words := Terms(s, func(tm Term) {
		switch {
		case tm.Pos < pos || tm.Pos > pos+1 && pos > 0:
			t.Fatalf("%q: position %d after %d", s, tm.Pos, pos)
		case tm.Start < 0 || tm.Start >= tm.End || tm.End > len(s):
			t.Fatalf("%q: %q at [%d:%d]", s, tm.Text, tm.Start, tm.End)
		case len(tm.Text) == 0 || !utf8.Valid(tm.Text):
			t.Fatalf("%q: term %q", s, tm.Text)
		case utf8.RuneCount(tm.Text) > maxRunes:
			t.Fatalf("%q: term of %d runes", s, utf8.RuneCount(tm.Text))
		}
		pos = tm.Pos
	})
	if words > 0 && pos != words-1 {
		t.Fatalf("%q: last position %d of %d words", s, pos, words)
	}
}

func TestTermsKeepTheirPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyText().Draw(t, "s")
		checkTerms(t, s)
		if first, again := shown(s), shown(s); first != again {
			t.Fatalf("%q: two runs differ", s)
		}
	})
}

func TestBlankSeparates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyText().Draw(t, "a"), anyText().Draw(t, "b")
		joined, apart := shown(a+" "+b), strings.TrimSpace(shown(a)+" "+shown(b))
		if joined != apart {
			t.Fatalf("%q + %q\n got %s\nwant %s", a, b, joined, apart)
		}
	})
}

// Whatever is asked for by words of a text is found in it.
func TestQuestionsFindTheirWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, asked, after := anyText().Draw(t, "before"), anyText().Draw(t, "asked"), anyText().Draw(t, "after")
		indexed := termSet(before + " " + asked + " " + after)
		seen := make(map[string]bool)
		for _, q := range Query(asked) {
			switch {
			case !indexed[q.Text]:
				t.Fatalf("%q of %q is not indexed", q.Text, asked)
			case seen[q.Text]:
				t.Fatalf("%q of %q occurs twice", q.Text, asked)
			case q.Weight <= 0 || q.Weight > 1:
				t.Fatalf("%q of %q weighs %v", q.Text, asked, q.Weight)
			}
			seen[q.Text] = true
		}
	})
}

func TestFoldIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyText().Draw(t, "s")
		f := Fold(s)
		if again := Fold(f); again != f {
			t.Fatalf("Fold(%q) = %q, folded again %q", s, f, again)
		}
		if n := Fold(norm.NFD.String(strings.ToValidUTF8(s, "\ufffd"))); n != Fold(strings.ToValidUTF8(s, "\ufffd")) {
			t.Fatalf("%q folds otherwise when decomposed: %q", s, n)
		}
	})
}

func checkSentences(t interface{ Fatalf(string, ...any) }, s string) {
	at := 0
	for _, sp := range Sentences(s) {
		if sp.Start != at || sp.End <= sp.Start {
			t.Fatalf("%q: span %v after %d", s, sp, at)
		}
		if utf8.ValidString(s) && !utf8.ValidString(s[sp.Start:sp.End]) {
			t.Fatalf("%q: a character is cut at %v", s, sp)
		}
		at = sp.End
	}
	if at != len(s) {
		t.Fatalf("%q: %d of %d bytes covered", s, at, len(s))
	}
}

func TestSentencesCoverTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkSentences(t, anyText().Draw(t, "s")) })
}

func TestCutGraphemeMatchesAWholeScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyText().Draw(t, "s")
		if len(s) > graphemeWindow {
			return
		}
		for max := range len(s) + 1 {
			if got, want := CutGrapheme(s, max), wholeScan(s, max); got != want {
				t.Fatalf("CutGrapheme(%q, %d) = %d, whole scan %d", s, max, got, want)
			}
		}
	})
}
