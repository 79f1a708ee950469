package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"brain/store"
)

// Batch is a change of one agent's facts within one update. What it reads is read under
// the update's lock, so nothing that it decides on can have changed by the time it is
// written: a duplicate that raced it is met here, and room is made for what is there.
//
// It is not for concurrent use.
type Batch struct {
	m       *Facts
	ctx     context.Context
	tx      *store.Tx
	agent   string
	now     time.Time
	sc      *scope              // nil until all facts are asked for
	staged  map[string]*stage   // by id
	order   []string            // ids as they were first staged
	said    map[string][]string // ids of what is staged, by ContentKey
	alike   *neighbours         // and its words; nil until near-duplicates are asked for
	evicted []*Eviction
	edits   []func(*manifest) (changed bool, err error) // of memory.json
	merged  string

	tookOver   bool // what was left of before v2 is staged (adopt.go)
	adopted    int  // facts of it that get a file, and are not changed
	clearing   bool // they go: what is wrong with them is no matter
	forgetting bool // and so do the summaries that the agent had with them
}

// stage is a fact that changes: what it was and what it will be.
type stage struct {
	was *held  // nil for a new one
	now *Fact  // nil for one that goes
	why string // it goes, where that is not what the update is for

	key   string // ContentKey of now
	words *doc   // in Batch.alike
}

// Batch begins a change. agent is whose facts change; "" is page.DefaultAgent.
func (m *Facts) Batch(ctx context.Context, tx *store.Tx, agent string) (*Batch, error) {
	sc, err := m.scope(agent)
	if err != nil {
		return nil, err
	}
	now := m.now().UTC().Truncate(time.Microsecond)
	return &Batch{m: m, ctx: ctx, tx: tx, agent: sc.agent, now: now, staged: map[string]*stage{}, said: map[string][]string{}}, nil
}

// loaded reads the whole scope, once.
func (b *Batch) loaded() (*scope, error) {
	if b.sc != nil {
		return b.sc, nil
	}
	sc, err := b.m.scope(b.agent)
	if err != nil {
		return nil, err
	}
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if err := sc.load(b.ctx, b.m.Store.Read); err != nil {
		return nil, err
	}
	b.sc = sc
	return sc, nil
}

// All are the facts as they will be, by creation, then id. They are not to be changed.
func (b *Batch) All() ([]Fact, error) {
	sc, err := b.loaded()
	if err != nil {
		return nil, err
	}
	sc.mu.Lock()
	defer sc.mu.Unlock()
	out := make([]Fact, 0, len(sc.byID)+len(b.staged))
	for _, h := range sc.order {
		if b.staged[h.fact.ID] == nil {
			out = append(out, h.fact)
		}
	}
	if len(b.staged) == 0 {
		return out, nil
	}
	for _, id := range b.order {
		if f := b.staged[id].now; f != nil {
			out = append(out, *f)
		}
	}
	slices.SortFunc(out, func(x, y Fact) int { return byCreation(&x, &y) })
	return out, nil
}

// Fact is one fact as it will be. Error: ErrUnknown.
func (b *Batch) Fact(id string) (Fact, error) {
	if st := b.staged[id]; st != nil {
		if st.now == nil {
			return Fact{}, fmt.Errorf("fact %q: %w", id, ErrUnknown)
		}
		return st.now.clone(), nil
	}
	h, err := b.find(id)
	if err != nil {
		return Fact{}, fmt.Errorf("fact %q: %w", id, err)
	}
	return h.fact.clone(), nil
}

// find is a fact as it is on disk.
func (b *Batch) find(id string) (*held, error) {
	if st := b.staged[id]; st != nil && st.was != nil {
		return st.was, nil
	}
	if b.sc != nil {
		b.sc.mu.Lock()
		defer b.sc.mu.Unlock()
		if h := b.sc.byID[id]; h != nil {
			return h, nil
		}
		return nil, ErrUnknown
	}
	return b.m.find(b.ctx, b.agent, id, b.m.Store.Read)
}

