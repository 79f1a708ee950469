package graph

import (
	"slices"
	"strings"
	"sync"
)

// An English question is read around its relation word. What stands before
// the word and what stands after it say which side is asked for:
//
//	who [founded] Acme                  the doer: nothing but a question word before
//	what did Ann [found]                the object: a helping verb and a name before
//	what was [founded] by Ann           the object: passive, the doer named
//	who was Acme [founded] by           the doer: passive, the object named
//	whose [brainchild] is Acme          the other side of what the noun names
//	Acme's [founders], founders of Acme the side that the noun names
//	which company is Ann the [founder] of   the other side, once more
//	which [teams] does Acme have        the side that the noun names
//
// A preposition that stands in front ("on what does it rest") goes back to its
// verb first. Every word of a question must have a place in its frame; what is
// left over is the name.

type token struct {
	word       string // without punctuation around it, "'s" apart
	start, end int    // in the question, with punctuation
}

// english is a folded question, cut into words.
type english struct {
	*Lexicon
	q    string
	toks []token
}

func (l *Lexicon) readEnglish(q string) []Relation {
	e := &english{Lexicon: l, q: q, toks: tokens(q)}
	e.sinkPreposition()
	found := e.occurrences()
	for _, verbs := range []bool{true, false} {
		for _, o := range found {
			if rs := e.frame(o, verbs); len(rs) > 0 {
				return rs
			}
		}
	}
	return nil
}

func tokens(q string) []token {
	var toks []token
	for i := 0; i < len(q); {
		if q[i] == ' ' {
			i++
			continue
		}
		end := len(q)
		if k := strings.IndexByte(q[i:], ' '); k >= 0 {
			end = i + k
		}
		word := strings.TrimFunc(q[i:end], func(r rune) bool { return strings.ContainsRune(".,:;?!\"()[]“”", r) })
		if stem, ok := strings.CutSuffix(word, "'s"); ok && stem != "" {
			cut := i + strings.Index(q[i:end], stem) + len(stem)
			toks = append(toks, token{stem, i, cut}, token{"'s", cut, end})
		} else if stem, ok := strings.CutSuffix(word, "s'"); ok && stem != "" {
			cut := i + strings.Index(q[i:end], word) + len(word) - 1
			toks = append(toks, token{stem + "s", i, cut}, token{"'s", cut, end})
		} else {
			toks = append(toks, token{word, i, end})
		}
		i = end
	}
	return toks
}

// sinkPreposition turns "on what does X rest" into "what does X rest on".
func (e *english) sinkPreposition() {
	if len(e.toks) > 2 && prepositions()[e.toks[0].word] && slices.Contains([]string{"what", "which", "whom", "whose", "who"}, e.toks[1].word) {
		e.toks = append(e.toks[1:len(e.toks):len(e.toks)], e.toks[0])
	}
}

// occurrence is a relation word in the question.
type occurrence struct {
	*term
	before, after []token
	participle    bool
	fellow        bool // co-, fellow
	at            int
}

