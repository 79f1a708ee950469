package compile

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"brain/inbox"
	"brain/page"
)

// talk is a session: lines of "user: …", "assistant: …", or a name.
func talk(lines ...string) (fed []inbox.Fed) {
	for n, l := range lines {
		who, said, _ := strings.Cut(l, ": ")
		t := page.Turn{Role: who, Text: said, At: monday}
		if who != "user" && who != "assistant" && who != "tool" {
			t.Role, t.Speaker = "user", who
		}
		fed = append(fed, inbox.Fed{N: n + 1, Turn: t})
	}
	return fed
}

// kept writes findings as "turn kind: text".
func kept(fed []inbox.Fed) (out []string) {
	for _, f := range Rules(fed) {
		out = append(out, fmt.Sprintf("%d %s: %s", f.Turn, f.Kind, f.Text))
	}
	return out
}

// Sentences that the rules were written with: each is kept as what it says, or
// not at all. They judge nothing, since the rules know them; they show what a
// change of a rule changes.
func TestSayingsAreKeptAsWhatTheySay(t *testing.T) {
	f, err := os.Open("testdata/sayings.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var s struct{ Role, Text, Keep string }
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		var best Finding
		for _, one := range Rules(talk(s.Role + ": " + s.Text)) {
			if one.Confidence > best.Confidence {
				best = one
			}
		}
		if string(best.Kind) != s.Keep {
			t.Errorf("%s: %s\nkept as %q, want %q", s.Role, s.Text, best.Kind, s.Keep)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func TestLaterTurns(t *testing.T) {
	for _, c := range []struct {
		name string
		said []string
		want []string
	}{
		{"taken back in the next turn",
			[]string{"user: Let's use Redis for the cache.", "assistant: Fine.", "user: Scratch that."}, nil},
		{"taken back in the same turn",
			[]string{"user: Remember that the port is 5433. We decided to use Go. Forget that."}, []string{"1 remember: Remember that the port is 5433."}},
		{"two findings: it is not clear which",
			[]string{"user: Remember that the port is 5433. We decided to use Go.", "user: Forget that."},
			[]string{"1 remember: Remember that the port is 5433.", "1 decision: We decided to use Go."}},
		{"taken back by what it is about",
			[]string{"user: Remember that the port is 5433. We decided to use Go.", "user: ok", "user: Forget what I said about the port."},
			[]string{"1 decision: We decided to use Go."}},
		{"not taken back by a question",
			[]string{"user: We decided to use Go.", "user: Should we forget that?"}, []string{"1 decision: We decided to use Go."}},
		{"not taken back by an agent",
			[]string{"user: We decided to use Go.", "assistant: Forget that."}, []string{"1 decision: We decided to use Go."}},
		{"an order to remove something takes nothing back",
			[]string{"user: We decided to use Go.", "user: Remove it."}, []string{"1 decision: We decided to use Go."}},
		{"删掉",
			[]string{"user: 我们决定用 Go。", "user: 把那个删掉。"}, []string{"1 decision: 我们决定用 Go。"}},
		{"刚才的不算",
			[]string{"user: 我们决定用 Go。", "user: 刚才说的不算。"}, nil},
		{"算了",
			[]string{"user: 我们决定用 Redis 做缓存。", "assistant: 好。", "user: 算了。"}, nil},
		{"decided anew on the same subject",
			[]string{"user: We decided to set the cache TTL to 5 minutes.", "user: We decided to set the cache TTL to 10 minutes."},
			[]string{"2 decision: We decided to set the cache TTL to 10 minutes. before: We decided to set the cache TTL to 5 minutes."}},
		{"decided anew, naming what it was",
			[]string{"user: Let's go with SQLite for the job queue.", "user: We're moving the job queue to Postgres after all, SQLite is out."},
			[]string{"2 decision: We're moving the job queue to Postgres after all, SQLite is out. before: Let's go with SQLite for the job queue."}},
		{"thrice: only the one before is told",
			[]string{"user: We decided to use MySQL.", "user: We switched from MySQL to Postgres.", "user: We decided to go with SQLite instead of Postgres."},
			[]string{"3 decision: We decided to go with SQLite instead of Postgres. before: We switched from MySQL to Postgres."}},
		{"改主意",
			[]string{"user: 我们决定用 crontab 跑导出任务。", "user: 导出任务还是改用 Airflow，crontab 不用了。"},
			[]string{"2 decision: 导出任务还是改用 Airflow，crontab 不用了。此前：我们决定用 crontab 跑导出任务。"}},
		{"decided on something else",
			[]string{"user: We decided to use MySQL.", "user: We decided to use Go."},
			[]string{"1 decision: We decided to use MySQL.", "2 decision: We decided to use Go."}},
		{"an agent repeats what was agreed",
			[]string{"user: We decided to use MySQL.", "assistant: Agreed: we use MySQL."}, []string{"1 decision: We decided to use MySQL."}},
		{"said twice",
			[]string{"user: Never commit to main.", "user: never commit to main."}, []string{"1 preference: Never commit to main."}},
		{"a reason comes along",
			[]string{"user: We decided to use Go. Because the team knows it. It is Monday."},
			[]string{"1 decision: We decided to use Go. Because the team knows it."}},
		{"理由",
			[]string{"user: 我们决定用 Go。因为团队熟悉。"}, []string{"1 decision: 我们决定用 Go。因为团队熟悉。"}},
		{"announced, then said",
			[]string{"user: Remember this:\n- the gate code is 7731\n- the alarm code is 2209\n\nThanks a lot for it all."},
			[]string{"1 remember: the gate code is 7731", "1 remember: the alarm code is 2209"}},
		{"said, then asked to be remembered",
			[]string{"user: Mrs. Aydin has the spare key. Please remember that."}, []string{"1 remember: Mrs. Aydin has the spare key."}},
		{"wrong, then the right value",
			[]string{"user: That's wrong. The port is 5433."}, []string{"1 correction: The port is 5433."}},
		{"wrong, and no value", []string{"user: That's wrong. Try again."}, nil},
		{"a full stop that ends nothing",
			[]string{"user: Don't forget that Dr. Smith vs. Jones is on e.g. Monday. Fine."},
			[]string{"1 remember: Don't forget that Dr. Smith vs. Jones is on e.g. Monday."}},
		{"dates as seen from the turn",
			[]string{"user: I submitted the grant application yesterday."}, []string{"1 task: I submitted the grant application yesterday (2026-03-01)."}},
	} {
		if got := kept(talk(c.said...)); !slices.Equal(got, c.want) {
			t.Errorf("%s: kept\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

func TestAReplacedDecisionCitesBothTurns(t *testing.T) {
	found := Rules(talk("user: We decided to use MySQL.", "assistant: Noted.", "user: We switched from MySQL to Postgres."))
	if len(found) != 1 || found[0].Turn != 3 || found[0].Before != 1 || !slices.Equal(found[0].turns(), []int{1, 3}) {
		t.Errorf("found %+v", found)
	}
}

func TestWhatWasPastedIsNotSaid(t *testing.T) {
	for _, said := range []string{
		"```\nWe decided to use Go.\n```",
		"~~~\n# We decided to use Go.\n\nWe decided.\n~~~",
		"> We decided to use Go.",
		"| We decided to use Go | yes |",
		"    We decided to use Go",
		"2026-03-02 10:00:00 We decided to use Go",
		"[2026-03-02T10:00:00Z] INFO we decided to use Go",
		"ERROR: we decided to use Go",
		"$ echo we decided to use Go",
		"// we decided to use Go",
		`The title is "We decided to use Go".`,
		"The title is “We decided to use Go”.",
		"标题是「我们决定用 Go」。",
		"`we decided to use Go`",
		"He wrote 'we decided to use Go' twice.",
		"- [ ] Merge the branch and deploy the docs",
		strings.Repeat("and so on ", 60) + "We decided to use Go",
		"Look at this.\n" + strings.Repeat("It is a long document.\n", 200) + "We decided to use Go.\n" + strings.Repeat("It goes on and on.\n", 200),
	} {
		if got := kept(talk("user: " + said)); got != nil {
			t.Errorf("%q: kept %q", said, got)
		}
	}
	for _, said := range []string{
		"```\nx = 1\n```\nWe decided to use Go.", "We decided to call it \"parse_all\".", "- We decided to use Go", "**Decision:** use Go", "## Decision: use Go",
		"1. 我们决定用 Go。", "We don't use 'em, we decided on Go.",
		"We decided to use Go, see below.\n" + strings.Repeat("It is a long document.\n", 400),
		strings.Repeat("It is a long document.\n", 400) + "We decided to use Go because of it.",
	} {
		if got := kept(talk("user: " + said)); len(got) != 1 {
			t.Errorf("%q: kept %q", said, got)
		}
	}
}

// A finding is read alone: what tied its sentence to the talk is left out.
func TestFindingsBeginWithWhatTheySay(t *testing.T) {
	for said, want := range map[string]string{
		"Hey Nate, my favorite editor is Helix.":            "My favorite editor is Helix.",
		"By the way, today I decided to use Go.":            "Today (2026-03-02) I decided to use Go.",
		"Cool, but my favorite thing is Hawaiian pizza.":    "My favorite thing is Hawaiian pizza.",
		"OK so, we decided to use Go.":                      "We decided to use Go.",
		"Oh, and don't forget that the port is 5433.":       "Don't forget that the port is 5433.",
		"Great! Well, yes: we decided to use Go.":           "We decided to use Go.",
		"ok we decided to use Go":                           "we decided to use Go",
		"好的，那就改用 Redis 做缓存。":                                "那就改用 Redis 做缓存。",
		"嗯，对了，以后都用中文回答。":                                    "以后都用中文回答。",
		"No, the port is 5433.":                             "No, the port is 5433.",
		"Actually, the port is 5433, not 5432.":             "Actually, the port is 5433, not 5432.",
		"不对，端口是 5433。":                                      "不对，端口是 5433。",
		"Agreed, we use Go for the importer.":               "Agreed, we use Go for the importer.",
		"Right now we decided to use Go.":                   "Right now we decided to use Go.",
		"Remember: ok and but are words that open nothing.": "Remember: ok and but are words that open nothing.",
	} {
		found := Rules(talk("user: " + said))
		if len(found) != 1 || found[0].Text != want {
			t.Errorf("%q: found %+v, want %q", said, found, want)
		}
	}
}

// What something was taken out of says something else, unless the rest stands.
func TestSentencesWithHolesAreNoStatements(t *testing.T) {
	for said, want := range map[string]int{
		"Call me on [private] when the import is done.":                                                          0,
		"We decided to use [private] for the cache.":                                                             0,
		"记住：我的电话是[private]。":                                                                                     0,
		"记住：数据库密码是[secret: password]。":                                                                           0,
		"Remember that the API key is [secret: openai key].":                                                     0,
		"Remember: the ledger database is at postgres://ops:[secret: password]@ledger.example:5432/main.":        1,
		"记住：数据库密码是[secret: password]，每季度更换一次。":                                                                   1,
		"Remember that the token [secret: github token] of the build server expires in May.":                     1,
		"We decided to use Go. My number is [private]. Remember that the port is 5433, not the one in the book.": 2,
	} {
		if got := kept(talk("user: " + said)); len(got) != want {
			t.Errorf("%q: kept %q, want %d", said, got, want)
		}
	}
}

// Who speaks decides what counts.
func TestSpeakers(t *testing.T) {
	for _, c := range []struct {
		name string
		said []string
		n    int
	}{
		{"a person's taste, to an agent", []string{"user: I like short answers.", "assistant: Good."}, 1},
		{"taste among people", []string{"Ann: I like short answers.", "Bo: Me too."}, 0},
		{"a decision among people", []string{"Ann: We decided to move to Oslo in May."}, 1},
		{"leisure among people", []string{"Ann: I made a pasta salad.", "Bo: I finished my book.", "Ann: I never eat meat."}, 0},
		{"work among people", []string{"Ann: I fixed the build pipeline."}, 1},
		{"good advice among people", []string{"Ann: Remember to take a break now and then."}, 0},
		{"an agent's taste", []string{"assistant: I prefer the second approach."}, 0},
		{"an agent's advice", []string{"assistant: Always validate input. Remember to run the migrations. You should use Go."}, 0},
		{"an agent's work", []string{"assistant: I've added retries to the upload client."}, 1},
		{"an agent's plan", []string{"assistant: I'll add retries to the upload client."}, 0},
		{"an agent's heading", []string{"assistant: ## Updated Code\n\n**Updated HTML**"}, 0},
		{"what an agent records as agreed", []string{"assistant: As agreed, the monolith stays."}, 1},
		{"a tool", []string{"tool: We decided to use Go."}, 0},
	} {
		if got := kept(talk(c.said...)); len(got) != c.n {
			t.Errorf("%s: kept %q, want %d", c.name, got, c.n)
		}
	}
	agent := Rules(talk("assistant: I fixed the login loop."))
	person := Rules(talk("user: I fixed the login loop."))
	if len(agent) != 1 || len(person) != 1 || agent[0].Confidence >= person[0].Confidence {
		t.Errorf("an agent's word counts as much as a person's: %+v, %+v", agent, person)
	}
}

// Saying it a little differently names the same subject.
func TestSubjects(t *testing.T) {
	for subject, sayings := range map[string][]string{
		"Postgres":  {"We decided to use Postgres for the audit log.", "Let's go with Postgres because we know it.", "We're switching to Postgres."},
		"cache TTL": {"We decided to set the cache TTL to 10 minutes.", "We agreed to keep the cache TTL at 10 minutes."},
		"parse_all": {"We decided to call it `parse_all`."},
		"login loop": {
			"I fixed the login loop.", "Fixed the login loop in the web client.", "The login loop is fixed."},
		"Redis":  {"我们决定用 Redis 做缓存。", "缓存我们决定采用 Redis，不用 Memcached。"},
		"缓存过期时间": {"我们决定把缓存过期时间改成十分钟。", "我们决定将缓存过期时间设为十分钟。"},
		"登录死循环":  {"登录死循环修好了。"},
	} {
		for _, said := range sayings {
			found := Rules(talk("user: " + said))
			if len(found) != 1 || found[0].Subject != subject {
				t.Errorf("%q is about %q: %+v", said, subject, found)
			}
		}
	}
}
