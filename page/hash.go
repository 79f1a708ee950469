package page

import (
	"crypto/sha256"
	"encoding/json"
	"strings"
	"time"
)

// Hash is the content hash: SHA-256 of all that is shown or ranked. It covers
// what the file says, not where it lies: a moved page keeps its hash. Keys
// are sorted, absent ones left out, so that a new key changes no old hash.
// Provenance, created_by, the names in sources and keys that brain does not know do not count.
func (p *Page) Hash() [32]byte {
	d := p.declared
	if p.found == nil { // made by hand, not by Parse
		d = declared{title: p.Title, typ: p.Type, status: p.Status, source: p.Source, tags: p.Tags, links: len(p.Links)}
	}
	m := map[string]any{}
	put := func(key, val string) {
		if val != "" {
			m[key] = val
		}
	}
	put("title", d.title)
	put("schema_type", d.typ)
	put("status", strings.ToLower(d.status))
	put("source", d.source)
	put("abstract", p.Abstract)
	put("overview", p.Overview)
	put("description", p.Description) // searched as text
	put("slug", p.Slug)
	put("redirect", p.Redirect)
	put("created_at", stamp(p.Created))
	put("updated_at", stamp(p.Updated))
	put("at", stamp(p.At))
	if p.Generated {
		m["generated"] = "brain"
	}
	if len(d.tags) > 0 {
		m["tags"] = d.tags
	}
	if len(p.Aliases) > 0 {
		m["aliases"] = p.Aliases
	}
	if d.plain != nil {
		m["links"] = hashedLinks(d.plain)
	} else if d.links > 0 {
		m["links"] = hashedLinks(p.Links[:d.links])
	}
	if len(p.Facts) > 0 {
		m["facts"] = hashedFacts(p.Facts)
	}
	return p.sum(m)
}

func (p *Page) sum(m map[string]any) (sum [32]byte) {
	h := sha256.New()
	if len(m) > 0 {
		// Only strings, lists and maps of strings are in it: no error.
		front, err := json.Marshal(m)
		if err != nil {
			panic(err)
		}
		h.Write(front)
	}
	h.Write([]byte{'\n'})
	h.Write([]byte(p.Body))
	h.Sum(sum[:0])
	return sum
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func hashedLinks(links []Link) []map[string]string {
	out := make([]map[string]string, len(links))
	for i, l := range links {
		out[i] = map[string]string{"to": l.Target, "fragment": l.Fragment, "label": l.Label, "type": l.Type, "source": l.Origin}
		if l.Reverse {
			out[i]["reverse"] = "true"
		}
	}
	return out
}

func hashedFacts(facts []Fact) []map[string]string {
	out := make([]map[string]string, len(facts))
	for i := range facts {
		out[i] = map[string]string{}
		for _, key := range factKeys {
			if v := *facts[i].slot(key); v != "" {
				out[i][key] = v
			}
		}
	}
	return out
}

// factKeys in the order in which brain writes them.
var factKeys = [...]string{"text", "event_type", "attributed_to", "at", "metric", "value", "unit", "period", "valid_from", "valid_until", "supersedes", "status"}
