package index

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The bound that the scan of codes rests on: the true product is never
// farther from the estimate than the slack says, for vectors of any shape.
func TestCodesBoundTheProduct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := 16 * rapid.IntRange(1, 20).Draw(t, "dims/16")
		draw := func(name string) []float32 {
			v := make([]float32, dims)
			norm := 0.0
			for i := range v {
				v[i] = float32(rapid.Float64Range(-1, 1).Draw(t, name))
				if rapid.IntRange(0, 9).Draw(t, "peak") == 0 {
					v[i] *= 50
				}
				norm += float64(v[i]) * float64(v[i])
			}
			for i := range v {
				v[i] /= float32(math.Sqrt(max(norm, 1e-30)))
			}
			return v
		}
		q, v := draw("q"), draw("v")
		qc, vc := make([]int8, dims), make([]int8, dims)
		qs, vs := encodeVector(q, qc), encodeVector(v, vc)
		var sum [1]int32
		scanCodesPlain(qc, vc, sum[:])
		true64 := 0.0
		for i := range q {
			true64 += float64(q[i]) * float64(v[i])
		}
		near := float64(vs.scale * qs.scale * float32(sum[0]))
		slack := float64(vs.lost + qs.lost*(1+vs.lost) + roundingSlack)
		if math.Abs(true64-near) > slack || math.Abs(float64(dot(q, v))-near) > slack {
			t.Fatalf("true %v, estimate %v, slack %v", true64, near, slack)
		}
		if fastCodes(dims) {
			rows := append(append([]int8{}, vc...), qc...)
			var fast, plain [2]int32
			scanCodes(qc, rows, fast[:])
			scanCodesPlain(qc, rows, plain[:])
			if fast != plain {
				t.Fatalf("the processor says %v, the loop %v", fast, plain)
			}
		}
	})
}
