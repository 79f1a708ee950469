package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"brain/page"
)

// A table is everything the index keeps of pages besides words and vectors:
// one row a page, its names, its links, its chunks. It is one flat file, read
// in place through a memory map, so that opening costs the same at ten pages
// and at fifty thousand. All numbers are little-endian.
//
//	header    magic "BRNTBL01", count and byte offset of each section
//	rows      rowSize bytes each, sorted by path
//	names     16 bytes each: hash u64, row u32, kind u8; grouped by row
//	nameIdx   u32 each: numbers of names, sorted by (hash, kind, row)
//	edges     edgeSize bytes each, grouped by row
//	edgeIdx   12 bytes each: candidate hash u64, edge u32; sorted
//	chunks    u32 each: vector number, or a state below; grouped by row
//	dead      u32 each: rows of the base that this tail replaces or removes
//	redirects u32 each: rows that are redirect stubs
//	blob      strings
//
// A generation has two: the base, linked from one generation to the next, and
// the tail, which holds the pages that changed since and is rewritten by each
// sync until it is folded into a new base. Nothing in a table is resolved: a
// link keeps the names it may mean, as hashes, and is looked up when it is
// walked. So a page that appears, moves or gains an alias changes no other
// page's row, and an incremental index cannot differ from a rebuilt one.
const (
	tableMagic = "BRNTBL01"
	rowSize    = 152
	nameSize   = 16
	edgeSize   = 48
	edgeIdxLen = 12

	// States of a chunk without a vector.
	vecPending = 0xFFFFFFFF // not embedded yet
	vecFailed  = 0xFFFFFFFE // the embedder refused it; tried again on request
	vecNone    = 0xFFFFFFFD // nothing to embed: no word that the embedder knows
	vecStates  = 0xFFFFFFF0 // numbers from here on are states, not vectors
)

type section int

const (
	secRows section = iota
	secNames
	secNameIdx
	secEdges
	secEdgeIdx
	secChunks
	secDead
	secRedirects
	secBlob
	numSections
)

var sectionUnit = [numSections]int{rowSize, nameSize, 4, edgeSize, edgeIdxLen, 4, 4, 4, 1}

const headerSize = len(tableMagic) + int(numSections)*16

// Row flags.
const (
	flagRanked   = 1 << iota // may appear in answers
	flagUnproven             // changed within racyWindow of the look that read it
	flagRedirect
	flagGenerated
	flagBinary  // no text: the row only keeps the file from being read again
	flagSession // its turns stand behind its strings
)

// record is a page on its way into a table.
type record struct {
	file     page.File
	hash     [32]byte
	flags    uint16
	tier     uint8
	words    uint32 // BM25 length, in units of termUnit
	turns    uint32 // of a session
	created  int64  // Unix seconds, 0 unknown
	updated  int64
	at       int64
	redirect uint64 // hash of the name it redirects to
	meta     []byte // encoded by appendMeta
	names    []nameRef
	edges    []edgeRef
	chunks   []uint32
}

type nameRef struct {
	hash uint64
	kind page.NameKind
}

// edgeRef is a link as a table keeps it: up to three names that its target
// may have, tried in order; zero means none.
type edgeRef struct {
	cand    [3]uint64
	typ     string
	line    uint32
	kind    page.LinkKind
	reverse bool
	target  string // as written, for messages about missing targets
}

// nameHash is 64-bit FNV-1a with a final mix, of a folded name.
func nameHash(folded string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(folded); i++ {
		h = (h ^ uint64(folded[i])) * 1099511628211
	}
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}

// encodeTable lays out records, which it sorts by path, with the base rows
// that they replace.
func encodeTable(recs []*record, dead []uint32) []byte {
	slices.SortFunc(recs, func(a, b *record) int { return cmp.Compare(a.file.Path, b.file.Path) })
	var b tableBuilder
	b.strings = map[string]uint32{}
	for i, r := range recs {
		b.row(uint32(i), r)
	}
	for _, d := range dead {
		b.dead = binary.LittleEndian.AppendUint32(b.dead, d)
	}
	return b.finish()
}

type tableBuilder struct {
	rows, names, edges, chunks, dead, redirects, blob []byte
	nameKeys                                          []nameKey
	edgeKeys                                          []edgeKey
	strings                                           map[string]uint32 // edge types, shared
}

type nameKey struct {
	hash uint64
	kind page.NameKind
	row  uint32
	num  uint32
}

type edgeKey struct {
	hash uint64
	edge uint32
}

