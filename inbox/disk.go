package inbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"brain/page"
)

const (
	sessionsDir = "sessions"
	txnDir      = ".txn"
)

// find gives the path of a session, under whatever month it began.
func (ib *Box) find(id string) (page.Path, error) {
	if _, err := page.SessionPath(id, time.Time{}); err != nil || strings.Contains(id, "/") || id[0] == '.' {
		return "", fmt.Errorf("%w: not a name that a session can have", ErrNotFound)
	}
	months, err := ib.folders(sessionsDir)
	if err != nil {
		return "", err
	}
	for _, month := range months {
		folder := path.Join(sessionsDir, month, id)
		switch fi, err := ib.root.Lstat(folder); {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return "", err
		case !fi.IsDir():
			return "", fmt.Errorf("%s is a %s, want a folder", folder, describe(fi.Mode()))
		}
		return page.Path(path.Join(folder, page.SessionFile)), nil
	}
	return "", ErrNotFound
}

// folders gives the names of the folders in a folder, in order, without those
// that begin with a dot. Links are none. A folder that is not there has none.
func (ib *Box) folders(name string) ([]string, error) {
	fi, err := ib.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !fi.IsDir() {
		err = fmt.Errorf("%s is a %s, want a folder", name, describe(fi.Mode()))
	}
	if err != nil {
		return nil, err
	}
	f, err := ib.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	var names []string
	for _, e := range list {
		if e.IsDir() && e.Name()[0] != '.' {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, err
}

// evidence reads the file of a session.
func (ib *Box) evidence(p page.Path) (evidence, error) {
	f, err := ib.open(string(p), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return evidence{}, fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	if err != nil {
		return evidence{}, err
	}
	defer f.Close()
	return readEvidence(f, p)
}

func readEvidence(f *os.File, p page.Path) (evidence, error) {
	raw, mod, err := readAll(f)
	if err != nil {
		return evidence{}, err
	}
	return evidence{Page: page.Parse(p, raw), head: headOf(raw), mod: mod}, nil
}

// open opens a regular file. It never waits, whatever stands at the path.
func (ib *Box) open(name string, flag int) (*os.File, error) {
	fi, err := ib.root.Lstat(name)
	if err == nil && !fi.Mode().IsRegular() {
		err = fmt.Errorf("%s is a %s, want a file", name, describe(fi.Mode()))
	}
	if err != nil && !(errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0) {
		return nil, err
	}
	f, err := ib.root.OpenFile(name, flag|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !now.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s was replaced while it was opened", name), f.Close())
	}
	return f, nil
}

// maxFile bounds what is read of a file at once: far above any conversation.
const maxFile = 1 << 30

func readAll(f *os.File) (raw []byte, mod time.Time, err error) {
	fi, err := f.Stat()
	if err != nil {
		return nil, mod, err
	}
	raw, err = io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(raw) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", fi.Name(), maxFile)
	}
	return raw, fi.ModTime(), err
}

// writeNew writes a file that was not there, and waits until it is on disk.
func (ib *Box) writeNew(name string, content []byte) error {
	if err := ib.step("write", name); err != nil {
		return err
	}
	f, err := ib.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// replace gives a file another content, by way of a temporary file beside it.
func (ib *Box) replace(temp, name string, content []byte) error {
	if err := ib.remove(temp); err != nil { // of one who died before the rename
		return err
	}
	if err := ib.writeNew(temp, content); err != nil {
		return err
	}
	if err := ib.rename(temp, name); err != nil {
		return err
	}
	return ib.sync(path.Dir(name))
}

func (ib *Box) rename(from, to string) error {
	if err := ib.step("rename", to); err != nil {
		return err
	}
	return ib.root.Rename(from, to)
}

// remove removes a file that may be there.
func (ib *Box) remove(name string) error {
	if err := ib.step("remove", name); err != nil {
		return err
	}
	if err := ib.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// makeFolders makes a folder and those above it, for nobody else to look into,
// and makes their names last.
func (ib *Box) makeFolders(folder string) error {
	at := ""
	for part := range strings.SplitSeq(folder, "/") {
		up := path.Join(".", at)
		at = path.Join(at, part)
		err := ib.root.Mkdir(at, 0o700)
		if err == nil {
			err = ib.sync(up)
		} else if errors.Is(err, fs.ErrExist) {
			var fi fs.FileInfo
			if fi, err = ib.root.Lstat(at); err == nil && !fi.IsDir() {
				err = fmt.Errorf("%s is a %s, want a folder", at, describe(fi.Mode()))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sync makes the names in a folder last. Disks that cannot sync a folder say
// so and order their writes themselves; Windows has no way to ask.
func (ib *Box) sync(folder string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := ib.root.Open(folder)
	if err != nil {
		return err
	}
	if err = f.Sync(); errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

func describe(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "folder"
	case m.IsRegular():
		return "file"
	case m&fs.ModeSymlink != 0:
		return "symlink"
	}
	return "special file"
}
