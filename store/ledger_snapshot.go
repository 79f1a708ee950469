package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// snapshot is what one pass sees of the brain. The bytes stay where they are until
// they are written into git's stream, one file at a time: a pass may be for a
// hundred thousand pages. Paths are within the work tree of the repository.
type snapshot struct {
	jobs     []Job
	gone     []string                                       // dirty ids without a record
	settings map[string]bool                                // those of disk that are the brain's settings
	met      map[string]bool                                // the ids of both
	renewed  map[string]bool                                // paths that renewals change: small, and what they replace is nowhere else
	disk     map[string]diskFile                            // each path that the jobs, or a sweep, name
	open     func(path string) ([]byte, fs.FileMode, error) // reads a file as it is now
	old      map[Hash]func() ([]byte, error)                // bytes that jobs replaced
	oids     map[Hash]string                                // the objects that they would be, of those that were asked for
	name     func(raw []byte) string                        // of the object with these bytes
}

// diskFile is a file as it stood when it was looked at.
type diskFile struct {
	sum  Hash   // "" is no file
	oid  string // the object with its bytes
	mode string
}

// errChanged says that a file is no longer what the snapshot has seen.
var errChanged = errors.New("changed while the ledger read it")

func (s *snapshot) paths() []string {
	var paths []string
	for p := range s.disk {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}

// object is the name of the object that a content at a path would be; "" when its
// bytes cannot be had any more.
func (s *snapshot) object(path string, h Hash) string {
	if f := s.disk[path]; f.sum == h {
		return f.oid
	}
	oid, known := s.oids[h]
	if read := s.old[h]; read != nil && !known {
		if raw, err := read(); err == nil {
			oid = s.name(raw)
		}
		s.oids[h] = oid
	}
	return oid
}

// read are the bytes of a content at a path, from disk or from what jobs replaced.
// They were there when the plan was made; an error is errChanged.
func (s *snapshot) read(path string, h Hash) ([]byte, error) {
	if s.disk[path].sum == h {
		if raw, _, err := s.open(path); err == nil && HashOf(raw) == h {
			return raw, nil
		}
	}
	if read := s.old[h]; read != nil {
		if raw, err := read(); err == nil {
			return raw, nil
		}
	}
	return nil, fmt.Errorf("%w: %s %w", &skipped{"pages change while it reads them"}, path, errChanged)
}

func (s *snapshot) mode(path string) string {
	if f := s.disk[path]; f.mode != "" {
		return f.mode
	}
	return "100644"
}

// snapshot reads the dirty jobs and the files they name, and those swept. Only the
// list is read under the tree's lock: writers wait for a file of ids, not for the
// reading of all pages. An update has its line there before it touches a page, so
// the list is looked at again until it has nothing that was not met; what stands
// on disk then is as the last of the jobs left it, or a hand's.
func (st *Store) snapshot(ctx context.Context, g *repository, tree *folders, swept []string) (*snapshot, error) {
	root, err := st.writable()
	if errors.Is(err, ErrReadOnly) {
		return nil, &skipped{err.Error()}
	}
	if err != nil {
		return nil, err
	}
	s := &snapshot{
		settings: map[string]bool{}, met: map[string]bool{}, renewed: map[string]bool{}, disk: map[string]diskFile{},
		old: map[Hash]func() ([]byte, error){}, oids: map[Hash]string{}, name: g.oid,
		open: tree.read,
	}
	err = s.see(ctx, swept)
	for err == nil {
		var ids []string
		ids, err = st.listDirty(ctx, root)
		ids = slices.DeleteFunc(ids, func(id string) bool { return s.met[id] })
		if err != nil || len(ids) == 0 {
			break
		}
		err = s.take(ctx, st, g, ids)
	}
	return s, err
}

// listDirty reads the list when no update is under way.

func (st *Store) listDirty(ctx context.Context, root *os.Root) (ids []string, err error) {
	unlock, err := st.lock(ctx, root, "ledger")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := st.settle(st.disk(root)); err != nil {
		return nil, err
	}
	return st.undo.dirtyIDs()
}

// take takes in jobs and looks at their files.
func (s *snapshot) take(ctx context.Context, st *Store, g *repository, ids []string) error {
	var look []string
	for _, id := range ids {
		j, err := st.undo.read(id)
		switch {
		case errors.Is(err, ErrNoJob):
			s.gone = append(s.gone, id)
			if len(s.met) > 0 { // an update that was taken back: what it touched is not known
				look = append(look, s.paths()...)
			}
		case err != nil:
			return err
		default:
			look = append(look, s.add(st, g, j)...)
		}
	}
	for _, id := range ids {
		s.met[id] = true
	}
	return s.see(ctx, look)
}

// add takes in a job and returns the paths that it names.
func (s *snapshot) add(st *Store, g *repository, j *Job) (paths []string) {
	var kept []Change
	for _, c := range j.Changes {
		if inSessions(c.Path) && !st.Ledger.Sessions {
			continue
		}
		if c.Image != "" {
			of := c
			s.old[c.Before] = func() ([]byte, error) { return st.undo.bytes(j.ID, of) }
		}
		c.Path = g.prefix + c.Path
		s.renewed[c.Path] = s.renewed[c.Path] || c.Renewed
		paths, kept = append(paths, c.Path), append(kept, c)
	}
	j.Changes = kept
	s.jobs = append(s.jobs, *j)
	return paths
}

func inSessions(path string) bool { return strings.HasPrefix(path, "sessions/") }

// see looks at the files at paths as they are now.
func (s *snapshot) see(ctx context.Context, paths []string) error {
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		if err := tooLong(ctx, "reading"); err != nil {
			return err
		}
		f := diskFile{mode: "100644"}
		raw, mode, err := s.open(path)
		switch {
		case err == nil:
			f.sum, f.oid = HashOf(raw), s.name(raw)
			if s.renewed[path] {
				s.old[f.sum] = func() ([]byte, error) { return raw, nil }
			}
			if mode.Perm()&0o100 != 0 {
				f.mode = "100755"
			}
		case ignoreNotFound(notFound(err)) == nil, errors.Is(err, ErrNotPage):
			// Nothing, or a folder or link in its place: the file is gone.
		default:
			return &skipped{fmt.Sprintf("%s cannot be read: %v", path, err)}
		}
		s.disk[path] = f
	}
	return nil
}

