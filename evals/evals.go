// Package evals measures recall the way a user meets it: documents of a data
// set become Markdown files and sessions in a real tree, the tree is indexed by
// the same Sync, and every question goes through the same Search with default
// settings.
//
//	Load     data set folder          → Set      (set.go, lines.go, where.go)
//	Plant    documents of one scope   → tree     (tree.go, dates.go)
//	Measure  Set                      → Run      (measure.go, engine.go, metrics.go)
//	Compare  two runs                 → gained and lost questions (compare.go)
//	Pairs    pairs with a label       → PairReport (pairs.go)
//	Isolation, Mini                     checks that need no data set
//
// What would make the figures worthless is kept out by construction: an id never
// becomes a file name, labels and answers are never read by what writes the
// tree, the clock is the data's and not the day's, and a set whose judgements
// name documents that do not exist is an error and not a table of zeros.
//
// The package prints nothing, reads no environment and never exits.
package evals

import "errors"

var (
	// ErrUsage: the caller asked for something that cannot be: a malformed
	// filter, an unknown arm, several judgement files and none chosen.
	ErrUsage = errors.New("invalid request")

	// ErrData: the data set contradicts itself or cannot be read as one.
	ErrData = errors.New("unusable data set")

	// ErrNotIndexed: a relevant document is not in the index after Sync, so that
	// no answer could ever name it.
	ErrNotIndexed = errors.New("relevant document is not in the index")
)
