package dream

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"brain/page"
	"brain/text"
)

// contradictions.md is a list for people. It is written anew as a whole, the same bytes
// for the same pairs, and what is read back of it are the pairs and the answers alone:
//
//	## Kestrel
//
//	pair 3fa91c22b7d0e4aa: keep ?
//
//	- a: The queue of Kestrel holds 600 jobs
//	  - [entities/kestrel.md:12](entities/kestrel.md), fact 2
//	  - date: 2026-01-04
//	  - said by: Marit
//	  - sources: sources/ops/notes/1.md, s-0042#3
//	  - differs: 600 jobs
//	- b: The queue of Kestrel holds 900 jobs
//	  - [sources/ops/notes/2.md:7](sources/ops/notes/2.md)
//	- supersession, slot 0.93, suggested: keep b, which is dated later
//
// The pair's line is the answer: `keep a`, `keep b` or `keep both`, in any case and
// width, with a note behind it that names none of the others. Every other line begins with a mark of its own and its
// text is escaped, so that no claim can look like an answer or end its line.

// ReviewFile is where open pairs stand.
const ReviewFile = page.ReviewPath

// What a person can decide, and what undoes it.
const (
	KeepA    = "a"
	KeepB    = "b"
	KeepBoth = "both"
	KeepOpen = "open"
)

const reviewTitle = "Contradictions"

const reviewIntro = `# Contradictions

Each pair below is two claims that cannot both hold, or may say the same. Nothing is changed before you decide. Write a, b or both in the place of the ? behind keep, and a note behind that if you like; or run "brain contradiction resolve ID --keep a|b|both". The claim that is not kept is superseded: it stays in its file and is found no more. With both, the pair is settled and does not come back. All other lines are written anew by "brain dream".
`

const reviewEmpty = "\nNo pair is open.\n"

// noEntity stands for the name of what a pair without one speaks of.
const noEntity = "(no name)"

// An answer is what a person wrote into a pair's line.
type answer struct {
	keep, note string
	unclear    string // what stands there and is no answer; it stays until it is one
}

// String is what stands behind keep.
func (a answer) String() string {
	return cmp.Or(escapeText(a.plain()), "?")
}

// written are the pairs and the answers of a contradictions.md.
type written struct {
	pairs   []Pair
	answers map[string]answer // by id
	damaged []string          // ids of pairs that do not say what they are named for
}

// mostOpen is how large a list may be that is read with every question: no list that brain
// wrote is larger.
const mostOpen = 1 << 20

// Open gives the open pairs of a contradictions.md that brain wrote, none of another
// program's. It is quick and believes the file: 100 pairs take a third of a millisecond.
func Open(raw []byte) []Pair {
	if len(raw) > mostOpen || !isReview(raw) {
		return nil
	}
	return readReviewFile(raw).pairs
}

// isReview reports a file of the form above, by its front matter: a person may have edited the rest.
func isReview(raw []byte) bool {
	raw = bytes.TrimPrefix(raw, []byte("\uFEFF"))
	front := raw[:min(len(raw), 512)]
	return bytes.HasPrefix(front, []byte("---")) && bytes.Contains(front, []byte("\ngenerated: brain")) &&
		bytes.Contains(front, []byte("\ntitle: "+reviewTitle))
}

// reviewBytes writes the pairs down. Answers that were not taken over stand in their lines.
func reviewBytes(pairs []Pair, answers map[string]answer) ([]byte, error) {
	var b strings.Builder
	b.WriteString(reviewIntro)
	if len(pairs) == 0 {
		b.WriteString(reviewEmpty)
	}
	pairs = slices.Clone(pairs)
	slices.SortFunc(pairs, func(x, y Pair) int {
		return cmp.Or(boolOrder(x.Entity == "", y.Entity == ""), strings.Compare(text.Fold(x.Entity), text.Fold(y.Entity)),
			strings.Compare(x.Entity, y.Entity), strings.Compare(x.ID, y.ID))
	})
	for i := range pairs {
		if i == 0 || pairs[i].Entity != pairs[i-1].Entity {
			fmt.Fprintf(&b, "\n## %s\n", entityHeading(pairs[i].Entity))
		}
		pairs[i].write(&b, answers[pairs[i].ID])
	}
	return page.Format(page.Draft{Title: reviewTitle, Generated: true, Body: b.String()})
}

