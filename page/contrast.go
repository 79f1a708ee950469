package page

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// What two statements do not have in common, wherever in the sentence it
// stands, for one thing is said in many orders:
//
//	Two-factor login is enabled for admins.
//	For admins, two-factor login is disabled.      enabled | disabled
//
//	The on-call rotation has six people.
//	There are 8 people in the on-call rotation.    6 | 8
//
//	The test cluster has 3 nodes.
//	The production cluster has 9 nodes.            test 3 | production 9
//
// In the first two, all that differs is what is said; they contradict each
// other. In the third a word stands for another one besides: two things, of
// which each may have its own. So a word on either side that has no
// counterpart is what keeps two statements apart; a word that only one has is
// a detail, of which a few may be. Words that carry next to nothing ("has",
// "there", 一共) are neither.

type contrast struct {
	a, b        *Statement
	left, right []token // the words of one alone, in order
	shared      int     // words that both have
	named       bool    // the opposites found are parts of names: the public API, the private API
}

func contrastOf(a, b *Statement) *contrast {
	c := &contrast{a: a, b: b}
	c.left, c.shared = alone(a.core, b.core)
	c.right, _ = alone(b.core, a.core)
	if c.shared == 0 && personal[a.begins()] && c.sameBegin() {
		c.shared = 1 // he is married, he is single
	}
	return c
}

var personal = wordSet(`i we he she you 我 我们 他 她 你 您`)

// alone gives the words of ts that other does not have, and counts those that it has.
func alone(ts, other []token) (only []token, shared int) {
	have := make(map[string]int, len(other))
	for i := range other {
		have[other[i].stem]++
	}
	for _, t := range ts {
		switch {
		case have[t.stem] > 0:
			have[t.stem]--
			if t.weight != little {
				shared++
			}
		case t.weight == full:
			only = append(only, t)
		}
	}
	return only, shared
}

// agree is the share of words in common, of the longer, when n of each side
// that are known to differ do not count.
func (c *contrast) agree(n int) float64 {
	return share(c.shared, c.shared+max(len(c.left), len(c.right))-n, 1)
}

// valueDiff is what two statements differ by in values.
type valueDiff struct {
	n           int  // how many stand against each other
	independent bool // of different times or things: both can hold
	uneven      bool // one has more of a kind than the other: a range, a change
	detail      [2]string
}

// takeValues pairs the values of one kind, in order, and takes them out of
// what is left. What is written differently and may be the same is no pair.
func (c *contrast) takeValues() (v valueDiff) {
	times, moments := 0, 0
	var amount [2]token
	for {
		i, j := c.nextPair()
		if i < 0 {
			break
		}
		x, y := c.left[i], c.right[j]
		c.left, c.right = slices.Delete(slices.Clone(c.left), i, i+1), slices.Delete(slices.Clone(c.right), j, j+1)
		if x.dim == aDate && compatible(x.text, y.text) || x.dim == aWeekday && sameDay(x.text, y.text) || sameMeasure(x, y) {
			continue
		}
		if v.n == 0 {
			v.detail = [2]string{x.text, y.text}
		}
		v.n++
		amount = [2]token{x, y}
		if x.dim.isDay() {
			times++
		}
		if x.dim.isDay() || x.dim == aClock {
			moments++
		}
		v.independent = v.independent || x.dim == anOrdinal || x.hash || y.hash || c.a.numbers(x) || c.b.numbers(y) || c.bothHold(x, y)
		v.uneven = v.uneven || x.ranged != y.ranged
	}
	if v.n == 0 {
		return v
	}
	if moments == v.n {
		c.dropOccurring()
	}
	if v.n == 1 {
		c.dropFrame(amount[0], amount[1])
	}
	more := func(t token) bool { return t.role == value }
	v.uneven = v.uneven || slices.ContainsFunc(c.left, more) || slices.ContainsFunc(c.right, more)
	if times > 0 && (moments < v.n || len(c.left)+len(c.right) > 0 || !c.scheduled()) {
		v.independent = true // each holds of its own time
	}
	return v
}

// nextPair finds the first two values of one kind that are left.
func (c *contrast) nextPair() (i, j int) {
	for i, x := range c.left {
		if x.role != value {
			continue
		}
		for j, y := range c.right {
			if y.role == value && x.dim.comparable(y.dim) {
				return i, j
			}
		}
	}
	return -1, -1
}

// comparable kinds of values: a unit may go without saying.
func (d dimension) comparable(o dimension) bool {
	if d.lasts() && o.lasts() {
		return true
	}
	return d == o || d == aVersion && o == aCount || d == aCount && o == aVersion || d == aCount && o == aClock || d == aClock && o == aCount || d == aCount && o.understood() || o == aCount && d.understood()
}

