package store

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
	"testing"
	"time"
)

// plant writes files below a folder, those below sessions/ as the inbox does.
func plant(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		folders, mode := fs.FileMode(0o755), fs.FileMode(0o644)
		if strings.HasPrefix(name, "sessions/") {
			folders, mode = 0o700, 0o600
		}
		if err := os.MkdirAll(filepath.Dir(full), folders); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
}

// tree describes all files and folders below one: mode, time and content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		info, err := d.Info()
		if err != nil || d.IsDir() {
			all[rel] = fmt.Sprint(info.Mode())
			return err
		}
		raw, err := os.ReadFile(name)
		all[rel] = fmt.Sprintf("%v %v %q", info.Mode(), info.ModTime().UnixNano(), raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func sameTree(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: %s, want %s", name, got[name], want[name])
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: nobody exported it", name)
		}
	}
}

var everyForm = map[string]string{
	"页面/中文 笔记.md":                          "# 中文\n\n内容。\n",
	"notes/crlf.md":                        "\ufeff---\r\ntitle: bom\r\n---\r\nbody\r\n",
	"notes/empty.md":                       "",
	"sessions/2026-03/4f1c/meta.json":      "{}\n",
	"sessions/2026-03/4f1c/messages.jsonl": "{\"session\":\"4f1c\"}\n",
	"attachments/图.png":                    "\x89PNG\x00\x01\xff",
	"agents/coder/facts/ab/f.md":           "fact\n",
	".obsidian/app.json":                   "{}",
	"memory.json":                          "{}",
	"forgotten.jsonl":                      "",
}

// exported makes a brain of every form of file, with what is no content beside it.
func exported(t *testing.T) (st *Store, dir string) {
	t.Helper()
	st, dir = newBrain(t)
	plant(t, dir, everyForm)
	plant(t, dir, map[string]string{
		"memory.yml": "brain: other", ".git/config": "x", ".brain/index/x": "x", "notes/.git": "gitdir: x",
		".txn/tmp-1": "x", "inner/brain.yml": "id: inner", "inner/secret.md": "secret",
	})
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "notes", "link.md")); err != nil {
		t.Fatal(err)
	}
	old := time.Date(2020, 5, 6, 7, 8, 9, 123456789, time.UTC)
	if err := os.Chtimes(filepath.Join(dir, "notes", "crlf.md"), old, old); err != nil {
		t.Fatal(err)
	}
	return st, dir
}

// content is what an export of exported must hold.
func content(t *testing.T, dir string) map[string]string {
	all := tree(t, dir)
	for name := range all {
		first, _, _ := strings.Cut(name, "/")
		if slices.Contains([]string{"memory.yml", ".git", ".brain", ".txn", "inner"}, first) || name == "notes/.git" || name == "notes/link.md" {
			delete(all, name)
		}
	}
	return all
}

func TestAnExportComesBackByteForByte(t *testing.T) {
	st, dir := exported(t)
	want := content(t, dir)
	for _, form := range []string{"b.tar.gz", "b.TGZ", "folder"} {
		to := filepath.Join(t.TempDir(), form)
		ex, err := st.Export(t.Context(), to, ExportOptions{})
		if err != nil {
			t.Fatal(err)
		}
		skipped := fmt.Sprint(ex.Skipped)
		if skipped != "[{inner other-brain} {memory.yml settings} {notes/link.md symlink}]" {
			t.Errorf("skipped %s", skipped)
		}
		if ex.Count != len(everyForm)+1 { // and brain.yml
			t.Errorf("%d files", ex.Count)
		}
		if fi, err := os.Stat(to); err != nil || fi.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: others may read it: %v %v", form, fi.Mode(), err)
		}
		if m, err := Verify(t.Context(), to); err != nil || m.Count != ex.Count || m.Brain != "default" {
			t.Errorf("verify: %v %v", m, err)
		}
		r := newRoot(t)
		in, err := r.Import(t.Context(), to, ImportOptions{Brain: "回来"})
		if err != nil {
			t.Fatal(err)
		}
		sameTree(t, tree(t, in.Dir), want)
		if names, err := r.Brains(); err != nil || !slices.Equal(names, []string{"回来"}) {
			t.Errorf("brains %q %v", names, err)
		}
		wantNames(t, filepath.Join(r.Dir, "brains"), "回来")
	}
}

func newRoot(t *testing.T) Root {
	t.Helper()
	dir := t.TempDir()
	plant(t, dir, map[string]string{"memory.yml": ""})
	r, err := At(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func wantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s holds %q, want %q", dir, got, want)
	}
}

