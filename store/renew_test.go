package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// counting lets memory.json count the updates that touch a page.
func counting(st *Store) { st.Renew = count }

func count(tx *Tx) error {
	raw, err := tx.ReadOwn(Summaries)
	if err != nil || len(tx.Touched()) == 0 {
		return err
	}
	return tx.RenewOwn(Summaries, hashOr(raw), fmt.Appendf(raw, "+%d", len(tx.Touched())))
}

func hashOr(raw []byte) Hash {
	if raw == nil {
		return ""
	}
	return HashOf(raw)
}

func ownText(t testing.TB, st *Store) string {
	t.Helper()
	raw, err := st.ReadOwn(context.Background(), Summaries)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func setOwn(t testing.TB, st *Store, content string) {
	t.Helper()
	err := st.Update(context.Background(), "summary", func(tx *Tx) error {
		raw, err := tx.ReadOwn(Summaries)
		if err != nil {
			return err
		}
		return tx.WriteOwn(Summaries, hashOr(raw), []byte(content))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEveryKindOfUpdateRenews(t *testing.T) {
	st, _ := newBrain(t)
	counting(st)
	add(t, st, "a.md", entity("A", "one text"))
	add(t, st, "b.md", entity("B", "another text"))
	rewrite(t, st, "b.md", entity("B", "a third text"))
	mergeInto(t, st, "a.md", "b.md")
	undoLast(t, st)
	movePage(t, st, "b.md", "c.md")
	purgePage(t, st, "c.md")
	if got, want := ownText(t, st), "+1+1+1+2+2+2+1"; got != want {
		t.Errorf("renewed with %q, want %q", got, want)
	}
}

func TestNothingIsRenewedWhereNothingChanged(t *testing.T) {
	st, _ := newBrain(t, "a.md")
	st.Renew = func(*Tx) error { return errors.New("asked") }
	err := errors.Join(
		update(t, st, func(*Tx) error { return nil }),
		update(t, st, func(tx *Tx) error { return tx.Replace("a.md", HashOf([]byte("a.md")), []byte("a.md")) }),
		update(t, st, func(tx *Tx) error {
			return errors.Join(tx.Add("b.md", nil), tx.Remove("b.md", HashOf(nil)))
		}))
	if err != nil {
		t.Error(err)
	}
}

func TestAnUpdateThatCannotBeRenewedIsNotDone(t *testing.T) {
	st, dir := newBrain(t, "a.md")
	old := filesOf(t, dir)
	st.Renew = func(tx *Tx) error {
		return errors.Join(tx.RenewOwn(Summaries, "", []byte("half")), errInjected)
	}
	err := update(t, st, func(tx *Tx) error { return tx.Add("b.md", nil) })
	if !errors.Is(err, errInjected) {
		t.Errorf("%v", err)
	}
	if got := filesOf(t, dir); !maps.Equal(got, old) {
		t.Errorf("%q", got)
	}
	wantClean(t, dir)
}

// What is renewed goes with the last try of an update that began anew.
func TestARenewalThatMeetsAnEditBeginsAnew(t *testing.T) {
	st, dir := newBrain(t)
	put(t, filepath.Join(dir, "memory.json"), "0")
	counting(st)
	tries := 0
	err := update(t, st, func(tx *Tx) error {
		tries++
		if tries == 1 {
			st.steps = func(op, name string) error {
				if op == "swap" && name == "memory.json" {
					st.steps = nil
					put(t, filepath.Join(dir, "memory.json"), "by hand")
				}
				return nil
			}
			tx.root.steps = st.steps
		}
		return tx.Add("a.md", nil)
	})
	if got := ownText(t, st); err != nil || tries != 2 || got != "by hand+1" {
		t.Errorf("%d tries, %q, %v", tries, got, err)
	}
	wantClean(t, dir)
}

func TestUndoPassesOverWhatWasRenewed(t *testing.T) {
	st, dir := newBrain(t)
	put(t, filepath.Join(dir, "memory.json"), "0")
	counting(st)
	add(t, st, "a.md", "a")
	jobs, _ := st.Jobs(0)
	for _, c := range jobs[0].Changes {
		if c.Path == "memory.json" && (!c.Renewed || c.Image != "") {
			t.Errorf("recorded %+v", c)
		}
	}
	setOwn(t, st, "moved on")
	if _, _, err := st.Undo(t.Context(), jobs[0].ID); err != nil {
		t.Fatal(err)
	}
	if got := ownText(t, st); got != "moved on+1" {
		t.Errorf("%q", got)
	}
	wantPaths(t, st)
	undoLast(t, st)
	wantPaths(t, st, "a.md")
	if kept := filesWith(t, st.undo.dir, "0"); slices.ContainsFunc(kept, func(n string) bool { return !strings.HasSuffix(n, ".json") && strings.Contains(n, jobs[0].ID) }) {
		t.Errorf("bytes of a renewed file are kept: %q", kept)
	}
}

func TestUndoOfAWrittenOwnFileReachesAcrossRenewals(t *testing.T) {
	st, _ := newBrain(t)
	counting(st)
	setOwn(t, st, "first")
	setOwn(t, st, "second")
	second, _ := st.Jobs(1)
	add(t, st, "a.md", "a")
	add(t, st, "b.md", "b")
	if ownText(t, st) != "second+1+1" {
		t.Fatalf("%q", ownText(t, st))
	}
	if _, _, err := st.Undo(t.Context(), second[0].ID); err != nil {
		t.Fatal(err)
	}
	if got := ownText(t, st); got != "first" {
		t.Errorf("undone: %q", got)
	}
	undoLast(t, st)
	if got := ownText(t, st); got != "second+1+1" {
		t.Errorf("and again: %q", got)
	}
}

// An update that was undone has left a file as it was, but for renewals.
func TestUndoOfAWrittenOwnFileReachesAcrossWhatWasUndone(t *testing.T) {
	st, _ := newBrain(t)
	n := 0
	st.Renew = func(tx *Tx) error {
		n++
		raw, err := tx.ReadOwn(Summaries)
		text, _, _ := strings.Cut(string(raw), "+")
		return errors.Join(err, tx.RenewOwn(Summaries, hashOr(raw), fmt.Appendf(nil, "%s+%d", text, n)))
	}
	for _, text := range []string{"first", "second", "third"} {
		setOwn(t, st, text)
	}
	jobs, _ := st.Jobs(2)
	for i, want := range []string{"second+4", "first+6"} {
		if _, _, err := st.Undo(t.Context(), jobs[i].ID); err != nil {
			t.Fatal(err)
		}
		if got := ownText(t, st); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		add(t, st, want+".md", "text")
	}
	if _, _, err := st.Undo(t.Context(), jobs[0].ID); !errors.Is(err, ErrConflict) {
		t.Errorf("undone twice: %v", err)
	}
}

func TestUndoOfAnOwnFileThatAnotherWroteConflicts(t *testing.T) {
	for name, meanwhile := range map[string]func(*Store, string){
		"an update": func(st *Store, _ string) { setOwn(t, st, "another") },
		"a hand":    func(_ *Store, dir string) { put(t, filepath.Join(dir, "memory.json"), "by hand") },
	} {
		st, dir := newBrain(t)
		counting(st)
		setOwn(t, st, "first")
		first, _ := st.Jobs(1)
		add(t, st, "a.md", "a")
		meanwhile(st, dir)
		add(t, st, "b.md", "b")
		was := ownText(t, st)
		if _, _, err := st.Undo(t.Context(), first[0].ID); !errors.Is(err, ErrConflict) {
			t.Errorf("%s: %v", name, err)
		}
		if got := ownText(t, st); got != was {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// An update that writes an own file and has it renewed on top is undone as a whole.
func TestAWrittenFileThatIsRenewedIsUndone(t *testing.T) {
	st, dir := newBrain(t)
	put(t, filepath.Join(dir, "memory.json"), "old")
	st.Renew = func(tx *Tx) error {
		if tx.job.Undoes != "" {
			return nil
		}
		raw, err := tx.ReadOwn(Summaries)
		if err == nil {
			err = tx.RenewOwn(Summaries, hashOr(raw), append(raw, " renewed"...))
		}
		return err
	}
	setOwn(t, st, "new")
	if got := ownText(t, st); got != "new renewed" {
		t.Fatalf("%q", got)
	}
	undoLast(t, st)
	if got := ownText(t, st); got != "old" {
		t.Errorf("%q", got)
	}
	err := update(t, st, func(tx *Tx) error { return tx.RemoveOwn(Summaries, HashOf([]byte("old"))) })
	if got := ownText(t, st); err != nil || got != " renewed" {
		t.Errorf("removed: %q, %v", got, err)
	}
	undoLast(t, st)
	if got := ownText(t, st); got != "old" {
		t.Errorf("a removal undone: %q", got)
	}
}

func TestOwnFilesAreThoseOfKnownNames(t *testing.T) {
	for name, want := range map[string]bool{
		"forgotten.jsonl": true, "memory.json": true, "memory.json.v1.bak": true, "memory.json.corrupt-20261130-170712.123": true,
		"agents/lead/memory.json": true, "agents/__default__/memory.json.v1.bak": true, "agents/研究/memory.json": true,
		"memory.json.corrupt-": false, "memory.json.corrupt-x.md": false, "memory.json.corrupt-1/../x": false,
		"memory.json.bak": false, "agents/memory.json": false, "agents//memory.json": false, "agents/../memory.json": false,
		"agents/a/b/memory.json": false, "agents/a/config.yaml": false, "agents/.a/memory.json": false, "brain.yml": false, "x/memory.json": false,
	} {
		if got := isOwn(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	for _, f := range []OwnFile{AgentSummaries("lead"), AgentSummariesOfOld("lead"), CorruptSummaries("20261130-170712")} {
		if !isOwn(string(f)) {
			t.Errorf("%s is none", f)
		}
	}
}

func TestOwnFilesAreWrittenAndRemovedWherePagesAre(t *testing.T) {
	st, dir := newBrain(t, "agents/lead/facts/00/x.md")
	f := AgentSummaries("lead")
	err := update(t, st, func(tx *Tx) error {
		err := errors.Join(tx.WriteOwn(f, "", []byte("1")), tx.WriteOwn("agents/other/memory.json.v1.bak", "", []byte("2")))
		if len(tx.Written())+len(tx.Touched()) > 0 {
			t.Errorf("taken for pages: %v, %v", tx.Written(), tx.Touched())
		}
		return err
	})
	if raw, rerr := st.ReadOwn(t.Context(), f); err != nil || rerr != nil || string(raw) != "1" {
		t.Fatalf("%v, %q, %v", err, raw, rerr)
	}
	if l, err := st.List(t.Context()); err != nil || l.Skipped[SkipNotMarkdown] != 0 {
		t.Errorf("listed as skipped: %v, %v", l.Skipped, err)
	}
	err = update(t, st, func(tx *Tx) error {
		if err := tx.RemoveOwn(f, HashOf([]byte("2"))); !errors.Is(err, ErrConflict) {
			t.Errorf("removed on a wrong hash: %v", err)
		}
		err := tx.RemoveOwn(f, HashOf([]byte("1")))
		if raw, rerr := tx.ReadOwn(f); raw != nil || rerr != nil {
			t.Errorf("removed and read: %q, %v", raw, rerr)
		}
		if raw, rerr := tx.OwnBefore(f); string(raw) != "1" || rerr != nil {
			t.Errorf("before: %q, %v", raw, rerr)
		}
		if !tx.TouchedOwn(f) || tx.TouchedOwn(Summaries) || len(tx.Touched()) != 0 {
			t.Errorf("touched: %v", tx.Touched())
		}
		return err
	})
	if err != nil || fileIs(filepath.Join(dir, string(f)), "1") {
		t.Error(err)
	}
	undoLast(t, st)
	if !fileIs(filepath.Join(dir, string(f)), "1") {
		t.Error("undo did not bring it back")
	}
}

func TestAnOwnFileIsReachedWithoutALink(t *testing.T) {
	st, dir := newBrain(t)
	outside := t.TempDir()
	put(t, filepath.Join(dir, "real", "memory.json"), "1")
	for name, to := range map[string]string{"agents/in": "../real", "agents/out": outside} {
		put(t, filepath.Join(dir, "agents", "x.md"), "")
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
		f := OwnFile(name + "/memory.json")
		if raw, err := st.ReadOwn(t.Context(), f); err == nil {
			t.Errorf("%s: read %q", name, raw)
		}
		if err := update(t, st, func(tx *Tx) error { return tx.WriteOwn(f, "", []byte("2")) }); !errors.Is(err, ErrNotPage) {
			t.Errorf("%s: written, %v", name, err)
		}
	}
	for _, f := range []OwnFile{"brain.yml", "../memory.json", "a.md"} {
		if err := update(t, st, func(tx *Tx) error { return tx.WriteOwn(f, "", []byte("2")) }); !errors.Is(err, ErrNotPage) {
			t.Errorf("%s: %v", f, err)
		}
	}
}

func TestARecordThatRenewsAPageIsDamaged(t *testing.T) {
	for _, c := range []Change{
		{Path: "a.md", After: HashOf(nil), Renewed: true},
		{Path: "memory.json", Before: HashOf(nil), Renewed: true},
	} {
		if !c.isOdd() {
			t.Errorf("%+v", c)
		}
	}
	if (Change{Path: "memory.json", After: HashOf(nil), Renewed: true}).isOdd() {
		t.Error("a renewal is odd")
	}
}

// A page that is made in the update that removes an own file has not come from it.
func TestAPageDoesNotComeFromAnOwnFile(t *testing.T) {
	st, dir := newBrain(t)
	put(t, filepath.Join(dir, "agents/lead/memory.json"), "1")
	err := update(t, st, func(tx *Tx) error {
		return errors.Join(tx.Add("a.md", []byte("a")), tx.RemoveOwn(AgentSummaries("lead"), HashOf([]byte("1"))))
	})
	if err != nil {
		t.Fatal(err)
	}
	jobs, _ := st.Jobs(1)
	if got := movedFrom(jobs[0], jobs[0].Changes[0]); got != "a.md" {
		t.Errorf("came from %s", got)
	}
}

func TestRenewedFilesAreInTheLedgerAndNobodysEdit(t *testing.T) {
	for _, mode := range []string{LedgerBatch, LedgerPerWrite} {
		st, notes := ledgerBrain(t)
		counting(st)
		st.Ledger.Mode, st.Ledger.Writes = mode, 2
		for i := range 4 {
			add(t, st, fmt.Sprintf("%d.md", i), "x")
		}
		want := []string{"init: 3 files", "add: 3 files", "add: 3 files"}
		if mode == LedgerPerWrite {
			want = []string{"init: 3 files", "add: 2 files", "add: 2 files", "add: 2 files", "add: 2 files"}
		}
		wantLog(t, st, "HEAD", want...)
		if got := git(t, top(st), "show", "HEAD:brains/default/memory.json"); got != "+1+1+1+1" {
			t.Errorf("%s: git has %q", mode, got)
		}
		if got := git(t, top(st), "log", "--format=%b"); strings.Contains(got, "also holds") || strings.Contains(got, trailerHand) {
			t.Errorf("%s: %s", mode, got)
		}
		if got := notes.take(); got != "" {
			t.Error(got)
		}
	}
}

// Between two commits of one pass the renewed file has a state that nobody kept.
func TestAStateBetweenTwoRenewalsIsNotMissed(t *testing.T) {
	st, _ := ledgerBrain(t)
	counting(st)
	st.Ledger.part = 2
	for i := range 3 {
		add(t, st, fmt.Sprintf("%d.md", i), "x")
	}
	commit(t, st)
	wantLog(t, st, "HEAD", "init: 3 files", "add: 0.md", "add: 1.md", "add: 2 files")
	if got := git(t, top(st), "log", "--format=%b"); strings.Contains(got, "also holds") || strings.Contains(got, trailerHand) {
		t.Error(got)
	}
	st.Ledger.part = 1
	setOwn(t, st, "a text")
	add(t, st, "3.md", "x")
	commit(t, st)
	if got := git(t, top(st), "log", "-1", "--format=%b"); !strings.Contains(got, "brains/default/memory.json also holds what came before and was replaced before it could be committed: summary (job") {
		t.Errorf("a text that was renewed over is not told: %s", got)
	}
}

// What is renewed changes again before git has read it: the bytes that were seen are
// committed, and the pass is not held up.
func TestWhatIsRenewedWhileTheLedgerReadsHoldsUpNoPass(t *testing.T) {
	st, notes := ledgerBrain(t)
	counting(st)
	add(t, st, "a.md", "x")
	looks := 0
	st.steps = func(op, name string) error {
		if op == "look" && filepath.Base(name) == "memory.json" {
			if looks++; looks > 1 {
				put(t, filepath.Join(st.Dir(), "memory.json"), fmt.Sprint("renewed again ", looks))
			}
		}
		return nil
	}
	rep := commit(t, st)
	st.steps = nil
	if rep.Skipped != "" || rep.Jobs != 1 || looks < 2 {
		t.Errorf("%+v after %d looks; %s", rep, looks, notes.take())
	}
	if got := git(t, top(st), "show", "HEAD:brains/default/memory.json"); got != "+1" {
		t.Errorf("git has %q", got)
	}
}

func TestAHandEditThatWasRenewedOverIsTold(t *testing.T) {
	st, _ := ledgerBrain(t)
	counting(st)
	add(t, st, "a.md", "x")
	commit(t, st)
	put(t, filepath.Join(st.Dir(), "memory.json"), "by hand")
	add(t, st, "b.md", "x")
	commit(t, st)
	if got := git(t, top(st), "log", "-1", "--format=%b"); !strings.Contains(got, "also holds what came before and was replaced before it could be committed: an edit by hand") {
		t.Errorf("%s", got)
	}
	if got := git(t, top(st), "show", "HEAD:brains/default/memory.json"); got != "by hand+1" {
		t.Errorf("%q", got)
	}
}

// A job of which a purge leaves renewals alone cannot be undone and is forgotten,
// once the ledger has it.
func TestAPurgeLeavesNoJobThatOnlyRenewed(t *testing.T) {
	for _, dirty := range []bool{false, true} {
		st, _ := ledgerBrain(t)
		counting(st)
		st.Ledger.Mode = ""
		if dirty {
			st.Ledger.Mode = LedgerBatch
		}
		add(t, st, "a.md", entity("A", "the secret text that is long enough"))
		first, _ := st.Jobs(1)
		st.Ledger.Mode = ""
		if done := purgePage(t, st, "a.md"); slices.Contains(done.Jobs, first[0].ID) {
			t.Errorf("dirty %v: %q", dirty, done.Jobs)
		}
		_, err := st.undo.read(first[0].ID)
		if gone := errors.Is(err, ErrNoJob); gone == dirty {
			t.Errorf("dirty %v: gone %v", dirty, gone)
		}
	}
}

// Bytes that nobody asked to replace are never given up, not even those that the
// undo store would not have kept.
func TestARenewalThatFailsKeepsWhatStoodUnderAnEdit(t *testing.T) {
	root, dir, _ := journey{files: map[string]string{"memory.json": "before"}}.stage(t)
	st := reopen(t, root, nil)
	counting(st)
	st.steps = func(op, name string) error {
		if op == "rename" && name == journalName && fileIs(filepath.Join(dir, "memory.json"), "before+1") {
			put(t, filepath.Join(dir, "memory.json"), "BY HAND")
			return errInjected
		}
		return nil
	}
	if err := update(t, st, func(tx *Tx) error { return tx.Add("a.md", nil) }); !errors.Is(err, errInjected) {
		t.Fatal(err)
	}
	st.Close()
	if !fileIs(filepath.Join(dir, "memory.json"), "BY HAND") || !slices.Contains(kept(t, root), "before") {
		t.Errorf("%q, kept %q", filesOf(t, dir), kept(t, root))
	}
}

func TestAnOwnFileThatCannotBeReadIsNoMissingOne(t *testing.T) {
	st, dir := newBrain(t)
	if err := os.Mkdir(filepath.Join(dir, "memory.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	if raw, err := st.ReadOwn(t.Context(), Summaries); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%q, %v", raw, err)
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	if _, err := st.ReadOwn(ctx, Summaries); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