// AddOptions say what a new fact may be merged into.
type AddOptions struct {
	Exempt bool     // into none: another goes because this one comes
	Spared []string // not into these, which may go
}

// Add stages a new fact and gives its id; merged, that of the one which says nearly the
// same and stands for it. A fact without an id gets one that follows from its content.
// Errors: ErrEmpty, *DuplicateError, ErrFact.
func (b *Batch) Add(f Fact, o AddOptions) (id string, merged bool, err error) {
	if f.Content = statement(f.Content); f.Content == "" {
		return "", false, fmt.Errorf("add fact: %w", ErrEmpty)
	}
	sc, err := b.loaded()
	if err != nil {
		return "", false, err
	}
	if id := b.same(sc, ContentKey(f.Content)); id != "" {
		return "", false, fmt.Errorf("add fact: %w", &DuplicateError{ID: id})
	}
	if b.m.rules().NearDuplicates && !o.Exempt {
		id, err := b.merge(sc, f, o.Spared)
		if id != "" || err != nil {
			return id, id != "", err
		}
	}
	if f, err = b.fresh(sc, f); err != nil {
		return "", false, fmt.Errorf("add fact: %w", err)
	}
	b.stage(f.ID, nil, &f)
	return f.ID, false, nil
}

// same is the id of the fact that says the same, or "".
func (b *Batch) same(sc *scope, key string) (id string) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	for _, h := range sc.keys[key] {
		if b.staged[h.fact.ID] == nil && (id == "" || h.fact.ID < id) {
			id = h.fact.ID
		}
	}
	if staged := b.said[key]; id == "" && len(staged) > 0 {
		id = staged[0]
	}
	return id
}

// fresh gives a new fact all that is brain's to give.
func (b *Batch) fresh(sc *scope, f Fact) (Fact, error) {
	f.Agent = b.agent
	if f.User == "" {
		user, err := b.m.userOf(b.ctx, b.m.Store.Read)
		if err != nil {
			return f, err
		}
		f.User = user
	}
	if f.Created.IsZero() {
		f.Created = b.now
	}
	if f.Updated.IsZero() {
		f.Updated = f.Created
	}
	if f.ID == "" {
		f.ID = b.freeID(sc, ContentKey(f.Content))
	} else if b.taken(sc, f.ID) {
		return f, fmt.Errorf("%w: its id %s is another's", ErrFactConflict, f.ID)
	}
	return f.normal()
}

// freeID makes an id of what a fact says, so that the same said twice is one file. The
// fact of that name may say something else by now, since people edit: then the next
// name is taken.
func (b *Batch) freeID(sc *scope, key string) string {
	for n := 1; ; n++ {
		parts := []string{key}
		if n > 1 {
			parts = append(parts, strconv.Itoa(n))
		}
		if id := FactID(parts...); !b.taken(sc, id) {
			return id
		}
	}
}

// taken reports whether an id's file is there, whatever it holds, or was staged.
func (b *Batch) taken(sc *scope, id string) bool {
	if b.staged[id] != nil {
		return true
	}
	at, err := FactPath(b.agent, id)
	if err != nil {
		return false // told when the fact is checked
	}
	sc.mu.Lock()
	defer sc.mu.Unlock()
	return sc.byID[id] != nil || sc.files[at] != nil
}

// merge lets the fact that says nearly the same stand for a new one. It keeps its id,
// text and creation; where the new one is surer it takes on its confidence and source.
// Said again is not confirmed.
func (b *Batch) merge(sc *scope, f Fact, spared []string) (id string, err error) {
	f.Category = orElse(strings.TrimSpace(f.Category), "context")
	id = b.like(sc, &f, spared)
	if id == "" {
		return "", nil
	}
	old, err := b.Fact(id)
	if err != nil {
		return "", err
	}
	b.merged = id
	if f.Confidence <= old.Confidence {
		return id, nil
	}
	old.Confidence, old.Source = f.Confidence, f.Source
	return id, b.Put(old)
}

