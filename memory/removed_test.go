package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/page"
	"brain/store"
)

func (w *world) removed(agent string) (out []string) {
	w.t.Helper()
	all, err := w.Removed(context.Background(), agent)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range all {
		out = append(out, r.Content+": "+r.Why)
	}
	return out
}

func (w *world) wantRemoved(agent string, want ...string) {
	w.t.Helper()
	if got := w.removed(agent); !slices.Equal(got, want) {
		w.t.Errorf("gone: %q, want %q", got, want)
	}
}

func (w *world) del(agent, id string) *Delta {
	w.t.Helper()
	d, err := w.Delete(context.Background(), agent, id, If{})
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

// full is a world in which an agent has as many facts as it may.
func full(t *testing.T) (w *world, ids []string) {
	w = newWorld(t)
	w.Rules.Max = 10
	for i := range 10 {
		ids = append(ids, w.add("", fmt.Sprint("fact ", i), .5+float64(i)/100)) // the first goes first
	}
	return w, ids
}

// MP11, MP02
func TestEvictedFactIsListedAndUndoBringsItBack(t *testing.T) {
	w, ids := full(t)
	before := w.read(w.file("", ids[0]))
	d, err := w.Add(context.Background(), "", Fact{Content: "an eleventh", Confidence: .9})
	if err != nil || len(d.Evicted) != 1 || d.Evicted[0].ID != ids[0] {
		t.Fatalf("%+v, %v: want fact 0 evicted", d, err)
	}
	w.wantRemoved("", "fact 0: capacity")
	r := must(w.Removed(context.Background(), ""))[0]
	if r.ID != ids[0] || r.Category != "preference" || r.Confidence != .5 || r.Job != d.Job || time.Since(r.At) > time.Hour {
		t.Errorf("%+v", r)
	}
	if audit := w.read(w.Usage + "/__default__/eviction-audit.json"); !strings.Contains(audit, ids[0]) || strings.Contains(audit, "fact 0") {
		t.Errorf("audit: %s", audit)
	}
	if _, _, err := w.Store.Undo(context.Background(), d.Job); err != nil {
		t.Fatal(err)
	}
	if got := w.read(w.file("", ids[0])); got != before {
		t.Errorf("undone it is\n%s, was\n%s", got, before)
	}
	w.wantRemoved("", "an eleventh: undo")
}

// MP01
func TestEveryWayInHasTheSameVictim(t *testing.T) {
	for name, put := range map[string]func(*world) error{
		"add": func(w *world) error {
			_, err := w.Add(context.Background(), "", Fact{Content: "new", Confidence: .9})
			return err
		},
		"batch": func(w *world) error {
			_, err := w.change(context.Background(), "import", "", func(b *Batch) error {
				_, _, err := b.Add(Fact{ID: "given", Content: "new", Confidence: .9}, AddOptions{Exempt: true})
				if err == nil {
					_, err = b.Fit()
				}
				return err
			})
			return err
		},
		"restore": func(w *world) error {
			w.Rules.Max = 11
			id := w.add("", "new", .9)
			w.del("", id)
			w.Rules.Max = 10
			_, err := w.Restore(context.Background(), "", id)
			return err
		},
	} {
		w, ids := full(t)
		if err := put(w); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(w.file("", ids[0])); !os.IsNotExist(err) || len(w.list("").Facts) != 10 {
			t.Errorf("%s: %d facts, and of the least %v", name, len(w.list("").Facts), err)
		}
	}
}

func TestFactsThatAreGoneAreListedLastFirstWithTheirReasons(t *testing.T) {
	w := newWorld(t)
	a, b, c := w.add("", "first", .5), w.add("", "second", .5), w.add("", "third", .5)
	other := w.add("other", "of another agent", .5)
	d := w.del("", a)
	w.del("other", other)
	_, err := w.change(context.Background(), "compile", "", func(batch *Batch) error {
		if err := errors.Join(batch.Remove(b), batch.Remove(c)); err != nil {
			return err
		}
		batch.because(c, "stale")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"second: compile", "third: stale", "first: delete"}
	if b > c {
		want[0], want[1] = want[1], want[0]
	}
	w.wantRemoved("", want...)
	w.wantRemoved("Other", "of another agent: delete")
	w.wantRemoved("nobody")
	if got := must(w.Removed(context.Background(), ""))[2]; got.Job != d.Job {
		t.Errorf("job %s, want %s", got.Job, d.Job)
	}
}

func TestFactsThatAgedOrWereMergedSayWhyTheyWent(t *testing.T) {
	w := newWorld(t)
	w.Rules.Consolidation = true
	old := w.add("", "The user is on holiday", .8)
	w.at(200)
	var likes []string
	for _, f := range tastes() {
		likes = append(likes, w.add("", f.Content, .8))
	}
	_, err := w.change(context.Background(), "dream", "", func(b *Batch) error {
		if rep, err := b.Review(Review{Remove: []StaleRemoval{{ID: old, Reason: "it is over"}}}); err != nil || len(rep.Removed) != 1 {
			return fmt.Errorf("%+v, %v", rep, err)
		}
		rep, err := b.Consolidate([]Consolidation{fruits(likes[0]+" "+likes[1], "The user likes oranges and apples")})
		if err == nil && len(rep.Merged) != 1 {
			err = fmt.Errorf("%+v", rep)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	got := w.removed("")
	slices.Sort(got)
	if want := []string{"The user is on holiday: stale", "The user likes apples: consolidation", "The user likes oranges: consolidation"}; !slices.Equal(got, want) {
		t.Errorf("gone: %q, want %q", got, want)
	}
}

func TestFactThatWasBroughtBackIsNotGone(t *testing.T) {
	w := newWorld(t)
	id := w.add("", "tea", .5)
	raw := []byte(w.read(w.file("", id)))
	for name, back := range map[string]func(d *Delta) error{
		"by undo": func(d *Delta) error {
			_, _, err := w.Store.Undo(context.Background(), d.Job)
			return err
		},
		"by restore": func(*Delta) error {
			_, err := w.Restore(context.Background(), "", id)
			return err
		},
		"by hand, elsewhere": func(*Delta) error {
			w.plant(w.dir+"/agents/__default__/facts/"+id+".md", raw)
			return nil
		},
	} {
		d := w.del("", id)
		w.wantRemoved("", "tea: delete")
		if err := back(d); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		w.wantRemoved("")
		if _, err := w.Restore(context.Background(), "", id); !errors.Is(err, store.ErrExists) {
			t.Errorf("%s, and once more: %v, want ErrExists", name, err)
		}
		if err := os.RemoveAll(w.dir + "/agents/__default__/facts/" + id + ".md"); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(w.file("", id)); err != nil {
			w.plant(w.file("", id), raw)
		}
	}
}

func TestMovedFactIsNotGone(t *testing.T) {
	w := newWorld(t)
	id := w.add("", "tea", .5)
	err := w.Store.Update(context.Background(), "move", func(tx *store.Tx) error {
		raw := []byte(w.read(w.file("", id)))
		from, _ := FactPath("", id)
		return errors.Join(tx.Remove(from, store.HashOf(raw)), tx.Add(page.Path("agents/__default__/facts/zz/"+id+".md"), raw))
	})
	if err != nil {
		t.Fatal(err)
	}
	w.wantRemoved("")
}

func TestRestoreBringsOneBackAsItWasAtAHigherRevision(t *testing.T) {
	w := newWorld(t)
	a, b := w.add("", "first", .5), w.add("", "second", .25)
	w.edit(w.file("", b), "revision: 1\n", "revision: 7\nmine: kept\n")
	before := w.read(w.file("", b))
	if _, err := w.change(context.Background(), "test", "", func(batch *Batch) error { return errors.Join(batch.Remove(a), batch.Remove(b)) }); err != nil {
		t.Fatal(err)
	}
	w.at(3)
	d, err := w.Restore(context.Background(), "", b)
	if err != nil || len(d.Upserted) != 1 || d.Upserted[0].Revision != 8 || d.Job == "" {
		t.Fatalf("%+v, %v", d, err)
	}
	if got, want := w.read(w.file("", b)), strings.Replace(before, "revision: 7", "revision: 8", 1); got != want {
		t.Errorf("it is\n%s, want\n%s", got, want)
	}
	if got := contents(w.list("").Facts); !slices.Equal(got, []string{"second"}) {
		t.Errorf("there are %q, want second alone", got)
	}
	w.wantRemoved("", "first: test")
	for id, want := range map[string]error{"never-was": ErrUnknown, "": ErrUnknown, "../x": ErrUnknown} {
		if _, err := w.Restore(context.Background(), "", id); !errors.Is(err, want) {
			t.Errorf("restore %q: %v, want %v", id, err, want)
		}
	}
	if _, err := w.Restore(context.Background(), "other", a); !errors.Is(err, ErrUnknown) {
		t.Errorf("for another agent: %v, want ErrUnknown", err)
	}
}

func TestRestoreRefusesWhatWasSaidSince(t *testing.T) {
	w := newWorld(t)
	id := w.add("", "tea", .5)
	w.del("", id)
	w.plant(w.file("", "by-hand"), []byte("---\nid: by-hand\n---\n\n# Tea\n\nTea\n"))
	var dup *DuplicateError
	if _, err := w.Restore(context.Background(), "", id); !errors.As(err, &dup) || dup.ID != "by-hand" {
		t.Errorf("%v, want by-hand as a duplicate", err)
	}
}

func TestRestoredFactIsNotMergedIntoOneLikeIt(t *testing.T) {
	w := newWorld(t)
	id := w.add("", "The user likes green tea in the morning with honey", .5)
	w.del("", id)
	w.add("", "The user likes green tea in the morning with honey today", .5)
	w.Rules.NearDuplicates = true
	if d, err := w.Restore(context.Background(), "", id); err != nil || d.Merged != "" || len(w.list("").Facts) != 2 {
		t.Errorf("%+v, %v: want two facts", d, err)
	}
}

// Restoring must not make the fact go again, or another one, without a word.
func TestRestoreSaysWhenThereIsNoRoom(t *testing.T) {
	w, ids := full(t)
	w.add("", "an eleventh", .9)
	tree, audit := w.tree(), w.read(w.Usage+"/__default__/eviction-audit.json")
	if _, err := w.Restore(context.Background(), "", ids[0]); !errors.Is(err, ErrEvicted) {
		t.Errorf("%v, want ErrEvicted", err)
	}
	if now := w.tree(); fmt.Sprint(now) != fmt.Sprint(tree) {
		t.Error("something changed")
	}
	if got := w.read(w.Usage + "/__default__/eviction-audit.json"); got != audit {
		t.Errorf("the audit tells of what did not happen: %s", got)
	}
	w.del("", ids[1])
	if d, err := w.Restore(context.Background(), "", ids[0]); err != nil || len(d.Evicted) != 0 {
		t.Errorf("with room: %+v, %v", d, err)
	}
	w.wantRemoved("", "fact 1: delete")
}

func TestPurgedFactIsNeitherListedNorRestored(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("a long statement about tea ", 20)
	id, twin := w.add("", "tea", .5), w.add("other", long, .5)
	mine := w.add("", long, .5)
	w.del("", mine)
	w.del("", id)
	if _, err := w.Restore(context.Background(), "", id); err != nil {
		t.Fatal(err)
	}
	for agent, id := range map[string]string{"": id, "other": twin} {
		p, _ := FactPath(agent, id)
		if _, err := w.Store.PurgePage(context.Background(), p, store.HashOf([]byte(w.read(w.file(agent, id)))), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	w.wantRemoved("")
	if _, err := w.Restore(context.Background(), "", id); !errors.Is(err, store.ErrCannotUndo) {
		t.Errorf("purged: %v, want ErrCannotUndo", err)
	}
	if _, err := w.Restore(context.Background(), "", mine); !errors.Is(err, store.ErrCannotUndo) {
		t.Errorf("its text was purged elsewhere: %v, want ErrCannotUndo", err)
	}
}

// MP12
func TestNoAuditOfWhatDidNotHappen(t *testing.T) {
	w, _ := full(t)
	stop := errors.New("stop")
	fits := func(b *Batch) error {
		_, _, err := b.Add(Fact{Content: "an eleventh", Confidence: .9}, AddOptions{})
		if err == nil {
			_, err = b.Fit()
		}
		return err
	}
	_, err := w.change(context.Background(), "test", "", func(b *Batch) error { return errors.Join(fits(b), stop) })
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	if _, err := os.Stat(w.Usage); !os.IsNotExist(err) {
		t.Errorf("an update that failed left a trace: %v", err)
	}
	var d *Delta
	err = w.Store.Update(context.Background(), "test", func(tx *store.Tx) error {
		b, err := w.Batch(context.Background(), tx, "")
		if err == nil {
			err = fits(b)
		}
		if err == nil {
			d, err = b.Write()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(w.Usage); !os.IsNotExist(err) { // as for a process that dies here
		t.Errorf("the audit is written before the change is settled: %v", err)
	}
	if w.Settle(d); !strings.Contains(w.read(w.Usage+"/__default__/eviction-audit.json"), d.Evicted[0].ID) {
		t.Error("no audit of what happened")
	}
}

// MP05, MP08
func TestOnlySearchUnderHybridOrItsShadowCountsHeat(t *testing.T) {
	for _, c := range []struct {
		policy string
		shadow bool
		want   int
	}{{ByConfidence, false, 0}, {ByConfidence, true, 2}, {Hybrid, false, 2}} {
		w := newWorld(t)
		w.Rules.Policy, w.Rules.Shadow = c.policy, c.shadow
		w.add("", "tea with milk", .5)
		w.add("", "tea with honey", .5)
		w.add("", "coffee", .5)
		ctx := context.Background()
		w.list("")
		if _, _, err := w.rank(ctx, "", Search{Query: "tea"}); err != nil {
			t.Fatal(err)
		}
		if found, err := w.Search(ctx, "", Search{Query: "tea"}); err != nil || len(found) != 2 {
			t.Fatalf("%d found, %v", len(found), err)
		}
		sc, err := w.scope("")
		if err != nil {
			t.Fatal(err)
		}
		if got := len(sc.side.heat()); got != c.want {
			t.Errorf("%s, shadow %v: %d facts are warm, want %d", c.policy, c.shadow, got, c.want)
		}
		if _, err := os.Stat(w.Usage); os.IsNotExist(err) != (c.want == 0) {
			t.Errorf("%s, shadow %v: the folder of what is known: %v", c.policy, c.shadow, err)
		}
	}
}

// MP13, deermem 41
func TestDeleteScrubsTheSidecars(t *testing.T) {
	w, ids := full(t)
	w.Rules.Shadow = true
	if _, err := w.Search(context.Background(), "", Search{Query: "fact", N: -1}); err != nil {
		t.Fatal(err)
	}
	w.add("", "an eleventh", .9)
	w.add("", "a twelfth", .9)
	for _, id := range append(ids[2:], ids[0]) {
		if _, err := w.Get(context.Background(), "", id); err == nil {
			w.del("", id)
		}
		for _, name := range []string{usageFile, auditFile} {
			raw, _ := os.ReadFile(w.Usage + "/__default__/" + name)
			if id != ids[0] && strings.Contains(string(raw), id) {
				t.Errorf("%s still names %s: %s", name, id, raw)
			}
		}
	}
}

func TestPurgedFactIsInNoSidecar(t *testing.T) {
	w, ids := full(t)
	w.Rules.Policy = Hybrid
	if _, err := w.Search(context.Background(), "", Search{Query: "fact", N: -1}); err != nil {
		t.Fatal(err)
	}
	known := func() bool { return strings.Contains(w.read(w.Usage+"/__default__/"+usageFile), ids[3]) }
	if w.Purged(context.Background(), page.Path("notes/"+ids[3]+".md")); !known() {
		t.Error("a page that is no fact was purged, and a fact is not known any more")
	}
	if w.Purged(context.Background(), page.Path("agents/__default__/facts/zz/"+ids[3]+".md")); known() {
		t.Error("it is still known")
	}
}

// A removal that is tied to a new fact happens once it is sure that the new one stays.
func TestFactRemovedAfterRoomWasMadeIsNotInTheAudit(t *testing.T) {
	w, ids := full(t)
	w.Rules.Shadow = true
	w.edit(w.file("", ids[9]), "'2026-11-29", "'2020-11-29") // what the shadow takes
	_, err := w.change(context.Background(), "compile", "", func(b *Batch) error {
		_, _, err := b.Add(Fact{Content: "an eleventh", Confidence: .9}, AddOptions{})
		if err == nil {
			_, err = b.Fit()
		}
		if err == nil && b.evicted[0].Shadow.WouldEvict[0] != ids[9] {
			t.Errorf("shadow: %+v", b.evicted[0].Shadow)
		}
		return errors.Join(err, b.Remove(ids[9]))
	})
	if err != nil {
		t.Fatal(err)
	}
	if raw := w.read(w.Usage + "/__default__/" + auditFile); strings.Contains(raw, ids[9]) || !strings.Contains(raw, ids[0]) {
		t.Errorf("audit: %s", raw)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func BenchmarkRemoved(b *testing.B) {
	w := newWorld(b)
	w.Rules.Max = 10_000
	_, err := w.change(context.Background(), "import", "", func(batch *Batch) error {
		for i := range 1000 {
			if _, _, err := batch.Add(Fact{ID: fmt.Sprint("f", i), Content: fmt.Sprint("the user knows ", i), Confidence: .5}, AddOptions{Exempt: true}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	if _, err = w.change(context.Background(), "clear", "", func(batch *Batch) error {
		for i := range 1000 {
			if err := batch.Remove(fmt.Sprint("f", i)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if got := w.removed(""); len(got) != 1000 {
			b.Fatalf("%d are gone", len(got))
		}
	}
}
