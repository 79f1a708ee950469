package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"brain/index"
	"brain/page"
	"brain/retrieve"
	"brain/store"
)

// At the door a page is compared with what the brain says already: a duplicate is not
// written, its twin gains a source; a contradiction is named, and both stay.

// door is open for one command.
type door struct {
	a      *app
	e      *engine     // nil when no index could be opened
	v      *index.View // nil when nothing is compared
	force  bool
	kept   *retrieve.Readings // of one door after the other, in a batch
	looked chan look          // what has changed since v; nil once it is known
}

type look struct {
	change index.Change
	err    error
}

// door opens the index as it is for a page that comes, and begins to look for what has
// changed since. That it cannot be opened stops no page.
func (a *app) door(ctx context.Context, o *opened, force bool) (*door, error) {
	d := &door{a: a, force: force}
	if force {
		return d, nil
	}
	fresh := false
	e, err := a.engine(o)
	if err == nil {
		d.e = e
		d.v, fresh, err = a.first(ctx, e)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		a.warn("duplicates are not looked for: %s", plain(err.Error()))
		return d, nil
	}
	if v := d.v; !fresh {
		d.looked = make(chan look, 1)
		go func() {
			change, err := e.ix.Look(ctx, e.st, v)
			d.looked <- look{change, err}
		}()
	}
	return d, nil
}

// refresh takes in what has changed, if that is little; moved is whether the view is
// another one now. What could not be taken in is said.
func (d *door) refresh(ctx context.Context) (moved bool) {
	if d.looked == nil {
		return false
	}
	l := <-d.looked
	d.looked = nil
	var stale *index.Staleness
	was, err := d.v.Generation(), l.err
	if err == nil {
		d.v, stale, err = d.e.ix.Refresh(ctx, d.e.st, d.v, l.change, index.Auto)
		d.e.bar.wipe()
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		d.a.warn("duplicates are looked for in the index as it was: %s", plain(err.Error()))
	case stale != nil:
		d.a.warn("duplicates are looked for in the index as it was; %s since: %s", count(stale.Changed, "changed file"), plain(stale.Why))
	}
	return d.v != nil && d.v.Generation() != was
}

// close gives the view back; twice is once.
func (d *door) close() {
	if d.v == nil {
		return
	}
	if d.looked != nil {
		<-d.looked
		d.looked = nil
	}
	if err := d.v.Release(); err != nil {
		d.a.warn("%s", plain(err.Error()))
	}
	d.v = nil
}

// arrival is a page at the door and what is known of it there.
type arrival struct {
	*writing
	page    *page.Page
	force   bool
	from    string // the source that a twin gains
	folder  string // where a twin has to lie: of the page's issue, "" for anywhere
	twin    *retrieve.Neighbour
	gained  bool // the twin has something now that it had not
	against []retrieve.Neighbour
	at      page.Path // where it is once put
}

// arrive makes a page ready to be compared. It refuses one that the schema forbids, and
// a path where none is put.
func (a *app) arrive(w *writing, pack *page.Pack, force bool) (*arrival, error) {
	if w.path != "" {
		if err := a.mayPlace(w.path); err != nil {
			return nil, err
		}
	}
	in := &arrival{
		writing: w, page: page.Parse(cmp.Or(w.path, "page.md"), w.raw), force: force,
		from: cmp.Or(w.spot.Source, a.agent(), "default"),
	}
	if err := obey(pack, w.spot.Type, in.page); err != nil {
		return nil, err
	}
	if w.spot.Issue != "" {
		at, err := pack.Place(w.spot, nil)
		if err != nil {
			return nil, err
		}
		in.folder = at.Dir()
	}
	return in, nil
}

// ask finds what the brain says of the page already.
func (d *door) ask(ctx context.Context, in *arrival) error {
	if d.v == nil {
		return nil
	}
	err := d.compare(ctx, in)
	if err == nil && d.refresh(ctx) {
		err = d.compare(ctx, in)
	}
	if err == nil && in.spot.Type == "entity" && d.v != nil {
		err = d.stopTwin(in.page)
	}
	return err
}

func (d *door) searcher() *retrieve.Searcher {
	sr := d.e.searcher()
	sr.Readings = d.kept
	return sr
}

