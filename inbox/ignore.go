package inbox

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
)

// What was said is not for the repository that the brain lies in, whoever adds
// all files to it, unless its owner wants so: sessions/.gitignore says it to git.

const ignoreFile = sessionsDir + "/.gitignore"

var ignoreAll = []byte("*\n")

// ignore writes the file, or takes it away when sessions are to be tracked. One
// that somebody changed stays as it is.
func (ib *Box) ignore() error {
	if !ib.Tracked {
		_, err := ib.root.Lstat(ignoreFile)
		if errors.Is(err, fs.ErrNotExist) {
			err = ib.replace(ignoreFile+".new.json", ignoreFile, ignoreAll)
		}
		if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
			return nil // another process writes it at this moment
		}
		return err
	}
	f, err := ib.open(ignoreFile, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	raw, _, err := readAll(f)
	if err = errors.Join(err, f.Close()); err != nil || !bytes.Equal(raw, ignoreAll) {
		return err
	}
	return ib.root.Remove(ignoreFile)
}
