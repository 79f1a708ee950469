package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"

	"brain/llm"
)

// embed asks the embedder for texts and stores what it gives. A text that
// fails is failed, not an error: its page is found by words.
func (b *draft) embed(ctx context.Context, e llm.Embedder, keys []vecKey, texts []string, ids map[vecKey]uint32) error {
	vecs, err := e.Embed(ctx, texts)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if len(vecs) != len(texts) {
		return fmt.Errorf("embedder: %d vectors for %d texts: %w", len(vecs), len(texts), err)
	}
	got, err := b.store(keys, vecs, err)
	maps.Copy(ids, got)
	return err
}

// store keeps the vectors that came and gives each key's number or state:
// without an error, no vector means that there was nothing to embed.
func (b *draft) store(keys []vecKey, vecs [][]float32, cause error) (map[vecKey]uint32, error) {
	ids := make(map[vecKey]uint32, len(keys))
	var okKeys []vecKey
	var okVecs [][]float32
	for i, v := range vecs {
		switch {
		case usable(v) && (b.m.Dims == 0 || len(v) == b.m.Dims):
			if b.m.Dims == 0 {
				b.m.Dims = len(v)
			}
			okKeys, okVecs = append(okKeys, keys[i]), append(okVecs, v)
		case v == nil && serverFault(cause):
			ids[keys[i]] = vecPending
		case v != nil || cause != nil:
			ids[keys[i]] = vecFailed
		default:
			ids[keys[i]] = vecNone
		}
	}
	nums, err := b.addVectors(okKeys, okVecs)
	if err != nil {
		return nil, err
	}
	for i, k := range okKeys {
		ids[k] = nums[i]
	}
	return ids, nil
}

// usable reports whether v has a direction: one number that is none, and
// every cosine with it would be none either.
func usable(v []float32) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return sum > 0 && !math.IsInf(sum, 1) // NaN is not above 0
}

// serverFault reports whether texts got no vector through no fault of theirs:
// they wait for the server, and are not given up.
func serverFault(cause error) bool {
	for _, c := range []llm.Class{llm.Down, llm.NotAServer, llm.TLS, llm.Unauthorized, llm.ModelMissing,
		llm.Overloaded, llm.Timeout, llm.Canceled, llm.BadOption} {
		if errors.Is(cause, c) {
			return true
		}
	}
	return false
}
