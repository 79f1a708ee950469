package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"brain/page"
	"brain/store"
)

// A scope is what one process knows of one agent's facts. It is a cache and nothing
// more: each look compares every file's size, times and inode with those it was read
// at, and reads what differs. So another process and an editor are seen at once, at
// the price of a stat a file (doc/facts.md has figures).
//
// A file that was written at the moment of the last look may have been written once
// more since without its stat telling: until it is older than that it is read anew.

// maxLooks bounds how often a look begins anew because several files were changing.
const maxLooks = 5

type reading = func(context.Context, page.Path) ([]byte, error)

type scope struct {
	st    *store.Store
	agent string
	side  *sidecars
	tree  *store.Lister

	mu     sync.Mutex
	files  map[page.Path]*held
	byID   map[string]*held   // what counts
	keys   map[string][]*held // of these, by ContentKey
	twins  int                // files whose id another has, which do not count
	words  [purposes]tally    // of these; nil until somebody asks for them
	order  []*held            // of byID, by creation, then id
	sure   []*Fact            // of byID, by confidence; nil when it must be made anew
	seen   []page.File        // of the last look
	unread []string           // folders that could not be read in it
	looked time.Time

	old      []*held   // facts of before v2, which have no file
	problems []Damaged // of those
}

// held is a file as it was read. Only where it is counted changes, under the scope's lock.
type held struct {
	path page.Path
	hash store.Hash
	fact Fact
	key  string // ContentKey
	err  error  // it is no fact
	old  bool   // it is of before v2: path is where its file will be

	words [purposes]*doc // where they are counted in the scope's
}

// tally is the words of facts, counted for one purpose. Most commands need none.
type tally interface {
	add(*Fact) *doc
	remove(*doc)
}

// The purposes.
const (
	toFind      = iota // corpus
	toCompare          // neighbours
	toRelevance        // cover
	purposes
)

// tallied gives the words of a scope's facts, which are counted when they are first asked
// for and follow the facts from then on.
func tallied[T any, P interface {
	*T
	tally
}](sc *scope, purpose int) P {
	if sc.words[purpose] == nil {
		t := P(new(T))
		for _, h := range sc.order {
			h.words[purpose] = t.add(&h.fact)
		}
		sc.words[purpose] = t
	}
	return sc.words[purpose].(P)
}

func newScope(st *store.Store, agent, usage string) *scope {
	return &scope{
		st: st, agent: agent, tree: st.Lister("agents/" + agent + "/facts"), side: &sidecars{usage, agent, st, newTurn()},
		files: map[page.Path]*held{}, byID: map[string]*held{}, keys: map[string][]*held{},
	}
}

func hold(p page.Path, raw []byte) *held {
	h := &held{path: p, hash: store.HashOf(raw)}
	h.fact, _, h.err = ParseFact(p, raw)
	h.fact.hash = h.hash
	if h.err == nil && h.fact.Status != active {
		h.err = fmt.Errorf("%w: it is %s", errPutAway, h.fact.Status)
	}
	h.key = ContentKey(h.fact.Content)
	return h
}

// errPutAway is for a fact that does not count any more, by its own status: brain forget
// writes that. It is nothing to complain of.
var errPutAway = errors.New("no fact any more")

// errUnread is for a folder of which nobody knows what facts it holds.
var errUnread = errors.New("the folder cannot be read")

// asked is the error for who asks for this very fact.
func (h *held) asked() error {
	switch {
	case h.err == nil:
		return nil
	case errors.Is(h.err, errPutAway):
		return fmt.Errorf("%w: %w", ErrUnknown, h.err)
	}
	return fmt.Errorf("%w: %w", ErrCorrupt, h.err)
}

