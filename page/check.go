package page

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Check says what a strict reader minds of a page beyond Problems: what can be
// read without guessing and still is not as brain would write it.
func (p *Page) Check() []Problem {
	var out []Problem
	for i := range p.Facts {
		out = append(out, p.Facts[i].faults()...)
	}
	if line, ok := p.unknownStatus(); ok {
		out = append(out, Problem{line, CodeBadStatus, fmt.Sprintf("status %q is no known word: the page counts as active", cut(p.declared.status, 40)), "write active, archived or stale, or delete the key"})
	}
	if n := len(p.Body); !p.Path.IsSession() && n > MaxBody {
		if n = utf8.RuneCountInString(p.Body); n > MaxBody {
			out = append(out, Problem{p.BodyLine, CodeLongBody, fmt.Sprintf("the body has %d characters, brain itself writes at most %d", n, MaxBody), "split the page: an answer shows passages, and a long page is found for everything"})
		}
	}
	return out
}

// faults is Check of a fact, with what to do.
func (f *Fact) faults() []Problem {
	var out []Problem
	if f.At != "" {
		if _, ok := ParseDate(f.At); !ok {
			out = append(out, Problem{f.Line, CodeBadFact, fmt.Sprintf("a fact: at: %q is not a date", cut(f.At, 40)), "write it as 2026-01-31 or 2026-01-31T10:00:00Z"})
		}
	}
	if err := f.Check(); err != nil {
		out = append(out, Problem{f.Line, CodeBadFact, "a fact: " + err.Error(), f.remedy()})
	}
	return out
}

// remedy finds out which part of a fact Check minds.
func (f *Fact) remedy() string {
	rest := *f
	if rest.Status = ""; rest.Check() == nil {
		return "write superseded or archived, or delete the key"
	}
	if rest.ValidFrom, rest.ValidUntil = "", ""; rest.Check() == nil {
		return "write dates as 2026-01-31, valid_from before valid_until"
	}
	return fmt.Sprintf("give it a text of 1 to %d characters", MaxFact)
}

// unknownStatus reports a status that no reader knows. Those of other tools
// that brain reads (superseded, merged, deleted) are known, and that of a skill to be.
func (p *Page) unknownStatus() (line int, unknown bool) {
	switch strings.ToLower(p.declared.status) {
	case "", "active", "archived", "stale", "merged", "superseded", "deleted", Candidate:
		return 0, false
	}
	return p.KeyLine("status"), true
}

// KeyLine is the line of the file on which a key of the front matter stands,
// 0 when it is not found at the beginning of a line.
func (p *Page) KeyLine(key string) int {
	line := 0
	for l := range bytes.Lines(p.Raw[:min(len(p.Raw), maxBlock)]) {
		if line++; line >= p.BodyLine {
			break
		}
		if k, _, ok := splitKey(strings.TrimRight(string(l), " \r\n") + " "); ok && strings.EqualFold(unquoteKey(k), key) {
			return line
		}
	}
	return 0
}

// TitleLine is the line on which the page says its title, 0 when it has none
// but the name of its file.
func (p *Page) TitleLine() int {
	switch {
	case p.declared.title != "":
		return p.KeyLine("title")
	case p.found != nil && len(p.found.heads) > 0:
		return int(p.found.blocks[p.found.heads[0].block].line)
	}
	return 0
}

// AliasLine is the line on which the aliases begin, 0 when there are none.
func (p *Page) AliasLine() int { return max(p.KeyLine("aliases"), p.KeyLine("alias")) }
