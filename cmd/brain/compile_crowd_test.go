package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Two programs compile the same forty conversations at once, several at a time each:
// every conversation is compiled by one of them, once, and what many say is one page.
func TestTwoCompilersShareForty(t *testing.T) {
	const conversations, turns = 40, 8
	root, files := killingGround(t), t.TempDir()
	args := []string{"inbox", "add"}
	said := map[string]bool{}
	var c captured
	for talk := range conversations {
		var b bytes.Buffer
		fmt.Fprintf(&b, "{\"session\":%q}\n", talkID(talk))
		for _, turn := range script(talk, turns) {
			if turn.Role == "user" {
				said[turn.Text] = true
			}
			if err := json.NewEncoder(&b).Encode(turn); err != nil {
				t.Fatal(err)
			}
		}
		name := filepath.Join(files, talkID(talk)+".jsonl")
		if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, name)
		c.acknowledged, c.tried = append(c.acknowledged, turns), append(c.tried, turns)
	}
	brainCmd(t, root, args...)

	var mu sync.Mutex
	var wg sync.WaitGroup
	by := map[string]int{} // conversation → how often it was compiled
	var shares []int
	made, known := 0, 0
	for range 2 {
		wg.Go(func() {
			cmd := exec.Command("brain", "compile", "--json", "--root", root)
			cmd.Env = append(os.Environ(), "NO_COLOR=1", "BRAIN_COMPILE_PARALLEL=3")
			var errs bytes.Buffer
			cmd.Stderr = &errs
			raw, err := cmd.Output()
			var out compileJSON
			if err == nil {
				err = json.Unmarshal(raw, &out)
			}
			if err != nil {
				t.Errorf("brain compile: %v: %.2000s", err, errs.String())
				return
			}
			mu.Lock()
			defer mu.Unlock()
			for _, s := range out.Sessions {
				by[s.Session]++
				if s.Error != "" || s.From != 1 || s.To != turns {
					t.Errorf("session %s: turns %d to %d, %s", s.Session, s.From, s.To, s.Error)
				}
			}
			shares = append(shares, len(out.Sessions))
			made, known = made+out.Pages+out.Facts, known+out.Known
		})
	}
	wg.Wait()
	for id, n := range by {
		if n != 1 {
			t.Errorf("session %s was compiled %d times", id, n)
		}
	}
	all := conversations * turns / 2 // that people said
	if len(by) != conversations || made != len(said) || known != all-len(said) {
		t.Errorf("%d sessions, %d pages and facts, %d known; want %d, %d, %d", len(by), made, known, conversations, len(said), all-len(said))
	}
	t.Logf("%v sessions each; %d statements, %d of them different", shares, all, len(said))

	checkCompiled(t, root, c)
}
