package page

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// One dealing is told from both its ends, by two verbs:
//
//	Oscar beat Felix.        Felix lost to Oscar.
//	Ann lent Ben a drill.    Ben borrowed a drill from Ann.
//	小刘把车卖给了老周。      老周从小刘手里买了车。
//
// Both verbs are read into one form: what kind of dealing it is, from whom and to whom.
// So "Felix won against Oscar" contradicts the first, and "Felix lost to Oscar" does not.

// dealing is who does something to whom; kind 0 is none.
type dealing struct {
	kind     int8
	from, to party
	words    []token // of the verb and its prepositions
}

// party is one of the two. Words that belong to something else may follow it where that
// cannot be told: "lent Ben | a drill".
type party struct {
	words []token
	open  bool
}

// converse verbs by the kind of dealing, those of who gives (wins, teaches, employs) and of who takes.
// English has them with the preposition of the other one, or none; Chinese verbs stand before the other one, or
// behind it and one of 从 向 跟, those with + behind one of 给 为. What is given back was given before:
// 还给 tells of another dealing than 交给.
var converseVerbs = []struct{ gives, takes, givesHan, takesHan string }{
	{"sell-to sold-to sell- sold-", "buy-from bought-from purchase-from", "卖给 出售给 转卖给 卖给了", "买 买下 买来 买到 购买 购入 买入 买走"},
	{"lend-to loan-to lend- loan-", "borrow-from", "借给 出借给", "借 借来 借走 借到 借用"},
	{"rent-to lease-to", "rent-from lease-from", "租给 出租给", "租 租来 租下 承租"},
	{"hand-to pass-to give-to transfer-to deliver-to donate-to send-to bequeath-to hand- give- send-", "take-from receive-from get-from inherit-from accept-from",
		"转给 交给 移交给 转交给 交接给 让给 传给 送给 寄给 发给 转让给 过户给 递给 汇给", "接手 接过 接管 接下 接收 收到 得到 拿到 继承 领到"},
	{"beat- beaten- defeat- thrash- outplay- win-against win-over won-against won-over prevail-over", "lose-to lost-to lose-against lost-against",
		"打败 击败 战胜 打赢 赢了 胜过 完胜 险胜", "=输给 =败给 =负于 =不敌"},
	{"teach- teach-to train- coach- tutor- instruct- mentor-", "learn-from learn-under study-under train-under", "教给 教 辅导 指导 培训", "学 学习 学会 学到"},
	{"employ- hire- recruit-", "work-for", "雇用 雇佣 聘用 聘请 招聘", "+打工 +工作 +做事"},
	{"manage- supervise- lead- oversee-", "report-to answer-to", "管理 领导 主管", "汇报 报告"},
	{"own-", "belong-to", "拥有", "=属于 =隶属于 =归属于"},
	{"supply-to", "source-from procure-from", "供货给 供应给", "进货 采购"},
	{"", "", "娶", "=嫁给"},
}

// converseVerb is how a verb tells of a dealing.
type converseVerb struct {
	kind  int8
	gives bool
	prep  string // of English: before the other one, "" where the verb stands right before it
	word  string // of Chinese
	apart string // of Chinese: the words of which one stands before the other one, who stands before the verb
}

// converse finds the verbs, English by their stem.
var converse = sync.OnceValue(func() (c struct {
	stems map[string][]converseVerb
	han   map[string][]converseVerb // by their first character
}) {
	c.stems, c.han = map[string][]converseVerb{}, map[string][]converseVerb{}
	for i, kind := range converseVerbs {
		for k, list := range [...]string{kind.gives, kind.takes} {
			for _, w := range strings.Fields(list) {
				stem, prep, _ := strings.Cut(w, "-")
				stem = stemOf(stem)
				c.stems[stem] = append(c.stems[stem], converseVerb{kind: int8(i + 1), gives: k == 0, prep: prep})
			}
		}
		for k, list := range [...]string{kind.givesHan, kind.takesHan} {
			for _, w := range strings.Fields(list) {
				v := converseVerb{kind: int8(i + 1), gives: k == 0, word: strings.TrimLeft(w, "=+")}
				switch {
				case w[0] == '+':
					v.apart = "给 給 为 為"
				case w[0] != '=' && k == 1:
					v.apart = "从 從 向 跟 找 问 問"
				}
				c.han[firstRune(v.word)] = append(c.han[firstRune(v.word)], v)
			}
		}
	}
	for _, vs := range c.han {
		slices.SortStableFunc(vs, func(a, b converseVerb) int { return len(b.word) - len(a.word) })
	}
	return c
})

