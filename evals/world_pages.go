package evals

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// How a relation gets onto a page, and how a page becomes Markdown.

func (w *world) words(lang, typ string) phrases {
	if lang == "zh" {
		return phrasesZH[typ]
	}
	return phrasesEN[typ]
}

// state says that from relate to to, one of which is single. It chooses the
// page and the form: front matter, list, or a sentence.
func (w *world) state(typ string, from, to []*thing) {
	if len(from) == 0 || len(to) == 0 {
		return
	}
	page, form := w.place(typ, from, to)
	for _, f := range from {
		for _, t := range to {
			w.tree.Relations = append(w.tree.Relations, Relation{f.path, typ, t.path, page.path})
		}
	}
	others := to
	if page == to[0] {
		others = from
	}
	p := w.words(page.lang, typ)
	switch form {
	case "matter":
		for _, o := range others {
			page.links = append(page.links, "  - to: "+o.path+"\n    type: "+typ)
		}
	case "list":
		for _, o := range others {
			page.lists = append(page.lists, "- "+typ+" [["+w.target(page, o)+"]]")
		}
	case "subject":
		sentences := p.subject
		if len(others) > 1 {
			sentences = p.many
		}
		page.says = append(page.says, w.sentence(pick(&w.dice, sentences), 2021, page, w.self(page), w.enumerate(page, others)))
	case "object":
		sentences := p.object
		if len(others) > 1 || len(sentences) == 0 {
			sentences = p.joint
		}
		page.says = append(page.says, w.sentence(pick(&w.dice, sentences), 2021, page, w.enumerate(page, others), page.short()))
	}
}

// place chooses the page that says it and the form.
func (w *world) place(typ string, from, to []*thing) (page *thing, form string) {
	switch {
	case typ == "mentions" && w.oneIn(8):
		return from[0], "matter"
	case typ == "mentions":
		return from[0], "subject"
	case typ == "decided" && w.oneIn(3):
		return to[0], "matter" // as a decision names who decided
	case typ == "decided" && (len(from) > 1 || w.oneIn(2)), len(from) > 1, typ == "attended" && w.oneIn(2):
		return to[0], "object"
	}
	switch w.n(10) {
	case 0, 1:
		return from[0], "matter"
	case 2, 3:
		return from[0], "list"
	case 4, 5, 6:
		if len(to) == 1 && len(w.words(to[0].lang, typ).object) > 0 {
			return to[0], "object"
		}
	}
	return from[0], "subject"
}

// concern says what a meeting or a decision is about: a mention, in plainer words.
func (w *world) concern(page, o *thing) {
	w.tree.Relations = append(w.tree.Relations, Relation{page.path, "mentions", o.path, page.path})
	page.says = append(page.says, w.sentence(pick(&w.dice, w.words(page.lang, "concerns").subject), 2021, page, "", w.link(page, o)))
}

// refuse denies a relation on the page where it would stand, unless it holds.
func (w *world) refuse(typ string, from, to *thing) {
	holds := func(r Relation) bool { return r.From == from.path && r.Type == typ && r.To == to.path }
	if slices.ContainsFunc(w.tree.Relations, holds) {
		return
	}
	page, other := from, to
	p := w.words(page.lang, typ)
	sentences := p.denied
	if len(p.absent) > 0 {
		page, other = to, from
		sentences = w.words(page.lang, typ).absent
	}
	w.tree.Denied = append(w.tree.Denied, Relation{from.path, typ, to.path, page.path})
	s, o := w.self(page), w.link(page, other)
	if page == to {
		s, o = o, page.short()
	}
	page.says = append(page.says, w.sentence(pick(&w.dice, sentences), 2016, page, s, o))
}

// sentence fills a sentence; its year is one of the five from since on.
func (w *world) sentence(s string, since int, page *thing, subject, object string) string {
	roles := rolesEN
	if page.lang == "zh" {
		roles = rolesZH
	}
	pronoun, poss := "he", "his"
	if page.she {
		pronoun, poss = "she", "her"
	}
	return strings.NewReplacer("{S}", subject, "{O}", object, "{s}", pronoun, "{poss}", poss,
		"{year}", strconv.Itoa(since+w.n(5)), "{role}", w.deal("roles "+page.lang, roles)).Replace(s)
}

// self is how a page speaks of its own subject.
func (w *world) self(t *thing) string {
	switch {
	case t.folder != "people" || len(t.says) == 0 || w.oneIn(2):
		return t.short()
	case t.lang == "zh" && t.she:
		return "她"
	case t.lang == "zh":
		return "他"
	case t.she:
		return "She"
	}
	return "He"
}

// short is a name without the suffix where the page declares it.
func (t *thing) short() string {
	if t.folder == "companies" && len(t.aliases) > 0 {
		return t.aliases[0]
	}
	return t.name
}

// called is a thing's name in a language.
func (t *thing) called(lang string) string {
	if t.lang != lang && t.other != "" {
		return t.other
	}
	return t.name
}

func (w *world) enumerate(page *thing, ts []*thing) string {
	var b strings.Builder
	comma, and := ", ", " and "
	if page.lang == "zh" {
		comma, and = "、", "和"
	}
	for i, t := range ts {
		switch {
		case i > 0 && i == len(ts)-1:
			b.WriteString(and)
		case i > 0:
			b.WriteString(comma)
		}
		b.WriteString(w.link(page, t))
	}
	return b.String()
}

