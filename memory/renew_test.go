package memory

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"brain/page"
	"brain/store"
)

// emptyMemory is memory.json after one fact, as DeerMem writes it.
const emptyMemory = `{
  "version": "2.0",
  "revision": 1,
  "lastUpdated": "2026-11-29T17:56:24.877586Z",
  "user": {
    "workContext": {
      "summary": "",
      "updatedAt": ""
    },
    "personalContext": {
      "summary": "",
      "updatedAt": ""
    },
    "topOfMind": {
      "summary": "",
      "updatedAt": ""
    }
  },
  "history": {
    "recentMonths": {
      "summary": "",
      "updatedAt": ""
    },
    "earlierContext": {
      "summary": "",
      "updatedAt": ""
    },
    "longTermBackground": {
      "summary": "",
      "updatedAt": ""
    }
  }
}`

// MS04, MS05, deermem 2
func TestTheFirstFactMakesMemoryJSON(t *testing.T) {
	h := newHome(t)
	h.fact(t, "fact_a")
	if got := h.file(t, "memory.json"); got != emptyMemory {
		t.Errorf("%s", got)
	}
	h.fact(t, "fact_b")
	want := strings.Replace(strings.Replace(emptyMemory, `"revision": 1`, `"revision": 2`, 1), "24.877586Z", "25.877586Z", 1)
	if got := h.file(t, "memory.json"); got != want {
		t.Errorf("%s", got)
	}
}

func TestAPageThatIsNoFactRenewsNothing(t *testing.T) {
	h := newHome(t)
	for _, p := range []page.Path{"note.md", "agents/lead/note.md", "facts/aa/x.md", "agents/lead/other/facts/x.md"} {
		h.update(t, func(tx *store.Tx) error { return tx.Add(p, []byte("text")) })
	}
	if got := h.file(t, "memory.json"); got != "" {
		t.Errorf("%s", got)
	}
}

func TestAnUndoLeavesWhatWasPutAside(t *testing.T) {
	h := newHome(t, "memory.json", "broken")
	job := h.fact(t, "fact_a")
	if _, _, err := h.Undo(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	if aside := h.aside(t); len(aside) != 1 || h.file(t, aside[0]) != "broken" {
		t.Errorf("aside %q", aside)
	}
	h.put(t, "memory.json", "broken again")
	h.n = 0 // a clock that was set back to the same moment
	h.fact(t, "fact_b")
	if aside := h.aside(t); len(aside) != 2 || h.file(t, aside[1]) != "broken again" {
		t.Errorf("aside %q", aside)
	}
}

func TestTheFormOfBeforeIsLeftAlone(t *testing.T) {
	for _, old := range []string{
		`{"version":"1.0","user":{},"facts":[{"id":"x"}]}`, `{"version":"2.0","revision":5,"facts":[]}`, `{"revision":5}`, `{"version":2}`,
	} {
		h := newHome(t, "memory.json", old)
		h.fact(t, "fact_a")
		err := h.Update(t.Context(), "test", func(tx *store.Tx) error {
			return patch(tx, SummaryPatch{"user": {"topOfMind": "x"}}, h.now())
		})
		if got := h.file(t, "memory.json"); got != old || !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s became %s, %v", old, got, err)
		}
	}
}

func TestTheRevisionGoesOnFromTheOldForm(t *testing.T) {
	h := newHome(t, "memory.json", `{"version":"1.0","revision":5,"facts":[]}`)
	h.update(t, func(tx *store.Tx) error {
		raw, err := tx.ReadOwn(store.Summaries)
		if err != nil {
			return err
		}
		return tx.WriteOwn(store.Summaries, store.HashOf(raw), newManifest().bytes())
	})
	if h.revision(t) != 6 {
		t.Errorf("%s", h.file(t, "memory.json"))
	}
}

func TestTheRevisionIsReadAsItIsMeant(t *testing.T) {
	for raw, want := range map[string]int{
		`{"revision": 7}`: 7, `{"revision": " 7 "}`: 7, `{"revision": 7.9}`: 7, `{"revision": 7e2}`: 700, `{"revision": -7}`: 0, `{"revision": "7.5"}`: 0,
		`{"revision": true}`: 0, `{"revision": null}`: 0, `{}`: 0, `{"revision": 1e400}`: 0, `{"revision": 99999999999999999999}`: 1 << 53,
		`{"revision": 7, "revision": 9}`: 9, `{"revision": 12, "cut`: 12, `"revision": "12"`: 12, `{"revision": 12345678901234567890, "cut`: 0,
		"x": 0,
	} {
		if got := manifestRevision([]byte(raw)); got != want {
			t.Errorf("%s: %d, want %d", raw, got, want)
		}
	}
	if got := manifestRevision(nil); got != 0 {
		t.Errorf("no file: %d", got)
	}
	h := newHome(t, "memory.json", `{"version": "2.0", "revision": 99999999999999999999}`)
	h.fact(t, "fact_a")
	if h.revision(t) != 1<<53 {
		t.Errorf("beyond what can be counted: %s", h.file(t, "memory.json"))
	}
}

