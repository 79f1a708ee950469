//go:build unix

package index

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// mapFile maps a file read-only; the mapping outlives the descriptor and the
// file's name.
func mapFile(path string) ([]byte, func() error, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if st.Size() == 0 {
		return nil, func() error { return nil }, nil
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(st.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, &fs.PathError{Op: "mmap", Path: path, Err: err}
	}
	return b, func() error { return unix.Munmap(b) }, nil
}

func syncDirectory(f *os.File) error { return f.Sync() }

// links counts the names of a file.
func links(st fs.FileInfo) int {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		return int(s.Nlink)
	}
	return 1
}
