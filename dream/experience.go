package dream

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"brain/index"
	"brain/page"
	"brain/store"
)

// Lessons and decisions on one subject become an experience. Which subjects there are rules
// say (subjects.go), what the experience says a model (experienceask.go); without one it
// names its sources and no more, until there is one.
//
//	no experience yet      created
//	one by brain           its list of sources is kept; the text is judged again when the
//	                       sources say something else: merged, or left as it is
//	one that was edited    the list of sources is kept, the text belongs to who edited it
//	one by somebody else   left alone
//	archived, purged       left alone, and no other takes its place
//
// Whether anything is to be done is seen from the pages: an experience holds the digest of
// what its sources said. So a night on which nothing changed writes nothing and asks nobody,
// also when all that was remembered beside the tree is lost.

// experiences is the part of distill that keeps them.
func (n *night) experiences(ctx context.Context) error {
	v, err := n.view(ctx)
	if err != nil {
		return err
	}
	inputs, err := n.lessons(ctx, v)
	if err != nil {
		return err
	}
	if !n.unchanged("experiences", inputs) {
		if err := n.learn(ctx, v); err != nil {
			return err
		}
	}
	n.endPart() // skills are looked at each night
	return n.skills(ctx)
}

// lessons is a digest of what experiences are made of, and what decides what they speak of.
func (n *night) lessons(ctx context.Context, v *index.View) ([]byte, error) {
	var all []index.Page
	for row := range v.All {
		if p := v.Page(row); isLearned(&p) || p.Type == "entity" || p.Redirect != "" {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b index.Page) int { return cmp.Compare(a.Path, b.Path) })
	h := sha256.New()
	for _, p := range all {
		add(h, []byte(p.Path), p.Hash[:])
	}
	add(h, []byte(strings.Join(n.unread, "\n")))
	return h.Sum(nil), ctx.Err()
}

// learn looks at every subject.
func (n *night) learn(ctx context.Context, v *index.View) error {
	have, whole, err := n.known(ctx, v)
	if err != nil {
		return err
	}
	var taken []string
	for _, x := range have {
		taken = append(taken, x.Subject)
	}
	all, err := n.subjects(ctx, v, taken)
	if err != nil {
		return err
	}
	gone, err := n.Store.Forgotten(ctx)
	if err != nil {
		return err
	}
	names := &about{v: v.For("")}
	l := &learning{night: n, gone: gone, have: map[string]*Experience{}, whole: whole, names: names.v}
	for _, x := range have {
		id := names.id(x.Subject)
		if l.have[id] == nil {
			l.have[id] = x
		}
	}
	for _, s := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !s.since(n) {
			continue
		}
		n.looked(1, "subjects")
		if err := l.subject(ctx, s, l.have[names.id(s.key)]); err != nil {
			return err
		}
	}
	if l.hidden > 0 {
		n.left(Left{What: fmt.Sprintf("%d subjects wait: what was learned of them may stand in an experience that cannot be read", l.hidden),
			Hint: "give yourself the right to read it: `brain lint` names it"})
	}
	return nil
}

// since reports whether a page of the subject changed lately enough.
func (s *subject) since(n *night) bool {
	return n.Since.IsZero() || slices.ContainsFunc(s.members, func(l *learned) bool { return l.File.Mtime >= n.Since.UnixNano() })
}

// known are the experiences that have a subject, by path; retired ones, too. whole is false where
// some cannot be read.
func (n *night) known(ctx context.Context, v *index.View) (out []*Experience, whole bool, err error) {
	whole = true
	for row := range v.All {
		p := v.Page(row)
		if p.Type != "experience" || p.Agent != "" || p.Redirect != "" {
			continue
		}
		text, err := n.read(ctx, p.Path)
		if err != nil {
			if err := n.without(ctx, p.Path, err); err != nil {
				return nil, false, err
			}
			whole = whole && !n.unreadable(string(p.Path))
			continue
		}
		if x := ReadExperience(text); x.Subject != "" {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b *Experience) int { return cmp.Compare(a.Path, b.Path) })
	return out, whole, nil
}

// learning is the work on the subjects of a night.
type learning struct {
	*night
	gone   *store.Purges
	have   map[string]*Experience // by what they speak of
	whole  bool                   // these are all
	hidden int                    // subjects whose experience may be one of the others
	names  *index.Linked          // when the night began to look at them
}

// subject brings the experience of a subject up to date; x is nil where there is none.
func (l *learning) subject(ctx context.Context, s *subject, x *Experience) error {
	d := &lesson{subject: s, old: x, inputs: s.digest(), language: s.language()}
	switch {
	case x == nil && l.purged(s):
		return nil
	case x != nil && (page.Retired(x.Status) || x.page.CreatedBy != Author):
		return nil
	case x != nil && x.Digest == d.inputs && (l.Completer == nil || x.Judged == d.inputs):
		return nil
	case x != nil && slices.ContainsFunc(x.refs(), func(r reference) bool { return l.unreadable(string(r.path)) }):
		return nil // what it says of that source is not judged without it
	case x == nil && (!l.whole || l.placeHidden(s)):
		l.hidden++
		return nil
	}
	if err := d.sources(ctx, l.night); err != nil {
		return err
	}
	if l.Completer == nil || x != nil && !x.Ours() {
		return l.list(ctx, d)
	}
	return l.judge(ctx, d)
}

