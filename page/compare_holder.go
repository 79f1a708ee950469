package page

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A thing has one owner, one default, one address at a time. Where two
// statements say the same of it and name another, both cannot hold:
//
//	The owner of the billing service is Alice.
//	Bob is the owner of the billing service.
//	数据库: MySQL
//	小沈住在杭州。
//
// Names are not understood, and need not be: it is the attribute ("owner"), or
// the verb ("lives in", 由 … 负责), that has one at a time.

// holding is a statement of this form: the words that say what of what, and
// who or which it is.
type holding struct {
	of, who []token
	sum     uint64 // of the words of of that count, in any order: equal where they are
}

// longest name, in words or Chinese characters, and longest that stands first.
const (
	longestHolder = 8
	longestFirst  = 6
)

// otherHolder finds another one behind the same attribute.
func otherHolder(a, b *Statement) (detail [2]string, ok bool) {
	for _, x := range a.held {
		for _, y := range b.held {
			if x.sum != y.sum {
				continue
			}
			if detail, ok := x.against(y); ok {
				return detail, true
			}
		}
	}
	return detail, false
}

func sumOf(ts []token) (sum uint64) {
	for _, t := range ts {
		if t.weight == full {
			sum += maphash.String(bagSeed(), t.stem)
		}
	}
	return sum
}

// holdTheSame reports whether two statements give something to someone that may be one thing.
func (a *Statement) holdTheSame(b *Statement) bool {
	for _, x := range a.held {
		for _, y := range b.held {
			if x.sum == y.sum {
				return true
			}
		}
	}
	return false
}

// against reports whether two statements give one attribute to two.
func (x holding) against(y holding) (detail [2]string, ok bool) {
	left, shared := alone(x.of, y.of)
	right, _ := alone(y.of, x.of)
	if len(left)+len(right) > 0 || shared == 0 {
		return detail, false
	}
	mine, _ := alone(x.who, y.who)
	other, _ := alone(y.who, x.who)
	if tellTime(x.who) || tellTime(y.who) {
		return detail, false // today one, tomorrow another
	}
	if largest(x.who) != largest(y.who) {
		return detail, false // one place may lie in the other
	}
	if len(mine) == 0 || len(other) == 0 || mine[0].role == value && other[0].role == value && (mine[0].dim != other[0].dim || len(mine)+len(other) == 2) {
		return detail, false // the same, with more words; of two values it is known whether both can be
	}
	if mine[0].role == value && other[0].role == value && slices.ContainsFunc(slices.Concat(x.who, y.who), func(t token) bool { return prepositions[t.text] || t.text == "per" }) {
		return detail, false // 100 for one, 1000 for the other
	}
	return [2]string{x.spell(), y.spell()}, true
}

// spell gives the attribute as it stands beside its name, "owner alice".
func (x holding) spell() string {
	k := 0
	for i, t := range x.of {
		if t.weight != little && (!lexicon().attributes[x.of[k].stem] || lexicon().attributes[t.stem]) {
			k = i
		}
	}
	return spell(slices.Concat(x.of[k:k+1], x.who))
}

// holdings reads a statement as one that gives an attribute to someone, in
// each way in which it can be read so.
func (a *Statement) holdings() (out []holding) {
	if !a.mayHold() {
		return nil
	}
	defer func() {
		for i := range out {
			out[i].sum = sumOf(out[i].of)
		}
	}()
	for k := range a.core {
		of, who := a.core[:k+1], a.core[k+1:]
		if len(who) == 0 || !a.core[k].colon && !a.functional(k) && !called()[a.core[k].stem] || a.parted(who) || a.parted(of) {
			continue
		}
		switch {
		case len(who) <= longestHolder && !strings.HasSuffix(who[0].text, "ing") && (hasAttribute(of) || a.functional(k) || a.identifies(k)):
			out = append(out, holding{of: of, who: who})
		case a.core[k].colon && len(of) <= longestFirst && hasAttribute(who) && a.theOne(k):
			out = append(out, holding{of: who, who: of})
		}
	}
	return append(append(out, a.doneBy()...), a.usedAs()...)
}

// parted reports whether a stop or a comma stands within words of the statement.
func (a *Statement) parted(ts []token) bool {
	for i := 1; i < len(ts); i++ {
		if !titles[ts[i-1].text] && strings.ContainsAny(a.gap(ts[i-1], ts[i]), ",;.!?，；。！？、") {
			return true
		}
	}
	return false
}

