package dream

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"brain/graph"
	"brain/index"
	"brain/page"
	"brain/text"
)

// What do lessons and decisions speak of? A subject is one of these, and at least
// MinSources pages speak of it:
//
//	[[entities/kestrel]]  an entity that a page links to, has in its title, or names in two
//	                      sentences, by whatever name; or a page that is not there yet
//	issue app/101-login   the issue that the pages belong to
//	tag app/payments      a tag that pages of one source have
//	word timeout          a telling word of their titles (subjectwords.go)
//
// A page may speak of several. Of subjects that share pages the most specific comes first, and
// a wider one is one besides only if enough of its pages are in none of those. What has an
// experience already keeps it, so that the same pages give the same subjects whatever came
// in which night, and a page that comes later joins.
//
// Who decided something is no subject of it, nor is a person who is only named.

// kinds of subjects, in the order in which they are preferred.
const (
	ofEntity = iota
	ofIssue
	ofTag
	ofWord
)

// subject is what several pages speak of.
type subject struct {
	kind    int
	key     string // as an experience holds it
	label   string // as people read it
	members []*learned
}

// learned is a page from which one learns.
type learned struct {
	index.Page
	text  *page.Page
	when  time.Time         // when it was written, else when its file changed
	words map[string]string // telling ones, once asked for
	has   map[string]bool   // all, once asked for
}

// about collects what pages speak of.
type about struct {
	v     *index.Linked
	of    *entities
	lex   *graph.Lexicon
	all   []*learned
	known map[string]*subject // by id
	names map[string]bool     // words of the names of entities, once asked for
}

// lessonTypes are the pages from which one learns.
var lessonTypes = []string{"lesson", "decision"}

// isLearned reports a page from which one learns: what belongs to one agent stays with it.
func isLearned(p *index.Page) bool {
	return slices.Contains(lessonTypes, p.Type) && p.Agent == "" && p.Redirect == "" && p.Ranked
}

// subjects reads the lessons and decisions of a view and gives what they speak of, in the
// order of their keys: what has an experience, and what deserves one. taken has the keys of
// experiences that are there.
func (n *night) subjects(ctx context.Context, v *index.View, taken []string) ([]*subject, error) {
	a := &about{v: v.For(""), of: newEntities(v), lex: graph.NewLexicon(n.pack()), known: map[string]*subject{}}
	for row := range v.All {
		p := v.Page(row)
		if !isLearned(&p) {
			continue
		}
		text, err := n.read(ctx, p.Path)
		if err != nil {
			if err := n.without(ctx, p.Path, err); err != nil {
				return nil, err
			}
			continue
		}
		a.all = append(a.all, &learned{Page: p, text: text, when: when(&p)})
	}
	slices.SortFunc(a.all, func(x, y *learned) int { return cmp.Compare(x.Path, y.Path) })
	for i, l := range a.all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a.entities(l)
		a.places(l)
		if n.Progress != nil {
			n.Progress(Distill, i+1, len(a.all))
		}
	}
	return a.choose(taken, n.minSources()), nil
}

func (n *night) minSources() int { return cmp.Or(max(0, n.MinSources), DefaultMinSources) }

// when is the day to which a page belongs.
func when(p *index.Page) time.Time {
	for _, t := range []time.Time{p.At, p.Updated, p.Created} {
		if !t.IsZero() {
			return t
		}
	}
	return time.Unix(0, p.File.Mtime)
}

// speaks notes that a page speaks of a subject. Pages come in their order.
func (a *about) speaks(l *learned, kind int, key, label string) {
	id := a.id(key)
	s := a.known[id]
	if s == nil {
		s = &subject{kind: kind, key: key, label: label}
		a.known[id] = s
	}
	if len(s.members) == 0 || s.members[len(s.members)-1] != l {
		s.members = append(s.members, l)
	}
}

// id is what two keys share that mean the same subject: a page by whatever name.
func (a *about) id(key string) string {
	name, isPage := strings.CutPrefix(key, "[[")
	name, closed := strings.CutSuffix(name, "]]")
	if !isPage || !closed {
		return text.Fold(key)
	}
	if rows := a.v.Resolve(strings.TrimSuffix(name, ".md")); len(rows) == 1 {
		return "[[" + string(a.v.Page(rows[0]).Path)
	}
	return "[[" + text.Fold(strings.TrimSuffix(name, ".md"))
}

// authorship are links that tell who made a page, not what it is about.
var authorship = []string{graph.Decided, graph.ProducedBy, graph.Attended, graph.WorksAt, graph.Source, graph.Supersedes}

// entities notes what a page links to and names.
func (a *about) entities(l *learned) {
	for _, link := range a.v.Links(l.Row) {
		switch {
		case slices.Contains(authorship, link.Type):
		case link.Resolved:
			a.entity(l, link.To, false)
		case link.Kind == page.Wiki && len(link.Ambiguous) == 0 && isName(link.Target):
			a.speaks(l, ofEntity, "[["+link.Target+"]]", link.Target)
		}
	}
	for row := range a.mentions(l.Title) {
		a.entity(l, row, true)
	}
	for row, sentences := range a.mentions(l.text.Prose()) {
		if sentences >= 2 {
			a.entity(l, row, false)
		}
	}
}

