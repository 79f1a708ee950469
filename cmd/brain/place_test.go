package main

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"brain/page"
)

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{
		"Use PostgreSQL 15!":           "use-postgresql-15",
		"  A/B \\ testing: how-to  ":   "a-b-testing-how-to",
		"支付系统":                         "支付系统",
		"支付系统（v2）上线":                   "支付系统-v2-上线",
		"ＡＢＣ１２３":                       "abc123",
		"Café Ünter":                   "cafe-unter",
		"한국어 제목":                       "한국어-제목",
		"🎉🎉":                           "",
		"../../etc/passwd":             "etc-passwd",
		"...":                          "",
		"snake_case and kebab-case":    "snake-case-and-kebab-case",
		"हिन्दी":                       "हिन्दी",
		strings.Repeat("word ", 1000):  "",
		strings.Repeat("很长的标题", 1000):  "",
		"con\x00trol\nand \x1b[31mred": "con-trol-and-31mred",
	} {
		got := slug(title)
		if want != "" && got != want {
			t.Errorf("slug(%.40q) = %q, want %q", title, got, want)
		}
		if len(got) > maxSlug+8 || !utf8.ValidString(got) || strings.HasSuffix(got, "-") {
			t.Errorf("slug(%.40q) = %q", title, got)
		}
	}
}

func TestPlace(t *testing.T) {
	day := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	pages := []page.File{
		{Path: "sources/a/issues/7/decisions/2-x.md"}, {Path: "sources/a/issues/7/decisions/10-y.md"},
		{Path: "sources/a/issues/7/decisions/notes.md"}, {Path: "sources/a/issues/71/decisions/90-z.md"},
	}
	for _, c := range []struct {
		spot spot
		want page.Path
	}{
		{spot{"decision", "a", "7", "Use it", day}, "sources/a/issues/7/decisions/11-use-it.md"},
		{spot{"decision", "a", "8", "Use it", day}, "sources/a/issues/8/decisions/1-use-it.md"},
		{spot{"decision", "a", "", "Use it", day}, "sources/a/notes/2026-11-29-use-it.md"},
		{spot{"requirement", "", "7", "Fast", day}, "sources/default/issues/7/requirement.md"},
		{spot{"lesson", "a", "7", "Slow", day}, "sources/a/issues/7/lessons.md"},
		{spot{"lesson", "a", "", "Slow", day}, "sources/a/notes/2026-11-29-slow.md"},
		{spot{"note", "a", "7", "Hm", day}, "sources/a/notes/2026-11-29-hm.md"},
		{spot{"entity", "a", "", "支付 系统", day}, "entities/支付-系统.md"},
		{spot{"experience", "", "", "Test it", day}, "experiences/test-it.md"},
		{spot{"skill", "", "", "Restore", day}, "skills/restore/SKILL.md"},
		{spot{"diary", "", "", "🎉", day}, "sources/default/notes/2026-11-29-page.md"},
	} {
		got, err := c.spot.place(pages)
		if err != nil || got != c.want {
			t.Errorf("%+v: %q, %v, want %q", c.spot, got, err, c.want)
		}
	}
}

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
