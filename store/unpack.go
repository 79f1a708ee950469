package store

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// source gives the files of an export, after its manifest was read and checked.
type source interface {
	manifest() *Manifest
	// next gives a file's path below the brain and its content, which is valid
	// until the next call; io.EOF when the export ended as it should.
	next() (name string, content io.Reader, err error)
	close() error
}

// taker is where what is unpacked goes.
type taker interface {
	folder(ExportedFolder) error
	file(ExportedFile) (io.WriteCloser, error)
}

// unpack takes an export apart and compares every byte with the manifest.
func unpack(ctx context.Context, src source, to taker) error {
	m := src.manifest()
	missing := make(map[string]ExportedFile, len(m.Files))
	for _, e := range m.Files {
		missing[e.Path] = e
	}
	for _, e := range m.Folders {
		if err := to.folder(e); err != nil {
			return err
		}
	}
	for {
		name, content, err := src.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		e, ok := missing[name]
		if !ok {
			return fmt.Errorf("%w: %q stands twice, or not in the manifest", ErrExportRefused, name)
		}
		delete(missing, name)
		if err := unpackFile(ctx, e, content, to); err != nil {
			return err
		}
	}
	for _, e := range m.Files {
		if _, ok := missing[e.Path]; ok {
			return fmt.Errorf("%w: %q is missing", ErrExportDamaged, e.Path)
		}
	}
	return nil
}

func unpackFile(ctx context.Context, e ExportedFile, content io.Reader, to taker) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w, err := to.file(e)
	if err != nil {
		return err
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, h), io.LimitReader(content, e.Size+1))
	if err = errors.Join(err, w.Close()); err != nil {
		return fmt.Errorf("%s: %w", e.Path, err)
	}
	if sum := hex.EncodeToString(h.Sum(nil)); n != e.Size || sum != e.SHA256 {
		return fmt.Errorf("%w: %q is not what was exported: SHA-256 %s, want %s", ErrExportDamaged, e.Path, sum, e.SHA256)
	}
	return nil
}

// openExport opens a folder or an archive and reads the manifest.
func openExport(from string) (source, error) {
	fi, err := os.Stat(from)
	if err != nil {
		return nil, err
	}
	if fi.IsDir() {
		return openFolderExport(from)
	}
	if !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: it is a %s", ErrExportRefused, describe(fi.Mode()))
	}
	return openTar(from)
}

// folderSource reads an export in a folder. It opens what the manifest names and
// nothing else, so that what a file manager leaves there does no harm.
type folderSource struct {
	root *os.Root
	m    *Manifest
	at   int
	open *os.File
}

func openFolderExport(from string) (source, error) {
	root, err := os.OpenRoot(from)
	if err != nil {
		return nil, err
	}
	raw, err := readSmall(root, manifestName)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %s: %w", ErrExportDamaged, manifestName, err), root.Close())
	}
	m, err := parseManifest(raw, 0)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &folderSource{root: root, m: m}, nil
}

func readSmall(root *os.Root, name string) ([]byte, error) {
	f, err := openPlain(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readManifest(f)
}

func readManifest(r io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxManifest+1))
	if err == nil && len(raw) > maxManifest {
		err = ErrTooLarge
	}
	return raw, err
}

// openPlain opens a regular file that is reached without a link, and never waits.
func openPlain(root *os.Root, name string) (*os.File, error) {
	for at := name; at != "."; at = path.Dir(at) {
		fi, err := root.Lstat(at)
		if err != nil {
			return nil, err
		}
		if at == name && !fi.Mode().IsRegular() || at != name && !fi.IsDir() {
			return nil, fmt.Errorf("%w: %q is a %s", ErrExportRefused, at, describe(fi.Mode()))
		}
	}
	return root.OpenFile(name, os.O_RDONLY|openNonblock, 0)
}

func (s *folderSource) manifest() *Manifest { return s.m }

func (s *folderSource) next() (string, io.Reader, error) {
	if err := s.closeOpen(); err != nil {
		return "", nil, err
	}
	if s.at == len(s.m.Files) {
		return "", nil, io.EOF
	}
	name := s.m.Files[s.at].Path
	s.at++
	f, err := openPlain(s.root, path.Join(exportedTree, name))
	if err != nil && !errors.Is(err, ErrExportRefused) {
		err = fmt.Errorf("%w: %w", ErrExportDamaged, err)
	}
	s.open = f
	return name, f, err
}

