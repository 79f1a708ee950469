package store

import (
	"archive/tar"
	"compress/gzip"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// packer takes the parts of an export, in the order manifest, folders, files, and
// keeps them under a name that is not yet the export's. finish syncs and renames;
// drop removes what was not finished.
type packer interface {
	manifest(raw []byte, made time.Time) error
	folder(ExportedFolder) error
	file(ExportedFile) (io.WriteCloser, error)
	finish(to string, force bool) error
	drop() error
}

func isArchive(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".tgz")
}

// mayReplace refuses a name that is taken. With force a file gives way to an
// archive, and an export in a folder to another; a folder of anything else never.
func mayReplace(to string, force bool) error {
	fi, err := os.Lstat(to)
	if err != nil {
		return ignoreMissing(err)
	}
	if !isArchive(to) && fi.IsDir() {
		if _, err := os.Lstat(filepath.Join(to, manifestName)); err == nil && force {
			return nil
		}
	}
	if isArchive(to) && fi.Mode().IsRegular() && force {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrExists, to)
}

func newPacker(to string) (packer, error) {
	temp := filepath.Join(filepath.Dir(to), ".brain-export-"+rand.Text())
	if !isArchive(to) {
		return newFolderPacker(temp)
	}
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	zip := gzip.NewWriter(f)
	return &tarPacker{temp: temp, f: f, zip: zip, tar: tar.NewWriter(zip)}, nil
}

// tarPacker writes a .tar.gz.
type tarPacker struct {
	temp string
	f    *os.File
	zip  *gzip.Writer
	tar  *tar.Writer
	done bool
}

func (p *tarPacker) manifest(raw []byte, made time.Time) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: manifestName, Size: int64(len(raw)), Mode: 0o600, ModTime: made}
	if err := p.tar.WriteHeader(h); err != nil {
		return err
	}
	_, err := p.tar.Write(raw)
	return err
}

func (p *tarPacker) folder(e ExportedFolder) error {
	return p.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: path.Join(exportedTree, e.Path) + "/", Mode: int64(e.folderMode())})
}

func (p *tarPacker) file(e ExportedFile) (io.WriteCloser, error) {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: path.Join(exportedTree, e.Path), Size: e.Size, Mode: int64(e.fileMode()), ModTime: e.Mtime, Format: tar.FormatPAX}
	return nopCloser{p.tar}, p.tar.WriteHeader(h)
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func (p *tarPacker) finish(to string, force bool) error {
	err := errors.Join(p.tar.Close(), p.zip.Close(), p.f.Sync(), p.f.Close())
	if err == nil {
		err = giveName(p.temp, to, force)
	}
	p.done = err == nil
	return err
}

func (p *tarPacker) drop() error {
	if p.done {
		return nil
	}
	p.f.Close() // after an error of finish it is closed already
	return os.Remove(p.temp)
}

// giveName moves what is whole to the name it was made for.
func giveName(temp, to string, force bool) error {
	root, err := os.OpenRoot(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer root.Close()
	if force {
		err = os.Rename(temp, to)
	} else if err = moveNew(root, filepath.Base(temp), filepath.Base(to)); errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%w: %s", ErrExists, to)
	}
	return errors.Join(err, syncFolder(root, "."))
}

// folderPacker writes a tree of files: an export in a folder, and the brain that an
// import unpacks.
type folderPacker struct {
	dir     string // absolute
	below   string // where files and folders go: exportedTree, or "."
	root    *os.Root
	folders []ExportedFolder
	files   []string
	done    bool
}

func newFolderPacker(dir string) (*folderPacker, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, errors.Join(err, os.Remove(dir))
	}
	return &folderPacker{dir: dir, below: exportedTree, root: root}, nil
}

func (p *folderPacker) manifest(raw []byte, _ time.Time) error {
	p.files = append(p.files, manifestName)
	return p.root.WriteFile(manifestName, raw, 0o600)
}

// folder makes a folder that its owner alone can use; it gets its mode when all is
// written. One that is there already is another spelling of the same name, on a
// disk that ignores case.
func (p *folderPacker) folder(e ExportedFolder) error {
	p.folders = append(p.folders, e)
	at := path.Join(p.below, e.Path)
	if at == "." {
		return nil
	}
	return twinOnDisk(e.Path, p.root.Mkdir(at, 0o700))
}

func (p *folderPacker) file(e ExportedFile) (io.WriteCloser, error) {
	at := path.Join(p.below, e.Path)
	f, err := p.root.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, twinOnDisk(e.Path, err)
	}
	p.files = append(p.files, at)
	return &unpacked{f, p.root, at, e}, nil
}

func twinOnDisk(name string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: %q: this disk takes it for another name of the same", ErrExportRefused, name)
	}
	return err
}

// unpacked is a file that gets its mode and time when it is closed.
type unpacked struct {
	*os.File
	root *os.Root
	at   string
	e    ExportedFile
}

func (u *unpacked) Close() error {
	err := u.Chmod(u.e.fileMode())
	return errors.Join(err, u.File.Close(), u.root.Chtimes(u.at, u.e.Mtime, u.e.Mtime))
}

// settle gives the folders their modes and makes everything last. Syncing when all
// is written costs a tenth of syncing each file as it comes.
func (p *folderPacker) settle() error {
	for _, name := range p.files {
		if err := syncFile(p.root, name); err != nil {
			return err
		}
	}
	for _, e := range slices.Backward(p.folders) {
		at := path.Join(p.below, e.Path)
		if err := errors.Join(syncFolder(p.root, at), p.root.Chmod(at, e.folderMode())); err != nil {
			return err
		}
	}
	return syncFolder(p.root, ".")
}

func (p *folderPacker) finish(to string, force bool) error {
	if err := errors.Join(p.settle(), p.root.Close()); err != nil {
		return err
	}
	old := p.dir + ".old"
	if force {
		if err := ignoreMissing(os.Rename(to, old)); err != nil {
			return err
		}
	}
	if err := giveName(p.dir, to, false); err != nil {
		return errors.Join(err, ignoreMissing(os.Rename(old, to)))
	}
	p.done = true
	return os.RemoveAll(old)
}

func (p *folderPacker) drop() error {
	if p.done {
		return nil
	}
	return errors.Join(p.root.Close(), os.RemoveAll(p.dir)) // closing twice is no error
}
