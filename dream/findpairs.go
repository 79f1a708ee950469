package dream

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"brain/index"
	"brain/page"
)

// From a tree to pairs of claims that cannot both hold: claims, sorted into buckets, of which
// those whose turn it is are looked at, and a model that is asked where the screens cannot tell.
//
// A night compares a bounded number of claims. Where a brain has more, its buckets have their
// turn in a round: each night goes on behind the bucket where the last one stopped, and a
// round is over when it has come to where it began and nothing changed meanwhile.

// findPairs looks at the buckets whose turn it is. looked tells of a pair that was open before
// whether it would have been found again if it still held.
func (n *night) findPairs(ctx context.Context, v *index.View, tree []byte) (found []Pair, looked func(Pair) bool, err error) {
	of := newEntities(v)
	claims, err := n.claims(ctx, v, of)
	if err != nil {
		return nil, nil, err
	}
	all := sortIntoBuckets(claims, of)
	n.looked(len(claims), "claims")
	n.count("claims", len(claims))
	n.count("buckets", len(all.all))
	open, err := n.openPairs(ctx)
	if err != nil {
		return nil, nil, err
	}
	s := &search{n: n, of: of, sees: n.changedSince(), open: open}
	if n.Embedder != nil {
		info := n.Embedder.Info()
		s.near, s.same, s.remote = info.Near, info.Same, info.Remote
	}
	visited, err := n.round(ctx, s, all, tree)
	if err != nil {
		return nil, nil, err
	}
	if err := n.similar(ctx, s); err != nil {
		return nil, nil, err
	}
	judged, waiting, err := n.judge(ctx, s.grey)
	if err != nil {
		return nil, nil, err
	}
	n.did("compared", s.compared)
	n.count("duplicates", s.duplicates)
	found = onePerID(append(s.pairs, judged...))
	for i := range found {
		n.place(ctx, &found[i].A)
		n.place(ctx, &found[i].B)
	}
	return found, n.lookedAt(claims, visited, s.sees, waiting), nil
}

// openPairs gives for a claim of an open pair the other one. They are compared in any case: what was
// proposed is not gone because other claims stand nearer to one of the two.
func (n *night) openPairs(ctx context.Context) (map[uint64][]uint64, error) {
	d, err := ReadDocket(ctx, n.Store)
	if err != nil {
		return nil, err
	}
	open := map[uint64][]uint64{}
	for _, p := range d.Pairs {
		a, b := hashOf(page.ClaimKey(p.A.Text)), hashOf(page.ClaimKey(p.B.Text))
		open[a], open[b] = append(open[a], b), append(open[b], a)
	}
	return open, nil
}

// place finds the line of an agent's fact, which is a file of its own. One that is gone has none.
func (n *night) place(ctx context.Context, s *Side) {
	if s.Fact != AgentFactSide {
		return
	}
	raw, err := n.Store.Read(ctx, s.Path)
	if err != nil {
		return
	}
	body, line := page.Split(raw)
	first, _, _ := strings.Cut(s.Text, "\n")
	if at := strings.LastIndex(body, first); at >= 0 {
		s.Line = line + strings.Count(body[:at], "\n")
	}
}

// changedSince tells which pairs a night looks at that was told to leave out what is old.
func (n *night) changedSince() func(x, y *claim) bool {
	if n.Since.IsZero() {
		return func(_, _ *claim) bool { return true }
	}
	late := func(c *claim) bool { return !c.from.changed.Before(n.Since) }
	return func(x, y *claim) bool { return late(x) || late(y) }
}

// round looks at buckets in their turn until the night's share is used up, and gives those that
// it has seen. What a change of the tree interrupts begins anew, behind the last bucket.
func (n *night) round(ctx context.Context, s *search, all *buckets, tree []byte) (map[*bucket]bool, error) {
	share := n.MaxCompared
	if share <= 0 {
		share = DefaultMaxCompared
	}
	queue, end := all.round(n.state.Turn, tree)
	visited := map[*bucket]bool{}
	for i, b := range queue {
		if s.compared >= share {
			n.later()
			n.count("buckets_waiting", len(queue)-i)
			n.left(Left{What: fmt.Sprintf("%d of %d groups of claims wait for their turn", len(queue)-i, len(all.all)), Hint: "the next nights look at them"})
			if n.Since.IsZero() {
				n.state.Turn[turnLast], n.state.Turn[turnRound] = queue[i-1].key, fmt.Sprintf("%x %s", tree, end)
			}
			return visited, nil
		}
		if err := s.bucket(ctx, b); err != nil {
			return nil, err
		}
		visited[b] = true
		if n.Progress != nil && i%64 == 0 {
			n.Progress(Contradictions, i, len(queue))
		}
	}
	delete(n.state.Turn, turnLast)
	delete(n.state.Turn, turnRound)
	return visited, nil
}

const (
	turnLast  = "contradictions"       // the bucket that was looked at last
	turnRound = "contradictions round" // the tree that a round is about, and its last bucket
)

// round is what is left of a round: all buckets from the one behind the last on, to that with
// which it ends.
func (b *buckets) round(turn map[string]string, tree []byte) (queue []*bucket, end string) {
	queue = b.inTurn(turn[turnLast])
	if len(queue) == 0 {
		return nil, ""
	}
	end = queue[len(queue)-1].key
	if of, key, ok := strings.Cut(turn[turnRound], " "); ok && of == fmt.Sprintf("%x", tree) {
		if i := slices.IndexFunc(queue, func(b *bucket) bool { return b.key == key }); i >= 0 {
			return queue[:i+1], key
		}
	}
	return queue, end
}

// lookedAt tells of a pair that was proposed before whether this night would have found it
// again: its claims are gone, or were compared. What a page says that cannot be read is not gone.
func (n *night) lookedAt(claims []*claim, visited map[*bucket]bool, sees func(x, y *claim) bool, waiting map[string]bool) func(Pair) bool {
	saying := map[uint64][]*claim{}
	for _, c := range claims {
		saying[c.key] = append(saying[c.key], c)
	}
	return func(p Pair) bool {
		as, bs := saying[hashOf(page.ClaimKey(p.A.Text))], saying[hashOf(page.ClaimKey(p.B.Text))]
		if len(as) == 0 || len(bs) == 0 {
			return !n.unreadable(string(p.A.Path)) && !n.unreadable(string(p.B.Path))
		}
		unasked := waiting[p.forAll().ID] || p.Screen == byMeaning && n.Completer == nil // a model found it
		for _, x := range as {
			for _, y := range bs {
				if max(x.from.agent, y.from.agent) != p.owner() {
					continue // that would be the pair of others
				}
				if in := home(x, y); unasked || in != nil && !(visited[in] && sees(x, y)) {
					return false
				}
			}
		}
		return true
	}
}

// onePerID keeps one of the pairs that say the same in several places, of those that are for the
// same to see, and puts the strongest pairs first.
func onePerID(pairs []Pair) []Pair {
	slices.SortFunc(pairs, func(x, y Pair) int {
		return cmp.Or(strings.Compare(x.ID, y.ID), cmp.Compare(y.Strength, x.Strength), strings.Compare(string(x.A.Path), string(y.A.Path)),
			strings.Compare(string(x.B.Path), string(y.B.Path)), x.A.Line-y.A.Line, x.B.Line-y.B.Line)
	})
	pairs = slices.CompactFunc(pairs, func(x, y Pair) bool { return x.ID == y.ID })
	slices.SortStableFunc(pairs, func(x, y Pair) int { return cmp.Compare(y.Strength, x.Strength) })
	return pairs
}
