//go:build !linux && !darwin

package store

import (
	"errors"
	"os"
)

func renameNew(*os.Root, string, string) error { return errors.ErrUnsupported }

func swap(*os.Root, string, string) error { return errors.ErrUnsupported }