// lesson is the experience of a subject in the making.
type lesson struct {
	*subject
	old      *Experience // nil: none
	inputs   string      // digest of what the sources say now
	language string
	refs     []reference      // the sources, as they are numbered
	by       map[int]*learned // by number, those that are there
}

// digest is of what the sources say, wherever they lie, and whatever abstracts Dream itself
// puts above them.
func (s *subject) digest() string {
	var all []string
	for _, l := range s.members {
		all = append(all, digest(l.Title, l.said()))
	}
	slices.Sort(all)
	return digest(all...)
}

// language is that of most titles.
func (s *subject) language() string {
	han := 0
	for _, l := range s.members {
		if isHan(l.Title) {
			han++
		}
	}
	if 2*han > len(s.members) {
		return "zh"
	}
	return ""
}

// title of an experience that nobody gave one.
func (d *lesson) title() string {
	if d.language == "zh" {
		return "关于" + d.label + "的教训与决定"
	}
	return "Lessons and decisions on " + d.label
}

// sources numbers them: those that were listed keep their order, also one that speaks of
// something else by now, as long as its page is there; new ones follow.
func (d *lesson) sources(ctx context.Context, n *night) error {
	at := map[page.Path]*learned{}
	for _, l := range d.members {
		if linkable(l.Path) {
			at[l.Path] = l
		}
	}
	d.by = map[int]*learned{}
	take := func(r reference) {
		if d.refs = append(d.refs, r); at[r.path] != nil {
			d.refs[len(d.refs)-1].title = at[r.path].Title
			d.by[len(d.refs)] = at[r.path]
			delete(at, r.path)
		}
	}
	if d.old != nil {
		for _, r := range d.old.refs() {
			there := at[r.path] != nil
			if !there {
				_, err := n.Store.Read(ctx, r.path)
				there = !errors.Is(err, store.ErrNotFound)
			}
			if there {
				take(r)
			}
		}
	}
	for _, p := range slices.Sorted(maps.Keys(at)) {
		take(reference{path: p})
	}
	return nil
}

// purged reports whether the experience of a subject was removed for good.
func (l *learning) purged(s *subject) bool {
	p, err := l.place(s)
	d := lesson{subject: s, language: s.language()}
	return err == nil && l.gone.Path(p) || l.gone.Text(d.title())
}

// place is where a subject's experience belongs. It depends on the subject alone: what a model
// calls it makes no other page of it. And it is not the name of the entity itself, which
// would lead to two pages then.
func (l *learning) place(s *subject) (page.Path, error) {
	return l.pack().Place(page.Spot{Type: "experience", Title: "exp " + s.label, Day: l.at}, nil)
}

// placeHidden reports whether what stands there cannot be read.
func (l *learning) placeHidden(s *subject) bool {
	at, err := l.place(s)
	return err == nil && l.unreadable(string(at))
}

// list keeps the list of sources, by rule.
func (l *learning) list(ctx context.Context, d *lesson) error {
	if d.old == nil {
		return l.create(ctx, d, &draftText{title: d.title(), language: d.language, refs: d.refs}, "")
	}
	return l.rewrite(ctx, d, d.old.text(d, l.gone), d.old.Judged, "sources listed")
}

// create writes a new experience.
func (l *learning) create(ctx context.Context, d *lesson, t *draftText, judged string) error {
	at, err := l.place(d.subject)
	if err != nil {
		return err
	}
	raw, err := formExperience(t, d.key, d.inputs, judged, l.at)
	if err != nil {
		return fmt.Errorf("write the experience on %s: %w", d.label, err)
	}
	if l.DryRun {
		l.changed(string(at), "experience would be created")
		return nil
	}
	err = l.update(ctx, "distill", func(tx *store.Tx) error {
		if err := l.mayCreate(ctx, tx, d); err != nil {
			return err
		}
		var err error
		at, err = tx.AddNew(at, raw)
		if err == nil && l.gone.Path(at) {
			err = errPurged
		}
		return err
	})
	switch {
	case errors.Is(err, errPurged):
		return nil
	case errors.Is(err, store.ErrConflict):
		l.overtaken(at)
		return nil
	case err == nil:
		l.changed(string(at), "experience created")
	}
	return err
}

// errPurged ends an update that would bring back what was purged.
var errPurged = errors.New("it was purged")

// overtaken leaves an experience to the next night: it, or a source of it, was edited, made or
// purged while a model thought.
func (l *learning) overtaken(at page.Path) {
	l.left(Left{Path: string(at), What: "it, or a page that it is made of, was changed meanwhile", Hint: "the next night looks at it again"})
	l.later()
}

