package page

import "testing"

func TestAParagraphIsAppendedBelowABlankLine(t *testing.T) {
	for _, c := range []struct{ name, raw, text, want string }{
		{"prose", "---\ntitle: a\n---\n\nOne.\n", "Two.", "---\ntitle: a\n---\n\nOne.\n\nTwo.\n"},
		{"no last line feed", "One.", "Two.\n\n", "One.\n\nTwo.\n"},
		{"windows", "一。\r\n", "二。\n三。", "一。\r\n\r\n二。\r\n三。\r\n"},
		{"a list goes on", "- one\n", "- two", "- one\n- two\n"},
		{"a numbered list", "1. one\n", "2. two", "1. one\n2. two\n"},
		{"a list after prose", "One:\n", "- two", "One:\n\n- two\n"},
		{"a blank line is there", "One.\n\n", "Two.", "One.\n\nTwo.\n"},
		{"front matter alone", "---\ntitle: a\n---\n", "One.", "---\ntitle: a\n---\n\nOne.\n"},
		{"nothing", "", "One.", "One.\n"},
		{"no text", "One.\n", "\n", "One.\n"},
	} {
		p := Parse("a.md", []byte(c.raw))
		got, err := Splice("a.md", []byte(c.raw), p.AppendParagraph(c.text))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}
