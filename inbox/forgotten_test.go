package inbox

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"brain/page"
)

// purges knows what was purged by heart, where the true one knows hashes.
type purges []string

func (p purges) Text(s string) bool       { return slices.Contains(p, strings.TrimSpace(s)) }
func (p purges) Path(path page.Path) bool { return slices.Contains(p, string(path)) }

func purged(ib *Box, all ...string) {
	ib.Forgotten = func(context.Context) (Forgotten, error) { return purges(all), nil }
}

// A purge may come while somebody waits to add: so what was purged is asked for with
// the session's lock, which a purge takes after it has told.
func TestWhatWasPurgedIsAskedForWithTheLock(t *testing.T) {
	ib := opened(t)
	asked := 0
	ib.Forgotten = func(context.Context) (Forgotten, error) {
		if held, err := ib.held(lockFile("s")); !held || err != nil {
			t.Errorf("asked without the lock: %v", err)
		}
		asked++
		return purges{}, nil
	}
	sayingTo(t, ib, "s", "one")
	sayingTo(t, ib, "s", "one", "two")
	unreadable := errors.New("unreadable")
	ib.Forgotten = func(context.Context) (Forgotten, error) { return nil, unreadable }
	if _, err := ib.Add(ctx, spoken("s", "one", "two", "three")); asked != 2 || !errors.Is(err, unreadable) {
		t.Errorf("asked %d times; then %v, want that nothing is added while it is not known", asked, err)
	}
	if got := texts(t, ib, "s"); got != "u: one | a: two" {
		t.Error(got)
	}
}

func TestAPurgedSessionDoesNotComeBack(t *testing.T) {
	for name, s := range map[string]Session{
		"the same month":           {ID: "s", At: noon, Turns: saidAs("user: one")},
		"the month of a turn":      {ID: "s", At: noon.AddDate(-9, 0, 0), Turns: saidAs("user: one | user: two #5")},
		"no time, and a later day": {ID: "s", Turns: saidAs("user: one")},
	} {
		ib := opened(t)
		purged(ib, "sessions/2026-03/s/messages.jsonl")
		if name == "no time, and a later day" {
			at(ib, 400*24*3600)
		}
		if _, err := ib.Add(ctx, s); !errors.Is(err, ErrForgotten) {
			t.Errorf("%s: %v", name, err)
		}
		files := tree(t, ib)
		if delete(files, ".txn/.gitignore"); len(files) > 0 {
			t.Errorf("%s: written %q", name, slices.Sorted(maps.Keys(files)))
		}
		s.ID = "other"
		added(t, ib, s)
	}
}

func TestAPurgedTextIsNotKeptAgain(t *testing.T) {
	ib := opened(t)
	purged(ib, "The vault opens at nine.")
	s := Session{ID: "s", Turns: saidAs("user: hello | user: The vault opens at nine. | assistant: noted")}
	if a := added(t, ib, s); a.Turns != 2 || a.Forgotten != 1 {
		t.Errorf("%+v", a)
	}
	s.Turns = append(s.Turns, saidAs("user: bye")...)
	if a := added(t, ib, s); a.Turns != 1 || a.Forgotten != 1 {
		t.Errorf("%+v", a)
	}
	if got := texts(t, ib, "s"); got != "u: hello | a: noted | u: bye" {
		t.Error(got)
	}
	if _, err := ib.Add(ctx, Session{ID: "t", Turns: s.Turns[1:2]}); !errors.Is(err, ErrForgotten) {
		t.Errorf("nothing else was said: %v", err)
	}
}

// The hashes are of what was kept: so they are compared with what would be.
func TestAPurgedTextIsKnownBehindTheDoor(t *testing.T) {
	ib := opened(t)
	purged(ib, "The vault opens [private] soon.")
	a := added(t, ib, Session{ID: "s", Turns: saidAs("user: hello | user: The vault opens <private>at nine</private> soon.")})
	if a.Turns != 1 || a.Forgotten != 1 {
		t.Errorf("%+v", a)
	}
}

// Turns may be purged, and what they said be forgotten as well: a replay brings
// nothing back and doubles nothing.
func TestAReplayAfterBothKindsOfPurge(t *testing.T) {
	ib := opened(t)
	s := Session{ID: "s", Turns: saidAs("user: hello | user: The vault opens at nine. | assistant: noted | user: bye")}
	added(t, ib, s)
	if _, err := ib.Redact(ctx, "s", []int{2}); err != nil {
		t.Fatal(err)
	}
	purged(ib, "The vault opens at nine.")
	if a := added(t, ib, s); a.Turns != 0 || a.Forgotten != 1 {
		t.Errorf("%+v", a)
	}
	s.Turns = append(s.Turns, saidAs("assistant: bye")...)
	if a := added(t, ib, s); a.Turns != 1 {
		t.Errorf("%+v", a)
	}
	if got := texts(t, ib, "s"); got != "u: hello | u: "+Purged+" | a: noted | u: bye | a: bye" {
		t.Error(got)
	}
}
