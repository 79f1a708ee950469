package inbox

import (
	"maps"
	"strings"
	"testing"
	"unicode/utf8"

	"brain/page"
)

func TestPrivateSpansAreRemoved(t *testing.T) {
	for _, test := range []struct {
		given, kept string
		spans       int
	}{
		{"nothing private <b>here</b>", "nothing private <b>here</b>", 0},
		{"my <private>salary</private> is enough", "my [private] is enough", 1},
		{"<PRIVATE>a</Private> b <private>c</private>", "[private] b [private]", 2},
		{"<private reason=\"health\" until='2027'>a</private>b", "[private]b", 1},
		{"< private >a</ private >b", "[private]b", 1},
		{"<private\n>a\n\nb</private\n>c", "[private]c", 1},
		{"a <private>b <private>c</private> d</private> e", "a [private] e", 1},
		{"a <private>b, and so on\n\nto the end", "a [private]", 1},
		{"a <private>b <private>c</private> d", "a [private]", 1}, // one is not closed
		{"a</private> b", "a</private> b", 0},
		{"<private/>a", "<private/>a", 0},
		{"<privateer>a</privateer>", "<privateer>a</privateer>", 0},
		{"<private-note>a</private-note>", "<private-note>a</private-note>", 0},
		{"Put it between `<private>` and `</private>`.", "Put it between `<private>` and `</private>`.", 0},
		{"Write `<private>x</private>`.", "Write `[private]`.", 1},
		{"```\n<private>x</private>\n```", "```\n[private]\n```", 1},
		{"<pri<private>x</private>vate>y</private>z", "[private]z", 2},
		{strings.Repeat("<pri", 50) + "<private>" + strings.Repeat("x</private>vate>", 50), strings.Repeat("<pri", 46) + "[private]", 5},
		{"我的<private>工资是三万</private>够用", "我的[private]够用", 1},
		{"<private>" + strings.Repeat("x", 1<<20), "", 1},
		{"<private>a</private> <private>b</private>\n", "", 2},
		{"<private>a</private><memory>m</memory>", "", 1},
		{"[private]", "[private]", 0},
		{"The password: <private>x</private>", "The password: [private]", 1},
	} {
		var w withheld
		if got := w.admitSaid(test.given); got != test.kept || w.private != test.spans {
			t.Errorf("%.80q: kept %.80q, removed %d, want %.80q and %d", test.given, got, w.private, test.kept, test.spans)
		}
		var again withheld
		if got := again.admitSaid(test.kept); test.spans > 0 && (got != test.kept || again.private > 0) {
			t.Errorf("%.80q becomes %.80q when it passes again", test.kept, got)
		}
	}
}

// A name has no hole that one could see: it stays a name.
func TestNamesHaveNoMark(t *testing.T) {
	s, p := admit(Session{Title: "Our <private>x</private>plan", Turns: []page.Turn{{Role: "user<private>x</private>", Text: "hello"}}})
	if s.Title != "Our plan" || s.Turns[0].Role != "user" || p.all.private != 2 {
		t.Errorf("%+v, %+v", s, p)
	}
}

// deermem 27
func TestInjectedFramesAreRemoved(t *testing.T) {
	for _, test := range []struct {
		given, kept string
		frames      int
	}{
		{"<memory>\nThe user likes tea.\n</memory>\nWhat do I like?", "\nWhat do I like?", 1},
		{"<brain-memory brain=\"default\" n=3>\nTea. </memory>\n</brain-memory>hello", "hello", 1},
		{"a <memories>x</memories> b <system-reminder>y</system-reminder> c <relevant-memories>z</relevant-memories>", "a  b  c ", 3},
		{"<user_memory>x</user_memory><memory_context>y</memory_context>z", "z", 2},
		{"<Memory>x</MEMORY>y", "y", 1},
		{"<memory><memory>x</memory> y</memory>z", "z", 1},
		{"<memory>x <memories>y</memories> z</memory>", "", 1},
		{"<memory>记住：茶</memory>你好", "你好", 1},
		// What is not a whole frame stays: it may have been said.
		{"<memory>The user likes tea.\nWhat do I like?", "<memory>The user likes tea.\nWhat do I like?", 0},
		{"a</memory> b", "a</memory> b", 0},
		{"<memory> first\n<memory>x</memory> second", "<memory> first\n second", 1},
		{"<memory>x</memories>", "<memory>x</memories>", 0},
		{"<uploaded_files>a.txt</uploaded_files>", "<uploaded_files>a.txt</uploaded_files>", 0},
		{"<memory-card>x</memory-card>", "<memory-card>x</memory-card>", 0},
		// Talk about the tags, and other people's markup.
		{"The `<memory>` tag ends with `</memory>`.", "The `<memory>` tag ends with `</memory>`.", 0},
		{"Write `see <memory> x </memory>` there.", "Write `see <memory> x </memory>` there.", 0},
		{"```xml\n<memory>x</memory>\n```\n", "```xml\n<memory>x</memory>\n```\n", 0},
		{"<memory unit='KiB'>1048576</memory>", "<memory unit='KiB'>1048576</memory>", 0},
		// Code in a frame does not hide its end, nor what comes after.
		{"<memory>\n```go\nx := 1 // cut\n</memory>\nhello <memory>x</memory>", "\nhello ", 2},
		{"<memory>\nUse `</memory>` to close.\n</memory>\nhello", "\nhello", 1},
		{"~~~\ncode\n~~~\n<memory>x</memory>", "~~~\ncode\n~~~\n", 1},
		{"`a` and ``b`` <memory>x</memory>", "`a` and ``b`` ", 1},
	} {
		var w withheld
		if got := w.admit(test.given); got != test.kept || w.injected != test.frames {
			t.Errorf("%q: kept %q, removed %d, want %q and %d", test.given, got, w.injected, test.kept, test.frames)
		}
	}
}

