package memory

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"brain/text"
)

// Which facts answer a question. The score of a fact that has a word of it is
//
//	score = BM25 × D + 0.2 × confidence
//
//	BM25  = Σ weight(t) × idf(t) × tf × (k1+1) / (tf + k1 × (1 − b + b × length/average))
//	        over the terms t of the question, k1 = 1.2, b = 0.75
//	idf   = ln(1 + (N − n + 0.5) / (n + 0.5)): N facts, n of which have t
//	D     = 1 below 30 whole days since the fact came into being, then e^(−0.01 (days − 30)):
//	        a half after some 100 days, 0.035 after a year
//
// It is DeerMem's, with other statistics. DeerMem asks SQLite, whose idf is that of all users
// and agents together, so that what one says changes what another finds, and is nothing for a
// word that half of the facts have, so that confidence alone decides: of some twenty facts
// about one person most words are such. Here N and n are those of one agent's facts, and idf
// stays above zero.
//
// They are those of all its facts also where a category is asked for: the category selects and
// does not weigh, so that a fact has one score and keeps its place before another, with
// the category named or not. (The relevance of relevance.go is of what was selected, as it
// is in DeerMem.)
//
// Every fact that has a word is scored, sorted by score, then id, and only then cut: the first
// three are the first three of ten. A question of which no fact has a word is looked for as it
// stands, case aside; the score is then the confidence.

const (
	k1, b            = 1.2, 0.75 // Robertson's, and those of SQLite
	confidenceWeight = 0.2
	freshDays        = 30   // in which a fact does not age
	decayRate        = 0.01 // a day, from then on
)

// Match says by what a fact was found.
type Match string

const (
	ByWords     Match = "words"
	BySubstring Match = "substring"
	ByRelevance Match = "relevance"
)

// Parts are what a score was made of, with the confidence of the fact. They give it to the
// last bit:
//
//	words      float64(BM25 × Decay) + float64(0.2 × confidence)
//	substring  confidence
//	relevance  float64(w × Relevance) + float64((1 − w) × confidence), w the setting; their order
//	           is by score − diversity × Likeness
//
// The conversions keep a processor from rounding once where it is written twice.
type Parts struct {
	Match     Match   `json:"match"`
	BM25      float64 `json:"bm25,omitempty"`
	Decay     float64 `json:"decay,omitempty"`
	Relevance float64 `json:"relevance,omitempty"`
	Likeness  float64 `json:"likeness,omitempty"` // to the most alike fact before it
}

// scored is a fact with its score.
type scored struct {
	fact  *Fact
	score float64
	Parts
}

// corpus is the words of one agent's facts, with the statistics that BM25 needs.
// The zero value has no facts.
type corpus struct {
	postings
	length int // words of all facts
}

// add enters a fact; what comes back takes it out again. The fact must not change
// meanwhile. doc.key is its ContentKey.
func (c *corpus) add(f *Fact) *doc {
	d := &doc{fact: f, key: ContentKey(f.Content)}
	d.length = int32(text.Terms(f.words(), func(t text.Term) { c.note(t.Text) }))
	c.length += int(d.length)
	c.insert(d)
	return d
}

func (c *corpus) remove(d *doc) {
	c.length -= int(d.length)
	c.postings.remove(d)
}

// words are the text by which a fact is found: what it states, and a heading that a
// person gave it and that says more than its first line.
func (f *Fact) words() string {
	if f.Title == "" || strings.HasPrefix(f.Content, f.Title) || f.Title == title("", f.Content) {
		return f.Content
	}
	return f.Title + "\n" + f.Content
}

// ContentKey is what makes two facts one: their characters, but for case, width and
// blanks. C and C++ are two.
func ContentKey(content string) string { return text.Fold(content) }

// search ranks the facts that answer a question, at most n of them; all for an n below zero.
// A category other than "" leaves the others out. A question without anything in it
// has no answer.
func (c *corpus) search(question, category string, n int, now time.Time) []scored {
	question = strings.TrimSpace(question)
	if question == "" || n == 0 || len(c.docs) == 0 {
		return nil
	}
	found := best{ordering: ordering{c.docs, byFactID}, n: n}
	c.withWords(question, category, now, &found)
	if len(found.all) == 0 {
		c.containing(question, category, &found)
	}
	found.cut()
	out := make([]scored, len(found.all))
	for i, r := range found.all {
		out[i] = r.explain(c.docs[r.slot].fact, now)
	}
	return out
}

