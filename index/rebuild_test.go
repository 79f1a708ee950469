//go:build unix

package index

import (
	"os"
	"path/filepath"
	"testing"

	"brain/llm/llmtest"
)

// Making everything anew asks the embedder for nothing that it has answered:
// with a model server that would be hours.
func TestRebuildKeepsVectors(t *testing.T) {
	e := llmtest.Counting(llmtest.Hash(32))
	tr := newTree(t, map[string]string{"a.md": "# A\n\nthe first page\n", "b.md": "# B\n\nthe second page\n"}).settled()
	ix, err := Open(Options{Dir: t.TempDir(), Embedder: e})
	must(t, err)
	t.Cleanup(func() { must(t, ix.Close()) })
	_, err = ix.Sync(t.Context(), tr, SyncOptions{})
	must(t, err)
	asked := e.Texts()
	rep, err := ix.Sync(t.Context(), tr, SyncOptions{Rebuild: true})
	must(t, err)
	if rep.Rebuilt == "" || rep.Reused != 2 || rep.Embedded != 0 || e.Texts() != asked {
		t.Errorf("%+v, %d texts asked for again", rep, e.Texts()-asked)
	}
	found, err := ix.Check(t.Context(), tr, true)
	must(t, err)
	if len(found) > 0 {
		t.Errorf("%v", found)
	}
}

// A damaged vector is not handed on: making anew is the repair.
func TestRebuildMakesDamagedVectorsAgain(t *testing.T) {
	tr := newTree(t, map[string]string{"a.md": "# A\n\nthe first page\n"}).settled()
	dir := t.TempDir()
	ix, err := Open(Options{Dir: dir, Embedder: llmtest.Hash(32)})
	must(t, err)
	_, err = ix.Sync(t.Context(), tr, SyncOptions{})
	must(t, err)
	must(t, ix.Close())
	files, err := filepath.Glob(filepath.Join(dir, "gen-*", "vec", "*.vec"))
	must(t, err)
	raw, err := os.ReadFile(files[0])
	must(t, err)
	raw[vecHeader+5] ^= 0x40
	must(t, os.WriteFile(files[0], raw, 0o600))
	ix, err = Open(Options{Dir: dir, Embedder: llmtest.Hash(32)})
	must(t, err)
	t.Cleanup(func() { must(t, ix.Close()) })
	rep, err := ix.Sync(t.Context(), tr, SyncOptions{Rebuild: true})
	must(t, err)
	if rep.Reused != 0 || rep.Embedded != 1 {
		t.Errorf("%+v", rep)
	}
	found, err := ix.Check(t.Context(), tr, true)
	must(t, err)
	if len(found) > 0 {
		t.Errorf("%v", found)
	}
}
