package main

import (
	"context"
	"fmt"

	"brain/store"
)

// ledger are the settings of git as the store takes them.
func (l *loaded) ledger() store.LedgerOptions {
	o := store.LedgerOptions{Mode: l.GitMode, Branch: l.GitBranch, Sessions: l.GitSessions == "yes", Age: l.GitBatchInterval}
	if o.Mode == "off" {
		o.Mode = ""
	}
	if o.Branch == "own" {
		o.Branch = ""
	}
	return o
}

// examineLedger looks where the versions of what is written go.
func examineLedger(ctx context.Context, x *examination, o *opened) {
	o.st.Ledger = o.settings.ledger()
	s, err := o.st.LedgerState(ctx)
	waiting := ""
	if s.Dirty > 0 {
		waiting = fmt.Sprintf("; %s since %s not committed yet", count(s.Dirty, "write"), stamp(s.Oldest))
	}
	switch {
	case err != nil:
		x.fail("ledger", err)
	case s.Mode == "off":
		x.ok("ledger", "off: git keeps no versions")
	case s.Blocked != "" && s.Dirty > 0 && s.Repository != "":
		x.warn("ledger", s.Blocked+waiting, "brain sync --commit, when that is over; or git.mode: off")
	case s.Blocked != "":
		x.ok("ledger", "no versions are kept now: "+s.Blocked)
	default:
		if s.Limits != "" {
			waiting += "; " + s.Limits
		}
		x.ok("ledger", fmt.Sprintf("%s: %s in %s%s", s.Mode, s.Ref, s.Repository, waiting))
	}
}
