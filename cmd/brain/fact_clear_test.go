package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"brain/llm/llmtest"
)

// A compile that asks its model while the facts are cleared writes none of them, nor
// does any later one. MX07, MS18
func TestACompileUnderWayDoesNotUndoAClear(t *testing.T) {
	const said = "I always prefer tea over coffee in the office."
	const reply = `{"items": [], "newFacts": [{"content": "Prefers tea over coffee in the office", "category": "preference", "confidence": 0.9,
		"scope": "user", "durability": "durable", "authority": "descriptive", "sourceError": null, "expected_valid_days": null, "turns": [1]}], "factsToRemove": []}`
	for _, how := range [][]string{nil, {"--all"}, {"--agent", "coder"}} {
		t.Run(strings.Join(how, " "), func(t *testing.T) {
			root := killingGround(t)
			agent := []string{}
			if len(how) == 2 {
				agent = how
			}
			talk := filepath.Join(t.TempDir(), "talk.jsonl")
			ok(t, os.WriteFile(talk, []byte(`{"role":"user","text":"`+said+`"}`+"\n"+`{"role":"assistant","text":"Tea it is."}`+"\n"), 0o600))
			add := func(session string) {
				brainCmd(t, root, append([]string{"inbox", "add", talk, "--session", session}, agent...)...)
			}
			facts := func() string { // 1 is the exit code for none
				out, _ := exec.Command("brain", append([]string{"fact", "list", "--root", root}, agent...)...).Output()
				return string(out)
			}

			gate := llmtest.NewGate()
			model := llmtest.NewChat(t, llmtest.ChatOptions{}, llmtest.Reply{Text: reply, Gate: gate}, llmtest.Reply{Text: reply, Times: -1})
			compile := func() *exec.Cmd {
				cmd := exec.Command("brain", "compile", "--root", root)
				cmd.Env = append(os.Environ(), "NO_COLOR=1", "BRAIN_CONFIG_DIR="+t.TempDir(), "BRAIN_LLM_PROVIDER=ollama", "BRAIN_LLM_MODEL="+llmtest.Model, "BRAIN_LLM_URL="+model.URL)
				return cmd
			}
			add("first")
			cmd := compile()
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			ok(t, cmd.Start())
			<-gate.Came()
			brainCmd(t, root, append([]string{"fact", "clear", "--confirm"}, how...)...)
			gate.Open()
			err := cmd.Wait() // the session was cancelled under its hands: that is told and is no failure of ours
			t.Logf("%v\n%s", err, out.String())
			if raw, err := compile().CombinedOutput(); err != nil { // what was said before is not taken up again
				t.Errorf("%v\n%s", err, raw)
			}
			if list := facts(); strings.Contains(list, "tea") {
				t.Fatalf("it came back:\n%s", list)
			}
			add("second") // what is said later counts
			if raw, err := compile().CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, raw)
			}
			if list := facts(); !strings.Contains(list, "Prefers tea over coffee") {
				t.Errorf("what was said after the clear is not there:\n%s", list)
			}
		})
	}
}
