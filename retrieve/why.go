package retrieve

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"brain/graph"
	"brain/index"
	"brain/page"
)

// Steps at which a page falls out of an answer, in their order.
const (
	StepShown     = "shown"     // it did not
	StepIndex     = "index"     // not in the index
	StepRanked    = "ranked"    // never ranked: a redirect, archived, empty, brain's own output
	StepAgent     = "agent"     // another agent's
	StepFilter    = "filter"    // a filter of the question
	StepArms      = "arms"      // no arm brought it
	StepTurns     = "turns"     // a session of which no turn answers, in a search for passages
	StepFloor     = "floor"     // far below the best
	StepDuplicate = "duplicate" // grouped with a page of the same content
	StepSessions  = "sessions"  // enough sessions stand before it
	StepNumber    = "number"    // beyond the number of hits asked for
)

// Why is what became of a page in the answer to a question: where it stands,
// or at which step it fell out.
type Why struct {
	Path    string   `json:"path"`
	Why     string   `json:"why"` // all of it in a sentence
	In      bool     `json:"in"`  // it is a hit
	Step    string   `json:"step"`
	Rank    int      `json:"rank"`    // among all that were ranked, 0 when it was not; of a duplicate, of the hit it is grouped with
	Score   float64  `json:"score"`   // 0 when it was not scored
	Needed  float64  `json:"needed"`  // score with which it would have passed the step, 0 when no score would have done
	Note    string   `json:"note"`    // the step's numbers in words
	Signals []Signal `json:"signals"` // of Score
}

// Why asks the question again, as it was asked, and follows one page through
// its steps.
func (sr *Searcher) Why(ctx context.Context, v *index.View, q Query, path page.Path) (*Why, error) {
	w := &Why{Path: string(path), Signals: []Signal{}}
	row, ok := v.Lookup(path)
	if !ok {
		return w.out(StepIndex, "is not in the index: `brain sync` takes it in if it exists"), nil
	}
	pg := v.Page(row)
	switch a := v.Agent(row); {
	case !pg.Ranked:
		return w.out(StepRanked, "is never ranked: "+sr.unranked(ctx, pg)), nil
	case a != "" && a != q.Agent:
		return w.out(StepAgent, "belongs to agent "+a), nil
	case !q.match(pg):
		return w.out(StepFilter, "does not pass the filters: "+strings.Join(q.misses(pg), "; ")), nil
	}
	if q.N <= 0 {
		q.N = defaultN
	}
	q.trace = &trace{row: row, path: string(path)}
	if _, err := sr.Search(ctx, v, q); err != nil {
		return nil, err
	}
	q.trace.tell(w, &q)
	return w, nil
}

// out says at which step the page fell out.
func (w *Why) out(step, note string) *Why {
	w.Step, w.Note = step, note
	w.Why = w.Path + " " + note
	return w
}

// unranked says why a page has no rank in any answer. What the index does not
// keep of it, its file tells.
func (sr *Searcher) unranked(ctx context.Context, pg index.Page) string {
	switch {
	case pg.Redirect != "":
		return "it is a redirect to " + pg.Redirect
	case page.Retired(pg.Status):
		return "its status is " + pg.Status
	}
	raw, err := sr.Source.Read(ctx, pg.Path)
	switch {
	case err != nil:
		return "it is empty, no text, or brain's own output"
	case bytes.IndexByte(raw, 0) >= 0:
		return "it is no text"
	case page.Parse(pg.Path, raw).Generated:
		return "it is brain's own output"
	}
	return "it is empty"
}

// misses names the filters that stop a page, with their value and the page's.
func (q *Query) misses(pg index.Page) []string {
	var out []string
	miss := func(alone Query, name, value, have string) {
		if !alone.match(pg) {
			out = append(out, fmt.Sprintf("%s %s, and the page has %s", name, value, cmp.Or(have, "none")))
		}
	}
	date := ""
	if d := pageDate(pg); !d.IsZero() {
		date = d.UTC().Format(time.RFC3339)
	}
	miss(Query{Kinds: q.Kinds}, "kind", strings.Join(q.Kinds, ", "), pg.Type)
	miss(Query{Without: q.Without}, "without", strings.Join(q.Without, ", "), pg.Type)
	miss(Query{Sources: q.Sources}, "source", strings.Join(q.Sources, ", "), pg.Source)
	miss(Query{Tags: q.Tags}, "tag", strings.Join(q.Tags, ", "), strings.Join(pg.Tags, ", "))
	miss(Query{Paths: q.Paths}, "path", strings.Join(q.Paths, ", "), string(pg.Path))
	miss(Query{Since: q.Since}, "since", q.Since.UTC().Format(time.RFC3339), date)
	miss(Query{Until: q.Until}, "until", q.Until.UTC().Format(time.RFC3339), date)
	return out
}

