package text

import (
	"strings"
	"testing"

	"github.com/rivo/uniseg"
)

func TestSentences(t *testing.T) {
	for _, k := range []known{ // cuts are written |
		{"", ""},
		{"One. Two! Three?", "One. |Two! |Three?"},
		{"你好。再见！真的？是", "你好。|再见！|真的？|是"},
		{"line one\nline two\r\n\r\nthree", "line one\n|line two\r\n\r\n|three"},
		{"\n\n first. second", "\n\n first. |second"},
		{"pi is 3.14 and v1.2.3 runs", "pi is 3.14 and v1.2.3 runs"},
		{"see https://a.b/c?d=e now. ok", "see https://a.b/c?d=e now. |ok"},
		{"J. Smith met Dr. Chen, e.g. today. Then left.", "J. Smith met Dr. Chen, e.g. today. |Then left."},
		{"Dr. Smith vs. Jones is on e.g. Monday. Go.", "Dr. Smith vs. Jones is on e.g. Monday. |Go."},
		{"It takes approx. 5 days, cf. Fig. 3. Then stop.", "It takes approx. 5 days, cf. Fig. 3. |Then stop."},
		{"See fig. 3, sec. 2 and pp. 4. I ate a fig. Yum.", "See fig. 3, sec. 2 and pp. 4. |I ate a fig. |Yum."},
		{"Ask Mr. Kim, Mrs. Ng etc. about it. Bring milk, etc. Then go.", "Ask Mr. Kim, Mrs. Ng etc. about it. |Bring milk, etc. |Then go."},
		{"Acme Inc. and Beta Ltd. met at 9 a.m. sharp.", "Acme Inc. and Beta Ltd. met at 9 a.m. sharp."},
		{"They met Acme Inc. The deal was off.", "They met Acme Inc. |The deal was off."},
		{"Off on Jan. 5 and Sept. 9. In Jan. We met.", "Off on Jan. 5 and Sept. 9. |In Jan. |We met."},
		{"He said no. 5 of us left. It was No. 7.", "He said no. 5 of us left. |It was No. 7."},
		{"Use v1.2. Edit main.go. Stop vs.", "Use v1.2. |Edit main.go. |Stop vs."},
		{"etc.\nnext", "etc.\n|next"},
		{"1. install\n2. run", "1. install\n|2. run"},
		{`He said "no." Then "yes!"`, `He said "no." |Then "yes!"`},
		{"他说：“好。”然后走了。", "他说：“好。”|然后走了。"},
		{"Wait... what?! No", "Wait... |what?! |No"},
		{"用Go.然后", "用Go.|然后"},
		{"版本3.十", "版本3.十"},
	} {
		var got []string
		for _, sp := range Sentences(k.in) {
			got = append(got, k.in[sp.Start:sp.End])
		}
		if strings.Join(got, "|") != k.want {
			t.Errorf("Sentences(%q)\n got %q\nwant %q", k.in, strings.Join(got, "|"), k.want)
		}
	}
}

// Inputs on which a careless scan would take the square of their length.
func TestLongInputsTakeLinearTime(t *testing.T) {
	for _, unit := range []string{"\n", ".", "*", "!a", "a.", "1", " ", "🇩🇪", "e\u0301", "\u0301", "ก้", "\xff"} {
		s := strings.Repeat(unit, 1<<20/len(unit))
		Sentences(s)
		Tokens(s)
		Fold(s)
		Terms(s, func(Term) {})
		CutGrapheme(s, len(s)-1)
	}
}

func TestCutGrapheme(t *testing.T) {
	const family = "👨\u200d👩\u200d👧"
	for _, k := range []struct {
		s         string
		max, want int
	}{
		{"abc", -1, 0}, {"abc", 0, 0}, {"abc", 2, 2}, {"abc", 3, 3}, {"abc", 99, 3}, {"", 5, 0},
		{"北京", 3, 3}, {"北京", 4, 3}, {"北京", 2, 0},
		{"a\r\nb", 2, 1}, {"a\r\nb", 3, 3},
		{"xe\u0301y", 2, 1}, {"xe\u0301y", 3, 1}, {"xe\u0301y", 4, 4},
		{"a" + family, 5, 1}, {family + family, len(family), len(family)}, {family + family, len(family) + 4, len(family)},
		{"🇩🇪🇫🇷", 4, 0}, {"🇩🇪🇫🇷", 8, 8}, {"🇩🇪🇫🇷", 12, 8},
		{"か\u3099", 3, 0},
		{"a\xff\xffb", 2, 2},
	} {
		if got := CutGrapheme(k.s, k.max); got != k.want {
			t.Errorf("CutGrapheme(%q, %d) = %d, want %d", k.s, k.max, got, k.want)
		}
	}
}

// The look-back is bounded, so a long text must give what a short one gives.
func TestCutGraphemeFarIntoEmoji(t *testing.T) {
	for _, unit := range []string{"🇩🇪", "👨\u200d👩\u200d👧\u200d👦", "👍🏽", "❤\ufe0f", "e\u0301\u0302", "각"} {
		s := strings.Repeat(unit, 20_000/len(unit))
		for max := len(s) - 2*len(unit); max < len(s); max++ {
			if got, want := CutGrapheme(s, max), max/len(unit)*len(unit); got != want {
				t.Fatalf("%q repeated: CutGrapheme at %d = %d, want %d", unit, max, got, want)
			}
		}
	}
}

// wholeScan finds the cut by counting clusters from the beginning.
func wholeScan(s string, max int) int {
	at := 0
	for at < len(s) {
		c, _, _, _ := uniseg.FirstGraphemeClusterInString(s[at:], -1)
		if at+len(c) > max {
			break
		}
		at += len(c)
	}
	return at
}

func TestTokens(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "a": 1, "abcd": 1, "abcde": 2, "北京大学": 4, "用Go": 2, "カタカナ": 4, "한국어": 3, "กขคง": 1,
	} {
		if got := Tokens(s); got != want {
			t.Errorf("Tokens(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		given string
		max   int
		want  string
	}{
		{"short", 5, "short"},
		{"a limit of 100 MB", 12, "a limit of…"},
		{"a limit, of course", 9, "a limit…"},
		{"nothingtocutat", 7, "nothing…"},
		{"缓存换成了 Redis", 10, "缓存换…"}, // never within a character
		{"👩‍👩‍👧‍👦 family", 8, "…"},  // nor within what is seen as one
	} {
		if got := Clip(c.given, c.max); got != c.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", c.given, c.max, got, c.want)
		}
	}
}

func TestColumnsOfATerminal(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "工作流": 6, "e\u0301a": 2, "ハブ x": 6} {
		if got := Width(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	}
}
