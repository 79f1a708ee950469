package store

import (
	"context"
	"fmt"
	"os"
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
	top, err := os.OpenRoot(g.top)
	if err != nil {
		return err
	}
	defer top.Close()
	tree := &folders{top: top, steps: st.steps}
	defer tree.close()
	settings, mark, err := st.settingsFiles(g)
	if err != nil {
		return err
	}
	snap, err := st.snapshot(ctx, g, tree, swept)
	if err == nil && want.reason == "" {
		err = snap.seeSettings(ctx, settings)
	}
	if err == nil && len(snap.jobs)+len(snap.gone)+len(snap.disk) > 0 {
		err = st.commitSeen(ctx, t, snap, want, rep)
	}
	if err == nil && mark != "" {
		err = os.WriteFile(st.undo.settings(), []byte(mark), 0o600)
	}
	return err
}

// commitSeen makes the commits for what the snapshot shows.
func (st *Store) commitSeen(ctx context.Context, t *ledgerTarget, snap *snapshot, want ledgerWant, rep *LedgerReport) error {
	if err := t.look(ctx, snap); err != nil {
		return err
	}
	parts, err := st.compose(ctx, t, snap, want)
	if err != nil {
		return err
	}
	rep.Notes = append([]string{}, t.notes...)
	for _, p := range parts {
		if err := st.place(ctx, t, p, rep); err != nil {
			return err
		}
	}
	return nil
}

// ledgerRef is the ref that gets the commits.
func (st *Store) ledgerRef(ctx context.Context, g *repository) (string, error) {
	if g.made() || st.Ledger.Branch == LedgerCurrent {
		return g.branch(ctx)
	}
	return LedgerRef, nil
}

// portion are the commits of a pass that are written at once, and the jobs that are
// done with them. A pass that runs out of time leaves its later parts to the next;
// so what waits becomes less, however much it was.
type portion struct {
	commits []gitCommit
	files   int
	done    []string
}

// place writes the commits of a portion, lets the index agree, and moves the ref, in
// this order: who dies on the way leaves an index that already has our files, and
// a commit that the user makes then keeps them. Then the jobs go off the list.
func (st *Store) place(ctx context.Context, t *ledgerTarget, p portion, rep *LedgerReport) error {
	if len(p.commits) > 0 {
		if err := st.commitPortion(ctx, t, p, rep); err != nil {
			return err
		}
	}
	if err := st.clean(ctx, p.done); err != nil {
		return err
	}
	rep.Jobs += len(p.done)
	return ignoreMissing(os.Remove(st.undo.intent()))
}

func (st *Store) commitPortion(ctx context.Context, t *ledgerTarget, p portion, rep *LedgerReport) error {
	oids, err := t.g.write(ctx, st.undo.stream(), t.tip, p.commits)
	if err != nil {
		return err
	}
	last := map[string]gitFile{}
	for _, c := range p.commits {
		for _, f := range c.files {
			last[f.path] = f
		}
	}
	in := intent{Ref: t.ref, Commit: oids[len(oids)-1], Jobs: p.done}
	if t.branch {
		in.Index = map[string]string{}
		for path, f := range last {
			in.Index[path] = f.oid
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
		for _, path := range left {
			rep.Notes = append(rep.Notes, fmt.Sprintf("%s is committed, but your index holds something else that you staged: it was left alone", path))
		}
	}
	if err := t.g.move(ctx, t.ref, in.Commit, t.tip, "brain: "+title(p.commits[len(p.commits)-1].message)); err != nil {
		return err
	}
	t.tip = in.Commit
	rep.Commits, rep.Files = append(rep.Commits, oids...), rep.Files+len(last)
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
func (st *Store) compose(ctx context.Context, t *ledgerTarget, s *snapshot, want ledgerWant) ([]portion, error) {
	plan, err := planLedger(s, t.g.prefix, st.Ledger.most(), recorded{
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
	full := st.Ledger.partFiles()
	now := portion{done: slices.Clone(s.gone)}
	var parts []portion
	for _, v := range plan {
		files, err := t.files(ctx, s, v, has)
		if err != nil {
			return nil, err
		}
		if v.swept && want.reason != "" {
			v.hand, v.reason = false, want.reason
		}
		if len(files) > 0 {
			now.commits, now.files = append(now.commits, t.commit(v, files, st.Ledger.now())), now.files+len(files)
		}
		for _, j := range v.jobs {
			now.done = append(now.done, j.ID)
		}
		if len(v.jobs) > 0 && now.files >= full {
			parts, now = append(parts, now), portion{}
		}
	}
	return append(parts, now), nil
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
		if err := tooLong(ctx, "reading"); err != nil {
			return nil, err
		}
		f := gitFile{path: p}
		if h := v.files[p]; h != "" {
			if f, err = t.file(ctx, s, p, h); err != nil {
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
