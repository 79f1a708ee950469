package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"brain/page"
)

// ErrCannotUndo is the error for a job whose bytes are not there any more.
var ErrCannotUndo = errors.New("cannot be undone")

// Undo gives the files of a job back as they were, byte for byte: what was added
// goes, what was replaced or removed returns. It refuses, with a *ConflictError,
// when one of them was changed since, and then changes nothing. It is a job
// itself, so that it can be undone in turn; the new job is returned.
func (st *Store) Undo(ctx context.Context, id string) (*Job, Receipt, error) {
	what := fmt.Sprintf("undo %s in brain %s", id, st.name)
	j, err := st.undo.read(id)
	if err != nil {
		return nil, Receipt{}, fmt.Errorf("%s: %w", what, err)
	}
	if j.Purged {
		return nil, Receipt{}, fmt.Errorf("%s: %w: a file of it was purged", what, ErrCannotUndo)
	}
	var done *Job
	var receipt *Receipt
	err = st.Update(ctx, "undo", func(tx *Tx) error {
		tx.job.Undoes, tx.job.Alone = j.ID, j.Alone
		done, receipt = &tx.job, tx.Receipt()
		// What was added goes first: it may stand where another spelling of its
		// name returns.
		back := slices.Clone(j.Changes)
		slices.SortStableFunc(back, func(a, b Change) int { return len(a.Before) - len(b.Before) })
		for _, c := range back {
			if err := tx.restore(j, c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, Receipt{}, fmt.Errorf("%s: %w", what, err)
	}
	return done, *receipt, nil
}

// restore puts one file back as it was before a job. Own files have the same
// right to it as pages; what was merely renewed is let be.
func (tx *Tx) restore(j *Job, c Change) error {
	if c.Renewed {
		return nil
	}
	if err := mayRestore(tx.root.Root, c.Path); err != nil {
		return err
	}
	have, err := hashAt(tx.root.Root, c.Path)
	if err != nil {
		return err
	}
	if have != c.After {
		same, err := tx.st.onlyRenewed(c, have)
		if err != nil {
			return err
		}
		if !same {
			return &ConflictError{Path: c.Path, Want: c.After, Have: have}
		}
		c.After = have
	}
	if c.Before == "" {
		return tx.drop(page.Path(c.Path), c.After)
	}
	raw, err := tx.st.undo.bytes(j.ID, c)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCannotUndo, err)
	}
	if c.After == "" {
		if err := tx.free(page.Path(c.Path)); err != nil {
			return err
		}
	}
	return tx.putAs(c.Path, c.After, raw, tx.st.undo.rights(j.ID, c))
}

// onlyRenewed reports whether an own file has come from what a change left to what
// it holds now by renewals alone, or by jobs that were undone: such a change can be
// undone all the same.
func (st *Store) onlyRenewed(c Change, have Hash) (bool, error) {
	if !isOwn(c.Path) {
		return false, nil
	}
	jobs, err := st.Jobs(0)
	if err != nil {
		return false, err
	}
	same := map[Hash]bool{c.After: true}
	for _, j := range slices.Backward(jobs) {
		for _, r := range j.Changes {
			if r.Path == c.Path && (r.Renewed && same[r.Before] || r.Written != "" && same[r.Written]) {
				same[r.After] = true
			}
		}
	}
	return same[have], nil
}

// mayRestore checks a path that comes from a file rather than from a caller: an
// own file, or a page that is reached without a link.
func mayRestore(root *os.Root, name string) error {
	if isOwn(name) {
		return checkOwn(root, name)
	}
	p, err := page.ParsePath(name)
	if err == nil && p.IsSession() {
		err = fmt.Errorf("%w: %s: a session is only added to, turn by turn", ErrNotPage, p)
	}
	if err == nil {
		err = ignoreNotFound(checkParents(root, p))
	}
	if isRefused(err) {
		err = nil // nothing is there to be reached
	}
	return err
}
