package page

import (
	"slices"
	"strings"
	"sync"
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
type holding struct{ of, who []token }

// longest name, in words or Chinese characters, and longest that stands first.
const (
	longestHolder = 8
	longestFirst  = 6
)

// otherHolder finds another one behind the same attribute.
func otherHolder(a, b *Statement) (detail [2]string, ok bool) {
	for _, x := range a.holdings() {
		for _, y := range b.holdings() {
			if detail, ok := x.against(y); ok {
				return detail, true
			}
		}
	}
	return detail, false
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
	if len(mine) == 0 || len(other) == 0 || mine[0].role == value && other[0].role == value {
		return detail, false // the same, with more words; of two values it is known whether both can be
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
	if !a.holder {
		return nil
	}
	for k := range a.core {
		of, who := a.core[:k+1], a.core[k+1:]
		if len(who) == 0 || !a.core[k].colon && !a.functional(k) || a.parted(who) || a.parted(of) {
			continue
		}
		switch {
		case len(who) <= longestHolder && (hasAttribute(of) || a.functional(k)):
			out = append(out, holding{of, who})
		case a.core[k].colon && len(of) <= longestFirst && hasAttribute(who) && a.theOne(k):
			out = append(out, holding{who, of})
		}
	}
	return append(out, a.doneBy()...)
}

// parted reports whether a stop or a comma stands within words of the statement.
func (a *Statement) parted(ts []token) bool {
	for i := 1; i < len(ts); i++ {
		if strings.ContainsAny(a.Claim.Text[ts[i-1].end:max(ts[i].start, ts[i-1].end)], ",;.!?，；。！？、") {
			return true
		}
	}
	return false
}

func hasAttribute(ts []token) bool {
	return slices.ContainsFunc(ts, func(t token) bool { return lexicon().attributes[t.stem] })
}

// theOne reports whether what stands behind "is" is said of one alone: "Bob is
// the owner", and not "Bob is an owner".
func (a *Statement) theOne(k int) bool {
	i := slices.IndexFunc(a.all, func(t token) bool { return t.start > a.core[k].start })
	for ; i >= 0 && i < len(a.all) && a.all[i].role == light; i++ {
		if w := a.all[i].text; w == "a" || w == "an" {
			return false
		}
	}
	return true
}

// functional reports whether the words up to k end in a verb of which there is
// one object at a time: "lives in", "owned by", 住在.
func (a *Statement) functional(k int) bool {
	f := functions()
	if t := a.core[k]; f.alone[t.stem] {
		return true
	}
	if k == 0 {
		return false
	}
	verb := a.core[k-1].stem
	return f.at[verb] && prepositions[a.core[k].text] || f.by[verb] && a.core[k].text == "by"
}

// doneBy reads "由 李四 负责 X" and "李四 负责 X", "Alice owns X".
func (a *Statement) doneBy() (out []holding) {
	from := 0
	if len(a.core) > 0 && (a.core[0].text == "由" || a.core[0].text == "归") {
		from = 1
	}
	for i := range a.core {
		if t := a.core[i].text; t == "由" || t == "归" {
			from = i + 1
		}
		if i+1 < len(a.core) && (prepositions[a.core[i+1].text] || a.core[i+1].text == "by") {
			continue // owned by
		}
		if n := i - from; n > 0 && n <= longestFirst && functions().of[a.core[i].stem] && !slices.ContainsFunc(a.core[from:i], joins) {
			out = append(out, holding{slices.Concat(a.core[i:i+1], a.core[:max(from-1, 0)], a.core[i+1:]), a.core[from:i]})
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

type functionWords struct{ alone, at, by, of map[string]bool }

// functions are the verbs of which there is one object, or one subject, at a time.
var functions = sync.OnceValue(func() functionWords {
	return functionWords{
		alone: wordSet(functionsHan),
		at:    stemSet(`live reside base locate headquarter host write born report belong marry store employ`),
		by:    stemSet(`own lead maintain manage host chair employ`),
		of:    merge(stemSet(`own lead chair maintain`), wordSet(functionsOfHan)),
	}
})

const functionsHan = `住在 位于 位於 设在 設在 出生于 毕业于 就职于 任职于 供职于 属于 隶属于 存放在 托管在 名叫`

const functionsOfHan = `负责 負責 主持 主管 维护 管理`

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
		if t.colon && hasAttribute(a.core) || f.alone[t.stem] || f.of[t.stem] || (f.at[t.stem] || f.by[t.stem]) && i+1 < len(a.core) {
			return true
		}
	}
	return false
}
