package graph

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"brain/text"
)

// A question that asks for a relation becomes a Relation: a small value that
// says which edges to follow, which way, from what. Parsing never looks at
// the graph, and Answer never looks at words.
//
// The way there: fold the question; take off what carries no meaning (question
// marks, "please tell me", 请问, "currently"); try the few forms that are whole
// sentences (forms.go); else read it around each word of the lexicon that
// stands in it (lexicon.go, english.go, chinese.go) and take the first that
// leaves nothing over but a possible name; refuse what an edge cannot answer,
// that is negation, counting and dates.
//
// A word may mean several relations ("owns" a project, a subsidiary), and a
// name may hold an "and". Such questions have several readings, the likeliest
// first, each behind the one before it (Else).

const maxSeedRunes = 64

// Relation is a relational question, understood.
type Relation struct {
	Type   string    // the edge type asked for; "" for any
	Types  []string  // all accepted types, Type first; nil for any
	Dir    Direction // from the seed: In for "who founded X", Out for "where does X work"
	Fellow bool      // asks for those beside the seed: along Dir's opposite, then Dir
	Seed   string    // the entity named, folded; a name still to be resolved
	Seed2  string    // second entity; How says what for
	How    Join
	Kind   string    // the kind of page asked for (KindOf), "" when not said
	Else   *Relation // another reading
	apt    bool      // Kind is what its objects are
}

// Join is what a second entity is for.
type Join uint8

const (
	Between Join = iota // what connects both
	Near                // answers with a link to it come first
	And                 // answers are related to both
	Except              // answers do not include it, but it must be one
)

// String prints what decides an answer: direction, types, seeds, kind.
//
//	in founded "acme" person
//	both any "alice" "acme"
//	in invested_in|led_round "acme" and "globex" person
//	in works_on "atlas" except "alice" person
//	fellow works_at "alice" person
func (r Relation) String() string {
	types, dir := "any", r.Dir.String()
	if len(r.Types) > 0 {
		types = strings.Join(r.Types, "|")
	}
	if r.Fellow && r.Seed2 == "" {
		dir = "fellow"
	}
	s := fmt.Sprintf("%s %s %q", dir, types, r.Seed)
	if r.Seed2 != "" {
		s += fmt.Sprintf("%s %q", [...]string{"", " near", " and", " except"}[r.How], r.Seed2)
	}
	if r.Kind != "" {
		s += " " + r.Kind
	}
	return s
}

// Parse understands a relational question; ok is false for any other.
func (l *Lexicon) Parse(question string) (r Relation, ok bool) {
	q := plainQuestion(question)
	if q == "" || len(q) > 512 {
		return Relation{}, false
	}
	var readings []Relation
	chinese := strings.IndexFunc(q, text.IsCJK) >= 0
	if s, ok := readSentence(joinScripts(q)); ok {
		readings = []Relation{s}
	}
	if len(readings) == 0 && chinese {
		readings = l.readChinese(joinScripts(q))
	}
	if len(readings) == 0 {
		readings = l.readEnglish(q)
	}
	if len(readings) == 0 || refused(q, readings[0], chinese) {
		return Relation{}, false
	}
	readings = expand(preferred(readings))
	for i := range readings[1:] {
		readings[i].Else = &readings[i+1]
	}
	return readings[0], true
}

// preferred puts the readings first whose object is of the kind asked for:
// "which decisions did X make" asks what X decided, not what X produced.
func preferred(readings []Relation) []Relation {
	slices.SortStableFunc(readings, func(a, b Relation) int { return btoi(b.apt) - btoi(a.apt) })
	return readings
}

// fill puts the sense's types in.
func (r *Relation) fill(s *sense) {
	r.Types, r.Type, r.Fellow = s.types, s.types[0], s.fellow
	r.apt = r.Dir == s.direction(object) && s.about(r.Kind)
}

// expand puts before each reading those in which its seed is two names: "A and
// B" for what is related to both, "X with A" for those who are so beside A.
func expand(readings []Relation) []Relation {
	var out []Relation
	for _, r := range readings {
		if r.Seed2 == "" && r.Type != "" {
			out = append(out, r.halves(conjunctions, And)...)
			out = append(out, r.halves(companions, Except)...)
			if r.Fellow {
				out = append(out, r.beside()...)
			}
		}
		out = append(out, r)
	}
	return out[:min(len(out), maxReadings)]
}

const maxReadings = 12

