package static_test

import (
	"math"
	"testing"
)

// The vector of a text is the sum of its words' rows, each times its weight.
func TestRowsAddUpToTheVectorOfAText(t *testing.T) {
	table := open(t)
	for _, s := range []string{"river", "数据库", "the mountain river", "people 压缩 walrus", "a a a vehicle"} {
		sum := make([]float64, table.Dims())
		row := make([]float32, table.Dims())
		for _, n := range table.Tokens(s) {
			length, weight := table.Row(n, row)
			w := float64(weight / length)
			for i, x := range row {
				sum[i] += w * float64(x)
			}
		}
		square := 0.0
		for _, x := range sum {
			square += x * x
		}
		for i, want := range table.Vector(s) {
			if got := sum[i] / math.Sqrt(square); math.Abs(got-float64(want)) > 1e-5 {
				t.Fatalf("%q, dimension %d: rows give %v, the vector is %v", s, i, got, want)
			}
		}
	}
}

// Every row has the length that is given, or no direction and no weight, and
// leaves nothing of the row before.
func TestEveryRowHasItsLength(t *testing.T) {
	table := open(t)
	v := make([]float32, table.Dims())
	none := 0
	for n := range int32(table.Len()) {
		length, w := table.Row(n, v)
		square := 0.0
		for _, x := range v {
			square += float64(x) * float64(x)
		}
		switch {
		case w == 0 && square == 0:
			none++
		case w < 0 || math.IsNaN(float64(w)) || math.IsInf(float64(w), 0) || math.Abs(square-float64(length*length)) > 1e-5*square:
			t.Fatalf("row %d: weight %v, length %v, squared length %v", n, w, length, square)
		}
	}
	if none > table.Len()/100 {
		t.Errorf("%d of %d rows have no direction", none, table.Len())
	}
}
