package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAUsersRepositoryIsUntouched is a repository with staged changes, a hook that
// fails, signing, a template and an editor, in both branch modes.
func TestAUsersRepositoryIsUntouched(t *testing.T) {
	for _, branch := range []string{"", LedgerCurrent} {
		t.Run("branch "+branch, func(t *testing.T) {
			st, said := userBrain(t, LedgerOptions{Mode: LedgerBatch, Branch: branch})
			hostile(t, top(st))
			put(t, filepath.Join(top(st), "staged.txt"), "staged\n")
			put(t, filepath.Join(top(st), "README"), "changed and staged\n")
			git(t, top(st), "add", "staged.txt", "README")
			put(t, filepath.Join(top(st), "README"), "changed again, not staged\n")
			before := git(t, top(st), "status", "--porcelain=v2")
			for i := range 25 {
				add(t, st, fmt.Sprintf("notes/第%d页.md", i), "x\n")
			}
			commit(t, st)
			after := git(t, top(st), "status", "--porcelain=v2")
			if branch == "" {
				before += "\n? brains/default/notes/" // never added by anybody
			}
			if after != before {
				t.Errorf("status\n%s\nwas\n%s", after, before)
			}
			ref := LedgerRef
			if branch != "" {
				ref = "HEAD"
			}
			if got := len(strings.Split(git(t, top(st), "ls-tree", "-r", "--name-only", ref, "brains/default/notes"), "\n")); got != 25 {
				t.Errorf("%s holds %d pages", ref, got)
			}
			if got := said.take(); got != "" {
				t.Errorf("said %q", got)
			}
			git(t, top(st), "-c", "core.hooksPath=", "-c", "commit.gpgSign=false", "-c", "commit.template=", "commit", "-q", "-am", "the user's next")
			if branch != "" {
				if got := git(t, top(st), "show", "--format=", "--name-only", "HEAD"); got != "README\nstaged.txt" {
					t.Errorf("the user's commit holds %q", got)
				}
			}
			if got := git(t, top(st), "show", ref+":brains/default/notes/第24页.md"); got != "x" {
				t.Errorf("page 24 is %q", got)
			}
			git(t, top(st), "fsck", "--strict")
		})
	}
}