var (
	conjunctions = []string{" and ", " & ", "和", "与", "跟", "同", "、", "及"}
	companions   = []string{" together with ", " alongside ", " along with ", " with "}
)

// halves cuts the seed in two at each of the separators.
func (r Relation) halves(separators []string, how Join) []Relation {
	var out []Relation
	for _, sep := range separators {
		for i := strings.Index(r.Seed, sep); i > 0; {
			h := r
			h.Seed, h.Seed2, h.How, h.Fellow = seedName(r.Seed[:i]), seedName(r.Seed[i+len(sep):]), how, false
			if h.Seed != "" && h.Seed2 != "" {
				out = append(out, h)
			}
			next := strings.Index(r.Seed[i+len(sep):], sep)
			if next < 0 {
				break
			}
			i += len(sep) + next
		}
	}
	return out
}

// beside reads "works with A on X": those who work on X, A excepted.
func (r Relation) beside() []Relation {
	for sep, typ := range map[string]string{" on ": WorksOn, " at ": WorksAt} {
		if a, x, ok := strings.Cut(r.Seed, sep); ok {
			b := Relation{Type: typ, Types: []string{typ}, Dir: In, Seed: seedName(x), Seed2: seedName(a), How: Except, Kind: r.Kind}
			if b.Seed != "" && b.Seed2 != "" {
				return []Relation{b}
			}
		}
	}
	return nil
}

// plainQuestion folds a question and takes off what carries no meaning.
func plainQuestion(question string) string {
	q := text.Fold(question)
	q = strings.NewReplacer("’", "'", "‘", "'", "`", "").Replace(q)
	for {
		before := q
		q = strings.TrimFunc(q, func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune("?!.,;:。、…~", r)
		})
		q = trimAny(q, strings.TrimPrefix, politeBefore())
		q = trimAny(q, strings.TrimSuffix, politeAfter())
		if q == before {
			break
		}
	}
	return q
}

func trimAny(q string, trim func(s, affix string) string, affixes []string) string {
	for _, a := range affixes {
		if t := trim(q, a); t != "" {
			q = t
		}
	}
	return q
}

var politeBefore = sync.OnceValue(func() []string {
	return []string{
		"hi ", "hey ", "hello ", "so ", "and ", "ok ", "please ", "can you ", "could you ", "would you ", "will you ",
		"tell me ", "remind me ", "show me ", "find out ", "look up ", "let me know ", "do you know ", "do we know ",
		"i want to know ", "i would like to know ", "i'd like to know ", "i wonder ", "any idea ",
		"请问一下", "请问", "请告诉我", "请", "麻烦", "你知道", "你知不知道", "您知道", "知道", "告诉我", "我想知道", "我想问一下",
		"我想问", "想问一下", "想问", "帮我查一下", "帮我查查", "帮我查", "帮我找一下", "帮我找", "帮我", "查一下", "查查", "列出", "列举", "列一下", "说说", "一下",
	}
})

var politeAfter = sync.OnceValue(func() []string {
	return []string{" please", " thanks", " thank you", " again", " currently", " right now",
		" who is it", " who are they", " who was it", " which one is it", "吗", "呢", "啊", "呀", "吧", "谢谢"}
})

// refused reports questions that following edges would answer wrongly: those
// that negate, count or date. The title of a meeting, a decision or a document
// may do so all the same ("who decided that nobody charges at night").
func refused(q string, r Relation, chinese bool) bool {
	whole := q
	if seed := r.Seed; r.titled() {
		if dated(strings.Fields(seed), true) {
			return true
		}
		q = strings.Replace(q, seed, "", 1)
		if chinese {
			q = strings.Replace(joinScripts(q), seed, "", 1)
		}
	}
	return negates(q) || dated(strings.Fields(q), false) || counts(whole) ||
		chinese && (chineseRefusal().MatchString(q) || chineseCounts().MatchString(whole))
}

// negates reports whether an English question denies, excepts, or puts its
// relation into another time.
func negates(q string) bool {
	words := strings.Fields(strings.NewReplacer("look after", "", "looks after", "", "looking after", "", "looked after", "").Replace(q))
	if slices.ContainsFunc(words, func(w string) bool {
		w = strings.Trim(w, ",.;:?!\"()")
		return negations()[w] || strings.HasSuffix(w, "n't")
	}) {
		return true
	}
	q = " " + q + " "
	return slices.ContainsFunc(negativePhrases, func(p string) bool { return strings.Contains(q, p) })
}

