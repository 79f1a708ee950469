//go:build unix

package index

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"brain/llm"
	"brain/llm/llmtest"
)

// faulty changes what an embedder says.
type faulty struct {
	llm.Embedder
	info  func(*llm.Info)
	embed func(texts []string, vecs [][]float32) error
}

func (f *faulty) Info() llm.Info {
	i := f.Embedder.Info()
	if f.info != nil {
		f.info(&i)
	}
	return i
}

func (f *faulty) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vecs, err := f.Embedder.Embed(ctx, texts)
	if f.embed != nil && err == nil {
		err = f.embed(texts, vecs)
	}
	return vecs, err
}

func named(e llm.Embedder, fingerprint string) llm.Embedder {
	return &faulty{Embedder: e, info: func(i *llm.Info) { i.Fingerprint = fingerprint }}
}

func remote(e llm.Embedder) llm.Embedder {
	return &faulty{Embedder: e, info: func(i *llm.Info) { i.Remote = true }}
}

// nearest gives the paths of the pages nearest to a text.
func nearest(t testing.TB, v *View, e llm.Embedder, q string) string {
	t.Helper()
	vecs, err := e.Embed(t.Context(), []string{q})
	must(t, err)
	m, err := v.Nearest(t.Context(), vecs[0], 10, nil)
	must(t, err)
	return paths(m)
}

// counts asserts the chunks of an index by state.
func counts(t testing.TB, ix *Index, src Source, chunks, pending, failed int) {
	t.Helper()
	st, err := ix.Status(t.Context(), src)
	must(t, err)
	if st.Chunks != chunks || st.Pending != pending || st.Failed != failed {
		t.Errorf("%d chunks, %d pending, %d failed; want %d, %d, %d", st.Chunks, st.Pending, st.Failed, chunks, pending, failed)
	}
}

// What is embedded again, and what is not.
func TestEmbeddingCalls(t *testing.T) {
	tr := newTree(t, map[string]string{
		"a.md": "---\ntitle: First\nprovenance: {session_id: s1}\n---\namber basalt\n", "b.md": "# Second\n\ncobalt\n", "c.md": "# Third\n\nquartz\n",
	}).settled()
	past := time.Now().Add(-time.Hour)
	for _, p := range []string{"a.md", "b.md", "c.md"} {
		must(t, os.Chtimes(tr.file(p), past, past))
	}
	e := llmtest.Counting(llmtest.Hash(32))
	ix := open(t, e)
	syncIn(t, ix, tr)
	texts, calls := e.Texts(), e.Calls()
	if texts != 3 {
		t.Fatalf("%d texts for three pages", texts)
	}
	// step does something to the tree and asserts what the sync did and embedded.
	step := func(name string, embeds int, change func(), want func(Report) bool) {
		t.Helper()
		change()
		texts, calls = e.Texts(), e.Calls()
		rep := syncIn(t, ix, tr)
		if e.Texts()-texts != embeds || rep.Embedded != embeds || embeds == 0 && e.Calls() != calls {
			t.Errorf("%s: %d texts in %d calls, report says %d; want %d", name, e.Texts()-texts, e.Calls()-calls, rep.Embedded, embeds)
		}
		if !want(rep) {
			t.Errorf("%s: %+v", name, rep)
		}
		sound(t, ix, tr)
	}
	step("restart", 0, func() { must(t, ix.Close()); ix = openIn(t, ix.o.Dir, e) },
		func(r Report) bool { return r.Unchanged == 3 && r.Generation == 1 })
	step("move", 0, func() { tr.write(t, "d/b.md", "# Second\n\ncobalt\n"); tr.remove(t, "b.md") },
		func(r Report) bool { return r.Moved == 1 && r.Added+r.Deleted+r.Changed == 0 && r.Reused == 1 })
	step("touch all", 0, func() {
		for _, p := range []string{"a.md", "d/b.md", "c.md"} {
			must(t, os.Chtimes(tr.file(p), time.Time{}, past.Add(time.Minute)))
		}
	}, func(r Report) bool { return r.Refreshed == 3 && r.Changed == 0 })
	step("provenance", 0, func() {
		tr.write(t, "a.md", "---\ntitle: First\nprovenance: {session_id: session2}\n---\namber basalt\n")
	},
		func(r Report) bool { return r.Refreshed == 1 && r.Changed == 0 })
	step("abstract", 1, func() { tr.write(t, "a.md", "---\ntitle: First\nabstract: dolomite in short\n---\namber basalt\n") },
		func(r Report) bool { return r.Changed == 1 && r.Refreshed == 0 })
	found(t, view(t, ix), "dolomite", "a.md")
	step("copy", 0, func() { tr.write(t, "e.md", "# Third\n\nquartz\n") },
		func(r Report) bool { return r.Added == 1 && r.Reused == 1 })
	step("gone", 0, func() { tr.remove(t, "c.md"); tr.remove(t, "e.md") }, func(r Report) bool { return r.Deleted == 2 })
	step("back again", 0, func() { tr.write(t, "again.md", "# Third\n\nquartz\n") }, func(r Report) bool { return r.Added == 1 })
	if got := nearest(t, view(t, ix), llmtest.Hash(32), "Third quartz"); !strings.HasPrefix(got, "again.md") {
		t.Errorf("nearest to a page that came back: %s", got)
	}
}

