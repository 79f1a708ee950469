package graph

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Chinese question asks in place: 谁 and 哪些 stand where the answer would
// stand. So it is read around its relation word by where the asking word is
// and what preposition comes with it:
//
//	谁[创办]了甲               the doer
//	甲[创办]了哪些公司          the object
//	甲是谁[创办]的、甲由谁[创办]  the doer: 是 and 由 put it before the verb
//	甲在哪家公司[工作]          the object: 在, 给, 为 put it before the verb
//	谁在甲[工作]、谁给甲当[顾问]  the doer
//	甲的[顾问]有哪些           the side that the noun names
//	甲是谁的[顾问]             the other side
//	[参加]甲的人、甲[投资]的公司  the doer, the object: a clause with 的
//
// 都有谁, 有哪些 and the like at the end are taken off first; 和乙一起 names a
// companion.

func (l *Lexicon) readChinese(q string) []Relation {
	c := chinese{Lexicon: l, q: q}
	var rs []Relation
	if c.takeCompanion() {
		rs = c.read()
		for i := range rs {
			rs[i].Seed2, rs[i].How, rs[i].Fellow = c.companion, Except, false
		}
	}
	c = chinese{Lexicon: l, q: q}
	return append(rs, c.read()...)
}

func (c *chinese) read() []Relation {
	c.takeTail()
	if _, asks, _ := lastAsking(c.q); asks == "" && !c.tail && utf8.RuneCountInString(c.q) > possessiveRunes {
		return nil
	}
	for _, o := range c.occurrences() {
		if rs := c.frame(o); len(rs) > 0 {
			return rs
		}
	}
	return c.place()
}

// place reads questions without a relation word: 甲在哪家公司, 甲是哪个组的 (where
// somebody is), 甲都有谁 (who is there).
func (c *chinese) place() []Relation {
	s := c.newSide(c.q)
	var types []string
	dir, kind := Out, s.kind
	switch {
	case s.name == "" || s.after != "":
	case s.asks == "" && c.has && c.kind == PersonKind && s.leads == "":
		types, dir, kind = []string{BelongsTo, WorksAt, WorksOn, Attended}, In, PersonKind
	case s.asks == "" || s.kind != "company" && s.kind != "team" && s.kind != "fund":
	case strings.HasSuffix(s.marks, "在"), strings.HasSuffix(s.marks, "是") && strings.HasPrefix(s.leads, "的"):
		types = []string{WorksAt, BelongsTo}
		if s.kind == "team" {
			types = []string{BelongsTo, WorksAt}
		}
	}
	var rs []Relation
	for _, typ := range types {
		if r := (Relation{Type: typ, Types: []string{typ}, Dir: dir, Seed: seedName(s.name), Kind: kind}); r.Seed != "" {
			rs = append(rs, r)
		}
	}
	return rs
}

// chinese is a question without blanks beside Chinese characters.
type chinese struct {
	*Lexicon
	q         string
	tail      bool   // it asked at its end, or asks with a noun alone
	has       bool   // with 有: what there is, not who it is
	kind      string // of what the tail asked for
	companion string
}

// chineseTerm is a relation word in the question.
type chineseTerm struct {
	*term
	before, after string
}

// apart reports whether a verb is one by itself: a single character must have
// a mark beside it, or it may belong to another word (定 in 固定).
func (o *chineseTerm) apart(b side) bool {
	return utf8.RuneCountInString(o.text) > 1 || b.marks != "" ||
		strings.HasPrefix(o.after, "了") || strings.HasPrefix(o.after, "过") || strings.HasPrefix(o.after, "的")
}

// takeCompanion takes "和乙一起" out of the question.
func (c *chinese) takeCompanion() bool {
	for _, together := range []string{"一起", "一同", "一道", "联手", "合伙", "携手", "共同"} {
		end := strings.Index(c.q, together)
		if end < 0 {
			continue
		}
		for _, with := range []string{"和", "与", "跟", "同"} {
			start := strings.LastIndex(c.q[:end], with)
			if start < 0 {
				continue
			}
			before, name, after := c.q[:start], c.q[start+len(with):end], c.q[end+len(together):]
			asks, rest, _ := cutAsking(name)
			switch {
			case asks && rest == "" && before != "": // 甲和谁一起
				c.companion, c.q = seedName(before), "谁"+after
			case !asks && (before == "" || endsAsking(before) || strings.HasPrefix(before, "在")): // 谁和甲一起, 在乙上和甲一起
				c.companion, c.q = seedName(name), before+after
			}
			if c.companion != "" {
				return true
			}
		}
	}
	return false
}

