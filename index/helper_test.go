//go:build unix

package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"brain/llm"
	"brain/page"
	"brain/text"

	"golang.org/x/sys/unix"
)

// tree is a brain on disk: the smallest Source that can be wrong in the ways
// a real one is.
type tree struct {
	dir        string
	reads      atomic.Int64
	unreadable []string                 // parts that List cannot read
	onRead     func(page.Path) error    // called before each read
	skip       func(string, int64) bool // files that the walk leaves out
	onList     func(*page.Listing)      // called with each listing
	failList   error
}

func newTree(t testing.TB, pages map[string]string) *tree {
	t.Helper()
	tr := &tree{dir: t.TempDir()}
	for p, s := range pages {
		tr.write(t, p, s)
	}
	return tr
}

func (tr *tree) file(p string) string { return filepath.Join(tr.dir, filepath.FromSlash(p)) }

// write puts a page down with a time long past, so that its row is proven.
func (tr *tree) write(t testing.TB, p, s string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(tr.file(p)), 0o700))
	must(t, os.WriteFile(tr.file(p), []byte(s), 0o600))
}

func (tr *tree) remove(t testing.TB, p string) {
	t.Helper()
	must(t, os.Remove(tr.file(p)))
}

func (tr *tree) List(ctx context.Context) (page.Listing, error) {
	l := page.Listing{Skipped: map[string]int{}, Unreadable: slices.Clone(tr.unreadable)}
	if tr.failList != nil {
		return l, tr.failList
	}
	err := filepath.WalkDir(tr.dir, func(path string, e fs.DirEntry, err error) error {
		rel, rerr := filepath.Rel(tr.dir, path)
		if err != nil || rerr != nil {
			return errors.Join(err, rerr)
		}
		rel = filepath.ToSlash(rel)
		for _, u := range tr.unreadable {
			if rel == u || u == "" {
				if e.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
		}
		if e.IsDir() || !strings.HasSuffix(rel, ".md") && !page.Path(rel).IsSession() {
			return nil
		}
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		if tr.skip != nil && tr.skip(rel, st.Size) {
			l.Skipped["too-large"]++
			return nil
		}
		l.Files = append(l.Files, page.File{Path: page.Path(rel), Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(), Inode: st.Ino})
		return nil
	})
	slices.SortFunc(l.Files, func(a, b page.File) int { return strings.Compare(string(a.Path), string(b.Path)) })
	if tr.onList != nil {
		tr.onList(&l)
	}
	return l, err
}

func (tr *tree) Read(ctx context.Context, p page.Path) ([]byte, error) {
	tr.reads.Add(1)
	if tr.onRead != nil {
		if err := tr.onRead(p); err != nil {
			return nil, err
		}
	}
	return os.ReadFile(tr.file(string(p)))
}

// settled makes all rows proven without waiting for the clock: every file is
// listed as an hour older than it is, and a change of its content is told by
// size, mtime or inode as before.
func (tr *tree) settled() *tree {
	tr.onList = func(l *page.Listing) {
		for i := range l.Files {
			l.Files[i].Ctime = 1
			l.Files[i].Mtime -= int64(time.Hour)
		}
	}
	return tr
}

// memory is a brain in memory, for tests that sync thousands of times.
type memory struct {
	files map[page.Path]memFile
	clock int64 // grows with each write
}

type memFile struct {
	data  string
	mtime int64
	inode uint64
}

func newMemory() *memory { return &memory{files: map[page.Path]memFile{}} }

func (m *memory) put(p, s string) {
	m.clock++
	old, ok := m.files[page.Path(p)]
	if !ok {
		old.inode = uint64(m.clock)
	}
	m.files[page.Path(p)] = memFile{s, m.clock, old.inode}
}

func (m *memory) List(context.Context) (page.Listing, error) {
	var l page.Listing
	for _, p := range slices.Sorted(maps.Keys(m.files)) {
		f := m.files[p]
		l.Files = append(l.Files, page.File{Path: p, Size: int64(len(f.data)), Mtime: f.mtime, Ctime: f.mtime, Inode: f.inode})
	}
	return l, nil
}

func (m *memory) Read(_ context.Context, p page.Path) ([]byte, error) {
	f, ok := m.files[p]
	if !ok {
		return nil, &fs.PathError{Op: "read", Path: string(p), Err: fs.ErrNotExist}
	}
	return []byte(f.data), nil
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func openIn(t testing.TB, dir string, e llm.Embedder) *Index {
	t.Helper()
	ix, err := Open(Options{Dir: dir, Embedder: e})
	must(t, err)
	t.Cleanup(func() { must(t, ix.Close()) })
	return ix
}

func open(t testing.TB, e llm.Embedder) *Index {
	t.Helper()
	return openIn(t, filepath.Join(t.TempDir(), "index"), e)
}

func syncIn(t testing.TB, ix *Index, src Source) Report {
	t.Helper()
	return syncWith(t, ix, src, SyncOptions{})
}

func syncWith(t testing.TB, ix *Index, src Source, o SyncOptions) Report {
	t.Helper()
	rep, err := ix.Sync(t.Context(), src, o)
	must(t, err)
	return rep
}

func view(t testing.TB, ix *Index) *View {
	t.Helper()
	v, err := ix.View()
	must(t, err)
	t.Cleanup(func() { must(t, v.Release()) })
	return v
}

// fresh syncs and gives the view that a question asked now would be answered from.
func fresh(t testing.TB, ix *Index, src Source) *View {
	t.Helper()
	syncIn(t, ix, src)
	return view(t, ix)
}

// words asks the lexical arm and gives "path score" lines, best first.
func words(t testing.TB, v *View, q string) []Match {
	t.Helper()
	r, err := v.Lexical(t.Context(), text.Query(q), "")
	must(t, err)
	defer r.Close()
	m, err := r.Top(1000, nil)
	must(t, err)
	return m
}

func paths(ms []Match) string {
	var out []string
	for _, m := range ms {
		out = append(out, m.Path)
	}
	return strings.Join(out, " ")
}

// found asserts which pages a question finds by words, in order of path.
func found(t testing.TB, v *View, q, want string) {
	t.Helper()
	var out []string
	for _, m := range words(t, v, q) {
		out = append(out, m.Path)
	}
	slices.Sort(out)
	if got := strings.Join(out, " "); got != want {
		t.Errorf("generation %d: %q finds %q, want %q", v.Generation(), q, got, want)
	}
}

// listing names everything below a folder with size, times and inode.
func listing(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		out[rel] = fmt.Sprint(st.Size, st.Mtim.Nano(), st.Ctim.Nano(), st.Ino)
		return err
	}))
	return out
}

// noLitter asserts that a folder holds published generations only.
func noLitter(t testing.TB, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tmpPrefix) || strings.HasPrefix(e.Name(), trashPrefix) || e.Name() == "CURRENT.tmp" {
			t.Errorf("left behind: %s", e.Name())
		}
	}
}

// sound asserts that the index agrees with the tree and its own checksums.
func sound(t testing.TB, ix *Index, src Source) {
	t.Helper()
	f, err := ix.Check(t.Context(), src, true)
	must(t, err)
	if len(f) > 0 {
		t.Fatalf("check: %v", f)
	}
}

// listed is a tree whose listing is taken once.
type listed struct {
	*tree
	l page.Listing
}

func (l listed) List(context.Context) (page.Listing, error) { return l.l, nil }
