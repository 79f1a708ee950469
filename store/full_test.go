package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// large is the journey of all kinds of changes, each larger than a block.
func large() journey {
	j := journey{name: "large", files: map[string]string{}}
	for name := range allKinds {
		j.files[name] = name + strings.Repeat("一页 of text\n", 700)
	}
	h := func(name string) Hash { return HashOf([]byte(j.files[name])) }
	j.fn = func(tx *Tx) error {
		for _, err := range []error{
			tx.Replace("edit.md", h("edit.md"), []byte(strings.Repeat("new text\n", 2000))),
			tx.Remove("gone.md", h("gone.md")),
			tx.Remove("sub/from.md", h("sub/from.md")), tx.Add("new/deep/to.md", []byte(j.files["sub/from.md"])),
			tx.Append(Forgotten, []byte(`{"b":2}`)),
			tx.Replace("页.md", h("页.md"), nil),
		} {
			if err != nil {
				return err // the first one, as callers do
			}
		}
		return nil
	}
	return j
}

// on makes the brain of a journey in a folder that is there.
func (j journey) on(t *testing.T, root string) (st *Store, dir string, old map[string]string, notes *[]string) {
	t.Helper()
	rep, err := Init(root, InitOptions{Brain: "default"})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range j.files {
		put(t, filepath.Join(rep.Dir, name), content)
	}
	st = reopen(t, root, nil)
	t.Cleanup(func() { st.Close() })
	notes = new([]string)
	st.OnNote = func(line string) { *notes = append(*notes, line) }
	return st, rep.Dir, filesOf(t, rep.Dir), notes
}

