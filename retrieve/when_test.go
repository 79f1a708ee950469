package retrieve

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// sunday is the day on which the questions of these tests are asked: the last
// of a week, of a weekend, and nearly of a month and a year.
var sunday = time.Date(2026, 11, 29, 15, 4, 5, 0, time.UTC)

// shownSpans prints first and last day of each span and its flags: ~ soft, <
// open, ? yearless. A span of one day is one date.
func shownSpans(spans []span) string {
	var shown []string
	for _, s := range spans {
		first, last := s.from.Format(time.DateOnly), s.to.AddDate(0, 0, -1).Format(time.DateOnly)
		text := first
		if last != first {
			text += ".." + last
		}
		for _, flag := range []struct {
			set  bool
			mark string
		}{{s.soft, "~"}, {s.open, "<"}, {s.yearless, "?"}} {
			if flag.set {
				text += flag.mark
			}
		}
		shown = append(shown, text)
	}
	return strings.Join(shown, " ")
}

// wantSpans holds lines of "question | spans" against when.
func wantSpans(t *testing.T, now time.Time, atLeast int, table string) {
	t.Helper()
	n := 0
	for line := range strings.Lines(table) {
		question, want, ok := strings.Cut(strings.TrimSpace(line), " | ")
		if !ok {
			continue
		}
		n++
		if got := shownSpans(when(question, now)); got != strings.TrimSpace(want) {
			t.Errorf("%q on %s\n  gives %s\n  want  %s", question, now.Format("Monday 2006-01-02"), got, want)
		}
	}
	if n < atLeast {
		t.Errorf("the table has %d questions, want at least %d", n, atLeast)
	}
}

