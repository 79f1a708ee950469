package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"brain/index"
	"brain/page"
	"brain/retrieve"
	"brain/store"
	"brain/text"
)

// queryFlags are the flags of `brain query`.
type queryFlags struct {
	n                    int
	kinds, sources, tags []string
	paths, arms          []string
	since, until         string
	unit, fresh, why     string
	budget               int
	explain, overview    bool
}

func queryCommand() *command {
	var q queryFlags
	return &command{
		name: "query", group: groupFind, args: "QUESTION…", min: 1, max: -1, schema: "query",
		short: "answer a question with the pages that tell it",
		long: `Looks for pages by words, by meaning and by links at once, and prints the best with the line that answers. Any language; Chinese, Japanese, Korean and Thai need no setting. A question that is exactly a path, title or alias puts that page first.

The index follows the files by itself: a query looks what changed, and takes up to 64 changed files in before it answers. With more, or while another process writes, it answers from the last state and says that it is stale. The first query builds the index.

An answer may carry notes: weak (nothing found fits well), stale, degraded (an arm, or the whole index, was not available and why).`,
		examples: []string{
			`brain query "why did we choose PostgreSQL?"`,
			`brain query 谁负责支付 -n 3`,
			`brain query outage --kind lesson,decision --since 30d --explain`,
			`brain query "row locks" --why entities/postgres.md`,
		},
		exits: []exitNote{
			{exitNegative, "nothing found (--json prints the answer with empty hits and a note)"},
			{exitNotFound, "no memory root, no such brain, or --why names no page"},
			{exitEnvironment, "the brain cannot be read"},
		},
		flags: q.flags,
		run: func(ctx context.Context, a *app, args []string) error {
			return a.query(ctx, &q, strings.Join(args, " "))
		},
	}
}

func (q *queryFlags) flags(fs *pflag.FlagSet) {
	fs.IntVarP(&q.n, "number", "n", 0, "`N` hits at most (default: setting search.n, 10)")
	fs.StringSliceVar(&q.kinds, "kind", nil, "only pages of these `TYPES`: decision, lesson, note, entity, session, …")
	fs.StringSliceVar(&q.sources, "source", nil, "only pages of these `SOURCES`")
	fs.StringSliceVar(&q.tags, "tag", nil, "only pages with one of these `TAGS`")
	fs.StringArrayVar(&q.paths, "path", nil, "only pages below this `PREFIX` or matching this glob (** crosses folders); may be repeated")
	fs.StringVar(&q.since, "since", "", "only pages dated from `DATE`: 2026-11-01 (UTC), RFC 3339, or 12h, 7d, 3w, 1y ago")
	fs.StringVar(&q.until, "until", "", "only pages dated before `DATE`")
	fs.StringVar(&q.unit, "unit", "page", "what a hit is: `UNIT` page or passage")
	fs.StringSliceVar(&q.arms, "arms", nil, "only these `ARMS`: lexical, vector, graph (default all)")
	fs.IntVar(&q.budget, "budget", 0, "pack the text of the hits into `N` tokens: passages, overviews or abstracts as they fit, in whole sentences")
	fs.BoolVar(&q.overview, "overview", false, "show each page's abstract instead of the best passage")
	fs.BoolVar(&q.explain, "explain", false, "show how each score came about, arm by arm")
	fs.StringVar(&q.why, "why", "", "say why the page at `PATH` (or a session, by path or id) is where it is in the answer, or at which step it fell out")
	fs.StringVar(&q.fresh, "fresh", "auto", "what to do about changed files: `MODE` auto takes up to 64 in first, wait all, never none")
}

