package llm

// What every client of a model server shares: how to reach it, how long to wait, when
// to ask again.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ServerOptions say how to reach a model server. Model is required, all else has a default.
type ServerOptions struct {
	// URL is the server's address. Scheme and port may be missing; see NewOllama and
	// NewOpenAI for what they are then.
	URL string

	// Model is the name of the model as the server knows it.
	Model string

	// Key is sent as bearer token; "" sends none.
	Key string

	// Timeout is the longest that one request may take, from connecting to the last
	// byte of the answer; 0 is 5 minutes, since a server may load a model first and
	// then compute on a slow processor. A server that falls silent is given up after
	// this time, and vectors that arrived before are kept.
	Timeout time.Duration

	// Retries is how often a request is repeated after "busy" (429, 502, 503, 504), and
	// one for a single text or answer after a server fault or a dropped connection too.
	// 0 is never.
	Retries int

	// Backoff is the pause before the first repetition, doubled for each further one
	// up to 30 s, unless the server names a pause itself; 0 is half a second. The pause
	// that is made is drawn from its upper half, so that many do not come back at once.
	Backoff time.Duration

	// Dims asks for vectors cut to this length, for models that allow it; 0 takes what
	// the model gives. This and all below but Transport are of embedders only.
	Dims int

	// MaxBatch is the most texts in one request; 0 is 64. Servers that take fewer are
	// learned: see pace.
	MaxBatch int

	// Zero and One calibrate the model's cosines, see Info; both 0 is 0.3 and 0.9, a
	// middle among common models, which differ widely.
	Zero, One float64

	// Transport carries the requests; nil is the network. Tests put a server in memory
	// here, which works under a fake clock.
	Transport http.RoundTripper
}

const (
	defaultTimeout  = 5 * time.Minute
	defaultBackoff  = 500 * time.Millisecond
	longestBackoff  = 30 * time.Second
	defaultMaxBatch = 64
	defaultZero     = 0.3
	defaultOne      = 0.9
)

func (o ServerOptions) withDefaults() (ServerOptions, error) {
	switch {
	case strings.TrimSpace(o.Model) == "":
		return o, badOption("no model is named")
	case o.Timeout < 0 || o.Retries < 0 || o.Backoff < 0 || o.MaxBatch < 0 || o.Dims < 0:
		return o, badOption("timeout %v, retries %d, backoff %v, batch %d, dimensions %d: none may be negative",
			o.Timeout, o.Retries, o.Backoff, o.MaxBatch, o.Dims)
	case o.Zero == 0 && o.One == 0:
		o.Zero, o.One = defaultZero, defaultOne
	case !(o.Zero < o.One):
		return o, badOption("calibration from %v to %v: the first must be less", o.Zero, o.One)
	}
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.Backoff = cmp.Or(o.Backoff, defaultBackoff)
	o.MaxBatch = cmp.Or(o.MaxBatch, defaultMaxBatch)
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	return o, nil
}

// server is one model of one server, as a client sees it.
type server struct {
	ServerOptions
	op      string // what is asked of it, as errors name it
	address string // to show

	// explain adds what the provider knows to an error: hint, model's limit.
	explain func(ctx context.Context, e *Error)
}

// The operations that errors name.
const (
	opEmbed    = "embed"
	opComplete = "complete"
)

// newOllamaServer checks the options of an Ollama server and returns its address
// without the interface's path.
func newOllamaServer(op string, o ServerOptions) (server, *url.URL, error) {
	s, base, err := newServer(op, o, ollamaPort)
	if err == nil {
		base.Path = strings.TrimSuffix(strings.TrimSuffix(base.Path, "/"), "/api")
		s.address = shown(base)
	}
	return s, base, err
}

// newOpenAIServer checks the options of a server with OpenAI's interface and returns
// the folder of its endpoints; end is the endpoint that an address may name as well.
func newOpenAIServer(op string, o ServerOptions, end string) (server, *url.URL, error) {
	if strings.TrimSpace(o.URL) == "" && strings.TrimSpace(o.Model) != "" {
		err := badOption("no address of the server is given")
		err.Op = op
		return server{}, nil, err
	}
	s, base, err := newServer(op, o, "80")
	if err == nil {
		base.Path = strings.TrimSuffix(strings.TrimSuffix(base.Path, "/"), end)
		if base.Path == "" {
			base.Path = "/v1"
		}
		s.address = shown(base)
		s.explain = func(_ context.Context, err *Error) { hintAny(err) }
	}
	return s, base, err
}

func newServer(op string, o ServerOptions, port string) (server, *url.URL, error) {
	o, err := o.withDefaults()
	var base *url.URL
	if err == nil {
		base, err = parseServer(o.URL, port)
	}
	if e, ok := errors.AsType[*Error](err); ok {
		e.Op = op
	}
	return server{ServerOptions: o, op: op}, base, err
}

func (s *server) error(class Class, cause error) *Error {
	return &Error{Op: s.op, Class: class, Server: s.address, Model: s.Model, Cause: cause}
}

// once sends one request, what it is for being told where it takes too long.
func (s *server) once(ctx context.Context, what string, ask func(context.Context) error) *Error {
	if err := ctx.Err(); err != nil {
		return s.error(ended(err).Class, err)
	}
	limited, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	err := ask(limited)
	if err == nil {
		return nil
	}
	class := classify(err)
	e := s.error(class, plain(err))
	if class == Timeout && ctx.Err() == nil {
		e.Cause = fmt.Errorf("no whole answer for %s within %v: %w", what, s.Timeout, context.DeadlineExceeded)
		e.Hint = "raise the timeout for the model server, or send it less at a time"
	}
	return e
}

// insist asks until it is answered, or fails in a way that asking again does not mend,
// or has been repeated as often as the options allow.
func (s *server) insist(ctx context.Context, again func(*Error) bool, once func() *Error) *Error {
	for try := 0; ; try++ {
		err := once()
		if err == nil || try >= s.Retries || !again(err) {
			return err
		}
		if ended := s.rest(ctx, pause(s.Backoff, try, err)); ended != nil {
			return ended
		}
	}
}

// pause is how long to wait before repetition number try.
func pause(first time.Duration, try int, err *Error) time.Duration {
	if f, ok := errors.AsType[*httpFailure](err); ok && f.retryAfter > 0 {
		return min(f.retryAfter, longestBackoff)
	}
	d := min(first<<min(try, 16), longestBackoff)
	return d - rand.N(d/2+1)
}

func (s *server) rest(ctx context.Context, d time.Duration) *Error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return s.error(ended(ctx.Err()).Class, ctx.Err())
	}
}
