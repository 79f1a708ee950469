package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/page"
	"brain/store"
)

func (w *world) manifest() string { return filepath.Join(w.dir, "memory.json") }

func (w *world) summaries() *Summaries {
	w.t.Helper()
	s, err := w.Summaries(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) set(key, text string) *Delta {
	w.t.Helper()
	d, err := w.SetSummaries(context.Background(), SummaryPatch{"user": {key: text}}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

func (w *world) says(key string) string { return w.summaries().Sections["user"][key].Text }

// deermem 6, 7, 8, MS15, MS19: who read an older memory.json changes nothing; who takes
// nothing for granted changes his summary alone.
func TestASummaryMadeFromAnOlderRevisionIsRefused(t *testing.T) {
	w := newWorld(t)
	w.set("workContext", "Go.")
	read := w.summaries().Revision
	w.add("", "Likes tea", 0.9) // a fact that has nothing to do with it, and still
	var rev *RevisionError
	_, err := w.SetSummaries(t.Context(), SummaryPatch{"user": {"workContext": "Rust."}}, &read)
	if !errors.Is(err, ErrManifestConflict) || errors.Is(err, ErrFactConflict) || !errors.As(err, &rev) || rev.Want != 1 || rev.Have != 2 {
		t.Errorf("%v", err)
	}
	if got := w.says("workContext"); got != "Go." || w.summaries().Revision != 2 {
		t.Errorf("a stale change was made: %q", got)
	}
	d := w.set("topOfMind", "Tests.")
	if d.Revision != 3 || w.says("workContext") != "Go." || w.says("topOfMind") != "Tests." {
		t.Errorf("%+v", w.summaries())
	}
	read = d.Revision
	if _, err := w.SetSummaries(t.Context(), SummaryPatch{"user": {"workContext": "Rust."}}, &read); err != nil || w.says("workContext") != "Rust." {
		t.Errorf("at the revision that was read: %v", err)
	}
	zero := 0
	if _, err := w.SetSummaries(t.Context(), SummaryPatch{"user": {"workContext": "C."}}, &zero); !errors.Is(err, ErrManifestConflict) {
		t.Errorf("revision 0 is that of no file: %v", err)
	}
}

func TestRevisionZeroIsThatOfAnUnwrittenMemory(t *testing.T) {
	w := newWorld(t)
	if s := w.summaries(); s.Version != "1.0" || s.Revision != 0 || len(s.Sections["user"]) != 3 {
		t.Errorf("%+v", s)
	}
	zero := 0
	if d, err := w.SetSummaries(t.Context(), SummaryPatch{"history": {"recentMonths": "Moved."}}, &zero); err != nil || d.Revision != 1 {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestAChangeOfSummariesTellsRevisionDateAndJob(t *testing.T) {
	w := newWorld(t)
	clock := summaryDay
	w.Now = func() time.Time { clock = clock.Add(time.Second); return clock }
	w.set("topOfMind", "first")
	d := w.set("topOfMind", "second")
	s := w.summaries()
	if d.Complete || d.Version != "2.0" || d.Revision != 2 || !d.Updated.Equal(s.Updated) || s.Revision != 2 || len(d.Upserted)+len(d.Deleted) > 0 {
		t.Errorf("%+v\n%+v", d, s)
	}
	if !d.Updated.Equal(s.Get(SummaryName{"user", "topOfMind"}).Updated) {
		t.Errorf("dates differ: %+v", s)
	}
	if _, _, err := w.Store.Undo(t.Context(), d.Job); err != nil {
		t.Fatal(err)
	}
	if w.says("topOfMind") != "first" || w.summaries().Revision != 3 {
		t.Errorf("undone: %+v", w.summaries())
	}
	if d := w.set("topOfMind", "first"); d.Job != "" || d.Revision != 3 || !d.Updated.IsZero() {
		t.Errorf("nothing changed, and told was %+v", d)
	}
}

// deermem 2, MS05
func TestWhatAgentsKeepLeavesTheSummariesAlone(t *testing.T) {
	w := newWorld(t)
	w.set("topOfMind", "Tests.")
	was := w.summaries()
	for i := range 100 {
		w.add([]string{"", "coder"}[i%2], fmt.Sprintf("Fact number %d of many", i), 0.5)
	}
	var keys map[string]any
	if err := json.Unmarshal([]byte(w.read(w.manifest())), &keys); err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(keys)); !slices.Equal(got, []string{"history", "lastUpdated", "revision", "user", "version"}) {
		t.Errorf("it holds %q", got)
	}
	s := w.summaries()
	if s.Revision != was.Revision+100 || fmt.Sprint(s.Sections) != fmt.Sprint(was.Sections) {
		t.Errorf("%+v", s)
	}
}

func TestFactsAndSummariesChangeTogether(t *testing.T) {
	w := newWorld(t)
	both := func(p SummaryPatch) error {
		_, err := w.change(t.Context(), "compile", "coder", func(b *Batch) error {
			_, _, err := b.Add(Fact{Content: "Likes tea"}, AddOptions{})
			return errors.Join(err, b.PatchSummaries(p), b.PatchSummaries(SummaryPatch{"history": {"recentMonths": "Moved."}}))
		})
		return err
	}
	if err := both(SummaryPatch{"user": {"mood": "x"}}); !errors.Is(err, ErrSummary) || len(w.list("coder").Facts) != 0 {
		t.Fatalf("%v", err)
	}
	if err := both(SummaryPatch{"user": {"topOfMind": "Tea."}}); err != nil {
		t.Fatal(err)
	}
	s := w.summaries()
	if len(w.list("coder").Facts) != 1 || s.Revision != 1 || s.Sections["user"]["topOfMind"].Text != "Tea." || s.Sections["history"]["recentMonths"].Text != "Moved." {
		t.Errorf("%+v", s)
	}
	jobs, err := w.Store.Jobs(1)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Store.Undo(t.Context(), jobs[0].ID); err != nil {
		t.Fatal(err)
	}
	if s := w.summaries(); len(w.list("coder").Facts) != 0 || s.Revision != 2 || s.Sections["user"]["topOfMind"].Text != "" {
		t.Errorf("undone: %+v", s)
	}
}

// Whoever changes a summary first takes over what stands in the file of before v2.
func TestASummaryInTheOldFormIsChangedInTheNew(t *testing.T) {
	const old = `{"version": "1.0", "revision": 4, "user": {"workContext": {"summary": "At a bank", "updatedAt": ""}}, "facts": [{"id": "fact_1", "content": "Likes tea"}]}`
	for _, agent := range []string{"", "coder"} {
		w := newWorld(t)
		w.plant(w.manifest(), []byte(old))
		if w.says("workContext") != "At a bank" {
			t.Errorf("%+v", w.summaries())
		}
		_, err := w.change(t.Context(), "summary set", agent, func(b *Batch) error {
			return b.PatchSummaries(SummaryPatch{"user": {"topOfMind": "Tea."}})
		})
		if err != nil {
			t.Fatal(err)
		}
		s := w.summaries()
		if s.Version != "2.0" || s.Revision != 5 || s.Sections["user"]["workContext"].Text != "At a bank" || s.Sections["user"]["topOfMind"].Text != "Tea." {
			t.Errorf("%+v", s)
		}
		if got := contents(w.list("").Facts); !slices.Equal(got, []string{"Likes tea"}) || w.read(w.manifest()+".v1.bak") != old {
			t.Errorf("facts %q", got)
		}
	}
}

// deermem 12: facts are served beside summaries that nobody can read, and a change of
// them puts those aside.
func TestSummariesThatNobodyCanReadStopNoFact(t *testing.T) {
	w := newWorld(t)
	w.add("", "Likes tea", 0.9)
	w.plant(w.manifest(), []byte("{broken"))
	if s, err := w.Summaries(t.Context()); !errors.Is(err, ErrCorrupt) {
		t.Errorf("%+v, %v", s, err)
	}
	if got := w.list(""); len(got.Facts) != 1 {
		t.Errorf("%+v", got)
	}
	if w.read(w.manifest()) != "{broken" {
		t.Error("a look changed the file")
	}
	w.set("topOfMind", "Tests.")
	aside, err := filepath.Glob(w.manifest() + ".corrupt-*")
	if err != nil || len(aside) != 1 || w.read(aside[0]) != "{broken" || w.says("topOfMind") != "Tests." {
		t.Errorf("%q, %v", aside, err)
	}
}

// deermem 10: a change that fails leaves what is read as it was.
func TestASummaryThatCannotBeWrittenChangesNothing(t *testing.T) {
	w := newWorld(t)
	w.set("topOfMind", "first")
	was := w.tree()
	full := errors.New("the disk is full")
	renew := w.Store.Renew
	w.Store.Renew = func(tx *store.Tx) error { return errors.Join(renew(tx), full) }
	if _, err := w.SetSummaries(t.Context(), SummaryPatch{"user": {"topOfMind": "second"}}, nil); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	if got := w.tree(); !maps.Equal(got, was) || w.says("topOfMind") != "first" {
		t.Errorf("%q", got)
	}
	w.Store.Renew = renew
	if d := w.set("topOfMind", "third"); d.Revision != 2 {
		t.Errorf("%+v", d)
	}
}

// deermem 9, MS21
func TestSummariesAreReadAnewAndAreTheReadersOwn(t *testing.T) {
	w := newWorld(t)
	w.set("topOfMind", "aaaa")
	mine := w.summaries()
	mine.Sections["user"]["topOfMind"] = Summary{Text: "mine"}
	if got := w.says("topOfMind"); got != "aaaa" {
		t.Errorf("a reader changed what others read: %q", got)
	}
	fi, err := os.Stat(w.manifest())
	if err != nil {
		t.Fatal(err)
	}
	w.edit(w.manifest(), "aaaa", "bbbb")
	if err := os.Chtimes(w.manifest(), time.Time{}, fi.ModTime()); err != nil {
		t.Fatal(err)
	}
	if got := w.says("topOfMind"); got != "bbbb" {
		t.Errorf("%q", got)
	}
}

// A page that is removed by whatever command counts, if it was a fact.
func TestTheRevisionCountsFactsThatOtherCommandsChange(t *testing.T) {
	w := newWorld(t)
	id := w.add("", "Likes tea", 0.9)
	p, err := FactPath("", id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Store.Rewrite(t.Context(), "edit", p, func(raw []byte) ([]byte, error) {
		return []byte(strings.Replace(string(raw), "Likes tea\n", "Likes coffee\n", 2)), nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := w.summaries().Revision; got != 2 {
		t.Errorf("after an edit %d", got)
	}
	raw := []byte(w.read(w.file("", id)))
	if _, err := w.Store.PurgePage(t.Context(), page.Path(p), store.HashOf(raw), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if got := w.summaries().Revision; got != 3 {
		t.Errorf("after a purge %d", got)
	}
}
