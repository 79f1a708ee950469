package dream

import (
	"context"
	"testing"
	"time"

	"brain/page"
	"brain/store"
)

// What grows with the tree, and with all that was ever decided, is done while others can write.
func TestNothingThatTakesLongIsDoneUnderTheLock(t *testing.T) {
	w, p := reviewWorld(t)
	asked := 0
	w.propose(nil, func(Pair) bool {
		asked++
		ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
		defer stop()
		if err := w.st.Update(ctx, "meanwhile", func(*store.Tx) error { return nil }); err != nil {
			t.Errorf("others wait: %v", err)
		}
		return true
	})
	if asked != 1 || len(w.docket().Pairs) != 0 {
		t.Errorf("asked %d times; open %+v", asked, w.docket().Pairs)
	}
	w.propose([]Pair{p}, everything)
	if _, err := w.decide(p.ID, KeepBoth); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	read := func(f page.Path) ([]byte, error) { return w.st.Read(ctx, f) }
	own := func(f store.OwnFile) ([]byte, error) { return w.st.ReadOwn(ctx, f) }
	d, err := readDocket(read, own)
	if err != nil {
		t.Fatal(err)
	}
	d.verdicts.All[0].Note = "read once"
	again, err := d.again(read, own)
	if err != nil || again.verdicts.All[0].Note != "read once" {
		t.Errorf("%v: a log that is the same is read once more", err)
	}
	again.verdicts.add(Verdict{Pair: p.ID, Keep: KeepOpen})
	if _, ok := d.verdicts.Of(p); !ok {
		t.Error("a verdict was added to both")
	}
	w.propose(nil, nothing)
	if _, err := w.undo(p.ID); err != nil {
		t.Fatal(err)
	}
	if again, err = d.again(read, own); err != nil || len(again.verdicts.All) != 2 {
		t.Errorf("%v: a log that changed is not read: %+v", err, again)
	}
}
