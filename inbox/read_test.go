package inbox

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"brain/page"
)

// readAllSessions reads an input, as ReadSessions does for a caller who keeps all.
func readAllSessions(o ReadOptions, input string) (all []Session, skipped Skipped, err error) {
	skipped, err = ReadSessions(strings.NewReader(input), o, func(s Session) error {
		all = append(all, s)
		return nil
	})
	return all, skipped, err
}

// shown prints sessions so that a test can name what it expects:
//
//	== id "title" of agent/user at 2026-03-02T09:00:00Z
//	user Wei #m1 09:00:00: The login loops.
//	assistant(tools): [tool Bash: go test]
func shown(all []Session) string {
	var b strings.Builder
	for _, s := range all {
		id := s.ID
		if len(id) != len("95e6f011-ec33-4b37-91ad-5d242b40ae3d") {
			id = madeHash.ReplaceAllString(id, "~")
		}
		fmt.Fprintf(&b, "== %s", id)
		if s.Title != "" {
			fmt.Fprintf(&b, " %q", s.Title)
		}
		if s.Agent+s.User != "" {
			fmt.Fprintf(&b, " of %s/%s", s.Agent, s.User)
		}
		if !s.At.IsZero() {
			b.WriteString(s.At.UTC().Format(" at " + time.RFC3339))
		}
		b.WriteByte('\n')
		for _, t := range s.Turns {
			b.WriteString(shownTurn(t))
		}
	}
	return b.String()
}

// madeHash is what makes an id its own.
var madeHash = regexp.MustCompile("[0-9a-f]{12}$")

func shownTurn(t page.Turn) string {
	s := t.Role
	if t.Kind != "" {
		s += "(" + t.Kind + ")"
	}
	if t.Speaker != "" {
		s += " " + t.Speaker
	}
	if t.ID != "" {
		s += " #" + t.ID
	}
	if !t.At.IsZero() {
		s += t.At.UTC().Format(" 15:04:05.999")
	}
	return s + ": " + strings.ReplaceAll(t.Text, "\n", "⏎") + "\n"
}

func shownSkipped(s Skipped) string {
	var b strings.Builder
	for _, one := range s.First {
		if one.N > 0 {
			fmt.Fprintf(&b, "%s %d: ", s.Unit, one.N)
		}
		b.WriteString(one.Why + "\n")
	}
	return b.String()
}

