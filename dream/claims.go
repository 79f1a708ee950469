package dream

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"brain/index"
	"brain/memory"
	"brain/page"
	"brain/text"
)

// What a brain claims, and of what. A claim is one of
//
//	a fact of the front matter of any page, while it is live
//	a fact of an agent, while it is active
//	a sentence of a decision's or an entity's page that gives something a value
//
// and it comes from a page that counts: no session, nothing archived, superseded or out of
// date by its own word, no redirect, nothing that brain wrote itself. A sentence that says
// what a fact of its page says is that fact.
//
// What decides whether two claims may be compared at all, stands beside the text: whose they
// are, who said so, when they hold. The screens get the words alone (page.Statement).

// claim is one thing that is claimed.
type claim struct {
	page.Claim            // without Speaker and Time, which are below
	from       *claimPage // where it stands
	fact       int        // as Side.Fact
	speaker    string
	day        string // when it was so, or said so; "" is not told
	since      string // from which day it holds; "" is not told
	until      string // to which
	event      bool   // it tells what happened once
	past       bool   // it tells how something was
	values     int    // how many its page gives to the slot
	shown      string // its text as it stands in the file
	links      []page.Link

	names []uint32 // the entities it speaks of, in the order of the text
	words []uint64 // what it speaks of besides values
	key   uint64   // of page.ClaimKey of its text
	in    []*bucket
	st    *page.Statement
	vec   []float32
}

// maxStatements is how many claims are kept as they were read, some 5 KB each; of a brain
// with more, those of a bucket are read anew when it is looked at.
const maxStatements = 20_000

// statement is the claim, read.
func (c *claim) statement() *page.Statement {
	if c.st == nil {
		c.st = page.State(c.Claim)
	}
	return c.st
}

// claimPage is what claims of one page share.
type claimPage struct {
	path    page.Path
	row     uint32 // in the view
	agent   string // "": everybody's
	title   string
	entity  bool
	project string // its source, else its folder
	day     string // when it was made, as far as is known
	sources []string
	changed time.Time // its file
}

