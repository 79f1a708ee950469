package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
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
	known saidOf            // what this run has written and the index has not taken in
	kept  retrieve.Readings // of all its doors, which meet the same pages again

	lines, bad int
	broken     int   // lines in a row that the disk refused
	env        error // the last of these refusals
}

// saidOf is what pages that no index knows yet say, and how entities among them are
// called.
type saidOf struct {
	pages map[string][]saidPage
	names map[string]saidPage // of entities, by form
}

type saidPage struct {
	path page.Path
	page *page.Page
}

func newSaid() saidOf {
	return saidOf{map[string][]saidPage{}, map[string]saidPage{}}
}

func saidKey(p *page.Page) string {
	return p.Type + " " + cmp.Or(page.WordHash(p.Body), page.WordHash(p.Title))
}

func (s saidOf) add(at page.Path, p *page.Page) {
	key, it := saidKey(p), saidPage{at, p}
	s.pages[key] = append(s.pages[key], it)
	if p.Type == "entity" {
		for _, n := range entityNames(p) {
			s.names[n.form] = it
		}
	}
}

func (s saidOf) merge(o saidOf) {
	for key, pages := range o.pages {
		s.pages[key] = append(s.pages[key], pages...)
	}
	maps.Copy(s.names, o.names)
}

// twin finds a page of this run that says the same.
func (s saidOf) twin(in *arrival) *retrieve.Neighbour {
	for _, other := range s.pages[saidKey(in.page)] {
		if v := page.ComparePages(in.page, other.page, 0, 0); v.Kind == page.Duplicate && in.fits(other.path, other.page.Type) {
			return &retrieve.Neighbour{Path: other.path, Title: other.page.Title, Verdict: v}
		}
	}
	return nil
}

// maxBroken is how many lines in a row the disk may refuse before the run ends.
const maxBroken = 3

func (a *app) addBatch(ctx context.Context, f *addFlags, args string) error {
	if args != "" || f.text+f.title+f.kind+f.source+f.issue+f.path != "" || len(f.tags)+len(f.aliases)+len(f.links)+len(f.facts) > 0 {
		return usage("brain add --batch: what a page is stands in its line", "leave TEXT and the other flags out")
	}
	in, closeIn, err := a.batchInput(ctx, f.file)
	if err != nil {
		return err
	}
	defer closeIn()
	o, err := a.openToWrite(f.yes)
	if err != nil {
		return err
	}
	b := &batch{a: a, o: o, force: f.force, known: newSaid()}
	if b.pack, err = o.pack(); err != nil {
		return err
	}
	a.stream = true
	o.oneEntry()
	err = b.read(ctx, in)
	a.endEntry(ctx, o, b.bad < b.lines)
	switch {
	case err != nil || b.bad == 0:
	case b.env != nil:
		err = &failure{code: exitEnvironment, text: b.verdict(), cause: b.env, hint: judge(b.env).hint}
	default:
		err = usage(b.verdict(), "mend these lines and send them again")
	}
	return err
}

func (b *batch) verdict() string {
	were := "were"
	if b.bad == 1 {
		were = "was"
	}
	return fmt.Sprintf("%d of %s %s not written", b.bad, count(b.lines, "line"), were)
}

func (a *app) batchInput(ctx context.Context, file string) (io.Reader, func() error, error) {
	if file == "" || file == "-" {
		return a.in, func() error { return nil }, nil
	}
	f, err := await(ctx, func() (*os.File, error) { return os.Open(a.path(file)) })
	if err != nil {
		return nil, nil, &failure{text: "--file " + file, cause: bare(err)}
	}
	return f, f.Close, nil
}

// read takes the lines in, a transaction at a time. Ctrl-C ends the wait for one.
func (b *batch) read(ctx context.Context, in io.Reader) error {
	lines := make(chan inputLine)
	go readLines(ctx, in, lines)
	var items []*batchItem
	for {
		var l inputLine
		select {
		case <-ctx.Done():
			return ctx.Err()
		case l = <-lines:
		}
		if l.err != nil && !errors.Is(l.err, io.EOF) {
			return fmt.Errorf("read line %d: %w", b.lines+1, l.err)
		}
		if len(l.raw) > 0 || l.err == nil {
			if b.lines++; b.lines == 1 {
				l.raw = bytes.TrimPrefix(l.raw, []byte("\ufeff"))
			}
			if len(bytes.TrimSpace(l.raw)) > 0 {
				items = append(items, b.parse(l.raw))
			}
		}
		if len(items) == batchSize || l.err != nil && len(items) > 0 {
			if err := b.write(ctx, items); err != nil {
				return err
			}
			items = items[:0]
		}
		if l.err != nil {
			return nil
		}
	}
}

