package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var testHooks = hookCommandLine{program: "/opt/my tools/brain", flags: []string{"--root", "/home/wei/it's memory"}}

// What install writes can be taken back to the byte, whatever stood there.
func TestHooksAreTakenBackToTheByte(t *testing.T) {
	theirs := `{"matcher": "startup", "hooks": [{"type": "command", "command": "echo hi"}]}`
	for name, old := range map[string]string{
		"empty object":        `{}`,
		"with a line break":   "{}\n",
		"blank inside":        "{\n}\n",
		"empty file":          "",
		"blank file":          "\n\n",
		"two spaces":          "{\n  \"model\": \"x\",\n  \"n\": [1, 2]\n}\n",
		"tabs, CRLF":          "{\r\n\t\"model\": \"x\"\r\n}\r\n",
		"one line":            `{"model": "x", "permissions": {"allow": []}}`,
		"one line, blanks":    `{ "model": "x" }`,
		"no hooks in hooks":   "{\n    \"hooks\": {},\n    \"model\": \"x\"\n}",
		"blank hooks":         "{\n  \"hooks\": {\n  }\n}\n",
		"others' hooks":       "{\n  \"hooks\": {\n    \"Stop\": [\n      " + theirs + "\n    ],\n    \"PostToolUse\": []\n  },\n  \"model\": \"模型\"\n}\n",
		"others' in one line": `{"hooks": {"Stop": [` + theirs + `], "SessionEnd": []}, "a": 1}`,
		"comments":            "{\n  // \"hooks\": {\n  \"a\": 1, /* , */\n  \"b\": \"// no \\\" comment\" // the last\n}\n",
		"byte order mark":     "\uFEFF{\n  \"a\": 1\n}\n",
		"odd layout":          "  {\"a\"\n:\n1\n,\"hooks\" :\n{ \"Stop\"\n: [ ]\n}}  \n\n",
	} {
		checkTakenBack(t, name, old)
	}
}

func TestAnyHooksAreTakenBackToTheByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkTakenBack(t, "generated", jsonObject(t, 0)) })
}

type failer interface{ Fatalf(string, ...any) }

func checkTakenBack(t failer, name, old string) {
	with, err := withHooks(&old, testHooks)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, old)
	}
	again, err := withHooks(&with, testHooks)
	if err != nil || again != with {
		t.Fatalf("%s: installed twice: %v\n%s", name, err, again)
	}
	if before, after := decoded(t, old), decoded(t, with); !onlyHooksAdded(before, after) {
		t.Fatalf("%s: more than hooks was added to\n%s\n%s", name, old, with)
	}
	back, err := withoutHooks(with)
	if err != nil || back == nil || *back != old {
		t.Fatalf("%s: %v: taken back:\n%q\nwas\n%q\nfrom\n%s", name, err, *back, old, with)
	}
}

// decoded reads settings as their program does; comments are not JSON to it.
func decoded(t failer, text string) map[string]any {
	all := map[string]any{}
	if clear := strings.TrimSpace(uncommented(text)); clear != "" {
		if err := json.Unmarshal([]byte(clear), &all); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	return all
}

// onlyHooksAdded takes our groups, the last of each event, out of the later value.
func onlyHooksAdded(before, after map[string]any) bool {
	hooks, _ := after["hooks"].(map[string]any)
	old, had := before["hooks"].(map[string]any)
	for _, event := range hookEvents {
		groups, _ := hooks[event].([]any)
		if len(groups) == 0 {
			return false
		}
		want := map[string]any{"hooks": []any{map[string]any{"type": "command", "command": testHooks.of(event), "timeout": float64(hookPatience)}}}
		if !reflect.DeepEqual(groups[len(groups)-1], any(want)) {
			return false
		}
		hooks[event] = groups[:len(groups)-1]
		if _, there := old[event]; !there {
			delete(hooks, event)
		}
	}
	if !had && len(hooks) == 0 {
		delete(after, "hooks")
	}
	return reflect.DeepEqual(before, after)
}

// jsonObject makes the text of an object, laid out in any way, that may have hooks.
func jsonObject(t *rapid.T, depth int) string {
	blank := func() string {
		return rapid.SampledFrom([]string{"", "", " ", "\n", "\n  ", "\r\n\t"}).Draw(t, "blank")
	}
	var parts []string
	keys := map[string]bool{}
	for range rapid.IntRange(0, 4).Draw(t, "members") {
		key := rapid.SampledFrom([]string{"a", "b", "hooks", "Stop", "SessionEnd", "键"}).Draw(t, "key")
		if keys[key] {
			continue
		}
		keys[key] = true
		value := rapid.SampledFrom([]string{"1", `"x"`, `[ 1,2 ]`, "null", `{"k": [{}]}`}).Draw(t, "value")
		switch {
		case depth == 0 && key == "hooks":
			value = jsonObject(t, 1)
		case depth == 1:
			value = rapid.SampledFrom([]string{"[]", "[\n]", `[{"hooks": []}]`, "[\n  {\"hooks\":\n[{\"type\":\"command\",\"command\":\"ls\"}]}\n]"}).Draw(t, "groups")
		}
		parts = append(parts, blank()+fmt.Sprintf("%q", key)+blank()+":"+blank()+value+blank())
	}
	if len(parts) == 0 {
		return "{" + blank() + "}"
	}
	return "{" + strings.Join(parts, ",") + "}" + blank()
}

func TestAFileThatHooksMadeGoesWithThem(t *testing.T) {
	with, err := withHooks(nil, testHooks)
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "hooks": {
    "SessionStart": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "'/opt/my tools/brain' hook SessionStart --root '/home/wei/it'\\''s memory'",
            "timeout": 10
          }
        ]
      }
    ],
