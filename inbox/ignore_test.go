package inbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"brain/page"
)

func TestGitIgnoresSessionsUnlessTheyAreTracked(t *testing.T) {
	dir := t.TempDir()
	ib, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ib.Close()
	add := func(id string) {
		t.Helper()
		if _, err := ib.Add(context.Background(), Session{ID: id, Turns: []page.Turn{{Role: "user", Text: "hello"}}}); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "sessions", ".gitignore")
	add("one")
	if raw, err := os.ReadFile(file); err != nil || string(raw) != "*\n" {
		t.Fatalf("%q, %v; want that all is ignored", raw, err)
	}
	ib.Tracked = true
	add("two")
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, want that the file is gone once sessions are tracked", err)
	}
	if err := os.WriteFile(file, []byte("*.tmp\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	add("three")
	ib.Tracked = false
	add("four")
	if raw, err := os.ReadFile(file); err != nil || string(raw) != "*.tmp\n" {
		t.Errorf("%q, %v; want what somebody wrote there", raw, err)
	}
}
