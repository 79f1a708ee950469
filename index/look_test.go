//go:build unix

package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/llm/llmtest"
	"brain/page"
)

// ask looks and refreshes as a question does, and releases what it gets.
func ask(t *testing.T, ix *Index, src Source, f Freshness) (gen uint64, c Change, stale *Staleness) {
	t.Helper()
	v, err := ix.View()
	must(t, err)
	c, err = ix.Look(t.Context(), src, v)
	must(t, err)
	v, stale, err = ix.Refresh(t.Context(), src, v, c, f)
	must(t, err)
	gen = v.Generation()
	must(t, v.Release())
	return gen, c, stale
}

// Questions and syncs of an unchanged tree read no page and write no byte.
func TestUnchangedTreeIsAPureRead(t *testing.T) {
	tr := newTree(t, map[string]string{"a.md": "amber\n", "b.md": "basalt\n", "bin.md": "x\x00y", "empty.md": ""}).settled()
	ix := open(t, llmtest.Hash(16))
	syncIn(t, ix, tr)
	before, reads := listing(t, ix.o.Dir), tr.reads.Load()
	for i := range 100 {
		if i%10 == 0 {
			must(t, ix.Close()) // as a new process
			if rep := syncIn(t, ix, tr); rep.Generation != 1 || rep.Unchanged != 4 {
				t.Fatalf("%+v", rep)
			}
		}
		if gen, c, stale := ask(t, ix, tr, Auto); gen != 1 || c.Changed+c.Unproven != 0 || stale != nil {
			t.Fatalf("question %d: generation %d, %+v, %+v", i, gen, c, stale)
		}
		found(t, view(t, ix), "amber", "a.md")
	}
	if n := tr.reads.Load() - reads; n != 0 {
		t.Errorf("%d pages read again", n)
	}
	if after := listing(t, ix.o.Dir); !maps.Equal(before, after) {
		t.Errorf("the index folder changed: %v, then %v", before, after)
	}
}

func TestFreshness(t *testing.T) {
	pages := map[string]string{}
	for i := range 70 {
		pages[fmt.Sprintf("p%02d.md", i)] = "amber\n"
	}
	tr := newTree(t, pages).settled()
	ix := open(t, nil)
	syncIn(t, ix, tr)
	tr.write(t, "p00.md", "basalt here\n")
	if gen, _, stale := ask(t, ix, tr, Never); gen != 1 || stale == nil || stale.Changed != 1 {
		t.Errorf("never: %d %+v", gen, stale)
	}
	if gen, _, stale := ask(t, ix, tr, Auto); gen != 2 || stale != nil {
		t.Errorf("auto: %d %+v", gen, stale)
	}
	for i := range autoLimit {
		tr.write(t, fmt.Sprintf("p%02d.md", i), "cobalt there\n")
	}
	if gen, _, stale := ask(t, ix, tr, Auto); gen != 3 || stale != nil {
		t.Errorf("auto, at the limit: %d %+v", gen, stale)
	}
	for i := range autoLimit + 1 {
		tr.write(t, fmt.Sprintf("p%02d.md", i), "dolomite\n")
	}
	if gen, _, stale := ask(t, ix, tr, Auto); gen != 3 || stale == nil || stale.Changed != autoLimit+1 {
		t.Errorf("auto, above the limit: %d %+v", gen, stale)
	}
	if gen, _, stale := ask(t, ix, tr, Wait); gen != 4 || stale != nil {
		t.Errorf("wait: %d %+v", gen, stale)
	}
}

// Edits that keep size and time, or fall into the same tick as the sync that
// read the file, are seen all the same.
func TestRacyEdits(t *testing.T) {
	for _, gap := range []time.Duration{0, time.Millisecond, 3 * time.Hour} {
		tr := newTree(t, map[string]string{"a.md": "amber one\n", "b.md": "other\n"})
		ix := open(t, nil)
		stamp := time.Now().Add(-gap)
		must(t, os.Chtimes(tr.file("a.md"), stamp, stamp))
		syncIn(t, ix, tr)
		must(t, os.WriteFile(tr.file("a.md"), []byte("cobalt 1!\n"), 0o600))
		must(t, os.Chtimes(tr.file("a.md"), stamp, stamp))
		if gen, c, _ := ask(t, ix, tr, Auto); gen != 2 || c.Changed+c.Unproven == 0 {
			t.Errorf("gap %v: generation %d, %+v", gap, gen, c)
		}
		found(t, view(t, ix), "cobalt", "a.md")
		found(t, view(t, ix), "amber", "")
	}

	// A clock so coarse that nothing about the file tells, whether the file
	// says that it is new or only its inode does.
	now := time.Now().UnixNano()
	for _, mtime := range []int64{now, 1} {
		tr := newTree(t, map[string]string{"a.md": "amber one\n"})
		tr.onList = func(l *page.Listing) { l.Files[0].Mtime, l.Files[0].Ctime = mtime, now }
		ix := open(t, nil)
		syncIn(t, ix, tr)
		must(t, os.WriteFile(tr.file("a.md"), []byte("cobalt 1!\n"), 0o600))
		if gen, c, _ := ask(t, ix, tr, Auto); gen != 2 || c.Changed != 0 || c.Unproven != 1 {
			t.Errorf("frozen clock: generation %d, %+v", gen, c)
		}
		found(t, view(t, ix), "cobalt", "a.md")
	}
}

