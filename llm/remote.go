package llm

// What every model server has in common: texts go in batches, batches fail, and the
// texts that did not cause the failure must still get their vectors.
//
//	the server is unusable (down, no access, no model, hung)   stop, keep what there is
//	busy                                                       wait and ask again, a few times
//	a batch fails                                              ask for its halves
//	a text is too long                                         average the vectors of its halves
//	a text alone fails                                         leave it out, go on with the next
//
// Halving on failure needs no knowledge of the server's limits and finds the one bad
// text among 64 in a dozen requests.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
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

	// Dims asks the server for vectors cut to this length, for models that allow it;
	// 0 takes what the model gives.
	Dims int

	// Timeout is the longest that one request may take, from connecting to the last
	// byte of the answer; 0 is 5 minutes, since a server may load a model first and
	// then compute a batch on a slow processor. A server that falls silent is given
	// up after this time, and vectors that arrived before are kept.
	Timeout time.Duration

	// Retries is how often a request is repeated after "busy" (429, 502, 503, 504), and a
	// request of one text after a server fault or a broken answer. 0 is never.
	Retries int

	// Backoff is the pause before the first repetition, doubled for each further one
	// up to 30 s, unless the server names a pause itself; 0 is half a second.
	Backoff time.Duration

	// MaxBatch is the most texts in one request; 0 is 64. Servers that take fewer are
	// learned: see pace.
	MaxBatch int

	// Zero and One calibrate the model's cosines, see Info; both 0 is 0.3 and 0.9, a
	// middle among common models, which differ widely.
	Zero, One float64
}

const (
	defaultTimeout  = 5 * time.Minute
	defaultBackoff  = 500 * time.Millisecond
	longestBackoff  = 30 * time.Second
	defaultMaxBatch = 64
	defaultZero     = 0.3
	defaultOne      = 0.9

	// transformerSame is where sentence transformers put paraphrases.
	transformerSame = 0.95

	// strikesOut is how many requests in a row may bring no vector at all before the
	// rest of the texts is not even tried.
	strikesOut = 3

	// shortestPiece, in characters, is not halved any further: a model that refuses so
	// little has another problem.
	shortestPiece = 32
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
	return o, nil
}

// remote is an embedder behind a server; a provider supplies the functions.
type remote struct {
	ServerOptions
	server string // address to show
	pace   *pace

	// ask sends one request. It returns one raw vector per text or an error of any kind.
	ask func(ctx context.Context, texts []string) ([][]float32, error)
	// explain adds what the provider knows to an error: hint, model's limit.
	explain func(ctx context.Context, e *Error)

	mu   sync.Mutex
	dims int
}

func newRemote(o ServerOptions, server string) *remote {
	return &remote{ServerOptions: o, server: server, pace: newPace(o.MaxBatch), dims: o.Dims}
}

// Embed implements Embedder.
func (r *remote) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	j := &job{remote: r, ctx: ctx, texts: texts, vectors: make([][]float32, len(texts))}
	var todo []int
	for i, text := range texts {
		if strings.TrimSpace(text) != "" {
			todo = append(todo, i)
		}
	}
	for len(todo) > 0 && !j.stop {
		n := min(r.pace.next(), len(todo))
		j.embed(todo[:n])
		todo = todo[n:]
	}
	if j.err != nil {
		return j.vectors, j.err
	}
	return j.vectors, nil
}

// learned is the length of vectors so far; 0 before the first.
func (r *remote) learned() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dims
}

// forget drops what was learned of a model that is gone.
func (r *remote) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dims = r.Dims
}

// job is one call of Embed.
type job struct {
	*remote
	ctx     context.Context
	texts   []string
	vectors [][]float32
	err     *Error // the first
	stop    bool
	strikes int
}

// embed fills in the vectors of the texts at these places, by halves if need be.
func (j *job) embed(places []int) {
	if j.stop {
		return
	}
	batch := make([]string, len(places))
	for i, place := range places {
		batch[i] = j.texts[place]
	}
	vectors, err := j.request(batch)
	if err == nil {
		j.pace.succeeded(len(places))
		j.keep(places, vectors)
		return
	}
	switch alone := len(places) == 1; {
	case err.Class.unusable():
		if err.Class == Timeout {
			j.pace.failed(len(places))
		}
		j.fail(err)
		j.stop = true
	case alone && err.Class == TooLong:
		j.embedPieces(places[0], err)
	case alone:
		j.fail(err)
		j.strike()
	case err.Class == TooLong:
		// The half of long texts has the one that is too long; the other is likely good.
		slices.SortStableFunc(places, func(a, b int) int { return len(j.texts[a]) - len(j.texts[b]) })
		j.halves(places)
	case err.Class == BadVector:
		j.halves(places)
	default:
		j.pace.failed(len(places))
		j.halves(places)
	}
}

// unusable tells failures that the next request would meet as well.
func (c Class) unusable() bool {
	switch c {
	case Refused, ServerFault, Protocol, BadVector, TooLong:
		return false
	}
	return true
}

func (j *job) halves(places []int) {
	middle := len(places) / 2
	j.embed(places[:middle])
	j.embed(places[middle:])
}

func (j *job) fail(err *Error) {
	if errors.Is(err, errSize) {
		j.stop = true
	}
	if j.err == nil {
		if j.explain != nil {
			j.explain(j.ctx, err)
		}
		j.err = err
	}
}

func (j *job) strike() {
	if j.strikes++; j.strikes >= strikesOut {
		j.stop = true
	}
}