func TestWhenFindsDatesThatAreSaid(t *testing.T) {
	wantSpans(t, sunday, 70, `
		What happened in May 2023? | 2023-05-01..2023-05-31
		May 2023 | 2023-05-01..2023-05-31
		the storm that hit in May of 2012 | 2012-05-01..2012-05-31
		What did they acquire on 16 August, 2023? | 2023-08-16
		on 8 May, 2023 | 2023-05-08
		May 8th, 2023 | 2023-05-08
		December 1,2023 | 2023-12-01
		on 1st September 2023 | 2023-09-01
		Feb 29, 2024 | 2024-02-29
		Sept 5, 2024 | 2024-09-05
		the 3rd of June 2022 | 2022-06-03
		Monday, May 8, 2023 | 2023-05-08
		2023-05-08 | 2023-05-08
		2023-5-8 | 2023-05-08
		2023/5/8 | 2023-05-08
		2023.05.08 | 2023-05-08
		13.5.2023 | 2023-05-13
		5/13/2023 | 2023-05-13
		5.5.2023 | 2023-05-05
		2023-05 | 2023-05-01..2023-05-31
		notes/2023-05-08-kickoff.md | 2023-05-08
		logged at 2023-05-08T10:00 | 2023-05-08
		Which country did John visit in 2021? | 2021-01-01..2021-12-31
		the roadmap (2023) | 2023-01-01..2023-12-31
		our plans for 2025 | 2025-01-01..2025-12-31
		the class of 2019 | 2019-01-01..2019-12-31
		in 2022 and 2023 | 2022-01-01..2022-12-31 2023-01-01..2023-12-31
		the 2003-2004 season | 2003-01-01..2004-12-31
		Q3 2024 | 2024-07-01..2024-09-30
		2024 Q3 | 2024-07-01..2024-09-30
		third quarter of 2024 | 2024-07-01..2024-09-30
		H1 2024 | 2024-01-01..2024-06-30
		the second half of 2023 | 2023-07-01..2023-12-31
		early May 2023 | 2023-05-01..2023-05-10~
		mid-May 2023 | 2023-05-11..2023-05-20~
		late May 2023 | 2023-05-21..2023-05-31~
		the end of May 2023 | 2023-05-21..2023-05-31~
		early 2023 | 2023-01-01..2023-04-30~
		mid 2023 | 2023-05-01..2023-08-31~
		late in 2023 | 2023-09-01..2023-12-31~
		the beginning of 2023 | 2023-01-01..2023-02-28~
		the end of 2023 | 2023-11-01..2023-12-31~
		summer of 2023 | 2023-06-01..2023-08-31
		in the fall of 2022 | 2022-09-01..2022-11-30
		winter 2022 | 2022-12-01..2023-02-28
		the week before 9 June 2023 | 2023-06-02..2023-06-08
		a week after 9 June 2023 | 2023-06-10..2023-06-16
		the day before 1 March 2024 | 2024-02-29
		two days before 9 June 2023 | 2023-06-07
		5 days after May 8, 2023 | 2023-05-13
		two weeks before August 11, 2023 | 2023-07-25..2023-07-31~
		a few days before June 9, 2023 | 2023-06-03..2023-06-08~
		the month before June 2023 | 2023-05-01..2023-05-31
		three years before 2020 | 2017-01-01..2017-12-31
		last weekend before April 10, 2023 | 2023-04-08..2023-04-09
		the Friday before 15 July 2023 | 2023-07-14
		the Saturday after October 28, 2023 | 2023-11-04
		the weekend of 10 June 2023 | 2023-06-10..2023-06-11
		the week of 10 June 2023 | 2023-06-05..2023-06-11
		the first weekend of August 2023 | 2023-08-05..2023-08-06
		the second week of November 2023 | 2023-11-08..2023-11-14
		the last week of May 2023 | 2023-05-25..2023-05-31
		in the last two weeks of August 2023 | 2023-08-18..2023-08-31
		the last Friday of May 2023 | 2023-05-26
		the first day of 2024 | 2024-01-01
		April 6-7, 2023 | 2023-04-06..2023-04-07
		6-8 May 2023 | 2023-05-06..2023-05-08
		28 April to 3 May 2023 | 2023-04-28..2023-05-03
		between August 11 and August 15 2023 | 2023-08-11..2023-08-15
		between March and May 2024 | 2024-03-01..2024-05-31
		from July through September 2024 | 2024-07-01..2024-09-30
		from May 2020 to 2021 | 2020-05-01..2021-12-31
		between 2019 and 2021 | 2019-01-01..2021-12-31
		from November 2023 to February | 2023-11-01..2024-02-29
		before 2024 | 1900-01-01..2023-12-31<
		prior to June 2023 | 1900-01-01..2023-05-31<
		until May 2023 | 1900-01-01..2023-05-31<
		after June 2023 | 2023-07-01..2026-11-29<
		since 8 May 2023 | 2023-05-08..2026-11-29<
		from May 2023 onwards | 2023-05-01..2026-11-29<
		as of September 2023 | 2023-09-01..2023-09-30
		after 2030 | 2031-01-01..2199-12-31<
		ＭＡＹ ８， ２０２３ | 2023-05-08
	`)
}

