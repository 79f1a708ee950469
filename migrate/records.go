package migrate

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"brain/page"
)

// Exports as JSON come in many wrappings, of which one is known by looking:
//
//	{…}⏎{…}⏎                        lines, each judged by itself: one that is broken
//	                                costs itself alone
//	[{…},{…}]                       a list
//	{"results":[{…},{…}], …}        lists by their names in an object, on one line or many
//
// Whatever the size of the file, one record is held, of at most maxRecord bytes.

const (
	maxRecord = 4 << 20
	maxInput  = 1 << 30 // bytes of a file once it is unpacked; what is larger is no memory
)

// record is a JSON object of an input.
type record struct {
	fields
	list   string // in which it stands, "" for none
	beside fields // what stood before that in the same object
	file   string
	line   int
	raw    json.RawMessage
}

func (r *record) where() string { return at(r.file, r.line) }

// fields are the members of an object.
type fields map[string]json.RawMessage

// text is the string of the first of these keys that has one.
func (f fields) text(keys ...string) string {
	for _, key := range keys {
		var s string
		if json.Unmarshal(f[key], &s) == nil && strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// number is that of a key.
func (f fields) number(key string) (n float64, ok bool) {
	var p *float64
	if json.Unmarshal(f[key], &p) != nil || p == nil {
		return 0, false
	}
	return *p, true
}

// name is text, or the digits of a number: an id may be one.
func (f fields) name(keys ...string) string {
	for _, key := range keys {
		var n json.Number
		if s := strings.TrimSpace(f.text(key)); s != "" {
			return s
		} else if json.Unmarshal(f[key], &n) == nil && n != "" {
			return n.String()
		}
	}
	return ""
}

// time is the first of these keys that is a date, as text or as seconds or
// milliseconds since 1970.
func (f fields) time(keys ...string) time.Time {
	for _, key := range keys {
		s := f.text(key)
		if s == "" {
			s = string(f[key])
		}
		if t, ok := page.ParseDate(s); ok {
			return t.UTC()
		}
	}
	return time.Time{}
}

// texts are the strings of a list, of objects in it what nameKey says; a string alone is
// a list of one.
func (f fields) texts(key, nameKey string) (all []string) {
	var list []json.RawMessage
	if json.Unmarshal(f[key], &list) != nil {
		list = []json.RawMessage{f[key]}
	}
	for _, raw := range list {
		var inner fields
		if json.Unmarshal(raw, &inner) != nil {
			inner = fields{nameKey: raw}
		}
		if s := strings.TrimSpace(inner.text(nameKey)); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// object is the object of a key, nil for none.
func (f fields) object(key string) (inner fields) {
	if json.Unmarshal(f[key], &inner) != nil {
		return nil
	}
	return inner
}

// lost says what an object holds beside these keys.
func (f fields) lost(known ...string) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(f)) {
		switch v := strings.TrimSpace(string(f[key])); {
		case slices.Contains(known, key), slices.Contains([]string{"null", `""`, "[]", "{}"}, v):
		default:
			parts = append(parts, key+": "+v)
		}
	}
	return strings.Join(parts, ", ")
}

// files are those of a source whose names end so, in the order of their names.
func (s *Source) files(take func(Item) error, ends ...string) (names []string, err error) {
	if s.File != "" {
		return []string{s.File}, nil
	}
	entries, err := fs.ReadDir(s.FS, ".")
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", s.Name, err)
	}
	for _, e := range entries {
		why := NoPlace
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			why = Link
		case e.IsDir() && e.Name()[0] == '.':
			why = Hidden
		case !e.Type().IsRegular() && !e.IsDir():
			why = Special
		case e.Type().IsRegular() && slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(strings.ToLower(e.Name()), end) }):
			names = append(names, e.Name())
			continue
		}
		if err := take(drop(why, e.Name(), e.Name(), "not a file of this format")); err != nil {
			return nil, err
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%w: %s: no file there ends in %s", ErrFormat, s.Name, strings.Join(ends, ", "))
	}
	return names, nil
}

