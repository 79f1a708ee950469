package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// prey is a brain with what a hostile journal may be after.
func prey(t testing.TB) (root, dir string) {
	t.Helper()
	root = memDir(t)
	if _, err := Init(root, InitOptions{}); err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(root, "brains", "default")
	for name, content := range map[string]string{
		"page.md": "x", "sub/page.md": "x", ".git/config": "x", ".git/x.md": "x", "image.png": "x", "other/brain.yml": "x", "other/page.md": "x",
		"sessions/2026-01/s/messages.jsonl": "x", ".obsidian/x.md": "x",
	} {
		put(t, filepath.Join(dir, name), content)
	}
	put(t, filepath.Join(root, "brains", "x.md"), "x")
	put(t, filepath.Join(root, "outside.md"), "x")
	put(t, filepath.Join(root, "brains", "second", "page.md"), "x")
	if err := errors.Join(os.Symlink("../..", filepath.Join(dir, "link")), os.Symlink("sub", filepath.Join(dir, "inside"))); err != nil {
		t.Skip("no symlinks here: ", err)
	}
	return root, dir
}

const hostileID = "20261130-061500.000-abcdef"

// A journal that came with a clone or an archive moves and removes nothing that
// no update could, and the brain says so until it is looked at.
func TestAJournalIsNotBelieved(t *testing.T) {
	x := string(HashOf([]byte("x")))
	temp, old := txnDir+"/tmp-"+hostileID+"-T", txnDir+"/tmp-"+hostileID+"-0"
	file := func(path, before, after, temp, old string) string {
		raw, _ := json.Marshal(map[string]string{"path": path, "before": before, "after": after, "temp": temp, "old": old, "image": "0"})
		return string(raw)
	}
	added := func(path string) string {
		return strings.Replace(file(path, "", x, temp, ""), `,"image":"0"`, "", 1)
	}
	journal := func(id, state, made string, files ...string) string {
		return fmt.Sprintf(`{"id":%q,"state":%q,"made":[%s],"files":[%s]}`, id, state, made, strings.Join(files, ","))
	}
	cases := map[string]string{
		"not JSON":                  "}",
		"nothing":                   "",
		"null":                      "null",
		"a list":                    "[]",
		"no files":                  journal(hostileID, "prepared", ""),
		"a null file":               journal(hostileID, "prepared", "", "null"),
		"no id":                     journal("", "prepared", "", added("page.md")),
		"an id that is a path":      journal("../../../20261130-061500.0", "prepared", "", added("page.md")),
		"an unknown state":          journal(hostileID, "purged", "", added("page.md")),
		"no state":                  journal(hostileID, "", "", added("page.md")),
		"a made folder of no file":  journal(hostileID, "prepared", `"sub"`, added("page.md")),
		"a made folder outside":     journal(hostileID, "prepared", `".."`, added("page.md")),
		"two files of one name":     journal(hostileID, "prepared", "", added("page.md"), added("page.md")),
		"a page as the temp":        journal(hostileID, "prepared", "", file("new.md", "", x, "page.md", "")),
		"a page as the old":         journal(hostileID, "prepared", "", file("new.md", x, "", "", "page.md")),
		"a temp of another job":     journal(hostileID, "prepared", "", file("new.md", "", x, txnDir+"/tmp-20261130-061500.000-zzzzzz-T", "")),
		"a temp further down":       journal(hostileID, "prepared", "", file("new.md", "", x, temp+"/../../page.md", "")),
		"an old that leads out":     journal(hostileID, "committed", "", file("page.md", x, "", "", txnDir+"/tmp-"+hostileID+"-/../../page.md")),
		"an image that leads out":   journal(hostileID, "committed", "", strings.Replace(file("page.md", x, "", "", old), `"image":"0"`, `"image":"../../../../outside.md"`, 1)),
		"a hash that is none":       journal(hostileID, "prepared", "", file("page.md", "", "y", temp, "")),
		"a page that is renewed":    journal(hostileID, "committed", "", strings.Replace(file("page.md", x, "", "", old), `"image"`, `"renewed":true,"image"`, 1)),
		"a renewal that removes":    journal(hostileID, "committed", "", strings.Replace(file("memory.json", x, "", "", old), `"image"`, `"renewed":true,"image"`, 1)),
		"no change":                 journal(hostileID, "prepared", "", file("page.md", x, x, temp, old)),
		"an addition with an image": journal(hostileID, "prepared", "", file("page.md", "", x, temp, "")),
	}
	for _, path := range []string{"../x.md", "../../outside.md", "../second/page.md", "/etc/x.md", "brain.yml", ".git/config", ".git/x.md", ".obsidian/x.md",
		"image.png", "other/page.md", "link/outside.md", "link/brains/x.md", "inside/page.md", "sub/../page.md", ".txn/x.md", ".txn/LOCK", "", ".", "sub",
		"sessions/2026-01/s/messages.jsonl", `sub\page.md`, "page.md/x.md", "memory.yml", ".brainignore"} {
		cases["adds "+path] = journal(hostileID, "prepared", "", added(path))
		cases["replaces "+path] = journal(hostileID, "prepared", "", file(path, x, string(HashOf(nil)), temp, old))
	}
	for name, raw := range cases {
		t.Run(name, func(t *testing.T) {
			root, dir := prey(t)
			put(t, filepath.Join(dir, journalName), raw)
			put(t, filepath.Join(dir, old), "planted")
			before := filesOf(t, root)
			st := reopen(t, root, nil)
			defer st.Close()
			wantErr(t, st.Recover(), ErrDamaged)
			err := update(t, st, func(tx *Tx) error { return tx.Add("new.md", nil) })
			wantErr(t, err, ErrDamaged)
			if err != nil && !strings.Contains(err.Error(), journalName) {
				t.Errorf("%v does not say where", err)
			}
			if after := withoutLock(filesOf(t, root)); !maps.Equal(after, before) {
				t.Errorf("files %q\nwant %q", after, before)
			}
			if err := os.Remove(filepath.Join(dir, journalName)); err != nil {
				t.Fatal(err)
			}
			if err := update(t, st, func(tx *Tx) error { return tx.Add("new.md", nil) }); err != nil {
				t.Errorf("once it is removed: %v", err)
			}
		})
	}
}

