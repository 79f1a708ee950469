package compile

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"brain/text"
)

// sentence is an utterance while it is judged.
type sentence struct {
	utterance
	plain  *plain
	role   string
	people bool // people talk among themselves
}

// place is where a clause may begin.
type place struct {
	at    int
	first bool // nothing but opening words stands before it
}

// places are where a clause begins: behind marks and joining words, behind
// words that open one, and at "we" or "I" behind "in the end" and its like.
func (s *sentence) places() (out []place) {
	p := s.plain
	seen := map[int]bool{}
	add := func(i, begin int) {
		if i = skipSpace(p.s, i); !seen[i] && i < len(p.s) {
			seen[i] = true
			out = append(out, place{i, begin == 0})
		}
	}
	first := 0
	for _, begin := range p.starts {
		add(begin, begin-first)
		i := skipSpace(p.s, begin)
		for {
			next := openingWord(p.s, i)
			if next == i {
				break
			}
			i = skipSpace(p.s, next)
			add(i, begin-first)
		}
		if strings.HasPrefix(p.s[i:], ",") && begin == first { // "okay, …" still is the beginning
			first = skipSpace(p.s, i+1)
		}
		for _, at := range ledIn(p.s, i) {
			add(at, 1)
		}
	}
	sort.Slice(out, func(i, k int) bool { return out[i].at < out[k].at })
	return out
}

// openingWord gives the end of the opening word or phrase at i, else i.
func openingWord(s string, i int) int {
	for _, w := range openings()[firstOf(s[i:])] {
		if next, ok := literal(s, i, w); ok {
			return next
		}
	}
	return i
}

// ledIn finds who speaks behind a phrase: "after the meeting we", 缓存我们.
func ledIn(s string, i int) (at []int) {
	han := strings.ContainsFunc(s[i:min(len(s), i+60)], isHan)
	if first := firstOf(s[i:]); !han && !leadsIn[first] {
		return nil
	}
	from := i
	for room := 50; room > 0; {
		next, size := unit(s, i)
		if size == 0 {
			break
		}
		i, room = next, room-size
		for _, w := range speakersHere {
			if _, ok := literal(s, i, w); ok && i > from {
				at = append(at, i)
			}
		}
		for _, w := range whileHan {
			if han && strings.HasSuffix(s[:i], w) {
				at = append(at, i)
			}
		}
	}
	return at
}

// allows reports whether a cue is for who speaks, here.
func (s *sentence) allows(c *cue, at place) bool {
	switch {
	case s.role != "user" && !c.has("a") && !c.has("A"), s.role == "user" && c.has("A"),
		s.people && c.has("s"),
		!at.first && c.has("b"),
		!c.has("q") && s.asks():
		return false
	}
	return true
}

// screened reports a sentence in which no cue counts.
func (s *sentence) screened() bool {
	p := s.plain.s
	if p == "" || s.open || isHoled(s.raw) {
		return true
	}
	return hasAny(p, aboutWords()...) != ""
}

// asks reports a question.
func (s *sentence) asks() bool {
	p := s.plain.s
	if strings.HasSuffix(strings.TrimRight(p, " .)¤"), "?") {
		return true
	}
	last := strings.TrimRight(p, " .,)(")
	for _, w := range questionEnds {
		if strings.HasSuffix(last, w) {
			return true
		}
	}
	i := 0
	for next := openingWord(p, i); next != i; next = openingWord(p, i) {
		i = skipSpace(p, next)
	}
	for _, w := range questionStarts()[firstOf(p[min(i, len(p)):])] {
		if _, ok := literal(p, i, w); ok {
			return true
		}
	}
	return false
}

