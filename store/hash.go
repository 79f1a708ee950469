package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Hash is the SHA-256 of a file's bytes in hex; "" stands for no file. Every
// rewrite names the one that it was made from.
type Hash string

// HashOf is the hash of a file with these bytes.
func HashOf(raw []byte) Hash {
	sum := sha256.Sum256(raw)
	return Hash(hex.EncodeToString(sum[:]))
}

// valid reports whether it is the hash of a file.
func (h Hash) valid() bool {
	raw, err := hex.DecodeString(string(h))
	return err == nil && len(raw) == sha256.Size
}

// ConflictError says that a file is no longer what a change was made from. It
// wraps ErrConflict. Nothing was written.
type ConflictError struct {
	Path       string
	Want, Have Hash // "" is no file
}

func (e *ConflictError) Error() string {
	switch {
	case e.Have == "":
		return fmt.Sprintf("%s: %v: it is gone", e.Path, ErrConflict)
	case e.Have == notOurs:
		return fmt.Sprintf("%s: %v: another program put something else there", e.Path, ErrConflict)
	case e.Want == "":
		return fmt.Sprintf("%s: %v: it was made meanwhile", e.Path, ErrConflict)
	}
	return fmt.Sprintf("%s: %v: it has %.12s, the change was made from %.12s", e.Path, ErrConflict, e.Have, e.Want)
}

func (e *ConflictError) Unwrap() error { return ErrConflict }

// hashAt is the hash of the file at a path within the brain, "" when there is none.
func hashAt(root *os.Root, name string) (Hash, error) {
	raw, err := readRegular(root, name)
	if err != nil {
		return "", ignoreNotFound(notFound(err))
	}
	return HashOf(raw), nil
}

// notOurs stands for the hash of what brain never writes as a page: a folder, a
// link, a file too large to be one.
const notOurs Hash = "not a file of brain's"

// contentAt is hashAt for who meets whatever another program put there.
func contentAt(root *os.Root, name string) (Hash, error) {
	h, err := hashAt(root, name)
	switch {
	case errors.Is(err, ErrNotPage), errors.Is(err, ErrTooLarge):
		return notOurs, nil
	case isRefused(err):
		return "", nil
	}
	return h, err
}

// isRefused reports whether a file system has no files of such a name: it is too
// long, or in characters that it does not take.
func isRefused(err error) bool {
	return errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EILSEQ)
}

// readRegular reads a regular file, reached by no link and without waiting for
// anything, which may be as long as the longest that brain writes.
func readRegular(root *os.Root, name string) ([]byte, error) {
	fi, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is a %s", ErrNotPage, name, describe(fi.Mode()))
	}
	f, err := root.OpenFile(name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if fi, err = f.Stat(); err == nil && !fi.Mode().IsRegular() {
		err = fmt.Errorf("%w: %s was replaced while it was opened", ErrNotPage, name)
	}
	if err != nil {
		return nil, err
	}
	return readAll(f, fi.Size(), MaxSession)
}