// trace watches one page on its way through Search. A nil trace sees nothing.
type trace struct {
	row    uint32
	path   string
	absent []string // by arm, why it did not bring the page; nil when one did
	stages [stages][]*candidate
}

// What candidates have been through when a trace sees them.
const (
	scored  = iota // all that the arms brought, best first
	floored        // in the order of the answer
	grouped
	capped
	stages
)

func (t *trace) see(stage int, cands []*candidate) {
	if t != nil {
		t.stages[stage] = slices.Clone(cands)
	}
}

// at gives the page's place, or that of its best turn, at a stage; -1 without.
func (t *trace) at(stage int) int {
	return slices.IndexFunc(t.stages[stage], func(c *candidate) bool { return c.row == t.row })
}

// arms notes how far the page is from what each arm brought.
func (t *trace) arms(v *index.View, p *plan, f *found) {
	if t == nil {
		return
	}
	t.absent = nil // the search may ask again, deeper
	if _, ok := p.exact[t.row]; ok || f.brought(t.row) {
		return
	}
	for _, arm := range AllArms {
		failed := slices.IndexFunc(f.degraded, func(d Degraded) bool { return d.Arm == arm })
		switch {
		case !p.arms[arm]:
			t.absent = append(t.absent, arm+": not asked")
		case failed >= 0:
			t.absent = append(t.absent, arm+": "+f.degraded[failed].Reason)
		default:
			far := map[string]func(*index.View, *plan, *found) string{Lexical: t.byWords, Vector: t.byMeaning, Graph: t.byLinks}[arm]
			t.absent = append(t.absent, arm+": "+far(v, p, f))
		}
	}
}

func (f *found) brought(row uint32) bool {
	is := func(m index.Match) bool { return m.Row == row }
	return slices.ContainsFunc(f.lexical, is) || slices.ContainsFunc(f.vector, is) ||
		slices.ContainsFunc(f.graph, func(r graph.Reached) bool { return r.Node == row })
}

func (t *trace) byWords(v *index.View, p *plan, f *found) string {
	if f.words == nil {
		return "the question has no words"
	}
	all, err := f.words.Top(v.Nodes(), p.accept)
	if err != nil {
		return err.Error()
	}
	if i := slices.IndexFunc(all, func(m index.Match) bool { return m.Row == t.row }); i >= 0 {
		return fmt.Sprintf("rank %d, and the first %d are brought", ranks(all)(i), f.depth)
	}
	return "it has no word of the question"
}

func (t *trace) byMeaning(v *index.View, _ *plan, f *found) string {
	if f.query == nil || len(f.vector) == 0 {
		return "nothing is near the question's meaning"
	}
	cos, _, ok := v.Cosine(t.row, f.query)
	if !ok {
		return "it has no vector"
	}
	return fmt.Sprintf("cosine %.4f, and the last of %d that are brought has %.4f", cos, len(f.vector), f.vector[len(f.vector)-1].Score)
}

func (t *trace) byLinks(_ *index.View, p *plan, f *found) string {
	switch {
	case len(f.graph) == 0:
		return "the question names nothing that links"
	case len(f.graph) == armDepth:
		return fmt.Sprintf("not among the first %d by links", armDepth)
	case p.related:
		return "no answer to the relation " + p.relation.String()
	}
	return "no link within 2 hops of what the question names"
}

// tell fills in what was seen.
func (t *trace) tell(w *Why, q *Query) {
	at := t.at(scored)
	switch {
	case at < 0 && t.absent != nil:
		w.out(StepArms, "was brought by no arm: "+strings.Join(t.absent, "; "))
		return
	case at < 0:
		w.out(StepTurns, "was brought as a session, but no turn of it has anything of the question")
		return
	}
	c := t.stages[scored][at]
	w.Score, w.Signals = c.score, slices.Clone(c.signals)
	if at = t.at(capped); at >= 0 {
		c = t.stages[capped][at]
		w.Rank, w.Score, w.Signals = at+1, c.score, slices.Clone(c.signals)
	}
	switch {
	case t.at(floored) < 0:
		t.tellFloor(w)
	case at < 0:
		t.tellTwin(w, q)
	case at < q.N:
		t.tellShown(w, q)
	case t.at(grouped) < q.N:
		w.out(StepSessions, fmt.Sprintf("is the session that would be rank %d with score %.4f, but %d sessions stand before it and at most %d are among the first %d unless sessions are asked for",
			t.at(grouped)+1, w.Score, sessionCap, sessionCap, sessionsOf))
	default:
		t.tellNumber(w, q)
	}
}

