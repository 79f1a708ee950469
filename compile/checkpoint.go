package compile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"brain/inbox"
	"brain/memory"
	"brain/page"
	"brain/store"
)

// extracted.json lies beside a session's turns and says what was made of them:
//
//	through     turns up to here are compiled
//	turns_hash  which turns these are: for others nothing of this counts
//	passes      one entry for each time: turns, mode, what was made and what dropped
//	open        the pass in flight: findings window by window, then where they go
//
// The open pass is what a retry goes on with. Its plan is written within the
// update that writes the pages, before it is committed: pages of the plan that
// are there and name the session prove that the commit happened, once what a dead
// writer left in the tree was finished or taken back.

const recordFormat = 1

type record struct {
	Format  int    `json:"format"`
	Through int    `json:"through"`
	Hash    string `json:"turns_hash,omitempty"` // inbox.TurnsHash of turns 1 to Through
	Passes  []past `json:"passes,omitempty"`
	Open    *open  `json:"open,omitempty"`
}

// past is a pass that was written.
type past struct {
	From    int         `json:"from"`
	To      int         `json:"to"`
	At      time.Time   `json:"at"`
	Mode    string      `json:"mode"`
	Job     string      `json:"job,omitempty"`
	Pages   []made      `json:"pages,omitempty"`
	Removed []page.Path `json:"removed,omitempty"`
	Dropped []Dropped   `json:"dropped,omitempty"`

	Summaries    []madeSummary         `json:"summaries,omitempty"`
	Stale        []string              `json:"stale_removed,omitempty"`
	Extended     []memory.Extended     `json:"stale_extended,omitempty"`
	Evicted      []string              `json:"evicted,omitempty"`
	Consolidated []memory.Consolidated `json:"consolidated,omitempty"`
}

type made struct {
	Path      page.Path   `json:"path"`
	Type      string      `json:"type,omitempty"`
	Turns     []int       `json:"turns,omitempty"`
	Duplicate bool        `json:"duplicate,omitempty"`
	Against   []page.Path `json:"contradicts,omitempty"`
}

type madeSummary struct {
	Key  string     `json:"name"`
	Hash store.Hash `json:"hash"` // of its text
}

// open is a pass that is not written yet.
type open struct {
	From    int      `json:"from"`
	To      int      `json:"to"`
	Digest  string   `json:"digest"` // of the turns, the mode and the prompts
	Windows []*Found `json:"windows,omitempty"`
	Plan    *past    `json:"plan,omitempty"`
}

// work is one pass over a session.
type work struct {
	lease  *inbox.Lease // nil in a dry run
	meta   inbox.Meta
	from   int
	to     int
	now    time.Time
	fed    []inbox.Fed
	before Changes // what of the report is of passes that were written and not settled
	rec    record
	report *Report
	judge  *gate

	// What the agent holds of its user, once asked for.
	summaries map[string]string // as the next window is shown them
	held      []memory.Fact     // all
	listed    []memory.Fact     // those that each window is shown
	aged      []memory.Fact     // those that one window is asked about
	groups    []memory.Group
	shown     []memory.Fact // all of these
	reviewed  bool          // a window was asked about those
}

// begin takes a session and reads what is known of it.
func (c *Pass) begin(ctx context.Context, it inbox.Item, r *Report) (*work, error) {
	w := &work{from: it.From, to: it.To, now: c.now().UTC().Truncate(time.Second), report: r}
	var turns []page.Turn
	if c.DryRun {
		s, _, err := c.Box.Read(ctx, it.Session)
		if err != nil {
			return nil, err
		}
		if w.meta, err = c.Box.Meta(ctx, it.Session); err != nil {
			return nil, err
		}
		turns = s.Turns
	} else {
		lease, err := c.Box.Take(ctx, it.Session)
		if err != nil {
			return nil, err
		}
		w.lease, w.meta, turns = lease, lease.Meta, lease.Turns
		if err := w.read(); err != nil {
			return nil, errors.Join(err, lease.Release())
		}
	}
	if err := c.resume(ctx, w); err != nil {
		return nil, errors.Join(err, w.release())
	}
	// Another pass may have come between the queue's answer and the lease.
	w.from = max(w.from, w.meta.Compiled+1, w.rec.Through+1)
	w.to = min(w.to, len(turns))
	w.fed = inbox.Feed(turns, w.from, w.to)
	r.Fed = len(w.fed)
	if digest := c.digest(w); w.rec.Open == nil || w.rec.Open.Digest != digest {
		w.rec.Open = &open{From: w.from, To: w.to, Digest: digest}
	}
	w.rec.Open.Plan = nil
	return w, nil
}

