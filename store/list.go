package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"brain/page"
)

// A walk opens each folder below its parent's handle, without following links,
// reads all its names, stats only what may be a page, and sorts as it goes: a
// folder sorts as its name with "/", so that descending in that order yields
// paths in byte order and no sort of the whole list is needed. That is about
// 2.6 µs a file, which is the kernel's price for a stat. fs.WalkDir plus Info
// costs a third more, since it resolves every path from the top.

// Reasons in Listing.Skipped. A skipped folder counts once, whatever it holds.
// brain's own files (brain.yml, memory.yml, .brainignore, .txn, .brain) do not
// count.
const (
	SkipDotFolder   = "dot-folder"
	SkipNodeModules = "node_modules"
	SkipIgnored     = "ignored"      // named by a .brainignore
	SkipNotMarkdown = "not-markdown" // attachments and all else
	SkipSidecar     = "sidecar"      // *.overview.md, _overview.md
	SkipTooLarge    = "too-large"    // above MaxFile, or MaxSession
	SkipSymlink     = "symlink"      // file or folder, wherever it points
	SkipSpecial     = "special"      // fifo, socket, device
	SkipBadName     = "bad-name"     // control characters, invalid UTF-8
	SkipOtherBrain  = "other-brain"  // a folder with its own brain.yml
	SkipTooDeep     = "too-deep"     // below maxDepth folders
)

// maxDepth bounds the folder handles that a walk holds open.
const maxDepth = 128

// maxSize is the size above which the file of a path is no page.
func maxSize(p page.Path) int64 {
	if p.IsSession() {
		return MaxSession
	}
	return MaxFile
}

// List looks at the whole tree once and returns its pages in byte order of
// their paths. A page is a regular file whose name ends in .md (any case), at
// most MaxFile bytes long, and not skipped for one of the Skip reasons; or the
// turns of a session, at most MaxSession long. Folders named build, target, dist
// or vendor are notes like any others.
//
// A file or folder that could not be read is in Unreadable, and the listing is
// still good for the rest: callers must keep what they know of anything at or
// below those paths. A folder whose .brainignore cannot be read counts as
// unreadable, since what it hides is unknown. When the brain's own folder fails,
// Unreadable is [""] and the error, which wraps ErrUnreadable, says why: no
// caller can take it for an empty brain. So it is when the folder turned empty
// and lost its brain.yml since Open, as it does when a disk is unmounted. What
// vanishes during the walk is left out; what a write of several files changes
// during it is in InFlight (epoch.go).
func (st *Store) List(ctx context.Context) (page.Listing, error) {
	w := walk{ctx: ctx, out: page.Listing{Skipped: map[string]int{}}}
	err := st.between(&w.out, func() error { return w.brain(st) })
	if ctx.Err() != nil {
		return w.out, errContext(ctx, "list brain "+st.name)
	}
	if err != nil {
		w.out.Files, w.out.Unreadable = nil, []string{""}
		return w.out, err
	}
	slices.Sort(w.out.Unreadable)
	return w.out, nil
}

func (w *walk) brain(st *Store) error {
	root, err := st.current()
	if err != nil {
		return err
	}
	top, err := openTop(root)
	if err != nil {
		return st.unreadable(err)
	}
	defer top.close()
	if err := w.folder(top, "", nil, 0); err != nil {
		return st.unreadable(err)
	}
	return w.mounted(st, root)
}

// mounted tells an empty folder of a disk that is away from an empty brain.
func (w *walk) mounted(st *Store, root *os.Root) error {
	if len(w.out.Files) > 0 || st.Meta().ID == "" {
		return nil
	}
	if _, err := root.Lstat(brainFile); errors.Is(err, fs.ErrNotExist) {
		return st.unreadable(fmt.Errorf("it is empty and its %s is gone: is a disk not mounted?", brainFile))
	}
	return nil
}

type kind uint8

const (
	unknown kind = iota
	file
	dir
	link
	special
)

// entry is one name in a folder. A folder's path ends in "/": it is at once its
// sort key and the prefix of all below it.
type entry struct {
	path string
	kind kind
}

// info is what one stat tells.
type info struct {
	kind         kind
	size         int64
	mtime, ctime int64 // ns
	inode        uint64
}

type walk struct {
	ctx    context.Context
	out    page.Listing
	free   [][]entry // entry lists of finished folders, for the next ones
	beside int       // folders entered and .brainignore files met
	wanted []string  // reasons of which the names are kept, too (Passed)
	passed []Skip
}

// skip counts an entry that is passed over.
func (w *walk) skip(e entry, reason string) {
	w.out.Skipped[reason]++
	if !slices.Contains(w.wanted, reason) {
		return
	}
	if e.kind == dir && !strings.HasSuffix(e.path, "/") {
		e.path += "/"
	}
	w.passed = append(w.passed, Skip{e.path, reason})
}

func (w *walk) unreadable(path string) {
	w.out.Unreadable = append(w.out.Unreadable, strings.TrimSuffix(path, "/"))
}

// folder lists one open folder and all below it. Its error is about this folder
// alone; below the top it has been recorded by the caller.
func (w *walk) folder(d folder, prefix string, ig *ignores, depth int) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	entries, err := d.entries(prefix, w.take())
	defer func() { w.free = append(w.free, entries[:0]) }()
	if err != nil {
		return err
	}
	if depth > 0 && slices.ContainsFunc(entries, func(e entry) bool { return e.path[len(prefix):] == brainFile }) {
		w.skip(entry{prefix, dir}, SkipOtherBrain)
		return nil
	}
	entries = w.keep(d, prefix, entries)
	if ig, err = loadIgnores(d, prefix, entries, ig); err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.path, b.path) })
	for _, e := range entries {
		w.one(d, prefix, e, ig, depth)
	}
	return w.ctx.Err()
}

