//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"brain/index"
	"brain/page"
)

// watched is a brain with a watcher beside it, the real program.
type watched struct {
	t     *testing.T
	dir   string // of the brain
	ix    *index.Index
	out   output
	child *exec.Cmd
}

// output may be read while it is written.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

func watchBrain(t *testing.T, pages map[string]string) *watched {
	t.Helper()
	root := t.TempDir()
	w := &watched{t: t, dir: filepath.Join(root, "brains", "default")}
	ok(t, os.MkdirAll(w.dir, 0o755))
	ok(t, os.WriteFile(filepath.Join(root, "memory.yml"), nil, 0o644))
	for p, text := range pages {
		w.save(p, text)
	}
	w.child = exec.Command("brain", "sync", "--watch")
	w.child.Dir, w.child.Stdout, w.child.Stderr = root, &w.out, &w.out
	ok(t, w.child.Start())
	t.Cleanup(func() {
		ok(t, w.child.Process.Signal(os.Interrupt))
		if err := w.child.Wait(); err == nil || t.Failed() {
			t.Logf("watcher: %v\n%s", err, w.out.String())
		}
	})
	w.until("the watch", func() bool { return strings.Contains(w.out.String(), "watching") })
	ix, err := index.Open(index.Options{Dir: filepath.Join(root, ".brain", "index", "default")})
	ok(t, err)
	w.ix = ix
	t.Cleanup(func() { ok(t, ix.Close()) })
	return w
}

func (w *watched) file(p string) string { return filepath.Join(w.dir, filepath.FromSlash(p)) }

func (w *watched) save(p, text string) {
	w.t.Helper()
	ok(w.t, os.MkdirAll(filepath.Dir(w.file(p)), 0o755))
	ok(w.t, os.WriteFile(w.file(p), []byte(text), 0o644))
}