// passes puts what a cue found through the screens, and gives what it is about.
func (s *sentence) passes(f *found) (object [2]int, ok bool) {
	c, p := f.cue, s.plain.s
	if s.belied(f) {
		return object, false
	}
	if c.has("p") {
		return object, true
	}
	object = s.trimmed(f.object)
	if !f.bounded && endsHere(p, f.to) {
		object[1] = object[0] // what stands behind a comma is something else
	}
	whole := object
	if f.bounded || c.steps[0].gap > 0 && c.kind != Correction {
		whole = s.trimmed([2]int{f.from, len(p)})
	}
	if c.has("w") || c.steps[0].gap > 0 && !f.bounded && object[0] >= object[1] && !c.has("e") && c.kind != Correction {
		object = s.trimmed([2]int{0, len(p)})
		whole = object
	}
	about := p[object[0]:object[1]]
	if content(p[whole[0]:whole[1]]) < c.least() || f.bounded && vague(about) && c.kind != Correction && c.kind != Lesson {
		return [2]int{}, c.has("e") && !f.bounded && vague(about)
	}
	switch {
	case !f.leads() && !c.has("w") && startsVague(about), c.kind == Remember && startsPast(about),
		c.has("k") && !states(p[whole[0]:whole[1]]),
		c.has("t") && s.people && !s.isWork(whole),
		c.has("l") && (s.title || s.isHeading(object)),
		s.people && c.kind == Remember && !s.isConcrete(object),
		c.has("u") && !isNounPhrase(about),
		c.kind == Task && !f.leads() && isTrivial(about),
		c.has("g") && atHand(about),
		c.has("h") && startsWith(about, reactions()),
		c.kind == Remember && !s.isConcrete(object) && hasAny(about, platitudes()...) != "",
		c.has("c") && !s.isConcrete(object),
		c.has("o") && vague(about):
		return object, false
	}
	if vague(about) {
		object = whole
	}
	return object, true
}

// endsHere reports whether a clause ends at i though nothing was announced.
func endsHere(p string, i int) bool {
	if i == 0 || strings.IndexByte(",:;.", p[i-1]) >= 0 {
		return false
	}
	i = skipSpace(p, i)
	return i < len(p) && strings.IndexByte(",;.", p[i]) >= 0
}

// least is how many words with content a cue must be about; of a run of Han
// characters each pair is one.
func (c *cue) least() int {
	if !c.has("n") && (c.kind == Remember || c.kind == Lesson) {
		return 2
	}
	return 1
}

// isNounPhrase reports words that can name what was done or decided; "ensure
// that the cache" cannot.
func isNounPhrase(p string) bool {
	for w := range strings.FieldsSeq(p) {
		if noNoun[w] {
			return false
		}
	}
	return true
}

// isHeading reports what follows a participle as it does in headings and
// labels: "Updated Code", "Reduced hours: …".
func (s *sentence) isHeading(object [2]int) bool {
	p := s.plain
	end := p.wordEnd(object[0])
	from, to := p.source(object[0], end)
	r, _ := utf8.DecodeRuneInString(s.raw[from:to])
	if unicode.IsUpper(r) && strings.ToUpper(s.raw[from:to]) != s.raw[from:to] && !looksTechnical(p.s[object[0]:end]) && !strings.ContainsFunc(s.raw[from+1:to], unicode.IsUpper) {
		return s.role != "user" || !strings.Contains(p.s[end:], " ")
	}
	rest := p.s[object[0]:]
	if n := strings.IndexAny(rest, ",;."); n >= 0 {
		rest = rest[:n]
	}
	if n := strings.Index(rest, ":"); n >= 0 {
		if strings.Count(rest[:n], " ") < 4 {
			return true
		}
		rest = rest[:n]
	}
	return hasAny(rest, "is", "are", "was", "were", "went", "would", "will", "can", "has", "have", "should") != ""
}

// isConcrete reports words with a number, a name or something of ours in them.
func (s *sentence) isConcrete(object [2]int) bool {
	p := s.plain
	if isTechnical(p.s[object[0]:object[1]]) || strings.ContainsAny(p.s[object[0]:object[1]], "0123456789") {
		return true
	}
	for i := object[0]; i < object[1]; i = p.wordEnd(i) + 1 {
		end := p.wordEnd(i)
		spokenTo := end >= object[1] && strings.HasSuffix(p.s[:i], ", ") // …, Sam
		if !spokenTo && s.isName(p.s[i:end], i, end) {
			return true
		}
	}
	return false
}

