package page

import (
	"slices"
	"strings"
	"unicode"
)

// What differs between two rows of words: the longest common subsequence
// parts them into what is shared and chunks that stand for each other.
//
//	limit is  100  per tenant
//	limit is 1000  per user
//	         ~~~~      ~~~~~~

type diff struct {
	a, b   []token
	shared int
	chunks []chunk
}

// chunk is a[a0:a1] in the place of b[b0:b1]; one of them may be empty.
type chunk struct{ a0, a1, b0, b1 int }

// align compares by stems.
func align(a, b []token) *diff {
	d := &diff{a: a, b: b}
	head := 0
	for head < len(a) && head < len(b) && a[head].stem == b[head].stem {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail].stem == b[len(b)-1-tail].stem {
		tail++
	}
	d.shared = head + tail
	d.middle(head, len(a)-tail, len(b)-tail)
	return d
}

// middle aligns a[from:endA] with b[from:endB], which neither begin nor end alike.
func (d *diff) middle(from, endA, endB int) {
	n, m := endA-from, endB-from
	if n*m > mostCells {
		d.close(chunk{from, endA, from, endB})
		return
	}
	width := m + 1
	length := make([]uint16, (n+1)*width) // of the common subsequence from here on
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if d.a[from+i].stem == d.b[from+j].stem {
				length[i*width+j] = length[(i+1)*width+j+1] + 1
			} else {
				length[i*width+j] = max(length[(i+1)*width+j], length[i*width+j+1])
			}
		}
	}
	c := chunk{from, from, from, from}
	for i, j := 0, 0; i < n || j < m; {
		switch {
		case i < n && j < m && d.a[from+i].stem == d.b[from+j].stem:
			d.close(c)
			d.shared++
			i, j = i+1, j+1
			c = chunk{from + i, from + i, from + j, from + j}
		case j == m || i < n && length[(i+1)*width+j] >= length[i*width+j+1]:
			i++
			c.a1 = from + i
		default:
			j++
			c.b1 = from + j
		}
	}
	d.close(c)
}

// mostCells bounds the table: longer texts are compared as one chunk.
const mostCells = 1 << 20

func (d *diff) close(c chunk) {
	if c.a1 > c.a0 || c.b1 > c.b0 {
		d.chunks = append(d.chunks, c)
	}
}

// agree is the share of words in common, of the longer row, when n words of
// each that are known to differ do not count.
func (d *diff) agree(n int) float64 {
	longer := max(len(d.a), len(d.b)) - n
	if longer <= 0 {
		return 0
	}
	return float64(d.shared) / float64(longer)
}

// valueDiff is what two claims differ by in values.
type valueDiff struct {
	conflict    bool // two values of one kind that cannot both be
	independent bool // they speak of different times or things
	n           int  // how many values stand against each other
	detail      [2]string
}

// values compares the values that stand for each other.
func (d *diff) values() (v valueDiff) {
	times, only := 0, true
	for _, c := range d.chunks {
		left, right := valuesOf(d.a[c.a0:c.a1]), valuesOf(d.b[c.b0:c.b1])
		only = only && len(left) == c.a1-c.a0 && len(right) == c.b1-c.b0
		for k := range min(len(left), len(right)) {
			x, y := left[k], right[k]
			if x.dim != y.dim || x.dim == aDate && compatible(x.text, y.text) {
				continue
			}
			if v.n == 0 {
				v.detail = [2]string{x.text, y.text}
			}
			v.n++
			if x.dim == aDate {
				times++
			}
			v.independent = v.independent || x.dim == anOrdinal || x.hash || y.hash || d.names(c)
		}
	}
	v.conflict = v.n > 0
	if times > 0 && (times < v.n || !only || !d.scheduled()) {
		v.independent = true // each holds of its own time
	}
	return v
}

// otherName reports whether the claims speak of two things whose names have numbers in
// them: "the timeout of router-37", "the timeout of parser-3997".
func (d *diff) otherName() bool {
	return slices.ContainsFunc(d.chunks, func(c chunk) bool {
		return slices.ContainsFunc(d.a[c.a0:c.a1], numberedName) && slices.ContainsFunc(d.b[c.b0:c.b1], numberedName)
	})
}

// numberedName reports whether a word is of letters and digits: router-37, gpt-4, S3.
func numberedName(t token) bool {
	return t.role == plain && strings.ContainsFunc(t.text, unicode.IsLetter) && strings.ContainsFunc(t.text, unicode.IsDigit)
}