func (b *tableBuilder) row(n uint32, r *record) {
	le := binary.LittleEndian
	var row [rowSize]byte
	le.PutUint32(row[0:], uint32(len(b.blob)))
	le.PutUint32(row[4:], uint32(len(r.file.Path)))
	b.blob = append(b.blob, r.file.Path...)
	le.PutUint64(row[8:], uint64(r.file.Size))
	le.PutUint64(row[16:], uint64(r.file.Mtime))
	le.PutUint64(row[24:], uint64(r.file.Ctime))
	le.PutUint64(row[32:], r.file.Inode)
	copy(row[40:72], r.hash[:])
	le.PutUint32(row[72:], r.words)
	le.PutUint16(row[76:], r.flags)
	row[78] = r.tier
	le.PutUint32(row[80:], uint32(len(b.blob)))
	le.PutUint32(row[84:], uint32(len(r.meta)))
	b.blob = append(b.blob, r.meta...)
	le.PutUint32(row[88:], uint32(len(b.names)/nameSize))
	le.PutUint32(row[92:], uint32(len(r.names)))
	le.PutUint32(row[96:], uint32(len(b.edges)/edgeSize))
	le.PutUint32(row[100:], uint32(len(r.edges)))
	le.PutUint32(row[104:], uint32(len(b.chunks)/4))
	le.PutUint32(row[108:], uint32(len(r.chunks)))
	le.PutUint64(row[112:], uint64(r.created))
	le.PutUint64(row[120:], uint64(r.updated))
	le.PutUint64(row[128:], uint64(r.at))
	le.PutUint64(row[136:], r.redirect)
	le.PutUint32(row[144:], r.turns)
	b.rows = append(b.rows, row[:]...)
	if r.flags&flagRedirect != 0 {
		b.redirects = le.AppendUint32(b.redirects, n)
	}
	for _, nm := range r.names {
		b.name(n, nm)
	}
	for _, e := range r.edges {
		b.edge(n, e)
	}
	for _, c := range r.chunks {
		b.chunks = le.AppendUint32(b.chunks, c)
	}
}

func (b *tableBuilder) name(row uint32, nm nameRef) {
	var rec [nameSize]byte
	binary.LittleEndian.PutUint64(rec[0:], nm.hash)
	binary.LittleEndian.PutUint32(rec[8:], row)
	rec[12] = byte(nm.kind)
	b.nameKeys = append(b.nameKeys, nameKey{nm.hash, nm.kind, row, uint32(len(b.names) / nameSize)})
	b.names = append(b.names, rec[:]...)
}

func (b *tableBuilder) edge(row uint32, e edgeRef) {
	le := binary.LittleEndian
	var rec [edgeSize]byte
	for i, c := range e.cand {
		le.PutUint64(rec[8*i:], c)
		if c != 0 {
			b.edgeKeys = append(b.edgeKeys, edgeKey{c, uint32(len(b.edges) / edgeSize)})
		}
	}
	le.PutUint32(rec[24:], row)
	le.PutUint32(rec[28:], e.line)
	off, ok := b.strings[e.typ]
	if !ok {
		off = uint32(len(b.blob))
		b.blob = append(b.blob, e.typ...)
		b.strings[e.typ] = off
	}
	le.PutUint32(rec[32:], off)
	rec[36] = byte(len(e.typ))
	rec[37] = byte(e.kind)
	if e.reverse {
		rec[38] = 1
	}
	target := e.target
	if len(target) > 1<<16-1 {
		target = target[:1<<16-1]
	}
	le.PutUint16(rec[40:], uint16(len(target)))
	le.PutUint32(rec[44:], uint32(len(b.blob)))
	b.blob = append(b.blob, target...)
	b.edges = append(b.edges, rec[:]...)
}

func (b *tableBuilder) finish() []byte {
	le := binary.LittleEndian
	slices.SortFunc(b.nameKeys, func(x, y nameKey) int {
		return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.kind, y.kind), cmp.Compare(x.row, y.row))
	})
	nameIdx := make([]byte, 0, 4*len(b.nameKeys))
	for _, k := range b.nameKeys {
		nameIdx = le.AppendUint32(nameIdx, k.num)
	}
	slices.SortFunc(b.edgeKeys, func(x, y edgeKey) int {
		return cmp.Or(cmp.Compare(x.hash, y.hash), cmp.Compare(x.edge, y.edge))
	})
	edgeIdx := make([]byte, 0, edgeIdxLen*len(b.edgeKeys))
	for _, k := range b.edgeKeys {
		edgeIdx = le.AppendUint64(edgeIdx, k.hash)
		edgeIdx = le.AppendUint32(edgeIdx, k.edge)
	}
	parts := [numSections][]byte{b.rows, b.names, nameIdx, b.edges, edgeIdx, b.chunks, b.dead, b.redirects, b.blob}
	out := make([]byte, 0, headerSize+len(b.rows)+len(b.edges)+len(b.blob)+len(b.names)*2)
	out = append(out, tableMagic...)
	off := headerSize
	for _, p := range parts {
		out = le.AppendUint64(out, uint64(off))
		out = le.AppendUint64(out, uint64(len(p)))
		off += len(p)
	}
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// table reads an encoded table in place. Its bytes were checked by openTable
// as far as sizes go; offsets inside are checked where they are used, so that
// a damaged file gives wrong answers at worst, never a panic.
type table struct {
	sec [numSections][]byte
}