// Whatever an embedder does, its pages are found by words, its failures are
// counted, and a sync that is asked to fills the gap.
func TestFaultyVectors(t *testing.T) {
	nan := float32(math.NaN())
	for name, spoil := range map[string]func(v *[]float32) error{
		"wrong dimension": func(v *[]float32) error { *v = (*v)[:7]; return nil },
		"not a number":    func(v *[]float32) error { (*v)[3] = nan; return nil },
		"all zero":        func(v *[]float32) error { clear(*v); return nil },
		"infinite":        func(v *[]float32) error { (*v)[0] = float32(math.Inf(1)); return nil },
		"refused":         func(v *[]float32) error { *v = nil; return &llm.Error{Class: llm.TooLong} },
	} {
		for _, isRemote := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s remote=%v", name, isRemote), func(t *testing.T) {
				tr := newTree(t, map[string]string{"good.md": "amber\n", "bad.md": "basalt\n"}).settled()
				broken := true
				e := &faulty{Embedder: llmtest.Hash(32), info: func(i *llm.Info) { i.Remote = isRemote }}
				e.embed = func(texts []string, vecs [][]float32) (err error) {
					for i, s := range texts {
						if broken && strings.Contains(s, "basalt") {
							err = errors.Join(err, spoil(&vecs[i]))
						}
					}
					return err
				}
				ix := open(t, e)
				rep := syncIn(t, ix, tr)
				if rep.Embedded != 1 || rep.Failed != 1 || rep.Pending != 0 {
					t.Errorf("%+v", rep)
				}
				counts(t, ix, tr, 2, 0, 1)
				v := view(t, ix)
				found(t, v, "basalt", "bad.md")
				if got := nearest(t, v, llmtest.Hash(32), "amber"); got != "good.md" {
					t.Errorf("nearest: %s", got)
				}
				sound(t, ix, tr)
				broken = false
				syncIn(t, ix, tr)
				counts(t, ix, tr, 2, 0, 1) // not retried unasked
				if rep = syncWith(t, ix, tr, SyncOptions{Pending: true}); rep.Embedded != 1 || rep.Failed+rep.Pending != 0 {
					t.Errorf("retried: %+v", rep)
				}
				counts(t, ix, tr, 2, 0, 0)
				if got := nearest(t, view(t, ix), llmtest.Hash(32), "basalt"); !strings.HasPrefix(got, "bad.md") {
					t.Errorf("nearest after the repair: %s", got)
				}
				sound(t, ix, tr)
			})
		}
	}
}

// Text without a word that the embedder knows is no failure.
func TestNothingToEmbed(t *testing.T) {
	tr := newTree(t, map[string]string{"a.md": "amber\n", "b.md": "basalt\n"}).settled()
	e := &faulty{Embedder: llmtest.Hash(16), embed: func(texts []string, vecs [][]float32) error {
		for i, s := range texts {
			if !strings.Contains(s, "amber") {
				vecs[i] = nil
			}
		}
		return nil
	}}
	ix := open(t, e)
	rep := syncWith(t, ix, tr, SyncOptions{Pending: true})
	if rep.Failed+rep.Pending != 0 || rep.Embedded != 1 {
		t.Errorf("%+v", rep)
	}
	counts(t, ix, tr, 2, 0, 0)
}

