// The hooks in an agent's settings file. Claude Code and Codex have the same form: an
// object of events, each a list of groups, each with a list of handlers.
//
//	{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "…/brain hook Stop", "timeout": 10}]}]}}
//
// brain adds a group of its own at the end of each event, and knows its handlers again
// by their command, wherever they stand.

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// hookEvents are the events that are captured, in the order of a session. Others are
// not asked for: a process for each call of a tool would cost more than it brings.
var hookEvents = []string{"SessionStart", "UserPromptSubmit", "PreCompact", "SubagentStop", "Stop", "SessionEnd"}

// hookPatience is after how many seconds the agent gives up on a hook, which itself
// gives up much sooner (hook.timeout). Claude Code waits at SessionEnd for 1.5 s unless
// a handler asks for more.
const hookPatience = 10

type hookGroup struct {
	Hooks []hookHandler `json:"hooks"`
}

type hookHandler struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

// hookCommandLine is the command of an event: the program by its path, and what was
// chosen at installation.
type hookCommandLine struct {
	program string
	flags   []string // --root DIR and so on, unquoted
}

func (c hookCommandLine) of(event string) string {
	words := append([]string{c.program, "hook", event}, c.flags...)
	for i, w := range words {
		words[i] = shellWord(w)
	}
	return strings.Join(words, " ")
}

func (c hookCommandLine) handler(event string) hookHandler {
	return hookHandler{"command", c.of(event), hookPatience}
}

// programName is what the program may be called, so that its hooks are known again: as
// it is, or with what a release adds (brain-linux-amd64, brain_1.2).
var programName = regexp.MustCompile(`^brain([-_.0-9].*)?$`)

// ourHook reports whether a command is one that brain installed: nothing but a program
// of that name, the event, and the flags that go with it.
func ourHook(command string) bool {
	words, ok := shellWords(command)
	if !ok || len(words) < 3 || words[1] != "hook" || !slices.Contains(hookEvents, words[2]) {
		return false
	}
	if !programName.MatchString(filepath.Base(words[0])) || !filepath.IsAbs(words[0]) || len(words)%2 == 0 {
		return false
	}
	for i := 3; i < len(words); i += 2 {
		if !slices.Contains([]string{"--root", "--brain", "--agent"}, words[i]) {
			return false
		}
	}
	return true
}

// withHooks gives a settings file with the hooks of a command and no others of brain.
// A file that is not there (old is nil) is made.
func withHooks(old *string, c hookCommandLine) (string, error) {
	text := ""
	if old != nil {
		if ok, err := hasHooks(*old, c); ok || err != nil {
			return *old, err
		}
		without, err := withoutHooks(*old)
		if err != nil {
			return "", err
		}
		if old = without; old != nil {
			text = *old
		}
	}
	for _, event := range hookEvents {
		var err error
		if text, err = withHook(text, event, c.handler(event)); err != nil {
			return "", err
		}
	}
	if old == nil {
		text += "\n"
	}
	return text, nil
}

// hasHooks reports whether a file has exactly these hooks of brain already.
func hasHooks(text string, c hookCommandLine) (bool, error) {
	t, err := parseJSONText(text)
	if err != nil {
		return false, err
	}
	var has, want []string
	for _, h := range t.ourHooks() {
		has = append(has, h.event+" "+h.command)
	}
	for _, event := range hookEvents {
		want = append(want, event+" "+c.of(event))
	}
	slices.Sort(has)
	slices.Sort(want)
	return slices.Equal(has, want), nil
}

func withHook(text, event string, h hookHandler) (string, error) {
	group := hookGroup{[]hookHandler{h}}
	t, err := parseJSONText(text)
	if err != nil {
		return "", err
	}
	if t.top == nil {
		made, err := t.layout("", map[string]any{"hooks": map[string]any{event: []any{group}}}, "")
		return text + made, err
	}
	if t.top.kind != '{' {
		return "", errors.New("it holds no JSON object")
	}
	hooks, err := t.top.member("hooks")
	if err != nil {
		return "", err
	}
	if hooks == nil {
		return t.put(t.top, "hooks", map[string]any{event: []any{group}})
	}
	if hooks.kind != '{' {
		return "", errors.New(`"hooks" is no object of events`)
	}
	groups, err := hooks.member(event)
	switch {
	case err != nil:
		return "", err
	case groups == nil:
		return t.put(hooks, event, []any{group})
	case groups.kind != '[':
		return "", fmt.Errorf("%q is no list of hooks", event)
	}
	return t.put(groups, "", group)
}

// withoutHooks gives a file without brain's hooks; nil when nothing is left of a file
// that brain made.
func withoutHooks(text string) (*string, error) {
	for {
		t, err := parseJSONText(text)
		if err != nil {
			return nil, err
		}
		ours := t.ourHooks()
		if len(ours) == 0 {
			return &text, nil
		}
		left := t.cut(ours[0].cut)
		if left == "\n" && strings.HasPrefix(text, "{") {
			return nil, nil
		}
		text = left
	}
}

// installedHook is a handler of brain in a settings file.
type installedHook struct {
	event, command string
	cut            *jsonNode // what goes with it: its group, unless others are in it
}

func (t *jsonText) ourHooks() (ours []installedHook) {
	for _, events := range t.top.members("hooks") {
		for _, event := range events.items {
			for _, group := range event.items {
				ours = append(ours, ourHandlers(event.key, group)...)
			}
		}
	}
	return ours
}

func ourHandlers(event string, group *jsonNode) (ours []installedHook) {
	others := 0
	for _, handlers := range group.members("hooks") {
		for _, h := range handlers.items {
			command := ""
			for _, c := range h.members("command") {
				command = c.text
			}
			if ourHook(command) {
				ours = append(ours, installedHook{event, command, h})
			} else {
				others++
			}
		}
	}
	if others == 0 {
		for i := range ours {
			ours[i].cut = group
		}
	}
	return ours
}

// shellWord writes a word so that a shell reads it as it is. Windows has no shell that
// all would agree on; there, quotes keep blanks together.
func shellWord(word string) string {
	if runtime.GOOS == "windows" && strings.Contains(word, " ") {
		return `"` + word + `"`
	}
	if runtime.GOOS == "windows" {
		return word
	}
	return quoted(word)
}

// shellWords reads what shellWord wrote; ok is false for anything that a shell would
// read as more than words.
func shellWords(line string) (words []string, ok bool) {
	var word strings.Builder
	in, quote := false, rune(0)
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			in, quote = true, r
		case r == '\\' && runtime.GOOS != "windows":
			in, escaped = true, true
		case r == ' ':
			if in {
				words = append(words, word.String())
			}
			word.Reset()
			in = false
		case strings.ContainsRune("&|;<>()$`#*?[]!{}\n\t", r):
			return nil, false
		default:
			in = true
			word.WriteRune(r)
		}
	}
	if in {
		words = append(words, word.String())
	}
	return words, quote == 0 && !escaped
}