// readCases are what each format is read as; the properties below hold for their inputs.
var readCases = []struct {
	name    string
	format  Format // as it is to be told
	o       ReadOptions
	input   string
	want    string
	skipped string
}{
	{name: "messages", format: JSONL,
		input: `{"role":"user","speaker":"Wei","text":"登录一直循环。","at":"2026-03-02T09:00:00Z","id":"m1"}
{"role":"assistant","content":"Which browser?","timestamp":1772442020}
{"role":"AI","content":[{"type":"text","text":"Any of"},{"type":"text","text":"these?"}],"created_at":1772442030500}
{"role":"user","text":"secret","hidden":true}
{"role":"tool","name":"grep","text":"3 hits","kind":"turn"}
`,
		want: `== 20260302-~
user Wei #m1 09:00:00: 登录一直循环。
assistant 09:00:20: Which browser?
assistant 09:00:30.5: Any of⏎these?
user(hidden): secret
tool grep: 3 hits
`},
	{name: "several sessions in a file", format: JSONL, o: ReadOptions{Agent: "coder"},
		input: `{"session":"s1","role":"user","text":"one"}
{"session_id":"conv-26/S2","role":"user","text":"two"}
{"session":"s1","role":"assistant","text":"three"}
`,
		want: `== s1 of coder/
user: one
assistant: three
== conv-26-s2-~ of coder/
user: two
`},
	{name: "sessions as brain keeps them", format: JSONL,
		input: `{"session":"4f1c","agent":"coder","user":"wei","title":"Login loop","at":"2026-03-02T09:00:00Z"}
{"id":"a","role":"assistant","kind":"tools","at":"2026-03-02T09:00:20Z","text":"[tool Bash: ls]"}
{"session":"4f1d","agent":"coder"}
{"role":"user","text":"hi"}
`,
		want: `== 4f1c "Login loop" of coder/wei at 2026-03-02T09:00:00Z
assistant(tools) #a 09:00:20: [tool Bash: ls]
== 4f1d of coder/
user: hi
`},
	{name: "what cannot be used is set aside", format: JSONL, o: ReadOptions{Name: "logs/half.jsonl"},
		input: "\uFEFF" + `{"role":"user","text":"first"}` + "\r\n" +
			`{"role":"user","te` + "\n" +
			"\n" +
			`"a string"` + "\n" +
			`{"role":"user"}` + "\n" +
			"\x00\x00\x00" + `{"role":"user","text":"sec` + "\x00" + `ond"}` + "\n" +
			`{"role":"user","text":"two"}{"role":"user","text":"in one line"}` + "\n" +
			`{"role":"user","text":{"no":"text"},"content":"but content","at":true}` + "\n" +
			`{"role":"user","text":"no newline"}`,
		want: `== half-~
user: first
user: second
user: two
user: in one line
user: but content
user: no newline
`,
		skipped: `line 2: not JSON: unexpected EOF
line 4: not a JSON object
line 5: no message: neither text nor content
`},
	{name: "an array of messages", format: JSONL,
		input: `[{"role":"system","content":"Be kind."},{"role":"user","content":"hi {\""},
 {"role":"assistant","content":null,"tool_calls":[{"function":{"name":"search","arguments":"{\"query\":\"login\"}"}}]},
 {"role":"tool","content":"none"}, {"role":"assistant","content":"Nothing fo`,
		want: `== ~
system(hidden): Be kind.
user: hi {"
assistant(tools): [tool search: login]
tool: none
`,
		skipped: "the file ends within message 5\n"},

	{name: "a transcript of Claude Code", format: ClaudeCode,
		input: `{"type":"summary","summary":"Of another conversation","leafUuid":"zz"}
{"type":"summary","summary":"Login loop","leafUuid":"u6"}
{"type":"user","uuid":"u1","parentUuid":null,"isSidechain":false,"sessionId":"95e6f011-ec33-4b37-91ad-5d242b40ae3d","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/w","gitBranch":"main","message":{"role":"user","content":"Why does the login loop?"}}
{"type":"file-history-snapshot","messageId":"u1","snapshot":{}}
{"type":"assistant","uuid":"u2","sessionId":"95e6f011-ec33-4b37-91ad-5d242b40ae3d","timestamp":"2026-03-02T09:00:05Z","message":{"id":"msg_1","role":"assistant","content":[{"type":"thinking","thinking":"private","signature":"x"}]}}
{"type":"assistant","uuid":"u3","sessionId":"95e6f011-ec33-4b37-91ad-5d242b40ae3d","timestamp":"2026-03-02T09:00:06Z","message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"I'll look."}]}}
{"type":"assistant","uuid":"u4","sessionId":"95e6f011-ec33-4b37-91ad-5d242b40ae3d","timestamp":"2026-03-02T09:00:07Z","message":{"id":"msg_1","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"grep -rn\n  login","description":"find it"}}]}}
{"type":"user","uuid":"u5","sessionId":"95e6f011-ec33-4b37-91ad-5d242b40ae3d","timestamp":"2026-03-02T09:00:08Z","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":[{"type":"text","text":"auth.go:7"},{"type":"image","source":{"data":"AAAA"}}]}]},"toolUseResult":{"stdout":"auth.go:7"}}
{"type":"assistant","uuid":"u6","sessionId":"95e6f011-ec33-4b37-91ad-5d242b40ae3d","timestamp":"2026-03-02T09:00:09Z","message":{"id":"msg_2","role":"assistant","content":[{"type":"text","text":"The cookie is never set."}]}}
{"type":"assistant","uuid":"u6","sessionId":"95e6f011-ec33-4b37-91ad-5d242b40ae3d","timestamp":"2026-03-02T09:00:09Z","message":{"id":"msg_2","role":"assistant","content":[{"type":"text","text":"The cookie is never set."}]}}
{"type":"user","uuid":"u7","sessionId":"95e6f011-ec33-4b37-91ad-5d242b40ae3d","timestamp":"2026-03-02T09:01:00Z","message":{"role":"user","content":[{"type":"text","text":"<ide_opened_file>auth.go</ide_opened_file>"},{"type":"text","text":"修好它 <system-reminder>be brief</system-reminder>"},{"type":"image","source":{"data":"AAAA"}}]}}
`,
		want: `== 95e6f011-ec33-4b37-91ad-5d242b40ae3d "Login loop"
user #u1 09:00:00: Why does the login loop?
assistant(tools) #u3 09:00:06: I'll look.
assistant(tools) #u4 09:00:07: [tool Bash: grep -rn login]
tool #u5 09:00:08: auth.go:7⏎[image]
assistant #u6 09:00:09: The cookie is never set.
user(hidden) #u7 09:01:00: <ide_opened_file>auth.go</ide_opened_file>
user #u7/2 09:01:00: 修好它 <system-reminder>be brief</system-reminder>⏎[image]
`},
	{name: "what Claude Code says for itself is hidden", format: ClaudeCode,
		input: `{"type":"user","uuid":"a","sessionId":"s","isMeta":true,"message":{"content":"Caveat: …"}}
{"type":"user","uuid":"b","sessionId":"s","message":{"content":"<command-name>/clear</command-name>"}}
{"type":"user","uuid":"c","sessionId":"s","isCompactSummary":true,"message":{"content":"We spoke of login."}}
{"type":"assistant","uuid":"d","sessionId":"s","isApiErrorMessage":true,"message":{"content":[{"type":"text","text":"API Error: 529"}]}}
{"type":"system","uuid":"e","sessionId":"s","subtype":"local_command","content":"<local-command-stdout>ok</local-command-stdout>"}
{"type":"user","uuid":"f","sessionId":"s","isSidechain":true,"message":{"content":"Search the docs."}}
{"type":"attachment","uuid":"g","sessionId":"s","attachment":{"type":"queued_command","commandMode":"prompt","prompt":"and the tests too"}}
{"type":"attachment","uuid":"h","sessionId":"s","attachment":{"type":"queued_command","commandMode":"task-notification","prompt":"done"}}
{"type":"user","uuid":"i","sessionId":"s","agentId":"de30","isSidechain":true,"message":{"content":"You search."}}
{"type":"ai-title","aiTitle":"About login","sessionId":"s"}
{"type":"queue-operation","operation":"enqueue","sessionId":"s","content":"and the tests too"}
{"type":"progress","uuid":"j","sessionId":"s","data":{}}
`,
		want: `== s "About login"
user(hidden) #a: Caveat: …
user(hidden) #b: <command-name>/clear</command-name>
user(hidden) #c: We spoke of login.
system(hidden) #e: <local-command-stdout>ok</local-command-stdout>
user(hidden) #f: Search the docs.
user #g: and the tests too
user(hidden) #h: done
== s-de30
user(hidden) #i: You search.
`},
	{name: "a transcript given an id is one session", format: ClaudeCode, o: ReadOptions{ID: "mine"},
		input: `{"type":"user","uuid":"a","sessionId":"old","message":{"content":"one"}}
{"type":"user","uuid":"b","sessionId":"new","message":{"content":"two"}}
`,
		want: "== mine\nuser #a: one\nuser #b: two\n"},

	{name: "a rollout of Codex", format: Codex,
		input: `{"timestamp":"2026-03-02T09:00:00Z","type":"session_meta","payload":{"id":"019a2d7a-41c4-78b1-b7cc-a45d62a89cd5","cwd":"/w","source":"cli"}}
{"timestamp":"2026-03-02T09:00:00Z","type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"Obey."}]}}
{"timestamp":"2026-03-02T09:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\n<cwd>/w</cwd></environment_context>"}]}}
{"timestamp":"2026-03-02T09:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"# Context from my IDE setup:\n\n## Open tabs:\n- a.go\n\n## My request for Codex:\nFix a.go"},{"type":"input_text","text":"<image name=[Image #1]>"},{"type":"input_image","image_url":"data:"},{"type":"input_text","text":"</image>"}]}}
{"timestamp":"2026-03-02T09:00:01.5Z","type":"event_msg","payload":{"type":"user_message","message":"Fix a.go","images":["data:"]}}
{"timestamp":"2026-03-02T09:00:01Z","type":"turn_context","payload":{"model":"m"}}
{"timestamp":"2026-03-02T09:00:02Z","type":"response_item","payload":{"type":"reasoning","summary":[{"type":"summary_text","text":"private"}]}}
{"timestamp":"2026-03-02T09:00:02Z","type":"event_msg","payload":{"type":"agent_reasoning","text":"private"}}
{"timestamp":"2026-03-02T09:00:03Z","type":"event_msg","payload":{"type":"agent_message","message":"Looking.","phase":"commentary"}}
{"timestamp":"2026-03-02T09:00:03Z","type":"response_item","payload":{"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"Looking."}]}}
{"timestamp":"2026-03-02T09:00:04Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"cat a.go\"]}","call_id":"c1"}}
{"timestamp":"2026-03-02T09:00:05Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"{\"output\":\"package a\",\"metadata\":{\"exit_code\":0}}"}}
{"timestamp":"2026-03-02T09:00:06Z","type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch","call_id":"c2"}}
{"timestamp":"2026-03-02T09:00:06Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c2","output":[{"type":"input_text","text":"ok"}]}}
{"timestamp":"2026-03-02T09:00:06Z","type":"response_item","payload":{"type":"local_shell_call","call_id":"c3","status":"completed","action":{"type":"exec","command":["ls","-l"]}}}
{"timestamp":"2026-03-02T09:00:07Z","type":"event_msg","payload":{"type":"token_count","info":null}}
{"timestamp":"2026-03-02T09:00:08Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"好了。"}]}}
{"timestamp":"2026-03-02T09:00:08Z","type":"event_msg","payload":{"type":"agent_message","message":"好了。"}}
{"timestamp":"2026-03-02T09:00:09Z","type":"compacted","payload":{"message":"a.go was fixed."}}
{"timestamp":"2026-03-02T09:00:10Z","type":"event_msg","payload":{"type":"user_message","message":"only an event"}}
`,
		want: `== 019a2d7a-41c4-78b1-b7cc-a45d62a89cd5
system(hidden) 09:00:00: Obey.
user(hidden) 09:00:00: <environment_context>⏎<cwd>/w</cwd></environment_context>
user 09:00:01: Fix a.go⏎[image]
assistant(tools) 09:00:03: Looking.
assistant(tools) #c1 09:00:04: [tool shell: bash -lc cat a.go]
tool #c1/output 09:00:05: package a
assistant(tools) #c2 09:00:06: [tool apply_patch: *** Begin Patch]
tool #c2/output 09:00:06: ok
assistant(tools) #c3 09:00:06: [tool local_shell: ls -l]
assistant 09:00:08: 好了。
assistant(hidden) 09:00:09: a.go was fixed.
user 09:00:10: only an event
`},
	{name: "an older rollout of Codex", format: Codex, o: ReadOptions{Name: "rollout-2025-05-07T17-24-21-5973b6c0-94b8-487b-a530-2aeb6098ae0e.jsonl"},
		input: `{"id":"5973b6c0-94b8-487b-a530-2aeb6098ae0e","timestamp":"2025-05-07T17:24:21.123Z","instructions":null}
{"record_type":"state"}
{"type":"message","role":"user","content":[{"type":"input_text","text":"yes"}]}
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}
{"type":"message","role":"user","content":[{"type":"input_text","text":"yes"}]}
{"type":"message","role":"us`,
		want: `== 5973b6c0-94b8-487b-a530-2aeb6098ae0e
user: yes
assistant: Done.
user: yes
`, skipped: "line 6: not JSON: unexpected EOF\n"},
	{name: "a rollout of a subagent of Codex", format: Codex,
		input: `{"timestamp":"2026-03-02T09:00:00Z","type":"session_meta","payload":{"id":"sub","source":{"subagent":{"thread_spawn":{}}}}}
{"timestamp":"2026-03-02T09:00:01Z","type":"event_msg","payload":{"type":"user_message","message":"Search."}}
`, want: "== sub\nuser(hidden) 09:00:01: Search.\n"},

	{name: "an export of ChatGPT", format: ChatGPT,
		input: `[
 {"title": "Login {loop}", "create_time": 1772442000.25, "conversation_id": "c1", "current_node": "n5",
  "mapping": {
   "n0": {"id": "n0", "message": null, "parent": null, "children": ["n1"]},
   "n1": {"message": {"id": "m1", "author": {"role": "system"}, "content": {"content_type": "text", "parts": ["Be kind."]}, "metadata": {"is_visually_hidden_from_conversation": true}}, "parent": "n0", "children": ["n2"]},
   "n2": {"message": {"id": "m2", "author": {"role": "user"}, "create_time": 1772442000.5, "content": {"content_type": "multimodal_text", "parts": [{"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}, "为什么循环？"]}, "metadata": {"attachments": [{"name": "log.txt"}]}}, "parent": "n1", "children": ["n3", "n3b"]},
   "n3b": {"message": {"id": "m3b", "author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["An answer that was asked for again."]}}, "parent": "n2", "children": []},
   "n3": {"message": {"id": "m3", "author": {"role": "assistant"}, "recipient": "python", "content": {"content_type": "code", "text": "print(1)"}}, "parent": "n2", "children": ["n4"]},
   "n4": {"message": {"id": "m4", "author": {"role": "tool", "name": "python"}, "content": {"content_type": "execution_output", "text": "1"}}, "parent": "n3", "children": ["n5"]},
   "n5": {"message": {"id": "m5", "author": {"role": "assistant"}, "recipient": "all", "content": {"content_type": "text", "parts": ["The cookie.` + "\uE200cite\uE202turn0\uE201" + `"]}}, "parent": "n4", "children": ["n6"]},
   "n6": {"message": {"id": "m6", "author": {"role": "user"}, "content": {"content_type": "text", "parts": ["left behind"]}}, "parent": "n5", "children": []}
  }},
 {"title": "Without a node", "id": "c2", "mapping": {"a": {"message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["hi"]}}, "parent": "gone", "children": ["b"]}, "b": {"message": {"author": {"role": "assistant"}, "content": {"content_type": "thoughts", "thoughts": []}}, "parent": "a", "children": []}}},
 {"title": "In a circle", "id": "c3", "current_node": "a", "mapping": {"a": {"parent": "b", "message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["round"]}}}, "b": {"parent": "a"}}},
 {"unknown": true},
 {"title": "cut o`,
		want: `== c1 "Login {loop}" at 2026-03-02T09:00:00Z
system(hidden) #m1: Be kind.
user #m2 09:00:00.5: [image]⏎为什么循环？⏎[file log.txt]
assistant(tools) #m3: [tool python: print(1)]
tool python #m4: 1
assistant #m5: The cookie.
== c2 "Without a node"
user: hi
== c3 "In a circle"
user: round
`,
		skipped: "conversation 4: no conversation: neither mapping nor chat_messages\nthe file ends within conversation 5\n"},
	{name: "members of an export that are no conversation", format: ChatGPT,
		input: `[{"id":"c0","mapping":{"a":{"message":{"author":{"role":"user"},"content":{"parts":["hi"]}}}}}, 5, null,"s,]{\"", [1,[2]], {},
 {"id":"c1","mapping":{"a":{"message":{"author":{"role":"user"},"content":{"parts":["你好"]}}}}}, {"title":"x","conversation_id":"y"},
 {"id":"new","mapping":{"root":{"id":"root","message":null,"children":[]}}}, {"mapping":{"a":5}}, {"chat_messages":[5]}, {"chat_messages":[]}, tru]`,
		want: "== c0\nuser: hi\n== c1\nuser: 你好\n",
		skipped: `conversation 2: not a JSON object
conversation 3: not a JSON object
conversation 4: not a JSON object
conversation 5: not a JSON object
conversation 6: no conversation: neither mapping nor chat_messages
conversation 8: no conversation: neither mapping nor chat_messages
conversation 10: no conversation: what should be messages is something else
conversation 11: no conversation: what should be messages is something else
conversation 13: not a JSON object
`},
	{name: "an export that was cut behind a conversation", format: Claude,
		input: `[{"uuid":"a","chat_messages":[{"sender":"human","text":"hi"}]},
 {"uuid":"b","chat_messages":[{"sender":"human","text":"在吗"}]},
`,
		want:    "== a\nuser: hi\n== b\nuser: 在吗\n",
		skipped: "the file ends behind conversation 2, and its list goes on\n"},
	{name: "an export that was cut within what is no conversation", format: Claude,
		input: `[{"uuid":"a","chat_messages":[{"sender":"human","text":"hi"}]}, "cut ]`,
		want:  "== a\nuser: hi\n", skipped: "the file ends within conversation 2\n"},
	{name: "an export of Claude", format: Claude,
		input: `[{"uuid":"0f-1","name":"Login","created_at":"2026-03-02T09:00:00.5+00:00","account":{"uuid":"x"},"chat_messages":[
 {"uuid":"m1","sender":"human","text":"Why?","content":[{"type":"text","text":"Why?"}],"created_at":"2026-03-02T09:00:00Z","attachments":[{"file_name":"log.txt","extracted_content":"long"}],"files":[]},
 {"uuid":"m2","sender":"assistant","text":"private The cookie.","content":[{"type":"thinking","thinking":"private"},{"type":"text","text":"Let me see."},{"type":"tool_use","name":"web_search","input":{"query":"login loop"}},{"type":"tool_result","name":"web_search","content":[{"type":"knowledge","title":"Cookies","url":"https://example.org"}]},{"type":"text","text":"The cookie."}],"created_at":"2026-03-02T09:00:09Z"},
 {"uuid":"m3","sender":"assistant","text":"` + "Yes.\\n```\\nThis block is not supported on your current device yet.\\n```\\n\\nDone." + `","content":[]}]}]
`,
		want: `== 0f-1 "Login" at 2026-03-02T09:00:00Z
user #m1 09:00:00: Why?⏎[file log.txt]
assistant(tools) #m2 09:00:09: Let me see.⏎[tool web_search: login loop]
tool #m2/2 09:00:09: Cookies
assistant #m2/3 09:00:09: The cookie.
assistant #m3: Yes.⏎Done.
`},
	{name: "one conversation of an export", format: Claude, o: ReadOptions{ID: "one"},
		input: "{\n  \"uuid\": \"x\",\n  \"chat_messages\": [ {\"sender\": \"human\", \"text\": \"hi\"} ]\n}\n",
		want:  "== one\nuser: hi\n"},

	{name: "text in which roles speak", format: Text, o: ReadOptions{Name: "talk.txt"},
		input: "Exported today.\n\nUser: Why does\nit loop?\n\n**Assistant:** The cookie.\nNote: not the session.\n用户：那怎么办？\n助手： 设置 cookie。\n### Human\nThanks\nChatGPT: Bye",
		want: `== talk-~ "talk"
user: Exported today.
user: Why does⏎it loop?
assistant: The cookie.⏎Note: not the session.
user: 那怎么办？
assistant: 设置 cookie。
user: Thanks
assistant ChatGPT: Bye
`},
	{name: "text with times", format: Text,
		input: "[2026-03-02 10:00] Alice: 我们改用 PostgreSQL。\n[2026-03-02, 10:01] Bob: Fine.\nAnd the docs?\nAlice (2026-03-02 10:02): Later.\nWei（10:03）：好\n[1] Foo: a footnote\n",
		want: `== 20260302-~
user Alice 10:00:00: 我们改用 PostgreSQL。
user Bob 10:01:00: Fine.⏎And the docs?
user Alice 10:02:00: Later.
user Wei: 好⏎[1] Foo: a footnote
`},
	{name: "text in which nobody speaks", format: Text,
		input: "The login loops.\r\nNobody knows why: not even I.\r\n",
		want:  "== ~\nuser: The login loops.⏎Nobody knows why: not even I.\n"},
	{name: "messages whose text is a list", format: JSONL, o: ReadOptions{ID: "lists"},
		input: `{"role":"user","text":["We decided to move to Kessel."," Second part."]}
{"role":"user","text":{"type":"text","text":"one block"}}
{"role":"user","text":{"a":"b"}}
{"role":"user","text":["我们改用", {"type":"text","text":"Kessel"}, 7, {"type":"secret","body":"x"}, null]}
{"role":"user","content":[true]}
{"role":"user","content":[{"type":"text","text":{"value":"x"}}]}
{"role":"user","text":""}
{"role":"user","text":"","content":"Taken."}
{"role":"user","text":{"a":"b"},"content":"Taken too."}
{"role":"user","content":5}
{"session":"lists","role":"user","body":"We decided."}
{"role":"user","text":true}
`,
		want: `== lists
user: We decided to move to Kessel.⏎ Second part.
user: one block
user: 我们改用⏎Kessel⏎7
user: Taken.
user: Taken too.
user: 5
`,
		skipped: `line 3: part 1 of 1 is left out: neither text nor a known block
line 4: part 4 of 5 is left out: neither text nor a known block
line 5: part 1 of 1 is left out: neither text nor a known block
line 6: part 1 of 1 is left out: neither text nor a known block
line 11: no message: neither text nor content
line 12: part 1 of 1 is left out: neither text nor a known block
`},
	{name: "nothing", format: Text, input: " \r\n\n", want: ""},
}

