package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"brain/page"
	"brain/text"
)

// memory.json, DeerMem's manifest: what a user is like in a few summaries, and how
// often anything of the memory has changed.
//
//	{
//	  "version": "2.0",
//	  "revision": 7,
//	  "lastUpdated": "2026-11-29T17:56:24.877586Z",
//	  "user": {
//	    "workContext": {
//	      "summary": "Go at work, Rust at night.",
//	      "updatedAt": "2026-11-29T17:56:24.877586Z"
//	    },
//	    …
//
// It is written as DeerMem writes it: two blanks a level, text as it is, no end of line
// at the end. Of one that was read only the values change that are to change. What else
// there is, at every level, stays in its order, spelled as it was; so does the Markdown
// around the object, in a file that has one:
//
//	Notes.
//	```memory-json
//	{"version": "2.0", …}
//	```
//	More notes.
//
// A `facts` key, or another version, marks the form of before there was a file for each
// fact (legacy.go). It is not written here. A higher version is of a time to come: what
// it means can be guessed at when it is read, and must not be when it is written.

const manifestVersion = "2.0"

// SummaryName is where a summary stands: a section of memory.json and a key in it.
type SummaryName struct{ Section, Key string }

func (n SummaryName) String() string { return n.Section + "." + n.Key }

// SummaryNames are the summaries that every memory has, in the order of the file. A file
// may have others.
func SummaryNames() []SummaryName {
	return []SummaryName{
		{"user", "workContext"}, {"user", "personalContext"}, {"user", "topOfMind"},
		{"history", "recentMonths"}, {"history", "earlierContext"}, {"history", "longTermBackground"},
	}
}

func isSection(name string) bool { return name == "user" || name == "history" }

// manifest is memory.json, read.
type manifest struct {
	before, after string // the Markdown around the object
	top           members
}

// members is a JSON object as it was written. Of a key that is there twice the last
// counts, as everywhere, and both stay.
type members []struct {
	name string
	key  []byte // the name as it was spelled
	raw  []byte // the value
}

func newManifest() *manifest {
	m := &manifest{}
	m.top.set("version", quoted(manifestVersion))
	m.top.set("revision", []byte("0"))
	m.top.set("lastUpdated", quoted(""))
	m.complete()
	return m
}

// complete adds the sections and summaries that are missing. A section that is no object
// is left alone.
func (m *manifest) complete() {
	for _, n := range SummaryNames() {
		section, err := m.section(n.Section)
		if err == nil && section.get(n.Key) == nil {
			section.set(n.Key, summaryObject("", ""))
		}
		if err == nil {
			m.top.set(n.Section, section.bytes())
		}
	}
}

func summaryObject(summary, updated string) []byte {
	var o members
	o.set("summary", quoted(summary))
	o.set("updatedAt", quoted(updated))
	return o.bytes()
}

// parseManifest reads memory.json: an object, or Markdown with one between fences. Its
// error wraps ErrCorrupt.
func parseManifest(raw []byte) (*manifest, error) {
	if !utf8.Valid(raw) {
		return nil, fmt.Errorf("memory.json: %w: it is not UTF-8", ErrCorrupt)
	}
	s := strings.TrimPrefix(string(raw), "\uFEFF")
	start := len(s) - len(strings.TrimLeft(s, jsonSpace))
	top, end, err := parseMembers(s[start:])
	if err == nil && strings.Trim(s[start+end:], jsonSpace) != "" {
		err = errors.New("something follows the object")
	}
	if err == nil {
		return &manifest{after: s[start+end:], top: top}, nil
	}
	if m := fenced(s); m != nil {
		return m, nil
	}
	return nil, fmt.Errorf("memory.json: %w: %w", ErrCorrupt, err)
}

const jsonSpace = " \t\r\n"

var fenceLine = text.Pattern("(?m)^[ \t]*(`{3,})memory-json[ \t]*\r?$")

// maxFences is how many fences are tried: a file with more is about something else.
const maxFences = 100

// fenced finds the object between fences. It ends where its last bracket closes and not
// at the next fence, which may be part of a text in it.
func fenced(s string) *manifest {
	for _, at := range fenceLine().FindAllStringSubmatchIndex(s, maxFences) {
		rest := s[at[1]:]
		start := at[1] + len(rest) - len(strings.TrimLeft(rest, jsonSpace))
		top, end, err := parseMembers(s[start:])
		if err != nil {
			continue
		}
		after := s[start+end:]
		if strings.HasPrefix(strings.TrimLeft(after, jsonSpace), s[at[2]:at[3]]) {
			return &manifest{before: s[:start], after: after, top: top}
		}
	}
	return nil
}

// parseMembers reads the object at the start of a text and tells where it ends.
func parseMembers(s string) (o members, end int, err error) {
	dec := json.NewDecoder(strings.NewReader(s))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, 0, errors.Join(err, errors.New("it is no object"))
	}
	o = members{}
	for dec.More() {
		from := dec.InputOffset()
		name, err := dec.Token()
		if err != nil {
			return nil, 0, err
		}
		key := strings.TrimLeft(s[from:dec.InputOffset()], jsonSpace+",")
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, 0, err
		}
		o = append(o, members{{name.(string), []byte(key), raw}}...)
	}
	_, err = dec.Token()
	return o, int(dec.InputOffset()), err
}

// get is the value of a key, nil without it.
func (o members) get(name string) []byte {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].name == name {
			return o[i].raw
		}
	}
	return nil
}

// set changes the value of a key; one that is not there comes last.
func (o *members) set(name string, raw []byte) {
	for i := len(*o) - 1; i >= 0; i-- {
		if (*o)[i].name == name {
			(*o)[i].raw = raw
			return
		}
	}
	*o = append(*o, members{{name, quoted(name), raw}}...)
}

