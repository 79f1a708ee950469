package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"brain/page"
)

// ListIn is List for one folder of the brain and all below it, by the same rules. It
// looks into several folders at a time, since a stat waits for the kernel. A folder
// that is not there, or that List would not enter, holds no pages.
func (st *Store) ListIn(ctx context.Context, at string) (page.Listing, error) {
	what := fmt.Sprintf("list %s of brain %s", at, st.name)
	w := walk{ctx: ctx, out: page.Listing{Skipped: map[string]int{}}}
	err := st.between(&w.out, func() error { return w.within(st, at) })
	switch {
	case ctx.Err() != nil:
		return w.out, errContext(ctx, what)
	case err != nil:
		w.out.Files, w.out.Unreadable = nil, []string{at}
		return w.out, fmt.Errorf("%s: %w", what, err)
	}
	slices.Sort(w.out.Unreadable)
	return w.out, nil
}

func (w *walk) within(st *Store, at string) error {
	root, err := st.current()
	if err != nil {
		return err
	}
	inside, err := page.ParsePath(at + "/x.md")
	if err != nil {
		return err
	}
	switch err := checkParents(root, inside); {
	case errors.Is(err, ErrNotFound), errors.Is(err, ErrNotPage):
		return w.mounted(st, root)
	case err != nil:
		return err
	}
	ig, reason, err := entered(root, at)
	if err != nil || reason != "" {
		return err
	}
	d, err := openTop(root)
	if err != nil {
		return st.unreadable(err)
	}
	for part := range strings.SplitSeq(at, "/") {
		next, err := d.open(part)
		d.close()
		if err != nil {
			return ignoreNotFound(notFound(err))
		}
		d = next
	}
	defer d.close()
	return w.wide(d, at+"/", ig, strings.Count(at, "/")+1)
}

// entered says why a walk would not enter a folder, or which rules hold in it.
func entered(root *os.Root, at string) (ig *ignores, reason string, err error) {
	prefix := ""
	for part := range strings.SplitSeq(at, "/") {
		if reason := skipReason(part, dir); reason != "" {
			return nil, reason, nil
		}
		if ig, err = loadIgnoresAt(root, prefix, ig); err != nil {
			return nil, "", err
		}
		if ig.match(prefix+part, true) {
			return nil, SkipIgnored, nil
		}
		prefix += part + "/"
	}
	return ig, "", nil
}

// wide lists a folder as w.folder does, the folders in it side by side.
func (w *walk) wide(d folder, prefix string, ig *ignores, depth int) error {
	entries, err := d.entries(prefix, w.take())
	if err != nil {
		return err
	}
	entries = w.keep(d, prefix, entries)
	if ig, err = loadIgnores(d, prefix, entries, ig); err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.path, b.path) })
	parts := make([]walk, len(entries))
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(len(entries), 2*runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			var free [][]entry
			for i := range next {
				p := &parts[i]
				p.ctx, p.free, p.out.Skipped = w.ctx, free, map[string]int{}
				p.one(d, prefix, entries[i], ig, depth)
				free = p.free
			}
		})
	}
	for i := range entries {
		next <- i
	}
	close(next)
	wg.Wait()
	for _, p := range parts {
		w.out.Files = append(w.out.Files, p.out.Files...)
		w.out.Unreadable = append(w.out.Unreadable, p.out.Unreadable...)
		for _, reason := range slices.Sorted(maps.Keys(p.out.Skipped)) {
			w.out.Skipped[reason] += p.out.Skipped[reason]
		}
	}
	return w.ctx.Err()
}
