//go:build linux || darwin

package store

import (
	"os"
	"path"
)

// renameNew renames a file within the brain and never replaces another.
func renameNew(root *os.Root, from, to string) error { return rename(root, from, to, noReplace) }

// swap exchanges two files within the brain in one step.
func swap(root *os.Root, a, b string) error { return rename(root, a, b, exchange) }

// rename is renameAt between two folders of the brain; what the disk or the
// system cannot do wraps errors.ErrUnsupported.
func rename(root *os.Root, from, to string, flags renameFlags) error {
	fromDir, err := root.Open(path.Dir(from))
	if err != nil {
		return err
	}
	defer fromDir.Close()
	toDir, err := root.Open(path.Dir(to))
	if err != nil {
		return err
	}
	defer toDir.Close()
	if err := renameAt(int(fromDir.Fd()), path.Base(from), int(toDir.Fd()), path.Base(to), flags); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}