// hostile sets what would stop or change an ordinary commit.
func hostile(t *testing.T, dir string) {
	t.Helper()
	hook := filepath.Join(dir, ".git", "hooks", "pre-commit")
	for _, name := range []string{"pre-commit", "commit-msg", "reference-transaction", "post-index-change", "post-commit"} {
		put(t, filepath.Join(filepath.Dir(hook), name), "#!/bin/sh\ntouch \"$(git rev-parse --git-dir)/HOOK-RAN\"\nexit 1\n")
		if err := os.Chmod(filepath.Join(filepath.Dir(hook), name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for key, value := range map[string]string{"commit.gpgSign": "true", "gpg.program": "false", "commit.template": "/nowhere", "core.editor": "false"} {
		git(t, dir, "config", key, value)
	}
}

func TestNoHookRuns(t *testing.T) {
	st, _ := userBrain(t, LedgerOptions{Mode: LedgerPerWrite, Branch: LedgerCurrent})
	hostile(t, top(st))
	add(t, st, "a.md", "x\n")
	wantLog(t, st, "HEAD", "first", "add: a.md")
	if _, err := os.Stat(filepath.Join(top(st), ".git", "HOOK-RAN")); err == nil {
		t.Error("a hook ran")
	}
}

func TestWhatIsInProgressIsNotDisturbed(t *testing.T) {
	for _, branch := range []string{"", LedgerCurrent} {
		for want, start := range map[string]func(t *testing.T, dir string){
			"a rebase is in progress":      conflictingRebase,
			"a merge is in progress":       func(t *testing.T, dir string) { diverge(t, dir); gitTry(dir, "merge", "side") },
			"a cherry-pick is in progress": func(t *testing.T, dir string) { diverge(t, dir); gitTry(dir, "cherry-pick", "side") },
			"a bisect is in progress":      func(t *testing.T, dir string) { git(t, dir, "bisect", "start") },
			"another git is at work (index.lock is present)": func(t *testing.T, dir string) {
				put(t, filepath.Join(dir, ".git", "index.lock"), "")
			},
		} {
			t.Run(branch+" "+want, func(t *testing.T) {
				st, said := userBrain(t, LedgerOptions{Mode: LedgerBatch, Branch: branch})
				start(t, top(st))
				state := func() string {
					refs := git(t, top(st), "for-each-ref")
					return git(t, top(st), "status", "--porcelain=v2", "--untracked-files=no") + "\n" + refs
				}
				before := state()
				for i := range 25 {
					add(t, st, fmt.Sprintf("notes/%d.md", i), "x\n")
				}
				if after := state(); after != before {
					t.Errorf("now\n%s\nwas\n%s", after, before)
				}
				if got := said.take(); got != "the ledger is skipped: "+want {
					t.Errorf("said %q", got)
				}
				if ids, _ := st.undo.dirtyIDs(); len(ids) != 25 {
					t.Errorf("%d dirty", len(ids))
				}
			})
		}
	}
}

// diverge makes a branch side that conflicts with main.
func diverge(t *testing.T, dir string) {
	t.Helper()
	git(t, dir, "checkout", "-q", "-b", "side")
	put(t, filepath.Join(dir, "README"), "side\n")
	git(t, dir, "commit", "-q", "-am", "side")
	git(t, dir, "checkout", "-q", "main")
	put(t, filepath.Join(dir, "README"), "main\n")
	git(t, dir, "commit", "-q", "-am", "main")
}

func conflictingRebase(t *testing.T, dir string) {
	t.Helper()
	diverge(t, dir)
	if out, err := gitTry(dir, "rebase", "side"); err == nil {
		t.Fatalf("the rebase has no conflict: %s", out)
	}
}

func TestTheUsersNextCommitAfterTheRebaseHasOurPages(t *testing.T) {
	st, _ := userBrain(t, LedgerOptions{Mode: LedgerBatch, Branch: LedgerCurrent})
	conflictingRebase(t, top(st))
	for i := range 25 {
		add(t, st, fmt.Sprintf("notes/%d.md", i), "x\n")
	}
	git(t, top(st), "rebase", "--abort")
	if rep := commit(t, st); rep.Jobs != 25 || rep.Left != 0 {
		t.Errorf("%+v", rep)
	}
	put(t, filepath.Join(top(st), "README"), "more\n")
	git(t, top(st), "commit", "-q", "-am", "the user's next")
	if got := git(t, top(st), "ls-tree", "-r", "--name-only", "HEAD", "brains/default/notes"); strings.Count(got, "\n") != 24 {
		t.Errorf("pages %q", got)
	}
}

func TestWhatTheUserStagedOfOurPageIsLeftAlone(t *testing.T) {
	st, said := userBrain(t, LedgerOptions{Mode: LedgerPerWrite, Branch: LedgerCurrent})
	add(t, st, "a.md", "one\n")
	put(t, st.full("a.md"), "staged\n")
	git(t, top(st), "add", "brains/default/a.md")
	rewrite(t, st, "a.md", "two\n")
	if got := git(t, top(st), "show", ":brains/default/a.md"); got != "staged" {
		t.Errorf("the index holds %q", got)
	}
	if got := git(t, top(st), "show", "HEAD:brains/default/a.md"); got != "two" {
		t.Errorf("the branch holds %q", got)
	}
	if got := said.take(); !strings.Contains(got, "brains/default/a.md is committed, but your index holds something else") {
		t.Errorf("said %q", got)
	}
}

func TestAnIgnoredPageIsNotPutOnTheUsersBranch(t *testing.T) {
	for branch, want := range map[string]string{"": "brains/default/private/a.md", LedgerCurrent: ""} {
		st, said := userBrain(t, LedgerOptions{Mode: LedgerPerWrite, Branch: branch})
		put(t, filepath.Join(top(st), ".git", "info", "exclude"), "private/\n")
		add(t, st, "private/a.md", "x\n")
		ref := LedgerRef
		if branch != "" {
			ref = "HEAD"
			if got := said.take(); !strings.Contains(got, "private/a.md is not committed: an ignore file") {
				t.Errorf("said %q", got)
			}
		}
		if got := git(t, top(st), "ls-tree", "-r", "--name-only", ref, "brains/default/private"); got != want {
			t.Errorf("branch %q: %q, want %q", branch, got, want)
		}
	}
}

func TestPlacesWhereARepositoryMayBe(t *testing.T) {
	t.Run("unborn branch", func(t *testing.T) {
		alone(t)
		st, _ := newBrain(t)
		git(t, top(st), "init", "-q")
		keeping(st, LedgerOptions{Mode: LedgerPerWrite, Branch: LedgerCurrent})
		add(t, st, "a.md", "x\n")
		wantLog(t, st, "HEAD", "add: a.md")
		if got := git(t, top(st), "status", "--porcelain"); strings.Contains(got, "a.md") {
			t.Errorf("status %q", got)
		}
	})
	t.Run("linked worktree", func(t *testing.T) {
		alone(t)
		main := t.TempDir()
		git(t, main, "init", "-q")
		git(t, main, "commit", "-q", "--allow-empty", "-m", "first")
		tree := filepath.Join(t.TempDir(), "tree")
		git(t, main, "worktree", "add", "-q", "-b", "other", tree)
		if _, err := Init(tree, InitOptions{}); err != nil {
			t.Fatal(err)
		}
		st := open(t, tree)
		keeping(st, LedgerOptions{Mode: LedgerPerWrite, Branch: LedgerCurrent})
		add(t, st, "a.md", "x\n")
		wantLog(t, st, "other", "first", "add: a.md")
		wantLog(t, st, "main", "first")
	})
	t.Run("deep in a bigger repository, a user's", func(t *testing.T) {
		alone(t)
		repo := t.TempDir()
		git(t, repo, "init", "-q")
		put(t, filepath.Join(repo, "code.go"), "package x\n")
		git(t, repo, "add", "code.go")
		git(t, repo, "commit", "-q", "-m", "first")
		if _, err := Init(filepath.Join(repo, "docs", "memory"), InitOptions{}); err != nil {
			t.Fatal(err)
		}
		st := open(t, filepath.Join(repo, "docs", "memory"))
		keeping(st, LedgerOptions{Mode: LedgerPerWrite})
		add(t, st, "a.md", "x\n")
		if got := git(t, repo, "ls-tree", "-r", "--name-only", LedgerRef); got != "docs/memory/brains/default/a.md" {
			t.Errorf("the ledger holds %q", got)
		}
	})
	t.Run("submodule", func(t *testing.T) {
		alone(t)
		outer, inner := t.TempDir(), t.TempDir()
		git(t, inner, "init", "-q")
		git(t, inner, "commit", "-q", "--allow-empty", "-m", "first")
		git(t, outer, "init", "-q")
		git(t, outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "memory")
		git(t, outer, "commit", "-q", "-m", "first")
		if _, err := Init(filepath.Join(outer, "memory"), InitOptions{}); err != nil {
			t.Fatal(err)
		}
		st := open(t, filepath.Join(outer, "memory"))
		keeping(st, LedgerOptions{Mode: LedgerPerWrite, Branch: LedgerCurrent})
		add(t, st, "a.md", "x\n")
		wantLog(t, st, "HEAD", "first", "add: a.md")
		if got := git(t, outer, "log", "--format=%s"); got != "first" {
			t.Errorf("the outer repository has %q", got)
		}
	})
	t.Run("bare", func(t *testing.T) {
		alone(t)
		st, _ := newBrain(t)
		git(t, top(st), "init", "-q")
		git(t, top(st), "config", "core.bare", "true")
		said := keeping(st, LedgerOptions{Mode: LedgerPerWrite})
		add(t, st, "a.md", "x\n")
		if got := said.take(); got != "the ledger is skipped: the repository is bare" {
			t.Errorf("said %q", got)
		}
	})
	t.Run("detached", func(t *testing.T) {
		st, said := userBrain(t, LedgerOptions{Mode: LedgerPerWrite, Branch: LedgerCurrent})
		git(t, top(st), "checkout", "-q", "--detach")
		add(t, st, "a.md", "x\n")
		if got := said.take(); got != "the ledger is skipped: HEAD is detached: no branch is checked out" {
			t.Errorf("said %q", got)
		}
		st.Ledger.Branch = ""
		commit(t, st)
		wantLog(t, st, LedgerRef, "add: a.md")
	})
	t.Run("SHA-256", func(t *testing.T) {
		alone(t)
		st, _ := newBrain(t)
		git(t, top(st), "init", "-q", "--object-format=sha256")
		keeping(st, LedgerOptions{Mode: LedgerPerWrite, Branch: LedgerCurrent})
		add(t, st, "a.md", "x\n")
		rewrite(t, st, "a.md", "y\n")
		wantLog(t, st, "HEAD", "add: a.md", "edit: a.md")
	})
	t.Run("none", func(t *testing.T) {
		alone(t)
		st, _ := newBrain(t)
		said := keeping(st, LedgerOptions{Mode: LedgerBatch, Writes: 2})
		add(t, st, "a.md", "x\n")
		add(t, st, "b.md", "x\n")
		if ids, _ := st.undo.dirtyIDs(); len(ids) != 0 {
			t.Errorf("dirty without a repository: %q", ids)
		}
		if got := said.take(); got != "" {
			t.Errorf("said %q", got)
		}
	})
}

func TestWithoutGitOneLineSaysSo(t *testing.T) {
	st, said := ledgerBrain(t)
	t.Setenv("PATH", t.TempDir())
	add(t, st, "a.md", "x\n")
	add(t, st, "b.md", "x\n")
	if got := said.take(); got != "the ledger is off: git was not found" {
		t.Errorf("said %q", got)
	}
	if ids, _ := st.undo.dirtyIDs(); len(ids) != 2 {
		t.Errorf("%d dirty", len(ids))
	}
}

func TestGitThatHangsIsStoppedAndLeftInPeace(t *testing.T) {
	st, said := ledgerBrain(t)
	bin := t.TempDir()
	put(t, filepath.Join(bin, "git"), "#!/bin/sh\necho >> "+filepath.Join(bin, "calls")+"\nsleep 30\n")
	if err := os.Chmod(filepath.Join(bin, "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	st.Ledger.Writes, st.Ledger.Limit = 1, 50*time.Millisecond
	for i := range 5 {
		add(t, st, fmt.Sprintf("%d.md", i), "x\n")
	}
	if got := said.take(); got != "the ledger is skipped: git takes too long" {
		t.Errorf("said %q", got)
	}
	if calls, _ := os.ReadFile(filepath.Join(bin, "calls")); len(calls) != 1 {
		t.Errorf("git was asked %d times", len(calls))
	}
	t.Setenv("PATH", strings.TrimPrefix(os.Getenv("PATH"), bin+":"))
	st.Ledger.Limit = 0
	if rep := commit(t, st); rep.Jobs != 5 || rep.Left != 0 {
		t.Errorf("%+v", rep)
	}
}

func TestAFilterOfTheUsersIsAppliedOnABranch(t *testing.T) {
	st, said := userBrain(t, LedgerOptions{Mode: LedgerPerWrite, Branch: LedgerCurrent, OwnFilters: true})
	put(t, filepath.Join(top(st), ".gitattributes"), "*.md filter=shout\n")
	git(t, top(st), "config", "filter.shout.clean", "tr a-z A-Z")
	git(t, top(st), "config", "filter.shout.smudge", "tr A-Z a-z")
	add(t, st, "a.md", "quiet\n")
	rewrite(t, st, "a.md", "quieter\n")
	wantLog(t, st, "HEAD", "first", "add: a.md", "edit: a.md")
	if got := git(t, top(st), "cat-file", "blob", "HEAD:brains/default/a.md"); got != "QUIETER" {
		t.Errorf("committed %q", got)
	}
	if got := git(t, top(st), "status", "--porcelain", "brains"); got != "" {
		t.Errorf("status %q", got)
	}
	git(t, top(st), "config", "filter.shout.clean", "false")
	git(t, top(st), "config", "filter.shout.required", "true")
	add(t, st, "b.md", "x\n")
	if got := said.take(); !strings.HasPrefix(got, "the ledger is skipped: git's filter for brains/default/b.md fails") {
		t.Errorf("said %q", got)
	}
}

func TestLineEndingsOnABranch(t *testing.T) {
	st, _ := userBrain(t, LedgerOptions{Mode: LedgerPerWrite, Branch: LedgerCurrent})
	put(t, filepath.Join(top(st), ".gitattributes"), "* text=auto\n")
	add(t, st, "a.md", "one\r\ntwo\r\n")
	rewrite(t, st, "a.md", "one\r\ntwo\r\nthree\r\n")
	wantLog(t, st, "HEAD", "first", "add: a.md", "edit: a.md")
	if got := git(t, top(st), "status", "--porcelain", "brains"); got != "" {
		t.Errorf("status %q", got)
	}
}
