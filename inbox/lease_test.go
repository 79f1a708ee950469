package inbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/page"
)

func taken(t testing.TB, ib *Box, id string) *Lease {
	t.Helper()
	l, err := ib.Take(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Release() })
	return l
}

func wantState(t testing.TB, ib *Box, id, want string) Meta {
	t.Helper()
	m, err := ib.Meta(ctx, id)
	if err != nil || m.State != want || m.Problem != "" {
		t.Errorf("%s is %s (%s), %v, want %s", id, m.State, m.Problem, err, want)
	}
	return m
}

func TestASessionIsCompiledByOneAtATime(t *testing.T) {
	dir := t.TempDir()
	ib, other := reopened(t, dir), reopened(t, dir)
	sayingTo(t, ib, "a", "one", "two")
	l := taken(t, ib, "a")
	if l.Meta.State != Compiling || len(l.Turns) != 2 || l.Alive() != nil {
		t.Errorf("%+v, %d turns, %v", l.Meta, len(l.Turns), l.Alive())
	}
	for _, box := range []*Box{ib, other} {
		if _, err := box.Take(ctx, "a"); !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
			t.Errorf("taken twice: %v", err)
		}
	}
	m := wantState(t, other, "a", Compiling)
	if m.Writer == nil || m.Writer.PID != os.Getpid() || !m.Writer.Since.Equal(noon) {
		t.Errorf("%+v", m.Writer)
	}
	wantQueue(t, other, QueueOptions{All: true}, "")
	if err := l.Settle(ctx, Outcome{Through: 2, Pages: []page.Path{"notes/a.md"}}); err != nil {
		t.Fatal(err)
	}
	m = wantState(t, other, "a", Done)
	if m.Writer != nil || m.Compiled != 2 || !slices.Equal(m.Pages, []page.Path{"notes/a.md"}) {
		t.Errorf("%+v", m)
	}
	for _, err := range []error{l.Release(), l.Release()} {
		if err != nil {
			t.Error(err)
		}
	}
	wantState(t, other, "a", Done)
	if err := l.Settle(ctx, Outcome{Through: 2}); !errors.Is(err, ErrNotPending) {
		t.Errorf("settled twice: %v", err)
	}
	if err := l.Alive(); !errors.Is(err, ErrCancelled) {
		t.Errorf("alive after it was given back: %v", err)
	}
	if _, err := other.Take(ctx, "a"); !errors.Is(err, ErrNotPending) {
		t.Errorf("a done session was taken: %v", err)
	}
	if _, err := other.Take(ctx, "nobody"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".txn", "*.lock")); err != nil || len(left) > 0 {
		t.Errorf("locks that stayed: %q, %v", left, err)
	}
}

func TestALeaseThatIsReleasedLeavesTheSessionPending(t *testing.T) {
	ib := opened(t)
	at(ib, 0)
	sayingTo(t, ib, "a", "one")
	at(ib, 60)
	l := taken(t, ib, "a")
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if m := wantState(t, ib, "a", Pending); m.Attempts != 0 || m.Writer != nil || !m.Since.Equal(noon) {
		t.Errorf("%+v", m)
	}
	wantQueue(t, ib, QueueOptions{}, "a 1-1@30")
}

// deermem 24
func TestTurnsAddedWhileASessionIsCompiled(t *testing.T) {
	ib := opened(t)
	at(ib, 0)
	sayingTo(t, ib, "a", "one", "two")
	at(ib, 40)
	l := taken(t, ib, "a")
	at(ib, 50)
	sayingTo(t, ib, "a", "one", "two", "three")
	at(ib, 60)
	sayingTo(t, ib, "a", "one", "two", "three", "four")
	wantState(t, ib, "a", Compiling)
	if err := l.Alive(); err != nil {
		t.Error(err)
	}
	if err := l.Settle(ctx, Outcome{Through: 3}); err == nil || !strings.Contains(err.Error(), "turn 3") {
		t.Errorf("settled through a turn that was not taken: %v", err)
	}
	l = taken(t, ib, "a")
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	at(ib, 70)
	l = taken(t, ib, "a")
	at(ib, 80)
	sayingTo(t, ib, "a", "one", "two", "three", "four", "five")
	if err := l.Settle(ctx, Outcome{Through: 4}); err != nil {
		t.Fatal(err)
	}
	if m := wantState(t, ib, "a", Pending); m.Compiled != 4 || !m.Since.Equal(noon.Add(80*time.Second)) {
		t.Errorf("%+v", m)
	}
	wantQueue(t, ib, QueueOptions{}, "next@110")
}

