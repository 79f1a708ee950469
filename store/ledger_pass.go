package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

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
