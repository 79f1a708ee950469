package page

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"brain/text"
)

// A claim is the unit in which two pages are compared: one thing said, with
// what is known of whom it speaks of, who says so and when it holds. Facts
// of the front matter bring their slot along; a sentence of the body brings
// its text, and numbers, dates and units are found in it when it is compared
// (compare.go).

// Claim is one thing that a page says.
type Claim struct {
	Subject string // whom it speaks of, where the text does not say so; "" unknown
	Speaker string // who said so; "" unknown
	Slot    Slot   // of a fact with a measure; else zero
	Text    string
	Time    string // when it holds or happened, a day or "from/until"; "" unknown
	Place   Place
	Form    Form
}

// Form is how a claim stands in its page.
type Form uint8

const (
	Entry Form = iota // a fact of the front matter
	Prose             // a sentence of running text
	Item              // of a list
	Row               // of a table
)

// Slot is what a fact measures, and what it measured. Two claims conflict
// when all but Value and Unit agree.
type Slot struct{ Metric, Value, Unit, Period, Date string }

// Place is where a claim stands.
type Place struct {
	Path Path
	Line int // 1-based in the file
}

// maxClaims bounds the claims of one page, maxClaim the length of one in
// characters: what is longer is no statement.
const (
	maxClaims = 400
	maxClaim  = 600
)

// Claims gives what a page says: its live facts, then the sentences of its
// body, then, when it has neither, its title. At most 400; code and headings
// claim nothing, and neither does a session.
func Claims(p *Page) []Claim {
	if p.Turns != nil {
		return nil
	}
	out := p.factClaims()
	s := p.scanned()
	for i := range s.blocks {
		if len(out) >= maxClaims {
			return out
		}
		if b := &s.blocks[i]; b.kind != heading && b.kind != code {
			out = append(out, slices.DeleteFunc(p.sentenceClaims(s, i), Claim.tooLong)...)
		}
	}
	if len(out) == 0 && p.Title != "" && p.ownTitle() {
		out = append(out, Claim{Text: p.Title, Place: Place{p.Path, 1}})
	}
	return out[:min(len(out), maxClaims)]
}

// tooLong reports a text that is no statement.
func (c Claim) tooLong() bool {
	return len(c.Text) > maxClaim && utf8.RuneCountInString(c.Text) > maxClaim
}

// ownTitle reports whether the title is the page's own, not its file's name.
func (p *Page) ownTitle() bool {
	return p.found == nil || p.declared.title != "" || len(p.found.heads) > 0
}

func (p *Page) factClaims() (out []Claim) {
	for _, f := range p.Facts {
		if !f.Live() {
			continue
		}
		c := Claim{
			Speaker: f.AttributedTo, Text: f.line(), Time: f.validity(), Place: Place{p.Path, f.Line},
			Slot: Slot{f.Metric, f.Value, f.Unit, f.Period, dayOf(f.At)},
		}
		c.Subject = p.subjectOf(c.Text, "")
		out = append(out, c)
	}
	return out
}

// validity is the span in which a fact holds, "" when it names none.
func (f Fact) validity() string {
	if f.ValidFrom == "" && f.ValidUntil == "" {
		return ""
	}
	return dayOf(f.ValidFrom) + "/" + dayOf(f.ValidUntil)
}

// dayOf writes a date in one form: a day, with the time where that is known.
// What is no date stays as it is.
func dayOf(s string) string {
	t, ok := ParseDate(s)
	switch {
	case !ok:
		return text.Fold(s)
	case t.UTC().Truncate(24 * time.Hour).Equal(t):
		return t.UTC().Format(time.DateOnly)
	}
	return t.UTC().Format(time.RFC3339)
}

func (p *Page) sentenceClaims(s *scan, i int) (out []Claim) {
	b := &s.blocks[i]
	t := s.text[b.t0:b.t1]
	section := s.headingPath(b.head)
	form := standing(b.kind)
	for _, span := range text.Sentences(t) {
		sentence := strings.TrimSpace(t[span.Start:span.End])
		if sentence == "" {
			continue
		}
		at := int(b.start)
		if span.Start > 0 || len(p.gone) > 0 {
			at = s.bodyAt(int32(i), b.t0+int32(span.Start))
		}
		line := int(b.line) + strings.Count(p.Body[b.start:max(at, int(b.start))], "\n")
		out = append(out, Claim{Subject: p.subjectOf(sentence, section), Text: sentence, Place: Place{p.Path, line}, Form: form})
	}
	return out
}

func standing(k blockKind) Form {
	switch k {
	case item:
		return Item
	case row:
		return Row
	}
	return Prose
}

// subjectOf gives what a sentence speaks of where it does not say so itself:
// the entity whose page it is; else the section it stands in, when it points
// there ("it", "this"), or says so little that it means nothing elsewhere
// ("Default: 100", "The limit is 100"). Days in a title are no subject: notes
// of two days may speak of one thing.
func (p *Page) subjectOf(sentence, section string) string {
	if p.Title == "" || !p.ownTitle() || p.namedIn(sentence) {
		return ""
	}
	if p.Type == "entity" {
		return text.Fold(cmp.Or(p.Slug, p.Title))
	}
	if !pointsAway(sentence) && !isEntry(sentence) && contentWords(sentence) >= enoughWords {
		return ""
	}
	if below, same := cutFold(section, p.Title); same {
		section = strings.TrimPrefix(below, " > ")
	}
	return withoutDates(p.Title) + strings.TrimRight(" > "+withoutDates(section), " >")
}

// namedIn reports whether a sentence names the page.
func (p *Page) namedIn(sentence string) bool {
	folded := text.Fold(sentence)
	for _, name := range append([]string{p.Title}, p.Aliases...) {
		if name = text.Fold(name); name != "" && strings.Contains(folded, name) {
			return true
		}
	}
	return false
}

// withoutDates is a title, folded, less its dates.
func withoutDates(title string) string {
	var words []string
	for _, t := range tokens(title) {
		if t.dim != aDate {
			words = append(words, t.text)
		}
	}
	return strings.Join(words, " ")
}

// pronouns begin a sentence whose subject stands elsewhere.
var pronouns = [...]string{"it ", "its ", "it's ", "these ", "they ", "he ", "she ", "his ", "her ", "their ",
	"它", "他", "她", "其", "该", "这", "此", "本"}

// pointsAway reports whether a sentence speaks of "it" or "this".
func pointsAway(sentence string) bool {
	folded := text.Fold(sentence)
	for _, pr := range pronouns {
		if strings.HasPrefix(folded, pr) {
			return true
		}
	}
	return strings.HasPrefix(folded, "this ") || strings.Contains(folded, " this ")
}

// isEntry reports a line of a form, "Owner: Alice": a short key and a value.
func isEntry(sentence string) bool {
	const longest = 40 // bytes of a key
	i := strings.IndexAny(sentence[:min(len(sentence), longest)], ":：")
	return i > 0 && (strings.HasPrefix(sentence[i:], ": ") || strings.HasPrefix(sentence[i:], "："))
}

// enoughWords is how many words with a meaning let a sentence stand alone; two
// Chinese characters count as one.
const enoughWords = 4

func contentWords(sentence string) (n int) {
	cjk := 0
	for _, w := range strings.Fields(sentence) {
		r, _ := utf8.DecodeRuneInString(w)
		known := lexicon().exact[strings.ToLower(strings.ReplaceAll(w, "'", ""))].role
		switch {
		case text.IsCJK(r):
			cjk += utf8.RuneCountInString(w)
		case unicode.IsLetter(r) && known != light && known != negator:
			n++
		}
	}
	return n + cjk/2
}