`
	if !strings.HasPrefix(with, want) || !strings.HasSuffix(with, "}\n") {
		t.Errorf("made:\n%s", with)
	}
	if left, err := withoutHooks(with); err != nil || left != nil {
		t.Errorf("left: %q, %v", *left, err)
	}
}

// Another root or program replaces what was installed before.
func TestHooksAreReplaced(t *testing.T) {
	old := "{\n  \"model\": \"x\"\n}\n"
	first, err := withHooks(&old, testHooks)
	if err != nil {
		t.Fatal(err)
	}
	second, err := withHooks(&first, hookCommandLine{program: "/usr/bin/brain"})
	if err != nil || strings.Contains(second, "my tools") || strings.Count(second, "/usr/bin/brain hook ") != len(hookEvents) {
		t.Errorf("%v:\n%s", err, second)
	}
	if back, err := withoutHooks(second); err != nil || *back != old {
		t.Errorf("%v:\n%s", err, *back)
	}
}

// What others put beside brain's hooks stays when these go.
func TestHooksOfOthersStay(t *testing.T) {
	for name, test := range map[string]struct{ with, left string }{
		"a handler in the same group": {
			`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/bin/brain hook Stop"},{"type":"command","command":"say done"}]}]}}`,
			`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}`},
		"a group behind": {
			`{"hooks":{"Stop":[{"hooks":[{"command":"/bin/brain hook Stop"}]}, {"hooks":[{"command":"say done"}]}]}}`,
			`{"hooks":{"Stop":[{"hooks":[{"command":"say done"}]}]}}`},
		"a group with a matcher": {
			`{"hooks":{"Stop":[{"matcher":"x","hooks":[{"command":"/bin/brain hook Stop"}]}],"a":1}}`,
			`{"hooks":{"Stop":[],"a":1}}`},
		"a comment between": {
			"{\"hooks\":{\"a\":1, // theirs\n\"Stop\":[\n{\"hooks\":[{\"command\":\"/bin/brain hook Stop\"}]}\n]}}",
			"{\"hooks\":{\"a\":1 // theirs\n}}"},
	} {
		left, err := withoutHooks(test.with)
		if err != nil || *left != test.left {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, *left, test.left)
		}
	}
}

func TestWhichCommandsAreOurs(t *testing.T) {
	for command, want := range map[string]bool{
		testHooks.of("Stop"):                           true,
		"/usr/bin/brain hook Stop":                     true,
		`"/usr/local bin/brain" hook PreCompact`:       true,
		"/usr/bin/brain hook Stop --root /a --agent b": true,
		"/opt/brain-linux-amd64 hook Stop":             true,
		"/opt/brain_1.2 hook Stop":                     true,
		"/opt/brain.exe hook Stop":                     true,
		"brain hook Stop":                              false, // install writes the whole path
		"/usr/bin/brain hook Stop && say done":         false,
		"/usr/bin/brain hook Stop; true":               false,
		"/usr/bin/brain hook Stop > /tmp/x":            false,
		"/usr/bin/brain hook PostToolUse":              false,
		"/usr/bin/brain hook Stop --root":              false,
		"/usr/bin/brain hook Stop --json true":         false,
		"/usr/bin/brainstorm hook Stop":                false,
		"/usr/bin/brain query Stop":                    false,
		"'/usr/bin/brain hook Stop":                    false,
		"env BRAIN_ROOT=/x /usr/bin/brain hook Stop":   false,
		"": false,
	} {
		if ourHook(command) != want {
			t.Errorf("%s: %v, want %v", command, !want, want)
		}
	}
}

func TestBrokenSettingsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"{\n\"a\": 1,\n}":            "line 3",
		"{\n\"a\"":                   "line 2",
		"[]":                         "no JSON object",
		`"x"`:                        "no JSON object",
		`{} {}`:                      "more than one value",
		"{}\nnull":                   "line 2: more than one value",
		`{"hooks": []}`:              `"hooks" is no object`,
		`{"hooks": {"Stop": {}}}`:    `"Stop" is no list`,
		`{"hooks": {}, "hooks": {}}`: `"hooks" stands there twice`,
		strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200): "levels deep",
	} {
		if got, err := withHooks(&text, testHooks); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q\n%s", text, err, want, got)
		}
	}
}

func TestShellWordsReadWhatShellWordWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.String()).Draw(t, "words")
		quoted := make([]string, len(words))
		for i, w := range words {
			quoted[i] = shellWord(w)
		}
		if got, ok := shellWords(strings.Join(quoted, " ")); !ok || len(got) != len(words) || len(words) > 0 && !reflect.DeepEqual(got, words) {
			t.Fatalf("%q from %q", got, quoted)
		}
	})
}