// withoutLock leaves out what taking the lock makes.
func withoutLock(files map[string]string) map[string]string {
	maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasSuffix(name, lockName) })
	return files
}

func TestAJournalThatIsNoFileIsNotBelieved(t *testing.T) {
	for kind, make := range map[string]func(name string) error{
		"folder": func(name string) error { return os.Mkdir(name, 0o755) },
		"link":   func(name string) error { return os.Symlink("../page.md", name) },
		"fifo":   mkfifo,
	} {
		root, dir := prey(t)
		if err := errors.Join(os.Mkdir(filepath.Join(dir, txnDir), 0o755), make(filepath.Join(dir, journalName))); err != nil {
			t.Logf("no %s here: %v", kind, err)
			continue
		}
		st := reopen(t, root, nil)
		defer st.Close()
		wantErr(t, update(t, st, func(tx *Tx) error { return tx.Add("new.md", nil) }), ErrDamaged)
		if !fileIs(filepath.Join(dir, "page.md"), "x") {
			t.Errorf("%s: the page is changed", kind)
		}
	}
}

// FuzzJournal recovers from any bytes: nothing outside the pages that an update
// may write is touched, and nothing panics.
func FuzzJournal(f *testing.F) {
	f.Add([]byte("{"), []byte("x"))
	x := HashOf([]byte("x"))
	for _, path := range []string{"page.md", "../x.md", ".git/config", "link/outside.md", "other/page.md", "sub/page.md"} {
		for _, state := range []string{statePrepared, stateCommitted} {
			j := journal{Job: Job{ID: hostileID, Reason: "r"}, State: state, Made: []string{"sub"}, Files: []*edit{
				{Change: Change{Path: path, After: x}, Temp: tempOf(hostileID, "T")},
				{Change: Change{Path: "sub/page.md", Before: x, After: HashOf(nil), Image: "1"}, Temp: tempOf(hostileID, "U"), Old: tempOf(hostileID, "1")},
			}}
			raw, err := json.Marshal(j)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(raw, []byte("x"))
			f.Add(raw, []byte("planted"))
		}
	}
	root, dir := prey(f)
	safe := func(t testing.TB) map[string]string {
		files := filesOf(t, root)
		maps.DeleteFunc(files, func(name, _ string) bool {
			rel, inside := strings.CutPrefix(name, "brains/default/")
			r, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			return inside && (mayRestore(r, rel) == nil || strings.HasPrefix(rel, txnDir+"/")) || strings.HasPrefix(name, stateDir+"/")
		})
		return files
	}
	want := safe(f)
	f.Fuzz(func(t *testing.T, raw, planted []byte) {
		for _, name := range []string{"page.md", "sub/page.md"} {
			put(t, filepath.Join(dir, name), "x")
		}
		put(t, filepath.Join(dir, journalName), string(raw))
		put(t, filepath.Join(dir, tempOf(hostileID, "1")), string(planted))
		st := reopen(t, root, nil)
		defer st.Close()
		err := st.Recover()
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Logf("%v", err)
		}
		if got := safe(t); !maps.Equal(got, want) {
			t.Errorf("files %q\nwant %q", got, want)
		}
		if err := os.RemoveAll(filepath.Join(dir, txnDir)); err != nil {
			t.Fatal(err)
		}
	})
}
