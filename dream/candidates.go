package dream

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"brain/llm"
	"brain/page"
	"brain/text"
)

// Which claims of a bucket are compared, and what comes of it. Never all with all: a claim
// meets those of its own metric, the five that share most of its telling words, and the five
// nearest by the embedder in the process; and as many facts of agents besides, so that what many
// agents know hides nothing that all may see. Then, cheap before dear:
//
//	apart      of two agents, two things, two speakers, two times: nothing
//	screens    page.Statement.Compare: contradiction or duplicate
//	grey zone  no screen fired, and the embedder finds them nearly the same: for a model
//
// A value that is dated later than another of its slot may have taken its place and need not
// contradict it: a supersession, a candidate as well.

const (
	nearest   = 5   // of each way
	shortlist = 64  // by words, among which the nearest by vectors are looked for
	manyHave  = 256 // claims of a bucket: a word that more of them have tells nothing there
)

// findings is what a night finds.
type findings struct {
	pairs      []Pair
	grey       []greyPair
	maybe      []greyPair // whose cosine a server has to tell
	compared   int
	duplicates int
}

// greyPair is two claims of which a model is asked.
type greyPair struct {
	in       *bucket
	a, b     *claim
	verdict  page.Verdict // of the screens: too little for one of them
	evidence float64
}

// minEvidence is the strength of a screen that is too weak to propose a pair, from which a model
// is asked.
const minEvidence = 0.25

// search compares the claims of buckets.
type search struct {
	n  *night
	of *entities
	findings
	near   float64 // from which cosine on two claims may mean the same; 0: no vectors
	same   float64
	remote bool                   // the embedder is a server
	sees   func(a, b *claim) bool // whether a pair is to be looked at in this night
	open   map[uint64][]uint64    // of a claim in an open pair the other one, by their keys
}

// bucket compares what belongs to one bucket.
func (s *search) bucket(ctx context.Context, b *bucket) error {
	if err := s.embed(ctx, b); err != nil {
		return err
	}
	seen := map[[2]int]bool{}
	for i := range b.claims {
		for _, j := range s.candidates(b, i) {
			at := [2]int{min(i, j), max(i, j)}
			if i == j || seen[at] {
				continue
			}
			seen[at] = true
			if x, y := b.claims[at[0]], b.claims[at[1]]; home(x, y) == b && s.sees(x, y) {
				s.compare(b, x, y)
			}
		}
	}
	return ctx.Err()
}

// candidates are the claims that claim i of a bucket is compared with.
func (s *search) candidates(b *bucket, i int) []int {
	b.prepare()
	out := b.ofMetric(i)
	byWords := b.byWords(i)
	out = append(out, b.first(nearest, i, byWords)...)
	out = append(out, b.byVector(i, byWords)...)
	for _, other := range s.open[b.claims[i].key] { // however many stand nearer by now
		out = append(out, b.lookup.saying[other]...)
	}
	return out
}

// first are the first n that are everybody's of the claims that claim i may meet, and the first n
// that are an agent's.
func (b *bucket) first(n, i int, sorted []int) (out []int) {
	mine, everybodys, agents := b.claims[i].from.agent, n, n
	for _, j := range sorted {
		left := &everybodys
		switch agent := b.claims[j].from.agent; {
		case agent == "":
		case mine == "" || agent == mine:
			left = &agents
		default:
			continue
		}
		if *left > 0 {
			*left--
			out = append(out, j)
		}
	}
	return out
}

// lookup is what finds the claims of a bucket.
type lookup struct {
	words  map[uint64][]int32
	saying map[uint64][]int // by key
	metric map[string][]int // the newest first
	score  []float64        // scratch
}

func (b *bucket) prepare() {
	if b.lookup != nil {
		return
	}
	l := &lookup{words: map[uint64][]int32{}, saying: map[uint64][]int{}, metric: map[string][]int{}, score: make([]float64, len(b.claims))}
	for i, c := range b.claims {
		l.saying[c.key] = append(l.saying[c.key], i)
		for _, w := range c.words {
			l.words[w] = append(l.words[w], int32(i))
		}
		if m := c.metric(); m != "" {
			l.metric[m] = append(l.metric[m], i)
		}
	}
	for _, same := range l.metric {
		slices.SortStableFunc(same, func(i, j int) int { return strings.Compare(b.claims[j].when(), b.claims[i].when()) })
	}
	b.lookup = l
}

// ofMetric are the newest claim of the metric, which all the others have to stand against,
// and the next ones.
func (b *bucket) ofMetric(i int) (out []int) {
	same := b.lookup.metric[b.claims[i].metric()]
	if len(same) < 2 {
		return nil
	}
	return append(b.first(1, i, same), b.first(nearest, i, same[slices.Index(same, i)+1:])...)
}

// byWords are the claims that share words with claim i, those that share most of them first,
// a rare word counting more.
func (b *bucket) byWords(i int) (out []int) {
	l := b.lookup
	for _, w := range b.claims[i].words {
		have := l.words[w]
		if len(have) > manyHave {
			continue
		}
		weight := math.Log1p(float64(len(b.claims)) / float64(len(have)))
		for _, j := range have {
			if l.score[j] == 0 {
				out = append(out, int(j))
			}
			l.score[j] += weight
		}
	}
	slices.SortFunc(out, func(x, y int) int { return cmp.Or(cmp.Compare(l.score[y], l.score[x]), x-y) })
	for _, j := range out {
		l.score[j] = 0
	}
	out = slices.DeleteFunc(out, func(j int) bool { return j == i })
	return b.first(shortlist, i, out)
}

