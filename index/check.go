package index

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"brain/llm"
	"brain/page"
)

// Check compares the index with the tree, page by page: every file is read,
// and its content hash, words and place compared with what the index holds.
// deep also compares what the index keeps of a page's names, words and turns,
// and verifies the checksum of every file of the generation. An index that
// cannot be opened is one finding, "damaged".
func (ix *Index) Check(ctx context.Context, src Source, deep bool) (out []Finding, err error) {
	v, err := ix.View()
	if err != nil {
		if why := unusable(err); why != "" && !errors.Is(err, ErrNoIndex) {
			return []Finding{{Code: "damaged", Message: why}}, nil
		}
		return nil, err
	}
	defer func() { err = errors.Join(err, v.Release()) }()
	d, err := look(ctx, src, v)
	if err != nil {
		return nil, err
	}
	c := checker{View: v, src: src, deep: deep, pack: ix.o.Pack}
	if c.said, err = v.m.lexicon(); err != nil {
		return nil, err
	}
	for _, i := range d.added {
		out = append(out, Finding{string(d.files[i].Path), "missing", "the file is not in the index"})
	}
	for _, row := range d.gone {
		out = append(out, Finding{string(v.path(row)), "extra", "the index holds a page whose file is gone"})
	}
	for i := range d.files {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		row, ok := v.Lookup(d.files[i].Path)
		if !ok {
			continue
		}
		f, err := c.page(ctx, row, &d.files[i])
		if err != nil {
			return out, err
		}
		out = append(out, f...)
	}
	out = append(out, v.checkWords()...)
	if deep {
		out = append(out, ix.checkSums(v)...)
	}
	return out, nil
}

// checker compares the pages of a view with their files.
type checker struct {
	*View
	src  Source
	deep bool
	pack *page.Pack
	said *llm.Lexicon
}

func (c *checker) page(ctx context.Context, row uint32, f *page.File) ([]Finding, error) {
	t, n := c.at(row)
	path := page.Path(t.path(n))
	if t.flags(n)&flagBinary != 0 {
		return nil, nil
	}
	raw, err := c.src.Read(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return []Finding{{string(path), "unreadable", err.Error()}}, nil
	}
	p := c.pack.Parse(path, raw)
	if p.Hash() != t.hash(n) {
		return []Finding{{string(path), "differs", "the file's content is not what the index holds"}}, nil
	}
	_, has, err := c.lex.docNumber(string(path))
	if err != nil {
		return []Finding{{string(path), "damaged", err.Error()}}, nil
	}
	if want := t.flags(n)&flagRanked != 0; has != want {
		return []Finding{{string(path), "damaged", fmt.Sprintf("words indexed: %v, should be: %v", has, want)}}, nil
	}
	if c.deep && t.same(n, f) { // else the file has changed since, in what the hash does not see
		r := newRecord(*f, p, c.said)
		if !bytes.Equal(r.meta, t.meta(n)) || int(r.turns) != t.turns(n) {
			return []Finding{{string(path), "damaged", "what the index keeps of names, words or turns is not what the file gives"}}, nil
		}
	}
	return c.checkChunks(p, t, n), nil
}

func (v *View) checkChunks(p *page.Page, t *table, n uint32) []Finding {
	ids := t.chunks(n)
	if t.flags(n)&flagRanked == 0 {
		return nil
	}
	chunks := p.Chunks()
	if len(chunks) != len(ids)/4 {
		return []Finding{{string(p.Path), "damaged", fmt.Sprintf("%d chunks indexed, the page has %d", len(ids)/4, len(chunks))}}
	}
	for i, c := range chunks {
		id := binary.LittleEndian.Uint32(ids[4*i:])
		sum := c.Key()
		if id >= vecStates {
			continue
		}
		if v.vecs == nil || id >= v.vecs.n || v.vecs.key(id) != vecKey(sum[:keySize]) {
			return []Finding{{string(p.Path), "damaged", fmt.Sprintf("chunk %d has another text's vector", i)}}
		}
	}
	return nil
}

// checkWords compares the number of documents with the page table's.
func (v *View) checkWords() []Finding {
	want := 0
	v.walk(func(_ uint32, t *table, n uint32) bool {
		if t.flags(n)&flagRanked != 0 {
			want++
		}
		return true
	})
	got, err := v.lex.snap.DocCount()
	switch {
	case err != nil:
		return []Finding{{"", "damaged", "words: " + err.Error()}}
	case int(got) != want:
		return []Finding{{"", "damaged", fmt.Sprintf("words of %d pages, the page table has %d", got, want)}}
	}
	return nil
}

func (ix *Index) checkSums(v *View) (out []Finding) {
	dir := filepath.Join(ix.o.Dir, genName(v.m.Generation))
	for _, f := range v.m.Files {
		sum, err := crcFile(filepath.Join(dir, f.Name))
		switch {
		case err != nil:
			out = append(out, Finding{f.Name, "damaged", err.Error()})
		case sum != f.CRC:
			out = append(out, Finding{f.Name, "damaged", "checksum differs"})
		}
	}
	return out
}

// Status describes the index and how far it is from the tree.
func (ix *Index) Status(ctx context.Context, src Source) (st Status, err error) {
	v, err := ix.View()
	if err != nil {
		if st.Damaged = unusable(err); st.Damaged == "" {
			return st, err
		}
		l, lerr := src.List(ctx)
		st.Changed, st.Skipped, st.Unreadable = len(l.Files), l.Skipped, l.Unreadable
		return st, lerr
	}
	defer func() { err = errors.Join(err, v.Release()) }()
	d, err := look(ctx, src, v)
	if err != nil {
		return st, err
	}
	st = Status{
		Generation: v.m.Generation, Chunks: v.m.Chunks, Pending: v.m.Pending, Failed: v.m.Failed,
		Segments: len(v.lex.snap.Segments()), Fingerprint: v.m.Embedder, Changed: d.count() + d.waiting,
		Skipped: skipped(d.listing.Skipped, v.m.Binary), Unreadable: d.listing.Unreadable,
	}
	if v.vecs != nil {
		st.Vectors = int(v.vecs.n)
	}
	for _, f := range v.m.Files {
		st.Bytes += f.Size
		if filepath.Ext(f.Name) == ".vec" {
			st.VectorBytes += f.Size
		}
	}
	v.All(func(row uint32) bool {
		st.Pages++
		if v.Ranked(row) {
			st.Ranked++
		}
		t, n := v.at(row)
		said := v.PathOf(row).IsSession() // which nobody is to correct
		for b := t.edges(n); len(b) >= edgeSize; b = b[edgeSize:] {
			st.Links++
			if _, ok, _ := v.Everything().target(t, b[:edgeSize]); !ok && !said {
				st.Unresolved++
			}
		}
		return true
	})
	st.Lock = ix.held()
	return st, nil
}