func endsAsking(s string) bool {
	s = strings.TrimRight(s, "还都有")
	return strings.HasSuffix(s, "谁") || strings.HasSuffix(s, "哪些人") || strings.HasSuffix(s, "哪位")
}

// takeTail takes 是谁, 有哪些人 and the like off the end.
func (c *chinese) takeTail() {
	for _, asks := range askingWords {
		at := strings.LastIndex(c.q, asks)
		if at <= 0 {
			continue
		}
		noun := c.q[at+len(asks):]
		before := trimMarks(c.q[:at], strings.TrimSuffix, "还", "都", "分别", "现在", "目前", "又", "共", "一")
		lead := trimMarks(before, strings.TrimSuffix, "是", "有", "叫")
		if lead == before && noun == "" {
			continue
		}
		if lead == before || lead == "" || utf8.RuneCountInString(noun) > 3 || noun != "" && c.KindOf(noun) == "" && !classifier(noun) {
			continue
		}
		// 甲有哪些顾问 has its noun behind: left to the frames.
		if slices.ContainsFunc(c.chinese()[firstRune(noun)], func(t *term) bool { return t.text == noun }) {
			continue
		}
		c.has = strings.Contains(before[len(lead):], "有")
		c.q, c.tail, c.kind = trimMarks(lead, strings.TrimSuffix, "还", "都", "分别", "现在", "目前"), true, c.kindAsked(asks, noun)
		return
	}
}

// classifier reports what may follow 哪 instead of a noun.
func classifier(s string) bool {
	return slices.Contains([]string{"位", "个", "家", "篇", "次", "场", "条", "份", "种", "里", "儿", "项", "只", "些"}, s)
}

// askingWords ask, longest first.
var askingWords = []string{"哪几家", "哪几个", "哪几位", "哪几篇", "哪些人", "哪个人", "什么人", "哪一个", "哪一家", "哪一篇", "哪一位", "哪些", "哪个", "哪家", "哪位", "哪篇",
	"哪次", "哪场", "哪里", "哪儿", "哪份", "哪条", "哪项", "哪只", "何人", "何处", "什么", "谁家", "谁", "啥", "哪"}

// kindAsked is the kind of thing that an asking word with its noun wants.
func (c *chinese) kindAsked(asks, noun string) string {
	switch asks {
	case "谁", "哪些人", "哪个人", "什么人", "哪位", "哪几位", "哪一位", "何人":
		return PersonKind
	case "哪家", "哪几家", "哪一家":
		if c.KindOf(noun) == "" {
			return "company"
		}
	}
	return c.KindOf(strings.TrimPrefix(noun, "的"))
}

// cutAsking finds the last asking word in s and gives what stands around it.
func cutAsking(s string) (asks bool, before, after string) {
	b, word, a := lastAsking(s)
	return word != "", b + a, a
}

func lastAsking(s string) (before, word, after string) {
	best := -1
	for _, w := range askingWords {
		if at := strings.LastIndex(s, w); at >= 0 && (at > best && at >= best+len(word) || at == best && len(w) > len(word)) {
			best, word = at, w
		} else if at >= 0 && best >= 0 && at < best && at+len(w) >= best+len(word) {
			best, word = at, w // 哪些人 before the 人 of another
		}
	}
	if best < 0 {
		return s, "", ""
	}
	return s[:best], word, s[best+len(word):]
}

// occurrences finds the terms of the lexicon, longest first, later ones before
// earlier ones of the same length: a verb comes after the name it belongs to.
func (c *chinese) occurrences() []chineseTerm {
	var found []chineseTerm
	for i := range c.q {
		for _, t := range c.chinese()[firstRune(c.q[i:])] {
			first, second := t.halves()
			rest, ok := strings.CutPrefix(c.q[i:], first)
			if !ok {
				continue
			}
			if second != "" {
				at := strings.LastIndex(rest, second)
				if at <= 0 {
					continue
				}
				rest = rest[:at] + rest[at+len(second):]
			}
			found = append(found, chineseTerm{t, c.q[:i], rest})
		}
	}
	slices.SortStableFunc(found, func(a, b chineseTerm) int {
		if d := b.size() - a.size(); d != 0 {
			return d
		}
		return len(b.before) - len(a.before)
	})
	return found
}

