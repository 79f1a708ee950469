package main

import (
	"fmt"
	"strings"
)

// commandDocument is doc/cli.md, made of the same values as the help.
func commandDocument(table []*command) string {
	var b strings.Builder
	b.WriteString("# The command line\n\n<!-- Generated from the command table: go test ./cmd/brain -run TestCommandDocument -update -->\n\n")
	for _, g := range groups {
		fmt.Fprintf(&b, "**%s:** ", g)
		var all []string
		for _, c := range table {
			if c.group == g {
				all = append(all, fmt.Sprintf("[%s](#brain-%s)", c.name, c.name))
			}
		}
		fmt.Fprintf(&b, "%s\n\n", strings.Join(all, " · "))
	}
	fmt.Fprintf(&b, "## Every command\n\n```\n%s```\n\n%s\n", globalUsages(), exitTable())
	each(table, "brain", func(path string, c *command) { writeCommandSection(&b, path, c) })
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// each visits a table depth first.
func each(table []*command, path string, visit func(path string, c *command)) {
	for _, c := range table {
		visit(path+" "+c.name, c)
		each(c.sub, path+" "+c.name, visit)
	}
}

func exitTable() string {
	var b strings.Builder
	b.WriteString("Exit codes; the word is `code` of the error that `--json` prints, `{\"error\":{\"code\",\"message\",\"hint\"}}`:\n\n| exit | code | when |\n|---|---|---|\n")
	for _, e := range exitCodes {
		fmt.Fprintf(&b, "| %d | `%s` | %s |\n", e.code, e.name, e.what)
	}
	b.WriteString("\nOf some errors programs are told more, by another word:\n\n| exit | code | when |\n|---|---|---|\n")
	for _, c := range causes() {
		fmt.Fprintf(&b, "| %d | `%s` | %s |\n", c.code, c.name, c.what)
	}
	return b.String()
}

func writeCommandSection(b *strings.Builder, path string, c *command) {
	fmt.Fprintf(b, "%s %s\n\n%s\n\n```\n%s\n```\n\n", strings.Repeat("#", 1+strings.Count(path, " ")), path, sentence(c.short), c.synopsis(path))
	if c.long != "" {
		fmt.Fprintf(b, "%s\n\n", c.long)
	}
	if u := c.usages(); u != "" {
		fmt.Fprintf(b, "```\n%s```\n\n", u)
	}
	fmt.Fprintf(b, "```sh\n%s\n```\n\n", strings.Join(c.examples, "\n"))
	if c.run == nil {
		return
	}
	var codes []string
	for _, e := range c.allExits() {
		codes = append(codes, fmt.Sprintf("%d %s", e.code, e.when))
	}
	fmt.Fprintf(b, "Exit codes: %s.\n\n", strings.Join(codes, "; "))
	if c.schema != "" {
		fmt.Fprintf(b, "Output of `--json`: `brain help schema %s`.\n\n", c.schema)
	}
}

// sentence makes a short help line one.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }

// settingsDocument is doc/settings.md, made of the same values as `brain help settings`.
func settingsDocument() string {
	var b strings.Builder
	b.WriteString("# Settings\n\n<!-- Generated from the settings table: go test ./cmd/brain -run TestSettingsDocument -update -->\n\n" + settingsText + "\n\n")
	b.WriteString("| key | value | default | environment | meaning |\n|---|---|---|---|---|\n")
	for _, r := range schema() {
		def := ""
		if r.def != "" {
			def = "`" + r.def + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` | %s |\n", r.key, r.allowed(), def, strings.Join(r.variables(), "`, `"), r.doc)
	}
	return b.String()
}
