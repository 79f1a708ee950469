package store

import (
	"context"
	"slices"
	"strings"

	"brain/page"
)

// Skip is one entry that a walk passes over. Path ends in "/" for a folder.
type Skip struct {
	Path   string
	Reason string // one of the Skip reasons
}

// Passed names what List only counts, for the reasons asked for, in byte order
// of their paths. A brain holds far more attachments than pages that ought to
// be found, so List keeps no names; who looks for a page that is missing asks
// here. What cannot be read is left out: List tells of it.
func (st *Store) Passed(ctx context.Context, reasons ...string) ([]Skip, error) {
	w := walk{ctx: ctx, out: page.Listing{Skipped: map[string]int{}}, wanted: reasons}
	if err := w.brain(st); err != nil {
		return nil, err
	}
	slices.SortFunc(w.passed, func(a, b Skip) int { return strings.Compare(a.Path, b.Path) })
	return w.passed, nil
}
