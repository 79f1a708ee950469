package static_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// reference reads the artefact by maps and regular expressions, as build_static.py
// does: slow, short, and sharing no code with the reader it is compared with.
type reference struct {
	rows    map[string]int32
	costs   map[string]int
	unknown int
	scales  []byte
	packed  []byte
}

var (
	refRun  = regexp.MustCompile(`[\x{4e00}-\x{9fff}]+|[^\x{4e00}-\x{9fff}]+`)
	refWord = regexp.MustCompile(`[a-z0-9]+(?:'[a-z]+)?`)
	refPart = regexp.MustCompile(`[a-z]+|[0-9]+|'[a-z]+`)
)

func newReference(t testing.TB) *reference {
	t.Helper()
	files, err := openFiles()
	if err != nil {
		t.Fatal(err)
	}
	b := bytes.TrimPrefix(files[0], []byte("SEMB1\n"))
	size := binary.LittleEndian.Uint32(b)
	var h struct {
		En, Zh  int
		EnBytes int `json:"en_bytes"`
		ZhBytes int `json:"zh_bytes"`
		Unknown int `json:"unk_cost"`
	}
	if err := json.Unmarshal(b[4:4+size], &h); err != nil {
		t.Fatal(err)
	}
	b = b[4+size:]
	r := &reference{rows: map[string]int32{}, costs: map[string]int{}, unknown: h.Unknown}
	for i, word := range strings.Split(string(b[:h.EnBytes]), "\n") {
		r.rows[word] = int32(i)
	}
	b = b[h.EnBytes:]
	for i, word := range strings.Split(string(b[:h.ZhBytes]), "\n") {
		r.rows[word] = int32(h.En + i)
		r.costs[word] = int(b[h.ZhBytes+i])
	}
	b = b[h.ZhBytes+h.Zh:]
	r.scales, r.packed = b[:2*(h.En+h.Zh)], b[2*(h.En+h.Zh):]
	return r
}

func (r *reference) tokens(text string) (rows []int32) {
	add := func(word string) bool {
		row, ok := r.rows[word]
		if ok {
			rows = append(rows, row)
		}
		return ok
	}
	for _, run := range refRun.FindAllString(norm.NFKC.String(text), -1) {
		if first := []rune(run)[0]; first >= 0x4e00 && first <= 0x9fff {
			for _, word := range r.segment([]rune(run)) {
				add(word)
			}
			continue
		}
		for _, word := range refWord.FindAllString(strings.ReplaceAll(strings.ToLower(run), "\u2019", "'"), -1) {
			if add(word) {
				continue
			}
			for _, part := range refPart.FindAllString(word, -1) {
				add(part)
			}
		}
	}
	return rows
}

func (r *reference) segment(run []rune) []string {
	type way struct {
		cost int
		last string
	}
	best := make([]way, len(run)+1)
	for i := range run {
		best[i+1].cost = math.MaxInt
	}
	for i := range run {
		if cost := best[i].cost + r.unknown; cost < best[i+1].cost {
			best[i+1] = way{cost, string(run[i])}
		}
		for end := i + 1; end <= min(len(run), i+8); end++ {
			word := string(run[i:end])
			if c, ok := r.costs[word]; ok && best[i].cost+c < best[end].cost {
				best[end] = way{best[i].cost + c, word}
			}
		}
	}
	var words []string
	for end := len(run); end > 0; end -= len([]rune(best[end].last)) {
		words = append([]string{best[end].last}, words...)
	}
	return words
}

func (r *reference) vector(text string) []float64 {
	v := make([]float64, 256)
	for _, row := range r.tokens(text) {
		f16 := binary.LittleEndian.Uint16(r.scales[2*row:])
		scale := math.Ldexp(float64(1024+f16&1023), int(f16>>10)-25) // the table has no subnormal scale but 0
		if f16 == 0 {
			scale = 0
		}
		for i, b := range r.packed[int(row)*128 : int(row+1)*128] {
			v[2*i] += scale * float64(int(b&15)-8)
			v[2*i+1] += scale * float64(int(b>>4)-8)
		}
	}
	var square float64
	for _, x := range v {
		square += x * x
	}
	for i := range v {
		v[i] /= math.Sqrt(square)
	}
	return v
}
