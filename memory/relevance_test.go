package memory

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brain/text"
)

func sure(id, content string, confidence float64) *Fact {
	f := fact(id, content)
	f.Confidence = confidence
	return f
}

func newCover(facts []*Fact) *cover {
	var c cover
	for _, f := range facts {
		c.add(f)
	}
	return &c
}

// order gives the ids of the facts in the order of a question.
func order(question string, weight, diversity float64, facts ...*Fact) []string {
	return ids(newCover(facts).ask(question, "", weight).pick(nil, diversity, atMost(-1)))
}

// relevanceOf gives that of each fact for a question.
func relevanceOf(question string, facts ...*Fact) (out []float64) {
	return newCover(facts).relevance(question, "")
}

func tokensOf(s string) []string {
	ts, _ := tokens(text.Fold(s))
	return ts
}

func TestWordsOfRelevance(t *testing.T) {
	for _, c := range []struct{ s, want string }{
		{"User prefers PostgreSQL, v15", "user prefers postgresql v15"},
		{"Prefers Python, 用户在北京", "prefers python 用户 户在 在北 北京"},
		{"用户 北京", "用户 北京"},
		{"中", "中"}, {"a中b国c", "a 中 b 国 c"},
		{"東京タワー", "東京 京タ タワ ワー"},
		{"naïve ＧＯ snake_case", "naive go snake_case"},
		{"go go", "go go"},
		{"…!?", ""}, {"", ""},
	} {
		if got := strings.Join(tokensOf(c.s), " "); got != c.want {
			t.Errorf("%q: got %q, want %q", c.s, got, c.want)
		}
	}
}

// Known answers of DeerMem. Of three facts all have "user": ln(4/4) + 1 = 1; each other word is
// in one: ln(4/2) + 1 = 1.6931. "postgres" is in none and counts 1; it is the beginning of
// "postgresql" and not of "postman". So the first fact covers both words of two,
// √(1+1)/√(1+1), the others one, √1/√2.
func TestKnownAnswersOfRelevance(t *testing.T) { // MR12 MR15
	facts := []*Fact{fact("a", "user prefers postgresql"), fact("b", "user likes postman"), fact("c", "user lives berlin")}
	for _, c := range []struct {
		question string
		want     [3]float64
	}{
		{"postgres user", [3]float64{1, .7071, .7071}},
		{"user postgres user USER", [3]float64{1, .7071, .7071}}, // a word asked twice counts once
		{"postman", [3]float64{0, 1, 0}},
		{"user", [3]float64{1, 1, 1}},
		{"postman user", [3]float64{.5085, 1, .5085}}, // 1 / √(1.6931² + 1²)
		{"", [3]float64{}}, {"?", [3]float64{}}, {"nothing alike", [3]float64{}},
	} {
		for i, got := range relevanceOf(c.question, facts...) {
			if math.Abs(got-c.want[i]) > 5e-5 {
				t.Errorf("%q and %q: got %v, want %v", c.question, facts[i].Content, got, c.want[i])
			}
		}
	}
}

func TestPrefixIsAWholeWordOfFourCharacters(t *testing.T) { // MR15
	for _, c := range []struct {
		question, content string
		want              float64
	}{
		{"postgres", "postgresql", 1}, {"postgresql", "postgres", 1}, // either way
		{"database", "databases", 1}, {"data", "database", 1},
		{"dat", "database", 0}, {"db", "dbs", 0}, // three characters are no beginning
		{"postgres", "postman", 0}, {"postman", "post", 1},
		{"préc", "précis", 1}, {"naïv", "naive", 1},
		{"北京", "北京大学", 1}, {"北", "北京", 0}, // pairs are not begun
	} {
		if got := relevanceOf(c.question, fact("a", c.content)); got[0] != c.want {
			t.Errorf("%q in %q: got %v, want %v", c.question, c.content, got[0], c.want)
		}
	}
}

