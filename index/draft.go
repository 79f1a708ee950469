package index

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"brain/llm"
	"brain/page"
)

// A draft is the next generation in preparation: what the writer adds to or
// takes from the one before. Nothing of it is on disk until open, and nothing
// visible until commit.
type draft struct {
	d    *disk
	from *View // the generation it grows from; nil when everything is made anew
	dir  string
	gen  uint64
	m    manifest
	lex  *lexWriter
	said *llm.Lexicon // whose words the rows keep, nil: none are kept

	mu      sync.Mutex
	put     map[page.Path]*record // rows that are new or replace one
	gone    map[page.Path]bool
	undone  map[page.Path]bool // put and taken back: their words are to go
	vec     *vecWriter
	nvec    uint32 // vectors of the generation before
	keys    map[vecKey]uint32
	spent   []uint32  // vectors that lost an owner
	foreign bool      // the vectors are another embedder's: none may be added
	heir    *vecFiles // vectors of the generation that is made anew, nil without
	written int64
}

// Tail limits: a larger tail is folded into the base. They bound what a
// one-page sync writes; a fold costs the whole table once in maxTailRows syncs.
// (Variables, so that tests fold often.)
var (
	maxTailRows  = 256
	maxTailBytes = 512 << 10
)

// newDraft is an empty draft of generation gen; the fingerprint is that of the
// vectors it will hold.
func newDraft(d *disk, from *View, gen uint64, fingerprint string, dims int) (*draft, error) {
	b := &draft{
		d: d, from: from, gen: gen, dir: filepath.Join(d.dir, fmt.Sprintf("%s%d", tmpPrefix, gen)),
		put: map[page.Path]*record{}, gone: map[page.Path]bool{}, undone: map[page.Path]bool{}, keys: map[vecKey]uint32{},
	}
	b.m = manifest{Embedder: fingerprint, Dims: dims, Scopes: map[string]totals{}}
	if from != nil && !(from.m.Embedder == "" && fingerprint == "") {
		b.foreign = !from.SameSpace(fingerprint)
		b.m.Embedder, b.m.Dims = from.m.Embedder, from.m.Dims
	}
	if from != nil {
		b.m.Epoch = from.m.Epoch
	}
	if from != nil && from.vecs != nil {
		b.m.Dims, b.nvec = from.m.Dims, from.vecs.n
	}
	var err error
	b.said, err = b.m.lexicon()
	return b, err
}

// open makes the folder of the draft. The caller holds LOCK and has swept, and
// abandons the draft on an error.
func (b *draft) open() (err error) {
	for _, dir := range []string{b.dir, filepath.Join(b.dir, "lex"), filepath.Join(b.dir, "vec")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	if b.from != nil {
		if err := b.inherit(b.from); err != nil {
			return err
		}
	}
	b.lex, err = openLexWriter(filepath.Join(b.dir, "lex"))
	return err
}

// inherit links what the generation before has.
func (b *draft) inherit(from *View) error {
	old := filepath.Join(b.d.dir, genName(from.m.Generation))
	b.m.Scopes = maps.Clone(from.m.Scopes)
	b.m.Text = from.m.Text
	if err := from.lex.clone(b.d, filepath.Join(old, "lex"), filepath.Join(b.dir, "lex")); err != nil {
		return err
	}
	if from.vecs == nil {
		return nil
	}
	for _, f := range from.m.Vectors {
		if err := b.d.link(filepath.Join(old, "vec", f.Name), filepath.Join(b.dir, "vec", f.Name)); err != nil {
			return err
		}
	}
	b.m.Vectors = slices.Clone(from.m.Vectors)
	b.m.Orphans = slices.Clone(from.m.Orphans)
	return nil
}

// known fills in the numbers of vectors that exist already.
func (b *draft) known(wanted map[vecKey]uint32) {
	b.mu.Lock()
	for k := range wanted {
		if id, ok := b.keys[k]; ok {
			wanted[k] = id
		}
	}
	b.mu.Unlock()
	if b.from != nil && b.from.vecs != nil {
		b.from.vecs.find(wanted)
	}
}

// bequeath lets a draft that is made anew copy the vectors of generation n, so
// that a changed table or tokenizer asks no model server twice. Files whose
// checksum is wrong bequeath nothing: making anew is also the repair.
func (b *draft) bequeath(n uint64) {
	dir := filepath.Join(b.d.dir, genName(n))
	raw, err := os.ReadFile(filepath.Join(dir, "manifest"))
	if err != nil {
		return
	}
	m, err := decodeManifest(raw)
	if err != nil || m.Format != formatVersion || !llm.SameSpace(m.Embedder, b.m.Embedder) {
		return
	}
	for _, f := range m.Files {
		if !strings.HasSuffix(f.Name, ".vec") {
			continue
		}
		if sum, err := crcFile(filepath.Join(dir, f.Name)); err != nil || sum != f.CRC {
			return
		}
	}
	if files, err := openVecFiles(dir, m); err == nil {
		b.heir = files
	}
}

// bequeathed copies vectors that the generation before had.
func (b *draft) bequeathed(ids map[vecKey]uint32) error {
	if b.heir == nil {
		return nil
	}
	wanted := map[vecKey]uint32{}
	for k, id := range ids {
		if id == vecPending {
			wanted[k] = vecPending
		}
	}
	b.heir.find(wanted)
	var keys []vecKey
	var vecs [][]float32
	for k, id := range wanted {
		if id < vecStates {
			keys, vecs = append(keys, k), append(vecs, b.heir.vector(id))
		}
	}
	nums, err := b.addVectors(keys, vecs)
	for i, n := range nums {
		ids[keys[i]] = n
	}
	return err
}

// addVectors stores vectors and gives their numbers.
func (b *draft) addVectors(keys []vecKey, vecs [][]float32) ([]uint32, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ids := make([]uint32, len(keys))
	for i, k := range keys {
		id, ok := b.keys[k]
		if !ok {
			if b.vec == nil {
				if err := b.openVec(len(vecs[i])); err != nil {
					return nil, err
				}
			}
			id = b.nvec + uint32(b.vec.count())
			if err := b.vec.add(k, vecs[i]); err != nil {
				return nil, err
			}
			b.keys[k] = id
		}
		ids[i] = id
	}
	return ids, nil
}

func (b *draft) openVec(dims int) (err error) {
	if b.m.Dims == 0 {
		b.m.Dims = dims
	}
	b.vec, err = newVecWriter(filepath.Join(b.dir, "vec", fmt.Sprintf("%d.vec", b.gen)), b.m.Dims, b.m.Embedder, today())
	return err
}

func today() int64 { return time.Now().Unix() / 86400 }

// add takes a row. A row of the same path is replaced.
func (b *draft) add(r *record) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.disown(b.put[r.file.Path])
	b.put[r.file.Path] = r
}

