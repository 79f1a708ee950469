package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"brain/inbox"
)

// Three processes, killed at random moments, keep conversations and compile them:
//
//	capture    adds by the library, one after the other without rest
//	compile    `brain compile`, over and over
//	commands   `brain inbox add` and `brain compile` in turns
//
// A conversation is always the beginning of a script, so that afterwards it can be
// decided what of it must be there. What is said tells what is to come of it: each
// statement holds a name of its own, or one that is said in other conversations too.
// Whoever adds says what it is about to do and what it has done.

// talks is how many conversations there are. Turns come to all of them until the
// end, also to those that were compiled.
const talks = 12

// captured is how far conversations are there: what was acknowledged must be, what
// was tried may be.
type captured struct{ acknowledged, tried []int }

// take reads what somebody said who adds: ? or !, conversation, turns.
func (c *captured) take(out []byte) {
	for line := range strings.Lines(string(out)) {
		var sign string
		var talk, turns int
		if n, _ := fmt.Sscanf(line, "%s %d %d\n", &sign, &talk, &turns); n != 3 || !strings.HasSuffix(line, ".\n") {
			continue
		}
		if sign == "!" {
			c.acknowledged[talk] = max(c.acknowledged[talk], turns)
		}
		c.tried[talk] = max(c.tried[talk], turns)
	}
}

// killedCapture is the loop of one who adds: ROOT, then how many turns of each
// conversation there are. Now and then it sends less than it knows, as a replay does.
func killedCapture() {
	if err := captureForEver(os.Args[1], os.Args[2:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "capture:", err)
		os.Exit(1)
	}
}

func captureForEver(root string, from []string, out *os.File) error {
	box, err := inbox.Open(filepath.Join(root, "brains", "default"))
	if err != nil {
		return err
	}
	turns := make([]int, talks)
	for i := range turns {
		if turns[i], err = strconv.Atoi(from[i]); err != nil {
			return err
		}
	}
	for {
		talk := rand.IntN(talks)
		if rand.IntN(3) > 0 {
			turns[talk] += 1 + rand.IntN(6)
		}
		n := max(1, turns[talk]-rand.IntN(3)*rand.IntN(9))
		fmt.Fprintf(out, "? %d %d .\n", talk, n)
		if _, err := box.Add(context.Background(), inbox.Session{ID: talkID(talk), Turns: script(talk, n)}); err != nil {
			return err
		}
		fmt.Fprintf(out, "! %d %d .\n", talk, n)
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond) // as people do
	}
}

// killedTalks is the state of the test: who adds, and how far.
type killedTalks struct {
	*killing
	folder string // of files to add
	mu     sync.Mutex
	c      captured
	ran    map[string]int // commands that ended by themselves
}

func TestKilledCompilersCompileExactlyOnce(t *testing.T) {
	want, limit := 120, time.Minute
	switch {
	case testing.Short():
		want = 20
	case withRace():
		want = 30
	}
	t.Setenv("BRAIN_MEMORY_MAX_FACTS", "2000") // on a quick machine more is preferred than there is room for
	root := killingGround(t)
	k := &killedTalks{killing: newKilling(t, root, want, limit), folder: t.TempDir(), ran: map[string]int{}}
	k.c = captured{make([]int, talks), make([]int, talks)}
	began := time.Now()
	var wg sync.WaitGroup
	wg.Go(k.captureSlot)
	wg.Go(func() { k.slot(func() []string { return []string{"compile"} }) })
	wg.Go(func() { k.slot(k.addOrCompile) })
	wg.Wait()
	t.Logf("%d kills in %v; these ended by themselves: %v; turns added: %v", k.kills, time.Since(began).Round(time.Millisecond), k.ran, k.c.acknowledged)
	if k.kills < want {
		t.Errorf("only %d kills", k.kills)
	}
	k.afterwards()
}

// withRace reports whether this is a program with the race detector, which is slow.
func withRace() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "-race" && s.Value == "true" })
}

