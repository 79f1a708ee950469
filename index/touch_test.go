//go:build unix

package index

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"brain/llm/llmtest"
	"brain/page"
)

// touch takes in pages that were written one at a time or, with a name, as one
// write of several.
func (j *journaled) touch(t *testing.T, ix *Index, write string, pages map[string]string) (Report, error) {
	t.Helper()
	before, _, err := j.state()
	must(t, err)
	w := Written{Before: before, After: before}
	if write != "" {
		must(t, j.begin(write, "x.md"))
	}
	for p, text := range pages {
		w.Paths = append(w.Paths, page.Path(p))
		if text == "" {
			j.remove(t, p)
		} else {
			must(t, j.place(p, text))
		}
	}
	if write != "" {
		must(t, j.end(write))
		w.After = write
	}
	return ix.Touch(t.Context(), j, w)
}

// What a caller has written is taken in, and nothing else is looked at.
func TestTouchTakesInWhatItNames(t *testing.T) {
	j := newJournaled(t, map[string]string{"a.md": "amber\n", "b.md": "amber\n", "c.md": "amber\n"})
	ix := open(t, llmtest.Hash(16))
	syncIn(t, ix, j)
	must(t, j.place("b.md", "basalt of another\n")) // an editor's, left to the next look
	rep, err := j.touch(t, ix, "", map[string]string{"新.md": "页面 amber\n"})
	if err != nil || rep.Added != 1 || rep.Changed != 0 || rep.Embedded != 1 || rep.Unchanged != 3 {
		t.Errorf("a new page: %+v %v", rep, err)
	}
	found(t, view(t, ix), "amber", "a.md b.md c.md 新.md")
	rep, err = j.touch(t, ix, "two", map[string]string{"a.md": "", "z.md": "amber\n", "c.md": "cobalt now\n"})
	if err != nil || rep.Moved != 1 || rep.Changed != 1 || rep.Deleted != 0 {
		t.Errorf("a page moved and one changed: %+v %v", rep, err)
	}
	found(t, view(t, ix), "amber", "b.md z.md 新.md")
	found(t, view(t, ix), "basalt", "")
	rep, err = j.touch(t, ix, "", map[string]string{"z.md": "amber\n"})
	if err != nil || rep.Refreshed != 1 {
		t.Errorf("the same text again: %+v %v", rep, err)
	}
	gen := view(t, ix).Generation()
	if rep, err = ix.Touch(t.Context(), j, Written{Paths: []page.Path{"z.md", "nothing.md"}, Before: "two", After: "two"}); err != nil || rep.Generation != gen {
		t.Errorf("nothing to do: %+v %v", rep, err)
	}
	if rep := syncIn(t, ix, j); rep.Changed != 1 || rep.Unchanged != 3 {
		t.Errorf("the look after it: %+v", rep)
	}
	sound(t, ix, j)
}

