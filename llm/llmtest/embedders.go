// Package llmtest helps to test what uses a model without having one.
//
// Hash is an embedder that needs nothing; Counting, Slow and Broken wrap another to
// observe or disturb it; Server answers as an Ollama server does, down to its faults;
// TestEmbedder is the contract of llm.Embedder as a test that all embedders pass.
//
// Scripted is a completer that needs nothing and answers by a script; Chat is a server
// that does, for the clients of Ollama and OpenAI's interface; ParseScript reads a script
// from a file; TestCompleter is the contract of llm.Completer.
package llmtest

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"brain/llm"
)

// Hash returns an embedder without any knowledge of language: every word adds +1 or
// -1 to a few of dims places chosen by its hash. Texts that share words are near each
// other, all others nearly at right angles. Same text, same bits, on every machine.
func Hash(dims int) llm.Embedder {
	if dims < 1 {
		panic(fmt.Sprintf("llmtest.Hash: %d dimensions", dims))
	}
	return hashing{dims}
}

type hashing struct{ dims int }

// placesPerWord makes it unlikely that two words share all their places.
const placesPerWord = 4

func (h hashing) Info() llm.Info {
	return llm.Info{Fingerprint: fmt.Sprintf("hash/%d", h.dims), Dims: h.dims, Zero: 0.1, One: 0.9, Same: 0.95}
}

func (h hashing) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return vectors, canceled(err)
		}
		vectors[i] = h.vector(text)
	}
	return vectors, nil
}

func (h hashing) vector(text string) []float32 {
	sums := make([]int, h.dims)
	for _, word := range words(text) {
		sum := fnv.New64a()
		for range placesPerWord {
			sum.Write([]byte(word))
			place := sum.Sum64()
			sums[place>>1%uint64(h.dims)] += 1 - 2*int(place&1)
		}
	}
	square := 0
	for _, s := range sums {
		square += s * s
	}
	if square == 0 {
		return nil
	}
	v := make([]float32, h.dims)
	for i, s := range sums {
		v[i] = float32(float64(s) / math.Sqrt(float64(square)))
	}
	return v
}

// words splits at everything but letters and digits; a Han character is a word.
func words(text string) []string {
	var spaced strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case unicode.Is(unicode.Han, r):
			spaced.WriteString(" " + string(r) + " ")
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			spaced.WriteRune(r)
		default:
			spaced.WriteByte(' ')
		}
	}
	return strings.Fields(spaced.String())
}

func canceled(err error) error {
	class := llm.Canceled
	if err == context.DeadlineExceeded {
		class = llm.Timeout
	}
	return &llm.Error{Class: class, Cause: err}
}

// Counter counts what passes through to the embedder it holds.
type Counter struct {
	llm.Embedder
	calls, texts atomic.Int64
}

// Counting wraps e.
func Counting(e llm.Embedder) *Counter { return &Counter{Embedder: e} }

// Embed counts the call and its texts, then passes them on.
func (c *Counter) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	c.calls.Add(1)
	c.texts.Add(int64(len(texts)))
	return c.Embedder.Embed(ctx, texts)
}

// Calls is the number of calls of Embed so far.
func (c *Counter) Calls() int { return int(c.calls.Load()) }

// Texts is the number of texts in all calls so far.
func (c *Counter) Texts() int { return int(c.texts.Load()) }

// Slow wraps e so that it says Remote and waits d before each call, or until the
// context ends: then it returns no vector and a Timeout or Canceled error.
func Slow(e llm.Embedder, d time.Duration) llm.Embedder { return slow{e, d} }

type slow struct {
	llm.Embedder
	delay time.Duration
}

func (s slow) Info() llm.Info {
	info := s.Embedder.Info()
	info.Remote = true
	return info
}

func (s slow) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	timer := time.NewTimer(s.delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return s.Embedder.Embed(ctx, texts)
	case <-ctx.Done():
		return make([][]float32, len(texts)), canceled(ctx.Err())
	}
}

// Broken wraps e so that a text for which fault returns an error gets no vector;
// the first such error is returned beside the vectors of the other texts. It says Remote.
func Broken(e llm.Embedder, fault func(text string) error) llm.Embedder { return broken{e, fault} }

type broken struct {
	llm.Embedder
	fault func(string) error
}

func (b broken) Info() llm.Info {
	info := b.Embedder.Info()
	info.Remote = true
	return info
}

func (b broken) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := b.Embedder.Embed(ctx, texts)
	for i, text := range texts {
		if fault := b.fault(text); fault != nil {
			vectors[i] = nil
			if err == nil {
				err = fault
			}
		}
	}
	return vectors, err
}
