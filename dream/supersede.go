package dream

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"brain/page"
	"brain/store"
)

// A claim that was not kept leaves the index and stays in its file. It is found there by what it
// says, never by its line or number: the page may have been edited since the pair was found.
//
//	a fact of facts:          its status becomes superseded
//	a sentence of the body    facts: gets an entry of its text that is superseded
//	a fact of an agent        the page's status becomes superseded
//
// What it was before is in the verdict, by which undo gives it back.

const superseded = "superseded"

// supersede takes a claim out of the index. also are places of the same page that say it,
// too, and stay, since the pair names another section; moved tells where a line of the page
// stands now.
func supersede(tx *store.Tx, s Side, now time.Time) (deed Deed, also []Place, moved func(int) int, err error) {
	raw, err := tx.Read(s.Path)
	if errors.Is(err, store.ErrNotFound) {
		if s.Path, err = follow(tx, s.Path, ""); err == nil {
			raw, err = tx.Read(s.Path)
		}
	}
	if errors.Is(err, store.ErrNotFound) {
		return deed, nil, nil, claimGone(s)
	}
	if err != nil {
		return deed, nil, nil, err
	}
	p := page.Parse(s.Path, raw)
	var changes []page.Change
	switch {
	case s.Path.Agent() != "" && s.Path.Type() == "fact":
		deed, changes, err = retirePage(p, s)
		changes = append(changes, p.Renewed(now)...)
	default:
		deed, also, changes, err = retireClaim(p, s)
	}
	if err != nil {
		return deed, nil, nil, err
	}
	next, err := page.Splice(s.Path, raw, changes...)
	if err != nil {
		return deed, nil, nil, fmt.Errorf("supersede %q: %w", shortly(s.Text), err)
	}
	moved = lineAfter(raw, next)
	for i := range also {
		also[i].Line = moved(also[i].Line)
	}
	deed.Title, deed.Body = p.Title, page.WordHash(p.Body)
	return deed, also, moved, tx.Replace(s.Path, store.HashOf(raw), next)
}

// lineAfter tells where a line stands after a change of one place of a file: those behind it are
// moved by as many lines as it is longer.
func lineAfter(was, is []byte) func(line int) int {
	more, same := bytes.Count(is, []byte("\n"))-bytes.Count(was, []byte("\n")), 0
	for i := 0; i < min(len(was), len(is)) && was[i] == is[i]; i++ {
		if was[i] == '\n' {
			same++
		}
	}
	return func(line int) int {
		if line > same {
			return line + more
		}
		return line
	}
}

func claimGone(s Side) error {
	return fmt.Errorf("%s: %q: %w", s.Path, shortly(s.Text), ErrClaimGone)
}

