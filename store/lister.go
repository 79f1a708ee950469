package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"brain/page"
)

// Lister lists one folder of a brain and all below it as List does, again and again.
// It looks into several folders at a time, since a stat waits for the kernel, and keeps
// what it saw: of a folder that says that no name came or went it asks only for the stat
// of each file: 0.9 µs a file on two cores instead of 1.7 (BenchmarkListIn10K).
// It is not for concurrent use, and its listings are only to be read.
type Lister struct {
	st    *Store
	at    string
	rest  time.Duration           // for how long a folder has to have been as it is
	known map[string]*knownFolder // by path
	parts int                     // entries of the folder at the last look
	files []page.File             // and what it saw

	passed []Skip // of the last look
}

// telling are the reasons for which something that bears a page's name is passed over.
// isFlat remembers no folder that holds one, so that each look tells of them.
var telling = []string{SkipSymlink, SkipSpecial, SkipTooLarge}

// Passed names the links, the special files and the files that are too large which the
// last look passed over, in byte order of their paths; also the folder itself or one
// above it, where that is a link.
func (l *Lister) Passed() []Skip { return slices.Clone(l.passed) }

// knownFolder is a folder without folders in it, as the last look saw it.
type knownFolder struct {
	info   info
	looked time.Time
	files  []page.File
	skips  map[string]int
}

// Racy is how coarse a file system's clock may be: a folder that changed so shortly
// before it was read may have changed once more in the same tick.
const Racy = 2 * time.Second

// Lister makes one for a folder, named as in a page.Path without / at its end.
func (st *Store) Lister(at string) *Lister { return &Lister{st: st, at: at, rest: Racy} }

// ListIn is List for one folder. One that is not there, or that List would not enter,
// holds no pages.
func (st *Store) ListIn(ctx context.Context, at string) (page.Listing, error) {
	return st.Lister(at).List(ctx)
}

// List looks.
func (l *Lister) List(ctx context.Context) (page.Listing, error) {
	what := fmt.Sprintf("list %s of brain %s", l.at, l.st.name)
	w := walk{ctx: ctx, out: page.Listing{Skipped: map[string]int{}}, wanted: telling}
	err := l.st.between(&w.out, func() error { return l.within(&w) })
	l.passed = w.passed
	slices.SortFunc(l.passed, func(a, b Skip) int { return strings.Compare(a.Path, b.Path) })
	switch {
	case ctx.Err() != nil:
		return w.out, errContext(ctx, what)
	case err != nil:
		w.out.Files, w.out.Unreadable = nil, []string{l.at}
		return w.out, fmt.Errorf("%s: %w", what, err)
	}
	slices.Sort(w.out.Unreadable)
	return w.out, nil
}

func (l *Lister) within(w *walk) error {
	root, err := l.st.current()
	if err != nil {
		return err
	}
	inside, err := page.ParsePath(l.at + "/x.md")
	if err != nil {
		return err
	}
	switch err := checkParents(root, inside); {
	case errors.Is(err, ErrNotPage):
		w.passed = append(w.passed, Skip{l.at, SkipSymlink})
		return w.mounted(l.st, root)
	case errors.Is(err, ErrNotFound):
		return w.mounted(l.st, root)
	case err != nil:
		return err
	}
	ig, reason, err := entered(root, l.at)
	if err != nil || reason != "" {
		return err
	}
	d, err := openTop(root)
	if err != nil {
		return l.st.unreadable(err)
	}
	for part := range strings.SplitSeq(l.at, "/") {
		next, err := d.open(part)
		d.close()
		if err != nil {
			return ignoreNotFound(notFound(err))
		}
		d = next
	}
	defer d.close()
	return l.wide(w, d, ig)
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

// wide lists the folder as walk.folder does, the folders in it side by side.
func (l *Lister) wide(w *walk, d folder, ig *ignores) error {
	prefix := l.at + "/"
	entries, err := d.entries(prefix, nil)
	if err != nil {
		return err
	}
	entries = w.keep(d, prefix, entries)
	if ig, err = loadIgnores(d, prefix, entries, ig); err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.path, b.path) })
	branches := make([]*branch, len(entries))
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(len(entries), 2*runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				branches[i] = l.branch(w.ctx, d, entries[i], ig)
			}
		})
	}
	for i := range entries {
		next <- i
	}
	close(next)
	wg.Wait()
	if err := w.ctx.Err(); err != nil {
		return err // what was seen is not all, and nothing to remember
	}
	l.join(w, branches)
	return nil
}

