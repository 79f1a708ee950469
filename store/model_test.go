package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"brain/page"

	"pgregory.net/rapid"
)

// TestUpdatesAgreeWithAMap runs random updates of two writers, edits by hand and
// undos against a map of path → content. After each step the tree is the map, an
// update has failed exactly when one of its preconditions did not hold, and .txn
// holds nothing.
func TestUpdatesAgreeWithAMap(t *testing.T) {
	base := memDir(t)
	rapid.Check(t, func(rt *rapid.T) {
		m := newModel(t, rt, base)
		defer m.close()
		rt.Repeat(map[string]func(*rapid.T){
			"":               m.check,
			"update":         m.update,
			"undo":           m.undo,
			"by hand":        m.byHand,
			"under hands":    m.underHands,
			"rewrite":        m.rewrite,
			"two rewrite it": m.twoReplace,
			"two add it":     m.twoAdd,
		})
	})
}

type model struct {
	t      *testing.T
	dir    string
	stores [2]*Store
	files  map[string]string
	jobs   []modelJob
	edits  int
}

// modelJob is what an update did: path → content before and after, absent where
// there was none.
type modelJob struct {
	id         string
	old, after map[string]string
}

var errPlanned = errors.New("planned")

func newModel(t *testing.T, rt *rapid.T, base string) *model {
	root, err := os.MkdirTemp(base, "")
	if err != nil {
		rt.Fatal(err)
	}
	if _, err := Init(root, InitOptions{}); err != nil {
		rt.Fatal(err)
	}
	m := &model{t: t, dir: filepath.Join(root, "brains", "default"), files: map[string]string{}}
	for i := range m.stores {
		m.stores[i] = reopen(t, root, nil)
	}
	if err := update(t, m.stores[0], func(*Tx) error { return nil }); err != nil { // makes .txn
		rt.Fatal(err)
	}
	return m
}

func (m *model) close() {
	for _, st := range m.stores {
		st.Close()
	}
	os.RemoveAll(filepath.Dir(filepath.Dir(m.dir)))
}

func (m *model) check(rt *rapid.T) {
	wantClean(m.t, m.dir)
	if m.t.Failed() {
		rt.Fatal(".txn is not clean")
	}
	got := map[string]string{}
	for name, content := range filesOf(m.t, m.dir) {
		got[name] = content[len("-rw-r--r-- "):]
	}
	if !maps.Equal(got, m.files) {
		rt.Fatalf("on disk %q\nwant    %q", got, m.files)
	}
	f, err := m.stores[0].InFlight()
	if err != nil || f.Writer != nil || f.Cut() {
		rt.Fatalf("in flight: %+v, %v", f, err)
	}
}

var (
	modelPaths = []string{"a.md", "A.md", "b.md", "b-2.md", "notes/a.md", "notes/页.md", "x/y/z.md"}
)

func somePath(rt *rapid.T) string { return rapid.SampledFrom(modelPaths).Draw(rt, "path") }

func someText(rt *rapid.T) string {
	return rapid.SampledFrom([]string{"", "one\n", "二\r\n", "no end", "\ufeff---\ntitle: x\n---\n"}).Draw(rt, "text") +
		rapid.StringN(0, 3, -1).Draw(rt, "more")
}

// hash is the right one of a path in a state, or now and then another.
func someHash(rt *rapid.T, files map[string]string, path string) (h Hash, right bool) {
	content, there := files[path]
	if rapid.IntRange(0, 4).Draw(rt, "wrong") == 0 {
		return HashOf([]byte("what nobody wrote")), false
	}
	if !there {
		return HashOf(nil), false
	}
	return HashOf([]byte(content)), true
}

// free says what stands in the way of a new page.
func free(files map[string]string, path string) error {
	if _, ok := files[path]; ok {
		return ErrExists
	}
	for name := range files {
		if fold(name) == fold(path) {
			return ErrTwin
		}
	}
	return nil
}

// operation is one call on a transaction, and on the map: what it must answer.
type operation struct {
	say  string
	run  func(*Tx) error
	want error
}

