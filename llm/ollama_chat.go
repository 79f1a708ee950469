package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"
)

const (
	// keepLoaded is how long the server keeps the model in memory after a request:
	// sessions are compiled one after another, and loading takes longer than answering.
	keepLoaded = 10 * time.Minute
	// showTime bounds the question how much the model takes, before a request that may
	// take minutes itself.
	showTime = 2 * time.Second
	// smallestWindow is the least context that is asked for.
	smallestWindow = 4096
)

// NewOllamaCompleter returns a completer that asks an Ollama server. It does not talk
// to it yet. Addresses are read as by NewOllama.
//
// What the server does in silence is prevented or found:
//
//   - A question longer than the context, 4,096 tokens unless told otherwise, would lose
//     its beginning. The context is asked for as large as question and answer need, in
//     powers of two and never smaller than before, since another size loads the model
//     anew. More than the model takes is refused unasked: class TooLong.
//   - An answer that broke off looks like one that ended. It must say that it is done.
//
// A model that can think is told not to: its grammar holds the answer to the schema, and
// thoughts cost minutes.
func NewOllamaCompleter(o ServerOptions) (Completer, error) {
	s, base, err := newOllamaServer(opComplete, o)
	if err != nil {
		return nil, err
	}
	c := &ollamaChat{server: s, client: api.NewClient(base, newChatClient(base, s.ServerOptions))}
	c.explain = func(_ context.Context, err *Error) { hintOllama(err) }
	return c, nil
}

type ollamaChat struct {
	server
	client *api.Client

	mu       sync.Mutex
	asked    bool // what the model takes, once it was answered
	window   int  // tokens; 0 unknown
	thinks   bool // it can, and may be told not to
	contexts int  // size of the context so far
}

func (c *ollamaChat) Info() CompleterInfo {
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	c.show(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	return CompleterInfo{Provider: "ollama", Model: c.Model, Window: c.window, Remote: true}
}

// show asks what the model takes and can, until it was answered once. Failure is no
// error here: the request will meet it and say more.
func (c *ollamaChat) show(ctx context.Context) {
	c.mu.Lock()
	asked := c.asked
	c.mu.Unlock()
	if asked {
		return
	}
	answer, err := c.client.Show(ctx, &api.ShowRequest{Model: c.Model})
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = true
	c.window = windowOf(answer.ModelInfo)
	c.thinks = slices.Contains(answer.Capabilities, model.CapabilityThinking)
}

// Complete implements Completer.
func (c *ollamaChat) Complete(ctx context.Context, r Request) (Completion, error) {
	looking, cancel := context.WithTimeout(ctx, showTime)
	c.show(looking)
	cancel()
	size, err := c.contextFor(r)
	if err != nil {
		c.explain(ctx, err)
		return Completion{}, err
	}
	return c.complete(ctx, r, func(ctx context.Context) (reply, error) { return c.chat(ctx, r, size) })
}

// contextFor is the size of the context that a request needs. The estimate of tokens
// may be short by a third for code and rare scripts.
func (c *ollamaChat) contextFor(r Request) (int, *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	asks, answers := r.tokens(), r.maxTokens()
	if c.window > 0 && asks+answers > c.window {
		return 0, c.error(TooLong, fmt.Errorf("it takes %d tokens; the question has about %d and the answer may have %d", c.window, asks, answers))
	}
	size := max(c.contexts, smallestWindow)
	for size < asks+asks/3+answers {
		size *= 2
	}
	if c.window > 0 {
		size = min(size, c.window)
	}
	c.contexts = size
	return size, nil
}

// chat sends one request, and again without a word on thinking to a model that minds
// it, or with a larger context where the estimate was short and the model takes more.
func (c *ollamaChat) chat(ctx context.Context, r Request, size int) (reply, error) {
	c.mu.Lock()
	quiet, window := c.thinks, c.window
	c.mu.Unlock()
	for {
		got, err := c.send(ctx, r, size, quiet)
		f, refused := errors.AsType[*httpFailure](err)
		switch {
		case refused && f.class() == TooLong && size < window:
			size = min(2*size, window)
		case refused && f.class() == Refused && quiet && strings.Contains(f.message, "think"):
			quiet = false
		default:
			return got, err
		}
		c.mu.Lock()
		c.thinks, c.contexts = quiet, max(c.contexts, size)
		c.mu.Unlock()
	}
}

func (c *ollamaChat) send(ctx context.Context, r Request, size int, quiet bool) (reply, error) {
	no := false
	ask := &api.ChatRequest{
		Model: c.Model, Messages: []api.Message{{Role: "user", Content: r.User}},
		Stream: &no, Truncate: &no, Shift: &no, Format: r.Schema, KeepAlive: &api.Duration{Duration: keepLoaded},
		Options: map[string]any{"temperature": 0, "num_ctx": size, "num_predict": r.maxTokens()},
	}
	if r.System != "" {
		ask.Messages = slices.Insert(ask.Messages, 0, api.Message{Role: "system", Content: r.System})
	}
	if len(r.Schema) == 0 {
		ask.Format = json.RawMessage(`"json"`)
	}
	if quiet {
		ask.Think = &api.ThinkValue{Value: false}
	}
	var got reply
	var last api.ChatResponse
	var words strings.Builder
	thoughts := false
	err := c.client.Chat(ctx, ask, func(part api.ChatResponse) error {
		last = part
		words.WriteString(part.Message.Content)
		thoughts = thoughts || part.Message.Thinking != ""
		return nil
	})
	if err != nil {
		return got, legible(err, c.Key)
	}
	got = reply{text: words.String(), in: last.PromptEvalCount, out: last.EvalCount, cut: last.DoneReason == "length"}
	switch {
	case !last.Done:
		return got, errors.New("it broke off before it was done")
	case got.cut:
	case strings.TrimSpace(got.text) == "" && thoughts:
		return got, errors.New("it is empty: the model has only thought")
	case strings.TrimSpace(got.text) == "":
		return got, errors.New("it is empty")
	}
	return got, nil
}

// legible shortens an error that quotes what the server sent, as Ollama's client does
// for what it cannot read.
func legible(err error, key string) error {
	if _, ok := errors.AsType[*url.Error](err); ok || classify(err) != Protocol {
		return err
	}
	return errors.New(shorten(err.Error(), key))
}