// frame reads the question around one relation word.
func (c *chinese) frame(o chineseTerm) []Relation {
	var rs []Relation
	before, after := c.newSide(o.before), c.newSide(o.after)
	for _, m := range o.means {
		var r Relation
		var ok bool
		if m.form == verb {
			r, ok = c.verbFrame(o, m, before, after)
		} else {
			r, ok = c.nounFrame(o, m, before, after)
		}
		if ok && r.Seed != "" {
			r.fill(m.sense)
			rs = append(rs, r)
		}
	}
	return rs
}

// side is what stands on one side of a relation word: an asking word with what
// stands around it, or a name alone; marks are the small words at their ends.
type side struct {
	asks        string
	kind        string
	name, after string // before the asking word, and after it
	marks       string // between name and asking word, or at the name's end
	leads       string // between asking word and the name after it, or at the name's beginning
}

func (c *chinese) newSide(s string) side {
	before, word, after := lastAsking(s)
	x := side{asks: word}
	if word == "" {
		x.name, x.leads = cutMarks(s, marksBefore(), true)
		x.name, x.marks = cutMarks(x.name, marksAfter(), false)
		x.name = cutAnaphor(x.name)
		return x
	}
	x.name, x.marks = cutMarks(before, marksAfter(), false)
	var lead string
	x.name, lead = cutMarks(x.name, marksBefore(), true)
	x.marks = lead + x.marks
	noun := c.askedNoun(after)
	x.kind = c.kindAsked(word, noun)
	after = trimMarks(after[len(noun):], strings.TrimPrefix, "里面", "里", "中", "上")
	x.after, x.leads = cutMarks(after, marksBefore(), true)
	x.after, _ = cutMarks(x.after, marksEnd(), false)
	if x.leads == "" && x.after != "" && noun == "" && word != "谁" && utf8.RuneCountInString(x.after) <= 4 {
		x.after = "" // a noun of no known kind: 哪些机构
	}
	x.name = cutAnaphor(x.name)
	return x
}

// askedNoun is the noun behind an asking word: 哪些[基金], 哪家[公司], 哪篇[笔记]里.
func (c *chinese) askedNoun(s string) string {
	best := ""
	for i := range s + " " {
		if i > 12 {
			break
		}
		noun := s[:min(i, len(s))]
		if c.KindOf(noun) != "" || c.KindOf(strings.TrimPrefix(noun, "篇")) != "" && noun != "" {
			best = noun
		}
	}
	return best
}

// The small words around names, as they are taken off: before a name, after one
// that an asking word or a verb follows, and at the end of a clause, where few
// are taken: a name may end in such a word itself (华为).
var (
	marksBefore = longestFirst(`在 给 为 替 向 对 从 和 与 跟 同 由 被 让 是 有 了 过 着 的 到 于 以 都 还 也 曾经 曾 现在 目前 最终 最后 当时 主要
		一直 正在 正 来 一起 共同 一同 同时 要 采用 当 做 担任 出任 所 聘请 请`)
	marksAfter = longestFirst(`在 给 为 替 向 对 从 和 与 跟 由 被 让 归 是 有 靠 请了 请 找了 找 聘了 聘 聘请了 聘请 的 都 还 也 曾经 曾 现在 目前 最终 最后
		当时 主要 一直 正在 正 一起 共同 一同 共用 共有 同时 两家 两人 在做 担任 出任 当 做 所 一共 手里 手上 手头 名下 旗下 下面 内部 里面 上面 那边 那天 那次
		这边 背后 的名字 大多 了 过 , ， 、 该 应该`)
	marksEnd = longestFirst(`的 了 过 当 做 担任 出任 任`)
)

func longestFirst(words string) func() []string {
	return sync.OnceValue(func() []string {
		list := strings.Fields(words)
		slices.SortStableFunc(list, func(a, b string) int { return len(b) - len(a) })
		return list
	})
}

// cutMarks takes marks off the front or the back and gives them in the order of
// the text.
func cutMarks(s string, list []string, front bool) (rest, marks string) {
	for again := true; again && s != ""; {
		again = false
		for _, m := range list {
			cut, ok := strings.CutSuffix(s, m)
			if front {
				cut, ok = strings.CutPrefix(s, m)
			}
			if !ok {
				continue
			}
			if again, s = true, cut; front {
				marks += m
			} else {
				marks = m + marks
			}
			break
		}
	}
	return s, marks
}

func trimMarks(s string, trim func(s, mark string) string, marks ...string) string {
	for {
		before := s
		for _, m := range marks {
			s = trim(s, m)
		}
		if s == before {
			return s
		}
	}
}