// leave fills a disk until about that many bytes are free.
func leave(t *testing.T, disk string, bytes int) (undo func()) {
	t.Helper()
	spare := filepath.Join(disk, "spare")
	if err := os.WriteFile(spare, make([]byte, bytes), 0o600); err != nil {
		t.Fatal(err)
	}
	fill, err := os.Create(filepath.Join(disk, "fill"))
	if err != nil {
		t.Fatal(err)
	}
	for block := make([]byte, 4096); err == nil; {
		_, err = fill.Write(block)
	}
	fill.Close()
	if !isNoSpace(err) {
		t.Fatal(err)
	}
	if err := os.Remove(spare); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(fill.Name()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestADiskThatIsFullAtAnyStepKeepsWhatIsThere(t *testing.T) {
	j := large()
	new := j.after(t)
	root := t.TempDir()
	mountDisk(t, root, "size=1m")
	st, dir, old, _ := j.on(t, root)
	old = withRights(old)
	failed := 0
	for free := 0; ; free += 4096 {
		undo := leave(t, root, free)
		err := update(t, st, j.fn)
		if err == nil {
			if got := filesOf(t, dir); !maps.Equal(withRights(got), withRights(new)) {
				t.Errorf("done, but %d files", len(got))
			}
			wantClean(t, dir)
			undo()
			break
		}
		failed++
		if !isNoSpace(err) {
			t.Errorf("%d bytes free: %v", free, err)
		}
		if got := filesOf(t, dir); !maps.Equal(withRights(got), old) {
			t.Fatalf("%d bytes free: the tree changed: %v", free, err)
		}
		if _, err := os.Lstat(filepath.Join(dir, txnDir)); err == nil {
			wantClean(t, dir)
			if _, err := os.Lstat(filepath.Join(dir, txnDir, ".gitignore")); err != nil {
				t.Errorf("%d bytes free: .txn is not hidden from git: %v", free, err)
			}
		}
		undo()
		if err := update(t, st, func(tx *Tx) error { return tx.Add("next.md", []byte("n")) }); err != nil {
			t.Errorf("once there is room: %v", err)
		}
		if err := update(t, st, func(tx *Tx) error { return tx.Remove("next.md", HashOf([]byte("n"))) }); err != nil {
			t.Error(err)
		}
		wantClean(t, dir)
	}
	if failed < 10 {
		t.Errorf("only %d failures", failed)
	}
	t.Logf("%d times no space", failed)
}

// withRights leaves the rights out: those of test files differ.
func withRights(files map[string]string) map[string]string {
	out := map[string]string{}
	for name, s := range files {
		_, out[name], _ = strings.Cut(s, " ")
	}
	return out
}

// A disk may have room and no more files.
func TestADiskThatTakesNoMoreFilesKeepsWhatIsThere(t *testing.T) {
	j := journeys()[3]
	root := t.TempDir()
	mountDisk(t, root, "size=4m,nr_inodes=120")
	st, dir, old, _ := j.on(t, root)
	if err := update(t, st, func(tx *Tx) error { return nil }); err != nil { // makes .txn
		t.Fatal(err)
	}
	failed := 0
	for free := 0; ; free++ {
		var fill []string
		for n := 0; ; n++ {
			name := filepath.Join(root, fmt.Sprint("fill", n))
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				break
			}
			fill = append(fill, name)
		}
		for i, name := range fill {
			if i < free {
				os.Remove(name)
			}
		}
		err := update(t, st, j.fn)
		for _, name := range fill {
			os.Remove(name)
		}
		wantClean(t, dir)
		if err == nil {
			break
		}
		failed++
		if got := filesOf(t, dir); !isNoSpace(err) || !maps.Equal(got, old) {
			t.Fatalf("%d files free: %v: %q", free, err, got)
		}
	}
	if failed < 5 {
		t.Errorf("only %d failures", failed)
	}
}

// The undo store may lie on a disk of its own, be full, or be read-only: an
// update is done all the same, and says that it cannot be undone. What left the tree
// by it is kept beside the journal.
func TestTheUndoStoreOnADiskOfItsOwn(t *testing.T) {
	j := large()
	for _, tc := range []struct {
		name string
		free int // bytes; -1: enough
		ro   bool
		undo error
	}{
		{"with room", -1, false, nil}, {"full", 0, false, ErrNoJob}, {"room for the record", 4096, false, ErrCannotUndo},
		{"room for some", 4096 + 40_000, false, ErrCannotUndo}, {"read-only", -1, true, ErrNoJob},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := t.TempDir()
			state := filepath.Join(root, stateDir)
			if err := os.Mkdir(state, 0o700); err != nil {
				t.Fatal(err)
			}
			mountDisk(t, state, "size=512k")
			st, dir, old, notes := j.on(t, root)
			if err := os.MkdirAll(st.undo.dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(st.undo.dir, "PRUNED"), []byte("2000-01-01"), 0o600); err != nil {
				t.Fatal(err)
			}
			if tc.free >= 0 {
				defer leave(t, state, tc.free)()
			}
			if tc.ro {
				remount(t, state, "ro")
			}
			id := ""
			err := update(t, st, func(tx *Tx) error { id = tx.Job(); return j.fn(tx) })
			if err != nil {
				t.Fatal(err)
			}
			aside, _ := filepath.Glob(filepath.Join(dir, txnDir, "kept-*"))
			if tc.undo != nil && (len(aside) != 1 || !fileIs(aside[0], j.files["gone.md"]) || !strings.Contains(strings.Join(*notes, "\n"), aside[0])) {
				t.Errorf("kept %q of what left the tree, notes %q", aside, *notes)
			}
			for _, f := range aside {
				if err := os.Remove(f); err != nil {
					t.Fatal(err)
				}
			}
			wantClean(t, dir)
			if _, there := filesOf(t, dir)["gone.md"]; there {
				t.Error("the update is not done")
			}
			if said := strings.Contains(strings.Join(*notes, "\n"), "cannot be undone"); said != (tc.undo != nil) {
				t.Errorf("notes %q", *notes)
			}
			done := filesOf(t, dir)
			switch _, _, err := st.Undo(context.Background(), id); {
			case tc.undo == nil && err != nil, !errors.Is(err, tc.undo):
				t.Errorf("undo: %v, want %v", err, tc.undo)
			case tc.undo == nil:
				if got := filesOf(t, dir); !maps.Equal(got, old) {
					t.Errorf("undone: %q", got)
				}
			default:
				if got := filesOf(t, dir); !maps.Equal(got, done) {
					t.Error("what cannot be undone was changed")
				}
			}
		})
	}
}

