// Package llm is all that brain asks of a model.
//
// An Embedder turns texts into vectors. Three exist: Static, a table of English
// and Chinese words inside the binary that needs nothing and answers in
// microseconds; Ollama and OpenAI, which ask a server. Whoever turns vectors off
// holds a nil Embedder.
//
// A server fails in many ways and each wants another next step from the user, so
// every failure is an *Error with a Class. Work done before a failure is never
// thrown away: Embed returns the vectors it has beside the error.
package llm

import (
	"context"
	"math"
	"strings"
)

// Embedder turns texts into vectors of one space. It is safe for concurrent use.
type Embedder interface {
	// Embed returns one vector of unit length per text, in order; always
	// len(result) == len(texts), with an error too.
	//
	// A nil vector without an error means that there is nothing to embed in this
	// text: it is blank, or holds no word that the model knows.
	//
	// With an error, a nil vector may also mean that this text could not be
	// embedded. The error is the first cause, an *Error; the other vectors are
	// valid and worth keeping. Embed returns soon after ctx ends.
	//
	// The vector of a text does not depend on the texts beside it, beyond the
	// rounding of a server's arithmetic.
	Embed(ctx context.Context, texts []string) ([][]float32, error)

	// Info describes the vectors. It is cheap, except that a server may be asked
	// once, for a quarter of a second at most, what model stands behind a name.
	Info() Info
}

// Info describes an embedder's vector space.
type Info struct {
	// Fingerprint names the space: provider, model, and all that changes the
	// vectors. Never empty. Vectors under different fingerprints must not be
	// compared; see SameSpace for the one exception.
	Fingerprint string

	// Dims is the length of a vector; 0 until a server's first answer told it.
	Dims int

	// Remote means that a call may take long or fail: the caller sets a deadline
	// and makes words searchable before it waits for vectors.
	Remote bool

	// Zero and One calibrate cosines, whose scale differs from model to model: at
	// or below Zero two texts are unrelated, at One they mean the same.
	Zero, One float64

	// Same is the cosine from which two texts may be duplicates, if their words
	// agree as well: never by itself.
	Same float64

	// Near is the lower end of the grey zone: between it and Same two texts read alike,
	// and a cosine cannot tell whether they say the same.
	Near float64
}

// Calibrate maps a cosine to [0, 1]: Zero and below to 0, One and above to 1,
// linear between. NaN is 0.
func (i Info) Calibrate(cos float64) float64 {
	if math.IsNaN(cos) || cos <= i.Zero {
		return 0
	}
	if cos >= i.One {
		return 1
	}
	return (cos - i.Zero) / (i.One - i.Zero)
}

// Cosine of two vectors of unit length; 0 when there is none of one.
func Cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return math.Min(sum, 1)
}

// SameSpace reports whether vectors stored under fingerprint a may be compared
// with vectors of b. They may when the two are equal, and when they differ only in
// that one lacks the model's digest ("ollama/m" and "ollama/m@0a1b2c3d4e5f"): a
// server that is down cannot tell the digest, and that is no reason to call the
// stored vectors foreign.
func SameSpace(a, b string) bool {
	if a == b {
		return a != ""
	}
	nameA, digestA, _ := strings.Cut(a, digestMark)
	nameB, digestB, _ := strings.Cut(b, digestMark)
	return nameA == nameB && (digestA == "") != (digestB == "")
}

// digestMark stands between a model's name and its digest in a fingerprint.
const digestMark = "@"
