package compile

import (
	"strings"
	"testing"
	"unicode"
)

func TestPlainForm(t *testing.T) {
	for said, want := range map[string]string{
		"We’ve decided: use `pgx`, for now!":     "we have decided : use ¤ , for now .",
		"I can't – it's v1.2/x_y at 10:30…":      "i can not , it is v1.2/x_y at 10:30 ,",
		"我們決定改用 Redis，OK？":                       "我们决定改用 redis , ok ?",
		"ＡＢＣ１２，20，22 和 1,000":                    "abc12 , 20 , 22 和 1,000",
		"Dr. Okafor signs, not e.g. --dry-run. ": "dr okafor signs , not e.g --dry-run .",
		"**Bold** _text_ 🙂 (aside) [link]":       "bold text ( aside ) ( link )",
		"《书》和「话」":                                "¤ 和 ¤",
		"\x00\xff":                               "",
	} {
		p := normal(hideQuotes(said))
		if p.s != want {
			t.Errorf("%q reads %q, want %q", said, p.s, want)
		}
		if len(p.at) != len(p.s)+1 {
			t.Errorf("%q: %d places for %d bytes", said, len(p.at), len(p.s))
		}
	}
}

// Every byte of the plain form knows where it comes from.
func TestPlainFormKnowsItsSource(t *testing.T) {
	said := "OK, 我們決定 “x y” 改用 Postgres."
	p := normal(hideQuotes(said))
	for _, word := range []string{"Postgres", "我們決定", "“x y”"} {
		plain := map[string]string{"Postgres": "postgres", "我們決定": "我们决定", "“x y”": name}[word]
		i := strings.Index(p.s, plain)
		from, to := p.source(i, i+len(plain))
		if got := strings.TrimRight(said[from:to], " ."); got != word {
			t.Errorf("%s comes from %q", plain, got)
		}
	}
}

func TestTraditionalCharactersAreReadAsSimplified(t *testing.T) {
	for from, to := range simplified {
		if from == to || !unicode.Is(unicode.Han, from) || !unicode.Is(unicode.Han, to) {
			t.Errorf("%c is read as %c", from, to)
		}
		if _, ok := simplified[to]; ok {
			t.Errorf("%c is read as %c, which is read as %c", from, to, simplified[to])
		}
	}
	for from, to := range map[rune]rune{'記': '记', '決': '决', '們': '们', '這': '这', '後': '后', '從': '从', '關': '关', '閉': '闭', '開': '开', '錯': '错'} {
		if simple(from) != to {
			t.Errorf("%c is read as %c, want %c", from, simple(from), to)
		}
	}
}

func TestShapes(t *testing.T) {
	const table = "we = we/the_team\n"
	for _, c := range []struct {
		shape, said string
		object      string // of what was found; "-": nothing
	}{
		{"<we> have? decided to/on", "we have decided on Go", "go"},
		{"<we> have? decided to/on", "the team decided to stay", "stay"},
		{"<we> have? decided to/on", "the teams decided to stay", "-"},
		{"we also* use", "we also also use Go", "go"},
		{"we also* use", "we users use Go", "-"},
		{"we .. use X for", "we will from now on use the blue one for maps", "the blue one"},
		{"we .. use", "we will, of course, use it", "-"}, // no gap over a mark
		{"X is done $", "the roof is done now", "the roof"},
		{"X is done $", "the roof is done by Tom", "-"},
		{"x is done", "one two three four five six is done", "-"}, // x is short
		{"not # but", "not 60 minutes", "-"},
		{"not #", "not 60 minutes", "minutes"},
		{"我们 .. 决定 了?", "我们开会决定了用 Go", "用 go"},
		{"别 用", "特别用心", "-"}, // 别 is part of 特别
		{"改用 ~", "改用 Redis 吧", "吧"},
		{"改用 ~", "改用缓存", "-"},
		{"记住 $$", "记住了。", "了"},
		{"记住 $$", "记住了吗", "-"},
	} {
		cues := readCues(table + "remember 0.9 - " + c.shape)
		p := normal(c.said)
		got := "-"
		if f, ok := cues[0].match(p, 0); ok {
			got = strings.Trim(p.s[f.object[0]:f.object[1]], " .")
		}
		if got != c.object {
			t.Errorf("%q on %q finds %q, want %q", c.shape, c.said, got, c.object)
		}
	}
}

// A shape that could be read in very many ways gives up; it costs no minutes.
func TestShapesGiveUp(t *testing.T) {
	cues := readCues("remember 0.9 - a/a_a? a/a_a? .. a* .. a* .. a* .. a* .. b")
	p := normal(strings.Repeat("a ", 290))
	if _, ok := cues[0].match(p, 0); ok || p.work > 2*mostWork {
		t.Errorf("found, or %d steps", p.work)
	}
}
