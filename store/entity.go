package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"brain/page"
)

// ErrMerge is the error for entities that cannot be merged.
var ErrMerge = errors.New("cannot be merged")

// Merge unites entity pages.
type Merge struct {
	Winner page.Path
	Losers []page.Path
	Leads  Leads  // of the losers all links, of other pages the redirects to a loser
	By     string // who asked for it
	Now    time.Time
}

// MergeEntities unites entities in one update that the ledger commits alone. The
// winner gains the losers' names as aliases, their tags, facts, links, external
// ids and sources, and their text below its own, with links that lead where they
// led. Each loser becomes a redirect stub at its old path, so that every link to it
// leads to the winner, and stubs that led to a loser lead there, too. Without do
// it only finds out whether it could.
func (st *Store) MergeEntities(ctx context.Context, m Merge, do bool) (Receipt, error) {
	var done *Receipt
	err := st.Update(ctx, "merge", func(tx *Tx) error {
		tx.Alone()
		done = tx.Receipt()
		if err := tx.merge(m); err != nil || do {
			return err
		}
		return errOnlyTried
	})
	if err != nil && !errors.Is(err, errOnlyTried) {
		return Receipt{}, fmt.Errorf("merge into %s: %w", m.Winner, err)
	}
	return *done, nil
}

// errOnlyTried ends an update that was to write nothing.
var errOnlyTried = errors.New("only tried")

func (tx *Tx) merge(m Merge) error {
	raw, err := tx.Read(m.Winner)
	if err != nil {
		return err
	}
	winner := page.Parse(m.Winner, raw)
	if err := mergeable(winner); err != nil {
		return err
	}
	next := raw
	for i, p := range m.Losers {
		if p == m.Winner || slices.Contains(m.Losers[:i], p) {
			return fmt.Errorf("%w: %s is named twice, or a name leads to it since an earlier merge", ErrMerge, p)
		}
		if next, err = tx.absorb(m, next, p); err != nil {
			return err
		}
	}
	if next, err = page.Splice(m.Winner, next, winner.Renewed(m.Now)...); err != nil {
		return err
	}
	if err := tx.Replace(m.Winner, HashOf(raw), next); err != nil {
		return err
	}
	return tx.followUp(m)
}

// followUp leads the stubs of earlier merges to the winner: a name is followed
// over two steps at most.
func (tx *Tx) followUp(m Merge) error {
	for _, p := range slices.Sorted(maps.Keys(m.Leads)) {
		if p == m.Winner || slices.Contains(m.Losers, p) {
			continue
		}
		raw, err := tx.Read(p)
		if errors.Is(err, ErrNotFound) {
			continue // deleted since it was looked at
		}
		if err != nil {
			return err
		}
		old := page.Parse(p, raw).Redirect
		if to, ok := m.Leads[p][LinkKey{page.FrontMatter, old}]; old == "" || !ok || !slices.Contains(m.Losers, to) {
			continue
		}
		next, err := page.Splice(p, raw, page.SetText("redirect", m.redirect()))
		if err != nil {
			return fmt.Errorf("lead %s to %s: %w", p, m.Winner, err)
		}
		if err := tx.Replace(p, HashOf(raw), next); err != nil {
			return err
		}
	}
	return nil
}

// redirect is what a stub says of the winner.
func (m Merge) redirect() string { return strings.TrimSuffix(string(m.Winner), ".md") }

// absorb puts what a loser holds into the winner and makes it a stub.
func (tx *Tx) absorb(m Merge, winner []byte, path page.Path) ([]byte, error) {
	raw, err := tx.Read(path)
	if err != nil {
		return nil, err
	}
	loser := page.Parse(path, raw)
	if err := mergeable(loser); err != nil {
		return nil, err
	}
	there, err := relink(page.Move{From: path, To: m.Winner}, path, raw, m.Leads[path])
	if err != nil {
		return nil, err
	}
	next, err := page.Splice(m.Winner, winner, gains(page.Parse(m.Winner, winner), page.Parse(path, there))...)
	if err != nil {
		return nil, err
	}
	stub, err := page.Splice(path, raw, stubOf(loser, m)...)
	if err != nil {
		return nil, err
	}
	return next, tx.Replace(path, HashOf(raw), stub)
}

func mergeable(p *page.Page) error {
	switch {
	case p.Type != "entity":
		return fmt.Errorf("%w: %s is a %s, not an entity", ErrMerge, p.Path, p.Type)
	case p.Redirect != "":
		return fmt.Errorf("%w: %s redirects to %s already", ErrMerge, p.Path, p.Redirect)
	}
	return nil
}

// gains are the changes that a winner gets from one loser, whose links are as they
// are to stand on the winner's page.
func gains(winner, loser *page.Page) []page.Change {
	names := []string{loser.Title}
	if loser.Slug != "" {
		names = append(names, loser.Slug)
	}
	names = append(names, loser.Aliases...)
	names = slices.DeleteFunc(names, func(n string) bool { return strings.EqualFold(n, winner.Title) })
	all := []page.Change{page.AddTo("aliases", names...)}
	if len(loser.Tags) > 0 {
		all = append(all, page.AddTo("tags", loser.Tags...))
	}
	if len(loser.Sources) > 0 {
		all = append(all, page.AddTo("sources", loser.Sources...))
	}
	if len(loser.ExternalIDs) > 0 { // rewritten whole: it may be a map with us and a list with them
		ids := slices.Concat(winner.ExternalIDs, loser.ExternalIDs)
		slices.Sort(ids)
		all = append(all, page.SetList("external_ids", slices.Compact(ids)))
	}
	for _, f := range loser.Facts {
		if !slices.ContainsFunc(winner.Facts, func(g page.Fact) bool { return g.Text == f.Text }) {
			all = append(all, page.AddFact(f))
		}
	}
	for _, l := range loser.Links {
		if l.Kind == page.FrontMatter && !slices.ContainsFunc(winner.Links, func(k page.Link) bool {
			return k.Kind == l.Kind && k.Target == l.Target && k.Type == l.Type
		}) {
			all = append(all, page.AddLink(l))
		}
	}
	if body := strings.TrimSpace(loser.Body); body != "" && !strings.Contains(winner.Body, body) {
		all = append(all, winner.AppendParagraph(body))
	}
	return all
}

// stubOf makes a loser's page a redirect stub. What says nothing of its name is
// with the winner now.
func stubOf(loser *page.Page, m Merge) []page.Change {
	all := []page.Change{
		page.SetText("status", "merged"),
		page.SetText("redirect", m.redirect()),
		page.SetBody(""),
	}
	for _, key := range loser.Keys {
		switch strings.ToLower(key) {
		case "aliases", "tags", "facts", "links", "sources", "external_ids", "abstract", "overview":
			all = append(all, page.Unset(key))
		}
	}
	all = append(all, page.SetText("merged_at", m.Now.UTC().Format(time.RFC3339)))
	if m.By != "" {
		all = append(all, page.SetText("merged_by", m.By))
	}
	return all
}
