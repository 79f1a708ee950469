package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"brain/inbox"
)

// manySessions writes a file of messages of n sessions of three turns each, mixed.
func manySessions(t *testing.T, dir string, n int) string {
	t.Helper()
	var b strings.Builder
	for turn := range 3 {
		for i := range n {
			fmt.Fprintf(&b, `{"session":"s%03d","role":"user","text":"turn %d of 第 %d 次谈话, about heron%dx","at":"2026-03-02T09:%02d:00Z"}`+"\n", i, turn, i, i, turn)
		}
	}
	name := filepath.Join(dir, "many.jsonl")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// What was added is found by the very next question, also when it is far more than a
// question takes into the index by itself, and a replay adds nothing.
func TestManySessionsAreFoundAtOnce(t *testing.T) {
	const n = 150
	root := t.TempDir()
	brainCmd(t, root, "init", "--brain", "default", "--git", "no")
	brainCmd(t, root, "add", "--title", "Something", "--text", "So that there is an index.")
	brainCmd(t, root, "query", "something")
	file := manySessions(t, t.TempDir(), n)
	for _, want := range []int{3 * n, 0} {
		out, err := exec.Command("brain", "--root", root, "inbox", "add", file, "--json").Output()
		var rows []inboxAddedJSON
		if err != nil || json.Unmarshal(out, &rows) != nil {
			t.Fatalf("%v: %s", err, out)
		}
		added := map[string]bool{}
		turns := 0
		for _, row := range rows {
			added[row.Session] = true
			turns += row.Turns
		}
		if turns != want || len(added) != n {
			t.Errorf("%d turns of %d sessions, want %d of %d", turns, len(added), want, n)
		}
	}
	for _, i := range []int{0, 77, n - 1} {
		out, err := exec.Command("brain", "--root", root, "query", fmt.Sprintf("heron%dx", i), "-n", "1", "--json").Output()
		if err != nil || !strings.Contains(string(out), fmt.Sprintf("/s%03d/", i)) || !strings.Contains(string(out), `"stale":null`) {
			t.Errorf("%v: %s", err, out)
		}
	}
}

func TestManySnapshotsOfASessionAreWarnedOf(t *testing.T) {
	warned := []int{}
	for n := range 300 {
		if manySnapshots(n) {
			warned = append(warned, n)
		}
	}
	if got := fmt.Sprint(warned); got != "[32 64 128 256]" {
		t.Errorf("warned at %s", got)
	}
	root := t.TempDir()
	brainCmd(t, root, "init", "--brain", "default", "--git", "no")
	for n := 1; n <= 33; n++ {
		cmd := exec.Command("brain", "--root", root, "inbox", "add", "--session", "long", "--user", "wei", "--snapshot", "--agent", "coder")
		cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"role":"user","text":"turn %d","at":"2026-03-02T09:%02d:00Z"}`, n, n))
		var told strings.Builder
		cmd.Stderr = &told
		if err := cmd.Run(); err != nil {
			t.Fatal(err, told.String())
		}
		want := ""
		if n == 32 {
			want = "brain: warning: 32 snapshots of session long (user \"wei\", agent coder) wait to be compiled: `brain compile` does it\n"
		}
		if told.String() != want {
			t.Errorf("snapshot %d: %q, want %q", n, told.String(), want)
		}
	}
}

// Who cancels a session by name that is being compiled is told what would do it.
func TestCancelOfARunningSessionNamesRunning(t *testing.T) {
	root := t.TempDir()
	brainCmd(t, root, "init", "--brain", "default", "--git", "no")
	file := filepath.Join(t.TempDir(), "a.jsonl")
	ok(t, os.WriteFile(file, []byte(`{"role":"user","text":"We decided to use heron.","at":"2026-03-02T09:00:00Z"}`), 0o600))
	brainCmd(t, root, "inbox", "add", "--session", "busy", file)
	brainCmd(t, root, "inbox", "add", "--session", "idle", file)
	box, err := inbox.Open(filepath.Join(root, "brains", "default"))
	ok(t, err)
	defer box.Close()
	lease, err := box.Take(t.Context(), "busy")
	ok(t, err)
	defer lease.Release()
	const told = "brain: session busy is being compiled, and goes on: --running cancels it as well\n"
	for _, c := range []struct {
		args, out, told string
		code            int
	}{
		{"busy", "0 sessions cancelled\n", told, exitNegative},
		{"busy idle", "1 session cancelled\n", told, 0},
		{"idle", "0 sessions cancelled\n", "", exitNegative},
		{"busy --running", "1 session cancelled\n", "", 0},
		{"busy", "0 sessions cancelled\n", "", exitNegative},
	} {
		var out, errs strings.Builder
		cmd := exec.Command("brain", append([]string{"--root", root, "inbox", "cancel"}, strings.Fields(c.args)...)...)
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != c.code || out.String() != c.out || errs.String() != c.told {
			t.Errorf("%s: %v: %q %q, want %q %q", c.args, err, out.String(), errs.String(), c.out, c.told)
		}
	}
}

func TestRangesOfTurns(t *testing.T) {
	const all = int(^uint(0) >> 1)
	for s, want := range map[string][2]int{"": {1, all}, "3": {3, 3}, "3-5": {3, 5}, "3-": {3, all}, "7 - 9": {7, 9}} {
		if from, to, err := turnRange(s); err != nil || from != want[0] || to != want[1] {
			t.Errorf("%q: %d to %d, %v; want %v", s, from, to, err, want)
		}
	}
	for _, s := range []string{"0", "-3", "5-3", "a", "1-b", "1-2-3", "1,2"} {
		if _, _, err := turnRange(s); judge(err).code != exitUsage {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// More transcripts than may wait: what was kept and how many were not is said, and it is
// no success (B05).
func TestMoreSessionsThanMayWait(t *testing.T) {
	root := t.TempDir()
	brainCmd(t, root, "init", "--brain", "default", "--git", "no")
	cmd := exec.Command("brain", "--root", root, "inbox", "add", manySessions(t, t.TempDir(), 60))
	cmd.Env = append(os.Environ(), "BRAIN_CAPTURE_QUEUE_MAX_DEPTH=20")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, _ := cmd.Output()
	kept, named := strings.Count(string(out), "3 turns added"), strings.Count(errs.String(), "too many sessions wait")
	var more int
	_, rest, _ := strings.Cut(errs.String(), "brain: and ")
	if _, err := fmt.Sscanf(rest, "%d more", &more); err != nil {
		t.Errorf("%v: %s", err, errs.String())
	}
	if code := cmd.ProcessState.ExitCode(); code != exitBusy || kept < 20 || kept+named+more != 60 {
		t.Errorf("exit %d, %d kept, %d named and %d more of 60\n%s", code, kept, named, more, errs.String())
	}
}
