package llm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"brain/llm"
	"brain/llm/llmtest"
)

// providers are the two clients; every test of this file holds for both, against the
// same server, which speaks both languages.
var providers = []struct {
	name string
	open func(llm.ServerOptions) (llm.Embedder, error)
}{
	{"ollama", func(o llm.ServerOptions) (llm.Embedder, error) { return llm.NewOllama(llm.OllamaOptions(o)) }},
	{"openai", func(o llm.ServerOptions) (llm.Embedder, error) { return llm.NewOpenAI(llm.OpenAIOptions(o)) }},
}

// each runs test for both providers with a fresh server.
func each(t *testing.T, faults llmtest.Faults, test func(t *testing.T, s *llmtest.Server, open func(llm.ServerOptions) llm.Embedder)) {
	for _, p := range providers {
		t.Run(p.name, func(t *testing.T) {
			s := llmtest.NewServer(t, faults)
			test(t, s, func(o llm.ServerOptions) llm.Embedder {
				if o.URL == "" {
					o.URL = s.URL
				}
				if o.Model == "" {
					o.Model = llmtest.Model
				}
				if o.Backoff == 0 {
					o.Backoff = time.Millisecond
				}
				e, err := p.open(o)
				if err != nil {
					t.Fatal(err)
				}
				return e
			})
		})
	}
}

// numbered returns n different texts.
func numbered(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("text number%d", i)
	}
	return texts
}

// checkVectors compares with what the fake's model says of each text; "" expects none.
func checkVectors(t *testing.T, got [][]float32, texts []string) {
	t.Helper()
	if len(got) != len(texts) {
		t.Fatalf("%d places for %d texts", len(got), len(texts))
	}
	want, err := llmtest.Hash(64).Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if !slices.EqualFunc(got[i], want[i], func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-5 }) {
			t.Fatalf("text %d %q has the wrong vector", i, texts[i])
		}
	}
}

// without returns texts with the places in which drop holds set to "".
func without(texts []string, drop func(string) bool) []string {
	out := slices.Clone(texts)
	for i, text := range out {
		if drop(text) {
			out[i] = ""
		}
	}
	return out
}

func sizes(s *llmtest.Server) (n []int) {
	for _, r := range s.Requests() {
		n = append(n, len(r.Texts))
	}
	return n
}

func TestServersKeepTheContract(t *testing.T) {
	for name, faults := range map[string]llmtest.Faults{
		"healthy":             {},
		"takes 32":            {MaxBatch: 32},
		"one by one":          {SingleOnly: true},
		"short context":       {ContextTokens: 256, KeepLong: true},
		"vectors of length 7": {Unnormalised: true},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, faults, func(t *testing.T, s *llmtest.Server, open func(llm.ServerOptions) llm.Embedder) {
				llmtest.TestEmbedder(t, func() llm.Embedder { return open(llm.ServerOptions{}) })
			})
		})
	}
	t.Run("old ollama", func(t *testing.T) {
		s := llmtest.NewServer(t, llmtest.Faults{Legacy: true})
		llmtest.TestEmbedder(t, func() llm.Embedder {
			e, err := llm.NewOllama(llm.OllamaOptions{URL: s.URL, Model: llmtest.Model})
			if err != nil {
				t.Fatal(err)
			}
			return e
		})
	})
}

