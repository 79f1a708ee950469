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

func TestCancellingDropsOnlyWhatWaits(t *testing.T) {
	ib := opened(t)
	for id, agent := range map[string]string{"a1": "a", "a2": "a", "a3": "a", "b1": "b", "none": ""} {
		s := spoken(id, "one")
		s.Agent = agent
		added(t, ib, s)
	}
	settle(t, ib, "a3", 1)
	l := taken(t, ib, "a2")
	if n, err := ib.Cancel(ctx, CancelOptions{Agent: "A"}); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	for id, want := range map[string]string{"a1": Cancelled, "a2": Compiling, "a3": Done, "b1": Pending, "none": Pending} {
		wantState(t, ib, id, want)
	}
	if err := l.Alive(); err != nil {
		t.Errorf("what runs was hit: %v", err)
	}
	if err := l.Settle(ctx, Outcome{Through: 1}); err != nil {
		t.Error(err)
	}
	if _, err := ib.Take(ctx, "a1"); !errors.Is(err, ErrNotPending) {
		t.Error(err)
	}
	if n, err := ib.Cancel(ctx, CancelOptions{}); n != 2 || err != nil { // nobody named: all agents'
		t.Errorf("%d, %v", n, err)
	}
	wantQueue(t, ib, QueueOptions{All: true}, "")
	if _, err := ib.Cancel(ctx, CancelOptions{Agent: "x/y"}); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}

func TestWhatRunsIsCancelledToo(t *testing.T) {
	for name, o := range map[string]CancelOptions{"agent": {Agent: "a", Running: true}, "all": {Running: true}, "id": {IDs: []string{"s"}, Running: true}} {
		ib := opened(t)
		for id, agent := range map[string]string{"s": "a", "other": "b"} {
			s := spoken(id, "one")
			s.Agent = agent
			added(t, ib, s)
		}
		l, other := taken(t, ib, "s"), taken(t, ib, "other")
		if n, err := ib.Cancel(ctx, o); err != nil || n != map[bool]int{true: 2, false: 1}[name == "all"] {
			t.Errorf("%s: %d, %v", name, n, err)
		}
		if err := l.Alive(); !errors.Is(err, ErrCancelled) {
			t.Errorf("%s: alive: %v", name, err)
		}
		if err := l.Save(ctx, []byte("{}")); !errors.Is(err, ErrCancelled) {
			t.Errorf("%s: saved: %v", name, err)
		}
		if err := l.Settle(ctx, Outcome{Through: 1}); !errors.Is(err, ErrCancelled) {
			t.Errorf("%s: settled: %v", name, err)
		}
		if m := wantState(t, ib, "s", Cancelled); m.Compiled != 0 {
			t.Errorf("%s: %+v", name, m)
		}
		if err := other.Alive(); (err != nil) != (name == "all") {
			t.Errorf("%s: another's: %v", name, err)
		}
		if n, err := ib.Retry(ctx, []string{"s"}); n != 1 || err != nil {
			t.Errorf("%s: %d, %v", name, n, err)
		}
		settle(t, ib, "s", 1)
	}
}

// Who retries what was cancelled does not bring the cancelled work back to life.
func TestACancelledLeaseStaysDead(t *testing.T) {
	ib := opened(t)
	sayingTo(t, ib, "a", "one")
	l := taken(t, ib, "a")
	if _, err := ib.Cancel(ctx, CancelOptions{IDs: []string{"a"}, Running: true}); err != nil {
		t.Fatal(err)
	}
	if n, err := ib.Retry(ctx, []string{"a"}); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if err := l.Alive(); !errors.Is(err, ErrCancelled) {
		t.Error(err)
	}
	if _, err := ib.Take(ctx, "a"); !errors.Is(err, ErrBusy) { // until the other gives up
		t.Error(err)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
	wantState(t, ib, "a", Pending)
	settle(t, ib, "a", 1)
}

func TestAConversationGoesOnAfterACancel(t *testing.T) {
	ib := opened(t)
	sayingTo(t, ib, "a", "I prefer tabs.", "two")
	if n, err := ib.Cancel(ctx, CancelOptions{IDs: []string{"a"}}); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	sayingTo(t, ib, "a", "I prefer tabs.", "two") // a replay wakes nothing
	wantState(t, ib, "a", Cancelled)
	sayingTo(t, ib, "a", "I prefer tabs.", "two", "three")
	if m := wantState(t, ib, "a", Pending); len(m.Signals) > 0 {
		t.Errorf("%+v", m)
	}
	wantQueue(t, ib, QueueOptions{All: true}, "a 3-3@30") // what was cancelled stays so
}

func TestRetry(t *testing.T) {
	ib := opened(t)
	for _, id := range []string{"failed", "cancelled", "later", "waits"} {
		sayingTo(t, ib, id, "one")
	}
	no := errors.New("no")
	for id, o := range map[string]Outcome{"failed": {Err: no, Failed: true}, "later": {Err: no, RetryAt: noon.Add(time.Hour)}} {
		if err := taken(t, ib, id).Settle(ctx, o); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ib.Cancel(ctx, CancelOptions{IDs: []string{"cancelled"}}); err != nil {
		t.Fatal(err)
	}
	if n, err := ib.Retry(ctx, nil); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	wantState(t, ib, "failed", Pending)
	wantState(t, ib, "cancelled", Cancelled)
	n, err := ib.Retry(ctx, []string{"cancelled", "later", "waits", "failed", "cancelled", "nobody"})
	if n != 2 || !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), `"nobody"`) {
		t.Errorf("%d, %v", n, err)
	}
	at(ib, 30)
	wantQueue(t, ib, QueueOptions{}, "cancelled 1-1@30, failed 1-1@30, later 1-1@30, waits 1-1@30")
}