// mentions counts in how many sentences of a text each page is named.
func (a *about) mentions(s string) map[uint32]int {
	often := map[uint32]int{}
	for _, at := range text.Sentences(s) {
		for _, seed := range a.of.graph.Seeds(s[at.Start:at.End]) {
			if !seed.Ambiguous() {
				often[seed.Nodes[0]]++
			}
		}
	}
	return often
}

func (a *about) isEntity(row uint32) bool {
	p := a.v.Page(row)
	return p.Type == "entity" && p.Agent == "" && !page.Retired(p.Status)
}

// isName reports what a page that is not there might be called.
func isName(target string) bool {
	return target != "" && len(target) <= 60 && !strings.ContainsAny(target, "/\\@") && text.Width(target) >= 3
}

// entity notes that a page speaks of another, if that is an entity; in its title, also of a
// person.
func (a *about) entity(l *learned, row uint32, titled bool) {
	p := a.v.Page(row)
	if !a.isEntity(row) || !titled && a.isPerson(&p) || !linkable(p.Path) {
		return
	}
	a.speaks(l, ofEntity, "[["+strings.TrimSuffix(string(p.Path), ".md")+"]]", p.Title)
}

func (a *about) isPerson(p *index.Page) bool {
	words := append(strings.Split(path.Dir(string(p.Path)), "/"), p.Tags...)
	return slices.ContainsFunc(words, func(w string) bool { return a.lex.KindOf(text.Fold(w)) == graph.PersonKind })
}

// places notes the issue of a page and its tags. A tag that is the name of an entity means
// that.
func (a *about) places(l *learned) {
	if source, issue, ok := issueOf(l.Path); ok {
		a.speaks(l, ofIssue, "issue "+source+"/"+issue, source+"/"+issue)
	}
	for _, tag := range l.Tags {
		if rows := a.v.Resolve(tag); len(rows) == 1 && a.v.Page(rows[0]).Type == "entity" {
			a.entity(l, rows[0], false)
			continue
		}
		if l.Source != "" && isSubjectTag(tag, l.Source) {
			a.speaks(l, ofTag, "tag "+l.Source+"/"+text.Fold(tag), tag+" ("+l.Source+")")
		}
	}
}

// issueOf reads sources/<source>/issues/<issue>/…
func issueOf(p page.Path) (source, issue string, ok bool) {
	parts := strings.Split(string(p), "/")
	if len(parts) < 5 || parts[0] != "sources" || parts[2] != "issues" {
		return "", "", false
	}
	return parts[1], parts[3], true
}

// isSubjectTag leaves out tags that tell what a page is, not what it is about.
func isSubjectTag(tag, source string) bool {
	t := text.Fold(tag)
	return t != text.Fold(source) && !plainTags[t] && strings.IndexFunc(t, func(r rune) bool { return r < '0' || r > '9' }) >= 0
}

// plainTags besides are what compile puts on pages: buckets and outcomes.
var plainTags = setOf(`lesson lessons decision decisions requirement note notes experience skill entity fact session adr rfc postmortem
	post-mortem retro retrospective learning learnings learned todo done draft important misc other general preference shortcut place
	environment success partial fail failed uncertain remember
	教训 经验 决定 决策 需求 笔记 复盘 总结 重要 其他 待办 草稿`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// choose gives the subjects that have an experience, and those that deserve one.
func (a *about) choose(taken []string, least int) []*subject {
	covered := map[*learned]bool{}
	var out []*subject
	accept := func(s *subject) {
		for _, l := range s.members {
			covered[l] = true
		}
		out = append(out, s)
	}
	ids := map[string]bool{}
	for _, key := range taken {
		if word, ok := strings.CutPrefix(key, "word "); ok {
			a.ofWord(word)
		}
		if s := a.known[a.id(key)]; s != nil && !ids[a.id(key)] && len(s.members) >= least {
			accept(s)
		}
		ids[a.id(key)] = true
	}
	var fresh []*subject
	for id, s := range a.known {
		if !ids[id] && len(s.members) >= least {
			fresh = append(fresh, s)
		}
	}
	slices.SortFunc(fresh, func(x, y *subject) int {
		return cmp.Or(cmp.Compare(len(x.members), len(y.members)), cmp.Compare(x.kind, y.kind), cmp.Compare(x.key, y.key))
	})
	for _, s := range fresh {
		if uncovered(s, covered) >= least {
			accept(s)
		}
	}
	for _, s := range a.words(covered, least) {
		if !ids[a.id(s.key)] && uncovered(s, covered) >= least {
			accept(s)
		}
	}
	slices.SortFunc(out, func(x, y *subject) int { return cmp.Compare(x.key, y.key) })
	return out
}

func uncovered(s *subject, covered map[*learned]bool) (n int) {
	for _, l := range s.members {
		if !covered[l] {
			n++
		}
	}
	return n
}
