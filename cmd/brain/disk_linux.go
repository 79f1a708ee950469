package main

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func diskOf(dir string) (disk, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return disk{}, err
	}
	d := disk{free: int64(s.Bavail) * int64(s.Bsize), total: int64(s.Blocks) * int64(s.Bsize), inodes: int64(s.Ffree), allInodes: int64(s.Files)}
	if mounts, err := os.ReadFile("/proc/self/mountinfo"); err == nil {
		d.kind = mountKind(string(mounts), dir)
	}
	return d, nil
}

// mountKind finds the kind of the file system that a folder lies on, in the form
// of /proc/self/mountinfo, which tells fuse.sshfs from fuse.ntfs where a number of
// statfs does not:
//
//	36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw
//
// Of mounts at one place the last one counts.
func mountKind(mounts, dir string) (kind string) {
	longest := -1
	for line := range strings.Lines(mounts) {
		before, after, ok := strings.Cut(line, " - ")
		fields, what := strings.Fields(before), strings.Fields(after)
		if !ok || len(fields) < 5 || len(what) == 0 {
			continue
		}
		at := unescapeMount(fields[4])
		if liesIn(dir, at) && len(at) >= longest {
			kind, longest = what[0], len(at)
		}
	}
	return kind
}

// liesIn reports whether a folder is another or lies in it.
func liesIn(dir, at string) bool {
	return at == "/" || dir == at || strings.HasPrefix(dir, at+"/")
}

// unescapeMount reads \040 and the like, which stand for blanks in a mount's path.
func unescapeMount(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// mayWriteTo asks whether we may write a file, or into a folder, without doing so.
func mayWriteTo(path string) error { return unix.Access(path, unix.W_OK) }
