package store

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
)

// MakeRepository makes a git repository of a memory root that lies in none, marks
// it as brain's, and commits what the root and its brains hold. made is false
// where there is one above already, or no git. In a repository that brain made
// before, the brain of that name ("" for none) is committed as it is.
func MakeRepository(ctx context.Context, r Root, brain string) (made bool, err error) {
	fail := func(err error) (bool, error) {
		return made, fmt.Errorf("make a git repository of %s: %w", r.Dir, err)
	}
	brains := []string{brain}
	if !gitAbove(r.Dir) {
		switch err := newRepository(ctx, r.Dir); {
		case errors.Is(err, errNoGit):
			return false, nil
		case err != nil:
			return fail(err)
		}
		made = true
		if brains, err = r.Brains(); err != nil {
			return fail(err)
		}
	}
	for _, name := range brains {
		if name == "" {
			continue
		}
		if err := commitNew(ctx, r, name); err != nil {
			return fail(err)
		}
	}
	return made, nil
}

func newRepository(ctx context.Context, dir string) error {
	bin, err := exec.LookPath("git")
	if err != nil {
		return errNoGit
	}
	ctx, stop := context.WithTimeout(ctx, ledgerLimit)
	defer stop()
	g := &repository{bin: bin, top: dir}
	if _, err = g.run(ctx, nil, "init", "-q"); err == nil {
		_, err = g.run(ctx, nil, "config", ledgerKey, "true")
	}
	return err
}

// commitNew commits a brain that init made, if the repository is brain's.
func commitNew(ctx context.Context, r Root, brain string) (err error) {
	st, err := Open(r, brain)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	st.Ledger.Mode = LedgerBatch
	g, err := findRepository(ctx, st.dir)
	if err != nil || !g.made() {
		return ignoreUnusable(err)
	}
	_, err = st.commitLedger(ctx, ledgerWant{wait: true, sweep: true, reason: "init"})
	return err
}

// ignoreUnusable passes over a repository that the ledger cannot use.
func ignoreUnusable(err error) error {
	if _, ok := errors.AsType[*skipped](err); ok || errors.Is(err, errNoGit) || errors.Is(err, errNoRepository) {
		return nil
	}
	return err
}