func TestWhenFindsDatesRelativeToNow(t *testing.T) {
	wantSpans(t, sunday, 60, `
		What did I do today? | 2026-11-29
		yesterday | 2026-11-28
		the day before yesterday | 2026-11-27
		tomorrow | 2026-11-30
		last night's dinner | 2026-11-28
		this morning | 2026-11-29
		this week | 2026-11-23..2026-11-29
		last week | 2026-11-16..2026-11-22
		next week | 2026-11-30..2026-12-06
		the week before last | 2026-11-09..2026-11-15
		this month | 2026-11-01..2026-11-30
		last month | 2026-10-01..2026-10-31
		this year | 2026-01-01..2026-12-31
		last year | 2025-01-01..2025-12-31
		last quarter | 2026-07-01..2026-09-30
		this weekend | 2026-11-28..2026-11-29
		last weekend | 2026-11-21..2026-11-22
		over the weekend | 2026-11-28..2026-11-29
		past week | 2026-11-22..2026-11-29
		in the past month | 2026-10-29..2026-11-29
		in the last year | 2025-11-29..2026-11-29
		during the past three months | 2026-08-29..2026-11-29
		in the last few days | 2026-11-23..2026-11-29~
		in the next three weeks | 2026-11-30..2026-12-20
		3 days ago | 2026-11-26
		two weeks ago | 2026-11-12..2026-11-18~
		a month ago | 2026-10-14..2026-11-13~
		a year ago | 2025-05-31..2026-05-30~
		half a year ago | 2026-05-14..2026-06-13~
		a few months ago | 2026-05-29..2026-09-29~
		a couple of weeks ago | 2026-11-08..2026-11-15~
		since 3 days ago | 2026-11-26..2026-11-29<
		What have I said recently? | 2026-10-30..2026-11-29~
		lately | 2026-10-30..2026-11-29~
		the other day | 2026-11-22..2026-11-29~
		last Friday | 2026-11-27
		last Sunday | 2026-11-22
		on Friday | 2026-11-27
		on Sunday | 2026-11-29
		What did we decide Monday? | 2026-11-23
		this Monday | 2026-11-23
		next Friday | 2026-12-04
		Friday last week | 2026-11-20
		the Wednesday two months ago | 2026-09-30~
		since Monday | 2026-11-23..2026-11-29<
		since yesterday | 2026-11-28..2026-11-29<
		before yesterday | 1900-01-01..2026-11-27<
		since last week | 2026-11-16..2026-11-29<
		early this week | 2026-11-23..2026-11-24~
		at the end of last year | 2025-11-01..2025-12-31~
		at the end of the month | 2026-11-21..2026-11-30~
		late last year | 2025-09-01..2025-12-31~
		last May | 2026-05-01..2026-05-31
		last November | 2025-11-01..2025-11-30
		this June | 2026-06-01..2026-06-30
		next May | 2027-05-01..2027-05-31
		May last year | 2025-05-01..2025-05-31
		8 May last year | 2025-05-08
		last summer | 2026-06-01..2026-08-31
		summer last year | 2025-06-01..2025-08-31
		last winter | 2025-12-01..2026-02-28
		in May | 2026-05-01..2026-05-31?
		What kind of deal did John get in December? | 2025-12-01..2025-12-31?
		What will I do in December? | 2026-12-01..2026-12-31?
		What happened at Will's party in December? | 2025-12-01..2025-12-31?
		in November | 2026-11-01..2026-11-30?
		the June meeting | 2026-06-01..2026-06-30?
		on May 8 | 2026-05-08?
		on December 24 | 2025-12-24?
		on Feb 29 | 2024-02-29?
		the 3rd of June | 2026-06-03?
		What was said on the 15th? | 2026-11-15
		What was due on the 15th of last month? | 2026-10-15
		the 31st of next month | 2026-12-31
		on the 30th | 2026-10-30
		early March | 2026-03-01..2026-03-10~?
		since March | 2026-03-01..2026-11-29<?
		from March to May | 2026-03-01..2026-05-31?
		from November to January | 2025-11-01..2026-01-31?
		in Q4 | 2026-10-01..2026-12-31?
		in the summer | 2026-06-01..2026-08-31?
	`)
}

