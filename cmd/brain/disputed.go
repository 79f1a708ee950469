package main

import (
	"context"
	"fmt"
	"slices"

	"brain/dream"
	"brain/retrieve"
)

// An open pair marks the pages of its two claims in answers, and changes no score: a person has
// not decided yet. The mark is the pair's id and what the other page says:
//
//	3fa91c22b7d0e4aa: The queue of Kestrel holds 900 jobs (notes/queue.md:3)

// mostDisputed is how many pairs of one page are told; of more, their number.
const mostDisputed = 3

// dispute marks the hits of an answer for the agent that asked. Without the list, or with one
// that cannot be read, nothing is marked.
func (a *app) dispute(ctx context.Context, o *opened, agent string, answer *retrieve.Answer) {
	if len(answer.Hits) == 0 {
		return
	}
	raw, err := o.st.Read(ctx, dream.ReviewFile)
	if err != nil {
		return
	}
	at := map[string][]string{}
	for _, p := range dream.Open(raw) {
		if !p.ShownTo(agent) {
			continue
		}
		at[string(p.A.Path)] = append(at[string(p.A.Path)], against(p.ID, &p.B))
		if p.A.Path != p.B.Path {
			at[string(p.B.Path)] = append(at[string(p.B.Path)], against(p.ID, &p.A))
		}
	}
	for i := range answer.Hits {
		h := &answer.Hits[i]
		all := at[h.Path]
		if more := len(all) - mostDisputed; more > 0 {
			all = append(slices.Clone(all[:mostDisputed]), fmt.Sprintf("and %d more", more))
		}
		h.Disputed = append(h.Disputed, all...)
	}
}

func against(id string, other *dream.Side) string {
	return fmt.Sprintf("%s: %s (%s:%d)", id, other.Text, other.Path, max(1, other.Line))
}
