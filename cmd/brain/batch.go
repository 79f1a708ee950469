package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"brain/page"
	"brain/retrieve"
	"brain/store"
)

// batchSize is how many lines are one transaction.
const batchSize = 200

// batchLine is a page as a line of JSON.
type batchLine struct {
	Text    string            `json:"text"`
	Title   string            `json:"title"`
	Type    string            `json:"type"`
	Source  string            `json:"source"`
	Issue   string            `json:"issue"`
	Path    string            `json:"path"`
	Tags    []string          `json:"tags"`
	Aliases []string          `json:"aliases"`
	Links   []batchLink       `json:"links"`
	Facts   []json.RawMessage `json:"facts"`
}

type batchLink struct {
	To   string `json:"to"`
	Type string `json:"type"`
}

// batchJSON acknowledges a line: it is on disk, or Error says why it is not.
type batchJSON struct {
	Line int `json:"line"`
	addJSON
	Error string `json:"error"`
}

// batchItem is a line on its way.
type batchItem struct {
	line   int
	in     *arrival
	err    error // the line cannot be a page
	failed error // the page could not be written
}

// batch is one run of add --batch.
type batch struct {
	a     *app
	o     *opened
	pack  *page.Pack
	force bool
	said  map[string]page.Path // what this run has written, by page.WordHash
	kept  retrieve.Readings    // of all its doors, which meet the same pages again
	lines int
	bad   int
}

func (a *app) addBatch(ctx context.Context, f *addFlags, args string) error {
	if args != "" || f.text+f.title+f.kind+f.source+f.issue+f.path != "" || len(f.tags)+len(f.aliases)+len(f.links)+len(f.facts) > 0 {
		return usage("brain add --batch: what a page is stands in its line", "leave TEXT and the other flags out")
	}
	in, closeIn, err := a.batchInput(f.file)
	if err != nil {
		return err
	}
	defer closeIn()
	o, err := a.openToWrite(f.yes)
	if err != nil {
		return err
	}
	b := &batch{a: a, o: o, force: f.force, said: map[string]page.Path{}}
	if b.pack, err = o.pack(); err != nil {
		return err
	}
	a.stream = true
	if o.st.Ledger.Mode != "" { // one entry for the whole command
		o.st.Ledger.Mode, o.st.Ledger.Writes, o.st.Ledger.Age = store.LedgerBatch, math.MaxInt, math.MaxInt64
	}
	err = b.read(ctx, in)
	if rep, failed := o.st.Commit(ctx); failed != nil {
		a.warn("written, but not committed: %s", plain(failed.Error()))
	} else {
		a.tellLedger(&rep, rep.Skipped != "" && rep.Left > 0)
	}
	if err == nil && b.bad > 0 {
		err = usage(fmt.Sprintf("%d of %s were not written", b.bad, count(b.lines, "line")), "mend these lines and send them again")
	}
	return err
}

func (a *app) batchInput(file string) (io.Reader, func() error, error) {
	if file == "" || file == "-" {
		return a.in, func() error { return nil }, nil
	}
	f, err := os.Open(a.path(file))
	if err != nil {
		return nil, nil, &failure{text: "--file " + file, cause: bare(err)}
	}
	return f, f.Close, nil
}

// read takes the lines in, a transaction at a time.
func (b *batch) read(ctx context.Context, in io.Reader) error {
	r := bufio.NewReaderSize(in, 1<<20)
	var items []*batchItem
	for {
		raw, err := readLine(r)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read line %d: %w", b.lines+1, err)
		}
		if len(raw) > 0 || err == nil {
			b.lines++
			if len(bytes.TrimSpace(raw)) > 0 {
				items = append(items, b.parse(raw))
			}
		}
		if len(items) == batchSize || err != nil && len(items) > 0 {
			if err := b.write(ctx, items); err != nil {
				return err
			}
			items = items[:0]
		}
		if err != nil {
			return nil
		}
	}
}

