//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"brain/inbox"
	"brain/store"
)

// talkative is an agent that calls a hook after each turn.
type talkative struct {
	t       *testing.T
	root    string
	env     []string
	session string
	log     string // the transcript
	turns   int
}

func newTalkative(t *testing.T, turns int) *talkative {
	dir := t.TempDir()
	a := &talkative{t: t, root: filepath.Join(dir, "memory"), session: "4f1c2c80-0000-4000-8000-000000000001"}
	a.log = filepath.Join(dir, a.session+".jsonl")
	a.env = append(os.Environ(), "HOME="+dir, "BRAIN_CONFIG_DIR="+filepath.Join(dir, "config"), "BRAIN_ROOT="+a.root, "BRAIN_HOOK=")
	a.makeRoot()
	a.say(turns)
	return a
}

func (a *talkative) makeRoot() {
	for _, args := range [][]string{{"init", a.root, "--git", "no"}, {"trust", "--yes"}} {
		cmd := exec.Command("brain", args...)
		cmd.Env = a.env
		if out, err := cmd.CombinedOutput(); err != nil {
			a.t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
}

// say adds turns to the transcript, as Claude Code does.
func (a *talkative) say(n int) {
	f, err := os.OpenFile(a.log, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		a.t.Fatal(err)
	}
	for range n {
		role := []string{"user", "assistant"}[a.turns%2]
		line, err := json.Marshal(map[string]any{
			"type": role, "uuid": fmt.Sprintf("u%d", a.turns), "sessionId": a.session,
			"timestamp": time.Date(2026, 3, 2, 9, 0, a.turns, 0, time.UTC),
			"message":   map[string]any{"role": role, "content": fmt.Sprintf("turn %d. %s", a.turns, strings.Repeat("The heron needs a larger pool 池. ", 10))},
		})
		if err == nil {
			_, err = f.Write(append(line, '\n'))
		}
		if err != nil {
			a.t.Fatal(err)
		}
		a.turns++
	}
	if err := f.Close(); err != nil {
		a.t.Fatal(err)
	}
}

func (a *talkative) event() []byte {
	raw, err := json.Marshal(map[string]any{"session_id": a.session, "transcript_path": a.log, "cwd": a.root, "stop_hook_active": false})
	if err != nil {
		a.t.Fatal(err)
	}
	return raw
}

// call runs a hook in a process group of its own; killed after a time, if that is not 0.
func (a *talkative) call(event string, in []byte, killed time.Duration) (took time.Duration) {
	a.t.Helper()
	cmd := exec.Command("brain", "hook", event)
	cmd.Env, cmd.Stdin = a.env, bytes.NewReader(in)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	if err := cmd.Start(); err != nil {
		a.t.Fatal(err)
	}
	if killed > 0 {
		time.AfterFunc(killed, func() { _ = cmd.Process.Kill() })
	}
	err := cmd.Wait()
	took = time.Since(began)
	if out.Len() > 0 || killed == 0 && err != nil {
		a.t.Fatalf("hook %s: %v, said %q", event, err, out.String())
	}
	if err := syscall.Kill(-cmd.Process.Pid, 0); !errors.Is(err, syscall.ESRCH) {
		a.t.Fatalf("hook %s: a process of it is left (%v)", event, err)
	}
	return took
}

func (a *talkative) lines() []string {
	raw, err := os.ReadFile(filepath.Join(a.root, ".brain", "hook.log"))
	if err != nil {
		a.t.Fatal(err)
	}
	return splitLines(string(raw))
}

// kept checks that each turn of the transcript was kept once, in its order.
func (a *talkative) kept() {
	a.t.Helper()
	numbers := a.numbers()
	for i := range max(a.turns, len(numbers)) {
		if i >= len(numbers) || i >= a.turns || numbers[i] != i {
			a.t.Fatalf("%d turns were said, %d are kept; they differ from the turn %d on: %v", a.turns, len(numbers), i, numbers[min(i, len(numbers)):min(i+5, len(numbers))])
		}
	}
}

// numbers are those of the turns that were kept, in their order.
func (a *talkative) numbers() (numbers []int) {
	a.t.Helper()
	ib, err := inbox.Open(filepath.Join(a.root, "brains", "default"))
	if err != nil {
		a.t.Fatal(err)
	}
	defer ib.Close()
	s, _, err := ib.Read(a.t.Context(), a.session)
	if err != nil && !errors.Is(err, inbox.ErrNotFound) {
		a.t.Fatal(err)
	}
	for _, turn := range s.Turns {
		n := -1
		fmt.Sscanf(turn.Text, "turn %d.", &n)
		numbers = append(numbers, n)
	}
	return numbers
}

// 200 calls in a row (B09): most as they should be, some killed, some with an input that
// is none. Nothing is lost or doubled, no process is left, and each bad one has its line.
// It prints how long a good one takes.
func TestTwoHundredHooks(t *testing.T) {
	a := newTalkative(t, 2000)
	a.env = append(a.env, "BRAIN_HOOK_TIMEOUT=30s") // whatever else this machine does
	calls := 200
	if testing.Short() {
		calls = 40
	}
	bad := map[string][]byte{"Stop": nil, "UserPromptSubmit": []byte("not JSON"), "PreCompact": bytes.Repeat([]byte("50 MB "), 50<<20/6)}
	events := []string{"Stop", "UserPromptSubmit", "PreCompact", "SubagentStop"}
	var took []time.Duration
	wrong, killed := 0, 0
	for i := range calls {
		switch event := events[rand.IntN(len(events))]; {
		case i%10 == 3:
			a.say(2)
			a.call(event, a.event(), time.Duration(1+rand.IntN(40))*time.Millisecond)
			killed++
		case i%20 == 7:
			a.call(event, bad[event], 0)
			wrong++
		default:
			a.say(2)
			took = append(took, a.call(event, a.event(), 0))
		}
	}
	a.call("SessionEnd", a.event(), 0)
	a.kept()
	said := 0
	for _, line := range a.lines() {
		if strings.Contains(line, "error=") {
			said++
		}
	}
	if said != wrong {
		t.Errorf("%d lines tell of %d bad calls:\n%s", said, wrong, strings.Join(a.lines(), ""))
	}
	slices.Sort(took)
	t.Logf("%d good calls, %d killed, %d bad; transcript of 2,000 turns and two more each time: p50 %v, p95 %v, p99 %v",
		len(took), killed, wrong, took[len(took)/2], took[len(took)*95/100], took[len(took)*99/100])
}

// An agent that hangs does not keep the hook (N04).
func TestAHookEndsWhenItsInputDoesNot(t *testing.T) {
	a := newTalkative(t, 2)
	a.env = append(a.env, "BRAIN_HOOK_TIMEOUT=30s") // unknown yet while the input is read
	cmd := exec.Command("brain", "hook", "Stop")
	cmd.Env = a.env
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %q", err, out)
	}
	if lines := a.lines(); len(lines) != 1 || !strings.Contains(lines[0], "the time was up") {
		t.Errorf("log: %q", lines)
	}
}

// A hook that brain is behind takes nothing in, and still lets the agent say all of it:
// one that cannot takes that for a failure.
func TestAHookThatTakesNothingInHearsTheAgentOut(t *testing.T) {
	a := newTalkative(t, 2)
	a.env = append(a.env, "BRAIN_HOOK=1")
	cmd := exec.Command("brain", "hook", "Stop")
	cmd.Env = a.env
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write(bytes.Repeat([]byte("a large event "), 1<<17)); err != nil {
		t.Errorf("what the agent says: %v", err)
	}
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
		t.Error(err)
	}
	if n := a.numbers(); len(n) > 0 {
		t.Errorf("%d turns are kept", len(n))
	}
}

