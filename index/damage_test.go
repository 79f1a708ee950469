//go:build unix

package index

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"brain/llm/llmtest"
)

// damaged builds an index of several generations and segments, closed. The
// last edit put "newest" into a page.
func damaged(t *testing.T) (dir string, tr *tree) {
	t.Helper()
	tr = newTree(t, corpus(30)).settled()
	dir = filepath.Join(t.TempDir(), "index")
	ix, err := Open(Options{Dir: dir, Embedder: llmtest.Hash(16)})
	must(t, err)
	syncIn(t, ix, tr)
	for i := range 3 {
		tr.write(t, "edited.md", fmt.Sprintf("edit %d\n", i))
		syncIn(t, ix, tr)
	}
	tr.write(t, "edited.md", "newest\n")
	syncIn(t, ix, tr)
	must(t, ix.Close())
	return dir, tr
}

// files of the current generation, by role.
func generationFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	gen := filepath.Join(dir, genName(5))
	out := map[string]string{"CURRENT": filepath.Join(dir, "CURRENT")}
	for _, name := range []string{"manifest", "base", "tail", "lex/store/root.bolt"} {
		out[name] = filepath.Join(gen, filepath.FromSlash(name))
	}
	for _, glob := range []string{"lex/store/*.zap", "vec/*.vec"} {
		found, err := filepath.Glob(filepath.Join(gen, filepath.FromSlash(glob)))
		must(t, err)
		slices.SortFunc(found, func(a, b string) int { return len(a)*1000 - len(b)*1000 + strings.Compare(a, b) })
		if len(found) < 2 {
			t.Fatalf("%s: %q", glob, found)
		}
		out["oldest "+filepath.Ext(glob)], out["newest "+filepath.Ext(glob)] = found[0], found[len(found)-1]
	}
	return out
}

var damages = map[string]func(t *testing.T, path string){
	"removed":   func(t *testing.T, path string) { must(t, os.Remove(path)) },
	"emptied":   func(t *testing.T, path string) { must(t, os.Truncate(path, 0)) },
	"truncated": func(t *testing.T, path string) { must(t, os.Truncate(path, size(t, path)-3)) },
	"garbage": func(t *testing.T, path string) {
		must(t, os.WriteFile(path, bytes.Repeat([]byte("\xa5z"), int(size(t, path)/2)+1), 0o600))
	},
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	st, err := os.Stat(path)
	must(t, err)
	return st.Size()
}

// Whatever happens to a file of an index: no panic, never an older state, and
// the next question has an index again and is told why.
func TestDamage(t *testing.T) {
	whole, tr := damaged(t)
	for _, file := range slices.Sorted(maps.Keys(generationFiles(t, whole))) {
		for _, kind := range slices.Sorted(maps.Keys(damages)) {
			t.Run(file+" "+kind, func(t *testing.T) {
				for _, way := range []string{"First", "Sync", "Check"} {
					dir := filepath.Join(t.TempDir(), "index")
					must(t, os.CopyFS(dir, os.DirFS(whole)))
					damages[kind](t, generationFiles(t, dir)[file])
					ix := openIn(t, dir, llmtest.Hash(16))
					repair(t, ix, tr, way, kind, file)
				}
			})
		}
	}
}

func repair(t *testing.T, ix *Index, tr *tree, way, kind, file string) {
	t.Helper()
	if v, err := ix.View(); err == nil { // garbage of the right size opens, until it is read
		if kind != "garbage" || file != "base" && !strings.HasPrefix(file, "tail") {
			for _, m := range words(t, v, "newest") {
				if m.Path != "edited.md" {
					t.Errorf("an older state was opened: %v", m)
				}
			}
		}
		if v.Generation() != 5 {
			t.Errorf("generation %d was opened", v.Generation())
		}
		useEverything(v)
		must(t, v.Release())
		t.Logf("%s %s opens", file, kind)
		if _, err := ix.Check(t.Context(), tr, true); err != nil {
			t.Error(err)
		}
		return
	} else if !errors.Is(err, errDamaged) && !errors.Is(err, ErrNoIndex) {
		t.Fatalf("View: %v", err)
	}
	switch way {
	case "First":
		v, built, err := ix.First(t.Context(), tr, SyncOptions{})
		must(t, err)
		if built == "" {
			t.Error("rebuilt without a reason")
		}
		must(t, v.Release())
	case "Sync":
		if rep := syncIn(t, ix, tr); rep.Rebuilt == "" || rep.Added != 31 {
			t.Errorf("%+v", rep)
		}
	case "Check":
		f, err := ix.Check(t.Context(), tr, false)
		if file == "CURRENT" && kind == "removed" {
			if !errors.Is(err, ErrNoIndex) {
				t.Errorf("check: %v", err)
			}
		} else if err != nil || len(f) != 1 || f[0].Code != "damaged" || f[0].Message == "" {
			t.Errorf("check: %v %v", f, err)
		}
		st, err := ix.Status(t.Context(), tr)
		if err != nil || st.Damaged == "" {
			t.Errorf("status: %+v %v", st, err)
		}
		syncIn(t, ix, tr)
	}
	v, err := ix.View()
	must(t, err)
	found(t, v, "newest", "edited.md")
	if v.Generation() <= 5 {
		t.Errorf("generation went back to %d", v.Generation())
	}
	must(t, v.Release())
	noLitter(t, ix.o.Dir)
	sound(t, ix, tr)
}

