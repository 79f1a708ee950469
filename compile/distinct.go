package compile

import (
	"cmp"
	"context"
	"slices"

	"brain/memory"
	"brain/page"
	"brain/text"
)

// What one session gives is compared with itself before it is compared with the
// brain: windows overlap, and people say a thing twice, sometimes otherwise. All
// with all would take the square of a long session, so each is compared with the few
// that share the most of its rare words; what is equal word by word is found by its
// hash, however many there are.

const (
	sharedBy = 32 // findings that a word may stand in and still tell them apart
	rivals   = 8  // findings that one is compared with
)

// crowd are the findings so far.
type crowd struct {
	all    []*arrival
	read   []*page.Reading
	hashes map[string]bool
	words  map[string][]int // where a word stands, until it stands everywhere
}

// distinct drops what a finding before said already, and notes for each which ones it
// contradicts.
func (w *work) distinct(ctx context.Context, all []*arrival) ([]*arrival, error) {
	c := crowd{hashes: map[string]bool{}, words: map[string][]int{}}
	for _, in := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !c.admit(in) {
			w.report.drop(in.page.Title, in.turns, SaidTwice, "")
		}
	}
	return c.all, nil
}

// admit adds a finding unless another of its type says the same.
func (c *crowd) admit(in *arrival) bool {
	hash := in.page.Type + "\n" + memory.ContentKey(in.page.Title) + "\n" + memory.ContentKey(in.page.Body)
	if c.hashes[hash] {
		return false
	}
	terms := text.Query(in.page.Title + "\n" + in.page.Body)
	reading := page.Read(in.page)
	for _, i := range c.near(terms) {
		o := c.all[i]
		switch v := reading.Compare(c.read[i], page.CompareOptions{}); {
		case v.Kind == page.Duplicate && o.page.Type == in.page.Type:
			return false
		case v.Kind == page.Contradiction:
			in.rivals = append(in.rivals, rival{o, v})
		}
	}
	c.hashes[hash] = true
	for _, t := range terms {
		if at := c.words[t.Text]; len(at) <= sharedBy {
			c.words[t.Text] = append(at, len(c.all))
		}
	}
	c.all, c.read = append(c.all, in), append(c.read, reading)
	return true
}

// near gives those that share the most words, in their order.
func (c *crowd) near(terms []text.QueryTerm) (out []int) {
	shared := map[int]int{}
	for _, t := range terms {
		if at := c.words[t.Text]; len(at) <= sharedBy {
			for _, i := range at {
				shared[i]++
			}
		}
	}
	for i := range shared {
		out = append(out, i)
	}
	slices.SortFunc(out, func(a, b int) int { return cmp.Or(cmp.Compare(shared[b], shared[a]), cmp.Compare(b, a)) })
	out = out[:min(len(out), rivals)]
	slices.Sort(out)
	return out
}
