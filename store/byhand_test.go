package store

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hands are other programs that ignore the lock.
var hands = map[string]func(name string) error{
	"in place": func(name string) error {
		return errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte("BY HAND"), 0o644))
	},
	"temp and rename": func(name string) error {
		temp := filepath.Join(filepath.Dir(name), "x.tmp")
		return errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(temp, []byte("BY HAND"), 0o644), os.Rename(temp, name))
	},
}

// byHandIsSafe checks that an edit is in the tree (what is renewed has it with more),
// or kept where undo keeps what was replaced, and that everything else is all old or
// all new.
func byHandIsSafe(t *testing.T, root, target string, old, new map[string]string) {
	t.Helper()
	dir := filepath.Join(root, "brains", "default")
	got := filesOf(t, dir)
	others := func(all map[string]string) map[string]string {
		all = maps.Clone(all)
		delete(all, target)
		return all
	}
	if rest := others(got); !maps.Equal(rest, others(old)) && !maps.Equal(rest, others(new)) {
		t.Fatalf("the other files: %q", rest)
	}
	if !strings.Contains(got[target], "BY HAND") && !slices.Contains(kept(t, root), "BY HAND") {
		t.Fatalf("the edit of %s is lost: %q, kept %q", target, got, kept(t, root))
	}
	entries, err := os.ReadDir(filepath.Join(dir, txnDir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if isLeft(e.Name()) || e.Name() == "HOLDER" {
			t.Fatalf(".txn holds %s", e.Name())
		}
	}
}

// kept are the bytes in the undo store, and those set aside.
func kept(t *testing.T, root string) []string {
	t.Helper()
	var all []string
	images, _ := filepath.Glob(filepath.Join(root, stateDir, undoDir, "default", "*", "*"))
	aside, _ := filepath.Glob(filepath.Join(root, "brains", "default", txnDir, "kept-*"))
	for _, name := range append(images, aside...) {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(raw))
	}
	return all
}

// A program that ignores the lock writes at each step of an update, of one that
// fails at its end, and of a recovery.
func TestAnEditByHandAtAnyStepIsNeverLost(t *testing.T) {
	forEach(t, func(t *testing.T, j journey, link bool) {
		new := j.after(t)
		tried := 0
		for _, target := range j.names(new) {
			for how, hand := range hands {
				for _, failOn := range []string{"", "rename " + journalName} {
					tried += editAtEachStep(t, j, link, new, target, failOn, how, hand)
				}
			}
		}
		t.Logf("%d edits", tried)
	})
}

func editAtEachStep(t *testing.T, j journey, link bool, new map[string]string, target, failOn, how string, hand func(string) error) int {
	t.Helper()
	for at := 1; ; at++ {
		root, dir, old := j.stage(t)
		f := &fault{at: at, link: link, failOn: failOn}
		f.do = func() {
			if err := hand(filepath.Join(dir, target)); err != nil {
				t.Fatal(err)
			}
		}
		st := reopen(t, root, f)
		err := st.Update(context.Background(), "test", j.fn)
		st.Close()
		if !f.came() {
			return at
		}
		if err != nil && !errors.Is(err, ErrConflict) && !errors.Is(err, ErrExists) && !errors.Is(err, errInjected) {
			t.Errorf("error %v", err)
		}
		st = reopen(t, root, nil)
		if err := st.Recover(); err != nil {
			t.Error(err)
		}
		st.Close()
		byHandIsSafe(t, root, target, old, new)
		if t.Failed() {
			t.Fatalf("%s %s at step %d of %q, failing on %q", how, target, at, f.trace, failOn)
		}
	}
}

func TestAnEditByHandDuringRecoveryIsNeverLost(t *testing.T) {
	forEach(t, func(t *testing.T, j journey, link bool) {
		new := j.after(t)
		targets := j.names(new)
		tried := 0
		for died := 1; ; died++ {
			root, _, old := j.stage(t)
			f := &fault{at: died, dies: true, link: link}
			st := reopen(t, root, f)
			_ = st.Update(context.Background(), "test", j.fn)
			st.Close()
			if !f.came() {
				break
			}
			for at := 1; ; at++ {
				target := targets[(died+at)%len(targets)]
				hand := hands["in place"]
				if (died+at/len(targets))%2 == 0 {
					hand = hands["temp and rename"]
				}
				second := copyRoot(t, root)
				g := &fault{at: at, link: link}
				g.do = func() {
					if err := hand(filepath.Join(second, "brains", "default", target)); err != nil {
						t.Fatal(err)
					}
				}
				st := reopen(t, second, g)
				if err := st.Recover(); err != nil {
					t.Error(err)
				}
				st.Close()
				if !g.came() {
					break
				}
				tried++
				byHandIsSafe(t, second, target, old, new)
				if t.Failed() {
					t.Fatalf("died at %d of %q, %s edited at %d of %q", died, f.trace, target, at, g.trace)
				}
			}
		}
		t.Logf("%d edits", tried)
	})
}
