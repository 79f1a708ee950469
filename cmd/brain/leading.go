package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"brain/index"
	"brain/page"
	"brain/store"
)

// Where links lead: what a move and a merge must know of the pages around, since the
// store reads files and knows no names.

// settled is the index as it is once all changes are in.
func (a *app) settled(ctx context.Context, o *opened) (*index.View, error) {
	e, err := a.engine(o)
	if err != nil {
		return nil, err
	}
	v, _, err := a.view(ctx, e, index.Wait)
	return v, err
}

func indexed(v *index.View, p page.Path) (row uint32, err error) {
	row, ok := v.Lookup(p)
	if !ok {
		return 0, &failure{code: exitNotFound, text: fmt.Sprintf("%s is not in the index", p), hint: "run `brain sync`"}
	}
	return row, nil
}

// leadsAlone reports whether a file name will lead to the page of a row, and to no
// other, once it is at a path; in the root a path is a file name.
func leadsAlone(v *index.View, row uint32, to page.Path) bool {
	alone := true
	v.Everything().Bearers(to.Stem(), func(other uint32, kind page.NameKind) {
		if other != row && kind != page.NameTitle && kind != page.NameAlias {
			alone = false
		}
	})
	return alone || to.Dir() == ""
}

// leading collects where links lead, each as it does for who reads the page.
type leading struct {
	v     *index.View
	agent string
	all   store.Leads
}

// read are the links of a page as its agent sees them, or whoever asks.
func (l *leading) read(row uint32) []index.Link {
	return l.v.For(cmp.Or(l.v.Agent(row), l.agent)).Links(row)
}

func (l *leading) add(on page.Path, key store.LinkKey, to page.Path) {
	if l.all[on] == nil {
		l.all[on] = map[store.LinkKey]page.Path{}
	}
	l.all[on][key] = to
}

// own adds the links of a page.
func (l *leading) own(row uint32) {
	for _, k := range l.read(row) {
		if k.Resolved {
			l.add(l.v.PathOf(row), store.LinkKey{Kind: k.Kind, Target: k.Target}, l.v.PathOf(k.To))
		}
	}
}

// inbound adds the links of other pages to a page.
func (l *leading) inbound(row uint32) {
	from := append(neighbours(l.v.For(l.agent), row), neighbours(l.v.Everything(), row)...)
	slices.Sort(from)
	for _, other := range slices.Compact(from) {
		for _, k := range l.read(other) {
			if k.Resolved && k.To == row {
				l.add(l.v.PathOf(other), store.LinkKey{Kind: k.Kind, Target: k.Target}, l.v.PathOf(row))
			}
		}
	}
}

// redirects adds the stubs that lead to a page by one step.
func (l *leading) redirects(row uint32) {
	for _, s := range l.v.Stubs() {
		if len(s.To) == 1 && s.To[0] == row {
			l.add(l.v.PathOf(s.Row), store.LinkKey{Kind: page.FrontMatter, Target: s.Target}, l.v.PathOf(row))
		}
	}
}
