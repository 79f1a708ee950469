package main

import (
	"strings"
	"testing"
	"time"
)

func TestTitleOf(t *testing.T) {
	for body, want := range map[string]string{
		"# Heading #\n\ntext":                "Heading",
		"\n\n## Second level\n":              "Second level",
		"#tag is no heading":                 "#tag is no heading",
		"We chose it. Because.":              "We chose it",
		"第一句。第二句。":                           "第一句",
		"one\ntwo":                           "one",
		"":                                   "",
		"  \n ":                              "",
		"text\n\n# Later heading\n\nmore.\n": "text",
	} {
		if got := titleOf(body); got != want {
			t.Errorf("titleOf(%.30q) = %q, want %q", body, got, want)
		}
	}
	long := titleOf(strings.Repeat("many words ", 50))
	if len(long) > maxTitle+len("…") || !strings.HasPrefix(long, "many words many words") || !strings.HasSuffix(long, "s…") && !strings.HasSuffix(long, "y…") {
		t.Errorf("a long sentence makes the title %q", long)
	}
}

func TestParseDate(t *testing.T) {
	now := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"2026-11-01": "2026-11-01T00:00:00Z", "2026-11": "2026-11-01T00:00:00Z", "2026": "2026-01-01T00:00:00Z",
		"2026-11-01T09:30:00+01:00": "2026-11-01T08:30:00Z", "7d": "2026-11-22T10:00:00Z", "12h": "2026-11-28T22:00:00Z",
		"2w": "2026-11-15T10:00:00Z", "1y": "2025-11-29T10:00:00Z", "": "",
	} {
		got, err := parseDate("since", text, now)
		if err != nil || stamp(got) != want {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"yesterday", "7", "d", "-7d", "2026-13-01", "7days", "昨天", "99999999d"} {
		if _, err := parseDate("since", text, now); judge(err).code != exitUsage {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestParseLines(t *testing.T) {
	for text, want := range map[string][2]int{"2:4": {2, 4}, "2:": {2, 9}, ":4": {1, 4}, "3": {3, 3}, "2:99": {2, 99}} {
		from, to, err := parseLines(text, 9)
		if err != nil || from != want[0] || to != want[1] {
			t.Errorf("%q: %d, %d, %v", text, from, to, err)
		}
	}
	for _, text := range []string{":", "x", "0", "0:3", "4:2", "-1:2", "1:2:3", "12:11"} {
		if _, _, err := parseLines(text, 9); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// What stands in pages is printed on terminals: no escape sequence, no control
// character, nothing that reorders the line.
func TestPlainIsHarmless(t *testing.T) {
	for text, want := range map[string]string{
		"a\x1b[31mb": "a[31mb", "a\nb\tc": "a b c", " a  b.md": " a  b.md", "a\rb": "ab", "a\u202eb": "ab", "a\x9b31mb": "a\uFFFD31mb", "a\u009bb": "ab",
		"支付 🎉": "支付 🎉", "e\u0301": "e\u0301", "\xff": "\uFFFD",
	} {
		if got := plain(text); got != want {
			t.Errorf("plain(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("a\x1b]0;x\x07b")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range plain(s) {
			if r == '\n' || unsafeRune(r) {
				t.Errorf("plain(%q) holds %q", s, r)
			}
		}
	})
}
