package retrieve

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// Which days does a question speak of? Its words become a row of tokens, each
// with a kind, one letter, and a number: "since 8 May, 2023" is s n v G 9.
// Rules, regular expressions over those letters, make one token of several
// until each date is one token X: n v G 9 is an X, and so is s X. Rules see
// kinds and not words, so one set of them reads English and Chinese, a rule is
// a dozen letters, and so is what it is matched with. A question without a
// token that a date needs meets no rule and costs a look-up a word.
//
// Questions are put to a memory of what was, so what is left open is taken as
// past: "May" is the last May that has begun, "on Friday" the last Friday or
// today. Weeks start on Monday. What is mostly no date (may, march, spring, a
// number of four digits) is one only beside a word that makes it one.

// span is a stretch of days that a question speaks of.
type span struct {
	from, to time.Time // midnight UTC, to exclusive; within 1900..2200
	words    string    // as found in the question
	soft     bool      // about then: recently, late May, two weeks ago
	open     bool      // only one end is said: since, before, after
	yearless bool      // the year is inferred: on 8 May
}

// when finds the dates that a question names, relative to now (UTC), in the
// order of the question.
func when(question string, now time.Time) (spans []span) {
	q, today := plainDates(question), enclosing(now.UTC(), unitDay).from
	var buf [40]dateToken
	t, dated := readDates(buf[:0], q, today.Year())
	if !dated || today.Before(firstDay) || !today.Before(lastDay) {
		return nil
	}
	edge := []dateToken{{kind: '?'}}
	r := &dateRow{now: today, t: slices.Concat(edge, t, edge)}
	for _, w := range r.t {
		r.kinds = append(r.kinds, w.kind)
	}
	will := slices.Index(r.kinds, '>')
	r.ahead = will >= 0 && r.kinds[will+1] != '\'' && !slices.Contains(r.kinds, '<') // not Will's
	for _, rule := range dateRules() {
		r.apply(rule)
	}
	if len(q) == len(question) {
		q = question
	}
	for _, w := range r.t {
		if w.kind == 'X' && !w.span.from.Before(firstDay) && !w.span.to.After(lastDay) {
			w.span.words = q[w.start:w.end]
			spans = append(spans, *w.span)
		}
	}
	return spans
}

