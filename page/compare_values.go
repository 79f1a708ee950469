package page

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Values are read off the words, so that different ways to write one compare
// equal and two different ones of a kind can be told:
//
//	1,000  1k  1000  一千         1000 n
//	20%  20 percent  百分之二十    20 %
//	3 pm  15:00  下午3点           15:00 clock
//	2026-03-01  March 1, 2026  2026年3月1日   2026-03-01 date
//	60 s  1 minute  1分钟          60 s
//	v1.10  Go 1.21                 1.10 version, compared as written
//
// A number keeps its digits where it has no unit or multiplier, so that long
// ids stay apart.

// dimension is the kind of a value; values of different kinds say nothing of
// each other.
type dimension string

const (
	aCount    dimension = "n"
	aClock    dimension = "clock"
	aDate     dimension = "date"    // a day, month or year: a prefix of 2026-03-01
	aWeekday  dimension = "weekday" // 1 is Monday; "1s" every Monday
	aVersion  dimension = "version"
	anOrdinal dimension = "ordinal"
	aCode     dimension = "code" // begins with a digit and is no number: 10.0.0.1
)

// valueReader finds values in the words of a text.
type valueReader struct {
	s  string
	ts []token
}

// mergeValues makes one token of the words of each value.
func mergeValues(s string, ts []token) []token {
	r := valueReader{s, ts}
	out := make([]token, 0, len(ts))
	for i := 0; i < len(ts); {
		text, dim, n := r.value(i)
		if n == 0 {
			out = append(out, ts[i])
			i++
			continue
		}
		last := ts[i+n-1]
		out = append(out, token{text: text + " " + string(dim), stem: strings.TrimSuffix(text, "s") + " " + string(dim), role: value, dim: dim,
			start: ts[i].start, end: last.end, colon: last.colon, hash: ts[i].hash})
		i += n
	}
	return out
}

// value reads the value at word i and tells how many words it takes; 0 for none.
func (r *valueReader) value(i int) (text string, dim dimension, n int) {
	if w := r.at(i); w[0]-'0' > 9 && !r.begins(w) {
		return r.phrase(i)
	}
	for _, read := range [...]func(int) (string, dimension, int){r.date, r.weekday, r.spoken, r.clock, r.money, r.share, r.ordinal, r.quantity} {
		if text, dim, n = read(i); n > 0 {
			return text, dim, n
		}
	}
	if c := r.at(i)[0]; '0' <= c && c <= '9' && len(r.at(i)) <= 64 {
		return r.at(i), aCode, 1
	}
	return "", "", 0
}

// begins reports whether a word that is no digit may begin a value. It is
// asked of every word of a page.
func (r *valueReader) begins(w string) bool {
	if w[0] == 'v' && len(w) > 1 && w[1]-'0' <= 9 {
		return true
	}
	if tens, _, compound := strings.Cut(w, "-"); compound {
		w = tens
	}
	return valueStarts()[w]
}

// valueStarts are the words with which values begin, besides digits.
var valueStarts = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{"第": true, "百": true}
	for _, d := range dayParts {
		first, _ := utf8.DecodeRuneInString(d.word)
		m[string(first)] = true
		m[d.word] = true
	}
	for w := range months {
		m[w] = true
	}
	for w := range smallWords {
		m[w] = true
	}
	for w := range currencies {
		m[w] = true
	}
	for w := range hanDigits {
		m[w] = true
	}
	for w := range weekdays {
		m[w], m[w+"s"] = true, true
	}
	for _, w := range [...]string{"十", "周", "星", "礼", "禮", "週", "noon", "midnight", "正"} {
		m[w] = true
	}
	return m
})

// at gives word i, "" beyond the end.
func (r *valueReader) at(i int) string {
	if i < 0 || i >= len(r.ts) {
		return ""
	}
	return r.ts[i].text
}

