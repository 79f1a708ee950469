package retrieve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"brain/index"
	"brain/page"
)

func (b *brain) first(text string, f index.Freshness) *Answer {
	b.t.Helper()
	a, err := b.sr.Ask(b.t.Context(), Query{Text: text, Now: clock}, f, index.SyncOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	wantJSON(b.t, a)
	return a
}

func TestFirstQuestionBuildsTheIndex(t *testing.T) {
	b := newBrain(t, fewPages)
	for _, f := range []index.Freshness{index.Auto, index.Wait, index.Never} {
		if err := b.ix.Remove(t.Context()); err != nil {
			t.Fatal(err)
		}
		a := b.first("boiler pressure", f)
		if wantFirst(t, a, "boiler.md"); a.Stale != nil || len(a.Degraded) > 0 || a.Generation == 0 {
			t.Errorf("freshness %d: stale %v, degraded %v, generation %d", f, a.Stale, a.Degraded, a.Generation)
		}
	}
}

func TestQuestionTakesInWhatChanged(t *testing.T) {
	b := newBrain(t, fewPages)
	b.write("new.md", "The flywheel was balanced.")
	b.write("boiler.md", "The samovar.")
	b.remove("stairs.md")
	a := b.first("flywheel", index.Auto)
	if wantFirst(t, a, "new.md"); a.Stale != nil {
		t.Errorf("stale %v", a.Stale)
	}
	wantFirst(t, b.first("samovar", index.Auto), "boiler.md")
	wantNone(t, b.words("stairs swept Monday"))
}

func TestNeverAnswersFromTheOldStateAndSaysSo(t *testing.T) {
	b := newBrain(t, fewPages)
	b.write("new.md", "The flywheel was balanced.")
	a := b.first("flywheel", index.Never)
	if hit(a, "new.md") != nil || a.Stale == nil || a.Stale.Changed != 1 || a.Stale.Why == "" {
		t.Errorf("hits %q, stale %+v", paths(a), a.Stale)
	}
	b.remove("new.md")
	if a := b.first("boiler", index.Never); a.Stale != nil {
		t.Errorf("stale %+v though nothing differs any more", a.Stale)
	}
}

func TestMoreChangesThanAQuestionTakesInAreTold(t *testing.T) {
	b := newBrain(t, fewPages)
	for i := range 80 {
		b.write(fmt.Sprintf("many/%d.md", i), fmt.Sprintf("Flywheel %d.", i))
	}
	a := b.first("boiler", index.Auto)
	if wantFirst(t, a, "boiler.md"); a.Stale == nil || a.Stale.Changed != 80 || !strings.Contains(a.Stale.Why, "brain sync") {
		t.Errorf("stale %+v", a.Stale)
	}
	if a := b.first("flywheel", index.Wait); a.Stale != nil || len(a.Hits) != 10 {
		t.Errorf("asked to wait: stale %+v, %d hits", a.Stale, len(a.Hits))
	}
}

// whileIndexing runs do while another writer holds the index lock: it hangs in
// reading a page.
func (b *brain) whileIndexing(do func()) {
	b.t.Helper()
	other, err := index.Open(b.options)
	if err != nil {
		b.t.Fatal(err)
	}
	src := &slowSource{Source: b.st, in: make(chan struct{}), out: make(chan struct{})}
	done := make(chan error)
	go func() {
		_, err := other.Sync(context.Background(), src, index.SyncOptions{})
		done <- errors.Join(err, other.Close())
	}()
	<-src.in
	do()
	close(src.out)
	b.check(<-done)
}

// slowSource hangs in its first Read.
type slowSource struct {
	index.Source
	in, out chan struct{}
	once    sync.Once
}

func (s *slowSource) Read(ctx context.Context, p page.Path) ([]byte, error) {
	s.once.Do(func() { close(s.in) })
	<-s.out
	return s.Source.Read(ctx, p)
}

func TestHeldLockMeansAnAnswerThatIsStale(t *testing.T) {
	b := newBrain(t, fewPages)
	b.write("new.md", "The flywheel was balanced.")
	b.whileIndexing(func() {
		a := b.first("boiler pressure", index.Auto)
		if wantFirst(t, a, "boiler.md"); a.Stale == nil || a.Stale.Changed != 1 || !strings.Contains(a.Stale.Why, "another process") {
			t.Errorf("stale %+v", a.Stale)
		}
	})
	if a := b.first("flywheel", index.Auto); a.Stale != nil || hit(a, "new.md") == nil {
		t.Errorf("afterwards: stale %+v, %q", a.Stale, paths(a))
	}
}

// forbid takes the right to read a folder away until the end of the test; it
// skips where that binds nobody.
func forbid(t *testing.T, dir string) {
	t.Helper()
	if err := os.Chmod(dir, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Error(err)
		}
	})
	if _, err := os.ReadDir(dir); err == nil {
		t.Skip("this user may read everything")
	}
}

