package page

import (
	"strconv"
	"strings"
)

// Numbers: digits with a multiplier and a unit, English number words, Chinese
// numerals.

// quantity reads a number with what belongs to it: 1k, 20%, 100 ms, 3万元,
// twenty-five, 两百.
func (r *valueReader) quantity(i int) (string, dimension, int) {
	num, ok := r.number(i)
	if !ok {
		return "", "", 0
	}
	sign := ""
	if r.ts[i].sign {
		sign = "-"
	}
	if num.version || num.unit == "" && r.nameBefore(i) && strings.Contains(num.raw, ".") {
		return num.raw, aVersion, num.n
	}
	u, n := r.unit(i, num)
	switch {
	case u.dim != "":
		return sign + formatNumber(num.value*u.factor), u.dim, num.n + n
	case num.han && num.n == 1 && (!measures[r.at(i+1)] || r.spells(i, "十分") > 0):
		return "", "", 0 // 一 and 十分 are in as many words as not
	case num.raw != "" && !num.scaled:
		return sign + trimNumber(num.raw), aCount, num.n
	}
	return sign + formatNumber(num.value), aCount, num.n
}

// number is what stands for a number at a place.
type number struct {
	value   float64
	raw     string // its digits, where it was written in digits
	unit    string // a unit that was written onto it: 100ms
	scaled  bool   // a multiplier was read
	han     bool
	version bool
	n       int // words
}

func (r *valueReader) number(i int) (number, bool) {
	if v, n := r.hanNumber(i); n > 0 {
		return number{value: v, han: true, n: n}, true
	}
	if v, n := r.englishNumber(i); n > 0 {
		return number{value: v, n: n}, true
	}
	num, ok := parseNumber(r.at(i))
	if !ok {
		return num, false
	}
	num.n = 1
	if f := bigWords[r.at(i+1)]; f > 0 && num.unit == "" && !num.version {
		num.value, num.scaled, num.n = num.value*f, true, 2
	}
	return num, true
}

// parseNumber reads 1000, 1.5, 1k, 100ms, v1.2.
func parseNumber(w string) (number, bool) {
	v := strings.TrimPrefix(w, "v")
	end := 0
	for end < len(v) && (v[end]-'0' <= 9 || v[end] == '.') {
		end++
	}
	if end == 0 || v[0] == '.' || end > 40 {
		return number{}, false
	}
	digits, rest := v[:end], v[end:]
	num := number{raw: digits, version: v != w || strings.Count(digits, ".") > 1}
	if num.version {
		return num, rest == ""
	}
	num.value, _ = strconv.ParseFloat(digits, 64)
	switch {
	case rest == "":
		return num, true
	case rest == "k":
		num.value, num.scaled = num.value*1e3, true
		return num, true
	case rest == "bn":
		num.value, num.scaled = num.value*1e9, true
		return num, true
	case units[rest].dim != "":
		num.unit = rest
		return num, true
	}
	return number{}, false
}

// trimNumber writes digits without what does not count: 1.50 is 1.5. Leading
// zeros stay: 007 is a name.
func trimNumber(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return s
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'g', 12, 64) }

// nameBefore reports whether the word before i is a name, such as Python in
// "Python 3.10", or says "version".
func (r *valueReader) nameBefore(i int) bool {
	if i == 0 {
		return false
	}
	w := r.s[r.ts[i-1].start:r.ts[i-1].end]
	switch r.at(i - 1) {
	case "version", "v", "release", "本":
		return true
	}
	return 'A' <= w[0] && w[0] <= 'Z'
}

// unit finds the unit of a number: on it, behind it as a sign, or as words.
func (r *valueReader) unit(i int, num number) (u measure, n int) {
	if num.unit != "" {
		return units[num.unit], 0
	}
	at := i + num.n
	if at >= len(r.ts) {
		return measure{}, 0
	}
	if r.at(at) == "per" && r.at(at+1) == "cent" {
		return units["%"], 2
	}
	for _, w := range hanUnits {
		if n := r.spells(at, w); n > 0 {
			return units[w], n
		}
	}
	if u := units[r.at(at)]; u.dim != "" && !shortUnits[r.at(at)] || u.dim != "" && r.adjacent(at) {
		return u, 1
	}
	if c := currencies[r.at(at)]; c != "" {
		return measure{dimension(c), 1}, 1
	}
	return measure{}, 0
}

// adjacent reports whether nothing but blanks stands before word i.
func (r *valueReader) adjacent(i int) bool { return strings.TrimSpace(r.gap(i-1)) == "" }

