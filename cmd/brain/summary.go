package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"brain/memory"
	"brain/text"
)

func summaryCommand() *command {
	return &command{
		name: "summary", group: groupWrite,
		short:    "a few sentences about the user, for all agents",
		long:     `Summaries say in a few sentences what the user does and has done: of the user workContext, personalContext and topOfMind, of history recentMonths, earlierContext and longTermBackground. They stand in memory.json, and all agents see them. ` + "`brain compile`" + ` with a model renews them.`,
		examples: []string{"brain summary get", `brain summary set topOfMind "The move to Go 1.26"`},
		sub:      []*command{summaryGetCommand(), summarySetCommand()},
	}
}

func summaryGetCommand() *command {
	return &command{
		name: "get", args: "[NAME]", max: 1, schema: "summary-get",
		short:    "the summaries, or one of them",
		long:     `Prints those summaries that say something, each with its date; with NAME the text of that one. NAME is SECTION.KEY, or KEY alone where one section has it.`,
		examples: []string{"brain summary get", "brain summary get user.topOfMind", "brain summary get --json"},
		exits:    []exitNote{{exitNegative, "nothing is said there"}, {exitNotFound, "no memory root or brain"}, {exitEnvironment, "memory.json cannot be read"}},
		run: func(ctx context.Context, a *app, args []string) error {
			return a.summaryGet(ctx, strings.Join(args, ""))
		},
	}
}

// summaryJSON is one summary.
type summaryJSON struct {
	Section string `json:"section"`
	Key     string `json:"key"`
	Summary string `json:"summary"`
	Updated string `json:"updatedAt"`
}

func (a *app) summaryGet(ctx context.Context, name string) error {
	o, m, err := a.openFacts(ctx)
	if err != nil {
		return err
	}
	s, err := m.Summaries(ctx)
	if err != nil {
		return err
	}
	brain := struct {
		Brain string `json:"brain"`
	}{o.st.Name()}
	if name == "" {
		if a.global.json {
			return a.json(joined{brain, s})
		}
		return a.printSummaries(s)
	}
	n, err := summaryNamed(s, name)
	if err != nil {
		return err
	}
	one := s.Get(n)
	if a.global.json {
		err = a.json(joined{brain, struct {
			Revision int `json:"revision"`
		}{s.Revision}, summaryJSON{n.Section, n.Key, one.Text, exactly(one.Updated)}})
	} else if one.Text != "" {
		err = a.print("%s\n", strings.TrimSpace(harmless(one.Text)))
	}
	if err == nil && one.Text == "" {
		return errNegative
	}
	return err
}

// printSummaries prints those that say something, in the order of DeerMem.
func (a *app) printSummaries(s *memory.Summaries) error {
	var b strings.Builder
	for _, n := range s.Names() {
		one := s.Get(n)
		if one.Text == "" {
			continue
		}
		fmt.Fprintf(&b, "%s  %s\n    %s\n\n", a.bold(plain(n.String())), a.faint(minute(one.Updated)),
			strings.ReplaceAll(strings.TrimSpace(harmless(one.Text)), "\n", "\n    "))
	}
	if b.Len() == 0 {
		return cmp.Or(a.print("no summaries\n"), errNegative)
	}
	return a.print("%srevision %d\n", b.String(), s.Revision)
}

// summaryNamed finds the summary that a person names.
func summaryNamed(s *memory.Summaries, name string) (memory.SummaryName, error) {
	var known []string
	var found []memory.SummaryName
	for _, n := range s.Names() {
		known = append(known, n.String())
		if name == n.String() {
			return n, nil
		}
		if strings.EqualFold(name, n.Key) || strings.EqualFold(name, n.String()) {
			found = append(found, n)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	hint := "there are " + strings.Join(known, ", ")
	if near := text.Nearest(name, keysOf(known)); near != "" && len(found) == 0 {
		hint = "did you mean " + near + "? " + hint
	}
	return memory.SummaryName{}, usage(fmt.Sprintf("summary %q: %s", name, either(len(found) > 1, "several sections have it", "there is none of that name")), hint)
}

// keysOf are names with and without their section.
func keysOf(names []string) []string {
	all := slices.Clone(names)
	for _, n := range names {
		_, key, _ := strings.Cut(n, ".")
		all = append(all, key)
	}
	return all
}

func summarySetCommand() *command {
	var given precondition
	var yes bool
	return &command{
		name: "set", args: "NAME TEXT…", min: 2, max: -1, schema: "summary-set",
		short: "say one summary anew",
		long: `Replaces one summary by TEXT (- is standard input); the others stay. An empty TEXT empties it. NAME is SECTION.KEY, or KEY alone where one section has it.

With --if-revision memory.json must be at that revision, else the exit code is 4 and nothing is written. That revision grows with each change of a fact, too.`,
		examples: []string{`brain summary set topOfMind "The move to Go 1.26"`, "brain summary set user.workContext - < work.txt", `brain summary set recentMonths "Moved to Lyon" --if-revision 12`},
		exits:    factExits(exitNote{exitConflict, "memory.json is at another revision, or was edited meanwhile"}),
		flags: func(fs *pflag.FlagSet) {
			given.revisionFlag(fs, "memory.json")
			yesFlag(fs, &yes)
		},
		run: func(ctx context.Context, a *app, args []string) error {
			return a.summarySet(ctx, &given, yes, args[0], args[1:])
		},
	}
}

type summarySetJSON struct {
	Brain string `json:"brain"`
	summaryJSON
	Complete bool   `json:"complete"`
	Version  string `json:"version"`
	Revision int    `json:"revision"`
	Last     string `json:"lastUpdated"`
	Job      string `json:"job"`
}

func (a *app) summarySet(ctx context.Context, given *precondition, yes bool, name string, words []string) error {
	if err := given.check(a, 0); err != nil {
		return err
	}
	text, err := a.statement(ctx, words)
	if err != nil {
		return err
	}
	o, m, err := a.openFactsToKeep(ctx, yes)
	if err != nil {
		return err
	}
	s, err := m.Summaries(ctx)
	if errors.Is(err, memory.ErrCorrupt) {
		s, err = &memory.Summaries{}, nil // the change puts it aside
	}
	if err != nil {
		return err
	}
	n, err := summaryNamed(s, name)
	if err != nil {
		return err
	}
	var at *int
	if a.changed("if-revision") {
		at = &given.revision
	}
	d, err := m.SetSummaries(ctx, memory.SummaryPatch{n.Section: {n.Key: text}}, at)
	if err != nil {
		return err
	}
	if a.global.json {
		if s, err = m.Summaries(ctx); err != nil {
			return err
		}
		one := s.Get(n)
		return a.json(summarySetJSON{o.st.Name(), summaryJSON{n.Section, n.Key, one.Text, exactly(one.Updated)}, d.Complete, d.Version, d.Revision, exactly(d.Updated), d.Job})
	}
	if d.Updated.IsZero() {
		return a.print("%s: nothing to change\n", plain(n.String()))
	}
	return a.print("%s\n%s", plain(n.String()), undoLine(d.Job))
}
