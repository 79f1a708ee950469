package page

import (
	"strings"
	"sync"
)

// Marks are what words of a statement, wherever they stand, say of how the
// rest is meant: a bound, a time before another, of some or of all. Two
// statements are told by them to be about different cases, without looking
// at one word more.

type mark uint32

const (
	upper    mark = 1 << iota // at most
	lower                     // at least
	roughly                   // about
	some                      // of some, at times
	none                      // of nobody, never
	absolute                  // of all, only
	hedged                    // perhaps, many
	before                    // of the time before something
	after                     // of the time after
	past                      // was
	present                   // is
	formerly                  // used to be
	onDay                     // "is on Tuesday": it has a day
	negated                   // has a negator
	until                     // "not until"
	other                     // of another time: last week
	this                      // of this one
	required                  // must be
	portion                   // of a part: what is left, used, of them
	total                     // of all there is
	sofar                     // until now, and there may be more
	done                      // has done it, 已经 … 了
)

// markWords gives the words of each mark; two words are a phrase.
var markWords = []struct {
	mark  mark
	words string // phrases with a hyphen
}{
	{upper, `maximum max limit limited cap ceiling at-most up-to no-more not-more 最多 至多 不超过 不能超过 不得超过 上限 封顶 以内 最大 限`},
	{lower, `minimum min at-least no-less no-fewer not-less 至少 最少 不少于 不低于 下限 最小`},
	{roughly, `about approximately around roughly nearly almost circa 大约 约 左右 大概 差不多 将近`},
	{some, `some sometimes partly partially occasionally 有些 有的 部分 有时 有時 偶尔`},
	{none, `no none nobody nothing never nowhere 没有人 没人 无人 無人 从不 從不 从未 從未 从没 绝不 毫不 从来`},
	{absolute, `all every always only never nobody nothing none entirely completely everyone everything 所有 全部 全都 一切 任何 从来 从不 從不 从未 從未 从没 永远 始终
		只有 唯一 仅 仅仅 只 完全 根本 丝毫 毫 压根 绝对 没有人 没人 无人`},
	{hedged, `maybe perhaps possibly might could some many several 可能 也许 或许 一些 有些 部分 有的 很多 许多 不少`},
	{before, `before prior 之前 以前 前`},
	{after, `after following since 之后 以后 后`},
	{until, `until till 直到`},
	{portion, `left remaining remain remains used spare leftover 剩 剩余 还剩 剩下 已用 用了 其中`},
	{required, `must required requires require needed needs necessary mandatory 必须 必需 需要 需 须 得 要求`},
	{total, `total altogether overall all-told 一共 总共 总计 共计 共 全部`},
	{sofar | done, `so-far to-date already 已 已经 目前为止 至今 迄今`},
	{other, `last previous next 上周 上月 上个月 上季度`},
	{this, `this current 本周 本月`},
	{past, `was were had did wasnt werent didnt hadnt`},
	{present, `is are has have does do isnt arent doesnt dont now currently 目前 现在 如今`},
	{formerly, `formerly previously originally used-to 曾 曾经 以前 原来 原先 过去 当时`},
}

var marksOf = sync.OnceValue(func() map[string]mark {
	m := map[string]mark{}
	for _, l := range markWords {
		for _, w := range strings.Fields(l.words) {
			m[strings.Replace(w, "-", " ", 1)] |= l.mark
		}
	}
	return m
})

// markedHan are the Chinese words with a mark, which are kept whole.
func markedHan() string {
	var words []string
	for _, l := range markWords {
		for _, w := range strings.Fields(l.words) {
			if w[0] >= 0x80 {
				words = append(words, w)
			}
		}
	}
	return strings.Join(words, " ")
}

// mark reads the marks off the words.
func (a *Statement) mark() {
	m := marksOf()
	for i, t := range a.all {
		if t.role != plain || t.text != "曾" {
			a.marks |= m[t.text]
		}
		if i > 0 && t.text[0] < 0x80 {
			a.marks |= m[a.all[i-1].text+" "+t.text]
		}
		if t.role == negator {
			a.marks |= negated
		}
		if i+1 < len(a.all) && (t.text == "has" || t.text == "have" || t.text == "had") && a.all[i+1].isParticiple() {
			a.marks |= done
		}
		if t.dim.isDay() && a.hasDay(i) {
			a.marks |= onDay
		}
	}
}

// isParticiple reports a word that with "has" before it tells of what is done: been, finished, written.
func (t token) isParticiple() bool {
	return t.text == "been" || t.text == "done" || t.text == "read" || t.role == plain && (strings.HasSuffix(t.text, "ed") || irregulars()[t.text] != "")
}

// hasDay reports whether the day at word i is said to be that of the whole:
// "is on Tuesday", 在周二 at the end.
func (a *Statement) hasDay(i int) bool {
	k := i - 1
	for k >= 0 && (prepositions[a.all[k].text] || whichDay[a.all[k].text]) {
		k--
	}
	if i+1 < len(a.all) {
		switch a.all[i+1].text {
		case "前", "之前", "以前":
			return true // until then
		}
	}
	if k < 0 {
		return false
	}
	switch w := a.all[k].text; w {
	case "is", "are", "是", "为", "定于", "定在", "by", "before", "until", "till", "due", "planned", "scheduled", "set", "fixed":
		return true
	case "在", "于":
		return i == len(a.all)-1
	}
	return a.all[k].colon
}

// whichDay are words before a day that tell which of its name.
var whichDay = wordSet(`每月 每个月 每周 每年 next this every each the coming 下 这 這 本 每 下个 每个 本周 上周`)

// hint is what little speaks for a contradiction where no screen fires: one
// denies, or says of all or none, what the other says otherwise, or has the
// opposite of a word; the more words they have in common the more. It takes
// two: a word that both have, or neither, is no hint.
func (a *Statement) hint(b *Statement, common int) float64 {
	shorter, longer := a, b
	if len(a.strict) > len(b.strict) {
		shorter, longer = b, a
	}
	if common == 0 || len(shorter.strict) == 0 {
		return 0
	}
	only := shorter.marks &^ longer.marks
	h := 0.0
	for _, w := range [...]struct {
		holds  bool
		weight float64
	}{
		{only&negated != 0, 0.15},
		{longer.marks&^shorter.marks&negated != 0, 0.02},
		{only&absolute != 0, 0.12},
		{only&none != 0, 0.08},
		{a.hasOpposite(b), 0.15},
		{only&hedged != 0, -0.1},
	} {
		if w.holds {
			h += w.weight
		}
	}
	const unlike = 0.4 // of a hint in a text that has hardly a word in common
	cover := float64(common) / float64(len(shorter.strict))
	return max(0, h) * (unlike + (1-unlike)*cover)
}
