package memory

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"brain/retrieve"
	"brain/text"
)

// What of a memory fits into a budget.
//
//  1. Facts of a guaranteed category come first, out of an allowance of their own. What
//     their lines really take is added to the budget.
//  2. With a question, 40 % of the budget is kept for pages, if any convinces; and more,
//     if summaries and facts need less than the rest. What pages leave goes back.
//  3. Summaries.
//  4. The other facts, in what is left then.
//
// Facts are walked in the order of their rank up to the first that does not fit, so that
// none stands there for being short while a better one is missing. They are in whole or
// not at all, since half a fact may say the opposite. Of summaries the first that does not
// fit is cut behind a sentence, or within one where even the first is too long, and ends in
// the mark of that; those after it are left out. All that is counted is counted in the
// block as it is: frame, headings and replaced characters too.
//
// Why 40 %: an agent that asks something needs the answer more than the last third of what
// is known of its user, and facts are few: a hundred take some 2,000 tokens, of which
// the first sixty stay. Half or more would push out facts that answer the question too,
// for pages that the agent can search by itself.

const (
	pageShare   = 40  // percent of the budget that are kept for pages
	roomPerPage = 150 // tokens: a paragraph and its label, so that few pages say something rather than many nothing
	mostPages   = 10  // those further down seldom answer
	farBehind   = 3   // a page with less than a third of the best one's score is noise: a query shows some of it all the same
	labelTokens = 20  // what a page's path, date, title and the marks before its lines take, about

	mostLines = 4 * 8000 / 15 // of facts that any budget has room for: the shortest line has 15 characters

	cutMark     = " […]"
	noRoom      = "no room left in the budget"
	noAllowance = "no room left in the allowance of guaranteed facts"
)

// size is the length of a text as tokens are counted, which adds up exactly where tokens
// would be rounded.
type size struct{ cjk, others int }

func sizeOf(s string) size {
	cjk, others := text.Characters(s)
	return size{cjk, others}
}

func (a size) plus(b size) size { return size{a.cjk + b.cjk, a.others + b.others} }

// tokens is DeerMem's estimate.
func (a size) tokens() int { return a.others/4 + a.cjk/2 }

// piece is what is in a block as a whole or not at all.
type piece struct {
	text string
	size size
	cut  bool // there is more of it
}

func newPiece(text string) piece { return piece{text: text, size: sizeOf(text)} }

// column are facts in the order of their rank, and their lines as far as somebody wanted
// to see them.
type column struct {
	facts []*Fact
	lines []piece
	taken int // how many are in the block
}

func (c *column) line(i int) piece {
	for len(c.lines) <= i {
		f := c.facts[len(c.lines)]
		c.lines = append(c.lines, newPiece(factLine(f)))
	}
	return c.lines[i]
}

// fill gives how many lines, from the first, a test lets pass, which is told their
// size together.
func (c *column) fill(fits func(size) bool) (n int, all size) {
	for ; n < len(c.facts); n++ {
		next := all.plus(c.line(n).size)
		if !fits(next) {
			break
		}
		all = next
	}
	return n, all
}

func factLine(f *Fact) string {
	var b strings.Builder
	fmt.Fprintf(&b, "- [%s | %.2f] %s", label(f.Category, "]"), f.Confidence, withoutAvoid(lines(f.Content)))
	if wrong := strings.TrimSpace(f.SourceError); wrong != "" && f.Category == correction {
		b.WriteString(avoid + lines(wrong) + ")")
	}
	b.WriteString("\n")
	return b.String()
}

const avoid = " (avoid: "

// withoutAvoid keeps a statement from passing for one with a mistake behind it.
func withoutAvoid(s string) string { return strings.ReplaceAll(s, avoid, " &#x28;avoid: ") }

type summaryText struct {
	SummaryName
	text string
}

// layout is a block in the making.
type layout struct {
	*Block
	summaries  []summaryText
	sure, rest column // facts with an allowance, and those without
	pages      []piece

	allowance size // that the guaranteed facts took
	paged     size // of the pages with their heading
}

// fits reports whether so much beside the guaranteed facts may be in the block.
func (l *layout) fits(used size) bool {
	return used.plus(l.allowance).tokens() <= l.Budget+l.allowance.tokens()
}

// guarantee takes the facts that have an allowance.
func (l *layout) guarantee(tokens int) {
	l.sure.taken, l.allowance = l.sure.fill(func(s size) bool { return s.tokens() <= tokens })
	l.Guaranteed = l.allowance.tokens()
}

// roomForPages is what may be spent on pages, in tokens.
func (l *layout) roomForPages() int {
	_, _, used := l.arrange(size{})
	return max(l.Budget*pageShare/100, l.Budget-used.tokens())
}

// pagesFor is how many pages are worth asking for.
func pagesFor(room int) int { return min(max(room/roomPerPage, 1), mostPages) }

