package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// The ledger keeps the versions of what is written, in git. It is optional and
// comes after the fact: an update is done when its files are in place; what git
// has not taken yet stands on the dirty list, survives the process, and is taken
// later. Whatever goes wrong here costs versions, never a page.
//
// Where the commits go:
//
//	a repository that `brain init` made     its branch
//	a user's own                            refs/brain/ledger, a history of its own
//	a user's own, with Branch: "current"    the branch that is checked out
//
// On a branch the user's index is made to agree for exactly our files, before
// the branch moves: their status stays clean, and their next commit keeps our
// pages. A ref only ever moves forward from where it was seen; nothing is reset,
// forced or rewritten.
//
// One pass goes: what is dirty, read under the tree's lock; what stands on disk
// (ledger_snapshot.go); what git has (cat-file); the plan (ledger_plan.go); the
// commits (fast-import); the index; the ref (update-ref); the list, under the
// tree's lock again. Neither pages are read nor git is run under it, only under a
// lock of the ledger's own.

// What LedgerOptions.Mode may be; "" is off.
const (
	LedgerBatch    = "batch"
	LedgerPerWrite = "per_write"
)

// LedgerCurrent is the Branch that is checked out.
const LedgerCurrent = "current"

// LedgerRef is where versions go in a repository that is the user's own.
const LedgerRef = "refs/brain/ledger"

const (
	ledgerWrites = 20
	ledgerAge    = 5 * time.Minute
	ledgerLimit  = 10 * time.Second
	ledgerRest   = time.Minute // after git took too long
	ledgerPart   = 10_000      // files
	ledgerTries  = 4           // when the ref or a file changes under our hands
)

// LedgerOptions says whether and how git keeps the versions of what is written.
type LedgerOptions struct {
	// Mode is batch: a commit for many writes; per_write: one for each; "": none.
	Mode string
	// Branch is "" for the rule above, or current.
	Branch string
	// OwnFilters may run on a branch: commands that the repository's own
	// configuration names. Those of the user's configuration always may.
	OwnFilters bool
	// Sessions are kept, too, at every commit. They hold what was said, word
	// for word.
	Sessions bool
	// Settings are the files, relative to the root, that say what pages mean:
	// memory.yml and that of the schema pack. A change of them is committed by
	// itself.
	Settings []string
	// Writes is how many make a batch, 0 for 20; Age how old the oldest may
	// become before any write commits them all, 0 for 5 minutes.
	Writes int
	Age    time.Duration
	// Limit is the longest time that git may take for one pass, 0 for 10 s.
	Limit time.Duration
	// Now is the clock, nil for time.Now.
	Now func() time.Time

	part int             // files that make a commit full, 0 for 10,000
	said map[string]bool // why passes were skipped, each once a process
}

func (o *LedgerOptions) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}

// most says how much goes into one commit.
func (o *LedgerOptions) most() limits {
	if o.Mode == LedgerPerWrite {
		return limits{jobs: 1, files: o.partFiles()}
	}
	return limits{jobs: math.MaxInt, files: o.partFiles()}
}

func (o *LedgerOptions) partFiles() int {
	if o.part == 0 {
		return ledgerPart
	}
	return o.part
}

// LedgerReport is what a Commit did.
type LedgerReport struct {
	Ref     string   `json:"ref"`     // the ref that has the commits
	Commits []string `json:"commits"` // names of those made, oldest first
	Files   int      `json:"files"`   // that they change
	Jobs    int      `json:"jobs"`    // that were on the dirty list and are done with
	Left    int      `json:"left"`    // that still are on it
	Skipped string   `json:"skipped"` // why nothing was done, or ""
	Notes   []string `json:"notes"`   // what a person should know
}

// ledgerWant is what a pass is asked for.
type ledgerWant struct {
	wait   bool   // for another process that commits
	all    bool   // as many passes as it takes, while each gets somewhere
	sweep  bool   // take in what was made by hand, where brain made the repository
	reason string // of a sweep that is brain's own, as that of init is; "" is an edit by hand
}

