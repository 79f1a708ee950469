package memory

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func corpusOf(facts ...*Fact) *corpus {
	var c corpus
	for _, f := range facts {
		c.add(f)
	}
	return &c
}

func ids(found []scored) (out []string) {
	for _, s := range found {
		out = append(out, s.fact.ID)
	}
	return out
}

// Two facts of four words each: the average length is 4, so a tf of 1 counts
// 1 × 2.2 / (1 + 1.2) = 1. "python" is in one of two: idf = ln(1 + 1.5/1.5) = ln 2; "user"
// in both: idf = ln(1 + 0.5/2.5) = ln 1.2. Its exact form counts 0.3 and its stem, if it
// had another, 0.7; these words are their own stems and count 1.
func TestScoreByHand(t *testing.T) { // MR11
	c := corpusOf(
		&Fact{ID: "py", Content: "user writes python daily", Confidence: .5, Created: clock},
		&Fact{ID: "go", Content: "user writes rust daily", Confidence: 1, Created: clock.AddDate(0, 0, -60)},
	)
	got := c.search("python user", "", -1, clock)
	if !slices.Equal(ids(got), []string{"py", "go"}) {
		t.Fatalf("got %v", ids(got))
	}
	exactly(t, got[0].BM25, math.Ln2+math.Log(1.2))
	exactly(t, got[1].BM25, math.Log(1.2))
	exactly(t, got[1].Decay, math.Exp(-.3))
	exactly(t, got[0].score, math.Ln2+math.Log(1.2)+.1)
	exactly(t, got[1].score, math.Log(1.2)*math.Exp(-.3)+.2)
}

func exactly(t *testing.T, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The known answers of DeerMem, to four digits.
func TestDecayByAge(t *testing.T) { // MR11
	for _, c := range []struct {
		days float64
		want float64
	}{{0, 1}, {29, 1}, {30, 1}, {30.9, 1}, {31, .9900}, {60, .7408}, {100, .4966}, {365, .0351}, {-400, 1}} {
		got := decay(clock.Add(-time.Duration(c.days*24)*time.Hour), clock)
		if math.Abs(got-c.want) > 5e-5 {
			t.Errorf("age of %v days: got %v, want %v", c.days, got, c.want)
		}
	}
	if got := decay(time.Time{}, clock); got != 1 {
		t.Errorf("no date: got %v, want 1", got)
	}
}

func TestContentKeyIsThatOfTheCharacters(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"Likes  Go\n", "likes go", true},
		{"喜欢 Ｇｏ", "喜欢 go", true},
		{"a\u2028b", "a b", true},
		{"Likes C", "Likes C++", false},
		{"likes go", "likes go.", false},
		{"喜欢茶", "喜欢咖啡", false},
	} {
		if got := ContentKey(c.a) == ContentKey(c.b); got != c.same {
			t.Errorf("%q and %q: same is %v, want %v", c.a, c.b, got, c.same)
		}
	}
	if k := ContentKey("two\r\nlines\tof\u00a0text "); strings.ContainsAny(k, "\r\n\t") || k != "two lines of text" {
		t.Errorf("got %q, want one line", k)
	}
}