// folders reads the files of a tree, of which most follow others in the same
// folder: it stays open, since each step of a path costs a call of the system.
type folders struct {
	top   *os.Root
	steps steps
	dir   string
	at    *os.Root // the folder dir, nil for none
}

func (f *folders) read(name string) ([]byte, fs.FileMode, error) {
	if err := f.steps.before("look", name); err != nil {
		return nil, 0, err
	}
	dir, base := path.Split(name)
	if dir == "" {
		return readWithMode(f.top, base)
	}
	if f.at == nil || f.dir != dir {
		at, err := f.top.OpenRoot(strings.TrimSuffix(dir, "/"))
		if err != nil {
			return nil, 0, err
		}
		f.close()
		f.at, f.dir = at, dir
	}
	return readWithMode(f.at, base)
}

func readWithMode(root *os.Root, name string) ([]byte, fs.FileMode, error) {
	raw, err := readRegular(root, name)
	if err != nil {
		return nil, 0, err
	}
	fi, err := root.Lstat(name)
	if err != nil {
		return nil, 0, err
	}
	return raw, fi.Mode(), nil
}

// close closes the folder that is open; nothing was written by it.
func (f *folders) close() {
	if f.at != nil {
		f.at.Close()
	}
}

// seeSettings looks at the settings. One that is not a file here, or cannot be
// read, is no reason to commit no page.
func (s *snapshot) seeSettings(ctx context.Context, names []string) error {
	for _, name := range names {
		err := s.see(ctx, []string{name})
		if late := tooLong(ctx, "reading"); late != nil {
			return late
		}
		s.settings[name] = err == nil
	}
	return nil
}

// handMade lists what a sweep takes in: in a repository that brain made, the
// text files of the brain, and of its root, that differ from the index.
func (st *Store) handMade(ctx context.Context, g *repository, want ledgerWant) ([]string, error) {
	if !want.sweep || !g.made() {
		return st.sessionFiles(g)
	}
	args := []string{"ls-files", "-z", "--others", "--modified", "--deleted", "--exclude-standard", "--"}
	if g.prefix != "" {
		args = append(args, strings.TrimSuffix(g.prefix, "/"))
		if rel, err := filepath.Rel(g.top, st.undo.root.Dir); err == nil && filepath.IsLocal(rel) {
			args = append(args, filepath.ToSlash(filepath.Join(rel, rootFile)), filepath.ToSlash(filepath.Join(rel, ".gitignore")))
		}
	}
	out, err := g.run(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range strings.SplitSeq(string(out), "\x00") {
		if st.ours(g, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// ours reports whether a sweep takes a file in: text, not hidden, of this brain.
func (st *Store) ours(g *repository, name string) bool {
	rel, inside := strings.CutPrefix(name, g.prefix)
	if !inside {
		return name != "" // memory.yml and .gitignore were asked for by name
	}
	for part := range strings.SplitSeq(rel, "/") {
		if strings.HasPrefix(part, ".") && part != ignoreFile && part != ".gitignore" {
			return false
		}
	}
	if inSessions(rel) && !st.Ledger.Sessions || strings.ContainsRune(name, '\n') {
		return false
	}
	switch strings.ToLower(filepath.Ext(rel)) {
	case ".md", ".markdown", ".yml", ".yaml", ".json", ".jsonl", ".brainignore", ".gitignore":
		fi, err := os.Lstat(filepath.Join(g.top, filepath.FromSlash(name)))
		return err != nil || fi.Size() <= MaxFile || inSessions(rel)
	}
	return false
}

// sessionFiles lists the sessions' files, if they are kept.
func (st *Store) sessionFiles(g *repository) ([]string, error) {
	if !st.Ledger.Sessions {
		return nil, nil
	}
	names, err := fs.Glob(os.DirFS(st.dir), "sessions/*/*/*.json*")
	for i := range names {
		names[i] = g.prefix + names[i]
	}
	return names, err
}
