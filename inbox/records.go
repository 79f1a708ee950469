package inbox

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"brain/page"
)

// input is what is read, as records.
type input struct {
	r    *bufio.Reader
	buf  []byte
	line int
}

// sniffed is how much of an input is looked at to tell its format.
const sniffed = 256 << 10

func newInput(r io.Reader) *input { return &input{r: bufio.NewReaderSize(r, sniffed)} }

var errTooLong = fmt.Errorf("longer than %d MiB", maxRecord>>20)

// next gives the next line that is not blank, without its end and without NUL, which a
// crash leaves in a file. It counts until the next call. With errTooLong it is passed over.
func (in *input) next() ([]byte, error) {
	for {
		raw, err := in.readLine()
		if err != nil && (!errors.Is(err, io.EOF) || len(raw) == 0) {
			return nil, err
		}
		if in.line == 1 {
			raw = bytes.TrimPrefix(raw, []byte("\uFEFF"))
		}
		if bytes.IndexByte(raw, 0) >= 0 {
			raw = slices.DeleteFunc(raw, func(c byte) bool { return c == 0 })
		}
		if raw = bytes.TrimRight(raw, "\r\n"); len(bytes.TrimSpace(raw)) > 0 {
			return raw, nil
		}
	}
}

func (in *input) readLine() ([]byte, error) {
	if cap(in.buf) > sniffed {
		in.buf = nil // one long line is no reason to hold as much until the end
	}
	in.line++
	in.buf = in.buf[:0]
	long := false
	for {
		part, err := in.r.ReadSlice('\n')
		if long = long || len(in.buf)+len(part) > maxRecord; !long {
			in.buf = append(in.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long && (err == nil || errors.Is(err, io.EOF)):
			in.buf = nil
			return nil, errTooLong
		default:
			return in.buf, err
		}
	}
}

// fatal is an error that ends the reading, where others set a record aside.
type fatal struct{ error }

func isFatal(err error) bool {
	_, ok := errors.AsType[fatal](err)
	return ok
}

// settle ends the reading with what is fatal, and sets aside what was refused.
func (g *gather) settle(n int, err error) error {
	if f, ok := errors.AsType[fatal](err); ok {
		return f.error
	}
	if err != nil {
		g.skip(n, err.Error())
	}
	return nil
}

// records hands over the JSON objects of an input: its lines, or the members of an
// array. What use refuses is set aside, unless it is fatal.
func (in *input) records(g *gather, use func(raw []byte) error) error {
	if head := in.head(); len(head) > 0 && head[0] == '[' {
		g.skipped.Unit = "message"
		return in.members(g, use)
	}
	for {
		raw, err := in.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errTooLong):
			g.skip(in.line, err.Error())
			continue
		case err != nil:
			return err
		}
		if err := g.settle(in.line, useLine(raw, use)); err != nil {
			return err
		}
	}
}

// useLine uses a line. One that lost the end of its line before another was written
// behind it holds two records.
func useLine(raw []byte, use func([]byte) error) (refused error) {
	if json.Valid(raw) {
		return use(raw)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	for {
		var one json.RawMessage
		if err := d.Decode(&one); errors.Is(err, io.EOF) {
			return refused
		} else if err != nil {
			return cmp.Or(refused, fmt.Errorf("not JSON: %w", err))
		}
		if err := use(one); isFatal(err) {
			return err
		} else if refused == nil {
			refused = err
		}
	}
}

// members hands over the members of an array, or an input that is one object, each
// by itself: however large an export is, one conversation is held. A member of over
// maxRecord bytes is passed over. Each has its number, whatever it is, and an array
// that does not end is told: half an export is no whole one.
func (in *input) members(g *gather, use func(raw []byte) error) error {
	m := memberScan{}
	for n := 1; ; n++ {
		raw, err := m.next(in.r)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errWithin):
			g.skip(0, fmt.Sprintf("the file ends within %s %d", g.skipped.Unit, n))
			return nil
		case errors.Is(err, errBetween):
			g.skip(0, fmt.Sprintf("the file ends behind %s %d, and its list goes on", g.skipped.Unit, n-1))
			return nil
		case errors.Is(err, errTooLong):
			g.skip(n, err.Error())
			continue
		case err != nil:
			return err
		}
		if err := g.settle(n, use(raw)); err != nil {
			return err
		}
	}
}

// memberScan finds where the members of the outermost array begin and end, and
// objects that stand in none.
type memberScan struct {
	buf            []byte
	array          bool // in the array
	depth          int  // of what is open in a member
	inside, quoted bool // in a string, behind a backslash
	bare           bool // in a member without brackets and quotes: a number, a word
	long           bool
}

// How an input ends that was cut.
var (
	errWithin  = errors.New("within a member")
	errBetween = errors.New("within an array, between its members")
)

// next gives the next member.
func (m *memberScan) next(r *bufio.Reader) ([]byte, error) {
	m.buf, m.long, m.depth, m.inside, m.bare = m.buf[:0], false, 0, false, false
	if cap(m.buf) > sniffed {
		m.buf = nil
	}
	for {
		if _, err := r.Peek(1); err != nil {
			switch {
			case !errors.Is(err, io.EOF):
			case m.depth > 0 || m.inside || m.bare:
				return nil, errWithin
			case m.array:
				return nil, errBetween
			}
			return nil, err
		}
		part, _ := r.Peek(r.Buffered())
		n, done := m.scan(part)
		if _, err := r.Discard(n); err != nil {
			return nil, err
		}
		if done && m.long {
			return nil, errTooLong
		}
		if done {
			return m.buf, nil
		}
	}
}