// shut is a tree of which a part, or all of it, cannot be read.
type shut struct {
	index.Source
	part string // "" for the whole brain
}

var errShut = errors.New("permission denied")

func (s shut) List(ctx context.Context) (page.Listing, error) {
	l, err := s.Source.List(ctx)
	l.Files = slices.DeleteFunc(l.Files, func(f page.File) bool { return strings.HasPrefix(string(f.Path), s.part) })
	l.Unreadable = append(l.Unreadable, strings.TrimSuffix(s.part, "/"))
	if s.part == "" {
		return l, errShut
	}
	return l, err
}

func TestUnreadableFolderKeepsItsPagesAndIsTold(t *testing.T) {
	b := newBrain(t, map[string]string{"cellar/wine.md": "The claret is from 1990.", "b.md": "Bread."})
	b.sr.Source = shut{b.st, "cellar/"}
	a := b.first("claret", index.Auto)
	if hit(a, "cellar/wine.md") == nil || a.Stale == nil || !strings.Contains(a.Stale.Why, "cellar") {
		t.Errorf("hits %q, stale %+v", paths(a), a.Stale)
	}
	b.sr.Source = shut{b.st, ""}
	a = b.first("claret", index.Auto)
	if hit(a, "cellar/wine.md") == nil || a.Stale == nil || !strings.Contains(a.Stale.Why, errShut.Error()) {
		t.Errorf("hits %q, stale %+v", paths(a), a.Stale)
	}
}

func TestFolderWithoutPermissionKeepsItsPages(t *testing.T) {
	b := newBrain(t, map[string]string{"cellar/wine.md": "The claret is from 1990.", "b.md": "Bread."})
	forbid(t, filepath.Join(b.dir, "cellar"))
	a := b.first("claret", index.Auto)
	if h := hit(a, "cellar/wine.md"); h == nil || a.Stale == nil {
		t.Errorf("hits %q, stale %+v", paths(a), a.Stale)
	}
}

// noIndex is a brain whose index can neither be opened nor built.
func noIndex(t *testing.T, pages map[string]string) *brain {
	b := newBrain(t, pages)
	if err := b.ix.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.options.Dir, "CURRENT"), []byte("1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("CURRENT", filepath.Join(b.options.Dir, "LOCK.moved")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(b.options.Dir, "LOCK")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(b.options.Dir, "LOCK"), 0o700); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestWithoutAnIndexTheFilesAreSearched(t *testing.T) {
	far := strings.Repeat("Nothing of the kind stands here. ", 3000) + "The sextant lies in the drawer."
	pages := map[string]string{
		"a.md":        "---\nschema_type: lesson\n---\nThe theodolite was calibrated.",
		"b.md":        "The theodolite alone.",
		"zh.md":       "经纬仪已经校准。",
		"far.md":      far,
		"archived.md": "---\nstatus: archived\n---\nThe theodolite of old.",
		"own.md":      "---\ngenerated: brain\n---\nThe theodolite of ours.",
		"nul.md":      "theodolite\x00",
	}
	p, c := fact("spy", "f", "The theodolite is stolen")
	pages[p] = c
	b := noIndex(t, pages)
	a := b.first("theodolite calibrated", index.Auto)
	wantPaths(t, a, "a.md", "b.md")
	if !a.Weak || !slices.ContainsFunc(a.Degraded, func(d Degraded) bool { return d.Arm == "index" && d.Reason != "" }) {
		t.Errorf("weak %v, degraded %v", a.Weak, a.Degraded)
	}
	for _, h := range a.Hits {
		if got := replay(t, h.Signals); got != h.Score {
			t.Errorf("%s: signals give %v, score %v", h.Path, got, h.Score)
		}
	}
	wantPaths(t, b.first("校准", index.Auto), "zh.md")
	wantPaths(t, b.first("sextant", index.Auto), "far.md")
	wantNone(t, b.first("barometer", index.Auto))
	wantNone(t, b.first("", index.Auto))
	own, err := b.sr.Ask(t.Context(), Query{Text: "theodolite", Agent: "spy", Kinds: []string{"fact"}}, index.Auto, index.SyncOptions{})
	if err != nil || !slices.Equal(paths(own), []string{p}) {
		t.Errorf("the agent's own facts: %q, %v", paths(own), err)
	}
	lessons, err := b.sr.Ask(t.Context(), Query{Text: "theodolite", Kinds: []string{"lesson"}}, index.Auto, index.SyncOptions{})
	if err != nil || !slices.Equal(paths(lessons), []string{"a.md"}) {
		t.Errorf("filtered: %q, %v", paths(lessons), err)
	}
}

