// Package static turns text into vectors with a table of word vectors alone: the
// vector of a text is the sum of the rows of its words, scaled to unit length.
//
// Two files make a table. The artefact (SEMB1, written by build/build_static.py and
// described there) holds for each word a row of 256 values of 4 bits with a common
// scale, common words first. The lookup file, derived from it, is a hash table from
// word to row. Both are used where they lie, without copying, so that opening a table
// costs microseconds: filling a map with 125,842 words would cost 19 ms, more than a
// whole query may take.
//
//	artefact: "SEMB1\n", u32 header length, JSON header,
//	          English words joined by \n, Chinese words joined by \n,
//	          u8 cost per Chinese word (-12 ln of its frequency),
//	          f16 scale per row, rows of dim/2 bytes (low nibble first, value + 8)
//
// Numbers are little-endian.
package static

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

const (
	magic = "SEMB1\n"
	// dims is fixed: the inner loop of sum is written for it.
	dims     = 256
	rowBytes = dims / 2
)

// Table is an open table, safe for concurrent use.
type Table struct {
	artefact
	lookup
	scratch sync.Pool // *scratch
}

// artefact is the SEMB1 file, cut into its parts.
type artefact struct {
	words  []byte // English, then Chinese; the first Chinese word follows the last English one directly
	costs  []byte // by Chinese word
	scales []byte // f16 by row
	rows   []byte
	header header
}

type header struct {
	Dim     int `json:"dim"`
	Bits    int `json:"bits"`
	English int `json:"en"`
	Chinese int `json:"zh"`
	// Bytes of the two word lists, separators included.
	EnglishBytes int `json:"en_bytes"`
	ChineseBytes int `json:"zh_bytes"`
	// UnknownCost is the cost of a Han character that begins no word.
	UnknownCost int `json:"unk_cost"`
	// LongestChinese is the longest Chinese word in characters.
	LongestChinese int `json:"max_zh"`
}

func (h header) words() int { return h.English + h.Chinese }

// Open opens a table. The files are not copied and must not change.
func Open(artefactFile, lookupFile []byte) (*Table, error) {
	a, err := parseArtefact(artefactFile)
	if err != nil {
		return nil, fmt.Errorf("word table: %w", err)
	}
	l, err := parseLookup(lookupFile, a.header.words())
	if err != nil {
		return nil, fmt.Errorf("lookup of the word table: %w", err)
	}
	t := &Table{artefact: a, lookup: l}
	t.scratch.New = func() any { return new(scratch) }
	return t, nil
}

// Dims is the length of a vector.
func (t *Table) Dims() int { return dims }

func parseArtefact(file []byte) (artefact, error) {
	body, ok := bytes.CutPrefix(file, []byte(magic))
	if !ok || len(body) < 4 {
		return artefact{}, errors.New("it does not begin with SEMB1")
	}
	size := int(binary.LittleEndian.Uint32(body))
	body = body[4:]
	if size > len(body) {
		return artefact{}, errors.New("its header is cut off")
	}
	var h header
	if err := json.Unmarshal(body[:size], &h); err != nil {
		return artefact{}, fmt.Errorf("its header: %w", err)
	}
	if h.Dim != dims || h.Bits != 4 || h.LongestChinese != maxHanWord {
		return artefact{}, fmt.Errorf("%d dimensions of %d bits, Chinese words up to %d; this reader knows %d of 4, up to %d",
			h.Dim, h.Bits, h.LongestChinese, dims, maxHanWord)
	}
	body = body[size:]
	if want := h.EnglishBytes + h.ChineseBytes + h.Chinese + h.words()*(2+rowBytes); len(body) != want {
		return artefact{}, fmt.Errorf("%d bytes follow its header, which announces %d", len(body), want)
	}
	cut := func(n int) []byte {
		part := body[:n:n]
		body = body[n:]
		return part
	}
	return artefact{
		header: h,
		words:  cut(h.EnglishBytes + h.ChineseBytes),
		costs:  cut(h.Chinese),
		scales: cut(2 * h.words()),
		rows:   cut(rowBytes * h.words()),
	}, nil
}
