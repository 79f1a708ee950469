package dream

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"hash/fnv"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"brain/index"
	"brain/llm"
	"brain/page"
	"brain/text"
)

// Twins. No page is compared with all others. Of each page a sketch is kept: the least
// hashes of its runs of three words (Broder 1997, bottom-k). Two pages share about as much of
// their sketches as of their texts, so that only pages that share a third of them are read and
// compared as pages are everywhere (page.Reading), with the cosine of their directions in the
// index. Pages of one and the same text are compared through the first of them.
//
// What was found of a page and of a pair is kept beside the lease. A night reads what changed.

const (
	sketchSize  = 24
	sketchShare = 3  // pages that share one in three hashes may be twins
	shingle     = 3  // words of a run
	crowded     = 48 // of more pages that share a hash, each is compared with its neighbours alone
	neighbours  = 4
)

// pageNote is what is known of a page's text.
type pageNote struct {
	Size, Mtime int64 // of its file, and
	Hash        [32]byte
	Words       int // of its text and facts, in half words: see fewWords
	Temporary   bool
	Text        uint64 // hash of the text
	Sketch      []uint32
}

// pageNotes are those of all pages, and what is known of pairs.
type pageNotes struct {
	of    map[page.Path]pageNote
	pairs map[pairKey]float64 // share of words; 0: no twins
	used  map[pairKey]float64 // by this run
	dirty bool
}

// pairKey are two content hashes, the lesser first, cut.
type pairKey [2]uint64

const (
	notesFile   = "pages.gob"
	notesFormat = 1
)

type notesOnDisk struct {
	Format int
	Of     map[page.Path]pageNote
	Pairs  map[pairKey]float64
}

