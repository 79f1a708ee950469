package retrieve

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"brain/text"
)

// hostile are questions that somebody sends who means no good, or a program
// that pasted the wrong thing.
func hostile() []string {
	return []string{
		strings.Repeat("👩‍👩‍👧‍👦🏳️‍🌈🇩🇪", 500),
		"nul\x00in\x00the\x00middle", "\x00", "\xff\xfe\xfd", "a\xc3(b", "\xed\xa0\x80",
		"\u202eright to left\u202c \u2066isolate\u2069", "مرحبا بالعالم שלום עולם",
		`.*+?^${}()|[]\`, `(?i)(a+)+$`, `"unbalanced 'quotes`, "+must -not ~1 ^2 field:value AND OR NOT *", "[[../../etc/passwd]]", "../../../etc/passwd", "/etc/passwd.md",
		"'; DROP TABLE pages; --", "{{.}} ${HOME} %s%n%x", "<script>alert(1)</script>", "---\ntitle: x\n---\n",
		strings.Repeat("word ", 20_000), strings.Repeat("字", 33_000), strings.Repeat("a", 100_000), strings.Repeat("a_b-c/", 16_000), strings.Repeat("x1", 50_000),
		strings.Repeat("\u0301", 5_000), "e" + strings.Repeat("\u0323\u0301", 3_000), strings.Repeat("((((", 5_000), strings.Repeat("[[", 5_000), strings.Repeat("\n", 10_000),
		strings.Repeat("who founded ", 2_000), strings.Repeat("谁负责", 3_000), strings.Repeat("@", 9_000), "who founded", "谁负责", "的", "who works on .md", ".md", "agents/x.md",
		strings.Repeat("Sluice Kestrel Brinewell 红隼 盐井科技 ", 2_000), "\u200b\u200d\ufeff", "ﷺ" + strings.Repeat("ﷺ", 2_000), "İıſK",
	}
}

// answersWithinBounds demands of any question what every caller relies on.
func answersWithinBounds(t testing.TB, b *brain, q Query) {
	t.Helper()
	a := b.search(q)
	wantJSON(t, a)
	if a.Query != q.Text {
		t.Errorf("%.40q: the question came back changed", q.Text)
	}
	limit := q.N
	if limit <= 0 {
		limit = defaultN
	}
	if len(a.Hits) > limit {
		t.Errorf("%.40q: %d hits, asked for %d", q.Text, len(a.Hits), limit)
	}
	if (len(a.Hits) == 0) != (a.Note != "") || len(a.Hits) == 0 && !a.Weak {
		t.Errorf("%.40q: %d hits, note %q, weak %v", q.Text, len(a.Hits), a.Note, a.Weak)
	}
	budget := 0
	for i, h := range a.Hits {
		budget += text.Tokens(h.Text)
		switch n := utf8.RuneCountInString(h.Snippet); {
		case h.Rank != i+1:
			t.Errorf("%.40q: hit %d has rank %d", q.Text, i+1, h.Rank)
		case n > 2*snippetRunes || !utf8.ValidString(h.Snippet) || strings.ContainsAny(h.Snippet, "\n\r"):
			t.Errorf("%.40q: %s: snippet of %d characters: %q", q.Text, h.Path, n, h.Snippet)
		case math.IsNaN(h.Score) || math.IsInf(h.Score, 0) || h.Score < 0:
			t.Errorf("%.40q: %s: score %v", q.Text, h.Path, h.Score)
		case math.Float64bits(replayed(h.Signals)) != math.Float64bits(h.Score):
			t.Errorf("%.40q: %s: signals give %v, score %v", q.Text, h.Path, replayed(h.Signals), h.Score)
		case h.Line < 1:
			t.Errorf("%.40q: %s: line %d", q.Text, h.Path, h.Line)
		}
	}
	if q.Budget > 0 && budget > q.Budget {
		t.Errorf("%.40q: %d tokens of a budget of %d", q.Text, budget, q.Budget)
	}
}

func replayed(signals []Signal) (score float64) {
	for _, s := range signals {
		if s.Op == "mul" {
			score *= s.Value
		} else {
			score += s.Value
		}
	}
	return score
}

func TestHostileQuestionsAreAnsweredWithinBounds(t *testing.T) {
	b := theDemo(t)
	for _, text := range hostile() {
		answersWithinBounds(t, b, Query{Text: text})
	}
}

func TestHostileFiltersPassNothingAndHarmNothing(t *testing.T) {
	b := theDemo(t)
	for _, s := range []string{"", "[", "[a-", `\`, "*", "/", "//", "..", "\x00", strings.Repeat("*", 2000), strings.Repeat("[a]*", 500)} {
		for _, q := range []Query{{Paths: []string{s}}, {Kinds: []string{s}}, {Tags: []string{s}}, {Sources: []string{s}}, {Agent: s}} {
			q.Text = "Sluice budget"
			answersWithinBounds(t, b, q)
		}
	}
}

func FuzzQuestion(f *testing.F) {
	for _, text := range goldenQueries {
		f.Add(text, uint8(0), int16(0))
	}
	for _, text := range hostile() {
		if len(text) < 4096 {
			f.Add(text, uint8(255), int16(100))
		}
	}
	var b *brain
	f.Fuzz(func(t *testing.T, text string, flags uint8, budget int16) {
		if b == nil {
			b = theDemo(t)
		}
		q := Query{Text: text, N: int(flags >> 4), Overview: flags&1 != 0, Budget: max(0, int(budget))}
		if flags&2 != 0 {
			q.Unit = Passages
		}
		if flags&4 != 0 {
			q.Arms = []string{Lexical, Graph}
		}
		if flags&8 != 0 {
			q.Agent = "marlin"
		}
		mine := *b
		mine.t = t
		answersWithinBounds(t, &mine, q)
	})
}
