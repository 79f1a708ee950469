package store

import (
	"errors"
	"io/fs"
	"os"
	"path"

	"golang.org/x/sync/errgroup"
)

// disk is a brain's folder as a writer changes it. Each method that changes it
// is one step: a writer may die, or find the disk full, between any two, and
// another program may write there. What reads goes through os.Root as ever.
type disk struct {
	*os.Root
	steps steps
}

// steps is asked before each step; its error takes the step's place. Only tests
// set it, to fail, to die, or to be the other program.
type steps func(op, name string) error

func (s steps) before(op, name string) error {
	if s == nil {
		return nil
	}
	return s(op, name)
}

func (st *Store) disk(root *os.Root) disk { return disk{root, st.steps} }

// write makes a file and syncs it. mode 0 leaves its rights to the umask.
func (d disk) write(name string, content []byte, mode fs.FileMode) error {
	if err := d.steps.before("write", name); err != nil {
		return err
	}
	return writeSynced(d.Root, name, content, mode)
}

// writeSynced makes a file. Rights are there from the start: what is for its
// owner alone is never seen by others.
func writeSynced(root *os.Root, name string, content []byte, mode fs.FileMode) error {
	err := writeNew(root, name, content, mode)
	if err == nil {
		err = syncFile(root, name)
	}
	return err
}

func writeNew(root *os.Root, name string, content []byte, mode fs.FileMode) error {
	create := mode
	if mode == 0 {
		create = 0o644
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, create)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil && mode != 0 {
		err = f.Chmod(mode) // whatever the umask took
	}
	return errors.Join(err, f.Close())
}

// syncFile makes a file's bytes last, whoever wrote them. Windows wants it open
// for writing; a file that nobody may write is synced all the same elsewhere.
func syncFile(root *os.Root, name string) error {
	f, err := root.OpenFile(name, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrPermission) {
		f, err = root.Open(name)
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// stage makes a file that syncStaged is to sync.
func (d disk) stage(name string, content []byte, mode fs.FileMode) error {
	if err := d.steps.before("write", name); err != nil {
		return err
	}
	return writeNew(d.Root, name, content, mode)
}

// maxSyncs is how many files are synced at a time: a disk takes them together.
const maxSyncs = 16

func (d disk) syncStaged(names []string) error {
	if err := d.steps.before("syncall", txnDir); err != nil {
		return err
	}
	var g errgroup.Group
	g.SetLimit(maxSyncs)
	for _, name := range names {
		g.Go(func() error { return syncFile(d.Root, name) })
	}
	return g.Wait()
}

// Rename gives a file another name. What has that name is replaced, so it must
// be one of .txn.
func (d disk) Rename(from, to string) error {
	if err := d.steps.before("rename", to); err != nil {
		return err
	}
	return d.Root.Rename(from, to)
}

func (d disk) Remove(name string) error {
	if err := d.steps.before("remove", name); err != nil {
		return err
	}
	return d.Root.Remove(name)
}

// moveNew gives a file of .txn its name in the tree, where it replaces nothing.
func (d disk) moveNew(from, to string) error {
	err := d.steps.before("move", to)
	if err == nil {
		err = renameNew(d.Root, from, to)
	}
	if errors.Is(err, errors.ErrUnsupported) {
		err = d.moveNewByLink(from, to)
	}
	return err
}

// moveNewByLink gives a file its name where the system cannot rename without
// replacing: a link never replaces. Disks without links get a look and a rename,
// between which only a program that ignores the lock could slip in.
func (d disk) moveNewByLink(from, to string) error {
	if err := d.steps.before("link", to); err != nil {
		return err
	}
	err := d.Link(from, to)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		return d.Remove(from)
	}
	if _, err := d.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return d.Root.Rename(from, to)
}

// moveNew renames a file and never replaces another.
func moveNew(root *os.Root, from, to string) error { return disk{Root: root}.moveNew(from, to) }

// swap exchanges two files; on some disks it wraps errors.ErrUnsupported.
func (d disk) swap(a, b string) error {
	if err := d.steps.before("swap", b); err != nil {
		return err
	}
	return swap(d.Root, a, b)
}

func (d disk) sync(folder string) error {
	if err := d.steps.before("sync", folder); err != nil {
		return err
	}
	return syncFolder(d.Root, folder)
}

// makeFolders makes those folders above a file that are missing.
func (d disk) makeFolders(name string) error {
	for _, at := range parents(path.Dir(name)) {
		if err := d.steps.before("mkdir", at); err != nil {
			return err
		}
		if err := d.Mkdir(at, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return nil
}
