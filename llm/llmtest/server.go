package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Model is the model that a Server has unless told otherwise; its full name is
// Model + ":latest", as the real server lists it.
const Model = "fake"

// Digest is what a Server lists as the digest of Model.
const Digest = "5b1f3a9e7c2d4860a1b2c3d4e5f60718293a4b5c6d7e8f900112233445566778"

// Faults are a Server's settings: what it serves, and what it does wrong. The zero
// value is a healthy server.
type Faults struct {
	Models        map[string]string // full name → digest; nil: Model with Digest
	Dims          int               // length of a vector; 0: 64
	ContextTokens int               // longest text in tokens (see Tokens); 0: 2048
	KeepLong      bool              // never truncate, whatever the request says: too long is 400
	Key           string            // every request must carry it as bearer token, else 401

	Legacy       bool          // an old server: /api/embeddings only
	Website      bool          // no model server at all: a web page for every request
	Status       int           // answer every embedding with this status …
	Message      string        // … and this message
	MaxBatch     int           // more texts than this in a request: 400
	SingleOnly   bool          // more than one text in a request: 500
	Busy         int           // answer the next Busy embeddings with BusyStatus
	BusyStatus   int           // 0: 503
	RetryAfter   string        // sent with BusyStatus
	Cut          bool          // break the connection in the middle of the answer
	Fewer        bool          // leave out the last vector
	LoudNaN      bool          // say 400 for a bad number, as Ollama does, instead of sending it
	BadNumber    string        // send this, say "NaN" or "1e99", as a component …
	ZeroVector   bool          // … or send a zero vector …
	BadText      string        // … for texts that contain this; "": all
	Unnormalised bool          // vectors of length 7
	Delay        time.Duration // before each embedding
	HangAfter    int           // answer so many embeddings, then keep connections open in silence; 0: never hang
}

// Request is what a Server was asked.
type Request struct {
	Path  string
	Texts []string
}

// Server is a fake of an Ollama server, close enough that the client cannot tell:
// /api/version, /api/tags, /api/show, /api/embed, /api/embeddings, and the
// OpenAI-compatible /v1/embeddings that Ollama serves too. Vectors come from Hash.
// The texts and status codes of its answers are those of Ollama 0.17.
type Server struct {
	URL string

	mu       sync.Mutex
	faults   Faults
	requests []Request
	answered int
	closing  chan struct{}
}

// NewServer starts a server that stops with the test.
func NewServer(t testing.TB, faults Faults) *Server {
	s := &Server{faults: faults, closing: make(chan struct{})}
	web := httptest.NewServer(s)
	s.URL = web.URL
	t.Cleanup(func() {
		close(s.closing)
		web.Close()
	})
	return s
}

// Set changes the faults from the next request on.
func (s *Server) Set(faults Faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults, s.answered = faults, 0
}

// Requests returns the embedding requests so far, refused ones included.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Tokens is how a Server counts: four bytes of ASCII or one other character a token.
func Tokens(text string) int {
	ascii, other := 0, 0
	for _, r := range text {
		if r < 0x80 {
			ascii++
		} else {
			other++
		}
	}
	return (ascii+3)/4 + other
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	f := s.faults
	s.mu.Unlock()
	switch {
	case f.Website:
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!doctype html><title>It works</title>")
		return
	case f.Key != "" && r.Header.Get("Authorization") != "Bearer "+f.Key:
		fail(w, r, http.StatusUnauthorized, "unauthorized")
		return
	}
	switch route := r.Method + " " + r.URL.Path; {
	case r.URL.Path == "/":
		io.WriteString(w, "Ollama is running")
	case route == "GET /api/version":
		answer(w, map[string]any{"version": "0.17.4"})
	case route == "GET /api/tags":
		answer(w, map[string]any{"models": f.list()})
	case route == "POST /api/show":
		f.show(w, r)
	case route == "POST /api/embed" && !f.Legacy, route == "POST /api/embeddings", route == "POST /v1/embeddings" && !f.Legacy:
		s.embed(w, r, f)
	default:
		http.Error(w, "404 page not found", http.StatusNotFound)
	}
}

func (f Faults) models() map[string]string {
	if f.Models == nil {
		return map[string]string{Model + ":latest": Digest}
	}
	return f.Models
}

func (f Faults) has(model string) bool {
	if !strings.Contains(model, ":") {
		model += ":latest"
	}
	_, ok := f.models()[model]
	return ok
}