// belied reports whether the words around a cue make it something else.
func (s *sentence) belied(f *found) bool {
	c, p := f.cue, s.plain.s
	before, clause, after := p[:f.from], p[s.clauseStart(f.from):f.from], p[f.to:]
	for _, g := range f.gaps {
		before += " , " + p[g[0]:g[1]]
		clause += " , " + p[g[0]:g[1]]
	}
	before, clause = harmless(before), harmless(clause)
	switch c.kind {
	case Task:
		if hasAny(harmless(p), unfinished()...) != "" || hasAny(after, laterConditions()...) != "" || hasAny(clause, future()...) != "" || hasAny(p[f.from:f.to], "就") != "" {
			return true
		}
	case Decision:
		if !c.has("f") && hasAny(after, laterConditions()...) != "" {
			return true
		}
	case Correction:
		if hasAny(p, feelings()...) != "" && !strings.ContainsAny(p, "0123456789") {
			return true
		}
	case Lesson:
		if hasAny(p[f.from:], meeting()...) != "" {
			return true // a lot has happened since we met
		}
	}
	if c.kind == Task || c.kind == Decision {
		if isHistory(p) || hasAny(before, timeConditions()...) != "" || strings.HasSuffix(strings.TrimRight(p[:f.from], " "), " since") {
			return true
		}
	}
	if c.kind != Remember && c.kind != Correction {
		if hasAny(clause, farWords()...) != "" || c.kind != Lesson && hasAny(clause, otherPeople()...) != "" {
			return true
		}
	}
	return hasAny(before, notOurs()...) != "" ||
		!c.has("i") && hasAny(before, conditionWords()...) != "" ||
		hasAny(after, takenBack()...) != ""
}

// clauseStart is where the clause begins in which a cue stands.
func (s *sentence) clauseStart(at int) int {
	for i := at - 1; i >= 0; i-- {
		if strings.IndexByte(",;:.()", s.plain.s[i]) >= 0 {
			return i + 1
		}
	}
	return 0
}