func TestRepeatedWordsCannotFakeCoverage(t *testing.T) { // MR15 deermem 46
	for _, c := range []struct{ question, repeated, full string }{
		{"python testing", "python python python python python", "python testing"},
		{"北京 咖啡", "北京北京北京北京", "北京的咖啡"},
		{"data tea", "data database databases dataset", "data and tea"}, // one word asked, found in four
	} {
		got := relevanceOf(c.question, fact("repeated", c.repeated), fact("full", c.full))
		if got[1] != 1 || got[0] >= .8 {
			t.Errorf("%q: repeated words cover %v, all of them %v", c.question, got[0], got[1])
		}
	}
}

func TestRelevantFactOfLowConfidenceGoesFirst(t *testing.T) { // deermem 46
	for _, c := range []struct{ question, relevant, other string }{
		{"which database does the user want", "The database is PostgreSQL", "Lives near water"},
		{"数据库用什么", "数据库是 PostgreSQL", "住在海边"},
	} {
		got := order(c.question, .5, 0, sure("other", c.other, .95), sure("relevant", c.relevant, .6))
		if !slices.Equal(got, []string{"relevant", "other"}) {
			t.Errorf("%q: got %v", c.question, got)
		}
	}
}

func TestWeightBlendsWithConfidence(t *testing.T) { // MR13
	facts := []*Fact{sure("relevant", "likes tea", 0), sure("sure", "喜欢咖啡", .8), sure("worse", "lives by the sea", .4)}
	for weight, want := range map[float64]string{
		0:  "sure worse relevant", // confidence alone
		.5: "relevant sure worse", // .5 × 1, .5 × .8, .5 × .4
		.4: "sure relevant worse", // .4, .6 × .8 = .48, .24
		1:  "relevant sure worse", // of nothing, by id
	} {
		if got := strings.Join(order("tea", weight, 0, facts...), " "); got != want {
			t.Errorf("weight %v: got %s, want %s", weight, got, want)
		}
	}
	for _, s := range newCover(facts).ask("tea", "", .3).pick(nil, 0, atMost(-1)) {
		if want := float64(.3*s.Relevance) + float64((1-.3)*s.fact.Confidence); s.score != want || s.Match != ByRelevance {
			t.Errorf("%s: score %v is not that of its parts, %v", s.fact.ID, s.score, want)
		}
	}
}

// Of one age, by id; c is older.
func TestTiesKeepTheOrderOfTheFacts(t *testing.T) {
	oldest := sure("c", "likes tea", .5)
	oldest.Created = clock.AddDate(0, 0, -1)
	a, b, d := sure("a", "likes tea", .5), sure("b", "likes tea", .5), sure("d", "likes tea", .5)
	for _, diversity := range []float64{0, .5} {
		for _, facts := range [][]*Fact{{a, b, oldest, d}, {d, oldest, b, a}} {
			if got := order("tea", .5, diversity, facts...); !slices.Equal(got, []string{"c", "a", "b", "d"}) {
				t.Errorf("diversity %v: got %v", diversity, got)
			}
		}
	}
}

func TestDiversityDropsTheSecondOfTwoAlike(t *testing.T) { // MR13 MR16
	facts := []*Fact{
		sure("first", "likes green tea in the morning", .9),
		sure("again", "likes green tea every morning", .8), // 4 words in common of 7
		sure("other", "编辑器是 Vim", .6),
	}
	for diversity, want := range map[float64]string{0: "first again other", .2: "first again other", .5: "first other again"} { // .8 − .2 × 4/7 = .69; .8 − .5 × 4/7 = .51
		if got := strings.Join(order("", 0, diversity, facts...), " "); got != want {
			t.Errorf("diversity %v: got %s, want %s", diversity, got, want)
		}
	}
	got := newCover(facts).ask("", "", 0).pick(nil, .5, atMost(-1))
	if got[0].Likeness != 0 || got[1].Likeness != 0 || got[2].Likeness != 4./7 {
		t.Errorf("likenesses %v %v %v, want 0, 0 and 4/7", got[0].Likeness, got[1].Likeness, got[2].Likeness)
	}
}

