package store

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
)

// MakeRepository makes a git repository of a memory root that lies in none, marks
// it as brain's, and commits what the root and its brains hold. made is false
// where a repository is above already, and where there is no git.
func MakeRepository(ctx context.Context, r Root) (made bool, err error) {
	fail := func(err error) (bool, error) {
		return made, fmt.Errorf("make a git repository of %s: %w", r.Dir, err)
	}
	if gitAbove(r.Dir) || !hasGit() {
		return false, nil
	}
	if err := newRepository(ctx, r.Dir); err != nil {
		return fail(err)
	}
	made = true
	brains, err := r.Brains()
	if err != nil {
		return fail(err)
	}
	for _, name := range brains {
		if err := CommitBrain(ctx, r, name); err != nil {
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

// CommitBrain commits a brain that Init made, where brain made the repository;
// elsewhere its files are the user's to commit.
func CommitBrain(ctx context.Context, r Root, brain string) (err error) {
	st, err := Open(r, brain)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	st.Ledger.Mode, st.Ledger.Settings = LedgerBatch, []string{rootFile}
	g, err := findRepository(ctx, st.dir)
	if _, ok := errors.AsType[*skipped](err); ok || errors.Is(err, errNoGit) || errors.Is(err, errNoRepository) {
		return nil
	}
	if err != nil || !g.made() {
		return err
	}
	_, err = st.commitLedger(ctx, ledgerWant{wait: true, sweep: true, reason: "init"})
	return err
}