func (k *killedTalks) captureSlot() {
	for !k.over() {
		args := []string{k.root}
		k.mu.Lock()
		for _, n := range k.c.acknowledged {
			args = append(args, strconv.Itoa(n))
		}
		k.mu.Unlock()
		var out, errs bytes.Buffer
		cmd := exec.Command("brain-capture", args...)
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Start(); err != nil {
			k.t.Error(err)
			return
		}
		if !k.killed(cmd) {
			k.t.Errorf("capture ended by itself: %s", errs.String())
		}
		k.take(out.Bytes())
	}
}

func (k *killedTalks) take(out []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.c.take(out)
}

// slot runs one command after the other; most are killed.
func (k *killedTalks) slot(next func() []string) {
	for !k.over() {
		args := next()
		cmd := exec.Command("brain", append([]string{"--root", k.root}, args...)...)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			k.t.Error(err)
			return
		}
		if k.killed(cmd) {
			continue
		}
		if code := cmd.ProcessState.ExitCode(); code != 0 {
			k.t.Errorf("brain %q: exit code %d: %s", args, code, errs.String())
		}
		k.mu.Lock()
		k.ran[args[0]]++
		k.mu.Unlock()
		if args[0] == "inbox" { // brain inbox add FILE --session talkN
			n := strings.TrimSuffix(filepath.Base(args[2]), ".jsonl")
			k.take([]byte("! " + strings.TrimPrefix(args[4], "talk") + " " + n + " .\n"))
		}
	}
}

// addOrCompile is either command.
func (k *killedTalks) addOrCompile() []string {
	if rand.IntN(2) == 0 {
		return []string{"compile"}
	}
	talk := rand.IntN(talks)
	k.mu.Lock()
	n := max(1, k.c.acknowledged[talk]+rand.IntN(12)-3)
	k.mu.Unlock()
	return k.add(talk, n)
}

// add is the command that adds the first turns of a conversation, which it notes as tried.
func (k *killedTalks) add(talk, n int) []string {
	var b bytes.Buffer
	for _, t := range script(talk, n) {
		if err := json.NewEncoder(&b).Encode(t); err != nil {
			k.t.Error(err)
		}
	}
	file := filepath.Join(k.folder, talkID(talk), strconv.Itoa(n)+".jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		k.t.Error(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		k.t.Error(err)
	}
	k.take(fmt.Appendf(nil, "? %d %d .\n", talk, n))
	return []string{"inbox", "add", file, "--session", talkID(talk)}
}

// afterwards adds to conversations and compiles them without being disturbed, and then looks
// at all that there is.
func (k *killedTalks) afterwards() {
	t := k.t
	last := filepath.Join(k.folder, "last.jsonl")
	if err := os.WriteFile(last, []byte(`{"role":"user","text":"Good morning, how are you today?","at":"2026-03-04T09:00:00Z"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	brainCmd(t, k.root, "inbox", "add", last, "--session", "last")
	for _, talk := range []int{0, 3} { // both say what is said in several, however slow the machine is
		n := max(8, k.c.acknowledged[talk])
		brainCmd(t, k.root, k.add(talk, n)...)
		k.take(fmt.Appendf(nil, "! %d %d .\n", talk, n))
	}
	k.logProgress(filepath.Join(k.root, "brains", "default"))
	brainCmd(t, k.root, "compile")
	checkCompiled(t, k.root, k.c)
	checkLedger(t, k.root)
}

// logProgress tells how much was compiled by those that were killed.
func (k *killedTalks) logProgress(dir string) {
	box, err := inbox.Open(dir)
	if err != nil {
		k.t.Fatal(err)
	}
	defer box.Close()
	all, err := box.List(context.Background())
	if err != nil {
		k.t.Fatal(err)
	}
	turns, compiled, passes := 0, 0, 0
	for _, m := range all {
		turns, compiled = turns+m.Turns, compiled+m.Compiled
		raw, _ := os.ReadFile(filepath.Join(dir, filepath.Dir(string(m.Path)), "extracted.json")) // absent is none
		passes += bytes.Count(raw, []byte(`"from":`))
	}
	k.t.Logf("%d of %d turns were compiled, in %d passes", compiled, turns, passes)
}
