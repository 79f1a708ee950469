package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"brain/compile"
)

// What `brain compile` tells: on standard output the pages, on standard error what
// became of each session, and at the end the sum.

// tell reports a session, as soon as it is done.
func (c *compiling) tell(r *compile.Report, failed error) error {
	j := compiledOf(r)
	if failed != nil {
		j.Error = failed.Error()
		c.fail(failed)
	}
	c.out.Mode = r.Mode
	c.out.Calls, c.out.In, c.out.Out = c.out.Calls+r.Calls, c.out.In+r.In, c.out.Out+r.Out
	for _, m := range r.Pages {
		switch {
		case m.Duplicate:
			c.out.Known++
		case m.Type == "fact":
			c.out.Facts++
		default:
			c.out.Pages++
		}
	}
	c.out.userCounts.add(r)
	for _, d := range r.Dropped {
		c.out.Dropped[string(d.Reason)]++
	}
	if r.Job != "" {
		c.wrote++
		c.told = either(c.wrote == 1, r.Job, "")
	}
	for _, n := range r.Notes {
		c.a.warn("session %s: %s", plain(r.Session), plain(n))
	}
	switch {
	case c.a.global.json && c.f.stream:
		c.a.stream = true
		return c.a.json(j)
	case c.a.global.json:
		c.out.Sessions = append(c.out.Sessions, j)
		return nil
	}
	return c.print(r)
}

func (n *userCounts) add(r *compile.Report) {
	n.Summaries, n.Removed, n.Evicted = n.Summaries+len(r.Summaries), n.Removed+len(r.Removed), n.Evicted+len(r.Evicted)
	n.StaleRemoved, n.Extended, n.Consolidated = n.StaleRemoved+len(r.Stale), n.Extended+len(r.Extended), n.Consolidated+len(r.Consolidated)
	for i := range r.Pages {
		if r.Pages[i].Merged {
			n.Merged++
		}
	}
}

// changes are those that were found in sessions; what had to make room was not.
func (n *userCounts) changes() int {
	return n.Summaries + n.Removed + n.StaleRemoved + n.Extended + n.Consolidated
}

// told says it in words.
func (n *userCounts) told() (parts []string) {
	for _, one := range []struct {
		n         int
		what, did string
	}{
		{n.Summaries, "summary", "changed"}, {n.Removed, "fact", "removed"}, {n.StaleRemoved, "aged fact", "removed"}, {n.Extended, "aged fact", "extended"},
		{n.Consolidated, "fact", "consolidated of several"}, {n.Evicted, "fact", "evicted"},
	} {
		if one.n > 0 {
			parts = append(parts, count(one.n, one.what)+" "+one.did)
		}
	}
	return parts
}

// maxContradictions is how many a run tells a line each of.
const maxContradictions = 20

func (c *compiling) print(r *compile.Report) error {
	var b strings.Builder
	for _, m := range r.Pages {
		if c.f.dryRun {
			b.WriteString(harmless(diffOf(&m)))
			continue
		}
		if !m.Duplicate {
			fmt.Fprintf(&b, "%s\n", plain(string(m.Path)))
		}
		for _, against := range m.Against {
			if c.against++; c.against > maxContradictions {
				break
			}
			c.a.note("brain: %s: %s:%d may contradict it (%s): %s", plain(string(m.Path)), plain(string(against.Path)), against.Line, against.Screen, plain(clip(against.Theirs)))
		}
	}
	if c.f.dryRun {
		for _, s := range r.Summaries {
			b.WriteString(harmless(unified("memory.json "+s.Key, lineOf(s.Before), lineOf(s.After))))
		}
	}
	return c.a.print("%s", b.String())
}

// lineOf is a text with its end of line, "" for none.
func lineOf(s string) string {
	if s == "" {
		return ""
	}
	return s + "\n"
}

func compiledOf(r *compile.Report) compiledJSON {
	j := compiledJSON{
		Session: r.Session, Agent: r.Agent, From: r.From, To: r.To, Fed: r.Fed, Mode: r.Mode, Pages: []madeJSON{}, Removed: []string{},
		Dropped: []droppedJSON{}, Nothing: r.Nothing, Job: r.Job, Calls: r.Calls, In: r.In, Out: r.Out, Notes: list(r.Notes),
		Summaries: []summarizedJSON{}, Merged: []string{}, Evicted: list(r.Evicted),
		StaleRemoved: list(r.Stale), Extended: list(r.Extended), Consolidated: list(r.Consolidated),
	}
	for _, s := range r.Summaries {
		j.Summaries = append(j.Summaries, summarizedJSON{s.Key, list(s.Turns), s.After})
	}
	for i := range r.Pages {
		m := &r.Pages[i]
		one := madeJSON{string(m.Path), m.Title, m.Type, list(m.Turns), m.Duplicate, m.Gained, m.Merged, m.Why, []contradictsJSON{}, diffOf(m)}
		for _, a := range m.Against {
			one.Contradicts = append(one.Contradicts, contradictsJSON{string(a.Path), a.Line, a.Screen, clip(a.Ours), clip(a.Theirs)})
		}
		j.Pages = append(j.Pages, one)
		if m.Merged {
			j.Merged = append(j.Merged, m.Path.Stem())
		}
	}
	for _, p := range r.Removed {
		j.Removed = append(j.Removed, string(p))
	}
	for _, d := range r.Dropped {
		j.Dropped = append(j.Dropped, droppedJSON{d.Text, list(d.Turns), string(d.Reason), d.Detail})
	}
	return j
}

