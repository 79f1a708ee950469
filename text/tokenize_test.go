package text

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// kindMark makes terms short to write: a stem is ~run, a part +sql, a unigram
// 北 and a bigram 北京 are told apart by their length.
var kindMark = map[Kind]string{Exact: "", Stem: "~", Part: "+", Unigram: "", Bigram: ""}

// shown gives the terms of s, those of one position joined by | and positions
// by a blank.
func shown(s string) string {
	var b strings.Builder
	last := 0
	Terms(s, func(t Term) {
		switch {
		case b.Len() == 0:
		case t.Pos == last:
			b.WriteByte('|')
		default:
			b.WriteByte(' ')
		}
		b.WriteString(kindMark[t.Kind] + string(t.Text))
		last = t.Pos
	})
	return b.String()
}

type known struct{ in, want string }

func checkKnown(t *testing.T, table []known) {
	t.Helper()
	for _, k := range table {
		if got := shown(k.in); got != k.want {
			t.Errorf("Terms(%q)\n got %s\nwant %s", k.in, got, k.want)
		}
	}
}

func TestWords(t *testing.T) {
	checkKnown(t, []known{
		{"", ""},
		{"  \n\t", ""},
		{"The cats run.", "the cats|~cat run"},
		{"running ran", "running|~run ran"},
		{"HTTP Http http", "http http http"},
		{"word, word; (word) word!", "word word word word"},
		{"end. Next", "end next"},
		{"Privet Привет ПРИВЕТ", "privet привет привет"},
		{"ёлка й и", "ёлка й и"},
		{"ΟΔΟΣ οδος", "οδοσ οδοσ"},
		{"שָׁלוֹם", "שָׁלוֹם"},
		{"नमस्ते", "नमस्ते"},
		{"مرحبا بالعالم", "مرحبا بالعالم"},
	})
}

func TestApostrophes(t *testing.T) {
	checkKnown(t, []known{
		{"Alice's Alice’s ALICE'S", "alice|~alic alice|~alic alice|~alic"},
		{"don't don’t", "dont dont"},
		{"we're we'll I'm she'd I've", "we we i she i"},
		{"O'Brien", "obrien|+o +brien"},
		{"dogs' 'dogs'", "dogs|~dog dogs|~dog"},
		{"rock'n'roll", "rocknroll|~rocknrol"},
		{"1990's", "1990"},
	})
}

func TestCompounds(t *testing.T) {
	checkKnown(t, []known{
		{"go_to_db", "go_to_db|+go +to +db"},
		{"feature-flags", "feature-flags|+feature|+featur +flags|+flag"},
		{"config.yml", "config.yml|+config +yml"},
		{"a/b-c/d", "a/b-c/d|+a +b-c|+b +c +d"},
		{"v1.2.3", "v1.2.3|+v1|+v +1 +2 +3"},
		{"10.0.0.1", "10.0.0.1|+10 +0 +0 +1"},
		{"--flag-x __init__ a--b x. .y", "flag-x|+flag +x init a b x y"},
		{"PostgreSQL15", "postgresql15|+postgresql|+postgre|+postgr +sql +15"},
		{"HTTPServer", "httpserver|+http +server"},
		{"getUserId", "getuserid|+get +user +id"},
		{"IPhone iPhone", "iphone|~iphon|+i +phone iphone|~iphon|+i +phone"},
		{"utf8", "utf8|+utf +8"},
		{"a1b2c3d4e5", "a1b2c3d4e5"}, // a hash
		{"привет-мир", "привет-мир|+привет +мир"},
		{"ＡＢＣ１２３／Ｘ", "abc123/x|+abc123|+abc +123 +x"},
		{"北京/上海", "北|北京 京 上|上海 海"},
	})
}

func TestSuffixedNames(t *testing.T) {
	checkKnown(t, []known{
		{"C++", "c++|+c"},
		{"C#, F#.", "c#|+c f#|+f"},
		{"C/C++", "c/c++|+c +c++|+c"},
		{"C++17", "c++|+c 17"},
		{"a++b", "a b"},
		{"page#part", "page part"},
		{"## head ##", "head"},
	})
}

func TestNumbers(t *testing.T) {
	checkKnown(t, []known{
		{"1,000 1,000,000.", "1000 1000000"},
		{"1,2 1,0000 12,34", "1 2 1 0000 12 34"},
		{"1234,567", "1234 567"},
		{"1.5 15:00", "1.5|+1 +5 15 00"},
		{"2024-05-01", "2024-05-01|+2024 +05 +01"},
		{"①② ½ x²", "12 1 2 x2|+x +2"},
	})
}

