package main

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

//go:embed schemas/*.schema.json
var schemas embed.FS

// helpCommand prints help of commands and topics.
func helpCommand() *command {
	return &command{
		name: "help", group: groupTool, args: "[COMMAND | TOPIC]", short: "help on a command or a topic", max: 2, schema: "help",
		long: `Without an argument the list of commands. Topics: settings, exit-codes, and schema NAME, which prints the JSON Schema of a command's --json output (schema alone lists the names).`,
		examples: []string{
			"brain help query",
			"brain help settings",
			"brain help schema query",
		},
		run: func(_ context.Context, a *app, args []string) error { return a.help(table(), args) },
	}
}

func (a *app) help(table []*command, args []string) error {
	if len(args) == 0 {
		return a.printOverview(table)
	}
	if c, ok := find(table, args); ok {
		return a.printCommand("brain "+strings.Join(args, " "), c)
	}
	switch args[0] {
	case "settings":
		return a.text("help", settingsHelp())
	case "exit-codes":
		return a.text("help", exitHelp())
	case "schema":
		return a.printSchema(args[1:])
	}
	return unknownName("command or topic", strings.Join(args, " "), append(names(table), "settings", "exit-codes", "schema"))
}

// printHelp serves --help.
func (a *app) printHelp(table []*command, path string) error {
	if c, ok := find(table, strings.Fields(path)[1:]); ok {
		return a.printCommand(path, c)
	}
	return a.printOverview(table)
}

func (a *app) printOverview(table []*command) error {
	var b strings.Builder
	b.WriteString("brain: long-term memory for AI agents over a tree of Markdown files\n\nusage: brain COMMAND [arguments] [flags]\n")
	for _, g := range groups {
		fmt.Fprintf(&b, "\n%s\n", g)
		for _, c := range table {
			if c.group == g {
				fmt.Fprintf(&b, "  %-11s %s\n", c.name, c.short)
			}
		}
	}
	fmt.Fprintf(&b, "\nEvery command\n%s", globalUsages())
	b.WriteString("\nA first session\n  brain init\n  brain remember \"We chose PostgreSQL for the ledger because of its row locks.\"\n  brain query \"which database holds the ledger?\"\n")
	b.WriteString("\nMore: brain help COMMAND, brain help settings, brain help exit-codes, brain help schema\n")
	return a.text("help", b.String())
}

func globalUsages() string {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.SortFlags = false
	new(globals).flags(fs)
	return fs.FlagUsagesWrapped(100)
}

func (c *command) usages() string {
	if c.flags == nil {
		return ""
	}
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.SortFlags = false
	c.flags(fs)
	return fs.FlagUsagesWrapped(100)
}

// synopsis is the usage line.
func (c *command) synopsis(path string) string {
	if c.run == nil {
		return path + " " + strings.Join(names(c.sub), "|")
	}
	line := strings.TrimSpace(path + " " + c.args)
	if c.flags != nil {
		line += " [flags]"
	}
	return line
}

// printCommand prints one command's help.
func (a *app) printCommand(path string, c *command) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\nusage: %s\n", path, c.short, c.synopsis(path))
	if c.long != "" {
		fmt.Fprintf(&b, "\n%s\n", wrap(c.long, 96))
	}
	if len(c.sub) > 0 {
		b.WriteString("\nCommands\n")
		wide := 10
		for _, name := range names(c.sub) {
			wide = max(wide, len(name))
		}
		for _, s := range c.sub {
			fmt.Fprintf(&b, "  %-*s %s\n", wide, s.name, s.short)
		}
	}
	if u := c.usages(); u != "" {
		fmt.Fprintf(&b, "\nFlags\n%s", u)
	}
	if len(c.examples) > 0 {
		fmt.Fprintf(&b, "\nExamples\n  %s\n", strings.Join(c.examples, "\n  "))
	}
	if c.run != nil {
		b.WriteString("\nExit codes\n")
		for _, e := range c.allExits() {
			fmt.Fprintf(&b, "  %d  %s\n", e.code, e.when)
		}
	}
	if c.schema != "" {
		fmt.Fprintf(&b, "\nThe output of --json: brain help schema %s\n", c.schema)
	}
	b.WriteString("\nFlags of every command: brain help\n")
	return a.text("help", b.String())
}

