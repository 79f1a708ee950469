package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// snapshot is what one pass sees of the brain: all of it at one moment, under
// the tree's lock, so that no update is half in it. Paths are within the work
// tree of the repository.
type snapshot struct {
	jobs []Job
	gone []string                        // dirty ids without a record
	disk map[string]diskFile             // each path that the jobs, or a sweep, name
	old  map[Hash]func() ([]byte, error) // bytes that jobs replaced
}

type diskFile struct {
	sum  Hash // "" is no file
	raw  []byte
	mode string
}

func (s *snapshot) paths() []string {
	var paths []string
	for p := range s.disk {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}

// bytes are those of a hash, from disk or from what jobs replaced.
func (s *snapshot) bytes(path string, h Hash) ([]byte, bool) {
	if f := s.disk[path]; f.sum == h {
		return f.raw, true
	}
	if read := s.old[h]; read != nil {
		raw, err := read()
		return raw, err == nil
	}
	return nil, false
}

func (s *snapshot) mode(path string) string {
	if f := s.disk[path]; f.mode != "" {
		return f.mode
	}
	return "100644"
}

// snapshot reads the dirty jobs and the files they name, and those swept.
func (st *Store) snapshot(ctx context.Context, g *repository, swept []string) (s *snapshot, err error) {
	root, err := st.writable()
	if errors.Is(err, ErrReadOnly) {
		return nil, &skipped{err.Error()}
	}
	if err != nil {
		return nil, err
	}
	unlock, err := st.lock(ctx, root, "ledger")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := st.settle(st.disk(root)); err != nil {
		return nil, err
	}
	top, err := os.OpenRoot(g.top)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	s = &snapshot{disk: map[string]diskFile{}, old: map[Hash]func() ([]byte, error){}}
	for _, p := range swept {
		if err := s.see(top, p); err != nil {
			return nil, err
		}
	}
	return s, s.addDirty(st, g, top)
}

func (s *snapshot) addDirty(st *Store, g *repository, top *os.Root) error {
	ids, err := st.undo.dirtyIDs()
	if err != nil {
		return err
	}
	for _, id := range ids {
		j, err := st.undo.read(id)
		switch {
		case errors.Is(err, ErrNoJob):
			s.gone = append(s.gone, id)
			continue
		case err == nil:
			err = s.add(st, g, top, j)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add takes in a job.
func (s *snapshot) add(st *Store, g *repository, top *os.Root, j *Job) error {
	var kept []Change
	for _, c := range j.Changes {
		if inSessions(c.Path) && !st.Ledger.Sessions {
			continue
		}
		if c.Image != "" {
			s.old[c.Before] = func() ([]byte, error) { return st.undo.bytes(j.ID, c) }
		}
		c.Path = g.prefix + c.Path
		if err := s.see(top, c.Path); err != nil {
			return err
		}
		kept = append(kept, c)
	}
	j.Changes = kept
	s.jobs = append(s.jobs, *j)
	return nil
}

func inSessions(path string) bool { return strings.HasPrefix(path, "sessions/") }

// see reads the file at a path as it is now.
func (s *snapshot) see(top *os.Root, path string) error {
	if _, ok := s.disk[path]; ok {
		return nil
	}
	f := diskFile{mode: "100644"}
	raw, err := readRegular(top, path)
	switch {
	case err == nil:
		f.sum, f.raw = HashOf(raw), raw
		if fi, err := top.Lstat(path); err == nil && fi.Mode().Perm()&0o100 != 0 {
			f.mode = "100755"
		}
	case ignoreNotFound(notFound(err)) == nil, errors.Is(err, ErrNotPage):
		// Nothing, or a folder or link in its place: the file is gone.
	default:
		return &skipped{fmt.Sprintf("%s cannot be read: %v", path, err)}
	}
	s.disk[path] = f
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
