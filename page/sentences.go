package page

import (
	"strings"

	"brain/text"
)

// Sentences are what a page says, without the white space around each: its title
// and summaries, its facts, and its body or turns cut at sentences and lines.
func (p *Page) Sentences() []string {
	texts := []string{p.Title, p.Abstract, p.Overview, p.Body}
	for _, f := range p.Facts {
		texts = append(texts, f.Text)
	}
	for _, t := range p.Turns {
		texts = append(texts, t.Text)
	}
	var out []string
	for _, s := range texts {
		for _, span := range text.Sentences(s) {
			if one := strings.TrimSpace(s[span.Start:span.End]); one != "" {
				out = append(out, one)
			}
		}
	}
	return out
}