// scan takes bytes up to the end of the member and tells how many.
func (m *memberScan) scan(part []byte) (n int, done bool) {
	from := 0
	for i, c := range part {
		switch {
		case m.bare:
			if strings.IndexByte(" \t\r\n\x00,[]{}\"", c) >= 0 {
				m.take(part[from:i])
				return i, true
			}
		case m.quoted:
			m.quoted = false
		case m.inside:
			m.quoted, m.inside = c == '\\', c != '"'
			done = !m.inside && m.depth == 0
		case m.depth == 0:
			from = i
			if !m.opens(c) {
				from = i + 1
			}
		case c == '"':
			m.inside = true
		case c == '{' || c == '[':
			m.depth++
		case c == '}' || c == ']':
			m.depth--
			done = m.depth == 0
		}
		if done {
			m.take(part[from : i+1])
			return i + 1, true
		}
	}
	m.take(part[from:])
	return len(part), false
}

// opens tells whether a byte between members begins one.
func (m *memberScan) opens(c byte) bool {
	switch {
	case c == '{', c == '[' && m.array:
		m.depth = 1
	case c == '[' || c == ']':
		m.array = c == '['
		return false
	case !m.array, strings.IndexByte(" \t\r\n\x00,", c) >= 0:
		return false
	case c == '"':
		m.inside = true
	default:
		m.bare = true
	}
	return true
}

func (m *memberScan) take(part []byte) {
	if m.long = m.long || len(m.buf)+len(part) > maxRecord; m.long {
		m.buf = nil
		return
	}
	m.buf = append(m.buf, part...)
}

// head is the beginning of an input without byte order mark and white space.
func (in *input) head() []byte {
	head, _ := in.r.Peek(sniffed) // an error comes again when it is read
	return bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\uFEFF")), " \t\r\n\x00")
}

// detect tells the format, "" and Auto by the first lines that say it.
func (in *input) detect(want Format) (Format, error) {
	head := in.head()
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("\x1f\x8b")), bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")):
		return "", fmt.Errorf("%w: it is packed; unpack it and give the file within, such as conversations.json", ErrFormat)
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return "", fmt.Errorf("%w: it is UTF-16; convert it to UTF-8", ErrFormat)
	case want != "" && want != Auto:
		if readers[want] == nil {
			return "", fmt.Errorf("%w: there is no format %q", ErrFormat, want)
		}
		return want, nil
	case len(head) == 0:
		return Text, nil // which nothing comes of
	}
	if f := formatOf(head); f != "" {
		return f, nil
	}
	return "", fmt.Errorf("%w: neither messages as JSON lines (jsonl), nor a transcript of Claude Code (claude-code) or Codex (codex), nor conversations.json of ChatGPT (chatgpt) or Claude (claude), nor text (text)", ErrFormat)
}

// formatOf tells the format by how an input begins.
func formatOf(head []byte) Format {
	if head[0] == '[' {
		if first := bytes.TrimLeft(head[1:], " \t\r\n"); len(first) > 0 && first[0] == '{' {
			return keysOf(first).format()
		} else if len(first) > 0 && first[0] == ']' {
			return JSONL // without a message
		}
	}
	if head[0] == '{' {
		if f := keysOf(head).format(); f != "" { // of the first object, on however many lines
			return f
		}
		for line := range bytes.Lines(head) {
			if f := keysOf(line).format(); f != "" {
				return f
			}
		}
		return ""
	}
	for i := 1; i < utf8.UTFMax && !utf8.Valid(head); i++ {
		head = head[:len(head)-1] // it may end within a character
	}
	if utf8.Valid(head) && bytes.IndexByte(head, 0) < 0 {
		return Text
	}
	return ""
}

// keys are the names of an object's members, and the values of those that are short
// strings.
type keys map[string]string

// keysOf reads the keys of an object, of one that is cut off as far as it goes.
func keysOf(raw []byte) keys {
	k := keys{}
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return k
	}
	for {
		name, err := d.Token()
		key, ok := name.(string)
		if err != nil || !ok {
			return k
		}
		k[key] = ""
		var value any
		if err := d.Decode(&value); err != nil {
			return k
		}
		if s, ok := value.(string); ok {
			k[key] = s
		}
	}
}

func (k keys) has(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { _, ok := k[n]; return ok })
}

// format tells which program writes records with such keys, "" for none.
func (k keys) format() Format {
	switch {
	case k.has("mapping"):
		return ChatGPT
	case k.has("chat_messages"):
		return Claude
	case k.has("payload") && k.has("type"), k.has("record_type"):
		return Codex
	case k.has("parentUuid", "isSidechain"), k.has("type") && k.has("sessionId", "leafUuid", "message", "messageId"):
		return ClaudeCode
	case k["type"] == "message" && k.has("role") && !k.has("text"), k.has("type") && k.has("call_id", "encrypted_content"),
		k.has("id") && k.has("timestamp") && k.has("instructions", "git") && !k.has("role", "text"):
		return Codex
	case k.has("role", "text", "content", "session"):
		return JSONL
	}
	return ""
}

// decode reads a JSON object. A member that is of another kind than expected counts as
// absent: programs change what they write.
func decode(raw []byte, v any) error {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' {
		return errors.New("not a JSON object")
	}
	err := json.Unmarshal(raw, v)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return nil
	}
	if err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	return nil
}

// instant is a moment as JSON has it: a date in one of the usual forms, or a number of
// seconds, milliseconds, microseconds or nanoseconds since 1970, told by its size.
type instant struct{ time.Time }

func (i *instant) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		if t, ok := page.ParseDate(s); ok {
			i.Time = t
			return nil
		}
		raw = []byte(strings.TrimSpace(s))
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f < 1e6 || f > 1e19 {
		return nil // what is no time is none
	}
	for f > 1e11 {
		f /= 1000
	}
	i.Time = time.UnixMicro(int64(math.Round(f * 1e6))).UTC()
	return nil
}
