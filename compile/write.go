package compile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"brain/memory"
	"brain/page"
	"brain/retrieve"
	"brain/store"
)

// What was kept is compared with the brain and then written in one update:
//
//	says the same as a page        that page gains the session as a source
//	contradicts a page             written; the report names both
//	says the same as another kept  dropped: windows overlap
//	anything else                  written, at the place that the schema gives it
//
// Comparing and writing is one step that passes take in turns, over all
// processes: of two sessions that say the same, compiled at once, the second
// meets the page of the first. Pages are compared before, when nobody waits, and
// once more only if others wrote meanwhile: an embedder may be a server.

// arrival is a page to be.
type arrival struct {
	page    *page.Page
	raw     []byte
	spot    page.Spot
	fact    *memory.Fact // else its spot decides where it lies
	turns   []int
	said    []string // its texts, as found and as it will be
	index   int      // of a fact, in what was found; -1
	twin    *retrieve.Neighbour
	against []retrieve.Neighbour
	rivals  []rival   // of the same session, which say otherwise
	at      page.Path // once put: of the page, or of the one that says it already
}

// rival is another page of the session, and what the two contradict each other in.
type rival struct {
	*arrival
	page.Verdict
}

// errDry ends the update of a dry run, which takes it back.
var errDry = errors.New("a dry run")

func (c *Pass) write(ctx context.Context, w *work, k *Kept) error {
	all, err := w.distinct(ctx, c.arrivals(w, k))
	if err != nil {
		return err
	}
	if len(all) == 0 && !k.changes() {
		return nil
	}
	known, err := c.compare(ctx, w, all, 0)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.lease == nil {
		return c.place(ctx, w, all, k)
	}
	soon, stop := context.WithTimeout(ctx, turnWait)
	behind, over, err := c.Box.MyTurn(soon)
	stop()
	if err != nil {
		return err
	}
	if behind {
		c.lookAnew()
	}
	if _, err = c.compare(ctx, w, all, known); err == nil {
		err = c.place(ctx, w, all, k)
	}
	return errors.Join(err, over(c.Index == nil || c.told()))
}

// turnWait bounds the wait for others that compile, each of which takes a moment: one
// that was stopped keeps its turn, and the session is pending again for later.
const turnWait = 2 * time.Minute

// place writes while no other pass does.
func (c *Pass) place(ctx context.Context, w *work, all []*arrival, k *Kept) error {
	var receipt *store.Receipt
	var delta *memory.Delta
	dropped := len(w.report.Dropped)
	err := c.Store.Update(ctx, "compile", func(tx *store.Tx) (err error) {
		receipt = tx.Receipt()
		w.report.Changes, w.report.Dropped = w.before, w.report.Dropped[:dropped]
		w.report.Job = tx.Job()
		if delta, err = c.stage(ctx, w, tx, all, k); err != nil {
			return err
		}
		if w.lease == nil {
			return errDry
		}
		return w.promise(ctx)
	})
	if w.lease == nil && errors.Is(err, errDry) {
		return nil
	}
	if err != nil {
		return err
	}
	if receipt.Job == "" {
		w.report.Job = ""
	}
	if delta != nil {
		delta.Job = receipt.Job
		c.facts().Settle(delta)
	}
	return c.touch(ctx, w, *receipt)
}

// stage puts everything into an update: pages, then what is of the user.
func (c *Pass) stage(ctx context.Context, w *work, tx *store.Tx, all []*arrival, k *Kept) (*memory.Delta, error) {
	// Within the update: a purge may have come while a model was asked, and it is not to
	// be undone by what was found before.
	gone, err := c.Store.Forgotten(ctx)
	if err != nil {
		return nil, err
	}
	again, err := w.made(tx)
	if err != nil {
		return nil, err
	}
	var facts []*arrival
	for _, in := range w.unforgotten(gone, all) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		in.at = ""
		if in.fact != nil {
			facts = append(facts, in)
		} else if err := c.put(ctx, w, tx, in, again); err != nil {
			return nil, err
		}
	}
	if len(facts) == 0 && !k.changes() {
		return nil, nil
	}
	return c.remember(ctx, w, tx, facts, k, gone)
}