// settleLedger commits what is due at the end of an update: alone, the update
// asks for a commit of its own at once. It reports by notes only, since the
// update is done.
func (st *Store) settleLedger(ctx context.Context, alone bool) {
	if st.Ledger.Mode == "" {
		return
	}
	ids, err := st.undo.dirtyIDs()
	if err != nil {
		st.sayOnce(fmt.Sprintf("the ledger is skipped: %v", err))
		return
	}
	if !alone && !st.Ledger.due(ids) && !st.settingsChanged() {
		if len(ids) > 0 && gitAbove(st.dir) && !hasGit() {
			st.sayOnce("the ledger is off: " + errNoGit.Error())
		}
		return
	}
	if !alone && st.resting() {
		return
	}
	rep, err := st.commitLedger(ctx, ledgerWant{wait: alone || st.Ledger.Mode == LedgerPerWrite})
	if rep.Skipped != "" && rep.Skipped != errNoRepository.Error() {
		rep.Notes = append(rep.Notes, "the ledger is skipped: "+rep.Skipped)
	}
	if err != nil && ctx.Err() == nil {
		rep.Notes = append(rep.Notes, "the ledger is skipped: "+err.Error())
	}
	for _, n := range rep.Notes {
		st.sayOnce(n)
	}
}

// sayOnce says what would be said after every write otherwise.
func (st *Store) sayOnce(line string) {
	st.mu.Lock()
	told := st.Ledger.said[line]
	if st.Ledger.said == nil {
		st.Ledger.said = map[string]bool{}
	}
	st.Ledger.said[line] = true
	st.mu.Unlock()
	if !told {
		st.say("%s", line)
	}
}

// due reports whether the dirty list is to be committed without being asked.
func (o *LedgerOptions) due(ids []string) bool {
	if len(ids) == 0 {
		return false
	}
	if o.Mode == LedgerPerWrite {
		return true
	}
	writes, age := o.Writes, o.Age
	if writes == 0 {
		writes = ledgerWrites
	}
	if age == 0 {
		age = ledgerAge
	}
	return len(ids) >= writes || o.now().Sub(jobAt(ids[0])) >= age
}

// jobAt is when a job was done, by its id.
func jobAt(id string) time.Time {
	at, err := time.Parse(jobTime, id[:len(jobTime)])
	if err != nil {
		return time.Time{}
	}
	return at
}

// CommitDue commits what is dirty if there is enough of it or it is old enough:
// for commands that look at the brain without writing.
func (st *Store) CommitDue(ctx context.Context) { st.settleLedger(ctx, false) }

// Commit commits all that is dirty now: for the end of a command that wrote many
// pages. Why nothing was done is in the report; an error is a failure of git.
func (st *Store) Commit(ctx context.Context) (LedgerReport, error) {
	return st.commitLedger(ctx, ledgerWant{wait: true, all: true})
}

// CommitAll is Commit, and in a repository that brain made it also commits what
// was made, changed or deleted by hand.
func (st *Store) CommitAll(ctx context.Context) (LedgerReport, error) {
	return st.commitLedger(ctx, ledgerWant{wait: true, all: true, sweep: true})
}

// commitLedger makes an attempt within the time limit, and tells what came of it.
func (st *Store) commitLedger(ctx context.Context, want ledgerWant) (rep LedgerReport, err error) {
	rep.Commits, rep.Notes = []string{}, []string{}
	if st.Ledger.Mode == "" {
		rep.Skipped = "git.mode is off"
		return rep, nil
	}
	limit := st.Ledger.Limit
	if limit == 0 {
		limit = ledgerLimit
	}
	for before := -1; before < rep.Jobs; {
		before = rep.Jobs
		limited, stop := context.WithTimeout(ctx, limit)
		err = st.lockedLedger(limited, want, &rep)
		stop()
		if !want.all || !errors.Is(err, context.DeadlineExceeded) {
			break
		}
	}
	if s, ok := errors.AsType[*skipped](err); ok {
		slow := errors.Is(err, context.DeadlineExceeded)
		if err = nil; slow {
			err = st.rest()
		}
		rep.Skipped = s.why
	}
	if ids, lost := st.undo.dirtyIDs(); lost == nil {
		rep.Left = len(ids)
	}
	if err != nil {
		err = fmt.Errorf("commit the versions of brain %s: %w", st.name, err)
	}
	return rep, err
}

// lockedLedger finds the repository, takes the ledger's lock and makes passes
// until one finds the ref where it left it.
func (st *Store) lockedLedger(ctx context.Context, want ledgerWant, rep *LedgerReport) error {
	g, err := findRepository(ctx, st.dir)
	switch {
	case errors.Is(err, errNoRepository):
		// Without a repository there are no versions to miss.
		return errors.Join(&skipped{err.Error()}, ignoreMissing(os.Remove(st.undo.dirty())))
	case errors.Is(err, errNoGit):
		return &skipped{err.Error()}
	case err != nil:
		return err
	}
	if why := g.busy(); why != "" {
		return &skipped{why}
	}
	if err := st.undo.make(st.Ledger.now()); err != nil {
		return err
	}
	unlock, err := st.lockLedger(ctx, want.wait)
	if err != nil || unlock == nil {
		return err
	}
	defer unlock()
	if err := errors.Join(ignoreMissing(os.Remove(st.undo.stream())), st.settleIntent(ctx, g)); err != nil {
		return err
	}
	for try := 1; ; try++ {
		err := st.ledgerPass(ctx, g, want, rep)
		if try == ledgerTries || !errors.Is(err, errRefMoved) && !errors.Is(err, errChanged) {
			return err
		}
	}
}

