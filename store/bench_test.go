package store

import (
	"context"
	"fmt"
	"testing"

	"brain/page"
)

// BenchmarkList is the look that every query pays: 10,000 files in 50 folders.
func BenchmarkList(b *testing.B) {
	st := bigBrain(b)
	b.ReportAllocs()
	for b.Loop() {
		l, err := st.List(context.Background())
		if err != nil || len(l.Files) != 10_000 {
			b.Fatalf("%d files, %v", len(l.Files), err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	st := bigBrain(b)
	for b.Loop() {
		if _, err := st.Read(context.Background(), "folder-07/2026-01-100-a-note-on-something.md"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLookupExact(b *testing.B) {
	st := bigBrain(b)
	for b.Loop() {
		if _, err := st.Lookup(context.Background(), "folder-07/2026-01-100-a-note-on-something"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUpdateOneFile(b *testing.B) {
	st := bigBrain(b)
	n := 0
	for b.Loop() {
		n++
		err := st.Update(context.Background(), "bench", func(tx *Tx) error {
			return tx.Add(page.Path(fmt.Sprintf("new/%d.md", n)), []byte("text"))
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func bigBrain(b *testing.B) *Store {
	b.Helper()
	rep, err := Init(b.TempDir(), InitOptions{Brain: "default"})
	if err != nil {
		b.Fatal(err)
	}
	for d := range 50 {
		for f := range 200 {
			put(b, fmt.Sprintf("%s/folder-%02d/2026-01-%03d-a-note-on-something.md", rep.Dir, d, f), "# note\n")
		}
	}
	st, err := Open(rep.Root, "default")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { st.Close() })
	return st
}
