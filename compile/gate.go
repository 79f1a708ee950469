package compile

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"brain/memory"
	"brain/page"
	"brain/text"
)

// The gate: what was found passes it item by item, and each that does not is
// reported with the reason. A bad one never stops the others.
//
//	items     type known · no path, link, front matter · turns that are there ·
//	          words that stand in them
//	facts     the same, and scope user, durability durable, authority descriptive,
//	          confidence at least 0.7
//	removals  scope user, a reason, a fact that is there; tied to a replacement
//	          only when that was kept
//	summaries scope user, authority descriptive; words of the old text or of turns
//	          that are there (summary.go)
//	merges    the labels and the confidence of facts; memory.Batch judges the rest,
//	          as it does of facts that grew old
//
// On the way, secrets are masked once more and relative dates become absolute.

// minConfidence is from which a fact is kept.
const minConfidence = 0.7

// maxBody bounds an item in characters: what is longer is a transcript, not a
// memory of one.
const maxBody = 8_000

// Kept is what passed.
type Kept struct {
	Items     []Item
	Facts     []keptFact
	Removals  []Removal
	Summaries []keptSummary
	Review    memory.Review
	Merges    []memory.Consolidation
}

type keptFact struct {
	Fact
	index      int // in Found.Facts, by which removals name it
	confidence float64
	validDays  int
	said       []string // as it was found
}

func (c *Pass) gate(w *work, found *Found) *Kept {
	g := w.gate()
	w.report.Dropped = append(w.report.Dropped, found.Dropped...)
	k := &Kept{}
	for _, it := range found.Items {
		if g.item(&it) {
			k.Items = append(k.Items, it)
		}
	}
	for i, f := range found.Facts {
		if f.Content == "" {
			continue // reported as malformed; it keeps the places of the others
		}
		if kept, ok := g.fact(f); ok {
			kept.index = i
			k.Facts = append(k.Facts, kept)
		}
	}
	for _, rm := range found.Removals {
		if g.removal(rm, k.Facts) {
			k.Removals = append(k.Removals, rm)
		}
	}
	k.Summaries = g.summaries(found.Summaries)
	k.Review = memory.Review{Remove: found.Over, Extend: found.Longer}
	for _, m := range found.Merges {
		if c, ok := g.merge(m); ok {
			k.Merges = append(k.Merges, c)
		}
	}
	return k
}

type gate struct {
	*work
	e *evidence
}

// gate is the one of a pass.
func (w *work) gate() *gate {
	if w.judge == nil {
		w.judge = &gate{work: w, e: newEvidence(w.fed)}
	}
	return w.judge
}

func (g *gate) item(it *Item) bool {
	it.Title, it.Body, it.Turns = oneLine(it.Title), strings.TrimSpace(it.Body), ordered(it.Turns)
	why, detail := g.judgeItem(it)
	if why != "" {
		g.report.drop(it.Title, it.Turns, why, detail)
		return false
	}
	at := g.said(it.Turns)
	it.said = []string{it.Title, it.Body}
	it.Title, it.Body = g.outward(it.Title, at), g.outward(it.Body, at)
	it.Title = shorten(it.Title)
	return true
}

func (g *gate) judgeItem(it *Item) (Reason, string) {
	switch {
	case it.Title == "" || it.Body == "":
		return Malformed, "no title or no body"
	case !slices.Contains(itemTypes, it.Type):
		return Malformed, fmt.Sprintf("type %q, want one of %s", it.Type, strings.Join(itemTypes, ", "))
	case it.Bucket != "" && !slices.Contains(buckets, it.Bucket):
		return Malformed, fmt.Sprintf("bucket %q, want one of %s", it.Bucket, strings.Join(buckets, ", "))
	case it.Outcome != "" && !slices.Contains(outcomes, it.Outcome):
		return Malformed, fmt.Sprintf("outcome %q, want one of %s", it.Outcome, strings.Join(outcomes, ", "))
	case utf8.RuneCountInString(it.Body) > maxBody:
		return Malformed, fmt.Sprintf("longer than %d characters", maxBody)
	}
	for _, s := range []string{it.Title, it.Body} {
		if what := Placed(s); what != "" {
			return NamesPath, what
		}
	}
	return g.judgeText(it.Title+"\n"+it.Body, it.Turns)
}

// judgeText holds what is said against the turns.
func (g *gate) judgeText(said string, turns []int) (Reason, string) {
	return g.judgeNew(said, nil, turns)
}

