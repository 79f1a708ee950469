package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"brain/page"
	"brain/store"
)

// kept is the sidecars of an agent in a brain of its own, with the notes that were told.
type kept struct {
	*sidecars
	t     testing.TB
	notes []string
}

// keep makes a brain with facts of an agent, and the sidecars beside it.
func keep(t testing.TB, ids ...string) *kept {
	t.Helper()
	rep, err := store.Init(t.TempDir(), store.InitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	k := openKept(t, rep.Root)
	for _, id := range ids {
		k.put(id)
	}
	return k
}

func openKept(t testing.TB, r store.Root) *kept {
	t.Helper()
	st, err := store.Open(r, "default")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	k := &kept{t: t}
	var mu sync.Mutex
	st.OnNote = func(line string) {
		mu.Lock()
		defer mu.Unlock()
		k.notes = append(k.notes, line)
	}
	k.sidecars = &sidecars{filepath.Join(r.StateDir(), "usage", "default"), "coder", st, newTurn()}
	return k
}

// place is the file of a fact.
func (k *kept) place(id string) string {
	k.t.Helper()
	p, err := FactPath(k.agent, id)
	if err != nil {
		k.t.Fatal(err)
	}
	return filepath.Join(k.st.Dir(), string(p))
}

func (k *kept) put(id string) {
	k.t.Helper()
	raw, err := FormatFact(Fact{ID: id, Agent: k.agent, Content: "The user likes " + id, Created: evictionDay})
	if err != nil {
		k.t.Fatal(err)
	}
	k.write(k.place(id), string(raw))
}

func (k *kept) write(name, content string) {
	k.t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		k.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		k.t.Fatal(err)
	}
}

func (k *kept) file(name string) string { return filepath.Join(k.base, k.agent, name) }

// text is what a sidecar holds, "" for none.
func (k *kept) text(name string) string {
	k.t.Helper()
	raw, err := os.ReadFile(k.file(name))
	if err != nil && !os.IsNotExist(err) {
		k.t.Fatal(err)
	}
	return string(raw)
}

// search is a search that found facts, by a searcher that knows of none where they lie.
func (k *kept) search(now time.Time, ids ...string) {
	k.hit(context.Background(), ids, unknown, now)
}

func unknown(string) (page.Path, bool) { return "", false }

func (k *kept) quiet() {
	k.t.Helper()
	if len(k.notes) > 0 {
		k.t.Errorf("told: %q", k.notes)
	}
	k.notes = nil
}

// told checks that one line was, and what it speaks of.
func (k *kept) told(what string) {
	k.t.Helper()
	if len(k.notes) != 1 || !strings.Contains(k.notes[0], what) {
		k.t.Errorf("told %q, want one line about %s", k.notes, what)
	}
	k.notes = nil
}

// MP08
func TestSearchWarmsWhatItFoundAndHalvesItByTheMonth(t *testing.T) {
	k := keep(t, "a", "b")
	k.search(daysAgo(30), "a")
	k.search(evictionDay, "a", "b", "a")
	want := `{"a":{"accessHeat":1.5,"accessCount":2,"lastAccessedAt":"2026-08-14T12:00:00Z"},"b":{"accessHeat":1,"accessCount":1,"lastAccessedAt":"2026-08-14T12:00:00Z"}}` + "\n"
	if got := k.text(usageFile); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	k.quiet()
	for name, want := range map[string]os.FileMode{usageFile: 0o600, lockFile: 0o600, ".": 0o700 | os.ModeDir} {
		if fi, err := os.Lstat(k.file(name)); err != nil || fi.Mode() != want {
			t.Errorf("%s: %v %v, want %v", name, fi.Mode(), err, want)
		}
	}
	if _, err := os.Lstat(filepath.Join(filepath.Dir(filepath.Dir(k.base)), ".gitignore")); err != nil {
		t.Errorf("git is not told to leave it alone: %v", err)
	}
}