// branch is one entry of the folder with all below it.
type branch struct {
	walk
	folder string // to be known from now on, "" for none
	info   info
	looked time.Time
	same   bool // all of it is as the last look saw it
}

func (l *Lister) branch(ctx context.Context, d folder, e entry, ig *ignores) *branch {
	p := &branch{walk: walk{ctx: ctx, out: page.Listing{Skipped: map[string]int{}}, wanted: telling}, looked: time.Now()}
	prefix := l.at + "/"
	name := strings.TrimSuffix(e.path[len(prefix):], "/")
	if e.kind == dir && ig == nil {
		if in, err := d.stat(name); err == nil && in.kind == dir {
			p.folder, p.info = e.path, in
		}
		if l.again(p, d, name) {
			return p
		}
	}
	p.one(d, prefix, e, ig, strings.Count(prefix, "/"))
	return p
}

// again stats the files of a folder whose names are as they were; false when they may
// not be.
func (l *Lister) again(p *branch, d folder, name string) bool {
	k := l.known[p.folder]
	if k == nil || k.info != p.info {
		return false
	}
	in, err := d.open(name)
	if err != nil {
		return false
	}
	defer in.close()
	same, files := true, k.files
	for i, f := range k.files {
		now, err := in.stat(string(f.Path[len(p.folder):]))
		if err != nil || now.kind != file || now.size > maxSize(f.Path) {
			return false
		}
		is := page.File{Path: f.Path, Size: now.size, Mtime: now.mtime, Ctime: now.ctime, Inode: now.inode}
		if is == f {
			continue
		}
		if same {
			same, files = false, slices.Clone(k.files)
		}
		files[i] = is
	}
	p.out.Files, p.beside, p.same = files, 1, same
	for reason, n := range k.skips {
		p.out.Skipped[reason] = n
	}
	return true
}

// join puts the parts together, and remembers those that may be told by their stat.
// Where nothing differs from the last look, its list is given once more: a look that
// allocates what it looks at keeps the garbage collector as busy as the kernel.
func (l *Lister) join(w *walk, branches []*branch) {
	same, files := len(branches) == l.parts, 0
	for _, p := range branches {
		same, files = same && p.same, files+len(p.out.Files)
		w.out.Unreadable = append(w.out.Unreadable, p.out.Unreadable...)
		w.passed = append(w.passed, p.passed...)
		for reason, n := range p.out.Skipped {
			w.out.Skipped[reason] += n
		}
	}
	if same {
		w.out.Files = l.files
		return
	}
	known := make(map[string]*knownFolder, len(branches))
	w.out.Files = slices.Grow(w.out.Files, files)
	for _, p := range branches {
		w.out.Files = append(w.out.Files, p.out.Files...)
		if p.isFlat(l.rest) {
			known[p.folder] = &knownFolder{p.info, p.looked, p.out.Files, p.out.Skipped}
		}
	}
	l.known, l.parts, l.files = known, len(branches), w.out.Files
}

// isFlat reports whether a stat of the folder tells that its names are as they were: no
// folder lies in it and no rules, nothing was passed over that is more than a name, and
// it had been at rest when it was read.
func (p *branch) isFlat(rest time.Duration) bool {
	if p.folder == "" || p.beside > 1 || len(p.out.Unreadable) > 0 || max(p.info.mtime, p.info.ctime) > p.looked.Add(-rest).UnixNano() {
		return false
	}
	for reason := range p.out.Skipped {
		if reason != SkipNotMarkdown && reason != SkipSidecar && reason != SkipBadName {
			return false
		}
	}
	return true
}