// gap is what stands between word i and the next.
func (r *valueReader) gap(i int) string {
	if i < 0 || i+1 >= len(r.ts) || r.ts[i+1].start < r.ts[i].end {
		return ""
	}
	return r.s[r.ts[i].end:r.ts[i+1].start]
}

// small reads word i, or its Han characters, as a whole number in a range.
func (r *valueReader) small(i, low, high int) (v, n int, ok bool) {
	w := r.at(i)
	if isDigits(w) && len(w) <= 4 {
		v, _ = strconv.Atoi(w)
		return v, 1, low <= v && v <= high
	}
	f, n := r.hanNumber(i)
	v = int(f)
	return v, n, n > 0 && low <= v && v <= high
}

// date reads 2026-03-01, 2026年3月1日, 3月1日, March 1, 2026, 1 March 2026,
// in 2026. A date without its year begins with "--".
func (r *valueReader) date(i int) (string, dimension, int) {
	w := r.at(i)
	if t, ok := parseISO(w); ok {
		return t, aDate, 1
	}
	if text, n := r.hanDate(i); n > 0 {
		return text, aDate, n
	}
	if m := months[w]; m > 0 { // March 1, 2026; March 2026
		day, dn := r.day(i + 1)
		year, yn := r.year(i + 1 + dn)
		if dn+yn > 0 {
			return dateText(year, m, day), aDate, 1 + dn + yn
		}
		if len(w) > 3 && w != "march" && w != "may" || monthBefore[r.at(i-1)] && r.capital(i) {
			return dateText(0, m, 0), aDate, 1
		}
	}
	if day, dn := r.day(i); dn > 0 && months[r.at(i+1)] > 0 { // 1 March 2026
		year, yn := r.year(i + 2)
		return dateText(year, months[r.at(i+1)], day), aDate, 2 + yn
	}
	if day, dn := r.day(i); dn > 0 && r.at(i+1) == "of" && months[r.at(i+2)] > 0 { // the 1st of March 2026
		year, yn := r.year(i + 3)
		return dateText(year, months[r.at(i+2)], day), aDate, 3 + yn
	}
	if year, n := r.year(i); n > 0 && yearBefore[r.at(i-1)] {
		return dateText(year, 0, 0), aDate, 1
	}
	return "", "", 0
}

var weekdays = map[string]int{
	"monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6, "sunday": 7,
	"mon": 1, "tue": 2, "tues": 2, "thu": 4, "thur": 4, "thurs": 4, "fri": 5,
	"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "日": 7, "天": 7,
}

// weekday reads Tuesday, Tuesdays, 周二, 星期二, 礼拜天, with a part of the day: Tuesday evening,
// 本周二晚上.
func (r *valueReader) weekday(i int) (string, dimension, int) {
	d, n := r.dayOfWeek(i)
	if n == 0 {
		return "", "", 0
	}
	text, plural := strconv.Itoa(d), strings.HasSuffix(r.at(i+n-1), "s") && weekdays[r.at(i+n-1)] == 0
	if part, k := r.partOfDay(i + n); k > 0 {
		text += " " + part
		plural = plural || strings.HasSuffix(r.at(i+n), "s")
		n += k
	}
	if plural {
		text += "s"
	}
	return text, aWeekday, n
}

// partOfDay reads evening, 晚上 where no hour follows.
func (r *valueReader) partOfDay(i int) (part string, n int) {
	if part = partsOfDay[strings.TrimSuffix(r.at(i), "s")]; part != "" {
		return part, 1
	}
	if _, _, n := r.clock(i); n > 0 {
		return "", 0
	}
	for _, d := range dayParts {
		if n := r.spells(i, d.word); n > 0 && d.part != "" {
			return d.part, n
		}
	}
	return "", 0
}

var partsOfDay = map[string]string{"morning": "morning", "noon": "noon", "lunchtime": "noon", "afternoon": "afternoon", "evening": "evening", "night": "evening"}

