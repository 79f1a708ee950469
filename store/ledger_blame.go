package store

import (
	"context"
	"strings"

	"brain/page"
)

// Piece is a fact or a line of text of a page, and the version that brought it:
// the oldest of those that have held it without a break until now.
type Piece struct {
	Fact    int // which of the page's facts, from 1; 0 is text
	Line    int
	Text    string
	Version *Version
}

// Blame tells for each fact of a page, and then for each line of its text that is
// not empty, which version brought it. A line that stands several times is
// followed by its count.
func (st *Store) Blame(ctx context.Context, p page.Path) (History, []Piece, error) {
	h, err := st.History(ctx, p)
	if err != nil || h.Versions[0].Removed || h.Versions[0].Lost {
		return h, nil, err
	}
	past := make([]held, len(h.Versions))
	for i, v := range h.Versions {
		past[i] = hold(v)
	}
	now := past[0]
	count := map[string]int{}
	for i := range now.pieces {
		piece := &now.pieces[i]
		key := piece.key()
		count[key]++
		at := 0
		for n := 1; n < len(past); n++ {
			if h.Versions[n].Lost {
				continue // it cannot be told; what is older decides
			}
			if past[n].count[key] < count[key] {
				break
			}
			at = n
		}
		piece.Version = &h.Versions[at]
	}
	return h, now.pieces, nil
}

// held is what one version holds.
type held struct {
	pieces []Piece
	count  map[string]int
}

func (p *Piece) key() string {
	if p.Fact > 0 {
		return "fact " + p.Text
	}
	return "text " + p.Text
}

func hold(v Version) held {
	h := held{count: map[string]int{}}
	if v.Removed || v.Lost {
		return h
	}
	parsed := page.Parse(v.Path, v.raw)
	for i, f := range parsed.Facts {
		h.pieces = append(h.pieces, Piece{Fact: i + 1, Line: f.Line, Text: f.Text})
	}
	line := parsed.BodyLine - 1
	for text := range strings.Lines(parsed.Body) {
		line++
		if text = strings.TrimSpace(text); text != "" {
			h.pieces = append(h.pieces, Piece{Line: line, Text: text})
		}
	}
	for i := range h.pieces {
		h.count[h.pieces[i].key()]++
	}
	return h
}
