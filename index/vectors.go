package index

import (
	"bufio"
	"bytes"
	"container/heap"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"unsafe"

	"github.com/viterin/vek/vek32"
	"golang.org/x/sync/errgroup"
)

// Vectors lie in flat files, vec/<n>.vec, that never change:
//
//	header  64 bytes: magic "BRNVEC01", dimensions u32, count u32, day u32, fingerprint [16]byte
//	floats  count × dimensions float32, each vector of length 1
//	scales  count × 2 float32, and
//	codes   count × dimensions int8: the vectors again, rounded (codes.go)
//	keys    count × [16]byte: half the SHA-256 of the embedded text
//
// A vector's number is its position in the row of files that the manifest
// names. Which page owns which vector stands in the page table, so a page
// that moves keeps its vectors and a file is never rewritten for a page that
// changed. Two pages with equal text share one.
//
// The scan is exact: every vector, one dot product each, at the speed of
// memory (float32 through SIMD), keeping one best score per page. That is
// max-pooling by construction, and a page of three hundred alike chunks takes
// one place in the answer.
const (
	vecMagic  = "BRNVEC01"
	vecHeader = 64
	keySize   = 16

	orphanDays   = 30 // vectors of vanished pages are kept this long
	maxVecFiles  = 48 // more are merged
	smallVecFile = 1000
	vecDeadShare = 0.3
)

// vecFile names one file of vectors in the manifest.
type vecFile struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

type vecKey [keySize]byte

func fingerprintSum(fp string) (sum [16]byte) {
	h := sha256.Sum256([]byte(fp))
	copy(sum[:], h[:])
	return sum
}

// vecWriter appends vectors to a new file.
type vecWriter struct {
	f      *os.File
	w      *bufio.Writer
	path   string
	dims   int
	keys   []byte
	codes  []int8
	scales []codeScale
	head   [vecHeader]byte
}

func newVecWriter(path string, dims int, fingerprint string, day int64) (*vecWriter, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	w := &vecWriter{f: f, w: bufio.NewWriterSize(f, 1<<18), path: path, dims: dims}
	copy(w.head[:], vecMagic)
	binary.LittleEndian.PutUint32(w.head[8:], uint32(dims))
	binary.LittleEndian.PutUint32(w.head[16:], uint32(day))
	fp := fingerprintSum(fingerprint)
	copy(w.head[20:], fp[:])
	_, err = w.w.Write(w.head[:])
	return w, err
}

func (w *vecWriter) count() int { return len(w.keys) / keySize }

func (w *vecWriter) add(key vecKey, v []float32) error {
	if len(v) != w.dims {
		return fmt.Errorf("vectors: %d dimensions, file has %d", len(v), w.dims)
	}
	w.keys = append(w.keys, key[:]...)
	at := len(w.codes)
	w.codes = append(w.codes, make([]int8, w.dims)...)
	w.scales = append(w.scales, encodeVector(v, w.codes[at:]))
	return w.floats(v)
}

func (w *vecWriter) floats(v []float32) error {
	if littleEndian {
		_, err := w.w.Write(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 4*len(v)))
		return err
	}
	return binary.Write(w.w, binary.LittleEndian, v)
}

// finish completes and syncs the file. One without vectors is removed.
func (w *vecWriter) finish(d *disk) (vecFile, error) {
	n := w.count()
	if n == 0 {
		return vecFile{}, errors.Join(w.f.Close(), os.Remove(w.path))
	}
	binary.LittleEndian.PutUint32(w.head[12:], uint32(n))
	var err error
	for _, s := range w.scales {
		if err == nil {
			err = w.floats([]float32{s.scale, s.lost})
		}
	}
	if err == nil {
		_, err = w.w.Write(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w.codes))), len(w.codes)))
	}
	if err == nil {
		_, err = w.w.Write(w.keys)
	}
	if err == nil {
		err = w.w.Flush()
	}
	if err == nil {
		_, err = w.f.WriteAt(w.head[:], 0)
	}
	if err == nil {
		err = w.f.Sync()
	}
	if cerr := w.f.Close(); err == nil {
		err = cerr
	}
	d.note("file", w.path)
	return vecFile{filepath.Base(w.path), n}, err
}

// littleEndian says whether float32 in memory look as they do in the file.
var littleEndian = func() bool {
	x := uint16(1)
	return *(*byte)(unsafe.Pointer(&x)) == 1
}()