var errDamaged = errors.New("damaged")

func openTable(b []byte) (*table, error) {
	if len(b) < headerSize || !bytes.HasPrefix(b, []byte(tableMagic)) {
		return nil, fmt.Errorf("table: %w: no header", errDamaged)
	}
	var t table
	want := uint64(headerSize)
	for i := range t.sec {
		h := b[len(tableMagic)+16*i:]
		off, n := binary.LittleEndian.Uint64(h), binary.LittleEndian.Uint64(h[8:])
		if off != want || n > uint64(len(b))-off || n%uint64(sectionUnit[i]) != 0 {
			return nil, fmt.Errorf("table: %w: section %d does not fit", errDamaged, i)
		}
		t.sec[i] = b[off : off+n : off+n]
		want = off + n
	}
	if want != uint64(len(b)) {
		return nil, fmt.Errorf("table: %w: %d bytes, header says %d", errDamaged, len(b), want)
	}
	return &t, nil
}

func (t *table) len() int { return len(t.sec[secRows]) / rowSize }

func (t *table) row(n uint32) []byte { return t.sec[secRows][int(n)*rowSize:][:rowSize] }

// span gives the part of a section that a row owns, empty when the row is damaged.
func (t *table) span(s section, row []byte, at int) []byte {
	off := int(binary.LittleEndian.Uint32(row[at:])) * sectionUnit[s]
	n := int(binary.LittleEndian.Uint32(row[at+4:])) * sectionUnit[s]
	if off < 0 || n < 0 || off+n > len(t.sec[s]) {
		return nil
	}
	return t.sec[s][off : off+n]
}

func (t *table) path(n uint32) []byte   { return t.span(secBlob, t.row(n), 0) }
func (t *table) meta(n uint32) []byte   { return t.span(secBlob, t.row(n), 80) }
func (t *table) names(n uint32) []byte  { return t.span(secNames, t.row(n), 88) }
func (t *table) edges(n uint32) []byte  { return t.span(secEdges, t.row(n), 96) }
func (t *table) chunks(n uint32) []byte { return t.span(secChunks, t.row(n), 104) }
func (t *table) words(n uint32) uint32  { return binary.LittleEndian.Uint32(t.row(n)[72:]) }
func (t *table) flags(n uint32) uint16  { return binary.LittleEndian.Uint16(t.row(n)[76:]) }
func (t *table) turns(n uint32) int     { return int(binary.LittleEndian.Uint32(t.row(n)[144:])) }
func (t *table) tier(n uint32) int      { return int(t.row(n)[78]) }
func (t *table) redirect(n uint32) uint64 {
	return binary.LittleEndian.Uint64(t.row(n)[136:])
}

func (t *table) hash(n uint32) (h [32]byte) { copy(h[:], t.row(n)[40:72]); return h }

func (t *table) file(n uint32) page.File {
	r := t.row(n)
	le := binary.LittleEndian
	return page.File{
		Path: page.Path(t.path(n)), Size: int64(le.Uint64(r[8:])), Mtime: int64(le.Uint64(r[16:])),
		Ctime: int64(le.Uint64(r[24:])), Inode: le.Uint64(r[32:]),
	}
}

// same reports whether the row describes exactly this file state.
func (t *table) same(n uint32, f *page.File) bool {
	r := t.row(n)
	le := binary.LittleEndian
	return int64(le.Uint64(r[8:])) == f.Size && int64(le.Uint64(r[16:])) == f.Mtime &&
		int64(le.Uint64(r[24:])) == f.Ctime && le.Uint64(r[32:]) == f.Inode
}

func (t *table) date(n uint32, at int) time.Time {
	s := int64(binary.LittleEndian.Uint64(t.row(n)[at:]))
	if s == 0 {
		return time.Time{}
	}
	return time.Unix(s, 0).UTC()
}

