package inbox

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/page"
)

// at sets the clock to seconds after noon.
func at(ib *Box, seconds int) time.Time {
	now := noon.Add(time.Duration(seconds) * time.Second)
	ib.Now = func() time.Time { return now }
	return now
}

// sayingTo adds turns to a session, said by a user and an agent in turn.
func sayingTo(t testing.TB, ib *Box, id string, lines ...string) Added {
	t.Helper()
	return added(t, ib, spoken(id, lines...))
}

func spoken(id string, lines ...string) Session {
	s := Session{ID: id}
	for i, l := range lines {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		s.Turns = append(s.Turns, page.Turn{ID: fmt.Sprintf("%s-%d", id, i), Role: role, Text: l})
	}
	return s
}

// queued tells what is due as "id from-to[!]@seconds", and when the next is.
func queued(t testing.TB, ib *Box, o QueueOptions) string {
	t.Helper()
	due, next, err := ib.Queue(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, it := range due {
		mark := ""
		if it.Emergency {
			mark = "!"
		}
		out = append(out, fmt.Sprintf("%s %d-%d%s@%d", it.Session, it.From, it.To, mark, int(it.Due.Sub(noon).Seconds())))
	}
	if !next.IsZero() {
		out = append(out, fmt.Sprintf("next@%d", int(next.Sub(noon).Seconds())))
	}
	return strings.Join(out, ", ")
}

func wantQueue(t testing.TB, ib *Box, o QueueOptions, want string) {
	t.Helper()
	if got := queued(t, ib, o); got != want {
		t.Errorf("%+v: %q, want %q", o, got, want)
	}
}

// settle compiles a session as far as its first item goes.
func settle(t testing.TB, ib *Box, id string, through int) {
	t.Helper()
	l := taken(t, ib, id)
	if err := l.Settle(ctx, Outcome{Through: through}); err != nil {
		t.Fatal(err)
	}
}

func TestAConversationIsDueWhenItHasBeenQuiet(t *testing.T) {
	ib := opened(t)
	at(ib, 0)
	sayingTo(t, ib, "a", "one")
	at(ib, 10)
	sayingTo(t, ib, "b", "one")
	wantQueue(t, ib, QueueOptions{}, "next@30")
	at(ib, 29)
	sayingTo(t, ib, "a", "one", "two") // moves its own deadline only
	at(ib, 40)
	wantQueue(t, ib, QueueOptions{}, "b 1-1@40, next@59")
	at(ib, 59)
	wantQueue(t, ib, QueueOptions{}, "b 1-1@40, a 1-2@59")
	wantQueue(t, ib, QueueOptions{Debounce: 5 * time.Second}, "b 1-1@15, a 1-2@34")
	wantQueue(t, ib, QueueOptions{Session: "b"}, "b 1-1@40")
	at(ib, 0)
	wantQueue(t, ib, QueueOptions{All: true}, "b 1-1@40, a 1-2@59")
}

func TestASteadyTrickleIsDueAfterTheLongestWait(t *testing.T) {
	ib := opened(t)
	var lines []string
	for s := 0; s <= 300; s += 20 {
		at(ib, s)
		lines = append(lines, fmt.Sprintf("line %d", s))
		sayingTo(t, ib, "a", lines...)
		sayingTo(t, ib, "b", lines[0], lines[len(lines)-1]) // another conversation extends nothing
		if want := min(s+30, 300); s < 300 {
			wantQueue(t, ib, QueueOptions{Session: "a"}, fmt.Sprintf("next@%d", want))
		}
	}
	wantQueue(t, ib, QueueOptions{Session: "a"}, "a 1-16@300")
	wantQueue(t, ib, QueueOptions{Session: "a", MaxWait: time.Minute}, "a 1-16@60")
}

func TestTheWaitBeginsAnewAfterWhatWasCompiled(t *testing.T) {
	ib := opened(t)
	at(ib, 0)
	sayingTo(t, ib, "a", "one", "two")
	at(ib, 100)
	settle(t, ib, "a", 2)
	wantQueue(t, ib, QueueOptions{All: true}, "")
	if m, err := ib.Meta(ctx, "a"); err != nil || m.State != Done || !m.Since.IsZero() || m.Compiled != 2 {
		t.Errorf("%+v, %v", m, err)
	}
	at(ib, 200)
	sayingTo(t, ib, "a", "one", "two", "three")
	wantQueue(t, ib, QueueOptions{}, "next@230")
	lines := []string{"one", "two", "three"}
	for s := 225; s < 500; s += 25 {
		at(ib, s)
		lines = append(lines, fmt.Sprint(s))
		sayingTo(t, ib, "a", lines...)
	}
	wantQueue(t, ib, QueueOptions{MaxWait: 100 * time.Second}, "a 3-14@300")
}

func TestAReplayMovesNoDeadline(t *testing.T) {
	ib := opened(t)
	at(ib, 0)
	sayingTo(t, ib, "a", "one", "two")
	at(ib, 29)
	sayingTo(t, ib, "a", "one", "two")
	wantQueue(t, ib, QueueOptions{}, "next@30")
}

func TestSnapshotsAreKeptApartAndInOrder(t *testing.T) {
	ib := opened(t)
	at(ib, 0)
	var lines []string
	for n := 1; n <= 3; n++ {
		lines = append(lines, fmt.Sprint("line ", 2*n-1), fmt.Sprint("line ", 2*n))
		s := spoken("a", lines...)
		s.Snapshot = true
		if a := added(t, ib, s); a.Snapshots != n {
			t.Errorf("%d snapshots wait, want %d", a.Snapshots, n)
		}
		if a := added(t, ib, s); a.Snapshots != n || a.Turns != 0 { // sent again it is none of its own
			t.Errorf("again: %+v", a)
		}
	}
	at(ib, 7)
	sayingTo(t, ib, "a", append(lines, "the rest")...)
	at(ib, 1)
	sayingTo(t, ib, "b", "quiet long ago")
	at(ib, 35)
	wantQueue(t, ib, QueueOptions{}, "a 1-2!@0, a 3-4!@0, a 5-6!@0, b 1-1@31, next@37")
	settle(t, ib, "a", 2)
	wantQueue(t, ib, QueueOptions{}, "a 3-4!@0, a 5-6!@0, b 1-1@31, next@37")
	at(ib, 36)
	if m, err := ib.Meta(ctx, "a"); err != nil || !slices.Equal(m.Snapshots, []int{4, 6}) || m.State != Pending {
		t.Errorf("%+v, %v", m, err)
	}
	settle(t, ib, "a", 6) // two at once
	wantQueue(t, ib, QueueOptions{Session: "a"}, "next@37")
	settle(t, ib, "a", 7)
	s := spoken("a", append(lines, "the rest")...)
	s.Snapshot = true
	if a := added(t, ib, s); a.Snapshots != 0 { // of what is compiled
		t.Errorf("%+v", a)
	}
	wantQueue(t, ib, QueueOptions{Session: "a", All: true}, "")
}

func TestWhatIsPutOffIsNotDueBefore(t *testing.T) {
	ib := opened(t)
	at(ib, 0)
	s := spoken("a", "one", "two")
	s.Snapshot = true
	added(t, ib, s)
	at(ib, 40)
	sayingTo(t, ib, "a", "one", "two", "three")
	at(ib, 80)
	if err := taken(t, ib, "a").Settle(ctx, Outcome{Err: errors.New("429: slow\n down"), RetryAt: noon.Add(100 * time.Second)}); err != nil {
		t.Fatal(err)
	}
	wantQueue(t, ib, QueueOptions{}, "next@100")
	at(ib, 100)
	wantQueue(t, ib, QueueOptions{}, "a 1-2!@100, a 3-3@100")
	if m, err := ib.Meta(ctx, "a"); err != nil || m.Attempts != 1 || m.Error != "429: slow down" || m.State != Pending {
		t.Errorf("%+v, %v", m, err)
	}
	settle(t, ib, "a", 3)
	if m, err := ib.Meta(ctx, "a"); err != nil || m.Attempts != 0 || m.Error != "" || !m.RetryAt.IsZero() || m.State != Done {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestTheQueueOfAnAgent(t *testing.T) {
	ib := opened(t)
	for id, agent := range map[string]string{"a": "Coder", "b": "writer", "c": ""} {
		s := spoken(id, "one")
		s.Agent, s.User = agent, "wei"
		added(t, ib, s)
	}
	wantQueue(t, ib, QueueOptions{All: true, Agent: "CODER"}, "a 1-1@30")
	wantQueue(t, ib, QueueOptions{All: true, Agent: page.DefaultAgent}, "c 1-1@30")
	due, _, err := ib.Queue(ctx, QueueOptions{All: true, Session: "b"})
	if err != nil || len(due) != 1 || due[0].Agent != "writer" || due[0].User != "wei" || due[0].Path != "sessions/2026-03/b/messages.jsonl" {
		t.Errorf("%+v, %v", due, err)
	}
	if _, _, err := ib.Queue(ctx, QueueOptions{Session: "nobody"}); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if _, _, err := ib.Queue(ctx, QueueOptions{Agent: "a/b"}); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}

// deermem 23
func TestAFullQueueRefusesOnlyWhatIsNewAndCarriesNoSignal(t *testing.T) {
	ib := opened(t)
	ib.Depth = 2
	sayingTo(t, ib, "a", "How many rows has it?")
	sayingTo(t, ib, "done", "And how many columns?")
	settle(t, ib, "done", 1)
	sayingTo(t, ib, "b", "What is the time?")
	before := tree(t, ib)
	for id, s := range map[string]Session{"new": spoken("c", "Where is it?"), "done": spoken("done", "And how many columns?", "Nine.")} {
		if _, err := ib.Add(ctx, s); !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), "2") {
			t.Errorf("%s: %v", id, err)
		}
	}
	if after := tree(t, ib); !maps.Equal(before, after) {
		t.Errorf("a refused session was written: %q", slices.Sorted(maps.Keys(after)))
	}
	sayingTo(t, ib, "done", "And how many columns?")                   // nothing new
	sayingTo(t, ib, "a", "How many rows has it?", "Nine.", "And now?") // it waits already
	if a := sayingTo(t, ib, "c", "Remember that the port is 8443."); !slices.Equal(a.Signals, []string{"remember"}) {
		t.Errorf("%+v", a)
	}
	s := spoken("d", "Where is it?")
	s.Snapshot = true
	added(t, ib, s)
	if _, err := ib.Add(ctx, spoken("e", "Where is it?")); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
	ib.Depth = 0
	sayingTo(t, ib, "e", "Where is it?")
}

// That there is no room is believed for a second, and no longer than until this box
// makes some.
func TestAFullQueueIsCountedOnceASecond(t *testing.T) {
	dir := t.TempDir()
	ib := reopened(t, dir)
	ib.Depth = 1
	refused := func() {
		t.Helper()
		if _, err := ib.Add(ctx, spoken("b", "one")); !errors.Is(err, ErrFull) {
			t.Error(err)
		}
	}
	sayingTo(t, ib, "a", "one")
	refused()
	settle(t, reopened(t, dir), "a", 1) // as another process would
	refused()
	at(ib, 1)
	sayingTo(t, ib, "b", "one")

	said := []string{"one", "two", "three", "four"}
	for i, room := range []func() error{
		func() error { settle(t, ib, "b", 1); return nil },
		func() error { _, err := ib.Cancel(ctx, CancelOptions{IDs: []string{"b"}}); return err },
		func() error { return ib.Remove(ctx, "b") },
	} {
		if _, err := ib.Add(ctx, spoken("c", "one")); !errors.Is(err, ErrFull) {
			t.Error(err)
		}
		if err := room(); err != nil {
			t.Fatal(err)
		}
		sayingTo(t, ib, "b", said[:i+2]...)
	}
}

func TestWhatIsCompiledStillCountsAsWaiting(t *testing.T) {
	ib := opened(t)
	ib.Depth = 1
	sayingTo(t, ib, "a", "one")
	l := taken(t, ib, "a")
	sayingTo(t, ib, "a", "one", "two") // the same conversation goes on
	if _, err := ib.Add(ctx, spoken("b", "one")); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
	if err := l.Settle(ctx, Outcome{Through: 1}); err != nil {
		t.Fatal(err)
	}
	settle(t, ib, "a", 2)
	sayingTo(t, ib, "b", "one")
}

// Whoever sends the same session once more, in whatever process, changes nothing of
// whose it is; the queue tells it to whoever compiles.
//
// deermem 28
func TestIdentityIsTakenWhenATurnIsAdded(t *testing.T) {
	dir := t.TempDir()
	ib := reopened(t, dir)
	s := spoken("a", "one")
	s.Agent, s.User = "agent-x", "wei"
	added(t, ib, s)
	other := reopened(t, dir)
	at(other, 30)
	due, _, err := other.Queue(ctx, QueueOptions{})
	if err != nil || len(due) != 1 || due[0].Agent != "agent-x" || due[0].User != "wei" {
		t.Errorf("%+v, %v", due, err)
	}
	if l := taken(t, other, "a"); l.Meta.Agent != "agent-x" || l.Meta.User != "wei" || len(l.Turns) != 1 {
		t.Errorf("%+v", l.Meta)
	}
}

// deermem 22
func TestSignalsOfWhatIsNotCompiled(t *testing.T) {
	ib := opened(t)
	sayingTo(t, ib, "a", "I prefer tabs.", "Noted.")
	sayingTo(t, ib, "a", "I prefer tabs.", "Noted.", "We decided to use Postgres.")
	signals := func() string {
		m, err := ib.Meta(ctx, "a")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(m.Signals, " ")
	}
	if got := signals(); got != "decision preference" {
		t.Error(got)
	}
	settle(t, ib, "a", 2)
	if got := signals(); got != "decision" {
		t.Error(got)
	}
	settle(t, ib, "a", 3)
	if got := signals(); got != "" {
		t.Error(got)
	}
}

// meta.json may be lost: what waits is then told from the turns, and from how far
// the checkpoint says they were compiled.
func TestWhatWaitsIsKnownWithoutMeta(t *testing.T) {
	for _, test := range []struct{ name, meta, extracted, want string }{
		{"gone", "-", "", "a 1-3@30"},
		{"broken", `{"format":1,`, "", "a 1-3@30"},
		{"of an odd state", `{"format":1,"state":"settled","bytes":1}`, "", "a 1-3@30"},
		{"gone, with a checkpoint", "-", `{"format":1,"through":2,"items":[]}`, "a 3-3@30"},
		{"gone, all compiled", "-", `{"format":1,"through":3}`, ""},
		{"gone, a checkpoint of more than there is", "-", `{"format":1,"through":9}`, ""},
		{"gone, a checkpoint that is broken", "-", `{"format":1,"thr`, "a 1-3@30"},
		{"gone, a checkpoint of a newer brain", "-", `{"format":2,"through":2}`, "a 1-3@30"},
		{"gone, a checkpoint below nothing", "-", `{"format":1,"through":-4}`, "a 1-3@30"},
	} {
		ib := opened(t)
		a := sayingTo(t, ib, "a", "one", "two", "three")
		folder := a.Path.Dir()
		if test.extracted != "" {
			write(t, ib, folder+"/extracted.json", test.extracted)
		}
		if test.meta == "-" {
			if err := os.Remove(filepath.Join(ib.dir, folder, "meta.json")); err != nil {
				t.Fatal(err)
			}
		} else {
			write(t, ib, folder+"/meta.json", test.meta)
		}
		if err := os.Chtimes(filepath.Join(ib.dir, string(a.Path)), noon, noon); err != nil {
			t.Fatal(err)
		}
		if got := queued(t, ib, QueueOptions{All: true}); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		sayingTo(t, ib, "a", "one", "two", "three") // which writes it anew
		if m, err := ib.Meta(ctx, "a"); err != nil || m.Problem != "" {
			t.Errorf("%s: %+v, %v", test.name, m, err)
		}
		if got := queued(t, ib, QueueOptions{All: true}); got != test.want {
			t.Errorf("%s, written anew: %q, want %q", test.name, got, test.want)
		}
	}
}

// A crash between the turns and meta.json, or a person who adds a line, leaves it
// behind: it still knows what was compiled.
func TestMetaBehindTheTurnsStillKnowsWhatWasCompiled(t *testing.T) {
	for state, want := range map[string]string{Done: "a 3-3@0", Failed: "a 1-3@0", Cancelled: "a 3-3@0", Pending: "a 1-3@0"} {
		ib := opened(t)
		at(ib, -30)
		a := sayingTo(t, ib, "a", "one", "two")
		switch state {
		case Done:
			settle(t, ib, "a", 2)
		case Failed:
			if err := taken(t, ib, "a").Settle(ctx, Outcome{Err: errors.New("no"), Failed: true}); err != nil {
				t.Fatal(err)
			}
		case Cancelled:
			if n, err := ib.Cancel(ctx, CancelOptions{}); n != 1 || err != nil {
				t.Fatal(n, err)
			}
		}
		write(t, ib, string(a.Path), tree(t, ib)[string(a.Path)]+`{"role":"user","text":"three"}`+"\n")
		if err := os.Chtimes(filepath.Join(ib.dir, string(a.Path)), noon, noon.Add(-30*time.Second)); err != nil {
			t.Fatal(err)
		}
		at(ib, 0)
		if got := queued(t, ib, QueueOptions{}); got != want {
			t.Errorf("%s: %q, want %q", state, got, want)
		}
	}
}
