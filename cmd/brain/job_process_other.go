//go:build !linux && !darwin

package main

import "errors"

// processStart is not known here, so no process is ever signalled.
func processStart(int) (string, error) { return "", errors.ErrUnsupported }
