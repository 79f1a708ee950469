package page

import "strings"

// Cleaned is the text that is searched, by field: Markdown removed, link
// labels kept, code apart. Case and width are as written; the tokenizer folds.
type Cleaned struct {
	Title    string
	Aliases  []string
	Headings []string // without one that only repeats the title
	Body     string   // abstract, overview, description, tags, then the body, a line a block
	Code     string   // fences, indented code, mathematics, code spans, comments
	Facts    []string // live facts only
}

// Clean arranges the text by field. A code span is part of its sentence and
// so stands in Body as well as in Code; what is hidden in comments stands in
// Code, where it can be found but weighs little.
func (p *Page) Clean() Cleaned {
	s := p.scanned()
	c := Cleaned{Title: p.Title, Aliases: p.Aliases}
	var body, src strings.Builder
	body.Grow(len(s.text) + len(p.Abstract) + len(p.Overview) + len(p.Description) + 64)
	for _, t := range [...]string{p.Abstract, p.Overview, p.Description, strings.Join(p.declared.tags, ", ")} {
		line(&body, t)
	}
	titled := false
	for i := range s.blocks {
		b := &s.blocks[i]
		t := s.text[b.t0:b.t1]
		switch b.kind {
		case heading:
			if !titled && strings.EqualFold(t, p.Title) {
				titled = true
				continue
			}
			c.Headings = append(c.Headings, t)
		case code:
			line(&src, t)
		default:
			line(&body, t)
		}
	}
	for _, r := range s.inlines {
		line(&src, s.text[r[0]:r[1]])
	}
	for _, r := range s.hidden {
		line(&src, strings.TrimSpace(p.Body[r[0]:r[1]]))
	}
	c.Body, c.Code = body.String(), src.String()
	for _, f := range p.Facts {
		if f.Live() {
			c.Facts = append(c.Facts, f.line())
		}
	}
	return c
}

func line(b *strings.Builder, s string) {
	if s != "" {
		b.WriteString(s)
		b.WriteByte('\n')
	}
}

// line is the fact as one line of text: its statement and, where the
// statement does not say it, its measure.
func (f Fact) line() string {
	out := f.Text
	for _, part := range [...]string{f.Metric, f.Value, f.Unit, f.Period} {
		if part != "" && !strings.Contains(out, part) {
			out += " " + part
		}
	}
	return strings.TrimSpace(out)
}

// Prose is what the body says, a line a block, without headings and code.
func (p *Page) Prose() string {
	s := p.scanned()
	var b strings.Builder
	for i := range s.blocks {
		if k := s.blocks[i].kind; k != heading && k != code {
			line(&b, s.text[s.blocks[i].t0:s.blocks[i].t1])
		}
	}
	return b.String()
}

// scanned gives the scan of the body, also of a page made by hand.
func (p *Page) scanned() *scan {
	if p.found != nil {
		return p.found
	}
	return scanFrom(p.Body, max(p.BodyLine, 1), p.torn, builtinWords).result()
}
