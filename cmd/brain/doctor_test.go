package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"brain/page"
	"brain/store"
)

// finding is one line of an examination as printed.
func (x *examination) finding(name string) string {
	for _, c := range x.checks {
		if c.Name == name {
			return c.State + ": " + c.Message + before(" | ", c.Hint)
		}
	}
	return ""
}

func expect(t *testing.T, x *examination, name string, parts ...string) {
	t.Helper()
	got := x.finding(name)
	for _, p := range parts {
		if !strings.Contains(got, p) {
			t.Errorf("%s: %q, want %q in it", name, got, p)
		}
	}
}

func testBrain(t *testing.T) *opened {
	t.Helper()
	rep, err := store.Init(t.TempDir(), store.InitOptions{Settings: []byte("# settings\n")})
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(rep.Root, "default")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	l, err := loadSettings(rep.Root.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return &opened{root: rep.Root, settings: l, st: st}
}

func TestDoctorTellsWhoWritesAndWhoDied(t *testing.T) {
	o := testBrain(t)
	x := &examination{now: time.Now()}
	examineWriter(x, o.st)
	expect(t, x, "writer", "ok: nobody writes")
	expect(t, x, "journal", "ok: ")
	err := o.st.Update(context.Background(), "add", func(tx *store.Tx) error {
		x := &examination{now: time.Now()}
		examineWriter(x, o.st)
		expect(t, x, "writer", "ok: process ", "(add, for ")
		expect(t, x, "journal", "ok: ")
		x = &examination{now: time.Now().Add(time.Hour)}
		examineWriter(x, o.st)
		expect(t, x, "writer", "warn: ", "kill ")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"HOLDER": `{"pid":4242,"host":"mühle","reason":"compile"}`, "tmp-ABC": "x"} {
		if err := os.WriteFile(filepath.Join(o.st.Dir(), ".txn", name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	x = &examination{now: time.Now()}
	examineWriter(x, o.st)
	expect(t, x, "writer", "warn: nobody; left over from process 4242 on mühle (compile)", "brain sync")
	expect(t, x, "journal", "warn: 1 temporary file of a writer that died", "brain sync")
	if err := os.WriteFile(filepath.Join(o.st.Dir(), ".txn", "JOURNAL"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	x = &examination{now: time.Now()}
	examineWriter(x, o.st)
	expect(t, x, "journal", "fail: .txn/JOURNAL is damaged: it names no job; compare the files beside it with the pages, then remove it", "nothing is written until then")

	id := "20260101-000000.000-abcdef"
	whole := fmt.Sprintf(`{"id":%q,"state":"prepared","files":[{"path":"x.md","after":%q,"temp":".txn/tmp-%s-X"}]}`, id, store.HashOf(nil), id)
	if err := os.WriteFile(filepath.Join(o.st.Dir(), ".txn", "JOURNAL"), []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	x = &examination{now: time.Now()}
	examineWriter(x, o.st)
	expect(t, x, "journal", "warn: a write was cut short", "JOURNAL")
}

func TestDoctorSeesSessionsThatOthersMayRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permission bits mean nothing here")
	}
	dir := t.TempDir()
	x := &examination{}
	examineSessions(x, dir)
	if len(x.checks) != 0 {
		t.Errorf("without sessions: %+v", x.checks)
	}
	session := filepath.Join(dir, "sessions", "2026-03", "4f1c")
	if err := os.MkdirAll(session, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(session, "messages.jsonl")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	examineSessions(x, dir)
	expect(t, x, "sessions", "ok: private")
	for name, mode := range map[string]os.FileMode{session: 0o750, file: 0o604} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	x = &examination{}
	examineSessions(x, dir)
	expect(t, x, "sessions", "warn: others on this machine may look into 2 entries, such as "+session, "chmod -R go-rwx ")
}

func TestDoctorComparesTheClock(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	index := t.TempDir()
	at := func(path string, d time.Duration) page.File {
		return page.File{Path: page.Path(path), Mtime: now.Add(d).UnixNano()}
	}
	for _, c := range []struct {
		name  string
		now   time.Time
		files []page.File
		want  string
	}{
		{"all is past", now, []page.File{at("a.md", -time.Hour), at("b.md", time.Minute)}, "ok: 2026-03-01T12:00:00Z"},
		{"a page of tomorrow", now, []page.File{at("a.md", 0), at("明天 1.md", 24*time.Hour)}, "warn: it says 2026-03-01T12:00:00Z; 1 page changed after that, such as 明天 1.md at 2026-03-02T12:00:00Z | if the clock is right: touch '明天 1.md'; "},
		{"a dead battery", time.Date(1970, 1, 1, 0, 0, 9, 0, time.UTC), nil, "fail: it says 1970-01-01T00:00:09Z"},
	} {
		x := &examination{now: c.now}
		examineClock(x, c.files, index)
		if got := x.finding("clock"); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	current := filepath.Join(index, "CURRENT")
	if err := os.WriteFile(current, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(current, now, now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	x := &examination{now: now}
	examineClock(x, nil, index)
	expect(t, x, "clock", "warn: it says 2026-03-01T12:00:00Z, the index was written at 2026-03-01T13:00:00Z")
}

func TestDoctorSeesWhatGitHasNotFinished(t *testing.T) {
	for _, c := range []struct{ mark, want string }{
		{"", "ok: "},
		{"MERGE_HEAD", "warn: a merge is in progress in "},
		{"rebase-merge/x", "warn: a rebase is in progress in "},
		{"BISECT_LOG", "bisect reset"},
		{"index.lock", "if no git runs: rm "},
	} {
		for _, linked := range []bool{false, true} {
			top := t.TempDir()
			git, dir := filepath.Join(top, ".git"), filepath.Join(top, "brains", "default")
			if linked {
				git = filepath.Join(t.TempDir(), "worktrees", "w")
				if err := os.WriteFile(filepath.Join(top, ".git"), []byte("gitdir: "+git+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, d := range []string{dir, filepath.Join(git, filepath.Dir(c.mark))} {
				if err := os.MkdirAll(d, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if c.mark != "" {
				if err := os.WriteFile(filepath.Join(git, c.mark), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			x := &examination{}
			examineRepository(x, dir)
			expect(t, x, "repository", c.want, top)
		}
	}
}

func TestCloudFolders(t *testing.T) {
	marks := map[string]bool{"/home/wei/notes/.stfolder": true}
	has := func(path string) bool { return marks[filepath.ToSlash(path)] }
	for dir, want := range map[string]string{
		"/home/wei/brain":                  "",
		"/home/wei/Dropbox/brain":          "Dropbox",
		"/home/wei/Dropbox (Team)/x/brain": "Dropbox",
		"/home/wei/Dropbox-notes/brain":    "",
		"/Users/w/Library/Mobile Documents/iCloud~md~obsidian/Documents/v": "iCloud",
		"/mnt/c/Users/w/OneDrive - Contoso/brain":                          "OneDrive",
		"/Users/w/Library/CloudStorage/OneDrive-Personal/brain":            "OneDrive",
		"/Users/w/Library/CloudStorage/GoogleDrive-w@example.com/My Drive": "Google Drive",
		"/Users/w/Library/CloudStorage/Box-Box/brain":                      "a cloud provider",
		"/home/wei/Nextcloud/brain":                                        "Nextcloud",
		"/home/wei/我的坚果云/brain":                                            "Nutstore (坚果云)",
		"/home/wei/notes/deep/brain":                                       "Syncthing",
		"/home/wei/note":                                                   "",
		"/":                                                                "",
	} {
		if got := cloudOf(filepath.FromSlash(dir), has); got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
}

func TestRoomOnADisk(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		name string
		d    disk
		low  bool
	}{
		{"plenty", disk{free: 50 * gib, total: 100 * gib}, false},
		{"under 500 MB", disk{free: 499 << 20, total: gib}, true},
		{"4 % of a small disk", disk{free: 4 * gib, total: 100 * gib}, true},
		{"2 % of a large disk is much", disk{free: 40 * gib, total: 2000 * gib}, false},
		{"no inodes", disk{free: 50 * gib, total: 100 * gib, inodes: 4, allInodes: 100}, true},
		{"a disk that counts no inodes", disk{free: 50 * gib, total: 100 * gib}, false},
	} {
		if got := c.d.low(); (got != "") != c.low {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	for kind, want := range map[string]bool{"ext4": false, "NFS4": true, "fuse.sshfs": true, "fuse.ntfs-3g": false, "9p": true, "smbfs": true, "": false} {
		if networkDisk(kind) != want {
			t.Errorf("%q on the network: %v", kind, !want)
		}
	}
}

func TestQuotedIsOneWordOfAShell(t *testing.T) {
	for s, want := range map[string]string{"/tmp/a-b_1.md": "/tmp/a-b_1.md", "a b": "'a b'", "it's": `'it'\''s'`, "计划": "'计划'", "$(x)": "'$(x)'"} {
		if got := quoted(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}

// A disk that is mounted for reading binds root, too.
func TestDoctorSeesAReadOnlyDisk(t *testing.T) {
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("only root on Linux can mount a disk for this test")
	}
	o := testBrain(t)
	dir := o.st.Dir()
	if out, err := exec.Command("mount", "--bind", dir, dir).CombinedOutput(); err != nil {
		t.Skipf("a folder cannot be mounted here: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	if out, err := exec.Command("mount", "-o", "remount,ro,bind", dir).CombinedOutput(); err != nil {
		t.Skipf("a folder cannot be mounted for reading here: %v: %s", err, out)
	}
	x := &examination{}
	examineRights(x, o)
	expect(t, x, "rights", "fail: "+dir+" cannot be written: read-only file system", "mount the disk for writing")
}

// Permission bits bind everybody but root.
func TestDoctorSeesAFolderWithoutRights(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("permission bits do not bind this user")
	}
	o := testBrain(t)
	if err := os.Chmod(o.st.Dir(), 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(o.st.Dir(), 0o700) })
	x := &examination{}
	examineRights(x, o)
	expect(t, x, "rights", "fail: "+o.st.Dir()+" cannot be written: permission denied", "chmod -R u+rwX ")
}

// TestDoctorIsDocumented: each check that the code names has a row in doc/doctor.md.
func TestDoctorIsDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../doc/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("doctor*.go")
	if err != nil {
		t.Fatal(err)
	}
	call := regexp.MustCompile(`x\.(?:ok|warn|fail|broken)\("([a-z ]+)"`)
	seen := map[string]bool{}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range call.FindAllSubmatch(raw, -1) {
			seen[string(m[1])] = true
		}
	}
	if len(seen) < 15 {
		t.Fatalf("only %d checks found in %v", len(seen), files)
	}
	for name := range seen {
		if !strings.Contains(string(doc), "`"+name+"`") {
			t.Errorf("doc/doctor.md has no row for %s", name)
		}
	}
}