// claims gives all claims of a brain, in order of path.
func (n *night) claims(ctx context.Context, v *index.View, of *entities) ([]*claim, error) {
	rows := claimRows(v)
	pages, faults := make([][]*claim, len(rows)), make([]error, len(rows))
	g, reading := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	const batch = 64
	for from := 0; from < len(rows); from += batch {
		g.Go(func() error {
			for i := from; i < min(from+batch, len(rows)); i++ {
				pages[i], faults[i] = n.claimsOf(reading, v, of, rows[i])
			}
			return reading.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return nil, fmt.Errorf("read claims: %w", err)
	}
	for i, err := range faults {
		if err == nil {
			continue
		}
		if err := n.without(ctx, v.PathOf(rows[i]), err); err != nil {
			return nil, err
		}
	}
	agents, err := n.agentClaims(ctx, v, of)
	all := append(slices.Concat(pages...), agents...)
	if len(all) > maxStatements {
		for _, c := range all {
			c.st = nil
		}
	}
	return all, err
}

// claimRows are the pages that may claim something.
func claimRows(v *index.View) (rows []uint32) {
	for row := range v.All {
		p := v.Page(row)
		ended := p.Status == "stale" || p.Status == "candidate"
		if v.Ranked(row) && !p.Generated && !ended && !p.Path.IsSession() && p.Type != "fact" {
			rows = append(rows, row)
		}
	}
	return rows
}

// saysSentences are the types of pages whose sentences are claims: what people write there
// is meant to hold.
func saysSentences(typ string) bool { return typ == "decision" || typ == "entity" }

// claimsOf reads a page. Its error is of reading.
func (n *night) claimsOf(ctx context.Context, v *index.View, of *entities, row uint32) ([]*claim, error) {
	known := v.Page(row)
	raw, err := n.Store.Read(ctx, known.Path)
	if err != nil {
		return nil, err
	}
	if !saysSentences(known.Type) && !bytes.Contains(raw, []byte("acts")) { // no key facts in any case
		return nil, nil
	}
	p := n.pack().Parse(known.Path, raw)
	if p.Generated || ownOutput(p) {
		return nil, nil
	}
	from := &claimPage{
		path: p.Path, row: row, agent: p.Agent, title: p.Title, entity: p.Type == "entity", project: cmp.Or(p.Source, p.Path.Dir()), day: madeOn(p), sources: sourcesOf(p),
		changed: time.Unix(0, known.File.Mtime),
	}
	said := page.Claims(p) // its facts come first
	out := factClaims(p, from, said)
	if saysSentences(p.Type) {
		out = append(out, sentenceClaims(p, from, out, said)...)
	}
	countValues(out)
	for _, c := range out {
		of.find(c)
	}
	return out, nil
}

// ownOutput reports an experience or a skill that was written here: it says again what its
// sources say.
func ownOutput(p *page.Page) bool {
	return (p.Type == "experience" || p.Type == "skill") && p.CreatedBy == "brain"
}

// madeOn is the day of what a page tells.
func madeOn(p *page.Page) string {
	if t := cmp.Or(p.At, p.Created, p.Updated); !t.IsZero() {
		return t.Format(time.DateOnly)
	}
	return ""
}

func sourcesOf(p *page.Page) []string {
	out := slices.Clone(p.Sources)
	if s := p.Provenance.Session; s != "" {
		for i, turn := range p.Provenance.Turns {
			s += map[bool]string{true: " turns ", false: ", "}[i == 0] + fmt.Sprint(turn)
		}
		out = append(out, s)
	}
	return out
}

// factClaims are the live facts of a page.
func factClaims(p *page.Page, from *claimPage, facts []page.Claim) (out []*claim) {
	next := 0
	for i, f := range p.Facts {
		if !f.Live() {
			continue
		}
		if next == len(facts) || facts[next].Form != page.Entry {
			break
		}
		c := &claim{Claim: facts[next], from: from, fact: i, event: isEvent(f.EventType)}
		next++
		c.shown = cmp.Or(f.Text, c.Text)
		c.Text, c.links = plainText(c.shown)
		if p.Type != "entity" && (c.Slot.Metric != "" || page.StandsAlone(c.Text)) {
			c.Subject = ""
		}
		c.day, c.since, c.until = day(f.At), day(f.ValidFrom), day(f.ValidUntil)
		c.take()
		c.read()
		out = append(out, c)
	}
	return out
}

// plainText is a text without its Markdown, and the links in it.
func plainText(s string) (string, []page.Link) {
	if !strings.ContainsAny(s, "[*`_<@#") {
		return s, nil
	}
	p := page.Parse("text.md", []byte("\n"+s))
	var plain []string
	for _, c := range page.Claims(p) {
		plain = append(plain, c.Text)
	}
	return cmp.Or(strings.Join(plain, " "), s), p.Links
}

// linksNear are the links of a page that may stand in a sentence of it, under another name
// than that of what they lead to.
func linksNear(p *page.Page, c page.Claim) (out []page.Link) {
	const lines = 3 // of a sentence
	for _, l := range p.Links {
		near := l.Kind != page.FrontMatter && l.Line >= c.Place.Line && l.Line <= c.Place.Line+lines
		if near && l.Label != "" && strings.Contains(c.Text, l.Label) {
			out = append(out, l)
		}
	}
	return out
}

// take moves what is judged here out of the claim that the screens see.
func (c *claim) take() {
	c.speaker, c.Speaker = text.Fold(c.Speaker), ""
	c.Time, c.Slot.Date = "", ""
}

// day is the day of a date, "" for what is none.
func day(s string) string {
	if t, ok := page.ParseDate(s); ok {
		return t.Format(time.DateOnly)
	}
	return ""
}

// isEvent reports a type of what happens once. Two of one kind are two events.
func isEvent(typ string) bool {
	switch strings.ToLower(typ) {
	case "", "state", "statement", "decision", "fact", "preference", "status", "policy", "limit", "definition":
		return false
	}
	return true
}

// sentenceClaims are the sentences of a page that give something a value and say more than
// its facts, those that are superseded included.
func sentenceClaims(p *page.Page, from *claimPage, live []*claim, said []page.Claim) (out []*claim) {
	var facts []*page.Statement
	for _, c := range live {
		facts = append(facts, c.statement())
	}
	for _, f := range p.Facts {
		if !f.Live() {
			facts = append(facts, page.State(page.Claim{Text: f.Text}))
		}
	}
	for _, pc := range said {
		if pc.Form == page.Entry || pc.Form == page.Row || tooShort(pc.Text) || isCode(pc.Text) {
			continue
		}
		c := &claim{Claim: pc, from: from, fact: SentenceSide, shown: pc.Text, links: linksNear(p, pc)}
		st := c.statement()
		if !st.Slotted() || slices.ContainsFunc(facts, func(s *page.Statement) bool { return s.Within(st) }) {
			continue
		}
		c.past = tellsThePast(pc.Text)
		c.read()
		out = append(out, c)
	}
	return out
}

// tooShort reports a text of which nothing can be told: a word, a label.
func tooShort(s string) bool { return len(strings.Fields(s)) < 3 && len(s) < 12 }

// isCode reports a formula, a signature, an entry of a log: it says nothing that holds by itself.
func isCode(s string) bool {
	const most = 3
	signs := 0
	for _, r := range s {
		if strings.ContainsRune("{}\\|<>=;$^_[]", r) {
			signs++
		}
	}
	return signs > most
}

// read notes what a claim is found by.
func (c *claim) read() {
	st := c.statement()
	st.Words(func(stem string) {
		if h := hashOf(stem); !slices.Contains(c.words, h) {
			c.words = append(c.words, h)
		}
	})
	if c.key = hashOf(st.Key()); c.shown != c.Text {
		c.key = hashOf(page.ClaimKey(c.shown))
	}
}

// hashOf is the same in every process: where a night stopped, another goes on.
func hashOf(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s)) // cannot fail
	return h.Sum64()
}

