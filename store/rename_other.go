//go:build !linux && !darwin

package store

import (
	"errors"
	"os"
)

func moveNew(root *os.Root, from, to string) error { return moveNewByLink(root, from, to) }

func swap(*os.Root, string, string) error { return errors.ErrUnsupported }
