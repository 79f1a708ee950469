package index

import (
	"encoding/binary"
	"time"

	"brain/llm"
	"brain/page"
	"brain/text"
)

// pageMeta is the part of a page that answers show and filters ask for,
// besides what has a fixed place in its row.
type pageMeta struct {
	title, typ, status, source, agent, slug, redirect string
	tags, aliases                                     []string
	rest                                              []byte // of a session its turns, of a page its words: turns.go, kin.go
}

func appendMeta(b []byte, m pageMeta) []byte {
	for _, s := range []string{m.title, m.typ, m.status, m.source, m.agent, m.slug, m.redirect} {
		b = appendString(b, s)
	}
	for _, list := range [][]string{m.tags, m.aliases} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, s := range list {
			b = appendString(b, s)
		}
	}
	return append(b, m.rest...)
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// decodeMeta reads what appendMeta wrote; a damaged row gives empty strings.
func decodeMeta(b []byte) (m pageMeta) {
	next := func() string {
		var field []byte
		field, b = cutField(b)
		return string(field)
	}
	list := func() []string {
		n, w := binary.Uvarint(b)
		if w <= 0 || n > uint64(len(b)) {
			b = nil
			return nil
		}
		b = b[w:]
		out := make([]string, 0, n)
		for range n {
			out = append(out, next())
		}
		return out
	}
	for _, p := range []*string{&m.title, &m.typ, &m.status, &m.source, &m.agent, &m.slug, &m.redirect} {
		*p = next()
	}
	m.tags, m.aliases = list(), list()
	m.rest = b
	return m
}

// Numbers of the strings in a row's meta that are asked for alone.
const (
	metaAgent   = 4
	metaStrings = 7 // before the lists
)

// metaField gives one string of what appendMeta wrote, in place.
func metaField(b []byte, number int) []byte {
	for range number {
		_, b = cutField(b)
	}
	field, _ := cutField(b)
	return field
}

// metaRest gives what stands behind the strings.
func metaRest(b []byte) []byte {
	for range metaStrings {
		_, b = cutField(b)
	}
	for range 2 {
		n, w := binary.Uvarint(b)
		if w <= 0 || n > uint64(len(b)) {
			return nil
		}
		b = b[w:]
		for ; n > 0 && len(b) > 0; n-- {
			_, b = cutField(b)
		}
	}
	return b
}

// cutField takes a string off the front of b; both are nil when it is damaged.
func cutField(b []byte) (field, rest []byte) {
	n, w := binary.Uvarint(b)
	if w <= 0 || n > uint64(len(b)-w) {
		return nil, nil
	}
	return b[w : w+int(n)], b[w+int(n):]
}

// newRecord derives a page's row; chunks and words are filled by the sync.
// words is for what the page says in other words, nil: not kept.
func newRecord(f page.File, p *page.Page, words *llm.Lexicon) *record {
	r := &record{file: f, hash: p.Hash(), tier: uint8(p.Tier())}
	if p.Ranked() && !page.Retired(p.Status) {
		r.flags |= flagRanked
	}
	if p.Redirect != "" {
		r.flags |= flagRedirect
		r.redirect = nameHash(text.Fold(p.Redirect))
	}
	if p.Generated {
		r.flags |= flagGenerated
	}
	r.created, r.updated, r.at = unixTime(p.Created), unixTime(p.Updated), unixTime(p.At)
	m := pageMeta{
		title: p.Title, typ: p.Type, status: p.Status, source: p.Source, agent: p.Agent,
		slug: p.Slug, redirect: p.Redirect, tags: p.Tags, aliases: p.Aliases,
	}
	switch {
	case p.Path.IsSession():
		r.flags |= flagSession
		r.turns = uint32(len(p.Turns))
		m.rest = appendTurns(nil, p)
	case words != nil && r.flags&flagRanked != 0:
		m.rest = appendWords(nil, words, p)
	}
	r.meta = appendMeta(nil, m)
	seen := map[nameRef]bool{}
	for _, n := range p.Names() {
		ref := nameRef{nameHash(text.Fold(n.Text)), n.Kind}
		if n.Text != "" && !seen[ref] {
			seen[ref] = true
			r.names = append(r.names, ref)
		}
	}
	if p.Generated { // it tells of pages, and is no reason to go from one to the other
		return r
	}
	for _, l := range p.Links {
		e := edgeRef{typ: l.Type, line: uint32(l.Line), kind: l.Kind, reverse: l.Reverse, target: l.Target}
		if len(e.typ) > 255 {
			e.typ = e.typ[:255]
		}
		for i, c := range l.Candidates(p.Path) {
			if i == len(e.cand) {
				break
			}
			e.cand[i] = nameHash(text.Fold(c))
		}
		r.edges = append(r.edges, e)
	}
	return r
}

func unixTime(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
