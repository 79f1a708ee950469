package compile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// parseReply reads a reply item by item, so that one of no form costs itself
// alone. The exception is a reply that takes facts away beside new ones that
// have no form: what it takes away might be what those were to replace, so all
// of it is refused.
func parseReply(raw []byte) (*Found, error) {
	var reply struct {
		Items    []json.RawMessage `json:"items"`
		Facts    []json.RawMessage `json:"newFacts"`
		Removals []json.RawMessage `json:"factsToRemove"`
	}
	if err := json.Unmarshal(raw, &reply); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRejected, err)
	}
	f := &Found{}
	for _, one := range reply.Items {
		var it Item
		if why, detail := strict(one, &it); why != "" {
			f.drop(labelOf(one, "title"), why, detail)
			continue
		}
		it.masked()
		f.Items = append(f.Items, it)
	}
	malformed := 0
	for _, one := range reply.Facts {
		var fact Fact
		why, detail := strict(one, &fact)
		if why == "" && strings.TrimSpace(fact.Content) == "" {
			why, detail = Malformed, "no content"
		}
		if why != "" {
			malformed++
			f.drop(labelOf(one, "content"), why, detail)
			fact = Fact{} // keeps the positions that removals name
		}
		fact.masked()
		f.Facts = append(f.Facts, fact)
	}
	if malformed > 0 && len(reply.Removals) > 0 {
		return nil, fmt.Errorf("%w: it takes facts away beside %d that have no form", ErrRejected, malformed)
	}
	for _, one := range reply.Removals {
		var rm Removal
		if why, detail := strict(one, &rm); why != "" {
			f.drop(string(one), why, detail)
			continue
		}
		rm.ID, rm.Reason = mask(rm.ID), mask(rm.Reason)
		f.Removals = append(f.Removals, rm)
	}
	return f, nil
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
