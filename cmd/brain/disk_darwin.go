package main

import "golang.org/x/sys/unix"

func diskOf(dir string) (disk, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return disk{}, err
	}
	return disk{
		free: int64(s.Bavail) * int64(s.Bsize), total: int64(s.Blocks) * int64(s.Bsize),
		inodes: int64(s.Ffree), allInodes: int64(s.Files), kind: unix.ByteSliceToString(s.Fstypename[:]),
	}, nil
}

// mayWriteTo asks whether we may write a file, or into a folder, without doing so.
func mayWriteTo(path string) error { return unix.Access(path, unix.W_OK) }