// parse checks the flags and makes the question.
func (q *queryFlags) parse(a *app, text string, s *settings, now time.Time) (retrieve.Query, index.Freshness, error) {
	r := retrieve.Query{Text: text, N: q.n, Kinds: q.kinds, Sources: q.sources, Tags: q.tags, Paths: q.paths,
		Agent: a.self(), Arms: q.arms, Budget: q.budget, Overview: q.overview, Now: now, Timeout: s.SearchTimeout}
	fresh, err := freshness(q.fresh)
	if err != nil {
		return r, fresh, err
	}
	if r.Since, err = parseDate("since", q.since, now); err != nil {
		return r, fresh, err
	}
	if r.Until, err = parseDate("until", q.until, now); err != nil {
		return r, fresh, err
	}
	switch {
	case !a.changed("number"):
		r.N = s.SearchN
	case q.n < 1:
		return r, fresh, usage(fmt.Sprintf("-n: %d: at least one hit", q.n), "")
	}
	if q.budget < 0 {
		return r, fresh, usage("--budget: a number of tokens from 1", "")
	}
	for _, pattern := range q.paths {
		if _, err := path.Match(pattern, ""); err != nil {
			return r, fresh, usage(fmt.Sprintf("--path: %q is no pattern", pattern), "* ? [a-z] within a folder, ** across folders, a \\ before a sign that means itself")
		}
	}
	if err := oneOf("unit", q.unit, "page", "passage"); err != nil {
		return r, fresh, err
	}
	if q.unit == "passage" {
		r.Unit = retrieve.Passages
	}
	for _, arm := range q.arms {
		if err := oneOf("arms", arm, "lexical", "vector", "graph"); err != nil {
			return r, fresh, err
		}
	}
	return r, fresh, nil
}

func freshness(text string) (index.Freshness, error) {
	err := oneOf("fresh", text, "auto", "wait", "never")
	return map[string]index.Freshness{"auto": index.Auto, "wait": index.Wait, "never": index.Never}[text], err
}

// oneOf checks a flag's value against a list.
func oneOf(flag, given string, allowed ...string) error {
	if slices.Contains(allowed, given) {
		return nil
	}
	hint := "allowed: " + strings.Join(allowed, ", ")
	if near := text.Nearest(given, allowed); near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return usage(fmt.Sprintf("--%s: %q is no value for it", flag, given), hint)
}

func (a *app) query(ctx context.Context, flags *queryFlags, text string) error {
	o, err := a.open()
	if err != nil {
		return err
	}
	q, fresh, err := flags.parse(a, text, &o.settings.settings, time.Now())
	if err != nil {
		return err
	}
	answer, why, err := a.ask(ctx, o, q, fresh, flags.why)
	if err != nil {
		return err
	}
	if why != nil {
		return a.printWhy(why)
	}
	if a.global.json {
		err = a.json(answer)
	} else {
		err = a.printAnswer(answer, flags)
	}
	if err == nil && len(answer.Hits) == 0 {
		return errNegative
	}
	return err
}

// ask searches the brain, and marks what is disputed.
func (a *app) ask(ctx context.Context, o *opened, q retrieve.Query, fresh index.Freshness, whyPath string) (*retrieve.Answer, *retrieve.Why, error) {
	answer, why, err := a.search(ctx, o, q, fresh, whyPath)
	if err == nil && answer != nil {
		a.dispute(ctx, o, q.Agent, answer)
	}
	return answer, why, err
}

// search asks the index; where none can be opened or built, the files themselves.
func (a *app) search(ctx context.Context, o *opened, q retrieve.Query, fresh index.Freshness, whyPath string) (*retrieve.Answer, *retrieve.Why, error) {
	e, err := a.engine(o)
	if e == nil {
		return nil, nil, err
	}
	var v *index.View
	var built bool
	if err == nil {
		v, built, err = a.first(ctx, e)
	}
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case unreadable(err):
		return nil, nil, err
	case err != nil && whyPath != "":
		return nil, nil, err
	case err != nil:
		answer, scanErr := a.scan(ctx, e, q, err)
		return answer, nil, scanErr
	}
	if built {
		fresh = index.Never // it was made this moment
	}
	answer, v, err := e.searcher().AskView(ctx, v, q, fresh)
	e.bar.wipe()
	if err != nil {
		return nil, nil, err
	}
	var why *retrieve.Why
	if whyPath != "" {
		why, err = a.why(ctx, e, v, q, whyPath)
	}
	return answer, why, errors.Join(err, v.Release())
}

