//go:build unix

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"brain/index"
	"brain/page"
	"brain/store"
)

// One writer changes, adds and removes several pages in each update, every third time
// failing in the middle, and tells the index; others sync beside it: in every generation
// all pages are of one update.
func TestUpdatesAreWholeInEveryGeneration(t *testing.T) {
	dir := t.TempDir()
	_, err := store.Init(dir, store.InitOptions{Brain: "default"})
	ok(t, err)
	open := func() (*store.Store, *index.Index) {
		root, err := store.Find(dir)
		ok(t, err)
		st, err := store.Open(root, "default")
		ok(t, err)
		ix, err := index.Open(index.Options{Dir: filepath.Join(dir, ".brain", "index", "default")})
		ok(t, err)
		t.Cleanup(func() { ok(t, errors.Join(ix.Close(), st.Close())) })
		return st, ix
	}
	var done atomic.Bool
	var group sync.WaitGroup
	for range 2 {
		st, ix := open()
		group.Go(func() {
			for !done.Load() {
				if _, err := ix.Sync(t.Context(), st, index.SyncOptions{}); err != nil && !errors.Is(err, index.ErrBusy) {
					t.Error(err)
					return
				}
			}
		})
	}
	_, reader := open()
	states := map[string]bool{}
	group.Go(func() {
		for !done.Load() {
			v, err := reader.View()
			if errors.Is(err, index.ErrNoIndex) {
				continue
			}
			if err == nil {
				var state string
				state, err = oneState(v)
				states[state] = true
				err = errors.Join(err, v.Release())
			}
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	st, ix := open()
	for n := 0; n < 60 && !t.Failed(); n++ {
		r, err := writeCounters(t, st, n, n%3 == 2)
		if n%3 == 2 != (err != nil) {
			t.Fatal(err)
		}
		if err == nil && n%2 == 0 {
			if _, err := ix.Touch(t.Context(), st, index.Written{Paths: r.Paths, Before: r.Before, After: r.After}); err != nil &&
				!errors.Is(err, index.ErrBusy) && !errors.Is(err, index.ErrNoIndex) {
				t.Error(err)
			}
		}
	}
	done.Store(true)
	group.Wait()
	_, err = ix.Sync(t.Context(), st, index.SyncOptions{})
	ok(t, err)
	v, err := ix.View()
	ok(t, err)
	if state, err := oneState(v); err != nil || state != "58 of 6" {
		t.Errorf("at rest: %s, %v", state, err)
	}
	ok(t, v.Release())
	if len(states) < 3 {
		t.Errorf("only %d states were seen", len(states))
	}
}

// counters is how many pages update n leaves.
func counters(n int) int { return 3 + n%5 }

var errMidway = errors.New("midway")

func writeCounters(t *testing.T, st *store.Store, n int, fail bool) (r store.Receipt, err error) {
	var tell *store.Receipt
	err = st.Update(t.Context(), "count", func(tx *store.Tx) error {
		tell = tx.Receipt()
		for i := range 8 {
			p := page.Path(fmt.Sprintf("count/%d.md", i))
			old, err := tx.Read(p)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			there := err == nil
			text := fmt.Appendf(nil, "---\ntitle: %d of %d\n---\npage %d\n", n, counters(n), i)
			switch {
			case i < counters(n) && there:
				err = tx.Replace(p, store.HashOf(old), text)
			case i < counters(n):
				err = tx.Add(p, text)
			case there:
				err = tx.Remove(p, store.HashOf(old))
			default:
				err = nil
			}
			if err != nil {
				return err
			}
			if fail && i == 2 {
				return errMidway
			}
		}
		return nil
	})
	return *tell, err
}

// oneState gives the title that all pages of a generation share, and checks their number.
func oneState(v *index.View) (state string, err error) {
	pages := 0
	v.All(func(row uint32) bool {
		p := v.Page(row)
		if pages++; state == "" {
			state = p.Title
		}
		if p.Title != state {
			err = fmt.Errorf("generation %d: %s is of update %q, another page of %q", v.Generation(), p.Path, p.Title, state)
		}
		return err == nil
	})
	var n, of int
	if _, serr := fmt.Sscanf(state, "%d of %d", &n, &of); pages > 0 && err == nil && (serr != nil || of != pages) {
		err = fmt.Errorf("generation %d: %d pages of update %q", v.Generation(), pages, state)
	}
	return state, err
}
