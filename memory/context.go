package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"brain/page"
	"brain/retrieve"
)

// The block of memory that stands before an agent (frame.go says what keeps it data):
//
//	User Context:
//	- Work: Backend engineer at Acme
//
//	History:
//	- Recent: Moved the billing jobs to a queue
//
//	Facts:
//	- [correction | 0.95] Deploys go through Argo (avoid: kubectl apply by hand)
//	- [preference | 0.90] Likes tabs over spaces
//
//	Pages:
//	- notes/queue.md:12 | 2026-11-03 | Queue | excerpt
//	  | Jobs are retried three times.
//
// The same files, question and clock give the same bytes, whichever process makes them.
// Nothing is written: that a fact stood in a block raises no heat, or what is shown
// always would be kept for having been shown.

// Request says which block is wanted.
type Request struct {
	Agent    string
	Question string // what the user said, without what a host put around it; blank is nothing
	Mode     string // Middleware; Tool: summaries alone, the agent searches by itself; "" is Rules.Mode
	Budget   int    // tokens, 100 to 8,000; 0 is Rules.Budget

	// Ask finds pages for a question, of which there are none without it. It may answer
	// from the files where there is no index, and say so.
	Ask func(context.Context, retrieve.Query) (*retrieve.Answer, error)
}

// Block is the memory for one request, and what became of it.
type Block struct {
	Text       string     `json:"text"`   // frame and all; "" when there is nothing to tell
	SHA256     string     `json:"sha256"` // of the bytes of Text, in hex
	Tokens     int        `json:"tokens"` // of Text: a quarter of its characters, of Chinese, Japanese and Korean ones a half
	Budget     int        `json:"budget"`
	Guaranteed int        `json:"guaranteed"` // tokens of the facts that have an allowance; by these alone Tokens may exceed Budget
	Mode       string     `json:"mode"`
	Summaries  []string   `json:"summaries"` // what is in it, in the order of Text: user.workContext …
	Facts      []string   `json:"facts"`     // ids
	Pages      []string   `json:"pages"`     // paths
	LeftOut    []LeftOut  `json:"left_out"`
	Degraded   []Degraded `json:"degraded"`
	Note       string     `json:"note,omitempty"` // why there is nothing
}

// LeftOut is what was there and is not in the block, or not as a whole.
type LeftOut struct {
	Part string `json:"part"` // summaries, facts, pages
	ID   string `json:"id"`
	Why  string `json:"why"`
}

// Degraded is a part of the block for which not everything could be looked at.
type Degraded struct {
	Part   string `json:"part"`
	Reason string `json:"reason"`
}

// The parts of a block.
const (
	partSummaries = "summaries"
	partFacts     = "facts"
	partPages     = "pages"
)

// Context makes the block: summaries and facts as they are, what of them fits, the pages
// for which room is kept or left, then again what of summaries and facts fits beside these.
func (m *Facts) Context(ctx context.Context, r Request) (*Block, error) {
	b, err := m.newBlock(r)
	if err != nil || b.Note != "" {
		return b, err
	}
	l := &layout{Block: b}
	if err := m.bringSummaries(ctx, l); err != nil {
		return nil, fmt.Errorf("memory for %s: %w", orElse(r.Agent, page.DefaultAgent), err)
	}
	question := strings.TrimSpace(r.Question)
	if b.Mode == Middleware {
		if err := m.bringFacts(ctx, l, r.Agent, question); err != nil {
			return nil, fmt.Errorf("memory for %s: %w", orElse(r.Agent, page.DefaultAgent), err)
		}
		if question != "" && r.Ask != nil {
			if err := m.bringPages(ctx, l, r, question); err != nil {
				return nil, err
			}
		}
	}
	b.seal(framed(l.write()...))
	return b, nil
}

// newBlock is the block without anything in it.
func (m *Facts) newBlock(r Request) (*Block, error) {
	rules := m.rules()
	rules.Mode, rules.Budget = orElse(r.Mode, rules.Mode), cmp.Or(r.Budget, rules.Budget)
	if err := rules.Check(); err != nil {
		return nil, fmt.Errorf("memory for an agent: %w", err)
	}
	b := &Block{
		Mode: rules.Mode, Budget: rules.Budget,
		Summaries: []string{}, Facts: []string{}, Pages: []string{}, LeftOut: []LeftOut{}, Degraded: []Degraded{},
	}
	b.seal("")
	if !rules.Injection {
		b.Note = "memory is not put before agents (memory.injection)"
	}
	return b, nil
}

func (b *Block) seal(text string) {
	sum := sha256.Sum256([]byte(text))
	b.Text, b.SHA256, b.Tokens = text, hex.EncodeToString(sum[:]), sizeOf(text).tokens()
}

func (b *Block) leave(part, id, why string) { b.LeftOut = append(b.LeftOut, LeftOut{part, id, why}) }

func (b *Block) degrade(part string, format string, args ...any) {
	b.Degraded = append(b.Degraded, Degraded{part, fmt.Sprintf(format, args...)})
}

