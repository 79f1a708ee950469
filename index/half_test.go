//go:build unix

package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"brain/llm/llmtest"
	"brain/page"
)

// journaled is a tree whose writer moves several files one after the other and
// says so in JOURNAL and LAST, which lie beside the tree.
type journaled struct {
	*tree
	asked   atomic.Int64
	onEpoch func(n int64) // called before each answer
}

func newJournaled(t testing.TB, pages map[string]string) *journaled {
	return &journaled{tree: newTree(t, pages).settled()}
}

func (j *journaled) Epoch(context.Context) (string, []page.Path, error) {
	if n := j.asked.Add(1); j.onEpoch != nil {
		j.onEpoch(n)
	}
	return j.state()
}

func (j *journaled) state() (string, []page.Path, error) {
	raw, err := os.ReadFile(j.dir + "/.JOURNAL")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, err
	}
	last, lerr := os.ReadFile(j.dir + "/.LAST")
	if lerr != nil && !errors.Is(lerr, fs.ErrNotExist) {
		return "", nil, lerr
	}
	if err != nil {
		return string(last), nil, nil
	}
	id, list, _ := strings.Cut(string(raw), "\n")
	var paths []page.Path
	for p := range strings.SplitSeq(list, "\n") {
		paths = append(paths, page.Path(p))
	}
	slices.Sort(paths)
	return string(last) + "\n" + id, paths, nil
}

func (j *journaled) between(look func() (page.Listing, error)) (page.Listing, error) {
	epoch, before, err := j.state()
	if err != nil {
		return page.Listing{}, err
	}
	l, lerr := look()
	_, after, err := j.state()
	l.Epoch, l.InFlight = epoch, slices.Concat(before, after)
	slices.Sort(l.InFlight)
	return l, errors.Join(err, lerr)
}

func (j *journaled) List(ctx context.Context) (page.Listing, error) {
	return j.between(func() (page.Listing, error) { return j.tree.List(ctx) })
}

func (j *journaled) ListOf(ctx context.Context, paths []page.Path) (page.Listing, error) {
	l, err := j.List(ctx)
	l.Files = slices.DeleteFunc(l.Files, func(f page.File) bool { return !slices.Contains(paths, f.Path) })
	return l, err
}

// place makes a file appear by rename.
func (j *journaled) place(name, text string) error {
	temp := filepath.Join(j.dir, ".temp")
	return errors.Join(os.WriteFile(temp, []byte(text), 0o600), os.Rename(temp, filepath.Join(j.dir, name)))
}

// begin writes the journal of a write; end says that it is over.
func (j *journaled) begin(id string, paths ...string) error {
	return j.place(".JOURNAL", id+"\n"+strings.Join(paths, "\n"))
}

func (j *journaled) end(id string) error {
	return errors.Join(j.place(".LAST", id), os.Remove(j.file(".JOURNAL")))
}

// count sets all counter pages, and which there are, in one write.
func (j *journaled) count(n, pages int, had int) error {
	var paths []string
	for i := range max(pages, had) {
		paths = append(paths, fmt.Sprintf("count-%02d.md", i))
	}
	id := strconv.Itoa(n)
	err := j.begin(id, paths...)
	for i, p := range paths {
		if i < pages {
			err = errors.Join(err, j.place(p, fmt.Sprintf("counter number%d of%d\n", n, pages)))
		} else {
			err = errors.Join(err, os.Remove(j.file(p)))
		}
	}
	return errors.Join(err, j.end(id))
}

// whole checks that all counter pages of a generation are of one write, by
// their words and by the page table.
func whole(v *View) (n int, err error) {
	var titles []string
	pages := 0
	v.All(func(row uint32) bool {
		if p := v.Page(row); strings.HasPrefix(string(p.Path), "count-") {
			pages++
			titles = append(titles, fmt.Sprintf("%x", p.Hash[:4]))
		}
		return true
	})
	said := map[string]int{}
	for _, s := range v.lex.snap.Segments() {
		d, err := s.Segment().Dictionary(fieldPrefix)
		if err != nil {
			return 0, err
		}
		it := d.AutomatonIterator(nil, []byte("number"), []byte("numbes"))
		for e, err := it.Next(); err == nil && e != nil; e, err = it.Next() {
			list, err := d.PostingsList([]byte(e.Term), s.Deleted(), nil)
			if err != nil {
				return 0, err
			}
			if list.Count() > 0 && e.Term != "number" {
				said[e.Term] += int(list.Count())
			}
		}
	}
	if len(said) > 1 {
		return 0, fmt.Errorf("generation %d shows parts of several writes: %v of %d pages %v", v.Generation(), said, pages, titles)
	}
	for term, docs := range said {
		n, _ = strconv.Atoi(strings.TrimPrefix(term, "number"))
		if docs != pages || pages != 3+n%5 {
			return n, fmt.Errorf("generation %d shows %d of %d pages of write %d", v.Generation(), docs, pages, n)
		}
	}
	return n, nil
}

