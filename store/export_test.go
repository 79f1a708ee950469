package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
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

// TestAnExportShowsOneMoment exports while two files are written again and again,
// always both with the same number: no export may show two numbers.
func TestAnExportShowsOneMoment(t *testing.T) {
	st, dir := newBrain(t)
	plant(t, dir, map[string]string{"a.md": "0", "b.md": "0"})
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			for _, name := range []string{"a.md", "b.md"} {
				temp := filepath.Join(dir, "."+name)
				os.WriteFile(temp, fmt.Append(nil, i), 0o644)
				os.Rename(temp, filepath.Join(dir, name))
			}
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(rand.IntN(40)) * time.Millisecond):
			}
		}
	}()
	done := 0
	for i := range 15 {
		to := filepath.Join(t.TempDir(), fmt.Sprint(i))
		_, err := st.Export(t.Context(), to, ExportOptions{})
		if errors.Is(err, ErrChanging) {
			wantNames(t, filepath.Dir(to))
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		done++
		a, _ := os.ReadFile(filepath.Join(to, "brain", "a.md"))
		b, _ := os.ReadFile(filepath.Join(to, "brain", "b.md"))
		if x, y := atoi(a), atoi(b); x != y && x != y+1 { // a is written first
			t.Errorf("a.md %d, b.md %d", x, y)
		}
		if _, err := Verify(t.Context(), to); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	<-stopped
	if done == 0 {
		t.Error("no export was ever made")
	}
}

func atoi(raw []byte) (n int) { fmt.Sscan(string(raw), &n); return n }

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
