package retrieve

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brain/index"
	"brain/page"
	"brain/text"
)

// A passage is the place in a page that answers best, found in the page as
// written. The page is read from its file, its words are cut by the tokenizer
// of the index, and a window slides over those that the question has:
//
//	value(window) = Σ_t idf(t)·w_t over distinct terms + the pairs of
//	                neighbouring words of the question that stand side by side
//
// The index stores no positions; opening the first pages is cheaper than
// keeping all.
type passage struct {
	raw      []byte
	body     string // what is superseded is blank
	gone     page.Gone
	bodyLine int
	start    int     // byte range of body
	end      int     //
	phrase   float64 // share of the question's neighbouring pairs that are neighbours here
	covered  float64 // share of the question's weight in the window
	found    bool    // a word of the question is in the body
	page     *page.Page
	who      string // of a turn: who said it, and when
}

const (
	windowWords  = 48  // of a passage
	snippetRunes = 240 // shown
	pairGap      = 2   // neighbours of the question count when this near
)

// wanted is the question's terms with their worth.
type wanted struct {
	maybe [16]uint64 // filter of 1,024 bits: most words of a page are none of these
	num   map[string]int
	worth []float64
	word  []int
	inner []bool // by word: a pair of characters, which says by itself that they are neighbours
	total float64
	whole bool // the files are needed beyond the passages
}

func newWanted(terms []text.QueryTerm, words *index.LexicalResult) *wanted {
	w := &wanted{num: make(map[string]int, len(terms))}
	for i, t := range terms {
		worth := t.Weight
		if words != nil && i < len(words.Terms) {
			worth *= words.Terms[i].IDF
		}
		w.num[t.Text] = i
		b := slot([]byte(t.Text))
		w.maybe[b>>6] |= 1 << (b & 63)
		w.worth = append(w.worth, worth)
		w.word = append(w.word, t.Word)
		for len(w.inner) <= t.Word {
			w.inner = append(w.inner, false)
		}
		w.inner[t.Word] = t.Kind == text.Bigram
		w.total += worth
	}
	return w
}

// mark is a term of the question in the body.
type mark struct{ term, pos, start, end int }

// slot is a term's place in the filter.
func slot(t []byte) uint {
	if len(t) == 0 {
		return 0
	}
	return (uint(t[0])*31 + uint(t[len(t)-1])*7 + uint(t[len(t)/2])*13 + uint(len(t))) & 1023
}

// findPassage reads a page and finds its best place. Of a very long page it
// examines the beginning and, where meaning points further down, the
// neighbourhood of that chunk.
func (sr *Searcher) findPassage(ctx context.Context, c *candidate, w *wanted) error {
	raw, err := sr.Source.Read(ctx, page.Path(c.path))
	if err != nil {
		return err
	}
	ps := &passage{raw: raw}
	ps.body, ps.bodyLine, ps.gone = page.Standing(page.Path(c.path), raw)
	c.pass = ps
	head := text.CutGrapheme(ps.body, passageBytes)
	marks := w.marks(ps.body[:head], 0)
	if lo, hi := ps.near(c); hi > head {
		lo = max(lo, head)
		marks = append(marks, w.marks(ps.body[lo:hi], lo)...)
	}
	var chunk page.Chunk
	if len(marks) == 0 && c.chunk >= 0 {
		chunk = ps.chunk(c)
		marks = w.marks(ps.body[chunk.Start:chunk.End], chunk.Start)
	}
	if ps.found = len(marks) > 0; ps.found {
		ps.phrase = w.pairs(marks)
		ps.start, ps.end, ps.covered = w.window(marks)
	} else {
		ps.start, ps.end = chunk.Start, chunk.End
	}
	return nil
}

// everywhere finds the best place of a page in all of its text.
func (w *wanted) everywhere(path page.Path, raw []byte) *passage {
	ps := &passage{raw: raw}
	if path.IsSession() {
		ps.page = page.Parse(path, raw)
		ps.body, ps.bodyLine = ps.page.Body, 1
	} else {
		ps.body, ps.bodyLine, ps.gone = page.Standing(path, raw)
	}
	marks := w.marks(ps.body, 0)
	if ps.found = len(marks) > 0; ps.found {
		ps.start, ps.end, ps.covered = w.window(marks)
	}
	return ps
}

// parsed gives the page, read in full once.
func (ps *passage) parsed(path string) *page.Page {
	if ps.page == nil {
		ps.page = page.Parse(page.Path(path), ps.raw)
	}
	return ps.page
}