func TestWhenReadsChinese(t *testing.T) {
	wantSpans(t, sunday, 80, `
		今天说了什么 | 2026-11-29
		昨天 | 2026-11-28
		昨晚 | 2026-11-28
		前天 | 2026-11-27
		大前天 | 2026-11-26
		明天 | 2026-11-30
		上周 | 2026-11-16..2026-11-22
		上个星期 | 2026-11-16..2026-11-22
		上個禮拜 | 2026-11-16..2026-11-22
		上週 | 2026-11-16..2026-11-22
		上上周 | 2026-11-09..2026-11-15
		这周 | 2026-11-23..2026-11-29
		下周 | 2026-11-30..2026-12-06
		上周末 | 2026-11-21..2026-11-22
		这个周末 | 2026-11-28..2026-11-29
		本月 | 2026-11-01..2026-11-30
		上个月 | 2026-10-01..2026-10-31
		上上个月 | 2026-09-01..2026-09-30
		上季度 | 2026-07-01..2026-09-30
		今年 | 2026-01-01..2026-12-31
		去年 | 2025-01-01..2025-12-31
		前年 | 2024-01-01..2024-12-31
		去年五月 | 2025-05-01..2025-05-31
		去年的五月 | 2025-05-01..2025-05-31
		今年3月 | 2026-03-01..2026-03-31
		今年五月三号 | 2026-05-03
		2023年5月8日 | 2023-05-08
		２０２３年５月８日 | 2023-05-08
		2023 年 5 月 8 号 | 2023-05-08
		2023年5月 | 2023-05-01..2023-05-31
		23年5月 | 2023-05-01..2023-05-31
		98年5月 | 1998-05-01..1998-05-31
		2023年 | 2023-01-01..2023-12-31
		1938年10月 | 1938-10-01..1938-10-31
		二零二三年 | 2023-01-01..2023-12-31
		二〇二三年五月 | 2023-05-01..2023-05-31
		二〇二三年十二月二十三日 | 2023-12-23
		五月 | 2026-05-01..2026-05-31?
		十二月份的账单 | 2025-12-01..2025-12-31?
		5月8号 | 2026-05-08?
		12月24日 | 2025-12-24?
		上周五 | 2026-11-20
		上个星期五 | 2026-11-20
		上个月15号之前的事 | 1900-01-01..2026-10-14<
		上上周五 | 2026-11-13
		下下周一 | 2026-12-07
		上週五 | 2026-11-20
		本周五 | 2026-11-27
		下周三 | 2026-12-02
		周五开会说了什么 | 2026-11-27
		星期天 | 2026-11-29
		上个月5号 | 2026-10-05
		三天前 | 2026-11-26
		3天之前 | 2026-11-26
		三日前 | 2026-11-26
		两周前 | 2026-11-12..2026-11-18~
		两个月前 | 2026-09-14..2026-10-14~
		兩個月前 | 2026-09-14..2026-10-14~
		三个多月前 | 2026-08-14..2026-09-13~
		半年前 | 2026-05-14..2026-06-13~
		一年前 | 2025-05-31..2026-05-30~
		几个月前 | 2026-05-29..2026-09-29~
		最近聊过什么 | 2026-10-30..2026-11-29~
		前几天 | 2026-11-22..2026-11-29~
		最近三天 | 2026-11-26..2026-11-29
		过去一年 | 2025-11-29..2026-11-29
		这两周 | 2026-11-15..2026-11-29
		年初 | 2026-01-01..2026-02-28~
		年底 | 2026-11-01..2026-12-31~
		今年年初 | 2026-01-01..2026-02-28~
		去年底 | 2025-11-01..2025-12-31~
		2023年底 | 2023-11-01..2023-12-31~
		上月底 | 2026-10-21..2026-10-31~
		5月初 | 2026-05-01..2026-05-10~?
		2023年5月上旬 | 2023-05-01..2023-05-10~
		2023年5月中旬 | 2023-05-11..2023-05-20~
		2023年上半年 | 2023-01-01..2023-06-30
		去年夏天 | 2025-06-01..2025-08-31
		2024年第三季度 | 2024-07-01..2024-09-30
		三季度 | 2026-07-01..2026-09-30?
		2023年5月的第一个周末 | 2023-05-06..2023-05-07
		2023年以前 | 1900-01-01..2022-12-31<
		1983年11月15日以前 | 1900-01-01..1983-11-14<
		2023年5月之后 | 2023-06-01..2026-11-29<
		去年以来 | 2025-01-01..2026-11-29<
		自2023年5月以来 | 2023-05-01..2026-11-29<
		从3月开始 | 2026-03-01..2026-11-29<?
		2023年3月到5月 | 2023-03-01..2023-05-31
		2023年5月8日至5月10日 | 2023-05-08..2023-05-10
		从去年十月到今年三月 | 2025-10-01..2026-03-31
		5月和6月之间 | 2026-05-01..2026-06-30?
		2019年到2021年 | 2019-01-01..2021-12-31
		2019-2021年 | 2019-01-01..2021-12-31
		截至2023年3月 | 2023-03-01..2023-03-31
	`)
}