// titles have a stop that ends nothing.
var titles = wordSet(`dr mr mrs ms prof st inc ltd`)

// cadence are words for how often something is.
var cadence = wordSet(`hourly daily nightly weekly monthly quarterly yearly`)

// tellTime reports words that tell when: a day, an hour, 明天, 下周.
func tellTime(ts []token) bool {
	for i, t := range ts {
		next := ""
		if i+1 < len(ts) && ts[i+1].start == t.end {
			next = ts[i+1].text
		}
		switch t.text {
		case "天": // 每天
			if next == "" {
				return true
			}
		case "今", "明", "昨", "后", "前", "当":
			if strings.Contains("天日早晚晨年夜月", next) && next != "" {
				return true
			}
		case "下", "本", "上", "这", "每":
			if strings.Contains("周月年次季个午", next) && next != "" {
				return true
			}
		case "夜里", "夜间", "半夜", "上周", "本周", "上月", "上个月", "本月", "去年", "前年", "今年", "明年", "today", "tomorrow", "yesterday", "tonight":
			return true
		}
		if t.dim.isDay() || t.dim == aClock || cadence[t.stem] {
			return true
		}
	}
	return false
}

func hasAttribute(ts []token) bool {
	return slices.ContainsFunc(ts, func(t token) bool { return lexicon().attributes[t.stem] })
}

// theOne reports whether what stands behind "is" is said of one alone: "Bob is
// the owner", "Bob is Ann's manager", and not "Bob is an owner" or "is sitting at the port".
func (a *Statement) theOne(k int) bool {
	who := a.core[k+1:]
	for len(who) > 1 && who[0].weight == little {
		who = who[1:]
	}
	if who[0].cjk() || lexicon().attributes[who[0].stem] {
		return !a.article(k)
	}
	i := slices.IndexFunc(a.all, func(t token) bool { return t.start == who[0].start })
	return i > 0 && a.all[i-1].text == "the" || strings.HasPrefix(a.Claim.Text[who[0].end:], "'s ")
}

// article reports whether "a" or "an" stands behind the copula of word k.
func (a *Statement) article(k int) bool {
	i := slices.IndexFunc(a.all, func(t token) bool { return t.start > a.core[k].start })
	for ; i >= 0 && i < len(a.all) && a.all[i].role == light; i++ {
		if w := a.all[i].text; w == "a" || w == "an" {
			return true
		}
	}
	return false
}

// functional reports whether the words up to k end in a verb of which there is
// one object at a time: "lives in", "owned by", 住在.
func (a *Statement) functional(k int) bool {
	f := functions()
	if t := a.core[k]; f.alone[t.stem] || t.text == "在" && k+2 == len(a.core) && isPlace(a.core[k+1]) {
		return true
	}
	if k == 0 {
		return false
	}
	verb := a.core[k-1].stem
	switch w := a.core[k].text; {
	case w == "by":
		return f.by[verb] || k+1 < len(a.core) && a.core[k+1].capital(a.Claim.Text) && a.passive(a.core[k-1])
	case w == "with":
		return f.with[verb]
	case verb == stemWork():
		return w == "at" || w == "for" || w == "as"
	case f.name[verb] && (w == "on" || w == "in") && k+1 < len(a.core):
		return a.core[k+1].capital(a.Claim.Text)
	case f.kept[verb] && !a.passive(a.core[k-1]):
		return false
	default:
		return (f.at[verb] || f.kept[verb]) && prepositions[w]
	}
}

var stemWork = sync.OnceValue(func() string { return stemOf("work") })

// doneBy reads "由 李四 负责 X" and "李四 负责 X", "Alice owns X", 在 X 工作, 用 Go 写.
func (a *Statement) doneBy() (out []holding) {
	from := 0
	if len(a.core) > 0 && (a.core[0].text == "由" || a.core[0].text == "归") {
		from = 1
	}
	for i := range a.core {
		if t := a.core[i].text; t == "由" || t == "归" || t == "在" || t == "用" {
			from = i + 1
		}
		if i+1 < len(a.core) && (prepositions[a.core[i+1].text] || a.core[i+1].text == "by") {
			continue // owned by
		}
		if strings.HasSuffix(a.core[i].text, "ed") && a.passive(a.core[i]) {
			continue // is maintained
		}
		if n := i - from; n > 0 && n <= longestFirst && functions().of[a.core[i].stem] && !slices.ContainsFunc(a.core[from:i], joins) {
			out = append(out, holding{of: slices.Concat(a.core[i:i+1], a.core[:max(from-1, 0)], a.core[i+1:]), who: a.core[from:i]})
		}
	}
	return out
}

