package compile

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"brain/inbox"
	"brain/text"
)

// Not all that stands in a turn was said by its speaker. Code, logs, tables and
// quoted mail were pasted, and what stands in quotation marks are the words of
// somebody else. Lines of the first kind are left out; a quoted span keeps its
// place as one opaque word, since "call it `parse_all`" is about that name.

// opaque stands for each byte of a quoted span.
const opaque = '\x1a'

// utterance is a sentence of a turn.
type utterance struct {
	raw    string // as said, without the mark of a list or heading
	hidden string // raw with quoted spans opaque, byte for byte as long
	done   bool   // an entry of a list that is ticked off
	open   bool   // one that is not
	item   bool   // an entry of a list
	title  bool   // a heading, or a line in bold
}

// speech gives the sentences that the speaker of a turn said.
func speech(said string) (out []utterance) {
	hidden := hideLines(said)
	hidden = hideQuotes(hidden)
	for _, s := range text.Sentences(hidden) {
		if u := newUtterance(said[s.Start:s.End], hidden[s.Start:s.End]); u.raw != "" {
			out = append(out, u)
		}
	}
	return out
}

// newUtterance drops what surrounds a sentence: space, marks of lists, quotes
// and headings.
func newUtterance(raw, hidden string) (u utterance) {
	cut := len(hidden) - len(strings.TrimLeft(hidden, " \t\r\n#"))
	u.title = strings.Contains(hidden[:cut], "#")
	raw, hidden = raw[cut:], hidden[cut:]
	if mark := listMark(hidden); mark > 0 {
		raw, hidden, u.item = raw[mark:], hidden[mark:], true
	}
	for _, box := range [...]string{"[x]", "[X]", "[ ]", "✅", "☑", "✓", "✔"} {
		if after, ok := strings.CutPrefix(hidden, box); ok {
			after = strings.TrimLeft(after, "\uFE0F \t")
			raw, hidden = raw[len(raw)-len(after):], after
			u.open, u.done = box == "[ ]", box != "[ ]"
		}
	}
	end := len(strings.TrimRightFunc(hidden, unicode.IsSpace))
	u.raw, u.hidden = raw[:end], hidden[:end]
	u.title = u.title || strings.HasPrefix(u.raw, "**") && strings.HasSuffix(u.raw, "**")
	return u
}

// isHoled reports a sentence from which something was taken out that it needs:
// "call me on [private] when it is done" says another thing without. Of a secret
// the rest counts when it is part of an address, or when more is said behind it.
func isHoled(raw string) bool {
	if strings.Contains(raw, inbox.PrivateMark) {
		return true
	}
	for {
		before, rest, ok := strings.Cut(raw, text.MarkOpen)
		if !ok {
			return false
		}
		_, after, _ := strings.Cut(rest, text.MarkClose)
		begin := strings.LastIndexFunc(before, func(r rune) bool { return unicode.IsSpace(r) || isHan(r) }) + 1
		inAddress := strings.Contains(before[begin:], "://") || strings.HasPrefix(after, "@")
		if next, _, _ := strings.Cut(after, text.MarkOpen); !inAddress && content(next) < 2 {
			return true
		}
		raw = after
	}
}

// listMark is the length of "- ", "* ", "1. ", "2) " at the beginning of s.
func listMark(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "0123456789"))
	switch {
	case n > 0 && n < 4 && n < len(s) && (s[n] == '.' || s[n] == ')'):
		n++
	case n > 0 && n < 4 && strings.HasPrefix(s[n:], "、"):
		return n + len("、")
	case n == 0 && strings.HasPrefix(s, "•"):
		n = len("•")
	case n == 0 && s != "" && (s[0] == '-' || s[0] == '*' || s[0] == '+'):
		n = 1
	default:
		return 0
	}
	blank := len(s[n:]) - len(strings.TrimLeft(s[n:], " \t"))
	if blank == 0 {
		return 0
	}
	return n + blank
}

// Nobody types as much as longTurn bytes in one go: of more, the lines within
// bytes of its ends are the speaker's, and what stands between was pasted.
const (
	longTurn = 8000
	ends     = 2000
)

