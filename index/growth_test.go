//go:build unix

package index

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"brain/llm/llmtest"

	"golang.org/x/sys/unix"
)

// diskUse is the size of a folder, every file once however many names it has.
func diskUse(t testing.TB, dir string) (total int64) {
	t.Helper()
	seen := map[uint64]bool{}
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		var st unix.Stat_t
		err = unix.Lstat(path, &st)
		if !seen[st.Ino] {
			seen[st.Ino] = true
			total += st.Size
		}
		return err
	}))
	return total
}

// rebuiltUse is the size of an index that is built from the tree as it is.
func rebuiltUse(t testing.TB, src Source) int64 {
	t.Helper()
	ix := open(t, llmtest.Hash(64))
	syncIn(t, ix, src)
	return diskUse(t, ix.o.Dir)
}

// Hundreds of one-page syncs leave an index that is no larger and no more
// scattered than a new one, and each writes little.
func TestGrowthOverOnePageSyncs(t *testing.T) {
	syncs := 150
	if os.Getenv("INDEX_TEST_LONG") != "" {
		syncs = 1000
	}
	if testing.Short() {
		syncs = 60
	}
	setTail(t, 40)
	tr := newTree(t, corpus(300)).settled()
	ix := open(t, llmtest.Hash(64))
	syncIn(t, ix, tr)
	var written []int64
	for i := range syncs {
		tr.write(t, fmt.Sprintf("g%d/p%d.md", i%5, (i*7)%300), fmt.Sprintf("# Edited %d\n\nquartz %d in a page of its own words%d\n", i, i, i))
		rep := syncIn(t, ix, tr)
		written = append(written, rep.Written)
		bolt := filepath.Join(ix.o.Dir, genName(rep.Generation), "lex", "store", "root.bolt")
		if st, err := os.Stat(bolt); err != nil || st.Size() > 512<<10 {
			t.Fatalf("root.bolt: %v %v", st.Size(), err)
		}
		v, err := ix.View()
		must(t, err)
		// Two large segments of the first build, and the small ones.
		if s, f, r := len(v.lex.snap.Segments()), len(v.m.Vectors), v.tail.len(); s > maxSegments+2 || f > maxVecFiles || r > maxTailRows {
			t.Fatalf("sync %d: %d segments, %d vector files, %d rows in the tail", i, s, f, r)
		}
		must(t, v.Release())
	}
	used, rebuilt := diskUse(t, ix.o.Dir), rebuiltUse(t, tr)
	slices.Sort(written)
	t.Logf("%d syncs: %d bytes on disk, a new index %d; written p50 %d, p95 %d", syncs, used, rebuilt, written[len(written)/2], written[len(written)*95/100])
	if used > rebuilt*5/2 {
		t.Errorf("%d bytes on disk, a new index has %d", used, rebuilt)
	}
	if p50 := written[len(written)/2]; p50 > 200<<10 {
		t.Errorf("%d bytes written by a one-page sync", p50)
	}
	sound(t, ix, tr)
}

// Twenty-six notes rewritten a thousand times leave no trace of the thousand.
func TestRewritingDoesNotGrowTheIndex(t *testing.T) {
	rounds := 1000
	if testing.Short() {
		rounds = 200
	}
	m := newMemory()
	for i := range 26 {
		m.put(fmt.Sprintf("%c.md", 'a'+i), fmt.Sprintf("note %d\n", i))
	}
	ix := open(t, llmtest.Hash(256))
	syncIn(t, ix, m)
	peak := int64(0)
	for i := range rounds {
		m.put(fmt.Sprintf("%c.md", 'a'+i%26), fmt.Sprintf("note %d rewritten %d times\n", i%26, i))
		if i%10 != 0 { // ten notes a sync
			continue
		}
		if syncIn(t, ix, m); i%50 == 0 {
			peak = max(peak, diskUse(t, ix.o.Dir))
		}
	}
	v := fresh(t, ix, m)
	t.Logf("%d vectors for 26 chunks, %d bytes at most", v.vecs.n, peak)
	if v.vecs.n > 26+120 {
		t.Errorf("%d vectors are kept for 26 pages", v.vecs.n)
	}
	if peak > 1<<20 {
		t.Errorf("%d bytes for 26 short notes", peak)
	}
	sound(t, ix, m)
	syncWith(t, ix, m, SyncOptions{Compact: true})
	sound(t, ix, m)
}