// A server that is down: words are a generation of their own, nothing is given
// up, and the next plain sync fills in what is missing though no file changed.
func TestServerDownThenBack(t *testing.T) {
	tr := newTree(t, map[string]string{"a.md": "amber\n", "b.md": "basalt\n"}).settled()
	down := true
	e := llmtest.Broken(llmtest.Hash(32), func(string) error {
		if down {
			return &llm.Error{Class: llm.Down}
		}
		return nil
	})
	ix := open(t, e)
	rep, err := ix.Sync(t.Context(), tr, SyncOptions{})
	if !errors.Is(err, llm.Down) || rep.Pending != 2 || rep.Failed != 0 || rep.Added != 2 {
		t.Errorf("%+v %v", rep, err)
	}
	counts(t, ix, tr, 2, 2, 0)
	v := view(t, ix)
	found(t, v, "amber", "a.md")
	if v.HasVectors() {
		t.Error("vectors from nowhere")
	}
	gen := v.Generation()
	if rep, err = ix.Sync(t.Context(), tr, SyncOptions{}); !errors.Is(err, llm.Down) || rep.Generation != gen {
		t.Errorf("still down: %+v %v", rep, err)
	}
	down = false
	if rep = syncIn(t, ix, tr); rep.Embedded != 2 || rep.Pending != 0 {
		t.Errorf("back: %+v", rep)
	}
	counts(t, ix, tr, 2, 0, 0)
	if got := nearest(t, view(t, ix), llmtest.Hash(32), "amber"); !strings.HasPrefix(got, "a.md") {
		t.Errorf("nearest: %s", got)
	}
}

// While a server works, the words are there already and no lock is held.
func TestWordsComeBeforeVectors(t *testing.T) {
	tr := newTree(t, map[string]string{"a.md": "amber\n"}).settled()
	var ix *Index
	asked := false
	e := &faulty{Embedder: llmtest.Hash(32), info: func(i *llm.Info) { i.Remote = true }}
	e.embed = func([]string, [][]float32) error {
		asked = true
		found(t, view(t, ix), "amber", "a.md")
		if h := ix.held(); h != nil {
			t.Errorf("lock held across a call of the server: %+v", h)
		}
		return nil
	}
	ix = open(t, e)
	syncIn(t, ix, tr)
	if !asked {
		t.Error("the embedder was not asked")
	}
	// A page that changes while the server works keeps no vector of its old text.
	tr.write(t, "a.md", "basalt\n")
	e.embed = func([]string, [][]float32) error {
		e.embed = nil
		tr.write(t, "a.md", "cobalt instead\n")
		other := openIn(t, ix.o.Dir, nil)
		syncIn(t, other, tr)
		return nil
	}
	syncIn(t, ix, tr)
	syncIn(t, ix, tr)
	sound(t, ix, tr)
	if got := nearest(t, view(t, ix), llmtest.Hash(32), "cobalt instead"); got != "a.md" {
		t.Errorf("nearest: %q", got)
	}
	counts(t, ix, tr, 1, 0, 0)
}

// Slices that were done stay done when the next one fails.
func TestInterruptedEmbeddingKeepsWhatIsDone(t *testing.T) {
	pages := map[string]string{}
	for i := range sliceSize + 40 {
		pages[fmt.Sprintf("p%03d.md", i)] = fmt.Sprintf("number %d\n", i)
	}
	tr := newTree(t, pages).settled()
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	e := llmtest.Counting(&faulty{Embedder: llmtest.Hash(32), info: func(i *llm.Info) { i.Remote = true },
		embed: func([]string, [][]float32) error {
			if calls++; calls == 2 {
				cancel()
				return ctx.Err()
			}
			return nil
		}})
	ix := open(t, e)
	rep, err := ix.Sync(ctx, tr, SyncOptions{})
	if !errors.Is(err, context.Canceled) || rep.Embedded != sliceSize || rep.Pending != 40 {
		t.Errorf("%d embedded, %d pending, %v", rep.Embedded, rep.Pending, err)
	}
	before := e.Texts()
	if rep = syncIn(t, ix, tr); rep.Embedded != 40 || e.Texts()-before != 40 {
		t.Errorf("%d embedded, %d texts asked", rep.Embedded, e.Texts()-before)
	}
	sound(t, ix, tr)
}

