package index

import (
	"strings"

	"brain/page"
	"brain/text"

	bleveindex "github.com/blevesearch/bleve_index_api"
)

// termsVersion changes with the weights below, with what of a page counts, with which
// pages are ranked, with what rows keep of turns and words, and with the lexicon: they
// are baked into the index.
const termsVersion = 7

// The lexical arm searches one field. A page's parts go into it with weights
// that apply to counts, before BM25 saturates them: a term that stands once in
// the title and twice in the body counts wTitle + 2·wBody. (Summing parts that
// are scored apart lets a three-word title outweigh any body; BM25F, Robertson,
// Zaragoza and Taylor 2004.) Weights are in units of half a body word, since
// the index stores whole numbers.
const (
	termUnit = 2.0

	wBody    = 2
	wTitle   = 4 // what a page is about, said once
	wAlias   = 4 // as good as the title
	wHeading = 3
	wCode    = 1 // must be findable, must not drown the prose
	wPath    = 1 // folder names repeat on every page below them
	wFacts   = 2
)

// counter turns pages into weighted term counts. It is reused from page to
// page by one goroutine; the strings it hands out are shared between pages.
type counter struct {
	intern map[string]string
	slab   []bleveindex.TokenFreq
	freqs  bleveindex.TokenFrequencies
	weight int
	emit   func(text.Term)
}

const maxInterned = 1 << 18

func newCounter() *counter {
	c := &counter{intern: map[string]string{}}
	c.emit = func(t text.Term) { c.add(t.Text) }
	return c
}

func (c *counter) add(term []byte) *bleveindex.TokenFreq {
	if f, ok := c.freqs[string(term)]; ok {
		f.SetFrequency(f.Frequency() + c.weight)
		return f
	}
	s, ok := c.intern[string(term)]
	if !ok {
		if len(c.intern) >= maxInterned {
			clear(c.intern)
		}
		s = string(term)
		c.intern[s] = s
	}
	if len(c.slab) == 0 {
		c.slab = make([]bleveindex.TokenFreq, 1024)
	}
	f := &c.slab[0]
	c.slab = c.slab[1:]
	f.SetFrequency(c.weight)
	c.freqs[s] = f
	return f
}

// once adds a term of which only the presence counts.
func (c *counter) once(term string) {
	if _, ok := c.freqs[term]; !ok {
		c.add([]byte(term))
	}
}

// field adds one part of a page and returns its weighted length.
func (c *counter) field(s string, weight int) int {
	if s == "" {
		return 0
	}
	c.weight = weight
	return weight * text.Terms(s, c.emit)
}

// page counts a page's terms and gives its length in units of termUnit.
func (c *counter) page(p *page.Page) (bleveindex.TokenFrequencies, int) {
	if p.Path.IsSession() {
		return c.session(p)
	}
	cl := p.Clean()
	c.freqs = make(bleveindex.TokenFrequencies, 64+len(cl.Body)/24)
	words := c.field(cl.Title, wTitle)
	for _, a := range cl.Aliases {
		words += c.field(a, wAlias)
	}
	for _, h := range cl.Headings {
		words += c.field(h, wHeading)
	}
	words += c.field(cl.Body, wBody)
	words += c.field(cl.Code, wCode)
	for _, f := range cl.Facts {
		words += c.field(f, wFacts)
	}
	words += c.field(strings.TrimSuffix(string(p.Path), ".md"), wPath)
	c.weight = 1
	names := append([]string{p.Path.Stem(), cl.Title}, cl.Aliases...)
	for _, n := range names {
		nameTerms(n, c.once)
	}
	return c.freqs, words
}

// session counts the terms of a session: what was said, by whom, and its
// title, which tells the day.
func (c *counter) session(p *page.Page) (bleveindex.TokenFrequencies, int) {
	c.freqs = make(bleveindex.TokenFrequencies, 64+len(p.Body)/24)
	words := c.field(p.Title, wTitle)
	c.weight = wBody
	last := map[*bleveindex.TokenFreq]int{} // turn in which a term was said last
	for i := range p.Turns {
		words += wBody * p.Turns[i].Terms(func(t text.Term) {
			f := c.add(t.Text)
			if f.Frequency()%saidIn > saidIn/2 { // more often than anybody says it
				f.SetFrequency(f.Frequency() - c.weight)
			}
			if last[f] != i+1 {
				last[f] = i + 1
				f.SetFrequency(f.Frequency() + saidIn)
			}
		})
	}
	return c.freqs, words
}

// saidIn is the part of a session's term frequency that counts the turns which
// hold the term: both numbers stand in one, since a posting has room for one.
const saidIn = 1 << 24
