package llm

// A model that was asked for a JSON object gives one, and often more: it thinks aloud
// before, wraps the object in a fence or in prose, shows an example first. Answer finds
// the object that was meant, in three rules:
//
//  1. What stands in a block of thoughts counts for nothing, even if it would fit: a
//     draft is no answer. So does all that stands before the end of such a block whose
//     beginning was not sent, as some servers have it.
//  2. Of the rest, the first object counts that has the required keys of the schema
//     with values of their types. Objects inside of others are part of those.
//  3. Where a block of thoughts begins and never ends, nobody can tell where the
//     answer would begin, so the last object that fits counts.
//
// Nothing is repaired. JSON that breaks off or breaks the grammar is prose: a guess at
// what it meant would become memory.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Answer returns the JSON object in a model's reply that has the form of schema, as it
// stands there. The error is of class Misshapen and does not quote the reply.
//
// Of the schema only "required" and the "type" of top-level "properties" are looked at:
// whether an item deep inside is usable is for the caller to judge item by item, since
// one bad item must not cost the good ones. Time and memory grow with the length of
// the reply and no faster, whatever it holds.
func Answer(reply string, schema json.RawMessage, optional ...string) (json.RawMessage, error) {
	f, err := newForm(schema, optional)
	if err != nil {
		return nil, &Error{Class: BadOption, Cause: fmt.Errorf("the schema of the answer: %w", err)}
	}
	object, err := f.find(reply)
	if err != nil {
		return nil, &Error{Class: Misshapen, Cause: err}
	}
	return json.RawMessage(object), nil
}

// form is what an answer must have.
type form struct {
	required []string
	types    map[string][]string // of a top-level key; none: any
}

func newForm(schema json.RawMessage, optional []string) (form, error) {
	f := form{types: map[string][]string{}}
	if len(schema) == 0 {
		return f, nil
	}
	var s struct {
		Required   []string
		Properties map[string]struct{ Type json.RawMessage }
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return f, err
	}
	isOptional := func(key string) bool { return slices.Contains(optional, key) }
	f.required = slices.DeleteFunc(s.Required, isOptional)
	for key, property := range s.Properties {
		if isOptional(key) {
			continue
		}
		var one string
		var several []string
		if json.Unmarshal(property.Type, &one) == nil {
			several = []string{one}
		} else if len(property.Type) > 0 {
			if err := json.Unmarshal(property.Type, &several); err != nil {
				return f, fmt.Errorf("the type of %q: %w", key, err)
			}
		}
		f.types[key] = several
	}
	return f, nil
}