func TestFailuresAreToldApart(t *testing.T) {
	for name, c := range map[string]struct {
		faults  llmtest.Faults
		options llm.ServerOptions
		class   llm.Class
		message string // in the message
	}{
		"website":            {faults: llmtest.Faults{Website: true}, class: llm.NotAServer, message: "It works"},
		"401":                {faults: llmtest.Faults{Key: "right"}, options: llm.ServerOptions{Key: "wrong"}, class: llm.Unauthorized, message: "401"},
		"403":                {faults: llmtest.Faults{Status: 403, Message: "no"}, class: llm.Unauthorized, message: "403"},
		"no model":           {options: llm.ServerOptions{Model: "nope"}, class: llm.ModelMissing, message: `"nope" not found`},
		"400":                {faults: llmtest.Faults{Status: 400, Message: "odd"}, class: llm.Refused, message: "odd"},
		"500":                {faults: llmtest.Faults{Status: 500, Message: "out of memory"}, class: llm.ServerFault, message: "out of memory"},
		"429":                {faults: llmtest.Faults{Status: 429, Message: "slow down"}, class: llm.Overloaded, message: "slow down"},
		"503":                {faults: llmtest.Faults{Status: 503, Message: "busy"}, class: llm.Overloaded, message: "busy"},
		"cut":                {faults: llmtest.Faults{Cut: true}, class: llm.Protocol, message: "EOF"},
		"fewer":              {faults: llmtest.Faults{Fewer: true}, class: llm.Protocol, message: "0 vectors for 1 texts"},
		"NaN":                {faults: llmtest.Faults{BadNumber: "NaN"}, class: llm.BadVector, message: "'N'"},
		"-Infinity":          {faults: llmtest.Faults{BadNumber: "-Infinity"}, class: llm.BadVector},
		"too large a number": {faults: llmtest.Faults{BadNumber: "1e99"}, class: llm.BadVector},
		"NaN, told":          {faults: llmtest.Faults{LoudNaN: true}, class: llm.BadVector, message: "NaN"},
		"zero vector":        {faults: llmtest.Faults{ZeroVector: true}, class: llm.BadVector, message: "zero"},
		"too long":           {faults: llmtest.Faults{Status: 400, Message: "the input length exceeds the context length"}, class: llm.TooLong, message: "context length"},
		"too long by 413":    {faults: llmtest.Faults{Status: 413, Message: "must have less than 512 tokens. Given: 600"}, class: llm.TooLong, message: "512"},
		"silence":            {faults: llmtest.Faults{Delay: time.Hour}, options: llm.ServerOptions{Timeout: 30 * time.Millisecond}, class: llm.Timeout, message: "30ms"},
		"dimensions ignored": {faults: llmtest.Faults{Dims: 16}, options: llm.ServerOptions{Dims: 32}, class: llm.BadVector, message: "16 components"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, c.faults, func(t *testing.T, s *llmtest.Server, open func(llm.ServerOptions) llm.Embedder) {
				_, err := open(c.options).Embed(t.Context(), []string{"one single text"})
				checkError(t, err, c.class, c.message)
			})
		})
	}
}

func checkError(t *testing.T, err error, class llm.Class, message string) *llm.Error {
	t.Helper()
	var e *llm.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v, want an *llm.Error", err)
	}
	if e.Class != class || !errors.Is(err, class) {
		t.Errorf("class %q, want %q; the error is: %v", e.Class, class, err)
	}
	if !strings.Contains(err.Error(), message) || strings.Contains(err.Error(), "\n") {
		t.Errorf("message %q, want one line with %q", err, message)
	}
	if e.Hint == "" || e.Server == "" || e.Model == "" {
		t.Errorf("%v: hint %q, server %q, model %q; none may be empty", err, e.Hint, e.Server, e.Model)
	}
	return e
}