// dealing reads the first dealing that a statement tells of.
func (a *Statement) dealing() dealing {
	c := converse()
	for i, t := range a.all {
		if t.role == value || t.text == "" {
			continue
		}
		if t.text[0] < 0x80 {
			for _, v := range c.stems[t.stem] {
				if d := a.englishDealing(i, v); d.kind != 0 {
					return d
				}
			}
			continue
		}
		for _, v := range c.han[firstRune(t.text)] {
			if n := spellsAt(a.all, i, v.word); n > 0 {
				if d := a.hanDealing(i, n, v); d.kind != 0 {
					return d
				}
			}
		}
	}
	return dealing{}
}

// firstRune is the first character of a word.
func firstRune(w string) string {
	_, n := utf8.DecodeRuneInString(w)
	return w[:n]
}

// englishDealing reads the dealing of the verb at word k: who does it before the verb, or behind
// "by" in the passive, the other one behind the preposition.
func (a *Statement) englishDealing(k int, v converseVerb) (d dealing) {
	d.kind, d.words = v.kind, []token{a.all[k]}
	actor := party{words: a.partyBefore(k)}
	by := a.preposition(k+1, "by")
	passive := by > 0 && a.passive(a.all[k])
	if passive {
		d.words = append(d.words, a.all[by])
	}
	var other party
	switch {
	case v.prep != "":
		at := a.preposition(k+1, v.prep)
		if at < 0 {
			return dealing{}
		}
		d.words = append(d.words, a.all[at])
		other = party{words: a.partyAt(at + 1)}
	case passive:
		other = actor
	default:
		other = party{words: a.partyAt(k + 1), open: true}
	}
	if passive {
		actor = party{words: a.partyAt(by + 1)}
	}
	if len(actor.words) == 0 || len(other.words) == 0 {
		return dealing{}
	}
	d.from, d.to = actor, other
	if !v.gives {
		d.from, d.to = other, actor
	}
	return d
}

// preposition finds a word from i on, in the same clause; -1 for none.
func (a *Statement) preposition(i int, word string) int {
	for k := i; k < len(a.all) && !(k > i && a.pause(k)); k++ {
		if a.all[k].text == word {
			return k
		}
	}
	return -1
}

// pause reports a stop or a comma before word k.
func (a *Statement) pause(k int) bool {
	return k > 0 && strings.ContainsAny(a.gap(a.all[k-1], a.all[k]), ",;.，；。、！？")
}

// partyBefore gives the words before the verb at k, from the last pause on.
func (a *Statement) partyBefore(k int) (words []token) {
	from := k
	for from > 0 && !a.pause(from) && a.all[from-1].text != "and" && a.all[from-1].text != "that" {
		from--
	}
	return partyWords(a.all[from:k])
}

// partyAt gives the words at i up to the next preposition, article or pause, but for an article or a
// possessive that they begin with. There are none in "trained | under Ann".
func (a *Statement) partyAt(i int) []token {
	for i < len(a.all) && determiners[a.all[i].text] && !a.pause(i) {
		i++
	}
	end := i
	for end < len(a.all) && !a.pause(end) && !a.endsParty(a.all[end]) {
		end++
	}
	return partyWords(a.all[i:end])
}

func (a *Statement) endsParty(t token) bool {
	return t.role == light || t.role == value || t.role == negator || t.role == qualifier || prepositions[t.text] || t.weight == little || t.text == "and" || t.text == "over"
}

