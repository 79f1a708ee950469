package main

import (
	"context"
	"errors"
	"slices"

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