// byVector are the claims nearest to claim i: of all in a bucket that is small, else of those
// that share words with it.
func (b *bucket) byVector(i int, byWords []int) []int {
	vec := b.claims[i].vec
	if vec == nil {
		return nil
	}
	of := byWords
	if len(b.claims) <= manyHave {
		of = make([]int, 0, len(b.claims))
		for j := range b.claims {
			if j != i {
				of = append(of, j)
			}
		}
	}
	type hit struct {
		at  int
		cos float64
	}
	var hits []hit
	for _, j := range of {
		hits = append(hits, hit{j, llm.Cosine(vec, b.claims[j].vec)})
	}
	slices.SortFunc(hits, func(x, y hit) int { return cmp.Or(cmp.Compare(y.cos, x.cos), x.at-y.at) })
	sorted := make([]int, len(hits))
	for k, h := range hits {
		sorted[k] = h.at
	}
	return b.first(nearest, i, sorted)
}

// embed gives the claims of a bucket their vectors, by the table in the binary alone: a server
// is asked for the few texts that matter (night.similar).
func (s *search) embed(ctx context.Context, b *bucket) error {
	e := s.n.Embedder
	if e == nil || e.Info().Remote {
		return nil
	}
	var texts []string
	var claims []*claim
	for _, c := range b.claims {
		if c.vec == nil {
			texts, claims = append(texts, c.Text), append(claims, c)
		}
	}
	vectors, err := e.Embed(ctx, texts)
	if err != nil {
		return fmt.Errorf("compare claims by meaning: %w", err)
	}
	for i, c := range claims {
		c.vec = vectors[i]
	}
	return nil
}

// compare looks at one pair.
func (s *search) compare(b *bucket, x, y *claim) {
	s.compared++
	if apart(x, y) {
		return
	}
	v := x.statement().Compare(y.statement(), page.CompareOptions{Cosine: llm.Cosine(x.vec, y.vec), Threshold: s.same})
	switch {
	case v.Kind == page.Duplicate:
		s.duplicates++
	case v.Kind == page.Contradiction:
		if !s.beside(b, x, y, v) {
			s.pairs = append(s.pairs, pairOf(b, x, y, v))
		}
	case v.Kind == page.Different && s.isGrey(x, y, v):
		s.grey = append(s.grey, greyPair{b, x, y, v, max(v.Cosine, v.Strength)})
	case v.Kind == page.Different && s.remote && v.Overlap >= minMaybe && !x.past && !y.past && x.from != y.from && !s.otherThings(x, y, v):
		s.maybe = append(s.maybe, greyPair{b, x, y, v, v.Overlap})
	}
}

// isGrey reports claims of which a model is asked: the embedder finds them nearly the same, or
// a screen has seen something that is too little for it.
func (s *search) isGrey(x, y *claim, v page.Verdict) bool {
	if x.from == y.from || x.past || y.past || s.otherThings(x, y, v) {
		return false
	}
	return s.near > 0 && v.Cosine >= s.near || v.Strength >= minEvidence
}

// pairOf is a pair that a screen found.
func pairOf(b *bucket, x, y *claim, v page.Verdict) Pair {
	p := Pair{Entity: b.name, Kind: KindContradiction, A: x.side(), B: y.side(), Screen: string(v.Screen), Strength: v.Strength, Detail: v.Detail}
	if succeeds(x, y) {
		p.Kind = KindSupersession
	}
	p.arrange()
	return p
}

// succeeds reports that both claims are dated by themselves, and one later than the other.
// Where two people say so, who is right is no matter of dates.
func succeeds(x, y *claim) bool {
	a, b := x.when(), y.when()
	said := x.speaker == y.speaker || x.speaker == "" || y.speaker == ""
	return said && a != "" && b != "" && a != b
}

// when is the day from which a claim holds, as far as it says so itself.
func (c *claim) when() string { return cmp.Or(c.since, c.day) }

func (c *claim) metric() string { return text.Fold(c.Slot.Metric) }

// A server's vectors are those of passages, and a claim is none. So it is asked for the claims
// that share half of their words, within a bound.
const (
	minMaybe    = 0.5
	mostRemote  = 2000 // texts of a night
	remoteBatch = 64
)

// similar asks the embedder's server which of the pairs that share words read alike. Where it
// does not answer, the words alone have decided, and the report says so.
func (n *night) similar(ctx context.Context, s *search) error {
	if len(s.maybe) == 0 || n.DryRun {
		return nil
	}
	slices.SortStableFunc(s.maybe, func(x, y greyPair) int { return cmp.Compare(y.evidence, x.evidence) })
	need := map[*claim]bool{}
	var claims []*claim
	for _, g := range s.maybe {
		for _, c := range [...]*claim{g.a, g.b} {
			if !need[c] && len(claims) < mostRemote {
				need[c] = true
				claims = append(claims, c)
			}
		}
	}
	for batch := range slices.Chunk(claims, remoteBatch) {
		texts := make([]string, len(batch))
		for i, c := range batch {
			texts[i] = c.Text
		}
		vectors, err := n.Embedder.Embed(ctx, texts)
		for i, c := range batch {
			c.vec = vectors[i]
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			n.left(Left{What: "claims were compared by their words alone: " + err.Error(), Hint: "see that the embedder answers; brain doctor tells more"})
			n.later()
			break
		}
	}
	for _, g := range s.maybe {
		if g.evidence = llm.Cosine(g.a.vec, g.b.vec); g.evidence >= s.near {
			s.grey = append(s.grey, g)
		}
	}
	return nil
}
