package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// examineFacts looks at the facts of every agent: how many there are, and which files
// among them are none.
func (a *app) examineFacts(ctx context.Context, x *examination, o *opened) {
	files, err := o.factFiles(ctx)
	if err != nil {
		x.fail("facts", err)
		return
	}
	m, most := a.facts(ctx, o), o.settings.rules().Max
	counts, wrong := []string{}, false
	for _, agent := range slices.Sorted(maps.Keys(files)) {
		l, err := m.List(ctx, agent)
		if err != nil {
			x.fail("facts", err)
			return
		}
		counts = append(counts, fmt.Sprintf("%s %d", agent, len(l.Facts)))
		if n := len(l.Damaged); n > 0 {
			x.warn("facts", fmt.Sprintf("%s of agent %s no fact and left out, such as %v", either(n == 1, "1 file is", fmt.Sprintf("%d files are", n)), agent, l.Damaged[0].Err), "`brain lint "+"agents/"+agent+"` names all")
			wrong = true
		}
		if len(l.Facts) > most {
			x.warn("facts", fmt.Sprintf("agent %s has %d, and memory.max_facts is %d: the next new one costs %d", agent, len(l.Facts), most, len(l.Facts)+1-most), "raise memory.max_facts, or take away what is not wanted: `brain fact delete`")
			wrong = true
		}
	}
	switch {
	case wrong:
	case len(counts) == 0:
		x.ok("facts", "none")
	default:
		x.ok("facts", fmt.Sprintf("%s; at most %d each", strings.Join(counts, ", "), most))
	}
}
