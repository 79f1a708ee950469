//go:build unix

package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"brain/llm/llmtest"
)

// syncRole syncs; with a third argument it dies at that many steps.
func syncRole(args []string) error {
	ix, tr, err := openRole(args)
	if err != nil {
		return err
	}
	if len(args) > 2 {
		last, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		n := 0
		ix.disk.trace = func(op, path string) {
			if n++; n == last {
				must9()
			}
		}
	}
	maxTailRows = 10
	_, err = ix.Sync(context.Background(), tr, SyncOptions{Compact: len(args) > 3})
	return err
}

// must9 ends the process as kill -9 does, nothing flushed or unlocked.
func must9() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// afterCrash asserts that the index answers without any repair, from a state
// no older than the acknowledged one, and that the next sync cleans up.
func afterCrash(t *testing.T, dir string, tr *tree, acknowledged uint64) uint64 {
	t.Helper()
	ix, err := Open(Options{Dir: dir, Embedder: llmtest.Hash(16)})
	must(t, err)
	v, built, err := ix.First(t.Context(), tr, SyncOptions{})
	must(t, err)
	if acknowledged > 0 && built != "" {
		t.Fatalf("rebuilt: %s", built)
	}
	if v.Generation() < acknowledged {
		t.Fatalf("generation %d after %d was acknowledged", v.Generation(), acknowledged)
	}
	must(t, v.Release())
	syncIn(t, ix, tr)
	noLitter(t, dir)
	sound(t, ix, tr)
	v, err = ix.View()
	must(t, err)
	gen := v.Generation()
	must(t, v.Release())
	must(t, ix.Close())
	return gen
}

// A writer dies after each step that it takes on disk.
func TestCrashAfterEachStep(t *testing.T) {
	for _, c := range []struct {
		name  string
		first bool
		args  []string
	}{{"first build", true, nil}, {"edit", false, nil}, {"compaction", false, []string{"compact"}}} {
		t.Run(c.name, func(t *testing.T) {
			died := 0
			for step := 1; ; step++ {
				tr := newTree(t, corpus(30))
				dir := filepath.Join(t.TempDir(), "index")
				var gen uint64
				if !c.first {
					if err := child(t, "sync", dir, tr.dir).Run(); err != nil {
						t.Fatal(err)
					}
					gen = 1
					tr.write(t, "new.md", "a page of its own\n")
					tr.remove(t, "g0/p0.md")
				}
				cmd := child(t, "sync", append([]string{dir, tr.dir, fmt.Sprint(step)}, c.args...)...)
				err := cmd.Run()
				afterCrash(t, dir, tr, gen)
				if err == nil {
					break
				}
				if ws := cmd.ProcessState.Sys().(syscall.WaitStatus); !ws.Signaled() {
					t.Fatal(err)
				}
				died++
			}
			if died < 8 {
				t.Errorf("only %d steps", died)
			}
		})
	}
}

// A writer is killed at random moments, over and over, on one index.
func TestKillAtRandom(t *testing.T) {
	kills := 50
	if os.Getenv("INDEX_TEST_LONG") == "" {
		kills = 20
	}
	if testing.Short() {
		kills = 6
	}
	tr := newTree(t, corpus(200))
	dir := filepath.Join(t.TempDir(), "index")
	rng := rand.New(rand.NewPCG(1, 2))
	var gen uint64
	killed := 0
	for i := range kills {
		for j := range 30 {
			tr.write(t, fmt.Sprintf("g0/p%d.md", rng.IntN(300)), fmt.Sprintf("edit %d %d of quartz\n", i, j))
		}
		c := child(t, "sync", dir, tr.dir)
		must(t, c.Start())
		time.Sleep(time.Duration(5+rng.IntN(60)) * time.Millisecond)
		must(t, c.Process.Signal(syscall.SIGKILL))
		if c.Wait() != nil {
			killed++
		}
		gen = afterCrash(t, dir, tr, gen)
	}
	if killed == 0 {
		t.Error("no process was killed in time")
	}
}

// What the writer does on disk, in order: every file of the generation, its
// folders, the rename, the folder above; only then CURRENT.
func TestOrderOfSyncs(t *testing.T) {
	tr := newTree(t, corpus(30)).settled()
	ix := open(t, llmtest.Hash(16))
	for round, want := range []string{
		"file:vec file:base file:tail file:manifest dir:store dir:lex dir:vec dir:tmp rename:gen dir:. file:CURRENT.tmp rename:CURRENT dir:.",
		"file:vec file:tail file:manifest dir:store dir:lex dir:vec dir:tmp rename:gen dir:. file:CURRENT.tmp rename:CURRENT dir:.",
	} {
		var got []string
		ix.disk.trace = func(op, path string) {
			name := filepath.Base(path)
			switch {
			case path == ix.o.Dir:
				name = "."
			case strings.HasPrefix(name, genPrefix):
				name = "gen"
			case strings.HasPrefix(name, tmpPrefix):
				name = "tmp"
			case strings.HasSuffix(name, ".vec"):
				name = "vec"
			}
			got = append(got, op+":"+name)
		}
		tr.write(t, "new.md", fmt.Sprintf("round %d\n", round))
		syncIn(t, ix, tr)
		if s := strings.Join(got, " "); s != want {
			t.Errorf("round %d:\n%s, want\n%s", round, s, want)
		}
	}
}
