package retrieve

import (
	"container/list"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	weakly "weak"

	"brain/index"
)

// Cache keeps answers in the memory of a long-lived process. An answer is
// given again to the same question, asked of the same state of the same index
// with the same settings on the same day: then it could only come out the
// same. So nothing has to be invalidated. Who changes a page, the embedder or a
// filter asks under another key, and what nobody asks for any more is the
// first to go when the cache is full.
//
// Answers that are degraded or stale, or that could not open a page, are not
// kept: the next may be better. Answers are copied in and out, so that whoever
// has one may change it.
//
// The zero Cache is ready for use, by several Searchers and goroutines at once.
type Cache struct {
	Entries int   // answers at most; 0 means 256
	Bytes   int64 // of memory at most, roughly; 0 means 16 MiB

	mu    sync.Mutex
	byKey map[cacheKey]*list.Element
	used  list.List // of *kept, the last used first
	bytes int64
}

const (
	cacheEntries = 256
	cacheBytes   = 16 << 20
)

// cacheKey is all that an answer depends on. The number of a generation alone
// is not enough: an index that was deleted counts from one again. The view is
// held weakly, so that its memory is free when nobody reads it.
type cacheKey struct {
	view       weakly.Pointer[index.View]
	generation uint64
	brain      string
	settings   string
	query      string
}

type kept struct {
	key    cacheKey
	answer *Answer
	bytes  int64
}

// key is the zero key, which nothing is kept under, when there is no cache.
func (sr *Searcher) key(v *index.View, q Query) cacheKey {
	if sr.Cache == nil || q.trace != nil {
		return cacheKey{}
	}
	if q.N <= 0 {
		q.N = defaultN
	}
	return cacheKey{weakly.Make(v), v.Generation(), sr.Brain, sr.settings(), q.String()}
}

// settings prints what changes answers and is neither in the question nor in
// the index: the words of a schema pack, the space of the question's vector and how
// its cosines count.
func (sr *Searcher) settings() string {
	if sr.Embedder == nil {
		return sr.Lexicon.Digest()
	}
	return fmt.Sprintf("%+v %s", sr.Embedder.Info(), sr.Lexicon.Digest())
}

// get gives a copy of an answer, nil when there is none. It took as long as
// the call, and no arm ran.
func (c *Cache) get(key cacheKey, start time.Time) *Answer {
	if c == nil || key == (cacheKey{}) {
		return nil
	}
	c.mu.Lock()
	e := c.byKey[key]
	if e == nil {
		c.mu.Unlock()
		return nil
	}
	c.used.MoveToFront(e)
	a := e.Value.(*kept).answer
	c.mu.Unlock()
	a = a.clone()
	a.Cached, a.ArmsMS, a.EmbedMS = true, nil, 0
	a.TookMS = ms(time.Since(start))
	return a
}

// keep keeps an answer that the candidates were shown in.
func (c *Cache) keep(key cacheKey, a *Answer, shown []*candidate) {
	if c == nil || key == (cacheKey{}) || len(a.Degraded) > 0 || a.Stale != nil ||
		slices.ContainsFunc(shown, func(s *candidate) bool { return s.pass == nil }) {
		return
	}
	copied := a.clone()
	for i := range copied.Hits { // else the whole page stays in memory with its passage
		h := &copied.Hits[i]
		h.Text, h.Heading, h.Snippet, h.Title = strings.Clone(h.Text), strings.Clone(h.Heading), strings.Clone(h.Snippet), strings.Clone(h.Title)
	}
	k := &kept{key, copied, a.size() + int64(len(key.query)+len(key.settings)+len(key.brain))}
	c.mu.Lock()
	defer c.mu.Unlock()
	if k.bytes > orDefault(c.Bytes, cacheBytes) {
		return
	}
	c.remove(c.byKey[key])
	if c.byKey == nil {
		c.byKey = map[cacheKey]*list.Element{}
	}
	c.byKey[key] = c.used.PushFront(k)
	c.bytes += k.bytes
	for c.used.Len() > orDefault(c.Entries, cacheEntries) || c.bytes > orDefault(c.Bytes, cacheBytes) {
		c.remove(c.used.Back())
	}
}

// drop forgets an answer that turned out to be stale.
func (c *Cache) drop(key cacheKey) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(c.byKey[key])
}

func (c *Cache) remove(e *list.Element) {
	if e == nil {
		return
	}
	k := c.used.Remove(e).(*kept)
	delete(c.byKey, k.key)
	c.bytes -= k.bytes
}

func orDefault[N int | int64](n, otherwise N) N {
	if n <= 0 {
		return otherwise
	}
	return n
}

// String prints the question with every filter that is set. Two questions
// print alike when they have the same answer from the same state: the clock
// counts by days (UTC).
func (q Query) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q", q.Text)
	set := func(name string, on bool, value any) {
		if on {
			fmt.Fprintf(&b, " %s=%v", name, value)
		}
	}
	list := func(name string, values []string) { set(name, len(values) > 0, fmt.Sprintf("%q", values)) }
	day := func(name string, t time.Time, form string) { set(name, !t.IsZero(), t.UTC().Format(form)) }
	set("n", q.N != 0, q.N)
	list("kinds", q.Kinds)
	list("without", q.Without)
	list("sources", q.Sources)
	list("tags", q.Tags)
	list("paths", q.Paths)
	day("since", q.Since, time.RFC3339Nano)
	day("until", q.Until, time.RFC3339Nano)
	set("agent", q.Agent != "", fmt.Sprintf("%q", q.Agent))
	list("arms", q.Arms)
	set("unit", q.Unit != Pages, q.Unit)
	set("budget", q.Budget != 0, q.Budget)
	set("overview", q.Overview, true)
	day("day", q.Now, time.DateOnly)
	set("timeout", q.Timeout != 0, q.Timeout)
	return b.String()
}

func (u Unit) String() string { return [...]string{"page", "passage"}[u] }

// clone shares nothing with a that either could change.
func (a *Answer) clone() *Answer {
	b := *a
	b.Degraded = slices.Clone(a.Degraded)
	b.ArmsMS = maps.Clone(a.ArmsMS)
	b.Corrected = maps.Clone(a.Corrected)
	if a.Stale != nil {
		s := *a.Stale
		b.Stale = &s
	}
	if a.Budget != nil {
		s := *a.Budget
		b.Budget = &s
	}
	b.Hits = slices.Clone(a.Hits)
	for i := range b.Hits {
		h := &b.Hits[i]
		h.Evidence = slices.Clone(h.Evidence)
		h.Sources = slices.Clone(h.Sources)
		h.Disputed = slices.Clone(h.Disputed)
		h.Signals = slices.Clone(h.Signals)
	}
	return &b
}

// size is about the memory that an answer takes.
func (a *Answer) size() int64 {
	const (
		ofAnswer = 512 // with its entry in the cache
		ofHit    = 400
		ofSignal = 96
		ofString = 16
	)
	n := ofAnswer + len(a.Query) + len(a.Relation) + len(a.Note)
	for i := range a.Hits {
		h := &a.Hits[i]
		n += ofHit + len(h.Path) + len(h.Title) + len(h.Snippet) + len(h.Heading) + len(h.Text)
		for _, list := range [][]string{h.Evidence, h.Sources, h.Disputed} {
			for _, s := range list {
				n += ofString + len(s)
			}
		}
		for _, s := range h.Signals {
			n += ofSignal + len(s.Note)
		}
	}
	return int64(n)
}