// summaryLabels are what an agent reads before each summary.
var summaryLabels = map[string]string{
	"user": "User Context:\n", "history": "History:\n",
	"workContext": "Work", "personalContext": "Personal", "topOfMind": "Current Focus",
	"recentMonths": "Recent", "earlierContext": "Earlier", "longTermBackground": "Background",
}

// bringSummaries reads what is known of the user as a whole. Facts are told also where
// that cannot be read.
func (m *Facts) bringSummaries(ctx context.Context, l *layout) error {
	s, err := m.Summaries(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		l.degrade(partSummaries, "%v", err)
		return nil
	}
	for _, n := range SummaryNames() {
		if text := strings.TrimSpace(s.Get(n).Text); text != "" {
			l.summaries = append(l.summaries, summaryText{n, text})
		}
	}
	return nil
}

// bringFacts reads the agent's facts, those with an allowance apart.
func (m *Facts) bringFacts(ctx context.Context, l *layout, agent, question string) error {
	all, damaged, err := m.ordered(ctx, agent, question)
	if err != nil {
		return err
	}
	for i, d := range damaged {
		why := strings.TrimPrefix(d.Err.Error(), fmt.Sprintf("read fact %s: ", d.Path))
		l.leave(partFacts, string(d.Path), why)
		if i == 0 {
			l.degrade(partFacts, "%d of %d files cannot be used, such as %s: %s", len(damaged), len(damaged)+len(all), d.Path, why)
		}
	}
	rules := m.rules()
	for _, f := range all {
		if rules.guarantees(f) {
			l.sure.facts = append(l.sure.facts, f)
		} else {
			l.rest.facts = append(l.rest.facts, f)
		}
	}
	l.guarantee(rules.GuaranteedBudget)
	return nil
}

// bringPages asks for pages with the room that there is for them.
func (m *Facts) bringPages(ctx context.Context, l *layout, r Request, question string) error {
	room := l.roomForPages()
	q := retrieve.Query{Text: question, N: pagesFor(room), Without: []string{"fact"}, Agent: orElse(r.Agent, page.DefaultAgent), Now: m.now()}
	q.Budget = max(room-q.N*labelTokens, 1)
	a, err := r.Ask(ctx, q)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		l.degrade(partPages, "%v", err)
		return nil
	}
	for _, d := range a.Degraded {
		l.degrade(partPages, "%s: %s", d.Arm, d.Reason)
	}
	if a.Stale != nil {
		l.degrade(partPages, "stale: %d files changed since: %s", a.Stale.Changed, a.Stale.Why)
	}
	told := l.certain(room)
	for i := range a.Hits {
		switch h := &a.Hits[i]; {
		case !convinces(a, h):
			l.leave(partPages, h.Path, "nothing that was found fits the question well")
		case h.Score < a.Hits[0].Score/farBehind:
			l.leave(partPages, h.Path, "far behind the best")
		case told.have(h):
			l.leave(partPages, h.Path, "a fact tells what was said there")
		case !l.addPage(h, room):
			l.leave(partPages, h.Path, noRoom)
		}
	}
	return nil
}

// convinces reports whether a hit is worth the room. Without an index every answer counts
// as weak; then a page must have half of the question's words in one place.
func convinces(a *retrieve.Answer, h *retrieve.Hit) bool {
	scanned := slices.ContainsFunc(a.Degraded, func(d retrieve.Degraded) bool { return d.Arm == "index" })
	return !a.Weak || scanned && h.Score >= 0.5
}

// ordered gives an agent's facts: those that a question finds as Search ranks them, then
// the others by confidence. They are shared and not to be changed.
func (m *Facts) ordered(ctx context.Context, agent, question string) (all []*Fact, damaged []Damaged, err error) {
	sc, err := m.scope(agent)
	if err != nil {
		return nil, nil, err
	}
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if err := sc.load(ctx, m.Store.Read); err != nil {
		return nil, nil, err
	}
	if !sc.isSound() {
		damaged = sc.damaged()
	}
	all = make([]*Fact, 0, len(sc.order))
	found := map[*Fact]bool{}
	for _, s := range sc.answers(question, m.rules(), m.now()) {
		all = append(all, s.fact)
		found[s.fact] = true
	}
	for _, f := range sc.surest() {
		if !found[f] {
			all = append(all, f)
		}
	}
	return all, damaged, nil
}

// answers gives the facts that a question finds, those with an allowance in their order
// and the others in theirs: what is said in the one group makes nothing in the other less
// worth telling.
func (sc *scope) answers(question string, r Rules, now time.Time) (out []scored) {
	switch {
	case question == "":
		return nil
	case !r.Relevance:
		return sc.find(Search{Query: question, N: -1}, r, now)
	}
	asked := tallied[cover](sc, toRelevance).ask(question, "", r.RelevanceWeight)
	for _, group := range []func(*Fact) bool{r.guarantees, func(f *Fact) bool { return !r.guarantees(f) }} {
		out = append(out, asked.pick(group, r.Diversity, atMost(mostLines))...)
	}
	return out
}

func (r *Rules) guarantees(f *Fact) bool { return slices.Contains(r.Guaranteed, f.Category) }
