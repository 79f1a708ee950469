package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"brain/text"
)

func fact(id, content string) *Fact {
	return &Fact{ID: id, Content: content, Category: "preference", Confidence: .5, Created: clock}
}

func neighboursOf(facts ...*Fact) *neighbours {
	var n neighbours
	for _, f := range facts {
		n.add(f)
	}
	return &n
}

// likeness is the Jaccard of the words of two texts.
func likenessOf(a, b string) float64 {
	n, shared := neighboursOf(fact("a", a)), []int32{0}
	words, _ := nearWords(b)
	n.overlaps(n.known(words), shared, nil)
	return jaccard(int(shared[0]), len(words), len(n.docs[0].words))
}

func TestWordsOfNearDuplicates(t *testing.T) { // deermem 38
	for _, c := range []struct{ s, want string }{
		{"Prefers Python, 用户在北京", "prefers python 北京 在北 户在 用户"},
		{"用户 北京", "北京 户北 用户"},
		{"中", "中"},
		{"中 a 国", "a 中 国"},
		{"用户 likes 北京", "likes 北京 用户"},
		{"Ｇｏ go GO snake_case", "go snake_case"},
		{"", ""},
		{"?!", ""},
	} {
		words, rest := nearWords(c.s)
		if got := strings.Join(words, " "); got != c.want || rest != "" {
			t.Errorf("%q: got %q and rest %q, want %q", c.s, got, rest, c.want)
		}
	}
}

// Six words of one fact and eight of the other, six of them in common: 6/8.
func TestThresholdIsInclusive(t *testing.T) { // MG13 deermem 38
	old := fact("old", "User prefers concise answers in chat")
	for _, c := range []struct {
		threshold float64
		merges    bool
	}{{.7, true}, {.75, true}, {.7500001, false}, {.9, false}} {
		got, x := neighboursOf(old).nearest(fact("new", "User prefers concise answers in chat, short form"), c.threshold, nil)
		if (got == old) != c.merges {
			t.Errorf("at %v: got %v, want merged %v", c.threshold, got, c.merges)
		}
		if c.merges && x != .75 {
			t.Errorf("likeness %v, want 0.75", x)
		}
	}
}

// Seven words each, six of them in common: 6/8 as well.
func TestOneWordInPlaceOfAnotherMerges(t *testing.T) { // MG13
	n := neighboursOf(fact("old", "alpha beta gamma delta epsilon zeta eta"))
	for threshold, want := range map[float64]bool{.7: true, .9: false} {
		if got, _ := n.nearest(fact("new", "alpha beta gamma delta epsilon zeta theta"), threshold, nil); (got != nil) != want {
			t.Errorf("at %v: got %v, want merged %v", threshold, got, want)
		}
	}
}

func TestNearDuplicatesStayApartWhenTheCityDiffers(t *testing.T) { // deermem 38
	// prefers python 用户 户在 are in both, 在北 北京 and 在上 上海 in one: 4 of 8.
	if x := likenessOf("Prefers Python, 用户在北京", "Prefers Python, 用户在上海"); x != 4./8 {
		t.Errorf("got %v, want 0.5", x)
	}
	for _, c := range [][2]string{
		{"Prefers Python, 用户在北京", "Prefers Python, 用户在上海"},
		{"Prefers Python and Go for all backend services at work, 用户在北京", "Prefers Python and Go for all backend services at work, 用户在上海"},
		{"User lives in Berlin with his wife and two kids", "User lives in Munich with his wife and two kids"},
	} {
		if got, _ := neighboursOf(fact("old", c[0])).nearest(fact("new", c[1]), .7, nil); got != nil {
			t.Errorf("%q is merged into %q", c[1], c[0])
		}
	}
}

func TestWhatDiffersInAWordThatCountsIsNoNearDuplicate(t *testing.T) { // MG13 deermem 38
	for _, c := range [][2]string{
		{"Always push to the main branch after review", "Do not always push to the main branch after review"},
		{"每次评审之后推送到主分支", "每次评审之后不推送到主分支"},
		{"The rate limit per tenant of the user is 100", "The rate limit per tenant of the user is 1000"},
		{"每个租户每分钟的请求上限是 100 次", "每个租户每分钟的请求上限是 1000 次"},
		{"Telemetry is enabled on the laptop of the user", "Telemetry is disabled on the laptop of the user"},
		{"用户笔记本电脑上的遥测功能已经停用", "用户笔记本电脑上的遥测功能已经启用"},
		{"Alice founded Acme", "Acme founded Alice"},
		{"User prefers tabs over spaces in code", "User prefers spaces over tabs in code"},
	} {
		for _, pair := range [][2]string{c, {c[1], c[0]}} {
			if got, _ := neighboursOf(fact("old", pair[0])).nearest(fact("new", pair[1]), .5, nil); got != nil {
				t.Errorf("%q is merged into %q", pair[1], pair[0])
			}
		}
	}
}

func TestAnotherSpellingOfAValueIsNoDifference(t *testing.T) { // deermem 38
	for _, c := range [][2]string{
		{"The daily meeting of the user's team is at 3 pm", "The daily meeting of the user's team is at 15:00"},
		{"用户团队的每日例会在下午3点开始", "用户团队的每日例会在15:00开始"},
	} {
		if got, _ := neighboursOf(fact("old", c[0])).nearest(fact("new", c[1]), .5, nil); got == nil {
			t.Errorf("%q stays apart from %q", c[1], c[0])
		}
	}
}

