package memory

import (
	"context"
	"errors"
	"fmt"
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
