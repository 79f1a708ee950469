package main

import "golang.org/x/sys/unix"

func diskOf(dir string) (disk, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return disk{}, err
	}
	d := disk{free: int64(s.Bavail) * int64(s.Bsize)}
	switch int64(s.Type) {
	case unix.NFS_SUPER_MAGIC:
		d.network = "NFS"
	case unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC:
		d.network = "SMB"
	case unix.V9FS_MAGIC:
		d.network = "9P"
	case unix.CEPH_SUPER_MAGIC:
		d.network = "Ceph"
	case unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC:
		d.network = "AFS"
	case unix.CODA_SUPER_MAGIC:
		d.network = "Coda"
	}
	return d, nil
}
