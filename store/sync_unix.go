//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
)

// syncFolder makes a folder's entries last. Disks that cannot sync a folder say
// EINVAL and order their writes themselves.
func syncFolder(root *os.Root, folder string) error {
	f, err := root.Open(folder)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
