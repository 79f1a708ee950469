package index

import (
	"bytes"
	"context"
	"slices"
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
	waiting int         // files that differ and are in flight
	listing page.Listing
	flying  inFlight
}

func (d *diff) empty() bool { return len(d.added)+len(d.changed)+len(d.racy)+len(d.gone) == 0 }

// count is how many files differ for certain and can be taken in.
func (d *diff) count() int { return len(d.added) + len(d.changed) + len(d.gone) }

// look compares the tree with a view (nil: nothing indexed). It takes no lock
// and writes nothing.
func look(ctx context.Context, src Source, v *View) (*diff, error) {
	l, err := src.List(ctx)
	if err != nil {
		return nil, err
	}
	return compare(v, l), nil
}

func newDiff(v *View, l page.Listing) *diff {
	d := &diff{files: l.Files, listing: l, flying: inFlight(l.InFlight)}
	if v == nil && d.flying.all() {
		d.flying = nil // nothing is known that could be kept: a whole tree beats none
	}
	return d
}

// compare holds a listing of the whole tree against all rows, side by side.
func compare(v *View, l page.Listing) *diff {
	d := newDiff(v, l)
	i := 0
	if v != nil {
		v.walk(func(row uint32, t *table, n uint32) bool {
			path := t.path(n)
			for ; i < len(d.files) && string(d.files[i].Path) < string(path); i++ {
				d.unknown(i)
			}
			if i == len(d.files) || string(d.files[i].Path) != string(path) {
				d.missing(row, path)
				return true
			}
			d.known(t, n, i)
			i++
			return true
		})
	}
	for ; i < len(d.files); i++ {
		d.unknown(i)
	}
	return d
}

// compareSome is compare for a few paths, sorted; the listing tells of these.
func compareSome(v *View, l page.Listing, paths []page.Path) *diff {
	d := newDiff(v, l)
	for _, p := range paths {
		i, here := slices.BinarySearchFunc(d.files, p, func(f page.File, p page.Path) int { return strings.Compare(string(f.Path), string(p)) })
		row, indexed := uint32(0), false
		if v != nil {
			row, indexed = v.Lookup(p)
		}
		switch {
		case here && indexed:
			t, n := v.at(row)
			d.known(t, n, i)
		case here:
			d.unknown(i)
		case indexed:
			d.missing(row, []byte(p))
		}
	}
	return d
}

// unknown notes a file without a row.
func (d *diff) unknown(i int) {
	if d.flying.has([]byte(d.files[i].Path)) {
		d.waiting++
		return
	}
	d.added = append(d.added, i)
}

// known notes a file that has a row.
func (d *diff) known(t *table, n uint32, i int) {
	same := t.same(n, &d.files[i])
	if same && t.flags(n)&flagUnproven == 0 {
		return
	}
	switch flying := d.flying.has(t.path(n)); {
	case !same && flying:
		d.waiting++
	case !same:
		d.changed = append(d.changed, i)
	case !flying:
		d.racy = append(d.racy, i)
	}
}

// missing notes a row without a file.
func (d *diff) missing(row uint32, path []byte) {
	switch {
	case unreadable(d.listing.Unreadable, path):
		d.kept++
	case d.flying.has(path):
		d.waiting++
	default:
		d.gone = append(d.gone, row)
	}
}

// inFlight are the paths, sorted, that a write of several files is changing.
type inFlight []page.Path

func (f inFlight) all() bool { return len(f) > 0 && f[0] == "" }

func (f inFlight) has(path []byte) bool {
	if len(f) == 0 {
		return false
	}
	_, ok := slices.BinarySearchFunc(f, path, func(p page.Path, path []byte) int { return strings.Compare(string(p), string(path)) })
	return ok || f.all()
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