// load brings the scope up to date. A file that cannot be read is damaged; of a folder
// that cannot be, what was known stays.
func (sc *scope) load(ctx context.Context, read reading) error {
	for try := 1; ; try++ {
		l, err := sc.tree.List(ctx)
		if err != nil {
			return err
		}
		sc.dropOld()
		err = sc.take(ctx, l, read)
		if err == nil {
			err = sc.takeOld(ctx, read)
		}
		if err != nil {
			return fmt.Errorf("read the facts of %s: %w", sc.agent, err)
		}
		// Several files change together or not at all: of an update that came
		// between, some may have been read before it and some after.
		epoch, inFlight, err := sc.st.Epoch(ctx)
		if err != nil || try == maxLooks || epoch == l.Epoch && len(l.InFlight) == 0 && len(inFlight) == 0 {
			return err
		}
		select {
		case <-time.After(time.Duration(try) * 5 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// take reads the files of a listing that are not as they were.
func (sc *scope) take(ctx context.Context, l page.Listing, read reading) error {
	began := time.Now()
	sc.unread = l.Unreadable
	changed := sc.changed(l)
	if len(changed) == 0 && len(l.Files) == len(sc.files) {
		sc.seen, sc.looked = l.Files, began
		return nil
	}
	fresh := make([]*held, len(changed))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(2 * runtime.GOMAXPROCS(0))
	var unread atomic.Bool
	for i, f := range changed {
		g.Go(func() error {
			raw, err := read(ctx, f.Path)
			switch {
			case errors.Is(err, store.ErrNotFound):
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				unread.Store(true)
				fresh[i] = &held{path: f.Path, err: err}
			default:
				fresh[i] = sc.reread(f.Path, raw)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i, h := range fresh {
		sc.set(changed[i].Path, h)
	}
	sc.sweep(l)
	if sc.seen, sc.looked = l.Files, began; unread.Load() {
		sc.seen = nil // so that it is tried again
	}
	return nil
}

// reread is what a file holds, which is nothing new when only its stat is.
func (sc *scope) reread(p page.Path, raw []byte) *held {
	if h := sc.files[p]; h != nil && h.hash == store.HashOf(raw) {
		return h
	}
	return hold(p, raw)
}

// changed are the files that must be read. Both lists are in the order of paths.
func (sc *scope) changed(l page.Listing) (out []page.File) {
	edge := sc.looked.Add(-store.Racy).UnixNano()
	i := 0
	for _, f := range l.Files {
		for i < len(sc.seen) && sc.seen[i].Path < f.Path {
			i++
		}
		if i == len(sc.seen) || sc.seen[i] != f || max(f.Mtime, f.Ctime) >= edge {
			out = append(out, f)
		}
	}
	return out
}

// sweep drops what is gone; what lies in a folder that could not be read may not be.
func (sc *scope) sweep(l page.Listing) {
	if len(l.Files) == len(sc.files) {
		return
	}
	there := make(map[page.Path]bool, len(l.Files))
	for _, f := range l.Files {
		there[f.Path] = true
	}
	for p := range sc.files {
		if !there[p] && !slices.ContainsFunc(l.Unreadable, func(u string) bool { return strings.HasPrefix(string(p)+"/", u+"/") }) {
			sc.set(p, nil)
		}
	}
}

// set puts what a path holds now; nil takes it out.
func (sc *scope) set(p page.Path, h *held) {
	old := sc.files[p]
	if old == h {
		return
	}
	if old != nil {
		sc.drop(old)
	}
	if h != nil {
		sc.files[p] = h
		sc.count(h)
	}
}

// count takes a fact in. Of two files of one id the one at its place counts, else the
// one that was there.
func (sc *scope) count(h *held) {
	if h.err != nil {
		return
	}
	other := sc.byID[h.fact.ID]
	if other != nil {
		sc.twins++
		if at, err := FactPath(sc.agent, h.fact.ID); err != nil || at != h.path {
			return
		}
		sc.uncount(other)
	}
	sc.byID[h.fact.ID] = h
	i, _ := slices.BinarySearchFunc(sc.order, h, inOrder)
	sc.order, sc.sure = slices.Insert(sc.order, i, h), nil
	sc.keys[h.key] = append(sc.keys[h.key], h)
	for i, t := range sc.words {
		if t != nil {
			h.words[i] = t.add(&h.fact)
		}
	}
}

func (sc *scope) uncount(h *held) {
	delete(sc.byID, h.fact.ID)
	if i, ok := slices.BinarySearchFunc(sc.order, h, inOrder); ok {
		sc.order, sc.sure = slices.Delete(sc.order, i, i+1), nil
	}
	if same := slices.DeleteFunc(sc.keys[h.key], func(o *held) bool { return o == h }); len(same) > 0 {
		sc.keys[h.key] = same
	} else {
		delete(sc.keys, h.key)
	}
	for i, d := range h.words {
		if d != nil {
			sc.words[i].remove(d)
			h.words[i] = nil
		}
	}
}

func (sc *scope) drop(old *held) {
	delete(sc.files, old.path)
	switch {
	case old.err != nil:
	case sc.byID[old.fact.ID] != old:
		sc.twins--
	default:
		sc.uncount(old)
		sc.promote(old.fact.ID)
	}
}

// copies are the other files of a fact's id.
func (sc *scope) copies(of *held) (out []*held) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if sc.twins == 0 {
		return nil
	}
	for _, p := range slices.Sorted(maps.Keys(sc.files)) {
		if h := sc.files[p]; h.err == nil && h.fact.ID == of.fact.ID && h.path != of.path {
			out = append(out, h)
		}
	}
	return out
}

// promote lets another file of an id count whose first one is gone.
func (sc *scope) promote(id string) {
	if sc.twins == 0 {
		return
	}
	for _, p := range slices.Sorted(maps.Keys(sc.files)) {
		if h := sc.files[p]; h.err == nil && h.fact.ID == id {
			sc.twins--
			sc.count(h)
			return
		}
	}
}

// surest are the facts by confidence, then creation, then id. The slice is shared and not
// to be changed.
func (sc *scope) surest() []*Fact {
	if sc.sure == nil {
		for _, h := range sc.order {
			sc.sure = append(sc.sure, &h.fact)
		}
		slices.SortStableFunc(sc.sure, func(a, b *Fact) int { return cmp.Compare(b.Confidence, a.Confidence) })
	}
	return sc.sure
}

// takeOld lets what was left of before v2 count beside the files. Of a fact that has a
// file as well only that counts.
func (sc *scope) takeOld(ctx context.Context, read reading) error {
	v := viewOf(ctx, sc.st)
	v.page = func(p page.Path) ([]byte, error) { return read(ctx, p) }
	l, err := legacyOf(v, sc.agent, "")
	if err != nil {
		return err
	}
	sc.problems = l.problems
	for _, f := range l.facts {
		at, err := FactPath(sc.agent, f.ID)
		if err == nil {
			f, err = f.normal()
		}
		if err != nil {
			sc.problems = append(sc.problems, Damaged{at, err})
			continue
		}
		if sc.byID[f.ID] == nil {
			h := &held{path: at, fact: f, key: ContentKey(f.Content), old: true}
			sc.old = append(sc.old, h)
			sc.count(h)
		}
	}
	return nil
}

func (sc *scope) dropOld() {
	for _, h := range sc.old {
		sc.uncount(h)
	}
	sc.old = nil
}

func inOrder(a, b *held) int { return byCreation(&a.fact, &b.fact) }

func byCreation(a, b *Fact) int {
	return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
}

func (sc *scope) damaged() (out []Damaged) {
	for _, p := range slices.Sorted(maps.Keys(sc.files)) {
		h := sc.files[p]
		switch other := sc.byID[h.fact.ID]; {
		case errors.Is(h.err, errPutAway):
		case h.err != nil:
			out = append(out, Damaged{p, h.err})
		case other != h:
			out = append(out, Damaged{p, notFact("%s has the same id", other.path)})
		}
	}
	for _, folder := range sc.unread {
		out = append(out, Damaged{page.Path(folder), errUnread})
	}
	for _, s := range sc.tree.Passed() {
		out = append(out, Damaged{page.Path(s.Path), fmt.Errorf("%s: %w", s.Path, notFact("%s", passedOver[s.Reason]))})
	}
	return append(out, sc.problems...)
}

// isSound reports that nothing is damaged.
func (sc *scope) isSound() bool {
	return len(sc.files)+len(sc.old) == len(sc.byID) && len(sc.problems)+len(sc.unread)+len(sc.tree.Passed()) == 0
}

// passedOver says why a file among the facts is not opened.
var passedOver = map[string]string{
	store.SkipSymlink:  "it is a link, or what lies above it is no folder; links are not followed",
	store.SkipSpecial:  "it is no regular file",
	store.SkipTooLarge: "it is larger than a page may be",
}