// takeBack undoes add, if there was one.
func (b *draft) takeBack(p page.Path) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := b.put[p]; r != nil {
		b.disown(r)
		delete(b.put, p)
		b.undone[p] = true
	}
}

// disown notes the vectors of a row that was put here and will not stay.
func (b *draft) disown(r *record) {
	if r == nil {
		return
	}
	for _, id := range r.chunks {
		if id < vecStates {
			b.spent = append(b.spent, id)
		}
	}
}

// abandon drops the draft.
func (b *draft) abandon() error {
	if b == nil {
		return nil
	}
	var err error
	if b.lex != nil {
		err = b.lex.close()
	}
	if b.vec != nil {
		err = errors.Join(err, b.vec.f.Close())
	}
	return errors.Join(err, b.closeHeir(), os.RemoveAll(b.dir))
}

func (b *draft) closeHeir() error {
	if b.heir == nil {
		return nil
	}
	heir := b.heir
	b.heir = nil
	return heir.close()
}

// commit writes tables and manifest and publishes the generation.
func (b *draft) commit(ctx context.Context, compact bool) error {
	if err := b.closeHeir(); err != nil {
		return err
	}
	if err := b.lex.merge(ctx, compact); err != nil {
		return err
	}
	lex := b.lex
	b.lex = nil // closed once, with an error too
	if err := lex.close(); err != nil {
		return fmt.Errorf("words: %w", err)
	}
	if b.vec != nil {
		f, err := b.vec.finish(b.d)
		if err != nil {
			return err
		}
		if f.Count > 0 {
			b.m.Vectors = append(b.m.Vectors, f)
		}
		b.vec = nil
	}
	recs, dead := b.rows()
	if err := b.tables(recs, dead, compact); err != nil {
		return err
	}
	b.m.Format, b.m.Tokenizer, b.m.Terms, b.m.Generation = formatVersion, tokenizerVersion, termsVersion, b.gen
	var before *manifest
	if b.from != nil {
		before = b.from.m
	}
	var err error
	if b.written, err = b.m.sumFiles(b.dir, before); err != nil {
		return err
	}
	raw, err := b.m.encode()
	if err != nil {
		return err
	}
	b.written += int64(len(raw))
	if err := b.d.writeFile(filepath.Join(b.dir, "manifest"), raw); err != nil {
		return err
	}
	return b.d.publish(b.dir, b.gen)
}

