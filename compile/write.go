package compile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
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
	if len(all) == 0 && len(k.Removals) == 0 {
		return nil
	}
	known, err := c.compare(ctx, w, all, 0)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.lease == nil {
		return c.place(ctx, w, all, k.Removals)
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
		err = c.place(ctx, w, all, k.Removals)
	}
	return errors.Join(err, over(c.Index == nil || c.told()))
}

// turnWait bounds the wait for others that compile, each of which takes a moment: one
// that was stopped keeps its turn, and the session is pending again for later.
const turnWait = 2 * time.Minute

// place writes while no other pass does.
func (c *Pass) place(ctx context.Context, w *work, all []*arrival, removals []Removal) error {
	var receipt *store.Receipt
	dropped := len(w.report.Dropped)
	err := c.Store.Update(ctx, "compile", func(tx *store.Tx) error {
		receipt = tx.Receipt()
		w.report.Pages, w.report.Removed, w.report.Job = w.before.Pages, w.before.Removed, tx.Job()
		w.report.Dropped = w.report.Dropped[:dropped]
		kept, err := c.unforgotten(ctx, w, all)
		if err != nil {
			return err
		}
		again, err := w.made(tx)
		if err != nil {
			return err
		}
		for _, in := range kept {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := c.put(ctx, w, tx, in, again); err != nil {
				return err
			}
		}
		if err := c.remove(w, tx, kept, removals); err != nil {
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
	return c.touch(ctx, w, *receipt)
}

// unforgotten drops what was purged. It is asked within the update: a purge may have
// come while a model was asked, and it is not to be undone by what was found before.
func (c *Pass) unforgotten(ctx context.Context, w *work, all []*arrival) (kept []*arrival, err error) {
	gone, err := c.Store.Forgotten(ctx)
	if err != nil {
		return nil, err
	}
	for _, in := range all {
		if slices.ContainsFunc(in.said, gone.Text) {
			w.report.drop("", in.turns, WasPurged, "") // its text is not to be kept here either
			continue
		}
		kept = append(kept, in)
	}
	return kept, nil
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
	return &arrival{page: page.Parse(p, raw), raw: raw, fact: &f, turns: k.Turns, said: append(k.said, k.Content), index: k.index}, nil
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
func (c *Pass) put(ctx context.Context, w *work, tx *store.Tx, in *arrival, again map[string]page.Path) (err error) {
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
	if at := again[madeKey(in.page, in.turns)]; at != "" && in.fact == nil {
		m.Path, m.Duplicate, m.Why = at, true, "it is made of these turns"
		in.at = at
		w.report.Pages = append(w.report.Pages, m)
		return nil
	}
	if in.fact != nil {
		m.Path, m.Duplicate, err = c.addFact(tx, in)
	} else {
		m.Path, err = c.add(ctx, tx, in)
	}
	if err != nil {
		return err
	}
	in.at = m.Path
	if m.Duplicate {
		m.Why = "the fact is there"
		w.report.Pages = append(w.report.Pages, m)
		return nil
	}
	for _, n := range in.against {
		v := n.Verdict
		m.Against = append(m.Against, Against{n.Path, v.Places[1].Line, string(v.Screen), v.Texts[0], v.Texts[1]})
	}
	for _, o := range in.rivals {
		if o.at != "" {
			m.Against = append(m.Against, Against{o.at, o.Places[1].Line, string(o.Screen), o.Texts[0], o.Texts[1]})
		}
	}
	if c.DryRun {
		m.After = in.raw
	}
	w.report.Pages = append(w.report.Pages, m)
	return nil
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
// no more. A fact gains nothing: said again is not confirmed.
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
	if in.fact != nil {
		return m, page.ComparePages(in.page, old, in.twin.Verdict.Cosine, in.twin.Verdict.Cosine).Kind == page.Duplicate, nil
	}
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

// addFact writes a fact under the name of what it says, so that the same said twice
// is one file. A file of that name may say something else by now, since people edit
// them: then the next name is taken.
func (c *Pass) addFact(tx *store.Tx, in *arrival) (at page.Path, there bool, err error) {
	said := memory.ContentKey(in.fact.Content)
	for n := 1; ; n++ {
		parts := []string{said}
		if n > 1 {
			parts = append(parts, strconv.Itoa(n))
		}
		in.fact.ID = memory.FactID(parts...)
		if at, err = memory.FactPath(in.fact.Agent, in.fact.ID); err != nil {
			return "", false, err
		}
		old, err := tx.Read(at)
		if errors.Is(err, store.ErrNotFound) {
			if n > 1 { // its id is another than the one it was compared under
				if in.raw, err = memory.FormatFact(*in.fact); err != nil {
					return "", false, err
				}
			}
			return at, false, tx.Add(at, in.raw)
		}
		if err != nil {
			return "", false, err
		}
		if f, _, err := memory.ParseFact(at, old); err == nil && memory.ContentKey(f.Content) == said {
			return at, true, nil
		}
	}
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

// remove takes facts away that a finding showed to be wrong. One that is tied to
// a replacement goes only when that is there under a name of its own.
func (c *Pass) remove(w *work, tx *store.Tx, all []*arrival, removals []Removal) error {
	for _, rm := range removals {
		p, err := memory.FactPath(w.meta.Agent, rm.ID)
		if err != nil {
			w.report.drop(rm.ID, nil, UnknownFact, err.Error())
			continue
		}
		if rm.Replacement != nil && !replaced(all, *rm.Replacement, p) {
			w.report.drop(rm.ID, nil, NoReplacing, "")
			continue
		}
		raw, err := tx.Read(p)
		if errors.Is(err, store.ErrNotFound) {
			w.report.drop(rm.ID, nil, UnknownFact, "")
			continue
		}
		if err != nil {
			return err
		}
		if err := tx.Remove(p, store.HashOf(raw)); err != nil {
			return err
		}
		w.report.Removed = append(w.report.Removed, p)
	}
	return nil
}

func replaced(all []*arrival, index int, old page.Path) bool {
	return slices.ContainsFunc(all, func(in *arrival) bool {
		return in.index == index && in.at != old
	})
}