// hideLines blanks the lines that were pasted.
func hideLines(said string) string {
	out := []byte(said)
	fence := ""
	at := 0
	for line := range strings.Lines(said) {
		trimmed := strings.TrimSpace(line)
		hide := fence != "" || len(said) > longTurn && at > ends && at+len(line) < len(said)-ends
		switch {
		case fence != "" && strings.HasPrefix(trimmed, fence):
			fence = ""
		case fence == "" && (strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")):
			fence, hide = trimmed[:3], true
		}
		if hide || pasted(line, trimmed) {
			for i := at; i < at+len(line); i++ {
				if out[i] != '\n' && out[i] != '\r' {
					out[i] = ' '
				}
			}
		}
		at += len(line)
	}
	return string(out)
}

// pasted reports whether a line is a quote, a row of a table, output of a
// program, or code.
func pasted(line, trimmed string) bool {
	switch {
	case trimmed == "":
		return false
	case trimmed[0] == '>', trimmed[0] == '|', trimmed[0] == '{', strings.HasPrefix(trimmed, "@@ "),
		strings.HasPrefix(trimmed, "$ "), strings.HasPrefix(trimmed, "<!--"), strings.HasPrefix(trimmed, "//"),
		strings.HasPrefix(trimmed, "==="), strings.HasPrefix(trimmed, "---"), strings.HasPrefix(trimmed, "+++"):
		return true
	case (strings.HasPrefix(line, "    ") || line[0] == '\t') && listMark(trimmed) == 0:
		return true
	case strings.HasSuffix(trimmed, ";") && strings.ContainsAny(trimmed, "=()"), strings.HasSuffix(trimmed, "{"):
		return true
	}
	return isLog(trimmed)
}

// logLevels begin the lines of programs.
var logLevels = wordSet(`ERROR WARN WARNING INFO DEBUG TRACE FATAL CRITICAL NOTICE PANIC FAIL PASS ok FAILED PASSED Traceback`)

// isLog reports a line that a program wrote: it begins with a time or with a
// level, or is a frame of a stack.
func isLog(line string) bool {
	first, rest, more := strings.Cut(strings.TrimLeft(line, "["), " ")
	level := strings.TrimRight(first, ":]")
	switch {
	case len(first) >= 8 && isClock(first), len(first) == 10 && isClock(first+" 00:00"):
		clock, _, _ := strings.Cut(rest, " ")
		return len(first) > 10 || isClock(clock)
	case logLevels[level] && (level != "ok" || strings.Contains(rest, "\t")):
		return more
	case strings.HasPrefix(line, "at ") && strings.HasSuffix(line, ")"), strings.HasPrefix(line, `File "`), strings.HasPrefix(line, "goroutine "):
		return true
	}
	return false
}

// isClock reports a time in digits: 12:03:44, 2026-03-02T10:00.
func isClock(s string) bool {
	digits, colons := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == ':':
			colons++
		case !strings.ContainsRune("-/.,TZ+][ ", rune(c)):
			return false
		}
	}
	return digits >= 6 && colons > 0
}

// quotes are the pairs of marks around the words of others; of ' both ends
// must stand at the edge of a word.
var quotes = [...]struct{ open, shut string }{
	{"`", "`"}, {`"`, `"`}, {"“", "”"}, {"「", "」"}, {"『", "』"}, {"‘", "’"}, {"«", "»"}, {"„", "“"}, {"'", "'"}, {"《", "》"},
}

// longestQuote is how far the end of a quote is looked for.
const longestQuote = 600

// hideQuotes makes what stands between quotation marks opaque.
func hideQuotes(s string) string {
	if !strings.ContainsAny(s, "`\"'“‘「『«„《") {
		return s
	}
	out := []byte(s)
	for i := 0; i < len(s); {
		n := quoted(s, i)
		for k := i; k < i+n; k++ {
			out[k] = opaque
		}
		i += max(n, 1)
	}
	return string(out)
}

// quoted is the length of the quoted span at i, 0 for none.
func quoted(s string, i int) int {
	for _, q := range quotes {
		if !strings.HasPrefix(s[i:], q.open) {
			continue
		}
		from := i + len(q.open)
		rest := s[from:min(len(s), from+longestQuote)]
		if q.open == q.shut { // such marks do not tell which end they are
			rest, _, _ = strings.Cut(rest, "\n")
		}
		if q.open == "'" {
			return apostrophes(s, i, rest)
		}
		if n := strings.Index(rest, q.shut); n > 0 {
			return len(q.open) + n + len(q.shut)
		}
	}
	return 0
}

// apostrophes is the length of a span in single quotation marks.
func apostrophes(s string, i int, rest string) int {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	if unicode.IsLetter(before) || unicode.IsDigit(before) {
		return 0
	}
	for n := range len(rest) {
		if rest[n] != '\'' || n == 0 || rest[n-1] == ' ' {
			continue
		}
		after, _ := utf8.DecodeRuneInString(rest[n+1:])
		if !unicode.IsLetter(after) && !unicode.IsDigit(after) || n+1 == len(rest) {
			return n + 2
		}
	}
	return 0
}

// wordSet is the words of a list.
func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}