// mostListed is what the pairs of a list may take in characters, so that it is a page.
const mostListed = page.MaxBody - 2_000

// size is how many characters a pair takes, with a heading of its own.
func (p *Pair) size(said answer) int {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n", entityHeading(p.Entity))
	p.write(&b, said)
	return utf8.RuneCountInString(b.String())
}

func boolOrder(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return 1
	}
	return -1
}

func entityHeading(entity string) string {
	if entity == "" {
		return noEntity
	}
	if e := escapeText(entity); e != noEntity {
		return e
	}
	return `\` + noEntity
}

func (p *Pair) write(b *strings.Builder, said answer) {
	fmt.Fprintf(b, "\npair %s: keep %s\n\n", p.ID, said)
	p.A.write(b, "a", p.Detail[0])
	p.B.write(b, "b", p.Detail[1])
	fmt.Fprintf(b, "- %s, %s %.2f", escapeText(p.Kind), escapeText(p.Screen), p.Strength)
	if keep := p.Suggested(); keep != "" {
		fmt.Fprintf(b, ", suggested: keep %s, which is dated later", keep)
	}
	b.WriteByte('\n')
}

// Suggested is the side that a supersession would keep, "" where nothing is suggested.
func (p *Pair) Suggested() string {
	switch {
	case p.Kind != KindSupersession:
		return ""
	case compareDates(p.A.Date, p.B.Date) > 0:
		return KeepA
	}
	return KeepB
}

func (s *Side) write(b *strings.Builder, name, differs string) {
	fmt.Fprintf(b, "- %s: %s\n", name, escapeText(s.Text))
	where := string(s.Path)
	if s.Line > 0 {
		where += ":" + strconv.Itoa(s.Line)
	}
	fmt.Fprintf(b, "  - [%s](%s)", escapeText(where), (&url.URL{Path: string(s.Path)}).EscapedPath())
	switch {
	case s.Fact == AgentFactSide || s.Agent != "":
		fmt.Fprintf(b, ", fact of the agent %s", escapeText(s.Agent))
	case s.Fact >= 0:
		fmt.Fprintf(b, ", fact %d", s.Fact+1)
	}
	b.WriteByte('\n')
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(b, "  - %s: %s\n", name, value)
		}
	}
	field("date", escapeText(s.Date))
	field("said by", escapeText(s.Speaker))
	sources := make([]string, len(s.Sources))
	for i, from := range s.Sources {
		sources[i] = strings.ReplaceAll(escapeText(from), ",", `\,`)
	}
	field("sources", strings.Join(sources, ", "))
	if flatText(differs) != flatText(s.Text) {
		field("differs", escapeText(differs))
	}
}

// escapeText writes a text so that it is shown as it is, on one line.
func escapeText(s string) string {
	s = flatText(s)
	if !strings.ContainsAny(s, "\\`*_[]<>#|~%@&$") {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if strings.ContainsRune("\\`*[]<>#|~%@&$", r) || r == '_' && !withinWord(s, i) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// withinWord reports whether the sign at i has letters or digits on both sides.
func withinWord(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+1:])
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return word(before) && word(after)
}

// flatText has no line breaks, and nothing that cannot be seen or turns what can.
func flatText(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp), r == utf8.RuneError:
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

func unescapeText(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && s[i+1] < utf8.RuneSelf && unicode.In(rune(s[i+1]), unicode.P, unicode.S) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// readReviewFile reads what reviewBytes wrote, and what a person did to it.
func readReviewFile(raw []byte) *written {
	w := &written{answers: map[string]answer{}, pairs: make([]Pair, 0, bytes.Count(raw, []byte("\npair ")))}
	entity := ""
	var p *Pair
	var s *Side
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimRightFunc(line, unicode.IsSpace)
		if name, ok := strings.CutPrefix(line, "## "); ok {
			p, s, entity = nil, nil, unescapeText(name)
			if name == noEntity {
				entity = ""
			}
			continue
		}
		if id, said, ok := readAnswer(line); ok {
			w.answer(id, said)
			w.pairs = append(w.pairs, Pair{ID: id, Entity: entity})
			p, s = &w.pairs[len(w.pairs)-1], nil
			continue
		}
		if p == nil {
			continue
		}
		switch {
		case strings.HasPrefix(line, "- a: "):
			s = p.A.read(line[5:])
		case strings.HasPrefix(line, "- b: "):
			s = p.B.read(line[5:])
		case strings.HasPrefix(line, "  - ") && s != nil:
			p.readField(s, line[4:])
		case strings.HasPrefix(line, "- "):
			p.readKind(line[2:])
			p, s = nil, nil
		}
	}
	w.drop()
	return w
}

