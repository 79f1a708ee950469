package store

import (
	"errors"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// renameNew renames a file within the brain and never replaces another.
func renameNew(root *os.Root, from, to string) error {
	return rename(root, from, to, unix.RENAME_NOREPLACE)
}

// swap exchanges two files within the brain in one step.
func swap(root *os.Root, a, b string) error { return rename(root, a, b, unix.RENAME_EXCHANGE) }

// rename is renameat2 between two folders of the brain; what the disk or the
// system cannot do wraps errors.ErrUnsupported.
func rename(root *os.Root, from, to string, flags uint) error {
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
	err = unix.Renameat2(int(fromDir.Fd()), path.Base(from), int(toDir.Fd()), path.Base(to), flags)
	switch err {
	case nil:
		return nil
	case unix.ENOSYS, unix.EINVAL, unix.ENOTSUP, unix.EPERM: // some network and FUSE disks
		err = errors.ErrUnsupported
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}
