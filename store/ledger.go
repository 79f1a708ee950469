package store

import "context"

// LedgerOptions says whether and how git keeps the versions of what is written.
type LedgerOptions struct {
	Mode string // batch, per_write; "" is off
}

// settleLedger commits what is due.
func (st *Store) settleLedger(context.Context, bool) {}
