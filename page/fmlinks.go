package page

import "strings"

// Links of the front matter: `links:` in its three forms, and any other key
// whose value is a wikilink, as Obsidian's properties are.

// maxTarget bounds what may be the name of a page, in bytes; a link in the
// body is no longer than this either.
const maxTarget = 1000

// declaredLinks reads `links:`: one value, a list of names, or of maps
// {to, type, source}.
func (p *Page) declaredLinks(f field) {
	for _, n := range itemsOf(f.val) {
		if n.kind != mapping {
			p.linkNames(n, "", false)
			continue
		}
		l := Link{Kind: FrontMatter, Line: n.line, Type: "references"}
		for _, g := range n.fields {
			text := strings.TrimSpace(g.val.text)
			switch g.key {
			case "to", "target":
				to := wikiTargets(g.val)
				if len(to) == 0 && text != "" {
					to = []string{text}
				}
				if len(to) > 0 {
					l.Target, l.Fragment, l.Label = splitTarget(to[0])
				}
			case "type", "relation":
				if t, reverse := p.words.relation(text); t != "" {
					l.Type, l.Reverse = t, reverse
				}
			case "source":
				l.Origin = text
			}
		}
		if l.Target == "" || len(l.Target) > maxTarget || hasScheme(l.Target) {
			p.problem(n.line, CodeBadType, "a link without a page it leads to", "write to: page")
			continue
		}
		p.Links = append(p.Links, l)
	}
}

// linkNames adds a link for each name in n: a wikilink, several, or a bare
// name.
func (p *Page) linkNames(n node, typ string, reverse bool) {
	names := wikiTargets(n)
	if len(names) == 0 && n.kind == scalar && n.text != "" {
		names = []string{strings.TrimSpace(n.text)}
	}
	for _, name := range names {
		l := Link{Kind: FrontMatter, Line: n.line, Type: typ, Reverse: reverse}
		l.Target, l.Fragment, l.Label = splitTarget(name)
		if l.Type == "" {
			l.Type = "references"
		}
		if l.Target != "" && len(l.Target) <= maxTarget && !hasScheme(l.Target) && !otherFile(l.Target) {
			p.Links = append(p.Links, l)
		}
	}
}

func splitTarget(s string) (target, fragment, label string) {
	s = strings.TrimSuffix(strings.TrimPrefix(s, "[["), "]]")
	l, _ := splitWikilink(s)
	return l.Target, l.Fragment, l.Label
}

// wikiTargets gives the insides of the wikilinks that a value consists of. An
// unquoted [[X]] is, to YAML, a list in a list.
func wikiTargets(n node) []string {
	switch {
	case n.kind == scalar && isWikilink(n.text):
		var out []string
		rest := strings.TrimSpace(n.text)
		for {
			k := strings.Index(rest, "]]")
			if !strings.HasPrefix(rest, "[[") || k < 0 {
				return out
			}
			out = append(out, rest[2:k])
			rest = strings.TrimLeft(rest[k+2:], " ,;")
			if rest == "" {
				return out
			}
		}
	case n.kind == list && len(n.items) == 1 && n.items[0].kind == list:
		var parts []string
		for _, part := range n.items[0].items {
			if part.kind == scalar {
				parts = append(parts, part.text)
			}
		}
		if len(parts) > 0 {
			return []string{strings.Join(parts, ", ")}
		}
	}
	return nil
}

// property is the edge that a front matter key of gbrain stands for.
type property struct {
	typ     string
	reverse bool
}

var properties = map[string]property{
	"company": {"works_at", false}, "companies": {"works_at", false}, "employer": {"works_at", false},
	"key_people": {"works_at", true}, "employees": {"works_at", true}, "team": {"works_at", true},
	"founded": {"founded", false}, "founder": {"founded", true}, "founders": {"founded", true},
	"investor": {"invested_in", true}, "investors": {"invested_in", true}, "invested_in": {"invested_in", false},
	"advisor": {"advises", true}, "advisors": {"advises", true},
	"attendee": {"attended", true}, "attendees": {"attended", true}, "participants": {"attended", true},
	"owner": {"works_on", true}, "owners": {"works_on", true}, "maintainer": {"works_on", true},
	"author": {"produced_by", false}, "authors": {"produced_by", false},
	"source": {"source", false}, "sources": {"source", false}, "source_paths": {"source", false},
	"related": {"related_to", false}, "see_also": {"related_to", false},
	"up": {"belongs_to", false}, "parent": {"belongs_to", false}, "part_of": {"belongs_to", false},
}

// propertyLinks reads a key that is not one of ours.
func (p *Page) propertyLinks(f field) {
	key := strings.ReplaceAll(strings.ToLower(f.key), "-", "_")
	prop, known := p.words.property(key)
	if !known {
		prop.typ = edgeName(key)
	}
	for _, v := range itemsOf(f.val) {
		// A bare name is a link only where the key is known to hold pages
		// and the name looks like a path.
		pathLike := known && v.kind == scalar && strings.Contains(v.text, "/") && !strings.ContainsAny(v.text, " :")
		if len(wikiTargets(v)) > 0 || pathLike {
			p.linkNames(v, prop.typ, prop.reverse)
		}
	}
}
