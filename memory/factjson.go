package memory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"brain/page"
)

// A fact in JSON, as DeerMem shows it to other programs and takes it from them, and
// as it kept them before each had a file:
//
//	{"id": "fact_abc12345", "content": "Likes tabs over spaces", "category": "preference",
//	 "confidence": 0.9, "source": "thread-1", "createdAt": "2026-11-29T17:56:24.877586Z", …}
//
// The keys are those of the file, but for two: the source is one word, the thread's id
// or what else it was, and a category of its own stands in `category`. Scope is not
// said: it is the caller's. A key that is not known is kept in both directions.

// member is one key of an object that is written in order.
type member struct {
	name  string
	value any
}

type object []member

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, m := range o {
		b.WriteByte("{,"[min(i, 1)])
		for _, v := range []any{m.name, m.value} {
			raw, err := plainJSON(v)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.name, err)
			}
			b.Write(raw)
			b.WriteByte(':')
		}
		b.Truncate(b.Len() - 1)
	}
	if len(o) == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// plainJSON writes < and > as they are: a document is for people, too.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// MarshalJSON gives the keys in the order above.
func (f Fact) MarshalJSON() ([]byte, error) { return factObject(&f).MarshalJSON() }

// factObject is a fact in JSON.
func factObject(f *Fact) object {
	o := object{{"id", f.ID}, {"content", f.Content}, {"category", f.Category}, {"confidence", f.Confidence}, {"source", f.Source.word()}}
	if f.Title != title("", f.Content) {
		o = append(o, member{"title", f.Title})
	}
	put := func(name string, value any, there bool) {
		if there {
			o = append(o, member{name, value})
		}
	}
	put("sourceError", f.SourceError, f.SourceError != "")
	put("expected_valid_days", f.ValidDays, f.ValidDays > 0)
	put("status", f.Status, true)
	put("topics", list(f.Topics), true)
	put("consolidatedFrom", list(f.Merged), true)
	put("createdAt", timeText(f.Created), true)
	put("updatedAt", timeText(f.Updated), true)
	put("revision", f.Revision, true)
	put("consolidatedAt", timeText(f.MergedAt), !f.MergedAt.IsZero())
	put("lastConfirmedAt", timeText(f.Confirmed), !f.Confirmed.IsZero())
	put("confirmationCount", f.Confirmations, f.Confirmations > 0)
	put("provenance", f.provenanceObject(), f.provenanceLines() != "")
	for _, k := range f.extras() {
		put(k.name, k.value, true)
	}
	return o
}

func list(all []string) []string {
	if all == nil {
		return []string{}
	}
	return all
}

// word is the source as older programs know it: the thread of a conversation, else
// what it was.
func (s Source) word() string {
	if s.Type == "conversation" && s.Thread != "" {
		return s.Thread
	}
	return orElse(s.Type, orElse(s.Thread, "unknown"))
}

// sourceOf reads that word, or the mapping of the file.
func sourceOf(word string) Source {
	switch word = strings.TrimSpace(word); word {
	case "", "unknown":
		return Source{Type: "unknown"}
	case "manual", "consolidation", "import":
		return Source{Type: word}
	}
	return Source{Type: "conversation", Thread: word}
}

func (f *Fact) provenanceObject() object {
	var o object
	if f.Provenance.Session != "" {
		o = append(o, member{"session_id", f.Provenance.Session})
	}
	if len(f.Provenance.Turns) > 0 {
		o = append(o, member{"turns", f.Provenance.Turns})
	}
	if f.Provenance.Ref != "" {
		o = append(o, member{"history_ref", f.Provenance.Ref})
	}
	return o
}

// extras are the keys of a file that brain does not know, as JSON has them.
func (f *Fact) extras() (all []member) {
	for _, k := range f.unknown() {
		if value, ok := k.value(); ok {
			all = append(all, member{k.name, value})
		}
	}
	return all
}

// unknown are the keys of a file that brain does not know.
func (f *Fact) unknown() (all []key) {
	if len(f.read) == 0 {
		return nil
	}
	known := f.keys()
	for _, k := range f.read {
		if !slices.ContainsFunc(known, named(k.name)) {
			all = append(all, k)
		}
	}
	return all
}

