package compile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A cue is the shape of a clause by which something is said: who speaks, the
// verb, what it is about. Shapes are lists of steps, in a notation of our own
// because tables of them must be readable:
//
//	<we> have? <adv>* decided/agreed to/on/that
//
//	a/b       one of these; an underscore is a space: go_with
//	a? a*     there or not; any number of times
//	<we>      one of a list of that name
//	..        up to 6 words, or 15 Han characters, within the clause
//	X         up to 12 words or 30 characters: what the cue is about
//	x         the same, up to 5 words or 12 characters
//	#         a word that begins with a digit
//	~         a word that is not of Han characters: a number, a name
//	$         the end of the clause, but for words like "now"
//	$$        the end of the sentence
//
// Latin words match whole words of the plain form (rules_plain.go), Han
// characters match as they come. Where a shape has no X, what stands behind it
// up to the end of the sentence is what the cue is about.

// cue is one row of a table.
type cue struct {
	kind       Kind
	confidence float64
	flags      string // letters, see cueFlags
	shape      string // for tests and for people
	steps      []step
	first      map[string]bool // what a text may begin with to match; nil: anything
	needs      map[string]bool // one of these a text must have; nil: nothing known
	n          int             // its place in the tables
}

// cueFlags are what a row may say besides:
//
//	a  counts of an assistant, too
//	q  may be asked: could you remember that …?
//	i  may depend on a condition: if it rains, always …
//	t  about work only: its object must name something technical where people
//	   talk among themselves
//	s  in talk between a person and an agent only
//	e  may be about nothing by itself: the next sentence says it
//	p  is about the sentence before
//	f  holds though a condition follows: we decided to retry if it fails
//	b  only at the beginning of a sentence
//	n  needs no more than a name, however short
//	k  what follows must state something: it is wrong, the port is 5433
//	l  of a report without a subject, which may be a heading: "Added retries",
//	   but not "Updated Code:"
//	u  its subject must be able to name what it is about
//	o  likewise, and be no pronoun
//	A  of an assistant only
//	g  in general only: an object that is at hand ("the file", "this") is an
//	   order for the moment
//	h  in general only: not of what answers to the moment ("your idea", "this")
//	w  what it is about is the whole sentence
//	c  its object must have a number or a name in it
const cueFlags = "aAqitsebnpfkluogchw"

type step struct {
	words    []string
	gap      int // words that may stand here; 0: this is no gap
	object   bool
	optional bool
	repeated bool
}

// readCues reads a table: lines of a kind, a confidence, flags or -, a shape.
// Lines "name = a/b/c" say what <name> is; a line that begins with a tab and a
// slash goes on with the one before.
func readCues(table string) (cues []cue) {
	lists := map[string][]string{}
	for line := range strings.Lines(strings.ReplaceAll(table, "\n\t/", "/")) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if key, words, ok := strings.Cut(line, " = "); ok {
			lists[key] = append(lists[key], alternatives(words, lists)...)
			continue
		}
		c, err := readCue(line, lists)
		if err != nil {
			panic(fmt.Sprintf("compile: cue %q: %v", line, err))
		}
		cues = append(cues, c)
	}
	return cues
}

func readCue(line string, lists map[string][]string) (c cue, err error) {
	f := strings.Fields(line)
	if len(f) < 4 {
		return c, fmt.Errorf("want kind, confidence, flags, shape")
	}
	c.kind, c.flags, c.shape = Kind(f[0]), strings.Trim(f[2], "-"), strings.Join(f[3:], " ")
	if c.confidence, err = strconv.ParseFloat(f[1], 64); err != nil {
		return c, err
	}
	if bad := strings.Trim(c.flags, cueFlags); bad != "" {
		return c, fmt.Errorf("unknown flags %q", bad)
	}
	for _, w := range f[3:] {
		s, err := readStep(w, lists)
		if err != nil {
			return c, err
		}
		c.steps = append(c.steps, s)
	}
	c.first, c.needs = firstWords(c.steps), neededWords(c.steps)
	return c, nil
}

