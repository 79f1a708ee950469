//go:build !unix

package store

import "os"

// syncFolder does nothing: these systems have no way to sync a folder.
func syncFolder(*os.Root, string) error { return nil }
