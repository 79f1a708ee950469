package static

import (
	"encoding/binary"
	"math"
)

// Row writes the values of a word's row into v, dims long, as they are stored,
// and gives their Euclidean length, 0 for a row without a direction, and what
// the word weighs in the vector of a text: less the more common it is.
func (t *Table) Row(row int32, v []float32) (length, weight float32) {
	values := t.rows[int(row)*rowBytes:][:rowBytes]
	v = v[:dims]
	square := int32(0)
	for i, b := range values {
		p := &valuePairs[b]
		v[2*i], v[2*i+1] = p.values[0], p.values[1]
		square += p.square
	}
	length = float32(math.Sqrt(float64(square)))
	return length, length * float32(fixed(binary.LittleEndian.Uint16(t.scales[2*row:]))) / (1 << 24)
}

// valuePairs are the two values in a byte of a row, and the sum of their
// squares.
var valuePairs = func() (pairs [256]struct {
	values [2]float32
	square int32
}) {
	for b := range pairs {
		lo, hi := b&15-8, b>>4-8
		pairs[b].values = [2]float32{float32(lo), float32(hi)}
		pairs[b].square = int32(lo*lo + hi*hi)
	}
	return pairs
}()

// Len is the number of rows.
func (t *Table) Len() int { return t.header.words() }
