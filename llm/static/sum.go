package static

// Summing rows is nearly all of the work, 256 values a word. It is done in integers:
// an f16 scale is a whole multiple of 2^-24, so scale × (0…15) is one too, and two
// such products fit side by side in a 64-bit word. One multiplication, one addition do
// two values. Integer sums are exact: the vector does not depend on the order of the
// words, nor on the processor.

import (
	"encoding/binary"
	"math"
)

const (
	lanes = dims / 2
	// laneLimit is the sum of scales up to which no lane of 32 bits can overflow.
	laneLimit = math.MaxUint32 / 15
	nibbles   = 0x0000000f_0000000f
)

// sum accumulates rows.
type sum struct {
	packed [lanes]uint64 // two values each; dimension 16k+j below, 16k+j+8 above, at 8k+j
	weight uint64        // sum of the scales in packed
	totals [dims]int64   // what was moved out of packed
	offset int64         // sum of all scales: values are stored with 8 added
}

// Vector returns the unit-length vector of text, or nil when it holds no word of the
// table.
func (t *Table) Vector(text string) []float32 {
	s := t.scratch.Get().(*scratch)
	defer t.scratch.Put(s)
	s.sum = sum{}
	for part := range parts(text) {
		t.tokenize(s, part)
		for _, row := range s.tokens {
			t.add(&s.sum, row)
		}
	}
	return s.sum.unit()
}

func (t *Table) add(s *sum, row int32) {
	scale := fixed(binary.LittleEndian.Uint16(t.scales[2*row:]))
	if s.weight += scale; s.weight > laneLimit {
		s.flush()
		s.weight = scale
	}
	s.offset += int64(scale)
	values := (*[rowBytes]byte)(t.rows[int(row)*rowBytes:])
	for k := range rowBytes / 8 {
		x := binary.LittleEndian.Uint64(values[8*k:])
		p := (*[8]uint64)(s.packed[8*k:])
		p[0] += (x & nibbles) * scale
		p[1] += (x >> 4 & nibbles) * scale
		p[2] += (x >> 8 & nibbles) * scale
		p[3] += (x >> 12 & nibbles) * scale
		p[4] += (x >> 16 & nibbles) * scale
		p[5] += (x >> 20 & nibbles) * scale
		p[6] += (x >> 24 & nibbles) * scale
		p[7] += (x >> 28 & nibbles) * scale
	}
}

// fixed returns a non-negative f16 in units of 2^-24.
func fixed(f16 uint16) uint64 {
	exponent, mantissa := f16>>10&31, uint64(f16&1023)
	if exponent == 0 {
		return mantissa
	}
	return (1024 + mantissa) << (exponent - 1)
}

func (s *sum) flush() {
	for i, p := range s.packed {
		at := i/8*16 + i%8
		s.totals[at] += int64(p & math.MaxUint32)
		s.totals[at+8] += int64(p >> 32)
	}
	s.packed = [lanes]uint64{}
}

// unit returns the sum at unit length; nil when it is zero.
func (s *sum) unit() []float32 {
	s.flush()
	var square float64
	for i, total := range s.totals {
		s.totals[i] = total - 8*s.offset
		square += float64(s.totals[i]) * float64(s.totals[i])
	}
	if square == 0 {
		return nil
	}
	v := make([]float32, dims)
	scale := 1 / math.Sqrt(square)
	for i, total := range s.totals {
		v[i] = float32(float64(total) * scale)
	}
	return v
}
