//go:build unix

package index

import (
	"testing"
	"time"
)

// Questions that come within the racy window of an edit read the file again
// and again; only a difference is worth a generation.
func TestAskingSoonAfterAnEditPublishesOnce(t *testing.T) {
	tree := newTree(t, map[string]string{"a.md": "# A\n\n[[b]]\n", "b.md": "# B\n"})
	ix, err := Open(Options{Dir: t.TempDir()})
	must(t, err)
	t.Cleanup(func() { must(t, ix.Close()) })
	_, err = ix.Sync(t.Context(), tree, SyncOptions{})
	must(t, err)
	tree.write(t, "a.md", "# A\n\nanother text, [[b]]\n")
	var first uint64
	for i := range 3 {
		rep, err := ix.Sync(t.Context(), tree, SyncOptions{})
		must(t, err)
		if n := rep.Changed + rep.Refreshed + rep.Unchanged; n != 2 {
			t.Errorf("sync %d counts %d of 2 pages: %+v", i, n, rep)
		}
		if i == 0 {
			first = rep.Generation
		} else if rep.Generation != first {
			t.Errorf("sync %d within %v of the edit made generation %d, the edit was in %d", i, 2*time.Second, rep.Generation, first)
		}
	}
}