// rows works out the tail: its records and the base rows they leave dead. It
// brings the totals up to date on the way.
func (b *draft) rows() (tail []*record, dead []uint32) {
	v := b.from
	for _, r := range b.put {
		b.count(r, 1)
		tail = append(tail, r)
	}
	if v == nil {
		return tail, nil
	}
	for n := range uint32(v.tail.len()) {
		r := v.tail.record(n)
		if _, put := b.put[r.file.Path]; put || b.gone[r.file.Path] {
			b.lose(r)
		} else {
			tail = append(tail, r)
		}
	}
	lost := slices.Clone(v.dead)
	each := func(p page.Path) {
		if row, ok := v.base.find(p); ok && !lost[row] {
			lost[row] = true
			b.lose(v.base.record(row))
		}
	}
	for p := range b.put {
		each(p)
	}
	for p := range b.gone {
		each(p)
	}
	for row, l := range lost {
		if l {
			dead = append(dead, uint32(row))
		}
	}
	return tail, dead
}

// lose takes a row out of the totals and notes the vectors it owned.
func (b *draft) lose(r *record) {
	b.count(r, -1)
	for _, id := range r.chunks {
		if id < vecStates {
			b.spent = append(b.spent, id)
		}
	}
}

func (b *draft) count(r *record, sign int) {
	b.m.Text += int64(sign) * r.file.Size
	if r.flags&flagRanked == 0 {
		return
	}
	scope := r.scope()
	t := b.m.Scopes[scope]
	t.Docs += sign
	t.Words = uint64(int64(t.Words) + int64(sign)*int64(r.words))
	t.Turns += sign * int(r.turns)
	if t.Docs == 0 {
		delete(b.m.Scopes, scope)
		return
	}
	b.m.Scopes[scope] = t
}

// tables writes base and tail, folding when the tail has grown, and compacts
// the vectors when too many have no page.
func (b *draft) tables(tail []*record, dead []uint32, compact bool) error {
	fold := b.from == nil || compact || len(tail) > maxTailRows
	var raw []byte
	if !fold {
		raw = encodeTable(tail, dead)
		fold = len(raw) > maxTailBytes
	}
	remap, err := b.compactVectors(tail, dead, compact)
	if err != nil {
		return err
	}
	if fold = fold || remap != nil; !fold {
		if err := b.d.link(filepath.Join(b.d.dir, genName(b.from.m.Generation), "base"), filepath.Join(b.dir, "base")); err != nil {
			return err
		}
		b.tally(b.from, dead, tail)
		return b.d.writeFile(filepath.Join(b.dir, "tail"), raw)
	}
	all := tail
	if v := b.from; v != nil {
		gone := make([]bool, v.nbase)
		for _, r := range dead {
			gone[r] = true
		}
		for row := range v.nbase {
			if !gone[row] {
				all = append(all, v.base.record(row))
			}
		}
	}
	renumber(all, remap)
	b.tally(nil, nil, all)
	if err := b.d.writeFile(filepath.Join(b.dir, "base"), encodeTable(all, nil)); err != nil {
		return err
	}
	return b.d.writeFile(filepath.Join(b.dir, "tail"), encodeTable(nil, nil))
}

// renumber gives the chunks of all rows their vectors' new numbers.
func renumber(all []*record, remap []uint32) {
	if remap == nil {
		return
	}
	for _, r := range all {
		for i, id := range r.chunks {
			switch {
			case int(id) < len(remap):
				r.chunks[i] = remap[id]
			case id < vecStates: // of a damaged row
				r.chunks[i] = vecPending
			}
		}
	}
}

// tally counts chunks, and files that are no text, for the manifest: of the
// live rows of v's base, and of the records given.
func (b *draft) tally(v *View, dead []uint32, recs []*record) {
	b.m.Chunks, b.m.Pending, b.m.Failed, b.m.Binary = 0, 0, 0, 0
	file := func(flags uint16) {
		if flags&flagBinary != 0 {
			b.m.Binary++
		}
	}
	one := func(id uint32) {
		b.m.Chunks++
		switch id {
		case vecPending:
			b.m.Pending++
		case vecFailed:
			b.m.Failed++
		}
	}
	for _, r := range recs {
		file(r.flags)
		for _, id := range r.chunks {
			one(id)
		}
	}
	if v == nil {
		return
	}
	gone := make([]bool, v.nbase)
	for _, r := range dead {
		gone[r] = true
	}
	for row := range v.nbase {
		if !gone[row] {
			file(v.base.flags(row))
			for c := v.base.chunks(row); len(c) > 0; c = c[4:] {
				one(binary.LittleEndian.Uint32(c))
			}
		}
	}
}

