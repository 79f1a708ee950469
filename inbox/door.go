package inbox

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brain/page"
	"brain/text"
)

// The door. Every text of a session passes it before a byte of it reaches the
// disk, in this order:
//
//	bytes      no NUL, no bytes that are not UTF-8
//	private    <private> … </private> goes, to the end of the turn when unclosed;
//	           [private] says where it stood, so that what is left does not pass
//	           for all that was said
//	injected   frames in which a memory was shown to an agent go: they were not
//	           said, and kept they would be recalled and injected once more
//	secrets    become marks that name their kind (text.Mask)
//	output     of a tool is cut to 2,000 characters
//
// It looks at nothing but the text, so that a turn that is sent again comes out
// the same and is known. Where it is in doubt it removes what is private and
// keeps what was injected: the one must not be kept, of the other nothing that
// was said may be lost.

// MemoryTag names the frame in which brain shows its own memory to an agent:
//
//	<brain-memory …> … </brain-memory>
const MemoryTag = "brain-memory"

const privateTag = "private"

// PrivateMark stands in the text of a turn in place of each private span.
const PrivateMark = "[private]"

// memoryTags are the frames that are taken for injected: ours, and those of
// agents and of other memories.
var memoryTags = []string{
	MemoryTag,
	"memory", "memories", "user_memory", "memory_context", // DeerFlow and others
	"relevant-memories", "supermemory-context", "claude-mem-context",
	"system-reminder", // Claude Code
}

// maxOutput is how many characters are kept of what a tool returned, the mark
// of the cut among them.
const maxOutput = 2000

// withheld counts what the door kept back.
type withheld struct {
	private, injected, cut int
	masked                 map[string]int // by kind
}

func (w *withheld) add(o withheld) {
	w.private += o.private
	w.injected += o.injected
	w.cut += o.cut
	for kind, n := range o.masked {
		if w.masked == nil {
			w.masked = map[string]int{}
		}
		w.masked[kind] += n
	}
}

// passage is how a session came through the door.
type passage struct {
	skipped int        // turns of which nothing was left
	all     withheld   // of everything that was given
	turns   []withheld // of each turn that is kept, and of those before it that are not
}

// of gives what was kept back of some of the session's turns.
func (p *passage) of(turns []page.Turn) (w withheld) {
	for i := range turns {
		w.add(p.turns[turns[i].Line-1])
	}
	return w
}

// admit lets a session through the door. Until it is kept, a turn's Line is its
// number among those that came through.
func admit(s Session) (Session, passage) {
	var p passage
	s.User, s.Title = p.all.admit(s.User), p.all.admit(s.Title)
	given := s.Turns
	s.Turns = nil
	var w withheld
	for _, t := range given {
		t = page.Turn{
			ID: w.admitID(t.ID), Role: w.admit(t.Role), Speaker: w.admit(t.Speaker), Kind: w.admit(t.Kind),
			At: t.At.UTC(), Text: w.admitSaid(t.Text),
		}
		if t.Role == "tool" {
			t.Text = w.shorten(t.Text)
		}
		if strings.TrimSpace(t.Text) == "" {
			p.skipped++
			continue
		}
		p.all.add(w)
		p.turns = append(p.turns, w)
		t.Line = len(p.turns)
		s.Turns = append(s.Turns, t)
		w = withheld{}
	}
	p.all.add(w)
	return s, p
}

// admit gives what of a name, a title or a role may be kept.
func (w *withheld) admit(s string) string {
	return w.pass(clean(s), "")
}

// admitSaid gives what of the text of a turn may be kept, nothing when marks are
// all that is left.
func (w *withheld) admitSaid(s string) string {
	before := w.private
	s = w.pass(clean(s), PrivateMark)
	if w.private > before && strings.TrimSpace(strings.ReplaceAll(s, PrivateMark, "")) == "" {
		return ""
	}
	return s
}

// pass lets a text through; a mark stands in place of private spans.
func (w *withheld) pass(s, mark string) string {
	s = w.removePrivate(s, mark)
	s = w.removeInjected(s)
	s, found := text.Mask(s)
	w.add(withheld{masked: found})
	return s
}

// admitID gives an id as it may be kept. One that is a secret becomes its hash:
// two that were masked would be one, and the second turn taken for a replay.
func (w *withheld) admitID(id string) string {
	id = clean(id)
	if _, found := text.Mask(id); found != nil {
		w.add(withheld{masked: found})
		sum := sha256.Sum256([]byte(id))
		return "masked-" + hex.EncodeToString(sum[:8])
	}
	return id
}

// clean drops what no JSON text may hold or no program shows.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

// shorten cuts what a tool returned.
func (w *withheld) shorten(s string) string {
	if len(s) <= maxOutput {
		return s
	}
	n := utf8.RuneCountInString(s)
	if n <= maxOutput {
		return s
	}
	const mark = "\n[cut: %d more characters]"
	end := text.CutGrapheme(s, runeOffset(s, maxOutput-len(fmt.Sprintf(mark, n))))
	if open := strings.LastIndex(s[:end], text.MarkOpen); open >= 0 && !strings.Contains(s[open:end], text.MarkClose) {
		end = open // no half mark of a secret
	}
	w.cut++
	return s[:end] + fmt.Sprintf(mark, n-utf8.RuneCountInString(s[:end]))
}