func valuesOf(ts []token) (out []token) {
	for _, t := range ts {
		if t.role == value {
			out = append(out, t)
		}
	}
	return out
}

// compatible reports whether two dates may be the same: one knows more of it.
func compatible(x, y string) bool {
	x, y = strings.TrimSuffix(x, " "+string(aDate)), strings.TrimSuffix(y, " "+string(aDate))
	if strings.HasPrefix(x, "--") != strings.HasPrefix(y, "--") { // one has no year
		x, y = monthAndDay(x), monthAndDay(y)
	}
	return strings.HasPrefix(x, y) || strings.HasPrefix(y, x)
}

func monthAndDay(s string) string {
	if strings.HasPrefix(s, "--") {
		return s[1:]
	}
	return s[min(len("2026"), len(s)):]
}

// names reports whether the number in a chunk is the name of what the claim
// is about: "issue 12 is closed", "Go 1.21 is fast". It stands at the
// beginning, is a version or behind a word for things that have numbers, and
// something is said of it.
func (d *diff) names(c chunk) bool {
	const nearStart = 2
	return 0 < c.a0 && c.a0 <= nearStart && c.a1 < len(d.a) && (d.a[c.a0].dim == aVersion || numbered[d.a[c.a0-1].stem])
}

var numbered = stemSet(`issue pr ticket bug case step chapter section page room line item version phase milestone sprint week day
	port id adr rfc task part volume figure table level stage round test experiment server node user order release`)

// scheduled reports whether the words in common speak of something that has
// one date: a deadline, a birth.
func (d *diff) scheduled() bool {
	i := 0
	for _, c := range append(slices.Clone(d.chunks), chunk{a0: len(d.a)}) {
		for ; i < c.a0; i++ {
			if onceOnly[d.a[i].stem] {
				return true
			}
		}
		i = max(i, c.a1)
	}
	joined := ""
	for _, t := range d.a {
		joined += t.stem
	}
	for _, w := range onceOnlyHan {
		if strings.Contains(joined, w) {
			return true
		}
	}
	return false
}

var onceOnly = stemSet(`deadline due schedule launch expire born birthday found establish release ship until since move joined plan`)

var onceOnlyHan = strings.Fields(`截止 到期 定于 定在 生日 出生 成立 发布 上线 推迟 计划 过期`)

func stemSet(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[stemOf(w)] = true
	}
	return m
}

// opposed finds a word of which the other claim has the opposite in its place.
func (d *diff) opposed() (detail [2]string, ok bool) {
	var left, right []token
	for _, c := range d.chunks {
		left, right = append(left, d.a[c.a0:c.a1]...), append(right, d.b[c.b0:c.b1]...)
	}
	const most = 12 // words that differ: more are another text
	if len(left) > most || len(right) > most {
		return detail, false
	}
	for _, x := range left {
		for _, y := range right {
			if x.antonym.opposed(y.antonym) || x.role == plain && y.role == plain && (prefixed(x.text, y.text) || prefixed(x.stem, y.stem)) {
				return [2]string{x.text, y.text}, true
			}
		}
	}
	return detail, false
}

// attribute finds another value behind an attribute of which there is one:
// "the owner is Alice", "数据库: MySQL".
func (d *diff) attribute() (detail [2]string, ok bool) {
	const longest = 8
	if len(d.chunks) != 1 {
		return detail, false
	}
	c := d.chunks[0]
	if c.a0 == 0 || c.a1 != len(d.a) || c.b1 != len(d.b) || c.a0 == c.a1 || c.b0 == c.b1 || max(c.a1-c.a0, c.b1-c.b0) > longest {
		return detail, false
	}
	if d.a[c.a0].role == value && d.b[c.b0].role == value {
		return detail, false // of two values it is known whether both can be
	}
	if x, y := d.a[c.a0-1], d.b[c.b0-1]; !x.colon || !y.colon || !lexicon().attributes[x.stem] {
		return detail, false
	}
	return [2]string{spell(d.a[c.a0-1 : c.a1]), spell(d.b[c.b0-1 : c.b1])}, true
}

// spell writes words one after the other.
func spell(ts []token) string {
	var b strings.Builder
	for i, t := range ts {
		if i > 0 && !(t.han && ts[i-1].han) {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}
