package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"brain/page"
	"brain/store"
)

// Facts are what the agents of one brain hold to be true of its user. An agent is a
// scope: it neither sees nor counts the facts of another, and which one is meant is the
// caller's to say, never a payload's. "" is page.DefaultAgent.
//
// The files are the truth. Every call looks at them (scope.go), so that a hand edit
// counts at once, and every change is one store.Update (batch.go): all paths that write
// facts obey the same rules. It is safe for concurrent use.
type Facts struct {
	Store *store.Store
	User  string              // whose facts these are, as the host names them; "" is whom the facts that are there name, else the brain's name
	Rules Rules               // the zero value is DefaultRules
	Usage string              // folder of what may be lost: heat and audit; "" keeps neither
	Now   func() time.Time    // nil is time.Now
	Told  func(store.Receipt) // is told of each update once its lock is released; nil tells nobody

	mu     sync.Mutex
	scopes map[string]*scope
	user   *string // once looked for
}

// Listing is every fact of an agent.
type Listing struct {
	Facts    []Fact // by their creation, then their id
	Legacy   int    // how many of them have no file yet (legacy.go)
	Damaged  []Damaged
	Revision int // of memory.json
}

// Damaged is a file below an agent's facts that is none, or a folder there that cannot be
// read. The others count all the same. A fact that was forgotten (its status is not
// active) is neither.
type Damaged struct {
	Path page.Path
	Err  error
}

// Patch is a change of a fact. What is nil stays.
type Patch struct {
	Content     *string
	Category    *string
	Confidence  *float64
	ValidDays   *int // 0: none of its own
	SourceError *string
}

// If is what a change takes for granted. The zero value takes nothing.
type If struct {
	Manifest int        // revision of memory.json
	Revision int        // of the fact
	Hash     store.Hash // of its file, which an edit by hand changes as well
}

// List reads the facts of an agent.
func (m *Facts) List(ctx context.Context, agent string) (*Listing, error) {
	sc, err := m.scope(agent)
	if err != nil {
		return nil, err
	}
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if err := sc.load(ctx, m.Store.Read); err != nil {
		return nil, err
	}
	l := &Listing{Damaged: sc.damaged(), Legacy: len(sc.old)}
	for _, h := range sc.order {
		l.Facts = append(l.Facts, h.fact.clone())
	}
	raw, err := m.Store.ReadOwn(ctx, store.Summaries)
	if err != nil {
		return nil, err
	}
	l.Revision = manifestRevision(raw)
	return l, nil
}

// Get reads one fact, and no other file. Errors: ErrUnknown; ErrCorrupt where its file is
// no fact.
func (m *Facts) Get(ctx context.Context, agent, id string) (Fact, error) {
	h, err := m.find(ctx, agent, id, m.Store.Read)
	if err != nil {
		return Fact{}, fmt.Errorf("get fact %q: %w", id, err)
	}
	return h.fact, nil
}

// find reads the file of a fact. One that is not at its place may have been put
// elsewhere by hand.
func (m *Facts) find(ctx context.Context, agent, id string, read reading) (*held, error) {
	at, err := FactPath(agent, id)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	raw, err := read(ctx, at)
	if err == nil {
		h := hold(at, raw)
		return h, h.asked()
	}
	if !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	sc, err := m.scope(agent)
	if err != nil {
		return nil, err
	}
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if err := sc.load(ctx, read); err != nil {
		return nil, err
	}
	if h := sc.byID[id]; h != nil {
		return h, nil
	}
	return nil, ErrUnknown
}

// Add keeps a fact. Its id, dates and revision are given here; without a source it is
// one that somebody wrote. The delta names the fact that says nearly the same, if it was
// merged into one (Rules.NearDuplicates). Errors: ErrEmpty, *DuplicateError, ErrEvicted,
// ErrFact.
func (m *Facts) Add(ctx context.Context, agent string, f Fact) (*Delta, error) {
	f.Source.Type = cmp.Or(f.Source.Type, "manual")
	if err := m.warm(ctx, agent); err != nil {
		return nil, fmt.Errorf("add fact: %w", err)
	}
	return m.change(ctx, "fact add", agent, func(b *Batch) error {
		id, merged, err := b.Add(f, AddOptions{})
		if err != nil || merged {
			return err
		}
		out, err := b.Fit()
		if err == nil && slices.ContainsFunc(out, func(e Evicted) bool { return e.ID == id }) {
			err = fmt.Errorf("add fact: %w (%d at most)", ErrEvicted, m.rules().Max)
		}
		return err
	})
}

// Update changes a fact, and reads no other. A patch that changes nothing writes
// nothing. Errors: ErrUnknown, ErrEmpty, ErrFact, *RevisionError.
func (m *Facts) Update(ctx context.Context, agent, id string, p Patch, given If) (*Delta, error) {
	return m.point(ctx, "fact update", agent, id, given, func(b *Batch, f Fact) error {
		if err := p.apply(&f); err != nil {
			return err
		}
		return b.Put(f)
	})
}

func (p Patch) apply(f *Fact) error {
	if p.Content != nil {
		if statement(*p.Content) == "" {
			return ErrEmpty
		}
		if f.Title == title("", f.Content) {
			f.Title = "" // it follows the content
		}
		f.Content = *p.Content
	}
	if p.Category != nil {
		f.Category = *p.Category
	}
	if p.Confidence != nil {
		f.Confidence = *p.Confidence
	}
	if p.ValidDays != nil {
		f.ValidDays = *p.ValidDays
	}
	if p.SourceError != nil {
		f.SourceError = *p.SourceError
	}
	return nil
}