// unforgotten drops what was purged.
func (w *work) unforgotten(gone *store.Purges, all []*arrival) (kept []*arrival) {
	for _, in := range all {
		if slices.ContainsFunc(in.said, gone.Text) {
			w.report.drop("", in.turns, WasPurged, "") // its text is not to be kept here either
			continue
		}
		kept = append(kept, in)
	}
	return kept
}

// promise writes down what is about to be committed, unless the session was
// taken away meanwhile.
func (w *work) promise(ctx context.Context) error {
	// All writers of the brain wait meanwhile: not for long for one who adds to the
	// session and was stopped.
	ctx, stop := context.WithTimeout(ctx, promiseWait)
	defer stop()
	if err := w.lease.Alive(); err != nil {
		return err
	}
	plan := w.pass()
	w.rec.Open.Plan = &plan
	return w.save(ctx)
}

const promiseWait = 5 * time.Second

// arrivals makes pages of what was kept.
func (c *Pass) arrivals(w *work, k *Kept) (all []*arrival) {
	for _, it := range k.Items {
		in, why, err := c.itemPage(w, &it)
		if err != nil {
			w.report.drop(it.Title, it.Turns, why, err.Error())
			continue
		}
		all = append(all, in)
	}
	for i := range k.Facts {
		in, err := w.factPage(&k.Facts[i])
		if err != nil {
			w.report.drop(k.Facts[i].Content, k.Facts[i].Turns, Unwritable, err.Error())
			continue
		}
		all = append(all, in)
	}
	return all
}

func (c *Pass) itemPage(w *work, it *Item) (*arrival, Reason, error) {
	day := w.day(it.Turns)
	d := page.Draft{
		Title: it.Title, Type: it.Type, Source: w.meta.Source, Tags: tags(it), CreatedBy: "compile/" + w.report.Mode,
		Created: day, At: day, Provenance: provenance(w.report.Path, it.Turns), Body: it.Body,
	}
	raw, err := page.Format(d)
	if err != nil {
		return nil, Unwritable, err
	}
	in := &arrival{page: page.Parse("page.md", raw), raw: raw, turns: it.Turns, said: append(it.said, it.Title, it.Body), index: -1,
		spot: page.Spot{Type: it.Type, Source: w.meta.Source, Title: it.Title, Day: day}}
	t, ok := c.pack().Type(it.Type)
	if !ok {
		return nil, NotAllowed, fmt.Errorf("the schema pack knows no %s", it.Type)
	}
	if missing := t.Missing(in.page); len(missing) > 0 {
		return nil, NotAllowed, fmt.Errorf("a %s needs %q", it.Type, missing)
	}
	return in, "", nil
}

// tags of an item: its bucket, and an outcome that is no success.
func tags(it *Item) (out []string) {
	if it.tag != "" {
		out = append(out, it.tag)
	}
	if it.Bucket != "" {
		out = append(out, it.Bucket)
	}
	if it.Outcome != "" && it.Outcome != "success" {
		out = append(out, it.Outcome)
	}
	return out
}

func (w *work) factPage(k *keptFact) (*arrival, error) {
	day := w.day(k.Turns)
	f := memory.Fact{
		ID: memory.FactID(memory.ContentKey(k.Content)), Content: k.Content, Category: k.Category, Confidence: k.confidence, ValidDays: k.validDays, SourceError: k.SourceError,
		Source:  memory.Source{Type: "conversation", Thread: w.meta.Session},
		Created: day, Updated: day, Revision: 1, User: w.meta.User, Agent: w.meta.Agent,
		Provenance: provenance(w.report.Path, k.Turns),
	}
	raw, err := memory.FormatFact(f)
	if err != nil {
		return nil, err
	}
	p, err := memory.FactPath(f.Agent, f.ID)
	if err != nil {
		return nil, err
	}
	f.ID = "" // given when it is written: a file of that name may say something else by then
	return &arrival{page: page.Parse(p, raw), fact: &f, turns: k.Turns, said: append(k.said, k.Content), index: k.index}, nil
}

// day is when turns were said, else when the session began.
func (w *work) day(turns []int) (at time.Time) {
	for i := range w.fed {
		if slices.Contains(turns, w.fed[i].N) && w.fed[i].At.After(at) {
			at = w.fed[i].At
		}
	}
	if at.IsZero() {
		at = began(w)
	}
	return at.UTC().Truncate(time.Second)
}