// joins reports a word that joins several: they may have more beside them.
func joins(t token) bool {
	switch t.text {
	case "and", "or", "和", "与", "與", "及":
		return true
	}
	return false
}

// identifies reports whether the copula behind word k says who or which a certain thing
// is: "the mascot of the team is Otto", 团队的吉祥物是熊猫, "the cat is called Miso". Of what
// one has many (hobbies, reasons) it names one.
func (a *Statement) identifies(k int) bool {
	of, who := a.core[:k+1], a.core[k+1:]
	if called()[a.core[k].stem] {
		return k > 0 && a.core[k-1].colon && !slices.ContainsFunc(of[:k], func(t token) bool { return t.role == value })
	}
	if a.core[k].colon && a.singles(k) {
		return a.saysWhich(who)
	}
	if slices.ContainsFunc(of, func(t token) bool { return manifold()[t.stem] || t.role == value }) {
		return false
	}
	if !a.core[k].colon {
		return false
	}
	i := slices.IndexFunc(a.all, func(t token) bool { return t.start == of[0].start })
	j := slices.IndexFunc(a.all, func(t token) bool { return t.start == a.core[k].start })
	if who[0].cjk() || a.core[k].cjk() {
		return a.all[len(a.all)-1].text != "的" && slices.ContainsFunc(a.all[i:j+2], func(t token) bool { return t.text == "的" })
	}
	certain := a.all[0].text == "the" || owners[a.all[0].text] || strings.Contains(a.Claim.Text[:a.core[k].end], "'s ")
	if where := who[0].text; (where == "in" || where == "at") && len(who) > 1 && len(who) <= longestPlace {
		who = who[1:]
	}
	return certain && (who[0].capital(a.Claim.Text) || numberedName(who[0]))
}

var owners = wordSet(`my our your his her its their`)

// longestPlace is how many words "in" and the name of a place have.
const longestPlace = 4

// singles reports whether what stands before the copula behind word k is said to be the only one:
// "the only copy", "our biggest customer", 唯一的上级.
func (a *Statement) singles(k int) bool {
	return slices.ContainsFunc(a.all, func(t token) bool {
		return t.start <= a.core[k].start && (onlyOne[t.text] || t.role == plain && strings.HasSuffix(t.text, "est") && !notMost[t.text] && !t.capital(a.Claim.Text)) // Budapest
	})
}

var (
	onlyOne = wordSet(`only sole first last best worst 唯一 最 最大 最小 首个 首家`)
	notMost = wordSet(`test latest request guest interest rest west east contest harvest forest nest quest protest digest manifest invest suggest arrest honest chest`)
)

// saysWhich reports whether words name something, and do not say how it is.
func (a *Statement) saysWhich(who []token) bool {
	w := who[0]
	if w.weight == little && len(who) > 1 {
		w = who[1] // in the vault
	}
	if w.capital(a.Claim.Text) || w.cjk() || numberedName(w) {
		return !strings.HasSuffix(a.Claim.Text, "的") && !strings.HasSuffix(a.Claim.Text, "的。")
	}
	const shortest = 7 // of a noun in y: heavy, pottery
	return w.role == plain && w.antonym.group == 0 && !(len(w.text) < shortest && strings.HasSuffix(w.text, "y")) &&
		!slices.ContainsFunc(adjectival, func(end string) bool { return strings.HasSuffix(w.text, end) && !strings.HasSuffix(w.text, "fish") })
}

// adjectival are ends of words that say how something is.
var adjectival = []string{"ed", "ing", "ful", "ous", "al", "able", "ible", "ive", "ic", "ish", "less", "ent", "ant"}

var called = sync.OnceValue(func() map[string]bool { return stemSet(`call name nickname`) })

// manifold are things of which one has several.
var manifold = sync.OnceValue(func() map[string]bool {
	return merge(stemSet(`hobby interest skill goal reason problem task member customer client friend colleague feature use purpose language part
		example advantage disadvantage topic benefit risk duty job step child son daughter brother sister pet drink food dish option point`),
		wordSet(manifoldHan))
})

const manifoldHan = `爱好 兴趣 特长 优点 缺点 技能 目标 原因 问题 任务 职责 特点 之一 成员 客户 朋友 同事 孩子 作用 好处 坏处 风险 关键 重点 目的 用途 优势 内容 意义 方式 方法 要求 特征`

