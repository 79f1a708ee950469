package dream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"brain/index"
	"brain/llm"
	"brain/page"
	"brain/store"
	"brain/text"
)

// The last stage looks for what a tree of pages loses over the years, and reports it with
// what can be done:
//
//	unlinked     a page that neither has a link nor is named by one
//	unresolved   a name that several pages link to and no page bears
//	dead         an entity of a few words that nothing links to; a redirect to nowhere
//	hollow       an entity of a few words to which a good part of all links lead
//	twins        pages that say the same, or nearly (twins.go)
//
// It looks at pages that people keep: not at sessions, facts, or brain's own output, nor at
// what was archived. Links count on whatever page they stand, but for brain's own output.
//
// It changes one thing: an unlinked page that its writer marked as temporary is archived,
// which `brain undo` takes back. Nothing is ever deleted.

const (
	few = 10 // of each kind are named in a report, the others counted

	// habit is how many unlinked pages, more than half of all, show that a brain is one in
	// which links are no habit: then that is said once.
	habit = 20

	// nearSubject is the cosine of two pages' directions from which one is worth naming.
	nearSubject = 0.6

	// fewWords is how many words an entity has that says nearly nothing, in half words: a
	// word has two, a character of Chinese or Japanese one.
	fewWords = 12

	// An entity of few words is hollow if that many pages link to it, and they are one in
	// hollowShare of those that link to anything, or hollowMany.
	hollowLeast = 10
	hollowShare = 20
	hollowMany  = 100
)

func (n *night) orphans(ctx context.Context) error {
	tree, err := n.tree(ctx)
	if err != nil {
		return err
	}
	if n.unchanged("orphans", tree) {
		n.skip("orphans")
		return nil
	}
	c, err := n.census(ctx)
	if err != nil {
		return err
	}
	if c, err = n.archiveTemporary(ctx, c); err != nil {
		return err
	}
	n.looked(len(c.pages), "pages")
	n.deadEntities(c)
	n.hollowEntities(c)
	n.unlinked(ctx, c)
	n.unresolved(c)
	if err := n.twins(ctx, c); err != nil {
		return err
	}
	return c.known.save(n)
}

// census is what the index knows of pages and the links between them, with what is known of
// each page's text.
type census struct {
	view    *index.View
	pages   []index.Page // those that people keep, by path
	in, out []int32      // by row: pages that link to it; links that it writes
	linking int          // pages that link to another
	missing map[string]*missing
	stubs   []index.Page // redirects to nowhere
	known   *pageNotes
	dead    map[uint32]bool
}

// missing is a name that links lead to and no page bears.
type missing struct {
	name  string
	path  page.Path // the first page that names it
	line  int
	pages int
	last  uint32 // the row counted last
}

func (n *night) census(ctx context.Context) (*census, error) {
	v, err := n.view(ctx)
	if err != nil {
		return nil, err
	}
	c := &census{view: v, in: make([]int32, v.Nodes()), out: make([]int32, v.Nodes()), missing: map[string]*missing{}, dead: map[uint32]bool{}}
	for row := range v.All {
		p := v.Page(row)
		if p.Generated {
			continue
		}
		c.links(&p)
		if p.Ranked && p.Agent == "" && p.Type != "fact" && !p.Path.IsSession() && !page.Retired(p.Status) {
			c.pages = append(c.pages, p)
		}
	}
	for _, s := range v.Stubs() {
		if len(s.To) == 0 {
			c.stubs = append(c.stubs, v.Page(s.Row))
		}
	}
	slices.SortFunc(c.pages, func(a, b index.Page) int { return strings.Compare(string(a.Path), string(b.Path)) })
	c.known, err = n.notes(ctx, c.pages)
	return c, err
}

// links counts the links of a page.
func (c *census) links(p *index.Page) {
	leads := map[uint32]bool{}
	evidence := p.Path.IsSession() || page.Retired(p.Status) // whose links need lead nowhere
	c.view.Everything().Written(p.Row, func(l index.Link, candidates []uint32) {
		c.out[p.Row]++
		switch {
		case l.Resolved && l.To != p.Row && !leads[l.To]:
			leads[l.To] = true
			c.in[l.To]++
		case !l.Resolved && len(candidates) == 0 && !evidence:
			c.miss(p, l)
		}
		for _, row := range candidates { // it may mean each of them
			if row != p.Row && !leads[row] {
				leads[row] = true
				c.in[row]++
			}
		}
	})
	if len(leads) > 0 {
		c.linking++
	}
}