// diffOf shows what a dry run would write; "" when it would write nothing there.
func diffOf(m *compile.Made) string {
	if m.After == nil {
		return ""
	}
	return unified(string(m.Path), string(m.Before), string(m.After))
}

// commit gives the ledger one entry for the whole run.
func (c *compiling) commit(ctx context.Context) {
	if c.f.dryRun {
		return
	}
	c.a.endEntry(ctx, c.o, c.wrote > 0)
}

// finish prints the sum and decides the exit code.
func (c *compiling) finish(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		q := c.queueOptions()
		q.All = true
		waiting, _, err := c.box.Queue(ctx, q)
		if err != nil {
			return err
		}
		c.out.Left = len(compile.BySession(waiting))
		if c.f.dryRun {
			c.out.Left = 0
		}
	}
	err := c.verdict(ids)
	if c.a.global.json {
		if err != nil {
			c.out.Error = err.Error()
		}
		if bad := c.a.json(c.out); bad != nil || err == nil {
			return bad
		}
		c.warnOfRejections()
		return ended{judge(err).code} // it is told in the value
	}
	if c.told != "" && !c.f.dryRun {
		if bad := c.a.print("undo: brain undo %s\n", c.told); bad != nil {
			return bad
		}
	}
	c.a.note("brain: %s", c.summary())
	c.warnOfRejections()
	return err
}

// verdict is the error that the run ends with, if any.
func (c *compiling) verdict(ids []string) error {
	switch {
	case c.stop != nil && c.out.Left > 0:
		return fmt.Errorf("%s left: %w", count(c.out.Left, "session"), c.stop)
	case c.stop != nil:
		return c.stop
	case c.out.Failed > 1:
		v := judge(c.failed)
		return &failure{code: v.code, text: fmt.Sprintf("%s failed", count(c.out.Failed, "session")), cause: c.failed,
			hint: "`brain inbox list --state failed` names them, `brain inbox retry` has them tried again"}
	case c.failed != nil:
		return c.failed
	case c.passed != nil && len(ids) > 0:
		return c.passed
	}
	return nil
}

// warnOfRejections says when a model's findings are mostly of no use.
func (c *compiling) warnOfRejections() {
	rejected := 0
	for why, n := range c.out.Dropped {
		if compile.Reason(why).Rejects() {
			rejected += n
		}
	}
	if all := rejected + c.out.Pages + c.out.Facts + c.out.Known + c.out.changes(); c.model != nil && compile.MostlyRejected(rejected, all) {
		c.a.warn("%d of %d findings were dropped: the model is too small, or the prompts do not fit it; --json names the reasons", rejected, all)
	}
}

func (c *compiling) summary() string {
	would := either(c.f.dryRun, "would be made", "made")
	parts := []string{count(c.out.Pages, "page") + ", " + count(c.out.Facts, "fact") + " " + would}
	if c.out.Known > 0 {
		known := fmt.Sprintf("%d known already", c.out.Known)
		parts = append(parts, known+either(c.out.Merged > 0, fmt.Sprintf(" (%d merged)", c.out.Merged), ""))
	}
	parts = append(parts, c.out.told()...)
	dropped := 0
	for _, n := range c.out.Dropped {
		dropped += n
	}
	if dropped > 0 {
		parts = append(parts, fmt.Sprintf("%d dropped", dropped))
	}
	if c.out.Failed > 0 {
		parts = append(parts, count(c.out.Failed, "session")+" failed")
	}
	if c.out.Left > 0 {
		parts = append(parts, count(c.out.Left, "session")+" waiting")
	}
	if c.against > 0 {
		parts = append(parts, count(c.against, "contradiction")+either(c.against > maxContradictions, ", of which --json names all", ""))
	}
	if c.skipped > 0 {
		parts = append(parts, count(c.skipped, "session")+" left to others")
	}
	return strings.Join(parts, ", ") + " (" + plain(c.out.Mode) + ")"
}

// watch stays and compiles what becomes due.
func (c *compiling) watch(ctx context.Context) error {
	for {
		if err := c.sessions(ctx, nil); err != nil {
			return err
		}
		c.commit(ctx)
		if c.stop != nil {
			c.a.warn("%s: trying again in %s", plain(c.stop.Error()), watchPause)
			c.stop = nil
		}
		_, next, err := c.box.Queue(ctx, c.queueOptions())
		if err != nil {
			return err
		}
		wait := watchPause
		if !next.IsZero() {
			wait = min(wait, max(time.Until(next), time.Second))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// watchPause is the longest time between two looks: sessions come by other processes,
// which tell nobody.
const watchPause = 5 * time.Second
