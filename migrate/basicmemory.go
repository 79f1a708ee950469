package migrate

import (
	"context"
	"strings"

	"brain/page"
	"brain/text"
)

// A note of Basic Memory is Markdown that is read here as it stands: its title, type
// and tags, observations as list items with their #tags, relations as list items with
// a link.
//
//	---
//	title: Pump design
//	type: note
//	permalink: specs/pump-design
//	---
//	- [decision] Two pumps run side by side #safety (after the outage)
//	- part_of [[Waterworks]]
//	- "is fed by" [[River intake]] (since May)
//
// Two things are added to the front matter where they are needed, and all else keeps
// its bytes: the permalink becomes an alias, since links may name it, and a relation in
// quotes, which is none here, one of links:.

func readBasicMemory(ctx context.Context, src *Source, o Options, take func(Item) error) error {
	if err := src.isFolder("a project of Basic Memory"); err != nil {
		return err
	}
	return src.notes(ctx, take, func(p page.Path, raw []byte) error {
		raw, left := basicNote(p, raw)
		for _, d := range left {
			if err := take(d); err != nil {
				return err
			}
		}
		return take(owned(o, &Page{Path: p, Raw: raw, Where: string(p)}))
	})
}

// basicNote is the note as it is kept, and what of it is not.
func basicNote(p page.Path, raw []byte) (out []byte, left []Item) {
	note := page.Parse(p, raw)
	var changes []told
	if c, ok := permalink(note); ok {
		changes = append(changes, c)
	}
	for _, c := range append(changes, quotedRelations(note)...) {
		next, err := page.Splice(p, raw, c.Change)
		why := "more words than the name of a relation has"
		if err != nil {
			why = cause(err)
		}
		if err != nil || c.relation && !named(page.Parse(p, next)) {
			left = append(left, drop(AsText, c.what, at(string(p), c.line), why))
			continue
		}
		raw = next
	}
	return raw, left
}

// told is a change with what it is about.
type told struct {
	page.Change
	relation bool
	what     string
	line     int
}

// named reports whether the relation that was added last is one.
func named(note *page.Page) bool {
	for i := len(note.Links) - 1; i >= 0; i-- {
		if l := note.Links[i]; l.Kind == page.FrontMatter {
			return l.Type != "references"
		}
	}
	return false
}

// permalink makes an alias of a permalink that no name of the note says already.
func permalink(note *page.Page) (told, bool) {
	for _, key := range note.Keys {
		if !strings.EqualFold(key, "permalink") {
			continue
		}
		for _, link := range page.Values(note.Path, note.Raw, key) {
			for _, n := range note.Names() {
				if text.Fold(n.Text) == text.Fold(link) {
					return told{}, false
				}
			}
			return told{Change: page.AddTo("aliases", link), what: "permalink: " + link}, true
		}
	}
	return told{}, false
}

// quotedRelations finds `- "some words" [[Page]]`.
func quotedRelations(note *page.Page) (out []told) {
	lines := strings.Split(note.Body, "\n")
	for _, l := range note.Links {
		if i := l.Line - note.BodyLine; l.Kind == page.Wiki && i >= 0 && i < len(lines) {
			if label := quotedLabel(lines[i]); label != "" {
				link := page.Link{Target: l.Target, Fragment: l.Fragment, Type: label, Kind: page.FrontMatter}
				out = append(out, told{page.AddLink(link), true, label + " [[" + l.Target + "]]", l.Line})
			}
		}
	}
	return out
}

// quotedLabel is what stands in quotes between the mark of a list item and its only
// link.
func quotedLabel(line string) string {
	line = strings.TrimSpace(line)
	if len(line) < 2 || !strings.ContainsRune("-*+", rune(line[0])) || line[1] != ' ' || strings.Count(line, "[[") != 1 {
		return ""
	}
	label, _, _ := strings.Cut(line[2:], "[[")
	label = strings.TrimSpace(label)
	if len(label) < 3 || label[0] != '"' && label[0] != '\'' || label[len(label)-1] != label[0] {
		return ""
	}
	return strings.TrimSpace(label[1 : len(label)-1])
}
