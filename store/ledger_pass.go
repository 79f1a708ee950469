package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
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

// ledgerPass makes the commits for what is dirty now and moves the ref to them.
func (st *Store) ledgerPass(ctx context.Context, g *repository, want ledgerWant, rep *LedgerReport) error {
	ref, err := st.ledgerRef(ctx, g)
	if err != nil {
		return err
	}
	t := &ledgerTarget{g: g, ref: ref, branch: ref != LedgerRef, own: st.Ledger.OwnFilters}
	rep.Ref = ref
	swept, err := st.handMade(ctx, g, want)
	if err != nil {
		return err
	}
	snap, err := st.snapshot(ctx, g, swept)
	if err != nil || len(snap.jobs)+len(snap.gone)+len(snap.disk) == 0 {
		return err
	}
	if err := t.look(ctx, snap); err != nil {
		return err
	}
	commits, err := st.compose(ctx, t, snap, want)
	if err != nil {
		return err
	}
	rep.Notes = append(rep.Notes, t.notes...)
	done := slices.Clone(snap.gone)
	for _, j := range snap.jobs {
		done = append(done, j.ID)
	}
	if len(commits) > 0 {
		if err := st.place(ctx, t, commits, done, rep); err != nil {
			return err
		}
	}
	rep.Jobs = len(done)
	if err := st.clean(ctx, done); err != nil {
		return err
	}
	return ignoreMissing(os.Remove(st.undo.intent()))
}

// ledgerRef is the ref that gets the commits.
func (st *Store) ledgerRef(ctx context.Context, g *repository) (string, error) {
	if g.made() || st.Ledger.Branch == LedgerCurrent {
		return g.branch(ctx)
	}
	return LedgerRef, nil
}

// place writes the commits, lets the index agree, and moves the ref, in this
// order: who dies on the way leaves an index that already has our files, and a
// commit that the user makes then keeps them.
func (st *Store) place(ctx context.Context, t *ledgerTarget, commits []gitCommit, done []string, rep *LedgerReport) error {
	oids, err := t.g.write(ctx, filepath.Join(st.undo.dir, "STREAM"), t.tip, commits)
	if err != nil {
		return err
	}
	last := map[string]gitFile{}
	for _, c := range commits {
		for _, f := range c.files {
			last[f.path] = f
		}
	}
	in := intent{Ref: t.ref, Commit: oids[len(oids)-1], Jobs: done}
	if t.branch {
		in.Index = map[string]string{}
		for p, f := range last {
			in.Index[p] = f.oid
		}
	}
	if err := st.undo.writeIntent(in); err != nil {
		return err
	}
	if t.branch {
		left, err := t.g.mirror(ctx, t.tip, inOrder(last))
		if err != nil {
			return err
		}
		for _, p := range left {
			rep.Notes = append(rep.Notes, fmt.Sprintf("%s is committed, but your index holds something else that you staged: it was left alone", p))
		}
	}
	if err := t.g.move(ctx, t.ref, in.Commit, t.tip, "brain: "+title(commits[len(commits)-1].message)); err != nil {
		return err
	}
	rep.Commits, rep.Files = oids, len(last)
	return nil
}

func inOrder(files map[string]gitFile) []gitFile {
	var all []gitFile
	for _, f := range files {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b gitFile) int { return strings.Compare(a.path, b.path) })
	return all
}