// money reads $100, ¥1k.
func (r *valueReader) money(i int) (string, dimension, int) {
	c := currencies[r.at(i)]
	if c == "" || r.ts[i].role != symbol {
		return "", "", 0
	}
	num, ok := r.number(i + 1)
	if !ok || num.unit != "" {
		return "", "", 0
	}
	return formatNumber(num.value), dimension(c), 1 + num.n
}

// percentHan reads 百分之二十.
func (r *valueReader) percentHan(i int) (string, dimension, int) {
	n := r.spells(i, "百分之")
	if n == 0 {
		return "", "", 0
	}
	num, ok := r.number(i + n)
	if !ok {
		return "", "", 0
	}
	n += num.n
	if d, k := r.hanNumber(i + n + 1); r.at(i+n) == "点" && k > 0 && d < 10 { // 九十九点五
		return formatNumber(num.value + d/10), "%", n + 1 + k
	}
	return formatNumber(num.value), "%", n
}

// measure is a dimension and what one of it is in the base of that dimension.
type measure struct {
	dim    dimension
	factor float64
}

// A day has 24 hours; months and years have no length and are their own.
var units = map[string]measure{
	"%": {"%", 1}, "percent": {"%", 1}, "pct": {"%", 1},
	"ns": {"s", 1e-9}, "us": {"s", 1e-6}, "μs": {"s", 1e-6}, "ms": {"s", 1e-3}, "millisecond": {"s", 1e-3}, "milliseconds": {"s", 1e-3}, "毫秒": {"s", 1e-3}, "微秒": {"s", 1e-6},
	"s": {"s", 1}, "sec": {"s", 1}, "secs": {"s", 1}, "second": {"s", 1}, "seconds": {"s", 1}, "秒": {"s", 1}, "秒钟": {"s", 1},
	"min": {"s", 60}, "mins": {"s", 60}, "minute": {"s", 60}, "minutes": {"s", 60}, "分钟": {"s", 60}, "分鐘": {"s", 60},
	"h": {"s", 3600}, "hr": {"s", 3600}, "hrs": {"s", 3600}, "hour": {"s", 3600}, "hours": {"s", 3600}, "小时": {"s", 3600}, "小時": {"s", 3600}, "个小时": {"s", 3600},
	"d": {"s", 86400}, "day": {"s", 86400}, "days": {"s", 86400}, "天": {"s", 86400},
	"week": {"s", 604800}, "weeks": {"s", 604800}, "周": {"s", 604800}, "星期": {"s", 604800}, "个星期": {"s", 604800},
	"month": {"month", 1}, "months": {"month", 1}, "个月": {"month", 1}, "個月": {"month", 1},
	"year": {"year", 1}, "years": {"year", 1}, "年": {"year", 1},
	"b": {"B", 1}, "byte": {"B", 1}, "bytes": {"B", 1}, "字节": {"B", 1},
	"kb": {"B", 1e3}, "mb": {"B", 1e6}, "gb": {"B", 1e9}, "tb": {"B", 1e12},
	"kib": {"B", 1 << 10}, "mib": {"B", 1 << 20}, "gib": {"B", 1 << 30}, "tib": {"B", 1 << 40},
	"mm": {"m", 1e-3}, "cm": {"m", 1e-2}, "km": {"m", 1e3}, "metres": {"m", 1}, "meters": {"m", 1}, "米": {"m", 1}, "公里": {"m", 1e3}, "厘米": {"m", 1e-2},
	"g": {"g", 1}, "kg": {"g", 1e3}, "公斤": {"g", 1e3}, "千克": {"g", 1e3}, "克": {"g", 1},
	"hz": {"Hz", 1}, "khz": {"Hz", 1e3}, "mhz": {"Hz", 1e6}, "ghz": {"Hz", 1e9},
	"元": {"cny", 1}, "块钱": {"cny", 1}, "人民币": {"cny", 1}, "美元": {"usd", 1}, "欧元": {"eur", 1}, "usd": {"usd", 1}, "dollars": {"usd", 1},
	"eur": {"eur", 1}, "euros": {"eur", 1}, "cny": {"cny", 1}, "rmb": {"cny", 1}, "yuan": {"cny", 1}, "gbp": {"gbp", 1},
}

// hanUnits in the order in which they are tried: longer ones first.
var hanUnits = []string{"个小时", "个星期", "人民币", "毫秒", "微秒", "秒钟", "分钟", "分鐘", "小时", "小時", "星期", "个月", "個月", "字节", "公里", "厘米",
	"公斤", "千克", "块钱", "美元", "欧元", "秒", "天", "周", "年", "米", "克", "元"}