func TestUnreachableServers(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	secure := httptest.NewTLSServer(llmtest.NewServer(t, llmtest.Faults{}))
	secure.Config.ErrorLog = quiet(t)
	t.Cleanup(secure.Close)
	greeter := greets(t, "SSH-2.0-OpenSSH_9.6\r\n")
	plain := llmtest.NewServer(t, llmtest.Faults{})

	for name, c := range map[string]struct {
		url   string
		class llm.Class
	}{
		"nobody listens":       {"http://" + closed.Addr().String(), llm.Down},
		"no such host":         {"http://host.invalid:1", llm.Down},
		"another protocol":     {"http://" + greeter, llm.NotAServer},
		"unknown certificate":  {secure.URL, llm.TLS},
		"http to https":        {"http" + strings.TrimPrefix(secure.URL, "https"), llm.TLS},
		"https to http":        {"https" + strings.TrimPrefix(plain.URL, "http"), llm.TLS},
		"https to a greeter":   {"https://" + greeter, llm.TLS},
		"path that is not one": {plain.URL + "/elsewhere", llm.NotAServer},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, llmtest.Faults{}, func(t *testing.T, _ *llmtest.Server, open func(llm.ServerOptions) llm.Embedder) {
				vectors, err := open(llm.ServerOptions{URL: c.url}).Embed(t.Context(), numbered(3))
				checkError(t, err, c.class, "")
				if len(vectors) != 3 {
					t.Errorf("%d places for 3 texts", len(vectors))
				}
			})
		})
	}
}

// greets starts a server that speaks first, as SSH does.
func greets(t *testing.T, greeting string) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			fmt.Fprint(conn, greeting)
			conn.Close()
		}
	}()
	return l.Addr().String()
}

// Who is refused for ever does not ask again (I09).
func TestUnusableServerIsAskedOnce(t *testing.T) {
	for _, status := range []int{401, 403} {
		each(t, llmtest.Faults{Status: status}, func(t *testing.T, s *llmtest.Server, open func(llm.ServerOptions) llm.Embedder) {
			if _, err := open(llm.ServerOptions{Retries: 5}).Embed(t.Context(), numbered(200)); err == nil {
				t.Error("no error")
			}
			if n := len(s.Requests()); n != 1 {
				t.Errorf("status %d: %d requests, want 1", status, n)
			}
		})
	}
}

func TestBrokenServerIsLeftAlone(t *testing.T) {
	each(t, llmtest.Faults{Status: 500}, func(t *testing.T, s *llmtest.Server, open func(llm.ServerOptions) llm.Embedder) {
		if _, err := open(llm.ServerOptions{}).Embed(t.Context(), numbered(1000)); !errors.Is(err, llm.ServerFault) {
			t.Error(err)
		}
		if n := len(s.Requests()); n > 12 {
			t.Errorf("%d requests to a server that only fails", n)
		}
	})
}

// As often as is allowed, and never where no retry is (A15, I09).
func TestBusyServerIsAskedAgain(t *testing.T) {
	for _, c := range []struct {
		busy, retries int
		class         llm.Class
	}{{1, 1, ""}, {2, 2, ""}, {1, 0, llm.Overloaded}, {3, 2, llm.Overloaded}} {
		for _, status := range []int{429, 503} {
			each(t, llmtest.Faults{Busy: c.busy, BusyStatus: status}, func(t *testing.T, s *llmtest.Server, open func(llm.ServerOptions) llm.Embedder) {
				_, err := open(llm.ServerOptions{Retries: c.retries}).Embed(t.Context(), numbered(5))
				if c.class == "" && err != nil || c.class != "" && !errors.Is(err, c.class) {
					t.Errorf("busy %d times, %d retries: %v", c.busy, c.retries, err)
				}
				if n, want := len(s.Requests()), min(c.busy, c.retries)+1; n != want {
					t.Errorf("busy %d times, %d retries: %d requests, want %d", c.busy, c.retries, n, want)
				}
			})
		}
	}
}

func TestPauseEndsWithTheContext(t *testing.T) {
	each(t, llmtest.Faults{Busy: 1, RetryAfter: "20"}, func(t *testing.T, s *llmtest.Server, open func(llm.ServerOptions) llm.Embedder) {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		_, err := open(llm.ServerOptions{Retries: 1}).Embed(ctx, numbered(1))
		if !errors.Is(err, llm.Timeout) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the deadline's", err)
		}
		if n := len(s.Requests()); n != 1 {
			t.Errorf("%d requests: the pause that the server asked for was cut short", n)
		}
	})
}

