package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

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
// another one now.
func (d *door) refresh(ctx context.Context) (moved bool) {
	if d.looked == nil {
		return false
	}
	l := <-d.looked
	d.looked = nil
	if l.err != nil { // what is known of a tree stays
		return false
	}
	was := d.v.Generation()
	v, _, err := d.e.ix.Refresh(ctx, d.e.st, d.v, l.change, index.Auto)
	d.e.bar.wipe()
	if d.v = v; err != nil || v == nil {
		return false
	}
	return v.Generation() != was
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
	from    string // the source that a twin gains
	twin    *retrieve.Neighbour
	against []retrieve.Neighbour
	at      page.Path // where it is once put
}

// ask finds what the brain says of the page already.
func (d *door) ask(ctx context.Context, w *writing) (*arrival, error) {
	in := &arrival{writing: w, from: cmp.Or(w.spot.Source, d.a.agent(), time.Now().UTC().Format(time.RFC3339))}
	if d.v == nil {
		return in, nil
	}
	p := page.Parse(cmp.Or(w.path, "page.md"), w.raw)
	err := d.compare(ctx, in, p)
	if err == nil && d.refresh(ctx) {
		err = d.compare(ctx, in, p)
	}
	if err == nil && w.spot.Type == "entity" && d.v != nil {
		err = d.stopTwin(p)
	}
	return in, err
}

func (d *door) searcher() *retrieve.Searcher {
	sr := d.e.searcher()
	sr.Readings = d.kept
	return sr
}

// compare asks the view that the door has.
func (d *door) compare(ctx context.Context, in *arrival, p *page.Page) error {
	near, err := d.searcher().Near(ctx, d.v, p, cmp.Or(d.a.agent(), defaultAgent))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		d.a.warn("duplicates are not looked for: %s", plain(err.Error()))
		return nil
	}
	in.twin, in.against = nil, near.Contradictions()
	if twins := near.Duplicates(); len(twins) > 0 {
		in.twin = &twins[0]
	}
	return nil
}

// stopTwin refuses an entity whose name another bears already.
func (d *door) stopTwin(p *page.Page) error {
	names := append([]string{p.Title, p.Slug}, p.Aliases...)
	twin, name, ok := d.a.twinEntity(d.v, names)
	if !ok || twin.Path == p.Path {
		return nil
	}
	return &failure{
		code: exitConflict, cause: store.ErrTwin,
		text: fmt.Sprintf("%q is the name of %s (%s)", name, twin.Path, twin.Title),
		hint: "`brain edit " + string(twin.Path) + " --append …` adds to it; --force makes a second one",
	}
}

// put writes the page, or the source that its twin gains. A twin that changed since it
// was found, or whose front matter cannot be edited, is none.
func (in *arrival) put(ctx context.Context, st *store.Store, pack *page.Pack, tx *store.Tx) (err error) {
	if in.twin != nil {
		if in.gain(tx) == nil {
			in.at = in.twin.Path
			return nil
		}
		in.twin = nil
	}
	in.at, err = in.writing.put(ctx, st, pack, tx)
	return err
}

// gain writes the source into the twin, if that still says the same.
func (in *arrival) gain(tx *store.Tx) error {
	raw, err := tx.Read(in.twin.Path)
	if err != nil {
		return err
	}
	next, err := page.Splice(in.twin.Path, raw, page.AddTo("sources", in.from))
	if err != nil {
		return err
	}
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
		j.Duplicate, j.Title, j.Why = true, in.twin.Title, in.twin.Verdict.String()
		return j
	}
	for _, n := range in.against {
		v := n.Verdict
		j.Contradicts = append(j.Contradicts, contradictsJSON{string(n.Path), v.Places[1].Line, string(v.Screen),
			strings.TrimSpace(v.Detail[0]), strings.TrimSpace(v.Detail[1])})
	}
	return j
}

// repeat makes a page that was written a moment ago the twin.
func (in *arrival) repeat(twin page.Path) {
	in.twin = &retrieve.Neighbour{Path: twin, Title: in.title, Verdict: page.Verdict{Kind: page.Duplicate, Screen: page.ByWords, Overlap: 1}}
}
