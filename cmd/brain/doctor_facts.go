package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"brain/memory"
)

// examineFacts looks at the facts of every agent: how many there are, which files among
// them are none, and what is left of an older form. memory.json belongs to them.
func (a *app) examineFacts(ctx context.Context, x *examination, o *opened) {
	m, most := a.facts(ctx, o), o.settings.Memory.Max
	if _, err := m.Summaries(ctx); err != nil {
		x.fail("facts", err)
	}
	agents, err := m.Agents(ctx)
	if err != nil {
		x.fail("facts", err)
		return
	}
	before, counts := len(x.checks), []string{}
	for _, agent := range agents {
		l, err := m.List(ctx, agent)
		if err != nil {
			x.fail("facts", err)
			continue
		}
		if len(l.Facts)+len(l.Damaged) > 0 {
			counts = append(counts, fmt.Sprintf("%s %d", agent, len(l.Facts)))
		}
		x.facts(agent, l, most)
		if err := m.CheckSidecars(agent); err != nil {
			x.warn("facts", fmt.Sprintf("agent %s: what is known of searches and evictions: %v", agent, err), "it begins anew by itself; or delete the files in "+quoted(filepath.Join(m.Usage, agent)))
		}
	}
	switch {
	case len(x.checks) > before:
	case len(counts) == 0:
		x.ok("facts", "none")
	default:
		x.ok("facts", fmt.Sprintf("%s; at most %d each", strings.Join(counts, ", "), most))
	}
}

// facts notes what is wrong with those of one agent.
func (x *examination) facts(agent string, l *memory.Listing, most int) {
	if n := len(l.Damaged); n > 0 {
		x.warn("facts", fmt.Sprintf("agent %s: left out, since it is no fact: %v%s", agent, l.Damaged[0].Err, either(n > 1, fmt.Sprintf("; and %d more", n-1), "")), "`brain lint agents/"+agent+"` names all")
	}
	if l.Legacy > 0 {
		x.warn("facts", fmt.Sprintf("agent %s: %s in the JSON of before version 2", agent, count(l.Legacy, "fact")), "they are read as they are; the next change of one of them gives each its file")
	}
	if n := len(l.Facts); n > most {
		x.warn("facts", fmt.Sprintf("agent %s: %d, and memory.max_facts is %d: the next new one costs %d", agent, n, most, n+1-most), "raise memory.max_facts, or take away what is not wanted: `brain fact delete`")
	}
}
