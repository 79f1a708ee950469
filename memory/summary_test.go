package memory

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"brain/page"
	"brain/store"
)

// summaryDay is when the clock of these tests begins; each look at it is a second later.
var summaryDay = time.Date(2026, 11, 29, 17, 56, 24, 877586000, time.UTC)

// home is a brain whose updates renew memory.json.
type home struct {
	*store.Store
	notes []string
	n     int
}

func newHome(t testing.TB, files ...string) *home {
	t.Helper()
	rep, err := store.Init(t.TempDir(), store.InitOptions{Brain: "default"})
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(rep.Root, "default")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	h := &home{Store: st}
	st.Renew = Renew(h.now)
	st.OnNote = func(line string) { h.notes = append(h.notes, line) }
	for i := 0; i+1 < len(files); i += 2 {
		h.put(t, files[i], files[i+1])
	}
	return h
}

func (h *home) now() time.Time {
	h.n++
	return summaryDay.Add(time.Duration(h.n-1) * time.Second)
}

func (h *home) put(t testing.TB, name, content string) {
	t.Helper()
	name = filepath.Join(h.Dir(), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// file is a file's content, "" without it.
func (h *home) file(t testing.TB, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(h.Dir(), filepath.FromSlash(name)))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(raw)
}

// update is one update; its job is returned.
func (h *home) update(t testing.TB, fn func(*store.Tx) error) string {
	t.Helper()
	job := ""
	err := h.Update(context.Background(), "test", func(tx *store.Tx) error {
		job = tx.Job()
		return fn(tx)
	})
	if err != nil {
		t.Fatal(err)
	}
	return job
}

func (h *home) patch(t testing.TB, p SummaryPatch) string {
	t.Helper()
	return h.update(t, func(tx *store.Tx) error {
		_, err := patchSummaries(tx, p, h.now())
		return err
	})
}

func (h *home) fact(t testing.TB, id string) string {
	t.Helper()
	f := likes(id)
	raw, err := FormatFact(f)
	if err != nil {
		t.Fatal(err)
	}
	p, err := FactPath("", id)
	if err != nil {
		t.Fatal(err)
	}
	return h.update(t, func(tx *store.Tx) error { return tx.Add(p, raw) })
}

func likes(id string) Fact {
	return Fact{ID: id, Content: "Likes " + id, Created: summaryDay}
}

func (h *home) revision(t testing.TB) int {
	t.Helper()
	return manifestRevision([]byte(h.file(t, "memory.json")))
}

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

// MS04, MS05, deermem 2: what an agent keeps changes revision and date alone.
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