func TestEndlessTagsTakeNoEndlessTime(t *testing.T) {
	for _, s := range []string{"<memory>", "<private>", "</private>", "<memory", "`<memory>", "<memory>a</memory>", "<pri<private>"} {
		var w withheld
		w.admit(strings.Repeat(s, 1<<20/len(s)))
	}
}

func TestToolOutputIsCut(t *testing.T) {
	output := func(s string) (string, int) {
		s2, p := admit(Session{Turns: []page.Turn{{Role: "tool", Text: s}}})
		return s2.Turns[0].Text, p.all.cut
	}
	for _, s := range []string{"short", strings.Repeat("x", 2000), strings.Repeat("文", 2000)} {
		if got, cut := output(s); got != s || cut != 0 {
			t.Errorf("%d characters were cut to %d", utf8.RuneCountInString(s), utf8.RuneCountInString(got))
		}
	}
	for _, c := range []string{"x", "文", "👩\u200d👩\u200d👧", "e\u0301"} {
		long := strings.Repeat(c, 5000)
		got, cut := output(long)
		kept, mark, ok := strings.Cut(got, "\n[cut: ")
		if n := utf8.RuneCountInString(got); !ok || cut != 1 || n > 2000 || n < 1990 {
			t.Errorf("%q is cut to %d characters, %d times: …%q", c, n, cut, mark)
		}
		if strings.Trim(kept, c) != "" || len(kept)%len(c) != 0 {
			t.Errorf("%q is cut in the middle", c)
		}
		var rest int
		for _, d := range strings.TrimSuffix(mark, " more characters]") {
			rest = rest*10 + int(d-'0')
		}
		if all := utf8.RuneCountInString(long); utf8.RuneCountInString(kept)+rest != all {
			t.Errorf("%q: %d characters kept, %d said to be cut, of %d", c, utf8.RuneCountInString(kept), rest, all)
		}
		if again, cut := output(got); again != got || cut != 0 {
			t.Errorf("%q is cut once more", c)
		}
	}
	s, _ := admit(Session{Turns: []page.Turn{{Role: "user", Text: strings.Repeat("x", 3000)}}})
	if len(s.Turns[0].Text) != 3000 {
		t.Error("what a person said is cut")
	}
}

// The counts of a replay are those of the turns that are new.
func TestWhatWasWithheldIsCountedByTurn(t *testing.T) {
	all := turns(true, "u: a <private>1</private>", "a: b", "u: <private>2</private>", "u: c <memory>m</memory>", "a: d <private>3</private>", "u: <private>4</private>")
	s, p := admit(Session{Title: "<private>5</private>", Turns: all})
	if len(s.Turns) != 4 || p.skipped != 2 || p.all.private != 5 || p.all.injected != 1 {
		t.Fatalf("%d turns, %+v", len(s.Turns), p)
	}
	for _, test := range []struct{ from, to, private, injected int }{{0, 1, 1, 0}, {1, 2, 0, 0}, {2, 3, 1, 1}, {3, 4, 1, 0}, {0, 4, 3, 1}, {2, 2, 0, 0}} {
		if w := p.of(s.Turns[test.from:test.to]); w.private != test.private || w.injected != test.injected {
			t.Errorf("turns %d to %d: %+v", test.from, test.to, w)
		}
	}
	sum := withheld{masked: map[string]int{"a": 1}}
	sum.add(withheld{masked: map[string]int{"a": 2, "b": 1}})
	if !maps.Equal(sum.masked, map[string]int{"a": 3, "b": 1}) {
		t.Errorf("%v", sum.masked)
	}
}

func TestATurnOfWhichNothingIsLeftIsNotKept(t *testing.T) {
	ib := opened(t)
	a := added(t, ib, Session{ID: "s", Title: "x <private>y</private>", Turns: turns(true, "u: <private>a</private>", "u: <memory>m</memory> ", "u: stays")})
	if a.Turns != 1 || a.Skipped != 2 || a.Private != 2 || a.Injected != 1 || texts(t, ib, "s") != "u: stays" {
		t.Errorf("%+v, %q", a, texts(t, ib, "s"))
	}
}
