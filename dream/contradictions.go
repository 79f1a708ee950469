package dream

import (
	"context"
	"crypto/sha256"
	"errors"

	"brain/store"
)

// The contradictions stage: from a tree to pairs that a person settles.
//
//	claims       what the pages and the agents' facts claim          claims.go
//	buckets      who speaks of the same                              buckets.go
//	candidates   who is compared, and what the screens say           candidates.go
//	judge        a model is asked where they cannot tell             judge.go
//	propose      the pairs stand in contradictions.md                propose.go
//
// It changes a page only where a person has answered; what it finds is proposed and no more.

// contradictionsVersion is raised when the same claims give other pairs.
const contradictionsVersion = 1

const contradictionsPart = "contradictions"

func (n *night) contradictions(ctx context.Context) error {
	if !n.DryRun {
		if err := n.carryOutAnswers(ctx); err != nil {
			return err
		}
	}
	v, err := n.view(ctx)
	if err != nil {
		return err
	}
	tree, err := n.tree(ctx)
	if err != nil {
		return err
	}
	inputs, err := n.reviewed(ctx, tree)
	if err != nil {
		return err
	}
	if n.unchanged(contradictionsPart, inputs...) {
		n.skip(contradictionsPart)
		return nil
	}
	found, looked, err := n.findPairs(ctx, v, tree)
	if err != nil {
		return err
	}
	if n.DryRun {
		return n.wouldPropose(ctx, found, looked)
	}
	if err := n.propose(ctx, found, looked); err != nil {
		return err
	}
	return n.proposed(ctx, tree)
}

// proposed says that what was just written is no news to the next night, unless somebody has
// answered meanwhile.
func (n *night) proposed(ctx context.Context, tree []byte) error {
	inputs, err := n.reviewed(ctx, tree)
	if err != nil {
		return err
	}
	d, err := ReadDocket(ctx, n.Store) // after the inputs: a later answer is none of them
	if err != nil {
		return err
	}
	if len(d.Answers) > 0 {
		n.later()
		return nil
	}
	n.sawAlso(inputs...)
	return nil
}

// reviewed is all that the stage looks at: the tree, and what was proposed and answered.
func (n *night) reviewed(ctx context.Context, tree []byte) ([][]byte, error) {
	inputs := [][]byte{tree, number(contradictionsVersion)}
	review, err := n.Store.Read(ctx, ReviewFile)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	verdicts, err := n.Store.ReadOwn(ctx, store.Verdicts)
	if err != nil {
		return nil, err
	}
	for _, raw := range [...][]byte{review, verdicts} {
		sum := sha256.Sum256(raw)
		inputs = append(inputs, sum[:])
	}
	return inputs, nil
}
