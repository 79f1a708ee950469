package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"brain/llm/llmtest"
)

// chatServer is the fake model that writes, of one script.
type chatServer struct {
	t     *testing.T
	c     *llmtest.Chat
	asked int // questions when `asked` last counted
}

// completerCmd starts the script's model and names it in the environment, or gives it
// another script: completer FILE, in the form of llmtest.ParseScript. `completer FILE
// openai` has it asked by that interface.
func completerCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: completer FILE [ollama|openai]")
	}
	o, replies, err := llmtest.ParseScript(ts.ReadFile(args[0]))
	ts.Check(err)
	s := ts.Value(chatServer{}).(*chatServer)
	if s.c == nil {
		s.c = llmtest.NewChat(s.t, o, replies...)
	} else {
		s.c.Set(o, replies...)
	}
	provider := "ollama"
	if len(args) == 2 {
		provider = args[1]
	}
	ts.Setenv("BRAIN_LLM_PROVIDER", provider)
	ts.Setenv("BRAIN_LLM_MODEL", llmtest.Model)
	ts.Setenv("BRAIN_LLM_URL", s.c.URL)
	ts.Setenv("BRAIN_LLM_RETRIES", "0")
	ts.Setenv("MODEL_HOST", strings.TrimPrefix(s.c.URL, "http://"))
}

// askedCmd demands how many questions the model was asked since they were last counted,
// and writes them to a file, if one is named: asked 1 questions.txt
func askedCmd(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(chatServer{}).(*chatServer)
	want := -1
	if len(args) > 0 {
		want, _ = strconv.Atoi(args[0])
	}
	if neg || want < 0 || len(args) > 2 || s.c == nil {
		ts.Fatalf("usage: asked N [FILE], after completer")
	}
	fresh := s.c.Asked()[s.asked:]
	s.asked += len(fresh)
	if len(fresh) != want {
		ts.Fatalf("the model was asked %d questions, want %d", len(fresh), want)
	}
	if len(args) == 2 {
		var all strings.Builder
		for _, q := range fresh {
			fmt.Fprintf(&all, "=== system\n%s\n=== user\n%s\n=== schema\n%s\n", q.System, q.User, q.Schema)
		}
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(all.String()), 0o666))
	}
}