// understood reports a unit that goes without saying: a price of 100, an age of 34.
func (d dimension) understood() bool {
	switch d {
	case "usd", "cny", "eur", "gbp", "year", "%":
		return true
	}
	return false
}

// lasts reports a length of time. Months and years have none that is exact.
func (d dimension) lasts() bool { return d == "s" || d == "month" || d == "year" }

// inSeconds is about how many of them a unit of time has.
func (d dimension) inSeconds() float64 {
	switch d {
	case "month":
		return 365.25 / 12 * 86400
	case "year":
		return 365.25 * 86400
	}
	return 1
}

func (d dimension) isDay() bool { return d == aDate || d == aWeekday }

// bothHold reports values that can both be, since one is a bound or not exact:
// "up to 50" and 12, "about 100" and 103.
func (c *contrast) bothHold(x, y token) bool {
	v, w, ok := magnitudes(x, y)
	p, q := c.a.marks, c.b.marks
	switch {
	case (p|q)&upper != 0 && (p|q)&lower != 0 && p&(upper|lower) != q&(upper|lower):
		return true // at least so many, and at most
	case !ok:
		return false
	case c.a.turnsAt(c.b):
		return c.a.notBefore && v <= w || c.b.notBefore && w <= v
	case c.a.partOf(c.b) && v <= w, c.b.partOf(c.a) && w <= v:
		return true
	case (p|q)&roughly != 0 && math.Abs(v-w) <= 0.1*math.Max(math.Abs(v), math.Abs(w)):
		return true
	case p&upper != 0 && q&(upper|lower) == 0:
		return w < v
	case q&upper != 0 && p&(upper|lower) == 0:
		return v < w
	case p&lower != 0 && q&(upper|lower) == 0:
		return w > v
	case q&lower != 0 && p&(upper|lower) == 0:
		return v > w
	}
	return false
}

// otherRate reports whether the values left out are of two rates: 60 per minute, 1 per second.
func (c *contrast) otherRate() bool {
	per := func(t token) bool { return spans()[t.stem] }
	return slices.ContainsFunc(c.left, per) && slices.ContainsFunc(c.right, per)
}

// partOf reports whether a statement tells how much of something is done, and the other how much there is
// in all, or is to be: "has been to seven lessons of the course", "has twelve lessons in total".
func (a *Statement) partOf(b *Statement) bool {
	return a.marks&done != 0 && b.marks&done == 0 && (b.marks&total != 0 || a.marks&sofar != 0)
}

// turnsAt reports whether one of two statements denies what the other says, and only of the time before
// an hour: "opens at nine", "does not open before ten".
func (a *Statement) turnsAt(b *Statement) bool {
	plainly := func(o *Statement) bool { return !o.denied && o.marks&(before|until) == 0 }
	return a.notBefore && plainly(b) || b.notBefore && plainly(a)
}

// deniesUntil reports whether a statement denies something of the time before an hour, which says it of the
// time from then on: "not before ten", "not until ten", 十点之前不.
func (a *Statement) deniesUntil() bool {
	if !a.denied || a.marks&(before|until) == 0 {
		return false
	}
	deny := slices.IndexFunc(a.all, func(t token) bool { return t.role == negator })
	for i, t := range a.all {
		if t.dim != aClock && t.dim != aCount {
			continue
		}
		if k := i - 1; k > deny && t.ends(a) && (a.all[k].text == "before" || a.all[k].text == "until" || a.all[k].text == "till") {
			return true
		}
		if k := i + 1; k < deny && t.dim == aClock && marksOf()[a.all[k].text] == before {
			return true
		}
	}
	return false
}

// ends reports whether a value is all that is said of its kind: an hour, or a number that counts nothing.
func (t token) ends(a *Statement) bool {
	return t.dim == aClock || t.end == len(a.Claim.Text) || strings.IndexByte(".,;:!?", a.Claim.Text[t.end]) >= 0
}

