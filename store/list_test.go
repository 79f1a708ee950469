package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/page"
)

func TestWhatIsSkippedIsCounted(t *testing.T) {
	st, dir := newBrain(t,
		"a.md", "B.MD", "build/a.md", "target/a.md", "dist/a.md", "vendor/a.md", "empty.md", "x.md.md",
		".git/config.md", ".obsidian/x.md", ".hidden.md", "node_modules/p/readme.md", "deep/node_modules/x.md",
		"photo.png", "notes.txt", "notes.markdown", "deep/a.overview.md", "deep/_overview.md",
		"bad\x01name.md", "bad\xffname.md", "bad\nfolder/x.md", ".md")
	put(t, filepath.Join(dir, "empty.md"), "")
	if err := os.WriteFile(filepath.Join(dir, "big.md"), make([]byte, MaxFile+1), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "just.md"), make([]byte, MaxFile), 0o644); err != nil {
		t.Fatal(err)
	}
	l := wantPaths(t, st, ".hidden.md", "B.MD", "a.md", "build/a.md", "dist/a.md", "empty.md", "just.md", "target/a.md", "vendor/a.md", "x.md.md")
	want := map[string]int{SkipDotFolder: 2, SkipNodeModules: 2, SkipNotMarkdown: 4,
		SkipSidecar: 2, SkipBadName: 3, SkipTooLarge: 1}
	if fmt.Sprint(l.Skipped) != fmt.Sprint(want) {
		t.Errorf("skipped %v\nwant    %v", l.Skipped, want)
	}
	for _, f := range l.Files {
		fi, err := os.Lstat(filepath.Join(dir, string(f.Path)))
		if err != nil || f.Size != fi.Size() || f.Mtime != fi.ModTime().UnixNano() || f.Inode == 0 || f.Ctime == 0 {
			t.Errorf("%+v does not agree with the file: %v", f, err)
		}
	}
}

func TestListIsInByteOrderOfPaths(t *testing.T) {
	st, _ := newBrain(t, "a.md", "a/z.md", "a-b.md", "a b.md", "a/a/x.md", "a/a.md", "a/a-b.md", "é.md", "Z.md", "a_b.md")
	got := paths(list(t, st))
	if !slices.IsSorted(got) || len(got) != 10 {
		t.Errorf("listed %q", got)
	}
}