// vecSegment is one mapped file.
type vecSegment struct {
	floats []float32
	scales []codeScale
	codes  []int8
	keys   []byte
	close  func() error
}

func openVecSegment(path string, f vecFile, dims int, fingerprint string) (*vecSegment, error) {
	b, unmap, err := mapFile(path)
	if err != nil {
		return nil, fmt.Errorf("vectors: %w: %v", errDamaged, err)
	}
	fail := func(why string) (*vecSegment, error) {
		return nil, errors.Join(fmt.Errorf("vectors: %s: %w: %s", f.Name, errDamaged, why), unmap())
	}
	if len(b) < vecHeader || !bytes.HasPrefix(b, []byte(vecMagic)) {
		return fail("no header")
	}
	fp := fingerprintSum(fingerprint)
	switch {
	case int(binary.LittleEndian.Uint32(b[8:])) != dims || !bytes.Equal(b[20:36], fp[:]):
		return fail("made by another embedder")
	case int(binary.LittleEndian.Uint32(b[12:])) != f.Count:
		return fail("count differs from the manifest")
	case len(b) != vecHeader+f.Count*(4*dims+8+dims+keySize):
		return fail("size differs from the header")
	}
	n := f.Count * dims
	s := &vecSegment{close: unmap}
	b = b[vecHeader:]
	s.floats, b = readFloats(b, n)
	scales, b := readFloats(b, 2*f.Count)
	if f.Count > 0 {
		s.scales = unsafe.Slice((*codeScale)(unsafe.Pointer(unsafe.SliceData(scales))), f.Count)
		s.codes = unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(b))), n)
	}
	s.keys = b[n:]
	return s, nil
}

// readFloats takes n numbers off the front of b, in place where memory looks
// as the file does.
func readFloats(b []byte, n int) ([]float32, []byte) {
	if littleEndian {
		return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b))), n), b[4*n:]
	}
	out := make([]float32, n)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out, b[4*n:]
}

// vecFiles is all vectors of a generation, numbered through.
type vecFiles struct {
	dims int
	segs []*vecSegment
	from []uint32 // number of the first vector of each segment
	n    uint32
}

func openVecFiles(dir string, m *manifest) (*vecFiles, error) {
	v := &vecFiles{dims: m.Dims}
	for _, f := range m.Vectors {
		s, err := openVecSegment(filepath.Join(dir, "vec", f.Name), f, m.Dims, m.Embedder)
		if err != nil {
			return nil, errors.Join(err, v.close())
		}
		v.segs = append(v.segs, s)
		v.from = append(v.from, v.n)
		v.n += uint32(f.Count)
	}
	return v, nil
}

func (v *vecFiles) close() error {
	var err error
	for _, s := range v.segs {
		err = errors.Join(err, s.close())
	}
	v.segs = nil
	return err
}

func (v *vecFiles) at(id uint32) (*vecSegment, int) {
	i, ok := slices.BinarySearch(v.from, id)
	if !ok {
		i--
	}
	return v.segs[i], int(id - v.from[i])
}

// vector gives vector id, nil when there is none of that number.
func (v *vecFiles) vector(id uint32) []float32 {
	if id >= v.n {
		return nil
	}
	s, i := v.at(id)
	return s.floats[i*v.dims : (i+1)*v.dims]
}

func (v *vecFiles) key(id uint32) (k vecKey) {
	s, i := v.at(id)
	copy(k[:], s.keys[i*keySize:])
	return k
}

// find looks up the numbers of the vectors with the wanted keys; a later
// vector of the same key wins nothing, they are equal.
func (v *vecFiles) find(wanted map[vecKey]uint32) {
	var k vecKey
	for si, s := range v.segs {
		for i := 0; i*keySize < len(s.keys); i++ {
			copy(k[:], s.keys[i*keySize:])
			if id, ok := wanted[k]; ok && id == vecPending {
				wanted[k] = v.from[si] + uint32(i)
			}
		}
	}
}

// dot is the cosine of two unit vectors.
func dot(a, b []float32) float32 { return vek32.Dot(a, b) }

// owners says to which page and chunk each vector belongs. A vector that
// several pages share has its first owner here and the rest in extra; one
// without an owner points to a slot past the last row that nobody reads, since
// a test in the scan's loop would cost more than the scan.
type owners struct {
	row, chunk []uint32
	extra      []owner
}

type owner struct{ vector, row, chunk uint32 }