// judgeNew is judgeText of a text that was written anew: words that it had before need no
// turn.
func (g *gate) judgeNew(said string, before map[string]bool, turns []int) (Reason, string) {
	if n, ok := g.e.has(turns); !ok {
		if n == 0 {
			return InventedTurn, "it cites none"
		}
		return InventedTurn, fmt.Sprintf("turn %d", n)
	}
	share, missing := g.e.beyond(before, said, turns)
	switch {
	case missing != "":
		return NoEvidence, fmt.Sprintf("%s stands in none of the turns", missing)
	case share < MinSupport:
		return NoEvidence, fmt.Sprintf("of its words %.0f %% stand in the turns", 100*share)
	}
	return "", ""
}

var (
	itemTypes = []string{"decision", "lesson", "note"}
	buckets   = []string{"preference", "shortcut", "place", "environment"}
	outcomes  = []string{"success", "partial", "fail", "uncertain"}
)

// What an item must not hold: a place of its own to be written to, links by
// which it would join the graph, front matter that would pose as a page's.
var (
	link      = text.Pattern(`\[\[[^\]]*\]\]|!?\[[^\]\n]*\]\([^)\n]*\)`) // also one that leads elsewhere
	treePath  = text.Pattern(`(?i)(^|[\s"'(<` + "`" + `])(\.{0,2}/)*((brains|\.brain|\.txn)/\S+|(sources|entities|experiences|skills|agents|sessions)/\S+\.(md|jsonl?)\b)`)
	upPath    = text.Pattern(`(^|[\s"'(/\\` + "`" + `])\.\.[/\\]`)
	matter    = text.Pattern(`(?m)\A\s*---\s*$|^---\s*\n[A-Za-z_]+:`)
	matterKey = text.Pattern(`(?mi)^(redirect|schema_type|provenance|created_by|history_ref)\s*:\s*\S`)
)

// Placed says what in a text speaks of where it belongs, "" for nothing: a model chooses no
// place, and writes no link.
func Placed(s string) string {
	switch {
	case link().MatchString(s), slices.ContainsFunc(page.Parse("page.md", []byte("\n"+s)).Links, chosen):
		return "it holds a link"
	case matter().MatchString(s), matterKey().MatchString(s):
		return "it holds front matter"
	case treePath().MatchString(s), upPath().MatchString(s):
		return "it names a path of the brain"
	}
	return ""
}

// chosen reports a link that somebody wrote as one. A name behind an @ is how people
// are spoken of; it leads somewhere only if the brain has an entity of that name.
func chosen(l page.Link) bool {
	return l.Kind == page.Wiki || l.Kind == page.Embed || l.Kind == page.Markdown
}

func (g *gate) fact(f Fact) (keptFact, bool) {
	k := keptFact{Fact: f}
	k.Content, k.SourceError, k.Turns = strings.TrimSpace(f.Content), strings.TrimSpace(f.SourceError), ordered(f.Turns)
	why, detail := g.judgeFact(&k)
	if why != "" {
		g.report.drop(k.Content, k.Turns, why, detail)
		return k, false
	}
	at := g.said(k.Turns)
	k.said = []string{k.Content, k.SourceError}
	k.Content, k.SourceError = g.outward(k.Content, at), g.outward(k.SourceError, at)
	k.Category = category(k.Category)
	if k.SourceError != "" && !g.knewWrong(k.SourceError, k.Turns) {
		k.SourceError = ""
	}
	return k, true
}

// category is a word or two; what is more is no category.
func category(s string) string {
	s = strings.ToLower(oneLine(s))
	if !categoryForm().MatchString(s) {
		return "other"
	}
	return s
}

var categoryForm = text.Pattern(`^[\p{L}\p{M}][\p{L}\p{M}\p{N} _-]{0,39}$`)

// knewWrong reports whether the mistake that a correction replaces stands in the turns, or
// in a fact that is known.
func (g *gate) knewWrong(mistake string, turns []int) bool {
	if share, missing := g.e.supports(mistake, turns); missing == "" && share >= MinSupport {
		return true
	}
	return slices.ContainsFunc(g.held, func(f memory.Fact) bool { return memory.ContentKey(f.Content) == memory.ContentKey(mistake) })
}

