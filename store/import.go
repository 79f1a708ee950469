package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"
)

// An import unpacks into brains/.import, a name that no brain can have, on the disk
// where the brain will be:
//
//	brains/.import/LOCK     held by the one import that runs in this root
//	               <random>/ the brain until it is whole
//
// Every file is compared with the manifest as it is written; when all are there and
// synced, one rename makes the brain. Who dies before leaves only .import, which
// the next import clears.

const (
	importDir  = ".import"
	importLock = "LOCK"
)

// ImportOptions says how to import.
type ImportOptions struct {
	Brain  string // name of the brain; "" is the one that the export has
	DryRun bool   // verify, and look whether it could be done, but write nothing
}

// Imported is what an import did, or would do.
type Imported struct {
	Manifest
	Name string // of the brain
	Dir  string // its folder
}

// Verify reads a whole export, an archive or a folder, and compares every file with
// the manifest. Nothing is written. Errors: ErrExportDamaged where it is not what
// was exported, ErrExportRefused for what no export holds (links, paths that lead
// out, files that the manifest does not name), ErrExportNewer.
func Verify(ctx context.Context, from string) (Manifest, error) {
	src, err := openExport(from)
	if err != nil {
		return Manifest{}, fmt.Errorf("verify %s: %w", from, err)
	}
	err = unpack(ctx, src, nowhere{})
	if err = errors.Join(err, src.close()); err != nil {
		return *src.manifest(), fmt.Errorf("verify %s: %w", from, err)
	}
	return *src.manifest(), nil
}

// Import makes a brain of an export. The brain must not exist yet, or hold nothing
// but its brain.yml; it appears whole and verified, or not at all. Errors: those of
// Verify; ErrExists; ErrBusy while another import runs in this root.
func (r Root) Import(ctx context.Context, from string, o ImportOptions) (Imported, error) {
	in, err := r.importFrom(ctx, from, o)
	if err != nil {
		err = fmt.Errorf("import %s: %w", from, err)
	}
	return in, err
}

