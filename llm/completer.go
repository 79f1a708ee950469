package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"syscall"
	"time"

	"brain/text"
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

	// Info describes the model. It is cheap, except that a server may be asked once,
	// for a quarter of a second at most, how much the model takes.
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

	// Optional are keys of the schema that the answer may lack all the same, or have in
	// another form. Servers that are strict want every key of a schema to be required.
	Optional []string

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

const (
	defaultAnswer = 4096
	// perMessage is what a chat template adds to each message, roughly and upwards.
	perMessage = 16
)

func (r Request) maxTokens() int {
	if r.MaxTokens > 0 {
		return r.MaxTokens
	}
	return defaultAnswer
}

// tokens estimates the length of the question.
func (r Request) tokens() int {
	return text.Tokens(r.System) + text.Tokens(r.User) + 2*perMessage
}

// reply is what a server sent for one request.
type reply struct {
	text    string
	in, out int  // as the server counts; 0 where it does not
	cut     bool // the model was stopped before it was done
}

// complete does what all clients do around a request: it asks, again where that may
// help, and finds the answer in the reply. chat sends one request.
func (s *server) complete(ctx context.Context, r Request, chat func(context.Context) (reply, error)) (Completion, error) {
	var c Completion
	start := time.Now()
	err := s.insist(ctx, mayPass, func() *Error {
		var got reply
		err := s.once(ctx, "a question", func(ctx context.Context) (err error) {
			got, err = chat(ctx)
			return err
		})
		if err != nil && err.Class == BadVector { // a number that cannot be read is none of a vector here
			err.Class = Protocol
		}
		c.count(r, got, err)
		if err != nil {
			return err
		}
		return s.read(got, r, &c)
	})
	c.Took = time.Since(start)
	if err != nil {
		s.explain(ctx, err)
		return c, err
	}
	return c, nil
}

// read takes the answer out of a reply.
func (s *server) read(got reply, r Request, c *Completion) *Error {
	if got.cut {
		return s.error(Truncated, nil)
	}
	object, err := Answer(got.text, r.Schema, r.Optional...)
	if e, ok := errors.AsType[*Error](err); ok {
		return s.error(e.Class, e.Cause)
	}
	c.Text = string(object)
	return nil
}

// count adds what an attempt used. Where the server does not say, it is estimated: a
// question that was sent and never answered was read all the same, so far as one knows.
func (c *Completion) count(r Request, got reply, err *Error) {
	if err != nil {
		switch err.Class {
		case Timeout, Canceled, Protocol:
			c.In += r.tokens()
		}
		return
	}
	if got.in == 0 {
		got.in = r.tokens()
	}
	if got.out == 0 {
		got.out = text.Tokens(got.text)
	}
	c.In += got.in
	c.Out += got.out
}

// mayPass tells failures after which the same request may succeed: a busy server, one
// that stumbled, a connection that dropped. A model that answered badly would do so again.
func mayPass(err *Error) bool {
	switch err.Class {
	case Overloaded, ServerFault:
		return true
	case Protocol:
		return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
			errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
	}
	return false
}