// Flipped bits that opening does not see are found by a deep check, in every
// file of a generation; nothing panics on the way.
func TestFlippedBits(t *testing.T) {
	dir, tr := damaged(t)
	for _, name := range slices.Sorted(maps.Keys(generationFiles(t, dir))) {
		path := generationFiles(t, dir)[name]
		whole, err := os.ReadFile(path)
		must(t, err)
		must(t, os.Chmod(path, 0o600))
		for part := range 6 {
			b := bytes.Clone(whole)
			b[(len(b)-1)*part/5] ^= 0x41
			must(t, os.WriteFile(path, b, 0o600)) // in place: hard links are flipped with it
			ix, err := Open(Options{Dir: dir, Embedder: llmtest.Hash(16)})
			must(t, err)
			f, err := ix.Check(t.Context(), tr, true)
			if err != nil && !errors.Is(err, errDamaged) && !errors.Is(err, ErrNoIndex) {
				t.Errorf("%s, part %d: %v", name, part, err)
			}
			if err == nil && len(f) == 0 && name != "CURRENT" {
				t.Errorf("%s, part %d: a flipped bit is not found", name, part)
			}
			if v, err := ix.View(); err == nil {
				useEverything(v)
				must(t, v.Release())
			}
			must(t, ix.Close())
		}
		must(t, os.WriteFile(path, whole, 0o600))
	}
}

// hashes of all files of a generation.
func hashes(t *testing.T, dir string) map[string][32]byte {
	t.Helper()
	out := map[string][32]byte{}
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out[path] = sha256.Sum256(b)
		return err
	}))
	return out
}

// A generation that somebody holds never changes: its files, and its answers.
// When it is released, the next sync removes it.
func TestGenerationsAreImmutable(t *testing.T) {
	setTail(t, 10)
	tr := newTree(t, corpus(60)).settled()
	ix := open(t, llmtest.Hash(16))
	syncIn(t, ix, tr)
	tr.write(t, "g0/p0.md", "changed once\n")
	syncIn(t, ix, tr)
	v, err := ix.View()
	must(t, err)
	dir := filepath.Join(ix.o.Dir, genName(v.Generation()))
	before, ranked := hashes(t, dir), ranking(t, v)
	near := nearest(t, v, llmtest.Hash(16), "quartz granite")
	updates := 40
	if testing.Short() {
		updates = 8
	}
	for i := range updates {
		tr.write(t, fmt.Sprintf("g%d/p%d.md", i%5, i), fmt.Sprintf("edit %d of quartz\n", i))
		syncIn(t, ix, tr)
	}
	syncWith(t, ix, tr, SyncOptions{Compact: true})
	if !maps.Equal(before, hashes(t, dir)) {
		t.Error("files of a published generation have changed")
	}
	if ranking(t, v) != ranked || nearest(t, v, llmtest.Hash(16), "quartz granite") != near {
		t.Error("a view's answers have changed")
	}
	must(t, v.Release())
	tr.write(t, "last.md", "last\n")
	syncIn(t, ix, tr)
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a generation that nobody holds is still there: %v", err)
	}
	gens, err := filepath.Glob(filepath.Join(ix.o.Dir, genPrefix+"*"))
	must(t, err)
	if len(gens) > 3 {
		t.Errorf("%d generations are kept", len(gens))
	}
	sound(t, ix, tr)
}

// Words of another generation are noticed though every size fits: bleve takes
// an older snapshot by itself when it cannot open the newest.
func TestWordsOfAnotherGeneration(t *testing.T) {
	dir, tr := damaged(t)
	store := filepath.Join(dir, genName(5), "lex", "store")
	must(t, os.RemoveAll(store))
	must(t, os.CopyFS(store, os.DirFS(filepath.Join(dir, genName(4), "lex", "store"))))
	ix := openIn(t, dir, llmtest.Hash(16))
	rewriteManifest(t, ix, func(m *manifest) {
		_, err := m.sumFiles(filepath.Join(dir, genName(5)), nil)
		must(t, err)
		m.Files = slices.DeleteFunc(m.Files, func(f fileSum) bool { return f.Name == "manifest" })
	})
	if v, err := ix.View(); !errors.Is(err, errDamaged) {
		found(t, v, "newest", "edited.md")
		t.Fatalf("words of generation 4 opened as 5: %v", err)
	}
	if rep := syncIn(t, ix, tr); rep.Rebuilt == "" {
		t.Errorf("%+v", rep)
	}
	found(t, view(t, ix), "newest", "edited.md")
}

