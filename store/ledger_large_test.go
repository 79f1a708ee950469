package store

import (
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