func TestFailures(t *testing.T) {
	ib := opened(t)
	sayingTo(t, ib, "a", "one")
	long := errors.New(strings.Repeat("密钥\x00\n ", 400))
	for n := 1; n <= 2; n++ {
		if err := taken(t, ib, "a").Settle(ctx, Outcome{Err: long, RetryAt: noon}); err != nil {
			t.Fatal(err)
		}
		if m := wantState(t, ib, "a", Pending); m.Attempts != n || len(m.Error) > 510 || strings.ContainsAny(m.Error, "\x00\n") {
			t.Errorf("%+v", m)
		}
	}
	if err := taken(t, ib, "a").Settle(ctx, Outcome{Err: errors.New("403"), Failed: true, RetryAt: noon}); err != nil {
		t.Fatal(err)
	}
	if m := wantState(t, ib, "a", Failed); m.Attempts != 3 || m.Error != "403" || !m.RetryAt.IsZero() {
		t.Errorf("%+v", m)
	}
	wantQueue(t, ib, QueueOptions{All: true}, "")
	if _, err := ib.Take(ctx, "a"); !errors.Is(err, ErrNotPending) {
		t.Error(err)
	}
	sayingTo(t, ib, "a", "one", "two") // there is something else to try it on
	if m := wantState(t, ib, "a", Pending); m.Attempts != 0 || m.Compiled != 0 {
		t.Errorf("%+v", m)
	}
}

// A server may name the key that it refuses.
func TestAFailureQuotesNoSecret(t *testing.T) {
	ib := opened(t)
	sayingTo(t, ib, "a", "one")
	if err := taken(t, ib, "a").Settle(ctx, Outcome{Err: errors.New("HTTP 401: wrong key: " + fakeToken)}); err != nil {
		t.Fatal(err)
	}
	if m := wantState(t, ib, "a", Pending); m.Error != "HTTP 401: wrong key: [secret: github token]" {
		t.Errorf("the failure is kept as %q", m.Error)
	}
}

// It is not tried again (L03).
func TestNothingWorthKeepingIsRemembered(t *testing.T) {
	ib := opened(t)
	sayingTo(t, ib, "a", "one")
	if err := taken(t, ib, "a").Settle(ctx, Outcome{Through: 1, Nothing: true}); err != nil {
		t.Fatal(err)
	}
	if m := wantState(t, ib, "a", Done); !m.Nothing {
		t.Errorf("%+v", m)
	}
}