// arrange gives the summaries and how many of the other facts fit beside pages of that
// size, and what all of that takes.
func (l *layout) arrange(pages size) (summaries []piece, facts int, used size) {
	used = sizeOf(frameOpen + frameClose).plus(pages)
	if len(l.sure.facts)+len(l.rest.facts) > 0 {
		used = used.plus(sizeOf("\n" + headingFacts))
	}
	section := ""
	for _, s := range l.summaries {
		with := used
		if s.Section != section {
			with, section = with.plus(sizeOf("\n"+summaryLabels[s.Section])), s.Section
		}
		p, ok := s.cut(func(p piece) bool { return l.fits(with.plus(p.size)) })
		if !ok {
			break
		}
		if summaries, used = append(summaries, p), with.plus(p.size); p.cut {
			break
		}
	}
	facts, lines := l.rest.fill(func(s size) bool { return l.fits(used.plus(s)) })
	return summaries, facts, used.plus(lines)
}

// cut gives as much of a summary as fits, whole sentences if one does.
func (s summaryText) cut(fits func(piece) bool) (p piece, ok bool) {
	line := func(text string) piece {
		return newPiece("- " + summaryLabels[s.Key] + ": " + lines(text) + "\n")
	}
	if p = line(s.text); fits(p) {
		return p, true
	}
	begun := func(end int) piece {
		p := line(strings.TrimSpace(s.text[:end]) + cutMark)
		p.cut = true
		return p
	}
	sentences := text.Sentences(s.text)
	n := sort.Search(len(sentences), func(i int) bool { return !fits(begun(sentences[i].End)) })
	if n > 0 {
		return begun(sentences[n-1].End), true
	}
	bytes := sort.Search(len(s.text), func(i int) bool { return !fits(begun(text.CutGrapheme(s.text, i+1))) })
	end := text.CutGrapheme(s.text, bytes)
	return begun(end), end > 0
}

// settle decides what is in the block, and notes what is not.
func (l *layout) settle() (summaries []piece) {
	summaries, l.rest.taken, _ = l.arrange(l.paged)
	for i, s := range l.summaries {
		switch {
		case i >= len(summaries):
			l.leave(partSummaries, s.String(), noRoom)
			continue
		case summaries[i].cut:
			l.leave(partSummaries, s.String(), "cut to fit into the budget")
		}
		l.Summaries = append(l.Summaries, s.String())
	}
	for _, c := range []struct {
		*column
		why string
	}{{&l.sure, noAllowance}, {&l.rest, noRoom}} {
		l.LeftOut = slices.Grow(l.LeftOut, len(c.facts)-c.taken)
		for i, f := range c.facts {
			if i < c.taken {
				l.Facts = append(l.Facts, f.ID)
			} else {
				l.leave(partFacts, f.ID, c.why)
			}
		}
	}
	return summaries
}

// write gives the parts of the block.
func (l *layout) write() (parts []string) {
	bySection := map[string]string{}
	for i, p := range l.settle() {
		bySection[l.summaries[i].Section] += p.text
	}
	facts := l.sure.text() + l.rest.text()
	pages := ""
	for _, p := range l.pages {
		pages += p.text
	}
	return []string{
		headed(summaryLabels["user"], bySection["user"]), headed(summaryLabels["history"], bySection["history"]),
		headed(headingFacts, facts), headed(headingPages, pages),
	}
}

const (
	headingFacts = "Facts:\n"
	headingPages = "Pages:\n"
)

func headed(heading, lines string) string {
	if lines == "" {
		return ""
	}
	return heading + lines
}

func (c *column) text() string {
	var b strings.Builder
	for i := range c.taken {
		b.WriteString(c.line(i).text)
	}
	return b.String()
}

// addPage takes a page in: with its text, else with the sentence that answers.
func (l *layout) addPage(h *retrieve.Hit, room int) bool {
	for _, said := range []string{h.Text, h.Snippet} {
		said = strings.Trim(lineFeeds(said), "\n")
		if said == "" {
			continue
		}
		p := newPiece(pageLine(h, said))
		used := l.paged.plus(p.size)
		if len(l.pages) == 0 {
			used = used.plus(sizeOf("\n" + headingPages))
		}
		if used.tokens() <= room {
			l.pages, l.paged = append(l.pages, p), used
			l.Pages = append(l.Pages, h.Path)
			return true
		}
	}
	return false
}

func pageLine(h *retrieve.Hit, said string) string {
	about := []string{fmt.Sprintf("%s:%d", label(h.Path, ""), max(h.Line, 1))}
	if day, _, ok := strings.Cut(h.Updated, "T"); ok {
		about = append(about, day)
	}
	if h.Title != "" {
		about = append(about, label(h.Title, ""))
	}
	if h.Truncated {
		about = append(about, "excerpt")
	}
	if len(h.Disputed) > 0 {
		about = append(about, "disputed")
	}
	return "- " + strings.Join(about, " | ") + lines("\n"+said) + "\n"
}

// certain are the facts that stand in the block, whatever pages take of their room.
func (l *layout) certain(room int) told {
	_, n, _ := l.arrange(size{others: 4 * room})
	return slices.Concat(l.sure.facts[:l.sure.taken], l.rest.facts[:n])
}

// told are facts that stand in a block.
type told []*Fact

// have reports whether a hit is the turn of a session that one of the facts was made of.
func (t told) have(h *retrieve.Hit) bool {
	if h.Turn == 0 {
		return false
	}
	session := path.Base(path.Dir(h.Path))
	return slices.ContainsFunc(t, func(f *Fact) bool {
		return f.Provenance.Session == session && slices.Contains(f.Provenance.Turns, h.Turn)
	})
}