var negations = lexicon(`not never nobody none neither nor cannot without except besides excluding lack lacks former formerly ex
	decline declined declines refuse refused refuses reject rejected rejects left quit resigned stopped absent missed skipped withdrew sold
	since until before after during yesterday today tomorrow`)

var negativePhrases = []string{" no longer ", " no one ", " other than ", " apart from ", " aside from ", " but not ", " used to ", " instead of ",
	" rather than ", " turned down ", " failed to "}

// counts reports whether an English question wants a number or a date.
func counts(q string) bool {
	words := strings.Fields(q)
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = strings.TrimSuffix(words[i+1], "s")
		}
		switch {
		case w == "when", w == "headcount", w == "count" && i == 0:
			return true
		case w == "how" && measures()[next], (w == "what" || w == "which") && spans()[next]:
			return true
		case (w == "number" || w == "count" || w == "amount" || w == "total") && next == "of":
			return true
		}
	}
	return false
}

// dated reports whether words set a time: last year, in March 2020; atEnd
// looks at their end alone.
func dated(words []string, atEnd bool) bool {
	for i, w := range words {
		last := i == len(words)-1
		if atEnd && !last {
			continue
		}
		year := len(w) >= 4 && (w[:2] == "19" || w[:2] == "20") && numeric(w[:4]) && !strings.ContainsAny(w, "-/")
		before := func(k int) string { return words[max(i-k, 0)] }
		switch {
		case year && i > 0 && (datePrepositions()[before(1)] || i > 1 && datePrepositions()[before(2)]):
			return true
		case i > 0 && spans()[w] && recent()[before(1)]:
			return true
		}
	}
	return false
}

var (
	measures         = lexicon(`many much often long old far big large small soon late early recently`)
	spans            = lexicon(`day week weekend month quarter year spring summer autumn fall winter date time`)
	recent           = lexicon(`last next this past previous`)
	datePrepositions = lexicon(`in by of from around since until before after during`)
)

// titled reports whether the seed is a thing whose title may be a sentence.
func (r *Relation) titled() bool {
	switch r.Type {
	case Decided, Attended:
		return r.Dir == In
	case ProducedBy, References:
		return r.Dir == Out
	}
	return false
}

var chineseRefusal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`没|未(?:曾|参|提|决|被|在|投|出|到)|从未|尚未|不(?:再|是|在|属|负责|提|会|能|参|投|依赖|引用|使用|做|和|与|认识|来|去|肯|愿)|除了|以外|之外` +
		`|拒绝|婉拒|谢绝|离职|离开|辞职|退出|缺席|请假|卸任|前员工|前任` +
		`|并非|不曾|不肯|不愿|不想|除|停止|中止|取消|撤出|撤资|被拒` +
		`|\d年|\d月|以前|之前|之后|以后|期间`)
})

var chineseCounts = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`多少|(?:^|[^哪])几|数量|总数|人数|总共|多久|多长|什么时候|何时|啥时候|哪一?(?:年|天|月|日)|(?:去|今|明|前)年|(?:昨|今|明)天|(?:上|本|下|这)个?(?:周|月|季度|星期)`)
})

// seedName trims a captured name, or gives "" for what cannot be one.
func seedName(s string) string {
	for {
		before := s
		s = strings.TrimFunc(s, func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune("\"'“”「」『』《》〈〉【】[]()<>{},.:;!?、。*_", r)
		})
		for _, article := range []string{"the ", "a ", "an ", "our ", "both ", "that ", "the name ", "这个", "那个", "我们的", "咱们的"} {
			if rest, ok := strings.CutPrefix(s, article); ok && rest != "" {
				s = rest
			}
		}
		if s == before {
			break
		}
	}
	if utf8.RuneCountInString(s) > maxSeedRunes || strings.IndexFunc(s, wordRune) < 0 {
		return ""
	}
	for _, asking := range []string{"谁", "什么", "哪", "怎么", "who ", "what ", "which ", "whose ", "how "} {
		if strings.HasPrefix(s, asking) {
			return ""
		}
	}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !wordRune(r) }) {
		if !stop()[w] && !pronouns()[w] {
			return s
		}
	}
	return ""
}

// pronouns stand for an entity that the question does not name.
var pronouns = lexicon(`i you he she it we they me him us them someone somebody anyone anybody everyone everybody
	something anything everything thing things somewhere people person
	我 你 您 他 她 它 我们 你们 他们 她们 它们 咱们 大家 自己 别人 有人 人 这 那 这个 那个 这些 那些 这里 那里 此 其 东西 事情 的 了`)