// sameMeasure reports two values that mean one, though they differ: 34 and 34
// years, 0.15 and 15 %, at 8 and 20:00, 2 GB and 2048 MB.
func sameMeasure(x, y token) bool {
	v, w, ok := magnitudes(x, y)
	if x.dim == aVersion || y.dim == aVersion {
		return sameRelease(x.text, y.text)
	}
	if !ok {
		return false
	}
	v, w = math.Min(v, w), math.Max(v, w)
	switch {
	case x.dim == "B" && y.dim == "B":
		for _, binary := range [...]float64{1 << 10, 1 << 20, 1 << 30, 1 << 40} {
			if r := binary / math.Pow(10, 3*math.Round(math.Log10(binary)/3)); math.Abs(w/v-r) < 1e-6 {
				return true
			}
		}
		return false
	case x.dim == y.dim:
		return false
	case x.dim.lasts() && y.dim.lasts():
		const unequal = 1.1 // months are of 28 to 31 days
		return v/w > 1/unequal && (x.dim == "s" || y.dim == "s") || w-v < 1e-6*w
	case x.dim == aClock || y.dim == aClock:
		return math.Abs(w-v) < 1e-6 || math.Abs(w-v-12) < 1e-6 || w > 24 // at 8; 0930 is no count
	case x.dim == "%" || y.dim == "%":
		return v == w || math.Abs(100*v-w) < 1e-9
	}
	return v == w
}

// magnitudes are what two values stand for, in one unit.
func magnitudes(x, y token) (v, w float64, ok bool) {
	v, okX := x.number()
	w, okY := y.number()
	if x.dim != y.dim && x.dim.lasts() && y.dim.lasts() {
		v, w = v*x.dim.inSeconds(), w*y.dim.inSeconds()
	}
	return v, w, okX && okY
}

// sameRelease reports whether one of two versions may be the other, told more exactly: 3.2 and 3.2.1.
func sameRelease(x, y string) bool {
	x, _, _ = strings.Cut(x, " ")
	y, _, _ = strings.Cut(y, " ")
	return strings.HasPrefix(x+".", y+".") || strings.HasPrefix(y+".", x+".")
}

// dropOccurring drops the verb of an event that one of two statements has
// ("leaves on May 3", "is on May 5"): that it takes place is said by its time. So is
// that a day is a day.
func (c *contrast) dropOccurring() {
	day := func(t token) bool { return dayWords()[t.stem] }
	c.left, c.right = slices.DeleteFunc(slices.Clone(c.left), day), slices.DeleteFunc(slices.Clone(c.right), day)
	drop := func(ts []token) []token {
		return slices.DeleteFunc(slices.Clone(ts), func(t token) bool { return onceOnly()[t.stem] })
	}
	if len(c.left) == 0 {
		c.right = drop(c.right)
	} else if len(c.right) == 0 {
		c.left = drop(c.left)
	}
}

// number is what a value stands for, where that is a number.
func (t token) number() (float64, bool) {
	digits, _, _ := strings.Cut(t.text, " ")
	if hour, minute, isClock := strings.Cut(digits, ":"); isClock && t.dim == aClock {
		h, _ := strconv.Atoi(hour)
		m, err := strconv.Atoi(minute)
		return float64(h) + float64(m)/60, err == nil
	}
	v, err := strconv.ParseFloat(digits, 64)
	return v, err == nil && !t.dim.isDay()
}

// takeOpposed finds a word of which the other side has the opposite, and takes both out.
func (c *contrast) takeOpposed() (detail [2]string, ok bool) {
	const most = 12 // words that differ: more are another text
	if len(c.left) > most || len(c.right) > most {
		return detail, false
	}
	for _, x := range slices.Concat(c.left, c.a.switches()) {
		for _, y := range slices.Concat(c.right, c.b.switches()) {
			if x.opposes(y) {
				c.named = c.a.attributive(x) && c.b.attributive(y)
				c.left, c.right = besides(c.left, []token{x}), besides(c.right, []token{y})
				return [2]string{x.text, y.text}, true
			}
		}
	}
	return detail, false
}

// switches are the words that are an opposite here and a preposition there: on.
func (a *Statement) switches() (out []token) {
	for _, t := range a.core {
		if t.weight != full && t.antonym.group != 0 {
			out = append(out, t)
		}
	}
	return out
}

// opposes reports whether two words are opposites.
func (t token) opposes(o token) bool {
	return t.antonym.opposed(o.antonym) || t.role == plain && o.role == plain && (prefixed(t.text, o.text) || prefixed(t.stem, o.stem))
}

// attributive reports whether an opposite stands before what it tells from others.
func (a *Statement) attributive(t token) bool {
	i := slices.IndexFunc(a.core, func(o token) bool { return o.start == t.start })
	if i > 0 && everyOf[a.before(t)] {
		return true // all open issues
	}
	if i < 0 || !naming()[t.antonym.group] || i > 0 && a.core[i-1].colon {
		return false
	}
	if cadence[t.stem] && t.cjk() && i > 0 && a.before(t) != "的" {
		return false // 备份每天跑一次: how often, and not which
	}
	const said = 2 // what is named, and what is said of it
	n := 0
	for _, o := range a.core[i+1:] {
		if o.weight == full {
			n++
		}
	}
	return n >= said && a.core[i+1].weight == full
}

