//go:build unix

package migrate

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestNothingIsFollowedAndNothingWaitedFor(t *testing.T) {
	secret := onDisk(t, map[string]string{"secret.md": "not of this source"})
	dir := onDisk(t, map[string]string{"a.md": "a", ".git/config": "x", "node_modules/x.md": "x", "deep/b.md": "b"})
	for _, err := range []error{
		os.Symlink(filepath.Join(secret, "secret.md"), filepath.Join(dir, "link.md")),
		os.Symlink(secret, filepath.Join(dir, "folder")),
		os.Symlink("a.md", filepath.Join(dir, "inside.md")),
		syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		pages, why := dropsOf(t, "gbrain", dir)
		want := map[string]Reason{"link.md": Link, "folder": Link, "inside.md": Link, "pipe.md": Special, ".git": Hidden, "node_modules": Hidden}
		if diff := cmp.Diff(want, why); diff != "" || pages != 2 {
			t.Errorf("%d pages, %s", pages, diff)
		}
		got := read(t, "mem0", mustOpen(t, filepath.Join(dir, "pipe.md")), Options{})
		if !strings.Contains(got, "error not of this format: ") || !strings.Contains(got, "pipe.md: no regular file") {
			t.Error(got)
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("it waits for a pipe")
	}
}
