//go:build !linux && !darwin

package main

import (
	"errors"
	"io/fs"
	"os"
)

func diskOf(string) (disk, error) { return disk{}, errors.ErrUnsupported }

// mayWriteTo reads the mark that a file is not to be written.
func mayWriteTo(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.Mode().Perm()&0o200 == 0 {
		return fs.ErrPermission
	}
	return err
}