// A server that takes 32 texts at most (I06).
func TestBatchLimitIsLearned(t *testing.T) {
	each(t, llmtest.Faults{MaxBatch: 32}, func(t *testing.T, s *llmtest.Server, open func(llm.ServerOptions) llm.Embedder) {
		texts := numbered(64 * 32)
		vectors, err := open(llm.ServerOptions{}).Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		checkVectors(t, vectors, texts)
		refused, small := 0, 0
		for _, n := range sizes(s) {
			if n > 32 {
				refused++
			}
			if n < 32 {
				small++
			}
		}
		if refused < 2 || refused > 5 || small > 0 {
			t.Errorf("%d batches too large, %d too small: %v", refused, small, sizes(s))
		}
	})
}

// One that fails for several at once is asked for more again when it is well (I02).
func TestBatchSizeRecovers(t *testing.T) {
	each(t, llmtest.Faults{SingleOnly: true}, func(t *testing.T, s *llmtest.Server, open func(llm.ServerOptions) llm.Embedder) {
		e := open(llm.ServerOptions{MaxBatch: 16})
		texts := numbered(20)
		vectors, err := e.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		checkVectors(t, vectors, texts)
		s.Set(llmtest.Faults{})
		texts = numbered(2000)
		if vectors, err = e.Embed(t.Context(), texts); err != nil {
			t.Fatal(err)
		}
		checkVectors(t, vectors, texts)
		if n := sizes(s); !slices.Contains(n, 16) || n[len(n)-2] != 16 {
			t.Errorf("batches stay small after the server recovered: %v", n)
		}
	})
}

func TestBadTextCostsItsOwnVectorOnly(t *testing.T) {
	for name, c := range map[string]struct {
		faults llmtest.Faults
		class  llm.Class
	}{
		"NaN":       {llmtest.Faults{BadNumber: "NaN", BadText: "number37"}, llm.BadVector},
		"NaN, told": {llmtest.Faults{LoudNaN: true, BadText: "number37"}, llm.BadVector},
		"zero":      {llmtest.Faults{ZeroVector: true, BadText: "number37"}, llm.BadVector},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, c.faults, func(t *testing.T, s *llmtest.Server, open func(llm.ServerOptions) llm.Embedder) {
				texts := numbered(100)
				vectors, err := open(llm.ServerOptions{}).Embed(t.Context(), texts)
				checkError(t, err, c.class, "")
				checkVectors(t, vectors, without(texts, func(text string) bool { return strings.HasSuffix(text, "number37") }))
			})
		})
	}
}