// put writes one page, or what its twin gains. again are the pages that the session
// made before.
func (c *Pass) put(ctx context.Context, w *work, tx *store.Tx, in *arrival, again map[string]page.Path) error {
	if in.twin != nil {
		m, ok, err := c.gain(w, tx, in)
		if err != nil {
			return err
		}
		if ok {
			in.at = m.Path
			w.report.Pages = append(w.report.Pages, m)
			return nil
		}
	}
	m := Made{Title: in.page.Title, Type: in.page.Type, Turns: in.turns}
	if at := again[madeKey(in.page, in.turns)]; at != "" {
		m.Path, m.Duplicate, m.Why = at, true, "it is made of these turns"
		in.at = at
		w.report.Pages = append(w.report.Pages, m)
		return nil
	}
	at, err := c.add(ctx, tx, in)
	if err != nil {
		return err
	}
	if m.Path, in.at, m.Against = at, at, in.contradicted(); c.DryRun {
		m.After = in.raw
	}
	w.report.Pages = append(w.report.Pages, m)
	return nil
}

// contradicted are the pages that say otherwise.
func (in *arrival) contradicted() (out []Against) {
	for _, n := range in.against {
		v := n.Verdict
		out = append(out, Against{n.Path, v.Places[1].Line, string(v.Screen), v.Texts[0], v.Texts[1]})
	}
	for _, o := range in.rivals {
		if o.at != "" {
			out = append(out, Against{o.at, o.Places[1].Line, string(o.Screen), o.Texts[0], o.Texts[1]})
		}
	}
	return out
}

// made finds the pages that were made of the session when it was compiled before: a
// model that is asked anew may well give one another title. Turns that were added to
// a session that is done make none of them again, however many it has.
func (w *work) made(tx *store.Tx) (map[string]page.Path, error) {
	all := map[string]page.Path{}
	if w.from > 1 {
		return all, nil
	}
	for _, at := range w.meta.Pages {
		raw, err := tx.Read(at)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if p := page.Parse(at, raw); p.Provenance.Session == w.meta.Session {
			all[madeKey(p, p.Provenance.Turns)] = at
		}
	}
	return all, nil
}

// madeKey is what a page says of which turns, whatever it is called.
func madeKey(p *page.Page, turns []int) string {
	return p.Type + "\n" + ranges(turns) + "\n" + page.WordHash(p.Body)
}

// gain counts the session as a source of the twin; false when that says the same
// no more.
func (c *Pass) gain(w *work, tx *store.Tx, in *arrival) (m Made, ok bool, err error) {
	raw, err := tx.Read(in.twin.Path)
	if errors.Is(err, store.ErrNotFound) {
		return m, false, nil
	}
	if err != nil {
		return m, false, err
	}
	m = Made{Path: in.twin.Path, Title: in.twin.Title, Type: in.page.Type, Turns: in.turns, Duplicate: true, Why: in.twin.Verdict.String()}
	old := page.Parse(in.twin.Path, raw)
	if old.Provenance.Session == w.meta.Session && slices.Equal(old.Provenance.Turns, in.turns) {
		return m, true, nil // it is made of these turns already
	}
	next, err := c.pack().Gain(in.twin.Path, raw, in.page, Source(w.meta.Session, in.turns), in.twin.Verdict.Cosine)
	if err != nil {
		return m, false, nil // no twin any more, or one that may not change: the page is written
	}
	if bytes.Equal(raw, next) {
		return m, true, nil
	}
	m.Gained = true
	if c.DryRun {
		m.Before, m.After = raw, next
	}
	return m, true, tx.Replace(in.twin.Path, store.HashOf(raw), next)
}

func (c *Pass) add(ctx context.Context, tx *store.Tx, in *arrival) (page.Path, error) {
	var pages []page.File
	if c.pack().Numbered(in.spot) {
		l, err := c.Store.List(ctx)
		if err != nil {
			return "", err
		}
		pages = l.Files
		for _, p := range tx.Written() {
			pages = append(pages, page.File{Path: p})
		}
	}
	at, err := c.pack().Place(in.spot, pages)
	if err != nil {
		return "", err
	}
	return tx.AddNew(at, in.raw)
}
