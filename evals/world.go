package evals

import (
	"fmt"
	"slices"
)

// The world is a notebook of 300 linked pages that never existed: people,
// companies, funds, projects, teams, meetings, decisions, documents and loose
// notes, half English and half Chinese. Dice decide who works where, who paid
// for what and how a page words it; what they decided is kept beside the pages,
// so that the answer to "who advises X" is known and not guessed.
//
// The demo brain is too small to tell a rule that reads from a rule that
// remembers: every sentence of it has been looked at while the rules were
// written. Here there are enough pages that name the same people without the
// relation, and pages that deny it, for a careless rule to be wrong.
//
// The same seed gives the same bytes everywhere: the dice are our own
// (splitmix64), and no map is walked.

// WorldSeed is the seed of the world that testdata/relations asks about.
const WorldSeed = 20260214

// WorldTree is a generated brain and what is true in it.
type WorldTree struct {
	Pages     map[string][]byte // by path relative to the brain
	Relations []Relation        // what the pages say, in the order they say it
	Denied    []Relation        // what a page says is not so, or no longer so
}

// Relation is one edge and the page that states it. A person decided a
// decision, attended a meeting and works at a company; a document is
// produced_by a person. A link without more is a mention by its page.
type Relation struct {
	From, Type, To string // paths
	Page           string // the page that says it
}

func (r Relation) String() string {
	return fmt.Sprintf("%s %s %s (%s)", r.From, r.Type, r.To, r.Page)
}

// World generates the pages of a seed.
func World(seed uint64) *WorldTree {
	w := &world{dice: dice{seed}, bySlug: map[string]*thing{}, tree: &WorldTree{Pages: map[string][]byte{}}, decks: map[string]*deck{}}
	w.populate()
	for _, lang := range languages {
		w.employ(lang)
	}
	w.invest()
	w.advise()
	w.build()
	w.meet()
	w.decide()
	w.document()
	w.deny()
	w.gossip()
	for _, t := range w.things {
		w.tree.Pages[t.path] = w.render(t)
	}
	for _, r := range redirects {
		w.tree.Pages[r[0]] = fmt.Appendf(nil, "---\ntitle: %s\nschema_type: entity\nstatus: merged\nredirect: %s\n---\n", r[1], r[2])
	}
	return w.tree
}

var languages = []string{"en", "zh"}

// dice are a splitmix64 generator.
type dice struct{ state uint64 }

func (d *dice) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// n is one of 0 … k-1.
func (d *dice) n(k int) int { return int(d.next() % uint64(k)) }

// oneIn is true once in k throws.
func (d *dice) oneIn(k int) bool { return d.n(k) == 0 }

func pick[T any](d *dice, xs []T) T { return xs[d.n(len(xs))] }