// one takes in one entry of a folder, with all below it.
func (w *walk) one(d folder, prefix string, e entry, ig *ignores, depth int) {
	switch {
	case e.path[len(prefix):] == ignoreFile:
		w.beside++
	case ig.match(strings.TrimSuffix(e.path, "/"), e.kind == dir):
		w.skip(e, SkipIgnored)
	case e.kind == dir:
		w.beside++
		w.descend(d, prefix, e, ig, depth+1)
	default:
		w.file(d, prefix, e)
	}
}

func (w *walk) take() []entry {
	if n := len(w.free); n > 0 {
		s := w.free[n-1]
		w.free = w.free[:n-1]
		return s
	}
	return make([]entry, 0, 256)
}

// keep drops, and counts, the entries that their name or kind rules out, and
// asks for the kind where the folder did not tell it.
func (w *walk) keep(d folder, prefix string, entries []entry) []entry {
	kept := entries[:0]
	for _, e := range entries {
		name := e.path[len(prefix):]
		if e.kind == unknown {
			in, err := d.stat(name)
			if err != nil {
				w.failed(e.path, err)
				continue
			}
			e.kind = in.kind
		}
		if own(prefix, name) || e.kind == file && (name == ignoreFile || isOwn(e.path) && !isSidecar(name)) {
			if name == ignoreFile {
				kept = append(kept, e)
			}
			continue
		}
		if reason := skipReason(name, e.kind); reason != "" {
			w.skip(e, reason)
			continue
		}
		if e.kind == dir {
			e.path += "/"
		}
		kept = append(kept, e)
	}
	return kept
}

// own reports brain's own entries at the top of a brain, beside its sessions and
// beside the turns of one.
func own(prefix, name string) bool {
	switch prefix {
	case "":
		return name == brainFile || name == rootFile || name == txnDir || name == stateDir
	case "sessions/":
		return name == ".gitignore" || name == "fences.json"
	}
	return strings.HasSuffix(name, ".json") && page.Path(prefix+page.SessionFile).IsSession()
}

// skipReason says why an entry of this name and kind is no page and no folder
// of pages, or "".
func skipReason(name string, k kind) string {
	switch {
	case k == link:
		return SkipSymlink
	case k == special:
		return SkipSpecial
	case name[0] == '.' && k == dir:
		return SkipDotFolder
	case k == dir && name == "node_modules":
		return SkipNodeModules
	case k == file && !isMarkdown(name) && name != page.SessionFile:
		return SkipNotMarkdown
	case k == file && isSidecar(name):
		return SkipSidecar
	case badName(name, k):
		return SkipBadName
	}
	return ""
}

func isMarkdown(name string) bool {
	return len(name) > 3 && strings.EqualFold(name[len(name)-3:], ".md")
}

func isSidecar(name string) bool {
	return name == overviewFile || strings.HasSuffix(name, ".overview.md")
}

// badName rules out names that no page.Path could carry. A file's whole path is
// parsed when the walk comes to it, so here only folders are.
func badName(name string, k kind) bool {
	if hasControl(name) || !utf8.ValidString(name) {
		return true
	}
	if k != dir {
		return false
	}
	_, err := page.ParsePath(name + "/x.md")
	return err != nil
}

func (w *walk) descend(parent folder, prefix string, e entry, ig *ignores, depth int) {
	if depth > maxDepth {
		w.skip(e, SkipTooDeep)
		return
	}
	d, err := parent.open(strings.TrimSuffix(e.path[len(prefix):], "/"))
	if err != nil {
		w.failed(e.path, err)
		return
	}
	defer d.close()
	if err := w.folder(d, e.path, ig, depth); err != nil && w.ctx.Err() == nil {
		w.failed(e.path, err)
	}
}

func (w *walk) file(d folder, prefix string, e entry) {
	p, err := page.ParsePath(e.path)
	switch {
	case err != nil && path.Base(e.path) == page.SessionFile:
		w.skip(e, SkipNotMarkdown) // not in a session's folder
		return
	case err != nil:
		w.skip(e, SkipBadName)
		return
	}
	in, err := d.stat(e.path[len(prefix):])
	if err != nil {
		w.failed(e.path, err)
		return
	}
	switch {
	case in.kind != file:
		w.skip(e, skipReason(e.path[len(prefix):], in.kind)) // swapped since its name was read
	case in.size > maxSize(p):
		w.skip(e, SkipTooLarge)
	default:
		w.out.Files = append(w.out.Files, page.File{
			Path: p, Size: in.size, Mtime: in.mtime, Ctime: in.ctime, Inode: in.inode,
		})
	}
}

// failed sorts a failure: vanished is fine, swapped for a link is a link, all
// else means that we do not know what is there.
func (w *walk) failed(path string, err error) {
	switch {
	case errors.Is(err, fs.ErrNotExist) || isNotDir(err):
	case isLoop(err):
		w.skip(entry{path, link}, SkipSymlink)
	default:
		w.unreadable(path)
	}
}

// loadIgnores puts the folder's own .brainignore, if any, on top of those above.
func loadIgnores(d folder, prefix string, entries []entry, up *ignores) (*ignores, error) {
	for _, e := range entries {
		if e.path[len(prefix):] != ignoreFile {
			continue
		}
		raw, err := d.readFile(ignoreFile, maxIgnore)
		if errors.Is(err, fs.ErrNotExist) {
			return up, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", e.path, err)
		}
		return parseIgnores(raw, prefix, up), nil
	}
	return up, nil
}
