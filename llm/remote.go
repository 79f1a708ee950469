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
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	// transformerSame is where sentence transformers put paraphrases.
	transformerSame = 0.95
	// transformerNear is where they put pairs of which people are not sure.
	transformerNear = 0.92

	// strikesOut is how many requests in a row may bring no vector at all before the
	// rest of the texts is not even tried.
	strikesOut = 3

	// shortestPiece, in characters, is not halved any further: a model that refuses so
	// little has another problem.
	shortestPiece = 32
)

// remote is an embedder behind a server; a provider supplies the functions.
type remote struct {
	server
	pace *pace

	// ask sends one request. It returns one raw vector per text or an error of any kind.
	ask func(ctx context.Context, texts []string) ([][]float32, error)

	mu   sync.Mutex
	dims int
}

func newRemote(s server) *remote {
	return &remote{server: s, pace: newPace(s.MaxBatch), dims: s.Dims}
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
func (j *job) request(batch []string) (vectors [][]float32, err *Error) {
	again := func(err *Error) bool {
		return err.Class == Overloaded || len(batch) == 1 && (err.Class == ServerFault || err.Class == Protocol)
	}
	err = j.insist(j.ctx, again, func() (err *Error) {
		vectors, err = j.once(batch)
		return err
	})
	return vectors, err
}

// once sends one request and checks that every text has its answer.
func (j *job) once(batch []string) (vectors [][]float32, err *Error) {
	err = j.server.once(j.ctx, fmt.Sprintf("%d texts", len(batch)), func(ctx context.Context) (err error) {
		vectors, err = j.ask(ctx, batch)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case len(vectors) != len(batch):
		return nil, j.error(Protocol, fmt.Errorf("%d vectors for %d texts", len(vectors), len(batch)))
	}
	return vectors, nil
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