// usedAs reads "we use Adyen as the payment provider".
func (a *Statement) usedAs() (out []holding) {
	for i, t := range a.core {
		for j := i + 2; t.stem == "use" && j < min(i+2+longestFirst, len(a.core)-1); j++ {
			if a.core[j].text == "as" && hasAttribute(a.core[j+1:]) {
				out = append(out, holding{of: a.core[j+1:], who: a.core[i+1 : j]})
			}
		}
	}
	return out
}

type functionWords struct{ alone, at, kept, by, of, name, with map[string]bool }

// functions are the verbs of which there is one object, or one subject, at a time.
var functions = sync.OnceValue(func() functionWords {
	return functionWords{
		alone: wordSet(functionsHan),
		at:    stemSet(`live reside base locate headquarter host write born report belong marry store employ graduate register major enroll`),
		kept:  stemSet(`keep park bury hide lock situate assign track deploy`),
		name:  stemSet(`run deploy`), // only with a name: on Debian, and not on grass
		with:  stemSet(`heat power fuel cool build encrypt fund live`),
		by:    stemSet(`own lead maintain manage host chair employ heat power fuel cool fund`),
		of:    merge(stemSet(`own lead chair maintain`), wordSet(functionsOfHan)),
	}
})

const functionsHan = `分配给 指派给 交给 归属于 放在 摆在 锁在 停在 挂在 藏在 装在 寄存在 保管在 建在 来自 部署在 存在 保存在 存储在 家在 坐落于 嫁给 叫做 取名 叫 住在 位于 位於 设在 設在 出生于 毕业于 就职于 任职于 供职于 属于 隶属于 存放在 托管在 名叫`

const functionsOfHan = `办公 定居 负责 負責 主持 主管 维护 管理 工作 上班 任职 就读 上学 读书 居住 编写 写 提供 承办 设计 审批 牵头 带队 沟通 值班 值日`

func merge(sets ...map[string]bool) map[string]bool {
	all := map[string]bool{}
	for _, s := range sets {
		for w := range s {
			all[w] = true
		}
	}
	return all
}

// mayHold reports whether holdings can find anything; it is asked once.
func (a *Statement) mayHold() bool {
	f := functions()
	for i, t := range a.core {
		if t.colon || t.text == "在" && i+2 == len(a.core) || called()[t.stem] || f.alone[t.stem] || f.of[t.stem] || t.stem == stemWork() || t.stem == "use" || f.name[t.stem] || t.text == "by" || f.with[t.stem] && i+1 < len(a.core) || (f.at[t.stem] || f.kept[t.stem] || f.by[t.stem]) && i+1 < len(a.core) {
			return true
		}
	}
	return false
}

// otherDoer finds another one who did a thing, where the sentence is made to say who: 漏洞是小王修的.
func otherDoer(a, b *Statement) (detail [2]string, ok bool) {
	x, y := a.cleft(), b.cleft()
	if len(x) == 0 || len(y) == 0 {
		return detail, false
	}
	mine, shared := alone(x, y)
	other, _ := alone(y, x)
	left, _ := alone(a.core, b.core)
	right, _ := alone(b.core, a.core)
	if shared == 0 || len(mine) == 0 || len(other) == 0 || len(left) != len(mine) || len(right) != len(other) || x[min(1, len(x)-1)].start < mine[0].start || y[min(1, len(y)-1)].start < other[0].start ||
		!person(x) || !person(y) || tellTime(x) || tellTime(y) {
		return detail, false
	}
	return [2]string{spell(x), spell(y)}, true
}

// person reports whether words begin with a name as people have them: 小王, 老周, 王芳, Anna.
func person(ts []token) bool {
	r, _ := utf8.DecodeRuneInString(ts[0].text)
	return unicode.IsLetter(r) && r < utf8.RuneSelf || strings.ContainsRune(surnames, r)
}

// surnames are the most frequent ones, and what is said before a name.
const surnames = `小老阿王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文`

// cleft gives the words between 是 and a 的 at the end.
func (a *Statement) cleft() []token {
	n := len(a.all)
	if n == 0 || a.all[n-1].text != "的" {
		return nil
	}
	for k := len(a.core) - 2; k >= 0; k-- {
		if a.core[k].colon {
			return a.core[k+1:]
		}
	}
	return nil
}
