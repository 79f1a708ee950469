package llm

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

// NewOpenAICompleter returns a completer that asks a server with OpenAI's interface,
// such as llama.cpp, LM Studio, vLLM, or a hosted one. It does not talk to it yet.
// Addresses are read as by NewOpenAI; one may end in "chat/completions".
//
// These servers agree on the request and differ in what they take of it. What one
// refuses by name is left out from then on:
//
//   - the form of the answer as a strict JSON schema; then "some JSON object", then
//     nothing, where the schema stands in the prompt instead;
//   - the longest answer as max_tokens, which models that think want to be called
//     max_completion_tokens;
//   - temperature 0, which models that think refuse.
//
// Repetitions are ours: the library's are switched off, as is what it tells of this
// machine.
func NewOpenAICompleter(o ServerOptions) (Completer, error) {
	s, base, err := newOpenAIServer(opComplete, o, "/chat/completions")
	if err != nil {
		return nil, err
	}
	options := []option.RequestOption{
		option.WithBaseURL(strings.TrimSuffix(base.String(), "/") + "/"),
		option.WithHTTPClient(newChatClient(base, s.ServerOptions)), // which has the key
		option.WithMaxRetries(0),
	}
	for _, about := range []string{"Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Retry-Count", "Timeout"} {
		options = append(options, option.WithHeaderDel("X-Stainless-"+about))
	}
	return &openAIChat{server: s, chats: openai.NewChatCompletionService(options...)}, nil
}

type openAIChat struct {
	server
	chats openai.ChatCompletionService

	mu    sync.Mutex
	knows dialect
}

// dialect is how one server wants to be asked.
type dialect struct {
	form     int  // of the answer: strictForm, someObject, freeForm
	longName bool // of the longest answer: max_completion_tokens
	warm     bool // at its own temperature
}

const (
	strictForm = iota
	someObject
	freeForm
)

// What servers name in a refusal, in lower case.
var (
	ofForm   = []string{"response_format", "json_schema", "json_object", "structured output", "structured_output", "schema", "grammar", "'json'"}
	ofLength = []string{"max_tokens", "max_completion_tokens"}
	ofWarmth = []string{"temperature"}
)

// without is the dialect that leaves out what a refusal names; false if it names
// nothing that could be left out.
func (d dialect) without(err error) (dialect, bool) {
	f, ok := errors.AsType[*httpFailure](err)
	if !ok || f.class() != Refused && f.class() != ServerFault {
		return d, false
	}
	message := strings.ToLower(f.message)
	names := func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(message, w) })
	}
	switch {
	case !d.longName && names(ofLength):
		d.longName = true
	case !d.warm && names(ofWarmth):
		d.warm = true
	case d.form < freeForm && names(ofForm):
		d.form++
	default:
		return d, false
	}
	return d, true
}

func (c *openAIChat) Info() CompleterInfo {
	return CompleterInfo{Provider: "openai", Model: c.Model, Remote: true}
}

// Complete implements Completer.
func (c *openAIChat) Complete(ctx context.Context, r Request) (Completion, error) {
	return c.complete(ctx, r, func(ctx context.Context) (reply, error) { return c.chat(ctx, r) })
}

// chat sends one request, and again in another dialect as long as the server names what
// it does not take: four times at most.
func (c *openAIChat) chat(ctx context.Context, r Request) (reply, error) {
	c.mu.Lock()
	d := c.knows
	c.mu.Unlock()
	for {
		got, err := c.send(ctx, r, d)
		less, ok := d.without(err)
		if !ok {
			return got, err
		}
		d = less
		c.mu.Lock()
		c.knows = d
		c.mu.Unlock()
	}
}

func (c *openAIChat) send(ctx context.Context, r Request, d dialect) (reply, error) {
	answer, err := c.chats.New(ctx, d.params(c.Model, r))
	if err != nil {
		return reply{}, err
	}
	if len(answer.Choices) == 0 {
		return reply{}, errors.New("it has no choices")
	}
	said := answer.Choices[0]
	got := reply{text: said.Message.Content, in: int(answer.Usage.PromptTokens), out: int(answer.Usage.CompletionTokens)}
	switch {
	case said.FinishReason == "length":
		got.cut = true
	case said.FinishReason == "content_filter":
		return got, &Error{Class: Refused, Cause: errors.New("the server's filter withheld the answer")}
	case said.Message.Refusal != "":
		return got, &Error{Class: Refused, Cause: errors.New(shorten(said.Message.Refusal, c.Key))}
	case strings.TrimSpace(got.text) == "":
		return got, errors.New("it is empty")
	}
	return got, nil
}

func (d dialect) params(model string, r Request) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{Model: model}
	system := r.System
	switch {
	case len(r.Schema) == 0 && d.form < freeForm:
		p.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	case d.form == strictForm:
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "answer", Schema: r.Schema, Strict: openai.Bool(true)},
		}
	case d.form == someObject:
		p.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
		system += inWords(r.Schema)
	case len(r.Schema) > 0:
		system += inWords(r.Schema)
	}
	if system = strings.TrimSpace(system); system != "" {
		p.Messages = append(p.Messages, openai.SystemMessage(system))
	}
	p.Messages = append(p.Messages, openai.UserMessage(r.User))
	if d.longName {
		p.MaxCompletionTokens = openai.Int(int64(r.maxTokens()))
	} else {
		p.MaxTokens = openai.Int(int64(r.maxTokens()))
	}
	if !d.warm {
		p.Temperature = openai.Float(0)
	}
	return p
}

// inWords asks for the schema where the server cannot be told it.
func inWords(schema json.RawMessage) string {
	return "\n\nAnswer with one JSON object and nothing else. It must fit this JSON Schema:\n" + string(schema)
}
