package store

import (
	"errors"

	"golang.org/x/sys/unix"
)

type renameFlags = uint32

const (
	noReplace renameFlags = unix.RENAME_EXCL
	exchange  renameFlags = unix.RENAME_SWAP
)

func renameAt(fromDir int, from string, toDir int, to string, flags renameFlags) error {
	err := unix.RenameatxNp(fromDir, from, toDir, to, flags)
	switch err {
	case unix.EINVAL, unix.ENOTSUP:
		return errors.ErrUnsupported
	}
	return err
}