// A date in the future proves a file like one long ago: else it would be read
// at every look until that day.
func TestFutureDatesAreProven(t *testing.T) {
	tr := newTree(t, map[string]string{"a.md": "amber\n"})
	tr.onList = func(l *page.Listing) {
		l.Files[0].Mtime, l.Files[0].Ctime = time.Now().AddDate(1, 0, 0).Truncate(time.Hour*9999).UnixNano(), 1
	}
	ix := open(t, nil)
	syncIn(t, ix, tr)
	if _, c, _ := ask(t, ix, tr, Auto); c.Changed+c.Unproven != 0 {
		t.Errorf("%+v", c)
	}
}

// What cannot be read is not deleted.
func TestDeletionIsConfirmed(t *testing.T) {
	tr := newTree(t, map[string]string{"a.md": "amber\n", "x/b.md": "amber\n", "x/y/c.md": "amber\n", "xy/d.md": "amber\n"}).settled()
	ix := open(t, nil)
	syncIn(t, ix, tr)
	for _, c := range []struct {
		unreadable string
		kept       int
		stays      string
	}{{"x", 2, "a.md x/b.md x/y/c.md xy/d.md"}, {"x/y", 1, "a.md x/b.md x/y/c.md xy/d.md"}, {"x/b.md", 1, "a.md x/b.md x/y/c.md xy/d.md"}, {"", 4, "a.md x/b.md x/y/c.md xy/d.md"}} {
		tr.unreadable = []string{c.unreadable}
		gen, change, stale := ask(t, ix, tr, Auto)
		if gen != 1 || change.Kept != c.kept || stale == nil || stale.Changed != c.kept || !strings.Contains(stale.Why, c.unreadable) || !slices.Equal(stale.Unreadable, tr.unreadable) {
			t.Errorf("%q: generation %d, %+v, %+v", c.unreadable, gen, change, stale)
		}
		rep := syncIn(t, ix, tr)
		if rep.Deleted != 0 || len(rep.Unreadable) != 1 {
			t.Errorf("%q: %+v", c.unreadable, rep)
		}
		found(t, view(t, ix), "amber", c.stays)
	}
	// Other changes are taken in meanwhile.
	tr.unreadable = []string{"x"}
	tr.remove(t, "x/b.md")
	tr.remove(t, "xy/d.md")
	tr.write(t, "a.md", "basalt\n")
	if rep := syncIn(t, ix, tr); rep.Deleted != 1 || rep.Changed != 1 {
		t.Errorf("%+v", rep)
	}
	found(t, view(t, ix), "amber", "x/b.md x/y/c.md")
	tr.unreadable = nil
	if rep := syncIn(t, ix, tr); rep.Deleted != 1 {
		t.Errorf("%+v", rep)
	}
	found(t, view(t, ix), "amber", "x/y/c.md")
	// No list at all is an error, and changes nothing.
	tr.failList = errors.New("no such folder")
	if _, err := ix.Sync(t.Context(), tr, SyncOptions{}); !errors.Is(err, tr.failList) {
		t.Error(err)
	}
	found(t, view(t, ix), "amber", "x/y/c.md")
}

// A page that shrinks, empties, or keeps its front matter alone is not found
// by what it said before.
func TestShrinkingPages(t *testing.T) {
	long := "# Long\n\n" + strings.Repeat("A paragraph about feldspar. ", 40) + "\n\n" + strings.Repeat("And one about topaz. ", 60) + "\n"
	tr := newTree(t, map[string]string{"a.md": long}).settled()
	ix := open(t, llmtest.Hash(32))
	v := fresh(t, ix, tr)
	found(t, v, "topaz", "a.md")
	if v.Page(0).Chunks < 2 {
		t.Fatalf("%d chunks", v.Page(0).Chunks)
	}
	for _, s := range []string{"# Long\n\nA line about feldspar.\n", "", "---\ntitle: Only a title\n---\n"} {
		tr.write(t, "a.md", s)
		v = fresh(t, ix, tr)
		found(t, v, "topaz", "")
		sound(t, ix, tr)
	}
	found(t, v, "title", "a.md")
	if st, err := ix.Status(t.Context(), tr); err != nil || st.Chunks > 1 {
		t.Errorf("%+v %v", st, err)
	}
}

