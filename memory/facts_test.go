package memory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"brain/page"
	"brain/store"
)

var ctx = context.Background()

// deermem 1, MS02, MS03: where a fact lies follows from its id, whatever its source.
func TestAFactLiesInTheShardOfItsID(t *testing.T) {
	w := newWorld(t)
	d, err := w.Add(ctx, "", Fact{ID: "fact_abc12345", Content: "Likes tabs", Source: Source{Type: "conversation", Thread: "../../etc"}})
	if err != nil {
		t.Fatal(err)
	}
	raw := w.read(filepath.Join(w.dir, "agents/__default__/facts/cc/fact_abc12345.md"))
	if !strings.Contains(raw, "threadId: ../../etc\n") || d.Upserted[0].ID != "fact_abc12345" {
		t.Errorf("%s\n%+v", raw, d)
	}
}

// deermem 3, MS11: one fact changed is one file opened and one written.
func TestAChangeTouchesItsFileAlone(t *testing.T) {
	w := newWorld(t)
	var id string
	for i := range 20 {
		id = w.add("", fmt.Sprintf("likes number %d", i), 0.9)
	}
	w = openWorld(t, filepath.Dir(filepath.Dir(w.dir)))
	var touched []string
	w.Told = func(r store.Receipt) {
		for _, p := range r.Paths {
			touched = append(touched, string(p))
		}
	}
	others := map[string]time.Time{}
	old := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, f := range w.files() {
		if f != w.file("", id) {
			if err := os.Chtimes(f, old, old); err != nil {
				t.Fatal(err)
			}
			// A file that nobody may open can be neither read nor written. Where we
			// are root that stops nobody, and its access time tells.
			if err := os.Chmod(f, 0); err != nil {
				t.Fatal(err)
			}
			others[f] = old
		}
	}
	if _, err := w.Update(ctx, "", id, Patch{Content: ptr("likes another")}, If{}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Confirm(ctx, "", id, If{}); err != nil {
		t.Fatal(err)
	}
	if f, err := w.Get(ctx, "", id); err != nil || f.Revision != 3 {
		t.Errorf("%+v %v", f, err)
	}
	for f := range others {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		if !accessed(info).Equal(old) || !info.ModTime().Equal(old) {
			t.Errorf("%s was opened", f)
		}
	}
	p, _ := FactPath("", id)
	if !slices.Equal(touched, []string{string(p), string(p)}) {
		t.Errorf("told of %q", touched)
	}
	if _, err := w.Delete(ctx, "", id, If{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(w.file("", id)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is there: %v", err)
	}
}

// deermem 4: an update keeps the creation and raises revision and date; one that
// changes nothing raises nothing.
func TestAnUpdateThatChangesNothingWritesNothing(t *testing.T) {
	w := newWorld(t)
	id := w.add("", "Likes tabs", 0.9)
	w.at(1)
	before := w.tree()
	d, err := w.Update(ctx, "", id, Patch{Content: ptr("Likes tabs "), Category: ptr("preference"), Confidence: ptr(0.9)}, If{})
	if err != nil || len(d.Upserted) != 0 || d.Job != "" {
		t.Fatalf("%+v %v", d, err)
	}
	if diff := cmp.Diff(before, w.tree()); diff != "" {
		t.Errorf("written:\n%s", diff)
	}
	d, err = w.Update(ctx, "", id, Patch{Content: ptr("Likes spaces")}, If{})
	if err != nil || len(d.Upserted) != 1 {
		t.Fatalf("%+v %v", d, err)
	}
	f := d.Upserted[0]
	created := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	if f.Revision != 2 || !f.Created.Equal(created) || !f.Updated.Equal(created.AddDate(0, 0, 1)) || f.Title != "Likes spaces" {
		t.Errorf("%+v", f)
	}
}

// MS12, MS13: a change answers with what changed, and says that this is not all.
func TestADeltaIsNeverTheWholeMemory(t *testing.T) {
	w := newWorld(t)
	w.add("", "Likes tabs", 0.9)
	d, err := w.Add(ctx, "", Fact{Content: "Lives in Basel", Confidence: 0.9})
	if err != nil || d.Complete || len(d.Upserted) != 1 || d.Upserted[0].Content != "Lives in Basel" || d.Revision != 2 {
		t.Errorf("%+v %v", d, err)
	}
}

// deermem 6, 7, MS15, MS17, MS19.
func TestWhatAChangeTakesForGranted(t *testing.T) {
	w := newWorld(t)
	a, b := w.add("", "Likes tabs", 0.9), w.add("", "Lives in Basel", 0.9)
	fa, _ := w.Get(ctx, "", a)
	raw := w.read(w.file("", a))
	base := w.list("").Revision
	if _, err := w.Update(ctx, "", b, Patch{Content: ptr("Lives in Bern")}, If{Manifest: base}); err != nil {
		t.Fatalf("the manifest was as expected: %v", err)
	}
	var rev *RevisionError
	_, err := w.Update(ctx, "", a, Patch{Content: ptr("x")}, If{Manifest: base})
	if !errors.Is(err, ErrManifestConflict) || !errors.Is(err, store.ErrConflict) || errors.Is(err, ErrFactConflict) || !errors.As(err, &rev) || rev.Want != base || rev.Have != base+1 {
		t.Errorf("stale manifest: %v", err)
	}
	// A change of another fact is no matter while this one is as it was.
	if _, err := w.Update(ctx, "", a, Patch{Content: ptr("Likes spaces")}, If{Manifest: base, Revision: fa.Revision}); err != nil {
		t.Errorf("disjoint change: %v", err)
	}
	_, err = w.Update(ctx, "", a, Patch{Content: ptr("Likes both")}, If{Manifest: base, Revision: fa.Revision})
	if !errors.Is(err, ErrFactConflict) || errors.Is(err, ErrManifestConflict) {
		t.Errorf("the same fact: %v", err)
	}
	_, err = w.Delete(ctx, "", a, If{Hash: store.HashOf([]byte(raw))})
	if !errors.Is(err, ErrFactConflict) {
		t.Errorf("the file's hash: %v", err)
	}
	if f, err := w.Get(ctx, "", a); err != nil || f.Content != "Likes spaces" {
		t.Errorf("%+v %v", f, err)
	}
}

// deermem 7: two that write at once cannot make one id of two facts.
func TestAnIDIsGivenOnce(t *testing.T) {
	w := newWorld(t)
	other := openWorld(t, filepath.Dir(filepath.Dir(w.dir)))
	errs := make(chan error, 2)
	for i, m := range []*Facts{w.Facts, other.Facts} {
		go func() {
			_, err := m.Add(ctx, "", Fact{ID: "fact_same", Content: []string{"Likes tabs", "Likes spaces"}[i]})
			errs <- err
		}()
	}
	first, second := <-errs, <-errs
	if (first == nil) == (second == nil) || !errors.Is(errors.Join(first, second), ErrFactConflict) {
		t.Errorf("%v, %v", first, second)
	}
	if l := w.list(""); len(l.Facts) != 1 || l.Facts[0].Revision != 1 || l.Revision != 1 {
		t.Errorf("%+v", l)
	}
}

// A hand edit leaves the revision as it was: the hash tells. MS22
func TestAHandEditIsSeenAndNeverOverwrittenUnseen(t *testing.T) {
	w := newWorld(t)
	id := w.add("", "Likes tabs", 0.9)
	w.list("")
	f, _ := w.Get(ctx, "", id)
	hash := store.HashOf([]byte(w.read(w.file("", id))))
	w.edit(w.file("", id), "\nLikes tabs\n", "\nLikes taps\n") // of the same length, at once
	if l := w.list(""); !slices.Equal(contents(l.Facts), []string{"Likes taps"}) {
		t.Errorf("listed %q", contents(l.Facts))
	}
	if _, err := w.Update(ctx, "", id, Patch{Confidence: ptr(0.1)}, If{Revision: f.Revision, Hash: hash}); !errors.Is(err, ErrFactConflict) {
		t.Errorf("stale hash: %v", err)
	}
	if _, err := w.Update(ctx, "", id, Patch{Confidence: ptr(0.1)}, If{}); err != nil {
		t.Fatal(err)
	}
	if f, _ := w.Get(ctx, "", id); f.Content != "Likes taps" || f.Revision != 2 {
		t.Errorf("%+v", f)
	}
}

// MS21: a rewrite of the same size within a tick of the clock is seen, also where a
// file system keeps no finer time.
func TestARewriteWithinATickIsSeen(t *testing.T) {
	w := newWorld(t)
	id := w.add("", "Likes tabs", 0.9)
	name := w.file("", id)
	for i := range 30 {
		w.list("")
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		content := fmt.Sprintf("\nLikes a%02d\n", i)
		raw := w.read(name)
		at := strings.LastIndex(raw, "\nLikes ")
		if err := os.WriteFile(name, []byte(raw[:at]+content), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
		if l := w.list(""); l.Facts[0].Content != strings.TrimSpace(content) {
			t.Fatalf("round %d: %q", i, l.Facts[0].Content)
		}
	}
}

// deermem 14, MR06: a file that is none is named, and the rest is served.
func TestOneBadFileHidesNoOther(t *testing.T) {
	w := newWorld(t)
	ids := []string{}
	for i := range 5 {
		ids = append(ids, w.add("", fmt.Sprintf("fact number %d", i), 0.9))
	}
	w.edit(w.file("", ids[1]), "id: "+ids[1], "id: fact_other")
	w.edit(w.file("", ids[3]), "agent_name: __default__", "agent_name: coder")
	for range 2 {
		l := w.list("")
		var bad []string
		for _, d := range l.Damaged {
			bad = append(bad, d.Path.Stem())
			if !errors.Is(d.Err, ErrFact) {
				t.Errorf("%s: %v", d.Path, d.Err)
			}
		}
		want := []string{ids[1], ids[3]}
		slices.Sort(want)
		slices.Sort(bad)
		if len(l.Facts) != 3 || !slices.Equal(bad, want) {
			t.Errorf("%d facts, damaged %q", len(l.Facts), bad)
		}
	}
	if _, err := w.Get(ctx, "", ids[1]); !errors.Is(err, ErrCorrupt) || !errors.Is(err, ErrFact) {
		t.Errorf("get: %v", err)
	}
	if _, err := w.Delete(ctx, "", ids[1], If{}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("delete: %v", err)
	}
	w.edit(w.file("", ids[1]), "id: fact_other", "id: "+ids[1])
	if l := w.list(""); len(l.Facts) != 4 || len(l.Damaged) != 1 {
		t.Errorf("mended: %d facts, %d damaged", len(l.Facts), len(l.Damaged))
	}
}

// The hash of a fact is that of its file, wherever the fact came from.
func TestAFactKnowsTheHashOfItsFile(t *testing.T) {
	w := newWorld(t)
	d, err := w.Add(ctx, "", Fact{Content: "Likes tabs"})
	if err != nil {
		t.Fatal(err)
	}
	id := d.Upserted[0].ID
	on := func(what string, f *Fact) {
		t.Helper()
		if want := store.HashOf([]byte(w.read(w.file("", id)))); f.Hash() != want {
			t.Errorf("%s: %s, want %s", what, f.Hash(), want)
		}
	}
	on("added", &d.Upserted[0])
	if d, err = w.Update(ctx, "", id, Patch{Confidence: ptr(0.1)}, If{Hash: d.Upserted[0].Hash()}); err != nil {
		t.Fatal(err)
	}
	on("updated", &d.Upserted[0])
	w.edit(w.file("", id), "tabs", "dots")
	on("listed", &w.list("").Facts[0])
	f, err := w.Get(ctx, "", id)
	if err != nil {
		t.Fatal(err)
	}
	on("got", &f)
	if _, err := w.Delete(ctx, "", id, If{Hash: d.Upserted[0].Hash()}); !errors.Is(err, ErrFactConflict) {
		t.Errorf("delete of what was edited: %v", err)
	}
}

// One that was forgotten is neither a fact nor damage, and the same may be said again.
func TestAForgottenFactIsNoFactAndNoDamage(t *testing.T) {
	w := newWorld(t)
	id := w.add("", "Likes tabs", 0.9)
	w.edit(w.file("", id), "status: active", "status: archived")
	if l := w.list(""); len(l.Facts) != 0 || len(l.Damaged) != 0 {
		t.Errorf("%d facts, damaged %v", len(l.Facts), l.Damaged)
	}
	if _, err := w.Get(ctx, "", id); !errors.Is(err, ErrUnknown) {
		t.Errorf("get: %v", err)
	}
	if other := w.add("", "Likes tabs", 0.9); other == id {
		t.Errorf("the new fact took the file of the one that was forgotten")
	}
}

// Two files of one id are one fact: the one at its place.
func TestOfTwoFilesOfOneIDTheOneAtItsPlaceCounts(t *testing.T) {
	w := newWorld(t)
	id := w.add("", "Likes tabs", 0.9)
	right, wrong := w.file("", id), filepath.Join(w.dir, "agents/__default__/facts/00", id+".md")
	raw := w.read(right)
	if err := os.MkdirAll(filepath.Dir(wrong), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(wrong, []byte(strings.ReplaceAll(raw, "tabs", "spaces")), 0o644); err != nil {
		t.Fatal(err)
	}
	if l := w.list(""); !slices.Equal(contents(l.Facts), []string{"Likes tabs"}) || len(l.Damaged) != 1 {
		t.Errorf("%q, damaged %v", contents(l.Facts), l.Damaged)
	}
	if err := os.Remove(right); err != nil {
		t.Fatal(err)
	}
	if l := w.list(""); !slices.Equal(contents(l.Facts), []string{"Likes spaces"}) || len(l.Damaged) != 0 {
		t.Errorf("%q, damaged %v", contents(l.Facts), l.Damaged)
	}
	if f, err := w.Get(ctx, "", id); err != nil || f.Content != "Likes spaces" {
		t.Errorf("%+v %v", f, err)
	}
	if _, err := w.Update(ctx, "", id, Patch{Content: ptr("Likes both")}, If{}); err != nil {
		t.Error(err)
	}
	if l := w.list(""); !slices.Equal(contents(l.Facts), []string{"Likes both"}) {
		t.Errorf("%q", contents(l.Facts))
	}
}

// deermem 16, MI05, MI06, K10: names fold, and the default bucket is no agent's.
func TestAgentsAreApart(t *testing.T) {
	w := newWorld(t)
	a := w.add("Coder", "Likes tabs", 0.9)
	if b := w.add("lead-agent", "Likes tabs", 0.9); a != b {
		t.Errorf("ids %s and %s: the same said is the same id", a, b)
	}
	w.add("", "Lives in Basel", 0.9)
	for agent, want := range map[string]string{"coder": "Likes tabs", "CODER": "Likes tabs", "lead-agent": "Likes tabs", "": "Lives in Basel"} {
		if l := w.list(agent); !slices.Equal(contents(l.Facts), []string{want}) {
			t.Errorf("%q has %q", agent, contents(l.Facts))
		}
	}
	for _, do := range []func() error{
		func() error { _, err := w.Get(ctx, "", a); return err },
		func() error { _, err := w.Update(ctx, "", a, Patch{Content: ptr("x")}, If{}); return err },
		func() error { _, err := w.Delete(ctx, "", a, If{}); return err },
		func() error { _, err := w.Confirm(ctx, "", a, If{}); return err },
		func() error { _, err := w.Get(ctx, "", "../coder/facts/cc/x"); return err },
		func() error { _, err := w.Get(ctx, "", ""); return err },
	} {
		if err := do(); !errors.Is(err, ErrUnknown) { // MT03
			t.Errorf("an id of another agent: %v", err)
		}
	}
}

// deermem 37: what is the same but for case, width and blanks is stored once.
func TestTheSameSaidTwiceIsADuplicate(t *testing.T) {
	w := newWorld(t)
	id := w.add("", "Likes C++ and 北京", 0.9)
	for _, again := range []string{"likes c++ and 北京", " LIKES  C++ and 北京\n", "Ｌikes C++ and 北京"} {
		var dup *DuplicateError
		if _, err := w.Add(ctx, "", Fact{Content: again}); !errors.As(err, &dup) || dup.ID != id || !errors.Is(err, ErrDuplicate) {
			t.Errorf("%q: %v", again, err)
		}
	}
	w.add("", "Likes C and 北京", 0.9)
	if _, err := w.Add(ctx, "", Fact{Content: " \n\t"}); !errors.Is(err, ErrEmpty) {
		t.Errorf("empty: %v", err)
	}
	// The file of that name says something else by now, and a new fact takes the next.
	w.edit(w.file("", id), "\nLikes C++ and 北京\n", "\nLikes Rust\n")
	if again := w.add("", "Likes C++ and 北京", 0.9); again == id {
		t.Error("the edited fact was taken for the one that it was made from")
	}
}

// deermem 37, MS32: the duplicate is met within the update, whoever raced.
func TestOfRacingTwinsOneIsStored(t *testing.T) {
	w := newWorld(t)
	other := openWorld(t, filepath.Dir(filepath.Dir(w.dir)))
	errs := make(chan error)
	for i := range 8 {
		m := []*Facts{w.Facts, other.Facts}[i%2]
		go func() {
			_, err := m.Add(ctx, "", Fact{Content: "Likes tabs"})
			errs <- err
		}()
	}
	stored := 0
	for range 8 {
		switch err := <-errs; {
		case err == nil:
			stored++
		case !errors.Is(err, ErrDuplicate):
			t.Error(err)
		}
	}
	if l := w.list(""); stored != 1 || len(l.Facts) != 1 || l.Revision != 1 {
		t.Errorf("stored %d times, %d facts, revision %d", stored, len(l.Facts), l.Revision)
	}
}

// deermem 9: what another instance wrote is seen, and nobody's copy changes ours.
func TestCallersCannotChangeWhatIsHeld(t *testing.T) {
	w := newWorld(t)
	if _, err := w.Add(ctx, "", Fact{Content: "Likes tabs", Topics: []string{"editor"}}); err != nil {
		t.Fatal(err)
	}
	l := w.list("")
	l.Facts[0].Content, l.Facts[0].Topics[0] = "changed", "changed"
	if f := w.list("").Facts[0]; f.Content != "Likes tabs" || f.Topics[0] != "editor" {
		t.Errorf("%+v", f)
	}
	other := openWorld(t, filepath.Dir(filepath.Dir(w.dir)))
	other.add("", "Lives in Basel", 0.9)
	if l := w.list(""); len(l.Facts) != 2 {
		t.Errorf("%q", contents(l.Facts))
	}
}

// New facts are about the user whom those that are there name; DeerMem refuses others.
func TestWhoseFactsTheyAre(t *testing.T) {
	w := newWorld(t)
	if f, _ := w.Get(ctx, "", w.add("", "Likes tabs", 1)); f.User != "default" { // MI02
		t.Errorf("in a new brain: %q", f.User)
	}
	w = newWorld(t)
	if _, err := w.Add(ctx, "coder", Fact{Content: "Likes tabs", User: "a@b.com"}); err != nil {
		t.Fatal(err)
	}
	if f, _ := w.Get(ctx, "", w.add("", "Lives in Basel", 1)); f.User != "a@b.com" {
		t.Errorf("beside facts of a user: %q", f.User)
	}
	w = newWorld(t)
	w.User = "用户1"
	if f, _ := w.Get(ctx, "", w.add("", "Lives in Basel", 1)); f.User != "用户1" {
		t.Errorf("of a user who is named: %q", f.User)
	}
}

// MP01: the eleventh of ten makes room, whoever brings it.
func TestAnAddMakesRoom(t *testing.T) {
	w := newWorld(t)
	w.Rules.Max = 10
	var weakest string
	for i := range 10 {
		if id := w.add("", fmt.Sprintf("fact number %d", i), 0.5+float64(i)/100); i == 0 {
			weakest = id
		}
	}
	d, err := w.Add(ctx, "", Fact{Content: "the eleventh", Confidence: 0.9})
	if err != nil || !slices.Equal(d.Deleted, []string{weakest}) || len(d.Evicted) != 1 || d.Evicted[0].ID != weakest {
		t.Fatalf("%+v %v", d, err)
	}
	before := w.tree()
	if _, err := w.Add(ctx, "", Fact{Content: "too weak", Confidence: 0.1}); !errors.Is(err, ErrEvicted) { // deermem 47
		t.Errorf("a fact weaker than all: %v", err)
	}
	if diff := cmp.Diff(before, w.tree()); diff != "" {
		t.Errorf("and something was written:\n%s", diff)
	}
	if _, _, err := w.Store.Undo(ctx, d.Job); err != nil { // MP11
		t.Fatal(err)
	}
	if f, err := w.Get(ctx, "", weakest); err != nil || f.Content != "fact number 0" {
		t.Errorf("undone: %+v %v", f, err)
	}
}

// What a batch stages it reads again, and nothing of it is there before it is written.
func TestABatchSeesWhatItWillWrite(t *testing.T) {
	w := newWorld(t)
	kept, gone := w.add("", "Likes tabs", 0.9), w.add("", "Lives in Basel", 0.9)
	var d *Delta
	err := w.Store.Update(ctx, "test", func(tx *store.Tx) error {
		b, err := w.Batch(ctx, tx, "")
		if err != nil {
			return err
		}
		id, _, err := b.Add(Fact{Content: "Speaks German", Confidence: 0}, AddOptions{})
		if err != nil {
			return err
		}
		f, err := b.Fact(id)
		if err != nil || f.Confidence != 0 || f.Revision != 1 {
			t.Errorf("staged: %+v %v", f, err)
		}
		if err := b.Remove(gone); err != nil {
			return err
		}
		if _, err := b.Fact(gone); !errors.Is(err, ErrUnknown) {
			t.Errorf("removed: %v", err)
		}
		if err := b.Remove(gone); !errors.Is(err, ErrUnknown) {
			t.Errorf("removed again: %v", err)
		}
		if _, _, err := b.Add(Fact{Content: "lives in basel"}, AddOptions{}); err != nil {
			t.Errorf("what goes is no duplicate: %v", err)
		}
		if _, _, err := b.Add(Fact{Content: "speaks german"}, AddOptions{}); !errors.Is(err, ErrDuplicate) {
			t.Errorf("what came is one: %v", err)
		}
		f, err = b.Fact(kept)
		if err != nil {
			return err
		}
		for i := range 3 { // several changes of one update are one revision
			f.Content = fmt.Sprintf("Likes tabs %d", i)
			if err := b.Put(f); err != nil {
				return err
			}
		}
		all, err := b.All()
		if got := contents(all); err != nil || !slices.Equal(slices.Sorted(slices.Values(got)), []string{"Likes tabs 2", "Speaks German", "lives in basel"}) {
			t.Errorf("all: %q %v", got, err)
		}
		if l := w.list(""); len(l.Facts) != 2 {
			t.Errorf("others see %q", contents(l.Facts))
		}
		d, err = b.Write()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	l := w.list("")
	if l.Revision != 3 || d.Revision != 3 || len(d.Upserted) != 3 || !slices.Equal(d.Deleted, []string{gone}) {
		t.Errorf("revision %d, %+v", l.Revision, d)
	}
	if f, _ := w.Get(ctx, "", kept); f.Revision != 2 || f.Content != "Likes tabs 2" {
		t.Errorf("%+v", f)
	}
}

// deermem 10: a change that fails leaves files and what is held as they were.
func TestAChangeThatFailsChangesNothing(t *testing.T) {
	w := newWorld(t)
	w.add("", "Likes tabs", 0.9)
	before := w.tree()
	stop := errors.New("stop")
	err := w.Store.Update(ctx, "test", func(tx *store.Tx) error {
		b, err := w.Batch(ctx, tx, "")
		if err == nil {
			_, _, err = b.Add(Fact{Content: "Lives in Basel"}, AddOptions{})
		}
		if err == nil {
			_, err = b.Write()
		}
		return errors.Join(err, stop)
	})
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, w.tree()); diff != "" {
		t.Errorf("written:\n%s", diff)
	}
	if l := w.list(""); !slices.Equal(contents(l.Facts), []string{"Likes tabs"}) || l.Revision != 1 {
		t.Errorf("%q %d", contents(l.Facts), l.Revision)
	}
	if _, err := w.Add(ctx, "", Fact{Content: "Likes spaces", Confidence: 2}); !errors.Is(err, ErrFact) {
		t.Errorf("confidence 2: %v", err)
	}
}

// Hidden keys, order and form of a file survive a change.
func TestWhatAFileHoldsBesideSurvives(t *testing.T) {
	w := newWorld(t)
	id := w.add("", "Likes tabs", 0.9)
	name := w.file("", id)
	w.edit(name, "schemaVersion: 2\n", "# by hand\nx-mine: {a: [1, 2]}\nschemaVersion: 2\n")
	if _, err := w.Update(ctx, "", id, Patch{Confidence: ptr(0.4)}, If{}); err != nil {
		t.Fatal(err)
	}
	raw := w.read(name)
	for _, want := range []string{"# by hand\nx-mine: {a: [1, 2]}\nschemaVersion: 2\n", "confidence: 0.4\n", "revision: 2\n"} {
		if !strings.Contains(raw, want) {
			t.Errorf("no %q in\n%s", want, raw)
		}
	}
}

// deermem 11
func TestScopesOfManyAgentsAreLetGo(t *testing.T) {
	w := newWorld(t)
	for i := range 3 * maxScopes {
		w.list(fmt.Sprintf("agent-%d", i))
	}
	if n := len(w.scopes); n > maxScopes {
		t.Errorf("%d scopes are held", n)
	}
	if slices.Sorted(maps.Keys(w.scopes))[0] == "" {
		t.Error("a scope without a name")
	}
}

// MG13, MG14, MG15, MG16, deermem 38.
func TestANearDuplicateIsMergedWhereThatIsOn(t *testing.T) {
	w := newWorld(t)
	w.add("", "the user likes short answers in German very much", 0.7)
	w.add("", "the user likes short answers in German so much", 0.7) // off by default
	if l := w.list(""); len(l.Facts) != 2 {
		t.Fatalf("%q", contents(l.Facts))
	}

	w = newWorld(t)
	w.Rules.NearDuplicates = true
	id := w.add("", "the user likes short answers in German very much", 0.7)
	w.at(1)
	merge := func(f Fact) *Delta {
		t.Helper()
		f.Source = Source{Type: "conversation", Thread: "t2"}
		d, err := w.Add(ctx, "", f)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	again := Fact{Content: "the user likes short answers in German so much", Category: "preference", Confidence: 0.6}
	if d := merge(again); d.Merged != id || len(d.Upserted) != 0 || d.Job != "" {
		t.Errorf("less sure: %+v", d)
	}
	if f, _ := w.Get(ctx, "", id); f.Source.Type != "manual" || f.Confidence != 0.7 || f.Revision != 1 {
		t.Errorf("less sure: %+v", f)
	}
	again.Confidence = 0.9
	if d := merge(again); d.Merged != id || len(d.Upserted) != 1 {
		t.Errorf("surer: %+v", d)
	}
	f, _ := w.Get(ctx, "", id)
	if f.Content != "the user likes short answers in German very much" || f.Confidence != 0.9 || f.Source.Thread != "t2" ||
		f.Revision != 2 || !f.Confirmed.IsZero() || f.Confirmations != 0 || f.Created.Equal(f.Updated) {
		t.Errorf("surer: %+v", f)
	}
	other := again
	other.Category = "goal"
	if d := merge(other); d.Merged != "" {
		t.Errorf("of another category: %+v", d)
	}
	other = Fact{Content: "the user never likes short answers in German very much", Category: "preference"}
	if d := merge(other); d.Merged != "" {
		t.Errorf("a negation: %+v", d)
	}
	err := w.Store.Update(ctx, "test", func(tx *store.Tx) error {
		b, err := w.Batch(ctx, tx, "")
		if err != nil {
			return err
		}
		for _, o := range []AddOptions{{Exempt: true}, {Spared: []string{id}}} {
			f := Fact{Content: fmt.Sprintf("the user likes short answers in German very much %v", o.Exempt), Category: "preference"}
			if got, merged, err := b.Add(f, o); err != nil || merged || got == id {
				t.Errorf("%+v: %s %v %v", o, got, merged, err)
			}
		}
		if _, merged, err := b.Add(Fact{Content: "the user likes short answers in German very much indeed", Category: "preference"}, AddOptions{}); err != nil || !merged {
			t.Errorf("beside them: %v %v", merged, err)
		}
		return errors.New("not written")
	})
	if err == nil {
		t.Error("written")
	}
}

// MR12, MR15, MR16: with relevance on, a search ranks by what a fact covers of the
// question, and facts that come and go count at once.
func TestSearchByRelevanceWhereThatIsOn(t *testing.T) {
	w := newWorld(t)
	w.Rules.Relevance = true
	found := func(n int) (out []string) {
		t.Helper()
		all, err := w.Search(ctx, "", Search{Query: "postgres user", N: n})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range all {
			out = append(out, fmt.Sprintf("%s %.4f", f.Content, f.Relevance))
		}
		return out
	}
	w.add("", "user prefers postgresql", 0.5)
	w.add("", "user likes postman", 0.5)
	if got := found(-1); len(got) != 2 {
		t.Errorf("%q", got)
	}
	w.at(1)
	w.add("", "user lives berlin", 0.5)
	want := []string{"user prefers postgresql 1.0000", "user likes postman 0.7071", "user lives berlin 0.7071"}
	if got := found(-1); got[0] != want[0] || !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := found(1); !slices.Equal(got, want[:1]) {
		t.Errorf("the first alone: %q", got)
	}
	if all, err := w.Search(ctx, "", Search{Query: " "}); err != nil || len(all) != 0 {
		t.Errorf("an empty question: %v %v", all, err)
	}
	rebuilt := openWorld(t, filepath.Dir(filepath.Dir(w.dir)))
	rebuilt.Rules.Relevance = true
	a, _ := w.Search(ctx, "", Search{Query: "likes berlin"})
	b, _ := rebuilt.Search(ctx, "", Search{Query: "likes berlin"})
	if diff := cmp.Diff(a, b, cmpopts.IgnoreUnexported(Fact{})); diff != "" {
		t.Errorf("held and read anew differ:\n%s", diff)
	}
}

// Where no fact names its user, as in a brain whose name no user can have, looking for one
// does not read all of them, and is done once.
func TestWhoseFactsTheyAreIsNotAskedOfAll(t *testing.T) {
	w := newWorld(t)
	for i := range 40 {
		id := fmt.Sprintf("fact_%02d", i)
		w.plant(w.file("", id), []byte("---\nid: "+id+"\n---\n\n# Tea\n\nTea\n"))
	}
	reads := 0
	read := func(ctx context.Context, p page.Path) ([]byte, error) {
		reads++
		return w.Store.Read(ctx, p)
	}
	for range 2 {
		if user, err := w.userOf(ctx, read); err != nil || user != "default" {
			t.Errorf("%q %v", user, err)
		}
	}
	if reads != fewNamed {
		t.Errorf("%d facts were read, want %d", reads, fewNamed)
	}
}

// The files are read before the lock is asked for, so that nobody waits for that.
func TestAnAddReadsTheFactsBeforeItHasTheLock(t *testing.T) {
	w := newWorld(t)
	w.add("", "Likes tea", .9)
	other := openWorld(t, filepath.Dir(filepath.Dir(w.dir)))
	err := w.Store.Update(ctx, "hold the lock", func(*store.Tx) error {
		short, stop := context.WithTimeout(ctx, 50*time.Millisecond)
		defer stop()
		_, err := other.Add(short, "", Fact{Content: "Likes milk"})
		return err
	})
	if err == nil {
		t.Fatal("it did not wait for the lock")
	}
	if sc, err := other.scope(""); err != nil || len(sc.order) != 1 {
		t.Errorf("%v %v", sc.order, err)
	}
}

func TestADeletedFactDoesNotComeBackByACopyOfItsFile(t *testing.T) {
	w := newWorld(t)
	id := w.add("", "Prefers tabs", .9)
	at := w.file("", id)
	w.plant(filepath.Join(w.dir, "agents/__default__/facts/moved", filepath.Base(at)), []byte(w.read(at)))
	if d, err := w.Delete(ctx, "", id, If{}); err != nil || len(d.Deleted) != 1 || len(w.files()) != 0 {
		t.Errorf("%v %v, left are %q", d, err, w.files())
	}
}

// What a newer program wrote is read as far as it can be, and never written.
func TestWhatANewerProgramWroteIsNotWritten(t *testing.T) {
	w := newWorld(t)
	id := w.add("", "Likes tabs", 0.9)
	w.add("", "Lives in Basel", 0.9)
	name := w.file("", id)
	w.edit(name, "schemaVersion: 2\n", "schemaVersion: 3\n")
	l := w.list("")
	if !slices.Equal(contents(l.Facts), []string{"Lives in Basel"}) || len(l.Damaged) != 1 || !errors.Is(l.Damaged[0].Err, ErrNewer) {
		t.Errorf("%q %v", contents(l.Facts), l.Damaged)
	}
	if _, err := w.Delete(ctx, "", id, If{}); !errors.Is(err, ErrNewer) {
		t.Errorf("delete: %v", err)
	}
	w.edit(name, "schemaVersion: 3\n", "schemaVersion: 2\n")
	for _, version := range []string{"3.0", "2.1"} {
		w.edit(filepath.Join(w.dir, "memory.json"), `"version": "`, `"version": "`+version+`", "was": "`)
		before := w.tree()
		_, add := w.Add(ctx, "", Fact{Content: "Speaks German"})
		_, update := w.Update(ctx, "", id, Patch{Content: ptr("Likes spaces")}, If{})
		_, set := w.SetSummaries(ctx, SummaryPatch{"user": {"topOfMind": "x"}}, nil)
		_, clear := w.Clear(ctx, "", true)
		for _, err := range []error{add, update, set, clear} {
			if !errors.Is(err, ErrNewer) {
				t.Errorf("version %s: %v", version, err)
			}
		}
		if l := w.list(""); len(l.Facts) != 2 {
			t.Errorf("version %s: %q", version, contents(l.Facts))
		}
		if diff := cmp.Diff(before, w.tree()); diff != "" {
			t.Errorf("version %s is written:\n%s", version, diff)
		}
		w.edit(filepath.Join(w.dir, "memory.json"), `"version": "`+version+`", "was": "`, `"version": "`)
	}
	w.add("", "Speaks German", 0.9)
}