// over reports that no turn is left to compile.
func (w *work) over() bool { return w.from > w.to }

// read reads extracted.json. One that cannot be read, or is of other turns, is of no
// use and is made anew: it costs asking again. One of a newer brain is not touched.
func (w *work) read() error {
	raw, err := w.lease.Extracted()
	if err != nil || raw == nil {
		return err
	}
	var rec record
	err = json.Unmarshal(raw, &rec)
	switch {
	case rec.Format > recordFormat:
		return fmt.Errorf("extracted.json: %w: its format is %d, known is %d", inbox.ErrNewer, rec.Format, recordFormat)
	case err != nil:
		w.report.Notes = append(w.report.Notes, "extracted.json could not be read and is made anew: "+err.Error())
	case !inbox.SameTurns(w.lease.Turns, rec.Through, rec.Hash):
		w.report.Notes = append(w.report.Notes, "extracted.json tells of other turns and is made anew")
	default:
		w.rec = rec
	}
	return nil
}

// reach notes that the turns up to a number are compiled.
func (w *work) reach(through int) {
	w.rec.Through, w.rec.Open = through, nil
	w.rec.Hash = inbox.TurnsHash(w.lease.Turns[:min(through, len(w.lease.Turns))])
}

// digest names all that findings depend on.
func (c *Pass) digest(w *work) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d\n%d-%d\n%s\n%s\n", recordFormat, w.from, w.to, c.Mode(), c.Language)
	if c.Completer != nil {
		fmt.Fprintf(h, "%s\n", c.prompts().digest())
	}
	for _, t := range w.fed {
		fmt.Fprintf(h, "%d %q %q %q\n", t.N, t.Who(), t.At, t.Text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// save makes what is known so far outlast this process.
func (w *work) save(ctx context.Context) error {
	if w.lease == nil {
		return nil
	}
	w.rec.Format = recordFormat
	raw, err := json.Marshal(w.rec)
	if err != nil {
		return err
	}
	return w.lease.Save(ctx, append(raw, '\n'))
}

// resume counts an open pass as written when it was, and puts into the report what
// was written and never settled: its compiler died before.
func (c *Pass) resume(ctx context.Context, w *work) error {
	if w.rec.Open != nil && w.rec.Open.Plan != nil {
		plan, stands := w.rec.Open.Plan, false
		// An update that writes nothing: before it looks, what a writer left half
		// done has been finished or taken back.
		err := c.Store.Update(ctx, "compile", func(tx *store.Tx) (err error) {
			if stands, err = plan.committed(tx, w.meta.Session); err == nil && !stands {
				stands, err = c.remembered(ctx, tx, plan, w.meta.Agent)
			}
			return err
		})
		if err != nil {
			return err
		}
		if stands {
			w.rec.Passes = append(w.rec.Passes, *plan)
			w.reach(plan.To)
		}
	}
	for _, p := range w.unsettled() {
		w.report.Changes.add(&p)
	}
	w.before = w.report.Changes
	return nil
}

// add is what is known of a pass that was written.
func (c *Changes) add(p *past) {
	for _, m := range p.Pages {
		c.Pages = append(c.Pages, Made{Path: m.Path, Type: m.Type, Turns: m.Turns, Duplicate: m.Duplicate})
	}
	for _, s := range p.Summaries {
		c.Summaries = append(c.Summaries, Summarized{Key: s.Key})
	}
	for _, id := range p.Stale {
		c.Stale = append(c.Stale, memory.StaleRemoval{ID: id})
	}
	for _, id := range p.Evicted {
		c.Evicted = append(c.Evicted, memory.Evicted{ID: id})
	}
	c.Removed, c.Extended = append(c.Removed, p.Removed...), append(c.Extended, p.Extended...)
	c.Consolidated, c.Job = append(c.Consolidated, p.Consolidated...), p.Job
}

// unsettled are the passes that were written, and of which meta.json does not know.
func (w *work) unsettled() []past {
	i := slices.IndexFunc(w.rec.Passes, func(p past) bool { return p.To > w.meta.Compiled })
	if i < 0 {
		return nil
	}
	return w.rec.Passes[i:]
}

// committed reports whether the pages of a plan say that it was written. An
// update is written whole or not at all, so one page proves it.
func (p *past) committed(tx *store.Tx, session string) (bool, error) {
	for _, m := range p.Pages {
		raw, err := tx.Read(m.Path)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return false, err
		}
		pg := page.Parse(m.Path, raw)
		if m.Duplicate && slices.Contains(pg.Sources, Source(session, m.Turns)) ||
			!m.Duplicate && pg.Provenance.Session == session && slices.Equal(pg.Provenance.Turns, m.Turns) {
			return true, nil
		}
	}
	return false, nil
}

// remembered reports the same of what a plan says of the user: a summary, a fact that was
// merged, one that holds longer. A plan of none of these that took facts away has
// nothing left to do once they are gone.
func (c *Pass) remembered(ctx context.Context, tx *store.Tx, p *past, agent string) (bool, error) {
	if len(p.Summaries) > 0 {
		now, _, err := c.summaries(ctx)
		if err != nil {
			return false, err
		}
		for _, s := range p.Summaries {
			if store.HashOf([]byte(now[s.Key])) == s.Hash {
				return true, nil
			}
		}
	}
	proofs := map[string]func(memory.Fact) bool{} // of facts that are there
	for _, m := range p.Consolidated {
		proofs[m.ID] = func(f memory.Fact) bool { return slices.Equal(f.Merged, m.From) }
	}
	for _, e := range p.Extended {
		proofs[e.ID] = func(f memory.Fact) bool { return f.ValidDays == e.Days }
	}
	for id, proves := range proofs {
		f, err := factAt(tx, agent, id)
		if err == nil && proves(f) {
			return true, nil
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, memory.ErrFact) {
			return false, err
		}
	}
	if len(p.Pages)+len(p.Summaries)+len(proofs) > 0 || len(p.Removed)+len(p.Stale) == 0 {
		return false, nil
	}
	return p.tookAway(tx, agent)
}

// tookAway reports whether all facts that a plan takes away are gone.
func (p *past) tookAway(tx *store.Tx, agent string) (bool, error) {
	ids := slices.Clone(p.Stale)
	for _, at := range p.Removed {
		ids = append(ids, at.Stem())
	}
	for _, id := range ids {
		if _, err := factAt(tx, agent, id); !errors.Is(err, store.ErrNotFound) {
			return false, err
		}
	}
	return true, nil
}

func factAt(tx *store.Tx, agent, id string) (f memory.Fact, err error) {
	at, err := memory.FactPath(agent, id)
	if err != nil {
		return f, err
	}
	raw, err := tx.Read(at)
	if err == nil {
		f, _, err = memory.ParseFact(at, raw)
	}
	return f, err
}

// settle says how the pass ended, and gives the session back.
func (w *work) settle(ctx context.Context, o inbox.Outcome) error {
	w.report.Nothing = o.Err == nil && w.report.count() == 0
	if w.lease == nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx) // what is written is settled
	if o.Err == nil {
		if !w.over() {
			w.rec.Passes = append(w.rec.Passes, w.pass())
		}
		o.Through = min(max(w.to, w.meta.Compiled, w.rec.Through), len(w.lease.Turns))
		o.Pages, o.Nothing = w.report.paths(), w.report.Nothing
		w.reach(o.Through)
		if err := w.save(ctx); err != nil {
			return err
		}
	}
	return w.lease.Settle(ctx, o)
}

