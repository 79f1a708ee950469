package page

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"brain/text"
)

// Splicing changes a page that exists. A page belongs to whoever wrote it:
// keys that we do not know, their order, comments, quotes, line endings stay
// as they are, so a page is never read and written anew. Each change finds the
// bytes of its own key (spliceblock.go), replaces them (splicevalue.go,
// splicelist.go, splicefact.go), and then reads the result: unless it shows
// the change and says all else as before, there is no result
// (splicecheck.go). Finding may therefore be simple, and give up; it cannot
// do harm.

// ErrSplice is what Splice and Relink return where a page cannot be changed
// in place: the message names the line and the cause.
var ErrSplice = errors.New("the page cannot be changed in place")

// Change is one change of a page; the zero value changes nothing. Values that
// break a limit are refused by Splice with ErrDraft.
type Change struct {
	op     op
	key    string
	values []string // one for a text
	link   Link
	fact   Fact
	n      int // which fact
}

type op uint8

const (
	nothing op = iota
	setText
	setList
	addTo
	removeFrom
	unset
	addLink
	addFact
	setFact
	removeFact
	appendBody
	setBody
)

// SetText gives a key one value; a text of several lines becomes a block. An
// empty value is Unset. The key may be any, but none of those that hold lists
// or records.
func SetText(key, value string) Change {
	if value = strings.TrimSpace(value); value == "" {
		return Unset(key)
	}
	return Change{op: setText, key: key, values: []string{value}}
}

// SetList gives a key these values and no others; those that are there keep
// their lines. No values are Unset.
func SetList(key string, values []string) Change {
	if values = names(key, values); len(values) == 0 {
		return Unset(key)
	}
	return Change{op: setList, key: key, values: values}
}

// AddTo appends the values that the list does not hold, compared folded.
func AddTo(key string, values ...string) Change {
	return Change{op: addTo, key: key, values: names(key, values)}
}

// RemoveFrom takes values out of a list, compared folded; with the last one
// the key goes.
func RemoveFrom(key string, values ...string) Change {
	return Change{op: removeFrom, key: key, values: names(key, values)}
}

// Unset removes a key with its lines, under each name by which it is read.
func Unset(key string) Change { return Change{op: unset, key: key} }

// AddLink adds to `links:` what Format writes of l, unless it is there.
func AddLink(l Link) Change { return Change{op: addLink, key: "links", link: l} }

// AddFact adds f to `facts:`, unless it is there.
func AddFact(f Fact) Change { return Change{op: addFact, key: "facts", fact: f} }

// SetFact changes one key of the n-th of Page.Facts, counted from 0; an empty
// value removes the key.
func SetFact(n int, key, value string) Change {
	return Change{op: setFact, key: key, values: []string{strings.TrimSpace(value)}, n: n}
}

// RemoveFact takes the n-th of Page.Facts away, counted from 0; with the last one the
// key goes.
func RemoveFact(n int) Change { return Change{op: removeFact, key: "facts", n: n} }

// AppendBody adds text at the end, on a line of its own.
func AppendBody(text string) Change { return Change{op: appendBody, values: []string{text}} }

// SetBody replaces what follows the front matter; the blank lines between
// them stay.
func SetBody(text string) Change { return Change{op: setBody, values: []string{text}} }

// names cleans values as the reader does.
func names(key string, values []string) []string {
	var out []string
	for _, v := range values {
		if canonical(key) == "tags" {
			v = strings.TrimLeft(v, "#")
		}
		if v = strings.TrimSpace(v); v != "" {
			out = append(out, v)
		}
	}
	return dedupe(out)
}

// Splice applies the changes in order. The result is read again after each:
// if it does not show the change, or shows another, the error is ErrSplice
// and raw is to be left as it is. A page that has no front matter gains a
// block; one whose block is not closed is refused, since a second block would
// hide the first.
func Splice(path Path, raw []byte, changes ...Change) ([]byte, error) {
	s := readSheet(path, string(raw), builtinWords)
	for _, c := range changes {
		next, err := s.with(c)
		if err != nil {
			return nil, err
		}
		s = next
	}
	return []byte(s.src), nil
}

