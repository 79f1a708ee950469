package memory

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
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

// Two words and six: the average is 4. "tea" is twice in the first, so that tf counts
// 2 × 2.2 / (2 + 1.2 × (0.25 + 0.75 × 2/4)) = 4.4/2.75, and once in the other:
// 2.2 / (1 + 1.2 × (0.25 + 0.75 × 6/4)) = 2.2/2.65.
func TestLengthAndRepetitionByHand(t *testing.T) { // MR11
	got := corpusOf(sure("short", "tea tea", 0), sure("long", "tea with milk, no sugar, please", 0)).search("tea", "", -1, clock)
	if !slices.Equal(ids(got), []string{"short", "long"}) {
		t.Fatalf("got %v", ids(got))
	}
	exactly(t, got[0].score, math.Log(1.2)*4.4/2.75)
	exactly(t, got[1].score, math.Log(1.2)*2.2/2.65)
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

func TestContentKeyIsThatOfTheCharacters(t *testing.T) { // deermem 37
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

func TestConfidenceOfNothingCountsAsNothing(t *testing.T) { // MR11
	c := corpusOf(sure("none", "likes tea", 0), sure("half", "likes tea", .5))
	got := c.search("tea", "", -1, clock)
	if !slices.Equal(ids(got), []string{"half", "none"}) || got[0].score-got[1].score != .1 {
		t.Errorf("got %v with %v and %v, want half before none by 0.1", ids(got), got[0].score, got[1].score)
	}
}

// The same words in both languages: a rare word outweighs a usual one and what is
// repeated, age outweighs confidence.
func TestWhichFactComesFirst(t *testing.T) { // MR11
	old := sure("old", "The deploy key lives in vault", 1)
	old.Created = clock.AddDate(-1, 0, 0)
	旧 := sure("旧", "部署密钥放在保险库里", 1)
	旧.Created = old.Created
	c := corpusOf(old, 旧,
		sure("key", "The deploy key is kept by Dana", .5), sure("钥", "部署密钥由小丹保管", .5),
		sure("tabs", "User prefers tabs over spaces in Go code", .9), sure("tea", "User drinks green tea; user user user", .9),
		sure("制表", "用户写代码时喜欢制表符", .9), sure("茶", "用户喜欢喝绿茶", .9),
	)
	for _, q := range []struct{ question, want string }{
		{"where is the deploy key?", "key old"}, {"部署密钥在哪里", "钥 旧"},
		{"user tabs", "tabs tea"}, {"用户的绿茶", "茶 制表"},
		{"drinking", "tea"}, {"GREEN", "tea"}, {"ｇｒｅｅｎ", "tea"},
		{"制表符", "制表"},
	} {
		if got := strings.Join(ids(c.search(q.question, "", -1, clock)), " "); got != q.want {
			t.Errorf("%q: got %s, want %s", q.question, got, q.want)
		}
	}
}

// What SQLite would read as operators are words and signs between words.
func TestPunctuationIsNoOperator(t *testing.T) { // deermem 44
	c := corpusOf(
		fact("hyphen", "The state-of-the-art parser is slow"), fact("and", "Logic uses AND gates"), fact("cpp", "Writes C++ at work"),
		fact("near", "Sits NEAR the window"), fact("zh", "用户喜欢“简洁”的回答"), fact("other", "Something else entirely"),
	)
	for _, q := range []struct{ question, want string }{
		{"state-of-the-art", "hyphen"}, {"-slow", "hyphen"}, {"parser NOT slow", "hyphen"}, {"(parser OR", "hyphen"},
		{`"slow parser`, "hyphen"}, {"pars*", ""}, {"content:parser", "hyphen"}, {"NEAR(window, 5)", "near"},
		{"AND gates", "and"}, {"C++", "cpp"}, {"“简洁”", "zh"}, {"简洁；", "zh"}, {"parser'; DROP TABLE facts; --", "hyphen"},
		{"{parser}^2", "hyphen"}, {"entirely + slow", "other hyphen"},
	} {
		got := ids(c.search(q.question, "", -1, clock))
		if slices.Sort(got); !slices.Equal(got, sorted(q.want)) {
			t.Errorf("%q: got %v, want %s", q.question, got, q.want)
		}
	}
}

func sorted(list string) []string {
	words := strings.Fields(list)
	slices.Sort(words)
	return words
}

func TestQuestionWithoutAWordThatTells(t *testing.T) { // deermem 44
	c := corpusOf(fact("who", "The Who are his favourite band"), fact("city", "Lives in a city with his family"), fact("why", "Asked why? and got no answer"),
		fact("是", "他是老师"), fact("arrow", "Reads a -> b as a function"))
	for _, q := range []struct {
		question, want string
		match          Match
	}{
		{"who", "who", ByWords},         // stop words, where there is nothing else, are words
		{"The Who", "who", ByWords},     //
		{"it", "city who", BySubstring}, // of which none is a word: as they stand
		{"who is he", "who", ByWords},   //
		{"是", "是", ByWords},             //
		{"?", "why", BySubstring},       // signs are looked for as they stand
		{"->", "arrow", BySubstring},    //
		{"", "", ""}, {" \t\n", "", ""}, // nothing is asked
		{"\u200b", "", ""}, {"\xff", "", ""}, // nor can it be seen
	} {
		got := c.search(q.question, "", -1, clock)
		if want := strings.Fields(q.want); !slices.Equal(ids(got), want) || len(got) > 0 && got[0].Match != q.match {
			t.Errorf("%q: got %v, want %v by %s", q.question, got, want, q.match)
		}
	}
}

func TestPartOfAWordIsFoundWhenNothingElseIs(t *testing.T) { // deermem 43
	long := sure("long", "Uses PostgreSQL\nfor   everything", .4)
	c := corpusOf(long, sure("short", "Tried postgresql once", .6), sure("zh", "喜欢ＰｏｓｔｇｒｅＳＱＬ数据库", .5))
	for _, q := range []struct{ question, want string }{
		{"ostgre", "short zh long"}, {"STGRESQL F", "long"},
	} {
		got := c.search(q.question, "", -1, clock)
		if strings.Join(ids(got), " ") != q.want {
			t.Errorf("%q: got %v, want %s", q.question, ids(got), q.want)
		}
		for _, s := range got {
			if s.Match != BySubstring || s.score != s.fact.Confidence {
				t.Errorf("%q: %s by %s with %v, want its confidence", q.question, s.fact.ID, s.Match, s.score)
			}
		}
	}
	// "once" is a word of one fact, so that parts of others are not looked at
	if got := ids(c.search("once", "", -1, clock)); !slices.Equal(got, []string{"short"}) {
		t.Errorf("got %v, want short", got)
	}
}

func TestHeadingThatSaysMoreIsFound(t *testing.T) {
	f := fact("a", "vim")
	f.Title = "Editor of choice"
	c := corpusOf(f, fact("b", "emacs"))
	if got := ids(c.search("editor", "", -1, clock)); !slices.Equal(got, []string{"a"}) {
		t.Errorf("got %v, want a", got)
	}
	same := fact("a", "likes tea")
	same.Title = "likes tea"
	if got := corpusOf(same).length; got != 2 {
		t.Errorf("a heading that is the first line counts %d words, want 2", got)
	}
}

// Ten facts of one category outrank the one of the other.
func TestCategoryIsChosenBeforeTheCut(t *testing.T) { // MR20 deermem 42
	var facts []*Fact
	for i := range 10 {
		facts = append(facts, sure(fmt.Sprint("p", i), "tea tea", .9))
	}
	goal := sure("goal", "drink less tea this year", .1)
	goal.Category = "goal"
	c := corpusOf(append(facts, goal)...)
	if got := ids(c.search("tea", "goal", 3, clock)); !slices.Equal(got, []string{"goal"}) {
		t.Errorf("got %v, want goal", got)
	}
	if got := c.search("tea", "", 3, clock); len(got) != 3 {
		t.Errorf("got %v, want three", ids(got))
	}
	if got := c.search("ea", "goal", 1, clock); len(got) != 1 || got[0].Match != BySubstring {
		t.Errorf("got %v, want goal by a part of a word", got)
	}
	if got := c.search("tea", "knowledge", 3, clock); len(got) != 0 {
		t.Errorf("got %v of a category that is not there", ids(got))
	}
}

func TestEqualIDsOfTwoAgentsStaySeparate(t *testing.T) { // deermem 42 MR19
	mine, other := corpusOf(fact("same", "likes tea"), fact("b", "likes coffee")), corpusOf(fact("same", "likes rum"))
	before := mine.search("tea", "", -1, clock)
	for i := range 100 {
		other.add(fact(fmt.Sprint("x", i), "tea tea tea 茶"))
	}
	after := mine.search("tea", "", -1, clock)
	if !slices.Equal(ids(before), []string{"same"}) || !slices.Equal(ids(after), ids(before)) || before[0].score != after[0].score {
		t.Errorf("got %v with %v, then %v with %v", ids(before), before[0].score, ids(after), after[0].score)
	}
	if got := other.search("rum", "", -1, clock); len(got) != 1 || got[0].fact.Content != "likes rum" {
		t.Errorf("got %v, want the other's", got)
	}
}

// scopes are facts of few words, dates and confidences, so that ties are frequent.
var scopes = rapid.Custom(func(t *rapid.T) []*Fact {
	facts := make([]*Fact, rapid.IntRange(0, 25).Draw(t, "facts"))
	for i := range facts {
		f := fact(fmt.Sprintf("f%02d", i), shuffled.Draw(t, "content"))
		f.Category = rapid.SampledFrom([]string{"goal", "preference"}).Draw(t, "category")
		f.Confidence = rapid.SampledFrom([]float64{0, .1, .5, .7, 1}).Draw(t, "confidence")
		f.Created = clock.AddDate(0, 0, -rapid.SampledFrom([]int{0, 31, 400}).Draw(t, "age"))
		facts[i] = f
	}
	return facts
})

var questions = rapid.OneOf(shuffled, rapid.SampledFrom([]string{"?", "in", "not", "ython", "欢", "欢 北", "和", ""}))

func sameRanking(t *rapid.T, what string, got, want []scored) {
	t.Helper()
	same := slices.EqualFunc(got, want, func(x, y scored) bool {
		return x.fact.ID == y.fact.ID && x.score == y.score && x.Parts == y.Parts
	})
	if !same {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

func TestFewerAreThePrefixOfMore(t *testing.T) { // MR11 deermem 44
	rapid.Check(t, func(t *rapid.T) {
		c := corpusOf(scopes.Draw(t, "scope")...)
		question := questions.Draw(t, "question")
		all := c.search(question, "", -1, clock)
		for n := range len(all) + 2 {
			sameRanking(t, fmt.Sprint("the first ", n), c.search(question, "", n, clock), all[:min(n, len(all))])
		}
	})
}

func TestScoreIsThatOfItsParts(t *testing.T) { // MR11
	rapid.Check(t, func(t *rapid.T) {
		for _, s := range corpusOf(scopes.Draw(t, "scope")...).search(questions.Draw(t, "question"), "", -1, clock) {
			want := s.fact.Confidence
			if s.Match == ByWords {
				want = float64(s.BM25*s.Decay) + float64(0.2*s.fact.Confidence)
			}
			if s.score != want {
				t.Fatalf("%v has score %v, its parts give %v", s.Parts, s.score, want)
			}
		}
	})
}

func TestOrderInWhichFactsComeDecidesNothing(t *testing.T) { // MR11
	rapid.Check(t, func(t *rapid.T) {
		scope := scopes.Draw(t, "scope")
		question := questions.Draw(t, "question")
		sameRanking(t, "another order", corpusOf(rapid.Permutation(scope).Draw(t, "order")...).search(question, "", -1, clock),
			corpusOf(scope...).search(question, "", -1, clock))
	})
}

func TestCorpusThatChangedIsThatOfWhatIsThere(t *testing.T) { // MR11 MR19
	rapid.Check(t, func(t *rapid.T) {
		var c corpus
		var kept []*Fact
		var docs []*doc
		for _, f := range scopes.Draw(t, "scope") {
			if len(docs) > 0 && rapid.IntRange(0, 2).Draw(t, "step") == 0 {
				k := rapid.IntRange(0, len(docs)-1).Draw(t, "which")
				c.remove(docs[k])
				docs, kept = slices.Delete(docs, k, k+1), slices.Delete(kept, k, k+1)
			}
			docs, kept = append(docs, c.add(f)), append(kept, f)
		}
		anew := corpusOf(kept...)
		if c.length != anew.length || len(c.docs) != len(anew.docs) || len(c.ids) != len(anew.ids) || len(c.lists) != len(c.ids)+len(c.free) {
			t.Fatalf("%d words of %d facts, %d distinct, %d numbers, %d of them free; a new one has %d, %d and %d",
				c.length, len(c.docs), len(c.ids), len(c.lists), len(c.free), anew.length, len(anew.docs), len(anew.ids))
		}
		question := questions.Draw(t, "question")
		sameRanking(t, question, c.search(question, "", -1, clock), anew.search(question, "", -1, clock))
	})
}

// A category selects and does not weigh.
func TestCategoryChangesNoScore(t *testing.T) { // MR20
	rapid.Check(t, func(t *rapid.T) {
		c := corpusOf(scopes.Draw(t, "scope")...)
		question := questions.Draw(t, "question")
		var want []scored
		for _, s := range c.search(question, "", -1, clock) {
			if s.fact.Category == "goal" {
				want = append(want, s)
			}
		}
		if got := c.search(question, "goal", -1, clock); len(want) > 0 {
			sameRanking(t, question, got, want)
		}
	})
}

func TestWordsThatNoFactHasAreForgotten(t *testing.T) {
	var c corpus
	last := c.add(fact("first", "one two 用户"))
	words, most := len(c.ids), 0
	for i := range 100_000 {
		next := c.add(fact(fmt.Sprint("f", i), fmt.Sprintf("user word%d 用户 x%dy", i, i)))
		c.remove(last)
		last = next
		most = max(most, len(c.lists))
	}
	c.remove(last)
	c.add(fact("first", "one two 用户"))
	if len(c.ids) != words || len(c.docs) != 1 || c.length != 4 {
		t.Errorf("%d words of %d facts, %d in all; want %d, 1 and 4", len(c.ids), len(c.docs), c.length, words)
	}
	if most > 40 {
		t.Errorf("numbers for %d words, where two facts are there at a time", most)
	}
}

func TestRoomOfManyFactsIsGivenBack(t *testing.T) {
	var c corpus
	var docs []*doc
	for i := range 10_000 {
		docs = append(docs, c.add(fact(fmt.Sprint("f", i), "user likes tea")))
	}
	for _, d := range docs[10:] {
		c.remove(d)
	}
	if n := cap(c.lists[c.ids["tea"]].hits); n > 64 || cap(c.docs) > 64 {
		t.Errorf("room for %d hits and %d facts, where 10 are left", n, cap(c.docs))
	}
	if got := c.search("tea", "", -1, clock); len(got) != 10 {
		t.Errorf("found %d, want 10", len(got))
	}
}

func TestOnlyTheBeginningOfALongQuestionCounts(t *testing.T) { // MR14
	c := corpusOf(fact("a", "likes tea"), fact("b", "likes coffee"))
	if got := ids(c.search("tea "+strings.Repeat("z", 4096)+" coffee", "", -1, clock)); !slices.Equal(got, []string{"a"}) {
		t.Errorf("got %v, want a", got)
	}
	if got := c.search(strings.Repeat("茶 ", 500_000), "", -1, clock); len(got) != 0 {
		t.Errorf("got %v", ids(got))
	}
}
