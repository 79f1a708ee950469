package main

import (
	"fmt"
	"strings"
)

func (a *app) printLint(f *lintFlags, o *opened, j *lintJSON) error {
	switch f.format {
	case "json":
		return a.json(j)
	case "sarif":
		return a.json(sarifOf(o.st.Dir(), j.Findings))
	}
	if f.dryRun {
		a.note("brain: %s would change; nothing was written", plain(lineCount(j.Fixed)))
		return a.print("%s", diff(j.Fixed))
	}
	return a.print("%s", j.text())
}

func (j *lintJSON) text() string {
	var b strings.Builder
	for _, f := range j.Findings {
		fmt.Fprintf(&b, "%s:%d: %s: %s\n    fix: %s  (%s%s)\n", plain(show(f.Path)), f.Line, f.Code, plain(f.Message),
			plain(f.Fix), f.Severity, either(f.Fixable, "; --fix does it", ""))
	}
	if len(j.Fixed) > 0 {
		fmt.Fprintf(&b, "mended %s\n", lineCount(j.Fixed))
	}
	fmt.Fprintf(&b, "%s, %s%s\n", count(j.Pages, "page"), count(len(j.Findings), "finding"), before(": ", tally(j.Findings)))
	return b.String()
}

// tally counts findings by severity.
func tally(findings []lintFinding) string {
	n := map[severity]int{}
	for _, f := range findings {
		n[f.Severity]++
	}
	var parts []string
	for _, s := range []severity{severityError, severityWarning, severityNote} {
		if n[s] > 0 {
			parts = append(parts, count(n[s], string(s)))
		}
	}
	return strings.Join(parts, ", ")
}

// lineCount says how much was mended: "2 lines in 1 page".
func lineCount(all []lintFix) string {
	pages := map[string]bool{}
	for _, f := range all {
		pages[f.Path] = true
	}
	return count(len(all), "line") + " in " + count(len(pages), "page")
}
