package inbox

import (
	"slices"
	"strings"
	"testing"

	"brain/page"
)

func TestSignals(t *testing.T) {
	for text, want := range map[string]string{
		"Remember that the key is under the mat.":           "remember",
		"记住：周五之前不要发版。":                                      "remember",
		"No, it is the other branch.":                       "correction",
		"That’s wrong, the port is 8443.":                   "correction",
		"I meant the staging server":                        "correction",
		"不对，应该是 8443。":                                      "correction",
		"你理解错了":                                             "correction",
		"Perfect, that's what I wanted":                     "reinforcement",
		"太好了，就是这样":                                          "reinforcement",
		"I really prefer tabs.":                             "preference",
		"From now on answer in German":                      "preference",
		"我更喜欢深色模式":                                          "preference",
		"以后都用中文回答":                                          "preference",
		"I'm a nurse from Oslo":                             "identity",
		"My name is Wei":                                    "identity",
		"我是一名后端工程师":                                         "identity",
		"我叫小林，住在杭州":                                         "identity",
		"Our main goal is to halve the latency":             "goal",
		"I am trying to learn Portuguese":                   "goal",
		"我们的目标是月底前上线":                                       "goal",
		"We decided to use Postgres":                        "decision",
		"Let's go with the second option":                   "decision",
		"我们决定改用 SQLite":                                     "decision",
		"How many rows has the table?":                      "",
		"What is the capital of France?":                    "",
		"帮我看一下这段日志":                                         "",
		"这个函数返回什么？":                                         "",
		"No":                                                "",
		"I know nothing about it":                           "",
		"<uploaded_files>\nI prefer.txt\n</uploaded_files>": "",
	} {
		got := Signals([]page.Turn{{Role: "user", Text: text}})
		for _, kind := range strings.Fields(want) {
			if !slices.Contains(got, kind) {
				t.Errorf("%q: %v, want %s", text, got, want)
			}
		}
		if want == "" && len(got) > 0 {
			t.Errorf("%q: %v", text, got)
		}
		if got := Signals([]page.Turn{{Role: "assistant", Text: text}, {Role: "tool", Text: text}, {Role: "user", Kind: page.Hidden, Text: text}}); got != nil {
			t.Errorf("%q, said by no person: %v", text, got)
		}
	}
}

func TestSignalsStandAtTheEndsOfALongTurn(t *testing.T) {
	long := strings.Repeat("日志 log line\n", 2000)
	for text, want := range map[string]bool{"I prefer tabs.\n" + long: true, long + "I prefer tabs.": true, long + "I prefer tabs.\n" + long: false} {
		if got := Signals([]page.Turn{{Role: "user", Text: text}}); (len(got) > 0) != want {
			t.Errorf("%.20q…%q: %v", text, text[len(text)-20:], got)
		}
	}
}

func BenchmarkSignals(b *testing.B) {
	turns := []page.Turn{{Role: "user", Text: strings.Repeat("The quick brown fox jumps over the lazy dog, and so on and on. ", 60)}}
	b.SetBytes(int64(len(turns[0].Text)))
	for b.Loop() {
		Signals(turns)
	}
}
