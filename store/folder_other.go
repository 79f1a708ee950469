//go:build !linux && !darwin

package store

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

const openNonblock = 0

// folder is an open folder by the means every system has: names and stats are
// asked through os.Root, which never leaves the brain.
type folder struct {
	root *os.Root
	path string // within root
}

func openTop(root *os.Root) (folder, error) { return folder{root, "."}, nil }

func (d folder) open(name string) (folder, error) {
	return folder{d.root, path.Join(d.path, name)}, nil
}

func (d folder) close() {}

func (d folder) entries(prefix string, into []entry) ([]entry, error) {
	f, err := d.root.Open(d.path)
	if err != nil {
		return into, err
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	for _, e := range list {
		into = append(into, entry{path: prefix + e.Name(), kind: modeKind(e.Type())})
	}
	return into, err
}

func (d folder) stat(name string) (info, error) {
	fi, err := d.root.Lstat(path.Join(d.path, name))
	if err != nil {
		return info{}, err
	}
	return info{kind: modeKind(fi.Mode().Type()), size: fi.Size(), mtime: fi.ModTime().UnixNano()}, nil
}

func modeKind(m fs.FileMode) kind {
	switch {
	case m.IsRegular():
		return file
	case m.IsDir():
		return dir
	case m&fs.ModeSymlink != 0:
		return link
	}
	return special
}

func (d folder) readFile(name string, limit int64) ([]byte, error) {
	f, err := d.root.Open(path.Join(d.path, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(raw)) > limit {
		err = fmt.Errorf("larger than %d bytes", limit)
	}
	return raw, err
}

func isNotDir(error) bool { return false }

func isLoop(error) bool { return false }
