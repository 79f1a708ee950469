package index

import "golang.org/x/sys/cpu"

//go:noescape
func scanAVX2(q, rows *int8, n, dims int, out *int32)

// fastCodes reports whether codes can be scanned faster than vectors.
func fastCodes(dims int) bool { return cpu.X86.HasAVX2 && dims%16 == 0 && dims > 0 }

// scanCodes multiplies q with each row of codes.
func scanCodes(q, rows []int8, out []int32) {
	if len(out) > 0 {
		_, _ = q[len(q)-1], rows[len(out)*len(q)-1]
		scanAVX2(&q[0], &rows[0], len(out), len(q), &out[0])
	}
}