type inputLine struct {
	raw []byte
	err error
}

func readLines(ctx context.Context, in io.Reader, lines chan<- inputLine) {
	r := bufio.NewReaderSize(in, 1<<20)
	for {
		raw, err := readLine(r)
		select {
		case <-ctx.Done():
			return
		case lines <- inputLine{raw, err}:
		}
		if err != nil {
			return
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
	if it.err = bare(d.Decode(&l)); it.err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](it.err); ok {
			it.err = fmt.Errorf("%s is a %s", cmp.Or(wrong.Field, "the line"), wrong.Value)
		}
		return it
	}
	if _, err := d.Token(); err != io.EOF {
		it.err = errors.New("more than one JSON value")
		return it
	}
	w, err := l.writing(b.a.agent())
	if err == nil {
		it.in, err = b.a.arrive(w, b.pack, b.force)
	}
	it.err = err
	return it
}

func (l *batchLine) writing(agent string) (*writing, error) {
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
	return f.writing(l.Text, agent, time.Now())
}

// write puts lines into the brain and acknowledges them.
func (b *batch) write(ctx context.Context, items []*batchItem) error {
	if err := b.ask(ctx, items); err != nil {
		return err
	}
	return b.place(ctx, items)
}

// place puts lines into the brain in one transaction. When that fails as a whole it is
// tried by halves, down to the line that it fails for.
func (b *batch) place(ctx context.Context, items []*batchItem) error {
	var done *store.Receipt
	var said saidOf
	err := b.o.st.Update(ctx, "add", func(tx *store.Tx) error {
		done, said = tx.Receipt(), newSaid()
		listed := b.o.lister(ctx, tx)
		for _, it := range items {
			if it.failed = it.err; it.err == nil {
				it.failed = b.put(tx, it.in, said, listed)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case err == nil:
		if b.known.merge(said); b.a.touch(ctx, b.o, *done) {
			b.known = newSaid()
		}
	case ctx.Err() != nil || is(store.ErrBusy, store.ErrReadOnly, store.ErrDamaged)(err):
		return err
	case len(items) > 1:
		half := len(items) / 2
		if err := b.place(ctx, items[:half]); err != nil {
			return err
		}
		return b.place(ctx, items[half:])
	default:
		items[0].failed = err
	}
	for _, it := range items {
		if err := b.acknowledge(it, done); err != nil {
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
			it.err = d.ask(ctx, it.in)
			return ctx.Err()
		})
	}
	return g.Wait()
}

// put writes a line's page unless one before it, which no index knows yet, said the
// same. said is what this transaction has written.
func (b *batch) put(tx *store.Tx, in *arrival, said saidOf, listed func() ([]page.File, error)) error {
	if !b.force {
		if in.twin == nil {
			in.twin = cmp.Or(said.twin(in), b.known.twin(in))
		}
		if in.twin == nil && in.page.Type == "entity" {
			for _, n := range entityNames(in.page) {
				if twin := cmp.Or(said.names[n.form], b.known.names[n.form]); twin.page != nil {
					return twinError(n.text, twin.path, twin.page.Title)
				}
			}
		}
	}
	if err := in.put(b.pack, tx, listed); err != nil {
		return err
	}
	if in.twin == nil {
		said.add(in.at, in.page)
	}
	return nil
}

func (b *batch) acknowledge(it *batchItem, done *store.Receipt) error {
	if it.failed != nil {
		return b.refuse(it)
	}
	b.broken = 0
	j := it.in.json(b.o.st.Name(), done.Job)
	if b.a.global.json {
		return b.a.json(batchJSON{Line: it.line, addJSON: j})
	}
	b.a.tell(&j, 1)
	return b.a.print("%s\n", plain(j.Path))
}

// refuse reports a line that was not written; its error is the end of the run.
func (b *batch) refuse(it *batchItem) error {
	b.bad++
	if it.err == nil && judge(it.failed).code == exitEnvironment {
		b.env = it.failed
		if b.broken++; b.broken == maxBroken {
			return it.failed
		}
	}
	if b.a.global.json {
		return b.a.json(batchJSON{Line: it.line, addJSON: addJSON{Brain: b.o.st.Name(), Contradicts: []contradictsJSON{}}, Error: it.failed.Error()})
	}
	b.a.note("brain: line %d: %s", it.line, plain(it.failed.Error()))
	return nil
}