func TestOddNamesSurviveListReadLookupAdd(t *testing.T) {
	names := []string{"#1 & [2] (3) 100% + it's.md", " lead.md", "trail .md", "🙂.md", "two  blanks/ x .md",
		"e\u0301 nfd.md", "日本語/メモ.md", "a*b?.md", "!neg.md", "$HOME `x`.md", "-rf.md", "con.md", "x: y.md", "100%25.md"}
	st, dir := newBrain(t, names...)
	slices.Sort(names)
	wantPaths(t, st, names...)
	ctx := context.Background()
	for _, name := range names {
		raw, err := st.Read(ctx, page.Path(name))
		if err != nil || string(raw) != name {
			t.Errorf("read %q: %q, %v", name, raw, err)
		}
		for _, as := range []string{name, strings.TrimSuffix(name, ".md")} {
			if p, err := st.Lookup(ctx, as); err != nil || string(p) != name {
				t.Errorf("look up %q: %q, %v", as, p, err)
			}
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if err := st.Update(ctx, "test", func(tx *Tx) error { return tx.Add(page.Path(name), []byte("again")) }); err != nil {
			t.Errorf("add %q: %v", name, err)
		}
	}
	wantPaths(t, st, names...)
}

func TestSymlinksAreSkippedAndLoopsEnd(t *testing.T) {
	st, dir := newBrain(t, "real/a.md")
	outside := t.TempDir()
	write(t, outside, "secret.md")
	for to, from := range map[string]string{
		"loop": ".", "real/up": "..", "inside.md": "real/a.md", "inside": "real",
		"outside.md": filepath.Join(outside, "secret.md"), "outside": outside, "dangling.md": "nowhere.md", "self.md": "self.md",
	} {
		if err := os.Symlink(from, filepath.Join(dir, to)); err != nil {
			t.Skip("no symlinks here: ", err)
		}
	}
	if l := wantPaths(t, st, "real/a.md"); l.Skipped[SkipSymlink] != 8 {
		t.Errorf("skipped %v", l.Skipped)
	}
	ctx := context.Background()
	for _, p := range []page.Path{"inside.md", "outside.md", "dangling.md", "self.md", "inside/a.md", "outside/secret.md", "loop/real/a.md"} {
		raw, err := st.Read(ctx, p)
		if !errors.Is(err, ErrNotPage) {
			t.Errorf("read %s: %q, %v", p, raw, err)
		}
		_, err = st.Lookup(ctx, string(p))
		wantErr(t, err, ErrNotFound)
	}
	for _, p := range []page.Path{"outside/new.md", "inside/new.md", "outside.md"} {
		if err := st.Update(ctx, "test", func(tx *Tx) error { return tx.Add(p, []byte("x")) }); err == nil {
			t.Errorf("added %s through a link", p)
		}
	}
	if got, _ := os.ReadDir(outside); len(got) != 1 {
		t.Errorf("outside now holds %v", got)
	}
}

func TestPathsThatLeaveTheBrainAreRefused(t *testing.T) {
	st, dir := newBrain(t, "a.md")
	put(t, filepath.Join(filepath.Dir(dir), "secret.md"), "secret")
	ctx := context.Background()
	for _, p := range []string{"../secret.md", "a/../../secret.md", "/etc/passwd.md", "a.md\x00.md", `..\secret.md`, "", "./a.md", "a//b.md"} {
		_, err := st.Read(ctx, page.Path(p))
		wantErr(t, err, page.ErrPath)
		_, err = st.Lookup(ctx, p)
		wantErr(t, err, page.ErrPath)
		err = st.Update(ctx, "test", func(tx *Tx) error { return tx.Add(page.Path(p), nil) })
		wantErr(t, err, page.ErrPath)
	}
}

func TestFifosAndSocketsDoNotHang(t *testing.T) {
	st, dir := newBrain(t, "a.md", "folder.md/inner.md")
	if err := mkfifo(filepath.Join(dir, "pipe.md")); err != nil {
		t.Skip("no fifos here: ", err)
	}
	if err := mkfifo(filepath.Join(dir, ".brainignore")); err != nil {
		t.Fatal(err)
	}
	if l, err := net.Listen("unix", filepath.Join(dir, "s.md")); err == nil {
		defer l.Close()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		wantPaths(t, st, "a.md", "folder.md/inner.md")
		for _, p := range []page.Path{"pipe.md", "s.md", "folder.md"} {
			_, err := st.Read(context.Background(), p)
			wantErr(t, err, ErrNotPage)
		}
		_, err := st.Lookup(context.Background(), "pipe")
		wantErr(t, err, ErrNotFound)
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("hangs on a fifo")
	}
}

func TestReadRefusesWhatIsNoPage(t *testing.T) {
	st, dir := newBrain(t, ".git/x.md", ".txn/y.md", "a.md", "f.md/x.md")
	put(t, filepath.Join(dir, "big.md"), strings.Repeat("x", MaxFile+1))
	ctx := context.Background()
	for p, want := range map[page.Path]error{
		".git/x.md": ErrNotPage, ".txn/y.md": ErrNotPage, "f.md": ErrNotPage, "a.md/x.md": ErrNotPage,
		"none.md": ErrNotFound, "no/ne.md": ErrNotFound, "big.md": ErrTooLarge,
	} {
		_, err := st.Read(ctx, p)
		wantErr(t, err, want)
	}
	_, err := st.Read(ctx, "none.md")
	wantErr(t, err, fs.ErrNotExist)
	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, err = st.Read(gone, "a.md")
	wantErr(t, err, context.Canceled)
	_, err = st.List(gone)
	wantErr(t, err, context.Canceled)
}

// A session's file may be larger than other pages, in its place only.
func TestASessionMayGrowBeyondAPage(t *testing.T) {
	just, over := "sessions/2026-03/just/messages.jsonl", "sessions/2026-03/over/messages.jsonl"
	st, dir := newBrain(t, "a.md", "elsewhere/messages.jsonl", "sessions/2026-03/page/big.md", just, over)
	for name, size := range map[string]int64{
		just: MaxSession, over: MaxSession + 1, "elsewhere/messages.jsonl": MaxFile, "sessions/2026-03/page/big.md": MaxFile + 1,
	} {
		if err := os.Truncate(filepath.Join(dir, filepath.FromSlash(name)), size); err != nil { // holes, no disk
			t.Fatal(err)
		}
	}
	l := wantPaths(t, st, "a.md", just)
	if l.Skipped[SkipTooLarge] != 2 || l.Skipped[SkipNotMarkdown] != 1 {
		t.Errorf("skipped %v", l.Skipped)
	}
	ctx := context.Background()
	if raw, err := st.Read(ctx, page.Path(just)); err != nil || len(raw) != MaxSession {
		t.Errorf("%d bytes, %v", len(raw), err)
	}
	_, err := st.Read(ctx, page.Path(over))
	wantErr(t, err, ErrTooLarge)
	if p, err := st.Lookup(ctx, "sessions/2026-03/just"); err != nil || p != page.Path(just) {
		t.Errorf("looked up %q, %v", p, err)
	}
	_, err = st.Lookup(ctx, "sessions/2026-03/over")
	wantErr(t, err, ErrNotFound)
}

func TestABinaryFileIsToldByItsNULs(t *testing.T) {
	for raw, want := range map[string]bool{"": false, "text": false, "caf\xe9 latin-1": false,
		"h\x00i\x00": true, strings.Repeat("x", 1<<20) + "\x00": true} {
		if got := IsBinary([]byte(raw)); got != want {
			t.Errorf("IsBinary(%.10q…) = %v", raw, got)
		}
	}
}

func TestBrainignoreHidesAndTakesBack(t *testing.T) {
	st, dir := newBrain(t, "private/a.md", "drafts/a.md", "drafts/keep.md", "notes/private/b.md", "notes/tmp-1.md", "notes/deep/tmp-2.md", "a.md")
	put(t, filepath.Join(dir, ".brainignore"), "\ufeff# mine\r\n/private/\r\ndrafts/*\r\n!keep.md\r\n")
	put(t, filepath.Join(dir, "notes", ".brainignore"), "tmp-*\n")
	put(t, filepath.Join(dir, "notes", "deep", ".brainignore"), "!tmp-2.md\n")
	l := wantPaths(t, st, "a.md", "drafts/keep.md", "notes/deep/tmp-2.md", "notes/private/b.md")
	if l.Skipped[SkipIgnored] != 3 {
		t.Errorf("skipped %v", l.Skipped)
	}
	ctx := context.Background()
	_, err := st.Lookup(ctx, "private/a")
	wantErr(t, err, ErrNotFound)
	if p, err := st.Lookup(ctx, "drafts/keep"); err != nil || p != "drafts/keep.md" {
		t.Errorf("look up: %q, %v", p, err)
	}
	for _, p := range []page.Path{"private/new.md", "drafts/new.md", "notes/tmp-9.md", ".git/x.md", "node_modules/x.md", "a.overview.md"} {
		err := st.Update(ctx, "test", func(tx *Tx) error { return tx.Add(p, nil) })
		wantErr(t, err, ErrNotPage)
	}
}

func TestABrainignoreThatCannotBeReadHidesItsFolder(t *testing.T) {
	st, dir := newBrain(t, "a.md", "private/b.md")
	put(t, filepath.Join(dir, "private", ".brainignore"), strings.Repeat("x\n", maxIgnore))
	l := wantPaths(t, st, "a.md")
	if !slices.Equal(l.Unreadable, []string{"private"}) {
		t.Errorf("unreadable %q", l.Unreadable)
	}
}

func TestAFolderThatVanishesOrIsReplacedIsSeen(t *testing.T) {
	st, dir := newBrain(t, "a.md")
	wantPaths(t, st, "a.md")
	if err := os.Rename(dir, dir+"-old"); err != nil {
		t.Fatal(err)
	}
	l, err := st.List(context.Background())
	wantErr(t, err, ErrUnreadable)
	if !slices.Equal(l.Unreadable, []string{""}) || len(l.Files) > 0 {
		t.Errorf("listing %+v", l)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = st.List(context.Background())
	wantErr(t, err, ErrUnreadable) // as when a disk is not mounted
	write(t, dir, "b.md")
	wantPaths(t, st, "b.md")
}

func TestABrainWhosePagesAreAllDeletedIsEmpty(t *testing.T) {
	st, dir := newBrain(t, "a.md")
	wantPaths(t, st, "a.md")
	if err := os.Remove(filepath.Join(dir, "a.md")); err != nil {
		t.Fatal(err)
	}
	wantPaths(t, st)
}

func TestLookupFallsBackToNFCAndCase(t *testing.T) {
	st, _ := newBrain(t, "Tasks/Buy groceries.md", "caf\u00e9.md", "people/John.md", "notes.v1.md", "Straße.md", "dir/x.md.md")
	ctx := context.Background()
	for name, want := range map[string]page.Path{
		"tasks/buy groceries": "Tasks/Buy groceries.md", "TASKS/BUY GROCERIES.MD": "Tasks/Buy groceries.md",
		"cafe\u0301": "caf\u00e9.md", "CAFE\u0301.md": "caf\u00e9.md", "people/john": "people/John.md",
		"notes.v1": "notes.v1.md", "strasse": "Straße.md", "dir/x.md": "dir/x.md.md",
	} {
		if got, err := st.Lookup(ctx, name); err != nil || got != want {
			t.Errorf("look up %q: %q, %v, want %q", name, got, err, want)
		}
	}
	_, err := st.Lookup(ctx, "john")
	wantErr(t, err, ErrNotFound)
}

func TestLookupOfTwoSpellingsIsAmbiguousUnlessExact(t *testing.T) {
	st, dir := newBrain(t, "README.md", "readme.md", "e\u0301.md", "\u00e9.md")
	if got, _ := os.ReadDir(dir); len(got) != 5 {
		t.Skip("this disk ignores case or Unicode form")
	}
	ctx := context.Background()
	for _, name := range []string{"README", "readme", "e\u0301", "\u00e9"} {
		if p, err := st.Lookup(ctx, name); err != nil || string(p) != name+".md" {
			t.Errorf("look up %q: %q, %v", name, p, err)
		}
	}
	_, err := st.Lookup(ctx, "Readme")
	var amb *AmbiguousError
	if !errors.As(err, &amb) || !slices.Equal(amb.Candidates, []page.Path{"README.md", "readme.md"}) {
		t.Errorf("look up Readme: %v", err)
	}
}

func TestFolderDepthIsBounded(t *testing.T) {
	st, dir := newBrain(t)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	deep := strings.Repeat("d/", maxDepth)
	if err := root.MkdirAll(deep+"d", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{deep + "x.md", deep + "d/y.md"} {
		if err := root.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if l := wantPaths(t, st, deep+"x.md"); l.Skipped[SkipTooDeep] != 1 {
		t.Errorf("skipped %v", l.Skipped)
	}
}

func TestUnreadablePartsAreNamedAndTheRestIsListed(t *testing.T) {
	st, dir := newBrain(t, "a.md", "locked/x.md", "noexec/x.md", "z/b.md", "secret.md")
	chmod(t, 0, filepath.Join(dir, "locked"))
	chmod(t, 0o644, filepath.Join(dir, "noexec"))
	out, err := unprivileged(t, "list-denied", rootOf(st))
	if want := "a.md secret.md z/b.md | locked noexec/x.md | <nil>\n"; err != nil || out != want {
		t.Errorf("got  %q, %v\nwant %q", out, err, want)
	}
	chmod(t, 0, filepath.Join(dir, "secret.md"))
	if out, err := unprivileged(t, "read-denied", rootOf(st)); err != nil || !strings.Contains(out, "read secret.md: ") {
		t.Errorf("reading a file without permission: %q, %v", out, err)
	}
}

func TestAnUnreadableBrainIsNotAnEmptyOne(t *testing.T) {
	st, dir := newBrain(t, "a.md")
	chmod(t, 0, dir)
	out, err := unprivileged(t, "list-denied", rootOf(st))
	if err != nil || !strings.HasPrefix(out, " |  | brain default: its folder cannot be read: ") {
		t.Errorf("got %q, %v", out, err)
	}
}

func rootOf(st *Store) string { return filepath.Dir(filepath.Dir(st.Dir())) }

func chmod(t *testing.T, mode fs.FileMode, name string) {
	t.Helper()
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(name, 0o755) })
}

func listDenied(root string) error {
	st, err := openDefault(root)
	if err != nil {
		return err
	}
	l, err := st.List(context.Background())
	if _, err := st.Lookup(context.Background(), "locked/x"); !errors.Is(err, ErrUnreadable) {
		return fmt.Errorf("looking up what may be there: %w", err)
	}
	fmt.Println(strings.Join(paths(l), " "), "|", strings.Join(l.Unreadable, " "), "|", err)
	return nil
}

func readDenied(root string) error {
	st, err := openDefault(root)
	if err != nil {
		return err
	}
	_, err = st.Read(context.Background(), "secret.md")
	if !errors.Is(err, fs.ErrPermission) || errors.Is(err, ErrNotFound) {
		return fmt.Errorf("want a permission error, got %w", err)
	}
	fmt.Println(err)
	return nil
}
