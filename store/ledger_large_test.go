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

// countGit puts a git before git that writes down each command, and returns what
// reads them.
func countGit(t *testing.T) func() []string {
	t.Helper()
	bin, real := t.TempDir(), must(exec.LookPath("git"))
	said := filepath.Join(bin, "said")
	put(t, said, "")
	put(t, filepath.Join(bin, "git"), "#!/bin/sh\nprintf '%.250s\\n' \"$*\" >> "+said+"\nexec "+real+" \"$@\"\n")
	if err := os.Chmod(filepath.Join(bin, "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	return func() []string {
		raw, err := os.ReadFile(said)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(raw)), "\n")
	}
}

// rewriteAll is one job that rewrites pages which the ledger has never had.
func rewriteAll(t *testing.T, st *Store, n int) {
	t.Helper()
	for i := range n {
		put(t, st.full(fmt.Sprintf("笔记/%d.md", i)), fmt.Sprintf("%d 旧\n", i))
	}
	if err := st.Update(t.Context(), "move", func(tx *Tx) error {
		for i := range n {
			name := page.Path(fmt.Sprintf("笔记/%d.md", i))
			if err := tx.Replace(name, HashOf(fmt.Appendf(nil, "%d 旧\n", i)), fmt.Appendf(nil, "%d 新\n", i)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// A process for each path made the pass of a large job run into its time limit,
// each time again.
func TestAJobOfManyPagesTakesAFewProcesses(t *testing.T) {
	for branch, most := range map[string]int{"": 6, LedgerCurrent: 12} {
		t.Run("branch "+branch, func(t *testing.T) {
			st, _ := userBrain(t, LedgerOptions{Mode: LedgerBatch, Branch: branch})
			add(t, st, "first.md", "x\n")
			commit(t, st)
			calls := countGit(t)
			rewriteAll(t, st, 120)
			commit(t, st)
			if got := calls(); len(got) > most {
				t.Errorf("%d processes:\n%s", len(got), strings.Join(got, "\n"))
			}
			ref := LedgerRef
			want := []string{"add: first.md", "edit by hand: 120 files", "move: 120 files"}
			if branch != "" {
				ref, want = "HEAD", slices.Insert(want, 0, "first")
			}
			wantLog(t, st, ref, want...)
			if got := git(t, top(st), "show", ref+"~:brains/default/笔记/77.md") + git(t, top(st), "show", ref+":brains/default/笔记/77.md"); got != "77 旧77 新" {
				t.Errorf("page 77 is %q", got)
			}
		})
	}
}

func TestWhenPathsWereLastCommitted(t *testing.T) {
	st, _ := userBrain(t, LedgerOptions{})
	dir := top(st)
	day := func(n int) time.Time { return time.Date(2026, 3, n, 12, 0, 0, 0, time.UTC) }
	at := func(n int, args ...string) {
		t.Setenv("GIT_COMMITTER_DATE", day(n).Format(time.RFC3339))
		git(t, dir, "add", "-A")
		git(t, dir, append(args, "-q")...)
	}
	git(t, dir, "commit", "-q", "--amend", "--allow-empty", "-m", "first", "--date=2026-03-01T00:00:00Z")
	for _, name := range []string{"old", "变", "gone", "both"} {
		put(t, st.full(name+".md"), "1\n")
	}
	put(t, filepath.Join(dir, "outside.md"), "1\n")
	at(2, "commit", "-m", "all")
	git(t, dir, "branch", "side")
	put(t, st.full("变.md"), "2\n")
	put(t, st.full("both.md"), "ours\n")
	if err := os.Remove(st.full("gone.md")); err != nil {
		t.Fatal(err)
	}
	at(4, "commit", "-m", "changed and deleted")
	git(t, dir, "checkout", "-q", "side")
	put(t, st.full("side.md"), "1\n")
	put(t, st.full("both.md"), "theirs\n")
	at(5, "commit", "-m", "on the side")
	git(t, dir, "checkout", "-q", "main")
	gitTry(dir, "merge", "side")
	put(t, st.full("both.md"), "neither\n")
	at(6, "commit", "-m", "merge")
	g := must(findRepository(t.Context(), st.dir))
	tip := git(t, dir, "rev-parse", "HEAD")
	got := must(g.lastCommits(t.Context(), tip, day(3)))
	for name, want := range map[string]int64{"old": 0, "变": day(4).Unix(), "gone": day(4).Unix(), "side": day(5).Unix(), "both": day(6).Unix()} {
		if got["brains/default/"+name+".md"] != want {
			t.Errorf("%s: %d, want %d", name, got["brains/default/"+name+".md"], want)
		}
	}
	if len(got) != 4 {
		t.Errorf("%v", got)
	}
}

// meddle lets something happen when the ledger reads a page for the n-th time: once
// it looks at it, then it writes it into git's stream.
func meddle(st *Store, path string, nth int, then func()) {
	n := 0
	st.steps = func(op, name string) error {
		if op == "look" && name == "brains/default/"+path {
			if n++; n == nth {
				then()
			}
		}
		return nil
	}
}

// The pages of a batch are read while others write: what they change meanwhile is
// their job's, and neither a hand's nor half in a commit.
func TestWritersDoNotWaitForThePagesToBeRead(t *testing.T) {
	for nth, when := range []string{"looked at", "written to git"} {
		t.Run(when, func(t *testing.T) {
			st, _ := ledgerBrain(t)
			for _, p := range []string{"a.md", "b.md", "c.md"} {
				add(t, st, p, "one\n")
			}
			other := open(t, top(st))
			keeping(other, LedgerOptions{Mode: LedgerBatch})
			meddle(st, "b.md", nth+1, func() {
				ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
				defer stop()
				for p, content := range map[page.Path]string{"a.md": "two\n", "b.md": "two\n"} {
					if _, err := other.Rewrite(ctx, "edit", p, func([]byte) ([]byte, error) { return []byte(content), nil }); err != nil {
						t.Errorf("the lock is held: %v", err)
					}
				}
			})
			if rep := commit(t, st); rep.Left != 0 || rep.Jobs != 5 {
				t.Errorf("%+v", rep)
			}
			wantLog(t, st, "HEAD", "init: 3 files", "add, edit: 3 files")
			if got := git(t, top(st), "show", "HEAD:brains/default/b.md"); got != "two" {
				t.Errorf("b.md is %q", got)
			}
			if got := git(t, top(st), "status", "--porcelain"); got != "" {
				t.Errorf("status %q", got)
			}
		})
	}
}

func TestAHandEditWhileThePagesAreRead(t *testing.T) {
	st, _ := ledgerBrain(t)
	add(t, st, "甲.md", "one\n")
	add(t, st, "乙.md", "one\n")
	meddle(st, "甲.md", 2, func() { put(t, st.full("甲.md"), "by hand\n") })
	commit(t, st)
	wantLog(t, st, "HEAD", "init: 3 files", "add: 乙.md", "edit by hand: 甲.md")
	st.steps = nil
	rewrite(t, st, "乙.md", "two\n")
	n := 0
	st.steps = func(op, name string) error {
		if n++; op == "look" {
			put(t, st.full("乙.md"), fmt.Sprintf("%d\n", n))
		}
		return nil
	}
	if rep := commit(t, st); rep.Skipped != "pages change while it reads them" || rep.Left != 1 {
		t.Errorf("%+v", rep)
	}
}

// An update that is taken back while the ledger reads has had a page away for a
// moment, and leaves its line on the list.
func TestAnUpdateThatIsTakenBackWhileThePagesAreRead(t *testing.T) {
	st, _ := ledgerBrain(t)
	add(t, st, "a.md", "one\n")
	add(t, st, "z.md", "one\n")
	if err := os.Remove(st.full("a.md")); err != nil {
		t.Fatal(err)
	}
	meddle(st, "z.md", 1, func() {
		put(t, st.full("a.md"), "one\n")
		if err := st.undo.markDirty(newJobID(time.Now().Add(time.Minute))); err != nil {
			t.Error(err)
		}
	})
	commit(t, st)
	wantLog(t, st, "HEAD", "init: 3 files", "add: 2 files")
}

// A pass that does not end keeps what it has done.
func TestALargeBatchIsCommittedInPortions(t *testing.T) {
	st, _ := ledgerBrain(t)
	st.Ledger.part = 3
	for i := range 5 {
		if err := st.Update(t.Context(), "add", func(tx *Tx) error {
			return errors.Join(tx.Add(page.Path(fmt.Sprintf("n/%d.md", i)), []byte("x")), tx.Add(page.Path(fmt.Sprintf("m/%d.md", i)), []byte("x")))
		}); err != nil {
			t.Fatal(err)
		}
	}
	bin, real := t.TempDir(), must(exec.LookPath("git"))
	put(t, filepath.Join(bin, "git"), "#!/bin/sh\ncase \"$*\" in *update-ref*) echo x >> "+bin+"/n; [ $(wc -l < "+bin+"/n) = 2 ] && exit 1;; esac\nexec "+real+" \"$@\"\n")
	if err := os.Chmod(filepath.Join(bin, "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := os.Getenv("PATH")
	t.Setenv("PATH", bin+":"+path)
	if rep, err := st.Commit(t.Context()); err == nil || rep.Jobs != 2 || rep.Left != 3 || rep.Files != 4 {
		t.Errorf("%+v %v", rep, err)
	}
	t.Setenv("PATH", path)
	if rep := commit(t, st); rep.Jobs != 3 || rep.Left != 0 || len(rep.Commits) != 2 {
		t.Errorf("%+v", rep)
	}
	wantLog(t, st, "HEAD", "init: 3 files", "add: 4 files", "add: 4 files", "add: 2 files")
	if got := git(t, top(st), "status", "--porcelain"); got != "" {
		t.Errorf("status %q", got)
	}
}

// More paths than git is asked for one by one.
func TestALargePassSeesWhatGitHas(t *testing.T) {
	st, _ := userBrain(t, LedgerOptions{Mode: LedgerBatch})
	rewriteAll(t, st, many+1)
	commit(t, st)
	put(t, st.full("笔记/7.md"), "by hand\n")
	if err := st.Update(t.Context(), "edit", func(tx *Tx) error {
		for i := range many + 1 {
			before := HashOf(fmt.Appendf(nil, "%d 新\n", i))
			if i == 7 {
				before = HashOf([]byte("by hand\n"))
			}
			if err := tx.Replace(page.Path(fmt.Sprintf("笔记/%d.md", i)), before, []byte("same\n")); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	commit(t, st)
	all := fmt.Sprintf(": %d files", many+1)
	wantLog(t, st, LedgerRef, "edit by hand"+all, "move"+all, "edit by hand: 笔记/7.md", "edit"+all)
}
