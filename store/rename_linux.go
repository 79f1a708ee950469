package store

import (
	"errors"

	"golang.org/x/sys/unix"
)

type renameFlags = uint

const (
	noReplace renameFlags = unix.RENAME_NOREPLACE
	exchange  renameFlags = unix.RENAME_EXCHANGE
)

func renameAt(fromDir int, from string, toDir int, to string, flags renameFlags) error {
	err := unix.Renameat2(fromDir, from, toDir, to, flags)
	switch err {
	case unix.ENOSYS, unix.EINVAL, unix.ENOTSUP, unix.EPERM: // some network and FUSE disks
		return errors.ErrUnsupported
	}
	return err
}