// title is the first line of a message.
func title(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	return line
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

// ledgerTarget is where the commits of a pass go, and what is there already.
type ledgerTarget struct {
	g      *repository
	ref    string
	branch bool
	own    bool // filters of the repository's configuration may run
	tip    string
	has    map[string]blob
	conv   *conversions // of a branch; a ref of our own keeps bytes as they are
	notes  []string
}

// look finds out what the ref has of the snapshot's paths; those that may not go
// to a branch are dropped from the snapshot.
func (t *ledgerTarget) look(ctx context.Context, s *snapshot) (err error) {
	if t.tip, t.has, err = t.g.look(ctx, t.ref, s.paths()); err != nil || !t.branch {
		return err
	}
	unknown := slices.DeleteFunc(s.paths(), func(p string) bool { return t.has[p].oid != "" })
	ignored, err := t.g.ignored(ctx, unknown)
	if err != nil {
		return err
	}
	for _, p := range unknown {
		if ignored[p] {
			delete(s.disk, p)
			t.notes = append(t.notes, p+" is not committed: an ignore file of git names it")
		}
	}
	for i, j := range s.jobs {
		s.jobs[i].Changes = slices.DeleteFunc(j.Changes, func(c Change) bool { return ignored[c.Path] })
	}
	t.conv, err = t.g.converting(ctx, s.paths(), t.own)
	return err
}

// file is the entry for content at a path.
func (t *ledgerTarget) file(ctx context.Context, path, mode string, raw []byte) (gitFile, error) {
	if t.conv != nil {
		return t.conv.file(ctx, path, mode, raw)
	}
	return gitFile{path: path, mode: mode, oid: t.g.oid(raw), raw: slices.Concat([]byte{}, raw)}, nil
}

// is reports whether the ref has this content at a path.
func (t *ledgerTarget) is(ctx context.Context, s *snapshot, path string, h Hash) (bool, error) {
	b := t.has[path]
	if h == "" || b.sum == h || t.conv == nil || b.oid == "" {
		return b.sum == h, nil
	}
	raw, ok := s.bytes(path, h)
	if !ok || !t.conv.changes(path, raw) {
		return false, nil
	}
	f, err := t.conv.file(ctx, path, "", raw)
	return f.oid == b.oid, err
}

// changedSince reports whether a path was committed later than at, to the second.
func (t *ledgerTarget) changedSince(ctx context.Context, path string, at time.Time) (bool, error) {
	if t.tip == "" {
		return false, nil
	}
	out, err := t.g.run(ctx, nil, "log", "-1", "--format=%ct", t.tip, "--", path)
	if err != nil {
		return false, err
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return err == nil && seconds > at.Unix(), nil // no line: it was never there
}

// compose turns the plan into commits, leaving out what changes nothing.
func (st *Store) compose(ctx context.Context, t *ledgerTarget, s *snapshot, want ledgerWant) ([]gitCommit, error) {
	plan, err := planLedger(s, t.g.prefix, st.Ledger.Mode == LedgerPerWrite, recorded{
		has:   func(p string, h Hash) (bool, error) { return t.is(ctx, s, p, h) },
		since: func(p string, at time.Time) (bool, error) { return t.changedSince(ctx, p, at) },
		wrote: st.wrote(t.g.prefix),
	})
	if err != nil {
		return nil, err
	}
	has := map[string]string{} // path → object, as of the commits so far
	for p, b := range t.has {
		has[p] = b.oid
	}
	var commits []gitCommit
	for _, v := range plan {
		files, err := t.files(ctx, s, v, has)
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			continue
		}
		if v.swept && want.reason != "" {
			v.hand, v.reason = false, want.reason
		}
		commits = append(commits, t.commit(v, files, st.Ledger.now()))
	}
	return commits, nil
}

// wrote tells whether any job that is known made a content at a path.
func (st *Store) wrote(prefix string) func(path string, h Hash) bool {
	var made map[string]bool // path NUL hash
	return func(path string, h Hash) bool {
		if made == nil { // asked for rarely: edits by hand are few
			made = map[string]bool{}
			jobs, err := st.Jobs(0)
			if err != nil {
				return false
			}
			for _, j := range jobs {
				for _, c := range j.Changes {
					made[prefix+c.Path+"\x00"+string(c.After)] = true
				}
			}
		}
		return made[path+"\x00"+string(h)]
	}
}

// files are those of a version that differ from what has says, which is kept up.
func (t *ledgerTarget) files(ctx context.Context, s *snapshot, v *version, has map[string]string) (files []gitFile, err error) {
	for _, p := range v.paths() {
		f := gitFile{path: p}
		if h := v.files[p]; h != "" {
			raw, _ := s.bytes(p, h)
			if f, err = t.file(ctx, p, s.mode(p), raw); err != nil {
				return nil, err
			}
		}
		if has[p] != f.oid {
			has[p] = f.oid
			files = append(files, f)
		}
	}
	return files, nil
}

func (t *ledgerTarget) commit(v *version, files []gitFile, now time.Time) gitCommit {
	c := gitCommit{at: now, now: now, author: ledgerName, files: files}
	if v.hand {
		c.author = t.g.person()
	}
	if len(v.jobs) > 0 {
		c.at = v.jobs[len(v.jobs)-1].At
	}
	var named []string
	for _, f := range files {
		named = append(named, strings.TrimPrefix(f.path, t.g.prefix))
	}
	c.message = v.message(named, t.g.prefix)
	return c
}

func (s *snapshot) mode(path string) string {
	if f := s.disk[path]; f.mode != "" {
		return f.mode
	}
	return "100644"
}

// person is who edits by hand, as git knows them.
func (g *repository) person() string {
	plain := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r < ' ' || r == '<' || r == '>' {
				return -1
			}
			return r
		}, s)
	}
	name, address := plain(g.config["user.name"]), plain(g.config["user.email"])
	if name == "" || address == "" {
		return "hand <hand@localhost>"
	}
	return name + " <" + address + ">"
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
