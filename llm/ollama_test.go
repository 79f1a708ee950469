package llm_test

import (
	"context"
	"errors"
	"log"
	"os"
	"strings"
	"testing"
	"time"

	"brain/llm"
	"brain/llm/llmtest"
)

func openOllama(t *testing.T, url string) llm.Embedder {
	t.Helper()
	e, err := llm.NewOllama(llm.OllamaOptions{URL: url, Model: llmtest.Model})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// quiet keeps what a server logs of our broken connections out of the test's output.
func quiet(t *testing.T) *log.Logger { return log.New(t.Output(), "server: ", 0) }

func TestOllamaFingerprintHoldsTheDigest(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.Faults{})
	e := openOllama(t, s.URL)
	if got, want := e.Info().Fingerprint, "ollama/fake@"+llmtest.Digest[:12]; got != want {
		t.Errorf("fingerprint %s, want %s", got, want)
	}
	down := openOllama(t, "127.0.0.1:1")
	if got := down.Info().Fingerprint; got != "ollama/fake" || !llm.SameSpace(got, e.Info().Fingerprint) {
		t.Errorf("fingerprint %q when the server is down", got)
	}
}

func TestOllamaFingerprintIsCompletedByEmbed(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.Faults{Website: true})
	e := openOllama(t, s.URL)
	if got := e.Info().Fingerprint; got != "ollama/fake" {
		t.Errorf("fingerprint %q before the server is there", got)
	}
	s.Set(llmtest.Faults{})
	if _, err := e.Embed(t.Context(), []string{"text"}); err != nil {
		t.Fatal(err)
	}
	if got, want := e.Info().Fingerprint, "ollama/fake@"+llmtest.Digest[:12]; got != want {
		t.Errorf("fingerprint %s, want %s", got, want)
	}
}

func TestOllamaSeesAnotherModelUnderTheName(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.Faults{})
	e := openOllama(t, s.URL)
	if _, err := e.Embed(t.Context(), []string{"text"}); err != nil {
		t.Fatal(err)
	}
	before := e.Info()
	s.Set(llmtest.Faults{Dims: 32, Models: map[string]string{"fake:latest": "00ff00ff00ff00ff"}})
	if _, err := e.Embed(t.Context(), []string{"text"}); !errors.Is(err, llm.BadVector) {
		t.Errorf("error %v, want one for the changed size", err)
	}
	after := e.Info()
	if llm.SameSpace(before.Fingerprint, after.Fingerprint) || after.Dims != 0 {
		t.Errorf("before %+v, after %+v", before, after)
	}
	if v, err := e.Embed(t.Context(), []string{"text"}); err != nil || len(v[0]) != 32 {
		t.Errorf("%d components of the new model, error %v", len(v[0]), err)
	}
}

func TestOllamaNamesThePull(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.Faults{})
	e, err := llm.NewOllama(llm.OllamaOptions{URL: s.URL, Model: "nomic-embed-text"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Embed(t.Context(), []string{"text"})
	got := checkError(t, err, llm.ModelMissing, "ollama pull nomic-embed-text")
	if got.Hint != "ollama pull nomic-embed-text" {
		t.Errorf("hint %q", got.Hint)
	}
}

func TestOldOllamaIsAskedInItsWay(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.Faults{Legacy: true})
	texts := numbered(70)
	vectors, err := openOllama(t, s.URL).Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	checkVectors(t, vectors, texts)
	for i, r := range s.Requests() {
		if r.Path != "/api/embeddings" {
			t.Errorf("request %d went to %s", i, r.Path)
		}
	}
	if n := len(s.Requests()); n != len(texts) {
		t.Errorf("%d requests for %d texts", n, len(texts))
	}
}

func TestOllamaAddresses(t *testing.T) {
	for url, want := range map[string]string{
		"":                                 "http://127.0.0.1:11434",
		"localhost":                        "http://localhost:11434",
		"http://nas":                       "http://nas:11434",
		"nas:8080":                         "http://nas:8080",
		"0.0.0.0":                          "http://127.0.0.1:11434",
		":11434":                           "http://127.0.0.1:11434",
		"::1":                              "http://[::1]:11434",
		"https://models.example":           "https://models.example",
		"https://me:secret@models.example": "https://models.example",
		"http://127.0.0.1:9/api/":          "http://127.0.0.1:9",
	} {
		e, err := llm.NewOllama(llm.OllamaOptions{URL: url, Model: "m"})
		if err != nil {
			t.Errorf("%q: %v", url, err)
			continue
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // the address is all that is wanted
		_, err = e.Embed(ctx, []string{"text"})
		var got *llm.Error
		if !errors.As(err, &got) || got.Server != want {
			t.Errorf("%q: the address is %v, want %s", url, err, want)
		}
	}
}

// A real server, when one is named: BRAIN_TEST_OLLAMA is its address,
// BRAIN_TEST_OLLAMA_MODEL an embedding model that it has ("all-minilm" unless given).
func TestRealOllama(t *testing.T) {
	url, model := os.Getenv("BRAIN_TEST_OLLAMA"), os.Getenv("BRAIN_TEST_OLLAMA_MODEL")
	if url == "" {
		t.Skip("set BRAIN_TEST_OLLAMA to the address of an Ollama server to test against it")
	}
	if model == "" {
		model = "all-minilm"
	}
	open := func() llm.Embedder {
		e, err := llm.NewOllama(llm.OllamaOptions{URL: url, Model: model, Retries: 2, Timeout: 2 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	llmtest.TestEmbedder(t, open)
	if f := open().Info().Fingerprint; !strings.Contains(f, "@") {
		t.Errorf("fingerprint %s has no digest", f)
	}
	missing, err := llm.NewOllama(llm.OllamaOptions{URL: url, Model: "no-such-model"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = missing.Embed(t.Context(), []string{"text"})
	checkError(t, err, llm.ModelMissing, "ollama pull no-such-model")
}