// shown gives the page as far as the passage needs it: what follows changes
// neither its heading nor its front matter, and a page may be long.
func (ps *passage) shown(path string) *page.Page { return ps.upTo(path, ps.end) }

// upTo gives the page as if it ended with the line that holds byte end of its
// body.
func (ps *passage) upTo(path string, end int) *page.Page {
	head := len(ps.raw) - len(ps.body) // front matter; the same bytes when the file is UTF-8
	cut := head + end
	if ps.page != nil || head < 0 || cut >= len(ps.raw) || string(ps.raw[head:]) != ps.body {
		return ps.parsed(path)
	}
	if i := bytes.IndexByte(ps.raw[cut:], '\n'); i >= 0 {
		return page.Parse(page.Path(path), ps.raw[:cut+i+1])
	}
	return ps.parsed(path)
}

// near estimates where a page's best chunk by meaning lies, with some room on
// both sides: chunks are much alike in length.
func (ps *passage) near(c *candidate) (lo, hi int) {
	if c.chunk < 0 || c.page.Chunks == 0 {
		return 0, 0
	}
	const room = 3 << 10
	at := len(ps.body) * c.chunk / max(c.page.Chunks, c.chunk+1)
	return text.CutGrapheme(ps.body, max(0, at-room)), text.CutGrapheme(ps.body, min(len(ps.body), at+2*room))
}

// chunk finds the place of a page's best chunk by meaning. Chunks are much
// alike in length, so it is enough to read a little beyond where it should
// end; the last of what was read may be a cut one.
func (ps *passage) chunk(c *candidate) page.Chunk {
	const slack = 4 << 10
	end := len(ps.body)*(c.chunk+2)/max(c.page.Chunks, c.chunk+2) + slack
	if chunks := ps.upTo(c.path, end).Chunks(); c.chunk < len(chunks)-1 {
		return chunks[c.chunk]
	}
	if chunks := ps.parsed(c.path).Chunks(); c.chunk < len(chunks) {
		return chunks[c.chunk]
	}
	return page.Chunk{}
}

// marks finds the question's terms in a piece of a body that begins at byte
// from; pieces further down stand apart from those before.
func (w *wanted) marks(piece string, from int) []mark {
	var out []mark
	text.Terms(piece, func(t text.Term) {
		if b := slot(t.Text); w.maybe[b>>6]&(1<<(b&63)) == 0 {
			return
		}
		if n, ok := w.num[string(t.Text)]; ok {
			out = append(out, mark{n, from + t.Pos, from + t.Start, from + t.End})
		}
	})
	return out
}

// pairs gives the share, by worth, of the question's neighbouring words that
// stand side by side, in order, somewhere in the page.
func (w *wanted) pairs(marks []mark) float64 {
	words := len(w.inner)
	if words < 2 {
		return 0
	}
	worth := make([]float64, words)
	for i, n := range w.word {
		worth[n] = max(worth[n], w.worth[i])
	}
	seen := make([]bool, words-1)
	for i, m := range marks {
		for j := i + 1; j < len(marks) && marks[j].pos-m.pos <= pairGap; j++ {
			if a := w.word[m.term]; marks[j].pos > m.pos && w.word[marks[j].term] == a+1 {
				seen[a] = true
			}
		}
	}
	var have, all float64
	for i := range seen {
		if w.inner[i] && w.inner[i+1] {
			continue
		}
		pair := math.Min(worth[i], worth[i+1])
		all += pair
		if seen[i] {
			have += pair
		}
	}
	if all == 0 {
		return 0
	}
	return have / all
}

// window finds the stretch of at most windowWords words with the greatest
// worth of distinct terms; of equals, the first.
func (w *wanted) window(marks []mark) (start, end int, covered float64) {
	count := make([]int, len(w.worth))
	var sum, best float64
	lo, bestLo, bestHi := 0, 0, 0
	for hi, m := range marks {
		if count[m.term]++; count[m.term] == 1 {
			sum += w.worth[m.term]
		}
		for marks[lo].pos < m.pos-windowWords {
			if count[marks[lo].term]--; count[marks[lo].term] == 0 {
				sum -= w.worth[marks[lo].term]
			}
			lo++
		}
		if sum > best+1e-12 {
			best, bestLo, bestHi = sum, lo, hi
		}
	}
	// What stands again further on is not needed at the beginning.
	clear(count)
	for _, m := range marks[bestLo : bestHi+1] {
		count[m.term]++
		end = max(end, m.end)
	}
	for ; count[marks[bestLo].term] > 1; bestLo++ {
		count[marks[bestLo].term]--
	}
	if w.total > 0 {
		covered = best / w.total
	}
	return marks[bestLo].start, end, covered
}

