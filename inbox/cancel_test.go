package inbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

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
