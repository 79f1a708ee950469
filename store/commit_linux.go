package store

import (
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// moveNew renames a file within the brain and never replaces another.
func moveNew(root *os.Root, from, to string) error {
	fromDir, err := root.Open(path.Dir(from))
	if err != nil {
		return err
	}
	defer fromDir.Close()
	toDir, err := root.Open(path.Dir(to))
	if err != nil {
		return err
	}
	defer toDir.Close()
	err = unix.Renameat2(int(fromDir.Fd()), path.Base(from), int(toDir.Fd()), path.Base(to), unix.RENAME_NOREPLACE)
	switch err {
	case nil:
		return nil
	case unix.ENOSYS, unix.EINVAL, unix.ENOTSUP, unix.EPERM: // some network and FUSE disks
		return moveNewByLink(root, from, to)
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}
