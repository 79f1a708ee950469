//go:build !linux

package evals

// peakMemory is known on Linux only.
func peakMemory() int64 { return 0 }