// records hands over the records of a file, and drops what is none; lists are the names
// of those that hold records.
func (s *Source) records(ctx context.Context, name string, lists []string, take func(Item) error, use func(*record) error) error {
	in := &input{ctx: ctx, name: name, lists: lists, use: use}
	in.drop = func(why Reason, what, detail string, line int) error {
		return take(drop(why, what, at(name, line), detail))
	}
	lined, err := s.isLines(name)
	if err == nil {
		err = s.reading(name, func(r *bufio.Reader) error {
			if lined {
				return in.lines(r)
			}
			return in.document(r, 1)
		})
	}
	if errors.Is(err, errInput) {
		return in.drop(Unreadable, name, strings.TrimPrefix(err.Error(), errInput.Error()+": "), 0)
	}
	return err
}

// understanding watches what a reader of records hands over, for a source in which
// nothing is understood.
type understanding struct {
	src   *Source
	n     int      // records that were understood
	first *Dropped // the first thing that was not
}

func (u *understanding) watch(take func(Item) error) func(Item) error {
	return func(it Item) error {
		if d := it.Dropped; d != nil && u.first == nil && slices.Contains([]Reason{Broken, Unknown, NotText, Unreadable, TooLarge}, d.Reason) {
			u.first = d
		}
		return take(it)
	}
}

// check is the error for a source in which nothing was understood.
func (u *understanding) check(want string) error {
	switch {
	case u.n > 0:
		return nil
	case u.first == nil:
		return fmt.Errorf("%w: %s: it is empty; looked for %s", ErrFormat, u.src.Name, want)
	}
	where := path.Join(u.src.Name, u.first.Where)
	if u.src.File != "" {
		where = u.src.Name + strings.TrimPrefix(u.first.Where, u.src.File)
	}
	return fmt.Errorf("%w: %s: %s; looked for %s", ErrFormat, where, cmp.Or(u.first.Detail, u.first.Reason.Phrase()), want)
}

// errInput is an error of a file, not of what takes its records.
var errInput = errors.New("the file")

// reading opens a file, packed or not.
func (s *Source) reading(name string, read func(*bufio.Reader) error) error {
	file, err := s.FS.Open(name)
	if err != nil {
		return fmt.Errorf("%w: %s", errInput, cause(err))
	}
	defer file.Close()
	r := bufio.NewReaderSize(file, 64<<10)
	head, _ := r.Peek(4)
	switch _, what := notText(head[:min(2, len(head))]); {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		packed, err := gzip.NewReader(r)
		if err != nil {
			return fmt.Errorf("%w: %s", errInput, err)
		}
		r = bufio.NewReaderSize(packed, 64<<10)
	case string(head) == "PK\x03\x04":
		return fmt.Errorf("%w: a zip archive; unpack it and name the folder", errInput)
	case strings.HasPrefix(what, "UTF-16"):
		return fmt.Errorf("%w: %s", errInput, what)
	}
	r = bufio.NewReaderSize(&bounded{r, maxInput}, 64<<10)
	if head, _ := r.Peek(3); string(head) == "\uFEFF" {
		if _, err := r.Discard(3); err != nil {
			return fmt.Errorf("%w: %s", errInput, err)
		}
	}
	return read(r)
}

// bounded fails, rather than ends, where more is read than a file may have.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("larger than %d MiB", maxInput>>20)
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// isLines reports whether a file is one of lines: its first line is a value by
// itself, or it is broken and there is a whole one behind it. A list is none, whatever
// its lines.
func (s *Source) isLines(name string) (lined bool, err error) {
	err = s.reading(name, func(r *bufio.Reader) error {
		line, _, err := readLine(r)
		if err != nil && !errors.Is(err, io.EOF) || line == nil {
			return nil // one line, longer than any record
		}
		line = bytes.TrimSpace(line)
		if lined = json.Valid(line); lined || len(line) < 2 || line[0] != '{' || bytes.HasSuffix(line, []byte("[")) {
			return nil
		}
		for range 3 {
			next, _, err := readLine(r)
			if next = bytes.TrimSpace(next); json.Valid(next) && next[0] == '{' {
				lined = true
			}
			if err != nil || lined {
				return nil
			}
		}
		return nil
	})
	return lined, err
}