func readStep(w string, lists map[string][]string) (s step, err error) {
	switch w {
	case "..":
		return step{gap: 6}, nil
	case "X":
		return step{gap: 12, object: true}, nil
	case "x":
		return step{gap: 5, object: true}, nil
	}
	if t := strings.TrimSuffix(w, "?"); t != w && t != "" {
		s.optional, w = true, t
	} else if t := strings.TrimSuffix(w, "*"); t != w {
		s.optional, s.repeated, w = true, true, t
	}
	if s.words = alternatives(w, lists); len(s.words) == 0 {
		err = fmt.Errorf("nothing is known of %s", w)
	}
	slices.SortStableFunc(s.words, func(a, b string) int { return len(b) - len(a) })
	return s, err
}

// alternatives reads a/b_c/<list>.
func alternatives(w string, lists map[string][]string) (words []string) {
	for one := range strings.SplitSeq(w, "/") {
		if strings.HasPrefix(one, "<") && strings.HasSuffix(one, ">") {
			words = append(words, lists[one[1:len(one)-1]]...)
			continue
		}
		words = append(words, strings.ReplaceAll(one, "_", " "))
	}
	return words
}

// firstWords are the words, or first characters, that a shape can begin with.
func firstWords(steps []step) map[string]bool {
	first := map[string]bool{}
	for _, s := range steps {
		if s.gap > 0 {
			return nil
		}
		for _, w := range s.words {
			if w == "#" || w == "$" || w == "$$" || w == "~" {
				return nil
			}
			first[firstOf(w)] = true
		}
		if !s.optional {
			return first
		}
	}
	return nil
}

// neededWords are the words of the step that asks for the fewest.
func neededWords(steps []step) (least map[string]bool) {
	for _, s := range steps {
		if one := firstWords([]step{s}); one != nil && (least == nil || len(one) < len(least)) {
			least = one
		}
	}
	return least
}

// firstOf is the first Latin word or Han character of s.
func firstOf(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if unicode.Is(unicode.Han, r) {
		return s[:size]
	}
	w, _, _ := strings.Cut(s, " ")
	return w
}

// found is where a cue holds: its bytes of the plain form, and those of what
// it is about.
type found struct {
	cue      *cue
	plain    *plain
	from, to int
	object   [2]int
	opens    bool     // the next sentence says what it is about
	bounded  bool     // the cue has an X: the object ends with it
	gaps     [][2]int // what stands where the shape says nothing, but for the object
}

// leads reports whether the clause begins with what the cue is about.
func (f *found) leads() bool { return f.bounded && f.object[0] <= f.from+1 }

func (c *cue) has(flag string) bool { return strings.Contains(c.flags, flag) }

// mostWork bounds the steps that are tried on a sentence, so that one made to
// be read in many ways costs milliseconds. What is said takes a tenth of it.
const mostWork = 50_000

// match tells whether a cue holds at a place of a plain form.
func (c *cue) match(p *plain, at int) (found, bool) {
	f := found{cue: c, plain: p, from: at, object: [2]int{-1, -1}}
	end, ok := matchSteps(p.s, at, c.steps, &f)
	if !ok {
		return f, false
	}
	f.to = end
	if f.bounded = f.object[0] >= 0; !f.bounded {
		f.object = [2]int{end, len(p.s)}
	}
	return f, true
}

func matchSteps(s string, at int, steps []step, f *found) (end int, ok bool) {
	if f.plain.work++; f.plain.work > mostWork {
		return at, false
	}
	if len(steps) == 0 {
		return at, true
	}
	now, rest := &steps[0], steps[1:]
	if now.gap > 0 {
		return matchGap(s, at, now, rest, f)
	}
	for _, w := range now.words {
		next, ok := literal(s, at, w)
		if !ok {
			continue
		}
		after := rest
		if now.repeated {
			after = steps
		}
		if end, ok = matchSteps(s, next, after, f); ok {
			return end, true
		}
		if now.repeated {
			break // the longest word only: two ways to read each of many cost too much
		}
	}
	if now.optional {
		return matchSteps(s, at, rest, f)
	}
	return at, false
}