// Files that cannot be read, are no text, vanish, or are odd in other ways.
func TestOddFiles(t *testing.T) {
	big := strings.Repeat("a line about hematite and more of it\n\n", 55_000) // 2 MB
	tr := newTree(t, map[string]string{
		"a.md": "amber\n", "bin.md": "amber\x00\x01", "empty.md": "", "latin.md": "caf\xe9 amber\n", "noise.md": "\xff\xfe\x80 amber \xc3\x28\n",
		"big.md": big, "huge.md": "amber\n", "locked.md": "amber\n", "vanishing.md": "amber\n",
	}).settled()
	must(t, os.Truncate(tr.file("huge.md"), 50<<20))
	tr.skip = func(_ string, size int64) bool { return size > 4<<20 }
	denied := &fs.PathError{Op: "open", Path: "locked.md", Err: fs.ErrPermission}
	tr.onRead = func(p page.Path) error {
		switch p {
		case "locked.md":
			return denied
		case "vanishing.md":
			return &fs.PathError{Op: "open", Path: string(p), Err: fs.ErrNotExist}
		}
		return nil
	}
	ix := open(t, llmtest.Hash(16))
	rep := syncIn(t, ix, tr)
	if fmt.Sprint(rep.Unreadable) != "[locked.md]" || rep.Skipped["too-large"] != 1 {
		t.Errorf("%v %v", rep.Unreadable, rep.Skipped)
	}
	v := view(t, ix)
	found(t, v, "amber", "a.md latin.md noise.md")
	found(t, v, "hematite", "big.md")
	if n := v.Page(first(t, v, "big.md")).Chunks; n < 1000 {
		t.Errorf("%d chunks of 2 MB", n)
	}
	// A file that stays unreadable makes no new generation, and says so.
	gen := v.Generation()
	now, _, stale := ask(t, ix, tr, Auto)
	if now != gen || stale == nil || !strings.Contains(stale.Why, "locked.md") || fmt.Sprint(stale.Unreadable) != "[locked.md]" {
		t.Errorf("generation %d after %d; %+v", now, gen, stale)
	}
	noLitter(t, ix.o.Dir)
	// The binary one is not read again.
	reads := tr.reads.Load()
	tr.onRead = func(p page.Path) error {
		if p == "bin.md" {
			t.Error("a binary file was read again")
		}
		return nil
	}
	syncIn(t, ix, tr)
	if tr.reads.Load() == reads {
		t.Error("files that can be read now were not")
	}
	tr.onRead = nil
	found(t, view(t, ix), "amber", "a.md latin.md locked.md noise.md vanishing.md")
	// Text becomes binary and binary text.
	tr.write(t, "bin.md", "amber now\n")
	tr.write(t, "a.md", "now\x00binary")
	syncIn(t, ix, tr)
	found(t, view(t, ix), "amber", "bin.md latin.md locked.md noise.md vanishing.md")
	// A page that was indexed and cannot be read any more stays as it was.
	tr.write(t, "locked.md", "basalt\n")
	tr.onRead = func(p page.Path) error {
		if p == "locked.md" {
			return denied
		}
		return nil
	}
	if rep = syncIn(t, ix, tr); len(rep.Unreadable) != 1 || rep.Deleted != 0 {
		t.Errorf("%+v", rep)
	}
	found(t, view(t, ix), "amber", "bin.md latin.md locked.md noise.md vanishing.md")
	tr.onRead = nil
	syncIn(t, ix, tr)
	found(t, view(t, ix), "basalt", "locked.md")
	sound(t, ix, tr)
}