// answer takes one in.
func (w *written) answer(id string, said answer) {
	if said = w.answers[id].and(said); said != (answer{}) {
		w.answers[id] = said
	}
}

// and is what two lines for one pair say together: where they differ, no answer, but all of it.
func (a answer) and(b answer) answer {
	switch {
	case b == answer{} || a == b:
		return a
	case a == answer{}:
		return b
	case a.keep != "" && a.keep == b.keep && (a.note == "" || b.note == ""):
		return answer{keep: a.keep, note: a.note + b.note}
	case a.keep != "" && a.keep == b.keep:
		return answer{keep: a.keep, note: a.note + " / " + b.note}
	}
	return answer{unclear: a.plain() + " / keep " + b.plain()}
}

// plain is the answer in words.
func (a answer) plain() string { return strings.TrimRight(a.keep+a.unclear+" "+a.note, " ") }

// drop leaves pairs out that lack a claim, and all but the first of one id.
func (w *written) drop() {
	seen := map[string]bool{}
	w.pairs = slices.DeleteFunc(w.pairs, func(p Pair) bool {
		switch whole := p.A.Text != "" && p.B.Text != "" && p.A.Path != "" && p.B.Path != ""; {
		case !whole:
			w.damaged = append(w.damaged, p.ID)
			return true
		case seen[p.ID]:
			return true
		}
		seen[p.ID] = true
		return false
	})
}

// prove leaves out pairs whose claims are not those that their ids were made of: somebody
// edited the text.
func (w *written) prove() {
	whole := w.pairs[:0]
	for _, p := range w.pairs {
		id := p.ID
		if p.name(p.owner()); p.ID == id {
			whole = append(whole, p)
		} else {
			w.damaged = append(w.damaged, id)
		}
	}
	w.pairs = whole
}

func (s *Side) read(said string) *Side {
	s.Text, s.Fact = unescapeText(said), SentenceSide
	return s
}

func (p *Pair) readField(s *Side, field string) {
	name, value, ok := strings.Cut(field, ": ")
	switch {
	case strings.HasPrefix(field, "["):
		s.readPlace(field)
	case !ok:
	case name == "date":
		s.Date = unescapeText(value)
	case name == "said by":
		s.Speaker = unescapeText(value)
	case name == "sources":
		for ok := true; ok; {
			var from string
			from, value, ok = cutAt(value, ", ")
			s.Sources = append(s.Sources, unescapeText(from))
		}
	case name == "differs":
		if s == &p.A {
			p.Detail[0] = unescapeText(value)
		} else {
			p.Detail[1] = unescapeText(value)
		}
	}
}

// readPlace reads "[path:12](path), fact 2".
func (s *Side) readPlace(field string) {
	label, rest, ok := cutAt(field[1:], "](")
	dest, kind, shut := strings.Cut(rest, ")")
	name, err := url.PathUnescape(dest)
	if !ok || !shut || err != nil {
		return
	}
	path, err := page.ParsePath(name)
	if err != nil {
		return
	}
	s.Path = path
	if line, ok := strings.CutPrefix(unescapeText(label), name+":"); ok {
		s.Line, _ = strconv.Atoi(line) // 0 is unknown
	}
	if agent, ok := strings.CutPrefix(kind, ", fact of the agent "); ok {
		s.Fact, s.Agent = AgentFactSide, unescapeText(agent)
	} else if n, ok := strings.CutPrefix(kind, ", fact "); ok {
		if i, err := strconv.Atoi(n); err == nil && i > 0 {
			s.Fact = i - 1
		}
	}
}

