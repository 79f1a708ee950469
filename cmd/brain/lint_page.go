package main

import (
	"cmp"
	"context"
	"errors"
	"slices"

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

// page checks one page by itself; that it cannot be read is a finding.
func (l *linter) page(ctx context.Context, path page.Path) error {
	raw, err := l.o.st.Read(ctx, path)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, store.ErrNotFound):
		return nil // deleted since the walk
	case err != nil:
		l.add(string(path), 0, ruleUnreadable, bare(err).Error(), "check its permissions")
		return nil
	case !path.IsSession() && store.IsBinary(raw):
		l.add(string(path), 0, ruleBinary, "the file is not text", "save it as UTF-8, or rename it")
		return nil
	}
	pack, err := l.o.pack()
	if err != nil {
		return err
	}
	p := page.Parse(path, raw)
	problems := slices.Concat(p.Problems, p.Check(), schemaProblems(pack, p))
	var edits []page.Edit
	if slices.ContainsFunc(problems, func(pr page.Problem) bool { return slices.Contains(mendable, pr.Code) }) {
		if _, edits = page.Mend(path, raw); len(edits) > 0 {
			l.mends = append(l.mends, mend{path: path, edits: edits})
		}
	}
	if path.Type() == "fact" {
		problems = l.fact(path, raw, problems)
	}
	for _, pr := range problems {
		l.add(string(path), pr.Line, pr.Code, pr.Message, pr.Fix)
		l.found[len(l.found)-1].Fixable = mends(edits, pr)
	}
	if !path.IsSession() {
		l.lines[path] = nameLines{p.TitleLine(), p.AliasLine(), p.KeyLine("redirect")}
	}
	if p.Redirect != "" {
		l.stubs[path] = raw
	}
	if len(p.Facts) == 1 && p.Facts[0].Supersedes != "" {
		l.facts = append(l.facts, supersession{path, p.Facts[0].Supersedes, p.Facts[0].Line})
	}
	return nil
}

// fact reads a page as the fact that its place says it is, and adds what that had to
// forgive to the problems of the page, each line and rule once.
func (l *linter) fact(path page.Path, raw []byte, problems []page.Problem) []page.Problem {
	_, more, err := memory.ParseFact(path, raw)
	if err != nil {
		l.add(string(path), 0, ruleFactFile, cmp.Or(errors.Unwrap(err), err).Error(), "give it the form of doc/format.md, or put it elsewhere; `brain history` of it may know what it was")
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
