package compile_test

import (
	"context"
	"fmt"
	"testing"

	"brain/inbox"
	"brain/page"
)

// One session of 40 turns, of which five are worth keeping, compiled by rules: taken,
// compared with the brain, written, told to the index, settled.
func BenchmarkSessionByRules(b *testing.B) {
	w := newWorld(b)
	c := w.pass(nil)
	add := func(n int) inbox.Item {
		s := inbox.Session{ID: fmt.Sprintf("s%06d", n), At: march}
		for i := range 8 {
			s.Turns = append(s.Turns,
				page.Turn{Role: "user", Text: fmt.Sprintf("Good, and what about part %d of run %d?", i, n)},
				page.Turn{Role: "assistant", Text: "It is being looked at; the log says nothing unusual so far."},
				page.Turn{Role: "user", Text: "Then go on with the next one, please."},
				page.Turn{Role: "assistant", Text: "Going on."})
			if i%2 == 0 {
				s.Turns = append(s.Turns, page.Turn{Role: "user", Text: fmt.Sprintf("We decided to run service %d-%d on port %d.", n, i, 7000+10*n+i)})
			}
		}
		if _, err := w.box.Add(context.Background(), s); err != nil {
			b.Fatal(err)
		}
		return inbox.Item{Session: s.ID, From: 1, To: len(s.Turns)}
	}
	n := 0
	for b.Loop() {
		b.StopTimer()
		n++
		it := add(n)
		b.StartTimer()
		r, err := c.Session(context.Background(), it)
		if err != nil || len(r.Pages) != 4 {
			b.Fatalf("%+v, %v; want four pages", r, err)
		}
	}
}