// plan draws an operation and does it to files.
func plan(rt *rapid.T, files map[string]string) operation {
	p, text := somePath(rt), someText(rt)
	switch rapid.IntRange(0, 6).Draw(rt, "op") {
	case 0:
		op := operation{"add " + p, func(tx *Tx) error { return tx.Add(page.Path(p), []byte(text)) }, free(files, p)}
		if op.want == nil {
			files[p] = text
		}
		return op
	case 1:
		name := p
		for n := 2; free(files, name) != nil; n++ {
			name = fmt.Sprintf("%s-%d.md", strings.TrimSuffix(p, ".md"), n)
		}
		files[name] = text
		return operation{"add new " + p, func(tx *Tx) error {
			got, err := tx.AddNew(page.Path(p), []byte(text))
			if err == nil && string(got) != name {
				return fmt.Errorf("it is %s, want %s", got, name)
			}
			return err
		}, nil}
	case 2, 3:
		h, right := someHash(rt, files, p)
		op := operation{"replace " + p, func(tx *Tx) error { return tx.Replace(page.Path(p), h, []byte(text)) }, nil}
		if !right {
			op.want = ErrConflict
		} else {
			files[p] = text
		}
		return op
	case 4:
		h, right := someHash(rt, files, p)
		op := operation{"remove " + p, func(tx *Tx) error { return tx.Remove(page.Path(p), h) }, nil}
		if !right {
			op.want = ErrConflict
		} else {
			delete(files, p)
		}
		return op
	case 5:
		own := string(Forgotten)
		line := rapid.StringMatching(`[a-z]{0,3}`).Draw(rt, "line")
		was := files[own]
		if was != "" && !strings.HasSuffix(was, "\n") {
			was += "\n"
		}
		files[own] = was + line + "\n"
		return operation{"append " + line, func(tx *Tx) error { return tx.Append(Forgotten, []byte(line)) }, nil}
	}
	h, right := someHash(rt, files, string(Summaries))
	if _, there := files[string(Summaries)]; !there && rapid.Bool().Draw(rt, "none") {
		h, right = "", true
	}
	op := operation{"write own", func(tx *Tx) error { return tx.WriteOwn(Summaries, h, []byte(text)) }, nil}
	if !right {
		op.want = ErrConflict
	} else {
		files[string(Summaries)] = text
	}
	return op
}

// update runs a few operations. fn stops at the first error or goes on as if
// nothing were; it may fail or panic in the end.
func (m *model) update(rt *rapid.T) {
	next := maps.Clone(m.files)
	goesOn := rapid.Bool().Draw(rt, "goes on")
	var ops []operation
	var want error
	for range rapid.IntRange(0, 6).Draw(rt, "ops") {
		ops = append(ops, plan(rt, next))
		if last := ops[len(ops)-1]; last.want != nil && !goesOn {
			want = last.want
			break
		}
	}
	end := rapid.IntRange(0, 9).Draw(rt, "end")
	if want == nil && end < 2 {
		want = errPlanned
	}
	st := m.stores[rapid.IntRange(0, 1).Draw(rt, "store")]
	id, err := m.run(rt, st, ops, goesOn, end)
	switch {
	case want == nil && err != nil, !errors.Is(err, want):
		rt.Fatalf("error %v, want %v", err, want)
	case want == nil:
		m.done(rt, st, id, next)
	}
}

func (m *model) run(rt *rapid.T, st *Store, ops []operation, goesOn bool, end int) (id string, err error) {
	defer func() {
		if p := recover(); p != nil {
			if p != any(errPlanned) {
				panic(p)
			}
			err = errPlanned
		}
	}()
	err = st.Update(context.Background(), "model", func(tx *Tx) error {
		id = tx.Job()
		for _, op := range ops {
			err := op.run(tx)
			if op.want == nil && err != nil || !errors.Is(err, op.want) {
				rt.Fatalf("%s: %v, want %v", op.say, err, op.want)
			}
			if err != nil && !goesOn {
				return err
			}
		}
		switch end {
		case 0:
			return errPlanned
		case 1:
			panic(errPlanned)
		}
		return nil
	})
	return id, err
}

// done takes over the state after an update, and its job if it changed anything.
func (m *model) done(rt *rapid.T, st *Store, id string, next map[string]string) {
	j := modelJob{id: id, old: map[string]string{}, after: map[string]string{}}
	for name, content := range m.files {
		if now, ok := next[name]; !ok || now != content {
			j.old[name] = content
		}
	}
	for name, content := range next {
		if was, ok := m.files[name]; !ok || was != content {
			j.after[name] = content
		}
	}
	m.files = next
	rec, err := st.undo.read(id)
	if len(j.old)+len(j.after) == 0 {
		if !errors.Is(err, ErrNoJob) {
			rt.Fatalf("a job of nothing: %+v, %v", rec, err)
		}
		return
	}
	if err != nil {
		rt.Fatal(err)
	}
	m.jobs = append(m.jobs, j)
}

func (m *model) undo(rt *rapid.T) {
	if len(m.jobs) == 0 {
		rt.Skip("no job")
	}
	j := rapid.SampledFrom(m.jobs).Draw(rt, "job")
	next := maps.Clone(m.files)
	changed := append(slices.Collect(maps.Keys(j.old)), slices.Collect(maps.Keys(j.after))...)
	want := []error{}
	for _, name := range changed {
		now, ok := m.files[name]
		if then, was := j.after[name]; ok != was || now != then {
			want = append(want, ErrConflict)
		}
		delete(next, name)
	}
	for name := range j.old {
		if free(next, name) != nil {
			want = append(want, ErrTwin)
		}
	}
	maps.Copy(next, j.old)
	st := m.stores[rapid.IntRange(0, 1).Draw(rt, "store")]
	done, _, err := st.Undo(context.Background(), j.id)
	switch {
	case len(want) > 0 && !slices.ContainsFunc(want, func(w error) bool { return errors.Is(err, w) }):
		rt.Fatalf("undo %+v: %v, want one of %v", j, err, want)
	case len(want) == 0 && err != nil:
		rt.Fatalf("undo %+v: %v", j, err)
	case len(want) == 0:
		m.done(rt, st, done.ID, next)
	}
}

