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
	made := filepath.Join(dir, filepath.FromSlash(a.Path.Dir()), "extracted.json")
	for _, want := range []int{1, 0} { // the second finds it beside turns that were purged before
		if err := os.WriteFile(made, []byte(`{"facts":["heron-42"]}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if n, err := ib.Redact(ctx, "s1", []int{1}); n != want || err != nil {
			t.Errorf("%d turns, %v", n, err)
		}
		if _, err := os.Stat(made); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("extracted.json: %v", err)
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
