package compile_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"brain/compile"
	"brain/inbox"
	"brain/index"
	"brain/llm"
	"brain/memory"
	"brain/page"
	"brain/retrieve"
	"brain/store"
)

// world is a brain with an index, its sessions, and a clock.
type world struct {
	t     testing.TB
	root  string
	dir   string
	st    *store.Store
	box   *inbox.Box
	ix    *index.Index
	embed llm.Embedder
	clock time.Time
}

var march = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func newWorld(t testing.TB) *world {
	t.Helper()
	root := t.TempDir()
	rep, err := store.Init(root, store.InitOptions{Brain: "test", Now: march})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: root, dir: rep.Dir, clock: march.Add(time.Hour)}
	w.open(rep.Root)
	return w
}

func (w *world) open(root store.Root) {
	w.t.Helper()
	var err error
	if w.st, err = store.Open(root, "test"); err != nil {
		w.t.Fatal(err)
	}
	if w.box, err = inbox.Open(w.dir); err != nil {
		w.t.Fatal(err)
	}
	w.box.Now = w.now
	w.st.Renew = memory.Renew(w.now)
	if w.embed, err = llm.Static(); err != nil {
		w.t.Fatal(err)
	}
	if w.ix, err = index.Open(index.Options{Dir: filepath.Join(root.StateDir(), "index", "test"), Embedder: w.embed}); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { w.ix.Close(); w.box.Close(); w.st.Close() })
}

func (w *world) now() time.Time { return w.clock }

// pass is a pass over the world that asks a model, or rules for nil.
func (w *world) pass(model llm.Completer) *compile.Pass {
	return &compile.Pass{
		Store: w.st, Box: w.box, Index: w.ix, Completer: model, Now: w.now,
		Searcher: &retrieve.Searcher{Brain: "test", Index: w.ix, Source: w.st, Embedder: w.embed},
	}
}

// say adds a session. Each line is "who: what"; a turn comes a minute after the one
// before it.
func (w *world) say(id string, lines ...string) {
	w.t.Helper()
	w.sayAs("", id, lines...)
}

func (w *world) sayAs(agent, id string, lines ...string) {
	w.t.Helper()
	s := inbox.Session{ID: id, Agent: agent, At: march}
	for i, l := range lines {
		who, what, _ := strings.Cut(l, ": ")
		s.Turns = append(s.Turns, page.Turn{Role: who, Text: what, At: march.Add(time.Duration(i) * time.Minute)})
	}
	if _, err := w.box.Add(context.Background(), s); err != nil {
		w.t.Fatal(err)
	}
}

// compile compiles all that waits, and gives a report for each item.
func (w *world) compile(c *compile.Pass) (reports []*compile.Report, errs []error) {
	w.t.Helper()
	items, _, err := w.box.Queue(context.Background(), inbox.QueueOptions{All: true})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, it := range items {
		r, err := c.Session(context.Background(), it)
		reports, errs = append(reports, r), append(errs, err)
	}
	return reports, errs
}

// mustCompile is compile of one item that succeeds.
func (w *world) mustCompile(c *compile.Pass) *compile.Report {
	w.t.Helper()
	reports, errs := w.compile(c)
	if len(reports) != 1 || errs[0] != nil {
		w.t.Fatalf("%d items, errors %v; want one, without", len(reports), errs)
	}
	return reports[0]
}

// mustCompileOne compiles what waits of one session.
func (w *world) mustCompileOne(c *compile.Pass, session string) *compile.Report {
	w.t.Helper()
	items, _, err := w.box.Queue(context.Background(), inbox.QueueOptions{All: true, Session: session})
	if err != nil || len(items) != 1 {
		w.t.Fatalf("%d items, %v; want one", len(items), err)
	}
	r, err := c.Session(context.Background(), items[0])
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *world) state(id string) inbox.Meta {
	w.t.Helper()
	m, err := w.box.Meta(context.Background(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

// pages are the files of the brain that are no sessions, by path.
func (w *world) pages() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	l, err := w.st.List(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range l.Files {
		if f.Path.IsSession() {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(w.dir, string(f.Path)))
		if err != nil {
			w.t.Fatal(err)
		}
		all[string(f.Path)] = string(raw)
	}
	return all
}

// reply is a model's answer in the form that is asked for.
func reply(items, facts, removals string) string {
	all := "{" + `"items":[` + items + `],"newFacts":[` + facts + `],"factsToRemove":[` + removals + `]}`
	if !json.Valid([]byte(all)) {
		panic("a test's reply is no JSON: " + all)
	}
	return all
}

func reasons(r *compile.Report) (out []compile.Reason) {
	for _, d := range r.Dropped {
		out = append(out, d.Reason)
	}
	return out
}
