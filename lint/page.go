package lint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"brain/memory"
	"brain/page"
	"brain/store"
)

// nameLines are the lines on which a page says its names.
type nameLines struct{ title, alias, redirect int }

// supersession is a page of one fact that supersedes another.
type supersession struct {
	path   page.Path
	target string
	line   int
}

// sight is what was seen of one page.
type sight struct {
	path         page.Path
	lines        nameLines
	stub         []byte // the page, where it is a redirect
	supersession *supersession
	edits        []page.Edit
	found        []Finding
}

func (s *sight) add(line int, code, message, fix string) {
	s.found = append(s.found, finding(string(s.path), line, code, message, fix))
}

// page checks one page by itself; that it cannot be read is a finding.
func (l *look) page(ctx context.Context, path page.Path) sight {
	s := sight{path: path}
	raw, err := l.Store.Read(ctx, path)
	switch {
	case ctx.Err() != nil, errors.Is(err, store.ErrNotFound): // deleted since the walk
		return s
	case err != nil:
		s.add(0, ruleUnreadable, cause(err).Error(), "check its permissions")
		return s
	case !path.IsSession() && store.IsBinary(raw):
		s.add(0, ruleBinary, "the file is not text", "save it as UTF-8, or rename it")
		return s
	}
	p := page.Parse(path, raw)
	problems := slices.Concat(p.Problems, p.Check(), l.Pack.Check(p))
	if slices.ContainsFunc(problems, func(pr page.Problem) bool { return slices.Contains(mendable, pr.Code) }) {
		_, s.edits = page.Mend(path, raw)
	}
	if path.Type() == "fact" {
		problems = s.fact(raw, problems)
	} else if untitled(p) {
		s.add(0, ruleUntitled, fmt.Sprintf("it says no title: answers show the name of the file, %q", path.Stem()), "add title: to the front matter, or a heading")
	}
	for _, pr := range problems {
		s.add(pr.Line, pr.Code, pr.Message, pr.Fix)
		s.found[len(s.found)-1].Fixable = mends(s.edits, pr)
	}
	if !path.IsSession() {
		s.lines = nameLines{p.TitleLine(), p.AliasLine(), p.KeyLine("redirect")}
	}
	if p.Redirect != "" {
		s.stub = raw
	}
	if len(p.Facts) == 1 && p.Facts[0].Supersedes != "" {
		s.supersession = &supersession{path, p.Facts[0].Supersedes, p.Facts[0].Line}
	}
	return s
}

// untitled reports a page of text that has no name but its file's.
func untitled(p *page.Page) bool {
	return !p.Path.IsSession() && p.Redirect == "" && strings.TrimSpace(p.Body) != "" && p.TitleLine() == 0
}

// note takes what was seen of a page to the others.
func (l *look) note(s *sight) {
	l.found = append(l.found, s.found...)
	l.lines[s.path] = s.lines
	if len(s.edits) > 0 {
		l.mends = append(l.mends, mend{path: s.path, edits: s.edits})
	}
	if s.stub != nil {
		l.stubs[s.path] = s.stub
	}
	if s.supersession != nil {
		l.facts = append(l.facts, *s.supersession)
	}
}

// cause drops what a message about a file names already.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// fact reads a page as the fact that its place says it is, and adds what that had to
// forgive to the problems of the page, each line and rule once.
func (s *sight) fact(raw []byte, problems []page.Problem) []page.Problem {
	_, more, err := memory.ParseFact(s.path, raw)
	if err != nil {
		s.add(0, ruleFactFile, cmp.Or(errors.Unwrap(err), err).Error(), "give it the form of doc/format.md, or put it elsewhere; `brain history` of it may know what it was")
	}
	for _, pr := range more {
		if !slices.ContainsFunc(problems, func(have page.Problem) bool { return have.Line == pr.Line && have.Code == pr.Code }) {
			problems = append(problems, pr)
		}
	}
	return problems
}

// mendable are the codes that page.Mend knows.
var mendable = []string{page.CodeTitleColon, page.CodeTab, page.CodeDuplicateKey, page.CodePath}

// mends reports whether the edits mend a problem: they stand on its line, or make
// the whole block valid.
func mends(edits []page.Edit, pr page.Problem) bool {
	return slices.ContainsFunc(edits, func(e page.Edit) bool {
		if pr.Code == page.CodeYAML {
			return e.Code == page.CodeTitleColon || e.Code == page.CodeTab
		}
		return e.Line == pr.Line && e.Code == pr.Code
	})
}