// readLine gives the next line that is not blank and how many lines were read for it; a
// nil line with an error of nil is one longer than a record.
func readLine(r *bufio.Reader) (line []byte, n int, err error) {
	for {
		n++
		long := false
		line = line[:0]
		for {
			part, readErr := r.ReadSlice('\n')
			if long = long || len(line)+len(part) > maxRecord; !long {
				line = append(line, part...)
			}
			if err = readErr; !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
		}
		switch {
		case long:
			return nil, n, nil
		case err != nil || len(bytes.TrimSpace(line)) > 0:
			return line, n, err
		}
	}
}

// input is a file that is read.
type input struct {
	ctx   context.Context
	name  string
	lists []string
	use   func(*record) error
	drop  func(why Reason, what, detail string, line int) error
}

// lines reads JSON lines. A line may hold a whole document.
func (in *input) lines(r *bufio.Reader) error {
	for line := 0; ; {
		raw, n, err := readLine(r)
		line += n
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%w: %s", errInput, err)
		}
		end := err != nil
		if ctxErr := in.ctx.Err(); ctxErr != nil {
			return ctxErr
		}
		raw = bytes.TrimSpace(raw)
		switch {
		case raw == nil && !end:
			err = in.drop(TooLarge, "a line", fmt.Sprintf("longer than %d MiB", maxRecord>>20), line)
		case len(raw) == 0:
			return nil
		case json.Valid(raw):
			err = in.document(bytes.NewReader(raw), line)
		default:
			err = in.drop(Broken, string(raw), why(raw), line)
		}
		if err != nil && (!end || !errors.Is(err, io.EOF)) {
			return err
		}
		if end {
			return nil
		}
	}
}

// why says what is wrong with a text that is no JSON.
func why(raw []byte) string {
	if _, what := notText(raw); what != "" {
		return what
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return "no JSON: " + err.Error()
	}
	return "no JSON"
}

// document reads values one after the other, of which the first begins on a line.
func (in *input) document(r io.Reader, first int) error {
	d := &decoding{input: in, lines: &lineCount{r: r, line: first}}
	d.dec = json.NewDecoder(d.lines)
	for {
		err := d.value("", 0, nil)
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errJSON):
			return in.drop(Broken, "the rest of "+in.name, strings.TrimPrefix(err.Error(), errJSON.Error()+": "), d.brokenLine(err))
		default:
			return err
		}
	}
}

// errJSON is an error of the text, not of what takes its records.
var errJSON = errors.New("no JSON")

// decoding reads a document.
type decoding struct {
	*input
	dec   *json.Decoder
	lines *lineCount
}

func (d *decoding) line() int { return d.lines.at(d.dec.InputOffset()) }

// brokenLine is the line on which a text stops being JSON.
func (d *decoding) brokenLine(err error) int {
	offset := d.dec.InputOffset()
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = max(offset, e.Offset-1)
	}
	return d.lines.at(offset)
}

// token is the next one; a text that is cut off is no end.
func (d *decoding) token(inside bool) (json.Token, error) {
	d.lines.left = maxRecord
	t, err := d.dec.Token()
	return t, d.failed(err, inside)
}

func (d *decoding) failed(err error, inside bool) error {
	switch {
	case err == nil || errors.Is(err, io.EOF) && !inside:
		return err
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: it ends too early", errJSON)
	}
	return fmt.Errorf("%w: %w", errJSON, err)
}

// value reads a value of the top, or of a list's name: a list of records, an object
// that holds some, or one record. beside is what stood before it in its object.
func (d *decoding) value(list string, depth int, beside fields) error {
	if err := d.ctx.Err(); err != nil {
		return err
	}
	t, err := d.token(depth > 0)
	if err != nil {
		return err
	}
	switch t {
	case json.Delim('['):
		return d.members(list, beside)
	case json.Delim('{'):
		return d.object(list, depth)
	}
	if depth > 0 { // "results": null
		return nil
	}
	return d.drop(Unknown, fmt.Sprint(t), "neither an object nor a list", d.line())
}