// compare asks the view that the door has, of the pages that everybody sees who will
// see this one: an agent's own facts say nothing to others.
func (d *door) compare(ctx context.Context, in *arrival) error {
	near, err := d.searcher().Near(ctx, d.v, in.page, in.page.Path.Agent())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		d.a.warn("duplicates are not looked for: %s", plain(err.Error()))
		return nil
	}
	in.twin, in.against = nil, near.Contradictions()
	for _, n := range near.Duplicates() {
		if row, ok := d.v.Lookup(n.Path); ok && in.fits(n.Path, d.v.Page(row).Type) {
			in.twin = &n
			break
		}
	}
	return nil
}

// fits reports whether a page can stand for this one: it is of the same type and lies in
// the same issue, if this one belongs to one.
func (in *arrival) fits(twin page.Path, typ string) bool {
	return typ == in.page.Type && (in.folder == "" || in.folder == twin.Dir())
}

// stopTwin refuses an entity whose name another bears already.
func (d *door) stopTwin(p *page.Page) error {
	twin, name, ok := d.a.twinEntity(d.v, entityNames(p))
	if !ok || twin.Path == p.Path {
		return nil
	}
	return twinError(name, twin.Path, twin.Title)
}

func twinError(name string, at page.Path, title string) error {
	return &failure{
		code: exitConflict, cause: store.ErrTwin,
		text: fmt.Sprintf("%q is the name of %s (%s)", name, at, title),
		hint: "`brain edit " + string(at) + " --append …` adds to it; --force makes a second one",
	}
}

// entityName is a name of an entity as written, and in the form that twins share.
type entityName struct{ text, form string }

func entityNames(p *page.Page) (out []entityName) {
	for _, n := range append([]string{p.Title, p.Slug}, p.Aliases...) {
		if form := page.NameForm(n); form != "" {
			out = append(out, entityName{n, form})
		}
	}
	return out
}

// put writes the page, or what its twin gains. A twin that says the same no more, that
// is of another type, or that cannot take what the page says besides, is none.
func (in *arrival) put(pack *page.Pack, tx *store.Tx, listed func() ([]page.File, error)) (err error) {
	in.gained = false
	if in.twin != nil {
		if in.gain(pack, tx) == nil {
			in.at = in.twin.Path
			return nil
		}
		in.twin = nil
	}
	if in.page.Type == "entity" && !in.force {
		if err := in.onlyOne(pack, tx); err != nil {
			return err
		}
	}
	in.at, err = in.writing.put(pack, tx, listed)
	return err
}

// onlyOne refuses an entity when one of its name has come to its place since the door
// looked: a second page of that name would be a mistake, not the next of a series.
func (in *arrival) onlyOne(pack *page.Pack, tx *store.Tx) error {
	at, err := pack.Place(in.spot, nil)
	if err != nil || in.path != "" {
		return err
	}
	raw, err := tx.Read(at)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	other := page.Parse(at, raw)
	for _, n := range entityNames(in.page) {
		if slices.ContainsFunc(entityNames(other), func(o entityName) bool { return o.form == n.form }) {
			return twinError(n.text, at, other.Title)
		}
	}
	return nil
}

// gain writes into the twin what the page adds to it.
func (in *arrival) gain(pack *page.Pack, tx *store.Tx) error {
	raw, err := tx.Read(in.twin.Path)
	if err != nil {
		return err
	}
	if !in.fits(in.twin.Path, in.page.Type) {
		return page.ErrNoTwin
	}
	next, err := pack.Gain(in.twin.Path, raw, in.page, in.from, in.twin.Verdict.Cosine)
	if err != nil || bytes.Equal(next, raw) {
		return err
	}
	in.gained = true
	return tx.Replace(in.twin.Path, store.HashOf(raw), next)
}

// contradictsJSON is a page that says otherwise.
type contradictsJSON struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Screen string `json:"screen"`
	Ours   string `json:"ours"`
	Theirs string `json:"theirs"`
}

func (in *arrival) json(brain, job string) addJSON {
	j := addJSON{Brain: brain, Path: string(in.at), Title: in.title, Type: in.spot.Type, Job: job, Contradicts: []contradictsJSON{}}
	if in.twin != nil {
		j.Duplicate, j.Gained, j.Title, j.Why = true, in.gained, in.twin.Title, in.twin.Verdict.String()
		if !in.gained {
			j.Job = ""
		}
		return j
	}
	for _, n := range in.against {
		v := n.Verdict
		j.Contradicts = append(j.Contradicts, contradictsJSON{string(n.Path), v.Places[1].Line, string(v.Screen), clip(v.Texts[0]), clip(v.Texts[1])})
	}
	return j
}
