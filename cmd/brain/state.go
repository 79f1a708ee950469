package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"brain/store"
)

// Small files in .brain, of which the root may have come from a stranger: no link leads
// out of it, and nothing that stands in the place of a file is waited for.

// openState opens .brain of a root, and makes it where it is not there yet. A link that
// leads out of the root is refused.
func openState(r store.Root) (*os.Root, error) {
	root, err := os.OpenRoot(r.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	const state = ".brain"
	if err = root.Mkdir(state, 0o700); err == nil {
		err = root.WriteFile(state+"/.gitignore", []byte("*\n"), 0o600)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return root.OpenRoot(state)
}

// openPlain opens a regular file and waits for nothing, whatever stands there.
func openPlain(in *os.Root, name string, flag int) (*os.File, error) {
	f, err := in.OpenFile(name, flag|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
