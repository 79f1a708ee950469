package dream

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"brain/graph"
	"brain/index"
	"brain/page"
	"brain/text"
)

// Claims are compared within buckets: of those who speak of one entity, else of one subject,
// one metric, else of those who share a rare word. So the work grows with the number of
// claims and not with its square, and what is said of two people never meets.
//
//	entity   a page whose name stands in the text, or to which a link in it leads
//	subject  whose page it is, where the text does not say of whom it speaks
//	metric   of a fact
//	word     one of the four rarest of the claim that another claim has, too
//
// A claim lies in several buckets; a pair of claims belongs to one of them alone, its home:
// the first that both have, in the order of the table. When that bucket is looked at, all
// that is known of the pair is decided.

// bucket is what its claims have in common.
type bucket struct {
	key    string // stays the same from night to night
	name   string // as people read it; "" for words
	claims []*claim
	lookup *lookup // nil until it is looked at
}

// isEntity reports whether the claims speak of one thing that has a name.
func (b *bucket) isEntity() bool { return strings.HasPrefix(b.key, entityKey) }

// buckets of claims by their keys.
type buckets struct {
	of    *entities
	all   map[string]*bucket
	rarer map[uint64]int // how many claims have a word
}

const (
	rareWords = 4   // of a claim by which it is found
	mostRare  = 200 // claims of a word that tells something
)

func sortIntoBuckets(claims []*claim, of *entities) *buckets {
	b := &buckets{of: of, all: map[string]*bucket{}, rarer: map[uint64]int{}}
	for _, c := range claims {
		for _, w := range c.words {
			b.rarer[w]++
		}
	}
	for _, c := range claims {
		for _, key := range b.keys(c) {
			in := b.all[key]
			if in == nil {
				in = &bucket{key: key, name: b.name(key, c)}
				b.all[key] = in
			}
			in.claims = append(in.claims, c)
			c.in = append(c.in, in)
		}
	}
	maps.DeleteFunc(b.all, func(_ string, b *bucket) bool { return len(b.claims) < 2 })
	return b
}

// keys are the buckets of a claim, the most telling first.
func (b *buckets) keys(c *claim) (keys []string) {
	for _, row := range c.names {
		keys = append(keys, entityKey+string(b.of.view.PathOf(row)))
	}
	if c.Subject != "" {
		keys = append(keys, subjectKey+c.Subject)
	}
	if c.Slot.Metric != "" {
		keys = append(keys, metricKey+text.Fold(c.Slot.Metric))
	}
	var rare []uint64
	for _, w := range c.words {
		if n := b.rarer[w]; n > 1 && n <= mostRare {
			rare = append(rare, w)
		}
	}
	slices.SortFunc(rare, func(x, y uint64) int { return cmp.Or(b.rarer[x]-b.rarer[y], cmp.Compare(x, y)) })
	for _, w := range rare[:min(rareWords, len(rare))] {
		keys = append(keys, fmt.Sprintf("%s%016x", wordKey, w))
	}
	return keys
}

const (
	entityKey  = "e:"
	subjectKey = "s:"
	metricKey  = "m:"
	wordKey    = "w:"
)

// name is what a pair of the bucket speaks of.
func (b *buckets) name(key string, c *claim) string {
	kind, rest := key[:len(entityKey)], key[len(entityKey):]
	switch kind {
	case entityKey:
		row, _ := b.of.view.Lookup(page.Path(rest))
		return b.of.title(row)
	case subjectKey:
		return rest
	case metricKey:
		return c.Slot.Metric
	}
	return ""
}

// home is the bucket to which two claims belong as a pair, nil when they never meet.
func home(x, y *claim) *bucket {
	if x.key > y.key { // whoever comes first
		x, y = y, x
	}
	for _, in := range x.in {
		if slices.Contains(y.in, in) {
			return in
		}
	}
	return nil
}