// deermem 41, MP09
func TestHeatLeavesTheFileOfTheFactAlone(t *testing.T) {
	k := keep(t, "a")
	before, _ := os.ReadFile(k.place("a"))
	was, err := os.Stat(k.place("a"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		k.search(daysAgo(float64(i)), "a")
	}
	after, _ := os.ReadFile(k.place("a"))
	if is, err := os.Stat(k.place("a")); err != nil || string(after) != string(before) || is.ModTime() != was.ModTime() || !os.SameFile(is, was) {
		t.Errorf("the file changed: %v", err)
	}
}

func TestHeatOfFactsThatAreGoneIsDropped(t *testing.T) {
	k := keep(t, "a", "b")
	k.search(evictionDay, "a", "b", "never-was")
	k.warmed("a", "b")
	if err := os.Remove(k.place("b")); err != nil {
		t.Fatal(err)
	}
	k.search(evictionDay, "b") // it went between the look and the note: nothing to write
	if got := k.heat()["b"].Count; got != 1 {
		t.Errorf("%d searches for what is gone, want the one before", got)
	}
	k.search(evictionDay, "a")
	k.warmed("a")
	k.quiet()
}

func (k *kept) warmed(want ...string) {
	k.t.Helper()
	if got := slices.Sorted(maps.Keys(k.heat())); !slices.Equal(got, want) {
		k.t.Errorf("heat of %v, want %v", got, want)
	}
}

// A fact may lie where its id does not say; the searcher knows where.
func TestFactInAnotherFolderIsWarmedAsWell(t *testing.T) {
	k := keep(t)
	at := page.Path("agents/coder/facts/by-hand/a.md")
	k.write(filepath.Join(k.st.Dir(), string(at)), "x")
	where := func(id string) (page.Path, bool) { return at, id == "a" }
	k.hit(context.Background(), []string{"a", "b"}, where, evictionDay)
	k.hit(context.Background(), []string{"a"}, where, evictionDay)
	if got := k.heat(); len(got) != 1 || got["a"].Count != 2 {
		t.Errorf("%+v, want two searches for a", got)
	}
}

func TestPartsOfHeatThatAreNoneBeginAnew(t *testing.T) {
	k := keep(t, "a")
	huge := "1" + strings.Repeat("0", 400)
	for entry, want := range map[string]Heat{
		`{"accessHeat":3,"accessCount":5,"lastAccessedAt":"2026-08-14T12:00:00Z"}`:                       {4, 6, evictionDay},
		`{"accessHeat":3,"accessCount":5,"lastAccessedAt":"2026-08-14T12:00:00.000000Z"}`:                {4, 6, evictionDay},
		`{"accessHeat":3,"accessCount":5,"lastAccessedAt":"2026-08-14T14:00:00+02:00"}`:                  {4, 6, evictionDay},
		`{"accessHeat":3,"accessCount":5,"lastAccessedAt":"2027-08-14T12:00:00Z"}`:                       {4, 6, evictionDay}, // a clock was wrong
		`{"accessHeat":3,"accessCount":5,"lastAccessedAt":"yesterday"}`:                                  {1, 6, evictionDay},
		`{"accessHeat":3,"accessCount":5,"lastAccessedAt":"9999-12-31T23:59:59-23:00"}`:                  {1, 6, evictionDay},
		`{"accessHeat":3,"accessCount":5}`:                                                               {1, 6, evictionDay},
		`{"accessHeat":-3,"accessCount":-5,"lastAccessedAt":"2026-08-14T12:00:00Z"}`:                     {1, 1, evictionDay},
		`{"accessHeat":true,"accessCount":true,"lastAccessedAt":"2026-08-14T12:00:00Z"}`:                 {1, 1, evictionDay},
		`{"accessHeat":"3","accessCount":1.5,"lastAccessedAt":"2026-08-14T12:00:00Z"}`:                   {1, 1, evictionDay},
		`{"accessHeat":` + huge + `,"accessCount":` + huge + `,"lastAccessedAt":"2026-08-14T12:00:00Z"}`: {1, 1, evictionDay},
		`{"accessHeat":null,"accessCount":null,"lastAccessedAt":null}`:                                   {1, 1, evictionDay},
		`7`: {1, 1, evictionDay}, `[]`: {1, 1, evictionDay}, `null`: {1, 1, evictionDay},
	} {
		k.write(k.file(usageFile), `{"a":`+entry+`}`)
		k.search(evictionDay, "a")
		if got := k.heat()["a"]; got != want {
			t.Errorf("%.80s and a search: %+v, want %+v", entry, got, want)
		}
	}
	k.quiet()
}

func TestHeatThatDeerMemLeftIsWhereOursBegins(t *testing.T) {
	k := keep(t, "a", "b", "c")
	left := filepath.Join(k.st.Dir(), "agents", "coder", ".metadata", "fact-usage.json")
	text := "{\n  \"a\": {\"accessHeat\": 2.0, \"accessCount\": 2, \"lastAccessedAt\": \"2026-07-15T12:00:00Z\"},\n  \"gone\": {\"accessHeat\": 9.0}, \"b\": {\"accessHeat\": 4.0, \"accessCount\": 4, \"lastAccessedAt\": \"2026-08-14T12:00:00Z\"}\n}"
	k.write(left, text)
	if got := k.heat()["a"].at(evictionDay); got != 1 {
		t.Errorf("heat of a before any search of ours: %v, want 1", got)
	}
	k.search(evictionDay, "a")
	want := map[string]Heat{"a": {2, 3, evictionDay}, "b": {4, 4, evictionDay}}
	if got := k.heat(); !maps.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	k.write(left, `{"c":{"accessHeat":9,"lastAccessedAt":"2026-08-14T12:00:00Z"}}`)
	if got := k.heat(); !maps.Equal(got, want) {
		t.Errorf("ours is there, and theirs is read: %+v", got)
	}
	k.quiet()
}

func TestUsageThatIsNoJSONIsToldAndWrittenAnew(t *testing.T) {
	k := keep(t, "a")
	for _, broken := range []string{"", "{", `[1]`, `{"a":{"accessHeat":Infinity}}`, "\x00\x00", `{"a":{}}{`} {
		k.write(k.file(usageFile), broken)
		if got := k.heat(); len(got) != 0 {
			t.Errorf("%q is read as %+v", broken, got)
		}
		k.told("heat")
		k.search(evictionDay, "a")
		k.told("heat is counted anew")
		if got := k.heat(); !maps.Equal(got, map[string]Heat{"a": {1, 1, evictionDay}}) {
			t.Errorf("after %q: %+v", broken, got)
		}
		k.quiet()
	}
}

// What cannot be written is told, and the search goes on.
func TestSearchGoesOnWhereHeatCannotBeKept(t *testing.T) {
	for name, spoil := range map[string]func(k *kept){
		"a file where the folder should be": func(k *kept) { k.write(filepath.Join(k.base, k.agent), "x") },
		"a folder where the file should be": func(k *kept) { k.write(filepath.Join(k.file(usageFile), "x"), "x") },
		"a link for the lock":               func(k *kept) { k.link("/dev/null", lockFile) },
		"a link out of the folder": func(k *kept) {
			k.write(filepath.Join(k.base, "x"), "x")
			if err := os.Symlink(k.t.TempDir(), filepath.Join(k.base, k.agent)); err != nil {
				k.t.Fatal(err)
			}
		},
		"no room to make it": func(k *kept) { k.write(filepath.Dir(filepath.Dir(k.base)), "x") },
	} {
		k := keep(t, "a")
		spoil(k)
		k.search(evictionDay, "a")
		if len(k.notes) == 0 {
			t.Errorf("%s: nothing is told", name)
		}
		k.notes = nil
		k.scrub(context.Background(), []string{"a"})
		k.record(context.Background(), []*Eviction{{Evicted: []Evicted{{ID: "a"}}}}, 3)
		k.clear(context.Background())
	}
}

// A file of another user's is neither read nor replaced by what little is known.
func TestSidecarThatMayNotBeReadStaysAsItIs(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	k := keep(t, "a")
	k.search(evictionDay, "a")
	before := k.text(usageFile)
	k.rights(k.file(usageFile), 0)
	k.search(evictionDay, "a")
	k.told("note a search")
	k.scrub(context.Background(), []string{"a"})
	k.told("take deleted facts out")
	if got := k.heat(); len(got) != 0 {
		t.Errorf("%+v was read", got)
	}
	k.told("read their heat")
	k.rights(k.file(usageFile), 0o600)
	if got := k.text(usageFile); got != before {
		t.Errorf("%s, was %s", got, before)
	}
	k.rights(filepath.Dir(k.file(usageFile)), 0o500)
	k.search(evictionDay, "a")
	k.told("note a search")
	k.rights(filepath.Dir(k.file(usageFile)), 0o700)
	if got := k.text(usageFile); got != before {
		t.Errorf("%s, was %s", got, before)
	}
	k.search(evictionDay, "a")
	k.quiet()
}

func (k *kept) rights(name string, mode os.FileMode) {
	k.t.Helper()
	if err := os.Chmod(name, mode); err != nil {
		k.t.Fatal(err)
	}
}

func (k *kept) link(to, name string) {
	k.t.Helper()
	if err := os.MkdirAll(filepath.Join(k.base, k.agent), 0o700); err != nil {
		k.t.Fatal(err)
	}
	if err := os.Symlink(to, k.file(name)); err != nil {
		k.t.Fatal(err)
	}
}

func TestPlantedLinkIsNotWrittenThrough(t *testing.T) {
	k := keep(t, "a")
	victim := filepath.Join(t.TempDir(), "victim")
	k.write(victim, "precious")
	k.link(victim, usageFile)
	k.link(victim, usageFile+".new")
	k.search(evictionDay, "a")
	if raw, _ := os.ReadFile(victim); string(raw) != "precious" {
		t.Errorf("the file behind a link now says %q", raw)
	}
	if got := k.heat()["a"].Count; got != 1 {
		t.Errorf("%d searches were counted, want 1", got)
	}
}

// The lock is waited for, and not for ever.
func TestLockThatIsNeverGivenBackCostsTheNoteAlone(t *testing.T) {
	k := keep(t, "a")
	k.search(evictionDay, "a")
	err := k.locked(context.Background(), func(*os.Root) error {
		began := time.Now()
		k.search(evictionDay, "a")
		if took := time.Since(began); took < lockWait || took > 10*lockWait {
			t.Errorf("waited %v", took)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	k.told("LOCK")
	fl := flock.New(k.file(lockFile)) // another process
	if err := fl.Lock(); err != nil {
		t.Fatal(err)
	}
	k.search(evictionDay, "a")
	k.told("LOCK")
	if err := fl.Unlock(); err != nil {
		t.Fatal(err)
	}
	if got := k.heat()["a"].Count; got != 1 {
		t.Errorf("%d searches were counted, want 1", got)
	}
}

// TestUsageProcess is the other process of the next test.
func TestUsageProcess(t *testing.T) {
	dir := os.Getenv("MEMORY_TEST_ROOT")
	if dir == "" {
		t.Skip("it is only run by another test")
	}
	r, err := store.At(dir)
	if err != nil {
		t.Fatal(err)
	}
	warm(openKept(t, r), 100)
}

// warm lets 8 goroutines search, each n times, every other time for a fact of its own.
func warm(k *kept, n int) {
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range n {
				if i%2 == 0 {
					k.search(evictionDay, "all")
				} else {
					k.search(evictionDay, "all", fmt.Sprint("own", g))
				}
			}
		})
	}
	wg.Wait()
	k.quiet()
}

func TestNoSearchIsLostWhereManySearch(t *testing.T) {
	k := keep(t, "all")
	for g := range 8 {
		k.put(fmt.Sprint("own", g))
	}
	cmds := make([]*exec.Cmd, 2)
	for i := range cmds {
		cmds[i] = exec.Command(os.Args[0], "-test.run=^TestUsageProcess$", "-test.v")
		cmds[i].Env = append(os.Environ(), "MEMORY_TEST_ROOT="+filepath.Dir(filepath.Dir(filepath.Dir(k.base))))
		cmds[i].Stderr = os.Stderr
		if err := cmds[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	warm(k, 100)
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Errorf("the other process: %v", err)
		}
	}
	heat := k.heat()
	if got := heat["all"]; got != (Heat{2400, 2400, evictionDay}) {
		t.Errorf("all: %+v, want 3 × 8 × 100 searches", got)
	}
	for g := range 8 {
		if got := heat[fmt.Sprint("own", g)]; got.Count != 150 {
			t.Errorf("own%d: %+v, want 3 × 50 searches", g, got)
		}
	}
}

// BenchmarkHits is what one search costs when 100 facts are warm, over and over.
func BenchmarkHits(b *testing.B) {
	var ids []string
	for i := range 100 {
		ids = append(ids, fmt.Sprintf("fact_%08x", i))
	}
	k := keep(b, ids...)
	paths := map[string]page.Path{}
	for _, id := range ids {
		paths[id], _ = FactPath(k.agent, id)
	}
	where := func(id string) (page.Path, bool) { p, ok := paths[id]; return p, ok }
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		at := i % 91
		k.hit(context.Background(), ids[at:at+10], where, evictionDay.Add(time.Duration(i)*time.Minute))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc)-float64(before.HeapAlloc), "B-held")
	b.ReportMetric(float64(len(k.text(usageFile))), "B-file")
	b.ReportMetric(float64(runtime.NumGoroutine()), "goroutines")
	k.quiet()
}

func TestHeatIsReadByWhoeverReadsJSON(t *testing.T) {
	raw, err := json.Marshal(Heat{})
	if err != nil || string(raw) != `{"accessHeat":0,"accessCount":0}` {
		t.Errorf("%s, %v: without a time there is none", raw, err)
	}
}