func (r Root) importFrom(ctx context.Context, from string, o ImportOptions) (in Imported, err error) {
	src, err := openExport(from)
	if err != nil {
		return in, err
	}
	defer func() { err = errors.Join(err, src.close()) }()
	in = Imported{Manifest: *src.manifest(), Name: o.Brain}
	if in.Name == "" {
		in.Name = in.Brain
	}
	if err := checkBrainName(in.Name); err != nil {
		return in, err
	}
	in.Dir = filepath.Join(r.Dir, brainsDir, in.Name)
	if err := r.mayImport(in); err != nil {
		return in, err
	}
	if o.DryRun {
		return in, unpack(ctx, src, nowhere{})
	}
	unlock, err := r.lockImports()
	if err != nil {
		return in, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return in, r.unpackBrain(ctx, src, in)
}

// unpackBrain makes the brain beside its place and moves it there.
func (r Root) unpackBrain(ctx context.Context, src source, in Imported) (err error) {
	out, err := newFolderPacker(filepath.Join(r.Dir, brainsDir, importDir, rand.Text()))
	if err != nil {
		return err
	}
	out.below = "."
	defer func() { err = errors.Join(err, out.drop()) }()
	if err := unpack(ctx, src, out); err != nil {
		return err
	}
	if err := errors.Join(out.settle(), out.root.Close()); err != nil {
		return err
	}
	if err := r.giveWay(ctx, in); err != nil {
		return err
	}
	if err := r.place(filepath.Base(out.dir), in); err != nil {
		return err
	}
	out.done = true
	return nil
}

// place makes the unpacked folder the brain.
func (r Root) place(unpacked string, in Imported) error {
	brains, err := os.OpenRoot(filepath.Join(r.Dir, brainsDir))
	if err != nil {
		return err
	}
	defer brains.Close()
	from := filepath.Join(importDir, unpacked)
	err = brains.Rename(from, in.Name)
	if errors.Is(err, fs.ErrExist) && brains.Remove(in.Name) == nil { // Windows replaces no folder, not even an empty one
		err = brains.Rename(from, in.Name)
	}
	if errors.Is(err, fs.ErrExist) || isNotDir(err) {
		return fmt.Errorf("%w: somebody made %s meanwhile", ErrExists, in.Dir)
	}
	if err != nil {
		return err
	}
	return syncFolder(brains, ".")
}

// mayImport looks whether the place of a brain is free: nothing is there, or a
// brain that holds nothing yet.
func (r Root) mayImport(in Imported) error {
	here, isHere, err := r.hereName()
	if err != nil {
		return err
	}
	if isHere && here == in.Name {
		return fmt.Errorf("%w: the root itself is the brain %q", ErrExists, here)
	}
	if isHere && !slices.ContainsFunc(in.Files, func(e ExportedFile) bool { return e.Path == brainFile }) {
		return fmt.Errorf("%w: it has no %s, and in an adopted folder of notes only that makes a brain", ErrExportRefused, brainFile)
	}
	fi, err := os.Lstat(in.Dir)
	if err != nil {
		return ignoreMissing(err)
	}
	if !fi.IsDir() {
		return fmt.Errorf("%w: %s is a %s", ErrExists, in.Dir, describe(fi.Mode()))
	}
	if known, err := r.Brains(); err != nil || !slices.Contains(known, in.Name) {
		return errors.Join(fmt.Errorf("%w: %s", ErrExists, in.Dir), err)
	}
	st, err := Open(r, in.Name)
	if err != nil {
		return err
	}
	root, err := st.current()
	if err == nil {
		err = st.isEmpty(root)
	}
	return errors.Join(err, st.Close())
}

func (st *Store) isEmpty(root *os.Root) error {
	if why := st.reload(root).readOnly(); why != "" {
		return fmt.Errorf("%w: %s", ErrReadOnly, why)
	}
	names, err := folderNames(root, ".")
	if err != nil {
		return err
	}
	for _, name := range names {
		if name != brainFile && name != txnDir {
			return fmt.Errorf("%w: the brain %s holds %s", ErrExists, st.name, name)
		}
	}
	return nil
}

// giveWay clears the place of a brain that holds nothing yet, as its only writer.
// Until the new one is there an empty folder is left, which is the same brain.
func (r Root) giveWay(ctx context.Context, in Imported) error {
	if err := r.mayImport(in); err != nil {
		return err
	}
	if _, err := os.Lstat(in.Dir); err != nil {
		return ignoreMissing(err)
	}
	st, err := Open(r, in.Name)
	if err != nil {
		return err
	}
	defer st.Close()
	root, err := st.current()
	if err != nil {
		return err
	}
	unlock, err := st.lock(ctx, root, "import")
	if err != nil {
		return err
	}
	if err := st.isEmpty(root); err != nil {
		return errors.Join(err, unlock())
	}
	err = errors.Join(ignoreMissing(root.Remove(brainFile)), root.RemoveAll(txnDir))
	return errors.Join(err, unlock())
}

// lockImports makes brains/.import, takes its lock, and clears what imports that
// died have left; unlock removes it all.
func (r Root) lockImports() (unlock func() error, err error) {
	dir := filepath.Join(r.Dir, brainsDir, importDir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if fi, err := os.Lstat(dir); err != nil || !fi.IsDir() {
		return nil, errors.Join(fmt.Errorf("%s is no folder", dir), err)
	}
	fl := flock.New(filepath.Join(dir, importLock), flock.SetPermissions(0o600))
	ok, err := tryFlock(fl)
	if err := ignoreMissing(err); err != nil {
		return nil, err
	}
	if !ok { // or another took the folder away as it ended
		return nil, fmt.Errorf("%w: another import runs in %s", ErrBusy, r.Dir)
	}
	if err := clearImports(dir, importLock); err != nil {
		return nil, errors.Join(err, fl.Unlock())
	}
	err = os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*\n"), 0o600)
	if err != nil {
		return nil, errors.Join(err, fl.Unlock())
	}
	return func() error {
		clearImports(dir) // what cannot be removed now is met again by the next import
		os.Remove(dir)
		return fl.Unlock()
	}, nil
}

// clearImports removes all in a folder but the names to keep.
func clearImports(dir string, keep ...string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	names, err := folderNames(root, ".")
	for _, name := range names {
		if !slices.Contains(keep, name) {
			err = errors.Join(err, root.RemoveAll(name))
		}
	}
	return err
}

// nowhere takes an export apart without writing.
type nowhere struct{}

func (nowhere) folder(ExportedFolder) error               { return nil }
func (nowhere) file(ExportedFile) (io.WriteCloser, error) { return nopCloser{io.Discard}, nil }