// misfit says what an object lacks of the form.
func (f form) misfit(object string) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &fields); err != nil {
		return err
	}
	for _, key := range f.required {
		if _, ok := fields[key]; !ok {
			return fmt.Errorf("the first object has no %q", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(f.types)) {
		types := f.types[key]
		value, ok := fields[key]
		if !ok || len(types) == 0 || slices.ContainsFunc(types, func(t string) bool { return hasType(value, t) }) {
			continue
		}
		return fmt.Errorf("in the first object %q is not of type %s", key, strings.Join(types, " or "))
	}
	return nil
}

func hasType(value json.RawMessage, name string) bool {
	switch first := bytes.TrimSpace(value)[0]; name {
	case "object":
		return first == '{'
	case "array":
		return first == '['
	case "string":
		return first == '"'
	case "boolean":
		return first == 't' || first == 'f'
	case "null":
		return first == 'n'
	case "number":
		return first == '-' || first >= '0' && first <= '9'
	case "integer":
		return hasType(value, "number") && !strings.ContainsAny(string(value), ".eE")
	}
	return true
}

// thoughts finds the marks around thinking that models and servers use. Of a pair, the
// first group is the name in a beginning and the second the name in an end. In the
// channels of Harmony thoughts go to "analysis" or "commentary" and end where the
// channel "final" begins; servers that drop the marks leave "assistantfinal".
var thoughts = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)` +
		`<(think|thinking|thought|thoughts|reasoning|reflection|analysis)(?:\s[^<>]{0,80})?>|` +
		`</(think|thinking|thought|thoughts|reasoning|reflection|analysis)\s*>|` +
		`\[(think)\]|\[/(think)\]|◁(think)▷|◁/(think)▷|<\|begin_of_(thought)\|>|<\|end_of_(thought)\|>|` +
		`<\|channel\|>\s*(analysis|commentary)|(<\|channel\|>\s*final|assistantfinal)`)
})

// mark is one of them.
type mark struct {
	start, end int
	name       string // begin and end of a block have the same
	begins     bool
}

const finalChannel = "final"

func marks(reply string) []mark {
	var all []mark
	for _, at := range thoughts().FindAllStringSubmatchIndex(reply, -1) {
		m := mark{start: at[0], end: at[1]}
		for group := 1; 2*group < len(at); group++ {
			if at[2*group] < 0 {
				continue
			}
			m.begins = group%2 == 1
			if m.name = strings.ToLower(reply[at[2*group]:at[2*group+1]]); group > 8 {
				m.name = finalChannel
			}
		}
		all = append(all, m)
	}
	return all
}

// search is one look through a reply.
type search struct {
	form
	reply   string
	at      int
	brace   int // the first from at on, or the end; -1 before it was looked for
	marks   []mark
	later   map[string]int // how many ends of a name stand in marks
	found   string
	why     error // why the first object that does not fit does not
	scanned int   // bytes gone over in search of the ends of objects
}

func newSearch(f form, reply string) *search {
	s := &search{form: f, reply: reply, brace: -1, marks: marks(reply), later: map[string]int{}}
	for _, m := range s.marks {
		if !m.begins {
			s.later[m.name]++
		}
	}
	return s
}

func (f form) find(reply string) (string, error) {
	s := newSearch(f, reply)
	s.run()
	switch {
	case s.found != "":
		return s.found, nil
	case s.why != nil:
		return "", s.why
	case strings.TrimSpace(reply) == "":
		return "", errors.New("it is empty")
	}
	return "", fmt.Errorf("no whole JSON object in %d bytes", len(reply))
}

// run goes through the reply from mark to mark and from object to object.
func (s *search) run() {
	endless := false
	for {
		m, marked := s.mark()
		switch brace := s.nextBrace(); {
		case brace == len(s.reply) && !marked:
			return
		case !marked || brace < m.start:
			s.at = brace
			s.object(endless)
		case !m.begins: // of a block whose beginning is missing, or was taken for endless
			s.found, s.why, endless = "", nil, false
			s.at = m.end
		case s.later[m.name] > 0:
			s.skip(m)
		default:
			endless = endless || s.found == ""
			s.at = m.end
		}
	}
}

// nextBrace is looked for once, however many marks stand before it.
func (s *search) nextBrace() int {
	if s.brace < s.at {
		s.brace = len(s.reply)
		if i := strings.IndexByte(s.reply[s.at:], '{'); i >= 0 {
			s.brace = s.at + i
		}
	}
	return s.brace
}

// mark is the next one from here on; those before are done with.
func (s *search) mark() (mark, bool) {
	for len(s.marks) > 0 && s.marks[0].start < s.at {
		s.drop()
	}
	if len(s.marks) == 0 {
		return mark{}, false
	}
	return s.marks[0], true
}

func (s *search) drop() {
	if m := s.marks[0]; !m.begins {
		s.later[m.name]--
	}
	s.marks = s.marks[1:]
}

// skip goes behind the end of a block of thoughts.
func (s *search) skip(begin mark) {
	for s.marks[0].begins || s.marks[0].name != begin.name {
		s.drop()
	}
	s.at = s.marks[0].end
	s.drop()
}

// object looks at what stands at a brace: a whole object is gone over as one.
func (s *search) object(last bool) {
	end, ok := scanObject(s.reply, s.at)
	s.scanned += end - s.at
	if !ok {
		s.at++
		return
	}
	object := s.reply[s.at:end]
	s.at = end
	if s.found != "" && !last {
		return
	}
	if err := s.misfit(object); err == nil {
		s.found = object
	} else if s.why == nil {
		s.why = err
	}
}
