package dream

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"brain/compile"
	"brain/inbox"
	"brain/llm"
)

// Sessions that wait are compiled as `brain compile --due` does it: by compile.Runner, each
// under its own lease, so that one which another process has in hand is passed over. Those
// that failed wait for a person and are named every night.

// mostNamed is how many things of one kind a report names one by one.
const mostNamed = 20

func (n *night) sessions(ctx context.Context) error {
	all, _, err := n.Box.Queue(ctx, inbox.QueueOptions{Debounce: n.Debounce, MaxWait: n.MaxWait, All: true})
	if err != nil {
		return fmt.Errorf("list the sessions that wait: %w", err)
	}
	var due, early, off []inbox.Item
	for now := n.now(); len(all) > 0; all = all[1:] {
		switch it := all[0]; {
		case n.off(it.Agent):
			off = append(off, it)
		case it.Due.After(now):
			early = append(early, it)
		default:
			due = append(due, it)
		}
	}
	if len(off) > 0 {
		n.left(Left{Path: "sessions", What: fmt.Sprintf("%d of agents without a memory wait", len(compile.BySession(off))), Hint: "memory.agents_off names the agents"})
	}
	if len(early) > 0 {
		n.left(Left{Path: "sessions", What: fmt.Sprintf("%d are not quiet yet, or are tried again later", len(compile.BySession(early))),
			Hint: "the next is due at " + early[0].Due.Local().Format("2006-01-02 15:04:05")})
	}
	sessions := compile.BySession(due)
	n.looked(len(sessions), "sessions")
	switch {
	case n.DryRun:
		for _, items := range sessions {
			n.changed(string(items[0].Path), "session compiled")
		}
		n.count("sessions_due", len(sessions))
	case len(sessions) > 0:
		err = n.compile(ctx, sessions)
	}
	return errors.Join(err, n.nameFailed(ctx))
}

// off reports an agent that has no memory.
func (n *night) off(agent string) bool { return slices.Contains(n.AgentsOff, agent) }

// nameFailed names the sessions that are not tried again unless somebody says so.
func (n *night) nameFailed(ctx context.Context) error {
	all, err := n.Box.List(ctx)
	if err != nil {
		return fmt.Errorf("list the sessions that failed: %w", err)
	}
	failed := 0
	for i := range all {
		m := &all[i]
		if m.State != inbox.Failed {
			continue
		}
		if failed++; failed <= mostNamed {
			n.left(Left{Path: string(m.Path), What: "the session failed: " + m.Error, Hint: "`brain inbox retry " + m.Session + "` has it tried again"})
		}
	}
	if failed > mostNamed {
		n.left(Left{Path: "sessions", What: fmt.Sprintf("%d more failed", failed-mostNamed), Hint: "`brain inbox list --state failed` names them"})
	}
	if failed > 0 {
		n.count("sessions_failed", failed)
	}
	return nil
}

func (n *night) compile(ctx context.Context, sessions [][]inbox.Item) error {
	pass := &compile.Pass{Store: n.Store, Box: n.Box, Pack: n.Pack, Index: n.Index, Searcher: n.Searcher, Facts: n.Facts,
		Completer: n.Completer, Prompts: n.Prompts, Language: n.Language, Now: n.Cycle.Now}
	r := &compile.Runner{Pass: pass, Parallel: n.Parallel, Fallback: n.Fallback}
	r.FellBack = func(why error) {
		n.mute = why
		n.failed("%v", why)
		n.left(Left{Path: "sessions", What: "rules compile them, since no model answers", Hint: "compile.mode: model has them wait instead"})
	}
	r.Told = func(rep *compile.Report, err error) error {
		if n.stage.Cost.add(Cost{rep.Calls, rep.In, rep.Out}); err == nil {
			n.compiled(rep)
		}
		return nil
	}
	if n.Progress != nil {
		r.Progress = func(done, all int) { n.Progress(Distill, done, all) }
	}
	ran, err := r.Run(ctx, sessions)
	n.behind = true
	if ran.Passed > 0 {
		n.left(Left{Path: "sessions", What: fmt.Sprintf("%d are in the hands of another process", ran.Passed), Hint: "it compiles them"})
	}
	if ran.Failed > 0 {
		n.failed("%d sessions could not be compiled, the last: %v", ran.Failed, ran.Failure)
	}
	if ran.Stopped != nil {
		n.left(Left{Path: "sessions", What: "some wait for another night: " + ran.Stopped.Error(), Hint: "`brain compile` goes on with them"})
		if n.mute = ran.Stopped; !errors.Is(ran.Stopped, llm.OverBudget) {
			n.failed("%v", ran.Stopped)
		}
	}
	return err
}

// compiled notes what came of a session.
func (n *night) compiled(r *compile.Report) {
	n.count("sessions_compiled", 1)
	of := " of session " + r.Session
	for i := range r.Pages {
		switch m := &r.Pages[i]; {
		case !m.Duplicate:
			n.changed(string(m.Path), m.Type+of)
		case m.Gained:
			n.changed(string(m.Path), "gained a source: session "+r.Session)
		}
	}
	for _, path := range r.Removed {
		n.changed(string(path), "fact removed, after session "+r.Session)
	}
	for _, s := range r.Summaries {
		n.changed("memory.json", "summary "+s.Key+of)
	}
	n.factsChanged(r.Agent, factChanges{r.Stale, r.Extended, r.Evicted, r.Consolidated})
	if len(r.Dropped) > 0 {
		n.count("findings_dropped", len(r.Dropped))
	}
}
