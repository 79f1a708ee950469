//go:build !amd64

package index

// fastCodes reports whether codes can be scanned faster than vectors: not
// here, where the plain loop is slower than the library's for vectors.
func fastCodes(int) bool { return false }

// scanCodes multiplies q with each row of codes.
func scanCodes(q, rows []int8, out []int32) { scanCodesPlain(q, rows, out) }