// rewriteManifest changes the manifest of the current generation as another
// version of the program would have written it.
func rewriteManifest(t *testing.T, ix *Index, change func(*manifest)) {
	t.Helper()
	n, err := ix.disk.current()
	must(t, err)
	path := filepath.Join(ix.o.Dir, genName(n), "manifest")
	raw, err := os.ReadFile(path)
	must(t, err)
	m, err := decodeManifest(raw)
	must(t, err)
	change(m)
	raw, err = m.encode()
	must(t, err)
	must(t, os.Remove(path))
	must(t, os.WriteFile(path, raw, 0o600))
}

func TestOtherVersions(t *testing.T) {
	tr := newTree(t, map[string]string{"a.md": "amber\n"}).settled()
	t.Run("newer format", func(t *testing.T) {
		ix := open(t, nil)
		syncIn(t, ix, tr)
		must(t, ix.Close())
		rewriteManifest(t, ix, func(m *manifest) { m.Format = formatVersion + 1 })
		before := hashes(t, ix.o.Dir)
		_, err := ix.View()
		for name, do := range map[string]func() error{
			"View":    func() error { return err },
			"First":   func() error { _, _, err := ix.First(t.Context(), tr, SyncOptions{}); return err },
			"Sync":    func() error { _, err := ix.Sync(t.Context(), tr, SyncOptions{}); return err },
			"Rebuild": func() error { _, err := ix.Sync(t.Context(), tr, SyncOptions{Rebuild: true}); return err },
			"Check":   func() error { _, err := ix.Check(t.Context(), tr, true); return err },
			"Status":  func() error { _, err := ix.Status(t.Context(), tr); return err },
		} {
			if err := do(); !errors.Is(err, ErrNewer) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %q", name, err)
			}
		}
		if !maps.Equal(before, hashes(t, ix.o.Dir)) {
			t.Error("an older program wrote into a newer index")
		}
	})
	for name, change := range map[string]func(*manifest){
		"older format": func(m *manifest) { m.Format-- }, "other tokenizer": func(m *manifest) { m.Tokenizer-- }, "other weights": func(m *manifest) { m.Terms-- },
	} {
		t.Run(name, func(t *testing.T) {
			ix := open(t, nil)
			syncIn(t, ix, tr)
			must(t, ix.Close())
			rewriteManifest(t, ix, change)
			v, built, err := ix.First(t.Context(), tr, SyncOptions{})
			must(t, err)
			if built == "" || strings.Contains(built, "\n") || strings.Contains(built, "damaged") {
				t.Errorf("reason %q", built)
			}
			found(t, v, "amber", "a.md")
			must(t, v.Release())
			sound(t, ix, tr)
		})
	}
}

// An index that is removed and built again is another one, though it counts
// its generations from the start.
func TestRemoveAndBuildAgain(t *testing.T) {
	tr := newTree(t, map[string]string{"a.md": "amber\n"}).settled()
	ix := open(t, llmtest.Hash(16))
	other := openIn(t, ix.o.Dir, llmtest.Hash(16)) // as another process
	syncIn(t, ix, tr)
	found(t, view(t, ix), "amber", "a.md")
	found(t, view(t, other), "amber", "a.md")
	must(t, ix.Remove(context.Background()))
	if _, err := ix.View(); !errors.Is(err, ErrNoIndex) {
		t.Errorf("after Remove: %v", err)
	}
	left := listing(t, ix.o.Dir)
	delete(left, ".")
	delete(left, "LOCK")
	if len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	tr.write(t, "a.md", "basalt\n")
	syncIn(t, ix, tr)
	found(t, view(t, ix), "basalt", "a.md")
	found(t, view(t, other), "basalt", "a.md")
}

// The format of the manifest, as bytes: doc and code may not part.
func TestManifestBytes(t *testing.T) {
	m := manifest{Format: 1, Tokenizer: 2, Terms: 3, Generation: 4, Embedder: "e", Dims: 5, Scopes: map[string]totals{"": {Docs: 6, Words: 7}},
		Vectors: []vecFile{{"1.vec", 8}}, Orphans: []orphan{{9, 10}}, Files: []fileSum{{"base", 11, 12}}}
	raw, err := m.encode()
	must(t, err)
	want := `{"format":1,"tokenizer":2,"terms":3,"generation":4,"embedder":"e","dims":5,"scopes":{"":{"docs":6,"words":7}},` +
		`"chunks":0,"pending":0,"failed":0,"text":0,"vectors":[{"name":"1.vec","count":8}],"orphans":[{"v":9,"d":10}],` +
		`"files":[{"name":"base","size":11,"crc":12}]}`
	body, _, _ := bytes.Cut(raw, []byte("\n"))
	if string(body) != want || !json.Valid(body) {
		t.Errorf("%s", body)
	}
}
