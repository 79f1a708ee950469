package static

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The lookup file:
//
//	"SLOOK1\n\x00"
//	SHA-256 of the artefact it belongs to
//	u32 per word    position in the word lists | length in bytes << 24
//	u8 per Han      bit n-1 is set when a word of n characters begins with this one
//	u32 per slot    0 when empty, else row+1 | 15 bits of the word's hash << 17
//
// Slots are probed one after the other. With 2^18 of them for 125,842 words a word
// that is there takes 1.5 probes on average, and the hash bits save nearly all
// comparisons for words that are not.
const (
	lookupMagic = "SLOOK1\n\x00"
	slotBits    = 18
	slots       = 1 << slotBits
	rowBits     = 17
	rowMask     = 1<<rowBits - 1

	maxHanWord = 8 // characters; the bits of a byte in the table of beginnings
	firstHan   = 0x4e00
	lastHan    = 0x9fff
)

type lookup struct {
	places     []byte
	beginnings []byte
	slots      []byte
}

func parseLookup(file []byte, words int) (lookup, error) {
	body, ok := bytes.CutPrefix(file, []byte(lookupMagic))
	if !ok {
		return lookup{}, errors.New("it does not begin with SLOOK1")
	}
	const hans = lastHan - firstHan + 1
	if want := sha256.Size + 4*words + hans + 4*slots; len(body) != want {
		return lookup{}, fmt.Errorf("%d bytes, want %d for %d words", len(body), want, words)
	}
	body = body[sha256.Size:]
	return lookup{
		places:     body[: 4*words : 4*words],
		beginnings: body[4*words : 4*words+hans],
		slots:      body[4*words+hans:],
	}, nil
}

// hash is taken rune by rune, so that segmentation extends the hash of a word to
// that of a longer one with a single step.
type hash uint64

const emptyHash hash = 0xcbf29ce484222325

func (h hash) with(r rune) hash { return (h ^ hash(r)) * 0x9e3779b97f4a7c15 }

// slot and tag use high bits: a product's low bits depend on few bits of its factors.
func (h hash) slot() uint32 { return uint32((h ^ h>>29) * 0x9e3779b97f4a7c15 >> (64 - slotBits)) }
func (h hash) tag() uint32  { return uint32(h>>40) << rowBits }

// find returns the row of the word with this hash, or -1.
func (t *Table) find(h hash, word []byte) int32 {
	tag := h.tag()
	for s := h.slot(); ; s = (s + 1) % slots {
		entry := binary.LittleEndian.Uint32(t.slots[4*s:])
		if entry == 0 {
			return -1
		}
		if entry&^rowMask == tag {
			if row := entry&rowMask - 1; string(t.word(row)) == string(word) {
				return int32(row)
			}
		}
	}
}

func (t *Table) word(row uint32) []byte {
	place := binary.LittleEndian.Uint32(t.places[4*row:])
	start := place & (1<<24 - 1)
	return t.words[start : start+place>>24]
}

// BuildLookup makes the lookup file for an artefact. Same artefact, same bytes.
func BuildLookup(artefactFile []byte) ([]byte, error) {
	a, err := parseArtefact(artefactFile)
	if err != nil {
		return nil, err
	}
	english := strings.Split(string(a.words[:a.header.EnglishBytes]), "\n")
	chinese := strings.Split(string(a.words[a.header.EnglishBytes:]), "\n")
	if len(english) != a.header.English || len(chinese) != a.header.Chinese {
		return nil, fmt.Errorf("%d English and %d Chinese words, the header says %d and %d",
			len(english), len(chinese), a.header.English, a.header.Chinese)
	}
	if total := len(english) + len(chinese); total > rowMask || total > slots*3/4 {
		return nil, fmt.Errorf("%d words are too many for the lookup's form", total)
	}

	places := make([]byte, 0, 4*a.header.words())
	beginnings := make([]byte, lastHan-firstHan+1)
	table := make([]byte, 4*slots)
	start := 0
	for row, word := range append(english, chinese...) {
		if row == len(english) {
			start = a.header.EnglishBytes
		}
		if len(word) > 255 {
			return nil, fmt.Errorf("word %d has %d bytes, 255 at most", row, len(word))
		}
		places = binary.LittleEndian.AppendUint32(places, uint32(start|len(word)<<24))
		start += len(word) + 1
		if first, _ := utf8.DecodeRuneInString(word); first >= firstHan && first <= lastHan {
			beginnings[first-firstHan] |= 1 << (utf8.RuneCountInString(word) - 1)
		}
		insert(table, word, row)
	}
	sum := sha256.Sum256(artefactFile)
	return bytes.Join([][]byte{[]byte(lookupMagic), sum[:], places, beginnings, table}, nil), nil
}

func insert(table []byte, word string, row int) {
	h := emptyHash
	for _, r := range word {
		h = h.with(r)
	}
	s := h.slot()
	for binary.LittleEndian.Uint32(table[4*s:]) != 0 {
		s = (s + 1) % slots
	}
	binary.LittleEndian.PutUint32(table[4*s:], uint32(row+1)|h.tag())
}
