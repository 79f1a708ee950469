package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"brain/page"
)

// A transaction has four steps, and the tree shows nothing before the third:
//
//	stage   each file whole and synced into .txn/tmp-…   while fn runs
//	log     the journal, .txn/JOURNAL                     after fn returned
//	place   move each to its name; what stood there goes to .txn/tmp-… in turn
//	commit  the journal says so; what was replaced goes to the undo store
//
// A file that is not what it was when fn saw it ends the third step, and all of
// it is taken back. A writer that dies is rolled back, or forward once it
// committed, by the next one that opens the brain (journal.go). A transaction
// that only adds one file needs no journal: a rename is there or it is not.

const tempPrefix = "tmp-"

func isTemp(name string) bool { return strings.HasPrefix(name, tempPrefix) }

const (
	// maxSuffix is the last number that AddNew tries: more pages of one name
	// are a loop in the caller rather than a coincidence.
	maxSuffix = 9999

	// maxName is the length in bytes of the longest name that common file
	// systems take.
	maxName = 255

	// maxTries bounds how often Update begins anew because another program
	// changed a file under its hands.
	maxTries = 3
)

// TwinError says which page stands in the way of another spelling of its name.
// Existing is where the page is, or would be once the folder is spelled as the
// one on disk.
type TwinError struct {
	Path, Existing page.Path
}

func (e *TwinError) Error() string {
	return fmt.Sprintf("%v: %s, in place of %s", ErrTwin, e.Existing, e.Path)
}

func (e *TwinError) Unwrap() error { return ErrTwin }

// Update runs fn while this process alone may write the brain, and then makes
// everything fn wrote appear; when fn fails or panics, nothing of it does. An
// editor that ignores the lock and changes a file between fn's look at it and
// its replacement makes fn run again, on the file as it is now, at most three
// times in all.
//
// reason is shown to others that wait ("add", "compile"), and by undo and the
// ledger. Waiting ends with ctx: at its deadline with a *BusyError, else with
// its error. A brain that may not be written gives ErrReadOnly; `write: ask` is
// for the caller to ask. The lock is not re-entrant: fn must not call Update,
// nor a model or a network.
func (st *Store) Update(ctx context.Context, reason string, fn func(*Tx) error) error {
	what := "write brain " + st.name
	job, err := st.update(ctx, what, reason, fn)
	if err == nil && job != nil {
		st.settleLedger(ctx, job.Alone)
	}
	return err
}

// update is Update without the ledger. The job is nil when nothing was written.
func (st *Store) update(ctx context.Context, what, reason string, fn func(*Tx) error) (job *Job, err error) {
	if err := errContext(ctx, what); err != nil {
		return nil, err
	}
	root, err := st.writable()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	unlock, err := st.lock(ctx, root, reason)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	defer func() { err = st.unlocked(unlock(), job, err) }()
	if err := st.settle(st.disk(root)); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	for try := 1; ; try++ {
		job, err = st.try(ctx, what, newTx(st, st.disk(root), reason), fn)
		if try == maxTries || !errors.Is(err, errUnderHands) || errors.Is(err, errStuck) {
			return job, err
		}
	}
}

func (st *Store) try(ctx context.Context, what string, tx *Tx, fn func(*Tx) error) (job *Job, err error) {
	defer func() { err = errors.Join(err, tx.close()) }()
	if err := fn(tx); err != nil {
		return nil, err
	}
	if err := tx.renew(); err != nil {
		return nil, err
	}
	if err := errContext(ctx, what); err != nil {
		return nil, err
	}
	return tx.commit()
}

// renew lets the store's hook add what changes with any change.
func (tx *Tx) renew() error {
	if tx.st.Renew == nil || !slices.ContainsFunc(tx.changes, (*edit).changes) {
		return nil
	}
	return tx.st.Renew(tx)
}

// unlocked is the outcome of an update once its lock was given back. What was
// committed is not undone by a lock that could not be.
func (st *Store) unlocked(unlock error, job *Job, err error) error {
	if unlock != nil && err == nil && job != nil {
		st.say("this update (%s) is done, but its lock: %v", job.ID, unlock)
		return nil
	}
	return errors.Join(err, unlock)
}