// plainDates is lower case, full-width forms as ASCII: what a date needs of
// text.Fold, at a fraction of its cost.
func plainDates(q string) string {
	if utf8.RuneCountInString(q) == len(q) {
		return strings.ToLower(q)
	}
	return strings.Map(func(r rune) rune {
		if 0xFF01 <= r && r <= 0xFF5E {
			r -= 0xFEE0
		}
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, q)
}

var firstDay, lastDay = date(1900, 1, 1), date(2200, 1, 1)

// dateVocabulary is kind, number, words. Kind '.' keeps words whole that would
// be read as dates in part. Beside these kinds a number is n, 9 when it can be a
// year (8: beside a month only), i an ordinal; J is a day of the month, X a date.
const dateVocabulary = `
m 1 january; m 2 february; m 7 july; m 9 september; m 10 october; m 11 november; m 12 december; M 4 april; M 6 june jun; M 8 august; v 3 march; v 5 may
5 1 jan; 5 2 feb; 5 3 mar; 5 4 apr; 5 7 jul; 5 8 aug; 5 9 sep sept; 5 10 oct; 5 11 nov; 5 12 dec
w 1 monday; w 2 tuesday tue tues; w 3 wednesday; w 4 thursday thu thur thurs; w 5 friday fri; w 6 saturday; w 7 sunday
x 1 周一 星期一 礼拜一 週一; x 2 周二 星期二 礼拜二 週二; x 3 周三 星期三 礼拜三 週三; x 4 周四 星期四 礼拜四 週四
x 5 周五 星期五 礼拜五 週五; x 6 周六 星期六 礼拜六 週六; x 7 周日 星期日 星期天 礼拜日 礼拜天 週日
u 0 day 天; u 1 week 周 週 星期 礼拜 禮拜 个星期 個星期 个礼拜 個禮拜; u 2 weekend 周末 週末 个周末 個週末; u 3 month 个月 個月 个多月 個多月
V 4 quarter 季度; u 4 个季度; u 5 year; u 6 decade; + 0 days; + 1 weeks; + 2 weekends; + 3 months; + 4 quarters; + 5 years; + 6 decades; D 0 日 号 號; K 3 月 月份; Y 5 年 年度
y -3 大前年; y -2 前年; y -1 去年; y 0 今年; y 1 明年; y 2 后年
d -3 大前天; d -2 前天 前晚; d -1 yesterday 昨天 昨日 昨晚 昨夜; d 0 today tonight 今天 今日 今早 今晚; d 1 tomorrow 明天 明日 明早 明晚
r -2 上上 上上个 上上個; r -1 last previous 上 上个 上個 上一 上一个; r 0 this current 这 这个 這 這個 这一 本; r 1 next coming 下 下个 下個 下一 下一个
p -1 past 过去 過去 近; R 30 recently lately 最近 近来 近期 这阵子 这段时间; R 7 近日 前几天 前两天 前些天 这几天 这两天; R 90 前阵子 前段时间 前不久 不久前
a 0 ago; q 0 前 之前 以前; h 0 后 之后 以后 後 之後 以後; z 0 以来 以來 至今; Z 0 起 开始 onward onwards
s 0 since 自从; b 0 before prior; A 0 after; U 0 until till; B 0 between; f 0 from 从 從 自; t 0 to through thru 到 至; & 0 and & 和 与 與; | 0 之间 之間 期间 期間
l 0 in during throughout by around circa; O 0 on over within at about as; 4 0 for; o 0 of; e 0 the; 1 1 a an; G 0 的 ,; % 0 第; ( 0 ( [ 【; ' 0 ' ’; - 0 - – — ~
P 1 early; P 2 mid; P 3 late; E 0 start beginning; E 2 middle; E 4 end; c 0 初; c 1 上旬; c 2 中旬; c 3 下旬; c 4 底 末
S 6 summer; S 9 autumn; S 12 winter; L 3 spring 春天 春季; L 9 fall 秋天 秋季; L 6 夏天 夏季; L 12 冬天 冬季
Q 1 q1; Q 2 q2; Q 3 q3; Q 4 q4; H 1 h1 上半年; H 2 h2 下半年; F 0 half 半; j 0 多; i 1 first; i 2 second; i 3 third; i 4 fourth; i 5 fifth
N 0 〇 零; N 1 one 一; N 2 two 二 两 兩; N 3 three 三; N 4 four 四; N 5 five 五; N 6 six 六; N 7 seven 七; N 8 eight 八; N 9 nine 九; N 10 ten 十; N 11 eleven; N 12 twelve; g 3 couple; g 6 few several 几 幾 数
T 0 night morning afternoon evening 早上 上午 中午 下午 晚上 凌晨; > 0 will upcoming 将 即将; < 0 did was were had 了; ~ 7 other
/ 0 every each any per black good cyber 每 每个 每逢; ? 0 ? ! 。
# 0 rows lines bits bytes chars characters messages emails samples queries hours minutes seconds items people users files tokens records times points pages words steps requests dollars euros miles meters ms px mb gb kb km percent
. 0 五月天 十月革命 最近邻 最近公共 附近 日本 基本 版本 成本 资本 文本 脚本 样本 副本 接近 靠近 马上 网上 以上 线上 加上 路上 身上 海上 以下 之下 下来 上海
. 0 周期 周年 周围 周边 周报 周刊 月球 月亮 月饼 年级 年龄 年轻 年薪 年纪 年代 年糕 年会 中国 初中 初始 初级 初次 底层 底部 数据 数量 数学 季节
. 0 后来 后端 后台 后续 后面 前端 前面 前台 前任 前后 到底 到达 至少 至于 起草 起来 起诉 起因 从来 从事 自己 自动 天气 天天 号码 号线 月刊 月薪 当前 目前 前往 哪一 那一`

// dateAnchors are the kinds without one of which there is no date.
const dateAnchors = "mMv5wxu+VyYdRSLQHJiX9KDT"

type dateToken struct {
	kind       byte
	n          int // of a few: the most it may mean
	start, end int
	span       *span // of X
}

// dateWords are the tokens of the vocabulary, and its words by their first
// character, longest first.
var dateWords = sync.OnceValues(func() (map[string]dateToken, map[rune][]string) {
	tokens, words := map[string]dateToken{}, map[rune][]string{}
	for entry := range strings.FieldsFuncSeq(dateVocabulary, func(r rune) bool { return r == ';' || r == '\n' }) {
		f := strings.Fields(entry)
		n, _ := strconv.Atoi(f[1])
		for _, w := range f[2:] {
			r, _ := utf8.DecodeRuneInString(w)
			tokens[w], words[r] = dateToken{kind: f[0][0], n: n}, append(words[r], w)
		}
	}
	for _, w := range words {
		slices.SortFunc(w, func(a, b string) int { return len(b) - len(a) })
	}
	return tokens, words
})

const maxDateTokens = 400

// readDates appends the tokens of a plain question to t and tells whether
// there may be a date among them.
func readDates(t []dateToken, q string, thisYear int) (_ []dateToken, dated bool) {
	tokens, words := dateWords()
	for i := 0; i < len(q) && len(t) < maxDateTokens; {
		var w dateToken
		end := wordEnd(q, i)
		known := end > i
		if !known {
			r, size := utf8.DecodeRuneInString(q[i:])
			if r == ' ' || unicode.IsSpace(r) {
				i += size
				continue
			}
			end += size
			k := slices.IndexFunc(words[r], func(w string) bool { return strings.HasPrefix(q[i:], w) })
			if known = k >= 0; known {
				end = i + len(words[r][k])
			}
		}
		if known {
			w, known = tokens[q[i:end]]
		}
		w.start, w.end = i, end
		switch before := len(t) - 1; {
		case !known:
			if w.kind = '.'; isDigit(q[i]) {
				w.number(q)
			}
		case w.kind == 'y':
			w.n += thisYear
		case w.kind == 'N' && before >= 0 && t[before].kind == 'N' && t[before].end == i && end-t[before].start < 18: // 二〇二三
			w.start, t = t[before].start, t[:before]
			w.n = numeral(q[w.start:end])
			w.kind = yearKind('N', w.n)
		}
		t, i = append(t, w), w.end
		dated = dated || strings.IndexByte(dateAnchors, w.kind) >= 0
	}
	return t, dated
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// wordEnd is the end of the letters and digits from i on.
func wordEnd(q string, i int) int {
	for i < len(q) && ('a' <= q[i] && q[i] <= 'z' || isDigit(q[i]) || q[i] == '_') {
		i++
	}
	return i
}

// numeral is the value of 十二, 二十三 and, digit by digit, 二〇二三.
func numeral(s string) (n int) {
	if tens, ones, ok := strings.Cut(s, "十"); ok {
		return max(numeral(tens), 1)*10 + numeral(ones)
	}
	for _, r := range s {
		n = min(n*10+strings.IndexRune("〇一二三四五六七八九", r)/3, 9999)
	}
	return n
}

// yearKind is 9 for what can be a year, 8 beside a month only, else kind.
func yearKind(kind byte, n int) byte {
	switch {
	case 1990 <= n && n < 2100:
		return '9'
	case 1900 <= n && n < 2200:
		return '8'
	}
	return kind
}

// number reads a number or a date in digits: 2023-05-08, 2023/5/8, 2023.05.08,
// 2023-05, and 13.5.2023 when one order of day and month only makes a date.
// Part of a decimal, a time of day, an amount or a name is none.
func (w *dateToken) number(q string) {
	before, _ := utf8.DecodeLastRuneInString(q[:w.start])
	rest := q[w.start:]
	if strings.ContainsRune(".:$#@€£¥", before) {
		return
	}
	run := strings.TrimRight(leading(rest, "0123456789-./"), "-./")
	if s, ok := digitalDate(run); ok && (len(run) > 7 || before != '-' && before != '/' && !strings.HasPrefix(rest[len(run):], "年")) {
		w.kind, w.span, w.end = 'X', &s, w.start+len(run)
		return
	}
	digits := leading(rest, "0123456789")
	suffix, after := q[w.start+len(digits):w.end], q[w.end:]
	more := len(leading(after[min(1, len(after)):], "0123456789"))
	if len(digits) > 4 || strings.HasPrefix(after, "%") || more > 0 && (after[0] == '.' || after[0] == ':' || after[0] == '/' || after[0] == ',' && more == 3) {
		return
	}
	w.n, _ = strconv.Atoi(digits)
	switch {
	case suffix == "" && len(digits) == 4:
		w.kind = yearKind('.', w.n)
	case suffix == "":
		w.kind = 'n'
	case suffix == "st" || suffix == "nd" || suffix == "rd" || suffix == "th":
		w.kind = 'i'
	}
}

// leading is the part of s up to the first character that is not in set.
func leading(s, set string) string { return s[:len(s)-len(strings.TrimLeft(s, set))] }

var digitalDates = []string{"2006-1-2", "2006/1/2", "2006.01.02", "2.1.2006", "1.2.2006", "2/1/2006", "1/2/2006", "2-1-2006", "1-2-2006", "2006-01", "2006/1"}

func digitalDate(s string) (found span, ok bool) {
	if len(s) < 6 || len(s) > 10 {
		return found, false
	}
	for _, form := range digitalDates {
		t, err := time.Parse(form, s)
		if err != nil || yearKind(0, t.Year()) == 0 {
			continue
		}
		d := enclosing(t, unitDay)
		if len(form) < 8 {
			d = enclosing(t, unitMonth)
		}
		if ok && d != found {
			return d, false
		}
		found, ok = d, true
	}
	return found, ok
}

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
	count(`[nN]D`, 'J', 31)   // 8 日
	count(`iF`, 'H', 2)       // first half
	count(`~u`, 'R', 7)       // other day
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

// A stretch of days is measured in units.
const (
	unitDay = iota
	unitWeek
	unitWeekend
	unitMonth
	unitQuarter
	unitYear
	unitDecade
)

var (
	unitDays   = [...]int{1, 7, 7, 30, 91, 365, 3652}
	unitMonths = [...]int{unitMonth: 1, unitQuarter: 3, unitYear: 12, unitDecade: 120}
)

func date(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }

func yearSpan(y int) span { return span{from: date(y, 1, 1), to: date(y+1, 1, 1)} }

func (s span) days() int { return int(s.to.Sub(s.from) / (24 * time.Hour)) }

// addUnits stays in the month that n months reach: the 31st becomes the 30th.
func addUnits(t time.Time, n, unit int) time.Time {
	if unit < unitMonth {
		return t.AddDate(0, 0, n*unitDays[unit])
	}
	y, m, d := t.Date()
	first := date(y, int(m)+n*unitMonths[unit], 1)
	return first.AddDate(0, 0, min(d, first.AddDate(0, 1, -1).Day())-1)
}

// enclosing is the unit of the calendar that t lies in; of a week, its weekend.
func enclosing(t time.Time, unit int) span {
	y, m, d := t.Date()
	from := date(y, int(m), d)
	switch unit {
	case unitDay:
		return span{from: from, to: from.AddDate(0, 0, 1)}
	case unitWeek, unitWeekend:
		to := onOrAfter(from, 7).AddDate(0, 0, 1)
		if unit == unitWeekend {
			return span{from: to.AddDate(0, 0, -2), to: to}
		}
		return span{from: to.AddDate(0, 0, -7), to: to}
	}
	months := y*12 + int(m) - 1
	months -= months % unitMonths[unit]
	return span{from: date(0, months+1, 1), to: date(0, months+1+unitMonths[unit], 1)}
}

// period is the n-th unit of the calendar from today's on.
func (r *dateRow) period(n, unit int) span {
	s := enclosing(r.now, unit)
	return span{from: addUnits(s.from, n, unit), to: addUnits(s.to, n, unit)}
}

// centred is a day, or about a unit with that day in its middle.
func centred(day time.Time, unit int) span {
	half := unitDays[unit] / 2
	return span{from: day.AddDate(0, 0, -half), to: day.AddDate(0, 0, half+1), soft: half > 0}
}

// onOrAfter is the first such weekday from t on, 1 for Monday.
func onOrAfter(t time.Time, weekday int) time.Time {
	return t.AddDate(0, 0, (weekday-int(t.Weekday())+7)%7)
}

// step is the n-th unit, weekend or weekday from t on; the one that ends
// before t is -1.
func step(t time.Time, n int, what dateToken) span {
	weekday, days := what.n, 1
	switch {
	case what.kind == 'u' && what.n == unitWeekend:
		weekday, days = 6, 2
	case what.kind != 'w' && what.kind != 'x':
		return span{from: addUnits(t, n, what.n), to: addUnits(t, n+1, what.n)}
	}
	if n < 0 {
		t = t.AddDate(0, 0, 1-days)
	}
	from := onOrAfter(t, weekday).AddDate(0, 0, 7*n)
	return span{from: from, to: from.AddDate(0, 0, days)}
}

// narrow is the part of s that a month, season, quarter, half, day or weekday
// names, of weekdays the one nearest its middle; zero when s is no such thing.
func narrow(s span, t dateToken) span {
	n, first, months := s.days(), t.n, 3
	switch t.kind {
	case 'c':
		return third(s, t.n)
	case 'J':
		first := s.from.AddDate(0, 0, t.n-1)
		if s.to, s.from = first.AddDate(0, 0, 1), first; n < 28 || n > 31 || n < t.n {
			return span{}
		}
		return s
	case 'w', 'x':
		if n > 62 {
			return span{}
		} else if n > 2 {
			s.from = onOrAfter(s.from.AddDate(0, 0, n/2-3), t.n)
			s.to = s.from.AddDate(0, 0, 1)
		}
		return s
	case 'm', 'M', 'v', '5':
		months = 1
	case 'Q':
		first = 3*t.n - 2
	case 'H':
		first, months = 6*t.n-5, 6
	}
	if n != 365 && n != 366 {
		return span{}
	}
	from := date(s.from.Year(), first, 1)
	if from.Before(s.from) {
		from = from.AddDate(1, 0, 0)
	}
	s.from, s.to = from, from.AddDate(0, months, 0)
	return s
}

// third is the beginning (0), early (1), middle (2), late part (3) or end (4)
// of s. Beginning and end of a year are two months, else as early and late.
func third(s span, part int) span {
	n, unit := s.days(), unitDay
	length := n / 3
	switch {
	case n < 3:
		return s
	case n > 31:
		length, unit = (n+15)/30/3, unitMonth
	case n >= 28:
		length = 10
	}
	early, late := addUnits(s.from, length, unit), addUnits(s.from, 2*length, unit)
	if short := max(1, length/2); unit == unitMonth && (part == 0 || part == 4) {
		early, late = addUnits(s.from, short, unit), addUnits(s.to, -short, unit)
	}
	switch part {
	case 0, 1:
		s.to = early
	case 2:
		s.from, s.to = early, late
	default:
		s.from = late
	}
	s.soft = true
	return s
}

// asksWhen reports whether a question asks for a date: when did …, what day …,
// 什么时候. "What did she say when …" does not.
func asksWhen(question string) bool {
	q := plainDates(question)
	for _, w := range []string{"when", "date", "day", "week", "month", "year", "time", "ago", "recently", "什", "何", "哪", "几", "幾", "多久", "日期"} {
		if strings.Contains(q, w) {
			return datesAsked().MatchString(q)
		}
	}
	return false
}

var datesAsked = sync.OnceValue(func() *regexp.Regexp {
	const verbs = `(?:did|do|does|was|were|is|are|am|will|would|had|has|have|can|could|should|shall|'s)\b`
	return regexp.MustCompile(`\bwhen ?(?:(?:exactly|roughly|about|approximately|and (?:where|why|how)|or where) )*` + verbs +
		`|\b(?:know|(?:tell|remind|show) (?:me|us)|remember|recall|out|wonder(?:ing)?|check|forgot|guess|since|until|by) (?:exactly )?when\b|^when\b[^,]*\?$|^when$` +
		`|\b(?:what|which) (?:exact |specific |calendar )?(?:date|day|weekday|week|month|year)s?(?: |\W*$)|\bwhat time ` + verbs +
		`|\bhow (?:long|many (?:days|weeks|months|years)) ago\b|\bhow recently\b` +
		`|\bthe (?:\w+ )?dates? (?:of|for|when|that|i|we|on which)\b|\b(?:what|when)(?:'s| is| was| are| were) the (?:\w+ )?dates?\b\W*$` +
		`|什[么麼][时時][候间間]|什[么麼]日[子期]|何[时時年月日]|[几幾][时時]|哪一?[天日年月周週]|哪一?[个個](?:月|星期|礼拜|禮拜)|[几幾][号號月]|[几幾][点點][钟鐘]|(?:星期|礼拜|禮拜|周|週)[几幾]|多久(?:之前|以前|前)|日期是`)
})
