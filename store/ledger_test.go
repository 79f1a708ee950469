package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/page"
)

// git runs git as a user would, in dir, and returns what it prints.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := gitTry(dir, args...)
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func gitTry(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return strings.TrimSuffix(string(out), "\n"), err
}

// alone keeps the machine's own configuration of git out of a test.
func alone(t testing.TB) {
	t.Helper()
	if !hasGit() {
		t.Skip("git is not installed")
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	put(t, filepath.Join(home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n")
}

// ledgerBrain is a brain in a repository that brain made.
func ledgerBrain(t *testing.T) (*Store, *notes) {
	t.Helper()
	alone(t)
	st, _ := newBrain(t)
	if made, err := MakeRepository(t.Context(), st.undo.root); err != nil || !made {
		t.Fatalf("made %v, %v", made, err)
	}
	return st, keeping(st, LedgerOptions{Mode: LedgerBatch})
}

// userBrain is a brain in a repository of the user's own, with one commit.
func userBrain(t *testing.T, o LedgerOptions) (*Store, *notes) {
	t.Helper()
	alone(t)
	st, _ := newBrain(t)
	top := st.undo.root.Dir
	git(t, top, "init", "-q")
	put(t, filepath.Join(top, "README"), "the user's\n")
	git(t, top, "add", "README", ".gitignore", "memory.yml", "brains/default/brain.yml")
	git(t, top, "commit", "-q", "-m", "first")
	return st, keeping(st, o)
}

// notes are what a store says.
type notes struct{ lines []string }

func (n *notes) take() string {
	all := strings.Join(n.lines, "\n")
	n.lines = nil
	return all
}

func keeping(st *Store, o LedgerOptions) *notes {
	n := &notes{}
	st.Ledger = o
	st.OnNote = func(line string) { n.lines = append(n.lines, line) }
	return n
}

func top(st *Store) string { return st.undo.root.Dir }

func add(t testing.TB, st *Store, path, content string) {
	t.Helper()
	if err := st.Update(context.Background(), "add", func(tx *Tx) error { return tx.Add(page.Path(path), []byte(content)) }); err != nil {
		t.Fatal(err)
	}
}

func rewrite(t testing.TB, st *Store, path, content string) {
	t.Helper()
	if _, err := st.Rewrite(context.Background(), "edit", page.Path(path), func([]byte) ([]byte, error) { return []byte(content), nil }); err != nil {
		t.Fatal(err)
	}
}

func commit(t testing.TB, st *Store) LedgerReport {
	t.Helper()
	rep, err := st.Commit(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// log are the titles of a ref's commits, oldest first.
func log(t testing.TB, st *Store, ref string) []string {
	t.Helper()
	return strings.Split(git(t, top(st), "log", "--reverse", "--format=%s", ref), "\n")
}

func wantLog(t testing.TB, st *Store, ref string, want ...string) {
	t.Helper()
	if got := log(t, st, ref); !slices.Equal(got, want) {
		t.Errorf("%s: %q\nwant %q", ref, got, want)
	}
}

func TestInitMakesARepositoryWithOneCommit(t *testing.T) {
	st, _ := ledgerBrain(t)
	wantLog(t, st, "HEAD", "init: 3 files")
	if got, want := git(t, top(st), "ls-files"), ".gitignore\nbrains/default/brain.yml\nmemory.yml"; got != want {
		t.Errorf("committed %q, want %q", got, want)
	}
	if got := git(t, top(st), "status", "--porcelain"); got != "" {
		t.Errorf("status %q", got)
	}
	if got := git(t, top(st), "log", "--format=%an %ae"); got != "brain brain@localhost" {
		t.Errorf("author %q", got)
	}
	git(t, top(st), "fsck", "--strict")
}

func TestABatchIsTwentyWrites(t *testing.T) {
	st, _ := ledgerBrain(t)
	for i := range 19 {
		add(t, st, fmt.Sprintf("notes/%d.md", i), "x")
	}
	wantLog(t, st, "HEAD", "init: 3 files")
	add(t, st, "notes/19.md", "x")
	wantLog(t, st, "HEAD", "init: 3 files", "add: 20 files")
	if got := git(t, top(st), "status", "--porcelain"); got != "" {
		t.Errorf("status %q", got)
	}
	if ids, _ := st.undo.dirtyIDs(); len(ids) != 0 {
		t.Errorf("still dirty: %q", ids)
	}
}

func TestABatchIsAtMostFiveMinutesOld(t *testing.T) {
	st, _ := ledgerBrain(t)
	now := time.Now()
	st.Ledger.Now = func() time.Time { return now }
	add(t, st, "a.md", "x")
	now = now.Add(4 * time.Minute)
	st.CommitDue(t.Context())
	wantLog(t, st, "HEAD", "init: 3 files")
	now = now.Add(61 * time.Second)
	st.CommitDue(t.Context())
	wantLog(t, st, "HEAD", "init: 3 files", "add: a.md")
}

func TestPerWriteIsACommitForEach(t *testing.T) {
	st, _ := ledgerBrain(t)
	st.Ledger.Mode = LedgerPerWrite
	add(t, st, "a.md", "x")
	rewrite(t, st, "a.md", "y")
	wantLog(t, st, "HEAD", "init: 3 files", "add: a.md", "edit: a.md")
}

func TestOffLeavesNothingDirty(t *testing.T) {
	st, _ := ledgerBrain(t)
	st.Ledger.Mode = ""
	add(t, st, "a.md", "x")
	if rep := commit(t, st); rep.Skipped != "git.mode is off" || rep.Left != 0 {
		t.Errorf("%+v", rep)
	}
}

func TestAnUpdateThatWantsToBeAloneIsCommittedAtOnceAfterTheOthers(t *testing.T) {
	st, _ := ledgerBrain(t)
	add(t, st, "a.md", "x")
	add(t, st, "b.md", "x")
	if err := st.Update(t.Context(), "merge", func(tx *Tx) error {
		tx.Alone()
		return tx.Replace("b.md", HashOf([]byte("x")), []byte("redirect"))
	}); err != nil {
		t.Fatal(err)
	}
	wantLog(t, st, "HEAD", "init: 3 files", "add: 2 files", "merge: b.md")
	if got := git(t, top(st), "show", "--format=", "--name-only", "HEAD"); got != "brains/default/b.md" {
		t.Errorf("the merge holds %q", got)
	}
	if got := git(t, top(st), "show", "HEAD~:brains/default/b.md"); got != "x" {
		t.Errorf("b.md was %q before", got)
	}
}

func TestTheDirtyListSurvivesTheProcess(t *testing.T) {
	st, _ := ledgerBrain(t)
	add(t, st, "a.md", "x")
	other := open(t, top(st))
	keeping(other, LedgerOptions{Mode: LedgerBatch})
	if rep := commit(t, other); rep.Jobs != 1 || rep.Left != 0 || len(rep.Commits) != 1 {
		t.Errorf("%+v", rep)
	}
	wantLog(t, st, "HEAD", "init: 3 files", "add: a.md")
}

func TestAHandEditIsCommittedFirst(t *testing.T) {
	st, _ := ledgerBrain(t)
	add(t, st, "a.md", "one\n")
	commit(t, st)
	put(t, st.full("a.md"), "one\nby hand\n")
	rewrite(t, st, "a.md", "one\nby hand\nby brain\n")
	rep := commit(t, st)
	wantLog(t, st, "HEAD", "init: 3 files", "add: a.md", "edit by hand: a.md", "edit: a.md")
	if got := git(t, top(st), "log", "-2", "--format=%an"); got != "brain\nAda" {
		t.Errorf("authors %q", got)
	}
	if got := git(t, top(st), "show", "HEAD~:brains/default/a.md"); got != "one\nby hand" {
		t.Errorf("the edit by hand holds %q", got)
	}
	if len(rep.Commits) != 2 {
		t.Errorf("%+v", rep)
	}
}

func TestAHandEditBetweenTwoWritesOfABatch(t *testing.T) {
	st, _ := ledgerBrain(t)
	add(t, st, "a.md", "one\n")
	rewrite(t, st, "a.md", "two\n")
	put(t, st.full("a.md"), "three\n")
	rewrite(t, st, "a.md", "four\n")
	commit(t, st)
	// What the second write left, "two", was replaced by hand before it was
	// committed: its bytes are nowhere, and the commit of the edit says so.
	wantLog(t, st, "HEAD", "init: 3 files", "edit by hand: a.md", "edit: a.md")
	if got := git(t, top(st), "show", "HEAD~:brains/default/a.md"); got != "three" {
		t.Errorf("the edit by hand holds %q", got)
	}
	if got := git(t, top(st), "log", "-1", "--format=%B", "HEAD~"); !strings.Contains(got, "also holds what came before") {
		t.Errorf("message %q", got)
	}
}

func TestAHandEditAfterTheLastWrite(t *testing.T) {
	st, _ := ledgerBrain(t)
	add(t, st, "a.md", "one\n")
	add(t, st, "b.md", "one\n")
	put(t, st.full("a.md"), "by hand\n")
	commit(t, st)
	wantLog(t, st, "HEAD", "init: 3 files", "add: b.md", "edit by hand: a.md")
	if got := git(t, top(st), "status", "--porcelain"); got != "" {
		t.Errorf("status %q", got)
	}
}

func TestAPageMadeByHandIsCommittedBeforeItIsRewritten(t *testing.T) {
	st, _ := ledgerBrain(t)
	put(t, st.full("a.md"), "by hand\n")
	rewrite(t, st, "a.md", "by brain\n")
	commit(t, st)
	wantLog(t, st, "HEAD", "init: 3 files", "edit by hand: a.md", "edit: a.md")
}

func TestCommitAllTakesInWhatWasMadeByHand(t *testing.T) {
	st, _ := ledgerBrain(t)
	add(t, st, "a.md", "one\n")
	commit(t, st)
	put(t, st.full("笔记/今天.md"), "手写\n")
	put(t, st.full("sessions/2026-01/s/messages.jsonl"), "{}\n")
	put(t, st.full(".obsidian/x.json"), "{}\n")
	if err := os.Remove(st.full("a.md")); err != nil {
		t.Fatal(err)
	}
	if rep, err := st.CommitAll(t.Context()); err != nil || rep.Files != 2 {
		t.Fatalf("%+v %v", rep, err)
	}
	if got, want := git(t, top(st), "-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "HEAD"), ".gitignore\nbrains/default/brain.yml\nbrains/default/笔记/今天.md\nmemory.yml"; got != want {
		t.Errorf("tree %q", got)
	}
	st.Ledger.Sessions = true
	if _, err := st.CommitAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantLog(t, st, "HEAD", "init: 3 files", "add: a.md", "edit by hand: 2 files", "sessions: sessions/2026-01/s/messages.jsonl")
}

func TestUndoneBeforeTheBatchLeavesNoCommit(t *testing.T) {
	st, _ := ledgerBrain(t)
	add(t, st, "a.md", "one\n")
	jobs, err := st.Jobs(1)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := st.Undo(t.Context(), jobs[0].ID); err != nil {
		t.Fatal(err)
	}
	if rep := commit(t, st); rep.Jobs != 2 || len(rep.Commits) != 0 {
		t.Errorf("%+v", rep)
	}
	wantLog(t, st, "HEAD", "init: 3 files")
}

func TestAPassThatDiedAfterTheRefMovedIsNotDoneTwice(t *testing.T) {
	st, _ := ledgerBrain(t)
	add(t, st, "a.md", "one\n")
	rewrite(t, st, "a.md", "two\n")
	raw, err := os.ReadFile(st.undo.dirty())
	if err != nil {
		t.Fatal(err)
	}
	ids, _ := st.undo.dirtyIDs()
	rep := commit(t, st)
	// As if the process had died before it rewrote the list.
	put(t, st.undo.dirty(), string(raw))
	if err := st.undo.writeIntent(intent{Ref: rep.Ref, Commit: rep.Commits[0], Jobs: ids}); err != nil {
		t.Fatal(err)
	}
	rewrite(t, st, "a.md", "three\n")
	commit(t, st)
	wantLog(t, st, "HEAD", "init: 3 files", "add, edit: a.md", "edit: a.md")
	// And before the ref moved: the intent is of a commit that is nowhere.
	rewrite(t, st, "a.md", "four\n")
	ids, _ = st.undo.dirtyIDs()
	if err := st.undo.writeIntent(intent{Ref: rep.Ref, Commit: strings.Repeat("1", 40), Jobs: ids}); err != nil {
		t.Fatal(err)
	}
	commit(t, st)
	wantLog(t, st, "HEAD", "init: 3 files", "add, edit: a.md", "edit: a.md", "edit: a.md")
	if _, err := os.Stat(st.undo.intent()); err == nil {
		t.Error("the intent is still there")
	}
}

// A pass that died after it changed the index and before the ref moved: what it
// put there is not taken for the user's, whether the pages change again, go, or
// come back.
func TestAPassThatDiedAfterTheIndexChangedLeavesNothingStaged(t *testing.T) {
	st, said := ledgerBrain(t)
	for _, p := range []string{"changes.md", "goes.md"} {
		add(t, st, p, "one\n")
	}
	rep := commit(t, st)
	for _, p := range []string{"changes.md", "goes.md"} {
		rewrite(t, st, p, "two\n")
	}
	add(t, st, "new.md", "two\n")
	put(t, filepath.Join(top(st), "mine.txt"), "staged by hand")
	git(t, top(st), "add", "mine.txt")
	two := strings.TrimSpace(git(t, top(st), "hash-object", "-w", filepath.Join(st.Dir(), "new.md")))
	in := intent{Ref: rep.Ref, Commit: strings.Repeat("1", 40), Index: map[string]string{}}
	for _, p := range []string{"changes.md", "goes.md", "new.md"} {
		in.Index["brains/default/"+p] = two
		git(t, top(st), "update-index", "--add", "--cacheinfo", "100644,"+two+",brains/default/"+p)
	}
	if err := st.undo.writeIntent(in); err != nil {
		t.Fatal(err)
	}
	rewrite(t, st, "changes.md", "three\n")
	if err := update(t, st, func(tx *Tx) error {
		two := HashOf([]byte("two\n"))
		return errors.Join(tx.Remove("goes.md", two), tx.Remove("new.md", two))
	}); err != nil {
		t.Fatal(err)
	}
	commit(t, st)
	if got := git(t, top(st), "status", "--porcelain"); got != "A  mine.txt" {
		t.Errorf("status %q, said %q", got, said.take())
	}
	if got := git(t, top(st), "show", "HEAD:brains/default/changes.md"); got != "three" {
		t.Errorf("HEAD has %q", got)
	}
}

func TestAJobWithoutARecordIsDropped(t *testing.T) {
	st, _ := ledgerBrain(t)
	add(t, st, "a.md", "x\n")
	ids, _ := st.undo.dirtyIDs()
	if err := st.undo.forget(ids[0]); err != nil {
		t.Fatal(err)
	}
	if rep := commit(t, st); rep.Jobs != 1 || rep.Left != 0 || len(rep.Commits) != 0 {
		t.Errorf("%+v", rep)
	}
}

func TestAPageThatTheUserCommittedIsNotCommittedAgain(t *testing.T) {
	st, _ := userBrain(t, LedgerOptions{Mode: LedgerBatch, Branch: LedgerCurrent})
	add(t, st, "a.md", "one\n")
	git(t, top(st), "add", "brains/default/a.md")
	git(t, top(st), "commit", "-q", "-m", "the user's")
	commit(t, st)
	wantLog(t, st, "HEAD", "first", "the user's")
	rewrite(t, st, "a.md", "two\n")
	put(t, st.full("a.md"), "by hand\n")
	git(t, top(st), "commit", "-q", "-am", "the user's edit")
	commit(t, st)
	wantLog(t, st, "HEAD", "first", "the user's", "the user's edit")
}

// TestTheBranchWasReplaced is a clone whose branch was reset to another history.
func TestTheBranchWasReplaced(t *testing.T) {
	st, _ := userBrain(t, LedgerOptions{Mode: LedgerPerWrite, Branch: LedgerCurrent})
	add(t, st, "a.md", "one\n")
	ours := git(t, top(st), "rev-parse", "HEAD")
	git(t, top(st), "reset", "-q", "--hard", "HEAD~")
	git(t, top(st), "commit", "-q", "--allow-empty", "-m", "another history")
	theirs := git(t, top(st), "rev-parse", "HEAD")
	add(t, st, "b.md", "one\n")
	wantLog(t, st, "HEAD", "first", "another history", "add: b.md")
	git(t, top(st), "merge-base", "--is-ancestor", theirs, "HEAD")
	git(t, top(st), "cat-file", "-e", ours)
}

func TestARefThatMovesMeanwhileIsSeenAgain(t *testing.T) {
	st, _ := userBrain(t, LedgerOptions{Mode: LedgerBatch, Branch: LedgerCurrent})
	add(t, st, "a.md", "one\n")
	// A wrapper that lets somebody commit just before our first update-ref.
	bin, real := t.TempDir(), must(exec.LookPath("git"))
	put(t, filepath.Join(bin, "git"), `#!/bin/sh
case "$*" in *update-ref*)
	if [ ! -e `+bin+`/once ]; then : > `+bin+`/once; `+real+` commit -q --allow-empty -m between; fi;;
esac
exec `+real+` "$@"
`)
	if err := os.Chmod(filepath.Join(bin, "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	rep := commit(t, st)
	// The commit between took our page with it: the index had it already.
	wantLog(t, st, "HEAD", "first", "between")
	if got := git(t, top(st), "show", "HEAD:brains/default/a.md"); got != "one" || rep.Left != 0 {
		t.Errorf("a.md is %q, %+v", got, rep)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestAPurgedPageDoesNotGetIntoGitAfterAll(t *testing.T) {
	st, _ := ledgerBrain(t)
	add(t, st, "a.md", "secret one\n")
	rewrite(t, st, "a.md", "secret two\n")
	jobs := must(st.Jobs(1))
	// A removal of which nobody kept the bytes.
	if err := st.Update(t.Context(), "purge", func(tx *Tx) error {
		return tx.Remove("a.md", jobs[0].Changes[0].After)
	}); err != nil {
		t.Fatal(err)
	}
	purge := must(st.Jobs(1))[0]
	if err := os.RemoveAll(st.undo.images(purge.ID)); err != nil {
		t.Fatal(err)
	}
	st.Ledger.Mode = LedgerPerWrite // so that the state between gets a commit if it can
	commit(t, st)
	wantLog(t, st, "HEAD", "init: 3 files")
	if out := git(t, top(st), "cat-file", "--batch-all-objects", "--batch"); strings.Contains(out, "secret") {
		t.Error("git has the text")
	}
}

// BenchmarkLedgerPass is one batch of 20 new pages, in a repository with 10,000 other files.
func BenchmarkLedgerPass(b *testing.B) {
	for _, branch := range []string{"", LedgerCurrent} {
		b.Run("branch="+branch, func(b *testing.B) {
			alone(b)
			root := b.TempDir()
			if _, err := Init(root, InitOptions{}); err != nil {
				b.Fatal(err)
			}
			for i := range 10_000 {
				put(b, fmt.Sprintf("%s/other/%d/%d.txt", root, i/100, i), "x")
			}
			git(b, root, "init", "-q")
			git(b, root, "add", ".")
			git(b, root, "commit", "-q", "-m", "first")
			st := must(openDefault(root))
			defer st.Close()
			n := 0
			for b.Loop() {
				b.StopTimer()
				st.Ledger = LedgerOptions{Mode: LedgerBatch, Branch: branch, Writes: 1000}
				for range 20 {
					add(b, st, fmt.Sprintf("notes/%d.md", n), "some text\n")
					n++
				}
				b.StartTimer()
				if rep := commit(b, st); len(rep.Commits) != 1 {
					b.Fatalf("%+v", rep)
				}
			}
		})
	}
}

func TestProcessesThatCommitAtTheSameTimeLoseNothing(t *testing.T) {
	st, _ := ledgerBrain(t)
	var writers []*exec.Cmd
	for range 4 {
		cmd := as(t, "commit-25", top(st))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		writers = append(writers, cmd)
	}
	for _, cmd := range writers {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	commit(t, st)
	if got := strings.Count(git(t, top(st), "ls-tree", "-r", "--name-only", "HEAD", "brains/default/notes")+"\n", "\n"); got != 100 {
		t.Errorf("%d pages are committed of 100", got)
	}
	if got := git(t, top(st), "log", "--format=%s"); strings.Contains(got, "hand") {
		t.Errorf("taken for edits by hand:\n%s", got)
	}
	if got := git(t, top(st), "status", "--porcelain"); got != "" {
		t.Errorf("status %q", got)
	}
}

func commit25(root string) error {
	st, err := openDefault(root)
	if err != nil {
		return err
	}
	st.Ledger = LedgerOptions{Mode: LedgerBatch, Writes: 4}
	for i := range 25 {
		name := page.Path(fmt.Sprintf("notes/%d-%d.md", os.Getpid(), i))
		if err := st.Update(context.Background(), "add", func(tx *Tx) error { return tx.Add(name, []byte(name)) }); err != nil {
			return err
		}
	}
	return nil
}

func TestTwoBrainsOfOneRepositoryShareTheRef(t *testing.T) {
	st, _ := userBrain(t, LedgerOptions{Mode: LedgerPerWrite})
	if _, err := Init(top(st), InitOptions{Brain: "work"}); err != nil {
		t.Fatal(err)
	}
	work := must(Open(st.undo.root, "work"))
	defer work.Close()
	keeping(work, LedgerOptions{Mode: LedgerPerWrite})
	add(t, st, "a.md", "x\n")
	add(t, work, "a.md", "y\n")
	if got, want := git(t, top(st), "ls-tree", "-r", "--name-only", LedgerRef), "brains/default/a.md\nbrains/work/a.md"; got != want {
		t.Errorf("the ledger holds %q", got)
	}
}

func TestWhatBrainWroteWithoutALedgerIsNotAHands(t *testing.T) {
	st, _ := userBrain(t, LedgerOptions{Mode: LedgerPerWrite})
	add(t, st, "a.md", "one\n") // in refs/brain/ledger, which the branch does not have
	st.Ledger = LedgerOptions{}
	add(t, st, "b.md", "one\n") // nowhere
	st.Ledger = LedgerOptions{Mode: LedgerBatch, Branch: LedgerCurrent}
	rewrite(t, st, "a.md", "two\n")
	rewrite(t, st, "b.md", "two\n")
	commit(t, st)
	wantLog(t, st, "HEAD", "first", "earlier writes: 2 files", "edit: 2 files")
}