// Rewrite replaces a page by what fn makes of it, and returns the job. fn runs
// without the lock and may take its time; if the page changed meanwhile it is
// asked again, three times in all, and then the error is a *ConflictError.
func (st *Store) Rewrite(ctx context.Context, reason string, p page.Path, fn func(raw []byte) ([]byte, error)) (job string, err error) {
	for try := 1; ; try++ {
		raw, err := st.Read(ctx, p)
		if err != nil {
			return "", err
		}
		out, err := fn(raw)
		if err != nil {
			return "", err
		}
		err = st.Update(ctx, reason, func(tx *Tx) error {
			job = tx.Job()
			return tx.Replace(p, HashOf(raw), out)
		})
		if try == maxTries || !errors.Is(err, ErrConflict) {
			return job, err
		}
	}
}

// writable returns the brain's folder if brain.yml, read anew, lets us write.
func (st *Store) writable() (*os.Root, error) {
	root, err := st.current()
	if err != nil {
		return nil, err
	}
	if why := st.reload(root).readOnly(); why != "" {
		return nil, fmt.Errorf("%w: %s", ErrReadOnly, why)
	}
	return root, nil
}

// settle checks, once the lock is held, what may have changed while we waited
// for it, and clears up after writers that died.
func (st *Store) settle(root disk) error {
	now, err := st.writable()
	if err != nil {
		return err
	}
	if now != root.Root {
		return fmt.Errorf("%w: it was replaced while we waited for the lock", ErrUnreadable)
	}
	if err := st.mend(root); err != nil {
		return fmt.Errorf("clear up after another writer: %w", err)
	}
	return nil
}

// Tx is one update of a brain, valid until the function it was given to returns.
// It is for one goroutine.
type Tx struct {
	st      *Store
	root    disk
	job     Job
	changes []*edit
	at      map[string]*edit // changes by path
	log     *journal         // once commit began
	receipt *Receipt
	notes   []string
	done    bool // over: nothing more may be written
	kept    bool // committed: nothing is to be taken back

	// folders remembers the names in each folder that was looked at, on disk
	// or staged: folded → as written.
	folders map[string]map[string][]string
}

func newTx(st *Store, root disk, reason string) *Tx {
	now := st.jobTime()
	return &Tx{
		st: st, root: root,
		job: Job{ID: newJobID(now), At: now.UTC().Truncate(time.Millisecond), Reason: reason},
		at:  map[string]*edit{}, folders: map[string]map[string][]string{}, receipt: &Receipt{},
	}
}

// jobTime is the time of a new job: ids sort by it, so no two of this process are
// of one millisecond.
func (st *Store) jobTime() time.Time {
	st.mu.Lock()
	defer st.mu.Unlock()
	now := time.Now().Truncate(time.Millisecond)
	if !now.After(st.lastJob) {
		now = st.lastJob.Add(time.Millisecond)
	}
	st.lastJob = now
	return now
}

// Receipt says what an update came to, for undo and for the index.
type Receipt struct {
	Job   string      // by which it can be undone; "" when it cannot be
	Paths []page.Path // of the pages it touched: new, changed and gone
	// Before and After are the brain's epochs (Store.Epoch) while the update
	// held the lock: just before its first file moved, and after its last.
	Before, After string
}

// Receipt is filled in when the update is committed; the zero Receipt means that
// nothing was written.
func (tx *Tx) Receipt() *Receipt { return tx.receipt }

// Job is the name by which this update can be undone.
func (tx *Tx) Job() string { return tx.job.ID }

// Alone asks for a commit of its own in the ledger, at once.
func (tx *Tx) Alone() { tx.job.Alone = true }

// Because notes what a page is removed for, where that is not what the update is for.
// Whoever lists what is gone finds it in the job.
func (tx *Tx) Because(p page.Path, why string) {
	if c := tx.at[string(p)]; c != nil && !tx.done {
		c.Why = why
	}
}

// Written returns the pages that this update has added or replaced so far, in
// the order of their first writing.
func (tx *Tx) Written() []page.Path {
	var out []page.Path
	for _, c := range tx.changes {
		if c.After != "" && !isOwn(c.Path) {
			out = append(out, page.Path(c.Path))
		}
	}
	return out
}

// Note has a line told (Store.OnNote) once the update is done.
func (tx *Tx) Note(line string) { tx.notes = append(tx.notes, line) }

// Touched returns the pages that this update has added, replaced or removed so
// far, in the order of their first change.
func (tx *Tx) Touched() []page.Path {
	var out []page.Path
	for _, c := range tx.changes {
		if c.changes() && !isOwn(c.Path) {
			out = append(out, page.Path(c.Path))
		}
	}
	return out
}

