package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"brain/memory"
	"brain/store"
	"brain/text"
)

func factGetCommand() *command {
	return &command{
		name: "get", args: "ID", min: 1, max: 1, schema: "fact-get",
		short:    "one fact, with all that is known of it",
		long:     `Shows the fact, where it came from, and its dates. The id of a fact of another agent is not found.`,
		examples: []string{"brain fact get fact_8b45d3735ba46cbe", "brain fact get fact_8b45d3735ba46cbe --json"},
		exits:    []exitNote{{exitNotFound, "the agent has no such fact, or no memory root or brain"}, {exitEnvironment, "its file is damaged"}},
		run:      func(ctx context.Context, a *app, args []string) error { return a.factGet(ctx, args[0]) },
	}
}

func (a *app) factGet(ctx context.Context, id string) error {
	o, m, err := a.openFacts(ctx)
	if err != nil {
		return err
	}
	f, err := m.Get(ctx, a.self(), id)
	if err != nil {
		return err
	}
	path, err := memory.FactPath(f.Agent, f.ID)
	if err != nil {
		return err
	}
	if a.global.json {
		return a.json(joined{struct {
			Brain string     `json:"brain"`
			Agent string     `json:"agent"`
			Path  string     `json:"path"`
			Hash  store.Hash `json:"hash"`
		}{o.st.Name(), a.self(), string(path), f.Hash()}, f})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", strings.TrimSpace(harmless(f.Content)))
	for _, line := range factLines(&f, string(path)) {
		fmt.Fprintf(&b, "%-11s %s\n", line[0], plain(line[1]))
	}
	return a.print("%s", b.String())
}

// factLines are what is known of a fact beside its text.
func factLines(f *memory.Fact, path string) (lines [][2]string) {
	put := func(name, value string) {
		if value != "" {
			lines = append(lines, [2]string{name, value})
		}
	}
	put("id", f.ID)
	put("category", f.Category)
	put("confidence", number(f.Confidence))
	put("avoid", f.SourceError)
	put("source", f.Source.Type+before(": ", f.Source.Thread))
	put("created", minute(f.Created))
	put("updated", minute(f.Updated)+fmt.Sprintf(", revision %d", f.Revision))
	if f.Confirmations > 0 || !f.Confirmed.IsZero() {
		put("confirmed", minute(f.Confirmed)+", "+count(f.Confirmations, "time"))
	}
	if f.ValidDays > 0 {
		put("valid for", count(f.ValidDays, "day"))
	}
	put("topics", strings.Join(f.Topics, ", "))
	put("made of", strings.Join(f.Merged, ", "))
	put("file", path)
	return lines
}

// number is a part from 0 to 1 without needless digits.
func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

type factSearchFlags struct {
	n        int
	category string
	explain  bool
}

func factSearchCommand() *command {
	var f factSearchFlags
	return &command{
		name: "search", args: "QUESTION…", min: 1, max: -1, schema: "fact-search",
		short: "facts that answer a question, the best first",
		long: `Ranks the agent's facts by the words of the question, their age and their confidence (memory.relevance: by how much of the question they cover), and prints the best. All that match are scored before any is cut off, so that -n 3 is the beginning of -n 10. Other agents' facts neither appear nor count. doc/facts.md gives the formula, --explain its parts.

` + "`brain query`" + ` finds facts among pages and sessions.`,
		examples: []string{"brain fact search tabs or spaces", "brain fact search 北京 --category identity -n 3", "brain fact search postgres --explain"},
		exits:    []exitNote{{exitNegative, "nothing found"}, {exitNotFound, "no memory root or brain"}, {exitEnvironment, "the facts cannot be read"}},
		flags: func(fs *pflag.FlagSet) {
			fs.IntVarP(&f.n, "number", "n", 10, "`N` facts at most")
			fs.StringVar(&f.category, "category", "", "only facts of this `CATEGORY`")
			fs.BoolVar(&f.explain, "explain", false, "show how each score came about")
		},
		run: func(ctx context.Context, a *app, args []string) error {
			return a.factSearch(ctx, &f, strings.Join(args, " "))
		},
	}
}

type factSearchJSON struct {
	Brain   string        `json:"brain"`
	Agent   string        `json:"agent"`
	Query   string        `json:"query"`
	Results []joined      `json:"results"`
	Count   int           `json:"count"`
	Damaged []damagedJSON `json:"damaged"`
}

func (a *app) factSearch(ctx context.Context, f *factSearchFlags, query string) error {
	if f.n < 1 {
		return usage(fmt.Sprintf("-n: %d: at least one fact", f.n), "")
	}
	o, m, err := a.openFacts(ctx)
	if err != nil {
		return err
	}
	found, err := m.Search(ctx, a.self(), memory.Search{Query: query, Category: f.category, N: f.n})
	if err != nil {
		return err
	}
	j := factSearchJSON{o.st.Name(), a.self(), query, []joined{}, len(found), damagedOf(m.Damaged(a.self()))}
	var b strings.Builder
	for i := range found {
		j.Results = append(j.Results, hitJSON(&found[i]))
		a.writeFound(&b, i+1, &found[i], f.explain)
	}
	if a.global.json {
		err = a.json(j)
	} else {
		a.warnDamaged(j.Damaged)
		err = a.print("%s", either(len(found) == 0, "nothing found\n", b.String()))
	}
	if err == nil && len(found) == 0 {
		return errNegative
	}
	return err
}

// hitJSON is a fact that was found, with its score and what made it.
func hitJSON(f *memory.Found) joined {
	return joined{f.Fact, struct {
		Score float64      `json:"score"`
		Parts memory.Parts `json:"parts"`
	}{f.Score, f.Parts}}
}

// writeFound prints one fact for people, as query prints a hit.
func (a *app) writeFound(b *strings.Builder, rank int, f *memory.Found, explain bool) {
	fmt.Fprintf(b, "%2d. %s  %s\n", rank, a.bold(squeeze(f.Content)), a.faint(fmt.Sprintf("%.3f", f.Score)))
	fmt.Fprintf(b, "    %s\n", a.faint(fmt.Sprintf("%s · %s · %s · %s", plain(f.ID), plain(f.Category), number(f.Confidence), day(&f.Fact))))
	if f.SourceError != "" {
		fmt.Fprintf(b, "    avoid: %s\n", squeeze(f.SourceError))
	}
	if explain {
		fmt.Fprintf(b, "      = %s\n", sum(f))
	}
	b.WriteString("\n")
}

// sum tells what a score is made of.
func sum(f *memory.Found) string {
	switch f.Match {
	case memory.BySubstring:
		return fmt.Sprintf("%s confidence: it has no word of the question, which stands in it as it is", number(f.Confidence))
	case memory.ByRelevance:
		return fmt.Sprintf("relevance %.4f and confidence %s, weighed by memory.relevance_weight%s", f.Relevance, number(f.Confidence),
			either(f.Likeness > 0, fmt.Sprintf("; like one before it: %.4f", f.Likeness), ""))
	}
	return fmt.Sprintf("%.4f bm25 × %.4f decay + 0.2 × %s confidence", f.BM25, f.Decay, number(f.Confidence))
}

type factListFlags struct {
	n        int
	category string
}

func factListCommand() *command {
	var f factListFlags
	return &command{
		name: "list", max: 0, schema: "fact-list",
		short:    "the facts of an agent, the newest first",
		long:     `Lists the agent's facts: id, category, confidence, the day it was made, what it says. Files among them that are no facts are named and left out.`,
		examples: []string{"brain fact list", "brain fact list --category correction", "brain fact list --agent coder -n 20 --json"},
		exits:    []exitNote{{exitNegative, "there is none"}, {exitNotFound, "no memory root or brain"}, {exitEnvironment, "the facts cannot be read"}},
		flags: func(fs *pflag.FlagSet) {
			fs.StringVar(&f.category, "category", "", "only facts of this `CATEGORY`")
			fs.IntVarP(&f.n, "number", "n", 0, "list at most `N` facts; 0 is all")
		},
		run: func(ctx context.Context, a *app, _ []string) error { return a.factList(ctx, &f) },
	}
}

type factListJSON struct {
	Brain    string        `json:"brain"`
	Agent    string        `json:"agent"`
	Revision int           `json:"revision"` // of memory.json
	Total    int           `json:"total"`    // facts of the agent, of whatever category
	Max      int           `json:"max"`      // that it may have
	Legacy   int           `json:"legacy"`   // facts that have no file yet
	Facts    []memory.Fact `json:"facts"`
	Damaged  []damagedJSON `json:"damaged"`
}

func (a *app) factList(ctx context.Context, f *factListFlags) error {
	if f.n < 0 {
		return usage(fmt.Sprintf("-n: %d: from 0", f.n), "")
	}
	o, m, err := a.openFacts(ctx)
	if err != nil {
		return err
	}
	l, err := m.List(ctx, a.self())
	if err != nil {
		return err
	}
	chosen := slices.DeleteFunc(slices.Clone(l.Facts), func(x memory.Fact) bool { return f.category != "" && x.Category != f.category })
	slices.Reverse(chosen)
	more := 0
	if f.n > 0 && len(chosen) > f.n {
		chosen, more = chosen[:f.n], len(chosen)-f.n
	}
	j := factListJSON{o.st.Name(), a.self(), l.Revision, len(l.Facts), o.settings.Memory.Max, l.Legacy, list(chosen), damagedOf(l.Damaged)}
	if !a.global.json {
		a.warnDamaged(j.Damaged)
	}
	return a.printFacts(j, factTable(chosen), len(chosen), more)
}

// maxStatement is how much of a fact a line of a list shows, in bytes.
const maxStatement = 200

// factTable has a line for each fact.
func factTable(facts []memory.Fact) string {
	var rows [][]string
	for i := range facts {
		f := &facts[i]
		rows = append(rows, []string{plain(f.ID), plain(f.Category), number(f.Confidence), day(f), text.Clip(squeeze(f.Content), maxStatement)})
	}
	return aligned(rows)
}

// day is when a fact was made, in the time zone of who reads it.
func day(f *memory.Fact) string { return date(minute(f.Created)) }
