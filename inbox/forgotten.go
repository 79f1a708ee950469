package inbox

import (
	"context"
	"fmt"
	"slices"
	"time"

	"brain/page"
)

// Forgotten says what was purged and is not kept again. It knows hashes alone.
type Forgotten interface {
	Text(said string) bool
	Path(p page.Path) bool
}

// remembered drops the turns whose text was purged, and counts them. They go
// before anything is compared with what is kept, where they are not either.
func (ib *Box) remembered(ctx context.Context, s Session) (_ Session, dropped int, err error) {
	if ib.Forgotten == nil {
		return s, 0, nil
	}
	gone, err := ib.Forgotten(ctx)
	if err != nil {
		return s, 0, err
	}
	if ib.buried(s, gone) {
		return s, 0, ErrForgotten
	}
	kept := slices.DeleteFunc(slices.Clone(s.Turns), func(t page.Turn) bool { return gone.Text(t.Text) })
	if len(kept) == 0 && len(s.Turns) > 0 {
		return s, len(s.Turns), fmt.Errorf("%w: so was the text of each of its turns", ErrForgotten)
	}
	dropped = len(s.Turns) - len(kept)
	s.Turns = kept
	return s, dropped, nil
}

// monthsBack is how far back a session without any time is looked for.
const monthsBack = 24

// buried reports whether a session of that id was purged. Its path has the month
// in which it began, which is not told the same each time.
func (ib *Box) buried(s Session, gone Forgotten) bool {
	months := []time.Time{s.At}
	for i := range s.Turns {
		if at := s.Turns[i].At; !at.IsZero() {
			months = append(months, at)
		}
	}
	first := time.Date(ib.now().UTC().Year(), ib.now().UTC().Month(), 1, 0, 0, 0, 0, time.UTC)
	for n := range monthsBack {
		months = append(months, first.AddDate(0, -n, 0))
	}
	return slices.ContainsFunc(months, func(at time.Time) bool {
		p, err := page.SessionPath(s.ID, at)
		return err == nil && gone.Path(p)
	})
}
