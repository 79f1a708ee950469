package inbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"brain/page"
)

func TestPurgedTurnsKeepTheNumbersOfTheOthers(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, txnDir), 0o755); err != nil {
		t.Fatal(err)
	}
	ib, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ib.Close()
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	said := Session{ID: "s1", At: at, Turns: []page.Turn{
		{Role: "user", At: at, Text: "密码是 heron-42。"}, {Role: "assistant", Text: "Noted."}, {Role: "user", Text: "heron-42 it is"},
	}}
	a, err := ib.Add(ctx, said)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := ib.Redact(ctx, "s1", []int{1, 3, 9}); n != 2 || err != nil {
		t.Errorf("%d turns, %v", n, err)
	}
	if n, err := ib.Redact(ctx, "s1", []int{1}); n != 0 || err != nil {
		t.Errorf("a second time: %d turns, %v", n, err)
	}
	got, problems, err := ib.Read(ctx, "s1")
	if err != nil || len(problems) > 0 || len(got.Turns) != 3 || got.Turns[0].Text != Purged || got.Turns[1].Text != "Noted." ||
		got.Turns[2].Role != "user" || !got.Turns[0].At.Equal(at) {
		t.Errorf("%+v, %v, %v", got, problems, err)
	}
	for _, m := range mustList(t, ib) {
		if m.Problem != "" {
			t.Errorf("meta.json: %s", m.Problem)
		}
	}
	raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(string(a.Path))))
	if err != nil || strings.Contains(string(raw), "heron") {
		t.Errorf("the file holds %s, %v", raw, err)
	}

	if err := ib.Remove(ctx, "s1"); err != nil {
		t.Fatal(err)
	}
	if err := ib.Remove(ctx, "s1"); !errors.Is(err, ErrNotFound) {
		t.Errorf("once more: %v", err)
	}
	if err := ib.Remove(ctx, "../x"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a climbing id: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*", "*s1*")); len(mustList(t, ib)) > 0 || len(left) > 1 {
		t.Errorf("left: %q", left) // the lock's file
	}
}

// A crash left the beginning of a turn, which was then added whole.
func TestAPurgeTakesHalfLines(t *testing.T) {
	ib := opened(t)
	a := sayingTo(t, ib, "a", "one", "two")
	whole := tree(t, ib)[string(a.Path)]
	write(t, ib, string(a.Path), whole+`{"role":"user","text":"my pin is heron-42`)
	sayingTo(t, ib, "a", "one", "two", "my pin is heron-42, and so on", "four")
	if n, err := ib.Redact(ctx, "a", []int{3}); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if got := tree(t, ib)[string(a.Path)]; strings.Contains(got, "heron") || !strings.HasPrefix(got, whole) || strings.Count(got, "\n") != 5 {
		t.Errorf("the file holds %s", got)
	}
	s, problems, err := ib.Read(ctx, "a")
	if err != nil || len(problems) > 0 || len(s.Turns) != 4 || s.Turns[2].Text != Purged || s.Turns[3].Text != "four" {
		t.Errorf("%+v, %v, %v", s.Turns, problems, err)
	}
	wantState(t, ib, "a", Pending)
}

// The path of a page says what it is about.
func TestAPurgedPageIsNamedNoMore(t *testing.T) {
	ib := opened(t)
	sayingTo(t, ib, "a", "one", "two")
	if err := taken(t, ib, "a").Settle(ctx, Outcome{Through: 2, Pages: []page.Path{"notes/heron-42.md", "notes/two.md"}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} { // also when its turns are gone already
		if n, err := ib.Redact(ctx, "a", []int{1}, "notes/heron-42.md"); n != want || err != nil {
			t.Fatal(n, err)
		}
		if m := wantState(t, ib, "a", Done); len(m.Pages) != 1 || m.Pages[0] != "notes/two.md" {
			t.Errorf("pages %q, want the other one", m.Pages)
		}
		for name, content := range tree(t, ib) {
			if strings.Contains(content, "heron") {
				t.Errorf("%s holds %s", name, content)
			}
		}
		m := wantState(t, ib, "a", Done)
		m.Pages = append(m.Pages, "notes/heron-42.md")
		if err := ib.writeMeta(m.Path.Dir(), m); err != nil {
			t.Fatal(err)
		}
	}
}

// Who purged a session died, and somebody asks once more.
func TestAPurgeThatWasCutShortIsFinished(t *testing.T) {
	ib := opened(t)
	sayingTo(t, ib, "a", "heron-42")
	sayingTo(t, ib, "b", "still here")
	ib.steps = func(op, name string) error {
		if op == "remove" && len(tree(t, ib)["sessions/2026-03/a/messages.jsonl"]) == 0 {
			return errors.New("dead")
		}
		return nil
	}
	if err := ib.Remove(ctx, "a"); err == nil {
		t.Fatal("it went well")
	}
	ib.steps = nil
	if err := ib.Remove(ctx, "a"); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v, want that it is gone", err)
	}
	for _, id := range []string{"a", "b", "c", "../sessions"} {
		if err := ib.RemoveRest(ctx, id); err != nil {
			t.Error(err)
		}
	}
	wantState(t, ib, "b", Pending)
	for name, content := range tree(t, ib) {
		if strings.Contains(content, "heron") {
			t.Errorf("%s is left", name)
		}
	}
}

func TestRedactRemovesWhatWasExtractedFromTheTurns(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, txnDir), 0o755); err != nil {
		t.Fatal(err)
	}
	ib, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ib.Close()
	a, err := ib.Add(ctx, Session{ID: "s1", Turns: []page.Turn{{Role: "user", Text: "密码是 heron-42。"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} { // the second finds them beside turns that were purged before
		made := []string{"extracted.json", "extracted.new.json"} // and who died while it was written
		for i, name := range made {
			made[i] = filepath.Join(dir, filepath.FromSlash(a.Path.Dir()), name)
			if err := os.WriteFile(made[i], []byte(`{"facts":["heron-42"]}`), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if n, err := ib.Redact(ctx, "s1", []int{1}); n != want || err != nil {
			t.Errorf("%d turns, %v", n, err)
		}
		for _, name := range made {
			if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func mustList(t *testing.T, ib *Box) []Meta {
	t.Helper()
	all, err := ib.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return all
}