// before gives the word before another one, articles and all.
func (a *Statement) before(t token) string {
	i := slices.IndexFunc(a.all, func(o token) bool { return o.start == t.start })
	if i < 1 {
		return ""
	}
	return a.all[i-1].text
}

var everyOf = wordSet(`all every each any`)

// replaced reports whether a word that is no value stands for another one.
func (c *contrast) replaced() bool { return len(c.left) > 0 && len(c.right) > 0 }

// scheduled reports whether two statements with different dates speak of
// something that has one: a deadline, a birth, what is "on Tuesday".
func (c *contrast) scheduled() bool {
	return (c.a.marks&onDay != 0 || c.a.once()) && (c.b.marks&onDay != 0 || c.b.once())
}

// once reports whether a statement speaks of what has one date.
func (a *Statement) once() bool {
	var joined strings.Builder
	for _, t := range a.all {
		if onceOnly()[t.stem] {
			return true
		}
		joined.WriteString(t.text)
	}
	return slices.ContainsFunc(onceOnlyHan, func(w string) bool { return strings.Contains(joined.String(), w) })
}

// numbers reports whether a number is the name of what the statement is
// about: "issue 12 is closed", "Go 1.21 is fast". It stands at the beginning,
// is a version or beside a word for things that have numbers, and something
// is said of it.
func (a *Statement) numbers(t token) bool {
	const nearStart = 2
	i := slices.IndexFunc(a.core, func(o token) bool { return o.start == t.start })
	if i < 0 || i+1 >= len(a.core) || i > 0 && a.core[i-1].colon {
		return false
	}
	if n := a.numberedBefore(i); n > 0 && i-n <= nearStart {
		return true
	}
	return i <= nearStart && (i > 0 && (t.dim == aVersion || t.dim == aCount && a.core[i-1].names()) || numberedHan[a.core[i+1].text])
}

// names reports a thing that has numbers: option, not "tracks", which is what somebody does.
func (t token) names() bool {
	return numbered()[t.stem] && (!strings.HasSuffix(t.text, "s") || strings.HasSuffix(t.text, "ss")) && !strings.HasSuffix(t.text, "ed") && !strings.HasSuffix(t.text, "ing")
}

// numberedBefore reports how many words before word i of core spell a thing that has numbers: 会议室 3.
func (a *Statement) numberedBefore(i int) int {
	const longest = 3
	w := ""
	for n := 1; n <= min(i, longest) && a.core[i-n].text[0] >= 0x80 && !a.core[i-n].colon; n++ {
		if w = a.core[i-n].text + w; numberedBefore[w] {
			return n
		}
	}
	return 0
}

// exclude reports what keeps two statements from contradicting each other
// whatever else differs: one speaks of before, the other of after; one of
// what was, the other of what is; one of some. What must be done before something is
// no time before it.
func (a *Statement) exclude(b *Statement) bool {
	p, q := a.marks, b.marks
	if a.turnsAt(b) {
		p, q = p&^(before|until), q&^(before|until)
	}
	turned := func(x, y mark) bool { return p&x != 0 && q&y != 0 || q&x != 0 && p&y != 0 }
	if p&(until|negated) == until|negated && q&negated == 0 || q&(until|negated) == until|negated && p&negated == 0 {
		return true // not until then: but since
	}
	return (p|q)&some != 0 && (p|q)&none == 0 || (p^q)&portion != 0 || (p^q)&before != 0 && (p|q)&required == 0 || p&(before|after) != q&(before|after) && turned(before, after) || turned(other, this) ||
		turned(until, after) || turned(past, present) && p&past != q&past || (p^q)&formerly != 0
}

// exchangedEnds reports whether the words that both have stand in another order, so that
// who does it to whom is another: what is denied of one may hold of the other.
func (c *contrast) exchangedEnds() bool {
	x, y := besides(active(c.a), c.left), besides(active(c.b), c.right)
	if len(x) != len(y) || sameStems(x, y) {
		return false
	}
	_, _, swapped := swapped(x, y)
	return swapped
}

// besides gives the words of ts that matter and are not among those left over.
func besides(ts, left []token) (out []token) {
	for _, t := range ts {
		if t.weight != little && !slices.ContainsFunc(left, func(o token) bool { return o.start == t.start }) {
			out = append(out, t)
		}
	}
	return out
}
