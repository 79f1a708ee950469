package llmtest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"brain/llm"
	"brain/llm/llmtest"
)

func TestHashKeepsTheContract(t *testing.T) {
	for _, dims := range []int{8, 64, 300} {
		llmtest.TestEmbedder(t, func() llm.Embedder { return llmtest.Hash(dims) })
	}
}

func TestScriptedKeepsTheContract(t *testing.T) {
	llmtest.TestCompleter(t, func(t *testing.T, chat *llmtest.Chat, o llm.ServerOptions) llm.Completer { return chat.Completer(o) })
}

func TestHashFavoursSharedWords(t *testing.T) {
	v, err := llmtest.Hash(256).Embed(t.Context(), []string{
		"the billing database moved", "Billing: database!", "a cat on a mat", "数据库迁移", "迁移"})
	if err != nil {
		t.Fatal(err)
	}
	if near, far := dot(v[0], v[1]), dot(v[0], v[2]); near < 0.5 || far > 0.3 {
		t.Errorf("shared words %v, no shared word %v", near, far)
	}
	if near := dot(v[3], v[4]); near < 0.5 {
		t.Errorf("shared Han characters %v", near)
	}
}

func TestWrappers(t *testing.T) {
	counter := llmtest.Counting(llmtest.Hash(8))
	slow := llmtest.Slow(counter, time.Millisecond)
	if _, err := slow.Embed(t.Context(), []string{"a", "b"}); err != nil {
		t.Fatal(err)
	}
	if counter.Calls() != 1 || counter.Texts() != 2 || !slow.Info().Remote {
		t.Errorf("%d calls, %d texts, remote %v", counter.Calls(), counter.Texts(), slow.Info().Remote)
	}

	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	v, err := llmtest.Slow(counter, time.Hour).Embed(ctx, []string{"a"})
	if len(v) != 1 || v[0] != nil || !errors.Is(err, llm.Timeout) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("slow past the deadline: %v, %v", v, err)
	}

	broken := llmtest.Broken(counter, func(text string) error {
		if text == "bad" {
			return &llm.Error{Class: llm.BadVector}
		}
		return nil
	})
	v, err = broken.Embed(t.Context(), []string{"good", "bad", "fine"})
	if v[0] == nil || v[1] != nil || v[2] == nil || !errors.Is(err, llm.BadVector) {
		t.Errorf("broken: %v, %v", v, err)
	}
}

func dot(a, b []float32) (sum float32) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// The answers of a real server, request by request.
func TestServerAnswersAsOllama(t *testing.T) {
	s := llmtest.NewServer(t, llmtest.Faults{ContextTokens: 4, Dims: 2})
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/", "", 200, "Ollama is running"},
		{"GET", "/api/version", "", 200, `{"version":"`},
		{"GET", "/api/tags", "", 200, `"name":"fake:latest"`},
		{"GET", "/api/tags", "", 200, `"digest":"` + llmtest.Digest},
		{"POST", "/api/embed", `{"model":"fake","input":"one"}`, 200, `"embeddings":[[`},
		{"POST", "/api/embed", `{"model":"fake:latest","input":["one","two"]}`, 200, `],[`},
		{"POST", "/api/embed", `{"model":"fake","input":"one"}`, 200, `"model":"fake"`},
		{"POST", "/api/embed", `{"model":"fake","input":""}`, 200, `"embeddings":[]`},
		{"POST", "/api/embed", `{"model":"fake"}`, 200, `"embeddings":[]`},
		{"POST", "/api/embed", `{"model":"fake","input":"far too long a text"}`, 200, `"embeddings":[[`},
		{"POST", "/api/embed", `{"model":"fake","truncate":false,"input":"far too long a text"}`, 400, `{"error":"the input length exceeds the context length"}`},
		{"POST", "/api/embed", `{"model":"nope","input":"x"}`, 404, `{"error":"model \"nope\" not found, try pulling it first"}`},
		{"POST", "/api/embed", `{"model":"fake","input":["x",1]}`, 400, `{"error":"invalid input type"}`},
		{"POST", "/api/embed", ``, 400, `{"error":"missing request body"}`},
		{"POST", "/api/embed", `{"model"`, 400, `{"error":"`},
		{"POST", "/api/embed", `{"input":"x"}`, 500, `{"error":"unqualified name`},
		{"POST", "/api/embeddings", `{"model":"fake","prompt":"one"}`, 200, `{"embedding":[`},
		{"POST", "/api/show", `{"model":"fake"}`, 200, `"bert.context_length":4`},
		{"POST", "/v1/embeddings", `{"model":"fake","input":["one","two"]}`, 200, `"index":1`},
		{"POST", "/v1/embeddings", `{"model":"nope","input":["one"]}`, 404, `{"error":{`},
		{"POST", "/api/unknown", `{}`, 404, "404 page not found"},
	} {
		if status, body := ask(t, s.URL, c.method, c.path, c.body); status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %s %s: %d %s; want %d with %s", c.method, c.path, c.body, status, body, c.status, c.want)
		}
	}
}

func ask(t *testing.T, base, method, path, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

func request(text string) llm.Request { return llm.Request{User: text} }