func TestRuns(t *testing.T) {
	checkKnown(t, []known{
		{"北京大学", "北|北京 京|京大 大|大学 学"},
		{"我 用", "我 用"},
		{"我，用", "我 用"},
		{"用Go语言", "用 go 语|语言 言"},
		{"2024年", "2024 年"},
		{"𠮷野", "𠮷|𠮷野 野"},
		{"二〇", "二|二〇 〇"},
		{"食べる", "食 べ|べる る"},          // Han and kana are two runs
		{"スーパー", "ス|スー ー|ーパ パ|パー ー"}, // ー belongs to the run
		{"らーめん", "ら|らー ー|ーめ め|めん ん"},
		{"時々", "時|時々 々"},
		{"ｶﾞｷﾞ", "ガ|ガギ ギ"},
		{"か\u3099き", "が|がき き"},
		{"데이터는", "데|데이 이|이터 터|터는 는"},
		{"\u1112\u1161\u11ab글", "한|한글 글"},
		{"㈱東京", "株 東|東京 京"},
		{"葛\U000E0100飾", "葛|葛飾 飾"}, // a variation selector says nothing
		{"ที่ดี", "ที่|ที่ดี ดี"},
	})
}

func TestFoldedWords(t *testing.T) {
	checkKnown(t, []known{
		{"café CAFÉ cafe\u0301", "cafe cafe cafe"},
		{"Straße Ærø Łódź Đà Việt", "strasse|~strass aero lodz da viet"},
		{"İstanbul ıssız", "istanbul issiz"},
		{"ﬁsh ªº", "fish ao"},
		{"Foo™", "foo"},
		{"µm μm", "μm μm"},
		{"\u212Aelvin", "kelvin"},
	})
}

func TestHostileInput(t *testing.T) {
	checkKnown(t, []known{
		{"\ufeffword", "word"},
		{"exam\u00adple", "example|~exampl"},
		{"zero\u200bwidth", "zero width"},
		{"join\u200der n\u200con", "joiner non"},
		{"a\xffb", "a b"},
		{"\xed\xa0\x80x", "x"}, // a lone surrogate
		{"北\xff京", "北 京"},
		{"\u0301x", "x"},
		{"👨\u200d👩\u200d👧 🇩🇪 ❤\ufe0f", ""},
		{"1\ufe0f\u20e3", "1"},
		{"\u202eabc\u202c", "abc"},
		{"⁂ ∑ € 、。！", ""},
	})
}

func TestLongWords(t *testing.T) {
	long := strings.Repeat("x", 64<<10)
	if got := shown(long); got != long[:maxRunes] {
		t.Errorf("a long word gives %d bytes, want its first %d", len(got), maxRunes)
	}
	path := strings.Repeat("ab/", 1000) + "cd"
	parts, whole := 0, 0
	words := Terms(path, func(tm Term) {
		if tm.Kind == Part {
			parts++
		} else {
			whole++
		}
	})
	if parts != 1001 || whole != 0 || words != 1001 {
		t.Errorf("a path of 1001 names: %d parts, %d other terms, %d words", parts, whole, words)
	}
	Terms("ก"+strings.Repeat("\u0e48", 1<<16), func(tm Term) {
		if utf8.RuneCount(tm.Text) > maxRunes {
			t.Errorf("a term of %d runes", utf8.RuneCount(tm.Text))
		}
	})
}

func TestOffsets(t *testing.T) {
	const s = "ＡＢ x ﬁ-cafe\u0301! 北京 don't"
	var got []string
	Terms(s, func(tm Term) { got = append(got, fmt.Sprintf("%s=%s", tm.Text, s[tm.Start:tm.End])) })
	want := "ab=ＡＢ x=x fi-cafe=ﬁ-cafe fi=ﬁ cafe=cafe 北=北 北京=北京 京=京 dont=don't"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestWordCountCountsPartsOnce(t *testing.T) {
	for s, want := range map[string]int{"one two": 2, "PostgreSQL15": 3, "a/b-c": 3, "北京": 2, "C++": 1, "!": 0} {
		if got := Terms(s, func(Term) {}); got != want {
			t.Errorf("Terms(%q) counts %d words, want %d", s, got, want)
		}
	}
}

func TestTermsAllocateNothing(t *testing.T) {
	for name, s := range benchInputs {
		l := new(lexer)
		emit := func(Term) {}
		if n := testing.AllocsPerRun(5, func() { l.terms(s, emit) }); n > 0 {
			t.Errorf("%s: %v allocations for %d bytes", name, n, len(s))
		}
	}
}

// Full-width forms fold to ASCII and never take the short ways.
func TestShortWaysAgreeWithTheLongOne(t *testing.T) {
	for name, s := range benchInputs {
		s = s[:len(s)/16]
		s = strings.ToValidUTF8(s, "")
		if shown(s) != shown(strings.Map(widen, s)) {
			t.Errorf("%s: full-width text gives other terms than ASCII", name)
		}
	}
}

func widen(r rune) rune {
	if '!' <= r && r <= '~' {
		return r + 0xFEE0
	}
	return r
}
