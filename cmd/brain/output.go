package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// json prints v as one JSON value and a newline, indented for a person at a terminal
// and compact for a program; < > & stay as they are.
func (a *app) json(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if terminal(a.out) && !a.stream {
		e.SetIndent("", "  ")
	}
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := a.out.Write(b.Bytes())
	return told(err)
}

// told is the error of a result that could not be printed: what the command did, it has
// done.
func told(err error) error {
	if err == nil {
		return nil
	}
	return &failure{code: exitEnvironment, text: "standard output", cause: bare(err), hint: "the command itself was done; only its answer could not be written"}
}

// text prints a text for people, or as the one member of a JSON object.
func (a *app) text(key, text string) error {
	if a.global.json {
		return a.json(map[string]string{key: text})
	}
	_, err := io.WriteString(a.out, text)
	return told(err)
}

// print writes a result for people.
func (a *app) print(format string, args ...any) error {
	_, err := fmt.Fprintf(a.out, format, args...)
	return told(err)
}

// note writes one line to standard error; that it cannot be written is nothing the
// program could tell anybody.
func (a *app) note(format string, args ...any) {
	fmt.Fprintf(a.err, format+"\n", args...)
}

// warn is a note that --quiet silences.
func (a *app) warn(format string, args ...any) {
	if !a.global.quiet {
		a.note("brain: warning: "+format, args...)
	}
}

// terminal reports whether w is one a person looks at.
func terminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// fancy reports whether w takes escape sequences: a terminal, and nobody said no.
func (a *app) fancy(w io.Writer) bool {
	if v, ok := a.env("NO_COLOR"); ok && v != "" {
		return false
	}
	if v, _ := a.env("TERM"); v == "dumb" {
		return false
	}
	return terminal(w)
}

// bold marks a title on a terminal.
func (a *app) bold(s string) string {
	if a.fancy(a.out) {
		return "\x1b[1m" + s + "\x1b[0m"
	}
	return s
}

// faint marks what is secondary on a terminal.
func (a *app) faint(s string) string {
	if a.fancy(a.out) {
		return "\x1b[2m" + s + "\x1b[0m"
	}
	return s
}

// plain makes stored text harmless on a terminal and keeps it on one line: control
// characters, escape sequences and marks that reorder the line are data from files
// that anybody may have written.
func plain(s string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(harmless(s))
}

// squeeze is plain with one blank for each run of white space: for text, not for paths,
// whose blanks are part of their names.
func squeeze(s string) string { return strings.Join(strings.Fields(harmless(s)), " ") }

// harmless drops control characters but line feed and tab, and the bidirectional
// overrides; bad UTF-8 becomes U+FFFD.
func harmless(s string) string {
	if strings.IndexFunc(s, unsafeRune) < 0 && utf8.ValidString(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unsafeRune(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

func unsafeRune(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return unicode.IsControl(r)
}

// count prints "1 page", "2 pages", "2 entries", "2 days".
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	if strings.HasSuffix(one, "y") && !strings.HasSuffix(one, "ay") {
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(one, "y"))
	}
	return fmt.Sprintf("%d %ss", n, one)
}