// matchGap takes as few words as it can, but for an X at the end of a shape,
// which takes what there is.
func matchGap(s string, at int, now *step, rest []step, f *found) (int, bool) {
	from := skipSpace(s, at)
	if now.object && len(rest) == 0 {
		end := from
		for room := now.gap * 5; room > 0; {
			next, size := unit(s, end)
			if size == 0 {
				break
			}
			end, room = next, room-size
		}
		f.object = [2]int{from, end}
		return end, end > from
	}
	for i, room := from, now.gap*5; room >= 0; {
		if i > from || !now.object {
			object, gaps := f.object, len(f.gaps)
			if now.object {
				f.object = [2]int{from, i}
			}
			if !now.object || from <= f.from+1 { // the subject of a clause is looked at like what stands before it
				f.gaps = append(f.gaps, [2]int{from, i})
			}
			if end, ok := matchSteps(s, i, rest, f); ok {
				return end, true
			}
			f.object, f.gaps = object, f.gaps[:gaps]
		}
		next, size := unit(s, i)
		if size == 0 {
			return at, false
		}
		i, room = next, room-size
	}
	return at, false
}

// unit steps over one Latin word or one Han character; size is what it takes
// of a gap's room, 0 when a mark or the end stands there.
func unit(s string, i int) (next, size int) {
	i = skipSpace(s, i)
	if i >= len(s) || strings.IndexByte(",;:.?()", s[i]) >= 0 {
		return i, 0
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if unicode.Is(unicode.Han, r) {
		return i + n, 2
	}
	if k := strings.IndexByte(s[i:], ' '); k >= 0 {
		return i + k, 5
	}
	return len(s), 5
}

func skipSpace(s string, i int) int {
	if i < len(s) && s[i] == ' ' {
		i++
	}
	return i
}

// literal matches one alternative at a place: a Latin word with its end, Han
// characters that are no part of another word there.
func literal(s string, at int, w string) (next int, ok bool) {
	switch w {
	case "$":
		return at, endsClause(s, at)
	case "$$":
		return at, strings.Trim(s[at:], " ,.;?()了吧啦哦啊哈哟") == ""
	case "#", "~":
		at = skipSpace(s, at)
		next, _ = unit(s, at)
		r, _ := utf8.DecodeRuneInString(s[at:])
		return next, next > at && !unicode.Is(unicode.Han, r) && (w == "~" || isDigit(s[at]))
	}
	at = skipSpace(s, at)
	if !strings.HasPrefix(s[at:], w) {
		return at, false
	}
	next = at + len(w)
	last, _ := utf8.DecodeLastRuneInString(w)
	if !unicode.Is(unicode.Han, last) {
		return next, next == len(s) || s[next] == ' '
	}
	alone := len(w) == utf8.RuneLen(last) // two characters are a word more often than a part of two
	return next, !splitsWord(s, at) && !(alone && splitsWord(s, next))
}

// splitsWord reports whether a place in a run of Han characters lies within
// one of the words that cues would be seen in by mistake: 特别, 作用.
func splitsWord(s string, at int) bool {
	if at == 0 || at >= len(s) || s[at-1] < utf8.RuneSelf || s[at] < utf8.RuneSelf {
		return false
	}
	const han = 3 // bytes
	for before := han; before <= 3*han && before <= at; before += han {
		for after := han; before+after <= 4*han && at+after <= len(s); after += han {
			if compounds[s[at-before:at+after]] {
				return true
			}
		}
	}
	return false
}

// endings may stand between the last word that counts and the end.
var endings = []string{"now", "then", "too", "already", "today", "again", "finally", "successfully", "for good", "by now", "as well", "了", "吧", "啦", "哦", "啊", "呢", "的", "哈", "嘛", "呀"}

// endsClause reports whether a clause ends at i.
func endsClause(s string, i int) bool {
	i = skipSpace(s, i)
	if i >= len(s) || strings.IndexByte(",;:.()", s[i]) >= 0 {
		return true
	}
	for _, w := range endings {
		if next, ok := literal(s, i, w); ok {
			return endsClause(s, next)
		}
	}
	return false
}