// keep checks and stores the vectors of one answer.
func (j *job) keep(places []int, vectors [][]float32) {
	good := 0
	for i, v := range vectors {
		if err := j.accept(v); err != nil {
			j.fail(err)
			continue
		}
		j.vectors[places[i]] = v
		good++
	}
	if good == 0 {
		j.strike()
		return
	}
	j.strikes = 0
}

// errSize marks a vector of another length than those before: another model answers,
// and nothing more of it may mix with what is there.
var errSize = errors.New("the length of vectors changed")

// accept scales v to unit length, or says why it is no vector.
func (r *remote) accept(v []float32) *Error {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	switch {
	case math.IsNaN(square) || math.IsInf(square, 0):
		return r.error(BadVector, errors.New("it holds NaN or infinity"))
	case square == 0:
		return r.error(BadVector, errors.New("it is all zero"))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dims == 0 {
		r.dims = len(v)
	}
	if len(v) != r.dims {
		e := r.error(BadVector, fmt.Errorf("%w: %d components, %d before", errSize, len(v), r.dims))
		e.Hint = "the model behind this name is another one now: embed everything again"
		if r.Dims > 0 {
			e.Hint = fmt.Sprintf("the server does not cut vectors to %d: leave the number of dimensions out of the settings", r.Dims)
		}
		return e
	}
	scale := 1 / math.Sqrt(square)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
	return nil
}

// request asks for one batch, again while the server is busy.
func (j *job) request(batch []string) ([][]float32, *Error) {
	for try := 0; ; try++ {
		vectors, err := j.once(batch)
		if err == nil {
			return vectors, nil
		}
		again := err.Class == Overloaded || len(batch) == 1 && (err.Class == ServerFault || err.Class == Protocol)
		if !again || try >= j.Retries {
			return nil, err
		}
		if ended := j.wait(pause(j.Backoff, try, err)); ended != nil {
			return nil, ended
		}
	}
}

// pause is how long to wait before repetition number try.
func pause(first time.Duration, try int, err *Error) time.Duration {
	d := first << min(try, 16)
	if f, ok := errors.AsType[*httpFailure](err); ok && f.retryAfter > 0 {
		d = f.retryAfter
	}
	return min(d, longestBackoff)
}

func (j *job) wait(d time.Duration) *Error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-j.ctx.Done():
		return j.error(ended(j.ctx.Err()).Class, j.ctx.Err())
	}
}

// once sends one request and checks that every text has its answer.
func (j *job) once(batch []string) ([][]float32, *Error) {
	if err := j.ctx.Err(); err != nil {
		return nil, j.error(ended(err).Class, err)
	}
	ctx, cancel := context.WithTimeout(j.ctx, j.Timeout)
	defer cancel()
	vectors, err := j.ask(ctx, batch)
	if err != nil {
		class := classify(err)
		e := j.error(class, plain(err))
		if class == Timeout && j.ctx.Err() == nil {
			e.Cause = fmt.Errorf("no whole answer for %d texts within %v: %w", len(batch), j.Timeout, context.DeadlineExceeded)
			e.Hint = "raise the timeout for the model server, or send it fewer texts at a time"
		}
		return nil, e
	}
	if len(vectors) != len(batch) {
		return nil, j.error(Protocol, fmt.Errorf("%d vectors for %d texts", len(vectors), len(batch)))
	}
	return vectors, nil
}

func (r *remote) error(class Class, cause error) *Error {
	return &Error{Op: "embed", Class: class, Server: r.server, Model: r.Model, Cause: cause}
}

// embedPieces gives a text that is too long the mean of its pieces' vectors, weighted
// by their length.
func (j *job) embedPieces(place int, whole *Error) {
	v, err := j.pieces(j.texts[place], whole)
	if err == nil {
		j.keep([]int{place}, [][]float32{v})
		return
	}
	j.fail(err)
	switch {
	case err.Class.unusable():
		j.stop = true
	case err.Class != TooLong:
		j.strike()
	}
}

// pieces returns the sum of the vectors of both halves of text, halved in turn;
// refusal is why the whole was not taken.
func (j *job) pieces(text string, refusal *Error) ([]float32, *Error) {
	if n := utf8.RuneCountInString(text); n < 2*shortestPiece {
		return nil, j.error(TooLong, fmt.Errorf("even a piece of %d characters: %w", n, refusal.Cause))
	}
	middle := cutPoint(text)
	var sum []float32
	for _, half := range []string{text[:middle], text[middle:]} {
		if strings.TrimSpace(half) == "" {
			continue
		}
		v, err := j.piece(half)
		if err != nil {
			return nil, err
		}
		if sum == nil {
			sum = make([]float32, len(v))
		}
		for i, x := range v {
			sum[i] += x * float32(len(half))
		}
	}
	return sum, nil
}

// piece returns the unit vector of a part of a text.
func (j *job) piece(part string) ([]float32, *Error) {
	var v []float32
	vectors, err := j.request([]string{part})
	switch {
	case err == nil:
		v = vectors[0]
	case err.Class == TooLong:
		if v, err = j.pieces(part, err); err != nil {
			return nil, err
		}
	default:
		return nil, err
	}
	return v, j.accept(v)
}

// cutPoint is a space near the middle of text, or else the border of characters there.
func cutPoint(text string) int {
	middle := len(text) / 2
	if space := strings.LastIndexByte(text[:middle], ' '); space > len(text)/4 {
		return space
	}
	for middle < len(text)-1 && !utf8.RuneStart(text[middle]) {
		middle++
	}
	return middle
}
