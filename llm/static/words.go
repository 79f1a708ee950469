package static

import (
	"encoding/binary"
	"math"
)

// Row writes the direction of a word's row into v, dims long, and returns the
// row's length: what the word weighs in the vector of a text, less the more
// common it is.
func (t *Table) Row(row int32, v []float32) (weight float32) {
	values := t.rows[int(row)*rowBytes:][:rowBytes]
	square := 0
	for i, b := range values {
		lo, hi := int(b&15)-8, int(b>>4)-8
		v[2*i], v[2*i+1] = float32(lo), float32(hi)
		square += lo*lo + hi*hi
	}
	if square == 0 {
		return 0
	}
	length := float32(math.Sqrt(float64(square)))
	for i := range v[:dims] {
		v[i] /= length
	}
	return length * float32(fixed(binary.LittleEndian.Uint16(t.scales[2*row:]))) / (1 << 24)
}

// Len is the number of rows.
func (t *Table) Len() int { return t.header.words() }
