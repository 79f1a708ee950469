package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"brain/llm"
)

// Reply is what a Chat does with one question. Its zero value is an empty answer.
type Reply struct {
	Match string // only for a question whose system prompt or text contains this; "": any
	Times int    // how many questions it serves; 0: one, below 0: all

	Text     string // what the model says
	Thinking string // what it thinks before, in the field for it
	Reason   string // why it ended; "": "stop", or "length" when Text is longer than allowed

	Status     int    // refuse with this status …
	Message    string // … and message; "": the status in words
	RetryAfter string // sent along

	Raw    string // send this instead of an answer …
	Type   string // … or anything as this content type
	Cut    bool   // break the connection in the middle of the answer
	Undone bool   // never say that the answer is done, as a stream that ended early does
	Hang   bool   // say nothing until the client leaves
	Gate   *Gate  // wait here first
}

// Gate stops a question on its way until a test opens it.
type Gate struct{ came, open chan struct{} }

// NewGate returns a closed gate, for one question.
func NewGate() *Gate { return &Gate{make(chan struct{}), make(chan struct{})} }

// Came is closed once the question stands before the gate.
func (g *Gate) Came() <-chan struct{} { return g.came }

// Open lets it pass, now or when it comes.
func (g *Gate) Open() { close(g.open) }

// Asked is a question that a Chat was asked, refused ones included.
type Asked struct {
	Path, Model  string
	System, User string
	MaxTokens    int
	Context      int             // size of the context, of Ollama's form; 0: not said
	Form         string          // of the answer: json_schema, json_object or ""
	Schema       json.RawMessage // with json_schema
	Temperature  *float64
	Think        *bool
	Header       http.Header
}

// ChatOptions are what a Chat serves. The zero value is one healthy model.
type ChatOptions struct {
	Model   string   // ""; Model
	Window  int      // tokens that it takes; 0: 8192
	Thinks  bool     // it can think, and says so
	Key     string   // every request must carry it as bearer token, else 401
	Website bool     // no model server at all: a web page for every request
	Refuses []string // parts of a request that it takes for an error: json_schema, json_object, max_tokens, temperature, think
}

// Chat is a fake of a model that answers by a script, behind the interfaces of an Ollama
// server (/api/chat, /api/show, /api/tags, /api/version) and of OpenAI
// (/v1/chat/completions). A question gets the first reply that is left and matches it;
// where there is none, status 500 says so.
type Chat struct {
	URL string // of NewChat; a Scripted has none

	mu      sync.Mutex
	options ChatOptions
	replies []Reply
	asked   []Asked
	closing chan struct{}
}

// NewChat starts a chat server that stops with the test.
func NewChat(t testing.TB, o ChatOptions, replies ...Reply) *Chat {
	c := newChat(o, replies)
	web := httptest.NewServer(c)
	c.URL = web.URL
	t.Cleanup(func() {
		close(c.closing)
		web.Close()
	})
	return c
}

func newChat(o ChatOptions, replies []Reply) *Chat {
	if o.Model == "" {
		o.Model = Model
	}
	if o.Window == 0 {
		o.Window = 8192
	}
	return &Chat{options: o, replies: slices.Clone(replies), closing: make(chan struct{})}
}

// Set changes the script and what is served, from the next question on.
func (c *Chat) Set(o ChatOptions, replies ...Reply) {
	fresh := newChat(o, replies)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.options, c.replies = fresh.options, fresh.replies
}

// Asked returns the questions so far.
func (c *Chat) Asked() []Asked {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.asked)
}

func (c *Chat) serves() ChatOptions {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.options
}

// take notes a question and uses up its reply.
func (c *Chat) take(q Asked) (Reply, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, q)
	for i, r := range c.replies {
		if !strings.Contains(q.System, r.Match) && !strings.Contains(q.User, r.Match) {
			continue
		}
		if r.Times > 1 {
			c.replies[i].Times--
		} else if r.Times >= 0 {
			c.replies = slices.Delete(c.replies, i, i+1)
		}
		return r, true
	}
	return Reply{}, false
}

func (c *Chat) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o := c.serves()
	switch {
	case o.Website:
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!doctype html><title>It works</title>")
		return
	case o.Key != "" && r.Header.Get("Authorization") != "Bearer "+o.Key:
		fail(w, r, http.StatusUnauthorized, "unauthorized")
		return
	}
	switch route := r.Method + " " + r.URL.Path; route {
	case "GET /":
		io.WriteString(w, "Ollama is running")
	case "GET /api/version":
		answer(w, map[string]any{"version": "0.17.4"})
	case "GET /api/tags":
		answer(w, map[string]any{"models": Faults{Models: map[string]string{o.Model + ":latest": Digest}}.list()})
	case "POST /api/show":
		o.show(w, r)
	case "POST /api/chat", "POST /v1/chat/completions":
		c.chat(w, r, o)
	default:
		http.Error(w, "404 page not found", http.StatusNotFound)
	}
}

