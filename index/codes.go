package index

import (
	"container/heap"
	"context"
	"math"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"
)

// A vector is also kept as a code, one byte a dimension and a scale, a quarter
// of its size. The scan reads codes, and reads a vector itself only where the
// code cannot exclude it, so that the answer is exactly that of reading all:
//
//	v = s·c + e     c in [-127, 127]ⁿ, e what rounding lost, |e| stored
//	q = t·d + f     the question's vector likewise
//	q·v = s·t·(c·d) + r     |r| ≤ |e|·|q| + |f|·|s·c| ≤ |e| + |f|·(1 + |e|)
//
// The k-th best lower bound of a page is a floor; only chunks whose upper
// bound reaches it are multiplied in full. With 256 dimensions r is about
// 0.01, and a few hundred of a hundred thousand chunks are.

// codeScale is a code's scale and the length of what rounding lost.
type codeScale struct{ scale, lost float32 }

// encodeVector writes a vector's code into c.
func encodeVector(v []float32, c []int8) codeScale {
	largest := float32(0)
	for _, x := range v {
		largest = max(largest, x, -x)
	}
	if largest == 0 {
		clear(c)
		return codeScale{}
	}
	s := largest / 127
	lost := 0.0
	for i, x := range v {
		r := math.RoundToEven(float64(x / s))
		c[i] = int8(r)
		d := float64(x) - float64(s)*r
		lost += d * d
	}
	return codeScale{s, float32(math.Sqrt(lost)*(1+1e-6) + 1e-7)}
}

// scanCodesPlain is scanCodes without the help of the processor.
func scanCodesPlain(q, rows []int8, out []int32) {
	for i := range out {
		sum := int32(0)
		for j, x := range rows[i*len(q) : (i+1)*len(q)] {
			sum += int32(x) * int32(q[j])
		}
		out[i] = sum
	}
}

// roundingSlack covers what float32 sums and products lose besides.
const roundingSlack = 2e-6

// codeScan is the vectorStore that reads codes first.
type codeScan struct{ v *View }

func (s codeScan) top(ctx context.Context, q []float32, k int, accept func(uint32) bool) ([]Match, error) {
	v, files, own := s.v, s.v.vecs, s.v.owned()
	code := make([]int8, len(q))
	qs := encodeVector(q, code)
	room := scratch.Get().(*estimates)
	defer scratch.Put(room)
	near, slack := room.of(int(files.n))
	workers := min(runtime.GOMAXPROCS(0), int(files.n)/(4*scanShare)+1, 4)
	var g errgroup.Group
	for w := range workers {
		g.Go(func() error {
			from, to := uint64(files.n)*uint64(w)/uint64(workers), uint64(files.n)*uint64(w+1)/uint64(workers)
			return files.estimate(ctx, code, qs, uint32(from), uint32(to), near, slack)
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	low := newPool(v.Nodes() + 1)
	for id, row := range own.row {
		low.best[row] = max(low.best[row], near[id]-slack[id])
	}
	for _, o := range own.extra {
		low.best[o.row] = max(low.best[o.row], near[o.vector]-slack[o.vector])
	}
	floor := v.floor(low.best[:v.Nodes()], k, accept)
	exact := newPool(v.Nodes() + 1)
	see := func(id, row, chunk uint32) {
		if up := near[id] + slack[id]; up >= floor && up >= low.best[row] {
			exact.see(row, chunk, dot(q, files.vector(id)))
		}
	}
	for id, row := range own.row {
		see(uint32(id), row, own.chunk[id])
	}
	for _, o := range own.extra {
		see(o.vector, o.row, o.chunk)
	}
	return v.pick(exact.best[:v.Nodes()], exact.chunk, k, accept), nil
}

// estimates is q·v for every vector, up to slack; a megabyte or more that
// every question needs anew.
type estimates struct{ near, slack []float32 }

var scratch = sync.Pool{New: func() any { return new(estimates) }}

func (e *estimates) of(n int) (near, slack []float32) {
	if cap(e.near) < n {
		e.near, e.slack = make([]float32, n), make([]float32, n)
	}
	return e.near[:n], e.slack[:n]
}

// floor gives the k-th best of the rows that accept lets pass, unseen when
// there are fewer.
func (v *View) floor(best []float32, k int, accept func(uint32) bool) float32 {
	h := heapOf(best)
	for n := 0; len(h) > 0; {
		s := heap.Pop(&h).(scored)
		if accept == nil || accept(uint32(s.doc)) {
			if n++; n >= k {
				return float32(s.score)
			}
		}
	}
	return unseen
}

// estimate fills near and slack for the vectors numbered from..to-1.
func (v *vecFiles) estimate(ctx context.Context, code []int8, qs codeScale, from, to uint32, near, slack []float32) error {
	const step = 4096
	sums := make([]int32, step)
	for si, s := range v.segs {
		first := v.from[si]
		hi := min(to, first+uint32(len(s.scales)))
		for id := max(from, first); id < hi; id += step {
			if err := ctx.Err(); err != nil {
				return err
			}
			part := s.scales[id-first : min(hi, id+step)-first]
			scanCodes(code, s.codes[int(id-first)*v.dims:], sums[:len(part)])
			for i, c := range part {
				near[int(id)+i] = c.scale * qs.scale * float32(sums[i])
				slack[int(id)+i] = c.lost + qs.lost*(1+c.lost) + roundingSlack
			}
		}
	}
	return nil
}