// lockLedger takes the ledger's lock. unlock is nil when another process has it
// and is left to do the work.
func (st *Store) lockLedger(ctx context.Context, wait bool) (unlock func() error, err error) {
	fl := flock.New(filepath.Join(st.undo.dir, "LEDGER"))
	ok, err := fl.TryLock()
	if wait && !ok && err == nil {
		ok, err = fl.TryLockContext(ctx, 10*time.Millisecond)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, &skipped{"another process is committing"}
	case err != nil:
		return nil, err
	case !ok:
		return nil, nil
	}
	return fl.Unlock, nil
}

// resting reports whether git took too long a moment ago: then only who asks for
// a commit waits for it again.
func (st *Store) resting() bool {
	fi, err := os.Stat(st.undo.slow())
	return err == nil && st.Ledger.now().Sub(fi.ModTime()) < ledgerRest
}

func (st *Store) rest() error { return os.WriteFile(st.undo.slow(), nil, 0o600) }

func (u undo) slow() string { return filepath.Join(u.dir, "SLOW") }

// dirtyIDs are the jobs that the ledger has not taken yet, oldest first.
func (u undo) dirtyIDs() ([]string, error) {
	raw, err := os.ReadFile(u.dirty())
	var ids []string
	met := map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		if id := strings.TrimSpace(line); isJobID(id) && !met[id] {
			ids, met[id] = append(ids, id), true
		}
	}
	return ids, ignoreMissing(err)
}

// clean takes jobs off the dirty list. The tree's lock is held while it is
// rewritten, since writers append to it under that lock.
func (st *Store) clean(ctx context.Context, done []string) error {
	root, err := st.current()
	if err != nil {
		return err
	}
	unlock, err := st.lock(ctx, root, "ledger")
	if err != nil {
		return err
	}
	ids, err := st.undo.dirtyIDs()
	if err == nil {
		err = st.undo.setDirty(slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(done, id) }))
	}
	return errors.Join(err, unlock())
}

func (u undo) setDirty(ids []string) error {
	if len(ids) == 0 {
		return ignoreMissing(os.Remove(u.dirty()))
	}
	temp := u.dirty() + ".new"
	if err := os.WriteFile(temp, []byte(strings.Join(ids, "\n")+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(temp, u.dirty())
}

// intent is written before the index and a ref change, so that a pass that dies
// between the ref and the dirty list is not done twice, and one that dies between
// the index and the ref leaves nothing there that looks like the user's.
type intent struct {
	Ref    string            `json:"ref"`
	Commit string            `json:"commit"`
	Jobs   []string          `json:"jobs"`
	Index  map[string]string `json:"index,omitempty"` // path → object, "" for none
}

func (u undo) intent() string { return filepath.Join(u.dir, "MOVING") }

// stream holds what git is about to take; of a pass that died it may be left over.
func (u undo) stream() string { return filepath.Join(u.dir, "STREAM") }

func (u undo) writeIntent(in intent) error {
	raw, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return os.WriteFile(u.intent(), raw, 0o600)
}

// settleIntent finishes a pass that died: if its commit is in the ref's history,
// its jobs are done, and else what it did to the index is taken back.
func (st *Store) settleIntent(ctx context.Context, g *repository) error {
	raw, err := os.ReadFile(st.undo.intent())
	if err != nil {
		return ignoreMissing(err)
	}
	var in intent
	if json.Unmarshal(raw, &in) == nil && in.Commit != "" {
		_, err := g.run(ctx, nil, "merge-base", "--is-ancestor", in.Commit, in.Ref)
		if _, failed := errors.AsType[*gitError](err); err != nil && !failed {
			return err
		}
		if err == nil {
			err = st.clean(ctx, in.Jobs)
		} else {
			err = g.unmirror(ctx, in.Ref, in.Index)
		}
		if err != nil {
			return err
		}
	}
	return ignoreMissing(os.Remove(st.undo.intent()))
}