func (o *members) remove(name string) {
	kept := (*o)[:0]
	for _, m := range *o {
		if m.name != name {
			kept = append(kept, m)
		}
	}
	*o = kept
}

func (o members) bytes() []byte {
	b := []byte("{")
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, m.key...), ':'), m.raw...)
	}
	return append(b, '}')
}

// text is a value that is a text, else "".
func (o members) text(name string) string {
	var s string
	if json.Unmarshal(o.get(name), &s) != nil {
		return ""
	}
	return s
}

// quoted spells a text as Python does when it leaves other letters than ASCII alone.
func quoted(s string) []byte {
	b := []byte(`"`)
	for i := range len(s) {
		c := s[i]
		if short := strings.IndexByte("\"\\\b\f\n\r\t", c); short >= 0 {
			b = append(b, '\\', `"\bfnrt`[short])
		} else if c < ' ' {
			b = fmt.Appendf(b, `\u%04x`, c)
		} else {
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// bytes is the file. A byte order mark that was read is not written.
func (m *manifest) bytes() []byte {
	var b bytes.Buffer
	b.WriteString(m.before)
	json.Indent(&b, m.top.bytes(), "", "  ") // it was JSON when it came in
	b.WriteString(m.after)
	return b.Bytes()
}

// isOld reports the form of before v2.
func (m *manifest) isOld() bool {
	return !m.isNewer() && (m.top.text("version") != manifestVersion || m.top.get("facts") != nil)
}

// isNewer reports a form of after v2.
func (m *manifest) isNewer() bool {
	v, err := strconv.ParseFloat(m.top.text("version"), 64)
	return err == nil && v > 2
}

// section is one of the two; one that is missing or null is empty. Error: ErrCorrupt.
func (m *manifest) section(name string) (members, error) {
	raw := m.top.get(name)
	if raw == nil || string(raw) == "null" {
		return members{}, nil
	}
	o, _, err := parseMembers(string(raw))
	if err != nil {
		return nil, fmt.Errorf("memory.json: %w: %q is no object", ErrCorrupt, name)
	}
	return o, nil
}

// patch gives a summary another text; all around it stays. A text that is there already
// changes nothing.
func (m *manifest) patch(n SummaryName, text string, now time.Time) (changed bool, err error) {
	section, err := m.section(n.Section)
	if err != nil {
		return false, err
	}
	child, _, err := parseMembers(string(section.get(n.Key)))
	if err != nil { // it is none
		child = members{}
	}
	if err == nil && child.text("summary") == text {
		return false, nil
	}
	child.set("summary", quoted(text))
	child.set("updatedAt", quoted(timeText(now)))
	section.set(n.Key, child.bytes())
	m.top.set(n.Section, section.bytes())
	return true, nil
}

// replace makes sections what another document says they are, with all of the summaries
// that every memory has. It reports whether that is another than before.
func (m *manifest) replace(sections map[string]json.RawMessage) (changed bool, err error) {
	was := m.bytes()
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		if _, _, err := parseMembers(string(sections[name])); err != nil || !isSection(name) {
			return false, fmt.Errorf("%q: %w: it is no section, or no object", name, ErrSummary)
		}
		m.top.set(name, bytes.Clone(sections[name]))
	}
	m.complete()
	return !bytes.Equal(was, m.bytes()), nil
}

// stamp says how often the memory has changed, and when it last did.
func (m *manifest) stamp(revision int, now time.Time) {
	m.top.set("revision", strconv.AppendInt(nil, int64(revision), 10))
	m.top.set("lastUpdated", quoted(timeText(now)))
}

func (m *manifest) revision() int { return revisionOf(m.top.get("revision")) }

// maxRevision keeps revisions within what every reader of JSON can count.
const maxRevision = 1 << 53

// revisionOf reads the number as DeerMem does, which takes a text of digits, too.
func revisionOf(raw []byte) int {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return 0
	}
	x, isNumber := v.(float64)
	if s, ok := v.(string); ok {
		n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		x, isNumber = float64(n), err == nil
	}
	if !isNumber {
		return 0
	}
	return int(min(max(x, 0), maxRevision))
}

var revisionKey = text.Pattern(`"revision"\s*:\s*"?([0-9]{1,16})\b`)

// manifestRevision is the revision that a memory.json has reached, 0 for none. Of one
// that nobody can read it is what it seems to have been, so that it does not begin anew.
func manifestRevision(raw []byte) int {
	if raw == nil {
		return 0
	}
	if m, err := parseManifest(raw); err == nil {
		return m.revision()
	}
	if found := revisionKey().FindSubmatch(raw); found != nil {
		return revisionOf(found[1])
	}
	return 0
}

func (m *manifest) summaries() *Summaries {
	s := &Summaries{Version: m.top.text("version"), Revision: m.revision(), Sections: map[string]map[string]Summary{}, manifest: m}
	s.Updated = parsedTime(m.top.text("lastUpdated"))
	for _, name := range []string{"user", "history"} {
		s.Sections[name] = map[string]Summary{}
		section, err := m.section(name)
		if err != nil {
			continue
		}
		for _, of := range section {
			child, _, err := parseMembers(string(of.raw))
			if err == nil {
				s.Sections[name][of.name] = Summary{child.text("summary"), parsedTime(child.text("updatedAt"))}
			}
		}
	}
	for _, n := range SummaryNames() {
		if _, there := s.Sections[n.Section][n.Key]; !there {
			s.Sections[n.Section][n.Key] = Summary{}
		}
	}
	return s
}

func parsedTime(s string) time.Time {
	t, _ := page.ParseDate(s)
	return t.UTC()
}
