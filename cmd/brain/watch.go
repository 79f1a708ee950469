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
	"brain/page"
)

// The watcher does not believe events: one only says that a look is worth while. The
// look then compares the tree with the index as every query does, so that lost, doubled
// or misleading events (editors that write and rename, a queue that overflowed) cost at
// most a look. Where the system tells nothing the clock says when to look: often where it
// is known to (a network disk, too many folders), seldom elsewhere.
//
// A look that comes while somebody saves must not take a page for gone. So it comes when
// the tree has been quiet, and what is gone or empty then is looked for once more.
const (
	quietTime = 300 * time.Millisecond // after the last event, so that two saves are one sync
	patience  = 2 * time.Second        // a stream of events without a pause does not put it off for ever
	beat      = 5 * time.Minute        // for what no event told
	poll      = 3 * time.Second        // while events do not tell everything
)

// watcher waits for changes of a brain's folder.
type watcher struct {
	a      *app
	e      *engine
	dir    string            // the brain's folder
	notify *fsnotify.Watcher // nil: the system tells nothing
	top    os.FileInfo       // the brain's folder as it is watched; nil while it is away
	deaf   string            // why events do not tell everything, ""
	soon   bool              // the last look could not take everything in
	warned string
}

// watch takes changes in until ctx ends.
func (a *app) watch(ctx context.Context, e *engine) error {
	w := &watcher{a: a, e: e, dir: e.st.Dir()}
	var err error
	if w.notify, err = fsnotify.NewWatcher(); err != nil {
		w.listenLess("the system tells no changes: " + err.Error())
	} else {
		a.closers = append(a.closers, w.notify.Close)
	}
	w.attend()
	if !a.global.quiet {
		a.note("brain: watching %s; Ctrl-C ends", plain(e.st.Dir()))
	}
	for { // at once, too: of what came between the last sync and the watch no event tells
		if err := w.takeIn(ctx); err != nil {
			return err
		}
		if err := w.awaitChange(ctx); err != nil {
			return err
		}
		w.attend()
	}
}

// takeIn syncs and reports what changed. A tree that is away or a lock that is held
// does not end a watch.
func (w *watcher) takeIn(ctx context.Context) error {
	r, err := w.sync(ctx)
	if err == nil && r.InFlight > 0 && w.e.st.ReadOnly() == "" { // a writer may have died
		if err = w.e.st.Recover(); err == nil {
			r, err = w.sync(ctx)
		}
	}
	w.e.bar.wipe()
	w.soon = err != nil || r.InFlight+len(r.Unreadable) > 0
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		w.warn(err.Error())
		return nil
	}
	w.warned = ""
	if r.Added+r.Changed+r.Moved+r.Deleted+r.Embedded == 0 {
		return nil
	}
	return w.a.printReport(w.e.st.Name(), &r, false)
}

func (w *watcher) sync(ctx context.Context) (index.Report, error) {
	w.e.st.CommitDue(ctx)
	return w.e.ix.Sync(ctx, w.e.st, index.SyncOptions{Confirm: quietTime})
}

// warn says what is wrong, once as long as it stays so.
func (w *watcher) warn(text string) {
	if text != w.warned {
		w.a.warn("%s", plain(text))
	}
	w.warned = text
}

// listenLess notes that events do not tell everything, and says so once.
func (w *watcher) listenLess(why string) {
	if w.deaf == "" {
		w.a.warn("changes in %s may go unheard and are looked for every %s: %s", plain(w.dir), poll, plain(why))
	}
	w.deaf = why
}

// attend watches the brain's folder, anew when it is not the one that was watched: a
// folder that was removed takes its watches along.
func (w *watcher) attend() {
	now, err := os.Stat(w.dir)
	switch {
	case err != nil:
		w.top = nil
	case w.top == nil || !os.SameFile(w.top, now):
		w.top = now
		w.below(w.dir)
		if d, err := diskOf(w.dir); err == nil && networkDisk(d.kind) {
			w.listenLess("it lies on a network disk (" + d.kind + ")")
		}
	}
}

// awaitChange returns when the tree has changed and then been quiet, or when it is time.
func (w *watcher) awaitChange(ctx context.Context) error {
	tick := time.NewTimer(w.pause())
	defer tick.Stop()
	var quiet, limit <-chan time.Time
	var events chan fsnotify.Event
	var faults chan error
	if w.notify != nil {
		events, faults = w.notify.Events, w.notify.Errors
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case ev, ok := <-events:
			if !ok {
				return errors.New("watch: the system stopped telling changes")
			}
			if !w.relevant(ev) {
				continue
			}
			quiet = time.After(quietTime)
			if limit == nil {
				limit = time.After(patience)
			}
		case err := <-faults:
			w.missed(err)
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

func (w *watcher) pause() time.Duration {
	if w.deaf != "" || w.top == nil || w.soon {
		return poll
	}
	return beat
}

// missed deals with events that were lost: folders may have come among them, so that all
// are watched anew, and the look that follows finds the rest.
func (w *watcher) missed(err error) {
	if !errors.Is(err, fsnotify.ErrEventOverflow) {
		w.warn("watch: " + err.Error())
	}
	w.top = nil
}

// relevant reports whether an event may concern a page; new folders are watched too. The
// brain's own folder loses its watch when it goes, and may be back before anybody looks.
func (w *watcher) relevant(ev fsnotify.Event) bool {
	name := filepath.Base(ev.Name)
	if ev.Name == w.dir && (ev.Has(fsnotify.Rename) || ev.Has(fsnotify.Remove)) {
		w.top = nil
		return true
	}
	if ev.Op == fsnotify.Chmod || strings.HasPrefix(name, ".") && !pageLike(name) {
		return false
	}
	if !ev.Has(fsnotify.Create) {
		return pageLike(name) || !ev.Has(fsnotify.Write) // what is gone may have been a folder
	}
	info, err := os.Lstat(ev.Name)
	if err == nil && info.IsDir() {
		w.below(ev.Name)
		return true
	}
	return pageLike(name)
}

// pageLike reports whether a file of that name can be a page, or decides what is one.
func pageLike(name string) bool {
	return strings.HasSuffix(strings.ToLower(name), ".md") || name == page.SessionFile || name == ".brainignore" || name == "brain.yml"
}

// below watches a folder and those below it, but for dot folders.
func (w *watcher) below(dir string) {
	if w.notify == nil {
		return
	}
	failed := 0
	var first error
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return nil
		case path != dir && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		}
		if err := w.notify.Add(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed++
			if first == nil {
				first = err
			}
		}
		return nil
	})
	if err = errors.Join(err, first); err != nil {
		w.listenLess(fmt.Sprintf("%s cannot be watched: %v", count(max(1, failed), "folder"), err))
	}
}