// with gives the sheet after one change.
func (s *sheet) with(c Change) (*sheet, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDraft, s.path, err)
	}
	edits, err := c.plan(s)
	if err != nil || len(edits) == 0 {
		return s, err
	}
	next := readSheet(s.path, splice(s.src, edits), s.page.words)
	if err := c.verify(s, next); err != nil {
		return nil, err
	}
	return next, nil
}

// Values gives the values that a key of the front matter has, known or not: one, or
// those of its list, trimmed. Records have none.
func Values(path Path, raw []byte, key string) []string {
	return readSheet(path, string(raw), builtinWords).list(canonical(key))
}

// edit replaces a range of bytes.
type edit struct {
	span
	text string
}

// splice applies edits that do not overlap; those at one place in the order
// given.
func splice(src string, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(src[at:e.from])
		b.WriteString(e.text)
		at = e.to
	}
	b.WriteString(src[at:])
	return b.String()
}

// plan says which bytes to change; none when the page is so already.
func (c Change) plan(s *sheet) ([]edit, error) {
	switch {
	case c.op == nothing:
		return nil, nil
	case s.path.IsSession():
		return nil, s.refuse(1, "a session is only added to")
	case c.op == appendBody:
		return s.appendBody(c.values[0]), nil
	case c.op == setBody && s.has(CodeUnclosed):
		return nil, s.refuse(1, "the front matter is never closed, so that it counts as body")
	case c.op == setBody:
		return s.setBody(c.values[0]), nil
	}
	if err := s.editable(); err != nil {
		return nil, err
	}
	switch c.op {
	case setText:
		return s.setText(c.key, c.values[0])
	case unset:
		return s.unset(canonical(c.key))
	case setList:
		return s.setList(c.key, c.values)
	case addTo, removeFrom:
		return s.changeList(c)
	case addLink:
		return s.addLink(c.link)
	case addFact:
		return s.addFact(c.fact)
	case removeFact:
		return s.removeFact(c.n)
	}
	return s.setFact(c.n, c.key, c.values[0])
}

// check holds the change to the limits that Format has.
func (c Change) check() error {
	switch c.op {
	case nothing, removeFact:
		return nil
	case appendBody, setBody:
		return errors.Join(checkBody(c.values[0]), checkText(c.values[0]))
	case addLink:
		if strings.TrimSpace(c.link.Target) == "" {
			return errors.New("a link without a target")
		}
		return checkLines(c.link.Target, c.link.Fragment, c.link.Type, c.link.Origin)
	case addFact:
		return checkFact(c.fact)
	case setFact:
		return checkLines(c.values...)
	}
	if len(c.key) > 100 || c.key == "" || !strictKey(c.key) {
		return fmt.Errorf("%q is no name of a key", cut(c.key, 40))
	}
	return c.checkValues()
}

// checkValues holds values to the form that their key has.
func (c Change) checkValues() error {
	if c.op == unset {
		return nil
	}
	key, list := canonical(c.key), c.op != setText
	switch key {
	case "links", "facts", "provenance":
		return fmt.Errorf("%s holds records", key)
	case "tags", "aliases", "sources":
		if !list {
			return fmt.Errorf("%s is a list", key)
		}
	default:
		if list && isKnown(key) {
			return fmt.Errorf("%s holds one value", key)
		}
	}
	if !list && (!isKnown(key) || key == "abstract" || key == "overview") {
		return checkText(c.values...)
	}
	err := checkLines(c.values...)
	switch key {
	case "title":
		err = errors.Join(checkTitle(c.values[0]), err)
	case "created_by":
		err = errors.Join(checkCreatedBy(c.values[0]), err)
	}
	return err
}

func checkFact(f Fact) error {
	if err := f.Check(); err != nil {
		return err
	}
	for _, key := range factKeys[1:] {
		if err := checkLines(*f.slot(key)); err != nil {
			return err
		}
	}
	return nil
}

// holds reports a name in a list, compared folded.
func holds(list []string, name string) bool {
	name = text.Fold(name)
	return slices.ContainsFunc(list, func(s string) bool { return text.Fold(s) == name })
}
