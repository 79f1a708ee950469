//go:build linux || darwin

package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// openNonblock keeps an open from hanging on a fifo.
const openNonblock = unix.O_NONBLOCK

// folder is an open folder, and what a walk needs of it: names with their kind
// from one getdents, a stat relative to the handle.
type folder struct{ fd int }

const openFolder = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NONBLOCK

func openTop(root *os.Root) (folder, error) {
	f, err := root.Open(".")
	if err != nil {
		return folder{}, err
	}
	defer f.Close()
	return folder{int(f.Fd())}.open(".")
}

func (d folder) open(name string) (folder, error) {
	fd, err := openat(d.fd, name, openFolder)
	return folder{fd}, err
}

func (d folder) close() { unix.Close(d.fd) }

func openat(dirfd int, name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(dirfd, name, flags, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// entries appends the folder's names, each behind prefix, to into.
func (d folder) entries(prefix string, into []entry) ([]entry, error) {
	var buf [32 << 10]byte
	for {
		n, err := unix.ReadDirent(d.fd, buf[:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return into, err
		}
		if n <= 0 {
			return into, nil
		}
		if into, err = parseDirents(buf[:n], prefix, into); err != nil {
			return into, err
		}
	}
}

const (
	direntLen  = int(unsafe.Offsetof(unix.Dirent{}.Reclen))
	direntType = int(unsafe.Offsetof(unix.Dirent{}.Type))
	direntName = int(unsafe.Offsetof(unix.Dirent{}.Name))
)

func parseDirents(buf []byte, prefix string, into []entry) ([]entry, error) {
	for len(buf) > 0 {
		if len(buf) < direntName {
			return into, errors.New("short directory entry")
		}
		size := int(binary.NativeEndian.Uint16(buf[direntLen:]))
		if size < direntName || size > len(buf) {
			return into, errors.New("malformed directory entry")
		}
		name := unix.ByteSliceToString(buf[direntName:size])
		if name != "." && name != ".." && name != "" {
			into = append(into, entry{path: prefix + name, kind: direntKind(buf[direntType])})
		}
		buf = buf[size:]
	}
	return into, nil
}

func direntKind(t byte) kind {
	switch t {
	case unix.DT_UNKNOWN:
		return unknown
	case unix.DT_REG:
		return file
	case unix.DT_DIR:
		return dir
	case unix.DT_LNK:
		return link
	}
	return special
}

func (d folder) stat(name string) (info, error) {
	var s unix.Stat_t
	for {
		err := unix.Fstatat(d.fd, name, &s, unix.AT_SYMLINK_NOFOLLOW)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return info{}, err
		}
		return info{
			kind: statKind(uint32(s.Mode)), size: s.Size, inode: uint64(s.Ino),
			mtime: s.Mtim.Nano(), ctime: s.Ctim.Nano(),
		}, nil
	}
}

func statKind(mode uint32) kind {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return file
	case unix.S_IFDIR:
		return dir
	case unix.S_IFLNK:
		return link
	}
	return special
}

// readFile reads a small regular file of this folder.
func (d folder) readFile(name string, limit int64) ([]byte, error) {
	fd, err := openat(d.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(raw)) > limit {
		err = fmt.Errorf("larger than %d bytes", limit)
	}
	return raw, err
}

func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

func isLoop(err error) bool { return errors.Is(err, syscall.ELOOP) }