// until waits, long enough for a busy machine, until something holds.
func (w *watched) until(what string, holds func() bool) {
	w.t.Helper()
	for range 3000 {
		if holds() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	w.t.Fatalf("waited in vain for %s; the watcher said:\n%s", what, w.out.String())
}

// has reports whether the index holds exactly this text of a page; "" is no page.
func (w *watched) has(p, text string) bool {
	w.t.Helper()
	v, err := w.ix.View()
	ok(w.t, err)
	defer func() { ok(w.t, v.Release()) }()
	row, found := v.Lookup(page.Path(p))
	if !found {
		return text == ""
	}
	return v.Page(row).Hash == page.Parse(page.Path(p), []byte(text)).Hash()
}

func (w *watched) untilHas(p, text string) {
	w.t.Helper()
	w.until(fmt.Sprintf("%s to be %q", p, text), func() bool { return w.has(p, text) })
}

// reports counts the syncs that took something in.
func (w *watched) reports() int {
	return strings.Count(w.out.String(), " added, ")
}

// The ways in which programs save a page. Each gives false when the machine was so
// busy that the pieces of the save lay further apart than a watcher waits.
var saves = map[string]func(w *watched, p, text string) error{
	"over a rename": func(w *watched, p, text string) error {
		temp := w.file(".#" + p + ".tmp")
		return errors.Join(os.WriteFile(temp, []byte(text), 0o644), os.Rename(temp, w.file(p)))
	},
	"through a backup": func(w *watched, p, text string) error {
		return errors.Join(os.Rename(w.file(p), w.file(p+"~")), os.WriteFile(w.file(p), []byte(text), 0o644), os.Remove(w.file(p+"~")))
	},
	"emptied first": func(w *watched, p, text string) error {
		err := os.Truncate(w.file(p), 0)
		time.Sleep(30 * time.Millisecond)
		return errors.Join(err, os.WriteFile(w.file(p), []byte(text), 0o644))
	},
	"deleted first": func(w *watched, p, text string) error {
		err := os.Remove(w.file(p))
		time.Sleep(30 * time.Millisecond)
		return errors.Join(err, os.WriteFile(w.file(p), []byte(text), 0o644))
	},
	"twice": func(w *watched, p, text string) error {
		err := os.WriteFile(w.file(p), []byte("half of it"), 0o644)
		time.Sleep(30 * time.Millisecond)
		return errors.Join(err, os.WriteFile(w.file(p), []byte(text), 0o644))
	},
}

// A page is saved in every way that programs have, at every distance from the looks of
// a watcher: each save is one re-index, and no generation is without the page.
func TestWatchSavesAreOneSyncAndNeverHideThePage(t *testing.T) {
	w := watchBrain(t, map[string]string{"笔记.md": "first\n", "other.md": "other\n"})
	var done, slow atomic.Bool
	var group sync.WaitGroup
	group.Go(func() {
		for !done.Load() {
			if w.has("笔记.md", "") || w.has("笔记.md", "\n") {
				if !slow.Load() {
					t.Errorf("a generation is without the page")
				}
				return
			}
			time.Sleep(3 * time.Millisecond)
		}
	})
	n := 0
	for way, save := range saves {
		for range 2 {
			n++
			before := w.reports()
			text := fmt.Sprintf("saved %s, number %d\n", way, n)
			start := time.Now()
			ok(t, save(w, "笔记.md", text))
			late := time.Since(start) > quietTime/2
			slow.CompareAndSwap(false, late)
			w.untilHas("笔记.md", text)
			w.until("its report", func() bool { return w.reports() > before })
			late = late || time.Since(start) > 4*quietTime // the watcher, too, waited for the machine
			if got := w.reports() - before; got != 1 && !late {
				t.Errorf("%s: %d syncs of one save\n%s", way, got, w.out.String())
			}
		}
	}
	// Saves while looks are under way: another page changes all the time.
	for i := range 40 {
		w.save("other.md", fmt.Sprintf("other %d\n", i))
		time.Sleep(time.Duration(i%8) * 60 * time.Millisecond)
		start := time.Now()
		ok(t, saves[[]string{"deleted first", "emptied first", "through a backup"}[i%3]](w, "笔记.md", fmt.Sprintf("again %d\n", i)))
		slow.CompareAndSwap(false, time.Since(start) > quietTime/2)
	}
	w.untilHas("笔记.md", "again 39\n")
	done.Store(true)
	group.Wait()
}

// A page that is deleted leaves the index; one that moves is never in two places, nor in none.
func TestWatchTakesDeletionsAndMoves(t *testing.T) {
	w := watchBrain(t, map[string]string{"a.md": "amber\n", "b.md": "basalt\n"})
	ok(t, os.Remove(w.file("a.md")))
	w.untilHas("a.md", "")
	var done atomic.Bool
	var group sync.WaitGroup
	group.Go(func() {
		for !done.Load() {
			v, err := w.ix.View()
			ok(t, err)
			if v.Len() != 1 {
				t.Errorf("%d pages while one moves", v.Len())
				done.Store(true)
			}
			ok(t, v.Release())
		}
	})
	for i := range 4 {
		from, to := []string{"b.md", "sub/b.md"}[i%2], []string{"sub/b.md", "b.md"}[i%2]
		ok(t, os.MkdirAll(w.file("sub"), 0o755))
		ok(t, os.Rename(w.file(from), w.file(to)))
		w.untilHas(to, "basalt\n")
	}
	done.Store(true)
	group.Wait()
}

// Folders that appear at once with what they hold, however deep.
func TestWatchSeesFoldersThatAppear(t *testing.T) {
	w := watchBrain(t, map[string]string{"a.md": "amber\n"})
	for i := range 5 {
		deep := fmt.Sprintf("new%d/二/three/four", i)
		w.save(deep+"/page.md", "first\n")
		w.save(fmt.Sprintf("new%d/page.md", i), "first\n")
		w.untilHas(deep+"/page.md", "first\n")
		w.untilHas(fmt.Sprintf("new%d/page.md", i), "first\n")
		w.save(deep+"/page.md", "changed\n")
		w.untilHas(deep+"/page.md", "changed\n")
	}
	ok(t, os.RemoveAll(w.file("new0")))
	w.untilHas("new0/二/three/four/page.md", "")
}

// A brain whose folder goes away keeps its pages, and is heard of again when it is back.
func TestWatchOutlivesTheBrainsFolder(t *testing.T) {
	w := watchBrain(t, map[string]string{"brain.yml": "id: x\n", "a.md": "amber\n", "b.md": "basalt\n"})
	ok(t, os.Rename(w.dir, w.dir+".away"))
	w.until("a word about it", func() bool { return strings.Contains(w.out.String(), "cannot be read") })
	if !w.has("a.md", "amber\n") {
		t.Error("a page was lost while its folder was away")
	}
	ok(t, os.Rename(w.dir+".away", w.dir))
	w.save("sub/c.md", "cobalt\n")
	w.untilHas("sub/c.md", "cobalt\n")
	w.save("sub/c.md", "cobalt of another kind\n")
	w.untilHas("sub/c.md", "cobalt of another kind\n")
	// Removed for good and made anew: the pages are those of the new one.
	ok(t, os.RemoveAll(w.dir))
	time.Sleep(2 * quietTime)
	if !w.has("a.md", "amber\n") {
		t.Error("a page was lost with its folder")
	}
	w.save("brain.yml", "id: x\n")
	w.save("d.md", "dolomite\n")
	w.untilHas("d.md", "dolomite\n")
	w.untilHas("a.md", "")
	w.save("d.md", "dolomite again\n")
	w.untilHas("d.md", "dolomite again\n")
	if n := strings.Count(w.out.String(), "cannot be read"); n > 4 {
		t.Errorf("said %d times that the folder is away:\n%s", n, w.out.String())
	}
}

// A brain's folder that is back before the watcher looks is watched as before.
func TestWatchSeesAFolderThatIsBackAtOnce(t *testing.T) {
	w := watchBrain(t, map[string]string{"brain.yml": "id: x\n", "a.md": "amber\n"})
	for i, again := range []func(){
		func() { ok(t, errors.Join(os.Rename(w.dir, w.dir+".away"), os.Rename(w.dir+".away", w.dir))) },
		func() { ok(t, os.RemoveAll(w.dir)); w.save("brain.yml", "id: x\n") },
	} {
		again()
		page := fmt.Sprintf("sub/%d.md", i)
		w.save(page, "basalt\n")
		w.untilHas(page, "basalt\n")
		w.save(page, "basalt of another kind\n")
		w.untilHas(page, "basalt of another kind\n")
	}
}

// More events than the system keeps: what they told is found by looking, and folders
// that came among them are watched from then on.
func TestWatchThatMissedEvents(t *testing.T) {
	w := watchBrain(t, map[string]string{"a.md": "amber\n"})
	ok(t, w.child.Process.Signal(syscall.SIGSTOP))
	for i := range 17000 {
		name := w.file(fmt.Sprintf("x%d", i%2))
		ok(t, os.WriteFile(name, nil, 0o644))
		ok(t, os.Remove(name))
	}
	w.save("lost/in/it.md", "amber\n")
	ok(t, w.child.Process.Signal(syscall.SIGCONT))
	w.untilHas("lost/in/it.md", "amber\n")
	w.save("lost/in/it.md", "basalt\n")
	w.untilHas("lost/in/it.md", "basalt\n")
}

// Where the system has no more watches, changes are found by looking every few seconds,
// and that is said once.
func TestWatchWithoutWatches(t *testing.T) {
	const script = `echo %s > /proc/sys/user/max_inotify_%s && exec brain sync --watch`
	if out, err := exec.Command("unshare", "-Ur", "sh", "-c", "echo 2 > /proc/sys/user/max_inotify_watches").CombinedOutput(); err != nil {
		t.Skipf("no user namespace to lower the limit in: %v %s", err, out)
	}
	for _, limit := range [][2]any{{"2", "watches"}, {"0", "instances"}} {
		root := t.TempDir()
		w := &watched{t: t, dir: filepath.Join(root, "brains", "default")}
		ok(t, os.MkdirAll(w.dir, 0o755))
		ok(t, os.WriteFile(filepath.Join(root, "memory.yml"), nil, 0o644))
		for i := range 5 {
			w.save(fmt.Sprintf("f%d/p.md", i), "amber\n")
		}
		w.child = exec.Command("unshare", "-Ur", "sh", "-c", fmt.Sprintf(script, limit[0], limit[1]))
		w.child.Dir, w.child.Stdout, w.child.Stderr = root, &w.out, &w.out
		ok(t, w.child.Start())
		w.until("the watch", func() bool { return strings.Contains(w.out.String(), "watching") })
		ix, err := index.Open(index.Options{Dir: filepath.Join(root, ".brain", "index", "default")})
		ok(t, err)
		w.ix = ix
		for i := range 5 {
			w.save(fmt.Sprintf("f%d/p.md", i), "basalt\n")
		}
		for i := range 5 {
			w.untilHas(fmt.Sprintf("f%d/p.md", i), "basalt\n")
		}
		if n := strings.Count(w.out.String(), "looked for every"); n != 1 {
			t.Errorf("said %d times that changes may go unheard:\n%s", n, w.out.String())
		}
		ok(t, w.child.Process.Signal(os.Interrupt))
		_ = w.child.Wait()
		ok(t, ix.Close())
	}
}

// What brain itself writes, and what is no page, is no reason to look.
func TestWatchEventsThatConcernNoPage(t *testing.T) {
	dir := t.TempDir()
	for _, p := range []string{"a.md", ".md", "sub/x.md", "photo.png", "a.md.swp", "4913", ".txn/LOCK", ".brain/index/default/CURRENT", ".git/HEAD", ".#a.md", "sub/.brainignore", "node_modules/p.md",
		"sessions/2026-01/s/messages.jsonl", "sessions/2026-01/s/meta.json"} {
		ok(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, p)), 0o755))
		ok(t, os.WriteFile(filepath.Join(dir, p), nil, 0o644))
	}
	notify, err := fsnotify.NewWatcher()
	ok(t, err)
	defer notify.Close()
	w := &watcher{notify: notify}
	w.below(dir)
	for _, p := range notify.WatchList() {
		if rel, err := filepath.Rel(dir, p); err != nil || strings.HasPrefix(rel, ".") && rel != "." || strings.Contains(rel, "node_modules") {
			t.Errorf("%s is watched", p)
		}
	}
	for _, c := range []struct {
		path string
		op   fsnotify.Op
		want bool
	}{
		{"a.md", fsnotify.Write, true}, {"a.md", fsnotify.Create, true}, {"a.md", fsnotify.Remove, true}, {"a.md", fsnotify.Rename, true},
		{"a.md", fsnotify.Chmod, false}, {"A.MD", fsnotify.Write, true}, {".md", fsnotify.Write, true}, {".#a.md", fsnotify.Create, true},
		{"photo.png", fsnotify.Write, false}, {"photo.png", fsnotify.Create, false}, {"4913", fsnotify.Create, false}, {"a.md.swp", fsnotify.Write, false},
		{"gone", fsnotify.Remove, true}, {"gone", fsnotify.Rename, true}, {"sub", fsnotify.Create, true},
		{".txn", fsnotify.Create, false}, {".brain", fsnotify.Create, false}, {".git", fsnotify.Remove, false}, {"sub/.brainignore", fsnotify.Write, true},
		{"sessions/2026-01/s/messages.jsonl", fsnotify.Write, true}, {"sessions/2026-01/s/meta.json", fsnotify.Write, false},
	} {
		if got := w.relevant(fsnotify.Event{Name: filepath.Join(dir, c.path), Op: c.op}); got != c.want {
			t.Errorf("%s %s: %v", c.op, c.path, got)
		}
	}
}