func TestNearDuplicatesAreOfOneCategory(t *testing.T) { // MG14
	old := fact("old", "User prefers concise answers in chat")
	other := fact("new", "User prefers concise answers in chat, short form")
	other.Category = "project"
	if got, _ := neighboursOf(old).nearest(other, .7, nil); got != nil {
		t.Errorf("merged into %s of another category", got.ID)
	}
}

func TestBestMatchWins(t *testing.T) { // deermem 38
	shorter := fact("a", "User prefers concise answers in chat now")              // 6 of 8 … 6/9
	closer := fact("z", "User prefers concise answers in chat, short")            // 7/8
	denied := fact("b", "User never prefers concise answers in chat, short form") // 8/9, and no duplicate
	asked := fact("new", "User prefers concise answers in chat, short form")
	for _, order := range [][]*Fact{{shorter, closer, denied}, {denied, closer, shorter}} {
		if got, x := neighboursOf(order...).nearest(asked, .5, nil); got != closer || x != 7./8 {
			t.Errorf("got %v with %v, want %v with 7/8", got, x, closer.ID)
		}
	}
	twin := fact("y", closer.Content)
	if got, _ := neighboursOf(closer, twin).nearest(asked, .5, nil); got != twin {
		t.Errorf("of equals got %s, want the first by id", got.ID)
	}
}

func TestWhatIsToGoIsNoTarget(t *testing.T) { // MG16 deermem 38
	n := neighboursOf(fact("gone", "User prefers email notifications over sms for weekly reports"))
	got, _ := n.nearest(fact("new", "User prefers push notifications over sms for weekly reports"), .7, func(f *Fact) bool { return f.ID == "gone" })
	if got != nil {
		t.Errorf("merged into %s, which is to be removed", got.ID)
	}
}

// What is not read must be equal: else 4,096 equal characters would swallow what follows.
func TestLongTextsAreCompared(t *testing.T) {
	long := strings.Repeat("word ", 127) + "last "
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{long + "in berlin", long + "in berlin", true},
		{long + "in berlin", long + "in munich", false},
		{strings.Repeat("x", 4096) + "a", strings.Repeat("x", 4096) + "b", false},
		{strings.Repeat("长", 4096) + "甲", strings.Repeat("长", 4096) + "乙", false},
	} {
		if got, _ := neighboursOf(fact("a", c.a)).nearest(fact("b", c.b), .7, nil); (got != nil) != c.want {
			t.Errorf("%.10s… and %.10s…: merged %v, want %v", c.a, c.b, got != nil, c.want)
		}
	}
}

// shuffled are texts of a few words, so that many are alike.
var shuffled = rapid.Custom(func(t *rapid.T) string {
	words := rapid.SliceOfN(rapid.SampledFrom(strings.Fields("user likes go python 3 5 not in Berlin Munich 用户 喜欢 北京 上海 不 咖啡 tea chat short form")), 1, 9).Draw(t, "words")
	return strings.Join(words, " ")
})

func TestLikenessIsThatOfSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := shuffled.Draw(t, "a"), shuffled.Draw(t, "b")
		x, _ := nearWords(a)
		y, _ := nearWords(b)
		both := 0
		for _, w := range x {
			if slices.Contains(y, w) {
				both++
			}
		}
		want := 0.0
		if both > 0 {
			want = float64(both) / float64(len(x)+len(y)-both)
		}
		for _, pair := range [][2]string{{a, b}, {b, a}} {
			old := fact("old", pair[0])
			n := neighboursOf(old)
			got, likeness := n.nearest(fact("new", pair[1]), .5, nil)
			if got != nil && (likeness != want || want < .5) {
				t.Fatalf("%q and %q: got %v, want %v", pair[0], pair[1], likeness, want)
			}
			if got == nil && want >= .5 && text.Fold(a) == text.Fold(b) {
				t.Fatalf("%q is not found again", a)
			}
		}
	})
}

func TestNearestDoesNotDependOnWhatCameAndWent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all neighbours
		var kept []*Fact
		var docs []*doc
		for i := range rapid.IntRange(1, 30).Draw(t, "steps") {
			if len(docs) > 0 && rapid.Bool().Draw(t, "remove") {
				k := rapid.IntRange(0, len(docs)-1).Draw(t, "which")
				all.remove(docs[k])
				docs, kept = slices.Delete(docs, k, k+1), slices.Delete(kept, k, k+1)
				continue
			}
			f := fact(fmt.Sprintf("f%d", i), shuffled.Draw(t, "fact"))
			kept, docs = append(kept, f), append(docs, all.add(f))
		}
		asked := fact("new", shuffled.Draw(t, "asked"))
		got, x := all.nearest(asked, .5, nil)
		slices.Reverse(kept)
		want, y := neighboursOf(kept...).nearest(asked, .5, nil)
		if got != want || x != y {
			t.Fatalf("got %v %v, a new one gives %v %v", got, x, want, y)
		}
	})
}

func BenchmarkNearest(b *testing.B) {
	facts := statements(10000)
	n := neighboursOf(facts...)
	alike := neighboursOf()
	for i := range 10000 {
		alike.add(fact(fmt.Sprintf("f%05d", i), fmt.Sprintf("The rate limit of the user for service %d is 100 per minute", i)))
	}
	for _, c := range []struct {
		name string
		n    *neighbours
		f    *Fact
	}{
		{"english", n, facts[4000]}, {"chinese", n, facts[4001]},
		{"none", n, fact("new", "zyx wvu")}, {"all alike", alike, fact("new", "The rate limit of the user for service x is 200 per minute")},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.n.nearest(c.f, .7, nil)
			}
		})
	}
}

func BenchmarkAddNeighbour(b *testing.B) {
	facts := statements(10000)
	var n neighbours
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		n.add(facts[i%len(facts)])
		i++
	}
}