// harmless drops what only looks like a word of a screen.
func harmless(p string) string {
	for _, w := range harmlessWords() {
		p = strings.ReplaceAll(p, w, "")
	}
	return p
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

func isLatin(r rune) bool { return 'a' <= r && r <= 'z' }

// isHistory reports a sentence that names a year long gone.
func isHistory(p string) bool {
	for w := range strings.FieldsSeq(p) {
		if len(w) == 4 && w >= "1500" && w < "2020" && strings.Trim(w, "0123456789") == "" {
			return true
		}
	}
	return false
}

// states reports words that say how something is.
func states(p string) bool {
	if strings.ContainsFunc(p, isHan) && strings.ContainsFunc(p, isLatin) {
		return true
	}
	return hasAny(p, statingWords()...) != "" || strings.ContainsAny(p, "0123456789")
}

// trimmed is the object without marks and little words at its ends.
func (s *sentence) trimmed(o [2]int) [2]int {
	p := s.plain.s
	for o[0] < o[1] && strings.IndexByte(" ,;:.()?", p[o[0]]) >= 0 {
		o[0]++
	}
	for o[0] < o[1] && strings.IndexByte(" ,;:.()?", p[o[1]-1]) >= 0 {
		o[1]--
	}
	return o
}

// content counts the words that mean something.
func content(p string) (n int) {
	for _, t := range text.Query(strings.ReplaceAll(withoutVague(p), name, "quoted")) {
		n = t.Word + 1
	}
	return n
}

func vague(p string) bool { return content(p) == 0 }

// withoutVague drops words like "thing" and 这个.
func withoutVague(p string) string {
	var b strings.Builder
	for w := range strings.FieldsSeq(p) {
		if r, _ := utf8.DecodeRuneInString(w); unicode.Is(unicode.Han, r) {
			w = vagueHan.Replace(w)
		} else if vagueWords[w] {
			continue
		}
		b.WriteString(w)
		b.WriteByte(' ')
	}
	return b.String()
}

// startsVague reports an object that begins as none does: "whether", "to be".
func startsVague(p string) bool {
	p = strings.TrimPrefix(p, "to ")
	return startsWith(p, vagueStarts())
}

// startsWith reports whether one of some phrases, by their first word, begins p.
func startsWith(p string, starts map[string][]string) bool {
	for _, w := range starts[firstOf(p)] {
		if _, ok := literal(p, 0, w); ok {
			return true
		}
	}
	return false
}

// isTrivial reports what is done every day, or to something that only "it"
// names.
func isTrivial(p string) bool {
	if w := firstOf(p); w == "it" || w == "them" || w == "myself" {
		return true
	}
	for w := range strings.FieldsSeq(p) {
		if trivialWords[w] {
			return true
		}
	}
	return false
}

// atHand reports an object that is before the eyes of those who talk.
func atHand(p string) bool {
	switch firstOf(p) {
	case "the", "this", "that", "these", "those", "it", "them", "here", "这", "那", "它", "第":
		return true
	}
	return false
}

// startsPast reports what "remember" goes on with when it means to look back.
func startsPast(p string) bool {
	return startsWith(p, pastStarts())
}

// says reports whether a sentence is what a cue before it announced.
func (s *sentence) says(c *cue) bool {
	p := s.plain.s
	if s.screened() || s.asks() || content(p) < 2 || hasAny(p, notOurs()...) != "" {
		return false
	}
	return c.kind != Correction || states(p)
}

// givesReason reports a sentence that says why.
func givesReason(p *plain) bool {
	return startsWith(p.s[skipSpace(p.s, 0):], reasons())
}

// isWork reports words about work with computers; among people a quoted name
// is the title of a book more often than one of code.
func (s *sentence) isWork(words [2]int) bool {
	p := s.plain.s[words[0]:words[1]]
	if !strings.Contains(s.raw, "`") {
		p = strings.ReplaceAll(p, name, "")
	}
	return isTechnical(p)
}

// isTechnical reports text that names something of work with computers.
func isTechnical(p string) bool {
	for w := range strings.FieldsSeq(p) {
		if w == name || technicalWords[w] || technicalWords[strings.TrimSuffix(w, "s")] || looksTechnical(w) {
			return true
		}
	}
	return hasAny(p, technicalHan...) != ""
}

// looksTechnical reports a word with the form of an identifier.
func looksTechnical(w string) bool {
	if strings.ContainsAny(w, "_/=<>\\") || strings.HasPrefix(w, "--") {
		return true
	}
	dot := strings.IndexByte(w, '.')
	return dot > 0 && dot < len(w)-1 && !isDigit(w[dot+1])
}

// hasAny gives the first of some words and phrases that occurs in a plain
// form: Latin ones as whole words, Han ones anywhere.
func hasAny(p string, words ...string) string {
	for _, w := range words {
		for at := 0; ; {
			n := strings.Index(p[at:], w)
			if n < 0 {
				break
			}
			at += n
			r, _ := utf8.DecodeRuneInString(w)
			whole := unicode.Is(unicode.Han, r) || at == 0 || p[at-1] == ' '
			if _, ok := literal(p, at, w); ok && whole {
				return w
			}
			at++
		}
	}
	return ""
}

// phrases reads lists of words and phrases, an underscore for a space.
func phrases(lists ...string) (out []string) {
	for _, list := range lists {
		for w := range strings.FieldsSeq(list) {
			out = append(out, strings.ReplaceAll(w, "_", " "))
		}
	}
	return out
}

// byFirst orders phrases by their first word, the longest first.
func byFirst(lists ...string) map[string][]string {
	m := map[string][]string{}
	for _, w := range phrases(lists...) {
		m[firstOf(w)] = append(m[firstOf(w)], w)
	}
	for _, l := range m {
		sort.SliceStable(l, func(i, k int) bool { return len(l[i]) > len(l[k]) })
	}
	return m
}
