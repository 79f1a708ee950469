//go:build unix

package store

import (
	"errors"
	"os/exec"
	"syscall"
	"testing"
)

func mkfifo(name string) error { return syscall.Mkfifo(name, 0o644) }

// unprivilege makes a command run as nobody.
func unprivilege(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534, NoSetGroups: true}}
}

func isNoSpace(err error) bool { return errors.Is(err, syscall.ENOSPC) }

func isReadOnlyDisk(err error) bool { return errors.Is(err, syscall.EROFS) }

// mountSmall puts a disk of 256 KiB on dir, where the test may.
func mountSmall(t *testing.T, dir string) { mountDisk(t, dir, "size=256k") }

// mountDisk puts a disk in memory on dir, where the test may.
func mountDisk(t *testing.T, dir, options string) {
	t.Helper()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no disk to put on %s: %v: %s", dir, err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
}

// remount makes a disk read-only ("ro") or writable ("rw").
func remount(t *testing.T, dir, how string) {
	t.Helper()
	if out, err := exec.Command("mount", "-o", "remount,"+how, dir).CombinedOutput(); err != nil {
		t.Fatalf("remount %s: %v: %s", how, err, out)
	}
}
