package memory

import (
	"errors"
	"fmt"

	"brain/store"
)

// What callers tell apart. Each is wrapped with what was tried and on what. ErrFact is
// the error for a file that is no fact.
var (
	ErrUnknown     = errors.New("no such fact")
	ErrEmpty       = errors.New("the fact says nothing")
	ErrDuplicate   = errors.New("the fact is there already")
	ErrEvicted     = errors.New("there is no room for it: every fact that is kept counts for more")
	ErrUnsupported = errors.New("not supported")
	ErrNewer       = errors.New("a newer program wrote it")
	ErrCorrupt     = errors.New("the memory is damaged")

	// Both wrap store.ErrConflict: somebody else was there before.
	ErrManifestConflict = fmt.Errorf("memory.json %w", store.ErrConflict)
	ErrFactConflict     = fmt.Errorf("the fact %w", store.ErrConflict)
)

// DuplicateError says which fact says the same. It wraps ErrDuplicate.
type DuplicateError struct{ ID string }

func (e *DuplicateError) Error() string { return ErrDuplicate.Error() + ": " + e.ID }

func (e *DuplicateError) Unwrap() error { return ErrDuplicate }

// RevisionError says that what a change was made from is no longer so. It wraps
// ErrFactConflict, or ErrManifestConflict where ID is empty.
type RevisionError struct {
	ID         string
	Want, Have int // equal when a hand edited the file and left the revision as it was
}

func (e *RevisionError) Error() string {
	what := "memory.json"
	if e.ID != "" {
		what = "fact " + e.ID
	}
	if e.Want == e.Have {
		return fmt.Sprintf("%s was edited since revision %d was read", what, e.Have)
	}
	return fmt.Sprintf("%s is at revision %d, not %d", what, e.Have, e.Want)
}

func (e *RevisionError) Unwrap() error {
	if e.ID == "" {
		return ErrManifestConflict
	}
	return ErrFactConflict
}