// members hands over the records of a list.
func (d *decoding) members(list string, beside fields) error {
	for d.dec.More() {
		raw, line, err := d.whole()
		if err == nil {
			err = d.record(&record{list: list, line: line, raw: raw, beside: beside})
		}
		if err != nil {
			return err
		}
	}
	_, err := d.token(true)
	return err
}

// whole reads one value.
func (d *decoding) whole() (raw json.RawMessage, line int, err error) {
	d.lines.left = maxRecord
	err = d.failed(d.dec.Decode(&raw), true)
	line = d.line() - bytes.Count(raw, []byte("\n"))
	return raw, line, err
}

// maxNested is how deep lists may stand in objects: {"data":{"results":[…]}}.
const maxNested = 3

// object reads an object that holds lists, or is a record.
func (d *decoding) object(list string, depth int) error {
	line := d.line()
	rest := fields{}
	held, size := false, 0
	for d.dec.More() {
		t, err := d.token(true)
		if err != nil {
			return err
		}
		key, _ := t.(string)
		if slices.Contains(d.lists, key) && depth < maxNested {
			held = true
			if err := d.value(key, depth+1, rest); err != nil {
				return err
			}
			continue
		}
		raw, _, err := d.whole()
		if err != nil {
			return err
		}
		if size += len(raw); size > maxRecord {
			return fmt.Errorf("%w: an object of more than %d MiB", errJSON, maxRecord>>20)
		}
		rest[key] = raw
	}
	if _, err := d.token(true); err != nil {
		return err
	}
	if held {
		return d.besides(rest, line)
	}
	raw, err := json.Marshal(rest)
	if err != nil {
		return fmt.Errorf("%w: %w", errJSON, err)
	}
	return d.record(&record{list: list, line: line, raw: raw})
}

// besides drops what stands beside the lists, but for what only tells of paging.
func (d *decoding) besides(rest fields, line int) error {
	for _, key := range slices.Sorted(maps.Keys(rest)) {
		if lost := (fields{key: rest[key]}).lost("count", "next", "previous", "total", "page", "page_size", "version"); lost != "" {
			if err := d.drop(NoPlace, lost, "beside the list", line); err != nil {
				return err
			}
		}
	}
	return nil
}

// record hands over one object.
func (d *decoding) record(r *record) error {
	if line, what := notText(r.raw); what != "" {
		return d.drop(NotText, "a record", what, r.line+max(0, line-1))
	}
	if raw := bytes.TrimSpace(r.raw); len(raw) == 0 || raw[0] != '{' {
		return d.drop(Unknown, string(raw), "no object", r.line)
	}
	if err := json.Unmarshal(r.raw, &r.fields); err != nil {
		return d.drop(Broken, string(r.raw), err.Error(), r.line)
	}
	r.file = d.name
	return d.use(r)
}

// lineCount counts the lines of what passes, and refuses a value that is too long.
type lineCount struct {
	r    io.Reader
	line int     // at the last offset that was asked for
	read int64   // bytes, so far
	ends []int64 // offsets of the line feeds that were read and not counted
	left int     // bytes that may be read for the value under way
}

func (c *lineCount) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, fmt.Errorf("a value of more than %d MiB", maxRecord>>20)
	}
	n, err := c.r.Read(p[:min(len(p), max(c.left, 512))])
	c.left -= n
	for i, b := range p[:n] {
		if b == '\n' {
			c.ends = append(c.ends, c.read+int64(i))
		}
	}
	c.read += int64(n)
	return n, err
}

// at is the line of an offset, which only grows.
func (c *lineCount) at(offset int64) int {
	n := 0
	for n < len(c.ends) && c.ends[n] < offset {
		n++
	}
	c.line += n
	c.ends = slices.Delete(c.ends, 0, n)
	return c.line
}
