package evals

import "crypto/sha256"

// Untuned says whether a question belongs to the half that nobody looks at
// while rules, templates and weights are made. Whoever widens a pattern reads
// the other half and may quote it; a gain that shows there and not here was
// learned by heart. The half is drawn by a hash of the id, so that it cannot be
// chosen, and questions that are added later fall into place by themselves.
func Untuned(id string) bool {
	return sha256.Sum256([]byte("brain:" + id))[0]&1 == 1
}