// cutAnaphor drops what refers back to the name: 甲，这个决定; 甲这家公司; 甲那篇.
func cutAnaphor(s string) string {
	for _, comma := range []string{"，", ","} {
		if at := strings.Index(s, comma); at > 0 {
			rest := strings.TrimLeft(s[at+len(comma):], " ")
			if _, word, _ := lastAsking(rest); word != "" || strings.HasPrefix(rest, "这") || strings.HasPrefix(rest, "那") || strings.HasPrefix(rest, "它") || strings.HasPrefix(rest, "该") {
				s = s[:at]
			}
		}
	}
	for _, this := range []string{"这家", "这个", "这条", "这篇", "这项", "这次", "这份", "这场", "这件", "那家", "那个", "那条", "那篇", "那项", "那次", "那份", "那场"} {
		if at := strings.LastIndex(s, this); at > 0 && utf8.RuneCountInString(s[at:]) <= 5 {
			s = s[:at]
		}
	}
	return s
}

// verbFrame reads a question around a verb.
func (c *chinese) verbFrame(o chineseTerm, m meaning, b, a side) (Relation, bool) {
	toward := strings.ContainsAny(b.marks, "在给为替向对从跟与和于")
	nothing := a.name == "" && a.asks == ""
	switch {
	case b.asks != "" && a.asks == "" && b.name == "" && b.after == "" && a.name != "": // 谁V甲
		return c.relation(m, doer, cutRelative(a.name), b.kind)
	case b.asks != "" && a.asks == "" && b.name == "" && b.after != "" && nothing && b.leads != "": // 谁在甲V
		return c.relation(m, doer, b.after, b.kind)
	case b.asks != "" && b.name == "" && b.after != "" && a.asks == "" && a.name != "" && strings.Contains(b.leads, "在"): // 谁在乙V甲
		r, ok := c.relation(m, doer, a.name, b.kind)
		r.Seed2, r.How = seedName(b.after), Near
		return r, ok && r.Seed2 != ""
	case b.asks != "" && b.name != "" && b.after == "" && nothing && toward && !strings.Contains(b.leads, "被"): // 甲在哪家公司V
		return c.relation(m, object, b.name, b.kind)
	case b.asks != "" && b.name != "" && b.after == "" && nothing: // 甲是谁V的
		return c.relation(m, doer, b.name, b.kind)
	case b.asks != "" && b.name != "" && b.after == "" && a.asks == "" && a.name != "" && inside(b): // 乙内部谁V甲
		r, ok := c.relation(m, doer, a.name, b.kind)
		r.Seed2, r.How = seedName(b.name), Near
		return r, ok && r.Seed2 != ""
	case b.asks == "" && b.name != "" && a.asks != "" && a.name == "" && o.apart(b) && (a.after == "" || a.after == "手" || a.after == "之手" || m.form == verb && len(a.after) <= 6): // 甲V了哪些公司
		return c.relation(m, object, b.name, a.kind)
	case b.asks != "" || a.asks != "":
		return Relation{}, false
	case b.name != "" && a.name == "" && toward && (c.tail || strings.Contains(a.leads, "的")): // 在甲V的有谁
		return c.relation(m, doer, b.name, c.kindOr(PersonKind))
	case b.name != "" && (a.name == "" || c.KindOf(a.name) != "") && hasLead(b.leads): // 在甲V的人
		return c.relation(m, doer, b.name, c.kindOr(PersonKind))
	case b.name != "" && a.name == "" && c.tail && m.types[0] == Attended && c.kind == PersonKind: // 甲到场的有谁
		return c.relation(m, doer, b.name, c.kind)
	case b.name != "" && a.name == "" && c.tail: // 甲V的是谁
		return c.relation(m, object, b.name, c.kind)
	case b.name != "" && strings.Contains(a.leads, "的") && c.KindOf(a.name) != "": // 甲V的公司
		return c.relation(m, object, b.name, c.KindOf(a.name))
	case b.name == "" && a.name != "": // V甲的人
		name, kind := c.cutClause(a.name)
		if kind != "" || c.tail || strings.Contains(a.marks, "的") {
			return c.relation(m, doer, name, c.kindOr(kind))
		}
		if o.states(m) {
			return c.relation(m, doer, a.name, "")
		}
	case b.name != "" && a.name != "" && a.leads == "" && o.states(m) && !c.tail, b.name != "" && a.name != "" && strings.Trim(a.leads, "了过") == "" && o.states(m): // 甲提到了乙
		return c.relation(m, doer, a.name, "")
	}
	return Relation{}, false
}

