package page

import (
	"testing"
	"time"
)

func TestAChangeRenewsTheDateAndAFactsRevision(t *testing.T) {
	now := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		path      Path
		raw, want string
	}{
		{"a.md", "no dates\n", "no dates\n"},
		{"a.md", "---\ncreated_at: 2026-01-01\n---\n鹭\n", "---\ncreated_at: 2026-01-01\nupdated_at: \"2026-05-01T08:00:00Z\"\n---\n鹭\n"},
		{"agents/x/facts/ab/1.md", "---\nupdatedAt: \"2026-01-09T01:40:05.772010Z\"\nrevision: 9 # counted\n---\nx\n",
			"---\nupdatedAt: \"2026-05-01T08:00:00Z\"\nrevision: 10 # counted\n---\nx\n"},
		{"agents/x/facts/ab/1.md", "---\r\nrevision: 1\r\n---\r\nx\r\n", "---\r\nrevision: 2\r\n---\r\nx\r\n"},
		{"agents/x/facts/ab/1.md", "---\nrevision: \"1\"\n---\nx\n", "---\nrevision: \"2\"\n---\nx\n"},
		{"agents/x/facts/ab/1.md", "---\nrevision: draft\n---\nx\n", "---\nrevision: draft\n---\nx\n"},
		{"notes/a.md", "---\nrevision: 3\n---\nx\n", "---\nrevision: 3\n---\nx\n"}, // whose it is, brain does not know
	} {
		got, err := Splice(c.path, []byte(c.raw), Parse(c.path, []byte(c.raw)).Renewed(now)...)
		if err != nil || string(got) != c.want {
			t.Errorf("%v\n%s\nwant\n%s", err, got, c.want)
		}
	}
}

// Who writes a number gets a number where one stood.
func TestANumberStaysANumber(t *testing.T) {
	for _, c := range []struct{ raw, value, want string }{
		{"---\nn: 1\n---\n", "2", "---\nn: 2\n---\n"},
		{"---\nn: -1 # why\n---\n", "20", "---\nn: 20 # why\n---\n"},
		{"---\nn: \"1\"\n---\n", "2", "---\nn: \"2\"\n---\n"},
		{"---\nn: 1\n---\n", "007", "---\nn: \"007\"\n---\n"},
		{"---\nn: one\n---\n", "2", "---\nn: \"2\"\n---\n"},
		{"---\nn: 1\n---\n", "两", "---\nn: 两\n---\n"},
	} {
		if got, err := Splice("a.md", []byte(c.raw), SetText("n", c.value)); err != nil || string(got) != c.want {
			t.Errorf("%v: %s, want %s", err, got, c.want)
		}
	}
}