func (o ChatOptions) show(w http.ResponseWriter, r *http.Request) {
	var ask struct{ Model string }
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
		fail(w, r, http.StatusBadRequest, err.Error())
		return
	}
	if ask.Model != o.Model {
		fail(w, r, http.StatusNotFound, fmt.Sprintf("model '%s' not found", ask.Model))
		return
	}
	can := []string{"completion"}
	if o.Thinks {
		can = append(can, "thinking")
	}
	answer(w, map[string]any{"capabilities": can, "details": map[string]any{"family": "llama"},
		"model_info": map[string]any{"general.architecture": "llama", "clip.vision.context_length": 7, "llama.context_length": o.Window}})
}

func (c *Chat) chat(w http.ResponseWriter, r *http.Request, o ChatOptions) {
	q, err := readQuestion(r)
	if err != nil {
		fail(w, r, http.StatusBadRequest, err.Error())
		return
	}
	reply, scripted := c.take(q)
	if reply.Gate != nil {
		close(reply.Gate.came)
		c.wait(r, reply.Gate.open)
	}
	if reply.Hang {
		c.wait(r, nil)
		return
	}
	switch status, message := o.refuse(q); {
	case status != 0:
		fail(w, r, status, message)
	case !scripted:
		fail(w, r, http.StatusInternalServerError, "the script has no reply left for this question")
	case reply.Status != 0:
		if reply.RetryAfter != "" {
			w.Header().Set("Retry-After", reply.RetryAfter)
		}
		if reply.Message == "" {
			reply.Message = http.StatusText(reply.Status)
		}
		fail(w, r, reply.Status, reply.Message)
	default:
		reply.send(w, q)
	}
}

// wait returns when open is closed, the client leaves, or the test ends.
func (c *Chat) wait(r *http.Request, open <-chan struct{}) {
	select {
	case <-open:
	case <-r.Context().Done():
	case <-c.closing:
	}
}

