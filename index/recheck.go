package index

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"brain/page"
)

// A write of several files moves one after the other, and a sync reads one
// after the other, so a sync may read some before the write and some after it.
// No generation shows such a half:
//
//   - What is in flight while the tree is listed (page.Listing.InFlight) is left
//     as the generation before has it. A write lasts milliseconds, so that it is
//     worth waiting for; one that stands still is left behind.
//   - After the files were read, and before anything of them is final, the source
//     is asked whether a write began or ended since the listing (its epoch). If
//     so the tree is listed again, and what differs from the listing before is
//     read again, in place of what was read first.
//   - If the tree does not come to rest within maxRounds, what changed during the
//     sync is left as the generation before has it. All else was the same from the
//     first listing to the last, so that no write can have touched it.
//
// Without a write in between this costs the reading of two small files.
//
// A file with the same size, times and inode in two listings is taken for the
// same here. (Where a row is unproven the next look reads it again.)
const maxRounds = 5

// Flights are waited for so long: a sync may take its time, a question may not.
// (Variables, so that tests need not wait.)
var (
	flightPatience = 200 * time.Millisecond
	flightHurry    = 50 * time.Millisecond
	flightPause    = 2 * time.Millisecond
)

// list looks at the tree, or at the pages that a Touch names.
func (s *pass) list(ctx context.Context) (page.Listing, error) {
	if s.only != nil {
		return s.src.(Partial).ListOf(ctx, s.only.Paths)
	}
	return s.src.List(ctx)
}

// compare fills in s.diff: the tree against the generation to go on from. While
// files that differ are in flight it looks again, for a short time.
func (s *pass) compare(ctx context.Context) error {
	if d := s.seen; d != nil && s.base() == s.seenOf && d.waiting == 0 {
		s.diff, s.seen = d, nil
		return nil
	}
	for until := s.patience(); ; {
		l, err := s.list(ctx)
		if s.only != nil && err == nil && !s.follows(l) {
			s.only = nil
			l, err = s.list(ctx)
		}
		if err != nil {
			return err
		}
		if s.only != nil {
			s.diff = compareSome(s.base(), l, s.only.Paths)
		} else {
			s.diff = compare(s.base(), l)
		}
		if err := s.confirm(ctx); err != nil {
			return err
		}
		if s.diff.waiting == 0 || !s.calm(ctx, until) {
			return ctx.Err()
		}
	}
}

// confirm looks again, after a while, for pages that are gone or have become
// empty. What is so only now is left to a later look, unless a write of several
// files ended between the two, whose deletions are meant.
func (s *pass) confirm(ctx context.Context) error {
	if s.opt.Confirm == 0 || s.base() == nil {
		return nil
	}
	first := s.vanished(s.diff)
	if len(first) == 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(s.opt.Confirm):
	}
	l, err := s.list(ctx)
	if err != nil {
		return err
	}
	epoch := s.diff.listing.Epoch
	s.diff = compare(s.base(), l)
	if l.Epoch == epoch {
		s.diff.spare(s.view, func(p string) bool { return first[p] })
	}
	return nil
}

// vanished gives the pages that a look found gone or emptied.
func (s *pass) vanished(d *diff) map[string]bool {
	out := map[string]bool{}
	for _, row := range d.gone {
		out[string(s.view.path(row))] = true
	}
	for _, i := range d.changed {
		if d.files[i].Size == 0 {
			out[string(d.files[i].Path)] = true
		}
	}
	return out
}

// spare leaves for later the pages that are gone or emptied and not confirmed.
func (d *diff) spare(v *View, confirmed func(string) bool) {
	n := len(d.gone) + len(d.changed)
	d.gone = slices.DeleteFunc(d.gone, func(row uint32) bool { return !confirmed(string(v.path(row))) })
	d.changed = slices.DeleteFunc(d.changed, func(i int) bool {
		return d.files[i].Size == 0 && !confirmed(string(d.files[i].Path))
	})
	d.waiting += n - len(d.gone) - len(d.changed)
}

func (s *pass) patience() time.Time {
	if s.quick {
		return time.Now().Add(flightHurry)
	}
	return time.Now().Add(flightPatience)
}