// find gives the row of a path.
func (t *table) find(p page.Path) (uint32, bool) {
	lo, hi := 0, t.len()
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if string(t.path(uint32(m))) < string(p) {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < t.len() && string(t.path(uint32(lo))) == string(p) {
		return uint32(lo), true
	}
	return 0, false
}

// named visits the rows that bear a name, best kind first, then by path.
func (t *table) named(h uint64, visit func(row uint32, kind page.NameKind)) {
	idx, names := t.sec[secNameIdx], t.sec[secNames]
	le := binary.LittleEndian
	rec := func(i int) []byte {
		off := int(le.Uint32(idx[4*i:])) * nameSize
		if off+nameSize > len(names) {
			return nil
		}
		return names[off : off+nameSize]
	}
	lo, hi := 0, len(idx)/4
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if r := rec(m); r != nil && le.Uint64(r) < h {
			lo = m + 1
		} else {
			hi = m
		}
	}
	for ; lo < len(idx)/4; lo++ {
		r := rec(lo)
		if r == nil || le.Uint64(r) != h {
			return
		}
		if row := le.Uint32(r[8:]); int(row) < t.len() {
			visit(row, page.NameKind(r[12]))
		}
	}
}

// pointing visits the edges that have a name among their candidates, until
// visit returns false.
func (t *table) pointing(h uint64, visit func(edge []byte) bool) {
	idx := t.sec[secEdgeIdx]
	le := binary.LittleEndian
	lo, hi := 0, len(idx)/edgeIdxLen
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if le.Uint64(idx[m*edgeIdxLen:]) < h {
			lo = m + 1
		} else {
			hi = m
		}
	}
	for ; lo < len(idx)/edgeIdxLen && le.Uint64(idx[lo*edgeIdxLen:]) == h; lo++ {
		off := int(le.Uint32(idx[lo*edgeIdxLen+8:])) * edgeSize
		if off+edgeSize > len(t.sec[secEdges]) {
			continue
		}
		if e := t.sec[secEdges][off : off+edgeSize]; int(edgeFrom(e)) < t.len() && !visit(e) {
			return
		}
	}
}

// edge fields, read in place.
func edgeCand(e []byte, i int) uint64 { return binary.LittleEndian.Uint64(e[8*i:]) }
func edgeFrom(e []byte) uint32        { return binary.LittleEndian.Uint32(e[24:]) }
func edgeLine(e []byte) int           { return int(binary.LittleEndian.Uint32(e[28:])) }
func edgeKind(e []byte) page.LinkKind { return page.LinkKind(e[37]) }
func edgeReverse(e []byte) bool       { return e[38] == 1 }
func (t *table) edgeType(e []byte) string {
	off, n := int(binary.LittleEndian.Uint32(e[32:])), int(e[36])
	return t.text(off, n)
}
func (t *table) edgeTarget(e []byte) string {
	return t.text(int(binary.LittleEndian.Uint32(e[44:])), int(binary.LittleEndian.Uint16(e[40:])))
}

func (t *table) text(off, n int) string {
	if off < 0 || off+n > len(t.sec[secBlob]) {
		return ""
	}
	return string(t.sec[secBlob][off : off+n])
}

// record decodes a row for rewriting it into another table.
func (t *table) record(n uint32) *record {
	r := &record{
		file: t.file(n), hash: t.hash(n), flags: t.flags(n), tier: uint8(t.tier(n)), words: t.words(n),
		redirect: t.redirect(n), meta: t.meta(n),
	}
	le := binary.LittleEndian
	row := t.row(n)
	r.turns = le.Uint32(row[144:])
	r.created, r.updated, r.at = int64(le.Uint64(row[112:])), int64(le.Uint64(row[120:])), int64(le.Uint64(row[128:]))
	for b := t.names(n); len(b) > 0; b = b[nameSize:] {
		r.names = append(r.names, nameRef{le.Uint64(b), page.NameKind(b[12])})
	}
	for b := t.edges(n); len(b) > 0; b = b[edgeSize:] {
		r.edges = append(r.edges, edgeRef{
			cand: [3]uint64{edgeCand(b, 0), edgeCand(b, 1), edgeCand(b, 2)}, typ: t.edgeType(b),
			line: uint32(edgeLine(b)), kind: edgeKind(b), reverse: edgeReverse(b), target: t.edgeTarget(b),
		})
	}
	for b := t.chunks(n); len(b) > 0; b = b[4:] {
		r.chunks = append(r.chunks, le.Uint32(b))
	}
	return r
}