// readQuestion reads both forms of a request.
func readQuestion(r *http.Request) (Asked, error) {
	var body struct {
		Model       string
		Messages    []struct{ Role, Content string }
		Stream      *bool
		Temperature *float64
		Think       *bool
		Truncate    *bool
		Format      json.RawMessage
		Options     struct {
			Temperature *float64
			NumCtx      int `json:"num_ctx"`
			NumPredict  int `json:"num_predict"`
		}
		MaxTokens           int `json:"max_tokens"`
		MaxCompletionTokens int `json:"max_completion_tokens"`
		ResponseFormat      struct {
			Type       string
			JSONSchema struct {
				Name   string
				Strict bool
				Schema json.RawMessage
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return Asked{}, err
	}
	q := Asked{Path: r.URL.Path, Model: body.Model, MaxTokens: body.MaxTokens + body.MaxCompletionTokens, Context: body.Options.NumCtx,
		Form: body.ResponseFormat.Type, Schema: body.ResponseFormat.JSONSchema.Schema, Temperature: body.Temperature, Think: body.Think,
		Header: r.Header}
	for _, m := range body.Messages {
		if m.Role == "system" {
			q.System += m.Content
		} else {
			q.User += m.Content
		}
	}
	if q.Path != "/api/chat" {
		if body.MaxCompletionTokens > 0 {
			q.Header = q.Header.Clone()
			q.Header.Set("Long-Name", "yes")
		}
		return q, nil
	}
	if body.Stream == nil || *body.Stream {
		return q, fmt.Errorf("this server sends no streams")
	}
	q.MaxTokens, q.Temperature = body.Options.NumPredict, body.Options.Temperature
	switch {
	case len(body.Format) == 0:
	case body.Format[0] == '{':
		q.Form, q.Schema = "json_schema", body.Format
	default:
		q.Form = "json_object"
	}
	if body.Truncate == nil || *body.Truncate { // in silence, from the beginning
		for body.Options.NumCtx > 0 && Tokens(q.User) > body.Options.NumCtx {
			q.User = q.User[len(q.User)/10+1:]
		}
	}
	return q, nil
}

// refuse returns the status of a refusal of the question, or 0.
func (o ChatOptions) refuse(q Asked) (int, string) {
	size := o.Window
	if q.Path == "/api/chat" {
		if size = min(q.Context, size); size == 0 {
			size = 4096
		}
	}
	refuses := func(name string, used bool) bool { return used && slices.Contains(o.Refuses, name) }
	long := q.Header.Get("Long-Name") != ""
	switch {
	case q.Model != o.Model && q.Path == "/api/chat":
		return http.StatusNotFound, fmt.Sprintf("model '%s' not found", q.Model)
	case q.Model != o.Model:
		return http.StatusNotFound, fmt.Sprintf("The model '%s' does not exist", q.Model)
	case refuses("max_tokens", !long && q.Path != "/api/chat"):
		return http.StatusBadRequest, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
	case refuses("temperature", q.Temperature != nil):
		return http.StatusBadRequest, "Unsupported value: 'temperature' does not support 0 with this model."
	case refuses("json_schema", q.Form == "json_schema"):
		return http.StatusBadRequest, "'response_format.type' must be one of 'json_object', 'text'"
	case refuses("json_object", q.Form == "json_object"):
		return http.StatusUnprocessableEntity, "Extra inputs are not permitted: response_format"
	case refuses("think", q.Think != nil):
		return http.StatusBadRequest, fmt.Sprintf("think value \"%v\" is not supported for this model", *q.Think)
	case Tokens(q.System)+Tokens(q.User) > size:
		return http.StatusBadRequest, "the input length exceeds the context length"
	}
	return 0, ""
}

// send answers in the form of the interface that was asked.
func (r Reply) send(w http.ResponseWriter, q Asked) {
	if r.Reason == "" {
		r.Reason = "stop"
		if q.MaxTokens > 0 && Tokens(r.Thinking)+Tokens(r.Text) > q.MaxTokens {
			r.Reason = "length"
			for q.MaxTokens < Tokens(r.Thinking)+Tokens(r.Text) && r.Text != "" {
				r.Text = strings.ToValidUTF8(r.Text[:len(r.Text)*9/10], "")
			}
		}
	}
	in, out := Tokens(q.System)+Tokens(q.User), Tokens(r.Thinking)+Tokens(r.Text)
	body := map[string]any{"model": q.Model, "created_at": "2026-01-02T03:04:05Z", "done": !r.Undone, "done_reason": r.Reason,
		"message":           map[string]any{"role": "assistant", "content": r.Text, "thinking": r.Thinking},
		"prompt_eval_count": in, "eval_count": out}
	if q.Path != "/api/chat" {
		body = map[string]any{"id": "chatcmpl-1", "object": "chat.completion", "created": 1767323045, "model": q.Model,
			"choices": []any{map[string]any{"index": 0, "finish_reason": r.Reason,
				"message": map[string]any{"role": "assistant", "content": r.Text, "reasoning_content": r.Thinking}}},
			"usage": map[string]any{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out}}
		if r.Undone {
			delete(body, "choices")
		}
	}
	switch {
	case r.Cut:
		cut(w, body)
	case r.Raw != "":
		body = nil
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if r.Type != "" {
		w.Header().Set("Content-Type", r.Type)
	}
	if body == nil {
		w.Header().Set("Content-Length", strconv.Itoa(len(r.Raw)))
		io.WriteString(w, r.Raw)
		return
	}
	w.Write(encode(body))
}

// Scripted is a completer that answers by a script, in this process: llm's own client
// of a Chat that is reached without a network, so that it fails, waits and counts as one
// of a server does, also under a fake clock.
type Scripted struct {
	*Chat
	completer llm.Completer
}

// NewScripted returns a completer that gives these replies.
func NewScripted(replies ...Reply) *Scripted {
	return newChat(ChatOptions{}, replies).Completer(llm.ServerOptions{})
}

// Completer asks c without a network; of the options, Retries, Timeout, Backoff, Key
// and Model count.
func (c *Chat) Completer(o llm.ServerOptions) *Scripted {
	if o.URL, o.Transport = "http://scripted", c.Transport(); o.Model == "" {
		o.Model = Model
	}
	completer, err := llm.NewOllamaCompleter(o)
	if err != nil {
		panic(err) // a negative option
	}
	return &Scripted{c, completer}
}

// Complete implements llm.Completer.
func (s *Scripted) Complete(ctx context.Context, r llm.Request) (llm.Completion, error) {
	return s.completer.Complete(ctx, r)
}

// Info implements llm.Completer.
func (s *Scripted) Info() llm.CompleterInfo {
	info := s.completer.Info()
	info.Provider = "scripted"
	return info
}
