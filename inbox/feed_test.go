package inbox

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"brain/page"

	"pgregory.net/rapid"
)

// exchange reads lines "role[/kind]: text"; ~ is a line break.
func exchange(lines ...string) (out []page.Turn) {
	for _, l := range lines {
		who, text, _ := strings.Cut(l, ": ")
		role, kind, _ := strings.Cut(who, "/")
		out = append(out, page.Turn{Role: role, Kind: kind, Text: strings.ReplaceAll(text, "~", "\n")})
	}
	return out
}

func fedOf(fed []Fed) string {
	var out []string
	for _, f := range fed {
		out = append(out, fmt.Sprintf("%d %s", f.N, f.Text))
	}
	return strings.Join(out, " | ")
}

// deermem 26, 27
func TestWhatIsFed(t *testing.T) {
	for _, test := range []struct {
		name    string
		turns   []page.Turn
		fed     string
		dropped string
	}{
		{"tools and machinery",
			exchange("system: You are an agent.", "user: Look at the log.", "assistant/tools: I will look.", "tool: 4,000 lines", "assistant: The disk is full."),
			"2 Look at the log. | 5 The disk is full.", "output 1, system 1, tools 1"},
		{"hidden turns",
			exchange("user: hi there", "user/hidden: Reminder: be brief.", "assistant/hidden: thinking", "assistant: Hello."),
			"1 hi there | 4 Hello.", "hidden 2"},
		{"a call that no host took for one",
			exchange("user: Which day is it?", `assistant: <tool_call>{"name":"date"}</tool_call>`, `assistant: {"tool_calls": [{"id": 1}]}`, `assistant: [TOOL_CALLS] [{"name":"date"}]`,
				"assistant: Calling.~<function_calls>~<invoke name=\"date\">~</function_calls>", "assistant: Models write <tool_call> before a call."),
			"1 Which day is it? | 6 Models write <tool_call> before a call.", "tools 4"},
		{"a question with uploads keeps the question",
			exchange("user: <uploaded_files>~/mnt/a.csv (3 KB)~</uploaded_files>~Which row is the largest?", "assistant: The ninth."),
			"1 Which row is the largest? | 2 The ninth.", ""},
		{"nothing but uploads goes with its answer",
			exchange("user: Hello, agent.", "user: <current_uploads count=\"1\">~a.csv~</current_uploads>", "assistant/tools: reading", "tool: rows", "assistant: I see a table.", "assistant: Shall I sum it?", "user: Yes."),
			"1 Hello, agent. | 6 Shall I sum it? | 7 Yes.", "output 1, reply 1, tools 1, uploads 1"},
		{"thanks and a polite answer",
			exchange("user: Where is it?", "assistant: In /etc.", "user: OK, thanks!", "assistant: You're welcome! Let me know if you need anything else.", "user: 好的，谢谢", "assistant: 不客气，有问题随时找我！"),
			"1 Where is it? | 2 In /etc.", "reply 2, thanks 2"},
		{"thanks and an answer that comes late",
			exchange("user: Where is it?", "assistant/tools: looking", "user: ok", "assistant: In /etc/app.", "user: 收到", "assistant: 端口是 8443。"),
			"1 Where is it? | 4 In /etc/app. | 6 端口是 8443。", "thanks 2, tools 1"},
		{"an assent is no thanks",
			exchange("assistant: Postgres then?", "user: yes", "assistant: Done.", "user: sounds good", "user: 对", "user: 可以"),
			"1 Postgres then? | 2 yes | 3 Done. | 4 sounds good | 5 对 | 6 可以", ""},
		{"what was purged",
			exchange("user: "+Purged, "assistant: Noted.", "user: Bye now, friend."), "2 Noted. | 3 Bye now, friend.", "purged 1"},
		{"nobody but the agent",
			exchange("assistant: Good morning.", "tool: x", "user: thanks", "assistant: Shall we begin?"), "", "output 1, thanks 1, unasked 2"},
		{"people among themselves",
			exchange("user: ok", "user: thanks", "user: <uploaded_files>x</uploaded_files>", ": 好的"), "1 ok | 2 thanks | 3 <uploaded_files>x</uploaded_files> | 4 好的", ""},
		{"a role that nobody knows is a person's",
			exchange("customer: The heater is cold.", "assistant: Since when?", "agent-2: ok"), "1 The heater is cold. | 2 Since when?", "thanks 1"},
		{"roles in other words",
			exchange("Human: The heater is cold.", "AI: Since when?", "developer: x", "function: y"), "1 The heater is cold. | 2 Since when?", "output 1, system 1"},
		{"nothing", nil, "", ""},
	} {
		fed, dropped := Sift(test.turns, 1, len(test.turns))
		var why []string
		for _, k := range slices.Sorted(maps.Keys(dropped)) {
			why = append(why, fmt.Sprintf("%s %d", k, dropped[k]))
		}
		if got := fedOf(fed); got != test.fed || strings.Join(why, ", ") != test.dropped {
			t.Errorf("%s:\nfed %s\nwant %s\ndropped %q, want %q", test.name, got, test.fed, why, test.dropped)
		}
	}
}