func shortly(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// says reports whether a fact of an agent says a text.
func says(p *page.Page, text string) bool {
	key := page.ClaimKey(text)
	return page.ClaimKey(p.Standing()) == key || len(p.Says(text)) > 0 || page.ClaimKey(p.Title) == key
}

// retirePage supersedes a fact of an agent.
func retirePage(p *page.Page, s Side) (Deed, []page.Change, error) {
	if !says(p, s.Text) || p.Status != "active" {
		return Deed{}, nil, claimGone(s)
	}
	was := ""
	if v := page.Values(p.Path, p.Raw, "status"); len(v) > 0 {
		was = v[0]
	}
	return Deed{Path: p.Path, How: byPage, Text: s.Text, Was: was}, []page.Change{page.SetText("status", superseded)}, nil
}

// retireClaim supersedes a fact of the front matter, or a sentence of the body.
func retireClaim(p *page.Page, s Side) (Deed, []Place, []page.Change, error) {
	if n := liveFact(p, s); n >= 0 {
		f := p.Facts[n]
		return Deed{Path: p.Path, How: byStatus, Text: f.Statement(), Was: f.Status}, nil, []page.Change{page.SetFact(n, "status", superseded)}, nil
	}
	text, also, ok := entryFor(p, s)
	if !ok {
		return Deed{}, nil, nil, claimGone(s)
	}
	return Deed{Path: p.Path, How: byEntry, Text: text, Bare: len(p.Keys) == 0},
		also, []page.Change{page.AddFact(page.Fact{Text: text, Status: superseded})}, nil
}

// liveFact is the number of the fact that says the claim, the one with its number first;
// -1 is none.
func liveFact(p *page.Page, s Side) int {
	key := page.ClaimKey(s.Text)
	says := func(n int) bool {
		return n >= 0 && n < len(p.Facts) && p.Facts[n].Live() &&
			(page.ClaimKey(p.Facts[n].Statement()) == key || page.ClaimKey(p.Facts[n].Text) == key)
	}
	if says(s.Fact) {
		return s.Fact
	}
	for n := range p.Facts {
		if says(n) {
			return n
		}
	}
	return -1
}

// entryFor is the text of the entry that takes a sentence out: the sentence, with the headings
// before it where the page says it in several sections, of which the pair means one.
func entryFor(p *page.Page, s Side) (text string, also []Place, ok bool) {
	places := standing(p, s.Text)
	if len(places) == 0 { // the same words, written in another way
		key := page.ClaimKey(s.Text)
		for _, c := range page.Claims(p) {
			if page.ClaimKey(c.Text) == key {
				s.Text, places = c.Text, standing(p, c.Text)
				break
			}
		}
	}
	if len(places) == 0 {
		return "", nil, false
	}
	nearest := slices.MinFunc(places, func(a, b page.Saying) int { return cmp.Compare(distance(a.Line, s.Line), distance(b.Line, s.Line)) })
	for _, at := range places {
		if at.Section != nearest.Section {
			also = append(also, Place{p.Path, at.Line})
		}
	}
	if len(also) == 0 || nearest.Section == "" {
		return s.Text, nil, true
	}
	return nearest.Section + " > " + s.Text, also, true
}

// standing are the places where a page says a text that count.
func standing(p *page.Page, text string) []page.Saying {
	return slices.DeleteFunc(p.Says(text), func(at page.Saying) bool { return at.Superseded })
}

func distance(a, b int) int { return max(a-b, b-a) }

// undo brings back on its page what a deed took out, and reports whether it did: what came back
// already, or was changed since, is let be.
func (d Deed) undo(tx *store.Tx, p *page.Page, now time.Time) (came bool, err error) {
	changes := d.back(p, now)
	if len(changes) == 0 {
		return false, nil
	}
	next, err := page.Splice(p.Path, p.Raw, changes...)
	if err != nil && d.Was != "" { // a status that no fact may have, and that meant nothing
		d.Was = ""
		next, err = page.Splice(p.Path, p.Raw, d.back(p, now)...)
	}
	if err != nil {
		return false, fmt.Errorf("bring back %q: %w", shortly(d.Text), err)
	}
	if d.Bare {
		next = withoutEmptyBlock(next)
	}
	return true, tx.Replace(p.Path, store.HashOf(p.Raw), next)
}

func (d Deed) back(p *page.Page, now time.Time) []page.Change {
	if d.How == byPage {
		if p.Status != superseded {
			return nil
		}
		return append([]page.Change{page.SetText("status", d.Was)}, p.Renewed(now)...)
	}
	n := slices.IndexFunc(p.Facts, func(f page.Fact) bool {
		return strings.EqualFold(f.Status, superseded) && f.Statement() == d.Text
	})
	switch {
	case n < 0:
		return nil
	case d.How == byEntry:
		return []page.Change{page.RemoveFact(n)}
	}
	return []page.Change{page.SetFact(n, "status", d.Was)}
}

// withoutEmptyBlock takes front matter away that holds nothing.
func withoutEmptyBlock(raw []byte) []byte {
	for _, empty := range []string{"---\n---\n", "---\r\n---\r\n"} {
		if after, ok := bytes.CutPrefix(raw, []byte(empty)); ok {
			return after
		}
	}
	return raw
}