var determiners = wordSet(`the a an this that these those my your his her its our their`)

// partyWords leaves out what is no part of a name.
func partyWords(ts []token) (out []token) {
	for _, t := range ts {
		if t.role == plain && t.weight != little && !copulas[t.text] {
			out = append(out, t)
		}
	}
	return out
}

// hanDealing reads the dealing of the Chinese verb of n tokens at k.
func (a *Statement) hanDealing(k, n int, v converseVerb) (d dealing) {
	from := k
	for from > 0 && !a.pause(from) {
		from--
	}
	clause := a.all[from:k]
	after := a.all[k+n:]
	if len(after) > 0 && after[0].text == "了" {
		after = after[1:]
	}
	find := func(words ...string) int {
		return slices.IndexFunc(clause, func(t token) bool { return slices.Contains(words, t.text) })
	}
	d.kind, d.words = v.kind, slices.Clone(a.all[k:k+n])
	var actor, other party
	switch p, q := find(strings.Fields(v.apart)...), find("被"); {
	case v.apart != "":
		if p < 1 {
			return dealing{}
		}
		d.words = append(d.words, clause[p])
		actor, other = party{words: clause[:p], open: true}, party{words: clause[p+1:], open: true}
	case q > 0:
		d.words = append(d.words, clause[q])
		actor, other = party{words: clause[q+1:], open: true}, party{words: clause[:q], open: true}
	default:
		actor, other = party{words: clause, open: true}, party{words: after, open: true}
		if o := find("把", "将", "將"); o >= 0 {
			actor.words = clause[:o]
		}
	}
	if len(actor.words) == 0 || len(other.words) == 0 {
		return dealing{}
	}
	d.from, d.to = actor, other
	if !v.gives {
		d.from, d.to = other, actor
	}
	return d
}

// is reports whether two are one, and how many words name it.
func (p party) is(o party) (n int, ok bool) {
	if len(p.words) > len(o.words) {
		p, o = o, p
	}
	n = len(p.words)
	if !sameStems(p.words, o.words[:n]) {
		return 0, false
	}
	return n, n == len(o.words) || o.open
}

// dealt says how two statements tell of one dealing: with the same ends (+1), with its ends
// exchanged (-1), or that they do not (0). The rest of what they say must agree.
func (a *Statement) dealt(b *Statement) int {
	x, y := a.deal, b.deal
	if x.kind == 0 || x.kind != y.kind {
		return 0
	}
	for way, ends := range [2][2]party{{y.from, y.to}, {y.to, y.from}} {
		n, ok := x.from.is(ends[0])
		m, same := x.to.is(ends[1])
		if !ok || !same || a.owned(x.from.words[:n]) || a.owned(x.to.words[:m]) || b.owned(ends[0].words[:n]) || b.owned(ends[1].words[:m]) {
			continue
		}
		mine, others := x.besides(a.core), y.besides(b.core)
		left, shared := alone(mine, others)
		right, _ := alone(others, mine)
		if len(left) > 0 && len(right) > 0 || share(shared, shared+max(len(left), len(right)), 1) < minSlot {
			return 0
		}
		return 1 - 2*way
	}
	return 0
}

// besides gives the words that do not tell of the dealing as such.
func (d dealing) besides(ts []token) []token {
	return slices.DeleteFunc(besides(ts, d.words), func(t token) bool { return dealingParticles[t.text] })
}

// dealingParticles mark what is dealt with, by whose hand (手里, 那里) and with what outcome (买下, 借走).
var dealingParticles = wordSet(`把 将 將 给 給 手 那 里 儿 边 处 中 上 下 来 來 走 到 了 被`)

// owned reports whether what is meant is not who is named, but somebody or something of theirs: Ben's brother.
func (a *Statement) owned(name []token) bool {
	rest := a.Claim.Text[name[len(name)-1].end:]
	return strings.HasPrefix(rest, "'s") || strings.HasPrefix(rest, "’s") || strings.HasPrefix(rest, "的")
}
