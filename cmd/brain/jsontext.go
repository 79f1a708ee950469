// JSON that belongs to somebody else. A settings file of another program is changed by
// splicing: a member or an element is put in or cut out, and every other byte, comments
// included, stays. Encoding the value anew would reorder keys and lay out all lines.
//
// What put adds, cut takes back to the byte. A container that put makes begins on a line
// of its own, one that was there and empty is filled right behind its bracket; so cut
// knows which of them to leave behind.

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// jsonText is a JSON text with the places of its values.
type jsonText struct {
	raw string
	top *jsonNode // nil for a text that is blank
}

// jsonNode is a value, and the key before it when it is a member.
type jsonNode struct {
	kind       byte   // '{', '[', '"', or 0 for the rest
	key        string // of a member
	from       int    // where the key or, without one, the value begins
	start, end int    // of the value
	text       string // of a string
	up         *jsonNode
	items      []*jsonNode // members or elements
}

// maxJSONDepth is far beyond what settings need.
const maxJSONDepth = 100

func parseJSONText(raw string) (*jsonText, error) {
	clear := uncommented(raw)
	if strings.TrimSpace(clear) == "" {
		return &jsonText{raw: raw}, nil
	}
	r := &jsonReader{text: clear, d: json.NewDecoder(strings.NewReader(clear))}
	top, err := r.value(nil, 0)
	if err == nil {
		if _, err = r.d.Token(); errors.Is(err, io.EOF) {
			return &jsonText{raw, top}, nil
		}
		if err == nil {
			err = errors.New("more than one value")
		}
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return nil, fmt.Errorf("line %d: %w", 1+strings.Count(clear[:min(int(r.d.InputOffset()), len(clear))], "\n"), err)
}

// uncommented puts blanks in the place of comments and of a byte order mark.
func uncommented(raw string) string {
	out := []byte(raw)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if out[i] != '\n' && out[i] != '\r' {
				out[i] = ' '
			}
		}
	}
	if strings.HasPrefix(raw, "\uFEFF") {
		blank(0, len("\uFEFF"))
	}
	for i := 0; i < len(raw); i++ {
		rest, end := raw[i:], 0
		switch {
		case raw[i] == '"':
			i += stringLength(rest) - 1
			continue
		case strings.HasPrefix(rest, "//"):
			end = strings.IndexByte(rest, '\n')
		case strings.HasPrefix(rest, "/*"):
			if end = strings.Index(rest, "*/"); end >= 0 {
				end += len("*/")
			}
		default:
			continue
		}
		if end < 0 {
			end = len(rest)
		}
		blank(i, i+end)
		i += end - 1
	}
	return string(out)
}

// stringLength is the length of the JSON string that a text begins with.
func stringLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

type jsonReader struct {
	text string
	d    *json.Decoder
}

// value reads one value with all below it.
func (r *jsonReader) value(up *jsonNode, depth int) (*jsonNode, error) {
	if depth > maxJSONDepth {
		return nil, fmt.Errorf("more than %d levels deep", maxJSONDepth)
	}
	n, err := r.next(up)
	if err != nil || n.kind != '{' && n.kind != '[' {
		return n, err
	}
	for r.d.More() {
		key := &jsonNode{from: -1}
		if n.kind == '{' {
			if key, err = r.next(n); err != nil {
				return nil, err
			}
		}
		item, err := r.value(n, depth+1)
		if err != nil {
			return nil, err
		}
		if key.from >= 0 {
			item.key, item.from = key.text, key.from
		}
		n.items = append(n.items, item)
	}
	closing, err := r.next(n)
	if err != nil {
		return nil, err
	}
	n.end = closing.end
	return n, nil
}

// next reads one token.
func (r *jsonReader) next(up *jsonNode) (*jsonNode, error) {
	at := int(r.d.InputOffset())
	token, err := r.d.Token()
	if err != nil {
		return nil, err
	}
	n := &jsonNode{up: up, end: int(r.d.InputOffset())}
	n.start = at + len(r.text[at:]) - len(strings.TrimLeft(r.text[at:], " \t\r\n,:"))
	n.from = n.start
	switch t := token.(type) {
	case json.Delim:
		n.kind = byte(t)
	case string:
		n.kind, n.text = '"', t
	}
	return n, nil
}