func TestAFenceDropsWhatWasBegunBefore(t *testing.T) {
	dir := t.TempDir()
	ib, other := reopened(t, dir), reopened(t, dir)
	for id, agent := range map[string]string{"a": "coder", "b": "writer"} {
		s := spoken(id, "one")
		s.Agent = agent
		added(t, ib, s)
	}
	la, lb := taken(t, ib, "a"), taken(t, ib, "b")
	if err := other.RaiseFence(ctx, "Coder"); err != nil {
		t.Fatal(err)
	}
	if err := la.Alive(); !errors.Is(err, ErrCancelled) || !strings.Contains(err.Error(), "fence") {
		t.Error(err)
	}
	if err := lb.Alive(); err != nil {
		t.Error(err)
	}
	if err := la.Settle(ctx, Outcome{Through: 1}); !errors.Is(err, ErrCancelled) {
		t.Error(err)
	}
	if m := wantState(t, ib, "a", Pending); m.Compiled != 0 || m.Writer != nil {
		t.Errorf("%+v", m)
	}
	la = taken(t, ib, "a") // begun after: it counts
	if err := la.Alive(); err != nil {
		t.Error(err)
	}
	if err := other.RaiseFence(ctx, ""); err != nil {
		t.Fatal(err)
	}
	for _, l := range []*Lease{la, lb} {
		if err := l.Alive(); !errors.Is(err, ErrCancelled) {
			t.Error(err)
		}
	}
	if got, want := tree(t, ib)["sessions/fences.json"], `{"format":1,"all":1,"agents":{"coder":1}}`+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if fi, err := os.Stat(filepath.Join(dir, "sessions", "fences.json")); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", fi.Mode(), err)
	}
	if err := ib.RaiseFence(ctx, "x/y"); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}

// A fence that cannot be read is up: nothing is written, until it is raised anew.
func TestABrokenFenceIsUp(t *testing.T) {
	ib := opened(t)
	sayingTo(t, ib, "a", "one")
	l := taken(t, ib, "a")
	write(t, ib, "sessions/fences.json", `{"format":1,"al`)
	if err := l.Alive(); err == nil {
		t.Error("alive behind a broken fence")
	}
	if err := l.Release(); err != nil {
		t.Log(err)
	}
	if _, err := ib.Take(ctx, "a"); err == nil || !strings.Contains(err.Error(), "fences.json") {
		t.Error(err)
	}
	if err := ib.RaiseFence(ctx, "coder"); err != nil {
		t.Fatal(err)
	}
	if err := taken(t, ib, "a").Alive(); err != nil {
		t.Error(err)
	}
	write(t, ib, "sessions/fences.json", `{"format":2}`)
	if err := ib.RaiseFence(ctx, ""); !errors.Is(err, ErrNewer) {
		t.Error(err)
	}
}

func TestFencesAreRaisedByManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	boxes := []*Box{reopened(t, dir), reopened(t, dir), reopened(t, dir)}
	done := make(chan error)
	for _, ib := range boxes {
		go func() {
			var err error
			for range 10 {
				err = errors.Join(err, ib.RaiseFence(ctx, "a"), ib.RaiseFence(ctx, ""))
			}
			done <- err
		}()
	}
	for range boxes {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if f, err := boxes[0].fences(); err != nil || f.All != 30 || f.of("a") != 60 {
		t.Errorf("%+v, %v", f, err)
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
