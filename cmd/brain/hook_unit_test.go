package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWhichCommandLinesAreHooks(t *testing.T) {
	for line, want := range map[string]string{
		"hook Stop":                      "Stop",
		"hook Stop --root /r --agent a":  "Stop",
		"--root /r hook --json Stop":     "Stop",
		"--root hook hook Stop":          "Stop",
		"hook Stop --nonsense":           "Stop",
		"hook Stop -- --help":            "Stop",
		"hook Stop --root":               "Stop",
		"--nonsense -x hook PostToolUse": "PostToolUse",
		"hook help":                      "help",
		"hook":                           "",
		"hook --help":                    "",
		"hook Stop --help":               "",
		"hook install claude-code":       "",
		"hook --yes uninstall codex":     "",
		"query hook Stop":                "",
		"help hook install":              "",
		"--agent hook query Stop":        "",
		"":                               "",
	} {
		if got, ok := hookCall(strings.Fields(line)); got != want || ok != (want != "") {
			t.Errorf("%q: %q %v, want %q", line, got, ok, want)
		}
	}
}

// A hook that fails in any way, even by a mistake of ours, ends with exit 0 and is silent.
func TestAHookThatPanicsIsSilent(t *testing.T) {
	var said bytes.Buffer
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, settingsFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a := &app{in: panics{}, out: &said, err: &said, env: func(string) (string, bool) { return "", false }, environ: func() []string { return nil }, dir: root}
	if code := a.main(context.Background(), []string{"hook", "Stop"}); code != exitOK || said.Len() > 0 {
		t.Errorf("exit %d, said %q", code, said.String())
	}
	log, err := os.ReadFile(filepath.Join(root, ".brain", hookLogFile))
	if err != nil || !strings.Contains(string(log), `error="internal error: a mistake"`) {
		t.Errorf("%v: %q", err, log)
	}
}

type panics struct{}

func (panics) Read([]byte) (int, error) { panic("a mistake") }

// Whatever bytes come in, reading them ends, and gives what was understood before them.
func TestAnyInputIsReadAsFarAsItGoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tail := rapid.SliceOf(rapid.Byte()).Draw(t, "tail")
		var in hookInput
		err := in.parse(append([]byte(`{"session_id":"s","cwd":"/w","n":[1,{"a":null}],`), tail...))
		if in.Session == "" && in.Dir == "" {
			t.Fatalf("%+v, %v", in, err)
		}
	})
	var in hookInput
	if err := in.parse([]byte(`{"session_id":"s","cwd":"/w","prompt":"and`)); err == nil || in.Session != "s" || in.Dir != "/w" {
		t.Errorf("%+v, %v", in, err)
	}
}

// A piece of a transcript of Codex ends where a turn begins; of Claude Code at any line.
func TestPiecesOfTranscripts(t *testing.T) {
	const turn = `{"timestamp":"2026-03-02T09:00:00Z","type":"turn_context","payload":{}}` + "\n"
	const said = `{"timestamp":"2026-03-02T09:00:00Z","type":"event_msg","payload":{"message":"\"type\":\"turn_context\""}}` + "\n"
	for name, test := range map[string]struct {
		file, text string
		room       int
		done       int
		last       bool
	}{
		"all of it":               {"a.jsonl", said + said, 1000, 2 * len(said), true},
		"half a line waits":       {"a.jsonl", said + said[:20], 1000, len(said), true},
		"as many lines as fit":    {"a.jsonl", said + said + said, 2*len(said) + 10, 2 * len(said), false},
		"a line that does not":    {"a.jsonl", said + said, 10, len(said), false},
		"the last turn again":     {"rollout-a.jsonl", said + turn + said + turn + said, 1000, 2*len(said) + len(turn), true},
		"no turn yet":             {"rollout-a.jsonl", said + said, 1000, 0, true},
		"up to a turn":            {"rollout-a.jsonl", said + turn + said + turn + said, 2*len(said) + 2*len(turn) + 1, 2*len(said) + len(turn), false},
		"more, to come to a turn": {"rollout-a.jsonl", said + said + said + turn + said + said, len(said) + 1, 3 * len(said), false},
	} {
		file := filepath.Join(t.TempDir(), test.file)
		if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		tr, err := openTranscript(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := tr.read(int64(test.room))
		if err != nil || p.done != test.done || p.last != test.last || !strings.HasSuffix(string(p.text), "\n") {
			t.Errorf("%s: done %d last %v (%v), want %d %v\n%s", name, p.done, p.last, err, test.done, test.last, p.text)
		}
		tr.f.Close()
	}
}

func TestAnEventOfTwoValuesIsStillAnEvent(t *testing.T) {
	h := &hook{a: &app{in: strings.NewReader(`{"session_id":"s"} trailing`)}}
	h.ran = true
	if in, err := h.input(); err != nil || in.Session != "s" {
		t.Errorf("%+v, %v", in, err)
	}
	h = &hook{a: &app{in: io.MultiReader(strings.NewReader(`{"session_id":"s"`), broken{})}}
	if _, err := h.input(); err == nil || !strings.Contains(err.Error(), "read the input") {
		t.Error(err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }
