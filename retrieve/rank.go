package retrieve

import (
	"fmt"
	"math"
	"slices"
	"time"

	"brain/index"
)

// boost multiplies a few signals that say nothing about the question: how the
// first pages link to each other, how fresh a page is. Together they may move
// a score by boostMin to boostMax, and only pages near the top, so that they
// order what is found and never find.
func boost(v *index.View, p *plan, cands []*candidate) {
	if len(cands) == 0 {
		return
	}
	top := cands[:min(signalDepth, len(cands))]
	hub, sources := linked(v.For(p.q.Agent), top)
	best := cands[0].score
	for _, c := range cands {
		if c.score < boostFloor*best {
			break
		}
		type factor struct {
			name  string
			value float64
			note  string
		}
		var fs []factor
		if n := hub[c.row]; n >= 2 {
			fs = append(fs, factor{"links.hub", hubBoost, fmt.Sprintf("%d of the first pages link here", n)})
		}
		if n := len(sources[c.row]); n >= 2 {
			fs = append(fs, factor{"links.sources", sourcesBoost, fmt.Sprintf("from %d sources", n)})
		}
		if h := hotness(c.page, p.q); h != 1 && !c.said { // what was said last is no better evidence
			fs = append(fs, factor{"hotness", h, pageDate(c.page).Format("2006-01-02")})
		}
		total := 1.0
		for _, f := range fs {
			total *= f.value
			c.mul(Signal{Name: f.name, Value: f.value, Note: f.note})
		}
		if clamped := min(max(total, boostMin), boostMax); clamped != total {
			c.mul(Signal{Name: "boost.clamp", Value: clamped / total})
		}
	}
}

// linked counts, for each of the first pages, how many others of them link to
// it and from which sources.
func linked(links *index.Linked, top []*candidate) (count map[uint32]int, sources map[uint32]map[string]bool) {
	count, sources = map[uint32]int{}, map[uint32]map[string]bool{}
	in := map[uint32]bool{}
	for _, c := range top {
		in[c.row] = true
	}
	for _, c := range top {
		seen := map[uint32]bool{}
		links.Targets(c.row, func(to uint32) {
			if !in[to] || seen[to] || to == c.row {
				return
			}
			seen[to] = true
			count[to]++
			if sources[to] == nil {
				sources[to] = map[string]bool{}
			}
			if c.page.Source != "" {
				sources[to][c.page.Source] = true
			}
		})
	}
	return count, sources
}

// hotness is 1 + α·recency, recency halving every hotHalfLife. A page without
// a date is neither fresh nor stale; a date in the future is today.
func hotness(pg index.Page, q Query) float64 {
	d := pageDate(pg)
	if d.IsZero() {
		return 1
	}
	const day = 24 * time.Hour
	today := q.Now.UTC().Truncate(day).Add(day / 2) // noon, so that an answer is the same all day
	age := max(0, today.Sub(d))
	return 1 + hotAlpha*math.Exp2(-float64(age)/float64(hotHalfLife))
}

// floor drops what is far below the best, keeping a few.
func floor(cands []*candidate) []*candidate {
	if len(cands) == 0 {
		return cands
	}
	low := fusedFloor * cands[0].score
	kept := 0
	return slices.DeleteFunc(cands, func(c *candidate) bool {
		if kept < floorKeep || c.score >= low || c.pinned {
			kept++
			return false
		}
		return true
	})
}

// group folds pages with equal content into the first of them.
func group(cands []*candidate) []*candidate {
	first := map[[32]byte]*candidate{}
	out := cands[:0]
	for _, c := range cands {
		if c.said {
			out = append(out, c)
			continue
		}
		if f := first[c.page.Hash]; f != nil {
			f.twins = append(f.twins, c.path)
			continue
		}
		first[c.page.Hash] = c
		out = append(out, c)
	}
	return out
}

// weak says that an agent should not take the first hit for an answer: what
// speaks for it, together, is less than nonsense seldom reaches. The shares are
// a logistic regression's, made on questions that a page plainly answers and
// on questions that none does.
//
// A passage that has the whole question convinces by itself.
//
//	evidence = bm25 + cosine + kin + passage + phrase + named, each by its share
func weak(p *plan, f *found, cands []*candidate) bool {
	if len(cands) == 0 {
		return true
	}
	best := cands[0]
	related := f.answers(p) && best.reached != nil
	if best.pinned || related && !best.reached.Loose {
		return false
	}
	if best.pass != nil && best.pass.covered >= weakCovered {
		return false
	}
	evidence := best.bm25 + weakCosine*best.cosine + weakKin*best.kin + weakNamed*best.named
	if best.pass != nil {
		evidence += weakPassage*best.pass.covered + weakPhrase*best.pass.phrase
	}
	if related {
		evidence += weakRelated
	}
	return evidence < weakBelow
}