// link is a wikilink as somebody would write it on that page.
func (w *world) link(page, t *thing) string {
	label := t.called(page.lang)
	switch w.n(8) {
	case 0:
		return "[[" + t.folder + "/" + t.slug + "|" + label + "]]"
	case 1, 2:
		if page.lang == t.lang {
			return "[[" + t.name + "]]"
		}
	case 3:
		if page.lang == t.lang && len(t.aliases) > 0 {
			return "[[" + t.aliases[0] + "]]"
		}
	}
	return "[[" + t.slug + "|" + label + "]]"
}

// target names a thing in list form: by file name or title.
func (w *world) target(page, t *thing) string {
	if page.lang == t.lang && w.oneIn(2) {
		return t.name
	}
	return t.slug
}

// render puts a page together: front matter, title, an opening paragraph,
// ordinary ones with the statements strewn in, the list.
func (w *world) render(t *thing) []byte {
	kinds, trade, places, months, gap := kindEN, textEN, placesEN, monthsEN, " "
	if t.lang == "zh" {
		kinds, trade, places, months, gap = kindZH, textZH, placesZH, monthsZH, ""
	}
	fill := func(s string) string {
		return strings.NewReplacer("{n}", strconv.Itoa(3+w.n(87)), "{place}", pick(&w.dice, places), "{month}", pick(&w.dice, months)).Replace(s)
	}
	var says []string
	for _, s := range slices.Concat(
		w.dealAll(t.folder+t.lang, kinds[t.folder], 5+w.n(3)),
		w.dealAll(t.lang+strconv.Itoa(t.domain), trade[t.domain], 4+w.n(4)),
	) {
		says = append(says, fill(s))
	}
	for _, s := range t.says {
		says = slices.Insert(says, w.n(len(says)+1), s)
	}
	cut := len(says)/3 + w.n(2)
	var b strings.Builder
	w.matter(&b, t)
	fmt.Fprintf(&b, "\n# %s\n\n%s\n", t.name, strings.Join(append([]string{t.opening()}, says[:cut]...), gap))
	if len(t.lists) > 0 {
		fmt.Fprintf(&b, "\n%s\n", strings.Join(t.lists, "\n"))
	}
	for part := range slices.Chunk(says[cut:], max(1, (len(says)-cut+1)/2)) {
		fmt.Fprintf(&b, "\n%s\n", strings.Join(part, gap))
	}
	return []byte(b.String())
}

// matter writes the front matter.
func (w *world) matter(b *strings.Builder, t *thing) {
	kind := map[string]string{"decisions": "decision", "documents": "note", "notes": "note", "meetings": "note"}[t.folder]
	if kind == "" {
		kind = "entity"
	}
	day := t.date
	if day == "" {
		day = fmt.Sprintf("%d-%02d-%02d", 2024+w.n(2), 1+w.n(12), 1+w.n(28))
	}
	tag := tradesEN[t.domain]
	if t.lang == "zh" {
		tag = tradesZH[t.domain]
	}
	fmt.Fprintf(b, "---\ntitle: %q\nschema_type: %s\nstatus: active\ncreated_at: \"%sT09:%02d:00+08:00\"\ntags:\n  - %s\n  - %s\n", t.name, kind, day, w.n(60), t.folder, tag)
	if names := t.allAliases(); len(names) > 0 {
		b.WriteString("aliases:\n")
		for _, a := range names {
			fmt.Fprintf(b, "  - %q\n", a)
		}
	}
	if len(t.links) > 0 {
		fmt.Fprintf(b, "links:\n%s\n", strings.Join(t.links, "\n"))
	}
	b.WriteString("---\n")
}

// allAliases are the aliases and the name in the other language.
func (t *thing) allAliases() []string {
	if t.other == "" {
		return t.aliases
	}
	return append([]string{t.other}, t.aliases...)
}

// opening is a page's first sentence, which says what it is about.
func (t *thing) opening() string {
	en := map[string]string{
		"people":    "%s is a name one hears wherever people talk about %s.",
		"companies": "%s is a company in the trade of %s.",
		"funds":     "%s is a fund with an eye on %s.",
		"projects":  "%s is a system for %s.",
		"teams":     "%s is a small team that cares about %s.",
		"decisions": "%s. This settles an old dispute about %s.",
		"documents": "%s: what we know about %s.",
		"meetings":  "%s. On the agenda: %s.",
		"notes":     "%s, with some %s.",
	}
	zh := map[string]string{
		"people":    "说到%[2]s，总会有人提起%[1]s。",
		"companies": "%s是一家做%s的公司。",
		"funds":     "%s是一只关注%s的基金。",
		"projects":  "%s是一个用于%s的系统。",
		"teams":     "%s是一个小组，关心%s。",
		"decisions": "%s。关于%s的争论到此为止。",
		"documents": "%s，讲的是%s。",
		"meetings":  "%s。议题是%s。",
		"notes":     "%s，顺带谈到%s。",
	}
	if t.lang == "zh" {
		return fmt.Sprintf(zh[t.folder], t.short(), tradesZH[t.domain])
	}
	return fmt.Sprintf(en[t.folder], t.short(), tradesEN[t.domain])
}
