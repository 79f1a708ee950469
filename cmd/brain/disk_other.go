//go:build !linux && !darwin

package main

import "errors"

func diskOf(string) (disk, error) { return disk{}, errors.ErrUnsupported }