// like is the id of the fact that says nearly the same, be it one of this batch, or "".
func (b *Batch) like(sc *scope, f *Fact, spared []string) (id string) {
	threshold := b.m.rules().NearThreshold
	sc.mu.Lock()
	old, likeness := tallied[neighbours](sc, toCompare).nearest(f, threshold, func(o *Fact) bool {
		return b.staged[o.ID] != nil || slices.Contains(spared, o.ID)
	})
	sc.mu.Unlock()
	if old != nil {
		id = old.ID
	}
	if b.alike == nil {
		b.alike = &neighbours{}
		for _, st := range b.staged {
			b.countWords(st)
		}
	}
	staged, x := b.alike.nearest(f, threshold, func(o *Fact) bool { return slices.Contains(spared, o.ID) })
	if staged != nil && x > likeness {
		id = staged.ID
	}
	return id
}

func (b *Batch) countWords(st *stage) {
	if b.alike != nil && st.now != nil {
		st.words = b.alike.add(st.now)
	}
}

// Put stages another state of a fact that is there. Its revision and date are given
// here, and only if something changed that says something. Errors: ErrUnknown,
// ErrEmpty, ErrFact.
func (b *Batch) Put(f Fact) error {
	if statement(f.Content) == "" {
		return fmt.Errorf("fact %q: %w", f.ID, ErrEmpty)
	}
	var was *held
	old, err := b.Fact(f.ID)
	if err != nil {
		return err
	}
	if st := b.staged[f.ID]; st != nil {
		was = st.was
	} else if was, err = b.find(f.ID); err != nil {
		return err
	}
	f.Agent, f.User, f.Created = old.Agent, old.User, old.Created
	f.Revision, f.Updated = old.Revision, old.Updated
	if f, err = f.normal(); err != nil {
		return fmt.Errorf("fact %q: %w", f.ID, err)
	}
	if f.saysTheSame(&old) {
		return nil
	}
	if was != nil {
		f.Revision = was.fact.Revision + 1
	}
	if f.Updated = b.now; !f.Updated.After(old.Updated) {
		f.Updated = old.Updated.Add(time.Microsecond) // a clock that was set back
	}
	b.stage(f.ID, was, &f)
	return nil
}

// Remove stages that a fact goes. Error: ErrUnknown.
func (b *Batch) Remove(id string) error {
	if st := b.staged[id]; st != nil {
		if st.now == nil {
			return fmt.Errorf("fact %q: %w", id, ErrUnknown)
		}
		b.stage(id, st.was, nil)
		return nil
	}
	h, err := b.find(id)
	if err != nil {
		return fmt.Errorf("fact %q: %w", id, err)
	}
	b.stage(id, h, nil)
	return nil
}

// because says why a fact goes, where that is not what the update is for.
func (b *Batch) because(id, why string) { b.staged[id].why = why }

func (b *Batch) stage(id string, was *held, now *Fact) {
	if old := b.staged[id]; old == nil {
		b.order = append(b.order, id)
	} else {
		b.said[old.key] = slices.DeleteFunc(b.said[old.key], func(o string) bool { return o == id })
		if old.words != nil {
			b.alike.remove(old.words)
		}
	}
	st := &stage{was: was, now: now}
	b.staged[id] = st
	if now != nil {
		st.key = ContentKey(now.Content)
		b.said[st.key] = append(b.said[st.key], id)
	}
	b.countWords(st)
}

// count is how many facts there will be.
func (b *Batch) count() (n int, err error) {
	sc, err := b.loaded()
	if err != nil {
		return 0, err
	}
	sc.mu.Lock()
	defer sc.mu.Unlock()
	n = len(sc.byID)
	for id, st := range b.staged {
		if sc.byID[id] != nil {
			n--
		}
		if st.now != nil {
			n++
		}
	}
	return n, nil
}

