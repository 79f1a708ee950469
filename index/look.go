package index

import (
	"bytes"
	"context"
	"strings"
	"time"

	"brain/page"
)

// racyWindow: a file changed this shortly before it was read may change again
// within the same tick of its clock and keep its size, so its row is unproven
// until a later look has read it again (git's racy index rule).
const racyWindow = 2 * time.Second

// diff is what a look found: the tree against a generation.
type diff struct {
	files   []page.File // of the tree, by path
	added   []int       // numbers into files
	changed []int       // stat differs from the row
	racy    []int       // stat equal, but the row is unproven
	gone    []uint32    // rows whose file is gone, deletion confirmed
	kept    int         // rows kept because their folder could not be read
	listing page.Listing
}

func (d *diff) empty() bool { return len(d.added)+len(d.changed)+len(d.racy)+len(d.gone) == 0 }

// count is how many files differ for certain.
func (d *diff) count() int { return len(d.added) + len(d.changed) + len(d.gone) }

// look compares the tree with a view (nil: nothing indexed). It takes no lock
// and writes nothing.
func look(ctx context.Context, src Source, v *View) (*diff, error) {
	d := &diff{}
	l, err := src.List(ctx)
	if err != nil {
		return nil, err
	}
	d.files, d.listing = l.Files, l
	if v == nil {
		d.added = make([]int, len(l.Files))
		for i := range d.added {
			d.added[i] = i
		}
		return d, nil
	}
	i := 0
	v.walk(func(row uint32, t *table, n uint32) bool {
		path := t.path(n)
		for i < len(d.files) && string(d.files[i].Path) < string(path) {
			d.added = append(d.added, i)
			i++
		}
		if i == len(d.files) || string(d.files[i].Path) != string(path) {
			if unreadable(l.Unreadable, path) {
				d.kept++
			} else {
				d.gone = append(d.gone, row)
			}
			return true
		}
		switch {
		case !t.same(n, &d.files[i]):
			d.changed = append(d.changed, i)
		case t.flags(n)&flagUnproven != 0:
			d.racy = append(d.racy, i)
		}
		i++
		return true
	})
	for ; i < len(d.files); i++ {
		d.added = append(d.added, i)
	}
	return d, nil
}

// unreadable reports whether a path lies in a part of the tree that could not
// be read: its page must not be taken for deleted.
func unreadable(parts []string, path []byte) bool {
	for _, p := range parts {
		if p == "" || p == "." || string(path) == p || bytes.HasPrefix(path, []byte(strings.TrimSuffix(p, "/")+"/")) {
			return true
		}
	}
	return false
}

// proven reports whether a file that is read at a time was last touched long
// enough before it. A date in the future proves as little as one long ago.
func proven(f *page.File, read time.Time) bool {
	near := func(t int64) bool {
		age := read.UnixNano() - t
		return age < int64(racyWindow) && age > -int64(racyWindow)
	}
	return !near(f.Mtime) && !near(f.Ctime)
}
