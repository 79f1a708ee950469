package migrate

import (
	"context"
	"path"
	"slices"
	"strings"

	"brain/page"
)

// A page of gbrain is Markdown with front matter, and most of it is read here as it
// stands: type, tags, aliases, slug, wikilinks, the dated lines of its timeline.
//
//	---
//	type: person
//	company: Acme Example          a page by its bare name
//	---
//	Ann builds pumps.
//
//	## Facts
//	<!--- gbrain:facts:begin -->   a table, see fence.go
//	…
//	<!-- timeline -->
//	- **2026-01-31** | minutes — Ann joined.
//
// Two things become front matter: the rows of its fences are facts:, so that one that
// was superseded is found no more, and a bare name that is a page of the source is one
// of links:, typed by its key. All else keeps its bytes.

// gbrainKeys are its keys that name pages, with a relation that says the same here. Where
// the page that is named is the one that acts, its key alone tells that.
var gbrainKeys = map[string]string{
	"company": "works_at", "companies": "works_at", "founded": "founded",
	"key_people": "key_people", "investors": "investors", "lead": "investors", "attendees": "attendees",
	"partner": "partner", "partners": "partner",
	"sources": "source", "source": "source", "related": "related_to", "see_also": "related_to",
}

func readGBrain(ctx context.Context, src *Source, o Options, take func(Item) error) error {
	if err := src.isFolder("a brain of gbrain"); err != nil {
		return err
	}
	names, err := pageNames(ctx, src)
	if err != nil {
		return err
	}
	return src.notes(ctx, take, func(p page.Path, raw []byte) error {
		raw, left := gbrainPage(p, raw, names)
		for _, d := range left {
			if err := take(d); err != nil {
				return err
			}
		}
		return take(owned(o, &Page{Path: p, Raw: raw, Where: string(p)}))
	})
}

// pageNames maps the names of the source's pages, as gbrain makes slugs of them, to
// their paths without .md; a name that several bear to "".
func pageNames(ctx context.Context, src *Source) (map[string]string, error) {
	names := map[string]string{}
	ignore := func(Item) error { return nil }
	err := src.walk(ctx, ignore, func(e entry) (bool, error) {
		if !e.IsDir() && strings.EqualFold(path.Ext(e.name), ".md") {
			whole := strings.TrimSuffix(e.name, path.Ext(e.name))
			key := page.Slug(path.Base(whole))
			if _, twice := names[key]; twice {
				whole = ""
			}
			names[key] = whole
		}
		return true, nil
	})
	return names, err
}

// gbrainPage is the page as it is kept, and what of it is not.
func gbrainPage(p page.Path, raw []byte, names map[string]string) ([]byte, []Item) {
	was := page.Parse(p, raw)
	f := readFences(p, was) // before links move its lines
	raw, left := linkNames(was, names)
	left = append(left, f.left...)
	if len(f.facts) == 0 && f.body == was.Body {
		return raw, left
	}
	out, err := page.Splice(p, raw, f.changes()...)
	if err != nil { // its rows stay where they are, so nothing of them is lost
		return raw, append(left, drop(AsText, "the facts of "+string(p), string(p), err.Error()))
	}
	return out, left
}

// linkNames makes links of the bare names that the keys of gbrain have.
func linkNames(p *page.Page, names map[string]string) (raw []byte, left []Item) {
	raw = p.Raw
	links := slices.Clone(p.Links)
	for _, key := range p.Keys {
		relation, known := gbrainKeys[underscored(key)]
		if !known {
			continue
		}
		for _, name := range page.Values(p.Path, p.Raw, key) {
			l := page.Link{Target: names[page.Slug(name)], Type: relation, Kind: page.FrontMatter}
			if l.Target == "" || strings.Contains(name, "[[") || slices.ContainsFunc(links, leadsTo(name, l.Target)) {
				continue
			}
			out, err := page.Splice(p.Path, raw, page.AddLink(l))
			if err != nil {
				left = append(left, drop(AsText, key+": "+name, string(p.Path), cause(err)))
				continue
			}
			raw, links = out, append(links, l)
		}
	}
	return raw, left
}

func leadsTo(names ...string) func(page.Link) bool {
	return func(l page.Link) bool { return l.Kind == page.FrontMatter && slices.Contains(names, l.Target) }
}

func underscored(key string) string { return strings.ReplaceAll(strings.ToLower(key), "-", "_") }