// Fit takes away the facts that are too many, by Rules.Policy, and tells which.
func (b *Batch) Fit() ([]Evicted, error) {
	if n, err := b.count(); err != nil || n <= b.m.rules().Max {
		return nil, err
	}
	all, err := b.All()
	if err != nil {
		return nil, err
	}
	e := fit(all, b.m.rules(), b.sc.side.heat, b.now)
	for _, out := range e.Evicted {
		if err := b.Remove(out.ID); err != nil {
			return nil, err
		}
		b.because(out.ID, forCapacity)
	}
	b.evicted = append(b.evicted, e)
	return e.Evicted, nil
}

// Write stages everything into the transaction, and the revision of memory.json. It is
// called once, last; what comes of it is true when the update is committed.
func (b *Batch) Write() (*Delta, error) {
	d := &Delta{Version: "2.0", Merged: b.merged, agent: b.agent, evictions: b.evicted, cleared: b.clearing}
	for _, e := range b.evicted {
		d.Evicted = append(d.Evicted, e.Evicted...)
	}
	if len(b.order)+len(b.edits) > 0 {
		if err := b.takeOver(); err != nil {
			return nil, err
		}
	}
	for _, id := range b.order {
		if err := b.write(d, b.staged[id]); err != nil {
			return nil, err
		}
	}
	d.Adopted = b.adopted
	for _, edit := range b.edits {
		if err := changeManifest(b.tx, b.now, edit); err != nil {
			return nil, err
		}
	}
	if err := Renew(func() time.Time { return b.now })(b.tx); err != nil {
		return nil, err
	}
	raw, err := b.tx.ReadOwn(store.Summaries)
	if err != nil {
		return nil, err
	}
	d.Revision = manifestRevision(raw)
	if b.tx.TouchedOwn(store.Summaries) {
		d.Updated = b.now
	}
	return d, nil
}

func (b *Batch) write(d *Delta, st *stage) error {
	switch {
	case st.was == nil && st.now == nil: // came and went
		return nil
	case st.now == nil && st.was.old:
		d.Deleted = append(d.Deleted, st.was.fact.ID)
		return nil
	case st.now == nil:
		d.Deleted = append(d.Deleted, st.was.fact.ID)
		return b.remove(st)
	}
	raw, err := FormatFact(*st.now)
	if err != nil {
		return err
	}
	st.now.hash = store.HashOf(raw)
	d.Upserted = append(d.Upserted, st.now.clone())
	if st.was == nil || st.was.old {
		return b.create(*st.now)
	}
	return b.conflict(st, b.tx.Replace(st.was.path, st.was.hash, raw))
}

// lookForCopies reads all facts if there is another file by the name of one, which
// would count in its place. It is asked of the names: no other file is opened for it.
func (b *Batch) lookForCopies(id string) error {
	l, err := b.m.Store.ListIn(b.ctx, "agents/"+b.agent+"/facts")
	if err != nil {
		return err
	}
	n := 0
	for _, f := range l.Files {
		if f.Path.Stem() == id {
			n++
		}
	}
	if n > 1 {
		_, err = b.loaded()
	}
	return err
}

// remove stages that a fact's file goes, with those that would count in its place.
func (b *Batch) remove(st *stage) error {
	files := []*held{st.was}
	if b.sc != nil {
		files = append(files, b.sc.copies(st.was)...)
	}
	for _, h := range files {
		if err := b.tx.Remove(h.path, h.hash); err != nil {
			return b.conflict(st, err)
		}
		b.tx.Because(h.path, st.why)
	}
	return nil
}

// conflict names the fact that a hand changed between the look at it and now.
func (b *Batch) conflict(st *stage, err error) error {
	if errors.Is(err, store.ErrConflict) {
		err = fmt.Errorf("%w: %w", &RevisionError{ID: st.was.fact.ID, Want: st.was.fact.Revision, Have: st.was.fact.Revision}, err)
	}
	return err
}
