package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode"

	"brain/page"
)

// Purges is what forgotten.jsonl says was purged. It knows hashes alone.
type Purges struct {
	paths map[Hash]bool
	words map[Hash]bool // of pages
	said  map[Hash]bool // in sessions
}

// Forgotten reads what was purged. Lines that are none of a tombstone, such as one
// that a crash cut in half, are passed over: those before and after still count.
func (st *Store) Forgotten(ctx context.Context) (*Purges, error) {
	if err := errContext(ctx, "read "+string(Forgotten)); err != nil {
		return nil, err
	}
	root, err := st.current()
	if err != nil {
		return nil, err
	}
	raw, err := readRegular(root, string(Forgotten))
	if err = notFound(err); err != nil && !errors.Is(err, ErrNotFound) {
		return nil, fmt.Errorf("read %s: %w", Forgotten, err)
	}
	f := &Purges{map[Hash]bool{}, map[Hash]bool{}, map[Hash]bool{}}
	for line := range bytes.Lines(raw) {
		var t Tombstone
		if json.Unmarshal(line, &t) != nil {
			continue
		}
		words := f.words
		if t.Kind == "session" {
			words = f.said
		}
		f.paths[t.Path] = true
		for _, h := range t.Words {
			words[h] = true
		}
	}
	delete(f.paths, "")
	return f, nil
}

// Empty reports whether nothing was ever purged.
func (f *Purges) Empty() bool { return len(f.paths)+len(f.words)+len(f.said) == 0 }

// Path reports whether the page or session at a path was purged.
func (f *Purges) Path(p page.Path) bool { return f.paths[HashOf([]byte(p))] }

// Text reports whether a text, whatever its Markdown, case and punctuation, was the
// body, the title or a fact of a page that was purged, or a turn of such a session.
// Of what was said only what is long enough to be that very thing counts: "yes" is
// said again.
func (f *Purges) Text(s string) bool {
	h := Hash(page.WordHash(s))
	return h != "" && (f.words[h] || f.said[h] && isTelling(s))
}

// isTelling reports whether a text has 12 letters, of which a character of Chinese,
// Japanese or Korean is worth two.
func isTelling(s string) bool {
	n := 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			n += 2
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			n++
		}
	}
	return n >= 12
}
