package retrieve

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// dateRow is the tokens of a question while rules are applied.
type dateRow struct {
	now   time.Time   // midnight
	t     []dateToken // between two of kind ?
	kinds []byte      // of t
	ahead bool        // the question is about what will be
}

// dateMatch is where a rule holds: the tokens from i to j.
type dateMatch struct {
	*dateRow
	i, j int
}

// is reports whether the token at i is of one of the kinds.
func (r *dateRow) is(i int, kinds string) bool {
	return 0 <= i && i < len(r.kinds) && strings.IndexByte(kinds, r.kinds[i]) >= 0
}

// of is the first token of one of the kinds, else the zero one.
func (m dateMatch) of(kinds string) dateToken {
	if i := slices.IndexFunc(m.t[m.i:m.j], func(t dateToken) bool { return strings.IndexByte(kinds, t.kind) >= 0 }); i >= 0 {
		return m.t[m.i+i]
	}
	return dateToken{}
}

// behind and before tell what stands around the match.
func (m dateMatch) has(kinds string) bool    { return m.of(kinds).kind != 0 }
func (m dateMatch) behind(kinds string) bool { return m.is(m.i-1, kinds) }
func (m dateMatch) before(kinds string) bool { return m.is(m.j, kinds) }
func (m dateMatch) last() dateToken          { return m.t[m.j-1] }

// dateRule makes one token of those whose kinds match, or of the group of them,
// unless join declines with a zero token.
type dateRule struct {
	kinds *regexp.Regexp
	join  func(dateMatch) dateToken
}

func (r *dateRow) apply(rule dateRule) {
	for i := 0; i < len(r.kinds); i++ {
		at := rule.kinds.FindSubmatchIndex(r.kinds[i:])
		if at == nil {
			return
		}
		m := dateMatch{r, i + at[0], i + at[1]}
		for g := 2; g < len(at); g += 2 {
			if at[g] >= 0 {
				m.i, m.j = i+at[g], i+at[g+1]
			}
		}
		i += at[0]
		if w := rule.join(m); w.kind != 0 {
			w.start, w.end = m.t[m.i].start, m.last().end
			r.t = slices.Replace(r.t, m.i, m.j, w)
			r.kinds = slices.Replace(r.kinds, m.i, m.j, w.kind)
			i-- // the rule may hold for it again
		}
	}
}

// rangeRules is how many rules, the last ones, make ranges of dates that were
// found: from May to July, since yesterday.
const rangeRules = 2

// dateRules in the order in which they are tried, each on the whole row.
var dateRules = sync.OnceValue(func() (rules []dateRule) {
	join := func(kinds string, join func(dateMatch) dateToken) {
		rules = append(rules, dateRule{regexp.MustCompile(kinds), join})
	}
	count := func(kinds string, kind byte, most int) {
		join(kinds, func(m dateMatch) (w dateToken) {
			if n := m.t[m.i].n; 1 <= n && n <= most {
				w.kind, w.n = kind, n
			}
			return w
		})
	}
	dated := func(kinds string, f func(dateMatch) span) {
		join(kinds, func(m dateMatch) (w dateToken) {
			if s := f(m); s.from.Before(s.to) {
				w.kind, w.span = 'X', &s
			}
			return w
		})
	}
	const amount = `(?:(?:[nN1F]|1?g)[1oj]?[u+Y]|J)`

	count(`[98]Y`, 'y', 2200) // 2023 年 is a year
	count(`[nN]K`, 'm', 12)   // 5 月 a month
	count(`[nNi]V`, 'Q', 4)   // 第 3 季度, third quarter
	join(`[nN]D`, dateMatch.dayNumber)
	count(`iF`, 'H', 2) // first half
	count(`~u`, 'R', 7) // other day
	join(`nY|r[Yu]`, dateMatch.namedYear)
	dated(`yG?%?[mSLQH]|[98][mSLQH]|[SLQH]G?o?[y98]`, func(m dateMatch) span { return narrow(yearSpan(m.of("y98").n), m.of("mSLQH")) })
	dated(`[ni](?:[-t][ni])?o?[mMv5](?:G?o?[y98])?`, dateMatch.month)
	dated(`[mMv5](?:e?[ni](?:[-t][ni])?|J(?:[-t]J)?)?(?:G?o?[y98])?`, dateMatch.month)
	dated(`(y|9-9|9[-t]y)|(?:[lobsAUf4P(u]|P-|bt|X[-t&U])(9)(?:[^#t]|t[9yX])|B(9)&[9yX]`, func(m dateMatch) span {
		return span{from: yearSpan(m.t[m.i].n).from, to: yearSpan(m.last().n).to}
	})
	dated(`XG?J`, dateMatch.narrower)
	dated(amount+`j?[aq]`, dateMatch.ago)
	dated(`dT?|rT`, func(m dateMatch) span { return m.period(m.t[m.i].n, unitDay) }) // yesterday, last night
	dated(`XG?Y?[JcxwmSLQH]`, dateMatch.narrower)
	dated(`r[mMv5SL]`, dateMatch.relativeMonth)
	dated(`[^Y](m|Q)|(?:[elsbAUBfP]|[EPO]o)(?:e?(M)|(v))|[lsP](5)|[lsbAUBfPO]e?(S)|le(L)[^o]|P(L)`+
		`|([Mv5])[-tU]e?[mMv5X]|[mMv5X][-tU]e?([Mv5])|B[mMv5X]&([Mv5])`, dateMatch.monthAlone)
	for range 2 { // on what is said by itself, then on what is relative to today
		dated(`[ir](?:[uwV]|[nN][u+])[ol]e?X|XG?%Nu`, dateMatch.nth)
		dated(`ioe?X`, dateMatch.dayOf)
		dated(`uoe?X|wG?o?e?X`, dateMatch.within)
		dated(`P-?[lo]?e?X|Eoe?[XuKV]|[YK]c`, dateMatch.part)
		dated(amount+`[bA]e?X|[ir]?[uVw][bA]e?X|[uV]br`, dateMatch.beside)
		dated(`[rpR]`+amount+`|[rp][uKVxw]|R`, dateMatch.relative)
		dated(`XG?Y?[JcxwmSLQH]`, dateMatch.narrower)
	}
	dated(`[lO](eu)|O(ei)[?GT']|[^/nN](x)|[lOsbAUBft](w)|[^/1](w)[?GT']`, dateMatch.alone)
	dated(`[fB]?e?X[-tU&]e?X\|?`, dateMatch.between)
	dated(`(?:[sbAUf]t?e?)?X[zqhZ]?`, dateMatch.bounded)
	return rules
})

