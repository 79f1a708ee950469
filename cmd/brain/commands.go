package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"brain/text"
)

// command is one verb of the program: all that help, doc/cli.md and cobra need.
type command struct {
	name     string // as typed, without its parents
	group    string // heading in `brain help`
	args     string // synopsis of the arguments
	short    string // one line
	long     string // plain words, paragraphs apart by a blank line
	examples []string
	exits    []exitNote // beyond 0 and 2, which every command has
	schema   string     // name of the JSON Schema of its --json output, "" for none
	min, max int        // number of arguments; max -1 is any
	flags    func(*pflag.FlagSet)
	complete []string // fixed words to complete the first argument with
	run      func(context.Context, *app, []string) error
	sub      []*command
}

// exitNote says when a command ends with an exit code.
type exitNote struct {
	code int
	when string
}

// Groups of `brain help`, in order.
const (
	groupWrite = "Write"
	groupFind  = "Find and read"
	groupKeep  = "Keep in order"
	groupTool  = "The program itself"
)

var groups = []string{groupWrite, groupFind, groupKeep, groupTool}

// globals are the flags that every command has.
type globals struct {
	root, brain, agent string
	json, quiet        bool
}

func (g *globals) flags(fs *pflag.FlagSet) {
	fs.StringVar(&g.root, "root", "", "memory root: the `DIR` that holds memory.yml (else BRAIN_ROOT, else found by walking up)")
	fs.StringVar(&g.brain, "brain", "", "brain to use: its `NAME` (else BRAIN_BRAIN, else memory.yml, else the only one, else default)")
	fs.StringVar(&g.agent, "agent", "", "agent `NAME` on whose behalf the command runs (else BRAIN_AGENT, else __default__)")
	fs.BoolVar(&g.json, "json", false, "print one JSON value on standard output")
	fs.BoolVarP(&g.quiet, "quiet", "q", false, "no progress, no warnings")
}

// cobraTree makes the cobra commands of a table.
func cobraTree(a *app, table []*command) *cobra.Command {
	top := &cobra.Command{
		Use:               "brain",
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args:              cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownName("command", args[0], names(table))
			}
			return a.printOverview(table)
		},
	}
	a.global.flags(top.PersistentFlags())
	top.SetHelpCommand(&cobra.Command{Use: "no-help", Hidden: true})
	top.SetHelpFunc(func(cc *cobra.Command, _ []string) { a.helpErr = a.printHelp(table, cc.CommandPath()) })
	top.SetFlagErrorFunc(flagError)
	for _, c := range table {
		top.AddCommand(cobraOf(a, c))
	}
	return top
}

func cobraOf(a *app, c *command) *cobra.Command {
	cc := &cobra.Command{
		Use:       strings.TrimSpace(c.name + " " + c.args),
		Short:     c.short,
		ValidArgs: c.complete,
		Args:      func(cc *cobra.Command, args []string) error { return c.checkArgs(cc.CommandPath(), args) },
		RunE: func(cc *cobra.Command, args []string) error {
			if c.run == nil {
				return a.printCommand(cc.CommandPath(), c)
			}
			a.changed = cc.Flags().Changed
			if err := a.nameAgent(); err != nil {
				return err
			}
			return c.run(cc.Context(), a, args)
		},
	}
	if c.flags != nil {
		c.flags(cc.Flags())
		cc.Flags().SortFlags = false
	}
	for _, s := range c.sub {
		cc.AddCommand(cobraOf(a, s))
	}
	return cc
}

// helpOn is the command that explains another, given as "brain entity merge".
func helpOn(path string) string { return strings.Replace(path, "brain", "brain help", 1) }

// checkArgs counts the arguments; a group of commands takes none.
func (c *command) checkArgs(path string, args []string) error {
	if c.run == nil && len(args) > 0 {
		return unknownName("command", args[0], names(c.sub))
	}
	if len(args) < c.min {
		return usage(path+": needs "+c.args, "see `"+helpOn(path)+"`")
	}
	if c.max >= 0 && len(args) > c.max {
		return usage(fmt.Sprintf("%s: one argument too many: %q", path, args[c.max]), "see `"+helpOn(path)+"`")
	}
	return nil
}

// flagError names the nearest flag for one that does not exist. Behind a command that does
// not exist no flag does, and it is the command that is told.
func flagError(cc *cobra.Command, err error) error {
	takesNone := cc.Use == cc.Name() // no arguments of its own, as brain hook has
	if before := cc.Flags().Args(); cc.HasSubCommands() && takesNone && len(before) > 0 {
		var known []string
		for _, c := range cc.Commands() {
			known = append(known, c.Name())
		}
		return unknownName("command", before[0], known)
	}
	hint := "see `" + helpOn(cc.CommandPath()) + "`"
	if missing, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var known []string
		add := func(f *pflag.Flag) { known = append(known, f.Name) }
		cc.Flags().VisitAll(add)
		cc.InheritedFlags().VisitAll(add)
		known = append(known, "help")
		name := missing.GetSpecifiedName()
		word := cmp.Or(missing.GetSpecifiedShortnames(), name) // -explain is read as a row of letters
		if near := text.Nearest(word, known); near != "" && len(word) > 1 {
			hint = "did you mean --" + near + "? " + hint
		}
		return usage("unknown flag: "+cc.CommandPath()+": "+dashed(name), hint)
	}
	return usage("flag: "+cc.CommandPath()+": "+err.Error(), hint)
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// unknownName is the error for a word that is none of the known ones.
func unknownName(what, name string, known []string) error {
	hint := "see `brain help`"
	if near := text.Nearest(name, known); near != "" {
		hint = fmt.Sprintf("did you mean %q? see `brain help`", near)
	}
	return usage(fmt.Sprintf("unknown %s: %q", what, name), hint)
}

func names(table []*command) []string {
	var all []string
	for _, c := range table {
		all = append(all, c.name)
	}
	return all
}

// find walks a table by a path of names.
func find(table []*command, path []string) (*command, bool) {
	var c *command
	for _, name := range path {
		i := slices.IndexFunc(table, func(c *command) bool { return c.name == name })
		if i < 0 {
			return nil, false
		}
		c, table = table[i], table[i].sub
	}
	return c, c != nil
}
