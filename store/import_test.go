package store

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// tarEntry is one entry of a hostile archive.
type tarEntry struct {
	tar.Header
	content string
}

func packed(name, content string) tarEntry {
	return tarEntry{tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: 0o644}, content}
}

// archive packs entries behind a manifest.
func archive(t *testing.T, m any, entries ...tarEntry) string {
	t.Helper()
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	w := tar.NewWriter(zip)
	for _, e := range append([]tarEntry{packed(manifestName, string(raw))}, entries...) {
		if err := w.WriteHeader(&e.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "x.tar.gz")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// naming is a manifest of files with the content "x", and of the folders given
// with a slash at the end.
func naming(names ...string) *Manifest {
	sum := sha256.Sum256([]byte("x"))
	m := &Manifest{Format: 1, Tree: 1, Brain: "b", Folders: []ExportedFolder{{".", "0755"}}}
	for _, name := range names {
		if dir, ok := strings.CutSuffix(name, "/"); ok {
			m.Folders = append(m.Folders, ExportedFolder{dir, "0755"})
			continue
		}
		m.Files = append(m.Files, ExportedFile{Path: name, Size: 1, SHA256: hex.EncodeToString(sum[:]), Mode: "0644"})
		m.Bytes++
		m.Count++
	}
	return m
}

func TestHostileArchivesAreRefused(t *testing.T) {
	link := func(kind byte) tarEntry {
		return tarEntry{Header: tar.Header{Typeflag: kind, Name: "brain/a.md", Linkname: "/etc/passwd", Mode: 0o777}}
	}
	named := func(name string) string { return archive(t, naming(name), packed("brain/"+name, "x")) }
	bomb := naming("a.md")
	bomb.Files[0].Size, bomb.Bytes = 1<<40, 1<<40
	manyBytes := naming("a.md", "b.md")
	manyBytes.Files[0].Size, manyBytes.Files[1].Size, manyBytes.Bytes = 1<<62, 1<<62, math.MinInt64
	badName := naming("a.md")
	badName.Brain = "../b"
	newer, newerTree := naming(), naming()
	newer.Format, newerTree.Tree = 2, 2
	cases := map[string]struct {
		file string
		want error
	}{
		"absolute":              {named("/etc/passwd"), ErrExportRefused},
		"climbs":                {named("../x.md"), ErrExportRefused},
		"climbs inside":         {archive(t, naming("a/", "a/../../x"), packed("brain/a/../../x", "x")), ErrExportRefused},
		"empty part":            {archive(t, naming("a/", "a//x"), packed("brain/a//x", "x")), ErrExportRefused},
		"control":               {named("a\x1b[31m.md"), ErrExportRefused},
		"newline":               {named("a\n.md"), ErrExportRefused},
		"NUL":                   {archive(t, naming("a\x00.md")), ErrExportRefused},
		"git hook":              {archive(t, naming(".git/", ".git/config"), packed("brain/.git/config", "x")), ErrExportRefused},
		"git in capitals":       {archive(t, naming(".GIT/", ".GIT/config"), packed("brain/.GIT/config", "x")), ErrExportRefused},
		"git file below":        {archive(t, naming("a/", "a/.git"), packed("brain/a/.git", "x")), ErrExportRefused},
		"journal":               {archive(t, naming(".txn/", ".txn/JOURNAL"), packed("brain/.txn/JOURNAL", "x")), ErrExportRefused},
		"index":                 {archive(t, naming(".brain/", ".brain/x"), packed("brain/.brain/x", "x")), ErrExportRefused},
		"a root":                {named("memory.yml"), ErrExportRefused},
		"brain in the brain":    {archive(t, naming("a/", "a/brain.yml"), packed("brain/a/brain.yml", "x")), ErrExportRefused},
		"brain in capitals":     {archive(t, naming("a/", "a/BRAIN.yml"), packed("brain/a/BRAIN.yml", "x")), ErrExportRefused},
		"file as folder":        {archive(t, naming("a", "a/b"), packed("brain/a", "x"), packed("brain/a/b", "x")), ErrExportRefused},
		"too deep":              {archive(t, naming(strings.Repeat("a/", 200)+"x")), ErrExportRefused},
		"named twice":           {archive(t, naming("a.md", "a.md"), packed("brain/a.md", "x")), ErrExportRefused},
		"packed twice":          {archive(t, naming("a.md"), packed("brain/a.md", "x"), packed("brain/a.md", "x")), ErrExportRefused},
		"not in the manifest":   {archive(t, naming(), packed("brain/a.md", "x")), ErrExportRefused},
		"folder not named":      {archive(t, naming(), tarEntry{Header: tar.Header{Typeflag: tar.TypeDir, Name: "brain/x/"}}), ErrExportRefused},
		"outside brain/":        {archive(t, naming("a.md"), packed("a.md", "x")), ErrExportRefused},
		"symlink":               {archive(t, naming("a.md"), link(tar.TypeSymlink)), ErrExportRefused},
		"hard link":             {archive(t, naming("a.md"), link(tar.TypeLink)), ErrExportRefused},
		"device":                {archive(t, naming("a.md"), link(tar.TypeChar)), ErrExportRefused},
		"fifo":                  {archive(t, naming("a.md"), link(tar.TypeFifo)), ErrExportRefused},
		"brain's name":          {archive(t, badName), ErrExportRefused},
		"bomb":                  {archive(t, bomb, packed("brain/a.md", "x")), ErrExportRefused},
		"sizes that overflow":   {archive(t, manyBytes), ErrExportRefused},
		"more bytes than named": {archive(t, naming("a.md"), packed("brain/a.md", "xx")), ErrExportDamaged},
		"fewer bytes":           {archive(t, naming("a.md"), packed("brain/a.md", "")), ErrExportDamaged},
		"other bytes":           {archive(t, naming("a.md"), packed("brain/a.md", "y")), ErrExportDamaged},
		"missing":               {archive(t, naming("a.md")), ErrExportDamaged},
		"newer export":          {archive(t, newer), ErrExportNewer},
		"newer tree":            {archive(t, newerTree), ErrExportNewer},
		"no manifest":           {archive(t, "x"), ErrExportDamaged},
	}
	for what, c := range cases {
		r := newRoot(t)
		_, err := r.Import(t.Context(), c.file, ImportOptions{})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
		wantNames(t, filepath.Join(r.Dir, "brains"))
		if _, err := Verify(t.Context(), c.file); !errors.Is(err, c.want) {
			t.Errorf("verify %s: %v, want %v", what, err, c.want)
		}
	}
}

// TestADamagedArchiveIsNeverABrain cuts an archive at every length, flips each of
// its bytes, and puts something behind it: nothing of it may become visible, unless
// it unpacks to the very same brain.
func TestADamagedArchiveIsNeverABrain(t *testing.T) {
	whole, err := os.ReadFile(archive(t, naming("a/", "a/b.md", "c.md"), packed("brain/a/b.md", "x"), packed("brain/c.md", "x")))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "x.tar.gz")
	try := func(what string, raw []byte) bool {
		if err := os.WriteFile(name, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := Verify(t.Context(), name)
		if err == nil && (m.Count != 2 || m.Brain != "b") {
			t.Errorf("%s: %+v", what, m)
		}
		return err == nil
	}
	if !try("whole", whole) {
		t.Fatal("the whole archive does not verify")
	}
	for i := range whole {
		if try(fmt.Sprint("cut at ", i), whole[:i]) {
			t.Errorf("cut at %d of %d: verified", i, len(whole))
		}
		bad := slices.Clone(whole)
		bad[i] ^= 0x10
		if try(fmt.Sprint("flipped at ", i), bad) && !bytes.Equal(unzipped(t, bad), unzipped(t, whole)) {
			t.Errorf("flipped at %d of %d: verified", i, len(whole))
		}
	}
	if try("extra", append(slices.Clone(whole), 'x')) || try("twice", append(slices.Clone(whole), whole...)) {
		t.Error("something follows the archive, and it verified")
	}
}

func unzipped(t *testing.T, raw []byte) []byte {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAFolderExportIsReadWithoutLinks(t *testing.T) {
	st, _ := exported(t)
	out := t.TempDir()
	for what, harm := range map[string]func(brain string) error{
		"a link for a file": func(b string) error {
			name := filepath.Join(b, "notes", "crlf.md")
			return errors.Join(os.Rename(name, name+"x"), os.Symlink("crlf.mdx", name))
		},
		"a link for a folder": func(b string) error {
			name := filepath.Join(b, "notes")
			return errors.Join(os.Rename(name, name+"x"), os.Symlink("notesx", name))
		},
		"another byte": func(b string) error { return os.WriteFile(filepath.Join(b, "notes", "empty.md"), []byte("x"), 0o600) },
		"a lost file":  func(b string) error { return os.Remove(filepath.Join(b, "notes", "empty.md")) },
	} {
		to := filepath.Join(out, what)
		if _, err := st.Export(t.Context(), to, ExportOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := harm(filepath.Join(to, "brain")); err != nil {
			t.Fatal(err)
		}
		r := newRoot(t)
		if _, err := r.Import(t.Context(), to, ImportOptions{}); !errors.Is(err, ErrExportDamaged) && !errors.Is(err, ErrExportRefused) {
			t.Errorf("%s: %v", what, err)
		}
		wantNames(t, filepath.Join(r.Dir, "brains"))
	}
}

func TestAnImportTakesOnlyAFreePlace(t *testing.T) {
	file := archive(t, naming("a.md"), packed("brain/a.md", "x"))
	r := newRoot(t)
	plant(t, r.Dir, map[string]string{
		"brains/full/page.md": "mine", "brains/full/brain.yml": "id: full", "brains/new/brain.yml": "format: 1\nid: new\n", "brains/new/.txn/LOCK": "",
		"brains/locked/brain.yml": "write: no\n", "elsewhere/x.md": "mine", "brains/file": "mine",
	})
	if err := os.Symlink("../elsewhere", filepath.Join(r.Dir, "brains", "linked")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{
		"full": ErrExists, "linked": ErrExists, "file": ErrExists, "locked": ErrReadOnly, "..": ErrBrainName, "a/b": ErrBrainName, ".x": ErrBrainName,
	} {
		if _, err := r.Import(t.Context(), file, ImportOptions{Brain: name}); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	if _, err := r.Import(t.Context(), file, ImportOptions{Brain: "new", DryRun: true}); err != nil {
		t.Errorf("dry run: %v", err)
	}
	if _, err := os.Stat(filepath.Join(r.Dir, "brains/new/brain.yml")); err != nil {
		t.Errorf("the dry run wrote: %v", err)
	}
	if _, err := r.Import(t.Context(), file, ImportOptions{Brain: "new"}); err != nil {
		t.Error(err)
	}
	wantNames(t, filepath.Join(r.Dir, "brains/new"), "a.md")
	wantNames(t, filepath.Join(r.Dir, "brains"), "file", "full", "linked", "locked", "new")
	wantNames(t, filepath.Join(r.Dir, "brains/full"), "brain.yml", "page.md")
	wantNames(t, filepath.Join(r.Dir, "elsewhere"), "x.md")
}

func TestModesOfAnImportAreTamed(t *testing.T) {
	m := naming("a.md", "sessions/", "sessions/x", "bin.sh")
	m.Files[0].Mode, m.Files[1].Mode, m.Files[2].Mode = "0000", "7777", "4777"
	m.Folders[1].Mode = "0777"
	file := archive(t, m, packed("brain/a.md", "x"), packed("brain/sessions/x", "x"), packed("brain/bin.sh", "x"))
	r := newRoot(t)
	in, err := r.Import(t.Context(), file, ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{"a.md": 0o600, "sessions": 0o700 | fs.ModeDir, "sessions/x": 0o700, "bin.sh": 0o775} {
		if fi, err := os.Stat(filepath.Join(in.Dir, name)); err != nil || fi.Mode() != want {
			t.Errorf("%s: %v %v, want %v", name, fi.Mode(), err, want)
		}
	}
}

// TestAKilledImportIsNoBrain kills imports at random points: a brain is there whole
// or not at all, and what a dead import left is gone after the next.
func TestAKilledImportIsNoBrain(t *testing.T) {
	st, dir := newBrain(t)
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("notes/%d.md", i)] = strings.Repeat("words ", 200)
	}
	plant(t, dir, files)
	r := newRoot(t)
	if _, err := st.Export(t.Context(), filepath.Join(r.Dir, "b.tar.gz"), ExportOptions{}); err != nil {
		t.Fatal(err)
	}
	killed := 0
	for range 12 {
		cmd := as(t, "import", r.Dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(5+rand.IntN(250)) * time.Millisecond)
		cmd.Process.Kill()
		if cmd.Wait() != nil {
			killed++
		}
		names, err := r.Brains()
		if err != nil {
			t.Fatal(err)
		}
		if len(names) > 0 {
			back, err := Open(r, "b")
			if err != nil {
				t.Fatal(err)
			}
			if n := len(list(t, back).Files); n != 300 {
				t.Errorf("a brain of %d pages", n)
			}
			if err := errors.Join(back.Close(), os.RemoveAll(back.Dir())); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d of 12 killed before their end", killed)
	if _, err := r.Import(t.Context(), filepath.Join(r.Dir, "b.tar.gz"), ImportOptions{Brain: "b"}); err != nil {
		t.Fatal(err)
	}
	wantNames(t, filepath.Join(r.Dir, "brains"), "b")
}

func importOnce(root string) error {
	r, err := At(root)
	if err != nil {
		return err
	}
	_, err = r.Import(context.Background(), filepath.Join(root, "b.tar.gz"), ImportOptions{Brain: "b"})
	return err
}

func TestOneImportAtATime(t *testing.T) {
	r := newRoot(t)
	plant(t, r.Dir, map[string]string{"brains/.import/DEAD/a.md": "x"})
	unlock, err := r.lockImports()
	if err != nil {
		t.Fatal(err)
	}
	wantNames(t, filepath.Join(r.Dir, "brains/.import"), ".gitignore", "LOCK")
	file := archive(t, naming("a.md"), packed("brain/a.md", "x"))
	if _, err := r.Import(t.Context(), file, ImportOptions{}); !errors.Is(err, ErrBusy) {
		t.Errorf("beside another: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Import(t.Context(), file, ImportOptions{}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