// Confirm says that a fact still holds. Nothing else does: that it was said again is no
// confirmation.
func (m *Facts) Confirm(ctx context.Context, agent, id string, given If) (*Delta, error) {
	return m.point(ctx, "fact confirm", agent, id, given, func(b *Batch, f Fact) error {
		f.Confirmed, f.Confirmations = b.now, f.Confirmations+1
		return b.Put(f)
	})
}

// Delete takes a fact away; undo brings it back.
func (m *Facts) Delete(ctx context.Context, agent, id string, given If) (*Delta, error) {
	return m.point(ctx, "fact delete", agent, id, given, func(b *Batch, _ Fact) error {
		if err := b.lookForCopies(id); err != nil {
			return err
		}
		return b.Remove(id)
	})
}

// point changes one fact under what the caller takes for granted of it. Another change
// of memory.json is no matter as long as the fact is as it was.
func (m *Facts) point(ctx context.Context, reason, agent, id string, given If, fn func(*Batch, Fact) error) (*Delta, error) {
	d, err := m.change(ctx, reason, agent, func(b *Batch) error {
		h, err := b.find(id)
		if err != nil {
			return err
		}
		if err := b.check(h, given); err != nil {
			return err
		}
		return fn(b, h.fact.clone())
	})
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w", reason, id, err)
	}
	return d, nil
}

func (b *Batch) check(h *held, given If) error {
	if given.Revision != 0 && given.Revision != h.fact.Revision {
		return &RevisionError{ID: h.fact.ID, Want: given.Revision, Have: h.fact.Revision}
	}
	if given.Hash != "" && given.Hash != h.hash {
		return &RevisionError{ID: h.fact.ID, Want: h.fact.Revision, Have: h.fact.Revision}
	}
	if given.Manifest == 0 || given.Revision != 0 || given.Hash != "" {
		return nil
	}
	raw, err := b.tx.OwnBefore(store.Summaries)
	if err != nil {
		return err
	}
	if have := manifestRevision(raw); have != given.Manifest {
		return &RevisionError{Want: given.Manifest, Have: have}
	}
	return nil
}

// change is one update of an agent's facts: batch, then what may be lost, then whoever
// wants to know.
func (m *Facts) change(ctx context.Context, reason, agent string, fn func(*Batch) error) (d *Delta, err error) {
	var receipt *store.Receipt
	err = m.Store.Update(ctx, reason, func(tx *store.Tx) error {
		receipt = tx.Receipt()
		b, err := m.Batch(ctx, tx, agent)
		if err == nil {
			err = fn(b)
		}
		if err == nil {
			d, err = b.Write()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	d.Job = receipt.Job
	m.Settle(d)
	m.tell(receipt)
	return d, nil
}

func (m *Facts) tell(r *store.Receipt) {
	if m.Told != nil && len(r.Paths) > 0 {
		m.Told(*r)
	}
}

func (m *Facts) now() time.Time {
	if m.Now == nil {
		return time.Now()
	}
	return m.Now()
}

func (m *Facts) rules() Rules {
	if m.Rules.Max == 0 {
		return DefaultRules()
	}
	return m.Rules
}

// scope is the agent's, made when it is first asked for.
func (m *Facts) scope(agent string) (*scope, error) {
	agent, err := page.AgentName(orElse(agent, page.DefaultAgent))
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	sc := m.scopes[agent]
	if sc == nil {
		if len(m.scopes) >= maxScopes || m.scopes == nil {
			m.scopes = map[string]*scope{}
		}
		sc = newScope(m.Store, agent, m.Usage)
		m.scopes[agent] = sc
	}
	return sc, nil
}

// warm reads an agent's facts before an update that asks for all of them, if nobody
// has yet: under the update's lock only what changed since is read, and others wait for
// milliseconds.
func (m *Facts) warm(ctx context.Context, agent string) error {
	sc, err := m.scope(agent)
	if err != nil {
		return err
	}
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if !sc.looked.IsZero() {
		return nil
	}
	return sc.load(ctx, m.Store.Read)
}

// maxScopes bounds the agents whose facts are held in memory: beyond it all are read
// again.
const maxScopes = 64

// fewNamed is how many facts are asked whose they are: where none of so many says so, the
// next one does not either.
const fewNamed = 16

// userOf is who new facts are about: that is the same in all of a brain.
func (m *Facts) userOf(ctx context.Context, read reading) (string, error) {
	if m.User != "" {
		return m.User, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.user == nil {
		user, err := m.named(ctx, read)
		if err != nil {
			return "", err
		}
		m.user = &user
	}
	return *m.user, nil
}

// named is whom the facts that are there name, else the brain's name, "" where no user
// can have that.
func (m *Facts) named(ctx context.Context, read reading) (string, error) {
	l, err := m.Store.ListIn(ctx, "agents")
	if err != nil {
		return "", err
	}
	asked := 0
	for _, file := range l.Files {
		if file.Path.Agent() == "" || asked == fewNamed {
			continue
		}
		raw, err := read(ctx, file.Path)
		if err != nil {
			continue
		}
		if f, _, err := ParseFact(file.Path, raw); err == nil && f.User != "" {
			return f.User, nil
		} else if err == nil {
			asked++
		}
	}
	if folder, err := UserFolder(m.Store.Name()); err == nil && folder == m.Store.Name() {
		return folder, nil
	}
	return "", nil
}
