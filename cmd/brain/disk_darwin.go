package main

import "golang.org/x/sys/unix"

func diskOf(dir string) (disk, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return disk{}, err
	}
	d := disk{free: int64(s.Bavail) * int64(s.Bsize)}
	if s.Flags&unix.MNT_LOCAL == 0 {
		d.network = unix.ByteSliceToString(s.Fstypename[:])
	}
	return d, nil
}