// notes are what is known of pages, of those that changed from their files.
func (n *night) notes(ctx context.Context, pages []index.Page) (*pageNotes, error) {
	var was notesOnDisk
	if raw, err := readFile(n.State, notesFile); err != nil || gob.NewDecoder(bytes.NewReader(raw)).Decode(&was) != nil || was.Format != notesFormat {
		was = notesOnDisk{}
	}
	k := &pageNotes{of: make(map[page.Path]pageNote, len(pages)), pairs: was.Pairs, used: map[pairKey]float64{}, dirty: len(was.Of) != len(pages)}
	var changed []*index.Page
	for i := range pages {
		p := &pages[i]
		if note, ok := was.Of[p.Path]; ok && note.Hash == p.Hash && note.Size == p.File.Size && note.Mtime == p.File.Mtime {
			k.of[p.Path] = note
		} else {
			changed = append(changed, p)
		}
	}
	made := make([]pageNote, len(changed))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, p := range changed {
		g.Go(func() error {
			read, err := n.read(ctx, p.Path)
			if err != nil { // gone, or not to be read: lint tells of it
				made[i].Words = fewWords
				return ctx.Err()
			}
			made[i] = noteOf(p, read)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i, p := range changed {
		k.of[p.Path], k.dirty = made[i], true
	}
	return k, nil
}

func (k *pageNotes) save(n *night) error {
	if n.DryRun || !k.dirty && len(k.used) == len(k.pairs) {
		return nil
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(notesOnDisk{notesFormat, k.of, k.used}); err != nil {
		return err
	}
	return writeFile(n.State, notesFile, b.Bytes())
}

func noteOf(row *index.Page, p *page.Page) pageNote {
	c := p.Clean()
	note := pageNote{Size: row.File.Size, Mtime: row.File.Mtime, Hash: row.Hash, Temporary: p.Temporary()}
	said := strings.Join(append(c.Facts, p.Prose(), p.Abstract, p.Overview, p.Description), "\n")
	words := units(said)
	for _, w := range words {
		note.Words += width(w)
	}
	if c.Code != "" {
		words = append(words, units(c.Code)...)
	}
	note.Sketch = sketch(words)
	h := fnv.New64a()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{' '})
	}
	note.Text = h.Sum64()
	return note
}

// units are the words of a text, folded; a character of a script without blanks is one.
func units(s string) (out []string) {
	s = text.Fold(s)
	start := -1
	for i, r := range s {
		alone := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
		inside := !alone && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
		if start >= 0 && !inside {
			out = append(out, s[start:i])
			start = -1
		}
		if inside && start < 0 {
			start = i
		}
		if alone {
			out = append(out, string(r))
		}
	}
	if start >= 0 {
		out = append(out, s[start:])
	}
	return out
}

// width is how many half words a unit counts.
func width(unit string) int {
	if r, _ := utf8.DecodeRuneInString(unit); unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
		return 1
	}
	return 2
}

// sketch gives the least hashes of all runs of words, in order.
func sketch(words []string) (least []uint32) {
	h := fnv.New64a()
	for i := 0; i+min(shingle, len(words)) <= len(words) && len(words) > 0; i++ {
		h.Reset()
		for _, w := range words[i:min(i+shingle, len(words))] {
			h.Write([]byte(w))
			h.Write([]byte{' '})
		}
		x := uint32(h.Sum64() * 0x9e3779b97f4a7c15 >> 32)
		at, have := slices.BinarySearch(least, x)
		if have || at == sketchSize {
			continue
		}
		if least = slices.Insert(least, at, x); len(least) > sketchSize {
			least = least[:sketchSize]
		}
	}
	return least
}

// twins tells of groups of pages that say the same, or nearly.
func (n *night) twins(ctx context.Context, c *census) error {
	t := &twinSearch{n: n, c: c, readings: map[int]*page.Reading{}}
	if n.Embedder != nil && c.view.SameSpace(n.Embedder.Info().Fingerprint) {
		t.same = n.Embedder.Info().Same
	}
	if err := t.compare(ctx); err != nil {
		return err
	}
	groups := t.groups()
	var all []Left
	for _, g := range groups {
		all = append(all, g.left(c))
	}
	n.first("twins", all, "groups of twins")
	return nil
}

// twinSearch finds twins among the pages of a census, which are meant by their number.
type twinSearch struct {
	n        *night
	c        *census
	same     float64 // cosine from which texts may be the same; 0: nobody says
	readings map[int]*page.Reading
	pairs    []twinPair
}

type twinPair struct {
	a, b  int
	share float64
}

// candidates are pairs of pages whose texts may be the same, the greater number second.
func (t *twinSearch) candidates() (out [][2]int) {
	first := map[uint64]int{} // hash of a text → the first page that has it
	sharing := map[uint32][]int{}
	notes := make([]pageNote, len(t.c.pages))
	for i := range notes {
		notes[i] = t.c.known.of[t.c.pages[i].Path]
		note := &notes[i]
		if len(note.Sketch) == 0 {
			continue
		}
		if j, again := first[note.Text]; again {
			out = append(out, [2]int{j, i})
			continue
		}
		first[note.Text] = i
		hits := map[int]int{}
		for _, x := range note.Sketch {
			on := sharing[x]
			if len(on) > crowded {
				on = on[len(on)-neighbours:]
			}
			for _, j := range on {
				hits[j]++
			}
			sharing[x] = append(sharing[x], i)
		}
		for j, shared := range hits {
			if sketchShare*shared >= max(len(note.Sketch), len(notes[j].Sketch)) && t.kin(i, j) {
				out = append(out, [2]int{j, i})
			}
		}
	}
	slices.SortFunc(out, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	return out
}

// kin reports pages of one kind and source, or of one name.
func (t *twinSearch) kin(i, j int) bool {
	a, b := &t.c.pages[i], &t.c.pages[j]
	return a.Type == b.Type && a.Source == b.Source || page.NameForm(a.Title) == page.NameForm(b.Title)
}

func (t *twinSearch) compare(ctx context.Context) error {
	all := t.candidates()
	for i, c := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		if t.n.Progress != nil {
			t.n.Progress(Orphans, i, len(all))
		}
		if share := t.pair(ctx, c[0], c[1]); share > 0 {
			t.pairs = append(t.pairs, twinPair{c[0], c[1], share})
		}
	}
	return nil
}

// pair gives the share of words that two twins have in common, 0 where they are none.
func (t *twinSearch) pair(ctx context.Context, i, j int) (share float64) {
	a, b := &t.c.pages[i], &t.c.pages[j]
	if a.Hash == b.Hash {
		return 1
	}
	key := keyOf(a.Hash, b.Hash)
	share, known := t.c.known.pairs[key]
	if !known {
		x, y := t.reading(ctx, i), t.reading(ctx, j)
		if x == nil || y == nil {
			return 0
		}
		var o page.CompareOptions
		if va, vb := t.c.view.Vector(a.Row), t.c.view.Vector(b.Row); va != nil && vb != nil {
			o = page.CompareOptions{Cosine: llm.Cosine(va, vb), Threshold: t.same}
		}
		if s, ok := x.Restates(y, o); ok {
			share = s
		}
		t.c.known.dirty = true
	}
	t.c.known.used[key] = share
	return share
}

// maxReadings bounds what is held in memory. Pairs come in the order of their first page.
const maxReadings = 64

// reading is a page as it is compared; nil when it cannot be read.
func (t *twinSearch) reading(ctx context.Context, i int) *page.Reading {
	if r := t.readings[i]; r != nil {
		return r
	}
	p, err := t.n.read(ctx, t.c.pages[i].Path)
	if err != nil {
		return nil
	}
	if len(t.readings) >= maxReadings {
		clear(t.readings)
	}
	t.readings[i] = page.Read(p)
	return t.readings[i]
}

func keyOf(a, b [32]byte) pairKey {
	x, y := binary.BigEndian.Uint64(a[:]), binary.BigEndian.Uint64(b[:])
	return pairKey{min(x, y), max(x, y)}
}

// twinGroup are pages that say the same, the one to keep first; share is that of the pair
// that has least in common.
type twinGroup struct {
	pages []*index.Page
	share float64
}

// groups unites pairs that have a page in common, the largest group first.
func (t *twinSearch) groups() (all []twinGroup) {
	root := map[int]int{}
	var find func(int) int
	find = func(i int) int {
		if up, ok := root[i]; ok && up != i {
			root[i] = find(up)
			return root[i]
		}
		root[i] = i
		return i
	}
	for _, p := range t.pairs {
		a, b := find(p.a), find(p.b)
		root[max(a, b)] = min(a, b)
	}
	by := map[int]*twinGroup{}
	for i := range t.c.pages {
		if _, in := root[i]; !in {
			continue
		}
		g := by[find(i)]
		if g == nil {
			g = &twinGroup{share: 1}
			by[find(i)] = g
		}
		g.pages = append(g.pages, &t.c.pages[i])
	}
	for _, p := range t.pairs {
		g := by[find(p.a)]
		g.share = min(g.share, p.share)
	}
	for _, g := range by {
		slices.SortStableFunc(g.pages, func(a, b *index.Page) int { return int(t.c.in[b.Row] - t.c.in[a.Row]) })
		all = append(all, *g)
	}
	slices.SortFunc(all, func(a, b twinGroup) int {
		return cmp.Or(len(b.pages)-len(a.pages), strings.Compare(string(a.pages[0].Path), string(b.pages[0].Path)))
	})
	return all
}

func (g *twinGroup) left(c *census) Left {
	var others []string
	for _, p := range g.pages[1:min(len(g.pages), 4)] {
		others = append(others, string(p.Path))
	}
	if more := len(g.pages) - 1 - len(others); more > 0 {
		others = append(others, fmt.Sprintf("%d more", more))
	}
	what := "the same stands in "
	if percent := int(100 * g.share); percent < 100 {
		what = fmt.Sprintf("nearly the same (%d %% of the words) stands in ", percent)
	}
	hint := "keep one, and make of the others redirects to it, or archive them: brain forget " + string(g.pages[1].Path)
	if in := c.in[g.pages[0].Row]; in > 0 {
		hint = fmt.Sprintf("keep this one, to which most links lead, and make of the others redirects to it, or archive them: brain forget %s", g.pages[1].Path)
	}
	return Left{Path: string(g.pages[0].Path), What: what + strings.Join(others, ", "), Hint: hint}
}
