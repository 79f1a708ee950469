package memory

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"brain/store"
)

// world is a brain with facts.
type world struct {
	*Facts
	t   testing.TB
	dir string // of the brain
}

func newWorld(t testing.TB) *world {
	t.Helper()
	rep, err := store.Init(t.TempDir(), store.InitOptions{Brain: "default"})
	if err != nil {
		t.Fatal(err)
	}
	return openWorld(t, rep.Root.Dir)
}

// openWorld opens a brain as another process would.
func openWorld(t testing.TB, root string) *world {
	t.Helper()
	r, err := store.At(root)
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(r, "default")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	st.OnNote = func(line string) { t.Log(line) }
	clock := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	m := &Facts{Store: st, Rules: DefaultRules(), Usage: filepath.Join(r.StateDir(), "usage", "default"), Now: func() time.Time { return clock }}
	st.Renew = Renew(m.now)
	return &world{Facts: m, t: t, dir: st.Dir()}
}

// at sets the clock to a number of days after the first.
func (w *world) at(days float64) {
	clock := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC).Add(time.Duration(days * 24 * float64(time.Hour)))
	w.Now = func() time.Time { return clock }
}

func (w *world) add(agent, content string, confidence float64) string {
	w.t.Helper()
	d, err := w.Add(context.Background(), agent, Fact{Content: content, Confidence: confidence, Category: "preference"})
	if err != nil {
		w.t.Fatal(err)
	}
	if len(d.Upserted) != 1 {
		w.t.Fatalf("add %q: %+v", content, d)
	}
	return d.Upserted[0].ID
}

func (w *world) list(agent string) *Listing {
	w.t.Helper()
	l, err := w.List(context.Background(), agent)
	if err != nil {
		w.t.Fatal(err)
	}
	return l
}

// file is where a fact of an agent lies on disk.
func (w *world) file(agent, id string) string {
	w.t.Helper()
	p, err := FactPath(agent, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return filepath.Join(w.dir, filepath.FromSlash(string(p)))
}

func (w *world) read(name string) string {
	w.t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(raw)
}

// files are those of all facts.
func (w *world) files() (out []string) {
	w.t.Helper()
	l, err := w.Store.ListIn(context.Background(), "agents")
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range l.Files {
		out = append(out, filepath.Join(w.dir, filepath.FromSlash(string(f.Path))))
	}
	return out
}

// plant puts a file past the store.
func (w *world) plant(name string, raw []byte) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(name, raw, 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// edit changes a file by hand.
func (w *world) edit(name, old, new string) {
	w.t.Helper()
	raw := []byte(w.read(name))
	if !bytes.Contains(raw, []byte(old)) {
		w.t.Fatalf("%s has no %q:\n%s", name, old, raw)
	}
	if err := os.WriteFile(name, bytes.Replace(raw, []byte(old), []byte(new), 1), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// tree is every file of the brain with its content, but for the folder of writes.
func (w *world) tree() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(w.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".txn" {
				return fs.SkipDir
			}
			return err
		}
		rel, _ := filepath.Rel(w.dir, name)
		all[rel] = w.read(name)
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

func contents(facts []Fact) (out []string) {
	for _, f := range facts {
		out = append(out, f.Content)
	}
	return out
}

func ptr[T any](v T) *T { return &v }
