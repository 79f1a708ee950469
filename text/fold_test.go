package text

import (
	"strings"
	"testing"
)

func TestFold(t *testing.T) {
	for _, k := range []known{
		{"", ""},
		{"plain", "plain"},
		{"Foo Bar", "foo bar"},
		{"ＦＯＯ　ＢＡＲ", "foo bar"},
		{"  a \t\n b  ", "a b"},
		{"Café", "cafe"},
		{"cafe\u0301", "cafe"},
		{"ЁЛКА й", "ёлка й"},
		{"İSTANBUL", "istanbul"},
		{"Straße", "strasse"},
		{"Ǿ Ǽ", "o ae"},
		{"ｶﾞ", "ガ"},
		{"ﬁ ㈱", "fi (株)"},
		{"soft\u00adhyphen\ufeff", "softhyphen"},
		{"🎉 C++", "🎉 c++"},
		{"a\xffb", "a\ufffdb"},
	} {
		if got := Fold(k.in); got != k.want {
			t.Errorf("Fold(%q) = %q, want %q", k.in, got, k.want)
		}
	}
}

func TestNameWords(t *testing.T) {
	for _, k := range []known{
		{"Mary-Ann O'Brien", "mary brien"},
		{"Café PostgreSQL15", "cafe postgresql"},
		{"ＨＡＬＹＡＲＤ 系统", "halyard"},
		{"Ann Li 2026", ""},
		{"北京大学", ""},
		{strings.Repeat("x", 41), ""},
	} {
		var got []string
		NameWords(k.in, func(s string) { got = append(got, s) })
		if strings.Join(got, " ") != k.want {
			t.Errorf("NameWords(%q) = %q, want %q", k.in, strings.Join(got, " "), k.want)
		}
	}
}

func TestIsCJK(t *testing.T) {
	for _, r := range "北𠮷〇々あンｶー한กี" {
		if !IsCJK(r) {
			t.Errorf("IsCJK(%q) = false", r)
		}
	}
	for _, r := range "aЯ1。，・🎉é๑฿\u200b" {
		if IsCJK(r) {
			t.Errorf("IsCJK(%q) = true", r)
		}
	}
}
