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
// marks, "please tell me", 请问, "currently"); try the forms in patterns.go in
// their order, anchored at both ends, and take the first whose seed is a
// possible name; refuse what an edge cannot answer, that is negation,
// counting and dates.
//
// A process that answers one question would spend milliseconds on compiling
// 125 regular expressions. So each stands behind words of which one must
// occur, and is compiled when they first do.

const maxSeedRunes = 64

// Relation is a relational question, understood.
type Relation struct {
	Type    string    // the edge type asked for; "" for any
	Types   []string  // all accepted types, Type first; nil for any
	Dir     Direction // from the seed: In for "who founded X", Out for "where does X work"
	Seed    string    // the entity named, folded; a name still to be resolved
	Seed2   string    // second entity: of a connection when Type is "", else answers must be linked to it
	Person  bool      // the answer is a person
	Pattern string    // which form matched
}

// String prints what decides an answer: direction, types, seeds, person.
//
//	in founded "acme" person
//	both any "alice" "acme"
func (r Relation) String() string {
	types := "any"
	if len(r.Types) > 0 {
		types = strings.Join(r.Types, "|")
	}
	s := fmt.Sprintf("%v %s %q", r.Dir, types, r.Seed)
	if r.Seed2 != "" {
		s += fmt.Sprintf(" %q", r.Seed2)
	}
	if r.Person {
		s += " person"
	}
	return s
}

// Parse understands a relational question; ok is false for any other.
func Parse(question string) (r Relation, ok bool) {
	q := plainQuestion(question)
	if q == "" || len(q) > 512 {
		return Relation{}, false
	}
	chinese := strings.IndexFunc(q, text.IsCJK) >= 0
	if chinese {
		r, ok = match(chineseForms(), joinScripts(q))
	}
	if !ok {
		r, ok = match(englishForms(), q)
	}
	if !ok || refused(q, chinese) {
		return Relation{}, false
	}
	return r, true
}

// pattern is a family of forms with one meaning.
type pattern struct {
	name   string
	words  []string // one of them occurs in every question of these forms
	types  []string
	dir    Direction
	person bool // its answers are people unless the question says otherwise
	forms  []form
}

// form is one shape of question. In its expression {x} is the seed and {y}
// the second one; a form with {y} alone asks about that.
type form struct {
	expr    string
	example string // a question of this form; the tests ask it
	re      func() *regexp.Regexp
}

// expand replaces the placeholders of a form.
var expand = strings.NewReplacer(
	"{x}", `(?P<x>.+?)`,
	"{y}", `(?P<y>.+?)`,
	// Chinese: who or what asks at the front, what is asked at the end, and
	// the tail that a noun form may have.
	"{who}", `(?:都|还)?有?(?:谁|哪位|哪些人|什么人|哪个人|哪几(?:个人|位)|哪(?:个|些)团队)(?:都|还|曾经?|现在|目前|最终|最后|当时|主要|一直)*`,
	"{ask}", `(?:都|还)?有?(?:谁|哪位|什么|哪(?:些|个|家|几个|里|儿)\p{Han}{0,4}?)(?:都|还|曾经?|现在|目前|主要|一直)*`,
	"{what}", `(?:什么|啥|谁|哪(?:些|个|家|几个|几家|里|儿|次|场|位))\p{Han}{0,6}`,
	"{tail}", `(?:都|分别|现在|目前)*(?:是|有|叫)?(?:谁|什么|哪位|哪些人?|哪几(?:个|位|家)|哪里|哪家\p{Han}{0,2})?`,
)

// compile makes the forms of a table ready to be compiled on first use.
func compile(table []pattern) []pattern {
	for i := range table {
		for j := range table[i].forms {
			f := &table[i].forms[j]
			f.re = sync.OnceValue(func() *regexp.Regexp {
				return regexp.MustCompile(`^(?:` + expand.Replace(f.expr) + `)$`)
			})
		}
	}
	return table
}

func match(table []pattern, q string) (Relation, bool) {
	for i := range table {
		p := &table[i]
		if !slices.ContainsFunc(p.words, func(w string) bool { return strings.Contains(q, w) }) {
			continue
		}
		for j := range p.forms {
			re := p.forms[j].re()
			m := re.FindStringSubmatch(q)
			if m == nil {
				continue
			}
			if r, ok := p.relation(re, m, q); ok {
				return r, true
			}
		}
	}
	return Relation{}, false
}

