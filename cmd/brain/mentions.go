package main

import (
	"strings"

	"brain/page"
	"brain/text"
)

// needles are folded texts that tell one page from others.
type needles []string

// minNeedle is the length in bytes from which a text is telling enough.
const minNeedle = 6

// telling are a page's names, facts and sentences: who says one of these still speaks
// of the page.
func telling(p *page.Page) needles {
	texts := append([]string{p.Title}, p.Aliases...)
	for _, f := range p.Facts {
		texts = append(texts, f.Text)
	}
	for _, s := range text.Sentences(p.Body) {
		texts = append(texts, p.Body[s.Start:s.End])
	}
	for _, t := range p.Turns {
		texts = append(texts, t.Text)
	}
	if !p.Path.IsSession() {
		texts = append(texts, strings.TrimSuffix(string(p.Path), ".md"))
	}
	var out needles
	for _, t := range texts {
		if t = text.Fold(strings.TrimSpace(t)); len(t) >= minNeedle {
			out = append(out, t)
		}
	}
	return out
}

// in reports whether a line holds one of them.
func (n needles) in(line string) bool {
	line = text.Fold(line)
	for _, t := range n {
		if strings.Contains(line, t) {
			return true
		}
	}
	return false
}