func TestEachGroupIsDiversifiedByItself(t *testing.T) { // MR16
	correction := sure("correction", "likes green tea in the morning", .9)
	correction.Category = "correction"
	a := newCover([]*Fact{correction, sure("again", "likes green tea every morning", .8), sure("other", "编辑器是 Vim", .6)}).ask("", "", 0)
	got := ids(a.pick(func(f *Fact) bool { return f.Category != "correction" }, 1, atMost(-1)))
	if !slices.Equal(got, []string{"again", "other"}) {
		t.Errorf("got %v: what stands in another group costs nothing", got)
	}
}

func TestPickingStopsAtTheBudget(t *testing.T) { // MR16
	facts := []*Fact{sure("a", "twelve characters", .9), sure("b", "a much longer statement than the others", .8), sure("c", "tea", .7)}
	for _, diversity := range []float64{0, .1} {
		left := 20
		got := ids(newCover(facts).ask("", "", 0).pick(nil, diversity, func(f *Fact) bool {
			left -= len(f.Content)
			return left >= 0
		}))
		if !slices.Equal(got, []string{"a"}) {
			t.Errorf("got %v: the first that does not fit ends it", got)
		}
	}
	if got := newCover(facts).ask("", "", 0).pick(nil, 0, atMost(0)); got != nil {
		t.Errorf("none asked for: got %v", ids(got))
	}
}