// readLine reads a line of at most a page's size and what JSON adds to it.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); len(line) > 8*store.MaxFile {
			return nil, store.ErrTooLarge
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// parse makes a page of a line.
func (b *batch) parse(raw []byte) *batchItem {
	it := &batchItem{line: b.lines}
	if !utf8.Valid(raw) {
		it.err = errors.New("not UTF-8")
		return it
	}
	var l batchLine
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if it.err = d.Decode(&l); it.err != nil {
		return it
	}
	if _, err := d.Token(); err != io.EOF {
		it.err = errors.New("more than one JSON value")
		return it
	}
	w, err := l.writing(b.a.agent(), b.pack)
	it.in, it.err = &arrival{writing: w}, err
	return it
}

func (l *batchLine) writing(agent string, pack *page.Pack) (*writing, error) {
	f := &addFlags{title: l.Title, kind: l.Type, source: l.Source, issue: l.Issue, path: l.Path, tags: l.Tags, aliases: l.Aliases}
	for _, k := range l.Links {
		s := k.To
		if k.Type != "" {
			s = k.Type + ":" + k.To
		}
		f.links = append(f.links, s)
	}
	for _, raw := range l.Facts {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			s = string(raw)
		}
		f.facts = append(f.facts, s)
	}
	for flag, name := range map[string]string{"source": f.source, "issue": f.issue} {
		if err := folderName(flag, name); err != nil {
			return nil, err
		}
	}
	w, err := f.writing(l.Text, agent, time.Now())
	if err != nil {
		return nil, err
	}
	return w, obey(pack, w.spot.Type, page.Parse("page.md", w.raw))
}

// write puts the lines into the brain in one transaction and acknowledges them.
func (b *batch) write(ctx context.Context, items []*batchItem) error {
	if err := b.ask(ctx, items); err != nil {
		return err
	}
	limited, stop := waiting(ctx)
	defer stop()
	var done *store.Receipt
	err := b.o.st.Update(limited, "add", func(tx *store.Tx) error {
		done = tx.Receipt()
		for _, it := range items {
			if it.failed = it.err; it.err == nil {
				it.failed = b.put(limited, tx, it.in)
			}
			if err := limited.Err(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.a.touch(ctx, b.o, *done)
	for _, it := range items {
		if err := b.acknowledge(it, done.Job); err != nil {
			return err
		}
	}
	return nil
}

// ask compares the lines with the brain, several at a time.
func (b *batch) ask(ctx context.Context, items []*batchItem) error {
	d, err := b.a.door(ctx, b.o, b.force)
	if err != nil {
		return err
	}
	defer d.close()
	d.kept = &b.kept
	d.refresh(ctx)
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, it := range items {
		if it.err != nil {
			continue
		}
		g.Go(func() error {
			in, err := d.ask(ctx, it.in.writing)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if it.err = err; err == nil {
				it.in = in
			}
			return nil
		})
	}
	return g.Wait()
}

// put writes a line's page unless one before it, which no index knows yet, said the
// same.
func (b *batch) put(ctx context.Context, tx *store.Tx, in *arrival) error {
	p := page.Parse("page.md", in.raw)
	key := page.WordHash(p.Title + "\n" + p.Body)
	if twin, ok := b.said[key]; ok && key != "" && !b.force && in.twin == nil {
		in.repeat(twin)
	}
	if err := in.put(ctx, b.o.st, b.pack, tx); err != nil {
		return err
	}
	b.said[key] = in.at
	return nil
}

func (b *batch) acknowledge(it *batchItem, job string) error {
	if it.failed != nil {
		b.bad++
		if b.a.global.json {
			return b.a.json(batchJSON{Line: it.line, addJSON: addJSON{Brain: b.o.st.Name(), Contradicts: []contradictsJSON{}}, Error: it.failed.Error()})
		}
		b.a.note("brain: line %d: %s", it.line, plain(it.failed.Error()))
		return nil
	}
	j := it.in.json(b.o.st.Name(), job)
	if b.a.global.json {
		return b.a.json(batchJSON{Line: it.line, addJSON: j})
	}
	b.a.tell(&j)
	return b.a.print("%s\n", plain(j.Path))
}
