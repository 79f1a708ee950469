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

		{"next Friday", "next Friday"}, // the 6th or the 13th
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