// Of a text that is too long only its pieces are asked for (I01).
func TestLongTextIsEmbeddedInPieces(t *testing.T) {
	each(t, llmtest.Faults{ContextTokens: 64, KeepLong: true}, func(t *testing.T, s *llmtest.Server, open func(llm.ServerOptions) llm.Embedder) {
		texts := numbered(30)
		long := strings.Repeat("alpha beta ", 40) + strings.Repeat("数据库迁移", 40)
		vectors, err := open(llm.ServerOptions{}).Embed(t.Context(), append(texts[:20:20], append([]string{long}, texts[20:]...)...))
		if err != nil {
			t.Fatal(err)
		}
		checkVectors(t, append(vectors[:20:20], vectors[21:]...), texts)
		parts, err := llmtest.Hash(64).Embed(t.Context(), []string{"alpha beta", "数据库迁移"})
		if err != nil {
			t.Fatal(err)
		}
		if a, b := dot(vectors[20], parts[0]), dot(vectors[20], parts[1]); a < 0.3 || b < 0.3 {
			t.Errorf("the long text is near its beginning by %.2f, near its end by %.2f", a, b)
		}
	})
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// What the model takes is in the message (I01).
func TestTextTooLongForHalvingNamesTheLimit(t *testing.T) {
	each(t, llmtest.Faults{ContextTokens: 4, KeepLong: true}, func(t *testing.T, s *llmtest.Server, open func(llm.ServerOptions) llm.Embedder) {
		e := open(llm.ServerOptions{})
		texts := []string{"short", strings.Repeat("long ", 40), "fine"}
		vectors, err := e.Embed(t.Context(), texts)
		message := "even a piece of"
		if strings.HasPrefix(e.Info().Fingerprint, "ollama") {
			message = "it takes 4 tokens"
		}
		checkError(t, err, llm.TooLong, message)
		checkVectors(t, vectors, []string{"short", "", "fine"})
	})
}

// A server that falls silent after two answers: a timeout, and both are kept (I03, I04).
func TestWorkDoneIsKept(t *testing.T) {
	each(t, llmtest.Faults{HangAfter: 2}, func(t *testing.T, s *llmtest.Server, open func(llm.ServerOptions) llm.Embedder) {
		texts := numbered(40)
		want := slices.Concat(texts[:20], make([]string, 20))
		vectors, err := open(llm.ServerOptions{MaxBatch: 10, Timeout: 500 * time.Millisecond}).Embed(t.Context(), texts)
		checkError(t, err, llm.Timeout, "no whole answer for 10 texts within 500ms")
		checkVectors(t, vectors, want)
	})
}

func TestVectorSizeMayNotChange(t *testing.T) {
	each(t, llmtest.Faults{}, func(t *testing.T, s *llmtest.Server, open func(llm.ServerOptions) llm.Embedder) {
		e := open(llm.ServerOptions{})
		if e.Info().Dims != 0 {
			t.Errorf("%d dimensions before any answer", e.Info().Dims)
		}
		if _, err := e.Embed(t.Context(), numbered(2)); err != nil || e.Info().Dims != 64 {
			t.Fatalf("%d dimensions learned, error %v", e.Info().Dims, err)
		}
		s.Set(llmtest.Faults{Dims: 32})
		vectors, err := e.Embed(t.Context(), numbered(3))
		checkError(t, err, llm.BadVector, "32 components, 64 before")
		for i, v := range vectors {
			if v != nil {
				t.Errorf("text %d has a vector of the other size", i)
			}
		}
	})
}

func TestDimensionsAreAskedFor(t *testing.T) {
	each(t, llmtest.Faults{}, func(t *testing.T, s *llmtest.Server, open func(llm.ServerOptions) llm.Embedder) {
		e := open(llm.ServerOptions{Dims: 16})
		vectors, err := e.Embed(t.Context(), []string{"alpha beta gamma delta"})
		if err != nil || len(vectors[0]) != 16 || e.Info().Dims != 16 || !strings.Contains(e.Info().Fingerprint, "/16") {
			t.Errorf("%d components, %+v, %v", len(vectors[0]), e.Info(), err)
		}
	})
}

func TestKeyIsSent(t *testing.T) {
	each(t, llmtest.Faults{Key: "secret"}, func(t *testing.T, s *llmtest.Server, open func(llm.ServerOptions) llm.Embedder) {
		if _, err := open(llm.ServerOptions{Key: "secret"}).Embed(t.Context(), numbered(1)); err != nil {
			t.Error(err)
		}
	})
}

func TestBadOptions(t *testing.T) {
	for _, p := range providers {
		for _, o := range []llm.ServerOptions{
			{URL: "http://localhost"},
			{URL: "ftp://localhost", Model: "m"},
			{URL: "http://user:password@[", Model: "m"},
			{URL: "localhost", Model: "m", Timeout: -1},
			{URL: "localhost", Model: "m", Retries: -1},
			{URL: "localhost", Model: "m", Zero: 0.5, One: 0.5},
		} {
			if _, err := p.open(o); !errors.Is(err, llm.BadOption) || strings.Contains(err.Error(), "password") {
				t.Errorf("%s: %+v: error %v", p.name, o, err)
			}
		}
	}
	if _, err := llm.NewOpenAI(llm.OpenAIOptions{Model: "m"}); !errors.Is(err, llm.BadOption) {
		t.Errorf("openai without address: %v", err)
	}
}
