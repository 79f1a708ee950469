//go:build !linux

package store

import "os"

func moveNew(root *os.Root, from, to string) error { return moveNewByLink(root, from, to) }