// members gives those of an object that have a key; the value that counts is the last,
// by most readers.
func (n *jsonNode) members(key string) (found []*jsonNode) {
	if n == nil || n.kind != '{' {
		return nil
	}
	for _, item := range n.items {
		if item.key == key {
			found = append(found, item)
		}
	}
	return found
}

// member finds the member with a key, nil when there is none. A key that stands twice
// has no place to be changed.
func (n *jsonNode) member(key string) (*jsonNode, error) {
	switch found := n.members(key); len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("%q stands there twice", key)
}

// put adds a value at the end of a container; key is for objects.
func (t *jsonText) put(in *jsonNode, key string, value any) (string, error) {
	at, before, indent := in.start+1, "", lineIndent(t.raw, in.start)
	if n := len(in.items); n > 0 {
		last := in.items[n-1]
		lead := blankBefore(t.raw, last.from)
		at, before = last.end, ","+lead
		indent = lineIndent(t.raw, last.from)
	}
	text, err := t.layout(key, value, indent)
	return t.raw[:at] + before + text + t.raw[at:], err
}

// layout writes a value, behind its key when it has one, as the text around is laid out.
func (t *jsonText) layout(key string, value any, indent string) (string, error) {
	unit := "  "
	if t.top != nil && len(t.top.items) > 0 {
		if first := t.top.items[0].from; strings.Contains(blankBefore(t.raw, first), "\n") {
			unit = cmp.Or(lineIndent(t.raw, first), unit) // without any, all would stand in one line
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // people read it
	e.SetIndent(indent, unit)
	if key != "" {
		if err := e.Encode(key); err != nil {
			return "", err
		}
		b.Truncate(b.Len() - 1)
		b.WriteString(": ")
	}
	if err := e.Encode(value); err != nil {
		return "", err
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if strings.Contains(t.raw, "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text, nil
}

// cut takes a value out, and with it the containers that held it alone and were put.
func (t *jsonText) cut(n *jsonNode) string {
	raw, up := t.raw, n.up
	if up == nil {
		return raw[:n.start] + raw[n.end:]
	}
	i := 0
	for up.items[i] != n {
		i++
	}
	switch {
	case i > 0:
		before := up.items[i-1].end
		comma := before + strings.IndexByte(uncommented(raw[before:n.from]), ',')
		between := raw[before:comma] + raw[comma+1:n.from]
		if lead := blankBefore(raw, n.from); strings.Trim(between, blanks) == "" { // else a comment ends there
			between = strings.TrimSuffix(between, lead)
		}
		return raw[:before] + between + raw[n.end:]
	case len(up.items) > 1:
		next := up.items[1].from
		comma := n.end + strings.IndexByte(uncommented(raw[n.end:next]), ',')
		return raw[:n.from] + strings.TrimLeft(raw[comma+1:next], blanks) + raw[next:]
	}
	lead, rest := raw[up.start+1:n.from], raw[n.end:up.end-1]
	if strings.Contains(lead, "\n") && strings.Trim(lead+rest, blanks) == "" {
		return t.cut(up)
	}
	return raw[:n.from] + raw[n.end:]
}

const blanks = " \t\r\n"

// blankBefore is the white space before a place, from the last line break on.
func blankBefore(raw string, at int) string {
	lead := raw[len(strings.TrimRight(raw[:at], blanks)):at]
	if i := strings.LastIndexByte(lead, '\n'); i >= 0 {
		if i > 0 && lead[i-1] == '\r' {
			i--
		}
		lead = lead[i:]
	}
	return lead
}

// lineIndent is the white space that the line of a place begins with.
func lineIndent(raw string, at int) string {
	line := raw[strings.LastIndexByte(raw[:at], '\n')+1 : at]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}