// While another process adds to the session the hook waits, and not for long.
func TestAHookEndsWhenItsSessionIsLocked(t *testing.T) {
	a := newTalkative(t, 2)
	a.env = append(a.env, "BRAIN_HOOK_TIMEOUT=200ms")
	a.call("Stop", a.event(), 0)
	lock := filepath.Join(a.root, "brains", "default", ".txn", "session-"+a.session+".lock")
	f, err := os.OpenFile(lock, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	a.say(2)
	a.call("Stop", a.event(), 0)
	if lines := a.lines(); len(lines) != 2 || !strings.Contains(lines[1], "error=") || !strings.Contains(lines[1], "another process has the session") {
		t.Errorf("log: %q", lines)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	a.call("Stop", a.event(), 0)
	a.kept()
}

// A transcript beyond what one call can take in is taken in by several, also when each
// has time for one piece only.
func TestALargeTranscriptIsTakenInByAndBy(t *testing.T) {
	a := newTalkative(t, 3000) // more than 1 MiB
	f, err := os.OpenFile(a.log, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	// Then 3 MiB of what is nobody's words.
	if _, err := f.Write(bytes.Repeat([]byte(`{"type":"file-history-snapshot","snapshot":{"a":"`+strings.Repeat("x", 1000)+"\"}}\n"), 3<<10)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	a.say(2)
	calls := 0
	for done := false; !done && calls < 20; calls++ {
		done = a.onePiece()
	}
	a.kept()
	if calls < 4 {
		t.Errorf("it took %d calls", calls)
	}
}

// onePiece is a call that is late from its beginning; done when nothing is left.
func (a *talkative) onePiece() (done bool) {
	ctx := a.t.Context()
	r, err := store.At(a.root)
	if err != nil {
		a.t.Fatal(err)
	}
	l, err := loadSettings(r.Dir)
	if err != nil {
		a.t.Fatal(err)
	}
	tr, err := openTranscript(a.log)
	if err != nil {
		a.t.Fatal(err)
	}
	h := &hook{a: &app{}}
	c := &capturing{h: h, in: hookInput{Session: a.session}, t: tr}
	if err := c.open(ctx, r, l); err != nil {
		a.t.Fatal(err)
	}
	before := tr.Offset
	if err := c.all(ctx, time.Time{}); err != nil || tr.Offset <= before {
		a.t.Fatalf("read on from %d to %d: %v", before, tr.Offset, err)
	}
	for _, close := range append(h.a.closers, tr.f.Close) {
		if err := close(); err != nil {
			a.t.Fatal(err)
		}
	}
	return tr.Offset == tr.size
}
