package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkList is the look that every query pays: 10,000 files in 50 folders.
func BenchmarkList(b *testing.B) {
	root := b.TempDir()
	for d := range 50 {
		dir := filepath.Join(root, "brains", "big", fmt.Sprintf("folder-%02d", d))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		for f := range 200 {
			name := filepath.Join(dir, fmt.Sprintf("2026-01-%03d-a-note-on-something.md", f))
			if err := os.WriteFile(name, []byte("# note\n"), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(root, rootFile), nil, 0o644); err != nil {
		b.Fatal(err)
	}
	r, err := At(root)
	if err != nil {
		b.Fatal(err)
	}
	st, err := Open(r, "big")
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	b.ReportAllocs()
	for b.Loop() {
		l, err := st.List(context.Background())
		if err != nil || len(l.Files) != 10_000 {
			b.Fatalf("%d files, %v", len(l.Files), err)
		}
	}
}