func TestFormatsAreReadAsWritten(t *testing.T) {
	for _, c := range readCases {
		t.Run(c.name, func(t *testing.T) {
			if in := newInput(strings.NewReader(c.input)); true {
				if f, err := in.detect(Auto); err != nil || f != c.format {
					t.Errorf("told to be %q, %v; want %q", f, err, c.format)
				}
			}
			all, skipped, err := readAllSessions(c.o, c.input)
			if err != nil {
				t.Fatal(err)
			}
			if got := shown(all); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if got := shownSkipped(skipped); got != c.skipped {
				t.Errorf("skipped\n%s\nwant\n%s", got, c.skipped)
			}
		})
	}
}

func TestInputsThatAreNoConversation(t *testing.T) {
	for name, c := range map[string]struct{ input, want string }{
		"a zip archive":        {"PK\x03\x04rest", "unpack it"},
		"a zstd file":          {"\x28\xb5\x2f\xfdrest", "unpack it"},
		"a gzip file":          {"\x1f\x8b\x08rest", "unpack it"},
		"UTF-16":               {"\xff\xfeU\x00s\x00", "UTF-16"},
		"random bytes":         {"\x7fELF\x02\x00\x00", "claude-code"},
		"Latin-1":              {"Stra\xdfe und mehr Text", "chatgpt"},
		"JSON of another kind": {`{"name":"x","version":1}` + "\n", "jsonl"},
		"an array of others":   {`[{"name":"x"}]`, "jsonl"},
		"an unknown format":    {"", `no format "yaml"`},
	} {
		o := ReadOptions{Name: "in.bin"}
		if name == "an unknown format" {
			o.Format = "yaml"
		}
		_, _, err := readAllSessions(o, c.input)
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "in.bin: ") {
			t.Errorf("%s: %v, want ErrFormat of in.bin with %q", name, err, c.want)
		}
	}
}