func (f Faults) list() []map[string]any {
	list := []map[string]any{}
	for name, digest := range f.models() {
		list = append(list, map[string]any{
			"name": name, "model": name, "modified_at": "2026-01-02T03:04:05Z", "size": 431000, "digest": digest,
			"details": map[string]any{"parent_model": "", "format": "gguf", "family": "bert", "families": []string{"bert"},
				"parameter_size": "100K", "quantization_level": "F32"},
		})
	}
	return list
}

func (f Faults) context() int {
	if f.ContextTokens == 0 {
		return 2048
	}
	return f.ContextTokens
}

func (f Faults) show(w http.ResponseWriter, r *http.Request) {
	var ask struct{ Model string }
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
		fail(w, r, http.StatusBadRequest, err.Error())
		return
	}
	if !f.has(ask.Model) {
		fail(w, r, http.StatusNotFound, fmt.Sprintf("model '%s' not found", ask.Model))
		return
	}
	answer(w, map[string]any{"model_info": map[string]any{"general.architecture": "bert", "bert.context_length": f.context()}})
}

// question holds the fields of all three forms of request.
type question struct {
	Model      string
	Input      any
	Prompt     string
	Truncate   *bool
	Dimensions int
}

func (q question) texts(path string) ([]string, error) {
	if path == "/api/embeddings" {
		return []string{q.Prompt}, nil
	}
	switch input := q.Input.(type) {
	case nil:
		return nil, nil
	case string:
		if input == "" {
			return nil, nil
		}
		return []string{input}, nil
	case []any:
		var texts []string
		for _, element := range input {
			text, ok := element.(string)
			if !ok {
				return nil, fmt.Errorf("invalid input type")
			}
			texts = append(texts, text)
		}
		return texts, nil
	}
	return nil, fmt.Errorf("invalid input type")
}

func (s *Server) embed(w http.ResponseWriter, r *http.Request, f Faults) {
	var q question
	switch err := json.NewDecoder(r.Body).Decode(&q); {
	case err == io.EOF:
		fail(w, r, http.StatusBadRequest, "missing request body")
		return
	case err != nil:
		fail(w, r, http.StatusBadRequest, err.Error())
		return
	}
	texts, err := q.texts(r.URL.Path)
	if err != nil {
		fail(w, r, http.StatusBadRequest, err.Error())
		return
	}
	if s.disturbed(w, r, f, texts) {
		return
	}
	if status, message := f.refuse(q, texts); status != 0 {
		fail(w, r, status, message)
		return
	}
	s.reply(w, r, f, q, texts)
}

// disturbed notes the request and plays the faults that do not look at its content.
func (s *Server) disturbed(w http.ResponseWriter, r *http.Request, f Faults, texts []string) bool {
	s.mu.Lock()
	s.requests = append(s.requests, Request{r.URL.Path, texts})
	busy := s.faults.Busy > 0
	if busy {
		s.faults.Busy--
	}
	hang := f.HangAfter > 0 && s.answered >= f.HangAfter
	s.answered++
	s.mu.Unlock()

	pause := time.After(f.Delay)
	if hang {
		pause = nil
	}
	select {
	case <-pause:
	case <-r.Context().Done():
		return true
	case <-s.closing:
		return true
	}
	switch {
	case busy:
		if f.RetryAfter != "" {
			w.Header().Set("Retry-After", f.RetryAfter)
		}
		if f.BusyStatus == 0 {
			f.BusyStatus = http.StatusServiceUnavailable
		}
		fail(w, r, f.BusyStatus, "server busy, please try again.  maximum pending requests exceeded")
	case f.Status != 0:
		fail(w, r, f.Status, f.Message)
	default:
		return false
	}
	return true
}

// refuse returns the status of a refusal of the content, or 0.
func (f Faults) refuse(q question, texts []string) (int, string) {
	switch {
	case q.Model == "":
		return http.StatusInternalServerError, `unqualified name: registry/library/:latest`
	case !f.has(q.Model):
		return http.StatusNotFound, fmt.Sprintf("model %q not found, try pulling it first", q.Model)
	case f.MaxBatch > 0 && len(texts) > f.MaxBatch:
		return http.StatusBadRequest, fmt.Sprintf("batch of %d exceeds the maximum of %d", len(texts), f.MaxBatch)
	case f.SingleOnly && len(texts) > 1:
		return http.StatusInternalServerError, "failed to decode batch"
	}
	for _, text := range texts {
		if Tokens(text) > f.context() && (f.KeepLong || q.Truncate != nil && !*q.Truncate) {
			return http.StatusBadRequest, "the input length exceeds the context length"
		}
		if f.LoudNaN && strings.Contains(text, f.BadText) {
			return http.StatusBadRequest, "embedding contains NaN or Inf values"
		}
	}
	return 0, ""
}

