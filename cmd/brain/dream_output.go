package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"brain/dream"
)

// What `brain dream` tells: on standard output a line for each stage as it ends, then what
// was changed and what is left, the first of each; all of it stands in the report, which
// --json prints and `brain dream report` shows again.

// dreamJSON is the report of a run.
type dreamJSON struct {
	dream.Report
	Due bool `json:"due"` // false, with --due: the run had been made before, and nothing was done
}

func dreamReportCommand() *command {
	return &command{
		name: "report", max: 0, schema: "dream",
		short:    "what the last Dream came to",
		long:     `Prints the report of the last brain dream that was no dry run, as it was told then; with --json all of it. It is kept in .brain/dream/, with the brain's name, and can be lost.`,
		examples: []string{"brain dream report", "brain dream report --json"},
		exits:    []exitNote{{exitNegative, "there was none yet"}, {exitNotFound, "no memory root or brain"}},
		run:      func(_ context.Context, a *app, _ []string) error { return a.dreamReport() },
	}
}

func (a *app) dreamReport() error {
	o, err := a.open()
	if err != nil {
		return err
	}
	state, err := o.dreamState()
	if err != nil {
		return err
	}
	r, err := dream.LastReport(state)
	switch {
	case err != nil:
		return err
	case r == nil:
		return &failure{code: exitNegative, text: "brain " + o.st.Name() + " has not dreamt yet", hint: "`brain dream --dry-run` says what it would do"}
	case a.global.json:
		return a.json(dreamJSON{*r, true})
	}
	var b strings.Builder
	for i := range r.Stages {
		s := &r.Stages[i]
		b.WriteString(stageText(s, false))
		for _, why := range s.Failures {
			fmt.Fprintf(&b, "%-15s failed: %s\n", "", plain(why))
		}
	}
	for _, why := range r.Failures {
		fmt.Fprintf(&b, "failed: %s\n", plain(why))
	}
	b.WriteString(reportText(r))
	return a.print("%s: %s\n%s", clock(r.Started), reportLine(r), b.String())
}

// tellStage prints the line of a stage that ended. That it cannot be printed is found out
// at the end.
func (d *dreaming) tellStage(s *dream.StageReport) {
	if d.nightly || d.a.global.json {
		return
	}
	if err := d.a.print("%s", stageText(s, d.f.dryRun)); err != nil {
		d.mute = err
	}
	d.tellFailures(s)
}

// tellFailures says on standard error why a stage failed: there a timer finds it.
func (d *dreaming) tellFailures(s *dream.StageReport) {
	for i, why := range s.Failures {
		if i == maxLeftTold {
			d.a.note("brain: %s: and %d more: brain dream report --json", s.Stage, len(s.Failures)-i)
			break
		}
		d.a.note("brain: %s failed: %s", s.Stage, plain(why))
	}
}

// tellFaults says what failed besides the stages.
func (d *dreaming) tellFaults(r *dream.Report) {
	for _, why := range r.Failures {
		d.a.note("brain: failed: %s", plain(why))
	}
}

// tell prints the report. What failed is an error that is told.
func (d *dreaming) tell(r *dream.Report) error {
	err := d.mute
	switch {
	case err != nil:
	case d.a.global.json:
		err = d.a.json(dreamJSON{*r, true})
	case d.nightly:
		if err = d.a.print("%s: %s\n", clock(r.Started), reportLine(r)); err == nil {
			for i := range r.Stages {
				d.tellFailures(&r.Stages[i])
			}
			d.tellFaults(r)
		}
	default:
		if err = d.a.print("%s", reportText(r)); err == nil && !(r.OK && d.a.global.quiet) {
			d.tellFaults(r)
			d.a.note("brain: %s", reportLine(r))
		}
	}
	if err == nil && !r.OK {
		return ended{exitEnvironment}
	}
	return err
}

// notDue tells that nothing was done.
func (d *dreaming) notDue(o *opened, c *dream.Cycle) error {
	now := time.Now()
	if d.a.global.json {
		return d.a.json(dreamJSON{dream.Report{Brain: o.st.Name(), Started: now, Mode: c.Mode(), OK: true, Stages: []dream.StageReport{}, Failures: []string{}}, false})
	}
	if !d.a.global.quiet {
		d.a.note("brain: nothing is due: %q had its run; the next one is due at %s", c.Schedule, clock(c.Schedule.NextRun(c.State, now)))
	}
	return nil
}

func changes(r *dream.Report) (all []dream.Change) {
	for i := range r.Stages {
		all = append(all, r.Stages[i].Changed...)
	}
	return all
}