// A sync that is told to stop leaves everything as it was.
func TestCanceledSync(t *testing.T) {
	tr := newTree(t, corpus(50)).settled()
	ix := open(t, llmtest.Hash(16))
	ctx, cancel := context.WithCancel(t.Context())
	tr.onRead = func(page.Path) error {
		if tr.reads.Load() > 10 {
			cancel()
		}
		return nil
	}
	if _, err := ix.Sync(ctx, tr, SyncOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	noLitter(t, ix.o.Dir)
	if _, err := ix.View(); !errors.Is(err, ErrNoIndex) {
		t.Error(err)
	}
	syncIn(t, ix, tr)
	sound(t, ix, tr)
}

// What a report and a status count.
func TestCounts(t *testing.T) {
	tr := newTree(t, map[string]string{
		"a.md": "amber [[b]] [[nowhere]]\n", "b.md": "basalt\n", "bin.md": "x\x00y", "empty.md": "", "old.md": "---\nstatus: archived\n---\nold\n",
	}).settled()
	ix := open(t, llmtest.Hash(16))
	rep := syncIn(t, ix, tr)
	if rep.Added != 4 || rep.Changed+rep.Deleted+rep.Moved+rep.Refreshed+rep.Unchanged != 0 || rep.Embedded != 2 || rep.Bytes == 0 || rep.Written == 0 {
		t.Errorf("first: %+v", rep)
	}
	st, err := ix.Status(t.Context(), tr)
	must(t, err)
	if st.Pages != 4 || st.Ranked != 2 || st.Chunks != 2 || st.Vectors != 2 || st.Links != 2 || st.Unresolved != 1 || st.Changed != 0 || st.Segments != 1 {
		t.Errorf("status: %+v", st)
	}
	if rep.Skipped["binary"] != 1 || st.Skipped["binary"] != 1 {
		t.Errorf("skipped %v and %v", rep.Skipped, st.Skipped)
	}
	tr.remove(t, "b.md")
	tr.write(t, "moved/old.md", "---\nstatus: archived\n---\nold\n")
	tr.remove(t, "old.md")
	tr.write(t, "a.md", "amber again\n")
	rep = syncIn(t, ix, tr)
	if rep.Added != 0 || rep.Changed != 1 || rep.Deleted != 1 || rep.Moved != 1 || rep.Unchanged != 2 || rep.Skipped["binary"] != 1 {
		t.Errorf("second: %+v", rep)
	}
	rep = syncWith(t, ix, tr, SyncOptions{Rebuild: true})
	if rep.Added != 3 || rep.Unchanged != 0 || rep.Rebuilt == "" {
		t.Errorf("rebuild: %+v", rep)
	}
	if st, err := ix.Status(t.Context(), tr); err != nil || st.Pages != 3 {
		t.Errorf("status: %+v %v", st, err)
	}
}

// A question lists the tree once, also when it takes changes in.
func TestQuestionListsTheTreeOnce(t *testing.T) {
	tr := newTree(t, map[string]string{"a.md": "amber\n", "b.md": "basalt\n"}).settled()
	ix := open(t, nil)
	syncIn(t, ix, tr)
	lists, onList := 0, tr.onList
	tr.onList = func(l *page.Listing) { lists++; onList(l) }
	tr.write(t, "a.md", "cobalt now\n")
	if gen, _, stale := ask(t, ix, tr, Auto); gen != 2 || stale != nil || lists != 1 {
		t.Errorf("generation %d, %+v, %d lists", gen, stale, lists)
	}
	found(t, view(t, ix), "cobalt", "a.md")
	// A generation that another process has made meanwhile is looked at anew.
	v, err := ix.View()
	must(t, err)
	tr.write(t, "a.md", "dolomite\n")
	c, err := ix.Look(t.Context(), tr, v)
	must(t, err)
	other := openIn(t, ix.o.Dir, nil)
	tr.write(t, "b.md", "dolomite\n")
	syncIn(t, other, tr)
	v, stale, err := ix.Refresh(t.Context(), tr, v, c, Auto)
	must(t, err)
	if v.Generation() != 3 || stale != nil {
		t.Errorf("generation %d, %+v", v.Generation(), stale)
	}
	found(t, v, "dolomite", "a.md b.md")
	must(t, v.Release())
}

// That a page is proven now is worth a generation to a sync, and not to a question.
func TestProofAloneMakesNoQuestionWait(t *testing.T) {
	tr := newTree(t, map[string]string{"a.md": "amber\n"})
	ix := open(t, nil)
	syncIn(t, ix, tr)
	time.Sleep(racyWindow + 100*time.Millisecond)
	for range 2 {
		if gen, c, stale := ask(t, ix, tr, Auto); gen != 1 || c.Unproven != 1 || stale != nil {
			t.Errorf("generation %d, %+v, %+v", gen, c, stale)
		}
	}
	if rep := syncIn(t, ix, tr); rep.Generation != 2 || rep.Refreshed != 1 {
		t.Errorf("%+v", rep)
	}
	if gen, c, _ := ask(t, ix, tr, Auto); gen != 2 || c.Unproven != 0 {
		t.Errorf("generation %d, %+v", gen, c)
	}
}