// A writer changes, adds and removes several files at a time while others sync
// and read: no generation shows a part of a write.
func TestNoGenerationShowsHalfAWrite(t *testing.T) {
	writes := 400
	if testing.Short() {
		writes = 100
	}
	j := newJournaled(t, map[string]string{"other.md": "other\n"})
	must(t, j.count(0, 3, 0))
	dir := filepath.Join(t.TempDir(), "index")
	syncIn(t, openIn(t, dir, llmtest.Hash(16)), j)
	var done atomic.Bool
	var group sync.WaitGroup
	for range 2 {
		ix := openIn(t, dir, llmtest.Hash(16))
		group.Go(func() {
			for !done.Load() {
				if _, err := ix.Sync(t.Context(), j, SyncOptions{}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	seen := map[int]bool{}
	reader := openIn(t, dir, nil)
	group.Go(func() {
		for !done.Load() {
			v, err := reader.View()
			if err == nil {
				var n int
				n, err = whole(v)
				seen[n] = true
				err = errors.Join(err, v.Release())
			}
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	random := rand.New(rand.NewSource(1))
	for n := 1; n <= writes && !t.Failed(); n++ {
		must(t, j.count(n, 3+n%5, 3+(n-1)%5))
		if random.Intn(10) == 0 {
			must(t, j.place("other.md", fmt.Sprintf("other %d\n", n)))
		}
		time.Sleep(time.Duration(random.Intn(12)) * time.Millisecond)
	}
	done.Store(true)
	group.Wait()
	t.Logf("%d writes, %d of them seen", writes, len(seen))
	if len(seen) < 5 {
		t.Errorf("only %d states were seen", len(seen))
	}
	ix := openIn(t, dir, llmtest.Hash(16))
	syncIn(t, ix, j)
	if n, err := whole(view(t, ix)); err != nil || n != writes {
		t.Errorf("at rest: write %d, %v", n, err)
	}
	sound(t, ix, j)
}

// A write that comes while files are read is taken in whole, in the same
// generation, and nothing but its files is read a second time.
func TestWriteWhileFilesAreRead(t *testing.T) {
	for _, limit := range []int{4000, 1} { // in memory, and flushed after each page
		setBatch(t, limit)
		j := newJournaled(t, corpus(60))
		must(t, j.count(0, 3, 0))
		var once sync.Once
		j.onRead = func(p page.Path) (err error) {
			if p == "count-01.md" {
				once.Do(func() { err = j.count(1, 4, 3) })
			}
			return err
		}
		ix := open(t, llmtest.Hash(16))
		rep := syncIn(t, ix, j)
		if n, err := whole(view(t, ix)); err != nil || n != 1 {
			t.Errorf("write %d: %v", n, err)
		}
		if rep.Added != 64 || rep.Generation != 1 || rep.InFlight != 0 {
			t.Errorf("%+v", rep)
		}
		if n := j.reads.Load(); n > 63+4 {
			t.Errorf("%d files read", n)
		}
		sound(t, ix, j)
	}
}

// A tree that never comes to rest: what is being written stays as it was, and
// the rest is taken in.
func TestTreeThatNeverRests(t *testing.T) {
	j := newJournaled(t, map[string]string{"other.md": "amber\n"})
	must(t, j.count(0, 3, 0))
	ix := open(t, llmtest.Hash(16))
	syncIn(t, ix, j)
	j.write(t, "other.md", "basalt now\n")
	j.write(t, "new.md", "basalt too\n")
	n := 0
	j.onEpoch = func(int64) {
		must(t, j.count(n+1, 3+(n+1)%5, 3+n%5))
		n++
	}
	rep := syncIn(t, ix, j)
	v := view(t, ix)
	if n, err := whole(v); err != nil || n != 0 {
		t.Errorf("write %d: %v", n, err)
	}
	found(t, v, "basalt", "new.md other.md")
	if rep.InFlight == 0 || rep.Added != 1 || rep.Changed != 1 || n > maxRounds+2 {
		t.Errorf("%+v after %d writes", rep, n)
	}
	j.onEpoch = nil
	if rep = syncIn(t, ix, j); rep.InFlight != 0 {
		t.Errorf("at rest: %+v", rep)
	}
	if seen, err := whole(view(t, ix)); err != nil || seen != n {
		t.Errorf("write %d of %d: %v", seen, n, err)
	}
	sound(t, ix, j)

	// So it is with a first index, whose pages are in bleve before the end.
	setBatch(t, 1)
	j.onEpoch = func(int64) {
		must(t, j.count(n+1, 3+(n+1)%5, 3+n%5))
		n++
	}
	ix = open(t, llmtest.Hash(16))
	syncIn(t, ix, j)
	v = view(t, ix)
	found(t, v, "basalt", "new.md other.md")
	found(t, v, "counter", "")
	j.onEpoch = nil
	syncIn(t, ix, j)
	if seen, err := whole(view(t, ix)); err != nil || seen != n {
		t.Errorf("write %d of %d: %v", seen, n, err)
	}
	sound(t, ix, j)
}

// A writer that died, or stands still, holds nobody up: its files stay as they
// were, a question says that it is stale, and the end of the write is taken in.
func TestWriterThatDiedInTheMiddle(t *testing.T) {
	hurry(t)
	j := newJournaled(t, map[string]string{"a.md": "amber\n", "b.md": "amber\n", "c.md": "amber\n", "z.md": "zircon\n"})
	ix := open(t, nil)
	syncIn(t, ix, j)
	must(t, j.begin("x", "a.md", "b.md", "c.md", "d.md"))
	if gen, c, stale := ask(t, ix, j, Auto); gen != 1 || stale != nil || c.InFlight != 0 {
		t.Errorf("before its first file: %d %+v %+v", gen, c, stale)
	}
	must(t, j.place("a.md", "basalt now\n"))
	j.remove(t, "c.md")
	must(t, j.place("d.md", "basalt too\n"))
	must(t, j.place("z.md", "zircon and more\n"))
	gen, c, stale := ask(t, ix, j, Auto)
	if gen != 2 || c.InFlight != 3 || stale == nil || stale.Changed != 3 || !strings.Contains(stale.Why, "in flight") || stale.Unreadable != nil {
		t.Errorf("%d %+v %+v", gen, c, stale)
	}
	if _, _, stale := ask(t, ix, j, Never); stale == nil || stale.Changed != 3 {
		t.Errorf("%+v", stale)
	}
	rep := syncIn(t, ix, j)
	if rep.InFlight != 3 || rep.Generation != 2 {
		t.Errorf("%+v", rep)
	}
	v := view(t, ix)
	found(t, v, "amber", "a.md b.md c.md")
	found(t, v, "basalt", "")
	found(t, v, "more", "z.md")
	if st, err := ix.Status(t.Context(), j); err != nil || st.Changed != 3 {
		t.Errorf("%+v %v", st, err)
	}
	// A new index knows no older state of them and leaves them out.
	other := open(t, nil)
	syncIn(t, other, j)
	found(t, view(t, other), "amber", "")
	found(t, view(t, other), "zircon", "z.md")

	must(t, j.place("b.md", "basalt as well\n"))
	must(t, j.end("x"))
	for _, ix := range []*Index{ix, other} {
		if _, _, stale := ask(t, ix, j, Auto); stale != nil {
			t.Errorf("%+v", stale)
		}
		found(t, view(t, ix), "basalt", "a.md b.md d.md")
		found(t, view(t, ix), "amber", "")
		sound(t, ix, j)
	}
}

// A journal that tells nothing puts everything in flight: what is known stays,
// and only an index of nothing is made from the tree as it is.
func TestJournalThatTellsNothing(t *testing.T) {
	hurry(t)
	j := newJournaled(t, map[string]string{"a.md": "amber\n", "b.md": "amber\n"})
	ix := open(t, nil)
	syncIn(t, ix, j)
	must(t, j.begin("x", ""))
	j.write(t, "a.md", "basalt\n")
	j.write(t, "c.md", "amber\n")
	j.remove(t, "b.md")
	if rep := syncIn(t, ix, j); rep.InFlight != 3 || rep.Generation != 1 {
		t.Errorf("%+v", rep)
	}
	found(t, view(t, ix), "amber", "a.md b.md")
	other := open(t, nil)
	syncIn(t, other, j)
	found(t, view(t, other), "amber", "c.md")

	// It turns up while files are read.
	must(t, j.end("x"))
	must(t, j.begin("y", "z.md"))
	must(t, j.end("y"))
	j.onRead = func(page.Path) error { return j.begin("z", "") }
	if rep := syncIn(t, ix, j); rep.Generation != 1 || rep.InFlight == 0 {
		t.Errorf("%+v", rep)
	}
	j.onRead = nil
	must(t, j.end("z"))
	found(t, fresh(t, ix, j), "amber", "c.md")
	sound(t, ix, j)
}

// A short write is waited for rather than left out.
func TestShortWriteIsWaitedFor(t *testing.T) {
	j := newJournaled(t, map[string]string{"a.md": "amber\n", "b.md": "amber\n"})
	ix := open(t, nil)
	syncIn(t, ix, j)
	flightPatienceOf(t, time.Minute)
	must(t, j.begin("x", "a.md", "b.md"))
	must(t, j.place("a.md", "basalt\n"))
	j.onEpoch = func(n int64) {
		if n == 3 {
			must(t, j.place("b.md", "basalt\n"))
			must(t, j.end("x"))
		}
	}
	if rep := syncIn(t, ix, j); rep.Changed != 2 || rep.InFlight != 0 {
		t.Errorf("%+v", rep)
	}
	found(t, view(t, ix), "basalt", "a.md b.md")
}

// hurry lets a test of a writer that died not wait for it.
func hurry(t *testing.T) { flightPatienceOf(t, 5*time.Millisecond) }

func flightPatienceOf(t *testing.T, d time.Duration) {
	patience, quick := flightPatience, flightHurry
	t.Cleanup(func() { flightPatience, flightHurry = patience, quick })
	flightPatience, flightHurry = d, d
}