// dayNumber reads 8日, 15号.
func (m dateMatch) dayNumber() (w dateToken) {
	if n := m.t[m.i].n; 1 <= n && n <= 31 {
		w = dateToken{kind: 'J', n: n, numbered: m.last().n == 1}
	}
	return w
}

// dayOf reads the 15th of next month.
func (m dateMatch) dayOf() span {
	in := *m.last().span
	if !in.to.Equal(in.from.AddDate(0, 1, 0)) || m.t[m.i].n < 1 {
		return span{}
	}
	return narrow(in, dateToken{kind: 'J', n: m.t[m.i].n})
}

// namedYear reads 23年 before a month, and last year; "the last year" is left
// to be the last twelve months.
func (m dateMatch) namedYear() (w dateToken) {
	switch n, y := m.t[m.i].n, m.now.Year(); {
	case m.has("r") && m.last().n == unitYear && (n != -1 || !m.behind("e")) && !m.before("b"):
		w.kind, w.n = 'y', y+n
	case m.t[m.i].end-m.t[m.i].start == 2 && m.before("m"): // 23年
		w.kind, w.n = 'y', y+10-(y+10-n)%100
	}
	return w
}

// month reads a month with a day or days, a year, or all of them: 8 May, May
// 6-7, the 3rd of June, May 2023, 5月8号.
func (m dateMatch) month() span {
	month, year := m.of("mMv5"), m.of("y98").n
	var days []int
	for _, t := range m.t[m.i:m.j] {
		if strings.IndexByte("niJ", t.kind) >= 0 {
			days = append(days, t.n)
		}
	}
	first, word := m.t[m.i].kind, m.of("i").end-m.of("i").start > 4 // second
	switch {
	case year == 0 && (len(days) == 0 || m.before("u+#") || m.behind("Y")), // in May 3 people, 每年5月8日
		year == 0 && month.kind == 'v' && first == 'n' && !m.behind("?lOsbAUBftP") && !m.before("?G"), // section 3 may contain
		word && !m.has("o") && (first == 'i' || month.kind == 'v' && !m.behind("lOsbAUBftP")):
		return span{}
	case len(days) == 0:
		return narrow(yearSpan(year), month)
	}
	in := func(y int) (s span) {
		first, end := date(y, month.n, days[0]), date(y, month.n, days[len(days)-1]+1)
		if first.Day() == days[0] && !end.After(date(y, month.n+1, 1)) {
			s.from, s.to = first, end
		}
		return s
	}
	if year > 0 {
		return in(year)
	}
	return m.infer(in)
}