// dayOfWeek reads a day of the week; not 周三次 and 三周.
func (r *valueReader) dayOfWeek(i int) (day, n int) {
	w := r.at(i)
	if w[0] < 0x80 {
		if d := weekdays[w]; d > 0 {
			return d, 1
		}
		if day, plural := strings.CutSuffix(w, "s"); plural && len(day) > len("thurs") && weekdays[day] > 0 {
			return weekdays[day], 1
		}
		return 0, 0
	}
	if before := r.at(i - 1); before == "本周" || before == "上周" { // kept whole
		if counted := measures[r.at(i+1)] || hanPlaces[r.at(i+1)] > 0; counted && r.at(i+1) != "上" || weekdays[w] == 0 {
			return 0, 0
		}
		return weekdays[w], 1
	}
	for _, name := range [...]string{"星期", "礼拜", "禮拜", "周", "週"} {
		if n = r.spells(i, name); n > 0 {
			break
		}
	}
	if n == 0 || hanPlaces[r.at(i+n+1)] > 0 || r.at(i+n+1) == "次" || r.at(i+n+1) == "个" {
		return 0, 0
	}
	if _, counted := hanDigits[r.at(i-1)]; counted || isDigits(r.at(i-1)) {
		return 0, 0
	}
	if d := weekdays[r.at(i+n)]; d > 0 && r.at(i + n)[0] >= 0x80 {
		return d, n + 1
	}
	return 0, 0
}

// parseISO reads 2026-03-01, 2026/3/1 and 2026-03.
func parseISO(w string) (string, bool) {
	if len(w) < 6 || len(w) > 10 || !isDigits(w[:4]) || strings.ContainsAny(w, "_") {
		return "", false
	}
	parts := strings.FieldsFunc(w, func(r rune) bool { return r == '-' || r == '/' || r == '.' })
	if len(parts) < 2 || len(parts) > 3 {
		return "", false
	}
	v := [3]int{}
	for k, p := range parts {
		if !isDigits(p) || k > 0 && len(p) > 2 {
			return "", false
		}
		v[k], _ = strconv.Atoi(p)
	}
	if v[0] < 1000 || v[1] < 1 || v[1] > 12 || v[2] > 31 || len(parts) == 3 && v[2] < 1 {
		return "", false
	}
	return dateText(v[0], v[1], v[2]), true
}

// hanDate reads 2026年3月1日 and its parts from the year or month on.
func (r *valueReader) hanDate(i int) (string, int) {
	year, month, day, at := 0, 0, 0, i
	if v, n, ok := r.small(at, 1000, 2999); ok && r.at(at+n) == "年" {
		year, at = v, at+n+1
	}
	if v, n, ok := r.small(at, 1, 12); ok && r.at(at+n) == "月" {
		month, at = v, at+n+1
		if v, n, ok := r.small(at, 1, 31); ok && (r.at(at+n) == "日" || r.at(at+n) == "号" || r.at(at+n) == "號") {
			day, at = v, at+n+1
		}
	}
	if at == i {
		if v, n, ok := r.small(at, 1, 31); ok && (r.at(at+n) == "日" || r.at(at+n) == "号" || r.at(at+n) == "號") && r.isMonthly(at, at+n+1) {
			return dayOfMonth(v), n + 1
		}
		return "", 0
	}
	return dateText(year, month, day), at - i
}

// isMonthly reports whether what stands from word i to before word end is a day of a month, and
// no number of a thing: 每月 25 号, 每个月的扣款日是 25 号; not 每月在 3 号楼.
func (r *valueReader) isMonthly(i, end int) bool {
	if r.at(i-1) == "月" {
		return true
	}
	if end < len(r.ts) && r.gap(end-1) == "" && numberedThing[r.at(end)] {
		return false
	}
	for k := range i {
		if w := r.at(k); w == "月" || w == "每月" || w == "本月" || w == "上月" || w == "上个月" {
			return true
		}
	}
	return false
}