// Another model, with other dimensions or the same: its questions meet no
// vector of the old one, words go on, and one sync makes everything anew.
func TestSwitchOfModel(t *testing.T) {
	for name, second := range map[string]llm.Embedder{
		"other dimensions": llmtest.Hash(3072), "same dimensions": named(llmtest.Hash(300), "other/model"),
		"a server": remote(named(llmtest.Hash(64), "server/model")),
	} {
		t.Run(name, func(t *testing.T) {
			tr := newTree(t, map[string]string{"a.md": "amber\n", "b.md": "basalt\n"}).settled()
			first := open(t, llmtest.Hash(300))
			syncIn(t, first, tr)
			ix := openIn(t, first.o.Dir, second)
			v := view(t, ix)
			if v.SameSpace(second.Info().Fingerprint) {
				t.Fatal("two models in one space")
			}
			found(t, v, "amber", "a.md")
			// A question takes in an edit and leaves the vectors alone.
			tr.write(t, "c.md", "amber cobalt\n")
			q, err := ix.View()
			must(t, err)
			c, err := ix.Look(t.Context(), tr, q)
			must(t, err)
			q, stale, err := ix.Refresh(t.Context(), tr, q, c, Auto)
			must(t, err)
			if stale != nil || q.SameSpace(second.Info().Fingerprint) || !q.SameSpace(llmtest.Hash(300).Info().Fingerprint) {
				t.Errorf("after a question: %+v, vectors of %q", stale, q.Fingerprint())
			}
			found(t, q, "amber", "a.md c.md")
			must(t, q.Release())
			counts(t, ix, tr, 3, 1, 0)

			rep := syncIn(t, ix, tr)
			if rep.Embedded != 3 || !strings.Contains(rep.Rebuilt, second.Info().Fingerprint) {
				t.Errorf("%+v", rep)
			}
			v = view(t, ix)
			if !v.SameSpace(second.Info().Fingerprint) {
				t.Errorf("vectors of %q", v.Fingerprint())
			}
			if got := nearest(t, v, second, "basalt"); !strings.HasPrefix(got, "b.md") {
				t.Errorf("nearest: %s", got)
			}
			counts(t, ix, tr, 3, 0, 0)
			sound(t, ix, tr)
		})
	}
}

// Vectors off for a while: pages that changed meanwhile get theirs at the next
// sync that has the embedder, though nothing changes any more.
func TestEmbedderOffForAWhile(t *testing.T) {
	tr := newTree(t, map[string]string{"a.md": "amber\n", "b.md": "basalt\n"}).settled()
	e := llmtest.Hash(32)
	ix := open(t, e)
	syncIn(t, ix, tr)
	off := openIn(t, ix.o.Dir, nil)
	tr.write(t, "b.md", "cobalt now\n")
	syncIn(t, off, tr)
	counts(t, off, tr, 2, 1, 0)
	if rep := syncIn(t, ix, tr); rep.Embedded != 1 || rep.Rebuilt != "" {
		t.Errorf("%+v", rep)
	}
	counts(t, ix, tr, 2, 0, 0)
	if got := nearest(t, view(t, ix), e, "cobalt now"); !strings.HasPrefix(got, "b.md") {
		t.Errorf("nearest: %s", got)
	}

	// Off from the start, then on: everything is embedded.
	never := open(t, nil)
	syncIn(t, never, tr)
	counts(t, never, tr, 2, 2, 0)
	if v := view(t, never); v.HasVectors() || v.Fingerprint() != "" {
		t.Error("vectors without an embedder")
	}
	on := openIn(t, never.o.Dir, e)
	if rep := syncIn(t, on, tr); rep.Embedded != 2 {
		t.Errorf("%+v", rep)
	}
	counts(t, on, tr, 2, 0, 0)
}

// The size of a server's vectors is learned from its first answer.
func TestUnusualDimensions(t *testing.T) {
	for _, dims := range []int{384, 2560, 4096} {
		tr := newTree(t, map[string]string{"a.md": "amber\n", "b.md": "basalt\n"})
		e := &faulty{Embedder: llmtest.Hash(dims), info: func(i *llm.Info) { i.Remote, i.Dims = true, 0 }}
		ix := openIn(t, filepath.Join(t.TempDir(), "index"), e)
		syncIn(t, ix, tr)
		if got := nearest(t, view(t, ix), e, "amber"); !strings.HasPrefix(got, "a.md") {
			t.Errorf("%d dimensions: nearest %s", dims, got)
		}
		var wrong *DimensionError
		if _, err := view(t, ix).Nearest(t.Context(), make([]float32, 3), 5, nil); !errors.As(err, &wrong) || wrong.Want != dims {
			t.Errorf("a question of 3 dimensions: %v", err)
		}
	}
}