// allExits are the exit codes of a command, in order, each once. One that says when it
// exits 0 says all of them.
func (c *command) allExits() []exitNote {
	all := slices.Clone(c.exits)
	if !slices.ContainsFunc(all, func(e exitNote) bool { return e.code == exitOK }) {
		all = append([]exitNote{{exitOK, "done"}, {exitUsage, "wrong usage or settings"}}, all...)
	}
	slices.SortStableFunc(all, func(a, b exitNote) int { return a.code - b.code })
	one := all[:0]
	for _, e := range all {
		if n := len(one); n > 0 && one[n-1].code == e.code {
			one[n-1].when += "; " + e.when
		} else {
			one = append(one, e)
		}
	}
	return one
}

// wrap breaks paragraphs into lines of at most n characters; lines that begin with a
// blank stay as they are.
func wrap(s string, n int) string {
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		if strings.HasPrefix(line, " ") {
			out = append(out, line)
			continue
		}
		row := ""
		for word := range strings.FieldsSeq(line) {
			if row != "" && len(row)+1+len(word) > n {
				out, row = append(out, row), ""
			}
			row = strings.TrimSpace(row + " " + word)
		}
		out = append(out, row)
	}
	return strings.Join(out, "\n")
}

func settingsHelp() string {
	var b strings.Builder
	b.WriteString(wrap(settingsText, 96) + "\n")
	for _, r := range schema() {
		fmt.Fprintf(&b, "\n%s\n", r.key)
		fmt.Fprintf(&b, "    %s\n", strings.ReplaceAll(wrap(r.doc, 92), "\n", "\n    "))
		fmt.Fprintf(&b, "    value: %s; default: %s; environment: %s\n", r.allowed(), show(r.def), strings.Join(r.variables(), ", "))
	}
	return b.String()
}

// settingsText explains where settings come from; doc/settings.md begins with it.
const settingsText = `A setting comes from the first of these that has it: a flag, an environment variable, memory.yml, the default. brain config list shows each value and where it came from.

memory.yml lies in the memory root, the folder found by --root, else BRAIN_ROOT, else by walking up from the current folder. Keys may be nested or written with dots. Unknown keys and values are errors, so that a misspelt one is not silently without effect.

The environment variable of a key is BRAIN_ and the key in capitals with _ for each dot. BRAIN_ROOT and BRAIN_AGENT stand for --root and --agent. BRAIN_CONFIG_DIR is the folder of what brain keeps about you, not about a root. BRAIN_DEBUG=1 shows what the libraries log. NO_COLOR=1 and TERM=dumb mean plain text without a progress bar.

A memory.yml that came with somebody's files must not send your pages elsewhere: from it, embedding.url and llm.url may only name this machine, index.path only a folder inside the root, and embedding.key and llm.key only count for a server on this machine, until you have said brain trust. In the environment, which is your own, all of these are free.

A memory.yml written for df-memory is recognised by its keys and read: brain_id is brain; embedding.provider local is static, off is off; openai with embedding.model, embedding.base_url and embedding.api_key_env counts when the server is on this machine, and so do the same keys of llm. One warning names the keys that have none here.`

func exitHelp() string {
	var b strings.Builder
	b.WriteString("Exit codes; the word is \"code\" of the error that --json prints:\n\n")
	for _, e := range exitCodes {
		fmt.Fprintf(&b, "  %3d  %-12s %s\n", e.code, e.name, e.what)
	}
	b.WriteString("\nOf some errors programs are told more, by another word:\n\n")
	for _, c := range causes() {
		fmt.Fprintf(&b, "  %3d  %-17s  %s\n", c.code, c.name, c.what)
	}
	b.WriteString("\nErrors go to standard error as `brain: what: on what: cause` and `hint: next step`.\nWith --json they go to standard output as {\"error\":{\"code\",\"message\",\"hint\"}}.\n")
	return b.String()
}

// printSchema prints a JSON Schema, or the names of all.
func (a *app) printSchema(args []string) error {
	all := schemaNames()
	if len(args) == 0 {
		return a.text("help", strings.Join(all, "\n")+"\n")
	}
	if !slices.Contains(all, args[0]) {
		return unknownName("schema", args[0], all)
	}
	raw, err := schemas.ReadFile("schemas/" + args[0] + ".schema.json")
	if err != nil {
		return err
	}
	return a.print("%s", raw)
}

func schemaNames() []string {
	entries, err := schemas.ReadDir("schemas")
	if err != nil {
		return nil
	}
	var all []string
	for _, e := range entries {
		all = append(all, strings.TrimSuffix(e.Name(), ".schema.json"))
	}
	return all
}