// What was edited during a write that failed is kept even where the undo store
// takes nothing.
func TestBytesAreKeptBesideTheJournalWhenTheUndoStoreIsFull(t *testing.T) {
	j := large()
	root := t.TempDir()
	state := filepath.Join(root, stateDir)
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	mountDisk(t, state, "size=64k")
	st, dir, _, notes := j.on(t, root)
	if err := os.MkdirAll(st.undo.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	defer leave(t, state, 0)()
	st.steps = func(op, name string) error {
		if op == "rename" && name == journalName && !fileIs(filepath.Join(dir, "edit.md"), j.files["edit.md"]) {
			put(t, filepath.Join(dir, "edit.md"), "BY HAND")
			return errInjected
		}
		return nil
	}
	wantErr(t, update(t, st, j.fn), errInjected)
	if !fileIs(filepath.Join(dir, "edit.md"), "BY HAND") {
		t.Error("the edit is lost")
	}
	aside, _ := filepath.Glob(filepath.Join(dir, txnDir, "kept-*"))
	if len(aside) != 1 || !fileIs(aside[0], j.files["edit.md"]) || !strings.Contains(strings.Join(*notes, "\n"), aside[0]) {
		t.Errorf("kept %q, notes %q", aside, *notes)
	}
}

func TestAReadOnlyTreeIsReadAndNotWritten(t *testing.T) {
	j := large()
	root := t.TempDir()
	mountDisk(t, root, "size=2m")
	st, dir, old, _ := j.on(t, root)
	if err := update(t, st, func(tx *Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	remount(t, root, "ro")
	err := update(t, st, j.fn)
	if !isReadOnlyDisk(err) {
		t.Errorf("error %v", err)
	}
	if got := filesOf(t, dir); !maps.Equal(got, old) {
		t.Errorf("files %q", got)
	}
	wantPaths(t, st, "edit.md", "gone.md", "still.md", "sub/from.md", "页.md")

	// A writer died, and then the disk turned read-only: its pages are told of,
	// and are taken back when that ends.
	remount(t, root, "rw")
	f := &fault{at: 25, dies: true}
	st.steps = f.step
	wantErr(t, update(t, st, j.fn), errInjected)
	st.steps = nil
	remount(t, root, "ro")
	if err := st.Recover(); !isReadOnlyDisk(err) {
		t.Errorf("recover: %v", err)
	}
	if l := list(t, st); len(l.InFlight) == 0 {
		t.Error("nothing is in flight")
	}
	remount(t, root, "rw")
	if err := st.Recover(); err != nil {
		t.Error(err)
	}
	if got := filesOf(t, dir); !maps.Equal(got, old) {
		t.Errorf("files %q", got)
	}
	wantClean(t, dir)
}

func TestABrainOnAFileSystemOfItsOwn(t *testing.T) {
	j := journeys()[3]
	root := t.TempDir()
	dir := filepath.Join(root, "brains", "default")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	mountDisk(t, dir, "size=1m")
	st, _, old, notes := j.on(t, root)
	for name := range j.files {
		if err := os.Chmod(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
		old[name] = strings.Replace(old[name], "-rw-r--r--", "-rw-------", 1)
	}
	if err := update(t, st, j.fn); err != nil {
		t.Fatal(err)
	}
	jobs, err := st.Jobs(0)
	if err != nil || len(jobs) != 1 {
		t.Fatalf("jobs %v, %v", jobs, err)
	}
	undone, _, err := st.Undo(context.Background(), jobs[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if got := filesOf(t, dir); !maps.Equal(got, old) {
		t.Errorf("undone: %q\nwant %q", got, old)
	}
	if _, _, err := st.Undo(context.Background(), undone.ID); err != nil {
		t.Errorf("undo of the undo: %v", err)
	}
	if len(*notes) > 0 {
		t.Errorf("notes %q", *notes)
	}
	wantClean(t, dir)
}

// A folder that may not be written keeps its page, and the rest of the update
// waits with it.
func TestAFolderWithoutPermissionStopsTheWholeUpdate(t *testing.T) {
	root := t.TempDir()
	j := journey{files: map[string]string{"a.md": "a", "shut/b.md": "b"}}
	_, dir, old, _ := j.on(t, root)
	if os.Getuid() == 0 {
		err := filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chown(name, 65534, 65534))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "shut"), 0o555); err != nil {
		t.Fatal(err)
	}
	if out, err := unprivileged(t, "update-shut", root); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := filesOf(t, dir); !maps.Equal(got, old) {
		t.Errorf("files %q, want %q", got, old)
	}
	wantClean(t, dir)
	if err := os.Chmod(filepath.Join(dir, "shut"), 0o755); err != nil {
		t.Fatal(err)
	}
}

func updateShut(root string) error {
	st, err := openDefault(root)
	if err != nil {
		return err
	}
	for _, last := range []func(tx *Tx) error{
		func(tx *Tx) error { return tx.Replace("shut/b.md", HashOf([]byte("b")), []byte("B")) },
		func(tx *Tx) error { return tx.Remove("shut/b.md", HashOf([]byte("b"))) },
		func(tx *Tx) error { return tx.Add("shut/c.md", nil) },
	} {
		err := st.Update(context.Background(), "test", func(tx *Tx) error {
			return errors.Join(tx.Replace("a.md", HashOf([]byte("a")), []byte("A")), tx.Add("c.md", nil), last(tx))
		})
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "shut/") {
			return fmt.Errorf("want a permission error, got %w", err)
		}
	}
	return nil
}

// Who is told that an update cannot be undone is not told how to undo it.
func TestAReceiptNamesNoJobThatCannotBeUndone(t *testing.T) {
	for _, op := range []string{"record", "keep", "nothing"} {
		st, _ := newBrain(t, "a.md")
		st.steps = func(o, _ string) error {
			if o == op {
				return errInjected
			}
			return nil
		}
		var r *Receipt
		if err := update(t, st, func(tx *Tx) error {
			r = tx.Receipt()
			return tx.Replace("a.md", HashOf([]byte("a.md")), []byte("A"))
		}); err != nil {
			t.Fatal(err)
		}
		if (r.Job != "") != (op == "nothing") || len(r.Paths) != 1 {
			t.Errorf("%s fails: %+v", op, r)
		}
	}
}
