package main

import (
	"fmt"
	"strings"

	"brain/lint"
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
func tally(findings []lint.Finding) string {
	n := map[lint.Severity]int{}
	for _, f := range findings {
		n[f.Severity]++
	}
	var parts []string
	for _, s := range []lint.Severity{lint.Error, lint.Warning, lint.Note} {
		if n[s] > 0 {
			parts = append(parts, count(n[s], string(s)))
		}
	}
	return strings.Join(parts, ", ")
}

// lineCount says how much was mended: "2 lines in 1 page".
func lineCount(all []lint.Mended) string {
	pages := map[string]bool{}
	for _, f := range all {
		pages[f.Path] = true
	}
	return count(len(all), "line") + " in " + count(len(pages), "page")
}

// diff shows fixes in the unified form, without lines around them.
func diff(all []lint.Mended) string {
	var b strings.Builder
	path, gone := "", 0
	for _, f := range all {
		if f.Path != path {
			path, gone = f.Path, 0
			fmt.Fprintf(&b, "--- a/%s\n+++ b/%s\n", plain(path), plain(path))
		}
		if f.Gone {
			gone++
			fmt.Fprintf(&b, "@@ -%d +%d,0 @@\n-%s\n", f.Line, f.Line-gone, harmless(f.Old))
			continue
		}
		fmt.Fprintf(&b, "@@ -%d +%d @@\n-%s\n+%s\n", f.Line, f.Line-gone, harmless(f.Old), harmless(f.New))
	}
	return b.String()
}