// inTurn gives the buckets in the order of their keys, from the one behind a key on, round.
func (b *buckets) inTurn(after string) []*bucket {
	keys := slices.Sorted(maps.Keys(b.all))
	i, found := slices.BinarySearch(keys, after)
	if found {
		i++
	}
	out := make([]*bucket, 0, len(keys))
	for _, key := range slices.Concat(keys[i:], keys[:i]) {
		out = append(out, b.all[key])
	}
	return out
}

// entities are the pages that are about something which has a name.
type entities struct {
	view  *index.View
	names *index.Linked // as everybody sees them
	graph *graph.Graph
	by    map[string][]uint32 // folded name → pages
	start map[string]bool     // how names begin
	are   map[uint32]bool
}

func newEntities(v *index.View) *entities {
	of := &entities{view: v, names: v.For(""), by: map[string][]uint32{}, start: map[string]bool{}, are: map[uint32]bool{}}
	of.graph = graph.New(of)
	for row := range v.All {
		p := v.Page(row)
		if p.Agent == "" && p.Ranked && isAbout(&p) {
			of.are[row] = true
		}
	}
	for row := range v.All {
		p := v.Page(row)
		if !of.are[row] && p.Redirect == "" {
			continue
		}
		for _, name := range append([]string{p.Path.Stem(), p.Slug, p.Title}, p.Aliases...) {
			of.learn(text.Fold(name))
		}
	}
	return of
}

// learn notes which entities bear a name.
func (of *entities) learn(name string) {
	if _, known := of.by[name]; known || name == "" {
		return
	}
	rows := slices.DeleteFunc(of.names.Resolve(name), func(row uint32) bool { return !of.are[row] })
	of.by[name] = rows
	if len(rows) > 0 {
		of.start[graph.Start(name)] = true
	}
}

// isAbout reports whether a page's name is that of a thing: an entity's always, that of a
// text where it is short. A decision is called by what it decides.
func isAbout(p *index.Page) bool {
	switch p.Type {
	case "decision", "lesson", "requirement", "experience", "skill", "session", "fact":
		return false
	case "note":
		return shortName(p.Title)
	}
	return true
}

func shortName(title string) bool {
	const words, characters = 2, 4
	han := 0
	for _, r := range title {
		switch {
		case text.IsCJK(r):
			han++
		case unicode.IsDigit(r):
			return false // the title of a day, of a meeting
		}
	}
	return han <= characters && (han > 0 || len(strings.Fields(title)) <= words)
}

// Nodes, Edges, Resolve and Starts are what graph.Seeds asks of names.
func (of *entities) Nodes() int { return of.view.Nodes() }

func (of *entities) Edges(uint32, bool, func(uint32, string, int) bool) {}

func (of *entities) Resolve(name string) []uint32 { return of.by[name] }

func (of *entities) Starts(start string) bool { return of.start[start] }

// title is an entity as people call it.
func (of *entities) title(row uint32) string { return of.view.Page(row).Title }

// find notes what a claim speaks of: what it names and what links in it lead to, else whose
// page it stands on.
func (of *entities) find(c *claim) {
	add := func(row uint32) {
		if of.are[row] && !slices.Contains(c.names, row) {
			c.names = append(c.names, row)
		}
	}
	for _, seed := range of.graph.Seeds(c.Text) {
		if !seed.Ambiguous() {
			add(seed.Nodes[0])
		}
	}
	for _, l := range c.links {
		for _, name := range l.Candidates(c.from.path) {
			if rows := of.names.Resolve(name); len(rows) == 1 {
				add(rows[0])
				break
			}
		}
	}
	if c.Subject != "" && c.from.entity {
		add(c.from.row)
	}
	c.links = nil
}

// isNamed reports whether a text names an entity.
func (of *entities) isNamed(row uint32, s string) bool {
	p := of.view.Page(row)
	s = text.Fold(s)
	return slices.ContainsFunc(append([]string{p.Title, p.Slug}, p.Aliases...), func(name string) bool {
		return name != "" && strings.Contains(s, text.Fold(name))
	})
}
