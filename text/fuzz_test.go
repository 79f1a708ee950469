package text

import "testing"

var fuzzSeeds = []string{"running PostgreSQL15 a/b-c_d.e C++", "北京大学 1,000 ｶﾞ", "cafe\u0301 İ ﬁ ㈱ ①", "น้ำ 한국어는",
	"👨\u200d👩\u200d👧🇩🇪\ufeff\u00ad", "\xff\xed\xa0\x80", "He said \"no.\" 3.14。好", "a\r\nb"}

func FuzzTerms(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkTerms(t, s)
		indexed := termSet(s)
		for _, q := range Query(s) {
			if !indexed[q.Text] {
				t.Fatalf("%q is asked for by %q but not indexed", q.Text, s)
			}
		}
		if f := Fold(s); Fold(f) != f {
			t.Fatalf("Fold(%q) = %q is not stable", s, f)
		}
	})
}

func FuzzSentences(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkSentences(t, s) })
}

func FuzzCutGrapheme(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s, 5)
	}
	f.Fuzz(func(t *testing.T, s string, max int) {
		got := CutGrapheme(s, max)
		if got < 0 || got > len(s) || got > max && max >= 0 {
			t.Fatalf("CutGrapheme(%q, %d) = %d", s, max, got)
		}
		if len(s) <= graphemeWindow && got != wholeScan(s, max) {
			t.Fatalf("CutGrapheme(%q, %d) = %d, whole scan %d", s, max, got, wholeScan(s, max))
		}
	})
}
