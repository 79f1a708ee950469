//go:build unix

package store

import (
	"context"
	"maps"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
)

// atStepRole does a journey and kills itself before a step, as kill -9 does:
// nothing deferred, nothing unlocked.
func atStepRole(root string) error {
	at, err := strconv.Atoi(os.Getenv("STORE_TEST_AT"))
	if err != nil {
		return err
	}
	st, err := openDefault(root)
	if err != nil {
		return err
	}
	n := 0
	st.steps = func(string, string) error {
		if n++; n == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	}
	i := slices.IndexFunc(journeys(), func(j journey) bool { return j.name == os.Getenv("STORE_TEST_JOURNEY") })
	if i < 0 {
		return st.Recover()
	}
	return st.Update(context.Background(), "test", journeys()[i].fn)
}

// A process is killed before each of its steps, and the one that recovers after
// it too, before one of its own.
func TestKillAtEachStepLeavesAllOrNothing(t *testing.T) {
	kills := 0
	for _, j := range journeys() {
		new := j.after(t)
		for at := 1; ; at++ {
			root, _, old := j.stage(t)
			cmd := as(t, "at-step", root, "STORE_TEST_AT="+strconv.Itoa(at), "STORE_TEST_JOURNEY="+j.name)
			err := cmd.Run()
			if err == nil {
				break
			}
			if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !ws.Signaled() {
				t.Fatalf("%s at step %d: %v", j.name, at, err)
			}
			kills++
			if as(t, "at-step", root, "STORE_TEST_AT="+strconv.Itoa(1+at%9)).Run() != nil {
				kills++
			}
			st := reopen(t, root, nil)
			if err := st.Recover(); err != nil {
				t.Fatal(err)
			}
			st.Close()
			settled(t, root, old, maps.Clone(new), j)
			if t.Failed() {
				t.Fatalf("%s, killed at step %d", j.name, at)
			}
		}
	}
	t.Logf("%d kills", kills)
}
