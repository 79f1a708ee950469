package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The write path is tried at every step: the writer dies there, the disk fails
// there, another program writes there. What comes out is everything or nothing,
// and no byte of anybody's is gone.

var errInjected = errors.New("injected")

// fault stands for the world around a writer.
type fault struct {
	at     int  // the step at which it happens, from 1; 0: never
	dies   bool // nothing happens on disk from then on
	link   bool // the disk can neither swap nor rename without replacing
	n      int
	do     func() // instead of a failure: another program
	failOn string // "op name" prefix that always fails
	trace  []string
}

func (f *fault) step(op, name string) error {
	if f.link && (op == "swap" || op == "move") {
		return errors.ErrUnsupported
	}
	f.n++
	f.trace = append(f.trace, op+" "+name)
	if f.n == f.at && f.do != nil {
		f.do()
	}
	if f.failOn != "" && strings.HasPrefix(op+" "+name, f.failOn) {
		return errInjected
	}
	if f.do == nil && f.at > 0 && (f.n == f.at || f.dies && f.n > f.at) {
		return errInjected
	}
	return nil
}

func (f *fault) came() bool { return f.at > 0 && f.n >= f.at }

// filesOf reads all files of a brain but those in .txn and brain.yml, which no
// update touches: path → rights and content.
func filesOf(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		if d.IsDir() {
			if rel == txnDir {
				return fs.SkipDir
			}
			return nil
		}
		if rel == brainFile {
			return nil
		}
		if !d.Type().IsRegular() {
			all[filepath.ToSlash(rel)] = d.Type().String()
			return nil
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		fi, err := d.Info()
		all[filepath.ToSlash(rel)] = fmt.Sprintf("%v %s", fi.Mode().Perm(), raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// journey is an update to be disturbed: what was there, what it does.
type journey struct {
	name  string
	files map[string]string
	fn    func(*Tx) error
	alone bool // one new page, for which there is no journal
	// renewed is a file that changes because others do: undo leaves it.
	renewed string
}

var allKinds = map[string]string{
	"edit.md": "edit 1", "gone.md": "gone 1", "sub/from.md": "from 1", "still.md": "still 1", "页.md": "页 1", "forgotten.jsonl": "{\"a\":1}\n",
}

func journeys() []journey {
	return []journey{
		{name: "one page is added", files: map[string]string{"a.md": "a"}, fn: func(tx *Tx) error { return tx.Add("new/deep/b.md", []byte("b")) }, alone: true},
		{name: "one page is rewritten", files: map[string]string{"a.md": "a"}, fn: func(tx *Tx) error { return tx.Replace("a.md", HashOf([]byte("a")), []byte("A")) }},
		{name: "one page is removed", files: map[string]string{"a.md": "a"}, fn: func(tx *Tx) error { return tx.Remove("a.md", HashOf([]byte("a"))) }},
		{name: "everything", files: allKinds, fn: func(tx *Tx) error {
			return errors.Join(
				tx.Replace("edit.md", HashOf([]byte("edit 1")), []byte("edit 2")),
				tx.Remove("gone.md", HashOf([]byte("gone 1"))),
				tx.Remove("sub/from.md", HashOf([]byte("from 1"))), tx.Add("new/deep/to.md", []byte("from 1")),
				tx.Append(Forgotten, []byte(`{"b":2}`)), tx.WriteOwn(Summaries, "", []byte("{}")),
				tx.Remove("页.md", HashOf([]byte("页 1"))), tx.Add("页.md", []byte("页 2")),
			)
		}},
		{name: "a page is added and a file made that is renewed", fn: func(tx *Tx) error {
			return errors.Join(tx.Add("new/a.md", []byte("a")), count(tx))
		}, renewed: "memory.json"},
		{name: "pages change and a file is renewed", files: map[string]string{"a.md": "a", "b.md": "b", "memory.json": "0"}, fn: func(tx *Tx) error {
			return errors.Join(tx.Replace("a.md", HashOf([]byte("a")), []byte("A")), tx.Remove("b.md", HashOf([]byte("b"))), count(tx))
		}, renewed: "memory.json"},
	}
}

// stage makes the brain of a journey. A page is private: its rights are part of
// what has to stay.
func (j journey) stage(t testing.TB) (root, dir string, old map[string]string) {
	t.Helper()
	root = memDir(t)
	rep, err := Init(root, InitOptions{Settings: []byte("# settings\n")})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range j.files {
		put(t, filepath.Join(rep.Dir, name), content)
		if err := os.Chmod(filepath.Join(rep.Dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return rep.Root.Dir, rep.Dir, filesOf(t, rep.Dir)
}

// after is the tree that a journey leads to when nothing disturbs it.
func (j journey) after(t testing.TB) map[string]string {
	t.Helper()
	root, dir, _ := j.stage(t)
	st := reopen(t, root, nil)
	if err := st.Update(context.Background(), "test", j.fn); err != nil {
		t.Fatal(err)
	}
	st.Close()
	return filesOf(t, dir)
}

// names are all files that there are before or after.
func (j journey) names(new map[string]string) []string {
	names := append(slices.Collect(maps.Keys(new)), slices.Collect(maps.Keys(j.files))...)
	slices.Sort(names)
	return slices.Compact(names)
}

func reopen(t testing.TB, root string, f *fault) *Store {
	t.Helper()
	st, err := openDefault(root)
	if err != nil {
		t.Fatal(err)
	}
	if f != nil {
		st.steps = f.step
	}
	return st
}

// memDir is a folder in memory, where there is one: these tests sync a hundred
// thousand times, and whether a disk keeps its word is not what they are about.
func memDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "brain-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func copyRoot(t testing.TB, from string) string {
	t.Helper()
	to := memDir(t)
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(from, name)
		fi, err := d.Info()
		if err != nil {
			return err
		}
		return os.Chmod(filepath.Join(to, rel), fi.Mode().Perm())
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// settled checks a brain after Recover: old or new, clean, and what the undo
// store says fits. It reports whether it is new.
func settled(t *testing.T, root string, old, new map[string]string, j journey) bool {
	t.Helper()
	st := reopen(t, root, nil)
	defer st.Close()
	dir := st.Dir()
	wantClean(t, dir)
	got := filesOf(t, dir)
	jobs, err := st.Jobs(0)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case maps.Equal(got, new):
		if len(jobs) != 1 {
			t.Fatalf("%d jobs of one update", len(jobs))
		}
		if _, _, err := st.Undo(context.Background(), jobs[0].ID); err != nil {
			t.Fatalf("undo: %v", err)
		}
		undone := maps.Clone(old)
		if j.renewed != "" {
			undone[j.renewed] = new[j.renewed]
		}
		if got := filesOf(t, dir); !maps.Equal(got, undone) {
			t.Fatalf("undone: %q\nwant %q", got, undone)
		}
		wantClean(t, dir)
		return true
	case maps.Equal(got, old):
		if len(jobs) != 0 {
			t.Fatalf("a job that was not done: %+v", jobs)
		}
		if err := st.Update(context.Background(), "again", j.fn); err != nil {
			t.Fatalf("again: %v", err)
		}
		if got := filesOf(t, dir); !maps.Equal(got, new) {
			t.Fatalf("again: %q\nwant %q", got, new)
		}
		return false
	}
	t.Fatalf("neither all old nor all new:\n%q\nold %q\nnew %q", got, old, new)
	return false
}

func forEach(t *testing.T, fn func(t *testing.T, j journey, link bool)) {
	for _, j := range journeys() {
		for _, link := range []bool{false, true} {
			name := j.name
			if link {
				name += " on a disk that only links"
			}
			t.Run(name, func(t *testing.T) { fn(t, j, link) })
		}
	}
}

// A writer dies before each of its steps, and so does who clears up after it,
// before each of his.
func TestDeathAtEachStepLeavesAllOrNothing(t *testing.T) {
	forEach(t, func(t *testing.T, j journey, link bool) {
		new := j.after(t)
		outcomes := map[bool]int{}
		for at := 1; ; at++ {
			root, _, old := j.stage(t)
			f := &fault{at: at, dies: true, link: link}
			st := reopen(t, root, f)
			err := st.Update(context.Background(), "test", j.fn)
			st.Close()
			for again := 1; ; again++ {
				second := copyRoot(t, root)
				g := &fault{at: again, dies: true, link: link}
				if st := reopen(t, second, g); g.came() == false {
					_ = st.Recover()
					st.Close()
				}
				st := reopen(t, second, &fault{link: link})
				if err := st.Recover(); err != nil {
					t.Fatal(err)
				}
				st.Close()
				done := settled(t, second, old, new, j)
				outcomes[done]++
				// Only a single new page may be there before its writer could say so.
				if done != (err == nil) && !(done && j.alone) {
					t.Fatalf("died at %d (%s): %v, but done is %v", at, f.trace[len(f.trace)-1], err, done)
				}
				if t.Failed() {
					t.Fatalf("died at step %d of %q, then at %d of %q", at, f.trace, again, g.trace)
				}
				if !g.came() {
					break
				}
			}
			if !f.came() {
				t.Logf("%d steps; after recovery old %d, new %d", f.n, outcomes[false], outcomes[true])
				break
			}
		}
		if outcomes[false] == 0 || outcomes[true] < 2 {
			t.Errorf("outcomes %v", outcomes)
		}
	})
}

// One step fails, and the writer lives: it clears up by itself.
func TestFailureAtEachStepLeavesAllOrNothing(t *testing.T) {
	forEach(t, func(t *testing.T, j journey, link bool) {
		new := j.after(t)
		for at := 1; ; at++ {
			root, dir, old := j.stage(t)
			f := &fault{at: at, link: link}
			st := reopen(t, root, f)
			err := st.Update(context.Background(), "test", j.fn)
			came := f.came()
			f.at = 0
			if err != nil && !errors.Is(err, errInjected) {
				t.Errorf("the cause is lost: %v", err)
			}
			want := new
			if err != nil {
				want = old
			}
			if got := filesOf(t, dir); !maps.Equal(got, want) {
				t.Errorf("step %d (%v), error %v:\n%q\nwant %q", at, f.trace[at-1:], err, got, want)
			}
			if err := st.Recover(); err != nil {
				t.Error(err)
			}
			if err := update(t, st, func(tx *Tx) error { return tx.Add("next.md", nil) }); err != nil {
				t.Errorf("the next update: %v", err)
			}
			if came && strings.HasPrefix(f.trace[at-1], "keep ") {
				wantAside(t, dir, old, new)
			}
			wantClean(t, dir)
			st.Close()
			if t.Failed() {
				t.Fatalf("step %d of %q", at, f.trace)
			}
			if !came {
				break
			}
		}
	})
}

// wantAside wants nothing aside but the bytes of files that went, which the undo store
// could not take, and takes them away.
func wantAside(t *testing.T, dir string, old, new map[string]string) {
	t.Helper()
	aside, _ := filepath.Glob(filepath.Join(dir, txnDir, asidePrefix+"*"))
	for _, name := range aside {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		went := false
		for path, content := range old {
			_, stayed := new[path]
			went = went || !stayed && strings.HasSuffix(content, string(raw)) // behind its mode
		}
		if !went {
			t.Errorf("%s holds %q, which no removed file held", name, raw)
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}

// What was edited after a writer died is kept with what it stood on, and stays
// so when clearing up is itself cut short.
func TestBytesKeptDuringARollbackSurviveASecondOne(t *testing.T) {
	j := journeys()[3]
	for at := 1; ; at++ {
		root, dir, _ := j.stage(t)
		st := reopen(t, root, &fault{failOn: "rename " + journalName, dies: true})
		f := &fault{dies: true}
		st.steps = func(op, name string) error { // dies when all is placed
			if f.n > 0 || op == "rename" && name == journalName && fileIs(filepath.Join(dir, "edit.md"), "edit 2") {
				f.n = 1
				return errInjected
			}
			return nil
		}
		if err := st.Update(context.Background(), "test", j.fn); err == nil {
			t.Fatal("no error")
		}
		st.Close()
		put(t, filepath.Join(dir, "edit.md"), "BY HAND")
		g := &fault{at: at, dies: true}
		st = reopen(t, root, g)
		_ = st.Recover()
		st.Close()
		st = reopen(t, root, nil)
		if err := st.Recover(); err != nil {
			t.Fatal(err)
		}
		st.Close()
		if !fileIs(filepath.Join(dir, "edit.md"), "BY HAND") || !slices.Contains(kept(t, root), "edit 1") {
			t.Fatalf("cut short at %d of %q: %q, kept %q", at, g.trace, filesOf(t, dir), kept(t, root))
		}
		if !g.came() {
			break
		}
	}
}

func fileIs(name, content string) bool {
	raw, err := os.ReadFile(name)
	return err == nil && bytes.Equal(raw, []byte(content))
}

func TestAFolderOrALinkInPlaceOfAPageStopsNoRollback(t *testing.T) {
	for _, kind := range []string{"folder", "link"} {
		st, dir := newBrain(t, "a.md", "b.md")
		name := filepath.Join(dir, "a.md")
		f := &fault{}
		st.steps = func(op, _ string) error {
			if op == "swap" && f.n == 0 {
				f.n++
				os.Remove(name)
				if kind == "link" {
					return os.Symlink("b.md", name)
				}
				return os.Mkdir(name, 0o755)
			}
			return nil
		}
		err := update(t, st, func(tx *Tx) error {
			return errors.Join(tx.Add("c.md", nil), tx.Replace("a.md", HashOf([]byte("a.md")), []byte("A")))
		})
		if err == nil {
			t.Error("no error")
		}
		fi, err := os.Lstat(name)
		if err != nil || fi.Mode().IsRegular() {
			t.Errorf("%s: %v, %v", kind, fi, err)
		}
		wantClean(t, dir)
		wantPaths(t, st, "b.md")
	}
}

// A purge that is cut short is whole after the next recovery: the text is in the
// page and its versions, or nowhere.
func TestDeathAtEachStepOfAPurge(t *testing.T) {
	for at := 1; ; at++ {
		root, dir, _ := journey{files: map[string]string{"other.md": "other"}}.stage(t)
		st := reopen(t, root, nil)
		add(t, st, "from.md", entity("From", "the secret 1, long enough to tell."))
		add(t, st, "winner.md", entity("Winner", "another text"))
		rewrite(t, st, "from.md", entity("From", "the secret 2, long enough to tell."))
		mergeInto(t, st, "winner.md", "from.md")
		undoLast(t, st)
		movePage(t, st, "from.md", "secret.md")
		last := entity("From", "the secret 2, long enough to tell.")
		f := &fault{at: at, dies: true}
		st.steps = func(op, name string) error {
			err := f.step(op, name)
			if f.n == at {
				panic(err) // what follows the update does not happen either
			}
			return err
		}
		err := func() (err error) {
			defer func() {
				if p := recover(); p != nil {
					err = p.(error)
				}
			}()
			_, err = st.PurgePage(context.Background(), "secret.md", HashOf([]byte(last)), time.Unix(1, 0))
			return err
		}()
		st.Close()
		st = reopen(t, root, nil)
		if err := st.Recover(); err != nil {
			t.Fatal(err)
		}
		there := fileIs(filepath.Join(dir, "secret.md"), last)
		var holds []string
		for name, content := range filesOf(t, root) {
			if strings.Contains(content, "the secret") {
				holds = append(holds, name)
			}
		}
		if there && len(holds) != 5 || !there && len(holds) > 0 || there && err == nil {
			t.Fatalf("died at %d of %q: %v, the page is there: %v, the text is in %q", at, f.trace, err, there, holds)
		}
		wantClean(t, dir)
		st.Close()
		if !f.came() {
			break
		}
	}
}