// numberedThing are characters with which words for things begin that have a number before them.
var numberedThing = wordSet(`楼 樓 线 線 机 機 房 院 门 門 店 桌 库 庫 仓 倉 车 車 柜 櫃 馆 館 厅 廳 口 井 站 台 节 節 会议 服 公 码 碼 位 座 床 铺 窗 球 选 選 文 别 别墅 主 用户 工 院 园 街 路 岛 宿 教 实 實 样 樣`)

// day reads 1, 1st, 21st.
func (r *valueReader) day(i int) (day, n int) {
	w := r.at(i)
	for _, end := range [...]string{"st", "nd", "rd", "th"} {
		w = strings.TrimSuffix(w, end)
	}
	if v, err := strconv.Atoi(w); err == nil && isDigits(w) && len(w) <= 2 && 1 <= v && v <= 31 {
		return v, 1
	}
	return 0, 0
}

func (r *valueReader) year(i int) (year, n int) {
	if w := r.at(i); len(w) == 4 && isDigits(w) && (w[:2] == "19" || w[:2] == "20") {
		v, _ := strconv.Atoi(w)
		return v, 1
	}
	return 0, 0
}

// monthBefore are words behind which Mar and May are months and no verbs.
var monthBefore = wordSet(`in since until till by from during of before after through this next last every each early late mid for to between`)

// capital reports whether word i begins with a capital.
func (r *valueReader) capital(i int) bool {
	c := r.s[r.ts[i].start]
	return 'A' <= c && c <= 'Z'
}

var yearBefore = map[string]bool{"of": true, "in": true, "since": true, "until": true, "during": true, "year": true, "fy": true}