func (s *Server) reply(w http.ResponseWriter, r *http.Request, f Faults, q question, texts []string) {
	vectors := make([]json.RawMessage, 0, len(texts))
	tokens := 0
	for _, text := range texts {
		vectors = append(vectors, f.vector(q, text))
		tokens += min(Tokens(text), f.context())
	}
	if f.Fewer && len(vectors) > 0 {
		vectors = vectors[:len(vectors)-1]
	}
	var body any
	switch r.URL.Path {
	case "/api/embeddings":
		var only json.RawMessage
		if len(vectors) > 0 {
			only = vectors[0]
		} else {
			only = json.RawMessage("[]")
		}
		body = map[string]any{"embedding": only}
	case "/v1/embeddings":
		list := make([]map[string]any, len(vectors))
		for i, v := range vectors {
			// The standard asks for the index only, so the last comes first here.
			list[len(list)-1-i] = map[string]any{"object": "embedding", "embedding": v, "index": i}
		}
		body = map[string]any{"object": "list", "data": list, "model": q.Model,
			"usage": map[string]int{"prompt_tokens": tokens, "total_tokens": tokens}}
	default:
		body = map[string]any{"model": q.Model, "embeddings": vectors, "total_duration": 1_000_000, "load_duration": 1000,
			"prompt_eval_count": tokens}
	}
	if f.Cut {
		cut(w, body)
		return
	}
	answer(w, body)
}

// vector returns the JSON of a text's vector. It is written by hand since a bad
// number is no valid JSON and must still get onto the wire.
func (f Faults) vector(q question, text string) json.RawMessage {
	dims := f.Dims
	if dims == 0 {
		dims = 64
	}
	scale := float32(1)
	if f.Unnormalised || q.Prompt != "" { // the old form was never normalised
		scale = 7
	}
	// A model sees at least its start token, so that no text has a zero vector.
	v := hashing{dims}.vector(text)
	if v == nil {
		v = hashing{dims}.vector("start")
	}
	if q.Dimensions > 0 && q.Dimensions < dims {
		v = v[:q.Dimensions]
	}
	bad := strings.Contains(text, f.BadText)
	parts := make([]string, len(v))
	for i, x := range v {
		if f.ZeroVector && bad {
			x = 0
		}
		parts[i] = strconv.FormatFloat(float64(x*scale), 'g', -1, 32)
	}
	if f.BadNumber != "" && bad {
		parts[0] = f.BadNumber
	}
	return json.RawMessage("[" + strings.Join(parts, ",") + "]")
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Write(encode(body))
}

// cut promises the whole answer, sends half of it, and drops the connection.
func cut(w http.ResponseWriter, body any) {
	whole := encode(body)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(whole)))
	w.Write(whole[:len(whole)/2])
	panic(http.ErrAbortHandler)
}

// encode writes JSON but lets the numbers of vectors through as they are.
func encode(body any) []byte {
	switch b := body.(type) {
	case json.RawMessage:
		return b
	case []json.RawMessage:
		parts := make([]string, len(b))
		for i, part := range b {
			parts[i] = string(part)
		}
		return []byte("[" + strings.Join(parts, ",") + "]")
	case []map[string]any:
		parts := make([]string, len(b))
		for i, part := range b {
			parts[i] = string(encode(part))
		}
		return []byte("[" + strings.Join(parts, ",") + "]")
	case map[string]any:
		parts := make([]string, 0, len(b))
		for key, value := range b {
			parts = append(parts, strconv.Quote(key)+":"+string(encode(value)))
		}
		return []byte("{" + strings.Join(parts, ",") + "}")
	}
	out, err := json.Marshal(body)
	if err != nil {
		panic(err) // only our own literals come here
	}
	return out
}

// fail writes an error in the form of the interface that was asked.
func fail(w http.ResponseWriter, r *http.Request, status int, message string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	var body any = map[string]any{"error": message}
	if strings.HasPrefix(r.URL.Path, "/v1/") {
		body = map[string]any{"error": map[string]any{"message": message, "type": "api_error", "param": nil, "code": nil}}
	}
	w.Write(encode(body))
}