// reportLine is a run in one line.
func reportLine(r *dream.Report) string {
	left, failed := 0, []string{}
	for i := range r.Stages {
		s := &r.Stages[i]
		if left += len(s.Left); !s.OK {
			failed = append(failed, s.Stage)
		}
	}
	parts := []string{either(r.DryRun, "nothing would be changed", "nothing changed")}
	if n := len(changes(r)); n > 0 {
		parts[0] = count(n, "change") + either(r.DryRun, " would be made", "")
	}
	if left > 0 {
		parts = append(parts, fmt.Sprintf("%d left to look at", left))
	}
	if r.Calls > 0 {
		parts = append(parts, asked(r.Cost))
	}
	if len(r.Failures) > 0 {
		failed = append(failed, "what follows the stages")
	}
	if len(failed) > 0 {
		parts = append(parts, "failed: "+strings.Join(failed, ", "))
	}
	if r.Interrupted {
		parts = append(parts, "interrupted")
	}
	return fmt.Sprintf("%s (%s, %s)", strings.Join(parts, ", "), plain(r.Mode), briefly(r.Took))
}

// clock is a time as the clock of this machine shows it, which a schedule follows.
func clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

func asked(c dream.Cost) string {
	return fmt.Sprintf("%s of %d tokens", count(c.Calls, "question"), c.In+c.Out)
}

// briefly is a time to a tenth of a second.
func briefly(d time.Duration) string { return d.Round(100 * time.Millisecond).String() }

// toldCounts are the figures of stages that a person wants to know at once, in their order;
// the report has all of them.
var toldCounts = []struct{ key, words string }{
	{"errors", "errors"}, {"warnings", "warnings"}, {"mended", "mended"},
	{"unreadable", "cannot be read"}, {"taken_in", "taken in"}, {"embedded", "embedded"}, {"pending_embeddings", "vectors that wait"},
	{"sessions_compiled", "sessions compiled"}, {"sessions_failed", "sessions failed"},
	{"layers_written", "abstracts written"}, {"facts_aged", "aged facts"},
	{"pairs_open", "open pairs"}, {"answers", "answers carried out"}, {"buckets_waiting", "subjects that wait"},
	{"would_ask", "questions that would be asked"}, {"waiting_for_model", "questions that wait"}, {"refused_lately", "refused lately"},
}

// stageText is the line of a stage.
func stageText(s *dream.StageReport, dry bool) string {
	var parts []string
	if s.Skipped != "" {
		parts = append(parts, plain(s.Skipped))
	}
	if s.Looked > 0 {
		parts = append(parts, "looked at "+counted(s.Looked, s.Unit))
	}
	if n := len(s.Changed); n > 0 {
		parts = append(parts, count(n, "change")+either(dry, " would be made", ""))
	}
	if n := len(s.Left); n > 0 {
		parts = append(parts, fmt.Sprintf("%d left to look at", n))
	}
	for _, c := range toldCounts {
		if n := s.Counts[c.key]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", c.words, n))
		}
	}
	if s.Calls > 0 {
		parts = append(parts, asked(s.Cost))
	}
	if len(parts) == 0 {
		parts = append(parts, "nothing to do")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-15s %-6s  %s\n", s.Stage, either(s.OK, "ok", "failed"), strings.Join(parts, ", "))
	return b.String()
}

// counted is "1 page" of "pages".
func counted(n int, unit string) string {
	if one, many := strings.CutSuffix(unit, "s"); many && n == 1 {
		unit = one
		if stem, ok := strings.CutSuffix(one, "ie"); ok {
			unit = stem + "y"
		}
	}
	return fmt.Sprintf("%d %s", n, plain(unit))
}

// Of what was changed, and of what each stage left, so many are named.
const (
	maxChangesTold = 20
	maxLeftTold    = 5
)

// reportText names what was changed and what is left.
func reportText(r *dream.Report) string {
	var b strings.Builder
	all := changes(r)
	if len(all) > 0 {
		fmt.Fprintf(&b, "\n%s\n", either(r.DryRun, "would be changed", "changed"))
	}
	for i, c := range all {
		if i == maxChangesTold {
			more(&b, len(all)-i, r)
			break
		}
		fmt.Fprintf(&b, "  %s: %s\n", plain(c.Path), plain(c.What))
	}
	for i := range r.Stages {
		writeLeft(&b, r, &r.Stages[i])
	}
	return b.String()
}

func writeLeft(b *strings.Builder, r *dream.Report, s *dream.StageReport) {
	if len(s.Left) > 0 {
		fmt.Fprintf(b, "\nleft by %s\n", s.Stage)
	}
	for i, l := range s.Left {
		if i == maxLeftTold {
			more(b, len(s.Left)-i, r)
			return
		}
		where := plain(l.Path)
		if l.Line > 0 {
			where += fmt.Sprintf(":%d", l.Line)
		}
		if where != "" {
			where += ": "
		}
		fmt.Fprintf(b, "  %s%s\n", where, plain(l.What))
		if last := i+1 == len(s.Left) || i+1 == maxLeftTold || s.Left[i+1].Hint != l.Hint; last && l.Hint != "" {
			fmt.Fprintf(b, "      %s\n", plain(l.Hint))
		}
	}
}

func more(b *strings.Builder, n int, r *dream.Report) {
	fmt.Fprintf(b, "  and %d more: %s\n", n, either(r.DryRun, "--json", "brain dream report --json"))
}
