//go:build unix

package index

import (
	"os"
	"testing"
	"time"

	"brain/page"
)

// Who looks while somebody saves takes no page for gone or empty that is only being
// written: what is so is looked for again.
func TestPagesThatAreBeingSaved(t *testing.T) {
	flightPatienceOf(t, 0)
	o := SyncOptions{Confirm: time.Millisecond}
	j := newJournaled(t, map[string]string{"a.md": "amber\n", "b.md": "amber\n", "c.md": "amber\n", "d.md": "amber\n", "z.md": "zircon\n"})
	ix := open(t, nil)
	syncIn(t, ix, j)
	lists := 0
	onList := j.onList
	j.onList = func(l *page.Listing) { // a.md and b.md are gone only now, c.md and d.md for good
		if lists++; lists == 1 {
			j.write(t, "a.md", "amber again\n")
			j.write(t, "b.md", "amber again\n")
		}
		onList(l)
	}
	j.remove(t, "a.md")
	must(t, os.Truncate(j.file("b.md"), 0))
	j.remove(t, "c.md")
	must(t, os.Truncate(j.file("d.md"), 0))
	rep := syncWith(t, ix, j, o)
	if rep.Deleted != 1 || rep.Changed != 3 || rep.InFlight != 0 {
		t.Errorf("%+v", rep)
	}
	found(t, view(t, ix), "amber", "a.md b.md")

	// Gone at the second glance only: left to the next look, which takes it.
	lists = 0
	j.onList = func(l *page.Listing) {
		if lists++; lists == 1 {
			j.remove(t, "b.md")
		}
		onList(l)
	}
	j.remove(t, "a.md")
	if rep = syncWith(t, ix, j, o); rep.Deleted != 1 || rep.InFlight != 1 {
		t.Errorf("%+v", rep)
	}
	j.onList = onList
	found(t, view(t, ix), "amber", "b.md")
	if rep = syncWith(t, ix, j, o); rep.Deleted != 1 || rep.InFlight != 0 {
		t.Errorf("%+v", rep)
	}

	// Emptied between the look and the reading.
	j.write(t, "z.md", "zircon and more\n")
	j.onRead = func(p page.Path) error { return os.Truncate(j.file("z.md"), 0) }
	if rep = syncWith(t, ix, j, o); rep.Changed != 0 || rep.InFlight != 1 {
		t.Errorf("%+v", rep)
	}
	found(t, view(t, ix), "zircon", "z.md")
	j.onRead = nil
	j.write(t, "z.md", "zircon at last\n")
	syncWith(t, ix, j, o)
	found(t, view(t, ix), "last", "z.md")
	sound(t, ix, j)
}

// A page that moves while a scan that saw it in its old place is under way.
func TestMoveDuringAScanDoesNotBringTheOldPathBack(t *testing.T) {
	for name, known := range map[string]bool{"a page that the index knows": true, "a new page": false} {
		tr := newTree(t, map[string]string{"z.md": "zircon\n"}).settled()
		ix := open(t, nil)
		if known {
			tr.write(t, "old/a.md", "amber\n")
		}
		syncIn(t, ix, tr)
		tr.write(t, "old/a.md", "amber and basalt\n")
		moved := false
		tr.onRead = func(p page.Path) error {
			if !moved && p == "old/a.md" {
				moved = true
				must(t, os.Mkdir(tr.file("new"), 0o700))
				return os.Rename(tr.file("old/a.md"), tr.file("new/a.md"))
			}
			return nil
		}
		syncIn(t, ix, tr)
		if !known {
			found(t, view(t, ix), "basalt", "")
		}
		syncIn(t, ix, tr)
		found(t, view(t, ix), "basalt", "new/a.md")
		found(t, view(t, ix), "amber", "new/a.md")
		if _, ok := view(t, ix).Lookup("old/a.md"); ok {
			t.Errorf("%s: the old path is back", name)
		}
		sound(t, ix, tr)
	}
}