// pass is what the record keeps of this pass.
func (w *work) pass() past {
	now, before := &w.report.Changes, &w.before
	p := past{From: w.from, To: w.to, At: w.now, Mode: w.report.Mode, Job: w.report.Job, Dropped: w.report.Dropped}
	p.Removed, p.Extended, p.Consolidated = now.Removed[len(before.Removed):], now.Extended[len(before.Extended):], now.Consolidated[len(before.Consolidated):]
	for _, s := range now.Summaries[len(before.Summaries):] {
		p.Summaries = append(p.Summaries, madeSummary{s.Key, store.HashOf([]byte(s.After))})
	}
	for _, rm := range now.Stale[len(before.Stale):] {
		p.Stale = append(p.Stale, rm.ID)
	}
	for _, e := range now.Evicted[len(before.Evicted):] {
		p.Evicted = append(p.Evicted, e.ID)
	}
	for _, m := range now.Pages[len(before.Pages):] {
		one := made{Path: m.Path, Type: m.Type, Turns: m.Turns, Duplicate: m.Duplicate}
		for _, a := range m.Against {
			one.Against = append(one.Against, a.Path)
		}
		p.Pages = append(p.Pages, one)
	}
	if now.count() == before.count() {
		p.Job = ""
	}
	return p
}

func (w *work) release() error {
	if w.lease == nil {
		return nil
	}
	return w.lease.Release()
}