func TestOnlyTheBeginningOfALongFactCounts(t *testing.T) { // MR14
	for _, c := range []struct {
		name, question, content string
		want                    float64
	}{
		{"within 128 words", "tea", strings.Repeat("a ", 127) + "tea", 1},
		{"behind 128 words", "tea", strings.Repeat("a ", 128) + "tea", 0},
		{"within 4096 characters", "茶叶", strings.Repeat(",", 4094) + "茶叶", 1},
		{"behind 4096 characters", "茶叶", strings.Repeat(",", 4095) + "茶叶", 0},
		{"question of 128 words", strings.Repeat("a ", 127) + "tea", "tea", 1 / math.Sqrt(1+1)},
		{"question of 129 words", strings.Repeat("a ", 128) + "tea", "tea", 0},
		{"one megabyte", "tea", "tea " + strings.Repeat("咖啡x ", 200_000), 1},
	} {
		if got := relevanceOf(c.question, fact("a", c.content))[0]; math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// Of five facts two are of the category asked for; "tea" is in both, and in one of the others.
func TestRelevanceIsOfTheFactsOfTheCategory(t *testing.T) { // MR19 MR20
	facts := []*Fact{fact("a", "tea green"), fact("b", "tea black"), fact("c", "tea green coffee"), fact("d", "milk"), fact("e", "water")}
	for _, f := range facts[2:] {
		f.Category = "goal"
	}
	mixed := newCover(facts).ask("tea green", "preference", 1).pick(nil, 0, atMost(-1))
	alone := newCover(facts[:2]).ask("tea green", "", 1).pick(nil, 0, atMost(-1))
	if len(mixed) != 2 || len(alone) != 2 {
		t.Fatalf("got %v and %v", ids(mixed), ids(alone))
	}
	for i := range mixed {
		if mixed[i].fact != alone[i].fact || mixed[i].score != alone[i].score {
			t.Errorf("%s scores %v, without the others %v", mixed[i].fact.ID, mixed[i].score, alone[i].score)
		}
	}
}

func TestRankingChangesNoFact(t *testing.T) {
	facts := []*Fact{sure("a", "Likes TEA", .3), sure("b", "喜欢 茶", .9)}
	before := []Fact{*facts[0], *facts[1]}
	newCover(facts).ask("tea", "", .5).pick(nil, .5, atMost(-1))
	corpusOf(facts...).search("tea", "", -1, clock)
	neighboursOf(facts...).nearest(facts[0], .7, nil)
	for i, f := range facts {
		if f.Content != before[i].Content || f.Confidence != before[i].Confidence || f.ID != before[i].ID {
			t.Errorf("%v became %v", before[i], *f)
		}
	}
	if facts[0].ID != "a" {
		t.Error("the list was sorted")
	}
}

// greedy is MMR as its definition reads, comparing all with all.
func greedy(scores []float64, words [][]string, diversity float64) (out []int) {
	for range scores {
		best, most := -1, math.Inf(-1)
		for i := range scores {
			if slices.Contains(out, i) {
				continue
			}
			likeness := 0.0
			for _, p := range out {
				both := 0
				for _, w := range words[i] {
					if slices.Contains(words[p], w) {
						both++
					}
				}
				if both > 0 {
					likeness = max(likeness, float64(both)/float64(len(words[i])+len(words[p])-both))
				}
			}
			if x := scores[i] - float64(diversity*likeness); x > most {
				best, most = i, x
			}
		}
		out = append(out, best)
	}
	return out
}

func TestPicksAreThoseOfTheDefinition(t *testing.T) { // MR13
	rapid.Check(t, func(t *rapid.T) {
		var facts []*Fact
		var words [][]string
		for i := range rapid.IntRange(1, 12).Draw(t, "n") {
			f := sure(fmt.Sprintf("f%d", i), shuffled.Draw(t, "fact"), rapid.Float64Range(0, 1).Draw(t, "confidence"))
			ws := tokensOf(f.Content)
			slices.Sort(ws)
			facts, words = append(facts, f), append(words, slices.Compact(ws))
		}
		question := shuffled.Draw(t, "question")
		diversity := rapid.Float64Range(.01, 1).Draw(t, "diversity")
		c := newCover(facts)
		all := c.ask(question, "", .5).pick(nil, diversity, atMost(-1))
		plain := c.ask(question, "", .5).pick(nil, 0, atMost(-1))
		var scores []float64
		var ordered [][]string
		for _, s := range plain {
			scores = append(scores, s.score)
			ordered = append(ordered, words[slices.Index(facts, s.fact)])
		}
		for i, k := range greedy(scores, ordered, diversity) {
			if all[i].fact != plain[k].fact {
				t.Fatalf("place %d: got %s, want %s", i, all[i].fact.ID, plain[k].fact.ID)
			}
		}
		n := rapid.IntRange(0, len(facts)).Draw(t, "first")
		if got := c.ask(question, "", .5).pick(nil, diversity, atMost(n)); !slices.Equal(ids(got), ids(all)[:n]) {
			t.Fatalf("the first %d are %v, of all %v", n, ids(got), ids(all))
		}
	})
}

func TestRelevanceDoesNotDependOnOrderAndHistory(t *testing.T) { // MR19
	rapid.Check(t, func(t *rapid.T) {
		var c cover
		var facts []*Fact
		for i := range rapid.IntRange(1, 15).Draw(t, "n") {
			f := fact(fmt.Sprintf("f%d", i), shuffled.Draw(t, "fact"))
			facts = append(facts, f)
			gone := c.add(fact("gone", shuffled.Draw(t, "gone")))
			c.add(f)
			c.remove(gone)
		}
		question := shuffled.Draw(t, "question")
		want := map[*Fact]float64{}
		for _, s := range newCover(rapid.Permutation(facts).Draw(t, "order")).ask(question, "", .5).pick(nil, 0, atMost(-1)) {
			want[s.fact] = s.score
		}
		for _, s := range c.ask(question, "", .5).pick(nil, 0, atMost(-1)) {
			if s.score != want[s.fact] {
				t.Fatalf("%q: %v, elsewhere %v", s.fact.Content, s.score, want[s.fact])
			}
		}
	})
}

func BenchmarkRelevance(b *testing.B) {
	c := newCover(statements(10000))
	for name, question := range map[string]string{"usual": "what does the user prefer, w12 or w90?", "zh": "用户喜欢什么"} {
		for _, diversity := range []float64{0, .3} {
			b.Run(fmt.Sprintf("%s/diversity=%v", name, diversity), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					c.ask(question, "", .5).pick(nil, diversity, atMost(10))
				}
			})
		}
	}
}

func BenchmarkNewCover(b *testing.B) {
	facts := statements(100)
	b.ReportAllocs()
	for b.Loop() {
		newCover(facts)
	}
}