var months = map[string]int{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9,
	"october": 10, "november": 11, "december": 12, "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8,
	"sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}

// dayOfMonth is a day of any month.
func dayOfMonth(d int) string { return fmt.Sprintf("---%02d", d) }

// dateText writes a date; zero parts are unknown.
func dateText(y, m, d int) string {
	var b strings.Builder
	if y > 0 {
		b.WriteString(strconv.Itoa(y))
	} else {
		b.WriteByte('-')
	}
	for _, v := range [...]int{m, d} {
		if v == 0 {
			break
		}
		b.WriteString(time.Date(2000, 1, v, 0, 0, 0, 0, time.UTC).Format("-02"))
	}
	return b.String()
}

// clock reads 15:00, 3 pm, 3:30 p.m., 下午3点半, 15点30分, at noon.
func (r *valueReader) clock(i int) (string, dimension, int) {
	if h, n := r.namedHour(i); n > 0 {
		return clockText(h, 0, ""), aClock, n
	}
	at, half := i, ""
	for _, d := range dayParts {
		if n := r.spells(i, d.word); n > 0 {
			at, half = i+n, d.half
			break
		}
	}
	if h, m, n := r.hanClock(at); n > 0 {
		return clockText(h, m, half), aClock, at + n - i
	}
	h, attached, ok := hour(r.at(at))
	if !ok {
		return "", "", 0
	}
	n, m := 1, -1
	if g := r.gap(at); attached == "" && (g == ":" || g == "：") {
		if m, attached, ok = minute(r.at(at + 1)); !ok {
			return "", "", 0
		}
		n = 2
	}
	if attached == "" && half == "" && h <= 12 {
		var k int
		attached, k = r.halfSaid(at + n)
		n += k
	}
	half = cmp.Or(half, attached)
	if m < 0 && (attached == "" || h == 0 || h > 12) {
		return "", "", 0
	}
	return clockText(h, max(m, 0), half), aClock, at + n - i
}

// namedHour reads an hour that has a name: at noon, until midnight, 正午. 中午 alone is a part of the day, and the
// midnight train may leave at one.
func (r *valueReader) namedHour(i int) (h, n int) {
	if n = r.spells(i, "正午"); n > 0 {
		return 12, n
	}
	if !hourBefore[r.at(i-1)] {
		return 0, 0
	}
	switch r.at(i) {
	case "noon":
		return 12, 1
	case "midnight":
		return 0, 1
	}
	return 0, 0
}

// hourBefore are words behind which noon is an hour.
var hourBefore = wordSet(`at by until till before after from to since`)

// spoken reads an hour in words: half past six, a quarter to seven, ten past six in the evening. Without a part
// of the day it is one of two, and a number. "Ten to six" is an hour only where nothing follows that it may be a range
// of: rose by five to ten percent.
func (r *valueReader) spoken(i int) (string, dimension, int) {
	at := i
	if r.at(at) == "a" {
		at++
	}
	minutes, n := 0.0, 1
	switch r.at(at) {
	case "half":
		minutes = 30
	case "quarter":
		minutes = 15
	default:
		if minutes, n = r.upTo(at, 30); at > i || n == 0 {
			return "", "", 0
		}
	}
	if at += n; r.at(at) == "minutes" {
		at++
	}
	side, quarter := r.at(at), r.at(at-1) == "quarter"
	if side != "past" && (side != "to" || r.at(i-1) != "at" && r.at(i-1) != "by" && r.at(i-1) != "until" && r.at(i-1) != "before" && !quarter) {
		return "", "", 0
	}
	h, k := r.upTo(at+1, 12)
	if k == 0 {
		return "", "", 0
	}
	if side == "to" {
		h, minutes = h-1, 60-minutes
	}
	at += 1 + k
	half, k := r.halfSaid(at)
	if side == "to" && !quarter && half == "" && !r.endsClause(at-1) {
		return "", "", 0
	}
	if at += k; half != "" {
		return clockText(int(h), int(minutes), half), aClock, at - i
	}
	return formatNumber(h + minutes/60), aCount, at - i
}

// endsClause reports whether word i is the last one, or stands before a pause.
func (r *valueReader) endsClause(i int) bool {
	return i+1 >= len(r.ts) || strings.ContainsAny(r.gap(i), ",.;:!?")
}

// upTo reads a whole number from 1 on, in digits or words.
func (r *valueReader) upTo(i, most int) (v float64, n int) {
	if v, n = r.englishNumber(i); n == 0 && isDigits(r.at(i)) && len(r.at(i)) <= 2 {
		v, _ = strconv.ParseFloat(r.at(i), 64)
		n = 1
	}
	if r.at(i) == "one" {
		v, n = 1, 1
	}
	if v < 1 || v > float64(most) {
		return 0, 0
	}
	return v, n
}

// halfSaid reads what tells the half of the day behind an hour: pm, in the evening, at night.
func (r *valueReader) halfSaid(i int) (half string, n int) {
	if half = halfOfDay(r.at(i)); half != "" {
		return half, 1
	}
	if r.at(i) == "in" && r.at(i+1) == "the" {
		switch r.at(i + 2) {
		case "morning":
			return "am", 3
		case "afternoon", "evening":
			return "pm", 3
		}
	}
	if r.at(i) == "at" && r.at(i+1) == "night" {
		return "pm", 2
	}
	return "", 0
}

// hour reads 15, 3pm.
func hour(w string) (h int, half string, ok bool) {
	digits := strings.TrimRight(w, "apm.")
	half = halfOfDay(w[len(digits):])
	if !isDigits(digits) || len(digits) > 2 || half == "" && digits != w {
		return 0, "", false
	}
	h, _ = strconv.Atoi(digits)
	return h, half, h <= 24
}

// minute reads 05, 30pm.
func minute(w string) (m int, half string, ok bool) {
	m, half, ok = 0, "", len(w) >= 2 && isDigits(w[:2])
	if ok {
		m, _ = strconv.Atoi(w[:2])
		half = halfOfDay(w[2:])
		ok = m < 60 && (half != "" || len(w) == 2)
	}
	return m, half, ok
}

// halfOfDay reads am, pm, a.m, p.m.
func halfOfDay(w string) string {
	switch w {
	case "am", "a.m", "a.m.":
		return "am"
	case "pm", "p.m", "p.m.":
		return "pm"
	}
	return ""
}

// dayParts are the half of the day that a word before an hour means, and the part that it names alone.
var dayParts = [...]struct{ word, half, part string }{
	{"下午", "pm", "afternoon"}, {"晚上", "pm", "evening"}, {"傍晚", "pm", "evening"}, {"中午", "pm", "noon"}, {"上午", "am", "morning"}, {"早上", "am", "morning"},
	{"凌晨", "am", "night"}, {"早晨", "am", "morning"}, {"午后", "pm", "afternoon"}, {"清晨", "am", "morning"}, {"晚", "pm", ""}, {"早", "am", ""},
}

// spells reports how many words from i on spell a Chinese word, 0 when they do not.
func (r *valueReader) spells(i int, word string) int { return spellsAt(r.ts, i, word) }

// spellsAt reports how many tokens from i on spell a word, 0 when they do not.
func spellsAt(ts []token, i int, word string) int {
	for n := i; 0 <= n && n < len(ts) && ts[n].text != "" && strings.HasPrefix(word, ts[n].text); n++ {
		if word = word[len(ts[n].text):]; word == "" {
			return n + 1 - i
		}
	}
	return 0
}

// hanClock reads 3点, 3点半, 15点30分, 三点一刻.
func (r *valueReader) hanClock(i int) (h, m, n int) {
	h, n, ok := r.small(i, 0, 24)
	if !ok || r.at(i+n) != "点" && r.at(i+n) != "點" && r.at(i+n) != "时" {
		return 0, 0, 0
	}
	n++
	switch r.at(i + n) {
	case "半":
		return h, 30, n + 1
	case "整", "钟", "鐘":
		return h, 0, n + 1
	}
	if v, k, ok := r.small(i+n, 0, 59); ok && r.at(i+n+k) == "分" {
		return h, v, n + k + 1
	}
	if r.at(i+n) == "一" && r.at(i+n+1) == "刻" {
		return h, 15, n + 2
	}
	if r.at(i+n-1) == "时" {
		return 0, 0, 0 // 3时 alone is as often a length
	}
	return h, 0, n
}

func clockHour(h int, half string) int {
	switch {
	case half == "pm" && h < 12:
		return h + 12
	case half == "am" && h == 12:
		return 0
	}
	return h
}

func clockText(h, m int, half string) string {
	return time.Date(2000, 1, 1, clockHour(h, half), m, 0, 0, time.UTC).Format("15:04")
}

// ordinal reads 第二, 1st, 22nd.
func (r *valueReader) ordinal(i int) (string, dimension, int) {
	if r.at(i) == "第" {
		if v, n, ok := r.small(i+1, 0, 9999); ok {
			return strconv.Itoa(v), anOrdinal, 1 + n
		}
		return "", "", 0
	}
	w := r.at(i)
	if d, n := r.day(i); n > 0 && !isDigits(w) {
		if r.ofMonth(i) {
			return dayOfMonth(d), aDate, 1
		}
		return strconv.Itoa(d), anOrdinal, 1
	}
	return "", "", 0
}

// ofMonth reports whether an ordinal is a day of a month: "the 5th of each month", "is due on the 5th"; not
// "on the 5th floor".
func (r *valueReader) ofMonth(i int) bool {
	next := r.at(i + 1)
	if after := r.at(i + 2); next == "of" {
		return after == "each" || after == "every" || after == "the"
	}
	before := r.at(i - 2)
	timely := r.at(i-1) == "the" && (before == "on" || before == "by" || before == "until" || before == "till" || before == "before" || before == "after" || before == "since")
	return timely && (next == "each" || next == "every" || r.endsClause(i))
}

// isDigits reports ASCII digits only, at least one.
func isDigits(s string) bool {
	for i := range len(s) {
		if s[i]-'0' > 9 {
			return false
		}
	}
	return s != ""
}
