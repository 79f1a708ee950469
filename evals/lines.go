package evals

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// JSON lines are read one at a time, so that a set is bounded by its longest
// line and never by its size: a document's text is in memory only while its
// file is written. bufio.Scanner is not used, since it gives up on long lines;
// chats of a hundred megabytes are one line here.

// record is one JSON line with its fields still encoded: sets carry fields
// that are never looked at, of types that vary from line to line.
type record map[string]json.RawMessage

// text returns a field as text: a string as it is, a number or boolean as
// written, "" for null, absent and compound values.
func (r record) text(key string) string { return scalar(r[key]) }

// truth reports whether a field is true, a number other than 0, or a text
// other than "", "0" and "false".
func (r record) truth(key string) bool {
	switch strings.ToLower(r.text(key)) {
	case "", "0", "false":
		return false
	}
	return true
}

// values returns a field as texts: a list gives its scalars, anything else
// itself, an absent field one empty text.
func (r record) values(key string) []string {
	raw := bytes.TrimSpace(r[key])
	if len(raw) == 0 || raw[0] != '[' {
		return []string{scalar(raw)}
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = scalar(v)
	}
	return out
}

func scalar(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return ""
	}
	switch raw[0] {
	case '"':
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return ""
		}
		return s
	case '{', '[', 'n':
		return ""
	}
	return string(raw)
}

// eachRecord calls f with every line of a JSON lines file, gzipped or not.
// Blank lines are passed over. An error of f or of a line names file and line.
func eachRecord(name string, f func(line int, r record) error) error {
	return eachLine(name, func(line int, b []byte) error {
		if b = bytes.TrimSpace(b); len(b) == 0 {
			return nil
		}
		var r record
		if err := json.Unmarshal(b, &r); err != nil {
			return fmt.Errorf("%w: not a JSON object: %w", ErrData, err)
		}
		return f(line, r)
	})
}

// eachLine calls f with every line of a file, without its line ending; the
// bytes are f's only during the call.
func eachLine(name string, f func(line int, b []byte) error) error {
	r, err := openPlain(name)
	if err != nil {
		return err
	}
	defer r.Close()
	br := bufio.NewReaderSize(r, 1<<16)
	var long []byte
	for n := 1; ; {
		part, err := br.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, part...)
			continue
		}
		if err != nil && err != io.EOF {
			return fmt.Errorf("read %s: line %d: %w", name, n, err)
		}
		b := part
		if len(long) > 0 {
			b = append(long, part...)
		}
		if len(b) > 0 {
			if n == 1 {
				b = bytes.TrimPrefix(b, []byte("\ufeff"))
			}
			if ferr := f(n, bytes.TrimRight(b, "\r\n")); ferr != nil {
				return fmt.Errorf("%s: line %d: %w", name, n, ferr)
			}
		}
		if err == io.EOF {
			return nil
		}
		long = long[:0]
		n++
	}
}

// openPlain opens a file and unpacks it when its first bytes say gzip,
// whatever its name says.
func openPlain(name string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	br := bufio.NewReader(f)
	if magic, _ := br.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return plainFile{br, f}, nil
	}
	zr, err := gzip.NewReader(br)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("unpack %s: %w", name, err)
	}
	return plainFile{zr, f}, nil
}

type plainFile struct {
	io.Reader
	io.Closer
}
