package inbox

import (
	"fmt"
	"strings"
	"testing"
)

// Which session a turn belongs to, and what it is called.

func TestSessionsOfManyLinesAreHeldOnlyWhileTheyMayGoOn(t *testing.T) {
	const n = 5 * maxOpen
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"session":"s%d","role":"user","text":"one"}`+"\n", i)
		fmt.Fprintf(&b, `{"session":"s%d","role":"user","text":"two"}`+"\n", i)
	}
	r := strings.NewReader(b.String())
	var ids []string
	_, err := ReadSessions(r, ReadOptions{}, func(s Session) error {
		if ids = append(ids, s.ID); len(s.Turns) != 2 {
			t.Errorf("%s has %d turns, want 2", s.ID, len(s.Turns))
		}
		return nil
	})
	if err != nil || len(ids) != n || ids[0] != "s0" || ids[n-1] != fmt.Sprintf("s%d", n-1) {
		t.Errorf("%d sessions, %v; want %d in their order", len(ids), err, n)
	}
}

// Lines of more sessions than are held may be mixed: a piece is of whom the head said.
func TestAPieceOfASessionIsOfWhomItsHeadSaid(t *testing.T) {
	const n = maxOpen + 6
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"session":"s%d","agent":"coder","user":"u","source":"shop","at":"2026-01-31T23:59:00Z"}`+"\n", i)
		fmt.Fprintf(&b, `{"session":"s%d","role":"user","text":"one"}`+"\n", i)
	}
	for i := range n {
		fmt.Fprintf(&b, `{"session":"s%d","role":"assistant","text":"two"}`+"\n", i)
	}
	ib := opened(t)
	turns := 0
	_, err := ReadSessions(strings.NewReader(b.String()), ReadOptions{}, func(s Session) error {
		a, err := ib.Add(ctx, s)
		turns += a.Turns
		return err
	})
	if err != nil || turns != 2*n {
		t.Errorf("%d turns were added, %v; want %d", turns, err, 2*n)
	}
	for _, m := range mustList(t, ib) {
		if m.Agent != "coder" || m.User != "u" || m.Source != "shop" || m.Turns != 2 {
			t.Errorf("%+v", m)
		}
	}
}

// Of one day, and begun with the same words.
func TestConversationsThatBeginAlikeStayApart(t *testing.T) {
	at := func(hour int) string {
		var got Session
		in := fmt.Sprintf(`{"role":"user","text":"continue","at":"2026-03-02T%02d:00:00Z"}`, hour)
		if _, err := ReadSessions(strings.NewReader(in), ReadOptions{}, func(s Session) error { got = s; return nil }); err != nil {
			t.Fatal(err)
		}
		return got.ID
	}
	early, again, late := at(9), at(9), at(15)
	if early == late || early != again || !strings.HasPrefix(early, "20260302-") {
		t.Errorf("the ids are %s, %s and, read again, %s", early, late, again)
	}
}

func TestSessionIDsOfElsewhere(t *testing.T) {
	for given, want := range map[string]string{
		"":                                     "",
		"4f1c":                                 "4f1c",
		"95e6f011-ec33-4b37-91ad-5d242b40ae3d": "95e6f011-ec33-4b37-91ad-5d242b40ae3d",
		"S1":                                   "s1-3696ad59777e",
		"s/1":                                  "s-1-b6a3c3d6bc93",
	} {
		if got := SessionID(given); got != want {
			t.Errorf("SessionID(%q) = %q, want %q", given, got, want)
		}
	}
	for _, given := range []string{"会话", "../../etc/passwd", strings.Repeat("long ", 100), "-", "_", "\x00", "a b", "a_b ", "A b"} {
		if got := SessionID(given); !validID().MatchString(got) {
			t.Errorf("SessionID(%q) = %q, which cannot be one", given, got)
		}
	}
	if SessionID("a b") == SessionID("A b") || SessionID("a b") == SessionID("a-b") {
		t.Error("two ids became one")
	}
}