func TestOneIDIsNotGivenToSeveralSessions(t *testing.T) {
	for _, input := range []string{
		`{"session":"a","role":"user","text":"one"}` + "\n" + `{"session":"b","role":"user","text":"two"}`,
		`[{"uuid":"a","chat_messages":[{"sender":"human","text":"hi"}]},{"uuid":"b","chat_messages":[{"sender":"human","text":"hi"}]}]`,
	} {
		all, _, err := readAllSessions(ReadOptions{ID: "one"}, input)
		if !errors.Is(err, ErrInvalid) || len(all) > 0 {
			t.Errorf("%v, %d sessions; want ErrInvalid and none", err, len(all))
		}
	}
}

func TestALineBeyondTheBoundIsSetAside(t *testing.T) {
	line := func(n int) io.Reader {
		return io.MultiReader(strings.NewReader(`{"role":"user","text":"`), strings.NewReader(strings.Repeat("x", n)), strings.NewReader(`"}`+"\n"))
	}
	for _, c := range []struct {
		name  string
		input io.Reader
		unit  string
	}{
		{"a line", io.MultiReader(line(1), line(maxRecord), line(2)), "line 2"},
		{"a member of an array", io.MultiReader(strings.NewReader("["), line(1), strings.NewReader(","), line(maxRecord), strings.NewReader(","), line(2), strings.NewReader("]")), "message 2"},
	} {
		var turns []string
		skipped, err := ReadSessions(c.input, ReadOptions{Format: JSONL}, func(s Session) error {
			for _, t := range s.Turns {
				turns = append(turns, t.Text)
			}
			return nil
		})
		if got := shownSkipped(skipped); err != nil || strings.Join(turns, " ") != "x xx" || got != c.unit+": longer than 64 MiB\n" {
			t.Errorf("%s: turns %q, skipped %q, %v", c.name, turns, got, err)
		}
	}
}