func (c *census) miss(p *index.Page, l index.Link) {
	name := l.Target
	if l.Kind == page.Markdown { // from where the page lies
		name = path.Join(string(p.Path.Dir()), name)
		if strings.HasPrefix(l.Target, "/") {
			name = strings.TrimLeft(path.Clean(l.Target), "/")
		}
	}
	key := text.Fold(name)
	m := c.missing[key]
	if m == nil {
		m = &missing{name: name, path: p.Path, line: l.Line, last: p.Row, pages: 1}
		c.missing[key] = m
		return
	}
	if m.last != p.Row {
		m.last = p.Row
		m.pages++
	}
	if p.Path < m.path {
		m.name, m.path, m.line = name, p.Path, l.Line
	}
}

// alone reports a page that no link leads to or from.
func (c *census) alone(p *index.Page) bool { return c.in[p.Row] == 0 && c.out[p.Row] == 0 }

// archiveTemporary archives the unlinked pages that are marked as temporary, and counts
// anew if there were any.
func (n *night) archiveTemporary(ctx context.Context, c *census) (*census, error) {
	var over []page.Path
	for i := range c.pages {
		if p := &c.pages[i]; c.alone(p) && c.known.of[p.Path].Temporary && !n.unreadable(string(p.Path)) {
			over = append(over, p.Path)
		}
	}
	if len(over) == 0 {
		return c, nil
	}
	var left []Left
	if !n.DryRun {
		all := over
		err := n.update(ctx, "archive temporary pages", func(tx *store.Tx) (err error) {
			over, left, err = archive(tx, all)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for _, p := range over {
		n.changed(string(p), "archived: it is marked as temporary, and no link leads to it or from it")
	}
	n.count("archived", len(over))
	if n.DryRun {
		gone := func(p index.Page) bool { _, is := slices.BinarySearch(over, p.Path); return is }
		c.pages = slices.DeleteFunc(c.pages, gone)
		return c, nil
	}
	if len(over) > 0 {
		tree, err := n.tree(ctx)
		if err != nil {
			return nil, err
		}
		n.unchanged("orphans", tree) // what is found from here on is found in the tree of now
	}
	n.stage.Left = append(n.stage.Left, left...)
	return n.census(ctx)
}

// archive gives those of the pages that it archived: one may be gone, or edited, meanwhile. One
// that cannot be changed in place is left.
func archive(tx *store.Tx, pages []page.Path) (done []page.Path, left []Left, err error) {
	for _, at := range pages {
		raw, err := tx.Read(at)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if p := page.Parse(at, raw); !p.Temporary() || len(p.Links) > 0 || page.Retired(p.Status) {
			continue
		}
		out, err := page.Splice(at, raw, page.SetText("status", "archived"))
		if errors.Is(err, page.ErrSplice) {
			left = append(left, Left{Path: string(at), What: fmt.Sprintf("it is marked as temporary, and cannot be archived: %v", err), Hint: "set its status to archived, or delete it"})
			continue
		}
		if err == nil {
			err = tx.Replace(at, store.HashOf(raw), out)
		}
		if err != nil {
			return nil, nil, err
		}
		done = append(done, at)
	}
	return done, left, nil
}

// first leaves the first few of a kind, and says how many more there are.
func (n *night) first(kind string, all []Left, what string) {
	if len(all) == 0 {
		return
	}
	n.count(kind, len(all))
	for _, l := range all[:min(few, len(all))] {
		n.left(l)
	}
	if more := len(all) - few; more > 0 {
		n.left(Left{What: fmt.Sprintf("%d more %s", more, what), Hint: "they are named as these are settled"})
	}
}

// unlinked tells of pages that no link leads to or from, those of late first.
func (n *night) unlinked(ctx context.Context, c *census) {
	var alone []*index.Page
	for i := range c.pages {
		if p := &c.pages[i]; c.alone(p) && !c.dead[p.Row] {
			alone = append(alone, p)
		}
	}
	if len(alone) >= habit && 2*len(alone) > len(c.pages) {
		n.count("unlinked", len(alone))
		n.left(Left{What: fmt.Sprintf("%d of %d pages have no link, and none leads to them", len(alone), len(c.pages)),
			Hint: "nothing, if links are no habit here: questions find pages without them"})
		return
	}
	slices.SortStableFunc(alone, func(a, b *index.Page) int { return b.Updated.Compare(a.Updated) })
	var all []Left
	for i, p := range alone {
		l := Left{Path: string(p.Path), What: "it has no link, and none leads to it"}
		if i < few {
			l.Hint = n.suggestion(ctx, c, p)
		}
		all = append(all, l)
	}
	n.first("unlinked", all, "pages without a link")
}

// suggestion names the page that is nearest in meaning, where one is near.
func (n *night) suggestion(ctx context.Context, c *census, p *index.Page) string {
	hint := "link it from a page on its subject, or leave it: questions find it all the same"
	q := c.view.Vector(p.Row)
	if q == nil {
		return hint
	}
	kept := func(row uint32) bool {
		_, is := slices.BinarySearchFunc(c.pages, c.view.PathOf(row), func(o index.Page, at page.Path) int { return strings.Compare(string(o.Path), string(at)) })
		return is && row != p.Row
	}
	near, err := c.view.Nearest(ctx, q, few, kept)
	if err != nil {
		return hint
	}
	best, most := "", nearSubject
	for _, m := range near { // by its nearest passage; a link is to all of it
		if cos := llm.Cosine(q, c.view.Vector(m.Row)); cos > most {
			best, most = m.Path, cos
		}
	}
	if best == "" {
		return hint
	}
	return fmt.Sprintf("link it from a page on its subject; nearest in meaning is %s (%.2f)", best, most)
}

// unresolved tells of names that several pages link to in vain, the most wanted first.
func (n *night) unresolved(c *census) {
	var wanted []*missing
	for _, m := range c.missing {
		if m.pages > 1 {
			wanted = append(wanted, m)
		}
	}
	slices.SortFunc(wanted, func(a, b *missing) int { return cmp.Or(b.pages-a.pages, strings.Compare(a.name, b.name)) })
	var all []Left
	for _, m := range wanted {
		all = append(all, Left{Path: string(m.path), Line: m.line, What: fmt.Sprintf("%d pages link to %q, and no page is called so", m.pages, m.name),
			Hint: "make the page, or give the one that is meant this name as an alias"})
	}
	n.first("unresolved", all, "names without a page: `brain links --missing`")
}

// deadEntities tells of entities that came to nothing.
func (n *night) deadEntities(c *census) {
	var all []Left
	for i := range c.pages {
		if p := &c.pages[i]; p.Type == "entity" && c.in[p.Row] == 0 && c.known.of[p.Path].Words < fewWords {
			c.dead[p.Row] = true
			all = append(all, Left{Path: string(p.Path), What: "an entity that says nearly nothing, and no link leads to it", Hint: "write what it is, or archive it: brain forget " + string(p.Path)})
		}
	}
	for _, s := range c.stubs {
		all = append(all, Left{Path: string(s.Path), What: fmt.Sprintf("it redirects to %q, and no page is called so", s.Redirect), Hint: "name the page that replaced it, or archive it: brain forget " + string(s.Path)})
	}
	n.first("dead_entities", all, "dead entities")
}

// hollowEntities tells of entities of a few words that many links lead to, where a question
// ends that follows them.
func (n *night) hollowEntities(c *census) {
	var found []*index.Page
	for i := range c.pages {
		p := &c.pages[i]
		in := int(c.in[p.Row])
		if p.Type == "entity" && in >= hollowLeast && (in*hollowShare >= c.linking || in >= hollowMany) && c.known.of[p.Path].Words < fewWords {
			found = append(found, p)
		}
	}
	slices.SortStableFunc(found, func(a, b *index.Page) int { return int(c.in[b.Row] - c.in[a.Row]) })
	var all []Left
	for _, p := range found {
		all = append(all, Left{Path: string(p.Path), What: fmt.Sprintf("%d of %d pages with links lead to it, and it says nearly nothing", c.in[p.Row], c.linking),
			Hint: "write what it is; links to a word that is no subject are better taken out"})
	}
	n.first("hollow_entities", all, "hollow entities")
}