// line is the file's line on which the passage begins.
func (ps *passage) line() int {
	return ps.bodyLine + strings.Count(ps.body[:min(ps.start, len(ps.body))], "\n")
}

// snippet cuts the passage out at sentence ends, as written, on one line.
func (ps *passage) snippet(pg *page.Page) string {
	body := ps.body
	if strings.TrimSpace(body) == "" {
		return firstSentence(cmp.Or(pg.Abstract, pg.Title))
	}
	from, to := around(body, ps.start, ps.end)
	s := tidy(withoutTitle(strings.TrimSpace(ps.gone.Cut(body, from, to)), pg.Title))
	if s == "" {
		s = firstSentence(cmp.Or(pg.Abstract, pg.Title))
	}
	return s
}

// withoutTitle drops the heading that stands above the snippet already. A sentence
// that begins with the title's words stays whole.
func withoutTitle(s, title string) string {
	first, rest, _ := strings.Cut(s, "\n")
	next, _, _ := strings.Cut(rest, "\n")
	underlined := next != "" && strings.Trim(next, "= \r") == ""
	if (strings.HasPrefix(first, "#") || underlined) && tidy(first) == title {
		return rest
	}
	return s
}

// around widens a byte range to sentence ends within snippetRunes.
func around(body string, start, end int) (int, int) {
	const reach = 4 * snippetRunes
	lo := max(0, start-reach)
	for lo > 0 && lo < len(body) && body[lo]&0xC0 == 0x80 {
		lo--
	}
	hi := min(len(body), max(end, start)+reach)
	for hi < len(body) && body[hi]&0xC0 == 0x80 {
		hi++
	}
	part := body[lo:hi]
	from, to := start-lo, start-lo
	room := snippetRunes
	for _, s := range text.Sentences(part) {
		if s.End <= start-lo {
			continue
		}
		n := len([]rune(part[s.Start:s.End]))
		if s.Start <= start-lo {
			from, to = s.Start, s.End
			if n > room { // one long sentence: begin a little before the words
				from = runesBefore(part, start-lo, 40)
				to = runesAfter(part, from, snippetRunes)
				return lo + from, lo + to
			}
			room -= n
			continue
		}
		if n > room {
			break
		}
		to, room = s.End, room-n
	}
	return lo + from, lo + to
}

// runesBefore goes back n runes from at, to the start of a word or line.
func runesBefore(s string, at, n int) int {
	i := at
	for ; n > 0 && i > 0; n-- {
		i--
		for i > 0 && s[i]&0xC0 == 0x80 {
			i--
		}
		if s[i] == '\n' {
			return i + 1
		}
	}
	if sp := strings.IndexFunc(s[i:at], unicode.IsSpace); i > 0 && sp >= 0 {
		_, n := utf8.DecodeRuneInString(s[i+sp:])
		return i + sp + n
	}
	return text.CutGrapheme(s, i)
}

func runesAfter(s string, from, n int) int {
	i := from
	for range s[from:] {
		if n--; n < 0 {
			break
		}
		i++
		for i < len(s) && s[i]&0xC0 == 0x80 {
			i++
		}
	}
	return text.CutGrapheme(s, i)
}

// tidy puts a piece of Markdown on one line, words as written.
func tidy(s string) string {
	var out []string
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		line = strings.TrimLeft(line, "#>")
		line = strings.TrimSpace(line)
		if strings.Trim(line, "-=|: `~*_") != "" {
			out = append(out, line)
		}
	}
	return strings.Join(strings.Fields(strings.Join(out, " ")), " ")
}

func firstSentence(s string) string {
	for _, sp := range text.Sentences(s) {
		if t := tidy(s[sp.Start:sp.End]); t != "" {
			if len([]rune(t)) > snippetRunes {
				return t[:runesAfter(t, 0, snippetRunes)]
			}
			return t
		}
	}
	return ""
}

// heading is the heading path of the chunk in which the passage begins.
func (ps *passage) heading(chunks []page.Chunk) (string, page.Chunk) {
	i := slices.IndexFunc(chunks, func(c page.Chunk) bool { return ps.start >= c.Start && ps.start < c.End })
	if i < 0 {
		return "", page.Chunk{}
	}
	return chunks[i].Heading, chunks[i]
}