// vectorStore ranks pages by their best chunk. The flat scan and chromem-go
// implement it; both pass one suite.
type vectorStore interface {
	// top gives the k pages that accept lets pass (nil: all) with the largest
	// cosine of any chunk with q, a unit vector; equal ones by path.
	top(ctx context.Context, q []float32, k int, accept func(row uint32) bool) ([]Match, error)
}

// newVectorStore gives the store of a kind: "chromem", "scan" (every vector is
// read), or the default, which reads codes first where the processor helps.
func newVectorStore(v *View, kind string) vectorStore {
	switch {
	case kind == "chromem":
		return newChromemStore(v)
	case kind == "scan" || !fastCodes(v.vecs.dims):
		return flatScan{v}
	}
	return codeScan{v}
}

// flatScan is the vectorStore that reads every vector; codeScan is faster
// where it can be had, and gives the same.
type flatScan struct{ v *View }

// scanShare is how many vectors a second goroutine must have to pay.
const scanShare = 8192

func (f flatScan) top(ctx context.Context, q []float32, k int, accept func(uint32) bool) ([]Match, error) {
	files, own := f.v.vecs, f.v.owned()
	workers := min(runtime.GOMAXPROCS(0), int(files.n)/scanShare+1, 4)
	pools := make([]pool, workers)
	var g errgroup.Group
	for w := range pools {
		pools[w] = newPool(f.v.Nodes() + 1)
		g.Go(func() error {
			from, to := uint64(files.n)*uint64(w)/uint64(workers), uint64(files.n)*uint64(w+1)/uint64(workers)
			return files.scan(ctx, q, own, uint32(from), uint32(to), &pools[w])
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	p := &pools[0]
	for _, o := range pools[1:] {
		p.merge(&o)
	}
	for _, o := range own.extra {
		p.see(o.row, o.chunk, dot(q, files.vector(o.vector)))
	}
	return f.v.pick(p.best[:f.v.Nodes()], p.chunk, k, accept), nil
}

// pool keeps each page's best cosine and its chunk; of equal ones the first.
type pool struct {
	best  []float32
	chunk []uint32
}

// unseen is less than any cosine.
const unseen = -2

func newPool(rows int) pool {
	p := pool{make([]float32, rows), make([]uint32, rows)}
	for i := range p.best {
		p.best[i] = unseen
	}
	return p
}

func (p *pool) see(row, chunk uint32, cos float32) {
	if cos > p.best[row] || cos == p.best[row] && chunk < p.chunk[row] {
		p.best[row], p.chunk[row] = cos, chunk
	}
}

func (p *pool) merge(o *pool) {
	for row, cos := range o.best {
		if cos > unseen {
			p.see(uint32(row), o.chunk[row], cos)
		}
	}
}

// scan pools the vectors numbered from..to-1.
func (v *vecFiles) scan(ctx context.Context, q []float32, own *owners, from, to uint32, p *pool) error {
	for si, s := range v.segs {
		if err := ctx.Err(); err != nil {
			return err
		}
		first := v.from[si]
		lo, hi := max(from, first), min(to, first+uint32(len(s.keys)/keySize))
		for id := lo; id < hi; id++ {
			at := int(id-first) * v.dims
			p.see(own.row[id], own.chunk[id], dot(q, s.floats[at:at+v.dims]))
		}
	}
	return nil
}

// pick sorts out the k best rows of a max-pooled scan that accept lets pass
// (nil: all). Rows come off a heap, so that neither the sorting nor the filter
// is paid for rows that nobody asks for.
func (v *View) pick(best []float32, arg []uint32, k int, accept func(uint32) bool) []Match {
	h := heapOf(best)
	out := make([]Match, 0, k)
	for k > 0 && len(h) > 0 {
		s := heap.Pop(&h).(scored)
		if len(out) >= k && s.score < out[k-1].Score {
			break // equal scores are all taken, so that paths decide
		}
		if row := uint32(s.doc); accept == nil || accept(row) {
			out = append(out, Match{Row: row, Path: string(v.path(row)), Score: s.score, Chunk: int(arg[row])})
		}
	}
	return firstMatches(out, k)
}

// heapOf gives the rows that a scan has seen, the best on top.
func heapOf(best []float32) scoredHeap {
	n := 0
	for _, s := range best {
		if s > unseen {
			n++
		}
	}
	h := make(scoredHeap, 0, n)
	for row, s := range best {
		if s > unseen {
			h = append(h, scored{float64(s), row})
		}
	}
	heap.Init(&h)
	return h
}
