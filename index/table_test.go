//go:build unix

package index

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"brain/llm"
	"brain/llm/llmtest"
	"brain/page"
	"brain/text"
)

// someTable is a table of real pages, as bytes.
func someTable(t testing.TB) []byte {
	var recs []*record
	for _, p := range []struct{ path, raw string }{
		{"a.md", "---\ntitle: Ada\naliases: [Countess, 女伯爵]\ntags: [x, y]\nslug: ada\n---\n[[b]] was founded by [[c]].\n"},
		{"b.md", "---\nredirect: a\n---\n"}, {"c/d.md", "[x](../a.md)\n\n- decided [[b]]\n"}, {"empty.md", ""},
	} {
		pg := page.Parse(page.Path(p.path), []byte(p.raw))
		r := newRecord(page.File{Path: page.Path(p.path), Size: int64(len(p.raw)), Mtime: 5, Ctime: 6, Inode: 7}, pg, nil)
		r.words, r.chunks = 12, []uint32{0, 1, vecPending, vecFailed}
		recs = append(recs, r)
	}
	return encodeTable(recs, []uint32{1})
}

// A table gives back what was put in, and rewriting it changes no byte.
func TestTableRoundTrip(t *testing.T) {
	raw := someTable(t)
	tb, err := openTable(raw)
	must(t, err)
	var again []*record
	for n := range uint32(tb.len()) {
		again = append(again, tb.record(n))
	}
	if string(encodeTable(again, []uint32{1})) != string(raw) {
		t.Error("a rewritten table differs")
	}
	row, ok := tb.find("a.md")
	if !ok {
		t.Fatal("a.md is not found")
	}
	m := decodeMeta(tb.meta(row))
	if m.title != "Ada" || m.slug != "ada" || !reflect.DeepEqual(m.aliases, []string{"Countess", "女伯爵"}) || !reflect.DeepEqual(m.tags, []string{"x", "y"}) {
		t.Errorf("%+v", m)
	}
	if !tb.same(row, &page.File{Path: "a.md", Size: tb.file(row).Size, Mtime: 5, Ctime: 6, Inode: 7}) {
		t.Error("same file is not the same")
	}
	for _, f := range []page.File{{Size: 1, Mtime: 5, Ctime: 6, Inode: 7}, {Size: tb.file(row).Size, Mtime: 4, Ctime: 6, Inode: 7},
		{Size: tb.file(row).Size, Mtime: 5, Ctime: 5, Inode: 7}, {Size: tb.file(row).Size, Mtime: 5, Ctime: 6, Inode: 8}} {
		if tb.same(row, &f) {
			t.Errorf("%+v is the same", f)
		}
	}
	if _, ok := tb.find("a.m"); ok {
		t.Error("found what is not there")
	}
}

// useEverything calls every accessor of a view on every row.
func useEverything(v *View) {
	ctx := context.Background()
	l, err := llm.Words()
	if err != nil {
		panic(err)
	}
	k := v.Kin(l, "vehicle 汽车")
	defer k.Close()
	for row := range uint32(v.Nodes()) {
		p := v.Page(row)
		v.Lookup(p.Path)
		v.Everything().Links(row)
		for _, in := range []bool{false, true} {
			v.Everything().Edges(row, in, func(to uint32, _ string, _ int) bool { v.Page(to); return true })
		}
		v.Everything().Degree(row)
		v.Agent(row)
		v.Ranked(row)
		v.Cosine(row, make([]float32, 16))
		t, n := v.at(row)
		r := &LexicalResult{turns: turnStats{ideal: 1, avg: 1}}
		for b := openTurns(metaRest(t.meta(n))).pairs; len(b) > 0 && len(r.turns.terms) < 3; b = b[pairSize:] {
			r.turns.terms = append(r.turns.terms, turnTerm{binary.LittleEndian.Uint32(b), 1})
		}
		v.Turns(row, r, make([]float32, 16))
		k.Score(row)
		t.record(n)
		t.same(n, &p.File)
	}
	v.All(func(uint32) bool { return true })
	for _, name := range []string{"a", "b", "ada", ""} {
		v.Everything().Resolve(name)
	}
	if v.vecs != nil {
		v.owned()
		_, _ = v.Nearest(ctx, make([]float32, v.vecs.dims), 5, nil)
	}
	if v.lex != nil {
		if r, err := v.Lexical(ctx, text.Query("quartz granite"), ""); err == nil {
			_, _ = r.Top(5, nil)
			r.Close()
		}
	}
}