func (g *gate) judgeFact(k *keptFact) (Reason, string) {
	if why, detail := labels(k.Scope, k.Durability, k.Authority); why != "" {
		return why, detail
	}
	var ok bool
	switch k.confidence, ok = confidence(k.Confidence); {
	case k.Content == "" || utf8.RuneCountInString(k.Content) > page.MaxFact:
		return Malformed, "no content, or too long"
	case !ok:
		return Unsure, "it is no number"
	case k.confidence < minConfidence:
		return Unsure, fmt.Sprintf("%g, want at least %g", k.confidence, minConfidence)
	}
	k.validDays = memory.Days(k.ValidDays, memory.MaxValidDays)
	for _, s := range []string{k.Content, k.Category, k.SourceError} {
		if what := Placed(s); what != "" {
			return NamesPath, what
		}
	}
	return g.judgeText(k.Content, k.Turns)
}

// labels decides by the three labels: trimmed, in any case.
func labels(scope, durability, authority string) (Reason, string) {
	for _, l := range []struct {
		name, value, want string
		known             []string
		why               Reason
	}{
		{"scope", scope, "user", []string{"user", "thread", "project"}, NotUsers},
		{"durability", durability, "durable", []string{"durable", "temporary"}, NotDurable},
		{"authority", authority, "descriptive", []string{"descriptive", "transactional"}, NoAuthority},
	} {
		switch v := strings.ToLower(strings.TrimSpace(l.value)); {
		case !slices.Contains(l.known, v):
			return Unlabelled, fmt.Sprintf("%s %q", l.name, l.value)
		case v != l.want:
			return l.why, v
		}
	}
	return "", ""
}

// confidence reads a number from 0 to 1; true, "0.9" and 1e400 are none.
func confidence(raw json.RawMessage) (float64, bool) {
	var v float64
	if len(raw) == 0 || raw[0] == 'n' || json.Unmarshal(raw, &v) != nil {
		return 0, false
	}
	return v, !math.IsNaN(v) && v >= 0 && v <= 1
}

func (g *gate) merge(m Merge) (memory.Consolidation, bool) {
	c, why, detail := m.judged()
	if why != "" {
		g.report.drop(strings.TrimSpace(m.Fact.Content), nil, why, detail)
	}
	return c, why == ""
}

// judged judges the fact that is to take the place of others as one that is new; only that
// its words are those of its sources is for memory to see.
func (m *Merge) judged() (c memory.Consolidation, why Reason, detail string) {
	said := strings.TrimSpace(m.Fact.Content)
	why, detail = labels(m.Fact.Scope, m.Fact.Durability, m.Fact.Authority)
	if confidence, ok := confidence(m.Fact.Confidence); ok {
		c.Confidence = confidence
	} else if why == "" {
		why, detail = Unsure, "it is no number"
	}
	if what := Placed(said); why == "" && what != "" {
		why, detail = NamesPath, what
	}
	if why == "" && utf8.RuneCountInString(said) > page.MaxFact {
		why, detail = Malformed, "too long"
	}
	c.Sources, c.Content, c.Category = m.Sources, mask(said), m.Fact.Category
	if c.Category != "" {
		c.Category = category(c.Category)
	}
	return c, why, detail
}

func (g *gate) removal(rm Removal, facts []keptFact) bool {
	why, detail := Reason(""), ""
	at := slices.IndexFunc(g.shown, func(f memory.Fact) bool { return f.ID == rm.ID })
	switch {
	case strings.ToLower(strings.TrimSpace(rm.Scope)) != "user":
		why, detail = NotUsers, rm.Scope
	case strings.TrimSpace(rm.Reason) == "":
		why = NoReason
	case rm.Replacement != nil && !slices.ContainsFunc(facts, func(f keptFact) bool { return f.index == *rm.Replacement }):
		why, detail = NoReplacing, fmt.Sprintf("newFacts %d", *rm.Replacement)
	case at < 0:
		why, detail = UnknownFact, "it was not shown"
	case isManual(&g.shown[at]) && rm.Replacement == nil:
		why, detail = NoReplacing, "a person wrote it"
	}
	if why != "" {
		g.report.drop(rm.ID, nil, why, detail)
	}
	return why == ""
}

// said is when the last of some turns was said; zero when no turn tells.
func (g *gate) said(turns []int) (at time.Time) {
	for _, n := range turns {
		if t := g.e.fed[n]; t != nil && t.At.After(at) {
			at = t.At
		}
	}
	return at
}

// outward is a text as it may be written: what relative dates mean stands beside
// them, and no secret stays in it, though a session was put into its folder by hand and
// never passed the door.
func (g *gate) outward(s string, at time.Time) string { return mask(absolute(s, at)) }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// shorten makes a title of a text, which is read at a glance.
func shorten(s string) string { return text.Clip(s, 120) }
