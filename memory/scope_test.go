package memory

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brain/store"
)

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
