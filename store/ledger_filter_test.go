package store

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A repository may come from anywhere, and its own configuration with it: a command
// that it names does not run unless that was allowed. One that the user's
// configuration names, as that of git-lfs, does.
func TestAFilterOfTheRepositorysOwnIsBarred(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	command := "touch " + ran + "; cat"
	st, said := userBrain(t, LedgerOptions{Mode: LedgerPerWrite, Branch: LedgerCurrent})
	put(t, filepath.Join(top(st), ".gitattributes"), "*.md filter=evil\n")
	included := filepath.Join(t.TempDir(), "more")
	for what, set := range map[string][]string{
		"clean":    {"filter.evil.clean", command},
		"process":  {"filter.evil.process", command},
		"included": {"include.path", included},
	} {
		put(t, included, "[filter \"evil\"]\n\tclean = "+strconv.Quote(command)+"\n")
		git(t, top(st), "config", set[0], set[1])
		add(t, st, what+".md", "x\n")
		if got := said.take(); !strings.Contains(got, "is a command that the repository itself names") {
			t.Errorf("%s: said %q", what, got)
		}
		if _, err := os.Stat(ran); err == nil {
			t.Fatalf("%s: it ran", what)
		}
		git(t, top(st), "config", "--unset", set[0])
		if rep := commit(t, st); rep.Left != 0 {
			t.Errorf("%s: without the filter: %+v", what, rep)
		}
		said.take()
		st.Ledger.said = nil
	}
	global := filepath.Join(t.TempDir(), "gitconfig")
	put(t, global, "[filter \"evil\"]\n\tclean = "+strconv.Quote(command)+"\n[user]\n\tname = n\n\temail = e@x\n")
	t.Setenv("GIT_CONFIG_GLOBAL", global)
	add(t, st, "users.md", "x\n")
	if _, err := os.Stat(ran); err != nil {
		t.Errorf("the user's own filter did not run: %v, said %q", err, said.take())
	}
}

// A git before 2.26 does not know --show-scope: it ran no pass at all on a branch.
func TestAGitThatDoesNotTellWhoseAFilterIsRunsNone(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	st, said := userBrain(t, LedgerOptions{Mode: LedgerPerWrite, Branch: LedgerCurrent})
	bin, real := t.TempDir(), must(exec.LookPath("git"))
	put(t, filepath.Join(bin, "git"), `#!/bin/sh
case "$*" in
*--show-scope*) echo "error: unknown option 'show-scope'" >&2; exit 129;;
*version) echo git version 2.25.1; exit;;
esac
exec `+real+` "$@"
`)
	if err := os.Chmod(filepath.Join(bin, "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	add(t, st, "a.md", "x\n")
	wantLog(t, st, "HEAD", "first", "add: a.md")
	put(t, filepath.Join(top(st), ".gitattributes"), "页.md filter=any.one\n")
	git(t, top(st), "config", "--global", "filter.any.one.clean", "touch "+ran+"; cat")
	add(t, st, "页.md", "x\n")
	if got := said.take(); !strings.Contains(got, "the filter any.one of brains/default/页.md may be a command that the repository itself names (a git before 2.26 does not tell)") {
		t.Errorf("said %q", got)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("it ran")
	}
	if s := must(st.LedgerState(t.Context())); !strings.HasPrefix(s.Limits, "git 2.25 does not tell") {
		t.Errorf("%+v", s)
	}
	st.Ledger.OwnFilters = true
	commit(t, st)
	wantLog(t, st, "HEAD", "first", "add: a.md", "add: 页.md")
}
