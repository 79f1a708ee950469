package inbox

import (
	"strings"
	"testing"
)

// A private span is gone wherever the lines of a text that begin turns stand.
func TestPrivateSpansOfATextGoOverItsTurns(t *testing.T) {
	long := strings.Repeat("hello world\n", maxTurn/12-10)
	for _, test := range []struct {
		name, given string
		kept        []string // the beginnings of the turns
	}{
		{"over a speaker's line", "User: hello <private>my pin is\nAssistant: heron\n</private> and bye\nAssistant: Bye.", []string{"user: hello [private] and bye", "assistant: Bye."}},
		{"over several", "User: a <private>\nAssistant: heron\nUser: heron\n[2026-03-02 10:00] Anna: heron\n</private>\nAssistant: b", []string{"user: a [private]", "assistant: b"}},
		{"one in another", "User: a <private>\n<private>\nAssistant: heron\n</private>\nUser: heron\n</private>\nAssistant: b", []string{"user: a [private]", "assistant: b"}},
		{"two", "User: a <private>\nAI: heron</private> <private>\nAI: heron</private> c\nAI: b", []string{"user: a [private] [private] c", "assistant: b"}},
		{"over the end of a piece", "User: " + long + "<private>\n" + strings.Repeat("heron\n", 2000) + "</private> done\nAI: b", []string{"user: hello world", "assistant: b"}},
		// One that does not end, ends with its turn.
		{"unclosed", "User: What does <private> do?\nAssistant: It hides.\nUser: Thanks!", []string{"user: What does", "assistant: It hides.", "user: Thanks!"}},
		{"unclosed for long", "User: What does <private> do?\nAssistant: It hides.\n" + long + long + "User: </private>", []string{"user: What does", "assistant: It hides.", "assistant: hello world", "user: </private>"}},
		{"in backquotes", "User: What does `<private>` do?\nAssistant: With `</private>` it hides.", []string{"user: What does `<private>` do?", "assistant: With `</private>` it hides."}},
		{"a closing tag alone", "User: a </private>\nAI: b", []string{"user: a </private>", "assistant: b"}},
	} {
		ib := opened(t)
		var sessions []Session
		if _, err := ReadSessions(strings.NewReader(test.given), ReadOptions{}, func(s Session) error { sessions = append(sessions, s); return nil }); err != nil || len(sessions) != 1 {
			t.Fatalf("%s: %d sessions, %v", test.name, len(sessions), err)
		}
		sessions[0].ID = "s"
		added(t, ib, sessions[0])
		s, _, err := ib.Read(ctx, "s")
		if err != nil || len(s.Turns) != len(test.kept) {
			t.Errorf("%s: %d turns, %v; want %d", test.name, len(s.Turns), err, len(test.kept))
			continue
		}
		for i, turn := range s.Turns {
			if got := turn.Role + ": " + turn.Text; !strings.HasPrefix(got, test.kept[i]) || strings.Contains(got, "heron") || len(got) > 3*maxTurn {
				t.Errorf("%s: turn %d is %.80q, %d bytes; want %q", test.name, i+1, got, len(got), test.kept[i])
			}
		}
	}
}
