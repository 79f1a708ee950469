package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// OpenAIOptions are the settings for a server with OpenAI's interface.
type OpenAIOptions ServerOptions

// NewOpenAI returns an embedder that asks a server with OpenAI's interface, such as
// llama.cpp, LM Studio, vLLM, or a hosted one. It does not talk to it yet.
//
// URL is required. A missing scheme is http; an address without path gets /v1, any
// other is taken as the folder of "embeddings".
//
// The fingerprint is "openai/HOST/MODEL": such servers tell nothing of what stands
// behind a name, so the same name on two hosts counts as two spaces.
func NewOpenAI(options OpenAIOptions) (Embedder, error) {
	s, base, err := newOpenAIServer(opEmbed, ServerOptions(options), "/embeddings")
	if err != nil {
		return nil, err
	}
	e := &openAI{remote: newRemote(s), base: base, client: newClient(base, s.ServerOptions)}
	e.ask = e.embed
	return e, nil
}

type openAI struct {
	*remote
	base   *url.URL
	client *http.Client
}

func (e *openAI) Info() Info {
	name := "openai/" + e.base.Host + "/" + e.Model
	if e.Dims > 0 {
		name += fmt.Sprintf("/%d", e.Dims)
	}
	return Info{Fingerprint: name, Dims: e.learned(), Remote: true, Zero: e.Zero, One: e.One, Same: transformerSame, Near: transformerNear}
}

// embed sends one request.
func (e *openAI) embed(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := json.Marshal(struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Encoding   string   `json:"encoding_format"`
		Dimensions int      `json:"dimensions,omitempty"`
	}{e.Model, texts, "float", e.Dims})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.base.JoinPath("embeddings").String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := e.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var answer struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := decode(resp.Body, &answer); err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(answer.Data))
	for _, item := range answer.Data {
		if item.Index < 0 || item.Index >= len(vectors) || vectors[item.Index] != nil {
			return nil, fmt.Errorf("the index %d of a vector is out of place among %d", item.Index, len(vectors))
		}
		vectors[item.Index] = item.Embedding
	}
	return vectors, nil
}

// hintAny is the next step that any server's failure asks for.
func hintAny(err *Error) {
	if err.Hint != "" {
		return
	}
	switch err.Class {
	case Down:
		err.Hint = "start the server, or correct its address in the settings"
	case NotAServer:
		err.Hint = "check address, port and path"
	case TLS:
		err.Hint = "write https:// or http:// as the server speaks it, and give it a certificate that this machine trusts"
	case Unauthorized:
		err.Hint = "check the key in the settings"
	case ModelMissing:
		err.Hint = "name a model that the server offers"
	case TooLong:
		err.Hint = "use a model that takes longer texts"
	case Overloaded:
		err.Hint = "try again later"
	case ServerFault, Protocol, Refused:
		err.Hint = "look into the server's log"
	case Truncated:
		err.Hint = "the model writes or thinks more than it may: try another one"
	case Misshapen:
		err.Hint = "try a model that keeps to the form that is asked for"
	case OverBudget:
		err.Hint = "raise the budget in the settings, or go on another time"
	case BadVector:
		err.Hint = "the model fails on this text: try another model or a newer server"
	}
}
