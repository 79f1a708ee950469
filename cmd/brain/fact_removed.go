package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"brain/memory"
	"brain/store"
	"brain/text"
)

func factRemovedCommand() *command {
	var n int
	return &command{
		name: "removed", max: 0, schema: "fact-removed",
		short: "facts that are gone, the last first, and why",
		long: `Lists the agent's facts that were taken away in the last 90 days and are not back: id, category, confidence, when it went, why, what it said. Why is capacity for one that had to make room, else what took it away: delete, clear, compile. What was purged is not among them.

` + "`brain fact restore`" + ` brings one back; ` + "`brain undo`" + ` brings back all that went with it.`,
		examples: []string{"brain fact removed", "brain fact removed -n 5 --json"},
		exits:    []exitNote{{exitNegative, "there is none"}, {exitNotFound, "no memory root or brain"}, {exitEnvironment, "the undo store cannot be read"}},
		flags: func(fs *pflag.FlagSet) {
			fs.IntVarP(&n, "number", "n", 20, "list at most `N` facts; 0 is all")
		},
		run: func(ctx context.Context, a *app, _ []string) error { return a.factRemoved(ctx, n) },
	}
}

type factRemovedJSON struct {
	Brain   string   `json:"brain"`
	Agent   string   `json:"agent"`
	Total   int      `json:"total"`
	Removed []joined `json:"removed"`
}

func (a *app) factRemoved(ctx context.Context, n int) error {
	if n < 0 {
		return usage(fmt.Sprintf("-n: %d: from 0", n), "")
	}
	o, m, err := a.openFacts(ctx)
	if err != nil {
		return err
	}
	gone, err := m.Removed(ctx, a.self())
	if err != nil {
		return err
	}
	j := factRemovedJSON{o.st.Name(), a.self(), len(gone), []joined{}}
	if n > 0 {
		gone = gone[:min(n, len(gone))]
	}
	for i := range gone {
		j.Removed = append(j.Removed, removedJSON(&gone[i]))
	}
	return a.printFacts(j, removedTable(gone), len(gone), j.Total-len(gone))
}

func removedJSON(r *memory.Removed) joined {
	return joined{r.Fact, struct {
		At  string `json:"removedAt"`
		Why string `json:"why"`
		Job string `json:"job"`
	}{stamp(r.At), r.Why, r.Job}}
}

// removedTable has a line for each fact that is gone.
func removedTable(gone []memory.Removed) string {
	var rows [][]string
	for i := range gone {
		r := &gone[i]
		rows = append(rows, []string{plain(r.ID), plain(r.Category), number(r.Confidence), minute(r.At), plain(r.Why), text.Clip(squeeze(r.Content), maxStatement)})
	}
	return aligned(rows)
}

// aligned puts the cells of rows under each other.
func aligned(rows [][]string) string {
	var wide []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(wide) {
				wide = append(wide, 0)
			}
			wide[i] = max(wide[i], text.Width(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row[:len(row)-1] {
			b.WriteString(cell + strings.Repeat(" ", wide[i]-text.Width(cell)+2))
		}
		b.WriteString(row[len(row)-1] + "\n")
	}
	return b.String()
}

func factRestoreCommand() *command {
	var yes bool
	return &command{
		name: "restore", args: "ID", min: 1, max: 1, schema: "fact-delta",
		short:    "bring a fact back that is gone",
		long:     `Brings back one fact that ` + "`brain fact removed`" + ` lists, as it was, with the next revision. It is a change like any other: another fact may say the same by now, and where there is no room the one that counts for least goes.`,
		examples: []string{"brain fact restore fact_8b45d3735ba46cbe"},
		exits:    factExits(exitNote{exitNotFound, "no fact of that id was taken away"}, exitNote{exitConflict, "it is there, another fact says the same, it was purged, or there is no room for it"}),
		flags:    func(fs *pflag.FlagSet) { yesFlag(fs, &yes) },
		run: func(ctx context.Context, a *app, args []string) error {
			o, m, err := a.openFactsToKeep(ctx, yes)
			if err != nil {
				return err
			}
			d, err := m.Restore(ctx, a.self(), args[0])
			if errors.Is(err, store.ErrExists) {
				return &failure{code: exitConflict, text: "it is not gone", cause: err, hint: "`brain fact get " + plain(args[0]) + "` shows what is there; nothing was written"}
			}
			if err != nil {
				return err
			}
			return a.printDelta(o, args[0], d)
		},
	}
}