// relation fills in what a form captured; ok is false when that is no name.
func (p *pattern) relation(re *regexp.Regexp, m []string, q string) (Relation, bool) {
	r := Relation{Types: p.types, Dir: p.dir, Pattern: p.name, Person: p.asksPerson(q)}
	if len(p.types) > 0 {
		r.Type = p.types[0]
	}
	if i := re.SubexpIndex("x"); i > 0 {
		r.Seed = seedName(m[i])
	}
	if i := re.SubexpIndex("y"); i > 0 {
		r.Seed2 = seedName(m[i])
		if p.statement() {
			r.Seed, r.Seed2 = r.Seed2, ""
		} else if r.Seed2 == "" {
			return Relation{}, false
		}
	}
	return r, r.Seed != ""
}

// statement reports whether the form says "X relates to Y", which asks about
// Y: df-memory's reading of "X 属于 Y" and "X 提到 Y".
func (p *pattern) statement() bool { return strings.HasSuffix(p.name, "-statement") }

func (p *pattern) asksPerson(q string) bool {
	for _, w := range []string{"谁", "哪位", "哪些人", "什么人", "哪个人"} {
		if strings.Contains(q, w) {
			return true
		}
	}
	first, rest, _ := strings.Cut(q, " ")
	switch first {
	case "who", "whom":
		return true
	case "which", "what":
		return strings.HasPrefix(rest, "people ") || strings.HasPrefix(rest, "person ")
	}
	return p.person && !strings.ContainsAny(q, "哪") && !strings.Contains(q, "什么公司")
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
	first, rest, _ := strings.Cut(q, " ")
	for first == "who" || first == "what" || first == "which" || first == "where" {
		adverb, more, ok := strings.Cut(rest, " ")
		if !ok || !slices.Contains(adverbs(), adverb) {
			break
		}
		rest, q = more, first+" "+more
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
		"我想问", "想问一下", "想问", "帮我查一下", "帮我查查", "帮我查", "帮我找一下", "帮我找", "帮我", "查一下", "查查", "列出", "一下",
	}
})

var politeAfter = sync.OnceValue(func() []string {
	return []string{" please", " thanks", " thank you", " again", " currently", " right now", "吗", "呢", "啊", "呀", "吧", "谢谢"}
})

var adverbs = sync.OnceValue(func() []string {
	return strings.Fields("currently now actually originally first initially exactly also really just else all again usually mainly")
})

// refused reports questions that following edges would answer wrongly: those
// that negate, count or date.
func refused(q string, chinese bool) bool {
	return englishRefusal().MatchString(q) || chinese && chineseRefusal().MatchString(q)
}

var englishRefusal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:not|never|no longer|no one|nobody|none|neither|nor|cannot|without|except|besides|other than|excluding)\b|n't\b` +
		`|\b(?:how (?:many|much|often|long)|number of|count of)\b|^count\b` +
		`|\b(?:when|since|until|before|after|during|yesterday|today|tomorrow)\b` +
		`|\b(?:last|next|this|past|previous) (?:day|week|weekend|month|quarter|year|spring|summer|autumn|fall|winter)\b` +
		`|\b(?:in|by|of|from|around|as of) (?:[a-z]+ )?(?:19|20)\d\d\b`)
})

var chineseRefusal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`没|未(?:曾|参|提|决|被|在|投)|从未|尚未|不(?:再|是|在|属|负责|提|会|能|参|投|依赖|引用|使用|做|和|与|认识)|除了|以外|之外` +
		`|多少|(?:^|[^哪])几(?:个|位|人|家|次|名)|数量|总数|人数` +
		`|什么时候|何时|哪一?(?:年|天|月)|几月|几号|(?:去|今|明|前)年|(?:昨|今|明)天|(?:上|本|下|这)个?(?:周|月|季度|星期)|\d年|\d月|以前|之前|之后|以后|期间`)
})

// seedName trims a captured name, or gives "" for what cannot be one.
func seedName(s string) string {
	for {
		before := s
		s = strings.TrimFunc(s, func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune("\"'“”「」『』《》〈〉【】[]()<>{},.:;!?、。*_", r)
		})
		for _, article := range []string{"the ", "a ", "an ", "our ", "这个", "那个", "我们的", "咱们的"} {
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