// why tells of one page what became of it in the answer to q. A session goes by its
// id too.
func (a *app) why(ctx context.Context, e *engine, v *index.View, q retrieve.Query, name string) (*retrieve.Why, error) {
	p, err := a.lookup(ctx, e, v, name)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, page.ErrPath) {
		if session, ok := sessionOf(v, name); ok {
			p, err = session, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return e.searcher().Why(ctx, v, q, p)
}

// sessionOf finds a session by its id, the name of its folder.
func sessionOf(v *index.View, id string) (page.Path, bool) {
	for row := range v.All {
		if p := v.Page(row).Path; p.IsSession() && path.Base(path.Dir(string(p))) == id {
			return p, true
		}
	}
	return "", false
}

// scan is the last resort: the files are searched for the words as they are.
func (a *app) scan(ctx context.Context, e *engine, q retrieve.Query, why error) (*retrieve.Answer, error) {
	q.Timeout = 0 // that of an arm is too short for reading every file
	answer, err := e.searcher().Scan(ctx, q)
	if err != nil {
		return nil, err
	}
	for i := range answer.Degraded {
		if answer.Degraded[i].Arm == "index" {
			answer.Degraded[i].Reason += ": " + why.Error()
			return answer, nil
		}
	}
	answer.Degraded = append(answer.Degraded, retrieve.Degraded{Arm: "index", Reason: why.Error()})
	return answer, nil
}

// printWhy prints a sentence; the score of a hit is told in it.
func (a *app) printWhy(w *retrieve.Why) error {
	if a.global.json {
		return a.json(w)
	}
	return a.print("%s\n", plain(w.Why))
}

// printAnswer prints an answer for people: per hit its title and score, where it
// stands, the passage, and what speaks for it.
func (a *app) printAnswer(r *retrieve.Answer, flags *queryFlags) error {
	var b strings.Builder
	for _, h := range r.Hits {
		a.writeHit(&b, &h, r.Budget != nil, flags.explain)
	}
	if len(r.Hits) == 0 {
		fmt.Fprintf(&b, "nothing found%s\n", before(": ", plain(r.Note)))
	}
	if flags.explain {
		writeExplanation(&b, r)
	}
	for _, note := range notes(r) {
		fmt.Fprintf(&b, "%s\n", note)
	}
	return a.print("%s", b.String())
}

func (a *app) writeHit(b *strings.Builder, h *retrieve.Hit, budget, explain bool) {
	fmt.Fprintf(b, "%2d. %s  %s\n", h.Rank, a.bold(squeeze(h.Title)), a.faint(fmt.Sprintf("%.3f", h.Score)))
	fmt.Fprintf(b, "    %s:%d%s\n", plain(h.Path), max(1, h.Line), before("  > ", squeeze(below(h.Heading, h.Title))))
	switch s := squeeze(h.Snippet); {
	case h.Text != "":
		fmt.Fprintf(b, "    %s\n", strings.ReplaceAll(strings.TrimSpace(harmless(h.Text)), "\n", "\n    "))
	case budget: // a snippet would be more text than was asked for
	case s != "":
		fmt.Fprintf(b, "    %s\n", s)
	}
	var about []string
	for _, s := range []string{h.Type, date(h.Updated), strings.Join(h.Evidence, ", "), packed(h, budget)} {
		if s != "" {
			about = append(about, plain(s))
		}
	}
	fmt.Fprintf(b, "    %s\n", a.faint(strings.Join(about, " · ")))
	if n := len(h.Sources); n > 0 {
		fmt.Fprintf(b, "    same text in %s: %s\n", count(n, "other page"), plain(strings.Join(h.Sources, ", ")))
	}
	for _, s := range h.Disputed {
		fmt.Fprintf(b, "    disputed: %s\n", plain(s))
	}
	if explain {
		writeSignals(b, h.Signals)
	}
	b.WriteString("\n")
}

// packed says how much of its page a hit shows of what the budget allowed.
func packed(h *retrieve.Hit, budget bool) string {
	switch {
	case !budget:
		return ""
	case h.Text == "":
		return "no text, truncated"
	case h.Truncated:
		return h.Layer + ", truncated"
	}
	return h.Layer
}

// below is a heading path without the title that it begins with.
func below(heading, title string) string {
	rest, ok := strings.CutPrefix(heading, title)
	if ok && (rest == "" || strings.HasPrefix(rest, " > ")) {
		return strings.TrimPrefix(rest, " > ")
	}
	return heading
}

// writeSignals prints the steps that made a score, in order.
func writeSignals(b *strings.Builder, signals []retrieve.Signal) {
	for _, s := range signals {
		op := "+"
		if s.Op == "mul" {
			op = "×"
		}
		fmt.Fprintf(b, "      %s %-8.4f %-16s", op, s.Value, plain(s.Name))
		if s.Rank > 0 {
			fmt.Fprintf(b, " rank %d", s.Rank)
		}
		if s.Raw != 0 {
			fmt.Fprintf(b, " raw %.4g", s.Raw)
		}
		fmt.Fprintf(b, "%s\n", before(" ", plain(s.Note)))
	}
}

// writeExplanation prints what concerns the whole answer.
func writeExplanation(b *strings.Builder, r *retrieve.Answer) {
	fmt.Fprintf(b, "brain %s, generation %d, intent %s%s, %.1f ms\n", plain(r.Brain), r.Generation, r.Intent, before(", relation ", plain(r.Relation)), r.TookMS)
	for _, arm := range []string{"lexical", "vector", "graph"} {
		if ms, ok := r.ArmsMS[arm]; ok {
			fmt.Fprintf(b, "  arm %-8s %.1f ms\n", arm, ms)
		}
	}
	if r.EmbedMS > 0 {
		fmt.Fprintf(b, "  embedding    %.1f ms\n", r.EmbedMS)
	}
}

// notes are the lines under an answer that say how far to trust it.
func notes(r *retrieve.Answer) []string {
	var all []string
	if b := r.Budget; b != nil && len(r.Hits) > 0 {
		all = append(all, fmt.Sprintf("budget: %d of %s%s", b.Used, count(b.Tokens, "token"), leftOut(b.LeftOut)))
	}
	for _, word := range slices.Sorted(maps.Keys(r.Corrected)) {
		all = append(all, fmt.Sprintf("searched for %q instead of %q", r.Corrected[word], word))
	}
	if r.Weak && len(r.Hits) > 0 {
		all = append(all, "weak: nothing found fits the question well")
	}
	if r.Stale != nil {
		all = append(all, fmt.Sprintf("stale: %s since: %s", count(r.Stale.Changed, "changed file"), plain(r.Stale.Why)))
	}
	for _, d := range r.Degraded {
		all = append(all, fmt.Sprintf("degraded: %s: %s", d.Arm, plain(d.Reason)))
	}
	if r.Note != "" && len(r.Hits) > 0 {
		all = append(all, "note: "+plain(r.Note))
	}
	return all
}

func leftOut(hits int) string {
	if hits == 0 {
		return ""
	}
	return ", " + count(hits, "hit") + " without text"
}

// before puts a mark before what is not empty.
func before(mark, s string) string {
	if s == "" {
		return ""
	}
	return mark + s
}

// date is the day of an RFC 3339 time.
func date(s string) string { return s[:min(len(s), len(time.DateOnly))] }

func unreadable(err error) bool { return is(store.ErrUnreadable)(err) }
