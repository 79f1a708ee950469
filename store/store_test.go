package store

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"brain/page"
)

// TestMain lets the test binary act as the other process of a test: a writer
// beside us, a user without rights.
func TestMain(m *testing.M) {
	if role := os.Getenv("STORE_TEST_ROLE"); role != "" {
		if err := roles[role](os.Getenv("STORE_TEST_DIR")); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var roles = map[string]func(dir string) error{
	"add20":         add20,
	"add-for-ever":  addForEver,
	"hang-in-tx":    hangInTx,
	"list-denied":   listDenied,
	"update-denied": updateDenied,
	"update-shut":   updateShut,
	"crowd":         crowdRole,
	"at-step":       atStepRole,
	"read-denied":   readDenied,
	"export-denied": exportDenied,
	"import":        importOnce,
	"commit-25":     commit25,
	"keep-writing":  keepWriting,
}

// as is this test binary in another role, on a memory root.
func as(t *testing.T, role, dir string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append(env, "STORE_TEST_ROLE="+role, "STORE_TEST_DIR="+dir)...)
	cmd.Stderr = os.Stderr
	return cmd
}

// unprivileged runs a role as a user whom permission bits bind.
func unprivileged(t *testing.T, role, dir string) (string, error) {
	t.Helper()
	cmd := as(t, role, dir)
	cmd.Stderr = nil
	if os.Getuid() == 0 {
		unprivilege(t, cmd)
		for up := dir; up != os.TempDir() && up != "/"; up = filepath.Dir(up) {
			if err := os.Chmod(up, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		// the test binary lies in a private folder of root's
		bin := filepath.Join(dir, ".test-binary")
		raw, err := os.ReadFile(os.Args[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(bin, raw, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd.Path = bin
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// newBrain makes a memory root with the brain "default" that holds files.
func newBrain(t *testing.T, files ...string) (*Store, string) {
	t.Helper()
	root := t.TempDir()
	rep, err := Init(root, InitOptions{Settings: []byte("# settings\n")})
	if err != nil {
		t.Fatal(err)
	}
	write(t, rep.Dir, files...)
	return open(t, rep.Root.Dir), rep.Dir
}

func open(t *testing.T, root string) *Store {
	t.Helper()
	st, err := openDefault(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

func openDefault(root string) (*Store, error) {
	r, err := At(root)
	if err != nil {
		return nil, err
	}
	return Open(r, "default")
}

// write puts files, named relative to dir, with their own name as content.
func write(t *testing.T, dir string, files ...string) {
	t.Helper()
	for _, f := range files {
		put(t, filepath.Join(dir, f), f)
	}
}

func put(t testing.TB, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func list(t *testing.T, st *Store) page.Listing {
	t.Helper()
	l, err := st.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func paths(l page.Listing) []string {
	out := []string{}
	for _, f := range l.Files {
		out = append(out, string(f.Path))
	}
	return out
}

func wantPaths(t *testing.T, st *Store, want ...string) page.Listing {
	t.Helper()
	l := list(t, st)
	if got := paths(l); !slices.Equal(got, want) {
		t.Errorf("listed %q\nwant   %q\nskipped %v", got, want, l.Skipped)
	}
	return l
}

func wantErr(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("error %v, want one that is %v", got, want)
	}
}

func TestFindWalksUpToMemoryYML(t *testing.T) {
	st, dir := newBrain(t, "a/b/c.md")
	r, err := Find(filepath.Join(dir, "a", "b"))
	if err != nil || r.Dir != filepath.Dir(filepath.Dir(st.Dir())) {
		t.Errorf("found %q, %v", r.Dir, err)
	}
	_, err = Find(t.TempDir())
	wantErr(t, err, ErrNoRoot)
	if _, err = Find(filepath.Join(dir, "nowhere")); err == nil || errors.Is(err, ErrNoRoot) {
		t.Errorf("a folder that is not there: %v", err)
	}
	_, err = At(filepath.Join(dir, "a"))
	wantErr(t, err, ErrNoRoot)
}

func TestFindResolvesASymlinkedRoot(t *testing.T) {
	st, _ := newBrain(t, "a.md")
	alias := filepath.Join(t.TempDir(), "alias")
	if err := os.Symlink(filepath.Dir(filepath.Dir(st.Dir())), alias); err != nil {
		t.Skip("no symlinks here: ", err)
	}
	wantPaths(t, open(t, alias), "a.md")
	r, err := Find(alias)
	if err != nil || r.Dir == alias {
		t.Errorf("root %q, %v: links are not resolved", r.Dir, err)
	}
}

func TestABrainThatIsASymlinkIsFollowed(t *testing.T) {
	st, _ := newBrain(t)
	vault := t.TempDir()
	write(t, vault, "note.md")
	r, _ := Find(st.Dir())
	if err := os.Symlink(vault, filepath.Join(r.Dir, "brains", "vault")); err != nil {
		t.Skip("no symlinks here: ", err)
	}
	linked, err := Open(r, "vault")
	if err != nil {
		t.Fatal(err)
	}
	defer linked.Close()
	wantPaths(t, linked, "note.md")
}

func TestBrainsAreFoldersUnderBrains(t *testing.T) {
	st, _ := newBrain(t)
	r, _ := Find(st.Dir())
	write(t, r.Dir, "brains/Team Notes/x.md", "brains/.hidden/x.md", "brains/file.md", "brains/记忆/x.md", "brains/bad\nname/x.md")
	if err := os.Mkdir(filepath.Join(r.Dir, "brains", "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	got, err := r.Brains()
	if want := []string{"Team Notes", "default", "empty", "记忆"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("brains %q, %v, want %q", got, err, want)
	}
	var none *NoBrainError
	if _, err := Open(r, "other"); !errors.As(err, &none) || !slices.Contains(none.Known, "empty") {
		t.Errorf("unknown brain: %v", err)
	}
	for _, bad := range []string{"", ".", "..", "../default", "a/b", ".hidden", `a\b`, "bad\nname"} {
		_, err := Open(r, bad)
		wantErr(t, err, ErrBrainName)
	}
}

func TestABrainsFolderCreatedLaterIsPickedUp(t *testing.T) {
	st, _ := newBrain(t)
	r, _ := Find(st.Dir())
	_, err := Open(r, "later")
	wantErr(t, err, ErrNoBrain)
	write(t, r.Dir, "brains/later/x.md")
	later, err := Open(r, "later")
	if err != nil {
		t.Fatal(err)
	}
	defer later.Close()
	wantPaths(t, later, "x.md")
}

func TestAVaultAdoptedWithHereKeepsItsFiles(t *testing.T) {
	vault := filepath.Join(t.TempDir(), "My Vault")
	write(t, vault, "note.md", "brains/how brains work.md", "brains/sub/x.md", "brain/y.md")
	rep, err := Init(vault, InitOptions{Here: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"memory.yml", "brain.yml"}; !slices.Equal(rep.Created, want) {
		t.Errorf("created %q, want %q", rep.Created, want)
	}
	if got, err := rep.Root.Brains(); err != nil || !slices.Equal(got, []string{"default"}) {
		t.Errorf("brains %q, %v", got, err)
	}
	st := open(t, vault)
	if st.Meta().Write != WriteAsk || st.Dir() != rep.Root.Dir {
		t.Errorf("meta %+v in %s", st.Meta(), st.Dir())
	}
	wantPaths(t, st, "brain/y.md", "brains/how brains work.md", "brains/sub/x.md", "note.md")
	again, err := Init(vault, InitOptions{Here: true})
	if err != nil || len(again.Created)+len(again.Changed) > 0 || again.Brain != "default" {
		t.Errorf("second init: %+v, %v", again, err)
	}
}

func TestNothingOfABrainInsideAVaultIsVisibleFromTheVault(t *testing.T) {
	vault := t.TempDir()
	if _, err := Init(vault, InitOptions{Here: true, Brain: "default"}); err != nil {
		t.Fatal(err)
	}
	if _, err := Init(vault, InitOptions{Brain: "secret"}); err != nil {
		t.Fatal(err)
	}
	write(t, vault, "mine.md", "brains/secret/plan.md")
	st := open(t, vault)
	if l := wantPaths(t, st, "mine.md"); l.Skipped[SkipOtherBrain] != 1 {
		t.Errorf("skipped %v", l.Skipped)
	}
	ctx := context.Background()
	_, err := st.Read(ctx, "brains/secret/plan.md")
	wantErr(t, err, ErrNotPage)
	_, err = st.Lookup(ctx, "brains/secret/plan")
	wantErr(t, err, ErrNotFound)
	err = st.Update(ctx, "test", func(tx *Tx) error { return tx.Add("brains/secret/mine.md", nil) })
	wantErr(t, err, ErrNotPage)
}

func TestInitNeverOverwrites(t *testing.T) {
	root := t.TempDir()
	put(t, filepath.Join(root, "memory.yml"), "version: 1\n")
	put(t, filepath.Join(root, ".gitignore"), "*.log\r\nnode_modules")
	put(t, filepath.Join(root, "brains/default/brain.yml"), "id: old\n")
	rep, err := Init(root, InitOptions{Brain: "default", Settings: []byte("new")})
	if err != nil || len(rep.Created) > 0 {
		t.Errorf("created %q, %v", rep.Created, err)
	}
	for name, want := range map[string]string{
		"memory.yml": "version: 1\n", "brains/default/brain.yml": "id: old\n",
		".gitignore": "*.log\r\nnode_modules\r\n.brain/\r\n",
	} {
		if got, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	if rep, err = Init(root, InitOptions{Brain: "default"}); err != nil || len(rep.Changed) > 0 {
		t.Errorf("second init changed %q, %v", rep.Changed, err)
	}
}

func TestInitInsideARootAddsABrain(t *testing.T) {
	st, dir := newBrain(t, "a/x.md")
	rep, err := Init(filepath.Join(dir, "a"), InitOptions{Brain: "second"})
	if err != nil || !slices.Equal(rep.Created, []string{"brains/second/brain.yml"}) {
		t.Fatalf("created %q, %v", rep.Created, err)
	}
	if rep, err = Init(rep.Root.Dir, InitOptions{}); err != nil || len(rep.Created) > 0 {
		t.Errorf("init without a name in a root with brains: %+v, %v", rep, err)
	}
	for _, bad := range []string{"Big", "-x", "a b", "a/b", "..", strings.Repeat("x", 65)} {
		_, err := Init(st.Dir(), InitOptions{Brain: bad})
		wantErr(t, err, ErrBrainName)
	}
	_, err = Init(rep.Root.Dir, InitOptions{Here: true})
	wantErr(t, err, ErrExists)
}

func TestBrainYMLIsReadTolerantly(t *testing.T) {
	for _, tc := range []struct {
		name, yml string
		want      Meta
		readOnly  string
	}{
		{"absent keys", "", Meta{Write: WriteYes}, ""},
		{"df-memory", "id: work\nname: Work\nschema_pack: problem-tree\nsources:\n  default: main\n",
			Meta{ID: "work", Name: "Work", Write: WriteYes, Sources: map[string]any{"default": "main"}}, ""},
		{"bare no", "format: 1\nwrite: no\n", Meta{Format: 1, Write: WriteNo}, "write: no"},
		{"boolean", "write: false\n", Meta{Write: WriteNo}, "write: no"},
		{"newer", "format: 2\n", Meta{Format: 2, Write: WriteYes}, "format 2"},
		{"odd sources", "sources: [1, 2]\n", Meta{Write: WriteYes}, ""},
		{"broken", "write: [\n", Meta{Write: WriteYes}, "not valid YAML"},
		{"unknown write", "write: never\n", Meta{Write: WriteYes}, `write is "never"`},
		{"no mapping", "- a\n", Meta{Write: WriteYes}, "keys and values"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, dir := newBrain(t)
			put(t, filepath.Join(dir, "brain.yml"), tc.yml)
			st := open(t, filepath.Dir(filepath.Dir(dir)))
			got := st.Meta()
			got.Problem = ""
			if !reflect.DeepEqual(got, tc.want) {
				t.Errorf("meta %+v, want %+v", got, tc.want)
			}
			why := st.ReadOnly()
			if (why == "") != (tc.readOnly == "") || !strings.Contains(why, tc.readOnly) {
				t.Errorf("read-only %q, want %q", why, tc.readOnly)
			}
			err := st.Update(context.Background(), "test", func(tx *Tx) error { return tx.Add("x.md", nil) })
			if errors.Is(err, ErrReadOnly) != (tc.readOnly != "") {
				t.Errorf("update: %v", err)
			}
		})
	}
}

func TestWriteNoIsNoticedByALongLivedStore(t *testing.T) {
	st, dir := newBrain(t)
	put(t, filepath.Join(dir, "brain.yml"), "write: no\n")
	err := st.Update(context.Background(), "test", func(tx *Tx) error { return tx.Add("x.md", nil) })
	wantErr(t, err, ErrReadOnly)
	if _, err := os.Stat(filepath.Join(dir, txnDir)); err == nil {
		t.Error("a refused write left .txn behind")
	}
}

func TestADFMemoryRootOpensUnchanged(t *testing.T) {
	root := t.TempDir()
	write(t, root, "memory.yml", "brains/default/brain.yml", "brains/default/sources/s/.dfmemory-source",
		"brains/default/sources/s/notes/n.md", ".dfmemory/write.lock")
	put(t, filepath.Join(root, "brains/default/brain.yml"), "id: default\nschema_pack: problem-tree\n")
	st := open(t, root)
	wantPaths(t, st, "sources/s/notes/n.md")
	if st.ReadOnly() != "" {
		t.Error(st.ReadOnly())
	}
}
