package page

import (
	"slices"
	"strings"
)

// A statement of several clauses may deny one thing and say another: "the team
// no longer uses Jira, it uses Linear" does not deny "the team uses Linear",
// though it has a negator and all the words.

// deniesElsewhere reports whether what other says is said by another clause than the one
// that a denies: the denied one speaks of something else besides, and a word of other is in
// no denied one; or all of it is.
func (a *Statement) deniesElsewhere(other *Statement) bool {
	if !a.denied {
		return false
	}
	clauses := a.clauses()
	if len(clauses) < 2 {
		return false
	}
	var denied, said []token
	for _, c := range clauses {
		if slices.ContainsFunc(c, func(t token) bool { return t.role == negator }) {
			denied = append(denied, c...)
		} else {
			said = append(said, c...)
		}
	}
	matters := func(t token) bool { return t.role != negator && t.role != light && t.weight == full }
	of := func(t token) bool { return matters(t) && !hasStem(other.core, t.stem) }
	added := func(t token) bool { return matters(t) && hasStem(said, t.stem) && !hasStem(denied, t.stem) }
	all := func(t token) bool { return !matters(t) || hasStem(said, t.stem) }
	return slices.ContainsFunc(denied, of) && slices.ContainsFunc(other.core, added) || !slices.ContainsFunc(other.core, func(t token) bool { return !all(t) })
}

// clauses parts the words at stops, commas and words that turn to something else.
func (a *Statement) clauses() (out [][]token) {
	from := 0
	for i := 1; i < len(a.all); i++ {
		t := a.all[i]
		if strings.ContainsAny(a.gap(a.all[i-1], t), ",;.，；。：") || turns[t.text] {
			out = append(out, a.all[from:i])
			from = i
		}
	}
	return append(out, a.all[from:])
}

// gap is what stands between two words.
func (a *Statement) gap(x, y token) string { return a.Claim.Text[x.end:max(y.start, x.end)] }

var turns = wordSet(`but instead now 但 而 却 现在 如今`)

// inDenied gives those of some words that stand in a clause that denies.
func (a *Statement) inDenied(ts []token) (out []token) {
	for _, c := range a.clauses() {
		k := slices.IndexFunc(c, func(t token) bool { return t.role == negator })
		if k < 0 {
			continue
		}
		if tellsWhich(c[k:]) {
			return ts
		}
		for _, t := range ts {
			if c[0].start <= t.start && t.start <= c[len(c)-1].start {
				out = append(out, t)
			}
		}
	}
	return out
}

// tellsWhich reports whether what is denied tells which things are spoken of, and the rest what of
// them: 没有到期日的改动.
func tellsWhich(ts []token) bool {
	of := slices.IndexFunc(ts, func(t token) bool { return t.text == "的" })
	return of > 0 && of+1 < len(ts)
}

// inOneClause reports whether a clause has all of the words that matter, two at least, and sets no condition.
func (a *Statement) inOneClause(ts []token) bool {
	const least = 2
	ts = slices.DeleteFunc(slices.Clone(ts), func(t token) bool { return t.weight != full })
	if len(ts) < least {
		return false
	}
	return slices.ContainsFunc(a.clauses(), func(c []token) bool {
		return !slices.ContainsFunc(c, func(t token) bool { return conditions[t.text] }) &&
			!slices.ContainsFunc(ts, func(t token) bool { return !hasStem(c, t.stem) })
	})
}

var conditions = wordSet(`if unless except only 如果 若 除非 除了 除 只 仅 只有`)

// begins gives the first word that says what the statement speaks of, "" for one that points elsewhere.
func (a *Statement) begins() string {
	for _, t := range a.all {
		switch {
		case t.role == light || t.role == negator || t.role == qualifier || t.text == "there":
		case t.text == "it" || t.text == "this" || t.text == "that":
			return ""
		default:
			return t.stem
		}
	}
	return ""
}

// sameBegin reports whether two statements begin with the same, so that one may well speak of what the other does.
func (c *contrast) sameBegin() bool { return c.a.begins() != "" && c.a.begins() == c.b.begins() }

// goesWithout reports whether a says that a thing goes without what other requires: "without a badge",
// 不用登记. Who has none of it may need it all the same.
func (a *Statement) goesWithout(other *Statement) bool {
	for i, t := range a.all {
		switch {
		case t.role != negator, t.text != "without" && !(i+1 < len(a.all) && needless[a.all[i+1].text]):
		case tellsWhich(a.all[i:]):
			return false
		default:
			k := slices.IndexFunc(a.all[i+1:], func(t token) bool { return t.weight == full && t.role != light && t.role != negator })
			return k >= 0 && hasStem(other.core, a.all[i+1+k].stem)
		}
	}
	return false
}

// lacks reports whether a says that something is not there: who needs it may well have none.
func (a *Statement) lacks() bool {
	return a.marks&required == 0 && slices.ContainsFunc(a.all, func(t token) bool { return t.role == negator && noneThere[t.text] })
}

var noneThere = wordSet(`no none 没有 没 沒有 沒`)

// has reports whether a says that something is there.
func (a *Statement) has() bool {
	return slices.ContainsFunc(a.all, func(t token) bool { return having[t.text] })
}

// hasNo reports whether a says of a thing that it is not there, and of no more than that.
func (a *Statement) hasNo() bool {
	for i, t := range a.all {
		if t.text == "没有" || t.text == "沒有" || t.role == negator && i > 0 && having[a.all[i-1].text] {
			return true
		}
	}
	return false
}

var having = wordSet(`has have had having own owns owned with 有 带 配`)

var needless = wordSet(`用 需 需要 须 必`)

// onlySome reports that one says only these do it, and the other that all of those do:
// "Only admins can delete projects", "Every member can delete projects".
func (c *contrast) onlySome() (detail [2]string, ok bool) {
	const enough = 0.5
	a, b := c.a, c.b
	if !(solely[a.all[0].text] && wholly[b.all[0].text] || wholly[a.all[0].text] && solely[b.all[0].text]) {
		return detail, false
	}
	quantifies := func(t token) bool { return solely[t.text] || wholly[t.text] }
	left, right := slices.DeleteFunc(slices.Clone(c.left), quantifies), slices.DeleteFunc(slices.Clone(c.right), quantifies)
	if len(left) == 0 || len(right) == 0 || c.agree(0) < enough || !a.ahead(left) || !b.ahead(right) {
		return detail, false
	}
	return [2]string{spell(left), spell(right)}, true
}

// ahead reports whether the words of one statement alone stand before those that another has, too.
func (a *Statement) ahead(only []token) bool {
	first, last := only[0], only[len(only)-1]
	return !slices.ContainsFunc(besides(a.core, only), func(t token) bool {
		return t.start < last.start && !solely[t.text] && !(t.han && t.end == first.start) // 店员, 店长: one word
	})
}

var (
	solely = wordSet(`only 只有 仅 仅有 唯有`)
	wholly = wordSet(`all every everyone everybody anyone anybody any each 所有 全部 任何 每个 每 人人 大家 全体`)
)