// When another write of several files came before or after, the pages that are
// named may be of it, and all of it is taken in.
func TestTouchBesideOtherWrites(t *testing.T) {
	j := newJournaled(t, map[string]string{"a.md": "amber\n", "b.md": "amber\n"})
	ix := open(t, nil)
	syncIn(t, ix, j)
	other := func(id string) {
		t.Helper()
		must(t, j.begin(id, "a.md", "b.md"))
		must(t, j.place("a.md", "amber of "+id+"\n"))
		must(t, j.place("b.md", "amber of "+id+"\n"))
		must(t, j.end(id))
	}
	other("one")
	rep, err := j.touch(t, ix, "", map[string]string{"a.md": "amber of one and more\n"})
	if err != nil || rep.Changed != 2 {
		t.Errorf("after another write: %+v %v", rep, err)
	}
	found(t, view(t, ix), "one", "a.md b.md")
	if rep, err = j.touch(t, ix, "two", map[string]string{"a.md": "amber two\n", "c.md": "amber two\n"}); err != nil || rep.Added != 1 || rep.Changed != 1 {
		t.Errorf("%+v %v", rep, err)
	}
	// Another one, before the caller comes to tell of its own.
	w := Written{Paths: []page.Path{"a.md"}, Before: "two", After: "two"}
	must(t, j.place("a.md", "amber three\n"))
	other("four")
	if rep, err = ix.Touch(t.Context(), j, w); err != nil || rep.Changed != 2 {
		t.Errorf("before another write: %+v %v", rep, err)
	}
	found(t, view(t, ix), "four", "a.md b.md")
	// And one while it reads.
	j.onRead = func(page.Path) error { j.onRead = nil; other("five"); return nil }
	if rep, err = j.touch(t, ix, "", map[string]string{"d.md": "amber\n"}); !errors.Is(err, ErrBusy) {
		t.Errorf("during another write: %+v %v", rep, err)
	}
	noLitter(t, ix.o.Dir)
	found(t, view(t, ix), "four", "a.md b.md")
	syncIn(t, ix, j)
	found(t, view(t, ix), "five", "a.md b.md")
	sound(t, ix, j)

	// A generation that lacks a part of a write is no ground to go on from.
	hurry(t)
	must(t, j.begin("six", "a.md", "b.md"))
	must(t, j.place("a.md", "amber six\n"))
	j.write(t, "e.md", "amber\n")
	syncIn(t, ix, j)
	must(t, j.place("b.md", "amber six\n"))
	must(t, j.end("six"))
	if rep, err = j.touch(t, ix, "", map[string]string{"f.md": "amber\n"}); err != nil || rep.Added != 1 || rep.Changed != 2 {
		t.Errorf("after an incomplete generation: %+v %v", rep, err)
	}
}

// Touch builds nothing and waits for nobody.
func TestTouchLeavesWorkToTheNextLook(t *testing.T) {
	j := newJournaled(t, map[string]string{"a.md": "amber\n"})
	ix := open(t, llmtest.Hash(16))
	if _, err := j.touch(t, ix, "", map[string]string{"b.md": "amber\n"}); !errors.Is(err, ErrNoIndex) {
		t.Errorf("without an index: %v", err)
	}
	syncIn(t, ix, j)
	pid, kill := hold(t, ix.o.Dir, j.dir)
	_, err := j.touch(t, ix, "", map[string]string{"c.md": "amber\n"})
	var busy *BusyError
	if !errors.As(err, &busy) || busy.Holder.PID != pid {
		t.Errorf("while another process indexes: %v", err)
	}
	kill()
	found(t, fresh(t, ix, j), "amber", "a.md b.md c.md")
	// A part that cannot be read keeps its page.
	j.unreadable = []string{"b.md"}
	if rep, err := ix.Touch(t.Context(), j, Written{Paths: []page.Path{"b.md"}}); err != nil || rep.Deleted != 0 {
		t.Errorf("unreadable: %+v %v", rep, err)
	}
	found(t, view(t, ix), "amber", "a.md b.md c.md")
}

// Pages added one at a time, and rewritten a thousand times, leave an index of
// about the size of a new one.
func TestTouchingDoesNotGrowTheIndex(t *testing.T) {
	rounds := 200
	if os.Getenv("INDEX_TEST_LONG") != "" {
		rounds = 1000
	}
	setTail(t, 40)
	j := newJournaled(t, map[string]string{"other.md": "other\n"})
	ix := open(t, llmtest.Hash(64))
	syncIn(t, ix, j)
	for i := range rounds {
		p := fmt.Sprintf("%c.md", 'a'+i%26)
		if _, err := j.touch(t, ix, "", map[string]string{p: fmt.Sprintf("note %d rewritten %d times\n", i%26, i)}); err != nil {
			t.Fatal(err)
		}
		v, err := ix.View()
		must(t, err)
		if s, f, r := len(v.lex.snap.Segments()), len(v.m.Vectors), v.tail.len(); s > maxSegments+1 || f > maxVecFiles || r > maxTailRows {
			t.Fatalf("step %d: %d segments, %d vector files, %d rows in the tail", i, s, f, r)
		}
		must(t, v.Release())
	}
	used, rebuilt := diskUse(t, ix.o.Dir), rebuiltUse(t, j)
	t.Logf("%d steps: %d bytes, a new index %d", rounds, used, rebuilt)
	if used > 4*rebuilt {
		t.Errorf("%d bytes after %d steps, a new index has %d", used, rounds, rebuilt)
	}
	sound(t, ix, j)
}