func TestDeepNestingCostsNoMoreThanItsBytes(t *testing.T) {
	const deep = 4900
	nested := strings.Repeat(`[{"type":"tool_result","content":`, deep) + `"` + strings.Repeat("x", 1<<20) + `"` + strings.Repeat(`}]`, deep)
	for format, line := range map[Format]string{
		JSONL:      `{"role":"user","content":` + nested + `}`,
		ClaudeCode: `{"type":"user","message":{"content":` + nested + `}}`,
		Codex:      `{"type":"response_item","payload":{"type":"function_call_output","output":` + nested + `}}`,
		Claude:     `{"chat_messages":[{"content":` + nested + `,"text":"hi"}]}`,
		ChatGPT:    `{"mapping":{"a":{"message":{"content":{"parts":` + nested + `}}}}}`,
	} {
		input := line + "\n" + strings.Repeat("[", 1<<20) + "\n"
		if _, _, err := readAllSessions(ReadOptions{Format: format}, input); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
}

func TestTheErrorOfTheCallerEndsTheReading(t *testing.T) {
	stop := errors.New("the disk is full")
	for _, c := range readCases {
		if c.want == "" {
			continue
		}
		calls := 0
		_, err := ReadSessions(strings.NewReader(c.input), c.o, func(Session) error { calls++; return stop })
		if !errors.Is(err, stop) || calls != 1 {
			t.Errorf("%s: %v after %d calls, want the caller's error after 1", c.name, err, calls)
		}
	}
}

// Claude Code has what a command printed said by the user.
func TestWhatACommandPrintedIsOutput(t *testing.T) {
	ib := opened(t)
	var b strings.Builder
	for i, said := range []string{"<bash-input>cat log</bash-input>", "<bash-stdout>" + strings.Repeat("line ", 2000) + "</bash-stdout>", "What is wrong?"} {
		fmt.Fprintf(&b, `{"type":"user","uuid":"u%d","sessionId":"s","message":{"role":"user","content":%q}}`+"\n", i, said)
	}
	var a Added
	_, err := ReadSessions(strings.NewReader(b.String()), ReadOptions{}, func(s Session) (err error) {
		a, err = ib.Add(ctx, s)
		return err
	})
	if err != nil || a.Turns != 3 || a.Cut != 1 {
		t.Fatalf("%+v, %v; want three turns, one of them cut", a, err)
	}
	s, _, err := ib.Read(ctx, "s")
	if err != nil || s.Turns[1].Role != "tool" || s.Turns[1].Kind != page.Hidden || len(s.Turns[1].Text) > maxOutput || s.Turns[0].Role != "user" {
		t.Errorf("%+v, %v", s.Turns, err)
	}
}
