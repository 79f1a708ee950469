//go:build unix

package index

import "errors"

func smallDiskRole(args []string) error { return errors.New("x") }
