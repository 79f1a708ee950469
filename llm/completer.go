package llm

import (
	"context"
	"encoding/json"
	"time"
)

// Completer asks a model for one JSON object. It is safe for concurrent use. Whoever
// works without a model holds a nil Completer.
//
// A model's answer is a stranger's word: it has the form that was asked for and
// nothing more is known of it. The caller checks what it says.
type Completer interface {
	// Complete sends one request and returns the object of its answer. Failures that
	// may pass are tried again within bounds; what is left is an *Error, and the
	// Completion beside it has no Text but tells what was used. Complete returns soon
	// after ctx ends. The caller holds no lock meanwhile: minutes may pass.
	Complete(ctx context.Context, r Request) (Completion, error)

	// Info describes the model. It asks nobody and is cheap.
	Info() CompleterInfo
}

// Request is one question to a model.
type Request struct {
	System string // what the model is to do; may be ""
	User   string // what it is to do it with

	// Schema is the JSON Schema of the answer, an object. The server is asked to keep
	// to it where it can; the answer that is taken has its required keys with values
	// of their types, all else is the caller's to check. Nil takes any object.
	Schema json.RawMessage

	// MaxTokens is the longest answer, the model's thinking included; 0 is 4096. A
	// longer one is cut off and refused: class Truncated.
	MaxTokens int
}

// Completion is an answer.
type Completion struct {
	Text string        // the JSON object, as the model wrote it; "" with an error
	In   int           // tokens of all that was sent, as the server counts, else an estimate
	Out  int           // tokens of all that came back, thinking included
	Took time.Duration // repetitions and the pauses before them included
}

// CompleterInfo describes a completer.
type CompleterInfo struct {
	Provider string // "ollama", "openai", …
	Model    string
	Window   int  // tokens that question and answer may have together; 0 while unknown
	Remote   bool // what is asked leaves the process: it may take long, cost money, or fail
}