// calm waits until nothing is in flight; false when that takes too long.
func (s *pass) calm(ctx context.Context, until time.Time) bool {
	for time.Now().Before(until) {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(flightPause):
		}
		j, ok := s.src.(Journaled)
		if !ok {
			return true
		}
		if _, flying, err := j.Epoch(ctx); err != nil || len(flying) == 0 {
			return err == nil
		}
	}
	return false
}

// recheck makes sure that what was read belongs together.
func (s *pass) recheck(ctx context.Context) error {
	j, ok := s.src.(Journaled)
	if !ok {
		return nil
	}
	touched := map[page.Path]bool{}
	for round := 1; ; round++ {
		epoch, _, err := j.Epoch(ctx)
		if err != nil || epoch == s.diff.listing.Epoch {
			return err
		}
		if s.only != nil {
			return fmt.Errorf("%w: another write came between", ErrBusy)
		}
		before := s.diff.listing
		now, err := s.relist(ctx)
		if err != nil {
			return err
		}
		paths := differing(before, now, s.gone)
		for _, p := range paths {
			touched[p] = true
			s.drop(p)
		}
		s.diff = compareSome(s.base(), now, paths)
		if round > maxRounds {
			s.leave(touched)
			return nil
		}
		s.adopt(s.diff)
		if err := s.read(ctx, s.jobs(s.diff)); err != nil {
			return err
		}
	}
}

// relist lists the tree when nothing is in flight, or at last all the same.
func (s *pass) relist(ctx context.Context) (page.Listing, error) {
	for until := s.patience(); ; {
		l, err := s.list(ctx)
		if err != nil || len(l.InFlight) == 0 || !s.calm(ctx, until) {
			return l, err
		}
	}
}

// leave drops all that changed since the sync began.
func (s *pass) leave(touched map[page.Path]bool) {
	for p := range touched {
		s.drop(p)
	}
	s.diff.waiting = len(touched)
}

// waiting counts the files that differ and are left to a later look.
func (s *pass) waiting() int { return s.diff.waiting + len(s.later) }

// epoch is what the draft holds every write of several files up to; no epoch
// when it lacks a part of one.
func (s *pass) epoch() string {
	if s.waiting() > 0 || len(s.diff.listing.InFlight) > 0 {
		return unsettled
	}
	return s.diff.listing.Epoch
}

// adopt notes what a look found gone.
func (s *pass) adopt(d *diff) {
	for _, row := range d.gone {
		s.gone[page.Path(s.view.path(row))] = true
	}
}

// drop forgets what was read of a path, so that it is as the generation before
// has it.
func (s *pass) drop(p page.Path) {
	if it := s.pending[p]; it != nil {
		it.void = true
		delete(s.pending, p)
	}
	s.draft.takeBack(p)
	delete(s.gone, p)
	delete(s.unread, p)
	delete(s.later, p)
}

// differing gives the paths, sorted, that two listings tell differently, and
// those that were in flight in either: when every path was, also those that were
// found gone.
func differing(before, now page.Listing, gone map[page.Path]bool) []page.Path {
	paths := slices.Concat(before.InFlight, now.InFlight)
	all := slices.Contains(paths, "")
	if all {
		paths = slices.AppendSeq(paths, maps.Keys(gone))
	}
	old, files := before.Files, now.Files
	for len(old) > 0 || len(files) > 0 {
		order := 0
		switch {
		case len(old) == 0:
			order = 1
		case len(files) == 0:
			order = -1
		default:
			order = strings.Compare(string(old[0].Path), string(files[0].Path))
		}
		switch {
		case order < 0:
			paths = append(paths, old[0].Path)
			old = old[1:]
		case order > 0:
			paths = append(paths, files[0].Path)
			files = files[1:]
		default:
			if all || old[0] != files[0] {
				paths = append(paths, old[0].Path)
			}
			old, files = old[1:], files[1:]
		}
	}
	slices.Sort(paths)
	return slices.DeleteFunc(slices.Compact(paths), func(p page.Path) bool { return p == "" })
}
