//go:build unix

package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"brain/llm/llmtest"

	"golang.org/x/sys/unix"
)

// smallDiskRole syncs where no file may grow beyond a limit, tells the error,
// and shows that the generation before still answers.
func smallDiskRole(args []string) error {
	limit, err := strconv.ParseUint(args[2], 10, 64)
	if err != nil {
		return err
	}
	var r unix.Rlimit
	setTo(&r.Cur, limit)
	setTo(&r.Max, limit)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &r); err != nil {
		return err
	}
	return answersAlthough(args)
}

// setTo sets a limit, which has a sign on some systems.
func setTo[N int64 | uint64](to *N, limit uint64) { *to = N(limit) }

func answersAlthough(args []string) error {
	ix, tr, err := openRole(args)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if _, err := ix.Sync(ctx, tr, SyncOptions{}); err == nil || ctx.Err() != nil {
		return fmt.Errorf("sync without room: %v, %v", err, ctx.Err())
	} else {
		fmt.Println("error:", err)
	}
	v, err := ix.View()
	if err != nil {
		return err
	}
	if err := askMarker(v); err != nil {
		return err
	}
	return errors.Join(v.Release(), ix.Close())
}

// A disk that is full: the error says so, the old generation answers, nothing
// is left behind, and the next sync that has room succeeds.
func TestNoRoom(t *testing.T) {
	for name, limit := range map[string]int{"for words": 20 << 10, "for the page table": 500 << 10} {
		t.Run(name, func(t *testing.T) {
			tr := newTree(t, map[string]string{"hub.md": "hub\n"}).settled()
			setMarker(t, tr, 1)
			ix := open(t, llmtest.Hash(16))
			syncIn(t, ix, tr)
			for i := range 400 {
				tr.write(t, fmt.Sprintf("p%d.md", i), strings.Repeat(fmt.Sprintf("[[target %d of a long link that fills the table]] ", i), 40))
			}
			out, err := child(t, "small", ix.o.Dir, tr.dir, strconv.Itoa(limit)).Output()
			if err != nil || !strings.Contains(string(out), "too large") {
				t.Fatalf("%s %v", out, err)
			}
			noLitter(t, ix.o.Dir)
			must(t, askMarker(view(t, ix)))
			syncIn(t, ix, tr)
			sound(t, ix, tr)
		})
	}
}

// The same on a file system that is full, where one may be mounted.
func TestFullFileSystem(t *testing.T) {
	dir := t.TempDir()
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("only root on Linux mounts a small file system")
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no small file system: %s", out)
	}
	t.Cleanup(func() { must(t, exec.Command("umount", dir).Run()) })
	tr := newTree(t, map[string]string{"hub.md": "hub\n"}).settled()
	setMarker(t, tr, 1)
	ix := openIn(t, filepath.Join(dir, "index"), llmtest.Hash(16))
	syncIn(t, ix, tr)
	for i := range 400 {
		tr.write(t, fmt.Sprintf("p%d.md", i), strings.Repeat(fmt.Sprintf("[[target %d of a long link that fills the table]] ", i), 60))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := ix.Sync(ctx, tr, SyncOptions{}); !errors.Is(err, unix.ENOSPC) && !strings.Contains(fmt.Sprint(err), "no space") {
		t.Errorf("sync on a full disk: %v", err)
	}
	noLitter(t, ix.o.Dir)
	v, err := ix.View()
	must(t, err)
	must(t, askMarker(v))
	must(t, v.Release())
	for i := range 395 {
		tr.remove(t, fmt.Sprintf("p%d.md", i))
	}
	syncIn(t, ix, tr)
	sound(t, ix, tr)
	must(t, ix.Close())
}
