//go:build unix

package index

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestNothingOfAPurgedPageStaysInTheIndex(t *testing.T) {
	tr := newTree(t, map[string]string{"a.md": "# Zanzibar\n\nquagga quagga", "b.md": "# B\n\nplain"})
	ix := open(t, nil)
	if _, err := ix.Sync(t.Context(), tr, SyncOptions{}); err != nil {
		t.Fatal(err)
	}
	if held := holding(t, ix.o.Dir, "Zanzibar"); held == "" {
		t.Fatal("the index does not hold the title: the test looks for the wrong thing")
	}
	tr.remove(t, "a.md")
	if _, err := ix.Purge(t.Context(), tr, SyncOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"Zanzibar", "quagga", "a.md"} {
		if held := holding(t, ix.o.Dir, s); held != "" {
			t.Errorf("%s still holds %q", held, s)
		}
	}
}

// holding names a file below a folder that holds a text.
func holding(t *testing.T, dir, text string) (name string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if bytes.Contains(raw, []byte(text)) {
			name = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return name
}