// ranked is a document that was found: what is sorted is small.
type ranked struct {
	score, bm25 float64 // bm25 is zero for what contains the question as it stands
	slot        int
}

func (r ranked) explain(f *Fact, now time.Time) scored {
	p := Parts{Match: BySubstring}
	if r.bm25 > 0 {
		p.Match, p.BM25, p.Decay = ByWords, r.bm25, decay(f.Created, now)
	}
	return scored{fact: f, score: r.score, Parts: p}
}

// withWords finds the facts that have a word of the question.
func (c *corpus) withWords(question, category string, now time.Time, found *best) {
	for slot, points := range c.bm25(terms(head(question, maxText))) {
		if points == 0 {
			continue
		}
		if f := c.docs[slot].fact; f.in(category) {
			found.take(ranked{float64(points*decay(f.Created, now)) + float64(confidenceWeight*f.Confidence), points, slot})
		}
	}
}

// containing finds the facts that have the question in them as it stands.
func (c *corpus) containing(question, category string, found *best) {
	key := ContentKey(question)
	if key == "" {
		return
	}
	for slot, d := range c.docs {
		if d.fact.in(category) && strings.Contains(d.key, key) {
			found.take(ranked{score: d.fact.Confidence, slot: slot})
		}
	}
}

// best is the first n of what it is given, by score; all, for an n below zero. It sorts when
// it has twice as many, and from then on passes over what comes behind them all: ten
// of ten thousand cost a look at each.
type best struct {
	ordering
	n    int
	all  []ranked
	full bool // all[:n] are the first n so far
}

// ordering is by score, then by what ties says, which is a total order of facts.
type ordering struct {
	docs []*doc
	ties func(x, y *Fact) int
}

func (t *best) take(r ranked) {
	if t.full && t.compare(r, t.all[t.n-1]) > 0 {
		return
	}
	if t.all = append(t.all, r); t.n > 0 && len(t.all) >= 2*t.n {
		t.cut()
	}
}

func (t *best) cut() {
	slices.SortFunc(t.all, t.compare)
	if t.n > 0 && t.n <= len(t.all) {
		t.all, t.full = t.all[:t.n], true
	}
}

func (t *ordering) compare(x, y ranked) int {
	if x.score != y.score {
		return cmp.Compare(y.score, x.score)
	}
	return t.ties(t.docs[x.slot].fact, t.docs[y.slot].fact)
}

// byFactID is a total order, since two facts of one agent have two ids.
func byFactID(x, y *Fact) int { return strings.Compare(x.ID, y.ID) }

// in reports whether a fact is of a category; "" is any.
func (f *Fact) in(category string) bool { return category == "" || f.Category == category }

// decay is D. What has no date does not age, and neither does what a clock
// that was wrong dates in the future.
func decay(created, now time.Time) float64 {
	if created.IsZero() {
		return 1
	}
	days := int64(now.Sub(created) / (24 * time.Hour))
	if days < freshDays {
		return 1
	}
	return math.Exp(-decayRate * float64(days-freshDays))
}

// bm25 gives the points of each document, by slot.
func (c *corpus) bm25(ts []text.QueryTerm) []float64 {
	points := make([]float64, len(c.docs))
	average := max(float64(c.length)/float64(len(c.docs)), 1)
	for _, t := range ts {
		id, ok := c.ids[t.Text]
		if !ok {
			continue
		}
		hits := c.lists[id].hits
		weight := t.Weight * idf(len(c.docs), len(hits)) * (k1 + 1)
		for _, h := range hits {
			tf, long := float64(h.count), float64(c.docs[h.slot].length)/average
			points[h.slot] += float64(weight * tf / (tf + float64(k1*(1-b+float64(b*long)))))
		}
	}
	return points
}

func idf(docs, with int) float64 {
	return math.Log(1 + (float64(docs-with)+.5)/(float64(with)+.5))
}

// terms are what a question looks for: its words without stop words, and where it has
// no others ("who am I?") those.
func terms(question string) []text.QueryTerm {
	if ts := text.Query(question); len(ts) > 0 {
		return ts
	}
	var ts, single []text.QueryTerm
	seen := map[string]bool{}
	text.Terms(question, func(t text.Term) {
		if seen[string(t.Text)] {
			return
		}
		q := text.QueryTerm{Text: string(t.Text), Weight: 1, Kind: t.Kind}
		seen[q.Text] = true
		if t.Kind == text.Unigram {
			single = append(single, q)
		} else {
			ts = append(ts, q)
		}
	})
	if len(ts) == 0 {
		return single
	}
	return ts
}
