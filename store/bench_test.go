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

// The next four write to a disk that is synced, in a brain of 10,000 pages; the
// first needs no journal.

func BenchmarkAdd(b *testing.B) {
	st := bigBrain(b)
	n := 0
	for b.Loop() {
		n++
		benchUpdate(b, st, func(tx *Tx) error { return tx.Add(page.Path(fmt.Sprintf("new/%d.md", n)), []byte("text")) })
	}
}

// BenchmarkAddRenewed adds one page and renews one file, as every change of a fact does:
// two files need a journal.
func BenchmarkAddRenewed(b *testing.B) {
	st := bigBrain(b)
	n := 0
	st.Renew = func(tx *Tx) error {
		raw, err := tx.ReadOwn(Summaries)
		if err != nil {
			return err
		}
		return tx.RenewOwn(Summaries, hashOr(raw), fmt.Append(nil, n))
	}
	for b.Loop() {
		n++
		benchUpdate(b, st, func(tx *Tx) error { return tx.Add(page.Path(fmt.Sprintf("new/%d.md", n)), []byte("text")) })
	}
}

func BenchmarkReplace(b *testing.B) {
	st := bigBrain(b)
	was := []byte("# note\n")
	n := 0
	for b.Loop() {
		n++
		next := fmt.Appendf(nil, "# note %d\n", n)
		benchUpdate(b, st, func(tx *Tx) error {
			return tx.Replace("folder-07/2026-01-100-a-note-on-something.md", HashOf(was), next)
		})
		was = next
	}
}

// BenchmarkUpdate200 is a batch: 200 pages in one update.
func BenchmarkUpdate200(b *testing.B) {
	st := bigBrain(b)
	n := 0
	for b.Loop() {
		benchUpdate(b, st, func(tx *Tx) error {
			for range 200 {
				n++
				if err := tx.Add(page.Path(fmt.Sprintf("new/%d.md", n)), []byte("text")); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

func benchUpdate(b *testing.B, st *Store, fn func(*Tx) error) {
	b.Helper()
	if err := st.Update(context.Background(), "bench", fn); err != nil {
		b.Fatal(err)
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
