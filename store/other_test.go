//go:build !unix

package store

import (
	"errors"
	"os/exec"
	"testing"
)

func mkfifo(string) error { return errors.ErrUnsupported }

func unprivilege(t *testing.T, _ *exec.Cmd) { t.Skip("permission bits do not bind this user") }

func isNoSpace(error) bool { return false }

func mountSmall(t *testing.T, _ string) { t.Skip("no small disk to fill") }

func isReadOnlyDisk(error) bool { return false }

func mountDisk(t *testing.T, _, _ string) { t.Skip("no disk to mount") }

func atStepRole(string) error { return errors.ErrUnsupported }

func remount(t *testing.T, _, _ string) { t.Skip("no disk to mount") }