// Exists reports whether anything stands at a path, on disk or in this update.
func (tx *Tx) Exists(p page.Path) (bool, error) {
	if c := tx.at[string(p)]; c != nil {
		return c.After != "", nil
	}
	err := checkParents(tx.root.Root, p)
	if err == nil {
		_, err = tx.root.Lstat(string(p))
	}
	switch err = notFound(err); {
	case err == nil:
		return true, nil
	case errors.Is(err, ErrNotFound):
		return false, nil
	}
	return false, fmt.Errorf("look for %s: %w", p, err)
}

// Read returns a page as it will be after this update.
func (tx *Tx) Read(p page.Path) (raw []byte, err error) {
	switch c := tx.at[string(p)]; {
	case c == nil || tx.done:
		raw, err = readPage(tx.root.Root, p)
	case c.After == "":
		err = fmt.Errorf("%w: this update removed it", ErrNotFound)
	default:
		raw, err = tx.root.ReadFile(c.Temp)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", p, err)
	}
	return raw, nil
}

// Add writes a new page; the folders above it are made. It refuses a path that
// exists (ErrExists), one that differs from an existing one only in case or
// Unicode form (*TwinError), one that List would never show (ErrNotPage), and
// content above MaxFile (ErrTooLarge).
func (tx *Tx) Add(p page.Path, content []byte) error {
	if err := tx.add(p, content); err != nil {
		return fmt.Errorf("add %s: %w", p, err)
	}
	return nil
}

func (tx *Tx) add(p page.Path, content []byte) error {
	if err := tx.mayWrite(p, content); err != nil {
		return err
	}
	for part := range strings.SplitSeq(string(p), "/") {
		if len(part) > maxName {
			return fmt.Errorf("%w: a name in its path has %d bytes, the limit is %d", ErrNotPage, len(part), maxName)
		}
	}
	if err := ignoreNotFound(checkParents(tx.root.Root, p)); err != nil {
		return err
	}
	reason, err := hidden(tx.root.Root, p)
	if err != nil {
		return err
	}
	if reason != "" {
		return fmt.Errorf("%w: it would be skipped: %s", ErrNotPage, reason)
	}
	for _, up := range parents(p.Dir()) {
		if c := tx.at[up]; c != nil && c.After != "" {
			return fmt.Errorf("%w: %s is a page", ErrNotPage, up)
		}
	}
	if err := tx.free(p); err != nil {
		return err
	}
	if err := tx.put(string(p), "", content); err != nil {
		return err
	}
	return tx.note(p)
}

// mayWrite checks what holds for every page that is written.
func (tx *Tx) mayWrite(p page.Path, content []byte) error {
	switch {
	case tx.done:
		return ErrTxDone
	case p.IsSession():
		return fmt.Errorf("%w: %s: a session is only added to, turn by turn", ErrNotPage, p)
	case len(content) > MaxFile:
		return fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLarge, len(content), MaxFile)
	}
	return nil
}

// Replace rewrites a page that was read as bytes of the hash was: any other
// content, or none, is a *ConflictError. Permissions stay.
func (tx *Tx) Replace(p page.Path, was Hash, content []byte) error {
	err := tx.mayWrite(p, content)
	if err == nil {
		err = tx.expect(p, was)
	}
	if err == nil {
		err = tx.put(string(p), was, content)
	}
	if err != nil {
		return fmt.Errorf("rewrite %s: %w", p, err)
	}
	return nil
}

// Remove takes away a page that was read as bytes of the hash was. The undo
// store keeps them.
func (tx *Tx) Remove(p page.Path, was Hash) error {
	err := tx.mayWrite(p, nil)
	if err == nil {
		err = tx.expect(p, was)
	}
	if err == nil {
		err = tx.drop(p, was)
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", p, err)
	}
	return nil
}

// expect checks that a page has the content that a change was made from.
func (tx *Tx) expect(p page.Path, was Hash) error {
	raw, err := tx.Read(p)
	switch {
	case errors.Is(err, ErrNotFound):
		return &ConflictError{Path: string(p), Want: was}
	case err != nil:
		return err
	}
	if have := HashOf(raw); have != was {
		return &ConflictError{Path: string(p), Want: was, Have: have}
	}
	return nil
}

