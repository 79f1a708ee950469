package compile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"brain/inbox"
	"brain/page"
	"brain/text"
)

// sayings are sentences of which sessions are made up below.
var sayings = []string{
	"We decided to use Postgres for the audit log.", "Because it is what we know.", "We switched from Postgres to MySQL yesterday.",
	"Remember that the door code is 4411.", "Remember this:", "The port is 5433.", "No, the port is 5433, not 5432.", "That's wrong.",
	"I prefer tabs.", "Never commit to main.", "It turned out that DNS was slow.", "I fixed the login loop.", "Forget that.",
	"Scratch that.", "Forget what I said about the port.", "The Postgres decision is off.", "Should we use Redis?", "ok", "`code`",
	"> We decided to quote.", "```\nWe decided nothing.\n```", "“We decided to sell.”", "- [x] Merge the branch", "1. Lesson learned:",
	"我们决定用 Redis 做缓存。", "因为团队熟悉。", "改用 Kafka，不用 Redis 了。", "请记住：", "门禁密码是 4411。", "算了。", "不对，端口是 5433。",
	"昨天把登录修好了。", "以后都用中文回答。", "原来是因为时区没设。", "這個我們決定採用 Go。", "It is \x1a odd \x00 ’s.", "İstanbul", "🙂", "\xff\xfe",
}

// drawSession is a session of people or of a person with an agent.
func drawSession(t *rapid.T) (fed []inbox.Fed) {
	people := rapid.Bool().Draw(t, "people")
	for n := range rapid.IntRange(0, 8).Draw(t, "turns") {
		turn := page.Turn{Role: rapid.SampledFrom([]string{"user", "assistant", "user", "tool"}).Draw(t, "role")}
		if people {
			turn.Role, turn.Speaker = "user", rapid.SampledFrom([]string{"Ann", "Bo"}).Draw(t, "speaker")
		}
		if rapid.Bool().Draw(t, "timed") {
			turn.At = monday.Add(time.Duration(n) * time.Hour)
		}
		said := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(sayings), rapid.String()), 0, 4).Draw(t, "said")
		turn.Text = strings.Join(said, rapid.SampledFrom([]string{" ", "\n", ""}).Draw(t, "between"))
		fed = append(fed, inbox.Fed{N: 3*n + 2, Turn: turn})
	}
	return fed
}

var writtenDate = regexp.MustCompile(`[ ]?[(（](约|about )?\d{4}(-\d\d(-\d\d)?)?(( to | 至 )\d{4}-\d\d-\d\d)?[)）]`)

func TestFindingsAreWordsOfTheirTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fed := drawSession(t)
		found := Rules(fed)
		if again := Rules(slices.Clone(fed)); !slices.Equal(found, again) {
			t.Fatalf("twice the same session: %v, then %v", found, again)
		}
		last := 0
		for _, f := range found {
			if f.Turn < last {
				t.Fatalf("turn %d is found behind turn %d", f.Turn, last)
			}
			last = f.Turn
			has := map[string]bool{}
			cited := 0
			for _, turn := range fed {
				if slices.Contains(f.turns(), turn.N) {
					cited++
					text.Terms(turn.Text, func(w text.Term) { has[string(w.Text)] = true })
				}
			}
			if cited != len(f.turns()) {
				t.Fatalf("%v cites turns that are not there", f)
			}
			said := strings.NewReplacer(beforeMark, " ", beforeMarkHan, " ").Replace(writtenDate.ReplaceAllString(f.Text, ""))
			text.Terms(said, func(w text.Term) {
				if w.Kind != text.Bigram && !has[string(w.Text)] {
					t.Fatalf("%q of %q is no word of its turns", w.Text, f.Text)
				}
			})
			if f.Confidence <= 0 || f.Confidence > 1 || f.Kind == "" || f.Text == "" {
				t.Fatalf("odd finding: %+v", f)
			}
		}
	})
}

// Turns that come later add findings. One that was there stays, unless it is
// taken back by words of taking back or replaced by a decision that names it.
func TestLaterTurnsOnlyTakeBackOrReplace(t *testing.T) {
	back := regexp.MustCompile(`(?i)forget|scratch|is off|算了`)
	rapid.Check(t, func(t *rapid.T) {
		fed := drawSession(t)
		cut := rapid.IntRange(0, len(fed)).Draw(t, "cut")
		all := Rules(fed)
		later := ""
		for _, turn := range fed[cut:] {
			later += turn.Text + "\n"
		}
		for _, f := range Rules(fed[:cut]) {
			replaced := slices.ContainsFunc(all, func(g Finding) bool { return g.Before > 0 })
			if !slices.Contains(all, f) && !replaced && !back.MatchString(later) {
				t.Fatalf("%+v is gone after\n%s", f, later)
			}
		}
	})
}

func FuzzRules(f *testing.F) {
	for _, s := range sayings {
		f.Add(s, "user")
	}
	f.Add(strings.Repeat("just ", 200)+"we "+strings.Repeat("also ", 50), "assistant")
	f.Add(strings.Repeat("不是", 300), "user")
	f.Fuzz(func(t *testing.T, said, role string) {
		fed := []inbox.Fed{{N: 1, Turn: page.Turn{Role: role, Text: said, At: monday}}, {N: 2, Turn: page.Turn{Role: "user", Text: said}}}
		for _, one := range Rules(fed) {
			if one.Turn != 1 && one.Turn != 2 {
				t.Errorf("%+v cites a turn that is not there", one)
			}
		}
	})
}

func BenchmarkRules(b *testing.B) {
	var fed []inbox.Fed
	for n := range 1000 {
		said := sayings[n%len(sayings)] + " " + sayings[(n*7+3)%len(sayings)]
		fed = append(fed, inbox.Fed{N: n + 1, Turn: page.Turn{Role: "user", Text: fmt.Sprintf("%s Item %d of the list is next on our way.", said, n), At: monday}})
	}
	for b.Loop() {
		Rules(fed)
	}
}