// byHand is an edit that asks nobody.
func (m *model) byHand(rt *rapid.T) { m.edit(rt, somePath(rt)) }

func (m *model) edit(rt *rapid.T, p string) {
	name := filepath.Join(m.dir, p)
	if rapid.IntRange(0, 3).Draw(rt, "delete") == 0 {
		delete(m.files, p)
		if err := ignoreMissing(os.Remove(name)); err != nil {
			rt.Fatal(err)
		}
		return
	}
	if err := free(m.files, p); errors.Is(err, ErrTwin) {
		rt.Skip("a twin by hand")
	}
	m.edits++
	m.files[p] = fmt.Sprint(someText(rt), "by hand ", m.edits)
	if err := hands["temp and rename"](name); err != nil {
		rt.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(m.files[p]), 0o644); err != nil {
		rt.Fatal(err)
	}
}

// underHands edits a page by hand after an update has looked at it and before it
// is placed: the update begins anew and then meets the edit.
func (m *model) underHands(rt *rapid.T) {
	p := somePath(rt)
	was, ok := m.files[p]
	if !ok {
		rt.Skip("no page")
	}
	tries := 0
	err := m.stores[0].Update(context.Background(), "model", func(tx *Tx) error {
		err := errors.Join(tx.Replace(page.Path(p), HashOf([]byte(was)), []byte("ours")), tx.Append(Forgotten, []byte("ours")))
		if tries++; tries == 1 && err == nil {
			m.edit(rt, p)
		}
		return err
	})
	if !errors.Is(err, ErrConflict) || tries != 2 {
		rt.Fatalf("%v after %d tries", err, tries)
	}
}

// rewrite is computed anew from an edit that comes between.
func (m *model) rewrite(rt *rapid.T) {
	p := somePath(rt)
	if _, ok := m.files[p]; !ok {
		rt.Skip("no page")
	}
	tries := 0
	id, err := m.stores[1].Rewrite(context.Background(), "model", page.Path(p), func(raw []byte) ([]byte, error) {
		if tries++; tries < 3 {
			m.files[p] = fmt.Sprint("edit ", tries, " of ", string(raw))
			if err := os.WriteFile(filepath.Join(m.dir, p), []byte(m.files[p]), 0o644); err != nil {
				return nil, err
			}
		}
		return append(bytes.Clone(raw), " and ours"...), nil
	})
	if err != nil || tries != 3 {
		rt.Fatalf("%v after %d tries", err, tries)
	}
	next := maps.Clone(m.files)
	next[p] += " and ours"
	m.done(rt, m.stores[1], id, next)
}

// twoReplace lets two writers replace one page at the same time: one conflicts.
func (m *model) twoReplace(rt *rapid.T) {
	p := somePath(rt)
	was, ok := m.files[p]
	if !ok {
		rt.Skip("no page")
	}
	ids, errs := m.both(func(i int, tx *Tx) error {
		return tx.Replace(page.Path(p), HashOf([]byte(was)), fmt.Appendf(nil, "%d after %s", i, was))
	})
	won := slices.Index(errs, nil)
	if won < 0 || !errors.Is(errs[1-won], ErrConflict) {
		rt.Fatalf("errors %v", errs)
	}
	next := maps.Clone(m.files)
	next[p] = fmt.Sprint(won, " after ", was)
	m.done(rt, m.stores[won], ids[won], next)
}

// twoAdd lets them add pages of one name: both are there.
func (m *model) twoAdd(rt *rapid.T) {
	p := somePath(rt)
	paths := make([]page.Path, 2)
	ids, errs := m.both(func(i int, tx *Tx) (err error) {
		paths[i], err = tx.AddNew(page.Path(p), fmt.Append(nil, i))
		return err
	})
	if err := errors.Join(errs...); err != nil || paths[0] == paths[1] {
		rt.Fatalf("%q, %v", paths, err)
	}
	order := []int{0, 1}
	if ids[0] > ids[1] {
		order = []int{1, 0}
	}
	for _, i := range order {
		next := maps.Clone(m.files)
		if _, ok := next[string(paths[i])]; ok {
			rt.Fatalf("%s was there", paths[i])
		}
		next[string(paths[i])] = fmt.Sprint(i)
		m.done(rt, m.stores[i], ids[i], next)
	}
}

func (m *model) both(fn func(i int, tx *Tx) error) (ids []string, errs []error) {
	ids, errs = make([]string, 2), make([]error, 2)
	var wg sync.WaitGroup
	for i, st := range m.stores {
		wg.Go(func() {
			errs[i] = st.Update(context.Background(), "model", func(tx *Tx) error {
				ids[i] = tx.Job()
				return fn(i, tx)
			})
		})
	}
	wg.Wait()
	return ids, errs
}