// cutAt is strings.Cut that passes over what is escaped.
func cutAt(s, mark string) (before, after string, found bool) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == mark[0] && strings.HasPrefix(s[i:], mark):
			return s[:i], s[i+len(mark):], true
		}
	}
	return s, "", false
}

// readKind reads "supersession, slot 0.93, suggested: …", the last line of a pair.
func (p *Pair) readKind(said string) {
	kind, rest, _ := strings.Cut(said, ", ")
	screen, _, _ := strings.Cut(rest, ", ")
	screen, strength, _ := strings.Cut(screen, " ")
	p.Kind, p.Screen = unescapeText(kind), unescapeText(screen)
	p.Strength, _ = strconv.ParseFloat(strength, 64) // 0 is unknown
	for i, s := range [...]*Side{&p.A, &p.B} {
		if p.Detail[i] == "" {
			p.Detail[i] = s.Text
		}
	}
}

// readAnswer reads a pair's line: "pair 3fa91c22b7d0e4aa: keep b since the move".
func readAnswer(line string) (id string, said answer, ok bool) {
	if !mayBePair(line) {
		return "", answer{}, false
	}
	folded, at := foldedLine(line)
	rest, ok := strings.CutPrefix(strings.TrimLeft(folded, " "), "pair")
	rest = strings.TrimLeft(rest, " ")
	if !ok || len(rest) < 16 || strings.Trim(rest[:16], "0123456789abcdef") != "" {
		return "", answer{}, false
	}
	id, rest = rest[:16], strings.TrimLeft(rest[16:], " :=-")
	rest, ok = strings.CutPrefix(rest, "keep")
	if !ok {
		return "", answer{}, false
	}
	return id, toAnswer(line[at(len(folded)-len(rest)):]), true
}

// toAnswer reads what stands behind "keep". It is an answer if it begins with one of the three,
// and what stands behind that, the note, asks nothing and names no other of the three as a word:
// that would take it back, "a, or b", "a (?)". "b, a customer said so" is in doubt, and none.
func toAnswer(said string) answer {
	said = flatText(unescapeText(said))
	folded, at := foldedLine(said)
	rest := strings.TrimLeft(folded, " :=-\"'`(*")
	if strings.Trim(rest, "? *)`'\"") == "" {
		return answer{}
	}
	n := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if n < 0 {
		n = len(rest)
	}
	start := len(folded) - len(rest)
	if word := rest[:n]; isKeep(word) && !takesBack(word, rest[n:]) {
		return answer{keep: word, note: strings.TrimLeftFunc(said[at(start+n):], func(r rune) bool {
			return unicode.IsSpace(r) || unicode.IsPunct(r) && r != '(' && r != '（' && r != '\\'
		})}
	}
	return answer{unclear: said[at(start):]}
}

func isKeep(word string) bool { return word == KeepA || word == KeepB || word == KeepBoth }

// takesBack reports whether a note, folded, leaves the answer before it in doubt. Its words are
// those of letters that are written apart: Chinese around a b is no part of its word.
func takesBack(keep, note string) bool {
	words := strings.FieldsFunc(note, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) || text.IsCJK(r)
	})
	return strings.Contains(note, "?") || slices.ContainsFunc(words, func(w string) bool { return isKeep(w) && w != keep })
}

// mayBePair is a quick look at whether a line may be a pair's.
func mayBePair(line string) bool {
	line = strings.TrimLeft(line, " \t\u3000")
	return line != "" && (line[0] == 'p' || line[0] == 'P' || strings.HasPrefix(line, "ｐ") || strings.HasPrefix(line, "Ｐ"))
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// foldedLine folds a line, sign by sign, and tells from where in it a byte of the result comes.
func foldedLine(line string) (folded string, from func(int) int) {
	if isASCII(line) {
		return strings.ToLower(strings.ReplaceAll(line, "\t", " ")), func(i int) int { return i }
	}
	var b strings.Builder
	var at []int
	for i, r := range line {
		f := text.Fold(string(r))
		if unicode.IsSpace(r) {
			f = " "
		}
		b.WriteString(f)
		for range len(f) {
			at = append(at, i)
		}
	}
	at = append(at, len(line))
	return b.String(), func(i int) int { return at[i] }
}
