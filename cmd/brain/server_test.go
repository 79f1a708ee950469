package main

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"brain/llm/llmtest"
)

// modelServer is the fake Ollama server of one script.
type modelServer struct {
	t     *testing.T
	s     *llmtest.Server
	texts int // embedded when `embedded` last counted
}

func (m *modelServer) count() (texts int) {
	for _, r := range m.s.Requests() {
		texts += len(r.Texts)
	}
	return texts
}

// serverCmd starts the script's server and names it in the environment, or changes what
// is wrong with it: modelserver '{"MaxBatch":2}'
func serverCmd(ts *testscript.TestScript, neg bool, args []string) {
	var f llmtest.Faults
	if neg || len(args) > 1 {
		ts.Fatalf("usage: modelserver [FAULTS as JSON]")
	}
	if len(args) == 1 {
		ts.Check(json.Unmarshal([]byte(args[0]), &f))
	}
	m := ts.Value(modelServer{}).(*modelServer)
	if m.s != nil {
		m.s.Set(f)
		return
	}
	m.s = llmtest.NewServer(m.t, f)
	ts.Setenv("BRAIN_EMBEDDER", "ollama")
	ts.Setenv("BRAIN_EMBEDDING_MODEL", llmtest.Model)
	ts.Setenv("BRAIN_EMBEDDING_URL", m.s.URL)
	ts.Setenv("BRAIN_EMBEDDING_RETRIES", "0")
}

// embeddedCmd demands how many texts the server was asked for since it was last counted:
// embedded 0
func embeddedCmd(ts *testscript.TestScript, neg bool, args []string) {
	want := -1
	if len(args) == 1 {
		want, _ = strconv.Atoi(args[0])
	}
	m := ts.Value(modelServer{}).(*modelServer)
	if neg || want < 0 || m.s == nil {
		ts.Fatalf("usage: embedded N, after modelserver")
	}
	got := m.count() - m.texts
	m.texts += got
	if got != want {
		ts.Fatalf("the server was asked for %d texts, want %d", got, want)
	}
}