// infer finds the year of what has none: the last that has begun or, when the
// question is about what will be, the next that is not over.
func (r *dateRow) infer(in func(y int) span) (s span) {
	for n := range 10 {
		y := r.now.Year() + 1 - n
		if r.ahead {
			y = r.now.Year() - 1 + n
		}
		if s = in(y); !s.to.IsZero() && (r.ahead && s.to.After(r.now) || !r.ahead && !s.from.After(r.now)) {
			s.yearless = true
			return s
		}
	}
	return span{}
}

// monthAlone reads a month, season or quarter without year.
func (m dateMatch) monthAlone() span {
	if m.last().kind == 'v' && m.last().n == 3 && m.behind("e") {
		return span{} // the march
	}
	return m.infer(func(y int) span { return narrow(yearSpan(y), m.last()) })
}

// narrower reads what stands behind its year, month or week: 去年的五月, 上周五.
func (m dateMatch) narrower() span { return narrow(*m.t[m.i].span, m.last()) }

// relativeMonth reads last May, this June, next summer.
func (m dateMatch) relativeMonth() span {
	n, t := m.t[m.i].n, m.last()
	if m.behind("e") || t.kind == 'v' && n >= 0 && !m.before("?GlO") {
		return span{} // the last march, this may
	}
	y := m.now.Year() - n
	s := narrow(yearSpan(y), t)
	for n < 0 && s.to.After(m.now) || n > 0 && !s.from.After(m.now) {
		y += n
		s = narrow(yearSpan(y), t)
	}
	return s
}

// amount is how many of which unit; of a few the most.
func (m dateMatch) amount() (n, unit int, few bool) {
	n, unit = 1, m.of("u+YV").n
	switch t := m.of("nNgFJ"); {
	case t.kind == 'J':
		n, unit = t.n, unitDay
	case t.kind == 'F' && unit == unitYear:
		n, unit = 6, unitMonth
	case t.kind == 'F' && unit == unitMonth:
		n, unit = 15, unitDay
	case t.kind != 0 && t.kind != 'F':
		n, few = t.n, t.kind == 'g'
	}
	return n, unit, few
}

// ago reads 3 days ago, a few months ago, 两年前.
func (m dateMatch) ago() span {
	n, unit, few := m.amount()
	if day := m.of("J"); day.numbered || day.kind != 0 && m.behind("uKVYX") { // 15号之前, 上个月3日前
		return span{}
	}
	if few {
		return span{from: addUnits(m.now, -n, unit), to: addUnits(m.now, -2, unit).AddDate(0, 0, 1), soft: true}
	}
	return centred(addUnits(m.now, -n, unit), unit)
}

// nth reads the first week of May, the last Friday of 2023, 5月第一周.
func (m dateMatch) nth() span {
	in, count, what, many := *m.of("X").span, m.of("irN"), m.of("u+wV"), m.of("nN").n
	s := step(in.from, count.n-1, what)
	switch {
	case count.kind == 'r' && count.n != -1 || count.n == 0 || count.n > 5:
		return span{}
	case count.kind == 'r' && many > 0:
		s.from, s.to = addUnits(in.to, -many, what.n), in.to
	case count.kind == 'r':
		s = step(in.to, -1, what)
	case count.kind == 'i' && many > 0:
		s.to = addUnits(s.from, many, what.n)
	}
	if s.from.Before(in.from) || !s.from.Before(in.to) {
		return span{}
	}
	return s
}

// within reads the week of 8 May, Friday last week, Monday, 8 May.
func (m dateMatch) within() span {
	s, what := *m.last().span, m.t[m.i]
	if what.kind == 'w' {
		return narrow(s, what)
	}
	if e := enclosing(s.from, what.n); e.to.After(s.to) {
		return e
	}
	return s
}

// part reads early May, the end of last year, 年底.
func (m dateMatch) part() span {
	part, of := m.of("PEc").n, m.of("XuKVY")
	if of.kind == 'X' {
		return third(*of.span, part)
	}
	s := third(m.period(0, of.n), part)
	switch {
	case m.has("c") && m.behind("r"), m.has("u") && of.n == unitDay: // 上月底, at the end of the day
		return span{}
	case !m.ahead && s.from.After(m.now):
		return third(m.period(-1, of.n), part)
	}
	return s
}