func TestAnExportReplacesOnlyWhatItMay(t *testing.T) {
	st, _ := exported(t)
	out := t.TempDir()
	plant(t, out, map[string]string{"a.tar.gz": "mine", "folder/mine.txt": "mine"})
	for _, name := range []string{"a.tar.gz", "folder"} {
		to := filepath.Join(out, name)
		if _, err := st.Export(t.Context(), to, ExportOptions{}); !errors.Is(err, ErrExists) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := st.Export(t.Context(), filepath.Join(out, "folder"), ExportOptions{Force: true}); !errors.Is(err, ErrExists) {
		t.Errorf("a folder that is no export: %v", err)
	}
	if _, err := st.Export(t.Context(), filepath.Join(out, "a.tar.gz"), ExportOptions{Force: true}); err != nil {
		t.Error(err)
	}
	for range 2 {
		if _, err := st.Export(t.Context(), filepath.Join(out, "again"), ExportOptions{Force: true}); err != nil {
			t.Error(err)
		}
	}
	wantNames(t, out, "a.tar.gz", "again", "folder")
}

// TestAnExportHasNoHole demands that a file which cannot be read ends an export.
func TestAnExportHasNoHole(t *testing.T) {
	st, dir := newBrain(t, "notes/crlf.md", "notes/x.md")
	chmod(t, 0o000, filepath.Join(dir, "notes", "crlf.md"))
	out, err := unprivileged(t, "export-denied", rootOf(st))
	if err == nil || !strings.Contains(out, ErrUnreadable.Error()) || !strings.Contains(out, "crlf.md") {
		t.Errorf("%v: %s", err, out)
	}
}

func exportDenied(root string) error {
	st, err := openDefault(root)
	if err != nil {
		return err
	}
	_, err = st.Export(context.Background(), filepath.Join(os.TempDir(), fmt.Sprintf("brain-export-test-%d.tar.gz", os.Getpid())), ExportOptions{})
	return err
}

// meddler is a context that does something the nth time it is looked at, which an
// export does before each file.
type meddler struct {
	context.Context
	left int
	do   func()
}

func (m *meddler) Err() error {
	if m.left--; m.left == 0 {
		m.do()
	}
	return m.Context.Err()
}

// TestAnExportShowsOneMoment changes a brain at every point of an export. Whatever the
// point, the export shows the brain as it was before or as it is afterwards.
func TestAnExportShowsOneMoment(t *testing.T) {
	st, dir := newBrain(t)
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for what, change := range map[string]func() error{
		"two files rewritten": func() error {
			plant(t, dir, map[string]string{"a.md": "afterwards", "c/d.md": "afterwards"})
			return nil
		},
		"moved to a folder that was looked at": func() error { return os.Rename(in("z/x.md"), in("c/x.md")) },
		"moved to one that was not":            func() error { return os.Rename(in("c/y.md"), in("z/y.md")) },
		"rewritten in place with its old time": func() error {
			info, err := os.Stat(in("c/d.md"))
			put(t, in("c/d.md"), "BEFORE")
			return errors.Join(err, os.Chtimes(in("c/d.md"), info.ModTime(), info.ModTime()))
		},
	} {
		met := 0
		for n := 1; ; n++ {
			os.RemoveAll(in("c"))
			os.RemoveAll(in("z"))
			plant(t, dir, map[string]string{"a.md": "before", "c/d.md": "before", "c/y.md": "y", "z/x.md": "x"})
			before := texts(t, dir)
			ctx := &meddler{t.Context(), n, func() {
				if err := change(); err != nil {
					t.Error(err)
				}
			}}
			to := filepath.Join(t.TempDir(), "x")
			if _, err := st.Export(ctx, to, ExportOptions{}); err != nil {
				t.Fatalf("%s, point %d: %v", what, n, err)
			}
			if _, err := Verify(t.Context(), to); err != nil {
				t.Error(err)
			}
			switch got := texts(t, filepath.Join(to, "brain")); {
			case maps.Equal(got, texts(t, dir)):
				met++
			case !maps.Equal(got, before):
				t.Errorf("%s, point %d: %q", what, n, got)
			}
			if ctx.left > 0 {
				break // the export was over before the nth look
			}
		}
		if met < 3 {
			t.Errorf("%s: only %d exports met the change", what, met)
		}
	}
}

// texts are the files of a brain that pages are.
func texts(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".md" {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		raw, err := os.ReadFile(name)
		all[rel] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestAnExportOfABrainThatNeverRestsEnds changes a file at every look.
func TestAnExportOfABrainThatNeverRestsEnds(t *testing.T) {
	st, dir := newBrain(t, "a.md")
	i := 0
	ctx := &meddler{Context: t.Context(), left: 1}
	ctx.do = func() {
		i++
		put(t, filepath.Join(dir, "a.md"), strings.Repeat("x", i))
		ctx.left = 1
	}
	to := filepath.Join(t.TempDir(), "x.tar.gz")
	if _, err := st.Export(ctx, to, ExportOptions{}); !errors.Is(err, ErrChanging) {
		t.Errorf("%v, want %v", err, ErrChanging)
	}
	wantNames(t, filepath.Dir(to))
}

func TestAnExportWaitsForAnUpdateInFlight(t *testing.T) {
	st, dir := newBrain(t)
	plant(t, dir, map[string]string{"a.md": "a"})
	plant(t, dir, map[string]string{journalName: "{"})
	to := filepath.Join(t.TempDir(), "b.tar.gz")
	if _, err := st.exportOnce(t.Context(), to, ExportOptions{}, map[string]*seen{}); !errors.Is(err, errMoved) {
		t.Errorf("a journal stands: %v", err)
	}
	wantNames(t, filepath.Dir(to))
}
