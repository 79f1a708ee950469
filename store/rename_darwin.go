package store

import (
	"errors"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

func renameNew(root *os.Root, from, to string) error {
	return rename(root, from, to, unix.RENAME_EXCL)
}

func swap(root *os.Root, a, b string) error { return rename(root, a, b, unix.RENAME_SWAP) }

// rename is renameatx_np; what the disk cannot do wraps errors.ErrUnsupported.
func rename(root *os.Root, from, to string, flags uint32) error {
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
	err = unix.RenameatxNp(int(fromDir.Fd()), path.Base(from), int(toDir.Fd()), path.Base(to), flags)
	switch err {
	case nil:
		return nil
	case unix.EINVAL, unix.ENOTSUP:
		err = errors.ErrUnsupported
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}