func (s *folderSource) closeOpen() error {
	if s.open == nil {
		return nil
	}
	err := s.open.Close()
	s.open = nil
	return err
}

func (s *folderSource) close() error { return errors.Join(s.closeOpen(), s.root.Close()) }

// tarSource reads a .tar.gz.
type tarSource struct {
	f   *os.File
	in  *bufio.Reader
	zip *gzip.Reader
	tar *tar.Reader
	m   *Manifest

	folders map[string]bool // names in the archive, from the manifest
}

func openTar(from string) (source, error) {
	f, err := os.Open(from)
	if err != nil {
		return nil, err
	}
	s := &tarSource{f: f, in: bufio.NewReaderSize(f, 1<<16)}
	if err := s.begin(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

// begin reads the first entry, which is the manifest.
func (s *tarSource) begin() (err error) {
	if s.zip, err = gzip.NewReader(s.in); err != nil {
		return fmt.Errorf("%w: no .tar.gz: %w", ErrExportDamaged, err)
	}
	s.zip.Multistream(false)
	s.tar = tar.NewReader(s.zip)
	h, err := s.tar.Next()
	if err != nil {
		return fmt.Errorf("%w: no .tar.gz: %w", ErrExportDamaged, err)
	}
	if h.Name != manifestName || h.Typeflag != tar.TypeReg {
		return fmt.Errorf("%w: its first entry is %q, want %s", ErrExportRefused, h.Name, manifestName)
	}
	raw, err := readManifest(s.tar)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrExportDamaged, manifestName, err)
	}
	fi, err := s.f.Stat()
	if err != nil {
		return err
	}
	if s.m, err = parseManifest(raw, fi.Size()); err != nil {
		return err
	}
	s.folders = make(map[string]bool, len(s.m.Folders))
	for _, e := range s.m.Folders {
		s.folders[path.Join(exportedTree, e.Path)+"/"] = true
	}
	return nil
}

func (s *tarSource) manifest() *Manifest { return s.m }

// next passes over folders, which the manifest has named, and refuses all that is
// neither a folder nor a file.
func (s *tarSource) next() (string, io.Reader, error) {
	for {
		h, err := s.tar.Next()
		if err == io.EOF {
			return "", nil, s.end()
		}
		if err != nil {
			return "", nil, fmt.Errorf("%w: %w", ErrExportDamaged, err)
		}
		switch h.Typeflag {
		case tar.TypeDir:
			if !s.folders[h.Name] {
				return "", nil, fmt.Errorf("%w: the manifest names no folder %q", ErrExportRefused, h.Name)
			}
		case tar.TypeReg:
			name, ok := strings.CutPrefix(h.Name, exportedTree+"/")
			if !ok {
				return "", nil, fmt.Errorf("%w: %q lies outside %s/", ErrExportRefused, h.Name, exportedTree)
			}
			return name, damaged{s.tar}, nil
		default:
			return "", nil, fmt.Errorf("%w: %q is neither a file nor a folder", ErrExportRefused, h.Name)
		}
	}
}

// damaged marks the errors of reading an archive.
type damaged struct{ io.Reader }

func (d damaged) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%w: %w", ErrExportDamaged, err)
	}
	return n, err
}

// end demands that nothing follows: after the last entry only the zeros that tar
// programs fill up with, then the checksum, then the end of the file.
func (s *tarSource) end() error {
	const padding = 1 << 20
	rest, err := io.ReadAll(io.LimitReader(s.zip, padding+1))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrExportDamaged, err)
	}
	if len(rest) > padding || strings.Trim(string(rest), "\x00") != "" {
		return fmt.Errorf("%w: something follows the last file", ErrExportRefused)
	}
	if _, err := s.in.ReadByte(); err != io.EOF {
		return errors.Join(fmt.Errorf("%w: something follows the archive", ErrExportRefused), err)
	}
	return io.EOF
}

func (s *tarSource) close() error { return errors.Join(s.zip.Close(), s.f.Close()) }