// beside reads the week before 9 June, two days after 8 May, the Friday before
// last week, the week before last.
func (m dateMatch) beside() span {
	n, unit, few := m.amount()
	what, last, after := dateToken{kind: 'u', n: unit}, m.last(), m.has("A")
	if m.has("w") {
		what = m.of("w")
	}
	switch {
	case m.behind("/") || last.kind == 'r' && (last.n != -1 || m.before("uwxVKmMv5SL")):
		return span{}
	case last.kind == 'r':
		return m.period(-2, unit)
	case few && after:
		return span{from: last.span.to, to: addUnits(last.span.to, n, unit), soft: true}
	case few:
		return span{from: addUnits(last.span.from, -n, unit), to: last.span.from, soft: true}
	case n > 1 && last.span.days() < unitDays[unit]-2 && after: // two weeks after a day
		return centred(addUnits(last.span.from, n, unit), unit)
	case n > 1 && last.span.days() < unitDays[unit]-2:
		return centred(addUnits(last.span.from, -n, unit), unit)
	case after:
		return step(last.span.to, n-1, what)
	}
	return step(last.span.from, -n, what)
}

// relative reads what is said from today on: last week, 上周五, the past three
// months, recently.
func (m dateMatch) relative() span {
	t, next, the, tomorrow := m.t[m.i], m.last(), m.behind("e"), m.now.AddDate(0, 0, 1)
	n, unit, few := m.amount()
	switch {
	case m.j == m.i+1: // recently
		return span{from: m.now.AddDate(0, 0, -t.n), to: tomorrow, soft: true}
	case next.kind == 'w' && t.n == -1:
		return step(m.now, -1, next)
	case next.kind == 'w' || next.kind == 'x':
		return narrow(m.period(t.n, unitWeek), next)
	case m.j == m.i+2 && next.kind != 'J':
		if n, unit = 1, next.n; unit == unitDay {
			return span{}
		}
		if rolls := t.kind == 'p' || t.n == -1 && the; !rolls || unit == unitWeekend {
			return m.period(t.n, unit)
		}
	case t.kind == 'r' && !the && !m.behind("?lO") && t.end != m.t[m.i+1].start:
		return span{} // did it last two days
	}
	if t.kind == 'r' && t.n > 0 {
		return span{from: tomorrow, to: addUnits(tomorrow, n, unit), soft: few}
	}
	return span{from: addUnits(m.now, -n, unit), to: tomorrow, soft: few}
}

// alone reads a weekday, the weekend, the 15th: the last that has begun.
func (m dateMatch) alone() (s span) {
	t := m.last()
	switch {
	case t.kind == 'i':
		for n := 0; n < 12 && (s.to.IsZero() || s.from.After(m.now)); n++ {
			s = narrow(m.period(-n, unitMonth), dateToken{kind: 'J', n: t.n})
		}
		return s
	case t.kind == 'u' && t.n != unitWeekend:
		return s
	case m.ahead:
		return step(m.now, 0, t)
	}
	return step(m.now.AddDate(0, 0, 1), -1, t)
}

// between reads a range: from May to July, May and July behind between or
// before 之间. A year said once counts for both ends.
func (m dateMatch) between() span {
	a, b := *m.of("X").span, m.last().span
	if m.has("|") {
		b = m.t[m.j-2].span
	}
	if m.has("&") && !m.has("B|") {
		return span{}
	}
	from, to, years := a.from, b.to, b.from.Year()-a.from.Year()
	switch {
	case a.yearless && !b.yearless:
		from = from.AddDate(years, 0, 0)
	case b.yearless && !a.yearless:
		to = to.AddDate(-years, 0, 0)
	}
	switch {
	case from.Before(to):
	case a.yearless:
		from = from.AddDate(-1, 0, 0)
	case b.yearless:
		to = to.AddDate(1, 0, 0)
	}
	return span{from: from, to: to, soft: a.soft || b.soft, yearless: a.yearless && b.yearless}
}

// bounded reads since, before, after or until a date.
func (m dateMatch) bounded() span {
	op, s, tomorrow := m.kinds[m.i], *m.of("X").span, m.now.AddDate(0, 0, 1)
	switch last := m.last().kind; {
	case last == 'z', last == 'Z' && op == 'f':
		op = 's'
	case last == 'q':
		op = 'b'
	case last == 'h':
		op = 'A'
	case op == 'X':
		return span{}
	}
	s.open = op != 'f'
	switch op {
	case 's':
		s.to = tomorrow
	case 'A':
		s.from, s.to = s.to, tomorrow
	case 'b':
		s.from, s.to = firstDay, s.from
	case 'U':
		s.from = firstDay
	}
	if s.to == tomorrow && !s.from.Before(s.to) {
		s.to = lastDay
	}
	return s
}