// compactVectors keeps the vector files few and mostly alive. Vectors that
// lost their page stay for a while, since a page that comes back, or text
// that moves, then costs no embedding; but never more of them than live ones
// allow, so that rewriting a small tree a thousand times leaves a small index.
// It returns the new number of each vector, or nil when none changed.
func (b *draft) compactVectors(tail []*record, dead []uint32, all bool) ([]uint32, error) {
	total := 0
	for _, f := range b.m.Vectors {
		total += f.Count
	}
	if total == 0 {
		b.m.Orphans = nil
		return nil, nil
	}
	b.noteOrphans(tail)
	live := max(total-len(b.m.Orphans), 0)
	many := len(b.m.Orphans) > max(64, live/2)
	if !many && !all && len(b.m.Vectors) <= maxVecFiles {
		return nil, nil
	}
	owned := make([]bool, total)
	mark := func(id uint32) {
		if int(id) < total {
			owned[id] = true
		}
	}
	for _, r := range tail {
		for _, id := range r.chunks {
			mark(id)
		}
	}
	if b.from != nil {
		gone := make([]bool, b.from.nbase)
		for _, r := range dead {
			gone[r] = true
		}
		for row := range b.from.nbase {
			for c := b.from.base.chunks(row); len(c) > 0 && !gone[row]; c = c[4:] {
				mark(binary.LittleEndian.Uint32(c))
			}
		}
	}
	return b.rewriteVectors(owned, max(32, live/4), all)
}

// noteOrphans dates the vectors that lost an owner in this generation and
// forgets those that found one again.
func (b *draft) noteOrphans(tail []*record) {
	if len(b.spent) == 0 && len(b.m.Orphans) == 0 {
		return
	}
	used := map[uint32]bool{}
	for _, r := range tail {
		for _, id := range r.chunks {
			used[id] = true
		}
	}
	kept := b.m.Orphans[:0]
	seen := map[uint32]bool{}
	for _, o := range b.m.Orphans {
		if !used[o.Vector] && !seen[o.Vector] {
			seen[o.Vector] = true
			kept = append(kept, o)
		}
	}
	for _, id := range b.spent {
		if !used[id] && !seen[id] {
			seen[id] = true
			kept = append(kept, orphan{id, today()})
		}
	}
	b.m.Orphans = kept
}

// rewriteVectors gathers the owned vectors and the newest orphans of small
// and half-dead files (all: of every file) in one new file, and numbers all
// anew. Large files that are mostly alive stay as they are.
func (b *draft) rewriteVectors(owned []bool, keepOrphans int, all bool) ([]uint32, error) {
	files, err := openVecFiles(b.dir, &b.m)
	if err != nil {
		return nil, err
	}
	defer files.close()
	day := b.keptOrphans(owned, keepOrphans)
	w, err := newVecWriter(filepath.Join(b.dir, "vec", fmt.Sprintf("%dc.vec", b.gen)), b.m.Dims, b.m.Embedder, today())
	if err != nil {
		return nil, err
	}
	remap := make([]uint32, len(owned))
	var stay []vecFile
	var move [][2]uint32 // ranges of vectors that go into the new file
	next := uint32(0)
	for i, f := range b.m.Vectors {
		from := files.from[i]
		to := from + uint32(f.Count)
		if all || !healthy(owned[from:to]) {
			move = append(move, [2]uint32{from, to})
			if err := os.Remove(filepath.Join(b.dir, "vec", f.Name)); err != nil {
				return nil, err
			}
			continue
		}
		stay = append(stay, f)
		for id := from; id < to; id++ {
			remap[id] = next
			next++
		}
	}
	for _, r := range move {
		for id := r[0]; id < r[1]; id++ {
			if _, kept := day[id]; !owned[id] && !kept {
				remap[id] = vecPending
				continue
			}
			remap[id] = next
			next++
			if err := w.add(files.key(id), files.vector(id)); err != nil {
				return nil, err
			}
		}
	}
	b.m.Orphans = nil
	for id := range owned {
		if d, kept := day[uint32(id)]; kept {
			b.m.Orphans = append(b.m.Orphans, orphan{remap[id], d})
		}
	}
	f, err := w.finish(b.d)
	if err != nil {
		return nil, err
	}
	if b.m.Vectors = stay; f.Count > 0 {
		b.m.Vectors = append(b.m.Vectors, f)
	}
	return remap, nil
}

// healthy reports whether a file of vectors is worth keeping as it is.
func healthy(owned []bool) bool {
	dead := 0
	for _, o := range owned {
		if !o {
			dead++
		}
	}
	return len(owned) >= smallVecFile && float64(dead) <= vecDeadShare*float64(len(owned))
}

// keptOrphans chooses the vectors without a page that stay, with the day on
// which each lost it: the newest, none older than orphanDays.
func (b *draft) keptOrphans(owned []bool, most int) map[uint32]int64 {
	day := make(map[uint32]int64, min(most, len(b.m.Orphans)))
	orphans := slices.Clone(b.m.Orphans)
	slices.SortStableFunc(orphans, func(x, y orphan) int { return cmp.Compare(y.Day, x.Day) })
	for _, o := range orphans {
		if len(day) < most && o.Day > today()-orphanDays && int(o.Vector) < len(owned) && !owned[o.Vector] {
			day[o.Vector] = o.Day
		}
	}
	return day
}