// occurrences finds the terms of the lexicon, longest phrases first.
func (e *english) occurrences() []occurrence {
	var found []occurrence
	for i, t := range e.toks {
		for _, lemma := range lemmas(t.word) {
			for _, term := range e.english()[lemma] {
				end, gap, ok := e.match(term, i)
				if !ok {
					continue
				}
				o := occurrence{term: term, before: e.toks[:i], at: i, after: slices.Concat(gap, e.toks[end:])}
				o.participle = lemma != t.word && !strings.HasSuffix(t.word, "ing") && !strings.HasSuffix(t.word, "s") || t.word == "named" || t.word == "set" || t.word == "put" || t.word == "run"
				o.fellow = strings.HasPrefix(t.word, "co-") || strings.HasPrefix(lemma, "cofound") || strings.HasPrefix(lemma, "coauth")
				if i > 0 && (o.before[i-1].word == "fellow" || o.before[i-1].word == "other") {
					o.before, o.fellow = o.before[:i-1], o.fellow || o.before[i-1].word == "fellow"
				}
				found = append(found, o)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b occurrence) int { return b.size() - a.size() })
	return found
}

// match tries a phrase at token i; gap is what its _ stands for.
func (e *english) match(t *term, i int) (end int, gap []token, ok bool) {
	i++
	words := t.words()
	for k := 1; k < len(words); k++ {
		w := words[k]
		switch {
		case w == "_" || w == "*":
			most := 3
			if w == "_" {
				most = 8
			}
			from := i
			for i < len(e.toks) && i-from <= most && !e.is(i, words[k+1]) {
				i++
			}
			if i-from > most || i == from && w == "_" {
				return 0, nil, false
			}
			if w == "_" {
				gap = e.toks[from:i]
			}
		default:
			for i < len(e.toks) && !e.is(i, w) && determiners()[e.toks[i].word] {
				i++
			}
			if !e.is(i, w) {
				return 0, nil, false
			}
			i++
		}
	}
	return i, gap, true
}

func (e *english) is(i int, lemma string) bool {
	return i < len(e.toks) && (e.toks[i].word == lemma || slices.Contains(lemmas(e.toks[i].word), lemma))
}

// asking is what stands before a relation word.
type asking struct {
	who     string  // question word; "which" also for "list all companies"
	kind    string  // of the noun that goes with it
	noun    []token // that noun
	aux     string  // helping verb
	name    []token // what is left
	command bool
}

// asking takes apart what stands before a relation word.
func (e *english) asking(toks []token) asking {
	var a asking
	for len(toks) > 0 && commands()[toks[0].word] {
		a.command, toks = true, toks[1:]
	}
	if len(toks) == 0 {
		return a
	}
	switch w := toks[0].word; {
	case w == "who" || w == "whom" || w == "somebody" || w == "someone":
		a.who, a.kind, toks = "who", PersonKind, toks[1:]
	case w == "whose":
		a.who, toks = w, toks[1:]
	case w == "what" || w == "which" || w == "where":
		a.who = w
		toks = e.takeNoun(&a, toks[1:])
	case e.KindOf(w) != "" && (a.command || len(toks) == 1 || len(toks) > 1 && toks[1].word != "of"):
		a.who = "which"
		toks = e.takeNoun(&a, toks)
	}
	if a.who != "" {
		if len(toks) > 0 && (toks[0].word == "that" || toks[0].word == "who" || toks[0].word == "which") {
			toks = toks[1:]
		}
		for len(toks) > 0 && (auxiliaries()[toks[0].word] || adverbs()[toks[0].word] || toks[0].word == "'s") {
			if auxiliaries()[toks[0].word] || toks[0].word == "'s" {
				a.aux = toks[0].word
			}
			toks = toks[1:]
		}
	}
	if a.who == "who" {
		if rest, ok := e.dropPeople(toks); ok {
			a.aux, toks = "", rest
		}
	}
	a.name = trimTokens(toks)
	return a
}

// dropPeople takes "the people that" off: who are the people that built Acme.
func (e *english) dropPeople(toks []token) ([]token, bool) {
	for i, t := range toks {
		if (t.word == "who" || t.word == "that") && i > 0 && i < 3 && e.KindOf(toks[i-1].word) == PersonKind {
			return toks[i+1:], true
		}
	}
	return toks, false
}

// takeNoun takes the noun phrase behind which or what: up to the helping verb,
// or, where there is none, one noun that names a kind of page, or all.
func (e *english) takeNoun(a *asking, toks []token) []token {
	end := slices.IndexFunc(toks, func(t token) bool { return auxiliaries()[t.word] || t.word == "that" || t.word == "who" })
	if end < 0 {
		end = len(toks)
		for i, t := range toks {
			if e.KindOf(t.word) != "" {
				end = i + 1
				break
			}
		}
	}
	if end > 5 {
		return toks
	}
	a.noun = toks[:end]
	for _, t := range a.noun {
		if k := e.KindOf(t.word); k != "" {
			a.kind = k
		}
	}
	return toks[end:]
}

// trimTokens takes helping verbs, articles and adverbs off both ends.
func trimTokens(toks []token) []token {
	light := func(t token) bool { return lightWords()[t.word] || adverbs()[t.word] }
	for len(toks) > 0 && light(toks[0]) {
		toks = toks[1:]
	}
	for len(toks) > 0 && light(toks[len(toks)-1]) {
		toks = toks[:len(toks)-1]
	}
	return toks
}

// frame reads the question around one relation word, as a verb or as a noun;
// none when it has no such shape.
func (e *english) frame(o occurrence, verbs bool) []Relation {
	a := e.asking(o.before)
	rest := o.after
	for len(rest) > 0 && adverbs()[rest[len(rest)-1].word] {
		rest = rest[:len(rest)-1]
	}
	var rs []Relation
	for _, m := range o.means {
		r, ok := Relation{}, false
		if (m.form == verb) != verbs {
			continue
		}
		if verbs {
			r, ok = e.verbFrame(o, m, a, rest)
		} else {
			r, ok = e.nounFrame(o, m, a, rest)
		}
		if ok {
			r.fill(m.sense)
			rs = append(rs, r)
			if o.fellow && !r.Fellow && r.Dir == m.direction(doer) {
				r.Fellow = true
				rs = append(rs, r)
			}
		}
	}
	return rs
}

// verbFrame reads a question around a verb.
func (e *english) verbFrame(o occurrence, m meaning, a asking, rest []token) (Relation, bool) {
	passive := o.participle && be()[a.aux] && (!strings.Contains(o.text, " ") || startsWith(rest, "by"))
	only := prepositionsOnly(rest)
	if o.placing() && len(rest) > 0 && states()[rest[0].word] { // on call
		return Relation{}, false
	}
	if o.placing() && !(a.who != "" && a.kind == PersonKind && be()[a.aux] && len(a.name) == 0 || len(a.name) > 0 && m.about(a.kind)) {
		return Relation{}, false
	}
	switch {
	case a.who == "" && a.command:
		return Relation{}, false
	case a.who == "" && len(o.before) > 0 && o.participle && len(rest) > 1 && rest[0].word == "by" && whoWord(rest[1].word):
		name := o.before
		if last := len(name) - 1; be()[name[last].word] {
			return e.relation(m, doer, name[:last], PersonKind)
		}
	case a.who == "" && len(o.before) > 0 && len(o.before) <= maxWords && len(rest) > 0 && o.states(m) && !auxiliaries()[o.before[0].word]:
		return e.relation(m, doer, rest, "")
	case a.who == "whose" || a.who == "":
	case len(a.name) == 0 && startsWith(rest, "by") && o.participle:
		return e.relation(m, object, rest[1:], a.kind)
	case len(a.name) == 0 && passive && len(rest) > 1 && prepositions()[rest[0].word]:
		return e.relation(m, object, rest[1:], a.kind)
	case len(a.name) == 0 && !passive && !only && (a.who != "which" || len(a.noun) > 0):
		return e.relation(m, doer, dropThat(rest), a.kind)
	case len(a.name) > 0 && only && passive && !startsWith(append(rest, token{}), "for", "to", "as", "on"):
		return e.relation(m, doer, a.name, a.kind)
	case len(a.name) > 0 && only && (a.aux != "" || e.KindOf(lastWord(a.noun)) != ""):
		return e.relation(m, object, a.name, a.kind)
	case len(a.name) > 0 && a.aux != "" && len(rest) > 1 && lastWord(rest) == "with": // who did Ann found it with
		r, ok := e.relation(m, doer, rest[:len(rest)-1], a.kind)
		r.Seed2, r.How = e.name(a.name), Except
		return r, ok && r.Seed2 != ""
	case len(a.name) > 1 && a.aux == "" && insideWords()[a.name[0].word]:
		r, ok := e.relation(m, doer, rest, a.kind)
		r.Seed2, r.How = e.name(a.name[1:]), Near
		return r, ok && r.Seed2 != ""
	}
	return Relation{}, false
}

// nounFrame reads a question around a noun for one side of the relation.
func (e *english) nounFrame(o occurrence, m meaning, a asking, rest []token) (Relation, bool) {
	asked := m.form.asked()
	kind := e.KindOf(e.toks[o.at].word)
	if kind == "" && asked == doer && m.people {
		kind = PersonKind
	}
	if a.kind != "" {
		kind = a.kind
	}
	phrase := o.text[strings.LastIndexByte(o.text, ' ')+1:]
	if len(rest) > 1 && rest[0].word == "and" && e.KindOf(rest[1].word) != "" {
		rest = rest[2:] // systems and projects
	}
	led := len(rest) > 0 && prepositions()[phrase]
	if !led && len(rest) > 1 && nounPrepositions()[rest[0].word] {
		led, rest = true, rest[1:]
	}
	if lastWord(a.name) == "behind" { // who is behind the decision to …
		asked = asked.other()
	}
	if prepositionsOnly(a.name) && (a.who != "who" || asked != m.form.asked()) {
		a.name = nil // what is in the portfolio of
	}
	bare := len(rest) == 0 || be()[rest[0].word] && len(rest) > 1 && whoWord(rest[1].word)
	possessive := len(a.name) > 1 && a.name[len(a.name)-1].word == "'s"
	switch {
	case a.who == "whose" && len(a.name) == 0 && len(rest) > 0 && auxiliaries()[rest[0].word]:
		return e.relation(m, asked.other(), e.behindVerb(rest), "")
	case possessive && bare:
		return e.relation(m, asked, a.name[:len(a.name)-1], kind)
	case possessive && led && (o.fellow || m.fellow):
		r, ok := e.relation(m, asked, rest, kind)
		r.Seed2, r.How = e.name(a.name[:len(a.name)-1]), Except
		return r, ok && r.Seed2 != ""
	case led && len(a.name) == 0 && (a.who != "which" && a.who != "what" || a.aux != ""):
		return e.relation(m, asked, rest, kind)
	case len(a.name) > 0 && a.who != "" && be()[a.aux] && prepositionsOnly(rest) && !prepositions()[a.name[0].word]:
		return e.relation(m, asked.other(), a.name, a.kind)
	case (a.who == "which" || a.who == "what") && len(a.name) == 0 && a.aux == "" && len(rest) > 1:
		if name := owned(rest); len(name) > 0 {
			return e.relation(m, asked, name, kind)
		}
	case o.states(m) && a.who == "" && !a.command && len(rest) == 0 && len(a.name) > 0 && len(a.name) < 4 && asked == object:
		return e.relation(m, asked, a.name, "")
	}
	return Relation{}, false
}

// owned gives the owner in "does Acme have" and "are Acme's".
func owned(rest []token) []token {
	last := len(rest) - 1
	switch {
	case be()[rest[0].word] && rest[last].word == "'s":
		return rest[1:last]
	case be()[rest[0].word] && len(rest) > 3 && rest[1].word == "there" && nounPrepositions()[rest[2].word]:
		return rest[3:]
	case be()[rest[0].word] && len(rest) > 2 && nounPrepositions()[rest[1].word]:
		return rest[2:]
	case !auxiliaries()[rest[0].word]:
		return nil
	case len(rest) > 3 && rest[last-1].word == "in" && rest[last].word == "common":
		return trimTokens(rest[1 : last-1])
	case slices.Contains([]string{"have", "share", "got"}, rest[last].word):
		return rest[1:last]
	}
	return nil
}

// behindVerb is the name in what follows "whose brainchild": "is Acme", "was it
// that Acme …", "does Acme follow".
func (e *english) behindVerb(rest []token) []token {
	helps := rest[0].word
	rest = rest[1:]
	if len(rest) > 0 && rest[0].word == "it" {
		rest = rest[1:]
	}
	if be()[helps] {
		return dropThat(rest)
	}
	for len(rest) > 0 && prepositions()[rest[len(rest)-1].word] {
		rest = rest[:len(rest)-1]
	}
	return rest[:max(len(rest)-1, 0)]
}

// states reports whether a statement with this word asks about its object: "X
// belongs to Y", "X references".
func (t *term) states(m meaning) bool {
	return m.form == verb && stating()[t.text] || m.form == objectNoun && m.types[0] == References
}

var stating = phrases("belong to|mention|提到|提及|属于|隶属于|归属于")

// placing reports whether the word is no more than a preposition: who is [at]
// Acme, which team is Ann [in].
func (t *term) placing() bool {
	return !slices.ContainsFunc(t.words(), func(w string) bool { return !prepositions()[w] && w != "be" })
}

// about reports whether the objects of a sense are of a kind.
func (s *sense) about(kind string) bool {
	return kind != "" && (s.things == anything || slices.Contains(strings.Fields(s.things), kind))
}

// relation makes the question for one side of a sense, the other being named.
func (e *english) relation(m meaning, asked role, name []token, kind string) (Relation, bool) {
	r := Relation{Types: m.types, Dir: m.direction(asked), Kind: kind, Fellow: m.fellow, Seed: e.name(name)}
	return r, r.Seed != ""
}

// name is the text of a run of tokens, as a name.
func (e *english) name(toks []token) string {
	toks = trimName(toks)
	if len(toks) == 0 {
		return ""
	}
	last := toks[len(toks)-1]
	if first := toks[0]; first.start < last.end && !clause(toks[1:]) {
		return seedName(e.q[first.start:last.end])
	}
	return ""
}

// clause reports whether words have a verb that no name has, or are too many.
func clause(toks []token) bool {
	return len(toks) > 12 || slices.ContainsFunc(toks, func(t token) bool { return clauseWords()[t.word] })
}

// trimName drops the preposition before a name, and what floats behind it:
// "together", "both".
func trimName(toks []token) []token {
	for len(toks) > 1 && prepositions()[toks[0].word] {
		toks = toks[1:]
	}
	floats := func(t token) bool { return t.word == "together" || adverbs()[t.word] }
	for len(toks) > 0 && floats(toks[len(toks)-1]) {
		toks = toks[:len(toks)-1]
	}
	return toks
}

func dropThat(toks []token) []token {
	for len(toks) > 1 && (toks[0].word == "that" || toks[0].word == "to" || toks[0].word == "of") {
		toks = toks[1:]
	}
	return toks
}

// startsWith reports whether one of the words comes first and more follows.
func startsWith(toks []token, words ...string) bool {
	return len(toks) > 1 && slices.Contains(words, toks[0].word)
}

func lastWord(toks []token) string {
	if len(toks) == 0 {
		return ""
	}
	return toks[len(toks)-1].word
}

func whoWord(w string) bool { return w == "who" || w == "whom" || w == "which" || w == "what" }

func prepositionsOnly(toks []token) bool {
	return !slices.ContainsFunc(toks, func(t token) bool { return !prepositions()[t.word] && t.word != "both" && t.word != "together" })
}

// lemmas gives the forms under which a word may stand in the lexicon.
func lemmas(word string) []string {
	word = strings.TrimPrefix(word, "co-")
	list := []string{word}
	if l := irregular()[word]; l != "" {
		list = append(list, l)
	}
	add := func(stem, suffix string) { list = append(list, stem+suffix) }
	if s, ok := strings.CutSuffix(word, "ies"); ok {
		add(s, "y")
	} else if s, ok := strings.CutSuffix(word, "ied"); ok {
		add(s, "y")
	} else if s, ok := strings.CutSuffix(word, "s"); ok {
		add(s, "")
		add(strings.TrimSuffix(s, "e"), "")
	} else if s, ok := strings.CutSuffix(word, "ed"); ok {
		add(s, "")
		add(s, "e")
		add(single(s), "")
	} else if s, ok := strings.CutSuffix(word, "ing"); ok {
		add(s, "")
		add(s, "e")
		add(single(s), "")
	}
	return list
}

// single takes the doubled consonant off: plann → plan.
func single(s string) string {
	if n := len(s); n > 2 && s[n-1] == s[n-2] {
		return s[:n-1]
	}
	return s
}

var irregular = pairs(`wrote write written write made make built build chose choose chosen choose led lead ran run held hold spoke speak spoken speak
	gave give given give took take taken take sat sit met meet went go gone go got get gotten get came come kept keep paid pay brought bring bought buy
	sank sink sunk sink drew draw drawn draw drove drive driven drive stood stand oversaw oversee spent spend began begin begun begin rose rise
	fell fall said say people people is be are be was be were be has have had have found found does do did do done do lent lend shown show sought seek`)

func pairs(text string) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		f := strings.Fields(text)
		m := make(map[string]string, len(f)/2)
		for i := 0; i+1 < len(f); i += 2 {
			m[f[i]] = f[i+1]
		}
		return m
	})
}

var (
	be          = lexicon(`is are was were be been being 's`)
	auxiliaries = lexicon(`is are was were do does did has have had will would can could should may might be been 're`)
	determiners = lexicon(`the a an his her their its our my your some any this that these those more much money's`)
	// lightWords may stand between a question word and a relation word.
	lightWords = lexicon(`is are was were be been being do does did has have had 'd will would can could may might got get gets
		the a an one of some any all serve serves served act acts acted as it that who 're both hold holds held sit sits sat`)
	adverbs = lexicon(`currently now actually originally first initially exactly also really just else all again usually mainly
		together jointly still presently today ever already both each once primarily mostly personally officially`)
	clauseWords = lexicon(`are was were did does do has have had that which who what how why because whether if than
		would could should can will to your his her their my`)
	prepositions     = lexicon(`of to for at in on with from by into behind about upon under as`)
	nounPrepositions = lexicon(`of to for at in behind on with from between`)
	states           = lexicon(`call duty leave holiday vacation track time home night lunch work`)
	insideWords      = lexicon(`at in from inside within of`)
	commands         = lexicon(`list name show give find get enumerate identify me us all every each of the any some other full complete`)
)