func TestWhenAtTheEdgesOfACalendar(t *testing.T) {
	for day, table := range map[string]string{
		"2026-01-01": `
			yesterday | 2025-12-31
			last week | 2025-12-22..2025-12-28
			this week | 2025-12-29..2026-01-04
			last month | 2025-12-01..2025-12-31
			in January | 2026-01-01..2026-01-31?
			in February | 2025-02-01..2025-02-28?
			last winter | 2024-12-01..2025-02-28
			a year ago | 2024-07-03..2025-07-02~
			年初 | 2026-01-01..2026-02-28~
			年底 | 2025-11-01..2025-12-31~`,
		"2024-03-31": `
			a month ago | 2024-02-14..2024-03-15~
			last month | 2024-02-01..2024-02-29
			a year ago | 2022-09-30..2023-09-29~
			on the 31st | 2024-03-31
			late last month | 2024-02-21..2024-02-29~`,
		"2026-11-25": `
			last Friday | 2026-11-20
			上周五 | 2026-11-20
			this Friday | 2026-11-27
			on Wednesday | 2026-11-25
			last weekend | 2026-11-21..2026-11-22
			over the weekend | 2026-11-21..2026-11-22
			this weekend | 2026-11-28..2026-11-29`,
	} {
		now, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		wantSpans(t, now, 5, table)
	}
	zone := time.FixedZone("ahead", 10*3600)
	wantSpans(t, time.Date(2026, 11, 29, 5, 0, 0, 0, zone), 1, "today | 2026-11-28")
}

func TestWhenLeavesOtherWordsAlone(t *testing.T) {
	for question := range strings.Lines(`May I come in?
		What may I do with it?
		It may rain
		This may be it
		The second may fail, the first may not
		section 3 may contain errors
		You may second the motion
		the march for rights
		I will march to the sea
		How long was the last march?
		June told me about it
		What did April say?
		Jan and June went home
		a gift from Jan
		When did they wed?
		They sat in the sun
		What is her last name?
		the last step of the deployment
		for the last time
		a last minute change
		the next step
		the current version
		Did it last two days?
		every Friday
		How many days ago?
		How many days a week do I work remotely?
		at the end of the day
		in the fall of Rome
		The prices fall after a spring
		configure beans in Spring Boot
		second attempt
		a second thought
		half past two
		PostgreSQL 15 on port 2024
		v2.3.1
		version 2023.1
		2023 rows
		a table of 2023 rows
		by 2000 percent
		in 2,023 cases
		$2023
		2023%
		#2023
		between 2000 and 3000 users
		from 2000 to 3000
		the 2011 census
		1999
		in 1776
		8.5.2023
		2023-13-45
		CVE-2023-12
		192.168.20.23
		at 10:30
		3/4 of them
		五月天的歌
		十月革命
		一起去上海
		年轻人的年龄
		五年级的年会
		十年经验
		三个月的试用期
		每周五
		两周一次
		本周期
		日本的基本版本
		网上周报
		哪一年成立
		隆武四年五月
		1806年9月
		当前日期
		最近邻算法
		数据库前端和后端
		3月刊
		有一天
		2024端口`) {
		if got := when(strings.TrimSpace(question), sunday); got != nil {
			t.Errorf("%q gives %s (%q)", strings.TrimSpace(question), shownSpans(got), got[0].words)
		}
	}
}

func TestWhenTellsTheWordsAsTheyStand(t *testing.T) {
	for question, want := range map[string][]string{
		"What did Maria do in May 2023?":               {"May 2023"},
		"Since LAST week, or on 8 May, 2023, or when?": {"Since LAST week", "8 May, 2023"},
		"between  March and\tMay 2024":                 {"between  March and\tMay 2024"},
		"the week before 9 June 2023":                  {"week before 9 June 2023"},
		"去年的五月和上周五":                                    {"去年的五月", "上周五"},
		"２０２３年的事":                                      {"2023年"},
	} {
		var got []string
		for _, s := range when(question, sunday) {
			got = append(got, s.words)
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Errorf("%q gives %q, want %q", question, got, want)
		}
	}
}

