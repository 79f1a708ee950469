package page

import (
	"slices"
	"strconv"
	"strings"
	"sync"
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
	if num.version || num.unit == "" && r.isVersion(i, num) {
		return num.raw, aVersion, num.n
	}
	if half := r.half(i + num.n); half > 0 { // two and a half hours, 两个半小时
		if u, n := r.unitAt(i + num.n + half); n > 0 {
			return sign + formatNumber((num.value+0.5)*u.factor), u.dim, num.n + half + n
		}
	}
	u, n := r.unit(i, num)
	switch {
	case u.dim != "":
		more, k := r.more(i+num.n+n, u)
		return sign + formatNumber(num.value*u.factor+more), u.dim, num.n + n + k
	case num.han && num.n == 1 && (!r.measured(i+1) || r.spells(i, "十分") > 0):
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

// isVersion reports whether a number in digits is a version: it stands beside a word that says so
// (version 14, 14 版本), or has a point and stands behind a name, such as Python in "Python 3.10".
func (r *valueReader) isVersion(i int, num number) bool {
	if num.raw == "" || num.scaled {
		return false
	}
	point := strings.Contains(num.raw, ".")
	if r.spells(i+num.n, "版本") > 0 || point && r.at(i+num.n) == "版" {
		return true
	}
	if i == 0 {
		return false
	}
	switch r.at(i - 1) {
	case "version", "v", "release":
		return true
	case "本":
		return r.at(i-2) == "版"
	}
	return point && r.capital(i-1)
}

// half reads what stands between a number and its unit and says "and a half": two and a half hours, 两个半小时.
func (r *valueReader) half(i int) int {
	switch {
	case r.at(i) == "and" && r.at(i+1) == "a" && r.at(i+2) == "half":
		return 3
	case (r.at(i) == "个" || r.at(i) == "個") && r.at(i+1) == "半":
		return 2
	}
	return 0
}

// more reads what follows a number and its unit and is said of the same: an hour and a half, 两斤半, 1 h 20 min,
// 三块八毛, 一米七八. It is in the base of the unit's dimension.
func (r *valueReader) more(i int, u measure) (v float64, n int) {
	switch {
	case r.at(i) == "and" && r.at(i+1) == "a" && r.at(i+2) == "half" && units[r.at(i+3)].dim == "":
		return u.factor / 2, 3
	case r.at(i) == "半" && !notHalf[r.at(i+1)]:
		return u.factor / 2, 1
	case !r.follows(i):
		return 0, 0
	}
	at := i
	if r.at(at) == "and" || r.at(at) == "零" || r.at(at) == "又" {
		at++
	}
	num, ok := r.number(at)
	if !ok {
		return r.digitsOf(i, u)
	}
	sub, k := r.unit(at, num)
	if minute := r.at(at + num.n); u.dim == "s" && u.factor == 3600 && sub.dim == "" && (minute == "分" || minute == "m") {
		sub, k = measure{"s", 60}, 1
	}
	if sub.dim == u.dim && sub.factor < u.factor {
		return num.value * sub.factor, at - i + num.n + k
	}
	return r.digitsOf(i, u)
}

// follows reports whether nothing but blanks stands before word i.
func (r *valueReader) follows(i int) bool { return i < len(r.ts) && r.adjacent(i) }

// digitsOf reads the digits behind a unit that count its tenths and hundredths: 一米七八, 三块五, 1米75.
func (r *valueReader) digitsOf(i int, u measure) (v float64, n int) {
	if !tenths[r.at(i-1)] && !tenths[r.at(i-2)+r.at(i-1)] || r.gap(i-1) != "" {
		return 0, 0
	}
	if w := r.at(i); isDigits(w) && len(w) <= 2 {
		v, _ = strconv.ParseFloat("0."+w, 64)
		n = 1
	} else {
		for place := 0.1; n < 2; n++ {
			d, ok := hanDigits[r.at(i+n)]
			if !ok {
				break
			}
			v += d * place
			place /= 10
		}
	}
	if measures[r.at(i+n)] || hanPlaces[r.at(i+n)] > 0 {
		return 0, 0 // 一米三个: the number of something else
	}
	return v * u.factor, n
}

// tenths are units of which digits behind them are parts.
var tenths = wordSet(`米 块 块钱 元 斤 公斤 尺`)

// notHalf are characters that make another word with 半 before them.
var notHalf = wordSet(`径 夜 数 价 路 途 成 导 球 山 截 边 年 天 月`)

// unit finds the unit of a number: on it, behind it as a sign, or as words.
func (r *valueReader) unit(i int, num number) (u measure, n int) {
	if num.unit != "" {
		return units[num.unit], 0
	}
	return r.unitAt(i + num.n)
}

// unitAt reads the unit at word at, which stands behind a number.
func (r *valueReader) unitAt(at int) (u measure, n int) {
	if at >= len(r.ts) {
		return measure{}, 0
	}
	if r.at(at) == "per" && r.at(at+1) == "cent" {
		return units["%"], 2
	}
	if r.at(at)[0] >= 0x80 {
		for _, w := range hanUnits()[firstRune(r.at(at))] {
			if n := r.spells(at, w); n > 0 && (n > 1 || r.isUnit(at)) {
				return units[w], n
			}
		}
	}
	for _, s := range squares {
		if r.at(at) == s && units[s+" "+r.at(at+1)].dim != "" {
			return units[s+" "+r.at(at+1)], 2
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

// isUnit reports whether a character is a unit and no part of another word. 块 also counts pieces.
func (r *valueReader) isUnit(i int) bool {
	next := r.at(i + 1)
	if r.gap(i) != "" || next == "" {
		return true
	}
	_, digit := hanDigits[next]
	if r.at(i) == "块" {
		return digit || next[0] < 0x80 || next == "半" || next == "的" || next == "左右" || next == "每"
	}
	return !notUnit[r.at(i)+next]
}

var squares = [...]string{"square", "sq", "cubic"}

// notUnit are words that begin with the character of a unit.
var notUnit = wordSet(`升级 升职 升序 升温 度假 度过 里面 里程 里的 块头 元素 元旦 天气 年级 年龄 年轻 周年 周边 周围 亩产 克隆 米饭 米粉 磅礴 分支 分类 分店 分部 分公 分钟 角色 角度 角落 毛病 毛衣 两边 两侧 寸步 尺寸 尺码 吨位`)

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

// share reads 百分之二十, 四分之三, 一半, three quarters of.
func (r *valueReader) share(i int) (string, dimension, int) {
	if r.at(i) == "一" && r.at(i+1) == "半" {
		return "50", "%", 2
	}
	whole, n := 100.0, r.spells(i, "百分之")
	if n == 0 {
		num, ok := r.number(i)
		if !ok || num.value == 0 {
			return "", "", 0
		}
		if size := fractions[r.at(i+num.n)]; size > 0 {
			return r.fraction(num.value*size, i, num.n+1)
		}
		k := r.spells(i+num.n, "分之")
		if k == 0 {
			return "", "", 0
		}
		whole, n = num.value, num.n+k
	}
	num, ok := r.number(i + n)
	if !ok {
		if d, single := hanDigits[r.at(i+n)]; single && whole != 100 {
			num, ok = number{value: d, n: 1}, true
		}
	}
	if !ok {
		return "", "", 0
	}
	n += num.n
	if d, k := r.hanNumber(i + n + 1); whole == 100 && r.at(i+n) == "点" && k > 0 && d < 10 { // 九十九点五
		return formatNumber(num.value + d/10), "%", n + 1 + k
	}
	return formatNumber(100 * num.value / whole), "%", n
}

// fraction is a part of n words, three quarters of something: of an hour it is a length of time.
func (r *valueReader) fraction(v float64, i, n int) (string, dimension, int) {
	if r.at(i+n) != "of" {
		return "", "", 0
	}
	if a := r.at(i + n + 1); a == "a" || a == "an" {
		if u, k := r.unitAt(i + n + 2); k > 0 {
			return formatNumber(v * u.factor), u.dim, n + 2 + k
		}
		return "", "", 0
	}
	return formatNumber(100 * v), "%", n
}

var fractions = map[string]float64{"half": 0.5, "halves": 0.5, "third": 1.0 / 3, "thirds": 1.0 / 3, "quarter": 0.25, "quarters": 0.25,
	"fifth": 0.2, "fifths": 0.2, "tenth": 0.1, "tenths": 0.1}

// phrase reads a value that begins with a word that is none by itself: half an hour, an hour and a half,
// a dozen, a third of, twice, once a week, 半个小时.
func (r *valueReader) phrase(i int) (string, dimension, int) {
	switch r.at(i) {
	case "half":
		if text, dim, n := r.spoken(i); n > 0 {
			return text, dim, n
		}
		return r.halfOf(i)
	case "quarter":
		return r.spoken(i)
	case "a", "an":
		if text, dim, n := r.spoken(i); n > 0 {
			return text, dim, n
		}
		return r.article(i)
	case "twice":
		return "2", aTime, 1
	case "thrice":
		return "3", aTime, 1
	case "once":
		if often[r.at(i+1)] {
			return "1", aTime, 1
		}
	case "半":
		at := i + 1
		if r.at(at) == "天" {
			return "", "", 0 // also a long while
		}
		if u, n := r.unitAt(at); n > 0 {
			return formatNumber(u.factor / 2), u.dim, 1 + n
		}
	}
	return "", "", 0
}

// often are words behind "once" that tell how often it is.
var often = wordSet(`a an per every each daily weekly monthly yearly`)

// halfOf reads half an hour, half a dozen, half of.
func (r *valueReader) halfOf(i int) (string, dimension, int) {
	at := i + 1
	if r.at(at) == "a" || r.at(at) == "an" {
		at++
	}
	if r.at(at) == "dozen" {
		return "6", aCount, at + 1 - i
	}
	if u, n := r.unitAt(at); n > 0 {
		return formatNumber(u.factor / 2), u.dim, at + n - i
	}
	if r.at(i+1) == "of" {
		return "50", "%", 1
	}
	return "", "", 0
}

// article reads a dozen, a hundred, an hour and a half, a quarter of; "an hour" alone where it is no rate.
func (r *valueReader) article(i int) (string, dimension, int) {
	w := r.at(i + 1)
	if size := fractions[w]; size > 0 {
		return r.fraction(size, i, 2)
	}
	if f := bigWords[w]; f > 0 && w[0] < 0x80 {
		return formatNumber(f), aCount, 2
	}
	if r.at(i-1) == "of" && fractions[r.at(i-2)] > 0 {
		return "", "", 0
	}
	u, n := r.unitAt(i + 1)
	if n == 0 || shortUnits[w] {
		return "", "", 0
	}
	more, k := r.more(i+1+n, u)
	if more == 0 && !spanBefore[r.at(i-1)] {
		return "", "", 0
	}
	return formatNumber(u.factor + more), u.dim, 1 + n + k
}

// spanBefore are words behind which "an hour" is one hour, and not "per hour".
var spanBefore = wordSet(`for in within take takes took last lasts lasted almost nearly about roughly around over under than least most after spend spends spent needs need requires`)

// measure is a dimension and what one of it is in the base of that dimension.
type measure struct {
	dim    dimension
	factor float64
}

// unitWords are the units by their dimension: what one is of the base, and the words for it. A day has 24
// hours; months and years have no length and are their own.
var unitWords = []struct {
	dim    dimension
	factor float64
	words  string // English phrases with a hyphen
}{
	{"%", 1, `% percent pct 个百分点`},
	{"s", 1e-9, `ns nanosecond nanoseconds 纳秒`}, {"s", 1e-6, `us μs microsecond microseconds 微秒`}, {"s", 1e-3, `ms millisecond milliseconds 毫秒`},
	{"s", 1, `s sec secs second seconds 秒 秒钟`}, {"s", 60, `min mins minute minutes 分钟 分鐘`}, {"s", 900, `刻钟`},
	{"s", 3600, `h hr hrs hour hours 小时 小時 个小时 個小時 钟头 个钟头 鐘頭 个钟 钟`}, {"s", 86400, `d day days 天 昼夜`},
	{"s", 604800, `week weeks 周 星期 个星期 礼拜 个礼拜`}, {"s", 2 * 604800, `fortnight fortnights`},
	{"month", 1, `month months 个月 個月`}, {"month", 3, `个季度`}, {"year", 1, `year years 年`}, {"year", 10, `decade decades`}, {"year", 100, `century centuries 个世纪`},
	{"B", 1, `b byte bytes 字节`}, {"B", 1e3, `kb`}, {"B", 1e6, `mb`}, {"B", 1e9, `gb`}, {"B", 1e12, `tb`}, {"B", 1e15, `pb`},
	{"B", 1 << 10, `kib`}, {"B", 1 << 20, `mib`}, {"B", 1 << 30, `gib`}, {"B", 1 << 40, `tib`},
	{"bps", 1e3, `kbps kbit`}, {"bps", 1e6, `mbps mbit`}, {"bps", 1e9, `gbps gbit`},
	{"m", 1e-3, `mm millimetre millimetres millimeter millimeters 毫米`}, {"m", 1e-2, `cm centimetre centimetres centimeter centimeters 厘米 公分`},
	{"m", 1, `metre metres meter meters 米 公尺`}, {"m", 1e3, `km kilometre kilometres kilometer kilometers 公里 千米`}, {"m", 500, `里 里路 里地`},
	{"m", 0.0254, `inch inches 英寸`}, {"m", 0.3048, `foot feet ft 英尺`}, {"m", 0.9144, `yard yards`}, {"m", 1609.344, `mile miles 英里`}, {"m", 1852, `海里`},
	{"m", 1.0 / 3, `尺`},
	{"g", 1e-3, `mg milligram milligrams 毫克`}, {"g", 1, `g gram grams gramme grammes 克`}, {"g", 1e3, `kg kilo kilos kilogram kilograms 公斤 千克`},
	{"g", 50, `两`}, {"g", 500, `斤 市斤`}, {"g", 1e6, `ton tons tonne tonnes 吨`}, {"g", 453.59237, `lb lbs 磅`}, {"g", 28.349523, `oz ounce ounces 盎司`},
	{"l", 1e-3, `ml millilitre millilitres milliliter milliliters 毫升`}, {"l", 1, `litre litres liter liters 升 公升`}, {"l", 3.785, `gallon gallons 加仑`}, {"l", 1e3, `立方米 立方 cubic-metres cubic-meters`},
	{"m2", 1, `sqm m2 平方米 平米 平方 square-metres square-meters sq-m`}, {"m2", 0.0929, `sqft square-feet sq-ft 平方英尺`}, {"m2", 1e4, `hectare hectares 公顷`}, {"m2", 4046.86, `acre acres 英亩`},
	{"m2", 2000.0 / 3, `亩`}, {"m2", 1e6, `平方公里 square-kilometres square-kilometers`},
	{"deg", 1, `degree degrees 摄氏度 度`}, {"Hz", 1, `hz 赫兹`}, {"Hz", 1e3, `khz`}, {"Hz", 1e6, `mhz`}, {"Hz", 1e9, `ghz`},
	{"W", 1, `watt watts 瓦`}, {"W", 1e3, `kw kilowatt kilowatts 千瓦`}, {"W", 1e6, `mw megawatt megawatts 兆瓦`}, {"Wh", 1, `wh`}, {"Wh", 1e3, `kwh 千瓦时 度电`},
	{"V", 1, `volt volts 伏特`}, {"mAh", 1, `mah 毫安时`}, {"mAh", 1e3, `ah`}, {"cal", 1, `kcal calories 大卡 千卡 卡路里`}, {"km/h", 1, `kmh kph`}, {"km/h", 1.609344, `mph`},
	{"px", 1, `px pixel pixels 像素`}, {"dB", 1, `db decibel decibels 分贝`},
	{"cny", 1, `元 块 块钱 人民币 cny rmb yuan`}, {"cny", 0.1, `毛 毛钱`}, {"usd", 1, `usd dollar dollars 美元 美金`}, {"eur", 1, `eur euro euros 欧元`},
	{"usd", 0.01, `cent cents`}, {"gbp", 1, `gbp pound pounds quid 英镑`}, {"jpy", 1, `jpy yen 日元`}, {"hkd", 1, `hkd 港币 港元`}, {"krw", 1, `krw 韩元`},
	{"chf", 1, `chf francs 瑞士法郎`}, {"inr", 1, `inr rupees 卢比`}, {"rub", 1, `rub rubles roubles 卢布`}, {aTime, 1, `times`},
}

// aTime is how often: twice, three times.
const aTime dimension = "time"

var units = func() map[string]measure {
	m := map[string]measure{}
	for _, u := range unitWords {
		for _, w := range strings.Fields(u.words) {
			m[strings.Replace(w, "-", " ", 1)] = measure{u.dim, u.factor}
		}
	}
	return m
}()

// hanUnits are the Chinese ones by their first character, longer ones first.
var hanUnits = sync.OnceValue(func() map[string][]string {
	m := map[string][]string{}
	for w := range units {
		if w[0] >= 0x80 {
			m[firstRune(w)] = append(m[firstRune(w)], w)
		}
	}
	for _, words := range m {
		slices.SortFunc(words, func(a, b string) int { return len(b) - len(a) })
	}
	return m
})

// shortUnits are letters that are units only right behind their number.
var shortUnits = map[string]bool{"s": true, "h": true, "d": true, "b": true, "g": true}

var currencies = map[string]string{"$": "usd", "¥": "cny", "€": "eur", "£": "gbp"}

// measures follow a lone Chinese numeral that counts something.
var measures = wordSet(`个 個 只 隻 条 條 张 張 台 次 天 年 月 日 周 人 名 位 件 种 種 本 块 塊 辆 輛 层 層 倍 家 座 岁 歲 点 點 分 秒 米 元 份 页 頁 楼 樓 号 室 班 级 万 百 千 亿`)

// moreMeasures follow a lone numeral too, other than 一, which is an article before them.
var moreMeasures = wordSet(`节 節 门 門 场 場 部 篇 首 幅 根 支 枝 棵 朵 颗 顆 粒 片 瓶 杯 碗 盘 盤 包 箱 袋 盒 桶 套 双 雙 对 對 副 批 组 組 队 隊 排 串 束 堆 把 匹 架 艘 扇 盏 步 遍 趟 轮 輪
	届 屆 期 集 章 段 句 行 栋 棟 幢 间 間 所 户 戶 亩 顿 頓 局 站 圈 卷 册 冊 封 笔 筆 单 單 票 科 课 課`)

// measured reports whether a measure word stands at word i, behind a lone numeral.
func (r *valueReader) measured(i int) bool {
	return measures[r.at(i)] || moreMeasures[r.at(i)] && r.at(i-1) != "一"
}

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
			if n == 1 && r.at(i) == "one" && !r.countsOne(i) {
				return 0, 0
			}
			return total + part, n
		}
	}
}

// countsOne reports whether "one" is a number: a unit of more than a day follows, as in "one hour", or it is said
// to be only so many.
func (r *valueReader) countsOne(i int) bool {
	next := r.at(i + 1)
	if r.half(i+1) > 0 {
		return true
	}
	if next == "day" || next == "" || r.ts[i+1].role != plain {
		return false
	}
	before := r.at(i - 1)
	return units[next].dim != "" && !shortUnits[next] && next != "second" || bigWords[next] > 0 || before == "only" || before == "just" || before == "exactly" || before == "has" || before == "have"
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