// stand demands that the sources are as they were read: what was purged since is not to be
// written again. Anything else is a *store.ConflictError.
func (d *lesson) stand(tx *store.Tx) error {
	for _, l := range d.members {
		raw, err := tx.Read(l.Path)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err != nil || !bytes.Equal(raw, l.text.Raw) {
			return &store.ConflictError{Path: string(l.Path), Want: store.HashOf(l.text.Raw), Have: store.HashOf(raw)}
		}
	}
	return nil
}

// mayCreate looks once more for what came meanwhile: a model may have thought for minutes.
func (l *learning) mayCreate(ctx context.Context, tx *store.Tx, d *lesson) (err error) {
	if l.gone, err = l.Store.Forgotten(ctx); err != nil {
		return err
	}
	if l.purged(d.subject) {
		return errPurged
	}
	if err := d.stand(tx); err != nil {
		return err
	}
	at, err := l.place(d.subject)
	if err != nil {
		return err
	}
	raw, err := tx.Read(at)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err == nil && ReadExperience(page.Parse(at, raw)).Subject == d.key {
		return &store.ConflictError{Path: string(at), Have: store.HashOf(raw)}
	}
	return err
}

// rewrite changes an experience: the lines that differ, and only if it is as it was read.
func (l *learning) rewrite(ctx context.Context, d *lesson, t *draftText, judged, what string) error {
	x := d.old
	raw, err := x.spliced(d, t, judged, l.night)
	if err != nil {
		l.left(Left{Path: string(x.Path), What: "its sources changed, and its page cannot be: " + err.Error(), Hint: "`brain lint` tells what is wrong with it"})
		return nil
	}
	switch {
	case bytes.Equal(raw, x.page.Raw):
		return nil
	case l.DryRun:
		l.changed(string(x.Path), "experience would be changed: "+what)
		return nil
	}
	err = l.update(ctx, "distill", func(tx *store.Tx) error {
		if err := d.stand(tx); err != nil {
			return err
		}
		return tx.Replace(x.Path, store.HashOf(x.page.Raw), raw)
	})
	switch {
	case errors.Is(err, store.ErrConflict):
		l.overtaken(x.Path)
		return nil
	case err == nil:
		l.changed(string(x.Path), "experience: "+what)
	}
	return err
}

// spliced is the page with another text, unless that belongs to who edited it, and another
// list of sources.
func (x *Experience) spliced(d *lesson, t *draftText, judged string, n *night) ([]byte, error) {
	changes := []page.Change{page.SetList("sources", x.sources(d))}
	if x.Ours() {
		body := t.body()
		changes = append(changes, page.SetText("title", t.title), page.SetBody(body), page.SetText("written", textDigest(t.title, body)))
	} else {
		judged = x.Judged
	}
	changes = append(changes, page.SetText("digest", d.inputs), page.SetText("judged", judged))
	raw, err := page.Splice(x.Path, x.page.Raw, changes...)
	if err != nil || bytes.Equal(raw, x.page.Raw) {
		return raw, err
	}
	return page.Splice(x.Path, raw, x.page.Renewed(n.at)...)
}

// sources are those of the list, and what else a person or a duplicate put there.
func (x *Experience) sources(d *lesson) (out []string) {
	for _, r := range d.refs {
		out = append(out, r.source())
	}
	for _, s := range page.Values(x.Path, x.page.Raw, "sources") {
		if _, err := page.ParsePath(s); !strings.HasPrefix(s, "[[") && (err != nil || !strings.HasSuffix(s, ".md")) {
			out = append(out, s)
		}
	}
	return out
}

// text is what an experience says now, with the numbers that its sources have in d. A
// statement whose sources were all purged goes with them. One that was moved by hand before is
// known by its title.
func (x *Experience) text(d *lesson, gone *store.Purges) *draftText {
	t := &draftText{title: x.Title, language: d.language, refs: d.refs}
	if isHan(x.Title) {
		t.language = "zh"
	}
	to, purged := map[int]int{}, map[int]bool{}
	for i, old := range x.refs() {
		purged[i+1] = gone.Path(old.path) || gone.Text(old.title)
		for n, r := range d.refs {
			if r.path == old.path {
				to[i+1], purged[i+1] = n+1, false
			}
		}
	}
	t.trigger, t.procedure, t.boundary = renumbered(x.Trigger, to, purged), renumbered(x.Procedure, to, purged), renumbered(x.Boundary, to, purged)
	return t
}

func renumbered(section string, to map[int]int, purged map[int]bool) (out []Statement) {
	for _, s := range Statements(section) {
		now := Statement{Text: s.Text}
		lost := 0
		for _, n := range s.Sources {
			switch {
			case to[n] > 0:
				now.Sources = append(now.Sources, to[n])
			case purged[n]:
				lost++
			}
		}
		if lost == 0 || lost < len(s.Sources) {
			out = append(out, now)
		}
	}
	return out
}