// checkSpans holds what is promised of every span of every question.
func checkSpans(t interface{ Fatalf(string, ...any) }, question string, now time.Time) {
	spans := when(question, now)
	for _, s := range spans {
		switch {
		case !s.from.Before(s.to):
			t.Fatalf("%q: %v does not end behind its beginning", question, s)
		case s.from.Year() < 1900 || s.to.After(date(2200, 1, 1)):
			t.Fatalf("%q: %v is out of time", question, s)
		case s.from != s.from.Truncate(24*time.Hour) || s.to != s.to.Truncate(24*time.Hour) || s.from.Location() != time.UTC:
			t.Fatalf("%q: %v is not of whole days", question, s)
		case s.words == "" || !strings.Contains(question, s.words) && !strings.Contains(plainDates(question), s.words):
			t.Fatalf("%q: %q is not in it", question, s.words)
		}
	}
	if again := when(question, now); shownSpans(again) != shownSpans(spans) {
		t.Fatalf("%q: two runs differ", question)
	}
}

// anyWhen strings together what dates are made of with what breaks readers.
func anyWhen() *rapid.Generator[string] {
	pieces := rapid.SampledFrom(append(strings.Fields(dateVocabulary), " ", " ", " ", "", "\t", "8", "31", "99", "2023", "1999", "0", "00",
		"2023-05-08", "1.2.2024", "5th", "1st", "2020s", "９", "é", "\xff", "\u3000", "年", "月", "日", ".", ":"))
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.IntRange(0, 9).Draw(t, "any") == 0 {
			return rapid.String().Draw(t, "s")
		}
		return strings.Join(rapid.SliceOfN(pieces, 0, 30).Draw(t, "pieces"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
	})
}

func TestWhenKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(rapid.Int64Range(-70*365*86400, 200*365*86400).Draw(t, "now"), 0)
		question := anyWhen().Draw(t, "question")
		checkSpans(t, question, now)
	})
}

func TestWhenOfHostileQuestions(t *testing.T) {
	for _, piece := range []string{"since ", "the day before ", "一", "二零", "to May ", "last week ", "1-", "2023-", "2023 to ", "年", "r", "\xff"} {
		start := time.Now()
		checkSpans(t, strings.Repeat(piece, 1<<20/len(piece)), sunday)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("a million bytes of %q take %v", piece, took)
		}
	}
	for _, now := range []time.Time{{}, time.Unix(1<<40, 0), time.Unix(1<<60, 0), date(1900, 1, 1), date(2199, 12, 31)} {
		checkSpans(t, "yesterday, last May, next May, in 2023, on 8 May, since last year, 5 decades ago", now)
	}
}

func FuzzWhen(f *testing.F) {
	for _, s := range []string{"between March and May 2024", "the week before 9 June 2023", "since last year", "a few months ago", "on the 31st",
		"2023年5月8日至10日", "上个月底", "13.5.2023", "二〇二三年", "may 31 to june 31"} {
		f.Add(s, sunday.Unix())
	}
	f.Fuzz(func(t *testing.T, s string, now int64) { checkSpans(t, s, time.Unix(now, 0)) })
}

// BenchmarkWhen: a question without a date costs under 2 µs, one with a date
// about 20.
func BenchmarkWhen(b *testing.B) {
	for _, c := range []struct{ name, question string }{
		{"none", "How does the ingest limit per tenant work in PostgreSQL 15?"},
		{"none zh", "支付服务的负责人是谁，限流方案是怎么定下来的？"},
		{"dated", "What did Maria donate to a homeless shelter in December 2023?"},
		{"dated zh", "去年五月我们和支付团队讨论了什么？"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				when(c.question, sunday)
			}
		})
	}
}