// deermem 4: the revision is that of the whole memory, and an update counts once.
func TestTheRevisionGrowsByOneWithEachUpdate(t *testing.T) {
	h := newHome(t)
	job := ""
	for i, step := range []func(){
		func() { job = h.fact(t, "fact_a") },
		func() { h.patch(t, SummaryPatch{"user": {"topOfMind": "x"}}) },
		func() { // both at once, and asked for twice
			h.update(t, func(tx *store.Tx) error {
				err := patch(tx, SummaryPatch{"user": {"topOfMind": "y"}}, h.now())
				return errors.Join(err, tx.Add("agents/lead/facts/aa/x.md", []byte("x")), Renew(h.now)(tx), tx.Add("agents/lead/facts/aa/y.md", []byte("y")))
			})
		},
		func() { // a fact that goes, and one that moves
			if _, err := h.MovePage(t.Context(), page.Move{From: "agents/lead/facts/aa/x.md", To: "agents/lead/facts/aa/z.md"}, nil); err != nil {
				t.Fatal(err)
			}
		},
		func() {
			if _, _, err := h.Undo(t.Context(), job); err != nil {
				t.Fatal(err)
			}
		},
	} {
		step()
		if got := h.revision(t); got != i+1 {
			t.Fatalf("step %d: revision %d", i, got)
		}
	}
}

func TestUndoOfASummaryPutsTheTextBackAndTheRevisionOn(t *testing.T) {
	h := newHome(t)
	first := h.patch(t, SummaryPatch{"user": {"topOfMind": "first"}})
	second := h.patch(t, SummaryPatch{"user": {"topOfMind": "second"}})
	h.fact(t, "fact_a")
	undo := func(job, want string, revision int) {
		t.Helper()
		if _, _, err := h.Undo(t.Context(), job); err != nil {
			t.Fatal(err)
		}
		s, err := readSummaries([]byte(h.file(t, "memory.json")))
		if err != nil || s.Get(SummaryName{"user", "topOfMind"}).Text != want || s.Revision != revision {
			t.Errorf("%+v, %v; want %q at %d", s, err, want, revision)
		}
	}
	undo(second, "first", 4)
	h.fact(t, "fact_b")
	undo(first, "", 6) // there was no file before
	jobs, err := h.Jobs(1)
	if err != nil {
		t.Fatal(err)
	}
	undo(jobs[0].ID, "first", 7)
}

// A summary that another changed since is not undone over its head.
func TestUndoOfASummaryThatWasChangedSinceConflicts(t *testing.T) {
	h := newHome(t)
	job := h.patch(t, SummaryPatch{"user": {"topOfMind": "first"}})
	h.patch(t, SummaryPatch{"user": {"workContext": "Go."}})
	if _, _, err := h.Undo(t.Context(), job); !errors.Is(err, store.ErrConflict) {
		t.Error(err)
	}
}

func TestUndoOfAFactLeavesTheSummariesThatMovedOn(t *testing.T) {
	h := newHome(t)
	job := h.fact(t, "fact_a")
	h.patch(t, SummaryPatch{"user": {"topOfMind": "later"}})
	if _, _, err := h.Undo(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	s, err := readSummaries([]byte(h.file(t, "memory.json")))
	if err != nil || s.Get(SummaryName{"user", "topOfMind"}).Text != "later" || s.Revision != 3 {
		t.Errorf("%+v, %v", s, err)
	}
}

// deermem 8: two processes that change different summaries at once both have their way.
func TestProcessesThatChangeDifferentSummariesLoseNothing(t *testing.T) {
	const each = 25
	if key := os.Getenv("MEMORY_TEST_SUMMARY"); key != "" {
		changeSummary(t, os.Getenv("MEMORY_TEST_ROOT"), key, each)
		return
	}
	h := newHome(t)
	keys := []string{"workContext", "topOfMind"}
	var all []*exec.Cmd
	for _, key := range keys {
		cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), "MEMORY_TEST_SUMMARY="+key, "MEMORY_TEST_ROOT="+filepath.Dir(filepath.Dir(h.Dir())))
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, cmd.Stdout)
		}
	}
	s, err := readSummaries([]byte(h.file(t, "memory.json")))
	if err != nil || s.Revision != len(keys)*each {
		t.Fatalf("%+v, %v", s, err)
	}
	for _, key := range keys {
		if got, want := s.Sections["user"][key].Text, fmt.Sprint(key, " ", each); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}

func changeSummary(t *testing.T, dir, key string, times int) {
	root, err := store.At(dir)
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(root, "default")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	st.Renew = Renew(time.Now)
	for i := range times {
		err := st.Update(t.Context(), "summary set", func(tx *store.Tx) error {
			return patch(tx, SummaryPatch{"user": {key: fmt.Sprint(key, " ", i+1)}}, time.Now())
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