// countValues counts the values that a page gives to one slot: several are a list, or a history.
func countValues(claims []*claim) {
	slots := map[string][]*claim{}
	for _, c := range claims {
		slot := "\x00" + text.Fold(c.Slot.Metric) + c.Slot.Period
		if c.Slot.Metric == "" {
			slot = c.Subject + "\x00" + c.statement().Slot()
		}
		slots[slot] = append(slots[slot], c)
	}
	for _, same := range slots {
		values := map[uint64]bool{}
		for _, c := range same {
			values[c.key] = true
		}
		for _, c := range same {
			c.values = len(values)
		}
	}
}

// Words of a sentence that tells how something was, and of one that tells since when, or till
// when, it is so.
const (
	pastWords    = " was were had used previously formerly originally earlier then before until "
	changedWords = " moved migrated switched changed replaced renamed upgraded retired now "
	timeWords    = " since from now today currently after when by till "
)

var (
	pastHan    = [...]string{"曾", "原来", "原先", "之前", "以前", "当时", "过去", "此前", "一度", "起初", "当初", "以往"}
	changedHan = [...]string{"迁移到", "迁到", "改用", "换成", "改为", "改成", "换到", "换为", "搬到", "转到", "转为", "弃用", "已经", "不再"}
	timeHan    = [...]string{"现在", "目前", "如今", "今天", "之后", "以后", "改为", "改成", "起，", "年", "月", "日"}
)

func tellsThePast(s string) bool { return hasWord(s, pastWords, pastHan[:]) }
func tellsTime(s string) bool    { return hasWord(s, timeWords, timeHan[:]) }

func hasWord(s, english string, han []string) bool {
	for _, w := range strings.FieldsFunc(text.Fold(s), func(r rune) bool { return r < 0x80 && !('a' <= r && r <= 'z') }) {
		if w[0] < 0x80 && strings.Contains(english, " "+w+" ") {
			return true
		}
	}
	return slices.ContainsFunc(han, func(w string) bool { return strings.Contains(s, w) })
}

// agentClaims are the facts of all agents. One that is damaged claims nothing.
func (n *night) agentClaims(ctx context.Context, v *index.View, of *entities) (out []*claim, err error) {
	if n.Facts == nil {
		return nil, nil
	}
	agents, err := n.Facts.Agents(ctx)
	if err != nil {
		return nil, fmt.Errorf("read claims: %w", err)
	}
	for _, agent := range agents {
		if slices.Contains(n.AgentsOff, agent) {
			continue
		}
		l, err := n.Facts.List(ctx, agent)
		if err != nil {
			return nil, fmt.Errorf("read claims of agent %s: %w", agent, err)
		}
		for i := range l.Facts {
			if c := agentClaim(&l.Facts[i], agent, v); c != nil {
				of.find(c)
				out = append(out, c)
			}
		}
	}
	return out, nil
}

func agentClaim(f *memory.Fact, agent string, v *index.View) *claim {
	at, err := memory.FactPath(agent, f.ID)
	if err != nil {
		return nil
	}
	from := &claimPage{path: at, agent: agent, day: f.Updated.Format(time.DateOnly), changed: f.Updated}
	from.row, _ = v.Lookup(at)
	if f.Source.Thread != "" {
		from.sources = []string{f.Source.Thread}
	}
	c := &claim{Claim: page.Claim{Place: page.Place{Path: at}}, from: from, fact: AgentFactSide, day: from.day, shown: f.Content}
	c.Text, c.links = plainText(f.Content)
	c.read()
	return c
}

// side is the claim as a pair shows it.
func (c *claim) side() Side {
	return Side{
		Text: c.shown, Path: c.from.path, Line: c.Place.Line, Date: cmp.Or(c.since, c.day, c.from.day), Speaker: c.speaker,
		Sources: c.from.sources, Fact: c.fact, Agent: c.from.agent,
	}
}
