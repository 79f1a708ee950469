package retrieve

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

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
V 4 quarter 季度; u 4 个季度; u 5 year; u 6 decade; + 0 days; + 1 weeks; + 2 weekends; + 3 months; + 4 quarters; + 5 years; + 6 decades; D 0 日; D 1 号 號; K 3 月 月份; Y 5 年 年度
y -3 大前年; y -2 前年; y -1 去年; y 0 今年; y 1 明年; y 2 后年
d -3 大前天; d -2 前天 前晚; d -1 yesterday 昨天 昨日 昨晚 昨夜; d 0 today tonight 今天 今日 今早 今晚; d 1 tomorrow 明天 明日 明早 明晚
r -2 上上 上上个 上上個; r -1 last previous 上 上个 上個 上一 上一个; r 0 this current 这 这个 這 這個 这一 本; r 1 next coming 下 下个 下個 下一 下一个; r 2 下下 下下个 下下個
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
. 0 上上上 下下下 五月天 十月革命 最近邻 最近公共 附近 日本 基本 版本 成本 资本 文本 脚本 样本 副本 接近 靠近 马上 网上 以上 线上 加上 路上 身上 海上 以下 之下 下来 上海
. 0 周期 周年 周围 周边 周报 周刊 月球 月亮 月饼 年级 年龄 年轻 年薪 年纪 年代 年糕 年会 中国 初中 初始 初级 初次 底层 底部 数据 数量 数学 季节
. 0 后来 后端 后台 后续 后面 前端 前面 前台 前任 前后 到底 到达 至少 至于 起草 起来 起诉 起因 从来 从事 自己 自动 天气 天天 号码 号线 月刊 月薪 当前 目前 前往 哪一 那一`

// dateAnchors are the kinds without one of which there is no date.
const dateAnchors = "mMv5wxu+VyYdRSLQHJiX9KDT"

type dateToken struct {
	kind       byte
	n          int // of a few: the most it may mean
	start, end int
	span       *span // of X
	numbered   bool  // of J: surely a day of a month (15号), no count of days (15日)
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
