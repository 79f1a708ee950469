package retrieve

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"brain/index"
	"brain/llm"
	"brain/page"
	"brain/store"
)

// clock is the day of every question here, so that no score depends on today.
var clock = time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)

// static is the embedder that a brain has when nothing is configured.
var static = sync.OnceValue(func() llm.Embedder {
	e, err := llm.Static()
	if err != nil {
		panic(err)
	}
	return e
})

// brain is a real brain in a folder of the test, with its index.
type brain struct {
	t       testing.TB
	dir     string // of the pages
	st      *store.Store
	ix      *index.Index
	sr      *Searcher
	options index.Options
}

// newBrain makes a brain of the given pages (path → content), indexed with
// the built-in embedder.
func newBrain(t testing.TB, pages map[string]string) *brain {
	t.Helper()
	return newBrainWith(t, pages, index.Options{Embedder: static()})
}

// wordsOnly makes a brain without an embedder.
func wordsOnly(t testing.TB, pages map[string]string) *brain {
	t.Helper()
	return newBrainWith(t, pages, index.Options{})
}

func newBrainWith(t testing.TB, pages map[string]string, o index.Options) *brain {
	t.Helper()
	root := t.TempDir()
	if _, err := store.Init(root, store.InitOptions{Brain: "test"}); err != nil {
		t.Fatal(err)
	}
	b := &brain{t: t, dir: filepath.Join(root, "brains", "test"), options: o}
	for path, content := range pages {
		b.write(path, content)
	}
	b.open(root, "test")
	b.sync()
	return b
}

// demo opens the brain of the repository with an index of the test's own.
func demo(t testing.TB, o index.Options) *brain {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	b := &brain{t: t, dir: filepath.Join(root, "brains", "demo"), options: o}
	b.open(root, "demo")
	b.sync()
	return b
}

// theDemo is the demo with the built-in embedder, indexed once for all tests
// that only read it.
func theDemo(t *testing.T) *brain {
	t.Helper()
	sharedDemo.Do(func() {
		dir, err := os.MkdirTemp("", "retrieve-demo-")
		if err != nil {
			t.Fatal(err)
		}
		demoDir = dir
		b := demo(forever{t}, index.Options{Dir: dir, Embedder: static()})
		demoBrain = b
	})
	if demoBrain == nil {
		t.Fatal("the demo could not be indexed")
	}
	b := *demoBrain
	b.t = t
	return &b
}

var (
	sharedDemo sync.Once
	demoBrain  *brain
	demoDir    string
)

// forever is a test whose cleanups wait for the end of the process.
type forever struct{ testing.TB }

func (forever) Cleanup(func()) {}

func TestMain(m *testing.M) {
	code := m.Run()
	if demoDir != "" {
		if err := os.RemoveAll(demoDir); err != nil {
			println(err.Error())
			code = cmp.Or(code, 1)
		}
	}
	os.Exit(code)
}

func (b *brain) open(root, name string) {
	b.t.Helper()
	r, err := store.At(root)
	if err != nil {
		b.t.Fatal(err)
	}
	if b.st, err = store.Open(r, name); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { b.check(b.st.Close()) })
	if b.options.Dir == "" {
		b.options.Dir = b.t.TempDir()
	}
	if b.ix, err = index.Open(b.options); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { b.check(b.ix.Close()) })
	b.sr = &Searcher{Brain: name, Index: b.ix, Source: b.st, Embedder: b.options.Embedder}
}

func (b *brain) check(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Error(err)
	}
}

func (b *brain) sync() {
	b.t.Helper()
	if _, err := b.ix.Sync(b.t.Context(), b.st, index.SyncOptions{Pending: true}); err != nil {
		b.t.Fatal(err)
	}
}

func (b *brain) write(path, content string) {
	b.t.Helper()
	file := filepath.Join(b.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *brain) remove(path string) {
	b.t.Helper()
	b.check(os.Remove(filepath.Join(b.dir, filepath.FromSlash(path))))
}

// view gives the current state until the end of the test.
func (b *brain) view() *index.View {
	b.t.Helper()
	v, err := b.ix.View()
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { b.check(v.Release()) })
	return v
}

// search answers from the current state of the index.
func (b *brain) search(q Query) *Answer {
	b.t.Helper()
	v, err := b.ix.View()
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { b.check(v.Release()) }()
	if q.Now.IsZero() {
		q.Now = clock
	}
	a, err := b.sr.Search(context.Background(), v, q)
	if err != nil {
		b.t.Fatal(err)
	}
	return a
}

// words asks the lexical arm alone, ask all arms.
func (b *brain) words(text string) *Answer {
	b.t.Helper()
	return b.search(Query{Text: text, Arms: []string{Lexical}})
}

func (b *brain) ask(text string) *Answer { b.t.Helper(); return b.search(Query{Text: text}) }

func (b *brain) why(q Query, path string) string { b.t.Helper(); return b.whyOf(q, path).Why }

func (b *brain) whyOf(q Query, path string) *Why {
	b.t.Helper()
	q.Now = clock
	w, err := b.sr.Why(b.t.Context(), b.view(), q, page.Path(path))
	if err != nil {
		b.t.Fatal(err)
	}
	return w
}

func paths(a *Answer) []string {
	out := []string{}
	for _, h := range a.Hits {
		out = append(out, h.Path)
	}
	return out
}

// hit gives the hit of a path, nil when it is not in the answer.
func hit(a *Answer, path string) *Hit {
	for i := range a.Hits {
		if a.Hits[i].Path == path {
			return &a.Hits[i]
		}
	}
	return nil
}

func signal(h *Hit, name string) *Signal {
	for i := range h.Signals {
		if h.Signals[i].Name == name {
			return &h.Signals[i]
		}
	}
	return nil
}

// wantFirst demands the first hits, in any order among them.
func wantFirst(t testing.TB, a *Answer, want ...string) {
	t.Helper()
	got := paths(a)
	got = slices.Sorted(slices.Values(got[:min(len(want), len(got))]))
	if w := slices.Sorted(slices.Values(want)); !slices.Equal(got, w) {
		t.Errorf("%q: first hits\n got %q\nwant %q", a.Query, got, w)
	}
}

// wantNone demands an empty answer that says why.
func wantNone(t testing.TB, a *Answer) {
	t.Helper()
	if len(a.Hits) > 0 || a.Note == "" || !a.Weak {
		t.Errorf("%q: found %q, note %q, weak %v; want nothing, and a note", a.Query, paths(a), a.Note, a.Weak)
	}
}

// wantNothingSure demands what an agent takes for "not known": no hit, or weak.
func wantNothingSure(t testing.TB, a *Answer) {
	t.Helper()
	if len(a.Hits) > 0 && !a.Weak {
		t.Errorf("%q: found %q and is sure of it", a.Query, paths(a))
	}
}

func wantPaths(t testing.TB, a *Answer, want ...string) {
	t.Helper()
	if got := paths(a); !slices.Equal(got, want) {
		t.Errorf("%q:\n got %q\nwant %q", a.Query, got, want)
	}
}

// filler makes n pages of n different words, so that other words are rare.
func filler(pages map[string]string, n int, each func(i int) string) map[string]string {
	for i := range n {
		pages["filler/"+strings.Repeat("f", i%7+1)+time.Duration(i).String()+".md"] = each(i)
	}
	return pages
}
