package memory

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"brain/text"
)

// Text as the YAML library of DeerMem writes it, so that a file does not change when
// one program writes what the other wrote: plain where its reader takes it for the
// same text, else in single quotes, and in double quotes what only escapes can say.
// It breaks a line at the first single blank after column 80.

const lineWidth = 80

// scalar writes a text that begins at a column; a line that is broken continues at the
// indent.
func scalar(s string, column, indent int) string {
	switch {
	case needsEscapes(s):
		return doubleQuoted(s, column, indent)
	case isPlain(s):
		return fold(s, column, indent, false)
	}
	return "'" + fold(s, column+1, indent, true) + "'"
}

// typed is what YAML 1.1 takes for something other than text when it is not quoted.
var typed = text.Pattern(`^(?:` +
	`|~|null|Null|NULL|<<|=` +
	`|yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF` +
	`|[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+` +
	`|[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?` +
	`|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)` +
	`|\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?` +
	`)$`)

// isPlain reports a text that can stand without quotes.
func isPlain(s string) bool {
	if typed().MatchString(s) || s[0] == ' ' || s[len(s)-1] == ' ' || strings.Contains(s, "\n") ||
		strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...") {
		return false
	}
	if strings.IndexByte("#,[]{}&*!|>'\"%@`", s[0]) >= 0 || strings.IndexByte("?-", s[0]) >= 0 && (len(s) == 1 || s[1] == ' ') {
		return false
	}
	return !strings.Contains(s, ": ") && s[len(s)-1] != ':' && !strings.Contains(s, " #")
}

// needsEscapes reports what single quotes cannot hold: signs that are no text, line
// breaks beside blanks, and the line breaks of Unicode.
func needsEscapes(s string) bool {
	return strings.Contains(s, " \n") || strings.Contains(s, "\n ") || strings.IndexFunc(s, func(r rune) bool { return r != '\n' && unprinted(r) }) >= 0
}

func unprinted(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff || r == utf8.MaxRune
}

// fold breaks long lines at single blanks; in quotes it doubles the quote and line
// feeds.
func fold(s string, column, indent int, quoted bool) string {
	var b strings.Builder
	newline := func() {
		b.WriteString("\n" + strings.Repeat(" ", indent))
		column = indent
	}
	for i := 0; i < len(s); {
		run := len(s[i:]) - len(strings.TrimLeft(s[i:], s[i:i+1]))
		switch at := s[i]; {
		case at == '\n':
			b.WriteString(strings.Repeat("\n", run))
			newline()
		case at == ' ' && run == 1 && column > lineWidth && (!quoted || i > 0 && i+1 < len(s)):
			newline()
		case at == ' ':
			b.WriteString(s[i : i+run])
			column += run
		default:
			if run = strings.IndexAny(s[i:], " \n"); run < 0 {
				run = len(s) - i
			}
			word := s[i : i+run]
			if quoted {
				word = strings.ReplaceAll(word, "'", "''")
			}
			b.WriteString(word)
			column += utf8.RuneCountInString(word)
		}
		i += run
	}
	return b.String()
}

var escapes = map[rune]string{0: "0", 7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 27: "e",
	'"': `"`, '\\': `\`, 0x85: "N", 0x2028: "L", 0x2029: "P"}

// doubleQuoted breaks long lines before a blank and beside an escape, with a backslash
// at the end of the line, and one before a blank that would be lost.
func doubleQuoted(s string, column, indent int) string {
	var b strings.Builder
	b.WriteByte('"')
	column++
	all, pending := []rune(s), 0 // pending: letters since the last blank or escape, not yet in column
	newline := func(next rune) {
		b.WriteString("\\\n" + strings.Repeat(" ", indent))
		column, pending = indent, 0
		if next == ' ' {
			b.WriteByte('\\')
			column++
		}
	}
	for i, r := range all {
		within := i > 0 && i < len(all)-1
		if e := escape(r); e != "" {
			b.WriteString(e)
			column, pending = column+pending+len(e), 0
			if within && column > lineWidth+1 {
				newline(all[i+1])
			}
			continue
		}
		if r == ' ' || pending == 0 {
			if column, pending = column+pending, 0; within && column > lineWidth {
				newline(r)
			}
		}
		b.WriteRune(r)
		pending++
	}
	b.WriteByte('"')
	return b.String()
}

// escape is how a character is written that cannot stand for itself, else "".
func escape(r rune) string {
	switch e, known := escapes[r]; {
	case known:
		return `\` + e
	case unprinted(r) && r < 0x100:
		return fmt.Sprintf(`\x%02X`, r)
	case unprinted(r) && r < 0x10000:
		return fmt.Sprintf(`\u%04X`, r)
	case r >= 0x10000:
		return fmt.Sprintf(`\U%08X`, r)
	}
	return ""
}
