package compile

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// monday is a turn's time: Monday, 2 March 2026.
var monday = time.Date(2026, 3, 2, 15, 4, 0, 0, time.UTC)

func TestRelativeDatesBecomeAbsolute(t *testing.T) {
	for _, c := range []struct{ said, want string }{
		{"We decided yesterday.", "We decided yesterday (2026-03-01)."},
		{"Yesterday's call settled it.", "Yesterday's (2026-03-01) call settled it."},
		{"I deployed it last Friday.", "I deployed it last Friday (2026-02-27)."},
		{"I submitted it two weeks ago.", "I submitted it two weeks ago (about 2026-02-16)."},
		{"It moves to next month.", "It moves to next month (2026-04)."},
		{"I sent it this morning.", "I sent it this morning (2026-03-02)."},
		{"We chose Go last year.", "We chose Go last year (2025)."},
		{"It broke last week.", "It broke last week (2026-02-23 to 2026-03-01)."},
		{"We switched in the last two weeks.", "We switched in the last two weeks (2026-02-16 to 2026-03-02)."},
		{"The day before yesterday it was fixed.", "The day before yesterday (2026-02-28) it was fixed."},
		{"Last May we moved.", "Last May (2025-05) we moved."},
		{"昨天决定用 Redis。", "昨天（2026-03-01）决定用 Redis。"},
		{"前天上线了。", "前天（2026-02-28）上线了。"},
		{"上周五部署了。", "上周五（2026-02-27）部署了。"},
		{"上个月定下来了，三天前改了。", "上个月（2026-02）定下来了，三天前（2026-02-27）改了。"},
		{"下周一评审。", "下周一（2026-03-09）评审。"},
		{"今年不做，去年做过。", "今年（2026）不做，去年（2025）做过。"},
		{"两周前换的。", "两周前（约2026-02-16）换的。"},
		{"今早上线了。", "今早（2026-03-02）上线了。"},
		{"昨天下午，３天前。", "昨天下午（2026-03-01），３天前（2026-02-27）。"},

		{"记住：下个月15号之前要回切。", "记住：下个月15号（2026-04-15）之前要回切。"},
		{"下個月十五號之前，上个月3日前。", "下個月十五號（2026-04-15）之前，上个月3日（2026-02-03）前。"},
		{"本月20号以前交。", "本月20号（2026-03-20）以前交。"},
		{"上个月底，下周三下午3点，明年3月5日。", "上个月底（2026-02-21 至 2026-02-28），下周三（2026-03-11）下午3点，明年3月5日（2027-03-05）。"},
		{"今年年底收尾。", "今年年底（2026-11-01 至 2026-12-31）收尾。"},
		{"下下周一，下下个月，上上上周。", "下下周一（2026-03-16），下下个月（2026-05），上上上周。"},
		{"Due on the 15th of next month.", "Due on the 15th of next month (2026-04-15)."},
		{"It was the 3rd of last month.", "It was the 3rd of last month (2026-02-03)."},
		{"Next month the 15th is the cutover.", "Next month (2026-04) the 15th is the cutover."},
		{"Done by the end of last month.", "Done by the end of last month (2026-02-21 to 2026-02-28)."},

		{"next Friday", "next Friday"}, // the 6th or the 13th
		{"This coming Friday we ship.", "This coming Friday we ship."},
		{"In two weeks on Friday, and a week from tomorrow.", "In two weeks on Friday, and a week from tomorrow."},
		{"Due on the 31st of next month.", "Due on the 31st of next month (2026-04)."}, // April has no such day
		{"15号之前，15日前，3日之前。", "15号之前，15日前，3日之前。"},                                       // before that day, or so many days ago
		{"去年今天，去年的今天。", "去年今天，去年的今天。"},
		{"Today a year ago we moved.", "Today a year ago we moved."},
		{"We meet on Friday, in May or on 8 May 2023.", "We meet on Friday, in May or on 8 May 2023."},
		{"You may march in the sun, or run a second time.", "You may march in the sun, or run a second time."},
		{"I recently moved; it was long ago.", "I recently moved; it was long ago."},
		{"He said \"we leave tomorrow\" and `today` is a column.", "He said \"we leave tomorrow\" and `today` is a column."},
		{"他说“昨天买的”。", "他说“昨天买的”。"},
		{"It stood in USA Today.", "It stood in USA Today."},
		{"我看今日头条。", "我看今日头条。"},
		{"yesterday (2026-03-01) and last year (2025)", "yesterday (2026-03-01) and last year (2025)"},
		{"两周前（约2026-02-16）", "两周前（约2026-02-16）"},
		{"Deutsche Märkte öffnen heute.", "Deutsche Märkte öffnen heute."},
	} {
		if got := absolute(c.said, monday); got != c.want {
			t.Errorf("%q became %q, want %q", c.said, got, c.want)
		}
		if got := absolute(c.said, time.Time{}); got != c.said {
			t.Errorf("%q became %q though its turn has no time", c.said, got)
		}
	}
}

// What two people may read differently stays open: "next Friday" is a date only
// where both readings are the same.
func TestNextWeekdayIsADateWhereItIsOne(t *testing.T) {
	saturday := monday.AddDate(0, 0, 5)
	if got, want := absolute("next Monday", saturday), "next Monday (2026-03-09)"; got != want {
		t.Errorf("on a Saturday %q, want %q", got, want)
	}
}

func TestDatesAreWrittenOnce(t *testing.T) {
	words := []string{"yesterday", "last week", "two days ago", "next month", "昨天", "上周", "三年前", "下个月", "and", "，", " ", "(", "`x`", "“", "”", "2025-01-01", "of May", "İ", "３"}
	rapid.Check(t, func(t *rapid.T) {
		said := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 12).Draw(t, "words"), " ")
		once := absolute(said, monday)
		if twice := absolute(once, monday); twice != once {
			t.Fatalf("%q became %q, then %q", said, once, twice)
		}
	})
}
