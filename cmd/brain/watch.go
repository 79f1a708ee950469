package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"brain/index"
)

// The watcher does not believe events: one only says that a look is worth while. The
// look then compares the tree with the index as every query does, so that lost, doubled
// or misleading events (editors that write and rename, a queue that overflowed) cost at
// most a look. A slow beat catches what no event told, such as a network disk.
const (
	quietTime = 300 * time.Millisecond // after the last event, so that two saves are one sync
	patience  = 2 * time.Second        // a stream of events without a pause does not put it off for ever
	beat      = 5 * time.Minute
)

// watch takes changes in until ctx ends.
func (a *app) watch(ctx context.Context, e *engine) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch %s: %w", e.st.Dir(), err)
	}
	a.closers = append(a.closers, w.Close)
	a.watchBelow(w, e.st.Dir())
	if !a.global.quiet {
		a.note("brain: watching %s; Ctrl-C ends", plain(e.st.Dir()))
	}
	for { // at once, too: of what came between the last sync and the watch no event tells
		if err := a.takeIn(ctx, e); err != nil {
			return err
		}
		if err := a.awaitChange(ctx, w); err != nil {
			return err
		}
	}
}

// takeIn syncs and reports what changed. A tree that is away or a lock that is held
// does not end a watch.
func (a *app) takeIn(ctx context.Context, e *engine) error {
	r, err := e.ix.Sync(ctx, e.st, index.SyncOptions{})
	e.bar.wipe()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		a.warn("%s", plain(err.Error()))
		return nil
	case r.Added+r.Changed+r.Moved+r.Deleted+r.Embedded == 0:
		return nil
	}
	return a.printReport(e.st.Name(), &r, false)
}

// awaitChange returns when the tree has changed and then been quiet.
func (a *app) awaitChange(ctx context.Context, w *fsnotify.Watcher) error {
	var quiet, limit <-chan time.Time
	tick := time.NewTimer(beat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case ev, ok := <-w.Events:
			if !ok {
				return errors.New("watch: the system stopped telling changes")
			}
			if !a.relevant(w, ev) {
				continue
			}
			quiet = time.After(quietTime)
			if limit == nil {
				limit = time.After(patience)
			}
		case err := <-w.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				a.warn("watch: %v", err)
			}
			return nil
		case <-quiet:
			return nil
		case <-limit:
			return nil
		case <-tick.C:
			return nil
		}
	}
}

// relevant reports whether an event may concern a page; new folders are watched too.
func (a *app) relevant(w *fsnotify.Watcher, ev fsnotify.Event) bool {
	name := filepath.Base(ev.Name)
	hidden := strings.HasPrefix(name, ".") && name != ".brainignore" && !strings.HasSuffix(strings.ToLower(name), ".md")
	if hidden || ev.Op == fsnotify.Chmod {
		return false
	}
	if ev.Has(fsnotify.Create) {
		if info, err := os.Lstat(ev.Name); err == nil && info.IsDir() {
			a.watchBelow(w, ev.Name)
		}
	}
	return true
}

// watchBelow watches a folder and those below it, but for dot folders. What cannot be
// watched is left to the beat.
func (a *app) watchBelow(w *fsnotify.Watcher, dir string) {
	failed := 0
	var first error
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return nil
		case path != dir && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		}
		if err := w.Add(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed++
			if first == nil {
				first = err
			}
		}
		return nil
	})
	if err = errors.Join(err, first); err != nil {
		a.warn("%s cannot be watched and will be looked at every %s only: %s", count(max(1, failed), "folder"), beat, plain(err.Error()))
	}
}
