package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/ollama/ollama/api"
)

const (
	ollamaPort = "11434"
	// lookTime bounds the question which model stands behind a name.
	lookTime = 250 * time.Millisecond
	// lookAgain is how long an answer to it is believed.
	lookAgain = 30 * time.Second
)

// OllamaOptions are the settings for an Ollama server.
type OllamaOptions ServerOptions

// NewOllama returns an embedder that asks an Ollama server. It does not talk to it yet.
//
// An empty URL is this machine; a missing scheme is http, a missing port of http 11434.
//
// The fingerprint is "ollama/MODEL@DIGEST", where the digest is what the server lists
// for the model now, so that a newly pulled model under the old name is another
// space; a server that cannot be reached leaves "ollama/MODEL" (see SameSpace). The
// digest is looked up by the first Info and by Embed, there again every half minute:
// the fingerprint that belongs to vectors is the one that Info gives after Embed.
//
// Texts that are longer than the model takes are not truncated silently, as the
// server would do, but embedded in halves whose vectors are averaged.
func NewOllama(options OllamaOptions) (Embedder, error) {
	s, base, err := newOllamaServer(opEmbed, ServerOptions(options))
	if err != nil {
		return nil, err
	}
	e := &ollama{remote: newRemote(s), client: api.NewClient(base, newClient(base, s.ServerOptions))}
	e.ask, e.explain = e.embed, e.hint
	return e, nil
}

type ollama struct {
	*remote
	client *api.Client

	state  sync.Mutex
	legacy bool // an old server: /api/embeddings, one text a request
	digest string
	looked time.Time
}

// Embed implements Embedder.
func (e *ollama) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.look(ctx, lookAgain)
	vectors, err := e.remote.Embed(ctx, texts)
	if errors.Is(err, errSize) {
		e.state.Lock()
		e.looked = time.Time{} // the next Info sees which model it is now
		e.state.Unlock()
	}
	return vectors, err
}

func (e *ollama) Info() Info {
	e.state.Lock()
	never := e.looked.IsZero()
	e.state.Unlock()
	if never {
		e.look(context.Background(), 0)
	}
	name := "ollama/" + e.Model
	if e.Dims > 0 {
		name += fmt.Sprintf("/%d", e.Dims)
	}
	e.state.Lock()
	defer e.state.Unlock()
	if e.digest != "" {
		name += digestMark + e.digest
	}
	return Info{Fingerprint: name, Dims: e.learned(), Remote: true, Zero: e.Zero, One: e.One, Same: transformerSame, Near: transformerNear}
}

// look asks for the model's digest unless it is known and younger than age. Failure
// is no error here: Embed will meet it and say more.
func (e *ollama) look(ctx context.Context, age time.Duration) {
	e.state.Lock()
	known := e.digest != "" && time.Since(e.looked) < age
	e.state.Unlock()
	if known {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	list, err := e.client.List(ctx)

	e.state.Lock()
	defer e.state.Unlock()
	e.looked = time.Now()
	if err != nil {
		return
	}
	digest := ""
	for _, m := range list.Models {
		if m.Name == e.Model || m.Name == e.Model+":latest" {
			digest = strings.TrimPrefix(m.Digest, "sha256:")
			digest = digest[:min(12, len(digest))]
		}
	}
	if e.digest != "" && digest != "" && digest != e.digest {
		e.remote.forget()
	}
	if digest != "" {
		e.digest = digest
	}
}

// embed sends one request, in the old form where the server knows no other.
func (e *ollama) embed(ctx context.Context, texts []string) ([][]float32, error) {
	if e.isLegacy() {
		return e.embedOld(ctx, texts)
	}
	truncate := false
	answer, err := e.client.Embed(ctx, &api.EmbedRequest{Model: e.Model, Input: texts, Truncate: &truncate, Dimensions: e.Dims})
	if noSuchPath(err) {
		e.setLegacy(true)
		e.pace.limit(1)
		return e.embedOld(ctx, texts)
	}
	if err != nil {
		return nil, err
	}
	return answer.Embeddings, nil
}

// errOneByOne makes a batch fall apart without a request.
var errOneByOne = &Error{Class: Refused, Cause: errors.New("this server takes one text a request")}

func (e *ollama) embedOld(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) > 1 {
		return nil, errOneByOne
	}
	answer, err := e.client.Embeddings(ctx, &api.EmbeddingRequest{Model: e.Model, Prompt: texts[0]})
	if noSuchPath(err) { // no Ollama server at all
		e.setLegacy(false)
		e.pace.limit(e.MaxBatch)
	}
	if err != nil {
		return nil, err
	}
	v := make([]float32, len(answer.Embedding))
	for i, x := range answer.Embedding {
		v[i] = float32(x)
	}
	return [][]float32{v}, nil
}

// noSuchPath tells the plain-text 404 of a server that lacks the interface; a model
// that is missing is a 404 in JSON.
func noSuchPath(err error) bool {
	f, ok := errors.AsType[*httpFailure](err)
	return ok && f.foreign && f.status == 404
}

func (e *ollama) isLegacy() bool {
	e.state.Lock()
	defer e.state.Unlock()
	return e.legacy
}

func (e *ollama) setLegacy(legacy bool) {
	e.state.Lock()
	defer e.state.Unlock()
	e.legacy = legacy
}

// hint adds the next step, and what the server says of the model's limit.
func (e *ollama) hint(ctx context.Context, err *Error) {
	if err.Class == TooLong {
		if limit := e.limit(ctx); limit > 0 {
			err.Cause = fmt.Errorf("it takes %d tokens: %w", limit, err.Cause)
		}
	}
	hintOllama(err)
}

// limit asks how many tokens the model takes; 0 when the server does not say.
func (e *ollama) limit(ctx context.Context) int {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	answer, err := e.client.Show(ctx, &api.ShowRequest{Model: e.Model})
	if err != nil {
		return 0
	}
	return windowOf(answer.ModelInfo)
}

// windowOf finds the length of the context in what Ollama tells of a model, 0 if it
// does not. Models that see pictures have one for each part: that of the language counts.
func windowOf(info map[string]any) int {
	family, _ := info["general.architecture"].(string)
	if n, ok := info[family+".context_length"].(float64); ok {
		return int(n)
	}
	for name, value := range info {
		if n, ok := value.(float64); ok && strings.HasSuffix(name, ".context_length") {
			return int(n)
		}
	}
	return 0
}

// hintOllama is the next step after a failure of an Ollama server.
func hintOllama(err *Error) {
	switch err.Class {
	case Down:
		err.Hint = "start it with `ollama serve`, or correct the address in the settings"
	case NotAServer:
		err.Hint = "check address and port: Ollama listens on " + ollamaPort
	case ModelMissing:
		err.Hint = "ollama pull " + err.Model
		err.Cause = fmt.Errorf("%w (ollama pull %s)", err.Cause, err.Model)
	default:
		hintAny(err)
	}
}