func TestOnlyAcknowledgementsAreThanks(t *testing.T) {
	for _, s := range []string{"ok", "OK.", " Okay!! ", "Thanks", "thank you so much!", "got it, thanks", "Great — thanks again 🙏", "👍", "...", "ｏｋ", "好", "好的", "好的好的", "好的，谢谢！", "嗯嗯",
		"谢谢您", "收到。", "明白了", "知道了，辛苦了", "ok好的", "I see. Thanks a lot", "noted"} {
		if !isThanks(s) {
			t.Errorf("%q is not taken for thanks", s)
		}
	}
	for _, s := range []string{"yes", "no", "right", "ok, use Postgres", "thanks to Wei we have a key", "great question about caching", "k8s", "okta", "3", "好的，改用蓝色", "好几个", "谢谢小林把端口改成 8443", "行动计划", "了解一下缓存", "对", "不", "哈尔滨", "got it working on port 80", "明白吗"} {
		if isThanks(s) {
			t.Errorf("%q is taken for thanks", s)
		}
	}
	for s, want := range map[string]bool{
		"You're welcome!": true, "Happy to help. Have a great day!": true, "No problem — let me know if you need anything else.": true, "不客气！": true, "很高兴能帮到您，有其他问题请随时联系我。": true,
		"Anytime. The port is 8443.": false, "You're welcome. Remember to rotate the key.": false, "不客气，记得重启服务。": false, "Done.": false, "": true,
		strings.Repeat("you are welcome ", 9): false, // nobody is as polite
	} {
		if isCourtesy(s) != want {
			t.Errorf("%q: courtesy %v", s, !want)
		}
	}
}

// What is fed is part of what was said: in order, from within the bounds, its text
// not changed but for lists of uploads; and it does not depend on where the session
// is cut. What is not fed has a reason.
func TestWhatIsFedDoesNotDependOnWhereASessionIsCut(t *testing.T) {
	turn := rapid.Custom(func(t *rapid.T) page.Turn {
		return page.Turn{
			Role: rapid.SampledFrom([]string{"user", "user", "assistant", "assistant", "tool", "system", ""}).Draw(t, "role"),
			Kind: rapid.SampledFrom([]string{"", "", "", page.AsksTools, page.Hidden, "odd"}).Draw(t, "kind"),
			Text: rapid.SampledFrom([]string{"ok", "yes", "The port is 8443.", "You're welcome!", Purged, "<uploaded_files>a</uploaded_files>", "<uploaded_files>a</uploaded_files>b", "好的", "不客气", "端口"}).Draw(t, "text"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		turns := rapid.SliceOfN(turn, 0, 12).Draw(t, "turns")
		before := slices.Clone(turns)
		a, b := rapid.IntRange(-2, 14).Draw(t, "from"), rapid.IntRange(-2, 14).Draw(t, "to")
		fed, dropped := Sift(turns, a, b)
		last, n := 0, len(fed)
		for _, f := range fed {
			if f.N <= last || f.N < a || f.N > b || f.N > len(turns) {
				t.Fatalf("turn %d of %d to %d, after %d", f.N, a, b, last)
			}
			was := turns[f.N-1]
			if was.Text = strings.TrimSpace(strings.Replace(was.Text, "<uploaded_files>a</uploaded_files>", "", 1)); f.Turn != was && f.Turn != turns[f.N-1] {
				t.Fatalf("turn %d is fed as %+v, was said as %+v", f.N, f.Turn, was)
			}
			last = f.N
		}
		for why, k := range dropped {
			if n += k; why == "" || k < 1 {
				t.Fatalf("dropped %v", dropped)
			}
		}
		if want := max(0, min(b, len(turns))-max(a, 1)+1); n != want {
			t.Fatalf("%d of %d turns are accounted for", n, want)
		}
		cut := rapid.IntRange(0, len(turns)).Draw(t, "cut")
		parts := append(Feed(turns, 1, cut), Feed(turns, cut+1, len(turns))...)
		if whole := Feed(turns, 1, len(turns)); !reflect.DeepEqual(parts, whole) {
			t.Fatalf("cut behind %d: %v, want %v", cut, parts, whole)
		}
		if !slices.Equal(turns, before) {
			t.Fatal("the turns were changed")
		}
	})
}