func TestTheCheckpointOutlivesItsLease(t *testing.T) {
	ib := opened(t)
	sayingTo(t, ib, "a", "one")
	l := taken(t, ib, "a")
	if raw, err := l.Extracted(); raw != nil || err != nil {
		t.Errorf("%q, %v", raw, err)
	}
	for _, content := range []string{`{"format":1,"through":0}`, `{"format":1,"through":1}`} {
		if err := l.Save(ctx, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if err := l.Save(ctx, []byte("{}")); !errors.Is(err, ErrCancelled) {
		t.Errorf("saved without the lease: %v", err)
	}
	l = taken(t, ib, "a")
	if raw, err := l.Extracted(); string(raw) != `{"format":1,"through":1}` || err != nil {
		t.Errorf("%q, %v", raw, err)
	}
	fi, err := os.Stat(filepath.Join(ib.dir, l.Meta.Path.Dir(), "extracted.json"))
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", fi.Mode(), err)
	}
}

// What was written must not be made once more because somebody pressed a key.
func TestASettleOutlivesItsContext(t *testing.T) {
	ib := opened(t)
	sayingTo(t, ib, "a", "one")
	l := taken(t, ib, "a")
	stopped, stop := context.WithCancel(ctx)
	stop()
	if err := l.Settle(stopped, Outcome{Through: 1}); err != nil {
		t.Fatal(err)
	}
	wantState(t, ib, "a", Done)
}

// "compiling" on disk means nothing when nobody holds the lock.
func TestADeadCompilerHoldsUpNobody(t *testing.T) {
	ib := opened(t)
	sayingTo(t, ib, "a", "one")
	l := taken(t, ib, "a")
	l.unlock() // as the system does when a process dies
	write(t, ib, leaseFile("a"), "")
	onDisk := tree(t, ib)["sessions/2026-03/a/meta.json"]
	if !strings.Contains(onDisk, `"state":"compiling"`) {
		t.Fatal(onDisk)
	}
	wantState(t, ib, "a", Pending)
	wantQueue(t, ib, QueueOptions{All: true}, "a 1-1@30")
	l2 := taken(t, ib, "a")
	if err := l.Alive(); !errors.Is(err, ErrCancelled) {
		t.Errorf("the dead one's lease: %v", err)
	}
	if err := l2.Alive(); err != nil {
		t.Error(err)
	}
	if err := l2.Release(); err != nil {
		t.Fatal(err)
	}
	l = taken(t, ib, "a")
	l.unlock()
	write(t, ib, leaseFile("a"), "")
	sayingTo(t, ib, "b", "one") // a new session sweeps
	if _, err := os.Stat(filepath.Join(ib.dir, leaseFile("a"))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the dead one's lock stayed: %v", err)
	}
	sayingTo(t, ib, "a", "one", "two")
	if on := tree(t, ib)["sessions/2026-03/a/meta.json"]; !strings.Contains(on, `"state":"pending"`) || strings.Contains(on, "writer") {
		t.Error(on)
	}
}

func TestAPurgeEndsWhatIsMadeOfTheTurns(t *testing.T) {
	ib := opened(t)
	sayingTo(t, ib, "a", "heron-42", "two", "three")
	l := taken(t, ib, "a")
	if err := l.Save(ctx, []byte(`{"facts":["heron-42"]}`)); err != nil {
		t.Fatal(err)
	}
	if n, err := ib.Redact(ctx, "a", []int{1}); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	for what, err := range map[string]error{
		"alive": l.Alive(), "saved": l.Save(ctx, []byte(`{"facts":["heron-42"]}`)), "settled": l.Settle(ctx, Outcome{Through: 3}),
	} {
		if !errors.Is(err, ErrCancelled) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if m := wantState(t, ib, "a", Pending); m.Compiled != 0 {
		t.Errorf("%+v", m)
	}
	for name, content := range tree(t, ib) {
		if strings.Contains(content, "heron") {
			t.Errorf("%s: %s", name, content)
		}
	}
	if l := taken(t, ib, "a"); l.Turns[0].Text != Purged || l.Alive() != nil {
		t.Errorf("%+v, %v", l.Turns[0], l.Alive())
	}
}

func TestAPurgedSessionEndsWhatIsMadeOfIt(t *testing.T) {
	ib := opened(t)
	sayingTo(t, ib, "a", "one")
	l := taken(t, ib, "a")
	if err := ib.Remove(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{"alive": l.Alive(), "saved": l.Save(ctx, []byte("{}"))} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	sayingTo(t, ib, "a", "another of that name")
	if err := l.Alive(); !errors.Is(err, ErrCancelled) {
		t.Errorf("alive for another session: %v", err)
	}
	if err := l.Settle(ctx, Outcome{Through: 1}); !errors.Is(err, ErrCancelled) {
		t.Errorf("settled another session: %v", err)
	}
	wantState(t, ib, "a", Pending)
	settle(t, ib, "a", 1)
}

// A line that another program wrote is purged like any other.
func TestAPurgeTakesLinesOfAnyForm(t *testing.T) {
	ib := opened(t)
	write(t, ib, "sessions/2026-03/hand/messages.jsonl", `{"id":5,"at":"2026-03-02","role":"user","text":"heron-42","seen":["heron-42"]}`+"\n"+`{"at":1700000000,"text":"heron-42"}`)
	if n, err := ib.Redact(ctx, "hand", []int{1, 2}); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	if got := tree(t, ib)["sessions/2026-03/hand/messages.jsonl"]; strings.Contains(got, "heron") || !strings.Contains(got, "2026-03-02") {
		t.Error(got)
	}
}

func TestASessionOfANewerBrainIsLeftAlone(t *testing.T) {
	ib := opened(t)
	a := sayingTo(t, ib, "a", "one")
	write(t, ib, a.Path.Dir()+"/meta.json", `{"format":2,"session":"a","state":"pending"}`)
	before := tree(t, ib)
	_, take := ib.Take(ctx, "a")
	_, redact := ib.Redact(ctx, "a", []int{1})
	_, meta := ib.Meta(ctx, "a")
	_, cancel := ib.Cancel(ctx, CancelOptions{IDs: []string{"a"}})
	for what, err := range map[string]error{"take": take, "redact": redact, "meta": meta, "cancel": cancel} {
		if !errors.Is(err, ErrNewer) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for name, content := range tree(t, ib) {
		if before[name] != content {
			t.Errorf("%s was changed", name)
		}
	}
}

// Who looks at a session that a dead process left holds its lock for an instant,
// and keeps nobody from taking it.
func TestLookingKeepsNobodyFromCompiling(t *testing.T) {
	ib := opened(t)
	sayingTo(t, ib, "a", "one")
	stop, done := make(chan bool), make(chan error)
	go func() {
		var err error
		for {
			select {
			case <-stop:
				done <- err
				return
			default:
				_, bad := ib.List(ctx)
				err = errors.Join(err, bad)
			}
		}
	}()
	for range 60 {
		l := taken(t, ib, "a")
		l.unlock() // as the system does when a process dies
		write(t, ib, leaseFile("a"), "")
	}
	close(stop)
	if err := <-done; err != nil {
		t.Error(err)
	}
}