// FuzzOpenTable: no bytes make the reader of a table panic.
func FuzzOpenTable(f *testing.F) {
	raw := someTable(f)
	f.Add(raw, uint32(0), byte(0))
	f.Add(raw[:len(raw)-1], uint32(0), byte(0))
	f.Add([]byte(tableMagic), uint32(0), byte(0))
	for at := headerSize; at < len(raw); at += 3 {
		f.Add(raw, uint32(at), byte(0xff))
	}
	f.Fuzz(func(t *testing.T, b []byte, at uint32, flip byte) {
		b = append([]byte(nil), b...)
		if len(b) > 0 {
			b[int(at)%len(b)] ^= flip
		}
		tb, err := openTable(b)
		if err != nil {
			return
		}
		empty, err := openTable(encodeTable(nil, nil))
		must(t, err)
		for _, v := range []*View{{m: &manifest{}, base: tb, tail: empty}, {m: &manifest{}, base: empty, tail: tb}, {m: &manifest{}, base: tb, tail: tb}} {
			v.overlay()
			useEverything(v)
			// … nor what would write the next generation from it.
			d := &draft{from: v, m: manifest{Scopes: map[string]totals{}}}
			tail, dead := d.rows()
			renumber(tail, []uint32{0})
			encodeTable(tail, dead)
			d.tally(v, dead, tail)
		}
	})
}

func FuzzDecodeMeta(f *testing.F) {
	f.Add(appendMeta(nil, pageMeta{title: "t", tags: []string{"a", ""}, aliases: []string{"b"}}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, b []byte) {
		m := decodeMeta(b)
		if again := decodeMeta(appendMeta(nil, m)); fmt.Sprintf("%q", again) != fmt.Sprintf("%q", m) {
			t.Errorf("%+v, then %+v", m, again)
		}
	})
}

func FuzzDecodeManifest(f *testing.F) {
	raw, err := (&manifest{Format: 1, Generation: 3, Scopes: map[string]totals{"": {Docs: 1, Words: 2}}}).encode()
	must(f, err)
	f.Add(raw)
	f.Add([]byte("{}\n00000000\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := decodeManifest(b)
		if err != nil && !errors.Is(err, errDamaged) {
			t.Errorf("%v is no damage", err)
		}
		if err == nil {
			_, err = m.fits()
		}
		_ = err // any answer will do
	})
}

// FuzzVectorFile: no bytes make the reader of vectors panic.
func FuzzVectorFile(f *testing.F) {
	dir := f.TempDir()
	ix, err := Open(Options{Dir: dir, Embedder: llmtest.Hash(8)})
	must(f, err)
	_, err = ix.Sync(context.Background(), newTree(f, map[string]string{"a.md": "amber\n"}), SyncOptions{})
	must(f, err)
	v, err := ix.View()
	must(f, err)
	m := *v.m
	raw, err := os.ReadFile(filepath.Join(dir, genName(1), "vec", m.Vectors[0].Name))
	must(f, err)
	must(f, errors.Join(v.Release(), ix.Close()))
	f.Add(raw)
	f.Add(raw[:vecHeader])
	f.Add([]byte(nil))
	f.Add([]byte(strings.Repeat("\xff", 200)))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), m.Vectors[0].Name)
		must(t, os.WriteFile(path, b, 0o600))
		s, err := openVecSegment(path, m.Vectors[0], m.Dims, m.Embedder)
		if err != nil {
			if !errors.Is(err, errDamaged) {
				t.Errorf("%v is no damage", err)
			}
			return
		}
		must(t, s.close())
	})
}
