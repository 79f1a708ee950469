package compile

import (
	"context"
	"errors"
	"slices"
	"strings"

	"brain/memory"
	"brain/page"
	"brain/store"
)

// What a session says of its user goes through memory.Batch, as everything does that
// changes facts, in this order:
//
//	summaries → facts that grew old: away, then longer → new facts → room for them
//	→ facts that were wrong → several that become one
//
// So a fact that is wrong goes only once that which takes its place is among those for
// which there was room; and what may be taken away stands for nothing new meanwhile.

// changes reports whether there is more than pages and new facts.
func (k *Kept) changes() bool {
	return len(k.Removals)+len(k.Summaries)+len(k.Review.Remove)+len(k.Review.Extend)+len(k.Merges) > 0
}

func (c *Pass) remember(ctx context.Context, w *work, tx *store.Tx, facts []*arrival, k *Kept, gone *store.Purges) (*memory.Delta, error) {
	b, err := c.facts().Batch(ctx, tx, w.meta.Agent)
	if err != nil {
		return nil, err
	}
	if err := c.summarize(ctx, w, b, k.Summaries, gone); err != nil {
		return nil, err
	}
	if err := w.review(b, k.Review); err != nil {
		return nil, err
	}
	if err := c.addFacts(w, tx, b, facts, k); err != nil {
		return nil, err
	}
	if err := w.remove(b, facts, k.Removals); err != nil {
		return nil, err
	}
	if err := w.consolidate(b, k.Merges, gone); err != nil {
		return nil, err
	}
	return b.Write()
}

func (w *work) review(b *memory.Batch, v memory.Review) error {
	rep, err := b.Review(v)
	w.report.Stale, w.report.Extended = append(w.report.Stale, rep.Removed...), append(w.report.Extended, rep.Extended...)
	w.refused(rep.Refused, NotReviewed)
	return err
}

func (w *work) refused(all []memory.Refusal, why Reason) {
	for _, r := range all {
		w.report.drop(strings.Join(r.IDs, ", "), nil, why, r.Reason)
	}
}

// addFacts adds what is new and then sees what there is room for.
func (c *Pass) addFacts(w *work, tx *store.Tx, b *memory.Batch, facts []*arrival, k *Kept) error {
	var all []Made
	going := k.going()
	for _, in := range facts {
		m, err := c.addFact(tx, b, in, memory.AddOptions{Exempt: k.replaces(in.index), Spared: going})
		if err != nil {
			return err
		}
		in.at = m.Path
		all = append(all, m)
	}
	out, err := b.Fit()
	if err != nil {
		return err
	}
	for i, in := range facts {
		if slices.ContainsFunc(out, func(e memory.Evicted) bool { return e.ID == in.at.Stem() }) {
			if in.at = ""; !all[i].Duplicate {
				w.report.drop(in.fact.Content, in.turns, NoRoom, "")
				continue
			}
		}
		if m := &all[i]; !m.Duplicate {
			m.Against = in.contradicted()
		}
		w.report.Pages = append(w.report.Pages, all[i])
	}
	w.report.Evicted = append(w.report.Evicted, out...)
	return nil
}

// going are the facts that may be taken away.
func (k *Kept) going() (ids []string) {
	for _, rm := range k.Removals {
		ids = append(ids, rm.ID)
	}
	for _, rm := range k.Review.Remove {
		ids = append(ids, rm.ID)
	}
	return ids
}

// replaces reports whether a fact is to take the place of another.
func (k *Kept) replaces(index int) bool {
	return slices.ContainsFunc(k.Removals, func(rm Removal) bool { return rm.Replacement != nil && *rm.Replacement == index })
}

// addFact adds a fact, or tells which one says it already. That gains nothing: said again
// is not confirmed.
func (c *Pass) addFact(tx *store.Tx, b *memory.Batch, in *arrival, o memory.AddOptions) (m Made, err error) {
	m = Made{Title: in.page.Title, Type: in.page.Type, Turns: in.turns}
	if in.twin != nil && !slices.Contains(o.Spared, in.twin.Path.Stem()) {
		same, err := saysIt(tx, b, in)
		if err != nil {
			return m, err
		}
		if same {
			m.Path, m.Title, m.Duplicate, m.Why = in.twin.Path, in.twin.Title, true, in.twin.Verdict.String()
			return m, nil
		}
	}
	id, merged, err := b.Add(*in.fact, o)
	if there, ok := errors.AsType[*memory.DuplicateError](err); ok {
		id, m.Duplicate, m.Why, err = there.ID, true, "the fact is there", nil
	}
	if err != nil {
		return m, err
	}
	if merged {
		m.Duplicate, m.Merged, m.Why = true, true, "the fact says nearly the same"
	}
	if m.Path, err = memory.FactPath(in.fact.Agent, id); err != nil || m.Duplicate || !c.DryRun {
		return m, err
	}
	f, err := b.Fact(id)
	if err == nil {
		m.After, err = memory.FormatFact(f)
	}
	return m, err
}

// saysIt reports whether the twin of a fact is there and says the same still.
func saysIt(tx *store.Tx, b *memory.Batch, in *arrival) (bool, error) {
	_, err := b.Fact(in.twin.Path.Stem())
	if errors.Is(err, memory.ErrUnknown) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	raw, err := tx.Read(in.twin.Path)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	cosine := in.twin.Verdict.Cosine
	return page.ComparePages(in.page, page.Parse(in.twin.Path, raw), cosine, cosine).Kind == page.Duplicate, nil
}

// remove takes facts away that a finding showed to be wrong, as they were shown: one
// that a person has put right since is another. One that is tied to a replacement goes
// only when that is there under a name of its own.
func (w *work) remove(b *memory.Batch, facts []*arrival, removals []Removal) error {
	for _, rm := range removals {
		p, err := memory.FactPath(w.meta.Agent, rm.ID)
		if err != nil {
			w.report.drop(rm.ID, nil, UnknownFact, err.Error())
			continue
		}
		if rm.Replacement != nil && !replaced(facts, *rm.Replacement, p) {
			w.report.drop(rm.ID, nil, NoReplacing, "")
			continue
		}
		f, err := b.Fact(rm.ID)
		if err == nil && f.Hash() != rm.Was {
			w.report.drop(rm.ID, nil, Overtaken, "somebody changed the fact meanwhile")
			continue
		}
		if err == nil {
			err = b.Remove(rm.ID)
		}
		switch {
		case errors.Is(err, memory.ErrUnknown):
			w.report.drop(rm.ID, nil, UnknownFact, "")
		case err != nil:
			return err
		default:
			w.report.Removed = append(w.report.Removed, p)
		}
	}
	return nil
}

func replaced(facts []*arrival, index int, old page.Path) bool {
	return slices.ContainsFunc(facts, func(in *arrival) bool {
		return in.index == index && in.at != "" && in.at != old
	})
}

func (w *work) consolidate(b *memory.Batch, merges []memory.Consolidation, gone *store.Purges) error {
	var all []memory.Consolidation
	for _, m := range merges {
		if Tells(gone, m.Content) {
			w.report.drop("", nil, WasPurged, "")
			continue
		}
		all = append(all, m)
	}
	rep, err := b.Consolidate(all)
	w.report.Consolidated = append(w.report.Consolidated, rep.Merged...)
	w.refused(rep.Refused, NotMerged)
	return err
}