// nounFrame reads a question around a noun for one side of the relation.
func (c *chinese) nounFrame(o chineseTerm, m meaning, b, a side) (Relation, bool) {
	asked := m.form.asked()
	kind := c.kind
	if kind == "" {
		kind = c.KindOf(o.text)
	}
	if asked == doer && m.people && kind == "" {
		kind = PersonKind
	}
	if a.name != "" || a.asks != "" {
		if b.asks == "谁" && b.name == "" && strings.HasPrefix(a.leads, "是") && a.asks == "" { // 谁的顾问是甲
			return c.relation(m, asked.other(), a.name, "")
		}
		return Relation{}, false
	}
	toward := strings.ContainsAny(b.marks, "给为替向对在")
	if asked == object && b.asks == "什么" && strings.Contains(b.marks, "是") {
		return Relation{}, false // 甲是什么公司
	}
	if b.asks != "" && b.after == "" && strings.HasPrefix(a.leads, "的") && b.kind == "" {
		return Relation{}, false // 甲是哪家[公司]的
	}
	switch {
	case b.asks == "" && b.name != "" && (asked == doer && (m.people || c.KindOf(o.text) == "") || strings.ContainsAny(b.marks, "的,") && !c.endsInVerb(b.name)):
		return c.relation(m, asked, b.name, kind)
	case b.asks == "":
	case b.name != "" && b.after != "":
	case b.name == "" && b.after != "": // 谁是甲的N, 谁给甲当N
		if !strings.ContainsAny(b.leads, "是给为替当做任") || asked == object || !m.people && c.KindOf(o.text) != "" {
			break
		}
		return c.relation(m, asked, b.after, b.kind)
	case b.name != "" && toward, b.name != "" && strings.HasSuffix(b.marks, "是"), b.name != "" && (strings.HasSuffix(b.marks, "担任") || strings.HasSuffix(b.marks, "当") || strings.HasSuffix(b.marks, "做") || strings.HasSuffix(b.marks, "了") && strings.Contains(b.marks, "当")):
		return c.relation(m, asked.other(), b.name, b.kind)
	case b.name != "" && strings.ContainsAny(b.marks, "有请找聘由让"): // 甲有哪些N, 甲请谁当N
		if b.kind == "" || b.kind == PersonKind {
			b.kind = kind
		}
		return c.relation(m, asked, b.name, b.kind)
	}
	return Relation{}, false
}

// hasLead reports whether a preposition stands before a name.
func hasLead(leads string) bool {
	r, _ := utf8.DecodeRuneInString(leads)
	return strings.ContainsRune("在给为和跟与", r)
}

// inside reports whether the name before the asking word is where one looks.
func inside(b side) bool {
	return strings.Contains(b.marks, "在") || slices.ContainsFunc([]string{"内部", "里面", "那边", "里", "中", "上"}, func(m string) bool { return strings.Contains(b.marks, m) })
}

// endsInVerb reports whether a name is a name with a verb: 甲写 in 甲写的文档.
func (c *chinese) endsInVerb(name string) bool {
	for i := range name {
		if i == 0 || len(name)-i > 12 {
			continue
		}
		for _, t := range c.chinese()[firstRune(name[i:])] {
			if t.text == name[i:] && t.means[0].form == verb {
				return true
			}
		}
	}
	return false
}

func (c *chinese) kindOr(kind string) string {
	if c.kind != "" {
		return c.kind
	}
	return kind
}

func (c *chinese) relation(m meaning, asked role, name, kind string) (Relation, bool) {
	r := Relation{Dir: m.direction(asked), Kind: kind, Seed: seedName(name)}
	_, asks, _ := lastAsking(r.Seed)
	return r, r.Seed != "" && asks == "" && !strings.Contains(r.Seed, "怎") && !strings.Contains(r.Seed, "如何")
}

// cutClause takes 的人, 的公司 off a clause and gives their kind.
func (c *chinese) cutClause(s string) (name, kind string) {
	if name, noun, ok := cutLast(s, "的"); ok && name != "" && c.KindOf(noun) != "" {
		return name, c.KindOf(noun)
	}
	return s, ""
}

// cutRelative drops the 的 before a name: 谁写的甲.
func cutRelative(s string) string { return strings.TrimPrefix(s, "的") }
