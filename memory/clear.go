package memory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"brain/store"
)

// Clear takes away the facts of an agent, or with all those of every agent and the
// user's summaries, in one update; an undo brings them back. Of before v2 nothing comes
// back later: the old files go with the facts, and copies of them stay as nothing reads
// them (adopt.go). An agent's other files are its host's and stay, and so does what lies
// among the facts and is none.
//
// It does not know of conversations: whoever calls it has seen to it that nothing is made
// of those that were there before (inbox.Box.Cancel with Running).
func (m *Facts) Clear(ctx context.Context, agent string, all bool) (*Delta, error) {
	var agents []string
	var last func(*store.Tx) error
	if all {
		last = func(tx *store.Tx) error {
			now := m.now()
			return changeManifest(tx, now, func(of *manifest) (bool, error) { return of.clear(now) })
		}
	} else {
		agents = []string{agent}
	}
	d, err := m.changeAll(ctx, "fact clear", agents, false, func(b *Batch) error { return b.clear(all) }, last)
	if err != nil {
		return nil, fmt.Errorf("clear facts: %w", err)
	}
	if all {
		m.clearSidecars(ctx)
	}
	return d, nil
}

// clear stages that no facts are left, and with summaries that what the agent had of
// before v2 of the user's goes as well.
func (b *Batch) clear(summaries bool) error {
	b.clearing, b.forgetting = true, summaries
	all, err := b.All()
	if err != nil {
		return err
	}
	for _, f := range all {
		if err := b.Remove(f.ID); err != nil {
			return err
		}
	}
	return b.takeOver() // also where all that is left is broken
}

// errDry ends the update of a dry run, which takes it back.
var errDry = errors.New("a dry run")

// changeAll is change for several agents in one update, for all that have facts where
// agents is nil; last, if there is one, has the last word. A dry run is taken back.
func (m *Facts) changeAll(ctx context.Context, reason string, agents []string, dry bool, fn func(*Batch) error, last func(*store.Tx) error) (*Delta, error) {
	var sum *Delta
	var each []*Delta
	var receipt *store.Receipt
	err := m.Store.Update(ctx, reason, func(tx *store.Tx) (err error) {
		receipt, sum, each = tx.Receipt(), &Delta{Version: manifestVersion}, nil
		whose := agents
		if whose == nil {
			if whose, err = m.Agents(ctx); err != nil {
				return err
			}
		}
		for _, agent := range whose {
			b, err := m.Batch(ctx, tx, agent)
			if err == nil {
				err = fn(b)
			}
			if err != nil {
				return err
			}
			d, err := b.Write()
			if err != nil {
				return err
			}
			each = append(each, d)
			sum.Adopted += d.Adopted
			sum.Upserted, sum.Deleted = append(sum.Upserted, d.Upserted...), append(sum.Deleted, d.Deleted...)
			sum.Evicted = append(sum.Evicted, d.Evicted...)
		}
		if last != nil {
			if err := last(tx); err != nil {
				return err
			}
		}
		sum.Revision, sum.Updated, err = m.renewed(tx)
		if dry && err == nil {
			err = errDry
		}
		return err
	})
	if dry && errors.Is(err, errDry) {
		return sum, nil
	}
	if err != nil {
		return nil, err
	}
	sum.Job = receipt.Job
	for _, d := range each {
		m.Settle(d)
	}
	m.tell(receipt)
	return sum, nil
}

// renewed is the revision of memory.json as an update leaves it, and its date.
func (m *Facts) renewed(tx *store.Tx) (revision int, at time.Time, err error) {
	if err := Renew(m.now)(tx); err != nil {
		return 0, at, err
	}
	raw, err := tx.ReadOwn(store.Summaries)
	if of, parseErr := parseManifest(raw); parseErr == nil {
		at = parsedTime(of.top.text("lastUpdated"))
	}
	return manifestRevision(raw), at, err
}
