package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"brain/page"
)

// filesWith are the files below a folder, but git's, that hold a text.
func filesWith(t testing.TB, dir, text string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		raw, err := os.ReadFile(name)
		if rel, _ := filepath.Rel(dir, name); strings.Contains(string(raw), text) {
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func wantNowhere(t testing.TB, st *Store, texts ...string) {
	t.Helper()
	for _, s := range texts {
		if names := filesWith(t, st.undo.root.Dir, s); len(names) > 0 {
			t.Errorf("%q is still in %q", s, names)
		}
	}
}

func purgePage(t testing.TB, st *Store, p page.Path) Purged {
	t.Helper()
	raw := must(st.Read(t.Context(), p))
	out, err := st.PurgePage(t.Context(), p, HashOf(raw), time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func undoLast(t testing.TB, st *Store) {
	t.Helper()
	if _, _, err := st.Undo(t.Context(), must(st.Jobs(1))[0].ID); err != nil {
		t.Fatal(err)
	}
}

func movePage(t testing.TB, st *Store, from, to page.Path) {
	t.Helper()
	if _, err := st.MovePage(t.Context(), page.Move{From: from, To: to}, Leads{}); err != nil {
		t.Fatal(err)
	}
}

func mergeInto(t testing.TB, st *Store, winner, loser page.Path) {
	t.Helper()
	if _, err := st.MergeEntities(t.Context(), Merge{Winner: winner, Losers: []page.Path{loser}, Now: time.Unix(1, 0)}, true); err != nil {
		t.Fatal(err)
	}
}

func entity(title, body string) string {
	return fmt.Sprintf("---\nschema_type: entity\ntitle: %s\n---\n%s\n", title, body)
}

const (
	secret1 = "The kestrel sleeps in box seven of the barn."
	secret2 = "红隼住在谷仓的七号箱子里。"
)

func TestAPageThatWasMovedAndUndoneIsPurgedUnderBothNames(t *testing.T) {
	st, _ := newBrain(t)
	add(t, st, "a.md", secret1+"\n")
	movePage(t, st, "a.md", "b.md")
	rewrite(t, st, "b.md", secret2+"\n")
	undoLast(t, st)
	movePage(t, st, "b.md", "c.md")
	undoLast(t, st)
	purgePage(t, st, "b.md")
	wantNowhere(t, st, secret1, secret2)
}

func TestAPageThatUndoBroughtBackIsPurgedFromBefore(t *testing.T) {
	st, _ := newBrain(t)
	add(t, st, "a.md", secret1+"\n")
	rewrite(t, st, "a.md", secret2+"\n")
	undoLast(t, st)
	if err := update(t, st, func(tx *Tx) error { return tx.Remove("a.md", HashOf([]byte(secret1+"\n"))) }); err != nil {
		t.Fatal(err)
	}
	undoLast(t, st)
	purgePage(t, st, "a.md")
	wantNowhere(t, st, secret1, secret2)
}

// A short page that was removed and made again, with other front matter, is the same one.
func TestAPurgeFindsWhatSaidTheSameUnderTheNameBefore(t *testing.T) {
	st, _ := newBrain(t)
	for _, raw := range []string{"---\nrevision: 1\n---\n\n# Tea\n\nLikes tea\n", "---\nrevision: 2\n---\n\n# Tea\n\nLikes *tea*\n"} {
		add(t, st, "a.md", raw)
		if err := update(t, st, func(tx *Tx) error { return tx.Remove("a.md", HashOf([]byte(raw))) }); err != nil {
			t.Fatal(err)
		}
	}
	add(t, st, "a.md", "---\nrevision: 3\n---\n\n# Tea\n\nLikes tea\n")
	purgePage(t, st, "a.md")
	wantNowhere(t, st, "Likes")
}

// The page that had the name before, and lives elsewhere, keeps its versions.
func TestAPurgeLeavesThePageThatHadTheNameBefore(t *testing.T) {
	st, _ := newBrain(t)
	add(t, st, "today.md", "- monday 1\n")
	rewrite(t, st, "today.md", "- monday 2\n")
	movePage(t, st, "today.md", "monday.md")
	add(t, st, "today.md", secret1+"\n")
	rewrite(t, st, "today.md", secret2+"\n")
	purgePage(t, st, "today.md")
	wantNowhere(t, st, secret1, secret2)
	undoLast(t, st)
	undoLast(t, st) // the undo itself
	undoLast(t, st)
	if jobs := must(st.Jobs(0)); jobs[len(jobs)-2].Purged || len(jobs) != 6 {
		t.Errorf("%+v", jobs)
	}
	if raw := must(st.Read(t.Context(), "today.md")); string(raw) != "- monday 2\n" {
		t.Errorf("%q", raw)
	}
}

// Two pages of one template were the same once: who fills in the other one by hand keeps its versions.
func TestAPurgeLeavesThePageThatSaidTheSameOnce(t *testing.T) {
	st, dir := newBrain(t)
	template := "# Review\n\nWhat went well, and what did not go well?\n\n"
	add(t, st, "a.md", template)
	add(t, st, "b.md", template)
	put(t, filepath.Join(dir, "b.md"), template+"The owl hunts.\n")
	rewrite(t, st, "b.md", template+"The owl sleeps.\n")
	rewrite(t, st, "a.md", template+secret1+"\n")
	if lost := purgePage(t, st, "a.md").Jobs; len(lost) > 0 {
		t.Errorf("%v can no longer be undone", lost)
	}
	wantNowhere(t, st, secret1)
	if former := must(st.Former("b.md", nil)); len(former) != 1 || !strings.Contains(string(former[0].Raw), "hunts") {
		t.Errorf("%d versions are left", len(former))
	}
}

func TestTheWinnerOfAMergeIsPurgedWithTheTextItGained(t *testing.T) {
	st, _ := newBrain(t)
	add(t, st, "w.md", entity("Winner", secret1))
	add(t, st, "l.md", entity("Loser", secret2))
	mergeInto(t, st, "w.md", "l.md")
	got := purgePage(t, st, "w.md")
	wantNowhere(t, st, secret1, secret2)
	jobs := must(st.Jobs(0))
	if len(got.Jobs) != 1 || jobs[0].ID != got.Jobs[0] || !jobs[0].Purged {
		t.Errorf("%+v of %+v", got, jobs)
	}
}

func TestTheLoserOfAMergeIsPurgedFromTheWinnersVersions(t *testing.T) {
	st, _ := newBrain(t)
	add(t, st, "w.md", entity("Winner", secret1))
	add(t, st, "l.md", entity("Loser", secret2))
	mergeInto(t, st, "w.md", "l.md")
	undoLast(t, st)
	purgePage(t, st, "l.md")
	wantNowhere(t, st, secret2)
	if names := filesWith(t, st.Dir(), secret1); !slices.Equal(names, []string{"w.md"}) {
		t.Errorf("the winner: %q", names)
	}
}

func TestAPurgeRemovesWhatNoRecordTellsOf(t *testing.T) {
	for what, spoil := range map[string]func(record string) error{
		"damaged": func(record string) error { return os.WriteFile(record, []byte("{"), 0o600) },
		"missing": os.Remove,
	} {
		st, dir := newBrain(t)
		add(t, st, "a.md", secret1+"\n")
		rewrite(t, st, "a.md", secret2+"\n")
		if err := spoil(st.undo.record(must(st.Jobs(1))[0].ID)); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, txnDir, "kept-tmp-1"), secret1+"\n")
		put(t, filepath.Join(dir, txnDir, "kept-tmp-2"), "before "+secret2+" after\n")
		put(t, filepath.Join(dir, txnDir, "kept-tmp-3"), "another's\n")
		rewrite(t, st, "a.md", secret2+"\nmore\n")
		add(t, st, "b.md", "b\n")
		rewrite(t, st, "b.md", "b 2\n")
		purgePage(t, st, "a.md")
		t.Log(what)
		wantNowhere(t, st, secret2)
		if what == "missing" && len(filesWith(t, st.undo.dir, secret1)) > 0 {
			t.Error("the folder without a record stays")
		}
		if !fileIs(filepath.Join(dir, txnDir, "kept-tmp-3"), "another's\n") {
			t.Error("bytes of another page are gone")
		}
		undoLast(t, st)
	}
}

func TestAPurgeThatWasCutShortIsFinishedByItsPath(t *testing.T) {
	st, _ := newBrain(t)
	add(t, st, "from.md", secret1+"\n")
	rewrite(t, st, "from.md", secret2+"\n")
	movePage(t, st, "from.md", "a.md")
	st.steps = func(op, _ string) error {
		if op == "purge" {
			return errInjected
		}
		return nil
	}
	_, err := st.PurgePage(t.Context(), "a.md", HashOf([]byte(secret2+"\n")), time.Unix(1, 0))
	wantErr(t, err, errInjected)
	st.steps = nil
	if _, err := st.PurgeTraces(t.Context(), "a.md", false); err != nil || len(filesWith(t, st.undo.dir, secret1)) == 0 {
		t.Errorf("only asked: %v", err)
	}
	for range 2 { // a tombstone tells of it for ever
		if _, err := st.PurgeTraces(t.Context(), "a.md", true); err != nil {
			t.Error(err)
		}
		wantNowhere(t, st, secret1, secret2)
	}
	_, err = st.PurgeTraces(t.Context(), "nobody.md", true)
	wantErr(t, err, ErrNotFound)
}

func TestThePastOfAPageThatMovedIsNotPurgedByItsOldPath(t *testing.T) {
	st, _ := newBrain(t)
	add(t, st, "a.md", secret1+"\n")
	rewrite(t, st, "a.md", secret2+"\n")
	movePage(t, st, "a.md", "b.md")
	_, err := st.PurgeTraces(t.Context(), "a.md", true)
	wantErr(t, err, ErrNotFound)
	if err == nil || !strings.Contains(err.Error(), "moved to b.md") || len(must(st.Jobs(0))) != 3 {
		t.Error(err)
	}
}

func TestTheBurialOfASessionCannotBeUndone(t *testing.T) {
	st, dir := newBrain(t)
	st.steps = func(op, _ string) error {
		if op == "forget" {
			return errInjected // the record stays, as it does while the ledger needs it
		}
		return nil
	}
	said := page.Parse("sessions/2026-03/s1/messages.jsonl", []byte(`{"role":"user","text":"hello"}`))
	if err := st.BurySession(t.Context(), said, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	j := must(st.Jobs(1))[0]
	if !j.Alone {
		t.Error("it waits for others")
	}
	_, _, err := st.Undo(t.Context(), j.ID)
	wantErr(t, err, ErrCannotUndo)
	if _, err := os.Stat(filepath.Join(dir, string(Forgotten))); err != nil {
		t.Error(err)
	}
}

func TestPruneForgetsImagesWithoutARecord(t *testing.T) {
	st, _ := newBrain(t)
	now := time.Now()
	old, young := newJobID(now.Add(-keepJobs-time.Hour)), newJobID(now.Add(-time.Hour))
	for _, id := range []string{old, young} {
		put(t, filepath.Join(st.undo.images(id), "0"), "x")
	}
	if err := st.undo.prune(now); err != nil {
		t.Fatal(err)
	}
	if left := must(st.undo.all()); !slices.Equal(left, []string{young}) {
		t.Errorf("left %q", left)
	}
}

// Whatever came before: after a purge nothing outside the pages into which it was
// merged holds a sentence of the page. Each page has its letter and each sentence
// names the letter of the page that it was written into.
func TestNothingHoldsAPurgedPage(t *testing.T) {
	base := memDir(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		rep, err := Init(filepath.Join(base, fmt.Sprint(n)), InitOptions{})
		if err != nil {
			rt.Fatal(err)
		}
		st := reopen(t, rep.Root.Dir, nil)
		defer func() { st.Close(); os.RemoveAll(rep.Root.Dir) }()
		w := &written{st: st, rt: rt}
		for range rapid.IntRange(3, 14).Draw(rt, "steps") {
			rapid.SampledFrom([]func(){w.add, w.edit, w.edit, w.move, w.undo, w.undo, w.merge, w.batch}).Draw(rt, "do")()
		}
		if p := w.some("purge"); p != "" {
			w.purge(p)
		}
	})
}

type written struct {
	st    *Store
	rt    *rapid.T
	pages int
	texts int
	log   []string
}

var letters = regexp.MustCompile(`letter: (\w+)`)

func (w *written) paths() []page.Path {
	var all []page.Path
	for _, f := range must(w.st.List(context.Background())).Files {
		all = append(all, f.Path)
	}
	return all
}

func (w *written) some(what string) page.Path {
	if all := w.paths(); len(all) > 0 {
		return rapid.SampledFrom(all).Draw(w.rt, what)
	}
	return ""
}

func (w *written) note(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf(format, args...))
}

// try runs an operation that may be refused.
func (w *written) try(err error, format string, args ...any) {
	if err == nil {
		w.note(format, args...)
	}
}

var placesOfPages = []page.Path{"a.md", "b.md", "n/c.md", "n/页.md"}

func (w *written) place() page.Path { return rapid.SampledFrom(placesOfPages).Draw(w.rt, "at") }

func (w *written) sentence(letter string) string {
	w.texts++
	return fmt.Sprintf("句子 SECRET-%s-%d of a page.", letter, w.texts)
}

func (w *written) fresh() string {
	w.pages++
	letter := fmt.Sprintf("P%d", w.pages)
	return fmt.Sprintf("---\nschema_type: entity\ntitle: Title of %s\nletter: %s\n---\n%s\n", letter, letter, w.sentence(letter))
}

func (w *written) add() {
	p := w.place()
	w.try(w.update(func(tx *Tx) error { return tx.Add(p, []byte(w.fresh())) }), "add %s", p)
}

func (w *written) update(fn func(*Tx) error) error {
	return w.st.Update(context.Background(), "add", fn)
}

// rewritten adds a sentence to a page, or puts one in place of all.
func (w *written) rewritten(p page.Path) (was Hash, next []byte) {
	raw := must(w.st.Read(context.Background(), p))
	m := letters.FindSubmatch(raw)
	if m == nil {
		return HashOf(raw), raw
	}
	s := w.sentence(string(m[1]))
	if rapid.Bool().Draw(w.rt, "replace") {
		at := strings.Index(string(raw), "\n---\n") + len("\n---\n")
		return HashOf(raw), []byte(string(raw[:at]) + s + "\n")
	}
	return HashOf(raw), append(slices.Clone(raw), "\n"+s+"\n"...)
}

func (w *written) edit() {
	if p := w.some("edit"); p != "" {
		was, next := w.rewritten(p)
		w.try(w.update(func(tx *Tx) error { return tx.Replace(p, was, next) }), "edit %s", p)
	}
}

// batch rewrites one page and adds another in one update.
func (w *written) batch() {
	if p, to := w.some("batch"), w.place(); p != "" {
		was, next := w.rewritten(p)
		w.try(w.update(func(tx *Tx) error {
			return errors.Join(tx.Replace(p, was, next), tx.Add(to, []byte(w.fresh())))
		}), "batch %s %s", p, to)
	}
}

func (w *written) move() {
	if p, to := w.some("move"), w.place(); p != "" {
		_, err := w.st.MovePage(context.Background(), page.Move{From: p, To: to}, Leads{})
		w.try(err, "move %s %s", p, to)
	}
}

func (w *written) undo() {
	if jobs := must(w.st.Jobs(0)); len(jobs) > 0 {
		j := jobs[min(len(jobs)-1, rapid.IntRange(0, 4).Draw(w.rt, "back"))]
		_, _, err := w.st.Undo(context.Background(), j.ID)
		w.try(err, "undo of %s %v", j.Reason, j.Changes)
	}
}

func (w *written) merge() {
	if a, b := w.some("winner"), w.some("loser"); a != b {
		_, err := w.st.MergeEntities(context.Background(), Merge{Winner: a, Losers: []page.Path{b}, Now: time.Unix(1, 0)}, true)
		w.try(err, "merge %s %s", a, b)
	}
}

var secrets = regexp.MustCompile(`SECRET-(\w+)-\d+`)

func (w *written) purge(p page.Path) {
	ctx := context.Background()
	raw := must(w.st.Read(ctx, p))
	gone := map[string]bool{}
	for _, m := range secrets.FindAllString(string(raw), -1) {
		gone[m] = true
	}
	if m := letters.FindSubmatch(raw); m != nil {
		for i := range w.texts {
			gone[fmt.Sprintf("SECRET-%s-%d", m[1], i+1)] = true
		}
	}
	if _, err := w.st.PurgePage(ctx, p, HashOf(raw), time.Unix(1, 0)); err != nil {
		w.rt.Fatal(err)
	}
	w.note("purge %s", p)
	hidden := append(filesBelow(w.rt, w.st.undo.dir), filesBelow(w.rt, filepath.Join(w.st.Dir(), txnDir))...)
	for _, name := range hidden {
		raw := must(os.ReadFile(name))
		for _, m := range secrets.FindAllString(string(raw), -1) {
			if gone[m] {
				w.rt.Fatalf("%s holds %s after\n%s", name, m, strings.Join(w.log, "\n"))
			}
		}
	}
	for _, j := range must(w.st.Jobs(0)) {
		for _, c := range j.Changes {
			if _, err := w.st.undo.bytes(j.ID, c); !j.Purged && c.Before != "" && err != nil {
				w.rt.Fatalf("job %s %s, not purged: %v", j.ID, j.Reason, err)
			}
		}
	}
}

func filesBelow(t rapid.TB, dir string) (names []string) {
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return ignoreMissing(err)
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// The first purge of a brain makes forgotten.jsonl and removes one page: that is not
// where the page went.
func TestAPurgeIsNoMove(t *testing.T) {
	made := Change{Path: string(Forgotten), After: HashOf([]byte("line"))}
	j := Job{Purged: true, Changes: []Change{{Path: "a.md", Before: HashOf([]byte("page"))}, made}}
	if from := movedFrom(j, made); from != page.Path(Forgotten) {
		t.Errorf("%s came from %s", made.Path, from)
	}
	if to := pathAfter(j, "a.md"); to != "a.md" {
		t.Errorf("a.md went to %s", to)
	}
	moved := Change{Path: "b.md", After: HashOf([]byte("other"))}
	if from := movedFrom(Job{Changes: []Change{j.Changes[0], moved}}, moved); from != "a.md" {
		t.Errorf("a page that was moved and changed came from %s", from)
	}
}