func (t *trace) tellFloor(w *Why) {
	w.Needed = fusedFloor * t.stages[scored][0].score
	w.out(StepFloor, fmt.Sprintf("fell below the floor of %g of the best score: it has %.4f and needs %.4f", fusedFloor, w.Score, w.Needed))
}

func (t *trace) tellTwin(w *Why, q *Query) {
	i := slices.IndexFunc(t.stages[capped], func(c *candidate) bool { return slices.Contains(c.twins, t.path) })
	if i < 0 {
		return
	}
	w.Rank = i + 1
	note := fmt.Sprintf("has the same content as %s, rank %d, and is grouped with it", t.stages[capped][i].path, i+1)
	if i >= q.N {
		note += fmt.Sprintf("; %d are shown", q.N)
	}
	w.out(StepDuplicate, note)
}

func (t *trace) tellShown(w *Why, q *Query) {
	w.In = true
	w.out(StepShown, fmt.Sprintf("is rank %d of %d with score %.4f (%d shown)%s", w.Rank, len(t.stages[capped]), w.Score, q.N, t.turns(q)))
	w.Why += ": " + told(w.Signals)
}

// turns says, of a session in a search for passages, which turns stand where.
func (t *trace) turns(q *Query) string {
	var places []string
	for i, c := range t.stages[capped][:min(q.N, len(t.stages[capped]))] {
		if c.row == t.row && c.turn != nil && q.Unit == Passages {
			places = append(places, fmt.Sprintf("turn %d rank %d", c.turn.N, i+1))
		}
	}
	if places == nil {
		return ""
	}
	return ": " + strings.Join(places, ", ")
}

// tellNumber compares the page with the last hit that is shown.
func (t *trace) tellNumber(w *Why, q *Query) {
	c, last := t.stages[capped][w.Rank-1], t.stages[capped][q.N-1]
	note := fmt.Sprintf("is rank %d of %d with score %.4f (%d shown)", w.Rank, len(t.stages[capped]), w.Score, q.N)
	switch w.Needed = last.score; {
	case last.pinned:
		w.Needed = 0
		note += fmt.Sprintf(": the last that is shown, %s, is what the question names", last.path)
	case c.score < last.score:
		note += fmt.Sprintf(": it needs %.4f, which %s has as the last that is shown", w.Needed, last.path)
	case c.page.Tier == last.page.Tier:
		note += fmt.Sprintf(": it needs more than that, which %s has too, and equal scores are ordered by path", last.path)
	default:
		w.Needed = (grid(last.score) + 1) * scoreGrid
		note += fmt.Sprintf(": it needs %.4f, since scores nearer than %g are ties and %s has the better trust tier (%d, it %d)", w.Needed, scoreGrid, last.path, last.page.Tier, c.page.Tier)
	}
	if d := differences(c.signals, last.signals); d != "" {
		note += ". It differs most in " + d
	}
	w.out(StepNumber, note)
}

const differencesShown = 3

// differences names the signals that part two scores most.
func differences(mine, theirs []Signal) string {
	a, b := parts(mine), parts(theirs)
	var names []string
	for _, s := range slices.Concat(mine, theirs) {
		if !slices.Contains(names, s.Name) && math.Abs(a[s.Name]-b[s.Name]) >= 0.00005 {
			names = append(names, s.Name)
		}
	}
	slices.SortStableFunc(names, func(x, y string) int {
		return cmp.Compare(math.Abs(a[y]-b[y]), math.Abs(a[x]-b[x]))
	})
	var out []string
	for _, n := range names[:min(differencesShown, len(names))] {
		out = append(out, fmt.Sprintf("%s %+.4f against %+.4f", n, a[n], b[n]))
	}
	return strings.Join(out, ", ")
}

// parts is what each signal gave to the score, which they add up to: the share
// of the ranks is in the ranks, a boost is what it added.
func parts(signals []Signal) map[string]float64 {
	out := map[string]float64{}
	score := 0.0
	for _, s := range signals {
		switch {
		case s.Op == "add":
			out[s.Name] += s.Value
			score += s.Value
		case s.Name == "rrf.share":
			for n := range out {
				out[n] *= s.Value
			}
			score *= s.Value
		default:
			out[s.Name] += score*s.Value - score
			score *= s.Value
		}
	}
	return out
}