// AddNew is Add under the first free name of p, p-2, p-3 …, and returns it.
func (tx *Tx) AddNew(p page.Path, content []byte) (page.Path, error) {
	ext := path.Ext(string(p))
	stem := strings.TrimSuffix(string(p), ext)
	for n := 1; n <= maxSuffix; n++ {
		try := p
		if n > 1 {
			try = page.Path(stem + "-" + strconv.Itoa(n) + ext)
		}
		if n > 1 && isTaken(tx.free(try)) {
			continue // the cheapest of Add's questions, asked first
		}
		if err := tx.Add(try, content); !isTaken(err) {
			return try, err
		}
	}
	return "", fmt.Errorf("add %s: %w, and so do its names up to -%d", p, ErrExists, maxSuffix)
}

func isTaken(err error) bool { return errors.Is(err, ErrExists) || errors.Is(err, ErrTwin) }

// free checks that neither a path nor a twin of it, or of a folder above it, is
// taken. Two spellings of one name would be one file on disks that ignore case,
// and two pages of one thing on the others.
func (tx *Tx) free(p page.Path) error {
	parts := strings.Split(string(p), "/")
	folder := "."
	for i, part := range parts {
		names, err := tx.names(folder)
		if err != nil {
			return err
		}
		taken := names[fold(part)]
		if len(taken) == 0 {
			return nil // new from here on
		}
		if !slices.Contains(taken, part) {
			parts[i] = taken[0]
			return &TwinError{Path: p, Existing: page.Path(strings.Join(parts, "/"))}
		}
		folder = path.Join(folder, part)
	}
	return ErrExists
}

func (tx *Tx) names(folder string) (map[string][]string, error) {
	if names := tx.folders[folder]; names != nil {
		return names, nil
	}
	list, err := folderNames(tx.root.Root, folder)
	if err := ignoreMissing(err); err != nil {
		return nil, err
	}
	names := make(map[string][]string, len(list))
	for _, name := range list {
		key := fold(name)
		names[key] = append(names[key], name)
	}
	tx.folders[folder] = names
	return names, nil
}

// note remembers a staged path, and the folders above it, as taken.
func (tx *Tx) note(p page.Path) error {
	folder := "."
	for part := range strings.SplitSeq(string(p), "/") {
		names, err := tx.names(folder)
		if err != nil {
			return err
		}
		if key := fold(part); !slices.Contains(names[key], part) {
			names[key] = append(names[key], part)
		}
		folder = path.Join(folder, part)
	}
	return nil
}

// drop stages a removal; the name is free for a page of this update.
func (tx *Tx) drop(p page.Path, was Hash) error {
	names, err := tx.names(path.Dir(string(p)))
	if err != nil {
		return err
	}
	base := path.Base(string(p))
	key := fold(base)
	names[key] = slices.DeleteFunc(names[key], func(n string) bool { return n == base })
	return tx.change(&edit{Change: Change{Path: string(p), Before: was}})
}

// put stages new content for a path. was is what the caller saw on disk, "" for
// nothing; permissions stay, also where this update removed the file before.
func (tx *Tx) put(name string, was Hash, content []byte) error {
	mode := fs.FileMode(0)
	if was != "" || tx.at[name] != nil {
		if fi, err := tx.root.Lstat(name); err == nil {
			mode = fi.Mode().Perm()
		}
	}
	return tx.putAs(name, was, content, mode)
}

func (tx *Tx) putAs(name string, was Hash, content []byte, mode fs.FileMode) error {
	temp, err := tx.stage(content, mode)
	if err != nil {
		return err
	}
	return tx.change(&edit{Change: Change{Path: name, Before: was, After: HashOf(content)}, Temp: temp})
}

// change takes an edit in. Of a path that this update has changed before, what
// the first edit saw on disk counts.
func (tx *Tx) change(next *edit) error {
	c := tx.at[next.Path]
	if c == nil {
		tx.at[next.Path] = next
		tx.changes = append(tx.changes, next)
		return nil
	}
	old := c.Temp
	c.After, c.Temp, c.Renewed, c.Written = next.After, next.Temp, false, ""
	if old == "" {
		return nil
	}
	return ignoreMissing(tx.root.Remove(old))
}

var (
	// errUnderHands marks a conflict that only the last look found.
	errUnderHands = errors.New("another program wrote at the same moment")
	// errStuck marks a rollback that failed: the journal still stands.
	errStuck = errors.New("what was written could not be taken back and will be by the next write")
)
