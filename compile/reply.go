package compile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"brain/memory"
)

// answer is a reply. Keys that are not among these are passed over, such as
// factsToReinforce: that a fact was said again confirms nothing.
type answer struct {
	Items    []json.RawMessage `json:"items"`
	Facts    []json.RawMessage `json:"newFacts"`
	Removals []json.RawMessage `json:"factsToRemove"`

	// Of these any may be missing, or have another form than was asked for.
	User    json.RawMessage `json:"user"`
	History json.RawMessage `json:"history"`
	Over    json.RawMessage `json:"staleFactsToRemove"`
	Longer  json.RawMessage `json:"staleFactsToExtend"`
	Merges  json.RawMessage `json:"factsToConsolidate"`
}

// optionalKeys are keys of the schema that a reply may lack.
var optionalKeys = []string{"user", "history", "staleFactsToRemove", "staleFactsToExtend", "factsToConsolidate"}

// parseReply reads a reply item by item, so that one of no form costs itself
// alone. The exception is a reply that takes facts away beside new ones that
// have no form: what it takes away might be what those were to replace, so all
// of it is refused.
func parseReply(raw []byte) (*Found, error) {
	var a answer
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRejected, err)
	}
	f := &Found{}
	for _, one := range a.Items {
		var it Item
		if f.read(one, &it, "title") {
			it.masked()
			f.Items = append(f.Items, it)
		}
	}
	if malformed := f.readFacts(a.Facts); malformed > 0 && len(a.Removals) > 0 {
		return nil, fmt.Errorf("%w: it takes facts away beside %d that have no form", ErrRejected, malformed)
	}
	for _, one := range a.Removals {
		var rm Removal
		if f.read(one, &rm, "") {
			rm.ID, rm.Reason = mask(rm.ID), mask(rm.Reason)
			f.Removals = append(f.Removals, rm)
		}
	}
	f.readSummaries("user", a.User)
	f.readSummaries("history", a.History)
	f.readReview(&a)
	return f, nil
}

// readFacts keeps the positions that removals name, and gives how many have no form.
func (f *Found) readFacts(all []json.RawMessage) (malformed int) {
	for _, one := range all {
		var fact Fact
		why, detail := strict(one, &fact)
		if why == "" && strings.TrimSpace(fact.Content) == "" {
			why, detail = Malformed, "no content"
		}
		if why != "" {
			malformed++
			f.drop(labelOf(one, "content"), why, detail)
			fact = Fact{}
		}
		fact.masked()
		f.Facts = append(f.Facts, fact)
	}
	return malformed
}

// readReview reads what is said of facts that are known.
func (f *Found) readReview(a *answer) {
	for _, one := range f.list("staleFactsToRemove", a.Over) {
		var rm memory.StaleRemoval
		if f.read(one, &rm, "id") {
			f.Over = append(f.Over, memory.StaleRemoval{ID: mask(rm.ID), Reason: mask(rm.Reason)})
		}
	}
	for _, one := range f.list("staleFactsToExtend", a.Longer) {
		var ex memory.StaleExtension
		if f.read(one, &ex, "id") {
			f.Longer = append(f.Longer, memory.StaleExtension{ID: mask(ex.ID), Days: ex.Days, Reason: mask(ex.Reason)})
		}
	}
	for _, one := range f.list("factsToConsolidate", a.Merges) {
		var m Merge
		if f.read(one, &m, "") {
			m.Fact.masked()
			f.Merges = append(f.Merges, m)
		}
	}
}

// list reads the values of a key that may be missing.
func (f *Found) list(key string, raw json.RawMessage) (all []json.RawMessage) {
	if len(raw) > 0 && json.Unmarshal(raw, &all) != nil {
		f.drop(key, Malformed, "it is no list")
	}
	return all
}

// read reads a finding, or notes that it has no form. label is the key of its text.
func (f *Found) read(raw json.RawMessage, v any, label string) bool {
	why, detail := strict(raw, v)
	if why != "" {
		f.drop(labelOf(raw, label), why, detail)
	}
	return why == ""
}

// strict reads one object that has no key besides those of v.
func strict(raw []byte, v any) (Reason, string) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil && bytes.HasPrefix(bytes.TrimSpace(raw), []byte("null")) {
		err = errors.New("null")
	}
	if err == nil {
		_, err = d.Token()
		if errors.Is(err, io.EOF) {
			return "", ""
		}
	}
	detail := strings.TrimPrefix(err.Error(), "json: ")
	for _, key := range []string{"path", "file", "filename", "folder", "slug", "links", "link", "front_matter", "frontmatter"} {
		if strings.Contains(detail, `unknown field "`+key+`"`) {
			return NamesPath, "it has a key " + key
		}
	}
	return Malformed, detail
}

// labelOf is what a malformed finding may be called.
func labelOf(raw []byte, key string) string {
	var m map[string]any
	if json.Unmarshal(raw, &m) == nil {
		if s, ok := m[key].(string); ok && s != "" {
			return s
		}
	}
	return string(raw)
}
