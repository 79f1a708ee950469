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

// mountSmall puts a disk of 256 KiB on dir, where the test may.
func mountSmall(t *testing.T, dir string) {
	t.Helper()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no small disk to fill: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
}