// runeOffset gives the byte at which the n-th character begins, from 0.
func runeOffset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// A tag may have blanks and attributes; it has no tag within.
var (
	anyPrivate = tagPattern([]string{privateTag})
	anyMemory  = tagPattern(memoryTags)
)

func tagPattern(names []string) func() *regexp.Regexp {
	return text.Pattern(`(?i)<\s*(/?)\s*(` + strings.Join(names, "|") + `)(?:\s[^<>]*)?(/?)>`)
}

// tag is an opening or closing tag in a text.
type tag struct {
	start, end int
	name       string
	closes     bool
}

// tagsOf gives the tags of a text; those that stand for nothing (<private/>) are none.
func tagsOf(s string, pattern *regexp.Regexp) (tags []tag) {
	for _, m := range pattern.FindAllStringSubmatchIndex(s, -1) {
		if s[m[1]-2] != '/' {
			tags = append(tags, tag{start: m[0], end: m[1], name: strings.ToLower(s[m[4]:m[5]]), closes: m[3] > m[2]})
		}
	}
	return tags
}

// removePrivate puts a mark in place of private spans. What is left may, put
// together, be such a tag once more: then it goes without a mark, and who goes on
// with that loses the rest of the text.
func (w *withheld) removePrivate(s, mark string) string {
	const patience = 4
	for n := 0; strings.Contains(s, "<"); n++ {
		spans := privateSpans(s)
		if len(spans) == 0 {
			break
		}
		w.private += len(spans)
		if n == patience {
			return s[:spans[0].Start] + mark
		}
		rest := replaced(s, spans, "")
		if len(privateSpans(rest)) == 0 {
			return replaced(s, spans, mark)
		}
		s = rest
	}
	return s
}

// privateTags gives the tags of private spans. `<private>`, in backquotes, is talk
// about the tag.
func privateTags(s string) []tag {
	return slices.DeleteFunc(tagsOf(s, anyPrivate()), func(t tag) bool {
		return t.start > 0 && s[t.start-1] == '`' && t.end < len(s) && s[t.end] == '`'
	})
}

// privateSpans gives the outermost private spans, with their tags.
func privateSpans(s string) (spans []text.Span) {
	start, depth := 0, 0
	for _, t := range privateTags(s) {
		switch {
		case !t.closes && depth == 0:
			start, depth = t.start, 1
		case !t.closes:
			depth++
		case depth > 0:
			if depth--; depth == 0 {
				spans = append(spans, text.Span{Start: start, End: t.end})
			}
		}
	}
	if depth > 0 {
		spans = append(spans, text.Span{Start: start, End: len(s)})
	}
	return spans
}

// removeInjected removes whole frames of injected memory.
func (w *withheld) removeInjected(s string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	spans := frames(s)
	w.injected += len(spans)
	return replaced(s, spans, "")
}

// frames gives the outermost frames of injected memory, with their tags. A tag
// opens none in code, where it is talk about the tag or somebody's markup, and
// closes none in a code span; nor is <memory unit="KiB">512</memory>, without
// a letter, what anybody remembers.
func frames(s string) (spans []text.Span) {
	type frame struct {
		tag
		outside place // where it stands: what is in it opens no code around it
	}
	var open []frame
	var at place
	for _, t := range tagsOf(s, anyMemory()) {
		at.walk(s, t.start)
		if at.inSpan || !t.closes && at.fenced {
			continue
		}
		if !t.closes {
			open = append(open, frame{t, at})
			continue
		}
		n := len(open) - 1
		for n >= 0 && open[n].name != t.name {
			n--
		}
		if n < 0 {
			continue
		}
		f := open[n]
		open = open[:n]
		at.fenced, at.inSpan = f.outside.fenced, false
		if strings.ContainsFunc(s[f.end:t.start], unicode.IsLetter) {
			for len(spans) > 0 && spans[len(spans)-1].Start > f.start {
				spans = spans[:len(spans)-1] // it lies within
			}
			spans = append(spans, text.Span{Start: f.start, End: t.end})
		}
	}
	return spans
}

// place is a place in a text, seen as Markdown: whether it lies in a block of
// code, or in a code span of its line.
type place struct {
	i              int
	fenced, inSpan bool
}

// walk goes on to a place.
func (p *place) walk(s string, to int) {
	for p.i < to {
		if p.i == 0 || s[p.i-1] == '\n' {
			p.inSpan = false
			if line := strings.TrimLeft(s[p.i:], " \t>"); strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
				p.fenced = !p.fenced
				p.i = len(s) - len(line) + len("```")
				continue
			}
		}
		if s[p.i] == '`' && (p.i == 0 || s[p.i-1] != '`') {
			p.inSpan = !p.inSpan
		}
		p.i++
	}
}

// replaced has a mark in place of some spans.
func replaced(s string, spans []text.Span, mark string) string {
	if len(spans) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, sp := range spans {
		b.WriteString(s[at:sp.Start])
		b.WriteString(mark)
		at = sp.End
	}
	b.WriteString(s[at:])
	return b.String()
}