// shortUnits are letters that are units only right behind their number.
var shortUnits = map[string]bool{"s": true, "h": true, "d": true, "b": true, "g": true}

var currencies = map[string]string{"$": "usd", "¥": "cny", "€": "eur", "£": "gbp"}

// measures follow a lone Chinese numeral that counts something.
var measures = wordSet(`个 個 只 隻 条 條 张 張 台 次 天 年 月 日 周 人 名 位 件 种 種 本 块 塊 辆 輛 层 層 倍 家 座 岁 歲 点 點 分 秒 米 元 份 页 頁 楼 樓 号 室 班 级 万 百 千 亿`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

var bigWords = map[string]float64{"dozen": 12, "hundred": 100, "thousand": 1e3, "million": 1e6, "billion": 1e9, "万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8, "千": 1e3, "百": 100}

var smallWords = map[string]float64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
	"nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

// englishNumber reads twenty-five, two hundred and five, three thousand. A
// lone "one" is a pronoun as often and no number.
func (r *valueReader) englishNumber(i int) (v float64, n int) {
	total, part := 0.0, 0.0
	for ; ; n++ {
		w := r.at(i + n)
		if tens, ones, ok := strings.Cut(w, "-"); ok && smallWords[tens] >= 20 && smallWords[ones] > 0 {
			part += smallWords[tens] + smallWords[ones]
			continue
		}
		small, isSmall := smallWords[w]
		big := bigWords[w]
		switch {
		case isSmall && (part == 0 || part >= 20 && small < 10 || part >= 100):
			part += small
		case n > 0 && 0 < big && big <= 100 && w[0] < 0x80:
			part *= big
		case n > 0 && big > 100 && w[0] < 0x80:
			total, part = total+part*big, 0
		case n > 0 && w == "and" && bigWords[r.at(i+n-1)] > 0 && smallWords[r.at(i+n+1)] > 0:
		default:
			if n == 1 && r.at(i) == "one" {
				return 0, 0
			}
			return total + part, n
		}
	}
}

var hanDigits = map[string]float64{"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "兩": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}

var hanPlaces = map[string]float64{"十": 10, "百": 100, "千": 1000, "万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8}

// hanNumber reads 二十, 十二, 两百, 一千二, 三万五千, 二〇二六.
func (r *valueReader) hanNumber(i int) (v float64, n int) {
	if _, inRow := hanDigits[r.at(i-1)]; inRow {
		return 0, 0
	}
	h := hanSum{digit: -1}
	for n < 20 && h.take(r.at(i+n), n == 0) {
		n++
	}
	if h.names || n == 20 {
		return 0, 0
	}
	return h.sum(n)
}

// hanSum adds up a Chinese numeral, a character at a time.
type hanSum struct {
	total, section float64 // what is complete; what waits for its 万
	digit          float64 // that waits for its place, -1 for none
	last           float64 // the place read last
	row            float64 // digits in a row, 二〇二六
	places         int
	zero, skipped  bool // a 〇 was read; a 零 stands before the last digit
	names          bool // 百, 千: alone they are parts of names
}

func (h *hanSum) take(w string, first bool) bool {
	if d, ok := hanDigits[w]; ok {
		h.skipped = h.digit == 0
		h.row, h.digit, h.zero = h.row*10+d, d, h.zero || w == "〇"
		return true
	}
	place := hanPlaces[w]
	switch {
	case place == 0 || place >= 1e4 && first:
		return false
	case place >= 1e4:
		h.total, h.section = (h.total+h.section+max(h.digit, 0))*place, 0
	case h.digit < 0 && place > 10:
		h.names = true
		return false
	case h.digit < 0:
		h.section += place // 十二
	default:
		h.section += h.digit * place
	}
	h.digit, h.last = -1, place
	h.places++
	return true
}

// sum is the number of n characters. Digits in a row are one only when there
// is a 〇 or four of them: 七八 is "a few". 一千二 is 1200, 一千零二 is 1002.
func (h *hanSum) sum(n int) (float64, int) {
	switch {
	case h.places == 0 && n > 1 && n < 4 && !h.zero:
		return 0, 0
	case h.places == 0:
		return h.row, n
	case h.digit > 0 && h.last >= 100 && !h.skipped:
		return h.total + h.section + h.digit*h.last/10, n
	}
	return h.total + h.section + max(h.digit, 0), n
}
