package memory

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"brain/store"
)

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
		// What was staged and is said no more may be said by another.
		other, _, err := b.Add(Fact{Content: "Plays the violin"}, AddOptions{})
		if err != nil {
			return err
		}
		if err := b.Remove(other); err != nil {
			return err
		}
		if again, _, err := b.Add(Fact{Content: "plays the violin"}, AddOptions{}); err != nil || b.Remove(again) != nil {
			t.Errorf("said no more: %v", err)
		}
		if _, _, err := b.Add(Fact{Content: "likes tabs 1"}, AddOptions{}); err != nil {
			t.Errorf("said before another was put: %v", err)
		}
		if _, _, err := b.Add(Fact{Content: "likes tabs 2"}, AddOptions{}); !errors.Is(err, ErrDuplicate) {
			t.Errorf("said by what was put: %v", err)
		}
		all, err := b.All()
		if got := contents(all); err != nil || !slices.Equal(slices.Sorted(slices.Values(got)), []string{"Likes tabs 2", "Speaks German", "likes tabs 1", "lives in basel"}) {
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
	if l.Revision != 3 || d.Revision != 3 || len(d.Upserted) != 4 || !slices.Equal(d.Deleted, []string{gone}) {
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
		home := Fact{Content: "the user speaks Greek at home with both parents every day", Category: "preference"}
		gone, _, err := b.Add(home, AddOptions{})
		if err != nil {
			return err
		}
		if err := b.Remove(gone); err != nil {
			return err
		}
		home.Content += " now"
		if got, merged, err := b.Add(home, AddOptions{}); err != nil || merged || got == gone {
			t.Errorf("like one that was taken back: %s %v %v", got, merged, err)
		}
		return errors.New("not written")
	})
	if err == nil {
		t.Error("written")
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
