package dream

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"brain/inbox"
	"brain/index"
	"brain/llm"
	"brain/memory"
	"brain/page"
	"brain/retrieve"
	"brain/store"
)

// world is a brain with an index, and a clock.
type world struct {
	t     testing.TB
	root  store.Root
	dir   string // of the brain
	st    *store.Store
	box   *inbox.Box
	ix    *index.Index
	embed llm.Embedder
	clock time.Time
}

var march = time.Date(2026, 3, 2, 3, 0, 0, 0, time.UTC)

func newWorld(t testing.TB) *world {
	t.Helper()
	rep, err := store.Init(t.TempDir(), store.InitOptions{Brain: "test", Now: march.AddDate(0, 0, -1)})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: rep.Root, dir: rep.Dir, clock: march}
	if w.st, err = store.Open(rep.Root, "test"); err != nil {
		t.Fatal(err)
	}
	if w.box, err = inbox.Open(w.dir); err != nil {
		t.Fatal(err)
	}
	w.box.Now = w.now
	w.st.Renew = memory.Renew(w.now)
	if w.embed, err = llm.Static(); err != nil {
		t.Fatal(err)
	}
	if w.ix, err = index.Open(index.Options{Dir: filepath.Join(rep.Root.StateDir(), "index", "test"), Embedder: w.embed}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.ix.Close(); w.box.Close(); w.st.Close() })
	return w
}

func (w *world) now() time.Time { return w.clock }

// cycle is a Dream of the world that asks a model, or rules for nil.
func (w *world) cycle(model llm.Completer) *Cycle {
	state, err := FolderOf(w.root, "test")
	if err != nil {
		w.t.Fatal(err)
	}
	return &Cycle{
		Store: w.st, Box: w.box, Index: w.ix, Embedder: w.embed, Completer: model, Now: w.now,
		Searcher: &retrieve.Searcher{Brain: "test", Index: w.ix, Source: w.st, Embedder: w.embed},
		Facts:    &memory.Facts{Store: w.st, Now: w.now},
		State:    state,
	}
}

// dream runs stages, all for none, the next night, and wants no error.
func (w *world) dream(c *Cycle, stages ...string) *Report {
	w.t.Helper()
	w.clock = w.clock.AddDate(0, 0, 1)
	c.Options.Stages = stages
	r, err := c.Run(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// stage is what a report says of one.
func stage(t testing.TB, r *Report, name string) *StageReport {
	t.Helper()
	for i := range r.Stages {
		if r.Stages[i].Stage == name {
			return &r.Stages[i]
		}
	}
	t.Fatalf("no stage %s in %v", name, r.Stages)
	return nil
}

// write is what a person's editor does.
func (w *world) write(path, text string) {
	w.t.Helper()
	name := filepath.Join(w.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(path string) string {
	w.t.Helper()
	raw, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(path)))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(raw)
}

// page is a page as it is on disk.
func (w *world) page(path string) *page.Page {
	return page.Parse(page.Path(path), []byte(w.read(path)))
}

// tree is a hash of every file below the brain, with its path; what is in flight aside.
func (w *world) tree() string {
	w.t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(w.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() == ".txn" {
			if err == nil {
				err = filepath.SkipDir
			}
			return err
		}
		if e.IsDir() {
			return nil
		}
		raw, err := os.ReadFile(path)
		fmt.Fprintf(h, "%s %d %s\n", path, len(raw), raw)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// model is a completer that says what a function says.
type model struct {
	mu    sync.Mutex
	calls int
	say   func(call int, r llm.Request) (string, error) // call counts from 1
}

func (m *model) Complete(_ context.Context, r llm.Request) (llm.Completion, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	answer, err := m.say(m.calls, r)
	if err != nil {
		return llm.Completion{In: 100}, err
	}
	return llm.Completion{Text: answer, In: 100, Out: 10}, nil
}

func (m *model) Info() llm.CompleterInfo {
	return llm.CompleterInfo{Provider: "scripted", Model: "test"}
}

// always says the same to every question.
func always(answer string) *model {
	return &model{say: func(int, llm.Request) (string, error) { return answer, nil }}
}

// fails is a server that fails so.
func fails(class llm.Class) *model {
	return &model{say: func(int, llm.Request) (string, error) {
		return "", &llm.Error{Op: "complete", Class: class, Model: "test"}
	}}
}

func mustJSON(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// lines joins the lines of a page.
func lines(all ...string) string { return strings.Join(all, "\n") + "\n" }
