package page

import (
	"slices"
	"strings"
	"unicode/utf8"

	"brain/text"
)

// What is done and what is still to be done, what has ended and what still goes on: two stages
// of one thing, whatever the words for them.
//
//	The migration is already complete.       The migration is still waiting for a review.
//	新房的装修已经全部完工。                    新房的装修还没开始。
//	The build server was decommissioned.     The build server is still building every commit.
//
// The words before "already" and "still" say of what, and must be the same; and what is said must be how
// it is, not what it does: who already has a designer may still need a developer.

// stage is where a statement puts what it speaks of, or what a word says of that.
type stage uint8

const (
	unstaged  stage = iota
	reached         // already, 已经
	ended           // decommissioned, 停掉
	pending         // still, 尚未
	completed       // reached; denied it is pending
	begun           // nothing; denied it is pending: has not started
	yet             // the same, of a negator before it: has not signed yet
	goesOn          // pending, if what follows goes on or is denied: 还在, 还没
)

var stageWords = map[stage]string{
	reached: `already 已经 已 早就 早已`,
	ended: `decommission dismantle scrap dissolve discontinue demolish wipe uninstall bankrupt cancel delete close resign retire expire lapse terminate
		停掉 停业 停用 停办 拆除 拆掉 报废 注销 退役 解散 卖掉 倒闭 关停 下线 作废 废止 取消 删除`,
	pending:   `still 仍 仍然 仍在 依然 照常 照旧 至今 尚未`,
	completed: `finish finished done complete completed 完成 完工 做完 写完 办好 办完 搞定`,
	begun:     `start begin started 开始 动工 启动 开工`,
	yet:       `yet`,
	goesOn:    `还`,
}

// addStages notes the stage of words. What else is known of a word stays.
func (l *wordLists) addStages() {
	for s, list := range stageWords {
		for _, w := range strings.Fields(list) {
			m, key := l.stems, stemOf(w)
			if r, _ := utf8.DecodeRuneInString(w); text.IsCJK(r) {
				m, key = l.han, w
			} else if _, ok := l.exact[w]; ok {
				m, key = l.exact, w
			}
			e := m[key]
			e.stage, e.known = s, true
			m[key] = e
		}
	}
}

// readStage gives where a statement puts a thing, and the place in the text of the word that says so.
func (a *Statement) readStage() (s stage, at int) {
	for i, t := range a.all {
		if t.stage == unstaged {
			continue
		}
		found, place := a.stageAt(i)
		switch {
		case found == unstaged:
		case s == unstaged:
			s, at = found, place
		case s == ended && found != ended:
			s = found // already closed
		case found != ended && found != s:
			return unstaged, 0 // both: it tells of two things
		}
	}
	return s, at
}

// stageAt is the stage that word i tells of, and where that begins.
func (a *Statement) stageAt(i int) (stage, int) {
	t := a.all[i]
	switch t.stage {
	case completed:
		if a.denied {
			return pending, t.start
		}
		return reached, t.start
	case begun:
		if i > 0 && a.all[i-1].role == negator {
			return pending, a.all[i-1].start
		}
		return unstaged, 0
	case yet:
		if k := slices.IndexFunc(a.all[:i], func(t token) bool { return t.role == negator }); k >= 0 {
			return pending, a.all[k].start
		}
		return unstaged, 0
	case goesOn:
		if i+1 < len(a.all) && (a.all[i+1].role == negator || goingOn[a.all[i+1].text]) {
			return pending, t.start
		}
		return unstaged, 0
	}
	return t.stage, t.start
}

var goingOn = wordSet(`在 正在 是 需要`)

const (
	minStaged    = 0.25 // of the words that two must share to be two stages of one thing, both said to be so
	minStagedHan = 0.4  // in Chinese, where nothing tells how a thing is from what it does
	minElsewhere = 0.5  // where one does not begin with what the other begins with
)

// elsewhere reports whether one of two statements puts a thing where it cannot be in the other.
func (a *Statement) elsewhere(b *Statement) bool {
	return a.stage == pending && (b.stage == reached || b.stage == ended) || b.stage == pending && (a.stage == reached || a.stage == ended)
}

// otherStage finds one thing in two stages.
func (c *contrast) otherStage() (detail [2]string, ok bool) {
	agree, differ := c.agree(0), len(c.left)+len(c.right) > 0
	settled, open := c.a, c.b
	if settled.stage == pending {
		settled, open = open, settled
	}
	switch {
	case !c.a.elsewhere(c.b), !differ, c.a.exclude(c.b), c.scoped():
		return detail, false
	case agree < minStaged, agree < minElsewhere && !c.sameBegin():
		return detail, false
	case !settled.isSo(agree), settled.stage != ended && !open.isSo(agree):
		return detail, false
	case hasStem(open.all, settled.said()): // closed on Mondays, still closed
		return detail, false
	case !onlyBehind(c.left, c.a.since), !onlyBehind(c.right, c.b.since):
		return detail, false
	}
	return [2]string{c.a.Claim.Text[c.a.since:], c.b.Claim.Text[c.b.since:]}, true
}

// said is the word that says that a thing is done or has ended, "" for one that says "already".
func (a *Statement) said() string {
	i := slices.IndexFunc(a.all, func(t token) bool { return t.stage == ended || t.stage == completed })
	if i < 0 {
		return ""
	}
	return a.all[i].stem
}

// isSo reports whether the word that says the stage stands beside a form of be: "is still", "was closed".
func (a *Statement) isSo(agree float64) bool {
	i := slices.IndexFunc(a.all, func(t token) bool { return t.start == a.since })
	if i < 0 || a.all[i].cjk() {
		return agree >= minStagedHan
	}
	if a.all[i].role == negator {
		return true // has not started
	}
	return i > 0 && being[a.all[i-1].text] || i+1 < len(a.all) && being[a.all[i+1].text]
}

var being = wordSet(`is are am was were be been s`)

// onlyBehind reports whether all words stand at or behind a place.
func onlyBehind(ts []token, at int) bool {
	return !slices.ContainsFunc(ts, func(t token) bool { return t.start < at })
}

// scoped reports whether each of two statements names something of its own: it may hold of one
// and not of the other.
func (c *contrast) scoped() bool {
	names := func(a *Statement, ts []token) bool {
		return slices.ContainsFunc(ts, func(t token) bool { return t.role == value || numberedName(t) || t.capital(a.Claim.Text) })
	}
	return names(c.a, c.left) && names(c.b, c.right)
}