// sameExtras reports whether the keys that brain does not know say the same.
func (f *Fact) sameExtras(o *Fact) bool {
	if slices.Equal(f.unknown(), o.unknown()) {
		return true
	}
	a, errA := plainJSON(object(f.extras()))
	b, errB := plainJSON(object(o.extras()))
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// factFrom reads a fact from JSON, for an agent of a user. What older programs left out
// or wrote oddly gets its default; the error is for what is no fact: no object, nothing
// said, an id that makes no name of a file, a revision below 1, another status than active.
// A fact without an id has none then. now is the time of one that has no time.
func factFrom(raw json.RawMessage, agent, user string, now time.Time) (Fact, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil || keys == nil {
		return Fact{}, notFact("it is no object")
	}
	r := jsonReader{keys: keys}
	f := Fact{
		ID: strings.TrimSpace(r.text("id")), Agent: agent, User: user, Title: r.text("title"), Content: statement(r.text("content")),
		Category: strings.TrimSpace(r.text("category")), Confidence: r.confidence(), Source: r.source(), Status: r.text("status"),
		SourceError: r.text("sourceError"), ValidDays: r.count("expected_valid_days"), Topics: r.texts("topics"), Merged: r.texts("consolidatedFrom"),
		Created: r.time("createdAt"), Updated: r.time("updatedAt"), MergedAt: r.time("consolidatedAt"),
		Confirmed: r.time("lastConfirmedAt"), Confirmations: r.count("confirmationCount"), Provenance: r.provenance(),
	}
	if other := strings.TrimSpace(r.text("categoryExtension")); other != "" && (f.Category == "other" || f.Category == "") {
		f.Category = other
	}
	if f.Created.IsZero() && f.Updated.IsZero() {
		f.Created = now
	}
	revision, err := r.revision("revision", 1)
	if err != nil {
		return Fact{}, err
	}
	f.Revision = max(revision, 1)
	if f.Content == "" {
		return Fact{}, notFact("it says nothing")
	}
	if f.Status != "" && f.Status != active {
		return Fact{}, notFact("its status is %q, and a fact is active or it is not there", f.Status)
	}
	f.read = r.extras()
	return f, f.readable()
}

// readable holds a fact that came from outside to what its file will give back. An id
// may be missing still.
func (f Fact) readable() error {
	f.ID = orElse(f.ID, "fact_0")
	p, err := FactPath(f.Agent, f.ID)
	if err != nil {
		return err
	}
	raw, err := FormatFact(f)
	if err == nil {
		_, _, err = ParseFact(p, raw)
	}
	return err
}

// jsonReader reads the keys of one fact.
type jsonReader struct {
	keys map[string]json.RawMessage
}

func (r jsonReader) value(name string) (v any) {
	dec := json.NewDecoder(bytes.NewReader(r.keys[name]))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return nil
	}
	return v
}

func (r jsonReader) text(name string) string {
	s, _ := r.value(name).(string)
	return s
}

func (r jsonReader) texts(name string) (all []string) {
	values, _ := r.value(name).([]any)
	for _, v := range values {
		if s, ok := v.(string); ok && s != "" {
			all = append(all, s)
		}
	}
	return all
}

func (r jsonReader) time(name string) time.Time {
	t, _ := page.ParseDate(r.text(name))
	return t.UTC()
}

// confidence holds to the one rule: what is absent or no finite number is the default,
// what is beyond the bounds is the bound. An integer of 400 digits is not finite.
func (r jsonReader) confidence() float64 {
	var text string
	switch v := r.value("confidence").(type) {
	case json.Number:
		text = v.String()
	case string:
		text = strings.TrimSpace(v)
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return DefaultConfidence
	}
	return min(max(x, 0), 1)
}

// count is a number from 1; anything else is none.
func (r jsonReader) count(name string) int {
	v, _ := r.value(name).(json.Number)
	x, err := v.Float64()
	if err != nil || !(x >= 1 && x <= math.MaxInt32) {
		return 0
	}
	return int(x)
}

// revision is a whole number from least; 0 without one.
func (r jsonReader) revision(name string, least int64) (int, error) {
	v := r.value(name)
	if v == nil {
		return 0, nil
	}
	n, ok := v.(json.Number)
	i, err := n.Int64()
	if !ok || err != nil || i < least || i > math.MaxInt32 {
		return 0, notFact("its %s is %.40s, want a whole number from %d", name, r.keys[name], least)
	}
	return int(i), nil
}

func (r jsonReader) source() Source {
	if s := r.text("source"); s != "" {
		return sourceOf(s)
	}
	var s struct{ Type, ThreadID any }
	if json.Unmarshal(r.keys["source"], &s) != nil {
		return Source{Type: "unknown"}
	}
	kind, _ := s.Type.(string)
	thread, _ := s.ThreadID.(string)
	return Source{Type: orElse(kind, "unknown"), Thread: thread}
}

func (r jsonReader) provenance() (p page.Provenance) {
	var from struct {
		Session string `json:"session_id"`
		Turns   []int  `json:"turns"`
		Ref     string `json:"history_ref"`
	}
	if json.Unmarshal(r.keys["provenance"], &from) == nil {
		p = page.Provenance{Session: from.Session, Turns: from.Turns, Ref: from.Ref}
	}
	return p
}

// extras are the keys of a file for what is in none that is known, behind those that
// are. nil without any.
func (r jsonReader) extras() (all []key) {
	known := (&Fact{}).keys()
	for _, name := range slices.Sorted(maps.Keys(r.keys)) {
		switch {
		case slices.ContainsFunc(known, named(name)), name == "", slices.Contains([]string{"content", "title", "scope", "durability", "authority"}, name):
			continue
		}
		all = append(all, key{name: name, lines: scalar(name, 0, 2) + ": " + r.yaml(name) + "\n"})
	}
	if all == nil {
		return nil
	}
	for i := range known {
		known[i] = key{name: known[i].name} // written anew, in their order
	}
	return append(known[:len(known)-2], all...)
}

// yaml is a value as YAML on one line: JSON is YAML but for how texts are best written.
func (r jsonReader) yaml(name string) string {
	v := r.value(name)
	if s, ok := v.(string); ok {
		return scalar(s, len(name)+2, 2)
	}
	raw, err := plainJSON(v)
	if err != nil {
		return "null"
	}
	return string(raw)
}
