package store

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/page"
)

// told prints versions as: reason, h for by hand, - for one that is not committed,
// path where it differs.
func told(h History) string {
	var all []string
	for _, v := range h.Versions {
		s := v.Reason
		if v.Hand {
			s += " h"
		}
		if v.Commit == "" {
			s += " -"
		}
		if v.Removed {
			s += " gone"
		}
		if v.Path != h.Path {
			s += " " + string(v.Path)
		}
		all = append(all, s)
	}
	return strings.Join(all, "; ")
}

func wantHistory(t *testing.T, st *Store, p page.Path, want string) History {
	t.Helper()
	h, err := st.History(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if got := told(h); got != want {
		t.Fatalf("history of %s: %s\nwant %s", p, got, want)
	}
	return h
}

func move(t *testing.T, st *Store, from, to string) {
	t.Helper()
	if err := st.Update(t.Context(), "move", func(tx *Tx) error {
		raw, err := tx.Read(page.Path(from))
		if err != nil {
			return err
		}
		if err := tx.Remove(page.Path(from), HashOf(raw)); err != nil {
			return err
		}
		return tx.Add(page.Path(to), raw)
	}); err != nil {
		t.Fatal(err)
	}
}

const dated = "---\ntitle: 会议\ncreated_by: hermes\nprovenance:\n  session_id: s-17\n---\n\n第一行\n"

func TestHistoryTellsCommitsJobsAndEditsByHand(t *testing.T) {
	st, _ := ledgerBrain(t)
	add(t, st, "笔记/会议.md", dated)
	commit(t, st)
	put(t, st.full("笔记/会议.md"), dated+"by hand\n")
	rewrite(t, st, "笔记/会议.md", dated+"by hand\nby brain\n")
	commit(t, st)
	move(t, st, "笔记/会议.md", "notes/meeting.md")
	rewrite(t, st, "notes/meeting.md", dated+"last\n")
	put(t, st.full("notes/meeting.md"), dated+"last\nhand\n")
	h := wantHistory(t, st, "notes/meeting.md",
		"edit by hand h -; edit -; move -; edit: 笔记/会议.md 笔记/会议.md; edit by hand: 笔记/会议.md h 笔记/会议.md; add: 笔记/会议.md 笔记/会议.md")
	if v := h.Versions[5]; v.Session != "s-17" || v.Agent != "hermes" || v.Author != ledgerName || len(v.Jobs) != 1 {
		t.Errorf("%+v", v)
	}
	if a := h.Versions[4].Author; a != "Ada <ada@example.org>" {
		t.Errorf("the edit by hand is by %s", a)
	}
	commit(t, st)
	wantHistory(t, st, "notes/meeting.md",
		"edit by hand: notes/meeting.md h; move: 笔记/会议.md gone 笔记/会议.md; edit: 笔记/会议.md 笔记/会议.md; edit by hand: 笔记/会议.md h 笔记/会议.md; add: 笔记/会议.md 笔记/会议.md")
}

func TestHistoryWithoutGit(t *testing.T) {
	st, _ := newBrain(t)
	keeping(st, LedgerOptions{})
	add(t, st, "a.md", "one\n")
	move(t, st, "a.md", "b.md")
	rewrite(t, st, "b.md", "two\n")
	h := wantHistory(t, st, "b.md", "edit -; move -; add - a.md")
	if h.Without != "not in a git repository" {
		t.Errorf("without %q", h.Without)
	}
	put(t, st.full("hand.md"), "x\n")
	wantHistory(t, st, "hand.md", "edit by hand h -")
	_, err := st.History(t.Context(), "nothing.md")
	wantErr(t, err, ErrNotFound)
}

func TestHistoryHasTheUsersOwnCommits(t *testing.T) {
	st, _ := userBrain(t, LedgerOptions{Mode: LedgerPerWrite})
	put(t, st.full("a.md"), "the user's\n")
	git(t, top(st), "add", "brains/default/a.md")
	git(t, top(st), "commit", "-q", "-m", "my note", "--date=2020-01-01T00:00:00Z")
	rewrite(t, st, "a.md", "brain's\n")
	wantHistory(t, st, "a.md", "edit: a.md; my note h")
}

func TestBlame(t *testing.T) {
	st, _ := ledgerBrain(t)
	st.Ledger.Mode = LedgerPerWrite
	const front, more = "---\ntitle: T\nfacts:\n  - text: 数据库是 PostgreSQL\n", "  - text: the port is 5432\n"
	add(t, st, "a.md", front+"---\n\nfirst line\n\nthe same\n")
	rewrite(t, st, "a.md", front+more+"---\n\nfirst line\n\nthe same\n\nthe same\n")
	put(t, st.full("a.md"), front+more+"---\n\nfirst line\n\nthe same\n\nthe same\nby hand\n")
	h, pieces, err := st.Blame(t.Context(), "a.md")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range pieces {
		got = append(got, fmt.Sprintf("%d:%d %s <- %s", p.Fact, p.Line, p.Text, p.Version.Reason))
	}
	want := []string{
		"1:4 数据库是 PostgreSQL <- add: a.md",
		"2:5 the port is 5432 <- edit: a.md",
		"0:8 first line <- add: a.md",
		"0:10 the same <- add: a.md",
		"0:12 the same <- edit: a.md",
		"0:13 by hand <- edit by hand",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(h.Versions) != 3 {
		t.Errorf("%d versions", len(h.Versions))
	}
}

func TestAFactThatReturnedIsOfItsReturn(t *testing.T) {
	st, _ := ledgerBrain(t)
	st.Ledger.Mode = LedgerPerWrite
	add(t, st, "a.md", "one\ntwo\n")
	rewrite(t, st, "a.md", "two\n")
	rewrite(t, st, "a.md", "one\ntwo\nthree\n")
	h, pieces, err := st.Blame(t.Context(), "a.md")
	if err != nil {
		t.Fatal(err)
	}
	if pieces[0].Version != &h.Versions[0] || pieces[1].Version != &h.Versions[2] {
		t.Errorf("one is of %+v, two of %+v", pieces[0].Version, pieces[1].Version)
	}
}

func TestHoldingCommits(t *testing.T) {
	st, _ := userBrain(t, LedgerOptions{Mode: LedgerPerWrite})
	add(t, st, "a.md", "secret\n")
	move(t, st, "a.md", "b.md")
	git(t, top(st), "add", "brains/default/b.md")
	git(t, top(st), "commit", "-q", "-m", "the user has it, too")
	if err := st.Update(t.Context(), "purge", func(tx *Tx) error { return tx.Remove("b.md", HashOf([]byte("secret\n"))) }); err != nil {
		t.Fatal(err)
	}
	held, err := st.HoldingCommits(t.Context(), "b.md")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range held {
		got = append(got, git(t, top(st), "log", "-1", "--format=%s", c))
	}
	slices.Sort(got)
	if want := []string{"add: a.md", "move: 2 files", "the user has it, too"}; !slices.Equal(got, want) {
		t.Errorf("held by %q, want %q", got, want)
	}
}

func TestLedgerState(t *testing.T) {
	st, _ := userBrain(t, LedgerOptions{Mode: LedgerBatch})
	add(t, st, "a.md", "x\n")
	s, err := st.LedgerState(t.Context())
	if err != nil || s.Ref != LedgerRef || s.Repository != top(st) || s.Dirty != 1 || s.Oldest.IsZero() || s.Blocked != "" {
		t.Errorf("%+v %v", s, err)
	}
	git(t, top(st), "bisect", "start")
	if s, _ := st.LedgerState(t.Context()); s.Blocked != "a bisect is in progress" {
		t.Errorf("%+v", s)
	}
}

// keepWriting commits without end, for the test that kills it.
func keepWriting(root string) error {
	st, err := openDefault(root)
	if err != nil {
		return err
	}
	st.Ledger = LedgerOptions{Mode: LedgerBatch, Writes: 3}
	for i := 0; ; i++ {
		name := page.Path(fmt.Sprintf("notes/%d-%d.md", os.Getpid(), i))
		if err := st.Update(context.Background(), "add", func(tx *Tx) error { return tx.Add(name, []byte(name)) }); err != nil {
			return err
		}
		fmt.Println(name)
	}
}

func TestAKilledLedgerLosesNothing(t *testing.T) {
	st, said := ledgerBrain(t)
	for i := range 12 {
		cmd := as(t, "keep-writing", top(st))
		out := must(cmd.StdoutPipe())
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; n < 3+i && lines.Scan(); n++ {
		}
		// Somewhere in the pass that the next few writes begin.
		time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond)
		cmd.Process.Kill()
		cmd.Wait()
	}
	// The git that the last one had started was not killed and may go on for a moment.
	rep := commit(t, st)
	for end := time.Now().Add(10 * time.Second); rep.Skipped != "" && time.Now().Before(end); rep = commit(t, st) {
		time.Sleep(50 * time.Millisecond)
	}
	if line := said.take(); rep.Skipped != "" || rep.Left != 0 || strings.Contains(line, "ledger") {
		t.Errorf("%+v, said %q", rep, line)
	}
	git(t, top(st), "fsck", "--strict")
	if got := git(t, top(st), "status", "--porcelain"); got != "" {
		t.Errorf("status %q", got)
	}
	want := len(list(t, st).Files)
	if got := strings.Count(git(t, top(st), "ls-tree", "-r", "--name-only", "HEAD", "brains/default/notes")+"\n", "\n"); got != want {
		t.Errorf("%d pages are committed of %d", got, want)
	}
	if got := strings.Count(git(t, top(st), "log", "--format=", "--name-only", "--diff-filter=MD")+"\n", "\n"); got != 1 {
		t.Errorf("history changes pages that were only added: %s", git(t, top(st), "log", "--name-status", "--diff-filter=MD"))
	}
}