// shuffled is a copy in random order.
func shuffled[T any](d *dice, xs []T) []T {
	out := slices.Clone(xs)
	for i := len(out) - 1; i > 0; i-- {
		j := d.n(i + 1)
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// deck deals the cards of a pool evenly before it is shuffled again.
type deck struct{ left []string }

func (w *world) deal(name string, pool []string) string {
	k := w.decks[name]
	if k == nil {
		k = &deck{}
		w.decks[name] = k
	}
	if len(k.left) == 0 {
		k.left = shuffled(&w.dice, pool)
	}
	card := k.left[0]
	k.left = k.left[1:]
	return card
}

// dealAll deals several different cards.
func (w *world) dealAll(name string, pool []string, k int) []string {
	var out []string
	for len(out) < k {
		if card := w.deal(name, pool); !slices.Contains(out, card) {
			out = append(out, card)
		}
	}
	return out
}

// thing is what a page is about, and the page while it is being written.
type thing struct {
	folder, lang      string
	slug, name, other string
	aliases           []string
	domain            int
	she               bool
	path              string
	date              string // a meeting's

	says   []string // statements in prose
	lists  []string // statements in list form
	links  []string // front matter: path and type
	people []*thing // a company's or project's people
	parent *thing   // a project's or team's company
	boss   *thing   // a person's company
}

type world struct {
	dice
	things []*thing
	bySlug map[string]*thing
	decks  map[string]*deck
	tree   *WorldTree
}

func (w *world) add(t *thing) *thing {
	t.path = t.folder + "/" + t.slug + ".md"
	w.things = append(w.things, t)
	w.bySlug[t.slug] = t
	return t
}

// populate makes the things of the tables; meetings are added when they are held.
func (w *world) populate() {
	for i, rows := range [][]personRow{peopleEN, peopleZH} {
		for _, r := range rows {
			w.add(&thing{folder: "people", lang: languages[i], slug: r.slug, name: r.name, other: r.other, aliases: r.aliases, she: r.she, domain: w.n(domains)})
		}
	}
	for _, tab := range []struct {
		folder string
		en, zh []nameRow
	}{
		{"companies", companiesEN, companiesZH},
		{"funds", fundsEN, fundsZH},
		{"projects", projectsEN, projectsZH},
		{"teams", teamsEN, teamsZH},
		{"decisions", decisionsEN, decisionsZH},
		{"documents", docsEN, docsZH},
		{"notes", notesEN, notesZH},
	} {
		for i, rows := range [][]nameRow{tab.en, tab.zh} {
			for _, r := range rows {
				w.add(&thing{folder: tab.folder, lang: languages[i], slug: r.slug, name: r.name, other: r.latin, aliases: r.aliases, domain: r.domain})
			}
		}
	}
}

// all are the things of a folder that pass, in the order of the tables.
func (w *world) all(folder string, pass ...func(*thing) bool) []*thing {
	var out []*thing
	for _, t := range w.things {
		if t.folder == folder && !slices.ContainsFunc(pass, func(f func(*thing) bool) bool { return !f(t) }) {
			out = append(out, t)
		}
	}
	return out
}

func speaks(lang string) func(*thing) bool { return func(t *thing) bool { return t.lang == lang } }
func trading(domain int) func(*thing) bool { return func(t *thing) bool { return t.domain == domain } }

// employ gives the people of a language their places: partners of funds,
// founders of companies, staff. Six stay free; they become advisers.
func (w *world) employ(lang string) {
	pool := shuffled(&w.dice, w.all("people", speaks(lang)))
	for _, f := range w.all("funds", speaks(lang)) {
		w.hire(f, pool[0])
		pool = pool[1:]
	}
	free := len(pool) - 6
	pool = pool[:free]
	companies := w.all("companies", speaks(lang))
	var serial *thing
	for i, c := range companies {
		founders := pool[:1+i%2]
		pool = pool[len(founders):]
		if i%5 == 3 && serial != nil {
			founders = append(slices.Clone(founders), serial)
		}
		serial = founders[0]
		w.stateEach("founded", founders, c)
		for _, p := range founders {
			if p.boss == nil && !w.oneIn(3) {
				w.hire(c, p)
			} else {
				c.people = append(c.people, p)
			}
		}
	}
	abroad := w.all("companies", func(t *thing) bool { return t.lang != lang })
	for i, p := range pool {
		c := companies[i%len(companies)]
		if w.oneIn(7) {
			c = pick(&w.dice, abroad)
		}
		w.hire(c, p)
	}
}

func (w *world) hire(at *thing, p *thing) {
	p.boss, p.domain = at, at.domain
	at.people = append(at.people, p)
	w.state("works_at", []*thing{p}, []*thing{at})
}

// invest finds each company one to three backers; some are persons.
func (w *world) invest() {
	funds := w.all("funds")
	angels := shuffled(&w.dice, w.all("people"))[:6]
	bets := map[*thing][]*thing{}
	for i, c := range w.all("companies") {
		backers := shuffled(&w.dice, funds)[:1+w.n(3)]
		if i%4 == 1 {
			backers = append(backers, angels[i/4])
		}
		if w.oneIn(2) {
			w.state("invested_in", backers, []*thing{c})
			continue
		}
		for _, b := range backers {
			bets[b] = append(bets[b], c)
		}
	}
	for _, b := range append(funds, angels...) {
		w.stateAll("invested_in", b, bets[b])
	}
}

// advise spreads those without a place over companies and projects.
func (w *world) advise() {
	for _, p := range w.all("people", func(t *thing) bool { return t.boss == nil }) {
		seats := shuffled(&w.dice, w.all("companies"))[:1+w.n(3)]
		if w.oneIn(3) {
			seats = append(seats, pick(&w.dice, w.all("projects")))
		}
		seats = slices.DeleteFunc(seats, func(c *thing) bool { return slices.Contains(c.people, p) })
		if len(seats) > 0 {
			p.domain = seats[0].domain
		}
		w.stateAll("advises", p, seats)
	}
}

// build gives projects and teams a company and people.
func (w *world) build() {
	home := func(t *thing) *thing {
		c := pick(&w.dice, append(w.all("companies", trading(t.domain), speaks(t.lang)), w.all("companies", trading(t.domain))...))
		t.parent = c
		w.state("belongs_to", []*thing{t}, []*thing{c})
		return c
	}
	for _, p := range w.all("projects") {
		crew := shuffled(&w.dice, home(p).people)
		crew = crew[:min(len(crew), 1+w.n(3))]
		if w.oneIn(3) {
			if guest := pick(&w.dice, w.all("people")); !slices.Contains(crew, guest) {
				crew = append(crew, guest)
			}
		}
		p.people = crew
		w.stateEach("works_on", crew, p)
	}
	for _, t := range w.all("teams") {
		crew := shuffled(&w.dice, home(t).people)
		t.people = crew[:min(len(crew), 2+w.n(2))]
		w.stateEach("belongs_to", t.people, t)
		if ps := w.all("projects", func(p *thing) bool { return p.parent == t.parent }); len(ps) > 0 {
			w.state("works_on", []*thing{t}, []*thing{pick(&w.dice, ps)})
		}
	}
}

// meet holds thirty meetings: ten boards, twenty about a project.
func (w *world) meet() {
	companies, projects := shuffled(&w.dice, w.all("companies")), shuffled(&w.dice, w.all("projects"))
	for i := range 30 {
		year, month, day := 2025, 1+i%12, 1+w.n(28)
		m := &thing{folder: "meetings", date: fmt.Sprintf("%04d-%02d-%02d", year, month, day)}
		var about *thing
		if i < 10 {
			about = companies[i]
			m.name = fmt.Sprintf("Board meeting of %s, %s %d", about.name, monthsEN[month-1], year)
			if about.lang == "zh" {
				m.name = fmt.Sprintf("%s%d年%d月董事会", about.name, year, month)
			}
			m.slug = m.date + "-" + about.slug + "-board"
		} else {
			about = projects[i-10]
			en, zh, word := "Design review of %s, %s %d", "%s%d年%d月评审会", "review"
			if i%2 == 0 {
				en, zh, word = "Kick-off of %s, %s %d", "%s%d年%d月启动会", "kickoff"
			}
			m.name = fmt.Sprintf(en, about.name, monthsEN[month-1], year)
			if about.lang == "zh" {
				m.name = fmt.Sprintf(zh, about.name, year, month)
			}
			m.slug = m.date + "-" + about.slug + "-" + word
		}
		m.lang, m.domain = about.lang, about.domain
		w.add(m)
		present := append(slices.Clone(about.people), shuffled(&w.dice, w.all("people"))[:2+w.n(2)]...)
		present = unique(shuffled(&w.dice, present))
		present, absent := present[1:], present[0]
		w.concern(m, about)
		m.people = present
		if len(present) > 3 && w.oneIn(2) {
			w.state("attended", present[:1], []*thing{m})
			present = present[1:]
		}
		w.state("attended", present, []*thing{m})
		w.refuse("attended", absent, m)
	}
}

func unique(ts []*thing) []*thing {
	var out []*thing
	for _, t := range ts {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// decide has somebody of a project decide; half of the decisions belong to it.
func (w *world) decide() {
	for _, d := range w.all("decisions") {
		p := pick(&w.dice, append(w.all("projects", trading(d.domain), speaks(d.lang)), w.all("projects", trading(d.domain))...))
		d.people = shuffled(&w.dice, p.people)[:min(len(p.people), 1+w.n(2))]
		w.state("decided", d.people, []*thing{d})
		if w.oneIn(2) {
			w.state("belongs_to", []*thing{d}, []*thing{p})
		} else {
			w.concern(d, p)
		}
		if docs := w.all("documents", trading(d.domain)); w.oneIn(2) {
			w.state("references", []*thing{d}, []*thing{pick(&w.dice, docs)})
		}
	}
}

// document has people of the trade write, and cite each other.
func (w *world) document() {
	for _, d := range w.all("documents") {
		authors := shuffled(&w.dice, w.all("people", trading(d.domain)))[:1+w.n(2)]
		d.people = authors
		w.stateAll("produced_by", d, authors)
		others := shuffled(&w.dice, w.all("documents", func(t *thing) bool { return t != d }))
		w.stateAll("references", d, others[:1+w.n(2)])
	}
}

// deny writes down what is not so: who left, who said no, who never did.
func (w *world) deny() {
	companies, people := w.all("companies"), w.all("people")
	for _, p := range people {
		if w.oneIn(3) {
			w.refuse("works_at", p, pick(&w.dice, companies))
		}
		if w.oneIn(8) {
			w.refuse("advises", p, pick(&w.dice, companies))
		}
		if w.oneIn(8) {
			w.refuse("founded", p, pick(&w.dice, companies))
		}
		if w.oneIn(6) {
			w.refuse("works_on", p, pick(&w.dice, w.all("projects")))
		}
	}
	for _, f := range w.all("funds") {
		w.refuse("invested_in", f, pick(&w.dice, companies))
		w.refuse("invested_in", f, pick(&w.dice, companies))
	}
	for _, t := range w.all("teams") {
		w.refuse("belongs_to", t, pick(&w.dice, companies))
	}
	for _, d := range w.all("decisions") {
		w.refuse("decided", pick(&w.dice, people), d)
	}
	for _, d := range w.all("documents") {
		if w.oneIn(2) {
			w.refuse("produced_by", d, pick(&w.dice, people))
		}
	}
}

// gossip links pages that have nothing to do with each other.
func (w *world) gossip() {
	named := slices.Concat(w.all("people"), w.all("people"), w.all("companies"), w.all("projects"), w.all("funds"), w.all("teams"))
	for _, t := range w.things {
		k := w.n(3)
		if t.folder == "notes" {
			k = 2 + w.n(3)
			w.stateAll("mentions", t, unique(shuffled(&w.dice, w.all("people"))[:3+w.n(2)]))
		}
		for range k {
			if o := pick(&w.dice, named); o != t && !w.linked(t, o) {
				w.state("mentions", []*thing{t}, []*thing{o})
			}
		}
	}
}

// linked is true if a page links the other already.
func (w *world) linked(t, o *thing) bool {
	hit := func(r Relation) bool { return r.Page == t.path && (r.From == o.path || r.To == o.path) }
	return slices.ContainsFunc(w.tree.Relations, hit) || slices.ContainsFunc(w.tree.Denied, hit)
}

// stateAll states one subject's relations, now and then in one sentence.
func (w *world) stateAll(typ string, from *thing, to []*thing) {
	if len(to) > 1 && len(w.words(from.lang, typ).many) > 0 && (typ == "mentions" || w.oneIn(2)) {
		w.state(typ, []*thing{from}, to)
		return
	}
	for _, o := range to {
		w.state(typ, []*thing{from}, []*thing{o})
	}
}

// stateEach states the relation of several subjects: in one sentence of the
// object's page, or each by itself.
func (w *world) stateEach(typ string, from []*thing, to *thing) {
	if w.oneIn(2) {
		w.state(typ, from, []*thing{to})
		return
	}
	for _, f := range from {
		w.state(typ, []*thing{f}, []*thing{to})
	}
}