func TestNeitherIndexNorFilesIsAnError(t *testing.T) {
	b := noIndex(t, fewPages)
	b.sr.Source = shut{b.st, ""}
	if a, err := b.sr.Ask(t.Context(), Query{Text: "boiler"}, index.Auto, index.SyncOptions{}); !errors.Is(err, errShut) {
		t.Errorf("answer %+v, error %v", a, err)
	}
}

func TestCanceledQuestionIsAnError(t *testing.T) {
	b := newBrain(t, fewPages)
	if err := b.ix.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.sr.Ask(ctx, Query{Text: "boiler"}, index.Auto, index.SyncOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// counting counts what is read of the tree.
type counting struct {
	index.Source
	read []page.Path
}

func (c *counting) Read(ctx context.Context, p page.Path) ([]byte, error) {
	c.read = append(c.read, p)
	return c.Source.Read(ctx, p)
}

func TestHundredQuestionsReadOnlyThePagesTheyShow(t *testing.T) {
	pages := map[string]string{"hit.md": "The gyroscope spins."}
	for i := range 200 {
		pages[fmt.Sprintf("n/%d.md", i)] = fmt.Sprintf("Bread %d.", i)
	}
	b := newBrain(t, pages)
	src := &counting{Source: b.st}
	b.sr.Source = src
	for range 100 {
		a, err := b.sr.Search(t.Context(), b.view(), Query{Text: "gyroscope", Arms: []string{Lexical}})
		if err != nil || len(a.Hits) != 1 {
			t.Fatal(err, a)
		}
	}
	if len(src.read) > 100 {
		t.Errorf("100 questions read %d files", len(src.read))
	}
}

func TestWhyTellsEveryWayAPageFallsOut(t *testing.T) {
	p, c := fact("spy", "f", "The astrolabe is hidden")
	pages := map[string]string{
		"best.md":     "---\ntitle: Astrolabe\n---\nThe astrolabe and the astrolabe maker.",
		"same/a.md":   "---\ntitle: Twin\n---\nAn astrolabe in brass.",
		"same/b.md":   "---\ntitle: Twin\n---\nAn astrolabe in brass.",
		"archived.md": "---\nstatus: archived\n---\nAn astrolabe.",
		"stub.md":     "---\nredirect: best\n---\n",
		"empty.md":    "",
		"own.md":      "---\ngenerated: brain\n---\nAstrolabe.",
		"other.md":    "Bread and butter.",
		p:             c,
	}
	b := wordsOnly(t, pages)
	q := Query{Text: "astrolabe", N: 3}
	for path, want := range map[string]string{
		"best.md":     "rank 1 of 2",
		"same/b.md":   "same content as same/a.md",
		"archived.md": "status is archived",
		"stub.md":     "redirect to best",
		"empty.md":    "it is empty",
		"own.md":      "brain's own output",
		"other.md":    "no arm",
		p:             "belongs to agent spy",
		"absent.md":   "not in the index",
	} {
		if got := b.why(q, path); !strings.Contains(got, want) || !strings.HasPrefix(got, path) {
			t.Errorf("%s: %q, want …%s…", path, got, want)
		}
	}
	if got := b.why(q, "best.md"); !strings.Contains(got, "(3 shown)") || !strings.Contains(got, "rrf.lexical +") {
		t.Errorf("%q does not tell how", got)
	}
	filtered := q
	filtered.Kinds = []string{"decision"}
	if got := b.why(filtered, "best.md"); !strings.Contains(got, "does not pass the filters") {
		t.Errorf("filter: %q", got)
	}
}

func TestWhyNamesTheFloorThatCutThePage(t *testing.T) {
	pages := map[string]string{"quadrant.md": "# Quadrant\n\nThe quadrant measures heights.\n"}
	for i := range 80 {
		pages[fmt.Sprintf("n/%02d.md", i)] = fmt.Sprintf("Soup of day %d, see [[quadrant|there]].", i)
	}
	b := wordsOnly(t, pages)
	q := Query{Text: "Quadrant"}
	if got := b.why(q, "n/79.md"); !strings.Contains(got, fmt.Sprintf("floor of %g", fusedFloor)) {
		t.Errorf("%q", got)
	}
	if a := b.search(Query{Text: "Quadrant", N: 100}); hit(a, "n/79.md") != nil || len(a.Hits) < floorKeep {
		t.Errorf("%d hits", len(a.Hits))
	}
}
